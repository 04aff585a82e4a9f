/* Quantities where they enter and leave the program: text with units becomes SI doubles, and SI doubles readable
 * text. */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

enum { PRINT = 32, NUMBER_MAX = 64 };

/* ---------------------------------------------------------------- parsing */

enum prefixes {
    BARE = 0,
    SMALL = 1, /* m u n p f */
    LARGE = 2, /* k M G T P E Z */
    BINARY = 4 /* Ki Mi Gi Ti Pi Ei */
};

struct symbol {
    const char *text;
    enum orr_unit unit;
    double factor;
    unsigned prefixes; /* sum of enum prefixes */
};

static const struct symbol SYMBOLS[] = {
    /* symbol     unit                  SI value        prefixes */
    {"%", ORR_UNIT_NONE, 0.01, BARE},
    {"", ORR_UNIT_COUNT, 1, LARGE | BINARY},
    {"s", ORR_UNIT_S, 1, SMALL},
    {"min", ORR_UNIT_S, 60, BARE},
    {"h", ORR_UNIT_S, 3600, BARE},
    {"B", ORR_UNIT_BYTES, 1, LARGE | BINARY},
    {"byte", ORR_UNIT_BYTES, 1, LARGE | BINARY},
    {"bytes", ORR_UNIT_BYTES, 1, LARGE | BINARY},
    {"b", ORR_UNIT_BYTES, 0.125, LARGE | BINARY},
    {"bit", ORR_UNIT_BYTES, 0.125, LARGE | BINARY},
    {"B/s", ORR_UNIT_BYTES_PER_S, 1, LARGE | BINARY},
    {"Bps", ORR_UNIT_BYTES_PER_S, 1, LARGE | BINARY},
    {"byte/s", ORR_UNIT_BYTES_PER_S, 1, LARGE | BINARY},
    {"b/s", ORR_UNIT_BYTES_PER_S, 0.125, LARGE | BINARY},
    {"bps", ORR_UNIT_BYTES_PER_S, 0.125, LARGE | BINARY},
    {"bit/s", ORR_UNIT_BYTES_PER_S, 0.125, LARGE | BINARY},
    {"FLOP/s", ORR_UNIT_FLOPS_PER_S, 1, LARGE},
    {"FLOPS", ORR_UNIT_FLOPS_PER_S, 1, LARGE},
    {"FLOPs", ORR_UNIT_FLOPS_PER_S, 1, LARGE},
    {"F", ORR_UNIT_FLOPS_PER_S, 1, LARGE},
    {"OP/s", ORR_UNIT_FLOPS_PER_S, 1, LARGE},
    {"OPS", ORR_UNIT_FLOPS_PER_S, 1, LARGE},
    {"Hz", ORR_UNIT_HZ, 1, LARGE},
    {"W", ORR_UNIT_W, 1, SMALL | LARGE},
    {"J", ORR_UNIT_J, 1, SMALL | LARGE},
    {"J/FLOP", ORR_UNIT_J, 1, SMALL},
    {"Wh", ORR_UNIT_J, 3600, LARGE},
    {"J/B", ORR_UNIT_J_PER_BYTE, 1, SMALL},
    {"J/byte", ORR_UNIT_J_PER_BYTE, 1, SMALL},
    {"J/b", ORR_UNIT_J_PER_BYTE, 8, SMALL},
    {"J/bit", ORR_UNIT_J_PER_BYTE, 8, SMALL},
    {"$", ORR_UNIT_USD, 1, BARE},
    {"USD", ORR_UNIT_USD, 1, LARGE},
    {"$/h", ORR_UNIT_USD_PER_HOUR, 1, BARE},
    {"USD/h", ORR_UNIT_USD_PER_HOUR, 1, BARE},
    {"USD/hour", ORR_UNIT_USD_PER_HOUR, 1, BARE},
};

struct prefix {
    const char *text;
    double factor;
    enum prefixes kind;
};

