/* Adapters and frozen weights: the small products beside frozen ones, and the parameters that are trained. Sizes of a
 * target matrix -> operators and counts (Eqs. 147-151). */
#include "ops/adapter.h"

#include "base/number.h"
#include "ops/emit.h"
#include "spec/job.h"
#include "spec/names.h"

double orr_plain_weight_bytes(const struct orr_job *job)
{
    return orr_dtype_bytes(job->workload.precision) > 2 ? 4 : 2;
}

double orr_base_bytes(const struct orr_job *job)
{
#define ORR_X_BYTES_(name, word, bytes, ...) [ORR_BASE_##name] = (bytes),
    static const double BYTES[ORR_N_BASE_FORMATS] = {ORR_BASE_FORMATS(ORR_X_BYTES_)};
#undef ORR_X_BYTES_
    const bool quantised = orr_adapts(job) && job->workload.adapter.base != ORR_BASE_BF16;
    return quantised ? BYTES[job->workload.adapter.base] : orr_plain_weight_bytes(job);
}

double orr_base_kernels(const struct orr_job *job)
{
#define ORR_X_KERNELS_(name, word, bytes, kernels, ...) [ORR_BASE_##name] = (kernels),
    static const double KERNELS[ORR_N_BASE_FORMATS] = {ORR_BASE_FORMATS(ORR_X_KERNELS_)};
#undef ORR_X_KERNELS_
    return orr_adapts(job) ? KERNELS[job->workload.adapter.base] : 0;
}

/* ---------------------------------------------------------------- what is trained */

bool orr_trains_embedding(const struct orr_job *job)
{
    const struct orr_workload *workload = &job->workload;
    const bool tied = job->model.tied_embeddings && workload->frozen_head;
    return !orr_adapts(job) && !workload->frozen_embedding && !tied;
}

bool orr_trains_head(const struct orr_job *job)
{
    const struct orr_workload *workload = &job->workload;
    const bool tied = job->model.tied_embeddings && workload->frozen_embedding;
    return !orr_adapts(job) && !workload->frozen_head && !tied;
}

bool orr_trains_tower(const struct orr_job *job)
{
    return !orr_adapts(job) && !job->workload.frozen_tower;
}

/* Parameters beside one matrix of `in` inputs and `out` outputs: two matrices of the rank; DoRA adds one length per
 * output (Eq. 147). */
static double beside(const struct orr_job *job, const struct orr_layer_kind *kind, enum orr_target target, double in,
                     double out)
{
    const struct orr_adapter *adapter = &job->workload.adapter;
    if (!orr_adapts_target(job, kind, target) || in <= 0 || out <= 0) return 0;
    return (double)adapter->rank * (in + out) + (adapter->kind == ORR_ADAPTER_DORA ? out : 0);
}

/* Beside the latent projections, q stands for the query's matrices and k for those of keys and values. */
static double latent_params(const struct orr_job *job, const struct orr_layer_kind *kind, double h, double t)
{
    const double r_q = (double)kind->mla_q_rank, r = (double)kind->mla_kv_rank, a = (double)kind->n_heads / t;
    const double queries = a * (double)kind->head_qk;
    const double up = a * (double)(kind->head_qk - kind->mla_rope + kind->head_v);
    return beside(job, kind, ORR_TARGET_Q, h, r_q > 0 ? r_q : queries) +
           (r_q > 0 ? beside(job, kind, ORR_TARGET_Q, r_q, queries) : 0) +
           beside(job, kind, ORR_TARGET_K, h, r + (double)kind->mla_rope) + beside(job, kind, ORR_TARGET_K, r, up);
}

/* Parameters that separate pairs would have more than one pair beside each joined product: its first matrix is there
 * once and not per part (Eq. 365). */
static double shared_first(const struct orr_job *job, const struct orr_layer_kind *kind, double h, double f)
{
    const double rank = (double)job->workload.adapter.rank;
    const bool joined = orr_kind_attends(kind) && kind->mla_kv_rank == 0 && !kind->shared_kv;
    double params = 0;
    if (joined && orr_adapts_whole(job, kind, ORR_QKV_TARGETS)) params += (kind->kv_equal ? 1 : 2) * rank * h;
    if (kind->gated && f > 0 && orr_adapts_whole(job, kind, ORR_GATE_UP_TARGETS)) params += rank * h;
    return params;
}

