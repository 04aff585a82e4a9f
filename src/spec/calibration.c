/* calibration/<id>.json <-> struct orr_calibration: constants fitted from kernel timings. The list of
 * calibration_list.h says how files are read, checked and changed. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "spec/calibration_list.h"
#include "spec/names.h"
#include "spec/sources.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- the list as a table */

#define TYPE(home, type) typedef struct type home_##home;
ORR_HOMES(TYPE)

/* clang-format off */
#define ROW(in, name, of, word, need, least, most, shown, kind, told, fit_least, fit_most, usual, what)                \
    {.key = #name, .unit_name = word, .meaning = what, .home = ORR_HOME_##in, .offset = offsetof(home_##in, name),     \
     .n = sizeof((home_##in *)0)->name / sizeof(double), .unit = ORR_UNIT_##of, .required = need, .min = least,        \
     .max = most, .explained = ORR_EXPLAINED_##shown, .group = ORR_FIT_##kind, .told_by = ORR_TOLD_BY_##told,          \
     .fit_min = fit_least, .fit_max = fit_most, .typical = usual},
/* clang-format on */
const struct orr_constant orr_constants[ORR_N_CONSTANTS] = {ORR_CONSTANTS(ROW)};

/* A member that has no row fails to compile here: listed members and members that are no constants must fill the
 * struct. */
#define BYTES(want, in, name)            +(ORR_HOME_##in == ORR_HOME_##want ? sizeof((home_##in *)0)->name : 0)
#define GEMM_BYTES(in, name, ...)        BYTES(GEMM, in, name)
#define ATTENTION_BYTES(in, name, ...)   BYTES(ATTENTION, in, name)
#define DECODE_BYTES(in, name, ...)      BYTES(DECODE, in, name)
#define LINE_BYTES(in, name, ...)        BYTES(LINE, in, name)
#define CALIBRATION_BYTES(in, name, ...) BYTES(CALIBRATION, in, name)
#define SIZE(type, member)               sizeof((struct type *)0)->member
struct head { /* members of a calibration before its constants */
    char id[ORR_ID];
    bool calibrated;
    double constants;
};
_Static_assert(0 ORR_CONSTANTS(GEMM_BYTES) == sizeof(struct orr_gemm_constants), "a constant is not listed");
_Static_assert(0 ORR_CONSTANTS(ATTENTION_BYTES) == sizeof(struct orr_attention_constants), "a constant is not listed");
_Static_assert(0 ORR_CONSTANTS(DECODE_BYTES) == sizeof(struct orr_decode_constants), "a constant is not listed");
_Static_assert(offsetof(struct orr_collective_line, base_s) ORR_CONSTANTS(LINE_BYTES) +
                       SIZE(orr_collective_line, n_points) + SIZE(orr_collective_line, ranks) ==
                   sizeof(struct orr_collective_line),
               "a constant is not listed");
_Static_assert(offsetof(struct head, constants) ORR_CONSTANTS(CALIBRATION_BYTES) + SIZE(orr_calibration, gemm) +
                       SIZE(orr_calibration, block) + SIZE(orr_calibration, attention) + SIZE(orr_calibration, decode) +
                       SIZE(orr_calibration, mla_decode) + SIZE(orr_calibration, n_lines) +
                       SIZE(orr_calibration, lines) + SIZE(orr_calibration, n_tuned) + SIZE(orr_calibration, tuned) ==
                   sizeof(struct orr_calibration),
               "a constant is not listed");

/* ---------------------------------------------------------------- fields of an object of constants */

/* An object's constants, and how well they fit their rows. The fit is checked and shown, but no prediction uses it. */
struct entry {
    union {
        struct orr_gemm_constants gemm;
        struct orr_attention_constants attention;
        struct orr_decode_constants decode;
        struct orr_collective_line line;
    };
    int64_t rows;
    double median_error_frac, p90_error_frac;
};
static const struct orr_field FIT_FIELDS[] = {
    ORR_INT(entry, rows, false, 0, 1e9, "kernel timings fitted"),
    ORR_REAL(entry, median_error_frac, ORR_UNIT_NONE, false, 0, 10, "median error of the fit"),
    ORR_REAL(entry, p90_error_frac, ORR_UNIT_NONE, false, 0, 10, "error nine in ten rows stay below"),
};
static const struct orr_field LINE_FIELDS[] = {
    ORR_ENUM(orr_collective_line, collective, true, orr_collective_names, "the operation"),
    ORR_ENUM(orr_collective_line, algorithm, true, orr_algorithm_names, "how it runs"),
    ORR_BOOL(orr_collective_line, custom, false, "a serving engine's own kernel"),
    ORR_ENUM(orr_collective_line, kernel, false, orr_allreduce_kernel_names, "... whose"),
    ORR_REAL(orr_collective_line, most_bytes, ORR_UNIT_BYTES, false, 0, 1e15, "... and up to which size, 0: any"),
    ORR_BOOL(orr_collective_line, low_latency, true, "latency protocol, else bandwidth"),
};
static const char *const LINE_EXTRA[] = {"ranks", "efficiency_frac", NULL};
static const char *const EXTRA[] = {"name",      "chips",   "software",   "gemm",           "block",
                                    "attention", "decode",  "mla_decode", "pointwise_frac", "lines",
                                    "fit",       "sources", "tuned_experts",  NULL};
static const char *const UNSOURCED[] = {"name", "chips", "software", "fit", "sources", NULL};
static const char *const WIDTHS[] = {"16", "8", NULL}; /* bits of the cache */

/* Room for the fields of any home: all constants would fit. */
enum { FIELDS_MAX = ORR_N_CONSTANTS + ORR_COUNT_OF(FIT_FIELDS) + ORR_COUNT_OF(LINE_FIELDS) };

static struct orr_field field_of(const struct orr_constant *constant)
{
    return (struct orr_field){.key = constant->key,
                              .type = ORR_FIELD_REAL,
                              .unit = constant->unit,
                              .required = constant->required,
                              .min = constant->min,
                              .max = constant->max,
                              .offset = constant->offset,
                              .meaning = constant->meaning};
}

/* Fills in the fields of the struct `home` and returns how many there are; arrays have readers of their own. */
static size_t fields_of(enum orr_home home, struct orr_field fields[FIELDS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; home == ORR_HOME_LINE && i < ORR_COUNT_OF(LINE_FIELDS); i++) fields[n++] = LINE_FIELDS[i];
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++)
        if (orr_constants[i].home == home && orr_constants[i].n == 1) fields[n++] = field_of(&orr_constants[i]);
    return n;
}

/* Reads over what is in `entry`; where `whole` is false, constants that are not given keep their values there. */
static enum orr_err read_over(const struct orr_doc *doc, const char *path, const json_t *value, enum orr_home home,
                              bool whole, struct entry *entry, struct orr_error *error)
{
    struct orr_field fields[FIELDS_MAX];
    size_t n = fields_of(home, fields);
    for (size_t i = 0; i < n; i++) fields[i].required &= whole;
    for (size_t i = 0; i < ORR_COUNT_OF(FIT_FIELDS); i++) fields[n++] = FIT_FIELDS[i];
    return orr_fields_read(doc, path, value, fields, n, home == ORR_HOME_LINE ? LINE_EXTRA : NULL, entry, error);
}

static enum orr_err read_entry(const struct orr_doc *doc, const char *path, const json_t *value, enum orr_home home,
                               struct entry *entry, struct orr_error *error)
{
    memset(entry, 0, sizeof *entry);
    return read_over(doc, path, value, home, true, entry, error);
}

/* ---------------------------------------------------------------- the nested tables */

static enum orr_err read_gemm(const struct orr_doc *doc, const char *path, const json_t *value, size_t dtype,
                              struct orr_calibration *calibration, struct orr_error *error)
{
    char shown[ORR_SHOWN];
    struct entry entry;
    const enum orr_err err = read_entry(doc, path, value, ORR_HOME_GEMM, &entry, error);
    if (err) return err;
    if (entry.gemm.sustained_frac > entry.gemm.burst_frac)
        return orr_doc_fail_rule(doc, path, error, "sustained_frac %s is above burst_frac",
                                 orr_json_shown(shown, json_object_get(value, "sustained_frac")));
    calibration->gemm[dtype] = entry.gemm;
    return ORR_OK;
}

/* Kernels of other libraries for products in blocks: constants that are not given are those of the format, and null
 * says that none of a base's hold on this chip. A rate that the power limit allows is no more than what the kernel
 * reaches without it. */
static enum orr_err read_block(const struct orr_doc *doc, const char *path, const json_t *value, size_t kernel,
                               struct orr_calibration *calibration, struct orr_error *error)
{
    struct entry entry = {.gemm = calibration->gemm[ORR_DTYPE_FP8_BLOCK]};
    if (json_is_null(value)) return ORR_OK;
    const enum orr_err err = read_over(doc, path, value, ORR_HOME_GEMM, false, &entry, error);
    entry.gemm.sustained_frac = orr_min(entry.gemm.sustained_frac, entry.gemm.burst_frac);
    if (!err) calibration->block[kernel] = entry.gemm;
    return err;
}

static enum orr_err read_attention(const struct orr_doc *doc, const char *path, const json_t *value, size_t kernel,
                                   struct orr_calibration *calibration, struct orr_error *error)
{
    struct entry entry;
    const enum orr_err err = read_entry(doc, path, value, ORR_HOME_ATTENTION, &entry, error);
    if (!err) calibration->attention[kernel] = entry.attention;
    return err;
}

/* Reads {"16": constants, "8": constants} at `path`: one set per width of the cache; both are required. */
static enum orr_err read_widths(const struct orr_doc *doc, const char *path, const json_t *table,
                                struct orr_decode_constants widths[2], struct orr_error *error)
{
    char key[ORR_KEY_PATH];
    enum orr_err err = orr_fields_read(doc, path, table, NULL, 0, WIDTHS, NULL, error);
    for (int width = 0; width < 2 && !err; width++) {
        struct entry entry;
        const json_t *value = json_object_get(table, WIDTHS[width]);
        if (!value)
            return orr_doc_fail(doc, path, error, "missing key \"%s\": constants of a %s-bit cache", WIDTHS[width],
                                WIDTHS[width]);
        err = read_entry(doc, orr_key_path(key, path, WIDTHS[width]), value, ORR_HOME_DECODE, &entry, error);
        widths[width] = entry.decode;
    }
    return err;
}

static enum orr_err read_decode(const struct orr_doc *doc, const char *path, const json_t *value, size_t kernel,
                                struct orr_calibration *calibration, struct orr_error *error)
{
    return read_widths(doc, path, value, calibration->decode[kernel], error);
}

/* A JSON object that holds constants by the name of a format or a kernel. */
struct table {
    const char *key, *keys, *example;
    const char *const *names;
    size_t n_names;
    enum orr_err (*read)(const struct orr_doc *doc, const char *path, const json_t *value, size_t name,
                         struct orr_calibration *calibration, struct orr_error *error);
    bool optional; /* without the key, nothing is known of these kernels */
};
static const struct table GEMM = {"gemm",    "dtypes", "{\"bf16\": {...}}", orr_dtype_names, ORR_N_MATRIX_DTYPES,
                                  read_gemm, false};
static const struct table TABLES[] = {
    {"block", "kernels", "{\"sglang\": {...}}", orr_block_kernel_names, ORR_N_BLOCK_KERNELS, read_block, true},
    {"attention", "kernels", "{\"flash2\": {...}}", orr_attention_kernel_names, ORR_N_ATTENTION_KERNELS, read_attention,
     false},
    {"decode", "decode kernels", "{\"paged\": {\"16\": {...}, \"8\": {...}}, ...}", orr_decode_kernel_names,
     ORR_N_DECODE_KERNELS, read_decode, false},
};

static enum orr_err read_table(const struct orr_doc *doc, const struct table *table,
                               struct orr_calibration *calibration, struct orr_error *error)
{
    char path[ORR_KEY_PATH];
    json_t *object = json_object_get(doc->root, table->key);
    if (!object && table->optional) return ORR_OK;
    if (!object) return orr_doc_fail(doc, "", error, "missing key \"%s\": %s", table->key, table->example);
    if (!json_is_object(object)) return orr_doc_fail(doc, table->key, error, "must be an object of %s", table->keys);
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (i < table->n_names && strcmp(key, table->names[i]) != 0) i++;
        if (i == table->n_names) return orr_doc_fail_unknown(doc, table->key, key, table->names, table->n_names, error);
        const enum orr_err err = table->read(doc, orr_key_path(path, table->key, key), value, i, calibration, error);
        if (err) return err;
    }
    return ORR_OK;
}

