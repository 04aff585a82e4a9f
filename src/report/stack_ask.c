/* The question of `orrery fit` as a JSON request, as the server and other languages ask it. */
#include "report/stack.h"

#include "base/error.h"
#include "base/plain.h"
#include "base/text.h"
#include "report/json_text.h"
#include "spec/json.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const struct orr_doc *request, const char *key)
{
    return json_string_value(json_object_get(request->root, key));
}

/* Runs as a table, or as a list of texts "tp=8,...:step_time_s=12.3" and tables. */
static enum orr_err add_runs(struct orr_stack *stack, const struct orr_doc *request, struct orr_error *error)
{
    const json_t *runs = json_object_get(request->root, "runs");
    if (json_is_string(runs)) return orr_stack_add(stack, json_string_value(runs), "runs", error);
    if (!json_is_array(runs) || json_array_size(runs) == 0)
        return orr_doc_fail(request, "runs", error, "must be the text of a table or log, or a list of runs");
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < json_array_size(runs) && !err; i++) {
        const char *run = json_string_value(json_array_get(runs, i));
        char origin[32];
        if (!run) return orr_doc_fail(request, "runs", error, "must be a list of texts");
        (void)snprintf(origin, sizeof origin, "run %zu", i + 1);
        err = strchr(run, '\n') || run[0] == '{' ? orr_stack_add(stack, run, origin, error)
                                                 : orr_stack_add_run(stack, run, error);
    }
    return err;
}

static enum orr_err check_keys(const struct orr_doc *request, struct orr_error *error)
{
    static const char *const KEYS[] = {"runs", "engine", "name", "with", "skip"};
    const char *key;
    json_t *value;
    if (!json_is_object(request->root)) return orr_doc_fail(request, "", error, "must be an object with \"runs\"");
    json_object_foreach(request->root, key, value)
    {
        size_t i = 0;
        char hint[ORR_HINT];
        while (i < ORR_COUNT_OF(KEYS) && strcmp(KEYS[i], key) != 0) i++;
        if (i == ORR_COUNT_OF(KEYS))
            return orr_doc_fail(request, key, error, "unknown key%s",
                                orr_did_you_mean(hint, key, KEYS, ORR_COUNT_OF(KEYS)));
        if (i != 0 && i != 4 && !json_is_string(value)) return orr_doc_fail(request, key, error, "must be a text");
        if (i == 4 && !(json_is_integer(value) && json_integer_value(value) >= 0))
            return orr_doc_fail(request, key, error, "must be a whole number from 0");
    }
    return ORR_OK;
}

static enum orr_err answer(struct orr_stack *stack, const struct orr_doc *request, char **text, struct orr_error *error)
{
    const char *with = text_of(request, "with"), *name = text_of(request, "name");
    const json_t *skip = json_object_get(request->root, "skip");
    enum orr_err err = with ? orr_stack_put(stack, with, error) : ORR_OK;
    if (skip) orr_stack_skip(stack, json_integer_value(skip));
    if (!err) err = add_runs(stack, request, error);
    if (!err) err = orr_stack_run(stack, error);
    if (err) return err;
    struct orr_text out = {0};
    json_t *report = orr_stack_json(stack);
    json_object_set_new(report, "file", orr_stack_engine_json(stack, name ? name : "my-stack", NULL));
    orr_json_add(&out, report, ORR_JSON_FLAGS);
    orr_text_add(&out, "\n");
    *text = orr_text_take(&out);
    return *text ? ORR_OK : orr_out_of_memory(error, NULL);
}

enum orr_err orr_stack_ask(const struct orr_catalogue *catalogue, const char *json, const char *origin, char **text,
                           struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc request;
    struct orr_stack *stack = NULL;
    *text = NULL;
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (!err) err = check_keys(&request, error);
    if (!err) err = orr_stack_open(catalogue, text_of(&request, "engine"), &stack, error);
    if (!err) err = answer(stack, &request, text, error);
    orr_stack_close(stack);
    orr_doc_close(&request);
    return err;
}
