/* Files that run a plan: a script or configuration for the program of the engine, and wrappers for Slurm and Kubernetes
 * that start it on every node. What a user must fill in (data, images, paths) is a variable at the top. */
#include "report/launch_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/launch.h"
#include "spec/job.h"
#include "spec/json.h"
#include "spec/names.h"
#include "spec/plan.h"

void orr_launch_give(struct orr_launch_pool *pool, const char *name, struct orr_text *text)
{
    char full[96];
    (void)snprintf(full, sizeof full, "%s%s", pool->role, name);
    pool->failed |= text->failed;
    if (text->data && !text->failed) pool->sink(pool->context, full, text->data);
    free(text->data);
}

const char *orr_launch_model(const struct orr_model *model)
{
    return model->published[0] ? model->published : model->id;
}

/* The name of the script that a node runs. */
static const char *script_of(const struct orr_job *job)
{
    const char *family = job->engine.family;
    const bool train = job->kind == ORR_JOB_TRAIN;
    if (train && strstr(family, "deepspeed")) return "deepspeed.sh";
    if (train && (strcmp(family, "hf-transformers") == 0 || strncmp(family, "pytorch", 7) == 0)) return "accelerate.sh";
    switch (orr_launcher_of(job)) {
    case ORR_LAUNCHER_MEGATRON: return "megatron.sh";
    case ORR_LAUNCHER_TORCHTITAN: return "torchtitan.sh";
    case ORR_LAUNCHER_BRIDGE: return "bridge.sh";
    case ORR_LAUNCHER_VLLM: return "vllm.sh";
    case ORR_LAUNCHER_SGLANG: return "sglang.sh";
    case ORR_LAUNCHER_TENSORRT_LLM: return "tensorrt_llm.sh";
    case ORR_N_LAUNCHERS: break;
    }
    return "";
}

/* The program whose files an engine gets that has no generator here; NULL where they are the engine's own. */
static const char *stand_in(const struct orr_job *job)
{
    static const char *const OWN[] = {"megatron-lm", "megatron-core", "megatron-rocm", "vllm", "vllm-rocm"};
    const bool train = job->kind == ORR_JOB_TRAIN;
    if (strcmp(script_of(job), train ? "megatron.sh" : "vllm.sh") != 0) return NULL;
    for (size_t i = 0; i < ORR_COUNT_OF(OWN); i++)
        if (strcmp(job->engine.family, OWN[i]) == 0) return NULL;
    return train ? "Megatron-LM" : "vLLM";
}

void orr_launch_header(struct orr_text *text, const struct orr_launch_pool *pool)
{
    orr_text_add(text,
                 "#!/usr/bin/env bash\n"
                 "# %s on %lld x %s, engine %s: made by orrery %s. Check paths and data before you run it.\n",
                 orr_launch_model(&pool->job->model), (long long)pool->job->plan.gpus, pool->job->system.id,
                 pool->job->engine.id, orr_version());
    const char *other = stand_in(pool->job);
    if (other)
        orr_text_add(text, "# orrery writes no files for %s: these run the same plan on %s.\n",
                     pool->job->engine.family, other);
    orr_text_add(text, "set -euo pipefail\n");
}

/* Adds flags, one to a line, with the values beside them. `assign` writes NAME=VALUE. */
static void add_flags(struct orr_text *text, const char *flags, bool assign)
{
    for (const char *at = flags; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        const bool name = at[0] == '-' || (assign && memchr(at, '.', n));
        orr_text_add(text, "%s%.*s", name ? " \\\n    " : assign ? "=" : " ", (int)n, at);
        at += n;
    }
}

