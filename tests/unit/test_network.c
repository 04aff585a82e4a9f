/* Collectives between domains: lines of a fabric, tiers, sends, and the fit of lines to timings. Expected numbers are
 * worked out by hand from the equations named beside them. */
#include "support.h"

#include <unistd.h>

#include "calibrate/fabric.h"
#include "cost/cost.h"

/* 8 GPUs per node, 50 GB/s per GPU between nodes, 400 GB/s inside with one ring of no latency at the full rate, so that
 * parts inside a node are easy to work out. */
static void plain_machine(struct world *w)
{
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'h100-sxm','plan':{'tp':8},'workload':{}}");
    struct orr_system *system = &w->job.system;
    system->scaleup_bytes_per_s = 400e9;
    system->scaleout_bytes_per_s = 50e9;
    system->scaleout_latency_s = 1e-5;
    system->scaleout_efficiency_frac = 1;
    w->job.calibration.n_lines = 0;
    for (int c = 0; c < ORR_N_COLLECTIVES; c++)
        w->job.calibration.lines[w->job.calibration.n_lines++] =
            (struct orr_collective_line){.collective = (enum orr_collective)c,
                                         .algorithm = ORR_ALGORITHM_RING,
                                         .n_points = 1,
                                         .ranks = {8},
                                         .efficiency_frac = {1}};
}

static struct orr_fabric_line *add_line(struct world *w, enum orr_collective collective, enum orr_algorithm algorithm,
                                        double hop_s, double efficiency)
{
    struct orr_fabric *fabric = &w->job.system.fabric;
    struct orr_fabric_line *line = &fabric->lines[fabric->n_lines++];
    *line = (struct orr_fabric_line){.collective = collective,
                                     .algorithm = algorithm,
                                     .hop_s = hop_s,
                                     .n_points = 1,
                                     .domains = {2},
                                     .efficiency_frac = {efficiency}};
    return line;
}

static struct orr_cost cost_of(struct world *w, enum orr_collective collective, int64_t ranks, double bytes)
{
    const struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE, .collective = collective, .group = ORR_GROUP_TP, .payload_bytes = bytes};
    struct orr_cost cost;
    w->job.plan.tp = w->job.plan.gpus = ranks;
    orr_cost_collective(&w->job, &op, &cost);
    return cost;
}

static double seconds_of(struct world *w, enum orr_collective collective, int64_t ranks, double bytes)
{
    return cost_of(w, collective, ranks, bytes).total_s;
}

/* ---------------------------------------------------------------- lines */

/* 16 ranks on 2 nodes, 1.6 GB. Ring (Eqs. 49, 58a, 58b): 2 * 15/16 * 1.6 GB / 8 = 375 MB per NIC at 0.75 * 50 GB/s is
 * 10 ms, and 30 hops of 2 us. The part inside, 2 * 7/8 * 1.6 GB at 400 GB/s, takes 7 ms beside it. */
static void a_ring_passes_every_rank(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    struct orr_fabric_line *line = add_line(w, ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_RING, 2e-6, 0.75);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1.6e9), 10e-3 + 60e-6, 1e-12);
    line->efficiency_frac[0] = 1;              /* 7.5 ms on the wire */
    w->job.system.scaleup_bytes_per_s = 200e9; /* 14 ms inside: the longer */
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1.6e9), 14e-3 + 60e-6, 1e-12);
    line->after_local = true; /* Eq. 58e: one after the other */
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1.6e9), 21.5e-3 + 60e-6, 1e-12);
}

/* All-gather of 32 MB on 32 ranks of 4 nodes: 31/32 * 32 MB / 8 = 3.875 MB at 50 GB/s is 77.5 us; 31 steps of 40 us are
 * 1240 us. Pipelined steps take the longer (Eq. 58a). */
static void pipelined_steps_take_the_longer(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    struct orr_fabric_line *line = add_line(w, ORR_COLLECTIVE_ALLGATHER, ORR_ALGORITHM_RING, 40e-6, 1);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLGATHER, 32, 32e6), 1240e-6 + 77.5e-6, 1e-12);
    line->pipelined = true;
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLGATHER, 32, 32e6), 1240e-6, 1e-12);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLGATHER, 32, 3.2e9), 7750e-6, 1e-12);
    line->base_s = 1e-3;
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLGATHER, 32, 32e6), 2240e-6, 1e-12);
}

