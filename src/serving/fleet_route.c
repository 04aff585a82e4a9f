/* This file chooses replicas for requests and for caches, and lets both wait for room. Eqs. 231, 246-248, 308, 309. */
#include "base/number.h"
#include "predict/pass.h"
#include "serving/fleet.h"

#include <math.h>

/* ---------------------------------------------------------------- whom to choose */

/* Lists the replicas that may get a request, or a cache; 0: none. */
static int64_t list_candidates(struct orr_fleet *f, bool decode)
{
    const int64_t limit = f->deployment->max_outstanding;
    int64_t n = 0;
    for (int64_t i = 0; i < f->n; i++) {
        const struct orr_station *s = &f->stations[i];
        if (!s->up || (f->pools[s->pool].role == ORR_POOL_DECODE) != decode) continue;
        if (!decode && limit > 0 && orr_replica_load_of(s->replica).requests >= limit) continue;
        f->candidates[n] = (struct orr_candidate){s->replica, s->coming + (int64_t)s->blocked.n};
        f->chosen[n++] = i;
    }
    return n;
}

/* The first of the ranks that step together with this one. */
static int64_t group_of(const struct orr_fleet *f, int64_t station)
{
    const struct orr_fleet_pool *pool = &f->pools[f->stations[station].pool];
    return station - (station - pool->first) % pool->ranks;
}

/* Eq. 309: a router that deals requests out in turn, or by session, chooses a server; a server of several ranks that
 * looks at their loads gives the request to the rank with the fewest. Returns a station. */
static int64_t choose(const struct orr_fleet *f, int64_t n, const struct orr_ask *ask)
{
    const enum orr_router router = f->traffic->router;
    const bool dealt = router == ORR_ROUTER_ROUND_ROBIN || router == ORR_ROUTER_SESSION;
    int64_t n_groups = 0, last = -1, first = 0, count = 0;
    if (!dealt || !f->pools[f->stations[f->chosen[0]].pool].facts.engine.ranks_by_load)
        return f->chosen[orr_route(router, f->candidates, n, f->traffic->seed, ask)];
    for (int64_t i = 0; i < n; i++) {
        const int64_t group = group_of(f, f->chosen[i]);
        n_groups += group != last ? 1 : 0;
        last = group;
    }
    const int64_t wanted = orr_route(router, f->candidates, n_groups, f->traffic->seed, ask);
    last = -1;
    n_groups = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t group = group_of(f, f->chosen[i]);
        n_groups += group != last ? 1 : 0;
        last = group;
        if (n_groups - 1 != wanted) continue;
        first = count == 0 ? i : first;
        count++;
    }
    return f->chosen[first + orr_route(ORR_ROUTER_LEAST_LOADED, &f->candidates[first], count, f->traffic->seed, ask)];
}

/* Has a decode replica room for a prompt beside what is on its way? One that has nothing takes every request. */
static bool has_room(const struct orr_fleet *f, const struct orr_station *s, double tokens)
{
    const struct orr_replica_facts *facts = &f->pools[s->pool].facts;
    const struct orr_replica_load load = orr_replica_load_of(s->replica);
    const double used = load.kv_used_frac * facts->kv_tokens + s->coming_tokens + tokens;
    if (load.requests + s->coming == 0) return true;
    return used <= facts->kv_tokens && load.requests + s->coming < facts->engine.max_requests;
}

static double cache_tokens(const struct orr_ask *ask)
{
    return (double)ask->input_len + 1;
}

static void reserve(struct orr_station *s, const struct orr_ask *ask)
{
    s->coming++;
    s->coming_tokens += cache_tokens(ask);
}

static void release(struct orr_station *s, const struct orr_ask *ask)
{
    s->coming--;
    s->coming_tokens -= cache_tokens(ask);
}

static void wait_for_room(struct orr_fleet *f, struct orr_station *s, const struct orr_handover *h)
{
    const int32_t place = orr_fleet_keep(f, h);
    if (place == ORR_NOBODY) return;
    if (!orr_line_push(&s->blocked, place, false)) f->failed = true;
    f->n_blocked++;
}

/* ---------------------------------------------------------------- requests */

