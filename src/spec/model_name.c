/* Takes names of models apart and compares them. */
#define _POSIX_C_SOURCE 200809L
#include "spec/model_name.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---------------------------------------------------------------- pieces */

/* Does `text` end in `end`, ignoring case, with at least one character before it? */
static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), n = strlen(end);
    return length > n && orr_compare_nocase(text + length - n, end) == 0;
}

static bool starts_with(const char *text, const char *start)
{
    char piece[ORR_ID];
    const size_t n = strlen(start);
    if (n >= sizeof piece || strnlen(text, n) < n) return false;
    memcpy(piece, text, n);
    piece[n] = '\0';
    return orr_compare_nocase(piece, start) == 0;
}

/* The value of a key, ignoring its case. */
static const char *value_of(const json_t *object, const char *key)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) /* the iterator is not const */
    {
        if (orr_compare_nocase(name, key) == 0) return json_string_value(value);
    }
    return NULL;
}

static bool lists(const json_t *words, const char *word)
{
    for (size_t i = 0; i < json_array_size(words); i++)
        if (orr_compare_nocase(json_string_value(json_array_get(words, i)), word) == 0) return true;
    return false;
}

/* ---------------------------------------------------------------- owner and spelling */

static void read_owner(const json_t *rules, const char *text, struct orr_model_name *name)
{
    const char *slash = strrchr(text, '/');
    const char *bare = slash ? slash + 1 : text;
    if (slash && slash - text < ORR_ID) {
        snprintf(name->owner, sizeof name->owner, "%.*s", (int)(slash - text), text);
        const char *other = value_of(json_object_get(rules, "owners"), name->owner);
        if (other) snprintf(name->owner, sizeof name->owner, "%s", other);
    }
    const char *start;
    json_t *with;
    json_object_foreach(json_object_get(rules, "prefixes"), start, with)
    {
        if (!starts_with(bare, start)) continue;
        const int n = snprintf(name->bare, sizeof name->bare, "%s%s", json_string_value(with), bare + strlen(start));
        if (n >= ORR_ID) name->bare[0] = '\0';
        return;
    }
    if (strlen(bare) < ORR_ID) snprintf(name->bare, sizeof name->bare, "%s", bare);
}

/* ---------------------------------------------------------------- format */

/* A rule for this owner takes precedence over a rule for all owners, and a longer suffix over a shorter one. */
static const json_t *find_format(const json_t *rules, const struct orr_model_name *name)
{
    const json_t *best = NULL, *formats = json_object_get(rules, "formats");
    size_t best_rank = 0;
    for (size_t i = 0; i < json_array_size(formats); i++) {
        const json_t *rule = json_array_get(formats, i), *owners = json_object_get(rule, "owners");
        const char *suffix = json_string_value(json_object_get(rule, "suffix"));
        if (!ends_in(name->base, suffix) || (owners && !lists(owners, name->owner))) continue;
        const size_t rank = 2 * strlen(suffix) + (owners ? 1 : 0);
        if (rank > best_rank) best = rule;
        if (rank > best_rank) best_rank = rank;
    }
    return best;
}

/* "-GGUF:Q4_K_M" names the type of the file behind a colon. */
static void read_format(const json_t *rules, struct orr_model_name *name)
{
    const size_t length = strcspn(name->bare, ":");
    const char *type = name->bare[length] ? name->bare + length + 1 : "";
    snprintf(name->base, sizeof name->base, "%.*s", (int)length, name->bare);
    const json_t *rule = find_format(rules, name);
    const char *format = json_string_value(json_object_get(rule, "format"));
    if (!rule || (*type && strcmp(format, "gguf") != 0)) {
        snprintf(name->base, sizeof name->base, "%s", name->bare);
        return;
    }
    const size_t suffix = strlen(json_string_value(json_object_get(rule, "suffix")));
    name->base[strlen(name->base) - suffix] = '\0';
    snprintf(name->format, sizeof name->format, "%.*s", ORR_FORMAT_NAME - 1, *type ? type : format);
    for (char *c = name->format; *c; c++) /* file types are formats in small letters */
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
}

/* ---------------------------------------------------------------- spelling */

static void fold(char text[ORR_ID])
{
    for (; *text; text++)
        if (*text == '_' || *text == '.') *text = '-';
}

