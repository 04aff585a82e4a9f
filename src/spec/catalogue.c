/* The catalogue: built-in parts and those of the user's directories, sorted by kind and id. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/plain.h"
#include "spec/builtin.h"
#include "spec/family.h"
#include "spec/json_memory.h"
#include "spec/part.h"

struct orr_catalogue {
    struct orr_entry *entries; /* sorted by part, id, falling rank */
    size_t n_entries, capacity;
    const struct orr_entry **visible; /* first of every part and id */
    const char **ids;                 /* ids of `visible`, in the same order */
    size_t first[ORR_N_PARTS + 1];    /* index at which a part begins in `visible` and `ids` */
    char **owned;                     /* texts, paths and ids of the user's files */
    size_t n_owned;
    bool sealed; /* requests cannot name files */
    const char *left_out; /* source of measurements that nobody has seen; NULL: none */
};

/* ---------------------------------------------------------------- filling */

static bool add_entry(struct orr_catalogue *catalogue, struct orr_entry entry)
{
    if (catalogue->n_entries == catalogue->capacity) {
        const size_t capacity = catalogue->capacity ? 2 * catalogue->capacity : 128;
        struct orr_entry *entries = realloc(catalogue->entries, capacity * sizeof *entries);
        if (!entries) return false;
        catalogue->entries = entries;
        catalogue->capacity = capacity;
    }
    catalogue->entries[catalogue->n_entries++] = entry;
    return true;
}

/* Take ownership of a malloc'd string. Out of memory (as for NULL) it frees the string and returns false. */
static bool own(struct orr_catalogue *catalogue, char *string)
{
    char **owned = string ? realloc(catalogue->owned, (catalogue->n_owned + 1) * sizeof *owned) : NULL;
    if (!owned) {
        free(string);
        return false;
    }
    catalogue->owned = owned;
    owned[catalogue->n_owned++] = string;
    return true;
}

static bool add_builtins(struct orr_catalogue *catalogue)
{
    for (size_t i = 0; i < orr_n_builtins; i++)
        for (int part = 0; part < ORR_N_PARTS; part++)
            if (strcmp(orr_builtins[i].part, orr_part_name((enum orr_part)part)) == 0 &&
                !add_entry(catalogue, (struct orr_entry){.part = (enum orr_part)part,
                                                         .id = orr_builtins[i].id,
                                                         .text = orr_builtins[i].text}))
                return false;
    return true;
}

/* Add one file of a user's directory. */
static enum orr_err add_file(struct orr_catalogue *catalogue, enum orr_part part, const char *folder, const char *name,
                             size_t rank, struct orr_error *error)
{
    char path[ORR_FILE_PATH];
    char *text = NULL;
    const bool fits = orr_path_join(path, folder, name);
    const struct orr_place place = {.file = fits ? path : name};
    const char *why = fits ? orr_file_read(path, &text) : "the path is too long";
    if (why) return orr_fail(error, ORR_ERR_IO, place, "%s", why);
    if (!own(catalogue, text)) return orr_out_of_memory(error, NULL);
    const size_t length = strlen(name) - strlen(".json");
    if (length >= ORR_ID)
        return orr_fail(error, ORR_ERR_INPUT, place, "the name is too long for an id (at most %d bytes)", ORR_ID - 1);
    char *file = strdup(path);
    if (!own(catalogue, file)) return orr_out_of_memory(error, NULL);
    char *id = strndup(name, length);
    if (!own(catalogue, id)) return orr_out_of_memory(error, NULL);
    const struct orr_entry entry = {.part = part, .id = id, .text = text, .file = file, .rank = rank};
    return add_entry(catalogue, entry) ? ORR_OK : orr_out_of_memory(error, NULL);
}

/* Add one folder of a user's directory; the folder may be missing. */
static enum orr_err add_folder(struct orr_catalogue *catalogue, enum orr_part part, const char *directory, size_t rank,
                               struct orr_error *error)
{
    char folder[ORR_FILE_PATH];
    char **names = NULL;
    size_t n_names = 0;
    const bool fits = orr_path_join(folder, directory, orr_part_name(part));
    const char *why = fits ? orr_folder_list(folder, &names, &n_names) : "the path is too long";
    if (why) return orr_fail(error, ORR_ERR_IO, (struct orr_place){.file = fits ? folder : directory}, "%s", why);
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < n_names && !err; i++) err = add_file(catalogue, part, folder, names[i], rank, error);
    orr_names_free(names, n_names);
    return err;
}

static enum orr_err add_directory(struct orr_catalogue *catalogue, const char *directory, size_t rank,
                                  struct orr_error *error)
{
    if (!orr_is_folder(directory))
        return orr_fail(error, ORR_ERR_IO, (struct orr_place){.file = directory},
                        "no such directory (a catalogue holds models/, chips/, systems/, engines/, calibration/, "
                        "technologies/, designs/, memories/, networks/, fabrics/)");
    enum orr_err err = ORR_OK;
    for (int part = 0; part < ORR_N_PARTS && !err; part++)
        err = add_folder(catalogue, (enum orr_part)part, directory, rank, error);
    return err;
}

