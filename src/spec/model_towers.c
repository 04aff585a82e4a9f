/* Vision towers and encoders (Eqs. 120, 124, 125): sizes of their layers and of the products around them, and how many
 * positions and tokens they make of an image. Parameters follow from these sizes. Absent keys take the defaults of the
 * Hugging Face library. */
#include "spec/model.h"

#include <string.h>

/* One object of the config ("vision_config"), the hidden size of the text model, and the tower to fill. */
struct reading {
    struct orr_config config;
    int64_t text_hidden;
    struct orr_tower *tower;
};

/* Limits far beyond any tower, which keep every product of sizes far from overflow. */
#define WIDTH_MAX (1 << 16)
#define SIDE_MAX  (1 << 13) /* pixels, patches */
#define FEW_MAX   64        /* tiles, patches that are joined, ratios */

static int64_t size(struct reading *r, const char *spellings, int64_t absent)
{
    return orr_config_count(&r->config, spellings, 0, WIDTH_MAX, absent);
}

/* A size that divides others. */
static int64_t divisor(struct reading *r, const char *spellings, int64_t absent)
{
    return orr_config_count(&r->config, spellings, 1, SIDE_MAX, absent);
}

static int64_t few(struct reading *r, const char *spellings, int64_t absent)
{
    return orr_config_count(&r->config, spellings, 1, FEW_MAX, absent);
}

static int64_t list_size(struct reading *r, const char *key, int64_t absent)
{
    char path[ORR_PATH];
    const json_t *list = orr_config_list(&r->config, key, path);
    const int64_t n = list ? (int64_t)json_array_size(list) : absent;
    return n < FEW_MAX ? n : FEW_MAX;
}

/* A key of the root of the config, beside the objects of text and vision. */
static int64_t root_count(struct reading *r, const char *key, int64_t most, int64_t absent)
{
    struct orr_config root = r->config;
    root.object = root.doc->root;
    root.prefix = "";
    const int64_t value = orr_config_count(&root, key, 1, most, absent);
    r->config.err = root.err;
    return value;
}

/* ---------------------------------------------------------------- layers and products */

enum { BIAS = 1, FFN_BIAS = 2, GATED = 4, RMS = 8, ROPE = 16, PLAIN = BIAS | FFN_BIAS };

struct widths {
    int64_t h, ffn, heads, head; /* head 0: the hidden size divided by the heads */
};

/* A layer of attention and FFN with two norms, and its parameters. */
static struct orr_layer_kind layer_of(struct widths w, unsigned form)
{
    const int64_t d = w.head > 0 ? w.head : w.h / w.heads, columns = w.heads * d, h = w.h, f = w.ffn;
    const int64_t up = form & GATED ? 2 : 1, norm = form & RMS ? h : 2 * h;
    return (struct orr_layer_kind){.mixer = ORR_MIXER_ATTENTION,
                                   .n_heads = w.heads,
                                   .n_kv_heads = w.heads,
                                   .head_qk = d,
                                   .head_v = d,
                                   .rope = form & ROPE,
                                   .attention_bias = form & BIAS,
                                   .ffn_bias = form & FFN_BIAS,
                                   .gated = form & GATED,
                                   .ffn_width = f,
                                   .n_norms = 2,
                                   .attention_params = 4 * h * columns + (form & BIAS ? 3 * columns + h : 0),
                                   .ffn_params = (up + 1) * h * f + (form & FFN_BIAS ? up * f + h : 0),
                                   .norm_params = 2 * norm};
}

static void set_layers(struct orr_tower *tower, struct widths w, int64_t n_layers, unsigned form)
{
    tower->hidden = w.h;
    tower->rms_norm = form & RMS;
    tower->kinds[0] = layer_of(w, form);
    tower->n_layers[0] = n_layers;
}

