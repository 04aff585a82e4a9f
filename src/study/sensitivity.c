/* Elasticities. The model is a maximum of smooth terms, so each side of a parameter has a slope of its own. The steps
 * are so small that a slope is exact to nine digits, and each goes to one side, so that a corner between two terms
 * shows. */
#include "study/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "metric/metric.h"

const char *const orr_answer_names[2][ORR_N_ANSWERS] = {{"step_time_s", "energy_j", "cost_usd"},
                                                        {"latency_s", "ttft_s", "tpot_s"}};

/* The relative step. Half of it gives a second slope, and the two together cancel the error that is linear in the
 * step. */
#define STEP 0x1p-16
/* Two slopes that differ by more lie on both sides of a corner. A much smaller step stays on the near side. */
#define CORNER     1e-4
#define SMALL_STEP 0x1p-27
#define TENTH      1.1

/* RATE: a number of which more is faster hardware. */
enum kind { NUMBER, RATE, COUNT, PEAKS };

struct parameter {
    const char *name, *unit;
    size_t offset; /* offset in struct orr_system */
    enum kind kind;
};

#define CHIP(member, unit, kind)   "chip." #member, unit, offsetof(struct orr_system, chip.member), kind
#define SYSTEM(member, unit, kind) "system." #member, unit, offsetof(struct orr_system, member), kind
static const struct parameter PARAMETERS[] = {
    {CHIP(peak_flops_per_s, "FLOP/s", PEAKS)},
    {CHIP(vector_flops_per_s, "FLOP/s", RATE)},
    {CHIP(n_sm, "", COUNT)},
    {CHIP(smem_bytes_per_sm, "bytes", RATE)},
    {CHIP(l2_bytes, "bytes", RATE)},
    {CHIP(l2_bytes_per_s, "bytes/s", RATE)},
    {CHIP(l2_multicast, "", RATE)},
    {CHIP(hbm_bytes, "bytes", NUMBER)},
    {CHIP(hbm_bytes_per_s, "bytes/s", RATE)},
    {CHIP(tdp_w, "W", NUMBER)},
    {CHIP(idle_w, "W", NUMBER)},
    {CHIP(flop_j, "J", NUMBER)},
    {CHIP(hbm_j_per_byte, "J", NUMBER)},
    {CHIP(link_j_per_byte, "J", NUMBER)},
    {SYSTEM(scaleup_bytes_per_s, "bytes/s", RATE)},
    {SYSTEM(scaleup_latency_s, "s", NUMBER)},
    {SYSTEM(scaleout_bytes_per_s, "bytes/s", RATE)},
    {SYSTEM(scaleout_latency_s, "s", NUMBER)},
    {SYSTEM(scaleout_efficiency_frac, "", RATE)},
    {SYSTEM(scaleout_oversubscription, "", NUMBER)},
    {SYSTEM(price_usd_per_gpu_hour, "$/h", NUMBER)},
    {SYSTEM(pue_frac, "", NUMBER)},
};
_Static_assert(sizeof PARAMETERS / sizeof *PARAMETERS <= ORR_MAX_SENSITIVITIES, "room for every parameter");

/* One job that is predicted many times with one number changed. */
struct study {
    const struct orr_job *job;
    struct orr_job changed;
    struct orr_scratch *scratch;
    double answers[ORR_N_ANSWERS];
};

/* Returns whether the job fits. */
static bool predict(struct study *study, double answers[ORR_N_ANSWERS])
{
    if (study->changed.kind == ORR_JOB_TRAIN) {
        struct orr_result result;
        orr_train(&study->changed, study->scratch, &result);
        answers[0] = result.step_time_s;
        answers[1] = result.energy_j;
        answers[2] = result.cost_usd;
        return result.fits;
    } else {
        struct orr_infer_result result;
        orr_infer(&study->changed, study->scratch, &result);
        answers[0] = result.latency_s;
        answers[1] = result.ttft_s;
        answers[2] = result.tpot_s;
        return result.fits;
    }
}

static double value_of(const struct orr_job *job, const struct parameter *parameter)
{
    const char *at = (const char *)&job->system + parameter->offset;
    double number;
    int64_t count;
    switch (parameter->kind) {
    case NUMBER:
    case RATE: memcpy(&number, at, sizeof number); return number;
    case COUNT: memcpy(&count, at, sizeof count); return (double)count;
    case PEAKS: return job->system.chip.peak_flops_per_s[orr_matrix_format(job)];
    }
    return 0;
}

