/* This file draws the pictures of an HTML report; every number comes from a table of the caller. */
#include "report/html_chart.h"

#include "base/units.h"
#include "report/op_text.h"

#include <math.h>

#define WIDTH      720.0
#define LEFT       84.0
#define WIDE       620.0 /* width of the frame around the marks */
#define TOP        14.0
#define HIGH       300.0
#define LANE       16.0
#define MOST_TASKS 6000 /* a page with more is slow to open */

/* ---------------------------------------------------------------- bars */

static void add_parts(struct orr_text *text, enum orr_metric_unit unit, const struct orr_html_part *parts,
                      size_t n_parts, double sum)
{
    char value[ORR_VALUE_TEXT];
    orr_text_add(text, "<table>\n");
    for (size_t i = 0; i < n_parts; i++) {
        if (!(parts[i].value > 0)) continue;
        orr_text_add(text, "<tr class=\"legend\"><th><i style=\"--h:%d\"></i> ", orr_html_hue(i));
        orr_html_text(text, parts[i].name);
        orr_text_add(text, "</th><td>%s</td><td>%.1f %%</td>",
                     orr_value_print(value, orr_value_real(unit, parts[i].value)), 100 * parts[i].value / sum);
        orr_html_element(text, "th", "", parts[i].meaning);
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "</table>\n");
}

void orr_html_bar(struct orr_text *text, const char *title, enum orr_metric_unit unit,
                  const struct orr_html_part *parts, size_t n_parts, double limit, const char *limit_name)
{
    char value[ORR_VALUE_TEXT];
    double sum = 0, at = 0;
    for (size_t i = 0; i < n_parts; i++) sum += parts[i].value;
    const double all = fmax(sum, limit), scale = all > 0 ? WIDTH / all : 0;
    orr_html_element(text, "h2", "", title);
    orr_html_picture(text, WIDTH, 52, title);
    for (size_t i = 0; i < n_parts; i++) {
        if (!(parts[i].value > 0)) continue;
        orr_text_add(text,
                     "<rect class=\"mark\" style=\"--h:%d\" x=\"%.2f\" y=\"4\" width=\"%.2f\" height=\"28\"><title>",
                     orr_html_hue(i), at * scale, parts[i].value * scale);
        orr_html_text(text, parts[i].name);
        orr_text_add(text, ": %s</title></rect>\n", orr_value_print(value, orr_value_real(unit, parts[i].value)));
        at += parts[i].value;
    }
    if (limit > 0) {
        orr_text_add(text, "<path class=\"equal\" d=\"M%.2f 0V38\"/><text x=\"%.2f\" y=\"48\" text-anchor=\"end\">",
                     limit * scale, limit * scale);
        orr_html_text(text, limit_name);
        orr_text_add(text, " %s</text>\n", orr_value_print(value, orr_value_real(unit, limit)));
    }
    orr_html_picture_end(text);
    add_parts(text, unit, parts, n_parts, sum);
}

/* ---------------------------------------------------------------- roofline */

/* This is a logarithmic axis from one power of ten to another. */
struct decades {
    double low, high;
};

static double place(struct decades d, double value, double length)
{
    return length * (log10(value) - d.low) / (d.high - d.low);
}

static bool has_place(const struct orr_html_op *o)
{
    return o->op->flops > 0 && o->cost->dram_bytes > 0 && o->run_s > 0;
}

static double intensity(const struct orr_html_op *o)
{
    return o->op->flops / o->cost->dram_bytes;
}

static void stretch(struct decades *d, double value)
{
    d->low = fmin(d->low, floor(log10(value)));
    d->high = fmax(d->high, ceil(log10(value)));
}

static void add_frame(struct orr_text *text, struct decades x, struct decades y)
{
    char label[ORR_VALUE_TEXT];
    for (double i = x.low; i <= x.high; i++) {
        const double at = LEFT + place(x, pow(10, i), WIDE);
        orr_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", at, TOP, TOP + HIGH);
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", at, TOP + HIGH + 16,
                     pow(10, i));
    }
    for (double i = y.low; i <= y.high; i++) {
        const double at = TOP + HIGH - place(y, pow(10, i), HIGH);
        orr_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", LEFT, at, LEFT + WIDE);
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, at + 4,
                     orr_print_si(label, pow(10, i), "FLOP/s"));
    }
}

static void add_op_mark(struct orr_text *text, const struct orr_html_op *o, struct decades x, struct decades y)
{
    char shape[ORR_SHAPE_TEXT], title[ORR_TITLE_TEXT], rate[ORR_VALUE_TEXT], time[ORR_VALUE_TEXT];
    const double flops_per_s = o->op->flops / o->run_s;
    orr_text_add(text, "<circle class=\"mark\" style=\"--h:%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>",
                 orr_html_hue((size_t)o->op->kind), LEFT + place(x, intensity(o), WIDE),
                 TOP + HIGH - place(y, flops_per_s, HIGH));
    orr_html_text(text, orr_op_title(title, o->op));
    orr_text_add(text, " (%s), ", orr_phase_name(o->op->phase));
    orr_html_text(text, orr_op_shape(shape, o->op));
    orr_text_add(text, ": %s, %s, %.3g FLOP per byte, bound by %s</title></circle>\n", orr_print_s(time, o->run_s),
                 orr_print_si(rate, flops_per_s, "FLOP/s"), intensity(o), orr_bound_name(o->cost->bound));
}

