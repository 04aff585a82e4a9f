/* These are the formats of an inference job for its reports. */
#ifndef ORR_REPORT_FORMATS_H
#define ORR_REPORT_FORMATS_H

#include <jansson.h>

#include "base/text.h"
#include "orrery.h"

/* Adds a line such as "mxfp4 (experts; the rest 16 bits), multiplied in bf16". */
void orr_formats_line(const struct orr_job *job, struct orr_text *text);
/* Returns the "formats" of an answer: stored, multiplied_in, converted, and bytes by module. */
json_t *orr_formats_json(const struct orr_job *job);

#endif
