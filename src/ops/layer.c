/* The operator list of a job or of a pass: sizes, layer kinds in turn, then the ends. The folder is entered here. */
#include "ops/emit.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "ops/experts.h"
#include "ops/mixer.h"

#include <math.h>

/* Format of everything that is not quantised, in a job whose matrices have the format `matrix`. */
static enum orr_dtype dtype16(const struct orr_job *job, enum orr_dtype matrix)
{
    if (orr_dtype_bytes(matrix) >= 2) return matrix;
    return job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] > 0 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP16;
}

enum orr_dtype orr_serve_dtype16(const struct orr_job *job)
{
    return dtype16(job, job->serving.matrix);
}

enum orr_dtype orr_serve_core(const struct orr_job *job)
{
    return orr_asked_dtype(job->workload.core, orr_serve_dtype16(job));
}

/* ---------------------------------------------------------------- sizes */

/* Ranks of the tensor-parallel group that share a layer of the tower: all where they divide its heads, else one, and
 * every rank has the whole tower. */
double orr_tower_ranks(const struct orr_job *job)
{
    return job->model.tower.kinds[0].n_heads % job->plan.tp == 0 ? (double)job->plan.tp : 1;
}

static struct orr_dims common_dims(const struct orr_job *job, const struct orr_model *model, enum orr_dtype matrix)
{
    const struct orr_plan *plan = &job->plan;
    const double w_m = orr_dtype_bytes(matrix), wide = w_m > 2 ? 4 : 2;
    const double w_a = orr_asked_bytes(job->workload.activations, wide); /* Eq. 279 */
    return (struct orr_dims){.h = (double)model->hidden,
                             .t = (double)plan->tp,
                             .c = (double)plan->cp,
                             .e = (double)plan->ep,
                             .te = (double)plan->etp,
                             .w_a = w_a,
                             .w_p = wide,
                             .w_s = orr_asked_bytes(job->workload.core, w_a),
                             .core = orr_asked_dtype(job->workload.core, dtype16(job, matrix)),
                             .w_m = orr_min(w_m, w_a),
                             .w_w = w_m,
                             .low_precision = w_m < 2,
                             .matrix = matrix,
                             .dtype16 = dtype16(job, matrix)};
}

struct orr_dims orr_dims_of(const struct orr_job *job)
{
    const struct orr_workload *workload = &job->workload;
    const double multiple = (double)job->engine.vocab_multiple * (double)job->plan.tp;
    struct orr_dims d = common_dims(job, &job->model, workload->precision);
    d.b = (double)workload->micro_batch;
    d.s = (double)workload->seq;
    d.T = d.T_prompt = d.T_head = d.b * d.s / d.c; /* Eq. 4 */
    d.T_norm = job->plan.sp ? d.T / d.t : d.T;
    d.T_routed = d.T_sent = d.T / d.t; /* T_e: Every rank owns its share of the tokens. */
    d.T_group = d.T_sent * d.e * d.te;
    d.w_c = orr_asked_bytes(workload->comm, d.w_p); /* Eq. 280 */
    d.vocab = orr_ceil((double)job->model.vocab / multiple) * multiple / d.t;
    d.m = orr_micro_batches(job);
    return d;
}

/* A tower computes in 16 bits or more, whatever the format of the text model: quantised checkpoints leave it out. The
 * images of a context-parallel group are dealt out whole. */
struct orr_dims orr_tower_dims(const struct orr_job *job, double sequences)
{
    const bool train = job->kind == ORR_JOB_TRAIN;
    const enum orr_dtype asked = train ? job->workload.precision : job->serving.matrix;
    struct orr_dims d = common_dims(job, &job->model, dtype16(job, asked));
    d.h = (double)job->model.tower.hidden;
    d.t = orr_tower_ranks(job);
    d.b = sequences * (double)job->media.tower_runs;
    if (d.c > 1) d.b = orr_ceil(d.b / d.c);
    d.c = d.e = d.te = 1;
    d.s = (double)job->media.tower_positions;
    d.T = d.T_prompt = d.T_routed = d.b * d.s;
    d.T_norm = job->plan.sp ? d.T / d.t : d.T;
    d.w_c = train ? orr_asked_bytes(job->workload.comm, d.w_p) : orr_dtype_bytes(job->serving.comm);
    d.m = train ? orr_micro_batches(job) : 1;
    return d;
}

/* Rounds a number that is whole except for rounding errors, such as the tokens of a prompt after a batch was cut into
 * fractional pieces. Kernels round it up to blocks, so that an error upwards would cost a whole block. */
static double nearly_whole(double x)
{
    const double nearest = (double)(int64_t)(x + 0.5);
    return fabs(x - nearest) <= 1e-9 * x ? nearest : x;
}

