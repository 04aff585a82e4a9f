/* Finds the place of a value in JSON text: a scanner walks valid JSON along a dotted path and counts lines.
 * jansson does not keep positions; this runs only when an error is about to be reported. */
#include <string.h>

#include "spec/json.h"

struct cursor {
    const char *at;
    int line, column;
};

static void step(struct cursor *cursor)
{
    const unsigned char c = (unsigned char)*cursor->at++;
    if (c == '\n') {
        cursor->line++;
        cursor->column = 1;
    } else if ((c & 0xc0) != 0x80) { /* columns count characters, not bytes */
        cursor->column++;
    }
}

static void skip_space(struct cursor *cursor)
{
    while (*cursor->at && strchr(" \t\r\n", *cursor->at)) step(cursor);
}

/* Moves the cursor past a string; it must stand on the string's first quote. */
static void skip_string(struct cursor *cursor)
{
    step(cursor);
    while (*cursor->at && *cursor->at != '"') {
        if (*cursor->at == '\\' && cursor->at[1]) step(cursor);
        step(cursor);
    }
    if (*cursor->at) step(cursor);
}

/* Moves the cursor past a whole value, without recursion. */
static void skip_value(struct cursor *cursor)
{
    int depth = 0;
    do {
        skip_space(cursor);
        const char c = *cursor->at;
        if (c == '\0') return;
        if (c == '"') {
            skip_string(cursor);
        } else if (c == '{' || c == '[') {
            depth++;
            step(cursor);
        } else if (c == '}' || c == ']') {
            depth--;
            step(cursor);
        } else if (c == ',' || c == ':') {
            step(cursor);
        } else {
            while (*cursor->at && !strchr(" \t\r\n,:{}[]\"", *cursor->at)) step(cursor);
        }
    } while (depth > 0);
}

/* The rest of `path` if the key under the cursor is its first name, else NULL. A key may itself contain dots
 * ("set": {"chip.n_sm": 4}). */
static const char *match_key(const char *key, const char *path)
{
    for (key++; *key && *key != '"'; key++, path++) {
        if (*key == '\\' && key[1]) key++; /* the escapes that keys have in practice: \" and \\ */
        if (*key != *path) return NULL;
    }
    if (*path == '\0') return path;
    return *path == '.' ? path + 1 : NULL;
}

/* The rest of `path` if it begins with the index of an array element, else NULL. */
static const char *match_index(long index, const char *path)
{
    long number = 0;
    const char *p = path;
    for (; *p >= '0' && *p <= '9' && number < 100000000; p++) number = number * 10 + (*p - '0');
    if (p == path || number != index) return NULL;
    if (*p == '\0') return p;
    return *p == '.' ? p + 1 : NULL;
}

static bool find(struct cursor *cursor, const char *path);

/* Searches the members of an object or the elements of an array; the cursor stands on the bracket. */
static bool find_inside(struct cursor *cursor, const char *path)
{
    const bool object = *cursor->at == '{';
    step(cursor);
    for (long index = 0;; index++) {
        skip_space(cursor);
        if (*cursor->at == '\0' || *cursor->at == '}' || *cursor->at == ']') return false;
        const char *rest;
        if (object) {
            if (*cursor->at != '"') return false;
            rest = match_key(cursor->at, path);
            skip_string(cursor);
            skip_space(cursor);
            if (*cursor->at == ':') step(cursor);
        } else {
            rest = match_index(index, path);
        }
        struct cursor here = *cursor;
        if (rest && find(&here, rest)) {
            *cursor = here;
            return true;
        }
        skip_value(cursor);
        skip_space(cursor);
        if (*cursor->at == ',') step(cursor);
    }
}

/* Move the cursor to the value at `path` below the value it stands on. Depth is bounded by the path's length. */
static bool find(struct cursor *cursor, const char *path)
{
    skip_space(cursor);
    if (*path == '\0') return true;
    if (*cursor->at != '{' && *cursor->at != '[') return false;
    return find_inside(cursor, path);
}

void orr_json_locate(const char *text, const char *path, int *line, int *column)
{
    struct cursor cursor = {text, 1, 1};
    const bool found = find(&cursor, path);
    *line = found ? cursor.line : 0;
    *column = found ? cursor.column : 0;
}
