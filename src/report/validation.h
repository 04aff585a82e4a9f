/* The reports of a validation share groups of scores, their order, and the coverage of the intervals. */
#ifndef ORR_REPORT_VALIDATION_H
#define ORR_REPORT_VALIDATION_H

#include "base/text.h"
#include "validate/intervals.h"
#include "validate/unseen_stats.h"

#include <jansson.h>

typedef const char *(*orr_member)(const struct orr_score *);

/* A grouping is a table every report shows: the scores grouped by a member. */
struct orr_grouping {
    const char *title;
    orr_member member;
};

/* Lists the groupings in the order of the reports: source, system, metric, class, and the one asked for. */
#define ORR_FIXED_GROUPINGS 4 /* source, system, metric, class; the columns asked for follow */
#define ORR_MAX_GROUPINGS   (ORR_FIXED_GROUPINGS + ORR_MAX_BY)
size_t orr_validation_groupings(const struct orr_validation *v, struct orr_grouping groupings[ORR_MAX_GROUPINGS]);

/* Returns the malloc'd distinct values of a member among the scored rows, numbers in ascending order, others in order
 * of appearance; NULL where memory runs out. */
const char **orr_validation_values(const struct orr_validation *v, orr_member member, size_t *n);

/* Returns the scored rows, largest |error| first, malloc'd; NULL where memory runs out. */
const struct orr_score **orr_validation_worst(const struct orr_validation *v, size_t *n);

/* These are the shares of timed scores inside the intervals of this version, and inside those made from all other
 * sources; NAN where there are none. */
struct orr_coverage_fracs {
    double inside, left_out;
};
struct orr_coverage_fracs orr_validation_coverage(const struct orr_validation *v);

/* Returns rows, errors, bias and coverage as an object. */
json_t *orr_stats_json(const struct orr_error_stats *s);

/* Reports of a validation that predicted every source as if nobody had seen it (validation_unseen.c). */
void orr_validation_unseen_terminal(const struct orr_validation *validation, struct orr_text *text,
                                    const struct orr_style *style);
json_t *orr_validation_unseen_json(const struct orr_validation *validation);

/* What intervals would hold at other mean widths: of all scores, or of those whose engine measured runs cover. */
typedef struct orr_held (*orr_held_at_width)(const struct orr_validation *, double width_ln);
void orr_add_held_at(struct orr_text *line, const struct orr_validation *validation, orr_held_at_width held_at);
json_t *orr_held_at_json(const struct orr_validation *validation, orr_held_at_width held_at);

/* Write the C tables that predictions look up: the 80 % intervals that the measurements give, and the measured runs
 * that answers are compared with. */
void orr_validation_table(const struct orr_validation *validation, struct orr_text *text);
void orr_validation_runs(const struct orr_validation *validation, struct orr_text *text);

/* Writes one HTML page: predicted over measured, row by row, and the tables. */
void orr_validation_page(const struct orr_validation *validation, struct orr_text *text);

const char *orr_class_of(const struct orr_score *score);
const char *orr_source_of(const struct orr_score *score);

#endif