/* ---------------------------------------------------------------- order */

static int compare_entries(const void *a, const void *b)
{
    const struct orr_entry *x = a, *y = b;
    if (x->part != y->part) return x->part < y->part ? -1 : 1;
    const int order = strcmp(x->id, y->id);
    return order != 0 ? order : (x->rank < y->rank) - (x->rank > y->rank);
}

static bool sort_entries(struct orr_catalogue *catalogue)
{
    const size_t n = catalogue->n_entries;
    catalogue->visible = malloc((n + 1) * sizeof *catalogue->visible);
    catalogue->ids = malloc((n + 1) * sizeof *catalogue->ids);
    if (!catalogue->visible || !catalogue->ids) return false;
    if (n > 0) qsort(catalogue->entries, n, sizeof *catalogue->entries, compare_entries);
    size_t n_visible = 0, i = 0;
    for (size_t part = 0; part < ORR_N_PARTS; part++) {
        catalogue->first[part] = n_visible;
        for (; i < n && catalogue->entries[i].part == (enum orr_part)part; i++) {
            const struct orr_entry *entry = &catalogue->entries[i];
            const bool hidden =
                n_visible > catalogue->first[part] && strcmp(catalogue->ids[n_visible - 1], entry->id) == 0;
            if (hidden) continue;
            catalogue->visible[n_visible] = entry;
            catalogue->ids[n_visible++] = entry->id;
        }
    }
    catalogue->first[ORR_N_PARTS] = n_visible;
    return true;
}

enum orr_err orr_catalogue_open(const char *const *directories, size_t n_directories, struct orr_catalogue **catalogue,
                                struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    orr_json_memory();
    *catalogue = calloc(1, sizeof **catalogue);
    if (!*catalogue) return orr_out_of_memory(error, NULL);
    enum orr_err err = add_builtins(*catalogue) ? ORR_OK : orr_out_of_memory(error, NULL);
    for (size_t i = 0; i < n_directories && !err; i++) err = add_directory(*catalogue, directories[i], i + 1, error);
    if (!err && !sort_entries(*catalogue)) err = orr_out_of_memory(error, NULL);
    if (err) {
        orr_catalogue_close(*catalogue);
        *catalogue = NULL;
    }
    return err;
}

void orr_catalogue_close(struct orr_catalogue *catalogue)
{
    if (!catalogue) return;
    orr_names_free(catalogue->owned, catalogue->n_owned);
    free(catalogue->entries);
    free(catalogue->visible);
    free(catalogue->ids);
    free(catalogue);
}

void orr_catalogue_seal(struct orr_catalogue *catalogue)
{
    catalogue->sealed = true;
}

/* ---------------------------------------------------------------- looking up */

struct orr_catalogue *orr_catalogue_without(const struct orr_catalogue *catalogue, const char *source)
{
    struct orr_catalogue *view = malloc(sizeof *view);
    if (!view) return NULL;
    *view = *catalogue;
    view->left_out = source;
    return view;
}

void orr_catalogue_view_free(struct orr_catalogue *view)
{
    free(view);
}

const char *orr_catalogue_left_out(const struct orr_catalogue *catalogue)
{
    return catalogue->left_out;
}

bool orr_catalogue_is_sealed(const struct orr_catalogue *catalogue)
{
    return catalogue->sealed;
}

size_t orr_catalogue_count(const struct orr_catalogue *catalogue, enum orr_part part)
{
    return (unsigned)part < ORR_N_PARTS ? catalogue->first[part + 1] - catalogue->first[part] : 0;
}

const char *const *orr_catalogue_ids(const struct orr_catalogue *catalogue, enum orr_part part, size_t *n_ids)
{
    *n_ids = orr_catalogue_count(catalogue, part);
    return catalogue->ids + catalogue->first[part];
}

const char *orr_catalogue_id(const struct orr_catalogue *catalogue, enum orr_part part, size_t i)
{
    return i < orr_catalogue_count(catalogue, part) ? catalogue->ids[catalogue->first[part] + i] : NULL;
}

static const struct orr_entry *find_id(const struct orr_catalogue *catalogue, enum orr_part part, const char *id)
{
    if ((unsigned)part >= ORR_N_PARTS) return NULL;
    size_t low = catalogue->first[part], high = catalogue->first[part + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(id, catalogue->ids[middle]);
        if (order == 0) return catalogue->visible[middle];
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return NULL;
}

const char *orr_catalogue_text(const struct orr_catalogue *catalogue, enum orr_part part, const char *id)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_entry *entry = find_id(catalogue, part, id);
    return entry ? entry->text : NULL;
}

