/* Replicas that are simulated together: behind a router that looks at their loads, in pools of different kinds, with
 * caches that are sent from pool to pool, with replicas that come, go and fail. Eqs. 231, 246-250.
 *
 * Every replica is run in the order in which steps begin, so that nothing reaches a replica in its past. A replica that
 * computes prompts for others runs step by step. */
#ifndef ORR_SERVING_FLEET_H
#define ORR_SERVING_FLEET_H

#include "serving/link.h"
#include "serving/lockstep.h"
#include "serving/result.h"
#include "serving/router.h"
#include "serving/state.h"

/* Must the replicas of this job be simulated together? Else one stands for all. */
bool orr_fleet_needed(const struct orr_job *job, const struct orr_traffic *traffic, const struct orr_simulation *how);

struct orr_fleet;

/* A pool while it runs. */
struct orr_fleet_pool {
    const struct orr_job *job;
    enum orr_pool_role role;
    struct orr_replica_facts facts;
    struct orr_steps *steps;
    bool own_steps;
    struct orr_stage *stages; /* owned; of pools between which caches are sent */
    int64_t first, n;         /* stations */
    int64_t ranks;            /* successive stations that make their steps together; 1: each by itself */
};

/* A replica of a pool. */
struct orr_station {
    struct orr_fleet *fleet;
    struct orr_replica *replica;
    int64_t index, pool;
    int64_t life;   /* how often it has stopped */
    bool up;        /* it gets requests */
    bool paid;      /* it is starting, up, or finishing what it has */
    double ready_s; /* starting: when it will be up; else HUGE_VAL */
    double since_s; /* from when on it is paid */
    double paid_s;  /* before that */
    int64_t coming; /* caches on their way to it, or for which it has reserved room */
    double coming_tokens;
    struct orr_line_up blocked; /* a decode replica: requests and complete prompts that wait for room in it */
    bool freed;                 /* it has finished something since they were last tried */
};

/* Requests and handovers that wait for their time or for room. */
struct orr_fleet_store {
    struct orr_handover *items;
    int32_t *chain;
    int32_t room, free;
};

struct orr_fleet {
    const struct orr_traffic *traffic;
    const struct orr_simulation *how;
    const struct orr_deployment *deployment;
    struct orr_scratch *scratch;
    struct orr_fleet_pool pools[ORR_MAX_POOLS];
    int64_t n_pools;
    struct orr_station *stations;
    struct orr_candidate *candidates; /* and the stations that they are */
    int64_t *chosen;
    double *begin_s;               /* by station: its next step as of orr_fleet_touch */
    struct orr_replica **replicas; /* those of the stations */
    int64_t n;
    struct orr_stream stream;
    struct orr_ask next; /* of the stream */
    bool more;           /* there is a next */
    struct orr_fleet_store store;
    struct orr_queue asks;  /* requests by the time at which they are routed, besides those of the stream */
    struct orr_queue ready; /* handovers by the time at which their prompt is complete */
    int64_t n_blocked;      /* what waits for room in all decode replicas */
    struct orr_links links;
    bool split; /* prompts and answers have pools of their own */
    bool freed; /* some replica has finished something since those that wait for room were last tried */
    bool down[ORR_MAX_FAILURES], over[ORR_MAX_FAILURES];
    double scale_s, idle_since_s; /* next decision about the number of replicas; since when fewer would do */
    int64_t issued, total;        /* requests of a closed loop */
    int64_t rejected, restarted;
    bool failed, warm;
    double now_s, last_s;
    struct orr_tally tally;
    struct orr_replica_sums sums[ORR_MAX_POOLS]; /* at the end, of all replicas of a pool */
    struct orr_sketch itl;
};

/* ---------------------------------------------------------------- fleet_control.c */

/* The next time at which a replica fails, comes back or is ready, or their number is decided; HUGE_VAL: none. */
double orr_control_next_s(const struct orr_fleet *fleet);
/* Does everything that is due by then. */
void orr_control(struct orr_fleet *fleet, double time_s);
/* Must be called whenever a replica has got, lost or run something. */
static inline void orr_fleet_touch(struct orr_fleet *fleet, int64_t station)
{
    const struct orr_fleet_pool *pool = &fleet->pools[fleet->stations[station].pool];
    if (pool->ranks == 1) {
        fleet->begin_s[station] = orr_replica_next_s(fleet->replicas[station]);
        return;
    }
    const int64_t first = station - (station - pool->first) % pool->ranks; /* stands for its group */
    fleet->begin_s[first] = orr_lockstep_next_s(&fleet->replicas[first], pool->ranks);
}

/* ---------------------------------------------------------------- fleet.c */

/* Keeps a handover, or only its request; ORR_NOBODY: out of memory. */
int32_t orr_fleet_keep(struct orr_fleet *fleet, const struct orr_handover *handover);
struct orr_handover orr_fleet_take(struct orr_fleet *fleet, int32_t place);
void orr_fleet_put(struct orr_fleet *fleet, struct orr_queue *queue, double time_s,
                   const struct orr_handover *handover);
/* A user of a closed loop who has been answered asks the next question. */
void orr_fleet_ask_again(struct orr_fleet *fleet, double time_s);

/* ---------------------------------------------------------------- fleet_route.c */

/* Routes a request at `time_s`, which may be later than its arrival. */
void orr_fleet_submit(struct orr_fleet *fleet, const struct orr_ask *ask, double time_s);
/* Sends the cache of a complete prompt, or lets it wait for room. */
void orr_fleet_send(struct orr_fleet *fleet, const struct orr_handover *handover, double time_s);
/* A cache has arrived. */
void orr_fleet_arrive(struct orr_fleet *fleet, const struct orr_transfer *transfer, double time_s);
/* Tries what waits for room in decode replicas that have finished something. */
void orr_fleet_unblock(struct orr_fleet *fleet);
/* What waits for room in a replica that has stopped goes to others. */
void orr_fleet_reroute(struct orr_fleet *fleet, struct orr_station *station, double time_s);

/* ---------------------------------------------------------------- fleet_result.c */

void orr_fleet_result(struct orr_fleet *fleet, struct orr_serving_result *result);

#endif
