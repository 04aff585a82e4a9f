/* operator -> seconds: hierarchical roofline for matrix kernels, DRAM rate for memory-bound ones, algorithm lines for
 * collectives. Costs are at the chip's burst clock; the schedule stretches matrix time by the power rule. */
#ifndef ORR_COST_COST_H
#define ORR_COST_COST_H

#include "base/number.h"
#include "ops/ops.h"

#include <math.h>

/* Cost every operator of the list; costs[i] belongs to list->items[i]. */
void orr_cost_list(const struct orr_job *job, const struct orr_op_list *list, struct orr_cost *costs);
/* The same from `first` on: operators appended since. */
void orr_cost_range(const struct orr_job *job, const struct orr_op_list *list, size_t first, struct orr_cost *costs);

/* Cost one operator by itself, whatever its kind. */
void orr_cost_one(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

void orr_cost_gemm(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
/* The same on a chip whose clock allows all SMs together `burst_frac` of peak, not the share of the calibration. */
void orr_cost_gemm_at(const struct orr_job *job, const struct orr_op *op, double burst_frac, struct orr_cost *cost);
void orr_cost_grouped(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_scan(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_flash(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_pointwise(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_collective(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

/* Decode attention as a function of the context x: launch + max of straight lines + reduction of the splits, in up to
 * five stretches of x. Straight pieces are what lets the steps of a request be summed exactly. */
#define ORR_CURVE_PIECES 5
#define ORR_CURVE_LINES  4
struct orr_decode_piece {
    double from; /* first context it holds for */
    int n_lines; /* time is the largest of a[i] + b[i] x ... */
    double a[ORR_CURVE_LINES], b[ORR_CURVE_LINES];
    enum orr_bound bound[ORR_CURVE_LINES];
    double add_a, add_b; /* ... plus this */
};
struct orr_decode_curve {
    int n_pieces;
    struct orr_decode_piece pieces[ORR_CURVE_PIECES];
    double window; /* contexts beyond it cost no more; HUGE_VAL: none */
    bool chunked;  /* ... or begin anew */
};
/* `op` as for orr_cost_decode; its context n is ignored. */
struct orr_decode_curve orr_decode_curve_of(const struct orr_job *job, const struct orr_op *op, double window);
double orr_decode_curve_s(const struct orr_decode_curve *curve, double context);
/* Sum over the whole contexts first, first + 1, ... last; equal to adding them one by one. */
double orr_decode_curve_sum_s(const struct orr_decode_curve *curve, int64_t first, int64_t last);
void orr_cost_decode(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

/* Seconds of a kernel at `clock_frac` of the burst clock it was costed at: compute of matrix kernels is stretched,
 * memory and launch keep their time (Eq. 105). Other kernels are unchanged. */
double orr_cost_at_s(const struct orr_cost *cost, double clock_frac);

/* Levels of a kernel joined: they work at once, so the slowest sets the time (Eq. 25). A grouped kernel starts every
 * expert anew and overlaps its weights with the arithmetic only in part: a norm of exponent 3/2 between sum and
 * maximum. */
static inline double orr_joined_s(bool partial, double compute_s, double l2_s, double dram_s)
{
    const double high = orr_max(compute_s, dram_s);
    if (!partial || high <= 0) return orr_max(high, l2_s);
    const double ratio = orr_min(compute_s, dram_s) / high, sum = 1 + ratio * sqrt(ratio);
    return orr_max(l2_s, high * cbrt(sum * sum));
}

/* DRAM traffic of a product, all of its batch; re-reads in when the operands of one exceed the cache (Eq. 31). */
double orr_gemm_dram_bytes(const struct orr_op *op, double l2_bytes);

/* A group of `ranks` at distance `stride`: how many share a scale-up domain, and how many domains there are. */
struct orr_placement {
    double ranks, local, domains;
};
struct orr_placement orr_place(const struct orr_system *system, int64_t ranks, int64_t stride);

/* Bytes per second a rank of a group of `ranks` in one domain can send to the group: through its whole port into a
 * switch, over those of its direct links that lead to the group, shared with bytes that pass through (Eqs. 57a-57d). */
double orr_scaleup_bytes_per_s(const struct orr_job *job, enum orr_algorithm algorithm, double ranks);

/* Bytes each rank puts on the wire, and dependent hops (Eqs. 49-56). */
double orr_collective_wire_bytes(enum orr_collective collective, enum orr_algorithm algorithm, double ranks,
                                 double bytes);
double orr_collective_hops(enum orr_collective collective, enum orr_algorithm algorithm, double ranks);

#endif
