/* Packages of several dies (Eqs. 284-290), keys of generated systems in forms, the best split for several jobs
 * (Eq. 291), and collectives by the shape of a network (Eqs. 292-297). */
#include "support.h"

#include "spec/technology.h"
#include "study/optimise.h"
#include "study/topologies.h"

#define PACKAGE                                                                                                        \
    "generated:node=5,area=1650,package=2739,stacks=8,memory=hbm3e,power=1000,cost.die_test_usd=15,cost.probe_usd=15," \
    "cost.interposer_usd_per_mm2=0.3,cost.interposer_area_ratio=1.1,cost.final_test_usd=60,cost.final_loss_frac=0.015"

static struct orr_recipe recipe;
static struct orr_machine machine;

static bool make(struct world *world, const char *name, char reason[ORR_REASON])
{
    struct orr_error error;
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = name};
    if (orr_recipe_read(world->catalogue, &reference, &recipe, &error)) fail_msg("%s", error.text);
    return orr_generate(&recipe, &machine, reason);
}

/* Worked out apart from the program: a wafer of 16,988 $ has N = pi 300^2/4A - pi 300/sqrt(2A) dies, of which
 * (1 + 0.001 A/3)^-3 work; memory 8 * 36 GB at 15 $; interposer 1.1 * 2530 mm2 * 0.3/0.95 = 878.84 $. */
static void packages_by_hand(void **state)
{
    static const struct {
        const char *keys;
        double dies_usd, assembly, package_usd;
    } CASES[] = {
        {"", 2464.0814, 0.91351725, 8688.1625},
        {",dies=2", 1219.3217, 0.90438208, 7377.9818},
        {",dies=4", 870.18105, 0.88638487, 7126.6567},
        {",dies=8", 826.38645, 0.85145777, 7364.2778},
        {",dies=2,cost.harvest_frac=0.5", 804.12868, 0.90438208, 6911.9003},
        {",dies=2,cost.missed_frac=0.01", 1206.6996, 0.88528775, 7521.3252},
        /* 300 M$ over 100,000 chips are 3,000 $ each */
        {",dies=2,cost.nre_usd=300e6,cost.nre_chips=1e5", 1219.3217, 0.90438208, 10377.9818},
        /* stacks bonded at 0.999: 0.99^2 * 0.999^8 */
        {",dies=2,cost.stack_bond_yield_frac=0.999", 1219.3217, 0.97228659, 6866.9576},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char name[512], reason[ORR_REASON];
        (void)snprintf(name, sizeof name, PACKAGE "%s", CASES[i].keys);
        assert_true(make(*state, name, reason));
        assert_close(machine.cost.dies_usd, CASES[i].dies_usd, 1e-6);
        assert_close(machine.cost.assembly_yield_frac, CASES[i].assembly, 1e-6);
        assert_close(machine.cost.package_usd, CASES[i].package_usd, 1e-4);
    }
}

/* Two dies of 825 mm2 have sides of 28.72 mm; of their eight, six are free. A tenth of the area links the dies. */
static void dies_share_area_and_edge(void **state)
{
    char reason[ORR_REASON];
    assert_true(make(*state, PACKAGE ",dies=2", reason));
    assert_close(machine.perimeter_mm, 6 * sqrt(825), 1e-12);
    const double units = (double)machine.n_units;
    assert_true(make(*state, PACKAGE, reason));
    assert_close(units, 0.9 * (double)machine.n_units, 0.01);
    assert_false(make(*state, PACKAGE ",dies=2,cost.reticle_mm2=800", reason));
    assert_non_null(strstr(reason, "larger than a reticle"));
}

static void forms_set_keys_of_generated_names(void **state)
{
    struct world *w = *state;
    struct orr_form *form = NULL;
    struct orr_error error;
    const struct orr_job *job;
    assert_int_equal(orr_form_open(w->catalogue,
                                   "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"generated:node=12,"
                                   "memory=hbm3\"}",
                                   "form", &form, &error),
                     ORR_OK);
    assert_int_equal(orr_form_set(form, "generated.node", "3nm", &error), ORR_OK);
    assert_string_equal(orr_form_get(form, "system"), "generated:memory=hbm3,node=3nm");
    assert_int_equal(orr_form_job(form, &job, &error), ORR_OK);
    const double peak = job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16];
    assert_int_equal(orr_form_set(form, "set.generated.node", "7", &error), ORR_OK);
    assert_string_equal(orr_form_get(form, "system"), "generated:memory=hbm3,node=7");
    assert_int_equal(orr_form_job(form, &job, &error), ORR_OK);
    assert_true(job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] < peak);
    assert_int_equal(orr_form_set(form, "generated.node", "7,power=9", &error), ORR_ERR_INPUT);
    assert_int_equal(orr_form_set(form, "system", "h100-sxm", &error), ORR_OK);
    assert_int_equal(orr_form_set(form, "generated.node", "7", &error), ORR_ERR_INPUT);
    orr_form_close(form);
}

