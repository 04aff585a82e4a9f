/* orr_technology_render answers questions about a generated system; orr_technology_ask takes them as a JSON request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/technology.h"
#include "base/error.h"
#include "base/plain.h"
#include "spec/json.h"

enum orr_err orr_technology_render(const struct orr_catalogue *catalogue,
                                   const struct orr_technology_question *question, enum orr_format format,
                                   const struct orr_style *style, char **text, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    static orr_technology_writer *const WRITERS[] = {/* ORDER enum orr_technology_view */
                                                     orr_technology_chip, orr_technology_nodes, orr_technology_cost,
                                                     orr_technology_optimise};
    const struct orr_rendering to = {format, style, text};
    if ((unsigned)question->view >= ORR_N_TECHNOLOGY_VIEWS)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "there is no such view of a generated system");
    return WRITERS[question->view](catalogue, question, &to, error);
}

static const char *const QUESTIONS[] = {"chip", "nodes", "cost"}; /* ORDER enum orr_technology_view */

/* Finds which question the request asks; errors stand at its key. */
static enum orr_err ask(const struct orr_catalogue *catalogue, const struct orr_doc *request, char **text,
                        struct orr_error *error)
{
    char shown[ORR_SHOWN];
    const char *key = json_object_iter_key(json_object_iter(request->root));
    size_t q = 0;
    while (q < ORR_COUNT_OF(QUESTIONS) && !(key && strcmp(key, QUESTIONS[q]) == 0)) q++;
    if (json_object_size(request->root) != 1 || q == ORR_COUNT_OF(QUESTIONS))
        return orr_doc_fail(request, "", error, "must be an object with one key: \"chip\", \"nodes\" or \"cost\"");
    const json_t *value = json_object_get(request->root, key);
    if (!json_is_string(value))
        return orr_doc_fail(request, key, error, "must be text such as \"node=5,memory=hbm3\", not %s",
                            orr_json_shown(shown, value));
    const char *given = json_string_value(value), *prefix = orr_is_generated(given) ? "" : ORR_GENERATED;
    const size_t size = strlen(prefix) + strlen(given) + 1;
    char *name = malloc(size);
    struct orr_error found;
    if (!name) return orr_out_of_memory(error, NULL);
    (void)snprintf(name, size, "%s%s", prefix, given);
    const struct orr_technology_question question = {.name = name, .view = (enum orr_technology_view)q};
    const enum orr_err err = orr_technology_render(catalogue, &question, ORR_FORMAT_JSON, NULL, text, &found);
    free(name);
    if (err == ORR_ERR_MEMORY) return orr_out_of_memory(error, NULL);
    return err ? orr_doc_fail(request, key, error, "%s", found.text) : ORR_OK;
}

enum orr_err orr_technology_ask(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                                char **text, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_doc request;
    *text = NULL;
    enum orr_err err = orr_doc_parse(json, origin, &request, error);
    if (!err) err = ask(catalogue, &request, text, error);
    orr_doc_close(&request);
    return err;
}
