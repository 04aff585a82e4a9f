/* Names of models: what they resolve to, what their ends say of the weights, and what lies beside a config. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "spec/model_name.h"
#include "spec/part.h"

/* ---------------------------------------------------------------- names of the catalogue */

static const struct {
    const char *asked, *id, *format;
} names[] = {
    /* ids of measured serving runs, as their source prints them */
    {"openai/gpt-oss-120b", "gpt-oss-120b", ""},
    {"openai/gpt-oss-20b", "gpt-oss-20b", ""},
    {"Qwen/Qwen3-32B", "qwen3-32b", ""},
    {"Qwen/Qwen3-14B", "qwen3-14b", ""},
    {"llama2-70b", "llama2-70b", ""},
    {"meta-llama/Llama-3.1-70B", "llama3.1-70b", ""},
    {"meta-llama/Llama-3.1-70B-Instruct", "llama3.1-70b", ""},
    {"meta-llama/Llama-3.1-8B", "llama3.1-8b", ""},
    {"meta-llama/Llama-3.1-8B-Instruct", "llama3.1-8b", ""},
    {"nvidia/Llama-3.1-8B-Instruct-FP8", "llama3.1-8b", "fp8-tensor"},
    {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama4-scout", ""},
    {"deepseek-ai/DeepSeek-V3", "deepseek-v3", ""},
    {"google/gemma-3-12b-it", "gemma3-12b", ""},
    {"CodeLlama-13b-hf", "codellama-13b", ""},
    /* case, owners, words that leave the shape as it is, dates */
    {"qwen/QWEN3-32b", "qwen3-32b", ""},
    {"LLAMA2-7B", "llama2-7b", ""},
    {"unsloth/Meta-Llama-3.1-8B-Instruct", "llama3.1-8b", ""},
    {"Qwen3-30B-A3B-Thinking-2507", "qwen3-30b-a3b", ""},
    {"deepseek-ai/DeepSeek-R1-0528", "deepseek-r1", ""},
    {"Llama-2-13b-chat-hf", "llama2-13b", ""},
    {"mistralai/Mistral-Large-Instruct-2411", "mistral-large-123b", ""},
    {"moonshotai/Kimi-K2-Instruct-0905", "kimi-k2", ""},
    {"codellama_34b", "codellama-34b", ""},
    /* names of the same words and another shape */
    {"mistralai/Mistral-7B-v0.3", "mistral-7b-v0.3", ""},
    {"mistralai/Mistral-7B-Instruct-v0.1", "mistral-7b", ""},
    {"mistralai/Mixtral-8x22B-Instruct-v0.1", "mixtral-8x22b-instruct", ""},
    {"mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b", ""},
    {"mosaicml/mpt-7b", "mosaicml-mpt-7b", ""},
    {"mpt-7b", "mpt-7b", ""},
    /* formats */
    {"Qwen/Qwen3-32B-FP8", "qwen3-32b", "fp8-block"},
    {"RedHatAI/Qwen3-32B-FP8-dynamic", "qwen3-32b", "fp8-channel"},
    {"nvidia/DeepSeek-V3.1-NVFP4", "deepseek-v3", "nvfp4"},
    {"Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8", "qwen2.5-72b", "gptq-int8"},
    {"Qwen/Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b", "awq"},
    {"neuralmagic/Meta-Llama-3.1-70B-Instruct-quantized.w4a16", "llama3.1-70b", "w4a16"},
    {"unsloth/Llama-3.2-1B-Instruct-unsloth-bnb-4bit", "llama3.2-1b", "nf4-double"},
    {"mlx-community/Llama-3.3-70B-Instruct-4bit", "llama3.3-70b", "mlx-4bit"},
    {"bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M", "llama3.2-3b", "q4_k_m"},
    {"unsloth/gpt-oss-20b-BF16", "gpt-oss-20b", "bf16"},
};

static void names_resolve(void **state)
{
    const struct world *w = *state;
    char format[ORR_FORMAT_NAME];
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *id = orr_model_named(w->catalogue, names[i].asked, format);
        if (!id || strcmp(id, names[i].id) || strcmp(format, names[i].format))
            fail_msg("%s: %s in \"%s\"", names[i].asked, id ? id : "nothing", format);
    }
}

