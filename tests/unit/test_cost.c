/* Seconds of single operators: collectives (Eqs. 49-61), placement, matrix products against peak, DRAM and waves
 * (Eqs. 31, 34, 35), fused attention, memory-bound kernels, the clock. */
#include "support.h"

#include "cost/cost.h"
#include "spec/names.h"

/* ---------------------------------------------------------------- collectives */

static void wire_bytes_are_eqs_49_to_57(void **state)
{
    (void)state;
    const struct {
        enum orr_collective collective;
        enum orr_algorithm algorithm;
        double ranks, wire, hops; /* of 1e6 bytes */
    } rows[] = {
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_RING, 8, 1.75e6, 14},  /* Eq. 49: 2 * 7/8, 2 * 7 */
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_TREE, 8, 2e6, 6},      /* Eq. 50: 2 * 3 */
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_TREE, 5, 2e6, 6},      /* log2 5 rounds up */
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_DIRECT, 8, 1.75e6, 2}, /* Eq. 52 */
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_NVLS, 8, 1.125e6, 2},  /* Eq. 54: 1 + 1/8 */
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_RING, 2, 1e6, 2},
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_ONESHOT, 8, 7e6, -1},    /* Eq. 53; hops: flags of all ranks */
        {ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_TWOSHOT, 8, 1.75e6, -1}, /* Eq. 52 */
        {ORR_COLLECTIVE_ALLGATHER, ORR_ALGORITHM_RING, 8, 0.875e6, 7},    /* Eq. 55 */
        {ORR_COLLECTIVE_REDUCESCATTER, ORR_ALGORITHM_DIRECT, 8, 0.875e6, 1},
        {ORR_COLLECTIVE_ALLTOALL, ORR_ALGORITHM_RING, 8, 0.875e6, 7},   /* Eq. 56, pairwise */
        {ORR_COLLECTIVE_ALLTOALL, ORR_ALGORITHM_DIRECT, 8, 0.875e6, 1}, /* Eq. 56, concurrent */
        {ORR_COLLECTIVE_P2P, ORR_ALGORITHM_DIRECT, 8, 1e6, 1},          /* Eq. 57 */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_close(orr_collective_wire_bytes(rows[i].collective, rows[i].algorithm, rows[i].ranks, 1e6), rows[i].wire,
                     1e-15);
        if (rows[i].hops > 0)
            assert_close(orr_collective_hops(rows[i].collective, rows[i].algorithm, rows[i].ranks), rows[i].hops, 0);
    }
}

/* Eq. 61, n 8, 225 GB/s, 3 us: ring and tree meet at 21.6 MB. */
static void ring_and_tree_meet_at_eq_61(void **state)
{
    (void)state;
    const double n = 8, beta = 225e9, alpha = 3e-6, meet = n * beta * alpha * (n - 1 - log2(n));
    double time_s[2][3];
    assert_close(meet, 21.6e6, 1e-12);
    for (int i = 0; i < 3; i++) {
        const double bytes = meet * (i == 0 ? 0.5 : i == 1 ? 1 : 2);
        const enum orr_algorithm algorithms[] = {ORR_ALGORITHM_RING, ORR_ALGORITHM_TREE};
        for (int j = 0; j < 2; j++)
            time_s[j][i] = orr_collective_wire_bytes(ORR_COLLECTIVE_ALLREDUCE, algorithms[j], n, bytes) / beta +
                           orr_collective_hops(ORR_COLLECTIVE_ALLREDUCE, algorithms[j], n) * alpha;
    }
    assert_true(time_s[1][0] < time_s[0][0]);
    assert_close(time_s[0][1], time_s[1][1], 1e-12);
    assert_true(time_s[0][2] < time_s[1][2]);
}

static void assert_place(const struct orr_system *system, int64_t ranks, int64_t stride, double local, double domains)
{
    const struct orr_placement place = orr_place(system, ranks, stride);
    assert_close(place.ranks, (double)ranks, 0);
    assert_close(place.local, local, 0);
    assert_close(place.domains, domains, 0);
}

/* Eq. 60: inside the domain if n q <= g_d, else l = max(1, g_d / q) ranks share one. */
static void groups_are_placed_by_stride(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    const struct orr_system *node = &w->job.system;
    assert_place(node, 8, 1, 8, 1);
    assert_place(node, 4, 2, 4, 1);
    assert_place(node, 8, 8, 1, 8);
    assert_place(node, 16, 1, 8, 2);
    assert_place(node, 16, 2, 4, 4);
    assert_place(node, 6, 2, 4, 2);
    assert_place(node, 3, 64, 1, 3);
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'gb200-nvl72','plan':{'tp':8},'workload':{}}");
    assert_place(&w->job.system, 16, 1, 16, 1);
    assert_place(&w->job.system, 16, 8, 9, 2);
}

