/* Memory of inference: cache bytes of published models (Eq. 90), weights in every format, the engines'
 * budget rules by hand, whole blocks, windows, and the largest batch and context they allow. */
#include "serving.h"

/* ---------------------------------------------------------------- cache per token */

/* Layers, K,V heads and head size from the models' own config.json files or papers: 2 L k d w, or L (r + d_r) w. */
static const struct {
    const char *model;
    int64_t bytes; /* 2-byte cache */
} TOKEN_BYTES[] = {
    {"llama2-7b", 524288},       /* 2 * 32 * 32 * 128 * 2 */
    {"llama2-13b", 819200},      /* 2 * 40 * 40 * 128 * 2 */
    {"llama2-70b", 327680},      /* 2 * 80 * 8 * 128 * 2 */
    {"llama3-8b", 131072},       /* 2 * 32 * 8 * 128 * 2 */
    {"llama3.1-405b", 516096},   /* 2 * 126 * 8 * 128 * 2 */
    {"llama3.2-1b", 32768},      /* 2 * 16 * 8 * 64 * 2 */
    {"llama4-scout", 196608},    /* 2 * 48 * 8 * 128 * 2 */
    {"mixtral-8x7b", 131072},    /* 2 * 32 * 8 * 128 * 2 */
    {"mixtral-8x22b", 229376},   /* 2 * 56 * 8 * 128 * 2 */
    {"mistral-7b", 131072},      /* 2 * 32 * 8 * 128 * 2 */
    {"deepseek-v3", 70272},      /* 61 * (512 + 64) * 2 */
    {"deepseek-v2-lite", 31104}, /* 27 * (512 + 64) * 2 */
    {"gpt-oss-120b", 73728},     /* 2 * 36 * 8 * 64 * 2 */
    {"qwen3-235b-a22b", 192512}, /* 94 * 2 * 4 * 128 * 2 */
    {"qwen3-30b-a3b", 98304},    /* 2 * 48 * 4 * 128 * 2 */
    {"qwen2.5-7b", 57344},       /* 2 * 28 * 4 * 128 * 2 */
    {"qwen2.5-72b", 327680},     /* 2 * 80 * 8 * 128 * 2 */
    {"gemma3-12b", 393216},      /* 2 * 48 * 8 * 256 * 2 */
    {"gemma3-27b", 507904},      /* 2 * 62 * 16 * 128 * 2 */
    {"gemma2-9b", 344064},       /* 2 * 42 * 8 * 256 * 2 */
    {"gpt3-175b", 4718592},      /* 2 * 96 * 96 * 128 * 2 */
    {"bloom-176b", 4014080},     /* 2 * 70 * 112 * 128 * 2 */
    {"falcon-7b", 8192},         /* 2 * 32 * 1 * 64 * 2: one K,V head for 71 query heads */
    {"falcon-180b", 163840},     /* 2 * 80 * 8 * 64 * 2 */
    {"gpt-neox-20b", 1081344},   /* 2 * 44 * 64 * 96 * 2 */
    {"nemotron-340b", 589824},   /* 2 * 96 * 8 * 192 * 2 */
};

static void read_length(struct world *w, const char *model, const char *kv, int input, int output)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'h200-sxm','workload':{'engine':'vllm','kv_precision':'%s','input_"
             "len':%d,"
             "'output_len':%d}}",
             model, kv, input, output);
}

static void cache_bytes_per_token_are_eq_90(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(TOKEN_BYTES); i++) {
        read_length(w, TOKEN_BYTES[i].model, "bf16", 90, 10); /* below every window */
        const struct orr_infer_result result = infer(w, &w->job);
        if (result.kv_bytes_per_token != TOKEN_BYTES[i].bytes)
            fail_msg("%s: %lld bytes per token, expected %lld", TOKEN_BYTES[i].model,
                     (long long)result.kv_bytes_per_token, (long long)TOKEN_BYTES[i].bytes);
        assert_close(result.kv_bytes_per_sequence, 100 * (double)TOKEN_BYTES[i].bytes, 1e-15);
        read_length(w, TOKEN_BYTES[i].model, "fp8", 90, 10);
        assert_int_equal(infer(w, &w->job).kv_bytes_per_token, TOKEN_BYTES[i].bytes / 2);
    }
}

