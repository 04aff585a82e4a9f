/* Growable text for reports, and the nearest-name search of error messages. */
#ifndef ORR_BASE_TEXT_H
#define ORR_BASE_TEXT_H

#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct orr_text {
    char *data; /* NUL-terminated once anything was added */
    size_t length, capacity;
    bool failed; /* an allocation failed; later calls do nothing */
};

void orr_text_add(struct orr_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void orr_text_add_v(struct orr_text *text, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
void orr_text_append(struct orr_text *text, const char *bytes, size_t n);
void orr_text_repeat(struct orr_text *text, const char *piece, int n);
/* Hand the text to the caller (free() it) and reset; NULL if an allocation failed. */
char *orr_text_take(struct orr_text *text);
/* Free a piece whose content was used for `text`, which fails where the piece did. */
void orr_text_drop(struct orr_text *text, struct orr_text *piece);

/* The candidate closest to `word` by edit distance, ignoring case and the separators "-_. "; NULL if none is close. */
const char *orr_nearest(const char *word, const char *const *candidates, size_t n_candidates);
/* Write ` (did you mean "llama2-7b"?)` into buffer, or "" if no candidate is close; return buffer. */
#define ORR_HINT 160
char *orr_did_you_mean(char buffer[ORR_HINT], const char *word, const char *const *candidates, size_t n_candidates);

/* Fail with ORR_ERR_INPUT: `no KIND "word"`, the nearest name, and all names. */
enum orr_err orr_fail_unknown(struct orr_error *error, const char *kind, const char *kinds, const char *word,
                              const char *const *names, size_t n);
/* Copy the next item of a list into `word`, cut to its size, and move *at behind it and its separator. Returns false at
 * the end of the list. */
/* Is a list without a word, or does a separator end it, so that its last word is missing? */
bool orr_list_open(const char *list, char separator);
bool orr_next_word(const char **at, char separator, char *word, size_t size);
/* Is `word` one of the words of `list`, which spaces separate? What is empty or has a space is none. */
bool orr_has_word(const char *list, const char *word);

/* The bytes of a character that would control a terminal: those of ASCII, those of C1 (an 8-bit "ESC [" among them),
 * and marks that turn the direction of a line. 0: none. */
size_t orr_control_bytes(const char *text);
/* Copy into a buffer of `size` bytes. The copy is cut at a character boundary, and control characters become spaces. */
void orr_copy_line(char *buffer, size_t size, const char *text);
/* As strcmp, but the case of ASCII letters does not count, whatever the locale. */
int orr_compare_nocase(const char *a, const char *b);
/* Does a text begin with `start`, in the same sense? */
bool orr_starts_nocase(const char *text, const char *start);

#endif
