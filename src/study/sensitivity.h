/* What every hardware number is worth: elasticities of the answers of one job. */
#ifndef ORR_STUDY_SENSITIVITY_H
#define ORR_STUDY_SENSITIVITY_H

#include "orrery.h"

#define ORR_MAX_SENSITIVITIES 32
#define ORR_N_ANSWERS         3

/* The answers for each kind of job; rows are sorted by the first. Training: step time, energy, cost. Inference:
 * latency, time to the first token, time per token. */
extern const char *const orr_answer_names[2][ORR_N_ANSWERS]; /* [enum orr_job_kind] */

/* d ln(answer) / d ln(parameter): -1 means that 1 % more of the parameter takes 1 % off the answer. */
struct orr_sensitivity {
    const char *name; /* as in --set: "chip.hbm_bytes_per_s" */
    const char *unit; /* "FLOP/s", "bytes/s", "s", "bytes", "", ... */
    bool faster; /* More of it is faster hardware: an answer that gets longer by it is worth a word. */
    double value;
    double less[ORR_N_ANSWERS];  /* elasticity from below: effect of a little less */
    double more[ORR_N_ANSWERS];  /* elasticity from above: effect of a little more */
    double tenth[ORR_N_ANSWERS]; /* answer with 10 % more over answer, minus 1 */
};

/* Predict the job, then again on either side of every parameter. Returns how many parameters there are, sorted by their
 * effect on the first answer. `answers` and `fits` receive those of the job itself. */
size_t orr_sensitivities(const struct orr_job *job, struct orr_scratch *scratch,
                         struct orr_sensitivity sensitivities[ORR_MAX_SENSITIVITIES], double answers[ORR_N_ANSWERS],
                         bool *fits);

#endif
