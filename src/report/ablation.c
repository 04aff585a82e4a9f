/* This report says what each piece of physics is worth, as terminal tables, JSON or CSV. It gives the errors of the
 * same rows with everything and without each piece, by kind of measurement. */
#include "validate/ablate.h"

#include "base/plain.h"
#include "report/json_text.h"
#include "report/table.h"
#include "report/validation.h"

#include <jansson.h>
#include <stdio.h>

#define SET_NAME_(name, text) [ORR_SET_##name] = text,
static const char *const SET_NAMES[ORR_N_SETS] = {ORR_SETS(SET_NAME_)};
#define MAX_ROWS (ORR_MAX_PIECES + 1)

/* Memory does not depend on any piece. */
static const char *set_of(const struct orr_score *score)
{
    return score->timed ? SET_NAMES[score->set] : ORR_MEMORY_CLASS;
}

/* A view has the errors of every line of the tables; its columns are the kinds of measurement that have rows. */
struct view {
    size_t n_lines, n_sets;
    const char *pieces[MAX_ROWS], *meanings[MAX_ROWS];
    const char *sets[ORR_N_SETS];
    struct orr_error_stats stats[MAX_ROWS][ORR_N_SETS];
};

static struct view view_of(const struct orr_ablation *ablation)
{
    struct view view = {.n_lines = ablation->n};
    for (size_t i = 0; i < ORR_N_SETS; i++)
        if (orr_score_stats(ablation->validations[0], set_of, SET_NAMES[i]).n > 0)
            view.sets[view.n_sets++] = SET_NAMES[i];
    for (size_t i = 0; i < view.n_lines; i++) {
        view.pieces[i] = i > 0 ? orr_piece_name(i - 1, &view.meanings[i]) : "nothing";
        if (i == 0) view.meanings[i] = "everything is in";
        for (size_t j = 0; j < view.n_sets; j++)
            view.stats[i][j] = orr_score_stats(ablation->validations[i], set_of, view.sets[j]);
    }
    return view;
}

/* ---- terminal */

#define CELL 32

/* Each kind of measurement is a column with several numbers in a cell; a narrow terminal loses the last kinds. */
static void start_table(const struct view *view, struct orr_table *table, const char *head)
{
    static const char ALIGN[] = "lrrrrrrr", DROP[] = "00123456";
    _Static_assert(sizeof ALIGN == 2 + ORR_N_SETS && sizeof DROP == 2 + ORR_N_SETS, "a letter per column");
    const char *titles[1 + ORR_N_SETS] = {"without"}, *heads[1 + ORR_N_SETS] = {""};
    for (size_t i = 0; i < ORR_N_SETS; i++) {
        titles[1 + i] = i < view->n_sets ? view->sets[i] : "";
        heads[1 + i] = i < view->n_sets ? head : "";
    }
    orr_table_start(table, ALIGN);
    table->drop = DROP;
    orr_table_row(table, ORR_PAINT_BOLD, titles);
    orr_table_row(table, ORR_PAINT_BOLD, heads);
}

/* Adds a line per piece; `print` fills a cell. */
static void add_table(const struct view *view, const char *head, void (*print)(char *, const struct orr_error_stats *),
                      struct orr_text *text, const struct orr_style *style)
{
    struct orr_table table;
    start_table(view, &table, head);
    for (size_t i = 0; i < view->n_lines; i++) {
        char numbers[ORR_N_SETS][CELL] = {""};
        const char *cells[1 + ORR_N_SETS] = {view->pieces[i]};
        for (size_t j = 0; j < ORR_N_SETS; j++) {
            if (j < view->n_sets) print(numbers[j], &view->stats[i][j]);
            cells[1 + j] = numbers[j];
        }
        orr_table_row(&table, i > 0 ? ORR_PAINT_NONE : ORR_PAINT_BOLD, cells);
    }
    orr_table_print(&table, text, style);
}

static void print_errors(char *cell, const struct orr_error_stats *s)
{
    snprintf(cell, CELL, "%5.1f %5.1f %5.1f", 100 * s->mape_frac, 100 * s->median_frac, 100 * s->p90_frac);
}

/* Prints the bias and the spread: a level that is off shows in the first, a shape that is off in the second. */
static void print_level(char *cell, const struct orr_error_stats *s)
{
    snprintf(cell, CELL, "%+6.1f %6.1f", 100 * s->bias_frac, 100 * s->spread_frac);
}

static void add_terminal(const struct view *view, struct orr_text *text, const struct orr_style *style)
{
    char counts[160] = "";
    for (size_t i = 0, at = 0; i < view->n_sets && at < sizeof counts; i++)
        at += (size_t)snprintf(counts + at, sizeof counts - at, "%s%s %zu", i > 0 ? ", " : "", view->sets[i],
                               view->stats[0][i].n);
    orr_text_wrap(text, style, "Times scored: ", 14, counts, ", ");
    orr_text_fit(text, style, "Errors in %, with one piece of physics left out and nothing refitted.\n\n");
    add_table(view, " mean   med   p90", print_errors, text, style);
    orr_text_fit(text, style, "\nBias: median of the signed error. Spread: median error with the bias taken out.\n\n");
    add_table(view, "  bias spread", print_level, text, style);
}

/* ---- JSON, CSV */

static json_t *view_json(const struct view *view)
{
    json_t *pieces = json_array();
    for (size_t i = 0; i < view->n_lines; i++) {
        json_t *sets = json_object();
        for (size_t j = 0; j < view->n_sets; j++) {
            json_t *stats = orr_stats_json(&view->stats[i][j]);
            json_object_set_new(stats, "spread", orr_json_real(view->stats[i][j].spread_frac));
            json_object_set_new(sets, view->sets[j], stats);
        }
        json_array_append_new(pieces, json_pack("{s:s, s:s, s:o}", "without", view->pieces[i], "meaning",
                                                view->meanings[i], "sets", sets));
    }
    return json_pack("{s:s, s:s, s:o}", "schema", ORR_SCHEMA, "kind", "ablation", "pieces", pieces);
}

static void add_csv(const struct view *view, struct orr_text *text)
{
    orr_text_add(text, "without,set,rows,mape,median_ape,p90_ape,max_ape,bias,spread\n");
    for (size_t i = 0; i < view->n_lines; i++)
        for (size_t j = 0; j < view->n_sets; j++) {
            const struct orr_error_stats *s = &view->stats[i][j];
            orr_text_add(text, "%s,%s,%zu,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", view->pieces[i], view->sets[j], s->n,
                         s->mape_frac, s->median_frac, s->p90_frac, s->max_frac, s->bias_frac, s->spread_frac);
        }
}

char *orr_ablation_render(const struct orr_ablation *ablation, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    const struct view view = view_of(ablation);
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON) orr_json_lines(&text, view_json(&view));
    else if (format == ORR_FORMAT_CSV) add_csv(&view, &text);
    else add_terminal(&view, &text, style);
    return orr_text_take(&text);
}
