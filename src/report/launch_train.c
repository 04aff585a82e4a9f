/* Flags of the programs that train. */
#include "ops/ops.h"
#include "report/launch.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/plan.h"

/* ---------------------------------------------------------------- Megatron-LM */

/* Says whether transfers of the group may run beside compute and the engine hides any (`overlap_frac`). */
static bool hides(const struct orr_plan *plan, enum orr_group group, double overlap_frac)
{
    return !(plan->exposed_groups >> group & 1) && overlap_frac > 0;
}

/* Do the chunks hold different numbers of layers? Then Megatron needs the list of them. */
static bool is_uneven(const struct orr_job *job)
{
    const struct orr_plan *p = &job->plan;
    return job->model.n_layers % (p->pp * p->vpp) != 0 && !orr_is_vee(p->schedule) && !orr_is_dual(p->schedule) &&
           !orr_stages_by_cost(job);
}

/* The chunks of a pipeline as Megatron Core reads them: E is the embedding, t a layer, m a prediction layer and L the
 * loss; a bar ends a chunk, and (...)*n repeats it. Chunks go round the ranks. */
static void add_layout(const struct orr_job *job, struct orr_text *text)
{
    const int64_t n_chunks = job->plan.pp * job->plan.vpp;
    orr_text_add(text, "E");
    for (int64_t i = 0, run; i < n_chunks; i += run) {
        const int64_t n = orr_chunk_layers(job, i);
        for (run = 1; i > 0 && i + run < n_chunks - 1 && orr_chunk_layers(job, i + run) == n;) run++;
        const bool last = i == n_chunks - 1;
        orr_text_add(text, "%s", run > 1 ? "(" : "");
        if (n > 0) orr_text_add(text, n > 1 ? "t*%lld" : "t", (long long)n);
        orr_text_add(text, "%s", last ? "" : "|");
        if (run > 1) orr_text_add(text, ")*%lld", (long long)run);
    }
    if (job->workload.mtp_layers > 0) orr_text_add(text, "m*%lld", (long long)job->workload.mtp_layers);
    orr_text_add(text, "L");
}

static void megatron_chunks(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const bool uneven = is_uneven(job);
    orr_flag_number(to, p->vpp > 1 && !uneven && !orr_is_vee(p->schedule), "--num-virtual-stages-per-pipeline-rank",
                    p->vpp);
    if (!uneven) return;
    orr_flag(to, true, "--pipeline-model-parallel-layout '");
    add_layout(job, to->flags);
    orr_text_add(to->flags, "'");
}

static void megatron_plan(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const bool experts = orr_model_has_experts(&job->model);
    orr_flag_number(to, true, "--tensor-model-parallel-size", p->tp);
    orr_flag_number(to, true, "--pipeline-model-parallel-size", p->pp);
    megatron_chunks(job, to);
    orr_flag_number(to, p->cp > 1, "--context-parallel-size", p->cp);
    orr_flag(to, p->cp > 1 && p->cp_kind == ORR_CP_RING, "--cp-comm-type p2p");
    orr_flag(to, p->cp > 1 && p->cp_kind == ORR_CP_ALLGATHER, "--cp-comm-type all_gather");
    orr_flag(to, p->cp > 1 && p->cp_kind == ORR_CP_ULYSSES, "--cp-comm-type a2a");
    orr_flag_number(to, experts, "--expert-model-parallel-size", p->ep);
    orr_flag_number(to, experts, "--expert-tensor-parallel-size", p->etp);
    orr_flag(to, p->ep > 1, "--moe-token-dispatcher-type alltoall");
    orr_flag(to, p->sp, "--sequence-parallel");
    orr_flag(to, p->zero == 1, "--use-distributed-optimizer");
    orr_flag(to, p->zero == 2, "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads");
    orr_flag(to, p->zero == 3, "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params");
    orr_flag(to, p->zero >= 2,
             "--use-distributed-optimizer --no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor");
    orr_flag_note(to, p->zero >= 2, "unset CUDA_DEVICE_MAX_CONNECTIONS");
}

