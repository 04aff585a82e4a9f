/* JSON that a server sends beside the reports: errors, and a result together with its explanation. */
#include "report/json_text.h"

#include <stdlib.h>

#include "orrery.h"

char *orr_error_json(const struct orr_error *error)
{
    struct orr_text text = {0};
    json_t *json = json_pack("{s{so so si si}}", "error", "text", orr_json_word(error->text), "key",
                             orr_json_word(error->key), "line", error->line, "column", error->column);
    orr_json_add(&text, json, JSON_COMPACT);
    orr_text_add(&text, "\n");
    return orr_text_take(&text);
}

static char *report(const struct orr_job *job, struct orr_scratch *scratch, enum orr_format format)
{
    static const struct orr_style PLAIN = {0};
    return job->kind == ORR_JOB_TRAIN ? orr_train_report_on(job, scratch, format, &PLAIN)
                                      : orr_infer_report_on(job, scratch, format, &PLAIN);
}

char *orr_report_explained(const struct orr_job *job, struct orr_scratch *scratch)
{
    struct orr_text text = {0};
    char *result = report(job, scratch, ORR_FORMAT_JSON), *explanation = report(job, scratch, ORR_FORMAT_EXPLAIN);
    json_t *json = result && explanation ? json_loads(result, 0, NULL) : NULL;
    if (json_object_set_new(json, "explain", explanation ? json_string(explanation) : NULL)) text.failed = true;
    free(result);
    free(explanation);
    orr_json_add(&text, json, JSON_INDENT(2));
    orr_text_add(&text, "\n");
    return orr_text_take(&text);
}
