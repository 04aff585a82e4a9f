/* Matrix products: every tile and K-split that libraries offer is priced by the hierarchical roofline, and the fastest
 * is taken. Shape and format give seconds per level, bytes, and the winning tile. Eqs. 24-38. */
#include "cost/cost.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* The share of the last-level cache that holds operands while they are reused. This is an assumption. */
#define CACHE_SHARE 0.8
/* One more kernel adds the partial sums of a split product; this is its launch. */
#define SPLIT_LAUNCH_S 2e-6
/* The shortest range of K that is worth a thread block of its own. */
#define SPLIT_MIN_K 256
/* The share of the matrix rate that is left while 4- or 8-bit weights are widened to 16 bits inside the kernel. This is
 * an assumption. */
#define WIDENING_RATE 0.85
/* Kernels walk K in steps of this many elements. */
#define STEP_K 64

/* The bytes of K that a thread block holds of each row of its operand tiles. It holds two such slices: one is
 * multiplied while the next arrives. This is the shortest slice that libraries use, 32 elements of 16 bits, which is an
 * assumption. */
#define SLICE_BYTES 64

/* The output tile of a thread block. Small tiles fetch more operand bytes per FLOP from shared memory; `delivery` is
 * 1/m + 1/n over that of the reference tile, 256 x 128. */
static const struct tile {
    double m, n, per_m, per_n, delivery;
} TILES[] = {
#define TILE(m, n)                                                                                                     \
    {                                                                                                                  \
        m, n, 1.0 / m, 1.0 / n, 1.0 / m + 1.0 / n - 1.0 / 256 - 1.0 / 128                                              \
    }
    TILE(256, 128), TILE(128, 256), TILE(128, 128), TILE(128, 64),
    TILE(64, 128),  TILE(64, 64),   TILE(16, 64)
#undef TILE
};
#define N_TILES (sizeof TILES / sizeof *TILES)
static const double SPLITS[] = {1, 2, 4};
#define N_SPLITS (sizeof SPLITS / sizeof *SPLITS)

bool orr_tile_fits(const struct orr_chip *chip, double m, double n)
{
    return 2 * SLICE_BYTES * (m + n) <= chip->smem_bytes_per_sm;
}

double orr_gemm_dram_bytes(const struct orr_op *op, double l2_bytes)
{
    const double left = op->input_bytes * op->m * op->k, right = op->weight_bytes * op->k * op->n;
    const double output = op->output_bytes * op->m * op->n;
    if (left + right + output <= CACHE_SHARE * l2_bytes) return op->batch * (left + right + output);
    const double block = (double)(int64_t)sqrt(CACHE_SHARE * l2_bytes / (3 * orr_max(1, op->input_bytes))); /* Eq. 31 */
    return op->batch * (left * orr_ceil(op->n / block) + right * orr_ceil(op->m / block) + output);
}

/* The parts of the cost that do not depend on the candidate; they are worked out once. */
struct gemm {
    const struct orr_op *op;
    double k[N_SPLITS];             /* reduction of one split, rounded up */
    double partial_bytes[N_SPLITS]; /* Eq. 37 */
    double dram_s[N_SPLITS];        /* traffic of operands, result and partial sums */
    double fixed_s[N_SPLITS];
    size_t n_splits;
    double sm_s_per_flop, chip_s_per_flop; /* at the peak of one SM; at its share of what all SMs reach at once */
    double n_sm, wave_s, tile_cost;
    double least_rows, narrow_frac; /* of a tile; the share of the rate that tiles of so few rows reach */
    double read_bytes, write_bytes;                      /* DRAM traffic without partial sums */
    double l2_s_per_byte, l2_row_bytes, l2_column_bytes; /* operand bytes per tile column and per tile row */
};

/* Seconds of one tile and split at each level: Eqs. 30, 34, 35. */
struct candidate {
    double compute_s, l2_s, l2_bytes;
};

/* A tile on this product: its counts, and a lower bound for the arithmetic of all its blocks. */
struct tiling {
    double rows, columns;
    double flops;   /* FLOP of a block per element of K */
    double full;    /* blocks of the undivided product per SM, with incomplete waves */
    double least_s; /* without idle SMs or rounding to whole waves */
};

static struct tiling tiling_of(const struct gemm *g, const struct tile *tile)
{
    struct tiling t = {.rows = orr_ceil(g->op->m * tile->per_m), .columns = orr_ceil(g->op->n * tile->per_n)};
    t.flops = 2 * tile->m * tile->n * (1 + g->tile_cost * tile->delivery);
    if (tile->m == g->least_rows) t.flops /= g->narrow_frac;
    t.full = g->op->batch * t.rows * t.columns / g->n_sm;
    t.least_s = t.full * (t.flops * g->k[0] * g->chip_s_per_flop + g->wave_s);
    return t;
}