const struct orr_entry *orr_catalogue_hidden(const struct orr_catalogue *catalogue, const struct orr_entry *entry)
{
    const struct orr_entry *next = entry + 1;
    const bool same = next < catalogue->entries + catalogue->n_entries && next->part == entry->part &&
                      strcmp(next->id, entry->id) == 0;
    return same ? next : NULL;
}

/* Does `word` occur in `text`, ignoring case? Files in which it does not occur need not be parsed. */
static bool occurs(const char *text, const char *word)
{
    const size_t length = strlen(word);
    char piece[ORR_ID];
    if (length == 0 || length >= sizeof piece) return false;
    for (; strnlen(text, length) == length; text++) {
        memcpy(piece, text, length);
        piece[length] = '\0';
        if (orr_compare_nocase(piece, word) == 0) return true;
    }
    return false;
}

/* Finds out whether `word` is in the list of that key, ignoring case. */
static enum orr_err lists(const struct orr_entry *entry, const char *key, const char *word, bool *has,
                          struct orr_error *error)
{
    struct orr_doc doc;
    *has = false;
    const enum orr_err err = orr_doc_parse(entry->text, entry->file ? entry->file : entry->id, &doc, error);
    const json_t *words = err ? NULL : json_object_get(doc.root, key);
    for (size_t i = 0; i < json_array_size(words) && !*has; i++) {
        const char *name = json_string_value(json_array_get(words, i));
        *has = name && orr_compare_nocase(name, word) == 0;
    }
    orr_doc_close(&doc);
    return err;
}

/* Finds the entry whose id is the name in other letters, or whose file lists the name among its aliases. */
static enum orr_err find_alias(const struct orr_catalogue *catalogue, enum orr_part part, const char *name,
                               const struct orr_entry **entry, struct orr_error *error)
{
    for (size_t i = catalogue->first[part]; i < catalogue->first[part + 1]; i++) {
        const struct orr_entry *candidate = catalogue->visible[i];
        bool has = orr_compare_nocase(candidate->id, name) == 0;
        const bool may = !has && occurs(candidate->text, name);
        const enum orr_err err = may ? lists(candidate, "aliases", name, &has, error) : ORR_OK;
        if (err) return err;
        if (has) {
            *entry = candidate;
            return ORR_OK;
        }
    }
    return ORR_OK;
}

enum orr_err orr_catalogue_find(const struct orr_catalogue *catalogue, enum orr_part part, const char *name,
                                const struct orr_entry **entry, enum orr_match *match, struct orr_error *error)
{
    const bool aliased = part == ORR_PART_ENGINE || part == ORR_PART_SYSTEM || part == ORR_PART_CHIP;
    *entry = find_id(catalogue, part, name);
    *match = ORR_MATCH_ID;
    if (*entry || !aliased) return ORR_OK;
    enum orr_err err = find_alias(catalogue, part, name, entry, error);
    if (!err && !*entry && strlen(name) < ORR_ID) {
        char folded[ORR_ID];
        memcpy(folded, name, strlen(name) + 1);
        orr_fold_name(folded);
        if (strcmp(folded, name) != 0) err = find_alias(catalogue, part, folded, entry, error);
    }
    *match = ORR_MATCH_ALIAS;
    if (err || *entry || part != ORR_PART_ENGINE) return err;
    const char *id;
    err = orr_family_find(catalogue, name, &id, match, error);
    if (!err && id) *entry = find_id(catalogue, part, id);
    return err;
}

const char *orr_catalogue_named(const struct orr_catalogue *catalogue, enum orr_part part, const char *name)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_entry *entry = NULL;
    enum orr_match match;
    char format[ORR_FORMAT_NAME];
    if ((unsigned)part >= ORR_N_PARTS) return NULL;
    if (part == ORR_PART_MODEL) return orr_model_named(catalogue, name, format);
    return orr_catalogue_find(catalogue, part, name, &entry, &match, NULL) || !entry ? NULL : entry->id;
}

enum orr_err orr_catalogue_fitted(const struct orr_catalogue *catalogue, const char *chip_id, const char **id,
                                  struct orr_error *error)
{
    size_t rank = 0;
    *id = NULL;
    for (size_t i = catalogue->first[ORR_PART_CALIBRATION]; i < catalogue->first[ORR_PART_CALIBRATION + 1]; i++) {
        bool has = false;
        const struct orr_entry *candidate = catalogue->visible[i];
        if (candidate->rank <= rank || !occurs(candidate->text, chip_id)) continue;
        const enum orr_err err = lists(candidate, "chips", chip_id, &has, error);
        if (err) return err;
        if (!has) continue;
        *id = candidate->id;
        rank = candidate->rank;
    }
    return ORR_OK;
}
