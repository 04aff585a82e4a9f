/* A reference ("a100-80g-sxm", "my/chip.json", an object in place) -> the JSON of its part, which is found in the
 * catalogue or on disk, merged with its bases, and overridden by the request's "set". */
#ifndef ORR_SPEC_PART_H
#define ORR_SPEC_PART_H

#include "base/text.h"
#include "spec/file.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- catalogue entries (catalogue.c) */

struct orr_entry {
    enum orr_part part;
    const char *id, *text;
    const char *file; /* path on disk; NULL: built in */
    size_t rank;      /* 0: built in; then the directories in order; the highest rank hides the others */
};

/* Finds the entry that a name of an engine, system or chip means: an id, an alias, or a version of an engine's family
 * (family.h). Other parts have ids only. *entry is NULL if there is none. It fails only if a file that may have the name
 * is not valid JSON. */
enum orr_err orr_catalogue_find(const struct orr_catalogue *catalogue, enum orr_part part, const char *name,
                                const struct orr_entry **entry, enum orr_match *match, struct orr_error *error);
/* Finds a calibration in the user's directories, the last directory first, that was fitted on the chip; *id is NULL if
 * there is none. It fails only if a calibration that names the chip is not valid JSON. */
enum orr_err orr_catalogue_fitted(const struct orr_catalogue *catalogue, const char *chip_id, const char **id,
                                  struct orr_error *error);
/* The entry of the same part and id that this one hides; NULL if there is none. */
const struct orr_entry *orr_catalogue_hidden(const struct orr_catalogue *catalogue, const struct orr_entry *entry);
/* Are requests forbidden to name files? */
bool orr_catalogue_is_sealed(const struct orr_catalogue *catalogue);
/* All ids of a part, for the nearest-name search. */
const char *const *orr_catalogue_ids(const struct orr_catalogue *catalogue, enum orr_part part, size_t *n_ids);

/* ---------------------------------------------------------------- names of models (model_find.c) */

/* Is it a shape from a paper or benchmark, which lists hide, and not a model that people use? */
bool orr_catalogue_is_synthetic(const struct orr_catalogue *catalogue, const char *id);
/* Is it OWNER/NAME, as names on a hub are? A path of that form means a file only if the file exists. */
bool orr_is_hub_name(const char *name);
/* ` (did you mean "llama2-7b"?)`, or "" if no name is near. */
void orr_model_nearest(const struct orr_catalogue *catalogue, const char *name, char hint[ORR_HINT]);

/* ---------------------------------------------------------------- references (part.c) */

struct orr_reference {
    enum orr_part part;
    const char *name; /* id or path; NULL: an object in place */
    const json_t *object;
    const struct orr_doc *doc; /* document that holds the reference, for errors; NULL: none */
    const char *path;          /* key of the reference in `doc` */
    const char *folder;        /* folder from which a relative path starts; NULL: the working directory */
};

/* A part's JSON. doc points into the other members: do not copy or move the struct. */
struct orr_part_doc {
    struct orr_doc doc;
    char id[ORR_ID];
    bool named;                   /* a model found by a name that is not its id */
    enum orr_match match;         /* how the name of an engine, system or chip led here */
    bool whole_folder;            /* a model given as a folder, where the files beside its config are checked */
    char format[ORR_FORMAT_NAME]; /* weight format that the name states */
    char file[ORR_FILE_PATH];
    char folder[ORR_FILE_PATH]; /* folder of the file; "": not from disk */
    char prefix[ORR_KEY_PATH];
    char *text; /* owned when read from disk */
    struct orr_set set;
};

/* Finds and reads a part, merges it with "base" and applies `set` (NULL: none). Close the part even after an error. */
enum orr_err orr_part_open(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                           const struct orr_set *set, struct orr_part_doc *part, struct orr_error *error);
void orr_part_close(struct orr_part_doc *part);

/* Makes a reference of the text or object at `path` of a document; a NULL value is an error. */
enum orr_err orr_reference_from(const struct orr_doc *doc, const char *path, const json_t *value, enum orr_part part,
                                struct orr_reference *reference, struct orr_error *error);
/* Reads the reference at `key` of the root as an id; "" if it is an object or a path that does not fit. */
enum orr_err orr_reference_read(const struct orr_doc *doc, const char *key, char id[ORR_ID], struct orr_error *error);

/* An error about the reference itself, at its place in the document. */
enum orr_err orr_reference_fail(const struct orr_reference *reference, enum orr_err code, struct orr_error *error,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Put the values of doc->set into doc->root. */
enum orr_err orr_set_apply(struct orr_doc *doc, struct orr_error *error);

/* A model read from a folder with an hf_quant_config.json takes its quantisation from there, unless its own
 * configuration says it (quant_file.c). */
enum orr_err orr_quant_config_join(struct orr_part_doc *part, struct orr_error *error);

/* ---------------------------------------------------------------- readers of whole parts (load.c) */

enum orr_err orr_model_load(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                            const struct orr_set *set, struct orr_model *model, struct orr_error *error);
/* Checks the files beside a config in its folder: the bytes that model.safetensors.index.json states must be those of
 * the parameters (model_index.c). */
enum orr_err orr_model_check_index(const struct orr_part_doc *part, const struct orr_model *model,
                                   struct orr_error *error);
/* Loads a system with its chip and the chip's calibration (NULL: without the calibration). */
enum orr_err orr_system_load(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             const struct orr_set *set, struct orr_system *system, struct orr_calibration *calibration,
                             struct orr_error *error);
enum orr_err orr_engine_load(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             const struct orr_set *set, struct orr_engine *engine, struct orr_error *error);

#endif
