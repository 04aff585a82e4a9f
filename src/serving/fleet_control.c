/* This file lets replicas fail, come back, and come and go with the load. Eqs. 249, 250. */
#include "base/number.h"
#include "serving/fleet.h"

#include <math.h>

/* ---------------------------------------------------------------- failures */

static double failure_s(const struct orr_fleet *f, size_t i)
{
    const struct orr_failure *failure = &f->deployment->failures[i];
    if (f->over[i]) return HUGE_VAL;
    return f->down[i] ? failure->at_s + failure->down_s : failure->at_s;
}

struct again {
    struct orr_fleet *fleet;
    double time_s;
};

static void restart(void *context, const struct orr_ask *ask)
{
    const struct again *again = context;
    again->fleet->restarted++;
    orr_fleet_submit(again->fleet, ask, again->time_s);
}

/* A replica stops, and its requests begin anew elsewhere; or it comes back. One that was not up has not failed. */
static void fail(struct orr_fleet *f, size_t i, double time_s)
{
    const struct orr_failure *failure = &f->deployment->failures[i];
    struct orr_station *s = &f->stations[f->pools[failure->pool].first + failure->replica];
    struct again again = {f, time_s};
    if (f->down[i]) {
        f->over[i] = true;
        s->up = true;
        f->freed = s->freed = true;
        return;
    }
    f->down[i] = true;
    f->over[i] = !s->up;
    if (!s->up) return;
    s->up = false;
    s->life++;
    orr_links_forget(&f->links, s->index);
    orr_replica_crash(s->replica, time_s, restart, &again);
    orr_fleet_touch(f, s->index);
    orr_fleet_reroute(f, s, time_s);
}

/* ---------------------------------------------------------------- the number of replicas */

/* Is there anything left to serve? */
static bool lasting(const struct orr_fleet *f)
{
    if (f->more || f->asks.n > 0) return true;
    for (int64_t i = 0; i < f->n; i++)
        if (orr_replica_load_of(f->stations[i].replica).requests > 0) return true;
    return false;
}

/* Starts the first replica that is not paid. */
static void start_one(struct orr_fleet *f, double time_s)
{
    const struct orr_fleet_pool *pool = &f->pools[0];
    for (int64_t i = 0; i < pool->n; i++) {
        struct orr_station *s = &f->stations[pool->first + i];
        if (s->paid) continue;
        s->paid = true;
        s->since_s = time_s;
        s->ready_s = time_s + f->deployment->autoscale.start_s;
        return;
    }
}

/* Sends no more requests to the last replica that is up; it stops when it has finished those it has. */
static void retire_one(struct orr_fleet *f)
{
    const struct orr_fleet_pool *pool = &f->pools[0];
    for (int64_t i = pool->n - 1; i >= 0; i--)
        if (f->stations[pool->first + i].up) {
            f->stations[pool->first + i].up = false;
            return;
        }
}

static void stop_idle(struct orr_fleet *f, double time_s)
{
    for (int64_t i = 0; i < f->pools[0].n; i++) {
        struct orr_station *s = &f->stations[f->pools[0].first + i];
        if (!s->paid || s->up || s->ready_s < HUGE_VAL || orr_replica_load_of(s->replica).requests > 0) continue;
        s->paid = false;
        s->paid_s += time_s - orr_max(s->since_s, 0);
    }
}

/* Eq. 250: as many replicas as have their share of the unfinished requests. */
static void scale(struct orr_fleet *f, double time_s)
{
    const struct orr_autoscale *a = &f->deployment->autoscale;
    double requests = 0;
    int64_t now = 0;
    for (int64_t i = 0; i < f->pools[0].n; i++) {
        const struct orr_station *s = &f->stations[f->pools[0].first + i];
        requests += (double)orr_replica_load_of(s->replica).requests;
        now += s->up || s->ready_s < HUGE_VAL ? 1 : 0;
    }
    const double wanted = orr_min((double)a->most, orr_max((double)a->least, orr_ceil(requests / a->requests)));
    if (wanted >= (double)now) f->idle_since_s = time_s;
    for (int64_t i = now; i < (int64_t)wanted; i++) start_one(f, time_s);
    if (wanted < (double)now && time_s - f->idle_since_s >= a->idle_s) {
        retire_one(f);
        f->idle_since_s = time_s;
    }
    stop_idle(f, time_s);
    f->scale_s = lasting(f) ? time_s + a->interval_s : HUGE_VAL;
}

/* ---------------------------------------------------------------- both */

double orr_control_next_s(const struct orr_fleet *f)
{
    double next_s = f->scale_s;
    for (size_t i = 0; i < f->deployment->n_failures; i++) next_s = orr_min(next_s, failure_s(f, i));
    for (int64_t i = 0; f->deployment->autoscale.most > 0 && i < f->pools[0].n; i++)
        next_s = orr_min(next_s, f->stations[f->pools[0].first + i].ready_s);
    return next_s;
}

void orr_control(struct orr_fleet *f, double time_s)
{
    for (size_t i = 0; i < f->deployment->n_failures; i++)
        if (failure_s(f, i) <= time_s) fail(f, i, time_s);
    for (int64_t i = 0; i < f->pools[0].n; i++) {
        struct orr_station *s = &f->stations[f->pools[0].first + i];
        if (s->ready_s > time_s) continue;
        s->ready_s = HUGE_VAL;
        s->up = true;
    }
    if (f->scale_s <= time_s) scale(f, time_s);
}
