/* One pass of a serving step through all layers: costs added up by kind of work, at any clock. */
#ifndef ORR_PREDICT_SERVE_PASS_H
#define ORR_PREDICT_SERVE_PASS_H

#include "cost/cost.h"
#include "ops/serve.h"

/* A prompt this short is launched kernel by kernel even where decoding is not [engine fact]. */
#define ORR_SHORT_PREFILL_TOKENS 512

/* Sums over the operators of one pass. */
struct orr_pass {
    double gemm_s, attention_s, pointwise_s, network_s; /* whole model, one rank of each stage */
    double bound_s[ORR_N_BOUNDS];
    double matrix_s;           /* matrix FLOP at the burst rate */
    double launches, gap_s;    /* by the host; idle time between kernels */
    double flops, least_bytes; /* work, and the bytes no kernel can avoid */
    double dram_bytes, link_bytes, flop_j;
};

/* Batches run in two halves: the engine overlaps them, and there is an exchange between expert ranks to hide. */
bool orr_serve_halves(const struct orr_job *job);

double orr_pass_s(const struct orr_pass *pass); /* kernels and collectives, gaps apart */

/* Emit and cost the operators of one step from list->n on; returns the index of the first. */
size_t orr_pass_build(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                      enum orr_phase phase, struct orr_op_list *list, struct orr_cost *costs);

/* Seconds one execution takes at `clock_frac` of the burst clock; what a collective hides is not seen. */
double orr_pass_op_s(const struct orr_op *op, const struct orr_cost *cost, double clock_frac);

/* Add the operators first..end up at the clock the power rule gives this load; *matrix_frac is that share of peak. */
struct orr_pass orr_pass_settled(const struct orr_job *job, const struct orr_op_list *list,
                                 const struct orr_cost *costs, size_t first, size_t end, double *matrix_frac);

#endif
