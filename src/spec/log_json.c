/* Results of benchmarks as JSON -> rows: Hugging Face Trainer (trainer_state.json, all_results.json), vllm bench serve,
 * SGLang bench_serving (lines of JSON), genai-perf and aiperf (profile_export), trtllm-bench (--report_json). */
#include "spec/json.h"
#include "spec/log.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number at a path "a.b.c"; NAN if there is none. */
static double at(const json_t *root, const char *path)
{
    const json_t *value = orr_json_at(root, path);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* The text at a path, or the first of a list of texts; NULL if there is none. */
static const char *text_at(const json_t *root, const char *path)
{
    const json_t *value = orr_json_at(root, path);
    if (json_is_array(value)) value = json_array_get(value, 0);
    return json_string_value(value);
}

static struct orr_cells *new_row(struct orr_log *log, const char *origin)
{
    struct orr_cells *rows = realloc(log->rows, (log->n_rows + 1) * sizeof *rows);
    if (!rows) return NULL;
    log->rows = rows;
    struct orr_cells *row = &rows[log->n_rows++];
    *row = (struct orr_cells){0};
    (void)orr_cells_put(row, "id", orr_log_name(origin), true);
    return row;
}

static void put(struct orr_cells *row, const char *name, double value)
{
    if (isfinite(value) && value > 0) (void)orr_cells_put_number(row, name, value);
}

static void put_text(struct orr_cells *row, const char *name, const char *value)
{
    if (value) (void)orr_cells_put(row, name, value, true);
}

static double whole(double value)
{
    return isfinite(value) ? round(value) : value;
}

/* Requests in flight on average: at least one, if they are known at all. */
static double in_flight(double mean)
{
    return isfinite(mean) ? round(fmax(1, mean)) : (double)NAN;
}

/* A row of one metric that shares the cells of a serving run. */
static bool add_metric(struct orr_log *log, const struct orr_cells *shared, const char *metric, double value,
                       const char *origin)
{
    if (!(value > 0) || !isfinite(value)) return true;
    struct orr_cells *row = new_row(log, origin);
    if (!row) return false;
    for (size_t i = 0; i < shared->n; i++) (void)orr_cells_put(row, shared->names[i], shared->values[i], true);
    char id[ORR_CELL];
    (void)snprintf(id, sizeof id, "%.100s %s", orr_log_name(origin), metric);
    (void)orr_cells_put(row, "id", id, true);
    (void)orr_cells_put(row, "metric", metric, true);
    put(row, "value", value);
    return true;
}

/* A run under load whose requests in flight are known: the columns of validation/serving.csv. */
static void put_load(struct orr_cells *shared)
{
    put_text(shared, "arrival", "closed");
    put_text(shared, "stat", "mean");
}

/* ---------------------------------------------------------------- one format each */

/* Rates of the Trainer have three decimals. */
#define RATE_STEP 1e-3
/* A step time that a rounded rate leaves open by more than this is none. */
#define RATE_MOST 0.02

/* The sequences of a step: from the samples, the seconds and the steps of a run, else from two rounded rates, if they
 * leave one number. Every epoch may end with a smaller batch, so a mean is lower than what fills the micro-batches. */
static double samples_per_step(const json_t *entry, double steps, double micro)
{
    const double samples = at(entry, "train_samples_per_second"), per_s = at(entry, "train_steps_per_second");
    const double mean = samples * at(entry, "train_runtime") / steps;
    if (steps > 0) return micro >= 1 ? micro * ceil(mean / micro * (1 - 1e-3)) : whole(mean);
    const double least = (samples - RATE_STEP / 2) / (per_s + RATE_STEP / 2);
    const double most = (samples + RATE_STEP / 2) / (per_s - RATE_STEP / 2);
    return ceil(least) == floor(most) ? floor(most) : (double)NAN;
}

/* The record of a whole training run: seconds, steps and samples. */
static bool read_trainer(const json_t *root, const char *origin, struct orr_log *log)
{
    const json_t *history = json_object_get(root, "log_history"), *entry = root;
    for (size_t i = json_array_size(history); i > 0 && isnan(at(entry, "train_runtime")); i--)
        entry = json_array_get(history, i - 1);
    const double per_s = at(entry, "train_steps_per_second"), runtime_s = at(entry, "train_runtime");
    const double steps = isnan(at(entry, "step")) ? at(root, "global_step") : at(entry, "step");
    const double micro = at(root, "train_batch_size");
    if (isnan(runtime_s) || !(steps > 0 || per_s * RATE_MOST > RATE_STEP / 2)) return true;
    struct orr_cells *row = new_row(log, origin);
    if (!row) return false;
    put_text(row, "metric", "step_time_s");
    put(row, "value", steps > 0 ? runtime_s / steps : 1 / per_s);
    put(row, "global_batch", samples_per_step(entry, steps, micro));
    put(row, "micro_batch", micro);
    put_text(row, "engine", "hf-transformers");
    return true;
}

/* The requests in flight: what the rate and the latency make (Little's law), or all of them if they came at once, but
 * never more than a limit allows. */
static double concurrency_of(const json_t *root, double latency_s)
{
    const double limit = at(root, "max_concurrency"), rate = at(root, "request_rate"), all = at(root, "completed");
    double throughput = at(root, "request_throughput");
    if (isnan(throughput)) throughput = all / at(root, "duration");
    const bool paced = rate > 0 && isfinite(rate) && isfinite(throughput);
    const double least = paced ? in_flight(throughput * latency_s) : all;
    return limit > 0 ? fmin(limit, isnan(least) ? limit : least) : least;
}

/* The server that was asked, as the benchmark names its protocol; a name that any server may have says nothing. */
static const char *server_of(const json_t *root)
{
    static const char *const SERVERS[][2] = {{"vllm", "vllm"},         {"sglang", "sglang"},
                                             {"trt", "tensorrt-llm"},  {"tensorrt", "tensorrt-llm"},
                                             {"lmdeploy", "lmdeploy"}, {"tgi", "tgi"}};
    const char *name = text_at(root, "backend");
    if (!name) name = text_at(root, "endpoint_type");
    for (size_t i = 0; name && i < sizeof SERVERS / sizeof *SERVERS; i++)
        if (strncmp(name, SERVERS[i][0], strlen(SERVERS[i][0])) == 0) return SERVERS[i][1];
    return NULL;
}

/* genai-perf has "tensorrtllm" as its backend whatever it asks, which counts only where the server is Triton. */
static const char *perf_server_of(const json_t *root)
{
    const json_t *config = json_object_get(root, "input_config"), *endpoint = json_object_get(config, "endpoint");
    if (text_at(endpoint, "backend")) config = endpoint;
    const char *backend = text_at(config, "backend"), *kind = text_at(config, "service_kind");
    if (kind && strcmp(kind, "tensorrtllm_engine") == 0) return "tensorrt-llm";
    const bool usual = backend && strncmp(backend, "tensorrt", 8) == 0;
    return backend && (!usual || (kind && strcmp(kind, "triton") == 0)) ? server_of(config) : NULL;
}

/* Says how many requests failed. Returns false if tokens were drafted: how many of them were accepted decides the time,
 * and no column says it. */
static bool is_plain(const json_t *root, struct orr_log *log)
{
    static const char *const DRAFTS[] = {"accept_length", "spec_decode_acceptance_length"};
    const double all = at(root, "num_prompts"), completed = at(root, "completed");
    const double failed = isnan(all) ? at(root, "failed") : all - completed;
    if (failed > 0)
        (void)snprintf(log->remark, sizeof log->remark, "%.0f of %.0f requests failed; the others count", failed,
                       failed + completed);
    for (size_t i = 0; i < 2; i++) {
        if (!(at(root, DRAFTS[i]) > 1)) continue;
        (void)snprintf(log->remark, sizeof log->remark, "not used: its tokens were drafted (%s), which no column says",
                       DRAFTS[i]);
        return false;
    }
    return true;
}

static bool read_bench_serving(const json_t *root, const char *origin, struct orr_log *log)
{
    struct orr_cells shared = {0};
    const double completed = at(root, "completed"), output = at(root, "total_output_tokens") / completed;
    const double tpot_s = 1e-3 * at(root, "mean_tpot_ms");
    double latency_s = 1e-3 * at(root, "mean_e2el_ms");
    if (!is_plain(root, log)) return true;
    if (isnan(latency_s)) latency_s = 1e-3 * at(root, "mean_e2e_latency_ms");
    if (isnan(latency_s)) latency_s = 1e-3 * at(root, "mean_ttft_ms") + tpot_s * (output - 1);
    put_text(&shared, "model", text_at(root, "model_id"));
    put_text(&shared, "engine", server_of(root));
    put(&shared, "input_len", whole(at(root, "total_input_tokens") / completed));
    put(&shared, "output_len", whole(output));
    put(&shared, "concurrency", concurrency_of(root, latency_s));
    put(&shared, "requests", completed);
    put_load(&shared);
    return add_metric(log, &shared, "tpot_s", tpot_s, origin) &&
           add_metric(log, &shared, "latency_s", latency_s, origin);
}

/* The mean of a time in its unit, which is milliseconds unless it says otherwise. */
static double mean_s(const json_t *root, const char *metric)
{
    static const struct {
        const char *name;
        double unit_s;
    } UNITS[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}, {"sec", 1}};
    const json_t *time = json_object_get(root, metric);
    const char *unit = text_at(time, "unit");
    double unit_s = 1e-3;
    for (size_t i = 0; unit && i < sizeof UNITS / sizeof *UNITS; i++)
        if (strcmp(unit, UNITS[i].name) == 0) unit_s = UNITS[i].unit_s;
    return unit_s * at(time, "avg");
}