/* Beyond the window only full-context layers grow; the pattern of windows is the model's. */
static void windows_stop_the_cache(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model;
        int length;
        double layer_bytes, full, windowed, window; /* bytes per token and layer, layers, tokens kept */
    } rows[] = {
        {"mistral-7b", 32768, 4096, 0, 32, 4096},
        {"gemma3-12b", 32768, 8192, 8, 40, 1024},  /* every sixth layer sees all */
        {"gemma3-27b", 32768, 8192, 10, 52, 1024}, /* 62 layers: 10 sixths */
        {"gemma2-9b", 8192, 8192, 21, 21, 4096},   /* every second */
        {"gpt-oss-120b", 8192, 2048, 18, 18, 128},
        {"llama4-scout", 65536, 4096, 12, 36, 8192}, /* chunks of 8192 in three of four */
        {"llama3-8b", 32768, 4096, 32, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_length(w, rows[i].model, "bf16", rows[i].length - 100, 100);
        const double expected =
            rows[i].layer_bytes * (rows[i].full * rows[i].length + rows[i].windowed * rows[i].window);
        const struct orr_infer_result result = infer(w, &w->job);
        if (fabs(result.kv_bytes_per_sequence - expected) > 1e-12 * expected)
            fail_msg("%s: %.17g bytes per sequence, expected %.17g", rows[i].model, result.kv_bytes_per_sequence,
                     expected);
        assert_close(sequence_bytes(&w->job, rows[i].length), expected, 1e-12); /* tp 1, lengths are whole blocks */
    }
}

/* tp 8 divides the heads, but not below one per rank, and not the latent; pp divides the layers. */
static void cache_is_sharded_by_heads_and_layers(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model;
        int tp, pp;
        double bytes; /* of one rank and token */
    } rows[] = {
        {"llama2-7b", 8, 1, 524288.0 / 8},
        {"llama2-70b", 8, 1, 327680.0 / 8},
        {"qwen3-235b-a22b", 8, 1, 192512.0 / 4}, /* 4 K,V heads: one per rank, twice */
        {"falcon-7b", 1, 1, 8192},
        {"deepseek-v3", 8, 1, 70272},
        {"llama2-70b", 2, 4, 327680.0 / 8},
        {"llama3.1-405b", 8, 4, 2.0 * 32 * 1 * 128 * 2}, /* 126 layers over 4: 32 on the fullest */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(
            w,
            "{'kind':'infer','model':'%s','system':'h200-sxm','plan':{'tp':%d,'pp':%d},'workload':{'engine':'vllm',"
            "'input_len':1000,'output_len':24}}",
            rows[i].model, rows[i].tp, rows[i].pp);
        assert_close(sequence_bytes(&w->job, 1024), 1024 * rows[i].bytes, 1e-12);
    }
}

/* Blocks of 16 tokens: 1001 tokens take 63 of them, 1008; a block of one token wastes nothing. */
static void sequences_take_whole_blocks(void **state)
{
    struct world *w = *state;
    read_length(w, "llama3-8b", "bf16", 1000, 1);
    assert_int_equal(w->job.engine.kv_block_tokens, 16);
    w->job.serving.batch = 7;
    struct orr_infer_result result = infer(w, &w->job);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_KV_CACHE], 7.0 * 1008 * 131072, 1e-15);
    assert_close(result.kv_bytes_per_sequence, 1001.0 * 131072, 1e-15); /* what is in them */
    w->job.engine.kv_block_tokens = 1;
    result = infer(w, &w->job);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_KV_CACHE], 7.0 * 1001 * 131072, 1e-15);
    w->job.engine.kv_block_tokens = 64; /* 16 blocks */
    result = infer(w, &w->job);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_KV_CACHE], 7.0 * 1024 * 131072, 1e-15);
}

