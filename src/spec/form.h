/* A request asked again and again with other values, for sweeps: parsed once; a part of it (model, system, engine) is
 * read again only after a value it depends on has changed. Reads through the same code as orr_job_read. */
#ifndef ORR_SPEC_FORM_H
#define ORR_SPEC_FORM_H

#include "orrery.h"

struct orr_form;

/* The catalogue and both texts must outlive the form. */
enum orr_err orr_form_open(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                           struct orr_form **form, struct orr_error *error);
void orr_form_close(struct orr_form *form);

/* Put a value, as text, at a path: a key of the request itself ("model"), else ("plan.tp", "chip.tdp_w") a path of its
 * "set", which has the last word. */
enum orr_err orr_form_put(struct orr_form *form, const char *path, const char *value, struct orr_error *error);

/* The complete, checked job of the values as they stand; owned by the form and its caller's to change in plan, workload
 * and serving, until the next call. */
enum orr_err orr_form_read(struct orr_form *form, struct orr_job **job, struct orr_error *error);

/* The request in one line, keys sorted: equal requests have equal texts. malloc'd; NULL: out of memory. */
char *orr_form_text(const struct orr_form *form);

#endif
