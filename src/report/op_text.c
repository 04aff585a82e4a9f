/* This file turns operators into the words and JSON members that describe them. */
#include "report/op_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/json_text.h"
#include "report/table.h"
#include "spec/names.h"

#define EXPLAIN_INDENT 6

/* ---------------------------------------------------------------- text */

const char *orr_op_title(char buffer[ORR_TITLE_TEXT], const struct orr_op *op)
{
    if (op->layer_kind != ORR_LAYER_TOWER || strncmp(op->name, "tower.", strlen("tower.")) == 0) return op->name;
    (void)snprintf(buffer, ORR_TITLE_TEXT, "tower %s", op->name);
    return buffer;
}

/* Prints "batch x m x k x n", as docs/equations.md writes a GEMM, or what a collective moves. */
char *orr_op_shape(char buffer[ORR_SHAPE_TEXT], const struct orr_op *op)
{
    char bytes[32], repeat[40] = "";
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_BMM:
    case ORR_OP_GROUPED:
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
    case ORR_OP_DECODE:
    case ORR_OP_SCAN:
        if (op->batch > 1) (void)snprintf(repeat, sizeof repeat, " (×%.0f)", op->batch);
        (void)snprintf(buffer, ORR_SHAPE_TEXT, "%.0f×%.0f×%.0f%s", op->m, op->k, op->n, repeat);
        return buffer;
    case ORR_OP_POINTWISE:
        (void)snprintf(buffer, ORR_SHAPE_TEXT, "%s %s", orr_pointwise_name(op->pointwise),
                       orr_print_bytes(bytes, op->bytes));
        return buffer;
    case ORR_OP_COLLECTIVE:
        (void)snprintf(buffer, ORR_SHAPE_TEXT, "%s %s", orr_collective_name(op->collective),
                       orr_print_bytes(bytes, op->payload_bytes));
        return buffer;
    case ORR_N_OP_KINDS: break;
    }
    buffer[0] = '\0';
    return buffer;
}

char *orr_print_times(char *buffer, double times)
{
    const bool whole = fabs(times - round(times)) < 1e-6; /* the share of a share may miss a whole number by rounding */
    (void)snprintf(buffer, 32, "%.*f", whole ? 0 : 1, times);
    return buffer;
}

/* Adds what the cost model chose for the operator: the tile of a GEMM, the algorithm of a collective. */
static void add_choice(const struct orr_op *op, const struct orr_cost *cost, struct orr_text *line)
{
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_BMM:
    case ORR_OP_GROUPED:
        orr_text_add(line, ", %s", orr_dtype_name(op->dtype));
        if (cost->tile_m > 0) orr_text_add(line, ", tile %lld×%lld", (long long)cost->tile_m, (long long)cost->tile_n);
        if (cost->split_k > 1) orr_text_add(line, " split %lld", (long long)cost->split_k);
        return;
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
        orr_text_add(line, ", %s%s", orr_dtype_name(op->dtype), op->walk_ratio > 1 ? ", causal" : "");
        if (op->imbalance_frac > 0) orr_text_add(line, ", busiest rank %.3g of the mean", 1 + op->imbalance_frac);
        return;
    case ORR_OP_DECODE:
        orr_text_add(line, ", %.3g-byte cache", op->input_bytes);
        if (op->latent_rank > 0) orr_text_add(line, ", latent");
        else if (op->index) orr_text_add(line, ", index keys");
        else orr_text_add(line, ", %.4g K,V heads", op->kv_heads);
        return;
    case ORR_OP_SCAN: orr_text_add(line, ", %s", op->vector ? "vector units" : orr_dtype_name(op->dtype)); return;
    case ORR_OP_POINTWISE: orr_text_add(line, ", %.0f launch%s", op->launches, op->launches > 1 ? "es" : ""); return;
    case ORR_OP_COLLECTIVE:
        orr_text_add(line, " over %s, %s", orr_group_name(op->group), orr_algorithm_name(cost->algorithm));
        return;
    case ORR_N_OP_KINDS: break;
    }
}

static void add_seconds(struct orr_text *line, const char *name, double seconds)
{
    char buffer[32];
    if (seconds > 0) orr_text_add(line, ", %s %s", name, orr_print_s(buffer, seconds));
}

/* Adds what one run is made of: shape, tile or algorithm, work, and the seconds of each resource, with matrix kernels
 * at `clock_frac` of the clock they were costed at. Pieces are separated by ", ". */
static void add_make_up(const struct orr_op *op, const struct orr_cost *cost, double clock_frac, struct orr_text *line)
{
    char shape[ORR_SHAPE_TEXT], buffer[32];
    orr_text_add(line, "%s", orr_op_shape(shape, op));
    add_choice(op, cost, line);
    if (op->flops > 0) orr_text_add(line, ", %s", orr_print_si(buffer, op->flops, "FLOP"));
    if (op->kind != ORR_OP_POINTWISE && cost->dram_bytes > 0)
        orr_text_add(line, ", DRAM %s", orr_print_bytes(buffer, cost->dram_bytes));
    if (cost->l2_s > 0) orr_text_add(line, ", L2 %s", orr_print_bytes(buffer, cost->l2_bytes));
    add_seconds(line, "compute", cost->matrix_frac > 0 ? cost->compute_s / clock_frac : cost->compute_s);
    add_seconds(line, "l2", cost->l2_s);
    add_seconds(line, "dram", cost->dram_s);
    add_seconds(line, "network", cost->network_s);
    add_seconds(line, "launch", cost->launch_s);
    add_seconds(line, "hidden", cost->hidden_s);
}

