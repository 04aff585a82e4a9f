/* Recurrent mixers of one layer: projections, convolution, scan and gate, forward and backward (Eqs. 110-117); and
 * attention to the positions of an encoder. */
#include "ops/mixer.h"

#include "base/number.h"
#include "base/text.h"
#include "ops/emit.h"

/* ---------------------------------------------------------------- sizes */

/* A rank has its share of the heads, and the keys of every group to which one of these heads belongs. */
static double groups_per_rank(const struct orr_layer_kind *kind, double t)
{
    return orr_max(1, (double)kind->scan_groups / t);
}

static struct orr_scan_sizes mamba1_sizes(const struct orr_layer_kind *kind, double t)
{
    const double d = (double)kind->scan_heads / t, n = (double)kind->scan_key, taps = (double)kind->conv_width;
    const double flops = d * (2 * taps + 9 * n), rank = (double)kind->scan_rank;
    return (struct orr_scan_sizes){.in = 2 * d,
                                   .width = d,
                                   .conv = d,
                                   .state = d * n,
                                   .low_in = rank + 2 * n,
                                   .low_out = d,
                                   .chunked_flops = flops,
                                   .step_flops = flops,
                                   .saved = 5 * d + rank + 2 * n,
                                   .vector = true};
}

static struct orr_scan_sizes mamba2_sizes(const struct orr_layer_kind *kind, double t)
{
    const double heads = (double)kind->scan_heads / t, d = heads * (double)kind->scan_value;
    const double n = (double)kind->scan_key, keys = groups_per_rank(kind, t) * n, chunk = (double)kind->scan_chunk;
    const double conv = d + 2 * keys, conv_flops = 2 * (double)kind->conv_width * conv;
    return (struct orr_scan_sizes){.in = 2 * d + 2 * keys + heads,
                                   .width = d,
                                   .conv = conv,
                                   .state = d * n,
                                   .chunked_flops = conv_flops + chunk * (keys + d) + 4 * n * d,
                                   .step_flops = conv_flops + 6 * n * d,
                                   .saved = 5 * d + 4 * keys + heads + d * n / chunk};
}

/* Sizes of gated delta nets. A gate per channel of a key (KDA) adds some work. */
static struct orr_scan_sizes delta_sizes(const struct orr_layer_kind *kind, double t)
{
    const bool channels = kind->mixer == ORR_MIXER_KDA, full = kind->scan_full_gate;
    const double heads = (double)kind->scan_heads / t, d_k = (double)kind->scan_key, d_v = (double)kind->scan_value;
    const double keys = groups_per_rank(kind, t) * d_k, values = heads * d_v, chunk = (double)kind->scan_chunk;
    const double square = d_k * d_v;
    return (struct orr_scan_sizes){.in = channels ? (full ? 4 : 3) * values + heads : 2 * keys + 2 * values + 2 * heads,
                                   .width = values,
                                   .conv = 2 * keys + values,
                                   .state = heads * square,
                                   .low_in = channels ? (full ? 1 : 2) * (double)kind->scan_rank : 0,
                                   .low_out = channels ? values : 0,
                                   .chunked_flops = heads * (chunk * (3 * d_k + 2 * d_v) + 6 * square) +
                                                    (channels ? values * chunk : 0),
                                   .step_flops = (channels ? 8 : 7) * heads * square,
                                   .saved = 4 * keys + 5 * values + heads * (chunk + square / chunk)};
}

static struct orr_scan_sizes lightning_sizes(const struct orr_layer_kind *kind, double t)
{
    const double heads = (double)kind->scan_heads / t, d = (double)kind->scan_value, chunk = (double)kind->scan_chunk;
    return (struct orr_scan_sizes){.in = 4 * heads * d,
                                   .width = heads * d,
                                   .state = heads * d * d,
                                   .chunked_flops = heads * (2 * chunk * d + 4 * d * d),
                                   .step_flops = 5 * heads * d * d,
                                   .saved = 5 * heads * d + heads * d * d / chunk};
}

/* The gates are block-diagonal products with one block per head. */
static struct orr_scan_sizes rg_lru_sizes(const struct orr_layer_kind *kind, double t)
{
    const double w = (double)(kind->scan_heads * kind->scan_value) / t;
    const double flops = w * (2 * (double)kind->conv_width + 4 * (double)kind->scan_value + 12);
    return (struct orr_scan_sizes){.in = 2 * w,
                                   .width = w,
                                   .conv = w,
                                   .state = w,
                                   .chunked_flops = flops,
                                   .step_flops = flops,
                                   .saved = 6 * w,
                                   .vector = true};
}