double orr_adapter_params(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const double h = (double)job->model.hidden, t = (double)job->plan.tp, a = (double)kind->n_heads / t;
    const double kv = kind->shared_kv ? 0 : orr_max(1, (double)kind->n_kv_heads / t);
    const double f = (double)(kind->n_experts > 0 ? kind->shared_width : kind->ffn_width) / t;
    double params = 0;
    if (orr_kind_attends(kind) && kind->mla_kv_rank > 0) params += latent_params(job, kind, h, t);
    else if (orr_kind_attends(kind))
        params += beside(job, kind, ORR_TARGET_Q, h, a * (double)kind->head_qk) +
                  beside(job, kind, ORR_TARGET_K, h, kv * (double)kind->head_qk) +
                  beside(job, kind, ORR_TARGET_V, h, kind->kv_equal ? 0 : kv * (double)kind->head_v);
    if (orr_kind_attends(kind)) params += beside(job, kind, ORR_TARGET_O, a * (double)kind->head_v, h);
    params -= shared_first(job, kind, h, f);
    return params + (kind->gated ? beside(job, kind, ORR_TARGET_GATE, h, f) : 0) +
           beside(job, kind, ORR_TARGET_UP, h, f) + beside(job, kind, ORR_TARGET_DOWN, f, h);
}

double orr_adapter_expert_params(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const double h = (double)(kind->expert_hidden > 0 ? kind->expert_hidden : job->model.hidden);
    const double f = (double)kind->expert_width / (double)job->plan.etp;
    if (kind->n_experts == 0) return 0;
    const double each = (kind->gated ? beside(job, kind, ORR_TARGET_GATE, h, f) : 0) +
                        beside(job, kind, ORR_TARGET_UP, h, f) + beside(job, kind, ORR_TARGET_DOWN, f, h);
    return each * (double)orr_expert_places(job, kind) / (double)job->plan.ep;
}

/* ---------------------------------------------------------------- operators */

/* The target that a product of a layer stands for where its parts are not listed. */
static int target_of(enum orr_product product)
{
    switch (product) {
    case ORR_PRODUCT_QKV:
    case ORR_PRODUCT_Q_DOWN:
    case ORR_PRODUCT_Q_UP: return ORR_TARGET_Q;
    case ORR_PRODUCT_KV_DOWN:
    case ORR_PRODUCT_KV_UP: return ORR_TARGET_K;
    case ORR_PRODUCT_OUT: return ORR_TARGET_O;
    case ORR_PRODUCT_GATE_UP:
    case ORR_PRODUCT_SHARED_GATE_UP:
    case ORR_PRODUCT_EXPERT_GATE_UP: return ORR_TARGET_UP;
    case ORR_PRODUCT_DOWN:
    case ORR_PRODUCT_SHARED_DOWN:
    case ORR_PRODUCT_EXPERT_DOWN: return ORR_TARGET_DOWN;
    case ORR_PRODUCT_OTHER:
    case ORR_PRODUCT_OUT_DOWN:
    case ORR_PRODUCT_INDEX_QUERY:
    case ORR_N_PRODUCTS: break;
    }
    return -1;
}

/* A small product of the adapter, with its gradients of input and weights. */
static void emit_small_product(struct orr_emit *emit, struct orr_linear_names names, const struct orr_linear *from,
                               double k, double n)
{
    struct orr_linear linear = {
        .names = names, .m = from->m, .k = k, .n = n, .experts = from->experts, .fp32 = orr_adapter_plain(emit->job)};
    const bool frozen = emit->frozen;
    emit->frozen = false;
    linear.product = ORR_PRODUCT_OTHER;
    orr_emit_linear(emit, &linear);
    emit->frozen = frozen;
}

/* Casts of the input to the adapter's format and back to the format of products, both ways, and of its two matrices
 * and their gradients: bytes of elements, and launches (Eq. 149). */
static void emit_casts(struct orr_emit *emit, double inputs)
{
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.upcast",
                                                        .backward_name = "adapter.upcast.backward",
                                                        .kind = ORR_POINTWISE_UPCAST,
                                                        .forward_bytes = 6 * inputs,
                                                        .backward_bytes = 6 * inputs,
                                                        .forward_launches = 1,
                                                        .backward_launches = 3});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.cast",
                                                        .backward_name = "adapter.cast.backward",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = 6 * inputs,
                                                        .backward_bytes = 6 * inputs,
                                                        .forward_launches = 3,
                                                        .backward_launches = 1});
}

