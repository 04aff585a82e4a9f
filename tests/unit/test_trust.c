/* How sure an answer is: intervals of engines that no run covers, and the nearest measured run. Expected
 * numbers are worked out by hand from the terms of Eqs. 182-187. */
#include "random.h"
#include "support.h"

#include "predict/measured.h"

#include "predict/nearest.h"
#include "spec/names.h"
#include "validate/unseen_stats.h"

#define DENSE                                                                                                          \
    "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':8,'workload':{'global_batch':8,'seq':4096,'"       \
    "engine':'%s'}}"

/* Compute 0.8, DRAM 0.1, network 0.1 of a training step. A share s that may be off by a logarithm x is off by ln(1 + s
 * (e^x - 1)) upwards and -ln(1 - s (1 - e^-x)) downwards. Downwards: runs 0.09, stack 0.08, compute 0.8 of 0.15,
 * memory 0.1 of 0.5, network 0.1 of 0.4: squares 0.0081 + 0.0064 + 0.013958 + 0.001611 + 0.001124 = 0.031193, root
 * 0.176616. Upwards: runs 0.10, stack 0.18, compute 0.8 of 0.15, memory 0.1 of 0.77, network 0.1 of 0.5: 0.01 + 0.0324
 * + 0.014822 + 0.012041 + 0.003951 = 0.073214, root 0.270581. Where the runs of the class differ by more, an end lies
 * between both. */
static const struct orr_exposure MIXED = {
    .bound_frac = {[ORR_BOUND_COMPUTE] = 0.8, [ORR_BOUND_DRAM] = 0.1, [ORR_BOUND_NETWORK] = 0.1}};

/* An upper end whose terms reach the logarithm `terms`, with its class. */
static double upper(double terms, const struct orr_interval *interval, enum orr_regime regime)
{
    const double class_up = fmax(0.17, log(orr_interval_recorded(regime, true).high)), w = interval->class_weight;
    return exp(class_up > terms ? (1 - w) * terms + w * class_up : terms);
}

static void an_unmeasured_engine_adds_what_stacks_differ_by(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "generic");
    const struct orr_interval interval = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED);
    assert_close(interval.low, exp(-0.176616), 1e-5);
    assert_close(interval.mid, 1, 1e-12);
    assert_close(interval.high, upper(0.270581, &interval, ORR_REGIME_TRAIN_DENSE), 1e-5);
    assert_int_equal(interval.from, ORR_DOUBT_STACK);
    assert_false(interval.measured);
}

/* Runs cover megatron-core-2024 and 2026, but not 2025. Its resources may be off by 0.7 of what those of another stack
 * may: downwards 0.0081 + 0.0064 + 0.8 of 0.105: 0.006906, 0.1 of 0.35: 0.000899, 0.1 of 0.28: 0.000611; root
 * 0.151378. Upwards 0.01 + 0.0064 + 0.8 of 0.105: 0.007202, 0.1 of 0.539: 0.004760, 0.1 of 0.35: 0.001685; root
 * 0.173341, and the class has more. */
static void another_version_is_surer_than_another_stack(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "megatron-core-2025");
    const struct orr_interval version = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED);
    assert_close(version.low, exp(-0.151378), 1e-5);
    assert_true(version.mid == 1 && !version.measured);
    assert_close(version.high, upper(0.173341, &version, ORR_REGIME_TRAIN_DENSE), 1e-5);
    assert_int_equal(version.from, ORR_DOUBT_RUNS);
    w->job.kin = ORR_KIN_OTHER;
    const struct orr_interval other = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED);
    assert_true(other.high / other.low > version.high / version.low);
    /* Nothing is measured of this family in serving. */
    w->job.kin = ORR_KIN_RECORD;
    assert_int_equal(orr_interval_of(&w->job, ORR_REGIME_PREFILL, &MIXED).from, ORR_DOUBT_STACK);
}

/* All runs of megatron-core-2024 had Hopper. On an A100 the same engine has other kernels, and is as unsure as another
 * version: the terms of the test above. */
