/* Costs of one serving pass: operators emitted, priced and added up. */
#include "predict/serve_pass.h"

#include "base/number.h"
#include "predict/power.h"

bool orr_serve_halves(const struct orr_job *job)
{
    return job->engine.two_batch_overlap && job->plan.ep * job->plan.etp > job->plan.tp;
}

double orr_pass_s(const struct orr_pass *pass)
{
    return pass->gemm_s + pass->attention_s + pass->pointwise_s + pass->network_s;
}

size_t orr_pass_build(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                      enum orr_phase phase, struct orr_op_list *list, struct orr_cost *costs)
{
    const size_t first = list->n;
    orr_serve_ops(job, model, shape, phase, list);
    orr_cost_range(job, list, first, costs);
    return first;
}

static void add_op(const struct orr_job *job, const struct orr_op *op, const struct orr_cost *cost, double time_s,
                   struct orr_pass *pass)
{
    const double n = op->count;
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_GROUPED: pass->gemm_s += n * time_s; break;
    case ORR_OP_BMM:
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
    case ORR_OP_DECODE: pass->attention_s += n * time_s; break;
    case ORR_OP_POINTWISE: pass->pointwise_s += n * time_s; break;
    case ORR_OP_COLLECTIVE:
        pass->network_s += n * time_s;
        pass->link_bytes +=
            n * orr_collective_wire_bytes(op->collective, ORR_ALGORITHM_RING,
                                          (double)orr_group_ranks(&job->plan, op->group), op->payload_bytes);
        break;
    case ORR_N_OP_KINDS: break;
    }
    pass->bound_s[cost->bound] += n * time_s;
    pass->matrix_s += n * cost->matrix_s;
    pass->launches += n * op->launches;
    pass->flops += n * op->flops;
    pass->flop_j += n * op->flops * job->system.chip.flop_j * orr_dtype_bytes(op->dtype) / 2;
    pass->least_bytes += op->kind == ORR_OP_POINTWISE || op->kind == ORR_OP_COLLECTIVE ? 0 : n * op->bytes;
    pass->dram_bytes += n * cost->dram_bytes;
}

double orr_pass_op_s(const struct orr_op *op, const struct orr_cost *cost, double clock_frac)
{
    return op->kind == ORR_OP_COLLECTIVE ? cost->total_s - cost->hidden_s : orr_cost_at_s(cost, clock_frac);
}

/* Add the operators first..end up with matrix kernels at `clock_frac` of the burst clock. */
static struct orr_pass add_up(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                              size_t first, size_t end, double clock_frac)
{
    struct orr_pass pass = {0};
    double rows = 0;
    for (size_t i = first; i < end; i++) {
        const struct orr_op *op = &list->items[i];
        const double time_s = orr_pass_op_s(op, &costs[i], clock_frac);
        add_op(job, op, &costs[i], time_s, &pass);
        rows = op->kind == ORR_OP_GEMM ? orr_max(rows, op->m) : rows;
    }
    const bool short_prefill =
        end > first && list->items[first].phase == ORR_PHASE_PREFILL && rows <= ORR_SHORT_PREFILL_TOKENS;
    pass.gap_s = pass.launches * (short_prefill ? job->engine.short_prefill_gap_s : job->engine.kernel_gap_s);
    return pass;
}

struct orr_pass orr_pass_settled(const struct orr_job *job, const struct orr_op_list *list,
                                 const struct orr_cost *costs, size_t first, size_t end, double *matrix_frac)
{
    const struct orr_power_rule rule = orr_power_rule_of(job, job->serving.matrix);
    struct orr_pass pass = add_up(job, list, costs, first, end, 1);
    *matrix_frac = rule.burst_frac;
    for (int i = 0; i < 2 && !job->engine.short_run; i++) { /* the load hardly moves: two passes settle it */
        const double clock = *matrix_frac / rule.burst_frac;
        const double next = orr_sustained_frac(&rule, pass.matrix_s / clock / (orr_pass_s(&pass) + pass.gap_s));
        if (next >= *matrix_frac) break;
        *matrix_frac = next;
        pass = add_up(job, list, costs, first, end, next / rule.burst_frac);
    }
    return pass;
}
