/* --dump prints the stages of a prediction as JSON arrays (operators, costs, ledger of time, timeline, memory), with
 * one object per line. */
#include <stdlib.h>

#include "cost/cost.h"
#include "metric/roofline.h"
#include "ops/ops.h"
#include "report/answer.h"
#include "report/json_text.h"
#include "spec/job.h"

static bool is_train(const struct orr_answer *answer)
{
    return answer->job->kind == ORR_JOB_TRAIN;
}

/* ---------------------------------------------------------------- operators */

/* Returns the members every operator of a request has: its shape, zeros where it has none, its time and its place. */
static json_t *request_members(const struct orr_op *op, const struct orr_cost *cost, const struct orr_time_row *row)
{
    const bool shaped = op->kind != ORR_OP_POINTWISE && op->kind != ORR_OP_COLLECTIVE;
    json_t *members = json_pack("{so ss so so so so}", "time_s", orr_json_real(row ? row->run_s : 0), "bound",
                                orr_bound_name(cost->bound), "dram_bytes", orr_json_real(cost->dram_bytes), "l2_bytes",
                                orr_json_real(cost->l2_bytes), "runs", orr_json_real(row ? row->runs : 0),
                                "intensity_flops_per_byte", orr_json_real(orr_intensity(op)));
    if (shaped) return members;
    return orr_json_joined(members, json_pack("{sf sf sf sf}", "batch", 0.0, "m", 0.0, "n", 0.0, "k", 0.0));
}

/* Eq. 96 says where a product stands against the ridge, and from how many rows on it would be compute-bound. */
static json_t *ridge_members(const struct orr_chip *chip, const struct orr_op *op)
{
    if (!orr_is_product(op)) return json_object();
    const double ridge = orr_ridge(chip, op->dtype), crossover = orr_crossover_m(op, ridge);
    return json_pack("{so ss so so}", "ridge_flops_per_byte", orr_json_real(ridge), "ridge_bound",
                     orr_intensity(op) < ridge ? "memory" : "compute", "crossover_m",
                     crossover > 0 ? orr_json_real(crossover) : json_null(), "weight_bytes",
                     orr_json_real(op->weight_bytes));
}

/* Eq. 60 says where the ranks of a collective are: how far apart, how many in one scale-up domain, in how many of
 * them. */
static json_t *place_members(const struct orr_job *job, const struct orr_op *op)
{
    if (op->kind != ORR_OP_COLLECTIVE) return json_object();
    const int64_t ranks = orr_group_ranks(&job->plan, op->group), stride = orr_group_stride(&job->plan, op->group);
    const struct orr_placement place = orr_place(&job->system, ranks, stride);
    return json_pack("{sI sI so so}", "ranks", (json_int_t)ranks, "stride", (json_int_t)stride, "domain_ranks",
                     orr_json_real(place.local), "domains", orr_json_real(place.domains));
}

static json_t *op_line(const struct orr_answer *answer, size_t i)
{
    const struct orr_op *op = &answer->ops[i];
    const struct orr_cost *cost = &answer->costs[i];
    json_t *line = orr_json_joined(orr_op_json(op), place_members(answer->job, op));
    if (is_train(answer)) /* also lists operators that run on other pipeline ranks only */
        return orr_json_joined(line, json_pack("{so ss}", "time_s",
                                               orr_json_real(orr_cost_at_s(cost, answer->facts.clock_frac)), "bound",
                                               orr_bound_name(cost->bound)));
    line = orr_json_joined(line, request_members(op, cost, orr_rows_of_op(answer, i).first));
    return orr_json_joined(line, ridge_members(&answer->job->system.chip, op));
}

/* `runs` does not count a repeated execution, but the seconds do. */
static json_t *cost_line(const struct orr_answer *answer, size_t i)
{
    const struct orr_op *op = &answer->ops[i];
    const struct orr_op_rows rows = orr_rows_of_op(answer, i);
    const bool train = is_train(answer);
    json_t *line = json_pack("{ss ss}", "name", op->name, "phase", orr_phase_name(op->phase));
    if (!train && rows.first)
        line = orr_json_joined(line, json_pack("{ss}", "part", orr_part_text(ORR_JOB_INFER, rows.first->part)));
    line = orr_json_joined(line, json_pack("{so so}", "runs", orr_json_real(rows.first ? rows.first->runs : 0),
                                           train ? "step_s" : "request_s", orr_json_real(rows.exposed_s)));
    return orr_json_joined(line, orr_cost_json(op, &answer->costs[i]));
}

/* ---------------------------------------------------------------- ledger of time */

static json_t *row_line(const struct orr_answer *answer, size_t i)
{
    const struct orr_time_row *row = &answer->rows[i];
    json_t *line =
        json_pack("{ss so ss ss ss ss sI}", "name", row->name, "op",
                  row->op >= 0 ? json_integer((json_int_t)row->op) : json_null(), "phase", orr_phase_name(row->phase),
                  "group", orr_group_name(row->group), "resource", orr_bound_name(row->resource), "part",
                  orr_part_text(answer->job->kind, row->part), "rank", (json_int_t)row->rank);
    return orr_json_joined(line, json_pack("{so so so so so so so so so}", "runs", orr_json_real(row->runs), "run_s",
                                           orr_json_real(row->run_s), "exposed_s", orr_json_real(row->exposed_s),
                                           "share_frac", orr_json_real(row->share_frac), "hidden_s",
                                           orr_json_real(row->hidden_s), "flops", orr_json_real(row->flops),
                                           "dram_bytes", orr_json_real(row->dram_bytes), "link_bytes",
                                           orr_json_real(row->link_bytes), "energy_j", orr_json_real(row->energy_j)));
}

