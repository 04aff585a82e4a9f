/* Attention of one query per sequence over its cached context: bytes, FLOP, blocks on SMs, split contexts. The cost is
 * piecewise straight in the context, so that all steps of a request are summed in closed form. Eqs. 11, 47, 48. */
#include "cost/cost.h"

#include "base/number.h"

#include <math.h>

/* Keys a thread block takes at least; shorter contexts are not cut further. */
#define BLOCK_KEYS 64
/* Rows a matrix instruction multiplies at once: smaller query groups are padded. */
#define GROUP_ROWS 16
/* Share of nominal last-level bandwidth left when every query head reads its K,V head again [A: 4.1 TB/s on A100,
 * 5.5 TB/s on H100, inside the 4-6 TB/s of microbenchmarks]. */
#define REREAD_L2_FRAC 0.6

static const struct orr_decode_constants *constants_of(const struct orr_job *job, const struct orr_op *op)
{
    const int narrow = op->input_bytes < 2;
    return op->latent ? &job->calibration.mla_decode[narrow] : &job->calibration.decode[job->engine.decode_kernel][narrow];
}

static void add_line(struct orr_decode_piece *piece, double a, double b, enum orr_bound bound)
{
    piece->a[piece->n_lines] = a;
    piece->b[piece->n_lines] = b;
    piece->bound[piece->n_lines++] = bound;
}

/* Lines that hold for every context: cache bytes over DRAM, FLOP over the matrix units, re-reads over the cache. */
static struct orr_decode_piece common_piece(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_decode_constants *u = constants_of(job, op);
    struct orr_decode_piece piece = {.add_a = u->launch_s};
    const double peak16 = chip->peak_flops_per_s[op->dtype];
    if (op->latent) { /* Eq. 11: k is rank + rotary; the values are the rank's part, output_bytes carries it */
        const double rank = op->output_bytes, rotary = op->k - rank;
        const double peak8 = chip->peak_flops_per_s[ORR_DTYPE_FP8];
        const double peak = op->input_bytes < 2 && peak8 > 0 ? peak8 : peak16;
        add_line(&piece, 0, op->batch * op->k * op->input_bytes / (chip->hbm_bytes_per_s * u->dram_frac), ORR_BOUND_DRAM);
        add_line(&piece, 0, 2 * op->batch * op->m * (2 * rank + rotary) / (peak * u->compute_frac), ORR_BOUND_COMPUTE);
        return piece;
    }
    const double rows = orr_max(op->m, GROUP_ROWS * op->kv_heads), bytes = 2 * op->batch * op->k * op->input_bytes;
    add_line(&piece, 0, bytes * op->kv_heads / (chip->hbm_bytes_per_s * u->dram_frac), ORR_BOUND_DRAM);
    add_line(&piece, 0, 4 * op->batch * rows * op->k / (peak16 * u->compute_frac), ORR_BOUND_COMPUTE);
    if (!op->packed && op->m > op->kv_heads)
        add_line(&piece, 0, bytes * op->m / (chip->l2_bytes_per_s * REREAD_L2_FRAC), ORR_BOUND_L2);
    return piece;
}

/* Absorbed latent attention: blocks of 64 heads, one wave time each. */
static struct orr_decode_curve latent_curve(const struct orr_job *job, const struct orr_op *op)
{
    const double padded = orr_ceil(op->m / 64) * 64, n_sm = (double)job->system.chip.n_sm;
    struct orr_decode_curve curve = {.n_pieces = 1, .pieces = {common_piece(job, op)}};
    curve.pieces[0].add_a += orr_ceil(op->batch * padded / (64 * n_sm)) * constants_of(job, op)->block_s;
    return curve;
}

/* Eq. 48: splits fill idle SMs. Up to one block of keys nothing is cut; then blocks are added; then they grow. */
static struct orr_decode_curve split_curve(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_decode_constants *u = constants_of(job, op);
    const double n_sm = (double)job->system.chip.n_sm, heads = op->batch * op->kv_heads;
    const double splits = job->engine.split_kv ? orr_max(1, floor(n_sm / heads)) : 1;
    const double waves = orr_ceil(heads * splits / n_sm), key_s = 2 * op->k * op->input_bytes / u->sm_bytes_per_s;
    const double partial_s = 8 * op->batch * op->m * op->k / job->system.chip.hbm_bytes_per_s;
    const struct orr_decode_piece common = common_piece(job, op);
    struct orr_decode_curve curve = {0};
    struct orr_decode_piece *piece = &curve.pieces[curve.n_pieces++];
    *piece = common;
    add_line(piece, waves * (u->block_s + BLOCK_KEYS * key_s), 0, ORR_BOUND_OVERHEAD);
    if (splits > 1) {
        piece = &curve.pieces[curve.n_pieces++];
        *piece = curve.pieces[0];
        piece->from = BLOCK_KEYS + 1;
        piece->add_a += u->reduce_s;
        piece->add_b += partial_s / BLOCK_KEYS;
    }
    piece = &curve.pieces[curve.n_pieces++];
    *piece = common;
    piece->from = splits * BLOCK_KEYS + 1;
    add_line(piece, waves * u->block_s, waves * key_s / splits, ORR_BOUND_DRAM);
    if (splits > 1)
        piece->add_a += u->reduce_s + partial_s * splits;
    return curve;
}

