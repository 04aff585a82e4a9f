/* Quantities where they enter and leave the program: "3.35 TB/s" becomes 3.35e12, and numbers become readable text.
 * This is the only parser and the only printer of units. */
#ifndef ORR_BASE_UNITS_H
#define ORR_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum orr_unit {
    ORR_UNIT_NONE,  /* a plain number or ratio; "5 %" is 0.05 */
    ORR_UNIT_COUNT, /* an integer; 4k and 1M are powers of 1000, 4Ki and 1Mi powers of 1024 */
    ORR_UNIT_S,
    ORR_UNIT_BYTES,
    ORR_UNIT_BYTES_PER_S, /* Gb/s and Gbps are bits; GB/s and GBps bytes */
    ORR_UNIT_FLOPS_PER_S, /* TFLOP/s, TFLOPS, TF */
    ORR_UNIT_HZ,
    ORR_UNIT_W,
    ORR_UNIT_J,
    ORR_UNIT_J_PER_BYTE, /* pJ/B, pJ/bit */
    ORR_UNIT_USD,
    ORR_UNIT_USD_PER_HOUR
};

/* Parse `text`: a finite number, then optionally a unit of this kind with an SI or binary prefix. */
bool orr_quantity_parse(const char *text, enum orr_unit unit, double *value);
/* Read a finite decimal number at the start of `text` and return the text behind it; NULL if there is none. */
const char *orr_number_at(const char *text, double *value);
/* Read a text that is one finite decimal number, perhaps between spaces. */
bool orr_number_parse(const char *text, double *value);
/* How a value of this unit may be written, for error messages: "bytes per second, e.g. \"3.35 TB/s\"". */
const char *orr_unit_hint(enum orr_unit unit);

#define ORR_GIB 1073741824.0 /* bytes */

/* Each prints into buffer (at least 32 bytes) with 3-4 significant digits and returns buffer. */
char *orr_print_s(char *buffer, double seconds);                  /* "18.2 s", "7.70 ms" */
char *orr_print_bytes(char *buffer, double bytes);                /* "45.6 GiB" */
char *orr_print_rate(char *buffer, double bytes_per_s);           /* "2039 GB/s" */
char *orr_print_si(char *buffer, double value, const char *unit); /* "312 TFLOP/s", "13.2 MJ" */
char *orr_print_count(char *buffer, int64_t count);               /* "174,615,846,912" */

#endif