/* ---------------------------------------------------------------- weights */

/* Llama-2-70B: 80 layers of 2 * 8192^2 + 2 * 8192 * 1024 + 3 * 8192 * 28672 = 855638016 weights in matrices; 80 * 2
 * * 8192 + 8192 in norms and 2 * 32000 * 8192 at the ends, which stay 16 bits wide. */
#define MATRICES (80 * 855638016.0)
#define NORMS    (80 * 2 * 8192.0 + 8192)
#define ENDS     (2 * 32000 * 8192.0)

static double weights(struct world *w, const char *precision, int tp)
{
    read_job(w,
             "{'kind':'infer','model':'llama2-70b','system':'b200-sxm','plan':{'tp':%d},'workload':{'engine':'vllm',"
             "'precision':'%s','input_len':100,'output_len':10}}",
             tp, precision);
    return infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS];
}

static void weights_carry_their_scales(void **state)
{
    struct world *w = *state;
    const double wide = 2 * (NORMS + ENDS);
    assert_close(weights(w, "bf16", 1), 2 * MATRICES + wide, 1e-15);
    assert_close(weights(w, "fp8", 1), MATRICES * (1 + 4.0 / 16384) + wide, 1e-15);        /* fp32 per 128 x 128 */
    assert_close(weights(w, "int4", 1), MATRICES * (0.5 + 2.0 / 128) + wide, 1e-15);       /* fp16 per 128 */
    assert_close(weights(w, "fp4", 1), MATRICES * (0.5 + 1.0 / 16) + wide, 1e-15);         /* fp8 per 16 */
    assert_close(weights(w, "bf16", 8), (2 * MATRICES + 2 * ENDS) / 8 + 2 * NORMS, 1e-15); /* norms on every rank */
    /* the products read the same bytes: 4.125 bits a weight, multiplied in 16 */
    (void)weights(w, "int4", 1);
    const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "mlp.down", NULL);
    assert_non_null(op);
    assert_close(op->weight_bytes, 4.125 / 8, 1e-15);
    assert_int_equal(op->dtype, ORR_DTYPE_BF16);
    assert_close(op->bytes, 28672.0 * 8192 * 4.125 / 8 + 2 * (28672 + 8192), 1e-15);
    (void)weights(w, "fp8", 1);
    op = phase_op(w, ORR_PHASE_DECODE, "mlp.down", NULL);
    assert_int_equal(op->dtype, ORR_DTYPE_FP8);
    assert_close(op->bytes, 28672.0 * 8192 * (1 + 4.0 / 16384) + 28672 + 2 * 8192, 1e-15);
}

/* Mixtral over 8 expert ranks: one expert of 3 * 4096 * 14336 in each of 32 layers; everything else on every rank. */
static void experts_are_divided(void **state)
{
    struct world *w = *state;
    read_job(
        w,
        "{'kind':'infer','model':'mixtral-8x7b','system':'h100-sxm','plan':{'dp':8,'ep':8},'workload':{'engine':'vllm',"
        "'input_len':100,'output_len':10}}");
    const double experts = 32 * 8 * 3 * 4096.0 * 14336, rest = 46702792704.0 - experts;
    assert_close(infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS], 2 * (rest + experts / 8), 1e-15);
}

/* ---------------------------------------------------------------- budgets */

/* Llama-2-7B on 80 GB, 1 GB of context, 2 GB of workspace: weights 2 * 6738415616. Four prompts of 1000 tokens: two
 * hidden states and gate with up, 4000 * (2 * 4096 + 2 * 11008) * 2 bytes, and fp32 logits of 4 positions. */
#define WEIGHTS_7B     13476831232.0
#define ACTIVATIONS_7B (4000 * 30208 * 2.0 + 4 * 32000 * 4)

