/* The list of calibration constants. The reader checks files by it, the fitter takes its parameters from it, the
 * writer stores by it and the reports show by it: a constant is a member of a struct of orrery.h and a row here. */
#ifndef ORR_SPEC_CALIBRATION_LIST_H
#define ORR_SPEC_CALIBRATION_LIST_H

#include "base/units.h"
#include "orrery.h"

/* Groups of constants that are fitted together, because the same part of the model prices their rows. They are in the
 * order of fitting: attention and experts use the constants of products. */
enum orr_fit_kind {
    ORR_FIT_GEMM,
    ORR_FIT_BMM,
    ORR_FIT_GROUPED,
    ORR_FIT_FLASH,
    ORR_FIT_DECODE,
    ORR_FIT_LATENT, /* has its own copy of the constants of ORR_FIT_DECODE */
    ORR_FIT_LAUNCH,
    ORR_FIT_POINTWISE,
    ORR_FIT_LINES,
    ORR_FIT_CUSTOM, /* has its own copy of the constants of ORR_FIT_LINES */
    ORR_FIT_P2P,
    ORR_N_FIT_KINDS,
    ORR_FIT_NONE = ORR_N_FIT_KINDS /* no kernel table determines the constant */
};

/* Timings of its group that determine a constant: all, products by their mode or by where their rows begin, attention
 * by direction or by the size of its heads, decode kernels on a paged cache, or decode kernels that split a context. */
enum orr_told_by {
    ORR_TOLD_BY_ALL,
    ORR_TOLD_BY_BURST,
    ORR_TOLD_BY_SUSTAINED,
    ORR_TOLD_BY_FORWARD,
    ORR_TOLD_BY_BACKWARD,
    ORR_TOLD_BY_HEAD_64,
    ORR_TOLD_BY_HEAD_96,
    ORR_TOLD_BY_PITCH_8,
    ORR_TOLD_BY_PITCH_4,
    ORR_TOLD_BY_PITCH_2,
    ORR_TOLD_BY_PAGED,
    ORR_TOLD_BY_SPLIT
};

/* Jobs whose --explain shows a constant. */
enum orr_explained { ORR_EXPLAINED_NEVER, ORR_EXPLAINED_TRAIN, ORR_EXPLAINED_INFER, ORR_EXPLAINED_ALWAYS };

/* Structs that hold the constants as members. */
#define ORR_HOMES(X)                                                                                                   \
    X(GEMM, orr_gemm_constants)                                                                                        \
    X(ATTENTION, orr_attention_constants)                                                                              \
    X(DECODE, orr_decode_constants)                                                                                    \
    X(LINE, orr_collective_line)                                                                                       \
    X(CALIBRATION, orr_calibration)
#define ORR_X_HOME_(home, type) ORR_HOME_##home,
enum orr_home { ORR_HOMES(ORR_X_HOME_) ORR_N_HOMES };

/* A fraction of zero would divide by zero: a kernel that makes no progress is no calibration. */
#define ORR_LEAST_FRAC 0.001

/* clang-format off */
/* home, member and key, kind of unit, unit in words, what a file may hold: required, least, most; --explain;
 * fit: group, told by, least, most, usual value; meaning. Constants of one group are searched in this order.
 * An array has one constant per class of kernel (pointwise_frac) or number of ranks (efficiency_frac). */
