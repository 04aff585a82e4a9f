/* Expert layers of frameworks: the kernels that multiply the rows of experts, what is launched beside them, and where
 * the host waits. Expected values are worked out in the comments. */
#include "support.h"

#include "cost/cost.h"
#include "ops/serve.h"
#include "schedule/host.h"

/* Two experts of `rows` rows, 4096 x 1024 weights, on an H200 with round constants: 100 SMs of 10 TFLOP/s each, 4 TB/s
 * of DRAM, 20 GB/s of an SM, all shares 1, 1 us per tile, 5 us per launch. */
static struct orr_op experts_of(struct world *w, enum orr_expert_kernel kernel, double rows)
{
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h200-sxm','gpus':1,'plan':{},'workload':{}}");
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    w->job.engine.expert_kernel = kernel;
    w->job.system.chip.n_sm = 100;
    w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 1e15;
    w->job.system.chip.hbm_bytes_per_s = 4e12;
    w->job.calibration.decode[ORR_DECODE_PAGED][0].sm_bytes_per_s = 20e9;
    u->burst_frac = u->grouped_frac = u->grouped_dram_frac = 1;
    u->grouped_tile_s = 1e-6;
    u->grouped_launch_s = 5e-6;
    struct orr_op op = {.kind = ORR_OP_GROUPED, .dtype = ORR_DTYPE_BF16, .batch = 2, .m = rows, .n = 1024, .k = 4096};
    op.input_bytes = op.weight_bytes = op.output_bytes = 2;
    op.flops = 2 * op.batch * op.m * op.n * op.k;
    return op;
}

/* Eqs. 158, 159. With 16 rows an expert fills one cluster of two tiles of 64 x 128: 2 experts, 2 tiles, 8 columns are
 * 32 blocks. A tile takes 2·64·128·4096·100/1e15 = 6.7109 us and 1 us; 32 blocks on 100 SMs are one round. Bytes:
 * 2·(16·4096 + 4096·1024 + 16·1024)·2 = 17,104,896. 16 clusters read 320 GB/s: 53.453 us. Both are joined by Eq. 28. */
static void few_rows_are_read_by_clusters(void **state)
{
    struct world *w = *state;
    struct orr_op op = experts_of(w, ORR_EXPERT_GROUPED_MM, 16);
    struct orr_cost cost;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_int_equal(cost.tile_m, 64);
    assert_int_equal(cost.tile_n, 128);
    assert_close(cost.dram_bytes, 17104896, 1e-12);
    assert_close(cost.compute_s, 7.710886e-6, 1e-6);
    assert_close(cost.dram_s, 53.4528e-6, 1e-6);
    const double joined_s = pow(pow(7.710886e-6, 1.5) + pow(53.4528e-6, 1.5), 2.0 / 3);
    assert_close(cost.total_s, joined_s + 5e-6, 1e-6);
}

/* Eq. 28b: 30 experts without rows of 0.1 us are 3 us beside the launch of 5. Triton's kernels do not see them. */
static void experts_without_rows_take_time(void **state)
{
    struct world *w = *state;
    struct orr_op op = experts_of(w, ORR_EXPERT_TUNED, 16);
    struct orr_cost without, with, triton;
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_idle_s = 0.1e-6;
    orr_cost_grouped(&w->job, &op, &without);
    op.n_idle_experts = 30;
    orr_cost_grouped(&w->job, &op, &with);
    assert_close(without.launch_s, 5e-6, 1e-12);
    assert_close(with.launch_s, 8e-6, 1e-12);
    assert_close(with.total_s - without.total_s, 3e-6, 1e-6);
    w->job.engine.triton_experts = true;
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_triton_dram_frac = 1;
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_triton_launch_s = 4e-6;
    orr_cost_grouped(&w->job, &op, &triton);
    assert_close(triton.launch_s, 4e-6, 1e-12);
}

/* Eq. 30a: a reduction of 4,096 at 20 ns is 81.92 us, more than the 17,104,896 bytes take at 4 TB/s (4.276 us). */
static void a_walk_along_the_reduction_takes_time(void **state)
{
    struct world *w = *state;
    struct orr_op op = experts_of(w, ORR_EXPERT_TUNED, 16);
    struct orr_cost cost;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.dram_s, 17104896 / 4e12, 1e-12);
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_walk_s_per_element = 20e-9;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.dram_s, 81.92e-6, 1e-12);
    struct orr_op plain = op;
    plain.kind = ORR_OP_GEMM;
    plain.batch = 1;
    plain.flops = op.flops / op.batch;
    w->job.calibration.gemm[ORR_DTYPE_BF16].walk_s_per_element = 1e-6;
    orr_cost_gemm(&w->job, &plain, &cost);
    assert_close(cost.compute_s, 4096e-6, 1e-12);
}

