/* Building blocks of the operator list: linear layers with their backward products, memory-bound kernels,
 * collectives. The layer files of this folder call them to fill orr_op_list. */
#include "ops/emit.h"

#include <assert.h>

#include "base/number.h"
#include "base/text.h"

struct orr_op *orr_emit_op(struct orr_emit *emit, const char *name, enum orr_op_kind kind, enum orr_phase phase)
{
    assert(emit->list->n < ORR_MAX_OPS);
    struct orr_op *op = &emit->list->items[emit->list->n++];
    const bool forward = phase == ORR_PHASE_FORWARD;
    *op = (struct orr_op){.name = name,
                          .kind = kind,
                          .phase = forward ? emit->forward : phase,
                          .layer_kind = (int32_t)emit->layer_kind,
                          .count = emit->count,
                          .batch = 1,
                          .dtype = emit->dims.dtype16,
                          .launches = 1,
                          .window_op = -1,
                          .repeat_frac = 1,
                          .recomputed = emit->recompute == ORR_RECOMPUTE_FULL && forward};
    return op;
}

/* ---------------------------------------------------------------- products */

static void fill_product(struct orr_op *op, double batch, double m, double n, double k, double output_bytes)
{
    op->batch = batch;
    op->m = m;
    op->n = n;
    op->k = k;
    op->output_bytes = output_bytes;
    op->flops = 2 * batch * m * n * k; /* Eq. 6 */
    op->bytes = batch * (op->input_bytes * m * k + op->weight_bytes * k * n + output_bytes * m * n);
}

/* Does recomputation keep every other product of a layer and repeat the rest? */
static bool by_ops(const struct orr_emit *emit)
{
    return emit->recompute == ORR_RECOMPUTE_BY_OP;
}

/* The share of a product that runs again where every other product is kept: in the order q, k, v, output, gate, up,
 * down, these are k, output and up. 8-bit products are not among those that are kept: all of them run again, except the
 * last one where recomputation stops before it. */
static double repeat_frac(const struct orr_emit *emit, const struct orr_linear *linear)
{
    const struct orr_layer_kind *kind = &emit->model->kinds[emit->layer_kind];
    const double kv = (double)kind->n_kv_heads, heads = (double)kind->n_heads + 2 * kv;
    if (emit->dims.low_precision && linear->quantised)
        return linear->last && emit->job->engine.recompute_early_stop ? 0 : 1;
    if (linear->product == ORR_PRODUCT_QKV) return kv / heads;
    if (linear->product == ORR_PRODUCT_OUT) return 1;
    return linear->product == ORR_PRODUCT_GATE_UP && kind->gated ? 0.5 : 0;
}

/* Recomputation of the core repeats the products of activations, because it does not keep the scores. */
struct orr_op *orr_emit_bmm(struct orr_emit *emit, const char *name, enum orr_phase phase, double batch, double m,
                            double n, double k)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_BMM, phase);
    op->input_bytes = op->weight_bytes = emit->dims.w_a;
    fill_product(op, batch, m, n, k, emit->dims.w_a);
    if (phase == ORR_PHASE_FORWARD && emit->recompute == ORR_RECOMPUTE_CORE) op->recomputed = true;
    return op;
}

/* Formats of a product: those of its own tensors where a checkpoint mixes formats, else those of all weights. */
struct widths {
    enum orr_dtype matrix;
    double input_bytes, weight_bytes;
};

static struct widths widths_of(const struct orr_emit *emit, const struct orr_linear *linear)
{
    const struct orr_dims *d = &emit->dims;
    const struct orr_served *served = emit->served && emit->served->resolved ? emit->served : NULL;
    if (linear->fp32) return (struct widths){ORR_DTYPE_FP32, 4, 4};
    if (served && linear->head && served->head_stored_bytes > 0)
        return (struct widths){d->dtype16, d->w_a, served->head_stored_bytes};
    /* Tensors that a checkpoint's list of formats does not name are stored in 16 bits. */
    if (!linear->quantised || (served && linear->product == ORR_PRODUCT_OTHER))
        return (struct widths){d->dtype16, d->w_a, d->w_p};
    if (!served) return (struct widths){d->matrix, d->w_m, d->w_w};
    const enum orr_dtype matrix = served->kinds[emit->layer_kind].matrix[linear->product];
    const double stored = served->kinds[emit->layer_kind].stored_bytes[linear->product];
    return (struct widths){matrix, orr_min(orr_dtype_bytes(matrix), d->w_a), stored};
}