/* 64 ranks on 8 nodes, 1.6 GB: a tree sends 2 * 7/8 * 1.6 GB / 8 = 350 MB per NIC, 7 ms, in 2 * 3 hops (Eq. 58c);
 * reduction in the switches 1.6 GB / 8 = 200 MB, 4 ms, in 2 (Eq. 58d), but not before 7 ms inside. */
static void trees_and_switches_send_less(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    add_line(w, ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_TREE, 10e-6, 0.5);
    struct orr_cost cost = cost_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9);
    assert_close(cost.total_s, 14e-3 + 60e-6, 1e-12);
    assert_int_equal(cost.algorithm, ORR_ALGORITHM_TREE);
    add_line(w, ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_SHARP, 5e-6, 0.5);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9), cost.total_s, 0); /* no such switches */
    w->job.system.scaleout_reduction = true;
    cost = cost_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9);
    assert_close(cost.total_s, 8e-3 + 10e-6, 1e-12);
    assert_int_equal(cost.algorithm, ORR_ALGORITHM_SHARP);
}

/* A system without a fabric has one line from its own numbers (Eq. 58), and a switch that reduces has 2 hops of it. */
static void reduction_needs_no_fabric(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    w->job.system.scaleup_bytes_per_s = 4e12;
    /* 2 * 63/64 * 1.6 GB / 8 = 393.75 MB at 50 GB/s is 7.875 ms, and 6 hops of 10 us */
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9), 7.875e-3 + 60e-6, 1e-12);
    w->job.system.scaleout_reduction = true;
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9), 4e-3 + 20e-6, 1e-12);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLGATHER, 64, 1.6e9), 7.875e-3 / 2 + 30e-6, 1e-12);
}

/* Pairwise all-to-all of 16 ranks on 2 nodes: half of 1 GB leaves, 10 ms at 50 GB/s; 15 messages of 6 us. */
static void an_exchange_sends_a_message_to_every_rank(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    add_line(w, ORR_COLLECTIVE_ALLTOALL, ORR_ALGORITHM_DIRECT, 6e-6, 1);
    const struct orr_cost cost = cost_of(w, ORR_COLLECTIVE_ALLTOALL, 16, 1e9);
    assert_close(cost.total_s, 10e-3 + 90e-6, 1e-12);
    assert_int_equal(cost.algorithm, ORR_ALGORITHM_DIRECT);
}

/* The fastest line counts: 1 MB on 16 ranks takes 30 hops of 1 us and 0.234 MB at 5 GB/s, 77 us, as a ring; a tree of 2
 * hops of 2 us takes 4 us and 0.125 MB at 2.5 GB/s, 54 us. Rates fall with the domains between points. */
static void the_fastest_line_counts(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    w->job.system.scaleup_bytes_per_s = 4e15;
    add_line(w, ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_RING, 1e-6, 0.1);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1e6), 30e-6 + 46.875e-6, 1e-12);
    add_line(w, ORR_COLLECTIVE_ALLREDUCE, ORR_ALGORITHM_TREE, 2e-6, 0.05);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1e6), 4e-6 + 50e-6, 1e-12);
    assert_int_equal(cost_of(w, ORR_COLLECTIVE_ALLREDUCE, 16, 1e9).algorithm, ORR_ALGORITHM_RING);
    struct orr_fabric_line *ring = &w->job.system.fabric.lines[0];
    w->job.system.fabric.n_lines = 1;
    ring->n_points = 2;
    ring->domains[1] = 8;
    ring->efficiency_frac[1] = 0.05;
    ring->hop_s = 0;
    /* 4 domains are half way from 2 to 8: 0.075 of 50 GB/s; 2 * 31/32 * 1 GB / 8 = 242.1875 MB */
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 32, 1e9), 242.1875e6 / 3.75e9, 1e-12);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 128, 1e9), 2 * 127.0 / 128 * 125e6 / 2.5e9, 1e-12);
}

/* ---------------------------------------------------------------- tiers */

/* Leaves of 4 nodes (32 GPUs) with uplinks of a quarter. A ring of 64 ranks crosses a leaf once: 2 * 63/64 * 1.6 GB
 * over 32 at 50/4 GB/s is 7.875 ms, as long as the NICs need with 1/8 of it at 50 GB/s. Everyone to everyone: half of
 * the bytes leave the leaf, 7/8 the node (Eq. 60a). */