void orr_launch_add(struct orr_text *text, const struct orr_launch_pool *pool, enum orr_launcher launcher,
                    const char *end)
{
    struct orr_text flags = {0}, notes = {0};
    (void)orr_launch_in_file(launcher, pool->job, &flags, &notes);
    if (flags.data) add_flags(text, flags.data, launcher == ORR_LAUNCHER_BRIDGE);
    orr_text_add(text, "%s", end);
    if (notes.data && notes.length) orr_text_add(text, "# Not set above: %s.\n", notes.data);
    text->failed |= flags.failed || notes.failed;
    free(flags.data);
    free(notes.data);
}

/* ---------------------------------------------------------------- training */

#define TORCHRUN                                                                                                       \
    "torchrun --nnodes %lld --nproc-per-node %lld --node-rank \"${NODE_RANK:-0}\" \\\n"                                \
    "    --master-addr \"${MASTER_ADDR:-127.0.0.1}\" --master-port \"${MASTER_PORT:-29500}\" "

/* Flags of the model, for layers of plain attention; others keep the flags of their own recipes. */
static void add_megatron_model(struct orr_text *text, const struct orr_model *m)
{
    const struct orr_layer_kind *k = &m->kinds[0];
    if (m->n_kinds != 1 || k->mla_kv_rank > 0 || k->n_heads == 0) {
        orr_text_add(text, "    \"${MODEL_ARGS[@]:?layers of this model need flags of their own: set MODEL_ARGS}\"");
        return;
    }
    orr_text_add(text, "    --num-layers %lld --hidden-size %lld --num-attention-heads %lld --ffn-hidden-size %lld",
                 (long long)m->n_layers, (long long)m->hidden, (long long)k->n_heads,
                 (long long)(k->ffn_width ? k->ffn_width : k->expert_width));
    if (k->n_kv_heads != k->n_heads)
        orr_text_add(text, " \\\n    --group-query-attention --num-query-groups %lld", (long long)k->n_kv_heads);
    if (k->n_experts > 0)
        orr_text_add(text,
                     " \\\n    --num-experts %lld --moe-router-topk %lld --moe-ffn-hidden-size %lld --moe-grouped-gemm",
                     (long long)k->n_experts, (long long)k->n_active, (long long)k->expert_width);
    orr_text_add(text, " \\\n    --max-position-embeddings \"${MAX_POSITIONS:-%lld}\" --vocab-size %lld",
                 (long long)(m->max_seq ? m->max_seq : 2048), (long long)m->vocab);
    orr_text_add(text, "%s%s%s%s", k->gated ? " --swiglu" : "", m->rms_norm ? " --normalization RMSNorm" : "",
                 k->rope ? " --position-embedding-type rope" : "",
                 m->tied_embeddings ? "" : " --untie-embeddings-and-output-weights");
    if (!k->attention_bias && !k->ffn_bias) orr_text_add(text, " --disable-bias-linear");
}

static void megatron_script(struct orr_launch_pool *pool)
{
    struct orr_text text = {0};
    orr_launch_header(&text, pool);
    orr_text_add(&text, "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
                        "MEGATRON=${MEGATRON:?the folder of Megatron-LM}\n"
                        "DATA_ARGS=(${DATA_ARGS:---mock-data --tokenizer-type NullTokenizer})\n");
    orr_text_add(&text, TORCHRUN "\"$MEGATRON/pretrain_gpt.py\" \\\n", (long long)pool->nodes,
                 (long long)pool->gpus_per_node);
    add_megatron_model(&text, &pool->job->model);
    orr_text_add(&text, " \\\n    --use-mcore-models --train-iters \"${ITERATIONS:-100}\" --lr \"${LR:-1e-4}\" "
                        "\"${DATA_ARGS[@]}\"");
    orr_launch_add(&text, pool, ORR_LAUNCHER_MEGATRON, "\n");
    orr_launch_give(pool, "megatron.sh", &text);
}

