/* Random jobs for tests of properties: valid jobs of both kinds over every engine, models of every architecture,
 * systems with small and large scale-up domains, and all fields of plan and workload. A job that breaks a property is
 * cut down to the fields that matter before it is printed. */
#ifndef ORR_TESTS_JOBS_H
#define ORR_TESTS_JOBS_H

#include "random.h"
#include "support.h"

#define JOB_FIELDS 24
#define JOB_TEXT   2048

struct job_field {
    const char *key; /* "plan.tp", "workload.batch"; NULL: left out */
    char value[64];  /* as JSON, with ' for " */
};

/* A request as a list of fields, so that single ones can be left out, and the job it reads as. */
struct drawn {
    enum orr_job_kind kind;
    const char *model, *system; /* a model is an id, or an object in place with ' for " */
    size_t n_fields;
    struct job_field fields[JOB_FIELDS];
    struct orr_job job;
};

static const char *const JOB_MODELS[] = {
    "llama3-8b",    "gpt3-175b",       "llama2-70b", "gpt2-xl",     "falcon-40b",   "gemma3-12b",       "gpt-oss-120b",
    "mixtral-8x7b", "qwen3-235b-a22b", "bloom-7b1",  "deepseek-v3", "llama4-scout", "deepseek-v2-lite", "qwen2.5-7b"};
/* Models whose layers are not all attention over every earlier key: states of every mixer, chosen keys and blocks,
 * caches that layers share, cross attention, experts in a latent or without weights. The objects are the shapes of
 * MiniMax-Text-01 (lightning attention), RecurrentGemma-2b (RG-LRU) and MiniMax-M3 (blocks of keys), with fewer layers
 * where the number does not matter. */
static const char *const MIXED_MODELS[] = {
    "qwen3-next-80b-a3b",
    "deepseek-v4-flash",
    "qwen3.5-35b-a3b",
    "nvidia-nemotron-nano-9b-v2",
    "nvidia-nemotron-3-super-120b-a12b-fp8",
    "falcon-h1-0.5b",
    "deepseek-v3.2",
    "glm-5",
    "glm-4.5-air",
    "mimo-7b",
    "kimi-linear-48b-a3b",
    "gemma-4-e4b",
    "gemma-4-26b-a4b",
    "lfm2-1.2b",
    "mamba-370m",
    "llama-3.2-11b-vision",
    "ai21-jamba-mini-1.5",
    "longcat-flash",
    "granite-4.0-h-tiny",
    "t5-large",
    "whisper-large-v3",
    "{'model_type':'minimax','hidden_size':6144,'num_hidden_layers':16,'num_attention_heads':64,'num_key_value_heads':"
    "8,"
    "'head_dim':128,'intermediate_size':9216,'num_local_experts':32,'num_experts_per_tok':2,'vocab_size':200064,"
    "'attn_type_list':[0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,1]}",
    "{'model_type':'recurrent_gemma','hidden_size':2560,'num_hidden_layers':26,'lru_width':2560,'num_attention_heads':"
    "10,"
    "'num_key_value_heads':1,'intermediate_size':15360,'vocab_size':256000,'attention_window_size':2048,'conv1d_width':"
    "4,"
    "'block_types':['recurrent','recurrent','attention']}",
    "{'model_type':'minimax_m3','hidden_size':6144,'num_hidden_layers':12,'num_attention_heads':64,"
    "'num_key_value_heads':4,'head_dim':128,'dense_intermediate_size':12288,'moe_intermediate_size':3072,"
    "'shared_intermediate_size':3072,'n_shared_experts':1,'num_local_experts':128,'num_experts_per_tok':4,"
    "'vocab_size':200064,'moe_layer_freq':[0,1,1,1,1,1,1,1,1,1,1,1],'sparse_attention_config':{"
    "'sparse_attention_freq':[0,0,1,1,1,1,1,1,1,1,1,1],'sparse_block_size':128,'sparse_index_dim':128,"
    "'sparse_num_index_heads':4,'sparse_topk_blocks':16,'sparse_local_block':1}}"};

/* The models of a draw. */
struct pool {
    const char *const *models;
    size_t n;
};
static const struct pool PLAIN_POOL = {JOB_MODELS, COUNT(JOB_MODELS)};
static const struct pool MIXED_POOL = {MIXED_MODELS, COUNT(MIXED_MODELS)};

