/* Shapes of experts for which a stack ships tiles on a chip (Eq. 390): {"vllm": {"CHIP": {"bf16": "805:8x7168 ..."}}}
 * names the first release, the experts of a rank and their width there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "spec/names.h"
#include "spec/spec.h"

enum { MOST_EXPERTS = UINT16_MAX, MOST_WIDTH = 1 << 24, MOST_RELEASE = 1000000 };

/* Read a whole number up to `most` and the character behind it. */
static bool read_count(const char **text, char end, long most, long *value)
{
    char *rest;
    if (**text < '0' || **text > '9') return false;
    *value = strtol(*text, &rest, 10);
    if (*value > most || *rest != end) return false;
    *text = rest + (end != '\0');
    return true;
}

static bool read_shape(const char *word, struct orr_tuned_shape *shape)
{
    long release, experts, width;
    if (!read_count(&word, ':', MOST_RELEASE, &release) || !read_count(&word, 'x', MOST_EXPERTS, &experts) ||
        !read_count(&word, '\0', MOST_WIDTH, &width))
        return false;
    shape->release = (uint32_t)release;
    shape->experts = (uint16_t)experts;
    shape->width = (uint32_t)width;
    return experts > 0 && width > 0;
}

/* The shapes of one format; `shape` has the files and the format. Those of other chips are only checked. */
static enum orr_err read_shapes(const struct orr_doc *doc, const char *path, const json_t *value, bool kept,
                                struct orr_tuned_shape shape, struct orr_calibration *calibration,
                                struct orr_error *error)
{
    char word[64];
    const char *words = json_string_value(value);
    if (!words) return orr_doc_fail(doc, path, error, "must be a text such as \"805:8x7168 1100:128x768\"");
    while (orr_next_word(&words, ' ', word, sizeof word)) {
        if (!read_shape(word, &shape))
            return orr_doc_fail(doc, path, error,
                                "\"%s\" is no RELEASE:EXPERTSxWIDTH such as 805:8x7168 (release 0.8.5)", word);
        if (!kept) continue;
        if (calibration->n_tuned == ORR_MAX_TUNED)
            return orr_doc_fail(doc, path, error, "more than %d shapes for one chip", ORR_MAX_TUNED);
        calibration->tuned[calibration->n_tuned++] = shape;
    }
    return ORR_OK;
}

static int index_of(const char *key, const char *const *names, int n)
{
    int i = 0;
    while (i < n && strcmp(key, names[i]) != 0) i++;
    return i;
}

static enum orr_err read_chip(const struct orr_doc *doc, const char *path, const json_t *formats, bool kept,
                              enum orr_tile_files files, struct orr_calibration *calibration, struct orr_error *error)
{
    char inner[ORR_KEY_PATH];
    const char *key;
    json_t *value;
    if (!json_is_object(formats)) return orr_doc_fail(doc, path, error, "must be an object of dtypes");
    json_object_foreach((json_t *)formats, key, value)
    {
        const int dtype = index_of(key, orr_dtype_names, ORR_N_DTYPES);
        if (dtype == ORR_N_DTYPES) return orr_doc_fail_unknown(doc, path, key, orr_dtype_names, ORR_N_DTYPES, error);
        const struct orr_tuned_shape shape = {.files = (uint8_t)files, .dtype = (uint8_t)dtype};
        const enum orr_err err =
            read_shapes(doc, orr_key_path(inner, path, key), value, kept, shape, calibration, error);
        if (err) return err;
    }
    return ORR_OK;
}

static enum orr_err read_files(const struct orr_doc *doc, const char *path, const json_t *chips, const char *chip_id,
                               enum orr_tile_files files, struct orr_calibration *calibration, struct orr_error *error)
{
    char inner[ORR_KEY_PATH];
    const char *key;
    json_t *value;
    if (!json_is_object(chips)) return orr_doc_fail(doc, path, error, "must be an object of chip ids");
    json_object_foreach((json_t *)chips, key, value)
    {
        const bool kept = strcmp(key, chip_id) == 0;
        const enum orr_err err = read_chip(doc, orr_key_path(inner, path, key), value, kept, files, calibration, error);
        if (err) return err;
    }
    return ORR_OK;
}

enum orr_err orr_tuned_read(const struct orr_doc *doc, const char *chip_id, struct orr_calibration *calibration,
                            struct orr_error *error)
{
    static const char KEY[] = "tuned_experts";
    char path[ORR_KEY_PATH];
    const char *key;
    json_t *value, *table = json_object_get(doc->root, KEY);
    if (!table) return ORR_OK;
    if (!json_is_object(table)) return orr_doc_fail(doc, KEY, error, "must be an object of whose files they are");
    json_object_foreach(table, key, value)
    {
        const int files = index_of(key, orr_tile_files_names, ORR_N_TILE_FILES);
        if (files == ORR_N_TILE_FILES || files == ORR_TILES_NONE)
            return orr_doc_fail_unknown(doc, KEY, key, orr_tile_files_names + 1, ORR_N_TILE_FILES - 1, error);
        const enum orr_err err = read_files(doc, orr_key_path(path, KEY, key), value, chip_id,
                                            (enum orr_tile_files)files, calibration, error);
        if (err) return err;
    }
    return ORR_OK;
}