static const char *const SYSTEMS[] = {"a100-80g-sxm", "h100-sxm", "h200-sxm", "b200-sxm",
                                      "gb200-nvl72",  "mi300x",   "tpu-v5p"};
static const enum orr_collective COLLECTIVES[] = {ORR_COLLECTIVE_ALLREDUCE, ORR_COLLECTIVE_ALLGATHER,
                                                  ORR_COLLECTIVE_REDUCESCATTER, ORR_COLLECTIVE_ALLTOALL};

/* Eq. 63: busbw = S/t {2 (n-1)/n, (n-1)/n} never exceeds the link, in-switch all-reduce by at most 2 (n-1)/(n+1). */
static void bus_bandwidth_stays_below_the_link(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(SYSTEMS); i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{'tp':8},'workload':{}}", SYSTEMS[i]);
        for (size_t c = 0; c < COUNT(COLLECTIVES); c++)
            for (int64_t ranks = 2; ranks <= 64; ranks *= 2)
                for (double bytes = 1024; bytes < 4e9; bytes *= 4) {
                    const double n = (double)ranks, once = (n - 1) / n;
                    const bool reduce = COLLECTIVES[c] == ORR_COLLECTIVE_ALLREDUCE;
                    const double busbw =
                        bytes * once * (reduce ? 2 : 1) / tp_collective_s(w, COLLECTIVES[c], ranks, bytes);
                    const double gain = reduce && w->job.system.scaleup_multicast ? fmax(1, 2 * (n - 1) / (n + 1)) : 1;
                    assert_at_most(busbw, w->job.system.scaleup_bytes_per_s * gain * (1 + 1e-12));
                }
    }
}

static void more_bytes_never_take_less(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(SYSTEMS); i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{'tp':8},'workload':{}}", SYSTEMS[i]);
        for (size_t c = 0; c < COUNT(COLLECTIVES); c++)
            for (int64_t ranks = 2; ranks <= 1024; ranks *= 2) {
                double last_s = 0;
                for (double bytes = 256; bytes < 4e9; bytes *= 1.5) {
                    const double time_s = tp_collective_s(w, COLLECTIVES[c], ranks, bytes);
                    assert_true(time_s > last_s);
                    last_s = time_s;
                }
            }
    }
}

/* With one ring of constant efficiency through a switch; measured lines may fall with the ranks, as in-switch reduction
 * does (Eq. 54), and more ranks have more direct links (Eq. 57a). */
static void more_ranks_never_take_less(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(SYSTEMS); i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{'tp':8},'workload':{}}", SYSTEMS[i]);
        w->job.system.scaleup_switched = true;
        w->job.calibration.n_lines = COUNT(COLLECTIVES);
        for (size_t c = 0; c < COUNT(COLLECTIVES); c++)
            w->job.calibration.lines[c] = (struct orr_collective_line){.collective = COLLECTIVES[c],
                                                                       .algorithm = ORR_ALGORITHM_RING,
                                                                       .base_s = 5e-6,
                                                                       .hop_s = 1e-6,
                                                                       .n_points = 1,
                                                                       .ranks = {8},
                                                                       .efficiency_frac = {0.75}};
        for (size_t c = 0; c < COUNT(COLLECTIVES); c++)
            for (double bytes = 1 << 20; bytes < 4e9; bytes *= 4) {
                double last_s = 0;
                for (int64_t ranks = 2; ranks <= 1024; ranks *= 2) {
                    const double time_s = tp_collective_s(w, COLLECTIVES[c], ranks, bytes);
                    if (time_s < last_s * (1 - 1e-12))
                        fail_msg("%s %s of %g bytes: %g s on %d ranks, %g s on half of them", SYSTEMS[i],
                                 orr_collective_name(COLLECTIVES[c]), bytes, time_s, (int)ranks, last_s);
                    last_s = time_s;
                }
            }
        /* n 8 inside the domain: 5 us, 14 or 7 hops of 1 us, the ring's bytes at 0.75 of the link */
        assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLREDUCE, 8, 1e9),
                     19e-6 + 1.75e9 / (0.75 * w->job.system.scaleup_bytes_per_s), 1e-12);
        assert_close(tp_collective_s(w, ORR_COLLECTIVE_ALLGATHER, 8, 1e9),
                     12e-6 + 0.875e9 / (0.75 * w->job.system.scaleup_bytes_per_s), 1e-12);
    }
}

/* 16 A100 in two nodes, 1 GB all-reduced. Eq. 58 needs at least 2 (g-1)/g S/l = 125 MB per NIC; rings through all ranks
 * put 2 (n-1)/n S/l = 234 MB on it, at 25 GB/s * 0.9; the node's own share of 1.75 GB at 300 GB/s runs beside. */