static struct orr_infer_result budget_of(struct world *w, const char *rule)
{
    read_job(w,
             "{'kind':'infer','model':'llama2-7b','system':'h100-sxm','workload':{'engine':'vllm','batch':4,'input_len'"
             ":1000,"
             "'output_len':24},'set':{'engine.budget':'%s','engine.budget_frac':0.8,'engine.context_bytes':1e9,"
             "'engine.workspace_bytes':2e9,'chip.hbm_bytes':80e9}}",
             rule);
    return infer(w, &w->job);
}

static void budgets_follow_the_engines_rule(void **state)
{
    struct world *w = *state;
    struct orr_infer_result result = budget_of(w, "total");
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_WEIGHTS], WEIGHTS_7B, 1e-15);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_ACTIVATIONS], ACTIVATIONS_7B, 1e-15);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_WORKSPACE], 2e9, 1e-15);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_KV_CACHE], 4 * 1024 * 524288.0, 1e-15);
    assert_close(result.memory_total_bytes, WEIGHTS_7B + ACTIVATIONS_7B + 2e9 + 4 * 1024 * 524288.0, 1e-15);
    assert_close(result.memory_capacity_bytes, 80e9, 0);
    assert_close(result.memory_usable_bytes, 79e9, 1e-15);
    assert_close(result.kv_budget_bytes, 0.8 * 80e9 - WEIGHTS_7B - ACTIVATIONS_7B - 3e9, 1e-12);
    /* prompts of a step stop at 8192 tokens: 47.01 GB over 1024 * 524288 B */
    assert_int_equal(result.max_batch, 87);
    assert_true(result.fits);
    result = budget_of(w, "free");
    assert_close(result.kv_budget_bytes, 0.8 * (80e9 - WEIGHTS_7B - ACTIVATIONS_7B - 3e9), 1e-12);
    assert_int_equal(result.max_batch, 93); /* 50.41 GB, prompts of 8192 tokens at most beside it */
    result = budget_of(w, "static");
    assert_close(result.kv_budget_bytes, 0.8 * 80e9 - WEIGHTS_7B - 3e9, 1e-12);
    assert_int_equal(result.max_batch, 88); /* 47.52 GB */
}

/* Eq. 377: the context of 1 GB does not count against the share, but no cache lies beyond the memory. */
static void a_share_may_leave_the_context_out(void **state)
{
    struct world *w = *state;
    (void)budget_of(w, "total");
    w->job.engine.budget_after_context = true;
    assert_close(infer(w, &w->job).kv_budget_bytes, 0.8 * 80e9 - WEIGHTS_7B - ACTIVATIONS_7B - 2e9, 1e-12);
    w->job.engine.budget_frac = 0.995;
    assert_close(infer(w, &w->job).kv_budget_bytes, 80e9 - WEIGHTS_7B - ACTIVATIONS_7B - 3e9, 1e-12);
}

static const char *const LIMITED[] = {
    "{'kind':'infer','model':'llama2-13b','system':'a100-80g-sxm','plan':{'tp':2},'workload':{'engine':'vllm','batch':"
    "8,"
    "'input_len':2000,'output_len':48,'chunk_tokens':512}}",
    "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'tensorrt-llm-1.2','"
    "batch':3,"
    "'input_len':3000,'output_len':333,'chunk_tokens':256}}",
    "{'kind':'infer','model':'gemma3-27b','system':'h100-sxm','plan':{'tp':2},'workload':{'engine':'sglang','batch':2,"
    "'input_len':9000,'output_len':1000,'chunk_tokens':128}}",
    "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','plan':{'tp':8,'pp':2},'workload':{'engine':'vllm','"
    "batch':4,"
    "'input_len':4000,'output_len':96,'precision':'fp8','chunk_tokens':512}}",
    "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'tensorrt-llm-nemo','batch':1,"
    "'input_len':1500,'output_len':77,'kv_precision':'fp8','chunk_tokens':256}}",
};

/* What is promised fits and one more does not. Chunked, so that the prompt's activations do not grow with either; the
 * logits of one more sequence are the only thing that still does. */