/* Other models of the same family must not be taken for one that is there. */
static void other_shapes_do_not_resolve(void **state)
{
    const struct world *w = *state;
    static const char *const OTHERS[] = {"Qwen/Qwen3-33B",
                                         "Qwen/Qwen2.5-Omni-7B",
                                         "cerebras/Qwen3-Coder-REAP-25B-A3B",
                                         "mistralai/Mistral-7B-v0.4",
                                         "Qwen/Qwen3-8B-FP8:Q4_K_M",
                                         "gpt-1t-instruct",
                                         "",
                                         "/",
                                         "owner/",
                                         "-FP8",
                                         "./qwen3-8b",
                                         "/data/Qwen3-8B",
                                         "a/b/qwen3-8b"};
    char format[ORR_FORMAT_NAME];
    for (size_t i = 0; i < COUNT(OTHERS); i++) {
        const char *id = orr_model_named(w->catalogue, OTHERS[i], format);
        if (id) fail_msg("%s: %s", OTHERS[i], id);
    }
}

static void loud(char *text)
{
    for (; *text; text++)
        if (*text >= 'a' && *text <= 'z') *text = (char)(*text - 'a' + 'A');
}

/* Every published name of every model leads to a model of its size, also in capitals and with a format at its end. */
static void published_names_lead_home(void **state)
{
    const struct world *w = *state;
    static struct orr_model model, found;
    struct orr_error error;
    char name[ORR_ID], format[ORR_FORMAT_NAME];
    size_t n = 0;
    for (size_t i = 0; i < orr_catalogue_count(w->catalogue, ORR_PART_MODEL); i++) {
        const char *id = orr_catalogue_id(w->catalogue, ORR_PART_MODEL, i);
        struct orr_name_scan scan = {.text = orr_catalogue_text(w->catalogue, ORR_PART_MODEL, id)};
        assert_int_equal(orr_model_read(w->catalogue, id, &model, &error), ORR_OK);
        assert_string_equal(model.asked, "");
        while (orr_name_scan_next(&scan, name)) {
            if (strstr(name, "-BF16") || strstr(name, "-FP8")) continue; /* it tells its format already */
            loud(name);
            strncat(name, "-NVFP4", sizeof name - strlen(name) - 1);
            if (orr_model_read(w->catalogue, name, &found, &error)) fail_msg("%s: %s", id, error.text);
            if (orr_model_params(&found) != orr_model_params(&model)) fail_msg("%s: %s", name, found.id);
            assert_string_equal(found.asked, name);
            assert_string_equal(found.shipped_format, "nvfp4");
            n++;
        }
        const char *again = orr_model_named(w->catalogue, id, format);
        assert_string_equal(again, id);
    }
    assert_true(n > 150);
}

