/* Grouped products: the rows of each expert times its own weights. Frameworks launch them as one kernel with tiles of
 * their own, or as plain products. Eqs. 28, 158-160. */
#include "cost/cost.h"

#include "base/number.h"
#include "ops/experts.h"

#include <math.h>

/* The share of the matrix rate that is left in grouped kernels that multiply in 16 bits while 4-bit weights are widened
 * inside them. It was measured with Triton kernels that widen 4-bit weights with block scales on an H200, with at least
 * 128 rows per expert: 10 timings, median error 6 % (validation/kernels/h200_widening.csv). */
#define GROUPED_WIDENING_RATE 0.35
/* FLOP of the matrix units of that H200 in 16 bits for one of its other units: 989.4 and 66.9 TFLOP/s (data sheet). */
#define WIDENED_ON_RATIO (989.4 / 66.9)

/* Marlin in vLLM 0.9.2 to 0.19 and SGLang 0.5.9 (fused_marlin_moe.py): tiles of 8, 16, 32, 48 or 64 rows. */
#define MARLIN_FULL      0.9
#define MARLIN_MOST_ROWS 64.0

/* Beyond so many standard deviations from its mean, the number of rows of an expert is certain. */
#define SURE_DEVIATIONS 6.0

struct tile_rule {
    double small_rows, small_m, small_n, large_m, large_n, cluster;
};