/* A product of `in` x `out` weights and `vectors` further parameters, with a row for every `joined` positions. */
static struct orr_tower_product *add_product(struct orr_tower *tower, int64_t in, int64_t out, int64_t vectors,
                                             int64_t joined)
{
    struct orr_tower_product *product = &tower->products[tower->n_products++];
    *product = (struct orr_tower_product){
        .in = in, .out = out, .params = in * out + vectors, .count = 1, .rows = 1, .joined = joined, .last = true};
    return product;
}

static void add_input(struct orr_tower *tower, int64_t in, int64_t out, int64_t vectors, int64_t rows)
{
    struct orr_tower_product *product = add_product(tower, in, out, vectors, 1);
    product->rows = rows;
    product->input = true;
    product->last = false;
}

/* Patches of p x p pixels and `frames` frames become vectors of the tower. */
static void add_patches(struct orr_tower *tower, int64_t frames, int64_t vectors)
{
    add_input(tower, 3 * frames * tower->patch * tower->patch, tower->hidden, vectors, 1);
}

/* Two products over joined patches, both with biases; `norm` parameters come before them. */
static void add_mergers(struct orr_tower *tower, int64_t joined, int64_t out, int64_t norm, int64_t count)
{
    const int64_t in = joined * tower->hidden;
    if (count == 0) return;
    struct orr_tower_product *first = add_product(tower, in, in, in + norm, joined);
    first->last = false;
    first->count = count;
    add_product(tower, in, out, out, joined)->count = count;
}

static void sum_params(struct orr_tower *tower)
{
    tower->params = tower->other_params;
    for (int k = 0; k < 2; k++)
        tower->params += tower->n_layers[k] *
                         (tower->kinds[k].attention_params + tower->kinds[k].ffn_params + tower->kinds[k].norm_params);
    for (int64_t i = 0; i < tower->n_products; i++)
        tower->params += tower->products[i].count * tower->products[i].params;
}

/* ---------------------------------------------------------------- vision towers */

static struct widths siglip_widths(struct reading *r)
{
    return (struct widths){.h = size(r, "hidden_size|vt_hidden_size", 1152),
                           .ffn = size(r, "intermediate_size|vt_intermediate_size", 4304),
                           .heads = divisor(r, "num_attention_heads|vt_num_attention_heads", 16)};
}

/* SigLIP has patches, learned positions, plain layers and a last norm. */
static void siglip(struct reading *r, int64_t n_positions, unsigned form)
{
    struct orr_tower *tower = r->tower;
    set_layers(tower, siglip_widths(r), size(r, "num_hidden_layers|vt_num_hidden_layers", 27), PLAIN | form);
    add_patches(tower, 1, tower->hidden);
    tower->other_params = n_positions * tower->hidden + 2 * tower->hidden;
}

/* Every image is scaled to one size; its patches are averaged to a fixed number of tokens. */
static void gemma3(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    tower->patch = divisor(r, "patch_size", 14);
    const int64_t side = divisor(r, "image_size", 896) / tower->patch;
    tower->positions = side * side;
    tower->tokens = root_count(r, "mm_tokens_per_image", SIDE_MAX, 256);
    siglip(r, tower->positions, 0);
    const int64_t joined = tower->positions / tower->tokens;
    add_product(tower, tower->hidden, r->text_hidden, tower->hidden, joined > 0 ? joined : 1);
}

static void kimi(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    tower->patch = divisor(r, "patch_size", 14);
    tower->merge = 2;
    tower->round_up = true;
    siglip(r, size(r, "init_pos_emb_height", 64) * size(r, "init_pos_emb_width", 64), ROPE);
    add_mergers(tower, 4, r->text_hidden, 2 * tower->hidden, 1);
}