/* ---------------------------------------------------------------- timeline */

static void train_timeline(const struct orr_answer *answer, struct orr_text *text)
{
    size_t n;
    struct orr_span *spans = orr_answer_spans(answer, &n);
    text->failed |= !spans;
    for (size_t i = 0; i < n; i++) {
        const struct orr_span *span = &spans[i];
        json_t *line = json_pack("{ss sI sI sI so so}", "name", span->name, "rank", (json_int_t)span->rank, "chunk",
                                 (json_int_t)span->chunk, "micro_batch", (json_int_t)span->micro_batch, "start_s",
                                 orr_json_real(span->start_s), "end_s", orr_json_real(span->end_s));
        orr_dump_line(text, line, i + 1 == n);
    }
    free(spans);
}

/* Dumps a request as its two phases; the first begins with request handling and ends with the first token. */
static void infer_timeline(const struct orr_answer *answer, struct orr_text *text)
{
    const struct orr_infer_result *r = &answer->infer;
    const struct orr_serving *serving = &answer->job->serving;
    const bool decodes = r->decode_s > 0;
    orr_dump_line(text,
                  json_pack("{ss so so so so}", "name", "prefill", "start_s", orr_json_real(0), "end_s",
                            orr_json_real(r->ttft_s), "busy_s", orr_json_real(r->prefill_s), "tokens",
                            orr_json_real((double)(serving->batch * orr_prompt_len(answer->job)))),
                  !decodes);
    if (!decodes) return;
    orr_dump_line(text,
                  json_pack("{ss so so so so so}", "name", "decode", "start_s", orr_json_real(r->ttft_s), "end_s",
                            orr_json_real(r->latency_s), "busy_s", orr_json_real(r->decode_s), "tokens",
                            orr_json_real((double)(serving->batch * (serving->output_len - 1))), "steps",
                            orr_json_real(answer->decode.passes)),
                  true);
}

/* ---------------------------------------------------------------- memory */

static void tensor_line(struct orr_text *text, const struct orr_tensor *tensor, const char *part, bool last)
{
    orr_dump_line(text,
                  json_pack("{ss ss ss ss ss so sb}", "name", tensor->name, "part", part, "shape", tensor->shape,
                            "sharding", tensor->sharding, "lifetime", tensor->lifetime, "bytes",
                            orr_json_real(tensor->bytes), "at_peak", tensor->at_peak),
                  last);
}

static void train_memory(const struct orr_answer *answer, struct orr_text *text)
{
    const struct orr_memory *memory = &answer->train.memory;
    for (int64_t i = 0; i < memory->n_tensors; i++)
        tensor_line(text, &memory->tensors[i], orr_memory_part_name(memory->tensors[i].part),
                    i + 1 == memory->n_tensors);
}

/* Dumps what each part of the memory is made of; the symbols are those of docs/equations.md. */
static void infer_memory(const struct orr_answer *answer, struct orr_text *text)
{
    static const struct orr_tensor PARTS[ORR_N_SERVE_MEMORY_PARTS] = {
        [ORR_SERVE_MEMORY_WEIGHTS] = {NULL, "parameters", "tp, pp; experts ep, etp", "always", 0, 0, true},
        [ORR_SERVE_MEMORY_KV_CACHE] = {NULL, "B (S + G) k (d_qk + d_v), whole blocks; latent: B (S + G) (r + d_r)",
                                       "tp (not the latent), pp", "from the prompt to the last token", 0, 0, true},
        [ORR_SERVE_MEMORY_ACTIVATIONS] = {NULL, "T (2 h + widest product); B V logits", "tp; tokens cp", "one step", 0,
                                          0, true},
        [ORR_SERVE_MEMORY_WORKSPACE] = {NULL, "", "", "always", 0, 0, true},
    };
    for (int i = 0; i < ORR_N_SERVE_MEMORY_PARTS; i++) {
        struct orr_tensor tensor = PARTS[i];
        tensor.name = orr_serve_memory_part_name((enum orr_serve_memory_part)i);
        tensor.bytes = answer->infer.memory_bytes[i];
        tensor_line(text, &tensor, tensor.name, i + 1 == ORR_N_SERVE_MEMORY_PARTS);
    }
}

/* ---------------------------------------------------------------- the array */

static void add_lines(const struct orr_answer *answer, size_t n, json_t *(*line)(const struct orr_answer *, size_t),
                      struct orr_text *text)
{
    for (size_t i = 0; i < n; i++) orr_dump_line(text, line(answer, i), i + 1 == n);
}

void orr_dump(const struct orr_answer *answer, enum orr_format stage, struct orr_text *text)
{
    const bool train = is_train(answer);
    orr_text_add(text, "[\n");
    if (stage == ORR_FORMAT_DUMP_COSTS) add_lines(answer, answer->n_ops, cost_line, text);
    else if (stage == ORR_FORMAT_DUMP_LEDGER) add_lines(answer, answer->n_rows, row_line, text);
    else if (stage == ORR_FORMAT_DUMP_TIMELINE) (train ? train_timeline : infer_timeline)(answer, text);
    else if (stage == ORR_FORMAT_DUMP_MEMORY) (train ? train_memory : infer_memory)(answer, text);
    else add_lines(answer, answer->n_ops, op_line, text);
    orr_text_add(text, "]\n");
}
