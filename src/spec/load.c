/* Whole parts from references: a model, an engine, a system with its chip, the chip's calibration and the fabric. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/plain.h"
#include "spec/family.h"
#include "spec/format.h"
#include "spec/part.h"

static void part_free(struct orr_part_doc *part)
{
    if (!part) return;
    orr_part_close(part);
    free(part);
}

/* Open a reference into a new part document; *part is NULL only when out of memory. */
static enum orr_err part_new(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             const struct orr_set *set, struct orr_part_doc **part, struct orr_error *error)
{
    *part = calloc(1, sizeof **part);
    return *part ? orr_part_open(catalogue, reference, set, *part, error) : orr_out_of_memory(error, NULL);
}

/* Makes a reference inside another part. Relative paths start from that part's folder, unless the request has them. */
static enum orr_err inner_reference(const struct orr_part_doc *holder, const char *key, enum orr_part kind,
                                    struct orr_reference *reference, struct orr_error *error)
{
    const json_t *value = json_object_get(holder->doc.root, key);
    const enum orr_err err = orr_reference_from(&holder->doc, key, value, kind, reference, error);
    if (!err && !orr_doc_is_set(&holder->doc, key)) reference->folder = holder->folder;
    return err;
}

/* A model name that states a format means a checkpoint in that format, even where the file of its shape says otherwise.
 * A GGUF repository without a file type has no format of its own. */
static void ship_as(struct orr_model *model, const char *name)
{
    const enum orr_weight_format format = orr_weight_format_find(name);
    (void)snprintf(model->shipped_format, sizeof model->shipped_format, "%s", name);
    if (format < ORR_N_WEIGHT_FORMATS) orr_checkpoint_named(model, format, &model->checkpoint);
}

enum orr_err orr_model_load(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                            const struct orr_set *set, struct orr_model *model, struct orr_error *error)
{
    struct orr_part_doc *part;
    enum orr_err err = part_new(catalogue, reference, set, &part, error);
    if (!err) err = orr_quant_config_join(part, error);
    if (!err) err = orr_model_from_json(&part->doc, part->id, model, error);
    if (!err && part->named) {
        orr_copy_line(model->asked, sizeof model->asked, reference->name);
        ship_as(model, part->format);
    }
    if (!err && part->whole_folder) err = orr_model_check_index(part, model, error);
    part_free(part);
    return err;
}

enum orr_err orr_engine_load(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             const struct orr_set *set, struct orr_engine *engine, struct orr_error *error)
{
    struct orr_part_doc *part;
    enum orr_err err = part_new(catalogue, reference, set, &part, error);
    if (!err) err = orr_engine_from_json(&part->doc, part->id, engine, error);
    if (!err && reference->name) {
        engine->match = orr_is_family_name(engine, reference->name) ? ORR_MATCH_DEFAULT : part->match;
        if (part->match != ORR_MATCH_ID) orr_copy_line(engine->asked, sizeof engine->asked, reference->name);
    }
    part_free(part);
    return err;
}

static enum orr_err read_calibration(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                     const struct orr_part_doc *chip, const struct orr_set *set,
                                     struct orr_calibration *calibration, struct orr_error *error)
{
    struct orr_part_doc *part;
    enum orr_err err = part_new(catalogue, reference, set, &part, error);
    if (!err) err = orr_calibration_from_json(&part->doc, part->id, chip->id, calibration, error);
    part_free(part);
    return err;
}

/* Loads the calibration that a chip names. If its constants are borrowed, a user's calibration that was fitted on the
 * chip replaces it, unless the request itself names the calibration. */
static enum orr_err load_calibration(const struct orr_catalogue *catalogue, const struct orr_part_doc *chip,
                                     const struct orr_set *set, struct orr_calibration *calibration,
                                     struct orr_error *error)
{
    struct orr_reference reference;
    enum orr_err err = inner_reference(chip, "calibration", ORR_PART_CALIBRATION, &reference, error);
    if (!err) err = read_calibration(catalogue, &reference, chip, set, calibration, error);
    if (err || calibration->calibrated || orr_doc_is_set(&chip->doc, "calibration")) return err;
    const char *fitted;
    err = orr_catalogue_fitted(catalogue, chip->id, &fitted, error);
    if (err || !fitted) return err;
    reference = (struct orr_reference){.part = ORR_PART_CALIBRATION, .name = fitted};
    return read_calibration(catalogue, &reference, chip, set, calibration, error);
}

