/* From timings to the lines of a fabric: for every collective, each form that its bandwidth protocol can take is fitted
 * by a search along the coordinates, and the form with the least loss is kept. The search uses no random numbers and no
 * clock, so the same rows give the same lines. */
#include "calibrate/fabric.h"

#include <stdlib.h>
#include <string.h>

/* The loss of a row: squared below the first error, linear up to the second, then ten times flatter, all of the
 * logarithm. */
#define ERROR_SQUARED 0.03
#define ERROR_MOST    0.5
/* Messages below ORR_LARGE_COLLECTIVE_BYTES count less: no plan sends many of them between domains. */
#define SMALL_WEIGHT 0.3
/* A later form must lower the loss by this much to be preferred. Trees must lower it by more: on two domains a tree
 * sends half of what a ring sends, so one looks like the other at twice the rate, but on many domains they part. */
#define WORTH_LOSS 0.001
#define TREE_LOSS  0.01
#define IDLE_LOSS  0.0005
/* With fewer rows than this a collective shows only the rate of its bandwidth protocol. */
#define FEW_ROWS   8
#define FIRST_STEP 0.5
#define ROUGH_STEP 0.05
#define LAST_STEP  0.004
#define DIGITS     3
#define KNOBS_MAX  16

enum form { RING_SUM, RING_STEPS, TREE_BESIDE, TREE_AFTER, DIRECT_SUM, N_FORMS };

/* A number that the search moves; it scales the `n` numbers from there on, the efficiencies of more domains. */
struct knob {
    double *at;
    int64_t n;
    double low, high;
};

struct problem {
    struct orr_fabric_fit *fit;
    enum orr_collective collective;
    struct orr_fabric_row *rows; /* runs of the same message are one row */
    double *weights;
    size_t n_rows;
    bool plain;
    double nic_frac;          /* share of the NIC that the all-to-all reaches; 0: not known */
    struct orr_fabric fabric; /* only the lines of the collective */
    int n_knobs;
    struct knob knobs[KNOBS_MAX];
};

/* ---------------------------------------------------------------- loss */

static double row_loss(double predicted_s, double measured_s)
{
    const double error = fabs(log(predicted_s / measured_s)), most = orr_min(error, ERROR_MOST);
    return most < ERROR_SQUARED ? most * most / (2 * ERROR_SQUARED) : most - ERROR_SQUARED / 2 + 0.1 * (error - most);
}

/* More domains never have a better rate: a fit that says so describes noise. */
static bool rises(const struct orr_fabric_line *line)
{
    for (int64_t i = 1; i < line->n_points; i++)
        if (line->efficiency_frac[i] > line->efficiency_frac[i - 1]) return true;
    return false;
}

/* The bandwidth protocol, which comes first, must be the one that the largest message uses. */
static bool is_in_order(struct problem *p)
{
    const struct orr_fabric_row *largest = &p->rows[0];
    for (size_t i = 1; i < p->n_rows; i++)
        if (p->rows[i].bytes > largest->bytes) largest = &p->rows[i];
    struct orr_fabric first = p->fabric;
    first.n_lines = 1;
    const double all_s = orr_fabric_price(p->fit, largest);
    orr_fabric_install(p->fit, &first);
    const double first_s = orr_fabric_price(p->fit, largest);
    orr_fabric_install(p->fit, &p->fabric);
    return first_s <= all_s;
}

static double loss_of(struct problem *p)
{
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < p->fabric.n_lines; i++)
        if (rises(&p->fabric.lines[i])) return HUGE_VAL;
    orr_fabric_install(p->fit, &p->fabric);
    if (!is_in_order(p)) return HUGE_VAL;
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct orr_fabric_row *row = &p->rows[i];
        sum += p->weights[i] * row_loss(orr_fabric_price(p->fit, row), row->measured_s);
        weights += p->weights[i];
    }
    return sum / weights;
}

/* ---------------------------------------------------------------- search */

static bool try_factor(struct problem *p, const struct knob *knob, double factor, double *best)
{
    double old[ORR_FABRIC_POINTS];
    for (int64_t i = 0; i < knob->n; i++) {
        old[i] = knob->at[i];
        knob->at[i] = orr_max(knob->low, orr_min(knob->high, old[i] * factor));
    }
    const double loss = loss_of(p);
    if (loss < *best) {
        *best = loss;
        return true;
    }
    for (int64_t i = 0; i < knob->n; i++) knob->at[i] = old[i];
    return false;
}

