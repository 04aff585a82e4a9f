/* A request that is filled in value by value. The form keeps the parsed text, and the parts (model, system, engine)
 * that no changed value belongs to. The code of orr_job_read reads it. */
#define _POSIX_C_SOURCE 200809L
#include "spec/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "spec/request.h"
#include "spec/technology.h"

struct orr_form {
    const struct orr_catalogue *catalogue;
    struct orr_doc request;
    char *text, *origin; /* text and name of the request; text is NULL if the request began empty */
    unsigned stale;      /* ORR_STALE_*: parts that must be read again */
    bool known;          /* `job` is up to date with the request */
    struct orr_job job;
};

/* ---------------------------------------------------------------- opening */

/* Makes a form without values; NULL when out of memory. */
static struct orr_form *new_form(const struct orr_catalogue *catalogue, const char *text, const char *origin)
{
    struct orr_form *form = calloc(1, sizeof *form);
    if (!form) return NULL;
    form->catalogue = catalogue;
    form->stale = ORR_STALE_ALL;
    form->origin = strdup(origin);
    form->text = text ? strdup(text) : NULL;
    if (form->origin && (form->text || !text)) return form;
    orr_form_close(form);
    return NULL;
}

enum orr_err orr_form_open(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                           struct orr_form **form, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_form *new = *form = new_form(catalogue, json, origin);
    if (!new) return orr_out_of_memory(error, NULL);
    enum orr_err err = ORR_OK;
    if (json) {
        err = orr_doc_parse(new->text, new->origin, &new->request, error);
    } else {
        new->request = (struct orr_doc){.root = json_object(), .file = new->origin};
        if (!new->request.root) err = orr_out_of_memory(error, NULL);
    }
    if (!err) return ORR_OK;
    orr_form_close(new);
    *form = NULL;
    return err;
}

/* A copy of the present request for a reader that takes it apart. The form keeps ownership of text and name. */
static struct orr_doc copy_request(const struct orr_form *form)
{
    struct orr_doc copy = form->request;
    copy.root = json_deep_copy(form->request.root);
    return copy;
}

struct orr_form *orr_form_copy(const struct orr_form *form)
{
    struct orr_form *copy = new_form(form->catalogue, form->text, form->origin);
    if (!copy) return NULL;
    copy->request = copy_request(form);
    copy->request.file = copy->origin;
    if (form->text) copy->request.text = copy->text + (form->request.text - form->text); /* skips a byte order mark */
    if (copy->request.root) return copy;
    orr_form_close(copy);
    return NULL;
}

void orr_form_close(struct orr_form *form)
{
    if (!form) return;
    orr_doc_close(&form->request);
    free(form->text);
    free(form->origin);
    free(form);
}

/* ---------------------------------------------------------------- values */

/* The part of the job to which a value at this path belongs; the longest matching prefix decides. */
static unsigned stale_part(const char *path)
{
    static const struct {
        const char *start;
        unsigned part;
    } PARTS[] = {{"kind", ORR_STALE_ENGINE}, /* each kind has its own default */
                 {"model", ORR_STALE_MODEL},
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

#define IN_SET "set."

/* Where the value of a path is stored: under a key of the request or of one of its members. */
struct place {
    const char *path; /* without "set." */
    char member[16];  /* "plan"; "": the request itself */
    const char *key;
};

/* A section of the request, or a model or system given in place, holds its own keys. All other dotted paths, and paths
 * that lead further down, are keys of "set". */
static struct place place_of(const struct orr_form *form, const char *path)
{
    static const char *const SECTIONS[] = {"plan", "workload", "search", "traffic", "size", "deployment"};
    struct place place = {.path = path, .key = path};
    const char *dot = strchr(path, '.');
    if (!dot) return place;
    if (strncmp(path, IN_SET, strlen(IN_SET)) == 0) {
        place = (struct place){path + strlen(IN_SET), "set", path + strlen(IN_SET)};
        return place;
    }
    (void)strcpy(place.member, "set");
    const size_t n = (size_t)(dot - path);
    if (strchr(dot + 1, '.') || n >= sizeof place.member) return place;
    char first[sizeof place.member] = "";
    memcpy(first, path, n);
    bool holds = json_is_object(json_object_get(form->request.root, first));
    for (size_t i = 0; i < ORR_COUNT_OF(SECTIONS); i++) holds |= strcmp(first, SECTIONS[i]) == 0;
    if (!holds) return place;
    memcpy(place.member, first, sizeof first);
    place.key = dot + 1;
    return place;
}

/* Puts a value, whose ownership it takes, in its place; NULL removes the value there. */
static enum orr_err put(struct orr_form *form, const struct place *place, json_t *value, struct orr_error *error)
{
    json_t *root = form->request.root, *set = json_object_get(root, "set");
    json_t *holder = place->member[0] ? json_object_get(root, place->member) : root;
    if (!holder && value && json_object_set_new(root, place->member, holder = json_object())) holder = NULL;
    if (!holder && value) {
        json_decref(value);
        return orr_out_of_memory(error, NULL);
    }
    /* An older value of "set" would override this newer one. */
    if (set != holder && json_object_get(set, place->path)) json_object_del(set, place->path);
    form->known = false;
    form->stale |= stale_part(place->path);
    if (!json_is_object(holder)) { /* the reader reports what is wrong with it */
        json_decref(value);
        return ORR_OK;
    }
    if (!value) json_object_del(holder, place->key);
    else if (json_object_set_new(holder, place->key, value)) return orr_out_of_memory(error, NULL);
    return ORR_OK;
}

static json_t *find(const struct orr_form *form, const struct place *place)
{
    json_t *root = form->request.root;
    return json_object_get(place->member[0] ? json_object_get(root, place->member) : root, place->key);
}

/* Makes a JSON string, or reports that the value is no valid text. */
static enum orr_err make_string(const struct orr_form *form, const char *path, const char *value, json_t **text,
                                struct orr_error *error)
{
    *text = json_string(value);
    if (*text) return ORR_OK;
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = form->origin, .key = path},
                    "the value is not UTF-8 text");
}