static void a_measured_engine_is_unsure_on_other_architectures(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "megatron-core-2024");
    assert_true(orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED).measured);
    read_job(w,
             "{'kind':'train','model':'llama3-8b','system':'a100-80g-sxm','gpus':8,'workload':{'global_batch':8,"
             "'seq':4096,'engine':'%s'}}",
             "megatron-core-2024");
    const struct orr_interval elsewhere = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED);
    assert_false(elsewhere.measured);
    assert_close(elsewhere.low, exp(-0.151378), 1e-5);
    static const char *const FAMILIES[] = {"", "hop", "opper", "hopper ", "hopper"};
    for (size_t i = 0; i < COUNT(FAMILIES); i++) { /* a word of the record, not a part of one */
        strcpy(w->job.system.chip.family, FAMILIES[i]);
        assert_int_equal(orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED).measured, i == 4);
    }
}

/* Measured runs of NeMo in 2025 are of the containers 24.12 to 25.04: a later one takes that engine, not its record. */
static void a_version_that_is_not_listed_has_no_record(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *engine;
        bool measured;
    } CASES[] = {{"nemo-2025", true}, {"nemo-25.02", true}, {"nemo", true}, {"nemo-25.11", false}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_job(w, DENSE, CASES[i].engine);
        assert_string_equal(w->job.engine.id, "nemo-2025");
        assert_int_equal(orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED).measured, CASES[i].measured);
    }
}

/* Whoever names an engine that describes no stack in particular has a stack of his own, whatever was measured. */
static void a_stand_in_is_never_measured(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "pytorch-eager");
    assert_true(orr_engine_stands_in("pytorch-eager") && !orr_engine_stands_in("megatron-core-2024"));
    assert_false(orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED).measured);
}

/* A host that waits half of the time dominates: ln(1 + 0.5 (e - 1) + 0.1) = 0.672506 upwards with fixed times of a
 * tenth; runs, stack and compute 0.5 of 0.15 add 0.01 + 0.0324 + 0.006060. */
static void the_widest_term_is_named(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "generic");
    const struct orr_exposure exposure = {.bound_frac = {[ORR_BOUND_COMPUTE] = 0.5, [ORR_BOUND_HOST] = 0.5},
                                          .fixed_frac = 0.1};
    const struct orr_interval interval = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    assert_close(interval.high, exp(sqrt(0.672506 * 0.672506 + 0.04846)), 1e-5);
    assert_int_equal(interval.from, ORR_DOUBT_HOST);
    assert_true(strstr(orr_doubt_remedy(interval.from), "orrery fit") != NULL);
}

/* An engine that runs cover has the interval of its own runs, and 0.06 and 0.09 of another cluster in squares. */
/* What a run on record was exposed to; the job becomes one of as many GPUs on its system. */
static struct orr_exposure like_a_run(struct orr_job *job, enum orr_regime regime)
{
    size_t n;
    const struct orr_measured_run *runs = orr_measured_runs(&n);
    struct orr_exposure exposure = {0};
    size_t at = 0;
    const double params = (double)orr_model_params_active(&job->model);
    while (at < n && (strcmp(runs[at].engine, job->engine.id) != 0 || runs[at].regime != regime ||
                      strcmp(runs[at].system, job->system.id) != 0 || fabs(log2(runs[at].params / params)) > 1))
        at++;
    if (at == n) fail_msg("no run of %s on record", job->engine.id);
    memcpy(exposure.bound_frac, runs[at].bound_frac, sizeof exposure.bound_frac);
    job->plan.gpus = (int)runs[at].gpus;
    return exposure;
}

static void a_measured_engine_is_narrower(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "megatron-core-2024");
    const struct orr_exposure exposure = like_a_run(&w->job, ORR_REGIME_TRAIN_DENSE);
    const struct orr_interval seen = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    assert_true(orr_engine_is_measured("megatron-core-2024", ORR_REGIME_TRAIN_DENSE));
    assert_false(orr_engine_is_measured("megatron-core-2024", ORR_REGIME_PREFILL));
    assert_false(orr_engine_is_measured("no such engine", ORR_REGIME_TRAIN_DENSE));
    w->job.kin = ORR_KIN_OTHER;
    const struct orr_interval unseen = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
    assert_true(seen.measured && !unseen.measured);
    assert_true(seen.low >= unseen.low && seen.high < unseen.high);
    const struct orr_measured_cell *cell =
        orr_measured_cell("megatron-core-2024", ORR_REGIME_TRAIN_DENSE,
                          orr_dominant_bound(ORR_REGIME_TRAIN_DENSE, exposure.bound_frac), w->job.system.id);
    assert_non_null(cell);
    assert_close(log(seen.low), -sqrt(log(cell->low) * log(cell->low) + 0.15 * 0.15), 1e-12);
    assert_close(log(seen.high), sqrt(log(cell->high) * log(cell->high) + 0.20 * 0.20), 1e-12);
}

