/* calibration/<id>.json -> struct orr_calibration: constants fitted from kernel timings. */
#include <stdio.h>
#include <string.h>

#include "spec/names.h"
#include "spec/sources.h"
#include "spec/spec.h"

/* clang-format off */

/* How well a group of constants fits its rows; checked, shown by the catalogue, not used by the model. */
struct fit {
    int64_t rows;
    double median_error_frac, p90_error_frac;
};

struct gemm_entry {
    struct orr_gemm_constants constants;
    struct fit fit;
};

struct attention_entry {
    struct orr_attention_constants constants;
    struct fit fit;
};

struct decode_entry {
    struct orr_decode_constants constants;
    struct fit fit;
};

struct line_entry {
    struct orr_collective_line line;
    struct fit fit;
};

/* Rows of the tables below: key, member of the entry. */
#define NUMBER(S, group, name, of, need, low, high, what)                                                     \
    {.key = #name, .type = ORR_FIELD_REAL, .unit = of, .required = need, .min = low, .max = high,             \
     .offset = offsetof(struct S, group.name), .meaning = what}
#define FIT(S)                                                                                                \
    {.key = "rows", .type = ORR_FIELD_INT, .unit = ORR_UNIT_COUNT, .min = 0, .max = 1e9,                      \
     .offset = offsetof(struct S, fit.rows), .meaning = "kernel timings fitted"},                             \
    NUMBER(S, fit, median_error_frac, ORR_UNIT_NONE, false, 0, 10, "median error of the fit"),                \
    NUMBER(S, fit, p90_error_frac, ORR_UNIT_NONE, false, 0, 10, "error nine in ten rows stay below")

/* A fraction of zero would divide by zero: a kernel that makes no progress is no calibration. */
#define LEAST_FRAC 0.001
#define GEMM(name, of, low, high, what) NUMBER(gemm_entry, constants, name, of, true, low, high, what)
#define ATTENTION(name, of, low, high, what) NUMBER(attention_entry, constants, name, of, true, low, high, what)
#define DECODE(name, of, low, high, what) NUMBER(decode_entry, constants, name, of, true, low, high, what)

static const struct orr_field GEMM_FIELDS[] = {
    GEMM(burst_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "share of peak before the power limit acts"),
    NUMBER(gemm_entry, constants, sm_frac, ORR_UNIT_NONE, false, 0, 1,
           "share of its own peak one SM reaches; 0: burst_frac"),
    GEMM(sustained_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "share of peak in an endless matrix load"),
    GEMM(power_slope, ORR_UNIT_NONE, 0, 100, "gain in share per unit of time outside matrix kernels"),
    GEMM(dram_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "sustained share of DRAM bandwidth"),
    GEMM(dram_ramp_bytes, ORR_UNIT_BYTES, 0, 1e12, "traffic at which DRAM reaches half its rate"),
    GEMM(tile_cost, ORR_UNIT_NONE, 0, 1e4, "lost share per 1/tile side"),
    GEMM(wave_s, ORR_UNIT_S, 0, 1, "fixed time of a wave"),
    GEMM(launch_s, ORR_UNIT_S, 0, 1, "fixed time of a dependent kernel in a stream"),
    GEMM(grouped_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "grouped product: share of peak inside a tile"),
    GEMM(grouped_tile_s, ORR_UNIT_S, 0, 1, "grouped product: fixed time of a tile"),
    GEMM(grouped_dram_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "grouped product: share of DRAM bandwidth"),
    GEMM(grouped_launch_s, ORR_UNIT_S, 0, 1, "grouped product: fixed time, routing kernels in"),
    FIT(gemm_entry),
};

