/* The scratch is the working memory of one prediction: every intermediate stage, allocated once. */
#ifndef ORR_PREDICT_SCRATCH_H
#define ORR_PREDICT_SCRATCH_H

#include "memory/memory.h"
#include "predict/fill.h"
#include "predict/ledger.h"
#include "predict/settle.h"

struct orr_scratch {
    struct orr_op_list ops;
    struct orr_cost costs[ORR_MAX_OPS];
    struct orr_stage stages[ORR_MAX_STAGES];
    /* Training uses these members. */
    struct orr_classes classes;
    struct orr_shape shape;
    struct orr_iteration iteration;
    struct orr_settled step;
    struct orr_rank_time ranks[ORR_MAX_STAGES]; /* times of every class at the settled clock */
    /* Inference uses this member. */
    struct orr_bend bends[ORR_MAX_OPS]; /* kernels of one pass whose bound changes with the clock */
    /* These members are for jobs that leave values to the program. */
    struct orr_job filled;
    struct orr_filling fillings[ORR_MAX_FILLINGS];
    struct orr_job shared; /* a job with what the runs of its fitted engine share with it */
    /* These members are filled where an answer was asked for. */
    struct orr_time_row rows[ORR_MAX_TIME_ROWS];
};

/* These do orr_predict for each kind of job; they fill all but the operators. */
void orr_train_answer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer);
void orr_infer_answer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer);

/* The job with what its engine's runs share with it (spec/alike.h): itself, where the engine was not fitted or the job
 * has it already. */
const struct orr_job *orr_shared(const struct orr_job *job, struct orr_scratch *scratch);
/* orr_infer without memory, rates, energy and interval: times and what binds them alone. */
void orr_infer_times(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result);

/* Fills the rows of a class of pipeline ranks in the last predicted step. An answer has those of the slowest class. */
void orr_train_ledger(const struct orr_job *job, const struct orr_scratch *scratch, size_t class,
                      struct orr_ledger *ledger);

/* Simulates the pipeline of the last orr_train event by event: every forward F, backward B and (with zero bubble)
 * weight gradient W of every rank, in the order of the schedule. It returns the number of spans and writes at most
 * `n_max`, so that (NULL, 0) asks for the number. It allocates and returns 0 where memory runs out. */
size_t orr_pipeline_timeline(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_span *spans,
                             size_t n_max);

#endif
