/* A request of kind "serving" -> orr_serving_request: the job of one replica's steps, the traffic, and limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "spec/csv.h"
#include "spec/file.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/request.h"

enum { TRACE_ROWS_MAX = 10000000, DEFAULT_REQUESTS = 10000, LEAST_REQUESTS = 2000, ROUNDS = 20, SESSION_GAP = 100 };
#define RATE_MAX      1e9
#define TIME_MAX_S    1e9
#define ARRIVAL_MAX_S 1e12 /* traces may count from 1970, and beyond this a double loses milliseconds */

static const struct orr_field TRAFFIC_FIELDS[] = {
    ORR_ENUM(orr_traffic, arrival, false, orr_arrival_names, "when requests arrive"),
    ORR_ENUM(orr_traffic, router, false, orr_router_names, "which replica gets a request"),
    ORR_REAL(orr_traffic, rate_per_s, ORR_UNIT_NONE, false, 1e-9, RATE_MAX, "requests per second"),
    ORR_REAL(orr_traffic, burstiness, ORR_UNIT_NONE, false, 0.001, 1000, "shape of gamma gaps; 1: Poisson"),
    ORR_REAL(orr_traffic, swing_frac, ORR_UNIT_NONE, false, 0, 1, "diurnal: amplitude over mean rate"),
    ORR_REAL(orr_traffic, period_s, ORR_UNIT_S, false, 1e-3, TIME_MAX_S, "diurnal: length of a day"),
    ORR_INT(orr_traffic, concurrency, false, 1, 10000000, "users of a closed loop"),
    ORR_REAL(orr_traffic, think_s, ORR_UNIT_S, false, 0, TIME_MAX_S, "mean pause of a user"),
    ORR_INT(orr_traffic, requests, false, 1, 1000000000, "requests of the run"),
    ORR_REAL(orr_traffic, duration_s, ORR_UNIT_S, false, 1e-6, TIME_MAX_S, "no request arrives after this"),
    ORR_REAL(orr_traffic, warmup_s, ORR_UNIT_S, false, 0, TIME_MAX_S, "earlier requests are not counted"),
    ORR_INT(orr_traffic, max_output_len, false, 1, ORR_CONTEXT_MAX, "output that a request may take"),
    ORR_REAL(orr_traffic, prefix_share, ORR_UNIT_NONE, false, 0, 1, "share of a prompt that others begin with too"),
    ORR_INT(orr_traffic, adapters, false, 1, 1000000, "LoRA adapters among the requests"),
    ORR_INT(orr_traffic, adapter_rank, false, 1, 4096, "rank of the adapters"),
    ORR_REAL(orr_traffic, urgent_share, ORR_UNIT_NONE, false, 0, 1, "share of requests that go before all others"),
    ORR_INT(orr_traffic, prefix_groups, false, 1, 1000000000, "groups of requests with a common prefix"),
    ORR_REAL(orr_traffic, session_share, ORR_UNIT_NONE, false, 0, 0.999, "share of requests that follow another"),
    ORR_REAL(orr_traffic, session_gap, ORR_UNIT_NONE, false, 1, 1e9, "mean number of requests between the two"),
};
static const char *const TRAFFIC_EXTRA[] = {"input_len", "output_len", "like", "trace", "seed", NULL};
const struct orr_section orr_traffic_section = {
    .path = "traffic", .fields = TRAFFIC_FIELDS, .n_fields = ORR_COUNT_OF(TRAFFIC_FIELDS), .extra = TRAFFIC_EXTRA};

static const struct orr_field LENGTH_FIELDS[] = {
    ORR_ENUM(orr_lengths, law, false, orr_length_law_names, "law of the lengths"),
    ORR_REAL(orr_lengths, mean, ORR_UNIT_COUNT, false, 1, ORR_CONTEXT_MAX, "mean length"),
    ORR_REAL(orr_lengths, cv, ORR_UNIT_NONE, false, 0, 100, "standard deviation over mean"),
    ORR_REAL(orr_lengths, low, ORR_UNIT_COUNT, false, 0, ORR_CONTEXT_MAX, "shortest"),
    ORR_REAL(orr_lengths, high, ORR_UNIT_COUNT, false, 0, ORR_CONTEXT_MAX, "longest"),
};
static const char *const LENGTH_EXTRA[] = {"points", NULL};

