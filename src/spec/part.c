/* References -> JSON of a part: catalogue or disk, then "base", then the request's "set". */
#include "spec/origin.h"
#include "spec/part.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "spec/names.h"
#include "spec/sources.h"
#include "spec/technology.h"

enum { BASES_MAX = 16, STEPS_MAX = 16 };

/* ---------------------------------------------------------------- references */

enum orr_err orr_reference_from(const struct orr_doc *doc, const char *path, const json_t *value, enum orr_part part,
                                struct orr_reference *reference, struct orr_error *error)
{
    char shown[ORR_SHOWN];
    *reference = (struct orr_reference){.part = part, .doc = doc, .path = path};
    if (!value)
        return orr_doc_fail(doc, "", error, "missing key \"%s\": a catalogue id, a file path or an object", path);
    if (json_is_object(value)) reference->object = value;
    else if (json_is_string(value) && json_string_length(value) > 0) reference->name = json_string_value(value);
    else
        return orr_doc_fail(doc, path, error, "must be a catalogue id, a file path or an object, not %s",
                            orr_json_shown(shown, value));
    return ORR_OK;
}

enum orr_err orr_reference_read(const struct orr_doc *doc, const char *key, char id[ORR_ID], struct orr_error *error)
{
    struct orr_reference reference;
    id[0] = '\0';
    const json_t *value = json_object_get(doc->root, key);
    const enum orr_err err = orr_reference_from(doc, key, value, ORR_PART_CHIP, &reference, error);
    if (!err && reference.name && strlen(reference.name) < ORR_ID) orr_copy_line(id, ORR_ID, reference.name);
    return err;
}

enum orr_err orr_reference_fail(const struct orr_reference *reference, enum orr_err code, struct orr_error *error,
                                const char *format, ...)
{
    char message[ORR_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!reference->doc) return orr_fail(error, code, (struct orr_place){0}, "%s", message);
    if (orr_doc_fail(reference->doc, reference->path, error, "%s", message) == ORR_ERR_MEMORY) return ORR_ERR_MEMORY;
    if (error) error->code = code;
    return code;
}

static enum orr_err fail_unknown(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                 struct orr_error *error)
{
    char hint[ORR_HINT];
    size_t n_ids;
    const char *const *ids = orr_catalogue_ids(catalogue, reference->part, &n_ids);
    if (reference->part == ORR_PART_MODEL) orr_model_nearest(catalogue, reference->name, hint);
    else orr_did_you_mean(hint, reference->name, ids, n_ids);
    return orr_reference_fail(reference, ORR_ERR_INPUT, error, "unknown %s \"%.100s\"%s; see 'orrery list %s'",
                              orr_part_word(reference->part), reference->name, hint, orr_part_name(reference->part));
}

/* ---------------------------------------------------------------- sources of text */

