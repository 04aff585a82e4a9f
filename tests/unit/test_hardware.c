/* Numbers of chips and systems that bind only on some of them: direct links instead of a switch (Eqs. 57a-57d), vector
 * units (Eq. 40), shared memory (Eq. 33), the power limit (Eq. 105a). */
#include "support.h"
#include <math.h>

#include "cost/cost.h"
#include "predict/power.h"

static const enum orr_collective COLLECTIVES[] = {ORR_COLLECTIVE_ALLREDUCE, ORR_COLLECTIVE_ALLGATHER,
                                                  ORR_COLLECTIVE_REDUCESCATTER, ORR_COLLECTIVE_ALLTOALL};

/* ---------------------------------------------------------------- decode kernels */

/* What single cores read in a decode kernel, times their number, reaches a quarter of the memory's rate on every
 * family: a constant of a chip with a hundred cores does not fit one with four. */
static void all_cores_together_read_the_memory(void **state)
{
    static const char *const SYSTEMS[] = {"v100-32g-sxm", "a100-80g-sxm",  "l40s",         "rtx-4090", "h100-sxm",
                                          "h20-sxm",      "h200-sxm",      "b200-sxm",     "mi210",    "mi300x",
                                          "mi355x",       "tpu-v5p",       "tpu-v6e",      "gaudi2",   "gaudi3",
                                          "trainium2",    "trn1.32xlarge", "inf2.48xlarge"};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(SYSTEMS); i++) {
        read_job(
            w,
            "{'kind':'infer','model':'llama3-8b','system':'%s','workload':{'batch':1,'input_len':64,'output_len':2}}",
            SYSTEMS[i]);
        const struct orr_chip *chip = &w->job.system.chip;
        for (int kernel = 0; kernel < ORR_N_DECODE_KERNELS; kernel++)
            for (int width = 0; width < 2; width++)
                assert_true((double)chip->n_sm * w->job.calibration.decode[kernel][width].sm_bytes_per_s >=
                            0.25 * chip->hbm_bytes_per_s);
    }
}

/* ---------------------------------------------------------------- direct links */

/* A system whose domain of `domain` GPUs has `links` links of 50 GB/s each, lines at the full rate without latency. */
static void join_directly(struct world *w, int64_t domain, int64_t links, int64_t gpus)
{
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    w->job.system.domain_gpus = domain;
    w->job.system.scaleup_switched = false;
    w->job.system.scaleup_links = links;
    w->job.system.scaleup_bytes_per_s = 50e9 * (double)(links > 0 ? links : domain - 1);
    w->job.system.scaleup_latency_s = 0;
    w->job.plan.gpus = gpus;
    w->job.calibration.p2p_scaleup_frac = 1;
    w->job.calibration.n_lines = COUNT(COLLECTIVES);
    for (size_t c = 0; c < COUNT(COLLECTIVES); c++)
        w->job.calibration.lines[c] = (struct orr_collective_line){
            .collective = COLLECTIVES[c],
            .algorithm = COLLECTIVES[c] == ORR_COLLECTIVE_ALLTOALL ? ORR_ALGORITHM_DIRECT : ORR_ALGORITHM_RING,
            .n_points = 1,
            .ranks = {8},
            .efficiency_frac = {1}};
}

static double send_s(struct world *w, double bytes)
{
    const struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .collective = ORR_COLLECTIVE_P2P, .group = ORR_GROUP_TP, .payload_bytes = bytes};
    struct orr_cost cost;
    w->job.plan.tp = 2;
    orr_cost_collective(&w->job, &op, &cost);
    return cost.total_s;
}

/* Eq. 57a: every pair has a link of 50 GB/s. 1 GB gathered or exchanged over n ranks puts 1/n GB on each: 10, 5 and
 * 2.5 ms on 2, 4 and 8 ranks. A send has one link whatever the domain; a pair of GPUs has all of them. */
static void a_mesh_has_a_link_per_pair(void **state)
{
    struct world *w = *state;
    join_directly(w, 8, 0, 8);
    for (int64_t n = 2; n <= 8; n *= 2) {
        assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, n, 1e9), 0.02 / (double)n, 1e-12);
        assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLTOALL, n, 1e9), 0.02 / (double)n, 1e-12);
        assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLREDUCE, n, 1e9), 0.04 / (double)n, 1e-12);
    }
    assert_close(send_s(w, 1e9), 0.02, 1e-12);
    w->job.system.scaleup_switched = true; /* the same 350 GB/s through a switch: 7/8 GB, and a send at the full rate */
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 8, 1e9), 0.0025, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 2, 1e9), 0.5 / 350, 1e-12);
    assert_close(send_s(w, 1e9), 1.0 / 350, 1e-12);
    join_directly(w, 2, 12, 2); /* a bridge of twelve links */
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 2, 1e9), 0.5 / 600, 1e-12);
    assert_close(send_s(w, 1e9), 1.0 / 600, 1e-12);
}