static struct tile_rule rule_of(enum orr_expert_kernel kernel)
{
#define ORR_X_RULE_(name, word, rows, sm, sn, lm, ln, cluster, ...)                                                    \
    [ORR_EXPERT_##name] = {rows, sm, sn, lm, ln, cluster},
    static const struct tile_rule RULES[ORR_N_EXPERT_KERNELS] = {ORR_EXPERT_KERNELS(ORR_X_RULE_)};
#undef ORR_X_RULE_
    return RULES[kernel];
}

/* The part of the constants that differs between libraries. */
struct library {
    double frac, tile_s, dram_frac, launch_s, idle_s;
    double flops_per_s; /* of tiles, with what widening takes */
};

/* Eq. 394: Marlin's tiles are the shortest in which the rows of an expert on average fill less than 0.9. */
static double marlin_rows(const struct orr_op *op)
{
    static const double ROWS[] = {8, 16, 32, 48};
    const double mean = op->batch * op->m / (op->batch + op->n_idle_experts);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (mean < MARLIN_FULL * ROWS[i]) return ROWS[i];
    return MARLIN_MOST_ROWS;
}

static enum orr_four_bit_experts four_bit_of(const struct orr_job *job, const struct orr_op *op)
{
    return orr_experts_four_bit(job, op->dtype, op->input_bytes, op->weight_bytes);
}

/* 4-bit weights have low-latency kernels for 4- or 8-bit rows on some chips (Eq. 28a), and kernels that widen them for
 * 16-bit rows (Eqs. 394, 395). */
static struct library constants_of(const struct orr_job *job, const struct orr_op *op, enum orr_four_bit_experts four)
{
    const struct orr_gemm_constants *u = &job->calibration.gemm[op->dtype];
    switch (four) {
    case ORR_FOUR_GEN:
        return (struct library){
            u->grouped_gen_frac, u->grouped_gen_tile_s, u->grouped_gen_dram_frac, u->grouped_gen_launch_s, 0, 0};
    case ORR_FOUR_MARLIN:
        return (struct library){u->grouped_marlin_frac,
                                u->grouped_marlin_tile_s,
                                u->grouped_marlin_dram_frac,
                                u->grouped_marlin_launch_s,
                                0,
                                0};
    case ORR_FOUR_MX:
        return (struct library){
            u->grouped_mx_frac, u->grouped_mx_tile_s, u->grouped_mx_dram_frac, u->grouped_mx_launch_s, 0, 0};
    case ORR_FOUR_LIBRARY: break;
    }
    const bool triton = orr_experts_triton(job, op->dtype, op->weight_bytes);
    if (triton && op->fixed_tiles && u->grouped_fixed_dram_frac > 0)
        return (struct library){u->grouped_fixed_frac,
                                u->grouped_fixed_tile_s,
                                u->grouped_fixed_dram_frac,
                                u->grouped_fixed_launch_s,
                                0,
                                0};
    if (triton)
        return (struct library){u->grouped_triton_frac,
                                u->grouped_triton_tile_s,
                                u->grouped_triton_dram_frac,
                                u->grouped_triton_launch_s,
                                0,
                                0};
    return (struct library){u->grouped_frac,     u->grouped_tile_s, u->grouped_dram_frac,
                            u->grouped_launch_s, u->grouped_idle_s, 0};
}

/* Eq. 376: the units that widen are not those that multiply, and one waits for the other. What widening adds to the
 * time of the matrix units is the larger, the more of these a chip has for one of the others. */
static double widening_frac(const struct orr_chip *chip, enum orr_dtype dtype)
{
    const double ratio = chip->peak_flops_per_s[dtype] / chip->vector_flops_per_s;
    return 1 / (1 + (1 / GROUPED_WIDENING_RATE - 1) * ratio / WIDENED_ON_RATIO);
}

static struct library library_of(const struct orr_job *job, const struct orr_op *op)
{
    const enum orr_four_bit_experts four = four_bit_of(job, op);
    struct library library = constants_of(job, op, four);
    /* Products of 8 and 4 bits need no widening, and kernels that were timed with it have it in their rate. */
    const bool widened = op->weight_bytes < op->input_bytes && op->input_bytes >= 2 && four == ORR_FOUR_LIBRARY;
    library.flops_per_s = job->system.chip.peak_flops_per_s[op->dtype] * library.frac *
                          (widened ? widening_frac(&job->system.chip, op->dtype) : 1);
    return library;
}

/* What all grouped kernels share: traffic, rate of the matrix units, launch. Eq. 28b: blocks look for their rows expert
 * by expert, and pass those without rows one after another, while nothing else is left to do. */
static struct orr_cost common_cost(const struct orr_job *job, const struct orr_op *op, const struct library *library)
{
    const double bytes = orr_gemm_dram_bytes(op, job->system.chip.l2_bytes);
    const double burst_frac = job->calibration.gemm[op->dtype].burst_frac;
    return (struct orr_cost){.partial_overlap = true,
                             .matrix_frac = burst_frac,
                             .matrix_s = op->flops / (job->system.chip.peak_flops_per_s[op->dtype] * burst_frac),
                             .split_k = 1,
                             .launch_s = library->launch_s + op->n_idle_experts * library->idle_s,
                             .dram_bytes = bytes,
                             .l2_bytes = bytes,
                             .dram_s = bytes / (job->system.chip.hbm_bytes_per_s * library->dram_frac)};
}

/* Eq. 28: seconds of one tile on one SM. */
static double tile_s_of(const struct orr_job *job, const struct orr_op *op, const struct library *library, double m,
                        double n)
{
    return 2 * m * n * op->k * (double)job->system.chip.n_sm / library->flops_per_s + library->tile_s;
}

/* Eq. 158: the blocks of `height` rows that an expert fills on average. Tokens choose experts at random, so that the
 * rows of one vary by the root of their mean; every expert that is used fills at least one block. */
static double mean_blocks(double rows, double height)
{
    const double deviation = sqrt(rows);
    if (deviation >= height) return rows / height + 0.5;
    double blocks = 1;
    for (double edge = height; edge < rows + SURE_DEVIATIONS * deviation; edge += height)
        blocks += 0.5 * erfc((edge - rows) / deviation / sqrt(2));
    return blocks;
}

/* Rows of tiles that an expert fills. The output of a weight gradient is a whole matrix; elsewhere rows are tokens. */
static double tall_blocks(const struct orr_op *op, double height)
{
    return op->wgrad ? orr_ceil(op->m / height) : mean_blocks(op->m, height);
}

/* The tiles of grouped kernels. Experts have few rows, so some tiles are flat. */
static const struct {
    double m, n;
} GROUPED_TILES[] = {{16, 64}, {16, 128}, {16, 256}, {64, 64}, {64, 128}, {64, 256}, {128, 64}, {128, 128}, {128, 256}};
/* The first of them have all columns that there are. */
#define N_GROUPED_COLUMNS 3

/* A persistent kernel walks the tiles of all experts, so waves have no abrupt end; every tile takes a fixed time. */
static void cost_tuned(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const struct library library = library_of(job, op);
    const double n_sm = (double)job->system.chip.n_sm;
    const double rows = four_bit_of(job, op) == ORR_FOUR_MARLIN ? marlin_rows(op) : 0;
    const size_t n_tiles = rows > 0 ? N_GROUPED_COLUMNS : sizeof GROUPED_TILES / sizeof *GROUPED_TILES;
    double walk_s = HUGE_VAL;
    *cost = common_cost(job, op, &library);
    for (size_t i = 0; i < n_tiles; i++) {
        const double m = rows > 0 ? rows : GROUPED_TILES[i].m, n = GROUPED_TILES[i].n;
        if (i > 0 && !orr_tile_fits(&job->system.chip, m, n)) continue;
        const double blocks = op->batch * tall_blocks(op, m) * orr_ceil(op->n / n);
        const double time_s = orr_max(1, blocks / n_sm) * tile_s_of(job, op, &library, m, n);
        if (time_s >= walk_s) continue;
        walk_s = time_s;
        cost->tile_m = (int64_t)m;
        cost->tile_n = (int64_t)n;
    }
    cost->compute_s = orr_max(walk_s, cost->matrix_s);
    cost->dram_s =
        orr_max(cost->dram_s, job->calibration.gemm[op->dtype].grouped_walk_s_per_element * op->k); /* Eq. 30a */
    orr_cost_name_bound(cost);
}

/* Eqs. 158, 159: the kernel has two tiles and clusters of SMs that share the weights of a tile. A cluster computes all
 * its tiles along the rows, also those that have none. Only one SM of a cluster has weights of its own on the way, so
 * that few rows are read at the rate of so many SMs. */
static void cost_clustered(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct library library = library_of(job, op);
    const struct tile_rule rule = rule_of(job->engine.expert_kernel);
    const bool small = op->m <= rule.small_rows || op->n <= rule.small_rows;
    const double m = small ? rule.small_m : rule.large_m, n = small ? rule.small_n : rule.large_n;
    const double height = m * rule.cluster, n_sm = (double)chip->n_sm;
    const double blocks = op->batch * tall_blocks(op, height) * rule.cluster * orr_ceil(op->n / n);
    *cost = common_cost(job, op, &library);
    cost->tile_m = (int64_t)m;
    cost->tile_n = (int64_t)n;
    const double padded = blocks * m * n / (op->batch * op->m * op->n);
    cost->compute_s = orr_max(orr_max(1, blocks / n_sm) * tile_s_of(job, op, &library, m, n), cost->matrix_s * padded);
    const double readers = orr_min(n_sm, blocks) / rule.cluster;
    const double sm_bytes_per_s = job->calibration.decode[ORR_DECODE_PAGED][op->weight_bytes < 2].sm_bytes_per_s;
    cost->dram_s = orr_max(cost->dram_s, cost->dram_bytes / (readers * sm_bytes_per_s));
    orr_cost_name_bound(cost);
}

/* Eq. 160: plain products one after another. Each has its own waves and its own start. Streams hardly change that: the
 * blocks of one product keep the others waiting until they drain. On an H200 four streams took 0.97 of the time of a
 * loop in the median of 144 products with random rows, and 0.64 for the smallest
 * (validation/kernels/h200_grouped.csv). */
static void cost_loop(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    struct orr_op one = *op;
    one.kind = ORR_OP_GEMM;
    one.batch = 1;
    one.flops = op->flops / op->batch;
    one.bytes = op->bytes / op->batch;
    orr_cost_gemm(job, &one, cost);
    double *const parts[] = {&cost->total_s,  &cost->compute_s, &cost->l2_s,     &cost->dram_s,
                             &cost->launch_s, &cost->matrix_s,  &cost->l2_bytes, &cost->dram_bytes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] *= op->batch;
}

void orr_cost_grouped(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    switch (job->engine.expert_kernel) {
    case ORR_EXPERT_TUNED: cost_tuned(job, op, cost); return;
    case ORR_EXPERT_GROUPED_MM:
        /* Chips without clusters have no such kernel: the framework loops over the experts. */
        if (job->system.chip.l2_multicast > 1) cost_clustered(job, op, cost);
        else cost_loop(job, op, cost);
        return;
    case ORR_EXPERT_STREAMS:
    case ORR_EXPERT_LOOP: cost_loop(job, op, cost); return;
    case ORR_N_EXPERT_KERNELS: break;
    }
    *cost = (struct orr_cost){0};
}
