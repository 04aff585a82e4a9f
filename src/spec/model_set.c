/* Overrides of a config: a "set" value that no reader looked for is an error, so that it is not silently ignored. */
#include <stdio.h>
#include <string.h>

#include "spec/model.h"

/* Is one dotted name equal to the other, or inside it? */
static bool related(const char *a, size_t a_length, const char *b, size_t b_length)
{
    const size_t common = a_length < b_length ? a_length : b_length;
    return !strncmp(a, b, common) && (a_length == common || a[common] == '.') &&
           (b_length == common || b[common] == '.');
}

static bool was_asked(const struct orr_config *config, const char *key)
{
    for (size_t i = 0; i < config->n_asked; i++) {
        for (const char *name = config->asked[i]; *name; name += strspn(name, "|")) {
            const size_t length = strcspn(name, "|");
            if (related(name, length, key, strlen(key))) return true;
            name += length;
        }
    }
    return false;
}

/* `key` is dotted from the object named `inside`. */
static void fail_unknown(struct orr_config *config, const char *inside, const char *key)
{
    char names[ORR_ASKED_MAX][ORR_ASKED_NAME];
    const char *known[ORR_ASKED_MAX];
    for (size_t i = 0; i < config->n_asked; i++) {
        snprintf(names[i], ORR_ASKED_NAME, "%.*s", (int)strcspn(config->asked[i], "|"), config->asked[i]);
        known[i] = names[i];
    }
    config->err = orr_doc_fail_unknown(config->doc, inside, key, known, config->n_asked, config->error);
}

/* Checks one override, whose key is dotted from the root. */
static void check(struct orr_config *config, const char *key)
{
    const size_t inner = strlen(config->prefix);
    if (!strcmp(key, "model_type") || !strcmp(key, "tie_word_embeddings") || !strcmp(key, config->prefix)) return;
    if (inner && !strncmp(key, config->prefix, inner) && key[inner] == '.') {
        if (!was_asked(config, key + inner + 1)) fail_unknown(config, config->prefix, key + inner + 1);
    } else if (!was_asked(config, key)) {
        fail_unknown(config, "", key);
    } else if (inner) {
        orr_config_fail(config, key, "the text model of this config is inside \"%s\": name it \"%s.%s\"",
                        config->prefix, config->prefix, key);
    }
}

void orr_config_check_set(struct orr_config *config)
{
    const struct orr_set *set = config->doc->set;
    if (!set) return;
    json_t *values = (json_t *)(uintptr_t)set->values; /* the iterator is not const */
    const size_t part = strlen(set->part);
    for (void *at = json_object_iter(values); at && !config->err; at = json_object_iter_next(values, at)) {
        const char *key = json_object_iter_key(at);
        if (!strncmp(key, set->part, part) && key[part] == '.') check(config, key + part + 1);
    }
}
