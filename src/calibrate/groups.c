/* What the rows of a chip can identify: their size classes, the tables they come from, and for every group the
 * constants to fit with their physical bounds. Rows come in, and groups ready for the fit go out. */
#include "calibrate/calibrate.h"

#include "base/number.h"
#include "cost/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- size classes */

struct size_classes {
    double from[ORR_SIZE_CLASSES - 2]; /* lower ends of the second, third and fourth class */
    const char *names[ORR_SIZE_CLASSES];
};

static const struct size_classes PRODUCT = {{16, 256, 2048},
                                            {"m < 16", "m 16-255", "m 256-2047", "m >= 2048", "n or k < 512"}};
static const struct size_classes QUERIES = {{128, 1024, 4096},
                                            {"q < 128", "q 128-1023", "q 1024-4095", "q >= 4096", ""}};
static const struct size_classes CACHE = {{4e6, 64e6, 512e6}, {"< 4 MB", "4-64 MB", "64-512 MB", ">= 512 MB", ""}};
static const struct size_classes EXPERT = {{16, 128, 512}, {"m < 16", "m 16-127", "m 128-511", "m >= 512", ""}};
static const struct size_classes MESSAGE = {{65536, 1048576, 16777216},
                                            {"< 64 KiB", "64 KiB-1 MiB", "1-16 MiB", ">= 16 MiB", ""}};
static const struct size_classes TENSOR = {{1e6, 1e8, 1e9}, {"< 1 MB", "1-100 MB", "0.1-1 GB", ">= 1 GB", ""}};
#define X_CLASSES(name, word, columns, classes, reader) &classes,
static const struct size_classes *const CLASSES[ORR_N_KERNELS] = {ORR_KERNELS(X_CLASSES)};

const char *orr_size_class_name(enum orr_kernel kind, int size_class)
{
    return CLASSES[kind]->names[size_class];
}

static int size_class_of(const struct orr_kernel_row *row)
{
    int i = 0;
    if (row->size < 0) return ORR_SIZE_CLASSES - 1;
    while (i < ORR_SIZE_CLASSES - 2 && row->size >= CLASSES[row->kind]->from[i]) i++;
    return i;
}

/* ---------------------------------------------------------------- which tables count */

static bool in_group(const struct orr_kernel_row *row, size_t group)
{
    return !row->left_out && row->group == group;
}

static bool in_table(const struct orr_kernel_row *row, size_t table)
{
    return !row->left_out && row->table == table;
}

/* If some tables name the kernel, the others timed another kernel and are only predicted. */
static void prefer_named(struct orr_fit *fit, size_t group)
{
    bool named = false;
    for (size_t i = 0; i < fit->n_rows; i++)
        named |= in_group(&fit->rows[i], group) && fit->rows[i].fitted && *fit->rows[i].backend;
    for (size_t i = 0; named && i < fit->n_rows; i++)
        if (in_group(&fit->rows[i], group) && !*fit->rows[i].backend) fit->rows[i].fitted = false;
}

/* The mean logarithm of the fitted times of a table; HUGE_VAL if it has none. */
static double mean_log_s(const struct orr_fit *fit, size_t table)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        if (!in_table(&fit->rows[i], table) || !fit->rows[i].fitted) continue;
        sum += log(fit->rows[i].measured_s);
        n++;
    }
    return n ? sum / (double)n : HUGE_VAL;
}

/* Only the fastest of several engines' all-reduce kernels is fitted. */
static void prefer_fastest(struct orr_fit *fit, size_t group)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < fit->n_tables; i++)
        if (fit->tables[i].group == group && (best == SIZE_MAX || mean_log_s(fit, i) < mean_log_s(fit, best))) best = i;
    for (size_t i = 0; i < fit->n_rows; i++)
        if (in_group(&fit->rows[i], group) && fit->rows[i].table != best) fit->rows[i].fitted = false;
}

/* ---------------------------------------------------------------- tables */

static bool same_table(const struct orr_fit_table *t, const struct orr_kernel_row *row)
{
    return t->group == row->group && t->kind == row->kind && t->mode == row->mode &&
           strcmp(t->source, row->source) == 0 && strcmp(t->backend, row->backend) == 0 &&
           strcmp(t->dtype, row->dtype) == 0;
}

