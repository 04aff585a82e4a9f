/* Working memory of one prediction: every intermediate stage, allocated once. */
#ifndef ORR_PREDICT_SCRATCH_H
#define ORR_PREDICT_SCRATCH_H

#include "memory/memory.h"
#include "predict/ledger.h"
#include "predict/settle.h"

struct orr_scratch {
    struct orr_op_list ops;
    struct orr_cost costs[ORR_MAX_OPS];
    struct orr_stage stages[ORR_MAX_STAGES];
    /* training */
    struct orr_classes classes;
    struct orr_shape shape;
    struct orr_iteration iteration;
    struct orr_settled step;
    struct orr_rank_time ranks[ORR_MAX_STAGES]; /* of every class, at the settled clock */
    /* inference */
    struct orr_bend bends[ORR_MAX_OPS]; /* of one pass */
    /* where an answer was asked for */
    struct orr_time_row rows[ORR_MAX_TIME_ROWS];
};

/* orr_predict for each kind of job; fills all but the operators. */
void orr_train_answer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer);
void orr_infer_answer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer);

/* The rows of a class of pipeline ranks in the step that was predicted last; an answer has those of the slowest. */
void orr_train_ledger(const struct orr_job *job, const struct orr_scratch *scratch, size_t class,
                      struct orr_ledger *ledger);

/* Event-simulate the pipeline of the last orr_train: every forward F, backward B and (zero bubble) weight gradient W
 * of every rank in the order of the schedule. Returns the number of spans; at most `n_max` are written, so that
 * (NULL, 0) asks for the number. It allocates; 0: out of memory. */
size_t orr_pipeline_timeline(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_span *spans,
                             size_t n_max);

#endif
