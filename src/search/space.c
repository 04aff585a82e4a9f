/* The training space as lists: every way to divide a layer, and every way to run a pipeline, that orr_job_check
 * allows. */
#include "search/search.h"

#include "base/error.h"
#include "base/text.h"
#include "spec/family.h"
#include "spec/job.h"
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

bool orr_chosen(const struct orr_choices *choices, int64_t value)
{
    for (int64_t i = 0; i < choices->n; i++)
        if (choices->values[i] == value) return true;
    return choices->n == 0;
}

/* ---------------------------------------------------------------- pipelines */

/* A job in which only the pipeline matters. */
static void pipeline_job(const struct orr_search_request *request, int64_t pp, int64_t vpp, enum orr_schedule schedule,
                         struct orr_job *job)
{
    struct orr_plan *plan = &job->plan;
    *job = request->job;
    *plan = (struct orr_plan){.gpus = pp, .tp = 1, .pp = pp, .vpp = vpp, .dp = 1, .cp = 1, .ep = 1, .etp = 1};
    plan->zero_group = 1;
    plan->schedule = schedule;
    plan->stages = request->job.plan.stages;
    job->system.domain_gpus = pp; /* orr_job_check compares whole plans with the size of the system later. */
    job->workload.micro_batch = job->workload.recompute_every = 1;
    job->workload.global_batch = 4 * pp; /* enough for any schedule; whether a plan has enough is asked later */
}

struct pipe_builder {
    const struct orr_search_request *request;
    struct orr_train_space *space;
    struct orr_job job;
    struct orr_stage stages[ORR_MAX_STAGES];
    struct orr_classes classes;
    size_t max_pipes, max_classes;
};

bool orr_grow(void **items, size_t *max, size_t n, size_t size)
{
    if (n <= *max) return true;
    const size_t more = n > 2 * *max ? n : 2 * *max;
    void *grown = realloc(*items, more * size);
    if (!grown) return false;
    *items = grown;
    *max = more;
    return true;
}

/* Does the engine have this schedule? Schedules that a request lists are tried on any engine. Of an engine that
 * does not say, those are tried that common launchers have a flag for, so that the winner can be run. */
static bool has_schedule(const struct orr_search_request *request, enum orr_schedule schedule)
{
    const char *name = orr_schedule_name(schedule), *list = request->job.engine.schedules;
    if (request->space.schedule.n > 0) return orr_chosen(&request->space.schedule, schedule);
    return orr_has_word(*list && orr_has_pipelines(&request->job.engine) ? list : "gpipe 1f1b interleaved", name);
}

void orr_space_narrow(struct orr_search_request *request)
{
    const struct orr_engine *engine = &request->job.engine;
    struct orr_space *space = &request->space;
    const bool pipeline_asked = space->pp.n > 0 || space->schedule.n > 0;
    if (!orr_has_pipelines(engine) && !pipeline_asked) space->pp = (struct orr_choices){1, {1}};
    if (!engine->tensor_parallel && space->tp.n == 0) space->tp = (struct orr_choices){1, {1}};
    if (!*engine->zero_stages || space->zero.n > 0) return;
    for (int64_t stage = 0; stage <= 3; stage++)
        if (orr_has_zero(engine, stage)) space->zero.values[space->zero.n++] = stage;
}

static bool add_pipe(struct pipe_builder *b, int64_t pp, int64_t vpp, enum orr_schedule schedule)
{
    struct orr_train_space *space = b->space;
    if (!has_schedule(b->request, schedule) && pp > 1) return true;
    if (pp == 1 && !orr_chosen(&b->request->space.schedule, schedule)) return true;
    pipeline_job(b->request, pp, vpp, schedule, &b->job);
    if (orr_job_check(&b->job, NULL)) return true;
    orr_stages_build(&b->job, b->stages);
    orr_classes_build(b->stages, pp, &b->classes);
    if (!orr_grow((void **)&space->pipes, &b->max_pipes, space->n_pipes + 1, sizeof *space->pipes) ||
        !orr_grow((void **)&space->classes, &b->max_classes, space->n_classes + b->classes.n, sizeof *space->classes))
        return false;
    space->pipes[space->n_pipes++] =
        (struct orr_pipe){.vpp = (int32_t)vpp,
                          .schedule = (uint8_t)schedule,
                          .coarse = schedule == ORR_SCHEDULE_1F1B || schedule == ORR_SCHEDULE_INTERLEAVED ||
                                    b->request->space.schedule.n > 0,
                          .first_class = space->n_classes,
                          .n_classes = b->classes.n};
    for (size_t i = 0; i < b->classes.n; i++) space->classes[space->n_classes++] = b->classes.items[i];
    space->dual |= orr_is_dual(schedule);
    return true;
}

