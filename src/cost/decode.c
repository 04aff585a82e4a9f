/* Attention of one query per sequence over its cached context: bytes, FLOP, blocks on SMs, and split contexts. The cost
 * is piecewise linear in the context, so that all steps of a request are summed in closed form. Eqs. 11, 47, 48. */
#include "cost/cost.h"

#include "base/number.h"
#include "base/text.h"
#include "spec/job.h"

#include <math.h>

/* The least number of keys of a thread block; shorter contexts are not split further. */
#define BLOCK_KEYS 64
/* The rows that a matrix instruction multiplies at once; smaller query groups are padded. */
#define GROUP_ROWS 16
/* The query rows of a tile of FlashAttention 3 in decoding. */
#define FLASH_ROWS 64
/* The query heads of one block in absorbed latent attention. */
#define LATENT_HEADS 64

static const struct orr_decode_constants *constants_of(const struct orr_job *job, const struct orr_op *op)
{
    const int narrow = op->input_bytes < 2;
    return op->latent_rank > 0 || op->index ? &job->calibration.mla_decode[narrow]
                                            : &job->calibration.decode[job->engine.decode_kernel][narrow];
}

/* Does the kernel take one query head at a time? Kernels without packing do, and kernels with one query head per K,V
 * head. They widen and multiply elements outside the matrix units, at a rate that the SMs share equally. */
static bool one_head(const struct orr_op *op)
{
    return !op->packed || op->m <= op->kv_heads;
}

static void add_line(struct orr_decode_piece *piece, double a, double b, enum orr_bound bound)
{
    piece->a[piece->n_lines] = a;
    piece->b[piece->n_lines] = b;
    piece->bound[piece->n_lines++] = bound;
}

/* Eq. 323: the time that copies add for one more key. A cache that grows by concatenation is read and written once.
 * Heads that are repeated are read once and written for every query head, and attention then reads that many more. */
static double copied_key_s(const struct orr_job *job, const struct orr_op *op, double key_bytes)
{
    const struct orr_engine *engine = &job->engine;
    const double groups = orr_max(1, op->m / op->kv_heads);
    const double grown = engine->cache_grown ? 2 : 0;
    const double repeated = engine->cache_repeated && groups > 1 ? 2 * groups : 0;
    if (grown + repeated <= 0) return 0;
    const double copy_frac = job->calibration.pointwise_frac[ORR_POINTWISE_COPY];
    return (grown + repeated) * key_bytes / (job->system.chip.hbm_bytes_per_s * copy_frac);
}

/* Eq. 356: seconds of arithmetic for one more key of all sequences. Where the calibration has a share for tiles with
 * their empty rows, every K,V head multiplies whole tiles. */
static double key_compute_s(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_decode_constants *u = constants_of(job, op);
    const double peak = job->system.chip.peak_flops_per_s[op->dtype], flops_per_row = 4 * op->batch * op->k;
    if (u->padded_frac <= 0) /* an instruction's rows */
        return flops_per_row * orr_max(op->m, GROUP_ROWS * op->kv_heads) / (peak * u->compute_frac);
    const double tile = job->engine.decode_tile_rows > 0 ? (double)job->engine.decode_tile_rows : FLASH_ROWS;
    const double tiles = op->kv_heads * orr_ceil(op->m / op->kv_heads / tile);
    return flops_per_row * tiles * tile / (peak * u->padded_frac);
}

/* The lines of one interval of x that do not depend on splits: cache bytes over the DRAM rate, FLOP over the matrix
 * rate and, for kernels with one query head at a time, elements over their rate. Up to `ramp` keys, DRAM is not
 * saturated and delivers half its rate. */
