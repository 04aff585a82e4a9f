/* One engine fitted to runs: maximum a posteriori with robust errors, on straight lines that are drawn anew through the
 * program's own predictions, and the Laplace approximation about the maximum. Eqs. 172-176. */
#include "calibrate/stack.h"

#include "base/number.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

/* Errors of single runs are Student t with so many degrees of freedom; the prior of their spread has this weight, in
 * runs. The level is normal; this is its spread where nothing else moves. */
#define FREEDOM       4.0
#define WITHIN_WEIGHT 4.0
#define LEVEL         ORR_STACK_LEVEL
/* A parameter that moves no run by this much within two spreads (three for added times) is left alone. */
#define LEAST_EFFECT 0.02
#define REACH        2.0
#define REACH_TIME   3.0
/* Spread and maximum are found in turn so many times; a step that does not improve the fit is halved so often. */
#define ROUNDS 5
#define HALVES 3
#define LOWEST 1e-3 /* of the ratio on a straight line */
/* Widths that are tried for runs about the parent as it is, so many spreads to both sides. */
enum { WIDTHS = 13 };
#define WIDTHS_REACH 3.0

/* The problem on straight lines: the chosen runs, the centre, the ratios there and the slopes. */
struct problem {
    const struct orr_stack_runs *runs;
    const size_t *at;
    size_t n;
    bool active[ORR_STACK_N];
    int index[ORR_STACK_N]; /* parameters that move */
    int n_active;
    double centre[ORR_STACK_N];
    double *ratio;                /* n, at the centre */
    double (*slope)[ORR_STACK_N]; /* n */
    double *line;                 /* n, work */
    double within;
};

static const struct orr_stack_population *prior_of(const struct problem *p)
{
    return &p->runs->prior;
}

static double parent_of(const struct problem *p, size_t i, int j)
{
    return orr_stack_parent(j, &p->runs->runs[p->at[i]].job.engine);
}

/* ---------------------------------------------------------------- the objective */

/* Eq. 172: the ratio of run i on its straight line. */
static double ratio_at(const struct problem *p, size_t i, const double *x)
{
    double ratio = p->ratio[i];
    for (int k = 0; k < p->n_active; k++) {
        const int j = p->index[k];
        if (p->slope[i][j] == 0) continue;
        const double parent = parent_of(p, i, j);
        ratio += p->slope[i][j] * (orr_stack_natural(j, parent, x[k]) - orr_stack_natural(j, parent, p->centre[j]));
    }
    return orr_max(LOWEST, ratio);
}

/* Minus the logarithm of the likelihood of one error, without terms of the spread. */
static double loss(double error, double within)
{
    return 0.5 * (FREEDOM + 1) * log1p(error * error / (FREEDOM * within * within));
}

/* Eq. 173 in x (active parameters, then the level), for NLopt. */
static double objective(unsigned n, const double *x, double *gradient, void *context)
{
    const struct problem *p = context;
    const double level = x[n - 1], s2 = p->within * p->within;
    double sum = orr_stack_penalty(prior_of(p), ORR_STACK_N, level);
    if (gradient) gradient[n - 1] = orr_stack_penalty_slope(prior_of(p), ORR_STACK_N, level);
    for (int k = 0; k < p->n_active; k++) {
        sum += orr_stack_penalty(prior_of(p), p->index[k], x[k]);
        if (gradient) gradient[k] = orr_stack_penalty_slope(prior_of(p), p->index[k], x[k]);
    }
    for (size_t i = 0; i < p->n; i++) {
        const double ratio = ratio_at(p, i, x), error = -log(ratio) - level;
        sum += loss(error, p->within);
        if (!gradient) continue;
        const double push = (FREEDOM + 1) * error / (FREEDOM * s2 + error * error);
        gradient[n - 1] -= push;
        for (int k = 0; k < p->n_active; k++) {
            const int j = p->index[k];
            if (p->slope[i][j] != 0)
                gradient[k] -= push * p->slope[i][j] * orr_stack_natural_slope(j, parent_of(p, i, j), x[k]) / ratio;
        }
    }
    return sum;
}