static void the_largest_batch_and_context_fit(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(LIMITED); i++) {
        read_job(w, LIMITED[i], "");
        w->job.engine.max_requests = 1 << 20;
        const int64_t batch = w->job.serving.batch;
        struct orr_infer_result result = infer(w, &w->job);
        assert_true(result.fits);
        assert_true(result.max_batch > batch);
        assert_int_equal(result.max_context % w->job.engine.kv_block_tokens, 0);
        const int64_t longest = result.max_context;
        w->job.serving.input_len = longest - w->job.serving.output_len;
        assert_true(infer(w, &w->job).fits);
        w->job.serving.input_len += 1; /* the first token of one block more */
        result = infer(w, &w->job);
        assert_false(result.fits);
        assert_true(result.reason[0] != '\0');
        assert_int_equal(result.max_context, longest);
        read_job(w, LIMITED[i], "");
        w->job.engine.max_requests = 1 << 20;
        w->job.serving.batch = infer(w, &w->job).max_batch; /* with the logits of that many */
        w->job.serving.batch = infer(w, &w->job).max_batch;
        assert_true(infer(w, &w->job).fits);
        w->job.serving.batch += 1;
        assert_false(infer(w, &w->job).fits);
        w->job.serving.batch = batch;
        w->job.engine.max_requests = 5; /* the scheduler's limit */
        assert_int_equal(infer(w, &w->job).max_batch, 5);
    }
}

/* Where every layer has a window the cache of a sequence ends, and the context does not. */
static void windows_end_the_need_for_memory(void **state)
{
    struct world *w = *state;
    read_length(w, "mistral-7b", "bf16", 4000, 96);
    w->job.serving.chunk_tokens = 256;
    const struct orr_infer_result at_window = infer(w, &w->job);
    w->job.serving.input_len = 100000;
    const struct orr_infer_result beyond = infer(w, &w->job);
    assert_close(beyond.memory_bytes[ORR_SERVE_MEMORY_KV_CACHE], at_window.memory_bytes[ORR_SERVE_MEMORY_KV_CACHE], 0);
    assert_int_equal(beyond.max_batch, at_window.max_batch);
    assert_true(beyond.max_context >= INT64_C(1) << 40);
    assert_true(sequence_bytes(&w->job, 1e6) == sequence_bytes(&w->job, 4096));
    assert_true(sequence_bytes(&w->job, 4096 - 16) < sequence_bytes(&w->job, 4096));
}

/* 70B in 16 bits on one 80 GB GPU: the weights alone do not fit. */
static void nothing_is_left_beside_the_weights(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','workload':{'engine':'vllm','input_len':100,"
                "'output_len':10}}");
    const struct orr_infer_result result = infer(w, &w->job);
    assert_false(result.fits);
    assert_close(result.kv_budget_bytes, 0, 0);
    assert_int_equal(result.max_batch, 0);
    assert_int_equal(result.max_context, 0);
    assert_non_null(strstr(result.reason, "weights"));
    assert_true(result.latency_s > 0); /* the prediction stands */
}

/* gpt-oss-20b: 24 layers of 32 experts, 3 x 2880^2 weights and 3 x 2880 biases each, in 4 bits with scales; all else
 * in 16. */
static void published_experts_are_stored_narrow(void **state)
{
    struct world *w = *state;
    read_job(w,
             "{'kind':'infer','model':'gpt-oss-20b','system':'h200-sxm','workload':{'engine':'vllm','precision':'fp4',"
             "'input_len':100,'output_len':1}}");
    const double experts = 24.0 * 32 * (3.0 * 2880 * 2880 + 3 * 2880), all = (double)orr_model_params(&w->job.model);
    const struct orr_infer_result result = infer(w, &w->job);
    assert_close(result.memory_bytes[ORR_SERVE_MEMORY_WEIGHTS], 0.5625 * experts + 2 * (all - experts), 1e-6);
}

/* ---------------------------------------------------------------- pools */

