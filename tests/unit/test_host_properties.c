/* Properties of the host over random jobs of both kinds, with random host facts on top of every engine: a faster
 * host is never slower, longer launches never faster, an infinitely fast host is none at all, no step is shorter
 * than what its host needs, and a search with a host-bound engine finds what a plain enumeration finds. */
#include "jobs.h"
#include "searches.h"

#define N_JOBS   1200 /* of each kind */
#define N_SPACES 24
#define ROUNDING 1e-9

/* On boards that are held far below the burst clock, less idling of the device leaves a lower clock (Eq. 105). */
#define SETTLED 1e-8

/* A claim that is not strict: with ZeRO-3 exposed transfers use the waits for the host, which then cost nothing, but
 * the step still counts as idle for the power limit (Eq. 105), so that a slower host leaves a higher clock. */
#define SHARDED 0.02
/* Where weight gradients are a phase of their own, the windows of the gathers move from phase to phase. */
#define SPLIT_SHARDED 0.1

struct suite {
    struct world *world;
    struct orr_reader *reader;
    struct random random;
    struct drawn drawn;
    double worst;
};

static double time_of(const struct world *w, const struct orr_job *job)
{
    struct orr_result result;
    struct orr_infer_result served;
    if (job->kind == ORR_JOB_TRAIN) {
        orr_train(job, w->scratch, &result);
        return result.step_time_s;
    }
    orr_infer(job, w->scratch, &served);
    return served.latency_s;
}

static double draw_s(struct random *r, double most_s)
{
    return draw(r, 3) == 0 ? 0 : most_s * (double)(1 + draw(r, 100)) / 100;
}

/* Host facts from none to a host that is always behind. */
static void draw_host(struct random *r, struct orr_job *job)
{
    struct orr_engine *engine = &job->engine;
    engine->host_launch_s = draw_s(r, 60e-6);
    engine->host_backward_launch_s = draw_s(r, 60e-6);
    engine->host_collective_s = draw_s(r, 100e-6);
    engine->host_pipeline_rank_s = draw_s(r, 100e-6);
    engine->host_layer_s = draw_s(r, 4e-3);
    engine->host_sharded_layer_s = draw_s(r, 2e-3);
    engine->host_experts_s = engine->host_sharded_layer_s / 2;
    engine->host_micro_batch_s = draw_s(r, 20e-3);
    engine->host_step_s = draw_s(r, 0.1);
    engine->zero1_tensor_s = draw_s(r, 20e-6);
    engine->layer_tensors = 6;
    engine->sampling_s = draw_s(r, 10e-3);
    engine->sampling_s_per_sequence = draw_s(r, 100e-6);
    engine->async_scheduling = draw(r, 2);
    engine->graph_sequences = draw(r, 2) ? 0 : draw_power(r, 8);
    job->system.host_speed = 0.5 + 0.25 * (double)draw(r, 5);
    engine->host_tensor_layer_s = draw_s(r, 4e-3);
    engine->host_split_layer_s = engine->host_tensor_layer_s / 8;
}

static void take_host_away(struct orr_engine *engine)
{
    engine->host_launch_s = engine->host_backward_launch_s = engine->host_collective_s = 0;
    engine->host_pipeline_rank_s = engine->host_layer_s = engine->host_sharded_layer_s = 0;
    engine->host_tensor_layer_s = engine->host_split_layer_s = engine->host_experts_s = 0;
    engine->host_micro_batch_s = engine->host_step_s = engine->zero1_tensor_s = engine->host_sync_s = 0;
    engine->sampling_s = engine->sampling_s_per_sequence = engine->request_s = engine->request_s_per_sequence = 0;
}