/* ---------------------------------------------------------------- lengths */

/* "1000", "800:1000" (uniform) or "1000~0.5" (lognormal, mean and coefficient of variation). */
static bool lengths_from_text(const char *text, struct orr_lengths *lengths)
{
    const char *mark = strpbrk(text, ":~");
    char first[64];
    double a, b = 0;
    if (mark && (size_t)(mark - text) >= sizeof first) return false;
    (void)snprintf(first, sizeof first, "%.*s", mark ? (int)(mark - text) : 63, text);
    if (!orr_quantity_parse(first, ORR_UNIT_COUNT, &a) || a < 1 || a > ORR_CONTEXT_MAX) return false;
    if (mark && !orr_quantity_parse(mark + 1, *mark == ':' ? ORR_UNIT_COUNT : ORR_UNIT_NONE, &b)) return false;
    if (!mark) *lengths = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = a};
    else if (*mark == ':') *lengths = (struct orr_lengths){.law = ORR_LENGTH_UNIFORM, .low = a, .high = b};
    else *lengths = (struct orr_lengths){.law = ORR_LENGTH_LOGNORMAL, .mean = a, .cv = b};
    return !mark || (*mark == ':' ? b >= a && b <= ORR_CONTEXT_MAX : b >= 0 && b <= 100);
}

static enum orr_err read_points(const struct orr_doc *request, const char *path, const json_t *points,
                                struct orr_lengths *lengths, struct orr_error *error)
{
    lengths->n_points = (int64_t)json_array_size(points);
    double last = 1;
    bool good = json_is_array(points) && lengths->n_points >= 2 && lengths->n_points <= ORR_LENGTH_POINTS;
    for (int64_t i = 0; good && i < lengths->n_points; i++) {
        lengths->points[i] = json_number_value(json_array_get(points, (size_t)i));
        good = lengths->points[i] >= last && lengths->points[i] <= ORR_CONTEXT_MAX;
        last = lengths->points[i];
    }
    if (good) return ORR_OK;
    return orr_doc_fail(request, path, error,
                        "points must be 2 to %d lengths from 1 on in ascending order: quantiles at equal steps",
                        ORR_LENGTH_POINTS);
}

static enum orr_err check_lengths(const struct orr_doc *request, const char *path, const struct orr_lengths *lengths,
                                  struct orr_error *error)
{
    if (lengths->law == ORR_LENGTH_UNIFORM && (lengths->low < 1 || lengths->high < lengths->low))
        return orr_doc_fail(request, path, error, "uniform lengths need low from 1 on, and high from low on");
    if (lengths->law == ORR_LENGTH_FIXED && lengths->mean > floor(lengths->mean))
        return orr_doc_fail(request, path, error, "must be a whole number of tokens, not %g", lengths->mean);
    if (lengths->law == ORR_LENGTH_EMPIRICAL && lengths->n_points == 0)
        return orr_doc_fail(request, path, error, "empirical lengths need points");
    if (lengths->law != ORR_LENGTH_UNIFORM && lengths->law != ORR_LENGTH_EMPIRICAL && lengths->mean < 1)
        return orr_doc_fail(request, path, error, "%s lengths need a mean", orr_length_law_names[lengths->law]);
    return ORR_OK;
}

/* A law has some of the keys; another would be read and change nothing. */
static enum orr_err check_law_keys(const struct orr_doc *request, const char *path, const json_t *value,
                                   enum orr_length_law law, struct orr_error *error)
{
    static const struct {
        const char *key;
        bool of[ORR_N_LENGTH_LAWS];
    } KEYS[] = {{"mean", {[ORR_LENGTH_FIXED] = true, [ORR_LENGTH_LOGNORMAL] = true, [ORR_LENGTH_EXPONENTIAL] = true}},
                {"cv", {[ORR_LENGTH_LOGNORMAL] = true}},
                {"points", {[ORR_LENGTH_EMPIRICAL] = true}}};
    char place[ORR_KEY_PATH];
    for (size_t i = 0; i < ORR_COUNT_OF(KEYS); i++)
        if (json_object_get(value, KEYS[i].key) && !KEYS[i].of[law])
            return orr_doc_fail(request, orr_key_path(place, path, KEYS[i].key), error, "has no effect with law %s",
                                orr_length_law_names[law]);
    return ORR_OK;
}

