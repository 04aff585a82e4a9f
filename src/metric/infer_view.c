/* A prediction and its operators -> runs, parts, groups of equal operators, and where products sit on the roofline. */
#include "metric/infer_view.h"

#include <math.h>

/* Add the operators of a phase up as the prediction did; `passes` of them make `gemm_s` on one stage. */
static struct orr_infer_phase phase_of(const struct orr_job *job, const struct orr_scratch *scratch,
                                       enum orr_phase phase, double passes, double gemm_s)
{
    const struct orr_op_list *list = &scratch->ops;
    const double burst_frac = job->calibration.gemm[job->serving.matrix].burst_frac;
    size_t first = 0, end;
    while (first < list->n && list->items[first].phase != phase) first++;
    for (end = first; end < list->n && list->items[end].phase == phase;) end++;
    double matrix_frac = burst_frac;
    struct orr_infer_phase sums = {.clock_frac = 1, .stage_frac = 1};
    if (first == end) return sums;
    sums.pass = orr_pass_settled(job, list, scratch->costs, first, end, &matrix_frac);
    if (burst_frac > 0) sums.clock_frac = matrix_frac / burst_frac;
    if (sums.pass.gemm_s > 0 && passes > 0) sums.stage_frac = gemm_s / (passes * sums.pass.gemm_s);
    return sums;
}

struct orr_infer_view orr_infer_view_of(const struct orr_job *job, const struct orr_scratch *scratch,
                                        const struct orr_infer_result *result)
{
    struct orr_infer_view view = {.job = job, .result = result};
    view.n_ops = orr_scratch_ops(scratch, &view.ops, &view.costs);
    view.prefill = phase_of(job, scratch, ORR_PHASE_PREFILL, 1, result->time_s[ORR_INFER_PREFILL_GEMM]);
    view.decode =
        phase_of(job, scratch, ORR_PHASE_DECODE, orr_infer_steps(&view), result->time_s[ORR_INFER_DECODE_GEMM]);
    return view;
}

double orr_infer_steps(const struct orr_infer_view *view)
{
    const double tokens = (double)view->job->serving.output_len - 1;
    const double per_step = view->result->tokens_per_step > 0 ? view->result->tokens_per_step : 1;
    return tokens > 0 ? tokens / per_step : 0;
}

/* ---------------------------------------------------------------- parts */

/* ORDER of the four parts of each phase is the same. */
enum work { WORK_GEMM, WORK_ATTENTION, WORK_POINTWISE, WORK_NETWORK };

static enum work work_of(const struct orr_op *op)
{
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_GROUPED: return WORK_GEMM;
    case ORR_OP_BMM:
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
    case ORR_OP_DECODE: return WORK_ATTENTION;
    case ORR_OP_POINTWISE: return WORK_POINTWISE;
    case ORR_OP_COLLECTIVE: return WORK_NETWORK;
    case ORR_N_OP_KINDS: break;
    }
    return WORK_POINTWISE;
}

enum orr_infer_part orr_infer_part_of(const struct orr_op *op)
{
    const bool prefill = op->phase == ORR_PHASE_PREFILL;
    return (enum orr_infer_part)((prefill ? ORR_INFER_PREFILL_GEMM : ORR_INFER_DECODE_GEMM) + (int)work_of(op));
}

static const struct orr_infer_phase *phase_sums(const struct orr_infer_view *view, enum orr_phase phase)
{
    return phase == ORR_PHASE_PREFILL ? &view->prefill : &view->decode;
}

double orr_infer_runs(const struct orr_infer_view *view, size_t i)
{
    const struct orr_op *op = &view->ops[i];
    const double passes = op->phase == ORR_PHASE_PREFILL ? 1 : orr_infer_steps(view);
    return passes * phase_sums(view, op->phase)->stage_frac * op->count;
}

double orr_infer_run_s(const struct orr_infer_view *view, size_t i)
{
    return orr_pass_op_s(&view->ops[i], &view->costs[i], phase_sums(view, view->ops[i].phase)->clock_frac);
}

