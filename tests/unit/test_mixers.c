/* Recurrent mixers, sparse and shared attention: parameters, state and cache bytes, FLOP of a token, by hand. Numbers
 * of configs are written out, so that every expected value can be followed on paper. */
#include "serving.h"

#include "cost/cost.h"
#include "memory/memory.h"
#include "ops/mixer.h"
#include "spec/spec.h"

/* Cache of one token in one layer, in a plain format. */
static double cached_bytes(const struct orr_layer_kind *kind, enum orr_dtype kv)
{
    static struct orr_job job;
    job.serving.kv = kv;
    return orr_kv_model_bytes(&job, kind);
}

static void read_model(const char *text, struct orr_model *model)
{
    struct orr_doc doc;
    struct orr_error error;
    char json[4096];
    assert_true(snprintf(json, sizeof json, "%s", text) < (int)sizeof json);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    if (orr_doc_parse(json, "config.json", &doc, &error)) fail_msg("%s", error.text);
    if (orr_model_from_json(&doc, "test", model, &error)) fail_msg("%s", error.text);
    orr_doc_close(&doc);
}

/* The kind of the first layer with a mixer. */
static const struct orr_layer_kind *kind_with(const struct orr_model *model, enum orr_mixer mixer)
{
    for (int64_t i = 0; i < model->n_kinds; i++)
        if (model->kinds[i].mixer == mixer) return &model->kinds[i];
    fail_msg("no layer with %s", orr_mixer_name(mixer));
    return NULL;
}

/* ---------------------------------------------------------------- parameters */

static void mamba1(void **state)
{
    struct orr_model model;
    load_model(*state, "mamba-370m", &model); /* h 1024, 48 layers, d 2048, N 16, R 64, 4 taps */
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_MAMBA1);
    const int64_t h = 1024, d = 2048;
    assert_int_equal(kind->attention_params, 2 * h * d + d * 5 + d * (64 + 32) + 64 * d + d + d * 16 + d + d * h);
    assert_int_equal(kind->ffn_params, 0);
    assert_false(orr_kind_attends(kind));
    const struct orr_scan_sizes z = orr_scan_sizes_of(kind, 1);
    assert_close(z.chunked_flops, 2048 * (8 + 144), 0);
    assert_close(z.step_flops, z.chunked_flops, 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 2048 * 16 * 4 + 2048 * 3 * 2, 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 2, 2), 1024 * 16 * 4 + 1024 * 3 * 2, 0);
}

static void mamba2(void **state)
{
    struct orr_model model;
    load_model(*state, "nvidia-nemotron-nano-9b-v2", &model); /* h 4480, 128 heads of 80, N 128, 8 groups, 4 taps */
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_MAMBA2);
    const int64_t h = 4480, d = 10240, gn = 1024;
    assert_int_equal(kind->attention_params, h * (2 * d + 2 * gn + 128) + (d + 2 * gn) * 5 + 3 * 128 + d + d * h);
    assert_int_equal(orr_model_params(&model), INT64_C(8888227328));
    const struct orr_scan_sizes z = orr_scan_sizes_of(kind, 1);
    assert_close(z.chunked_flops, 8.0 * 12288 + 256.0 * (1024 + 10240) + 4.0 * 128 * 10240, 0); /* chunks of 256 */
    assert_close(z.step_flops, 8.0 * 12288 + 6.0 * 128 * 10240, 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 10240.0 * 128 * 4 + 12288.0 * 3 * 2, 0);
    /* 16 ranks share 8 groups: each has one of them whole */
    assert_close(orr_scan_sizes_of(kind, 16).conv, 640 + 2 * 128, 0);
}