static const char *const JOB_SYSTEMS[] = {"h100-sxm",    "a100-80g-sxm", "h200-sxm", "b200-sxm",
                                          "gb200-nvl72", "mi300x",       "mi250x",   "h100-pcie",
                                          "l40s",        "trainium2",    "h800-sxm", "v100-32g-sxm"};
static const char *const TRAIN_ENGINES[] = {"megatron-core-2025",
                                            "deepspeed-zero3-2021",
                                            "generic",
                                            "internevo-2023",
                                            "jax-xla",
                                            "maxtext-2025",
                                            "megatron-core-2024",
                                            "megatron-core-2026",
                                            "megatron-core-2026-plain",
                                            "megatron-core-rocm",
                                            "megatron-lm-2020",
                                            "megatron-lm-2021",
                                            "megatron-lm-2022",
                                            "mosaic-fsdp",
                                            "nanotron-2025",
                                            "hf-transformers-2026-eager",
                                            "hf-transformers-2026-compiled",
                                            "hf-transformers-2026-autocast",
                                            "hf-transformers-2026-autocast-compiled",
                                            "torchtune-2024-eager",
                                            "torchtune-2024-compiled",
                                            "pytorch-eager",
                                            "pytorch-fsdp-compile",
                                            "torch-compile",
                                            "torchtitan-2024-compiled",
                                            "torchtitan-2024-eager",
                                            "torchtitan-2025-async-tp",
                                            "deepspeed-zero1-2021",
                                            "deepspeed-zero1-2024",
                                            "deepspeed-zero2-2021",
                                            "deepspeed-zero2-2024",
                                            "deepspeed-zero2-2026",
                                            "deepspeed-zero3-2024",
                                            "maxtext-2024",
                                            "maxtext-2026",
                                            "megatron-core-2024-plain",
                                            "megatron-core-2025-plain",
                                            "megatron-deepspeed-2022",
                                            "megatron-deepspeed-2022-fp16",
                                            "megatron-deepspeed-2023",
                                            "megatron-lm-2023",
                                            "mosaic-fsdp-2023-pure",
                                            "mosaic-fsdp-2024",
                                            "mosaic-fsdp-2024-triton",
                                            "nemo-2024",
                                            "nemo-2025",
                                            "nemo-2025-bridge",
                                            "nemo-2026",
                                            "nemo-automodel-2025",
                                            "paddlenlp-2023",
                                            "paxml-2024",
                                            "primus-2026",
                                            "pytorch-ddp",
                                            "pytorch-ddp-compile",
                                            "pytorch-fsdp1",
                                            "pytorch-fsdp2",
                                            "pytorch-fsdp2-compile",
                                            "torchtitan-2024-async-tp",
                                            "torchtitan-2025-compiled",
                                            "torchtitan-2025-eager",
                                            "torchtitan-rocm-2025",
                                            "torchtune-0.6",
                                            "gpt-neox-2022",
                                            "gpt-neox-2023",
                                            "olmo-2024-compiled",
                                            "olmo-2024-eager",
                                            "litgpt-2023",
                                            "hf-transformers-2023",
                                            "hf-transformers-2023-qwen",
                                            "hf-transformers-2023-qwen-zero3",
                                            "litgpt-2024",
                                            "fms-hf-tuning-2025",
                                            "fms-hf-tuning-2025-fsdp",
                                            "kempnerforge-2026",
                                            "kempnerforge-2026-eager",
                                            "nemo-automodel-2025-lora",
                                            "nemo-automodel-2026-compiled",
                                            "pai-megatron-patch-2025",
                                            "torchtune-0.3-compiled",
                                            "xtuner-2024",
                                            "flash-attention-gpt-2022",
                                            "tinyllama-2023",
                                            "paddlenlp-2023-plain",
                                            "colossalai-2024",
                                            "nemo-2023",
                                            "deepspeed-zero3-2022",
                                            "deepspeed-zero3-2024-transformers",
                                            "keras-3.0-torch",
                                            "keras-3.0-jax",
                                            "aws-fsdp-2025",
                                            "lambda-fsdp-2024",
                                            "megatron-core-2025-plain-26.01",
                                            "nemo-2022",
                                            "swiss-ai-megatron-2025",
                                            "trl-2026-fsdp2",
                                            "pytorch-xla-2025",
                                            "neuronx-distributed-2023",
                                            "neuronx-nemo-2023",
                                            "pytorch-te-2024",
                                            "ms-swift-2026-fsdp2",
                                            "olmo-core-1.5",
                                            "megatron-llama-2023",
                                            "nemo-automodel-2026-gemma4",
                                            "torchtune-0.3-compiled",
                                            "atorch-2023",
                                            "atorch-2023-ds3d",
                                            "torchtitan-2026-compiled",
                                            "torchtitan-2026-eager",
                                            "llama-factory-2026",
                                            "llama-factory-2026-full",
                                            "axolotl-2026",
                                            "ms-swift-2026",
                                            "ms-swift-2025-zero2",
                                            "ms-swift-2025-zero3",
                                            "megatron-swift-2025",
                                            "megatron-core-2024-alltoall",
                                            "pytorch-fsdp1-2.2",
                                            "fsdp-qlora-2024",
                                            "accelerate-0.31-fsdp",
                                            "accelerate-0.31-zero3",
                                            "megatron-swift-2026",
                                            "unsloth-2026"};
