/* Logs of training and results of benchmarks, in the forms that releases of their programs print. */
#include "support.h"

#include "spec/log.h"

static void check_log(const char *file, size_t row, const char *const (*cells)[2], size_t n)
{
    char path[128];
    struct orr_log log = {.skip = 1};
    struct orr_error error;
    snprintf(path, sizeof path, "tests/unit/fixtures/logs/%s", file);
    char *text = read_text(path);
    if (orr_log_read(text, file, &log, &error)) fail_msg("%s", error.text);
    if (!log.format || log.n_rows <= row) fail_msg("%s: %zu rows", file, log.n_rows);
    for (size_t i = 0; i < n; i++) {
        const char *got = orr_cells_get(&log.rows[row], cells[i][0]);
        if (strcmp(got, cells[i][1]) != 0)
            fail_msg("%s: %s is \"%s\", not \"%s\"", file, cells[i][0], got, cells[i][1]);
    }
    free(log.rows);
    free(text);
}
#define LOG(file, row, ...)                                                                                            \
    do {                                                                                                               \
        static const char *const CELLS[][2] = {__VA_ARGS__};                                                           \
        check_log(file, row, CELLS, COUNT(CELLS));                                                                     \
    } while (0)

static void logs_of_training_are_read(void **state)
{
    (void)state;
    LOG("megatron.log", 0, {"metric", "step_time_s"}, {"value", "9.002"}, {"global_batch", "256"}, {"tp", "4"},
        {"pp", "2"}, {"dp", "8"}, {"gpus", "64"}, {"seq", "4096"}, {"micro_batch", "2"}, {"sp", "1"}, {"zero", "1"},
        {"recompute", "selective"}, {"engine", "megatron-core"}, {"precision", "bf16"}, {"vpp", ""});
    LOG("megatron_fp8.log", 0, {"value", "1.5005"}, {"precision", "fp8"}, {"fp8_recipe", "tensorwise"}, {"vpp", "4"},
        {"recompute", "none"});
    LOG("nemo.log", 0, {"metric", "step_time_s"}, {"value", "5.2"}, {"global_batch", "128"}, {"engine", "nemo"});
    LOG("torchtitan.log", 0, {"metric", "tokens_per_s_per_gpu"}, {"value", "7200"}, {"engine", "torchtitan"});
    LOG("torchtitan_colours.log", 0, {"metric", "tokens_per_s_per_gpu"}, {"value", "7200"});
    LOG("nanotron.log", 0, {"metric", "step_time_s"}, {"value", "2.83"}, {"global_batch", "256"},
        {"engine", "nanotron"});
    LOG("nanotron_tokens.log", 0, {"metric", "step_time_s"}, {"value", "8.79"}, {"global_batch", ""},
        {"engine", "nanotron"});
    LOG("trainer_state.json", 0, {"metric", "step_time_s"}, {"value", "2.5"}, {"global_batch", "32"},
        {"micro_batch", "4"}, {"engine", "hf-transformers"});
}

static void results_of_serving_are_read(void **state)
{
    (void)state;
    LOG("vllm.json", 0, {"metric", "tpot_s"}, {"value", "0.0125"}, {"model", "meta-llama/Llama-3.1-8B-Instruct"},
        {"concurrency", "32"}, {"input_len", "1024"}, {"output_len", "256"}, {"arrival", "closed"}, {"stat", "mean"},
        {"engine", "vllm"});
    LOG("vllm.json", 1, {"metric", "latency_s"}, {"value", "3.3075"}); /* 0.120 + 255 * 0.0125 */
    LOG("sglang.jsonl", 3, {"metric", "latency_s"}, {"value", "6"}, {"concurrency", "64"}, {"input_len", "1024"},
        {"output_len", "128"}, {"engine", "sglang"});
    LOG("genai_perf.json", 0, {"metric", "tpot_s"}, {"value", "0.0166"}, {"concurrency", "10"}, {"input_len", "550"},
        {"output_len", "200"}, {"model", "meta/llama-3.1-8b-instruct"}, {"engine", ""});
    LOG("genai_perf_backends.jsonl", 0, {"engine", "tensorrt-llm"});
    LOG("genai_perf_backends.jsonl", 2, {"engine", "vllm"}, {"concurrency", "10"});
    LOG("genai_perf_backends.jsonl", 4, {"engine", ""}); /* the tool's default, beside another server */
    LOG("trtllm.json", 0, {"metric", "output_tokens_per_s_per_gpu"}, {"value", "2083.25"}, {"gpus", "4"}, {"tp", "4"},
        {"precision", "fp8"}, {"concurrency", "256"}, {"input_len", "1000"}, {"output_len", "500"});
    LOG("trtllm.json", 1, {"metric", "tpot_s"}, {"value", "0.0285"}, {"engine", "tensorrt-llm"});
}

