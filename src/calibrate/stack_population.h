/* Where the measured stacks lie from their parents, in scales of ORR_STACK_PARAMETERS, and how often a parent describes
 * its stack: what `orrery fit --few-shot --json` prints as "population" (docs/fit.md). */
#ifndef ORR_CALIBRATE_STACK_POPULATION_H
#define ORR_CALIBRATE_STACK_POPULATION_H

#define ORR_STACK_WEIGHTS(X)                                                                                           \
    /* kin, parent as it is, parent fitted, other engines */                                                           \
    X(TRAINED, 0.60, 0.29, 0.11)                                                                                       \
    X(SERVED, 0.18, 0.51, 0.31)                                                                                        \
    X(FOREIGN, 0.05, 0.28, 0.67)

#define ORR_STACK_PLACES(X)                                                                                            \
    /* member, mean and spread in training, mean and spread in serving */                                              \
    X(matrix_rate_factor, -0.44, 1.12, 0.16, 0.95)                                                                     \
    X(eight_bit_rate_factor, 0.47, 0.88, 0.04, 0.94)                                                                   \
    X(four_bit_rate_factor, 0.09, 0.88, 0.45, 0.84)                                                                    \
    X(attention_rate_factor, 0.23, 1.02, -0.07, 0.92)                                                                  \
    X(dram_rate_factor, -0.66, 1.59, -0.26, 1.06)                                                                      \
    X(grouped_rate_factor, 1.07, 1.60, 0.97, 1.54)                                                                     \
    X(grouped_launch_factor, 0, 1, 0.74, 0.80)                                                                         \
    X(pointwise_time_factor, -0.18, 0.73, 0.85, 1.55)                                                                  \
    X(scaleup_rate_factor, 1.01, 1.16, -0.19, 1.18)                                                                    \
    X(scaleout_rate_factor, 0.66, 0.92, -0.01, 0.96)                                                                   \
    X(scaleout_latency_factor, 0.63, 1.15, 0.09, 0.90)                                                                 \
    X(straggle_factor, 0.23, 1.10, 0, 1)                                                                               \
    X(host_time_factor, 0.19, 0.63, 0.17, 0.65)                                                                        \
    X(tp_overlap_frac, 0.08, 0.84, 0, 1)                                                                               \
    X(dp_overlap_frac, -0.29, 0.99, 0, 1)                                                                              \
    X(ep_overlap_frac, -0.08, 1, 0, 1)                                                                                 \
    X(zero3_overlap_frac, 0.38, 0.92, 0, 1)                                                                            \
    X(host_step_s, 0.05, 0.62, 0, 1)                                                                                   \
    X(kernel_gap_s, 0, 1, 0.08, 0.47)                                                                                  \
    X(sampling_s, 0, 1, -0.05, 0.66)                                                                                   \
    X(sampling_s_per_sequence, 0, 1, 0.21, 6.71)                                                                       \
    X(request_s, 0, 1, 0.07, 0.68)                                                                                     \
    X(request_s_per_sequence, 0, 1, 0.11, 0.70)                                                                        \
    X(allreduce_skew_s, 0, 1, 0.04, 1)                                                                                 \
    X(time_factor, -0.14, 0.68, -0.22, 0.88)

#endif