static bool read_perf(const json_t *root, const char *origin, struct orr_log *log)
{
    static const char *const LOADS[] = {"input_config.perf_analyzer.stimulus.concurrency",
                                        "input_config.loadgen.concurrency", "input_config.concurrency"};
    static const char *const MODELS[] = {"input_config.endpoint.model_names", "input_config.model_names",
                                         "input_config.model"};
    struct orr_cells shared = {0};
    for (size_t i = 0; i < 3; i++) {
        if (!orr_cells_get(&shared, "concurrency")[0]) put(&shared, "concurrency", at(root, LOADS[i]));
        if (!orr_cells_get(&shared, "model")[0]) put_text(&shared, "model", text_at(root, MODELS[i]));
    }
    if (!orr_cells_get(&shared, "concurrency")[0]) /* paced: Little's law */
        put(&shared, "concurrency", in_flight(at(root, "request_throughput.avg") * mean_s(root, "request_latency")));
    put_text(&shared, "engine", perf_server_of(root));
    put(&shared, "input_len", whole(at(root, "input_sequence_length.avg")));
    put(&shared, "output_len", whole(at(root, "output_sequence_length.avg")));
    put_load(&shared);
    return add_metric(log, &shared, "tpot_s", mean_s(root, "inter_token_latency"), origin) &&
           add_metric(log, &shared, "latency_s", mean_s(root, "request_latency"), origin);
}

