/* A value is a number of a report with its unit. Metric lists are made of values, and reports print them for people. */
#ifndef ORR_METRIC_VALUE_H
#define ORR_METRIC_VALUE_H

#include "base/text.h"
#include "spec/names.h"

#define ORR_METRIC_UNITS(X)                                                                                            \
    /*  enum         name in documents */                                                                              \
    X(S, "s")                                                                                                          \
    X(FRAC, "frac")                                                                                                    \
    X(COUNT, "count")                                                                                                  \
    X(NUMBER, "number")                                                                                                \
    X(BYTES, "bytes")                                                                                                  \
    X(WHOLE_BYTES, "bytes")                                                                                            \
    X(BYTES_PER_S, "bytes/s")                                                                                          \
    X(FLOP, "FLOP")                                                                                                    \
    X(FLOP_PER_S, "FLOP/s")                                                                                            \
    X(TFLOP_PER_S, "TFLOP/s")                                                                                          \
    X(TOKENS_PER_S, "tokens/s")                                                                                        \
    X(J, "J")                                                                                                          \
    X(W, "W")                                                                                                          \
    X(USD, "USD")                                                                                                      \
    X(WORD, "text")                                                                                                    \
    X(FLAG, "bool")

#define ORR_X_METRIC_UNIT_(name, ...) ORR_METRIC_UNIT_##name,
enum orr_metric_unit { ORR_METRIC_UNITS(ORR_X_METRIC_UNIT_) ORR_N_METRIC_UNITS };

struct orr_value {
    enum orr_metric_unit unit;
    double number;    /* every unit but WORD */
    const char *word; /* WORD */
};

/* This is what a list says about one of its metrics. */
struct orr_metric_info {
    const char *key, *meaning, *formula, *source;
    enum orr_metric_unit unit;
};

/* This is what a list says about one of the symbols its formulas use. */
struct orr_symbol_info {
    const char *name, *origin;
    enum orr_metric_unit unit;
};

/* An entry is a metric with its value, for JSON and CSV. */
struct orr_entry {
    const struct orr_metric_info *info;
    struct orr_value value;
    bool absent; /* true where the JSON of this result leaves it out */
};

const char *orr_metric_unit_name(enum orr_metric_unit unit);
/* Says how a row of numbers holds a value of this unit. */
enum orr_column_type orr_unit_type(enum orr_metric_unit unit);

struct orr_value orr_value_real(enum orr_metric_unit unit, double number);
struct orr_value orr_value_count(enum orr_metric_unit unit, int64_t count);
struct orr_value orr_value_flag(enum orr_metric_unit unit, bool flag);
struct orr_value orr_value_word(enum orr_metric_unit unit, const char *word);
/* Makes a value from an expression of a list, by its type. */
#define ORR_VALUE(unit, expression)                                                                                    \
    _Generic((expression), double: orr_value_real, int64_t: orr_value_count, bool: orr_value_flag,         \
             const char *: orr_value_word)(ORR_METRIC_UNIT_##unit, expression)

/* Prints a value as people read it ("18.1 s", "45.6 GiB", "0.515"); returns buffer. */
#define ORR_VALUE_TEXT 320
char *orr_value_print(char buffer[ORR_VALUE_TEXT], struct orr_value value);
/* The same for tables that people read, where a fraction is per cent; formulas keep the number they calculate with. */
char *orr_value_tell(char buffer[ORR_VALUE_TEXT], struct orr_value value);

/* Says whether `candidate` is the name of `length` bytes. */
bool orr_is_name(const char *name, size_t length, const char *candidate);
/* Returns 0 where there is nothing to divide by. */
double orr_ratio(double numerator, double denominator);
/* Returns "calibrated" or "datasheet". */
const char *orr_trust(const struct orr_job *job);

#endif