static void torchtitan_script(struct orr_launch_pool *pool)
{
    struct orr_text text = {0};
    orr_launch_header(&text, pool);
    orr_text_add(&text, "cd \"${TORCHTITAN:?the folder of torchtitan}\"\n"
                        "CONFIG_FILE=${CONFIG_FILE:?the toml file of the model}\n");
    orr_text_add(&text, TORCHRUN "-m torchtitan.train --job.config_file \"$CONFIG_FILE\"", (long long)pool->nodes,
                 (long long)pool->gpus_per_node);
    orr_launch_add(&text, pool, ORR_LAUNCHER_TORCHTITAN, "\n");
    orr_launch_give(pool, "torchtitan.sh", &text);
}

static void bridge_script(struct orr_launch_pool *pool)
{
    struct orr_text text = {0};
    orr_launch_header(&text, pool);
    orr_text_add(&text, "BRIDGE=${BRIDGE:?the folder of Megatron Bridge}\n"
                        "RECIPE=${RECIPE:?the name of a recipe of the model, as in src/megatron/bridge/recipes}\n");
    orr_text_add(&text,
                 TORCHRUN "\"$BRIDGE/scripts/training/run_recipe.py\" \\\n"
                          "    --recipe \"$RECIPE\" --mode pretrain --dataset \"${DATASET:-mock}\"",
                 (long long)pool->nodes, (long long)pool->gpus_per_node);
    orr_launch_add(&text, pool, ORR_LAUNCHER_BRIDGE, "\n");
    orr_launch_give(pool, "bridge.sh", &text);
}

static const char *json_bool(bool value)
{
    return value ? "true" : "false";
}

static void deepspeed_files(struct orr_launch_pool *pool)
{
    const struct orr_workload *w = &pool->job->workload;
    const struct orr_plan *p = &pool->job->plan;
    struct orr_text json = {0}, text = {0};
    orr_text_add(&json,
                 "{\n  \"train_batch_size\": %lld,\n  \"train_micro_batch_size_per_gpu\": %lld,\n"
                 "  \"gradient_accumulation_steps\": %lld,\n",
                 (long long)w->global_batch, (long long)w->micro_batch,
                 (long long)(w->global_batch / (w->micro_batch * p->dp)));
    orr_text_add(&json, "  \"zero_optimization\": {\n    \"stage\": %lld,\n    \"overlap_comm\": %s",
                 (long long)p->zero, json_bool(pool->job->engine.dp_overlap_frac > 0));
    if (p->offload[ORR_OFFLOAD_OPTIMIZER] != ORR_STORE_NONE)
        orr_text_add(&json, ",\n    \"offload_optimizer\": {\"device\": \"%s\"}",
                     p->offload[ORR_OFFLOAD_OPTIMIZER] == ORR_STORE_NVME ? "nvme" : "cpu");
    if (p->offload[ORR_OFFLOAD_PARAMETERS] != ORR_STORE_NONE)
        orr_text_add(&json, ",\n    \"offload_param\": {\"device\": \"%s\"}",
                     p->offload[ORR_OFFLOAD_PARAMETERS] == ORR_STORE_NVME ? "nvme" : "cpu");
    orr_text_add(&json, "\n  },\n  \"bf16\": {\"enabled\": %s},\n  \"fp16\": {\"enabled\": %s}\n}\n",
                 json_bool(w->precision == ORR_DTYPE_BF16), json_bool(w->precision == ORR_DTYPE_FP16));
    orr_launch_give(pool, "deepspeed.json", &json);
    orr_launch_header(&text, pool);
    orr_text_add(&text, "SCRIPT=${SCRIPT:?a training script that takes --deepspeed}\n");
    orr_text_add(&text, TORCHRUN "\"$SCRIPT\" --deepspeed deepspeed.json\n", (long long)pool->nodes,
                 (long long)pool->gpus_per_node);
    if (p->tp * p->pp > 1)
        orr_text_add(&text,
                     "# Not set above: tensor parallel %lld, pipeline parallel %lld, which the script must do.\n",
                     (long long)p->tp, (long long)p->pp);
    orr_launch_give(pool, "deepspeed.sh", &text);
}

