/* Model reader: parameter counts against published totals (tests/model_counts.csv: the element counts of the published
 * checkpoints), layer kinds, defaults, overrides and error messages. */
#define _DEFAULT_SOURCE
#include "support.h"

#include <dirent.h>

#include "spec/job.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- helpers */

static enum orr_err read_model(const char *text, struct orr_model *model, struct orr_error *error)
{
    struct orr_doc doc;
    enum orr_err err = orr_doc_parse(text, "config.json", &doc, error);
    if (err) return err;
    err = orr_model_from_json(&doc, "test", model, error);
    orr_doc_close(&doc);
    return err;
}

static void load(const char *id, struct orr_model *model)
{
    char path[512];
    struct orr_error error;
    snprintf(path, sizeof path, "data/models/%s.json", id);
    char *text = read_text(path);
    if (read_model(text, model, &error)) fail_msg("%s: %s", id, error.text);
    free(text);
}

/* Files of the catalogue; each must have a row in tests/model_counts.csv. */
static size_t n_catalogue_files(void)
{
    char *rows = read_text("tests/model_counts.csv"), key[300];
    DIR *dir = opendir("data/models");
    assert_non_null(dir);
    size_t n = 0;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json")) continue;
        snprintf(key, sizeof key, "\n%.*s,", (int)(length - 5), entry->d_name);
        if (!strstr(rows, key)) fail_msg("%s: no row in tests/model_counts.csv", entry->d_name);
        n++;
    }
    free(rows);
    closedir(dir);
    return n;
}

static const struct orr_layer_kind *kind_of(const struct orr_model *model, int layer)
{
    return &model->kinds[model->layer_kind[layer]];
}

/* ---------------------------------------------------------------- counts */

/* SigLIP tower and projector that multi-modal Gemma 3 totals include: width 1152, 27 layers, FFN 4304, 14 x 14
 * patches of three colours, 64 x 64 positions; all with biases. */
static int64_t gemma3_vision(int64_t hidden)
{
    const int64_t w = 1152, f = 4304;
    const int64_t layer = 4 * (w * w + w) + 2 * w * f + f + w + 4 * w;
    return 27 * layer + 3 * 14 * 14 * w + w + 4096 * w + 2 * w + w * hidden + w;
}

/* Vision encoder and projector of Llama 4, the same in Scout and Maverick. */
#define LLAMA4_VISION 871932416

static int64_t blocks(int64_t rows, int64_t columns)
{
    return (rows + 127) / 128 * ((columns + 127) / 128);
}

/* Scales of 8-bit weights, one per block of 128 x 128 of every matrix of a layer with latent attention. */
static int64_t fp8_scales(const struct orr_model *model, const struct orr_layer_kind *kind)
{
    const int64_t h = model->hidden, a = kind->n_heads, nope = kind->head_qk - kind->mla_rope;
    const int64_t attention = blocks(kind->mla_q_rank, h) + blocks(a * kind->head_qk, kind->mla_q_rank) +
                              blocks(kind->mla_kv_rank + kind->mla_rope, h) +
                              blocks(a * (nope + kind->head_v), kind->mla_kv_rank) + blocks(h, a * kind->head_v);
    return attention + 3 * blocks(kind->ffn_width, h) + 3 * blocks(kind->shared_width, h) +
           kind->n_experts * 3 * blocks(kind->expert_width, h);
}

/* What a published total holds beyond the model, by the words of tests/model_counts.csv. */
static int64_t beyond(const struct orr_model *model, const char *word)
{
    const int64_t matrix = model->vocab * model->hidden, n_layers = model->n_layers;
    int64_t sum = 0;
    if (!strcmp(word, "tied_copy")) return matrix; /* the output matrix stored beside the embedding it is */
    if (!strcmp(word, "tower")) return model->tower_params;
    if (!strcmp(word, "gemma3_tower")) return gemma3_vision(model->hidden);
    if (!strcmp(word, "llama4_tower")) return LLAMA4_VISION;
    if (!strcmp(word, "mtp")) return orr_model_params_mtp(model);
    if (!strcmp(word, "mtp_copies")) return 2 * matrix; /* its own embedding and head */
    for (int i = 0; i < n_layers + model->n_mtp; i++) {
        const struct orr_layer_kind *kind = kind_of(model, i < n_layers ? i : (int)n_layers - 1);
        if (!strcmp(word, "fp8_scales")) sum += fp8_scales(model, kind);
        if (!strcmp(word, "mxfp4_scales")) sum += kind->n_experts * 3 * model->hidden * kind->expert_width / 32;
    }
    return sum ? sum : strtoll(word, NULL, 10); /* elements that no tensor of the model explains */
}