static const struct orr_field ATTENTION_FIELDS[] = {
    ATTENTION(forward_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "share of 16-bit peak, forward"),
    ATTENTION(forward_half_seq, ORR_UNIT_COUNT, 0, 1e6, "sequence at half that share"),
    ATTENTION(backward_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "share of 16-bit peak, backward"),
    ATTENTION(backward_half_seq, ORR_UNIT_COUNT, 0, 1e6, "sequence at half that share"),
    ATTENTION(head_64_frac, ORR_UNIT_NONE, LEAST_FRAC, 2, "factor for heads up to 64"),
    ATTENTION(head_96_frac, ORR_UNIT_NONE, LEAST_FRAC, 2, "factor for heads up to 96"),
    ATTENTION(launch_s, ORR_UNIT_S, 0, 1, "fixed time of the kernel"),
    ATTENTION(tail, ORR_UNIT_NONE, 0, 10, "last blocks of a launch, in walks of one block over its keys"),
    FIT(attention_entry),
};

static const struct orr_field DECODE_FIELDS[] = {
    DECODE(launch_s, ORR_UNIT_S, 0, 1, "fixed time of the kernel"),
    DECODE(dram_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "share of DRAM bandwidth the cache is read at"),
    DECODE(compute_frac, ORR_UNIT_NONE, LEAST_FRAC, 1, "share of peak"),
    DECODE(sm_bytes_per_s, ORR_UNIT_BYTES_PER_S, 1e6, 1e15, "what one SM can read"),
    DECODE(block_s, ORR_UNIT_S, 0, 1, "fixed time of a thread block"),
    DECODE(reduce_s, ORR_UNIT_S, 0, 1, "adding partial results of a split context"),
    DECODE(ramp_bytes, ORR_UNIT_BYTES, 0, 1e12, "cache bytes read at half rate before DRAM is busy"),
    DECODE(head_elements_per_s, ORR_UNIT_NONE, 1e6, 1e18, "elements of kernels with one query head per block"),
    FIT(decode_entry),
};

static const struct orr_field LINE_FIELDS[] = {
    {.key = "collective", .type = ORR_FIELD_ENUM, .required = true,
     .offset = offsetof(struct line_entry, line.collective), .names = orr_collective_names,
     .n_names = ORR_N_COLLECTIVES, .meaning = "the operation"},
    {.key = "algorithm", .type = ORR_FIELD_ENUM, .required = true,
     .offset = offsetof(struct line_entry, line.algorithm), .names = orr_algorithm_names,
     .n_names = ORR_N_ALGORITHMS, .meaning = "how it runs"},
    {.key = "low_latency", .type = ORR_FIELD_BOOL, .required = true,
     .offset = offsetof(struct line_entry, line.low_latency), .meaning = "latency protocol, else bandwidth"},
    {.key = "custom", .type = ORR_FIELD_BOOL, .offset = offsetof(struct line_entry, line.custom),
     .meaning = "a serving engine's own kernel"},
    NUMBER(line_entry, line, base_s, ORR_UNIT_S, true, 0, 1, "fixed time"),
    NUMBER(line_entry, line, hop_s, ORR_UNIT_S, true, 0, 1, "time per hop"),
    FIT(line_entry),
};
static const char *const LINE_EXTRA[] = {"ranks", "efficiency_frac", NULL};

#define POINTWISE(member, word, what)                                                                         \
    {.key = word, .type = ORR_FIELD_REAL, .required = true, .min = LEAST_FRAC, .max = 1,                      \
     .offset = offsetof(struct orr_calibration, pointwise_frac) + ORR_POINTWISE_##member * sizeof(double),    \
     .meaning = "share of DRAM bandwidth: " what},
static const struct orr_field POINTWISE_FIELDS[] = {ORR_POINTWISES(POINTWISE)};

