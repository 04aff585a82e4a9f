/* This report shows a fit of orr_fit_run on the terminal, as JSON, CSV or HTML: residuals by kind and size, constants
 * old and new, which tables they come from, which rows were left out and why. */
#include "calibrate/calibrate.h"

#include "base/plain.h"
#include "base/units.h"
#include "report/page.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/table.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES_MAX = 64 }; /* most groups in the chart of a page */

/* Names a group where its constants do not. */
static char *group_name(const struct orr_fit_group *group, char buffer[64])
{
    if (group->kind == ORR_FIT_LINES || group->kind == ORR_FIT_CUSTOM)
        (void)snprintf(buffer, 64, "lines %s%s", orr_collective_name((enum orr_collective)group->index),
                       group->kind == ORR_FIT_CUSTOM ? " custom" : "");
    else (void)snprintf(buffer, 64, "%s%s", group->path, group->kind == ORR_FIT_GROUPED ? " grouped" : "");
    return buffer;
}

static char *value_text(char buffer[32], double value, enum orr_unit unit)
{
    if (unit == ORR_UNIT_S) return orr_print_s(buffer, value);
    (void)snprintf(buffer, 32, "%.4g", value);
    return buffer;
}

static size_t count_rows(const struct orr_fit *fit, bool left_out, bool fitted)
{
    size_t n = 0;
    for (size_t i = 0; i < fit->n_rows; i++)
        n += (fit->rows[i].left_out != NULL) == left_out && fit->rows[i].fitted == fitted;
    return n;
}

/* ---------------------------------------------------------------- residuals */

/* A residual is one line of the residual table: which rows it covers, and its four columns. */
struct residual {
    struct orr_fit_filter filter;
    char group[64];
    const char *kind, *size;
    struct orr_fit_stats before, after, plain;
};

static bool residual_of(const struct orr_fit *fit, struct orr_fit_filter filter, struct residual *residual)
{
    *residual = (struct residual){.filter = filter, .kind = orr_kernel_names[filter.kind]};
    residual->after = orr_fit_stats_of(fit, filter, ORR_COLUMN_AFTER);
    if (residual->after.n == 0) return false;
    residual->before = orr_fit_stats_of(fit, filter, ORR_COLUMN_BEFORE);
    residual->plain = orr_fit_stats_of(fit, filter, ORR_COLUMN_PLAIN);
    residual->size =
        filter.size_class < 0 ? "all" : orr_size_class_name((enum orr_kernel)filter.kind, filter.size_class);
    (void)group_name(&fit->groups[filter.group], residual->group);
    return true;
}

/* Calls `each` for every kind, group and size class that has rows, and for all classes together (size_class -1). */
static void for_each_residual(const struct orr_fit *fit, bool fitted,
                              void (*each)(void *context, const struct residual *r), void *context)
{
    struct residual residual;
    for (int kind = 0; kind < ORR_N_KERNELS; kind++)
        for (size_t g = 0; g < fit->n_groups; g++)
            for (int size_class = -1; size_class < ORR_SIZE_CLASSES; size_class++) {
                const struct orr_fit_filter filter = {
                    .kind = kind, .group = (int)g, .size_class = size_class, .fitted = fitted, .others = !fitted};
                if (residual_of(fit, filter, &residual)) each(context, &residual);
                else if (size_class < 0) break;
            }
}

static void add_residual_row(void *context, const struct residual *r)
{
    struct orr_table *table = context;
    char name[112], n[16], median0[16], p90_0[16], median[16], p90[16], bias[16], plain[16];
    const bool all = r->filter.size_class < 0;
    if (all) (void)snprintf(name, sizeof name, "%s  %s", r->kind, r->group);
    else (void)snprintf(name, sizeof name, "  %s", r->size);
    (void)snprintf(n, sizeof n, "%zu", r->after.n);
    (void)snprintf(bias, sizeof bias, "%+.1f", 100 * r->after.bias_frac);
    ORR_ROW(table, all ? ORR_PAINT_BOLD : ORR_PAINT_NONE, name, n, orr_percent(median0, r->before.median_frac),
            orr_percent(p90_0, r->before.p90_frac), orr_percent(median, r->after.median_frac),
            orr_percent(p90, r->after.p90_frac), bias, orr_percent(plain, r->plain.median_frac));
}

