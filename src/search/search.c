/* A search over blocks of its space, by any number of threads and processes. It has two passes: a coarse one over the
 * most usual plans, whose results make good bounds, and one over all plans. A block starts from the outcome of the
 * first pass and does not see what other blocks find, so which plans are evaluated and pruned does not depend on who
 * runs it. */
#include "search/search.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "metric/metric.h"
#include "predict/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { BLOCKS_MAX = 1024 };

#define X_NAME(member, name, ...) name,
const char *orr_objective_name(enum orr_objective objective)
{
    static const char *const NAMES[] = {ORR_OBJECTIVES(X_NAME)};
    return NAMES[objective];
}

const char *orr_reject_name(enum orr_reject reject)
{
    static const char *const NAMES[] = {ORR_REJECTS(X_NAME)};
    return NAMES[reject];
}

const char *orr_front_name(const struct orr_search_request *request, int axis)
{
    if (request->job.kind == ORR_JOB_INFER) return axis == 0 ? "gpu_s_per_token" : "tpot_s";
    if (axis == 0) return "step_time_s";
    return request->space.gpus.n > 1 ? "gpu_s" : "memory_bytes.total";
}

/* ---------------------------------------------------------------- open, close */

static enum orr_err compare_objective(struct orr_search *search, struct orr_job *job, struct orr_scratch *scratch,
                                      struct orr_error *error)
{
    struct orr_found found;
    orr_search_job(search, &search->request.compare, job);
    const enum orr_err err = orr_job_check(job, error);
    if (err) return err;
    if (job->kind == ORR_JOB_TRAIN) {
        struct orr_result result;
        orr_train(job, scratch, &result);
        orr_train_found(&search->request, result.step_time_s, result.memory.most_bytes, result.energy_j,
                        &search->request.compare, &found);
    } else {
        struct orr_infer_result result;
        if (orr_search_predict(search, &search->request.compare, scratch, &result))
            return orr_out_of_memory(error, NULL);
        orr_infer_found(&search->request, &result, &search->request.compare, &found);
    }
    search->compare_objective = found.objective * (1 - 1e-12); /* A plan that differs only by rounding is not better. */
    return ORR_OK;
}

/* Work out the objective of the plan to compare with. A plan that breaks a rule is an error. */
static enum orr_err compare_with(struct orr_search *search, struct orr_error *error)
{
    struct orr_job *job = malloc(sizeof *job);
    struct orr_scratch *scratch = orr_scratch_new();
    const enum orr_err err =
        job && scratch ? compare_objective(search, job, scratch, error) : orr_out_of_memory(error, NULL);
    orr_scratch_free(scratch);
    free(job);
    return err;
}

static int64_t count_blocks(const struct orr_search *search)
{
    if (search->request.job.kind == ORR_JOB_INFER) return orr_search_infer_blocks(&search->request);
    const int64_t n = (int64_t)search->train.n_cuts * search->train.n_micro;
    return n < BLOCKS_MAX ? n : BLOCKS_MAX;
}

/* A pool of a serving plan may have fewer GPUs than are asked for. */
static bool may_be_inside(const struct orr_search_request *request)
{
    const struct orr_choices *gpus = &request->space.gpus;
    const int64_t least = request->job.kind == ORR_JOB_TRAIN ? gpus->values[0] : 1;
    return orr_may_be_inside(&request->job, (double)least, (double)gpus->values[gpus->n - 1]);
}

enum orr_err orr_search_new(const struct orr_search_request *request, struct orr_search **search,
                            struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_search *s = calloc(1, sizeof *s);
    *search = s;
    if (!s) return orr_out_of_memory(error, NULL);
    s->request = *request;
    if (request->job.kind == ORR_JOB_TRAIN) orr_space_narrow(&s->request);
    /* Plans on fewer GPUs are slower and still belong on the front. */
    if (request->space.gpus.n > 1) s->request.front_within = HUGE_VAL;
    s->compare_objective = -HUGE_VAL;
    s->usable_bytes = orr_usable_bytes(&request->job);
    orr_outcome_open(&s->outcome, (size_t)request->top);
    orr_outcome_open(&s->pass, (size_t)request->top);
    enum orr_err err =
        s->outcome.failed || s->pass.failed ? orr_out_of_memory(error, NULL) : orr_limits_resolve(&s->request, error);
    if (!err && request->job.kind == ORR_JOB_TRAIN) err = orr_train_space_build(&s->request, &s->train, error);
    if (!err && request->compared) err = compare_with(s, error);
    if (!err) s->may_be_inside = may_be_inside(request);
    if (!err) s->n_blocks = count_blocks(s);
    if (!err) return ORR_OK;
    orr_search_free(s);
    *search = NULL;
    return err;
}

