/* From kernel tables to rows: one reader per kind reads the cells and locates errors. */
#include "calibrate/calibrate.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORR_X_KERNEL_NAME_(name, word, ...) word,
const char *const orr_kernel_names[ORR_N_KERNELS] = {ORR_KERNELS(ORR_X_KERNEL_NAME_)};

/* ---------------------------------------------------------------- cells */

void orr_row_fail(struct orr_row_reader *r, const char *column, const char *expected)
{
    if (r->err) return;
    char shown[64];
    orr_copy_line(shown, sizeof shown, orr_csv_cell(r->csv, r->row, column));
    r->err = orr_fail(r->error, ORR_ERR_INPUT,
                      (struct orr_place){.file = r->origin, .line = r->csv->lines[r->row], .key = column},
                      "expected %s, not \"%s\"", expected, shown);
}

#define MOST 1e17

double orr_row_number(struct orr_row_reader *r, const char *column, double low)
{
    const char *cell = orr_csv_cell(r->csv, r->row, column);
    double value;
    char expected[64];
    const bool counts = low >= 1; /* sizes, of which there are no parts */
    if (orr_number_parse(cell, &value) && value >= low && value <= MOST && !(counts && value > floor(value)))
        return value;
    (void)snprintf(expected, sizeof expected, "a %s from %g to %g", counts ? "whole number" : "number", low, MOST);
    orr_row_fail(r, column, expected);
    return 1;
}

enum orr_dtype orr_row_dtype(struct orr_row_reader *r, const char *column, const char **word)
{
    static const struct {
        const char *word;
        enum orr_dtype dtype;
    } WORDS[] = {{"bf16", ORR_DTYPE_BF16}, {"fp16", ORR_DTYPE_FP16},           {"fp8", ORR_DTYPE_FP8},
                 {"int8", ORR_DTYPE_INT8}, {"fp8_block", ORR_DTYPE_FP8_BLOCK}, {"nvfp4", ORR_DTYPE_FP4},
                 {"fp4", ORR_DTYPE_FP4},   {"tf32", ORR_DTYPE_TF32},           {"fp32", ORR_DTYPE_FP32}};
    *word = orr_csv_cell(r->csv, r->row, column);
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(*word, WORDS[i].word) == 0) return WORDS[i].dtype;
    orr_row_fail(r, column, "bf16, fp16, fp8, fp8_block, nvfp4, fp4, int8, tf32 or fp32");
    return ORR_N_DTYPES;
}

static enum orr_fit_mode mode_of(struct orr_row_reader *r)
{
    const char *cell = orr_csv_cell(r->csv, r->row, "mode");
    if (strcmp(cell, "burst") == 0) return ORR_MODE_BURST;
    if (strcmp(cell, "sustained") == 0) return ORR_MODE_SUSTAINED;
    if (*cell) orr_row_fail(r, "mode", "burst, sustained or nothing");
    return ORR_MODE_UNKNOWN;
}

/* ---------------------------------------------------------------- lists that grow */

void *orr_fit_grow(void *items, size_t n, size_t size)
{
    if (n > 0 && (n & (n - 1)) != 0) /* There is room up to the next power of two. */
        return items;
    return realloc(items, (n ? 2 * n : 1) * size);
}

/* Make room for one more row of a kind. Returns NULL if out of memory, recorded in r->err. */
static struct orr_kernel_row *new_row(struct orr_row_reader *r, enum orr_kernel kind)
{
    struct orr_fit *fit = r->fit;
    struct orr_kernel_row *rows = orr_fit_grow(fit->rows, fit->n_rows, sizeof *rows);
    if (!rows) {
        r->err = orr_out_of_memory(r->error, r->origin);
        return NULL;
    }
    fit->rows = rows;
    rows[fit->n_rows] = (struct orr_kernel_row){.kind = kind, .group = SIZE_MAX, .ranks = 1};
    return &rows[fit->n_rows++];
}

/* The key of a constant that is not a member of an object. */
#define KEY(member) orr_constants[ORR_CONSTANT_CALIBRATION_##member].key

