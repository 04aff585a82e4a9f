/* Rows that the chip cannot have made: more FLOP/s than its units have, or more bytes/s than its DRAM or its link. Such
 * a timing missed part of the kernel or is from another chip. The report names it, and no constant is fitted to it. */
#include "calibrate/calibrate.h"

#include "base/number.h"

/* Peaks are quoted at a clock that boards may exceed by 8 % (H100: 1.83, up to 1.98 GHz), and short timings have errors
 * of a few per cent. A row below this factor is not ruled out. */
#define LIMIT_MARGIN 1.1

/* The share of the matrix peak that the FLOP of a row need. */
static double peak_frac(const struct orr_chip *chip, const struct orr_kernel_row *row)
{
    double least_s = 0;
    for (int i = 0; i < row->n_ops; i++)
        if (chip->peak_flops_per_s[row->ops[i].dtype] > 0)
            least_s += row->ops[i].flops / chip->peak_flops_per_s[row->ops[i].dtype];
    return least_s / row->measured_s;
}

/* The bytes that an operator must move at least. A pass beside a kernel may leave its results in the cache, and tokens
 * that are not spread evenly may touch fewer experts than the mean. */
static double least_bytes(const struct orr_kernel_row *row, const struct orr_op *op)
{
    const bool beside = row->n_ops > 1 && op->kind == ORR_OP_POINTWISE;
    const bool uneven = row->kind == ORR_KERNEL_MOE && !row->fitted;
    return beside || uneven ? 0 : op->bytes;
}

/* The share of DRAM bandwidth that a row needs, if the last-level cache holds as much of its data as fits. */
static double dram_frac(const struct orr_chip *chip, const struct orr_kernel_row *row)
{
    double bytes = 0;
    for (int i = 0; i < row->n_ops; i++) bytes += least_bytes(row, &row->ops[i]);
    return orr_max(0, bytes - chip->l2_bytes) / chip->hbm_bytes_per_s / row->measured_s;
}

/* The share of the link bandwidth that a row needs. Under every algorithm a rank sends or receives what it does not
 * keep. */
static double link_frac(const struct orr_system *system, const struct orr_kernel_row *row)
{
    const struct orr_op *op = &row->ops[0];
    const double kept = op->collective == ORR_COLLECTIVE_P2P ? 0 : op->payload_bytes / (double)row->ranks;
    return (op->payload_bytes - kept) / system->scaleup_bytes_per_s / row->measured_s;
}

void orr_row_check_limits(const struct orr_fit *fit, struct orr_kernel_row *row)
{
    const struct orr_system *system = &fit->job.system;
    if (row->left_out || row->n_ops == 0) return;
    const bool sent = row->ops[0].kind == ORR_OP_COLLECTIVE;
    const double peak = sent ? 0 : peak_frac(&system->chip, row), dram = sent ? 0 : dram_frac(&system->chip, row);
    const double frac = sent ? link_frac(system, row) : orr_max(peak, dram);
    if (!(frac > LIMIT_MARGIN)) return;
    row->left_out = "faster than the chip";
    row->limit = sent ? "the link" : peak > dram ? "peak" : "DRAM bandwidth";
    row->limit_frac = frac;
}