/* The format of the weights. Names of mixed ones say nothing that a row could. */
static void put_quantisation(const json_t *root, struct orr_cells *shared, struct orr_log *log)
{
    static const char *const FORMATS[][2] = {{"FP8", "fp8"},         {"NVFP4", "nvfp4"}, {"W4A16_AWQ", "awq"},
                                             {"W4A16_GPTQ", "gptq"}, {"W4A16", "int4"},  {"W8A16", "int8"},
                                             {"bfloat16", "bf16"},   {"float16", "fp16"}};
    const char *quantised = text_at(root, "engine.quantization"), *name = quantised;
    if (!name || strcmp(name, "NO_QUANT") == 0) name = text_at(root, "engine.dtype");
    const bool blocks = name && strncmp(name, "FP8_", 4) == 0; /* with scales per block or per row */
    for (size_t i = 0; name && i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (strcmp(blocks ? "FP8" : name, FORMATS[i][0]) == 0) put_text(shared, "precision", FORMATS[i][1]);
    const char *cache = text_at(root, "engine.kv_cache_dtype");
    if (cache && strcmp(cache, "FP8") == 0) put_text(shared, "kv_precision", "fp8");
    if (quantised && !orr_cells_get(shared, "precision")[0])
        (void)snprintf(log->remark, sizeof log->remark,
                       "quantization \"%.40s\" is not known: say it (--with precision=)", quantised);
}

static bool read_trtllm(const json_t *root, const char *origin, struct orr_log *log)
{
    struct orr_cells shared = {0};
    put_text(&shared, "model", text_at(root, "engine.model"));
    put_text(&shared, "engine", "tensorrt-llm");
    put(&shared, "gpus", at(root, "world_info.world_size"));
    put(&shared, "tp", at(root, "world_info.tp_size"));
    put(&shared, "pp", at(root, "world_info.pp_size"));
    put(&shared, "ep", at(root, "world_info.ep_size"));
    put_quantisation(root, &shared, log);
    put(&shared, "input_len", whole(at(root, "request_info.avg_input_length")));
    put(&shared, "output_len", whole(at(root, "request_info.avg_output_length")));
    put(&shared, "concurrency", in_flight(at(root, "request_info.avg_num_concurrent_requests")));
    put_load(&shared);
    return add_metric(log, &shared, "output_tokens_per_s_per_gpu",
                      at(root, "performance.output_throughput_per_gpu_tok_s"), origin) &&
           add_metric(log, &shared, "tpot_s", 1e-3 * at(root, "streaming_metrics.avg_tpot_ms"), origin);
}

/* ---------------------------------------------------------------- which one */

static const struct format {
    const char *name;
    const char *keys[2]; /* keys that it has, and that no other has together */
    bool (*read)(const json_t *, const char *, struct orr_log *);
} FORMATS[] = {{"the trainer_state.json", {"log_history", "log_history"}, read_trainer},
               {"the result of the Trainer", {"train_runtime", "train_steps_per_second"}, read_trainer},
               {"the trtllm-bench report", {"performance", "request_info"}, read_trtllm},
               {"the genai-perf export", {"request_latency", "output_sequence_length"}, read_perf},
               {"the benchmark's result", {"completed", "total_output_tokens"}, read_bench_serving}};

static const struct format *format_of(const json_t *root)
{
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (json_object_get(root, FORMATS[i].keys[0]) && json_object_get(root, FORMATS[i].keys[1])) return &FORMATS[i];
    return NULL;
}

static enum orr_err read_object(const json_t *root, const char *origin, struct orr_log *log, struct orr_error *error)
{
    const struct format *format = format_of(root);
    const size_t before = log->n_rows;
    if (!format)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                        "JSON of no known benchmark: neither Trainer, vllm bench serve, SGLang bench_serving, "
                        "genai-perf, aiperf nor trtllm-bench");
    if (!format->read(root, origin, log)) return orr_out_of_memory(error, origin);
    log->format = format->name;
    if (log->n_rows > before || strncmp(log->remark, "not used", 8) == 0) return ORR_OK;
    const bool rounded = !isnan(at(root, "train_steps_per_second"));
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "%s has no time in it%s", format->name,
                    rounded ? ": its steps per second are rounded too far; give trainer_state.json" : "");
}

