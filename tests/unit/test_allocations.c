/* The hot path does not allocate: thousands of predictions on one scratch, or steps on one model, call no allocator.
 * The linker redirects the library's calls (-Wl,--wrap) to the counters here. */
#include "random.h"
#include "support.h"

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

static void the_counters_are_in_place(void **state)
{
    (void)state;
    assert_true(n_allocations > 0); /* the catalogue was opened */
}

static void a_step_of_training_does_not_allocate(void **state)
{
    struct world *w = *state;
    static const char *const requests[] = {
        "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':64,'plan':{'tp':8,'pp':8,'vpp':3},"
        "'workload':{'global_batch':64}}",
        "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':64,"
        "'plan':{'tp':2,'pp':4,'ep':8,'zero':1},'workload':{'seq':4096,'global_batch':256}}",
    };
    for (size_t i = 0; i < COUNT(requests); i++) {
        read_job(w, "%s", requests[i]);
        const long before = n_allocations;
        for (int n = 0; n < 1000; n++) train(w);
        assert_int_equal(n_allocations - before, 0);
        assert_true(w->result.step_time_s > 0);
    }
}

/* Nor do the ledger, the changes of one thing, and the advice for what does not fit. */
static void looking_closer_does_not_allocate(void **state)
{
    struct world *w = *state;
    static struct orr_answer answer;
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    read_job(w, "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':64,'plan':{'tp':4,'pp':4},"
                "'workload':{'global_batch':64}}");
    const long before = n_allocations;
    orr_predict(&w->job, w->scratch, &answer);
    assert_false(answer.train.fits);
    orr_train_advice(&w->job, w->scratch, &answer.train);
    assert_true(answer.train.reason[0] != '\0');
    assert_true(orr_train_what_if(&w->job, w->scratch, what_ifs) > 0);
    assert_int_equal(n_allocations - before, 0);
}

/* A draft model included. */
static void an_answer_does_not_allocate(void **state)
{
    struct world *w = *state;
    struct orr_infer_result result;
    read_job(w,
             "{'kind':'infer','model':'llama3.1-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'vllm',"
             "'batch':16,'input_len':2000,'output_len':500,'draft_tokens':3,'draft_model':'llama3.1-8b'}}");
    const long before = n_allocations;
    for (int n = 0; n < 1000; n++) orr_infer(&w->job, w->scratch, &result);
    assert_int_equal(n_allocations - before, 0);
    assert_true(result.latency_s > 0);
}

/* Nor does a step of a serving simulator, once its model is there. */
static void a_serving_step_does_not_allocate(void **state)
{
    struct world *w = *state;
    struct random random = {11};
    static const char *const jobs[] = {
        "'model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'tensorrt-llm-1.2'",
        "'model':'deepseek-v3','system':'h200-sxm','plan':{'dp':32,'ep':32},'workload':{'engine':'vllm'"};
    for (size_t j = 0; j < COUNT(jobs); j++) {
        read_job(w, "{'kind':'infer',%s,'precision':'fp8','input_len':200,'output_len':200}}", jobs[j]);
        struct orr_step_model *model = orr_step_model_new(&w->job);
        assert_non_null(model);
        const long before = n_allocations;
        double sum_s = 0;
        for (int n = 0; n < 10000; n++) {
            const int64_t tokens = draw(&random, 4) ? 0 : 1 + (int64_t)draw(&random, 20000),
                          sequences = (int64_t)draw(&random, 300);
            sum_s += orr_step_time(model, &(struct orr_step){.prefill_tokens = tokens,
                                                             .prefill_sequences = tokens > 0,
                                                             .decode_sequences = sequences,
                                                             .decode_context = 1000 * sequences});
        }
        assert_int_equal(n_allocations - before, 0);
        assert_true(sum_s > 0);
        orr_step_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_are_in_place),
        cmocka_unit_test(a_step_of_training_does_not_allocate),
        cmocka_unit_test(looking_closer_does_not_allocate),
        cmocka_unit_test(an_answer_does_not_allocate),
        cmocka_unit_test(a_serving_step_does_not_allocate),
    };
    return cmocka_run_group_tests_name("allocations", tests, open_world, close_world);
}
