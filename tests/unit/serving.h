/* Shared by the tests of inference: predicting a job, its operators by phase. */
#ifndef ORR_TESTS_SERVING_H
#define ORR_TESTS_SERVING_H

#include "memory/serving.h"
#include "random.h"
#include "support.h"

static inline struct orr_infer_result infer(const struct world *world, const struct orr_job *job)
{
    struct orr_infer_result result;
    memset(&result, 0x5a, sizeof result);
    orr_infer(job, world->scratch, &result);
    return result;
}

/* Cache bytes of one sequence on the fullest rank of a job. */
static inline double sequence_bytes(const struct orr_job *job, double length)
{
    static struct orr_stage stages[ORR_MAX_STAGES];
    orr_stages_build(job, stages);
    return orr_kv_sequence_bytes(job, stages, length);
}

/* The operator of that name and phase after infer(); *cost is its cost. NULL if there is none. */
static inline const struct orr_op *phase_op(const struct world *world, enum orr_phase phase, const char *name,
                                            const struct orr_cost **cost)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(world->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++)
        if (ops[i].phase == phase && strcmp(ops[i].name, name) == 0) {
            if (cost) *cost = &costs[i];
            return &ops[i];
        }
    return NULL;
}

/* Executions of the operators of that name and phase in the whole request, on one stage. */
static inline double runs_of(const struct world *world, const struct orr_job *job, enum orr_phase phase,
                             const char *name)
{
    static struct orr_answer answer;
    double runs = 0;
    orr_predict(job, world->scratch, &answer);
    for (size_t i = 0; i < answer.n_rows; i++)
        if (answer.rows[i].phase == phase && strcmp(answer.rows[i].name, name) == 0) runs += answer.rows[i].runs;
    return runs;
}

#endif
