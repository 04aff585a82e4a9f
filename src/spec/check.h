/* Rules of a training plan that have a file of their own (check_plan.c); orr_job_check asks them. */
#ifndef ORR_SPEC_CHECK_H
#define ORR_SPEC_CHECK_H

#include "orrery.h"

enum orr_err orr_check_schedule(const struct orr_plan *plan, struct orr_error *error);
enum orr_err orr_check_secondary(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_optimizer(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_filling(const struct orr_job *job, struct orr_error *error);
enum orr_err orr_check_offload(const struct orr_job *job, struct orr_error *error);

#endif