/* Multiply the parameter by a factor; counts are rounded. Returns the factor after rounding. */
static double scale(struct study *study, const struct parameter *parameter, double factor)
{
    char *at = (char *)&study->changed.system + parameter->offset;
    const double value = value_of(study->job, parameter), scaled = value * factor;
    const int64_t count = (int64_t)floor(scaled + 0.5);
    study->changed.system = study->job->system;
    switch (parameter->kind) {
    case NUMBER:
    case RATE: memcpy(at, &scaled, sizeof scaled); return scaled / value;
    case COUNT: memcpy(at, &count, sizeof count); return (double)count / value;
    case PEAKS:
        for (int i = 0; i < ORR_N_DTYPES; i++) study->changed.system.chip.peak_flops_per_s[i] *= factor;
        return factor;
    }
    return 1;
}

/* The slope of the logarithms between the job and the job with the parameter times `factor`. */
static void slope(struct study *study, const struct parameter *parameter, double factor, double slopes[ORR_N_ANSWERS])
{
    double answers[ORR_N_ANSWERS];
    const double got = scale(study, parameter, factor);
    predict(study, answers);
    for (int i = 0; i < ORR_N_ANSWERS; i++)
        slopes[i] = answers[i] > 0 ? log(answers[i] / study->answers[i]) / log(got) : 0;
}

/* The one-sided elasticity; `sign` is -1 or 1. It is extrapolated from a step and from half of it; where the two
 * differ, a corner is between them, and a small step tells. A count moves by one. */
static void elasticity(struct study *study, const struct parameter *parameter, double sign, double found[ORR_N_ANSWERS])
{
    double whole[ORR_N_ANSWERS], half[ORR_N_ANSWERS], least[ORR_N_ANSWERS];
    const double value = value_of(study->job, parameter);
    if (parameter->kind == COUNT) {
        if (value + sign >= 1) slope(study, parameter, (value + sign) / value, found);
        return;
    }
    slope(study, parameter, 1 + sign * STEP, whole);
    slope(study, parameter, 1 + sign * STEP / 2, half);
    bool corner = false;
    for (int i = 0; i < ORR_N_ANSWERS; i++) {
        found[i] = 2 * half[i] - whole[i];
        corner |= fabs(half[i] - whole[i]) > CORNER;
    }
    if (!corner) return;
    slope(study, parameter, 1 + sign * SMALL_STEP, least);
    for (int i = 0; i < ORR_N_ANSWERS; i++)
        if (fabs(half[i] - whole[i]) > CORNER) found[i] = least[i];
}

/* The largest effect comes first; equal ones keep the order of the table. */
static int compare(const void *a, const void *b)
{
    const struct orr_sensitivity *x = a, *y = b;
    const double p = orr_max(fabs(x->less[0]), fabs(x->more[0])), q = orr_max(fabs(y->less[0]), fabs(y->more[0]));
    if (fabs(p - q) > 1e-9) return p > q ? -1 : 1;
    const double r = fabs(x->more[1]) + fabs(x->more[2]), s = fabs(y->more[1]) + fabs(y->more[2]);
    if (fabs(r - s) > 1e-9) return r > s ? -1 : 1;
    return strcmp(x->name, y->name);
}

size_t orr_sensitivities(const struct orr_job *job, struct orr_scratch *scratch,
                         struct orr_sensitivity sensitivities[ORR_MAX_SENSITIVITIES], double answers[ORR_N_ANSWERS],
                         bool *fits)
{
    struct study study = {.job = job, .changed = *job, .scratch = scratch};
    size_t n = 0;
    *fits = predict(&study, study.answers);
    memcpy(answers, study.answers, sizeof study.answers);
    for (size_t i = 0; i < sizeof PARAMETERS / sizeof *PARAMETERS; i++) {
        const struct parameter *parameter = &PARAMETERS[i];
        const double value = value_of(job, parameter);
        if (!(value > 0)) continue;
        struct orr_sensitivity *s = &sensitivities[n++];
        *s = (struct orr_sensitivity){.name = parameter->name,
                                      .unit = parameter->unit,
                                      .faster = parameter->kind == RATE || parameter->kind == PEAKS,
                                      .value = value};
        elasticity(&study, parameter, -1, s->less);
        elasticity(&study, parameter, 1, s->more);
        scale(&study, parameter, TENTH);
        double tenth[ORR_N_ANSWERS];
        predict(&study, tenth);
        for (int k = 0; k < ORR_N_ANSWERS; k++)
            s->tenth[k] = study.answers[k] > 0 ? tenth[k] / study.answers[k] - 1 : 0;
    }
    qsort(sensitivities, n, sizeof *sensitivities, compare);
    return n;
}