/* Moves one number at a time up and down by a factor, and halves the step when nothing helps. */
static double minimise(struct problem *p, double last_step)
{
    double best = loss_of(p);
    for (double step = FIRST_STEP; step > last_step;) {
        bool better = false;
        for (int i = 0; i < p->n_knobs; i++) {
            if (try_factor(p, &p->knobs[i], 1 + step, &best) || try_factor(p, &p->knobs[i], 1 / (1 + step), &best))
                better = true;
        }
        if (!better) step /= 2;
    }
    return best;
}

/* ---------------------------------------------------------------- forms */

static void add_knob(struct problem *p, double *at, int64_t n, double low, double high)
{
    if (p->n_knobs < KNOBS_MAX) p->knobs[p->n_knobs++] = (struct knob){at, n, low, high};
}

/* Adds a line with its numbers free, at most one efficiency for every number of domains in the rows. */
static struct orr_fabric_line *add_line(struct problem *p, enum orr_algorithm algorithm, bool low_latency, double hop_s,
                                        double efficiency)
{
    struct orr_fabric_line *line = &p->fabric.lines[p->fabric.n_lines++];
    *line = (struct orr_fabric_line){.collective = p->collective,
                                     .algorithm = algorithm,
                                     .low_latency = low_latency,
                                     .hop_s = hop_s,
                                     .n_points = 1,
                                     .domains = {2},
                                     .efficiency_frac = {efficiency}};
    if (p->n_rows >= FEW_ROWS) add_knob(p, &line->hop_s, 1, 1e-8, 1e-3);
    return line;
}

/* Gives the line one efficiency for each number of domains that rows have, smallest first. */
static void add_points(const struct problem *p, struct orr_fabric_line *line)
{
    double last = 0;
    for (line->n_points = 0; line->n_points < ORR_FABRIC_POINTS; line->n_points++) {
        double next = HUGE_VAL;
        for (size_t i = 0; i < p->n_rows; i++) {
            const double domains = (double)p->rows[i].domains;
            if (domains > last && domains < next) next = domains;
        }
        if (!(next < HUGE_VAL)) break;
        line->domains[line->n_points] = last = next;
        line->efficiency_frac[line->n_points] = line->efficiency_frac[0];
        if (p->plain) {
            line->n_points = 1;
            break;
        }
    }
}

static void free_efficiencies(struct problem *p, struct orr_fabric_line *line)
{
    for (int64_t i = 0; i < line->n_points; i++) add_knob(p, &line->efficiency_frac[i], line->n_points - i, 0.001, 1);
}

/* The lines of a form at usual values. The times per hop of the bandwidth and of the latency protocol and the rate of
 * the latter are where the search starts. */
static void start_form(struct problem *p, enum form form, double hop_s, double quick_hop_s, double quick_frac)
{
    const bool reduce = p->collective == ORR_COLLECTIVE_ALLREDUCE, few = p->n_rows < FEW_ROWS;
    struct orr_fabric_line *line;
    p->n_knobs = 0;
    p->fabric = (struct orr_fabric){0};
    const enum orr_algorithm algorithm = form == DIRECT_SUM                          ? ORR_ALGORITHM_DIRECT
                                         : form == TREE_BESIDE || form == TREE_AFTER ? ORR_ALGORITHM_TREE
                                                                                     : ORR_ALGORITHM_RING;
    line = add_line(p, algorithm, false, hop_s, 0.8);
    line->pipelined = form == RING_STEPS;
    line->after_local = form == TREE_AFTER;
    add_points(p, line);
    free_efficiencies(p, line);
    if (few || (p->plain && !reduce)) return;
    line = add_line(p, form == DIRECT_SUM ? ORR_ALGORITHM_DIRECT : ORR_ALGORITHM_RING, true, quick_hop_s, quick_frac);
    free_efficiencies(p, line);
    if (form == DIRECT_SUM) {
        line->base_s = 2e-5;
        add_knob(p, &line->base_s, 1, 1e-7, 1e-2);
    }
    if (!reduce) return;
    line = add_line(p, ORR_ALGORITHM_TREE, true, 1e-5, 0.2);
    line->base_s = 1e-5;
    add_knob(p, &line->base_s, 1, 1e-7, 1e-2);
    free_efficiencies(p, line);
}