/* What a launcher puts before a line, colours, and names that are too long for dots change nothing. */
static void labels_and_colours_do_not_matter(void **state)
{
    (void)state;
    LOG("megatron_labels.log", 0, {"value", "9.002"}, {"tp", "4"}, {"pp", "2"}, {"gpus", "64"}, {"global_batch", "256"},
        {"zero", "1"}, {"sp", "1"}, {"recompute", "selective"}, {"precision", "bf16"});
    LOG("megatron_2021.log", 0, {"value", "8.1006"}, {"tp", "4"}, {"pp", "2"}, {"vpp", "2"}, {"dp", "2"},
        {"gpus", "16"}, {"recompute", "full"}, {"precision", "fp16"}, {"seq", "2048"});
    LOG("bigscience.log", 0, {"value", "5.3601"}, {"global_batch", "96"}, {"tp", "4"}, {"zero", "1"},
        {"recompute", "full"}, {"engine", "megatron-deepspeed"});
    LOG("nemo_bars.log", 0, {"value", "24.1"}, {"global_batch", ""}, {"engine", "nemo"});
}

/* Formats of products and sharded weights are read in the words of every release. */
static void narrow_formats_and_sharding_are_read(void **state)
{
    (void)state;
    LOG("megatron_fp8_switch.log", 0, {"precision", "fp8"}, {"zero", "1"});
    LOG("megatron_fp4.log", 0, {"precision", "fp4"}, {"fp8_recipe", ""});
    LOG("megatron_fsdp.log", 0, {"precision", "bf16"}, {"zero", "3"});
}

/* torchtitan says what it builds; every rank may print every step, and the mesh may be built again. */
static void torchtitan_says_its_plan(void **state)
{
    (void)state;
    LOG("torchtitan_2025.log", 0, {"value", "7201"}, {"tp", "2"}, {"gpus", "8"}, {"dp", "4"}, {"zero", "3"},
        {"micro_batch", "2"}, {"global_batch", "16"}, {"seq", "8192"}, {"precision", "fp8"},
        {"fp8_recipe", "tensorwise"}, {"recompute", "selective"});
    LOG("torchtitan_2026.log", 0, {"value", "6922"}, {"tp", "2"}, {"cp", "2"}, {"dp", "8"}, {"gpus", "32"},
        {"zero_group", "8"}, {"global_batch", "8"}, {"recompute", "none"}, {"precision", ""});
    LOG("torchtitan_2025.log", 0, {"engine", "torchtitan-eager"});
    LOG("torchtitan_2024.log", 0, {"value", "3902"}, {"tp", "2"}, {"dp", "8"}, {"gpus", "16"}, {"zero", "3"},
        {"seq", "4096"}, {"global_batch", "16"}, {"engine", "torchtitan-compiled"});
    LOG("torchtitan.log", 0, {"gpus", ""}, {"zero", ""}, {"recompute", ""});
}

static void read_log(const char *file, struct orr_log *log, char **text)
{
    char path[128];
    struct orr_error error;
    snprintf(path, sizeof path, "tests/unit/fixtures/logs/%s", file);
    *text = read_text(path);
    *log = (struct orr_log){.skip = 1};
    if (orr_log_read(*text, file, log, &error)) fail_msg("%s", error.text);
}

/* Runs with other plans are rows of their own. One that was started again is the same run. */
static void runs_of_one_file_are_kept_apart(void **state)
{
    (void)state;
    struct orr_log log;
    char *text;
    read_log("megatron_two.log", &log, &text);
    assert_int_equal(log.n_rows, 2);
    assert_string_equal(orr_cells_get(&log.rows[0], "value"), "9.05"); /* of 9, 9, 9, 9.1, 9.1, 9.1 */
    assert_string_equal(orr_cells_get(&log.rows[0], "tp"), "4");
    assert_string_equal(orr_cells_get(&log.rows[1], "value"), "7");
    assert_string_equal(orr_cells_get(&log.rows[1], "tp"), "2");
    assert_string_equal(orr_cells_get(&log.rows[1], "id"), "megatron_two.log #2");
    free(log.rows);
    free(text);
}