/* One row: id, name, published total, parameters, and what the difference is. */
static void check_row(char *line, struct orr_model *model)
{
    char *cells[5];
    for (size_t i = 0; i < 5; i++) cells[i] = strsep(&line, ",\n");
    const int64_t published = strtoll(cells[2], NULL, 10), params = strtoll(cells[3], NULL, 10);
    load(cells[0], model);
    if (orr_model_params(model) != params)
        fail_msg("%s: %lld parameters, expected %lld", cells[0], (long long)orr_model_params(model), (long long)params);
    int64_t explained = params;
    if (!*cells[2]) {
        if (!*cells[4]) fail_msg("%s: no published total and no reason", cells[0]);
        return;
    }
    for (char *word; (word = strsep(&cells[4], "+"));)
        if (*word) explained += beyond(model, word);
    if (explained != published)
        fail_msg("%s: %lld explained, published %lld", cells[0], (long long)explained, (long long)published);
}

/* Every model of the catalogue has its row; of those with a published checkpoint the total is explained exactly. */
static void published_totals(void **state)
{
    (void)state;
    static struct orr_model model;
    char *text = read_text("tests/model_counts.csv"), *at = text, *line;
    size_t n_rows = 0, n_published = 0;
    assert_string_equal(strsep(&at, "\n"), "id,hf_id,published,params,difference");
    while ((line = strsep(&at, "\n")) && *line) {
        n_rows++;
        n_published += strstr(line, ",,") == NULL;
        check_row(line, &model);
    }
    free(text);
    assert_int_equal(n_rows, n_catalogue_files());
    assert_true(n_published >= 110);
}

/* Eq. 18 by hand: the total less the experts a token does not use. */
static void active_counts(void **state)
{
    (void)state;
    const struct {
        const char *id;
        int64_t active;
    } rows[] = {
        { "mixtral-8x7b", 46702792704 - INT64_C(32) * 6 * 3 * 4096 * 14336 },
        { "deepseek-v3", 671026419200 - INT64_C(58) * 248 * 3 * 7168 * 2048 },
        { "qwen3-30b-a3b", 30532122624 - INT64_C(48) * 120 * 3 * 2048 * 768 },
        { "qwen3-235b-a22b", 22190763520 },
        { "gpt-oss-120b", 116829156672 - INT64_C(36) * 124 * (3 * 2880 * 2880 + 3 * 2880) },
        { "dbrx", 131596523520 - INT64_C(40) * 12 * 3 * 6144 * 10752 },
        { "grok-1", 83756587008 },
        { "llama4-maverick", 400711848960 - INT64_C(24) * 127 * 3 * 5120 * 8192 },
        { "llama4-scout", 107769861120 - INT64_C(48) * 15 * 3 * 5120 * 8192 },
        { "qwen1.5-moe-a2.7b", 14315784192 - INT64_C(24) * 56 * 3 * 2048 * 1408 },
        { "deepseek-v2-lite", 15706484224 - INT64_C(26) * 58 * 3 * 2048 * 1408 },
        { "llama2-7b", 6738415616 },
    };
    static struct orr_model model;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        load(rows[i].id, &model);
        if (orr_model_params_active(&model) != rows[i].active) {
            fail_msg("%s: %lld active, expected %lld", rows[i].id, (long long)orr_model_params_active(&model),
                     (long long)rows[i].active);
        }
    }
    load("deepseek-v3", &model);
    assert_int_equal(orr_model_params_active(&model), 37552297472);
    load("mixtral-8x7b", &model);
    assert_int_equal(orr_model_params_active(&model), 12879925248);
}

