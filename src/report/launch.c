/* A plan as command-line flags: one table per program. A row is taken where its condition holds; it adds a flag with a
 * number, a flag alone, or a note where the program has no such flag. */
#include "report/launch.h"
#include "spec/job.h"
#include "spec/names.h"

typedef const struct orr_job *job_t;

struct row {
    bool (*holds)(job_t job);    /* NULL: always */
    const char *flag;            /* NULL: only a note */
    int64_t (*value)(job_t job); /* NULL: the flag stands alone */
    const char *note;            /* NULL: none */
};

/* ---------------------------------------------------------------- what rows ask of a job */

#define VALUE(name, expression)                                                                                        \
    static int64_t name(job_t j)                                                                                       \
    {                                                                                                                  \
        return expression;                                                                                             \
    }
#define HOLDS(name, expression)                                                                                        \
    static bool name(job_t j)                                                                                          \
    {                                                                                                                  \
        return expression;                                                                                             \
    }

VALUE(tp, j->plan.tp)
VALUE(pp, j->plan.pp)
VALUE(vpp, j->plan.vpp)
VALUE(cp, j->plan.cp)
VALUE(ep, j->plan.ep)
VALUE(etp, j->plan.etp)
VALUE(seq, j->workload.seq)
VALUE(micro_batch, j->workload.micro_batch)
VALUE(global_batch, j->workload.global_batch)
VALUE(recompute_every, j->workload.recompute_every)
VALUE(batch, j->serving.batch)
VALUE(longest, j->serving.input_len + j->serving.output_len)
VALUE(chunk_tokens, j->serving.chunk_tokens)

static bool hides(job_t j, enum orr_group group)
{
    return !(j->plan.exposed_groups >> group & 1);
}

HOLDS(has_vpp, j->plan.vpp > 1)
HOLDS(has_cp, j->plan.cp > 1)
HOLDS(cp_rings, j->plan.cp > 1 && j->plan.cp_kind == ORR_CP_RING)
HOLDS(cp_gathers, j->plan.cp > 1 && j->plan.cp_kind == ORR_CP_ALLGATHER)
HOLDS(cp_swaps, j->plan.cp > 1 && j->plan.cp_kind == ORR_CP_ULYSSES)
HOLDS(has_experts, orr_model_has_experts(&j->model))
HOLDS(has_sp, j->plan.sp)
HOLDS(zero_1, j->plan.zero == 1)
HOLDS(zero_2, j->plan.zero == 2)
HOLDS(zero_3, j->plan.zero == 3)
HOLDS(fsdp, j->plan.zero >= 2)
HOLDS(selective, j->workload.recompute == ORR_RECOMPUTE_SELECTIVE)
HOLDS(full, j->workload.recompute == ORR_RECOMPUTE_FULL)
HOLDS(trains_bf16, j->workload.precision == ORR_DTYPE_BF16)
HOLDS(trains_fp16, j->workload.precision == ORR_DTYPE_FP16)
HOLDS(trains_fp8, j->workload.precision == ORR_DTYPE_FP8)
HOLDS(trains_fp8_block, j->workload.precision == ORR_DTYPE_FP8_BLOCK)
HOLDS(trains_other, orr_dtype_bytes(j->workload.precision) > 2 || orr_dtype_bytes(j->workload.precision) < 1 ||
                        j->workload.precision == ORR_DTYPE_INT8)
HOLDS(is_gpipe, j->plan.pp > 1 && j->plan.schedule == ORR_SCHEDULE_GPIPE)
HOLDS(is_zero_bubble,
      j->plan.pp > 1 && (j->plan.schedule == ORR_SCHEDULE_ZB_H1 || j->plan.schedule == ORR_SCHEDULE_ZB_H2))
HOLDS(is_uneven, j->model.n_layers % (j->plan.pp * j->plan.vpp) != 0)
HOLDS(hides_dp, j->plan.dp * j->plan.cp > 1 && hides(j, ORR_GROUP_DP) && j->engine.dp_overlap_frac > 0)
HOLDS(hides_gathers, hides_dp(j) && j->plan.zero > 0)
HOLDS(hides_tp, j->plan.tp > 1 && j->plan.sp && hides(j, ORR_GROUP_TP) && j->engine.tp_overlap_frac > 0)
HOLDS(hides_ep, j->plan.ep > 1 && hides(j, ORR_GROUP_EP) && j->engine.ep_overlap_frac > 0)
HOLDS(sends_alone, j->plan.vpp > 1 && !(hides(j, ORR_GROUP_PP) && j->engine.p2p_overlap))

