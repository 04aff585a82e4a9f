/* Rules about kernels: chip, calibration and engine must have what the products, the attention and the formats of a job
 * need. */
#include "spec/check.h"
#include "spec/format.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/spec.h"

#include <stdio.h>

enum { LIST = 96 };

/* ---------------------------------------------------------------- what chip and calibration have */

/* Lists the names of the dtypes for which a table has a value. */
static void list_dtypes(char list[LIST], const double *values, size_t stride)
{
    size_t length = 0;
    (void)snprintf(list, LIST, "none");
    for (size_t i = 0; i < ORR_N_MATRIX_DTYPES; i++) {
        if (!(values[i * stride] > 0) || length + 16 > LIST) continue;
        const int n = snprintf(list + length, LIST - length, "%s%s", length ? ", " : "", orr_dtype_names[i]);
        length += n > 0 ? (size_t)n : 0;
    }
}

static enum orr_err check_dtype(const struct orr_job *job, const char *key, enum orr_dtype dtype, const char *why,
                                struct orr_error *error)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_gemm_constants *gemm = job->calibration.gemm;
    char has[LIST];
    if (!(chip->peak_flops_per_s[dtype] > 0)) {
        list_dtypes(has, chip->peak_flops_per_s, 1);
        return FAIL(error, key, "chip %s has no %s units%s (it has: %s)", chip->id, orr_dtype_name(dtype), why, has);
    }
    if (!(gemm[dtype].burst_frac > 0)) {
        list_dtypes(has, &gemm[0].burst_frac, sizeof gemm[0] / sizeof(double));
        return FAIL(error, key, "calibration %s has no gemm constants for %s%s (it has: %s)", job->calibration.id,
                    orr_dtype_name(dtype), why, has);
    }
    return ORR_OK;
}

static enum orr_err check_attention(const struct orr_job *job, const char *key, struct orr_error *error)
{
    const enum orr_attention_kernel kernel = job->workload.attention;
    const enum orr_dtype core = orr_asked_dtype(job->workload.core, ORR_N_DTYPES);
    const enum orr_err err =
        core == ORR_N_DTYPES ? ORR_OK : check_dtype(job, "workload.attention_precision", core, "", error);
    if (err) return err;
    if (kernel == ORR_ATTENTION_UNFUSED || job->calibration.attention[kernel].forward_frac > 0) return ORR_OK;
    return FAIL(error, key, "calibration %s has no attention constants for %s", job->calibration.id,
                orr_attention_kernel_name(kernel));
}

/* Eq. 326: packed samples are told apart by a fused kernel, which is given where each begins. */
static enum orr_err check_samples(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_workload *workload = &job->workload;
    const char *key = "workload.sample_len";
    if (workload->sample_len == 0) return ORR_OK;
    if (workload->sample_len > workload->seq)
        return FAIL(error, key, "samples of %lld tokens are longer than a sequence, %lld", (ll)workload->sample_len,
                    (ll)workload->seq);
    if (workload->attention == ORR_ATTENTION_UNFUSED || job->engine.masked_attention)
        return FAIL(error, key, "attention of engine %s computes whole sequences, whatever they are packed of",
                    job->engine.id);
    return ORR_OK;
}

/* A recipe scales one width of products. */
static enum orr_err check_recipe(const struct orr_job *job, struct orr_error *error)
{
    const enum orr_fp8_recipe recipe = job->workload.fp8_recipe;
    const double bytes = orr_dtype_bytes(job->workload.precision), wanted = recipe == ORR_RECIPE_NVFP4 ? 0.5 : 1;
    if (job->workload.wide_layers > job->model.n_layers)
        return FAIL(error, "workload.wide_layers", "the model has %lld layers, not %lld", (ll)job->model.n_layers,
                    (ll)job->workload.wide_layers);
    if (recipe == ORR_RECIPE_ENGINE || bytes == wanted) return ORR_OK;
    return FAIL(error, "workload.fp8_recipe", "%s scales products in %s, but precision is \"%s\"",
                orr_fp8_recipe_name(recipe), wanted < 1 ? "fp4" : "fp8", orr_dtype_name(job->workload.precision));
}