static void bounds_of(const struct problem *p, double *low, double *high)
{
    for (int k = 0; k < p->n_active; k++) {
        low[k] = -HUGE_VAL;
        high[k] = HUGE_VAL;
        for (size_t i = 0; i < p->n; i++) {
            double least, most;
            orr_stack_bounds(p->index[k], parent_of(p, i, p->index[k]), &least, &most);
            low[k] = orr_max(low[k], least);
            high[k] = orr_min(high[k], most);
        }
    }
    low[p->n_active] = -2;
    high[p->n_active] = 2;
}

/* The maximum on straight lines, from x and to x. */
static bool maximise(struct problem *p, double *x)
{
    const unsigned n = (unsigned)p->n_active + 1;
    double low[ORR_STACK_DIMS], high[ORR_STACK_DIMS], best;
    nlopt_opt search = nlopt_create(NLOPT_LD_SLSQP, n);
    if (!search) return false;
    bounds_of(p, low, high);
    for (unsigned k = 0; k < n; k++) x[k] = orr_min(high[k], orr_max(low[k], x[k]));
    nlopt_set_lower_bounds(search, low);
    nlopt_set_upper_bounds(search, high);
    nlopt_set_min_objective(search, objective, p);
    nlopt_set_xtol_abs1(search, 1e-3);
    nlopt_set_ftol_abs(search, 1e-4);
    nlopt_set_maxeval(search, 200);
    double tried[ORR_STACK_DIMS];
    memcpy(tried, x, n * sizeof *x);
    const double before = objective(n, x, NULL, p);
    const nlopt_result result = nlopt_optimize(search, tried, &best);
    /* SLSQP ends with a round-off message at a good point now and then: the point is judged, not the message. */
    if (result != NLOPT_OUT_OF_MEMORY && isfinite(best) && best <= before) memcpy(x, tried, n * sizeof *x);
    nlopt_destroy(search);
    return result != NLOPT_OUT_OF_MEMORY;
}

/* ---------------------------------------------------------------- the Laplace approximation */

/* Inverts a positive definite matrix in place and returns the logarithm of its determinant. */
static double invert(double a[ORR_STACK_DIMS][ORR_STACK_DIMS], int n)
{
    double l[ORR_STACK_DIMS][ORR_STACK_DIMS] = {{0}}, inverse[ORR_STACK_DIMS][ORR_STACK_DIMS] = {{0}}, log_det = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(orr_max(sum, 1e-12)) : sum / l[j][j];
        }
    for (int i = 0; i < n; i++) log_det += 2 * log(l[i][i]);
    for (int c = 0; c < n; c++) {
        double y[ORR_STACK_DIMS];
        for (int i = 0; i < n; i++) {
            y[i] = i == c;
            for (int k = 0; k < i; k++) y[i] -= l[i][k] * y[k];
            y[i] /= l[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = y[i];
            for (int k = i + 1; k < n; k++) sum -= l[k][i] * inverse[k][c];
            inverse[i][c] = sum / l[i][i];
        }
    }
    memcpy(a, inverse, sizeof inverse);
    return log_det;
}

/* The derivative of ln ratio of run i by x and level. */
static void row_of(const struct problem *p, size_t i, const double *x, double row[ORR_STACK_DIMS])
{
    const double ratio = ratio_at(p, i, x);
    for (int k = 0; k < p->n_active; k++) {
        const int j = p->index[k];
        row[k] = p->slope[i][j] * orr_stack_natural_slope(j, parent_of(p, i, j), x[k]) / ratio;
    }
    row[p->n_active] = 1;
}

static double weight_of(double error, double within)
{
    return (FREEDOM + 1) / (FREEDOM + error * error / (within * within));
}

double orr_stack_weight(double error, double within)
{
    return weight_of(error, within);
}

/* Eq. 174: covariance at x; returns the logarithm of its determinant. *told becomes the effective number of
 * parameters. */
