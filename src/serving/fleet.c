/* This file runs replicas together: the order of their steps, of arrivals and of caches on their way. */
#include "serving/fleet.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/number.h"
#include "predict/pass.h"
#include "predict/scratch.h"
#include "serving/pools.h"

#include <math.h>
#include <stdlib.h>

/* How often progress is told, in finished requests. */
#define TOLD_EVERY 4096

bool orr_fleet_needed(const struct orr_job *job, const struct orr_traffic *traffic, const struct orr_simulation *how)
{
    const struct orr_deployment *d = how ? how->deployment : NULL;
    if (d && (d->n_pools > 1 || d->max_outstanding > 0 || d->autoscale.most > 0 || d->n_failures > 0)) return true;
    if (orr_lockstep_ranks(&job->plan) > 1) return true;
    return traffic->arrival != ORR_ARRIVAL_CLOSED && traffic->router != ORR_ROUTER_ROUND_ROBIN && job->plan.dp > 1;
}

/* ---------------------------------------------------------------- the store */

int32_t orr_fleet_keep(struct orr_fleet *f, const struct orr_handover *handover)
{
    struct orr_fleet_store *s = &f->store;
    if (s->free == ORR_NOBODY) {
        const int32_t room = s->room ? 2 * s->room : 64;
        struct orr_handover *items = room > 0 ? realloc(s->items, (size_t)room * sizeof *items) : NULL;
        if (items) s->items = items;
        int32_t *chain = items ? realloc(s->chain, (size_t)room * sizeof *chain) : NULL;
        f->failed |= !chain;
        if (!chain) return ORR_NOBODY;
        s->chain = chain;
        for (int32_t i = room - 1; i >= s->room; i--) {
            chain[i] = s->free;
            s->free = i;
        }
        s->room = room;
    }
    const int32_t place = s->free;
    s->free = s->chain[place];
    s->items[place] = *handover;
    return place;
}

struct orr_handover orr_fleet_take(struct orr_fleet *f, int32_t place)
{
    f->store.chain[place] = f->store.free;
    f->store.free = place;
    return f->store.items[place];
}

void orr_fleet_put(struct orr_fleet *f, struct orr_queue *queue, double time_s, const struct orr_handover *handover)
{
    const int32_t place = orr_fleet_keep(f, handover);
    if (place == ORR_NOBODY) return;
    const struct orr_due due = {.key = time_s, .order = handover->ask.id, .slot = place};
    if (!orr_queue_push(queue, due)) f->failed = true;
}

/* ---------------------------------------------------------------- what replicas tell */

void orr_fleet_ask_again(struct orr_fleet *f, double time_s)
{
    const struct orr_traffic *t = f->traffic;
    struct orr_handover asked = {0};
    if (f->issued >= f->total || (t->duration_s > 0 && time_s > t->duration_s)) return;
    const int64_t id = f->issued++;
    orr_stream_ask(&f->stream, id, time_s + orr_think_s(t, id), &asked.ask);
    orr_fleet_put(f, &f->asks, asked.ask.arrival_s, &asked);
}

static void finished(void *context, const struct orr_request_record *record)
{
    struct orr_station *station = context;
    struct orr_fleet *f = station->fleet;
    const struct orr_simulation *how = f->how;
    const bool closed = f->traffic->arrival == ORR_ARRIVAL_CLOSED;
    if (closed || f->n_blocked > 0 || (how->stop && *how->stop)) orr_replica_pause(station->replica);
    orr_tally_add(&f->tally, record);
    f->last_s = orr_max(f->last_s, record->finish_s);
    f->freed = station->freed = true;
    if (how->finished) how->finished(how->context, record);
    if (closed) orr_fleet_ask_again(f, record->finish_s);
    if (how->progress && f->tally.finished % TOLD_EVERY == 0) {
        const double by_time = f->traffic->duration_s > 0 ? record->finish_s / f->traffic->duration_s : 0;
        const double by_count = f->total < INT64_MAX ? (double)f->tally.finished / (double)f->total : 0;
        how->progress(how->context, orr_min(1, orr_max(by_time, by_count)));
    }
}

