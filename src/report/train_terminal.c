/* This report is for people: what was asked, the answer in eight lines, where time and memory go, what is heaviest. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/answer.h"
#include "report/summary.h"
#include "report/sureness.h"
#include "report/table.h"

/* ---------------------------------------------------------------- headline: the answer */

static void headline_speed(const struct orr_answer *answer, struct orr_table *table)
{
    static const struct orr_summary_row ROWS[] = {
        {"step time", ORR_TRAIN_METRIC_STEP_TIME, "80 %%: %s … %s", ORR_TRAIN_METRIC_INTERVAL_LOW,
         ORR_TRAIN_METRIC_INTERVAL_HIGH, NULL},
        {"throughput", ORR_TRAIN_METRIC_TOKENS, "%s per GPU", ORR_TRAIN_METRIC_TOKENS_PER_GPU, 0, NULL}};
    const struct orr_result *r = &answer->train;
    char rate[ORR_VALUE_TEXT], value[64], detail[2 * ORR_VALUE_TEXT];
    orr_summary_rows(table, answer, ORR_PAINT_BOLD, ROWS, sizeof ROWS / sizeof *ROWS);
    (void)snprintf(value, sizeof value, "MFU %.1f %%", 100 * r->mfu_frac);
    /* Published MFU counts the whole score matrix, executed FLOP only what the mask leaves. */
    (void)orr_summary_number(answer, ORR_TRAIN_METRIC_MODEL_TFLOPS, rate);
    (void)snprintf(detail, sizeof detail, "%s per GPU, HFU %.1f %%", rate, 100 * r->hfu_frac);
    ORR_ROW(table, ORR_PAINT_NONE, "utilisation", value, detail);
    if (r->hfu_frac < r->mfu_frac) { /* HFU counts as this row does, and would surprise beside the other MFU. */
        (void)snprintf(value, sizeof value, "MFU %.1f %%", 100 * r->mfu_causal_frac);
        ORR_ROW(table, ORR_PAINT_NONE, "causal", value, "without masked pairs, as HFU counts");
    }
    orr_summary_light(table, answer, ORR_TRAIN_METRIC_BOUND, "the step");
}

static void headline_resources(const struct orr_answer *answer, struct orr_table *table)
{
    static const struct orr_summary_row POWER[] = {
        {"power", ORR_TRAIN_METRIC_POWER, "%s per step, %s per token", ORR_TRAIN_METRIC_ENERGY,
         ORR_TRAIN_METRIC_ENERGY_PER_TOKEN, "%s per GPU"},
        {"cost", ORR_TRAIN_METRIC_COST, "per step, %s per billion tokens", ORR_TRAIN_METRIC_COST_PER_BILLION, 0, NULL}};
    const struct orr_result *r = &answer->train;
    const struct orr_summary_row memory = {"memory",
                                           ORR_TRAIN_METRIC_MEMORY_TOTAL,
                                           r->fits ? "fits: %s of %s usable" : "does not fit: %s of %s usable",
                                           ORR_TRAIN_METRIC_MEMORY_USABLE,
                                           ORR_TRAIN_METRIC_MEMORY_CAPACITY,
                                           NULL};
    orr_summary_rows(table, answer, r->fits ? ORR_PAINT_NONE : ORR_PAINT_BAD, &memory, 1);
    orr_summary_bound(table, "bottleneck", r->bound_share_frac, r->bottleneck);
    orr_summary_rows(table, answer, ORR_PAINT_NONE, POWER, sizeof POWER / sizeof *POWER);
}

static void add_headline(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    orr_table_start(&table, "llf");
    headline_speed(answer, &table);
    headline_resources(answer, &table);
    orr_table_print(&table, text, style);
    orr_sureness(answer, style, text);
    orr_summary_reason(style, answer->train.reason, text);
    orr_text_add(text, "\n");
}

static void add_memory(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    char title[64];
    (void)snprintf(title, sizeof title,
                   "memory of a GPU of stage %lld, peak:", (long long)answer->train.memory.peak_stage);
    orr_text_wrap(text, style, title, orr_columns(title) + 1,
                  orr_metric_value(answer, ORR_TRAIN_METRIC_PEAK_INSTANT).word, " ");
    orr_summary_memory(answer, style, text);
}