static void name_group(const struct orr_fit_group *group, char path[48])
{
    static const char *const WIDTHS[] = {"16", "8"};
    const int i = group->index;
    switch (group->kind) {
    case ORR_FIT_GEMM:
    case ORR_FIT_GROUPED: (void)snprintf(path, 48, "gemm.%s", orr_dtype_name((enum orr_dtype)i)); return;
    case ORR_FIT_BMM: (void)snprintf(path, 48, "%s", KEY(write_frac)); return;
    case ORR_FIT_FLASH:
        (void)snprintf(path, 48, "attention.%s", orr_attention_kernel_name((enum orr_attention_kernel)i));
        return;
    case ORR_FIT_DECODE:
        (void)snprintf(path, 48, "decode.%s.%s", orr_decode_kernel_name((enum orr_decode_kernel)i),
                       WIDTHS[group->width]);
        return;
    case ORR_FIT_LATENT: (void)snprintf(path, 48, "mla_decode.%s", WIDTHS[group->width]); return;
    case ORR_FIT_LAUNCH: (void)snprintf(path, 48, "%s", KEY(pointwise_launch_s)); return;
    case ORR_FIT_POINTWISE:
        if (i == ORR_POINTWISE_SOFTMAX) (void)snprintf(path, 48, "%s", KEY(softmax_unfused_frac));
        else (void)snprintf(path, 48, "%s.%s", KEY(pointwise_frac), orr_pointwise_name((enum orr_pointwise)i));
        return;
    case ORR_FIT_LINES:
    case ORR_FIT_CUSTOM: (void)snprintf(path, 48, "lines"); return;
    case ORR_FIT_P2P: (void)snprintf(path, 48, "%s", KEY(p2p_scaleup_frac)); return;
    case ORR_N_FIT_KINDS: break;
    }
    path[0] = '\0';
}

size_t orr_fit_find_group(const struct orr_fit *fit, enum orr_fit_kind kind, int index, int width)
{
    size_t i = 0;
    for (; i < fit->n_groups; i++)
        if (fit->groups[i].kind == kind && fit->groups[i].index == index && fit->groups[i].width == width) break;
    return i;
}

size_t orr_fit_group_of(struct orr_fit *fit, enum orr_fit_kind kind, int index, int width)
{
    const size_t found = orr_fit_find_group(fit, kind, index, width);
    if (found < fit->n_groups) return found;
    struct orr_fit_group *groups = orr_fit_grow(fit->groups, fit->n_groups, sizeof *groups);
    if (!groups) return SIZE_MAX;
    fit->groups = groups;
    struct orr_fit_group *group = &groups[fit->n_groups];
    memset(group, 0, sizeof *group);
    group->kind = kind;
    group->index = index;
    group->width = width;
    name_group(group, group->path);
    return fit->n_groups++;
}

/* ---------------------------------------------------------------- tables */

#define X_KIND(name, word, columns, classes, reader) {columns, orr_row_##reader},
static const struct {
    const char *columns; /* those that a table must have */
    void (*read_shape)(struct orr_row_reader *r, struct orr_kernel_row *row);
} KINDS[ORR_N_KERNELS] = {ORR_KERNELS(X_KIND)};

static enum orr_err check_columns(enum orr_kernel kind, const struct orr_csv *csv, const char *origin,
                                  struct orr_error *error)
{
    const char *at = KINDS[kind].columns;
    char name[32];
    while (orr_next_word(&at, ' ', name, sizeof name))
        if (!orr_csv_has(csv, name))
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = 1},
                            "missing column \"%s\"; a %s table needs %s", name, orr_kernel_names[kind],
                            KINDS[kind].columns);
    return ORR_OK;
}

static void read_row(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *source = orr_csv_cell(r->csv, r->row, "source");
    row->source = *source ? source : "unnamed table";
    row->backend = orr_csv_cell(r->csv, r->row, "backend");
    row->dtype = orr_csv_cell(r->csv, r->row, "dtype");
    row->mode = mode_of(r);
    row->fitted = true;
    KINDS[row->kind].read_shape(r, row);
}

