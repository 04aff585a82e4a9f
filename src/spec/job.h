/* Questions about a model and a job that were read, and the reader of searches. */
#ifndef ORR_SPEC_JOB_H
#define ORR_SPEC_JOB_H

#include "orrery.h"

/* One multi-token prediction layer, whether the model is published with one or not: a transformer layer like the last,
 * projection and norms. It shares embedding and head with the model. */
int64_t orr_model_params_mtp(const struct orr_model *model);
/* Does any layer route tokens to experts? */
bool orr_model_has_experts(const struct orr_model *model);

/* The rules a plan obeys (tp divides the heads, batch divides, ...). Requests that were read have passed them; a job
 * that was changed by hand has not. */
enum orr_err orr_job_check(const struct orr_job *job, struct orr_error *error);

/* The request of orr_search_open; the keys of its limits are checked by orr_search_new. */
enum orr_err orr_search_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                             struct orr_search_request *request, struct orr_error *error);

#endif