static const char *const SERVING_ENGINES[] = {"vllm",
                                              "vllm-0.20",
                                              "lightllm-1.0",
                                              "lightllm-2023",
                                              "mlc-llm-0.20",
                                              "exllamav2-0.3",
                                              "deepspeed-inference-0.7",
                                              "autoawq-0.1-gemm",
                                              "autoawq-0.1-gemv",
                                              "qwen-2023",
                                              "deepspeed-mii-0.2",
                                              "gpt-fast-2024",
                                              "llama.cpp-2023",
                                              "llama.cpp-2024-05",
                                              "vllm-0.7",
                                              "tgi-rocm-2.3",
                                              "tgi-2.3",
                                              "tgi-2.4",
                                              "llama.cpp-2024",
                                              "llama.cpp-2025",
                                              "vllm-0.6",
                                              "vllm-0.14",
                                              "fastertransformer",
                                              "lmdeploy-turbomind-0.2",
                                              "pytorch-compiled-pointwise-cudagraph",
                                              "pytorch-eager-cudagraph",
                                              "pytorch-eager-stream",
                                              "serving-base",
                                              "sglang",
                                              "tensorrt-10.2",
                                              "tensorrt-10.2-server",
                                              "tensorrt-9.3",
                                              "tensorrt-9.3-server",
                                              "tensorrt-llm-0.5",
                                              "tensorrt-llm-0.9",
                                              "tensorrt-llm-1.2",
                                              "tensorrt-llm-nemo",
                                              "tensorrt-llm-pytorch",
                                              "fastertransformer-4.0",
                                              "fastertransformer-5.0-beta",
                                              "lmdeploy-pytorch-0.2",
                                              "lmdeploy-pytorch-0.4",
                                              "lmdeploy-pytorch-0.9",
                                              "lmdeploy-turbomind-0.4",
                                              "lmdeploy-turbomind-0.6",
                                              "nim-1.15",
                                              "nim-1.5",
                                              "nim-1.8",
                                              "nim-2.0",
                                              "nxd-inference-0.7",
                                              "optimum-neuron-0.4",
                                              "sglang-0.2",
                                              "sglang-0.3",
                                              "sglang-0.5",
                                              "sglang-0.5.10",
                                              "sglang-0.5.15",
                                              "sglang-rocm-0.5",
                                              "tensorrt-llm-0.17",
                                              "tensorrt-llm-1.0",
                                              "tensorrt-llm-1.3",
                                              "tgi-1",
                                              "tgi-1.0",
                                              "tgi-2",
                                              "tgi-3",
                                              "transformers-4",
                                              "transformers-4.21",
                                              "transformers-4.35",
                                              "transformers-4.39",
                                              "transformers-4.46",
                                              "tensorrt-10.11",
                                              "tensorrt-10.11-server",
                                              "transformers-4-static",
                                              "transformers-neuronx-0.13",
                                              "transformers-5",
                                              "vllm-0.10",
                                              "vllm-0.11",
                                              "vllm-0.17",
                                              "vllm-0.1",
                                              "vllm-0.2",
                                              "vllm-0.4",
                                              "vllm-0.5",
                                              "vllm-0.9",
                                              "vllm-0.6-multi-step",
                                              "vllm-rocm-0.6",
                                              "vllm-rocm-0.11",
                                              "lmdeploy-pytorch-0.12",
                                              "lmdeploy-turbomind-0.0",
                                              "vllm-tpu-0.12",
                                              "vllm-tpu-0.8",
                                              "vllm-rocm-0.14"};

