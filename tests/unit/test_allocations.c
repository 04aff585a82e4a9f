/* The hot path does not allocate: thousands of predictions on one scratch call no allocator. The linker redirects the
 * library's calls (-Wl,--wrap) to the counters here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "orrery.h"

static long n_allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    n_allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    n_allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    n_allocations++;
    return __real_realloc(memory, size);
}

static const char *const requests[] = {
    "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":64,"
    "\"plan\":{\"tp\":8,\"pp\":8,\"vpp\":3},\"workload\":{\"global_batch\":64}}",
    "{\"kind\":\"train\",\"model\":\"mixtral-8x7b\",\"system\":\"h100-sxm\",\"gpus\":64,"
    "\"plan\":{\"tp\":2,\"pp\":4,\"ep\":8,\"zero\":1},\"workload\":{\"seq\":4096,\"global_batch\":256}}",
};

static void predictions_do_not_allocate(void **state)
{
    (void)state;
    struct orr_catalogue *catalogue;
    struct orr_error error;
    assert_int_equal(orr_catalogue_open(NULL, 0, &catalogue, &error), ORR_OK);
    struct orr_scratch *scratch = orr_scratch_new();
    assert_non_null(scratch);
    assert_true(n_allocations > 0); /* the counters are in place */
    static struct orr_job job;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (orr_job_read(catalogue, requests[i], "request", &job, &error)) fail_msg("%s", error.text);
        struct orr_result result;
        const long before = n_allocations;
        for (int n = 0; n < 1000; n++) orr_train(&job, scratch, &result);
        assert_int_equal(n_allocations - before, 0);
        assert_true(result.step_time_s > 0);
    }
    orr_scratch_free(scratch);
    orr_catalogue_close(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(predictions_do_not_allocate)};
    return cmocka_run_group_tests_name("allocations", tests, NULL, NULL);
}