/* A chip without constants of its own for FlashAttention's kernels runs other kernels there, or none that was timed: it
 * takes those of serving kernels. Framework kernels have no such stand-in. */
static void stand_in_decode(struct orr_calibration *calibration)
{
    static const enum orr_decode_kernel KERNELS[] = {ORR_DECODE_FLASH, ORR_DECODE_FLASH_WIDE};
    for (size_t i = 0; i < ORR_COUNT_OF(KERNELS); i++)
        for (int width = 0; width < 2; width++)
            if (!(calibration->decode[KERNELS[i]][width].dram_frac > 0))
                calibration->decode[KERNELS[i]][width] = calibration->decode[ORR_DECODE_PAGED][width];
}

static enum orr_err read_tables(const struct orr_doc *doc, struct orr_calibration *calibration, struct orr_error *error)
{
    enum orr_err err = read_table(doc, &GEMM, calibration, error);
    for (size_t i = 0; i < ORR_N_BLOCK_KERNELS; i++) calibration->block[i] = calibration->gemm[ORR_DTYPE_FP8_BLOCK];
    for (size_t i = 0; i < ORR_COUNT_OF(TABLES) && !err; i++) err = read_table(doc, &TABLES[i], calibration, error);
    if (err) return err;
    stand_in_decode(calibration);
    const json_t *latent = json_object_get(doc->root, "mla_decode");
    if (!latent) return orr_doc_fail(doc, "", error, "missing key \"mla_decode\": {\"16\": {...}, \"8\": {...}}");
    return read_widths(doc, "mla_decode", latent, calibration->mla_decode, error);
}