static void tiers_limit_what_crosses_them(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    w->job.system.scaleup_bytes_per_s = 4e12;
    struct orr_tier *leaf = &w->job.system.tiers[w->job.system.n_tiers++];
    *leaf = (struct orr_tier){.name = "leaf", .gpus = 32, .oversubscription = 4};
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9), 7.875e-3 + 60e-6, 1e-12);
    leaf->oversubscription = 8;
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 64, 1.6e9), 15.75e-3 + 60e-6, 1e-12);
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 32, 1.6e9), 2 * 31.0 / 32 * 0.2e9 / 50e9 + 40e-6, 1e-12);
    leaf->oversubscription = 1;
    leaf->latency_s = 3e-6; /* two leaves: 2 hops of a tree cross it (Eq. 60c) */
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLTOALL, 64, 0.8e9), 0.7e9 / 50e9 + 30e-6 + 3e-6, 1e-12);
    leaf->oversubscription = 4; /* 0.4 GB at 12.5 GB/s */
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLTOALL, 64, 0.8e9), 32e-3 + 33e-6, 1e-12);
    leaf->bytes_per_s = 100e9;
    assert_close(seconds_of(w, ORR_COLLECTIVE_ALLTOALL, 64, 0.8e9), 16e-3 + 33e-6, 1e-12);
}

/* Four groups of 32 GPUs, 128 ranks: neighbours in a mesh have one of three links, in a dragonfly half of all; in a
 * ring of groups (a torus of 2 links) one of two, and a byte to another group crosses 4/3 links in the mean
 * (Eq. 60b). */
static void topologies_share_their_links(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    w->job.system.scaleup_bytes_per_s = 4e12;
    w->job.system.n_tiers = 1;
    struct orr_tier *group = &w->job.system.tiers[0];
    *group = (struct orr_tier){.name = "group", .gpus = 32, .oversubscription = 16, .topology = ORR_TOPOLOGY_SWITCH};
    const double ring_s = 2 * 127.0 / 128 * 1.6e9 / 32 / (50e9 / 16), latency_s = 2 * 4 * 10e-6;
    const double all_s = 0.8e9 * 0.75 / (50e9 / 16), hops_s = 4 * 10e-6;
    static const struct {
        enum orr_topology topology;
        int64_t links;
        double ring, all;
    } CASES[] = {{ORR_TOPOLOGY_SWITCH, 0, 1, 1},
                 {ORR_TOPOLOGY_MESH, 0, 3, 1},
                 {ORR_TOPOLOGY_DRAGONFLY, 0, 2, 1},
                 {ORR_TOPOLOGY_TORUS, 2, 2, 4.0 / 3}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        group->topology = CASES[i].topology;
        group->links = CASES[i].links;
        assert_close(seconds_of(w, ORR_COLLECTIVE_ALLREDUCE, 128, 1.6e9), ring_s * CASES[i].ring + latency_s, 1e-12);
        assert_close(seconds_of(w, ORR_COLLECTIVE_ALLTOALL, 128, 0.8e9), all_s * CASES[i].all + hops_s, 1e-12);
    }
}

/* Eq. 60: a data-parallel group of 16 at a stride of 8 has one member per node and four per leaf of 32 GPUs. */
static void groups_are_placed_in_every_tier(void **state)
{
    struct world *w = *state;
    plain_machine(w);
    w->job.system.n_tiers = 2;
    w->job.system.tiers[0] = (struct orr_tier){.name = "leaf", .gpus = 32, .oversubscription = 1};
    w->job.system.tiers[1] = (struct orr_tier){.name = "pod", .gpus = 64, .oversubscription = 1};
    const struct orr_placement place = orr_place(&w->job.system, 16, 8);
    assert_close(place.local, 1, 0);
    assert_close(place.inside[0], 4, 0);
    assert_close(place.inside[1], 8, 0);
    const struct orr_placement near = orr_place(&w->job.system, 16, 2);
    assert_close(near.local, 4, 0);
    assert_close(near.inside[0], 16, 0);
}

/* A stage of one GPU: the last GPU of a node sends for all 8, and has both shares of a NIC that two GPUs share. With
 * tensor parallelism of 8 every GPU sends, and has its own share. */
