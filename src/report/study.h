/* What the reports on studies share. */
#ifndef ORR_REPORT_STUDY_H
#define ORR_REPORT_STUDY_H

#include "study/reproduce.h"

#define ORR_CELL_TEXT 64

/* A cell with so many digits; "" if it is empty. Returns text. */
char *orr_cell_text(const struct orr_cell *cell, int digits, char text[ORR_CELL_TEXT]);
/* Does a column hold words? */
bool orr_column_is_text(const struct orr_sheet *sheet, size_t column);

#endif
