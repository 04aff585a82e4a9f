/* What the rows of a chip can tell: their size classes, the tables they come from, and for every group the constants to
 * fit with physical bounds. Rows read -> groups ready for the fit. */
#include "calibrate/calibrate.h"

#include "base/number.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- size classes */

struct size_classes {
    double from[ORR_SIZE_CLASSES - 2]; /* of the second, third and fourth class */
    const char *names[ORR_SIZE_CLASSES];
};

static const struct size_classes *classes_of(enum orr_kernel kind)
{
    static const struct size_classes PRODUCT = {{16, 256, 2048},
                                                {"m < 16", "m 16-255", "m 256-2047", "m >= 2048", "n or k < 512"}};
    static const struct size_classes QUERIES = {{128, 1024, 4096},
                                                {"q < 128", "q 128-1023", "q 1024-4095", "q >= 4096", ""}};
    static const struct size_classes CACHE = {{4e6, 64e6, 512e6}, {"< 4 MB", "4-64 MB", "64-512 MB", ">= 512 MB", ""}};
    static const struct size_classes EXPERT = {{16, 128, 512}, {"m < 16", "m 16-127", "m 128-511", "m >= 512", ""}};
    static const struct size_classes MESSAGE = {{65536, 1048576, 16777216},
                                                {"< 64 KiB", "64 KiB-1 MiB", "1-16 MiB", ">= 16 MiB", ""}};
    static const struct size_classes TENSOR = {{1e6, 1e8, 1e9}, {"< 1 MB", "1-100 MB", "0.1-1 GB", ">= 1 GB", ""}};
    switch (kind) {
    case ORR_KERNEL_GEMM:
    case ORR_KERNEL_BMM: return &PRODUCT;
    case ORR_KERNEL_ATTENTION_PREFILL:
    case ORR_KERNEL_ATTENTION_BACKWARD:
    case ORR_KERNEL_MLA_PREFILL: return &QUERIES;
    case ORR_KERNEL_ATTENTION_DECODE:
    case ORR_KERNEL_MLA_DECODE: return &CACHE;
    case ORR_KERNEL_MOE: return &EXPERT;
    case ORR_KERNEL_ALLREDUCE:
    case ORR_KERNEL_ALLGATHER:
    case ORR_KERNEL_REDUCESCATTER:
    case ORR_KERNEL_ALLTOALL:
    case ORR_KERNEL_P2P: return &MESSAGE;
    case ORR_KERNEL_POINTWISE:
    case ORR_KERNEL_ADAM: return &TENSOR;
    case ORR_N_KERNELS: break;
    }
    return &PRODUCT;
}

const char *orr_size_class_name(enum orr_kernel kind, int size_class)
{
    return classes_of(kind)->names[size_class];
}

static int size_class_of(const struct orr_kernel_row *row)
{
    const struct size_classes *classes = classes_of(row->kind);
    if (row->size < 0) return ORR_SIZE_CLASSES - 1;
    int i = 0;
    while (i < ORR_SIZE_CLASSES - 2 && row->size >= classes->from[i]) i++;
    return i;
}

/* ---------------------------------------------------------------- which tables count */

static bool in_group(const struct orr_kernel_row *row, size_t group)
{
    return !row->left_out && row->group == group;
}

/* Where a table names the kernel, tables that do not are another's kernel and are only predicted. */
static void prefer_named(struct orr_fit *fit, size_t group)
{
    bool named = false;
    for (size_t i = 0; i < fit->n_rows; i++)
        named |= in_group(&fit->rows[i], group) && fit->rows[i].fitted && *fit->rows[i].backend;
    for (size_t i = 0; named && i < fit->n_rows; i++)
        if (in_group(&fit->rows[i], group) && !*fit->rows[i].backend) fit->rows[i].fitted = false;
}

/* Mean logarithm of the fitted times of a table; HUGE_VAL if it has none. */
static double mean_log_s(const struct orr_fit *fit, size_t table)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        if (fit->rows[i].left_out || fit->rows[i].table != table || !fit->rows[i].fitted) continue;
        sum += log(fit->rows[i].measured_s);
        n++;
    }
    return n ? sum / (double)n : HUGE_VAL;
}

