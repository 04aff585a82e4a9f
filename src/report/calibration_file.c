/* A fit becomes a complete calibration file: the file it started from, with the fitted numbers, their rows and
 * residuals, and where they come from. */
#include "calibrate/calibrate.h"

#include "base/plain.h"
#include "base/text.h"
#include "report/json_text.h"
#include "spec/part.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* These are the significant digits of the file; fitted constants have fewer. */
#define FILE_DIGITS  10
#define LINE_COLUMNS 120
#define KEPT_MARK    "; the rest: "

/* ---------------------------------------------------------------- rows, residuals, sources */

static bool is_fitted(const struct orr_fit_group *group)
{
    for (size_t i = 0; i < group->n_constants; i++)
        if (orr_constant_is_new(&group->constants[i])) return true;
    return false;
}

static json_t *residual_json(double frac)
{
    return json_real((double)(int64_t)(frac * 1e4 + 0.5) / 1e4);
}

static void set_residuals(json_t *object, const struct orr_fit_group *group)
{
    json_object_set_new(object, "median_error_frac", residual_json(group->median_frac));
    json_object_set_new(object, "p90_error_frac", residual_json(group->p90_frac));
}

/* Records what became of every constant the tables bear on, beside the numbers themselves. */
static void set_record(json_t *record, const struct orr_fit_group *group)
{
    for (size_t i = 0; i < group->n_constants; i++) {
        const struct orr_fit_constant *c = &group->constants[i];
        if (c->rows == 0) continue;
        json_t *entry =
            json_pack("{s:f, s:s, s:s, s:I, s:s}", "value", c->new_value, "unit", c->is->unit_name, "meaning",
                      c->is->meaning, "rows", (json_int_t)c->rows, "state", orr_constant_state_name(c->state));
        set_residuals(entry, group);
        json_object_set_new(record, c->path, entry);
    }
}

/* Says whether the group was fitted to the table. Without a group, any table will do. */
static bool is_of(const struct orr_fit_table *table, const size_t *group)
{
    return !group || (table->group == *group && table->n_fitted > 0);
}

/* Lists the tables of a group, or of all groups, each once: "aiconfigurator 095f58a nccl, apex_plus". */
static void add_table_names(const struct orr_fit *fit, const size_t *group, struct orr_text *text)
{
    const struct orr_fit_table *tables = fit->tables;
    const char *gap = "";
    for (size_t t = 0; t < fit->n_tables; t++) {
        size_t first = 0;
        while (first < t && !(is_of(&tables[first], group) && strcmp(tables[first].source, tables[t].source) == 0))
            first++;
        if (first < t || !is_of(&tables[t], group)) continue;
        orr_text_add(text, "%s%s", gap, tables[t].source);
        gap = ", ";
    }
}

/* The software that the file has named so far made the constants that are only borrowed. */
static bool set_software(const struct orr_fit *fit, json_t *root)
{
    struct orr_text text = {0};
    add_table_names(fit, NULL, &text);
    const char *old = json_string_value(json_object_get(root, "software"));
    if (old) orr_text_add(&text, "%s%s", KEPT_MARK, old);
    char *software = orr_text_take(&text);
    if (!software) return false;
    json_object_set_new(root, "software", orr_json_word(software));
    free(software);
    return true;
}

/* The object of a group, where the group has one of its own, says how well it fits. */
static void set_fit(json_t *root, const struct orr_fit_group *group)
{
    if (group->kind == ORR_FIT_GROUPED || !strchr(group->path, '.')) return;
    json_t *object = orr_json_at(root, group->path);
    /* Both 16-bit formats are one group. */
    json_t *twin =
        group->kind == ORR_FIT_GEMM && group->index == ORR_DTYPE_BF16 ? orr_json_at(root, "gemm.fp16") : NULL;
    json_t *const objects[] = {object, json_object_get(twin, "rows") ? twin : NULL};
    for (size_t i = 0; i < 2; i++) {
        if (!json_is_object(objects[i])) continue;
        json_object_set_new(objects[i], "rows", json_integer((json_int_t)group->n_fitted));
        set_residuals(objects[i], group);
    }
}

