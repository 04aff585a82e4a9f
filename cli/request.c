/* Command-line options -> the JSON text of a request. The text is edited in place, so that a request read from a file
 * keeps its lines and orr_job_read stays the only judge of what it means. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS          " \t\r\n"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Just after the string that starts at `at` (a quote); NULL if it does not end. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : NULL;
}

/* Just after the value that starts at `at`; NULL if it does not end. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            if (!at) return NULL;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0) return NULL;
            depth--;
            at++;
        } else {
            const size_t n = strcspn(at, "\"{}[]" BLANKS ",");
            at += n;
            if (!*at) return depth == 0 && n > 0 ? at : NULL;
            if (n == 0) at++;
        }
    } while (depth > 0);
    return at;
}

/* Look for `key` in the object that starts at `object`. False: not an object. *value is NULL if the key is absent;
 * *inside is just after the opening brace. */
static bool find_member(const char *object, const char *key, const char **value, const char **inside)
{
    *value = NULL;
    if (*object != '{') return false;
    *inside = object + 1;
    const size_t n = strlen(key);
    const char *at = object + 1 + strspn(object + 1, BLANKS);
    while (*at == '"') {
        const char *name = at + 1;
        at = skip_string(at);
        if (!at) return false;
        const bool found = (size_t)(at - 1 - name) == n && memcmp(name, key, n) == 0;
        at += strspn(at, BLANKS);
        if (*at++ != ':') return false;
        at += strspn(at, BLANKS);
        if (found) {
            *value = at;
            return true;
        }
        at = skip_value(at);
        if (!at) return false;
        at += strspn(at, BLANKS ",");
    }
    return *at == '}';
}

static bool put_in_object(struct cli_text *text, size_t object, const char *key, const char *value)
{
    const char *old, *inside;
    if (!find_member(text->data + object, key, &old, &inside)) return false;
    if (old) {
        const char *end = skip_value(old);
        if (!end) return false;
        cli_text_splice(text, (size_t)(old - text->data), (size_t)(end - text->data), value);
        return true;
    }
    const size_t at = (size_t)(inside - text->data);
    const bool empty = inside[strspn(inside, BLANKS)] == '}';
    struct cli_text piece = {0};
    cli_text_add_json(&piece, key);
    cli_text_add(&piece, ":%s%s", value, empty ? "" : ",");
    cli_text_splice(text, at, at, piece.data);
    free(piece.data);
    return true;
}

