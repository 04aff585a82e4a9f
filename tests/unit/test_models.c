/* Model reader: parameter counts against published totals, layer kinds, defaults, overrides and error messages.
 * Totals are the element counts of the published checkpoints unless a comment says otherwise. */
#define _POSIX_C_SOURCE 200809L
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

static const struct {
    const char *id;
    int64_t total;
    int64_t gemma3_hidden; /* not 0: the published total holds that vision tower */
} totals[] = {
    { "gpt2", 124439808, 0 },
    { "gpt2-medium", 354823168, 0 },
    { "gpt2-large", 774030080, 0 },
    { "gpt2-xl", 1557611200, 0 },
    { "gptj-6b", 6050882784, 0 },
    { "gpt-neox-20b", 20554567680, 0 }, /* its model card */
    { "pythia-6.9b", 6857302016, 0 },   /* Biderman et al. 2023, table of models */
    { "pythia-12b", 11846072320, 0 },
    { "opt-6.7b", 6658473984, 0 },
    { "opt-13b", 12853473280, 0 },
    { "opt-30b", 29974540288, 0 },
    { "bloom-7b1", 7069016064, 0 },
    { "bloom-176b", 176247271424, 0 },
    { "mosaicml-mpt-7b", 6649286656, 0 },
    { "falcon-7b", 7217189760 - INT64_C(65024) * 4544, 0 },   /* the file holds the tied matrix twice */
    { "falcon-40b", 41835970560 - INT64_C(65024) * 8192, 0 }, /* likewise */
    { "falcon-180b", 179522565120, 0 },
    { "llama-7b", 6738415616, 0 },
    { "llama-13b", 13015864320, 0 },
    { "llama-33b", 32528943616, 0 },
    { "llama-65b", 65285660672, 0 },
    { "llama2-7b", 6738415616, 0 },
    { "llama2-13b", 13015864320, 0 },
    { "llama2-70b", 68976648192, 0 },
    { "codellama-34b", 33743970304, 0 },
    { "llama2-34b", 33743970304, 0 }, /* never published by itself: the shape of codellama-34b */
    { "llama3-8b", 8030261248, 0 },
    { "llama3-70b", 70553706496, 0 },
    { "llama3.1-8b", 8030261248, 0 },
    { "llama3.1-70b", 70553706496, 0 },
    { "llama3.1-405b", 405853388800, 0 },
    { "llama3.3-70b", 70553706496, 0 },
    { "llama3.2-1b", 1235814400, 0 },
    { "llama3.2-3b", 3212749824, 0 },
    { "llama4-maverick", 401583781376 - LLAMA4_VISION, 0 },
    { "llama4-scout", 108641793536 - LLAMA4_VISION, 0 },
    { "mistral-7b", 7241732096, 0 },
    { "mistral-nemo-12b", 12247782400, 0 },
    { "mistral-large-123b", 122610069504, 0 },
    { "mixtral-8x7b", 46702792704, 0 },
    { "mixtral-8x22b", 140620634112, 0 },
    { "qwen2-7b", 7615616512, 0 },
    { "qwen2.5-0.5b", 494032768, 0 },
    { "qwen2.5-1.5b", 1543714304, 0 },
    { "qwen2.5-7b", 7615616512, 0 },
    { "qwen2.5-14b", 14770033664, 0 },
    { "qwen2.5-32b", 32763876352, 0 },
    { "qwen2.5-72b", 72706203648, 0 },
    { "qwen1.5-moe-a2.7b", 14315784192, 0 },
    { "qwen2-57b-a14b", 57408658944, 0 },
    { "qwen3-4b", 4022468096, 0 },
    { "qwen3-8b", 8190735360, 0 },
    { "qwen3-14b", 14768307200, 0 },
    { "qwen3-32b", 32762123264, 0 },
    { "qwen3-30b-a3b", 30532122624, 0 },
    { "qwen3-235b-a22b", 235093634560, 0 },
    { "deepseek-v2", 235741434880, 0 },
    { "deepseek-v2-lite", 15706484224, 0 },
    { "deepseek-v3", 671026419200, 0 }, /* without the multi-token-prediction module */
    { "deepseek-r1", 671026419200, 0 }, /* likewise */
    { "gemma-2b", 2506172416, 0 },
    { "gemma-7b", 8537680896, 0 },
    { "gemma2-2b", 2614341888, 0 },
    { "gemma2-9b", 9241705984, 0 },
    { "gemma2-27b", 27227128320, 0 },
    { "gemma3-1b", 999885952, 0 },
    { "gemma3-4b", 4300079472, 2560 },
    { "gemma3-12b", 12187325040, 3840 },
    { "gemma3-27b", 27432406640, 5376 },
    { "phi3-mini", 3821079552, 0 },
    { "phi3-medium", 13960238080, 0 },
    { "phi4", 14659507200, 0 },
    { "gpt-oss-20b", 20914757184, 0 },
    { "gpt-oss-120b", 116829156672, 0 },
    { "dbrx", 131596523520, 0 },
    { "grok-1", 315684820992, 0 },
    { "grok-1-l8", 40165251072, 0 },
    { "aquila2-7b", 7295537152, 0 },
    /* papers and recipes, by Eqs. 16 and 17 */
    { "gpt3-175b", 174615846912, 0 },
    { "gpt-22b", 22074273792, 0 },
    { "gpt-310b", 310130540544, 0 },
    { "mt-530b", 529600819200, 0 },
    { "gpt-1t", 1008038758400, 0 },
    { "gpt-1.7b-v131k", 1745473536, 0 },
    { "gpt-462b-v131k", 461467422720, 0 },
    { "mpt-7b", 6658859008, 0 },
    { "mpt-70b", 64862437376, 0 },
    { "nemotron-15b", 15628775424, 0 },
    { "nemotron3-22b", 21266116608, 0 },
    { "nemotron-340b", 341029195776, 0 },
};