/* Of a batch that grows, the iterations of one size count. */
static void a_growing_batch_is_told(void **state)
{
    (void)state;
    struct orr_log log;
    char *text;
    read_log("megatron_growing.log", &log, &text);
    assert_int_equal(log.n_rows, 1);
    assert_string_equal(orr_cells_get(&log.rows[0], "value"), "9");
    assert_string_equal(orr_cells_get(&log.rows[0], "global_batch"), "256");
    assert_string_equal(log.remark, "its global batch changed: the 6 iterations with 256 count, and 7 others do not");
    free(log.rows);
    free(text);
}

/* A batch of "1.02K" may be 1015 or 1024. */
static void what_cannot_be_said_is_not_invented(void **state)
{
    (void)state;
    LOG("nanotron_rounded.log", 0, {"value", "28.15"}, {"global_batch", ""});
}

/* Some layers of each stage, groups of layers, and a list of modules. */
static void what_is_recomputed_is_read(void **state)
{
    (void)state;
    LOG("megatron_block.log", 0, {"recompute", "first:4"});
    LOG("megatron_uniform.log", 0, {"recompute", "uniform:2"});
    LOG("megatron_modules.log", 0, {"recompute", "ops:moe_act,layernorm"});
}

static void check_error(const char *text, const char *message)
{
    struct orr_log log = {.skip = 1};
    struct orr_error error;
    if (!orr_log_read(text, "x", &log, &error)) fail_msg("read: %.60s", text);
    if (!strstr(error.text, message)) fail_msg("\"%s\" does not say \"%s\"", error.text, message);
    free(log.rows);
}

/* Whoever has the wrong file of a program is told which one is right. */
static void the_right_file_is_named(void **state)
{
    (void)state;
    check_error("============ Serving Benchmark Result ============\nMean TPOT (ms):   70.14\n", "--save-result");
    check_error("{'loss': 1.2, 'epoch': 0.1}\n{'train_runtime': 120.2, 'epoch': 1.0}\n", "trainer_state.json");
    check_error("Metric,avg,min\nInter Token Latency (ms),3,2\n", "profile_export_*.json");
    check_error("{\"train_runtime\": 900.0, \"train_samples_per_second\": 0.22, \"train_steps_per_second\": 0.007}",
                "rounded too far; give trainer_state.json");
}

static void check_json(const char *text, const char *column, const char *value)
{
    struct orr_log log = {.skip = 1};
    struct orr_error error;
    if (orr_log_read(text, "x.json", &log, &error)) fail_msg("%s", error.text);
    assert_true(log.n_rows > 0);
    const char *got = orr_cells_get(&log.rows[0], column);
    if (strcmp(got, value) != 0) fail_msg("%s is \"%s\", not \"%s\": %s", column, got, value, text);
    free(log.rows);
}

#define BENCH(more)                                                                                                    \
    "{\"completed\": 200, \"total_input_tokens\": 204800, \"total_output_tokens\": 25600, \"duration\": 100,"          \
    "\"mean_ttft_ms\": 100, \"mean_tpot_ms\": 10" more "}"

/* A limit that a paced load does not reach is not what is in flight, nor is one above the number of requests. */
static void requests_in_flight_are_those_there_were(void **state)
{
    (void)state;
    check_json(BENCH(", \"request_rate\": 2.0, \"max_concurrency\": 256"), "concurrency", "3"); /* 2/s · 1.37 s */
    check_json(BENCH(", \"request_rate\": 2.0, \"max_concurrency\": 2"), "concurrency", "2");
    check_json(BENCH(", \"request_rate\": \"inf\", \"max_concurrency\": 256"), "concurrency", "200");
    check_json(BENCH(", \"request_rate\": Infinity, \"max_concurrency\": 16"), "concurrency", "16");
    check_json("[" BENCH("") "," BENCH("") "]", "concurrency", "200");
}

#define PERF(more)                                                                                                     \
    "{\"request_latency\": {\"unit\": \"ms\", \"avg\": 2000}, \"output_sequence_length\": {\"avg\": 200},"             \
    "\"inter_token_latency\": {\"avg\": 9.5}" more "}"

/* aiperf may pace its requests and then has no concurrency. */
static void paced_requests_of_perf_are_counted(void **state)
{
    (void)state;
    check_json(PERF(", \"request_throughput\": {\"avg\": 2.5}"), "concurrency", "5");
    check_json(PERF(", \"request_throughput\": {\"avg\": 2.5}, \"input_config\": {\"loadgen\": {\"concurrency\": 10}}"),
               "concurrency", "10");
    check_json(PERF(""), "concurrency", "");
}

