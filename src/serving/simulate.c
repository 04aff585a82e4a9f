/* This file drives one replica with its share of the traffic and turns what it sees into a result. Eqs. 206-208. */
#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "base/plain.h"
#include "serving/closed.h"
#include "serving/replica.h"
#include "serving/result.h"
#include "serving/state.h"
#include "serving/fleet.h"

#include <math.h>
#include <stdlib.h>

/* Open arrivals are submitted so many ahead, so that the replica is not stopped at every one. */
#define AHEAD 64
/* How often progress is told, in finished requests. */
#define TOLD_EVERY 4096

struct run {
    const struct orr_job *job;
    const struct orr_traffic *traffic;
    const struct orr_simulation *how;
    struct orr_stream stream;
    struct orr_replica *replica; /* stands for all */
    struct orr_tally tally;
    int64_t replicas, issued, share; /* share: requests of this replica; INT64_MAX: by time */
    struct orr_queue thinking;       /* users of a closed loop by the time at which they ask */
    bool thinking_failed;            /* out of memory */
    double until_s;                  /* the first of those times that the replica runs up to */
    double last_s;
};

/* ---------------------------------------------------------------- requests */

/* A user who thinks asks later than others who finish after it: the front end hears requests in the order of asking. */
static void think(struct run *run, int64_t id, double time_s)
{
    const struct orr_due due = {.key = time_s + orr_think_s(run->traffic, id), .order = id};
    if (!orr_queue_push(&run->thinking, due)) run->thinking_failed = true;
    if (run->thinking_failed || due.key < run->until_s) orr_replica_pause(run->replica);
}

/* Lets a user of a closed loop ask. */
static void ask_again(struct run *run, double time_s)
{
    const struct orr_traffic *t = run->traffic;
    struct orr_ask ask;
    while (run->issued < run->share && !(t->duration_s > 0 && time_s > t->duration_s)) {
        const int64_t id = run->issued++ * run->replicas;
        if (t->think_s > 0) {
            think(run, id, time_s);
            return;
        }
        orr_stream_ask(&run->stream, id, time_s, &ask);
        if (orr_replica_submit(run->replica, &ask) || orr_replica_failed(run->replica)) return;
    }
}

static void finished(void *context, const struct orr_request_record *record)
{
    struct run *run = context;
    const struct orr_simulation *how = run->how;
    orr_tally_add(&run->tally, record);
    run->last_s = orr_max(run->last_s, record->finish_s);
    if (how->finished) how->finished(how->context, record);
    if (how->stop && *how->stop) orr_replica_stop(run->replica);
    else if (run->traffic->arrival == ORR_ARRIVAL_CLOSED) ask_again(run, record->finish_s);
    if (how->progress && run->tally.finished % TOLD_EVERY == 0) {
        const struct orr_traffic *t = run->traffic;
        const double by_time = t->duration_s > 0 ? record->finish_s / t->duration_s : 0;
        const double by_count = run->share < INT64_MAX ? (double)run->tally.finished / (double)run->share : 0;
        how->progress(how->context, orr_min(1, orr_max(by_time, by_count)));
    }
}

static void stepped(void *context, const struct orr_step_record *record)
{
    const struct run *run = context;
    run->how->stepped(run->how->context, record);
}

/* Runs up to a time, and forgets what happened before the end of the warm-up. */
static void run_until(struct run *run, double until_s)
{
    const double warmup_s = run->traffic->warmup_s;
    if (warmup_s > 0 && !run->tally.warm && until_s >= warmup_s) {
        orr_replica_run(run->replica, warmup_s);
        orr_replica_forget(run->replica);
        run->tally.warm = true;
    }
    orr_replica_run(run->replica, until_s);
}

/* Users think: runs up to the next time at which one of them asks, over and over. */
static void run_thinking(struct run *run)
{
    struct orr_ask ask;
    while (!run->thinking_failed && !orr_replica_failed(run->replica) && !(run->how->stop && *run->how->stop)) {
        run->until_s = run->thinking.n > 0 ? run->thinking.items[0].key : HUGE_VAL;
        run_until(run, run->until_s);
        if (run->thinking.n == 0) return;
        const struct orr_due due = run->thinking.items[0];
        if (due.key < run->until_s) continue; /* somebody asks before the time that the run was to end at */
        orr_queue_pop(&run->thinking);
        orr_stream_ask(&run->stream, due.order, due.key, &ask);
        if (!orr_replica_submit(run->replica, &ask)) ask_again(run, due.key);
    }
}

static void run_closed(struct run *run)
{
    const int64_t users = (run->traffic->concurrency + run->replicas - 1) / run->replicas;
    for (int64_t i = 0; i < users; i++) ask_again(run, 0);
    if (run->traffic->think_s > 0) run_thinking(run);
    else run_until(run, HUGE_VAL);
}

static void run_open(struct run *run)
{
    struct orr_ask ask;
    bool more = true;
    while (more && !orr_replica_failed(run->replica) && !(run->how->stop && *run->how->stop)) {
        double time_s = 0;
        for (int i = 0; i < AHEAD && more; i++) {
            more = orr_stream_next(&run->stream, &ask);
            if (!more) break;
            time_s = ask.arrival_s;
            (void)orr_replica_submit(run->replica, &ask);
        }
        run_until(run, more ? time_s : HUGE_VAL);
    }
}

/* ---------------------------------------------------------------- the run */

