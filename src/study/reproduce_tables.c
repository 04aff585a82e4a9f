/* Studies that compare predictions with published or measured values: kernels, memory by recomputation, training steps
 * and request latencies. Eqs. 79-89. */
#include "study/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cost/cost.h"
#include "memory/memory.h"
#include "validate/ablate.h"
#include "calibrate/calibrate.h"
#include "validate/validate.h"

/* ---------------------------------------------------------------- products of one chip */

static const struct {
    const char *name;
    double high_m;
} CLASSES[] = {{"skinny m < 16", 15}, {"m 16-255", 255}, {"m 256-2047", 2047}, {"large m >= 2048", HUGE_VAL}};
enum { N_CLASSES = sizeof CLASSES / sizeof *CLASSES };

struct error_sums {
    double n, sized, constant; /* sums of absolute relative errors */
};

static size_t class_of(double m)
{
    size_t c = 0;
    while (c + 1 < N_CLASSES && m > CLASSES[c].high_m) c++;
    return c;
}

/* Price every 16-bit product with the present constants, then with a utilisation that does not depend on its size. */
static void add_products(struct orr_fit *fit, struct orr_sheet *sheet, struct error_sums sums[N_CLASSES])
{
    uint32_t size = 0;
    (void)orr_pieces_parse("size", &size, NULL);
    struct orr_job sized = fit->job, constant = fit->job;
    orr_ablate(size, &constant);
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_kernel_row *row = &fit->rows[i];
        if (row->left_out || strcmp(row->dtype, "bf16") != 0 || row->size < 0) continue;
        orr_fit_enter(fit, &fit->groups[row->group]);
        fit->job.calibration = sized.calibration;
        fit->job.system = sized.system;
        const double sized_s = orr_fit_price(fit, row, false);
        fit->job.calibration = constant.calibration;
        fit->job.system = constant.system;
        const double constant_s = orr_fit_price(fit, row, false), m = row->ops[0].m;
        struct error_sums *c = &sums[class_of(m)];
        c->n += 1;
        c->sized += fabs(sized_s / row->measured_s - 1);
        c->constant += fabs(constant_s / row->measured_s - 1);
        ORR_NUMBERS(sheet, m, row->ops[0].n, row->ops[0].k, row->measured_s, sized_s, constant_s);
    }
}

/* Two products on one A100 that LLMCompass prints. */
static enum orr_err add_anchors(struct orr_study *study, struct orr_error *error)
{
    static const struct {
        double m, k, n, published_s;
    } ANCHORS[] = {{64, 12288, 12288, 0.190e-3}, {8192, 8192, 8192, 2 * 8192.0 * 8192 * 8192 / 277.6e12}};
    const enum orr_err err = orr_study_job(study, &study->job, error,
                                           "{'kind':'infer','model':'llama2-13b','system':'a100-80g-sxm','workload':{"
                                           "'batch':1,'input_len':64,'output_len':1,'precision':'fp16'}}");
    struct orr_sheet *sheet = orr_study_sheet(study, "gemm_a100", "Two products of one A100, published by LLMCompass",
                                              "m k n published_s predicted_s error_frac");
    for (size_t i = 0; i < sizeof ANCHORS / sizeof *ANCHORS && !err; i++) {
        const struct orr_op op = orr_study_product("product", ANCHORS[i].m, ANCHORS[i].k, ANCHORS[i].n, 1);
        struct orr_cost cost;
        orr_cost_gemm(&study->job, &op, &cost);
        ORR_NUMBERS(sheet, op.m, op.k, op.n, ANCHORS[i].published_s, cost.total_s,
                    cost.total_s / ANCHORS[i].published_s - 1);
    }
    return err;
}