static void whole_catalogue_reads(void **state)
{
    (void)state;
    char path[512];
    DIR *dir = opendir("data/models");
    assert_non_null(dir);
    static struct orr_model model;
    int n = 0;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json")) continue;
        char id[256];
        snprintf(id, sizeof id, "%.*s", (int)(length - 5), entry->d_name);
        load(id, &model);
        assert_true(orr_model_params(&model) >= orr_model_params_active(&model));
        assert_true(orr_model_params_active(&model) > 10000000);
        snprintf(path, sizeof path, "data/models/%.200s", entry->d_name);
        char *text = read_text(path);
        if (!strstr(text, "\"orrery_source\"")) fail_msg("%s: no orrery_source", id);
        free(text);
        n++;
    }
    closedir(dir);
    assert_true(n >= 120);
}

/* ---------------------------------------------------------------- layers */

static void gemma3_has_five_windows_to_one_full(void **state)
{
    (void)state;
    static struct orr_model model;
    load("gemma3-27b", &model);
    assert_int_equal(model.n_kinds, 2);
    assert_int_equal(model.n_layers, 62);
    for (int i = 0; i < 62; i++) assert_int_equal(kind_of(&model, i)->window, (i + 1) % 6 ? 1024 : 0);
    const struct orr_layer_kind *kind = kind_of(&model, 0);
    assert_int_equal(kind->n_norms, 4);
    assert_int_equal(kind->norm_params, 4 * 5376);
    assert_true(kind->qk_norm);
    assert_int_equal(kind->head_qk, 128);
    load("gemma3-4b", &model); /* heads, head size and vocabulary are the library's defaults */
    assert_int_equal(kind_of(&model, 0)->n_heads, 8);
    assert_int_equal(kind_of(&model, 0)->n_kv_heads, 4);
    assert_int_equal(kind_of(&model, 0)->head_qk, 256);
    assert_int_equal(model.vocab, 262208);
    assert_true(model.tied_embeddings);
}

static void gpt_oss_and_gemma2_alternate(void **state)
{
    (void)state;
    static struct orr_model model;
    load("gpt-oss-20b", &model);
    assert_int_equal(model.n_kinds, 2);
    for (int i = 0; i < 24; i++) assert_int_equal(kind_of(&model, i)->window, i % 2 ? 0 : 128);
    /* projections of 64 and 8 heads of 64 with biases, and one sink per head */
    assert_int_equal(kind_of(&model, 0)->attention_params,
                     2880 * 5120 + 5120 + 4096 * 2880 + 2880 + 64);
    assert_int_equal(kind_of(&model, 0)->router_params, 2880 * 32 + 32);
    assert_int_equal(kind_of(&model, 0)->ffn_width, 0);
    load("gemma2-9b", &model);
    for (int i = 0; i < 42; i++) assert_int_equal(kind_of(&model, i)->window, i % 2 ? 0 : 4096);
}

static void deepseek_starts_dense(void **state)
{
    (void)state;
    static struct orr_model model;
    load("deepseek-v3", &model);
    assert_int_equal(model.n_kinds, 2);
    for (int i = 0; i < 61; i++) {
        assert_int_equal(kind_of(&model, i)->n_experts, i < 3 ? 0 : 256);
        assert_int_equal(kind_of(&model, i)->ffn_width, i < 3 ? 18432 : 0);
    }
    const struct orr_layer_kind *kind = kind_of(&model, 60);
    assert_int_equal(kind->n_active, 8);
    assert_int_equal(kind->shared_width, 2048);
    assert_int_equal(kind->mla_q_rank, 1536);
    assert_int_equal(kind->mla_kv_rank, 512);
    assert_int_equal(kind->mla_rope, 64);
    assert_int_equal(kind->head_qk, 192);
    assert_int_equal(kind->head_v, 128);
    assert_int_equal(kind->n_kv_heads, 128);
    assert_int_equal(kind->router_params, 7168 * 256 + 256);
    /* Eq. 19 */
    assert_int_equal(kind->attention_params, INT64_C(7168) * 1536 + 1536 + INT64_C(1536) * 128 * 192 +
                     7168 * 576 + 512 + INT64_C(512) * 128 * 256 + INT64_C(128) * 128 * 7168);
    load("deepseek-v2-lite", &model); /* no query rank: direct projection */
    assert_int_equal(kind_of(&model, 1)->mla_q_rank, 0);
    assert_int_equal(kind_of(&model, 1)->attention_params,
                     2048 * 16 * 192 + 2048 * 576 + 512 + 512 * 16 * 256 + 16 * 128 * 2048);
    assert_int_equal(kind_of(&model, 1)->shared_width, 2816);
}