static const struct prefix PREFIXES[] = {
    {"", 1, BARE},
    {"f", 1e-15, SMALL},
    {"p", 1e-12, SMALL},
    {"n", 1e-9, SMALL},
    {"u", 1e-6, SMALL},
    {"\xc2\xb5", 1e-6, SMALL}, /* micro sign */
    {"\xce\xbc", 1e-6, SMALL}, /* Greek mu, which looks the same */
    {"m", 1e-3, SMALL},
    {"k", 1e3, LARGE},
    {"K", 1e3, LARGE},
    {"M", 1e6, LARGE},
    {"G", 1e9, LARGE},
    {"T", 1e12, LARGE},
    {"P", 1e15, LARGE},
    {"E", 1e18, LARGE},
    {"Z", 1e21, LARGE},
    {"Ki", 1024.0, BINARY},
    {"Mi", 1048576.0, BINARY},
    {"Gi", ORR_GIB, BINARY},
    {"Ti", 1099511627776.0, BINARY},
    {"Pi", 1125899906842624.0, BINARY},
    {"Ei", 1152921504606846976.0, BINARY},
};

#define N_SYMBOLS  (sizeof SYMBOLS / sizeof SYMBOLS[0])
#define N_PREFIXES (sizeof PREFIXES / sizeof PREFIXES[0])

static const char *skip_spaces(const char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') text++;
    return text;
}

/* Read a decimal number at the start of text and return the text behind it; NULL if there is none. strtod alone would
 * also accept hexadecimal numbers, "inf" and "nan". */
const char *orr_number_at(const char *text, double *value)
{
    ORR_PLAIN_NUMBERS;
    const char *p = text + (*text == '-' || *text == '+');
    const char *whole = p;
    p = skip_digits(p);
    size_t n_digits = (size_t)(p - whole);
    if (n_digits == 1 && *whole == '0' && (*p == 'x' || *p == 'X')) return NULL; /* a hexadecimal number */
    if (*p == '.') {
        const char *point = p + 1;
        p = skip_digits(point);
        n_digits += (size_t)(p - point);
    }
    if (n_digits == 0) return NULL;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '-' || p[1] == '+');
        const char *end = skip_digits(exponent);
        if (end > exponent) p = end; /* Without digits behind it the E is the prefix of "1 EB". */
    }
    char number[NUMBER_MAX];
    const size_t length = (size_t)(p - text);
    if (length >= sizeof number) return NULL;
    memcpy(number, text, length);
    number[length] = '\0';
    char *end;
    *value = strtod(number, &end);
    return *end || !isfinite(*value) ? NULL : p;
}

bool orr_number_parse(const char *text, double *value)
{
    const char *rest = orr_number_at(skip_spaces(text), value);
    return rest && !*skip_spaces(rest);
}

/* The SI value of one "prefix + symbol", e.g. "GiB" or "Gb/s". */
static bool unit_factor(const char *text, size_t length, enum orr_unit unit, double *factor)
{
    for (size_t i = 0; i < N_SYMBOLS; i++) {
        const struct symbol *symbol = &SYMBOLS[i];
        const size_t n = strlen(symbol->text);
        if (symbol->unit != unit || n > length || memcmp(text + length - n, symbol->text, n) != 0) continue;
        for (size_t j = 0; j < N_PREFIXES; j++) {
            const struct prefix *prefix = &PREFIXES[j];
            const bool allowed = prefix->kind == BARE || (symbol->prefixes & (unsigned)prefix->kind);
            if (allowed && strlen(prefix->text) == length - n && memcmp(text, prefix->text, length - n) == 0) {
                *factor = prefix->factor * symbol->factor;
                return true;
            }
        }
    }
    return false;
}

static size_t length_without_spaces(const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    return length;
}

bool orr_quantity_parse(const char *text, enum orr_unit unit, double *value)
{
    text = skip_spaces(text);
    const bool money = unit == ORR_UNIT_USD || unit == ORR_UNIT_USD_PER_HOUR;
    const bool dollar_first = money && *text == '$'; /* This is the form "$2.5/h". */
    double number;
    const char *rest = orr_number_at(skip_spaces(text + dollar_first), &number);
    if (!rest) return false;
    rest = skip_spaces(rest);
    const size_t length = length_without_spaces(rest);
    double factor = 1;
    if (dollar_first) {
        const bool per_hour = length == 2 && memcmp(rest, "/h", 2) == 0;
        if (length > 0 && !(per_hour && unit == ORR_UNIT_USD_PER_HOUR)) return false;
    } else if (length > 0 && !unit_factor(rest, length, unit, &factor)) {
        return false;
    }
    if (!isfinite(number * factor)) return false;
    *value = number * factor;
    return true;
}