static bool anybody_up(const struct orr_fleet *f, bool decode)
{
    for (int64_t i = 0; i < f->n; i++)
        if (f->stations[i].up && (f->pools[f->stations[i].pool].role == ORR_POOL_DECODE) == decode) return true;
    return false;
}

/* Nobody takes a request: it waits until somebody is there again, or is turned away. */
static void put_off(struct orr_fleet *f, const struct orr_ask *ask, bool decode, double time_s)
{
    const struct orr_handover asked = {.ask = *ask};
    if (!anybody_up(f, decode) && orr_control_next_s(f) < HUGE_VAL)
        orr_fleet_put(f, &f->asks, orr_max(time_s, orr_control_next_s(f)), &asked);
    else f->rejected++;
}

/* Eq. 308: a replica that decodes sees new requests between two steps, and only every poll_steps of them. */
static double seen_s(const struct orr_replica *r, double time_s)
{
    const int64_t every = r->facts.engine.poll_steps;
    const double step_s = r->now_s - r->decide_s;
    if (r->n_running == 0 || every <= 1) return orr_max(time_s, r->now_s);
    const int64_t since = (r->tick - r->polled_tick) % every;
    return orr_max(time_s, r->now_s + (double)((every - since) % every) * step_s);
}

static void submit_to(struct orr_fleet *f, int64_t to, const struct orr_ask *ask, double time_s)
{
    struct orr_replica *replica = f->stations[to].replica;
    const bool taken = orr_replica_submit_at(replica, ask, time_s);
    if (!taken && ask->decode > 0) release(&f->stations[ask->decode - 1], ask);
    if (!taken && f->traffic->arrival == ORR_ARRIVAL_CLOSED && !orr_replica_failed(replica))
        orr_fleet_ask_again(f, time_s);
    orr_fleet_touch(f, to);
}

/* Chooses the decode replica of a request whose prompt is not computed before room is reserved there. False: it waits
 * for room, or nobody takes it. */
static bool reserve_decode(struct orr_fleet *f, struct orr_ask *ask, double *time_s)
{
    if (ask->decode > 0 && f->stations[ask->decode - 1].up) return true;
    if (ask->decode > 0) release(&f->stations[ask->decode - 1], ask);
    ask->decode = 0;
    const int64_t n = list_candidates(f, true);
    if (n == 0) {
        put_off(f, ask, true, *time_s);
        return false;
    }
    const int64_t to = choose(f, n, ask);
    struct orr_station *s = &f->stations[to];
    if (s->blocked.n > 0 || !has_room(f, s, cache_tokens(ask))) {
        const struct orr_handover asked = {.ask = *ask, .from = -1};
        wait_for_room(f, s, &asked);
        return false;
    }
    reserve(s, ask);
    ask->decode = to + 1;
    *time_s = seen_s(s->replica, *time_s);
    return true;
}

void orr_fleet_submit(struct orr_fleet *f, const struct orr_ask *ask, double time_s)
{
    struct orr_ask asked = *ask;
    int64_t n = list_candidates(f, false);
    if (n == 0) {
        put_off(f, ask, false, time_s);
        return;
    }
    int64_t to = choose(f, n, ask);
    const struct orr_fleet_pool *pool = &f->pools[f->stations[to].pool];
    if (pool->role != ORR_POOL_PREFILL || !pool->facts.engine.decode_reserves) asked.decode = 0;
    else if (!reserve_decode(f, &asked, &time_s)) return;
    submit_to(f, to, &asked, time_s);
}

/* ---------------------------------------------------------------- caches */

/* Starts to send a cache to a decode replica in which its room is reserved (Eqs. 246, 247). */
static void transfer(struct orr_fleet *f, const struct orr_handover *h, int64_t to)
{
    const struct orr_fleet_pool *from = &f->pools[f->stations[h->from].pool], *there = &f->pools[f->stations[to].pool];
    struct orr_transfer t = {
        .handover = *h, .from = h->from, .to = to, .latency_s = from->job->system.scaleout_latency_s};
    t.out_s = orr_handoff_s(from->job, from->stages, (double)h->ask.input_len);
    t.in_s = orr_handoff_s(there->job, there->stages, (double)h->ask.input_len);
    const double alone_s = orr_max(t.out_s, t.in_s);
    const double pieces = orr_handoff_pieces(from->job, (double)h->ask.input_len, orr_step_chunk_tokens(from->job));
    t.left_frac = alone_s > 0 ? orr_handoff_left_s(pieces, alone_s, h->ready_s - h->start_s) / alone_s : 0;
    if (!orr_links_start(&f->links, &t)) f->failed = true;
}

