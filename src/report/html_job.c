/* Head and foot of the pages of single jobs. */
#include "report/html_job.h"

#include "report/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_CHARS = 24 }; /* a longer value is a sentence, which may be broken */

void orr_html_headline(struct orr_text *text, const char *kind, const struct orr_job *job,
                       const struct orr_entry *entries, size_t n_entries)
{
    char title[3 * ORR_ID], value[ORR_VALUE_TEXT];
    snprintf(title, sizeof title, "%s on %lld × %s", job->model.id, (long long)job->plan.gpus, job->system.id);
    orr_html_head(text, title);
    orr_html_element(text, "h1", "", title);
    orr_text_add(text, "<p>Orrery %s, %s, ", orr_version(), kind);
    orr_html_text(text, job->engine.id);
    orr_text_add(text, ", constants ");
    orr_html_text(text, job->calibration.id);
    orr_text_add(text, " (%s).</p>\n<table>\n", orr_trust(job));
    for (size_t i = 0; i < n_entries; i++) {
        if (entries[i].absent) continue;
        orr_text_add(text, "<tr>");
        orr_html_element(text, "th", "", entries[i].info->key);
        orr_value_print(value, entries[i].value);
        orr_html_element(text, "td", strlen(value) > NUMBER_CHARS ? " class=\"long\"" : "", value);
        orr_html_element(text, "th", "", entries[i].info->meaning);
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "</table>\n");
}

void orr_html_foot(struct orr_text *text, const struct orr_text *explanation, json_t *request,
                   const struct orr_text *result)
{
    struct orr_text asked = {0};
    orr_json_add(&asked, request, ORR_JSON_FLAGS | JSON_INDENT(2));
    orr_html_folded(text, "Every term with its formula", "explanation", explanation);
    orr_html_folded(text, "The request, every default resolved", "request", &asked);
    orr_html_folded(text, "The result as JSON", "result", result);
    orr_text_add(text, "</body>\n</html>\n");
    free(asked.data);
}
