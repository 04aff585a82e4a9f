/* From an operator to seconds: a hierarchical roofline for matrix kernels, the DRAM rate for memory-bound ones, and
 * algorithm lines for collectives. Costs are at the chip's burst clock; the schedule later stretches matrix time by the
 * power rule. */
#ifndef ORR_COST_COST_H
#define ORR_COST_COST_H

#include "base/number.h"
#include "ops/ops.h"

#include <math.h>

/* Cost every operator of the list; costs[i] belongs to list->items[i]. */
void orr_cost_list(const struct orr_job *job, const struct orr_op_list *list, struct orr_cost *costs);
/* As orr_cost_list, for the operators from `first` on, which were appended since. */
void orr_cost_range(const struct orr_job *job, const struct orr_op_list *list, size_t first, struct orr_cost *costs);

/* Cost one operator by itself, whatever its kind. */
void orr_cost_one(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

void orr_cost_gemm(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
/* As orr_cost_gemm, at a clock at which all SMs together reach `burst_frac` of peak instead of the calibrated share. */
void orr_cost_gemm_at(const struct orr_job *job, const struct orr_op *op, double burst_frac, struct orr_cost *cost);
/* Eq. 27a: the largest power of two, up to 16 bytes, at whose multiples every row of the product's operands begins. */
int orr_gemm_pitch_bytes(const struct orr_op *op);
/* Eq. 33a: do both slices of both operand tiles fit into the shared memory of an SM? */
bool orr_tile_fits(const struct orr_chip *chip, double m, double n);
/* Set the total time of a matrix kernel and what binds it from its levels (Eq. 25). */
void orr_cost_name_bound(struct orr_cost *cost);
/* The products of experts (grouped.c), by the kernel of the engine. */
void orr_cost_grouped(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_scan(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_flash(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_pointwise(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);
void orr_cost_collective(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

/* Does a block of the decode kernel read a whole context, so that contexts of different lengths cost more (Eq. 321)? */
bool orr_reads_whole_contexts(const struct orr_job *job);

/* Decode attention as a function of the context x: launch + maximum of straight lines + reduction of the splits, in up
 * to five intervals of x. Because the pieces are straight, the steps of a request can be summed exactly. */
#define ORR_CURVE_PIECES 5
#define ORR_CURVE_LINES  4
struct orr_decode_piece {
    double from; /* first context of this piece */
    int n_lines; /* The time is the largest of a[i] + b[i] x, plus add_a + add_b x. */
    double a[ORR_CURVE_LINES], b[ORR_CURVE_LINES];
    enum orr_bound bound[ORR_CURVE_LINES];
    double add_a, add_b; /* launch and reduction of the splits */
};
struct orr_decode_curve {
    int n_pieces;
    struct orr_decode_piece pieces[ORR_CURVE_PIECES];
    double window; /* longest context that a query sees; HUGE_VAL: all */
    bool chunked;  /* The window is a chunk: beyond its end a new chunk starts. */
    double bucket, longest; /* Eq. 331: contexts read as if they filled bucket, 2 bucket, ... longest; 0: as they are */
};
/* `op` is as for orr_cost_decode, but its context n is ignored. */
struct orr_decode_curve orr_decode_curve_of(const struct orr_job *job, const struct orr_op *op, double window);
double orr_decode_curve_s(const struct orr_decode_curve *curve, double context);
/* The sum over the contexts first, first + 1, ... last, equal to adding them one by one. */
double orr_decode_curve_sum_s(const struct orr_decode_curve *curve, int64_t first, int64_t last);
void orr_cost_decode(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost);

/* The seconds of a kernel at `clock_frac` of the burst clock. The compute of matrix kernels is stretched, while memory
 * and launch keep their time (Eq. 105). Other kernels are unchanged. */
double orr_cost_at_s(const struct orr_cost *cost, double clock_frac);

/* The time of a kernel from that of its levels. They work at the same time, so the slowest sets the time (Eq. 25). A
 * grouped kernel starts every expert separately and overlaps its weights with the arithmetic only in part: its time is
 * a norm of exponent 3/2, which lies between sum and maximum. */
static inline double orr_joined_s(bool partial, double compute_s, double l2_s, double dram_s)
{
    const double high = orr_max(compute_s, dram_s);
    if (!partial || high <= 0) return orr_max(high, l2_s);
    const double ratio = orr_min(compute_s, dram_s) / high, sum = 1 + ratio * sqrt(ratio);
    return orr_max(l2_s, high * cbrt(sum * sum));
}

/* The DRAM traffic of a product with all of its batch, including re-reads when the operands of one product exceed the
 * cache (Eq. 31). */
double orr_gemm_dram_bytes(const struct orr_op *op, double l2_bytes);

/* A group of `ranks` at distance `stride`: how many ranks share a scale-up domain, how many domains there are, and how
 * many ranks share a unit of every tier above the NICs (Eq. 60). */
struct orr_placement {
    double ranks, local, domains;
    double inside[ORR_MAX_TIERS];
};
struct orr_placement orr_place(const struct orr_system *system, int64_t ranks, int64_t stride);

/* The bytes per second that a rank can send to its group of `ranks` in one domain. With a switch it is the whole port;
 * otherwise those direct links that lead to the group, which also carry bytes that pass through (Eqs. 57a-57d). */
double orr_scaleup_bytes_per_s(const struct orr_job *job, enum orr_algorithm algorithm, double ranks);

/* The bytes per second of one message to a neighbour in the domain: the whole port, or one link without a switch. */
double orr_send_bytes_per_s(const struct orr_system *system);

/* The bytes that each rank sends, and the hops that follow one another (Eqs. 49-56). */
double orr_collective_wire_bytes(enum orr_collective collective, enum orr_algorithm algorithm, double ranks,
                                 double bytes);
double orr_collective_hops(enum orr_collective collective, enum orr_algorithm algorithm, double ranks);

#endif