/* The tower of Kimi K3 has heads wider than its rows, RMS norms and no biases; its merger ends in a norm. */
static void kimi_k3(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t h = size(r, "vt_hidden_size", 1024), heads = divisor(r, "vt_num_attention_heads", 12);
    const int64_t joined = 4, in = joined * h, out = r->text_hidden;
    const struct widths w = {h, size(r, "vt_intermediate_size", 4096), heads,
                             divisor(r, "qkv_hidden_size", 1536) / heads};
    tower->patch = divisor(r, "patch_size", 14);
    tower->merge = 2;
    tower->round_up = true;
    set_layers(tower, w, size(r, "vt_num_hidden_layers", 27), RMS | ROPE);
    add_patches(tower, 1, 0);
    const int64_t positions = size(r, "init_pos_emb_height", 64) * size(r, "init_pos_emb_width", 64);
    tower->other_params = positions * h + h + out;
    add_product(tower, in, in, 0, joined)->last = false;
    add_product(tower, in, out, 0, joined);
}

/* An image larger than a tile of 512 pixels is cut into tiles, and a small copy of the image is added to them. */
static void lfm2(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t out = r->text_hidden, joined = root_count(r, "downsample_factor", FEW_MAX, 2);
    tower->patch = divisor(r, "patch_size", 16);
    tower->tile = root_count(r, "tile_size", SIDE_MAX, 512);
    tower->max_tiles = root_count(r, "max_tiles", FEW_MAX, 10);
    tower->positions = (tower->tile / tower->patch) * (tower->tile / tower->patch);
    tower->tokens = tower->positions / (joined * joined);
    siglip(r, size(r, "num_patches", 256), 0);
    add_product(tower, joined * joined * tower->hidden, out, out, joined * joined)->last = false;
    add_product(tower, out, out, out, joined * joined);
}

static int64_t frames(struct reading *r)
{
    return few(r, "temporal_patch_size", 2);
}

static int64_t read_merge(struct reading *r, int64_t patch)
{
    r->tower->patch = divisor(r, "patch_size", patch);
    r->tower->merge = few(r, "spatial_merge_size", 2);
    return r->tower->merge * r->tower->merge;
}

static void qwen2(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t joined = read_merge(r, 14), h = size(r, "embed_dim", 1280);
    const struct widths w = {h, h * few(r, "mlp_ratio", 4), divisor(r, "num_heads", 16), 0};
    set_layers(tower, w, size(r, "depth", 32), PLAIN | ROPE);
    add_patches(tower, frames(r), 0);
    add_mergers(tower, joined, r->text_hidden, 2 * h, 1);
}

/* Qwen2.5-VL has RMS norms and a gated FFN with biases. All layers but a few attend within windows. */
static void qwen25(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t joined = read_merge(r, 14), h = size(r, "hidden_size", 1280);
    const struct widths w = {h, size(r, "intermediate_size", 3420), divisor(r, "num_heads", 16), 0};
    const int64_t layers = size(r, "depth", 32), listed = list_size(r, "fullatt_block_indexes", 4);
    const int64_t full = listed < layers ? listed : layers, side = size(r, "window_size", 112) / tower->patch;
    set_layers(tower, w, full, PLAIN | GATED | RMS | ROPE);
    tower->kinds[1] = tower->kinds[0];
    tower->kinds[1].window = side * side;
    tower->kinds[1].chunked = true;
    tower->n_layers[1] = layers - full;
    add_patches(tower, frames(r), 0);
    add_mergers(tower, joined, r->text_hidden, h, 1);
}

/* Deeper layers have further mergers, whose norm is over the merged patches. */
static void qwen3_deep(struct reading *r, int64_t n_deep)
{
    struct orr_tower *tower = r->tower;
    const int64_t joined = read_merge(r, 16), h = size(r, "hidden_size", 1152);
    const struct widths w = {h, size(r, "intermediate_size", 4304), divisor(r, "num_heads", 16), 0};
    set_layers(tower, w, size(r, "depth", 27), PLAIN | ROPE);
    add_patches(tower, frames(r), h);
    tower->other_params = size(r, "num_position_embeddings", 2304) * h;
    add_mergers(tower, joined, r->text_hidden, 2 * h, 1);
    add_mergers(tower, joined, r->text_hidden, 2 * joined * h, list_size(r, "deepstack_visual_indexes", n_deep));
}