static enum orr_err read_lengths(const struct orr_doc *request, const char *path, const json_t *value,
                                 struct orr_lengths *lengths, struct orr_error *error)
{
    char shown[ORR_SHOWN];
    *lengths = (struct orr_lengths){0};
    if (json_is_number(value)) {
        *lengths = (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = json_number_value(value)};
        if (lengths->mean >= 1 && lengths->mean <= ORR_CONTEXT_MAX) return check_lengths(request, path, lengths, error);
    } else if (json_is_string(value) && lengths_from_text(json_string_value(value), lengths)) {
        return check_lengths(request, path, lengths, error);
    }
    if (!json_is_object(value))
        return orr_doc_fail(request, path, error,
                            "must be a length, \"LOW:HIGH\", \"MEAN~CV\" or an object with law, mean, cv, low, high "
                            "or points, not %s",
                            orr_json_shown(shown, value));
    enum orr_err err =
        orr_fields_read(request, path, value, LENGTH_FIELDS, ORR_COUNT_OF(LENGTH_FIELDS), LENGTH_EXTRA, lengths, error);
    const json_t *points = json_object_get(value, "points");
    if (!err && points) {
        if (!json_object_get(value, "law")) lengths->law = ORR_LENGTH_EMPIRICAL;
        err = read_points(request, path, points, lengths, error);
    } else if (!err && !json_object_get(value, "law")) {
        lengths->law = lengths->cv > 0     ? ORR_LENGTH_LOGNORMAL
                       : lengths->mean > 0 ? ORR_LENGTH_FIXED
                                           : ORR_LENGTH_UNIFORM;
    }
    if (!err) err = check_law_keys(request, path, value, lengths->law, error);
    return err ? err : check_lengths(request, path, lengths, error);
}

enum orr_err orr_traffic_from_json(const struct orr_doc *doc, struct orr_traffic *traffic, struct orr_error *error)
{
    static const char *const EXTRA[] = {"name", "sources", "input_len", "output_len", NULL};
    const json_t *input = json_object_get(doc->root, "input_len"), *output = json_object_get(doc->root, "output_len");
    *traffic = (struct orr_traffic){0};
    enum orr_err err =
        orr_fields_read(doc, "", doc->root, TRAFFIC_FIELDS, ORR_COUNT_OF(TRAFFIC_FIELDS), EXTRA, traffic, error);
    if (!err) err = read_lengths(doc, "input_len", input, &traffic->input_len, error);
    if (!err) err = read_lengths(doc, "output_len", output, &traffic->output_len, error);
    return err;
}

/* ---------------------------------------------------------------- traces */

static double cell_number(const struct orr_csv *csv, size_t row, const char *name, const char *other)
{
    const char *cell = orr_csv_cell(csv, row, orr_csv_has(csv, name) ? name : other);
    double value;
    return orr_number_parse(cell, &value) ? value : (double)NAN;
}

/* The same of a column that need not be there; a cell may be empty. */
static double optional_number(const struct orr_csv *csv, size_t row, const char *name, const char *other)
{
    const char *cell = orr_csv_cell(csv, row, orr_csv_has(csv, name) ? name : other);
    return cell[0] ? cell_number(csv, row, name, other) : 0;
}

static bool is_length(double tokens)
{
    return tokens >= 1 && tokens <= ORR_CONTEXT_MAX && !(tokens > floor(tokens));
}

