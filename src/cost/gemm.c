/* Matrix products: every tile and K-split the libraries offer is priced by the hierarchical roofline, the fastest
 * wins. Shape and format -> seconds per level, bytes, winning tile. Method 4.1-4.4. */
#include "cost/cost.h"

#include <math.h>

/* Share of the last-level cache that holds operands while they are reused [A]. */
#define CACHE_SHARE 0.8
/* Partial sums of a split product are added by one more kernel. */
#define SPLIT_LAUNCH_S 2e-6
/* Shortest K range worth its own thread block. */
#define SPLIT_MIN_K 256
/* Rows per expert at which half of a grouped product's loss is gone. */
#define GROUPED_ROWS 1024
/* K is walked in steps of this many elements. */
#define STEP_K 64

static const struct tile {
    double m, n;
} TILES[] = {{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}, {16, 64}};
static const double SPLITS[] = {1, 2, 4};

double orr_gemm_dram_bytes(double m, double n, double k, double input_bytes, double output_bytes, double l2_bytes)
{
    const double output = output_bytes * m * n, once = input_bytes * (m * k + k * n) + output;
    if (once <= CACHE_SHARE * l2_bytes)
        return once;
    const double block = floor(sqrt(CACHE_SHARE * l2_bytes / (3 * fmax(1, input_bytes)))); /* Eq. 31 */
    return input_bytes * (m * k * ceil(n / block) + k * n * ceil(m / block)) + output;
}

/* What does not depend on the candidate, worked out once. */
struct gemm {
    const struct orr_op *op;
    double sm_flops_per_s, n_sm, wave_s;
    double tile_cost;
    double read_bytes, write_bytes;           /* DRAM */
    double read_s_per_byte, write_s_per_byte, ramp_bytes;
    double l2_s_per_byte, multicast;
};

struct candidate {
    double compute_s, l2_s, dram_s, l2_bytes, dram_bytes;
};

/* Eqs. 30, 34, 35, 37 for one tile and split. */
static struct candidate price(const struct gemm *g, struct tile tile, double split)
{
    const struct orr_op *op = g->op;
    const double rows = ceil(op->m / tile.m), columns = ceil(op->n / tile.n);
    const double waves = ceil(op->batch * rows * columns * split / g->n_sm);
    const double k = ceil(op->k / split / STEP_K) * STEP_K;
    /* small tiles fetch more operand bytes per FLOP from shared memory; 256 x 128 is the reference */
    const double delivery = 1 + g->tile_cost * (1 / tile.m + 1 / tile.n - 1.0 / 256 - 1.0 / 128);
    const double partial_bytes = split > 1 ? 8 * split * op->batch * op->m * op->n : 0;
    struct candidate c;
    c.compute_s = waves * (2 * tile.m * tile.n * k * delivery / g->sm_flops_per_s + g->wave_s);
    c.l2_bytes = op->batch * (op->input_bytes * (op->m * op->k * columns + op->k * op->n * rows) / g->multicast +
                              op->output_bytes * op->m * op->n) + partial_bytes;
    c.l2_s = c.l2_bytes * g->l2_s_per_byte;
    c.dram_bytes = g->read_bytes + g->write_bytes + partial_bytes;
    c.dram_s = (g->read_bytes + partial_bytes + g->ramp_bytes) * g->read_s_per_byte + g->write_bytes * g->write_s_per_byte;
    return c;
}

static struct gemm prepare(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_gemm_constants *u = &job->calibration.gemm[op->dtype];
    /* the loss of a grouped product fades as every expert gets enough rows */
    const double loss = op->kind == ORR_OP_GROUPED ? (1 - u->grouped_frac) * GROUPED_ROWS / (op->m + GROUPED_ROWS) : 0;
    const double rate = u->burst_frac * (1 - loss);
    const double n_sm = (double)chip->n_sm, written = op->batch * op->output_bytes * op->m * op->n;
    return (struct gemm){
        .op = op,
        .sm_flops_per_s = chip->peak_flops_per_s[op->dtype] / n_sm * rate,
        .n_sm = n_sm,
        .wave_s = u->wave_s,
        .tile_cost = u->tile_cost,
        .read_bytes = op->batch * orr_gemm_dram_bytes(op->m, op->n, op->k, op->input_bytes, op->output_bytes, chip->l2_bytes) - written,
        .write_bytes = written,
        .read_s_per_byte = 1 / (chip->hbm_bytes_per_s * u->dram_frac),
        .write_s_per_byte = 1 / (chip->hbm_bytes_per_s * job->calibration.write_frac),
        .ramp_bytes = u->dram_ramp_bytes,
        .l2_s_per_byte = 1 / (chip->l2_bytes_per_s * job->calibration.l2_frac),
        .multicast = chip->l2_multicast};
}

static void name_bound(struct orr_cost *cost)
{
    const double slowest = fmax(cost->compute_s, fmax(cost->l2_s, cost->dram_s));
    cost->bound = cost->launch_s > slowest       ? ORR_BOUND_OVERHEAD
                  : cost->compute_s == slowest   ? ORR_BOUND_COMPUTE
                  : cost->dram_s == slowest      ? ORR_BOUND_DRAM
                                                 : ORR_BOUND_L2;
    cost->total_s = slowest + cost->launch_s; /* Eq. 25 */
}

void orr_cost_gemm(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const struct gemm g = prepare(job, op);
    const double launch_s = job->calibration.gemm[op->dtype].launch_s;
    double best_s = HUGE_VAL;
    *cost = (struct orr_cost){.matrix_frac = job->calibration.gemm[op->dtype].burst_frac,
                              .matrix_s = op->flops / (job->system.chip.peak_flops_per_s[op->dtype] * job->calibration.gemm[op->dtype].burst_frac)};
    for (size_t i = 0; i < sizeof TILES / sizeof *TILES; i++)
        for (size_t j = 0; j < sizeof SPLITS / sizeof *SPLITS; j++) {
            if (SPLITS[j] > 1 && op->k / SPLITS[j] < SPLIT_MIN_K)
                break;
            const struct candidate c = price(&g, TILES[i], SPLITS[j]);
            const double fixed_s = launch_s + (SPLITS[j] > 1 ? SPLIT_LAUNCH_S : 0);
            const double total_s = fmax(c.compute_s, fmax(c.l2_s, c.dram_s)) + fixed_s;
            if (total_s >= best_s)
                continue;
            best_s = total_s;
            cost->compute_s = c.compute_s;
            cost->l2_s = c.l2_s;
            cost->dram_s = c.dram_s;
            cost->l2_bytes = c.l2_bytes;
            cost->dram_bytes = c.dram_bytes;
            cost->launch_s = fixed_s;
            cost->tile_m = (int64_t)TILES[i].m;
            cost->tile_n = (int64_t)TILES[i].n;
            cost->split_k = (int64_t)SPLITS[j];
        }
    name_bound(cost);
}
