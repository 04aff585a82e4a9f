/* Files that cannot be read, each with its reason, and what a model's folder may hold beside its config.json. */
#define _DEFAULT_SOURCE /* mkdtemp, symlink */
#include <sys/stat.h>
#include <unistd.h>

#include "spec/file.h"
#include "support.h"

static char folder[] = "/tmp/orrery-files-XXXXXX";

static const char *at(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t n)
{
    FILE *file = fopen(at(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    char bytes[1024];
    (void)snprintf(bytes, sizeof bytes, "%s", text);
    for (char *c = bytes; *c; c++)
        if (*c == '\'') *c = '"';
    write_bytes(name, bytes, strlen(bytes));
}

static void every_reason_is_named(void **state)
{
    static char long_name[600];
    (void)state;
    memset(long_name, 'a', sizeof long_name - 1);
    write_bytes("empty.json", "", 0);
    write_bytes("zero.json", "{\"a\":\0}", 7);
    write_text("good.json", "{'a':1}");
    assert_int_equal(symlink("loop.json", at("loop.json")), 0);
    assert_int_equal(mkfifo(at("pipe.json"), 0600), 0);
    const struct {
        const char *name, *why;
    } CASES[] = {
        {"none.json", "no such file"},
        {"good.json/more.json", "a part of the path is not a directory"},
        {"empty.json", "is empty"},
        {"zero.json", "is not text: it holds a zero byte"},
        {"loop.json", "too many symbolic links"},
        {"pipe.json", "is not a regular file"},
        {".", "is a directory"},
    };
    char *text;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        assert_string_equal(orr_file_read(at(CASES[i].name), &text), CASES[i].why);
        assert_null(text);
    }
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, long_name);
    assert_string_equal(orr_file_read(path, &text), "the path is too long");
    assert_null(orr_file_read(at("good.json"), &text));
    assert_string_equal(text, "{\"a\":1}");
    free(text);
}

/* A file that is longer than the first room for it. */
static void long_files_are_read_whole(void **state)
{
    enum { N = 100000 };
    static char bytes[N + 1];
    char *text;
    (void)state;
    for (size_t i = 0; i < N; i++) bytes[i] = (char)('a' + i % 26);
    write_bytes("long.json", bytes, N);
    assert_null(orr_file_read(at("long.json"), &text));
    assert_string_equal(text, bytes);
    free(text);
}

#define CONFIG                                                                                                         \
    "'architectures':['LlamaForCausalLM'],'model_type':'llama','hidden_size':64,'intermediate_size':128,"              \
    "'num_hidden_layers':2,'num_attention_heads':4,'vocab_size':100"

static enum orr_err read_folder(struct world *w, struct orr_error *error)
{
    char request[512];
    memset(error, 0, sizeof *error);
    (void)snprintf(request, sizeof request,
                   "{'kind':'infer','model':'%s','system':'h100-sxm','workload':{'input_len':64,'output_len':8,"
                   "'precision':'bf16'}}",
                   folder);
    return try_job(w, request, error);
}

/* ModelOpt writes the formats of a checkpoint into hf_quant_config.json; what config.json says goes first. */
static void formats_may_lie_beside_the_config(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    const struct orr_checkpoint *checkpoint = &w->job.model.checkpoint;
    write_text("config.json", "{" CONFIG "}");
    if (read_folder(w, &error)) fail_msg("%s", error.text);
    assert_int_equal(checkpoint->format, ORR_WEIGHT_PUBLISHED);
    write_text("hf_quant_config.json", "{'producer':{'name':'modelopt'},'quantization':{'quant_algo':'FP8'}}");
    if (read_folder(w, &error)) fail_msg("%s", error.text);
    assert_int_equal(checkpoint->format, ORR_WEIGHT_FP8_TENSOR);
    write_text("config.json", "{" CONFIG ",'quantization_config':{'quant_method':'awq','bits':4}}");
    if (read_folder(w, &error)) fail_msg("%s", error.text);
    assert_int_equal(checkpoint->format, ORR_WEIGHT_AWQ);
    write_text("config.json", "{" CONFIG "}");
    write_text("hf_quant_config.json", "{'quantization':{'quant_algo':'FP9'}}");
    assert_int_not_equal(read_folder(w, &error), ORR_OK);
    assert_non_null(strstr(error.text, "\"FP9\" is not known"));
    write_text("hf_quant_config.json", "{'quantization':");
    assert_int_not_equal(read_folder(w, &error), ORR_OK);
    assert_non_null(strstr(error.text, "hf_quant_config.json"));
    write_text("hf_quant_config.json", "");
    assert_int_equal(read_folder(w, &error), ORR_ERR_IO);
    assert_non_null(strstr(error.text, "hf_quant_config.json: is empty"));
    assert_int_equal(unlink(at("hf_quant_config.json")), 0);
}

static int open_folder(void **state)
{
    return mkdtemp(folder) ? open_world(state) : -1;
}

static int close_folder(void **state)
{
    static const char *const NAMES[] = {"empty.json", "zero.json", "good.json",   "loop.json",
                                        "pipe.json",  "long.json", "config.json", "hf_quant_config.json"};
    for (size_t i = 0; i < COUNT(NAMES); i++) (void)unlink(at(NAMES[i]));
    (void)rmdir(folder);
    return close_world(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_is_named),
        cmocka_unit_test(long_files_are_read_whole),
        cmocka_unit_test(formats_may_lie_beside_the_config),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
