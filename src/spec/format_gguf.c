/* GGUF files: the type of each tensor of a mixture, by the rules of llama.cpp's quantiser
 * (docs/models-formats.md). */
#include "spec/format.h"

/* Bits per weight of each type, including scales: the bits of a block over its weights. */
#define Q2 2.625
#define Q3 3.4375
#define Q4 4.5
#define Q5 5.5
#define Q6 6.5625
#define Q8 8.5

static double base_bits(enum orr_weight_format mixture)
{
    switch ((int)mixture) {
    case ORR_WEIGHT_Q2_K: return Q2;
    case ORR_WEIGHT_Q3_K_S:
    case ORR_WEIGHT_Q3_K_M:
    case ORR_WEIGHT_Q3_K_L: return Q3;
    case ORR_WEIGHT_Q5_0:
    case ORR_WEIGHT_Q5_K_S:
    case ORR_WEIGHT_Q5_K_M: return Q5;
    case ORR_WEIGHT_Q6_K: return Q6;
    case ORR_WEIGHT_Q8_0:
    case ORR_WEIGHT_MXFP4_MOE: return Q8;
    case ORR_WEIGHT_IQ4_XS: return 4.25;
    }
    return Q4;
}

/* A row whose length is no multiple of 256 takes a type with blocks of 32. */
static struct orr_storage type_of(enum orr_weight_format mixture, double bits, double k)
{
    const bool blocks_of_32 = mixture == ORR_WEIGHT_MXFP4_MOE || mixture == ORR_WEIGHT_Q8_0 ||
                              mixture == ORR_WEIGHT_Q4_0 || mixture == ORR_WEIGHT_Q5_0 || mixture == ORR_WEIGHT_IQ4_NL;
    const double rest = k - 256 * (double)(int64_t)(k / 256);
    if (rest > 0 && !blocks_of_32)
        bits = bits < Q4 ? Q4 : bits < Q5 ? Q5 : bits < Q6 ? 6 : Q8; /* IQ4_NL, Q5_0, Q5_1, Q8_0 */
    return (struct orr_storage){.format = mixture, .bits = bits};
}

/* Is layer i of n one of those that mixtures give more bits? */
static bool more_bits(int64_t i, int64_t n)
{
    return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
}

static double value_bits(enum orr_weight_format mixture, int64_t i, int64_t n, bool grouped)
{
    switch ((int)mixture) {
    case ORR_WEIGHT_Q2_K: return grouped ? Q4 : Q3;
    case ORR_WEIGHT_Q3_K_M: return i < 2 ? Q5 : Q4;
    case ORR_WEIGHT_Q3_K_L: return Q5;
    case ORR_WEIGHT_Q4_K_S: return i < 4 ? Q5 : Q4;
    case ORR_WEIGHT_Q4_K_M: return more_bits(i, n) ? Q6 : Q4;
    case ORR_WEIGHT_Q5_K_M: return more_bits(i, n) ? Q6 : Q5;
    case ORR_WEIGHT_IQ4_NL:
    case ORR_WEIGHT_IQ4_XS: return grouped ? Q5 : base_bits(mixture);
    }
    return base_bits(mixture);
}

static double down_bits(enum orr_weight_format mixture, int64_t i, int64_t n)
{
    switch ((int)mixture) {
    case ORR_WEIGHT_Q2_K: return Q3;
    case ORR_WEIGHT_Q3_K_M: return i < n / 16 ? Q5 : Q4;
    case ORR_WEIGHT_Q3_K_L: return Q5;
    case ORR_WEIGHT_IQ4_NL:
    case ORR_WEIGHT_IQ4_XS: return i < n / 8 ? Q5 : base_bits(mixture);
    case ORR_WEIGHT_Q4_K_S: return i < n / 8 ? Q5 : Q4;
    case ORR_WEIGHT_Q4_K_M: return more_bits(i, n) ? Q6 : Q4;
    case ORR_WEIGHT_Q5_K_M: return more_bits(i, n) ? Q6 : Q5;
    }
    return base_bits(mixture);
}

static double out_bits(enum orr_weight_format mixture)
{
    return mixture == ORR_WEIGHT_Q2_K     ? Q3
           : mixture == ORR_WEIGHT_Q3_K_M ? Q4
           : mixture == ORR_WEIGHT_Q3_K_L ? Q5
                                          : base_bits(mixture);
}

struct orr_storage orr_gguf_tensor(enum orr_weight_format mixture, const struct orr_model *model, int64_t i,
                                   enum orr_weight_tensor tensor, double k)
{
    const struct orr_layer_kind *kind = &model->kinds[model->layer_kind[i]];
    const bool expert = orr_tensor_module(tensor) == ORR_MODULE_EXPERTS;
    double bits = base_bits(mixture);
    if (mixture == ORR_WEIGHT_MXFP4_MOE && expert) bits = 4.25;
    else if (tensor == ORR_TENSOR_V)
        bits = value_bits(mixture, i, model->n_layers, kind->n_heads >= 4 * kind->n_kv_heads);
    else if (tensor == ORR_TENSOR_O) bits = out_bits(mixture);
    else if (tensor == ORR_TENSOR_DOWN || tensor == ORR_TENSOR_SHARED_DOWN || tensor == ORR_TENSOR_EXPERT_DOWN)
        bits = down_bits(mixture, i, model->n_layers);
    if (kind->n_experts == 8 && (tensor == ORR_TENSOR_K || tensor == ORR_TENSOR_V)) bits = Q8; /* Mixtral */
    return type_of(mixture, bits, k);
}

struct orr_storage orr_gguf_embedding(enum orr_weight_format mixture, double k)
{
    return type_of(mixture, base_bits(mixture), k);
}

struct orr_storage orr_gguf_head(enum orr_weight_format mixture, double k)
{
    const double bits = base_bits(mixture);
    return type_of(mixture, bits > Q6 ? bits : Q6, k);
}