/* Calls `check` for every drawn job with drawn host facts. */
static void for_jobs(struct world *w, uint64_t seed, void (*check)(struct suite *suite, const struct orr_job *job))
{
    static struct suite suite;
    suite = (struct suite){.world = w, .reader = orr_reader_new(w->catalogue), .random = {seed}};
    assert_non_null(suite.reader);
    for (int i = 0; i < 2 * N_JOBS; i++) {
        draw_job(suite.reader, &suite.random, i < N_JOBS ? ORR_JOB_TRAIN : ORR_JOB_INFER, &PLAIN_POOL, &suite.drawn);
        draw_host(&suite.random, &suite.drawn.job);
        check(&suite, &suite.drawn.job);
    }
    print_message("# worst excess %.2e\n", suite.worst);
    orr_reader_free(suite.reader);
}

static double allowed(const struct orr_job *job)
{
    if (job->kind != ORR_JOB_TRAIN || job->plan.zero != 3) return SETTLED;
    return job->plan.schedule >= ORR_SCHEDULE_ZB_H1 && job->plan.pp > 1 ? SPLIT_SHARDED : SHARDED;
}

/* `shorter` must not exceed `longer` by more than a share. */
static void assert_order(struct suite *suite, double shorter_s, double longer_s, double most, const char *claim)
{
    char text[JOB_TEXT];
    const double excess = shorter_s / longer_s - 1;
    suite->worst = fmax(suite->worst, excess);
    if (excess <= most) return;
    write_drawn(&suite->drawn, text);
    fail_msg("%s: %.9g s against %.9g s\n%s", claim, shorter_s, longer_s, text);
}

/* ---------------------------------------------------------------- order */

static void check_faster(struct suite *suite, const struct orr_job *job)
{
    static struct orr_job fast;
    fast = *job;
    fast.system.host_speed *= 2;
    assert_order(suite, time_of(suite->world, &fast), time_of(suite->world, job), allowed(job),
                 "a faster host is slower");
}

static void a_faster_host_is_never_slower(void **state)
{
    for_jobs(*state, 126, check_faster);
}

static void check_launches(struct suite *suite, const struct orr_job *job)
{
    static struct orr_job slow;
    slow = *job;
    slow.engine.host_launch_s = 1.5 * slow.engine.host_launch_s + 5e-6;
    if (slow.engine.host_backward_launch_s > 0)
        slow.engine.host_backward_launch_s = fmax(slow.engine.host_backward_launch_s, slow.engine.host_launch_s);
    assert_order(suite, time_of(suite->world, job), time_of(suite->world, &slow), allowed(job),
                 "longer launches are faster");
}

static void longer_launches_are_never_faster(void **state)
{
    for_jobs(*state, 127, check_launches);
}

/* ---------------------------------------------------------------- limits */

static void check_endless(struct suite *suite, const struct orr_job *job)
{
    static struct orr_job endless, none;
    endless = none = *job;
    endless.system.host_speed = 1e15;
    take_host_away(&none.engine);
    const double endless_s = time_of(suite->world, &endless), none_s = time_of(suite->world, &none);
    assert_order(suite, endless_s, none_s, ROUNDING, "an endlessly fast host takes time");
    assert_order(suite, none_s, endless_s, ROUNDING, "an endlessly fast host saves time");
    assert_order(suite, none_s, time_of(suite->world, job), allowed(job),
                 "the device alone takes longer than with its host");
}

static void an_endlessly_fast_host_is_none(void **state)
{
    for_jobs(*state, 128, check_endless);
}

/* No step is shorter than the host of the rank that sets the pace needs for all its phases, nor than what that rank
 * computes. */
static void check_sums(struct suite *suite, const struct orr_job *job)
{
    static struct orr_answer answer;
    if (job->kind != ORR_JOB_TRAIN) return;
    orr_predict(job, suite->world->scratch, &answer);
    const struct orr_train_facts *facts = &answer.facts;
    const double m = (double)answer.train.n_micro_batches, step_s = answer.train.step_time_s;
    const double outside_s = 2 * job->engine.host_micro_batch_s / job->system.host_speed;
    const double host_s = m * (facts->host_forward_s + facts->host_backward_s + outside_s) + facts->host_once_s;
    assert_order(suite, host_s, step_s, ROUNDING, "a step is shorter than its host's work");
    double device_s = 0, waits_s = 0;
    for (size_t i = 0; i < answer.n_rows; i++)
        *(answer.rows[i].resource == ORR_BOUND_HOST ? &waits_s : &device_s) += answer.rows[i].exposed_s;
    assert_order(suite, device_s, step_s, ROUNDING, "a step is shorter than its device's work");
    assert_close(device_s + waits_s, step_s, 1e-9);
    assert_true(waits_s >= 0 && answer.train.memory.total_bytes <= answer.train.memory.most_bytes);
}

