/* Lines that training frameworks print per iteration -> one row: the median iteration after the first ones, and what
 * the log says about the plan. The formats are those of Megatron-LM (training.py, arguments.py), NeMo
 * (train_step_timing), torchtitan (metrics.py) and nanotron (trainer.py). */
#include "spec/log.h"

#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a framework prints the time of an iteration. */
static const struct kind {
    const char *name;
    const char *value; /* text before the number */
    const char *also;  /* a second text that the line must have; "": none */
    const char *metric;
    double unit;        /* of the number */
    const char *batch;  /* text before the global batch; NULL: not printed */
    const char *engine; /* family of the program that wrote it */
} KINDS[] = {
    {"a Megatron-LM log", "elapsed time per iteration (ms):", "iteration", "step_time_s", 1e-3,
     "global batch size:", "megatron-core"},
    {"a nanotron log", "elapsed_time_per_iteration_ms:", "iteration:", "step_time_s", 1e-3,
     "global_batch_size:", "nanotron"},
    /* Later releases print the global batch in tokens, rounded. */
    {"a nanotron log", "| time_per_iteration_ms:", "iteration:", "step_time_s", 1e-3, NULL, "nanotron"},
    {"a NeMo log", "train_step_timing in s:", "", "step_time_s", 1, "global_batch_size:", "nemo"},
    {"a NeMo log", "train_step_timing in s=", "", "step_time_s", 1, NULL, "nemo"},
    {"a torchtitan log", "tps:", "loss:", "tokens_per_s_per_gpu", 1, NULL, "torchtitan"},
    {"a torchtitan log", "wps:", "loss:", "tokens_per_s_per_gpu", 1, NULL, "torchtitan"},
};

/* Arguments that Megatron-LM prints when it starts, and their columns. */
static const char *const ARGUMENTS[][2] = {{"tensor_model_parallel_size", "tp"},
                                           {"pipeline_model_parallel_size", "pp"},
                                           {"virtual_pipeline_model_parallel_size", "vpp"},
                                           {"context_parallel_size", "cp"},
                                           {"expert_model_parallel_size", "ep"},
                                           {"data_parallel_size", "dp"},
                                           {"world_size", "gpus"},
                                           {"seq_length", "seq"},
                                           {"micro_batch_size", "micro_batch"},
                                           {"global_batch_size", "global_batch"}};

/* A number as frameworks print it for people: "1.41K", "7,193", "12.5". NAN if there is none. */
static double human(const char *text)
{
    char digits[48];
    size_t n = 0;
    while (*text == ' ' || *text == '\t') text++;
    /* Colours stand between the name and the number in some logs. */
    while (text[0] == '\033') {
        text += strcspn(text, "m");
        if (*text) text++;
        while (*text == ' ') text++;
    }
    for (; (isdigit((unsigned char)*text) || strchr(".,eE+-", *text)) && *text && n + 1 < sizeof digits; text++)
        if (*text != ',') digits[n++] = *text;
    digits[n] = '\0';
    char *end;
    const double value = strtod(digits, &end);
    if (end == digits) return (double)NAN;
    return *text == 'K' ? 1e3 * value : *text == 'M' ? 1e6 * value : *text == 'B' ? 1e9 * value : value;
}

/* The number after a text in a line of n characters; NAN if the line does not have it. */
static double number_after(const char *line, const char *text)
{
    const char *at = strstr(line, text);
    return at ? human(at + strlen(text)) : (double)NAN;
}

/* Calls `look` with every line. */
static bool each_line(const char *text, bool (*look)(void *, const char *), void *context)
{
    char line[4096];
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\r\n"), kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, at, kept);
        line[kept] = '\0';
        if (!look(context, line)) return false;
        at += length;
        at += strspn(at, "\r\n");
    }
    return true;
}

struct reading {
    const struct kind *kind;
    struct orr_cells *cells;
    double *values;
    size_t n, room;
    double said[sizeof ARGUMENTS / sizeof *ARGUMENTS], again; /* the first value of each argument, and another one */
    const char *clash;                                        /* the argument that has it; NULL: none */
};

/* The value of the argument "name .... value"; NULL if the line has another. */
static const char *argument(const char *at, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(at, name, n) != 0 || strncmp(at + n, " ..", 3) != 0) return NULL;
    return at + n + strspn(at + n, " .");
}

/* What products are computed in. "fp8" holds the format of 8-bit products, or None, and comes after bf16 and fp16. */
static void read_precision(struct reading *r, const char *at)
{
    static const char *const FORMATS[] = {"bf16", "fp16"}, *const RECIPES[] = {"tensorwise", "blockwise", "mxfp8"};
    const char *narrow = argument(at, "fp8"), *recipe = argument(at, "fp8_recipe");
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        const char *value = argument(at, FORMATS[i]);
        if (value && strncmp(value, "True", 4) == 0) (void)orr_cells_put(r->cells, "precision", FORMATS[i], true);
    }
    if (narrow && (strncmp(narrow, "e4m3", 4) == 0 || strncmp(narrow, "hybrid", 6) == 0))
        (void)orr_cells_put(r->cells, "precision", "fp8", true);
    const bool eight = strcmp(orr_cells_get(r->cells, "precision"), "fp8") == 0;
    for (size_t i = 0; recipe && eight && i < sizeof RECIPES / sizeof *RECIPES; i++)
        if (strncmp(recipe, RECIPES[i], strlen(RECIPES[i])) == 0)
            (void)orr_cells_put(r->cells, "fp8_recipe", RECIPES[i], true);
}