/* Kernels that multiply the rows of so many experts. The grouped product of PyTorch has a kernel before it that writes
 * the addresses of all experts. */
static double grouped_launches(const struct orr_emit *emit, double experts)
{
    switch (emit->job->engine.expert_kernel) {
    case ORR_EXPERT_TUNED: return 1;
    case ORR_EXPERT_GROUPED_MM: return 2;
    case ORR_EXPERT_STREAMS:
    case ORR_EXPERT_LOOP: return experts;
    case ORR_N_EXPERT_KERNELS: break;
    }
    return 1;
}

/* Bytes of an activation of 32 bits, and of one in blocks of 32 with 8 bits each and a scale of 32 bits. */
#define WIDE_BYTES  4.0
#define BLOCK_BYTES 1.125
/* Up to so many rows a narrow matrix is multiplied by kernels for vectors. */
#define VECTOR_ROWS 8

/* Eq. 385: does the engine multiply a narrow matrix as integers, by matrix units for them? */
static bool in_blocks(const struct orr_emit *emit, const struct orr_linear *linear, const struct widths *widths)
{
    const bool narrow = widths->matrix == emit->dims.dtype16 && widths->weight_bytes < emit->dims.w_p;
    return emit->job->engine.block_integers && !emit->backward && narrow && linear->experts <= 0 &&
           linear->m > VECTOR_ROWS && emit->job->system.chip.peak_flops_per_s[ORR_DTYPE_INT8] > 0;
}

/* One product of a linear layer. An fp32 accumulator counts 8 bytes per element, as it is read and written back. */
static struct orr_op *emit_product(struct orr_emit *emit, const char *name, enum orr_phase phase,
                                   const struct orr_linear *linear, double m, double n, double k, double output_bytes)
{
    const bool grouped = linear->experts > 0;
    const struct widths widths = widths_of(emit, linear);
    struct orr_op *op = orr_emit_op(emit, name, grouped ? ORR_OP_GROUPED : ORR_OP_GEMM, phase);
    op->dtype = widths.matrix;
    op->input_bytes = widths.input_bytes;
    op->weight_bytes = widths.weight_bytes;
    if (in_blocks(emit, linear, &widths)) {
        op->dtype = ORR_DTYPE_INT8;
        op->input_bytes = BLOCK_BYTES;
        op->in_blocks = true;
    }
    fill_product(op, grouped ? linear->experts : 1, m, n, k, output_bytes);
    if (grouped) op->launches = grouped_launches(emit, linear->experts);
    op->n_idle_experts = linear->n_idle_experts;
    op->fixed_tiles = linear->fixed_tiles;
    return op;
}

/* Bytes per element of wgrad's output, which is accumulated in place or is a new 16-bit tensor. */
static double wgrad_output_bytes(const struct orr_emit *emit)
{
    const struct orr_engine *engine = &emit->job->engine;
    return engine->fused_gradient_accumulation ? 2 * orr_states_of(emit->job).gradient_bytes : emit->dims.w_p;
}

static struct orr_op *emit_pass(struct orr_emit *emit, const char *name, enum orr_phase phase, enum orr_pointwise kind,
                                double bytes, double launches)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_POINTWISE, phase);
    op->pointwise = kind;
    op->bytes = bytes;
    op->launches = launches;
    return op;
}

/* Does a served product have 8-bit operands, and a scale for every row of its input that is found as it runs? Blocks of
 * 128 have kernels of their own, whose launches are in the constants of their products. */