static void a_lone_sender_has_the_whole_nic(void **state)
{
    struct world *w = *state;
    const struct orr_op send = {
        .kind = ORR_OP_COLLECTIVE, .collective = ORR_COLLECTIVE_P2P, .group = ORR_GROUP_PP, .payload_bytes = 1e8};
    struct orr_cost cost;
    plain_machine(w);
    w->job.plan.tp = 1;
    w->job.plan.pp = 16;
    w->job.plan.gpus = 16;
    orr_cost_collective(&w->job, &send, &cost);
    assert_close(cost.total_s, 2e-3 + 1e-5, 1e-12);
    w->job.system.gpus_per_nic = 2;
    orr_cost_collective(&w->job, &send, &cost);
    assert_close(cost.total_s, 1e-3 + 1e-5, 1e-12);
    w->job.plan.tp = 8;
    w->job.plan.gpus = 128;
    orr_cost_collective(&w->job, &send, &cost);
    assert_close(cost.total_s, 2e-3 + 1e-5, 1e-12);
}

/* ---------------------------------------------------------------- properties */

static const char *const SYSTEMS[] = {"aws-p5-h100", "polaris-a100-40g-sxm", "sophia-a100-40g-sxm", "oci-gb300",
                                      "dgx-superpod-h100"};

/* Over sizes, groups and catalogue systems: more bytes and a slower NIC take no less, an all-reduce no less than a
 * reduce-scatter, an all-reduce between nodes no less than its part inside, and more nodes with the same payload per
 * rank no less in an all-gather. */
static void shapes_hold_on_every_fabric(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(SYSTEMS); i++) {
        read_job(w, "{'kind':'train','model':'gpt-22b','system':'%s','plan':{'tp':4},'workload':{}}", SYSTEMS[i]);
        const int64_t domain = w->job.system.domain_gpus;
        for (int64_t nodes = 2; nodes <= 64; nodes *= 2)
            for (double bytes = 65536; bytes < 4e9; bytes *= 4)
                for (int c = 0; c < ORR_COLLECTIVE_P2P; c++) {
                    const enum orr_collective collective = (enum orr_collective)c;
                    const double time_s = seconds_of(w, collective, nodes * domain, bytes);
                    assert_true(time_s > 0);
                    assert_true(seconds_of(w, collective, nodes * domain, 1.1 * bytes) >= time_s);
                    w->job.system.scaleout_bytes_per_s /= 1.3;
                    assert_true(seconds_of(w, collective, nodes * domain, bytes) >= time_s);
                    w->job.system.scaleout_bytes_per_s *= 1.3;
                    if (collective == ORR_COLLECTIVE_ALLGATHER)
                        assert_true(seconds_of(w, collective, 2 * nodes * domain, 2 * bytes) >= time_s);
                    if (collective != ORR_COLLECTIVE_ALLTOALL)
                        assert_true(time_s >= (1 - 1e-12) * seconds_of(w, collective, domain, bytes));
                }
    }
}

/* ---------------------------------------------------------------- reading and fitting */

static struct orr_fabric_fit *open_rows(const struct world *w, const char *id, const char *system, const char *text,
                                        const char *origin)
{
    struct orr_fabric_fit *fit;
    struct orr_error error;
    if (orr_fabric_fit_open(w->catalogue, id, system, &fit, &error)) fail_msg("%s", error.text);
    if (orr_fabric_fit_add(fit, text, origin, &error)) fail_msg("%s", error.text);
    return fit;
}

static const char NCCL_TEXT[] =
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 8388608 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid  11 on   node-a device  0 [0x07] NVIDIA A100-SXM4-40GB\n"
    "#  Rank  1 Group  0 Pid  12 on   node-a device  1 [0x46] NVIDIA A100-SXM4-40GB\n"
    "#  Rank  2 Group  0 Pid  13 on   node-b device  0 [0x07] NVIDIA A100-SXM4-40GB\n"
    "#  Rank  3 Group  0 Pid  14 on   node-b device  1 [0x46] NVIDIA A100-SXM4-40GB\n"
    "#                                                              out-of-place                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw\n"
    "     1048576        262144     float     sum      -1    122.5    8.56   12.84      0    121.0    8.67   13.00     "
    " 0\n"
    "     8388608       2097152     float                    1024    8.19   12.29    N/A    1000    8.39   12.58    "
    "N/A\n"
    "# Out of bounds values : 0 OK\n";

