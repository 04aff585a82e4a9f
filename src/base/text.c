/* Growable text for reports, and the nearest-name search of error messages. */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"

/* ---------------------------------------------------------------- growable text */

/* Make room for `n_more` characters and the final NUL. */
static bool reserve(struct orr_text *text, size_t n_more)
{
    if (text->failed || n_more > SIZE_MAX / 4 || text->length > SIZE_MAX / 4) {
        text->failed = true;
        return false;
    }
    const size_t need = text->length + n_more + 1;
    if (need <= text->capacity) return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < need) capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        orr_memory_note();
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void orr_text_add_v(struct orr_text *text, const char *format, va_list arguments)
{
    ORR_PLAIN_NUMBERS;
    if (!reserve(text, 127)) /* Most pieces fit into this room at once. */
        return;
    va_list again;
    va_copy(again, arguments);
    const size_t room = text->capacity - text->length;
    const int n = vsnprintf(text->data + text->length, room, format, arguments);
    if (n < 0) text->failed = true;
    else if ((size_t)n >= room && reserve(text, (size_t)n))
        (void)vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
    va_end(again);
    if (!text->failed) text->length += (size_t)n;
}

void orr_text_add(struct orr_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    orr_text_add_v(text, format, arguments);
    va_end(arguments);
}

void orr_text_append(struct orr_text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n)) return;
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = '\0';
}

void orr_text_repeat(struct orr_text *text, const char *piece, int n)
{
    for (int i = 0; i < n; i++) orr_text_add(text, "%s", piece);
}

char *orr_text_take(struct orr_text *text)
{
    (void)reserve(text, 0); /* An empty text is still a string and needs its NUL. */
    text->failed |= orr_memory_lacked();
    char *data = text->data;
    if (text->failed) {
        free(data);
        data = NULL;
    } else {
        data[text->length] = '\0';
    }
    *text = (struct orr_text){0};
    return data;
}

void orr_text_drop(struct orr_text *text, struct orr_text *piece)
{
    text->failed |= piece->failed;
    free(piece->data);
    *piece = (struct orr_text){0};
}

/* ---------------------------------------------------------------- small string helpers */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int orr_compare_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    const unsigned char x = (unsigned char)lower(*a), y = (unsigned char)lower(*b);
    return (x > y) - (x < y);
}

size_t orr_control_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x20 || c[0] == 0x7f) return 1;
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f) return 2;
    if (c[0] != 0xe2 || (c[1] != 0x80 && c[1] != 0x81)) return 0;
    const bool turns =
        c[1] == 0x80 ? c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae) : c[2] >= 0xa6 && c[2] <= 0xa9;
    return turns ? 3 : 0;
}

bool orr_starts_nocase(const char *text, const char *start)
{
    while (*start && lower(*text) == lower(*start)) {
        text++;
        start++;
    }
    return *start == '\0';
}

void orr_copy_line(char *buffer, size_t size, const char *text)
{
    if (size == 0) return;
    size_t n = 0, left = 0; /* bytes of a control character that are still to be replaced */
    for (; text[n] && n + 1 < size; n++) {
        if (left == 0) left = orr_control_bytes(text + n);
        buffer[n] = left > 0 ? ' ' : text[n];
        left -= left > 0;
    }
    if (text[n]) /* The text was cut: half a UTF-8 sequence must not be left at its end. */
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    buffer[n] = '\0';
}

bool orr_list_open(const char *list, char separator)
{
    const size_t length = strlen(list);
    return length == 0 || list[length - 1] == separator;
}

bool orr_next_word(const char **at, char separator, char *word, size_t size)
{
    const char separators[] = {separator, '\0'};
    const size_t n = strcspn(*at, separators);
    if (!**at) return false;
    (void)snprintf(word, size, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == separator);
    return true;
}

bool orr_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ')) return false;
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

/* ---------------------------------------------------------------- nearest name */

enum { WORD_MAX = 64, PIECES_MAX = 8, NOT_CLOSE = 1 << 20 };
static const char SEPARATORS[] = "-_. ";

/* Names are compared in lower case and without separators. Returns 0 for a word that is too long to be compared. */
static size_t normalise(char folded[WORD_MAX], const char *word)
{
    size_t n = 0;
    for (; *word; word++) {
        if (strchr(SEPARATORS, *word)) continue;
        if (n + 1 == WORD_MAX) return 0;
        folded[n++] = lower(*word);
    }
    folded[n] = '\0';
    return n;
}

static int compare_pieces(const void *a, const void *b)
{
    return orr_compare_nocase(a, b);
}

