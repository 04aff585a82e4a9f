/* The waterfall from the speed-up of B200 over A100 that this model predicts to the "about 35 times" of Kundu et al.
 * 2024: their assumptions as far as they are public, one step after the other, as fields of a request. Steps that a
 * real machine does not take are marked. No step is chosen by its result; docs/reproduce.md says what is known and
 * what is inferred. */
#include "study/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- the steps */

/* A step puts values at paths of the request of one end; "narrow" stands for the format of the newer chip. */
enum end { OLD, NEW, N_ENDS };
#define MOST_VALUES 4
static const struct step {
    const char *name, *real; /* does a real machine take this step? */
    struct {
        enum end end;
        const char *path, *value;
    } values[MOST_VALUES];
    bool utilisations; /* the newer chip gets the shares of peak of the older one */
} STEPS[] = {
    {"batch 4096 on the B200", "yes", {{NEW, "workload.global_batch", "4096"}}, false},
    {"4-bit weight products", "in part", {{NEW, "workload.precision", "narrow"}}, false},
    {"full recomputation on the A100 alone",
     "yes",
     {{OLD, "workload.recompute", "full"}, {NEW, "workload.recompute", "none"}},
     false},
    {"4-bit attention", "no", {{NEW, "workload.attention_precision", "narrow"}}, false},
    {"4-bit transfers", "no", {{NEW, "workload.comm_precision", "narrow"}}, false},
    {"4-bit activations in memory", "no", {{NEW, "workload.activation_precision", "narrow"}}, false},
    {"shares of peak as on the A100", "no", {{NEW, NULL, NULL}}, true},
    {"one domain of all GPUs", "no", {{NEW, "system.domain_gpus", "8192"}}, false},
    {"no launches or stragglers on the B200", "no", {{NEW, "workload.ideal_overheads", "true"}}, false},
    {"nor on the A100 (as published)", "no", {{OLD, "workload.ideal_overheads", "true"}}, false},
    {"beyond it: transfers hidden on both",
     "no",
     {{OLD, "engine.tp_overlap_frac", "1"},
      {OLD, "engine.dp_overlap_frac", "1"},
      {NEW, "engine.tp_overlap_frac", "1"},
      {NEW, "engine.dp_overlap_frac", "1"}},
     false},
};
enum { N_STEPS = sizeof STEPS / sizeof *STEPS, AS_PUBLISHED = N_STEPS - 1 }; /* The last step is beyond the scenario. */

/* Requests of both ends, and their jobs. */
struct ends {
    struct orr_form *forms[N_ENDS];
    const struct orr_job *jobs[N_ENDS];
    struct orr_job *changed; /* the newer job with the shares of peak of the older one */
    enum orr_dtype narrow;
    bool utilisations;
};

/* The shares of peak and of DRAM bandwidth that the kernels of the older chip reach. Times stay those of the newer. */
static void take_utilisations(struct orr_job *to, const struct orr_job *from, enum orr_dtype narrow)
{
    const struct orr_gemm_constants *u = &from->calibration.gemm[ORR_DTYPE_FP16];
    struct orr_gemm_constants *v = &to->calibration.gemm[narrow];
    const double fixed_s[] = {v->wave_s, v->launch_s, v->grouped_launch_s, v->grouped_tile_s};
    *v = *u;
    v->wave_s = fixed_s[0];
    v->launch_s = fixed_s[1];
    v->grouped_launch_s = fixed_s[2];
    v->grouped_tile_s = fixed_s[3];
    const double launch_s = to->calibration.attention[to->workload.attention].launch_s;
    to->calibration.attention[to->workload.attention] = from->calibration.attention[from->workload.attention];
    to->calibration.attention[to->workload.attention].launch_s = launch_s;
    memcpy(to->calibration.pointwise_frac, from->calibration.pointwise_frac, sizeof to->calibration.pointwise_frac);
}

static enum orr_err read_ends(struct ends *ends, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (int i = 0; i < N_ENDS && !err; i++) err = orr_form_job(ends->forms[i], &ends->jobs[i], error);
    if (err || !ends->utilisations) return err;
    *ends->changed = *ends->jobs[NEW];
    take_utilisations(ends->changed, ends->jobs[OLD], ends->narrow);
    ends->jobs[NEW] = ends->changed;
    return ORR_OK;
}

