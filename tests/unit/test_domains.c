/* Searches over plans whose groups leave the scale-up domain: 16 to 64 GPUs on domains of 8 and of 4, pruned against
 * unpruned. Experts, gradients and stages then cross the slower network, where bounds differ most from times. */
#include "random.h"
#include "searches.h"
#include "support.h"

#define N_TRAIN_SPACES 40
#define N_INFER_SPACES 24

static struct orr_choices one(int64_t value)
{
    return (struct orr_choices){1, {value}};
}

/* Systems of domains of 8 and, by changing one, of 4. */
static const char *draw_system(struct random *r, int64_t *domain)
{
    static const char *const SYSTEMS[] = {"h100-sxm", "a100-80g-sxm", "mi250x", "b200-sxm"};
    *domain = draw(r, 2) ? 8 : 4;
    return SYSTEMS[draw(r, COUNT(SYSTEMS))];
}

/* A training space of some thousand plans: one way to recompute and shard, a few micro-batches and pipelines. */
static void random_train(struct world *w, struct random *r, struct orr_search_request *request)
{
    static const char *const MODELS[] = {"mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v2-lite", "llama3-8b"};
    static const char *const ENGINES[] = {"megatron-core-2026", "megatron-core-2026", "megatron-core-2025"};
    int64_t domain;
    const char *system = draw_system(r, &domain);
    const int gpus = 16 << draw(r, 3);
    read_job(w,
             "{'kind':'train','model':'%s','system':'%s','workload':{'seq':%d,'global_batch':%d,'engine':'%s'},"
             "'set':{'system.domain_gpus':%d,'system.scaleout_bytes_per_s':'%s'}}",
             MODELS[draw(r, COUNT(MODELS))], system, 1024 << draw(r, 2), gpus << draw(r, 3),
             ENGINES[draw(r, COUNT(ENGINES))], (int)domain, draw(r, 2) ? "50 GB/s" : "6 GB/s");
    *request = (struct orr_search_request){.job = w->job, .top = 4, .front_within = 1 + (double)draw(r, 3)};
    request->objective = (enum orr_objective)draw(r, ORR_N_OBJECTIVES);
    request->space.gpus = one(gpus);
    request->space.cp = one(1);
    request->space.zero = one((int64_t)draw(r, 3));
    request->space.recompute = one(draw(r, 2) ? ORR_RECOMPUTE_NONE : ORR_RECOMPUTE_SELECTIVE);
    request->space.vpp = (struct orr_choices){3, {1, 2, 4}};
    request->space.micro_batch = (struct orr_choices){2, {1, 2}};
    request->space.ep = (struct orr_choices){4, {1, 4, 8, 16}};
    request->space.etp = one(1);
    request->space.overlap = draw(r, 2);
}

static void training_across_domains_loses_nothing(void **state)
{
    struct world *w = *state;
    struct random random = {64};
    static struct orr_search_request request;
    uint64_t plans = 0, evaluated = 0, crossing = 0, interleaved = 0;
    for (int i = 0; i < N_TRAIN_SPACES; i++) {
        const struct orr_found *best;
        random_train(w, &random, &request);
        struct orr_search *pruned = run(&request, 2);
        plans += assert_nothing_is_lost(&request, pruned).evaluated;
        evaluated += orr_search_counts_of(pruned).evaluated;
        for (size_t k = 0, n = orr_search_best(pruned, &best); k < n; k++) {
            crossing += best[k].choice.ep > request.job.system.domain_gpus;
            interleaved += best[k].choice.ep > request.job.system.domain_gpus && best[k].choice.vpp > 1;
        }
        orr_search_free(pruned);
    }
    print_message("# %d plans, %d evaluated; %d of the best cross domains with experts, %d of them interleaved\n",
                  (int)plans, (int)evaluated, (int)crossing, (int)interleaved);
    assert_true(evaluated * 2 < plans); /* there was something to prune */
    assert_true(crossing > 5 && interleaved > 5);
}

