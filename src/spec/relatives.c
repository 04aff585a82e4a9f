/* How engines descend from one another: the "base" of their files. */
#include "spec/relatives.h"

#include <stdio.h>
#include <string.h>

#include "spec/part.h"

/* Bases of bases that are followed; loops are errors of the files, which the readers report. */
#define DEEPEST 16

void orr_engine_relation(const struct orr_catalogue *catalogue, const char *name, char id[ORR_ID], char base[ORR_ID])
{
    const struct orr_entry *entry = NULL;
    (void)snprintf(id, ORR_ID, "%s", name);
    base[0] = '\0';
    if (orr_catalogue_find(catalogue, ORR_PART_ENGINE, name, &entry, NULL) || !entry) return;
    (void)snprintf(id, ORR_ID, "%s", entry->id);
    json_t *root = json_loads(entry->text, 0, NULL);
    const char *stated = json_string_value(json_object_get(root, "base"));
    if (stated) (void)snprintf(base, ORR_ID, "%s", stated);
    json_decref(root);
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

bool orr_engine_serves(const struct orr_catalogue *catalogue, const char *name)
{
    return orr_engine_descends(catalogue, name, "serving-base");
}
