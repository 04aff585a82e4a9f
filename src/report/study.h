/* The reports on studies share these functions. */
#ifndef ORR_REPORT_STUDY_H
#define ORR_REPORT_STUDY_H

#include "base/text.h"
#include "study/reproduce.h"

#define ORR_CELL_TEXT 64

/* Prints a cell with `digits` digits, or "" if it is empty; returns text. */
char *orr_cell_text(const struct orr_cell *cell, int digits, char text[ORR_CELL_TEXT]);
/* Says whether a column holds words. */
bool orr_column_is_text(const struct orr_sheet *sheet, size_t column);

/* Adds one page over several studies; `figures` says that the figures were drawn and lie beside the page. */
void orr_studies_page(const struct orr_study *const *studies, size_t n, bool figures, struct orr_text *text);
/* Adds a page of one study: a chart of its first table, the terminal's text and the JSON. It takes both texts. */
void orr_study_page(const struct orr_study *study, struct orr_text *terminal, struct orr_text *json,
                    struct orr_text *text);

#endif
