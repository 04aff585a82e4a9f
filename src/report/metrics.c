/* The metric and symbol lists -> values, printed values and the glossary. */
#include "report/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* ---------------------------------------------------------------- helpers of the value expressions */

static double orr_ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : 0;
}

static double orr_step_tokens(const struct orr_job *job)
{
    return (double)job->workload.global_batch * (double)job->workload.seq;
}

static const char *orr_trust(const struct orr_job *job)
{
    return job->calibration.calibrated ? "calibrated" : "datasheet";
}

static const char *orr_peak_instant(const struct orr_result *result)
{
    const struct orr_memory *memory = &result->memory;
    return memory->peak_instant < memory->n_instants ? memory->instants[memory->peak_instant].name : "";
}

static struct orr_value value_real(enum orr_metric_unit unit, double number)
{
    return (struct orr_value){.unit = unit, .number = number};
}

static struct orr_value value_count(enum orr_metric_unit unit, int64_t count)
{
    return (struct orr_value){.unit = unit, .number = (double)count}; /* exact: parameters stay below 2^53 */
}

static struct orr_value value_flag(enum orr_metric_unit unit, bool flag)
{
    return (struct orr_value){.unit = unit, .number = flag ? 1 : 0};
}

static struct orr_value value_word(enum orr_metric_unit unit, const char *word)
{
    return (struct orr_value){.unit = unit, .word = word ? word : ""};
}

#define VALUE(unit, expression)                                                                                        \
    _Generic((expression), double: value_real, int64_t: value_count, bool: value_flag, const char *: value_word)( \
        ORR_METRIC_UNIT_##unit, expression)

/* ---------------------------------------------------------------- the lists as tables */

const struct orr_metric_info *orr_metric_info(enum orr_metric metric)
{
#define X(name, key, unit, meaning, formula, source, value) {key, meaning, formula, source, ORR_METRIC_UNIT_##unit},
    static const struct orr_metric_info infos[] = {ORR_METRICS(X)};
#undef X
    _Static_assert(sizeof infos / sizeof infos[0] == ORR_N_METRICS, "one row per metric");
    return &infos[metric];
}

const char *orr_metric_unit_name(enum orr_metric_unit unit)
{
#define X(name, text) text,
    static const char *const names[] = {ORR_METRIC_UNITS(X)};
#undef X
    return names[unit];
}

struct orr_value orr_metric_value(const struct orr_view *view, enum orr_metric metric)
{
    const struct orr_job *j = view->job;
    const struct orr_result *r = view->result;
    switch (metric) {
#define X(name, key, unit, meaning, formula, source, value)                                                            \
    case ORR_METRIC_##name: return VALUE(unit, value);
        ORR_METRICS(X)
#undef X
    case ORR_N_METRICS: break;
    }
    return (struct orr_value){.unit = ORR_METRIC_UNIT_WORD, .word = ""};
}

static bool is_name(const char *name, size_t length, const char *candidate)
{
    return strlen(candidate) == length && memcmp(name, candidate, length) == 0;
}

bool orr_symbol_find(const struct orr_view *view, const char *name, size_t length, struct orr_value *value)
{
    const struct orr_view *v = view;
    const struct orr_job *j = view->job;
#define X(symbol, unit, origin, expression)                                                                            \
    if (is_name(name, length, #symbol)) {                                                                              \
        *value = VALUE(unit, expression);                                                                              \
        return true;                                                                                                   \
    }
    ORR_SYMBOLS(X)
#undef X
    for (int i = 0; i < ORR_N_METRICS; i++)
        if (is_name(name, length, orr_metric_info((enum orr_metric)i)->key)) {
            *value = orr_metric_value(view, (enum orr_metric)i);
            return true;
        }
    return false;
}

/* ---------------------------------------------------------------- values as people read them */

/* Four digits; from a thousand on the whole number with separators, so that no exponent appears. */
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

/* ---------------------------------------------------------------- glossary */

static void glossary_metrics(struct orr_text *text)
{
    orr_text_add(text, "| key | unit | meaning | formula | equation |\n|---|---|---|---|---|\n");
    for (int i = 0; i < ORR_N_METRICS; i++) {
        const struct orr_metric_info *info = orr_metric_info((enum orr_metric)i);
        orr_text_add(text, "| `%s` | %s | %s | %s | %s |\n", info->key, orr_metric_unit_name(info->unit), info->meaning,
                     info->formula, info->source);
    }
}

static void glossary_symbols(struct orr_text *text)
{
    orr_text_add(text, "| symbol | unit | where it comes from |\n|---|---|---|\n");
#define X(symbol, unit, origin, expression)                                                                            \
    orr_text_add(text, "| `%s` | %s | %s |\n", #symbol, orr_metric_unit_name(ORR_METRIC_UNIT_##unit), origin);
    ORR_SYMBOLS(X)
#undef X
}

void orr_glossary(struct orr_text *text)
{
    orr_text_add(text, "# Glossary\n\n"
                       "Every number of a training report. Keys are those of the JSON result and of the CSV header; "
                       "equation numbers\nare those of the method reference. Units are SI; `frac` is a ratio from 0 "
                       "to 1. This page is generated from\n`src/report/metrics.h` (`test_report --write-glossary "
                       "docs/glossary.md`); a test compares the two.\n\n");
    glossary_metrics(text);
    orr_text_add(text, "\n## Symbols in the formulas\n\n"
                       "Formulas name metrics and these symbols; `orrery train --explain` shows them with their "
                       "values.\n\n");
    glossary_symbols(text);
}
