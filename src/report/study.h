/* What the reports on studies share. */
#ifndef ORR_REPORT_STUDY_H
#define ORR_REPORT_STUDY_H

#include "base/text.h"
#include "study/reproduce.h"

#define ORR_CELL_TEXT 64

/* A cell with so many digits; "" if it is empty. Returns text. */
char *orr_cell_text(const struct orr_cell *cell, int digits, char text[ORR_CELL_TEXT]);
/* Does a column hold words? */
bool orr_column_is_text(const struct orr_sheet *sheet, size_t column);

/* One page over several studies; `figures`: they were drawn and lie beside it. */
void orr_studies_page(const struct orr_study *const *studies, size_t n, bool figures, struct orr_text *text);
/* A page of one study: a chart of its first table, the terminal's text and the JSON, which it takes. */
void orr_study_page(const struct orr_study *study, struct orr_text *terminal, struct orr_text *json,
                    struct orr_text *text);

#endif
