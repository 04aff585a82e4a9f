/* Functions on forms that only the library uses, besides those of include/orrery.h. */
#ifndef ORR_SPEC_FORM_H
#define ORR_SPEC_FORM_H

#include "orrery.h"

/* Copies a form, for another thread; NULL when out of memory. */
struct orr_form *orr_form_copy(const struct orr_form *form);

/* Read the form's request of kind "serving". */
enum orr_err orr_form_serving(const struct orr_form *form, struct orr_serving_request *serving,
                              struct orr_error *error);
/* The deployment of a request with the jobs of its pools, which are those of the request (request_deployment.c). */
struct orr_deployment orr_deployment_of(const struct orr_serving_request *serving);
/* Read the form's request of kind "size". */
struct orr_size_request;
enum orr_err orr_form_sizing(const struct orr_form *form, struct orr_size_request *size, struct orr_error *error);

#endif