/* Largest load of a link when every GPU of a torus of `sides` sends a byte to every GPU, its own included, by the
 * shorter way of each dimension in turn; halves of a ring are split between both ways. */
static double torus_link_load(const int *sides, int n_sides)
{
    double worst = 0, n = 1;
    for (int i = 0; i < n_sides; i++) n *= sides[i];
    for (int i = 0; i < n_sides; i++) {
        double hops = 0; /* of one GPU to all positions of its ring */
        for (int x = 0; x < sides[i]; x++) hops += fmin(x, sides[i] - x);
        worst = fmax(worst, n * (n / sides[i]) * hops / (2 * n)); /* over two links of each GPU and dimension */
    }
    return worst;
}

/* Eq. 57b on a whole 4 x 4 x 4 torus of 6 links of 50 GB/s: gathering 1 GB takes 63/64 GB over 300 GB/s; in an exchange
 * of 1 GB, 1/64 GB to each, the busiest link carries as many 64ths as its load above. Groups of 4 are rings with two
 * links, of 16 planes with four. */
static void a_torus_has_the_links_of_its_dimensions(void **state)
{
    struct world *w = *state;
    static const int cube[] = {4, 4, 4}, plane[] = {4, 4}, ring[] = {4};
    join_directly(w, 64, 6, 64);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 64, 1e9), 63.0 / 64 / 300, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 16, 1e9), 15.0 / 16 / 200, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 4, 1e9), 3.0 / 4 / 100, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 2, 1e9), 1.0 / 2 / 50, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLTOALL, 64, 1e9), torus_link_load(cube, 3) / 64 / 50, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLTOALL, 16, 1e9), torus_link_load(plane, 2) / 16 / 50, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLTOALL, 4, 1e9), torus_link_load(ring, 1) / 4 / 50, 1e-12);
    assert_close(send_s(w, 1e9), 0.02, 1e-12);
    join_directly(w, 4096, 6, 8); /* a 2 x 2 x 2 corner of a large torus: three neighbours, no wrap-around */
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 8, 1e9), 7.0 / 8 / 150, 1e-12);
    join_directly(w, 256, 4, 256); /* 16 x 16: four in a line have one link, and its middle is crossed by 4 · 1/4 GB */
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 4, 1e9), 3.0 / 4 / 50, 1e-12);
    assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLTOALL, 4, 1e9), 4.0 / 4 / 50, 1e-12);
}

/* No group is faster over direct links than over a switch of the same rate, and in-switch reduction needs a switch. */
static void links_are_never_faster_than_a_switch(void **state)
{
    struct world *w = *state;
    static const char *const DIRECT[] = {"mi300x",    "gaudi3",       "tpu-v4",  "tpu-v6e",
                                         "trainium2", "v100-16g-sxm", "h100-sxm"};
    for (size_t i = 0; i < COUNT(DIRECT); i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','gpus':64,'plan':{'tp':8},'workload':{}}",
                 DIRECT[i]);
        for (size_t c = 0; c < COUNT(COLLECTIVES); c++)
            for (int64_t ranks = 2; ranks <= 64; ranks *= 2)
                for (double bytes = 1024; bytes < 4e9; bytes *= 16) {
                    w->job.system.scaleup_switched = true;
                    const double switch_s = tp_collective_s(w, COLLECTIVES[c], ranks, bytes);
                    w->job.system.scaleup_switched = false;
                    assert_at_most(switch_s, tp_collective_s(w, COLLECTIVES[c], ranks, bytes) * (1 + 1e-12));
                }
    }
    struct orr_cost cost;
    const struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .collective = ORR_COLLECTIVE_ALLREDUCE, .group = ORR_GROUP_TP, .payload_bytes = 1e9};
    w->job.plan.tp = 8; /* h100-sxm, the last */
    w->job.system.scaleup_switched = true;
    orr_cost_collective(&w->job, &op, &cost);
    assert_int_equal(cost.algorithm, ORR_ALGORITHM_NVLS);
    w->job.system.scaleup_switched = false;
    orr_cost_collective(&w->job, &op, &cost);
    assert_int_equal(cost.algorithm, ORR_ALGORITHM_RING);
}

