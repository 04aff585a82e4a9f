/* --explain of an inference job: the constants behind it, with their origin. */
#include "report/answer.h"
#include "report/constants.h"

static void flag_row(struct orr_table *table, const char *name, bool flag, const char *meaning)
{
    orr_constant_row(table, name, flag ? "yes" : "no", meaning);
}

static void kernel_rows(const struct orr_engine *engine, struct orr_table *table)
{
    orr_constant_s(table, "kernel_gap_s", engine->kernel_gap_s, "idle between kernels");
    orr_constant_s(table, "short_prefill_gap_s", engine->short_prefill_gap_s, "the same up to 512 rows of prompt");
    orr_constant_plain(table, "layer_pointwise_kernels", (double)engine->layer_pointwise_kernels, "in one layer");
    orr_constant_s(table, "pointwise_floor_s", engine->pointwise_floor_s, "least time of one of them");
    orr_constant_plain(table, "pointwise_bytes_per_element", engine->pointwise_bytes_per_element,
                       "their traffic, activation apart");
    orr_constant_row(table, "decode_kernel", orr_decode_kernel_name(engine->decode_kernel),
                     "attention of a decode step");
    flag_row(table, "fused_gate_up", engine->fused_gate_up, "gate and up are one product");
    flag_row(table, "split_kv", engine->split_kv, "long contexts cut over idle SMs");
    flag_row(table, "packed_gqa", engine->packed_gqa, "a K,V head is read once for its group");
    flag_row(table, "dynamic_quantisation", engine->dynamic_quantisation, "kernels quantise the activations");
}

static void step_rows(const struct orr_engine *engine, struct orr_table *table)
{
    flag_row(table, "custom_allreduce", engine->custom_allreduce, "one- and two-shot beside the library's");
    orr_constant_s(table, "allreduce_skew_s", engine->allreduce_skew_s, "launch and rank skew of a collective");
    orr_constant_s(table, "request_s", engine->request_s, "once per batch of requests");
    orr_constant_s(table, "request_s_per_sequence", engine->request_s_per_sequence, "and for each of them");
    orr_constant_s(table, "sampling_s", engine->sampling_s, "once per step");
    orr_constant_s(table, "sampling_s_per_sequence", engine->sampling_s_per_sequence, "and for each sequence");
    orr_constant_s(table, "host_launch_s", engine->host_launch_s, "host time per kernel launch");
    orr_constant_row(table, "budget", orr_budget_name(engine->budget), "rule of the cache");
    orr_constant_plain(table, "budget_frac", engine->budget_frac, "its share of the memory");
    orr_constant_plain(table, "kv_block_tokens", (double)engine->kv_block_tokens, "tokens of a cache block");
    orr_constant_plain(table, "max_requests", (double)engine->max_requests, "most sequences of a batch");
}

void orr_infer_constants(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    struct orr_table table;
    orr_constants_calibration(style, job, answer->ops, answer->n_ops, text);
    orr_constants_hardware(style, &job->system, text);
    orr_table_start(&table, "lrf");
    kernel_rows(&job->engine, &table);
    step_rows(&job->engine, &table);
    orr_constants_engine(style, &job->engine, &table, text);
}
