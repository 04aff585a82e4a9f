/* Eqs. 8, 302, 303: experts that the tokens of a group touch, which kernels multiply their rows, and what moves beside
 * the products. Plain arithmetic, shared with the costs and with the tables of measured kernels. */
#ifndef ORR_OPS_EXPERTS_H
#define ORR_OPS_EXPERTS_H

#include "base/number.h"
#include "base/text.h"
#include "orrery.h"

#include <math.h>

/* A probability of e^-40 or less is lost when it is added to 1 in double precision. */
#define ORR_SURE_CHOICES 40.0

/* Experts of one rank that at least one of `tokens` chooses: `places` experts lie on `ranks` ranks, and every token
 * chooses `active` of them at random. */
static inline double orr_experts_touched(double places, double active, double tokens, double ranks)
{
    const double share = active / places;
    if (share * tokens >= ORR_SURE_CHOICES) return places / ranks; /* The power below would be 0: skip it. */
    return orr_min(places / ranks, places * (1 - pow(1 - share, tokens)) / ranks);
}

/* Eq. 267: the same on the busiest rank, where every rank waits for it. The experts of a rank are touched independently
 * of each other, nearly; the largest of R normal numbers is sqrt(2 ln R) - 0.6 standard deviations above their mean,
 * within 4 % from 2 to 64. */
static inline double orr_experts_touched_most(double places, double active, double tokens, double ranks)
{
    const double mean = orr_experts_touched(places, active, tokens, ranks), all = places / ranks;
    if (ranks < 2 || mean >= all) return mean;
    const double deviation = sqrt(mean * (1 - mean / all) * (1 - 1 / ranks));
    return orr_min(orr_min(all, tokens * active), mean + (sqrt(2 * log(ranks)) - 0.6) * deviation);
}

/* Eq. 303: bytes that a serving library moves beside the products of an expert layer. It reads `tokens`, writes `rows`
 * in the order of the experts, applies the activation to their inner elements and sums what comes back. Elements have
 * two bytes; the constants of grouped products are fitted beside exactly these bytes. */
static inline double orr_expert_pass_bytes(double tokens, double rows, double hidden, double width)
{
    return 2 * (tokens * hidden + rows * (2 * hidden + width));
}

/* Eq. 302a: is the shared expert of a layer one more expert of its grouped products, which every token chooses? */
static inline bool orr_shared_is_routed(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return job->kind == ORR_JOB_INFER && job->engine.fused_shared_of > 0 && job->plan.ep == 1 &&
           kind->n_experts == job->engine.fused_shared_of && !kind->shared_gate &&
           kind->shared_width == kind->expert_width &&
           orr_has_word(job->engine.fused_shared_chips, job->system.chip.family);
}

/* Does the exchange of an expert group that spans data-parallel ranks bring the rows to the experts? */
static inline bool orr_experts_exchange(const struct orr_job *job)
{
    return job->plan.ep * job->plan.etp > job->plan.tp;
}

/* Does an engine with Triton kernels leave the experts of this model to the library on this chip? */
static inline bool orr_experts_library(const struct orr_job *job)
{
    const struct orr_engine *engine = &job->engine;
    return *engine->library_expert_chips && orr_has_word(engine->library_expert_chips, job->system.chip.family) &&
           (!*engine->library_expert_models || orr_has_word(engine->library_expert_models, job->model.type));
}

/* Eq. 302: weights of 8 and 16 bits have Triton kernels in engines that compile them, where the chip has their
 * constants. Behind an exchange block-scaled rows lie as other kernels want them, which the engines then call; weights
 * narrower than what is multiplied are widened by other kernels, too. */
static inline bool orr_experts_triton(const struct orr_job *job, enum orr_dtype dtype, double weight_bytes)
{
    return job->engine.triton_experts && weight_bytes >= orr_dtype_bytes(dtype) &&
           !(dtype == ORR_DTYPE_FP8_BLOCK && orr_experts_exchange(job)) &&
           job->calibration.gemm[dtype].grouped_triton_dram_frac > 0 && !orr_experts_library(job);
}

