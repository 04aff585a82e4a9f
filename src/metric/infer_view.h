/* What an inference report looks at: one prediction and its operators over the whole request. */
#ifndef ORR_METRIC_INFER_VIEW_H
#define ORR_METRIC_INFER_VIEW_H

#include "predict/serve_pass.h"
#include "metric/view.h"

/* The operators of the prompt, or of one decode step, as they were added up. */
struct orr_infer_phase {
    struct orr_pass pass;
    double clock_frac; /* matrix clock over the burst clock (power rule) */
    double stage_frac; /* share of the pass that is time of one pipeline stage itself; the rest waits */
};

struct orr_infer_view {
    const struct orr_job *job;
    const struct orr_infer_result *result;
    const struct orr_op *ops; /* count: executions in the prompt, or in one decode step */
    const struct orr_cost *costs;
    size_t n_ops;
    struct orr_infer_phase prefill, decode;
};

struct orr_infer_view orr_infer_view_of(const struct orr_job *job, const struct orr_scratch *scratch,
                                        const struct orr_infer_result *result);

/* Decode steps after the first token: one token each, or tokens_per_step with speculation (Eq. 94). */
double orr_infer_steps(const struct orr_infer_view *view);
/* The part of the latency an operator belongs to. */
enum orr_infer_part orr_infer_part_of(const struct orr_op *op);
/* Executions of operator i in the request on one pipeline stage. */
double orr_infer_runs(const struct orr_infer_view *view, size_t i);
/* Seconds of one execution at the clock of its phase, without what is hidden beside other work. */
double orr_infer_run_s(const struct orr_infer_view *view, size_t i);
/* Seconds of the request in `part` (ORR_N_INFER_PARTS: any) that operator i takes. */
double orr_infer_part_s(const struct orr_infer_view *view, size_t i, enum orr_infer_part part);

/* Operators of one name, phase and shape, taken together; empty unless operator i is the first of them. `runs` and
 * `step_s` are of the whole request. */
struct orr_alike orr_infer_alike(const struct orr_infer_view *view, size_t i, enum orr_infer_part part);
/* The heaviest of them, in a part or (ORR_N_INFER_PARTS) in all; returns how many, at most n_max. */
size_t orr_infer_heaviest(const struct orr_infer_view *view, enum orr_infer_part part, size_t n_max,
                          struct orr_alike *alike);

/* Time the parts hold beyond the operators: pipeline sends, and a host that launches slower than the GPU runs. */
double orr_infer_sends_s(const struct orr_infer_view *view, enum orr_phase phase);
double orr_infer_host_wait_s(const struct orr_infer_view *view);

/* ---- the DRAM ridge (Eq. 96) */

/* Is the operator a matrix product with the shape m x k x n? */
bool orr_is_product(const struct orr_op *op);
/* FLOP per DRAM byte: of a product by its shape, operands read and written once; else FLOP over bytes asked for.
 * 0: no arithmetic to speak of. */
double orr_intensity(const struct orr_op *op);
/* FLOP per byte at which the chip's matrix units and its DRAM take equally long. */
double orr_ridge(const struct orr_chip *chip, enum orr_dtype dtype);
/* Smallest m at which the product is compute-bound by the ridge; 0: at no m. */
double orr_crossover_m(const struct orr_op *op, double ridge);

#endif