/* As normalise(), with the pieces between separators in alphabetical order, so that "a100-sxm-80g" matches
 * "a100-80g-sxm". */
static size_t normalise_sorted(char folded[WORD_MAX], const char *word)
{
    char pieces[PIECES_MAX][WORD_MAX];
    size_t n_pieces = 0, n = 0;
    while (*(word += strspn(word, SEPARATORS))) {
        const size_t length = strcspn(word, SEPARATORS);
        if (n_pieces == PIECES_MAX || length >= WORD_MAX || n + length >= WORD_MAX) return 0;
        memcpy(pieces[n_pieces], word, length);
        pieces[n_pieces++][length] = '\0';
        n += length;
        word += length;
    }
    qsort(pieces, n_pieces, sizeof pieces[0], compare_pieces);
    n = 0;
    for (size_t i = 0; i < n_pieces; i++)
        for (const char *c = pieces[i]; *c; c++) folded[n++] = lower(*c);
    folded[n] = '\0';
    return n;
}

/* The weighted edit distance from what was typed to a name. A missing letter counts half, because people abbreviate;
 * two swapped letters count as one slip. */
static int distance(const char *typed, size_t n_typed, const char *name, size_t n_name)
{
    enum { MISSING = 2, SLIP = 4 };
    int rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= n_name; j++) rows[0][j] = (int)j * MISSING;
    for (size_t i = 1; i <= n_typed; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (int)i * SLIP;
        for (size_t j = 1; j <= n_name; j++) {
            const bool same = typed[i - 1] == name[j - 1];
            int best = above[j - 1] + (same ? 0 : SLIP);
            if (row[j - 1] + MISSING < best) best = row[j - 1] + MISSING;
            if (above[j] + SLIP < best) best = above[j] + SLIP;
            const bool swapped = i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1];
            if (swapped && above2[j - 2] + SLIP < best) best = above2[j - 2] + SLIP;
            row[j] = best;
        }
    }
    return rows[n_typed % 3][n_name];
}

/* The distance between two words, whatever the order of their pieces; NOT_CLOSE if a word is empty or too long. */
static int word_distance(const char *word, const char *candidate)
{
    char typed[WORD_MAX], name[WORD_MAX];
    const size_t n_typed = normalise(typed, word), n_name = normalise(name, candidate);
    if (n_typed == 0 || n_name == 0) return NOT_CLOSE;
    const int limit = 2 * (int)n_typed; /* A word with half of its letters wrong is another word. */
    int best = distance(typed, n_typed, name, n_name);
    if (best > limit && n_typed >= 3 && strstr(name, typed)) /* a part of the name is close: "h100" */
        best = limit;
    if (best >= limit && n_typed >= 5 && n_name > n_typed) { /* its beginning is: "torchtitan" of a longer title */
        const int slips = distance(typed, n_typed, name, n_typed);
        if (slips <= limit / 2) best = slips > 0 ? limit - 1 : limit - 2;
    }
    const size_t m_typed = normalise_sorted(typed, word), m_name = normalise_sorted(name, candidate);
    if (m_typed > 0 && m_name > 0) {
        const int sorted = distance(typed, m_typed, name, m_name) + 1;
        best = sorted < best ? sorted : best;
    }
    return best <= limit ? best : NOT_CLOSE;
}

const char *orr_nearest(const char *word, const char *const *candidates, size_t n_candidates)
{
    const char *best = NULL;
    int best_distance = NOT_CLOSE;
    for (size_t i = 0; i < n_candidates; i++) {
        const int d = word_distance(word, candidates[i]);
        if (d < best_distance) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

char *orr_did_you_mean(char buffer[ORR_HINT], const char *word, const char *const *candidates, size_t n_candidates)
{
    const char *nearest = orr_nearest(word, candidates, n_candidates);
    buffer[0] = '\0';
    if (nearest) (void)snprintf(buffer, ORR_HINT, " (did you mean \"%s\"?)", nearest);
    return buffer;
}

enum orr_err orr_fail_unknown(struct orr_error *error, const char *kind, const char *kinds, const char *word,
                              const char *const *names, size_t n)
{
    char hint[ORR_HINT];
    struct orr_text list = {0};
    for (size_t i = 0; i < n; i++) orr_text_add(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    char *text = orr_text_take(&list);
    if (!text) return orr_out_of_memory(error, NULL);
    const enum orr_err err = orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "no %s \"%.40s\"%s; the %s are %s",
                                      kind, word, orr_did_you_mean(hint, word, names, n), kinds, text);
    free(text);
    return err;
}