static void gated_delta_net(void **state)
{
    struct orr_model model;
    load_model(*state, "qwen3-next-80b-a3b", &model); /* h 2048, 16 key heads, 32 value heads of 128, 4 taps */
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_GATED_DELTA);
    const int64_t h = 2048, k = 2048, v = 4096;
    assert_int_equal(kind->attention_params, h * (2 * k + 2 * v + 64) + 4 * (2 * k + v) + 64 + 128 + v * h);
    const struct orr_scan_sizes z = orr_scan_sizes_of(kind, 1);
    assert_close(z.chunked_flops, 32 * (64.0 * (3 * 128 + 2 * 128) + 6 * 16384), 0);
    assert_close(z.step_flops, 7.0 * 32 * 16384, 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 32 * 16384.0 * 4 + 8192 * 3 * 2, 0);
    /* its attention layers have a gate as wide as the heads: 16 heads of 256, 2 K,V heads, norms of 2 x 256 */
    const struct orr_layer_kind *full = kind_with(&model, ORR_MIXER_ATTENTION);
    assert_int_equal(full->gate_columns, 4096);
    assert_int_equal(full->attention_params, h * (4096 + 2 * 512 + 4096) + 4096 * h + 512);
}

static void kda(void **state)
{
    struct orr_model model;
    load_model(*state, "kimi-linear-48b-a3b", &model); /* h 2304, 32 heads of 128, 4 taps */
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_KDA);
    const int64_t h = 2304, p = 4096;
    assert_int_equal(kind->attention_params,
                     3 * h * p + 3 * 4 * p + 2 * (h * 128 + 128 * p) + p + 32 + h * 32 + 128 + p * h);
    assert_int_equal(orr_model_params(&model), INT64_C(49122681728));
    assert_close(orr_scan_sizes_of(kind, 1).step_flops, 8.0 * 32 * 16384, 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 32 * 16384.0 * 4 + 3 * 4096 * 3 * 2, 0);
    assert_close(cached_bytes(kind_with(&model, ORR_MIXER_LATENT), ORR_DTYPE_BF16), 576 * 2, 0);
}

/* MiniMax-Text-01: h 6144, 64 heads of 128, 7 of 8 layers lightning, 32 experts of 9216. */
static void lightning(void **state)
{
    struct orr_model model;
    (void)state;
    read_model("{'model_type':'minimax','hidden_size':6144,'num_hidden_layers':8,'num_attention_heads':64,"
               "'num_key_value_heads':8,'head_dim':128,'intermediate_size':9216,'num_local_experts':32,"
               "'num_experts_per_tok':2,'vocab_size':200064,'attn_type_list':[0,0,0,0,0,0,0,1]}",
               &model);
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_LIGHTNING);
    const int64_t h = 6144, d = 8192;
    assert_int_equal(kind->attention_params, h * 3 * d + d * h + h * d + d);
    assert_close(orr_scan_sizes_of(kind, 1).chunked_flops, 64 * (2.0 * 256 * 128 + 4 * 16384), 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 64 * 16384.0 * 4, 0);
    assert_int_equal(model.layer_kind[7], 1);
}

/* RecurrentGemma-2b, published as 2.68 billion: blocks recurrent, recurrent, attention with a window of 2048. */
static void rg_lru(void **state)
{
    struct orr_model model;
    (void)state;
    read_model("{'model_type':'recurrent_gemma','hidden_size':2560,'num_hidden_layers':26,'lru_width':2560,"
               "'num_attention_heads':10,'num_key_value_heads':1,'intermediate_size':15360,'vocab_size':256000,"
               "'attention_window_size':2048,'conv1d_width':4,'block_types':['recurrent','recurrent','attention']}",
               &model);
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_RG_LRU);
    const int64_t h = 2560, w = 2560;
    assert_int_equal(kind->attention_params, 2 * (h * w + w) + w * h + h + 4 * w + w + 2 * (w * w / 10 + w) + w);
    assert_int_equal(orr_model_params(&model), INT64_C(2682862080));
    assert_close(orr_scan_sizes_of(kind, 1).step_flops, 2560.0 * (8 + 4 * 256 + 12), 0);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 2560.0 * 4 + 2560 * 3 * 2, 0);
    assert_int_equal(kind_with(&model, ORR_MIXER_ATTENTION)->window, 2048);
}