static void qwen3(struct reading *r)
{
    qwen3_deep(r, 3);
}

static void qwen35(struct reading *r)
{
    qwen3_deep(r, 0);
}

/* GLM-4V has RMS norms, a gated FFN as wide as the text model, and no biases inside layers, except that queries, keys
 * and values may have some. A convolution joins m x m patches, and the merger is a product with a norm and a gated FFN
 * of the width "intermediate_size", whose first two matrices are one product. */
static void glm4v(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t joined = read_merge(r, 14), h = size(r, "hidden_size", 1536);
    const int64_t out = size(r, "out_hidden_size", 4096), f = size(r, "intermediate_size", 13696);
    const int64_t side = size(r, "image_size", 336) / tower->patch;
    const bool bias = orr_config_flag(&r->config, "attention_bias", false);
    const struct widths w = {h, out, divisor(r, "num_heads", 12), 0};
    set_layers(tower, w, size(r, "depth", 24), GATED | RMS | ROPE | (bias ? BIAS : 0));
    if (bias) tower->kinds[0].attention_params -= h;
    add_patches(tower, frames(r), h);
    tower->other_params = side * side * h + 2 * h + 2 * out;
    add_product(tower, joined * h, out, out, joined)->last = false;
    add_product(tower, out, out, 0, joined)->last = false;
    add_product(tower, out, 2 * f, 0, joined)->last = false;
    add_product(tower, f, out, 0, joined);
}

/* Pixtral has no biases, RMS norms and a gated FFN; the projector joins 2 x 2 patches. */
static void pixtral(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t h = size(r, "hidden_size", 1024), out = r->text_hidden;
    const struct widths w = {h, size(r, "intermediate_size", 4096), divisor(r, "num_attention_heads", 16), 0};
    tower->patch = divisor(r, "patch_size", 14);
    tower->merge = 2;
    tower->round_up = tower->row_breaks = true;
    set_layers(tower, w, size(r, "num_hidden_layers", 24), GATED | RMS | ROPE);
    add_patches(tower, 1, 0);
    tower->other_params = h; /* norm before the layers; the projector has one of its own */
    add_product(tower, 4 * h, h, h, 4)->last = false;
    add_product(tower, h, out, 0, 4)->last = false;
    add_product(tower, out, out, 0, 4);
}

/* Patches are projected to the text model's width, then joined four at a time. */
static void minimax(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t h = size(r, "hidden_size", 1280), out = r->text_hidden;
    const struct widths w = {h, size(r, "intermediate_size", 5120), divisor(r, "num_attention_heads", 16), 0};
    tower->patch = divisor(r, "patch_size", 14);
    tower->merge = 2;
    set_layers(tower, w, size(r, "num_hidden_layers", 32), PLAIN | ROPE);
    add_patches(tower, frames(r), 0);
    tower->other_params = 2 * h;
    add_product(tower, h, out, out, 1)->last = false;
    add_product(tower, out, out, out, 1)->last = false;
    add_product(tower, 4 * out, out, out, 4)->last = false;
    add_product(tower, out, out, out, 4);
}

/* An image is cut into tiles, and a small copy of it is added; 2 x 2 patches of a tile become one token. */
static void llama4(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t h = size(r, "hidden_size", 1408), f = size(r, "intermediate_size", 5632);
    const int64_t in = size(r, "projector_input_dim", 4096), out = size(r, "projector_output_dim", 4096);
    tower->patch = divisor(r, "patch_size", 14);
    tower->tile = divisor(r, "image_size", 336);
    tower->max_tiles = 16;
    const int64_t side = tower->tile / tower->patch;
    tower->positions = side * side + 1;
    tower->tokens = side * side / 4;
    set_layers(tower, (struct widths){h, f, divisor(r, "num_attention_heads", 16), 0}, size(r, "num_hidden_layers", 34),
               PLAIN | ROPE);
    add_patches(tower, 1, 0);
    tower->other_params = h + tower->positions * h + 4 * h; /* class, positions, two norms */
    add_product(tower, f, in, 0, 4)->last = false;
    add_product(tower, in, out, 0, 4)->last = false;
    add_product(tower, out, r->text_hidden, 0, 4);
}