static struct candidate price(const struct gemm *g, const struct tiling *t, size_t split)
{
    const double full = t->full * SPLITS[split], waves = orr_ceil(full);
    const double flops = t->flops * g->k[split];
    struct candidate c;
    c.compute_s = flops * orr_max(waves * g->sm_s_per_flop, full * g->chip_s_per_flop) + waves * g->wave_s;
    c.l2_bytes = g->l2_row_bytes * t->columns + g->l2_column_bytes * t->rows + g->write_bytes + g->partial_bytes[split];
    c.l2_s = c.l2_bytes * g->l2_s_per_byte;
    return c;
}

static void prepare_splits(struct gemm *g, bool may_split, double launch_s, double dram_s, double read_s_per_byte)
{
    const struct orr_op *op = g->op;
    for (g->n_splits = 0; g->n_splits < N_SPLITS; g->n_splits++) {
        const double split = SPLITS[g->n_splits];
        if (split > 1 && (!may_split || op->k < split * SPLIT_MIN_K)) break;
        g->k[g->n_splits] = orr_ceil(op->k / (split * STEP_K)) * STEP_K;
        g->partial_bytes[g->n_splits] = split > 1 ? 8 * split * op->batch * op->m * op->n : 0;
        g->dram_s[g->n_splits] = dram_s + g->partial_bytes[g->n_splits] * read_s_per_byte;
        g->fixed_s[g->n_splits] = launch_s + (split > 1 ? SPLIT_LAUNCH_S : 0);
    }
}

/* Rows of a matrix lie behind each other in memory, so their length decides where they begin. A product reads rows of
 * length k and n, a weight gradient rows of length m and n. Lengths that are no whole number are means and say
 * nothing. */
static int row_pitch_bytes(double length, double element_bytes)
{
    const double bytes = length * element_bytes;
    const int64_t whole = (int64_t)bytes;
    if ((double)whole != bytes || whole % 16 == 0) return 16;
    return whole % 8 == 0 ? 8 : whole % 4 == 0 ? 4 : 2;
}

/* Fewer rows than this are multiplied by kernels for vectors, which read rows that begin anywhere. This is an
 * assumption; the least that was measured is 57 rows. */
#define VECTOR_ROWS 16

int orr_gemm_pitch_bytes(const struct orr_op *op)
{
    if (op->kind != ORR_OP_GEMM || (op->m < VECTOR_ROWS && !op->wgrad)) return 16;
    const int columns = row_pitch_bytes(op->n, op->input_bytes);
    const int rows = row_pitch_bytes(op->wgrad ? op->m : op->k, op->input_bytes);
    return columns < rows ? columns : rows;
}

/* Eq. 27a: the share of the matrix rate that is left where operands cannot be loaded 16 bytes at a time. */
static double pitch_frac(const struct orr_gemm_constants *u, const struct orr_op *op)
{
    const int pitch_bytes = orr_gemm_pitch_bytes(op);
    const double frac = pitch_bytes == 16  ? 1
                        : pitch_bytes == 8 ? u->pitch_8_frac
                        : pitch_bytes == 4 ? u->pitch_4_frac
                                           : u->pitch_2_frac;
    return frac > 0 ? frac : 1;
}

/* Eq. 354: the fewest rows that a kernel multiplies, whether the product has them or not. The matrix units of Hopper
 * take 64 rows of one operand at once and 8 or more of the other: a kernel that lays the tokens along the first, or
 * that has no narrow tile, multiplies 64 rows. Kernels that widen their weights are not the library's. Chips without a
 * share for narrow tiles have the tiles of their library in the other constants. */
static double least_rows(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_gemm_constants *u = &job->calibration.gemm[op->dtype];
    const bool library = u->narrow_frac > 0 && op->weight_bytes >= op->input_bytes;
    return orr_max(u->tile_rows, library ? (double)job->engine.library_tile_rows : 0);
}

/* Eq. 384: over the peak of the format, where the chip adds up faster in 16 bits. Operands come as fast as before. */
static double half_sum_ratio(const struct orr_chip *chip, const struct orr_op *op)
{
    const double peak = op->half_sums ? chip->half_sum_flops_per_s : 0;
    return peak > 0 ? peak / chip->peak_flops_per_s[op->dtype] : 1;
}