static double laplace(const struct problem *p, const double *x, double covariance[ORR_STACK_DIMS][ORR_STACK_DIMS],
                      double *told)
{
    const int n = p->n_active + 1;
    const double s2 = p->within * p->within;
    double data[ORR_STACK_DIMS][ORR_STACK_DIMS] = {{0}}, row[ORR_STACK_DIMS];
    for (size_t i = 0; i < p->n; i++) {
        const double error = -log(ratio_at(p, i, x)) - x[p->n_active], w = weight_of(error, p->within) / s2;
        row_of(p, i, x, row);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) data[a][b] += w * row[a] * row[b];
    }
    memset(covariance, 0, sizeof data);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) covariance[a][b] = data[a][b];
    for (int k = 0; k < p->n_active; k++) covariance[k][k] += orr_stack_curvature(prior_of(p), p->index[k], x[k]);
    covariance[n - 1][n - 1] += orr_stack_curvature(prior_of(p), ORR_STACK_N, x[n - 1]);
    const double log_det = invert(covariance, n);
    *told = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) *told += covariance[a][b] * data[b][a];
    return -log_det;
}

/* Eq. 175: the spread of single runs, given their errors and the number of parameters that they told. */
static double spread_of(const double *errors, size_t n, double told, double within, double before)
{
    double sum = WITHIN_WEIGHT * before * before;
    for (size_t i = 0; i < n; i++) sum += weight_of(errors[i], within) * errors[i] * errors[i];
    return sqrt(sum / (WITHIN_WEIGHT + orr_max(0, (double)n - told)));
}

/* Minus the logarithm of the prior of the spread, 0 where it is most likely. */
static double spread_prior(double within, double before)
{
    return WITHIN_WEIGHT * (log(within / before) + before * before / (2 * within * within) - 0.5);
}

/* The spread of the errors at x. */
static void settle_spread(struct problem *p, const double *x)
{
    double covariance[ORR_STACK_DIMS][ORR_STACK_DIMS], told;
    (void)laplace(p, x, covariance, &told);
    for (size_t i = 0; i < p->n; i++) p->line[i] = -log(ratio_at(p, i, x)) - x[p->n_active];
    p->within = spread_of(p->line, p->n, told, p->within, p->runs->within);
}

/* ---------------------------------------------------------------- passes */

static bool open_problem(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, struct problem *p)
{
    *p = (struct problem){.runs = runs, .at = chosen->at, .n = chosen->n, .within = runs->within};
    p->ratio = calloc(chosen->n + 1, sizeof *p->ratio);
    p->line = calloc(chosen->n + 1, sizeof *p->line);
    p->slope = calloc(chosen->n + 1, sizeof *p->slope);
    return p->ratio && p->line && p->slope;
}

static void close_problem(struct problem *p)
{
    free(p->ratio);
    free(p->line);
    free(p->slope);
}

static int host_of(const struct problem *p)
{
    for (int k = 0; k < p->n_active; k++)
        if (orr_stack_parameter(p->index[k])->prior == ORR_STACK_TAIL) return p->index[k];
    return -1;
}

/* Does moving parameter j change a chosen run? */
static bool moves(const struct problem *p, int j)
{
    const struct orr_stack_parameter *parameter = orr_stack_parameter(j);
    const double reach = parameter->prior == ORR_STACK_TIME ? REACH_TIME : REACH;
    for (size_t i = 0; i < p->n; i++) {
        const size_t run = p->at[i];
        const double parent = parent_of(p, i, j), start = p->runs->start[run];
        for (int side = -1; side <= 1; side += 2) {
            const double change =
                p->runs->slope[run][j] * (orr_stack_natural(j, parent, side * reach) - orr_stack_natural(j, parent, 0));
            if (fabs(change) > LEAST_EFFECT * start) return true;
        }
        if (parameter->prior == ORR_STACK_TAIL && p->runs->host[run][3] > start * (1 + LEAST_EFFECT)) return true;
    }
    return false;
}