__attribute__((format(printf, 3, 4))) static inline void put_field(struct drawn *drawn, const char *key,
                                                                   const char *format, ...)
{
    assert_true(drawn->n_fields < JOB_FIELDS);
    struct job_field *field = &drawn->fields[drawn->n_fields++];
    va_list arguments;
    field->key = key;
    va_start(arguments, format);
    (void)vsnprintf(field->value, sizeof field->value, format, arguments);
    va_end(arguments);
}

static inline size_t write_section(const struct drawn *drawn, const char *section, char *text, size_t at)
{
    const char *comma = "";
    const size_t n = strlen(section);
    at += (size_t)snprintf(text + at, JOB_TEXT - at, ",'%s':{", section);
    for (size_t i = 0; i < drawn->n_fields; i++) {
        const struct job_field *field = &drawn->fields[i];
        if (!field->key || strncmp(field->key, section, n) != 0) continue;
        at += (size_t)snprintf(text + at, JOB_TEXT - at, "%s'%s':%s", comma, field->key + n + 1, field->value);
        comma = ",";
    }
    return at + (size_t)snprintf(text + at, JOB_TEXT - at, "}");
}

/* The request of a drawn job. */
static inline void write_drawn(const struct drawn *drawn, char text[JOB_TEXT])
{
    const char *quote = drawn->model[0] == '{' ? "" : "'";
    size_t at =
        (size_t)snprintf(text, JOB_TEXT, "{'kind':'%s','model':%s%s%s,'system':'%s'",
                         drawn->kind == ORR_JOB_TRAIN ? "train" : "infer", quote, drawn->model, quote, drawn->system);
    at = write_section(drawn, "plan", text, at);
    at = write_section(drawn, "workload", text, at);
    (void)snprintf(text + at, JOB_TEXT - at, "}");
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
}

/* Read it; false: a combination that is refused. */
static inline bool read_drawn(struct orr_reader *reader, struct drawn *drawn)
{
    char text[JOB_TEXT];
    struct orr_error error;
    const struct orr_job *job;
    write_drawn(drawn, text);
    if (orr_reader_job(reader, text, "request", NULL, &job, &error)) return false;
    drawn->job = *job;
    return true;
}

/* ---------------------------------------------------------------- drawing */

static const char *const ROUTED[] = {"gpt-oss-120b", "mixtral-8x7b", "qwen3-235b-a22b",
                                     "deepseek-v3",  "llama4-scout", "deepseek-v2-lite"};
static const char *const MIXED_ROUTED[] = {
    "qwen3-next-80b-a3b",  "qwen3.5-35b-a3b", "nvidia-nemotron-3-super-120b-a12b-fp8",
    "deepseek-v3.2",       "glm-5",           "glm-4.5-air",
    "kimi-linear-48b-a3b", "longcat-flash"};
/* Models with prediction layers of their own. */
static const char *const PREDICTING[] = {"deepseek-v3", "deepseek-v3.2", "glm-5",
                                         "glm-4.5-air", "mimo-7b",       "qwen3.5-35b-a3b"};

