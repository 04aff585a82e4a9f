/* fabrics/<id>.json -> struct orr_fabric: what collectives between scale-up domains sustain on a kind of network. */
#include <stdio.h>
#include <string.h>

#include "spec/names.h"
#include "spec/part.h"
#include "spec/sources.h"
#include "spec/spec.h"

/* A line as its file has it, with what a fit says about itself. */
struct entry {
    struct orr_fabric_line line;
    int64_t rows;
    double median_error_frac;
};

static const struct orr_field LINE_FIELDS[] = {
    {.key = "collective",
     .type = ORR_FIELD_ENUM,
     .required = true,
     .offset = offsetof(struct entry, line.collective),
     .names = orr_collective_names,
     .n_names = ORR_N_COLLECTIVES,
     .meaning = "the operation"},
    {.key = "algorithm",
     .type = ORR_FIELD_ENUM,
     .required = true,
     .offset = offsetof(struct entry, line.algorithm),
     .names = orr_algorithm_names,
     .n_names = ORR_N_ALGORITHMS,
     .meaning = "how it runs"},
    {.key = "low_latency",
     .type = ORR_FIELD_BOOL,
     .offset = offsetof(struct entry, line.low_latency),
     .meaning = "latency protocol, else bandwidth"},
    {.key = "pipelined",
     .type = ORR_FIELD_BOOL,
     .offset = offsetof(struct entry, line.pipelined),
     .meaning = "a step takes the longer of latency and wire, else their sum"},
    {.key = "after_local",
     .type = ORR_FIELD_BOOL,
     .offset = offsetof(struct entry, line.after_local),
     .meaning = "follows the part inside the domain, else runs beside it"},
    {.key = "base_s",
     .type = ORR_FIELD_REAL,
     .unit = ORR_UNIT_S,
     .max = 1,
     .offset = offsetof(struct entry, line.base_s),
     .meaning = "fixed time"},
    {.key = "hop_s",
     .type = ORR_FIELD_REAL,
     .unit = ORR_UNIT_S,
     .required = true,
     .max = 1,
     .offset = offsetof(struct entry, line.hop_s),
     .meaning = "time per hop"},
    ORR_INT(entry, rows, false, 0, 1e9, "timings fitted"),
    ORR_REAL(entry, median_error_frac, ORR_UNIT_NONE, false, 0, 10, "median error of the fit"),
};
static const char *const LINE_EXTRA[] = {"domains", "efficiency_frac", NULL};

static const struct orr_field FIELDS[] = {
    ORR_BOOL(orr_fabric, measured, true, "fitted to timings of this kind of network"),
    ORR_REAL(orr_fabric, spread_low_frac, ORR_UNIT_NONE, true, 0.01, 1, "least measured over predicted time"),
    ORR_REAL(orr_fabric, spread_high_frac, ORR_UNIT_NONE, true, 1, 100, "most measured over predicted time"),
};
static const char *const EXTRA[] = {"name", "software", "lines", "sources", NULL};
static const char *const UNSOURCED[] = {"name", "software", "measured", "sources", NULL};

static bool goes_between(enum orr_algorithm algorithm)
{
    return algorithm == ORR_ALGORITHM_RING || algorithm == ORR_ALGORITHM_TREE ||
           algorithm == ORR_ALGORITHM_HIERARCHICAL || algorithm == ORR_ALGORITHM_DIRECT ||
           algorithm == ORR_ALGORITHM_SHARP;
}

static enum orr_err read_line(const struct orr_doc *doc, const char *path, const json_t *value,
                              struct orr_fabric_line *line, struct orr_error *error)
{
    struct entry entry = {0};
    const enum orr_err err =
        orr_fields_read(doc, path, value, LINE_FIELDS, ORR_COUNT_OF(LINE_FIELDS), LINE_EXTRA, &entry, error);
    if (err) return err;
    *line = entry.line;
    if (!goes_between(line->algorithm))
        return orr_doc_fail(doc, path, error,
                            "between domains there are ring, tree, hierarchical, direct and sharp, not %s",
                            orr_algorithm_name(line->algorithm));
    if (line->collective == ORR_COLLECTIVE_P2P)
        return orr_doc_fail(doc, path, error, "a send has no lines: it uses scaleout_efficiency_frac of the system");
    const struct orr_curve curve = {
        .x = {"domains", 1, 1e7, line->domains},
        .y = {"efficiency_frac", 0.0001, 1.2, line->efficiency_frac},
        .most = ORR_FABRIC_POINTS,
        .n = &line->n_points,
    };
    return orr_curve_read(doc, path, value, &curve, error);
}

