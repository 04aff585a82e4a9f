/* Two pools: the split of the GPUs between prompts and answers against every split there is. Where the rates of both
 * cross, the better split is at times the one before the crossing. */
#include "support.h"
#include "search/search.h"

static struct orr_search *run(const struct orr_search_request *request)
{
    struct orr_error error;
    struct orr_search *search;
    if (orr_search_new(request, &search, &error)) fail_msg("%s", error.text);
    if (orr_search_run(search, 1, NULL, NULL, &error)) fail_msg("%s", error.text);
    return search;
}

/* One replica a GPU, 16 sequences each: everything but the split is given. */
static void request_of(struct world *w, int64_t gpus, int input, int output, struct orr_search_request *request)
{
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'input_len':%d,'output_len':%d}}",
             input, output);
    *request =
        (struct orr_search_request){.job = w->job, .top = 5, .front_within = 2, .objective = ORR_OBJECTIVE_THROUGHPUT};
    request->space.gpus = (struct orr_choices){1, {gpus}};
    request->space.disaggregated = (struct orr_choices){1, {1}};
    request->space.tp = request->space.pp = (struct orr_choices){1, {1}};
    request->space.batch = (struct orr_choices){1, {16}};
}

/* Requests per second of one GPU with prompts, and of one with answers. */
static void rates_of(struct world *w, const struct orr_search *search, const struct orr_choice *choice,
                     double *prompts_per_s, double *answers_per_s)
{
    struct orr_infer_result result;
    orr_search_job(search, choice, &w->job);
    orr_infer(&w->job, w->scratch, &result);
    *prompts_per_s = 16 / result.ttft_s;
    assert_int_equal(orr_search_predict(search, choice, w->scratch, &result), ORR_OK);
    *answers_per_s = 16 / result.decode_s;
}

static void no_other_split_is_faster(void **state)
{
    struct world *w = *state;
    static struct orr_search_request request;
    int before_crossing = 0, at_crossing = 0;
    for (int64_t gpus = 2; gpus <= 24; gpus++)
        for (int input = 256; input <= 16384; input *= 4) {
            const struct orr_found *found;
            double prompts_per_s, answers_per_s, best = 0;
            int64_t best_n = 0, crossing = 0;
            request_of(w, gpus, input, 256, &request);
            struct orr_search *search = run(&request);
            assert_int_equal(orr_search_best(search, &found), 1);
            rates_of(w, search, &found->choice, &prompts_per_s, &answers_per_s);
            for (int64_t n = 1; n < gpus; n++) {
                const double made = (double)n * prompts_per_s, taken = (double)(gpus - n) * answers_per_s;
                if (!crossing && made > taken) crossing = n;
                if (fmin(made, taken) > best) best_n = n;
                best = fmax(best, fmin(made, taken));
            }
            assert_int_equal(found->choice.dp, best_n);
            assert_int_equal(found->choice.decode_gpus, gpus - best_n);
            assert_close(found->objective, (double)gpus / (best * 256), 1e-9); /* GPU seconds per token */
            before_crossing += crossing > 0 && best_n < crossing;
            at_crossing += crossing > 0 && best_n == crossing;
            orr_search_free(search);
        }
    assert_true(before_crossing > 5 && at_crossing > 5); /* both sides of the crossing win at times */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_other_split_is_faster)};
    return cmocka_run_group_tests_name("pools", tests, open_world, close_world);
}