/* Steps of the first replica that makes tokens are told. */
static void stepped(void *context, const struct orr_step_record *record)
{
    const struct orr_station *station = context;
    const struct orr_fleet *f = station->fleet;
    if (f->pools[station->pool].role != ORR_POOL_PREFILL && station->index == f->pools[station->pool].first)
        f->how->stepped(f->how->context, record);
}

static void prefilled(void *context, const struct orr_handover *handover)
{
    struct orr_station *station = context;
    struct orr_handover ready = *handover;
    ready.from = station->index;
    ready.life = station->life;
    orr_fleet_put(station->fleet, &station->fleet->ready, handover->ready_s, &ready);
}

/* ---------------------------------------------------------------- the order of events */

static double head_s(const struct orr_queue *queue)
{
    return queue->n > 0 ? queue->items[0].key : HUGE_VAL;
}

static double next_event_s(const struct orr_fleet *f)
{
    size_t which;
    double next_s = orr_min(head_s(&f->asks), head_s(&f->ready));
    next_s = orr_min(next_s, f->more ? f->next.arrival_s : HUGE_VAL);
    next_s = orr_min(next_s, orr_links_next_s(&f->links, &which));
    return orr_min(next_s, orr_control_next_s(f));
}

/* Does what is due first. */
static void handle(struct orr_fleet *f, double time_s)
{
    size_t which = 0;
    f->now_s = time_s;
    orr_links_advance(&f->links, time_s);
    if (orr_control_next_s(f) <= time_s) orr_control(f, time_s);
    else if (orr_links_next_s(&f->links, &which) <= time_s) {
        const struct orr_transfer done = orr_links_take(&f->links, which);
        orr_fleet_arrive(f, &done, time_s);
    } else if (head_s(&f->ready) <= time_s) {
        const struct orr_handover ready = orr_fleet_take(f, f->ready.items[0].slot);
        orr_queue_pop(&f->ready);
        orr_fleet_send(f, &ready, time_s);
    } else if (head_s(&f->asks) <= time_s) {
        const struct orr_handover asked = orr_fleet_take(f, f->asks.items[0].slot);
        orr_queue_pop(&f->asks);
        orr_fleet_submit(f, &asked.ask, time_s);
    } else if (f->more && f->next.arrival_s <= time_s) {
        orr_fleet_submit(f, &f->next, time_s);
        f->more = orr_stream_next(&f->stream, &f->next);
    }
}

/* Which replica begins a step next, the next after it, and the next that computes prompts for others. */
struct order {
    int64_t first;
    double first_s, other_s, prompt_s;
};

static struct order order_of(const struct orr_fleet *f)
{
    struct order o = {.first = -1, .first_s = HUGE_VAL, .other_s = HUGE_VAL, .prompt_s = HUGE_VAL};
    for (int64_t p = 0; p < f->n_pools; p++) {
        const struct orr_fleet_pool *pool = &f->pools[p];
        double least_s = HUGE_VAL;
        for (int64_t i = pool->first; i < pool->first + pool->n; i++) {
            const double begin_s = f->begin_s[i];
            least_s = orr_min(least_s, begin_s);
            if (begin_s >= o.other_s) continue;
            if (begin_s < o.first_s) {
                o.other_s = o.first_s;
                o.first_s = begin_s;
                o.first = i;
            } else o.other_s = begin_s;
        }
        if (pool->role == ORR_POOL_PREFILL) o.prompt_s = orr_min(o.prompt_s, least_s);
    }
    return o;
}

/* Runs the replica whose next step begins first. A replica that computes prompts for others makes one step; others run
 * until something can reach them: an event, a prompt that may be handed over, or, where answers cause questions, a step
 * of another replica. */
static void run_first(struct orr_fleet *f, const struct order *o, double event_s)
{
    const bool prompts = f->pools[f->stations[o->first].pool].role == ORR_POOL_PREFILL;
    const bool feedback = f->traffic->arrival == ORR_ARRIVAL_CLOSED || f->n_blocked > 0;
    double until_s = orr_min(event_s, o->prompt_s);
    if (feedback) until_s = orr_min(until_s, o->other_s);
    if (prompts) until_s = 0;
    const int64_t ranks = f->pools[f->stations[o->first].pool].ranks;
    until_s = orr_max(until_s, nextafter(o->first_s, HUGE_VAL));
    if (ranks == 1) orr_replica_run(f->replicas[o->first], until_s);
    else orr_lockstep_run(&f->replicas[o->first], ranks, until_s);
    for (int64_t i = 0; i < ranks; i++) f->failed |= orr_replica_failed(f->replicas[o->first + i]);
    orr_fleet_touch(f, o->first);
}