static void no_step_is_shorter_than_host_or_device(void **state)
{
    for_jobs(*state, 129, check_sums);
}

/* ---------------------------------------------------------------- search */

static struct orr_choices one(int64_t value)
{
    return (struct orr_choices){1, {value}};
}

/* A space of some thousand plans whose host is behind in some and ahead in others. */
static void random_space(struct world *w, struct random *r, struct orr_search_request *request)
{
    static const char *const MODELS[] = {"nanotron-3b", "llama3-8b", "mixtral-8x7b", "deepseek-v2-lite"};
    static const char *const ENGINES[] = {"nanotron-2025", "internevo-2023", "torchtitan-2024-eager"};
    const int gpus = 8 << draw(r, 3);
    read_job(w,
             "{'kind':'train','model':'%s','system':'h100-sxm','workload':{'seq':%d,'global_batch':%d,'engine':'%s'}}",
             MODELS[draw(r, COUNT(MODELS))], 1024 << draw(r, 2), gpus << draw(r, 3), ENGINES[draw(r, COUNT(ENGINES))]);
    if (draw(r, 2)) draw_host(r, &w->job);
    *request = (struct orr_search_request){.job = w->job, .top = 4, .front_within = 1 + (double)draw(r, 3)};
    request->objective = (enum orr_objective)draw(r, ORR_N_OBJECTIVES);
    request->space.gpus = one(gpus);
    request->space.cp = one(1);
    request->space.zero = (struct orr_choices){2, {(int64_t)draw(r, 2), 2 + (int64_t)draw(r, 2)}};
    request->space.recompute = one((int64_t)draw(r, ORR_N_RECOMPUTES));
    request->space.vpp = (struct orr_choices){2, {1, 2}};
    request->space.micro_batch = (struct orr_choices){3, {1, 2, 4}};
    request->space.ep = (struct orr_choices){2, {1, 8}};
    request->space.etp = one(1);
}

static void searches_with_a_slow_host_lose_nothing(void **state)
{
    struct world *w = *state;
    struct random random = {130};
    static struct orr_search_request request;
    uint64_t plans = 0, evaluated = 0;
    int waiting = 0;
    for (int i = 0; i < N_SPACES; i++) {
        const struct orr_found *best;
        random_space(w, &random, &request);
        struct orr_search *pruned = run(&request, 2);
        plans += assert_nothing_is_lost(&request, pruned).evaluated;
        evaluated += orr_search_counts_of(pruned).evaluated;
        for (size_t k = 0, n = orr_search_best(pruned, &best); k < n; k++) { /* as a prediction of the plan */
            w->job = request.job;
            orr_search_job(pruned, &best[k].choice, &w->job);
            train(w);
            assert_close(best[k].time_s, w->result.step_time_s, 1e-9);
            assert_true(w->result.fits);
            waiting += w->result.bound_share_frac[ORR_BOUND_HOST] > 0.05;
        }
        orr_search_free(pruned);
    }
    print_message("# %d plans, %d evaluated; the host holds 5 %% of %d of the best\n", (int)plans, (int)evaluated,
                  waiting);
    assert_true(evaluated < plans && waiting > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_faster_host_is_never_slower),
        cmocka_unit_test(longer_launches_are_never_faster),
        cmocka_unit_test(an_endlessly_fast_host_is_none),
        cmocka_unit_test(no_step_is_shorter_than_host_or_device),
        cmocka_unit_test(searches_with_a_slow_host_lose_nothing),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