static void accelerate_files(struct orr_launch_pool *pool)
{
    const struct orr_workload *w = &pool->job->workload;
    const struct orr_plan *p = &pool->job->plan;
    const char *format = w->precision == ORR_DTYPE_FP16 ? "fp16" : orr_dtype_bytes(w->precision) < 2 ? "fp8" : "bf16";
    struct orr_text yaml = {0}, text = {0};
    orr_text_add(&yaml,
                 "compute_environment: LOCAL_MACHINE\ndistributed_type: %s\nmixed_precision: %s\nnum_machines: %lld\n"
                 "num_processes: %lld\n",
                 p->zero > 0 ? "FSDP" : "MULTI_GPU", format, (long long)pool->nodes, (long long)p->gpus);
    if (p->zero > 0)
        orr_text_add(
            &yaml,
            "fsdp_config:\n  fsdp_version: 2\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
            "  fsdp_reshard_after_forward: %s\n  fsdp_activation_checkpointing: %s\n  fsdp_offload_params: %s\n",
            json_bool(p->zero == 3 && p->reshard != ORR_RESHARD_NEVER), json_bool(w->recompute == ORR_RECOMPUTE_FULL),
            json_bool(p->offload[ORR_OFFLOAD_PARAMETERS] != ORR_STORE_NONE));
    orr_launch_give(pool, "accelerate.yaml", &yaml);
    orr_launch_header(&text, pool);
    orr_text_add(
        &text,
        "SCRIPT=${SCRIPT:?a training script}\n"
        "accelerate launch --config_file accelerate.yaml --machine_rank \"${NODE_RANK:-0}\" \\\n"
        "    --main_process_ip \"${MASTER_ADDR:-127.0.0.1}\" --main_process_port \"${MASTER_PORT:-29500}\" \\\n"
        "    \"$SCRIPT\" --model_name_or_path %s --per_device_train_batch_size %lld \\\n"
        "    --gradient_accumulation_steps %lld\n",
        orr_launch_model(&pool->job->model), (long long)w->micro_batch,
        (long long)(w->global_batch / (w->micro_batch * p->dp)));
    if (w->adapter.kind != ORR_ADAPTER_NONE)
        orr_text_add(&text, "# The script must add the adapter: rank %lld.\n", (long long)w->adapter.rank);
    orr_launch_give(pool, "accelerate.sh", &text);
}

/* ---------------------------------------------------------------- wrappers */

/* A server of TensorRT-LLM that needs several nodes is one program of MPI with a task for each GPU. */
static bool is_mpi(const struct orr_launch_pool *pool)
{
    return pool->job->kind == ORR_JOB_INFER && orr_launcher_of(pool->job) == ORR_LAUNCHER_TENSORRT_LLM &&
           pool->server_gpus > pool->gpus_per_node;
}

static void slurm_script(struct orr_launch_pool *pool)
{
    struct orr_text text = {0};
    const bool mpi = is_mpi(pool);
    orr_text_add(&text,
                 "#!/usr/bin/env bash\n#SBATCH --job-name=orrery-%splan\n#SBATCH --nodes=%lld\n"
                 "#SBATCH --ntasks-per-node=%lld\n#SBATCH --gpus-per-node=%lld\n#SBATCH --exclusive\n",
                 pool->role, (long long)pool->nodes, (long long)(mpi ? pool->gpus_per_node : 1),
                 (long long)pool->gpus_per_node);
    if (pool->copies > 1) orr_text_add(&text, "#SBATCH --array=0-%lld\n", (long long)pool->copies - 1);
    orr_text_add(&text,
                 "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
                 "srun --kill-on-bad-exit=1%s bash -c 'NODE_RANK=$SLURM_NODEID exec bash %s%s'\n",
                 mpi ? " --mpi=pmix" : "", pool->role, script_of(pool->job));
    orr_launch_give(pool, "slurm.sbatch", &text);
}

