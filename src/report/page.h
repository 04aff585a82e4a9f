/* Pages of reports: the explorer with the answer inside, in one file that needs no server and no network. */
#ifndef ORR_REPORT_PAGE_H
#define ORR_REPORT_PAGE_H

#include "base/text.h"
#include "orrery.h"

/* A page holds the report as the terminal prints it, and data that the explorer draws: replies, by the path at which
 * the server would give them, and charts. */
struct orr_page_parts {
    struct orr_text terminal, replies, charts;
};

/* This is the style of the terminal's text on a page. */
extern const struct orr_style orr_page_style;

/* Adds a reply, JSON text, and frees it. The first one is the answer that the page saves. */
void orr_page_reply(struct orr_page_parts *page, const char *path, struct orr_text *json);
/* Adds a reply that is a text. */
void orr_page_words(struct orr_page_parts *page, const char *path, struct orr_text *words);
/* Writes the page and frees its parts. */
void orr_page_finish(struct orr_page_parts *page, const char *title, struct orr_text *text);

/* ---- charts of reports that are no job */

#define ORR_PAGE_PARTS 8
struct orr_page_lane {
    const char *name;
    double values[ORR_PAGE_PARTS]; /* values of the chart's parts, in its unit */
};
/* Adds a chart with a bar per lane, cut into parts. */
void orr_page_lanes(struct orr_page_parts *page, const char *title, const char *unit, const char *const *parts,
                    size_t n_parts, const struct orr_page_lane *lanes, size_t n_lanes);

struct orr_page_point {
    double x, y;
    const char *title; /* text shown when the pointer is over the mark */
};
/* Adds a line through points, in their order. */
void orr_page_curve(struct orr_page_parts *page, const char *title, const char *x_name, const char *y_name,
                    const struct orr_page_point *points, size_t n_points);

#endif
