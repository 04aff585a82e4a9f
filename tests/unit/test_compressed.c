/* Compressed attention and hyper-connections (DeepSeek-V4), latent experts, gates and attention residuals (Kimi K3),
 * and the towers of GLM-4V: parameters, caches, operators and saved bytes, by hand. Numbers of configs are written out,
 * so that every expected value can be followed on paper. */
#include "jobs.h"
#include "serving.h"

#include "memory/memory.h"
#include "ops/mixer.h"
#include "spec/spec.h"

static enum orr_err parse_model(const char *text, struct orr_model *model, struct orr_error *error)
{
    struct orr_doc doc;
    char json[4096];
    assert_true(snprintf(json, sizeof json, "%s", text) < (int)sizeof json);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    if (orr_doc_parse(json, "config.json", &doc, error)) fail_msg("%s", error->text);
    const enum orr_err err = orr_model_from_json(&doc, "test", model, error);
    orr_doc_close(&doc);
    return err;
}

/* The kind of layer i. */
static const struct orr_layer_kind *layer(const struct orr_model *model, int64_t i)
{
    return &model->kinds[model->layer_kind[i]];
}

/* ---------------------------------------------------------------- DeepSeek-V4 */

/* Flash: h 4096, 64 heads of 512, query rank 1024, 8 groups of rank 1024, 64 index heads of 128, 4 streams. Layers 0
 * and 1 have a window alone, then ratios 4 and 128 take turns; the first three choose experts by token. */
enum { H = 4096, D = 512, WIDTH = 64 * 512, RANK = 1024, EXPERT = 3 * 4096 * 2048 };
#define BASE (INT64_C(1) * H * RANK + RANK + RANK * WIDTH + H * D + D + WIDTH * RANK + 8 * RANK * H + 64)

static void counts_of_flash(void **state)
{
    static struct orr_model model;
    load_model(*state, "deepseek-v4-flash", &model);
    const int64_t entries = 2 * H * D + 128 * D + D;
    const int64_t chosen = 4 * H * D + 8 * D + D + 4 * H * 128 + 8 * 128 + 128 + RANK * 64 * 128 + H * 64;
    assert_int_equal(model.n_kinds, 4);
    assert_int_equal(layer(&model, 0)->attention_params, BASE);
    assert_int_equal(layer(&model, 2)->attention_params, BASE + chosen);
    assert_int_equal(layer(&model, 3)->attention_params, BASE + entries);
    assert_int_equal(layer(&model, 42)->compress_ratio, 4);
    assert_int_equal(layer(&model, 3)->compress_ratio, 128);
    assert_int_equal(layer(&model, 1)->compress_ratio, 0);
    /* two norms, and two blocks of 24 weights from 4 streams with biases and 3 scales */
    assert_int_equal(layer(&model, 0)->norm_params, 2 * H + 2 * (24 * (4 * H + 1) + 3));
    /* the table by token replaces the choice, so that its layers have no bias of the router */
    assert_int_equal(layer(&model, 2)->router_params, H * 256);
    assert_int_equal(layer(&model, 4)->router_params, H * 256 + 256);
    assert_int_equal(model.head_params, 129280 * INT64_C(4096) + H + 4 * (4 * H + 1) + 1);
    assert_int_equal(orr_model_params(&model), INT64_C(284332240471));
    assert_int_equal(orr_model_params_active(&model), INT64_C(284332240471) - INT64_C(43) * 250 * EXPERT);
    /* the prediction layer has a window alone */
    assert_int_equal(orr_model_params_mtp(&model), BASE + 2 * H + 2 * (24 * (4 * H + 1) + 3) + H * 256 + 256 +
                                                       INT64_C(257) * EXPERT + 2 * INT64_C(4096) * H + 3 * H +
                                                       4 * (4 * H + 1) + 1);
}