static enum orr_err read_line(const struct orr_doc *doc, const char *path, const json_t *value,
                              struct orr_collective_line *line, struct orr_error *error)
{
    const struct orr_constant *efficiency = &orr_constants[ORR_CONSTANT_LINE_efficiency_frac];
    struct entry entry;
    const enum orr_err err = read_entry(doc, path, value, ORR_HOME_LINE, &entry, error);
    if (err) return err;
    *line = entry.line;
    const struct orr_curve curve = {
        .x = {"ranks", 1, 1e7, line->ranks},
        .y = {efficiency->key, efficiency->min, efficiency->max, line->efficiency_frac},
        .most = ORR_LINE_POINTS,
        .n = &line->n_points,
    };
    return orr_curve_read(doc, path, value, &curve, error);
}

static enum orr_err read_lines(const struct orr_doc *doc, struct orr_calibration *calibration, struct orr_error *error)
{
    char path[ORR_KEY_PATH], index[24];
    const json_t *lines = json_object_get(doc->root, "lines");
    if (!lines)
        return orr_doc_fail(doc, "", error, "missing key \"lines\": an array of collective lines (may be empty)");
    if (!json_is_array(lines) || json_array_size(lines) > ORR_MAX_LINES)
        return orr_doc_fail(doc, "lines", error, "must be an array of at most %d lines", ORR_MAX_LINES);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        (void)snprintf(index, sizeof index, "%zu", i);
        const enum orr_err err =
            read_line(doc, orr_key_path(path, "lines", index), json_array_get(lines, i), &calibration->lines[i], error);
        if (err) return err;
    }
    calibration->n_lines = (int64_t)json_array_size(lines);
    return ORR_OK;
}