static bool build_tables(struct orr_fit *fit)
{
    free(fit->tables);
    fit->n_tables = 0;
    fit->tables = NULL;
    for (size_t i = 0; i < fit->n_rows; i++) {
        struct orr_kernel_row *row = &fit->rows[i];
        if (row->left_out) continue;
        size_t t = 0;
        while (t < fit->n_tables && !same_table(&fit->tables[t], row)) t++;
        if (t == fit->n_tables) {
            struct orr_fit_table *tables = orr_fit_grow(fit->tables, t, sizeof *tables);
            if (!tables) return false;
            fit->tables = tables;
            tables[fit->n_tables++] = (struct orr_fit_table){.group = row->group,
                                                             .kind = row->kind,
                                                             .mode = row->mode,
                                                             .source = row->source,
                                                             .backend = row->backend,
                                                             .dtype = row->dtype,
                                                             .least_s = row->measured_s,
                                                             .warm_s = HUGE_VAL};
        }
        row->table = t;
        fit->tables[t].n_rows++;
        fit->tables[t].least_s = orr_min(fit->tables[t].least_s, row->measured_s);
        fit->tables[t].most_s = orr_max(fit->tables[t].most_s, row->measured_s);
    }
    return true;
}

/* Is this the table of its group with the shortest time around the kernel? Its small messages define the latency. */
static bool is_reference(const struct orr_fit *fit, size_t table)
{
    const struct orr_fit_table *t = &fit->tables[table];
    for (size_t i = 0; i < fit->n_tables; i++)
        if (i != table && fit->tables[i].group == t->group && fit->tables[i].n_fitted > 0 &&
            (fit->tables[i].least_s < t->least_s || (i < table && fit->tables[i].least_s <= t->least_s)))
            return false;
    return true;
}

/* The time of a memory-bound kernel on very little data, less its launch, is the call time of the table. */
static double small_call_s(const struct orr_fit *fit, size_t table)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < fit->n_rows; i++)
        if (in_table(&fit->rows[i], table) && fit->rows[i].size_class == 0)
            least = orr_min(least, fit->rows[i].measured_s);
    const double call_s = least - fit->job.calibration.pointwise_launch_s;
    return least < HUGE_VAL && call_s > 0 ? call_s : 0;
}

/* Products at least this long, run some ten times in a row, reach the power limit. */
#define LONG_S 0.01

/* Choose the terms of a table that describe its run and are fitted beside the constants. */
static void free_terms(struct orr_fit *fit, size_t table)
{
    struct orr_fit_table *t = &fit->tables[table];
    const struct orr_fit_group *group = &fit->groups[t->group];
    const struct orr_gemm_constants *gemm = &fit->job.calibration.gemm[group->kind == ORR_FIT_GEMM ? group->index : 0];
    bool narrow = false;
    for (size_t i = 0; i < fit->n_rows && !narrow; i++)
        narrow = in_table(&fit->rows[i], table) && fit->rows[i].has_pass && !fit->rows[i].ready_inputs;
    switch (group->kind) {
    case ORR_FIT_GEMM:
        /* A table that is only predicted has no terms. */
        t->free_level = t->mode == ORR_MODE_UNKNOWN && t->n_fitted > 0;
        t->level = t->free_level ? (gemm->burst_frac + gemm->sustained_frac) / 2 : 0;
        t->free_warm = t->free_level && t->most_s >= LONG_S;
        if (t->free_warm) t->warm_s = LONG_S;
        t->free_call = t->free_passes = narrow;
        return;
    case ORR_FIT_GROUPED: t->free_passes = narrow; return;
    /* The call of an engine is part of launch_s. */
    case ORR_FIT_FLASH: t->free_call = group->index != ORR_ATTENTION_SERVING; return;
    case ORR_FIT_P2P: t->free_call = true; return;
    case ORR_FIT_LINES: t->free_call = !is_reference(fit, table); return;
    case ORR_FIT_POINTWISE: t->call_s = small_call_s(fit, table); return;
    case ORR_FIT_BMM:
    case ORR_FIT_DECODE:
    case ORR_FIT_LATENT:
    case ORR_FIT_LAUNCH:
    case ORR_FIT_CUSTOM:
    case ORR_N_FIT_KINDS: return;
    }
}