static const struct orr_field FIELDS[] = {
    ORR_REAL(orr_calibration, pointwise_launch_s, ORR_UNIT_S, true, 0, 1, "fixed time of a pointwise kernel"),
    ORR_REAL(orr_calibration, l2_frac, ORR_UNIT_NONE, true, LEAST_FRAC, 1, "share of last-level bandwidth"),
    ORR_REAL(orr_calibration, write_frac, ORR_UNIT_NONE, true, LEAST_FRAC, 1, "DRAM share of a product's writes"),
    ORR_REAL(orr_calibration, softmax_unfused_frac, ORR_UNIT_NONE, true, LEAST_FRAC, 1, "framework softmax"),
    ORR_REAL(orr_calibration, softmax_unfused_backward_frac, ORR_UNIT_NONE, true, LEAST_FRAC, 1, "its gradient"),
    ORR_REAL(orr_calibration, p2p_scaleup_frac, ORR_UNIT_NONE, true, LEAST_FRAC, 1, "share of the link a send has"),
    ORR_REAL(orr_calibration, overlap_contention_frac, ORR_UNIT_NONE, true, 0, 1, "compute lost beside transfers"),
    ORR_REAL(orr_calibration, straggle_frac_per_doubling, ORR_UNIT_NONE, true, 0, 1, "time added per doubling"),
};
static const char *const EXTRA[] = {"name", "chips", "software", "gemm", "attention", "decode", "mla_decode",
                                    "pointwise_frac", "lines", "fit", "sources", NULL};
static const char *const UNSOURCED[] = {"name", "chips", "software", "fit", "sources", NULL};

/* ---------------------------------------------------------------- the nested tables */

static enum orr_err read_gemm(const struct orr_doc *doc, struct orr_calibration *calibration, struct orr_error *error)
{
    char path[ORR_KEY_PATH], shown[ORR_SHOWN];
    json_t *table = json_object_get(doc->root, "gemm");
    if (!json_is_object(table))
        return orr_doc_fail(doc, table ? "gemm" : "", error, "%s", table ? "must be an object of dtypes"
                                                                          : "missing key \"gemm\": {\"bf16\": {...}}");
    const char *key;
    json_t *value;
    json_object_foreach(table, key, value) {
        size_t dtype = 0;
        while (dtype < ORR_N_MATRIX_DTYPES && strcmp(key, orr_dtype_names[dtype]) != 0)
            dtype++;
        if (dtype == ORR_N_MATRIX_DTYPES)
            return orr_doc_fail_unknown(doc, "gemm", key, orr_dtype_names, ORR_N_MATRIX_DTYPES, error);
        struct gemm_entry entry = {0};
        const enum orr_err err = orr_fields_read(doc, orr_key_path(path, "gemm", key), value, GEMM_FIELDS,
                                                 ORR_COUNT_OF(GEMM_FIELDS), NULL, &entry, error);
        if (err)
            return err;
        if (entry.constants.sustained_frac > entry.constants.burst_frac)
            return orr_doc_fail_rule(doc, path, error, "sustained_frac %s is above burst_frac",
                                     orr_json_shown(shown, json_object_get(value, "sustained_frac")));
        calibration->gemm[dtype] = entry.constants;
    }
    return ORR_OK;
}

static enum orr_err read_attention(const struct orr_doc *doc, struct orr_calibration *calibration,
                                   struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    json_t *table = json_object_get(doc->root, "attention");
    if (!json_is_object(table))
        return orr_doc_fail(doc, table ? "attention" : "", error, "%s",
                            table ? "must be an object of kernels" : "missing key \"attention\": {\"flash2\": {...}}");
    const char *key;
    json_t *value;
    json_object_foreach(table, key, value) {
        size_t kernel = 0;
        while (kernel < ORR_N_ATTENTION_KERNELS && strcmp(key, orr_attention_kernel_names[kernel]) != 0)
            kernel++;
        if (kernel == ORR_N_ATTENTION_KERNELS)
            return orr_doc_fail_unknown(doc, "attention", key, orr_attention_kernel_names, ORR_N_ATTENTION_KERNELS,
                                        error);
        struct attention_entry entry = {0};
        const enum orr_err err = orr_fields_read(doc, orr_key_path(path, "attention", key), value, ATTENTION_FIELDS,
                                                 ORR_COUNT_OF(ATTENTION_FIELDS), NULL, &entry, error);
        if (err)
            return err;
        calibration->attention[kernel] = entry.constants;
    }
    return ORR_OK;
}

