/* A plan that somebody ran, predicted for the question at hand, beside the winner of a search: the layout of a measured
 * run of the same model or, where there is none, of one that is alike, nearest in size. */
#include "report/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/nearest.h"
#include "search/infer_plan.h"
#include "search/search.h"
#include "spec/job.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- which run */

/* The name of a model without the name of who publishes it: "meta-llama/Llama-3.1-70B" is "Llama-3.1-70B". */
static const char *bare_name(const char *model)
{
    const char *slash = strrchr(model, '/');
    return slash ? slash + 1 : model;
}

/* The small letter of an ASCII letter, whatever the locale of the caller; 0: none. */
static char letter_of(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c >= 'a' && c <= 'z' ? c : '\0';
}

/* Do the names begin with the same letters, such as "llama"? */
static bool same_family(const char *a, const char *b)
{
    for (a = bare_name(a), b = bare_name(b); letter_of(*a); a++, b++)
        if (letter_of(*a) != letter_of(*b)) return false;
    return !letter_of(*b);
}

/* Are two chips of one kind: do their names agree up to the word that has a digit, "h100" or "tpu-v5p"? */
static bool same_chip(const char *chip, const char *other)
{
    bool digit = false;
    for (;; chip++, other++) {
        const bool ends = *chip == '-' || *chip == '\0';
        if (ends && digit) return *other == '-' || *other == '\0';
        if (*chip != *other || *chip == '\0') return false;
        digit |= *chip >= '0' && *chip <= '9';
    }
}

/* A model of this many times the parameters, more or fewer, still has plans to learn from. */
#define ALIKE_TIMES 1.5
/* Models of one architecture have the same parameters; their configurations differ in what does not change a shape. */
#define SAME_TIMES 1.002

/* How much a run has in common with a job. */
enum likeness { UNLIKE, LIKE_FAMILY, LIKE_SHAPE, LIKE_MODEL };

static enum likeness likeness_of(const struct orr_job *job, const struct orr_measured_run *run)
{
    const double params = (double)orr_model_params_active(&job->model);
    const double times = exp(fabs(log(run->params / params)));
    const char *name = job->model.published[0] ? job->model.published : job->model.id;
    if (orr_regime_is_training(run->regime) != (job->kind == ORR_JOB_TRAIN)) return UNLIKE;
    if (orr_compare_nocase(run->model, job->model.id) == 0) return LIKE_MODEL;
    if (orr_compare_nocase(run->model, name) == 0) return LIKE_MODEL;
    if (!same_family(run->model, job->model.id)) return UNLIKE;
    if (times < SAME_TIMES) return LIKE_SHAPE;
    return times < ALIKE_TIMES && same_chip(job->system.chip.id, run->chip) ? LIKE_FAMILY : UNLIKE;
}

/* The order in which runs are tried: likeness, then the chip, the engine and the number of GPUs. Another model of the
 * same shapes is as good as the model itself, so that it only breaks a tie. Lower is better. */
static double rank_of(const struct orr_job *job, int64_t gpus, const struct orr_measured_run *run)
{
    static const double FAR[] = {[UNLIKE] = HUGE_VAL, [LIKE_FAMILY] = 200, [LIKE_SHAPE] = 0.1, [LIKE_MODEL] = 0};
    return FAR[likeness_of(job, run)] + (same_chip(job->system.chip.id, run->chip) ? 0 : 50) +
           (strcmp(job->engine.id, run->engine) == 0 ? 0 : 20) + fabs(log2(run->gpus / (double)gpus));
}

/* ---------------------------------------------------------------- its layout, filled in */

/* The layout of a run on the GPUs of the winner; the degree of data parallelism follows. False if it does not fit. */
static bool layout_of(const struct orr_measured_run *run, const struct orr_found *winner, struct orr_choice *plan)
{
    int tp, pp, dp, ep;
    *plan = winner->choice;
    if (sscanf(run->plan, "tp %d pp %d dp %d ep %d", &tp, &pp, &dp, &ep) != 4) return false;
    const int cp = (int)run->gpus / (tp * pp * dp);
    if (cp < 1 || cp * tp * pp * dp != (int)run->gpus || plan->gpus % (tp * pp * cp) != 0) return false;
    plan->tp = tp;
    plan->pp = pp;
    plan->cp = cp;
    plan->dp = plan->gpus / (tp * pp * cp);
    plan->ep = ep;
    if (ep > 1) plan->etp = 1;
    return true;
}

