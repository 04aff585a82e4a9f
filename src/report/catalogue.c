/* `orrery list` shows what a catalogue holds, one line or object per part. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "report/page.h"
#include "report/json_text.h"
#include "serving/traffic.h"
#include "spec/names.h"
#include "spec/part.h"
#include "spec/traffic_named.h"

static void add_word(struct orr_text *text, const char *word)
{
    orr_json_add(text, orr_json_word(word), JSON_ENCODE_ANY);
}

/* ---------------------------------------------------------------- facts of one part: in columns, or as JSON members */

static enum orr_err add_model(const struct orr_catalogue *catalogue, const char *id, bool json, struct orr_text *text,
                              struct orr_error *error)
{
    struct orr_model model;
    const enum orr_err err = orr_model_read(catalogue, id, &model, error);
    if (err) return err;
    const double total = (double)orr_model_params(&model), active = (double)orr_model_params_active(&model);
    if (json)
        orr_text_add(text, ",\"params_total\":%.0f,\"params_active\":%.0f,\"layers\":%lld,\"hidden\":%lld", total,
                     active, (long long)model.n_layers, (long long)model.hidden);
    else
        orr_text_add(text, "%9.3f B parameters %9.3f B active %5lld layers %7lld hidden", total / 1e9, active / 1e9,
                     (long long)model.n_layers, (long long)model.hidden);
    return ORR_OK;
}

static enum orr_err add_system(const struct orr_catalogue *catalogue, const char *id, bool json, struct orr_text *text,
                               struct orr_error *error)
{
    struct orr_system system;
    struct orr_calibration calibration;
    const enum orr_err err = orr_system_read(catalogue, id, &system, &calibration, error);
    if (err) return err;
    const char *trust = calibration.calibrated ? "calibrated" : "datasheet";
    if (json) {
        orr_text_add(text, ",\"chip\":");
        add_word(text, system.chip.id);
        orr_text_add(text, ",\"gpus_per_node\":%lld,\"domain_gpus\":%lld,\"trust\":\"%s\"",
                     (long long)system.gpus_per_node, (long long)system.domain_gpus, trust);
    } else {
        orr_text_add(text, "%-34s %3lld per node %4lld per domain  %s", system.chip.name,
                     (long long)system.gpus_per_node, (long long)system.domain_gpus, trust);
    }
    return ORR_OK;
}

/* Adds a text as a member, if there is one. */
static void add_named(struct orr_text *text, const char *key, const char *word)
{
    if (!*word) return;
    orr_text_add(text, ",\"%s\":", key);
    add_word(text, word);
}

static enum orr_err add_engine(const struct orr_catalogue *catalogue, const char *id, bool json, struct orr_text *text,
                               struct orr_error *error)
{
    struct orr_engine engine;
    const enum orr_err err = orr_engine_read(catalogue, id, &engine, error);
    if (err) return err;
    const char *attention = orr_attention_kernel_name(engine.attention);
    const char *recompute = orr_recompute_name(engine.default_recompute);
    const char *kind = orr_engine_kind_names[engine.kind];
    if (json) {
        orr_text_add(text, ",\"attention\":\"%s\",\"default_recompute\":\"%s\",\"default_zero\":%lld,\"kind\":\"%s\"",
                     attention, recompute, (long long)engine.default_zero, kind);
        add_named(text, "family", engine.family);
        add_named(text, "version", engine.version);
        add_named(text, "covers", engine.covers);
        add_named(text, "vendors", engine.vendors);
        if (engine.family_default) orr_text_add(text, ",\"default\":true");
    } else {
        orr_text_add(text, "%s", kind);
        if (engine.family[0]) orr_text_add(text, "%*s%s %s", 10 - (int)strlen(kind), "", engine.family, engine.version);
        if (engine.vendors[0]) orr_text_add(text, "  on %s", engine.vendors);
    }
    return ORR_OK;
}

static enum orr_err add_fabric(const struct orr_catalogue *catalogue, const char *id, bool json, struct orr_text *text,
                               struct orr_error *error)
{
    struct orr_fabric fabric;
    const enum orr_err err = orr_fabric_read(catalogue, id, &fabric, error);
    if (err) return err;
    orr_text_add(text,
                 json ? ",\"measured\":%s,\"lines\":%lld,\"spread_low_frac\":%g,\"spread_high_frac\":%g"
                      : "%-10s %3lld lines  measured over predicted time %.2f to %.2f",
                 json ? (fabric.measured ? "true" : "false") : (fabric.measured ? "measured" : "default"),
                 (long long)fabric.n_lines, fabric.spread_low_frac, fabric.spread_high_frac);
    return ORR_OK;
}