double orr_infer_part_s(const struct orr_infer_view *view, size_t i, enum orr_infer_part part)
{
    if (part != ORR_N_INFER_PARTS && part != orr_infer_part_of(&view->ops[i])) return 0;
    return orr_infer_runs(view, i) * orr_infer_run_s(view, i);
}

/* ---------------------------------------------------------------- equal operators together */

struct orr_alike orr_infer_alike(const struct orr_infer_view *view, size_t i, enum orr_infer_part part)
{
    struct orr_alike alike = {.first = i};
    for (size_t k = 0; k < view->n_ops; k++) {
        if (!orr_ops_alike(&view->ops[k], &view->ops[i])) continue;
        if (view->costs[k].total_s != view->costs[i].total_s) continue;
        if (k < i) return alike;
        alike.runs += orr_infer_runs(view, k);
        alike.step_s += orr_infer_part_s(view, k, part);
    }
    return alike;
}

size_t orr_infer_heaviest(const struct orr_infer_view *view, enum orr_infer_part part, size_t n_max,
                          struct orr_alike *alike)
{
    size_t n = 0;
    for (size_t i = 0; i < view->n_ops; i++) n = orr_alike_insert(alike, n, n_max, orr_infer_alike(view, i, part));
    return n;
}

/* ---------------------------------------------------------------- time beyond the operators */

double orr_infer_sends_s(const struct orr_infer_view *view, enum orr_phase phase)
{
    const bool prefill = phase == ORR_PHASE_PREFILL;
    const struct orr_infer_phase *sums = phase_sums(view, phase);
    const double passes = prefill ? 1 : orr_infer_steps(view);
    const double network_s = view->result->time_s[prefill ? ORR_INFER_PREFILL_NETWORK : ORR_INFER_DECODE_NETWORK];
    return view->job->plan.pp > 1 ? fmax(0, network_s - passes * sums->stage_frac * sums->pass.network_s) : 0;
}

double orr_infer_host_wait_s(const struct orr_infer_view *view)
{
    const struct orr_engine *engine = &view->job->engine;
    const double batch = (double)view->job->serving.batch, steps = orr_infer_steps(view);
    const double known_s = engine->request_s + engine->request_s_per_sequence * batch + engine->host_step_s +
                           (1 + steps) * (engine->sampling_s + engine->sampling_s_per_sequence * batch) +
                           view->prefill.stage_frac * view->prefill.pass.gap_s +
                           steps * view->decode.stage_frac * view->decode.pass.gap_s;
    const double wait_s = view->result->time_s[ORR_INFER_OVERHEAD] - known_s;
    return wait_s > 1e-9 * view->result->latency_s ? wait_s : 0; /* less is rounding */
}

/* ---------------------------------------------------------------- the DRAM ridge (Eq. 96) */

bool orr_is_product(const struct orr_op *op)
{
    return op->kind == ORR_OP_GEMM || op->kind == ORR_OP_BMM || op->kind == ORR_OP_GROUPED;
}

/* Bytes of a weight element; products of activations do not say and take those of their inputs. */
static double weight_bytes(const struct orr_op *op)
{
    return op->weight_bytes > 0 ? op->weight_bytes : op->input_bytes;
}

double orr_intensity(const struct orr_op *op)
{
    if (!orr_is_product(op)) return op->flops > 0 && op->bytes > 0 ? op->flops / op->bytes : 0;
    const double bytes =
        op->input_bytes * op->m * op->k + weight_bytes(op) * op->k * op->n + op->output_bytes * op->m * op->n;
    return bytes > 0 ? 2 * op->m * op->n * op->k / bytes : 0;
}

double orr_ridge(const struct orr_chip *chip, enum orr_dtype dtype)
{
    return chip->hbm_bytes_per_s > 0 ? chip->peak_flops_per_s[dtype] / chip->hbm_bytes_per_s : 0;
}

/* 2 m n k = ridge (w_a m k + w_w k n + w_o m n), solved for m. */
double orr_crossover_m(const struct orr_op *op, double ridge)
{
    const double gain = 2 * op->n * op->k - ridge * (op->input_bytes * op->k + op->output_bytes * op->n);
    return gain > 0 ? fmax(1, ceil(ridge * weight_bytes(op) * op->n * op->k / gain)) : 0;
}