static struct orr_decode_piece common_piece(const struct orr_job *job, const struct orr_op *op, double from,
                                            double ramp)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_decode_constants *u = constants_of(job, op);
    struct orr_decode_piece piece = {.from = from, .add_a = op->joined ? 0 : u->launch_s};
    const double keys = op->batch / orr_max(1, op->key_tokens); /* keys of all sequences for one more position */
    const double peak16 = chip->peak_flops_per_s[op->dtype];
    if (op->latent_rank > 0) { /* Eq. 11: k is rank + rotary, and the values are the rank's part. */
        const double rank = op->latent_rank, rotary = op->k - rank;
        const double peak8 = chip->peak_flops_per_s[ORR_DTYPE_FP8];
        const double peak = op->input_bytes < 2 && peak8 > 0 ? peak8 : peak16;
        const double key_bytes = op->k * op->input_bytes + op->table_bytes;
        add_line(&piece, 0, keys * key_bytes / (chip->hbm_bytes_per_s * u->dram_frac), ORR_BOUND_DRAM);
        add_line(&piece, 0, 2 * keys * op->m * (2 * rank + rotary) / (peak * u->compute_frac), ORR_BOUND_COMPUTE);
        return piece;
    }
    if (op->index) { /* keys alone, and a score of each */
        const double key_bytes = op->k * op->input_bytes + op->table_bytes;
        add_line(&piece, 0, keys * key_bytes / (chip->hbm_bytes_per_s * u->dram_frac), ORR_BOUND_DRAM);
        add_line(&piece, 0, 2 * keys * op->m * op->k / (peak16 * u->compute_frac), ORR_BOUND_COMPUTE);
        return piece;
    }
    const double elements = 2 * op->batch * op->k;
    const double key_bytes = elements * op->kv_heads * op->input_bytes + op->batch * op->table_bytes;
    const double key_s = key_bytes / (chip->hbm_bytes_per_s * u->dram_frac);
    piece.add_b += copied_key_s(job, op, key_bytes);
    add_line(&piece, from > ramp ? ramp * key_s : 0, from > ramp ? key_s : 2 * key_s, ORR_BOUND_DRAM);
    add_line(&piece, 0, key_compute_s(job, op), ORR_BOUND_COMPUTE);
    if (one_head(op)) add_line(&piece, 0, elements * op->m / u->head_elements_per_s, ORR_BOUND_COMPUTE);
    return piece;
}

/* Absorbed latent attention: every wave of blocks adds one wave time. */
static struct orr_decode_curve latent_curve(const struct orr_job *job, const struct orr_op *op)
{
    const double blocks = op->batch * orr_ceil(op->m / LATENT_HEADS), n_sm = (double)job->system.chip.n_sm;
    struct orr_decode_curve curve = {.n_pieces = 1, .pieces = {common_piece(job, op, 0, 0)}};
    if (!op->joined) curve.pieces[0].add_a += orr_ceil(blocks / n_sm) * constants_of(job, op)->block_s;
    return curve;
}

bool orr_reads_whole_contexts(const struct orr_job *job)
{
    return orr_has_word(job->engine.whole_contexts, job->system.chip.family);
}

/* Eq. 321: a kernel whose blocks walk a whole context each, as FlashAttention 2 has for many sequences, ends with its
 * longest contexts, which a few SMs read alone. Returns the length of that walk over the mean context: the longest of
 * so many contexts, less the mean walk that is left when the last block begins, for contexts with a lognormal law. */
static double uneven_walk(const struct orr_job *job, const struct orr_op *op)
{
    const double cv = job->serving.context_cv, square = 1 + cv * cv, n = orr_max(1, op->batch);
    if (cv <= 0 || !orr_reads_whole_contexts(job)) return 0;
    const double longest = exp(sqrt(2 * log(n) * log(square))) / sqrt(square);
    return orr_max(0, longest - square);
}

/* How contexts are split: the number of splits, the time of a key in a block, the first context that is worth
 * splitting, and the walk of the longest one. */
struct cut {
    double splits, waves, key_s, partial_s, from, uneven;
};