/* What a decode step of 16 sequences has of DeepSeek-V3 on 8 GPUs: experts with rows, rows of all of them, and
 * operators of the shared expert. */
struct shared_step {
    double experts, rows;
    int shared;
};

static struct shared_step step_of(struct world *w, const char *system, const char *engine, int ep)
{
    static struct orr_op_list list;
    struct shared_step step = {0};
    const struct orr_serve_shape shape = {.decode_sequences = 16, .decode_context = 100, .queries = 1};
    read_job(
        w,
        "{'kind':'infer','model':'deepseek-v3','system':'%s','gpus':8,'plan':{'tp':8,'ep':%d},'workload':{'batch':16,"
        "'input_len':1024,'output_len':128,'precision':'fp8','engine':'%s'}}",
        system, ep, engine);
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_DECODE, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct orr_op *op = &list.items[i];
        if (strcmp(op->name, "expert.down") == 0) step.experts = op->batch, step.rows = op->batch * op->m;
        step.shared += strncmp(op->name, "shared.", 7) == 0;
    }
    return step;
}

/* Eq. 302a: 16 tokens choose 8 of 256 experts each, 128 rows on 256·(1 − (1 − 8/256)^16) = 101.96 experts. Where the
 * shared expert joins them, it has 16 rows more on one expert more, and no products of its own. */
static void a_shared_expert_joins_the_others(void **state)
{
    struct world *w = *state;
    const double touched = 256 * (1 - pow(1 - 8.0 / 256, 16));
    const struct shared_step joined = step_of(w, "h200-sxm", "sglang", 1), apart = step_of(w, "h200-sxm", "vllm", 1),
                             divided = step_of(w, "h200-sxm", "sglang", 8), other = step_of(w, "b200-sxm", "sglang", 1);
    assert_close(joined.experts, touched + 1, 1e-12);
    assert_close(joined.rows, 128 + 16, 1e-12);
    assert_int_equal(joined.shared, 0);
    assert_close(apart.experts, touched, 1e-12);
    assert_close(apart.rows, 128, 1e-12);
    assert_int_equal(apart.shared, 2);
    assert_int_equal(divided.shared, 2);
    assert_int_equal(other.shared, 2);
}

static double expert_rows(struct world *w, const char *rest)
{
    static struct orr_op_list list;
    read_job(w,
             "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{'dp':8,'ep':8},'workload':"
             "{'seq':4096,'micro_batch':1,'global_batch':8%s,'engine':'megatron-core-2025'}}",
             rest);
    orr_ops_layers(&w->job, &list);
    for (size_t i = 0; i < list.n; i++)
        if (list.items[i].kind == ORR_OP_GROUPED && list.items[i].phase == ORR_PHASE_FORWARD)
            return list.items[i].batch * list.items[i].m;
    return 0;
}

/* 8 ranks of 4096 tokens, two of eight experts each, one expert per rank: 8 * 4096 * 2 / 8 = 8192 rows; a capacity of
 * 1.5 makes them 12288 whatever the router does, and one of 0.5 drops half. */
static void capacity_fixes_the_rows_of_experts(void **state)
{
    struct world *w = *state;
    assert_close(expert_rows(w, ""), 8192, 1e-12);
    assert_close(expert_rows(w, ",'moe_capacity':1.5"), 12288, 1e-12);
    assert_close(expert_rows(w, ",'moe_capacity':0.5"), 4096, 1e-12);
}

/* Eq. 158 at an edge: 128 rows on average are more than 128 for half of the experts, which then fill a second cluster:
 * 1.5 of them. Beyond 128 rows the tile is 128 x 256 and a cluster takes 256 rows: 512 rows fill 2.5. A weight gradient
 * has a whole matrix of outputs: 512 rows are 2. */
