/* How engines descend from one another: the "base" of their files. */
#include "spec/relatives.h"

#include <stdio.h>
#include <string.h>

#include "spec/part.h"

/* Bases of bases that are followed; loops are errors of the files, which the readers report. */
#define DEEPEST 16

/* Finds the id of an engine and what its file says at the first of two keys that it has. */
static void read_relation(const struct orr_catalogue *catalogue, const char *name, const char *const keys[2],
                          char id[ORR_ID], char related[ORR_ID])
{
    const struct orr_entry *entry = NULL;
    enum orr_match match;
    (void)snprintf(id, ORR_ID, "%s", name);
    related[0] = '\0';
    if (orr_catalogue_find(catalogue, ORR_PART_ENGINE, name, &entry, &match, NULL) || !entry) return;
    (void)snprintf(id, ORR_ID, "%s", entry->id);
    json_t *root = json_loads(entry->text, 0, NULL);
    const char *stated = json_string_value(json_object_get(root, keys[0]));
    if (!stated) stated = json_string_value(json_object_get(root, keys[1]));
    if (stated) (void)snprintf(related, ORR_ID, "%s", stated);
    json_decref(root);
}

void orr_engine_relation(const struct orr_catalogue *catalogue, const char *name, char id[ORR_ID], char base[ORR_ID])
{
    static const char *const KEYS[2] = {"base", "base"};
    read_relation(catalogue, name, KEYS, id, base);
}

void orr_engine_parent(const struct orr_catalogue *catalogue, const char *name, char id[ORR_ID], char parent[ORR_ID])
{
    static const char *const KEYS[2] = {"parent", "base"};
    read_relation(catalogue, name, KEYS, id, parent);
    if (!parent[0]) (void)snprintf(parent, ORR_ID, "%s", id);
}

bool orr_engine_descends(const struct orr_catalogue *catalogue, const char *name, const char *ancestor)
{
    char at[ORR_ID], id[ORR_ID], base[ORR_ID];
    (void)snprintf(at, sizeof at, "%s", name);
    for (int depth = 0; at[0] && depth < DEEPEST; depth++) {
        orr_engine_relation(catalogue, at, id, base);
        if (strcmp(id, ancestor) == 0) return true;
        memcpy(at, base, sizeof at);
    }
    return false;
}
