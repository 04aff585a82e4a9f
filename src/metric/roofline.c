/* This file computes the intensity of operators and the ridge of a chip. Eq. 96. */
#include "metric/roofline.h"

#include <math.h>

bool orr_is_product(const struct orr_op *op)
{
    return op->kind == ORR_OP_GEMM || op->kind == ORR_OP_BMM || op->kind == ORR_OP_GROUPED;
}

/* Returns the bytes of a weight element. A product of two activations has no weights and takes those of its inputs. */
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

/* The crossover solves 2 m n k = ridge (w_a m k + w_w k n + w_o m n) for m. */
double orr_crossover_m(const struct orr_op *op, double ridge)
{
    const double gain = 2 * op->n * op->k - ridge * (op->input_bytes * op->k + op->output_bytes * op->n);
    return gain > 0 ? fmax(1, ceil(ridge * weight_bytes(op) * op->n * op->k / gain)) : 0;
}