static void all_reduce_between_nodes_is_bound_by_the_nics(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    const double time_s = tp_collective_s(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1e9);
    const double inside_s = tp_collective_s(w, ORR_COLLECTIVE_ALLREDUCE, 8, 1e9);
    const double hop_s = w->job.system.scaleout_latency_s;
    assert_true(time_s >= 125e6 / 22.5e9 + 2 * hop_s);
    assert_at_most(time_s, fmax(234.4e6 / 22.5e9, inside_s) + 2 * hop_s);
    /* one rank per node: a plain ring over 8 NICs, 2 * 7/8 GB; latency 14 ring or 6 tree hops */
    const struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .collective = ORR_COLLECTIVE_ALLREDUCE, .group = ORR_GROUP_DP, .payload_bytes = 1e9};
    struct orr_cost cost;
    w->job.plan.tp = 8;
    w->job.plan.dp = w->job.plan.zero_group = 8;
    orr_cost_collective(&w->job, &op, &cost);
    assert_close(cost.total_s, 1.75e9 / 22.5e9 + 6 * hop_s, 1e-12);
}

/* Eq. 59: n 16, l 8, g 2: S (n-l)/n over the NIC, one hop out. */
static void all_to_all_between_nodes_is_eq_59(void **state)
{
    struct world *w = *state;
    read_job(w,
             "{'kind':'train','model':'mixtral-8x7b','system':'a100-80g-sxm','gpus':16,'plan':{'ep':8},'workload':{}}");
    const struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .collective = ORR_COLLECTIVE_ALLTOALL, .group = ORR_GROUP_EP, .payload_bytes = 1e9};
    struct orr_cost cost;
    w->job.plan.ep = 16;
    orr_cost_collective(&w->job, &op, &cost);
    const double hop_s = w->job.system.scaleout_latency_s;
    assert_close(cost.total_s, 0.5e9 / 22.5e9 + hop_s, 1e-12);
    /* Eq. 74: a send to the next stage, 25 GB/s * 0.9 and one hop */
    const struct orr_op send = {
        .kind = ORR_OP_COLLECTIVE, .collective = ORR_COLLECTIVE_P2P, .group = ORR_GROUP_PP, .payload_bytes = 1e8};
    w->job.plan.pp = 2;
    orr_cost_collective(&w->job, &send, &cost);
    assert_close(cost.total_s, 1e8 / 22.5e9 + hop_s, 1e-12);
}

static double dispatch_s(struct world *w, bool once, bool once_between, double bytes, int n_nodes)
{
    const struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                              .collective = ORR_COLLECTIVE_ALLTOALL,
                              .group = ORR_GROUP_EP,
                              .payload_bytes = bytes,
                              .n_experts = 256,
                              .n_active = 8,
                              .n_groups_active = n_nodes};
    struct orr_cost cost;
    w->job.engine.moe_dedup = once;
    w->job.engine.moe_dedup_between = once_between;
    orr_cost_collective(&w->job, &op, &cost);
    return cost.total_s;
}

/* 8 of 256 experts over 32 ranks: Eq. 9b has 7.04 copies to other ranks, so 7.04 * 32/31 with the own one, in place of
 * 8. Over 4 nodes a token reaches 4 (1 - C(192, 8) / C(256, 8)) = 3.614 of them, three quarters of that elsewhere. */
static void dispatch_sends_a_token_once(void **state)
{
    struct world *w = *state;
    const double S = 1e9;
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'gb200-nvl72','gpus':32,'plan':{'ep':32},"
                "'workload':{}}");
    assert_close(dispatch_s(w, true, false, S, 0), dispatch_s(w, false, false, S * 7.04 * 32 / 31 / 8, 0), 1e-3);
    assert_close(dispatch_s(w, false, true, S, 0), dispatch_s(w, false, false, S, 0), 0); /* one domain */
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':32,'plan':{'ep':32},'workload':{}}");
    const double rate = w->job.system.scaleout_bytes_per_s * w->job.system.scaleout_efficiency_frac;
    const double hops_s = 2 * w->job.system.scaleout_latency_s;
    assert_close(dispatch_s(w, false, false, S, 4), S * 0.75 / rate + hops_s, 1e-12);
    assert_close(dispatch_s(w, true, false, S, 4), S / 8 * 3.614 * 0.75 / rate + hops_s, 1e-3);
    assert_close(dispatch_s(w, false, true, S, 4), S / 8 * 3.614 * 0.75 / rate + hops_s, 1e-3);
    assert_close(dispatch_s(w, true, false, S, 2), S / 8 * 2 * 0.75 / rate + hops_s, 1e-12); /* the router allows two */
    assert_close(dispatch_s(w, true, false, S, 0), dispatch_s(w, false, false, S, 0), 0);    /* any node: per expert */
}

/* ---------------------------------------------------------------- matrix products */