/* Of several engines' all-reduce kernels the fastest is fitted. */
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
    size_t capacity = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        struct orr_kernel_row *row = &fit->rows[i];
        if (row->left_out) continue;
        size_t t = 0;
        while (t < fit->n_tables && !same_table(&fit->tables[t], row)) t++;
        if (t == capacity) {
            capacity = 2 * capacity + 16;
            struct orr_fit_table *tables = realloc(fit->tables, capacity * sizeof *tables);
            if (!tables) return false;
            fit->tables = tables;
        }
        if (t == fit->n_tables)
            fit->tables[fit->n_tables++] = (struct orr_fit_table){.group = row->group,
                                                                  .kind = row->kind,
                                                                  .mode = row->mode,
                                                                  .source = row->source,
                                                                  .backend = row->backend,
                                                                  .dtype = row->dtype,
                                                                  .least_s = row->measured_s,
                                                                  .warm_s = HUGE_VAL};
        row->table = t;
        fit->tables[t].n_rows++;
        fit->tables[t].least_s = orr_min(fit->tables[t].least_s, row->measured_s);
        fit->tables[t].most_s = orr_max(fit->tables[t].most_s, row->measured_s);
    }
    return true;
}

/* One table of a group is timed with the least around the kernel; its messages define the latency. */
static bool is_reference(const struct orr_fit *fit, size_t table)
{
    const struct orr_fit_table *t = &fit->tables[table];
    for (size_t i = 0; i < fit->n_tables; i++)
        if (i != table && fit->tables[i].group == t->group && fit->tables[i].n_fitted > 0 &&
            (fit->tables[i].least_s < t->least_s || (i < table && fit->tables[i].least_s <= t->least_s)))
            return false;
    return true;
}

/* A memory-bound kernel's time for next to nothing, beyond the launch, is the table's call. */
static double small_call_s(const struct orr_fit *fit, size_t table)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < fit->n_rows; i++)
        if (!fit->rows[i].left_out && fit->rows[i].table == table && fit->rows[i].size_class == 0 &&
            fit->rows[i].measured_s < least)
            least = fit->rows[i].measured_s;
    const double call_s = least - fit->job.calibration.pointwise_launch_s;
    return least < HUGE_VAL && call_s > 0 ? call_s : 0;
}

/* Products this long, some ten times in a row, are held by the power limit. */
#define LONG_S 0.01