static void short_convolution(void **state)
{
    struct orr_model model;
    load_model(*state, "lfm2-1.2b", &model); /* h 2048, 3 taps, FFN 2/3 of 12288 up to a multiple of 256 */
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_SHORT_CONV);
    assert_int_equal(kind->attention_params, INT64_C(4) * 2048 * 2048 + 3 * 2048);
    assert_int_equal(kind->ffn_width, 8192);
    assert_close(orr_sequence_state_bytes(kind, 0, 1, 2), 2048 * 2 * 2, 0);
}

/* DeepSeek-V3.2 is V3 with an indexer of 64 heads of 128 in each of 61 layers. */
static void indexer(void **state)
{
    static struct orr_model with, without;
    load_model(*state, "deepseek-v3.2", &with);
    load_model(*state, "deepseek-v3", &without);
    assert_int_equal(orr_model_params(&with) - orr_model_params(&without), 61 * INT64_C(13959424));
    assert_int_equal(13959424, 1536 * 64 * 128 + 7168 * 128 + 2 * 128 + 7168 * 64);
    assert_close(cached_bytes(&with.kinds[0], ORR_DTYPE_BF16), 576 * 2 + 128 + 4, 0);
}

/* MiniMax-M3: layers choose 16 blocks of 128 keys and one near block, by 4 heads of 128 made from the hidden state. */
static void block_sparse(void **state)
{
    struct orr_model model;
    (void)state;
    read_model(
        "{'model_type':'minimax_m3','hidden_size':6144,'num_hidden_layers':3,'num_attention_heads':64,"
        "'num_key_value_heads':4,'head_dim':128,'dense_intermediate_size':12288,'moe_intermediate_size':3072,"
        "'shared_intermediate_size':3072,'n_shared_experts':1,'num_local_experts':128,'num_experts_per_tok':4,"
        "'vocab_size':200064,'moe_layer_freq':[0,1,1],'sparse_attention_config':{'sparse_attention_freq':[0,0,1],"
        "'sparse_block_size':128,'sparse_index_dim':128,'sparse_num_index_heads':4,'sparse_topk_blocks':16,"
        "'sparse_local_block':1}}",
        &model);
    const struct orr_layer_kind *dense = &model.kinds[0], *full = &model.kinds[1], *sparse = &model.kinds[2];
    assert_int_equal(model.n_kinds, 3);
    assert_int_equal(dense->ffn_width, 12288);
    assert_int_equal(full->index_topk, 0);
    assert_int_equal(sparse->index_topk, 17 * 128);
    assert_int_equal(sparse->attention_params - full->attention_params, 6144 * 4 * 128 + 6144 * 128 + 2 * 128);
    assert_close(orr_kind_key_limit(sparse), 2176, 0);
}

/* Experts in a latent of 1024, 512 of them; router of all and its biases; one shared expert. */
static void latent_experts(void **state)
{
    struct orr_model model;
    load_model(*state, "nvidia-nemotron-3-super-120b-a12b-fp8", &model);
    const struct orr_layer_kind *kind = kind_with(&model, ORR_MIXER_NONE);
    assert_int_equal(kind->expert_params, INT64_C(2) * 1024 * 2688);
    assert_int_equal(kind->ffn_params, INT64_C(2) * 4096 * 5376 + 2 * 4096 * 1024);
    assert_int_equal(kind->router_params, 4096 * 512 + 512);
    load_model(*state, "longcat-flash", &model); /* 512 experts and 256 without weights; 12 chosen are 8 real ones */
    const struct orr_layer_kind *routed = &model.kinds[model.layer_kind[0]];
    assert_int_equal(model.n_layers, 56);
    assert_int_equal(routed->n_active, 8);
    assert_int_equal(routed->router_params, 6144 * 768 + 768);
    assert_int_equal(routed->shared_width, 12288);
}