static struct orr_op product(enum orr_dtype dtype, double batch, double m, double n, double k)
{
    const double w = orr_dtype_bytes(dtype);
    return (struct orr_op){.kind = batch > 1 ? ORR_OP_BMM : ORR_OP_GEMM,
                           .dtype = dtype,
                           .batch = batch,
                           .m = m,
                           .n = n,
                           .k = k,
                           .input_bytes = w,
                           .weight_bytes = w,
                           .output_bytes = 2,
                           .flops = 2 * batch * m * n * k,
                           .bytes = batch * (w * (m * k + k * n) + 2 * m * n)};
}

static struct orr_cost cost_product(const struct world *w, struct orr_op op)
{
    struct orr_cost cost;
    orr_cost_gemm(&w->job, &op, &cost);
    return cost;
}

/* Every operator of a step by itself, and in the list: only what may hide differs. */
static void one_dispatch_prices_every_kind(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    static struct orr_cost costs[ORR_MAX_OPS];
    bool seen[ORR_N_OP_KINDS] = {false};
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':16,'plan':{'tp':2,'ep':4},"
                "'workload':{}}");
    list.n = 0;
    orr_ops_layers(&w->job, &list);
    orr_cost_list(&w->job, &list, costs);
    for (size_t i = 0; i < list.n; i++) {
        struct orr_cost cost;
        orr_cost_one(&w->job, &list.items[i], &cost);
        assert_close(cost.total_s, costs[i].total_s, 0);
        assert_true(cost.total_s > 0);
        seen[list.items[i].kind] = true;
    }
    assert_true(seen[ORR_OP_GEMM] && seen[ORR_OP_GROUPED] && seen[ORR_OP_FLASH] && seen[ORR_OP_FLASH_BACKWARD] &&
                seen[ORR_OP_POINTWISE] && seen[ORR_OP_COLLECTIVE]);
}

/* Eight products of 256 x 256 for each of the 132 SMs fill the waves of every tile. Without fixed times and tile losses
 * half the share of peak is twice the time of the arithmetic; traffic and launch keep theirs. */
static void a_product_can_be_priced_at_another_clock(void **state)
{
    struct world *w = *state;
    struct orr_cost fast, slow;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{},'workload':{}}");
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    u->tile_cost = u->wave_s = u->sm_frac = 0;
    u->burst_frac = 0.8;
    const struct orr_op op = product(ORR_DTYPE_BF16, 8 * 132, 256, 256, 8192);
    orr_cost_gemm_at(&w->job, &op, 0.8, &fast);
    assert_close(fast.total_s, cost_product(w, op).total_s, 0);
    orr_cost_gemm_at(&w->job, &op, 0.4, &slow);
    assert_close(slow.compute_s, 2 * fast.compute_s, 1e-12);
    assert_close(slow.dram_s, fast.dram_s, 1e-12);
    assert_close(slow.launch_s, fast.launch_s, 1e-12);
    assert_close(slow.matrix_frac, 0.4, 1e-12);
    assert_close(u->burst_frac, 0.8, 0);
}

/* Eq. 27a: 4096, 4092, 4094 and 4095 elements of 16 bits are 8192, 8184, 8188 and 8190 bytes: multiples of 16, of 8
 * only, of 4 only and of 2 only. All four fill the same tiles. K counts like N; in a weight gradient M does, and K does
 * not. */
static void rows_that_begin_anywhere_slow_a_product(void **state)
{
    struct world *w = *state;
    const struct {
        double n, frac;
        int pitch_bytes;
    } cases[] = {{4096, 1, 16}, {4092, 0.5, 8}, {4094, 0.4, 4}, {4095, 0.2, 2}};
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':8,'plan':{},'workload':{}}");
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    u->pitch_8_frac = 0.5, u->pitch_4_frac = 0.4, u->pitch_2_frac = 0.2;
    u->wave_s = 0;
    const double whole_s = cost_product(w, product(ORR_DTYPE_BF16, 1, 8192, 4096, 8192)).compute_s;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_op op = product(ORR_DTYPE_BF16, 1, 8192, cases[i].n, 8192);
        assert_int_equal(orr_gemm_pitch_bytes(&op), cases[i].pitch_bytes);
        assert_close(cost_product(w, op).compute_s, whole_s / cases[i].frac, 1e-12);
        op = product(ORR_DTYPE_BF16, 1, 8192, 4096, cases[i].n);
        assert_int_equal(orr_gemm_pitch_bytes(&op), cases[i].pitch_bytes);
        op = product(ORR_DTYPE_BF16, 1, cases[i].n, 4096, 8192);
        assert_int_equal(orr_gemm_pitch_bytes(&op), 16);
        op.wgrad = true;
        assert_int_equal(orr_gemm_pitch_bytes(&op), cases[i].pitch_bytes);
    }
    u->pitch_2_frac = 0; /* not measured: no loss */
    assert_close(cost_product(w, product(ORR_DTYPE_BF16, 1, 8192, 4095, 8192)).compute_s, whole_s, 1e-12);
    struct orr_op fp8 = product(ORR_DTYPE_FP8, 1, 8192, 4104, 8192);
    fp8.input_bytes = 1;
    assert_int_equal(orr_gemm_pitch_bytes(&fp8), 8);
}