/* The library's own spelling of the same layers gives the same model; a wrong ratio is refused. */
static void spellings_of_ratios(void **state)
{
#define CONFIG                                                                                                         \
    "{'model_type':'deepseek_v4','hidden_size':512,'num_hidden_layers':3,'num_attention_heads':4,'head_dim':64,"       \
    "'num_key_value_heads':1,'q_lora_rank':128,'qk_rope_head_dim':16,'o_groups':2,'o_lora_rank':32,'vocab_size':1000," \
    "'index_n_heads':2,'index_head_dim':32,'index_topk':16,'moe_intermediate_size':64,'n_routed_experts':8,"           \
    "'n_shared_experts':1,'num_experts_per_tok':2,'hc_mult':2,"
    static struct orr_model ratios, names;
    struct orr_error error;
    (void)state;
    assert_int_equal(parse_model(CONFIG "'num_hash_layers':1,'compress_ratios':[0,4,128,0]}", &ratios, &error), ORR_OK);
    assert_int_equal(parse_model(CONFIG "'mlp_layer_types':['hash_moe','moe','moe'],'layer_types':['sliding_attention',"
                                        "'compressed_sparse_attention','heavily_compressed_attention']}",
                                 &names, &error),
                     ORR_OK);
    assert_int_equal(orr_model_params(&ratios), orr_model_params(&names));
    const int64_t base = 512 * 128 + 128 + 128 * 256 + 512 * 64 + 64 + 256 * 32 + 2 * 32 * 512 + 4;
    const int64_t chosen = 4 * 512 * 64 + 9 * 64 + 4 * 512 * 32 + 9 * 32 + 128 * 64 + 512 * 2;
    const int64_t entries = 2 * 512 * 64 + 129 * 64;
    const int64_t experts = 9 * 3 * 512 * 64 + 512 * 8, streams = 2 * (8 * (2 * 512 + 1) + 3);
    assert_int_equal(orr_model_params(&ratios), 2 * 512 * 1000 + 512 + 2 * 1025 + 1 + 3 * (base + experts + streams) +
                                                    chosen + entries + 2 * 8 + 3 * 2 * 512);
    assert_int_equal(parse_model(CONFIG "'compress_ratios':[0,4,64,0]}", &ratios, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "must list 0, 4 or 128"));
    assert_int_equal(parse_model(CONFIG "'compress_ratios':[0,4]}", &ratios, &error), ORR_ERR_RULE);
    assert_int_equal(parse_model(CONFIG "'num_hash_layers':1}", &ratios, &error), ORR_ERR_RULE);
}

/* An entry of the format of DeepSeek-V4 has 448 elements of 8 bits, 64 of 16 bits and 8 bytes of scales; an index key
 * has 128 elements of 4 bits and 4 bytes of scales. */
static void caches(void **state)
{
    static struct orr_job job;
    load_model(*state, "deepseek-v4-flash", &job.model);
    job.plan.tp = 8; /* every rank keeps all of it */
    job.serving.kv = ORR_DTYPE_FP8;
    job.serving.kv_format = ORR_KV_FP8_DS_MLA;
    assert_close(orr_kv_rank_bytes(&job, layer(&job.model, 0)), 0, 0);
    assert_close(orr_kv_rank_bytes(&job, layer(&job.model, 2)), (584 + 68) / 4.0, 0);
    assert_close(orr_kv_model_bytes(&job, layer(&job.model, 3)), 584 / 128.0, 0);
    const double element = orr_state_key_bytes(&job, layer(&job.model, 0));
    assert_close(orr_sequence_state_bytes(layer(&job.model, 0), 0, 8, element), 128 * 584, 0);
    job.serving.kv = ORR_DTYPE_BF16;
    job.serving.kv_format = ORR_KV_PLAIN;
    assert_close(orr_kv_rank_bytes(&job, layer(&job.model, 2)), (1024 + 132) / 4.0, 0);
}

/* ---------------------------------------------------------------- operators */

/* The operator of that name and phase in the layers of a kind; NULL if there is none. */
static const struct orr_op *kind_op(const struct world *w, enum orr_phase phase, const char *name, int32_t kind)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++)
        if (ops[i].phase == phase && ops[i].layer_kind == kind && strcmp(ops[i].name, name) == 0) return &ops[i];
    return NULL;
}

/* Two prompts of 10,000 tokens on 4 ranks of 16 heads, then two further tokens of each. Kind 1 has ratio 4 and chooses
 * 512 entries, which stand for 2048 positions; kind 2 has ratio 128. */
