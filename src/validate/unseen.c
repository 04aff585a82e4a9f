/* The catalogue as it would be if a source of measurements had never been seen. */
#include "validate/unseen.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "predict/interval.h"
#include "spec/part.h"
#include "spec/relatives.h"

enum orr_err orr_unseen_open(struct orr_unseen *unseen, const struct orr_catalogue *catalogue, bool on,
                             struct orr_error *error)
{
    *unseen = (struct orr_unseen){.whole = catalogue, .source = ""};
    if (!on) return ORR_OK;
    unseen->view = orr_catalogue_without(catalogue, "");
    return unseen->view ? ORR_OK : orr_out_of_memory(error, NULL);
}

void orr_unseen_close(struct orr_unseen *unseen)
{
    orr_catalogue_view_free(unseen->view);
    unseen->view = NULL;
}

/* Finds the entry of an engine by any of its names. */
static enum orr_err find_engine(const struct orr_unseen *unseen, const char *name, const struct orr_entry **entry,
                                struct orr_error *error)
{
    enum orr_match match;
    const enum orr_err err = orr_catalogue_find(unseen->whole, ORR_PART_ENGINE, name, entry, &match, error);
    if (err || *entry) return err;
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "unknown engine \"%.100s\"", name);
}

static bool is_own(const struct orr_unseen *unseen, const char *id)
{
    for (size_t i = 0; i < unseen->n_own; i++)
        if (strcmp(unseen->own[i], id) == 0) return true;
    return false;
}

enum orr_err orr_unseen_hide(struct orr_unseen *unseen, const struct orr_csv *csv, const char *source,
                             struct orr_error *error)
{
    const struct orr_entry *entry;
    enum orr_match match;
    orr_catalogue_view_free(unseen->view);
    unseen->view = orr_catalogue_without(unseen->whole, source);
    unseen->source = source;
    unseen->n_own = 0;
    for (size_t row = 0; row < csv->n_rows; row++) {
        const char *name = orr_csv_cell(csv, row, "engine");
        if (!name[0] || strcmp(orr_csv_cell(csv, row, "source"), source) != 0) continue;
        if (orr_catalogue_find(unseen->whole, ORR_PART_ENGINE, name, &entry, &match, error) || !entry) continue;
        if (!is_own(unseen, entry->id) && unseen->n_own < ORR_MAX_OWN_ENGINES)
            orr_copy_line(unseen->own[unseen->n_own++], ORR_ID, entry->id);
    }
    return unseen->view ? ORR_OK : orr_out_of_memory(error, NULL);
}

/* A parent of the same family is another version; any other is another stack. */
static enum orr_err set_kin(struct orr_unseen *unseen, const char *own, struct orr_error *error)
{
    struct orr_engine a, b;
    enum orr_err err = orr_engine_read(unseen->whole, own, &a, error);
    if (!err) err = orr_engine_read(unseen->whole, unseen->parent, &b, error);
    if (err) return err;
    const bool same = a.family[0] && strcmp(a.family, b.family) == 0 && !orr_engine_stands_in(b.id);
    unseen->kin = same ? ORR_KIN_VERSION : ORR_KIN_OTHER;
    return ORR_OK;
}

enum orr_err orr_unseen_engine(struct orr_unseen *unseen, const char *name, char parent[ORR_ID],
                               struct orr_error *error)
{
    const struct orr_entry *entry = NULL;
    char id[ORR_ID], own[ORR_ID] = "";
    parent[0] = '\0';
    enum orr_err err = find_engine(unseen, name, &entry, error);
    if (!err) orr_copy_line(own, sizeof own, entry->id);
    for (size_t i = 0; !err && i <= unseen->n_own; i++) {
        orr_engine_parent(unseen->whole, entry->id, id, parent);
        err = find_engine(unseen, parent, &entry, error);
        if (!err && !is_own(unseen, entry->id)) break;
    }
    if (err || (strcmp(own, unseen->asked) == 0 && strcmp(parent, unseen->parent) == 0)) return err;
    orr_copy_line(unseen->asked, sizeof unseen->asked, own);
    orr_copy_line(unseen->parent, sizeof unseen->parent, parent);
    return set_kin(unseen, own, error);
}