/* Towers are no part of the text model's count: Gemma 3 27b is published with 27432406640. */
static void towers(void **state)
{
    static struct orr_model model;
    load_model(*state, "gemma3-27b", &model);
    assert_int_equal(model.tower_params, 423060336);
    assert_int_equal(orr_model_params(&model) + model.tower_params, INT64_C(27432406640));
}

/* ---------------------------------------------------------------- cache and state as engines log them */

/* Cache bytes of a token, and state bytes of a sequence, on one of `tp` ranks. */
static const struct {
    const char *model;
    double element_bytes, tp, token_bytes, state_bytes;
} LOGGED[] = {
    {"glm-4.6", 1, 4, 92 * 2 * 2 * 128, 0},   /* vLLM: GLM-4.7, fp8 cache */
    {"glm-5", 2, 8, 78 * (576 * 2 + 132), 0}, /* vLLM: 16-bit latents, fp8 index keys */
    {"kimi-k2.5", 2, 8, 61 * 576 * 2, 0},     /* SGLang */
    {"qwen3.5-9b", 2, 2, 8 * 2 * 2 * 256 * 2, 24 * 16 * 16384.0 * 4 + 24 * 4096 * 3 * 2},    /* SGLang */
    {"qwen3.6-27b", 2, 1, 16 * 2 * 4 * 256 * 2, 48 * 48 * 16384.0 * 4 + 48 * 3 * 10240 * 2}, /* llama.cpp */
    {"gemma-4-e4b", 2, 1, 4 * 2 * 2 * 512 * 2 + 20 * 2 * 2 * 256 * 2, 0}, /* llama.cpp: 24 layers of 42 keep a cache */
    {"qwen3-vl-8b", 2, 1, 36 * 2 * 8 * 128 * 2, 0},                       /* llama.cpp */
    {"llama-3.2-11b-vision", 2, 1, 32 * 2 * 8 * 128 * 2, 8 * 4 * 1601.0 * 2 * 8 * 128 * 2},
};

static void caches_are_those_of_the_engines(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(LOGGED); i++) {
        static struct orr_job job;
        double n_layers[ORR_MAX_LAYER_KINDS], token_bytes = 0, state_bytes = 0;
        load_model(w, LOGGED[i].model, &job.model);
        job.plan.tp = (int64_t)LOGGED[i].tp;
        job.serving.kv = LOGGED[i].element_bytes > 1 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP8;
        orr_count_layers(&job.model, n_layers);
        for (int64_t k = 0; k < job.model.n_kinds; k++) {
            token_bytes += n_layers[k] * orr_kv_rank_bytes(&job, &job.model.kinds[k]);
            state_bytes +=
                n_layers[k] * orr_sequence_state_bytes(&job.model.kinds[k], (double)job.model.kinds[k].cross_keys,
                                                       LOGGED[i].tp, LOGGED[i].element_bytes);
        }
        if (fabs(token_bytes - LOGGED[i].token_bytes) > 0 || fabs(state_bytes - LOGGED[i].state_bytes) > 0)
            fail_msg("%s: %.0f B per token and %.0f per sequence, logged %.0f and %.0f", LOGGED[i].model, token_bytes,
                     state_bytes, LOGGED[i].token_bytes, LOGGED[i].state_bytes);
    }
}

