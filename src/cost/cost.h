/* operator -> seconds: hierarchical roofline for matrix kernels, DRAM rate for memory-bound ones, algorithm lines for
 * collectives. Costs are at the chip's burst clock; the schedule stretches matrix time by the power rule. */
#ifndef ORR_COST_COST_H
#define ORR_COST_COST_H

#include "ops/ops.h"

/* Cost every operator of the list; costs[i] belongs to list->items[i]. */
void orr_cost_list(const struct orr_job *job, const struct orr_op_list *list, struct orr_cost *costs);

void orr_cost_gemm(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_flash(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_pointwise(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_collective(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

/* Time of a matrix kernel when its units run at `matrix_frac` of peak instead of the burst fraction it was costed
 * at: the clock stretches compute, memory and launch keep their time (Eq. 105). Other kernels are unchanged. */
double orr_cost_at(const struct orr_cost *cost, double clock_frac);

/* DRAM traffic of one m x n x k product, re-reads in when the operands exceed the cache (Eq. 31). */
double orr_gemm_dram_bytes(double m, double n, double k, double input_bytes, double output_bytes, double l2_bytes);

/* A group of `ranks` at distance `stride`: how many share a scale-up domain, and how many domains there are. */
struct orr_placement {
    double ranks, local, domains;
};
struct orr_placement orr_place(const struct orr_system *system, int64_t ranks, int64_t stride);

/* Bytes each rank puts on the wire, and dependent hops (Eqs. 49-56). */
double orr_collective_wire_bytes(enum orr_collective collective, enum orr_algorithm algorithm, double ranks, double bytes);
double orr_collective_hops(enum orr_collective collective, enum orr_algorithm algorithm, double ranks);

#endif