static struct orr_scan_sizes short_conv_sizes(const struct orr_layer_kind *kind, double t)
{
    const double w = (double)(kind->scan_heads * kind->scan_value) / t;
    const double flops = w * (2 * (double)kind->conv_width + 2);
    return (struct orr_scan_sizes){.in = 3 * w,
                                   .width = w,
                                   .conv = w,
                                   .chunked_flops = flops,
                                   .step_flops = flops,
                                   .saved = 3 * w,
                                   .vector = true};
}

struct orr_scan_sizes orr_scan_sizes_of(const struct orr_layer_kind *kind, double t)
{
    switch (kind->mixer) {
    case ORR_MIXER_MAMBA1: return mamba1_sizes(kind, t);
    case ORR_MIXER_MAMBA2: return mamba2_sizes(kind, t);
    case ORR_MIXER_GATED_DELTA:
    case ORR_MIXER_KDA: return delta_sizes(kind, t);
    case ORR_MIXER_LIGHTNING: return lightning_sizes(kind, t);
    case ORR_MIXER_RG_LRU: return rg_lru_sizes(kind, t);
    case ORR_MIXER_SHORT_CONV: return short_conv_sizes(kind, t);
    case ORR_MIXER_ATTENTION:
    case ORR_MIXER_LATENT:
    case ORR_MIXER_COMPRESSED:
    case ORR_MIXER_NONE:
    case ORR_N_MIXERS: break;
    }
    return (struct orr_scan_sizes){0};
}

/* Columns of a convolution are kept in 16 bits. */
#define CONV_BYTES 2.0

double orr_sequence_state_bytes(const struct orr_layer_kind *kind, double cross_keys, double t, double w_kv)
{
    const double kv_heads = orr_max(1, (double)kind->n_kv_heads / t);
    double bytes = cross_keys * kv_heads * (double)(kind->head_qk + kind->head_v) * w_kv;
    if (orr_kind_compresses(kind)) bytes += (double)(kind->window * kind->head_qk) * w_kv; /* keys are values too */
    if (!orr_kind_scans(kind)) return bytes;
    const struct orr_scan_sizes z = orr_scan_sizes_of(kind, t);
    bytes += z.state * (double)kind->state_element_bytes;
    return bytes + (kind->conv_width > 0 ? z.conv * (double)(kind->conv_width - 1) * CONV_BYTES : 0);
}

/* ---------------------------------------------------------------- scan */

/* Work of backward relative to forward: two products for every one, and the states of the chunks once more. */
#define BACKWARD_FLOPS 2.5
#define BACKWARD_BYTES 2.5
/* Kernels of a scan over chunks: sums within chunks, states, the pass between chunks, outputs. The delta rule
 * normalises queries and keys, sums gates, multiplies keys, inverts, applies the inverse, walks the states and makes
 * outputs (flash-linear-attention, ops/gated_delta_rule/chunk.py). */
#define CHUNK_LAUNCHES 4.0
#define DELTA_LAUNCHES 8.0

static bool delta_rule(const struct orr_layer_kind *kind)
{
    return kind->mixer == ORR_MIXER_GATED_DELTA || kind->mixer == ORR_MIXER_KDA;
}

/* Projected columns are read once and outputs are written once; the states of chunks are written and read. */
static void emit_chunks(struct orr_emit *emit, const struct orr_layer_kind *kind, const struct orr_scan_sizes *z,
                        bool backward)
{
    const struct orr_dims *d = &emit->dims;
    struct orr_op *op = orr_emit_op(emit, backward ? "scan.backward" : "scan", ORR_OP_SCAN,
                                    backward ? ORR_PHASE_BACKWARD : ORR_PHASE_FORWARD);
    const char *fused_chips = emit->lumped ? emit->job->engine.fused_delta : "";
    op->delta = delta_rule(kind);
    op->fused = op->delta && orr_has_word(fused_chips, emit->job->system.chip.family);
    const double chunk_states = z->vector || op->fused ? 0 : 2 * 4 * z->state / (double)kind->scan_chunk;
    const double rows = d->T_prompt, held = 2 * d->b * orr_sequence_state_bytes(kind, 0, d->t, 0);
    op->batch = d->b;
    op->m = d->s / d->c;
    op->n = z->width;
    op->k = (double)kind->scan_key;
    op->vector = z->vector;
    op->launches = z->vector || op->fused ? 1 : op->delta ? DELTA_LAUNCHES : CHUNK_LAUNCHES;
    op->flops = rows * z->chunked_flops * (backward ? BACKWARD_FLOPS : 1);
    op->bytes = rows * (d->w_a * (z->in + z->width) + chunk_states) * (backward ? BACKWARD_BYTES : 1) + held;
}

