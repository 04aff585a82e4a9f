/* The fit. Rows are priced by the program's own cost functions, and a bounded search without derivatives minimises a
 * robust loss. Every constant is then tested: one that the rows do not identify keeps its value. */
#include "calibrate/calibrate.h"

#include "base/number.h"
#include "cost/cost.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>

/* The loss of a logarithmic error is quadratic below the first value, linear up to the second, and constant beyond, so
 * that outliers do not count. */
#define LOSS_ROUND 0.03
#define LOSS_CLIP  0.5
/* The rows identify a constant if moving it by each of these factors, with everything else refitted, raises the loss by
 * this share (and by at least this amount, for perfect data). */
#define PROBE_LOW     0.7
#define PROBE_HIGH    1.4
#define TELLING_SHARE 0.005
#define TELLING_LEAST 1e-4
/* New constants must lower the loss by this share, so that noise does not move a calibration. */
#define WORTH_SHARE 0.03
/* A group whose best fit leaves half of its rows with a larger error is not described by these constants. */
#define POOR_FRAC 0.25
/* The clock of a table raises the burst share only if it is higher by this factor, because units of one chip differ. */
#define BURST_MARGIN 1.01
/* The least number of rows per constant of a group. */
#define ROWS_PER_CONSTANT 3
/* Fitted values are rounded, so that the file holds exactly what was scored. */
#define DIGITS    4
#define MAX_SLOTS 64

/* ---------------------------------------------------------------- pricing */

void orr_fit_enter(struct orr_fit *fit, const struct orr_fit_group *group)
{
    struct orr_job *job = &fit->job;
    job->kind = group->kind == ORR_FIT_CUSTOM || group->kind == ORR_FIT_DECODE || group->kind == ORR_FIT_LATENT
                    ? ORR_JOB_INFER
                    : ORR_JOB_TRAIN;
    const bool framework = group->kind == ORR_FIT_POINTWISE || group->kind == ORR_FIT_LAUNCH ||
                           (group->kind == ORR_FIT_DECODE && group->index == ORR_DECODE_SDPA);
    job->engine = framework ? fit->framework : fit->serving;
    if (group->kind == ORR_FIT_DECODE) job->engine.decode_kernel = (enum orr_decode_kernel)group->index;
    if (group->kind == ORR_FIT_FLASH) job->workload.attention = (enum orr_attention_kernel)group->index;
}

static double op_s(const struct orr_job *job, const struct orr_op *op)
{
    struct orr_cost cost = {0};
    orr_cost_one(job, op, &cost);
    return cost.total_s;
}

/* The share of peak at which a product of a table runs. A table repeats its products about equally often, so a longer
 * product runs in a longer loop and at a lower clock. The length is that of the arithmetic at the table's clock; the
 * measured time must not help to predict itself. */
static double level_of(const struct orr_fit *fit, const struct orr_kernel_row *row)
{
    const struct orr_fit_table *table = &fit->tables[row->table];
    const enum orr_dtype dtype = row->ops[0].dtype;
    const double product_s = row->ops[0].flops / (fit->job.system.chip.peak_flops_per_s[dtype] * table->level);
    const double sustained_frac = fit->job.calibration.gemm[dtype].sustained_frac;
    return sustained_frac + (table->level - sustained_frac) / (1 + product_s / table->warm_s);
}

/* The time of a product at the share of peak that its run allowed: the sustained share in a loop, else the share that
 * its table shows, else the burst share. */
static double product_s(const struct orr_fit *fit, const struct orr_kernel_row *row, const struct orr_op *op,
                        bool with_terms)
{
    const struct orr_gemm_constants *gemm = &fit->job.calibration.gemm[op->dtype];
    double share_frac = gemm->burst_frac;
    if (row->mode == ORR_MODE_SUSTAINED) share_frac = gemm->sustained_frac;
    else if (with_terms && fit->tables[row->table].level > 0) share_frac = level_of(fit, row);
    struct orr_cost cost;
    orr_cost_gemm_at(&fit->job, op, share_frac, &cost);
    return cost.total_s;
}

double orr_fit_price(struct orr_fit *fit, const struct orr_kernel_row *row, bool with_terms)
{
    const struct orr_fit_table *table = &fit->tables[row->table];
    fit->job.plan.tp = row->ranks;
    double total_s = 0;
    for (int i = 0; i < row->n_ops; i++) {
        const struct orr_op *op = &row->ops[i];
        total_s += op->kind == ORR_OP_GEMM ? product_s(fit, row, op, with_terms) : op_s(&fit->job, op);
    }
    if (with_terms) total_s += table->call_s;
    if (with_terms && row->has_pass && table->passes > 0) total_s += table->passes * op_s(&fit->job, &row->pass);
    fit->evaluations++;
    return total_s;
}