/* A cache whose sender has stopped is lost, and its prompt is computed again. */
static bool lost(struct orr_fleet *f, const struct orr_handover *h, double time_s)
{
    if (h->life == f->stations[h->from].life) return false;
    f->restarted++;
    orr_fleet_submit(f, &h->ask, time_s);
    return true;
}

void orr_fleet_send(struct orr_fleet *f, const struct orr_handover *handover, double time_s)
{
    struct orr_handover h = *handover;
    if (lost(f, &h, time_s)) return;
    if (h.ask.decode > 0 && f->stations[h.ask.decode - 1].up) {
        transfer(f, &h, h.ask.decode - 1);
        return;
    }
    if (h.ask.decode > 0) release(&f->stations[h.ask.decode - 1], &h.ask);
    h.ask.decode = 0;
    const int64_t n = list_candidates(f, true);
    if (n == 0) { /* its prompt is lost with its sender's room, and computed again when somebody is there */
        orr_replica_sent(f->stations[h.from].replica, h.slot, time_s);
        orr_fleet_touch(f, h.from);
        put_off(f, &h.ask, true, time_s);
        return;
    }
    struct orr_station *to = &f->stations[choose(f, n, &h.ask)];
    if (to->blocked.n > 0 || !has_room(f, to, cache_tokens(&h.ask))) {
        wait_for_room(f, to, &h); /* Eq. 248 */
        return;
    }
    reserve(to, &h.ask);
    transfer(f, &h, to->index);
}

/* The first token of a cache that has arrived leaves, and its blocks at the sender are free. */
void orr_fleet_arrive(struct orr_fleet *f, const struct orr_transfer *t, double time_s)
{
    struct orr_handover h = t->handover;
    struct orr_station *to = &f->stations[t->to];
    release(to, &h.ask);
    h.ask.decode = 0;
    h.first_s = time_s + t->latency_s;
    if (t->from >= 0) {
        orr_replica_sent(f->stations[t->from].replica, h.slot, time_s);
        orr_fleet_touch(f, t->from);
    }
    if (to->up) {
        if (!orr_replica_receive(to->replica, &h, h.first_s) && f->traffic->arrival == ORR_ARRIVAL_CLOSED)
            orr_fleet_ask_again(f, time_s);
        orr_fleet_touch(f, t->to);
    } else orr_fleet_submit(f, &h.ask, time_s); /* it has stopped meanwhile */
}

/* The first that waits for room in a replica gets it: a complete prompt is sent, that of a request is computed. */
static void give_room(struct orr_fleet *f, struct orr_station *s)
{
    struct orr_handover h = orr_fleet_take(f, orr_line_pop(&s->blocked));
    f->n_blocked--;
    if (h.from >= 0 && lost(f, &h, f->now_s)) return;
    reserve(s, &h.ask);
    if (h.from >= 0) {
        transfer(f, &h, s->index);
        return;
    }
    h.ask.decode = s->index + 1;
    orr_fleet_submit(f, &h.ask, seen_s(s->replica, f->now_s));
}

void orr_fleet_unblock(struct orr_fleet *f)
{
    f->freed = false;
    for (int64_t i = 0; i < f->n; i++) {
        struct orr_station *s = &f->stations[i];
        if (!s->freed) continue;
        s->freed = false;
        while (s->blocked.n > 0 && s->up && !f->failed &&
               has_room(f, s, cache_tokens(&f->store.items[orr_line_at(&s->blocked, 0)].ask)))
            give_room(f, s);
    }
}

void orr_fleet_reroute(struct orr_fleet *f, struct orr_station *s, double time_s)
{
    for (size_t n = s->blocked.n; n > 0 && !f->failed; n--) {
        const struct orr_handover h = orr_fleet_take(f, orr_line_pop(&s->blocked));
        f->n_blocked--;
        if (h.from >= 0) orr_fleet_send(f, &h, time_s);
        else orr_fleet_submit(f, &h.ask, time_s);
    }
}