/* vLLM on a 78-layer model of the GLM-5 shape with 21 indexers of its own and an 8-bit cache: 47,700 B per token. */
static void layers_share_an_indexer(void **state)
{
    struct orr_model model;
    char text[4096];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "{'model_type':'glm_moe_dsa','hidden_size':6144,'num_hidden_layers':78,'num_attention_heads':64,"
        "'intermediate_size':12288,'moe_intermediate_size':2048,'n_routed_experts':256,'n_shared_experts':1,"
        "'num_experts_per_tok':8,'first_k_dense_replace':3,'q_lora_rank':2048,'kv_lora_rank':512,"
        "'qk_nope_head_dim':192,'qk_rope_head_dim':64,'v_head_dim':256,'vocab_size':154880,'index_n_heads':32,"
        "'index_head_dim':128,'index_topk':2048,'indexer_types':[");
    for (int i = 0; i < 78; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s'%s'", i ? "," : "", i < 21 ? "full" : "shared");
    (void)snprintf(text + at, sizeof text - at, "]}");
    (void)state;
    read_model(text, &model);
    double n_layers[ORR_MAX_LAYER_KINDS], bytes = 0;
    orr_count_layers(&model, n_layers);
    for (int64_t k = 0; k < model.n_kinds; k++) bytes += n_layers[k] * cached_bytes(&model.kinds[k], ORR_DTYPE_FP8);
    assert_close(bytes, 47700, 0);
    /* GLM-5.2 has 57 indexers fewer than GLM-5: 9371904 parameters each */
    assert_int_equal(9371904, 2048 * 32 * 128 + 6144 * 128 + 2 * 128 + 6144 * 32);
    assert_int_equal(orr_model_params(&model), INT64_C(743911218432) - 57 * INT64_C(9371904));
}

/* ---------------------------------------------------------------- operators */

static const struct orr_op *need_phase_op(struct world *w, enum orr_phase phase, const char *name)
{
    const struct orr_op *op = phase_op(w, phase, name, NULL);
    if (!op) fail_msg("no operator %s", name);
    return op;
}

/* Qwen3-Next on 2 ranks: 4 prompts of 1000 tokens, then one token of each. */
static void scans_of_a_request(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'qwen3-next-80b-a3b','system':'h200-sxm','plan':{'tp':2},"
                "'workload':{'engine':'vllm','batch':4,'input_len':1000,'output_len':3}}");
    const struct orr_infer_result result = infer(w, &w->job);
    const double in = 2 * 1024 + 2 * 2048 + 2 * 16, width = 2048; /* 8 key and 16 value heads a rank */
    const double state_bytes = 16 * 16384.0 * 4 + 4096 * 3 * 2;
    const struct orr_op *prompt = need_phase_op(w, ORR_PHASE_PREFILL, "scan");
    assert_close(prompt->flops, 4000 * 16 * (64.0 * (3 * 128 + 2 * 128) + 6 * 16384), 1e-12);
    assert_close(prompt->bytes, 4000 * (2 * (in + width) + 2 * 4 * 16 * 16384.0 / 64) + 2 * 4 * state_bytes, 1e-12);
    assert_close(prompt->count, 36, 0);
    const struct orr_op *step = need_phase_op(w, ORR_PHASE_DECODE, "scan.step");
    assert_close(step->bytes, 4 * 2 * state_bytes + 4 * 2 * (in + width), 1e-12);
    assert_close(step->flops, 4 * 7.0 * 16 * 16384, 1e-12);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in")->n, in, 0);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "attention.qkv")->n, (4096 + 2 * 512 + 4096) / 2.0, 0);
    assert_int_equal(result.kv_bytes_per_token, 12 * 2 * 2 * 256 * 2);
    assert_close(result.state_bytes_per_sequence, 36 * (32 * 16384.0 * 4 + 8192 * 3 * 2), 0);
    /* a GPU keeps half of the states, and the cache in blocks of 16 tokens */
    assert_close(result.kv_gpu_bytes, 36 * state_bytes + 1008 * 12 * 2 * 1 * 256 * 2, 1e-12);
}

/* Eqs. 316-318: Qwen3.5 under SGLang on 8 ranks has four products of the hidden state, of 2 * 2 * 128 + 8 * 128,
 * 8 * 128, 8 and 8 columns, as published; Qwen3-Next has two, and engines that say nothing have one. */
