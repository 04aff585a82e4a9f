/* Where a matrix product stands against the DRAM ridge (Eq. 96). */
#ifndef ORR_METRIC_ROOFLINE_H
#define ORR_METRIC_ROOFLINE_H

#include "orrery.h"

/* Is the operator a matrix product with the shape m x k x n? */
bool orr_is_product(const struct orr_op *op);
/* FLOP per DRAM byte: of a product by its shape, operands read and written once; else FLOP over bytes asked for.
 * 0: no arithmetic to speak of. */
double orr_intensity(const struct orr_op *op);
/* FLOP per byte at which the chip's matrix units and its DRAM take equally long. */
double orr_ridge(const struct orr_chip *chip, enum orr_dtype dtype);
/* Smallest m at which the product is compute-bound by the ridge; 0: at no m. */
double orr_crossover_m(const struct orr_op *op, double ridge);

#endif