/* Doublings of the GPUs take a job away from the measured runs, 0.03 in logarithms each: within 0.05 it has the
 * interval of the runs, from 0.10 on that of another version, and between them a mean weighted by the distance. */
static void far_from_its_runs_a_measured_engine_is_as_another_version(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "megatron-core-2024");
    const enum orr_regime regime = ORR_REGIME_TRAIN_DENSE;
    const struct orr_exposure exposure = like_a_run(&w->job, regime);
    const struct orr_interval near = orr_interval_of(&w->job, regime, &exposure);
    size_t n_between = 0;
    w->job.system.domain_gpus = 1 << 30; /* no network between nodes comes in */
    for (int doublings = 0; doublings < 16; doublings++, w->job.plan.gpus *= 2) {
        const double away = orr_distance_to_engine(&w->job, regime, &exposure);
        const double frac = away <= 0.05 ? 0 : away >= 0.10 ? 1 : (away - 0.05) / 0.05;
        const struct orr_interval got = orr_interval_of(&w->job, regime, &exposure);
        w->job.kin = ORR_KIN_VERSION;
        const struct orr_interval version = orr_interval_of(&w->job, regime, &exposure);
        w->job.kin = ORR_KIN_RECORD;
        assert_true(got.measured && !version.measured && version.high > near.high);
        assert_close(log(got.high), (1 - frac) * log(near.high) + frac * log(version.high), 1e-12);
        const double low = version.low < near.low ? version.low : near.low; /* an end moves outwards only */
        assert_close(log(got.low), (1 - frac) * log(near.low) + frac * log(low), 1e-12);
        n_between += frac > 0 && frac < 1;
    }
    assert_true(n_between > 0);
    assert_true(orr_distance_to_engine(&w->job, regime, &exposure) > 0.10);
    assert_true(isinf(orr_distance_to_engine(&w->job, ORR_REGIME_PREFILL, &exposure)));
}

/* The runs of an engine stand side by side, so that a job finds them without looking at the others: the distance is
 * that of a look at all of them. */
static void the_runs_of_an_engine_stand_together(void **state)
{
    struct world *w = *state;
    size_t n;
    const struct orr_measured_run *runs = orr_measured_runs(&n);
    const struct orr_exposure exposure = {.bound_frac = {[ORR_BOUND_COMPUTE] = 0.6, [ORR_BOUND_NETWORK] = 0.4}};
    for (size_t i = 1; i < n; i++) assert_true(strcmp(runs[i - 1].engine, runs[i].engine) <= 0);
    /* "h100-sxm-efa3200" is another name of the system that the record must have by its own */
    for (size_t i = 0; i < n; i++) assert_string_not_equal(runs[i].system, "h100-sxm-efa3200");
    read_job(w, DENSE, "megatron-core-2024");
    struct orr_measured_run own = {.system = w->job.system.id,
                                   .gpus = (double)w->job.plan.gpus,
                                   .params = (double)orr_model_params_active(&w->job.model),
                                   .regime = ORR_REGIME_TRAIN_DENSE};
    memcpy(own.bound_frac, exposure.bound_frac, sizeof own.bound_frac);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(runs[i - 1].engine, runs[i].engine) == 0) continue;
        snprintf(w->job.engine.id, sizeof w->job.engine.id, "%s", runs[i].engine);
        own.engine = runs[i].engine;
        double least = HUGE_VAL;
        for (size_t j = 0; j < n; j++)
            if (strcmp(runs[j].engine, own.engine) == 0 && runs[j].regime == own.regime)
                least = fmin(least, orr_run_distance(&own, &runs[j]));
        const double found = orr_distance_to_engine(&w->job, own.regime, &exposure);
        assert_true(found == least || fabs(found - least) < 1e-12);
    }
}

