/* --dump: the arrows of the flow as JSON arrays (operators, costs, timeline, memory), one object per line. */
#include "report/json_text.h"
#include "report/train.h"

void orr_dump_ops(const struct orr_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    const struct orr_op_list *list = &view->scratch->ops;
    for (size_t i = 0; i < list->n; i++) {
        const struct orr_cost *cost = &view->scratch->costs[i];
        json_t *line = orr_op_json(&list->items[i]);
        line =
            orr_json_joined(line, json_pack("{so ss}", "time_s", orr_json_real(orr_cost_at_s(cost, view->clock_frac)),
                                            "bound", orr_bound_name(cost->bound)));
        orr_dump_line(text, line, i + 1 == list->n);
    }
    orr_text_add(text, "]\n");
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
        line = orr_json_joined(line, orr_cost_json(op, cost));
        orr_dump_line(text, line, i + 1 == view->scratch->ops.n);
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
        orr_dump_line(text, line, i + 1 == view->n_spans);
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
        orr_dump_line(text, line, i + 1 == memory->n_tensors);
    }
    orr_text_add(text, "]\n");
}
