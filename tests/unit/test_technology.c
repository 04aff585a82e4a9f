/* The chip generator and the cost model: the equations worked by hand, the published row over the nodes, real chips
 * from their budgets, and what the budgets cannot make. */
#include "support.h"

#include "spec/technology.h"

#define assert_near(value, expected, tolerance)                                                                        \
    do {                                                                                                               \
        const double value_ = (value), expected_ = (expected);                                                         \
        if (!(fabs(value_ - expected_) <= (tolerance)*fabs(expected_)))                                                \
            fail_msg("%s is %.9g, expected %.9g", #value, value_, expected_);                                          \
    } while (0)

static struct orr_recipe recipe;
static struct orr_machine machine;

static enum orr_err try_recipe(struct world *world, const char *name, struct orr_error *error)
{
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = name};
    return orr_recipe_read(world->catalogue, &reference, &recipe, error);
}

static void make(struct world *world, const char *name)
{
    struct orr_error error;
    char reason[ORR_REASON];
    if (try_recipe(world, name, &error)) fail_msg("%s", error.text);
    if (!orr_generate(&recipe, &machine, reason)) fail_msg("%s", reason);
}

/* ---------------------------------------------------------------- voltage and clock */

static void nominal_power_gives_the_nominal_point(void **state)
{
    (void)state;
    const struct orr_supply supply = {.voltage_v = 0.8, .threshold_v = 0.2, .margin_v = 0.35, .voltage_max_v = 2};
    const struct orr_operating at = orr_operating_point(&supply, 80, 80);
    assert_near(at.voltage_v, 0.8, 1e-12);
    assert_near(at.speed, 1, 1e-12);
    assert_near(at.power_w, 80, 1e-12);
}

/* Power of a supply goes as V (V - threshold)^2: at 1.2 V instead of 0.8 it is 1.2 / 0.36 * 1 / 0.8 = 4.1667 times,
 * the clock (1 / 1.2) / (0.36 / 0.8) = 1.85185 times. */
static void more_power_raises_voltage_and_clock(void **state)
{
    (void)state;
    const struct orr_supply supply = {.voltage_v = 0.8, .threshold_v = 0.2, .margin_v = 0.35, .voltage_max_v = 2};
    const struct orr_operating at = orr_operating_point(&supply, 1, 1.2 / (0.8 * 0.36));
    assert_near(at.voltage_v, 1.2, 1e-12);
    assert_near(at.speed, (1.0 / 1.2) / (0.36 / 0.8), 1e-12);
}

static void the_highest_voltage_leaves_power_unused(void **state)
{
    (void)state;
    const struct orr_supply supply = {.voltage_v = 0.8, .threshold_v = 0.2, .margin_v = 0.35, .voltage_max_v = 1.2};
    const struct orr_operating at = orr_operating_point(&supply, 0.288, 100);
    assert_near(at.voltage_v, 1.2, 1e-12);
    assert_near(at.power_w, 1.2, 1e-12);
}

/* Below threshold and margin (0.55 V) the voltage stays and the clock falls with the square of what it should be:
 * V (V - 0.2)^2 = 0.0288 at V = 0.452330, so (0.1225 / 0.55) / 0.45 * (0.452330 / 0.55)^2. */
static void little_power_stops_at_the_margin(void **state)
{
    (void)state;
    const struct orr_supply supply = {.voltage_v = 0.8, .threshold_v = 0.2, .margin_v = 0.35, .voltage_max_v = 2};
    const struct orr_operating at = orr_operating_point(&supply, 10, 1);
    const double wanted_v = 0.4523298455;
    assert_near(wanted_v * (wanted_v - 0.2) * (wanted_v - 0.2), 0.0288, 1e-6);
    assert_near(at.voltage_v, 0.55, 1e-12);
    assert_near(at.speed, (0.1225 / 0.55) / 0.45 * (wanted_v / 0.55) * (wanted_v / 0.55), 1e-6);
}

/* ---------------------------------------------------------------- published rows */