static void inputs_of_a_scan_apart(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'qwen3.5-397b-a17b','system':'b200-sxm','plan':{'tp':8},'workload':{'engine':"
                "'sglang-0.5','precision':'bf16','batch':2,'input_len':1000,'output_len':3}}");
    infer(w, &w->job);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in")->n, 2 * 2 * 128 + 8 * 128, 0);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in_gate")->n, 8 * 128, 0);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in_heads")->n, 8, 0);
    assert_close(need_phase_op(w, ORR_PHASE_PREFILL, "scan")->launches, 8, 0);
    const struct orr_op *copies = need_phase_op(w, ORR_PHASE_PREFILL, "scan.prepare");
    assert_close(copies->launches, 5, 0);
    assert_close(copies->bytes, 2 * 2 * 2000.0 * 1536, 0);
    assert_null(phase_op(w, ORR_PHASE_DECODE, "scan.prepare", NULL));
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "shared.scale")->n, 1, 0);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "shared.scaled")->bytes, 2 * 2 * 2 * 4096, 0);
    w->job.engine.scan_inputs = 2;
    infer(w, &w->job);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in")->n, 1536 + 1024, 0);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in_heads")->n, 16, 0);
    w->job.engine.scan_inputs = 0;
    infer(w, &w->job);
    assert_close(need_phase_op(w, ORR_PHASE_DECODE, "scan.in")->n, 1536 + 1024 + 16, 0);
    assert_null(phase_op(w, ORR_PHASE_DECODE, "scan.in_heads", NULL));
}

/* Eq. 319: 8 small kernels around the indexer of GLM-5, which has 32 heads of 128 and one key. */
static void kernels_of_an_indexer(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'glm-5','system':'b200-sxm','plan':{'tp':8},'workload':{'engine':'sglang-0.5',"
                "'precision':'bf16','batch':3,'input_len':4000,'output_len':3}}");
    infer(w, &w->job);
    const struct orr_op *small = need_phase_op(w, ORR_PHASE_DECODE, "index.small");
    assert_close(small->launches, 8, 0);
    assert_close(small->bytes, 6 * 2 * 3 * 33 * 128.0, 0);
    w->job.engine.index_kernels = 0;
    infer(w, &w->job);
    assert_null(phase_op(w, ORR_PHASE_DECODE, "index.small", NULL));
}

/* A model without attention holds as much at any length, and takes as long for any token. */
static void a_state_does_not_grow(void **state)
{
    struct world *w = *state;
    struct orr_infer_result results[2];
    for (int i = 0; i < 2; i++) {
        read_job(w,
                 "{'kind':'infer','model':'mamba-370m','system':'h100-sxm',"
                 "'workload':{'engine':'vllm','batch':8,'input_len':%d,'output_len':9}}",
                 i ? 16000 : 1000);
        results[i] = infer(w, &w->job);
    }
    assert_close(results[1].kv_gpu_bytes, results[0].kv_gpu_bytes, 0);
    assert_close(results[0].kv_gpu_bytes, 48 * (2048 * 16 * 4 + 2048 * 3 * 2), 0);
    assert_close(results[1].tpot_s, results[0].tpot_s, 1e-9);
    assert_int_equal(results[0].kv_bytes_per_token, 0);
}

