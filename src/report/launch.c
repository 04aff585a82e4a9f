/* A plan becomes command-line flags, with one function per program. A line adds a flag, a flag with a number or, where
 * the program has no such flag, a note; each only where its condition holds. */
#include "report/launch.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/plan.h"

/* A command collects what a program is asked for. */
struct command {
    struct orr_text *flags, *notes;
};

static void flag(struct command *to, bool holds, const char *name)
{
    if (holds) orr_text_add(to->flags, "%s%s", to->flags->length ? " " : "", name);
}

static void number(struct command *to, bool holds, const char *name, int64_t value)
{
    flag(to, holds, name);
    if (holds) orr_text_add(to->flags, " %lld", (long long)value);
}

static void note(struct command *to, bool holds, const char *text)
{
    if (holds) orr_text_add(to->notes, "%s%s", to->notes->length ? "; " : "", text);
}

/* ---------------------------------------------------------------- training */

/* Says whether transfers of the group may run beside compute and the engine hides any (`overlap_frac`). */
static bool hides(const struct orr_plan *plan, enum orr_group group, double overlap_frac)
{
    return !(plan->exposed_groups >> group & 1) && overlap_frac > 0;
}

static void megatron_plan(const struct orr_job *job, struct command *to)
{
    const struct orr_plan *p = &job->plan;
    const bool experts = orr_model_has_experts(&job->model);
    number(to, true, "--tensor-model-parallel-size", p->tp);
    number(to, true, "--pipeline-model-parallel-size", p->pp);
    number(to, p->vpp > 1 && !orr_is_vee(p->schedule), "--num-virtual-stages-per-pipeline-rank", p->vpp);
    number(to, p->cp > 1, "--context-parallel-size", p->cp);
    flag(to, p->cp > 1 && p->cp_kind == ORR_CP_RING, "--cp-comm-type p2p");
    flag(to, p->cp > 1 && p->cp_kind == ORR_CP_ALLGATHER, "--cp-comm-type all_gather");
    flag(to, p->cp > 1 && p->cp_kind == ORR_CP_ULYSSES, "--cp-comm-type a2a");
    number(to, experts, "--expert-model-parallel-size", p->ep);
    number(to, experts, "--expert-tensor-parallel-size", p->etp);
    flag(to, p->ep > 1, "--moe-token-dispatcher-type alltoall");
    flag(to, p->sp, "--sequence-parallel");
    flag(to, p->zero == 1, "--use-distributed-optimizer");
    flag(to, p->zero == 2, "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads");
    flag(to, p->zero == 3, "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params");
    flag(to, p->zero >= 2, "--use-distributed-optimizer --no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor");
    note(to, p->zero >= 2, "unset CUDA_DEVICE_MAX_CONNECTIONS");
}

/* Modules that --recompute-modules knows, by the operators they repeat. */
static void megatron_modules(const struct orr_workload *w, struct command *to)
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
    flag(to, true, "--recompute-granularity selective --recompute-modules");
    for (size_t i = 0; i < sizeof MODULES / sizeof *MODULES; i++) {
        if ((left & MODULES[i].ops) != MODULES[i].ops) continue;
        flag(to, true, MODULES[i].flag);
        left &= ~MODULES[i].ops;
    }
    note(to, left != 0, "no module of --recompute-modules for some of the operators");
}

static void megatron_workload(const struct orr_workload *w, struct command *to)
{
    const bool full = w->recompute == ORR_RECOMPUTE_FULL;
    const double bytes = orr_dtype_bytes(w->precision);
    number(to, true, "--seq-length", w->seq);
    number(to, true, "--micro-batch-size", w->micro_batch);
    number(to, true, "--global-batch-size", w->global_batch);
    const bool core = w->recompute == ORR_RECOMPUTE_SELECTIVE || w->recompute == ORR_RECOMPUTE_CORE;
    const bool block = full && w->recompute_first > 0;
    flag(to, core, "--recompute-granularity selective");
    number(to, full && !block && w->recompute_nth == 0,
           "--recompute-granularity full --recompute-method uniform --recompute-num-layers", w->recompute_every);
    number(to, block, "--recompute-granularity full --recompute-method block --recompute-num-layers",
           w->recompute_first);
    megatron_modules(w, to);
    note(to, w->recompute_nth > 0, "no flag to recompute every nth layer");
    note(to, w->recompute_first > 0 && !full, "no flag to recompute operators of some layers");
    note(to, w->recompute == ORR_RECOMPUTE_BY_OP, "no flag for recomputation that keeps every other product");
    flag(to, w->precision == ORR_DTYPE_BF16, "--bf16");
    flag(to, w->precision == ORR_DTYPE_FP16, "--fp16");
    flag(to, w->precision == ORR_DTYPE_FP8, "--bf16 --fp8-format hybrid");
    flag(to, w->precision == ORR_DTYPE_FP8_BLOCK, "--bf16 --fp8-format e4m3 --fp8-recipe blockwise");
    flag(to, w->fp8_recipe == ORR_RECIPE_TENSORWISE, "--fp8-recipe tensorwise");
    flag(to, w->fp8_recipe == ORR_RECIPE_MXFP8, "--fp8-recipe mxfp8");
    note(to, w->fp8_recipe == ORR_RECIPE_ROWWISE || w->fp8_recipe == ORR_RECIPE_ROWWISE_GW_HP,
         "no flag for this recipe");
    note(to, bytes > 2 || bytes < 1 || w->precision == ORR_DTYPE_INT8, "no flag for this precision");
}