/* DeepFlow, 14/12 nm class: core 244.5 mm2, 112.35 W, L2 65.7053 mm2. */
static void core_throughput_over_the_nodes(void **state)
{
    static const struct {
        double nm;
        int64_t n_units, n_sm;
        double voltage_v, clock_ghz, tflops, l2_mib;
    } ROWS[] = {
        {12, 643, 80, 0.868, 1.519, 125, 6.00},    {10, 960, 120, 0.827, 1.682, 206.7, 6.09},
        {7, 1433, 179, 0.785, 1.873, 343.6, 6.19}, {5, 2139, 267, 0.744, 2.099, 574.7, 6.25},
        {3, 3192, 399, 0.701, 2.371, 968.8, 6.28}, {2, 4765, 595, 0.659, 2.703, 1649, 6.31},
        {1, 7112, 889, 0.615, 3.119, 2840, 6.34},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char name[96];
        snprintf(name, sizeof name, "generated:design=volta,technology=deepflow,node=%g", ROWS[i].nm);
        make(*state, name);
        assert_int_equal(machine.n_units, ROWS[i].n_units);
        assert_int_equal(machine.n_sm, ROWS[i].n_sm);
        assert_near(machine.core.voltage_v, ROWS[i].voltage_v, 0.001);
        assert_near(machine.clock_hz, ROWS[i].clock_ghz * 1e9, 0.0005);
        assert_near(machine.peak_flops_per_s, ROWS[i].tflops * 1e12, 0.0005);
        assert_near(machine.sram[ORR_SRAM_L2].bytes / 1048576, ROWS[i].l2_mib, 0.001);
    }
}

/* 8.39 mm2: 0.8 * 8.39 / (262144 bits * 8e-8 mm2) = 320.06 banks of 32 KiB; 17.93 mm2: 1367.9 banks of 16 KiB. Leakage
 * of the L2: 192 banks * 262144 bits * 8.4 pW; the other watts move bytes at 8 * 130 fJ. */
static void caches_of_v100(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow");
    assert_int_equal(machine.sram[ORR_SRAM_L2].n_banks, 192);
    assert_int_equal(machine.sram[ORR_SRAM_L1].n_banks, 320);
    assert_int_equal(machine.sram[ORR_SRAM_REGISTERS].n_banks, 1367);
    const double leakage_w = 192 * 262144.0 * 8.4e-12;
    assert_near(machine.sram[ORR_SRAM_L2].static_w, leakage_w, 1e-9);
    assert_near(machine.sram[ORR_SRAM_L2].bytes_per_s, (2.4 - leakage_w) / 1.04e-12, 1e-9);
}

/* Four stacks on 415 mm2 of package, 4096 pins: 23.74 W nominal, 48 W less 77 mW of refresh raise 1.38 GHz to 1.939. */
static void memory_of_v100(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow");
    assert_int_equal(machine.n_stacks, 4);
    assert_int_equal(machine.dram.n_links, 4096);
    assert_near(machine.dram_static_w, 16e9 * 8 * 0.6e-12, 1e-9);
    const double v = machine.dram.at.voltage_v;
    assert_near(v * (v - 0.4) * (v - 0.4) / (1.2 * 0.64), (48 - 0.0768) / (4096 * 1.38e9 * 4.2e-12), 1e-9);
    assert_near(machine.dram.bytes_per_s, 992.91171e9, 1e-4);
    assert_near(machine.dram_bytes, 16e9, 1e-12);
}

/* 435 / 1.006 units, 180 mm2 of L2, five stacks of 3.024 Gb/s; 12 NVLinks of 25 GB/s, one HDR port. */
static void rows_of_a100(void **state)
{
    make(*state, "generated:design=ampere");
    assert_int_equal(machine.n_units, 432);
    assert_int_equal(machine.n_sm, 108);
    assert_near(machine.clock_hz, 1.41e9, 1e-4);
    assert_near(machine.peak_flops_per_s, 432 * 512 * 1.41e9, 1e-4);
    assert_near(machine.sram[ORR_SRAM_L2].bytes, 40 * 1048576.0, 1e-9);
    assert_near(machine.sram[ORR_SRAM_L2].bytes_per_s, 7050e9, 0.001);
    assert_near(machine.sram[ORR_SRAM_L1].bytes, 108 * 192 * 1024.0, 0.002);
    assert_int_equal(machine.n_stacks, 5);
    assert_near(machine.dram_bytes, 80e9, 1e-12);
    assert_near(machine.dram.bytes_per_s, 5 * 1024 * 3.024e9 / 8, 1e-9);
    assert_near(machine.scaleup.bytes_per_s, 300e9, 1e-9);
    assert_near(machine.scaleout.bytes_per_s, 25e9, 1e-9);
    const struct orr_system *real = &((struct world *)*state)->job.system;
    read_job(*state, "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','plan':{'tp':8}}");
    assert_int_equal(real->chip.n_sm, machine.n_sm);
    assert_near(machine.peak_flops_per_s, real->chip.peak_flops_per_s[ORR_DTYPE_BF16], 0.001);
}

