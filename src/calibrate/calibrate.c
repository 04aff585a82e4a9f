/* From kernel tables of one chip to its constants: the public functions, and statistics over the rows. */
#include "calibrate/calibrate.h"

#include "base/number.h"
#include "base/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The engines whose kernels the tables were made with: a serving engine and a framework. */
#define SERVING_ENGINE   "tensorrt-llm-1.2"
#define FRAMEWORK_ENGINE "pytorch-eager-cudagraph"

/* ---------------------------------------------------------------- the chip */

/* Is the name the beginning of the id, as "h20_sxm" is of "h20-sxm-96gb"? */
static bool begins_like(const char *id, const char *name)
{
    for (; *name; id++, name++)
        if (*id != *name && !(*id == '-' && *name == '_')) return false;
    return *id == '-';
}

/* How well a system's chip matches a name: by its id, by the calibration fitted on it, or by the beginning of its
 * id. */
static int match(const struct orr_system *system, const struct orr_calibration *calibration, const char *name)
{
    if (strcmp(system->chip.id, name) == 0) return 3;
    if (calibration->calibrated && strcmp(calibration->id, name) == 0) return 2;
    return begins_like(system->chip.id, name);
}

/* Of chips that match alike, the one whose id has least beyond the name counts, then the one with the most memory. */
static bool comes_before(const struct orr_chip *chip, const struct orr_chip *other)
{
    const size_t length = strlen(chip->id), other_length = strlen(other->id);
    return length != other_length ? length < other_length : chip->hbm_bytes > other->hbm_bytes;
}

/* Find the first system with the chip. */
static enum orr_err find_chip(struct orr_fit *fit, const char *name, struct orr_error *error)
{
    struct orr_system system;
    int best = 0;
    struct orr_calibration *calibration = malloc(sizeof *calibration);
    if (!calibration) return orr_out_of_memory(error, NULL);
    for (size_t i = 0; i < orr_catalogue_count(fit->catalogue, ORR_PART_SYSTEM); i++) {
        if (orr_system_read(fit->catalogue, orr_catalogue_id(fit->catalogue, ORR_PART_SYSTEM, i), &system, calibration,
                            NULL))
            continue; /* A broken file of the user that was not asked about is skipped. */
        const int how = match(&system, calibration, name);
        if (how < best || how == 0) continue;
        if (how == best && !comes_before(&system.chip, &fit->job.system.chip)) continue;
        best = how;
        fit->job.system = system;
        fit->job.calibration = *calibration;
    }
    free(calibration);
    if (best > 0) return ORR_OK;
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                    "no system of the catalogue has a chip \"%.80s\" (an id of 'orrery list chips', or a calibration)",
                    name);
}

enum orr_err orr_fit_open(const struct orr_catalogue *catalogue, const char *chip, struct orr_fit **out,
                          struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_fit *fit = calloc(1, sizeof *fit);
    *out = NULL;
    if (!fit) return orr_out_of_memory(error, NULL);
    fit->catalogue = catalogue;
    enum orr_err err = find_chip(fit, chip, error);
    if (!err) err = orr_engine_read(catalogue, SERVING_ENGINE, &fit->serving, error);
    if (!err) err = orr_engine_read(catalogue, FRAMEWORK_ENGINE, &fit->framework, error);
    if (err) {
        free(fit);
        return err;
    }
    struct orr_job *job = &fit->job;
    job->plan.tp = job->plan.pp = job->plan.vpp = job->plan.dp = job->plan.cp = job->plan.ep = job->plan.etp = 1;
    job->plan.zero_group = 1;
    job->serving.batch = 1;
    fit->before = job->calibration;
    *out = fit;
    return ORR_OK;
}

void orr_fit_close(struct orr_fit *fit)
{
    if (!fit) return;
    for (size_t i = 0; i < fit->n_csvs; i++) orr_csv_free(&fit->csvs[i]);
    free(fit->csvs);
    free(fit->rows);
    free(fit->tables);
    free(fit->groups);
    free(fit);
}