static void llama4_interleaves(void **state)
{
    (void)state;
    static struct orr_model model;
    load("llama4-maverick", &model);
    assert_int_equal(model.n_kinds, 3); /* dense with a window; experts with a window; experts without */
    for (int i = 0; i < 48; i++) {
        const struct orr_layer_kind *kind = kind_of(&model, i);
        assert_int_equal(kind->n_experts, i % 2 ? 128 : 0);
        assert_int_equal(kind->ffn_width, i % 2 ? 0 : 16384);
        assert_int_equal(kind->shared_width, i % 2 ? 8192 : 0);
        assert_int_equal(kind->window, i % 4 == 3 ? 0 : 8192);
        assert_int_equal(kind->rope, i % 4 != 3);
        assert_false(kind->qk_norm);
    }
    load("llama4-scout", &model);
    assert_int_equal(model.n_kinds, 2);
    assert_true(kind_of(&model, 0)->qk_norm);  /* a norm without weights, with the rotation */
    assert_false(kind_of(&model, 3)->qk_norm);
    assert_int_equal(model.max_seq, 10485760);
}

/* The prediction layer stands beside the model. Its own parameters, by hand: attention 187107328, 257 experts of 3 *
 * 7168 * 2048, router with bias, two norms; projection 2 * 7168^2 and three norms. The publisher rounds: 11.5e9 of
 * its own, 14e9 with the shared embedding and head. */
static void prediction_layers_are_counted_apart(void **state)
{
    (void)state;
    static struct orr_model model;
    load("deepseek-v3", &model);
    assert_int_equal(model.n_mtp, 1);
    assert_int_equal(orr_model_params(&model), 671026419200);
    const int64_t h = 7168, layer = 187107328 + 257 * 3 * h * 2048 + h * 256 + 256 + 2 * h;
    assert_int_equal(layer, 11507286272);
    assert_int_equal(orr_model_params_mtp(&model), layer + 2 * h * h + 3 * h);
    const double shared = 2.0 * 129280 * 7168, all = (double)orr_model_params_mtp(&model) + shared;
    assert_true(all > 13.4e9 && all < 14.0e9);
    load("llama3-8b", &model);
    assert_int_equal(model.n_mtp, 0);
}

static void blocks_norms_and_positions(void **state)
{
    (void)state;
    static struct orr_model model;
    load("gptj-6b", &model);
    assert_true(kind_of(&model, 0)->parallel_block);
    assert_int_equal(kind_of(&model, 0)->n_norms, 1);
    assert_int_equal(model.head_params, INT64_C(50400) * 4096 + 50400 + 2 * 4096);
    load("falcon-7b", &model);
    assert_int_equal(kind_of(&model, 0)->n_kv_heads, 1);
    assert_int_equal(kind_of(&model, 0)->n_norms, 1);
    load("falcon-180b", &model);
    assert_int_equal(kind_of(&model, 0)->n_kv_heads, 8);
    assert_int_equal(kind_of(&model, 0)->n_norms, 2);
    load("opt-6.7b", &model);
    assert_int_equal(model.n_positions, 2050);
    assert_int_equal(model.max_seq, 2048);
    assert_true(model.hidden_dropout);
    assert_false(model.attention_dropout);
    load("bloom-176b", &model);
    assert_int_equal(model.embedding_params, INT64_C(250880) * 14336 + 2 * 14336);
    assert_false(kind_of(&model, 0)->rope);
    load("gpt3-175b", &model);
    assert_true(model.attention_dropout && model.hidden_dropout && model.tied_embeddings);
    assert_false(model.rms_norm);
    assert_int_equal(model.n_positions, 2048);
    assert_int_equal(kind_of(&model, 0)->norm_params, 4 * 12288);
    load("mosaicml-mpt-7b", &model);
    assert_int_equal(model.n_positions, 0);
    load("mistral-7b", &model);
    assert_int_equal(kind_of(&model, 31)->window, 4096);
    assert_true(model.rms_norm && kind_of(&model, 0)->gated);
    load("qwen1.5-moe-a2.7b", &model);
    assert_int_equal(kind_of(&model, 0)->ffn_params, 3 * 2048 * 5632 + 2048); /* shared expert and its gate */
}