/* ---------------------------------------------------------------- pipeline, hidden communication, operators */

/* Says what the host keeps for a GPU. */
static void add_host_memory(const struct orr_memory *memory, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    if (memory->host_bytes > 0)
        orr_text_add(&line, "%.1f of %.1f GiB of its memory", memory->host_bytes / ORR_GIB,
                     memory->host_capacity_bytes / ORR_GIB);
    if (memory->nvme_bytes > 0)
        orr_text_add(&line, "%s%.1f of %.1f GiB of its drives", line.length ? " · " : "", memory->nvme_bytes / ORR_GIB,
                     memory->nvme_capacity_bytes / ORR_GIB);
    if (line.length) orr_summary_line(text, style, "host", &line);
    free(line.data);
}

static void add_pipeline(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_result *r = &answer->train;
    const size_t before = text->length;
    struct orr_text line = {0};
    char buffer[32];
    if (answer->job->plan.pp > 1) {
        orr_text_add(&line, "%lld stages · %lld micro-batches · bubble %.1f %% · %.3g in flight on stage %lld",
                     (long long)answer->job->plan.pp, (long long)r->n_micro_batches,
                     100 * orr_rows_share_frac(answer, ORR_TIME_PP_BUBBLE), r->memory.in_flight,
                     (long long)r->memory.peak_stage);
        orr_summary_line(text, style, "pipeline", &line);
    }
    for (int i = 0; i < ORR_N_GROUPS; i++)
        if (r->hidden_s[i] > 0)
            orr_text_add(&line, "%s%s %s", line.length ? " · " : "", orr_group_name((enum orr_group)i),
                         orr_print_s(buffer, r->hidden_s[i]));
    if (line.length) orr_summary_line(text, style, "hidden", &line);
    add_host_memory(&r->memory, style, text);
    if (text->length > before) orr_text_add(text, "\n");
    free(line.data);
}

static void add_heaviest(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    char title[64] = "heaviest operators";
    if (answer->job->plan.pp > 1)
        (void)snprintf(title, sizeof title, "heaviest operators of pipeline rank %lld", (long long)answer->facts.rank);
    orr_summary_heaviest(answer, style, title, text);
}

/* ---------------------------------------------------------------- what would change it */

#define N_CHANGES 3

static double gain_frac(const struct orr_answer *answer, const struct orr_what_if *what_if)
{
    return what_if->step_time_s / answer->train.step_time_s - 1;
}

static void add_hardware(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    for (size_t i = 0; i < answer->n_what_ifs; i++)
        if (answer->what_ifs[i].hardware)
            orr_text_add(&line, "%s%s %+.1f %%", line.length ? " · " : "", answer->what_ifs[i].text,
                         100 * gain_frac(answer, &answer->what_ifs[i]));
    orr_text_wrap_line(text, style, "  10 % more", 13, &line, " · ");
}

/* Adds the fastest single changes of plan or workload that fit and gain at least half a percent. */
static void add_changes(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    orr_text_section(text, style, "what would change it");
    add_hardware(answer, style, text);
    struct orr_table table;
    orr_table_start(&table, "lrr");
    double above = -1;
    for (int shown = 0; shown < N_CHANGES; shown++) {
        const struct orr_what_if *next = NULL;
        for (size_t i = 0; i < answer->n_what_ifs; i++) {
            const struct orr_what_if *one = &answer->what_ifs[i];
            const bool better =
                !one->hardware && one->fits && gain_frac(answer, one) < -0.005 && one->step_time_s > above;
            if (better && (!next || one->step_time_s < next->step_time_s)) next = one;
        }
        if (!next) break;
        char time[32], gain[16];
        (void)snprintf(gain, sizeof gain, "%+.1f %%", 100 * gain_frac(answer, next));
        ORR_ROW(&table, ORR_PAINT_NONE, next->text, orr_print_s(time, next->step_time_s), gain);
        above = next->step_time_s;
    }
    orr_table_print(&table, text, style);
}

void orr_train_terminal(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    orr_heading(answer, style, text);
    add_headline(answer, style, text);
    orr_summary_time(answer, style, "time of a step", text);
    add_memory(answer, style, text);
    add_pipeline(answer, style, text);
    add_heaviest(answer, style, text);
    if (answer->n_what_ifs > 0) add_changes(answer, style, text);
}
