/* Elasticities: finite differences of jobs read anew, the chain rule, and the ones known beforehand. */
#include "support.h"

#include "study/sensitivity.h"

static struct orr_sensitivity all[ORR_MAX_SENSITIVITIES];
static double answers[ORR_N_ANSWERS];
static size_t n_all;

static const char *const JOBS[] = {
    "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':128,'plan':{'tp':8,'pp':8},"
    "'workload':{'global_batch':64}%s}",
    "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':64,'plan':{'tp':2,'ep':8},"
    "'workload':{'global_batch':256}%s}",
    "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},"
    "'workload':{'batch':16,'input_len':1024,'output_len':128}%s}",
    "{'kind':'infer','model':'llama2-7b','system':'generated:node=3,memory=hbm4',"
    "'workload':{'batch':1,'input_len':200,'output_len':200}%s}",
};

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void study(struct world *world, size_t job)
{
    read_job(world, JOBS[job], "");
    bool fits;
    n_all = orr_sensitivities(&world->job, world->scratch, all, answers, &fits);
}

static const struct orr_sensitivity *find(const char *name)
{
    for (size_t i = 0; i < n_all; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    fail_msg("no parameter %s", name);
    return NULL;
}

/* The first answer of a job with one number set, read as any user would. */
static double answer_with(struct world *world, size_t job, const char *path, double value)
{
    char set[128];
    snprintf(set, sizeof set, ",'set':{'%s':%.17g}", path, value);
    read_job(world, JOBS[job], set);
    if (world->job.kind == ORR_JOB_TRAIN) {
        train(world);
        return world->result.step_time_s;
    }
    struct orr_infer_result result;
    orr_infer(&world->job, world->scratch, &result);
    return result.latency_s;
}

static void finite_differences(void **state)
{
    static const char *const PATHS[] = {"chip.hbm_bytes_per_s",
                                        "chip.l2_bytes_per_s",
                                        "chip.l2_bytes",
                                        "chip.tdp_w",
                                        "chip.vector_flops_per_s",
                                        "chip.smem_bytes_per_sm",
                                        "system.scaleup_bytes_per_s",
                                        "system.scaleout_bytes_per_s",
                                        "system.scaleout_latency_s"};
    const double h = 1e-4;
    for (size_t job = 0; job < COUNT(JOBS); job++) {
        for (size_t i = 0; i < COUNT(PATHS); i++) {
            study(*state, job);
            const struct orr_sensitivity s = *find(PATHS[i]);
            const double now = answers[0];
            const double up = log(answer_with(*state, job, PATHS[i], s.value * (1 + h)) / now) / log(1 + h);
            const double down = log(answer_with(*state, job, PATHS[i], s.value * (1 - h)) / now) / log(1 - h);
            if (fabs(up - s.more[0]) > 2e-3 || fabs(down - s.less[0]) > 2e-3)
                fail_msg("job %zu, %s: %.6f and %.6f, differences give %.6f and %.6f", job, s.name, s.less[0],
                         s.more[0], down, up);
            const double tenth = answer_with(*state, job, PATHS[i], s.value * 1.1) / now - 1;
            assert_true(fabs(tenth - s.tenth[0]) < 1e-9);
        }
    }
}

/* Slope by a central difference of order four; its error is that of h^4. */
static double stencil(struct world *world, size_t job, const char *path, double value, double h)
{
    static const double WEIGHTS[] = {1, -8, 8, -1}, STEPS[] = {-2, -1, 1, 2};
    double sum = 0;
    for (size_t i = 0; i < COUNT(STEPS); i++)
        sum += WEIGHTS[i] * log(answer_with(world, job, path, value * exp(STEPS[i] * h)));
    return sum / (12 * h);
}

/* Where the model is smooth, which stencils of two widths that agree show, the slopes are right to nine digits. */
static void exact_where_smooth(void **state)
{
    static const char *const PATHS[] = {"chip.hbm_bytes_per_s", "chip.l2_bytes_per_s", "system.scaleup_bytes_per_s",
                                        "system.scaleout_bytes_per_s", "system.scaleout_latency_s"};
    size_t n_smooth = 0;
    for (size_t job = 0; job < COUNT(JOBS); job++)
        for (size_t i = 0; i < COUNT(PATHS); i++) {
            study(*state, job);
            const struct orr_sensitivity s = *find(PATHS[i]);
            const double wide = stencil(*state, job, s.name, s.value, 2e-3);
            const double narrow = stencil(*state, job, s.name, s.value, 1e-3);
            if (!(fabs(wide) > 1e-3) || fabs(wide - narrow) > 1e-9) continue;
            n_smooth++;
            if (fabs(s.less[0] - narrow) > 1e-9 || fabs(s.more[0] - narrow) > 1e-9)
                fail_msg("job %zu, %s: %.12f and %.12f, not %.12f", job, s.name, s.less[0], s.more[0], narrow);
        }
    assert_true(n_smooth >= 6);
}

/* All rates together: the slopes add up (chain rule), and what is left of -1 is what no rate can shorten. */
static void slopes_add_up(void **state)
{
    static const char *const RATES[] = {"chip.peak_flops_per_s", "chip.hbm_bytes_per_s", "chip.l2_bytes_per_s",
                                        "system.scaleup_bytes_per_s", "system.scaleout_bytes_per_s"};
    struct world *world = *state;
    for (size_t job = 0; job < 2; job++) {
        double sum = 0;
        study(world, job);
        for (size_t i = 0; i < COUNT(RATES); i++) sum += find(RATES[i])->more[0];
        const double h = 1e-5;
        struct orr_system *system = &world->job.system;
        for (int i = 0; i < ORR_N_DTYPES; i++) system->chip.peak_flops_per_s[i] *= 1 + h;
        system->chip.hbm_bytes_per_s *= 1 + h;
        system->chip.l2_bytes_per_s *= 1 + h;
        system->scaleup_bytes_per_s *= 1 + h;
        system->scaleout_bytes_per_s *= 1 + h;
        train(world);
        const double together = log(world->result.step_time_s / answers[0]) / log(1 + h);
        assert_true(fabs(together - sum) < 1e-3);
        assert_true(sum > -1 - 1e-9 && sum < -0.5);
    }
}

static void known_beforehand(void **state)
{
    study(*state, 0);
    assert_true(fabs(find("system.price_usd_per_gpu_hour")->more[2] - 1) < 1e-8); /* cost */
    assert_true(fabs(find("system.pue_frac")->less[1] - 1) < 1e-8);               /* energy */
    assert_true(fabs(find("system.scaleout_oversubscription")->more[0] + find("system.scaleout_bytes_per_s")->less[0]) <
                1e-6);
    assert_true(fabs(find("system.scaleout_efficiency_frac")->more[0] - find("system.scaleout_bytes_per_s")->more[0]) <
                1e-6);
    for (size_t i = 0; i < n_all; i++)
        for (int k = 0; k < 1; k++)
            if (strstr(all[i].name, "bytes_per_s") || strstr(all[i].name, "flops_per_s"))
                assert_true(all[i].less[k] <= 1e-8 && all[i].more[k] <= 1e-8); /* more is never slower */
}

static void study_of(struct world *world, const char *system, const char *set)
{
    read_job(world,
             "{'kind':'train','model':'gpt3-5b','system':'%s','gpus':8,'plan':{'tp':4,'zero':1},"
             "'workload':{'global_batch':64},'set':{%s}}",
             system, set);
    bool fits;
    n_all = orr_sensitivities(&world->job, world->scratch, all, answers, &fits);
}

/* Numbers that bind on some machines only act there: watts at a limit, vector units that are too slow, one link. */
static void every_number_acts_somewhere(void **state)
{
    study_of(*state, "h100-sxm", "'chip.tdp_w':500");
    assert_true(find("chip.tdp_w")->more[0] < -0.2 && find("chip.idle_w")->more[0] > 0.01);
    assert_true(find("chip.vector_flops_per_s")->more[0] >= 0);
    study_of(*state, "trainium2", "");
    assert_true(find("chip.vector_flops_per_s")->more[0] < -0.01);
    study_of(*state, "h100-sxm", "'chip.smem_bytes_per_sm':49151");
    assert_true(find("chip.smem_bytes_per_sm")->tenth[0] < -1e-3); /* the largest tile comes back */
    study_of(*state, "mi300x", "");
    const double mesh = find("system.scaleup_bytes_per_s")->more[0];
    study_of(*state, "mi300x", "'system.scaleup_switched':true");
    assert_true(mesh < find("system.scaleup_bytes_per_s")->more[0] - 0.05);
}

static void one_gpu_has_no_network(void **state)
{
    study(*state, 3);
    assert_true(fabs(find("system.scaleup_bytes_per_s")->more[0]) <= 0);
    assert_true(fabs(find("system.scaleout_latency_s")->less[0]) <= 0);
    assert_true(find("chip.hbm_bytes_per_s")->more[0] < -0.3);
}

static void sorted_by_effect(void **state)
{
    for (size_t job = 0; job < COUNT(JOBS); job++) {
        study(*state, job);
        assert_true(n_all > 15);
        for (size_t i = 1; i < n_all; i++) {
            const double before = fmax(fabs(all[i - 1].less[0]), fabs(all[i - 1].more[0]));
            const double after = fmax(fabs(all[i].less[0]), fabs(all[i].more[0]));
            assert_true(after <= before + 1e-9);
        }
    }
}

static struct orr_sensitivity at_rate(struct world *world, double hbm_bytes_per_s)
{
    world->job.system.chip.hbm_bytes_per_s = hbm_bytes_per_s;
    bool fits;
    n_all = orr_sensitivities(&world->job, world->scratch, all, answers, &fits);
    return *find("chip.hbm_bytes_per_s");
}

/* Where one limit takes over from another the slope jumps: close in on the largest jump over DRAM rates; there a little
 * less must still cost what it cost before, and a little more bring what it brings after. */
static void corners_have_two_sides(void **state)
{
    struct world *world = *state;
    double low = 0, high = 0, jump = 0;
    read_job(world, JOBS[0], "");
    for (double rate = 0.5e12; rate < 50e12; rate *= 1.01) {
        const double step = fabs(at_rate(world, rate).more[0] - at_rate(world, rate * 1.01).less[0]);
        if (step <= jump) continue;
        jump = step;
        low = rate;
        high = rate * 1.01;
    }
    assert_true(jump > 1e-3);
    const double before = at_rate(world, low).more[0], after = at_rate(world, high).less[0];
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2, slope = at_rate(world, middle).less[0];
        *(fabs(slope - before) < fabs(slope - after) ? &low : &high) = middle;
    }
    const struct orr_sensitivity corner = at_rate(world, low);
    if (fabs(corner.less[0] - corner.more[0]) < 0.5 * jump)
        fail_msg("%.6f and %.6f at the corner, %.6f before and %.6f after", corner.less[0], corner.more[0], before,
                 after);
}

