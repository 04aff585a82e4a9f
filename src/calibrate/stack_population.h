/* How far the measured stacks are from their parents, in scales of ORR_STACK_PARAMETERS: what `orrery fit --few-shot
 * --json` prints as "population". And how often a parent describes its stack as it is, once fitted, or not at all
 * (docs/fit.md). */
#ifndef ORR_CALIBRATE_STACK_POPULATION_H
#define ORR_CALIBRATE_STACK_POPULATION_H

#define ORR_STACK_WEIGHTS(X)                                                                                           \
    /* kin, parent as it is, parent fitted, other engines */                                                           \
    X(TRAINED, 0.70, 0.14, 0.16)                                                                                       \
    X(SERVED, 0.62, 0.30, 0.08)                                                                                        \
    X(FOREIGN, 0.03, 0.37, 0.60)

/* How wide single runs lie about a parent as it is, when the level of their stack is taken out: the median over the
 * stacks, and the spread of its logarithm. */
#define ORR_STACK_WIDTHS(X)                                                                                            \
    /* in training, in serving */                                                                                      \
    X(MEDIAN, 0.094, 0.106)                                                                                            \
    X(SPREAD, 0.47, 0.51)

/* What fits to all rows of a stack leave of single runs, as a spread in logarithms: medians over the stacks. */
#define ORR_STACK_WITHIN_TRAINING 0.066
#define ORR_STACK_WITHIN_BATCHES  0.037 /* static batches */
#define ORR_STACK_WITHIN_LOAD     0.068 /* requests in flight */

#define ORR_STACK_SPREADS(X)                                                                                           \
    /* member, spread in training, in serving */                                                                       \
    X(matrix_rate_factor, 1.17, 0.95)                                                                                  \
    X(eight_bit_rate_factor, 1.02, 0.85)                                                                               \
    X(four_bit_rate_factor, 0.88, 0.96)                                                                                \
    X(attention_rate_factor, 1.08, 0.92)                                                                               \
    X(dram_rate_factor, 1.74, 1.05)                                                                                    \
    X(grouped_rate_factor, 2.15, 1.79)                                                                                 \
    X(grouped_launch_factor, 1, 1.19)                                                                                  \
    X(pointwise_time_factor, 0.70, 2.00)                                                                               \
    X(scaleup_rate_factor, 1.47, 1.30)                                                                                 \
    X(scaleout_rate_factor, 1.17, 0.96)                                                                                \
    X(scaleout_latency_factor, 1.33, 0.91)                                                                             \
    X(straggle_factor, 1.18, 1)                                                                                        \
    X(host_time_factor, 0.68, 0.66)                                                                                    \
    X(tp_overlap_frac, 0.88, 1)                                                                                        \
    X(dp_overlap_frac, 1.03, 1)                                                                                        \
    X(ep_overlap_frac, 1.01, 1)                                                                                        \
    X(zero3_overlap_frac, 1.05, 1)                                                                                     \
    X(host_step_s, 0.62, 1)                                                                                            \
    X(kernel_gap_s, 1, 0.46)                                                                                           \
    X(sampling_s, 1, 0.65)                                                                                             \
    X(sampling_s_per_sequence, 1, 6.57)                                                                                \
    X(request_s, 1, 0.66)                                                                                              \
    X(request_s_per_sequence, 1, 0.69)                                                                                 \
    X(allreduce_skew_s, 1, 1.04)                                                                                       \
    X(time_factor, 0.68, 0.87)

#endif