/* Eq. 387, Qwen3.6-27B on one H200 under SGLang with 0.8 of the memory: 48 layers with 48 states of 128 x 128 in fp32
 * and three columns of 10240 channels in 16 bits: 48 * (48 * 16384 * 4 + 3 * 10240 * 2) = 153944064 B a place, and 16
 * layers of 4 heads of 256: 65536 B a token. Of a budget of 55 GB f = 0.4737 is 26.0535 GB: 169 places, which are those
 * of 33 sequences by 5, of 56 by 3 and of 169 by 1. The rest, 28.9465 GB, has room for 441688 tokens. */
static void states_have_a_pool(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'qwen3.6-27b','system':'h200-sxm','workload':{'engine':'sglang-0.5.15',"
                "'input_len':8192,'output_len':1024,'chunk_tokens':1024}}");
    const double weights = infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS];
    const double taken = weights + w->job.engine.context_bytes + w->job.engine.workspace_bytes;
    w->job.engine.budget_frac = (55e9 + taken) / w->job.system.chip.hbm_bytes;
    struct orr_infer_result result = infer(w, &w->job);
    assert_close(result.kv_budget_bytes, 55e9, 1e-9);
    assert_int_equal(result.kv_room_sequences, 33);
    assert_close(result.kv_room_tokens, 441688, 1e-5);
    assert_int_equal(result.max_batch, 33);
    w->job.engine.states_per_sequence = 3;
    assert_int_equal(infer(w, &w->job).kv_room_sequences, 56);
    assert_int_equal(infer(w, &w->job).max_batch, 47); /* 441688 tokens over 9216 */
    w->job.engine.prefix_cache = false;
    assert_int_equal(infer(w, &w->job).kv_room_sequences, 169);
    w->job.engine.state_pool_frac = 0; /* one pool: 55 GB over 9216 * 65536 + 153944064 B */
    result = infer(w, &w->job);
    assert_int_equal(result.kv_room_sequences, INT64_MAX);
    assert_int_equal(result.max_batch, 72);
}

/* Eq. 387, Gemma 4 E4B: 35 layers with windows of 512 and 7 without, of which SGLang makes room for all, although 18
 * read the keys of others: 2 heads of 256 are 2048 B a token and layer, 2 of 512 are 4096. With 0.8 of the tokens for
 * the former a token takes 7 * 4096 + 0.8 * 35 * 2048 = 86016 B, so that 100 GB hold 1162574 tokens and 126 sequences
 * of 9216. A sequence of 300 tokens is shorter than the window and counts as 300/0.8. */
static void windows_have_a_pool(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'gemma-4-e4b','system':'h200-sxm','workload':{'engine':'sglang-0.5.15',"
                "'input_len':8192,'output_len':1024,'chunk_tokens':1024}}");
    const double weights = infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS];
    const double taken = weights + w->job.engine.context_bytes + w->job.engine.workspace_bytes;
    w->job.engine.budget_frac = (100e9 + taken) / w->job.system.chip.hbm_bytes;
    struct orr_infer_result result = infer(w, &w->job);
    assert_close(result.kv_room_tokens, 1162574, 1e-6);
    assert_int_equal(result.max_batch, 126);
    w->job.serving.input_len = 200;
    w->job.serving.output_len = 100;
    assert_close(infer(w, &w->job).kv_room_tokens, 0.8 * 1162574, 1e-6);
    w->job.serving.input_len = 8192;
    w->job.serving.output_len = 1024;
    w->job.engine.shared_kv_room = false; /* 4 layers without and 20 with windows have keys: 49152 B a token */
    assert_close(infer(w, &w->job).kv_room_tokens, 100e9 / 49152, 1e-6);
    (void)snprintf(w->job.engine.window_models, sizeof w->job.engine.window_models, "gpt_oss llama4");
    assert_close(infer(w, &w->job).kv_room_tokens, 100e9 / (4 * 4096 + 20 * 2048), 1e-6); /* whole contexts */
}

