/* orr_render writes an answer in the format asked for. */
#include <stdlib.h>

#include "predict/scratch.h"
#include "base/plain.h"
#include "report/answer.h"
#include "report/launch_files.h"
#include "report/trace.h"

struct orr_span *orr_answer_spans(const struct orr_answer *answer, size_t *n)
{
    const size_t n_max = orr_pipeline_timeline(answer->job, answer->scratch, NULL, 0);
    struct orr_span *spans = n_max ? malloc(n_max * sizeof *spans) : NULL;
    *n = spans ? orr_pipeline_timeline(answer->job, answer->scratch, spans, n_max) : 0;
    return spans;
}

char *orr_render(const struct orr_answer *answer, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    const bool train = answer->job->kind == ORR_JOB_TRAIN;
    struct orr_text text = {0};
    switch (format) {
    case ORR_FORMAT_GNUPLOT:
    case ORR_FORMAT_INTERVALS:
    case ORR_FORMAT_RUNS:
    case ORR_FORMAT_TERMINAL: (train ? orr_train_terminal : orr_infer_terminal)(answer, style, &text); break;
    case ORR_FORMAT_EXPLAIN: orr_explain(answer, style, &text); break;
    case ORR_FORMAT_JSON: orr_answer_json(answer, &text); break;
    case ORR_FORMAT_JSON_EXPLAINED: orr_answer_explained(answer, &text); break;
    case ORR_FORMAT_CSV: orr_answer_csv(answer, &text); break;
    case ORR_FORMAT_OPS:
        if (train) orr_dump(answer, ORR_FORMAT_DUMP_OPS, &text); /* a step shows its operators in the dump */
        else orr_infer_ops(answer, style, &text);
        break;
    case ORR_FORMAT_DUMP_OPS:
    case ORR_FORMAT_DUMP_COSTS:
    case ORR_FORMAT_DUMP_TIMELINE:
    case ORR_FORMAT_DUMP_MEMORY:
    case ORR_FORMAT_DUMP_LEDGER: orr_dump(answer, format, &text); break;
    case ORR_FORMAT_TRACE: (train ? orr_train_trace : orr_infer_trace)(answer, &text); break;
    case ORR_FORMAT_HTML: orr_answer_html(answer, &text); break;
    }
    return orr_text_take(&text);
}

bool orr_answer_launch(const struct orr_answer *answer, orr_launch_sink sink, void *context)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_job *job = answer->job;
    const bool apart = job->kind == ORR_JOB_INFER && job->serving.disaggregated;
    return orr_launch_files(job, apart ? job : NULL, sink, context); /* pools of one job have one plan */
}