static enum orr_err load_chip(const struct orr_catalogue *catalogue, const struct orr_part_doc *system,
                              const struct orr_set *set, struct orr_chip *chip, struct orr_calibration *calibration,
                              struct orr_error *error)
{
    struct orr_reference reference;
    enum orr_err err = inner_reference(system, "chip", ORR_PART_CHIP, &reference, error);
    if (err) return err;
    struct orr_part_doc *part;
    char calibration_id[ORR_ID];
    err = part_new(catalogue, &reference, set, &part, error);
    if (!err) err = orr_chip_from_json(&part->doc, part->id, chip, calibration_id, error);
    if (!err && calibration) err = load_calibration(catalogue, part, set, calibration, error);
    part_free(part);
    return err;
}

/* What replaces members of a fabric has no effect where there is none. */
static enum orr_err check_no_fabric(const struct orr_part_doc *system, const struct orr_set *set,
                                    struct orr_error *error)
{
    const char *key;
    json_t *value;
    if (!set) return ORR_OK;
    struct orr_set own = *set;
    struct orr_doc doc = system->doc;
    own.part = "fabric";
    doc.set = &own;
    json_object_foreach((json_t *)set->values, key, value)
    {
        (void)value;
        if (strncmp(key, "fabric.", 7) == 0)
            return orr_doc_fail(&doc, key + 7, error, "has no effect: system %s names no fabric (system.fabric)",
                                system->id);
    }
    return ORR_OK;
}

/* Loads the fabric that a system names. Without one its scaleout_* members describe the network. */
static enum orr_err load_fabric(const struct orr_catalogue *catalogue, const struct orr_part_doc *system,
                                const struct orr_set *set, struct orr_fabric *fabric, struct orr_error *error)
{
    struct orr_reference reference;
    struct orr_part_doc *part;
    if (!json_object_get(system->doc.root, "fabric")) return check_no_fabric(system, set, error);
    enum orr_err err = inner_reference(system, "fabric", ORR_PART_FABRIC, &reference, error);
    if (err) return err;
    err = part_new(catalogue, &reference, set, &part, error);
    if (!err) err = orr_fabric_from_json(&part->doc, part->id, fabric, error);
    part_free(part);
    return err;
}

enum orr_err orr_system_load(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             const struct orr_set *set, struct orr_system *system, struct orr_calibration *calibration,
                             struct orr_error *error)
{
    struct orr_part_doc *part;
    char chip_id[ORR_ID];
    enum orr_err err = part_new(catalogue, reference, set, &part, error);
    if (!err) err = orr_system_from_json(&part->doc, part->id, system, chip_id, error);
    if (!err && reference->name && part->match == ORR_MATCH_ALIAS && strcmp(reference->name, system->id) != 0)
        orr_copy_line(system->asked, sizeof system->asked, reference->name);
    if (!err) err = load_chip(catalogue, part, set, &system->chip, calibration, error);
    if (!err) err = load_fabric(catalogue, part, set, &system->fabric, error);
    part_free(part);
    return err;
}

/* ---------------------------------------------------------------- public: one part on its own */

enum orr_err orr_model_read(const struct orr_catalogue *catalogue, const char *id_or_file, struct orr_model *model,
                            struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_reference reference = {.part = ORR_PART_MODEL, .name = id_or_file};
    return orr_model_load(catalogue, &reference, NULL, model, error);
}

enum orr_err orr_system_read(const struct orr_catalogue *catalogue, const char *id_or_file, struct orr_system *system,
                             struct orr_calibration *calibration, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = id_or_file};
    return orr_system_load(catalogue, &reference, NULL, system, calibration, error);
}

enum orr_err orr_fabric_read(const struct orr_catalogue *catalogue, const char *id_or_file, struct orr_fabric *fabric,
                             struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_reference reference = {.part = ORR_PART_FABRIC, .name = id_or_file};
    struct orr_part_doc *part;
    enum orr_err err = part_new(catalogue, &reference, NULL, &part, error);
    if (!err) err = orr_fabric_from_json(&part->doc, part->id, fabric, error);
    part_free(part);
    return err;
}

enum orr_err orr_engine_read(const struct orr_catalogue *catalogue, const char *id_or_file, struct orr_engine *engine,
                             struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_reference reference = {.part = ORR_PART_ENGINE, .name = id_or_file};
    return orr_engine_load(catalogue, &reference, NULL, engine, error);
}
