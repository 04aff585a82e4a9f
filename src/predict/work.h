/* Work is what takes energy in either kind of job: FLOP, bytes of DRAM and of links, and their joules (Eq. 104). */
#ifndef ORR_PREDICT_WORK_H
#define ORR_PREDICT_WORK_H

#include "cost/cost.h"

struct orr_work {
    double flops, dram_bytes, link_bytes;
    double flop_j; /* joules of the FLOP; the energy of a multiply-add follows the width of its operands */
};

/* Adds `n` executions of an operator. */
void orr_work_add_op(const struct orr_job *job, const struct orr_op *op, const struct orr_cost *cost, double n,
                     struct orr_work *work);
/* Adds other work `n` times. */
void orr_work_add(struct orr_work *sum, const struct orr_work *work, double n);

/* Returns the joules the work takes beyond those of an idle GPU. */
double orr_dynamic_j(const struct orr_chip *chip, const struct orr_work *work);

/* This says where the energy of a job goes: the parts of all GPUs, and the facility's overhead. */
struct orr_energy {
    double power_w_per_gpu; /* mean power, at most the board's limit */
    double kept_frac;       /* share of the work's joules that the limit leaves; 1 where it does not act */
    double total_j;
    double part_j[ORR_N_ENERGY_PARTS]; /* sums to total_j */
};
/* `work` is that of one GPU in time_s. Where the board's limit caps the power, all parts of the work shrink alike. */
struct orr_energy orr_energy_of(const struct orr_job *job, const struct orr_work *work, double time_s);

#endif