static void select_parameters(struct problem *p, const bool *allowed)
{
    p->n_active = 0;
    for (int j = 0; j < ORR_STACK_N; j++) {
        p->active[j] = (!allowed || allowed[j]) && moves(p, j);
        if (p->active[j]) p->index[p->n_active++] = j;
    }
}

/* The host time from which the search starts: the one of orr_stack_hosts that fits best with a level of its own. */
static double best_host(const struct problem *p, int host)
{
    double best = HUGE_VAL, x = 0;
    const double within = p->runs->within;
    for (int k = 0; k < ORR_STACK_HOSTS; k++) {
        const double at = log(orr_stack_hosts[k]) / orr_stack_parameter(host)->scale;
        double sum = 0, cost = orr_stack_penalty(prior_of(p), host, at);
        for (size_t i = 0; i < p->n; i++) sum -= log(p->runs->host[p->at[i]][k]);
        const double level = sum / ((double)p->n + within * within / (LEVEL * LEVEL));
        cost += 0.5 * level * level / (LEVEL * LEVEL);
        for (size_t i = 0; i < p->n; i++) cost += loss(-log(p->runs->host[p->at[i]][k]) - level, within);
        if (cost < best - 1e-9) x = at;
        best = orr_min(best, cost);
    }
    return x;
}

/* The exact ratios at x. */
static void predict_at(struct orr_stack_worker *worker, const struct problem *p, const double *x, double *ratio)
{
    double full[ORR_STACK_N] = {0};
    for (int k = 0; k < p->n_active; k++) full[p->index[k]] = x[k];
    for (size_t i = 0; i < p->n; i++) ratio[i] = orr_stack_ratio(worker, p->runs, p->at[i], p->active, full);
}

/* Draw the straight lines at x: at the parent those of the table, else anew. The ratios are known but for the first
 * time. */
static bool draw_lines(struct orr_stack_worker *worker, struct problem *p, const double *x, bool at_parent)
{
    const struct orr_stack_choice all = {p->at, p->n};
    memset(p->centre, 0, sizeof p->centre);
    for (int k = 0; k < p->n_active; k++) p->centre[p->index[k]] = x[k];
    if (!at_parent) return orr_stack_slopes(worker, p->runs, &all, p->active, p->centre, p->slope);
    for (size_t i = 0; i < p->n; i++) {
        p->ratio[i] = p->runs->start[p->at[i]];
        memcpy(p->slope[i], p->runs->slope[p->at[i]], sizeof *p->slope);
    }
    return true;
}

/* The objective with exact ratios. */
static double exact_objective(const struct problem *p, const double *ratio, const double *x)
{
    double sum = orr_stack_penalty(prior_of(p), ORR_STACK_N, x[p->n_active]);
    for (int k = 0; k < p->n_active; k++) sum += orr_stack_penalty(prior_of(p), p->index[k], x[k]);
    for (size_t i = 0; i < p->n; i++) sum += loss(-log(ratio[i]) - x[p->n_active], p->within);
    return sum;
}

/* One pass: maximise on straight lines, then go as far as the exact predictions agree. */
static bool pass(struct orr_stack_worker *worker, struct problem *p, double *x)
{
    const int n = p->n_active + 1;
    double from[ORR_STACK_DIMS];
    memcpy(from, x, sizeof from);
    for (int round = 0; round < ROUNDS; round++) {
        if (!maximise(p, x)) return false;
        settle_spread(p, x);
    }
    const double before = exact_objective(p, p->ratio, from);
    predict_at(worker, p, x, p->line);
    for (int half = 0; half < HALVES && !(exact_objective(p, p->line, x) <= before + 1e-6); half++) {
        for (int k = 0; k < n; k++) x[k] = (x[k] + from[k]) / 2;
        predict_at(worker, p, x, p->line);
    }
    memcpy(p->ratio, p->line, p->n * sizeof *p->ratio);
    memset(p->centre, 0, sizeof p->centre);
    for (int k = 0; k < p->n_active; k++) p->centre[p->index[k]] = x[k];
    return true;
}