static enum orr_err check_columns(const struct orr_csv *csv, const char *file, struct orr_error *error)
{
    static const char *const COLUMNS[][2] = {
        {"arrival_s", "timestamp"}, {"input_len", "input_tokens"}, {"output_len", "output_tokens"}};
    for (size_t i = 0; i < ORR_COUNT_OF(COLUMNS); i++)
        if (!orr_csv_has(csv, COLUMNS[i][0]) && !orr_csv_has(csv, COLUMNS[i][1]))
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = file, .line = 1},
                            "missing column \"%s\" (or \"%s\"); a trace has arrival_s, input_len and output_len",
                            COLUMNS[i][0], COLUMNS[i][1]);
    return ORR_OK;
}

static enum orr_err read_row(const struct orr_csv *csv, const char *file, size_t i, double last_s,
                             struct orr_trace_row *row, struct orr_error *error)
{
    const struct orr_place place = {.file = file, .line = csv->lines[i]};
    const double arrival_s = cell_number(csv, i, "arrival_s", "timestamp");
    const double input = cell_number(csv, i, "input_len", "input_tokens");
    const double output = cell_number(csv, i, "output_len", "output_tokens");
    const double prefix = optional_number(csv, i, "prefix", "prefix_hash"),
                 length = optional_number(csv, i, "prefix_len", ""), urgent = optional_number(csv, i, "urgent", "");
    if (!(arrival_s >= last_s && arrival_s <= ARRIVAL_MAX_S && is_length(input) && is_length(output)))
        return orr_fail(error, ORR_ERR_INPUT, place,
                        "a row needs arrival_s from that of the row before to %g, and whole numbers from 1 to %d as "
                        "input_len and output_len",
                        ARRIVAL_MAX_S, ORR_CONTEXT_MAX);
    if (!(prefix >= 0 && length >= 0 && (urgent == 0 || urgent == 1)))
        return orr_fail(error, ORR_ERR_INPUT, place,
                        "prefix and prefix_len must be numbers from 0 on or empty, and urgent must be 0, 1 or empty");
    *row = (struct orr_trace_row){.arrival_s = arrival_s,
                                  .input_len = (int64_t)input,
                                  .output_len = (int64_t)output,
                                  .prefix = prefix < 1e19 ? (uint64_t)prefix : 0,
                                  .prefix_len = (int64_t)fmin(length, input),
                                  .urgent = urgent > 0};
    return ORR_OK;
}

static enum orr_err read_rows(const struct orr_csv *csv, const char *file, struct orr_serving_request *serving,
                              struct orr_error *error)
{
    enum orr_err err = check_columns(csv, file, error);
    if (err) return err;
    serving->trace = calloc(csv->n_rows + 1, sizeof *serving->trace);
    if (!serving->trace) return orr_out_of_memory(error, file);
    for (size_t i = 0; i < csv->n_rows && !err; i++)
        err = read_row(csv, file, i, i > 0 ? serving->trace[i - 1].arrival_s : 0, &serving->trace[i], error);
    serving->traffic.n_trace = csv->n_rows;
    return err;
}

static enum orr_err read_trace(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                               const json_t *value, struct orr_serving_request *serving, struct orr_error *error)
{
    const char *given = json_string_value(value);
    char *text = NULL;
    struct orr_csv csv = {0};
    if (!given) return orr_doc_fail(request, "traffic.trace", error, "must be the name of a CSV file, or its text");
    const bool rows = strchr(given, '\n'); /* the text itself: a server reads no files of its callers */
    const char *file = rows ? "traffic.trace" : given;
    if (!rows && orr_catalogue_is_sealed(catalogue))
        return orr_doc_fail(request, "traffic.trace", error,
                            "names a file, and this catalogue takes none; give the text of the CSV");
    const char *why = rows ? NULL : orr_file_read(file, &text);
    if (why) return orr_doc_fail(request, "traffic.trace", error, "\"%.200s\": %s", file, why);
    enum orr_err err = orr_csv_parse(rows ? given : text, file, &csv, error);
    if (!err && csv.n_rows == 0) err = orr_doc_fail(request, "traffic.trace", error, "\"%.200s\" has no rows", file);
    if (!err && csv.n_rows > TRACE_ROWS_MAX)
        err = orr_doc_fail(request, "traffic.trace", error, "at most %d rows", TRACE_ROWS_MAX);
    if (!err) err = read_rows(&csv, file, serving, error);
    orr_csv_free(&csv);
    free(text);
    (void)snprintf(serving->trace_file, sizeof serving->trace_file, "%s", file);
    return err;
}