static bool has_row_scales(const struct orr_emit *emit, const struct orr_linear *linear)
{
    return emit->job->engine.row_scales && linear->experts <= 0 && widths_of(emit, linear).matrix == ORR_DTYPE_FP8;
}

/* Does the kernel that writes the input of a product quantise it, too? Compilers join the quantisation with norms and
 * activations, but not with attention, nor with norms that a library joins with an all-reduce. */
static bool joins_quantisation(const struct orr_emit *emit, const struct orr_linear *linear)
{
    const char *joined = emit->job->engine.fused_quantisation;
    switch (linear->product) {
    case ORR_PRODUCT_QKV:
    case ORR_PRODUCT_Q_DOWN:
    case ORR_PRODUCT_KV_DOWN:
    case ORR_PRODUCT_GATE_UP:
    case ORR_PRODUCT_SHARED_GATE_UP:
        return orr_has_word(joined, "norm") || (orr_has_word(joined, "norm-alone") && emit->job->plan.tp == 1);
    case ORR_PRODUCT_DOWN:
    case ORR_PRODUCT_SHARED_DOWN: return orr_has_word(joined, "activation");
    case ORR_PRODUCT_OTHER:
    case ORR_PRODUCT_OUT:
    case ORR_PRODUCT_Q_UP:
    case ORR_PRODUCT_KV_UP:
    case ORR_PRODUCT_OUT_DOWN:
    case ORR_PRODUCT_INDEX_QUERY:
    case ORR_PRODUCT_EXPERT_GATE_UP:
    case ORR_PRODUCT_EXPERT_DOWN:
    case ORR_N_PRODUCTS: break;
    }
    return false;
}

/* Eq. 397: a block of threads walks a row twice, for the largest element and for the result, 4,096 columns at a
 * time. */
#define QUANTISE_COLUMNS 4096

static double row_scales_s(const struct orr_emit *emit, double columns)
{
    const struct orr_calibration *u = &emit->job->calibration;
    if (u->quantise_launch_s <= 0) return 0;
    return u->quantise_launch_s + orr_ceil(columns / QUANTISE_COLUMNS) * u->quantise_walk_s;
}

/* Bytes per input element of the kernel that casts the input of a quantised product of a serving engine; 0 if there is
 * no such kernel. Grouped kernels of serving engines are calibrated including their casts. */
static double served_cast_bytes(const struct orr_emit *emit, const struct orr_linear *linear)
{
    if (!linear->quantised || (linear->experts > 0 && emit->lumped)) return 0;
    if (has_row_scales(emit, linear) && joins_quantisation(emit, linear)) return 0;
    if (!emit->served || !emit->served->resolved) return emit->dims.cast_bytes;
    const double width = widths_of(emit, linear).input_bytes;
    return width < 2 && width < emit->dims.w_a && emit->job->engine.dynamic_quantisation ? emit->dims.w_a + width : 0;
}

/* Casts of a product before it runs: `elements` of its input or gradient and, where they are cast anew, its weights. */
static struct orr_op *emit_casts(struct orr_emit *emit, const char *name, enum orr_phase phase, double elements,
                                 struct orr_cast cast, double weights, struct orr_cast weight_cast)
{
    const double bytes = elements * cast.bytes + weights * weight_cast.bytes;
    if (bytes <= 0) return NULL;
    return emit_pass(emit, name, phase, ORR_POINTWISE_CAST, bytes, cast.launches + weight_cast.launches);
}

/* The narrow format of the weights that are served: the one that was asked for, else that of the checkpoint. */
static enum orr_weight_format format_of(const struct orr_emit *emit)
{
    const enum orr_weight_format asked = emit->job->serving.format;
    return asked == ORR_WEIGHT_PUBLISHED ? emit->model->checkpoint.format : asked;
}

/* Do the weights have a 4-bit format of bitsandbytes? Before release 0.50 (2026) the library, which all engines call,
 * has a product for a single row only, and restores the matrix for more (autograd/_functions.py, matmul_4bit). */
