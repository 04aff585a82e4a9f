/* Jobs that are alike err alike. What the numbers of a fitted engine leave of its runs is shared with jobs like them
 * (docs/fit.md, Eqs. 345-347). A job is compared by what it asks for, not by its prediction, so that a search can ask
 * for every plan. */
#ifndef ORR_SPEC_ALIKE_H
#define ORR_SPEC_ALIKE_H

#include "orrery.h"

/* What a job and a run that an engine was fitted to are compared by. */
struct orr_traits orr_traits_of(const struct orr_job *job);
struct orr_traits orr_traits_of_run(const struct orr_fit_run *run);
/* How alike two jobs are: 1 for equal ones, 0 for those of another kind. Eq. 345. */
double orr_alikeness(const struct orr_traits *a, const struct orr_traits *b);

/* Of n runs so many are compared with, and the run that takes place `k` of them: they are at equal steps. */
size_t orr_alike_kept(size_t n);
size_t orr_alike_place(size_t k, size_t n);
/* How hard each run pulls, given what the fit leaves of it (logarithm of measured over predicted time) and the weight
 * of its error. `n` is at most ORR_MAX_ALIKE. Eq. 346. */
void orr_alike_pull(const struct orr_traits *runs, size_t n, const double *left, const double *weight, double *pull);
/* The logarithm of the factor by which a job takes longer than the fit says. Eq. 347. */
double orr_alike_shift(const struct orr_traits *runs, const double *pull, size_t n, const struct orr_traits *job);
/* The parent as it is has nothing fitted to a run: a single run does not say whether others share what is left. */
double orr_alike_trust(size_t n, bool fitted);

/* The same for a job whose engine has runs; 0: it has none. */
double orr_job_shift(const struct orr_job *job);
/* How alike the job and the most alike run of its engine are. */
double orr_job_alikeness(const struct orr_job *job);
/* Stretches every time of the job by the factor, once. */
void orr_job_share(struct orr_job *job);

#endif