/* ---------------------------------------------------------------- limits */

/* Is the word the name of a timing, with or without its unit: "ttft_s" or "ttft"? */
static bool is_timing(const char *word, const char *name)
{
    const size_t n = strlen(word);
    return strncmp(word, name, n) == 0 && (name[n] == '\0' || strcmp(name + n, "_s") == 0);
}

static bool parse_slo(const char *text, struct orr_slo *slo)
{
    static const struct {
        const char *name;
        double quantile;
    } STATS[] = {{"mean", 0}, {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}};
    const size_t n = strcspn(text, "<");
    char key[64];
    if (text[n] != '<' || n >= sizeof key) return false;
    (void)snprintf(key, sizeof key, "%.*s", (int)n, text);
    key[strcspn(key, " ")] = '\0';
    char *dot = strchr(key, '.');
    bool known = !dot; /* without a statistic: 99 of 100 requests */
    slo->quantile = 0.99;
    if (dot) *dot++ = '\0';
    for (size_t i = 0; dot && i < ORR_COUNT_OF(STATS); i++)
        if (strcmp(dot, STATS[i].name) == 0) {
            known = true;
            slo->quantile = STATS[i].quantile;
        }
    int kind = 0;
    while (kind < ORR_N_TIMINGS && !is_timing(key, orr_timing_name((enum orr_timing_kind)kind))) kind++;
    slo->kind = (enum orr_timing_kind)kind;
    const char *limit = text + n + (text[n + 1] == '=' ? 2 : 1); /* "<" is as good as "<=" */
    return known && kind < ORR_N_TIMINGS && orr_quantity_parse(limit, ORR_UNIT_S, &slo->limit_s) && slo->limit_s > 0;
}

static enum orr_err read_slos(const struct orr_doc *request, const json_t *value, struct orr_serving_request *serving,
                              struct orr_error *error)
{
    const size_t n = json_is_array(value) ? json_array_size(value) : 1;
    char shown[ORR_SHOWN];
    if (n > ORR_MAX_SLOS) return orr_doc_fail(request, "slo", error, "at most %d limits", ORR_MAX_SLOS);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_is_array(value) ? json_array_get(value, i) : value;
        const char *text = json_string_value(item);
        if (!text || !parse_slo(text, &serving->slos[i]))
            return orr_doc_fail(request, "slo", error,
                                "must be like \"ttft_s.p99<=1 s\", with ttft_s, tpot_s, itl_s, latency_s or queue_s "
                                "and mean, p50, p90, p95 or p99, not %s",
                                orr_json_shown(shown, item));
    }
    serving->n_slos = n;
    return ORR_OK;
}

/* ---------------------------------------------------------------- traffic */

/* The rate may be written with its unit: "12/s". */
static void strip_rate(json_t *traffic)
{
    const char *text = json_string_value(json_object_get(traffic, "rate_per_s"));
    const size_t n = text ? strlen(text) : 0;
    char number[64];
    if (n < 3 || n >= sizeof number || strcmp(text + n - 2, "/s") != 0) return;
    (void)snprintf(number, sizeof number, "%.*s", (int)(n - 2), text);
    (void)json_object_set_new(traffic, "rate_per_s", json_string(number));
}

static enum orr_err read_seed(const struct orr_doc *request, const json_t *value, struct orr_traffic *traffic,
                              struct orr_error *error)
{
    const char *text = json_string_value(value);
    char shown[ORR_SHOWN];
    double seed = json_is_number(value) ? json_number_value(value) : -1;
    if (!value) return ORR_OK;
    if (text && !orr_quantity_parse(text, ORR_UNIT_COUNT, &seed)) seed = -1;
    if (seed < 0 || seed > 9e15 || seed != floor(seed))
        return orr_doc_fail(request, "traffic.seed", error, "must be a whole number from 0 to 9e15, not %s",
                            orr_json_shown(shown, value));
    traffic->seed = (uint64_t)seed;
    return ORR_OK;
}