static bool normal_floats(const struct orr_emit *emit)
{
    const enum orr_weight_format format = format_of(emit);
    return format == ORR_WEIGHT_NF4 || format == ORR_WEIGHT_NF4_DOUBLE;
}

/* Eq. 328: does a serving engine write a narrow matrix out in 16 bits before a product of so many rows? */
static bool restores(const struct orr_emit *emit, const struct orr_linear *linear)
{
    const struct widths widths = widths_of(emit, linear);
    const struct orr_engine *engine = &emit->job->engine;
    const bool here = !*engine->restored_chips || orr_has_word(engine->restored_chips, emit->job->system.chip.family);
    const double rows = normal_floats(emit) ? 2 : here ? (double)engine->restored_rows : 0;
    return !emit->backward && rows > 0 && linear->m >= rows && widths.matrix == emit->dims.dtype16 &&
           widths.weight_bytes < emit->dims.w_p;
}

/* Emits the kernel that does so, and returns the product of the copy, which is one of plain 16-bit weights. */
static struct orr_linear emit_restored(struct orr_emit *emit, const struct orr_linear *linear)
{
    struct orr_linear copy = *linear;
    copy.quantised = copy.head = false;
    const double weights = orr_max(1, linear->experts) * linear->n * linear->k;
    const bool normal = normal_floats(emit), scales = format_of(emit) == ORR_WEIGHT_NF4_DOUBLE;
    emit_pass(emit, "restore", ORR_PHASE_FORWARD, normal ? ORR_POINTWISE_UPCAST : ORR_POINTWISE_CAST,
              weights * (widths_of(emit, linear).weight_bytes + emit->dims.w_p), scales ? 3 : 1);
    return copy;
}

/* Eq. 382: kernels that convert the input of a served product from 32 bits and its result to 32 bits. The library has
 * no product of a single row; the engine's own kernels take blocks of 8 bits and write 32 bits themselves. Parts of a
 * joined product are multiplied one by one. */
static void emit_conversions(struct orr_emit *emit, const struct orr_linear *linear)
{
    const struct widths widths = widths_of(emit, linear);
    const bool library = widths.matrix == emit->dims.dtype16 && widths.weight_bytes >= emit->dims.w_p;
    const double parts = orr_max(1, (double)linear->n_parts), w = emit->dims.w_a;
    const double inputs = parts * linear->m * linear->k, results = linear->m * linear->n;
    if (!emit->job->engine.wide_activations || emit->backward || linear->fp32 || linear->experts > 0) return;
    if (library && linear->m <= 1) return;
    const double bytes = library ? (WIDE_BYTES + w) * (inputs + results)
                                 : (WIDE_BYTES + BLOCK_BYTES) * inputs + (WIDE_BYTES - w) * results;
    emit_pass(emit, "convert", ORR_PHASE_FORWARD, ORR_POINTWISE_CAST, bytes, parts * (library ? 2 : 1));
}

/* Eq. 329: kernels of a served product besides the product itself. */
static double served_launches(const struct orr_emit *emit, const struct orr_linear *linear)
{
    const bool integers = widths_of(emit, linear).matrix == ORR_DTYPE_INT8;
    return integers ? orr_max(1, (double)emit->job->engine.integer_launches) : 1;
}

static void emit_forward(struct orr_emit *emit, const struct orr_linear *linear)
{
    struct orr_op *forward = emit_product(emit, linear->names.forward, ORR_PHASE_FORWARD, linear, linear->m, linear->n,
                                          linear->k, emit->dims.w_a);
    forward->half_sums = emit->job->engine.half_sums && !emit->backward && forward->dtype == emit->dims.dtype16 &&
                         forward->weight_bytes >= emit->dims.w_p;
    /* With dropout, recomputation must run the last product too, because the dropout mask comes after it. */
    if (linear->last && emit->job->engine.recompute_early_stop && !emit->job->workload.hidden_dropout)
        forward->recomputed = false;
    if (by_ops(emit)) {
        forward->repeat_frac = repeat_frac(emit, linear);
        forward->recomputed = forward->repeat_frac > 0;
    }
}

