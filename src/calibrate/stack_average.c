/* The average over engines: the parent as it is, the parent fitted, and other engines. Eqs. 177, 178. */
#include "calibrate/stack.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Other engines are fitted only if a level alone brings them so near to the best, in units of ln Z. */
#define NEAR 5.0
/* ... on the lines through them as they are; from this weight on, lines are drawn anew. */
#define COUNTS 0.01
/* Who names a parent knows the stack: another engine takes its place only with more weight than all others together. */
#define MAJORITY 0.5
/* A file without any fitted number gives up what the runs say about them, so that the parent as it is needs more. */
#define AS_IT_IS 0.60
/* Members below this weight change nothing that is printed. */
#define NEGLIGIBLE 1e-3
/* Quantiles are looked for so many spreads from the members, by so many halvings. */
#define FAR        20.0
#define BISECTIONS 40

/* Evidence counts with this power: every member leaves something out, and runs of one stack err together, so that they
 * say less about which member is right than as many runs of a member that is. Chosen with the few-shot table in view
 * (docs/fit.md). */
#define POWER 0.5

/* Eq. 177: weights from the evidence and the weights before. */
static void weigh(struct orr_stack_mixture *m, const double *before)
{
    double most = -HUGE_VAL, sum = 0;
    for (size_t i = 0; i < m->n; i++) most = orr_max(most, POWER * m->members[i].fit.evidence + log(before[i]));
    for (size_t i = 0; i < m->n; i++) sum += exp(POWER * m->members[i].fit.evidence + log(before[i]) - most);
    for (size_t i = 0; i < m->n; i++)
        m->members[i].weight = exp(POWER * m->members[i].fit.evidence + log(before[i]) - most) / sum;
}

/* Can every chosen run be predicted with these runs? */
static bool serves(const struct orr_stack_runs *runs, const struct orr_stack_choice *chosen)
{
    for (size_t i = 0; i < chosen->n; i++)
        if (!orr_stack_usable(runs, chosen->at[i])) return false;
    return true;
}

/* Fit an engine of which only the level was fitted, or that was fitted with fewer passes. */
static bool look_closely(struct orr_stack_worker *worker, struct orr_stack_runs *runs,
                         const struct orr_stack_choice *chosen, int passes, struct orr_stack_member *member)
{
    struct orr_stack_fit fit;
    if (!runs->drawn && !orr_stack_linearise(runs, NULL, &worker->n_predictions)) return false;
    if (!orr_stack_solve(worker, runs, chosen, passes, NULL, &fit)) return false;
    member->fit = fit;
    return true;
}

/* What every member that counts leaves of the runs. Returns false if out of memory. */
static bool share(struct orr_stack_worker *worker, const struct orr_stack_choice *chosen, struct orr_stack_mixture *m)
{
    double *left = malloc((chosen->n + 1) * sizeof *left);
    for (size_t k = 0; left && k < m->n; k++) {
        struct orr_stack_member *member = &m->members[k];
        if (member->weight < NEGLIGIBLE) continue;
        for (size_t i = 0; i < chosen->n; i++)
            left[i] = -orr_stack_predict(worker, member->runs, chosen->at[i], &member->fit).mean;
        orr_stack_share(member->runs, chosen, left, member->fit.ordinary, member->fit.fitted, &member->shared);
    }
    free(left);
    return left;
}