static void add_residuals(const struct orr_fit *fit, bool fitted, const char *title, struct orr_text *text,
                          const struct orr_style *style)
{
    if (count_rows(fit, false, fitted) == 0) return;
    struct orr_table table;
    orr_table_start(&table, "frrrrrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, title, "rows", "median", "p90", "-> median", "p90", "bias", "plain");
    for_each_residual(fit, fitted, add_residual_row, &table);
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
}

/* ---------------------------------------------------------------- constants, tables, what was left out */

static void add_constants(const struct orr_fit *fit, struct orr_text *text, const struct orr_style *style)
{
    struct orr_table table;
    orr_table_start(&table, "lrrlrlf");
    table.drop = "0000001";
    ORR_ROW(&table, ORR_PAINT_BOLD, "constant", "old", "new", "unit", "rows", "", "meaning");
    for (size_t g = 0; g < fit->n_groups; g++)
        for (size_t i = 0; i < fit->groups[g].n_constants; i++) {
            const struct orr_fit_constant *c = &fit->groups[g].constants[i];
            char before[32], after[32], rows[16];
            (void)snprintf(rows, sizeof rows, "%zu", c->rows);
            const bool kept = !orr_constant_is_new(c);
            ORR_ROW(&table, kept ? ORR_PAINT_DIM : ORR_PAINT_NONE, c->path,
                    value_text(before, c->old_value, c->is->unit),
                    kept ? "kept" : value_text(after, c->new_value, c->is->unit),
                    c->is->unit == ORR_UNIT_S ? "" : c->is->unit_name, rows, orr_constant_state_name(c->state),
                    c->is->meaning);
        }
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
}

static const char *mode_name(enum orr_fit_mode mode)
{
    return mode == ORR_MODE_BURST ? " burst" : mode == ORR_MODE_SUSTAINED ? " sustained" : "";
}

static void add_tables(const struct orr_fit *fit, struct orr_text *text, const struct orr_style *style)
{
    struct orr_table table;
    orr_table_start(&table, "lfrrrrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, "table", "source", "rows", "fitted", "level", "warm", "call", "passes");
    for (size_t t = 0; t < fit->n_tables; t++) {
        const struct orr_fit_table *from = &fit->tables[t];
        char name[96], rows[16], fitted[16], level[16] = "", warm[32] = "", call[32] = "", passes[16] = "";
        (void)snprintf(name, sizeof name, "%s %s%s %s", orr_kernel_names[from->kind], from->dtype,
                       mode_name(from->mode), from->backend);
        (void)snprintf(rows, sizeof rows, "%zu", from->n_rows);
        (void)snprintf(fitted, sizeof fitted, "%zu", from->n_fitted);
        if (from->free_level) (void)snprintf(level, sizeof level, "%.3f", from->level);
        if (from->free_warm) (void)orr_print_s(warm, from->warm_s);
        if (from->call_s > 0) (void)orr_print_s(call, from->call_s);
        if (from->free_passes) (void)snprintf(passes, sizeof passes, "%.2f", from->passes);
        ORR_ROW(&table, ORR_PAINT_NONE, name, from->source, rows, fitted, level, warm, call, passes);
    }
    orr_table_print(&table, text, style);
}

static bool same_reason(const struct orr_kernel_row *a, const struct orr_kernel_row *b)
{
    return a->left_out && b->left_out && strcmp(a->left_out, b->left_out) == 0 && !a->limit == !b->limit &&
           (!a->limit || strcmp(a->limit, b->limit) == 0);
}

/* Writes "faster than the chip: 1.3 of peak". Where the reason stands for several rows, `most` is the largest share. */
static char *reason_of(const struct orr_kernel_row *row, double most, char reason[128])
{
    if (!row->limit) (void)snprintf(reason, 128, "%s", row->left_out);
    else
        (void)snprintf(reason, 128, "%s: %s%.2f of %s", row->left_out, most > row->limit_frac ? "up to " : "",
                       most > row->limit_frac ? most : row->limit_frac, row->limit);
    return reason;
}

/* Lists every reason once, with the number of rows it stopped. */
static void add_left_out(const struct orr_fit *fit, struct orr_text *text, const struct orr_style *style)
{
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_kernel_row *row = &fit->rows[i];
        size_t first = 0, n = 0;
        double most = 0;
        while (first < i && !same_reason(&fit->rows[first], row)) first++;
        if (!row->left_out || first < i) continue;
        for (size_t j = i; j < fit->n_rows; j++)
            if (same_reason(&fit->rows[j], row)) {
                n++;
                if (fit->rows[j].limit_frac > most) most = fit->rows[j].limit_frac;
            }
        char label[32], reason[128];
        (void)snprintf(label, sizeof label, "  left out %zu", n);
        orr_text_wrap(text, style, label, 18, reason_of(row, most, reason), " ");
    }
}

static void add_terminal(const struct orr_fit *fit, struct orr_text *text, const struct orr_style *style)
{
    orr_text_add(text, "%s, calibration %s: %zu rows, %zu fitted, %zu predicted only, %zu left out.\n",
                 fit->job.system.chip.id, fit->before.id, fit->n_rows, count_rows(fit, false, true),
                 count_rows(fit, false, false), count_rows(fit, true, false));
    orr_text_add(text,
                 "Error in %%: predicted over measured time - 1, with the constants of today -> fitted; plain: fitted,"
                 " without what\nbelongs to the table (level of its clock, call time, passes).\n\n");
    add_residuals(fit, true, "fitted rows", text, style);
    add_residuals(fit, false, "predicted only", text, style);
    add_constants(fit, text, style);
    add_tables(fit, text, style);
    add_left_out(fit, text, style);
}

/* ---------------------------------------------------------------- JSON */

static void append_residual(void *context, const struct residual *r)
{
    json_t *array = context;
    json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:b, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "kind", r->kind,
                                           "group", r->group, "size", r->size, "fitted", (int)r->filter.fitted, "rows",
                                           (json_int_t)r->after.n, "median_before_frac", r->before.median_frac,
                                           "p90_before_frac", r->before.p90_frac, "median_frac", r->after.median_frac,
                                           "p90_frac", r->after.p90_frac, "bias_frac", r->after.bias_frac,
                                           "plain_median_frac", r->plain.median_frac));
}