/* Eq. 389, Qwen3.6-27B under vLLM 0.20: a state of 153944064/48 = 3207168 B is 783 tokens of 4 heads of 256 + 256 in 16
 * bits, 4096 B, so that a block has 49 times 16 tokens, 784, and a page 3211264 B. 9216 tokens are 12 blocks in each of
 * 16 layers, beside a page in each of 48. */
static void states_are_pages(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'qwen3.6-27b','system':'h200-sxm','workload':{'engine':'vllm-0.20',"
                "'input_len':8192,'output_len':1024}}");
    assert_int_equal(infer(w, &w->job).kv_block_tokens, 784);
    assert_close(sequence_bytes(&w->job, 9216), (12.0 * 16 + 48) * 3211264, 1e-12);
    assert_close(sequence_bytes(&w->job, 784), (16.0 + 48) * 3211264, 1e-12);
    assert_close(sequence_bytes(&w->job, 785), (32.0 + 48) * 3211264, 1e-12);
    w->job.engine.state_pages = false;
    assert_int_equal(infer(w, &w->job).kv_block_tokens, 16);
    assert_close(sequence_bytes(&w->job, 785), 800.0 * 65536 + 153944064, 1e-12);
}

/* Eq. 388, DeepSeek-V2-Lite under vLLM 0.6: 27 layers with 16 heads of 256 + 256 columns in 16 bits are 442368 B a
 * token, of which each of 4 ranks has a quarter, where 27 latents of 512 + 64 are 31104 B on every rank. The core of a
 * sequence multiplies 4 heads by 100 keys twice, 4 * 4 * 100 * 256 FLOP, and the heads of its new token are rebuilt:
 * 512 columns become 4 * (128 + 128). */
static void heads_are_cached_in_place_of_latents(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'deepseek-v2-lite','system':'h100-sxm','plan':{'tp':4},'workload':{'engine':"
                "'vllm-0.6','batch':1,'input_len':99,'output_len':2}}");
    assert_int_equal(infer(w, &w->job).kv_bytes_per_token, 442368);
    assert_close(sequence_bytes(&w->job, 160), 160.0 * 442368 / 4, 1e-12);
    const struct orr_op *core = phase_op(w, ORR_PHASE_DECODE, "attention.decode", NULL);
    assert_close(core->flops / core->n, 4.0 * 4 * 256, 1e-12);
    const struct orr_op *rebuilt = phase_op(w, ORR_PHASE_DECODE, "mla.kv_up", NULL);
    assert_close(rebuilt->k, 512, 0);
    assert_close(rebuilt->n, 1024, 0);
    assert_null(phase_op(w, ORR_PHASE_DECODE, "mla.q_absorb", NULL));
    w->job.engine.latent_columns = 0;
    assert_int_equal(infer(w, &w->job).kv_bytes_per_token, 31104);
    assert_close(sequence_bytes(&w->job, 160), 160.0 * 31104, 1e-12);
    assert_non_null(phase_op(w, ORR_PHASE_DECODE, "mla.q_absorb", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_bytes_per_token_are_eq_90),
        cmocka_unit_test(windows_stop_the_cache),
        cmocka_unit_test(cache_is_sharded_by_heads_and_layers),
        cmocka_unit_test(sequences_take_whole_blocks),
        cmocka_unit_test(weights_carry_their_scales),
        cmocka_unit_test(experts_are_divided),
        cmocka_unit_test(budgets_follow_the_engines_rule),
        cmocka_unit_test(the_largest_batch_and_context_fit),
        cmocka_unit_test(windows_end_the_need_for_memory),
        cmocka_unit_test(nothing_is_left_beside_the_weights),
        cmocka_unit_test(published_experts_are_stored_narrow),
        cmocka_unit_test(a_share_may_leave_the_context_out),
        cmocka_unit_test(states_have_a_pool),
        cmocka_unit_test(windows_have_a_pool),
        cmocka_unit_test(states_are_pages),
        cmocka_unit_test(heads_are_cached_in_place_of_latents),
    };
    return cmocka_run_group_tests_name("serving_memory", tests, open_world, close_world);
}
