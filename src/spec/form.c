/* A request with values that change: the parsed text is kept, and so are the parts no changed value belongs to. */
#include "spec/form.h"

#include <stdlib.h>
#include <string.h>

#include "spec/request.h"

struct orr_form {
    const struct orr_catalogue *catalogue;
    struct orr_doc request;
    unsigned stale; /* ORR_STALE_*: what has to be read again */
    struct orr_job job;
};

static enum orr_err out_of_memory(struct orr_error *error)
{
    return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

enum orr_err orr_form_open(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                           struct orr_form **form, struct orr_error *error)
{
    *form = calloc(1, sizeof **form);
    if (!*form) return out_of_memory(error);
    (*form)->catalogue = catalogue;
    (*form)->stale = ORR_STALE_ALL;
    const enum orr_err err = orr_doc_parse(json, origin, &(*form)->request, error);
    if (err) {
        orr_form_close(*form);
        *form = NULL;
    }
    return err;
}

void orr_form_close(struct orr_form *form)
{
    if (!form) return;
    orr_doc_close(&form->request);
    free(form);
}

/* What a value at this path is part of; the longest start counts. */
static unsigned stale_part(const char *path)
{
    static const struct {
        const char *start;
        unsigned part;
    } PARTS[] = {{"model", ORR_STALE_MODEL},
                 {"system.", ORR_STALE_SYSTEM},
                 {"system", ORR_STALE_SYSTEM | ORR_STALE_CALIBRATION},
                 {"system.chip", ORR_STALE_SYSTEM | ORR_STALE_CALIBRATION},
                 {"chip", ORR_STALE_SYSTEM},
                 {"chip.calibration", ORR_STALE_SYSTEM | ORR_STALE_CALIBRATION},
                 {"calibration", ORR_STALE_SYSTEM | ORR_STALE_CALIBRATION},
                 {"engine", ORR_STALE_ENGINE},
                 {"workload.engine", ORR_STALE_ENGINE}};
    unsigned part = 0;
    size_t longest = 0;
    for (size_t i = 0; i < ORR_COUNT_OF(PARTS); i++) {
        const size_t length = strlen(PARTS[i].start);
        if (length <= longest || strncmp(path, PARTS[i].start, length) != 0) continue;
        longest = length;
        part = PARTS[i].part;
    }
    return part;
}

enum orr_err orr_form_put(struct orr_form *form, const char *path, const char *value, struct orr_error *error)
{
    json_t *holder = form->request.root;
    if (strchr(path, '.')) {
        holder = json_object_get(form->request.root, "set");
        if (holder && !json_is_object(holder)) return ORR_OK; /* reading says what is wrong with it */
        if (!holder) {
            holder = json_object();
            if (json_object_set_new(form->request.root, "set", holder)) return out_of_memory(error);
        }
    }
    json_t *text = json_string(value);
    if (!text) return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = path}, "the value is not UTF-8 text");
    if (json_object_set_new(holder, path, text)) return out_of_memory(error);
    form->stale |= stale_part(path);
    return ORR_OK;
}

enum orr_err orr_form_read(struct orr_form *form, struct orr_job **job, struct orr_error *error)
{
    *job = &form->job;
    return orr_request_read(form->catalogue, &form->request, &form->stale, &form->job, error);
}

char *orr_form_text(const struct orr_form *form)
{
    return json_dumps(form->request.root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
}