static bool is_path(const char *name)
{
    const size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

/* Finds the path of a reference to a file; false if the path is too long. */
static bool path_of(const struct orr_reference *reference, char path[ORR_FILE_PATH])
{
    const bool relative = reference->folder && reference->folder[0] && reference->name[0] != '/';
    return orr_path_join(path, relative ? reference->folder : "", reference->name);
}

/* The id is the last name of a path without ".json", but for a config.json the name of its folder, which says more. */
static void id_from_path(char id[ORR_ID], const char *path)
{
    size_t end = strlen(path);
    const size_t config = strlen("/config.json");
    if (end > config && strcmp(path + end - config, "/config.json") == 0) end -= config;
    else if (end > 5 && strcmp(path + end - 5, ".json") == 0) end -= 5;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    char name[ORR_FILE_PATH];
    const size_t length = end - start < sizeof name ? end - start : sizeof name - 1;
    memcpy(name, path + start, length);
    name[length] = '\0';
    orr_copy_line(id, ORR_ID, length > 0 ? name : "config");
}

static void folder_from_path(char folder[ORR_FILE_PATH], const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    (void)snprintf(folder, ORR_FILE_PATH, "%.*s", (int)length, length ? path : "");
    if (length == 0) (void)snprintf(folder, ORR_FILE_PATH, "./");
}

static enum orr_err parse_entry(const struct orr_entry *entry, struct orr_part_doc *part, struct orr_error *error)
{
    if (entry->file) {
        (void)snprintf(part->file, sizeof part->file, "%s", entry->file);
        folder_from_path(part->folder, entry->file);
    } else {
        (void)snprintf(part->file, sizeof part->file, "%s/%s.json", orr_part_name(entry->part), entry->id);
    }
    orr_copy_line(part->id, sizeof part->id, entry->id);
    return orr_doc_parse(entry->text, part->file, &part->doc, error);
}

static enum orr_err parse_file(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                               struct orr_part_doc *part, struct orr_error *error)
{
    const bool from_file = reference->folder && reference->folder[0];
    if (!from_file && orr_catalogue_is_sealed(catalogue)) /* a file of the catalogue may name another one */
        return orr_reference_fail(reference, ORR_ERR_INPUT, error,
                                  "must be a catalogue id or an object; files cannot be named here");
    char path[ORR_FILE_PATH];
    bool fits = path_of(reference, path);
    if (fits && reference->part == ORR_PART_MODEL && orr_is_folder(path)) {
        char folder[ORR_FILE_PATH];
        memcpy(folder, path, sizeof folder);
        fits = orr_path_join(path, folder, "config.json");
        part->whole_folder = true;
    }
    const char *why = fits ? orr_file_read(path, &part->text) : "the path is too long";
    if (why)
        return orr_reference_fail(reference, ORR_ERR_IO, error, "cannot read %s \"%.200s\": %s",
                                  orr_part_word(reference->part), fits ? path : reference->name, why);
    memcpy(part->file, path, sizeof part->file);
    folder_from_path(part->folder, path);
    id_from_path(part->id, path);
    return orr_doc_parse(part->text, part->file, &part->doc, error);
}

static enum orr_err copy_object(const struct orr_reference *reference, struct orr_part_doc *part,
                                struct orr_error *error)
{
    const struct orr_doc *holder = reference->doc;
    orr_copy_line(part->id, sizeof part->id, "custom");
    orr_key_path(part->prefix, holder->prefix, reference->path);
    (void)snprintf(part->file, sizeof part->file, "%s", holder->file ? holder->file : "");
    if (reference->folder) (void)snprintf(part->folder, sizeof part->folder, "%s", reference->folder);
    part->doc = (struct orr_doc){
        .root = json_deep_copy(reference->object), .text = holder->text, .file = part->file, .prefix = part->prefix};
    return part->doc.root ? ORR_OK : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

/* ---------------------------------------------------------------- base */

/* The parts whose "base" is being followed, innermost first. */
struct chain {
    const struct chain *outer;
    const char *text; /* identifies an entry */
    const char *file; /* identifies a file */
    int depth;
};

static bool in_chain(const struct chain *chain, const struct orr_part_doc *part)
{
    for (; chain; chain = chain->outer)
        if (chain->text == part->doc.text || (part->text && strcmp(chain->file, part->file) == 0)) return true;
    return false;
}

static enum orr_err open_merged(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                const struct orr_entry *entry, const struct chain *outer, struct orr_part_doc *part,
                                struct orr_error *error);

/* Finds the entry that a base names. A part that hides another of the same id may use the hidden one as its base. */
static enum orr_err find_base(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                              const struct orr_entry *own, const struct orr_entry **entry, struct orr_error *error)
{
    enum orr_match match;
    const enum orr_err err = orr_catalogue_find(catalogue, reference->part, reference->name, entry, &match, error);
    if (err || !own || *entry != own) return err;
    *entry = orr_catalogue_hidden(catalogue, own);
    return *entry ? ORR_OK : orr_reference_fail(reference, ORR_ERR_INPUT, error, "\"%s\" is its own base", own->id);
}

/* Takes out of a base what names it and nothing else: a part based on a version of a stack is not that version. */
static void drop_names(enum orr_part kind, json_t *root)
{
    static const char *const NAMES[] = {"family", "family_aliases", "version", "covers", "default"};
    json_object_del(root, "aliases");
    for (size_t i = 0; kind == ORR_PART_ENGINE && i < ORR_COUNT_OF(NAMES); i++) json_object_del(root, NAMES[i]);
}

/* Replaces the part's tree by that of its base, overridden by the part's own keys. */
static enum orr_err merge_base(const struct orr_catalogue *catalogue, enum orr_part kind, const struct orr_entry *own,
                               const struct chain *outer, struct orr_part_doc *part, struct orr_error *error)
{
    struct orr_reference reference;
    const json_t *name = json_object_get(part->doc.root, "base");
    enum orr_err err = orr_reference_from(&part->doc, "base", name, kind, &reference, error);
    if (err) return err;
    if (!reference.name)
        return orr_doc_fail(&part->doc, "base", error, "must be a catalogue id or a file path, not an object");
    reference.folder = part->folder;
    const struct orr_entry *entry;
    err = find_base(catalogue, &reference, own, &entry, error);
    if (err) return err;
    const struct chain chain = {outer, part->doc.text, part->file, outer ? outer->depth + 1 : 1};
    if (chain.depth > BASES_MAX)
        return orr_doc_fail(&part->doc, "base", error, "is more than %d bases deep", BASES_MAX);
    struct orr_part_doc *base = calloc(1, sizeof *base);
    if (!base) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    if (part->origins) base->origins = json_object();
    err = open_merged(catalogue, &reference, entry, &chain, base, error);
    if (!err) {
        json_object_del(part->doc.root, "base"); /* invalidates reference.name */
        drop_names(kind, base->doc.root);
        if (!orr_sources_note(&part->doc, &base->doc) ||
            json_object_update_recursive(base->doc.root, part->doc.root) != 0)
            err = orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    }
    if (!err) {
        json_t *merged = base->doc.root, *origins = base->origins;
        base->doc.root = part->doc.root;
        part->doc.root = merged;
        if (origins) json_object_update(origins, part->origins);
        base->origins = part->origins;
        part->origins = origins;
    }
    orr_part_close(base);
    free(base);
    return err;
}

/* A name that is no id is a file or folder that exists, else a model by another of its names, else an error that names
 * the nearest model. Names of other parts are ids or paths. */
static enum orr_err parse_name(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                               struct orr_part_doc *part, struct orr_error *error)
{
    char path[ORR_FILE_PATH];
    const struct orr_entry *entry = NULL;
    const bool model = reference->part == ORR_PART_MODEL, file = is_path(reference->name);
    const bool sealed = orr_catalogue_is_sealed(catalogue) && !(reference->folder && reference->folder[0]);
    const bool on_disk = model && !sealed && path_of(reference, path);
    const bool there = on_disk && (orr_is_folder(path) || (file && orr_is_file(path)));
    part->match = ORR_MATCH_ID; /* a path is no other name of what it holds */
    if (there || (file && !model)) return parse_file(catalogue, reference, part, error);
    const char *id = model ? orr_model_named(catalogue, reference->name, part->format) : NULL;
    const enum orr_err err =
        id ? orr_catalogue_find(catalogue, ORR_PART_MODEL, id, &entry, &part->match, error) : ORR_OK;
    if (err) return err;
    if (!entry && file && !orr_is_hub_name(reference->name)) return parse_file(catalogue, reference, part, error);
    if (!entry) return fail_unknown(catalogue, reference, error);
    part->named = true;
    return parse_entry(entry, part, error);
}

/* Opens and merges a part without applying "set". `entry` is the entry if it is known, or NULL to look it up. */
static enum orr_err open_merged(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                const struct orr_entry *entry, const struct chain *outer, struct orr_part_doc *part,
                                struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    if (!entry && reference->name)
        err = orr_catalogue_find(catalogue, reference->part, reference->name, &entry, &part->match, error);
    if (err) return err;
    if (!entry && reference->part == ORR_PART_SYSTEM && reference->name && orr_is_generated(reference->name))
        return orr_generated_open(catalogue, reference, part, error);
    if (reference->object) err = copy_object(reference, part, error);
    else if (entry) err = parse_entry(entry, part, error);
    else err = parse_name(catalogue, reference, part, error);
    if (err) return err;
    if (in_chain(outer, part))
        return orr_reference_fail(reference, ORR_ERR_INPUT, error, "bases form a cycle through \"%.100s\"", part->id);
    err = orr_undo_apply(&part->doc, orr_catalogue_left_out(catalogue), error);
    if (err) return err;
    if (part->origins) orr_origins_note(part->origins, part->doc.root, part->id);
    if (!json_object_get(part->doc.root, "base"))
        return orr_sources_note(&part->doc, NULL) ? ORR_OK : orr_out_of_memory(error, NULL);
    return merge_base(catalogue, reference->part, entry, outer, part, error);
}

/* ---------------------------------------------------------------- set */

/* The member `name` of an object or the element of an array; NULL if there is none. */
static json_t *step_into(json_t *holder, const char *name)
{
    if (json_is_object(holder)) return json_object_get(holder, name);
    char *end;
    const unsigned long index = strtoul(name, &end, 10);
    const bool number = name[0] >= '0' && name[0] <= '9' && *end == '\0';
    return number ? json_array_get(holder, index) : NULL;
}

static int put(json_t *holder, const char *name, json_t *value)
{
    if (json_is_object(holder)) return json_object_set(holder, name, value);
    return json_array_set(holder, strtoul(name, NULL, 10), value);
}

/* Puts `value` at a dotted path below root and makes objects on the way. The result is NULL, or why it failed. */
static const char *put_at(json_t *root, const char *path, json_t *value)
{
    json_t *holder = root;
    for (int steps = 0; steps < STEPS_MAX; steps++) {
        char name[ORR_KEY_PATH];
        const size_t length = strcspn(path, ".");
        if (length == 0 || length >= sizeof name)
            return "is not a path: a name between two dots is missing or too long";
        memcpy(name, path, length);
        name[length] = '\0';
        json_t *inside = step_into(holder, name);
        if (!inside && !json_is_object(holder))
            return json_is_array(holder) ? "leads past the end of an array" : "leads into a value that has no keys";
        if (path[length] == '\0') return put(holder, name, value) == 0 ? NULL : "cannot be set: out of memory";
        if (!inside) {
            inside = json_object();
            if (json_object_set_new(holder, name, inside) != 0) return "cannot be set: out of memory";
        }
        holder = inside;
        path += length + 1;
    }
    return "has too many dots";
}

/* The rest of a "set" path inside this part; NULL if it lies in another part. Plan and workload are the request's. */
static const char *own_path(const char *key, const char *part)
{
    if (part[0] == '\0') return strncmp(key, "plan.", 5) == 0 || strncmp(key, "workload.", 9) == 0 ? key : NULL;
    const size_t length = strlen(part);
    return strncmp(key, part, length) == 0 && key[length] == '.' ? key + length + 1 : NULL;
}

enum orr_err orr_set_apply(struct orr_doc *doc, struct orr_error *error)
{
    if (!doc->set) return ORR_OK;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)doc->set->values, key, value)
    {
        const char *path = own_path(key, doc->set->part);
        if (!path) continue;
        const char *why = put_at(doc->root, path, value);
        if (why && !*path) /* The whole part would be blamed for it. */
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = doc->set->file, .key = "set"},
                            "\"%.80s\" ends in a dot: expected a key, like \"chip.hbm_bytes_per_s\"", key);
        if (why) return orr_doc_fail(doc, path, error, "%s", why);
    }
    return ORR_OK;
}

/* ---------------------------------------------------------------- opening */

enum orr_err orr_part_open(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                           const struct orr_set *set, struct orr_part_doc *part, struct orr_error *error)
{
    memset(part, 0, sizeof *part);
    const enum orr_err err = open_merged(catalogue, reference, NULL, NULL, part, error);
    if (err || !set) return err;
    part->set = *set;
    part->set.part = orr_part_word(reference->part);
    part->doc.set = &part->set;
    return orr_set_apply(&part->doc, error);
}

enum orr_err orr_part_trace(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                            struct orr_part_doc *part, struct orr_error *error)
{
    memset(part, 0, sizeof *part);
    part->origins = json_object();
    return part->origins ? open_merged(catalogue, reference, NULL, NULL, part, error) : orr_out_of_memory(error, NULL);
}

void orr_part_close(struct orr_part_doc *part)
{
    json_decref(part->origins);
    part->origins = NULL;
    orr_doc_close(&part->doc);
    free(part->text);
    part->text = NULL;
}
