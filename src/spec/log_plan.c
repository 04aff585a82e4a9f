/* What a log of training says about its plan: the arguments that Megatron-LM and Megatron-DeepSpeed print when they
 * start, and the lines in which torchtitan says what it builds. */
#include "spec/log_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double orr_log_number(const char *text)
{
    char digits[48];
    size_t n = 0;
    while (*text == ' ' || *text == '\t') text++;
    for (; (isdigit((unsigned char)*text) || strchr(".,eE+-", *text)) && *text && n + 1 < sizeof digits; text++)
        if (*text != ',') digits[n++] = *text;
    digits[n] = '\0';
    char *end;
    const double value = strtod(digits, &end);
    if (end == digits) return (double)NAN;
    return *text == 'K' ? 1e3 * value : *text == 'M' ? 1e6 * value : *text == 'B' ? 1e9 * value : value;
}

double orr_log_number_after(const char *line, const char *text)
{
    const char *at = strstr(line, text);
    return at ? orr_log_number(at + strlen(text)) : (double)NAN;
}

static void put(struct orr_cells *cells, const char *column, const char *value)
{
    (void)orr_cells_put(cells, column, value, true);
}

static void put_count(struct orr_cells *cells, const char *column, double value)
{
    if (value >= 1 && value == floor(value)) (void)orr_cells_put_number(cells, column, value);
}

/* ---------------------------------------------------------------- arguments of Megatron-LM */

/* Arguments that are counts, and their columns. */
static const char *const COUNTS[][2] = {{"tensor_model_parallel_size", "tp"},
                                        {"pipeline_model_parallel_size", "pp"},
                                        {"virtual_pipeline_model_parallel_size", "vpp"},
                                        {"context_parallel_size", "cp"},
                                        {"expert_model_parallel_size", "ep"},
                                        {"data_parallel_size", "dp"},
                                        {"world_size", "gpus"},
                                        {"seq_length", "seq"},
                                        {"micro_batch_size", "micro_batch"},
                                        {"global_batch_size", "global_batch"}};

/* "0:   tensor_model_parallel_size ......... 8": the name, and the value, which is what stands behind the dots. Names
 * that are too long for dots have a space. What a launcher puts before the line does not matter. */
