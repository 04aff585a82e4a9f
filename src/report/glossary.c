/* This file writes the metric lists as Markdown: docs/glossary.md. */
#include "report/glossary.h"

#include "metric/metric.h"

static void add_metric(struct orr_text *text, const struct orr_metric_info *info)
{
    orr_text_add(text, "| `%s` | %s | %s | %s | %s |\n", info->key, orr_metric_unit_name(info->unit), info->meaning,
                 info->formula, info->source);
}

static void add_metrics(struct orr_text *text, enum orr_job_kind kind, const char *title, const char *symbols)
{
    orr_text_add(text,
                 "\n## %s\n\nThe [symbols](#%s) of the formulas are below.\n\n"
                 "| key | unit | meaning | formula | equation |\n|---|---|---|---|---|\n",
                 title, symbols);
    for (int i = 0; i < orr_n_metrics(kind); i++) add_metric(text, orr_metric_info(kind, i));
}

static void add_symbols(struct orr_text *text, enum orr_job_kind kind, const char *title, const char *command)
{
    size_t n;
    const struct orr_symbol_info *infos = orr_symbol_infos(kind, &n);
    orr_text_add(text,
                 "\n## %s\n\nFormulas name metrics and these symbols; `orrery %s --explain` shows them with their "
                 "values.\n\n| symbol | unit | where it comes from |\n|---|---|---|\n",
                 title, command);
    for (size_t i = 0; i < n; i++)
        orr_text_add(text, "| `%s` | %s | %s |\n", infos[i].name, orr_metric_unit_name(infos[i].unit), infos[i].origin);
}

void orr_glossary(struct orr_text *text)
{
    orr_text_add(text, "# Glossary\n\n"
                       "Every number of a training and of an inference report. Keys are those of the JSON result and "
                       "of the CSV header;\nequation numbers are those of [equations.md](equations.md). Units are SI; "
                       "`frac` "
                       "is a ratio from 0 to 1. This page is\ngenerated from `src/metric/train.h` and "
                       "`src/metric/infer.h` (`test_report --write-glossary\ndocs/glossary.md`); a test "
                       "compares the two.\n");
    add_metrics(text, ORR_JOB_TRAIN, "Training", "symbols-of-training");
    add_metrics(text, ORR_JOB_INFER, "Inference", "symbols-of-inference");
    add_symbols(text, ORR_JOB_TRAIN, "Symbols of training", "train");
    add_symbols(text, ORR_JOB_INFER, "Symbols of inference", "infer");
}