/* ---------------------------------------------------------------- vector units, shared memory */

/* Eq. 40 on 2 TB/s: a GELU of 4 MB does 8 MFLOP. At 1 TFLOP/s that takes 8 us, longer than the traffic at 0.8 of the
 * rate, 2.5 us; at 4 TFLOP/s it takes 2 us and hides. */
static void weak_vector_units_bind(void **state)
{
    struct world *w = *state;
    struct orr_cost cost;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    w->job.system.chip.hbm_bytes_per_s = 2e12;
    w->job.calibration.pointwise_frac[ORR_POINTWISE_GELU] = 0.8;
    w->job.calibration.pointwise_launch_s = 1e-6;
    const struct orr_op op = {.kind = ORR_OP_POINTWISE, .pointwise = ORR_POINTWISE_GELU, .bytes = 4e6, .launches = 1};
    w->job.system.chip.vector_flops_per_s = 1e12;
    orr_cost_pointwise(&w->job, &op, &cost);
    assert_close(cost.total_s, 9e-6, 1e-12);
    assert_int_equal(cost.bound, ORR_BOUND_COMPUTE);
    assert_close(orr_cost_at_s(&cost, 0.5), 9e-6, 1e-12); /* the power rule is one of matrix units */
    w->job.system.chip.vector_flops_per_s = 4e12;
    orr_cost_pointwise(&w->job, &op, &cost);
    assert_close(cost.total_s, 3.5e-6, 1e-12);
    assert_int_equal(cost.bound, ORR_BOUND_DRAM);
}

/* Every chip of the catalogue has vector units fast enough for its memory, but Trainium2: 8 cores of 128 lanes do 0.86
 * FLOP per byte of its DRAM, less than layer norm (7/4), GELU (2) and softmax (3/2) ask for. */
static void vector_units_keep_up_with_memory(void **state)
{
    struct world *w = *state;
    const size_t n = orr_catalogue_count(w->catalogue, ORR_PART_SYSTEM);
    assert_true(n > 30);
    for (size_t i = 0; i < n; i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{},'workload':{}}",
                 orr_catalogue_id(w->catalogue, ORR_PART_SYSTEM, i));
        for (int p = 0; p < ORR_N_POINTWISES; p++) {
            const struct orr_op op = {.kind = ORR_OP_POINTWISE, .pointwise = (enum orr_pointwise)p, .bytes = 1e9};
            struct orr_cost cost;
            orr_cost_pointwise(&w->job, &op, &cost);
            const bool heavy = p == ORR_POINTWISE_GELU || p == ORR_POINTWISE_LAYERNORM || p == ORR_POINTWISE_SOFTMAX;
            const bool bound = strcmp(w->job.system.id, "trainium2") == 0 && heavy;
            if (cost.bound != (bound ? ORR_BOUND_COMPUTE : ORR_BOUND_DRAM))
                fail_msg("%s on %s", orr_pointwise_name(op.pointwise), w->job.system.id);
        }
    }
}

/* Eq. 33: slices of 64 bytes, twice, of 256 + 128 rows need 48 KiB; of 128 + 128 rows 32 KiB; of 64 + 64 rows 16 KiB.
 * All chips of the catalogue hold the largest tile; the smallest is never refused. */
static void tiles_fit_shared_memory(void **state)
{
    struct world *w = *state;
    struct orr_op op = {.kind = ORR_OP_GEMM, .m = 8192, .n = 8192, .k = 8192, .batch = 1, .dtype = ORR_DTYPE_BF16};
    struct orr_cost cost;
    const struct {
        double kib;
        int64_t most; /* sum of the sides of the largest tile */
    } rows[] = {{48, 384}, {47.9, 256}, {32, 256}, {31.9, 192}, {16, 128}, {15.9, 80}, {1, 80}};
    op.input_bytes = op.weight_bytes = op.output_bytes = 2;
    op.flops = 2 * op.m * op.n * op.k;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'h100-sxm','plan':{'tp':8},'workload':{}}");
    double last_s = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        w->job.system.chip.smem_bytes_per_sm = rows[i].kib * 1024;
        orr_cost_gemm(&w->job, &op, &cost);
        assert_int_equal(cost.tile_m + cost.tile_n, rows[i].most); /* a large product wants the largest */
        assert_at_most(last_s, cost.total_s);
        last_s = cost.total_s;
    }
    op.kind = ORR_OP_GROUPED;
    w->job.engine.expert_kernel = ORR_EXPERT_TUNED; /* chooses its tile, where torch._grouped_mm has one of its own */
    orr_cost_grouped(&w->job, &op, &cost);
    assert_int_equal(cost.tile_m + cost.tile_n, 80);
    const size_t n = orr_catalogue_count(w->catalogue, ORR_PART_SYSTEM);
    for (size_t i = 0; i < n; i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{},'workload':{}}",
                 orr_catalogue_id(w->catalogue, ORR_PART_SYSTEM, i));
        assert_true(w->job.system.chip.smem_bytes_per_sm >= 48 * 1024);
    }
}