static void operators_of_a_request(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'deepseek-v4-flash','system':'h200-sxm','plan':{'tp':4},"
                "'workload':{'engine':'vllm','batch':2,'input_len':10000,'output_len':3}}");
    const struct orr_infer_result result = infer(w, &w->job);
    assert_int_equal(result.kv_bytes_per_token, 3514); /* 21 x 163 + 20 x 4.5625 */
    assert_close(result.state_bytes_per_sequence, 43 * 128 * 584.0, 0);
    assert_close(result.kv_gpu_bytes, 10016 * 3514.25 + 43 * 128 * 584.0, 1e-12); /* blocks of 16 tokens */
    const struct orr_op *window = kind_op(w, ORR_PHASE_DECODE, "attention.decode", 0);
    assert_close(window->n, 128, 0);
    assert_close(window->flops, 2 * 2 * 16 * 128.0 * (512 + 512), 1e-12);
    assert_null(kind_op(w, ORR_PHASE_DECODE, "attention.entries", 0));
    const struct orr_op *chosen = kind_op(w, ORR_PHASE_DECODE, "attention.entries", 1);
    assert_close(chosen->flops, 2 * 2 * 16 * 512.0 * (512 + 512), 1e-12);
    assert_close(chosen->launches, 0, 0);
    const struct orr_op *all = kind_op(w, ORR_PHASE_DECODE, "attention.entries", 2);
    assert_close(all->flops, 2 * 2 * 16 * (10001.5 / 128) * (512 + 512), 1e-12); /* contexts 10001 and 10002 */
    const struct orr_op *index = kind_op(w, ORR_PHASE_DECODE, "index.decode", 1);
    assert_close(index->flops, 2 * 2 * 64 * 128 * 10001.5 / 4, 1e-12);
    assert_null(kind_op(w, ORR_PHASE_DECODE, "index.decode", 2));
    /* pairs of a prompt: window, then entries before each position */
    const double seen = 128 * 64.0 + 9872 * 128.0;
    const double entries[] = {0, (2048 * 1024.0 + 7952 * 2048.0) / 4, 1e4 * 1e4 / 2 / 128};
    for (int32_t k = 0; k < 3; k++) {
        const struct orr_op *prompt = kind_op(w, ORR_PHASE_PREFILL, "attention.flash", k);
        assert_close(prompt->flops, 2 * prompt->batch * (seen + entries[k]) * (512 + 512), 1e-12);
    }
    assert_close(kind_op(w, ORR_PHASE_DECODE, "compress.columns", 1)->n, 4 * 512 + 4 * 128, 0);
    assert_close(kind_op(w, ORR_PHASE_DECODE, "compress.columns", 2)->n, 2 * 512, 0);
    assert_null(kind_op(w, ORR_PHASE_DECODE, "compress.columns", 0));
    const struct orr_op *down = kind_op(w, ORR_PHASE_DECODE, "attention.out_down", 0);
    assert_close(down->flops, 2.0 * 2 * 2 * (8 * 512) * 1024, 1e-12); /* 2 rows, 2 of 8 groups, each of 8 heads */
    assert_close(kind_op(w, ORR_PHASE_DECODE, "attention.out", 0)->k, 2 * 1024, 0);
    assert_close(kind_op(w, ORR_PHASE_DECODE, "streams.weights", 0)->flops, 2.0 * 2 * 4 * 4096 * 24, 1e-12);
    assert_close(kind_op(w, ORR_PHASE_DECODE, "streams.mix", 0)->bytes, (2 * 4 + 1) * 2 * 2 * 4096.0, 1e-12);
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "streams.mix"), 2 * 43, 0);
}