/* Does this release of the stack ship tiles for experts of such a number, width and format on the chip? */
static inline bool orr_experts_tuned(const struct orr_job *job, enum orr_dtype dtype, double experts, double width)
{
    const struct orr_calibration *calibration = &job->calibration;
    const enum orr_dtype shared = dtype == ORR_DTYPE_FP16 ? ORR_DTYPE_BF16 : dtype;
    for (int64_t i = 0; i < calibration->n_tuned; i++) {
        const struct orr_tuned_shape *shape = &calibration->tuned[i];
        if (shape->files == job->engine.tile_files && shape->release <= job->engine.tile_files_release &&
            shape->dtype == shared && shape->experts == experts && shape->width == width)
            return true;
    }
    return false;
}

/* Eq. 390: do Triton's kernels have the same tiles here whatever the shape, because the stack ships none for it? */
static inline bool orr_experts_fixed(const struct orr_job *job, enum orr_dtype dtype, double weight_bytes,
                                     double experts, double width)
{
    return orr_experts_triton(job, dtype, weight_bytes) &&
           orr_has_word(job->engine.fixed_tiles, orr_dtype_name(dtype)) &&
           job->calibration.gemm[dtype].grouped_fixed_dram_frac > 0 && !orr_experts_tuned(job, dtype, experts, width);
}

/* Eqs. 28a, 394, 395: the kernels that multiply experts of 4-bit weights in serving engines. Those of the library are
 * none of them. */
enum orr_four_bit_experts { ORR_FOUR_LIBRARY, ORR_FOUR_GEN, ORR_FOUR_MARLIN, ORR_FOUR_MX };

/* Formats that Marlin multiplies: integers with scales per group, and 4-bit floats. */
static inline bool orr_marlin_format(enum orr_weight_format format)
{
    const bool integers = format == ORR_WEIGHT_INT4 || format == ORR_WEIGHT_W4A16 || format == ORR_WEIGHT_AWQ ||
                          format == ORR_WEIGHT_GPTQ || format == ORR_WEIGHT_AUTOROUND;
    return integers || format == ORR_WEIGHT_FP4 || format == ORR_WEIGHT_MXFP4 || format == ORR_WEIGHT_NVFP4 ||
           format == ORR_WEIGHT_NVFP4A16;
}

static inline enum orr_four_bit_experts orr_experts_four_bit(const struct orr_job *job, enum orr_dtype dtype,
                                                             double input_bytes, double weight_bytes)
{
    const struct orr_gemm_constants *u = &job->calibration.gemm[dtype];
    const struct orr_engine *engine = &job->engine;
    const enum orr_weight_format asked = job->serving.format;
    const enum orr_weight_format format = asked == ORR_WEIGHT_PUBLISHED ? job->model.checkpoint.format : asked;
    const char *family = job->system.chip.family;
    if (weight_bytes >= 1) return ORR_FOUR_LIBRARY;
    if (input_bytes < 2)
        return engine->low_latency_experts && u->grouped_gen_dram_frac > 0 ? ORR_FOUR_GEN : ORR_FOUR_LIBRARY;
    if (format == ORR_WEIGHT_MXFP4 && orr_has_word(engine->wide_mxfp4, family))
        return u->grouped_gen_dram_frac > 0 ? ORR_FOUR_GEN : ORR_FOUR_LIBRARY;
    if (format == ORR_WEIGHT_MXFP4 && orr_has_word(engine->triton_mxfp4, family))
        return u->grouped_mx_dram_frac > 0 ? ORR_FOUR_MX : ORR_FOUR_LIBRARY;
    return orr_marlin_format(format) && u->grouped_marlin_dram_frac > 0 && orr_has_word(engine->marlin_experts, family)
               ? ORR_FOUR_MARLIN
               : ORR_FOUR_LIBRARY;
}

#endif