/* ---------------------------------------------------------------- properties of every interval */

static double width_of(const struct world *w, const struct orr_job *job, enum orr_regime regime,
                       const struct orr_exposure *exposure)
{
    (void)w;
    const struct orr_interval interval = orr_interval_of(job, regime, exposure);
    assert_true(interval.low > 0 && interval.low < interval.mid && interval.mid < interval.high);
    assert_true(interval.low <= 1 && interval.high >= 1);
    assert_string_not_equal(orr_doubt_text(interval.from), "");
    assert_string_not_equal(orr_doubt_remedy(interval.from), "");
    return log(interval.high / interval.low);
}

/* Shares of the time that add up to 1, drawn at random; some are 0. */
static struct orr_exposure random_exposure(struct random *random)
{
    struct orr_exposure exposure = {.hidden_frac = (double)draw(random, 50) / 100,
                                    .fixed_frac = (double)draw(random, 30) / 100};
    double sum = 0;
    for (int i = 0; i < ORR_N_BOUNDS; i++) sum += exposure.bound_frac[i] = (double)(draw(random, 12) * draw(random, 3));
    for (int i = 0; i < ORR_N_BOUNDS; i++) exposure.bound_frac[i] = sum > 0 ? exposure.bound_frac[i] / sum : 0;
    return exposure;
}

/* In every regime and at every mix of resources quantiles are in order, and fewer facts never narrow them: another
 * version, another stack, a chip from its datasheet, a model with experts. */
static void fewer_facts_are_wider(void **state)
{
    struct world *w = *state;
    struct random random = {7};
    static struct orr_job job, experts;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'workload':{'global_batch':8,"
                "'seq':4096,'engine':'megatron-core-2024'}}");
    experts = w->job;
    read_job(w, DENSE, "megatron-core-2024");
    for (int i = 0; i < 200; i++) {
        const struct orr_exposure exposure = random_exposure(&random);
        const enum orr_regime regime = (enum orr_regime)draw(&random, ORR_REGIME_SERVE_FIRST);
        const bool known = orr_engine_is_measured(w->job.engine.id, regime);
        double widths[ORR_N_KINS];
        for (int kin = 0; kin < ORR_N_KINS; kin++) {
            job = w->job;
            job.kin = (enum orr_kin)kin;
            widths[kin] = width_of(w, &job, regime, &exposure);
            job.calibration.calibrated = false;
            assert_true(width_of(w, &job, regime, &exposure) >= widths[kin]);
            experts.kin = job.kin;
            assert_true(width_of(w, &experts, regime, &exposure) >= widths[kin]);
        }
        if (known) assert_true(widths[ORR_KIN_VERSION] >= widths[ORR_KIN_RECORD]);
        assert_true(widths[ORR_KIN_OTHER] >= widths[ORR_KIN_VERSION] * (1 - 1e-12)); /* rounding of the middle */
    }
}

/* A resource counts with its share: a larger share of the network is wider, and a step without it is as wide as if
 * networks were all alike. */
static void a_resource_counts_with_its_share(void **state)
{
    struct world *w = *state;
    double last = 0;
    read_job(w, DENSE, "generic");
    for (int i = 0; i <= 10; i++) {
        const struct orr_exposure exposure = {
            .bound_frac = {[ORR_BOUND_COMPUTE] = 1 - 0.1 * i, [ORR_BOUND_NETWORK] = 0.1 * i}};
        const double width = width_of(w, &w->job, ORR_REGIME_TRAIN_DENSE, &exposure);
        if (i > 3) assert_true(width > last);
        last = width;
    }
    /* All network: runs and stack, and 0.4 and 0.5 of the whole time. */
    const double low = sqrt(0.0081 + 0.0064 + 0.16), high = sqrt(0.01 + 0.0324 + 0.25);
    assert_close(last, low + high, 1e-9);
}

/* The medium of an interval lies between its ends in every answer, and quantiles are the interval. */
static void results_have_quantiles(void **state)
{
    struct world *w = *state;
    read_job(w, DENSE, "generic");
    orr_train(&w->job, w->scratch, &w->result);
    assert_true(w->result.interval_low_s < w->result.median_s && w->result.median_s < w->result.interval_high_s);
    assert_close(w->result.median_s, w->result.step_time_s, 1e-12); /* training stacks err either way */
}

