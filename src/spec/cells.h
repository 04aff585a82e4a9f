/* One row of named cells, made of options or of a log, and its table. */
#ifndef ORR_SPEC_CELLS_H
#define ORR_SPEC_CELLS_H

#include "base/text.h"

#define ORR_CELL 160
enum { ORR_MAX_CELLS = 48 };

struct orr_cells {
    size_t n;
    char names[ORR_MAX_CELLS][24];
    char values[ORR_MAX_CELLS][ORR_CELL];
};

/* The value of a cell, "" if there is none. */
const char *orr_cells_get(const struct orr_cells *cells, const char *name);
/* Put a value. A cell that has one keeps it unless `over` is set. Returns false if there is no room. */
bool orr_cells_put(struct orr_cells *cells, const char *name, const char *value, bool over);
bool orr_cells_put_number(struct orr_cells *cells, const char *name, double value);
/* Read "tp=8,pp=4" into cells; `what` names the text in errors. */
enum orr_err orr_cells_parse(const char *text, const char *what, struct orr_cells *cells, struct orr_error *error);
/* Add a CSV cell, quoted where it has to be. */
void orr_csv_add(struct orr_text *text, const char *cell, bool last);
/* The table of one row; the caller owns it. NULL: out of memory. */
char *orr_cells_table(const struct orr_cells *cells);

#endif