static enum orr_err take_step(struct ends *ends, const struct step *step, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (int i = 0; i < MOST_VALUES && step->values[i].path && !err; i++) {
        const bool narrow = strcmp(step->values[i].value, "narrow") == 0;
        err = orr_form_set(ends->forms[step->values[i].end], step->values[i].path,
                           narrow ? orr_dtype_name(ends->narrow) : step->values[i].value, error);
    }
    if (step->utilisations) ends->utilisations = true;
    return err ? err : read_ends(ends, error);
}

static enum orr_err open_end(const struct orr_study *study, const char *system, const char *domain,
                             struct orr_form **form, struct orr_error *error)
{
    char request[512];
    (void)snprintf(request, sizeof request,
                   "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"%s\",\"gpus\":8192,\"plan\":{\"tp\":8,"
                   "\"pp\":8,\"sp\":true},\"workload\":{\"seq\":2048,\"engine\":\"generic\",\"micro_batch\":1,"
                   "\"global_batch\":1024,\"precision\":\"fp16\",\"recompute\":\"selective\"},"
                   "\"set\":{\"system.domain_gpus\":%s}}",
                   system, domain);
    return orr_form_open(study->catalogue, request, study->item->name, form, error);
}

/* Open both ends before any step. close_ends must follow even after an error. */
static enum orr_err open_ends(struct orr_study *study, const char *system, const char *domain, enum orr_dtype narrow,
                              struct ends *ends, struct orr_error *error)
{
    *ends = (struct ends){.changed = &study->job, .narrow = narrow};
    enum orr_err err = open_end(study, "a100-80g-sxm", "8", &ends->forms[OLD], error);
    if (!err) err = open_end(study, system, domain, &ends->forms[NEW], error);
    return err ? err : read_ends(ends, error);
}

static void close_ends(struct ends *ends)
{
    for (int i = 0; i < N_ENDS; i++) orr_form_close(ends->forms[i]);
}

/* ---------------------------------------------------------------- the waterfall */

struct speedup {
    double total;
    double delivered[N_ENDS]; /* model TFLOP/s of a GPU */
    bool fits;
};

/* Eq. 283: sequences per second of the newer machine over those of the older. */
static struct speedup speedup_of(const struct orr_study *study, const struct ends *ends)
{
    struct orr_result results[N_ENDS];
    double sequence_s[N_ENDS];
    for (int i = 0; i < N_ENDS; i++) {
        orr_train(ends->jobs[i], study->scratch, &results[i]);
        sequence_s[i] = results[i].step_time_s / (double)ends->jobs[i]->workload.global_batch;
    }
    return (struct speedup){.total = sequence_s[OLD] / sequence_s[NEW],
                            .delivered = {results[OLD].model_tflops_per_gpu, results[NEW].model_tflops_per_gpu},
                            .fits = results[OLD].fits && results[NEW].fits};
}

/* Take all steps from the B200 in one format; rows[0] is the state before them. */
static enum orr_err run_steps(struct orr_study *study, enum orr_dtype narrow, struct speedup rows[N_STEPS + 1],
                              struct orr_error *error)
{
    struct ends ends;
    enum orr_err err = open_ends(study, "b200-sxm", "576", narrow, &ends, error);
    if (!err) rows[0] = speedup_of(study, &ends);
    for (size_t i = 0; i < N_STEPS && !err; i++) {
        err = take_step(&ends, &STEPS[i], error);
        if (!err) rows[i + 1] = speedup_of(study, &ends);
    }
    close_ends(&ends);
    return err;
}

static void find_speedups(struct orr_study *study, const struct speedup *four, const struct speedup *eight)
{
    const struct speedup *last = &four[AS_PUBLISHED];
    double real = four[0].total;
    for (size_t i = 0; i < N_STEPS; i++)
        if (strcmp(STEPS[i].real, "no") != 0) real = four[i + 1].total;
    orr_study_find(study,
                   "the published assumptions give %.0f times, %.0f if the narrow format has 8 bits; the steps that a "
                   "machine takes give %.1f. The rest needs 4 bits for attention, transfers and activations and no "
                   "overheads",
                   last->total, eight[AS_PUBLISHED].total, real);
    orr_study_find(study, "transfers hidden behind compute on both ends, which the paper does not state: %.0f times",
                   four[N_STEPS].total);
    orr_study_find(study,
                   "at the end a B200 delivers %.0f TFLOP/s of the model and an A100 %.0f: a badly used reference",
                   last->delivered[NEW], last->delivered[OLD]);
}