void orr_html_roofline(struct orr_text *text, const struct orr_chip *chip, enum orr_dtype dtype,
                       const struct orr_html_op *ops, size_t n_ops)
{
    const double peak = chip->peak_flops_per_s[dtype],
                 ridge = chip->hbm_bytes_per_s > 0 ? peak / chip->hbm_bytes_per_s : 0;
    if (!(ridge > 0)) return;
    struct decades x = {floor(log10(ridge)) - 1, ceil(log10(ridge)) + 1}, y = {floor(log10(peak)), ceil(log10(peak))};
    for (size_t i = 0; i < n_ops; i++) {
        if (!has_place(&ops[i])) continue;
        stretch(&x, intensity(&ops[i]));
        stretch(&y, ops[i].op->flops / ops[i].run_s);
    }
    /* The roof enters from the left, or from below where the frame is not that high. */
    const double left = fmax(pow(10, x.low), pow(10, y.low) / chip->hbm_bytes_per_s);
    orr_html_element(text, "h2", "", "Roofline");
    orr_html_picture(text, WIDTH, TOP + HIGH + 40, "roofline");
    add_frame(text, x, y);
    orr_text_add(text, "<path class=\"equal\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>\n", LEFT + place(x, left, WIDE),
                 TOP + HIGH - place(y, left * chip->hbm_bytes_per_s, HIGH), LEFT + place(x, ridge, WIDE),
                 TOP + HIGH - place(y, peak, HIGH), LEFT + WIDE);
    for (size_t i = 0; i < n_ops; i++)
        if (has_place(&ops[i])) add_op_mark(text, &ops[i], x, y);
    orr_text_add(text,
                 "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">FLOP per byte of DRAM traffic; the roof is %s and DRAM"
                 "</text>\n",
                 LEFT + WIDE / 2, TOP + HIGH + 34, orr_dtype_name(dtype));
    orr_html_picture_end(text);
}

/* ---------------------------------------------------------------- operators */

void orr_html_ops(struct orr_text *text, const struct orr_html_op *ops, size_t n_ops)
{
    char shape[ORR_SHAPE_TEXT], title[ORR_TITLE_TEXT], runs[32], run_s[ORR_VALUE_TEXT], all_s[ORR_VALUE_TEXT],
        bytes[ORR_VALUE_TEXT];
    orr_text_add(text, "<h2>Operators</h2>\n<table>\n<tr class=\"head\"><th>operator</th><th>phase</th><th>shape</th>"
                       "<td>runs</td><td>each</td><td>together</td><td>share</td><td>DRAM</td><th>bound</th></tr>\n");
    for (size_t i = 0; i < n_ops; i++) {
        const struct orr_html_op *o = &ops[i];
        orr_text_add(text, "<tr>");
        orr_html_element(text, "th", "", orr_op_title(title, o->op));
        orr_text_add(text, "<th>%s</th>", orr_phase_name(o->op->phase));
        orr_html_element(text, "th", "", orr_op_shape(shape, o->op));
        orr_text_add(text, "<td>%s</td><td>%s</td><td>%s</td><td>%.1f %%</td><td>%s</td><th>%s</th></tr>\n",
                     orr_print_times(runs, o->runs), orr_print_s(run_s, o->run_s), orr_print_s(all_s, o->total_s),
                     100 * o->share_frac, orr_print_bytes(bytes, o->cost->dram_bytes), orr_bound_name(o->cost->bound));
    }
    orr_text_add(text, "</table>\n");
}

/* ---------------------------------------------------------------- pipeline */

static int task_hue(const struct orr_span *span)
{
    return span->name[0] == 'F' ? 210 : span->name[0] == 'B' ? 130 : 40;
}

void orr_html_pipeline(struct orr_text *text, const struct orr_span *spans, size_t n_spans, int64_t n_ranks)
{
    char start[ORR_VALUE_TEXT], length[ORR_VALUE_TEXT];
    double end_s = 0;
    for (size_t i = 0; i < n_spans; i++) end_s = fmax(end_s, spans[i].end_s);
    if (n_ranks < 2 || !(end_s > 0)) return;
    orr_text_add(text, "<h2>Pipeline</h2>\n");
    if (n_spans > MOST_TASKS) {
        orr_text_add(text, "<p>%zu tasks are too many to draw here; see --trace.</p>\n", n_spans);
        return;
    }
    orr_html_picture(text, WIDTH, LANE * (double)n_ranks + 4, "pipeline");
    for (int64_t i = 0; i < n_ranks; i++)
        orr_text_add(text, "<text x=\"0\" y=\"%.1f\">rank %lld</text>\n", LANE * (double)i + 12, (long long)i);
    for (size_t i = 0; i < n_spans; i++) {
        const struct orr_span *s = &spans[i];
        orr_text_add(text,
                     "<rect class=\"mark\" style=\"--h:%d\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%g\"><title>",
                     task_hue(s), LEFT + (WIDTH - LEFT) * s->start_s / end_s, LANE * (double)s->rank + 2,
                     (WIDTH - LEFT) * (s->end_s - s->start_s) / end_s, LANE - 4);
        orr_text_add(text, "%s %lld.%lld: %s from %s</title></rect>\n", s->name, (long long)s->micro_batch,
                     (long long)s->chunk, orr_print_s(length, s->end_s - s->start_s), orr_print_s(start, s->start_s));
    }
    orr_html_picture_end(text);
    orr_text_add(text, "<p>F forward, B backward, W weight gradients; micro-batch and chunk. Sends and what"
                       " follows the pipeline are not drawn.</p>\n");
}