static struct gemm prepare(const struct orr_job *job, const struct orr_op *op, double burst_frac)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_gemm_constants *u = &job->calibration.gemm[op->dtype];
    /* Weights narrower than the format of the multiplication are widened on the way to the matrix units. */
    const double widening = op->weight_bytes < op->input_bytes ? WIDENING_RATE : 1;
    const double n_sm = (double)chip->n_sm;
    const double faster = half_sum_ratio(chip, op);
    const double sm_peak = faster * chip->peak_flops_per_s[op->dtype] / n_sm * widening * pitch_frac(u, op);
    const double operand = op->batch * op->k / chip->l2_multicast;
    struct gemm g = {.op = op,
                     .sm_s_per_flop = 1 / (sm_peak * orr_max(u->sm_frac, burst_frac)),
                     .chip_s_per_flop = 1 / (sm_peak * burst_frac),
                     .n_sm = n_sm,
                     .wave_s = u->wave_s,
                     .tile_cost = faster * u->tile_cost,
                     .least_rows = least_rows(job, op),
                     .narrow_frac = u->narrow_frac > 0 ? u->narrow_frac : 1,
                     .write_bytes = op->batch * op->output_bytes * op->m * op->n,
                     .l2_s_per_byte = 1 / (chip->l2_bytes_per_s * job->calibration.l2_frac),
                     .l2_row_bytes = operand * op->input_bytes * op->m,
                     .l2_column_bytes = operand * op->weight_bytes * op->n};
    g.read_bytes = orr_gemm_dram_bytes(op, chip->l2_bytes) - g.write_bytes;
    const double read_s_per_byte = 1 / (chip->hbm_bytes_per_s * u->dram_frac);
    const double dram_s = (g.read_bytes + u->dram_ramp_bytes) * read_s_per_byte +
                          g.write_bytes / (chip->hbm_bytes_per_s * job->calibration.write_frac);
    /* The 4-bit kernels behind the constants walk all of K; engines that time several kernels find others. */
    const bool may_split = op->dtype != ORR_DTYPE_FP4 || job->engine.tuned_fp4;
    prepare_splits(&g, may_split, u->launch_s, dram_s, read_s_per_byte);
    return g;
}

void orr_cost_name_bound(struct orr_cost *cost)
{
    const double slowest = orr_max(cost->compute_s, orr_max(cost->l2_s, cost->dram_s));
    cost->bound = cost->launch_s > slowest     ? ORR_BOUND_OVERHEAD
                  : cost->compute_s == slowest ? ORR_BOUND_COMPUTE
                  : cost->dram_s == slowest    ? ORR_BOUND_DRAM
                                               : ORR_BOUND_L2;
    cost->total_s = orr_joined_s(cost->partial_overlap, cost->compute_s, cost->l2_s, cost->dram_s) + cost->launch_s;
}

/* The tile and split with the least time; of those that wait for memory alike, the one with the least arithmetic, which
 * stays the fastest at every lower clock. The smallest tile is always possible, because a kernel can hold shorter
 * slices of it. */
struct winner {
    size_t tile, split;
};

static struct winner fastest(const struct gemm *g, const struct orr_chip *chip)
{
    const struct orr_op *op = g->op;
    const double even_s = 2 * op->batch * op->m * op->n * g->k[0] / g->n_sm * g->chip_s_per_flop;
    struct winner winner = {N_TILES - 1, 0};
    double best_s = HUGE_VAL, best_compute_s = HUGE_VAL;
    for (size_t i = 0; i < N_TILES; i++) {
        if (TILES[i].m < g->least_rows) continue;
        if (i + 1 < N_TILES && !orr_tile_fits(chip, TILES[i].m, TILES[i].n)) continue;
        /* Without any incomplete row, column or wave, the operand delivery of this tile alone makes it too slow. */
        if (even_s * (1 + g->tile_cost * TILES[i].delivery) + g->fixed_s[0] > best_s) continue;
        const struct tiling tiling = tiling_of(g, &TILES[i]);
        for (size_t split = 0; split < g->n_splits; split++) {
            /* A split only fills waves; it lowers neither the arithmetic of the tile nor the traffic. */
            if (orr_max(tiling.least_s, g->dram_s[split]) + g->fixed_s[split] > best_s) continue;
            const struct candidate c = price(g, &tiling, split);
            const double total_s = orr_joined_s(false, c.compute_s, c.l2_s, g->dram_s[split]) + g->fixed_s[split];
            if (total_s > best_s || (total_s >= best_s && c.compute_s >= best_compute_s)) continue;
            best_s = total_s;
            best_compute_s = c.compute_s;
            winner = (struct winner){i, split};
        }
    }
    return winner;
}

