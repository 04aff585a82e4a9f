/* Points of a sweep -> rows: the columns and numbers of the metric lists, as in the JSON result. */
#include <string.h>

#include "report/infer_metrics.h"
#include "report/metrics.h"
#include "study/sweep.h"

_Static_assert(ORR_N_METRICS <= ORR_MAX_COLUMNS && ORR_N_INFER_METRICS <= ORR_MAX_COLUMNS, "a row has enough columns");

static int n_metrics(enum orr_job_kind kind)
{
    return kind == ORR_JOB_INFER ? ORR_N_INFER_METRICS : ORR_N_METRICS;
}

static const struct orr_metric_info *metric_info(enum orr_job_kind kind, int i)
{
    return kind == ORR_JOB_INFER ? orr_infer_metric_info((enum orr_infer_metric)i)
                                 : orr_metric_info((enum orr_metric)i);
}

/* A row has its reason elsewhere. */
static bool is_reason(enum orr_job_kind kind, int i)
{
    return kind == ORR_JOB_INFER ? i == ORR_INFER_METRIC_REASON : i == ORR_METRIC_REASON;
}

static enum orr_column_type column_type(enum orr_metric_unit unit)
{
    if (unit == ORR_METRIC_UNIT_WORD) return ORR_COLUMN_TEXT;
    if (unit == ORR_METRIC_UNIT_FLAG) return ORR_COLUMN_FLAG;
    return unit == ORR_METRIC_UNIT_COUNT || unit == ORR_METRIC_UNIT_WHOLE_BYTES ? ORR_COLUMN_WHOLE : ORR_COLUMN_REAL;
}

size_t orr_sweep_columns(const struct orr_sweep *sweep, struct orr_column columns[ORR_MAX_COLUMNS])
{
    size_t n = 0;
    for (int i = 0; i < n_metrics(sweep->kind); i++) {
        const struct orr_metric_info *info = metric_info(sweep->kind, i);
        if (is_reason(sweep->kind, i)) continue;
        columns[n++] = (struct orr_column){
            .name = info->key,
            .meaning = info->meaning,
            .type = column_type(info->unit),
        };
    }
    return n;
}

static void fill_numbers(enum orr_job_kind kind, const struct orr_point *outcome, struct orr_sweep_row *row)
{
    const struct orr_view train = {.job = outcome->job, .result = &outcome->train};
    const struct orr_infer_view infer = {.job = outcome->job, .result = &outcome->infer};
    size_t n = 0;
    for (int i = 0; i < n_metrics(kind); i++) {
        if (is_reason(kind, i)) continue;
        const struct orr_value value = kind == ORR_JOB_INFER ? orr_infer_metric_value(&infer, (enum orr_infer_metric)i)
                                                             : orr_metric_value(&train, (enum orr_metric)i);
        row->numbers[n] = value.number;
        row->words[n++] = value.word;
    }
}

struct rows {
    struct orr_sweep_row *rows;
    enum orr_job_kind kind;
};

static void visit(void *context, size_t i, const struct orr_point *outcome)
{
    const struct rows *rows = context;
    struct orr_sweep_row *row = &rows->rows[i];
    row->status = outcome->status;
    memcpy(row->reason, outcome->reason, sizeof row->reason);
    if (outcome->status != ORR_POINT_INVALID) fill_numbers(rows->kind, outcome, row);
}

enum orr_err orr_sweep_run(struct orr_sweep *sweep, int64_t first, size_t n, struct orr_sweep_row *rows,
                           struct orr_error *error)
{
    struct rows context = {rows, sweep->kind};
    return orr_sweep_each(sweep, first, n, visit, &context, error);
}
