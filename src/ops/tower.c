/* A tower: patch embedding or convolutions, layers from the emitter of all layers, and mergers (Eq. 124). */
#include "ops/emit.h"

#include "base/number.h"

/* A product outside the layers. Every rank has those before the layers whole. Those after them are divided: the last of
 * a merger by its inputs, whose partial sums are added up, the others by their outputs (an assumption; vLLM divides the
 * mergers of Qwen this way). */
static void emit_product(const struct orr_emit *emit, const struct orr_tower_product *product)
{
    struct orr_emit at = *emit;
    const double t = emit->dims.t, in = (double)product->in, out = (double)product->out;
    at.dims.T = emit->dims.T * orr_tower_rows(product);
    at.count = (double)product->count;
    orr_emit_linear(
        &at, &(struct orr_linear){.names = product->input ? ORR_LINEAR("tower.input") : ORR_LINEAR("tower.merger"),
                                  .m = at.dims.T,
                                  .k = product->last ? in / t : in,
                                  .n = product->input || product->last ? out : out / t,
                                  .bias = product->params > product->in * product->out,
                                  .quantised = true});
    if (product->last) orr_emit_row_output(&at, out);
}

static void emit_products(const struct orr_emit *emit, bool input)
{
    const struct orr_tower *tower = &emit->job->model.tower;
    for (int64_t i = 0; i < tower->n_products; i++)
        if (tower->products[i].input == input) emit_product(emit, &tower->products[i]);
}

double orr_tower_pieces(const struct orr_job *job, double sequences)
{
    const struct orr_media *media = &job->media;
    const double most = orr_serve_step_tokens(job), runs = sequences * (double)media->tower_runs;
    const double tokens = sequences * (double)(media->image_tokens > 0 ? media->image_tokens
                                                                       : media->tower_runs * media->tower_positions);
    if (most <= 0) return 1;
    return orr_max(1, orr_min(orr_ceil(tokens / most), orr_ceil(runs)));
}

void orr_emit_tower(struct orr_emit *emit, double sequences)
{
    const struct orr_tower *tower = &emit->job->model.tower;
    emit->dims = orr_tower_dims(emit->job, sequences);
    emit->encoder = true;
    emit->rms_norm = tower->rms_norm;
    emit->served = NULL; /* its weights have one format, that of its dims */
    emit->layer_kind = ORR_LAYER_TOWER;
    emit->count = 1;
    emit_products(emit, true);
    for (int k = 0; k < 2; k++) {
        emit->count = (double)tower->n_layers[k];
        if (tower->n_layers[k] > 0) orr_emit_layer(emit, &tower->kinds[k]);
    }
    emit->count = 1;
    emit_products(emit, false);
    const struct orr_part_params params = orr_plain_part(emit, orr_rank_tower_edge_params(emit->job));
    if (!emit->lumped) orr_emit_weights(emit, &params);
}
