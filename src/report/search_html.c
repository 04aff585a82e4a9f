/* This file shows a search as one HTML page: the winner, the front as a picture, the tables of the terminal. */
#include "base/units.h"
#include "report/html.h"
#include "report/search.h"
#include "search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT   70.0
#define TOP    14.0
#define WIDE   620.0 /* width of the frame around the marks */
#define HIGH   320.0
#define WIDTH  720.0
#define HEIGHT 390.0
#define TICKS  5

/* ---------------------------------------------------------------- the front as a picture */

struct axis {
    double low, high;
};

static struct axis axis_of(const struct orr_found *found, size_t n, int axis)
{
    struct axis a = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < n; i++) {
        a.low = fmin(a.low, found[i].front[axis]);
        a.high = fmax(a.high, found[i].front[axis]);
    }
    const double margin = a.high > a.low ? 0.05 * (a.high - a.low) : 0.05 * a.high;
    return (struct axis){a.low - margin, a.high + margin};
}

static double place(struct axis a, double value, double length)
{
    return length * (value - a.low) / (a.high - a.low);
}

/* The end of a name tells the unit. */
static char *print_coordinate(char buffer[ORR_VALUE_TEXT], const char *name, double value)
{
    if (strstr(name, "bytes")) return orr_print_bytes(buffer, value);
    return orr_print_s(buffer, value);
}

static void add_ticks(struct orr_text *text, const struct axis axes[2], const char *const names[2])
{
    char label[ORR_VALUE_TEXT];
    for (int i = 0; i <= TICKS; i++) {
        const double across = LEFT + WIDE * i / TICKS, down = TOP + HIGH * i / TICKS;
        orr_text_add(text, "<path class=\"grid\" d=\"M%.1f %.1fV%.1fM%.1f %.1fH%.1f\"/>", across, TOP, TOP + HIGH, LEFT,
                     down, LEFT + WIDE);
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", across, TOP + HIGH + 16,
                     print_coordinate(label, names[0], axes[0].low + (axes[0].high - axes[0].low) * i / TICKS));
        orr_text_add(text, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, down + 4,
                     print_coordinate(label, names[1], axes[1].high - (axes[1].high - axes[1].low) * i / TICKS));
    }
}

static void add_mark(struct orr_search_view *v, const struct orr_found *found, const struct axis axes[2], int hue,
                     struct orr_text *text)
{
    struct orr_text plan = {0};
    orr_search_show(v, &found->choice);
    orr_search_plan(v, &plan);
    orr_text_add(text, "<circle class=\"mark\" style=\"--h:%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", hue,
                 LEFT + place(axes[0], found->front[0], WIDE), TOP + HIGH - place(axes[1], found->front[1], HIGH));
    orr_html_text(text, plan.data ? plan.data : "");
    orr_text_add(text, "</title></circle>\n");
    orr_text_drop(text, &plan);
}

static void add_picture(struct orr_search_view *v, struct orr_text *text)
{
    const char *const names[2] = {orr_front_name(v->request, 0), orr_front_name(v->request, 1)};
    const struct axis axes[2] = {axis_of(v->front, v->n_front, 0), axis_of(v->front, v->n_front, 1)};
    orr_html_picture(text, WIDTH, HEIGHT, "front");
    add_ticks(text, axes, names);
    for (size_t i = 0; i < v->n_front; i++) add_mark(v, &v->front[i], axes, 210, text);
    orr_text_add(text, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%s</text>", LEFT + WIDE / 2, HEIGHT - 18,
                 names[0]);
    orr_text_add(text, "<text transform=\"translate(13 %g) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
                 TOP + HIGH / 2, names[1]);
    orr_html_picture_end(text);
}

/* ---------------------------------------------------------------- tables */

static void add_plans(struct orr_search_view *v, const char *title, const struct orr_found *found, size_t n,
                      struct orr_text *text)
{
    struct orr_plan_table plans = orr_plan_table_of(v, found, n);
    text->failed |= !plans.cells;
    orr_text_add(text, "<table>\n<tr class=\"head\">");
    orr_html_element(text, "th", "", title);
    for (size_t i = 0; i < plans.n_columns && plans.cells; i++)
        if (plans.used[i]) orr_html_element(text, "td", "", plans.columns[i].title);
    orr_text_add(text, "</tr>\n");
    for (size_t r = 0; r < n && plans.cells; r++) {
        orr_text_add(text, "<tr><th>%zu</th>", r + 1);
        for (size_t i = 0; i < plans.n_columns; i++)
            if (plans.used[i]) orr_html_element(text, "td", "", plans.cells[r * plans.n_columns + i]);
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "</table>\n");
    orr_plan_table_free(&plans);
}

