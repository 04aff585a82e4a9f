/* The roofline says where a matrix product stands against the DRAM ridge (Eq. 96). */
#ifndef ORR_METRIC_ROOFLINE_H
#define ORR_METRIC_ROOFLINE_H

#include "orrery.h"

/* Says whether the operator is a matrix product with the shape m x k x n. */
bool orr_is_product(const struct orr_op *op);
/* Returns FLOP per DRAM byte. A product counts by its shape, with operands read and written once; any other operator by
 * the bytes it asks for. It is 0 where there is no arithmetic to speak of. */
double orr_intensity(const struct orr_op *op);
/* Returns the FLOP per byte at which the chip's matrix units and its DRAM take equally long. */
double orr_ridge(const struct orr_chip *chip, enum orr_dtype dtype);
/* Returns the smallest m at which the product is compute-bound by the ridge; 0 where no m is large enough. */
double orr_crossover_m(const struct orr_op *op, double ridge);

#endif