/* FLOP of the model and what a layer keeps, for 2 x 4096 tokens. */
static void training(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'deepseek-v4-flash','system':'h200-sxm','plan':{'tp':8,'ep':8},"
                "'workload':{'engine':'megatron-core-2025','seq':4096,'micro_batch':2,'global_batch':16}}");
    train(w);
    const double h = 4096, wide = 32768, r = 1024;
    const double base = h * r + r * wide + h * 512 + wide * r + 8 * r * h;
    const double ffn = 3 * h * 2048 * 7 + h * 256 + 2 * 4 * h * 24; /* 6 experts, a shared one, router, streams */
    const double pair = 2 * 64 * (512 + 512);
    const double each = 2 * (base + ffn) + pair * 128;
    const double chosen = 2 * (h * 2560 + r * 8192 + h * 64) + pair * 512 + 2 * 8192 * 1024.0;
    const double layers = 43 * each + 21 * chosen + 20 * (2 * (h * 1024) + pair * 32);
    /* the engine trains the prediction layer, which is taken to be like the last */
    const double mtp = each + chosen + 2 * h * (2 * h + 129280);
    assert_close(w->result.model_flops, 3 * (layers + 2 * h * 129280 + mtp) * 4096 * 16, 1e-12);
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, layer(&w->job.model, 4));
    const double tokens = 8192, rows = dims.T_norm;
    assert_close(
        bytes.attention,
        2 * rows * (h + 2 * (1024 + 512) + 2048 + 512) + 2 * tokens * (3 * wide + 8192) / 8 + 2 * tokens * 8192, 1e-12);
    assert_close(bytes.input, 2 * rows * 4 * h, 1e-12);
    assert_close(bytes.norms, 2 * rows * h * (2 + 2 * 4), 1e-12);
    /* latents are on all 8 ranks, heads and shared experts are divided */
    assert_close(orr_rank_dense_params(&w->job, layer(&w->job.model, 0)),
                 h * r + r + h * 512 + 512 + (r * wide + wide * r + 8 * r * h + 64 + EXPERT) / 8 + 794678 + h * 256,
                 1e-12);
    assert_non_null(need_op(w, 1, "compress.entries.backward"));
}

/* A rank without a whole group of the output projection is refused. */
static void groups_limit_the_ranks(void **state)
{
    struct world *w = *state;
    const char *text = "{\"kind\":\"infer\",\"model\":\"deepseek-v4-flash\",\"system\":\"h200-sxm\","
                       "\"plan\":{\"tp\":16},\"workload\":{\"engine\":\"vllm\",\"batch\":1,\"input_len\":100,"
                       "\"output_len\":10}}";
    struct orr_error error;
    static struct orr_job job;
    assert_int_not_equal(orr_job_read(w->catalogue, text, "request", &job, &error), ORR_OK);
    assert_non_null(strstr(error.text, "groups of the output projection"));
}

/* ---------------------------------------------------------------- Kimi K3 */

/* h 7168, 96 heads of 128, 93 layers of which 24 have latent attention, 896 experts of 3072 in a latent of 3584. */
#define K3                                                                                                             \
    "{'model_type':'kimi_k3','text_config':{'attn_res_block_size':12,'first_k_dense_replace':1,'hidden_size':7168,"    \
    "'intermediate_size':33792,'kv_lora_rank':512,'latent_moe_use_norm':true,'linear_attn_config':{"                   \
    "'full_attn_layers':[4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,93],'head_dim':128,"       \
    "'num_heads':96,'short_conv_kernel_size':4,'use_full_rank_gate':true},'mla_use_output_gate':true,"                 \
    "'moe_intermediate_size':3072,'num_attention_heads':96,'num_experts':896,'num_experts_per_token':16,"              \
    "'num_hidden_layers':93,'num_key_value_heads':96,'num_shared_experts':2,'q_lora_rank':1536,"                       \
    "'qk_nope_head_dim':128,'qk_rope_head_dim':64,'v_head_dim':128,'routed_expert_hidden_size':3584,"                  \
    "'vocab_size':163840},'vision_config':{'vt_hidden_size':1024,'vt_intermediate_size':4096,"                         \
    "'vt_num_hidden_layers':27,'qkv_hidden_size':1536,'patch_size':14}}"

