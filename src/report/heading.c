/* Reports for people begin with what was asked, in four lines, and with what was assumed. */
#include "base/text.h"
#include "report/answer.h"
#include "report/assumed.h"
#include "report/formats.h"
#include "report/summary.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/plan.h"
#include "spec/spec.h"

#include <stdlib.h>

/* Adds what only training has: micro-batches of a pipeline, sharding, overlap. */
static void add_train_plan(const struct orr_job *job, struct orr_text *line)
{
    const struct orr_plan *plan = &job->plan;
    char overlap[ORR_OVERLAP_TEXT], offload[ORR_OFFLOAD_TEXT];
    if (plan->cp > 1) orr_text_add(line, " (%s)", orr_cp_kind_name(plan->cp_kind));
    if (plan->sp) orr_text_add(line, " · sequence parallel");
    if (plan->zero > 0) orr_text_add(line, " · ZeRO-%lld", (long long)plan->zero);
    if (plan->zero_secondary > 0) orr_text_add(line, ", second shards on %lld ranks", (long long)plan->zero_secondary);
    if (plan->zero == 3 && orr_keeps_gathered(job)) orr_text_add(line, ", weights stay gathered");
    if (plan->pp > 1) orr_text_add(line, " · %s", orr_schedule_name(plan->schedule));
    if (orr_offloads(plan)) orr_text_add(line, " · offload %s", orr_offload_text(plan, offload));
    if (plan->exposed_groups) orr_text_add(line, " · overlap %s", orr_overlap_text(plan->exposed_groups, overlap));
}

static void add_asked(const struct orr_workload *workload, struct orr_text *line)
{
    if (workload->comm != ORR_ASKED_ENGINE)
        orr_text_add(line, " · transfers %s", orr_asked_format_name(workload->comm));
    if (workload->activations != ORR_ASKED_ENGINE)
        orr_text_add(line, " · activations %s", orr_asked_format_name(workload->activations));
    if (workload->core != ORR_ASKED_ENGINE)
        orr_text_add(line, " · attention %s", orr_asked_format_name(workload->core));
    if (workload->ideal) orr_text_add(line, " · ideal overheads");
}

static void add_train_workload(const struct orr_workload *workload, struct orr_text *line)
{
    char recompute[ORR_RECOMPUTE_TEXT], adapter[ORR_ADAPTER_TEXT];
    orr_text_add(line, "%lld × %lld tokens · micro-batch %lld · %s · recompute %s", (long long)workload->global_batch,
                 (long long)workload->seq, (long long)workload->micro_batch, orr_dtype_name(workload->precision),
                 orr_recompute_text(workload, recompute));
    if (workload->recompute_first > 0)
        orr_text_add(line, ", first %lld layers of a chunk", (long long)workload->recompute_first);
    if (workload->recompute_nth > 0) orr_text_add(line, ", 1 layer in %lld", (long long)workload->recompute_nth);
    if (workload->fp8_recipe != ORR_RECIPE_ENGINE)
        orr_text_add(line, " · recipe %s", orr_fp8_recipe_name(workload->fp8_recipe));
    if (workload->optimizer != ORR_OPTIMIZER_ENGINE)
        orr_text_add(line, " · optimizer %s", orr_optimizer_name(workload->optimizer));
    add_asked(workload, line);
    if (workload->moe_capacity > 0) orr_text_add(line, " · capacity %.3g", workload->moe_capacity);
    if (workload->optimizer_in_backward) orr_text_add(line, " · optimizer in backward");
    if (workload->layer_graphs) orr_text_add(line, " · layers as graphs");
    if (workload->adapter.kind != ORR_ADAPTER_NONE) orr_text_add(line, " · %s", orr_adapter_text(workload, adapter));
    if (workload->frozen_embedding || workload->frozen_layers > 0 || workload->frozen_head || workload->frozen_tower)
        orr_text_add(line, " · frozen %s", orr_frozen_text(workload, adapter));
}

static const char *draft_name(const struct orr_job *job)
{
    if (!job->draft.is_mtp) return job->draft.id;
    return job->draft.n_layers == 1 ? "its MTP layer" : "its MTP layers";
}

void orr_draft_text(const struct orr_job *job, struct orr_text *line)
{
    const struct orr_serving *serving = &job->serving;
    if (serving->draft_tokens > 0)
        orr_text_add(line, " · %lld draft%s by %s, %.3g %% accepted", (long long)serving->draft_tokens,
                     serving->draft_tokens == 1 ? "" : "s", draft_name(job), 100 * serving->draft_accept_frac);
}

/* "two_batch_overlap" is said as "two batch overlap on". */
void orr_options_text(const struct orr_job *job, struct orr_text *line)
{
    for (int i = 0; i < ORR_N_RUN_OPTIONS; i++) {
        const enum orr_switch position = job->serving.options[i];
        const char *rest = orr_run_option_names[i];
        char word[32];
        if (position == ORR_SWITCH_ENGINE) continue;
        orr_text_add(line, " ·");
        while (orr_next_word(&rest, '_', word, sizeof word)) orr_text_add(line, " %s", word);
        orr_text_add(line, " %s", position == ORR_SWITCH_ON ? "on" : "off");
    }
}

static void add_infer_workload(const struct orr_job *job, struct orr_text *line)
{
    const struct orr_serving *serving = &job->serving;
    orr_text_add(line, "batch %lld × %lld → %lld tokens · weights ", (long long)serving->batch,
                 (long long)serving->input_len, (long long)serving->output_len);
    orr_formats_line(job, line);
    orr_text_add(line, " · cache %s", orr_cache_name(serving->kv, serving->kv_format));
    if (orr_dtype_bytes(serving->comm) < 2) orr_text_add(line, " · transfers %s", orr_dtype_name(serving->comm));
    add_asked(&job->workload, line);
    if (serving->prefix_hit_frac > 0)
        orr_text_add(line, " · %.3g %% of the prompt cached", 100 * serving->prefix_hit_frac);
    if (serving->chunk_tokens > 0) orr_text_add(line, " · chunks of %lld tokens", (long long)serving->chunk_tokens);
    orr_draft_text(job, line);
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
    if (train) add_train_plan(job, &line);
    orr_summary_line(text, style, "plan", &line);
    if (train) add_train_workload(&job->workload, &line);
    else add_infer_workload(job, &line);
    orr_summary_media(&job->media, &line);
    orr_summary_line(text, style, "workload", &line);
    orr_text_add(&line, "%s", job->engine.id);
    if (train) orr_text_add(&line, " · %s attention", orr_attention_kernel_name(job->workload.attention));
    else orr_options_text(job, &line);
    orr_text_add(&line, " · constants %s, %s", job->calibration.id, orr_trust(job));
    orr_summary_line(text, style, "engine", &line);
    orr_assumed_lines(job, job->assumed, &answer->train.spread, style, text);
    char why[ORR_WARNING];
    if (orr_warn_utilisation(answer, why)) orr_text_wrap(text, style, "warning", ORR_SUMMARY_LABEL, why, " ");
    orr_text_add(text, "\n");
    free(line.data);
}
