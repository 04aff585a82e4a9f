/* The OpenAPI document: server/static/openapi.json has the routes. The schemas of requests come from the tables that
 * read them, so that the two cannot differ. */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

static const char *const QUESTIONS[][2] = {/* a question of orr_schema_text and the name of its schema */
                                           {"train", "TrainRequest"},
                                           {"infer", "InferRequest"},
                                           {"search", "SearchRequest"},
                                           {"serving", "ServingRequest"},
                                           {"size", "SizeRequest"}};

char *srv_openapi(const char *bytes, size_t n_bytes)
{
    ORR_PLAIN_NUMBERS;
    json_t *document = json_loadb(bytes, n_bytes, 0, NULL);
    json_t *schemas = json_object_get(json_object_get(document, "components"), "schemas");
    int failed = !schemas;
    for (size_t i = 0; i < sizeof QUESTIONS / sizeof *QUESTIONS && !failed; i++) {
        char *schema = orr_schema_text(QUESTIONS[i][0]);
        failed = !schema || json_object_set_new(schemas, QUESTIONS[i][1], json_loads(schema, 0, NULL));
        free(schema);
    }
    char *dumped = failed ? NULL : json_dumps(document, JSON_INDENT(1));
    char *text = dumped ? strdup(dumped) : NULL;
    json_free_t give_back; /* Where memory is short, what jansson made is not of malloc(). */
    json_get_alloc_funcs(NULL, &give_back);
    give_back(dumped);
    json_decref(document);
    return text;
}