/* Failed requests are told, and runs with drafts are left out. */
static void what_no_column_says_is_remarked(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {BENCH(", \"num_prompts\": 250"), "50 of 250 requests failed; the others count"},
        {BENCH(", \"failed\": 0"), ""},
        {BENCH(", \"accept_length\": 1.0"), ""},
        {BENCH(", \"accept_length\": 2.4"), "not used: its tokens were drafted (accept_length), which no column says"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_log log = {.skip = 1};
        struct orr_error error;
        if (orr_log_read(CASES[i][0], "x.json", &log, &error)) fail_msg("%s", error.text);
        assert_string_equal(log.remark, CASES[i][1]);
        assert_int_equal(log.n_rows == 0, i == 3);
        free(log.rows);
    }
}

#define TRAINED(samples, steps, more)                                                                                  \
    "{\"train_runtime\": 100.0, \"train_samples_per_second\": " samples ", \"train_steps_per_second\": " steps more "}"

/* Rates are rounded, and the last batch of an epoch may be smaller. */
static void batches_of_the_trainer_are_whole(void **state)
{
    (void)state;
    check_json(TRAINED("32.0", "1.0", ""), "global_batch", "32");
    check_json(TRAINED("1.55", "0.026", ""), "global_batch", ""); /* 58.5 to 60.8 */
    check_json(TRAINED("10.0", "0.16", ", \"global_step\": 16, \"train_batch_size\": 8, \"log_history\": []"),
               "global_batch", "64"); /* 62.5 on average */
    check_json(TRAINED("10.0", "0.16", ", \"global_step\": 16, \"train_batch_size\": 8, \"log_history\": []"), "value",
               "6.25");
}

#define TRTLLM(engine)                                                                                                 \
    "{\"engine\": {\"model\": \"m\", " engine "}, \"world_info\": {\"tp_size\": 1, \"ep_size\": null},"                \
    "\"request_info\": {\"avg_num_concurrent_requests\": 3.6},"                                                        \
    "\"performance\": {\"output_throughput_per_gpu_tok_s\": 100}}"

static void formats_of_trtllm_are_read(void **state)
{
    (void)state;
    check_json(TRTLLM("\"quantization\": \"FP8\", \"kv_cache_dtype\": \"FP8\""), "kv_precision", "fp8");
    check_json(TRTLLM("\"quantization\": \"NVFP4\", \"kv_cache_dtype\": \"FP8\""), "precision", "nvfp4");
    check_json(TRTLLM("\"quantization\": \"FP8_BLOCK_SCALES\""), "precision", "fp8");
    check_json(TRTLLM("\"quantization\": \"W4A16_AWQ\""), "precision", "awq");
    check_json(TRTLLM("\"quantization\": null, \"dtype\": \"bfloat16\""), "precision", "bf16");
    check_json(TRTLLM("\"quantization\": \"MIXED_PRECISION\""), "precision", "");
}

static void times_have_their_units(void **state)
{
    (void)state;
    check_json("{\"request_latency\": {\"unit\": \"ns\", \"avg\": 2e9}, \"output_sequence_length\": {}}", "value", "2");
    check_json("{\"request_latency\": {\"avg\": 2000}, \"output_sequence_length\": {}}", "value", "2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_of_training_are_read),
        cmocka_unit_test(results_of_serving_are_read),
        cmocka_unit_test(labels_and_colours_do_not_matter),
        cmocka_unit_test(narrow_formats_and_sharding_are_read),
        cmocka_unit_test(torchtitan_says_its_plan),
        cmocka_unit_test(runs_of_one_file_are_kept_apart),
        cmocka_unit_test(a_growing_batch_is_told),
        cmocka_unit_test(what_cannot_be_said_is_not_invented),
        cmocka_unit_test(what_is_recomputed_is_read),
        cmocka_unit_test(the_right_file_is_named),
        cmocka_unit_test(requests_in_flight_are_those_there_were),
        cmocka_unit_test(paced_requests_of_perf_are_counted),
        cmocka_unit_test(what_no_column_says_is_remarked),
        cmocka_unit_test(batches_of_the_trainer_are_whole),
        cmocka_unit_test(formats_of_trtllm_are_read),
        cmocka_unit_test(times_have_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
