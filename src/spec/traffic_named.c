/* Traffic by name: a file of data/traffic/ has the keys of "traffic" as the statistics of a published trace give them.
 * A request that is like it takes from it what it does not say itself. */
#include "spec/traffic_named.h"

#include <stdlib.h>
#include <string.h>

#include "spec/part.h"
#include "spec/request.h"

static bool is_one_of(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key) != 0) keys++;
    return *keys;
}

static bool has_one_of(const json_t *object, const char *const *keys)
{
    while (*keys && !json_object_get(object, *keys)) keys++;
    return *keys;
}

/* Keys that belong together: whoever gives one of `instead` wants none of the file's `keys`. */
static const struct {
    const char *keys[4], *instead[5];
} GROUPS[] = {
    {{"arrival", "rate_per_s", "burstiness", NULL}, {"arrival", "concurrency", "trace", NULL}},
    {{"input_len", "output_len", NULL}, {"trace", NULL}},
    {{"prefix_share", "session_share", "session_gap", NULL},
     {"prefix_share", "prefix_groups", "session_share", "trace", NULL}},
};

static bool is_replaced(const json_t *traffic, const char *key)
{
    for (size_t i = 0; i < ORR_COUNT_OF(GROUPS); i++)
        if (is_one_of(key, GROUPS[i].keys) && has_one_of(traffic, GROUPS[i].instead)) return true;
    return false;
}

static enum orr_err join(json_t *file, json_t *traffic, struct orr_error *error)
{
    static const char *const ABOUT[] = {"name", "sources", NULL};
    const char *key;
    json_t *value, *taken = json_object();
    bool failed = !taken;
    json_object_foreach(file, key, value)
        if (!is_one_of(key, ABOUT) && !json_object_get(traffic, key) && !is_replaced(traffic, key))
            failed |= json_object_set(taken, key, value) != 0;
    failed |= json_object_update(traffic, taken) != 0;
    json_decref(taken);
    return failed ? orr_out_of_memory(error, NULL) : ORR_OK;
}

/* Opens a file of traffic and gives it to `use`. */
static enum orr_err open_named(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                               enum orr_err (*use)(struct orr_doc *doc, void *context, struct orr_error *error),
                               void *context, struct orr_error *error)
{
    struct orr_part_doc *part = calloc(1, sizeof *part);
    if (!part) return orr_out_of_memory(error, NULL);
    enum orr_err err = orr_part_open(catalogue, reference, NULL, part, error);
    if (!err) err = use(&part->doc, context, error);
    orr_part_close(part);
    free(part);
    return err;
}

static enum orr_err read_into(struct orr_doc *doc, void *traffic, struct orr_error *error)
{
    return orr_traffic_from_json(doc, traffic, error);
}

static enum orr_err join_into(struct orr_doc *doc, void *traffic, struct orr_error *error)
{
    return join(doc->root, traffic, error);
}

enum orr_err orr_traffic_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                              struct orr_traffic *traffic, struct orr_error *error)
{
    const struct orr_reference reference = {.part = ORR_PART_TRAFFIC, .name = id_or_file};
    return open_named(catalogue, &reference, read_into, traffic, error);
}

enum orr_err orr_traffic_join(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *traffic,
                              struct orr_error *error)
{
    const json_t *like = json_object_get(traffic, "like");
    struct orr_reference reference;
    if (!like) return ORR_OK;
    const enum orr_err err = orr_reference_from(request, "traffic.like", like, ORR_PART_TRAFFIC, &reference, error);
    return err ? err : open_named(catalogue, &reference, join_into, traffic, error);
}
