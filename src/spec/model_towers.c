/* Parameters of vision and audio towers (Eq. 120), which are counted apart from the text model. Absent keys
 * take the defaults of the Hugging Face library. */
#include "spec/model.h"

#include <string.h>

/* One object of the config ("vision_config"), and the hidden size of the text model. */
struct tower {
    struct orr_config config;
    int64_t text_hidden;
};

static int64_t size(struct tower *tower, const char *spellings, int64_t absent)
{
    return orr_config_count(&tower->config, spellings, 0, ORR_WIDTH_MAX, absent);
}

static bool flag(struct tower *tower, const char *key)
{
    return orr_config_flag(&tower->config, key, false);
}

static int64_t list_size(struct tower *tower, const char *key, int64_t absent)
{
    char path[ORR_PATH];
    const json_t *list = orr_config_list(&tower->config, key, path);
    return list ? (int64_t)json_array_size(list) : absent;
}

/* A linear layer with its bias. */
static int64_t linear(int64_t in, int64_t out)
{
    return in * out + out;
}

/* An encoder layer with biases and two layer norms; its FFN is not gated. */
static int64_t plain_layer(int64_t h, int64_t f)
{
    return 4 * linear(h, h) + linear(h, f) + linear(f, h) + 4 * h;
}

/* A merger has a norm over patches, then two linear layers over m x m joined patches. */
static int64_t merger(int64_t h, int64_t merged, int64_t out, int64_t norm)
{
    return norm + linear(merged * h, merged * h) + linear(merged * h, out);
}

/* SigLIP has patches, learned positions, plain layers and a last norm. */
static int64_t siglip(struct tower *tower, int64_t patch, int64_t n_positions)
{
    const int64_t h = size(tower, "hidden_size|vt_hidden_size", 1152);
    const int64_t f = size(tower, "intermediate_size|vt_intermediate_size", 4304);
    const int64_t layers = size(tower, "num_hidden_layers|vt_num_hidden_layers", 27);
    return linear(3 * patch * patch, h) + n_positions * h + layers * plain_layer(h, f) + 2 * h;
}

static int64_t gemma3(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1152), patch = size(tower, "patch_size", 14);
    const int64_t side = size(tower, "image_size", 896) / (patch > 0 ? patch : 1);
    return siglip(tower, patch, side * side) + h * tower->text_hidden + h;
}

static int64_t kimi(struct tower *tower)
{
    const int64_t h = size(tower, "vt_hidden_size", 1152), patch = size(tower, "patch_size", 14);
    const int64_t positions = size(tower, "init_pos_emb_height", 64) * size(tower, "init_pos_emb_width", 64);
    return siglip(tower, patch, positions) + merger(h, 4, tower->text_hidden, 2 * h);
}

/* The tower of Kimi K3 has heads wider than its rows, RMS norms and no biases; its merger ends in a norm. */
static int64_t kimi_k3(struct tower *tower)
{
    const int64_t h = size(tower, "vt_hidden_size", 1024), f = size(tower, "vt_intermediate_size", 4096);
    const int64_t patch = size(tower, "patch_size", 14), heads = size(tower, "qkv_hidden_size", 1536);
    const int64_t positions = size(tower, "init_pos_emb_height", 64) * size(tower, "init_pos_emb_width", 64);
    const int64_t layer = 4 * h * heads + 2 * h * f + 2 * h, out = tower->text_hidden;
    return 3 * patch * patch * h + positions * h + size(tower, "vt_num_hidden_layers", 27) * layer + h +
           4 * h * (4 * h + out) + out;
}

static int64_t lfm2(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1152), out = tower->text_hidden;
    return siglip(tower, size(tower, "patch_size", 16), size(tower, "num_patches", 256)) + linear(4 * h, out) +
           linear(out, out);
}

static int64_t patches_3d(struct tower *tower, int64_t h, int64_t patch)
{
    return 3 * size(tower, "temporal_patch_size", 2) * patch * patch * h;
}

static int64_t merged_patches(struct tower *tower)
{
    const int64_t m = size(tower, "spatial_merge_size", 2);
    return m * m;
}