/* Sizes of a serving pass. Experts inside the tensor-parallel group see every token and share the group's reduction; an
 * expert group that spans data-parallel ranks sends each token to its experts and back. */
static struct orr_dims pass_dims(const struct orr_job *job, const struct orr_model *model,
                                 const struct orr_serve_shape *shape)
{
    struct orr_dims d = common_dims(job, model, job->serving.matrix);
    d.b = shape->prefill_sequences;
    d.s = shape->prefill_tokens > 0 ? nearly_whole(shape->prefill_tokens / d.b) : 0;
    d.context = shape->prefill_context;
    d.decoding = shape->decode_sequences;
    d.decode_context = shape->decode_context;
    d.queries = shape->queries;
    d.T_prompt = shape->prefill_tokens / d.c;
    d.T = d.T_norm = d.T_routed = d.T_prompt + d.decoding * d.queries;
    d.T_head = shape->no_head ? 0 : d.b + d.decoding * d.queries;
    if (shape->last_query_head && !shape->no_head) d.T_head = d.b + d.decoding;
    d.T_sent = d.e * d.te > d.t ? d.T / d.t : 0;
    d.T_group = d.T * orr_max(1, d.e * d.te / d.t);
    d.w_c = orr_dtype_bytes(job->serving.comm);
    d.w_w = orr_stored_bytes(job->serving.weights);
    d.cast_bytes = d.low_precision && d.w_m < d.w_a && job->engine.dynamic_quantisation ? d.w_a + d.w_m : 0;
    d.vocab = job->engine.whole_head ? (double)model->vocab : orr_ceil((double)model->vocab / d.t); /* Eq. 330 */
    return d;
}

static struct orr_emit emit_training(const struct orr_job *job, struct orr_op_list *list)
{
    return (struct orr_emit){.job = job,
                             .model = &job->model,
                             .list = list,
                             .forward = ORR_PHASE_FORWARD,
                             .backward = true,
                             .rms_norm = job->model.rms_norm,
                             .recompute = orr_layer_recompute(job, false),
                             .parts = ORR_PART_WHOLE,
                             .count = 1,
                             .dims = orr_dims_of(job),
                             .recipe = orr_recipe_of(job)};
}

struct orr_emit orr_emit_serving(const struct orr_job *job, const struct orr_model *model,
                                 const struct orr_serve_shape *shape, enum orr_phase phase, struct orr_op_list *list)
{
    return (struct orr_emit){.job = job,
                             .model = model,
                             .list = list,
                             .forward = phase,
                             .lumped = true,
                             .decode_only = shape->prefill_tokens <= 0 && !shape->beside_prompts,
                             .rms_norm = model->rms_norm,
                             .served = &job->serving.served[model == &job->draft],
                             .parts = ORR_PART_WHOLE,
                             .count = 1,
                             .dims = pass_dims(job, model, shape)};
}

/* ---------------------------------------------------------------- a layer */

/* Matrices of a plain layer that are cast or added one by one; its norms count as one tensor more. */
#define LAYER_MATRICES 7

/* A kernel adds the weight gradients to the accumulator: it reads the new gradient, and reads and writes the sum. With
 * ZeRO-3 the collective of the layer comes first, and a rank adds its shard. Where gradient and sum have different
 * formats, the kernel converts element by element and is not vectorised, which has a rate of its own (Eq. 300). */
void orr_emit_accumulation(struct orr_emit *emit, double params, double tensors)
{
    const struct orr_job *job = emit->job;
    if (job->engine.fused_gradient_accumulation || params <= 0) return;
    /* A framework that drops gradients between steps stores the first one instead of adding it. */
    const struct orr_states states = orr_states_of(job);
    const double share = states.first_kept ? (emit->dims.m - 1) / emit->dims.m : 1;
    const bool whole = orr_adds_whole_gradients(job), sharded = job->plan.zero == 3 && !whole;
    const double added = sharded ? orr_reduce_bytes(job) : emit->dims.w_p;
    const double sum = whole ? orr_reduce_bytes(job) : states.gradient_bytes;
    const double elements = sharded ? params / (double)orr_group_ranks(&job->plan, ORR_GROUP_DP) : params;
    orr_emit_pointwise(emit,
                       &(struct orr_pointwise_op){.backward_name = "gradient.accumulate",
                                                  .kind = added == sum ? ORR_POINTWISE_ADD : ORR_POINTWISE_ACCUMULATE,
                                                  .backward_bytes = share * elements * (added + 2 * sum),
                                                  .backward_launches = tensors});
}