static double dram_bytes(double batch, double m, double n, double k, double output_bytes)
{
    struct orr_op op = product(ORR_DTYPE_FP16, batch, m, n, k);
    op.output_bytes = output_bytes;
    return orr_gemm_dram_bytes(&op, 40 * 1024.0 * 1024);
}

static void dram_traffic_is_eq_31(void **state)
{
    (void)state;
    /* 3 * 2^20 elements of 2 bytes fit in 0.8 * 40 MiB: once each */
    assert_close(dram_bytes(1, 1024, 1024, 1024, 2), 6291456, 0);
    assert_close(dram_bytes(10, 1024, 1024, 1024, 2), 62914560, 0);
    /* x = floor(sqrt(0.8 * 41943040 / 6)) = 2364; 8192 / 2364 -> 4 blocks: 2 (4 + 4 + 1) 8192^2 */
    assert_close(dram_bytes(1, 8192, 8192, 8192, 2), 1207959552, 0);
    /* same blocks, an fp32 accumulator read and written: 2 * 8 + 8 bytes per 8192^2 */
    assert_close(dram_bytes(1, 8192, 8192, 8192, 8), 24 * 67108864.0, 0);
    /* a tall one: m 65536 in 28 blocks, n 1024 in one: A once, B 28 times */
    assert_close(dram_bytes(1, 65536, 1024, 4096, 2), 2 * (65536.0 * 4096 + 4096.0 * 1024 * 28) + 2 * 65536.0 * 1024,
                 0);
}

/* Nothing beats the peak, and nothing beats reading inputs and writing outputs once. */
static void products_respect_the_roofline(void **state)
{
    struct world *w = *state;
    const double sides[] = {1, 16, 100, 1024, 4097, 16384};
    const enum orr_dtype dtypes[] = {ORR_DTYPE_FP16, ORR_DTYPE_BF16, ORR_DTYPE_FP8};
    for (size_t i = 0; i < COUNT(SYSTEMS); i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{'tp':8},'workload':{}}", SYSTEMS[i]);
        const struct orr_chip *chip = &w->job.system.chip;
        for (size_t d = 0; d < COUNT(dtypes); d++) {
            if (!(w->job.calibration.gemm[dtypes[d]].burst_frac > 0) || !(chip->peak_flops_per_s[dtypes[d]] > 0))
                continue;
            for (size_t x = 0; x < 6 * 6 * 6 * 2; x++) {
                const struct orr_op op =
                    product(dtypes[d], x % 2 ? 24 : 1, sides[x / 2 % 6], sides[x / 12 % 6], sides[x / 72]);
                const struct orr_cost cost = cost_product(w, op);
                assert_true(cost.total_s >= op.flops / chip->peak_flops_per_s[dtypes[d]]);
                assert_true(cost.total_s >= op.bytes / chip->hbm_bytes_per_s);
                assert_true(cost.compute_s >= cost.matrix_s * (1 - 1e-12));
                assert_true(cost.dram_bytes >= op.bytes * (1 - 1e-12));
                assert_close(cost.total_s, fmax(cost.compute_s, fmax(cost.l2_s, cost.dram_s)) + cost.launch_s, 1e-15);
            }
        }
    }
}

static void larger_products_never_take_less(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    for (int side = 0; side < 3; side++) {
        double last_s = 0;
        for (double x = 64; x <= 16384; x += 64) {
            const double time_s = cost_product(w, product(ORR_DTYPE_FP16, 1, side == 0 ? x : 4096, side == 1 ? x : 4096,
                                                          side == 2 ? x : 4096))
                                      .total_s;
            assert_at_most(last_s, time_s * (1 + 1e-12));
            last_s = time_s;
        }
    }
}

/* 108 SMs: 9 x 12 tiles of 256 x 128 are one wave exactly. One row more needs a tenth row of tiles: a second wave, or
 * smaller and less efficient tiles. */
static void one_row_more_costs_a_wave(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    const struct orr_cost full = cost_product(w, product(ORR_DTYPE_FP16, 1, 2304, 1536, 8192));
    const struct orr_cost more = cost_product(w, product(ORR_DTYPE_FP16, 1, 2305, 1536, 8192));
    assert_int_equal(full.tile_m * full.tile_n, 256 * 128);
    assert_int_equal(full.bound, ORR_BOUND_COMPUTE);
    assert_true(more.compute_s > 1.25 * full.compute_s);
    /* the wave itself: 2 * 256 * 128 * 8192 FLOP on one of 108 SMs at the burst share of 312 TFLOP/s, and its fixed
     * time */
    const struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_FP16];
    assert_close(full.compute_s, 2 * 256.0 * 128 * 8192 / (312e12 / 108 * u->burst_frac) + u->wave_s, 1e-12);
}

