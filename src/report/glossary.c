/* The metric lists as Markdown: docs/glossary.md. */
#include "report/glossary.h"

#include "metric/metric.h"

static void add_metric(struct orr_text *text, const struct orr_metric_info *info)
{
    orr_text_add(text, "| `%s` | %s | %s | %s | %s |\n", info->key, orr_metric_unit_name(info->unit), info->meaning,
                 info->formula, info->source);
}

static void add_metrics_title(struct orr_text *text, const char *title, const char *symbols)
{
    orr_text_add(text,
                 "\n## %s\n\nThe [symbols](#%s) of the formulas are below.\n\n"
                 "| key | unit | meaning | formula | equation |\n|---|---|---|---|---|\n",
                 title, symbols);
}

static void add_symbols(struct orr_text *text, const char *title, const char *command,
                        const struct orr_symbol_info *infos, size_t n)
{
    orr_text_add(text,
                 "\n## %s\n\nFormulas name metrics and these symbols; `orrery %s --explain` shows them with their "
                 "values.\n\n| symbol | unit | where it comes from |\n|---|---|---|\n",
                 title, command);
    for (size_t i = 0; i < n; i++)
        orr_text_add(text, "| `%s` | %s | %s |\n", infos[i].name, orr_metric_unit_name(infos[i].unit), infos[i].origin);
}

void orr_glossary(struct orr_text *text)
{
    size_t n;
    orr_text_add(text, "# Glossary\n\n"
                       "Every number of a training and of an inference report. Keys are those of the JSON result and "
                       "of the CSV header;\nequation numbers are those of [equations.md](equations.md). Units are SI; "
                       "`frac` "
                       "is a ratio from 0 to 1. This page is\ngenerated from `src/metric/train.h` and "
                       "`src/metric/infer.h` (`test_report --write-glossary\ndocs/glossary.md`); a test "
                       "compares the two.\n");
    add_metrics_title(text, "Training", "symbols-of-training");
    for (int i = 0; i < ORR_N_TRAIN_METRICS; i++) add_metric(text, orr_train_metric_info((enum orr_train_metric)i));
    add_metrics_title(text, "Inference", "symbols-of-inference");
    for (int i = 0; i < ORR_N_INFER_METRICS; i++) add_metric(text, orr_infer_metric_info((enum orr_infer_metric)i));
    const struct orr_symbol_info *infos = orr_train_symbol_infos(&n);
    add_symbols(text, "Symbols of training", "train", infos, n);
    infos = orr_infer_symbol_infos(&n);
    add_symbols(text, "Symbols of inference", "infer", infos, n);
}