static void megatron_schedule(const struct orr_job *job, struct command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_engine *e = &job->engine;
    const bool dp = p->dp * p->cp > 1 && hides(p, ORR_GROUP_DP, e->dp_overlap_frac);
    const bool listed = orr_is_vee(p->schedule) || orr_is_dual(p->schedule);
    const bool zero_bubble = orr_splits_backward(p->schedule) && !listed;
    flag(to, dp, "--overlap-grad-reduce");
    flag(to, dp && p->zero > 0, "--overlap-param-gather");
    flag(to, p->tp > 1 && p->sp && hides(p, ORR_GROUP_TP, e->tp_overlap_frac), "--tp-comm-overlap");
    flag(to, p->ep > 1 && hides(p, ORR_GROUP_EP, e->ep_overlap_frac), "--overlap-moe-expert-parallel-comm");
    flag(to, p->vpp > 1 && !hides(p, ORR_GROUP_PP, e->p2p_overlap ? 1 : 0), "--no-overlap-p2p-communication");
    note(to, p->pp > 1 && p->schedule == ORR_SCHEDULE_GPIPE, "no flag for the gpipe schedule");
    note(to, p->pp > 1 && zero_bubble, "no flag for zero-bubble schedules");
    note(to, p->pp > 1 && listed, "no flag for schedules with two chunks in a V or two ends");
    flag(to, job->workload.gradients == ORR_GRADIENTS_FP32, "--accumulate-allreduce-grads-in-fp32");
    note(to, job->model.n_layers % (p->pp * p->vpp) != 0,
         "the layers do not divide evenly: give --pipeline-model-parallel-layout");
}

static void megatron(const struct orr_job *job, struct command *to)
{
    megatron_plan(job, to);
    megatron_workload(&job->workload, to);
    megatron_schedule(job, to);
}

/* ---------------------------------------------------------------- serving */

/* One server has one set of experts over all of its ranks, which are those of ep / tp replicas. */
static bool shares_experts(const struct orr_plan *p)
{
    return p->ep > 1 && p->etp == 1 && p->cp == 1 && p->ep % p->tp == 0 && p->tp * p->dp % p->ep == 0;
}

/* Says whether the weights are those of the model's own files, or 16 bits. */
static bool needs_no_checkpoint(const struct orr_job *job)
{
    const struct orr_serving *s = &job->serving;
    const enum orr_weight_format own = job->model.checkpoint.format;
    if (s->weights == ORR_DTYPE_BF16 || s->weights == ORR_DTYPE_FP16) return true;
    return own != ORR_WEIGHT_PUBLISHED && (s->format == ORR_WEIGHT_PUBLISHED || s->format == own);
}

/* A cache with scales has no common flag. */
static bool plain_cache(const struct orr_serving *s, enum orr_dtype kv)
{
    return s->kv == kv && s->kv_format == ORR_KV_PLAIN;
}

/* Prediction layers need no name of a draft model. */
static bool drafts_by_mtp(const struct orr_job *job)
{
    return job->draft.is_mtp && job->serving.draft_tokens > 0;
}

static void vllm_mtp(const struct orr_job *job, struct command *to)
{
    if (!drafts_by_mtp(job)) return;
    flag(to, true, "--speculative-config");
    orr_text_add(to->flags, " '{\"method\":\"mtp\",\"num_speculative_tokens\":%lld}'",
                 (long long)job->serving.draft_tokens);
}