static void kimi_k3(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    (void)state;
    if (parse_model(K3, &job.model, &error)) fail_msg("%s", error.text);
    const int64_t h = 7168, p = 96 * 128, l = 3584, f = 3072;
    const int64_t kda = 3 * h * p + 3 * 4 * p + h * 128 + 128 * p + p + 96 + h * 96 + h * p + 128 + p * h;
    const int64_t mla = h * 1536 + 1536 + 1536 * 96 * 192 + h * 576 + 512 + 512 * 96 * 256 + p * h + h * p;
    const int64_t moe = 896 * 3 * l * f + h * 896 + 896 + 3 * h * 2 * f + 2 * h * l + l;
    const int64_t norms = 2 * h + 2 * (h + h); /* its own, and a norm and a vector of scores for each block */
    assert_int_equal(layer(&job.model, 0)->attention_params, kda);
    assert_int_equal(layer(&job.model, 3)->attention_params, mla);
    const int64_t total = 2 * 163840 * h + h + 2 * h + 69 * kda + 24 * mla + 92 * moe + 3 * h * 33792 + 93 * norms;
    assert_int_equal(orr_model_params(&job.model), total);
    assert_true(total > INT64_C(2750000000000) && total < INT64_C(2850000000000)); /* published as 2.8 T */
    assert_int_equal(orr_model_params_active(&job.model), total - INT64_C(92) * 880 * 3 * l * f);
    assert_int_equal(job.model.tower_params, 3 * 196 * 1024 + 4096 * 1024 +
                                                 27 * (4 * 1024 * 1536 + 2 * 1024 * 4096 + 2 * 1024) + 1024 +
                                                 4096 * 4096 + 4096 * 7168 + 7168);
    assert_int_equal(job.model.tower.kinds[0].n_heads, 12);
    assert_int_equal(job.model.tower.kinds[0].head_qk, 128);
    /* 24 layers of 576 elements; 69 states of 96 x 128 x 128 in 32 bits and 3 columns of 3 x 12288 */
    job.plan.tp = 1;
    job.serving.kv = ORR_DTYPE_BF16;
    assert_close(24 * orr_kv_model_bytes(&job, layer(&job.model, 3)), 27648, 0);
    assert_close(orr_sequence_state_bytes(layer(&job.model, 0), 0, 1, 2), 96 * 16384 * 4.0 + 3 * 12288 * 3 * 2, 0);
    /* layer i reads the sums of ceil(i / 12) groups of layers: 0, 12 times 1 to 7, 8 eight times, 4.3 on average */
    assert_int_equal(layer(&job.model, 0)->residual_reads, (12 * 28 + 8 * 8 + 46) / 93);
    /* queries, keys, values, the gate on the outputs and a number per head; the gate of the keys through a rank */
    const struct orr_scan_sizes z = orr_scan_sizes_of(layer(&job.model, 0), 1);
    assert_close(z.in, 4 * 12288 + 96, 0);
    assert_close(z.low_in, 128, 0);
}

/* ---------------------------------------------------------------- GLM-4V */

static void glm4v(void **state)
{
    static struct orr_model model;
    struct orr_error error;
    load_model(*state, "glm-4.5v", &model);
    /* patches, 24 x 24 positions, 24 layers, norms, the convolution that joins four, and a merger of width 10944 */
    const int64_t h = 1536, out = 4096;
    const int64_t tower = 6 * 196 * h + h + 576 * h + 24 * (4 * h * h + 3 * h * out + 2 * h) + 2 * h + 4 * h * out +
                          out + out * out + 2 * out;
    assert_int_equal(model.tower_params, tower + 3 * out * 10944);
    /* GLM-4.1V: the text model of GLM-4-9B-0414 with biases of queries, keys and values, and a merger of 13696 */
    if (parse_model("{'model_type':'glm4v','text_config':{'model_type':'glm4v_text','hidden_size':4096,"
                    "'intermediate_size':13696,'num_hidden_layers':40,'num_attention_heads':32,'num_key_value_heads':2,"
                    "'vocab_size':151552},'vision_config':{'depth':24}}",
                    &model, &error))
        fail_msg("%s", error.text);
    assert_int_equal(orr_model_params(&model), INT64_C(9400279040));
    assert_int_equal(model.tower_params, tower + 3 * out * 13696);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_flash), cmocka_unit_test(spellings_of_ratios),
        cmocka_unit_test(caches),          cmocka_unit_test(operators_of_a_request),
        cmocka_unit_test(training),        cmocka_unit_test(groups_limit_the_ranks),
        cmocka_unit_test(kimi_k3),         cmocka_unit_test(glm4v),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