/* Modules that --recompute-modules knows, by the operators they repeat. */
static void megatron_modules(const struct orr_workload *w, struct orr_command *to)
{
#define BIT(name) (1u << ORR_REPEATABLE_##name)
    static const struct {
        const char *flag;
        uint32_t ops;
    } MODULES[] = {{"core_attn", BIT(CORE)},
                   {"layernorm", BIT(NORM)},
                   {"mla_up_proj", BIT(QKV)},
                   {"mlp", BIT(MLP_UP) | BIT(MLP_ACT)},
                   {"moe", BIT(DISPATCH) | BIT(EXPERT_UP) | BIT(EXPERT_ACT)},
                   {"moe_act", BIT(EXPERT_ACT)}};
#undef BIT
    uint32_t left = w->recompute_ops;
    if (w->recompute != ORR_RECOMPUTE_OPS) return;
    orr_flag(to, true, "--recompute-granularity selective --recompute-modules");
    for (size_t i = 0; i < sizeof MODULES / sizeof *MODULES; i++) {
        if ((left & MODULES[i].ops) != MODULES[i].ops) continue;
        orr_flag(to, true, MODULES[i].flag);
        left &= ~MODULES[i].ops;
    }
    orr_flag_note(to, left != 0, "no module of --recompute-modules for some of the operators");
}

static void megatron_workload(const struct orr_workload *w, struct orr_command *to)
{
    const bool full = w->recompute == ORR_RECOMPUTE_FULL;
    const double bytes = orr_dtype_bytes(w->precision);
    orr_flag_number(to, true, "--seq-length", w->seq);
    orr_flag_number(to, true, "--micro-batch-size", w->micro_batch);
    orr_flag_number(to, true, "--global-batch-size", w->global_batch);
    const bool core = w->recompute == ORR_RECOMPUTE_SELECTIVE || w->recompute == ORR_RECOMPUTE_CORE;
    const bool block = full && w->recompute_first > 0;
    orr_flag(to, core, "--recompute-granularity selective");
    orr_flag_number(to, full && !block && w->recompute_nth == 0,
                    "--recompute-granularity full --recompute-method uniform --recompute-num-layers",
                    w->recompute_every);
    orr_flag_number(to, block, "--recompute-granularity full --recompute-method block --recompute-num-layers",
                    w->recompute_first);
    megatron_modules(w, to);
    orr_flag_note(to, w->recompute_nth > 0, "no flag to recompute every nth layer");
    orr_flag_note(to, w->recompute_first > 0 && !full, "no flag to recompute operators of some layers");
    orr_flag_note(to, w->recompute == ORR_RECOMPUTE_BY_OP, "no flag for recomputation that keeps every other product");
    orr_flag(to, w->precision == ORR_DTYPE_BF16, "--bf16");
    orr_flag(to, w->precision == ORR_DTYPE_FP16, "--fp16");
    orr_flag(to, w->precision == ORR_DTYPE_FP8, "--bf16 --fp8-format hybrid");
    orr_flag(to, w->precision == ORR_DTYPE_FP8_BLOCK, "--bf16 --fp8-format e4m3 --fp8-recipe blockwise");
    orr_flag(to, w->fp8_recipe == ORR_RECIPE_TENSORWISE, "--fp8-recipe tensorwise");
    orr_flag(to, w->fp8_recipe == ORR_RECIPE_MXFP8, "--fp8-recipe mxfp8");
    orr_flag_note(to, w->fp8_recipe == ORR_RECIPE_ROWWISE || w->fp8_recipe == ORR_RECIPE_ROWWISE_GW_HP,
                  "no flag for this recipe");
    orr_flag_note(to, bytes > 2 || bytes < 1 || w->precision == ORR_DTYPE_INT8, "no flag for this precision");
}