/* Two hosts and four ranks; 122.5 us and 1024 us, with and without the columns of an operator and a root. */
static void nccl_tests_are_read(void **state)
{
    struct world *w = *state;
    struct orr_fabric_fit *fit = open_rows(w, NULL, "polaris-a100-40g-sxm", NCCL_TEXT, "runs/all_reduce_output.dat");
    assert_int_equal(fit->n_rows, 2);
    const struct orr_fabric_row *row = &fit->rows[0];
    assert_int_equal(row->collective, ORR_COLLECTIVE_ALLREDUCE);
    assert_int_equal(row->nodes, 2);
    assert_int_equal(row->ranks, 4);
    assert_close(row->bytes, 1048576, 0);
    assert_close(row->measured_s, 122.5e-6, 1e-12);
    assert_close(fit->rows[1].measured_s, 1024e-6, 1e-12);
    orr_fabric_fit_close(fit);
}

static void bad_rows_are_refused(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *system, *text, *says;
    } CASES[] = {{"oci-b300", "nodes,n_gpus,op,bytes,time_s\n2,16,allreduce,-1,1\n",
                  "bytes: must be a number from 1e-12 to 1e18"},
                 {"oci-b300", "nodes,n_gpus,op,bytes\n2,16,allreduce,1\n", "time_s is missing"},
                 {"oci-b300", "nodes,n_gpus,op,bytes,time_s\n2,16,broadcast,1,1\n", "\"broadcast\" is none of"},
                 {NULL, "nodes,n_gpus,op,bytes,time_s\n2,16,allreduce,1,1\n", "which system? Add --system ID"},
                 {"oci-b301", "nodes,n_gpus,op,bytes,time_s\n2,16,allreduce,1,1\n", "unknown system \"oci-b301\""},
                 {"oci-b300", "# nThread 1\n# nothing\n", "nccl-tests printed no timings here"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_fabric_fit *fit;
        struct orr_error error;
        assert_int_equal(orr_fabric_fit_open(w->catalogue, "mine", CASES[i].system, &fit, &error), ORR_OK);
        assert_int_not_equal(orr_fabric_fit_add(fit, CASES[i].text, "rows.csv", &error), ORR_OK);
        if (!strstr(error.text, CASES[i].says)) fail_msg("%s, not %s", error.text, CASES[i].says);
        orr_fabric_fit_close(fit);
    }
}

/* Rows made from a ring of 25 us steps at 0.8 of the NIC and a latency protocol of 6 us hops at 0.05: the fit finds the
 * ring again within a few per cent, the same both times, and its file reads back as the same fabric. */
static void planted_lines_are_found(void **state)
{
    struct world *w = *state;
    char text[16384], path[64];
    int used = snprintf(text, sizeof text, "nodes,n_gpus,op,bytes,time_s\n");
    for (int nodes = 2; nodes <= 32; nodes *= 4)
        for (double bytes = 16384; bytes < 3e9; bytes *= 2) {
            const double n = 8.0 * nodes, wire_s = (n - 1) / n * bytes / 8 / 50e9;
            const double quick_s = (n - 1) * 6e-6 + wire_s / 0.05, steps_s = fmax((n - 1) * 25e-6, wire_s / 0.8);
            used += snprintf(text + used, sizeof text - (size_t)used, "%d,%.0f,allgather,%.0f,%.9g\n", nodes, n, bytes,
                             fmin(quick_s, steps_s));
        }
    struct orr_fabric_fit *fit = open_rows(w, "mine", "azure-nd-h100-v5", text, "rows.csv");
    struct orr_error error;
    if (orr_fabric_fit_run(fit, &error)) fail_msg("%s", error.text);
    const struct orr_fabric_line *ring = &fit->fabric.lines[0];
    assert_int_equal(ring->algorithm, ORR_ALGORITHM_RING);
    assert_true(ring->pipelined && !ring->low_latency);
    assert_close(ring->hop_s, 25e-6, 0.03);
    assert_close(ring->efficiency_frac[0], 0.8, 0.03);
    assert_close(fit->fabric.lines[1].hop_s, 6e-6, 0.1);
    char *file = orr_fabric_fit_file(fit, "2026-11");
    assert_non_null(file);
    (void)snprintf(path, sizeof path, "/tmp/orrery-fabric-%ld.json", (long)getpid());
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(file, out) >= 0);
    assert_int_equal(fclose(out), 0);
    struct orr_fabric back;
    if (orr_fabric_read(w->catalogue, path, &back, &error)) fail_msg("%s", error.text);
    (void)unlink(path);
    assert_close(back.lines[0].hop_s, ring->hop_s, 1e-5);
    assert_true(back.measured && back.lines[0].pipelined);
    struct orr_fabric_fit *again = open_rows(w, "mine", "azure-nd-h100-v5", text, "rows.csv");
    if (orr_fabric_fit_run(again, &error)) fail_msg("%s", error.text);
    assert_memory_equal(again->fabric.lines, fit->fabric.lines, sizeof fit->fabric.lines);
    free(file);
    orr_fabric_fit_close(fit);
    orr_fabric_fit_close(again);
}