/* An object, or a list of them. */
static enum orr_err read_document(const json_t *root, const char *origin, struct orr_log *log, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    if (!json_is_array(root)) return read_object(root, origin, log, error);
    for (size_t i = 0; i < json_array_size(root) && !err; i++)
        err = read_object(json_array_get(root, i), origin, log, error);
    return err;
}

/* Python writes Infinity and NaN, which JSON does not have. They become null or, where that is too long, 0, which is no
 * measured time either; the text keeps its length. */
static void blank_words(char *text)
{
    static const char *const WORDS[] = {"-Infinity", "Infinity", "NaN"};
    bool quoted = false;
    for (char *c = text; *c; c++) {
        if (quoted && c[0] == '\\' && c[1]) c++; /* what stands behind it is no end of the text */
        else if (*c == '"') quoted = !quoted;
        for (size_t i = 0; !quoted && i < sizeof WORDS / sizeof *WORDS; i++) {
            const size_t n = strlen(WORDS[i]);
            if (strncmp(c, WORDS[i], n) != 0) continue;
            memset(c, ' ', n);
            if (n < 4) *c = '0';
            else memcpy(c, "null", 4);
        }
    }
}

static enum orr_err read_documents(const char *text, const char *origin, struct orr_log *log, struct orr_error *error)
{
    json_error_t where;
    enum orr_err err = ORR_OK;
    size_t used = 0, left = strlen(text);
    while (!err && left > 0) { /* lines of JSON are documents one after another */
        json_t *root = json_loadb(text + used, left, JSON_DISABLE_EOF_CHECK, &where);
        if (!root) {
            err = orr_fail(error, ORR_ERR_SYNTAX,
                           (struct orr_place){.file = origin, .line = where.line, .column = where.column},
                           "not JSON: %s", where.text);
            break;
        }
        err = orr_complete(ORR_OK, error);
        if (!err) err = read_document(root, origin, log, error);
        json_decref(root);
        used += (size_t)where.position;
        used += strspn(text + used, " \t\r\n");
        left = strlen(text + used);
    }
    return err;
}

enum orr_err orr_log_json(const char *text, const char *origin, struct orr_log *log, struct orr_error *error)
{
    char *copy = malloc(strlen(text) + 1);
    if (!copy) return orr_out_of_memory(error, origin);
    memcpy(copy, text, strlen(text) + 1);
    blank_words(copy);
    const enum orr_err err = read_documents(copy, origin, log, error);
    free(copy);
    return err;
}