static enum orr_err read_pointwise(const struct orr_doc *doc, struct orr_calibration *calibration,
                                   struct orr_error *error)
{
    const struct orr_constant *share = &orr_constants[ORR_CONSTANT_CALIBRATION_pointwise_frac];
    struct orr_field fields[ORR_N_POINTWISES];
    const json_t *table = json_object_get(doc->root, share->key);
    if (!table)
        return orr_doc_fail(doc, "", error, "missing key \"%s\": {\"add\": %s, ...}", share->key, share->meaning);
    for (size_t i = 0; i < ORR_N_POINTWISES; i++) {
        fields[i] = field_of(share);
        fields[i].key = orr_pointwise_name((enum orr_pointwise)i);
        fields[i].offset += i * sizeof(double);
    }
    return orr_fields_read(doc, share->key, table, fields, ORR_N_POINTWISES, NULL, calibration, error);
}

/* Finds out whether the constants were fitted on this very chip or are borrowed from its family. */
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
        if (!id) return orr_doc_fail(doc, "chips", error, "must be an array of chip ids");
        if (strcmp(id, chip_id) == 0) *calibrated = true;
    }
    return ORR_OK;
}

enum orr_err orr_calibration_from_json(const struct orr_doc *doc, const char *id, const char *chip_id,
                                       struct orr_calibration *calibration, struct orr_error *error)
{
    struct orr_field fields[FIELDS_MAX];
    const size_t n = fields_of(ORR_HOME_CALIBRATION, fields);
    memset(calibration, 0, sizeof *calibration);
    (void)snprintf(calibration->id, sizeof calibration->id, "%s", id);
    enum orr_err err = orr_fields_read(doc, "", doc->root, fields, n, EXTRA, calibration, error);
    if (!err) err = read_chips(doc, chip_id, &calibration->calibrated, error);
    if (!err) err = read_tables(doc, calibration, error);
    if (!err) err = read_pointwise(doc, calibration, error);
    if (!err) err = read_lines(doc, calibration, error);
    if (!err) err = orr_tuned_read(doc, chip_id, calibration, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

/* ---------------------------------------------------------------- the way back */

static void store(json_t *object, enum orr_home home, const void *now, const void *before)
{
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++) {
        const struct orr_constant *constant = &orr_constants[i];
        if (constant->home != home || constant->n > 1) continue;
        const double value = orr_constant_value(now, constant);
        if (value != orr_constant_value(before, constant)) json_object_set_new(object, constant->key, json_real(value));
    }
}

static bool differs(enum orr_home home, const void *now, const void *before)
{
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++) {
        const struct orr_constant *constant = &orr_constants[i];
        if (constant->home != home || constant->n > 1) continue;
        if (orr_constant_value(now, constant) != orr_constant_value(before, constant)) return true;
    }
    return false;
}