/* Serving. One server has one set of experts, over all of its ranks: those of ep / tp replicas. */
HOLDS(shares_experts, j->plan.ep > 1 && j->plan.etp == 1 && j->plan.cp == 1 && j->plan.ep % j->plan.tp == 0 &&
                          j->plan.tp * j->plan.dp % j->plan.ep == 0)
VALUE(replicas, shares_experts(j) ? j->plan.ep / j->plan.tp : has_experts(j) ? 1 : j->plan.dp)
HOLDS(replicates, replicas(j) > 1)
HOLDS(needs_servers, j->plan.dp > replicas(j))
HOLDS(odd_experts, j->plan.ep > 1 && !shares_experts(j))
/* TensorRT-LLM: replicas that share experts are ranks of tp whose attention is not cut. */
HOLDS(attention_dp, shares_experts(j) && j->plan.tp == 1)
VALUE(tp_size, attention_dp(j) ? j->plan.ep : j->plan.tp)
HOLDS(has_ep, j->plan.ep > 1)
HOLDS(ep_beyond_tp, j->plan.ep > j->plan.tp && !attention_dp(j))
HOLDS(needs_replicas, j->plan.dp > 1 && !attention_dp(j) && !ep_beyond_tp(j))
HOLDS(needs_sets, attention_dp(j) && j->plan.dp > j->plan.ep)
HOLDS(chunks, j->serving.chunk_tokens > 0)
HOLDS(serves_bf16, j->serving.weights == ORR_DTYPE_BF16)
HOLDS(serves_fp16, j->serving.weights == ORR_DTYPE_FP16)
HOLDS(serves_published, j->serving.served[0].resolved && j->model.checkpoint.format != ORR_WEIGHT_PUBLISHED &&
                            (j->serving.format == ORR_WEIGHT_PUBLISHED ||
                             j->serving.format == j->model.checkpoint.format))
HOLDS(serves_fp8, j->serving.format == ORR_WEIGHT_FP8)
HOLDS(serves_quantised, !serves_bf16(j) && !serves_fp16(j) && !serves_published(j))
HOLDS(serves_other, serves_quantised(j) && !serves_fp8(j))
HOLDS(cache_fp8, j->serving.kv == ORR_DTYPE_FP8)
HOLDS(cache_int8, j->serving.kv == ORR_DTYPE_INT8)
HOLDS(drafts, j->serving.draft_tokens > 0)
HOLDS(disaggregates, j->serving.disaggregated)

/* ---------------------------------------------------------------- the programs */

static const struct row MEGATRON[] = {
    {NULL, "--tensor-model-parallel-size", tp, NULL},
    {NULL, "--pipeline-model-parallel-size", pp, NULL},
    {has_vpp, "--num-virtual-stages-per-pipeline-rank", vpp, NULL},
    {has_cp, "--context-parallel-size", cp, NULL},
    {cp_rings, "--cp-comm-type p2p", NULL, NULL},
    {cp_gathers, "--cp-comm-type all_gather", NULL, NULL},
    {cp_swaps, "--cp-comm-type a2a", NULL, NULL},
    {has_experts, "--expert-model-parallel-size", ep, NULL},
    {has_experts, "--expert-tensor-parallel-size", etp, NULL},
    {has_ep, "--moe-token-dispatcher-type alltoall", NULL, NULL},
    {has_sp, "--sequence-parallel", NULL, NULL},
    {zero_1, "--use-distributed-optimizer", NULL, NULL},
    {zero_2, "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads", NULL, NULL},
    {zero_3, "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params", NULL, NULL},
    {fsdp, "--use-distributed-optimizer --no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor", NULL,
     "unset CUDA_DEVICE_MAX_CONNECTIONS"},
    {NULL, "--seq-length", seq, NULL},
    {NULL, "--micro-batch-size", micro_batch, NULL},
    {NULL, "--global-batch-size", global_batch, NULL},
    {selective, "--recompute-granularity selective", NULL, NULL},
    {full, "--recompute-granularity full --recompute-method uniform --recompute-num-layers", recompute_every, NULL},
    {trains_bf16, "--bf16", NULL, NULL},
    {trains_fp16, "--fp16", NULL, NULL},
    {trains_fp8, "--bf16 --fp8-format hybrid", NULL, NULL},
    {trains_fp8_block, "--bf16 --fp8-format e4m3 --fp8-recipe blockwise", NULL, NULL},
    {hides_dp, "--overlap-grad-reduce", NULL, NULL},
    {hides_gathers, "--overlap-param-gather", NULL, NULL},
    {hides_tp, "--tp-comm-overlap", NULL, NULL},
    {hides_ep, "--overlap-moe-expert-parallel-comm", NULL, NULL},
    {sends_alone, "--no-overlap-p2p-communication", NULL, NULL},
    {trains_other, NULL, NULL, "no flag for this precision"},
    {is_gpipe, NULL, NULL, "no flag for the gpipe schedule"},
    {is_zero_bubble, NULL, NULL, "no flag for zero-bubble schedules"},
    {is_uneven, NULL, NULL, "the layers do not divide evenly: give --pipeline-model-parallel-layout"},
};