#define ORR_CONSTANTS(X)                                                                                               \
    X(GEMM, burst_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, ALWAYS, GEMM, BURST, 0.2, 1, 0.8,                       \
      "share of peak before the power limit acts")                                                                     \
    X(GEMM, sustained_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, ALWAYS, GEMM, SUSTAINED, 0.2, 1, 0.65,              \
      "share of peak in an endless matrix load")                                                                       \
    X(GEMM, power_slope, NONE, "number", true, 0, 100, ALWAYS, NONE, ALL, 0, 0, 0,                                     \
      "gain in share per unit of time outside matrix kernels")                                                         \
    X(GEMM, sm_frac, NONE, "frac", false, 0, 1, ALWAYS, GEMM, ALL, 0.2, 1, 0.85,                                       \
      "share of its own peak one SM reaches while others idle")                                                        \
    X(GEMM, dram_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, ALWAYS, GEMM, ALL, 0.2, 1, 0.8,                          \
      "sustained share of DRAM bandwidth")                                                                             \
    X(GEMM, dram_ramp_bytes, BYTES, "bytes", true, 0, 1e12, ALWAYS, GEMM, ALL, 0, 4e7, 5e6,                            \
      "traffic at which DRAM reaches half its rate")                                                                   \
    X(GEMM, tile_cost, NONE, "number", true, 0, 1e4, ALWAYS, GEMM, ALL, 0, 500, 20,                                    \
      "lost share per 1/tile side")                                                                                    \
    X(GEMM, tile_rows, COUNT, "rows", false, 0, 128, NEVER, NONE, ALL, 0, 0, 0,                                        \
      "fewest rows of a tile; 0: any")                                                                                 \
    X(GEMM, narrow_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                         \
      "share of the rate left to tiles of the fewest rows; 0: all of it")                                              \
    X(GEMM, wave_s, S, "s", true, 0, 1, ALWAYS, GEMM, ALL, 0, 1e-5, 1e-6,                                              \
      "fixed time of a wave")                                                                                          \
    X(GEMM, launch_s, S, "s", true, 0, 1, ALWAYS, GEMM, ALL, 0, 2e-5, 2e-6,                                            \
      "fixed time of a dependent kernel in a stream")                                                                  \
    X(GEMM, walk_s_per_element, S, "s", false, 0, 1e-6, NEVER, NONE, ALL, 0, 0, 0,                                     \
      "least time of a tile per element of the reduction (Eq. 30a); 0: none")                                          \
    X(GEMM, pitch_8_frac, NONE, "frac", false, 0, 1, NEVER, GEMM, PITCH_8, 0.05, 1, 0.8,                               \
      "share of the rate left where rows begin at multiples of 8 bytes only")                                          \
    X(GEMM, pitch_4_frac, NONE, "frac", false, 0, 1, NEVER, GEMM, PITCH_4, 0.05, 1, 0.6,                               \
      "share of the rate left where rows begin at multiples of 4 bytes only")                                          \
    X(GEMM, pitch_2_frac, NONE, "frac", false, 0, 1, NEVER, GEMM, PITCH_2, 0.05, 1, 0.4,                               \
      "share of the rate left where rows begin at multiples of 2 bytes only")                                          \
    X(GEMM, grouped_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, GROUPED, ALL, 0.05, 1, 0.8,                    \
      "grouped product: share of peak inside a tile")                                                                  \
    X(GEMM, grouped_tile_s, S, "s", true, 0, 1, NEVER, GROUPED, ALL, 0, 2e-5, 2e-6,                                    \
      "grouped product: fixed time of a tile")                                                                         \
    X(GEMM, grouped_dram_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, GROUPED, ALL, 0.1, 1, 0.8,                \
      "grouped product: share of DRAM bandwidth")                                                                      \
    X(GEMM, grouped_launch_s, S, "s", true, 0, 1, NEVER, GROUPED, ALL, 0, 5e-5, 1e-5,                                  \
      "grouped product: fixed time, including its routing kernels")                                                    \
    X(GEMM, grouped_idle_s, S, "s", false, 0, 1e-3, NEVER, GROUPED, ALL, 0, 1e-6, 1e-7,                                \
      "grouped product: time of an expert of the rank without rows (Eq. 28b)")                                         \
    X(GEMM, grouped_walk_s_per_element, S, "s", false, 0, 1e-6, NEVER, NONE, ALL, 0, 0, 0,                             \
      "grouped product: least time of a tile per element of the reduction (Eq. 30a); 0: none")                         \
    X(GEMM, grouped_passes, NONE, "number", false, 0, 100, NEVER, NONE, ALL, 0, 0, 0,                                  \
      "grouped product: how often the copies beside it move their bytes (Eq. 303); 0: once")                           \
    X(GEMM, grouped_gen_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                    \
      "4-bit experts by low-latency kernels: share of peak inside a tile")                                             \
    X(GEMM, grouped_gen_tile_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                        \
      "4-bit experts by low-latency kernels: fixed time of a tile")                                                    \
    X(GEMM, grouped_gen_dram_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                               \
      "4-bit experts by low-latency kernels: share of DRAM bandwidth; 0: no such kernels")                             \
    X(GEMM, grouped_gen_launch_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                      \
      "4-bit experts by low-latency kernels: fixed time, including routing")                                           \
    X(GEMM, grouped_gen_passes, NONE, "number", false, 0, 100, NEVER, NONE, ALL, 0, 0, 0,                              \
      "4-bit experts by low-latency kernels: how often the copies beside them move their bytes; 0: once")              \
    X(GEMM, grouped_triton_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                 \
      "experts by Triton kernels: share of peak inside a tile; 0: no such kernels")                                    \
    X(GEMM, grouped_triton_tile_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                     \
      "experts by Triton kernels: fixed time of a tile")                                                               \
    X(GEMM, grouped_triton_dram_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                            \
      "experts by Triton kernels: share of DRAM bandwidth")                                                            \
    X(GEMM, grouped_triton_launch_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                   \
      "experts by Triton kernels: fixed time, including routing")                                                      \
    X(GEMM, grouped_triton_passes, NONE, "number", false, 0, 100, NEVER, NONE, ALL, 0, 0, 0,                           \
      "experts by Triton kernels: how often the copies beside them move their bytes; 0: once")                         \
    X(GEMM, grouped_fixed_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                  \
      "experts by Triton kernels with the same tiles for every shape: share of peak inside a tile; 0: as chosen ones") \
    X(GEMM, grouped_fixed_tile_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                      \
      "... fixed time of a tile")                                                                                      \
    X(GEMM, grouped_fixed_dram_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                             \
      "... share of DRAM bandwidth")                                                                                   \
    X(GEMM, grouped_fixed_launch_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                    \
      "... fixed time, including routing")                                                                             \
    X(GEMM, grouped_fixed_passes, NONE, "number", false, 0, 100, NEVER, NONE, ALL, 0, 0, 0,                            \
      "... how often the copies beside them move their bytes; 0: once")                                                \
    X(GEMM, grouped_marlin_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                 \
      "4-bit experts and 16-bit rows by Marlin: share of peak inside a tile")                                          \
    X(GEMM, grouped_marlin_tile_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                     \
      "... fixed time of a tile")                                                                                      \
    X(GEMM, grouped_marlin_dram_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                            \
      "... share of DRAM bandwidth; 0: no such kernels")                                                               \
    X(GEMM, grouped_marlin_launch_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                   \
      "... fixed time, including routing")                                                                             \
    X(GEMM, grouped_marlin_passes, NONE, "number", false, 0, 100, NEVER, NONE, ALL, 0, 0, 0,                           \
      "... how often the copies beside them move their bytes; 0: once")                                                \
    X(GEMM, grouped_mx_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                     \
      "MXFP4 experts and 16-bit rows by Triton: share of peak inside a tile")                                          \
    X(GEMM, grouped_mx_tile_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                         \
      "... fixed time of a tile")                                                                                      \
    X(GEMM, grouped_mx_dram_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                \
      "... share of DRAM bandwidth; 0: no such kernels")                                                               \
    X(GEMM, grouped_mx_launch_s, S, "s", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                       \
      "... fixed time, including routing")                                                                             \
    X(GEMM, grouped_mx_passes, NONE, "number", false, 0, 100, NEVER, NONE, ALL, 0, 0, 0,                               \
      "... how often the copies beside them move their bytes; 0: once")                                                \
    X(ATTENTION, forward_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, ALWAYS, FLASH, FORWARD, 0.05, 1, 0.6,            \
      "share of 16-bit peak, forward")                                                                                 \
    X(ATTENTION, forward_half_seq, COUNT, "keys", true, 0, 1e6, ALWAYS, FLASH, FORWARD, 0, 5000, 500,                  \
      "sequence at half that share")                                                                                   \
    X(ATTENTION, backward_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, TRAIN, FLASH, BACKWARD, 0.05, 1, 0.5,           \
      "share of 16-bit peak, backward")                                                                                \
    X(ATTENTION, backward_half_seq, COUNT, "keys", true, 0, 1e6, TRAIN, FLASH, BACKWARD, 0, 5000, 800,                 \
      "sequence at half that share")                                                                                   \
    X(ATTENTION, head_64_frac, NONE, "ratio", true, ORR_LEAST_FRAC, 2, NEVER, FLASH, HEAD_64, 0.2, 1.5, 0.8,           \
      "factor for heads up to 64")                                                                                     \
    X(ATTENTION, head_96_frac, NONE, "ratio", true, ORR_LEAST_FRAC, 2, NEVER, FLASH, HEAD_96, 0.2, 1.5, 0.9,           \
      "factor for heads up to 96")                                                                                     \
    X(ATTENTION, launch_s, S, "s", true, 0, 1, NEVER, FLASH, ALL, 0, 5e-5, 8e-6,                                       \
      "fixed time of the kernel")                                                                                      \
    X(ATTENTION, tail, NONE, "number", true, 0, 10, NEVER, FLASH, ALL, 0, 5, 0.7,                                      \
      "last blocks of a launch, in walks over the keys")                                                               \
    X(ATTENTION, backward_tail, NONE, "number", false, 0, 10, NEVER, FLASH, BACKWARD, 0.01, 5, 0.3,                    \
      "the same of the backward kernel")                                                                               \
    X(ATTENTION, backward_wide_frac, NONE, "ratio", false, 0, 2, NEVER, NONE, ALL, 0, 0, 0,                            \
      "factor of the backward kernel for heads over 128; 0: 1")                                                        \
    X(DECODE, launch_s, S, "s", true, 0, 1, INFER, DECODE, ALL, 0, 3e-5, 8e-6,                                         \
      "fixed time of the kernel")                                                                                      \
    X(DECODE, dram_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, INFER, DECODE, ALL, 0.2, 1, 0.9,                       \
      "share of DRAM bandwidth the cache is read at")                                                                  \
    X(DECODE, compute_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, INFER, DECODE, ALL, 0.02, 1, 0.5,                   \
      "share of peak")                                                                                                 \
    X(DECODE, sm_bytes_per_s, BYTES_PER_S, "bytes/s", true, 1e6, 1e15, INFER, DECODE, PAGED, 5e9, 5e11, 5e10,          \
      "what one SM can read")                                                                                          \
    X(DECODE, block_s, S, "s", true, 0, 1, INFER, DECODE, ALL, 0, 1e-5, 1.5e-6,                                        \
      "fixed time of a thread block")                                                                                  \
    X(DECODE, reduce_s, S, "s", true, 0, 1, INFER, DECODE, SPLIT, 0, 2e-5, 4e-6,                                       \
      "adding partial results of a split context")                                                                     \
    X(DECODE, ramp_bytes, BYTES, "bytes", true, 0, 1e12, NEVER, DECODE, PAGED, 0, 2e8, 3e7,                            \
      "cache bytes read at half rate before DRAM is busy")                                                             \
    X(DECODE, head_elements_per_s, NONE, "1/s", true, 1e6, 1e18, NEVER, DECODE, PAGED, 2e11, 2e13, 2.5e12,             \
      "elements of kernels with one query head per block")                                                             \
    X(DECODE, padded_frac, NONE, "frac", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                       \
      "share of peak with the empty rows of a tile counted; 0: compute_frac, without them")                            \
    X(LINE, base_s, S, "s", true, 0, 1, NEVER, LINES, ALL, 0, 3e-4, 1e-5,                                              \
      "fixed time")                                                                                                    \
    X(LINE, hop_s, S, "s", true, 0, 1, NEVER, LINES, ALL, 0, 3e-6, 1e-6,                                               \
      "time per hop")                                                                                                  \
    X(LINE, efficiency_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1.2, NEVER, LINES, ALL, 0.002, 1, 0.5,                \
      "share of the link")                                                                                             \
    X(CALIBRATION, pointwise_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, ALWAYS, POINTWISE, ALL, 0.02, 1, 0.7,        \
      "share of DRAM bandwidth")                                                                                       \
    X(CALIBRATION, pointwise_launch_s, S, "s", true, 0, 1, ALWAYS, LAUNCH, ALL, 0, 2e-5, 1e-6,                         \
      "fixed time of a memory-bound kernel")                                                                           \
    X(CALIBRATION, l2_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, GEMM, ALL, 0.02, 1, 0.7,                     \
      "share of last-level bandwidth")                                                                                 \
    X(CALIBRATION, write_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, BMM, ALL, 0.02, 1, 0.7,                   \
      "share of DRAM bandwidth a product is written at")                                                               \
    X(CALIBRATION, softmax_unfused_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, POINTWISE, ALL, 0.02, 1, 0.7,   \
      "share of DRAM bandwidth")                                                                                       \
    X(CALIBRATION, softmax_unfused_backward_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, NONE, ALL, 0, 0, 0,    \
      "share of DRAM bandwidth of its gradient")                                                                       \
    X(CALIBRATION, p2p_scaleup_frac, NONE, "frac", true, ORR_LEAST_FRAC, 1, NEVER, P2P, ALL, 0.02, 1, 0.7,             \
      "share of the scale-up link a send has")                                                                         \
    X(CALIBRATION, scan_frac, NONE, "ratio", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                                   \
      "share of what products reach in scans over chunks; absent: half, an assumption")                                \
    X(CALIBRATION, delta_scan_frac, NONE, "ratio", false, 0, 1, NEVER, NONE, ALL, 0, 0, 0,                             \
      "the same of the delta rule in kernels of its own for every part; absent: as other scans")                       \
    X(CALIBRATION, delta_token_s, S, "s", false, 0, 1e-3, NEVER, NONE, ALL, 0, 0, 0,                                   \
      "least time of the delta rule per token of a sequence, whose chunks follow one another")                         \
    X(CALIBRATION, quantise_launch_s, S, "s", false, 0, 1e-3, NEVER, NONE, ALL, 0, 0, 0,                               \
      "fixed time of a kernel that finds a scale for every row (Eq. 397); absent: pointwise_launch_s")                 \
    X(CALIBRATION, quantise_walk_s, S, "s", false, 0, 1e-3, NEVER, NONE, ALL, 0, 0, 0,                                 \
      "... and its time for every 4,096 columns of a row, which its blocks walk")                                      \
    X(CALIBRATION, sum_exposed_frac, NONE, "frac", false, 0, 1, TRAIN, NONE, ALL, 0, 0, 0,                             \
      "share of the DRAM time of sums in place that a product does not hide; absent: none")                            \
    X(CALIBRATION, overlap_contention_frac, NONE, "frac", true, 0, 1, TRAIN, NONE, ALL, 0, 0, 0,                       \
      "compute lost per second of hidden communication")                                                               \
    X(CALIBRATION, straggle_frac_per_doubling, NONE, "frac", true, 0, 1, TRAIN, NONE, ALL, 0, 0, 0,                    \
      "time of kernels added per doubling of GPUs")                                                                    \
    X(CALIBRATION, sustained_units, NONE, "number", false, 0, 1e6, TRAIN, NONE, ALL, 0, 0, 0,                          \
      "units of which the slowest has the sustained shares; absent: one")
/* clang-format on */

#define ORR_X_CONSTANT_(home, member, ...) ORR_CONSTANT_##home##_##member,
enum orr_constant_index { ORR_CONSTANTS(ORR_X_CONSTANT_) ORR_N_CONSTANTS };

/* One row of the list. */
struct orr_constant {
    const char *key, *unit_name, *meaning;
    enum orr_home home;
    size_t offset, n; /* offset of the member in its home, and how many numbers it has (more than 1 in an array) */
    enum orr_unit unit;
    bool required;
    double min, max; /* least and most that a file may hold */
    enum orr_explained explained;
    enum orr_fit_kind group;
    enum orr_told_by told_by;
    double fit_min, fit_max, typical; /* limits of the fitter, and a usual size, which scales steps from zero */
};
extern const struct orr_constant orr_constants[ORR_N_CONSTANTS];

/* Number i of a constant of the struct at `home`. */
static inline double *orr_constant_at(void *home, const struct orr_constant *constant, size_t i)
{
    return (double *)(void *)((char *)home + constant->offset) + i;
}
static inline double orr_constant_value(const void *home, const struct orr_constant *constant)
{
    return *(const double *)(const void *)((const char *)home + constant->offset);
}

#endif