static const char *argument(const char *line, char name[48])
{
    const char *dots = strstr(line, " ..");
    const char *end = dots ? dots : line + strlen(line);
    if (!dots) { /* the last two words */
        while (end > line && end[-1] == ' ') end--;
        while (end > line && end[-1] != ' ') end--;
        while (end > line && end[-1] == ' ') end--;
    }
    const char *start = end;
    while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_')) start--;
    const size_t n = (size_t)(end - start);
    if (n == 0 || n >= 48 || (start > line && start[-1] != ' ')) return NULL;
    memcpy(name, start, n);
    name[n] = '\0';
    return end + strspn(end, " .");
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* What products are computed in. "fp8" and "fp4" hold the format of narrow products, or None; older releases have a
 * switch for each format. Names come in the order of the alphabet: bf16, fp16, fp4, fp8. */
static void read_precision(struct orr_cells *cells, const char *name, const char *value)
{
    static const char *const RECIPES[] = {"tensorwise", "blockwise", "mxfp8"};
    const bool on = starts(value, "True");
    if (on && (strcmp(name, "bf16") == 0 || strcmp(name, "fp16") == 0)) put(cells, "precision", name);
    if (strcmp(name, "fp8") == 0 && (starts(value, "e4m3") || starts(value, "hybrid"))) put(cells, "precision", "fp8");
    if (on && (strcmp(name, "fp8_e4m3") == 0 || strcmp(name, "fp8_hybrid") == 0)) put(cells, "precision", "fp8");
    if (strcmp(name, "fp4") == 0 && starts(value, "e2m1")) put(cells, "precision", "fp4");
    const bool eight = strcmp(orr_cells_get(cells, "precision"), "fp8") == 0;
    for (size_t i = 0; eight && i < sizeof RECIPES / sizeof *RECIPES; i++)
        if (strcmp(name, "fp8_recipe") == 0 && starts(value, RECIPES[i])) put(cells, "fp8_recipe", RECIPES[i]);
}

/* "['core_attn', 'moe_act']" */
static void read_modules(struct orr_log_plan *plan, const char *value)
{
    size_t n = 0;
    for (; *value && n + 1 < sizeof plan->modules; value++)
        if (isalnum((unsigned char)*value) || *value == '_' || *value == ',') plan->modules[n++] = *value;
    plan->modules[n] = '\0';
    if (strcmp(plan->modules, "None") == 0) plan->modules[0] = '\0';
}

/* Releases until 2022 have a method or a switch instead of a granularity, which later ones print beside it. */
static void read_recompute(struct orr_log_plan *plan, struct orr_cells *cells, const char *name, const char *value)
{
    const bool none = starts(value, "None") || starts(value, "False");
    if (strcmp(name, "checkpoint_activations") == 0 || strcmp(name, "activations_checkpoint_method") == 0)
        (void)orr_cells_put(cells, "recompute", none ? "none" : "full", !none);
    if (strcmp(name, "recompute_granularity") == 0 && none) (void)orr_cells_put(cells, "recompute", "none", false);
    if (strcmp(name, "recompute_granularity") == 0 && !none)
        put(cells, "recompute", starts(value, "full") ? "full" : "selective");
    if (strcmp(name, "recompute_method") == 0 || strcmp(name, "activations_checkpoint_method") == 0)
        (void)snprintf(plan->method, sizeof plan->method, "%s",
                       starts(value, "block")     ? "first"
                       : starts(value, "uniform") ? "uniform"
                                                  : "");
    if (strcmp(name, "recompute_num_layers") == 0 || strcmp(name, "activations_checkpoint_num_layers") == 0)
        plan->layers = orr_log_number(value);
    if (strcmp(name, "recompute_modules") == 0) read_modules(plan, value);
}

/* The distributed optimizer is ZeRO-1. Sharded data parallelism has a strategy, and DeepSpeed a stage, both of which
 * are printed whether they are in use or not. */
static void read_zero(struct orr_log_plan *plan, struct orr_cells *cells, const char *name, const char *value)
{
    static const char *const STRATEGIES[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
    static const char *const FSDP[] = {"use_custom_fsdp", "use_megatron_fsdp"};
    const size_t n = strcspn(value, " \t");
    const bool on = starts(value, "True");
    if (strcmp(name, "use_distributed_optimizer") == 0 && !plan->sharded) put(cells, "zero", on ? "1" : "0");
    if (strcmp(name, "data_parallel_sharding_strategy") == 0)
        for (int i = 0; i < 4; i++)
            if (strlen(STRATEGIES[i]) == n && starts(value, STRATEGIES[i])) plan->strategy = i;
    for (size_t i = 0; on && i < 2; i++) {
        if (strcmp(name, FSDP[i]) != 0) continue;
        plan->sharded = true;
        (void)orr_cells_put_number(cells, "zero", plan->strategy);
    }
    if (on && strcmp(name, "use_torch_fsdp2") == 0) put(cells, "zero", "3");
    if (strcmp(name, "deepspeed") == 0) plan->deepspeed = on;
    const double stage = orr_log_number(value);
    if (plan->deepspeed && strcmp(name, "zero_stage") == 0 && stage >= 0 && stage <= 3)
        (void)orr_cells_put_number(cells, "zero", stage);
}

static void read_argument(struct orr_log_plan *plan, const char *line, struct orr_cells *cells)
{
    char name[48];
    const char *value = argument(line, name);
    if (!value) return;
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        if (strcmp(name, COUNTS[i][0]) == 0) put_count(cells, COUNTS[i][1], orr_log_number(value));
    read_precision(cells, name, value);
    read_recompute(plan, cells, name, value);
    read_zero(plan, cells, name, value);
    if (strcmp(name, "sequence_parallel") == 0) put(cells, "sp", starts(value, "True") ? "1" : "0");
}

/* ---------------------------------------------------------------- what torchtitan builds */

/* The degree of a dimension: "tp=2", or what stands at its place behind a list of names; 1 if it is not there. */
static double degree(const char *mesh, const char *dimension)
{
    char text[32];
    const char *sizes = strrchr(mesh, '[');
    (void)snprintf(text, sizeof text, sizes ? "'%s'" : "%s=", dimension);
    const char *at = strstr(mesh, text);
    if (!at) return 1;
    for (const char *c = mesh; sizes && c < at; c++)
        if (*c == ',' && *++sizes) sizes += strcspn(sizes, ",");
    /* Numbers in a list have a comma behind them, which is no part of them. */
    const double said = strtod(sizes ? sizes + strspn(sizes, "[, ") : at + strlen(text), NULL);
    return said > 1 ? said : 1;
}

/* "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1", or a list of names and one of
 * degrees. Weights are sharded over dp_shard. */
static void read_mesh(struct orr_log_plan *plan, const char *mesh, struct orr_cells *cells)
{
    const double tp = degree(mesh, "tp"), pp = degree(mesh, "pp"), cp = degree(mesh, "cp"), ep = degree(mesh, "ep");
    const double inside = degree(mesh, "dp_shard_in_ep"), copies = degree(mesh, "dp_replicate");
    const double shards = degree(mesh, "dp") * degree(mesh, "dp_shard") * degree(mesh, "dp_shard_mod_ep") * inside;
    put_count(cells, "tp", tp);
    put_count(cells, "pp", pp);
    put_count(cells, "cp", cp);
    put_count(cells, "ep", inside > 1 ? inside * cp : ep);
    put_count(cells, "dp", copies * shards);
    put_count(cells, "gpus", copies * shards * tp * pp * cp);
    put(cells, "zero", shards > 1 ? "3" : "0");
    if (copies > 1 && shards > 1) put_count(cells, "zero_group", shards * cp);
    plan->pipelines = pp > 1;
    plan->built = true;
}

/* "local batch size 2, global batch size 16, sequence length 8192". A pipeline divides its local batch further. */
static void read_titan(struct orr_log_plan *plan, const char *line, struct orr_cells *cells)
{
    const char *mesh = strstr(line, "device mesh with ");
    if (mesh && strstr(line, "Building ")) read_mesh(plan, mesh, cells);
    if (strstr(line, "Compiling each TransformerBlock")) plan->compiled = true;
    if (strstr(line, "local batch size ")) {
        if (!plan->pipelines) put_count(cells, "micro_batch", orr_log_number_after(line, "local batch size "));
        put_count(cells, "global_batch", orr_log_number_after(line, "global batch size "));
        put_count(cells, "seq", orr_log_number_after(line, "sequence length "));
    }
    if (strstr(line, "activation checkpointing to the model"))
        put(cells, "recompute", strstr(line, "Applied full") || strstr(line, "Applied FullAC") ? "full" : "selective");
    const char *narrow = strstr(line, "Float8 ");
    if (!narrow || !strstr(narrow, "training active")) return;
    put(cells, "precision", "fp8");
    if (strstr(narrow, "tensorwise")) put(cells, "fp8_recipe", "tensorwise");
    if (strstr(narrow, "recipe rowwise"))
        put(cells, "fp8_recipe", strstr(narrow, "rowwise_with_gw_hp") ? "rowwise_gw_hp" : "rowwise");
    if (strstr(narrow, "recipe mxfp8")) put(cells, "fp8_recipe", "mxfp8");
}

/* ---------------------------------------------------------------- both */

void orr_log_plan_read(struct orr_log_plan *plan, const char *line, struct orr_cells *cells)
{
    if (strstr(line, "- end of arguments -")) plan->arguments = false;
    if (strstr(line, " .. ") || strstr(line, " ...") || plan->arguments) read_argument(plan, line, cells);
    if (strstr(line, "- arguments -")) plan->arguments = true;
    read_titan(plan, line, cells);
}

enum orr_log_start orr_log_plan_starts(const char *line)
{
    if (strstr(line, "- arguments -")) return ORR_LOG_NEW_RUN;
    return strstr(line, "Building ") && strstr(line, "device mesh with ") ? ORR_LOG_MESH : ORR_LOG_GOES_ON;
}

void orr_log_plan_end(const struct orr_log_plan *plan, struct orr_cells *cells)
{
    char text[ORR_CELL];
    if (plan->built) (void)orr_cells_put(cells, "recompute", "none", false);
    const char *recompute = orr_cells_get(cells, "recompute");
    const bool groups = strcmp(plan->method, "uniform") == 0; /* of one layer: as if nothing had been said */
    if (strcmp(recompute, "full") == 0 && plan->method[0] && plan->layers > (groups ? 1 : 0)) {
        (void)snprintf(text, sizeof text, "%s:%.0f", plan->method, plan->layers);
        put(cells, "recompute", text);
    }
    if (strcmp(recompute, "selective") == 0 && plan->modules[0] && strcmp(plan->modules, "core_attn") != 0) {
        (void)snprintf(text, sizeof text, "ops:%s", plan->modules);
        put(cells, "recompute", text);
    }
}