bool orr_stack_average(struct orr_stack_worker *worker, struct orr_stack_runs *const *engines, const char *const *names,
                       size_t n, const struct orr_stack_choice *chosen, int passes, struct orr_stack_mixture *m)
{
    const struct orr_stack_population *prior = &engines[0]->prior;
    double before[ORR_STACK_MEMBERS] = {prior->as_it_is, prior->fitted};
    size_t place[ORR_STACK_MEMBERS] = {0}; /* of a member in `engines` */
    m->n = 2;
    m->members[0] = (struct orr_stack_member){.engine = names[0], .runs = engines[0]};
    m->members[1] = m->members[0];
    orr_stack_as_it_is(engines[0], chosen, &m->members[0].fit);
    if (!orr_stack_solve(worker, engines[0], chosen, passes, NULL, &m->members[1].fit)) return false;
    double best = orr_max(m->members[0].fit.evidence, m->members[1].fit.evidence);
    for (size_t i = 1; i < n && m->n < ORR_STACK_MEMBERS; i++) {
        if (!serves(engines[i], chosen)) continue;
        struct orr_stack_member *member = &m->members[m->n];
        *member = (struct orr_stack_member){.engine = names[i], .runs = engines[i]};
        place[m->n] = i;
        orr_stack_level_only(engines[i], chosen, &member->fit);
        before[m->n++] = prior->others / (double)(n - 1);
        best = orr_max(best, member->fit.evidence);
    }
    for (size_t i = 2; i < m->n; i++)
        if (m->members[i].fit.evidence >= best - NEAR &&
            !look_closely(worker, engines[place[i]], chosen, 1, &m->members[i]))
            return false;
    weigh(m, before);
    for (size_t i = 2; i < m->n && passes > 1; i++)
        if (m->members[i].weight > COUNTS && !look_closely(worker, engines[place[i]], chosen, passes, &m->members[i]))
            return false;
    weigh(m, before);
    return share(worker, chosen, m);
}

/* The share of a Student t with 4 degrees of freedom below t. */
static double below(double t)
{
    const double square = t * t / (1 + t * t / 4);
    return 0.5 + 0.375 * t / sqrt(1 + t * t / 4) * (1 - square / 12);
}

/* What the members say about one run. */
struct voices {
    size_t n;
    double weight[ORR_STACK_MEMBERS], mean[ORR_STACK_MEMBERS], spread[ORR_STACK_MEMBERS];
};

/* Eq. 239: the point below which this share of the mixture lies, by bisection. */
static double quantile(const struct voices *v, double share)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t k = 0; k < v->n; k++) {
        low = orr_min(low, v->mean[k] - FAR * v->spread[k]);
        high = orr_max(high, v->mean[k] + FAR * v->spread[k]);
    }
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        double sum = 0;
        for (size_t k = 0; k < v->n; k++) sum += v->weight[k] * below((middle - v->mean[k]) / v->spread[k]);
        if (sum < share) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

struct orr_stack_guess orr_stack_mixture_predict(struct orr_stack_worker *worker,
                                                 const struct orr_stack_mixture *mixture, size_t i)
{
    struct voices v = {0};
    double sum = 0, mean = 0, square = 0;
    for (size_t k = 0; k < mixture->n; k++) {
        const struct orr_stack_member *m = &mixture->members[k];
        if (m->weight < NEGLIGIBLE || !orr_stack_usable(m->runs, i)) continue;
        const struct orr_stack_guess one = orr_stack_predict(worker, m->runs, i, &m->fit);
        const double variance = one.variance + m->fit.within * m->fit.within;
        v.weight[v.n] = m->weight;
        const double shifted = one.mean + orr_stack_shift(&m->shared, &m->runs->runs[i]);
        v.mean[v.n] = shifted;
        v.spread[v.n++] = sqrt(variance);
        sum += m->weight;
        mean += m->weight * shifted;
        square += m->weight * (variance + shifted * shifted);
    }
    mean /= sum;
    for (size_t k = 0; k < v.n; k++) v.weight[k] /= sum;
    return (struct orr_stack_guess){.mean = quantile(&v, 0.5),
                                    .variance = square / sum - mean * mean, /* Eq. 178 */
                                    .low = quantile(&v, 0.1),
                                    .high = quantile(&v, 0.9)};
}

void orr_stack_keep_apart(struct orr_stack_mixture *mixture)
{
    for (size_t i = 0; i < mixture->n; i++) mixture->members[i].shared.n = 0;
}

const struct orr_stack_member *orr_stack_best(const struct orr_stack_mixture *mixture)
{
    /* Every fit says that the stack is not the parent as it is, whatever engine it began with. */
    const struct orr_stack_member *best = &mixture->members[mixture->members[0].weight >= AS_IT_IS ? 0 : 1];
    for (size_t i = 2; i < mixture->n; i++)
        if (mixture->members[i].weight > MAJORITY) best = &mixture->members[i];
    return best;
}
