/* --explain of a training step: the constants behind it, with their origin. */
#include "report/answer.h"
#include "report/constants.h"

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
    struct orr_table table;
    orr_constants_calibration(style, job, answer->ops, answer->n_ops, text);
    orr_constants_hardware(style, &job->system, text);
    orr_table_start(&table, "lrf");
    engine_rows(&job->engine, &table);
    orr_constants_engine(style, &job->engine, &table, text);
}