static bool same_folded(const char *a, const char *b)
{
    char x[ORR_ID], y[ORR_ID];
    snprintf(x, sizeof x, "%s", a);
    snprintf(y, sizeof y, "%s", b);
    fold(x);
    fold(y);
    return orr_compare_nocase(x, y) == 0;
}

/* ---------------------------------------------------------------- stem */

static int two_digits(const char *text)
{
    return 10 * (text[0] - '0') + text[1] - '0';
}

/* "2507" (year and month), "0528" (month and day), "240718", "20240522". */
static bool is_date(const char *word, size_t length)
{
    if (strspn(word, "0123456789") < length || length < 4 || length > 8 || length % 2) return false;
    if (length == 8) return two_digits(word) == 20;
    const int first = two_digits(word), second = two_digits(word + 2);
    const bool year_month = first >= 20 && first < 40 && second >= 1 && second <= 12;
    return year_month || (length == 4 && first >= 1 && first <= 12 && second >= 1 && second <= 31);
}

static void read_stem(const json_t *rules, struct orr_model_name *name)
{
    const json_t *dropped = json_object_get(rules, "same_shape");
    size_t n = 0;
    for (const char *word = name->base; *word;) {
        char piece[ORR_ID];
        const size_t length = strcspn(word, "-");
        memcpy(piece, word, length);
        piece[length] = '\0';
        const bool first = word == name->base;
        if (first || !(lists(dropped, piece) || is_date(piece, length)))
            n += (size_t)snprintf(name->stem + n, sizeof name->stem - n, "%s%s", first ? "" : "-", piece);
        word += length + (word[length] == '-');
    }
}

/* Are the first two letters the same, with "_" and "." read as "-"? */
static bool begins_alike(const char *a, const char *b)
{
    char x[ORR_ID], y[ORR_ID];
    (void)snprintf(x, sizeof x, "%.2s", a);
    (void)snprintf(y, sizeof y, "%.2s", b);
    return same_folded(x, y);
}

void orr_model_name_read(const json_t *rules, const char *text, const struct orr_model_name *asked,
                         struct orr_model_name *name)
{
    memset(name, 0, sizeof *name);
    read_owner(rules, text, name);
    if (asked && !begins_alike(asked->bare, name->bare)) name->bare[0] = '\0';
    if (!name->bare[0]) return;
    read_format(rules, name);
    read_stem(rules, name);
}

/* ---------------------------------------------------------------- comparing */

int orr_model_name_fits(const struct orr_model_name *asked, const struct orr_model_name *known, bool exact)
{
    int level = 0;
    if (!asked->bare[0] || !known->bare[0]) return 0;
    if (orr_compare_nocase(asked->bare, known->bare) == 0) level = 4;
    else if (exact) return 0;
    else if (orr_compare_nocase(asked->base, known->base) == 0) level = 3;
    else if (orr_compare_nocase(asked->stem, known->stem) == 0) level = 2;
    else if (same_folded(asked->stem, known->stem)) level = 1;
    return level ? 2 * level + (orr_compare_nocase(asked->owner, known->owner) == 0) : 0;
}

/* ---------------------------------------------------------------- names in a config */

/* Reads the text between the next pair of quotation marks; NULL if there is none before `stop`. */
static const char *next_string(const char *at, char stop, char name[ORR_ID])
{
    while (*at && *at != '"' && *at != stop) at++;
    if (*at != '"') return NULL;
    const size_t length = strcspn(++at, "\"");
    snprintf(name, ORR_ID, "%.*s", length < ORR_ID ? (int)length : 0, at);
    return at[length] ? at + length + 1 : NULL;
}

/* The text after the colon that follows a key; NULL if there is no such key. */
static const char *value_at(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? strchr(at + strlen(key), ':') : NULL;
}

bool orr_name_scan_next(struct orr_name_scan *scan, char name[ORR_ID])
{
    if (!scan->at) {
        const char *at = value_at(scan->text, "\"_name_or_path\"");
        scan->at = at ? next_string(at, ',', name) : NULL;
        if (scan->at) return true;
    }
    if (!scan->in_aliases) {
        scan->in_aliases = true;
        scan->at = value_at(scan->text, "\"aliases\"");
    }
    if (scan->at) scan->at = next_string(scan->at, ']', name);
    return scan->at != NULL;
}

bool orr_model_text_is_synthetic(const char *text)
{
    return value_at(text, "\"orrery_synthetic\"") != NULL;
}
