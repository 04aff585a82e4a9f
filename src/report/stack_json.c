/* The report of `orrery fit` as JSON, and the engine file of the stack. */
#include "report/stack.h"

#include "base/number.h"
#include "base/plain.h"
#include "calibrate/stack_fit.h"
#include "report/json_text.h"
#include "spec/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Significant digits of fitted values in the file. */
#define DIGITS "%.6g"

/* ---------------------------------------------------------------- the report */

static json_t *fraction(double error)
{
    return orr_json_real(exp(-error) - 1);
}

/* What jobs like a run are recognised by (Eq. 345). */
static json_t *traits_json(const struct orr_job *job)
{
    const struct orr_plan *p = &job->plan;
    const bool trains = job->kind == ORR_JOB_TRAIN;
    const enum orr_dtype weights = trains ? job->workload.precision : job->serving.weights;
    const enum orr_dtype matrix = trains ? job->workload.precision : job->serving.matrix;
    return json_pack("{s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "trains", trains, "weights",
                     orr_dtype_name(weights), "matrix", orr_dtype_name(matrix), "tp", (json_int_t)p->tp, "pp",
                     (json_int_t)p->pp, "ep", (json_int_t)p->ep, "batch",
                     (json_int_t)(trains ? job->workload.micro_batch : job->serving.batch), "tokens",
                     (json_int_t)(trains ? job->workload.seq : job->serving.input_len), "answer_tokens",
                     (json_int_t)(trains ? 1 : job->serving.output_len));
}

/* How a run was configured, with what the distance of a job from it needs: the engine file is read with it. */
static json_t *configuration_json(const struct orr_stack_run *run, const struct orr_job *fitted,
                                  const struct orr_stack_about *about)
{
    json_t *json =
        json_pack("{s:o, s:o, s:s, s:s, s:I, s:f}", "system", orr_json_word(run->job.system.id), "model",
                  orr_json_word(run->job.model.id), "plan", run->score.plan, "regime", orr_regime_name(about->regime),
                  "gpus", (json_int_t)run->job.plan.gpus, "active_params", run->score.params);
    int failed = !json;
    failed = failed || json_object_update_new(json, traits_json(fitted));
    for (int i = 0; i < ORR_N_BOUNDS && !failed; i++)
        failed = json_object_set_new(json, orr_bound_name((enum orr_bound)i), orr_json_real(about->bound_frac[i]));
    return orr_json_whole(json, failed);
}

static json_t *runs_json(const struct orr_stack *stack)
{
    json_t *list = json_array();
    const struct orr_stack_runs *runs = stack->engines[0];
    for (size_t i = 0; i < stack->n_chosen; i++) {
        const struct orr_stack_about *about = &stack->about[i];
        const struct orr_stack_run *run = &runs->runs[stack->chosen[i]];
        const struct orr_score *score = &run->score;
        const struct orr_job *fitted = &stack->fit_runs->runs[stack->chosen[i]].job;
        char name[80];
        orr_stack_run_name(runs, stack->chosen[i], name);
        json_array_append_new(list, json_pack("{s:o, s:s, s:f, s:o, s:o, s:o, s:o, s:f, s:b, s:b, s:o}", "run",
                                              orr_json_word(name), "metric", score->metric, "measured", score->measured,
                                              "error_before", fraction(about->before), "error_after",
                                              fraction(about->after), "error_left_out", fraction(about->left_out),
                                              "left_ln", orr_json_real(about->left), "weight", about->weight, "outlier",
                                              about->outlier, "set_aside", i >= stack->n_main, "configuration",
                                              configuration_json(run, fitted, about)));
    }
    return list;
}

static json_t *parameters_json(const struct orr_stack *stack)
{
    json_t *list = json_array();
    static const char *const PRIORS[] = {"log", "log, heavy tail", "logit", "added"}; /* ORDER enum orr_stack_prior */
    for (int i = 0; i < ORR_STACK_N; i++) {
        const struct orr_stack_parameter *p = orr_stack_parameter(i);
        double low, high;
        if (!stack->fit.active[i]) continue;
        orr_stack_interval(stack, i, &low, &high);
        json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:s, s:f, s:f, s:f, s:f, s:f}", "key", p->key, "meaning",
                                              p->meaning, "parent", orr_stack_engine_value(stack, i, false), "prior",
                                              PRIORS[p->prior], "prior_spread", orr_stack_prior_spread(stack, i),
                                              "value", orr_stack_engine_value(stack, i, true), "low", low, "high", high,
                                              "told_frac", orr_stack_told(&stack->fit, i)));
    }
    if (stack->fit.fitted) {
        const double level = stack->fit.level;
        const double reach = 1.2816 * sqrt(orr_max(0, stack->fit.covariance[ORR_STACK_N][ORR_STACK_N]));
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:f, s:s, s:f, s:f, s:f, s:f, s:f}", "key", "time_factor",
                                        "meaning", "every time alike: what no other number explains", "parent", 1.0,
                                        "prior", PRIORS[0], "prior_spread", orr_stack_prior_spread(stack, ORR_STACK_N),
                                        "value", exp(level), "low", exp(level - reach), "high", exp(level + reach),
                                        "told_frac", orr_stack_told(&stack->fit, ORR_STACK_N)));
    }
    return list;
}

static json_t *members_json(const struct orr_stack *stack)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stack->mixture.n; i++) {
        const struct orr_stack_member *m = &stack->mixture.members[i];
        json_array_append_new(list, json_pack("{s:s, s:b, s:f, s:o}", "engine", m->engine, "fitted", i > 0, "weight",
                                              m->weight, "ln_evidence", orr_json_real(m->fit.evidence)));
    }
    return list;
}

