/* This file says how sure an answer is. */
#include "report/sureness.h"

#include <stdlib.h>

#include "report/summary.h"

struct orr_nearest orr_answer_nearest(const struct orr_answer *answer)
{
    return answer->job->kind == ORR_JOB_TRAIN ? orr_train_nearest(answer->job, &answer->train)
                                              : orr_infer_nearest(answer->job, &answer->infer);
}

void orr_sureness(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const bool train = answer->job->kind == ORR_JOB_TRAIN;
    const enum orr_doubt from = train ? answer->train.interval_from : answer->infer.interval_from;
    const struct orr_nearest nearest = orr_answer_nearest(answer);
    struct orr_text line = {0};
    orr_text_add(&line, "%s: %s", orr_doubt_text(from), orr_doubt_remedy(from));
    orr_text_wrap_line(text, style, "width", ORR_SUMMARY_LABEL, &line, " ");
    if (nearest.run) {
        orr_text_add(&line, "%s%.2f away · %s · %.0f × %s · %s · %+.0f %% off",
                     nearest.outside ? "outside what was measured: " : "", nearest.distance, nearest.run->model,
                     nearest.run->gpus, nearest.run->system, nearest.run->source, 100 * nearest.run->error_frac);
        orr_text_wrap_line(text, style, "nearest", ORR_SUMMARY_LABEL, &line, " ");
    }
    free(line.data);
}

json_t *orr_nearest_json(const struct orr_answer *answer)
{
    const struct orr_nearest nearest = orr_answer_nearest(answer);
    const struct orr_measured_run *run = nearest.run;
    if (!run) return json_null();
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:b, s:f}", "source", run->source, "id", run->id,
                     "engine", run->engine, "system", run->system, "model", run->model, "plan", run->plan, "gpus",
                     run->gpus, "distance", nearest.distance, "outside", nearest.outside, "error_frac",
                     run->error_frac);
}
