/* The two kinds of request. Each has a reader of "plan" and "workload", which orr_job_read and orr_search_read use. */
#ifndef ORR_SPEC_REQUEST_H
#define ORR_SPEC_REQUEST_H

#include "spec/part.h"

/* Parts of a job that must be read from their files. */
enum {
    ORR_STALE_MODEL = 1,
    ORR_STALE_SYSTEM = 2, /* with its chip */
    ORR_STALE_ENGINE = 4,
    ORR_STALE_CALIBRATION = 8, /* only together with the system that names it */
    ORR_STALE_ALL = 15
};

/* Fill the job from a parsed request. Only the parts in *stale are read, and are then removed from *stale; the other
 * parts of the job stay as they are. */
enum orr_err orr_request_read(const struct orr_catalogue *catalogue, struct orr_doc *request, unsigned *stale,
                              struct orr_job *job, struct orr_error *error);

enum { ORR_N_REQUEST_KINDS = ORR_JOB_INFER + 1 };
extern const char *const orr_request_kinds[ORR_N_REQUEST_KINDS];

/* Put plan.* and workload.* of "set" into the request itself; other paths are applied to their part. `set` must live as
 * long as the request. */
enum orr_err orr_request_set(struct orr_doc *request, struct orr_set *set, struct orr_error *error);
/* Fill the search from a parsed request, which is taken apart. */
enum orr_err orr_request_search(const struct orr_catalogue *catalogue, struct orr_doc *request,
                                struct orr_search_request *search, struct orr_error *error);
/* Fill a request of kind "serving" from a parsed one, which is taken apart. */
/* Under load, the traffic and the engine say what a prompt finds in the cache and how it is cut: a job's own word for
 * one prompt would change nothing. */
enum orr_err orr_request_check_prompt(const struct orr_doc *request, const struct orr_job *job,
                                      struct orr_error *error);
enum orr_err orr_request_serving(const struct orr_catalogue *catalogue, struct orr_doc *request,
                                 struct orr_serving_request *serving, struct orr_error *error);
/* Fills what "traffic" leaves open from the file that its key "like" names (traffic_named.c). */
enum orr_err orr_traffic_join(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *traffic,
                              struct orr_error *error);
enum orr_err orr_traffic_from_json(const struct orr_doc *doc, struct orr_traffic *traffic, struct orr_error *error);
/* "deployment" of such a request (request_deployment.c), before the request is taken apart, and what must hold of the
 * whole request. */
enum orr_err orr_deployment_read(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                                 json_t *deployment, struct orr_serving_request *serving, struct orr_error *error);
enum orr_err orr_deployment_check(const struct orr_doc *request, const struct orr_serving_request *serving,
                                  struct orr_error *error);
/* Fill a request of kind "size" from a parsed one. */
struct orr_size_request;
enum orr_err orr_request_size(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                              struct orr_size_request *size, struct orr_error *error);
/* Does the work of orr_request_read for a request whose "set" is already applied. */
enum orr_err orr_request_job(const struct orr_catalogue *catalogue, const struct orr_doc *request, unsigned *stale,
                             struct orr_job *job, struct orr_error *error);

/* Fill job->plan and job->workload of a training job. The parts have been read and are not changed, so that the next
 * request of a form can use them. `gpus` is the request's number, or 0 if it has none. */
enum orr_err orr_request_train(const struct orr_doc *request, int64_t gpus, struct orr_job *job,
                               struct orr_error *error);
/* Fill job->plan, serving, draft, and the workload that shared stages read. */
enum orr_err orr_request_infer(const struct orr_catalogue *catalogue, const struct orr_doc *request, int64_t gpus,
                               struct orr_job *job, struct orr_error *error);

/* "adapter" and "frozen" of the workload (request_adapter.c), and the texts that stand for them. */
enum orr_err orr_adapter_read(const struct orr_doc *request, const json_t *object, const struct orr_model *model,
                              struct orr_workload *workload, struct orr_error *error);
/* Give the first layers kinds of their own whose weights are frozen; 0 layers: none, and those of an earlier call are
 * undone. It fails if there are too many kinds. */
enum orr_err orr_model_freeze(struct orr_model *model, int64_t n_layers, bool no_backward);

/* The keys of "workload" that say what a tower reads, as fields of a struct with a member `media`; "image_size" is read
 * by orr_media_read. */