struct orr_decode_curve orr_decode_curve_of(const struct orr_job *job, const struct orr_op *op, double window)
{
    struct orr_decode_curve curve = op->latent ? latent_curve(job, op) : split_curve(job, op);
    curve.window = window > 0 ? window : HUGE_VAL;
    return curve;
}

static const struct orr_decode_piece *piece_at(const struct orr_decode_curve *curve, double x)
{
    int i = curve->n_pieces - 1;
    while (i > 0 && x < curve->pieces[i].from)
        i--;
    return &curve->pieces[i];
}

static int highest_line(const struct orr_decode_piece *piece, double x)
{
    int best = 0;
    for (int i = 1; i < piece->n_lines; i++)
        if (piece->a[i] + piece->b[i] * x > piece->a[best] + piece->b[best] * x)
            best = i;
    return best;
}

double orr_decode_curve_at(const struct orr_decode_curve *curve, double context)
{
    const double x = orr_min(context, curve->window);
    const struct orr_decode_piece *piece = piece_at(curve, x);
    const int i = highest_line(piece, x);
    return piece->a[i] + piece->b[i] * x + piece->add_a + piece->add_b * x;
}

/* Last whole x in [x, last] at which line i of the piece is still the highest. */
static int64_t line_end(const struct orr_decode_piece *piece, int line, int64_t x, int64_t last)
{
    int64_t end = last;
    for (int i = 0; i < piece->n_lines; i++) {
        if (piece->b[i] <= piece->b[line])
            continue; /* only a steeper line overtakes */
        const double cross = (piece->a[line] - piece->a[i]) / (piece->b[i] - piece->b[line]);
        if (cross < (double)end)
            end = cross < (double)x ? x : (int64_t)cross;
    }
    return end;
}

/* Arithmetic series of one line over x..end. */
static double line_sum(const struct orr_decode_piece *piece, int line, int64_t x, int64_t end)
{
    const double n = (double)(end - x + 1), mean = ((double)x + (double)end) / 2;
    return n * (piece->a[line] + piece->add_a + (piece->b[line] + piece->add_b) * mean);
}

static double piece_sum(const struct orr_decode_piece *piece, int64_t x, int64_t last)
{
    double sum = 0;
    while (x <= last) {
        const int line = highest_line(piece, (double)x);
        const int64_t end = line_end(piece, line, x, last);
        sum += line_sum(piece, line, x, end);
        x = end + 1;
    }
    return sum;
}

double orr_decode_curve_sum(const struct orr_decode_curve *curve, int64_t first, int64_t last)
{
    double sum = 0;
    const int64_t flat = curve->window < (double)last ? (int64_t)curve->window : last; /* beyond it nothing grows */
    for (int i = 0; i < curve->n_pieces; i++) {
        const int64_t from = first > (int64_t)curve->pieces[i].from ? first : (int64_t)curve->pieces[i].from;
        int64_t to = flat;
        if (i + 1 < curve->n_pieces && (double)to >= curve->pieces[i + 1].from)
            to = (int64_t)curve->pieces[i + 1].from - 1;
        sum += piece_sum(&curve->pieces[i], from, to);
    }
    const int64_t beyond = first > flat + 1 ? first : flat + 1;
    if (beyond <= last)
        sum += (double)(last - beyond + 1) * orr_decode_curve_at(curve, curve->window);
    return sum;
}

void orr_cost_decode(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const struct orr_decode_curve curve = orr_decode_curve_of(job, op, 0);
    const struct orr_decode_piece *piece = piece_at(&curve, op->n);
    const int i = highest_line(piece, op->n);
    const double moved_s = piece->a[i] + piece->b[i] * op->n;
    *cost = (struct orr_cost){.dram_bytes = op->bytes, .l2_bytes = op->bytes, .bound = piece->bound[i]};
    cost->dram_s = piece->a[0] + piece->b[0] * op->n;
    cost->compute_s = piece->a[1] + piece->b[1] * op->n;
    cost->launch_s = piece->add_a + piece->add_b * op->n;
    cost->total_s = moved_s + cost->launch_s;
    if (cost->launch_s > moved_s)
        cost->bound = ORR_BOUND_OVERHEAD;
}
