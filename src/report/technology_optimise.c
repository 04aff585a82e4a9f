/* This report shows what the best split of budgets gains, both splits, and a name to ask for the best one by. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/page.h"
#include "report/json_text.h"
#include "report/technology.h"
#include "spec/names.h"
#include "study/optimise.h"

static char *value_text(char buffer[32], enum orr_objective objective, double value)
{
    switch (objective) {
    case ORR_OBJECTIVE_TIME: return orr_print_s(buffer, value);
    case ORR_OBJECTIVE_ENERGY: return orr_print_si(buffer, value, "J");
    case ORR_OBJECTIVE_COST: (void)snprintf(buffer, 32, "$%.4g", value); return buffer;
    case ORR_OBJECTIVE_THROUGHPUT: /* is no objective of a split */
    case ORR_OBJECTIVE_MEMORY:
    case ORR_N_OBJECTIVES: break;
    }
    return buffer;
}

static void add_side(const char *title, enum orr_objective objective, const struct orr_split_value *value,
                     struct orr_text *text)
{
    char number[32];
    if (value->made)
        orr_text_add(text, "  %-8s %s, %s-bound%s%s\n", title, value_text(number, objective, value->value),
                     orr_bound_name(value->bottleneck), value->fits ? "" : "; ", value->fits ? "" : value->reason);
    else orr_text_add(text, "  %-8s %s\n", title, value->reason);
}

static void add_shares(const struct orr_split *before, const struct orr_split *after, struct orr_text *text,
                       const struct orr_style *style)
{
    struct orr_split old = *before, new = *after;
    struct orr_table table;
    orr_table_start(&table, "lrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, "shares", "area", "power", "edge");
    for (int i = 0; i < ORR_N_COMPONENTS; i++) {
        char cells[ORR_N_BUDGET_KINDS][48];
        for (int b = 0; b < ORR_N_BUDGET_KINDS; b++) {
            const double was = orr_split_shares(&old, b)[i], is = orr_split_shares(&new, b)[i];
            if (was > 0 || is > 0) (void)snprintf(cells[b], sizeof cells[b], "%.1f → %.1f %%", 100 * was, 100 * is);
            else (void)snprintf(cells[b], sizeof cells[b], "–");
        }
        ORR_ROW(&table, ORR_PAINT_NONE, orr_component_names[i], cells[0], cells[1], cells[2]);
    }
    orr_table_print(&table, text, style);
}

static json_t *side_json(const struct orr_split_value *value)
{
    json_t *object = json_pack("{s:b, s:b}", "made", value->made, "fits", value->made && value->fits);
    if (value->made) {
        json_object_set_new(object, "value", orr_json_real(value->value));
        json_object_set_new(object, "bottleneck", json_string(orr_bound_name(value->bottleneck)));
    }
    if (!value->made || !value->fits) json_object_set_new(object, "reason", orr_json_word(value->reason));
    return object;
}

static json_t *split_json(const struct orr_split *split)
{
    struct orr_split copy = *split;
    json_t *object = json_object();
    for (int b = 0; b < ORR_N_BUDGET_KINDS; b++) {
        json_t *shares = json_object();
        for (int i = 0; i < ORR_N_COMPONENTS; i++)
            json_object_set_new(shares, orr_component_names[i], json_real(orr_split_shares(&copy, b)[i]));
        json_object_set_new(object, orr_budget_kind_names[b], shares);
    }
    return object;
}

/* An answer has everything that a report is made of. */
struct answer {
    const struct orr_split_problem *problem;
    const struct orr_optimise *options;
    struct orr_split_optimum optimum;
    const char *name; /* name of the system that was given */
    char *system;     /* name of the system with the best split; owned */
};

static json_t *answer_json(const struct answer *a)
{
    return json_pack("{s:s, s:s, s:I, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "schema", ORR_SCHEMA, "kind",
                     "technology_optimise", "jobs", (json_int_t)a->options->n_others + 1, "objective",
                     orr_objective_name(a->options->objective), "optimiser", orr_optimiser_name(a->options->optimiser),
                     "evaluated", (json_int_t)a->optimum.evaluations, "before", side_json(&a->optimum.before), "after",
                     side_json(&a->optimum.after), "split", split_json(&a->optimum.split), "system",
                     orr_json_word(a->system));
}

static void add_terminal(const struct answer *a, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_split_value *before = &a->optimum.before, *after = &a->optimum.after;
    orr_text_add(text, "best %s of %s", orr_objective_name(a->options->objective), a->problem->job->model.id);
    for (size_t i = 0; i < a->options->n_others; i++) orr_text_add(text, ", %s", a->options->others[i].model.id);
    orr_text_add(text, " by %s, %lld splits tried\n", orr_optimiser_name(a->options->optimiser),
                 (long long)a->optimum.evaluations);
    if (a->options->n_others > 0)
        orr_text_add(text, "values are the weighted geometric mean over %zu jobs\n", a->options->n_others + 1);
    orr_text_add(text, "\n");
    add_side("given", a->options->objective, before, text);
    add_side("best", a->options->objective, after, text);
    if (before->made && before->fits)
        orr_text_add(text, "  change   %+.2f %%\n", 100 * (after->value / before->value - 1));
    orr_text_add(text, "\n");
    add_shares(&a->problem->given, &a->optimum.split, text, style);
    orr_text_add(text, "\n%s\n", a->system);
}

static void add_answer(const struct answer *a, enum orr_format format, const struct orr_style *style,
                       struct orr_text *text)
{
    if (format == ORR_FORMAT_JSON) orr_json_lines(text, answer_json(a));
    else add_terminal(a, style, text);
}

static void add_page(const struct answer *a, struct orr_text *text)
{
    static const char *const NAMES[] = {"given", "best"};
    const struct orr_split splits[] = {a->problem->given, a->optimum.split};
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    orr_split_lanes(&page, NAMES, splits, 2);
    add_answer(a, ORR_FORMAT_TERMINAL, &orr_page_style, &page.terminal);
    add_answer(a, ORR_FORMAT_JSON, NULL, &json);
    orr_page_reply(&page, "result", &json);
    orr_page_finish(&page, a->name, text);
}

enum orr_err orr_technology_optimise(const struct orr_catalogue *catalogue,
                                     const struct orr_technology_question *question, const struct orr_rendering *to,
                                     struct orr_error *error)
{
    struct orr_recipe recipe;
    struct orr_text text = {0};
    enum orr_err err = orr_generated_recipe(catalogue, question->name, &recipe, error);
    if (err) return err;
    struct orr_split_problem *problem = calloc(1, sizeof *problem);
    if (!problem) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    struct answer answer = {.problem = problem, .options = question->optimise, .name = question->name};
    err = orr_split_problem_open(&recipe, question->job, question->optimise, problem, error);
    if (!err) err = orr_split_solve(problem, question->optimise, &answer.optimum, error);
    if (!err) answer.system = orr_recipe_name(question->name, &answer.optimum.split);
    text.failed = !answer.system;
    if (answer.system && to->format == ORR_FORMAT_HTML) add_page(&answer, &text);
    else if (answer.system) add_answer(&answer, to->format, to->style, &text);
    if (!err) err = orr_text_done(&text, to->text, error);
    free(answer.system);
    orr_split_problem_close(problem);
    free(problem);
    return err;
}