/* ---------------------------------------------------------------- defaults and spellings */

#define LLAMA(extra)                                                                                             \
    "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":4,\"num_attention_heads\":8,"             \
    "\"intermediate_size\":128,\"vocab_size\":1000" extra "}"
#define QWEN_MOE(extra)                                                                                          \
    "{\"model_type\":\"qwen2_moe\",\"hidden_size\":64,\"num_hidden_layers\":4,\"num_attention_heads\":8,"         \
    "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":1000,\"num_experts\":6,"                 \
    "\"num_experts_per_tok\":2,\"moe_intermediate_size\":32,\"shared_expert_intermediate_size\":48" extra "}"

static void accept(const char *text, struct orr_model *model)
{
    struct orr_error error;
    if (read_model(text, model, &error)) fail_msg("%s", error.text);
}

static void defaults_of_the_library(void **state)
{
    (void)state;
    static struct orr_model model;
    accept(LLAMA(""), &model);
    assert_int_equal(model.kinds[0].n_kv_heads, 8); /* as many as heads */
    assert_int_equal(model.kinds[0].head_qk, 8);
    assert_int_equal(model.max_seq, 0);
    assert_false(model.tied_embeddings || model.attention_dropout);
    accept(LLAMA(",\"num_key_value_heads\":null,\"head_dim\":16,\"tie_word_embeddings\":true"), &model);
    assert_int_equal(model.kinds[0].head_qk, 16);
    assert_int_equal(model.head_params, 64);
    accept(LLAMA(",\"attention_bias\":true,\"mlp_bias\":true,\"attention_dropout\":0.1"), &model);
    assert_int_equal(model.kinds[0].attention_params, 4 * 64 * 64 + 4 * 64);
    assert_int_equal(model.kinds[0].ffn_params, 3 * 64 * 128 + 2 * 128 + 64);
    assert_true(model.attention_dropout);
    accept("{\"model_type\":\"gpt2\",\"n_embd\":64,\"num_hidden_layers\":2,\"n_head\":4,\"n_positions\":32,"
           "\"vocab_size\":100}", &model); /* one common spelling, n_inner absent */
    assert_int_equal(model.kinds[0].ffn_width, 256);
    assert_int_equal(orr_model_params(&model), 2 * (12 * 64 * 64 + 13 * 64) + 132 * 64 + 2 * 64); /* Eq. 16 */
    assert_true(model.attention_dropout && model.hidden_dropout);
    accept("{\"model_type\":\"mistral\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
           "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":100}", &model);
    assert_int_equal(model.kinds[0].window, 4096); /* absent is 4096, null is none */
    assert_string_equal(model.type, "mistral");
}

static void moe_layers_follow_step_and_list(void **state)
{
    (void)state;
    static struct orr_model model;
    accept(QWEN_MOE(",\"decoder_sparse_step\":2"), &model);
    for (int i = 0; i < 4; i++) assert_int_equal(kind_of(&model, i)->n_experts, i % 2 ? 6 : 0);
    accept(QWEN_MOE(",\"mlp_only_layers\":[0,3,9]"), &model);
    for (int i = 0; i < 4; i++) assert_int_equal(kind_of(&model, i)->ffn_width, i == 0 || i == 3 ? 128 : 0);
    accept(QWEN_MOE(",\"use_sliding_window\":true,\"sliding_window\":16,\"max_window_layers\":3,"
                    "\"mlp_only_layers\":[1]"), &model);
    assert_int_equal(model.n_kinds, 3);
    assert_int_equal(kind_of(&model, 2)->window, 0);
    assert_int_equal(kind_of(&model, 3)->window, 16);
}

