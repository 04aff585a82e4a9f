/* This file says which passes the drafting model runs after a pass of the model. Eqs. 94, 94a. */
#include "predict/draft.h"

#include "base/number.h"

/* Eq. 94a. A draft model runs once for every drafted token. Prediction layers read the hidden states of the model, so
 * the layer of the first drafted token runs over all rows of the model's pass, which also fills its cache; so does each
 * further layer, as far as there is one for a drafted token. The last layer drafts the remaining tokens from its own
 * hidden states, one token of every sequence at a time. */
struct orr_draft_passes orr_draft_passes_of(const struct orr_job *job)
{
    const double drafts = (double)job->serving.draft_tokens, layers = (double)job->draft.n_layers;
    const double rows = job->draft.is_mtp ? orr_min(layers, drafts) : 0;
    return (struct orr_draft_passes){.rows = rows, .tokens = drafts - rows};
}

/* Rejected tokens are rows too, because engines keep the number of rows of a sequence the same in every step. */
struct orr_serve_shape orr_draft_rows(const struct orr_serve_shape *shape)
{
    struct orr_serve_shape rows = *shape;
    rows.last_query_head = true;
    return rows;
}

/* Prediction layers draft after a prompt too. The prompt of a draft model is not predicted. */
struct orr_serve_shape orr_draft_tokens(const struct orr_job *job, const struct orr_serve_shape *shape)
{
    const double prompts = job->draft.is_mtp && !shape->no_head ? shape->prefill_sequences : 0;
    const double sequences = prompts + shape->decode_sequences;
    double contexts = shape->decode_sequences * shape->decode_context;
    if (prompts > 0) contexts += prompts * shape->prefill_context + shape->prefill_tokens;
    return (struct orr_serve_shape){
        .decode_sequences = sequences, .decode_context = sequences > 0 ? contexts / sequences : 0, .queries = 1};
}

double orr_draft_turns(const struct orr_job *job, const struct orr_flow *flow)
{
    return job->draft.is_mtp ? flow->pieces : flow->own + flow->waited;
}