static json_t *constants_json(const struct orr_fit *fit)
{
    json_t *array = json_array();
    for (size_t g = 0; g < fit->n_groups; g++)
        for (size_t i = 0; i < fit->groups[g].n_constants; i++) {
            const struct orr_fit_constant *c = &fit->groups[g].constants[i];
            json_array_append_new(array,
                                  json_pack("{s:s, s:f, s:f, s:s, s:s, s:I, s:s}", "path", c->path, "old", c->old_value,
                                            "new", c->new_value, "unit", c->is->unit_name, "meaning", c->is->meaning,
                                            "rows", (json_int_t)c->rows, "state", orr_constant_state_name(c->state)));
        }
    return array;
}

static json_t *tables_json(const struct orr_fit *fit)
{
    json_t *array = json_array();
    for (size_t t = 0; t < fit->n_tables; t++) {
        const struct orr_fit_table *from = &fit->tables[t];
        json_array_append_new(array,
                              json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:f, s:o, s:f, s:f}", "kind",
                                        orr_kernel_names[from->kind], "source", orr_json_word(from->source), "backend",
                                        orr_json_word(from->backend), "dtype", orr_json_word(from->dtype), "rows",
                                        (json_int_t)from->n_rows, "fitted", (json_int_t)from->n_fitted, "level_frac",
                                        from->level, "warm_s", from->free_warm ? json_real(from->warm_s) : json_null(),
                                        "call_s", from->call_s, "passes", from->passes));
    }
    return array;
}

