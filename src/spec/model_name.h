/* Names of models as people write them: "Qwen/Qwen3-32B-FP8", "llama3.1-8b-instruct". Pure functions over the rules of
 * data/names/models.json; which model a name means is decided in catalogue.c. */
#ifndef ORR_SPEC_MODEL_NAME_H
#define ORR_SPEC_MODEL_NAME_H

#include <jansson.h>

#include "orrery.h"

/* One name taken apart. */
struct orr_model_name {
    char owner[ORR_ID];           /* "" if the name has none; aliases of an owner are replaced */
    char bare[ORR_ID];            /* without the owner */
    char base[ORR_ID];            /* also without the suffix of a weight format */
    char stem[ORR_ID];            /* also without the words that leave the shape as it is, "Instruct" or a date */
    char format[ORR_FORMAT_NAME]; /* what the suffix says the weights are stored in; "" if there is none */
};

/* A name that does not fit a member becomes "" there and matches nothing. `rules`: the parsed rules. `asked`: the name
 * this one will be compared with, NULL: any; one that begins with other letters is not taken apart and matches nothing.
 */
void orr_model_name_read(const json_t *rules, const char *text, const struct orr_model_name *asked,
                         struct orr_model_name *name);

/* How well a name that was asked for fits a known one; 0: not at all. Names that are equal but for case fit best, then
 * those that differ in the format, in words that leave the shape as it is, and in "_" or "." for "-". Among equals the
 * same owner fits better. `exact`: only the first counts. */
int orr_model_name_fits(const struct orr_model_name *asked, const struct orr_model_name *known, bool exact);

/* The published names in the text of a config: "_name_or_path", then the entries of "aliases". */
struct orr_name_scan {
    const char *text, *at;
    bool in_aliases;
};
/* False when there are no more; start with {.text = text}. */
bool orr_name_scan_next(struct orr_name_scan *scan, char name[ORR_ID]);

/* The config says that its shape is one of a table or a laboratory, not of a model that people use. */
bool orr_model_text_is_synthetic(const char *text);

#endif
