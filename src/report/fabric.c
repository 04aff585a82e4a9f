/* This report shows collectives between nodes: the lines of a fitted fabric with their residuals, or how well every
 * system is described by its own fabric and by a default for unknown networks. */
#include "calibrate/fabric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/table.h"
#include "spec/names.h"
#include "spec/spec.h"

static char *count(char buffer[24], size_t n)
{
    (void)snprintf(buffer, 24, "%zu", n);
    return buffer;
}

static char *range(char buffer[32], double low, double high)
{
    (void)snprintf(buffer, 32, "%.2f-%.2f", low, high);
    return buffer;
}

/* ---------------------------------------------------------------- residuals of a fit */

/* Size classes of the residuals, and what they are called. */
static const struct {
    const char *name;
    double least, below;
} CLASSES[] = {{"below 1 MiB", 0, ORR_LARGE_COLLECTIVE_BYTES},
               {"1-64 MiB", ORR_LARGE_COLLECTIVE_BYTES, 67108864.0},
               {"64 MiB and more", 67108864.0, HUGE_VAL},
               {"1 MiB and more", ORR_LARGE_COLLECTIVE_BYTES, HUGE_VAL}};
enum { N_CLASSES = sizeof CLASSES / sizeof *CLASSES };

static bool residual(const struct orr_fabric_fit *fit, int collective, int class, struct orr_fabric_stats *stats)
{
    const struct orr_fabric_filter filter = {
        .system = SIZE_MAX, .collective = collective, .least = CLASSES[class].least, .below = CLASSES[class].below};
    return orr_fabric_stats_of(fit, filter, stats) && stats->n > 0;
}

static void add_residuals(const struct orr_fabric_fit *fit, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    struct orr_fabric_stats stats;
    char n[24], median[16], p90[16], ratio[32];
    orr_text_section(text, style, "residuals between domains");
    orr_table_start(&table, "llrrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, "collective", "size", "rows", "median %", "90 % below", "measured/predicted");
    for (int collective = -1; collective < ORR_N_COLLECTIVES; collective++)
        for (int class = 0; class < N_CLASSES; class ++) {
            if (!residual(fit, collective, class, &stats)) continue;
            ORR_ROW(&table, ORR_PAINT_NONE,
                    collective < 0 ? "all" : orr_collective_name((enum orr_collective)collective), CLASSES[class].name,
                    count(n, stats.n), orr_percent(median, stats.median_frac), orr_percent(p90, stats.p90_frac),
                    range(ratio, stats.ratio_low, stats.ratio_high));
        }
    orr_table_print(&table, text, style);
}

static void add_lines(const struct orr_fabric_fit *fit, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    char base[32], hop[32], shares[96];
    orr_text_section(text, style, "lines");
    orr_table_start(&table, "lllrrll");
    ORR_ROW(&table, ORR_PAINT_BOLD, "collective", "algorithm", "protocol", "base", "hop", "share of the NIC", "");
    for (int64_t i = 0; i < fit->fabric.n_lines; i++) {
        const struct orr_fabric_line *line = &fit->fabric.lines[i];
        int used = 0;
        shares[0] = '\0';
        for (int64_t j = 0; j < line->n_points; j++)
            used += snprintf(shares + used, sizeof shares - (size_t)used, "%s%.3g at %g", j ? ", " : "",
                             line->efficiency_frac[j], line->domains[j]);
        ORR_ROW(&table, i < fit->n_fitted_lines ? ORR_PAINT_NONE : ORR_PAINT_DIM, orr_collective_name(line->collective),
                orr_algorithm_name(line->algorithm), line->low_latency ? "latency" : "bandwidth",
                orr_print_s(base, line->base_s), orr_print_s(hop, line->hop_s), shares,
                i >= fit->n_fitted_lines ? "as unknown networks"
                : line->pipelined        ? "steps: the longer of hop and wire"
                : line->after_local      ? "after the part inside"
                                         : "");
    }
    orr_table_print(&table, text, style);
}

/* ---------------------------------------------------------------- scores of systems */

static void add_scores(const struct orr_fabric_fit *fit, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    char n[24], own[16], p90[16], unknown[16], ratio[32], inside[16];
    double rows = 0, within = 0;
    orr_text_title(text, style, "Collectives between nodes, 1 MiB and more");
    orr_table_start(&table, "llrrrrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, "system", "fabric", "rows", "median %", "90 % below", "left out %", "spread",
            "inside %");
    for (size_t i = 0; i < fit->n_systems; i++) {
        const struct orr_fabric_score *score = &fit->scores[i];
        const struct orr_fabric_system *system = &fit->systems[i];
        rows += (double)score->own.n;
        within += score->inside_frac * (double)score->own.n;
        if (score->own.n > 0)
            ORR_ROW(&table, ORR_PAINT_NONE, system->name, *system->own.id ? system->own.id : "-",
                    count(n, score->own.n), orr_percent(own, score->own.median_frac),
                    orr_percent(p90, score->own.p90_frac), orr_percent(unknown, score->unknown.median_frac),
                    range(ratio, score->spread_low, score->spread_high), orr_percent(inside, score->inside_frac));
        if (score->inside.n > 0)
            ORR_ROW(&table, ORR_PAINT_DIM, system->name, "inside a domain", count(n, score->inside.n),
                    orr_percent(own, score->inside.median_frac), orr_percent(p90, score->inside.p90_frac), "", "", "");
    }
    orr_table_print(&table, text, style);
    if (rows > 0)
        orr_text_add(text,
                     "\n  left out: error of a default fitted to the other systems; spread: measured over predicted\n"
                     "  time that those lead to expect. Inside it: %.1f %% of %.0f rows.\n",
                     100 * within / rows, rows);
}

/* ---------------------------------------------------------------- JSON and CSV */

static json_t *stats_json(const struct orr_fabric_stats *stats)
{
    if (stats->n == 0) return json_null();
    return json_pack("{sI sf sf sf sf}", "rows", (json_int_t)stats->n, "median_error_frac", stats->median_frac,
                     "p90_error_frac", stats->p90_frac, "ratio_low", stats->ratio_low, "ratio_high", stats->ratio_high);
}

static json_t *scores_json(const struct orr_fabric_fit *fit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < fit->n_systems; i++) {
        const struct orr_fabric_score *score = &fit->scores[i];
        json_array_append_new(list, json_pack("{ss ss so so so sf sf sf}", "system", fit->systems[i].name, "fabric",
                                              fit->systems[i].own.id, "between_domains", stats_json(&score->own),
                                              "inside_a_domain", stats_json(&score->inside), "left_out",
                                              stats_json(&score->unknown), "spread_low_frac", score->spread_low,
                                              "spread_high_frac", score->spread_high, "inside_spread_frac",
                                              score->inside_frac));
    }
    return list;
}

