/* This is the JSON that a server sends: errors, and a result together with its explanation. */
#include <stdlib.h>

#include "report/answer.h"
#include "base/plain.h"
#include "report/json_text.h"

char *orr_error_json(const struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    json_t *json = json_pack("{s{so so si si}}", "error", "text", orr_json_word(error->text), "key",
                             orr_json_word(error->key), "line", error->line, "column", error->column);
    orr_json_add(&text, json, JSON_COMPACT);
    orr_text_add(&text, "\n");
    return orr_text_take(&text);
}

void orr_answer_explained(const struct orr_answer *answer, struct orr_text *text)
{
    char *result = orr_render(answer, ORR_FORMAT_JSON, NULL);
    char *explanation = orr_render(answer, ORR_FORMAT_EXPLAIN, NULL);
    json_t *json = result && explanation ? json_loads(result, 0, NULL) : NULL;
    if (json_object_set_new(json, "explain", explanation ? json_string(explanation) : NULL)) text->failed = true;
    free(result);
    free(explanation);
    orr_json_lines(text, json);
}