static enum orr_err add_traffic(const struct orr_catalogue *catalogue, const char *id, bool json, struct orr_text *text,
                                struct orr_error *error)
{
    struct orr_traffic traffic;
    const enum orr_err err = orr_traffic_read(catalogue, id, &traffic, error);
    if (err) return err;
    const double input = orr_lengths_mean(&traffic.input_len), output = orr_lengths_mean(&traffic.output_len);
    orr_text_add(text, json ? ",\"input_len\":%.1f,\"output_len\":%.1f" : "%7.0f in %5.0f out", input, output);
    if (traffic.rate_per_s > 0)
        orr_text_add(text, json ? ",\"rate_per_s\":%g" : "  %g requests/s", traffic.rate_per_s);
    if (traffic.session_share > 0)
        orr_text_add(text, json ? ",\"session_share\":%g" : "  %g in sessions", traffic.session_share);
    return ORR_OK;
}

static enum orr_err add_line(const struct orr_catalogue *catalogue, enum orr_part part, const char *id, bool json,
                             struct orr_text *text, struct orr_error *error)
{
    char line[ORR_LINE];
    const enum orr_err err = orr_technology_line(catalogue, part, id, line, error);
    if (err) return err;
    if (json) {
        orr_text_add(text, ",\"facts\":");
        add_word(text, line);
    } else {
        orr_text_add(text, "%s", line);
    }
    return ORR_OK;
}

static enum orr_err add_facts(const struct orr_catalogue *catalogue, enum orr_part part, const char *id, bool json,
                              struct orr_text *text, struct orr_error *error)
{
    switch (part) {
    case ORR_PART_MODEL: return add_model(catalogue, id, json, text, error);
    case ORR_PART_SYSTEM: return add_system(catalogue, id, json, text, error);
    case ORR_PART_ENGINE: return add_engine(catalogue, id, json, text, error);
    case ORR_PART_FABRIC: return add_fabric(catalogue, id, json, text, error);
    case ORR_PART_TRAFFIC: return add_traffic(catalogue, id, json, text, error);
    case ORR_PART_CHIP:
    case ORR_PART_CALIBRATION:
    case ORR_N_PARTS: break;
    case ORR_PART_TECHNOLOGY:
    case ORR_PART_DESIGN:
    case ORR_PART_MEMORY:
    case ORR_PART_NETWORK: return add_line(catalogue, part, id, json, text, error);
    }
    return ORR_OK;
}

/* ---------------------------------------------------------------- the list */

/* These ids of one kind are listed together: models that people use, or shapes of tables and laboratories. */
struct listed {
    const struct orr_catalogue *catalogue;
    enum orr_part part;
    bool synthetic, json;
    enum orr_engine_kind kind; /* of engines; BOTH: any */
};

/* An engine that is not valid is listed, so that the list reports it. */
static bool is_of_kind(const struct listed *l, const char *id)
{
    struct orr_engine engine;
    if (l->kind == ORR_ENGINE_BOTH || orr_engine_read(l->catalogue, id, &engine, NULL)) return true;
    return engine.kind == ORR_ENGINE_BOTH || engine.kind == l->kind;
}

static bool is_listed(const struct listed *l, const char *id)
{
    if (l->part == ORR_PART_ENGINE && !is_of_kind(l, id)) return false;
    return l->synthetic == (l->part == ORR_PART_MODEL && orr_catalogue_is_synthetic(l->catalogue, id));
}

/* Returns how many ids there are, and the width of the longest. */
static size_t count_listed(const struct listed *l, int *width)
{
    size_t n = 0;
    for (size_t i = 0; i < orr_catalogue_count(l->catalogue, l->part); i++) {
        const char *id = orr_catalogue_id(l->catalogue, l->part, i);
        if (!is_listed(l, id)) continue;
        const int length = (int)strlen(id);
        if (length > *width) *width = length;
        n++;
    }
    return n;
}