static void forget(struct orr_fleet *f)
{
    for (int64_t i = 0; i < f->n; i++) {
        orr_replica_forget(f->stations[i].replica);
        f->stations[i].paid_s = 0;
        f->stations[i].since_s = f->traffic->warmup_s;
        f->links.busy_s[i] = 0;
    }
    f->warm = true;
}

static void run(struct orr_fleet *f)
{
    const bool closed = f->traffic->arrival == ORR_ARRIVAL_CLOSED;
    for (int64_t i = 0; closed && i < f->traffic->concurrency; i++) orr_fleet_ask_again(f, 0);
    f->more = !closed && orr_stream_next(&f->stream, &f->next);
    while (!f->failed && !(f->how->stop && *f->how->stop)) {
        if (f->freed && f->n_blocked > 0) {
            orr_links_advance(&f->links, f->now_s);
            orr_fleet_unblock(f);
        }
        const struct order order = order_of(f);
        const double event_s = next_event_s(f), step_s = order.first_s;
        if (!f->warm && orr_min(event_s, step_s) >= f->traffic->warmup_s) forget(f);
        if (event_s == HUGE_VAL && step_s == HUGE_VAL) return;
        if (step_s < event_s) {
            f->now_s = orr_max(f->now_s, step_s);
            run_first(f, &order, event_s);
        } else handle(f, event_s);
    }
}

/* ---------------------------------------------------------------- opening and closing */

static bool open_pool(struct orr_fleet *f, int64_t i, const struct orr_pool *pool, struct orr_steps *steps,
                      struct orr_infer_result *alone)
{
    struct orr_fleet_pool *p = &f->pools[i];
    *p = (struct orr_fleet_pool){.job = pool->job, .role = pool->role, .first = f->n, .n = pool->job->plan.dp};
    p->facts = orr_pool_facts_of(pool->job, pool->role, f->traffic, f->scratch, alone);
    p->own_steps = !steps;
    p->steps = steps ? steps : orr_pool_steps_new(pool->job, pool->role, f->traffic, f->how->exact);
    p->stages = malloc((size_t)pool->job->plan.pp * sizeof *p->stages);
    if (p->stages) orr_stages_build(pool->job, p->stages);
    if (i == 0 && f->deployment->autoscale.most > 0) p->n = f->deployment->autoscale.most;
    p->ranks = orr_lockstep_ranks(&pool->job->plan);
    if (p->n % p->ranks != 0 || p->ranks > ORR_LOCKSTEP_RANKS) p->ranks = 1;
    f->n += p->n;
    return p->steps && p->stages;
}

static bool open_stations(struct orr_fleet *f)
{
    const size_t n = (size_t)f->n;
    f->stations = calloc(n, sizeof *f->stations);
    f->candidates = calloc(n, sizeof *f->candidates);
    f->chosen = calloc(n, sizeof *f->chosen);
    f->begin_s = calloc(n, sizeof *f->begin_s);
    f->replicas = calloc(n, sizeof *f->replicas);
    bool done =
        f->stations && f->candidates && f->chosen && f->begin_s && f->replicas && orr_links_open(&f->links, f->n);
    for (int64_t p = 0; done && p < f->n_pools; p++)
        for (int64_t i = 0; done && i < f->pools[p].n; i++) {
            struct orr_station *s = &f->stations[f->pools[p].first + i];
            const struct orr_sink sink = {.context = s,
                                          .finished = finished,
                                          .prefilled = prefilled,
                                          .stepped = f->how->stepped ? stepped : NULL};
            *s = (struct orr_station){.fleet = f, .index = f->pools[p].first + i, .pool = p, .ready_s = HUGE_VAL};
            s->up = s->paid = i < f->pools[p].job->plan.dp;
            f->replicas[s->index] = s->replica = orr_replica_new(&f->pools[p].facts, f->pools[p].steps, &sink);
            f->begin_s[s->index] = HUGE_VAL; /* nothing to do yet; of a group, the first has the time */
            done = s->replica;
        }
    return done;
}