/* One position of every sequence: the sequence's state is read once, and written back once for every query. */
static void emit_state_step(struct orr_emit *emit, const struct orr_layer_kind *kind, const struct orr_scan_sizes *z)
{
    const struct orr_dims *d = &emit->dims;
    struct orr_op *op = orr_emit_op(emit, "scan.step", ORR_OP_SCAN, ORR_PHASE_FORWARD);
    const double rows = d->decoding * d->queries;
    op->batch = d->decoding;
    op->m = d->queries;
    op->n = z->width;
    op->k = (double)kind->scan_key;
    op->vector = true;
    op->flops = rows * z->step_flops;
    op->bytes = d->decoding * (1 + d->queries) * orr_sequence_state_bytes(kind, 0, d->t, 0) +
                rows * d->w_a * (z->in + z->width);
}

/* Each rank sends the state after its part of the sequence to the next rank: c - 1 sends, one after another. */
static void emit_state_sends(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double payload = (d->c - 1) * d->b * orr_sequence_state_bytes(kind, 0, d->t, 0);
    orr_emit_collective(emit, "cp.state", ORR_PHASE_FORWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_CP, payload);
    orr_emit_collective(emit, "cp.state.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_CP, payload);
}

/* ---------------------------------------------------------------- around the scan */

static int32_t emit_matrix(struct orr_emit *emit, struct orr_linear_names names, double m, double k, double n)
{
    return orr_emit_linear(emit, &(struct orr_linear){.names = names, .m = m, .k = k, .n = n, .quantised = true});
}

/* Step sizes, B and C of Mamba-1 are projected from the convolved columns and summed over the ranks. The gates of KDA
 * are projected from the hidden state through a low rank, whose matrix every rank has whole. */
static void emit_low_rank(struct orr_emit *emit, const struct orr_layer_kind *kind, const struct orr_scan_sizes *z)
{
    const struct orr_dims *d = &emit->dims;
    const double rank = (double)kind->scan_rank;
    if (z->low_in <= 0) return;
    const bool inner = kind->mixer == ORR_MIXER_MAMBA1;
    emit_matrix(emit, ORR_LINEAR("scan.low_in"), inner ? d->T : d->T_norm, inner ? z->width : d->h, z->low_in);
    if (inner) orr_emit_row_output(emit, z->low_in);
    for (int made = 0; made < (inner || kind->scan_full_gate ? 1 : 2); made++)
        emit_matrix(emit, ORR_LINEAR("scan.low_out"), d->T, rank, z->low_out);
}

/* Each way reads and writes an element once; backward also reads again what forward read. */
static void emit_columns(struct orr_emit *emit, const char *name, const char *backward_name, double reads,
                         double elements)
{
    const double bytes = emit->dims.w_a * elements;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = name,
                                                        .backward_name = backward_name,
                                                        .kind = ORR_POINTWISE_ACTIVATION,
                                                        .forward_bytes = (reads + 1) * bytes,
                                                        .backward_bytes = (2 * reads + 1) * bytes});
}

/* Eq. 316: some serving engines multiply the hidden state by the matrices of a gated delta net one by one: queries,
 * keys and values, the gates of the outputs, and two columns per head. The narrow ones stay in 16 bits, because blocks
 * of scales are wider than they are. */
static int32_t emit_scan_inputs(struct orr_emit *emit, const struct orr_layer_kind *kind,
                                const struct orr_scan_sizes *z)
{
    const struct orr_dims *d = &emit->dims;
    const int64_t published = kind->scan_inputs, most = emit->lumped ? emit->job->engine.scan_inputs : 0;
    const int64_t apart = most < published ? most : published;
    if (apart < 2) return emit_matrix(emit, ORR_LINEAR("scan.in"), d->T, d->h, z->in);
    const double wide = z->conv + z->width, narrow = z->in - wide;
    const int64_t halves = apart < 4 ? 1 : 2;
    emit_matrix(emit, ORR_LINEAR("scan.in"), d->T, d->h, halves > 1 ? z->conv : wide);
    if (halves > 1) emit_matrix(emit, ORR_LINEAR("scan.in_gate"), d->T, d->h, z->width);
    for (int64_t i = 0; i < halves; i++)
        orr_emit_linear(emit,
                        &(struct orr_linear){
                            .names = ORR_LINEAR("scan.in_heads"), .m = d->T, .k = d->h, .n = narrow / (double)halves});
    return -1;
}

