/* Constants of a job -> the tables at the end of --explain. */
#include "report/constants.h"

#include <stdio.h>

#include "base/units.h"
#include "spec/calibration_list.h"
#include "spec/names.h"

#define TITLE_TEXT 320

void orr_constant_row(struct orr_table *table, const char *name, const char *value, const char *meaning)
{
    ORR_ROW(table, ORR_PAINT_NONE, name, value, meaning);
}

void orr_constant_plain(struct orr_table *table, const char *name, double number, const char *meaning)
{
    char buffer[32];
    (void)snprintf(buffer, sizeof buffer, "%.4g", number);
    orr_constant_row(table, name, buffer, meaning);
}

void orr_constant_s(struct orr_table *table, const char *name, double seconds, const char *meaning)
{
    char buffer[32];
    orr_constant_row(table, name, orr_print_s(buffer, seconds), meaning);
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
        if (model->kinds[k].mla_kv_rank > 0) return true;
    return false;
}

/* Does the list say that a constant with this value is explained in the job? */
static bool is_explained(const struct orr_job *job, const struct orr_constant *constant, double value)
{
    const enum orr_explained kind = job->kind == ORR_JOB_TRAIN ? ORR_EXPLAINED_TRAIN : ORR_EXPLAINED_INFER;
    if (!(constant->explained & kind)) return false;
    if (!constant->required && !(value > 0)) return false; /* the file does not have it */
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
    orr_constant_row(table, name, buffer, constant->meaning);
}

/* The constants of one struct of the calibration. */
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

/* Shares of the classes of memory-bound kernels among the operators. */
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

void orr_constants_calibration(const struct orr_style *style, const struct orr_job *job, const struct orr_op *ops,
                               size_t n_ops, struct orr_text *text)
{
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
    add_pointwise(calibration, ops, n_ops, &table);
    add_members(job, ORR_HOME_CALIBRATION, "", calibration, &table);
    (void)snprintf(title, sizeof title, "constants: calibration %s, %s", calibration->id,
                   calibration->calibrated ? "fitted to this chip's kernels"
                                           : "family values, not fitted to this chip (datasheet)");
    orr_text_add(text, "\n");
    add_table(style, title, &table, text);
}

/* ---------------------------------------------------------------- hardware, software */

void orr_constants_hardware(const struct orr_style *style, const struct orr_system *system, struct orr_text *text)
{
    char title[TITLE_TEXT], buffer[32];
    struct orr_table table;
    (void)snprintf(title, sizeof title, "hardware facts: system %s, chip %s", system->id, system->chip.id);
    orr_table_start(&table, "lrf");
    orr_constant_row(&table, "scaleup_bytes_per_s", orr_print_rate(buffer, system->scaleup_bytes_per_s),
                     "one direction of a GPU");
    orr_constant_row(&table, "scaleout_bytes_per_s", orr_print_rate(buffer, system->scaleout_bytes_per_s),
                     "one direction of a GPU");
    orr_constant_plain(&table, "scaleout_efficiency_frac", system->scaleout_efficiency_frac, "sustained share of it");
    orr_constant_s(&table, "scaleout_latency_s", system->scaleout_latency_s, "one hop");
    add_table(style, title, &table, text);
}

void orr_constants_engine(const struct orr_style *style, const struct orr_engine *engine, struct orr_table *table,
                          struct orr_text *text)
{
    char title[TITLE_TEXT];
    (void)snprintf(title, sizeof title, "software facts: engine %s", engine->id);
    add_table(style, title, table, text);
}