/* Where the value of the whole text starts. */
static size_t find_root(const struct cli_text *text)
{
    const size_t mark = strncmp(text->data, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
    return mark + strspn(text->data + mark, BLANKS);
}

bool cli_request_is(const struct cli_text *request, const char *kind)
{
    const char *value, *inside;
    const size_t n = strlen(kind);
    if (!find_member(request->data + find_root(request), "kind", &value, &inside) || !value) return false;
    return value[0] == '"' && strncmp(value + 1, kind, n) == 0 && value[n + 1] == '"';
}

bool cli_request_put(struct cli_text *text, const char *section, const char *key, const char *value)
{
    const size_t root = find_root(text);
    if (!section) return put_in_object(text, root, key, value);
    const char *object, *inside;
    if (!find_member(text->data + root, section, &object, &inside)) return false;
    if (!object) {
        if (!put_in_object(text, root, section, "{}")) return false;
        find_member(text->data + root, section, &object, &inside);
    }
    return put_in_object(text, (size_t)(object - text->data), key, value);
}

/* "12,12" -> [12,12]; what is not a whole number stays a string, for the reader to name. */
static void add_json_list(struct cli_text *json, const char *list)
{
    cli_text_add(json, "[");
    for (const char *at = list;; at++) {
        const size_t n = strcspn(at, ",");
        if (n > 0 && n < 10 && at[0] != '0' && strspn(at, "0123456789") == n) {
            cli_text_add(json, "%.*s", (int)n, at);
        } else {
            struct cli_text item = {0};
            cli_text_add(&item, "%.*s", (int)n, at);
            cli_text_add_json(json, item.data);
            free(item.data);
        }
        at += n;
        if (!*at) break;
        cli_text_add(json, ",");
    }
    cli_text_add(json, "]");
}

static bool put_keys(struct cli_text *request, const struct cli_option *option, const char *json)
{
    bool placed = true;
    for (const char *at = option->keys; *at;) {
        const size_t n = strcspn(at, " ");
        struct cli_text key = {0};
        cli_text_add(&key, "%.*s", (int)n, at);
        placed &= cli_request_put(request, option->section, key.data, json);
        free(key.data);
        at += n + (at[n] == ' ');
    }
    return placed;
}

/* --set PATH=VALUE: the last word on a path, whatever the request says. */
static bool put_set(struct cli_text *request, const char *assignment, struct cli_text *json)
{
    const size_t n = strcspn(assignment, "=");
    struct cli_text path = {0};
    cli_text_add(&path, "%.*s", (int)n, assignment);
    cli_text_add_json(json, assignment + n + 1);
    const bool placed = cli_request_put(request, "set", path.data, json->data);
    free(path.data);
    return placed;
}

static bool put_given(struct cli_text *request, const struct cli_given *given)
{
    struct cli_text json = {0};
    bool placed = true;
    switch (given->option->kind) {
    case CLI_TEXT:
        cli_text_add_json(&json, given->value);
        placed = put_keys(request, given->option, json.data);
        break;
    case CLI_LIST:
        add_json_list(&json, given->value);
        placed = put_keys(request, given->option, json.data);
        break;
    case CLI_BOOL: placed = put_keys(request, given->option, given->negated ? "false" : "true"); break;
    case CLI_WORD:
        cli_text_add_json(&json, given->option->word);
        placed = put_keys(request, given->option, json.data);
        break;
    case CLI_SET: placed = put_set(request, given->value, &json); break;
    case CLI_HEADING:
    case CLI_OWN:
    case CLI_REQUEST:
    case CLI_CATALOGUE:
    case CLI_FORMAT:
    case CLI_DUMP:
    case CLI_WIDTH:
    case CLI_NO_COLOUR:
    case CLI_MAX_MAPE:
    case CLI_BY:
    case CLI_HTML:
    case CLI_TRACE:
    case CLI_INTERVALS:
    case CLI_WITHOUT:
    case CLI_ABLATION:
    case CLI_WHERE: /* all of them together: put_where */
    case CLI_HELP: break;
    }
    free(json.data);
    return placed;
}

/* Every --where as one list of limits. */
static bool put_where(struct cli_text *request, const struct cli_args *args)
{
    struct cli_text list = {0};
    bool placed = true;
    for (size_t i = 0; i < args->n_given; i++) {
        if (args->given[i].option->kind != CLI_WHERE) continue;
        cli_text_add(&list, "%s", list.length ? "," : "[");
        cli_text_add_json(&list, args->given[i].value);
    }
    if (list.length) {
        cli_text_add(&list, "]");
        placed = cli_request_put(request, "search", "limits", list.data);
    }
    free(list.data);
    return placed;
}

enum cli_status cli_request_build(const struct cli_args *args, const char *kind, struct cli_text *request,
                                  struct cli_text *origin, bool *placed)
{
    const char *file = NULL;
    for (size_t i = 0; i < args->n_given; i++)
        if (args->given[i].option->kind == CLI_REQUEST) file = args->given[i].value;
    if (file) {
        const char *name;
        char *text = cli_read_file(file, &name);
        if (!text) return CLI_BAD;
        cli_text_add(request, "%s", text);
        cli_text_add(origin, "%s", name);
        free(text);
    } else {
        cli_text_add(request, "{\"kind\":\"%s\"}", kind);
        cli_text_add(origin, "command line");
    }
    *placed = true;
    for (size_t i = 0; i < args->n_given; i++) *placed &= put_given(request, &args->given[i]);
    *placed &= put_where(request, args);
    return CLI_ANSWERED;
}