/* The products of a linear layer in one format. In training, casts come first in each direction (Eqs. 41, 162-164). */
static int32_t emit_products_of(struct orr_emit *emit, const struct orr_linear *linear)
{
    const double m = linear->m, n = linear->n, k = linear->k, w = emit->dims.w_a;
    const double batch = linear->experts > 0 ? linear->experts : 1, weights = batch * n * k;
    const struct orr_recipe *recipe = &emit->recipe;
    const struct orr_cast none = {0}, served = {served_cast_bytes(emit, linear), served_launches(emit, linear)};
    const bool narrow = emit->backward && linear->quantised && emit->dims.low_precision;
    if (narrow)
        emit_casts(emit, linear->names.cast, ORR_PHASE_FORWARD, batch * m * k, recipe->input, weights, recipe->weight);
    else if (!emit->backward) {
        struct orr_op *cast = emit_casts(emit, emit->lumped ? "quantise" : linear->names.cast, ORR_PHASE_FORWARD,
                                         batch * m * k, served, 0, none);
        if (cast && has_row_scales(emit, linear)) cast->fixed_s = row_scales_s(emit, k);
    }
    orr_emit_restore(emit, linear, ORR_PHASE_FORWARD);
    const struct orr_linear plain = restores(emit, linear) ? emit_restored(emit, linear) : *linear;
    emit_conversions(emit, &plain);
    emit_forward(emit, &plain);
    if (!emit->backward) {
        orr_emit_adapters(emit, linear);
        return -1;
    }
    if (narrow) {
        emit_casts(emit, linear->names.cast_grad, ORR_PHASE_BACKWARD, batch * m * n, recipe->gradient, 0, none);
        emit_casts(emit, linear->names.cast_again, ORR_PHASE_BACKWARD, batch * m * k, recipe->input_again, weights,
                   recipe->weight_again);
    }
    if (linear->bias && !emit->frozen) /* The bias gradient reads the output gradient once. */
        emit_pass(emit, linear->names.bias_grad, ORR_PHASE_BACKWARD, ORR_POINTWISE_ADD, batch * m * n * w, 1);
    orr_emit_restore(emit, linear, ORR_PHASE_BACKWARD);
    const int32_t dgrad = (int32_t)emit->list->n;
    struct orr_linear wide = *linear;
    wide.quantised = linear->quantised && recipe->wgrad;
    emit_product(emit, linear->names.dgrad, ORR_PHASE_BACKWARD, linear, m, k, n, w);
    if (!emit->frozen)
        emit_product(emit, linear->names.wgrad, ORR_PHASE_BACKWARD, &wide, k, n, m, wgrad_output_bytes(emit))->wgrad =
            true;
    orr_emit_adapters(emit, linear);
    return dgrad;
}

/* Matrices that read the same input as products of their own. Backward adds their gradients of the input (Eq. 152). */
static int32_t emit_parts(struct orr_emit *emit, const struct orr_linear *linear)
{
    const double w = emit->dims.w_a, inputs = linear->m * linear->k;
    int32_t dgrad = -1;
    int n = 0;
    for (int i = 0; i < linear->n_parts; i++) {
        struct orr_linear part = *linear;
        if (linear->parts[i].n <= 0) continue;
        part.n = part.parts[0].n = linear->parts[i].n;
        part.parts[0].target = linear->parts[i].target;
        part.n_parts = 1;
        dgrad = orr_emit_linear(emit, &part);
        n++;
    }
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.backward_name = "input.gradients",
                                                        .kind = ORR_POINTWISE_ADD,
                                                        .backward_bytes = (n - 1) * 3 * w * inputs,
                                                        .backward_launches = n - 1});
    return dgrad;
}