static enum orr_err add_listed(const struct listed *l, int width, bool *first, struct orr_text *text,
                               struct orr_error *error)
{
    const bool facts = l->part != ORR_PART_CHIP && l->part != ORR_PART_CALIBRATION;
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < orr_catalogue_count(l->catalogue, l->part) && !err; i++) {
        const char *id = orr_catalogue_id(l->catalogue, l->part, i);
        if (!is_listed(l, id)) continue;
        if (l->json) {
            orr_text_add(text, "%s{\"id\":", *first ? "" : ",");
            add_word(text, id);
        } else {
            orr_text_add(text, "  %-*s%s", facts ? width : 0, id, facts ? "  " : "");
        }
        *first = false;
        err = add_facts(l->catalogue, l->part, id, l->json, text, error);
        orr_text_add(text, l->json ? (l->synthetic ? ",\"synthetic\":true}" : "}") : "\n");
    }
    return err;
}

static enum orr_err add_part(const struct listed *asked, bool all, struct orr_text *text, struct orr_error *error)
{
    struct listed used = *asked, shapes = *asked;
    const bool json = asked->json;
    const enum orr_part part = asked->part;
    shapes.synthetic = true;
    const bool with_shapes = all || json;
    int width = 0, hidden_width = 0;
    bool first = true;
    const size_t n = count_listed(&used, &width);
    const size_t n_shapes = count_listed(&shapes, with_shapes ? &width : &hidden_width);
    if (!json) orr_text_add(text, "%s (%zu)\n", orr_part_name(part), n + (all ? n_shapes : 0));
    enum orr_err err = add_listed(&used, width, &first, text, error);
    if (!err && with_shapes) err = add_listed(&shapes, width, &first, text, error);
    if (!err && !with_shapes && n_shapes > 0)
        orr_text_add(text, "and %zu shapes of papers and benchmarks: orrery list models --all\n", n_shapes);
    return err;
}

static enum orr_err add_list(const struct orr_catalogue *catalogue, enum orr_part only, enum orr_engine_kind kind,
                             bool all, bool json, struct orr_text *text, struct orr_error *error)
{
    bool first = true;
    enum orr_err err = ORR_OK;
    if (json) orr_text_add(text, "{\"schema\":\"%s\",\"kind\":\"list\"", ORR_SCHEMA);
    for (int i = 0; i < ORR_N_PARTS && !err; i++) {
        const enum orr_part part = (enum orr_part)i;
        if (only < ORR_N_PARTS && part != only) continue;
        if (json) orr_text_add(text, ",\"%s\":[", orr_part_name(part));
        else if (!first) orr_text_add(text, "\n");
        const struct listed listed = {.catalogue = catalogue, .part = part, .json = json, .kind = kind};
        err = add_part(&listed, all, text, error);
        if (json) orr_text_add(text, "]");
        first = false;
    }
    if (json) orr_text_add(text, "}\n");
    return err;
}

static enum orr_err render(const struct orr_catalogue *catalogue, enum orr_part only, enum orr_engine_kind kind,
                           bool all, enum orr_format format, char **result, struct orr_error *error)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text text = {0}, json = {0};
    const unsigned long mark = orr_memory_mark();
    enum orr_err err = ORR_OK;
    if (format == ORR_FORMAT_HTML) {
        err = add_list(catalogue, only, kind, all, false, &page.terminal, error);
        if (!err) err = add_list(catalogue, only, kind, all, true, &json, error);
        orr_page_reply(&page, "result", &json);
        orr_page_finish(&page, only >= ORR_N_PARTS ? "The catalogue" : orr_part_name(only), &text);
    } else {
        err = add_list(catalogue, only, kind, all, format == ORR_FORMAT_JSON, &text, error);
    }
    *result = orr_text_take(&text);
    if (!err && !*result) err = orr_out_of_memory(error, NULL);
    err = orr_complete_since(mark, err, error); /* an engine that could not be read has no place in the list */
    if (err) {
        free(*result);
        *result = NULL;
    }
    return err;
}

enum orr_err orr_catalogue_render(const struct orr_catalogue *catalogue, enum orr_part only, bool all,
                                  enum orr_format format, const struct orr_style *style, char **result,
                                  struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    (void)style; /* the lists are as wide as their words */
    return render(catalogue, only, ORR_ENGINE_BOTH, all, format, result, error);
}

enum orr_err orr_engines_render(const struct orr_catalogue *catalogue, enum orr_job_kind kind, enum orr_format format,
                                char **result, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const enum orr_engine_kind engines = kind == ORR_JOB_TRAIN ? ORR_ENGINE_TRAINING : ORR_ENGINE_SERVING;
    return render(catalogue, ORR_PART_ENGINE, engines, false, format, result, error);
}
