/* --dump: the arrows of the flow as JSON arrays (operators, costs, timeline, memory), one object per line. */
#include <stdio.h>

#include "base/units.h"
#include "report/json_text.h"
#include "report/train.h"

/* "batch x m x k x n" as a GEMM is written in the method reference, or what a collective moves. */
char *orr_op_shape(char buffer[ORR_SHAPE_TEXT], const struct orr_op *op)
{
    char bytes[32], repeat[40] = "";
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_BMM:
    case ORR_OP_GROUPED:
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
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

/* One element of the array on a line of its own. */
static void add_line(struct orr_text *text, json_t *element, bool last)
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
    if (layer_kind == ORR_LAYER_BOUNDARY) return "boundary";
    (void)snprintf(buffer, 32, "kind %lld", (long long)layer_kind);
    return buffer;
}

/* What every operator has; the members of its kind come after. */
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
        return json_pack("{so so so so ss so so sb so sb}", "batch", orr_json_real(op->batch), "m",
                         orr_json_real(op->m), "n", orr_json_real(op->n), "k", orr_json_real(op->k), "dtype",
                         orr_dtype_name(op->dtype), "input_bytes", orr_json_real(op->input_bytes), "output_bytes",
                         orr_json_real(op->output_bytes), "causal", op->causal, "head_size",
                         orr_json_real(op->head_size), "wgrad", op->wgrad);
    case ORR_OP_POINTWISE: return json_pack("{ss}", "pointwise", orr_pointwise_name(op->pointwise));
    case ORR_OP_COLLECTIVE:
        return json_pack("{ss ss so sI}", "collective", orr_collective_name(op->collective), "group",
                         orr_group_name(op->group), "payload_bytes", orr_json_real(op->payload_bytes), "window_op",
                         (json_int_t)op->window_op);
    case ORR_N_OP_KINDS: break;
    }
    return NULL;
}

/* `object` with the members of `more`; takes both, NULL if either is missing. */
static json_t *joined(json_t *object, json_t *more)
{
    const int failed = !object || !more || json_object_update(object, more);
    json_decref(more);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

void orr_dump_ops(const struct orr_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    const struct orr_op_list *list = &view->scratch->ops;
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_cost *cost = &view->scratch->costs[i];
        json_t *line = joined(op_common(&list->items[i]), op_kind_members(&list->items[i]));
        line = joined(line, json_pack("{so ss}", "time_s", orr_json_real(orr_cost_at(cost, view->clock_frac)), "bound",
                                      orr_bound_name(cost->bound)));
        add_line(text, line, i + 1 == list->n);
    }
    orr_text_add(text, "]\n");
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

void orr_dump_costs(const struct orr_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    for (size_t i = 0; i < view->scratch->ops.n; i++) {
        const struct orr_op *op = &view->scratch->ops.items[i];
        const struct orr_cost *cost = &view->scratch->costs[i];
        json_t *line = json_pack("{ss ss so so}", "name", op->name, "phase", orr_phase_name(op->phase), "runs",
                                 orr_json_real(orr_view_runs(view, i)), "step_s",
                                 orr_json_real(orr_view_part_s(view, i, ORR_N_TIME_PARTS)));
        line = joined(joined(line, cost_members(cost)), cost_winner(op, cost));
        add_line(text, line, i + 1 == view->scratch->ops.n);
    }
    orr_text_add(text, "]\n");
}

void orr_dump_timeline(const struct orr_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    for (size_t i = 0; i < view->n_spans; i++) {
        const struct orr_span *span = &view->spans[i];
        json_t *line = json_pack("{ss sI sI sI so so}", "name", span->name, "rank", (json_int_t)span->rank, "chunk",
                                 (json_int_t)span->chunk, "micro_batch", (json_int_t)span->micro_batch, "start_s",
                                 orr_json_real(span->start_s), "end_s", orr_json_real(span->end_s));
        add_line(text, line, i + 1 == view->n_spans);
    }
    orr_text_add(text, "]\n");
}

void orr_dump_memory(const struct orr_view *view, struct orr_text *text)
{
    const struct orr_memory *memory = &view->result->memory;
    orr_text_add(text, "[\n");
    for (int64_t i = 0; i < memory->n_tensors; i++) {
        const struct orr_tensor *tensor = &memory->tensors[i];
        json_t *line =
            json_pack("{ss ss ss ss ss so sb}", "name", tensor->name, "part", orr_memory_part_name(tensor->part),
                      "shape", tensor->shape, "sharding", tensor->sharding, "lifetime", tensor->lifetime, "bytes",
                      orr_json_real(tensor->bytes), "at_peak", tensor->at_peak);
        add_line(text, line, i + 1 == memory->n_tensors);
    }
    orr_text_add(text, "]\n");
}