/* A recipe may leave some layers in 16 bits (Eq. 165): their products are executed by that share of the layers. */
int32_t orr_emit_linear(struct orr_emit *emit, const struct orr_linear *linear)
{
    if (linear->n_parts > 1 && emit->job->kind == ORR_JOB_TRAIN && emit->job->engine.split_products)
        return emit_parts(emit, linear);
    const bool narrow = emit->backward && linear->quantised && emit->dims.low_precision;
    const double wide_frac = narrow ? emit->recipe.wide_frac : 0, count = emit->count;
    if (wide_frac <= 0) return emit_products_of(emit, linear);
    struct orr_linear wide = *linear;
    wide.quantised = false;
    emit->count = (1 - wide_frac) * count;
    const int32_t dgrad = emit_products_of(emit, linear);
    emit->count = wide_frac * count;
    emit_products_of(emit, &wide);
    emit->count = count;
    return dgrad;
}

/* ---------------------------------------------------------------- memory-bound kernels */

static void emit_way(struct orr_emit *emit, const char *name, enum orr_phase phase, const struct orr_pointwise_op *from,
                     double bytes, double launches)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_POINTWISE, phase);
    op->pointwise = from->kind;
    op->bytes = bytes;
    op->n = from->columns;
    op->launches = launches > 0 ? launches : 1;
    if (phase == ORR_PHASE_FORWARD && (emit->recompute == ORR_RECOMPUTE_CORE || by_ops(emit)))
        op->recomputed = from->core != by_ops(emit);
}

void orr_emit_pointwise(struct orr_emit *emit, const struct orr_pointwise_op *op)
{
    if (op->forward_bytes > 0) emit_way(emit, op->name, ORR_PHASE_FORWARD, op, op->forward_bytes, op->forward_launches);
    if (op->backward_bytes > 0 && emit->backward)
        emit_way(emit, op->backward_name, ORR_PHASE_BACKWARD, op, op->backward_bytes, op->backward_launches);
}

void orr_emit_small(struct orr_emit *emit, const struct orr_pointwise_op *op)
{
    if (!emit->lumped) orr_emit_pointwise(emit, op);
}

/* A norm accesses each element 2 times in forward and 5 times in backward, where the gradients of the input and of the
 * weights each read x and dy. An RMS norm composed of framework operators upcasts, squares, averages, scales and casts
 * back: it moves 32 bytes per element in forward and 48 in backward. */
void orr_emit_norm(struct orr_emit *emit, const char *name, const char *backward_name, double elements, bool rms)
{
    const struct orr_engine *engine = &emit->job->engine;
    const bool composed = rms && !engine->fused_norm, counted = composed && engine->norm_launches > 0;
    const double w = emit->dims.w_a, narrowed = orr_narrowed_frac(&emit->dims);
    if (counted) {
        /* The gradient of frozen weights, a product and a sum, is left out. */
        const double less = emit->frozen ? 2 : 0, back = engine->norm_backward_bytes - 4 * less;
        orr_emit_small(emit, &(struct orr_pointwise_op){.name = name,
                                                        .backward_name = backward_name,
                                                        .kind = ORR_POINTWISE_RMSNORM,
                                                        .forward_bytes = elements * engine->norm_bytes * narrowed,
                                                        .backward_bytes = elements * back * narrowed,
                                                        .forward_launches = engine->norm_launches,
                                                        .backward_launches = engine->norm_backward_launches - less});
        return;
    }
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = name,
                                                    .backward_name = backward_name,
                                                    .kind = rms ? ORR_POINTWISE_RMSNORM : ORR_POINTWISE_LAYERNORM,
                                                    .forward_bytes = elements * (composed ? 32 * narrowed : 2 * w),
                                                    .backward_bytes = elements * (composed ? 48 * narrowed : 5 * w),
                                                    .forward_launches = composed ? 5 : 1,
                                                    .backward_launches = composed ? 8 : 2});
}

/* Forward reads branch and residual and writes the sum; backward adds the branch's gradient to the residual's. Dropout
 * adds its 1-byte mask, and a pass of its own where the engine does not fuse it. */
