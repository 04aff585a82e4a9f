/* --dump of an inference job: operators, costs, phases in time and memory as JSON arrays, one object per line. */
#include "report/infer.h"
#include "report/json_text.h"

/* Members every row has, whatever its kind: a shape of zeros where there is none, then time and place. */
static json_t *row_members(const struct orr_infer_view *view, size_t i)
{
    const struct orr_op *op = &view->ops[i];
    const struct orr_cost *cost = &view->costs[i];
    const double intensity = orr_intensity(op);
    const bool shaped = op->kind != ORR_OP_POINTWISE && op->kind != ORR_OP_COLLECTIVE;
    json_t *members = json_pack("{so ss so so so so}", "time_s", orr_json_real(orr_infer_run_s(view, i)), "bound",
                                orr_bound_name(cost->bound), "dram_bytes", orr_json_real(cost->dram_bytes), "l2_bytes",
                                orr_json_real(cost->l2_bytes), "runs", orr_json_real(orr_infer_runs(view, i)),
                                "intensity_flops_per_byte", orr_json_real(intensity));
    if (shaped) return members;
    return orr_json_joined(members, json_pack("{sf sf sf sf}", "batch", 0.0, "m", 0.0, "n", 0.0, "k", 0.0));
}

/* Eq. 96: where a product stands against the ridge, and the rows from which it would be compute-bound. */
static json_t *ridge_members(const struct orr_infer_view *view, const struct orr_op *op)
{
    if (!orr_is_product(op)) return json_object();
    const double ridge = orr_ridge(&view->job->system.chip, op->dtype), crossover = orr_crossover_m(op, ridge);
    return json_pack("{so ss so so}", "ridge_flops_per_byte", orr_json_real(ridge), "ridge_bound",
                     orr_intensity(op) < ridge ? "memory" : "compute", "crossover_m",
                     crossover > 0 ? orr_json_real(crossover) : json_null(), "weight_bytes",
                     orr_json_real(op->weight_bytes));
}

void orr_infer_dump_ops(const struct orr_infer_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    for (size_t i = 0; i < view->n_ops; i++) {
        json_t *line = orr_json_joined(orr_op_json(&view->ops[i]), row_members(view, i));
        line = orr_json_joined(line, ridge_members(view, &view->ops[i]));
        orr_dump_line(text, line, i + 1 == view->n_ops);
    }
    orr_text_add(text, "]\n");
}

void orr_infer_dump_costs(const struct orr_infer_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    for (size_t i = 0; i < view->n_ops; i++) {
        const struct orr_op *op = &view->ops[i];
        json_t *line =
            json_pack("{ss ss ss so so}", "name", op->name, "phase", orr_phase_name(op->phase), "part",
                      orr_infer_part_name(orr_infer_part_of(op)), "runs", orr_json_real(orr_infer_runs(view, i)),
                      "request_s", orr_json_real(orr_infer_part_s(view, i, ORR_N_INFER_PARTS)));
        line = orr_json_joined(line, orr_cost_json(op, &view->costs[i]));
        orr_dump_line(text, line, i + 1 == view->n_ops);
    }
    orr_text_add(text, "]\n");
}

/* The request as its two phases; the first begins with request handling and ends with the first token. */
void orr_infer_dump_timeline(const struct orr_infer_view *view, struct orr_text *text)
{
    const struct orr_infer_result *r = view->result;
    const bool decodes = r->decode_s > 0;
    orr_text_add(text, "[\n");
    orr_dump_line(text,
                  json_pack("{ss so so so so}", "name", "prefill", "start_s", orr_json_real(0), "end_s",
                            orr_json_real(r->ttft_s), "busy_s", orr_json_real(r->prefill_s), "tokens",
                            orr_json_real((double)(view->job->serving.batch * view->job->serving.input_len))),
                  !decodes);
    if (decodes)
        orr_dump_line(text,
                      json_pack("{ss so so so so so}", "name", "decode", "start_s", orr_json_real(r->ttft_s), "end_s",
                                orr_json_real(r->latency_s), "busy_s", orr_json_real(r->decode_s), "tokens",
                                orr_json_real((double)(view->job->serving.batch * (view->job->serving.output_len - 1))),
                                "steps", orr_json_real(orr_infer_steps(view))),
                      true);
    orr_text_add(text, "]\n");
}

/* What a part of the memory is made of; symbols as in docs/equations.md. */
static const struct {
    const char *shape, *sharding, *lifetime;
} ledger[ORR_N_SERVE_MEMORY_PARTS] = {
    [ORR_SERVE_MEMORY_WEIGHTS] = {"parameters", "tp, pp; experts ep, etp", "always"},
    [ORR_SERVE_MEMORY_KV_CACHE] = {"B (S + G) k (d_qk + d_v), whole blocks; latent: B (S + G) (r + d_r)",
                                   "tp (not the latent), pp", "from the prompt to the last token"},
    [ORR_SERVE_MEMORY_ACTIVATIONS] = {"T (2 h + widest product); B V logits", "tp; tokens cp", "one step"},
    [ORR_SERVE_MEMORY_WORKSPACE] = {"", "", "always"},
};

void orr_infer_dump_memory(const struct orr_infer_view *view, struct orr_text *text)
{
    orr_text_add(text, "[\n");
    for (int i = 0; i < ORR_N_SERVE_MEMORY_PARTS; i++) {
        const char *const name = orr_serve_memory_part_name((enum orr_serve_memory_part)i);
        json_t *line = json_pack("{ss ss ss ss ss so sb}", "name", name, "part", name, "shape", ledger[i].shape,
                                 "sharding", ledger[i].sharding, "lifetime", ledger[i].lifetime, "bytes",
                                 orr_json_real(view->result->memory_bytes[i]), "at_peak", 1);
        orr_dump_line(text, line, i + 1 == ORR_N_SERVE_MEMORY_PARTS);
    }
    orr_text_add(text, "]\n");
}
