/* JSON -> validated plain structs: the readers that orr_job_read uses, one per kind of part. */
#ifndef ORR_SPEC_SPEC_H
#define ORR_SPEC_SPEC_H

#include "orrery.h"
#include "spec/json.h"

/* Hugging Face config.json -> orr_model (src/spec/model*.c). Unknown keys are ignored: a config.json carries many
 * that do not matter here; an unknown model_type or a missing key that does matter is an error that names it. */
enum orr_err orr_model_from_json(const struct orr_doc *doc, const char *id, struct orr_model *model,
                                 struct orr_error *error);

enum orr_err orr_chip_from_json(const struct orr_doc *doc, const char *id, struct orr_chip *chip,
                                char calibration_id[ORR_ID], struct orr_error *error);
/* The JSON of a chip, with the id of its calibration; NULL when out of memory. */
json_t *orr_chip_to_json(const struct orr_chip *chip, const char *calibration);
/* The format of 16-bit products on a chip. */
enum orr_dtype orr_chip_16bit(const struct orr_chip *chip);
enum orr_err orr_system_from_json(const struct orr_doc *doc, const char *id, struct orr_system *system,
                                  char chip_id[ORR_ID], struct orr_error *error);
/* The JSON of a system. The function takes ownership of `chip`, the JSON of the system's chip. */
json_t *orr_system_to_json(const struct orr_system *system, json_t *chip);
enum orr_err orr_fabric_from_json(const struct orr_doc *doc, const char *id, struct orr_fabric *fabric,
                                  struct orr_error *error);
json_t *orr_fabric_to_json(const struct orr_fabric *fabric);
enum orr_err orr_engine_from_json(const struct orr_doc *doc, const char *id, struct orr_engine *engine,
                                  struct orr_error *error);
/* Read the list "limits" of an engine file. */
enum orr_err orr_engine_limits_read(const struct orr_doc *doc, struct orr_engine *engine, struct orr_error *error);
/* Read some of the runs that a fitted engine has in its file (fit_runs.c). */
enum orr_err orr_fit_runs_read(const struct orr_doc *doc, struct orr_engine *engine, struct orr_error *error);
/* Give the engine what the run switched on or off. */
void orr_run_options_apply(const enum orr_switch options[ORR_N_RUN_OPTIONS], struct orr_engine *engine);
/* Does a run differ from its engine's defaults, so that the engine in the job is no longer that of its file? */
bool orr_run_options_act(const enum orr_switch options[ORR_N_RUN_OPTIONS]);
/* Take the limits that the engine has on this chip. */
void orr_engine_fit_chip(struct orr_engine *engine, const struct orr_chip *chip);
/* Let the longest context of a model limit the tokens of a step, where the engine does so (least_step_tokens). */
void orr_engine_fit_model(struct orr_engine *engine, const struct orr_model *model);
/* The tables of keys of chips, systems and engines, with their meanings. */
const struct orr_field *orr_chip_fields(size_t *n);
const struct orr_field *orr_system_fields(size_t *n);
const struct orr_field *orr_engine_fields(size_t *n);
/* Shapes of experts with tiles of their own on the chip. */
enum orr_err orr_tuned_read(const struct orr_doc *doc, const char *chip_id, struct orr_calibration *calibration,
                            struct orr_error *error);
enum orr_err orr_calibration_from_json(const struct orr_doc *doc, const char *id, const char *chip_id,
                                       struct orr_calibration *calibration, struct orr_error *error);
/* Puts the constants of `now` that differ from `before` into `root`, the JSON of the file from which `before` was
 * read. */
void orr_calibration_store(json_t *root, const struct orr_calibration *now, const struct orr_calibration *before);

/* Values that an inference job derives from its request, and a search for every plan: formats that follow from that of
 * the weights, the load of the hottest of ep expert ranks relative to the mean, and the workload that the stages shared
 * with training read. */
void orr_serving_formats(const struct orr_job *job, enum orr_weight_format format, struct orr_serving *serving);
/* Sets the format of the products of narrow weights to a requested one. */
void orr_serving_multiply_in(enum orr_dtype matrix, struct orr_serving *serving);
/* A cache as one number, for choices of a search: a dtype, or a cache format numbered after all dtypes. */
static inline int64_t orr_cache_choice(enum orr_dtype kv, enum orr_kv_format format)
{
    return format == ORR_KV_PLAIN ? (int64_t)kv : ORR_N_DTYPES + (int64_t)format;
}
static inline int64_t orr_serving_cache_choice(const struct orr_serving *serving)
{
    return orr_cache_choice(serving->kv, serving->kv_format);
}
void orr_serving_cache(int64_t choice, struct orr_serving *serving);
/* Bytes of the checkpoint by module, tensor by tensor, including scales and zeros (Eq. 41b). PUBLISHED: its own
 * formats. */
void orr_model_bytes(const struct orr_model *model, enum orr_weight_format format, double module_bytes[ORR_N_MODULES]);
/* The format that a name means, in any case of letters; ORR_N_WEIGHT_FORMATS if there is none. */
enum orr_weight_format orr_weight_format_find(const char *name);
const char *orr_weight_format_name(enum orr_weight_format format);
const char *orr_module_name(enum orr_module module);
/* Name of a cache, and of the format that a job's weights are in. */
const char *orr_cache_name(enum orr_dtype kv, enum orr_kv_format format);
const char *orr_serving_format_name(const struct orr_job *job);
/* Experts of the layer that has the most; 1 if no layer has experts. */
int64_t orr_most_experts(const struct orr_model *model);
double orr_default_imbalance(const struct orr_job *job, int64_t ep);
void orr_serving_workload(struct orr_job *job);

#endif
