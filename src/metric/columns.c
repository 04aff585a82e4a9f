/* This file lists the columns and rows of numbers that sweeps, sessions and other languages read. */
#include "metric/metric.h"
#include "metric/row.h"
#include "spec/spec.h"

enum { PLAN_COLUMNS_MAX = 26 };
_Static_assert(ORR_N_TRAIN_METRICS + PLAN_COLUMNS_MAX <= ORR_MAX_COLUMNS, "a row has enough columns");
_Static_assert(ORR_N_INFER_METRICS + PLAN_COLUMNS_MAX <= ORR_MAX_COLUMNS, "a row has enough columns");

size_t orr_session_columns(enum orr_job_kind kind, struct orr_column columns[ORR_MAX_COLUMNS])
{
    size_t n = 0;
    for (int i = 0; i < orr_n_metrics(kind); i++) {
        const struct orr_metric_info *info = orr_metric_info(kind, i);
        if (!orr_metric_is_reason(kind, i))
            columns[n++] = (struct orr_column){info->key, info->meaning, orr_unit_type(info->unit)};
    }
    return n;
}

size_t orr_row_fill(const struct orr_answer *answer, struct orr_sweep_row *row)
{
    size_t n = 0;
    for (int i = 0; i < orr_n_metrics(answer->job->kind); i++) {
        if (orr_metric_is_reason(answer->job->kind, i)) continue;
        const struct orr_value value = orr_metric_value(answer, i);
        row->numbers[n] = value.number;
        row->words[n++] = value.word;
    }
    return n;
}

/* ---------------------------------------------------------------- the plan a search found */

/* `kinds` is 1 for train, 2 for infer, 3 for both. p is the job's plan, w its workload, s its serving, c the choice. */
#define PLAN_COLUMNS(X)                                                                                                \
    X(3, "plan.tp", WHOLE, p->tp, NULL, "tensor parallel")                                                             \
    X(3, "plan.cp", WHOLE, p->cp, NULL, "context parallel")                                                            \
    X(3, "plan.pp", WHOLE, p->pp, NULL, "pipeline parallel")                                                           \
    X(3, "plan.dp", WHOLE, p->dp, NULL, "data parallel")                                                               \
    X(3, "plan.ep", WHOLE, p->ep, NULL, "expert parallel")                                                             \
    X(3, "plan.etp", WHOLE, p->etp, NULL, "tensor parallel inside an expert")                                          \
    X(1, "plan.vpp", WHOLE, p->vpp, NULL, "model chunks per pipeline rank")                                            \
    X(1, "plan.zero", WHOLE, p->zero, NULL, "ZeRO stage")                                                              \
    X(1, "plan.sp", FLAG, p->sp, NULL, "sequence parallel")                                                            \
    X(1, "plan.schedule", TEXT, 0, orr_schedule_name(p->schedule), "pipeline schedule")                                \
    X(1, "plan.cp_kind", TEXT, 0, orr_cp_kind_name(p->cp_kind), "how keys and values are exchanged")                   \
    X(1, "plan.overlap_tp", FLAG, !(p->exposed_groups >> ORR_GROUP_TP & 1), NULL, "may hide tensor transfers")         \
    X(1, "plan.overlap_ep", FLAG, !(p->exposed_groups >> ORR_GROUP_EP & 1), NULL, "may hide expert transfers")         \
    X(1, "plan.overlap_pp", FLAG, !(p->exposed_groups >> ORR_GROUP_PP & 1), NULL, "may hide pipeline transfers")       \
    X(1, "plan.overlap_dp", FLAG, !(p->exposed_groups >> ORR_GROUP_DP & 1), NULL, "may hide gradient transfers")       \
    X(1, "workload.micro_batch", WHOLE, w->micro_batch, NULL, "sequences of a micro-batch")                            \
    X(1, "workload.recompute", TEXT, 0, orr_recompute_name(w->recompute), "what backward executes again")              \
    X(1, "workload.recompute_every", WHOLE, w->recompute_every, NULL, "layers per saved input")                        \
    X(2, "workload.batch", WHOLE, c->decode_gpus > 0 ? c->batch : s->batch, NULL, "sequences of a replica")            \
    X(2, "workload.precision", TEXT, 0, orr_weight_format_name(s->format), "format of the weights")                    \
    X(2, "workload.kv_precision", TEXT, 0, orr_cache_name(s->kv, s->kv_format), "format of the cache")                 \
    X(2, "decode.gpus", WHOLE, c->decode_gpus, NULL, "GPUs of the answers' pool; 0: one pool")                         \
    X(2, "decode.tp", WHOLE, c->decode_tp, NULL, "its tensor parallel")                                                \
    X(2, "decode.pp", WHOLE, c->decode_pp, NULL, "its pipeline parallel")                                              \
    X(2, "decode.ep", WHOLE, c->decode_ep, NULL, "its expert parallel")                                                \
    X(2, "decode.batch", WHOLE, c->decode_batch, NULL, "its sequences of a replica")

#define KIND_BIT(kind) ((kind) == ORR_JOB_INFER ? 2 : 1)

size_t orr_row_plan_columns(enum orr_job_kind kind, struct orr_column *columns)
{
#define X(kinds, key, type_, number, word, what) {kinds, {.name = key, .meaning = what, .type = ORR_COLUMN_##type_}},
    static const struct {
        int kinds;
        struct orr_column column;
    } ALL[] = {PLAN_COLUMNS(X)};
#undef X
    size_t n = 0;
    for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++)
        if (ALL[i].kinds & KIND_BIT(kind)) columns[n++] = ALL[i].column;
    return n;
}

static struct orr_plan plan_of(const struct orr_job *job, const struct orr_choice *c)
{
    struct orr_plan plan = job->plan;
    if (c->decode_gpus == 0) return plan;
    plan.tp = c->tp;
    plan.cp = c->cp;
    plan.pp = c->pp;
    plan.dp = c->dp;
    plan.ep = c->ep;
    plan.etp = c->etp;
    return plan;
}

void orr_row_fill_plan(const struct orr_job *job, const struct orr_choice *c, size_t n, struct orr_sweep_row *row)
{
    /* The rows of PLAN_COLUMNS read these. */
    const struct orr_plan plan = plan_of(job, c);
    const struct orr_plan *p = &plan;
    const struct orr_workload *w = &job->workload;
    const struct orr_serving *s = &job->serving;
#define X(kinds_, key, type_, number_, word_, what) {kinds_, (double)(number_), word_},
    const struct {
        int kinds;
        double number;
        const char *word;
    } all[] = {PLAN_COLUMNS(X)};
#undef X
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!(all[i].kinds & KIND_BIT(job->kind))) continue;
        row->numbers[n] = all[i].number;
        row->words[n++] = all[i].word;
    }
}
