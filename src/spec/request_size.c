/* A request of kind "size" -> orr_size_request: for every system a request of kind "serving" without a plan and the
 * space of its plans, then budget and objective. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "spec/form.h"
#include "spec/request.h"
#include "spec/size.h"

enum { LIMIT_MAX = 100000000 };

static const char *const OBJECTIVES[] = {"cost", "gpus"};
struct ask {
    int objective;
};
static const struct orr_field ASK_FIELDS[] = {
    ORR_ENUM(ask, objective, false, OBJECTIVES, "what the best plan has least of"),
};
static const char *const ASK_EXTRA[] = {"budget", "batch", "chunk", NULL};
const struct orr_section orr_size_section = {
    .path = "size", .fields = ASK_FIELDS, .n_fields = ORR_COUNT_OF(ASK_FIELDS), .extra = ASK_EXTRA};

/* ---------------------------------------------------------------- what is asked */

/* "64", "64 GPUs" or "$40/h". */
static bool parse_budget(const char *text, struct orr_size_request *size)
{
    const bool dollars = text[0] == '$';
    double value;
    const char *end = orr_number_at(text + dollars, &value);
    if (!end || !(value > 0)) return false;
    while (*end == ' ') end++;
    if (dollars || strcmp(end, "USD/h") == 0) {
        size->budget_usd_per_h = value;
        return !dollars || strcmp(end, "/h") == 0;
    }
    if (value < 1 || value > ORR_SIZE_GPUS_MAX || value != floor(value)) return false;
    size->budget_gpus = (int64_t)value;
    return !*end || strcmp(end, "GPUs") == 0 || strcmp(end, "gpus") == 0 || strcmp(end, "GPU") == 0;
}

static enum orr_err read_budget(const struct orr_doc *request, const json_t *value, struct orr_size_request *size,
                                struct orr_error *error)
{
    char shown[ORR_SHOWN], number[32];
    const char *text = json_string_value(value);
    if (json_is_number(value)) {
        (void)snprintf(number, sizeof number, "%.9g", json_number_value(value));
        text = number;
    }
    size->budget_gpus = 0;
    if (!text || !parse_budget(text, size))
        return orr_doc_fail(request, "size.budget", error,
                            "must be a number of GPUs up to %d, like \"64 GPUs\", or dollars, like \"$40/h\", not %s",
                            ORR_SIZE_GPUS_MAX, orr_json_shown(shown, value));
    if (size->budget_gpus == 0) size->budget_gpus = ORR_SIZE_GPUS_MAX;
    return ORR_OK;
}

static bool add_limit(const json_t *item, struct orr_choices *choices)
{
    double value = json_is_integer(item) ? (double)json_integer_value(item) : 0;
    if (json_is_string(item) && !orr_quantity_parse(json_string_value(item), ORR_UNIT_COUNT, &value)) return false;
    if (value < 1 || value > LIMIT_MAX || value != floor(value) || choices->n == ORR_MAX_CHOICES) return false;
    for (int32_t i = 0; i < (int32_t)choices->n; i++)
        if (choices->values[i] == (int64_t)value) return false;
    choices->values[choices->n++] = (int64_t)value;
    return true;
}

/* Reads a number, a list, or a text of numbers between commas. */
static enum orr_err read_limits(const struct orr_doc *request, const char *path, json_t *value,
                                struct orr_choices *choices, struct orr_error *error)
{
    char word[64], shown[ORR_SHOWN];
    const char *rest = json_string_value(value);
    bool known = !rest || !orr_list_open(rest, ',');
    if (!value) return ORR_OK;
    if (json_is_array(value))
        for (size_t i = 0; i < json_array_size(value); i++) known &= add_limit(json_array_get(value, i), choices);
    else if (rest)
        while (known && orr_next_word(&rest, ',', word, sizeof word)) {
            json_t *item = json_string(word);
            known = add_limit(item, choices);
            json_decref(item);
        }
    else known = add_limit(value, choices);
    if (known && choices->n > 0) return ORR_OK;
    return orr_doc_fail(request, path, error, "must be different whole numbers from 1 on, like \"64,256\", not %s",
                        orr_json_shown(shown, value));
}