static json_t *next_json(const struct orr_stack *stack)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stack->n_next; i++) {
        const struct orr_stack_next *next = &stack->next[i];
        char name[80];
        orr_stack_run_name(stack->fit_runs, next->run, name);
        json_array_append_new(list, json_pack("{s:o, s:s, s:s, s:s, s:f, s:o}", "like", orr_json_word(name), "column",
                                              next->column, "from", next->from, "to", next->to, "narrowing_frac",
                                              next->narrowing_frac, "predicted_s",
                                              next->predicted_s > 0 ? orr_json_real(next->predicted_s) : json_null()));
    }
    return list;
}

static json_t *notes_json(const struct orr_stack *stack)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stack->n_notes; i++) json_array_append_new(list, orr_json_word(stack->notes[i]));
    return list;
}

json_t *orr_stack_json(const struct orr_stack *stack)
{
    const struct orr_stack_medians m = orr_stack_medians(stack);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:o, s:o, s:o, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "schema",
        ORR_SCHEMA, "kind", "fit", "parent", stack->names[0], "engine", stack->fit_engine, "fitted", stack->fit.fitted,
        "n_runs", (int)stack->n_main, "n_set_aside", (int)(stack->n_chosen - stack->n_main), "median_ape_before",
        orr_json_real(m.before_frac), "median_ape_after", orr_json_real(m.after_frac), "median_ape_left_out",
        orr_json_real(m.left_out_frac), "fit_within_frac", stack->fit.within, "fit_stack_frac", stack->stack_spread,
        "n_told", stack->fit.n_told, "parameters", parameters_json(stack), "members", members_json(stack), "runs",
        runs_json(stack), "next", next_json(stack), "notes", notes_json(stack));
}

/* ---------------------------------------------------------------- the engine file */

static json_t *rounded(double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, DIGITS, value);
    return json_real(strtod(digits, NULL));
}

/* A fact with its source. Times of the file are stretched by time_factor when it is read, as the fit did with the
 * parent's, so that the parent's own factor is taken off. */
static void set_fact(const struct orr_stack *stack, int i, const char *from, json_t *root, json_t *sources)
{
    const struct orr_stack_parameter *p = orr_stack_parameter(i);
    const double stretch = stack->fit_runs->runs[stack->chosen[0]].job.engine.time_factor;
    const double value = orr_stack_engine_value(stack, i, true);
    char source[300];
    json_object_set_new(root, p->key, rounded(p->prior == ORR_STACK_TIME ? value / stretch : value));
    snprintf(source, sizeof source, "%s; prior: the parent's %.6g, spread %.3g (%s); the runs told %.0f %% of it", from,
             orr_stack_engine_value(stack, i, false), orr_stack_prior_spread(stack, i),
             p->prior == ORR_STACK_TIME ? "added, s" : "ln or logit", 100 * orr_stack_told(&stack->fit, i));
    json_object_set_new(sources, p->key, orr_json_word(source));
}

static void add_origins(const struct orr_stack *stack, struct orr_text *text)
{
    for (size_t i = 0; i < stack->n_tables && i < 8; i++)
        orr_text_add(text, "%s%s", i ? ", " : "", stack->tables[i].origin);
    if (stack->n_tables > 8) orr_text_add(text, " and %zu more", stack->n_tables - 8);
}

/* The base of the file. One that is a file itself is found from the folder of the new one, beside which it stays. */
static const char *base_of(const struct orr_stack *stack)
{
    const char *slash = strrchr(stack->fit_engine, '/');
    return slash && slash[1] ? slash + 1 : stack->fit_engine;
}

json_t *orr_stack_engine_json(const struct orr_stack *stack, const char *name, const char *date)
{
    static const char *const COMMON[] = {"time_factor", "fit_runs", "fit_within_frac", "fit_stack_frac"};
    struct orr_text from = {0};
    const double parent_factor = stack->fit_runs->runs[stack->chosen[0]].job.engine.time_factor;
    orr_text_add(&from, "orrery fit to %zu run%s (", stack->n_main, stack->n_main == 1 ? "" : "s");
    add_origins(stack, &from);
    orr_text_add(&from, ")%s%s", date ? ", " : "", date ? date : "");
    if (from.failed) return NULL;
    json_t *root = json_pack("{s:s, s:o}", "base", base_of(stack), "name", orr_json_word(name));
    json_t *sources = json_pack("{s:o}", "*", orr_json_word(from.data));
    for (int i = 0; i < ORR_STACK_N; i++)
        if (stack->fit.active[i]) set_fact(stack, i, from.data, root, sources);
    json_object_set_new(root, COMMON[0], rounded(parent_factor * exp(stack->fit.level)));
    json_object_set_new(root, COMMON[1], json_integer((json_int_t)stack->n_main));
    json_object_set_new(root, COMMON[2], rounded(stack->fit.within));
    json_object_set_new(root, COMMON[3], rounded(stack->stack_spread));
    for (size_t i = 0; i < sizeof COMMON / sizeof *COMMON; i++)
        json_object_set_new(sources, COMMON[i], orr_json_word(from.data));
    free(from.data);
    json_object_set_new(root, "sources", sources);
    json_object_set_new(root, "fit", orr_stack_json(stack));
    return root;
}

char *orr_stack_file(const struct orr_stack *stack, const char *name, const char *date)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    orr_json_lines(&text, orr_stack_engine_json(stack, name, date));
    return orr_text_take(&text);
}