enum orr_err orr_check_kernels(const struct orr_job *job, struct orr_error *error)
{
    const char *key = "workload.precision";
    const enum orr_dtype precision = job->workload.precision;
    enum orr_err err = check_dtype(job, key, precision, "", error);
    if (!err && orr_dtype_bytes(precision) < 2) /* attention and the head stay in 16 bits */
        err = check_dtype(job, key, ORR_DTYPE_BF16, ", which the products outside the linear layers use", error);
    if (!err && job->workload.adapter.plain)
        err = check_dtype(job, "workload.adapter", ORR_DTYPE_FP32, ", which adapters without autocast use", error);
    if (!err) err = check_recipe(job, error);
    if (!err) err = check_samples(job, error);
    return err ? err : check_attention(job, "workload.attention", error);
}

/* ---------------------------------------------------------------- serving */

/* The calibration must have constants of decode attention for the cache's width and every kind of layer. */
static enum orr_err check_decode(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_calibration *calibration = &job->calibration;
    const int width = orr_dtype_bytes(job->serving.kv) < 2;
    const enum orr_decode_kernel kernel = job->engine.decode_kernel;
    for (int64_t i = 0; i < job->model.n_kinds; i++) {
        if (!orr_kind_attends(&job->model.kinds[i])) continue;
        const bool latent = job->model.kinds[i].mla_kv_rank > 0 || orr_kind_compresses(&job->model.kinds[i]);
        const struct orr_decode_constants *constants =
            latent ? &calibration->mla_decode[width] : &calibration->decode[kernel][width];
        if (!(constants->dram_frac > 0))
            return FAIL(error, "workload.engine",
                        "calibration %s has no %s constants for the kernel of engine %s, "
                        "\"%s\", and a cache of %d bits",
                        calibration->id, latent ? "mla_decode" : "decode", job->engine.id,
                        orr_decode_kernel_name(kernel), width ? 8 : 16);
    }
    return ORR_OK;
}

/* Chip and engine must support the format, and the chip must have units for every product of a mixed checkpoint. */
static enum orr_err check_format(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_served *served = &job->serving.served[0];
    const enum orr_weight_format own = job->model.checkpoint.format,
                                 format = job->serving.format == ORR_WEIGHT_PUBLISHED ? own : job->serving.format;
    enum orr_err err = orr_format_check(job, format, error);
    for (int64_t k = 0; k < job->model.n_kinds && !err && served->resolved; k++)
        for (int p = 0; p < ORR_N_PRODUCTS && !err; p++)
            err = check_dtype(job, "workload.precision", served->kinds[k].matrix[p], "", error);
    return err;
}

enum orr_err orr_check_serving_kernels(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_serving *serving = &job->serving;
    const double kv_bytes = orr_dtype_bytes(serving->kv);
    const char *key = serving->matrix == serving->weights ? "workload.precision" : "workload.matrix_precision";
    enum orr_err err = check_dtype(job, key, serving->matrix, "", error);
    if (!err && orr_dtype_bytes(serving->matrix) < 2)
        err = check_dtype(job, key, orr_chip_16bit(&job->system.chip),
                          ", which the products outside the linear layers use", error);
    if (!err) err = check_attention(job, "workload.engine", error);
    if (err) return err;
    if (serving->format >= ORR_WEIGHT_PUBLISHED) err = check_format(job, error);
    if (err) return err;
    if (kv_bytes > 2 || kv_bytes < 1 || (unsigned)serving->kv_format >= ORR_N_KV_FORMATS)
        return FAIL(error, "workload.kv_precision", "must be \"fp16\", \"bf16\", \"fp8\" or \"int8\", not \"%s\"",
                    orr_dtype_name(serving->kv));
    return check_decode(job, error);
}