static void published_totals(void **state)
{
    (void)state;
    static struct orr_model model;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        const int64_t hidden = totals[i].gemma3_hidden;
        const int64_t total = totals[i].total - (hidden ? gemma3_vision(hidden) : 0);
        load(totals[i].id, &model);
        if (orr_model_params(&model) != total) {
            fail_msg("%s: %lld parameters, published %lld", totals[i].id, (long long)orr_model_params(&model),
                     (long long)total);
        }
    }
}

/* Shapes of papers and benchmarks that nobody published a checkpoint of: layers and width as their tables print them,
 * and the billions of their names. */
enum family {
    GPT,       /* biases, learned positions, one matrix for both ends: L (12 h^2 + 13 h) + (V + s) h + 2 h */
    GPT_ROTARY /* biases, two matrices, no position vectors: L (12 h^2 + 13 h) + 2 V h + 2 h */
};
static const struct {
    const char *id;
    enum family family;
    int64_t layers, hidden, vocab, positions;
    double billions;
} shapes[] = {
    /* Narayanan et al. 2021, table 1 */
    { "gpt-1.7b", GPT, 24, 2304, 51200, 2048, 1.7 }, { "gpt-3.6b", GPT, 30, 3072, 51200, 2048, 3.6 },
    { "gpt-7.5b", GPT, 36, 4096, 51200, 2048, 7.5 }, { "gpt-18b", GPT, 40, 6144, 51200, 2048, 18.4 },
    { "gpt-39b", GPT, 48, 8192, 51200, 2048, 39.1 }, { "gpt-76b", GPT, 60, 10240, 51200, 2048, 76.1 },
    { "gpt-145b", GPT, 80, 12288, 51200, 2048, 145.6 }, { "gpt-310b", GPT, 96, 16384, 51200, 2048, 310.1 },
    { "gpt-1t", GPT, 128, 25600, 51200, 2048, 1008.0 },
    /* README of Megatron-LM, September 2020 */
    { "gpt2-1b", GPT, 24, 1920, 51200, 1024, 1.2 }, { "gpt2-2b", GPT, 30, 2304, 51200, 1024, 2.0 },
    { "gpt2-4b", GPT, 36, 3072, 51200, 1024, 4.2 }, { "gpt2-8b", GPT, 42, 4096, 51200, 1024, 8.7 },
    /* NeMo and JAX-Toolbox */
    { "gpt3-126m", GPT, 12, 768, 51200, 2048, 0.126 }, { "gpt3-5b", GPT, 24, 4096, 51200, 2048, 5.1 },
    { "gpt3-20b", GPT, 44, 6144, 51200, 2048, 20.3 },
    /* FasterTransformer's GPT guide */
    { "gpt-350m", GPT, 24, 1024, 51200, 1024, 0.35 }, { "gpt-1.3b-ft", GPT, 24, 2048, 51200, 1024, 1.3 },
    { "gpt-6.7b-ft", GPT, 32, 4096, 51200, 1024, 6.7 }, { "gpt-89b", GPT, 48, 12288, 51200, 1024, 89 },
    { "gpt-l12-h2048", GPT, 12, 2048, 51200, 1024, 0.7 }, { "gpt-l16-h2048", GPT, 16, 2048, 51200, 1024, 0.9 },
    { "gpt-l20-h2048", GPT, 20, 2048, 51200, 1024, 1.1 }, { "gpt-l24-h2048", GPT, 24, 2048, 51200, 1024, 1.3 },
    /* llm-foundry's training benchmarks */
    { "mpt-125m", GPT, 12, 768, 50368, 2048, 0.125 }, { "mpt-350m", GPT, 24, 1024, 50368, 2048, 0.35 },
    { "mpt-760m", GPT, 24, 1536, 50368, 2048, 0.76 }, { "mpt-1b", GPT, 24, 2048, 50368, 2048, 1.3 },
    { "mpt-3b", GPT, 32, 2560, 50368, 2048, 2.7 }, { "mpt-7b", GPT, 32, 4096, 50368, 2048, 6.7 },
    { "mpt-13b", GPT, 40, 5120, 50368, 2048, 12.9 }, { "mpt-30b", GPT, 48, 7168, 50368, 2048, 30.0 },
    /* README of Megatron-LM, H100 weak-scaling table */
    { "gpt-1.7b-v131k", GPT_ROTARY, 24, 2048, 131072, 0, 1.7 }, { "gpt-7b-v131k", GPT_ROTARY, 30, 4096, 131072, 0, 7 },
    { "gpt-16b-v131k", GPT_ROTARY, 32, 6144, 131072, 0, 16 }, { "gpt-32b-v131k", GPT_ROTARY, 48, 7168, 131072, 0, 32 },
    { "gpt-119b-v131k", GPT_ROTARY, 92, 10240, 131072, 0, 119 },
    { "gpt-177b-v131k", GPT_ROTARY, 96, 12288, 131072, 0, 177 },
    { "gpt-314b-v131k", GPT_ROTARY, 96, 16384, 131072, 0, 314 },
};

