/* orrery list: what the catalogue holds, one line per part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

static const char usage[] =
    "usage: orrery list [models|chips|systems|engines|calibration|technologies|designs|memories|networks]\n"
    "List the catalogue: built-in parts and those of --catalogue.";

/* Facts of one part in columns, or as JSON members. False after printing what is wrong. */
static bool add_model(const struct orr_catalogue *catalogue, const char *id, bool json, struct cli_text *text)
{
    struct orr_model model;
    struct orr_error error;
    if (orr_model_read(catalogue, id, &model, &error)) {
        cli_fail("%s", error.text);
        return false;
    }
    const double total = (double)orr_model_params(&model), active = (double)orr_model_params_active(&model);
    if (json)
        cli_text_add(text, ",\"params_total\":%.0f,\"params_active\":%.0f,\"layers\":%lld,\"hidden\":%lld", total,
                     active, (long long)model.n_layers, (long long)model.hidden);
    else
        cli_text_add(text, "%9.3f B parameters %9.3f B active %5lld layers %7lld hidden", total / 1e9, active / 1e9,
                     (long long)model.n_layers, (long long)model.hidden);
    return true;
}

static bool add_system(const struct orr_catalogue *catalogue, const char *id, bool json, struct cli_text *text)
{
    struct orr_system system;
    struct orr_calibration calibration;
    struct orr_error error;
    if (orr_system_read(catalogue, id, &system, &calibration, &error)) {
        cli_fail("%s", error.text);
        return false;
    }
    const char *trust = calibration.calibrated ? "calibrated" : "datasheet";
    if (json) {
        cli_text_add(text, ",\"chip\":");
        cli_text_add_json(text, system.chip.id);
        cli_text_add(text, ",\"gpus_per_node\":%lld,\"domain_gpus\":%lld,\"trust\":\"%s\"",
                     (long long)system.gpus_per_node, (long long)system.domain_gpus, trust);
    } else {
        cli_text_add(text, "%-34s %3lld per node %4lld per domain  %s", system.chip.name,
                     (long long)system.gpus_per_node, (long long)system.domain_gpus, trust);
    }
    return true;
}

static bool add_engine(const struct orr_catalogue *catalogue, const char *id, bool json, struct cli_text *text)
{
    struct orr_engine engine;
    struct orr_error error;
    if (orr_engine_read(catalogue, id, &engine, &error)) {
        cli_fail("%s", error.text);
        return false;
    }
    const char *attention = orr_attention_kernel_name(engine.attention);
    const char *recompute = orr_recompute_name(engine.default_recompute);
    cli_text_add(text,
                 json ? ",\"attention\":\"%s\",\"default_recompute\":\"%s\",\"default_zero\":%lld"
                      : "attention %-8s recompute %-10s zero %lld",
                 attention, recompute, (long long)engine.default_zero);
    return true;
}

static bool add_line(const struct orr_catalogue *catalogue, enum orr_part part, const char *id, bool json,
                     struct cli_text *text)
{
    char line[ORR_LINE];
    struct orr_error error;
    if (orr_technology_line(catalogue, part, id, line, &error)) {
        cli_fail("%s", error.text);
        return false;
    }
    if (json) cli_text_add(text, ",\"facts\":");
    if (json) cli_text_add_json(text, line);
    else cli_text_add(text, "%s", line);
    return true;
}

static bool add_facts(const struct orr_catalogue *catalogue, enum orr_part part, const char *id, bool json,
                      struct cli_text *text)
{
    switch (part) {
    case ORR_PART_MODEL: return add_model(catalogue, id, json, text);
    case ORR_PART_SYSTEM: return add_system(catalogue, id, json, text);
    case ORR_PART_ENGINE: return add_engine(catalogue, id, json, text);
    case ORR_PART_CHIP:
    case ORR_PART_CALIBRATION:
    case ORR_N_PARTS: break;
    case ORR_PART_TECHNOLOGY:
    case ORR_PART_DESIGN:
    case ORR_PART_MEMORY:
    case ORR_PART_NETWORK: return add_line(catalogue, part, id, json, text);
    }
    return true;
}

static bool add_part(const struct orr_catalogue *catalogue, enum orr_part part, bool json, struct cli_text *text)
{
    const size_t n = orr_catalogue_count(catalogue, part);
    int width = 0;
    for (size_t i = 0; i < n; i++) {
        const int length = (int)strlen(orr_catalogue_id(catalogue, part, i));
        if (length > width) width = length;
    }
    for (size_t i = 0; i < n; i++) {
        const char *id = orr_catalogue_id(catalogue, part, i);
        const bool facts = part != ORR_PART_CHIP && part != ORR_PART_CALIBRATION;
        if (json) {
            cli_text_add(text, "%s{\"id\":", i ? "," : "");
            cli_text_add_json(text, id);
        } else {
            cli_text_add(text, "  %-*s%s", facts ? width : 0, id, facts ? "  " : "");
        }
        if (!add_facts(catalogue, part, id, json, text)) return false;
        cli_text_add(text, json ? "}" : "\n");
    }
    return true;
}

/* All parts, or the one asked for. */
static bool add_list(const struct orr_catalogue *catalogue, int only, bool json, struct cli_text *text)
{
    bool first = true;
    if (json) cli_text_add(text, "{\"schema\":\"%s\",\"kind\":\"list\"", ORR_SCHEMA);
    for (int part = 0; part < ORR_N_PARTS; part++) {
        if (only >= 0 && part != only) continue;
        const char *name = orr_part_name((enum orr_part)part);
        const size_t n = orr_catalogue_count(catalogue, (enum orr_part)part);
        if (json) cli_text_add(text, ",\"%s\":[", name);
        else cli_text_add(text, "%s%s (%zu)\n", first ? "" : "\n", name, n);
        if (!add_part(catalogue, (enum orr_part)part, json, text)) return false;
        if (json) cli_text_add(text, "]");
        first = false;
    }
    if (json) cli_text_add(text, "}\n");
    return true;
}

static enum cli_status part_by_name(const char *name, int *part)
{
    const char *names[ORR_N_PARTS];
    for (int i = 0; i < ORR_N_PARTS; i++) {
        names[i] = orr_part_name((enum orr_part)i);
        if (strcmp(name, names[i]) == 0) {
            *part = i;
            return CLI_ANSWERED;
        }
    }
    const char *near = cli_nearest(name, names, ORR_N_PARTS);
    return cli_fail(
        "list %s: expected models, chips, systems, engines, calibration, technologies, designs, memories or "
        "networks%s%s%s",
        name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

static enum cli_status list(const struct cli_args *args)
{
    int only = -1;
    if (args->help) return cli_options_help(CLI_FOR_LIST, usage);
    if (args->n_words && part_by_name(args->words[0], &only)) return CLI_BAD;
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    if (!catalogue) return CLI_BAD;
    struct cli_text text = {0};
    const bool listed = add_list(catalogue, only, args->format == ORR_FORMAT_JSON, &text);
    const enum cli_status status = listed ? cli_write(text.data) : CLI_BAD;
    free(text.data);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_list(int argc, const char *const *argv)
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, CLI_FOR_LIST, 1, &args);
    if (!status) status = list(&args);
    cli_args_free(&args);
    return status;
}
