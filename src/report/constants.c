/* The tables at the end of --explain list the constants of a job with their origin: name, value, meaning. */
#include <stdio.h>

#include "base/units.h"
#include "report/answer.h"
#include "report/table.h"
#include "spec/calibration_list.h"
#include "spec/names.h"

#define TITLE_TEXT 320

static void word_row(struct orr_table *table, const char *name, const char *value, const char *meaning)
{
    ORR_ROW(table, ORR_PAINT_NONE, name, value, meaning);
}

static void number_row(struct orr_table *table, const char *name, double number, const char *meaning)
{
    char buffer[32];
    (void)snprintf(buffer, sizeof buffer, "%.4g", number);
    word_row(table, name, buffer, meaning);
}

static void time_row(struct orr_table *table, const char *name, double seconds, const char *meaning)
{
    char buffer[32];
    word_row(table, name, orr_print_s(buffer, seconds), meaning);
}

static void flag_row(struct orr_table *table, const char *name, bool flag, const char *meaning)
{
    word_row(table, name, flag ? "yes" : "no", meaning);
}

static void add_table(const struct orr_style *style, const char *title, struct orr_table *table, struct orr_text *text)
{
    orr_text_wrap(text, style, "", 0, title, " ");
    orr_table_print(table, text, style);
}

/* ---------------------------------------------------------------- calibration */

static bool is_latent(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].mla_kv_rank > 0 || orr_kind_compresses(&model->kinds[k])) return true;
    return false;
}

/* Says whether a constant with this value is explained in the job. */
static bool is_explained(const struct orr_job *job, const struct orr_constant *constant, double value)
{
    const enum orr_explained kind = job->kind == ORR_JOB_TRAIN ? ORR_EXPLAINED_TRAIN : ORR_EXPLAINED_INFER;
    if (!(constant->explained & kind)) return false;
    if (!constant->required && !(value > 0)) return false; /* the file does not have this constant */
    if (constant->told_by == ORR_TOLD_BY_PAGED) return !is_latent(&job->model);
    if (constant->told_by == ORR_TOLD_BY_SPLIT) return !is_latent(&job->model) && job->engine.split_kv;
    return true;
}

static void add_constant(const char *name, double value, const struct orr_constant *constant, struct orr_table *table)
{
    char buffer[32];
    if (constant->unit == ORR_UNIT_S) (void)orr_print_s(buffer, value);
    else if (constant->unit == ORR_UNIT_BYTES) (void)orr_print_bytes(buffer, value);
    else if (constant->unit == ORR_UNIT_BYTES_PER_S) (void)orr_print_rate(buffer, value);
    else (void)snprintf(buffer, sizeof buffer, "%.4g", value);
    word_row(table, name, buffer, constant->meaning);
}

/* Adds the constants of one struct of the calibration. */
static void add_members(const struct orr_job *job, enum orr_home home, const char *prefix, const void *members,
                        struct orr_table *table)
{
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++) {
        const struct orr_constant *constant = &orr_constants[i];
        char name[64];
        if (constant->home != home || constant->n > 1) continue;
        const double value = orr_constant_value(members, constant);
        (void)snprintf(name, sizeof name, "%s%s", prefix, constant->key);
        if (is_explained(job, constant, value)) add_constant(name, value, constant, table);
    }
}

/* Adds the shares of the classes of memory-bound kernels that occur among the operators. */
static void add_pointwise(const struct orr_calibration *calibration, const struct orr_op *ops, size_t n_ops,
                          struct orr_table *table)
{
    const struct orr_constant *share = &orr_constants[ORR_CONSTANT_CALIBRATION_pointwise_frac];
    bool used[ORR_N_POINTWISES] = {false};
    for (size_t i = 0; i < n_ops; i++)
        if (ops[i].kind == ORR_OP_POINTWISE) used[ops[i].pointwise] = true;
    for (int i = 0; i < ORR_N_POINTWISES; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s.%s", share->key, orr_pointwise_name((enum orr_pointwise)i));
        if (used[i]) add_constant(name, calibration->pointwise_frac[i], share, table);
    }
}

