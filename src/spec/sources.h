/* Provenance: every value of a part says where it comes from. */
#ifndef ORR_SPEC_SOURCES_H
#define ORR_SPEC_SOURCES_H

#include "spec/json.h"

/* Notes in doc->uncovered the keys of a file, not yet merged with its base, that its own "sources" do not cover, and
 * takes over those of the base (NULL: none). Parts written in place need no sources. False: out of memory. */
bool orr_sources_note(struct orr_doc *doc, struct orr_doc *base);

/* Check "sources" of a part: an object of texts, and every key of the part that is a value (not listed in `unsourced`,
 * NULL-terminated) has an entry of its own, an entry for each of its members ("peak_flops_per_s.bf16"), or falls
 * under "*"; what a file says is covered by the sources of that file alone. Parts written in place in a request and
 * values from its "set" need none. */
enum orr_err orr_sources_check(const struct orr_doc *doc, const char *const *unsourced, struct orr_error *error);

/* Check "aliases" of a part, if it has any: an array of texts. */
enum orr_err orr_aliases_check(const struct orr_doc *doc, struct orr_error *error);

#endif