/* A class counts whole up to 70 % of its rows held without their source, and half from 80 % on; an end lies between. */
static void a_class_that_is_too_wide_counts_half(void **state)
{
    (void)state;
    assert_close(orr_class_weight(0), 1, 0);
    assert_close(orr_class_weight(0.7), 1, 1e-12);
    assert_close(orr_class_weight(0.75), 0.75, 1e-12);
    assert_close(orr_class_weight(0.8), 0.5, 1e-12);
    assert_close(orr_class_weight(0.97), 0.5, 1e-12);
    const struct orr_interval interval = {
        .low = 0.8, .mid = 1, .high = 1.5, .class_low = 0.5, .class_high = 1.2, .class_weight = 0.5};
    const struct orr_interval moved = orr_towards_class(interval);
    assert_close(moved.low, sqrt(0.4), 1e-12); /* half-way in logarithms */
    assert_close(moved.high, 1.5, 0);          /* the class is narrower */
    struct orr_interval measured = interval;
    measured.measured = true;
    assert_close(orr_towards_class(measured).low, 0.8, 0);
}

#define PROMPTS                                                                                                        \
    "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':1,'workload':{'batch':8,'input_len':2048,'"        \
    "output_len':1,'engine':'%s'}}"

/* Four-bit weights that are multiplied in 16 bits, all compute. Downwards: runs 0.09, stack 0.08, compute 0.15 and
 * 1.2816 spreads of 0.30: 0.0081 + 0.0064 + 0.0225 + 0.147821 = 0.184821, root 0.429908, about a median 0.10 slower. */
static void narrow_weights_are_less_sure(void **state)
{
    struct world *w = *state;
    const struct orr_exposure compute = {.bound_frac = {[ORR_BOUND_COMPUTE] = 1}};
    read_job(w, PROMPTS, "serving-base");
    const struct orr_interval plain = orr_interval_of(&w->job, ORR_REGIME_PREFILL, &compute);
    assert_close(plain.mid, exp(0.10), 1e-12);
    w->job.serving.weights = ORR_DTYPE_INT8;
    const struct orr_interval eight = orr_interval_of(&w->job, ORR_REGIME_PREFILL, &compute);
    w->job.serving.weights = ORR_DTYPE_INT4;
    const struct orr_interval four = orr_interval_of(&w->job, ORR_REGIME_PREFILL, &compute);
    assert_close(four.low, exp(0.10 - 0.429908), 1e-5);
    assert_int_equal(four.from, ORR_DOUBT_FORMAT);
    assert_true(four.low < eight.low && eight.low < plain.low && plain.high < eight.high && eight.high < four.high);
    w->job.serving.matrix = ORR_DTYPE_INT4; /* multiplied as they are stored */
    assert_close(orr_interval_of(&w->job, ORR_REGIME_PREFILL, &compute).low, plain.low, 1e-12);
}

/* ---------------------------------------------------------------- services */

static struct orr_serving_result served(struct world *w, double rate_per_s)
{
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                        .rate_per_s = rate_per_s,
                                        .requests = 400,
                                        .input_len = {.law = ORR_LENGTH_FIXED, .mean = 500},
                                        .output_len = {.law = ORR_LENGTH_FIXED, .mean = 200},
                                        .seed = 1};
    struct orr_serving_result result;
    struct orr_error error;
    if (orr_simulate(&w->job, &traffic, NULL, &result, &error)) fail_msg("%s", error.text);
    return result;
}

/* Far from its limit a service is as unsure as its steps. Near it the same error of a step decides whether requests
 * queue: the interval of first tokens grows without the steps being less sure, and at last the answer says so. */