static void random_infer(struct world *w, struct random *r, struct orr_search_request *request)
{
    static const char *const MODELS[] = {"mixtral-8x7b", "qwen3-30b-a3b", "llama3.1-70b", "deepseek-v2-lite"};
    static const char *const ENGINES[] = {"vllm", "sglang", "tensorrt-llm-1.2"};
    int64_t domain;
    const char *system = draw_system(r, &domain);
    read_job(w,
             "{'kind':'infer','model':'%s','system':'%s','workload':{'input_len':%d,'output_len':%d,'engine':'%s'},"
             "'set':{'system.domain_gpus':%d}}",
             MODELS[draw(r, COUNT(MODELS))], system, 64 << draw(r, 6), 2 + (int)draw(r, 3) * 60,
             ENGINES[draw(r, COUNT(ENGINES))], (int)domain);
    *request = (struct orr_search_request){.job = w->job, .top = 4, .front_within = 2};
    request->objective = (enum orr_objective)draw(r, ORR_N_OBJECTIVES);
    request->space.gpus = one(16 << draw(r, 2));
    request->space.tp = (struct orr_choices){3, {1, 4, 8}};
    request->space.pp = (struct orr_choices){2, {1, 2}};
    request->space.ep = (struct orr_choices){4, {1, 4, 8, 16}};
    request->space.batch = (struct orr_choices){4, {1, 8, 32, 64}};
}

static void serving_across_domains_loses_nothing(void **state)
{
    struct world *w = *state;
    struct random random = {64};
    static struct orr_search_request request;
    uint64_t bounded = 0;
    for (int i = 0; i < N_INFER_SPACES; i++) {
        random_infer(w, &random, &request);
        struct orr_search *pruned = run(&request, 2);
        (void)assert_nothing_is_lost(&request, pruned);
        bounded += orr_search_counts_of(pruned).rejected[ORR_REJECT_BOUND];
        orr_search_free(pruned);
    }
    assert_true(bounded > 1000); /* there was something to prune */
}

/* The second coordinate of a front: memory of one GPU count, GPU seconds of several. */
static void fronts_over_gpu_counts_have_gpu_seconds(void **state)
{
    struct world *w = *state;
    static struct orr_search_request request;
    for (int64_t counts = 1; counts <= 2; counts++) {
        const struct orr_found *found;
        read_job(w, "{'kind':'train','model':'llama3-8b','system':'h100-sxm','workload':{'seq':1024,'global_batch':32,"
                    "'engine':'megatron-core-2025'}}");
        request = (struct orr_search_request){.job = w->job, .top = 2, .front_within = 4};
        request.space.gpus = (struct orr_choices){counts, {8, 16}};
        request.space.recompute = one(ORR_RECOMPUTE_NONE);
        request.space.zero = one(1);
        struct orr_search *search = run(&request, 2);
        const size_t n = orr_search_front(search, &found);
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            assert_close(found[i].front[0], found[i].time_s, 0);
            assert_close(found[i].front[1], counts > 1 ? found[i].choice.gpus * found[i].time_s : found[i].memory_bytes,
                         1e-12);
        }
        orr_search_free(search);
    }
}

/* As the memory shrinks, plans fall out of the answer one by one; those that are left fit. */
static void answers_fit(void **state)
{
    struct world *w = *state;
    static struct orr_search_request request;
    size_t n_found = 0;
    for (double gib = 14; gib <= 60; gib += 1.5) {
        const struct orr_found *found;
        read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','workload':{'seq':2048,'global_batch':16,"
                    "'engine':'megatron-core-2025'}}");
        w->job.system.chip.hbm_bytes = gib * GIB;
        request = (struct orr_search_request){.job = w->job, .top = 3, .front_within = 2};
        request.space.gpus = one(16);
        request.space.cp = one(1);
        request.space.micro_batch = one(1);
        struct orr_search *search = run(&request, 2);
        const size_t n = orr_search_best(search, &found);
        n_found += n;
        for (size_t i = 0; i < n; i++) {
            orr_search_job(search, &found[i].choice, &w->job);
            train(w);
            assert_at_most(w->result.memory.total_bytes, w->result.memory.usable_bytes);
        }
        orr_search_free(search);
    }
    assert_true(n_found > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_across_domains_loses_nothing),
        cmocka_unit_test(serving_across_domains_loses_nothing),
        cmocka_unit_test(fronts_over_gpu_counts_have_gpu_seconds),
        cmocka_unit_test(answers_fit),
    };
    return cmocka_run_group_tests_name("domains", tests, open_world, close_world);
}