enum orr_err orr_study_gemm(struct orr_study *study, struct orr_error *error)
{
    struct orr_fit *fit;
    struct error_sums sums[N_CLASSES] = {0};
    enum orr_err err = orr_fit_open(study->catalogue, "h200-sxm-141gb", &fit, error);
    if (err) return err;
    err = orr_fit_add(fit, "gemm", study->csv, study->origin, error);
    if (!err && !orr_fit_prepare(fit)) err = orr_out_of_memory(error, NULL);
    struct orr_sheet *errors = orr_study_sheet(study, "gemm", "Mean absolute error of 16-bit products, one H200",
                                               "class rows size_dependent_frac constant_frac");
    if (!err) {
        struct orr_sheet *rows =
            orr_study_sheet(study, "gemm_rows", "Every product", "m n k measured_s size_dependent_s constant_s");
        add_products(fit, rows, sums);
        for (size_t i = 0; i < N_CLASSES; i++) {
            ORR_WORDS(errors, CLASSES[i].name);
            ORR_NUMBERS(errors, sums[i].n, sums[i].sized / sums[i].n, sums[i].constant / sums[i].n);
        }
        orr_study_find(study,
                       "skinny products: %.1f %% mean error with size-dependent utilisation, %.1f %% with constant; "
                       "large ones %.1f and %.1f %%",
                       100 * sums[0].sized / sums[0].n, 100 * sums[0].constant / sums[0].n,
                       100 * sums[3].sized / sums[3].n, 100 * sums[3].constant / sums[3].n);
    }
    orr_fit_close(fit);
    return err ? err : add_anchors(study, error);
}

/* ---------------------------------------------------------------- memory by recomputation */

static const struct {
    const char *model;
    int pp, vpp, micro_batch, batch;
    double param_gib, activation_gib[5];
} PUBLISHED[] = {
    {"gpt-22b", 1, 1, 4, 4, 45.56, {59.25, 39.56, 29.25, 9.56, 4.50}},
    {"gpt3-175b", 8, 3, 1, 64, 45.56, {66.84, 41.41, 37.78, 12.35, 5.81}},
    {"mt-530b", 35, 3, 1, 280, 31.64, {114.02, 66.51, 70.59, 23.08, 10.86}},
    {"gpt-1t", 64, 1, 1, 512, 32.96, {131.25, 76.56, 81.25, 26.56, 12.50}},
};
static const struct {
    const char *name, *sp, *recompute;
} MODES[] = {{"none", "false", "none"},
             {"SP", "true", "none"},
             {"selective", "false", "selective"},
             {"SP + selective", "true", "selective"},
             {"full", "false", "full"}};
enum { N_MODES = sizeof MODES / sizeof *MODES };

/* Add the activations that the first stage keeps (Eqs. 81-83, 89), the matrices with 18 bytes per parameter, and the
 * total of the whole ledger. */