static enum orr_err check(const struct orr_traffic *t, struct orr_error *error)
{
    const struct orr_place place = {.key = "traffic"};
    const bool rated = t->arrival == ORR_ARRIVAL_POISSON || t->arrival == ORR_ARRIVAL_GAMMA ||
                       t->arrival == ORR_ARRIVAL_CONSTANT || t->arrival == ORR_ARRIVAL_DIURNAL;
    if (rated && !(t->rate_per_s > 0)) return orr_fail(error, ORR_ERR_INPUT, place, "rate_per_s must be above 0");
    if (t->arrival == ORR_ARRIVAL_CLOSED && t->concurrency < 1)
        return orr_fail(error, ORR_ERR_INPUT, place, "concurrency must be at least 1");
    if (t->arrival == ORR_ARRIVAL_TRACE && t->n_trace == 0)
        return orr_fail(error, ORR_ERR_INPUT, place, "the trace has no requests");
    if (t->arrival != ORR_ARRIVAL_TRACE && t->requests <= 0 && t->duration_s <= 0)
        return orr_fail(error, ORR_ERR_INPUT, place, "a run needs requests or duration_s");
    if (t->arrival == ORR_ARRIVAL_SATURATED && t->requests <= 0)
        return orr_fail(error, ORR_ERR_INPUT, place, "requests that arrive at once need their number, requests");
    return ORR_OK;
}

static void simulate(struct run *run, struct orr_steps *steps, const struct orr_replica_facts *facts,
                     struct orr_scratch *scratch, struct orr_serving_result *result, enum orr_err *err)
{
    const struct orr_sink sink = {.context = run, .finished = finished, .stepped = run->how->stepped ? stepped : NULL};
    *err = orr_tally_open(&run->tally) ? ORR_OK : ORR_ERR_MEMORY;
    if (!*err) run->replica = orr_replica_new(facts, steps, &sink);
    if (!run->replica) *err = ORR_ERR_MEMORY;
    const double from_s = orr_now_s();
    if (!*err && run->traffic->arrival == ORR_ARRIVAL_CLOSED) run_closed(run);
    else if (!*err) run_open(run);
    if (!*err && (run->thinking_failed || orr_replica_failed(run->replica))) *err = ORR_ERR_MEMORY;
    const double took_s = orr_now_s() - from_s;
    if (!*err) {
        orr_tally_result(&run->tally, run->job, scratch, run->replica, run->last_s, result);
        result->simulated_requests_per_s = took_s > 0 ? (double)run->tally.finished / took_s : 0;
        result->complete = !(run->how->stop && *run->how->stop);
        result->kv_capacity_tokens = facts->kv_tokens;
    }
    orr_replica_free(run->replica);
    free(run->thinking.items);
    orr_tally_close(&run->tally);
}

enum orr_err orr_simulate_on(const struct orr_job *job, const struct orr_traffic *traffic,
                             const struct orr_simulation *how, struct orr_steps *steps, struct orr_scratch *scratch,
                             struct orr_serving_result *result, struct orr_error *error)
{
    static const struct orr_simulation NOTHING = {0};
    struct orr_steps *const first[ORR_MAX_POOLS] = {steps};
    if (orr_fleet_needed(job, traffic, how))
        return orr_simulate_pools(job, traffic, how, first, scratch, result, error);
    struct orr_infer_result alone;
    struct run *run = calloc(1, sizeof *run);
    enum orr_err err = run ? ORR_OK : ORR_ERR_MEMORY;
    *result = (struct orr_serving_result){0};
    if (!err) {
        const struct orr_replica_facts facts = orr_replica_facts_of(job, traffic, scratch, &alone);
        const int64_t asked = traffic->requests > 0 ? traffic->requests : INT64_MAX;
        run->job = job;
        run->traffic = traffic;
        run->how = how ? how : &NOTHING;
        run->replicas = job->plan.dp;
        run->share = asked < INT64_MAX ? (asked + run->replicas - 1) / run->replicas : INT64_MAX;
        run->stream = orr_stream_of(traffic, 0, run->replicas);
        run->tally.by_class = traffic->urgent_share > 0;
        run->tally.slos = run->how->slos;
        run->tally.n_slos = run->how->n_slos;
        run->tally.from_s = traffic->warmup_s;
        simulate(run, steps, &facts, scratch, result, &err);
        orr_serving_fits(&alone, &facts, result);
        if (!err && facts.kv_tokens < 1) orr_serving_hint(job, traffic, &alone, scratch, result);
        if (!err && facts.kv_tokens >= 1) {
            const struct orr_mean_lengths lengths = orr_traffic_lengths(traffic);
            const struct orr_demand demand = orr_demand_of(traffic, &lengths, (double)job->plan.dp);
            const struct orr_steady steady = orr_steady_of(&facts, steps, &demand, 1);
            orr_serving_intervals(job, &facts, &demand, steps, &steady, scratch, result);
        }
    }
    free(run);
    return err ? orr_out_of_memory(error, NULL) : ORR_OK;
}

enum orr_err orr_simulate(const struct orr_job *job, const struct orr_traffic *traffic,
                          const struct orr_simulation *how, struct orr_serving_result *result, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    *result = (struct orr_serving_result){0};
    enum orr_err err = check(traffic, error);
    if (err) return err;
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_steps *steps = orr_steps_new(job, traffic, how && how->exact);
    err = scratch && steps ? orr_simulate_on(job, traffic, how, steps, scratch, result, error)
                           : orr_out_of_memory(error, NULL);
    if (!err && result->complete && result->fits && result->requests + result->refused + result->rejected == 0)
        err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = "traffic"},
                       "no request counts: none arrives between warmup_s and the end of the run");
    orr_steps_free(steps);
    orr_scratch_free(scratch);
    return err;
}
