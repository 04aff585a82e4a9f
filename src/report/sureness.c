/* This file says how sure an answer is. */
#include "report/sureness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_text.h"
#include "report/summary.h"
#include "spec/alike.h"

struct orr_nearest orr_answer_nearest(const struct orr_answer *answer)
{
    return answer->job->kind == ORR_JOB_TRAIN ? orr_train_nearest(answer->job, &answer->train)
                                              : orr_infer_nearest(answer->job, &answer->infer);
}

static struct orr_nearest service_nearest(const struct orr_job *job, const struct orr_serving_result *result)
{
    struct orr_exposure exposure = {0};
    memcpy(exposure.bound_frac, result->bound_frac, sizeof exposure.bound_frac);
    return orr_nearest_of(job, orr_serving_regime(job), &exposure);
}

/* A fitted engine shares what it leaves of its runs with jobs like them; a percent is worth a line. */
static void add_alike(const struct orr_job *job, const struct orr_style *style, struct orr_text *text)
{
    struct orr_text line = {0};
    const double percent = 100 * (exp(orr_job_shift(job)) - 1);
    if (fabs(percent) < 0.5) return;
    orr_text_add(&line, "runs of this engine like this one take %.0f %% %s than its numbers say: counted",
                 fabs(percent), percent > 0 ? "longer" : "less");
    orr_text_wrap_line(text, style, "alike", ORR_SUMMARY_LABEL, &line, " ");
    free(line.data);
}

int orr_alike_json(json_t *json, const struct orr_job *job)
{
    if (job->engine.n_alike == 0) return 0;
    return json_object_set_new(
        json, "alike",
        json_pack("{s:f, s:f}", "time_factor", exp(orr_job_shift(job)), "likeness_frac", orr_job_alikeness(job)));
}

static void add_lines(enum orr_doubt from, const struct orr_nearest *nearest, const struct orr_style *style,
                      struct orr_text *text)
{
    struct orr_text line = {0};
    orr_text_add(&line, "%s: %s", orr_doubt_text(from), orr_doubt_remedy(from));
    orr_text_wrap_line(text, style, "width", ORR_SUMMARY_LABEL, &line, " ");
    if (nearest->known) {
        orr_text_add(&line, "%s%.2f away · %s · %.0f × %s · %s · %+.0f %% off",
                     nearest->outside ? "outside what was measured: " : "", nearest->distance, nearest->run.model,
                     nearest->run.gpus, nearest->run.system, nearest->run.source, 100 * nearest->run.error_frac);
        orr_text_wrap_line(text, style, "nearest", ORR_SUMMARY_LABEL, &line, " ");
    }
    free(line.data);
}

void orr_sureness(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const bool train = answer->job->kind == ORR_JOB_TRAIN;
    const struct orr_nearest nearest = orr_answer_nearest(answer);
    add_lines(train ? answer->train.interval_from : answer->infer.interval_from, &nearest, style, text);
    add_alike(answer->job, style, text);
}

void orr_service_sureness(const struct orr_job *job, const struct orr_serving_result *result,
                          const struct orr_style *style, struct orr_text *text)
{
    const struct orr_nearest nearest = service_nearest(job, result);
    add_lines(result->interval_from, &nearest, style, text);
    add_alike(job, style, text);
}

static json_t *run_json(const struct orr_nearest *nearest)
{
    const struct orr_measured_run *run = &nearest->run;
    if (!nearest->known) return json_null();
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:f}", "source", run->source, "id", run->id,
                     "engine", run->engine, "system", run->system, "model", run->model, "plan", run->plan, "gpus",
                     run->gpus, "distance", nearest->distance, "outside", nearest->outside, "error_frac",
                     run->error_frac);
}

json_t *orr_nearest_json(const struct orr_answer *answer)
{
    const struct orr_nearest nearest = orr_answer_nearest(answer);
    return run_json(&nearest);
}

static json_t *quantiles_json(const struct orr_serving_result *result)
{
    json_t *json = json_object();
    int failed = !json;
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        const struct orr_timing *t = &result->timing[i];
        json_t *one = json_pack("{so so so}", "p10", orr_json_real(t->mean * t->low_frac), "p50",
                                orr_json_real(t->mean * t->mid_frac), "p90", orr_json_real(t->mean * t->high_frac));
        failed |= json_object_set_new(json, orr_timing_name((enum orr_timing_kind)i), one);
    }
    return orr_json_whole(json, failed);
}

int orr_service_sureness_json(json_t *json, const struct orr_job *job, const struct orr_serving_result *result)
{
    const struct orr_nearest nearest = service_nearest(job, result);
    const char *class = result->interval_class ? result->interval_class : "";
    int failed = json_object_set_new(json, "quantiles_s", quantiles_json(result));
    failed |= json_object_set_new(json, "interval_from", json_string(orr_doubt_text(result->interval_from)));
    failed |= json_object_set_new(json, "interval_narrowed_by", json_string(orr_doubt_remedy(result->interval_from)));
    failed |= json_object_set_new(json, "first_token_from", json_string(orr_doubt_text(result->first_from)));
    failed |= json_object_set_new(json, "first_token_narrowed_by", json_string(orr_doubt_remedy(result->first_from)));
    failed |= json_object_set_new(json, "engine_measured", json_boolean(result->engine_measured));
    failed |= json_object_set_new(json, "interval_class", json_string(class));
    failed |= json_object_set_new(json, "at_knee", json_boolean(result->at_knee));
    failed |= orr_alike_json(json, job);
    return failed | json_object_set_new(json, "nearest", run_json(&nearest));
}
