/* This file writes heading lines and tables of parts, for training and inference alike. */
#include "report/summary.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "metric/rows.h"
#include "report/op_text.h"

/* ---------------------------------------------------------------- lines */

void orr_summary_line(struct orr_text *text, const struct orr_style *style, const char *label, struct orr_text *line)
{
    orr_text_wrap(text, style, label, ORR_SUMMARY_LABEL, line->data ? line->data : "", " · ");
    if (line->data) line->data[0] = '\0';
    line->length = 0;
    text->failed |= line->failed;
}

/* Prints parameters as models are named: 124 M, 175 B. */
static char *print_params(char buffer[32], double params)
{
    const bool billions = params >= 999.5e6;
    (void)snprintf(buffer, 32, "%.4g %s", params / (billions ? 1e9 : 1e6), billions ? "B" : "M");
    return buffer;
}

void orr_summary_asked(const struct orr_model *model, struct orr_text *line)
{
    if (model->asked[0]) orr_text_add(line, " · asked for as %s", model->asked);
    if (model->shipped_format[0]) orr_text_add(line, " · shipped as %s", model->shipped_format);
}

void orr_summary_model(const struct orr_job *job, int64_t params_total, int64_t params_active, struct orr_text *line)
{
    char count[32];
    orr_text_add(line, "%s · %s parameters", job->model.id, print_params(count, (double)params_total));
    if (params_active != params_total) orr_text_add(line, ", %s active", print_params(count, (double)params_active));
    orr_text_add(line, " · %lld × %s", (long long)job->plan.gpus, job->system.id);
    orr_summary_asked(&job->model, line);
}

void orr_summary_media(const struct orr_media *media, struct orr_text *line)
{
    if (media->images > 0)
        orr_text_add(line, " · %lld image%s of %lld × %lld pixels%s, %lld tokens", (long long)media->images,
                     media->images > 1 ? "s" : "", (long long)media->image_width, (long long)media->image_height,
                     media->size_assumed ? " (assumed)" : "", (long long)media->image_tokens);
    if (media->audio_s > 0) orr_text_add(line, " · %g s of sound", media->audio_s);
    if (media->encoder_tokens > 0) orr_text_add(line, " · %lld encoder tokens", (long long)media->encoder_tokens);
}

void orr_summary_degrees(const struct orr_plan *plan, struct orr_text *line)
{
    const struct {
        const char *name;
        int64_t degree;
        bool always;
    } degrees[] = {{"tp", plan->tp, true},  {"pp", plan->pp, true},  {"vpp", plan->vpp, false}, {"dp", plan->dp, true},
                   {"cp", plan->cp, false}, {"ep", plan->ep, false}, {"etp", plan->etp, false}};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        if (degrees[i].always || degrees[i].degree > 1)
            orr_text_add(line, "%s%s %lld", i > 0 ? " · " : "", degrees[i].name, (long long)degrees[i].degree);
}

void orr_summary_shares(const double share_frac[ORR_N_BOUNDS], enum orr_bound skip, struct orr_text *line)
{
    bool listed[ORR_N_BOUNDS] = {false};
    const size_t before = line->length;
    if (skip != ORR_N_BOUNDS) listed[skip] = true;
    for (int n = 0; n < ORR_N_BOUNDS; n++) {
        int best = -1;
        for (int i = 0; i < ORR_N_BOUNDS; i++)
            if (!listed[i] && (best < 0 || share_frac[i] > share_frac[best])) best = i;
        if (best < 0) return;
        listed[best] = true;
        if (share_frac[best] >= 0.005)
            orr_text_add(line, "%s%s %.0f %%", line->length > before ? ", " : "", orr_bound_name((enum orr_bound)best),
                         100 * share_frac[best]);
    }
}

void orr_summary_bound(struct orr_table *table, const char *name, const double share_frac[ORR_N_BOUNDS],
                       enum orr_bound bound)
{
    struct orr_text others = {0};
    char value[64];
    (void)snprintf(value, sizeof value, "%s %.0f %%", orr_bound_name(bound), 100 * share_frac[bound]);
    orr_summary_shares(share_frac, bound, &others);
    ORR_ROW(table, ORR_PAINT_NONE, name, value, others.data ? others.data : "");
    table->failed |= others.failed;
    free(others.data);
}