/* What is given says how requests arrive where the arrival itself is not given. */
static enum orr_err choose_arrival(const struct orr_doc *request, const json_t *traffic, struct orr_traffic *t,
                                   struct orr_error *error)
{
    const bool rate = json_object_get(traffic, "rate_per_s"), users = json_object_get(traffic, "concurrency");
    const bool trace = json_object_get(traffic, "trace"), arrival = json_object_get(traffic, "arrival");
    if (!arrival && rate + users + trace != 1)
        return orr_doc_fail(request, "traffic", error, "give one of rate_per_s, concurrency and trace, or an arrival");
    if (!arrival) t->arrival = trace ? ORR_ARRIVAL_TRACE : users ? ORR_ARRIVAL_CLOSED : ORR_ARRIVAL_POISSON;
    const bool rated = t->arrival == ORR_ARRIVAL_POISSON || t->arrival == ORR_ARRIVAL_GAMMA ||
                       t->arrival == ORR_ARRIVAL_CONSTANT || t->arrival == ORR_ARRIVAL_DIURNAL;
    if (rated && !rate) return orr_doc_fail(request, "traffic", error, "this arrival needs rate_per_s");
    if (t->arrival == ORR_ARRIVAL_CLOSED && !users)
        return orr_doc_fail(request, "traffic", error, "a closed loop needs concurrency");
    if (t->arrival == ORR_ARRIVAL_CLOSED && t->router != ORR_ROUTER_ROUND_ROBIN)
        return orr_doc_fail(request, "traffic.router", error,
                            "has no effect on a closed loop, whose users stay with "
                            "their replica");
    if (t->arrival == ORR_ARRIVAL_TRACE && !trace) return orr_doc_fail(request, "traffic", error, "needs a trace");
    return ORR_OK;
}

/* A key that would change nothing is refused: whoever gave it expects something of it. */
static enum orr_err check_effects(const struct orr_doc *request, const json_t *traffic, const struct orr_traffic *t,
                                  struct orr_error *error)
{
    const bool diurnal = t->arrival == ORR_ARRIVAL_DIURNAL;
    const bool paced = diurnal || t->arrival == ORR_ARRIVAL_POISSON || t->arrival == ORR_ARRIVAL_GAMMA ||
                       t->arrival == ORR_ARRIVAL_CONSTANT;
    const struct {
        const char *key;
        bool used;
        const char *of;
    } KEYS[] = {
        {"rate_per_s", paced, "arrival poisson, gamma, constant or diurnal"},
        {"concurrency", t->arrival == ORR_ARRIVAL_CLOSED, "arrival closed"},
        {"trace", t->arrival == ORR_ARRIVAL_TRACE, "arrival trace"},
        {"think_s", t->arrival == ORR_ARRIVAL_CLOSED, "users who ask again (concurrency)"},
        {"burstiness", t->arrival == ORR_ARRIVAL_GAMMA, "arrival gamma"},
        {"swing_frac", diurnal, "arrival diurnal"},
        {"period_s", diurnal, "arrival diurnal"},
        {"prefix_groups", t->prefix_share > 0, "prefix_share above 0"},
        {"session_share", t->prefix_share > 0 && t->prefix_groups == 0, "prefix_share, or with prefix_groups"},
        {"session_gap", t->session_share > 0, "session_share"},
        {"adapter_rank", t->adapters > 0, "adapters"},
    };
    for (size_t i = 0; i < ORR_COUNT_OF(KEYS); i++) {
        char path[ORR_KEY_PATH];
        if (KEYS[i].used || !json_object_get(traffic, KEYS[i].key)) continue;
        return orr_doc_fail(request, orr_key_path(path, "traffic", KEYS[i].key), error, "has no effect without %s",
                            KEYS[i].of);
    }
    if (t->duration_s > 0 && t->warmup_s >= t->duration_s)
        return orr_doc_fail(request, "traffic.warmup_s", error, "must be below duration_s, %g s, or nobody counts",
                            t->duration_s);
    return ORR_OK;
}