static enum orr_err read_ask(const struct orr_doc *request, struct orr_size_request *size, bool *chosen,
                             struct orr_error *error)
{
    json_t *object = json_object_get(request->root, "size");
    struct ask ask = {0};
    size->budget_gpus = ORR_SIZE_GPUS;
    *chosen = json_object_get(object, "objective") != NULL;
    if (!object) return ORR_OK;
    enum orr_err err =
        orr_fields_read(request, "size", object, ASK_FIELDS, ORR_COUNT_OF(ASK_FIELDS), ASK_EXTRA, &ask, error);
    const json_t *budget = json_object_get(object, "budget");
    if (!err && budget) err = read_budget(request, budget, size, error);
    if (!err) err = read_limits(request, "size.batch", json_object_get(object, "batch"), &size->batch, error);
    if (!err) err = read_limits(request, "size.chunk", json_object_get(object, "chunk"), &size->chunk, error);
    size->by_gpus = ask.objective == 1;
    return err;
}

/* ---------------------------------------------------------------- systems */

/* The systems as a list: one, several between commas, or an array. The name of a generated system has commas itself. */
static json_t *list_systems(json_t *value)
{
    const char *rest = json_string_value(value);
    char word[1024];
    if (json_is_array(value)) return json_incref(value);
    json_t *list = json_array();
    if (!rest || strncmp(rest, "generated:", 10) == 0) (void)json_array_append(list, value);
    else
        while (orr_next_word(&rest, ',', word, sizeof word)) (void)json_array_append_new(list, json_string(word));
    return list;
}

/* Are there gaps in the list, or a system twice? */
static bool is_odd_list(const json_t *value, const json_t *systems)
{
    const char *text = json_string_value(value);
    size_t n = 1;
    for (const char *at = text; text && strncmp(text, "generated:", 10) != 0 && (at = strchr(at, ',')); at++) n++;
    for (size_t i = 0; i < json_array_size(systems); i++)
        for (size_t k = 0; k < i; k++)
            if (json_equal(json_array_get(systems, i), json_array_get(systems, k))) return true;
    return text && n != json_array_size(systems);
}

/* The request with one system; lengths of the mean request are in its workload if `service` is known. */
static struct orr_doc one_system(const struct orr_doc *request, json_t *system,
                                 const struct orr_serving_request *service)
{
    struct orr_doc one = *request;
    one.root = json_deep_copy(request->root);
    (void)json_object_del(one.root, "size");
    (void)json_object_set(one.root, "system", system);
    (void)json_object_set_new(one.root, "kind", json_string(service ? "infer" : "serving"));
    if (!service) {
        (void)json_object_del(one.root, "plan");
        return one;
    }
    (void)json_object_del(one.root, "traffic");
    (void)json_object_del(one.root, "slo");
    (void)json_object_set_new(one.root, "gpus", json_integer(1));
    if (!json_object_get(one.root, "workload")) (void)json_object_set_new(one.root, "workload", json_object());
    json_t *workload = json_object_get(one.root, "workload");
    (void)json_object_set_new(workload, "input_len", json_integer((json_int_t)service->job.serving.input_len));
    (void)json_object_set_new(workload, "output_len", json_integer((json_int_t)service->job.serving.output_len));
    return one;
}

static enum orr_err read_system(const struct orr_catalogue *catalogue, const struct orr_doc *request, json_t *system,
                                size_t i, struct orr_size_request *size, struct orr_error *error)
{
    struct orr_doc one = one_system(request, system, NULL);
    enum orr_err err = orr_request_serving(catalogue, &one, &size->services[i], error);
    orr_doc_close(&one);
    if (err) return err;
    size->n_systems = i + 1;
    one = one_system(request, system, &size->services[i]);
    err = orr_request_search(catalogue, &one, &size->spaces[i], error);
    orr_doc_close(&one);
    return err;
}

