/* A model's own multi-token prediction layers as the draft model of speculative decoding. */
#include <stdio.h>
#include <string.h>

#include "spec/job.h"

/* Every prediction layer is stored like the first, which the checkpoint describes. */
static void fill_checkpoint(const struct orr_model *model, struct orr_checkpoint *checkpoint)
{
    *checkpoint = model->checkpoint;
    memset(checkpoint->layers, 0, sizeof checkpoint->layers);
    for (int t = 0; t < ORR_N_TENSORS; t++) checkpoint->layers[0][t][checkpoint->mtp[t]] = (uint16_t)model->n_mtp;
}

/* The layers are like the model's last. Embedding and head are the model's, and so they count no parameters here. */
void orr_model_mtp(const struct orr_model *model, struct orr_model *draft)
{
    memset(draft, 0, sizeof *draft);
    if (model->n_mtp == 0) return;
    (void)snprintf(draft->id, sizeof draft->id, "%s", ORR_DRAFT_MTP);
    (void)snprintf(draft->type, sizeof draft->type, "%s", model->type);
    draft->is_mtp = true;
    draft->hidden = model->hidden;
    draft->vocab = model->vocab;
    draft->max_seq = model->max_seq;
    draft->tied_embeddings = model->tied_embeddings;
    draft->rms_norm = model->rms_norm;
    draft->mtp_params = model->mtp_params;
    draft->n_layers = model->n_mtp;
    draft->n_kinds = 1;
    draft->kinds[0] = model->kinds[model->layer_kind[model->n_layers - 1]];
    fill_checkpoint(model, &draft->checkpoint);
}