void orr_summary_reason(const struct orr_style *style, const char *reason, struct orr_text *text)
{
    if (reason[0]) orr_text_wrap(text, style, "  reason", ORR_SUMMARY_LABEL + 8, reason, " ");
}

char *orr_summary_number(const struct orr_answer *answer, int metric, char buffer[ORR_VALUE_TEXT])
{
    return orr_value_print(buffer, orr_metric_value(answer, metric));
}

void orr_summary_rows(struct orr_table *table, const struct orr_answer *answer, enum orr_paint paint,
                      const struct orr_summary_row *rows, size_t n_rows)
{
    char number[ORR_VALUE_TEXT], second[ORR_VALUE_TEXT], value[2 * ORR_VALUE_TEXT], detail[3 * ORR_VALUE_TEXT];
    for (size_t i = 0; i < n_rows; i++) {
        const struct orr_summary_row *row = &rows[i];
        (void)snprintf(value, sizeof value, row->value ? row->value : "%s",
                       orr_summary_number(answer, row->metric, number));
        (void)snprintf(detail, sizeof detail, row->detail, orr_summary_number(answer, row->first, number),
                       orr_summary_number(answer, row->second, second));
        ORR_ROW(table, i == 0 ? paint : ORR_PAINT_NONE, row->name, value, detail);
    }
}

void orr_summary_light(struct orr_table *table, const struct orr_answer *answer, int metric, const char *what)
{
    char value[ORR_VALUE_TEXT], detail[64];
    (void)snprintf(detail, sizeof detail, "%s takes %.2f times that", what, orr_light_ratio(answer));
    ORR_ROW(table, ORR_PAINT_NONE, "speed of light", orr_summary_number(answer, metric, value), detail);
}

/* ---------------------------------------------------------------- operators */

#define N_HEAVIEST 5

void orr_summary_heaviest(const struct orr_answer *answer, const struct orr_style *style, const char *title,
                          struct orr_text *text)
{
    struct orr_alike heaviest[N_HEAVIEST];
    const size_t n = orr_rows_heaviest(answer, ORR_ANY_PART, false, N_HEAVIEST, heaviest, NULL);
    struct orr_table table;
    char shape[ORR_SHAPE_TEXT], name[ORR_TITLE_TEXT], time[32], share[32];
    if (n == 0) return;
    orr_text_title(text, style, title);
    orr_table_start(&table, "flfrrl");
    for (size_t i = 0; i < n; i++) {
        const struct orr_time_row *row = &answer->rows[heaviest[i].first];
        const struct orr_op *op = &answer->ops[row->op];
        (void)snprintf(share, sizeof share, "%.1f %%", 100 * heaviest[i].share_frac);
        ORR_ROW(&table, ORR_PAINT_NONE, orr_op_title(name, op),
                op->recomputed ? "forward ×2" : orr_phase_name(op->phase), orr_op_shape(shape, op),
                orr_print_s(time, heaviest[i].exposed_s), share, orr_bound_name(row->resource));
    }
    orr_table_print(&table, text, style);
}

/* ---------------------------------------------------------------- tables of parts */

/* This says how the rows of one table print amounts: in units of `unit`. */
struct scale {
    double unit;
    int decimals;
    const char *unit_name;
};

static void amount_row(struct orr_table *table, const struct scale *scale, enum orr_paint paint, const char *name,
                       double amount, double percent, const char *bar)
{
    char amount_text[64], percent_text[32];
    (void)snprintf(amount_text, sizeof amount_text, "%.*f %s", scale->decimals, amount, scale->unit_name);
    (void)snprintf(percent_text, sizeof percent_text, "%.1f %%", percent);
    ORR_ROW(table, paint, name, amount_text, percent_text, bar);
}

/* A slice is one part of a whole, with its share in percent. */
struct slice {
    const char *name;
    double value, percent;
};
#define MAX_SLICES 16