static inline bool is_among(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static inline bool routes_tokens(const char *model)
{
    return is_among(ROUTED, COUNT(ROUTED), model) || is_among(MIXED_ROUTED, COUNT(MIXED_ROUTED), model);
}

static inline void draw_parts(struct random *r, enum orr_job_kind kind, const struct pool *pool, struct drawn *drawn)
{
    const bool mixed = pool == &MIXED_POOL;
    drawn->kind = kind;
    drawn->n_fields = 0;
    drawn->model = pool->models[draw(r, pool->n)];
    drawn->system = JOB_SYSTEMS[draw(r, COUNT(JOB_SYSTEMS))];
    const char *engine = kind == ORR_JOB_TRAIN ? TRAIN_ENGINES[draw(r, COUNT(TRAIN_ENGINES))]
                                               : SERVING_ENGINES[draw(r, COUNT(SERVING_ENGINES))];
    put_field(drawn, "workload.engine", "'%s'", engine);
    if (strncmp(engine, "sglang", 6) == 0) /* it runs them in halves */
        drawn->model = mixed ? MIXED_ROUTED[draw(r, COUNT(MIXED_ROUTED))] : ROUTED[draw(r, COUNT(ROUTED))];
}

/* Degrees of the plan; few ranks more often than many. */
static inline void draw_degrees(struct random *r, struct drawn *drawn, int *pp, int *dp, int *cp)
{
    const int tp = draw_power(r, 4), ep = draw_power(r, 6), etp = draw(r, 4) ? 1 : 2;
    *pp = draw(r, 2) ? 1 : draw(r, 4) ? draw_power(r, 5) : 3 + (int)draw(r, 4);
    *dp = draw(r, 4) ? draw_power(r, 6) : 1 + (int)draw(r, 6);
    *cp = draw(r, 3) ? 1 : draw_power(r, 3);
    put_field(drawn, "plan.tp", "%d", tp);
    put_field(drawn, "plan.pp", "%d", *pp);
    put_field(drawn, "plan.dp", "%d", *dp);
    put_field(drawn, "plan.cp", "%d", *cp);
    if (!routes_tokens(drawn->model)) return;
    put_field(drawn, "plan.ep", "%d", ep);
    if (etp > 1) put_field(drawn, "plan.etp", "%d", etp);
}

static inline void draw_train_plan(struct random *r, struct drawn *drawn, int pp, int dp, int cp)
{
    static const char *const SCHEDULES[] = {"gpipe", "1f1b", "zb-h1", "zb-h2"};
    static const char *const KINDS[] = {"ring", "allgather", "ulysses"};
    static const char *const OVERLAPS[] = {"none", "tp,dp", "ep", "pp,dp"};
    const int vpp = pp > 1 && draw(r, 3) == 0 ? 2 + (int)draw(r, 2) : 1, zero = (int)draw(r, 4);
    put_field(drawn, "plan.zero", "%d", zero);
    if (zero == 3 && dp * cp > 1 && draw(r, 3) == 0) put_field(drawn, "plan.zero_group", "%d", dp * cp > 8 ? 8 : cp);
    if (vpp > 1) put_field(drawn, "plan.vpp", "%d", vpp);
    put_field(drawn, "plan.schedule", "'%s'", vpp > 1 ? "interleaved" : SCHEDULES[draw(r, COUNT(SCHEDULES))]);
    if (cp > 1) put_field(drawn, "plan.cp_kind", "'%s'", KINDS[draw(r, COUNT(KINDS))]);
    if (draw(r, 3) == 0) put_field(drawn, "plan.sp", "%s", draw(r, 2) ? "true" : "false");
    if (draw(r, 4) == 0) put_field(drawn, "plan.overlap", "'%s'", OVERLAPS[draw(r, COUNT(OVERLAPS))]);
}

static inline void draw_train(struct random *r, const struct pool *pool, struct drawn *drawn)
{
    static const char *const RECOMPUTES[] = {"none", "selective", "full"};
    static const char *const PRECISIONS[] = {"bf16", "bf16", "fp16", "fp8"};
    int pp, dp, cp;
    draw_parts(r, ORR_JOB_TRAIN, pool, drawn);
    draw_degrees(r, drawn, &pp, &dp, &cp);
    draw_train_plan(r, drawn, pp, dp, cp);
    const int b = draw_power(r, 3), m = draw(r, 2) ? pp * (1 + (int)draw(r, 4)) : 1 + (int)draw(r, 12);
    const char *recompute = RECOMPUTES[draw(r, COUNT(RECOMPUTES))];
    put_field(drawn, "workload.micro_batch", "%d", b);
    put_field(drawn, "workload.global_batch", "%d", b * dp * m);
    put_field(drawn, "workload.seq", "%d", 512 * draw_power(r, 5));
    put_field(drawn, "workload.recompute", "'%s'", recompute);
    if (strcmp(recompute, "full") == 0 && draw(r, 2)) put_field(drawn, "workload.recompute_every", "%d", 2);
    put_field(drawn, "workload.precision", "'%s'", PRECISIONS[draw(r, COUNT(PRECISIONS))]);
    if (draw(r, 2)) put_field(drawn, "workload.attention", "'%s'", draw(r, 3) ? "flash" : "unfused");
    if (draw(r, 4) == 0) put_field(drawn, "workload.causal", "false");
    if (draw(r, 4) == 0) put_field(drawn, "workload.moe_imbalance", "1.3");
    if (draw(r, 4) == 0) put_field(drawn, "workload.mtp_layers", "%d", 1 + (int)draw(r, 2));
    if (draw(r, 4) == 0) put_field(drawn, "workload.hidden_dropout", "true");
}

/* Drafts of a smaller model with the same vocabulary, or of the model's own prediction layers. */
static inline void draw_draft(struct random *r, struct drawn *drawn)
{
    const bool predicts = is_among(PREDICTING, COUNT(PREDICTING), drawn->model);
    if (!predicts && strncmp(drawn->model, "llama3", 6) != 0) return;
    if (draw(r, 3) > (predicts ? 1 : 0)) return;
    put_field(drawn, "workload.draft_model", "'%s'", predicts ? "mtp" : "llama3.2-1b");
    put_field(drawn, "workload.draft_tokens", "%d", 1 + (int)draw(r, 5));
    if (draw(r, 2)) put_field(drawn, "workload.draft_accept_frac", "%g", 0.25 * (double)draw(r, 5));
}

static inline void draw_infer(struct random *r, const struct pool *pool, struct drawn *drawn)
{
    static const char *const PRECISIONS[] = {"bf16", "fp16", "fp8", "int4", "int8", "fp4"};
    static const char *const CACHES[] = {"bf16", "fp16", "fp8"};
    int pp, dp, cp;
    draw_parts(r, ORR_JOB_INFER, pool, drawn);
    draw_degrees(r, drawn, &pp, &dp, &cp);
    const int input = 1 + (int)draw(r, draw(r, 3) ? 3000 : 60000), output = 1 + (int)draw(r, 600);
    put_field(drawn, "workload.batch", "%d", draw(r, 3) ? draw_power(r, 9) : 1 + (int)draw(r, 40));
    put_field(drawn, "workload.input_len", "%d", input);
    put_field(drawn, "workload.output_len", "%d", output);
    if (draw(r, 2)) put_field(drawn, "workload.precision", "'%s'", PRECISIONS[draw(r, COUNT(PRECISIONS))]);
    if (draw(r, 3) == 0) put_field(drawn, "workload.kv_precision", "'%s'", CACHES[draw(r, COUNT(CACHES))]);
    if (draw(r, 4) == 0) put_field(drawn, "workload.chunk_tokens", "%d", 128 * draw_power(r, 4));
    if (draw(r, 4) == 0) put_field(drawn, "workload.prefix_hit_frac", "%g", 0.25 * (double)(1 + draw(r, 3)));
    if (draw(r, 5) == 0) put_field(drawn, "workload.disaggregated", "true");
    if (draw(r, 5) == 0) put_field(drawn, "workload.moe_imbalance", "1.4");
    draw_draft(r, drawn);
}

/* The next valid job of a kind; *r moves on. */
static inline void draw_job(struct orr_reader *reader, struct random *r, enum orr_job_kind kind,
                            const struct pool *pool, struct drawn *drawn)
{
    for (int tries = 0; tries < 1000; tries++) {
        if (kind == ORR_JOB_TRAIN) draw_train(r, pool, drawn);
        else draw_infer(r, pool, drawn);
        if (read_drawn(reader, drawn)) return;
    }
    fail_msg("none of 1000 drawn jobs is valid");
}

/* ---------------------------------------------------------------- cutting down */

/* Try another text for a field (NULL: leave it out); keep it if the job is still valid and `broken`. */
static inline bool try_field(struct orr_reader *reader, struct drawn *drawn, size_t i, const char *value,
                             bool (*broken)(void *context, const struct orr_job *job), void *context)
{
    static struct drawn other;
    other = *drawn;
    if (value) (void)snprintf(other.fields[i].value, sizeof other.fields[i].value, "%s", value);
    else other.fields[i].key = NULL;
    if (!read_drawn(reader, &other) || !broken(context, &other.job)) return false;
    *drawn = other;
    return true;
}

/* The same job with as few fields, as small numbers and as plain parts as still break it. */
static inline void cut_down(struct orr_reader *reader, struct drawn *drawn,
                            bool (*broken)(void *context, const struct orr_job *job), void *context)
{
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < drawn->n_fields; i++) {
            if (!drawn->fields[i].key || try_field(reader, drawn, i, NULL, broken, context)) continue;
            char half[16];
            while (atoi(drawn->fields[i].value) > 1) {
                (void)snprintf(half, sizeof half, "%d", atoi(drawn->fields[i].value) / 2);
                if (!try_field(reader, drawn, i, half, broken, context)) break;
            }
        }
        const struct drawn before = *drawn;
        drawn->model = JOB_MODELS[0];
        if (!read_drawn(reader, drawn) || !broken(context, &drawn->job)) *drawn = before;
        const struct drawn second = *drawn;
        drawn->system = JOB_SYSTEMS[0];
        if (!read_drawn(reader, drawn) || !broken(context, &drawn->job)) *drawn = second;
    }
}

/* PROPERTIES_SEED draws other jobs than those of every day. */
static inline uint64_t seed_of_jobs(void)
{
    const char *seed = getenv("PROPERTIES_SEED");
    return seed ? strtoull(seed, NULL, 10) : 11;
}

#endif