/* Links without a number of their own: 114.2 mm of edge * 0.1 * 20 = 228; 59.28 W nominal, 2.8 W are given: 0.6 V of
 * supply would do, 0.85 V is the least. */
static void links_as_the_budgets_allow(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow,network=mesh-inter");
    assert_int_equal(machine.scaleout.n_links, 228);
    assert_near(machine.scaleout.at.voltage_v, 0.85, 1e-12);
    assert_near(machine.scaleout.bytes_per_s, 143.055692e9, 1e-4);
    assert_string_equal(machine.scaleout.limit, "power");
}

/* ---------------------------------------------------------------- units and what feeds them */

/* 5 % of 300 W are 15 W of register traffic at 0.88 pJ a byte; 0.25 bytes a FLOP make 68 TFLOP/s of it. */
static void registers_that_cannot_feed_the_units(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow,power.registers=0.05");
    const double leakage_w = 1367 * 131072.0 * 9e-12;
    assert_near(machine.peak_flops_per_s, (15 - leakage_w) / 0.88e-12 / 0.25, 1e-9);
    assert_string_equal(machine.peak_limit, "registers");
    assert_int_equal(machine.n_units, 643);
}

/* SRAM hardly shrinks from 5 to 3 nm, logic does: 8.39 mm2 hold 1127 banks of 32 KiB, a tile of 64 KiB in 563 SMs. */
static void shared_memory_limits_the_sms(void **state)
{
    make(*state, "generated:design=volta,technology=foundry,node=3");
    assert_int_equal(machine.sram[ORR_SRAM_L1].n_banks, (int64_t)(0.8 * 8.39 / (262144 * 8e-8 * 0.283784)));
    assert_int_equal(machine.n_sm, 1127 * 32 / 64);
    assert_int_equal(machine.n_units, 8 * machine.n_sm);
    assert_string_equal(machine.peak_limit, "l1");
}

static void energy_of_a_flop(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow");
    assert_near(machine.flop_j, 112.35 / 125.0193e12 + 0.25 * 8 * 110e-15 + 0.03125 * 8 * 130e-15, 1e-5);
}

/* ---------------------------------------------------------------- budgets */

static void more_of_a_budget_never_makes_less(void **state)
{
    make(*state, "generated:design=modern");
    const struct orr_machine before = machine;
    make(*state, "generated:design=modern,power=900");
    assert_true(machine.peak_flops_per_s > before.peak_flops_per_s);
    assert_true(machine.dram.bytes_per_s >= before.dram.bytes_per_s);
    make(*state, "generated:design=modern,area=900");
    assert_true(machine.n_sm > before.n_sm && machine.sram[ORR_SRAM_L1].bytes > before.sram[ORR_SRAM_L1].bytes);
    make(*state, "generated:design=modern,stacks=7");
    assert_int_equal(machine.n_stacks, 7);
}

static void the_memory_fixes_the_die(void **state)
{
    make(*state, "generated:design=ampere,package=1330,stacks=5");
    assert_near(recipe.die_mm2, 1330 - 5 * 86, 1e-12);
}

static void what_budgets_cannot_make(void **state)
{
    static const struct {
        const char *name, *text;
    } CASES[] = {
        {"generated:design=ampere,area.core=0.0001", "area.core is too small for one SM"},
        {"generated:design=ampere,power.l2=0.000001", "power.l2 is too small for its leakage"},
        {"generated:design=ampere,area.l2=0.0001", "area.l2 is too small for one bank"},
        {"generated:design=ampere,power.dram=0.0005", "power.dram is too small for the memory's refresh"},
        {"generated:design=ampere,power.intra=0", "power.intra is too small for any rate"},
        {"generated:design=ampere,area.intra=0.0001", "area.intra is too small for one link"},
        {"generated:design=ampere,perimeter.inter=0", "perimeter.inter is too small for one link"},
        {"generated:design=ampere,stacks=9", "area.dram holds 6 stacks of hbm2e-3024, fewer than asked for"},
        {"generated:design=ampere,package=900", "package holds 0 stacks of hbm2e-3024"},
        {"generated:area=8700", "a wafer of 300 mm holds no die of 8700 mm2"},
    };
    struct orr_error error;
    char reason[ORR_REASON];
    for (size_t i = 0; i < COUNT(CASES); i++) {
        if (try_recipe(*state, CASES[i].name, &error)) fail_msg("%s", error.text);
        assert_false(orr_generate(&recipe, &machine, reason));
        assert_string_equal(reason, CASES[i].text);
    }
}