/* Eq. 176: the evidence, and everything else that is known about the maximum. The ratios are exact there. */
static void finish(struct problem *p, const double *x, struct orr_stack_fit *fit)
{
    double covariance[ORR_STACK_DIMS][ORR_STACK_DIMS];
    settle_spread(p, x);
    double evidence = 0.5 * laplace(p, x, covariance, &fit->n_told);
    evidence -= objective((unsigned)p->n_active + 1, x, NULL, p) + (double)p->n * log(p->within);
    evidence -= spread_prior(p->within, p->runs->within);
    for (int j = 0; j < ORR_STACK_DIMS; j++) fit->before[j] = 1 / orr_stack_curvature(prior_of(p), j, 0);
    evidence -= 0.5 * log(fit->before[ORR_STACK_N]);
    for (int k = 0; k < p->n_active; k++) evidence -= 0.5 * log(fit->before[p->index[k]]);
    fit->fitted = true;
    fit->evidence = evidence;
    fit->within = fit->ordinary = p->within;
    fit->level = x[p->n_active];
    memcpy(fit->active, p->active, sizeof fit->active);
    int place[ORR_STACK_DIMS];
    for (int k = 0; k < p->n_active; k++) {
        fit->x[p->index[k]] = x[k];
        place[k] = p->index[k];
    }
    place[p->n_active] = ORR_STACK_N;
    for (int j = 0; j < ORR_STACK_N; j++) fit->covariance[j][j] = fit->before[j];
    for (int a = 0; a <= p->n_active; a++)
        for (int b = 0; b <= p->n_active; b++) fit->covariance[place[a]][place[b]] = covariance[a][b];
}

bool orr_stack_solve(struct orr_stack_worker *worker, const struct orr_stack_runs *runs,
                     const struct orr_stack_choice *chosen, int passes, const bool *allowed, struct orr_stack_fit *fit)
{
    struct problem p;
    double x[ORR_STACK_DIMS] = {0};
    memset(fit, 0, sizeof *fit);
    bool ready = open_problem(runs, chosen, &p);
    if (ready) select_parameters(&p, allowed);
    const int host = ready ? host_of(&p) : -1;
    bool at_parent = true;
    if (host >= 0)
        for (int k = 0; k < p.n_active; k++)
            if (p.index[k] == host) at_parent = (x[k] = best_host(&p, host)) == 0;
    if (ready && !at_parent) predict_at(worker, &p, x, p.ratio);
    for (int i = 0; i < passes && ready; i++) {
        ready = draw_lines(worker, &p, x, at_parent && i == 0) && pass(worker, &p, x);
    }
    if (ready) finish(&p, x, fit);
    close_problem(&p);
    return ready;
}

/* ---------------------------------------------------------------- without parameters */

/* Minus the logarithm of the likelihood of the chosen runs about the engine as it is, given how wide they lie. */
static double cost_of_width(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen, double width)
{
    double cost = (double)chosen->n * log(width);
    for (size_t i = 0; i < chosen->n; i++) cost += loss(log(runs->as_is[chosen->at[i]]), width);
    return cost;
}

/* Eq. 176a: the evidence is averaged over widths, so that a run far off says that runs lie wide about this parent, as
 * much as that another engine describes them. */
void orr_stack_as_it_is(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen,
                        struct orr_stack_fit *fit)
{
    const struct orr_stack_population *prior = &runs->prior;
    double gain[WIDTHS], z[WIDTHS], best = -HUGE_VAL, before = 0, after = 0, mean = 0;
    memset(fit, 0, sizeof *fit);
    for (int k = 0; k < WIDTHS; k++) {
        z[k] = WIDTHS_REACH * (2.0 * k / (WIDTHS - 1) - 1);
        gain[k] = -0.5 * z[k] * z[k] - cost_of_width(runs, chosen, prior->width * exp(prior->width_spread * z[k]));
        best = orr_max(best, gain[k]);
    }
    for (int k = 0; k < WIDTHS; k++) {
        before += exp(-0.5 * z[k] * z[k]);
        after += exp(gain[k] - best);
        mean += exp(gain[k] - best) * z[k];
    }
    fit->evidence = best + log(after / before);
    fit->within = prior->width * exp(prior->width_spread * mean / after);
    fit->ordinary = runs->within; /* a run that no fit would reach is nothing to share */
    fit->before[ORR_STACK_N] = LEVEL * LEVEL;
}