/* All tables have the same weight, whatever their number of rows, and so have all size classes of a table. */
static void weigh(struct orr_fit *fit)
{
    for (size_t t = 0; t < fit->n_tables; t++) {
        size_t n[ORR_SIZE_CLASSES] = {0}, classes = 0;
        for (size_t i = 0; i < fit->n_rows; i++)
            if (in_table(&fit->rows[i], t) && fit->rows[i].fitted) n[fit->rows[i].size_class]++;
        for (size_t c = 0; c < ORR_SIZE_CLASSES; c++) {
            classes += n[c] > 0;
            fit->tables[t].n_fitted += n[c];
        }
        for (size_t i = 0; i < fit->n_rows; i++)
            if (in_table(&fit->rows[i], t) && fit->rows[i].fitted)
                fit->rows[i].weight = 1 / (double)(classes * n[fit->rows[i].size_class]);
    }
}

/* ---------------------------------------------------------------- constants */

static bool bears_on(const struct orr_kernel_row *row, enum orr_told_by told_by)
{
    const double head = row->ops[0].head_size;
    switch (told_by) {
    case ORR_TOLD_BY_ALL:
    case ORR_TOLD_BY_PAGED:
    case ORR_TOLD_BY_SPLIT: return true; /* All decode kernels of a group are of one kind. */
    case ORR_TOLD_BY_BURST: return row->mode == ORR_MODE_BURST;
    case ORR_TOLD_BY_SUSTAINED: return row->mode == ORR_MODE_SUSTAINED;
    case ORR_TOLD_BY_FORWARD: return row->ops[0].kind == ORR_OP_FLASH;
    case ORR_TOLD_BY_BACKWARD: return row->ops[0].kind == ORR_OP_FLASH_BACKWARD;
    case ORR_TOLD_BY_HEAD_64: return head > 0 && head <= 64;
    case ORR_TOLD_BY_HEAD_96: return head > 64 && head <= 96;
    case ORR_TOLD_BY_PITCH_8: return orr_gemm_pitch_bytes(&row->ops[0]) == 8;
    case ORR_TOLD_BY_PITCH_4: return orr_gemm_pitch_bytes(&row->ops[0]) == 4;
    case ORR_TOLD_BY_PITCH_2: return orr_gemm_pitch_bytes(&row->ops[0]) == 2;
    }
    return false;
}

static size_t rows_that_tell(const struct orr_fit *fit, size_t g, const struct orr_constant *constant)
{
    size_t n = 0;
    for (size_t i = 0; i < fit->n_rows; i++)
        n += in_group(&fit->rows[i], g) && fit->rows[i].fitted && bears_on(&fit->rows[i], constant->told_by);
    return n;
}

/* Add a constant to a group: the number `at`, which `rows` timings depend on. Returns NULL if the group is full. */
static struct orr_fit_constant *new_constant(struct orr_fit_group *group, const struct orr_constant *is, double *at,
                                             size_t rows)
{
    if (group->n_constants == ORR_FIT_CONSTANTS) return NULL;
    struct orr_fit_constant *constant = &group->constants[group->n_constants++];
    *constant = (struct orr_fit_constant){
        .is = is, .at = at, .low = is->fit_min, .high = is->fit_max, .old_value = *at, .new_value = *at, .rows = rows};
    return constant;
}

/* Does the group fit this constant of its struct? */
static bool is_fitted_by(const struct orr_constant *constant, const struct orr_fit_group *group)
{
    const bool paged = group->kind == ORR_FIT_DECODE && group->index != ORR_DECODE_SDPA;
    const bool softmax = group->kind == ORR_FIT_POINTWISE && group->index == ORR_POINTWISE_SOFTMAX;
    if (constant->group != (group->kind == ORR_FIT_LATENT ? ORR_FIT_DECODE : group->kind)) return false;
    /* Absorbed latent attention and framework kernels do not split their keys, so they have no time to add the
     * parts. */
    if (constant->told_by == ORR_TOLD_BY_PAGED || constant->told_by == ORR_TOLD_BY_SPLIT) return paged;
    /* All formats share one cache, so the 16-bit formats fit its constants. */
    if (constant->home == ORR_HOME_CALIBRATION && group->kind == ORR_FIT_GEMM)
        return group->index == ORR_DTYPE_BF16 || group->index == ORR_DTYPE_FP16;
    /* Tables time the softmax of a framework, which has a constant of its own. */
    if (group->kind == ORR_FIT_POINTWISE) return softmax == (constant->n == 1);
    return true;
}