/* Rings of three systems with the same NICs, which reach 0.7, 0.8 and 0.9 of them. */
static void write_systems(char *text, size_t size)
{
    static const char *const NAMES[] = {"azure-nd-h100-v5", "aws-p5-h100", "oci-h100"};
    int used = snprintf(text, size, "system,nodes,n_gpus,op,bytes,time_s\n");
    for (int i = 0; i < 3; i++)
        for (int nodes = 2; nodes <= 8; nodes *= 2)
            for (double bytes = 1 << 20; bytes < 2e9; bytes *= 4) {
                const double n = 8.0 * nodes, wire_s = (n - 1) / n * bytes / 8 / 50e9;
                used += snprintf(text + used, size - (size_t)used, "%s,%d,%.0f,allgather,%.0f,%.9g\n", NAMES[i], nodes,
                                 n, bytes, fmax((n - 1) * 25e-6, wire_s / (0.7 + 0.1 * i)));
            }
    assert_true((size_t)used < size);
}

/* What three networks have in common describes none of them exactly, and says how far off it is on the one that was
 * left out: between 0.7 and 0.9 of the NIC a third at most. Rows of others do not count for a network that is named. */
static void three_networks_make_a_default(void **state)
{
    struct world *w = *state;
    static char text[16384];
    struct orr_error error;
    write_systems(text, sizeof text);
    struct orr_fabric_fit *fit = open_rows(w, "mine", NULL, text, "rows.csv");
    assert_int_equal(fit->n_systems, 3);
    if (orr_fabric_fit_run(fit, &error)) fail_msg("%s", error.text);
    if (orr_fabric_fit_score(fit, &error)) fail_msg("%s", error.text);
    assert_false(fit->fabric.measured);
    print_message("# measured over predicted: %.3f to %.3f\n", fit->fabric.spread_low_frac,
                  fit->fabric.spread_high_frac);
    assert_true(fit->fabric.spread_low_frac < 1 && fit->fabric.spread_low_frac > 0.7);
    assert_true(fit->fabric.spread_high_frac > 1 && fit->fabric.spread_high_frac < 1.4);
    for (size_t i = 0; i < 3; i++) {
        assert_true(fit->scores[i].unknown.n > 0 && fit->scores[i].unknown.median_frac < 0.33);
        assert_true(fit->scores[i].own.n > 0);
    }
    char *words = orr_fabric_fit_render(fit, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(words);
    assert_non_null(strstr(words, "oci-h100"));
    free(words);
    orr_fabric_fit_close(fit);
    fit = open_rows(w, "efa-v2", NULL, text, "rows.csv"); /* that of aws-p5-h100 */
    const size_t n_all = fit->n_rows;
    if (orr_fabric_fit_run(fit, &error)) fail_msg("%s", error.text);
    assert_int_equal(fit->n_rows, n_all / 3);
    assert_true(fit->fabric.measured);
    assert_close(fit->fabric.lines[0].efficiency_frac[0], 0.8, 0.03);
    orr_fabric_fit_close(fit);
    orr_fabric_fit_close(NULL);
}

/* A fabric of a request, its mistakes, and tiers that do not fit. */
static void systems_say_what_is_wrong(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *set, *says;
    } CASES[] = {
        {"'system.fabric':'efa-v3'", "unknown fabric \"efa-v3\" (did you mean \"efa-v2\"?)"},
        {"'system.fabric':'efa-v2','fabric.lines.0.algorithm':'nvls'", "between domains there are ring, tree"},
        {"'system.fabric':'efa-v2','fabric.lines.0.hop_s':-1", "must be a number from 0 to 1"},
        {"'system.tiers':[{'name':'leaf','gpus':12,'oversubscription':1}]", "12 GPUs are not a multiple of the 8"},
        {"'system.tiers':[{'name':'ring','gpus':16,'oversubscription':1,'topology':'torus'}]", "a torus needs"},
        {"'system.tiers':[{'name':'leaf','gpus':16}]", "missing key \"oversubscription\""}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char request[512];
        struct orr_error error;
        (void)snprintf(
            request, sizeof request,
            "{'kind':'train','model':'gpt-22b','system':'h100-sxm','plan':{'tp':8},'workload':{},'set':{%s}}",
            CASES[i].set);
        assert_int_not_equal(try_job(w, request, &error), ORR_OK);
        if (!strstr(error.text, CASES[i].says)) fail_msg("%s, not %s", error.text, CASES[i].says);
    }
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'h100-sxm','plan':{'tp':8},'workload':{},"
                "'set':{'system.fabric':'efa-v2','fabric.lines.0.hop_s':'7 us'}}");
    assert_string_equal(w->job.system.fabric.id, "efa-v2");
    assert_close(w->job.system.fabric.lines[0].hop_s, 7e-6, 1e-12);
}