/* What the record of a training run does not say. */
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

/* Does the request leave a value of a list open, or name it? */
static bool is_asked(const struct orr_choices *asked, int64_t value)
{
    for (int64_t i = 0; i < asked->n; i++)
        if (asked->values[i] == value) return true;
    return asked->n == 0;
}

/* Predicts the layout with every way to fill in the rest, and keeps the fastest that fits. Returns its time over the
 * winner's; 0 if none fits. */
static double fill_train(struct orr_search_view *view, struct orr_choice *plan)
{
    struct orr_choice trial = *plan;
    const struct orr_space *space = &view->request->space;
    struct rest rest;
    double best_s = HUGE_VAL;
    trial.sp = plan->tp > 1;
    trial.recompute_every = 1;
    trial.cp_kind = ORR_CP_RING;
    for (int64_t i = 0; rest_of(view, plan, i, &rest); i++) {
        if (!is_asked(&space->micro_batch, rest.micro_batch) || !is_asked(&space->recompute, rest.recompute)) continue;
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
    return best_s < HUGE_VAL ? best_s / view->best[0].time_s : 0;
}

/* The same for serving, where the batch is what a layout leaves open: the best by the objective that keeps the
 * limits. */
static double fill_infer(struct orr_search_view *view, struct orr_choice *plan)
{
    const struct orr_search_request *request = view->request;
    struct orr_choice trial = *plan;
    struct orr_found found;
    double best = HUGE_VAL;
    const int64_t n = request->space.batch.n;
    trial.etp = (int32_t)orr_usual_etp(orr_most_experts(&request->job.model), trial.tp, trial.ep);
    trial.disaggregated = 0;
    trial.decode_gpus = trial.decode_tp = trial.decode_pp = trial.decode_ep = trial.decode_batch = 0;
    for (int i = 0; i < (n > 0 ? n : 14); i++) {
        trial.batch = n > 0 ? (int32_t)request->space.batch.values[i] : 1 << i;
        orr_search_job(view->search, &trial, &view->job);
        if (orr_job_check(&view->job, NULL)) continue;
        orr_infer_predict(view->search, &trial, &view->result_job, view->scratch, &view->answer.infer);
        orr_infer_found(request, &view->answer.infer, &trial, &found);
        if (!view->answer.infer.fits || found.objective >= best) continue;
        if (!orr_limits_hold(request, &view->result_job, NULL, &view->answer.infer)) continue;
        best = found.objective;
        *plan = trial;
    }
    return best < HUGE_VAL ? orr_ratio(best, view->best[0].objective) : 0;
}

/* ---------------------------------------------------------------- the plan */

/* The best ranked run after one of rank `after`; NULL if there is none. */
static const struct orr_measured_run *next_run(const struct orr_job *job, int64_t gpus, double *after)
{
    size_t n;
    const struct orr_measured_run *runs = orr_measured_runs(&n), *next = NULL;
    double least = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        const double rank = rank_of(job, gpus, &runs[i]) + 1e-9 * (double)i; /* equal runs in their order */
        if (rank <= *after || rank >= least) continue;
        least = rank;
        next = &runs[i];
    }
    *after = least;
    return next;
}

const struct orr_measured_run *orr_search_published(struct orr_search_view *view, struct orr_choice *plan)
{
    const struct orr_job *asked = &view->request->job;
    const struct orr_measured_run *run;
    double rank = -1;
    if (view->n_best == 0) return NULL;
    while ((run = next_run(asked, view->best[0].choice.gpus, &rank))) {
        if (!layout_of(run, &view->best[0], plan)) continue;
        view->published_ratio = asked->kind == ORR_JOB_TRAIN ? fill_train(view, plan) : fill_infer(view, plan);
        if (view->published_ratio > 0) return run;
    }
    return NULL;
}

void orr_search_run_text(const struct orr_search_view *view, struct orr_text *text)
{
    const struct orr_job *job = &view->request->job;
    const struct orr_measured_run *run = view->measured;
    orr_text_add(text, "%s", run->source);
    if (likeness_of(job, run) != LIKE_MODEL) orr_text_add(text, ", which ran %s", run->model);
    else orr_text_add(text, ", run");
    orr_text_add(text, " on %.0f × %s", run->gpus, run->system);
}