/* Adds the constants that act on the job with its operators, and says how far they can be trusted. */
static void add_calibration(const struct orr_style *style, const struct orr_answer *answer, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    const struct orr_calibration *calibration = &job->calibration;
    const bool train = job->kind == ORR_JOB_TRAIN;
    const int kernel = (int)job->workload.attention, narrow = orr_dtype_bytes(job->serving.kv) < 2;
    char title[TITLE_TEXT];
    struct orr_table table;
    orr_table_start(&table, "lrf");
    add_members(job, ORR_HOME_GEMM, "", &calibration->gemm[train ? job->workload.precision : job->serving.matrix],
                &table);
    if (kernel != ORR_ATTENTION_UNFUSED)
        add_members(job, ORR_HOME_ATTENTION, "attention.", &calibration->attention[kernel], &table);
    if (!train)
        add_members(job, ORR_HOME_DECODE, "decode.",
                    is_latent(&job->model) ? &calibration->mla_decode[narrow]
                                           : &calibration->decode[job->engine.decode_kernel][narrow],
                    &table);
    add_pointwise(calibration, answer->ops, answer->n_ops, &table);
    add_members(job, ORR_HOME_CALIBRATION, "", calibration, &table);
    (void)snprintf(title, sizeof title, "constants: calibration %s, %s", calibration->id,
                   calibration->calibrated ? "fitted to this chip's kernels"
                                           : "family values, not fitted to this chip (datasheet)");
    orr_text_add(text, "\n");
    add_table(style, title, &table, text);
}

/* ---------------------------------------------------------------- hardware, software */

static void add_hardware(const struct orr_style *style, const struct orr_system *system, struct orr_text *text)
{
    char title[TITLE_TEXT], buffer[32];
    struct orr_table table;
    (void)snprintf(title, sizeof title, "hardware facts: system %s, chip %s", system->id, system->chip.id);
    orr_table_start(&table, "lrf");
    word_row(&table, "scaleup_bytes_per_s", orr_print_rate(buffer, system->scaleup_bytes_per_s),
             "one direction of a GPU");
    word_row(&table, "scaleout_bytes_per_s", orr_print_rate(buffer, system->scaleout_bytes_per_s),
             "one direction of a GPU");
    number_row(&table, "scaleout_efficiency_frac", system->scaleout_efficiency_frac, "sustained share of it");
    time_row(&table, "scaleout_latency_s", system->scaleout_latency_s, "one hop");
    if (system->host_speed != 1) /* 1 is the reference host */
        number_row(&table, "host_speed", system->host_speed, "speed of the host over the reference host");
    if (*system->fabric.id) {
        const bool measured = system->fabric.measured;
        word_row(&table, "fabric", system->fabric.id, "rates and hops of collectives between domains");
        number_row(&table, "spread_low_frac", system->fabric.spread_low_frac,
                   measured ? "measured over predicted time, at least" : "an unmeasured network: at least");
        number_row(&table, "spread_high_frac", system->fabric.spread_high_frac,
                   measured ? "measured over predicted time, at most" : "an unmeasured network: at most");
    }
    add_table(style, title, &table, text);
}

/* Adds a row of a time that few engines have. */
static void rare_row(struct orr_table *table, const char *name, double value_s, const char *meaning)
{
    if (value_s > 0) time_row(table, name, value_s, meaning);
}

static void host_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_engine *engine = &job->engine;
    time_row(table, "host_launch_s", engine->host_launch_s, "host time per kernel launch");
    rare_row(table, "host_backward_launch_s", engine->host_backward_launch_s, "the same in a backward pass");
    rare_row(table, "host_collective_s", engine->host_collective_s, "more per collective of a layer");
    if (job->plan.pp > 1)
        rare_row(table, "host_pipeline_rank_s", engine->host_pipeline_rank_s, "and per rank of it, across nodes");
    rare_row(table, "host_layer_s", engine->host_layer_s, "host time per layer and pass besides launches");
    if (job->plan.zero == 3)
        rare_row(table, "host_sharded_layer_s", engine->host_sharded_layer_s, "more of it where weights are gathered");
    if (job->plan.tp > 1)
        rare_row(table, "host_tensor_layer_s", engine->host_tensor_layer_s, "more of it with distributed tensors");
    rare_row(table, "host_micro_batch_s", engine->host_micro_batch_s, "host time per pass outside the layers");
    time_row(table, "host_step_s", engine->host_step_s, "host time per iteration");
    if (job->plan.zero == 1)
        rare_row(table, "zero1_tensor_s", engine->zero1_tensor_s, "host time to gather, per tensor and rank");
}

/* Adds what an engine does otherwise than most, where the plan is such that it matters. */
static void stack_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_engine *engine = &job->engine;
    if (job->plan.tp > 1) rare_row(table, "skew_s", engine->skew_s, "scatter of arrivals at collectives across nodes");
    if (job->plan.pp > 1 && engine->stages_by_cost) flag_row(table, "stages_by_cost", true, "stages of equal work");
    if (orr_adds_whole_gradients(job))
        flag_row(table, "whole_gradients", true, "gradients add up whole until they are scattered once");
    if (job->plan.zero == 1 && engine->zero1_allreduce)
        flag_row(table, "zero1_allreduce", true, "ZeRO-1 sums whole gradients");
    if (job->plan.zero == 1 && engine->zero1_exposed) flag_row(table, "zero1_exposed", true, "and hides none of it");
    if (job->plan.sp && engine->stream_tensors > 0)
        number_row(table, "stream_tensors", engine->stream_tensors, "activations of a layer that a stream holds");
    if (engine->reserved_frac > 0)
        number_row(table, "reserved_frac", engine->reserved_frac, "of saved activations, reserved beyond them");
}

