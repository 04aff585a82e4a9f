/* orrery show: print one part of the catalogue as stored, with the facts that follow from it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"

static const char usage[] =
    "usage: orrery show ID [options]\n"
    "       orrery show --diff A B [options]\n"
    "Show a model, chip, system, engine, calibration, technology, design, memory or network: its\n"
    "JSON, its sources and what follows from it. An id that several kinds share can be given as systems/ID.\n"
    "Every fact of an engine is explained, with the file that states it and its source. --diff shows the facts\n"
    "in which two engines, systems or chips differ. Other names work as in a request: vllm-0.11, megatron, h100.\n"
    "generated:KEY=VALUE,... shows the system these budgets make.";

/* Layers, widths and what an input becomes. */
static void add_tower_facts(const struct orr_tower *tower, struct orr_text *text)
{
    /* ORDER enum orr_tower_input */
    static const char *const NAMES[] = {"", "vision tower", "sound encoder", "text encoder"};
    const struct orr_layer_kind *layer = &tower->kinds[0];
    if (tower->input == ORR_TOWER_NONE) return;
    cli_text_add(text, "  %-20s %lld layers of width %lld, %lld heads, FFN %lld%s", NAMES[tower->input],
                 (long long)(tower->n_layers[0] + tower->n_layers[1]), (long long)tower->hidden,
                 (long long)layer->n_heads, (long long)layer->ffn_width, layer->gated ? " gated" : "");
    if (tower->n_layers[1])
        cli_text_add(text, "; %lld of them in windows of %lld", (long long)tower->n_layers[1],
                     (long long)tower->kinds[1].window);
    if (tower->tile) cli_text_add(text, "; tiles of %lld pixels", (long long)tower->tile);
    if (tower->positions) cli_text_add(text, "; %lld positions", (long long)tower->positions);
    if (tower->tokens) cli_text_add(text, ", %lld tokens", (long long)tower->tokens);
    if (tower->merge)
        cli_text_add(text, "; a token per %lld x %lld pixels", (long long)(tower->patch * tower->merge),
                     (long long)(tower->patch * tower->merge));
    cli_text_add(text, "\n");
}

static void add_model_facts(const struct orr_model *model, struct orr_text *text)
{
    cli_text_add(text, "  parameters           %lld\n", (long long)orr_model_params(model));
    cli_text_add(text, "  active per token     %lld\n", (long long)orr_model_params_active(model));
    cli_text_add(text, "  embedding and head   %lld and %lld%s\n", (long long)model->embedding_params,
                 (long long)model->head_params, model->tied_embeddings ? " (tied)" : "");
    if (model->tower_params) cli_text_add(text, "  towers, apart        %lld\n", (long long)model->tower_params);
    add_tower_facts(&model->tower, text);
    for (int64_t kind = 0; kind < model->n_kinds; kind++) {
        const struct orr_layer_kind *layer = &model->kinds[kind];
        int64_t n = 0;
        for (int64_t i = 0; i < model->n_layers; i++) n += model->layer_kind[i] == kind;
        cli_text_add(text, "  %4lld layers          %s%s %lld", (long long)n, orr_mixer_name(layer->mixer),
                     layer->beside_attention ? " beside attention" : "", (long long)layer->attention_params);
        if (layer->ffn_params) cli_text_add(text, ", FFN %lld", (long long)layer->ffn_params);
        if (layer->n_experts)
            cli_text_add(text, ", %lld experts of %lld (%lld per token)", (long long)layer->n_experts,
                         (long long)layer->expert_params, (long long)layer->n_active);
        cli_text_add(text, ", norms %lld\n", (long long)layer->norm_params);
    }
}

static void add_system_facts(const struct orr_system *system, const struct orr_calibration *calibration,
                             struct orr_text *text)
{
    const struct orr_chip *chip = &system->chip;
    cli_text_add(text, "  chip                 %s (%s)\n", chip->id, chip->name);
    cli_text_add(text, "  constants            %s (%s)\n", calibration->id,
                 calibration->calibrated ? "calibrated on this chip" : "family values: trust is datasheet");
    for (int dtype = 0; dtype < ORR_N_DTYPES; dtype++) {
        const double peak = chip->peak_flops_per_s[dtype];
        if (peak <= 0) continue;
        cli_text_add(text, "  %-4s                 %8.1f TFLOP/s peak, %6.0f FLOP per DRAM byte\n",
                     orr_dtype_name((enum orr_dtype)dtype), peak / 1e12, peak / chip->hbm_bytes_per_s);
    }
    cli_text_add(text, "  DRAM                 %8.1f GiB at %.0f GB/s\n", chip->hbm_bytes / 1073741824.0,
                 chip->hbm_bytes_per_s / 1e9);
    cli_text_add(text, "  scale-up             %8.1f GB/s among %lld GPUs\n", system->scaleup_bytes_per_s / 1e9,
                 (long long)system->domain_gpus);
    cli_text_add(text, "  scale-out            %8.1f GB/s per GPU", system->scaleout_bytes_per_s / 1e9);
    if (system->gpus_per_nic > 1) cli_text_add(text, ", %lld GPUs to a NIC", (long long)system->gpus_per_nic);
    if (*system->fabric.id) cli_text_add(text, ", collectives as on %s", system->fabric.id);
    cli_text_add(text, "\n");
    for (int64_t i = 0; i < system->n_tiers; i++) {
        const struct orr_tier *tier = &system->tiers[i];
        cli_text_add(text, "  %-20s joins units of %lld GPUs, %g : 1\n", tier->name, (long long)tier->gpus,
                     tier->oversubscription);
    }
}