/* 109 tiles on 108 SMs: two waves at an SM's own 0.9, not two at the chip's 0.6; full waves are held by the chip. One
 * tile is 2 * 256 * 128 * 384 FLOP on 1/108 of 312 TFLOP/s; 384 is too short to split. */
static void unfilled_waves_run_at_an_sms_own_rate(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_FP16];
    u->burst_frac = 0.6;
    u->sm_frac = 0.9;
    u->tile_cost = 1e4; /* no other tile */
    u->wave_s = 0;
    const double tile_s = 2 * 256.0 * 128 * 384 / (312e12 / 108);
    const struct orr_cost full = cost_product(w, product(ORR_DTYPE_FP16, 1, 2304, 1536, 384));
    const struct orr_cost more = cost_product(w, product(ORR_DTYPE_FP16, 1, 256 * 109, 128, 384));
    const struct orr_cost half = cost_product(w, product(ORR_DTYPE_FP16, 1, 256 * 54, 128, 384));
    assert_close(full.compute_s, tile_s / 0.6, 1e-12);
    assert_close(more.compute_s, 2 * tile_s / 0.9, 1e-12);
    assert_close(half.compute_s, tile_s / 0.9, 1e-12);
}

/* Kernel anchors of LLMCompass on A100: 64 x 12288 x 12288 in 0.190 ms, 8192^3 at 277.6 TFLOP/s. */
static void kernel_anchors_on_a100(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    assert_close(cost_product(w, product(ORR_DTYPE_FP16, 1, 64, 12288, 12288)).total_s, 0.190e-3, 0.15);
    assert_close(2 * pow(8192, 3) / cost_product(w, product(ORR_DTYPE_FP16, 1, 8192, 8192, 8192)).total_s, 277.6e12,
                 0.10);
}

/* A weight stream is bound by DRAM and keeps its time when the clock drops; a large product stretches with it. */
static void the_clock_stretches_compute_only(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},'workload':{}}");
    const struct orr_cost thin = cost_product(w, product(ORR_DTYPE_FP16, 1, 16, 16384, 16384));
    const struct orr_cost big = cost_product(w, product(ORR_DTYPE_FP16, 1, 8192, 8192, 8192));
    assert_int_equal(thin.bound, ORR_BOUND_DRAM);
    assert_int_equal(big.bound, ORR_BOUND_COMPUTE);
    assert_close(orr_cost_at_s(&thin, 0.8), thin.total_s, 1e-15);
    assert_close(orr_cost_at_s(&big, 0.8) - big.launch_s, big.compute_s / 0.8, 1e-15);
    assert_close(orr_cost_at_s(&big, 1), big.total_s, 1e-15);
}

/* ---------------------------------------------------------------- attention and memory-bound kernels */

static struct orr_op flash(double seq, double head, bool backward)
{
    const double heads = 64, pairs = heads * seq * seq / 2;
    return (struct orr_op){.kind = backward ? ORR_OP_FLASH_BACKWARD : ORR_OP_FLASH,
                           .dtype = ORR_DTYPE_BF16,
                           .batch = heads,
                           .m = seq,
                           .n = seq,
                           .k = 2 * head,
                           .head_size = head,
                           .walk_ratio = 2,
                           .input_bytes = 2,
                           .output_bytes = 2,
                           .flops = 2 * pairs * 2 * head * (backward ? 2.5 : 1),
                           .bytes = 2 * 4 * heads * seq * head};
}

/* The share of peak rises with the sequence to the calibrated limit and never passes it. */
static void fused_attention_approaches_its_limit(void **state)
{
    struct world *w = *state;
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm", "b200-sxm"};
    for (size_t i = 0; i < COUNT(systems); i++)
        for (int backward = 0; backward < 2; backward++) {
            read_job(w, "{'kind':'train','model':'llama2-7b','system':'%s','workload':{'attention':'flash2'}}",
                     systems[i]);
            const struct orr_attention_constants *u = &w->job.calibration.attention[ORR_ATTENTION_FLASH2];
            const double limit = backward ? u->backward_frac : u->forward_frac;
            double last = 0, frac = 0;
            for (double seq = 512; seq <= 1 << 20; seq *= 2) {
                const struct orr_op op = flash(seq, 128, backward);
                struct orr_cost cost;
                orr_cost_flash(&w->job, &op, &cost);
                frac = op.flops / (cost.compute_s * w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16]);
                assert_true(frac > last);
                assert_at_most(frac, limit);
                assert_true(cost.total_s >= op.bytes / w->job.system.chip.hbm_bytes_per_s);
                last = frac;
            }
            assert_true(frac > 0.99 * limit);
            const struct orr_op wide = flash(8192, 128, backward), narrow = flash(8192, 64, backward),
                                odd = flash(8192, 112, backward);
            struct orr_cost cost[3];
            orr_cost_flash(&w->job, &wide, &cost[0]);
            orr_cost_flash(&w->job, &narrow, &cost[1]);
            orr_cost_flash(&w->job, &odd, &cost[2]);
            assert_true(cost[1].compute_s >= cost[0].compute_s / 2);   /* half the FLOP, no better rate */
            assert_close(cost[2].compute_s, cost[0].compute_s, 1e-12); /* runs as a head of 128 */
        }
}

