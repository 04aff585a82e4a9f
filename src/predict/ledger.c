/* This file writes the rows of the ledger of time. */
#include "predict/ledger.h"

#include <assert.h>

void orr_ledger_keep(struct orr_ledger *ledger, const struct orr_spent *spent, const char *name, int64_t index,
                     const struct orr_op *op, const struct orr_cost *cost)
{
    struct orr_work work = {0};
    assert(ledger->n_rows < ORR_MAX_TIME_ROWS);
    if (op && cost) orr_work_add_op(ledger->job, op, cost, spent->works > 0 ? spent->works : spent->runs, &work);
    ledger->rows[ledger->n_rows++] = (struct orr_time_row){
        .name = name,
        .op = index,
        .phase = spent->phase,
        .group = op ? op->group : ORR_GROUP_NONE,
        .resource = spent->resource,
        .part = spent->part,
        .rank = ledger->rank,
        .runs = spent->runs,
        .run_s = spent->run_s,
        .exposed_s = spent->runs * spent->run_s,
        .hidden_s = spent->runs * spent->hidden_run_s,
        .flops = work.flops,
        .dram_bytes = work.dram_bytes,
        .link_bytes = work.link_bytes,
        .energy_j = orr_dynamic_j(&ledger->job->system.chip, &work),
    };
}

void orr_ledger_add_mixed(struct orr_ledger *ledger, const char *name, int part, enum orr_phase phase,
                          const double bound_s[ORR_N_BOUNDS], double scale)
{
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        orr_ledger_add_wait(ledger, name, part, phase, (enum orr_bound)i, scale, bound_s[i]);
}

void orr_ledger_close(struct orr_ledger *ledger, double total_s, const struct orr_energy *energy)
{
    const double idle_w = orr_min(energy->power_w_per_gpu, ledger->job->system.chip.idle_w);
    for (size_t i = 0; ledger->rows && i < ledger->n_rows; i++) {
        struct orr_time_row *row = &ledger->rows[i];
        row->share_frac = row->exposed_s / total_s;
        row->energy_j = energy->kept_frac * row->energy_j + idle_w * row->exposed_s;
    }
}