static struct cut cut_of(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_decode_constants *u = constants_of(job, op);
    const double n_sm = (double)job->system.chip.n_sm, heads = op->batch * op->kv_heads;
    const double head_s = one_head(op) ? 2 * op->k * n_sm / u->head_elements_per_s : 0;
    struct cut cut = {.splits = job->engine.split_kv ? orr_max(1, floor(n_sm / heads)) : 1,
                      .key_s = orr_max(2 * op->k * op->input_bytes / u->sm_bytes_per_s, head_s),
                      .partial_s = 8 * op->batch * op->m * op->k / job->system.chip.hbm_bytes_per_s,
                      .from = HUGE_VAL,
                      .uneven = uneven_walk(job, op)};
    cut.waves = orr_ceil(heads / n_sm);
    if (cut.splits <= 1) return cut;
    const double whole_s = cut.key_s * (1 + cut.uneven), gain = whole_s - cut.partial_s / BLOCK_KEYS;
    /* The break-even lies where the number of splits still grows, or else where all exist and grow in length. */
    cut.from = gain > 0 ? (BLOCK_KEYS * cut.key_s + u->reduce_s) / gain : HUGE_VAL;
    if (cut.from > cut.splits * BLOCK_KEYS)
        cut.from = (u->reduce_s + cut.partial_s * cut.splits) / (whole_s - cut.key_s / cut.splits);
    cut.from = floor(orr_max(cut.from, BLOCK_KEYS)) + 1;
    return cut;
}

static void add_blocks(struct orr_decode_piece *piece, const struct orr_decode_constants *u, const struct cut *cut)
{
    const bool split = piece->from >= cut->from;
    const double splits = split ? cut->splits : 1, waves = split ? 1 : cut->waves;
    const bool growing = piece->from > splits * BLOCK_KEYS;
    if (growing) add_line(piece, waves * u->block_s, waves * cut->key_s / splits, ORR_BOUND_DRAM);
    else add_line(piece, waves * (u->block_s + BLOCK_KEYS * cut->key_s), 0, ORR_BOUND_OVERHEAD);
    if (!split) piece->add_b += cut->uneven * cut->key_s;
    if (!split) return;
    piece->add_a += u->reduce_s + (growing ? cut->partial_s * splits : 0);
    piece->add_b += growing ? 0 : cut->partial_s / BLOCK_KEYS;
}

/* Eq. 48: splits fill idle SMs as soon as that is faster. New intervals begin where a block is full, where contexts are
 * split, where split blocks are full, and where DRAM is saturated. */
static struct orr_decode_curve split_curve(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_decode_constants *u = constants_of(job, op);
    const struct cut cut = cut_of(job, op);
    const double ramp = floor(u->ramp_bytes / (2 * op->batch * op->kv_heads * op->k * op->input_bytes));
    double from[ORR_CURVE_PIECES] = {0, BLOCK_KEYS + 1, cut.from, cut.splits * BLOCK_KEYS + 1, ramp + 1};
    struct orr_decode_curve curve = {0};
    for (int i = 1; i < ORR_CURVE_PIECES; i++) /* This is an insertion sort of five numbers. */
        for (int j = i; j > 0 && from[j] < from[j - 1]; j--) {
            const double lower = from[j];
            from[j] = from[j - 1];
            from[j - 1] = lower;
        }
    for (int i = 0; i < ORR_CURVE_PIECES && from[i] < HUGE_VAL; i++) {
        if (i > 0 && from[i] <= from[i - 1]) continue;
        struct orr_decode_piece *piece = &curve.pieces[curve.n_pieces++];
        *piece = common_piece(job, op, from[i], ramp);
        add_blocks(piece, u, &cut);
    }
    return curve;
}

struct orr_decode_curve orr_decode_curve_of(const struct orr_job *job, const struct orr_op *op, double window)
{
    struct orr_decode_curve curve = op->latent_rank > 0 || op->index ? latent_curve(job, op) : split_curve(job, op);
    curve.window = window > 0 ? window : HUGE_VAL;
    curve.bucket = (double)job->engine.context_bucket_tokens;
    curve.longest = (double)(orr_prompt_len(job) + job->serving.output_len);
    if (job->engine.compiled_tokens > 0) /* Eq. 374 */
        curve.bucket = curve.longest = (double)job->engine.compiled_tokens;
    return curve;
}

static const struct orr_decode_piece *piece_at(const struct orr_decode_curve *curve, double x)
{
    int i = curve->n_pieces - 1;
    while (i > 0 && x < curve->pieces[i].from) i--;
    return &curve->pieces[i];
}