static enum orr_err add_waterfall(struct orr_study *study, struct orr_error *error)
{
    struct speedup four[N_STEPS + 1] = {0}, eight[N_STEPS + 1] = {0};
    struct orr_sheet *sheet = orr_study_sheet(
        study, "generations_published", "From our speed-up to about 35 times, one assumption after the other",
        "step change real factor total doublings a100_tflops b200_tflops fits total_8bit");
    enum orr_err err = run_steps(study, ORR_DTYPE_FP4, four, error);
    if (!err) err = run_steps(study, ORR_DTYPE_FP8, eight, error);
    for (size_t i = 0; i <= N_STEPS && !err; i++) {
        const struct speedup *row = &four[i];
        ORR_NUMBERS(sheet, (double)i);
        ORR_WORDS(sheet, i > 0 ? STEPS[i - 1].name : "equal batch and format", i > 0 ? STEPS[i - 1].real : "yes");
        ORR_NUMBERS(sheet, i > 0 ? row->total / four[i - 1].total : 1, row->total, log2(row->total),
                    row->delivered[OLD], row->delivered[NEW]);
        ORR_WORDS(sheet, row->fits ? "yes" : "no");
        ORR_NUMBERS(sheet, eight[i].total);
    }
    if (!err) find_speedups(study, four, eight);
    return err;
}

/* ---------------------------------------------------------------- the scenario for every system */

/* The scenario `as-published` of each system of the study: its own format, batch and recomputation. */
static enum orr_err add_scenario(struct orr_study *study, struct orr_error *error)
{
    static const struct {
        const char *name, *system, *domain, *batch, *recompute;
        enum orr_dtype narrow;
        const char *claimed; /* by the maker, for other models and conditions */
    } SYSTEMS[] = {
        {"H100-NDR", "h100-sxm", "8", "1024", "full", ORR_DTYPE_FP8, "4 to 5"},
        {"H100-NVS", "h100-sxm", "256", "1024", "full", ORR_DTYPE_FP8, "9 (mixture of experts)"},
        {"H200-NVS-L", "h200-sxm", "256", "4096", "none", ORR_DTYPE_FP8, ""},
        {"B200-NDR", "b200-sxm", "8", "1024", "none", ORR_DTYPE_FP4, ""},
        {"B200-NVS", "b200-sxm", "576", "1024", "none", ORR_DTYPE_FP4, ""},
        {"B200-NVS-L", "b200-sxm", "8192", "4096", "none", ORR_DTYPE_FP4, "35 (the paper)"},
    };
    struct orr_sheet *sheet = orr_study_sheet(study, "generations_as_published",
                                              "Speed-up over A100-HDR under the published assumptions, every system",
                                              "system precision global_batch recompute speedup claimed tflops fits");
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof SYSTEMS / sizeof *SYSTEMS && !err; i++) {
        struct ends ends;
        err = open_ends(study, SYSTEMS[i].system, SYSTEMS[i].domain, SYSTEMS[i].narrow, &ends, error);
        for (size_t s = 0; s < AS_PUBLISHED && !err; s++)
            if (!STEPS[s].values[0].path || strcmp(STEPS[s].values[0].path, "system.domain_gpus") != 0)
                err = take_step(&ends, &STEPS[s], error);
        if (!err) err = orr_form_set(ends.forms[NEW], "workload.global_batch", SYSTEMS[i].batch, error);
        if (!err) err = orr_form_set(ends.forms[NEW], "workload.recompute", SYSTEMS[i].recompute, error);
        if (!err) err = read_ends(&ends, error);
        if (!err) {
            const struct speedup s = speedup_of(study, &ends);
            ORR_WORDS(sheet, SYSTEMS[i].name, orr_dtype_name(SYSTEMS[i].narrow));
            ORR_NUMBERS(sheet, (double)ends.jobs[NEW]->workload.global_batch);
            ORR_WORDS(sheet, SYSTEMS[i].recompute);
            ORR_NUMBERS(sheet, s.total);
            ORR_WORDS(sheet, SYSTEMS[i].claimed);
            ORR_NUMBERS(sheet, s.delivered[NEW]);
            ORR_WORDS(sheet, s.fits ? "yes" : "no");
        }
        close_ends(&ends);
    }
    return err;
}

enum orr_err orr_study_published(struct orr_study *study, struct orr_error *error)
{
    const enum orr_err err = add_waterfall(study, error);
    return err ? err : add_scenario(study, error);
}