/* 8-bit products of kernels that take their tile from the rows alone (64 x 16 up to 16 rows, 64 x 64 up to 64, 64 x 128
 * up to 128, 128 x 128 beyond), beside the library's choice. The levels are medians of filled tiles over 20 shapes, and
 * a tile that is more than a quarter empty loses time with every empty row (validation/kernels/h200_fp8_tiles.csv).
 * From 1,024 rows on, both run at the limit of power and take the same time; between 512 and 1,024 nothing was measured
 * at that limit, and the library's time is kept. */
#define FIXED_TILE_MOST_ROWS 512

static double fixed_tile_cost(double rows)
{
    if (rows <= 16 || rows > FIXED_TILE_MOST_ROWS) return 1;
    const double tile = rows <= 128 ? 64 : 128, level = rows <= 64 ? 1 : rows <= 128 ? 1.06 : 1.11;
    const double empty = 1 - rows / (tile * orr_ceil(rows / tile));
    return level * (1 + tile / 80 * orr_max(0, empty - 0.25)); /* Eq. 266 */
}

static bool has_fixed_tile(const struct orr_job *job, const struct orr_op *op)
{
    const char *family = job->engine.fixed_fp8_tiles;
    return op->dtype == ORR_DTYPE_FP8 && *family && strcmp(family, job->system.chip.family) == 0;
}

/* Eq. 327: a weight gradient that is added to a sum reads and writes more than the two bytes of a plain result. The
 * kernel moves these bytes when a tile is done, and its arithmetic hides a part of them only. */
#define PLAIN_RESULT_BYTES 2
static double exposed_sum_s(const struct orr_job *job, const struct orr_op *op)
{
    const double more = op->output_bytes - PLAIN_RESULT_BYTES;
    if (!op->wgrad || more <= 0) return 0;
    return job->calibration.sum_exposed_frac * more * op->batch * op->m * op->n / job->system.chip.hbm_bytes_per_s;
}

/* Eq. 30a: a kernel that does not divide the reduction waits for memory at each of its steps, however few tiles there
 * are. */
static double walk_s(const struct orr_job *job, const struct orr_op *op)
{
    return job->calibration.gemm[op->dtype].walk_s_per_element * op->k;
}

/* Eq. 385: every 32 elements of K, a sum of integers becomes a float, is multiplied with both scales and added up. */
#define BLOCK_K            32
#define VECTOR_INSTRUCTIONS 3

static double scales_s(const struct orr_job *job, const struct orr_op *op)
{
    const double sums = op->in_blocks ? op->batch * op->m * op->n * op->k / BLOCK_K : 0;
    return sums * VECTOR_INSTRUCTIONS / (job->system.chip.vector_flops_per_s / 2);
}

void orr_cost_gemm_at(const struct orr_job *job, const struct orr_op *op, double burst_frac, struct orr_cost *cost)
{
    const struct gemm g = prepare(job, op, burst_frac);
    const struct winner winner = fastest(&g, &job->system.chip);
    const struct tiling tiling = tiling_of(&g, &TILES[winner.tile]);
    const struct candidate c = price(&g, &tiling, winner.split);
    const size_t split = winner.split;
    const double peak = half_sum_ratio(&job->system.chip, op) * job->system.chip.peak_flops_per_s[op->dtype];
    const double slower = has_fixed_tile(job, op) ? fixed_tile_cost(op->m) : 1;
    *cost = (struct orr_cost){.matrix_frac = burst_frac,
                              .matrix_s = op->flops / (peak * burst_frac),
                              .compute_s = orr_max(slower * c.compute_s + exposed_sum_s(job, op) + scales_s(job, op),
                                                   walk_s(job, op)),
                              .l2_s = slower * c.l2_s,
                              .dram_s = slower * g.dram_s[split],
                              .l2_bytes = c.l2_bytes,
                              .dram_bytes = g.read_bytes + g.write_bytes + g.partial_bytes[split],
                              .launch_s = g.fixed_s[split],
                              .tile_m = (int64_t)TILES[winner.tile].m,
                              .tile_n = (int64_t)TILES[winner.tile].n,
                              .split_k = (int64_t)SPLITS[split]};
    orr_cost_name_bound(cost);
}

void orr_cost_gemm(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    orr_cost_gemm_at(job, op, job->calibration.gemm[op->dtype].burst_frac, cost);
}
