/* What training in 8 bits or fewer casts, keeps and gathers (Eqs. 162-166). The recipe says how tensors are scaled, the
 * engine which kernels do it, and the chip whether products need operands in both orders. */
#ifndef ORR_OPS_RECIPE_H
#define ORR_OPS_RECIPE_H

#include "orrery.h"

/* A kernel or several that make narrow tensors: bytes per element that they read and write, and how many they are. */
struct orr_cast {
    double bytes;
    double launches;
};

struct orr_recipe {
    bool narrow;                          /* products have 8 bits or fewer; else nothing below is set */
    bool wgrad;                           /* weight gradients too */
    struct orr_cast input, input_again;   /* of a product's input, in forward and in backward */
    struct orr_cast gradient;             /* of the gradient of its output */
    struct orr_cast weight, weight_again; /* of the weights, in forward and backward of every micro-batch */
    double weight_step_bytes;             /* per weight, once per step */
    double saved_bytes;                   /* kept of an element of the input for backward */
    double copy_bytes;                    /* per weight, kept beside the 16-bit weight from step to step */
    double gather_bytes;                  /* per weight that is gathered */
    double tp_bytes;                      /* per element of an input that tensor parallelism gathers */
    double wide_frac;                     /* share of layers whose products stay in 16 bits */
};

/* The recipe of a training job: that of the request, of its format, or of the engine on this chip. */
enum orr_fp8_recipe orr_recipe_asked(const struct orr_job *job);
struct orr_recipe orr_recipe_of(const struct orr_job *job);

#endif
