/* A plan within half a per cent of the best that needs fewer features of the stack: people run that one. The winner of
 * a training search is simplified step by step as long as it stays fast enough, fits and keeps the limits. */
#include "search/search.h"

#include <math.h>

#include "metric/metric.h"

/* How many things a plan needs beyond tensor and data parallelism. Chunks of unequal size need a list of layers, which
 * is one thing more; of plans that need as many, the one with fewer chunks is simpler. */
static int64_t features(const struct orr_choice *c, int64_t n_layers)
{
    const int uneven = n_layers % ((int64_t)c->pp * c->vpp) != 0;
    const int things =
        uneven + 2 * (c->pp > 1) + (c->vpp > 1) + 3 * (c->cp > 1) +
        (c->cp_kind == ORR_CP_ULYSSES && c->cp > 1) + (c->zero >= 2) + (c->zero >= 3) +
        (c->recompute != ORR_RECOMPUTE_NONE) + (c->recompute_every > 1) +
        2 * (c->pp > 1 && c->schedule != ORR_SCHEDULE_1F1B && c->schedule != ORR_SCHEDULE_INTERLEAVED) +
        (c->etp != c->tp && c->ep > 1);
    return (int64_t)things * (ORR_MAX_LAYERS + 3) + c->vpp;
}

/* The plans that are one step simpler; among them those with fewer and equal chunks. */
enum { MAX_CHUNKS = 24, MAX_SIMPLER = MAX_CHUNKS + 8 };
static size_t list_simpler(const struct orr_choice *c, int64_t n_layers, struct orr_choice simpler[MAX_SIMPLER])
{
    size_t n = 0;
    if (c->cp > 1) {
        simpler[n] = *c;
        simpler[n].dp *= simpler[n].cp;
        simpler[n++].cp = 1;
    }
    if (c->pp > 1) {
        simpler[n] = *c;
        simpler[n].dp *= simpler[n].pp;
        simpler[n].pp = simpler[n].vpp = 1;
        simpler[n++].schedule = ORR_SCHEDULE_1F1B;
    }
    if (c->pp > 1 && (c->vpp > 1 || c->schedule != ORR_SCHEDULE_1F1B)) {
        simpler[n] = *c;
        simpler[n].vpp = 1;
        simpler[n++].schedule = ORR_SCHEDULE_1F1B;
    }
    for (int32_t vpp = 2; vpp < c->vpp && n < MAX_CHUNKS && c->schedule == ORR_SCHEDULE_INTERLEAVED; vpp++) {
        if (n_layers % ((int64_t)c->pp * vpp) != 0) continue;
        simpler[n] = *c;
        simpler[n++].vpp = vpp;
    }
    if (c->zero > 1) {
        simpler[n] = *c;
        simpler[n++].zero--;
    }
    if (c->recompute_every > 1) {
        simpler[n] = *c;
        simpler[n++].recompute_every = 1;
    }
    if (c->recompute != ORR_RECOMPUTE_NONE) {
        simpler[n] = *c;
        simpler[n].recompute_every = 1;
        simpler[n++].recompute = ORR_RECOMPUTE_NONE;
    }
    return n;
}

/* Do the lists of the request allow these values? */
static bool allowed(const struct orr_space *space, const struct orr_choice *c)
{
    return orr_chosen(&space->cp, c->cp) && orr_chosen(&space->pp, c->pp) && orr_chosen(&space->dp, c->dp) &&
           orr_chosen(&space->vpp, c->vpp) && orr_chosen(&space->zero, c->zero) &&
           orr_chosen(&space->schedule, c->schedule) && orr_chosen(&space->recompute, c->recompute) &&
           orr_chosen(&space->recompute_every, c->recompute_every);
}

/* The objective of a plan; infinite if it is not valid, does not fit or breaks a limit. */
static double objective_of(const struct orr_search *search, const struct orr_choice *choice, struct orr_job *job,
                           struct orr_scratch *scratch)
{
    struct orr_result result;
    struct orr_found found;
    if (!allowed(&search->request.space, choice)) return HUGE_VAL;
    orr_search_job(search, choice, job);
    if (orr_job_check(job, NULL)) return HUGE_VAL;
    orr_train(job, scratch, &result);
    if (!result.fits || !orr_limits_hold(&search->request, job, &result, NULL)) return HUGE_VAL;
    orr_train_found(&search->request, result.step_time_s, result.memory.most_bytes, result.energy_j, choice, &found);
    return found.objective;
}

double orr_search_simplest(const struct orr_search *search, const struct orr_found *best, struct orr_job *job,
                           struct orr_scratch *scratch, struct orr_choice *simplest)
{
    const int64_t n_layers = search->request.job.model.n_layers;
    double objective = best->objective;
    *simplest = best->choice;
    for (bool found = search->request.job.kind == ORR_JOB_TRAIN; found;) {
        struct orr_choice simpler[MAX_SIMPLER];
        const size_t n = list_simpler(simplest, n_layers, simpler);
        found = false;
        for (size_t i = 0; i < n && !found; i++) {
            const double candidate = objective_of(search, &simpler[i], job, scratch);
            found = candidate <= ORR_ALIKE * best->objective &&
                    features(&simpler[i], n_layers) < features(simplest, n_layers);
            if (!found) continue;
            *simplest = simpler[i];
            objective = candidate;
        }
    }
    return objective / best->objective;
}