/* ---------------------------------------------------------------- tables in */

#define LISTED(name, word, ...) ", " word

enum orr_err orr_fit_add(struct orr_fit *fit, const char *kind, const char *text, const char *origin,
                         struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_csv *csvs = realloc(fit->csvs, (fit->n_csvs + 1) * sizeof *csvs);
    if (!csvs) return orr_out_of_memory(error, origin);
    fit->csvs = csvs;
    struct orr_csv *csv = &csvs[fit->n_csvs];
    enum orr_err err = orr_csv_parse(text, origin, csv, error);
    if (err) return err;
    fit->n_csvs++; /* The rows point into the CSV, even those before an error. */
    if (orr_fit_is_lab(csv)) return orr_fit_read_lab(fit, csv, origin, error);
    size_t i = 0;
    while (i < ORR_N_KERNELS && strcmp(orr_kernel_names[i], kind) != 0) i++;
    if (i < ORR_N_KERNELS) return orr_fit_read_rows(fit, (enum orr_kernel)i, csv, origin, error);
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                    "\"%.60s\" is no kind of kernel table; the file's name says which: %s", kind,
                    &(ORR_KERNELS(LISTED))[2]);
}

/* ---------------------------------------------------------------- constants out */

static bool has_group(const struct orr_fit *fit, enum orr_fit_kind kind, int index, int width)
{
    return orr_fit_find_group(fit, kind, index, width) < fit->n_groups;
}

/* Constants without rows of their own that were equal to fitted ones stay equal to them. */
static void follow(double *follower, const double *was, const double *leader, const double *leader_was, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (was[i] == leader_was[i]) follower[i] = leader[i];
}
#define FOLLOW(now, before, i, j)                                                                                      \
    follow((double *)&(now)[i], (const double *)&(before)[i], (const double *)&(now)[j], (const double *)&(before)[j], \
           sizeof(now)[i] / sizeof(double))

static bool is_wide(int dtype)
{
    return dtype == ORR_DTYPE_FP32 || dtype == ORR_DTYPE_TF32 || dtype == ORR_DTYPE_FP16 || dtype == ORR_DTYPE_BF16;
}

static void follow_group(struct orr_fit *fit, const struct orr_fit_group *group)
{
    struct orr_calibration *now = &fit->job.calibration;
    const struct orr_calibration *was = &fit->before;
    const int lead = group->index;
    if (group->kind == ORR_FIT_GEMM || group->kind == ORR_FIT_GROUPED)
        for (int d = 0; d < ORR_N_DTYPES; d++)
            if (d != lead && !has_group(fit, group->kind, d, 0) &&
                ((is_wide(d) && is_wide(lead)) || (d == ORR_DTYPE_INT8 && lead == ORR_DTYPE_FP8)))
                FOLLOW(now->gemm, was->gemm, d, lead);
    if (group->kind == ORR_FIT_FLASH)
        for (int k = 0; k < ORR_N_ATTENTION_KERNELS; k++)
            if (k != lead && !has_group(fit, ORR_FIT_FLASH, k, 0)) FOLLOW(now->attention, was->attention, k, lead);
    if (group->kind == ORR_FIT_DECODE && group->width == 0 && !has_group(fit, ORR_FIT_DECODE, lead, 1))
        FOLLOW(now->decode[lead], was->decode[lead], 1, 0);
    if (group->kind == ORR_FIT_LATENT && group->width == 0 && !has_group(fit, ORR_FIT_LATENT, 0, 1))
        FOLLOW(now->mla_decode, was->mla_decode, 1, 0);
}

/* Predict all rows of a group with the present constants. */
static void predict(struct orr_fit *fit, size_t group, bool after)
{
    orr_fit_enter(fit, &fit->groups[group]);
    for (size_t i = 0; i < fit->n_rows; i++) {
        struct orr_kernel_row *row = &fit->rows[i];
        if (row->left_out || row->group != group) continue;
        *(after ? &row->after_s : &row->before_s) = orr_fit_price(fit, row, true);
        *(after ? &row->plain_s : &row->plain_before_s) = orr_fit_price(fit, row, false);
    }
}