/* ---------------------------------------------------------------- cost */

static void dies_and_yield(void **state)
{
    (void)state;
    assert_near(orr_dies_per_wafer(300, 814), 63.5, 0.001); /* Eq. 106 */
    assert_near(orr_yield_frac(814, 0.1, 3), 0.487, 0.001);
    assert_near(orr_yield_frac(100, 0, 3), 1, 1e-12);
    assert_near(orr_yield_frac(200, 0.5, 1e9), exp(-1), 1e-6); /* many clusters: Poisson */
}

/* pi 300^2 / 4A - pi 300 / sqrt(2A) = 1 at A = 93.07^2 = 8662 mm2. */
static void the_largest_die_of_a_wafer(void **state)
{
    make(*state, "generated:area=8650");
    assert_true(machine.cost.dies_per_wafer >= 1 && machine.cost.dies_per_wafer < 1.01);
}

/* 815 mm2 at 12 nm: 63.39 dies of which 0.5932 are good share 3,984 $. */
static void cost_of_a_chip(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow");
    const struct orr_die_cost *cost = &machine.cost;
    assert_near(cost->die_usd, 135.960171, 1e-4);
    assert_near(cost->interposer_usd, (815 + 4 * 100) * 0.05 / 0.95, 1e-9);
    assert_near(cost->dram_usd, 16 * 7, 1e-9);
    assert_near(cost->package_usd,
                (cost->die_usd + cost->interposer_usd + cost->dram_usd + 100) / (0.99 * 0.99 * 0.99 * 0.99 * 0.99),
                1e-9);
    assert_near(cost->chip_usd, 4 * cost->package_usd, 1e-12);
    assert_near(cost->gpu_usd, 8432.541951, 1e-4);
    assert_near(cost->capital_usd_per_hour, cost->gpu_usd / (4 * 8766 * 0.8), 1e-9);
    assert_near(cost->energy_usd_per_hour, 0.3 * 1.25 * 0.08, 1e-9);
    assert_near(cost->opex_usd_per_hour, cost->gpu_usd * 0.05 / (8766 * 0.8), 1e-9);
    assert_near(cost->usd_per_hour, cost->capital_usd_per_hour + cost->energy_usd_per_hour + cost->opex_usd_per_hour,
                1e-12);
}

static void cost_keys_of_the_name(void **state)
{
    make(*state, "generated:design=volta,technology=deepflow,cost.markup=1,cost.energy_usd_per_kwh=0.16");
    assert_near(machine.cost.chip_usd, machine.cost.package_usd, 1e-12);
    assert_near(machine.cost.energy_usd_per_hour, 0.3 * 1.25 * 0.16, 1e-9);
}

/* ---------------------------------------------------------------- a system like any other */

static void every_built_in_part_makes_a_system(void **state)
{
    struct world *world = *state;
    static const struct {
        enum orr_part part;
        const char *format;
    } KINDS[] = {{ORR_PART_TECHNOLOGY, "generated:technology=%s"},
                 {ORR_PART_DESIGN, "generated:design=%s"},
                 {ORR_PART_MEMORY, "generated:memory=%s,area.dram=0.02"}};
    for (size_t k = 0; k < COUNT(KINDS); k++) {
        const size_t n = orr_catalogue_count(world->catalogue, KINDS[k].part);
        assert_true(n >= 3);
        for (size_t i = 0; i < n; i++) {
            char name[160];
            struct orr_system system;
            struct orr_error error;
            snprintf(name, sizeof name, KINDS[k].format, orr_catalogue_id(world->catalogue, KINDS[k].part, i));
            if (orr_system_read(world->catalogue, name, &system, NULL, &error)) fail_msg("%s", error.text);
        }
    }
    for (size_t i = 0; i < orr_catalogue_count(world->catalogue, ORR_PART_NETWORK); i++) {
        char name[160];
        struct orr_error error;
        const char *id = orr_catalogue_id(world->catalogue, ORR_PART_NETWORK, i);
        snprintf(name, sizeof name, "generated:scaleup=%s", id);
        if (try_recipe(world, name, &error)) snprintf(name, sizeof name, "generated:network=%s", id);
        make(world, name);
    }
}