/* Eq. 317: copies that make queries, keys and values contiguous, and gates, before the scan of a prompt. */
static void emit_scan_kernels(struct orr_emit *emit, const struct orr_scan_sizes *z)
{
    const double kernels = emit->lumped ? (double)emit->job->engine.scan_kernels : 0;
    if (kernels <= 0) return;
    const double bytes = 2 * emit->dims.w_a * emit->dims.T_prompt * z->conv;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "scan.prepare",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = bytes,
                                                        .forward_launches = kernels});
}

static void emit_scan_rows(struct orr_emit *emit, const struct orr_layer_kind *kind, const struct orr_scan_sizes *z)
{
    const struct orr_dims *d = &emit->dims;
    if (!kind->beside_attention) orr_emit_column_gather(emit, d->h, 1);
    orr_emit_column_input(emit, emit_scan_inputs(emit, kind, z), d->h, 1);
    if (kind->conv_width > 0) emit_columns(emit, "scan.conv", "scan.conv.backward", 1, d->T * z->conv);
    emit_low_rank(emit, kind, z);
    emit_columns(emit, "scan.gate", "scan.gate.backward", 2, d->T * z->width);
    emit_matrix(emit, ORR_LINEAR("scan.out"), d->T, z->width, d->h);
    if (!kind->parallel_block) orr_emit_row_output(emit, d->h);
}

void orr_emit_scan(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_scan_sizes z = orr_scan_sizes_of(kind, emit->dims.t);
    if (emit->dims.T_prompt > 0 && emit->parts & ORR_PART_PROMPTS) {
        if (delta_rule(kind)) emit_scan_kernels(emit, &z);
        emit_chunks(emit, kind, &z, false);
        if (emit->backward) emit_chunks(emit, kind, &z, true);
        if (emit->dims.c > 1) emit_state_sends(emit, kind);
    }
    if (emit->dims.decoding > 0 && emit->parts & ORR_PART_DECODES) emit_state_step(emit, kind, &z);
    if (emit->parts & ORR_PART_ROWS) emit_scan_rows(emit, kind, &z);
}

/* ---------------------------------------------------------------- cross attention */

/* Queries of a prompt, or of decoding sequences, attend to all positions of the encoder. */
static void emit_cross_core(struct orr_emit *emit, const struct orr_layer_kind *kind, bool decoding, bool backward)
{
    const struct orr_dims *d = &emit->dims;
    struct orr_op *op = orr_emit_op(emit,
                                    backward   ? "cross.core.backward"
                                    : decoding ? "cross.step"
                                               : "cross.core",
                                    ORR_OP_SCAN, backward ? ORR_PHASE_BACKWARD : ORR_PHASE_FORWARD);
    const double heads = (double)kind->n_heads / d->t, keys = orr_cross_keys(emit->job, kind);
    const double sequences = decoding ? d->decoding : d->b, rows = decoding ? d->decoding * d->queries : d->T_prompt;
    const double w_kv = emit->backward ? d->w_a : orr_dtype_bytes(emit->job->serving.kv);
    const double columns = (double)(kind->head_qk + kind->head_v);
    op->batch = sequences * heads;
    op->m = rows / sequences;
    op->n = keys;
    op->k = columns;
    op->flops = 2 * rows * heads * keys * columns * (backward ? BACKWARD_FLOPS : 1);
    op->bytes = rows * heads * columns * d->w_a +
                sequences * keys * orr_max(1, (double)kind->n_kv_heads / d->t) * columns * w_kv;
    op->bytes *= backward ? BACKWARD_BYTES : 1;
}

/* Keys and values of the encoder are projected once for every prompt. */
void orr_emit_cross(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double heads = (double)kind->n_heads / d->t, kv = orr_max(1, (double)kind->n_kv_heads / d->t);
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    if (d->T_prompt > 0 && emit->parts & ORR_PART_PROMPTS) {
        emit_matrix(emit, ORR_LINEAR("cross.kv"), d->b * orr_cross_keys(emit->job, kind) / d->c, d->h,
                    kv * (d_qk + d_v));
        emit_cross_core(emit, kind, false, false);
        if (emit->backward) emit_cross_core(emit, kind, false, true);
    }
    if (d->decoding > 0 && emit->parts & ORR_PART_DECODES) emit_cross_core(emit, kind, true, false);
    if (!(emit->parts & ORR_PART_ROWS)) return;
    orr_emit_column_gather(emit, d->h, 1);
    orr_emit_column_input(emit, emit_matrix(emit, ORR_LINEAR("cross.query"), d->T, d->h, heads * d_qk), d->h, 1);
    emit_matrix(emit, ORR_LINEAR("cross.out"), d->T, heads * d_v, d->h);
    orr_emit_row_output(emit, d->h);
}
