/* The operator list of a job: layer kinds in turn, then the ends and the step. Entry point of this folder. */
#include "ops/ops.h"

#include "base/number.h"

struct orr_dims orr_dims_of(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    const struct orr_workload *workload = &job->workload;
    const double multiple = (double)job->engine.vocab_multiple * (double)plan->tp;
    struct orr_dims d = {.b = (double)workload->micro_batch,
                         .s = (double)workload->seq,
                         .h = (double)job->model.hidden,
                         .t = (double)plan->tp,
                         .c = (double)plan->cp,
                         .e = (double)plan->ep,
                         .te = (double)plan->etp,
                         .w_a = 2,
                         .w_c = 2};
    d.T = d.b * d.s / d.c; /* Eq. 4 */
    d.T_norm = plan->sp ? d.T / d.t : d.T;
    d.m = (double)workload->global_batch / ((double)plan->dp * d.b);
    d.vocab = orr_ceil((double)job->model.vocab / multiple) * multiple / d.t;
    d.low_precision = orr_dtype_bytes(workload->precision) < 2;
    d.dtype16 = workload->precision;
    if (d.low_precision)
        d.dtype16 = job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] > 0 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP16;
    if (orr_dtype_bytes(workload->precision) > 2) d.w_a = d.w_c = 4;
    return d;
}

/* Weight gradients added to the accumulator by a kernel of their own: read the new one, read and write the sum. */
static void emit_accumulation(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_engine *engine = &emit->job->engine;
    if (engine->fused_gradient_accumulation) return;
    const double params = orr_rank_dense_params(emit->job, kind) + orr_rank_expert_params(emit->job, kind);
    /* a framework that drops gradients between steps stores the first one instead of adding it */
    const double share = engine->gradients_16bit_live ? (emit->dims.m - 1) / emit->dims.m : 1;
    orr_emit_pointwise(emit,
                       (struct orr_pointwise_op){
                           .backward_name = "gradient.accumulate",
                           .kind = ORR_POINTWISE_ADD,
                           .backward_bytes = share * params * (emit->dims.w_a + 2 * (double)engine->gradient_bytes),
                           .backward_launches = 8});
}

static void emit_layer(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_model *model = &emit->job->model;
    const double elements = emit->dims.T_norm * emit->dims.h;
    for (int64_t i = 0; i < kind->n_norms; i++) orr_emit_norm(emit, "norm", "norm.backward", elements, model->rms_norm);
    if (kind->mla_kv_rank > 0) orr_ops_mla(emit, kind);
    else orr_ops_attention(emit, kind);
    if (!kind->parallel_block) orr_emit_residual(emit);
    if (kind->n_experts > 0) orr_ops_moe(emit, kind);
    if (kind->ffn_width > 0) orr_ops_ffn(emit, kind, (double)kind->ffn_width, false);
    orr_emit_residual(emit);
    emit_accumulation(emit, kind);
    orr_ops_sharded_layer(emit, orr_rank_dense_params(emit->job, kind), orr_rank_expert_params(emit->job, kind));
}

static struct orr_emit emit_of(const struct orr_job *job, struct orr_op_list *list)
{
    return (struct orr_emit){.job = job,
                             .dims = orr_dims_of(job),
                             .list = list,
                             .recompute_full = job->workload.recompute == ORR_RECOMPUTE_FULL};
}

void orr_ops_layers(const struct orr_job *job, struct orr_op_list *list)
{
    list->n = 0;
    struct orr_emit emit = emit_of(job, list);
    for (int64_t i = 0; i < job->model.n_kinds; i++) {
        emit.layer_kind = i;
        emit_layer(&emit, &job->model.kinds[i]);
    }
    orr_ops_ends(&emit);
}

void orr_ops_iteration(const struct orr_job *job, const struct orr_stage *heaviest, struct orr_op_list *list)
{
    struct orr_emit emit = emit_of(job, list);
    orr_ops_step(&emit, heaviest);
}
