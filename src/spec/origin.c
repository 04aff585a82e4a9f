/* Origins of the values of a part. */
#include "spec/origin.h"

#include <string.h>

void orr_origins_note(json_t *origins, const json_t *root, const char *id)
{
    const json_t *sources = json_object_get(root, "sources");
    const char *any = json_string_value(json_object_get(sources, "*"));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)root, key, value) /* the iterator is not const */
    {
        const char *own = json_string_value(json_object_get(sources, key));
        json_object_set_new(origins, key, json_pack("{ss ss*}", "file", id, "source", own ? own : any));
    }
}

const struct orr_field *orr_part_fields(enum orr_part part, size_t *n)
{
    switch (part) {
    case ORR_PART_CHIP: return orr_chip_fields(n);
    case ORR_PART_SYSTEM: return orr_system_fields(n);
    case ORR_PART_ENGINE: return orr_engine_fields(n);
    case ORR_PART_MODEL:
    case ORR_PART_CALIBRATION:
    case ORR_PART_TECHNOLOGY:
    case ORR_PART_DESIGN:
    case ORR_PART_MEMORY:
    case ORR_PART_NETWORK:
    case ORR_PART_FABRIC:
    case ORR_PART_TRAFFIC:
    case ORR_N_PARTS: break;
    }
    *n = 0;
    return NULL;
}