/* ---------------------------------------------------------------- the power limit */

/* Eq. 105a. H100: idle 70 W, shares fitted at 700 W. At 500 W 430 of 630 W are left: the root of that, 0.8262, of the
 * sustained share, and of what other kernels give back; far above 700 W the burst share. */
static void the_power_limit_scales_the_sustained_share(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'h100-sxm','plan':{'tp':8},'workload':{},"
                "'set':{'chip.tdp_w':500}}");
    const struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    struct orr_power_rule rule = orr_power_rule_of(&w->job, ORR_DTYPE_BF16);
    assert_true(u->sustained_frac < u->burst_frac);
    assert_close(rule.burst_frac, u->burst_frac, 0);
    assert_close(rule.sustained_frac, u->sustained_frac * 0.82616, 1e-5);
    assert_close(orr_sustained_frac(&rule, 1), u->sustained_frac * 0.82616, 1e-5);
    assert_close(orr_sustained_frac(&rule, 0.5), (u->sustained_frac + u->power_slope / 2) * 0.82616, 1e-5);
    /* 900 W leave 830 over 630 W, and the rate grows with the root of that, as does what other kernels give back. */
    w->job.system.chip.tdp_w = 900;
    rule = orr_power_rule_of(&w->job, ORR_DTYPE_BF16);
    assert_close(rule.sustained_frac, u->sustained_frac * sqrt(830.0 / 630), 1e-12);
    assert_close(rule.slope, u->power_slope * sqrt(830.0 / 630), 1e-12);
    w->job.system.chip.tdp_w = 2000;
    rule = orr_power_rule_of(&w->job, ORR_DTYPE_BF16);
    assert_close(orr_sustained_frac(&rule, 1), u->burst_frac, 0);
    train(w);
    const double free_s = w->result.step_time_s;
    w->job.system.chip.tdp_w = 500;
    train(w);
    assert_true(w->result.step_time_s > free_s * 1.05);
}

/* H20: idle 72 W, sustained as burst at 500 W: 0.92 of 148 TFLOP/s at 0.862 pJ take 117.4 W, so nothing changes down to
 * 190 W; with 60 W above idling the share is the root of 60 over 117.4, 0.715, of 0.92. */
static void a_limit_out_of_reach_acts_when_it_is_reached(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'h20-sxm','plan':{'tp':8},'workload':{}}");
    const struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    assert_close(u->sustained_frac, 0.92, 0);
    w->job.system.chip.tdp_w = 190;
    assert_close(orr_power_rule_of(&w->job, ORR_DTYPE_BF16).sustained_frac, 0.92, 0);
    w->job.system.chip.tdp_w = 132;
    assert_close(orr_power_rule_of(&w->job, ORR_DTYPE_BF16).sustained_frac, 0.65779, 1e-4);
}

/* Chips whose limit is not that of their shares, and the root of the watts above idling of both (Eq. 105a). H100 at
 * 500 W has 430 of the 630 W at which its shares hold, MI325X 860 W where those of MI300X have 610, an L4 60 of 105, a
 * T4 60 of 146, an A10 130 of 230, an A30 133 of 180, an RTX 6000 Ada 280 of 332, modules of GH200 524, 560 and 580 W
 * where 900 W leave 800, boards of H100 300 of 485, of H100 NVL 340 of 531, of A100 255 of 355 and 210 of 360. */
static const struct {
    const char *chip;
    double root;
} OTHER_LIMITS[] = {{"h100-pcie-80gb", 0.78648},
                    {"h100-nvl-94gb", 0.80019},
                    {"a100-pcie-80gb", 0.84753},
                    {"a100-pcie-40gb", 0.76376},
                    {"h100-sxm-96gb-500w", 0.82616},
                    {"mi325x-256gb", 1.18737},
                    {"l4-24gb", 0.75593},
                    {"t4-16gb", 0.64106},
                    {"a10-24gb", 0.75181},
                    {"a30-24gb", 0.85959},
                    {"rtx-6000-ada-48gb", 0.91836},
                    {"gh200-96gb-624w", 0.80932},
                    {"gh200-96gb-660w", 0.83666},
                    {"gh200-96gb-680w", 0.85147}};