/* The parameters of one layer; frozen layers train their adapters only. */
static struct orr_part_params layer_part(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    struct orr_part_params params = {.dense = orr_dense_params_of(emit->model, kind, emit->dims.t),
                                     .expert = orr_rank_expert_params(emit->job, kind)};
    params.trained_dense = emit->frozen ? orr_adapter_params(emit->job, kind) : params.dense;
    params.trained_expert = emit->frozen ? orr_adapter_expert_params(emit->job, kind) : params.expert;
    return params;
}

struct orr_part_params orr_plain_part(const struct orr_emit *emit, double params)
{
    return (struct orr_part_params){.dense = params, .trained_dense = emit->frozen ? 0 : params};
}

/* Autocast makes 16-bit copies of fp32 weights in every forward pass, and fp32 gradients of 16-bit ones (Eq. 157). */
void orr_emit_autocast(struct orr_emit *emit, const struct orr_part_params *params, double matrices)
{
    const double trained = params->trained_dense + params->trained_expert;
    if (!emit->job->engine.autocast || emit->job->kind != ORR_JOB_TRAIN) return;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "weights.cast",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = 6 * (params->dense + params->expert),
                                                        .forward_launches = matrices});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.backward_name = "gradient.cast",
                                                        .kind = ORR_POINTWISE_UPCAST,
                                                        .backward_bytes = 6 * trained,
                                                        .backward_launches = matrices});
}

void orr_emit_weights(struct orr_emit *emit, const struct orr_part_params *params)
{
    orr_emit_autocast(emit, params, LAYER_MATRICES);
    orr_emit_accumulation(emit, params->trained_dense + params->trained_expert, LAYER_MATRICES + 1);
    orr_emit_sharded_layer(emit, params);
}

/* Eq. 243: the kernels of a layer beyond those of a plain one, which has two norms and a dense FFN. The activation of
 * routed experts is in the time of their products. A norm over the heads of all ranks takes two passes. */
static double more_kernels(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const double qk_norms = (double)emit->job->engine.qk_norm_kernels * (kind->qk_norm_full ? 2 : 1);
    double kernels = orr_max(0, (double)kind->n_norms - 2) + (kind->qk_norm ? qk_norms : 0);
    if (kind->gate_columns > 0) kernels += 1;
    const bool shared = kind->shared_width > 0 && !orr_shared_is_routed(emit->job, kind);
    if (kind->n_experts > 0) kernels += shared ? 1 : kind->ffn_width > 0 ? 0 : -1;
    return kernels;
}

