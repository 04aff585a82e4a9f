/* Flags of the programs that serve. */
#include "report/launch.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/plan.h"
#include "spec/spec.h"

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

/* ---------------------------------------------------------------- servers */

/* Replicas that share experts belong to one server, and so do all replicas of a model without experts. */
static int64_t vllm_replicas(const struct orr_job *job)
{
    const struct orr_plan *p = &job->plan;
    return shares_experts(p) ? p->ep / p->tp : orr_model_has_experts(&job->model) ? 1 : p->dp;
}

/* Data-parallel attention: replicas that share experts are ranks of tp whose attention is not cut. */
static bool sglang_attention_dp(const struct orr_plan *p)
{
    return shares_experts(p) && p->ep > p->tp;
}

/* Without data-parallel attention, SGLang keeps the replicas of one server on one node (server_args.py). */
static int64_t sglang_replicas(const struct orr_job *job)
{
    const struct orr_plan *p = &job->plan;
    const int64_t node = job->system.gpus_per_node;
    if (sglang_attention_dp(p)) return p->ep / p->tp;
    return orr_model_has_experts(&job->model) || (node > 0 && p->tp * p->pp * p->dp > node) ? 1 : p->dp;
}

/* TensorRT-LLM has data-parallel attention where every replica is one GPU. */
static bool tensorrt_attention_dp(const struct orr_plan *p)
{
    return shares_experts(p) && p->tp == 1;
}

int64_t orr_launch_servers(enum orr_launcher launcher, const struct orr_job *job)
{
    const struct orr_plan *p = &job->plan;
    switch (launcher) {
    case ORR_LAUNCHER_VLLM: return p->dp / vllm_replicas(job);
    case ORR_LAUNCHER_SGLANG: return p->dp / sglang_replicas(job);
    case ORR_LAUNCHER_TENSORRT_LLM:
        if (tensorrt_attention_dp(p)) return p->dp / p->ep;
        return p->ep > p->tp ? 1 : p->dp;
    case ORR_LAUNCHER_MEGATRON:
    case ORR_LAUNCHER_TORCHTITAN:
    case ORR_LAUNCHER_BRIDGE:
    case ORR_N_LAUNCHERS: break;
    }
    return 1;
}

/* ---------------------------------------------------------------- flags */

/* The flags of a server that switch each option on and off; NULL: it has none. ORDER enum orr_run_option */
struct option_flags {
    const char *on, *off;
};
static const struct option_flags VLLM_OPTIONS[ORR_N_RUN_OPTIONS] = {
    {"--enable-dbo", NULL},
    {"--enable-eplb", NULL},
    {NULL, "--enforce-eager"},
    {"--async-scheduling", "--no-async-scheduling"},
    {"--enable-chunked-prefill", "--no-enable-chunked-prefill"},
    {"--enable-prefix-caching", "--no-enable-prefix-caching"},
    {NULL, NULL},
};
static const struct option_flags SGLANG_OPTIONS[ORR_N_RUN_OPTIONS] = {
    {"--enable-two-batch-overlap", NULL}, {"--enable-eplb", NULL},
    {NULL, "--disable-cuda-graph"},       {NULL, "--disable-overlap-schedule"},
    {NULL, "--chunked-prefill-size -1"},  {NULL, "--disable-radix-cache"},
    {NULL, NULL},
};

static void switch_options(const struct orr_job *job, const struct option_flags *flags, struct orr_command *to)
{
    for (int i = 0; i < ORR_N_RUN_OPTIONS; i++) {
        const enum orr_switch position = job->serving.options[i];
        const char *flag = position == ORR_SWITCH_ON ? flags[i].on : flags[i].off;
        orr_flag(to, position != ORR_SWITCH_ENGINE && flag, flag ? flag : "");
    }
}

static void vllm_mtp(const struct orr_job *job, struct orr_command *to)
{
    if (!drafts_by_mtp(job)) return;
    orr_flag(to, true, "--speculative-config");
    orr_text_add(to->flags, " '{\"method\":\"mtp\",\"num_speculative_tokens\":%lld}'",
                 (long long)job->serving.draft_tokens);
}

void orr_launch_vllm(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_serving *s = &job->serving;
    const bool shared = shares_experts(p), wide = needs_no_checkpoint(job);
    const int64_t replicas = vllm_replicas(job);
    orr_flag_number(to, true, "--tensor-parallel-size", p->tp);
    orr_flag_number(to, true, "--pipeline-parallel-size", p->pp);
    orr_flag_number(to, replicas > 1, "--data-parallel-size", replicas);
    orr_flag_number(to, p->cp > 1, "--prefill-context-parallel-size", p->cp);
    orr_flag(to, shared, "--enable-expert-parallel");
    orr_flag_number(to, true, "--max-num-seqs", s->batch);
    orr_flag_number(to, true, "--max-model-len", orr_prompt_len(job) + s->output_len);
    orr_flag_number(to, s->chunk_tokens > 0, "--max-num-batched-tokens", s->chunk_tokens);
    orr_flag(to, s->weights == ORR_DTYPE_BF16, "--dtype bfloat16");
    orr_flag(to, s->weights == ORR_DTYPE_FP16, "--dtype float16");
    orr_flag(to, s->format == ORR_WEIGHT_FP8, "--quantization fp8");
    orr_flag(to, plain_cache(s, ORR_DTYPE_FP8), "--kv-cache-dtype fp8");
    orr_flag_note(to, p->ep > 1 && !shared,
                  "no flag for this expert-parallel degree: --enable-expert-parallel takes all ranks");
    orr_flag_note(to, p->dp > replicas && !to->in_file, "start one server for each set of experts");
    orr_flag_note(to, !wide && s->format != ORR_WEIGHT_FP8, "weights in this format come from a quantised checkpoint");
    orr_flag_note(to, plain_cache(s, ORR_DTYPE_INT8), "no flag for an int8 cache");
    switch_options(job, VLLM_OPTIONS, to);
    vllm_mtp(job, to);
    orr_flag_note(to, s->draft_tokens > 0 && !drafts_by_mtp(job), "the draft model goes into --speculative-config");
    orr_flag_note(to, s->disaggregated && !to->in_file,
                  "disaggregated: one server per pool, joined by --kv-transfer-config");
}