void orr_emit_residual(struct orr_emit *emit)
{
    const double elements = emit->dims.T_norm * emit->dims.h, w = emit->dims.w_a;
    const bool dropout = emit->job->workload.hidden_dropout, fused = emit->job->engine.fused_bias_dropout_add;
    if (dropout) {
        orr_emit_small(emit, &(struct orr_pointwise_op){.name = "residual.dropout",
                                                        .kind = ORR_POINTWISE_DROPOUT,
                                                        .forward_bytes = elements * (fused ? 3 * w + 1 : 2 * w + 1)});
        orr_emit_small(emit, &(struct orr_pointwise_op){.backward_name = "residual.dropout.backward",
                                                        .kind = ORR_POINTWISE_ADD, /* a product with the mask */
                                                        .backward_bytes = elements * (2 * w + 1)});
    }
    /* An fp32 residual takes a 16-bit branch; its two gradients are fp32. */
    const bool wide = emit->job->engine.autocast && emit->job->kind == ORR_JOB_TRAIN &&
                      emit->job->workload.activations == ORR_ASKED_ENGINE;
    orr_emit_small(emit,
                   &(struct orr_pointwise_op){.name = "residual.add",
                                              .backward_name = "residual.add.backward",
                                              .kind = ORR_POINTWISE_ADD,
                                              .forward_bytes = dropout && fused ? 0 : elements * (wide ? 10 : 3 * w),
                                              .backward_bytes = elements * (wide ? 12 : 3 * w)});
}

/* ---------------------------------------------------------------- collectives */

struct orr_op *orr_emit_collective(struct orr_emit *emit, const char *name, enum orr_phase phase,
                                   enum orr_collective collective, enum orr_group group, double payload_bytes)
{
    if (phase == ORR_PHASE_BACKWARD && !emit->backward) return NULL;
    if (group == ORR_GROUP_TP && emit->dims.t < 2) return NULL; /* a tower that every rank has whole */
    if (orr_group_ranks(&emit->job->plan, group) < 2 || payload_bytes <= 0) return NULL;
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_COLLECTIVE, phase);
    op->collective = collective;
    op->group = group;
    op->payload_bytes = op->bytes = payload_bytes;
    return op;
}

/* A tensor-parallel transfer of backward that may run beside the operator `window`; -1: beside no operator. */
static void emit_beside(struct orr_emit *emit, const char *name, enum orr_collective collective, double payload_bytes,
                        int32_t window)
{
    struct orr_op *op = orr_emit_collective(emit, name, ORR_PHASE_BACKWARD, collective, ORR_GROUP_TP, payload_bytes);
    if (op) op->window_op = window;
}

/* Bytes of an element that is gathered before a product of a layer. */
static double gathered_bytes(const struct orr_emit *emit)
{
    return emit->backward && emit->dims.low_precision && emit->layer_kind >= 0 ? emit->recipe.tp_bytes : emit->dims.w_c;
}

/* Eq. 340: transfers join the parts of ranks one after the other, but sequences lie one after the other in memory: some
 * stacks put rows in order by a copy after each gather and before each scatter. */
static void emit_ordering(struct orr_emit *emit, enum orr_phase phase, double payload_bytes, bool again)
{
    const bool none = phase == ORR_PHASE_BACKWARD && !emit->backward;
    if (!emit->job->engine.tp_row_copies || emit->dims.t < 2 || none) return;
    struct orr_op *op = orr_emit_op(emit, "tp.copy", ORR_OP_POINTWISE, phase);
    op->pointwise = ORR_POINTWISE_COPY;
    op->bytes = 2 * payload_bytes;
    op->recomputed |= again;
}

/* The gradient of a column-parallel input of `width` columns is summed over the group in backward; with sequence
 * parallelism the input is also gathered again for wgrad, unless the engine kept it. The engine may run both beside the
 * two backward GEMMs, and may scatter the gradient of each of the matrices on its own (Eq. 338). */