#define ORR_MEDIA_FIELDS(S)                                                                                            \
    {.key = "images",                                                                                                  \
     .type = ORR_FIELD_INT,                                                                                            \
     .unit = ORR_UNIT_COUNT,                                                                                           \
     .max = ORR_IMAGES_MAX,                                                                                            \
     .offset = offsetof(struct S, media.images),                                                                       \
     .meaning = "images of a sequence"},                                                                               \
        {.key = "audio_s",                                                                                             \
         .type = ORR_FIELD_REAL,                                                                                       \
         .unit = ORR_UNIT_S,                                                                                           \
         .max = ORR_SOUND_MAX,                                                                                         \
         .offset = offsetof(struct S, media.audio_s),                                                                  \
         .meaning = "seconds of sound of a sequence"},                                                                 \
    {                                                                                                                  \
        .key = "encoder_tokens", .type = ORR_FIELD_INT, .unit = ORR_UNIT_COUNT, .max = ORR_CONTEXT_MAX,                \
        .offset = offsetof(struct S, media.encoder_tokens), .meaning = "tokens that the encoder reads"                 \
    }
/* Fill job->media from what was asked and from "image_size". */
enum orr_err orr_media_read(const struct orr_doc *request, const json_t *object, const struct orr_media *asked,
                            struct orr_job *job, struct orr_error *error);

/* Reads a weight format or a cache format by its name; `path` is the path of the name. */
enum orr_err orr_format_read(const struct orr_doc *request, const char *path, const json_t *value, int64_t *format,
                             struct orr_error *error);
enum orr_err orr_cache_read(const struct orr_doc *request, const char *path, const json_t *value, enum orr_dtype *kv,
                            enum orr_kv_format *format, struct orr_error *error);
/* Formats of data sent between GPUs, and their words. */
enum { ORR_N_MOVED = 4 };
extern const char *const orr_moved_words[ORR_N_MOVED];
extern const enum orr_dtype orr_moved_formats[ORR_N_MOVED];

/* Reads the dimensions of a search of this kind and removes them from the request (request_space.c). */
enum orr_err orr_space_read(const struct orr_doc *request, enum orr_job_kind kind, struct orr_space *space,
                            struct orr_error *error);

/* ---------------------------------------------------------------- shared by both (request.c) */

/* One section of a request: its keys, and those that only the other kind of request has there. */
struct orr_section {
    const char *path; /* "plan" */
    const struct orr_field *fields;
    size_t n_fields;
    const char *const *extra;   /* keys read elsewhere, NULL-terminated */
    const char *const *foreign; /* keys of the other kind, NULL-terminated */
    const char *kind, *foreign_kind;
};

/* Every section of a request but its head, as the readers use them; the schema of requests is made of them. */
extern const struct orr_section orr_train_plan_section, orr_train_workload_section;
extern const struct orr_section orr_infer_plan_section, orr_infer_workload_section;
extern const struct orr_section orr_search_section, orr_traffic_section, orr_size_section;

/* Fill `target` from the section; *object is its JSON, NULL if the request has none. */
enum orr_err orr_section_read(const struct orr_doc *request, const struct orr_section *section, const json_t **object,
                              void *target, struct orr_error *error);

/* Fills defaults that do not depend on the kind: ranks that are not given (0), dp or gpus from the other, etp. */
enum orr_err orr_plan_fill(const struct orr_doc *request, int64_t gpus, const struct orr_model *model,
                           struct orr_plan *plan, struct orr_error *error);

static inline int64_t orr_at_least_one(int64_t count)
{
    return count > 0 ? count : 1;
}

/* Reads "recompute": "full", "first:4", "ops:qkv,mlp_act", or a list of operators. */
enum orr_err orr_recompute_read(const struct orr_doc *request, const json_t *value, struct orr_workload *workload,
                                struct orr_error *error);
/* Reads a list of operators: "qkv,mlp_act", or an array. */
enum orr_err orr_recompute_ops_read(const struct orr_doc *request, const json_t *value, struct orr_workload *workload,
                                    struct orr_error *error);
/* Is the value of "recompute" one choice, with layers or operators, and not a list of choices for a search? */
bool orr_recompute_single(const json_t *value);

/* Reads "offload": "optimizer=cpu", or an object of these pairs. */
enum orr_err orr_offload_read(const struct orr_doc *request, json_t *value, struct orr_plan *plan,
                              struct orr_error *error);

/* Read a request of the JSON contract (docs/json.md). Close it even after an error. */
ORR_NODISCARD enum orr_err orr_serving_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                                            struct orr_serving_request *request, struct orr_error *error);
void orr_serving_request_close(struct orr_serving_request *request);

#endif