void orr_search_free(struct orr_search *search)
{
    if (!search) return;
    orr_train_space_free(&search->train);
    orr_outcome_free(&search->outcome);
    orr_outcome_free(&search->pass);
    free(search);
}

/* ---------------------------------------------------------------- running */

/* What the threads of one pass share. Every access holds its lock. It is a lock of the pass and no critical section of
 * OpenMP, because that would be one for all searches of the process. */
struct team {
    struct orr_search *search;
    int pass;
    int64_t (*next)(void *context);
    void *next_context;
    orr_search_progress progress;
    void *context;
    int64_t done;
#ifdef _OPENMP
    omp_lock_t lock;
#endif
};

#ifdef _OPENMP
static void enter(struct team *team)
{
    omp_set_lock(&team->lock);
}

static void leave(struct team *team)
{
    omp_unset_lock(&team->lock);
}
#else
static void enter(struct team *team)
{
    (void)team;
}

static void leave(struct team *team)
{
    (void)team;
}
#endif

static int64_t take_block(struct team *team)
{
    return team->search->stopped || team->search->pass.failed ? -1 : team->next(team->next_context);
}

static void hand_in(struct team *team, const struct orr_outcome *outcome)
{
    struct orr_search *search = team->search;
    orr_outcome_add(&search->pass, outcome);
    team->done++;
    const double done_frac = (double)team->done / (double)search->n_blocks;
    if (team->progress && !team->progress(team->context, search, done_frac)) search->stopped = true;
}

static void run_block(const struct team *team, int64_t block, struct orr_worker *worker, struct orr_outcome *outcome)
{
    memset(&outcome->counts, 0, sizeof outcome->counts);
    orr_outcome_copy(outcome, &team->search->outcome);
    if (team->search->request.job.kind == ORR_JOB_TRAIN)
        orr_search_train_block(team->search, team->pass, block, worker, outcome);
    else orr_search_infer_block(team->search, team->pass, block, worker, outcome);
}

static void work(struct team *team)
{
    ORR_PLAIN_NUMBERS;
    struct orr_worker *worker = calloc(1, sizeof *worker);
    struct orr_outcome outcome;
    int64_t block = -1;
    orr_outcome_open(&outcome, team->search->outcome.max_best);
    if (worker) worker->job = team->search->request.job;
    enter(team);
    if (!worker || outcome.failed) team->search->pass.failed = true;
    block = take_block(team);
    leave(team);
    while (block >= 0) {
        run_block(team, block, worker, &outcome);
        enter(team);
        hand_in(team, &outcome);
        block = take_block(team);
        leave(team);
    }
    orr_outcome_free(&outcome);
    if (worker) orr_search_infer_done(worker);
    free(worker);
    enter(team);
    if (orr_memory_lacked()) team->search->pass.failed = true;
    leave(team);
}

/* Before the last pass: the first of the plans listed so far that is inside what was measured bounds the search for a
 * better one. Every process knows the same plans and finds the same. */
static enum orr_err find_first_inside(struct orr_search *search, struct orr_error *error)
{
    struct orr_job *job = malloc(sizeof *job);
    struct orr_scratch *scratch = orr_scratch_new();
    const enum orr_err err = job && scratch ? ORR_OK : orr_out_of_memory(error, NULL);
    for (size_t i = 0; i < search->outcome.n_best && !err; i++) {
        struct orr_result result;
        orr_search_job(search, &search->outcome.best[i].choice, job);
        orr_train(job, scratch, &result);
        if (orr_train_nearest(job, &result).outside) continue;
        orr_outcome_put_inside(&search->outcome, &search->outcome.best[i]);
        break;
    }
    orr_scratch_free(scratch);
    free(job);
    return err;
}

enum orr_err orr_search_pass(struct orr_search *search, int pass, int threads, int64_t (*next)(void *context),
                             void *next_context, orr_search_progress progress, void *context, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct team team = {.search = search,
                        .pass = pass,
                        .next = next,
                        .next_context = next_context,
                        .progress = progress,
                        .context = context};
    if (pass > 0 && search->may_be_inside && search->request.job.kind == ORR_JOB_TRAIN) {
        const enum orr_err err = find_first_inside(search, error);
        if (err) return err;
    }
    orr_outcome_free(&search->pass);
    orr_outcome_open(&search->pass, search->outcome.max_best);
    search->running = true;
#ifdef _OPENMP
    if (threads < 1) threads = omp_get_max_threads();
    omp_init_lock(&team.lock);
#pragma omp parallel num_threads(threads)
    work(&team);
    omp_destroy_lock(&team.lock);
#else
    (void)threads;
    work(&team);
#endif
    search->running = false;
    if (pass == 0 && !search->stopped) /* Pass 1 counts the plans of the coarse pass again. */
        memset(&search->pass.counts, 0, sizeof search->pass.counts);
    return search->pass.failed ? orr_out_of_memory(error, NULL) : ORR_OK;
}