static void a_service_at_its_knee_says_so(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':1,"
                "'workload':{'engine':'vllm-0.9','batch':1,'input_len':500,'output_len':200}}");
    const struct orr_serving_result calm = served(w, 2);
    const struct orr_timing *tpot = &calm.timing[ORR_TIMING_TPOT], *ttft = &calm.timing[ORR_TIMING_TTFT];
    assert_false(calm.at_knee || calm.saturated);
    assert_false(calm.engine_measured);
    assert_true(tpot->low_frac < tpot->mid_frac && tpot->mid_frac < tpot->high_frac);
    assert_true(ttft->low_frac < ttft->mid_frac && ttft->mid_frac < ttft->high_frac);
    assert_true(log(ttft->high_frac / ttft->low_frac) > log(calm.step_high_frac / calm.step_low_frac));
    double shares = 0;
    for (int i = 0; i < ORR_N_BOUNDS; i++) shares += calm.bound_frac[i];
    assert_close(shares, 1, 1e-6);
    bool knee = false;
    for (double rate = 8; rate < 200 && !knee; rate *= 1.15) knee = served(w, rate).at_knee;
    assert_true(knee);
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

/* Four sources of one row in intervals from 1/2 to 2, at distances 0.1, 0.2, 0.3 and 3 times ln 2 from the middle.
 * Without the last one the other three must be held to 80 %, that is all three: a stretch of 0.30, at which the last
 * is missed. Without any other one the three that stay include the last, so that only the stretch 3 holds 80 % of
 * them, and the row left out is held. Coverage 3 / 4; widths 2 ln 2 times (3 + 3 + 3 + 0.30) / 4. */
static void a_source_has_no_part_in_its_own_width(void **state)
{
    (void)state;
    const double distance[] = {0.0999, 0.1999, 0.2999, 2.9999};
    static const char *const NAMES[] = {"A", "B", "C", "D"};
    struct orr_score scores[4];
    for (size_t i = 0; i < COUNT(scores); i++)
        scores[i] = held_score(NAMES[i], exp(-distance[i] * log(2)) - 1, true, 0.5, 2);
    const struct orr_validation v = {.n_scores = COUNT(scores), .scores = scores};
    const struct orr_held cross = orr_held_cross(&v);
    assert_int_equal(cross.sources, 4);
    assert_int_equal(cross.rows, 4);
    assert_close(cross.coverage_frac, 0.75, 1e-12);
    assert_close(cross.width_ln, 2 * log(2) * (3 + 3 + 3 + 0.3) / 4, 1e-9);
}

/* The intervals of the last test have a mean width of 2 ln 2. Half of it keeps what lies within half of ln 2 from the
 * middle, three of four; a quarter of it two of four. The row 3 ln 2 away is held at three times the width. */
static void other_widths_stretch_all_intervals_alike(void **state)
{
    (void)state;
    struct orr_score scores[] = {held_score("A", exp(-0.0999 * log(2)) - 1, true, 0.5, 2),
                                 held_score("B", exp(0.1999 * log(2)) - 1, true, 0.5, 2),
                                 held_score("C", exp(-0.2999 * log(2)) - 1, true, 0.5, 2),
                                 held_score("D", exp(2.9999 * log(2)) - 1, false, 0.5, 2)};
    const struct orr_validation v = {.n_scores = COUNT(scores), .scores = scores};
    assert_close(orr_held_at(&v, log(2)).coverage_frac, 0.75, 1e-12);
    assert_close(orr_held_at(&v, log(2) / 2).coverage_frac, 0.5, 1e-12);
    assert_close(orr_held_at(&v, 6 * log(2)).coverage_frac, 1, 1e-12);
    assert_close(orr_held_at(&v, log(2) / 2).width_ln, log(2) / 2, 1e-12);
    scores[1].on_record = scores[3].on_record = true;
    assert_int_equal(orr_held_on_record_at(&v, log(2)).rows, 2);
    assert_close(orr_held_on_record_at(&v, log(2)).coverage_frac, 0.5, 1e-12);
}