static void vllm(const struct orr_job *job, struct command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_serving *s = &job->serving;
    const bool shared = shares_experts(p), wide = needs_no_checkpoint(job);
    const int64_t replicas = shared ? p->ep / p->tp : orr_model_has_experts(&job->model) ? 1 : p->dp;
    number(to, true, "--tensor-parallel-size", p->tp);
    number(to, true, "--pipeline-parallel-size", p->pp);
    number(to, replicas > 1, "--data-parallel-size", replicas);
    number(to, p->cp > 1, "--prefill-context-parallel-size", p->cp);
    flag(to, shared, "--enable-expert-parallel");
    number(to, true, "--max-num-seqs", s->batch);
    number(to, true, "--max-model-len", orr_prompt_len(job) + s->output_len);
    number(to, s->chunk_tokens > 0, "--max-num-batched-tokens", s->chunk_tokens);
    flag(to, s->weights == ORR_DTYPE_BF16, "--dtype bfloat16");
    flag(to, s->weights == ORR_DTYPE_FP16, "--dtype float16");
    flag(to, s->format == ORR_WEIGHT_FP8, "--quantization fp8");
    flag(to, plain_cache(s, ORR_DTYPE_FP8), "--kv-cache-dtype fp8");
    note(to, p->ep > 1 && !shared, "no flag for this expert-parallel degree: --enable-expert-parallel takes all ranks");
    note(to, p->dp > replicas, "start one server for each set of experts");
    note(to, !wide && s->format != ORR_WEIGHT_FP8, "weights in this format come from a quantised checkpoint");
    note(to, plain_cache(s, ORR_DTYPE_INT8), "no flag for an int8 cache");
    vllm_mtp(job, to);
    note(to, s->draft_tokens > 0 && !drafts_by_mtp(job), "the draft model goes into --speculative-config");
    note(to, s->disaggregated, "disaggregated: one server per pool, joined by --kv-transfer-config");
}

/* Replicas that share experts are ranks of tp whose attention is not cut. */
static void tensorrt_llm(const struct orr_job *job, struct command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_serving *s = &job->serving;
    const bool attention_dp = shares_experts(p) && p->tp == 1, ep_beyond_tp = p->ep > p->tp && !attention_dp;
    number(to, true, "--tp_size", attention_dp ? p->ep : p->tp);
    number(to, true, "--pp_size", p->pp);
    number(to, p->cp > 1, "--cp_size", p->cp);
    number(to, p->ep > 1, "--ep_size", p->ep);
    flag(to, attention_dp, "--enable_attention_dp");
    number(to, true, "--max_batch_size", s->batch);
    number(to, true, "--max_seq_len", orr_prompt_len(job) + s->output_len);
    number(to, s->chunk_tokens > 0, "--enable_chunked_prefill --max_num_tokens", s->chunk_tokens);
    flag(to, plain_cache(s, ORR_DTYPE_FP8), "--kv_cache_dtype fp8");
    note(to, p->dp > 1 && !attention_dp && !ep_beyond_tp, "no flag for replicas: start one server for each of dp");
    note(to, attention_dp && p->dp > p->ep, "start one server for each set of experts");
    note(to, ep_beyond_tp, "no flag for experts shared by replicas of several GPUs");
    note(to, !needs_no_checkpoint(job), "weights in this format come from a quantised checkpoint");
    note(to, plain_cache(s, ORR_DTYPE_INT8), "no flag for an int8 cache");
    note(to, s->draft_tokens > 0 && !drafts_by_mtp(job), "the draft model goes into the file of --config");
    note(to, drafts_by_mtp(job), "drafts by MTP layers go into the file of --config, as speculative_config");
    note(to, s->disaggregated, "disaggregated: trtllm-serve disaggregated, with both pools in its file");
}

/* ---------------------------------------------------------------- what others see */

const struct orr_launcher_info orr_launchers[ORR_N_LAUNCHERS] = {
#define X(name, function, key, program, kind) {key, program, kind},
    ORR_LAUNCHERS(X)
#undef X
};

bool orr_launch(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags, struct orr_text *notes)
{
    struct command to = {flags, notes};
    if (orr_launchers[launcher].kind != job->kind) return false;
    switch (launcher) {
#define X(name, function, ...)                                                                                         \
    case ORR_LAUNCHER_##name: function(job, &to); break;
        ORR_LAUNCHERS(X)
#undef X
    case ORR_N_LAUNCHERS: break;
    }
    return true;
}