/* One line per algorithm and protocol: what a hop and the wire cost. */
static void add_fabric_facts(const struct orr_fabric *fabric, struct orr_text *text)
{
    cli_text_add(text, "  %s, measured over predicted time %.2f to %.2f in four of five cases\n",
                 fabric->measured ? "fitted to timings of this kind of network" : "for a network nobody has measured",
                 fabric->spread_low_frac, fabric->spread_high_frac);
    for (int64_t i = 0; i < fabric->n_lines; i++) {
        const struct orr_fabric_line *line = &fabric->lines[i];
        cli_text_add(text, "  %-14s %-13s %-9s %8.1f us + %6.2f us per hop, %5.3f of the NIC%s%s\n",
                     orr_collective_name(line->collective), orr_algorithm_name(line->algorithm),
                     line->low_latency ? "latency" : "bandwidth", 1e6 * line->base_s, 1e6 * line->hop_s,
                     line->efficiency_frac[0], line->pipelined ? ", the longer of both" : "",
                     line->after_local ? ", after the domain's part" : "");
    }
}

static void add_engine_facts(const struct orr_engine *engine, struct orr_text *text)
{
    cli_text_add(text, "  attention            %s (%s unless asked)\n", orr_attention_kernel_name(engine->attention),
                 engine->attention_unfused_default ? "unfused" : "fused");
    cli_text_add(text, "  recompute            %s unless asked\n", orr_recompute_name(engine->default_recompute));
    cli_text_add(text, "  sharding             zero %lld, sequence parallel %s unless asked\n",
                 (long long)engine->default_zero, engine->default_sp ? "on" : "off");
    cli_text_add(text, "  serving              %s decode kernel, cache budget %.0f %% (%s), blocks of %lld tokens\n",
                 orr_decode_kernel_name(engine->decode_kernel), 100 * engine->budget_frac,
                 orr_budget_name(engine->budget), (long long)engine->kv_block_tokens);
    if (engine->host_launch_s + engine->host_layer_s + engine->host_step_s <= 0) return;
    cli_text_add(text, "  host                 %.1f us per launch, %.2f ms per layer and pass, %.1f ms per step\n",
                 1e6 * engine->host_launch_s, 1e3 * engine->host_layer_s, 1e3 * engine->host_step_s);
}

/* Add the facts that follow from a part. Chips and calibrations have none beyond their files. */
static enum orr_err add_facts(const struct orr_catalogue *catalogue, enum orr_part part, const char *id,
                              struct orr_text *text, struct orr_error *error)
{
    struct orr_model model;
    struct orr_system system;
    struct orr_calibration calibration;
    struct orr_engine engine;
    struct orr_fabric fabric;
    char line[ORR_LINE];
    enum orr_err code = ORR_OK;
    switch (part) {
    case ORR_PART_MODEL:
        code = orr_model_read(catalogue, id, &model, error);
        if (!code) add_model_facts(&model, text);
        break;
    case ORR_PART_SYSTEM:
        code = orr_system_read(catalogue, id, &system, &calibration, error);
        if (!code) add_system_facts(&system, &calibration, text);
        break;
    case ORR_PART_ENGINE:
        code = orr_engine_read(catalogue, id, &engine, error);
        if (!code) add_engine_facts(&engine, text);
        break;
    case ORR_PART_TECHNOLOGY:
    case ORR_PART_DESIGN:
    case ORR_PART_MEMORY:
    case ORR_PART_NETWORK:
        code = orr_technology_line(catalogue, part, id, line, error);
        if (!code) cli_text_add(text, "  %s\n", line);
        break;
    case ORR_PART_FABRIC:
        code = orr_fabric_read(catalogue, id, &fabric, error);
        if (!code) add_fabric_facts(&fabric, text);
        break;
    case ORR_PART_CHIP:
    case ORR_PART_CALIBRATION:
    case ORR_PART_TRAFFIC:
    case ORR_N_PARTS: break;
    }
    return code;
}

