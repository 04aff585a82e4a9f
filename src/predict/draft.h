/* Speculative decoding: what the drafting model runs after a pass of the model that it drafts for. orr_infer and
 * orr_step_time both take it from here. Eqs. 94, 94a. */
#ifndef ORR_PREDICT_DRAFT_H
#define ORR_PREDICT_DRAFT_H

#include "predict/pass.h"

/* Passes of the drafting model after one pass of the model. */
struct orr_draft_passes {
    double rows;   /* over all rows of the model's pass, prompts included */
    double tokens; /* over one token of every sequence */
};
struct orr_draft_passes orr_draft_passes_of(const struct orr_job *job);

/* The contents of either kind of pass, after a pass of the model with the contents `shape`. A pass without sequences is
 * not run. */
struct orr_serve_shape orr_draft_rows(const struct orr_serve_shape *shape);
struct orr_serve_shape orr_draft_tokens(const struct orr_job *job, const struct orr_serve_shape *shape);

/* Passes of one piece of the batch that a step waits for. A draft model is spread over the stages like the model;
 * prediction layers are on the last stage, where the pieces take turns. */
double orr_draft_turns(const struct orr_job *job, const struct orr_flow *flow);

#endif