static void close_fleet(struct orr_fleet *f)
{
    for (int64_t i = 0; f->stations && i < f->n; i++) {
        orr_replica_free(f->stations[i].replica);
        free(f->stations[i].blocked.slots);
    }
    for (int64_t i = 0; i < f->n_pools; i++) {
        if (f->pools[i].own_steps) orr_steps_free(f->pools[i].steps);
        free(f->pools[i].stages);
    }
    orr_links_close(&f->links);
    free(f->stations);
    free(f->candidates);
    free(f->chosen);
    free(f->begin_s);
    free(f->replicas);
    free(f->store.items);
    free(f->store.chain);
    free(f->asks.items);
    free(f->ready.items);
    orr_tally_close(&f->tally);
    free(f);
}

/* Runs a fleet that is open and fills the result, its intervals by the closed form. */
static void run_and_tell(struct orr_fleet *f, const struct orr_infer_result *alone, struct orr_serving_result *result)
{
    const double from_s = orr_now_s();
    run(f);
    const double took_s = orr_now_s() - from_s;
    orr_fleet_result(f, result);
    result->simulated_requests_per_s = took_s > 0 ? (double)f->tally.finished / took_s : 0;
    result->complete = !(f->how->stop && *f->how->stop);
    for (int64_t i = 0; i < f->n_pools; i++) {
        orr_serving_fits(&alone[i], &f->pools[i].facts, result);
        if (result->fits) continue;
        orr_serving_hint(f->pools[i].job, f->traffic, &alone[i], f->scratch, result);
        break;
    }
    if (result->fits) orr_pools_intervals(f->pools, f->n_pools, f->traffic, f->scratch, result);
}

static struct orr_deployment deployment_of(const struct orr_job *job, const struct orr_simulation *how)
{
    struct orr_deployment d = how && how->deployment ? *how->deployment : (struct orr_deployment){0};
    if (d.n_pools == 0) d.n_pools = 1;
    if (!d.pools[0].job) d.pools[0].job = job;
    return d;
}

enum orr_err orr_simulate_pools(const struct orr_job *job, const struct orr_traffic *traffic,
                                const struct orr_simulation *how, struct orr_steps *const *steps,
                                struct orr_scratch *scratch, struct orr_serving_result *result, struct orr_error *error)
{
    static const struct orr_simulation NOTHING = {0};
    const struct orr_deployment d = deployment_of(job, how);
    struct orr_infer_result alone[ORR_MAX_POOLS];
    struct orr_fleet *f = calloc(1, sizeof *f);
    bool done = f;
    *result = (struct orr_serving_result){0};
    if (!f) return orr_out_of_memory(error, NULL);
    f->traffic = traffic;
    f->how = how ? how : &NOTHING;
    f->deployment = &d;
    f->scratch = scratch;
    f->store.free = ORR_NOBODY;
    f->scale_s = d.autoscale.most > 0 ? d.autoscale.interval_s : HUGE_VAL;
    f->total = traffic->requests > 0 ? traffic->requests : INT64_MAX;
    f->warm = traffic->warmup_s <= 0;
    f->stream = orr_stream_of(traffic, 0, 1);
    f->tally = (struct orr_tally){.slos = f->how->slos,
                                  .n_slos = f->how->n_slos,
                                  .from_s = traffic->warmup_s,
                                  .by_class = traffic->urgent_share > 0};
    for (size_t i = 0; i < d.n_pools && done; i++) {
        f->split |= d.pools[i].role == ORR_POOL_DECODE;
        f->n_pools = (int64_t)i + 1;
        done = open_pool(f, (int64_t)i, &d.pools[i], steps ? steps[i] : NULL, &alone[i]);
    }
    done = done && open_stations(f) && orr_tally_open(&f->tally);
    if (done) run_and_tell(f, alone, result);
    done = done && !f->failed;
    close_fleet(f);
    return done ? ORR_OK : orr_out_of_memory(error, NULL);
}
