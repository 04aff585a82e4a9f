/* Names of models as people write them: "Qwen/Qwen3-32B-FP8", "llama3.1-8b-instruct". Pure functions over the rules of
 * data/names/models.json; model_find.c decides which model a name means. */
#ifndef ORR_SPEC_MODEL_NAME_H
#define ORR_SPEC_MODEL_NAME_H

#include <jansson.h>

#include "orrery.h"

/* One name taken apart. */
struct orr_model_name {
    char owner[ORR_ID];           /* "" if the name has none; aliases of an owner are replaced */
    char bare[ORR_ID];            /* without the owner */
    char base[ORR_ID];            /* also without the suffix of a weight format */
    char stem[ORR_ID];            /* also without words that do not change the shape, "Instruct" or a date */
    char format[ORR_FORMAT_NAME]; /* weight format that the suffix states; "" if there is none */
};

/* Takes a name apart by the parsed `rules`. A piece that is too long for its member becomes "" and matches nothing. If
 * `asked`, the name to compare with, is given and begins with other letters, `text` is not taken apart and matches
 * nothing; this saves time. */
void orr_model_name_read(const json_t *rules, const char *text, const struct orr_model_name *asked,
                         struct orr_model_name *name);

/* How well a requested name fits a known one; 0: not at all. Names that differ only in case fit best, then names that
 * differ in the format, in words that do not change the shape, and in "_" or "." for "-". Among equals the same owner
 * fits better. With `exact`, only names that differ in nothing but case fit. */
int orr_model_name_fits(const struct orr_model_name *asked, const struct orr_model_name *known, bool exact);

/* The published names in the text of a config: "_name_or_path", then the entries of "aliases". */
struct orr_name_scan {
    const char *text, *at;
    bool in_aliases;
};
/* Reads the next name; false when there are no more. Start with {.text = text}. */
bool orr_name_scan_next(struct orr_name_scan *scan, char name[ORR_ID]);

/* Does the config say that its shape comes from a paper or benchmark, and not from a model that people use? */
bool orr_model_text_is_synthetic(const char *text);

#endif