/* The JSON of a generated system, read back, is the generated system. */
static void json_reads_back_the_same(void **state)
{
    struct world *world = *state;
    struct orr_system system, read;
    struct orr_doc doc;
    struct orr_error error;
    char chip_id[ORR_ID];
    make(world, "generated:design=modern,node=3,memory=hbm4,network=xdr,scaleup=nvswitch-72");
    orr_machine_system(&recipe, &machine, &system);
    json_t *json = orr_generated_json(&recipe, &system, "generated:test");
    char *text = json_dumps(json, JSON_REAL_PRECISION(17));
    json_decref(json);
    assert_non_null(text);
    assert_int_equal(orr_doc_parse(text, "test", &doc, &error), ORR_OK);
    if (orr_system_from_json(&doc, "", &read, chip_id, &error)) fail_msg("%s", error.text);
    json_t *root = doc.root;
    doc.root = json_object_get(root, "chip");
    doc.prefix = "chip";
    if (orr_chip_from_json(&doc, "", &read.chip, chip_id, &error)) fail_msg("%s", error.text);
    doc.root = root;
    orr_doc_close(&doc);
    free(text);
    assert_string_equal(read.chip.name, system.chip.name);
    assert_memory_equal(read.chip.peak_flops_per_s, system.chip.peak_flops_per_s, sizeof system.chip.peak_flops_per_s);
    assert_true(read.chip.hbm_bytes_per_s == system.chip.hbm_bytes_per_s && read.chip.flop_j == system.chip.flop_j);
    assert_true(read.chip.l2_bytes_per_s == system.chip.l2_bytes_per_s && read.chip.n_sm == system.chip.n_sm);
    assert_true(read.price_usd_per_gpu_hour == system.price_usd_per_gpu_hour);
    assert_true(read.scaleup_bytes_per_s == system.scaleup_bytes_per_s && read.domain_gpus == 72);
}

static void set_goes_over_what_was_generated(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'train','model':'llama2-7b','system':'generated:node=5','plan':{'tp':8},"
                    "'set':{'chip.hbm_bytes_per_s':'4 TB/s','system.domain_gpus':16}}");
    assert_near(world->job.system.chip.hbm_bytes_per_s, 4e12, 1e-12);
    assert_int_equal(world->job.system.domain_gpus, 16);
    assert_false(world->job.calibration.calibrated);
    train(world);
    assert_true(world->result.fits && world->result.step_time_s > 0 && world->result.cost_usd > 0);
}

/* N3 is 3 nm, and A14 is 14 tenths of a nanometre. */
static void foundries_name_nodes(void **state)
{
    static const char *const NAMES[][2] = {{"N3", "3"}, {"n2", "2nm"}, {"A14", "1.4"}};
    struct world *world = *state;
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        double peak[2];
        for (size_t k = 0; k < 2; k++) {
            read_job(world, "{'kind':'train','model':'llama2-7b','system':'generated:node=%s','plan':{'tp':8}}",
                     NAMES[i][k]);
            peak[k] = world->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16];
        }
        assert_true(peak[0] > 0 && peak[0] == peak[1]);
    }
}

/* Better logic alone: the step shortens, then hardly; time moves from compute to memory and network. */
static void nodes_help_until_something_else_binds(void **state)
{
    static const char *const NODES[] = {"12", "10", "7", "5", "3", "2", "1.4", "1"};
    struct world *world = *state;
    double step_s[COUNT(NODES)], compute_frac[COUNT(NODES)];
    for (size_t i = 0; i < COUNT(NODES); i++) {
        read_job(world,
                 "{'kind':'train','model':'gpt-7.5b','system':'generated:design=volta,technology=deepflow,node=%s,"
                 "memory=hbm2,network=hdr','gpus':1024,'plan':{'tp':4,'zero':1},'workload':{'global_batch':2048,"
                 "'micro_batch':1,'recompute':'full','precision':'fp16'}}",
                 NODES[i]);
        train(world);
        assert_true(world->result.fits);
        step_s[i] = world->result.step_time_s;
        compute_frac[i] = world->result.bound_share_frac[ORR_BOUND_COMPUTE];
        assert_true(i == 0 || step_s[i] < step_s[i - 1]);
    }
    assert_true(step_s[1] < 0.85 * step_s[0]);
    assert_true(step_s[7] > 0.95 * step_s[5]);
    assert_true(compute_frac[0] > 0.6 && compute_frac[7] < 0.2);
}