void orr_emit_column_input(struct orr_emit *emit, int32_t dgrad, double width, int matrices)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double payload = emit->dims.T * width * emit->dims.w_c;
    const bool async = engine->tp_async_backward && orr_may_overlap(&emit->job->plan, ORR_GROUP_TP);
    const int32_t under_dgrad = async ? dgrad : -1, under_wgrad = async && !emit->frozen ? dgrad + 1 : -1;
    if (!emit->job->plan.sp) {
        emit_beside(emit, "tp.reduce_grad", ORR_COLLECTIVE_ALLREDUCE, payload, under_wgrad);
        return;
    }
    if (!engine->tp_kept_inputs)
        emit_beside(emit, "tp.gather_saved", ORR_COLLECTIVE_ALLGATHER, emit->dims.T * width * gathered_bytes(emit),
                    under_dgrad);
    for (int i = 0; i < (engine->tp_part_scatters ? matrices : 1); i++) {
        emit_ordering(emit, ORR_PHASE_BACKWARD, payload, false);
        emit_beside(emit, "tp.scatter_grad", ORR_COLLECTIVE_REDUCESCATTER, payload, under_wgrad);
    }
}

void orr_emit_column_gather(struct orr_emit *emit, double width, int matrices)
{
    if (!emit->job->plan.sp) return;
    for (int i = 0; i < (emit->job->engine.tp_part_gathers ? matrices : 1); i++) {
        struct orr_op *op = orr_emit_collective(emit, "tp.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER,
                                                ORR_GROUP_TP, emit->dims.T * width * gathered_bytes(emit));
        if (op && by_ops(emit)) op->recomputed = true;
        if (op) emit_ordering(emit, ORR_PHASE_FORWARD, op->payload_bytes, op->recomputed);
    }
}

/* The partial sums of a row-parallel output are reduced in forward; with sequence parallelism the output gradient is
 * gathered before dgrad can start. */
void orr_emit_row_output(struct orr_emit *emit, double width)
{
    const double payload = emit->dims.T * width * emit->dims.w_c;
    const bool sp = emit->job->plan.sp;
    if (sp) emit_ordering(emit, ORR_PHASE_FORWARD, payload, false);
    orr_emit_collective(emit, sp ? "tp.scatter" : "tp.reduce", ORR_PHASE_FORWARD,
                        sp ? ORR_COLLECTIVE_REDUCESCATTER : ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_TP, payload);
    if (!sp) return;
    emit_beside(emit, "tp.gather_grad", ORR_COLLECTIVE_ALLGATHER, payload, -1);
    emit_ordering(emit, ORR_PHASE_BACKWARD, payload, false);
}

int64_t orr_group_ranks(const struct orr_plan *plan, enum orr_group group)
{
    switch (group) {
    case ORR_GROUP_NONE: return 1;
    case ORR_GROUP_TP: return plan->tp;
    case ORR_GROUP_CP: return plan->cp;
    case ORR_GROUP_EP: return plan->ep;
    case ORR_GROUP_ETP: return plan->etp;
    case ORR_GROUP_PP: return plan->pp;
    case ORR_GROUP_DP: return plan->zero > 0 ? plan->zero_group : plan->dp * plan->cp;
    case ORR_GROUP_EDP: return plan->dp * plan->cp * plan->tp / (plan->ep * plan->etp); /* Eq. 5 */
    case ORR_GROUP_RDP: return plan->zero > 0 ? plan->dp * plan->cp / plan->zero_group : 1;
    case ORR_GROUP_HOST: return 2; /* a GPU and its host */
    case ORR_N_GROUPS: break;
    }
    return 1;
}

int64_t orr_group_stride(const struct orr_plan *plan, enum orr_group group)
{
    switch (group) {
    case ORR_GROUP_NONE:
    case ORR_GROUP_TP:
    case ORR_GROUP_HOST:
    case ORR_GROUP_ETP: return 1;
    case ORR_GROUP_CP: return plan->tp;
    case ORR_GROUP_EP: return plan->etp;
    case ORR_GROUP_DP: return plan->tp;
    case ORR_GROUP_EDP: return plan->ep * plan->etp;
    case ORR_GROUP_RDP: return plan->tp * plan->zero_group;
    case ORR_GROUP_PP: return plan->tp * plan->cp * plan->dp;
    case ORR_N_GROUPS: break;
    }
    return 1;
}