static int64_t qwen2(struct tower *tower)
{
    const int64_t h = size(tower, "embed_dim", 1280), layers = size(tower, "depth", 32);
    const int64_t f = h * size(tower, "mlp_ratio", 4);
    return patches_3d(tower, h, size(tower, "patch_size", 14)) + layers * plain_layer(h, f) +
           merger(h, merged_patches(tower), tower->text_hidden, 2 * h);
}

/* Qwen2.5-VL has RMS norms and a gated FFN with biases. */
static int64_t qwen25(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1280), f = size(tower, "intermediate_size", 3420);
    const int64_t layer = 4 * linear(h, h) + 2 * linear(h, f) + linear(f, h) + 2 * h;
    return patches_3d(tower, h, size(tower, "patch_size", 14)) + size(tower, "depth", 32) * layer +
           merger(h, merged_patches(tower), tower->text_hidden, h);
}

/* Deeper layers have further mergers, whose norm is over the merged patches. */
static int64_t qwen3_deep(struct tower *tower, int64_t n_deep)
{
    const int64_t h = size(tower, "hidden_size", 1152), f = size(tower, "intermediate_size", 4304);
    const int64_t merged = merged_patches(tower), out = tower->text_hidden;
    return patches_3d(tower, h, size(tower, "patch_size", 16)) + h + size(tower, "num_position_embeddings", 2304) * h +
           size(tower, "depth", 27) * plain_layer(h, f) + merger(h, merged, out, 2 * h) +
           list_size(tower, "deepstack_visual_indexes", n_deep) * merger(h, merged, out, 2 * merged * h);
}

static int64_t qwen3(struct tower *tower)
{
    return qwen3_deep(tower, 3);
}

static int64_t qwen35(struct tower *tower)
{
    return qwen3_deep(tower, 0);
}

/* GLM-4V has RMS norms, a gated FFN as wide as the text model, and no biases inside layers. A convolution joins m x m
 * patches, and the merger is a gated FFN of the width "intermediate_size". */
static int64_t glm4v(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1536), patch = size(tower, "patch_size", 14);
    const int64_t out = size(tower, "out_hidden_size", 4096),
                  side = size(tower, "image_size", 336) / (patch ? patch : 1);
    const int64_t layer = 4 * h * h + 3 * h * out + 2 * h + (flag(tower, "attention_bias") ? 3 * h : 0);
    return patches_3d(tower, h, patch) + h + side * side * h + size(tower, "depth", 24) * layer + 2 * h +
           linear(merged_patches(tower) * h, out) + out * out + 2 * out +
           3 * out * size(tower, "intermediate_size", 13696);
}

/* Pixtral has no biases, RMS norms and a gated FFN; the projector joins 2 x 2 patches. */
static int64_t pixtral(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1024), f = size(tower, "intermediate_size", 4096);
    const int64_t patch = size(tower, "patch_size", 14), layers = size(tower, "num_hidden_layers", 24);
    return 3 * patch * patch * h + h + layers * (4 * h * h + 3 * h * f + 2 * h) + h + 4 * h * h +
           h * tower->text_hidden + tower->text_hidden * tower->text_hidden;
}

/* Patches are projected to the text model's width, then joined four at a time. */
static int64_t minimax(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1280), f = size(tower, "intermediate_size", 5120);
    const int64_t out = tower->text_hidden, layers = size(tower, "num_hidden_layers", 32);
    return patches_3d(tower, h, size(tower, "patch_size", 14)) + layers * plain_layer(h, f) + 2 * h + linear(h, out) +
           linear(out, out) + linear(4 * out, out) + linear(out, out);
}

static int64_t llama4(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1408), f = size(tower, "intermediate_size", 5632);
    const int64_t patch = size(tower, "patch_size", 14), in = size(tower, "projector_input_dim", 4096);
    const int64_t side = size(tower, "image_size", 336) / (patch > 0 ? patch : 1);
    const int64_t out = size(tower, "projector_output_dim", 4096);
    return 3 * patch * patch * h + h + (side * side + 1) * h + 4 * h +
           size(tower, "num_hidden_layers", 34) * plain_layer(h, f) + f * in + in * out + out * tower->text_hidden;
}

