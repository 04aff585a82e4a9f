/* Checkpoints by the name of a format: the tensors that a requested format makes narrow. */
#include "spec/format.h"

#include <string.h>

void orr_checkpoint_plain(struct orr_checkpoint *checkpoint)
{
    memset(checkpoint, 0, sizeof *checkpoint);
    checkpoint->format = ORR_WEIGHT_PUBLISHED;
    checkpoint->wide = checkpoint->kv = ORR_N_DTYPES;
    checkpoint->vector_bytes = 2;
    checkpoint->n_storages = 1;
    checkpoint->storages[0] = orr_format_row(ORR_WEIGHT_PUBLISHED)->storage;
}

static bool same(const struct orr_storage *a, const struct orr_storage *b)
{
    return a->format == b->format && !(a->bits < b->bits) && !(a->bits > b->bits) && a->columns == b->columns &&
           a->rows == b->rows && !(a->scale_bits < b->scale_bits) && !(a->scale_bits > b->scale_bits);
}

uint8_t orr_checkpoint_add(struct orr_checkpoint *checkpoint, const struct orr_storage *storage)
{
    for (int64_t i = 0; i < checkpoint->n_storages; i++)
        if (same(&checkpoint->storages[i], storage)) return (uint8_t)i;
    if (checkpoint->n_storages == ORR_MAX_STORAGES) return 0;
    checkpoint->storages[checkpoint->n_storages] = *storage;
    return (uint8_t)checkpoint->n_storages++;
}

bool orr_keeps_wide(unsigned rules, const struct orr_layer_kind *kind, bool has_experts, enum orr_weight_tensor tensor)
{
    if (rules & ORR_KEEP_DENSE && has_experts && orr_tensor_module(tensor) != ORR_MODULE_EXPERTS) return true;
    return rules & ORR_KEEP_LATENT && kind->mla_kv_rank > 0 && tensor != ORR_TENSOR_O &&
           orr_tensor_module(tensor) == ORR_MODULE_ATTENTION;
}

static void fill_layers(const struct orr_model *model, const struct orr_format_row *row, bool has_experts,
                        struct orr_checkpoint *checkpoint)
{
    struct orr_tensor_shape shapes[ORR_MAX_LAYER_KINDS][ORR_N_TENSORS];
    for (int64_t k = 0; k < model->n_kinds; k++) orr_tensor_shapes(model, &model->kinds[k], shapes[k]);
    for (int64_t i = 0; i < model->n_layers; i++) {
        const int64_t k = model->layer_kind[i];
        for (int t = 0; t < ORR_N_TENSORS; t++) {
            const enum orr_weight_tensor tensor = (enum orr_weight_tensor)t;
            uint8_t at = 0;
            if (row->rules & ORR_NARROW_GGUF) {
                const struct orr_storage storage =
                    orr_gguf_tensor(row->storage.format, model, i, tensor, shapes[k][t].k);
                if (shapes[k][t].count > 0) at = orr_checkpoint_add(checkpoint, &storage);
            } else if (!orr_keeps_wide(row->rules, &model->kinds[k], has_experts, tensor)) {
                at = orr_checkpoint_add(checkpoint, &row->storage);
            }
            checkpoint->layers[k][t][at]++;
            if (model->n_mtp > 0) checkpoint->mtp[t] = at; /* in the end, that of the last layer */
        }
    }
}

static void fill_ends(const struct orr_model *model, const struct orr_format_row *row,
                      struct orr_checkpoint *checkpoint)
{
    struct orr_storage embedding = row->storage, head = row->storage;
    if (!(row->rules & ORR_NARROW_ENDS)) return;
    if (row->rules & ORR_NARROW_GGUF) {
        head = orr_gguf_head(row->storage.format, (double)model->hidden);
        embedding = model->tied_embeddings ? head : orr_gguf_embedding(row->storage.format, (double)model->hidden);
        checkpoint->vector_bytes = 4;
    }
    checkpoint->embedding = orr_checkpoint_add(checkpoint, &embedding);
    checkpoint->head = orr_checkpoint_add(checkpoint, &head);
}

/* For a model that is published with 4-bit experts, the name of a 4-bit float format means these experts. */
static bool follows_experts(const struct orr_model *model, enum orr_weight_format format)
{
    return format == ORR_WEIGHT_FP4 && model->checkpoint.format == ORR_WEIGHT_MXFP4;
}

void orr_checkpoint_named(const struct orr_model *model, enum orr_weight_format format,
                          struct orr_checkpoint *checkpoint)
{
    struct orr_format_row row = *orr_format_row(format);
    const bool bias_fp32 = model->checkpoint.router_bias_fp32;
    const enum orr_dtype wide = model->checkpoint.wide;
    bool has_experts = false;
    orr_checkpoint_plain(checkpoint);
    checkpoint->router_bias_fp32 = bias_fp32 && format >= ORR_WEIGHT_PUBLISHED;
    checkpoint->wide = wide;
    checkpoint->format = format;
    checkpoint->named = true;
    for (int64_t k = 0; k < model->n_kinds; k++) has_experts |= model->kinds[k].n_experts > 0;
    if (follows_experts(model, format)) row.rules |= ORR_KEEP_DENSE;
    fill_layers(model, &row, has_experts, checkpoint);
    fill_ends(model, &row, checkpoint);
}