static void totals_of_shapes(void **state)
{
    (void)state;
    static struct orr_model model;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const int64_t h = shapes[i].hidden, layers = shapes[i].layers * (12 * h * h + 13 * h);
        const int64_t ends = shapes[i].family == GPT ? shapes[i].vocab + shapes[i].positions : 2 * shapes[i].vocab;
        const int64_t total = layers + ends * h + 2 * h;
        load(shapes[i].id, &model);
        if (orr_model_params(&model) != total)
            fail_msg("%s: %lld parameters, by hand %lld", shapes[i].id, (long long)orr_model_params(&model),
                     (long long)total);
        if (fabs((double)total / 1e9 / shapes[i].billions - 1) > 0.05)
            fail_msg("%s: %g billion by hand, %g by its name", shapes[i].id, (double)total / 1e9, shapes[i].billions);
    }
}

/* Models cut to their first layers: layers and ends by hand. */
static const struct {
    const char *id, *whole;
    int64_t layers, layer_params, end_params;
} cuts[] = {
/* eight experts of three matrices, router, 48 + 16 heads of 128, output, four norms; one matrix for both ends */
#define GROK_LAYER (6144 * (INT64_C(8) * 3 * 32768 + 8 + 64 * 128 + 6144 + 4))
#define GROK_ENDS  (INT64_C(131072) * 6144 + 6144)
    { "grok-1-l2", "grok-1", 2, GROK_LAYER, GROK_ENDS },
    { "grok-1-l4", "grok-1", 4, GROK_LAYER, GROK_ENDS },
    { "grok-1-l8", "grok-1", 8, GROK_LAYER, GROK_ENDS },
    { "grok-1-l32", "grok-1", 32, GROK_LAYER, GROK_ENDS },
    { "grok-1", "grok-1", 64, GROK_LAYER, GROK_ENDS },
/* 128 + 16 heads of 128, output, three matrices, two norms; two matrices and a norm at the ends */
#define LLAMA_LAYER (16384 * (INT64_C(144) * 128 + 16384 + 3 * 53248 + 2))
#define LLAMA_ENDS (INT64_C(2) * 128256 * 16384 + 16384)
    { "llama3.1-405b-l8", "llama3.1-405b", 8, LLAMA_LAYER, LLAMA_ENDS },
    { "llama3.1-405b-l30", "llama3.1-405b", 30, LLAMA_LAYER, LLAMA_ENDS },
    { "llama3.1-405b-l62", "llama3.1-405b", 62, LLAMA_LAYER, LLAMA_ENDS },
    { "llama3.1-405b", "llama3.1-405b", 126, LLAMA_LAYER, LLAMA_ENDS },
};

static void totals_of_cuts(void **state)
{
    (void)state;
    static struct orr_model model, whole;
    for (size_t i = 0; i < COUNT(cuts); i++) {
        load(cuts[i].id, &model);
        load(cuts[i].whole, &whole);
        assert_int_equal(orr_model_params(&model), cuts[i].layers * cuts[i].layer_params + cuts[i].end_params);
        assert_memory_equal(&model.kinds[0], &whole.kinds[0], sizeof model.kinds[0]);
    }
}

/* Every model of the catalogue has its count in one of the tables. */
static bool is_counted(const char *id)
{
    for (size_t i = 0; i < COUNT(totals); i++)
        if (strcmp(totals[i].id, id) == 0) return true;
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (strcmp(shapes[i].id, id) == 0) return true;
    for (size_t i = 0; i < COUNT(cuts); i++)
        if (strcmp(cuts[i].id, id) == 0) return true;
    return false;
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
        if (!is_counted(id)) fail_msg("%s: no row with its exact parameter count", id);
        assert_true(orr_model_params(&model) >= orr_model_params_active(&model));
        assert_true(orr_model_params_active(&model) > 100000000);
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
    { "{\"model_type\":\"mamba3_hybrid_thing\"}", "model_type", "known: gpt2, gptj, gpt_neox" },
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_totals),
        cmocka_unit_test(totals_of_shapes),
        cmocka_unit_test(totals_of_cuts),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