/* {"16": constants, "8": constants} at `path`: one set per width of the cache, both needed. */
static enum orr_err read_widths(const struct orr_doc *doc, const char *path, json_t *table,
                                struct orr_decode_constants widths[2], struct orr_error *error)
{
    static const char *const WIDTHS[] = {"16", "8", NULL};
    char key[ORR_KEY_PATH];
    enum orr_err err = orr_fields_read(doc, path, table, NULL, 0, WIDTHS, NULL, error);
    for (int width = 0; width < 2 && !err; width++) {
        const json_t *value = json_object_get(table, WIDTHS[width]);
        if (!value)
            return orr_doc_fail(doc, path, error, "missing key \"%s\": constants of a %s-bit cache", WIDTHS[width],
                                WIDTHS[width]);
        struct decode_entry entry = {0};
        err = orr_fields_read(doc, orr_key_path(key, path, WIDTHS[width]), value, DECODE_FIELDS,
                              ORR_COUNT_OF(DECODE_FIELDS), NULL, &entry, error);
        widths[width] = entry.constants;
    }
    return err;
}

static enum orr_err read_decode(const struct orr_doc *doc, struct orr_calibration *calibration,
                                struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    json_t *table = json_object_get(doc->root, "decode");
    if (!json_is_object(table))
        return orr_doc_fail(doc, table ? "decode" : "", error, "%s",
                            table ? "must be an object of decode kernels"
                                  : "missing key \"decode\": {\"paged\": {\"16\": {...}, \"8\": {...}}, ...}");
    const char *key;
    json_t *value;
    json_object_foreach(table, key, value) {
        size_t kernel = 0;
        while (kernel < ORR_N_DECODE_KERNELS && strcmp(key, orr_decode_kernel_names[kernel]) != 0)
            kernel++;
        if (kernel == ORR_N_DECODE_KERNELS)
            return orr_doc_fail_unknown(doc, "decode", key, orr_decode_kernel_names, ORR_N_DECODE_KERNELS, error);
        const enum orr_err err = read_widths(doc, orr_key_path(path, "decode", key), value,
                                             calibration->decode[kernel], error);
        if (err)
            return err;
    }
    json_t *latent = json_object_get(doc->root, "mla_decode");
    if (!latent)
        return orr_doc_fail(doc, "", error, "missing key \"mla_decode\": {\"16\": {...}, \"8\": {...}}");
    return read_widths(doc, "mla_decode", latent, calibration->mla_decode, error);
}

/* An array of 1 to ORR_LINE_POINTS numbers in [min, max]. */
static enum orr_err read_points(const struct orr_doc *doc, const char *path, const json_t *array, double min,
                                double max, double *points, int64_t *n_points, struct orr_error *error)
{
    const size_t n = json_array_size(array);
    if (n < 1 || n > ORR_LINE_POINTS)
        return orr_doc_fail(doc, path, error, "must be an array of 1 to %d numbers", ORR_LINE_POINTS);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        points[i] = json_number_value(value);
        const bool number = json_is_number(value) ||
                            (json_is_string(value) &&
                             orr_quantity_parse(json_string_value(value), ORR_UNIT_NONE, &points[i]));
        if (!number || points[i] < min || points[i] > max)
            return orr_doc_fail(doc, path, error, "number %zu must be a number from %g to %g", i + 1, min, max);
    }
    *n_points = (int64_t)n;
    return ORR_OK;
}

