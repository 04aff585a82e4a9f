/* orr_train_report: predict, look at the operators, and render in the format asked for. */
#include <stdlib.h>

#include "report/trace.h"
#include "report/train.h"

void orr_train_render(const struct orr_view *view, enum orr_format format, const struct orr_style *style,
                      struct orr_text *text)
{
    switch (format) {
    case ORR_FORMAT_TERMINAL: orr_train_terminal(view, style, text); break;
    case ORR_FORMAT_EXPLAIN: orr_train_explain(view, style, text); break;
    case ORR_FORMAT_JSON: orr_train_json(view, text); break;
    case ORR_FORMAT_CSV: orr_train_csv(view, text); break;
    case ORR_FORMAT_OPS: /* a training step shows its operators in the dump */
    case ORR_FORMAT_DUMP_OPS: orr_dump_ops(view, text); break;
    case ORR_FORMAT_DUMP_COSTS: orr_dump_costs(view, text); break;
    case ORR_FORMAT_DUMP_TIMELINE: orr_dump_timeline(view, text); break;
    case ORR_FORMAT_DUMP_MEMORY: orr_dump_memory(view, text); break;
    case ORR_FORMAT_TRACE: orr_train_trace(view, text); break;
    case ORR_FORMAT_HTML: orr_train_html(view, text); break;
    }
}

/* Spans of the last prediction; false if there is no memory for them. The caller frees *spans. */
static bool read_timeline(const struct orr_scratch *scratch, struct orr_view *view, struct orr_span **spans)
{
    const size_t n_spans = orr_pipeline_timeline(view->job, scratch, NULL, 0);
    *spans = n_spans ? malloc(n_spans * sizeof **spans) : NULL;
    if (n_spans && !*spans) return false;
    view->spans = *spans;
    view->n_spans = n_spans ? orr_pipeline_timeline(view->job, scratch, *spans, n_spans) : 0;
    return true;
}

char *orr_train_report_on(const struct orr_job *job, struct orr_scratch *scratch, enum orr_format format,
                          const struct orr_style *style)
{
    struct orr_result result;
    struct orr_span *spans = NULL;
    struct orr_text text = {0};
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    const size_t n_what_ifs = format == ORR_FORMAT_TERMINAL ? orr_train_what_if(job, scratch, what_ifs) : 0;
    orr_train(job, scratch, &result);
    orr_train_advice(job, scratch, &result);
    struct orr_view view = orr_view_of(job, scratch, &result);
    view.what_ifs = what_ifs;
    view.n_what_ifs = n_what_ifs;
    const bool timeline = format == ORR_FORMAT_DUMP_TIMELINE || format == ORR_FORMAT_HTML;
    if (timeline && !read_timeline(scratch, &view, &spans)) text.failed = true;
    orr_train_render(&view, format, style, &text);
    free(spans);
    return orr_text_take(&text);
}

char *orr_train_report(const struct orr_job *job, enum orr_format format, const struct orr_style *style)
{
    struct orr_scratch *scratch = orr_scratch_new();
    char *text = scratch ? orr_train_report_on(job, scratch, format, style) : NULL;
    orr_scratch_free(scratch);
    return text;
}
