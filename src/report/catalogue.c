/* What a catalogue holds, one line or object per part: orrery list. */
#include <string.h>

#include "base/error.h"
#include "report/html.h"
#include "report/json_text.h"

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

static enum orr_err add_engine(const struct orr_catalogue *catalogue, const char *id, bool json, struct orr_text *text,
                               struct orr_error *error)
{
    struct orr_engine engine;
    const enum orr_err err = orr_engine_read(catalogue, id, &engine, error);
    if (err) return err;
    const char *attention = orr_attention_kernel_name(engine.attention);
    const char *recompute = orr_recompute_name(engine.default_recompute);
    orr_text_add(text,
                 json ? ",\"attention\":\"%s\",\"default_recompute\":\"%s\",\"default_zero\":%lld"
                      : "attention %-8s recompute %-10s zero %lld",
                 attention, recompute, (long long)engine.default_zero);
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

static enum orr_err add_part(const struct orr_catalogue *catalogue, enum orr_part part, bool json,
                             struct orr_text *text, struct orr_error *error)
{
    const size_t n = orr_catalogue_count(catalogue, part);
    int width = 0;
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < n; i++) {
        const int length = (int)strlen(orr_catalogue_id(catalogue, part, i));
        if (length > width) width = length;
    }
    for (size_t i = 0; i < n && !err; i++) {
        const char *id = orr_catalogue_id(catalogue, part, i);
        const bool facts = part != ORR_PART_CHIP && part != ORR_PART_CALIBRATION;
        if (json) {
            orr_text_add(text, "%s{\"id\":", i ? "," : "");
            add_word(text, id);
        } else {
            orr_text_add(text, "  %-*s%s", facts ? width : 0, id, facts ? "  " : "");
        }
        err = add_facts(catalogue, part, id, json, text, error);
        orr_text_add(text, json ? "}" : "\n");
    }
    return err;
}

static enum orr_err add_list(const struct orr_catalogue *catalogue, enum orr_part only, bool json,
                             struct orr_text *text, struct orr_error *error)
{
    bool first = true;
    enum orr_err err = ORR_OK;
    if (json) orr_text_add(text, "{\"schema\":\"%s\",\"kind\":\"list\"", ORR_SCHEMA);
    for (int i = 0; i < ORR_N_PARTS && !err; i++) {
        const enum orr_part part = (enum orr_part)i;
        if (only != ORR_N_PARTS && part != only) continue;
        if (json) orr_text_add(text, ",\"%s\":[", orr_part_name(part));
        else
            orr_text_add(text, "%s%s (%zu)\n", first ? "" : "\n", orr_part_name(part),
                         orr_catalogue_count(catalogue, part));
        err = add_part(catalogue, part, json, text, error);
        if (json) orr_text_add(text, "]");
        first = false;
    }
    if (json) orr_text_add(text, "}\n");
    return err;
}

enum orr_err orr_catalogue_render(const struct orr_catalogue *catalogue, enum orr_part only, enum orr_format format,
                                  const struct orr_style *style, char **result, struct orr_error *error)
{
    struct orr_text text = {0}, terminal = {0}, json = {0};
    enum orr_err err = ORR_OK;
    (void)style; /* the lists are as wide as their words */
    if (format == ORR_FORMAT_HTML) {
        err = add_list(catalogue, only, false, &terminal, error);
        if (!err) err = add_list(catalogue, only, true, &json, error);
        orr_html_start(&text, only == ORR_N_PARTS ? "The catalogue" : orr_part_name(only));
        orr_html_finish(&text, &terminal, &json);
    } else {
        err = add_list(catalogue, only, format == ORR_FORMAT_JSON, &text, error);
    }
    *result = orr_text_take(&text);
    if (!err && !*result) err = orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    return err;
}
