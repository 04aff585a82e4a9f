/* Reads requests one after another, without reading again a model, system or engine that a recent request had. */
#include <stdlib.h>
#include <string.h>

#include "spec/request.h"

#include "base/memory.h"
#include "base/plain.h"

enum { KEPT = 16 }; /* sets of parts that are kept, as several people ask a server in turn */

struct kept {
    char *key;      /* names the parts; NULL: the entry is free */
    unsigned stale; /* ORR_STALE_*: parts that could not be read */
    uint64_t used;  /* number of the last request that used the entry */
    struct orr_job job;
};

struct orr_reader {
    const struct orr_catalogue *catalogue;
    uint64_t n_requests;
    struct kept kept[KEPT];
};

struct orr_reader *orr_reader_new(const struct orr_catalogue *catalogue)
{
    ORR_PLAIN_NUMBERS;
    struct orr_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return orr_memory_told();
    reader->catalogue = catalogue;
    return reader;
}

void orr_reader_free(struct orr_reader *reader)
{
    if (!reader) return;
    for (size_t i = 0; i < KEPT; i++) free(reader->kept[i].key);
    free(reader);
}

/* The kind may be left out if it is known. Another kind is an error, which is reported before errors about its keys. */
static enum orr_err settle_kind(const struct orr_doc *request, enum orr_job_kind kind, struct orr_error *error)
{
    const char *wanted = orr_request_kinds[kind], *other = orr_request_kinds[1 - (int)kind];
    const json_t *given = json_object_get(request->root, "kind");
    if (!given && json_is_object(request->root)) json_object_set_new(request->root, "kind", json_string(wanted));
    if (!json_is_string(given) || strcmp(json_string_value(given), other) != 0) return ORR_OK;
    return orr_doc_fail(request, "kind", error, "is \"%s\", but \"%s\" is asked for here", other, wanted);
}

/* Everything that decides which parts a request has, in one line; NULL: out of memory. */
static char *key_of(const struct orr_doc *request)
{
    json_t *root = request->root;
    json_t *engine = json_object_get(json_object_get(root, "workload"), "engine");
    json_t *parts = json_pack("[O? O? O? O? O? O?]", json_object_get(root, "kind"), json_object_get(root, "model"),
                              json_object_get(root, "asked"), json_object_get(root, "system"), engine,
                              json_object_get(root, "set"));
    char *key = parts ? orr_json_dump(parts, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(parts);
    return key;
}

/* The entry of that key, or else the entry that was not used for longest. The function takes ownership of the key. */
static struct kept *find_kept(struct orr_reader *reader, char *key)
{
    struct kept *oldest = &reader->kept[0];
    for (size_t i = 0; i < KEPT; i++) {
        struct kept *kept = &reader->kept[i];
        if (kept->key && strcmp(kept->key, key) == 0) {
            free(key);
            return kept;
        }
        if (kept->used < oldest->used) oldest = kept;
    }
    free(oldest->key);
    memset(oldest, 0, sizeof *oldest);
    oldest->key = key;
    oldest->stale = ORR_STALE_ALL;
    return oldest;
}

static enum orr_err read_kept(struct orr_reader *reader, struct orr_doc *request, const struct orr_job **job,
                              struct orr_error *error)
{
    char *key = key_of(request);
    if (!key) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    struct kept *kept = find_kept(reader, key);
    kept->used = ++reader->n_requests;
    memset(&kept->job.draft, 0, sizeof kept->job.draft); /* the draft model is read with the workload */
    *job = &kept->job;
    return orr_request_read(reader->catalogue, request, &kept->stale, &kept->job, error);
}

enum orr_err orr_reader_job(struct orr_reader *reader, const char *json, const char *origin,
                            const enum orr_job_kind *kind, const struct orr_job **job, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc request;
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (!err && kind) err = settle_kind(&request, *kind, error);
    if (!err) err = read_kept(reader, &request, job, error);
    orr_doc_close(&request);
    return err;
}