#define IN_GENERATED "generated."

/* "generated.node" is a key of the generated system's name: the name gets the value, in place of an older one. */
static enum orr_err set_generated(struct orr_form *form, const char *path, const char *value, struct orr_error *error)
{
    const struct place place = {.path = "system", .key = "system"};
    const char *name = json_string_value(json_object_get(form->request.root, "system"));
    if (!name || !orr_is_generated(name))
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = form->origin, .key = path},
                        "needs a generated system: \"system\": \"generated:\" (docs/technology.md)");
    if (value && strpbrk(value, ",="))
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = form->origin, .key = path},
                        "\"%.60s\" must be one value without commas", value);
    char *renamed = orr_recipe_with(name, path + strlen(IN_GENERATED), value);
    if (!renamed) return orr_out_of_memory(error, NULL);
    json_t *text = NULL;
    enum orr_err err = make_string(form, path, renamed, &text, error);
    if (!err) err = put(form, &place, text, error);
    free(renamed);
    return err;
}

enum orr_err orr_form_set(struct orr_form *form, const char *path, const char *value, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const char *own = strncmp(path, IN_SET, strlen(IN_SET)) == 0 ? path + strlen(IN_SET) : path;
    if (strncmp(own, IN_GENERATED, strlen(IN_GENERATED)) == 0)
        return orr_complete(set_generated(form, own, value, error), error);
    const struct place place = place_of(form, path);
    const json_t *old = find(form, &place);
    const bool overruled =
        strcmp(place.member, "set") != 0 && json_object_get(json_object_get(form->request.root, "set"), place.path);
    if (!overruled && (value ? json_is_string(old) && strcmp(json_string_value(old), value) == 0 : !old)) return ORR_OK;
    json_t *text = NULL;
    enum orr_err err = value ? make_string(form, path, value, &text, error) : ORR_OK;
    if (!err) err = put(form, &place, text, error);
    return orr_complete(err, error);
}

enum orr_err orr_form_set_list(struct orr_form *form, const char *path, const char *const *values, size_t n,
                               struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct place place = place_of(form, path);
    json_t *list = json_array();
    if (!list) return orr_out_of_memory(error, NULL);
    for (size_t i = 0; i < n; i++) {
        json_t *text = NULL;
        enum orr_err err = make_string(form, path, values[i], &text, error);
        if (!err && json_array_append_new(list, text) != 0) err = orr_out_of_memory(error, NULL);
        if (!err) continue;
        json_decref(list);
        return err;
    }
    return orr_complete(put(form, &place, list, error), error);
}

const char *orr_form_get(const struct orr_form *form, const char *path)
{
    ORR_PLAIN_NUMBERS;
    const struct place place = place_of(form, path);
    return json_string_value(find(form, &place));
}

/* ---------------------------------------------------------------- what it says */

enum orr_err orr_form_job(struct orr_form *form, const struct orr_job **job, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    *job = &form->job;
    if (form->known) return ORR_OK;
    memset(&form->job.draft, 0, sizeof form->job.draft); /* the draft model is read with the workload */
    const enum orr_err err = orr_request_read(form->catalogue, &form->request, &form->stale, &form->job, error);
    form->known = !err;
    return err;
}

enum orr_err orr_form_search(const struct orr_form *form, struct orr_search_request *search, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc request = copy_request(form);
    const enum orr_err err =
        request.root ? orr_request_search(form->catalogue, &request, search, error) : orr_out_of_memory(error, NULL);
    orr_doc_close(&request);
    return orr_complete(err, error);
}

enum orr_err orr_form_serving(const struct orr_form *form, struct orr_serving_request *serving, struct orr_error *error)
{
    struct orr_doc request = copy_request(form);
    const enum orr_err err =
        request.root ? orr_request_serving(form->catalogue, &request, serving, error) : orr_out_of_memory(error, NULL);
    orr_doc_close(&request);
    return orr_complete(err, error);
}

enum orr_err orr_form_sizing(const struct orr_form *form, struct orr_size_request *size, struct orr_error *error)
{
    return orr_complete(orr_request_size(form->catalogue, &form->request, size, error), error);
}

char *orr_form_text(const struct orr_form *form)
{
    ORR_PLAIN_NUMBERS;
    return orr_json_dump(form->request.root, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
}