/* Add every fact of a part with its meaning and source, or those in which it differs from another. */
static enum cli_status add_explained(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                     enum orr_part part, const char *id, const char *other, struct orr_text *text)
{
    struct orr_error error;
    char *facts = NULL;
    if (orr_facts_render(catalogue, part, id, other, args->format, &args->style, &facts, &error)) {
        free(facts);
        return cli_fail("%s", error.text);
    }
    cli_text_add(text, "%s%s", text->length ? "\n" : "", facts);
    free(facts);
    return CLI_ANSWERED;
}

static enum cli_status add_part(const struct cli_args *args, const struct orr_catalogue *catalogue, enum orr_part part,
                                const char *id, bool json, struct orr_text *text)
{
    const bool explainable = part == ORR_PART_ENGINE || part == ORR_PART_SYSTEM || part == ORR_PART_CHIP;
    if (explainable && cli_args_has(args, "facts")) return add_explained(args, catalogue, part, id, NULL, text);
    const char *stored = orr_catalogue_text(catalogue, part, id);
    const size_t n = strlen(stored);
    if (json) {
        cli_text_add(text, "%s%s", stored, n && stored[n - 1] == '\n' ? "" : "\n");
        return CLI_ANSWERED;
    }
    struct orr_error error;
    cli_text_add(text, "%s%s/%s\n", text->length ? "\n" : "", orr_part_name(part), id);
    if (add_facts(catalogue, part, id, text, &error)) return cli_fail("%s", error.text);
    if (part == ORR_PART_ENGINE) return add_explained(args, catalogue, part, id, NULL, text);
    cli_text_add(text, "%s%s", stored, n && stored[n - 1] == '\n' ? "" : "\n");
    return CLI_ANSWERED;
}

/* Add a system made from budgets: its facts, and the file that it would be. */
static enum cli_status add_generated(const struct orr_catalogue *catalogue, const char *name, bool json,
                                     struct orr_text *text)
{
    const struct orr_technology_question question = {.name = name, .view = ORR_TECHNOLOGY_CHIP};
    struct orr_error error;
    char *file;
    if (orr_technology_render(catalogue, &question, ORR_FORMAT_JSON, NULL, &file, &error))
        return cli_fail("%s", error.text);
    if (!json) {
        cli_text_add(text, "%s\n", name);
        if (add_facts(catalogue, ORR_PART_SYSTEM, name, text, &error)) {
            free(file);
            return cli_fail("%s", error.text);
        }
    }
    cli_text_add(text, "%s", file);
    free(file);
    return CLI_ANSWERED;
}

/* The kind of part that a name begins with, as in systems/ID; ORR_N_PARTS: none. */
static enum orr_part kind_in_name(const char *name)
{
    int part = 0;
    for (; part < ORR_N_PARTS; part++) {
        const char *kind = orr_part_name((enum orr_part)part);
        if (strncmp(name, kind, strlen(kind)) == 0 && name[strlen(kind)] == '/') break;
    }
    return (enum orr_part)part;
}

/* The ids of a kind of part, or of all kinds (ORR_N_PARTS), in new memory; NULL where there is none. */
static const char **ids_of(const struct orr_catalogue *catalogue, enum orr_part kind, size_t *n)
{
    size_t most = 0;
    for (int part = 0; part < ORR_N_PARTS; part++) most += orr_catalogue_count(catalogue, (enum orr_part)part);
    const char **ids = calloc(most + 1, sizeof *ids);
    *n = 0;
    for (int i = 0; ids && i < ORR_N_PARTS; i++) {
        const enum orr_part part = (enum orr_part)i;
        if (kind != ORR_N_PARTS && kind != part) continue;
        for (size_t k = 0; k < orr_catalogue_count(catalogue, part); k++)
            ids[(*n)++] = orr_catalogue_id(catalogue, part, k);
    }
    return ids;
}

static enum cli_status fail_unknown(const struct orr_catalogue *catalogue, const char *name)
{
    const enum orr_part kind = kind_in_name(name);
    const char *id = kind == ORR_N_PARTS ? name : strchr(name, '/') + 1;
    size_t n;
    const char **ids = ids_of(catalogue, kind, &n);
    if (!ids) return cli_fail_memory();
    const char *near = cli_nearest(id, ids, n);
    const size_t length = strlen(id);
    if (length > 5 && strcmp(id + length - 5, ".json") == 0)
        cli_fail("show %s: takes names of parts, not files: show an id with --catalogue DIR if the file is "
                 "DIR/engines/ID.json, or run a job with --engine %s",
                 name, name);
    else if (near && kind != ORR_N_PARTS)
        cli_fail("show %.200s: no such part (did you mean %s/%s?)", name, orr_part_name(kind), near);
    else if (near) cli_fail("show %.200s: no such part (did you mean %s?)", name, near);
    else if (kind != ORR_N_PARTS) cli_fail("show %.200s: no such part (see orrery list %s)", name, orr_part_name(kind));
    else cli_fail("show %.200s: no such part (see orrery list)", name);
    free(ids);
    return CLI_BAD;
}

