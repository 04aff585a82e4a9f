/* This file lets attention ranks make their steps together. Eq. 257. */
#include "serving/lockstep.h"

#include "base/number.h"
#include "predict/pass.h"
#include "predict/scratch.h"
#include "serving/state.h"

#include <math.h>
#include <string.h>

/* Tokens of the prompt by which work of a rank is told from work of all. */
#define PROMPT 2048

int64_t orr_lockstep_ranks(const struct orr_plan *plan)
{
    const int64_t spanned = plan->ep * plan->etp / plan->tp;
    return spanned > 1 && plan->dp >= spanned && plan->dp % spanned == 0 ? spanned : 1;
}

/* Experts and the traffic to them work for the tokens of all ranks. */
static bool is_shared(const struct orr_op *op)
{
    return op->kind == ORR_OP_GROUPED || strncmp(op->name, "expert.", 7) == 0 ||
           (op->kind == ORR_OP_COLLECTIVE && (op->group == ORR_GROUP_EP || op->group == ORR_GROUP_ETP));
}

double orr_lockstep_own_frac(const struct orr_job *job, struct orr_scratch *scratch)
{
    const struct orr_serve_shape prompt = {.prefill_tokens = PROMPT, .prefill_sequences = 1, .queries = 1};
    double own_s = 0, all_s = 0;
    scratch->ops.n = 0;
    (void)orr_pass_emit(job, &job->model, &prompt, ORR_PHASE_PREFILL, &scratch->ops, scratch->costs);
    for (size_t i = 0; i < scratch->ops.n; i++) {
        const struct orr_op *op = &scratch->ops.items[i];
        const double time_s = op->count * orr_pass_op_s(op, &scratch->costs[i], 1);
        all_s += time_s;
        own_s += is_shared(op) ? 0 : time_s;
    }
    return all_s > 0 ? own_s / all_s : 1;
}

/* The step that every rank would make if all had the same. */
static struct orr_mixed mean_of(struct orr_replica *const *ranks, int64_t n, const struct orr_turn *turns)
{
    const double each = 1 / (double)n;
    double tokens = 0, prompts = 0, pairs = 0, cached = 0, decodes = 0, contexts = 0;
    for (int64_t i = 0; i < n; i++) {
        if (turns[i].kind == ORR_TURN_MIXED) {
            tokens += (double)turns[i].mixed.tokens * each;
            prompts += (double)turns[i].mixed.prompts * each;
            pairs += turns[i].mixed.pairs * each;
            cached += (double)turns[i].mixed.cached * each;
        }
        if (turns[i].kind == ORR_TURN_MIXED && turns[i].mixed.decodes == 0) continue;
        decodes += (double)ranks[i]->n_decoding * each;
        contexts += ranks[i]->contexts * each;
    }
    struct orr_mixed mean = {.tokens = (int64_t)orr_max(1, floor(tokens + 0.5)),
                             .prompts = (int64_t)orr_max(1, floor(prompts + 0.5)),
                             .pairs = pairs,
                             .cached = (int64_t)cached,
                             .decodes = (int64_t)floor(decodes + 0.5)};
    if (mean.decodes > 0) mean.context = orr_max(1, contexts / decodes);
    return mean;
}

double orr_lockstep_next_s(struct orr_replica *const *ranks, int64_t n)
{
    double next_s = HUGE_VAL, now_s = 0;
    for (int64_t i = 0; i < n; i++) {
        next_s = orr_min(next_s, orr_replica_next_s(ranks[i]));
        now_s = orr_max(now_s, ranks[i]->now_s);
    }
    return next_s < HUGE_VAL ? orr_max(next_s, now_s) : HUGE_VAL;
}

/* One step of all ranks, or several in which the same sequences decode. The line of the slowest rank is that of all. */
static bool step(struct orr_replica *const *ranks, int64_t n, double start_s, double until_s, struct orr_turn *turns)
{
    const struct orr_turn *slowest = NULL;
    bool mixed = false;
    for (int64_t i = 0; i < n; i++) {
        ranks[i]->now_s = start_s;
        turns[i] = orr_turn_of(ranks[i]);
        if (ranks[i]->failed) return false;
        mixed |= turns[i].kind == ORR_TURN_MIXED;
        if (turns[i].kind == ORR_TURN_IDLE) continue;
        if (!slowest || turns[i].line.first_s > slowest->line.first_s) slowest = &turns[i];
    }
    if (!slowest) return false;
    int64_t steps = mixed ? 1 : INT64_MAX;
    for (int64_t i = 0; i < n && !mixed; i++) {
        struct orr_line line = slowest->line;
        if (turns[i].kind == ORR_TURN_DECODE) line.steps = turns[i].line.steps;
        const int64_t own = orr_turn_steps(ranks[i], &line, until_s);
        if (own < steps) steps = own;
    }
    if (!mixed && slowest->line.steps < steps) steps = slowest->line.steps > 1 ? slowest->line.steps : 1;
    double time_s = orr_line_sum_s(&slowest->line, (double)steps);
    if (mixed) {
        const struct orr_mixed mean = mean_of(ranks, n, turns);
        const double mean_s = orr_steps_mixed(ranks[0]->table, &mean), longest_s = slowest->line.first_s;
        time_s = orr_min(longest_s, mean_s + ranks[0]->facts.own_frac * orr_max(0, longest_s - mean_s));
    }
    /* Ranks that decode beside prompts of others take as long as all, not as long as the slowest would alone. */
    const struct orr_line line = mixed ? (struct orr_line){.first_s = time_s, .steps = 1} : slowest->line;
    for (int64_t i = 0; i < n; i++) {
        if (turns[i].kind == ORR_TURN_DECODE) turns[i].line = line;
        orr_turn_pass(ranks[i], &turns[i], steps, time_s);
    }
    return true;
}

void orr_lockstep_run(struct orr_replica *const *ranks, int64_t n, double until_s)
{
    struct orr_turn turns[ORR_LOCKSTEP_RANKS];
    bool paused = false;
    for (int64_t i = 0; i < n; i++) ranks[i]->paused = false;
    while (!paused) {
        const double start_s = orr_lockstep_next_s(ranks, n);
        if (start_s >= until_s || start_s == HUGE_VAL) return;
        if (!step(ranks, n, start_s, until_s, turns)) {
            for (int64_t i = 0; i < n; i++) ranks[i]->blocked = ranks[i]->waiting.n > 0;
            return;
        }
        for (int64_t i = 0; i < n; i++) paused |= ranks[i]->paused || ranks[i]->halted || ranks[i]->failed;
    }
}