static void megatron_schedule(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_engine *e = &job->engine;
    const bool dp = p->dp * p->cp > 1 && hides(p, ORR_GROUP_DP, e->dp_overlap_frac);
    const bool listed = orr_is_vee(p->schedule) || orr_is_dual(p->schedule);
    const bool zero_bubble = orr_splits_backward(p->schedule) && !listed;
    orr_flag(to, dp, "--overlap-grad-reduce");
    orr_flag(to, dp && p->zero > 0, "--overlap-param-gather");
    orr_flag(to, p->tp > 1 && p->sp && hides(p, ORR_GROUP_TP, e->tp_overlap_frac), "--tp-comm-overlap");
    orr_flag(to, p->ep > 1 && hides(p, ORR_GROUP_EP, e->ep_overlap_frac), "--overlap-moe-expert-parallel-comm");
    orr_flag(to, p->vpp > 1 && !hides(p, ORR_GROUP_PP, e->p2p_overlap ? 1 : 0), "--no-overlap-p2p-communication");
    orr_flag_note(to, p->pp > 1 && p->schedule == ORR_SCHEDULE_GPIPE, "no flag for the gpipe schedule");
    orr_flag_note(to, p->pp > 1 && zero_bubble, "no flag for zero-bubble schedules");
    orr_flag_note(to, p->pp > 1 && listed, "no flag for schedules with two chunks in a V or two ends");
    orr_flag(to, job->workload.gradients == ORR_GRADIENTS_FP32, "--accumulate-allreduce-grads-in-fp32");
    orr_flag_note(to, job->model.n_layers % (p->pp * p->vpp) != 0 && !is_uneven(job),
                  "the layers do not divide evenly: give --pipeline-model-parallel-layout");
}

void orr_launch_megatron(const struct orr_job *job, struct orr_command *to)
{
    megatron_plan(job, to);
    megatron_workload(&job->workload, to);
    megatron_schedule(job, to);
}

/* ---------------------------------------------------------------- torchtitan */

/* Names of schedules as torch.distributed.pipelining has them. */
static const char *torch_schedule(enum orr_schedule schedule)
{
    switch (schedule) {
    case ORR_SCHEDULE_GPIPE: return "GPipe";
    case ORR_SCHEDULE_1F1B: return "1F1B";
    case ORR_SCHEDULE_INTERLEAVED: return "Interleaved1F1B";
    case ORR_SCHEDULE_ZB_V: return "ZBVZeroBubble";
    case ORR_SCHEDULE_DUALPIPE_V: return "DualPipeV";
    case ORR_SCHEDULE_ZB_H1:
    case ORR_SCHEDULE_ZB_H2:
    case ORR_SCHEDULE_V_HALF:
    case ORR_SCHEDULE_DUALPIPE:
    case ORR_N_SCHEDULES: break;
    }
    return NULL;
}

static void torchtitan_plan(const struct orr_plan *p, struct orr_command *to)
{
    const bool sharded = p->zero > 0;
    const int64_t shard = sharded ? p->zero_group > 0 ? p->zero_group / p->cp : p->dp : 1;
    orr_flag_number(to, true, "--parallelism.data_parallel_replicate_degree", p->dp / (shard > 0 ? shard : 1));
    orr_flag_number(to, true, "--parallelism.data_parallel_shard_degree", shard > 0 ? shard : 1);
    orr_flag_number(to, p->tp > 1, "--parallelism.tensor_parallel_degree", p->tp);
    orr_flag_number(to, p->cp > 1, "--parallelism.context_parallel_degree", p->cp);
    orr_flag_number(to, p->pp > 1, "--parallelism.pipeline_parallel_degree", p->pp);
    orr_flag_number(to, p->ep > 1, "--parallelism.expert_parallel_degree", p->ep);
    orr_flag(to, p->reshard == ORR_RESHARD_NEVER || p->zero == 2, "--parallelism.fsdp_reshard_after_forward never");
    orr_flag(to, p->reshard == ORR_RESHARD_ALWAYS && p->zero == 3, "--parallelism.fsdp_reshard_after_forward always");
    const char *schedule = torch_schedule(p->schedule);
    if (p->pp > 1 && schedule) {
        orr_flag(to, true, "--parallelism.pipeline_parallel_schedule");
        orr_text_add(to->flags, " %s", schedule);
    }
    orr_flag_note(to, p->pp > 1 && !schedule, "no class of torch.distributed.pipelining for this schedule");
    orr_flag_note(to, p->zero == 1, "FSDP2 shards the weights too: this is ZeRO-2 or 3");
    orr_flag_note(to, p->tp > 1 && !p->sp, "torchtitan's tensor parallelism is sequence parallel");
}