/* Add the constants of a group that are members of the struct at `home`. */
static void add_members(struct orr_fit *fit, size_t g, enum orr_home home, void *members)
{
    struct orr_fit_group *group = &fit->groups[g];
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++) {
        const struct orr_constant *is = &orr_constants[i];
        if (is->home != home || !is_fitted_by(is, group)) continue;
        double *const at = orr_constant_at(members, is, is->n > 1 ? (size_t)group->index : 0);
        struct orr_fit_constant *constant = new_constant(group, is, at, rows_that_tell(fit, g, is));
        if (!constant) return;
        if (is->n > 1) (void)snprintf(constant->path, sizeof constant->path, "%s", group->path);
        else if (home == ORR_HOME_CALIBRATION) (void)snprintf(constant->path, sizeof constant->path, "%s", is->key);
        else (void)snprintf(constant->path, sizeof constant->path, "%s.%s", group->path, is->key);
    }
}

/* ---------------------------------------------------------------- lines */

/* Add lines to start from if the calibration has none: the latency and the bandwidth protocol, or one-shot and
 * two-shot. */
static void start_lines(struct orr_fit *fit, enum orr_collective collective, bool custom)
{
    struct orr_calibration *calibration = &fit->job.calibration;
    const enum orr_algorithm plain = collective == ORR_COLLECTIVE_ALLTOALL ? ORR_ALGORITHM_DIRECT : ORR_ALGORITHM_RING;
    for (int64_t i = 0; i < calibration->n_lines; i++)
        if (calibration->lines[i].collective == collective && calibration->lines[i].custom == custom) return;
    for (int i = 0; i < 2 && calibration->n_lines < ORR_MAX_LINES; i++)
        calibration->lines[calibration->n_lines++] = (struct orr_collective_line){
            .collective = collective,
            .algorithm = !custom  ? plain
                         : i == 0 ? ORR_ALGORITHM_ONESHOT
                                  : ORR_ALGORITHM_TWOSHOT,
            .low_latency = custom || i == 0,
            .custom = custom,
            .base_s = i == 0 ? 5e-6 : 2e-5,
            .hop_s = 1e-6,
            .n_points = 3,
            .ranks = {2, 4, 8},
            .efficiency_frac = {i == 0 ? 0.4 : 0.7, i == 0 ? 0.4 : 0.7, i == 0 ? 0.4 : 0.7}};
}

static size_t rows_at_ranks(const struct orr_fit *fit, size_t g, double ranks)
{
    size_t n = 0;
    for (size_t i = 0; i < fit->n_rows; i++)
        n += in_group(&fit->rows[i], g) && fit->rows[i].fitted && (double)fit->rows[i].ranks == ranks;
    return n;
}

/* The longest hop of an engine's own kernel. A longer one would dominate rings of more ranks than were measured. */
#define CUSTOM_HOP_S 1e-6

