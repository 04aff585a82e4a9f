/* What was chosen with measured runs in view, undone. A part may say "chosen_with": {"KEY": ["source", ...]} for facts
 * whose values were chosen while rows of these sources were visible, and "undo": {"KEY": value} for what would stand
 * there without them; else the value of the base counts. A catalogue without a source reads every part as if nobody had
 * seen the rows of that source. */
#include <string.h>

#include "spec/part.h"

static bool names_source(const json_t *sources, const char *source)
{
    size_t i;
    json_t *value;
    json_array_foreach((json_t *)sources, i, value)
    {
        const char *name = json_string_value(value);
        if (name && (strcmp(name, "*") == 0 || strcmp(name, source) == 0)) return true;
    }
    return false;
}

static bool are_texts(const json_t *sources)
{
    for (size_t i = 0; i < json_array_size(sources); i++)
        if (!json_string_value(json_array_get(sources, i))) return false;
    return json_array_size(sources) > 0;
}

static enum orr_err check_shape(const struct orr_doc *doc, const json_t *chosen, struct orr_error *error)
{
    static const char *const KEYS[] = {"chosen_with", "undo"};
    char path[ORR_KEY_PATH], shown[ORR_SHOWN];
    const char *key;
    json_t *value;
    for (size_t i = 0; i < ORR_COUNT_OF(KEYS); i++) {
        value = json_object_get(doc->root, KEYS[i]);
        if (value && json_typeof(value) != JSON_OBJECT)
            return orr_doc_fail(doc, KEYS[i], error, "must be an object, not %s", orr_json_shown(shown, value));
    }
    json_object_foreach((json_t *)chosen, key, value)
    {
        if (!are_texts(value))
            return orr_doc_fail(doc, orr_key_path(path, "chosen_with", key), error,
                                "must be an array of sources of measurements, not %s", orr_json_shown(shown, value));
        if (!json_object_get(doc->root, key))
            return orr_doc_fail(doc, orr_key_path(path, "chosen_with", key), error, "is not a key of this file");
    }
    json_object_foreach(json_object_get(doc->root, "undo"), key, value)
    {
        if (!json_object_get(chosen, key))
            return orr_doc_fail(doc, orr_key_path(path, "undo", key), error, "is not a key of \"chosen_with\"");
    }
    return ORR_OK;
}

enum orr_err orr_undo_apply(struct orr_doc *doc, const char *source, struct orr_error *error)
{
    json_t *chosen = json_object_get(doc->root, "chosen_with"), *before = json_object_get(doc->root, "undo");
    const enum orr_err err = check_shape(doc, chosen, error);
    const char *key;
    json_t *sources;
    if (err) return err;
    json_object_foreach(chosen, key, sources)
    {
        json_t *value = json_object_get(before, key);
        if (!source || !names_source(sources, source)) continue;
        if (value ? json_object_set(doc->root, key, value) : json_object_del(doc->root, key))
            return orr_out_of_memory(error, NULL);
        /* A key that is gone has no source: a part that states one for a key it lacks is not read. */
        if (!value) (void)json_object_del(json_object_get(doc->root, "sources"), key);
    }
    (void)json_object_del(doc->root, "chosen_with");
    (void)json_object_del(doc->root, "undo");
    return ORR_OK;
}
