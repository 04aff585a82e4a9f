/* orr_infer_report: predict, look at the operators, and render in the format asked for. */
#include "report/infer.h"
#include "report/trace.h"

void orr_infer_render(const struct orr_infer_view *view, enum orr_format format, const struct orr_style *style,
                      struct orr_text *text)
{
    switch (format) {
    case ORR_FORMAT_TERMINAL: orr_infer_terminal(view, style, text); break;
    case ORR_FORMAT_EXPLAIN: orr_infer_explain(view, style, text); break;
    case ORR_FORMAT_JSON: orr_infer_json(view, text); break;
    case ORR_FORMAT_CSV: orr_infer_csv(view, text); break;
    case ORR_FORMAT_OPS: orr_infer_ops(view, style, text); break;
    case ORR_FORMAT_DUMP_OPS: orr_infer_dump_ops(view, text); break;
    case ORR_FORMAT_DUMP_COSTS: orr_infer_dump_costs(view, text); break;
    case ORR_FORMAT_DUMP_TIMELINE: orr_infer_dump_timeline(view, text); break;
    case ORR_FORMAT_DUMP_MEMORY: orr_infer_dump_memory(view, text); break;
    case ORR_FORMAT_TRACE: orr_infer_trace(view, text); break;
    case ORR_FORMAT_HTML: orr_infer_html(view, text); break;
    }
}

char *orr_infer_report_on(const struct orr_job *job, struct orr_scratch *scratch, enum orr_format format,
                          const struct orr_style *style)
{
    struct orr_infer_result result;
    struct orr_text text = {0};
    orr_infer(job, scratch, &result);
    const struct orr_infer_view view = orr_infer_view_of(job, scratch, &result);
    orr_infer_render(&view, format, style, &text);
    return orr_text_take(&text);
}

char *orr_infer_report(const struct orr_job *job, enum orr_format format, const struct orr_style *style)
{
    struct orr_scratch *scratch = orr_scratch_new();
    char *text = scratch ? orr_infer_report_on(job, scratch, format, style) : NULL;
    orr_scratch_free(scratch);
    return text;
}