enum orr_err orr_fit_run(struct orr_fit *fit, void (*progress)(void *context, const char *what, double done_frac),
                         void *context, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    if (!ORR_HAS_NLOPT)
        return orr_fail(error, ORR_ERR_RULE, (struct orr_place){0}, "built without NLopt: no constants can be fitted");
    if (fit->n_rows == 0)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "the tables hold no timings: nothing to fit");
    bool good = orr_fit_prepare(fit);
    for (size_t g = 0; good && g < fit->n_groups; g++) {
        good = orr_fit_terms(fit, g);
        predict(fit, g, false);
    }
    size_t done_rows = 0, all_rows = 1;
    for (size_t g = 0; g < fit->n_groups; g++) all_rows += fit->groups[g].n_fitted;
    for (int kind = 0; kind < ORR_N_FIT_KINDS; kind++)
        for (size_t g = 0; good && g < fit->n_groups; g++) {
            struct orr_fit_group *group = &fit->groups[g];
            if ((int)group->kind != kind) continue;
            if (progress) progress(context, group->path, (double)done_rows / (double)all_rows);
            good = orr_fit_group_constants(fit, g);
            follow_group(fit, group);
            done_rows += group->n_fitted;
        }
    for (size_t g = 0; good && g < fit->n_groups; g++) {
        predict(fit, g, true);
        const struct orr_fit_filter filter = {.kind = -1, .group = (int)g, .size_class = -1, .fitted = true};
        const struct orr_fit_stats stats = orr_fit_stats_of(fit, filter, ORR_COLUMN_AFTER);
        fit->groups[g].median_frac = stats.median_frac;
        fit->groups[g].p90_frac = stats.p90_frac;
    }
    if (progress) progress(context, "", 1);
    return good ? ORR_OK : orr_out_of_memory(error, NULL);
}

/* ---------------------------------------------------------------- statistics */

static double column_s(const struct orr_kernel_row *row, enum orr_fit_column column)
{
    switch (column) {
    case ORR_COLUMN_BEFORE: return row->before_s;
    case ORR_COLUMN_AFTER: return row->after_s;
    case ORR_COLUMN_PLAIN_BEFORE: return row->plain_before_s;
    case ORR_COLUMN_PLAIN: return row->plain_s;
    }
    return 0;
}

struct orr_fit_stats orr_fit_stats_of(const struct orr_fit *fit, struct orr_fit_filter filter,
                                      enum orr_fit_column column)
{
    struct orr_fit_stats stats = {0};
    double *errors = malloc((fit->n_rows + 1) * sizeof *errors);
    for (size_t i = 0; errors && i < fit->n_rows; i++) {
        const struct orr_kernel_row *row = &fit->rows[i];
        if (row->left_out || !(row->fitted ? filter.fitted : filter.others) ||
            (filter.kind >= 0 && (int)row->kind != filter.kind) ||
            (filter.group >= 0 && (int)row->group != filter.group) ||
            (filter.size_class >= 0 && row->size_class != filter.size_class))
            continue;
        errors[stats.n++] = column_s(row, column) / row->measured_s - 1;
    }
    if (stats.n > 0) {
        qsort(errors, stats.n, sizeof *errors, orr_ascending);
        stats.bias_frac = orr_quantile(errors, stats.n, 0.5);
        for (size_t i = 0; i < stats.n; i++) errors[i] = fabs(errors[i]);
        qsort(errors, stats.n, sizeof *errors, orr_ascending);
        stats.median_frac = orr_quantile(errors, stats.n, 0.5);
        stats.p90_frac = orr_quantile(errors, stats.n, 0.9);
    }
    free(errors);
    return stats;
}
