/* One pass of a serving engine through the model: operators emitted, priced, and added up at the clock they settle at.
 * The prompt, a chunk of it, a decode step and a mixed step are the same pass with other shapes; orr_infer and
 * orr_step_time both take their times from here. */
#ifndef ORR_PREDICT_PASS_H
#define ORR_PREDICT_PASS_H

#include "ops/serve.h"
#include "predict/ledger.h"
#include "schedule/schedule.h"

/* A prompt this short is launched kernel by kernel even where decoding is not: a fact of the engines. */
#define ORR_SHORT_PREFILL_TOKENS 512

/* How a batch goes through the pipeline: in one piece, or cut so that every stage has work. Times are in passes of one
 * piece through the whole model. */
struct orr_flow {
    double stages, pieces;
    double own;    /* what one stage computes itself */
    double waited; /* what it waits for other stages */
};
/* `tokens` of each of the `sequences` go through at once: a prompt, or one. */
struct orr_flow orr_prompt_flow(const struct orr_job *job, int64_t sequences, int64_t tokens);
struct orr_flow orr_decode_flow(const struct orr_job *job, int64_t sequences);

/* The part of the latency an operator's time belongs to, whatever its phase. */
enum orr_work_kind { ORR_WORK_GEMM, ORR_WORK_ATTENTION, ORR_WORK_POINTWISE, ORR_WORK_NETWORK, ORR_N_WORK_KINDS };
enum orr_work_kind orr_work_kind_of(enum orr_op_kind kind);

/* Sums over the operators of one pass. */
struct orr_pass {
    size_t first, end;               /* its operators in the list */
    double clock_frac;               /* at which it settles, over the burst clock */
    double work_s[ORR_N_WORK_KINDS]; /* whole model, one rank of each stage */
    double busy_s;                   /* all of them */
    double bound_s[ORR_N_BOUNDS];    /* the same by what binds */
    double launches;                 /* by the host */
    double gap_s;                    /* idle time between kernels */
    double host_s;                   /* what a host that launches slower than the GPU runs adds (Eq. 39) */
    double light_s;                  /* no pass with this work is faster */
    struct orr_work work;
};
double orr_pass_total_s(const struct orr_pass *pass);

/* Time of a collective or kernel as far as it is seen, at a clock. */
double orr_pass_op_s(const struct orr_op *op, const struct orr_cost *cost, double clock_frac);
/* Idle time between the kernels of a pass of so many rows. */
double orr_gap_s(const struct orr_job *job, bool prompt_only, double rows, double launches);
double orr_sampling_s(const struct orr_job *job, double sequences);
/* One activation of so many rows to the next stage; and a pass sent from stage to stage: pp - 1 of them. */
struct orr_op orr_send_op(const struct orr_job *job, double rows);
double orr_sends_s(const struct orr_job *job, double rows);

/* Emit and price the operators of one pass from list->n on; returns the index of the first. */
size_t orr_pass_emit(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                     enum orr_phase phase, struct orr_op_list *list, struct orr_cost *costs);
/* Add the operators from `first` on up at the clock their load settles at; `bends` is working memory. */
struct orr_pass orr_pass_settle(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                                size_t first, struct orr_bend *bends);

#endif