static void add_rejected(const struct orr_search_view *v, struct orr_text *text)
{
    char count[32];
    orr_text_add(text, "<table>\n<tr class=\"head\"><th>where the plans went</th><td>plans</td><th></th></tr>\n");
    for (int i = 0; i < ORR_N_REJECTS; i++) {
        orr_text_add(text, "<tr><th>%s</th><td>%s</td>", orr_reject_name((enum orr_reject)i),
                     orr_print_count(count, (int64_t)v->counts.rejected[i]));
        orr_html_element(text, "th", "", orr_reject_meaning((enum orr_reject)i));
        orr_text_add(text, "</tr>\n");
    }
    orr_text_add(text, "<tr><th>listed</th><td>%zu</td><th>the best plans above</th></tr>\n", v->n_best);
    orr_text_add(text, "<tr><th>sum</th><td>%s</td><th>every valid plan</th></tr>\n</table>\n",
                 orr_print_count(count, (int64_t)v->counts.plans));
}

static void add_launch(struct orr_search_view *v, struct orr_text *text)
{
    orr_search_show(v, &v->best[0].choice);
    for (int i = 0; i < ORR_N_LAUNCHERS; i++) {
        struct orr_text flags = {0}, notes = {0};
        if (!orr_launch((enum orr_launcher)i, &v->job, &flags, &notes)) continue;
        orr_text_add(text, "<h2>%s</h2>\n<p><code>", orr_launchers[i].program);
        orr_html_text(text, flags.data ? flags.data : "");
        orr_text_add(text, "</code></p>\n");
        if (notes.length) orr_html_element(text, "p", "", notes.data);
        orr_text_drop(text, &flags);
        orr_text_drop(text, &notes);
    }
}

/* ---------------------------------------------------------------- page */

static void add_summary(struct orr_search_view *v, struct orr_text *text)
{
    const struct orr_job *job = &v->request->job;
    struct orr_text line = {0};
    char count[32], times[32];
    orr_text_add(&line, "%s on ", job->model.id);
    orr_search_gpus(&v->request->space.gpus, &line);
    orr_text_add(&line, " × %s", job->system.id);
    orr_html_element(text, "h1", "", line.data ? line.data : "");
    orr_text_add(text, "<p>Orrery %s, %s search, best by %s: %s valid plans, ", orr_version(),
                 job->kind == ORR_JOB_TRAIN ? "training" : "inference", orr_objective_name(v->request->objective),
                 orr_print_count(count, (int64_t)v->counts.plans));
    orr_text_add(text, "%s%s fit, ", v->counts.rejected[ORR_REJECT_BOUND] > 0 ? "at most " : "",
                 orr_print_count(count, (int64_t)v->counts.feasible));
    orr_text_add(text, "%s timed in full.%s</p>\n", orr_print_count(count, (int64_t)v->counts.evaluated),
                 orr_search_complete(v->search) ? "" : " Stopped early: the best so far.");
    if (v->n_best > 0) {
        line.length = 0;
        orr_search_show(v, &v->best[0].choice);
        orr_search_plan(v, &line);
        orr_text_add(text, "<p>Winner: ");
        orr_html_text(text, line.data ? line.data : "");
        orr_text_add(text, ". It takes %s its speed of light", orr_print_ratio(times, v->bound_ratio));
        if (v->second_ratio > 0)
            orr_text_add(text, "; the next layout is %s as much", orr_print_ratio(times, v->second_ratio));
        orr_text_add(text, ".</p>\n");
    }
    line.length = 0;
    orr_search_obstacles_text(v, &line);
    char *lines = line.length > 0 ? line.data : NULL;
    for (const char *why; (why = orr_next_line(&lines));) orr_html_element(text, "p", "", why);
    orr_text_drop(text, &line);
}

void orr_search_page(struct orr_search_view *v, struct orr_text *text)
{
    orr_html_head(text, "Orrery search");
    add_summary(v, text);
    if (v->n_best > 0) add_plans(v, "best", v->best, v->n_best, text);
    if (v->n_front > 1) {
        add_picture(v, text);
        add_plans(v, "front", v->front, v->n_front, text);
    }
    add_rejected(v, text);
    if (v->n_best > 0) add_launch(v, text);
    orr_text_add(text, "</body>\n</html>\n");
}
