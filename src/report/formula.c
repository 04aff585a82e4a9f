/* This file replaces the names in a formula by their values and wraps the text to the width of the terminal. */
#include "report/formula.h"

#include <stdlib.h>
#include <string.h>

#include "report/table.h"

static bool in_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/* Copies a formula with the values of metrics and symbols in place of their names. */
static void substitute(const struct orr_answer *answer, const char *formula, struct orr_text *text)
{
    while (*formula) {
        size_t length = 0;
        while (in_name(formula[length])) length++;
        const bool dotted_end = length > 1 && formula[length - 1] == '.'; /* the dot ends a sentence */
        length -= dotted_end;
        struct orr_value value;
        char buffer[ORR_VALUE_TEXT];
        if (length > 0 && orr_metric_find(answer, formula, length, &value))
            orr_text_add(text, "%s", orr_value_print(buffer, value));
        else orr_text_add(text, "%.*s", length > 0 ? (int)length : 1, formula);
        formula += length > 0 ? length : 1;
    }
}

void orr_add_steps(const struct orr_style *style, const char *name, const char *const *steps, size_t n_steps,
                   const char *source, struct orr_text *text)
{
    struct orr_text line = {0};
    orr_text_add(&line, "%s", name);
    for (size_t i = 0; i < n_steps; i++) orr_text_add(&line, " = %s", steps[i]);
    orr_text_add(&line, "   [%s]", source);
    text->failed |= line.failed;
    if (line.data && orr_columns(line.data) <= orr_style_width(style)) {
        orr_text_add(text, "%s\n", line.data);
    } else {
        orr_text_add(text, "%s\n", name);
        for (size_t i = 0; i < n_steps; i++) {
            line.length = 0;
            orr_text_add(&line, "%s", steps[i]);
            if (i + 1 == n_steps) orr_text_add(&line, "   [%s]", source);
            orr_text_wrap(text, style, "  =", 4, line.data ? line.data : "", " ");
        }
    }
    free(line.data);
}

void orr_add_formula(const struct orr_answer *answer, const struct orr_style *style, int metric, const char *formula,
                     struct orr_text *text)
{
    const struct orr_metric_info *info = orr_metric_info(answer->job->kind, metric);
    struct orr_text values = {0};
    char result[ORR_VALUE_TEXT];
    substitute(answer, formula, &values);
    orr_value_print(result, orr_metric_value(answer, metric));
    const char *const with_values = values.data ? values.data : "";
    const bool same = strcmp(with_values, formula) == 0 || strcmp(with_values, result) == 0;
    const char *const steps[] = {formula, same ? result : with_values, result};
    orr_add_steps(style, info->key, steps, same ? 2 : 3, info->source, text);
    orr_text_drop(text, &values);
}