/* Llama 3.2 has two encoders, and positions by tile and aspect ratio, each with a gate. Attention has no biases. */
static int64_t mllama(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1280), f = size(tower, "intermediate_size", 5120);
    const int64_t patch = size(tower, "patch_size", 14), tiles = size(tower, "max_num_tiles", 4);
    const int64_t side = size(tower, "image_size", 560) / (patch > 0 ? patch : 1), positions = side * side + 1;
    const int64_t ratios = list_size(tower, "supported_aspect_ratios", 8) + 1;
    const int64_t layer = 4 * h * h + linear(h, f) + linear(f, h) + 4 * h;
    const int64_t n_global = size(tower, "num_global_layers", 8);
    return 3 * patch * patch * h + h + positions * h + 1 + ratios * tiles * positions * h +
           2 * (ratios * tiles * h + 1) + 4 * h + size(tower, "num_hidden_layers", 32) * layer +
           n_global * (layer + 2) + linear(size(tower, "vision_output_dim", 7680), tower->text_hidden);
}

/* Gemma 4 has no biases, four RMS norms per layer and two over heads, and positions in two directions. */
static int64_t gemma4_vision(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 768), f = size(tower, "intermediate_size", 3072);
    const int64_t patch = size(tower, "patch_size", 16), d = size(tower, "head_dim", 64);
    const int64_t layer = 4 * h * h + 3 * h * f + 4 * h + 2 * d;
    return 3 * patch * patch * h + 2 * size(tower, "position_embedding_size", 10240) * h +
           size(tower, "num_hidden_layers", 16) * layer + h * tower->text_hidden;
}

/* A conformer has two FFNs of four hidden sizes, attention with relative positions, a gated convolution, nine norms. */
static int64_t gemma4_audio(struct tower *tower)
{
    const int64_t h = size(tower, "hidden_size", 1024), heads = size(tower, "num_attention_heads", 8);
    const int64_t out = size(tower, "output_proj_dims", 1536), taps = size(tower, "conv_kernel_size", 5);
    const int64_t layer = 24 * h * h + 9 * h + taps * h + (heads > 0 ? h / heads : 0);
    const int64_t subsampling = 9 * 128 + 128 + 9 * 128 * 32 + 32 + 32 * 32 * h; /* two 3 x 3 convolutions, a matrix */
    return size(tower, "num_hidden_layers", 12) * layer + subsampling + linear(h, out) + out * tower->text_hidden;
}

/* The tower that an object of the config is, by model_type. */
static const struct {
    const char *type, *object;
    int64_t (*params)(struct tower *tower);
} towers[] = {
    {"gemma3", "vision_config", gemma3},         {"kimi_k25", "vision_config", kimi},
    {"lfm2_vl", "vision_config", lfm2},          {"qwen2_vl", "vision_config", qwen2},
    {"qwen2_5_vl", "vision_config", qwen25},     {"qwen3_vl", "vision_config", qwen3},
    {"qwen3_vl_moe", "vision_config", qwen3},    {"qwen3_5", "vision_config", qwen35},
    {"qwen3_5_moe", "vision_config", qwen35},    {"mistral3", "vision_config", pixtral},
    {"llama4", "vision_config", llama4},         {"mllama", "vision_config", mllama},
    {"gemma4", "vision_config", gemma4_vision},  {"gemma4", "audio_config", gemma4_audio},
    {"minimax_m3_vl", "vision_config", minimax}, {"glm4v_moe", "vision_config", glm4v},
    {"glm4v", "vision_config", glm4v},           {"glm46v", "vision_config", glm4v},
    {"kimi_k3", "vision_config", kimi_k3},
};

int64_t orr_tower_params(struct orr_config *config, int64_t hidden)
{
    const json_t *root = config->doc->root;
    const char *type = json_string_value(json_object_get(root, "model_type"));
    int64_t params = 0;
    for (size_t i = 0; type && i < sizeof towers / sizeof towers[0]; i++) {
        const json_t *object = json_object_get(root, towers[i].object);
        if (strcmp(type, towers[i].type) != 0 || !json_is_object(object)) continue;
        struct tower tower = {.config = *config, .text_hidden = hidden};
        tower.config.object = object;
        tower.config.prefix = towers[i].object;
        params += towers[i].params(&tower);
        config->err = tower.config.err;
    }
    return params;
}