static void add_memory(const struct orr_study *study, struct orr_sheet *sheet, size_t i, size_t mode)
{
    const struct orr_job *job = &study->job;
    const struct orr_dims dims = orr_dims_of(job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(job, &dims, &job->model.kinds[0]);
    const double layers = (double)job->model.n_layers / PUBLISHED[i].pp, h = (double)job->model.hidden;
    const double parameter_bytes = 2 + (double)job->engine.gradient_bytes + (double)job->engine.optimizer_bytes;
    struct orr_result result;
    orr_train(job, study->scratch, &result);
    ORR_WORDS(sheet, PUBLISHED[i].model, MODES[mode].name);
    ORR_NUMBERS(sheet, 12 * h * h * layers * parameter_bytes / (double)job->plan.tp / ORR_GIB, PUBLISHED[i].param_gib);
    const double saved_bytes = orr_layer_saved_bytes(job, &bytes) * layers;
    ORR_NUMBERS(sheet, saved_bytes * orr_in_flight(&job->plan, dims.m, 0) / ORR_GIB, PUBLISHED[i].activation_gib[mode],
                result.memory.total_bytes / ORR_GIB, result.memory.usable_bytes / ORR_GIB);
    ORR_WORDS(sheet, result.fits ? "yes" : "no");
}

static void find_differences(struct orr_study *study, const struct orr_sheet *sheet)
{
    const size_t ours = orr_sheet_column(sheet, "activations_gib"), fits = orr_sheet_column(sheet, "fits");
    double most_gib = 0;
    size_t n_fit = 0, rows = sheet->failed ? 0 : orr_sheet_rows(sheet);
    for (size_t r = 0; r < rows; r++) {
        const struct orr_cell *row = &sheet->cells[r * sheet->n_columns];
        most_gib = fmax(most_gib, fabs(row[ours].number - row[ours + 1].number));
        n_fit += strcmp(row[fits].word, "yes") == 0;
    }
    orr_study_find(study, "activations differ from the published by %.3f GiB at most; %zu of %zu fit into 80 GB",
                   most_gib, n_fit, rows);
}

enum orr_err orr_study_memory(struct orr_study *study, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    struct orr_sheet *sheet =
        orr_study_sheet(study, "memory", "Memory of one A100-80GB by recomputation, first stage",
                        "model mode parameters_gib published_parameters_gib activations_gib published_activations_gib "
                        "ledger_peak_gib usable_gib fits");
    for (size_t i = 0; i < sizeof PUBLISHED / sizeof *PUBLISHED; i++)
        for (size_t mode = 0; mode < N_MODES && !err; mode++) {
            err = orr_study_job(study, &study->job, error,
                                "{'kind':'train','model':'%s','system':'a100-80g-sxm','plan':{'tp':8,'pp':%d,'vpp':%d,"
                                "'dp':1,'sp':%s},'workload':{'seq':2048,'micro_batch':%d,'global_batch':%d,"
                                "'precision':'fp16','attention':'unfused','recompute':'%s',"
                                "'engine':'megatron-lm-2022'}}",
                                PUBLISHED[i].model, PUBLISHED[i].pp, PUBLISHED[i].vpp, MODES[mode].sp,
                                PUBLISHED[i].micro_batch, PUBLISHED[i].batch, MODES[mode].recompute);
            if (!err) add_memory(study, sheet, i, mode);
        }
    if (!err) find_differences(study, sheet);
    return err;
}

/* ---------------------------------------------------------------- measured steps and latencies */

/* Does the row of the file belong to the study? */
static bool chosen(const struct orr_score *score, const char *const *sources, double least_gpus,
                   const struct orr_csv *csv)
{
    for (size_t i = 0; sources[i]; i++)
        if (strcmp(score->source, sources[i]) == 0)
            return i == 0 || strtod(orr_csv_cell(csv, score->row, "gpus"), NULL) >= least_gpus;
    return false;
}

/* Score the file and list the rows of the sources: all rows of the first source, and of the others those on many
 * GPUs. */
static enum orr_err score_rows(struct orr_study *study, struct orr_sheet *sheet, const char *const *sources,
                               double least_gpus, const char *const *cells, struct orr_error *error)
{
    struct orr_validation *validation = NULL;
    double n = 0, sum_frac = 0, most_frac = 0;
    const enum orr_err err = orr_validate(study->catalogue, study->csv, study->origin, &validation, error);
    for (size_t i = 0; !err && i < validation->n_scores; i++) {
        const struct orr_score *score = &validation->scores[i];
        const struct orr_csv *csv = &validation->csvs[score->csv];
        if (score->skipped[0] || !chosen(score, sources, least_gpus, csv)) continue;
        for (size_t c = 0; cells[c]; c++) orr_sheet_text(sheet, orr_csv_cell(csv, score->row, cells[c]));
        ORR_NUMBERS(sheet, score->measured, score->predicted, score->error, score->predicted * score->low,
                    score->predicted * score->high);
        n += 1;
        sum_frac += fabs(score->error);
        most_frac = fmax(most_frac, fabs(score->error));
    }
    orr_validation_free(validation);
    if (!err && n > 0)
        orr_study_find(study, "%.0f rows: mean error %.1f %%, largest %.1f %%", n, 100 * sum_frac / n, 100 * most_frac);
    return err;
}

/* The table of the paper has the three largest runs of Narayanan et al. */
enum orr_err orr_study_training(struct orr_study *study, struct orr_error *error)
{
    static const char *const SOURCES[] = {"Korthikanti et al. 2022 Table 5", "Megatron-LM SC21 Table 1", NULL};
    static const char *const CELLS[] = {"source", "model", "gpus",         "tp",        "pp", "vpp",
                                        "dp",     "sp",    "global_batch", "recompute", NULL};
    struct orr_sheet *sheet =
        orr_study_sheet(study, "training", "Seconds of a training step on A100-80GB, published and predicted",
                        "source model gpus tp pp vpp dp sp global_batch recompute published_s predicted_s error_frac "
                        "low_s high_s");
    return score_rows(study, sheet, SOURCES, 1920, CELLS, error);
}

enum orr_err orr_study_inference(struct orr_study *study, struct orr_error *error)
{
    static const char *const SOURCES[] = {"NVIDIA NeMo Llama-2 200/200", NULL};
    static const char *const CELLS[] = {"model", "system", "tp", NULL};
    struct orr_sheet *sheet = orr_study_sheet(study, "inference", "Seconds of a request of 200 + 200 tokens, batch 1",
                                              "model system tp published_s predicted_s error_frac low_s high_s");
    return score_rows(study, sheet, SOURCES, 0, CELLS, error);
}