static void random_rows_fill_blocks_on_average(void **state)
{
    struct world *w = *state;
    struct orr_op op = experts_of(w, ORR_EXPERT_GROUPED_MM, 128);
    struct orr_cost cost;
    const double small_tile_s = 2.0 * 64 * 128 * 4096 * 100 / 1e15 + 1e-6;
    orr_cost_grouped(&w->job, &op, &cost);
    /* 2·1.5·2·8 = 48 blocks, one round; padded arithmetic 1.5·2·128·1024·4096·2/1e15 = 3.2 us is less */
    assert_close(cost.compute_s, small_tile_s, 1e-12);
    op.m = 512;
    op.n = 8192;
    op.flops = 2 * op.batch * op.m * op.n * op.k;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_int_equal(cost.tile_m, 128);
    assert_int_equal(cost.tile_n, 256);
    /* 2·2.5·2·32 = 320 blocks of 2·128·256·4096·100/1e15 + 1e-6 = 27.8435 us on 100 SMs */
    assert_close(cost.compute_s, 3.2 * 27.843546e-6, 1e-4);
    op.wgrad = true;
    orr_cost_grouped(&w->job, &op, &cost); /* 2·2·2·32 = 256 blocks */
    assert_close(cost.compute_s, 2.56 * 27.843546e-6, 1e-6);
}

/* Eq. 160: a loop takes as long as its products one after another, and so do streams. A chip without clusters has no
 * grouped product of PyTorch and loops. */
static void loops_and_streams_add_up(void **state)
{
    struct world *w = *state;
    struct orr_op op = experts_of(w, ORR_EXPERT_LOOP, 300), one = op;
    struct orr_cost loop, streams, single, fallback;
    one.kind = ORR_OP_GEMM;
    one.batch = 1;
    one.flops = op.flops / 2;
    orr_cost_gemm(&w->job, &one, &single);
    orr_cost_grouped(&w->job, &op, &loop);
    assert_close(loop.total_s, 2 * single.total_s, 1e-12);
    assert_close(loop.dram_bytes, 2 * single.dram_bytes, 1e-12);
    w->job.engine.expert_kernel = ORR_EXPERT_STREAMS;
    orr_cost_grouped(&w->job, &op, &streams);
    assert_close(streams.total_s, loop.total_s, 0);
    w->job.engine.expert_kernel = ORR_EXPERT_GROUPED_MM;
    w->job.system.chip.l2_multicast = 1;
    orr_cost_grouped(&w->job, &op, &fallback);
    w->job.engine.expert_kernel = ORR_EXPERT_LOOP;
    orr_cost_grouped(&w->job, &op, &loop);
    assert_close(fallback.total_s, loop.total_s, 0);
}

/* Eq. 161: 8 experts on one rank, 10 kernels of the layer and 3 of each expert: 34 in forward, 68 in backward. Products
 * of a loop are 8 launches. Two waits of 20 us for each of 8 experts are 320 us of an idle device, on a host of twice
 * the speed 160 us. */
static void frameworks_launch_and_wait(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h200-sxm','gpus':1,'plan':{},'workload':{},"
                "'set':{'engine.expert_kernel':'loop','engine.moe_launches':10,'engine.moe_expert_launches':3,"
                "'engine.moe_syncs':2,'engine.host_sync_s':'20 us','system.host_speed':2}}");
    train(w);
    assert_close(need_op(w, 0, "moe.routing")->launches, 34, 1e-9);
    assert_close(need_op(w, 0, "moe.routing.backward")->launches, 68, 1e-9);
    assert_close(need_op(w, 0, "expert.up")->launches, 8, 1e-9);
    assert_close(need_op(w, 0, "expert.down.wgrad")->launches, 8, 1e-9);
    const struct orr_op *ops, *wait = need_op(w, 0, "moe.wait");
    const struct orr_cost *costs;
    (void)scratch_ops(w->scratch, &ops, &costs);
    assert_close(costs[wait - ops].total_s, 160e-6, 1e-9);
    assert_null(find_op(w, 0, "moe.wait.backward"));
    orr_host_remove(&w->job.engine);
    train(w);
    assert_null(find_op(w, 0, "moe.wait"));
}

/* The low-latency kernels of DeepEP, H800, 128 tokens of DeepSeek-V3 per GPU: 8 copies of 7168 elements each are
 * 7,340,032 elements; to the experts 1 + 4/128 bytes of each, back 2. Prompts send a token once to every node. */