/* Names the entry of "sources" that a group writes to. */
static void source_key(const struct orr_fit_group *group, char key[64])
{
    if (group->kind == ORR_FIT_GROUPED) (void)snprintf(key, 64, "gemm.grouped_frac");
    else if (group->kind == ORR_FIT_DECODE)
        (void)snprintf(key, 64, "decode.%s", orr_decode_kernel_name((enum orr_decode_kernel)group->index));
    else (void)snprintf(key, 64, "%.*s", group->kind == ORR_FIT_LATENT ? 10 : 48, group->path);
}

static void add_group_source(const struct orr_fit *fit, size_t g, const char *date, struct orr_text *text)
{
    const struct orr_fit_group *group = &fit->groups[g];
    bool kept = false;
    add_table_names(fit, &g, text);
    orr_text_add(text, ": %zu rows (%s%s), median error %.1f %%, 90 %% below %.1f %%", group->n_fitted,
                 group->kind == ORR_FIT_LINES || group->kind == ORR_FIT_CUSTOM
                     ? orr_collective_name((enum orr_collective)group->index)
                     : group->path,
                 group->kind == ORR_FIT_CUSTOM ? " custom" : "", 100 * group->median_frac, 100 * group->p90_frac);
    for (size_t i = 0; i < group->n_constants; i++) {
        const struct orr_fit_constant *constant = &group->constants[i];
        if (orr_constant_is_new(constant)) continue;
        const char *name = strrchr(constant->path, '.');
        orr_text_add(text, "%s%s", kept ? ", " : ", not identified and kept: ",
                     group->kind == ORR_FIT_LINES || group->kind == ORR_FIT_CUSTOM || !name ? constant->path
                                                                                            : name + 1);
        kept = true;
    }
    if (date) orr_text_add(text, ", %s", date);
}

/* All groups that share an entry write it together; what the file said before stays at the end. */
static bool set_sources(const struct orr_fit *fit, json_t *sources, const char *date)
{
    for (size_t g = 0; g < fit->n_groups; g++) {
        char key[64], other[64];
        source_key(&fit->groups[g], key);
        size_t first = 0;
        for (; first < g; first++) {
            source_key(&fit->groups[first], other);
            if (is_fitted(&fit->groups[first]) && strcmp(key, other) == 0) break;
        }
        if (first < g || !is_fitted(&fit->groups[g])) continue;
        struct orr_text text = {0};
        for (size_t i = g; i < fit->n_groups; i++) {
            source_key(&fit->groups[i], other);
            if (strcmp(key, other) != 0 || !is_fitted(&fit->groups[i])) continue;
            orr_text_add(&text, "%s", i == g ? "" : "; ");
            add_group_source(fit, i, date, &text);
        }
        const char *old = json_string_value(json_object_get(sources, key));
        const char *mark = old ? strstr(old, KEPT_MARK) : NULL;
        if (old) orr_text_add(&text, "%s%s", KEPT_MARK, mark ? mark + strlen(KEPT_MARK) : old);
        char *entry = orr_text_take(&text);
        if (!entry) return false;
        json_object_set_new(sources, key, orr_json_word(entry));
        free(entry);
    }
    return true;
}

/* ---------------------------------------------------------------- text */

static bool is_flat(const json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_array(value)) {
        json_array_foreach(value, i, member)
        {
            if (json_is_object(member) || json_is_array(member)) return false;
        }
    }
    json_object_foreach((json_t *)value, key, member)
    { /* this loop does nothing for an array */
        if (json_is_object(member) || (json_is_array(member) && !is_flat(member))) return false;
    }
    return true;
}

static void add_flat(struct orr_text *text, json_t *value)
{
    char *dump = orr_json_dump(value, JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(FILE_DIGITS));
    orr_text_add(text, "%s", dump ? dump : "");
    text->failed |= !dump;
    free(dump);
}