/* Attention of DeepSeek-V3.2 meets 2048 keys however long the context is; its indexer meets all of them. */
static void an_indexer_scores_every_key(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'deepseek-v3.2','system':'h200-sxm','plan':{'tp':8,'pp':2},"
                "'workload':{'engine':'vllm','precision':'bf16','batch':2,'input_len':10000,'output_len':3}}");
    (void)infer(w, &w->job);
    const struct orr_op *core = need_phase_op(w, ORR_PHASE_DECODE, "attention.decode");
    const struct orr_op *index = need_phase_op(w, ORR_PHASE_DECODE, "index.decode");
    assert_close(core->n, 2048, 0);
    assert_close(index->n, 10001.5, 1e-12); /* contexts 10001 and 10002 */
    assert_close(index->flops, 2 * index->batch * 64 * 128 * 10001.5, 1e-12);
    /* pairs of a prompt: 2048 queries see as many keys as they have before them, 7952 see 2048 */
    const struct orr_op *prompt = need_phase_op(w, ORR_PHASE_PREFILL, "attention.flash");
    assert_close(prompt->flops, 2 * prompt->batch * (2048.0 * 1024 + 7952.0 * 2048) * (576 + 512), 1e-12);
}

/* A layer of Falcon-H1 reduces its two mixers once; a layer of Nemotron-H is one block. */
static void blocks_of_a_layer(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'falcon-h1-0.5b','system':'h100-sxm','plan':{'tp':2},"
                "'workload':{'engine':'vllm','batch':4,'input_len':100,'output_len':3}}");
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "tp.reduce"), 2 * 36, 0);
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "scan"), 36, 0);
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "attention.flash"), 36, 0);
    read_job(w, "{'kind':'infer','model':'nvidia-nemotron-nano-9b-v2','system':'h100-sxm','plan':{'tp':2},"
                "'workload':{'engine':'vllm','batch':4,'input_len':100,'output_len':3}}");
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "tp.reduce"), 56, 0);
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "mlp.down"), 25, 0);
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "attention.flash"), 4, 0);
}

/* Training: backward of the scan, FLOP of the model by hand, what a layer keeps. */
static void training(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mamba-370m','system':'h100-sxm','plan':{},"
                "'workload':{'engine':'megatron-core-2025','seq':2048,'micro_batch':2,'global_batch':8}}");
    train(w);
    const double d = 2048, h = 1024, tokens = 2048 * 8.0;
    const double matrices = h * 2 * d + d * h + d * (64 + 32) + 64 * d;
    const double token = 48 * (2 * matrices + d * (8 + 144)) + 2 * h * 50280;
    assert_close(w->result.model_flops, 3 * token * tokens, 1e-12);
    const struct orr_op *forward = need_op(w, 0, "scan"), *backward = need_op(w, 0, "scan.backward");
    assert_close(forward->flops, 2 * 2048 * d * (8 + 144), 1e-12);
    assert_close(backward->flops, 2.5 * forward->flops, 1e-12);
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    assert_close(bytes.attention, 2 * 4096.0 * (h + 5 * d + 64 + 32), 1e-12);
    assert_close(bytes.ffn + bytes.scores, 0, 0);
}

/* ---------------------------------------------------------------- unknown types */

static void an_unknown_type_names_its_fields(void **state)
{
    struct orr_doc doc;
    struct orr_error error;
    struct orr_model model;
    (void)state;
    assert_int_equal(orr_doc_parse("{\"model_type\":\"zzz\",\"linear_attn_config\":{},\"kv_lora_rank\":512}", "c.json",
                                   &doc, &error),
                     0);
    assert_int_equal(orr_model_from_json(&doc, "test", &model, &error), ORR_ERR_INPUT);
    orr_doc_close(&doc);
    assert_non_null(strstr(error.text, "unknown model_type \"zzz\""));
    assert_non_null(strstr(error.text, "marked by linear_attn_config, kv_lora_rank"));
    assert_non_null(strstr(error.text, "\"kimi_linear\""));
}

/* Eq. 392 on a chip of 1 PFLOP/s of which products reach a half, and 4 TB/s of which they reach a half: 1 GFLOP take 2
 * us times the inverse of the share, and 2 MB take 1 us. */
