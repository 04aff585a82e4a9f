/* From lists and ranges of a varied field to values as text. Numbers of a range are printed with 12 digits, so that
 * rounding in the last bit does not show, and whole numbers are printed whole. */
#include "study/axis.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define VALUES_MAX 1e15 /* most values of one range, so that indexes stay exact */

static enum orr_err fail(const struct orr_vary *vary, struct orr_error *error, const char *piece, const char *what)
{
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "--vary %.80s=%.120s: %.80s%s%s", vary->name,
                    vary->values, piece, *piece ? ": " : "", what);
}

/* ---------------------------------------------------------------- one range */

/* Read a finite number; *unit becomes the text behind it. */
static bool parse_number(const char *text, double *number, const char **unit)
{
    const char *end = orr_number_at(text, number);
    if (end) *unit = end + strspn(end, " ");
    return end;
}

/* Read the "+8" or "x2" behind low and high. Returns NULL, or what is wrong. */
static const char *parse_step(const char *text, struct orr_axis_piece *piece)
{
    const char *unit;
    const bool factor = *text == 'x';
    piece->range = factor ? ORR_RANGE_FACTOR : ORR_RANGE_STEP;
    if (!parse_number(text + 1, &piece->step, &unit)) return "expected a number behind + or x";
    if (*unit && (factor || strcmp(unit, piece->text) != 0)) return "the step has another unit than the ends";
    if (piece->low > piece->high) return "low is above high";
    if (!factor && piece->step <= 0) return "a step must be above 0";
    if (factor && (piece->step <= 1 || piece->low <= 0)) return "a factor must be above 1, and low above 0";
    const double room =
        factor ? log(piece->high / piece->low) / log(piece->step) : (piece->high - piece->low) / piece->step;
    if (!(room < VALUES_MAX)) return "too many values";
    piece->n = (int64_t)floor(room + 1e-9) + 1; /* The last step may miss `high` by rounding. */
    return NULL;
}

static const char *parse_count(const char *text, struct orr_axis_piece *piece)
{
    double n;
    if (!orr_number_parse(text, &n) || n < 2 || n > VALUES_MAX || floor(n) < n)
        return "expected how many values there are (2 or more), +STEP or xFACTOR behind low:high:";
    piece->n = (int64_t)n;
    return NULL;
}

/* Read the two ends and set what all ranges have in common. */
static const char *parse_ends(const char *low, const char *high, struct orr_axis_piece *piece)
{
    const char *low_unit, *high_unit;
    if (!parse_number(low, &piece->low, &low_unit) || !parse_number(high, &piece->high, &high_unit))
        return "expected numbers: low:high:n, low:high:n:log, low:high:+step or low:high:xfactor";
    if (strcmp(low_unit, high_unit) != 0) return "both ends need the same unit";
    if (strlen(high_unit) > 32) return "the unit is too long";
    (void)snprintf(piece->text, sizeof piece->text, "%s", high_unit);
    return NULL;
}

/* Read the fields of a range, which were cut at its colons. Returns NULL, or what is wrong. */
static const char *parse_range(char *fields[4], size_t n, bool sampled, struct orr_axis_piece *piece, bool *continuous)
{
    const char *why = parse_ends(fields[0], fields[1], piece);
    if (why) return why;
    const bool logarithmic = strcmp(fields[n - 1], "log") == 0;
    piece->range = logarithmic ? ORR_RANGE_LOG : ORR_RANGE_LINEAR;
    if (logarithmic && (piece->low <= 0 || piece->high <= 0)) return "a log range needs both ends above 0";
    if (n == 4 && !logarithmic) return "expected log behind low:high:n:";
    *continuous = n == 2 || (n == 3 && logarithmic);
    const bool stepped = n == 3 && (*fields[2] == '+' || *fields[2] == 'x');
    if (!stepped && !(piece->low < piece->high) && !(piece->low > piece->high)) return "both ends are the same";
    if (*continuous) return sampled ? NULL : "how many values? low:high:n (low:high alone is for --sample)";
    if (stepped) return parse_step(fields[2], piece);
    return parse_count(fields[2], piece);
}

/* ---------------------------------------------------------------- the list */

static const char *parse_piece(char *text, bool sampled, struct orr_axis_piece *piece, bool *continuous)
{
    char *fields[4] = {0};
    size_t n = 0;
    *continuous = false;
    if (!*text) return "an empty value";
    if (strlen(text) >= ORR_SWEEP_VALUE) return "the value is too long";
    if (!strchr(text, ':') || strncmp(text, "generated:", 10) == 0) { /* This is the name of a system, not a range. */
        *piece = (struct orr_axis_piece){.range = ORR_RANGE_WORD, .n = 1};
        (void)snprintf(piece->text, sizeof piece->text, "%s", text);
        return NULL;
    }
    for (char *at = text; at; n++) {
        if (n == 4) return "too many colons";
        fields[n] = at;
        at = strchr(at, ':');
        if (at) *at++ = '\0';
    }
    return parse_range(fields, n, sampled, piece, continuous);
}

