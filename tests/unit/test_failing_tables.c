/* Answers about tables of measurements while one allocation fails: validations, fits, constants, studies. */
#include "failing.h"

/* ---------------------------------------------------------------- questions */

static char *ask_validation(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                            struct orr_error *error)
{
    struct orr_validation *validation = NULL;
    char *csv = own_text(request), *text = NULL;
    if (!orr_validate(catalogue, csv, request, &validation, error) && !orr_validation_group(validation, "model", error))
        text = no_text(error, orr_validation_render(validation, format, NULL));
    orr_validation_free(validation);
    free(csv);
    return text;
}

static char *ask_stack(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error)
{
    struct orr_stack *stack;
    char *text = NULL, *log = own_text(request);
    if (orr_stack_open(catalogue, "megatron-core-2025", &stack, error)) {
        free(log);
        return NULL;
    }
    if (!orr_stack_put(stack, "model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,global_batch=128", error) &&
        !orr_stack_add_run(stack, "micro_batch=1:step_time_s=5.6", error) &&
        !orr_stack_add_run(stack, "micro_batch=1,recompute=full:step_time_s=7.2", error) &&
        !orr_stack_add(stack, log, request, error) && !orr_stack_run(stack, error))
        text = no_text(error, orr_stack_render(stack, format, NULL));
    free(log);
    orr_stack_close(stack);
    return text;
}

static char *ask_fabric(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    struct orr_fabric_fit *fit;
    char *text = NULL, *csv = own_text(request);
    const char *table = strchr(csv, '\n') + 1; /* the first line of a seed is for the fuzzer */
    if (!orr_fabric_fit_open(catalogue, "mine", "h100-sxm", &fit, error)) {
        if (!orr_fabric_fit_add(fit, table, request, error) && !orr_fabric_fit_run(fit, error))
            text = no_text(error, format == ORR_FORMAT_CSV ? orr_fabric_fit_file(fit, "2026-01-01")
                                                           : orr_fabric_fit_render(fit, format, NULL));
        orr_fabric_fit_close(fit);
    }
    free(csv);
    return text;
}

static char *ask_fit(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                     struct orr_error *error)
{
    struct orr_fit *fit;
    char *text = NULL, *csv = own_text(request);
    char *table = strchr(csv, '\n'); /* the first line of a seed is the kind of its table */
    *table++ = '\0';
    if (!orr_fit_open(catalogue, "h100-sxm-80gb", &fit, error)) {
        if (!orr_fit_add(fit, csv, table, request, error) && !orr_fit_run(fit, NULL, NULL, error)) {
            if (format != ORR_FORMAT_CSV) text = no_text(error, orr_fit_render(fit, format, NULL));
            else if (orr_fit_file(fit, "2026-01-01", &text, error)) text = NULL;
        }
        orr_fit_close(fit);
    }
    free(csv);
    return text;
}

static char *ask_ablation(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                          struct orr_error *error)
{
    struct orr_ablation *ablation = NULL;
    char *text = NULL, *csv = own_text(request);
    if (!orr_ablation_add(catalogue, csv, request, &ablation, error))
        text = no_text(error, orr_ablation_render(ablation, format, NULL));
    orr_ablation_free(ablation);
    free(csv);
    return text;
}

static char *ask_unseen(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                        struct orr_error *error)
{
    struct orr_validation *validation = NULL;
    char *csv = own_text(request), *text = NULL;
    if (!orr_validation_unseen(&validation, error) && !orr_validate(catalogue, csv, request, &validation, error))
        text = no_text(error, orr_validation_render(validation, format, NULL));
    orr_validation_free(validation);
    free(csv);
    return text;
}

static char *ask_fit_of_runs(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                             struct orr_error *error)
{
    char *text = NULL;
    (void)format;
    return orr_stack_ask(catalogue, request, "request", &text, error) ? NULL : text;
}

static char *ask_study(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error)
{
    struct orr_study *study;
    if (orr_study_run(catalogue, request, NULL, NULL, &study, error)) return NULL;
    char *text = no_text(error, orr_study_render(study, format, NULL));
    orr_study_free(study);
    return text;
}

/* ---------------------------------------------------------------- the cases */

static const struct failing_case CASES[] = {
    {"validation", ask_validation, "validation/layer_times.csv", ORR_FORMAT_JSON},
    {"validation as a page", ask_validation, "validation/layer_times.csv", ORR_FORMAT_HTML},
    {"a stack", ask_stack, "tests/unit/fixtures/logs/megatron.log", ORR_FORMAT_JSON},
    {"a fabric", ask_fabric, "tests/fuzz/seeds/calibrate/fabric.csv", ORR_FORMAT_JSON},
    {"constants", ask_fit, "tests/fuzz/seeds/calibrate/gemm.csv", ORR_FORMAT_JSON},
    {"validation of services", ask_validation, "tests/fuzz/seeds/csv/serving.csv", ORR_FORMAT_TERMINAL},
    {"validation of requests", ask_validation, "tests/fuzz/seeds/csv/inference.csv", ORR_FORMAT_CSV},
    {"pieces left out", ask_ablation, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_JSON},
    {"pieces left out, in words", ask_ablation, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_TERMINAL},
    {"unseen sources", ask_unseen, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_TERMINAL},
    {"unseen sources as data", ask_unseen, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_JSON},
    {"validation of steps", ask_validation, "tests/fuzz/seeds/csv/training.csv", ORR_FORMAT_HTML},
    {"a fit of runs", ask_fit_of_runs,
     "{'runs':['micro_batch=1:step_time_s=5.6'],'with':'model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,"
     "global_batch=128','engine':'megatron-core-2025','name':'mine','skip':0}",
     ORR_FORMAT_JSON},
    {"a study", ask_study, "dram", ORR_FORMAT_JSON},
    {"constants of attention", ask_fit, "tests/fuzz/seeds/calibrate/attention_decode.csv", ORR_FORMAT_TERMINAL},
    {"a file of constants", ask_fit, "tests/fuzz/seeds/calibrate/pointwise.csv", ORR_FORMAT_CSV},
    {"constants of batched products", ask_fit, "tests/fuzz/seeds/calibrate/bmm.csv", ORR_FORMAT_JSON},
    {"a fabric in words", ask_fabric, "tests/fuzz/seeds/calibrate/fabric.csv", ORR_FORMAT_TERMINAL},
    {"a fabric's file", ask_fabric, "tests/fuzz/seeds/calibrate/fabric.csv", ORR_FORMAT_CSV},
};

static size_t step_of(question *of)
{
    const bool sample = !getenv("FAILING_ALL"); /* ./dev check coverage and oom have the time */
    return sample && (of == ask_stack || of == ask_fit_of_runs) ? 40 : 1;
}

static void every_place_may_fail(void **state)
{
    assert_true(walk_all(*state, CASES, COUNT(CASES), step_of) > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_place_may_fail)};
    return cmocka_run_group_tests_name("failing tables", tests, open_failing, close_world);
}