/* Answers that are longer than a request may make them contradict each other; laws without an end are cut by nobody. */
static enum orr_err check_outputs(const struct orr_doc *request, const struct orr_serving_request *serving,
                                  struct orr_error *error)
{
    const struct orr_traffic *t = &serving->traffic;
    const struct orr_lengths *l = &t->output_len;
    double longest = l->law == ORR_LENGTH_UNIFORM ? l->high : l->law == ORR_LENGTH_FIXED ? l->mean : 0;
    for (size_t i = 0; i < t->n_trace; i++) longest = orr_max(longest, (double)serving->trace[i].output_len);
    if (t->max_output_len == 0 || (double)t->max_output_len >= longest) return ORR_OK;
    return orr_doc_fail(request, "traffic.max_output_len", error, "%lld is below answers of %.0f tokens (output_len)",
                        (long long)t->max_output_len, longest);
}

static void fill_defaults(struct orr_traffic *t)
{
    const int64_t rounds = ROUNDS * t->concurrency;
    if (t->burstiness <= 0) t->burstiness = 1;
    if (t->adapters > 0 && t->adapter_rank <= 0) t->adapter_rank = ORR_DEFAULT_ADAPTER_RANK;
    if (t->period_s <= 0) t->period_s = 86400;
    if (t->session_gap <= 0) t->session_gap = SESSION_GAP;
    if (t->requests > 0 || t->duration_s > 0 || t->arrival == ORR_ARRIVAL_TRACE) return;
    t->requests =
        t->arrival == ORR_ARRIVAL_CLOSED ? (rounds > LEAST_REQUESTS ? rounds : LEAST_REQUESTS) : DEFAULT_REQUESTS;
}

/* Lengths are in the traffic or, where all are equal, in the workload; the job has their means. */
static enum orr_err read_length(const struct orr_doc *request, json_t *traffic, const char *key, bool traced,
                                struct orr_lengths *lengths, struct orr_error *error)
{
    char path[ORR_KEY_PATH], shown[ORR_SHOWN];
    json_t *workload = json_object_get(request->root, "workload");
    if (workload && json_typeof(workload) != JSON_OBJECT)
        return orr_doc_fail(request, "workload", error, "must be an object, not %s", orr_json_shown(shown, workload));
    const json_t *own = json_object_get(traffic, key), *value = own ? own : json_object_get(workload, key);
    if (value && traced)
        return orr_doc_fail(request, orr_key_path(path, own ? "traffic" : "workload", key), error,
                            "has no effect beside a trace, whose rows have lengths");
    if (!value && traced) lengths->law = ORR_LENGTH_FIXED, lengths->mean = 1;
    else {
        if (!value)
            return orr_doc_fail(request, orr_key_path(path, "traffic", key), error,
                                "is missing: a length, \"LOW:HIGH\", \"MEAN~CV\" or an object");
        const enum orr_err err =
            read_lengths(request, orr_key_path(path, own ? "traffic" : "workload", key), value, lengths, error);
        if (err) return err;
    }
    double mean = lengths->mean;
    if (lengths->law == ORR_LENGTH_UNIFORM) mean = (lengths->low + lengths->high) / 2;
    if (lengths->law == ORR_LENGTH_EMPIRICAL) mean = lengths->points[lengths->n_points / 2];
    if (!workload && json_object_set_new(request->root, "workload", workload = json_object()))
        return orr_out_of_memory(error, NULL);
    return json_object_set_new(workload, key, json_integer((json_int_t)orr_max(1, floor(mean + 0.5))))
               ? orr_out_of_memory(error, NULL)
               : ORR_OK;
}