/* Read all rows of a table by `read`. */
static enum orr_err read_table(struct orr_fit *fit, const struct orr_csv *csv, const char *origin,
                               void (*read)(struct orr_row_reader *r, struct orr_kernel_row *row), enum orr_kernel kind,
                               struct orr_error *error)
{
    struct orr_row_reader r = {
        .fit = fit, .csv = csv, .origin = origin, .error = error, .list = malloc(sizeof *r.list)};
    if (!r.list) return orr_out_of_memory(error, origin);
    for (r.row = 0; r.row < csv->n_rows && !r.err; r.row++) {
        struct orr_kernel_row *row = new_row(&r, kind);
        if (!row) break;
        row->measured_s = orr_row_number(&r, "time_s", 1e-12);
        read(&r, row);
        if (!r.err) orr_row_check_limits(fit, row);
        row->fitted = row->fitted && !row->left_out;
        if (!r.err && !row->left_out && row->group == SIZE_MAX) r.err = orr_out_of_memory(error, origin);
    }
    free(r.list);
    return r.err;
}

enum orr_err orr_fit_read_rows(struct orr_fit *fit, enum orr_kernel kind, const struct orr_csv *csv, const char *origin,
                               struct orr_error *error)
{
    const enum orr_err err = check_columns(kind, csv, origin, error);
    return err ? err : read_table(fit, csv, origin, read_row, kind, error);
}

/* ---------------------------------------------------------------- our own laboratory format */

bool orr_fit_is_lab(const struct orr_csv *csv)
{
    return orr_csv_has(csv, "group") && orr_csv_has(csv, "op") && orr_csv_has(csv, "shape") &&
           orr_csv_has(csv, "mode") && orr_csv_has(csv, "time_s");
}

/* A linear layer given as tokens x inputs x outputs: its forward product, or the gradient of its input or its
 * weight. Other rows of a laboratory file are not used. */
static void read_lab_row(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *op = orr_csv_cell(r->csv, r->row, "op"), *mode = orr_csv_cell(r->csv, r->row, "mode");
    const bool fp8 = strcmp(op, "fp8") == 0, dgrad = strcmp(op, "dgrad") == 0, wgrad = strcmp(op, "wgrad") == 0;
    row->source = "laboratory timings";
    row->backend = row->dtype = "";
    row->fitted = strcmp(orr_csv_cell(r->csv, r->row, "group"), "gemm") == 0;
    row->left_out = row->fitted ? NULL : "only the products of a laboratory file are used";
    if (!row->fitted) return;
    double sizes[3] = {0};
    const char *at = orr_csv_cell(r->csv, r->row, "shape");
    for (int i = 0; i < 3 && at; i++) {
        at = orr_number_at(at, &sizes[i]);
        if (at && (sizes[i] < 1 || sizes[i] > 1e9 || *at != (i < 2 ? 'x' : '\0'))) at = NULL;
        if (at) at += i < 2;
    }
    if (!at) {
        orr_row_fail(r, "shape", "TOKENSxINPUTSxOUTPUTS");
        return;
    }
    const double tokens = sizes[0], inputs = sizes[1], outputs = sizes[2];
    row->dtype = fp8 ? "fp8" : "bf16";
    row->mode = strcmp(mode, "burst") == 0 ? ORR_MODE_BURST : ORR_MODE_SUSTAINED;
    row->ready_inputs = true;
    orr_row_fill_product(r, row, fp8 ? ORR_DTYPE_FP8 : ORR_DTYPE_BF16, 1, wgrad ? inputs : tokens,
                         dgrad ? inputs : outputs,
                         dgrad   ? outputs
                         : wgrad ? tokens
                                 : inputs);
}

enum orr_err orr_fit_read_lab(struct orr_fit *fit, const struct orr_csv *csv, const char *origin,
                              struct orr_error *error)
{
    return read_table(fit, csv, origin, read_lab_row, ORR_KERNEL_GEMM, error);
}