static void decode_sends_a_copy_to_every_expert(void **state)
{
    struct world *w = *state;
    struct orr_infer_result result;
    read_job(w, "{'kind':'infer','model':'deepseek-v3','system':'h800-sxm','gpus':64,'plan':{'tp':1,'dp':64,'ep':64},"
                "'workload':{'engine':'sglang','batch':128,'input_len':1024,'output_len':2,'precision':'fp8',"
                "'moe_imbalance':1,'two_batch_overlap':false,'expert_copies':false}}");
    orr_infer(&w->job, w->scratch, &result);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    int seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (strncmp(ops[i].name, "moe.", 4) != 0 || ops[i].kind != ORR_OP_COLLECTIVE) continue;
        assert_int_equal(ops[i].n_active, ops[i].phase == ORR_PHASE_DECODE ? 0 : 8);
        if (ops[i].phase != ORR_PHASE_DECODE) continue;
        const bool there = strcmp(ops[i].name, "moe.dispatch") == 0;
        assert_close(ops[i].payload_bytes, 7340032 * (there ? 1 + 4.0 / 128 : 2), 1e-9);
        seen++;
    }
    assert_int_equal(seen, 2);
}

/* DeepSeek-V3 on one node: 4 of 8 groups of experts, so that a token chooses 8 of 128 experts on 4 of 8 ranks and
 * reaches 4 (1 - C(96, 8) / C(128, 8)) = 3.629 ranks; without the limit 8 (1 - C(224, 8) / C(256, 8)) = 5.2947. */
static void limited_routers_reach_fewer_ranks(void **state)
{
    struct world *w = *state;
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                        .collective = ORR_COLLECTIVE_ALLTOALL,
                        .group = ORR_GROUP_EP,
                        .payload_bytes = 1e9,
                        .n_experts = 256,
                        .n_active = 8};
    struct orr_cost any, limited;
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':8,'plan':{'ep':8},'workload':{}}");
    assert_int_equal(w->job.model.kinds[1].n_groups, 8);
    w->job.engine.moe_dedup = true;
    orr_cost_collective(&w->job, &op, &any);
    op.n_groups = 8;
    op.n_groups_active = 4;
    op.payload_bytes = 1e9 * 5.294652 / 3.629011;
    orr_cost_collective(&w->job, &op, &limited);
    assert_close(limited.total_s, any.total_s, 1e-6);
}

/* Eq. 379: gpt-oss has biases in its experts; 4096 tokens choose 4 each, and a copy of such a row of 2880 elements of 2
 * bytes moves 11,520 bytes. Qwen3 has none, and a loop prices them by itself. */
static void biases_of_experts_are_eq_379(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-oss-20b','system':'h100-sxm','plan':{'dp':8,'zero':3},"
                "'workload':{'engine':'hf-transformers-2026-eager','seq':4096,'micro_batch':1,'global_batch':8}}");
    w->job.engine.moe_biased_passes = 3;
    w->job.engine.moe_biased_backward_passes = 5;
    train(w);
    assert_close(need_op(w, 0, "expert.biased")->bytes, 3.0 * 4096 * 4 * 11520, 1e-12);
    assert_close(need_op(w, 0, "expert.biased.backward")->bytes, 5.0 * 4096 * 4 * 11520, 1e-12);
    w->job.engine.expert_kernel = ORR_EXPERT_LOOP;
    train(w);
    assert_null(find_op(w, 0, "expert.biased"));
    read_job(w, "{'kind':'train','model':'qwen3-30b-a3b','system':'h100-sxm','plan':{'dp':8,'zero':3},"
                "'workload':{'engine':'hf-transformers-2026-eager','seq':4096,'micro_batch':1,'global_batch':8}}");
    train(w);
    assert_null(find_op(w, 0, "expert.biased"));
}

/* Eq. 357: 2048 tokens of each of 8 ranks, of 4096 elements of 2 bytes: 128 MiB, and twice that beside the other half
 * of an expert. The load of the experts does not matter. All passes, four and those of unfused kernels, 3.5 forward and
 * 6 backward, move the 1.25 * 8192 rows of the busiest rank. */
static void ranks_may_gather_all_tokens_of_their_group(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','plan':{'tp':2,'dp':8,'ep':8,'etp':2},"
                "'workload':{'engine':'megatron-core-2025','seq':4096,'moe_imbalance':1.25}}");
    w->job.engine.moe_gather = true;
    w->job.engine.moe_unfused_passes = 3.5;
    w->job.engine.moe_unfused_backward_passes = 6;
    train(w);
    const struct {
        const char *name;
        enum orr_collective kind;
        enum orr_group group;
        double mib;
    } cases[] = {
        {"moe.dispatch", ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_EP, 128},
        {"moe.combine", ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_EP, 128},
        {"moe.combine.backward", ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_EP, 128},
        {"moe.dispatch.backward", ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_EP, 128},
        {"moe.gather", ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_ETP, 256},
        {"moe.scatter", ORR_COLLECTIVE_REDUCESCATTER, ORR_GROUP_ETP, 256},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct orr_op *op = need_op(w, 0, cases[i].name);
        assert_int_equal(op->collective, cases[i].kind);
        assert_int_equal(op->group, cases[i].group);
        assert_close(op->payload_bytes, cases[i].mib * 1048576, 1e-15);
    }
    assert_close(need_op(w, 0, "moe.permute")->bytes, 1.25 * 8192 * 4096 * 2 * 2 * 7.5, 1e-15);
    assert_close(need_op(w, 0, "moe.permute.backward")->bytes, 1.25 * 8192 * 4096 * 2 * 2 * 10, 1e-15);
}