static bool has_lines(const struct orr_fabric *fabric, enum orr_collective collective)
{
    for (int64_t i = 0; i < fabric->n_lines; i++)
        if (fabric->lines[i].collective == collective) return true;
    return false;
}

/* A reduce-scatter moves what an all-gather moves, backwards. Where only one of them was timed, its lines serve
 * both. */
static void share_lines(struct orr_fabric *fabric, enum orr_collective from, enum orr_collective to)
{
    const int64_t n = fabric->n_lines;
    if (has_lines(fabric, to)) return;
    for (int64_t i = 0; i < n; i++) {
        if (fabric->lines[i].collective != from || fabric->n_lines == ORR_MAX_FABRIC_LINES) continue;
        fabric->lines[fabric->n_lines] = fabric->lines[i];
        fabric->lines[fabric->n_lines++].collective = to;
    }
}

enum orr_err orr_fabric_from_json(const struct orr_doc *doc, const char *id, struct orr_fabric *fabric,
                                  struct orr_error *error)
{
    char path[ORR_KEY_PATH], index[24];
    memset(fabric, 0, sizeof *fabric);
    (void)snprintf(fabric->id, sizeof fabric->id, "%s", id);
    enum orr_err err = orr_fields_read(doc, "", doc->root, FIELDS, ORR_COUNT_OF(FIELDS), EXTRA, fabric, error);
    const json_t *lines = json_object_get(doc->root, "lines");
    if (err) return err;
    /* Half of the room is kept, so that lines of an all-gather can be copied to reduce-scatter. */
    if (!json_is_array(lines) || json_array_size(lines) < 1 || json_array_size(lines) > ORR_MAX_FABRIC_LINES - 6)
        return orr_doc_fail(doc, lines ? "lines" : "", error, "%s an array of 1 to %d lines",
                            lines ? "must be" : "missing key \"lines\":", ORR_MAX_FABRIC_LINES - 6);
    for (size_t i = 0; i < json_array_size(lines) && !err; i++) {
        (void)snprintf(index, sizeof index, "%zu", i);
        err = read_line(doc, orr_key_path(path, "lines", index), json_array_get(lines, i), &fabric->lines[i], error);
    }
    fabric->n_lines = (int64_t)json_array_size(lines);
    if (err) return err;
    share_lines(fabric, ORR_COLLECTIVE_ALLGATHER, ORR_COLLECTIVE_REDUCESCATTER);
    share_lines(fabric, ORR_COLLECTIVE_REDUCESCATTER, ORR_COLLECTIVE_ALLGATHER);
    return orr_sources_check(doc, UNSOURCED, error);
}

static json_t *line_json(const struct orr_fabric_line *line)
{
    const struct entry entry = {.line = *line};
    json_t *object = json_object(), *domains = json_array(), *shares = json_array();
    orr_fields_write(object, LINE_FIELDS, ORR_COUNT_OF(LINE_FIELDS), &entry);
    for (int64_t i = 0; i < line->n_points; i++) {
        json_array_append_new(domains, json_integer((json_int_t)line->domains[i]));
        json_array_append_new(shares, json_real(line->efficiency_frac[i]));
    }
    json_object_set_new(object, "domains", domains);
    json_object_set_new(object, "efficiency_frac", shares);
    return object;
}

json_t *orr_fabric_to_json(const struct orr_fabric *fabric)
{
    json_t *object = json_object(), *lines = json_array();
    orr_fields_write(object, FIELDS, ORR_COUNT_OF(FIELDS), fabric);
    for (int64_t i = 0; i < fabric->n_lines; i++) json_array_append_new(lines, line_json(&fabric->lines[i]));
    json_object_set_new(object, "lines", lines);
    return object;
}
