/* Jobs that are like a run of a fitted engine share what the fit leaves of it. Expected values are worked out from
 * Eqs. 345-347 with a spread of 0.10 shared, 0.04 alone and a length of 0.10. */
#include "spec/alike.h"
#include "support.h"

static struct orr_traits traits_of(struct world *w, int gpus, int tp, int seq)
{
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'tp':%d,'zero':1},'workload':"
             "{'seq':%d,'micro_batch':1,'global_batch':128,'engine':'generic'}}",
             gpus, tp, seq);
    return orr_traits_of(&w->job);
}

static void likeness_falls_with_every_difference(void **state)
{
    struct world *w = *state;
    const struct orr_traits base = traits_of(w, 8, 1, 2048), twice = traits_of(w, 8, 1, 4096);
    const struct orr_traits both = traits_of(w, 16, 1, 4096);
    struct orr_traits system = base, format = base, kind = base;
    system.system++;
    format.weights = ORR_DTYPE_FP8;
    kind.trains = false;
    assert_true(orr_alikeness(&base, &base) == 1);
    assert_true(fabs(orr_alikeness(&base, &twice) - 0.740818) < 1e-6);  /* exp(-0.03 / 0.10) */
    assert_true(fabs(orr_alikeness(&base, &both) - 0.654251) < 1e-6);   /* exp(-0.03 sqrt 2 / 0.10) */
    assert_true(fabs(orr_alikeness(&base, &system) - 0.427415) < 1e-6); /* exp(-0.085 / 0.10) */
    assert_true(fabs(orr_alikeness(&base, &format) - 0.427415) < 1e-6);
    assert_true(orr_alikeness(&base, &kind) == 0);
}

static void one_run_pulls_jobs_like_it(void **state)
{
    struct world *w = *state;
    const struct orr_traits run = traits_of(w, 8, 1, 2048), twice = traits_of(w, 8, 1, 4096);
    const double left = 0.2, ordinary = 1, odd = 0.25;
    double pull;
    orr_alike_pull(&run, 1, &left, &ordinary, &pull);
    assert_true(fabs(orr_alike_shift(&run, &pull, 1, &run) - 0.172414) < 1e-6);   /* 0.2 * 0.01 / 0.0116 */
    assert_true(fabs(orr_alike_shift(&run, &pull, 1, &twice) - 0.127727) < 1e-6); /* ... * 0.740818 */
    orr_alike_pull(&run, 1, &left, &odd, &pull); /* an outlier is mostly alone: 0.2 * 0.01 / 0.0164 */
    assert_true(fabs(orr_alike_shift(&run, &pull, 1, &run) - 0.121951) < 1e-6);
}

/* Equal runs that contradict each other say nothing; equal runs that agree say more than one of them. */
static void runs_are_weighed_together(void **state)
{
    struct world *w = *state;
    const struct orr_traits run = traits_of(w, 8, 1, 2048), runs[2] = {run, run};
    const double against[2] = {0.2, -0.2}, agreed[2] = {0.2, 0.2}, weight[2] = {1, 1};
    double pull[2];
    orr_alike_pull(runs, 2, against, weight, pull);
    assert_true(fabs(orr_alike_shift(runs, pull, 2, &run)) < 1e-12);
    orr_alike_pull(runs, 2, agreed, weight, pull);
    assert_true(fabs(orr_alike_shift(runs, pull, 2, &run) - 0.185185) < 1e-6); /* 0.2 * 0.02 / 0.0216 */
}

static void the_parent_as_it_is_needs_two_runs(void **state)
{
    (void)state;
    assert_true(orr_alike_trust(1, true) == 1 && orr_alike_trust(1, false) == 0);
    assert_true(orr_alike_trust(4, false) == 0.75 && orr_alike_trust(0, false) == 1);
}

static void kept_runs_are_at_equal_steps(void **state)
{
    (void)state;
    assert_int_equal(orr_alike_kept(5), 5);
    assert_int_equal(orr_alike_kept(320), ORR_MAX_ALIKE);
    for (size_t k = 0; k < 5; k++) assert_int_equal(orr_alike_place(k, 5), k);
    for (size_t k = 0; k < ORR_MAX_ALIKE; k++) assert_int_equal(orr_alike_place(k, 10 * ORR_MAX_ALIKE), 10 * k);
    assert_true(orr_alike_place(ORR_MAX_ALIKE - 1, ORR_MAX_ALIKE + 1) <= ORR_MAX_ALIKE);
}

/* Makes the engine of the job one that was fitted to this one run. */
static void fit_to(struct orr_job *job, const struct orr_traits *run, double left)
{
    const double ordinary = 1;
    job->engine.n_alike = 1;
    job->engine.alike[0] = *run;
    orr_alike_pull(run, 1, &left, &ordinary, job->engine.pull);
}

/* The step stretches by the factor of the run, a far job hardly, and nothing is counted twice. */
static void a_prediction_has_it_once(void **state)
{
    struct world *w = *state;
    const struct orr_traits run = traits_of(w, 8, 1, 2048), far = traits_of(w, 1024, 8, 131072);
    (void)traits_of(w, 8, 1, 2048);
    train(w);
    const double plain_s = w->result.step_time_s, plain_j = w->result.energy_j;
    fit_to(&w->job, &run, 0.2);
    train(w);
    assert_true(fabs(w->result.step_time_s / plain_s - exp(0.172414)) < 1e-4);
    assert_true(w->result.energy_j > plain_j);
    orr_job_share(&w->job);
    train(w);
    assert_true(fabs(w->result.step_time_s / plain_s - exp(0.172414)) < 1e-4);
    orr_job_share(&w->job);
    train(w);
    assert_true(fabs(w->result.step_time_s / plain_s - exp(0.172414)) < 1e-4);
    assert_true(fabs(orr_alikeness(&run, &far) - 0.054547) < 1e-5); /* exp(-0.03 sqrt(7^2 + 3^2 + 6^2) / 0.10) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(likeness_falls_with_every_difference),
                                       cmocka_unit_test(one_run_pulls_jobs_like_it),
                                       cmocka_unit_test(runs_are_weighed_together),
                                       cmocka_unit_test(the_parent_as_it_is_needs_two_runs),
                                       cmocka_unit_test(kept_runs_are_at_equal_steps),
                                       cmocka_unit_test(a_prediction_has_it_once)};
    return cmocka_run_group_tests_name("alike", tests, open_world, close_world);
}