/* Eq. 325: of what a ring of sends hides in a longer kernel, 4 of 132 SMs take back 4/132 where the ring leaves the
 * node (0.969697 is kept), and inside a node the share of a collective, 0.2. */
static void sends_between_nodes_hold_few_sms(void **state)
{
    struct world *w = *state;
    for (int across = 0; across < 2; across++) {
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'tp':%d,'cp':4},'workload':"
                 "{'engine':'megatron-core-2024','seq':131072,'global_batch':1}}",
                 across ? 32 : 8, across ? 8 : 2);
        train(w);
        const struct orr_op *ops;
        const struct orr_cost *costs;
        const size_t n = scratch_ops(w->scratch, &ops, &costs);
        int rings = 0;
        for (size_t i = 0; i < n; i++) {
            if (ops[i].kind != ORR_OP_COLLECTIVE || ops[i].group != ORR_GROUP_CP || ops[i].window_op < 0) continue;
            assert_true(costs[i].total_s < costs[ops[i].window_op].total_s);
            assert_close(costs[i].hidden_s, costs[i].total_s * (across ? 0.969697 : 0.8), 1e-5);
            rings++;
        }
        assert_true(rings > 0);
    }
}

/* Eq. 327: a weight gradient of 12288 x 4096 added to an fp32 sum moves 6 bytes per element more than a plain one.
 * On an H200, 4.8 TB/s, half of their time is 31.457 us; a forward product of the same job takes none. */
static void sums_of_gradients_take_time(void **state)
{
    struct world *w = *state;
    double wgrad_s[2], forward_s[2];
    for (int exposed = 0; exposed < 2; exposed++) {
        read_job(w, "{'kind':'train','model':'llama2-7b','system':'h200-sxm','plan':{},'workload':{'seq':8192,"
                    "'micro_batch':1,'global_batch':1,'engine':'megatron-core-2024'}}");
        w->job.calibration.sum_exposed_frac = exposed ? 0.5 : 0;
        train(w);
        const struct orr_op *wgrad = need_op(w, 0, "attention.qkv.wgrad"), *forward = need_op(w, 0, "attention.qkv");
        assert_close(wgrad->output_bytes, 8, 0);
        wgrad_s[exposed] = w->scratch->costs[wgrad - w->scratch->ops.items].compute_s;
        forward_s[exposed] = w->scratch->costs[forward - w->scratch->ops.items].compute_s;
    }
    assert_close(wgrad_s[1] - wgrad_s[0], 31.457e-6, 1e-4);
    assert_close(forward_s[1], forward_s[0], 0);
}

/* A serving engine's own kernels are for groups inside a node. Sums of 8192 values over two nodes of 8 H100 take the
 * library's ring inside, 4.75 + 2 * 7 * 0.794 us and 2 * 7/8 * 16384 B at 0.338 of 450 GB/s, then two hops of 20 us and
 * 1.5 us of skew: 57.55 us with such kernels as without. */
