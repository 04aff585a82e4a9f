/* --explain of a training step: the constants behind it, with their origin. */
#include "report/answer.h"
#include "report/constants.h"

static void attention_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_attention_constants *u = &job->calibration.attention[job->workload.attention];
    if (job->workload.attention == ORR_ATTENTION_UNFUSED) return;
    orr_constant_plain(table, "forward_frac", u->forward_frac, "fused attention, share of peak");
    orr_constant_plain(table, "forward_half_seq", u->forward_half_seq, "keys at which half of it is reached");
    orr_constant_plain(table, "backward_frac", u->backward_frac, "fused attention, backward");
    orr_constant_plain(table, "backward_half_seq", u->backward_half_seq, "keys at which half of it is reached");
}

static void engine_rows(const struct orr_engine *engine, struct orr_table *table)
{
    orr_constant_plain(table, "tp_overlap_frac", engine->tp_overlap_frac, "of TP transfers, pipelined with GEMMs");
    orr_constant_plain(table, "dp_overlap_frac", engine->dp_overlap_frac, "of the backward window, for collectives");
    orr_constant_plain(table, "ep_overlap_frac", engine->ep_overlap_frac, "of the all-to-all, hidden");
    orr_constant_plain(table, "zero3_overlap_frac", engine->zero3_overlap_frac,
                       "of a layer's compute, for its gathers");
    orr_constant_s(table, "host_launch_s", engine->host_launch_s, "host time per kernel launch");
    orr_constant_s(table, "host_step_s", engine->host_step_s, "host time per iteration");
}

void orr_train_constants(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    const struct orr_calibration *calibration = &job->calibration;
    struct orr_table table;
    orr_table_start(&table, "lrf");
    orr_constants_gemm(calibration, job->workload.precision, &table);
    attention_rows(job, &table);
    orr_constants_pointwise(calibration, answer->ops, answer->n_ops, &table);
    orr_constant_s(&table, "pointwise_launch_s", calibration->pointwise_launch_s, "fixed time of a pointwise kernel");
    orr_constant_plain(&table, "overlap_contention_frac", calibration->overlap_contention_frac,
                       "compute lost per hidden second (Eq. 65)");
    orr_constant_plain(&table, "straggle_frac_per_doubling", calibration->straggle_frac_per_doubling,
                       "step time per doubling of GPUs");
    orr_constants_calibration(style, calibration, &table, text);
    orr_constants_hardware(style, &job->system, text);
    orr_table_start(&table, "lrf");
    engine_rows(&job->engine, &table);
    orr_constants_engine(style, &job->engine, &table, text);
}
