/* A plan that somebody ran: the layout of the measured run of the same model that is nearest in size, predicted for the
 * question at hand, beside the winner of a search. */
#include "report/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/nearest.h"
#include "search/search.h"

/* The measured run of this model and kind of job whose number of GPUs is nearest; NULL if there is none. */
static const struct orr_measured_run *run_of(const struct orr_job *job, int64_t gpus)
{
    size_t n;
    const struct orr_measured_run *runs = orr_measured_runs(&n), *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!orr_regime_is_training(runs[i].regime) || strcmp(runs[i].model, job->model.id) != 0) continue;
        if (!nearest || fabs(log(runs[i].gpus / (double)gpus)) < fabs(log(nearest->gpus / (double)gpus)))
            nearest = &runs[i];
    }
    return nearest;
}

/* What the record of a run does not say. */
struct rest {
    int32_t vpp, micro_batch;
    uint8_t recompute, zero;
};

/* The i-th way to fill in the rest; false after the last. */
static bool rest_of(const struct orr_search_view *view, const struct orr_choice *plan, int64_t i, struct rest *rest)
{
    static const uint8_t RECOMPUTES[] = {ORR_RECOMPUTE_NONE, ORR_RECOMPUTE_SELECTIVE, ORR_RECOMPUTE_FULL};
    static const uint8_t ZEROS[] = {1, 3};
    enum { N_RECOMPUTES = 3, N_MICRO = 4, N_ZEROS = 2 };
    *rest = (struct rest){.recompute = RECOMPUTES[i % N_RECOMPUTES],
                          .micro_batch = 1 << i / N_RECOMPUTES % N_MICRO,
                          .zero = ZEROS[i / (N_RECOMPUTES * N_MICRO) % N_ZEROS],
                          .vpp = (int32_t)(1 + i / (N_RECOMPUTES * N_MICRO * N_ZEROS))};
    return rest->vpp <= (plan->pp > 1 ? view->request->job.model.n_layers / plan->pp : 1);
}

/* Predicts the layout with every way to fill in the rest, and keeps the fastest that fits; false if none does. */
static bool fill_in(struct orr_search_view *view, struct orr_choice *plan)
{
    struct orr_choice trial = *plan;
    struct rest rest;
    double best_s = HUGE_VAL;
    for (int64_t i = 0; rest_of(view, plan, i, &rest); i++) {
        trial.vpp = rest.vpp;
        trial.schedule = rest.vpp > 1 ? ORR_SCHEDULE_INTERLEAVED : ORR_SCHEDULE_1F1B;
        trial.micro_batch = rest.micro_batch;
        trial.recompute = rest.recompute;
        trial.zero = rest.zero;
        orr_search_job(view->search, &trial, &view->job);
        if (orr_job_check(&view->job, NULL)) continue;
        orr_train(&view->job, view->scratch, &view->answer.train);
        if (!view->answer.train.fits || view->answer.train.step_time_s >= best_s) continue;
        best_s = view->answer.train.step_time_s;
        *plan = trial;
    }
    return best_s < HUGE_VAL;
}

const struct orr_measured_run *orr_search_published(struct orr_search_view *view, struct orr_choice *plan)
{
    const struct orr_job *asked = &view->request->job;
    int tp, pp, dp, ep; /* The degree of data parallelism follows from the number of GPUs asked for. */
    *plan = view->best[0].choice;
    const struct orr_measured_run *run =
        asked->kind == ORR_JOB_TRAIN && view->n_best > 0 ? run_of(asked, plan->gpus) : NULL;
    if (!run || sscanf(run->plan, "tp %d pp %d dp %d ep %d", &tp, &pp, &dp, &ep) != 4) return NULL;
    if (plan->gpus % (tp * pp) != 0) return NULL;
    plan->tp = tp;
    plan->pp = pp;
    plan->cp = 1;
    plan->dp = plan->gpus / (tp * pp);
    plan->ep = ep;
    if (ep > 1) plan->etp = 1;
    plan->sp = tp > 1;
    plan->zero = 1;
    plan->recompute_every = 1;
    plan->cp_kind = ORR_CP_RING;
    return fill_in(view, plan) ? run : NULL;
}