/* What of a table belongs to the run and is fitted beside the constants. */
static void free_terms(struct orr_fit *fit, size_t table)
{
    struct orr_fit_table *t = &fit->tables[table];
    const struct orr_fit_group *group = &fit->groups[t->group];
    const struct orr_gemm_constants *gemm = &fit->job.calibration.gemm[group->kind == ORR_FIT_GEMM ? group->index : 0];
    bool narrow = false;
    for (size_t i = 0; i < fit->n_rows && !narrow; i++)
        narrow = !fit->rows[i].left_out && fit->rows[i].table == table && fit->rows[i].has_pass &&
                 !fit->rows[i].ready_inputs;
    switch (group->kind) {
    case ORR_FIT_GEMM:
        t->free_level = t->mode == ORR_MODE_UNKNOWN && t->n_fitted > 0; /* nothing is fitted to what is only shown */
        t->level = t->free_level ? (gemm->burst_frac + gemm->sustained_frac) / 2 : 0;
        t->free_warm = t->free_level && t->most_s >= LONG_S;
        if (t->free_warm) t->warm_s = LONG_S;
        t->free_call = t->free_passes = narrow;
        return;
    case ORR_FIT_GROUPED: t->free_passes = narrow; return;
    case ORR_FIT_FLASH: t->free_call = group->index != ORR_ATTENTION_SERVING; return; /* engines' calls: launch_s */
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

/* Every table, and every class of it, weighs the same: a table is no truer for having many rows of one size. */
static void weigh(struct orr_fit *fit)
{
    for (size_t t = 0; t < fit->n_tables; t++) {
        size_t n[ORR_SIZE_CLASSES] = {0}, classes = 0;
        for (size_t i = 0; i < fit->n_rows; i++)
            if (!fit->rows[i].left_out && fit->rows[i].fitted && fit->rows[i].table == t) n[fit->rows[i].size_class]++;
        for (size_t c = 0; c < ORR_SIZE_CLASSES; c++) {
            classes += n[c] > 0;
            fit->tables[t].n_fitted += n[c];
        }
        for (size_t i = 0; i < fit->n_rows; i++)
            if (!fit->rows[i].left_out && fit->rows[i].fitted && fit->rows[i].table == t)
                fit->rows[i].weight = 1 / (double)(classes * n[fit->rows[i].size_class]);
    }
}

/* ---------------------------------------------------------------- constants */

/* Rows a constant needs to be told at all. */
enum need { NEED_ANY, NEED_BURST, NEED_SUSTAINED, NEED_FORWARD, NEED_BACKWARD, NEED_HEAD_64, NEED_HEAD_96 };

struct known_constant {
    const char *key;
    size_t offset;
    double low, high, typical;
    const char *unit, *meaning;
    enum need need;
};

/* clang-format off */
#define KNOWN(type, member, ...) {#member, offsetof(struct type, member), __VA_ARGS__}
/* clang-format on */

#define GEMM(...) KNOWN(orr_gemm_constants, __VA_ARGS__)
static const struct known_constant GEMM_CONSTANTS[] = {
    GEMM(burst_frac, 0.2, 1, 0.8, "frac", "share of peak before the power limit acts", NEED_BURST),
    GEMM(sustained_frac, 0.2, 1, 0.65, "frac", "share of peak in an endless matrix load", NEED_SUSTAINED),
    GEMM(sm_frac, 0.2, 1, 0.85, "frac", "share of its own peak one SM reaches while others idle", NEED_ANY),
    GEMM(dram_frac, 0.2, 1, 0.8, "frac", "sustained share of DRAM bandwidth", NEED_ANY),
    GEMM(dram_ramp_bytes, 0, 4e7, 5e6, "bytes", "traffic at which DRAM reaches half its rate", NEED_ANY),
    GEMM(tile_cost, 0, 500, 20, "number", "lost share per 1/tile side", NEED_ANY),
    GEMM(wave_s, 0, 1e-5, 1e-6, "s", "fixed time of a wave", NEED_ANY),
    GEMM(launch_s, 0, 2e-5, 2e-6, "s", "fixed time of a dependent kernel in a stream", NEED_ANY),
};
static const struct known_constant GROUPED_CONSTANTS[] = {
    GEMM(grouped_frac, 0.05, 1, 0.8, "frac", "grouped product: share of peak inside a tile", NEED_ANY),
    GEMM(grouped_tile_s, 0, 2e-5, 2e-6, "s", "grouped product: fixed time of a tile", NEED_ANY),
    GEMM(grouped_dram_frac, 0.1, 1, 0.8, "frac", "grouped product: share of DRAM bandwidth", NEED_ANY),
    GEMM(grouped_launch_s, 0, 5e-5, 1e-5, "s", "grouped product: fixed time, routing kernels in", NEED_ANY),
};

#define FLASH(...) KNOWN(orr_attention_constants, __VA_ARGS__)
static const struct known_constant FLASH_CONSTANTS[] = {
    FLASH(forward_frac, 0.05, 1, 0.6, "frac", "share of 16-bit peak, forward", NEED_FORWARD),
    FLASH(forward_half_seq, 0, 5000, 500, "keys", "sequence at half that share", NEED_FORWARD),
    FLASH(backward_frac, 0.05, 1, 0.5, "frac", "share of 16-bit peak, backward", NEED_BACKWARD),
    FLASH(backward_half_seq, 0, 5000, 800, "keys", "sequence at half that share", NEED_BACKWARD),
    FLASH(head_64_frac, 0.2, 1.5, 0.8, "ratio", "factor for heads up to 64", NEED_HEAD_64),
    FLASH(head_96_frac, 0.2, 1.5, 0.9, "ratio", "factor for heads up to 96", NEED_HEAD_96),
    FLASH(launch_s, 0, 5e-5, 8e-6, "s", "fixed time of the kernel", NEED_ANY),
    FLASH(tail, 0, 5, 0.7, "number", "last blocks of a launch, in walks over the keys", NEED_ANY),
};

#define DECODE(...) KNOWN(orr_decode_constants, __VA_ARGS__)
static const struct known_constant DECODE_CONSTANTS[] = {
    DECODE(launch_s, 0, 3e-5, 8e-6, "s", "fixed time of the kernel", NEED_ANY),
    DECODE(dram_frac, 0.2, 1, 0.9, "frac", "share of DRAM bandwidth the cache is read at", NEED_ANY),
    DECODE(compute_frac, 0.02, 1, 0.5, "frac", "share of peak", NEED_ANY),
    DECODE(sm_bytes_per_s, 5e9, 5e11, 5e10, "bytes/s", "what one SM can read", NEED_ANY),
    DECODE(block_s, 0, 1e-5, 1.5e-6, "s", "fixed time of a thread block", NEED_ANY),
    DECODE(reduce_s, 0, 2e-5, 4e-6, "s", "adding partial results of a split context", NEED_ANY),
    DECODE(ramp_bytes, 0, 2e8, 3e7, "bytes", "cache bytes read at half rate before DRAM is busy", NEED_ANY),
    DECODE(head_elements_per_s, 2e11, 2e13, 2.5e12, "1/s", "elements of kernels with one query head per block",
           NEED_ANY),
};
/* Absorbed latent attention and framework kernels have no splits to add. */
static const struct known_constant WHOLE_CONSTANTS[] = {
    DECODE(launch_s, 0, 3e-5, 8e-6, "s", "fixed time of the kernel", NEED_ANY),
    DECODE(dram_frac, 0.2, 1, 0.9, "frac", "share of DRAM bandwidth the cache is read at", NEED_ANY),
    DECODE(compute_frac, 0.02, 1, 0.5, "frac", "share of peak", NEED_ANY),
    DECODE(block_s, 0, 1e-5, 1.5e-6, "s", "fixed time of a thread block", NEED_ANY),
};

static bool bears_on(const struct orr_kernel_row *row, enum need need)
{
    const double head = row->ops[0].head_size;
    switch (need) {
    case NEED_ANY: return true;
    case NEED_BURST: return row->mode == ORR_MODE_BURST;
    case NEED_SUSTAINED: return row->mode == ORR_MODE_SUSTAINED;
    case NEED_FORWARD: return row->ops[0].kind == ORR_OP_FLASH;
    case NEED_BACKWARD: return row->ops[0].kind == ORR_OP_FLASH_BACKWARD;
    case NEED_HEAD_64: return head > 0 && head <= 64;
    case NEED_HEAD_96: return head > 64 && head <= 96;
    }
    return false;
}

static struct orr_fit_constant *new_constant(struct orr_fit *fit, struct orr_fit_group *group, size_t offset)
{
    if (group->n_constants == ORR_FIT_CONSTANTS) return NULL;
    struct orr_fit_constant *constant = &group->constants[group->n_constants++];
    *constant = (struct orr_fit_constant){.offset = offset};
    memcpy(&constant->old_value, (const char *)&fit->job.calibration + offset, sizeof constant->old_value);
    constant->new_value = constant->old_value;
    return constant;
}

/* Members of a struct that starts at `base` of the calibration. */
static void add_known(struct orr_fit *fit, size_t g, const struct known_constant *known, size_t n, size_t base)
{
    struct orr_fit_group *group = &fit->groups[g];
    for (size_t k = 0; k < n; k++) {
        struct orr_fit_constant *constant = new_constant(fit, group, base + known[k].offset);
        if (!constant) return;
        (void)snprintf(constant->path, sizeof constant->path, "%s.%s", group->path, known[k].key);
        constant->low = known[k].low;
        constant->high = known[k].high;
        constant->typical = known[k].typical;
        constant->unit = known[k].unit;
        constant->meaning = known[k].meaning;
        for (size_t i = 0; i < fit->n_rows; i++)
            constant->rows +=
                in_group(&fit->rows[i], g) && fit->rows[i].fitted && bears_on(&fit->rows[i], known[k].need);
    }
}
#define ADD_KNOWN(fit, g, table, base) add_known(fit, g, table, sizeof(table) / sizeof *(table), base)

static void add_one(struct orr_fit *fit, size_t g, struct orr_fit_constant like)
{
    struct orr_fit_group *group = &fit->groups[g];
    struct orr_fit_constant *constant = new_constant(fit, group, like.offset);
    if (!constant) return;
    like.old_value = constant->old_value;
    like.new_value = constant->new_value;
    *constant = like;
    if (!constant->path[0]) memcpy(constant->path, group->path, sizeof group->path);
    if (!constant->rows) constant->rows = group->n_fitted;
}

/* ---------------------------------------------------------------- lines */

/* Lines to start from where the calibration has none: latency and bandwidth protocol, or one- and two-shot. */
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

static void add_line(struct orr_fit *fit, size_t g, int64_t i)
{
    const struct orr_collective_line *line = &fit->job.calibration.lines[i];
    const size_t base = offsetof(struct orr_calibration, lines) + (size_t)i * sizeof *line;
    struct orr_fit_constant constant = {.low = 0,
                                        .high = 3e-4,
                                        .typical = 1e-5,
                                        .unit = "s",
                                        .meaning = "fixed time",
                                        .offset = base + offsetof(struct orr_collective_line, base_s)};
    const char *name = orr_collective_name(line->collective), *how = orr_algorithm_name(line->algorithm);
    (void)snprintf(constant.path, sizeof constant.path, "lines.%d.base_s (%s %s)", (int)i, name, how);
    add_one(fit, g, constant);
    constant.offset = base + offsetof(struct orr_collective_line, hop_s);
    constant.high = line->custom ? 1e-6 : 3e-6; /* longer ones would rule rings of more ranks than were measured */
    if (line->hop_s > constant.high) constant.high = line->hop_s;
    constant.typical = 1e-6;
    constant.meaning = "time per hop";
    (void)snprintf(constant.path, sizeof constant.path, "lines.%d.hop_s", (int)i);
    if (line->algorithm != ORR_ALGORITHM_DIRECT &&
        line->algorithm != ORR_ALGORITHM_NVLS) /* the same hops for any ranks */
        add_one(fit, g, constant);
    for (int64_t p = 0; p < line->n_points; p++) {
        constant.offset = base + offsetof(struct orr_collective_line, efficiency_frac) + (size_t)p * sizeof(double);
        constant.low = 0.002;
        constant.high = 1;
        constant.typical = 0.5;
        constant.unit = "frac";
        constant.meaning = "share of the link";
        constant.rows = rows_at_ranks(fit, g, line->ranks[p]);
        (void)snprintf(constant.path, sizeof constant.path, "lines.%d.efficiency_frac.%d (%d ranks)", (int)i, (int)p,
                       (int)line->ranks[p]);
        if (constant.rows > 0) add_one(fit, g, constant);
    }
}

static void add_lines(struct orr_fit *fit, size_t g)
{
    const struct orr_fit_group *group = &fit->groups[g];
    const bool custom = group->kind == ORR_FIT_CUSTOM;
    for (int64_t i = 0; i < fit->job.calibration.n_lines; i++) {
        const struct orr_collective_line *line = &fit->job.calibration.lines[i];
        if ((int)line->collective == group->index && line->custom == custom) add_line(fit, g, i);
    }
}

/* ---------------------------------------------------------------- groups */

static void add_constants(struct orr_fit *fit, size_t g)
{
    const struct orr_fit_group *group = &fit->groups[g];
    const size_t i = (size_t)group->index, w = (size_t)group->width;
    const size_t gemm = offsetof(struct orr_calibration, gemm) + i * sizeof(struct orr_gemm_constants);
    const size_t flash = offsetof(struct orr_calibration, attention) + i * sizeof(struct orr_attention_constants);
    const size_t decode = offsetof(struct orr_calibration, decode) + (2 * i + w) * sizeof(struct orr_decode_constants);
    const size_t latent = offsetof(struct orr_calibration, mla_decode) + w * sizeof(struct orr_decode_constants);
    struct orr_fit_constant share = {
        .low = 0.02, .high = 1, .typical = 0.7, .unit = "frac", .meaning = "share of DRAM bandwidth"};
    switch (group->kind) {
    case ORR_FIT_GEMM:
        ADD_KNOWN(fit, g, GEMM_CONSTANTS, gemm);
        if (group->index == ORR_DTYPE_BF16 || group->index == ORR_DTYPE_FP16) { /* one cache for all formats */
            share.offset = offsetof(struct orr_calibration, l2_frac);
            share.meaning = "share of last-level bandwidth";
            (void)snprintf(share.path, sizeof share.path, "l2_frac");
            add_one(fit, g, share);
        }
        return;
    case ORR_FIT_GROUPED: ADD_KNOWN(fit, g, GROUPED_CONSTANTS, gemm); return;
    case ORR_FIT_FLASH: ADD_KNOWN(fit, g, FLASH_CONSTANTS, flash); return;
    case ORR_FIT_DECODE:
        if (group->index == ORR_DECODE_SDPA) ADD_KNOWN(fit, g, WHOLE_CONSTANTS, decode);
        else ADD_KNOWN(fit, g, DECODE_CONSTANTS, decode);
        return;
    case ORR_FIT_LATENT: ADD_KNOWN(fit, g, WHOLE_CONSTANTS, latent); return;
    case ORR_FIT_LINES:
    case ORR_FIT_CUSTOM: add_lines(fit, g); return;
    case ORR_FIT_BMM:
        share.offset = offsetof(struct orr_calibration, write_frac);
        share.meaning = "share of DRAM bandwidth a product is written at";
        break;
    case ORR_FIT_POINTWISE:
        share.offset = group->index == ORR_POINTWISE_SOFTMAX
                           ? offsetof(struct orr_calibration, softmax_unfused_frac)
                           : offsetof(struct orr_calibration, pointwise_frac) + i * sizeof(double);
        break;
    case ORR_FIT_P2P:
        share.offset = offsetof(struct orr_calibration, p2p_scaleup_frac);
        share.meaning = "share of the scale-up link a send has";
        break;
    case ORR_FIT_LAUNCH:
        share = (struct orr_fit_constant){.low = 0,
                                          .high = 2e-5,
                                          .typical = 1e-6,
                                          .unit = "s",
                                          .offset = offsetof(struct orr_calibration, pointwise_launch_s),
                                          .meaning = "fixed time of a memory-bound kernel"};
        break;
    case ORR_N_FIT_KINDS: return;
    }
    add_one(fit, g, share);
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