static double rounded(double value)
{
    if (!(value > 0)) return 0;
    const double unit = pow(10, DIGITS - 1 - floor(log10(value)));
    return round(value * unit) / unit;
}

/* Fits a form roughly from several starts, then exactly from the best, and returns its loss; p->fabric holds the
 * lines. */
static double fit_form(struct problem *p, enum form form)
{
    static const double HOPS[] = {4e-5, 4e-6, 1.2e-5, 1.5e-4}, QUICK_HOPS[] = {5e-6, 1.5e-6, 1e-5};
    static const double QUICK_FRACS[] = {0.3, 0.05, 0.6};
    const int n_starts = p->n_rows < FEW_ROWS ? 1 : 4 * 3 * 3;
    double least = HUGE_VAL;
    int start = 0;
    for (int i = 0; i < n_starts && n_starts > 1; i++) {
        start_form(p, form, HOPS[i % 4], QUICK_HOPS[i / 4 % 3], QUICK_FRACS[i / 12]);
        const double loss = minimise(p, ROUGH_STEP);
        if (loss >= least) continue;
        least = loss;
        start = i;
    }
    start_form(p, form, HOPS[start % 4], QUICK_HOPS[start / 4 % 3], QUICK_FRACS[start / 12]);
    least = minimise(p, LAST_STEP);
    for (int64_t i = 0; i < p->fabric.n_lines; i++) {
        struct orr_fabric_line *line = &p->fabric.lines[i];
        line->base_s = rounded(line->base_s);
        line->hop_s = rounded(line->hop_s);
        for (int64_t j = 0; j < line->n_points; j++) line->efficiency_frac[j] = rounded(line->efficiency_frac[j]);
    }
    return least;
}

/* How much a form loses by its shape. A few large messages fit every form; the NIC is the same for all collectives, so
 * the form counts that finds the share of it that the all-to-all has. */
static double shape_loss(const struct problem *p, enum form form)
{
    if (p->n_rows >= FEW_ROWS || !(p->nic_frac > 0)) return form == TREE_BESIDE || form == TREE_AFTER ? TREE_LOSS : 0;
    return fabs(log(p->fabric.lines[0].efficiency_frac[0] / p->nic_frac));
}

/* Removes lines of the latency protocol that no row needs. */
static void drop_idle_lines(struct problem *p)
{
    const double least = loss_of(p);
    for (int64_t i = p->fabric.n_lines - 1; i > 0; i--) {
        const struct orr_fabric with = p->fabric;
        const int64_t after = p->fabric.n_lines - i - 1;
        memmove(&p->fabric.lines[i], &p->fabric.lines[i + 1], (size_t)after * sizeof *p->fabric.lines);
        p->fabric.n_lines--;
        if (loss_of(p) > least + IDLE_LOSS) p->fabric = with;
    }
}

/* Fits every form that the collective can have and keeps the best. */
static void fit_collective(struct problem *p)
{
    const bool exchange = p->collective == ORR_COLLECTIVE_ALLTOALL, reduce = p->collective == ORR_COLLECTIVE_ALLREDUCE;
    const enum form first = exchange ? DIRECT_SUM : RING_SUM;
    const enum form last = exchange ? DIRECT_SUM : reduce && !p->plain ? TREE_AFTER : RING_STEPS;
    struct orr_fabric best = {0};
    double least = HUGE_VAL;
    for (int form = (int)first; form <= (int)last; form++) {
        const double loss = fit_form(p, (enum form)form) + shape_loss(p, (enum form)form);
        if (loss >= least - WORTH_LOSS) continue;
        least = loss;
        best = p->fabric;
    }
    p->fabric = best;
    drop_idle_lines(p);
}

/* ---------------------------------------------------------------- rows */