/* Only rows whose engine runs cover count: A's second row and all of B. */
static void validated_engines_have_a_width_of_their_own(void **state)
{
    (void)state;
    struct orr_score scores[] = {held_score("A", 0.1, true, 0.5, 2), held_score("A", 0.1, true, 0.8, 1.2),
                                 held_score("B", -0.6, false, 0.9, 1.8)};
    scores[1].on_record = scores[2].on_record = true;
    const struct orr_validation v = {.n_scores = COUNT(scores), .scores = scores};
    const struct orr_held held = orr_held_on_record(&v);
    assert_int_equal(held.rows, 2);
    assert_close(held.coverage_frac, 0.5, 1e-12);
    assert_close(held.width_ln, (log(1.5) + log(2)) / 2, 1e-12);
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
    assert_true(nearest.known);
    assert_string_equal(nearest.run.model, "gpt-22b");
    assert_true(nearest.distance <= ORR_RECORD_COVER); /* it, or a run that stands for it */
    assert_false(nearest.outside);
    w->job.plan.gpus *= 2; /* only the number that the distance reads */
    const struct orr_nearest doubled = orr_train_nearest(&w->job, &w->result);
    assert_true(doubled.distance > nearest.distance && doubled.distance < nearest.distance + 0.031);
    strcpy(w->job.engine.id, "no such engine");
    assert_true(orr_train_nearest(&w->job, &w->result).distance >= 0.2);
    assert_true(orr_train_nearest(&w->job, &w->result).outside);
}

/* A request that leaves the micro-batch open has, on an engine that no run covers, the doubt of larger ones that fit
 * and are faster (Eq. 348); pytorch-eager tries one sample alone. */
static void an_open_micro_batch_may_be_larger(void **state)
{
    struct world *w = *state;
    static const char JOB[] =
        "{'kind':'train','model':'gpt2','system':'h100-sxm','gpus':8,'workload':{'global_batch':512,"
        "'seq':1024,'micro_batch':%s,'engine':'pytorch-eager'}}";
    static const char *const SIZES[] = {"2", "4", "8", "16"};
    double least_s = HUGE_VAL;
    for (size_t i = 0; i < COUNT(SIZES); i++) {
        read_job(w, JOB, SIZES[i]);
        train(w);
        assert_true(w->result.fits);
        least_s = fmin(least_s, w->result.step_time_s);
    }
    read_job(w, JOB, "1");
    train(w);
    const double one_s = w->result.step_time_s, low = log(w->result.interval_low_s / one_s);
    assert_true(least_s < one_s && w->result.spread.faster_s == 0); /* what a request states is not open */
    read_job(w, JOB, "'auto'");
    train(w);
    assert_close(w->result.step_time_s, one_s, 1e-12);
    assert_close(w->result.spread.faster_s, least_s, 1e-12);
    assert_true(log(w->result.interval_low_s / one_s) < low);
    w->job.spread = (struct orr_spread){.n_tried = 1, .low_s = 1.2, .high_s = 1.2, .faster_s = 1};
    const struct orr_interval wider = orr_interval_of(&w->job, ORR_REGIME_TRAIN_DENSE, &MIXED);
    assert_close(wider.low, exp(-0.253838), 1e-5); /* the root of 0.031193 + ln(1.2)^2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unmeasured_engine_adds_what_stacks_differ_by),
        cmocka_unit_test(another_version_is_surer_than_another_stack),
        cmocka_unit_test(a_measured_engine_is_unsure_on_other_architectures),
        cmocka_unit_test(a_version_that_is_not_listed_has_no_record),
        cmocka_unit_test(a_stand_in_is_never_measured),
        cmocka_unit_test(the_widest_term_is_named),
        cmocka_unit_test(a_measured_engine_is_narrower),
        cmocka_unit_test(far_from_its_runs_a_measured_engine_is_as_another_version),
        cmocka_unit_test(the_runs_of_an_engine_stand_together),
        cmocka_unit_test(fewer_facts_are_wider),
        cmocka_unit_test(an_open_micro_batch_may_be_larger),
        cmocka_unit_test(a_resource_counts_with_its_share),
        cmocka_unit_test(a_class_that_is_too_wide_counts_half),
        cmocka_unit_test(narrow_weights_are_less_sure),
        cmocka_unit_test(results_have_quantiles),
        cmocka_unit_test(a_service_at_its_knee_says_so),
        cmocka_unit_test(coverage_is_a_mean_over_sources),
        cmocka_unit_test(a_source_has_no_part_in_its_own_width),
        cmocka_unit_test(other_widths_stretch_all_intervals_alike),
        cmocka_unit_test(validated_engines_have_a_width_of_their_own),
        cmocka_unit_test(a_measured_run_is_nearest_to_itself),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
