/* CSV files of the kit. Rows are only appended and flushed one by one, so that a stopped run leaves every finished
 * row. */
#ifndef KIT_CSV_H
#define KIT_CSV_H

#include <stdio.h>

/* Print "kit: " and the message to stderr and exit with 1. */
void kit_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Open DIR/NAME for appending. A new file gets the header; an old one must start with it. Failure ends the program with
 * a message. */
FILE *kit_csv_open(const char *dir, const char *name, const char *header);
/* End a row with the quoted source, a newline and a flush. */
void kit_csv_end(FILE *csv, const char *source);

#endif