static double other_limit(const char *chip)
{
    for (size_t i = 0; i < COUNT(OTHER_LIMITS); i++)
        if (strcmp(chip, OTHER_LIMITS[i].chip) == 0) return OTHER_LIMITS[i].root;
    fail_msg("the limit of %s is not that of its shares", chip);
    return 0;
}

/* At the limit of its shares, where nearly all chips of the catalogue are, the rule is that of the calibration, to the
 * bit. */
static void the_calibrated_limit_changes_nothing(void **state)
{
    struct world *w = *state;
    const size_t n = orr_catalogue_count(w->catalogue, ORR_PART_SYSTEM);
    for (size_t i = 0; i < n; i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{},'workload':{}}",
                 orr_catalogue_id(w->catalogue, ORR_PART_SYSTEM, i));
        for (int d = 0; d < ORR_N_DTYPES; d++) {
            const struct orr_gemm_constants *u = &w->job.calibration.gemm[d];
            const struct orr_power_rule rule = orr_power_rule_of(&w->job, (enum orr_dtype)d);
            if (w->job.system.chip.peak_flops_per_s[d] <= 0) continue;
            if (w->job.system.chip.tdp_w != w->job.system.chip.calibrated_w) {
                const double root = other_limit(w->job.system.chip.id);
                const double peak = w->job.system.chip.peak_flops_per_s[ORR_DTYPE_FP16];
                if (d == ORR_DTYPE_FP16 && peak > 0)
                    assert_close(rule.sustained_frac, fmin(u->burst_frac, u->sustained_frac * root), 1e-4);
                continue;
            }
            assert_close(rule.sustained_frac, u->sustained_frac, 0);
            for (double load = 0; load <= 1; load += 0.25)
                assert_close(orr_sustained_frac(&rule, load),
                             fmin(u->burst_frac, u->sustained_frac + u->power_slope * (1 - load)), 0);
        }
    }
}

/* Eq. 105: of this pipeline, one rank has most matrix work and another waits for its host, so that the rank that sets
 * the pace changes with the clock. The clock fits the limit all the same, and faster memory makes the step shorter. */
static void a_single_clock_fits_the_limit(void **state)
{
    struct world *w = *state;
    static const double FACTORS[] = {1 / 1.3, 1, 1.3, 2, 4};
    double before_s = HUGE_VAL;
    for (size_t i = 0; i < COUNT(FACTORS); i++) {
        read_job(w, "{'kind':'train','model':'llama-3.2-11b-vision','system':'gb200-nvl72','plan':{'tp':2,'pp':16,"
                    "'overlap':'ep'},'workload':{'engine':'nemo-2026','micro_batch':2,'recompute':'selective',"
                    "'attention':'unfused'}}");
        w->job.system.chip.hbm_bytes_per_s *= FACTORS[i];
        train(w);
        const struct orr_power_rule rule = orr_power_rule_of(&w->job, w->job.workload.precision);
        const double frac = orr_sustained_frac(&rule, w->result.matrix_share_frac);
        assert_true(rule.sustained_frac < frac && frac < rule.burst_frac);
        assert_close(w->result.matrix_frac, frac, 2e-3); /* two steps and an extrapolation */
        assert_at_most(w->result.step_time_s, before_s);
        before_s = w->result.step_time_s;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cores_together_read_the_memory),
        cmocka_unit_test(a_mesh_has_a_link_per_pair),
        cmocka_unit_test(a_torus_has_the_links_of_its_dimensions),
        cmocka_unit_test(links_are_never_faster_than_a_switch),
        cmocka_unit_test(weak_vector_units_bind),
        cmocka_unit_test(vector_units_keep_up_with_memory),
        cmocka_unit_test(tiles_fit_shared_memory),
        cmocka_unit_test(the_power_limit_scales_the_sustained_share),
        cmocka_unit_test(a_limit_out_of_reach_acts_when_it_is_reached),
        cmocka_unit_test(the_calibrated_limit_changes_nothing),
        cmocka_unit_test(a_single_clock_fits_the_limit),
    };
    return cmocka_run_group_tests_name("hardware", tests, open_world, close_world);
}