static void the_delta_rule_has_a_share_of_its_own(void **state)
{
    struct world *w = *state;
    struct orr_calibration *c = &w->job.calibration;
    struct orr_cost cost;
    struct orr_op op = {.kind = ORR_OP_SCAN, .dtype = ORR_DTYPE_BF16, .flops = 1e9, .bytes = 2e6, .m = 1000};
    memset(&w->job, 0, sizeof w->job);
    w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 1e15;
    w->job.system.chip.hbm_bytes_per_s = 4e12;
    c->gemm[ORR_DTYPE_BF16].burst_frac = c->gemm[ORR_DTYPE_BF16].dram_frac = 0.5;
    orr_cost_scan(&w->job, &op, &cost);
    assert_close(cost.total_s, 4e-6, 1e-12); /* half is assumed */
    c->scan_frac = 0.25;
    c->delta_scan_frac = 0.05;
    orr_cost_scan(&w->job, &op, &cost);
    assert_close(cost.total_s, 8e-6, 1e-12);
    op.delta = true;
    orr_cost_scan(&w->job, &op, &cost);
    assert_close(cost.total_s, 40e-6, 1e-12);
    c->delta_token_s = 50e-9;
    orr_cost_scan(&w->job, &op, &cost);
    assert_close(cost.total_s, 50e-6, 1e-12); /* 1,000 tokens one after another */
    op.fused = true;
    orr_cost_scan(&w->job, &op, &cost);
    assert_close(cost.total_s, 50e-6, 1e-12);
    op.m = 100;
    orr_cost_scan(&w->job, &op, &cost);
    assert_close(cost.total_s, 8e-6, 1e-12);
}

/* One kernel on the chips that the engine names, without states of chunks; eight on others. */
static void the_delta_rule_is_one_kernel_on_some_chips(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'qwen3.5-35b-a3b','system':'h100-sxm','gpus':2,'plan':{'tp':2},'workload':{"
                "'batch':2,'input_len':640,'output_len':8,'engine':'vllm-0.17'}}");
    (void)infer(w, &w->job);
    const struct orr_op *fused = need_phase_op(w, ORR_PHASE_PREFILL, "scan");
    assert_true(fused->fused && fused->delta);
    assert_close(fused->launches, 1, 0);
    assert_close(fused->m, 640, 0);
    const double fused_bytes = fused->bytes;
    snprintf(w->job.engine.fused_delta, sizeof w->job.engine.fused_delta, "ampere");
    (void)infer(w, &w->job);
    const struct orr_op *parts = need_phase_op(w, ORR_PHASE_PREFILL, "scan");
    assert_true(parts->delta && !parts->fused);
    assert_close(parts->launches, 8, 0);
    /* 16 heads of a rank keep 128 x 128 elements in 4 bytes, written and read once per 64 of the 1,280 tokens. */
    assert_close(parts->bytes - fused_bytes, 1280.0 / 64 * 2 * 4 * 16 * 128 * 128, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mamba1),
        cmocka_unit_test(mamba2),
        cmocka_unit_test(gated_delta_net),
        cmocka_unit_test(kda),
        cmocka_unit_test(lightning),
        cmocka_unit_test(rg_lru),
        cmocka_unit_test(short_convolution),
        cmocka_unit_test(indexer),
        cmocka_unit_test(block_sparse),
        cmocka_unit_test(latent_experts),
        cmocka_unit_test(towers),
        cmocka_unit_test(caches_are_those_of_the_engines),
        cmocka_unit_test(layers_share_an_indexer),
        cmocka_unit_test(scans_of_a_request),
        cmocka_unit_test(inputs_of_a_scan_apart),
        cmocka_unit_test(kernels_of_an_indexer),
        cmocka_unit_test(a_state_does_not_grow),
        cmocka_unit_test(an_indexer_scores_every_key),
        cmocka_unit_test(blocks_of_a_layer),
        cmocka_unit_test(training),
        cmocka_unit_test(the_delta_rule_has_a_share_of_its_own),
        cmocka_unit_test(the_delta_rule_is_one_kernel_on_some_chips),
        cmocka_unit_test(an_unknown_type_names_its_fields),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
