/* Rules that have files of their own: those of a training plan (check_plan.c) and of kernels (check_kernels.c).
 * orr_job_check asks them. */
#ifndef ORR_SPEC_CHECK_H
#define ORR_SPEC_CHECK_H

#include "base/error.h"

/* Returns the error that a job breaks a rule; `at` is the key of the JSON contract. */
#define FAIL(error, at, ...) orr_fail(error, ORR_ERR_RULE, (struct orr_place){.key = (at)}, __VA_ARGS__)

typedef long long ll; /* for printf */

enum orr_err orr_check_schedule(const struct orr_plan *plan, struct orr_error *error);
enum orr_err orr_check_secondary(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_optimizer(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_filling(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_offload(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_kernels(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_serving_kernels(const struct orr_job *job, struct orr_error *error);

#endif
