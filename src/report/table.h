/* This header makes tables, bars and wrapped text for terminals. Widths are columns of the screen, not bytes; no line
 * ends in spaces. */
#ifndef ORR_REPORT_TABLE_H
#define ORR_REPORT_TABLE_H

#include "base/text.h"
#include "orrery.h"

#define ORR_TABLE_COLUMNS 17
#define ORR_MIN_WIDTH     60
#define ORR_DEFAULT_WIDTH 80

enum orr_paint { ORR_PAINT_NONE, ORR_PAINT_BOLD, ORR_PAINT_DIM, ORR_PAINT_GOOD, ORR_PAINT_BAD, ORR_PAINT_BAR };

/* Returns the columns a text takes on the screen: ANSI colours take none, every character one. */
int orr_columns(const char *text);
/* Returns the columns to use: style->width with its default and minimum; style may be NULL. */
int orr_style_width(const struct orr_style *style);
/* Adds `body` in a colour if the style has colours. */
void orr_paint(struct orr_text *text, const struct orr_style *style, enum orr_paint paint, const char *body);
/* Adds a line in bold. */
void orr_text_title(struct orr_text *text, const struct orr_style *style, const char *title);
/* Adds an empty line and a title. */
void orr_text_section(struct orr_text *text, const struct orr_style *style, const char *title);

/* Prints a share in percent, "12.3" for 0.123, and nothing for NAN; returns the buffer. */
#define ORR_PERCENT_TEXT 16
char *orr_percent(char buffer[ORR_PERCENT_TEXT], double frac);

/* Adds `label`, padded to `indent` columns, then `body`. Lines break at `separator` and go on at column `indent`. A
 * broken line keeps what stands before the first space of the separator: "," of ", ", nothing of " · ". A piece longer
 * than a line is cut into lines. */
void orr_text_wrap(struct orr_text *text, const struct orr_style *style, const char *label, int indent,
                   const char *body, const char *separator);

/* Wraps a line that was collected, and frees it. */
void orr_text_wrap_line(struct orr_text *text, const struct orr_style *style, const char *label, int indent,
                        struct orr_text *line, const char *separator);

/* Adds whole lines and breaks those that are too long at spaces. A broken line goes on below the second column of a
 * line with a label and a text, or else below its own beginning. */
void orr_text_fit(struct orr_text *text, const struct orr_style *style, const char *lines);

/* A table collects rows and prints them once the widths are known. */
struct orr_table {
    /* One letter per column: l left, r right, f left and cut to fit the line, b bar (cell: 0..1, one column at
     * most). */
    const char *align;
    const char *drop; /* one digit per column, or NULL; a line too long drops the highest above 0 first */
    enum orr_paint column_paint[ORR_TABLE_COLUMNS];
    struct orr_row *rows; /* owned */
    size_t n_rows, capacity;
    bool failed; /* an allocation failed */
};

void orr_table_start(struct orr_table *table, const char *align);
/* Copies one cell per column. A row with a paint is painted as a whole. */
void orr_table_row(struct orr_table *table, enum orr_paint paint, const char *const *cells);
#define ORR_ROW(table, paint, ...) orr_table_row(table, paint, (const char *const[]){__VA_ARGS__})
/* Prints the table with two columns of indent, and frees the rows. */
void orr_table_print(struct orr_table *table, struct orr_text *text, const struct orr_style *style);

/* Rounds values to multiples of `unit` so that the printed parts add up to the printed sum (largest remainder). */
void orr_apportion(const double *values, size_t n_values, double unit, double *rounded);

#endif