static enum orr_err read_line(const struct orr_doc *doc, const char *path, const json_t *value,
                              struct orr_collective_line *line, struct orr_error *error)
{
    struct line_entry entry = {0};
    char key[ORR_KEY_PATH];
    enum orr_err err = orr_fields_read(doc, path, value, LINE_FIELDS, ORR_COUNT_OF(LINE_FIELDS), LINE_EXTRA, &entry,
                                       error);
    if (err)
        return err;
    *line = entry.line;
    int64_t n_ranks = 0;
    orr_key_path(key, path, "ranks");
    err = read_points(doc, key, json_object_get(value, "ranks"), 1, 1e7, line->ranks, &n_ranks, error);
    if (err)
        return err;
    for (int64_t i = 1; i < n_ranks; i++)
        if (line->ranks[i] <= line->ranks[i - 1])
            return orr_doc_fail(doc, key, error, "must increase, but %g follows %g", line->ranks[i],
                                line->ranks[i - 1]);
    orr_key_path(key, path, "efficiency_frac");
    err = read_points(doc, key, json_object_get(value, "efficiency_frac"), LEAST_FRAC, 1.2, line->efficiency_frac,
                      &line->n_points, error);
    if (!err && line->n_points != n_ranks)
        return orr_doc_fail(doc, key, error, "has %lld numbers for %lld ranks", (long long)line->n_points,
                            (long long)n_ranks);
    return err;
}

static enum orr_err read_lines(const struct orr_doc *doc, struct orr_calibration *calibration,
                               struct orr_error *error)
{
    char path[ORR_KEY_PATH], index[24];
    const json_t *lines = json_object_get(doc->root, "lines");
    if (!lines)
        return orr_doc_fail(doc, "", error, "missing key \"lines\": an array of collective lines (may be empty)");
    if (!json_is_array(lines) || json_array_size(lines) > ORR_MAX_LINES)
        return orr_doc_fail(doc, "lines", error, "must be an array of at most %d lines", ORR_MAX_LINES);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        (void)snprintf(index, sizeof index, "%zu", i);
        const enum orr_err err = read_line(doc, orr_key_path(path, "lines", index), json_array_get(lines, i),
                                           &calibration->lines[i], error);
        if (err)
            return err;
    }
    calibration->n_lines = (int64_t)json_array_size(lines);
    return ORR_OK;
}

static enum orr_err read_pointwise(const struct orr_doc *doc, struct orr_calibration *calibration,
                                   struct orr_error *error)
{
    const json_t *table = json_object_get(doc->root, "pointwise_frac");
    if (!table)
        return orr_doc_fail(doc, "", error, "missing key \"pointwise_frac\": {\"add\": share of DRAM bandwidth, ...}");
    return orr_fields_read(doc, "pointwise_frac", table, POINTWISE_FIELDS, ORR_COUNT_OF(POINTWISE_FIELDS), NULL,
                           calibration, error);
}

/* Fitted on this very chip, or borrowed from its family. */
static enum orr_err read_chips(const struct orr_doc *doc, const char *chip_id, bool *calibrated,
                               struct orr_error *error)
{
    const json_t *chips = json_object_get(doc->root, "chips");
    if (!json_is_array(chips))
        return orr_doc_fail(doc, chips ? "chips" : "", error, "%s",
                            chips ? "must be an array of chip ids" : "missing key \"chips\": [ids it was fitted on]");
    *calibrated = false;
    for (size_t i = 0; i < json_array_size(chips); i++) {
        const char *id = json_string_value(json_array_get(chips, i));
        if (!id)
            return orr_doc_fail(doc, "chips", error, "must be an array of chip ids");
        if (strcmp(id, chip_id) == 0)
            *calibrated = true;
    }
    return ORR_OK;
}

enum orr_err orr_calibration_from_json(const struct orr_doc *doc, const char *id, const char *chip_id,
                                       struct orr_calibration *calibration, struct orr_error *error)
{
    memset(calibration, 0, sizeof *calibration);
    (void)snprintf(calibration->id, sizeof calibration->id, "%s", id);
    enum orr_err err = orr_fields_read(doc, "", doc->root, FIELDS, ORR_COUNT_OF(FIELDS), EXTRA, calibration, error);
    if (!err)
        err = read_chips(doc, chip_id, &calibration->calibrated, error);
    if (!err)
        err = read_gemm(doc, calibration, error);
    if (!err)
        err = read_attention(doc, calibration, error);
    if (!err)
        err = read_decode(doc, calibration, error);
    if (!err)
        err = read_pointwise(doc, calibration, error);
    if (!err)
        err = read_lines(doc, calibration, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}