static bool alike(const struct orr_fabric_row *a, const struct orr_fabric_row *b, bool plain)
{
    const bool large = a->bytes >= ORR_LARGE_COLLECTIVE_BYTES;
    return a->system == b->system && a->collective == b->collective && (plain || a->ranks == b->ranks) &&
           large == (b->bytes >= ORR_LARGE_COLLECTIVE_BYTES);
}

/* Rows of one system, collective and number of ranks weigh as much as those of another; in a default, rows of one
 * system as much as those of another. */
static double weight_of(const struct problem *p, size_t at)
{
    const struct orr_fabric_row *row = &p->rows[at];
    size_t n = 0;
    for (size_t i = 0; i < p->n_rows; i++) n += alike(row, &p->rows[i], p->plain);
    return (row->bytes >= ORR_LARGE_COLLECTIVE_BYTES ? 1 : SMALL_WEIGHT) / (double)n;
}

static void append(const struct orr_fabric *from, struct orr_fabric *to)
{
    for (int64_t i = 0; i < from->n_lines && to->n_lines < ORR_MAX_FABRIC_LINES; i++)
        to->lines[to->n_lines++] = from->lines[i];
}

static int compare_rows(const void *a, const void *b)
{
    const struct orr_fabric_row *x = a, *y = b;
    if (x->system != y->system) return x->system < y->system ? -1 : 1;
    if (x->ranks != y->ranks) return x->ranks < y->ranks ? -1 : 1;
    if (x->bytes < y->bytes || x->bytes > y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (x->measured_s > y->measured_s) - (x->measured_s < y->measured_s);
}

static bool same_message(const struct orr_fabric_row *x, const struct orr_fabric_row *y)
{
    return x->system == y->system && x->ranks == y->ranks && !(x->bytes < y->bytes || x->bytes > y->bytes);
}

/* Makes one row of all runs of a message, with their median time: a table may hold several settings of the library. */
static void join_runs(struct problem *p)
{
    size_t n = 0;
    qsort(p->rows, p->n_rows, sizeof *p->rows, compare_rows);
    for (size_t first = 0, end; first < p->n_rows; first = end) {
        for (end = first + 1; end < p->n_rows && same_message(&p->rows[first], &p->rows[end]);) end++;
        const double low_s = p->rows[first + (end - first - 1) / 2].measured_s;
        const double high_s = p->rows[first + (end - first) / 2].measured_s;
        p->rows[n] = p->rows[first];
        p->rows[n++].measured_s = sqrt(low_s * high_s);
    }
    p->n_rows = n;
}

/* Takes the rows of a collective that the fit may use. */
static void choose_rows(struct problem *p, const bool *use)
{
    for (size_t i = 0; i < p->fit->n_rows; i++) {
        const struct orr_fabric_row *row = &p->fit->rows[i];
        if ((use && !use[i]) || row->domains < 2 || row->collective != p->collective) continue;
        if (p->plain && row->bytes < ORR_LARGE_COLLECTIVE_BYTES) continue;
        p->rows[p->n_rows++] = *row;
    }
    join_runs(p);
    for (size_t i = 0; i < p->n_rows; i++) p->weights[i] = weight_of(p, i);
}

bool orr_fabric_search(struct orr_fabric_fit *fit, const bool *use, bool plain, struct orr_fabric *fabric)
{
    struct orr_fabric_row *rows = malloc((fit->n_rows + 1) * sizeof *rows);
    double *weights = malloc((fit->n_rows + 1) * sizeof *weights), nic_frac = 0;
    const bool enough = rows && weights;
    fabric->n_lines = 0;
    for (int step = 0; enough && step < ORR_N_COLLECTIVES; step++) {
        const int collective = (step + ORR_COLLECTIVE_ALLTOALL) % ORR_N_COLLECTIVES; /* the all-to-all first */
        struct problem p = {.fit = fit,
                            .collective = (enum orr_collective)collective,
                            .rows = rows,
                            .weights = weights,
                            .plain = plain,
                            .nic_frac = nic_frac};
        choose_rows(&p, use);
        if (p.n_rows == 0) continue;
        fit_collective(&p);
        if (collective == ORR_COLLECTIVE_ALLTOALL) nic_frac = p.fabric.lines[0].efficiency_frac[0];
        append(&p.fabric, fabric);
    }
    orr_fabric_install(fit, NULL);
    free(rows);
    free(weights);
    return enough;
}
