/* How sure an answer is: intervals of engines that no run covers, and the nearest measured run. Expected
 * numbers are worked out by hand from the terms of Eqs. 182-187. */
#include "support.h"

#include "predict/nearest.h"
#include "spec/names.h"
#include "validate/unseen_stats.h"

#define DENSE                                                                                                          \
    "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':8,'workload':{'global_batch':8,'seq':4096,'"       \
    "engine':'%s'}}"

/* Compute 0.8, DRAM 0.1, network 0.1 of a training step. Downwards: runs 0.12, stack 0.16, compute 0.8 · 0.15, memory
 * 0.1 · 0.5, network 0.1 · 0.4: squares 0.0144 + 0.0256 + 0.0144 + 0.0025 + 0.0016 = 0.0585, root 0.241868. Upwards:
 * memory 0.1 · 0.77, network 0.1 · 0.5: 0.0144 + 0.0256 + 0.0144 + 0.005929 + 0.0025 = 0.062829, root 0.250657. */
static void an_unmeasured_engine_adds_what_stacks_differ_by(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "generic");
    const struct orr_exposure exposure = {
        .bound_frac = {[ORR_BOUND_COMPUTE] = 0.8, [ORR_BOUND_DRAM] = 0.1, [ORR_BOUND_NETWORK] = 0.1}, .unseen = true};
    const struct orr_interval interval = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    assert_close(interval.low, exp(-0.241868), 1e-5);
    assert_close(interval.high, exp(0.250657), 1e-5);
    assert_int_equal(interval.from, ORR_DOUBT_STACK);
    assert_false(interval.measured);
}

/* A host that waits half of the time dominates: 0.5 · 1 upwards, and fixed times of a tenth add ln 1.1 to it. */
static void the_widest_term_is_named(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "generic");
    const struct orr_exposure exposure = {
        .bound_frac = {[ORR_BOUND_COMPUTE] = 0.5, [ORR_BOUND_HOST] = 0.5}, .fixed_frac = 0.1, .unseen = true};
    const struct orr_interval interval = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    const double host = 0.5 + log(1.1), rest = 0.0144 + 0.0256 + 0.075 * 0.075;
    assert_close(interval.high, exp(sqrt(host * host + rest)), 1e-9);
    assert_int_equal(interval.from, ORR_DOUBT_HOST);
    assert_true(strstr(orr_doubt_remedy(interval.from), "orrery fit") != NULL);
}

/* An engine that runs cover has the interval of its class, and never one narrower than runs of it are taken to be. */
static void a_measured_engine_is_narrower(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "megatron-core-2024");
    struct orr_exposure exposure = {.bound_frac = {[ORR_BOUND_COMPUTE] = 1}};
    const struct orr_interval seen = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    assert_true(orr_engine_is_measured("megatron-core-2024", ORR_REGIME_TRAIN_DENSE));
    assert_false(orr_engine_is_measured("megatron-core-2024", ORR_REGIME_PREFILL));
    assert_false(orr_engine_is_measured("no such engine", ORR_REGIME_TRAIN_DENSE));
    exposure.unseen = true;
    const struct orr_interval unseen = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    assert_true(seen.measured && !unseen.measured);
    assert_true(seen.low > unseen.low && seen.high < unseen.high);
    assert_true(seen.low <= exp(-0.09) && seen.high >= exp(0.17));
}

/* The medium of an interval lies between its ends in every answer, and quantiles are the interval. */
static void results_have_quantiles(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "generic");
    orr_train(&w->job, w->scratch, &w->result);
    assert_true(w->result.interval_low_s < w->result.median_s && w->result.median_s < w->result.interval_high_s);
}

/* ---------------------------------------------------------------- coverage */

static struct orr_score held_score(const char *source, double error, bool covered, double low, double high)
{
    return (struct orr_score){
        .source = source, .timed = true, .error = error, .covered = covered, .low = low, .high = high};
}

/* Source A holds one of two rows, source B its only one: 75 % as a mean over sources, 2 / 3 over rows. Widths: A has
 * ln 4 and ln 4, B has ln 2. A's miss was slower than the interval: measured over predicted 1 / 0.4 = 2.5 above 2. */
static void coverage_is_a_mean_over_sources(void **state)
{
    (void)state;
    struct orr_score scores[] = {held_score("A", 0.1, true, 0.5, 2), held_score("A", -0.6, false, 0.5, 2),
                                 held_score("B", -0.2, true, 0.8, 1.6)};
    const struct orr_validation v = {.n_scores = COUNT(scores), .scores = scores};
    const struct orr_held mean = orr_held_mean(&v), all = orr_held_by(&v, NULL, NULL);
    assert_close(mean.coverage_frac, 0.75, 1e-12);
    assert_close(mean.width_ln, (log(4) + log(2)) / 2, 1e-12);
    assert_close(mean.too_fast_frac, 1, 1e-12);
    assert_int_equal(mean.sources, 2);
    assert_close(all.coverage_frac, 2.0 / 3, 1e-12);
    assert_close(all.median_frac, 0.2, 1e-12);
    assert_int_equal(all.sources, 2);
}

/* ---------------------------------------------------------------- nearest */

/* A run of the record is its own nearest run, at no distance; another engine is 0.2 away, and then other runs of that
 * engine may be nearer. Twice the GPUs are 0.03 away at most. */
static void a_measured_run_is_nearest_to_itself(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','gpus':8,'plan':{'tp':8,'sp':true},"
                "'workload':{'global_batch':4,'micro_batch':4,'seq':2048,'recompute':'selective','attention':'unfused',"
                "'precision':'fp16','engine':'megatron-lm-2022'}}");
    orr_train(&w->job, w->scratch, &w->result);
    const struct orr_nearest nearest = orr_train_nearest(&w->job, &w->result);
    assert_non_null(nearest.run);
    assert_string_equal(nearest.run->model, "gpt-22b");
    assert_true(nearest.distance < 0.02);
    assert_false(nearest.outside);
    w->job.plan.gpus *= 2; /* only the number that the distance reads */
    const struct orr_nearest doubled = orr_train_nearest(&w->job, &w->result);
    assert_true(doubled.distance > nearest.distance && doubled.distance < nearest.distance + 0.031);
    strcpy(w->job.engine.id, "no such engine");
    assert_true(orr_train_nearest(&w->job, &w->result).distance >= 0.2);
    assert_true(orr_train_nearest(&w->job, &w->result).outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unmeasured_engine_adds_what_stacks_differ_by),
        cmocka_unit_test(the_widest_term_is_named),
        cmocka_unit_test(a_measured_engine_is_narrower),
        cmocka_unit_test(results_have_quantiles),
        cmocka_unit_test(coverage_is_a_mean_over_sources),
        cmocka_unit_test(a_measured_run_is_nearest_to_itself),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
