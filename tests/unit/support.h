/* Shared by the tests of the model: jobs from request text, operators by name, files, comparisons. */
#ifndef ORR_TESTS_SUPPORT_H
#define ORR_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predict/scratch.h"

#define GIB          (1024.0 * 1024.0 * 1024.0)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a test works on: one job, its prediction and the stages in between. */
struct world {
    struct orr_catalogue *catalogue;
    struct orr_scratch *scratch;
    struct orr_job job;
    struct orr_result result;
};

static inline int open_world(void **state)
{
    static struct world world;
    struct orr_error error;
    if (orr_catalogue_open(NULL, 0, &world.catalogue, &error)) fail_msg("%s", error.text);
    world.scratch = orr_scratch_new();
    *state = &world;
    return world.scratch ? 0 : -1;
}

static inline int close_world(void **state)
{
    struct world *world = *state;
    orr_scratch_free(world->scratch);
    orr_catalogue_close(world->catalogue);
    return 0;
}

/* Does the walk through thousands of places take one in eight? Builds for other compilers and sanitizers do so in
 * ./dev check, because the tests of the usual build take all of them. */
static inline bool is_thin(void)
{
    return getenv("THIN_TESTS") != NULL;
}

/* The whole of a file, to be freed. */
static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read from here", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    (void)fclose(file);
    return text;
}

/* Read a job from a request in which ' stands for ". */
static inline enum orr_err try_job(struct world *world, const char *request, struct orr_error *error)
{
    char json[2048];
    const int length = snprintf(json, sizeof json, "%s", request);
    assert_true(length > 0 && (size_t)length < sizeof json);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    return orr_job_read(world->catalogue, json, "request", &world->job, error);
}

__attribute__((format(printf, 2, 3))) static inline void read_job(struct world *world, const char *format, ...)
{
    char request[2048];
    struct orr_error error;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    assert_true(length > 0 && (size_t)length < sizeof request);
    if (try_job(world, request, &error)) fail_msg("%s", error.text);
}

static inline void train(struct world *world)
{
    orr_train(&world->job, world->scratch, &world->result);
}

/* The operators and costs of the last prediction on a scratch; returns how many. */
static inline size_t scratch_ops(const struct orr_scratch *scratch, const struct orr_op **ops,
                                 const struct orr_cost **costs)
{
    *ops = scratch->ops.items;
    *costs = scratch->costs;
    return scratch->ops.n;
}

/* A job as a report, malloc'd. */
static inline char *report_on(const struct orr_job *job, enum orr_format format, const struct orr_style *style)
{
    struct orr_scratch *scratch = orr_scratch_new();
    struct orr_answer *answer = malloc(sizeof *answer);
    assert_true(scratch && answer);
    orr_predict(job, scratch, answer);
    if (job->kind == ORR_JOB_TRAIN) orr_train_advice(job, scratch, &answer->train);
    char *text = orr_render(answer, format, style);
    free(answer);
    orr_scratch_free(scratch);
    return text;
}

/* The operator of that name in a layer kind (ORR_LAYER_* for the ends), after train(); NULL if there is none. */
static inline const struct orr_op *find_op(const struct world *world, int64_t layer_kind, const char *name)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(world->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++)
        if (ops[i].layer_kind == layer_kind && strcmp(ops[i].name, name) == 0) return &ops[i];
    return NULL;
}

static inline const struct orr_op *need_op(const struct world *world, int64_t layer_kind, const char *name)
{
    const struct orr_op *op = find_op(world, layer_kind, name);
    if (!op) fail_msg("no operator %s in layer kind %d", name, (int)layer_kind);
    return op;
}

static inline const struct orr_catalogue *catalogue_of(void **state)
{
    const struct world *world = *state;
    return world->catalogue;
}

static inline void load_model(const struct world *world, const char *id, struct orr_model *model)
{
    struct orr_error error;
    if (orr_model_read(world->catalogue, id, model, &error)) fail_msg("%s", error.text);
}

/* The rows of a table of measurements, predicted; to be freed. */
static inline struct orr_validation *validate_csv(const struct world *world, const char *csv)
{
    struct orr_validation *validation = NULL;
    struct orr_error error;
    if (orr_validate(world->catalogue, csv, "test.csv", &validation, &error)) fail_msg("%s", error.text);
    return validation;
}

/* One step of an engine that has priced none before. */
static inline double single_step_s(const struct orr_job *job, const struct orr_step *step)
{
    struct orr_step_model *model = orr_step_model_new(job);
    assert_non_null(model);
    const double time_s = orr_step_time(model, step);
    orr_step_model_free(model);
    return time_s;
}

/* A number of a row by the name of its column. */
static inline double row_number(enum orr_job_kind kind, const struct orr_sweep_row *row, const char *name)
{
    struct orr_column columns[ORR_MAX_COLUMNS];
    const size_t n = orr_session_columns(kind, columns);
    for (size_t i = 0; i < n; i++)
        if (strcmp(columns[i].name, name) == 0) return row->numbers[i];
    fail_msg("no column %s", name);
    return 0;
}

/* One collective over the TP group of `ranks` neighbours. */
static inline double tp_collective_s(struct world *world, enum orr_collective collective, int64_t ranks, double bytes)
{
    const struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .collective = collective, .group = ORR_GROUP_TP, .payload_bytes = bytes};
    struct orr_cost cost;
    world->job.plan.tp = ranks;
    orr_cost_collective(&world->job, &op, &cost);
    if (cost.total_s != cost.network_s || cost.bound != ORR_BOUND_NETWORK) fail_msg("a transfer is more than that");
    return cost.total_s;
}

/* Equal up to a relative tolerance. */
#define assert_close(actual, expected, tolerance)                                                                      \
    assert_close_at(actual, expected, tolerance, #actual, __FILE__, __LINE__)
static inline void assert_close_at(double actual, double expected, double tolerance, const char *what, const char *file,
                                   int line)
{
    if (fabs(actual - expected) <= tolerance * fmax(fabs(expected), 1e-300)) return;
    print_error("%s is %.17g, expected %.17g (relative tolerance %g)\n", what, actual, expected, tolerance);
    _fail(file, line);
}

/* actual <= limit, both named when it fails. */
#define assert_at_most(actual, limit) assert_at_most_at(actual, limit, #actual " <= " #limit, __FILE__, __LINE__)
static inline void assert_at_most_at(double actual, double limit, const char *what, const char *file, int line)
{
    if (actual <= limit) return;
    print_error("%s: %.17g is more than %.17g\n", what, actual, limit);
    _fail(file, line);
}

#endif
