/* Why no plan is valid: which list of the request rules all plans out, and which nearby values would not. A list is at
 * fault if a search without it finds a plan; that search stops at its first plan. */
#include "search/search.h"
#include "spec/job.h"

#include "spec/spec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 64 }; /* how many values are tried on either side of a list */

enum list_kind {
    DEGREE, /* a number that divides the GPUs */
    NUMBER,
    CHOICE /* values without an order */
};

static const struct list {
    const char *key;
    size_t offset; /* offset in struct orr_space */
    enum list_kind kind;
} LISTS[] = {
    {"gpus", offsetof(struct orr_space, gpus), NUMBER},
    {"plan.tp", offsetof(struct orr_space, tp), DEGREE},
    {"plan.cp", offsetof(struct orr_space, cp), DEGREE},
    {"plan.pp", offsetof(struct orr_space, pp), DEGREE},
    {"plan.dp", offsetof(struct orr_space, dp), DEGREE},
    {"plan.ep", offsetof(struct orr_space, ep), DEGREE},
    {"plan.etp", offsetof(struct orr_space, etp), DEGREE},
    {"plan.vpp", offsetof(struct orr_space, vpp), NUMBER},
    {"plan.schedule", offsetof(struct orr_space, schedule), CHOICE},
    {"plan.zero", offsetof(struct orr_space, zero), CHOICE},
    {"plan.sp", offsetof(struct orr_space, sp), CHOICE},
    {"plan.cp_kind", offsetof(struct orr_space, cp_kind), CHOICE},
    {"workload.micro_batch", offsetof(struct orr_space, micro_batch), NUMBER},
    {"workload.recompute", offsetof(struct orr_space, recompute), CHOICE},
    {"workload.recompute_every", offsetof(struct orr_space, recompute_every), NUMBER},
    {"workload.precision", offsetof(struct orr_space, weights), CHOICE},
    {"workload.kv_precision", offsetof(struct orr_space, kv), CHOICE},
    {"workload.disaggregated", offsetof(struct orr_space, disaggregated), CHOICE},
};
_Static_assert(sizeof LISTS / sizeof *LISTS == ORR_MAX_OBSTACLES, "an obstacle per list");

static struct orr_choices *list_of(struct orr_search_request *request, const struct list *list)
{
    return (struct orr_choices *)((char *)&request->space + list->offset);
}

static bool until_a_plan(void *context, const struct orr_search *search, double done_frac)
{
    (void)context;
    (void)done_frac;
    return orr_search_counts_of(search).plans == 0;
}

static bool leaves_plans(const struct orr_search_request *request)
{
    struct orr_search *search;
    if (orr_search_new(request, &search, NULL)) return false;
    const enum orr_err err = orr_search_run(search, 0, until_a_plan, NULL, NULL);
    const bool some = !err && orr_search_counts_of(search).plans > 0;
    orr_search_free(search);
    return some;
}

/* The first value after `value`, in steps of 1 or -1, that leaves plans; 0 if there is none nearby. */
static int64_t nearest(struct orr_search_request *request, const struct list *list, int64_t value, int64_t step)
{
    struct orr_choices *choices = list_of(request, list);
    for (int i = 0; i < NEAR && value + step > 0; i++) {
        value += step;
        if (list->kind == DEGREE && !orr_divides_some(&request->space.gpus, value)) continue;
        *choices = (struct orr_choices){1, {value}};
        if (leaves_plans(request)) return value;
    }
    return 0;
}

static bool stands_in_the_way(struct orr_search_request *request, const struct list *list,
                              struct orr_obstacle *obstacle)
{
    struct orr_choices *choices = list_of(request, list);
    const struct orr_choices given = *choices;
    bool at_fault = given.n > 0;
    *obstacle = (struct orr_obstacle){.key = list->key, .n_given = given.n};
    if (at_fault && choices != &request->space.gpus) {
        choices->n = 0;
        at_fault = leaves_plans(request);
    }
    if (at_fault && list->kind != CHOICE) {
        obstacle->given = given.values[0];
        obstacle->below = nearest(request, list, given.values[0], -1);
        obstacle->above = nearest(request, list, given.values[given.n - 1], 1);
    }
    *choices = given;
    return at_fault && (choices != &request->space.gpus || obstacle->below || obstacle->above);
}

size_t orr_search_obstacles(const struct orr_search *search, struct orr_obstacle obstacles[ORR_MAX_OBSTACLES])
{
    struct orr_search_request *request = malloc(sizeof *request);
    size_t n = 0;
    if (!request) return 0;
    *request = search->request;
    request->compared = false;
    for (size_t i = 0; i < ORR_MAX_OBSTACLES; i++) n += stands_in_the_way(request, &LISTS[i], &obstacles[n]);
    free(request);
    return n;
}

/* ---------------------------------------------------------------- the rule that is broken */

static int32_t first_of(const struct orr_choices *choices, int64_t otherwise)
{
    return (int32_t)(choices->n > 0 ? choices->values[0] : otherwise);
}

bool orr_search_broken_rule(const struct orr_search *search, const char *key, struct orr_error *rule)
{
    const struct orr_space *space = &search->request.space;
    struct orr_job *job = malloc(sizeof *job);
    struct orr_choice choice = {.tp = first_of(&space->tp, 1),
                                .cp = first_of(&space->cp, 1),
                                .pp = first_of(&space->pp, 1),
                                .vpp = first_of(&space->vpp, 1),
                                .ep = first_of(&space->ep, 1),
                                .etp = first_of(&space->etp, 1),
                                .micro_batch = first_of(&space->micro_batch, 1),
                                .recompute_every = first_of(&space->recompute_every, 1),
                                .batch = 1};
    const int32_t ranks = choice.tp * choice.cp * choice.pp, gpus = first_of(&space->gpus, 1);
    choice.dp = first_of(&space->dp, gpus % ranks ? 1 : gpus / ranks);
    choice.gpus = ranks * choice.dp; /* Whether the ranks divide the GPUs asked for is another rule. */
    choice.schedule =
        (uint8_t)first_of(&space->schedule, choice.vpp > 1 ? ORR_SCHEDULE_INTERLEAVED : ORR_SCHEDULE_1F1B);
    choice.weights = (uint8_t)first_of(&space->weights, search->request.job.serving.format);
    choice.kv = (uint8_t)first_of(&space->kv, orr_serving_cache_choice(&search->request.job.serving));
    if (job) orr_search_job(search, &choice, job);
    const bool broken = job && orr_job_check(job, rule) && (!key || strcmp(rule->key, key) == 0);
    free(job);
    return broken;
}