static const struct row VLLM[] = {
    {NULL, "--tensor-parallel-size", tp, NULL},
    {NULL, "--pipeline-parallel-size", pp, NULL},
    {replicates, "--data-parallel-size", replicas, NULL},
    {has_cp, "--prefill-context-parallel-size", cp, NULL},
    {shares_experts, "--enable-expert-parallel", NULL, NULL},
    {NULL, "--max-num-seqs", batch, NULL},
    {NULL, "--max-model-len", longest, NULL},
    {chunks, "--max-num-batched-tokens", chunk_tokens, NULL},
    {serves_bf16, "--dtype bfloat16", NULL, NULL},
    {serves_fp16, "--dtype float16", NULL, NULL},
    {serves_fp8, "--quantization fp8", NULL, NULL},
    {cache_fp8, "--kv-cache-dtype fp8", NULL, NULL},
    {odd_experts, NULL, NULL, "no flag for this expert-parallel degree: --enable-expert-parallel takes all ranks"},
    {needs_servers, NULL, NULL, "start one server for each set of experts"},
    {serves_other, NULL, NULL, "weights in this format come from a quantised checkpoint"},
    {cache_int8, NULL, NULL, "no flag for an int8 cache"},
    {drafts, NULL, NULL, "the draft model goes into --speculative-config"},
    {disaggregates, NULL, NULL, "disaggregated: one server per pool, joined by --kv-transfer-config"},
};

static const struct row TENSORRT_LLM[] = {
    {NULL, "--tp_size", tp_size, NULL},
    {NULL, "--pp_size", pp, NULL},
    {has_cp, "--cp_size", cp, NULL},
    {has_ep, "--ep_size", ep, NULL},
    {attention_dp, "--enable_attention_dp", NULL, NULL},
    {NULL, "--max_batch_size", batch, NULL},
    {NULL, "--max_seq_len", longest, NULL},
    {chunks, "--enable_chunked_prefill --max_num_tokens", chunk_tokens, NULL},
    {cache_fp8, "--kv_cache_dtype fp8", NULL, NULL},
    {needs_replicas, NULL, NULL, "no flag for replicas: start one server for each of dp"},
    {needs_sets, NULL, NULL, "start one server for each set of experts"},
    {ep_beyond_tp, NULL, NULL, "no flag for experts shared by replicas of several GPUs"},
    {serves_quantised, NULL, NULL, "weights in this format come from a quantised checkpoint"},
    {cache_int8, NULL, NULL, "no flag for an int8 cache"},
    {drafts, NULL, NULL, "the draft model goes into the file of --config"},
    {disaggregates, NULL, NULL, "disaggregated: trtllm-serve disaggregated, with both pools in its file"},
};

/* ---------------------------------------------------------------- what others see */

struct launcher {
    const char *key, *program;
    enum orr_job_kind kind;
    const struct row *rows;
    size_t n_rows;
};

#define X_ROW(name, key, program, kind) {key, program, kind, name, sizeof name / sizeof name[0]},
static const struct launcher LAUNCHERS[ORR_N_LAUNCHERS] = {ORR_LAUNCHERS(X_ROW)};

const char *orr_launcher_key(enum orr_launcher launcher)
{
    return LAUNCHERS[launcher].key;
}

const char *orr_launcher_program(enum orr_launcher launcher)
{
    return LAUNCHERS[launcher].program;
}

bool orr_launcher_runs(enum orr_launcher launcher, enum orr_job_kind kind)
{
    return LAUNCHERS[launcher].kind == kind;
}

void orr_launch(enum orr_launcher launcher, const struct orr_job *job, struct orr_text *flags, struct orr_text *notes)
{
    const struct launcher *l = &LAUNCHERS[launcher];
    for (size_t i = 0; i < l->n_rows; i++) {
        const struct row *row = &l->rows[i];
        if (row->holds && !row->holds(job)) continue;
        if (row->flag) orr_text_add(flags, "%s%s", flags->length ? " " : "", row->flag);
        if (row->flag && row->value) orr_text_add(flags, " %lld", (long long)row->value(job));
        if (row->note) orr_text_add(notes, "%s%s", notes->length ? "; " : "", row->note);
    }
}
