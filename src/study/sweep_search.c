/* A point of a sweep that is a search: its best plan, predicted in full. */
#include "search/search.h"
#include "study/sweep.h"

#include <stdio.h>

static void no_plan(const struct orr_search *search, struct orr_point *point)
{
    const struct orr_search_counts counts = orr_search_counts_of(search);
    const unsigned long long plans = counts.plans, memory = counts.rejected[ORR_REJECT_MEMORY],
                             limits = counts.rejected[ORR_REJECT_LIMIT];
    point->status = plans > 0 ? ORR_POINT_NO_FIT : ORR_POINT_INVALID;
    if (plans == 0) (void)snprintf(point->reason, sizeof point->reason, "no valid plan");
    else
        (void)snprintf(point->reason, sizeof point->reason, "none of %llu plans: %llu do not fit, %llu break a limit",
                       plans, memory, limits);
}

static void predict_best(const struct orr_search *search, struct orr_sweep_worker *worker)
{
    const struct orr_found *best;
    struct orr_point *point = &worker->outcome;
    point->reason[0] = '\0';
    point->choice = (struct orr_choice){0};
    worker->job = worker->request->job;
    if (orr_search_best(search, &best) == 0) {
        no_plan(search, point);
        return;
    }
    point->status = ORR_POINT_OK;
    point->choice = best->choice;
    orr_search_job(search, &best->choice, &worker->job);
    if (worker->job.kind == ORR_JOB_TRAIN) orr_train(&worker->job, worker->scratch, &point->answer.train);
    else orr_infer_predict(search, &best->choice, &worker->job, worker->scratch, &point->answer.infer);
}

enum orr_err orr_sweep_search(struct orr_sweep_worker *worker, struct orr_error *error)
{
    struct orr_search *search;
    worker->request->top = 1;
    enum orr_err err = orr_search_new(worker->request, &search, error);
    if (err) return err;
    err = orr_search_run(search, 1, NULL, NULL, error);
    if (!err) predict_best(search, worker);
    orr_search_free(search);
    return err;
}