/* Faster DRAM: decoding shortens steeply, then hardly; what is left is overhead, network and compute. */
static void memories_help_until_something_else_binds(void **state)
{
    static const char *const RATES[] = {"0.6 TB/s", "1 TB/s", "1.9 TB/s", "4.8 TB/s", "12.8 TB/s", "50 TB/s"};
    struct world *world = *state;
    double latency_s[COUNT(RATES)];
    for (size_t i = 0; i < COUNT(RATES); i++) {
        struct orr_infer_result result;
        read_job(world,
                 "{'kind':'infer','model':'llama2-13b','system':'generated:','plan':{'tp':2},'workload':"
                 "{'batch':1,'input_len':200,'output_len':200},'set':{'chip.hbm_bytes_per_s':'%s'}}",
                 RATES[i]);
        orr_infer(&world->job, world->scratch, &result);
        latency_s[i] = result.latency_s;
        assert_true(i == 0 || latency_s[i] < latency_s[i - 1]);
    }
    assert_true(latency_s[1] < 0.65 * latency_s[0]);
    assert_true(latency_s[5] > 0.6 * latency_s[4]);
}

static void names_keep_what_was_asked(void **state)
{
    make(*state, "generated:design=ampere,node=5,power.core=0.2,memory=hbm3");
    char *name = orr_recipe_name("generated:design=ampere,node=5,power.core=0.2,memory=hbm3", &recipe.split);
    assert_non_null(name);
    assert_non_null(strstr(name, "generated:design=ampere,node=5,memory=hbm3,area.core=0.526634,"));
    assert_non_null(strstr(name, ",power.core=0.200000,"));
    make(*state, name);
    free(name);
    assert_near(recipe.split.power_frac[ORR_COMPONENT_CORE], 0.2, 1e-12);
}

/* The links of a mesh are shared by its neighbours: four of them get a quarter each, as many links, the same power. */
static void neighbours_share_the_links(void **state)
{
    struct world *world = *state;
    char reason[ORR_REASON];
    make(world, "generated:design=volta,technology=deepflow");
    const struct orr_link_level alone = machine.scaleup;
    recipe.scaleup.degree = 4;
    assert_true(orr_generate(&recipe, &machine, reason));
    assert_near(machine.scaleup.bytes_per_s, alone.bytes_per_s / 4, 1e-12);
    assert_int_equal(machine.scaleup.n_links, alone.n_links);
    assert_near(machine.scaleup.at.power_w, alone.at.power_w, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nominal_power_gives_the_nominal_point),
        cmocka_unit_test(more_power_raises_voltage_and_clock),
        cmocka_unit_test(the_highest_voltage_leaves_power_unused),
        cmocka_unit_test(little_power_stops_at_the_margin),
        cmocka_unit_test(core_throughput_over_the_nodes),
        cmocka_unit_test(caches_of_v100),
        cmocka_unit_test(memory_of_v100),
        cmocka_unit_test(rows_of_a100),
        cmocka_unit_test(links_as_the_budgets_allow),
        cmocka_unit_test(registers_that_cannot_feed_the_units),
        cmocka_unit_test(shared_memory_limits_the_sms),
        cmocka_unit_test(energy_of_a_flop),
        cmocka_unit_test(more_of_a_budget_never_makes_less),
        cmocka_unit_test(the_memory_fixes_the_die),
        cmocka_unit_test(what_budgets_cannot_make),
        cmocka_unit_test(dies_and_yield),
        cmocka_unit_test(the_largest_die_of_a_wafer),
        cmocka_unit_test(cost_of_a_chip),
        cmocka_unit_test(cost_keys_of_the_name),
        cmocka_unit_test(neighbours_share_the_links),
        cmocka_unit_test(every_built_in_part_makes_a_system),
        cmocka_unit_test(json_reads_back_the_same),
        cmocka_unit_test(set_goes_over_what_was_generated),
        cmocka_unit_test(foundries_name_nodes),
        cmocka_unit_test(nodes_help_until_something_else_binds),
        cmocka_unit_test(memories_help_until_something_else_binds),
        cmocka_unit_test(names_keep_what_was_asked),
    };
    return cmocka_run_group_tests_name("technology", tests, open_world, close_world);
}
