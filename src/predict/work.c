/* This file adds up the work of operators and the energy it takes. Eq. 104. */
#include "predict/work.h"

void orr_work_add_op(const struct orr_job *job, const struct orr_op *op, const struct orr_cost *cost, double n,
                     struct orr_work *work)
{
    if (op->flops > 0) {
        work->flops += n * op->flops;
        work->flop_j += n * op->flops * job->system.chip.flop_j * orr_dtype_bytes(op->dtype) / 2;
    }
    work->dram_bytes += n * cost->dram_bytes;
    if (op->kind == ORR_OP_COLLECTIVE)
        work->link_bytes +=
            n * orr_collective_wire_bytes(op->collective, ORR_ALGORITHM_RING,
                                          (double)orr_op_ranks(&job->plan, op), op->payload_bytes);
}

void orr_work_add(struct orr_work *sum, const struct orr_work *work, double n)
{
    sum->flops += n * work->flops;
    sum->dram_bytes += n * work->dram_bytes;
    sum->link_bytes += n * work->link_bytes;
    sum->flop_j += n * work->flop_j;
}

double orr_dynamic_j(const struct orr_chip *chip, const struct orr_work *work)
{
    return work->flop_j + work->dram_bytes * chip->hbm_j_per_byte + work->link_bytes * chip->link_j_per_byte;
}

/* The clock was already lowered for the board's limit, so the cap only catches what is still above that limit. */
struct orr_energy orr_energy_of(const struct orr_job *job, const struct orr_work *work, double time_s)
{
    const struct orr_chip *chip = &job->system.chip;
    const double gpus = (double)job->plan.gpus, dynamic_j = orr_dynamic_j(chip, work);
    struct orr_energy energy = {.power_w_per_gpu = orr_min(chip->tdp_w, chip->idle_w + dynamic_j / time_s)};
    const double kept = dynamic_j > 0 ? orr_max(0, energy.power_w_per_gpu - chip->idle_w) * time_s / dynamic_j : 0;
    energy.kept_frac = kept;
    const double it_j = gpus * energy.power_w_per_gpu * time_s;
    energy.total_j = it_j * job->system.pue_frac;
    energy.part_j[ORR_ENERGY_FLOP] = gpus * kept * work->flop_j;
    energy.part_j[ORR_ENERGY_DRAM] = gpus * kept * work->dram_bytes * chip->hbm_j_per_byte;
    energy.part_j[ORR_ENERGY_LINK] = gpus * kept * work->link_bytes * chip->link_j_per_byte;
    energy.part_j[ORR_ENERGY_IDLE] = gpus * orr_min(energy.power_w_per_gpu, chip->idle_w) * time_s;
    energy.part_j[ORR_ENERGY_FACILITY] = energy.total_j - it_j;
    return energy;
}
