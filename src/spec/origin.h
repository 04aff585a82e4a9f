/* Where the values of a part come from: for every key the file of the base chain that states it, and its source. */
#ifndef ORR_SPEC_ORIGIN_H
#define ORR_SPEC_ORIGIN_H

#include "spec/part.h"

/* Notes the keys that the document of one file states: origins[key] = {"file": id, "source": text}. */
void orr_origins_note(json_t *origins, const json_t *root, const char *id);

/* The keys of a kind of part with their meanings; NULL for parts that have no such table. */
const struct orr_field *orr_part_fields(enum orr_part part, size_t *n);

/* Opens a part with its bases merged, as orr_part_open does, and notes its origins in part->origins. */
enum orr_err orr_part_trace(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                            struct orr_part_doc *part, struct orr_error *error);

#endif