/* Norms, rotary positions, activation and residual of one layer, in as many kernels as the engine uses. */
static void emit_lump(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &emit->job->engine;
    const struct orr_dims *d = &emit->dims;
    const double width =
        (double)(kind->ffn_width + kind->shared_width) / d->t + (double)(kind->n_active * kind->expert_width) / d->te;
    /* The engine's numbers are for a layer with a mixer and an FFN. */
    const double blocks = ((orr_kind_mixes(kind) ? 1 : 0) + (orr_kind_has_ffn(kind) ? 1 : 0)) / 2.0;
    struct orr_op *op = orr_emit_op(emit, "pointwise", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    op->pointwise = ORR_POINTWISE_ACTIVATION;
    op->launches = orr_max(0, blocks * (double)engine->layer_pointwise_kernels + more_kernels(emit, kind));
    op->floor_s = op->launches * engine->pointwise_floor_s;
    const double small = engine->pointwise_bytes_per_element * orr_narrowed_frac(d);
    /* A gate in 32 bits is two kernels: an activation that is read and written, and a product of two (Eq. 382). */
    const double gate_bytes = engine->wide_activations ? (kind->gated ? 5 : 2) * 4 : (kind->gated ? 3 : 2) * d->w_a;
    op->bytes = d->T * (d->h * blocks * small + width * gate_bytes);
    const bool triton = kind->n_experts > 0 && orr_experts_triton(emit->job, d->matrix, d->w_w);
    const double others = (double)emit->job->plan.tp - 1; /* Eq. 361 */
    op->host_s = blocks * (engine->host_layer_s + others * engine->host_split_layer_s) +
                 (triton ? engine->host_experts_s : 0); /* Eq. 349 */
}

/* Eq. 383: attention of several rows that is called head by head. */
static void emit_heads(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double calls = (double)engine->head_launches * (double)kind->n_heads / emit->dims.t;
    if (calls <= 0 || emit->dims.T <= 1 || !orr_kind_attends(kind)) return;
    struct orr_op *op = orr_emit_op(emit, "attention.heads", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    op->pointwise = ORR_POINTWISE_COPY;
    op->launches = calls;
    op->floor_s = calls * engine->pointwise_floor_s;
}

/* The layer's own embedding of a token is gated by the hidden state, projected, and added to the hidden state. */
static void emit_layer_embedding(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double width = (double)kind->layer_embedding;
    orr_emit_linear(emit,
                    &(struct orr_linear){.names = ORR_LINEAR("embedding.gate"), .m = d->T, .k = d->h, .n = width});
    orr_emit_linear(emit,
                    &(struct orr_linear){.names = ORR_LINEAR("embedding.layer"), .m = d->T, .k = width, .n = d->h});
    orr_emit_residual(emit);
}

void orr_emit_layer(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const double elements = emit->dims.T_norm * emit->dims.h;
    for (int64_t i = 0; i < kind->n_norms && !emit->lumped; i++)
        orr_emit_norm(emit, "norm", "norm.backward", elements, emit->rms_norm);
    if (orr_kind_attends(kind)) orr_emit_attention(emit, kind);
    if (orr_kind_scans(kind)) orr_emit_scan(emit, kind);
    if (kind->cross_keys > 0) orr_emit_cross(emit, kind);
    if (!(emit->parts & ORR_PART_ROWS)) return;
    if (orr_kind_mixes(kind) && !(kind->parallel_block && orr_kind_has_ffn(kind))) orr_emit_block_end(emit, kind);
    if (orr_kind_has_ffn(kind)) {
        orr_emit_ffn(emit, kind);
        orr_emit_block_end(emit, kind);
    }
    if (kind->layer_embedding > 0) emit_layer_embedding(emit, kind);
    if (emit->lumped) emit_lump(emit, kind);
    if (emit->lumped) emit_heads(emit, kind);
    const struct orr_part_params params = layer_part(emit, kind);
    if (!emit->lumped) orr_emit_weights(emit, &params);
}

/* ---------------------------------------------------------------- lists */

void orr_ops_layers(const struct orr_job *job, struct orr_op_list *list)
{
    list->n = 0;
    struct orr_emit emit = emit_training(job, list);
    for (int64_t i = 0; i < job->model.n_kinds; i++) {
        const struct orr_layer_kind *kind = &job->model.kinds[i];
        const size_t first = list->n;
        emit.layer_kind = i;
        emit.frozen = kind->frozen || orr_adapts(job);
        emit.backward = !kind->no_backward;
        emit.recompute = emit.backward ? orr_layer_recompute(job, kind->kept) : ORR_RECOMPUTE_NONE;
        orr_emit_layer(&emit, kind);
        if (emit.recompute == ORR_RECOMPUTE_OPS) orr_mark_repeated(job, list, first);
    }
    emit.backward = true;
    orr_emit_ends(&emit);
    if (!job->media.encodes) return;
    emit.frozen = !orr_trains_tower(job);
    emit.backward = !emit.frozen; /* nothing before the tower is trained */
    /* Its layers are recomputed whole, or their cores; a choice of operators is one of the text model. */
    const enum orr_recompute recompute = emit.backward ? orr_layer_recompute(job, false) : ORR_RECOMPUTE_NONE;
    emit.recompute = recompute == ORR_RECOMPUTE_BY_OP ? ORR_RECOMPUTE_CORE
                     : recompute == ORR_RECOMPUTE_OPS ? ORR_RECOMPUTE_NONE
                                                      : recompute;
    orr_emit_tower(&emit, emit.dims.b);
}

void orr_ops_iteration(const struct orr_job *job, const struct orr_stage *heaviest, struct orr_op_list *list)
{
    struct orr_emit emit = emit_training(job, list);
    orr_emit_step(&emit, heaviest);
}

void orr_serve_ops(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                   enum orr_phase phase, struct orr_op_list *list)
{
    orr_serve_parts(job, model, shape, ORR_PART_WHOLE, phase, list);
}

void orr_serve_tower(const struct orr_job *job, double sequences, struct orr_op_list *list)
{
    const struct orr_serve_shape none = {0};
    struct orr_emit emit = orr_emit_serving(job, &job->model, &none, ORR_PHASE_PREFILL, list);
    orr_emit_tower(&emit, sequences);
}

void orr_serve_parts(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                     unsigned parts, enum orr_phase phase, struct orr_op_list *list)
{
    struct orr_emit emit = orr_emit_serving(job, model, shape, phase, list);
    emit.parts = parts;
    double n_layers[ORR_MAX_LAYER_KINDS];
    orr_count_layers(model, n_layers);
    for (int64_t k = 0; k < model->n_kinds; k++) {
        if (n_layers[k] <= 0) continue;
        emit.layer_kind = k;
        emit.count = model->is_mtp ? 1 : n_layers[k];
        orr_emit_layer(&emit, &model->kinds[k]);
    }
    emit.count = 1;
    orr_emit_pass_ends(&emit);
}