/* Replicas that share experts are ranks of tp whose attention is not cut. */
void orr_launch_tensorrt_llm(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_serving *s = &job->serving;
    const bool attention_dp = tensorrt_attention_dp(p), ep_beyond_tp = p->ep > p->tp && !attention_dp;
    orr_flag_number(to, true, "--tp_size", attention_dp ? p->ep : p->tp);
    orr_flag_number(to, true, "--pp_size", p->pp);
    orr_flag_number(to, p->cp > 1, "--cp_size", p->cp);
    orr_flag_number(to, p->ep > 1, "--ep_size", p->ep);
    orr_flag(to, attention_dp, "--enable_attention_dp");
    orr_flag_number(to, true, "--max_batch_size", s->batch);
    orr_flag_number(to, true, "--max_seq_len", orr_prompt_len(job) + s->output_len);
    orr_flag_number(to, s->chunk_tokens > 0, "--enable_chunked_prefill --max_num_tokens", s->chunk_tokens);
    orr_flag(to, plain_cache(s, ORR_DTYPE_FP8), "--kv_cache_dtype fp8");
    orr_flag_note(to, orr_run_options_act(s->options), "options of the run go into the file of --config");
    orr_flag_note(to, p->dp > 1 && !attention_dp && !ep_beyond_tp && !to->in_file,
                  "no flag for replicas: start one server for each of dp");
    orr_flag_note(to, attention_dp && p->dp > p->ep && !to->in_file, "start one server for each set of experts");
    orr_flag_note(to, ep_beyond_tp, "no flag for experts shared by replicas of several GPUs");
    orr_flag_note(to, !needs_no_checkpoint(job), "weights in this format come from a quantised checkpoint");
    orr_flag_note(to, plain_cache(s, ORR_DTYPE_INT8), "no flag for an int8 cache");
    orr_flag_note(to, s->draft_tokens > 0 && !drafts_by_mtp(job), "the draft model goes into the file of --config");
    orr_flag_note(to, drafts_by_mtp(job), "drafts by MTP layers go into the file of --config, as speculative_config");
    orr_flag_note(to, s->disaggregated && !to->in_file,
                  "disaggregated: trtllm-serve disaggregated, with both pools in its file");
}

/* Attention ranks are ranks of tp: with data-parallel attention, --dp-size says in how many groups. */
void orr_launch_sglang(const struct orr_job *job, struct orr_command *to)
{
    const struct orr_plan *p = &job->plan;
    const struct orr_serving *s = &job->serving;
    const bool shared = shares_experts(p), attention_dp = sglang_attention_dp(p);
    const int64_t replicas = sglang_replicas(job);
    orr_flag_number(to, true, "--tp-size", attention_dp ? p->ep : p->tp);
    orr_flag_number(to, p->pp > 1, "--pp-size", p->pp);
    orr_flag(to, attention_dp, "--enable-dp-attention");
    orr_flag_number(to, replicas > 1, "--dp-size", replicas);
    orr_flag_number(to, shared, "--ep-size", p->ep);
    orr_flag_number(to, true, "--max-running-requests", s->batch * (attention_dp ? replicas : 1));
    orr_flag_number(to, true, "--context-length", orr_prompt_len(job) + s->output_len);
    orr_flag_number(to, s->chunk_tokens > 0, "--chunked-prefill-size", s->chunk_tokens);
    orr_flag(to, s->format == ORR_WEIGHT_FP8, "--quantization fp8");
    orr_flag(to, plain_cache(s, ORR_DTYPE_FP8), "--kv-cache-dtype fp8_e4m3");
    switch_options(job, SGLANG_OPTIONS, to);
    orr_flag_note(to, p->cp > 1, "context parallelism is not set here");
    orr_flag_note(to, p->ep > 1 && !shared, "no flag for this expert-parallel degree");
    orr_flag_note(to, !needs_no_checkpoint(job) && s->format != ORR_WEIGHT_FP8,
                  "weights in this format come from a quantised checkpoint");
    orr_flag_note(to, p->dp > replicas && !to->in_file, "start one server for each replica or set of experts");
    orr_flag_note(to, s->disaggregated && !to->in_file,
                  "disaggregated: --disaggregation-mode for each pool, and sglang_router");
    orr_flag_note(to, s->draft_tokens > 0, "speculative decoding: --speculative-algorithm and its model");
}