/* Puts members of flat objects side by side and wraps them below the first one. */
static void add_wrapped(struct orr_text *text, json_t *object, int column)
{
    const char *key;
    json_t *value;
    int used = column;
    bool first = true;
    orr_text_add(text, "{");
    json_object_foreach(object, key, value)
    {
        struct orr_text member = {0};
        orr_text_add(&member, "\"%s\": ", key);
        add_flat(&member, value);
        const int length = (int)member.length;
        if (!first && used + length + 2 > LINE_COLUMNS) {
            orr_text_add(text, ",\n");
            orr_text_repeat(text, " ", column + 1);
            used = column;
        } else if (!first) orr_text_add(text, ", ");
        orr_text_add(text, "%s", member.data ? member.data : "");
        orr_text_drop(text, &member);
        used += length + 2;
        first = false;
    }
    orr_text_add(text, "}");
}

static void add_value(struct orr_text *text, json_t *value, int indent, int column, bool spread);

static void add_members(struct orr_text *text, json_t *object, int indent)
{
    const char *key;
    json_t *value;
    size_t left = json_object_size(object);
    orr_text_add(text, "{\n");
    json_object_foreach(object, key, value)
    {
        orr_text_repeat(text, " ", indent + 4);
        orr_text_add(text, "\"%s\": ", key);
        add_value(text, value, indent + 4, indent + 8 + (int)strlen(key), strcmp(key, "sources") == 0);
        orr_text_add(text, "%s\n", --left ? "," : "");
    }
    orr_text_repeat(text, " ", indent);
    orr_text_add(text, "}");
}

static void add_value(struct orr_text *text, json_t *value, int indent, int column, bool spread)
{
    if (json_is_object(value) && (spread || !is_flat(value))) add_members(text, value, indent);
    else if (json_is_object(value)) add_wrapped(text, value, column);
    else if (json_is_array(value) && !is_flat(value)) {
        orr_text_add(text, "[\n");
        for (size_t i = 0; i < json_array_size(value); i++) {
            orr_text_repeat(text, " ", indent + 4);
            add_value(text, json_array_get(value, i), indent + 4, indent + 4, false);
            orr_text_add(text, "%s\n", i + 1 < json_array_size(value) ? "," : "");
        }
        orr_text_repeat(text, " ", indent);
        orr_text_add(text, "]");
    } else add_flat(text, value);
}

/* ---------------------------------------------------------------- the file */

static enum orr_err out_of_memory(struct orr_error *error)
{
    return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

enum orr_err orr_fit_file(const struct orr_fit *fit, const char *date, char **json, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_reference reference = {.part = ORR_PART_CALIBRATION, .name = fit->before.id};
    struct orr_part_doc *part = calloc(1, sizeof *part);
    *json = NULL;
    if (!part) return out_of_memory(error);
    enum orr_err err = orr_part_open(fit->catalogue, &reference, NULL, part, error);
    json_t *root = err ? NULL : json_deep_copy(part->doc.root);
    orr_part_close(part);
    free(part);
    if (err) return err;
    struct orr_text text = {0};
    bool good = root != NULL;
    if (good && !fit->before.calibrated) { /* constants that were borrowed are this chip's own from now on */
        json_object_set_new(root, "chips", json_pack("[s]", fit->job.system.chip.id));
        good = set_software(fit, root);
    }
    orr_calibration_store(root, &fit->job.calibration, &fit->before);
    json_t *record = json_object_get(root, "fit") ? json_incref(json_object_get(root, "fit")) : json_object();
    for (size_t g = 0; g < fit->n_groups; g++) {
        if (is_fitted(&fit->groups[g])) set_fit(root, &fit->groups[g]);
        set_record(record, &fit->groups[g]);
    }
    good = good && set_sources(fit, json_object_get(root, "sources"), date);
    json_object_set_new(root, "fit", record);
    if (good) add_members(&text, root, 0);
    orr_text_add(&text, "\n");
    json_decref(root);
    *json = orr_text_take(&text);
    if (*json && good) return ORR_OK;
    free(*json);
    *json = NULL;
    return out_of_memory(error);
}