void orr_stack_level_only(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen,
                          struct orr_stack_fit *fit)
{
    const double before = runs->within;
    double within = before, level = 0, weights = 0;
    memset(fit, 0, sizeof *fit);
    for (int round = 0; round < 4 * ROUNDS; round++) {
        double sum = 0, spread = WITHIN_WEIGHT * before * before;
        weights = 0;
        for (size_t i = 0; i < chosen->n; i++) {
            const double raw = -log(runs->as_is[chosen->at[i]]), w = weight_of(raw - level, within);
            sum += w * raw;
            weights += w;
            spread += w * (raw - level) * (raw - level);
        }
        const double precision = weights / (within * within) + 1 / (LEVEL * LEVEL);
        fit->n_told = weights / (within * within) / precision;
        level = sum / (within * within) / precision;
        within = sqrt(spread / (WITHIN_WEIGHT + orr_max(0, (double)chosen->n - fit->n_told)));
    }
    const double precision = weights / (within * within) + 1 / (LEVEL * LEVEL);
    double cost = (double)chosen->n * log(within) + spread_prior(within, before);
    for (size_t i = 0; i < chosen->n; i++) cost += loss(-log(runs->as_is[chosen->at[i]]) - level, within);
    cost += 0.5 * level * level / (LEVEL * LEVEL) + 0.5 * log(precision) + log(LEVEL);
    fit->evidence = -cost;
    fit->level = level;
    fit->within = fit->ordinary = within;
    fit->fitted = true;
    fit->before[ORR_STACK_N] = LEVEL * LEVEL;
    fit->covariance[ORR_STACK_N][ORR_STACK_N] = 1 / precision;
}

/* ---------------------------------------------------------------- predictions */

void orr_stack_gradient(const struct orr_stack_runs *runs, size_t i, const struct orr_stack_fit *fit,
                        double gradient[ORR_STACK_DIMS])
{
    double ratio = runs->start[i];
    const struct orr_engine *engine = &runs->runs[i].job.engine;
    for (int j = 0; j < ORR_STACK_N; j++) {
        const double parent = orr_stack_parent(j, engine);
        gradient[j] = runs->slope[i][j] * orr_stack_natural_slope(j, parent, fit->x[j]);
        if (fit->active[j])
            ratio += runs->slope[i][j] * (orr_stack_natural(j, parent, fit->x[j]) - orr_stack_natural(j, parent, 0));
    }
    for (int j = 0; j < ORR_STACK_N; j++) gradient[j] /= orr_max(LOWEST, ratio);
    gradient[ORR_STACK_N] = 1;
}

double orr_stack_quadratic(const struct orr_stack_fit *fit, const double a[ORR_STACK_DIMS],
                           const double b[ORR_STACK_DIMS])
{
    double sum = 0;
    for (int j = 0; j < ORR_STACK_DIMS; j++)
        for (int k = 0; k < ORR_STACK_DIMS; k++) sum += a[j] * fit->covariance[j][k] * b[k];
    return sum;
}

struct orr_stack_guess orr_stack_predict(struct orr_stack_worker *worker, const struct orr_stack_runs *runs, size_t i,
                                         const struct orr_stack_fit *fit)
{
    bool moved = false;
    double gradient[ORR_STACK_DIMS];
    for (int j = 0; j < ORR_STACK_N; j++) moved |= fit->active[j];
    const double ratio = moved ? orr_stack_ratio(worker, runs, i, fit->active, fit->x) : runs->as_is[i];
    if (!fit->fitted) return (struct orr_stack_guess){.mean = log(ratio)};
    orr_stack_gradient(runs, i, fit, gradient);
    return (struct orr_stack_guess){.mean = log(ratio) + fit->level,
                                    .variance = orr_stack_quadratic(fit, gradient, gradient)};
}