struct counter {
    int64_t next, end;
};

static int64_t count_up(void *context)
{
    struct counter *counter = context;
    return counter->next < counter->end ? counter->next++ : -1;
}

enum orr_err orr_search_run(struct orr_search *search, int threads, orr_search_progress progress, void *context,
                            struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    for (int pass = 0; pass < ORR_SEARCH_PASSES; pass++) {
        struct counter counter = {0, search->n_blocks};
        enum orr_err err = orr_search_pass(search, pass, threads, count_up, &counter, progress, context, error);
        if (err) return err;
        orr_outcome_add(&search->outcome, &search->pass);
    }
    return search->outcome.failed ? orr_out_of_memory(error, NULL) : ORR_OK;
}

void orr_search_stop(struct orr_search *search)
{
    search->stopped = true;
}

int64_t orr_search_n_blocks(const struct orr_search *search)
{
    return search->n_blocks;
}

/* ---------------------------------------------------------------- between processes */

struct packed {
    struct orr_search_counts counts;
    struct orr_found inside;
    double fastest_s;
    uint64_t n_best, n_front, stopped;
};

void *orr_search_pack(const struct orr_search *search, size_t *n_bytes)
{
    const struct orr_outcome *o = &search->pass;
    const struct packed head = {o->counts, o->inside, o->fastest_s, o->n_best, o->n_front, search->stopped};
    const size_t best = o->n_best * sizeof *o->best, front = o->n_front * sizeof *o->front;
    *n_bytes = sizeof head + best + front;
    char *bytes = malloc(*n_bytes);
    if (!bytes) return NULL;
    memcpy(bytes, &head, sizeof head);
    if (best) memcpy(bytes + sizeof head, o->best, best);
    if (front) memcpy(bytes + sizeof head + best, o->front, front);
    return bytes;
}

enum orr_err orr_search_merge(struct orr_search *search, const void *bytes, size_t n_bytes, struct orr_error *error)
{
    struct packed head = {.n_best = 0};
    if (n_bytes >= sizeof head) memcpy(&head, bytes, sizeof head);
    const size_t n = head.n_best + head.n_front;
    if (n > n_bytes || n_bytes != sizeof head + n * sizeof(struct orr_found))
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "an outcome of %zu bytes", n_bytes);
    struct orr_found *found = malloc((n ? n : 1) * sizeof *found);
    if (!found) return orr_out_of_memory(error, NULL);
    memcpy(found, (const char *)bytes + sizeof head, n * sizeof *found);
    const struct orr_outcome other = {.counts = head.counts,
                                      .inside = head.inside,
                                      .fastest_s = head.fastest_s,
                                      .n_best = head.n_best,
                                      .best = found,
                                      .n_front = head.n_front,
                                      .front = found + head.n_best};
    orr_outcome_add(&search->outcome, &other);
    /* The blocks that one process skipped are missing from the joint outcome. */
    if (head.stopped) search->stopped = true;
    free(found);
    return search->outcome.failed ? orr_out_of_memory(error, NULL) : ORR_OK;
}

/* ---------------------------------------------------------------- the answer */

const struct orr_search_request *orr_search_request_of(const struct orr_search *search)
{
    return &search->request;
}

struct orr_search_counts orr_search_counts_of(const struct orr_search *search)
{
    struct orr_search_counts counts = search->running ? search->pass.counts : search->outcome.counts;
    const uint64_t out = counts.rejected[ORR_REJECT_LIMIT] + search->outcome.n_best;
    counts.rejected[ORR_REJECT_WORSE] = counts.evaluated > out ? counts.evaluated - out : 0;
    return counts;
}

bool orr_search_complete(const struct orr_search *search)
{
    return !search->stopped;
}

size_t orr_search_best(const struct orr_search *search, const struct orr_found **found)
{
    ORR_PLAIN_NUMBERS;
    *found = search->outcome.best;
    return search->outcome.n_best;
}

const struct orr_found *orr_search_inside(const struct orr_search *search)
{
    const struct orr_outcome *o = &search->outcome;
    const bool found = o->n_best > 0 && o->inside.objective <= ORR_INSIDE_WITHIN * o->best[0].objective;
    return found ? &o->inside : NULL;
}

size_t orr_search_front(const struct orr_search *search, const struct orr_found **found)
{
    const struct orr_outcome *o = &search->outcome;
    size_t n = o->n_front;
    *found = o->front;
    if (search->request.job.kind == ORR_JOB_TRAIN) /* The front is sorted by time. */
        while (n > 0 && o->front[n - 1].time_s > search->request.front_within * o->fastest_s) n--;
    return n;
}

void orr_search_job(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job)
{
    *job = search->request.job;
    if (job->kind == ORR_JOB_TRAIN) orr_train_choose(choice, job);
    else orr_infer_choose(&search->request, choice, job);
}
