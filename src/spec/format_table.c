/* The table of weight formats (docs/models-formats.md): bits, scales and zeros of each, modules that stay wide, the
 * dtype of products, and where the format runs. A new format is a row here and a name in ORR_WEIGHT_FORMATS. */
#include "spec/format.h"

#include <math.h>

#include "base/text.h"
#include "spec/spec.h"

#define WIDE    ORR_N_DTYPES
#define D(name) ORR_DTYPE_##name

/* clang-format off */
/* A row for a dtype as a format, whose scales are a mean over all weights. */
#define MEAN(name, mean_bits) \
    [ORR_WEIGHT_##name] = {"", D(name), D(name), 0, 0, true, 0, {ORR_WEIGHT_##name, .bits = (mean_bits)}}
#define ROW(name, family, nearest, native, least, most, amd, rules, ...) \
    [ORR_WEIGHT_##name] = {family, D(nearest), native, least, most, amd, rules, {ORR_WEIGHT_##name, __VA_ARGS__}}
#define GGUF(name, nearest) \
    ROW(name, "gguf", nearest, WIDE, 70, 0, true, ORR_NARROW_ENDS | ORR_NARROW_GGUF, .bits = 0)

static const struct orr_format_row ROWS[ORR_N_WEIGHT_FORMATS] = {
    MEAN(FP32, 32), MEAN(TF32, 32), MEAN(FP16, 16), MEAN(BF16, 16),
    MEAN(FP8, 8 + 32.0 / (128 * 128)), MEAN(FP8_BLOCK, 8 + 32.0 / (128 * 128)), MEAN(INT8, 8 + 32.0 / (128 * 128)),
    MEAN(FP4, 4 + 8.0 / 16), MEAN(INT4, 4 + 16.0 / 128),
    [ORR_WEIGHT_PUBLISHED] = {"", D(BF16), WIDE, 0, 0, true, 0, {ORR_WEIGHT_PUBLISHED, .bits = 16}},
    /*  format, family, dtype, multiplied in, SM from, SM to, AMD, rules, bits and scales */
    ROW(MXFP4, "mxfp4", FP4, D(FP8), 80, 0, true, ORR_KEEP_DENSE,
        .bits = 4, .scale_bits = 8, .rows = 1, .columns = 32),
    ROW(NVFP4, "nvfp4", FP4, D(FP4), 75, 0, false, ORR_KEEP_LATENT,
        .bits = 4, .scale_bits = 8, .rows = 1, .columns = 16, .tensor_bits = 64),
    ROW(NVFP4A16, "nvfp4", FP4, WIDE, 75, 0, false, ORR_KEEP_LATENT,
        .bits = 4, .scale_bits = 8, .rows = 1, .columns = 16, .tensor_bits = 32),
    ROW(MXFP8, "mxfp8", FP8, D(FP8), 100, 0, false, 0, .bits = 8, .scale_bits = 8, .rows = 1, .columns = 32),
    ROW(FP8_TENSOR, "fp8", FP8, D(FP8), 75, 0, true, 0, .bits = 8, .tensor_bits = 64),
    ROW(FP8_CHANNEL, "fp8", FP8, D(FP8), 75, 0, true, 0, .bits = 8, .scale_bits = 32, .rows = 1),
    ROW(FP8_128, "fp8", FP8_BLOCK, D(FP8_BLOCK), 75, 0, true, 0,
        .bits = 8, .scale_bits = 32, .rows = 128, .columns = 128),
    ROW(W4A16, "int4", INT4, WIDE, 75, 0, false, 0, .bits = 4, .scale_bits = 16, .rows = 1, .columns = 128),
    ROW(W8A16, "int8", INT8, WIDE, 75, 0, false, 0, .bits = 8, .scale_bits = 16, .rows = 1),
    ROW(W8A8, "int8", INT8, D(INT8), 75, 90, false, 0, .bits = 8, .scale_bits = 32, .rows = 1),
    ROW(AWQ, "awq", INT4, WIDE, 75, 0, false, 0,
        .bits = 4, .scale_bits = 16, .zero_bits = 4, .rows = 1, .columns = 128),
    ROW(GPTQ, "gptq", INT4, WIDE, 60, 0, false, 0,
        .bits = 4, .scale_bits = 16, .zero_bits = 4, .rows = 1, .columns = 128, .column_bits = 32),
    ROW(GPTQ_INT8, "gptq", INT8, WIDE, 60, 0, false, 0,
        .bits = 8, .scale_bits = 16, .zero_bits = 8, .rows = 1, .columns = 128, .column_bits = 32),
    ROW(AUTOROUND, "gptq", INT4, WIDE, 60, 0, false, 0,
        .bits = 4, .scale_bits = 16, .zero_bits = 4, .rows = 1, .columns = 128, .column_bits = 32),
    ROW(BNB_INT8, "bitsandbytes", INT8, D(INT8), 70, 0, false, 0, .bits = 8, .scale_bits = 32, .rows = 1),
    ROW(NF4, "bitsandbytes", INT4, WIDE, 70, 0, false, 0, .bits = 4, .scale_bits = 32, .rows = 1, .columns = 64),
    ROW(NF4_DOUBLE, "bitsandbytes", INT4, WIDE, 70, 0, false, 0,
        .bits = 4, .scale_bits = 8, .rows = 1, .columns = 64, .second_bits = 32),
    ROW(HQQ, "hqq", INT4, WIDE, 75, 0, false, 0,
        .bits = 4, .scale_bits = 16, .zero_bits = 16, .rows = 1, .columns = 64),
    ROW(TORCHAO_INT4, "torchao", INT4, WIDE, 80, 0, false, 0,
        .bits = 4, .scale_bits = 16, .zero_bits = 16, .rows = 1, .columns = 128),
    ROW(MLX_4BIT, "mlx", INT4, WIDE, 1000, 0, false, ORR_NARROW_ENDS,
        .bits = 4, .scale_bits = 16, .zero_bits = 16, .rows = 1, .columns = 64),
    ROW(MLX_8BIT, "mlx", INT8, WIDE, 1000, 0, false, ORR_NARROW_ENDS,
        .bits = 8, .scale_bits = 16, .zero_bits = 16, .rows = 1, .columns = 64),
    GGUF(Q2_K, INT4), GGUF(Q3_K_S, INT4), GGUF(Q3_K_M, INT4), GGUF(Q3_K_L, INT4), GGUF(Q4_0, INT4),
    GGUF(Q4_K_S, INT4), GGUF(Q4_K_M, INT4), GGUF(Q5_0, INT4), GGUF(Q5_K_S, INT4), GGUF(Q5_K_M, INT4),
    GGUF(Q6_K, INT8), GGUF(Q8_0, INT8), GGUF(IQ4_NL, INT4), GGUF(IQ4_XS, INT4), GGUF(MXFP4_MOE, INT8),
};
/* clang-format on */

const struct orr_format_row *orr_format_row(enum orr_weight_format format)
{
    return &ROWS[(unsigned)format < ORR_N_WEIGHT_FORMATS ? format : ORR_WEIGHT_PUBLISHED];
}

/* Eq. 41b: a group that the edge of a tensor cuts counts as a whole group. */
double orr_storage_bytes(const struct orr_storage *storage, double n, double k)
{
    double bits = storage->bits * n * k + storage->tensor_bits + storage->column_bits * k;
    if (storage->rows > 0) {
        const double columns = storage->columns > 0 ? ceil(k / (double)storage->columns) : 1;
        const double groups = ceil(n / (double)storage->rows) * columns;
        bits += groups * (storage->scale_bits + storage->zero_bits) + ceil(groups / 256) * storage->second_bits;
    }
    return bits / 8;
}

/* ---------------------------------------------------------------- names */

#define NAME(member, name, ...) name,
const char *const orr_format_names[ORR_N_WEIGHT_FORMATS] = {ORR_WEIGHT_FORMATS(NAME)};
static const char *const MODULE_NAMES[ORR_N_MODULES] = {ORR_MODULES(NAME)};
static const char *const KV_NAMES[ORR_N_KV_FORMATS] = {ORR_KV_FORMATS(NAME)};
#define KV_DTYPE(member, name, dtype, ...) ORR_DTYPE_##dtype,
static const enum orr_dtype KV_DTYPES[ORR_N_KV_FORMATS] = {ORR_KV_FORMATS(KV_DTYPE)};
/* Other spellings that engines and file names use. */
static const struct {
    const char *name;
    enum orr_weight_format format;
} ALIASES[] = {{"auto", ORR_WEIGHT_PUBLISHED},          {"fp8-per-tensor", ORR_WEIGHT_FP8_TENSOR},
               {"fp8-dynamic", ORR_WEIGHT_FP8_CHANNEL}, {"fp8-per-channel", ORR_WEIGHT_FP8_CHANNEL},
               {"gptq-int4", ORR_WEIGHT_GPTQ},          {"auto-round", ORR_WEIGHT_AUTOROUND},
               {"bnb-4bit", ORR_WEIGHT_NF4_DOUBLE},     {"int8-w8a8", ORR_WEIGHT_W8A8}};

const char *orr_weight_format_name(enum orr_weight_format format)
{
    return (unsigned)format < ORR_N_WEIGHT_FORMATS ? orr_format_names[format] : "unknown";
}

const char *orr_module_name(enum orr_module module)
{
    return (unsigned)module < ORR_N_MODULES ? MODULE_NAMES[module] : "unknown";
}

enum orr_weight_format orr_weight_format_find(const char *name)
{
    for (int i = 0; i < ORR_N_WEIGHT_FORMATS; i++)
        if (orr_compare_nocase(name, orr_format_names[i]) == 0) return (enum orr_weight_format)i;
    for (size_t i = 0; i < sizeof ALIASES / sizeof *ALIASES; i++)
        if (orr_compare_nocase(name, ALIASES[i].name) == 0) return ALIASES[i].format;
    return ORR_N_WEIGHT_FORMATS;
}

static const enum orr_dtype PLAIN_CACHES[] = {ORR_DTYPE_FP16, ORR_DTYPE_BF16, ORR_DTYPE_FP8, ORR_DTYPE_INT8};
#define N_PLAIN (sizeof PLAIN_CACHES / sizeof *PLAIN_CACHES)

bool orr_cache_find(const char *name, enum orr_dtype *kv, enum orr_kv_format *format)
{
    for (size_t i = 0; i < N_PLAIN; i++)
        if (orr_compare_nocase(name, orr_dtype_names[PLAIN_CACHES[i]]) == 0) {
            *kv = PLAIN_CACHES[i];
            *format = ORR_KV_PLAIN;
            return true;
        }
    for (int i = ORR_KV_PLAIN + 1; i < ORR_N_KV_FORMATS; i++)
        if (orr_compare_nocase(name, KV_NAMES[i]) == 0) {
            *kv = KV_DTYPES[i];
            *format = (enum orr_kv_format)i;
            return true;
        }
    return false;
}

const char *orr_cache_name(enum orr_dtype kv, enum orr_kv_format format)
{
    return format == ORR_KV_PLAIN || (unsigned)format >= ORR_N_KV_FORMATS ? orr_dtype_name(kv) : KV_NAMES[format];
}

/* Sets a cache; the format decides in which dtype kernels read it. */
void orr_serving_cache(int64_t choice, struct orr_serving *serving)
{
    const bool plain = choice < ORR_N_DTYPES;
    serving->kv_format = plain ? ORR_KV_PLAIN : (enum orr_kv_format)(choice - ORR_N_DTYPES);
    serving->kv = plain ? (enum orr_dtype)choice : KV_DTYPES[serving->kv_format];
}

#define KV_NAME(member, name, ...) name,
const char *const *orr_cache_names(void)
{
    static const char *const NAMES[] = {"fp16", "bf16", "fp8", ORR_KV_FORMATS(KV_NAME)};
    return NAMES;
}