/* With one chunk per rank, schedules differ only if there are several ranks, so a single rank takes the first schedule
 * allowed. */
static bool add_pipes(struct pipe_builder *b, int64_t pp)
{
    static const enum orr_schedule PLAIN[] = {ORR_SCHEDULE_1F1B, ORR_SCHEDULE_GPIPE, ORR_SCHEDULE_ZB_H1,
                                              ORR_SCHEDULE_ZB_H2, ORR_SCHEDULE_DUALPIPE};
    static const enum orr_schedule VEES[] = {ORR_SCHEDULE_ZB_V, ORR_SCHEDULE_V_HALF, ORR_SCHEDULE_DUALPIPE_V};
    const struct orr_space *space = &b->request->space;
    const size_t before = b->space->n_pipes;
    bool done = true;
    for (size_t i = 0; i < sizeof PLAIN / sizeof *PLAIN && done && orr_chosen(&space->vpp, 1); i++)
        if (pp > 1 || b->space->n_pipes == before) done = add_pipe(b, pp, 1, PLAIN[i]);
    for (size_t i = 0; i < sizeof VEES / sizeof *VEES && done && pp > 1 && orr_chosen(&space->vpp, 2); i++)
        done = add_pipe(b, pp, 2, VEES[i]);
    for (int64_t vpp = 2; pp > 1 && done && pp * vpp <= b->request->job.model.n_layers + 2; vpp++)
        if (orr_chosen(&space->vpp, vpp)) done = add_pipe(b, pp, vpp, ORR_SCHEDULE_INTERLEAVED);
    return done;
}

bool orr_divides_some(const struct orr_choices *gpus, int64_t degree)
{
    for (int64_t i = 0; i < gpus->n; i++)
        if (gpus->values[i] % degree == 0) return true;
    return false;
}

static bool build_pipes(const struct orr_search_request *request, struct orr_train_space *space)
{
    struct pipe_builder *b = calloc(1, sizeof *b);
    if (!b) return false;
    b->request = request;
    b->space = space;
    pipeline_job(request, 1, 1, ORR_SCHEDULE_1F1B, &b->job);
    orr_stages_build(&b->job, b->stages);
    space->whole = (struct orr_rank_class){.stage = b->stages[0], .ranks = 1};
    bool done = true;
    for (int64_t pp = 1; pp <= ORR_MAX_STAGES && done; pp++) {
        space->first_pipe[pp] = space->n_pipes;
        if (orr_divides_some(&request->space.gpus, pp) && orr_chosen(&request->space.pp, pp)) done = add_pipes(b, pp);
        space->first_pipe[pp + 1] = space->n_pipes;
    }
    free(b);
    return done;
}

/* ---------------------------------------------------------------- cuts */

struct cut_builder {
    const struct orr_search_request *request;
    struct orr_train_space *space;
    struct orr_job job;
    size_t max_cuts;
    int64_t most; /* largest GPU count of the request */
};

static bool put_cut(struct cut_builder *b, const struct orr_cut *cut)
{
    struct orr_train_space *space = b->space;
    if (!orr_grow((void **)&space->cuts, &b->max_cuts, space->n_cuts + 1, sizeof *space->cuts)) return false;
    space->cuts[space->n_cuts++] = *cut;
    return true;
}

/* Experts are spread over the ranks of tp, cp and dp; a dense model has neither ep nor etp. Whether they divide the
 * ranks of a plan is checked with the whole plan. */
static bool add_experts(struct cut_builder *b, const struct orr_cut *from)
{
    const struct orr_space *space = &b->request->space;
    const int64_t experts = orr_most_experts(&b->request->job.model);
    for (int64_t ep = 1; ep <= experts && ep <= b->most; ep++) {
        if (experts % ep || !orr_chosen(&space->ep, ep)) continue;
        for (int64_t etp = 1; etp <= (experts > 1 ? from->tp : 1); etp++) {
            if (from->tp % etp || !orr_chosen(&space->etp, etp)) continue;
            struct orr_cut cut = *from;
            cut.ep = (int32_t)ep;
            cut.etp = (int32_t)etp;
            if (!put_cut(b, &cut)) return false;
        }
    }
    return true;
}