/* By hand, causal, 132 SMs, P = 132 TFLOP/s so that one SM does 1e12, frac 1, half 256 keys, tail 0.5, heads of 128.
 * A block of 128 queries does 4 * 128 * 128 FLOP per key: k = 65.536 ns. Half counts half under the mask: 128 keys to
 * start. 1 head, 1 block of 128: the mean query walks 64 keys, the longest 128; 1 walk of 128 + 128 keys decides 1
 * head, 16 queries: no cheaper than the start of a block 132 heads, 8 blocks each: mean 512 + 128 keys, 8 waves; and
 * half of the longest walk, 1024 + 128 keys */
static void attention_blocks_walk_their_keys(void **state)
{
    struct world *w = *state;
    static const struct {
        double heads, queries, keys; /* walked by one SM, in keys of a block */
    } cases[] = {{1, 128, 128 + 128},
                 {1, 16, 2 + 128},
                 {1, 129, 129 + 128}, /* a second block of one query makes the walk of the first no shorter */
                 {1, 320, 320 + 128},
                 {132, 1024, 8 * (512 + 128) + 0.5 * (1024 + 128)}};
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','workload':{'attention':'flash2'}}");
    assert_int_equal(w->job.system.chip.n_sm, 132);
    w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 132e12;
    struct orr_attention_constants *u = &w->job.calibration.attention[ORR_ATTENTION_FLASH2];
    u->forward_frac = 1;
    u->forward_half_seq = 256;
    u->tail = 0.5;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double m = cases[i].queries, heads = cases[i].heads;
        const struct orr_op op = {.kind = ORR_OP_FLASH,
                                  .dtype = ORR_DTYPE_BF16,
                                  .batch = heads,
                                  .m = m,
                                  .n = m,
                                  .head_size = 128,
                                  .walk_ratio = 2,
                                  .flops = 4 * 128 * heads * m * m / 2};
        struct orr_cost cost;
        orr_cost_flash(&w->job, &op, &cost);
        if (m >= 128) assert_close(cost.compute_s, cases[i].keys * 65.536e-9, 1e-12);
        else assert_true(cost.compute_s >= 128 * 65.536e-9 && cost.compute_s < 256 * 65.536e-9);
    }
}

/* The last case above, backward: 8 * (512 + 128) keys and a tail of 0.25 longest walks; without a tail of its own, the
 * 0.5 of the forward kernel. The backward tail leaves the forward kernel alone. */
static void attention_backward_has_a_tail_of_its_own(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','workload':{'attention':'flash2'}}");
    w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 132e12;
    struct orr_attention_constants *u = &w->job.calibration.attention[ORR_ATTENTION_FLASH2];
    u->forward_frac = u->backward_frac = 1;
    u->forward_half_seq = u->backward_half_seq = 256;
    u->tail = 0.5;
    struct orr_op op = {.dtype = ORR_DTYPE_BF16, .batch = 132, .m = 1024, .n = 1024, .head_size = 128, .walk_ratio = 2};
    op.flops = 4 * 128 * 132 * 1024.0 * 1024 / 2;
    static const struct {
        enum orr_op_kind kind;
        double backward_tail, walks;
    } cases[] = {{ORR_OP_FLASH_BACKWARD, 0, 0.5}, {ORR_OP_FLASH_BACKWARD, 0.25, 0.25}, {ORR_OP_FLASH, 0.25, 0.5}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct orr_cost cost;
        op.kind = cases[i].kind;
        u->backward_tail = cases[i].backward_tail;
        orr_cost_flash(&w->job, &op, &cost);
        assert_close(cost.compute_s, (8 * 640 + cases[i].walks * 1152) * 65.536e-9, 1e-12);
    }
}

/* Eq. 40: traffic over the class's share of DRAM bandwidth, and the launches. */
static void pointwise_is_bytes_over_rate(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8},"
                "'workload':{'engine':'megatron-lm-2022'}}");
    for (int kind = 0; kind < ORR_N_POINTWISES; kind++) {
        const struct orr_op op = {
            .kind = ORR_OP_POINTWISE, .pointwise = (enum orr_pointwise)kind, .bytes = 1e9, .launches = 3};
        struct orr_cost cost;
        orr_cost_pointwise(&w->job, &op, &cost);
        const double frac = w->job.calibration.pointwise_frac[kind];
        assert_true(frac > 0 && frac <= 1);
        assert_close(cost.total_s, 1e9 / (2039e9 * frac) + 3 * w->job.calibration.pointwise_launch_s, 1e-12);
        assert_int_equal(cost.bound, ORR_BOUND_DRAM);
    }
}