static json_t *whole(enum orr_home home, const void *now)
{
    struct orr_field fields[FIELDS_MAX];
    json_t *object = json_object();
    orr_fields_write(object, fields, fields_of(home, fields), now);
    return object;
}

/* Both widths of a kernel. One that had only stand-ins in the file is written whole once a constant of it is fitted. */
static void store_widths(json_t *table, const char *name, const struct orr_decode_constants now[2],
                         const struct orr_decode_constants before[2])
{
    json_t *kernel = json_object_get(table, name);
    const bool fitted = differs(ORR_HOME_DECODE, &now[0], &before[0]) || differs(ORR_HOME_DECODE, &now[1], &before[1]);
    if (!kernel && fitted) {
        kernel = json_object();
        for (int w = 0; w < 2; w++) json_object_set_new(kernel, WIDTHS[w], whole(ORR_HOME_DECODE, &now[w]));
        json_object_set_new(table, name, kernel);
        return;
    }
    for (int w = 0; w < 2; w++)
        store(json_object_get(kernel, WIDTHS[w]), ORR_HOME_DECODE, &now[w], &before[w]);
}

static json_t *line_json(const struct orr_collective_line *line)
{
    struct orr_field fields[FIELDS_MAX];
    json_t *object = json_object(), *ranks = json_array(), *shares = json_array();
    orr_fields_write(object, fields, fields_of(ORR_HOME_LINE, fields), line);
    for (int64_t i = 0; i < line->n_points; i++) {
        json_array_append_new(ranks, json_integer((json_int_t)line->ranks[i]));
        json_array_append_new(shares, json_real(line->efficiency_frac[i]));
    }
    json_object_set_new(object, "ranks", ranks);
    json_object_set_new(object, orr_constants[ORR_CONSTANT_LINE_efficiency_frac].key, shares);
    return object;
}

static json_t *at(const json_t *root, const char *first, const char *second)
{
    return json_object_get(json_object_get(root, first), second);
}

void orr_calibration_store(json_t *root, const struct orr_calibration *now, const struct orr_calibration *before)
{
    for (int d = 0; d < ORR_N_MATRIX_DTYPES; d++)
        store(at(root, "gemm", orr_dtype_names[d]), ORR_HOME_GEMM, &now->gemm[d], &before->gemm[d]);
    for (int k = 0; k < ORR_N_BLOCK_KERNELS; k++)
        store(at(root, "block", orr_block_kernel_names[k]), ORR_HOME_GEMM, &now->block[k], &before->block[k]);
    for (int k = 0; k < ORR_N_ATTENTION_KERNELS; k++)
        store(at(root, "attention", orr_attention_kernel_names[k]), ORR_HOME_ATTENTION, &now->attention[k],
              &before->attention[k]);
    for (int k = 0; k < ORR_N_DECODE_KERNELS; k++)
        store_widths(json_object_get(root, "decode"), orr_decode_kernel_names[k], now->decode[k], before->decode[k]);
    store_widths(root, "mla_decode", now->mla_decode, before->mla_decode);
    for (int p = 0; p < ORR_N_POINTWISES; p++)
        if (now->pointwise_frac[p] != before->pointwise_frac[p])
            json_object_set_new(json_object_get(root, "pointwise_frac"), orr_pointwise_name((enum orr_pointwise)p),
                                json_real(now->pointwise_frac[p]));
    store(root, ORR_HOME_CALIBRATION, now, before);
    json_t *lines = json_object_get(root, "lines");
    for (int64_t i = 0; i < now->n_lines; i++) {
        if (i >= before->n_lines) json_array_append_new(lines, line_json(&now->lines[i]));
        else if (memcmp(&now->lines[i], &before->lines[i], sizeof now->lines[i]) != 0)
            json_array_set_new(lines, (size_t)i, line_json(&now->lines[i]));
    }
}