const char *orr_unit_hint(enum orr_unit unit)
{
    switch (unit) {
    case ORR_UNIT_NONE: return "a number, e.g. 0.9 or \"90 %\"";
    case ORR_UNIT_COUNT: return "an integer, e.g. 4096 or \"4Ki\"";
    case ORR_UNIT_S: return "seconds, e.g. \"5 us\"";
    case ORR_UNIT_BYTES: return "bytes, e.g. \"80 GiB\"";
    case ORR_UNIT_BYTES_PER_S: return "bytes per second, e.g. \"3.35 TB/s\" or \"400 Gb/s\"";
    case ORR_UNIT_FLOPS_PER_S: return "FLOP per second, e.g. \"989 TFLOP/s\"";
    case ORR_UNIT_HZ: return "hertz, e.g. \"1.4 GHz\"";
    case ORR_UNIT_W: return "watts, e.g. \"700 W\"";
    case ORR_UNIT_J: return "joules, e.g. \"0.5 pJ\"";
    case ORR_UNIT_J_PER_BYTE: return "joules per byte, e.g. \"30 pJ/B\" or \"4 pJ/bit\"";
    case ORR_UNIT_USD: return "US dollars, e.g. \"30000 USD\"";
    case ORR_UNIT_USD_PER_HOUR: return "US dollars per hour, e.g. \"2.5 USD/h\"";
    }
    return "";
}

/* ---------------------------------------------------------------- printing */

struct scale {
    double size;
    const char *name;
};

/* Print with the largest scale that leaves at least 1 before the point: three significant digits, four from 1000
 * on, trailing zeros kept so that columns line up. Zero takes the scale of size 1. */
static char *print_scaled(char *buffer, double value, const struct scale *scales, size_t n_scales, const char *unit)
{
    const bool plain = !isfinite(value) || value == 0;
    const double sought = plain ? 1 : fabs(value);
    size_t i = 0;
    while (i + 1 < n_scales && sought < 0.9995 * scales[i].size) i++;
    const double scaled = plain ? value : value / scales[i].size;
    const double size = fabs(scaled);
    const int decimals = plain ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    (void)snprintf(buffer, PRINT, size < 1e6 ? "%.*f %s%s" : "%.*e %s%s", decimals, scaled, scales[i].name, unit);
    return buffer;
}

char *orr_print_s(char *buffer, double seconds)
{
    static const struct scale SCALES[] = {{86400, "d"}, {3600, "h"},  {1, "s"},
                                          {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    /* Times are in seconds up to 9999 s, in hours up to two days, then in days. */
    const size_t first = fabs(seconds) >= 172800 ? 0 : fabs(seconds) >= 9999.5 ? 1 : 2;
    return print_scaled(buffer, seconds, SCALES + first, sizeof SCALES / sizeof SCALES[0] - first, "");
}

char *orr_print_bytes(char *buffer, double bytes)
{
    static const struct scale SCALES[] = {
        {1099511627776.0, "TiB"}, {ORR_GIB, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}};
    if (fabs(bytes) < 1023.5) { /* Bytes below 1 KiB are whole. */
        (void)snprintf(buffer, PRINT, "%.0f B", bytes);
        return buffer;
    }
    return print_scaled(buffer, bytes, SCALES, sizeof SCALES / sizeof SCALES[0], "");
}

char *orr_print_rate(char *buffer, double bytes_per_s)
{
    static const struct scale SCALES[] = {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}, {1, "B/s"}};
    const size_t first = fabs(bytes_per_s) < 9999.5e9; /* The unit stays GB/s as long as four digits are enough. */
    return print_scaled(buffer, bytes_per_s, SCALES + first, sizeof SCALES / sizeof SCALES[0] - first, "");
}

char *orr_print_si(char *buffer, double value, const char *unit)
{
    static const struct scale SCALES[] = {{1e24, "Y"}, {1e21, "Z"}, {1e18, "E"},  {1e15, "P"}, {1e12, "T"},
                                          {1e9, "G"},  {1e6, "M"},  {1e3, "k"},   {1, ""},     {1e-3, "m"},
                                          {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}, {1e-15, "f"}};
    return print_scaled(buffer, value, SCALES, sizeof SCALES / sizeof SCALES[0], unit);
}

char *orr_print_count(char *buffer, int64_t count)
{
    char digits[PRINT];
    const uint64_t size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    const int n_digits = snprintf(digits, sizeof digits, "%" PRIu64, size);
    char *out = buffer;
    if (count < 0) *out++ = '-';
    for (int i = 0; i < n_digits; i++) {
        if (i > 0 && (n_digits - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}