static void unknown_names_say_what_is_near(void **state)
{
    const struct world *w = *state;
    static struct orr_model model;
    struct orr_error error;
    assert_int_equal(orr_model_read(w->catalogue, "Qwen/Qwen3-33B", &model, &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "unknown model \"Qwen/Qwen3-33B\" (did you mean \"Qwen/Qwen3-32B\"?); see "
                                    "'orrery list models'");
    assert_int_equal(orr_model_read(w->catalogue, "no/such/folder", &model, &error), ORR_ERR_IO);
    assert_string_equal(error.text, "cannot read model \"no/such/folder\": no such file");
}

/* ---------------------------------------------------------------- requests */

#define REQUEST(model) "{\"kind\":\"train\"," model ",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{\"tp\":8}}"

/* The name is part of the answer, and a request that has both reads as the one that had the name. */
static void requests_keep_the_name(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    static const char *const MODELS[] = {REQUEST("\"model\":\"Qwen/Qwen3-8B-FP8\""),
                                         REQUEST("\"model\":\"qwen3-8b\",\"asked\":\"Qwen/Qwen3-8B-FP8\"")};
    for (size_t i = 0; i < COUNT(MODELS); i++) {
        if (orr_job_read(w->catalogue, MODELS[i], "request", &w->job, &error)) fail_msg("%s", error.text);
        assert_string_equal(w->job.model.id, "qwen3-8b");
        assert_string_equal(w->job.model.asked, "Qwen/Qwen3-8B-FP8");
        assert_string_equal(w->job.model.shipped_format, "fp8-block");
    }
    const char *other = REQUEST("\"model\":\"qwen3-14b\",\"asked\":\"Qwen/Qwen3-8B-FP8\"");
    assert_int_equal(orr_job_read(w->catalogue, other, "request", &w->job, &error), ORR_OK);
    assert_string_equal(w->job.model.asked, ""); /* of another model: it says nothing of this one */
    const char *bad = REQUEST("\"model\":\"qwen3-14b\",\"asked\":8");
    assert_int_equal(orr_job_read(w->catalogue, bad, "request", &w->job, &error), ORR_ERR_INPUT);
    assert_string_equal(error.key, "asked");
}

/* ---------------------------------------------------------------- lists */

static void lists_hide_what_nobody_uses(void **state)
{
    const struct world *w = *state;
    struct orr_error error;
    char *text;
    assert_true(orr_catalogue_is_synthetic(w->catalogue, "gpt-22b"));
    assert_false(orr_catalogue_is_synthetic(w->catalogue, "gpt3-175b"));
    assert_int_equal(
        orr_catalogue_render(w->catalogue, ORR_PART_MODEL, false, ORR_FORMAT_TERMINAL, NULL, &text, &error), 0);
    assert_null(strstr(text, "\n  gpt-22b "));
    assert_non_null(strstr(text, "\n  qwen3-32b "));
    assert_non_null(strstr(text, "orrery list models --all"));
    free(text);
    assert_int_equal(
        orr_catalogue_render(w->catalogue, ORR_PART_MODEL, true, ORR_FORMAT_TERMINAL, NULL, &text, &error), 0);
    assert_true(strstr(text, "\n  gpt-22b ") > strstr(text, "\n  yi-34b "));
    free(text);
    assert_int_equal(orr_catalogue_render(w->catalogue, ORR_PART_MODEL, false, ORR_FORMAT_JSON, NULL, &text, &error),
                     0);
    const char *shape = strstr(text, "{\"id\":\"gpt-22b\"");
    assert_non_null(shape);
    assert_non_null(strstr(shape, "\"synthetic\":true}"));
    assert_true(strstr(text, "\"synthetic\":true") > strstr(text, "{\"id\":\"yi-34b\""));
    free(text);
}

/* ---------------------------------------------------------------- folders */

static char folder[64];

static void put(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* 2 layers of 4 * 64 * 64 + 3 * 64 * 128 + 2 * 64, 2 * 1000 * 64 at the ends and a norm: 210,240 parameters. */
#define CONFIG(extra)                                                                                                  \
    "{\"model_type\":\"llama\",\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":8,"                  \
    "\"intermediate_size\":128,\"vocab_size\":1000" extra "}"

static enum orr_err read_folder(const struct world *w, const char *config, const char *index, struct orr_error *error)
{
    static struct orr_model model;
    put("config.json", config);
    put("model.safetensors.index.json", index);
    const enum orr_err err = orr_model_read(w->catalogue, folder, &model, error);
    if (!err) assert_string_equal(model.id, strrchr(folder, '/') + 1);
    return err;
}

#define INDEX(size) "{\"metadata\":{\"total_size\":" size "},\"weight_map\":{}}"

static void folders_are_checked_against_their_index(void **state)
{
    const struct world *w = *state;
    struct orr_error error;
    snprintf(folder, sizeof folder, "/tmp/orrery-names-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(read_folder(w, CONFIG(""), INDEX("420480"), &error), ORR_OK); /* 2 bytes each */
    assert_int_equal(read_folder(w, CONFIG(",\"torch_dtype\":\"float32\""), INDEX("840960"), &error), ORR_OK);
    assert_int_equal(read_folder(w, CONFIG(""), "{\"weight_map\":{}}", &error), ORR_OK); /* says nothing */
    /* a tied head: 64,000 parameters less, or stored all the same */
    assert_int_equal(read_folder(w, CONFIG(",\"tie_word_embeddings\":true"), INDEX("292480"), &error), ORR_OK);
    assert_int_equal(read_folder(w, CONFIG(",\"tie_word_embeddings\":true"), INDEX("420480"), &error), ORR_OK);
    assert_int_equal(read_folder(w, CONFIG(""), INDEX("292480"), &error), ORR_ERR_RULE);
    assert_string_equal(error.key, "metadata.total_size");
    assert_non_null(strstr(error.text, "292480 bytes"));
    assert_non_null(strstr(error.text, "210240 parameters of 420480 bytes (-30.44 %)"));
    assert_int_equal(read_folder(w, CONFIG(""), INDEX("840960"), &error), ORR_ERR_RULE);
    /* a tower is in the files and not in the count */
    assert_int_equal(read_folder(w, CONFIG(",\"vision_config\":{}"), INDEX("840960"), &error), ORR_OK);
    assert_int_equal(read_folder(w, CONFIG(",\"vision_config\":{}"), INDEX("292480"), &error), ORR_ERR_RULE);
    assert_int_not_equal(read_folder(w, CONFIG(""), "{", &error), ORR_OK);
    /* the file itself is read without what lies beside it */
    static struct orr_model model;
    char path[96];
    snprintf(path, sizeof path, "%s/config.json", folder);
    assert_int_equal(orr_model_read(w->catalogue, path, &model, &error), ORR_OK);
    assert_int_equal(remove(path), 0);
    assert_int_equal(orr_model_read(w->catalogue, folder, &model, &error), ORR_ERR_IO);
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* DeepSeek-V3 in 8 bits with a scale per block and its prediction layer: published with 688,586,727,753 bytes. */
static void narrow_weights_are_checked_too(void **state)
{
    const struct world *w = *state;
    struct orr_error error;
    snprintf(folder, sizeof folder, "/tmp/orrery-names-XXXXXX");
    assert_non_null(mkdtemp(folder));
    const char *deepseek = orr_catalogue_text(w->catalogue, ORR_PART_MODEL, "deepseek-v3");
    const char *oss = orr_catalogue_text(w->catalogue, ORR_PART_MODEL, "gpt-oss-120b");
    assert_int_equal(read_folder(w, deepseek, INDEX("688586727753"), &error), ORR_OK);
    assert_int_equal(read_folder(w, deepseek, INDEX("1342052838400"), &error), ORR_ERR_RULE); /* 16 bits */
    assert_int_equal(read_folder(w, oss, INDEX("65248815744"), &error), ORR_OK);
    assert_int_equal(read_folder(w, oss, INDEX("233658313344"), &error), ORR_ERR_RULE);
    char path[96];
    snprintf(path, sizeof path, "%s/config.json", folder);
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_resolve),
        cmocka_unit_test(other_shapes_do_not_resolve),
        cmocka_unit_test(published_names_lead_home),
        cmocka_unit_test(unknown_names_say_what_is_near),
        cmocka_unit_test(requests_keep_the_name),
        cmocka_unit_test(lists_hide_what_nobody_uses),
        cmocka_unit_test(folders_are_checked_against_their_index),
        cmocka_unit_test(narrow_weights_are_checked_too),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