void orr_launch_id(const struct orr_launch_pool *pool, int64_t copy, char *id, size_t size)
{
    if (pool->copies > 1) (void)snprintf(id, size, "orrery-%splan-%lld", pool->role, (long long)copy);
    else (void)snprintf(id, size, "orrery-%splan", pool->role);
}

/* An indexed job starts one pod per node; its headless service gives the first a name. */
static void add_kubernetes_job(struct orr_text *text, const struct orr_launch_pool *pool, int64_t copy)
{
    char id[64];
    orr_launch_id(pool, copy, id, sizeof id);
    orr_text_add(text,
                 "apiVersion: v1\nkind: Service\nmetadata:\n  name: %s\nspec:\n  clusterIP: None\n"
                 "  selector:\n    app: %s\n---\n"
                 "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: %s\nspec:\n  completionMode: Indexed\n"
                 "  completions: %lld\n  parallelism: %lld\n  backoffLimit: 0\n  template:\n    metadata:\n"
                 "      labels:\n        app: %s\n    spec:\n      subdomain: %s\n      restartPolicy: Never\n",
                 id, id, id, (long long)pool->nodes, (long long)pool->nodes, id, id);
    orr_text_add(text,
                 "      containers:\n      - name: node\n        image: IMAGE  # the image of your stack, with the "
                 "scripts of this folder in its working directory\n"
                 "        command: [\"bash\", \"-c\", \"NODE_RANK=$JOB_COMPLETION_INDEX MASTER_ADDR=%s-0.%s exec bash "
                 "%s%s\"]\n"
                 "        resources:\n          limits:\n            nvidia.com/gpu: %lld\n",
                 id, id, pool->role, script_of(pool->job), (long long)pool->gpus_per_node);
}

static void kubernetes_file(struct orr_launch_pool *pool)
{
    struct orr_text text = {0};
    if (is_mpi(pool))
        orr_text_add(&text,
                     "# A server of several nodes is a program of MPI: start it with an MPI operator instead.\n");
    for (int64_t copy = 0; copy < pool->copies; copy++) {
        if (copy > 0) orr_text_add(&text, "---\n");
        add_kubernetes_job(&text, pool, copy);
    }
    orr_launch_give(pool, "kubernetes.yaml", &text);
}

/* ---------------------------------------------------------------- all files */

static struct orr_launch_pool pool_of(const struct orr_job *job, const char *role, orr_launch_sink sink, void *context)
{
    struct orr_launch_pool pool = {.job = job, .role = role, .sink = sink, .context = context};
    orr_launch_spread(&pool, orr_launcher_of(job));
    return pool;
}

static void write_pool(struct orr_launch_pool *pool)
{
    const char *script = script_of(pool->job);
    const enum orr_launcher launcher = orr_launcher_of(pool->job);
    if (pool->job->kind == ORR_JOB_INFER) orr_launch_pool_script(pool, launcher);
    else if (strcmp(script, "deepspeed.sh") == 0) deepspeed_files(pool);
    else if (strcmp(script, "accelerate.sh") == 0) accelerate_files(pool);
    else if (launcher == ORR_LAUNCHER_TORCHTITAN) torchtitan_script(pool);
    else if (launcher == ORR_LAUNCHER_BRIDGE) bridge_script(pool);
    else megatron_script(pool);
    slurm_script(pool);
    kubernetes_file(pool);
}

bool orr_launch_files(const struct orr_job *job, const struct orr_job *decode, orr_launch_sink sink, void *context)
{
    struct orr_launch_pool first = pool_of(job, decode ? "prefill-" : "", sink, context);
    write_pool(&first);
    if (!decode) return !first.failed;
    struct orr_launch_pool second = pool_of(decode, "decode-", sink, context);
    write_pool(&second);
    orr_launch_router(&first, &second, orr_launcher_of(job));
    return !first.failed && !second.failed;
}
