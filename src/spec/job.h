/* Questions about a model and a job that have been read, and the reader of searches. */
#ifndef ORR_SPEC_JOB_H
#define ORR_SPEC_JOB_H

#include "orrery.h"

/* Parameters of one multi-token prediction layer, whether the model is published with one or not: a transformer layer
 * like the last, projection and norms. The layer shares embedding and head with the model. */
int64_t orr_model_params_mtp(const struct orr_model *model);
/* The word that names a model's own prediction layers as its draft model. */
#define ORR_DRAFT_MTP "mtp"
/* Makes a draft model of the prediction layers that a model is published with; n_layers is 0 where it has none. */
void orr_model_mtp(const struct orr_model *model, struct orr_model *draft);
/* Does any layer route tokens to experts? */
bool orr_model_has_experts(const struct orr_model *model);
/* Does a layer of this kind attend to keys of its own sequence? */
bool orr_kind_attends(const struct orr_layer_kind *kind);
/* Does a layer of this kind carry a state from position to position? */
bool orr_kind_compresses(const struct orr_layer_kind *kind); /* attends to a window and to compressed entries */
bool orr_kind_scans(const struct orr_layer_kind *kind);

/* Seconds of sound that a sequence of a sound encoder has: shorter sound is padded, longer sound is cut into several
 * sequences (Whisper). */
#define ORR_SOUND_WINDOW_S 30

/* Fills in what follows from the images, sound or text of a sequence. */
void orr_media_resolve(const struct orr_model *model, struct orr_media *media);

/* Tokens of a prompt: text and images. */
static inline int64_t orr_prompt_len(const struct orr_job *job)
{
    return job->serving.input_len + job->media.image_tokens;
}

/* Positions of the encoder that a layer with cross attention attends to; 0: the layer has none. */
static inline double orr_cross_keys(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return (double)(kind->cross_keys > 0 && job->media.cross_keys > 0 ? job->media.cross_keys : kind->cross_keys);
}

/* "lora:rank=16,targets=all,base=bf16,format=fp32" and "embeddings,layers:12": what a workload trains, as text. */
#define ORR_ADAPTER_TEXT 160
const char *orr_adapter_text(const struct orr_workload *workload, char text[ORR_ADAPTER_TEXT]);
const char *orr_frozen_text(const struct orr_workload *workload, char text[ORR_ADAPTER_TEXT]);

/* Checks the rules that a plan obeys (tp divides the heads, batch divides, ...). Requests that were read have passed
 * them; a job that the caller changed has not. */
enum orr_err orr_job_check(const struct orr_job *job, struct orr_error *error);

/* Gives every kind of layer a twin that is kept, where the job recomputes only some layers, and takes away the twins of
 * an earlier job of the same model. */
void orr_twins_make(struct orr_job *job);
/* What a job recomputes as a request spells it: "full", "ops:qkv,mlp_act"; returns text. */
#define ORR_RECOMPUTE_TEXT 128
char *orr_recompute_text(const struct orr_workload *workload, char text[ORR_RECOMPUTE_TEXT]);

/* What a plan keeps outside the GPU, as a request spells it: "none", "optimizer=cpu,gradients=cpu"; returns text. */
#define ORR_OFFLOAD_TEXT 96
char *orr_offload_text(const struct orr_plan *plan, char text[ORR_OFFLOAD_TEXT]);

/* Reads the request of orr_search_open. orr_search_new checks the keys of its limits. */
enum orr_err orr_search_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                             struct orr_search_request *request, struct orr_error *error);

#endif