/* The separator of the values: a semicolon if there is one, so that values may contain commas. */
static char separator(const char *values)
{
    return strchr(values, ';') ? ';' : ',';
}

static enum orr_err parse_pieces(const struct orr_vary *vary, bool sampled, char *list, struct orr_axis *axis,
                                 struct orr_error *error)
{
    const char mark = separator(list);
    for (char *at = list; at; axis->n_pieces++) {
        struct orr_axis_piece *piece = &axis->pieces[axis->n_pieces];
        char shown[96];
        bool continuous;
        char *next = strchr(at, mark);
        if (next) *next++ = '\0';
        (void)snprintf(shown, sizeof shown, "%s", at);
        const char *why = parse_piece(at, sampled, piece, &continuous);
        if (!why && continuous && (next || axis->n_pieces > 0)) why = "low:high cannot be one of several values";
        if (why) return fail(vary, error, next || axis->n_pieces > 0 ? shown : "", why);
        axis->continuous = continuous;
        piece->first = axis->n_values;
        axis->n_values += piece->n;
        at = next;
    }
    return ORR_OK;
}

enum orr_err orr_axis_parse(const struct orr_vary *vary, bool sampled, struct orr_axis *axis, struct orr_error *error)
{
    *axis = (struct orr_axis){.name = vary->name, .paths = vary->paths, .values = vary->values};
    size_t n_most = 1;
    for (const char *c = vary->values; *c; c++) {
        n_most += *c == separator(vary->values);
        if (iscntrl((unsigned char)*c)) return fail(vary, error, "", "a control character");
    }
    char *list = malloc(strlen(vary->values) + 1);
    axis->pieces = calloc(n_most, sizeof *axis->pieces);
    enum orr_err err = ORR_OK;
    if (!list || !axis->pieces) err = orr_out_of_memory(error, NULL);
    if (!err) err = parse_pieces(vary, sampled, strcpy(list, vary->values), axis, error);
    free(list);
    if (err) orr_axis_free(axis);
    return err;
}

void orr_axis_free(struct orr_axis *axis)
{
    free(axis->pieces);
    axis->pieces = NULL;
}

/* ---------------------------------------------------------------- values */

static bool is_whole(double number)
{
    return fabs(number) < 1e15 && floor(number) >= number;
}

static void print_value(char text[ORR_SWEEP_VALUE], double number, const char *unit)
{
    if (is_whole(number)) (void)snprintf(text, ORR_SWEEP_VALUE, "%" PRId64 "%.32s", (int64_t)number, unit);
    else (void)snprintf(text, ORR_SWEEP_VALUE, "%.12g%.32s", number, unit);
}

/* Round to 12 digits: 7.999999999999999 in a log range is 8. */
static double round_12(double number)
{
    char text[32];
    if (is_whole(number)) return number;
    (void)snprintf(text, sizeof text, "%.12g", number);
    return strtod(text, NULL);
}

static double between(const struct orr_axis_piece *piece, double share)
{
    if (piece->range == ORR_RANGE_LOG) return piece->low * pow(piece->high / piece->low, share);
    return piece->low + (piece->high - piece->low) * share;
}

static double number_of(const struct orr_axis_piece *piece, int64_t i)
{
    switch (piece->range) {
    case ORR_RANGE_STEP: return round_12(piece->low + (double)i * piece->step);
    case ORR_RANGE_FACTOR: return round_12(piece->low * pow(piece->step, (double)i));
    case ORR_RANGE_LINEAR:
    case ORR_RANGE_LOG:
        if (i == 0) return piece->low;
        return i == piece->n - 1 ? piece->high : round_12(between(piece, (double)i / (double)(piece->n - 1)));
    case ORR_RANGE_WORD: break;
    }
    return 0;
}

void orr_axis_value(const struct orr_axis *axis, int64_t i, char text[ORR_SWEEP_VALUE])
{
    size_t low = 0, high = axis->n_pieces - 1;
    while (low < high) { /* Find the last piece that begins at or before i. */
        const size_t middle = (low + high + 1) / 2;
        if (axis->pieces[middle].first <= i) low = middle;
        else high = middle - 1;
    }
    const struct orr_axis_piece *piece = &axis->pieces[low];
    if (piece->range == ORR_RANGE_WORD) memcpy(text, piece->text, ORR_SWEEP_VALUE);
    else print_value(text, number_of(piece, i - piece->first), piece->text);
}

void orr_axis_at(const struct orr_axis *axis, double u, char text[ORR_SWEEP_VALUE])
{
    if (axis->continuous) {
        print_value(text, round_12(between(&axis->pieces[0], u)), axis->pieces[0].text);
        return;
    }
    const int64_t i = (int64_t)(u * (double)axis->n_values);
    orr_axis_value(axis, i < axis->n_values ? i : axis->n_values - 1, text);
}