static void train_rows(const struct orr_job *job, struct orr_table *table)
{
    const struct orr_engine *engine = &job->engine;
    number_row(table, "tp_overlap_frac", engine->tp_overlap_frac, "of TP transfers, pipelined with GEMMs");
    if (!engine->cp_balanced) number_row(table, "cp_balanced", 0, "the last context-parallel rank has most pairs");
    number_row(table, "dp_overlap_frac", engine->dp_overlap_frac, "of the backward window, for collectives");
    number_row(table, "ep_overlap_frac", engine->ep_overlap_frac, "of the all-to-all, hidden");
    number_row(table, "zero3_overlap_frac", engine->zero3_overlap_frac, "of a layer's compute, for its gathers");
    host_rows(job, table);
    stack_rows(job, table);
}

static void kernel_rows(const struct orr_engine *engine, struct orr_table *table)
{
    time_row(table, "kernel_gap_s", engine->kernel_gap_s, "idle between kernels");
    time_row(table, "short_prefill_gap_s", engine->short_prefill_gap_s, "the same up to 512 rows of prompt");
    number_row(table, "layer_pointwise_kernels", (double)engine->layer_pointwise_kernels, "in one layer");
    time_row(table, "pointwise_floor_s", engine->pointwise_floor_s, "least time of one of them");
    number_row(table, "pointwise_bytes_per_element", engine->pointwise_bytes_per_element,
               "their traffic, activation apart");
    word_row(table, "decode_kernel", orr_decode_kernel_name(engine->decode_kernel), "attention of a decode step");
    flag_row(table, "fused_gate_up", engine->fused_gate_up, "gate and up are one product");
    flag_row(table, "fused_latents", engine->fused_latents, "latents of queries and of keys and values too");
    flag_row(table, "split_kv", engine->split_kv, "long contexts cut over idle SMs");
    flag_row(table, "packed_gqa", engine->packed_gqa, "a K,V head is read once for its group");
    flag_row(table, "cache_grown", engine->cache_grown, "the cache is written anew in every step");
    flag_row(table, "cache_repeated", engine->cache_repeated, "keys and values are written once per query head");
    flag_row(table, "dynamic_quantisation", engine->dynamic_quantisation, "kernels quantise the activations");
}

static void step_rows(const struct orr_engine *engine, struct orr_table *table)
{
    flag_row(table, "custom_allreduce", engine->custom_allreduce, "one- and two-shot beside the library's");
    time_row(table, "allreduce_skew_s", engine->allreduce_skew_s, "launch and rank skew of a collective");
    time_row(table, "request_s", engine->request_s, "once per batch of requests");
    time_row(table, "request_s_per_sequence", engine->request_s_per_sequence, "and for each of them");
    time_row(table, "sampling_s", engine->sampling_s, "once per step");
    time_row(table, "sampling_s_per_sequence", engine->sampling_s_per_sequence, "and for each sequence");
    if (engine->async_scheduling) flag_row(table, "async_scheduling", true, "beside the step before");
    time_row(table, "host_launch_s", engine->host_launch_s, "host time per kernel launch");
    rare_row(table, "host_collective_s", engine->host_collective_s, "more per collective of a layer");
    rare_row(table, "host_layer_s", engine->host_layer_s, "more per layer");
    rare_row(table, "host_split_layer_s", engine->host_split_layer_s, "more per layer and further GPU");
    rare_row(table, "host_experts_s", engine->host_experts_s, "more per layer with experts");
    if (engine->graph_sequences > 0)
        number_row(table, "graph_sequences", (double)engine->graph_sequences, "largest decode batch that is a graph");
    word_row(table, "budget", orr_budget_name(engine->budget), "rule of the cache");
    number_row(table, "budget_frac", engine->budget_frac, "its share of the memory");
    number_row(table, "kv_block_tokens", (double)engine->kv_block_tokens, "tokens of a cache block");
    number_row(table, "max_requests", (double)engine->max_requests, "most sequences of a batch");
}

static void add_engine(const struct orr_style *style, const struct orr_job *job, struct orr_text *text)
{
    char title[TITLE_TEXT];
    struct orr_table table;
    (void)snprintf(title, sizeof title, "software facts: engine %s", job->engine.id);
    orr_table_start(&table, "lrf");
    if (job->kind == ORR_JOB_TRAIN) {
        train_rows(job, &table);
    } else {
        kernel_rows(&job->engine, &table);
        step_rows(&job->engine, &table);
    }
    add_table(style, title, &table, text);
}

void orr_explain_constants(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    add_calibration(style, answer, text);
    add_hardware(style, &answer->job->system, text);
    add_engine(style, answer->job, text);
}
