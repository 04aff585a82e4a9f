/* This file makes values of the metric lists from expressions and prints them for people. */
#include "metric/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

const char *orr_metric_unit_name(enum orr_metric_unit unit)
{
#define X(name, text) text,
    static const char *const names[] = {ORR_METRIC_UNITS(X)};
#undef X
    return names[unit];
}

enum orr_column_type orr_unit_type(enum orr_metric_unit unit)
{
    if (unit == ORR_METRIC_UNIT_WORD) return ORR_COLUMN_TEXT;
    if (unit == ORR_METRIC_UNIT_FLAG) return ORR_COLUMN_FLAG;
    return unit == ORR_METRIC_UNIT_COUNT || unit == ORR_METRIC_UNIT_WHOLE_BYTES ? ORR_COLUMN_WHOLE : ORR_COLUMN_REAL;
}

struct orr_value orr_value_real(enum orr_metric_unit unit, double number)
{
    return (struct orr_value){.unit = unit, .number = number};
}

struct orr_value orr_value_count(enum orr_metric_unit unit, int64_t count)
{
    return (struct orr_value){.unit = unit, .number = (double)count}; /* exact, as parameters stay below 2^53 */
}

struct orr_value orr_value_flag(enum orr_metric_unit unit, bool flag)
{
    return (struct orr_value){.unit = unit, .number = flag ? 1 : 0};
}

struct orr_value orr_value_word(enum orr_metric_unit unit, const char *word)
{
    return (struct orr_value){.unit = unit, .word = word ? word : ""};
}

/* Prints four digits and, from a thousand on, the whole number with separators, so that no exponent appears. */
static char *print_plain(char *buffer, size_t size, double number, const char *unit)
{
    char digits[ORR_VALUE_TEXT];
    const bool large = fabs(number) >= 1000 && fabs(number) < 1e15;
    if (large) (void)snprintf(buffer, size, "%s%s", orr_print_count(digits, llround(number)), unit);
    else (void)snprintf(buffer, size, "%.4g%s", number, unit);
    return buffer;
}

char *orr_value_print(char buffer[ORR_VALUE_TEXT], struct orr_value value)
{
    const size_t size = ORR_VALUE_TEXT;
    switch (value.unit) {
    case ORR_METRIC_UNIT_S: return orr_print_s(buffer, value.number);
    case ORR_METRIC_UNIT_BYTES: return orr_print_bytes(buffer, value.number);
    case ORR_METRIC_UNIT_BYTES_PER_S: return orr_print_rate(buffer, value.number);
    case ORR_METRIC_UNIT_FLOP: return orr_print_si(buffer, value.number, "FLOP");
    case ORR_METRIC_UNIT_FLOP_PER_S: return orr_print_si(buffer, value.number, "FLOP/s");
    case ORR_METRIC_UNIT_TFLOP_PER_S: return orr_print_si(buffer, value.number * 1e12, "FLOP/s");
    case ORR_METRIC_UNIT_J: return orr_print_si(buffer, value.number, "J");
    case ORR_METRIC_UNIT_W: return orr_print_si(buffer, value.number, "W");
    case ORR_METRIC_UNIT_COUNT: return orr_print_count(buffer, (int64_t)value.number);
    case ORR_METRIC_UNIT_WHOLE_BYTES: return strcat(orr_print_count(buffer, (int64_t)value.number), " B");
    case ORR_METRIC_UNIT_FRAC:
    case ORR_METRIC_UNIT_NUMBER: return print_plain(buffer, size, value.number, "");
    case ORR_METRIC_UNIT_TOKENS_PER_S: return print_plain(buffer, size, value.number, " tokens/s");
    case ORR_METRIC_UNIT_USD:
        buffer[0] = '$';
        (void)print_plain(buffer + 1, size - 1, value.number, "");
        return buffer;
    case ORR_METRIC_UNIT_FLAG: return strcpy(buffer, value.number != 0 ? "true" : "false");
    case ORR_METRIC_UNIT_WORD: (void)snprintf(buffer, size, "%s", value.word); return buffer;
    case ORR_N_METRIC_UNITS: break;
    }
    return buffer;
}

char *orr_value_tell(char buffer[ORR_VALUE_TEXT], struct orr_value value)
{
    if (value.unit != ORR_METRIC_UNIT_FRAC) return orr_value_print(buffer, value);
    (void)snprintf(buffer, ORR_VALUE_TEXT, "%.1f %%", 100 * value.number);
    return buffer;
}

bool orr_is_name(const char *name, size_t length, const char *candidate)
{
    return strlen(candidate) == length && memcmp(name, candidate, length) == 0;
}

double orr_ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : 0;
}

const char *orr_trust(const struct orr_job *job)
{
    return job->calibration.calibrated ? "calibrated" : "datasheet";
}
