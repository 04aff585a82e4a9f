/* Reports for people begin with what was asked, in four lines, and with what was assumed. */
#include "report/answer.h"
#include "report/assumed.h"
#include "report/formats.h"
#include "report/summary.h"
#include "spec/spec.h"

#include <stdlib.h>

/* Adds what only training has: micro-batches of a pipeline, sharding, overlap. */
static void add_train_plan(const struct orr_plan *plan, struct orr_text *line)
{
    char overlap[ORR_OVERLAP_TEXT];
    if (plan->cp > 1) orr_text_add(line, " (%s)", orr_cp_kind_name(plan->cp_kind));
    if (plan->sp) orr_text_add(line, " · sequence parallel");
    if (plan->zero > 0) orr_text_add(line, " · ZeRO-%lld", (long long)plan->zero);
    if (plan->pp > 1) orr_text_add(line, " · %s", orr_schedule_name(plan->schedule));
    if (plan->exposed_groups) orr_text_add(line, " · overlap %s", orr_overlap_text(plan->exposed_groups, overlap));
}

static void add_train_workload(const struct orr_workload *workload, struct orr_text *line)
{
    orr_text_add(line, "%lld × %lld tokens · micro-batch %lld · %s · recompute %s", (long long)workload->global_batch,
                 (long long)workload->seq, (long long)workload->micro_batch, orr_dtype_name(workload->precision),
                 orr_recompute_name(workload->recompute));
    if (workload->optimizer != ORR_OPTIMIZER_ENGINE)
        orr_text_add(line, " · optimizer %s", orr_optimizer_name(workload->optimizer));
}

static const char *draft_name(const struct orr_job *job)
{
    if (!job->draft.is_mtp) return job->draft.id;
    return job->draft.n_layers == 1 ? "its MTP layer" : "its MTP layers";
}

static void add_infer_workload(const struct orr_job *job, struct orr_text *line)
{
    const struct orr_serving *serving = &job->serving;
    orr_text_add(line, "batch %lld × %lld → %lld tokens · weights ", (long long)serving->batch,
                 (long long)serving->input_len, (long long)serving->output_len);
    orr_formats_line(job, line);
    orr_text_add(line, " · cache %s", orr_cache_name(serving->kv, serving->kv_format));
    if (serving->prefix_hit_frac > 0)
        orr_text_add(line, " · %.3g %% of the prompt cached", 100 * serving->prefix_hit_frac);
    if (serving->chunk_tokens > 0) orr_text_add(line, " · chunks of %lld tokens", (long long)serving->chunk_tokens);
    if (serving->draft_tokens > 0)
        orr_text_add(line, " · %lld draft%s by %s, %.3g %% accepted", (long long)serving->draft_tokens,
                     serving->draft_tokens == 1 ? "" : "s", draft_name(job), 100 * serving->draft_accept_frac);
    if (serving->disaggregated) orr_text_add(line, " · prefill and decode apart");
}

void orr_heading(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    const bool train = job->kind == ORR_JOB_TRAIN;
    struct orr_text line = {0};
    orr_summary_model(job, train ? answer->train.params_total : answer->infer.params_total,
                      train ? answer->train.params_active : answer->infer.params_active, &line);
    orr_summary_line(text, style, train ? "training" : "inference", &line);
    orr_summary_degrees(&job->plan, &line);
    if (train) add_train_plan(&job->plan, &line);
    orr_summary_line(text, style, "plan", &line);
    if (train) add_train_workload(&job->workload, &line);
    else add_infer_workload(job, &line);
    orr_summary_media(&job->media, &line);
    orr_summary_line(text, style, "workload", &line);
    orr_text_add(&line, "%s", job->engine.id);
    if (train) orr_text_add(&line, " · %s attention", orr_attention_kernel_name(job->workload.attention));
    orr_text_add(&line, " · constants %s, %s", job->calibration.id, orr_trust(job));
    orr_summary_line(text, style, "engine", &line);
    orr_assumed_lines(job, job->assumed, &answer->train.spread, style, text);
    orr_text_add(text, "\n");
    free(line.data);
}