/* ---------------------------------------------------------------- leaving runs out */

static void swap_runs(struct problem *p, size_t *at, size_t a, size_t b)
{
    double slope[ORR_STACK_N];
    const size_t run = at[a];
    const double ratio = p->ratio[a];
    memcpy(slope, p->slope[a], sizeof slope);
    at[a] = at[b];
    p->ratio[a] = p->ratio[b];
    memcpy(p->slope[a], p->slope[b], sizeof slope);
    at[b] = run;
    p->ratio[b] = ratio;
    memcpy(p->slope[b], slope, sizeof slope);
}

/* The error of the last run of the problem, given what a fit to the others leaves of them (p->line). */
static double share_with_last(const struct problem *p, double error, bool fitted)
{
    struct orr_stack_shared shared;
    const struct orr_stack_choice others = {p->at, p->n - 1};
    orr_stack_share(p->runs, &others, p->line, p->within, fitted, &shared);
    return error - orr_stack_shift(&shared, &p->runs->runs[p->at[p->n - 1]]);
}

/* The error of the last run of the problem, after a fit to the others. */
static double error_of_last(struct problem *p, const struct orr_stack_fit *fit)
{
    double x[ORR_STACK_DIMS] = {0};
    for (int k = 0; k < p->n_active; k++) x[k] = fit->x[p->index[k]];
    x[p->n_active] = fit->level;
    p->within = fit->within;
    p->n--;
    for (int round = 0; round < ROUNDS && p->n > 0; round++) {
        if (!maximise(p, x)) break;
        settle_spread(p, x);
    }
    if (p->n == 0) memset(x, 0, sizeof x);
    p->n++;
    for (size_t i = 0; i < p->n; i++) p->line[i] = -log(ratio_at(p, i, x)) - x[p->n_active];
    return share_with_last(p, p->line[p->n - 1], true);
}

/* The same of the engine as it is. */
static double as_it_is_of_last(struct problem *p, const struct orr_stack_fit *fit)
{
    p->within = fit->ordinary;
    for (size_t i = 0; i < p->n; i++) p->line[i] = -log(p->ratio[i]);
    return share_with_last(p, p->line[p->n - 1], false);
}

bool orr_stack_leave_out(struct orr_stack_worker *worker, const struct orr_stack_runs *runs,
                         const struct orr_stack_choice *chosen, const struct orr_stack_fit *fit, double *errors)
{
    struct problem p;
    size_t *at = malloc((chosen->n + 1) * sizeof *at);
    bool ready = open_problem(runs, chosen, &p) && at;
    if (ready) memcpy(at, chosen->at, chosen->n * sizeof *at);
    p.at = at;
    memcpy(p.active, fit->active, sizeof p.active);
    memcpy(p.centre, fit->x, sizeof p.centre);
    for (int j = 0; j < ORR_STACK_N; j++)
        if (fit->active[j]) p.index[p.n_active++] = j;
    for (size_t i = 0; i < chosen->n && ready; i++)
        p.ratio[i] = p.n_active ? orr_stack_ratio(worker, runs, at[i], p.active, p.centre) : runs->as_is[at[i]];
    ready = ready && orr_stack_slopes(worker, runs, chosen, p.active, p.centre, p.slope);
    for (size_t i = 0; i < chosen->n && ready; i++) {
        swap_runs(&p, at, i, chosen->n - 1);
        if (fit->fitted) errors[i] = error_of_last(&p, fit);
        else errors[i] = as_it_is_of_last(&p, fit);
        swap_runs(&p, at, i, chosen->n - 1);
    }
    close_problem(&p);
    free(at);
    return ready;
}