static void text_model_inside_a_wrapper(void **state)
{
    (void)state;
    static struct orr_model model;
    accept("{\"model_type\":\"llava_next\",\"tie_word_embeddings\":true,\"hidden_size\":7,\"text_config\":" LLAMA("")
           ",\"vision_config\":{\"hidden_size\":5}}", &model);
    assert_int_equal(model.hidden, 64);
    assert_true(model.tied_embeddings);
    assert_string_equal(model.type, "llama");
}

static void mpt_may_share_one_key_value_head(void **state)
{
    (void)state;
    static struct orr_model model;
    accept("{\"model_type\":\"mpt\",\"d_model\":64,\"n_layers\":2,\"n_heads\":4,\"vocab_size\":100,\"no_bias\":true,"
           "\"attn_config\":{\"attn_type\":\"multiquery_attention\"}}", &model);
    assert_int_equal(model.kinds[0].n_kv_heads, 1);
    assert_int_equal(orr_model_params(&model), 2 * (64 * 96 + 64 * 64 + 8 * 64 * 64 + 2 * 64) + 100 * 64 + 64);
}

static void opt_may_project_its_embeddings(void **state)
{
    (void)state;
    static struct orr_model model;
    accept("{\"model_type\":\"opt\",\"hidden_size\":1024,\"num_hidden_layers\":24,\"num_attention_heads\":16,"
           "\"ffn_dim\":4096,\"max_position_embeddings\":2048,\"vocab_size\":50272,\"word_embed_proj_dim\":512,"
           "\"do_layer_norm_before\":false}", &model);
    assert_int_equal(orr_model_params(&model), 331196416); /* OPT-350M */
}

/* ---------------------------------------------------------------- errors */