static enum orr_err read_traffic(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                                 struct orr_serving_request *serving, struct orr_error *error)
{
    struct orr_traffic *t = &serving->traffic;
    json_t *traffic = json_object_get(request->root, "traffic");
    char shown[ORR_SHOWN];
    if (!json_is_object(traffic))
        return orr_doc_fail(request, "traffic", error,
                            "must be an object with rate_per_s, concurrency, trace or like, not %s",
                            traffic ? orr_json_shown(shown, traffic) : "absent");
    strip_rate(traffic);
    enum orr_err err = orr_traffic_join(catalogue, request, traffic, error);
    if (!err)
        err = orr_fields_read(request, "traffic", traffic, TRAFFIC_FIELDS, ORR_COUNT_OF(TRAFFIC_FIELDS), TRAFFIC_EXTRA,
                              t, error);
    const json_t *trace = json_object_get(traffic, "trace");
    if (!err) err = read_seed(request, json_object_get(traffic, "seed"), t, error);
    if (!err) err = choose_arrival(request, traffic, t, error);
    if (!err) err = check_effects(request, traffic, t, error);
    if (!err && trace) err = read_trace(catalogue, request, trace, serving, error);
    if (!err) err = read_length(request, traffic, "input_len", trace, &t->input_len, error);
    if (!err) err = read_length(request, traffic, "output_len", trace, &t->output_len, error);
    if (!err) err = check_outputs(request, serving, error);
    fill_defaults(t);
    return err;
}

/* Engines call their limit a batch, too, but here it would be read and change nothing. */
static enum orr_err check_batch(const struct orr_doc *request, struct orr_error *error)
{
    if (!json_object_get(json_object_get(request->root, "workload"), "batch")) return ORR_OK;
    return orr_doc_fail(request, "workload.batch", error,
                        "has no effect: the load decides how many sequences run at once; engine.max_requests limits "
                        "them (set)");
}

enum orr_err orr_request_check_prompt(const struct orr_doc *request, const struct orr_job *job, struct orr_error *error)
{
    if (job->serving.prefix_hit_frac > 0)
        return orr_doc_fail(request, "workload.prefix_hit_frac", error,
                            "has no effect under load: traffic.prefix_share says what prompts have in common");
    if (job->serving.chunk_tokens > 0)
        return orr_doc_fail(request, "workload.chunk_tokens", error,
                            "has no effect under load: engine.max_step_tokens limits the tokens of a step (set)");
    return ORR_OK;
}

enum orr_err orr_request_serving(const struct orr_catalogue *catalogue, struct orr_doc *request,
                                 struct orr_serving_request *serving, struct orr_error *error)
{
    unsigned stale = ORR_STALE_ALL;
    const char *kind = json_string_value(json_object_get(request->root, "kind"));
    memset(serving, 0, sizeof *serving);
    if (json_object_get(request->root, "kind") && (!kind || strcmp(kind, "serving") != 0))
        return orr_doc_fail(request, "kind", error, "must be \"serving\" here");
    const json_t *slo = json_object_get(request->root, "slo");
    enum orr_err err = check_batch(request, error);
    if (!err) err = read_traffic(catalogue, request, serving, error);
    if (!err && slo) err = read_slos(request, slo, serving, error);
    json_t *deployment = json_incref(json_object_get(request->root, "deployment"));
    if (!err) {
        (void)json_object_del(request->root, "traffic");
        (void)json_object_del(request->root, "slo");
        (void)json_object_del(request->root, "deployment");
        if (json_object_set_new(request->root, "kind", json_string("infer"))) err = orr_out_of_memory(error, NULL);
    }
    if (!err) err = orr_deployment_read(catalogue, request, deployment, serving, error);
    if (!err) err = orr_request_read(catalogue, request, &stale, &serving->job, error);
    if (!err) err = orr_request_check_prompt(request, &serving->job, error);
    if (!err) err = orr_deployment_check(request, serving, error);
    json_decref(deployment);
    if (err) orr_serving_request_close(serving);
    return err;
}

void orr_serving_request_close(struct orr_serving_request *serving)
{
    free(serving->trace);
    free(serving->pool_jobs);
    serving->trace = NULL;
    serving->pool_jobs = NULL;
}

enum orr_err orr_serving_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                              struct orr_serving_request *serving, struct orr_error *error)
{
    struct orr_doc request;
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (!err) err = orr_request_serving(catalogue, &request, serving, error);
    orr_doc_close(&request);
    return err;
}