static void own_kernels_stay_inside_a_node(void **state)
{
    struct world *w = *state;
    double total_s[2][2];
    for (int nodes = 1; nodes <= 2; nodes++) {
        for (int custom = 0; custom < 2; custom++) {
            read_job(w,
                     "{'kind':'infer','model':'llama3-70b','system':'h100-sxm','plan':{'tp':%d},'workload':{'engine':"
                     "'vllm','precision':'bf16','batch':1,'input_len':1,'output_len':2}}",
                     8 * nodes);
            w->job.engine.custom_allreduce = custom;
            struct orr_infer_result result;
            orr_infer(&w->job, w->scratch, &result);
            const struct orr_op *reduce = need_op(w, 0, "tp.reduce");
            total_s[nodes - 1][custom] = w->scratch->costs[reduce - w->scratch->ops.items].total_s;
        }
    }
    assert_true(total_s[0][1] < 0.6 * total_s[0][0]);
    assert_close(total_s[1][1], 57.55e-6, 1e-3);
    assert_close(total_s[1][1], total_s[1][0], 0);
}

/* Eq. 396: 64 tokens of Llama 3 70B, 1 MiB, over the 8 GPUs of an H200 node. Kernels that read each other's memory take
 * two shots of 6.17 + 3 * 0.83 us and 7/4 MiB at 0.644 of 450 GB/s, 6.332 us; the switch 7.3 us and 9/8 MiB at 0.535 of
 * it, 4.900 us; those of TensorRT-LLM 17.1 + 3 * 0.299 us and 7/4 MiB at 0.554, 7.361 us. Each waits 1.5 us more. An
 * engine with all of them has the fastest, a chip without any of an engine's has those of TensorRT-LLM, and what is
 * larger than a kernel takes is not given to it. */
static void stacks_have_kernels_of_their_own(void **state)
{
    static const struct {
        const char *kernels;
        double time_s;
    } CASES[] = {{"", 26.858e-6},     {"trtllm", 26.858e-6},    {"none", 26.858e-6},
                 {"pull", 16.492e-6}, {"multicast", 13.700e-6}, {"trtllm pull multicast", 13.700e-6}};
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-70b','system':'h200-sxm','plan':{'tp':8},'workload':{'engine':"
                "'sglang-0.5','precision':'bf16','batch':64,'input_len':1,'output_len':2}}");
    struct orr_infer_result result;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        snprintf(w->job.engine.allreduce_kernels, sizeof w->job.engine.allreduce_kernels, "%s", CASES[i].kernels);
        orr_infer(&w->job, w->scratch, &result);
        const struct orr_op *reduce = need_op(w, 0, "tp.reduce");
        assert_close(w->scratch->costs[reduce - w->scratch->ops.items].total_s, CASES[i].time_s, 1e-3);
    }
    for (int64_t i = 0; i < w->job.calibration.n_lines; i++)
        if (w->job.calibration.lines[i].kernel == ORR_ALLREDUCE_MULTICAST) w->job.calibration.lines[i].most_bytes = 1e6;
    orr_infer(&w->job, w->scratch, &result);
    const struct orr_op *smaller = need_op(w, 0, "tp.reduce");
    assert_close(w->scratch->costs[smaller - w->scratch->ops.items].total_s, 16.492e-6, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_gradients_take_time),
        cmocka_unit_test(own_kernels_stay_inside_a_node),
        cmocka_unit_test(stacks_have_kernels_of_their_own),
        cmocka_unit_test(sends_between_nodes_hold_few_sms),
        cmocka_unit_test(a_ring_passes_every_rank),
        cmocka_unit_test(pipelined_steps_take_the_longer),
        cmocka_unit_test(trees_and_switches_send_less),
        cmocka_unit_test(reduction_needs_no_fabric),
        cmocka_unit_test(an_exchange_sends_a_message_to_every_rank),
        cmocka_unit_test(the_fastest_line_counts),
        cmocka_unit_test(tiers_limit_what_crosses_them),
        cmocka_unit_test(topologies_share_their_links),
        cmocka_unit_test(groups_are_placed_in_every_tier),
        cmocka_unit_test(a_lone_sender_has_the_whole_nic),
        cmocka_unit_test(shapes_hold_on_every_fabric),
        cmocka_unit_test(nccl_tests_are_read),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(planted_lines_are_found),
        cmocka_unit_test(three_networks_make_a_default),
        cmocka_unit_test(systems_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