/* Llama 3.2 has two encoders, and positions by tile and aspect ratio, each with a gate. Attention has no biases. An
 * image always takes all tiles, whose positions attend to each other; text layers attend to them (cross attention). */
static void mllama(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t h = size(r, "hidden_size", 1280), tiles = few(r, "max_num_tiles", 4);
    const struct widths w = {h, size(r, "intermediate_size", 5120),
                             divisor(r, "attention_heads|num_attention_heads", 16), 0};
    const int64_t ratios = list_size(r, "supported_aspect_ratios", 8) + 1, n_global = size(r, "num_global_layers", 8);
    tower->patch = divisor(r, "patch_size", 14);
    const int64_t side = divisor(r, "image_size", 560) / tower->patch, positions = side * side + 1;
    tower->positions = tiles * positions;
    set_layers(tower, w, size(r, "num_hidden_layers", 32) + n_global, FFN_BIAS);
    add_patches(tower, 1, 0);
    tower->other_params = h + positions * h + 1 + ratios * tiles * positions * h + 2 * (ratios * tiles * h + 1) +
                          4 * h + 2 * n_global; /* each global layer has two gates */
    add_product(tower, size(r, "vision_output_dim", 7680), r->text_hidden, r->text_hidden, 1);
}

/* Gemma 4 has no biases, four RMS norms per layer and two over heads, and positions in two directions. An image is
 * scaled to at most a number of tokens, each of which is the mean of 3 x 3 patches. */
static void gemma4_vision(struct reading *r)
{
    struct orr_tower *tower = r->tower;
    const int64_t h = size(r, "hidden_size", 768), d = divisor(r, "head_dim", 64);
    const struct widths w = {h, size(r, "intermediate_size", 3072), divisor(r, "num_attention_heads", 12), d};
    tower->patch = divisor(r, "patch_size", 16);
    tower->merge = few(r, "pooling_kernel_size", 3);
    tower->most_tokens = divisor(r, "default_output_length", 280);
    set_layers(tower, w, size(r, "num_hidden_layers", 16), GATED | RMS | ROPE);
    tower->kinds[0].qk_norm = true;
    tower->kinds[0].n_norms = 4;
    tower->kinds[0].norm_params = 4 * h;
    tower->kinds[0].attention_params += 2 * d;
    add_patches(tower, 1, 0);
    tower->other_params = 2 * size(r, "position_embedding_size", 10240) * h;
    add_product(tower, h, r->text_hidden, 0, tower->merge * tower->merge);
}

/* ---------------------------------------------------------------- encoders */

/* Positions cover half a minute of sound. Two convolutions over three frames each come before the layers; the second
 * halves the number of frames. Keys have no bias. */
void orr_tower_whisper(struct orr_config *config, int64_t hidden, struct orr_tower *tower)
{
    struct reading r = {.config = *config, .text_hidden = hidden, .tower = tower};
    const int64_t h = hidden, mel = size(&r, "num_mel_bins", 80);
    const struct widths w = {h, size(&r, "encoder_ffn_dim", ORR_REQUIRED), divisor(&r, "encoder_attention_heads", 16),
                             0};
    tower->input = ORR_TOWER_SOUND;
    tower->positions = size(&r, "max_source_positions", 1500);
    set_layers(tower, w, size(&r, "encoder_layers", ORR_REQUIRED), PLAIN);
    tower->kinds[0].attention_params -= tower->kinds[0].n_heads * tower->kinds[0].head_qk;
    add_input(tower, 3 * mel, h, h, 2);
    add_input(tower, 3 * h, h, h, 1);
    tower->other_params = tower->positions * h + 2 * h;
    sum_params(tower);
    config->err = r.config.err;
}