/* Adds rows of the parts with share and bar, then their sum. Rounding keeps the sum, so that the printed parts add up.
 * Returns the printed sum. */
static double add_slices(struct orr_table *table, const struct slice *slices, size_t n_slices,
                         const struct scale *scale)
{
    double values[MAX_SLICES] = {0}, shares[MAX_SLICES] = {0}, rounded[MAX_SLICES], percents[MAX_SLICES];
    double sum = 0, sum_percent = 0, longest = 100;
    assert(n_slices <= MAX_SLICES);
    for (size_t i = 0; i < n_slices; i++) {
        values[i] = slices[i].value / scale->unit;
        shares[i] = slices[i].percent;
        longest = fmax(longest, shares[i]);
    }
    orr_apportion(values, n_slices, pow(10, -scale->decimals), rounded);
    orr_apportion(shares, n_slices, 0.1, percents);
    for (size_t i = 0; i < n_slices; i++) {
        char bar[32];
        (void)snprintf(bar, sizeof bar, "%.9f", shares[i] / longest);
        if (slices[i].value != 0)
            amount_row(table, scale, ORR_PAINT_NONE, slices[i].name, rounded[i], percents[i], bar);
        sum += rounded[i];
        sum_percent += percents[i];
    }
    amount_row(table, scale, ORR_PAINT_BOLD, "sum", sum, sum_percent, "");
    return sum;
}

static void start_parts(struct orr_table *table)
{
    orr_table_start(table, "lrrb");
    table->column_paint[3] = ORR_PAINT_BAR;
}

void orr_summary_time(const struct orr_answer *answer, const struct orr_style *style, const char *title,
                      struct orr_text *text)
{
    const double whole_s = orr_total_s(answer);
    struct scale scale = {.unit = whole_s >= 1 ? 1 : 1e-3};
    const double size = whole_s / scale.unit;
    struct slice slices[MAX_SLICES] = {{0}};
    struct orr_table table;
    int n;
    const double *parts_s = orr_parts_s(answer, &n);
    scale.decimals = size >= 1000 ? 1 : size >= 100 ? 2 : 3;
    scale.unit_name = scale.unit < 1 ? "ms" : "s";
    for (int i = 0; i < n; i++)
        slices[i] =
            (struct slice){orr_part_text(answer->job->kind, i), parts_s[i], 100 * orr_rows_share_frac(answer, i)};
    start_parts(&table);
    orr_text_title(text, style, title);
    (void)add_slices(&table, slices, (size_t)n, &scale);
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
}

/* Adds what is left of the GPU's memory and what driver and allocator keep; with the sum they make the whole. */
static void capacity_rows(struct orr_table *table, const struct orr_room *room, const struct scale *scale, double sum)
{
    const double capacity = round(100 * room->capacity_bytes / ORR_GIB) / 100;
    const double headroom = round(100 * room->headroom_bytes / ORR_GIB) / 100;
    const double percent = room->capacity_bytes > 0 ? 100 * ORR_GIB / room->capacity_bytes : 0;
    const double reserved = capacity - sum - headroom;
    amount_row(table, scale, headroom < 0 ? ORR_PAINT_BAD : ORR_PAINT_GOOD, "headroom", headroom, percent * headroom,
               "");
    amount_row(table, scale, ORR_PAINT_NONE, "reserved", reserved, percent * reserved, "");
    amount_row(table, scale, ORR_PAINT_BOLD, "capacity", capacity, 100, "");
}

void orr_summary_memory(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct scale scale = {.unit = ORR_GIB, .decimals = 2, .unit_name = "GiB"};
    const struct orr_room room = orr_room_of(answer);
    struct slice slices[MAX_SLICES] = {{0}};
    struct orr_table table;
    for (int i = 0; i < room.n_parts; i++)
        slices[i] = (struct slice){room.names[i], room.part_bytes[i],
                                   room.capacity_bytes > 0 ? 100 * room.part_bytes[i] / room.capacity_bytes : 0};
    start_parts(&table);
    const double sum = add_slices(&table, slices, (size_t)room.n_parts, &scale);
    capacity_rows(&table, &room, &scale, sum);
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
}