/* Eqs. 64, 65: what runs beside its window is hidden, less what contention takes back. */
static void collectives_hide_under_their_window(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8,'sp':false},'workload':"
                "{'engine':'megatron-lm-2022'},'set':{'engine.tp_async_backward':true,'engine.tp_overlap_frac':0}}");
    train(w);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    int windows = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].kind != ORR_OP_COLLECTIVE) continue;
        const double window_s = ops[i].window_op >= 0 ? costs[ops[i].window_op].total_s : 0;
        windows += ops[i].window_op >= 0;
        assert_close(costs[i].hidden_s,
                     fmin(window_s, costs[i].total_s) * (1 - w->job.calibration.overlap_contention_frac), 1e-12);
    }
    assert_int_equal(windows, 3); /* the gradients of qkv, up and head */
}

/* All-to-all seconds of the step, hidden | exposed, of Qwen3-235B on 256 GPUs. */
static void expert_seconds(struct world *w, const char *system, const char *plan, const char *workload,
                           double *hidden_s, double *exposed_s)
{
    read_job(w,
             "{'kind':'train','model':'qwen3-235b-a22b','system':'%s','gpus':256,'plan':{%s},'workload':{"
             "'engine':'megatron-core-2026','seq':4096,'global_batch':2048%s}}",
             system, plan, workload);
    train(w);
    *hidden_s = w->result.hidden_s[ORR_GROUP_EP];
    *exposed_s = w->result.time_s[ORR_TIME_EP_EXPOSED];
}

/* Eqs. 64, 65 with the layer's compute, both directions, as window: only between nodes and only where interleaving
 * gives a second micro-batch to run beside. */
static void expert_transfers_hide_in_interleaved_pipelines(void **state)
{
    struct world *w = *state;
    const char *plan = "'tp':2,'pp':8,'vpp':4,'ep':32,'etp':1";
    double hidden_s, exposed_s, plain_s, none_s;
    expert_seconds(w, "h100-sxm", plan, "", &hidden_s, &exposed_s);
    const double kept = 1 - w->job.calibration.overlap_contention_frac;
    w->job.engine.ep_overlap_interleaved = false;
    train(w);
    plain_s = w->result.time_s[ORR_TIME_EP_EXPOSED];
    assert_close(w->result.hidden_s[ORR_GROUP_EP], 0, 0);
    assert_close(hidden_s + exposed_s, plain_s, 1e-9);
    assert_at_most(hidden_s, kept * plain_s * (1 + 1e-12));
    assert_true(hidden_s > 0.3 * plain_s);
    expert_seconds(w, "h100-sxm", "'tp':2,'pp':8,'ep':32,'etp':1", "", &none_s, &exposed_s); /* not interleaved */
    assert_close(none_s, 0, 0);
    expert_seconds(w, "h100-sxm", plan, ",'recompute':'full'", &none_s, &exposed_s);
    assert_close(none_s, 0, 0);
    expert_seconds(w, "gb200-nvl72", plan, "", &none_s, &exposed_s); /* inside one domain */
    assert_close(none_s, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wire_bytes_are_eqs_49_to_57),
        cmocka_unit_test(ring_and_tree_meet_at_eq_61),
        cmocka_unit_test(groups_are_placed_by_stride),
        cmocka_unit_test(bus_bandwidth_stays_below_the_link),
        cmocka_unit_test(more_bytes_never_take_less),
        cmocka_unit_test(more_ranks_never_take_less),
        cmocka_unit_test(all_reduce_between_nodes_is_bound_by_the_nics),
        cmocka_unit_test(all_to_all_between_nodes_is_eq_59),
        cmocka_unit_test(dispatch_sends_a_token_once),
        cmocka_unit_test(one_dispatch_prices_every_kind),
        cmocka_unit_test(a_product_can_be_priced_at_another_clock),
        cmocka_unit_test(rows_that_begin_anywhere_slow_a_product),
        cmocka_unit_test(dram_traffic_is_eq_31),
        cmocka_unit_test(products_respect_the_roofline),
        cmocka_unit_test(larger_products_never_take_less),
        cmocka_unit_test(one_row_more_costs_a_wave),
        cmocka_unit_test(unfilled_waves_run_at_an_sms_own_rate),
        cmocka_unit_test(kernel_anchors_on_a100),
        cmocka_unit_test(the_clock_stretches_compute_only),
        cmocka_unit_test(fused_attention_approaches_its_limit),
        cmocka_unit_test(attention_blocks_walk_their_keys),
        cmocka_unit_test(attention_backward_has_a_tail_of_its_own),
        cmocka_unit_test(pointwise_is_bytes_over_rate),
        cmocka_unit_test(collectives_hide_under_their_window),
        cmocka_unit_test(expert_transfers_hide_in_interleaved_pipelines),
    };
    return cmocka_run_group_tests_name("cost", tests, open_world, close_world);
}