/* ---------------------------------------------------------------- the problem */

/* One free number: a constant, or a term of a table. */
struct slot {
    double *target;
    double low, high, typical;
    bool frozen;
};

struct problem {
    struct orr_fit *fit;
    size_t n_rows, n_slots, n_constants; /* constants come first */
    const struct orr_kernel_row **rows;
    struct slot slots[MAX_SLOTS];
    double weight_sum;
    bool starved; /* a search lacked memory: what comes after it is no answer */
};

/* Ratios are searched by their logarithm; numbers that may be zero are scaled by `typical`. */
static double to_search(const struct slot *slot, double value)
{
    return slot->low > 0 ? log(value) : value / slot->typical;
}

static double from_search(const struct slot *slot, double x)
{
    return slot->low > 0 ? exp(x) : x * slot->typical;
}

static double loss_of(const struct problem *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct orr_kernel_row *row = p->rows[i];
        const double e = fabs(log(orr_fit_price(p->fit, row, true) / row->measured_s));
        const double capped = orr_min(e, LOSS_CLIP);
        sum += row->weight * (capped < LOSS_ROUND ? capped * capped / (2 * LOSS_ROUND) : capped - LOSS_ROUND / 2);
    }
    return p->weight_sum > 0 ? sum / p->weight_sum : 0;
}

static double objective(unsigned n, const double *x, double *gradient, void *context)
{
    struct problem *p = context;
    (void)gradient;
    unsigned j = 0;
    for (size_t i = 0; i < p->n_slots && j < n; i++)
        if (!p->slots[i].frozen)
            *p->slots[i].target =
                orr_min(p->slots[i].high, orr_max(p->slots[i].low, from_search(&p->slots[i], x[j++])));
    return loss_of(p);
}

/* Search from the present values of the slots and leave the best values there. A search that lacks memory leaves them,
 * returns HUGE_VAL and marks the problem: other searches would hide it. */
static double minimise(struct problem *p, int evaluations_per_slot)
{
    double x[MAX_SLOTS], low[MAX_SLOTS], high[MAX_SLOTS], step[MAX_SLOTS], best;
    unsigned n = 0;
    for (size_t i = 0; i < p->n_slots; i++) {
        const struct slot *slot = &p->slots[i];
        if (slot->frozen) continue;
        low[n] = to_search(slot, slot->low);
        high[n] = to_search(slot, slot->high);
        x[n] = orr_min(high[n], orr_max(low[n], to_search(slot, *slot->target)));
        step[n] = slot->low > 0 ? 0.1 : 0.2 * orr_max(0.5, x[n]);
        if (x[n] + step[n] > high[n]) /* The first step must stay inside the bounds. */
            step[n] = -step[n];
        n++;
    }
    if (n == 0) return loss_of(p);
    nlopt_opt search = nlopt_create(NLOPT_LN_SBPLX, n);
    p->starved |= !search;
    if (!search) return HUGE_VAL;
    const bool ready = nlopt_set_min_objective(search, objective, p) > 0 && nlopt_set_lower_bounds(search, low) > 0 &&
                       nlopt_set_upper_bounds(search, high) > 0 && nlopt_set_initial_step(search, step) > 0 &&
                       nlopt_set_xtol_rel(search, 1e-4) > 0 && nlopt_set_ftol_rel(search, 1e-5) > 0 &&
                       nlopt_set_maxeval(search, evaluations_per_slot * (int)n) > 0;
    const nlopt_result result = ready ? nlopt_optimize(search, x, &best) : NLOPT_FAILURE;
    nlopt_destroy(search);
    p->starved |= !ready || result == NLOPT_OUT_OF_MEMORY || result == NLOPT_INVALID_ARGS;
    return p->starved ? HUGE_VAL : objective(n, x, NULL, p);
}

static void add_slot(struct problem *p, double *target, double low, double high, double typical)
{
    if (p->n_slots < MAX_SLOTS && high > low)
        p->slots[p->n_slots++] = (struct slot){.target = target, .low = low, .high = high, .typical = typical};
}

/* Add the terms of the run: the clock of short products, how soon long ones lose it, the time around the kernel, and
 * how often the pass ran. */
static void add_terms(struct problem *p, size_t group)
{
    struct orr_fit *fit = p->fit;
    const struct orr_fit_group *g = &fit->groups[group];
    for (size_t t = 0; t < fit->n_tables; t++) {
        struct orr_fit_table *table = &fit->tables[t];
        if (table->group != group || table->n_fitted == 0) continue;
        const struct orr_gemm_constants *gemm = &fit->job.calibration.gemm[g->kind == ORR_FIT_GEMM ? g->index : 0];
        if (table->free_level) add_slot(p, &table->level, 0.9 * gemm->sustained_frac, 1, 0.7);
        if (table->free_warm) add_slot(p, &table->warm_s, 1e-3, 1, 0.02);
        if (table->free_call) add_slot(p, &table->call_s, 0, table->least_s, 1e-5);
        if (table->free_passes) add_slot(p, &table->passes, 0, 6, 1);
    }
}