/* Eq. 358: 4096 tokens of 4096 elements with two of eight experts each. Forward moves 8192 rows twelve times; backward
 * moves them 8.7 times, and all tokens 2.06 times for each expert. A fused permutation has four passes of the rows. */
static void a_loop_moves_all_tokens_for_every_expert(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{'zero':3},"
                "'workload':{'engine':'pytorch-fsdp1','seq':4096,'micro_batch':1}}");
    const double row_bytes = 4096 * 2 * 2;
    w->job.engine.expert_kernel = ORR_EXPERT_LOOP;
    train(w);
    assert_close(need_op(w, 0, "moe.permute")->bytes, 12 * 8192 * row_bytes, 1e-15);
    assert_close(need_op(w, 0, "moe.permute.backward")->bytes, (8.7 * 8192 + 2.06 * 8 * 4096) * row_bytes, 1e-15);
    w->job.engine.expert_kernel = ORR_EXPERT_GROUPED_MM;
    train(w);
    assert_close(need_op(w, 0, "moe.permute")->bytes, 4 * 8192 * row_bytes, 1e-15);
    assert_close(need_op(w, 0, "moe.permute.backward")->bytes, 4 * 8192 * row_bytes, 1e-15);
}

/* Eq. 359: 4096 tokens with 256 scores each. A fused router has 16 bytes for each and four kernels; plain kernels have
 * what their engine says, and 2.6 times that and 17 kernels more where a token first chooses four of eight groups. */
static void plain_routers_take_what_their_kernels_take(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':8,'plan':{'ep':8},"
                "'workload':{'seq':4096,'micro_batch':1}}");
    const double scores = 4096 * 256;
    w->job.engine.router_bytes = 0;
    train(w);
    assert_close(need_op(w, 1, "moe.topk")->bytes, 16 * scores, 1e-15);
    assert_close(need_op(w, 1, "moe.topk")->launches, 4, 0);
    w->job.engine.router_bytes = 100;
    w->job.engine.router_backward_bytes = 30;
    w->job.engine.router_launches = 20;
    train(w);
    assert_close(need_op(w, 1, "moe.topk")->bytes, 260 * scores, 1e-15);
    assert_close(need_op(w, 1, "moe.topk")->launches, 37, 0);
    assert_close(need_op(w, 1, "moe.topk.backward")->bytes, 30 * scores, 1e-15);
    assert_close(need_op(w, 1, "moe.topk.backward")->launches, 20, 0);
    w->job.model.kinds[1].n_groups_active = 0;
    train(w);
    assert_close(need_op(w, 1, "moe.topk")->bytes, 100 * scores, 1e-15);
}

/* Eq. 376 on the H200 of experts_of. 4-bit weights under 16-bit rows leave 0.35 of the rate where the other units make
 * 66.9 TFLOP/s for 989.4 of the matrix units, and 1 / (1 + 0.65 / 0.35 / 2) = 0.51852 where they make twice as many.
 * Many rows and tiles without a time of their own are bound by the matrix units. */
static void widening_follows_the_units_that_widen(void **state)
{
    struct world *w = *state;
    struct orr_op op = experts_of(w, ORR_EXPERT_LOOP, 4096), wide;
    struct orr_cost slow, fast, plain;
    w->job.engine.expert_kernel = ORR_EXPERT_TUNED;
    w->job.engine.triton_experts = false;
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_tile_s = 0;
    op.batch = 100;
    op.flops = 2 * op.batch * op.m * op.n * op.k;
    wide = op;
    wide.weight_bytes = 0.5;
    orr_cost_grouped(&w->job, &op, &plain);
    w->job.system.chip.vector_flops_per_s = 1e15 * 66.9 / 989.4;
    orr_cost_grouped(&w->job, &wide, &slow);
    assert_close(slow.compute_s / plain.compute_s, 1 / 0.35, 1e-9);
    w->job.system.chip.vector_flops_per_s *= 2;
    orr_cost_grouped(&w->job, &wide, &fast);
    assert_close(fast.compute_s / plain.compute_s, 1 / 0.5185185185, 1e-9);
}