/* Beside a quantised matrix peft casts no input, but autocast the two matrices of the adapter, and their gradients. A
 * 4-bit layer also copies what the quantised matrix gives (Eq. 306). */
static void emit_quantised(struct orr_emit *emit, double outputs, double params)
{
    const enum orr_base_format base = emit->job->workload.adapter.base;
    const bool copies = base == ORR_BASE_NF4 || base == ORR_BASE_NF4_SINGLE, wide = orr_adapter_wide(emit->job);
    if (copies)
        orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.copy",
                                                            .kind = ORR_POINTWISE_COPY,
                                                            .forward_bytes = 2 * emit->dims.w_a * outputs,
                                                            .forward_launches = 1});
    if (wide && !orr_adapter_plain(emit->job))
        orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.cast",
                                                            .backward_name = "adapter.cast.backward",
                                                            .kind = ORR_POINTWISE_COPY,
                                                            .forward_bytes = 6 * params,
                                                            .backward_bytes = 6 * params,
                                                            .forward_launches = 2,
                                                            .backward_launches = 2});
}

/* Without autocast the input is cast up, and the gradient of it down again; products and sums are fp32 (Eq. 232). */
static void emit_plain_casts(struct orr_emit *emit, double inputs, double outputs)
{
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.upcast",
                                                        .backward_name = "adapter.cast.backward",
                                                        .kind = ORR_POINTWISE_UPCAST,
                                                        .forward_bytes = 6 * inputs,
                                                        .backward_bytes = 6 * inputs,
                                                        .forward_launches = 1,
                                                        .backward_launches = 1});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.cast",
                                                        .backward_name = "adapter.upcast.backward",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = 6 * outputs,
                                                        .backward_bytes = 6 * outputs,
                                                        .forward_launches = 1,
                                                        .backward_launches = 1});
}

/* DoRA makes the sum of the frozen matrix and the adapter's product, with the identity as input, and the length of its
 * columns; outputs are scaled by trained lengths over these (Eq. 150). */
static void emit_lengths(struct orr_emit *emit, double k, double n, double outputs, double rank)
{
    const double w = emit->dims.w_a, element = orr_adapter_wide(emit->job) ? 24 : 12;
    const bool backward = emit->backward, frozen = emit->frozen;
    const struct orr_linear eye = {.m = k};
    emit->backward = false;
    emit_small_product(emit, ORR_LINEAR("adapter.weight_a"), &eye, k, rank);
    emit_small_product(emit, ORR_LINEAR("adapter.weight_b"), &eye, rank, n);
    emit->backward = backward;
    emit->frozen = frozen;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.lengths",
                                                        .kind = ORR_POINTWISE_ADD,
                                                        .forward_bytes = element * k * n + 2 * w * k * k,
                                                        .forward_launches = 8});
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.rescale",
                                                        .backward_name = "adapter.rescale.backward",
                                                        .kind = ORR_POINTWISE_ADD,
                                                        .forward_bytes = 7 * w * outputs,
                                                        .backward_bytes = 14 * w * outputs,
                                                        .forward_launches = 5,
                                                        .backward_launches = 10});
}

/* Dropout of an adapter's input reads it and writes the copy and a mask of one byte; backward reads the gradient and
 * the mask (Eq. 314). */
static void emit_dropout(struct orr_emit *emit, double inputs)
{
    const double element = 2 * (orr_adapter_plain(emit->job) ? 4 : emit->dims.w_a) + 1;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.dropout",
                                                        .backward_name = "adapter.dropout.backward",
                                                        .kind = ORR_POINTWISE_DROPOUT,
                                                        .forward_bytes = element * inputs,
                                                        .backward_bytes = element * inputs});
}

/* The output of a joined pair of adapters is scattered over the columns of the whole product: zeros, their copy and the
 * scattered columns in forward; backward picks the columns out of the gradient (Eq. 313). */
static void emit_scatter(struct orr_emit *emit, const struct orr_linear *linear, double columns)
{
    const double w = emit->dims.w_a * linear->m;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "adapter.scatter",
                                                        .backward_name = "adapter.scatter.backward",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = w * (3 * linear->n + 2 * columns),
                                                        .backward_bytes = 2 * w * columns,
                                                        .forward_launches = 3,
                                                        .backward_launches = 1});
}