static json_t *residuals_json(const struct orr_fabric_fit *fit)
{
    json_t *list = json_array();
    struct orr_fabric_stats stats;
    for (int collective = -1; collective < ORR_N_COLLECTIVES; collective++)
        for (int class = 0; class < N_CLASSES; class ++) {
            if (!residual(fit, collective, class, &stats)) continue;
            json_t *object = stats_json(&stats);
            json_object_set_new(
                object, "collective",
                json_string(collective < 0 ? "all" : orr_collective_name((enum orr_collective)collective)));
            json_object_set_new(object, "size", json_string(CLASSES[class].name));
            json_array_append_new(list, object);
        }
    return list;
}

static void add_json(const struct orr_fabric_fit *fit, struct orr_text *text)
{
    json_t *root = json_pack("{ss ss sI}", "schema", ORR_SCHEMA, "kind", fit->scores ? "collectives" : "fabric", "rows",
                             (json_int_t)fit->n_rows);
    if (fit->scores) json_object_set_new(root, "systems", scores_json(fit));
    else {
        json_object_set_new(root, "fabric", orr_fabric_to_json(&fit->fabric));
        json_object_set_new(root, "fitted_lines", json_integer((json_int_t)fit->n_fitted_lines));
        json_object_set_new(root, "residuals", residuals_json(fit));
    }
    orr_json_lines(text, root);
}

static void add_csv(const struct orr_fabric_fit *fit, struct orr_text *text)
{
    orr_text_add(text, "system,collective,nodes,n_gpus,domains,bytes,measured_s,predicted_s,error\n");
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_fabric_row *row = &fit->rows[i];
        orr_text_add(text, "%s,%s,%lld,%lld,%lld,%.0f,%.9g,%.9g,%.6g\n", fit->systems[row->system].name,
                     orr_collective_name(row->collective), (long long)row->nodes, (long long)row->ranks,
                     (long long)row->domains, row->bytes, row->measured_s, row->predicted_s,
                     row->predicted_s / row->measured_s - 1);
    }
}

char *orr_fabric_fit_render(const struct orr_fabric_fit *fit, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON) add_json(fit, &text);
    else if (format == ORR_FORMAT_CSV) add_csv(fit, &text);
    else if (fit->scores) add_scores(fit, style, &text);
    else {
        char spread[32];
        orr_text_add(&text, "fabric %s: %zu rows, measured over predicted time %s\n", fit->id, fit->n_rows,
                     range(spread, fit->fabric.spread_low_frac, fit->fabric.spread_high_frac));
        add_lines(fit, style, &text);
        add_residuals(fit, style, &text);
    }
    return orr_text_take(&text);
}

char *orr_fabric_fit_file(const struct orr_fabric_fit *fit, const char *date)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0}, source = {0}, lines = {0};
    struct orr_fabric_stats stats = {0};
    if (!orr_fabric_stats_of(fit, orr_fabric_large(SIZE_MAX, false), &stats)) return orr_memory_told();
    json_t *root = orr_fabric_to_json(&fit->fabric), *sources = json_object();
    orr_text_add(&source, "orrery calibrate --fabric %s%s%s: %s, %zu rows of 1 MiB and more between domains", fit->id,
                 date ? ", " : "", date ? date : "", fit->sources, stats.n);
    orr_text_add(&lines, "%s; median error %.1f %%", source.data, 100 * stats.median_frac);
    if (fit->n_fitted_lines < fit->fabric.n_lines)
        orr_text_add(&lines, "; from line %lld on not measured: as the fabric unknown", (long long)fit->n_fitted_lines);
    json_object_set_new(sources, "*", json_string(source.data));
    json_object_set_new(sources, "lines", json_string(lines.data));
    json_object_set_new(root, "sources", sources);
    char *file = orr_json_dump(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
    if (file) orr_text_add(&text, "%s\n", file);
    text.failed = text.failed || !file;
    free(file);
    json_decref(root);
    orr_text_drop(&text, &source);
    orr_text_drop(&text, &lines);
    return orr_text_take(&text);
}