static void add_line(struct orr_fit *fit, size_t g, int i)
{
    struct orr_fit_group *group = &fit->groups[g];
    struct orr_collective_line *line = &fit->job.calibration.lines[i];
    const struct orr_constant *hop = &orr_constants[ORR_CONSTANT_LINE_hop_s];
    const struct orr_constant *share = &orr_constants[ORR_CONSTANT_LINE_efficiency_frac];
    struct orr_fit_constant *constant =
        new_constant(group, &orr_constants[ORR_CONSTANT_LINE_base_s], &line->base_s, group->n_fitted);
    if (constant)
        (void)snprintf(constant->path, sizeof constant->path, "lines.%d.%s (%s %s)", i, constant->is->key,
                       orr_collective_name(line->collective), orr_algorithm_name(line->algorithm));
    /* Direct exchanges and switches that reduce have the same number of hops for any number of ranks. */
    const bool hops = line->algorithm != ORR_ALGORITHM_DIRECT && line->algorithm != ORR_ALGORITHM_NVLS;
    constant = hops ? new_constant(group, hop, &line->hop_s, group->n_fitted) : NULL;
    if (constant) {
        constant->high = orr_max(line->hop_s, line->custom ? CUSTOM_HOP_S : hop->fit_max);
        (void)snprintf(constant->path, sizeof constant->path, "lines.%d.%s", i, hop->key);
    }
    for (int p = 0; p < (int)line->n_points; p++) {
        const size_t rows = rows_at_ranks(fit, g, line->ranks[p]);
        constant = rows > 0 ? new_constant(group, share, &line->efficiency_frac[p], rows) : NULL;
        if (constant)
            (void)snprintf(constant->path, sizeof constant->path, "lines.%d.%s.%d (%d ranks)", i, share->key, p,
                           (int)line->ranks[p]);
    }
}

static void add_lines(struct orr_fit *fit, size_t g)
{
    const struct orr_fit_group *group = &fit->groups[g];
    const bool custom = group->kind == ORR_FIT_CUSTOM;
    for (int i = 0; i < (int)fit->job.calibration.n_lines; i++) {
        const struct orr_collective_line *line = &fit->job.calibration.lines[i];
        const bool others = line->kernel != ORR_ALLREDUCE_TRTLLM; /* of other stacks than a table is of */
        if ((int)line->collective == group->index && line->custom == custom && !others) add_line(fit, g, i);
    }
}

/* ---------------------------------------------------------------- groups */

static void add_constants(struct orr_fit *fit, size_t g)
{
    struct orr_calibration *calibration = &fit->job.calibration;
    const int i = fit->groups[g].index, width = fit->groups[g].width;
    switch (fit->groups[g].kind) {
    case ORR_FIT_GEMM:
    case ORR_FIT_GROUPED: add_members(fit, g, ORR_HOME_GEMM, &calibration->gemm[i]); break;
    case ORR_FIT_FLASH: add_members(fit, g, ORR_HOME_ATTENTION, &calibration->attention[i]); break;
    case ORR_FIT_DECODE: add_members(fit, g, ORR_HOME_DECODE, &calibration->decode[i][width]); break;
    case ORR_FIT_LATENT: add_members(fit, g, ORR_HOME_DECODE, &calibration->mla_decode[width]); break;
    case ORR_FIT_LINES:
    case ORR_FIT_CUSTOM: add_lines(fit, g); break;
    case ORR_FIT_BMM:
    case ORR_FIT_LAUNCH:
    case ORR_FIT_POINTWISE:
    case ORR_FIT_P2P:
    case ORR_N_FIT_KINDS: break;
    }
    add_members(fit, g, ORR_HOME_CALIBRATION, calibration);
}

bool orr_fit_prepare(struct orr_fit *fit)
{
    for (size_t i = 0; i < fit->n_rows; i++)
        if (!fit->rows[i].left_out) fit->rows[i].size_class = size_class_of(&fit->rows[i]);
    if (!build_tables(fit)) return false;
    for (size_t g = 0; g < fit->n_groups; g++) {
        const enum orr_fit_kind kind = fit->groups[g].kind;
        if (kind == ORR_FIT_FLASH) prefer_named(fit, g);
        if (kind == ORR_FIT_CUSTOM) prefer_fastest(fit, g);
        if (kind == ORR_FIT_LINES || kind == ORR_FIT_CUSTOM)
            start_lines(fit, (enum orr_collective)fit->groups[g].index, kind == ORR_FIT_CUSTOM);
    }
    weigh(fit);
    for (size_t t = 0; t < fit->n_tables; t++) {
        free_terms(fit, t);
        fit->groups[fit->tables[t].group].n_rows += fit->tables[t].n_rows;
        fit->groups[fit->tables[t].group].n_fitted += fit->tables[t].n_fitted;
    }
    for (size_t g = 0; g < fit->n_groups; g++) add_constants(fit, g);
    return true;
}