/* Add every part called `name`, which may name its kind as in systems/ID. */
static enum cli_status add_parts(const struct cli_args *args, const struct orr_catalogue *catalogue, const char *name,
                                 bool json, struct orr_text *text)
{
    size_t found = 0;
    char first[2 * ORR_ID] = "";
    if (strncmp(name, "generated:", strlen("generated:")) == 0) return add_generated(catalogue, name, json, text);
    const enum orr_part kind = kind_in_name(name);
    const char *asked = kind == ORR_N_PARTS ? name : strchr(name, '/') + 1;
    for (int i = 0; i < ORR_N_PARTS; i++) {
        const enum orr_part part = (enum orr_part)i;
        const char *id = kind == ORR_N_PARTS || kind == part ? orr_catalogue_named(catalogue, part, asked) : NULL;
        if (!id) continue;
        if (json && found)
            return cli_fail("show %s: several parts have this id; say which: %s or %s/%s", name, first,
                            orr_part_name(part), id);
        if (!found++) (void)snprintf(first, sizeof first, "%s/%s", orr_part_name(part), id);
        if (add_part(args, catalogue, part, id, json, text)) return CLI_BAD;
    }
    return found ? CLI_ANSWERED : fail_unknown(catalogue, name);
}

/* Add the differences of two parts; the first kind of part that has both names is meant. */
static enum cli_status add_diff(const struct cli_args *args, const struct orr_catalogue *catalogue,
                                struct orr_text *text)
{
    static const enum orr_part PARTS[] = {ORR_PART_ENGINE, ORR_PART_SYSTEM, ORR_PART_CHIP};
    if (args->n_words != 2) return cli_fail("show --diff needs two engines, systems or chips");
    const char *a = args->words[0], *b = args->words[1];
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (orr_catalogue_named(catalogue, PARTS[i], a) && orr_catalogue_named(catalogue, PARTS[i], b))
            return add_explained(args, catalogue, PARTS[i], a, b, text);
    for (size_t w = 0; w < 2; w++) {
        bool known = false, other = false;
        for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
            known |= orr_catalogue_named(catalogue, PARTS[i], args->words[w]) != NULL;
        for (int i = 0; i < ORR_N_PARTS; i++)
            other |= orr_catalogue_named(catalogue, (enum orr_part)i, args->words[w]) != NULL;
        if (!known && other)
            return cli_fail("show --diff %s: only engines, systems and chips are compared", args->words[w]);
        if (!known) return fail_unknown(catalogue, args->words[w]);
    }
    return cli_fail("show --diff %s %s: they are not of the same kind (engines, systems or chips)", a, b);
}

static enum cli_status write_page(const struct cli_args *args, const struct orr_catalogue *catalogue, const char *name)
{
    struct orr_text terminal = {0}, json = {0};
    enum cli_status status = add_parts(args, catalogue, name, true, &json);
    if (!status) status = add_parts(args, catalogue, name, false, &terminal);
    if (!status) return cli_write_page(args, "show", name, terminal.data, json.data);
    free(terminal.data);
    free(json.data);
    return status;
}

static enum cli_status show(const struct cli_args *args)
{
    const bool diff = cli_args_has(args, "diff"), json = args->format == ORR_FORMAT_JSON;
    if (!args->n_words) return cli_fail("show needs an id (see orrery list)");
    if (!diff && args->n_words > 1) return cli_fail("show %s: one id; --diff compares two", args->words[1]);
    if (diff && args->html) return cli_fail("show --diff: --html shows one part");
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    if (!catalogue) return CLI_BAD;
    struct orr_text text = {0};
    enum cli_status status = args->html ? write_page(args, catalogue, args->words[0]) : CLI_ANSWERED;
    if (!status && !cli_html_only(args)) {
        status = diff ? add_diff(args, catalogue, &text) : add_parts(args, catalogue, args->words[0], json, &text);
        if (!status && !json) cli_plain(text.data, true); /* sources and names are texts of whoever wrote the file */
        if (!status) status = cli_write(text.data);
    }
    free(text.data);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_show(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_SHOW, 2, usage, show);
}