/* Beside (m, k) x (k, n): x A, (x A) B, the product with the scale, and the sum; backward also sums the two gradients
 * of the input (Eq. 148). */
static void emit_beside(struct orr_emit *emit, const struct orr_linear *linear, double n, bool drops)
{
    const struct orr_adapter *adapter = &emit->job->workload.adapter;
    const double rank = (double)adapter->rank, batch = orr_max(1, linear->experts), w = emit->dims.w_a;
    const double inputs = batch * linear->m * linear->k, outputs = batch * linear->m * n;
    const bool plain = orr_adapter_plain(emit->job);
    if (plain) emit_plain_casts(emit, inputs, outputs);
    else if (orr_adapter_casts(emit->job)) emit_casts(emit, inputs);
    if (drops) emit_dropout(emit, inputs);
    if (!orr_base_read_as_stored(emit->job)) emit_quantised(emit, outputs, batch * rank * (linear->k + n));
    emit_small_product(emit, ORR_LINEAR("adapter.a"), linear, linear->k, rank);
    emit_small_product(emit, ORR_LINEAR("adapter.b"), linear, rank, n);
    if (adapter->kind == ORR_ADAPTER_DORA) emit_lengths(emit, linear->k, n, outputs, rank);
    orr_emit_pointwise(emit,
                       &(struct orr_pointwise_op){.name = "adapter.add",
                                                  .backward_name = "adapter.add.backward",
                                                  .kind = ORR_POINTWISE_ADD,
                                                  .forward_bytes = (plain ? 18 : 5 * w) * outputs,
                                                  .backward_bytes = (plain ? 8 : 2 * w) * outputs + 3 * w * inputs,
                                                  .forward_launches = 2,
                                                  .backward_launches = 2});
}

void orr_emit_adapters(struct orr_emit *emit, const struct orr_linear *linear)
{
    if (!orr_adapts(emit->job) || emit->layer_kind < 0 || linear->product == ORR_PRODUCT_OTHER) return;
    const struct orr_layer_kind *kind = &emit->model->kinds[emit->layer_kind];
    const bool drops = emit->job->workload.adapter.dropout_frac > 0;
    if (linear->n_parts == 0) {
        const int target = target_of(linear->product);
        if (target >= 0 && orr_adapts_target(emit->job, kind, (enum orr_target)target))
            emit_beside(emit, linear, linear->n, drops);
        return;
    }
    const bool qkv = linear->product == ORR_PRODUCT_QKV;
    if (orr_adapts_whole(emit->job, kind, qkv ? ORR_QKV_TARGETS : ORR_GATE_UP_TARGETS)) {
        emit_beside(emit, linear, linear->n, drops);
        return;
    }
    const bool joined = orr_adapts_joined(emit->job) && qkv;
    double columns = 0;
    for (int i = 0; i < linear->n_parts; i++) {
        if (linear->parts[i].n <= 0 || !orr_adapts_target(emit->job, kind, linear->parts[i].target)) continue;
        emit_beside(emit, linear, linear->parts[i].n, drops && !(joined && columns > 0));
        columns += linear->parts[i].n;
    }
    if (joined && columns > 0 && columns < linear->n) emit_scatter(emit, linear, columns);
}

/* A frozen matrix that is stored in fewer bits is restored to 16 bits before each product that reads it (Eq. 151), and
 * cast once more where the library restores it in another format than that of activations (Eq. 315). */
void orr_emit_restore(struct orr_emit *emit, const struct orr_linear *linear, enum orr_phase phase)
{
    const double kernels = orr_base_kernels(emit->job);
    const bool head = linear->head && orr_quantises_head(emit->job);
    if (kernels <= 0 || !(head || (linear->quantised && emit->layer_kind >= 0))) return;
    const double weights = orr_max(1, linear->experts) * linear->k * linear->n;
    const bool cast = orr_restored_bytes(emit->job) > emit->dims.w_p; /* restored to another format first */
    struct orr_op *op = orr_emit_op(emit, "adapter.dequantise", ORR_OP_POINTWISE, phase);
    op->pointwise = ORR_POINTWISE_UPCAST;
    op->bytes = weights * (orr_base_bytes(emit->job) + (cast ? 3 : 1) * emit->dims.w_p);
    op->launches = kernels + (cast ? 1 : 0);
}
