/* The waterfall from the speed-up of B200 over A100 that this model predicts to the "about 35 times" of Kundu et al.
 * 2024: their assumptions as far as they are public, one step after the other. Steps that a real machine does not take
 * are marked. No step is chosen by its result; docs/reproduce.md says what is known and what is inferred. */
#include "study/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the steps */

/* Each step changes the job of the A100, that of the B200, or both. */
typedef void step_function(struct orr_job *a100, struct orr_job *b200);

static void larger_batch(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    b200->workload.global_batch = 4096;
}

static void narrow_products(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    b200->workload.precision = ORR_DTYPE_FP4;
}

static void recomputation(struct orr_job *a100, struct orr_job *b200)
{
    a100->workload.recompute = ORR_RECOMPUTE_FULL;
    b200->workload.recompute = ORR_RECOMPUTE_NONE;
}

/* Attention is made of 16-bit products; a fourth of the bits is modelled as four times their rate. */
static void narrow_attention(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    b200->system.chip.peak_flops_per_s[ORR_DTYPE_FP16] *= 4;
    b200->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] *= 4;
}

/* A fourth of the bytes is modelled as four times the rate of the links. */
static void narrow_transfers(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    b200->system.scaleup_bytes_per_s *= 4;
    b200->system.scaleout_bytes_per_s *= 4;
}

/* The same for DRAM. It also narrows gradients and optimizer states: an upper bound. */
static void narrow_activations(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    b200->system.chip.hbm_bytes_per_s *= 4;
}

static void utilisations(struct orr_job *a100, struct orr_job *b200)
{
    const struct orr_calibration *from = &a100->calibration;
    struct orr_calibration *to = &b200->calibration;
    to->gemm[ORR_DTYPE_FP4] = from->gemm[ORR_DTYPE_FP16];
    to->attention[b200->workload.attention] = from->attention[a100->workload.attention];
    memcpy(to->pointwise_frac, from->pointwise_frac, sizeof to->pointwise_frac);
}

static void one_domain(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    b200->system.domain_gpus = b200->plan.gpus;
}

/* No launches, gaps and stragglers. */
static void idealise(struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    struct orr_engine *e = &job->engine;
    for (int i = 0; i < ORR_N_DTYPES; i++) c->gemm[i].wave_s = c->gemm[i].launch_s = c->gemm[i].grouped_launch_s = 0;
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++) c->attention[i].launch_s = 0;
    c->pointwise_launch_s = c->straggle_frac_per_doubling = 0;
    e->host_launch_s = e->host_backward_launch_s = e->host_collective_s = e->host_pipeline_rank_s = 0;
    e->host_layer_s = e->host_sharded_layer_s = e->host_micro_batch_s = e->host_step_s = e->host_sync_s = 0;
}

static void ideal_b200(struct orr_job *a100, struct orr_job *b200)
{
    (void)a100;
    idealise(b200);
}

static void ideal_a100(struct orr_job *a100, struct orr_job *b200)
{
    (void)b200;
    idealise(a100);
}

static const struct {
    const char *name, *real; /* does a real machine take this step? */
    step_function *step;
} STEPS[] = {
    {"batch 4096 on the B200", "yes", larger_batch},
    {"4-bit weight products", "in part", narrow_products},
    {"full recomputation on the A100 alone", "yes", recomputation},
    {"4-bit attention", "no", narrow_attention},
    {"4-bit transfers", "no", narrow_transfers},
    {"4-bit activations in DRAM", "no", narrow_activations},
    {"utilisations of the A100", "no", utilisations},
    {"one domain of all GPUs", "no", one_domain},
    {"no launches or stragglers on the B200", "no", ideal_b200},
    {"nor on the A100 (as published)", "no", ideal_a100},
};
enum { N_STEPS = sizeof STEPS / sizeof *STEPS };

/* ---------------------------------------------------------------- the sheet */

static enum orr_err read_end(const struct orr_study *study, const char *system, const char *domain, struct orr_job *job,
                             struct orr_error *error)
{
    return orr_study_job(study, job, error,
                         "{'kind':'train','model':'gpt3-175b','system':'%s','gpus':8192,"
                         "'plan':{'tp':8,'pp':8,'sp':true},'workload':{'seq':2048,'engine':'generic','micro_batch':1,"
                         "'global_batch':1024,'precision':'fp16','recompute':'selective'},"
                         "'set':{'system.domain_gpus':%s}}",
                         system, domain);
}

struct ends {
    struct orr_job a100, b200;
};

/* The speed-up per sequence; `delivered` receives the model FLOP rates of a GPU at both ends. */
static double speedup_of(const struct orr_study *study, const struct ends *ends, double delivered[2], bool *fits)
{
    struct orr_result old, new;
    orr_train(&ends->a100, study->scratch, &old);
    orr_train(&ends->b200, study->scratch, &new);
    delivered[0] = old.model_tflops_per_gpu;
    delivered[1] = new.model_tflops_per_gpu;
    *fits = old.fits && new.fits;
    return old.step_time_s / (double)ends->a100.workload.global_batch /
           (new.step_time_s / (double)ends->b200.workload.global_batch);
}

static void add_row(struct orr_sheet *sheet, size_t step, const char *name, const char *real, double factor,
                    double total, const double delivered[2], bool fits)
{
    ORR_NUMBERS(sheet, (double)step);
    ORR_WORDS(sheet, name, real);
    ORR_NUMBERS(sheet, factor, total, log2(total), delivered[0], delivered[1]);
    ORR_WORDS(sheet, fits ? "yes" : "no");
}

static void add_steps(struct orr_study *study, struct ends *ends)
{
    struct orr_sheet *sheet = orr_study_sheet(study, "generations_published",
                                              "From our speed-up to about 35 times, one assumption after the other",
                                              "step change real factor total doublings a100_tflops b200_tflops fits");
    double delivered[2];
    bool fits;
    const double first = speedup_of(study, ends, delivered, &fits);
    double last = first, real = first;
    add_row(sheet, 0, "equal batch and format", "yes", 1, first, delivered, fits);
    for (size_t i = 0; i < N_STEPS; i++) {
        STEPS[i].step(&ends->a100, &ends->b200);
        const double total = speedup_of(study, ends, delivered, &fits);
        add_row(sheet, i + 1, STEPS[i].name, STEPS[i].real, total / last, total, delivered, fits);
        if (strcmp(STEPS[i].real, "no") != 0) real = total;
        last = total;
    }
    orr_study_find(
        study,
        "the published assumptions give %.0f times, of which the steps that a machine takes give %.1f; the rest "
        "needs 4 bits for attention, transfers and activations and no overheads",
        last, real);
    orr_study_find(study,
                   "at the end a B200 delivers %.0f TFLOP/s of the model and an A100 %.0f: a badly used reference",
                   delivered[1], delivered[0]);
}

enum orr_err orr_study_published(struct orr_study *study, struct orr_error *error)
{
    struct ends *ends = calloc(1, sizeof *ends);
    if (!ends) return orr_out_of_memory(error, NULL);
    enum orr_err err = read_end(study, "a100-80g-sxm", "8", &ends->a100, error);
    if (!err) err = read_end(study, "b200-sxm", "576", &ends->b200, error);
    if (!err) add_steps(study, ends);
    free(ends);
    return err;
}