static enum orr_err read_systems(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                                 struct orr_size_request *size, struct orr_error *error)
{
    json_t *value = json_object_get(request->root, "system");
    json_t *systems = value ? list_systems(value) : NULL;
    const size_t n = json_array_size(systems);
    enum orr_err err = ORR_OK;
    if (n < 1 || n > ORR_SIZE_SYSTEMS || is_odd_list(value, systems))
        err = orr_doc_fail(request, "system", error,
                           "must name one to %d different systems, like \"h100-sxm,h200-sxm\"", ORR_SIZE_SYSTEMS);
    if (!err) {
        size->services = calloc(n, sizeof *size->services);
        size->spaces = calloc(n, sizeof *size->spaces);
        if (!size->services || !size->spaces) err = orr_out_of_memory(error, NULL);
    }
    for (size_t i = 0; i < n && !err; i++)
        err = read_system(catalogue, request, json_array_get(systems, i), i, size, error);
    json_decref(systems);
    return err;
}

/* ---------------------------------------------------------------- all of it */

/* What a size has an answer for. */
static enum orr_err check(const struct orr_doc *request, bool chosen, struct orr_size_request *size,
                          struct orr_error *error)
{
    const enum orr_arrival arrival = size->services[0].traffic.arrival;
    const struct orr_space *space = &size->spaces[0].space;
    if (size->services[0].n_slos == 0)
        return orr_doc_fail(request, "slo", error, "is missing: limits such as \"ttft_s.p99<=1 s\"");
    if (arrival == ORR_ARRIVAL_SATURATED || arrival == ORR_ARRIVAL_DIURNAL)
        return orr_doc_fail(request, "traffic.arrival", error,
                            "must be poisson, gamma, constant, closed or trace: a size is for a steady load");
    if (space->dp.n > 0)
        return orr_doc_fail(request, "plan.dp", error, "cannot be given: the number of replicas is what is looked for");
    if (space->cp.n > 1 || (space->cp.n == 1 && space->cp.values[0] != 1))
        return orr_doc_fail(request, "plan.cp", error, "must be 1: replicas do not cut prompts");
    for (size_t i = 0; i < size->n_systems; i++) {
        if (size->spaces[i].job.system.price_usd_per_gpu_hour > 0) continue;
        if (size->budget_usd_per_h > 0 || (chosen && !size->by_gpus))
            return orr_doc_fail(request, "system", error, "%s has no price; ask for the fewest GPUs: objective gpus",
                                size->spaces[i].job.system.id);
        size->by_gpus = true;
    }
    return ORR_OK;
}

enum orr_err orr_request_size(const struct orr_catalogue *catalogue, const struct orr_doc *request,
                              struct orr_size_request *size, struct orr_error *error)
{
    const json_t *kind = json_object_get(request->root, "kind");
    bool chosen = false;
    memset(size, 0, sizeof *size);
    enum orr_err err = ORR_OK;
    if (kind && (!json_is_string(kind) || strcmp(json_string_value(kind), "size") != 0))
        err = orr_doc_fail(request, "kind", error, "must be \"size\" here");
    if (!err && json_object_get(request->root, "gpus"))
        err = orr_doc_fail(request, "gpus", error, "cannot be given: size.budget says how many there may be");
    if (!err) err = read_ask(request, size, &chosen, error);
    if (!err) err = read_systems(catalogue, request, size, error);
    if (!err) err = check(request, chosen, size, error);
    if (err) orr_size_request_close(size);
    return err;
}

void orr_size_request_close(struct orr_size_request *request)
{
    for (size_t i = 0; i < request->n_systems; i++) orr_serving_request_close(&request->services[i]);
    free(request->services);
    free(request->spaces);
    memset(request, 0, sizeof *request);
}

enum orr_err orr_size_read(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                           struct orr_size_request *size, struct orr_error *error)
{
    struct orr_doc request;
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (err) memset(size, 0, sizeof *size);
    else err = orr_request_size(catalogue, &request, size, error);
    orr_doc_close(&request);
    return err;
}