#define TRAIN "{'kind':'train','model':'llama2-7b','system':'generated:','plan':{'tp':8},'workload':{'global_batch':8}}"
#define INFER                                                                                                          \
    "{'kind':'infer','model':'llama2-7b','system':'generated:','plan':{'tp':8},'workload':{'input_len':512,"           \
    "'output_len':64}}"

/* The value of two jobs with weights 1 and 3 is (a b^3)^(1/4) of the values that they have alone. */
static void several_jobs_have_a_geometric_mean(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_split_problem *problem = calloc(1, sizeof *problem);
    struct orr_job *jobs = calloc(2, sizeof *jobs);
    const double weights[] = {1, 3};
    double values[3];
    char reason[ORR_REASON];
    assert_true(problem && jobs && make(w, "generated:node=5", reason));
    read_job(w, "%s", TRAIN);
    jobs[0] = w->job;
    read_job(w, "%s", INFER);
    jobs[1] = w->job;
    for (size_t i = 0; i < 3; i++) {
        const struct orr_optimise options = {
            .others = i == 2 ? &jobs[1] : NULL, .n_others = i == 2 ? 1 : 0, .weights = i == 2 ? weights : NULL};
        assert_int_equal(orr_split_problem_open(&recipe, &jobs[i % 2], &options, problem, &error), ORR_OK);
        values[i] = orr_split_evaluate(problem, &recipe.split).value;
        orr_split_problem_close(problem);
    }
    assert_close(values[2], pow(values[0] * pow(values[1], 3), 0.25), 1e-12);
    free(jobs);
    free(problem);
}

/* 64 ranks with 600 GB/s each, 6 links of 100 GB/s in three dimensions of 4; 64 MB; hops of 1 us. */
static void shapes_of_networks(void **state)
{
    (void)state;
    struct orr_shaped n = {.ranks = 64, .bytes_per_s = 600e9, .hop_s = 1e-6, .n_sides = 3, .sides = {4, 4, 4}};
    const double bytes = 64e6, all_s = 63e6 / 600e9;
    assert_close(orr_shaped_gather_s(&n, bytes), 1e-6 + all_s, 1e-12);
    n.shape = ORR_SHAPE_TORUS; /* 6 hops; the middle: 32 ranks send half of their bytes over 2 * 16 links each way */
    assert_close(orr_shaped_gather_s(&n, bytes), 6e-6 + all_s, 1e-12);
    assert_close(orr_shaped_exchange_s(&n, bytes), 6e-6 + 32 * 32e6 / (32 * 100e9), 1e-12);
    n.shape = ORR_SHAPE_MESH; /* 9 hops; 16 links in the middle, 3 links at a corner */
    assert_close(orr_shaped_gather_s(&n, bytes), 9e-6 + 63e6 / 300e9, 1e-12);
    assert_close(orr_shaped_exchange_s(&n, bytes), 9e-6 + 32 * 32e6 / (16 * 100e9), 1e-12);
    n.shape = ORR_SHAPE_HYPERCUBE; /* a torus of 4 x 4 x 4 is a hypercube of 6 dimensions */
    assert_close(orr_shaped_exchange_s(&n, bytes), 6e-6 + 32 * 32e6 / (32 * 100e9), 1e-12);
    n.shape = ORR_SHAPE_DRAGONFLY; /* 8 groups of 8; seven eighths leave the group at 200 GB/s */
    n.groups = 8;
    n.global_bytes_per_s = 200e9;
    assert_close(orr_shaped_exchange_s(&n, bytes), 2e-6 + 56e6 / 200e9, 1e-12);
    assert_close(orr_shaped_gather_s(&n, bytes), 2e-6 + 56e6 / 600e9 + 7e6 / 200e9, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packages_by_hand),
        cmocka_unit_test(dies_share_area_and_edge),
        cmocka_unit_test(forms_set_keys_of_generated_names),
        cmocka_unit_test(several_jobs_have_a_geometric_mean),
        cmocka_unit_test(shapes_of_networks),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
