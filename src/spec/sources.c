/* Provenance and names of a part: the coverage rule of "sources", and the form of "aliases". */
#include "spec/sources.h"

#include <stdio.h>
#include <string.h>

static bool is_listed(const char *key, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(key, *list) == 0) return true;
    return false;
}

/* Every entry is a text about a key that the part has. */
static enum orr_err check_entries(const struct orr_doc *doc, json_t *sources, struct orr_error *error)
{
    char path[ORR_KEY_PATH], shown[ORR_SHOWN];
    const char *key;
    json_t *value;
    json_object_foreach(sources, key, value)
    {
        orr_key_path(path, "sources", key);
        if (!json_is_string(value) || json_string_length(value) == 0)
            return orr_doc_fail(doc, path, error, "must be a text naming a document and date, not %s",
                                orr_json_shown(shown, value));
        char name[ORR_KEY_PATH];
        const size_t length = strcspn(key, ".");
        if (length >= sizeof name)
            return orr_doc_fail(doc, "sources", error, "has an entry with a name that is too long");
        memcpy(name, key, length);
        name[length] = '\0';
        if (strcmp(name, "*") != 0 && !json_object_get(doc->root, name))
            return orr_doc_fail(doc, path, error, "is the source of a key this part does not have");
    }
    return ORR_OK;
}

static bool members_covered(json_t *sources, const char *key, json_t *value)
{
    char path[ORR_KEY_PATH];
    const char *member;
    json_t *part;
    if (!json_is_object(value) || json_object_size(value) == 0) return false;
    json_object_foreach(value, member, part)
    {
        if (!json_object_get(sources, orr_key_path(path, key, member))) return false;
    }
    return true;
}

static bool is_covered(json_t *sources, const char *key, json_t *value)
{
    return json_object_get(sources, "*") || json_object_get(sources, key) || members_covered(sources, key, value);
}

static bool is_in_place(const struct orr_doc *doc)
{
    return doc->prefix && doc->prefix[0];
}

bool orr_sources_note(struct orr_doc *doc, struct orr_doc *base)
{
    json_t *sources = json_object_get(doc->root, "sources"), *value;
    const char *key;
    if (base) {
        doc->uncovered = base->uncovered;
        base->uncovered = NULL;
    }
    json_object_foreach(doc->root, key, value)
    {
        if (is_in_place(doc) || is_covered(sources, key, value)) {
            (void)json_object_del(doc->uncovered, key);
            continue;
        }
        if (!doc->uncovered) doc->uncovered = json_object();
        if (json_object_set_new(doc->uncovered, key, json_string_nocheck(doc->file ? doc->file : ""))) return false;
    }
    return true;
}

static enum orr_err fail_uncovered(const struct orr_doc *doc, const char *key, struct orr_error *error)
{
    return orr_doc_fail(doc, key, error, "has no source: add one to \"sources\" under \"%.100s\" or \"*\"", key);
}

/* Every value of a file has its source there: "*" of a base says nothing about the files that are based on it. */
static enum orr_err check_noted(const struct orr_doc *doc, const char *const *unsourced, struct orr_error *error)
{
    const char *key;
    json_t *value;
    json_object_foreach(doc->uncovered, key, value)
    {
        if (is_listed(key, unsourced) || !json_object_get(doc->root, key) || orr_doc_is_set(doc, key)) continue;
        const struct orr_doc other = {.file = json_string_value(value)};
        const bool own = doc->file && strcmp(doc->file, other.file) == 0;
        return fail_uncovered(own ? doc : &other, key, error);
    }
    return ORR_OK;
}

/* What a part says of itself and no table of fields reads. */
static enum orr_err check_words(const struct orr_doc *doc, struct orr_error *error)
{
    static const char *const WORDS[] = {"name", "software", "parent"};
    char shown[ORR_SHOWN];
    for (size_t i = 0; i < ORR_COUNT_OF(WORDS); i++) {
        const json_t *word = json_object_get(doc->root, WORDS[i]);
        if (word && json_typeof(word) != JSON_STRING)
            return orr_doc_fail(doc, WORDS[i], error, "must be a text, not %s", orr_json_shown(shown, word));
    }
    return ORR_OK;
}

enum orr_err orr_sources_check(const struct orr_doc *doc, const char *const *unsourced, struct orr_error *error)
{
    const enum orr_err wrong = check_words(doc, error);
    if (wrong) return wrong;
    json_t *sources = json_object_get(doc->root, "sources");
    const bool in_place = is_in_place(doc);
    char shown[ORR_SHOWN];
    if (!sources && in_place) return check_noted(doc, unsourced, error);
    if (!sources)
        return orr_doc_fail(doc, "", error, "missing key \"sources\": {\"KEY\": \"document, date\", \"*\": ...}");
    if (!json_is_object(sources))
        return orr_doc_fail(doc, "sources", error, "must be an object, not %s", orr_json_shown(shown, sources));
    enum orr_err err = check_entries(doc, sources, error);
    if (!err) err = check_noted(doc, unsourced, error);
    if (err || in_place || json_object_get(sources, "*")) return err;
    const char *key;
    json_t *value;
    json_object_foreach(doc->root, key, value)
    {
        if (is_listed(key, unsourced) || is_covered(sources, key, value)) continue;
        if (!orr_doc_is_set(doc, key)) return fail_uncovered(doc, key, error);
    }
    return ORR_OK;
}

enum orr_err orr_aliases_check(const struct orr_doc *doc, struct orr_error *error)
{
    char path[ORR_KEY_PATH], index[24], shown[ORR_SHOWN];
    const json_t *aliases = json_object_get(doc->root, "aliases");
    if (aliases && !json_is_array(aliases))
        return orr_doc_fail(doc, "aliases", error, "must be an array of texts, not %s", orr_json_shown(shown, aliases));
    for (size_t i = 0; i < json_array_size(aliases); i++) {
        (void)snprintf(index, sizeof index, "%zu", i);
        const json_t *alias = json_array_get(aliases, i);
        if (!json_is_string(alias))
            return orr_doc_fail(doc, orr_key_path(path, "aliases", index), error, "must be a text, not %s",
                                orr_json_shown(shown, alias));
    }
    return ORR_OK;
}