/* "  tensor_model_parallel_size ................. 8" */
static void read_argument(struct reading *r, const char *line)
{
    const char *at = line + strspn(line, " ");
    for (size_t i = 0; i < sizeof ARGUMENTS / sizeof *ARGUMENTS; i++) {
        const char *value = argument(at, ARGUMENTS[i][0]);
        const double number = value ? human(value) : 0;
        if (number >= 1) (void)orr_cells_put_number(r->cells, ARGUMENTS[i][1], number);
        if (number >= 1 && r->said[i] > 0 && (number < r->said[i] || number > r->said[i]) && !r->clash) {
            r->clash = ARGUMENTS[i][0];
            r->again = number;
        } else if (number >= 1 && !(r->said[i] > 0)) r->said[i] = number;
    }
    const bool on = strstr(at, " True") != NULL;
    read_precision(r, at);
    if (strncmp(at, "sequence_parallel ..", 20) == 0) (void)orr_cells_put(r->cells, "sp", on ? "1" : "0", true);
    if (strncmp(at, "use_distributed_optimizer ..", 28) == 0)
        (void)orr_cells_put(r->cells, "zero", on ? "1" : "0", true);
    if (strncmp(at, "recompute_granularity ..", 24) == 0)
        (void)orr_cells_put(r->cells, "recompute",
                            strstr(at, "full")        ? "full"
                            : strstr(at, "selective") ? "selective"
                                                      : "none",
                            true);
}

static bool read_line(void *context, const char *line)
{
    struct reading *r = context;
    read_argument(r, line);
    const double value = number_after(line, r->kind->value);
    if (!(value > 0) || !strstr(line, r->kind->also)) return true;
    const double batch = r->kind->batch ? number_after(line, r->kind->batch) : (double)NAN;
    if (batch >= 1 && batch == floor(batch)) (void)orr_cells_put_number(r->cells, "global_batch", batch);
    if (r->n == r->room) {
        double *more = realloc(r->values, (2 * r->room + 64) * sizeof *more);
        if (!more) return false;
        r->values = more;
        r->room = 2 * r->room + 64;
    }
    r->values[r->n++] = value;
    return true;
}

/* The median of the iterations after the first ones; all of them if there are no others. */
static double settled(struct reading *r, int64_t skip)
{
    const size_t first = r->n > (size_t)skip ? (size_t)skip : 0, n = r->n - first;
    return orr_median(r->values + first, n);
}

static bool seek(void *context, const char *line)
{
    const struct kind **kind = context;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (number_after(line, KINDS[i].value) > 0 && strstr(line, KINDS[i].also)) *kind = &KINDS[i];
    return !*kind;
}

const char *orr_log_name(const char *origin)
{
    const char *slash = strrchr(origin, '/');
    return slash && slash[1] ? slash + 1 : origin;
}

/* A median over runs of different plans would be the time of neither. */
static enum orr_err fail_clash(const struct reading *r, const char *origin, struct orr_error *error)
{
    double first = 0;
    for (size_t i = 0; i < sizeof ARGUMENTS / sizeof *ARGUMENTS; i++)
        if (ARGUMENTS[i][0] == r->clash) first = r->said[i];
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                    "holds two runs: %s is %.12g, and further down %.12g; give each run a file of its own", r->clash,
                    first, r->again);
}

enum orr_err orr_log_read(const char *text, const char *origin, struct orr_log *log, struct orr_error *error)
{
    const char *start = text + strspn(text, " \t\r\n");
    log->format = NULL;
    log->rows = NULL;
    log->n_rows = 0;
    if (*start == '{') return orr_log_json(start, origin, log, error);
    const struct kind *kind = NULL;
    (void)each_line(text, seek, (void *)&kind);
    if (!kind) return ORR_OK;
    struct orr_cells *row = calloc(1, sizeof *row);
    struct reading r = {.kind = kind, .cells = row};
    const bool done = row && each_line(text, read_line, &r) && r.n > 0;
    if (r.clash) {
        free(row);
        free(r.values);
        return fail_clash(&r, origin, error);
    }
    if (done) {
        (void)orr_cells_put(row, "metric", kind->metric, true);
        (void)orr_cells_put_number(row, "value", settled(&r, log->skip) * kind->unit);
        (void)orr_cells_put(row, "id", orr_log_name(origin), true);
        log->n_all = r.n > (size_t)log->skip ? 0 : r.n;
        (void)orr_cells_put(row, "engine", kind->engine, true);
        log->format = kind->name;
        log->rows = row;
        log->n_rows = 1;
    } else free(row);
    free(r.values);
    return done ? ORR_OK : orr_out_of_memory(error, origin);
}