/* Where more FLOP/s make a job slower, the answer says why; where they do not, it says nothing. More energy per FLOP
 * and a longer latency are no faster hardware. */
static void a_wrong_sign_is_explained(void **state)
{
    static const char *const REQUESTS[] = {
        "{'kind':'infer','model':'falcon-40b','system':'b200-sxm','plan':{'tp':4},"
        "'workload':{'input_len':1,'output_len':5}}",
        "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':128,'plan':{'tp':8,'pp':8},"
        "'workload':{'global_batch':64}}"};
    struct world *world = *state;
    bool fits;
    for (size_t i = 0; i < COUNT(REQUESTS); i++) {
        read_job(world, "%s", REQUESTS[i]);
        n_all = orr_sensitivities(&world->job, world->scratch, all, answers, &fits);
        assert_int_equal(find("chip.peak_flops_per_s")->tenth[0] > 0, i == 0);
        assert_true(find("chip.peak_flops_per_s")->faster && find("system.scaleup_bytes_per_s")->faster);
        assert_false(find("chip.flop_j")->faster || find("system.scaleup_latency_s")->faster);
        char *json = orr_sensitivity_render(&world->job, ORR_FORMAT_JSON, NULL);
        const char *at = strstr(json, "chip.peak_flops_per_s"), *warning = strstr(json, "\"warning\"");
        assert_true(at != NULL && (warning != NULL) == (i == 0));
        assert_true(i > 0 || (warning > at && strstr(warning + 1, "\"warning\"") == NULL));
        free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finite_differences),
        cmocka_unit_test(exact_where_smooth),
        cmocka_unit_test(slopes_add_up),
        cmocka_unit_test(known_beforehand),
        cmocka_unit_test(every_number_acts_somewhere),
        cmocka_unit_test(one_gpu_has_no_network),
        cmocka_unit_test(sorted_by_effect),
        cmocka_unit_test(a_wrong_sign_is_explained),
        cmocka_unit_test(corners_have_two_sides),
    };
    return cmocka_run_group_tests_name("sensitivity", tests, open_world, close_world);
}