static bool start_problem(struct orr_fit *fit, size_t group, struct problem *p)
{
    *p = (struct problem){.fit = fit, .rows = malloc((fit->n_rows + 1) * sizeof *p->rows)};
    if (!p->rows) return false;
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_kernel_row *row = &fit->rows[i];
        if (row->left_out || row->group != group || !row->fitted) continue;
        p->rows[p->n_rows++] = row;
        p->weight_sum += row->weight;
    }
    orr_fit_enter(fit, &fit->groups[group]);
    return true;
}

bool orr_fit_terms(struct orr_fit *fit, size_t group)
{
    struct problem p;
    if (!start_problem(fit, group, &p)) return false;
    add_terms(&p, group);
    double loss = minimise(&p, 120);
    if (p.n_slots > 0 && loss < HUGE_VAL) loss = minimise(&p, 120);
    fit->groups[group].loss_before = loss;
    free(p.rows);
    return !p.starved;
}

/* ---------------------------------------------------------------- constants */

static void save(const struct problem *p, double *values)
{
    for (size_t i = 0; i < p->n_slots; i++) values[i] = *p->slots[i].target;
}

static void restore(struct problem *p, const double *values)
{
    for (size_t i = 0; i < p->n_slots; i++) *p->slots[i].target = values[i];
}

/* Search from the present values and from the usual ones, then once more from the better result. */
static double search_all(struct problem *p)
{
    double first[MAX_SLOTS], second[MAX_SLOTS];
    const double first_loss = minimise(p, 150);
    save(p, first);
    for (size_t i = 0; i < p->n_constants; i++)
        if (!p->slots[i].frozen) *p->slots[i].target = p->slots[i].typical;
    const double second_loss = minimise(p, 150);
    save(p, second);
    restore(p, first_loss <= second_loss ? first : second);
    return minimise(p, 150);
}

/* The best loss with one slot held at a value. The others start from the values `best`. */
static double profile(struct problem *p, size_t i, double value, const double *best)
{
    restore(p, best);
    *p->slots[i].target = value;
    p->slots[i].frozen = true;
    const double loss = minimise(p, 40);
    p->slots[i].frozen = false;
    restore(p, best);
    return loss;
}

/* Does the loss rise if the constant is moved down and if it is moved up? A side without room before its bound does not
 * count. */
static bool is_told(struct problem *p, size_t i, const double *best, double limit)
{
    const struct slot *slot = &p->slots[i];
    const double value = best[i], least = slot->low > 0 ? 0.03 * value : 0.03 * slot->typical;
    const double down = orr_max(slot->low, PROBE_LOW * value);
    const double up = orr_min(slot->high, orr_max(PROBE_HIGH * value, value + 0.2 * slot->typical));
    bool room = false;
    if (value - down > least) {
        room = true;
        if (profile(p, i, down, best) <= limit) return false;
    }
    if (up - value > least) {
        room = true;
        if (profile(p, i, up, best) <= limit) return false;
    }
    return room;
}

static double rounded(double value)
{
    if (!(fabs(value) > 0)) return 0;
    const double unit = pow(10, DIGITS - 1 - (int)floor(log10(fabs(value))));
    return round(value * unit) / unit;
}

/* Decide for every constant whether the rows identify it. Those refused return to their old value; returns how many
 * were. */
static size_t refuse(struct problem *p, struct orr_fit_group *group, const size_t *constant_of, double loss)
{
    const double limit = loss + TELLING_SHARE * loss + TELLING_LEAST;
    double best[MAX_SLOTS];
    size_t refused = 0;
    save(p, best);
    for (size_t i = 0; i < p->n_constants; i++) {
        struct orr_fit_constant *constant = &group->constants[constant_of[i]];
        const double old = constant->old_value;
        constant->state = ORR_CONSTANT_FITTED;
        if (is_told(p, i, best, limit)) continue;
        constant->state = ORR_CONSTANT_ONE_SIDE;
        if (profile(p, i, old, best) > limit) continue;
        constant->state = ORR_CONSTANT_REFUSED;
        p->slots[i].frozen = true;
        best[i] = old; /* The next constants are tested with this one at its old value. */
        restore(p, best);
        (void)minimise(p, 40);
        save(p, best);
        refused++;
    }
    restore(p, best);
    return refused;
}

