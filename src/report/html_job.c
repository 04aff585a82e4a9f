/* This file shows one answer as an HTML page: headline, bars of time and memory, operators, explanation, JSON. */
#include "report/answer.h"
#include "report/html_chart.h"
#include "report/json_text.h"
#include "report/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OPS 64

#define T(name) ORR_TRAIN_METRIC_##name
#define I(name) ORR_INFER_METRIC_##name
static const int TRAIN[] = {
    T(STEP_TIME),  T(INTERVAL_LOW), T(INTERVAL_HIGH), T(BOUND), T(TOKENS), T(MFU),  T(HFU),
    T(BOTTLENECK), T(FITS),         T(REASON),        T(POWER), T(ENERGY), T(COST), T(COST_PER_BILLION),
};
static const int INFER[] = {
    I(LATENCY),    I(INTERVAL_LOW), I(INTERVAL_HIGH), I(TTFT),      I(TPOT),  I(BOUND), I(OUTPUT_TOKENS),
    I(BOTTLENECK), I(FITS),         I(REASON),        I(MAX_BATCH), I(POWER), I(COST),  I(COST_PER_MILLION),
};

enum { NUMBER_CHARS = 24 }; /* a longer value is a sentence, which may be broken */

static void add_headline(const struct orr_answer *answer, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    const bool train = job->kind == ORR_JOB_TRAIN;
    const int *metrics = train ? TRAIN : INFER;
    const size_t n = train ? sizeof TRAIN / sizeof *TRAIN : sizeof INFER / sizeof *INFER;
    char title[3 * ORR_ID], value[ORR_VALUE_TEXT];
    snprintf(title, sizeof title, "%s on %lld × %s", job->model.id, (long long)job->plan.gpus, job->system.id);
    orr_html_head(text, title);
    orr_html_element(text, "h1", "", title);
    orr_text_add(text, "<p>Orrery %s, %s, ", orr_version(), train ? "training step" : "inference request");
    orr_html_text(text, job->engine.id);
    orr_text_add(text, ", constants ");
    orr_html_text(text, job->calibration.id);
    orr_text_add(text, " (%s).</p>\n<table>\n", orr_trust(job));
    for (size_t i = 0; i < n; i++) {
        const struct orr_entry entry = orr_metric_entry(answer, metrics[i]);
        if (entry.absent) continue;
        orr_text_add(text, "<tr>");
        orr_html_element(text, "th", "", entry.info->key);
        orr_value_print(value, entry.value);
        orr_html_element(text, "td", strlen(value) > NUMBER_CHARS ? " class=\"long\"" : "", value);
        orr_html_element(text, "th", "", entry.info->meaning);
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "</table>\n");
}

static void add_bars(const struct orr_answer *answer, struct orr_text *text)
{
    const enum orr_job_kind kind = answer->job->kind;
    const bool train = kind == ORR_JOB_TRAIN;
    const struct orr_room room = orr_room_of(answer);
    struct orr_html_part parts[ORR_N_INFER_PARTS];
    int n;
    const double *parts_s = orr_parts_s(answer, &n);
    for (int i = 0; i < n; i++)
        parts[i] = (struct orr_html_part){orr_part_text(kind, i),
                                          orr_metric_info(kind, orr_first_time_metric(kind) + i)->meaning, parts_s[i]};
    orr_html_bar(text, train ? "Time of a step" : "Time of the request", ORR_METRIC_UNIT_S, parts, (size_t)n, 0, "");
    for (int i = 0; i < room.n_parts; i++)
        parts[i] = (struct orr_html_part){
            room.names[i], orr_metric_info(kind, orr_first_memory_metric(kind) + i)->meaning, room.part_bytes[i]};
    orr_html_bar(text, "Memory of the fullest GPU", ORR_METRIC_UNIT_BYTES, parts, (size_t)room.n_parts,
                 room.usable_bytes, "usable");
}

static void add_pipeline(const struct orr_answer *answer, struct orr_text *text)
{
    size_t n;
    struct orr_span *spans = orr_answer_spans(answer, &n);
    text->failed |= !spans;
    orr_html_pipeline(text, spans, n, answer->job->plan.pp);
    free(spans);
}

static void add_operators(const struct orr_answer *answer, struct orr_text *text)
{
    struct orr_alike alike[N_OPS];
    struct orr_html_op ops[N_OPS];
    const size_t n = orr_rows_heaviest(answer, ORR_ANY_PART, false, N_OPS, alike, NULL);
    for (size_t i = 0; i < n; i++) {
        const struct orr_time_row *row = &answer->rows[alike[i].first];
        ops[i] = (struct orr_html_op){&answer->ops[row->op], &answer->costs[row->op], alike[i].runs, row->run_s,
                                      alike[i].exposed_s,    alike[i].share_frac};
    }
    orr_html_roofline(text, &answer->job->system.chip, orr_matrix_format(answer->job), ops, n);
    if (answer->job->kind == ORR_JOB_TRAIN) add_pipeline(answer, text);
    orr_html_ops(text, ops, n);
}

/* Adds the explanation, the request and the result as folded JSON, and ends the page. */
static void add_foot(const struct orr_answer *answer, struct orr_text *text)
{
    const struct orr_style style = {.width = 110};
    struct orr_text asked = {0}, explanation = {0}, result = {0};
    orr_explain(answer, &style, &explanation);
    orr_answer_json(answer, &result);
    orr_json_add(&asked, orr_request_json(answer->job, false), ORR_JSON_FLAGS | JSON_INDENT(2));
    orr_html_folded(text, "Every term with its formula", "explanation", &explanation);
    orr_html_folded(text, "The request, every default resolved", "request", &asked);
    orr_html_folded(text, "The result as JSON", "result", &result);
    orr_text_add(text, "</body>\n</html>\n");
    free(asked.data);
    free(explanation.data);
    free(result.data);
}

void orr_answer_html(const struct orr_answer *answer, struct orr_text *text)
{
    add_headline(answer, text);
    add_bars(answer, text);
    add_operators(answer, text);
    add_foot(answer, text);
}