/* Do the rules about heads, hidden size and sequence length allow this tp and cp? */
static bool sound(struct cut_builder *b, const struct orr_cut *cut)
{
    struct orr_job *job = &b->job;
    pipeline_job(b->request, 1, 1, ORR_SCHEDULE_1F1B, job);
    job->plan.tp = cut->tp;
    job->plan.cp = cut->cp;
    job->plan.cp_kind = (enum orr_cp_kind)cut->cp_kind;
    job->plan.zero_group = cut->cp;
    job->plan.gpus = job->system.domain_gpus = (int64_t)cut->tp * cut->cp;
    return orr_job_check(job, NULL) == ORR_OK;
}

static bool build_cuts(const struct orr_search_request *request, struct orr_train_space *space)
{
    const struct orr_space *asked = &request->space;
    struct cut_builder *b = calloc(1, sizeof *b);
    if (!b) return false;
    b->request = request;
    b->space = space;
    b->most = asked->gpus.values[asked->gpus.n - 1];
    bool done = true;
    for (int64_t tp = 1; tp <= b->most && done; tp++) {
        if (!orr_chosen(&asked->tp, tp) || !orr_divides_some(&asked->gpus, tp)) continue;
        for (int64_t cp = 1; tp * cp <= b->most && done; cp++) {
            if (!orr_chosen(&asked->cp, cp) || !orr_divides_some(&asked->gpus, tp * cp)) continue;
            bool first = true;
            for (int kind = 0; kind < (cp > 1 ? ORR_N_CP_KINDS : 1) && done; kind++) {
                struct orr_cut cut = {.tp = (int32_t)tp, .cp = (int32_t)cp, .cp_kind = (uint8_t)kind, .coarse = first};
                if ((cp > 1 && !orr_chosen(&asked->cp_kind, kind)) || !sound(b, &cut)) continue;
                done = add_experts(b, &cut);
                first = false;
            }
        }
    }
    free(b);
    return done;
}

/* ---------------------------------------------------------------- all of it */

/* List the layers per saved input: the values asked for, else all that divide the layers. */
static void list_every(const struct orr_search_request *request, struct orr_train_space *space)
{
    const int64_t n_layers = orr_has_twins(&request->job) ? 1 : request->job.model.n_layers; /* some layers: one each */
    for (int64_t n = 1; n <= n_layers && space->n_every < ORR_MAX_CHOICES; n++)
        if (orr_chosen(&request->space.recompute_every, n) && (request->space.recompute_every.n || n_layers % n == 0))
            space->every[space->n_every++] = n;
}

/* List the micro-batch sizes that divide the batch, in ascending order. */
static bool list_micro(const struct orr_search_request *request, struct orr_train_space *space)
{
    const int64_t batch = request->job.workload.global_batch;
    size_t max = 0;
    for (int64_t micro = 1; micro <= batch; micro++) {
        if (batch % micro || !orr_chosen(&request->space.micro_batch, micro)) continue;
        if (!orr_grow((void **)&space->micro, &max, (size_t)space->n_micro + 1, sizeof *space->micro)) return false;
        space->micro[space->n_micro++] = micro;
    }
    return true;
}

enum orr_err orr_train_space_build(const struct orr_search_request *request, struct orr_train_space *space,
                                   struct orr_error *error)
{
    const struct orr_engine *engine = &request->job.engine;
    /* What accumulation costs depends on the micro-batches, or on whether one rank has both ends of a tied model. */
    const bool accumulates = !engine->fused_gradient_accumulation &&
                             (orr_states_of(&request->job).first_kept || request->job.model.tied_embeddings);
    *space = (struct orr_train_space){
        .cut_by_layout = accumulates || engine->host_pipeline_rank_s > 0 ||
                         request->job.plan.reshard == ORR_RESHARD_NEVER || engine->pipelines_kept ||
                         engine->whole_gradients != ORR_WHOLE_NEVER || orr_offloads(&request->job.plan)};
    list_every(request, space);
    if (!list_micro(request, space) || !build_pipes(request, space) || !build_cuts(request, space))
        return orr_out_of_memory(error, NULL);
    return ORR_OK;
}

void orr_train_space_free(struct orr_train_space *space)
{
    free(space->cuts);
    free(space->micro);
    free(space->pipes);
    free(space->classes);
    *space = (struct orr_train_space){0};
}