void orr_op_explain(const struct orr_style *style, const char *head, const struct orr_op *op,
                    const struct orr_cost *cost, double clock_frac, struct orr_text *text)
{
    struct orr_text line = {0};
    orr_text_wrap(text, style, "", EXPLAIN_INDENT - 2, head, " ");
    add_make_up(op, cost, clock_frac, &line);
    orr_text_wrap_line(text, style, "", EXPLAIN_INDENT, &line, ", ");
}

/* ---------------------------------------------------------------- JSON */

json_t *orr_json_joined(json_t *object, json_t *more)
{
    const int failed = !object || !more || json_object_update(object, more);
    json_decref(more);
    return orr_json_whole(object, failed);
}

void orr_dump_line(struct orr_text *text, json_t *element, bool last)
{
    orr_text_add(text, "  ");
    orr_json_add(text, element, 0);
    orr_text_add(text, last ? "\n" : ",\n");
}

static const char *layer_name(int64_t layer_kind, char buffer[32])
{
    if (layer_kind == ORR_LAYER_EMBEDDING) return "embedding";
    if (layer_kind == ORR_LAYER_HEAD) return "head";
    if (layer_kind == ORR_LAYER_STEP) return "step";
    if (layer_kind == ORR_LAYER_MTP) return "mtp";
    if (layer_kind == ORR_LAYER_BOUNDARY) return "boundary";
    if (layer_kind == ORR_LAYER_TOWER) return "tower";
    (void)snprintf(buffer, 32, "kind %lld", (long long)layer_kind);
    return buffer;
}

/* Returns the members every operator has; those of its kind come after them. */
static json_t *op_common(const struct orr_op *op)
{
    char layer[32];
    return json_pack("{ss ss ss ss so so so so sb}", "name", op->name, "kind", orr_op_kind_name(op->kind), "phase",
                     orr_phase_name(op->phase), "layer", layer_name(op->layer_kind, layer), "count",
                     orr_json_real(op->count), "flops", orr_json_real(op->flops), "bytes", orr_json_real(op->bytes),
                     "launches", orr_json_real(op->launches), "recomputed", op->recomputed);
}

static json_t *op_kind_members(const struct orr_op *op)
{
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_BMM:
    case ORR_OP_GROUPED:
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
        return json_pack("{so so so so ss so so sb so so sb}", "batch", orr_json_real(op->batch), "m",
                         orr_json_real(op->m), "n", orr_json_real(op->n), "k", orr_json_real(op->k), "dtype",
                         orr_dtype_name(op->dtype), "input_bytes", orr_json_real(op->input_bytes), "output_bytes",
                         orr_json_real(op->output_bytes), "causal", op->walk_ratio > 1, "imbalance_frac",
                         orr_json_real(op->imbalance_frac), "head_size", orr_json_real(op->head_size), "wgrad",
                         op->wgrad);
    case ORR_OP_DECODE:
        return json_pack("{so so so so ss so so sb}", "batch", orr_json_real(op->batch), "m", orr_json_real(op->m), "n",
                         orr_json_real(op->n), "k", orr_json_real(op->k), "dtype", orr_dtype_name(op->dtype),
                         "input_bytes", orr_json_real(op->input_bytes), "kv_heads", orr_json_real(op->kv_heads),
                         "latent", op->latent_rank > 0);
    case ORR_OP_SCAN:
        return json_pack("{so so so so ss sb}", "batch", orr_json_real(op->batch), "m", orr_json_real(op->m), "n",
                         orr_json_real(op->n), "k", orr_json_real(op->k), "dtype", orr_dtype_name(op->dtype), "vector",
                         op->vector);
    case ORR_OP_POINTWISE: return json_pack("{ss}", "pointwise", orr_pointwise_name(op->pointwise));
    case ORR_OP_COLLECTIVE:
        return json_pack("{ss ss so sI}", "collective", orr_collective_name(op->collective), "group",
                         orr_group_name(op->group), "payload_bytes", orr_json_real(op->payload_bytes), "window_op",
                         (json_int_t)op->window_op);
    case ORR_N_OP_KINDS: break;
    }
    return NULL;
}

json_t *orr_op_json(const struct orr_op *op)
{
    return orr_json_joined(op_common(op), op_kind_members(op));
}

static json_t *cost_members(const struct orr_cost *cost)
{
    return json_pack("{so so so so so so so so so so ss}", "total_s", orr_json_real(cost->total_s), "compute_s",
                     orr_json_real(cost->compute_s), "l2_s", orr_json_real(cost->l2_s), "dram_s",
                     orr_json_real(cost->dram_s), "network_s", orr_json_real(cost->network_s), "launch_s",
                     orr_json_real(cost->launch_s), "hidden_s", orr_json_real(cost->hidden_s), "dram_bytes",
                     orr_json_real(cost->dram_bytes), "l2_bytes", orr_json_real(cost->l2_bytes), "matrix_frac",
                     orr_json_real(cost->matrix_frac), "bound", orr_bound_name(cost->bound));
}

static json_t *cost_winner(const struct orr_op *op, const struct orr_cost *cost)
{
    if (op->kind == ORR_OP_COLLECTIVE) return json_pack("{ss}", "algorithm", orr_algorithm_name(cost->algorithm));
    if (cost->tile_m == 0) return json_object();
    return json_pack("{sI sI sI}", "tile_m", (json_int_t)cost->tile_m, "tile_n", (json_int_t)cost->tile_n, "split_k",
                     (json_int_t)cost->split_k);
}

json_t *orr_cost_json(const struct orr_op *op, const struct orr_cost *cost)
{
    return orr_json_joined(cost_members(cost), cost_winner(op, cost));
}