/* The encoder is a stack of layers like those of the decoder, without cross attention. It shares the embedding. */
void orr_tower_t5(struct orr_config *config, const struct orr_shape *shape, struct orr_tower *tower)
{
    struct reading r = {.config = *config, .text_hidden = shape->hidden, .tower = tower};
    const struct widths w = {shape->hidden, shape->ffn, shape->n_heads, shape->head_dim};
    tower->input = ORR_TOWER_TEXT;
    tower->positions = size(&r, "n_positions", 512);
    set_layers(tower, w, size(&r, "num_layers", ORR_REQUIRED), RMS | (shape->gated ? GATED : 0));
    tower->other_params = shape->hidden + size(&r, "relative_attention_num_buckets", 32) * shape->n_heads;
    sum_params(tower);
    config->err = r.config.err;
}

/* ---------------------------------------------------------------- by model_type */

static const struct {
    const char *type;
    void (*read)(struct reading *reading);
} towers[] = {
    {"gemma3", gemma3},        {"kimi_k25", kimi},         {"lfm2_vl", lfm2},       {"qwen2_vl", qwen2},
    {"qwen2_5_vl", qwen25},    {"qwen3_vl", qwen3},        {"qwen3_vl_moe", qwen3}, {"qwen3_5", qwen35},
    {"qwen3_5_moe", qwen35},   {"mistral3", pixtral},      {"llama4", llama4},      {"mllama", mllama},
    {"gemma4", gemma4_vision}, {"minimax_m3_vl", minimax}, {"glm4v", glm4v},        {"glm46v", glm4v},
    {"glm4v_moe", glm4v},      {"kimi_k3", kimi_k3},
};

static struct reading open_object(const struct orr_config *config, const char *key, int64_t hidden,
                                  struct orr_tower *tower)
{
    struct reading r = {.config = *config, .text_hidden = hidden, .tower = tower};
    r.config.object = json_object_get(config->doc->root, key);
    r.config.prefix = key;
    return r;
}

void orr_tower_read(struct orr_config *config, int64_t hidden, struct orr_tower *tower)
{
    const char *type = json_string_value(json_object_get(config->doc->root, "model_type"));
    struct reading r = open_object(config, "vision_config", hidden, tower);
    for (size_t i = 0; type && i < sizeof towers / sizeof towers[0]; i++) {
        if (strcmp(type, towers[i].type) != 0 || !json_is_object(r.config.object)) continue;
        tower->input = ORR_TOWER_IMAGE;
        towers[i].read(&r);
        sum_params(tower);
    }
    config->err = r.config.err;
}

/* A conformer has two FFNs of four hidden sizes, attention with relative positions, a gated convolution, nine norms. */
int64_t orr_audio_params(struct orr_config *config, int64_t hidden)
{
    const char *type = json_string_value(json_object_get(config->doc->root, "model_type"));
    struct reading r = open_object(config, "audio_config", hidden, NULL);
    if (!type || strcmp(type, "gemma4") != 0 || !json_is_object(r.config.object)) return 0;
    const int64_t h = size(&r, "hidden_size", 1024), heads = size(&r, "num_attention_heads", 8);
    const int64_t out = size(&r, "output_proj_dims", 1536), taps = size(&r, "conv_kernel_size", 5);
    const int64_t layer = 24 * h * h + 9 * h + taps * h + (heads > 0 ? h / heads : 0);
    const int64_t subsampling = 9 * 128 + 128 + 9 * 128 * 32 + 32 + 32 * 32 * h; /* two 3 x 3 convolutions, a matrix */
    const int64_t layers = size(&r, "num_hidden_layers", 12);
    config->err = r.config.err;
    return layers * layer + subsampling + h * out + out + out * hidden;
}