void orr_launch_torchtitan(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_workload *w = &job->workload;
    torchtitan_plan(&job->plan, to);
    orr_flag_number(to, true, "--training.seq_len", w->seq);
    orr_flag_number(to, true, "--training.local_batch_size",
                    job->plan.pp > 1 ? w->global_batch / job->plan.dp : w->micro_batch);
    orr_flag_number(to, true, "--training.global_batch_size", w->global_batch);
    orr_flag_number(to, job->plan.pp > 1, "--parallelism.pipeline_parallel_microbatch_size", w->micro_batch);
    orr_flag(to, w->recompute == ORR_RECOMPUTE_NONE, "--activation_checkpoint.mode none");
    orr_flag(to, w->recompute == ORR_RECOMPUTE_FULL, "--activation_checkpoint.mode full");
    orr_flag(to, w->recompute == ORR_RECOMPUTE_BY_OP,
             "--activation_checkpoint.mode selective --activation_checkpoint.selective_ac_option op");
    orr_flag_note(to, w->recompute == ORR_RECOMPUTE_SELECTIVE || w->recompute == ORR_RECOMPUTE_CORE,
                  "fused attention keeps no scores: nothing to recompute selectively");
    orr_flag_note(to, orr_dtype_bytes(w->precision) < 2, "8-bit products are converters of the configuration");
}

/* ---------------------------------------------------------------- Megatron Bridge, NeMo */

void orr_launch_bridge(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_workload *w = &job->workload;
    orr_flag_number(to, true, "model.tensor_model_parallel_size", p->tp);
    orr_flag_number(to, true, "model.pipeline_model_parallel_size", p->pp);
    orr_flag_number(to, p->vpp > 1 && !is_uneven(job), "model.virtual_pipeline_model_parallel_size", p->vpp);
    orr_flag_number(to, true, "model.context_parallel_size", p->cp);
    orr_flag_number(to, p->ep > 1, "model.expert_model_parallel_size", p->ep);
    orr_flag_number(to, p->ep > 1, "model.expert_tensor_parallel_size", p->etp);
    orr_flag(to, p->sp, "model.sequence_parallel true");
    orr_flag_number(to, true, "dataset.seq_length", w->seq);
    orr_flag_number(to, true, "train.micro_batch_size", w->micro_batch);
    orr_flag_number(to, true, "train.global_batch_size", w->global_batch);
    orr_flag(to, w->recompute == ORR_RECOMPUTE_FULL, "model.recompute_granularity full model.recompute_method uniform");
    orr_flag_number(to, w->recompute == ORR_RECOMPUTE_FULL, "model.recompute_num_layers", w->recompute_every);
    orr_flag(to, w->recompute == ORR_RECOMPUTE_SELECTIVE || w->recompute == ORR_RECOMPUTE_CORE,
             "model.recompute_granularity selective");
    orr_flag(to, p->zero >= 1, "ddp.use_distributed_optimizer true");
    orr_flag(to, p->zero >= 2, "dist.use_megatron_fsdp true ddp.use_megatron_fsdp true");
    orr_flag(to, p->zero == 2, "ddp.data_parallel_sharding_strategy optim_grads");
    orr_flag(to, p->zero == 3, "ddp.data_parallel_sharding_strategy optim_grads_params");
    orr_flag(to, p->zero >= 2, "ddp.average_in_collective false checkpoint.ckpt_format fsdp_dtensor");
    orr_flag_note(to, p->zero >= 2, "unset CUDA_DEVICE_MAX_CONNECTIONS");
    orr_flag_note(to, true, "the recipe decides on formats and overlap");
    if (!is_uneven(job)) return;
    orr_flag_note(to, true, "the layers do not divide evenly: set model.pipeline_model_parallel_layout to ");
    add_layout(job, to->notes);
}
