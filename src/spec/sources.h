/* Provenance: every value of a part says where it comes from. */
#ifndef ORR_SPEC_SOURCES_H
#define ORR_SPEC_SOURCES_H

#include "spec/json.h"

/* Check "sources" of a part: an object of texts, and every key of the part that is a value (not listed in `unsourced`,
 * NULL-terminated) has an entry of its own, an entry for each of its members ("peak_flops_per_s.bf16"), or falls
 * under "*". Parts written in place in a request and values from its "set" need none. */
enum orr_err orr_sources_check(const struct orr_doc *doc, const char *const *unsourced, struct orr_error *error);

/* Check "aliases" of a part, if it has any: an array of texts. */
enum orr_err orr_aliases_check(const struct orr_doc *doc, struct orr_error *error);

#endif