const char *orr_constant_state_name(enum orr_constant_state state)
{
#define X(name, word) word,
    static const char *const WORDS[ORR_N_CONSTANT_STATES] = {ORR_CONSTANT_STATES(X)};
#undef X
    return WORDS[state];
}

bool orr_constant_is_new(const struct orr_fit_constant *constant)
{
    return constant->state == ORR_CONSTANT_FITTED || constant->state == ORR_CONSTANT_ONE_SIDE;
}

/* Return all constants of a group to their old values. */
static void take_back(struct orr_fit_group *group, enum orr_constant_state why)
{
    for (size_t i = 0; i < group->n_constants; i++) {
        *group->constants[i].at = group->constants[i].old_value;
        if (orr_constant_is_new(&group->constants[i])) group->constants[i].state = why;
    }
}

/* The median error of the fitted rows. */
static double median_error(const struct problem *p)
{
    /* The interval is halved until the count is right; the rows are few, and this runs once. */
    double low = 0, high = 10;
    for (int step = 0; step < 30; step++) {
        const double middle = (low + high) / 2;
        size_t below = 0;
        for (size_t i = 0; i < p->n_rows; i++)
            below += fabs(orr_fit_price(p->fit, p->rows[i], true) / p->rows[i]->measured_s - 1) <= middle;
        *(2 * below >= p->n_rows ? &high : &low) = middle;
    }
    return high;
}

/* The whole group keeps its old values if nothing is gained, if its only constant is at a bound, or if the rows do not
 * follow the model. */
static void accept_or_keep(struct problem *p, struct orr_fit_group *group, double loss)
{
    const struct orr_fit_constant *only = &group->constants[0];
    const double value = *only->at;
    if (median_error(p) > POOR_FRAC) take_back(group, ORR_CONSTANT_POOR);
    else if (group->n_constants == 1 && only->low > 0 && (value <= 1.001 * only->low || value >= 0.999 * only->high))
        take_back(group, ORR_CONSTANT_BOUND);
    else if (loss > (1 - WORTH_SHARE) * group->loss_before - TELLING_LEAST / 10)
        take_back(group, ORR_CONSTANT_CONFIRMED);
}

/* If no row identifies the burst share, it is at least the share at the clock that a table has shown. */
static void raise_burst(struct orr_fit *fit, size_t g)
{
    struct orr_fit_constant *burst = &fit->groups[g].constants[0];
    if (fit->groups[g].kind != ORR_FIT_GEMM || burst->rows > 0) return;
    double *const burst_frac = burst->at;
    for (size_t t = 0; t < fit->n_tables; t++) {
        const struct orr_fit_table *table = &fit->tables[t];
        if (table->group != g || !table->free_level || table->level <= BURST_MARGIN * *burst_frac) continue;
        *burst_frac = table->level;
        burst->rows = table->n_fitted;
        burst->state = ORR_CONSTANT_ONE_SIDE;
    }
}

static void finish(struct problem *p, struct orr_fit_group *group)
{
    for (size_t i = 0; i < group->n_constants; i++) {
        struct orr_fit_constant *constant = &group->constants[i];
        if (orr_constant_is_new(constant)) *constant->at = rounded(*constant->at);
        constant->new_value = *constant->at;
    }
    for (size_t i = 0; i < p->n_constants; i++) p->slots[i].frozen = true;
    (void)minimise(p, 120); /* This fits the terms of the tables to the rounded constants. */
}

bool orr_fit_group_constants(struct orr_fit *fit, size_t g)
{
    struct orr_fit_group *group = &fit->groups[g];
    struct problem p;
    size_t constant_of[MAX_SLOTS];
    size_t n_seen = 0; /* constants that some row depends on */
    if (!start_problem(fit, g, &p)) return false;
    for (size_t i = 0; i < group->n_constants; i++) n_seen += group->constants[i].rows > 0;
    for (size_t i = 0; i < group->n_constants; i++) {
        struct orr_fit_constant *constant = &group->constants[i];
        constant->state = ORR_CONSTANT_FEW_ROWS;
        if (constant->rows < 1 || (n_seen > 1 && group->n_fitted < ROWS_PER_CONSTANT * n_seen)) continue;
        constant_of[p.n_slots] = i;
        add_slot(&p, constant->at, constant->low, constant->high, constant->is->typical);
    }
    p.n_constants = p.n_slots;
    add_terms(&p, g);
    double loss = p.n_constants > 0 ? search_all(&p) : 0;
    if (p.n_constants > 0 && loss < HUGE_VAL && refuse(&p, group, constant_of, loss) > 0) loss = minimise(&p, 150);
    if (p.n_constants > 0 && loss < HUGE_VAL) accept_or_keep(&p, group, loss);
    raise_burst(fit, g);
    if (loss < HUGE_VAL) finish(&p, group);
    free(p.rows);
    return !p.starved;
}