static int highest_line(const struct orr_decode_piece *piece, double x)
{
    int best = 0;
    for (int i = 1; i < piece->n_lines; i++)
        if (piece->a[i] + piece->b[i] * x > piece->a[best] + piece->b[best] * x) best = i;
    return best;
}

/* The keys that a query at the end of a context sees: at most the window, or those of its own chunk. */
static double kept_keys(double context, double window, bool chunked)
{
    if (context <= window) return context;
    return chunked ? fmod(context - 1, window) + 1 : window;
}

/* Eq. 331: the length for which the graph of this context was compiled. */
static double bucket_of(const struct orr_decode_curve *curve, double context)
{
    double length = curve->bucket;
    while (length < context) length *= 2;
    return orr_max(context, orr_min(length, curve->longest));
}

double orr_decode_curve_s(const struct orr_decode_curve *curve, double context)
{
    const double filled = curve->bucket > 0 ? bucket_of(curve, context) : context;
    const double x = kept_keys(filled, curve->window, curve->chunked);
    const struct orr_decode_piece *piece = piece_at(curve, x);
    const int i = highest_line(piece, x);
    return piece->a[i] + piece->b[i] * x + piece->add_a + piece->add_b * x;
}

/* The last whole number in [x, last] at which this line of the piece is still the highest. */
static int64_t line_end(const struct orr_decode_piece *piece, int line, int64_t x, int64_t last)
{
    int64_t end = last;
    for (int i = 0; i < piece->n_lines; i++) {
        if (piece->b[i] <= piece->b[line]) continue; /* Only a steeper line can become higher. */
        const double cross = (piece->a[line] - piece->a[i]) / (piece->b[i] - piece->b[line]);
        if (cross < (double)end) end = cross < (double)x ? x : (int64_t)cross;
    }
    return end;
}

/* The sum of one line over x..end, an arithmetic series. */
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

static double growing_sum(const struct orr_decode_curve *curve, int64_t first, int64_t last)
{
    double sum = 0;
    /* The time is constant beyond this context. */
    const int64_t flat = curve->window < (double)last ? (int64_t)curve->window : last;
    for (int i = 0; i < curve->n_pieces; i++) {
        const int64_t from = first > (int64_t)curve->pieces[i].from ? first : (int64_t)curve->pieces[i].from;
        int64_t to = flat;
        if (i + 1 < curve->n_pieces && (double)to >= curve->pieces[i + 1].from)
            to = (int64_t)curve->pieces[i + 1].from - 1;
        sum += piece_sum(&curve->pieces[i], from, to);
    }
    const int64_t beyond = first > flat + 1 ? first : flat + 1;
    if (beyond <= last) sum += (double)(last - beyond + 1) * orr_decode_curve_s(curve, curve->window);
    return sum;
}

/* The sum over contexts that fill buckets: those of one bucket take the same time. */
static double bucket_sum(const struct orr_decode_curve *curve, int64_t first, int64_t last)
{
    double sum = 0;
    while (first <= last) {
        const double filled = bucket_of(curve, (double)first);
        const int64_t end = filled < (double)last ? (int64_t)filled : last;
        sum += (double)(end - first + 1) * orr_decode_curve_s(curve, (double)first);
        first = end + 1;
    }
    return sum;
}

double orr_decode_curve_sum_s(const struct orr_decode_curve *curve, int64_t first, int64_t last)
{
    if (curve->bucket > 0) return bucket_sum(curve, first, last);
    const int64_t chunk = curve->chunked ? (int64_t)curve->window : last;
    if (last <= chunk || !curve->chunked) return growing_sum(curve, first, last);
    double sum = 0;
    /* Each turn sums the rest of a chunk, or whole chunks at once, or the beginning of the last chunk. */
    while (first <= last) {
        const int64_t from = (first - 1) % chunk + 1, left = last - first + 1;
        const int64_t n = chunk - from + 1 < left ? chunk - from + 1 : left, whole = n == chunk ? left / chunk : 1;
        sum += (double)whole * growing_sum(curve, from, from + n - 1);
        first += whole * n;
    }
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
    if (cost->launch_s > moved_s) cost->bound = ORR_BOUND_OVERHEAD;
}