static json_t *fit_json(const struct orr_fit *fit)
{
    json_t *residuals = json_array();
    for_each_residual(fit, true, append_residual, residuals);
    for_each_residual(fit, false, append_residual, residuals);
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o}", "schema", ORR_SCHEMA, "kind", "calibrate",
                     "chip", fit->job.system.chip.id, "calibration", fit->before.id, "rows", (json_int_t)fit->n_rows,
                     "fitted", (json_int_t)count_rows(fit, false, true), "left_out",
                     (json_int_t)count_rows(fit, true, false), "residuals", residuals, "constants", constants_json(fit),
                     "tables", tables_json(fit));
}

/* ---------------------------------------------------------------- CSV */

static void add_csv(const struct orr_fit *fit, struct orr_text *text)
{
    char name[64], reason[128];
    orr_text_add(
        text,
        "kind,group,dtype,shape,size,backend,source,measured_s,before_s,predicted_s,plain_s,error,fitted,left_out\n");
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_kernel_row *row = &fit->rows[i];
        const bool out = row->left_out != NULL;
        const char *const words[] = {orr_kernel_names[row->kind],
                                     out ? "" : group_name(&fit->groups[row->group], name),
                                     row->dtype,
                                     row->shape,
                                     out ? "" : orr_size_class_name(row->kind, row->size_class),
                                     row->backend,
                                     row->source};
        for (size_t j = 0; j < sizeof words / sizeof *words; j++) {
            orr_csv_word(text, words[j]);
            orr_text_add(text, ",");
        }
        if (out) orr_text_add(text, "%.6g,,,,,0,%s\n", row->measured_s, reason_of(row, 0, reason));
        else
            orr_text_add(text, "%.6g,%.6g,%.6g,%.6g,%.5f,%d,\n", row->measured_s, row->before_s, row->after_s,
                         row->plain_s, row->after_s / row->measured_s - 1, row->fitted);
    }
}

/* ---------------------------------------------------------------- HTML */

/* Every group of kernels with rows has two bars. */
struct errors {
    size_t n;
    char names[2 * LANES_MAX][128];
    struct orr_page_lane lanes[2 * LANES_MAX];
};

static void add_errors(void *context, const struct residual *r)
{
    struct errors *errors = context;
    const double medians_frac[] = {r->before.median_frac, r->after.median_frac};
    if (r->filter.size_class >= 0 || errors->n + 2 > 2 * LANES_MAX) return;
    for (int i = 0; i < 2; i++) {
        char *name = errors->names[errors->n];
        if (i == 0) (void)snprintf(name, sizeof *errors->names, "%s %s", r->kind, r->group);
        else (void)snprintf(name, sizeof *errors->names, "– %s", r->filter.fitted ? "fitted" : "predicted only");
        errors->lanes[errors->n++] = (struct orr_page_lane){name, {100 * medians_frac[i]}};
    }
}

static void add_report(const struct orr_fit *fit, enum orr_format format, const struct orr_style *style,
                       struct orr_text *text)
{
    if (format == ORR_FORMAT_JSON) orr_json_lines(text, fit_json(fit));
    else if (format == ORR_FORMAT_CSV) add_csv(fit, text);
    else add_terminal(fit, text, style);
}

static void add_html(const struct orr_fit *fit, struct orr_text *text)
{
    static const char *const PART[] = {"median error"};
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    struct errors *errors = calloc(1, sizeof *errors);
    if (!errors) {
        text->failed = true;
        return;
    }
    for_each_residual(fit, true, add_errors, errors);
    for_each_residual(fit, false, add_errors, errors);
    orr_page_lanes(&page, "Median error of the kernels, constants of today and fitted", "%", PART, 1, errors->lanes,
                   errors->n);
    free(errors);
    add_report(fit, ORR_FORMAT_TERMINAL, &orr_page_style, &page.terminal);
    add_report(fit, ORR_FORMAT_JSON, NULL, &json);
    orr_page_reply(&page, "result", &json);
    orr_page_finish(&page, fit->job.system.chip.id, text);
}

char *orr_fit_render(const struct orr_fit *fit, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_HTML) add_html(fit, &text);
    else add_report(fit, format, style, &text);
    return orr_text_take(&text);
}