static double product_rows(struct world *w, int64_t tokens, double *experts)
{
    static struct orr_op_list list;
    const struct orr_serve_shape shape = {.decode_sequences = (double)tokens, .decode_context = 100, .queries = 1};
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_DECODE, &list);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.items[i].name, "expert.gate_up") == 0) {
            *experts = list.items[i].batch;
            return list.items[i].m;
        }
    return 0;
}

/* Eq. 375 with 128 experts, 8 for a token, blocks of 512 rows: 4 tokens are 32 choices, each with an expert; 16 tokens
 * are 128 choices, so that all experts have all 16 rows; 4,096 are 32,768 choices, of which (32,768 - 127) / 512 = 63.8
 * fill 64 blocks, and 127 further blocks are for the experts that fill none. */
static void compiled_experts_have_fixed_shapes(void **state)
{
    struct world *w = *state;
    static const struct {
        int64_t tokens;
        double experts, rows;
    } CASES[] = {{4, 32, 1}, {16, 128, 16}, {512, 128, 512}, {4096, 191, 512}};
    read_job(w,
             "{'kind':'infer','model':'qwen3-30b-a3b','system':'trainium2','workload':{'engine':'optimum-neuron-0.4',"
             "'input_len':100,'output_len':100}}");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double experts = 0;
        assert_close(product_rows(w, CASES[i].tokens, &experts), CASES[i].rows, 1e-12);
        assert_close(experts, CASES[i].experts, 1e-12);
    }
}

/* Eq. 64: over slow networks, what hides transfers between experts is the compute of the layer and the transfers of
 * tensor parallelism inside a node, but not the compute beside which the ring of context parallelism uses the NICs. */
static void expert_transfers_leave_the_ring_its_compute(void **state)
{
    struct world *w = *state;
    double window_s = 0, ring_s = 0, experts_s = 0, hidden_s = 0;
    const struct orr_op *ops;
    const struct orr_cost *costs;
    read_job(w, "{'kind':'train','model':'qwen3-235b-a22b','system':'h100-sxm','gpus':256,'plan':{'tp':8,'pp':8,"
                "'cp':2,'vpp':4,'ep':32,'etp':1},'workload':{'engine':'megatron-core-2026','seq':4096,"
                "'global_batch':2048},'set':{'system.scaleout_bytes_per_s':2e9}}");
    train(w);
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++) {
        if (ops[i].layer_kind != 0) continue;
        if (ops[i].kind != ORR_OP_COLLECTIVE) window_s += costs[i].total_s;
        if (ops[i].group == ORR_GROUP_TP) window_s += costs[i].total_s - costs[i].hidden_s;
        if (ops[i].group == ORR_GROUP_CP) ring_s += costs[i].hidden_s;
        if (ops[i].group == ORR_GROUP_EP) experts_s += costs[i].total_s;
        if (ops[i].group == ORR_GROUP_EP) hidden_s += costs[i].hidden_s;
    }
    assert_true(ring_s > 0 && experts_s > window_s);
    assert_close(hidden_s, (1 - w->job.calibration.overlap_contention_frac) * (window_s - ring_s), 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_moves_all_tokens_for_every_expert),
        cmocka_unit_test(plain_routers_take_what_their_kernels_take),
        cmocka_unit_test(capacity_fixes_the_rows_of_experts),
        cmocka_unit_test(few_rows_are_read_by_clusters),
        cmocka_unit_test(experts_without_rows_take_time),
        cmocka_unit_test(a_walk_along_the_reduction_takes_time),
        cmocka_unit_test(a_shared_expert_joins_the_others),
        cmocka_unit_test(random_rows_fill_blocks_on_average),
        cmocka_unit_test(loops_and_streams_add_up),
        cmocka_unit_test(frameworks_launch_and_wait),
        cmocka_unit_test(decode_sends_a_copy_to_every_expert),
        cmocka_unit_test(limited_routers_reach_fewer_ranks),
        cmocka_unit_test(ranks_may_gather_all_tokens_of_their_group),
        cmocka_unit_test(biases_of_experts_are_eq_379),
        cmocka_unit_test(widening_follows_the_units_that_widen),
        cmocka_unit_test(compiled_experts_have_fixed_shapes),
        cmocka_unit_test(expert_transfers_leave_the_ring_its_compute),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