static const struct {
    const char *text, *key, *says;
} bad[] = {
    { "{\"model_type\":\"llama\",\"hidden_size\":64}", "",
      "missing key \"num_hidden_layers\" (needed for model_type llama)" },
    { "{\"hidden_size\":64}", "", "missing key \"model_type\"" },
    { "{\"model_type\":7}", "model_type", "must be a string" },
    { "{\"model_type\":\"lama\"}", "model_type", "did you mean \"llama\"?" },
    { "{\"model_type\":\"mamba3_hybrid_thing\"}", "model_type", "nearest in these: \"llama\"" },
    { LLAMA(",\"num_key_value_heads\":3"), "num_key_value_heads", "3 key-value heads do not divide 8 heads" },
    { LLAMA(",\"num_key_value_heads\":16"), "num_key_value_heads", "do not divide" },
    { LLAMA(",\"head_dim\":0"), "head_dim", "whole number from 1" },
    { LLAMA(",\"head_dim\":\"wide\""), "head_dim", "not \"wide\"" },
    { LLAMA(",\"attention_bias\":1"), "attention_bias", "must be true or false, not 1" },
    { LLAMA(",\"attention_dropout\":2"), "attention_dropout", "from 0 to 1, not 2" },
    { "{\"model_type\":\"llama\",\"hidden_size\":-4}", "hidden_size", "from 1 to 10000000, not -4" },
    { "{\"model_type\":\"llama\",\"hidden_size\":4.5}", "hidden_size", "whole number" },
    { "{\"model_type\":\"llama\",\"hidden_size\":[64]}", "hidden_size", "not an array" },
    { "{\"model_type\":\"llama\",\"hidden_size\":20000000}", "hidden_size", "10000000" },
    { "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":1025}", "num_hidden_layers", "1024" },
    { "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":4,\"num_attention_heads\":7,"
      "\"intermediate_size\":128,\"vocab_size\":10}", "num_attention_heads", "7 heads do not divide" },
    { QWEN_MOE(",\"mlp_only_layers\":[-1]"), "mlp_only_layers", "layer numbers" },
    { QWEN_MOE(",\"mlp_only_layers\":3"), "mlp_only_layers", "must be an array" },
    { "{\"model_type\":\"gpt2\",\"n_embd\":64,\"hidden_size\":32}", "n_embd",
      "disagrees with \"hidden_size\"" },
    { "{\"model_type\":\"mistral\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
      "\"intermediate_size\":128,\"vocab_size\":9}", "", "missing key \"num_key_value_heads\"" },
    { "{\"model_type\":\"mixtral\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
      "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":9,\"num_local_experts\":4,"
      "\"num_experts_per_tok\":5}", "num_experts_per_tok", "cannot use 5 of 4 experts" },
    { "{\"model_type\":\"gpt_oss\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
      "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":9,\"num_local_experts\":4,"
      "\"num_experts_per_tok\":2,\"layer_types\":[\"full_attention\"]}", "layer_types", "1 entries for 2" },
    { "{\"model_type\":\"gemma2\",\"hidden_size\":64,\"num_hidden_layers\":1,\"num_attention_heads\":4,"
      "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":9,"
      "\"layer_types\":[\"linear_attention\"]}", "layer_types", "not \"linear_attention\"" },
    { "{\"model_type\":\"gemma2\",\"hidden_size\":64,\"num_hidden_layers\":1,\"num_attention_heads\":4,"
      "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":9,\"sliding_window\":null,"
      "\"layer_types\":[\"sliding_attention\"]}", "layer_types", "no window size" },
    { "{\"model_type\":\"deepseek_v3\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
      "\"intermediate_size\":128,\"vocab_size\":9,\"n_routed_experts\":4,\"num_experts_per_tok\":2,"
      "\"moe_intermediate_size\":8}", "", "missing key \"q_lora_rank\"" },
    { "{\"model_type\":\"gemma3\",\"text_config\":{\"model_type\":\"gemma3_text\",\"hidden_size\":\"x\"}}",
      "text_config.hidden_size", "whole number" },
    { "{\"model_type\":\"mixtral\",\"hidden_size\":10000000,\"num_hidden_layers\":1000,"
      "\"num_attention_heads\":1000,\"num_key_value_heads\":1000,\"intermediate_size\":10000000,"
      "\"vocab_size\":9,\"num_local_experts\":65536,\"num_experts_per_tok\":2}", "", "10^18" },
};

static void bad_configs_are_named(void **state)
{
    (void)state;
    static struct orr_model model;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct orr_error error;
        if (!read_model(bad[i].text, &model, &error)) fail_msg("accepted: %s", bad[i].text);
        if (!strstr(error.text, bad[i].says)) fail_msg("\"%s\" does not say \"%s\"", error.text, bad[i].says);
        assert_string_equal(error.key, bad[i].key);
        assert_int_equal(strncmp(error.text, "config.json", 11), 0);
    }
    assert_int_equal(read_model("{\"model_type\":\"llama\"}", &model, NULL), ORR_ERR_INPUT); /* no error struct */
}

/* ---------------------------------------------------------------- overrides */

/* Read a config as a request would, with {path: value} put over it; the values must be in `text` already. */
static enum orr_err read_with_set(const char *text, const char *set, struct orr_model *model, struct orr_error *error)
{
    struct orr_doc doc;
    json_t *values = json_loads(set, 0, NULL);
    assert_non_null(values);
    const struct orr_set over = { .values = values, .part = "model", .text = set, .file = "request" };
    assert_int_equal(orr_doc_parse(text, "config.json", &doc, error), ORR_OK);
    doc.set = &over;
    const enum orr_err err = orr_model_from_json(&doc, "test", model, error);
    orr_doc_close(&doc);
    json_decref(values);
    return err;
}

static void overrides_win_and_typos_fail(void **state)
{
    (void)state;
    static struct orr_model model;
    struct orr_error error;
    const char *gpt = "{\"model_type\":\"gpt2\",\"n_embd\":64,\"n_layer\":2,\"num_hidden_layers\":\"3\",\"n_head\":4,"
                      "\"n_positions\":32,\"vocab_size\":100,\"n_leyer\":5}";
    assert_int_equal(read_with_set(gpt, "{\"model.num_hidden_layers\":\"3\",\"chip.n_sm\":4}", &model, &error), ORR_OK);
    assert_int_equal(model.n_layers, 3); /* text is read as a number, and beats the file's own spelling */
    assert_int_equal(read_with_set(gpt, "{\"model.num_hidden_layers\":3,\"model.n_leyer\":5}", &model, &error),
                     ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "n_leyer"));
    assert_non_null(strstr(error.text, "did you mean \"n_layer\"?"));
    const char *wrapped = "{\"model_type\":\"llava\",\"text_config\":" LLAMA("") ",\"num_hidden_layers\":2}";
    assert_int_equal(read_with_set(wrapped, "{\"model.num_hidden_layers\":2}", &model, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "\"text_config.num_hidden_layers\""));
    assert_int_equal(read_with_set(wrapped, "{\"model.text_config.num_hidden_layers\":4}", &model, &error), ORR_OK);
    assert_int_equal(read_with_set(wrapped, "{\"model.text_config.layers\":4}", &model, &error), ORR_ERR_INPUT);
    assert_int_equal(read_with_set(LLAMA(""), "{\"model.vocab_size\":\"1k\"}", &model, &error), ORR_OK);
}

/* MiMo-V2: windowed layers have heads of their own, and which layers are windowed or have experts is a list. By hand,
 * without biases: q, k, v and o of 4 x 8 and 2 x 8 heads or of 8 x 4 and 1 x 4, experts of 3 matrices of 64 x 32. */
static void lists_say_which_layers_are_windowed(void **state)
{
    (void)state;
    static struct orr_model model;
    accept("{\"model_type\":\"mimo_v2_flash\",\"hidden_size\":64,\"num_hidden_layers\":4,\"num_attention_heads\":4,"
           "\"num_key_value_heads\":2,\"head_dim\":8,\"v_head_dim\":8,\"intermediate_size\":128,\"vocab_size\":100,"
           "\"n_routed_experts\":6,\"num_experts_per_tok\":2,\"moe_intermediate_size\":32,"
           "\"swa_num_attention_heads\":8,\"swa_num_key_value_heads\":1,\"swa_head_dim\":4,\"swa_v_head_dim\":4,"
           "\"sliding_window\":16,\"hybrid_layer_pattern\":[0,1,1,0],\"moe_layer_freq\":[0,1,1,1]}", &model);
    for (int i = 0; i < 4; i++) {
        const struct orr_layer_kind *kind = kind_of(&model, i);
        const bool windowed = i == 1 || i == 2;
        assert_int_equal(kind->window, windowed ? 16 : 0);
        assert_int_equal(kind->n_heads, windowed ? 8 : 4);
        assert_int_equal(kind->n_kv_heads, windowed ? 1 : 2);
        assert_int_equal(kind->head_qk, windowed ? 4 : 8);
        assert_int_equal(kind->n_experts, i == 0 ? 0 : 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_totals),
        cmocka_unit_test(active_counts),
        cmocka_unit_test(whole_catalogue_reads),
        cmocka_unit_test(gemma3_has_five_windows_to_one_full),
        cmocka_unit_test(gpt_oss_and_gemma2_alternate),
        cmocka_unit_test(deepseek_starts_dense),
        cmocka_unit_test(prediction_layers_are_counted_apart),
        cmocka_unit_test(llama4_interleaves),
        cmocka_unit_test(blocks_norms_and_positions),
        cmocka_unit_test(defaults_of_the_library),
        cmocka_unit_test(moe_layers_follow_step_and_list),
        cmocka_unit_test(text_model_inside_a_wrapper),
        cmocka_unit_test(mpt_may_share_one_key_value_head),
        cmocka_unit_test(opt_may_project_its_embeddings),
        cmocka_unit_test(bad_configs_are_named),
        cmocka_unit_test(overrides_win_and_typos_fail),
        cmocka_unit_test(lists_say_which_layers_are_windowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
