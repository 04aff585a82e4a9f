/* What is summed, scattered and gathered over which ranks once per iteration: dense weights over all replicas, experts
 * over the ranks that hold the same experts. Mixtral 8x7B: an expert has 3 * 4096 * 14336 parameters. */
#include "support.h"

#define EXPERT  (3.0 * 4096 * 14336)
#define LAYERS  32.0
#define DENSE   (46702792704.0 - LAYERS * 8 * EXPERT) /* everything but the experts, ends included */
#define EXPERTS (LAYERS * 2 * EXPERT)                 /* of one rank of ep 4 */

/* 8 GPUs, ep 4: two ranks hold the same experts. Three micro-batches. */
static void read_mixtral(struct world *w, int zero)
{
    read_job(w,
             "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{'ep':4,'zero':%d},"
             "'workload':{'engine':'megatron-core-2025','seq':1024,'micro_batch':1,'global_batch':24}}",
             zero);
    train(w);
}

/* Payload of all collectives of that kind, group and name's beginning, times how often they run. */
static double payload_bytes(const struct world *w, enum orr_group group, enum orr_collective collective,
                            const char *name)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    double bytes = 0;
    for (size_t i = 0; i < n; i++)
        if (ops[i].kind == ORR_OP_COLLECTIVE && ops[i].group == group && ops[i].collective == collective &&
            strncmp(ops[i].name, name, strlen(name)) == 0)
            bytes += ops[i].count * ops[i].payload_bytes;
    return bytes;
}

static void plain_replicas_sum_gradients(void **state)
{
    struct world *w = *state;
    read_mixtral(w, 0);
    const double reduce = (double)w->job.engine.reduce_bytes;
    assert_close(payload_bytes(w, ORR_GROUP_DP, ORR_COLLECTIVE_ALLREDUCE, "dp."), DENSE * reduce, 1e-12);
    assert_close(payload_bytes(w, ORR_GROUP_EDP, ORR_COLLECTIVE_ALLREDUCE, "dp."), EXPERTS * reduce, 1e-12);
}

/* Stage 1 scatters once, stage 2 after each of three micro-batches; both gather 16-bit weights. */
static void sharded_optimizers_scatter_and_gather(void **state)
{
    struct world *w = *state;
    for (int zero = 1; zero <= 2; zero++) {
        read_mixtral(w, zero);
        const double times = zero == 2 ? 3 : 1, reduce = (double)w->job.engine.reduce_bytes;
        assert_int_equal(w->result.n_micro_batches, 3);
        assert_close(payload_bytes(w, ORR_GROUP_DP, ORR_COLLECTIVE_REDUCESCATTER, "dp."), times * DENSE * reduce,
                     1e-12);
        assert_close(payload_bytes(w, ORR_GROUP_EDP, ORR_COLLECTIVE_REDUCESCATTER, "dp."), times * EXPERTS * reduce,
                     1e-12);
        assert_close(payload_bytes(w, ORR_GROUP_DP, ORR_COLLECTIVE_ALLGATHER, "dp."), 2 * DENSE, 1e-12);
        assert_close(payload_bytes(w, ORR_GROUP_EDP, ORR_COLLECTIVE_ALLGATHER, "dp."), 2 * EXPERTS, 1e-12);
    }
}

/* Stage 3: a layer's two experts are gathered in forward and in backward over the two ranks that hold them. */
static void sharded_weights_are_gathered_by_layer(void **state)
{
    struct world *w = *state;
    read_mixtral(w, 3);
    assert_close(payload_bytes(w, ORR_GROUP_EDP, ORR_COLLECTIVE_ALLGATHER, "zero."), 2 * 2 * 2 * EXPERT, 1e-12);
    assert_close(payload_bytes(w, ORR_GROUP_EDP, ORR_COLLECTIVE_REDUCESCATTER, "zero."),
                 2 * EXPERT * (double)w->job.engine.reduce_bytes, 1e-12);
}

/* All experts on one rank of the group each: nothing of theirs is summed, so the step is as short as if their gradients
 * were free. */
static void lone_experts_are_not_summed(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{'ep':8,'zero':0},"
                "'workload':{'engine':'megatron-core-2025','seq':1024,'global_batch':8}}");
    train(w);
    assert_close(payload_bytes(w, ORR_GROUP_EDP, ORR_COLLECTIVE_ALLREDUCE, "dp."), 0, 0);
    const double link_s = DENSE * (double)w->job.engine.reduce_bytes / w->job.system.scaleup_bytes_per_s;
    const double seen_s = w->result.time_s[ORR_TIME_DP_EXPOSED] + w->result.hidden_s[ORR_GROUP_DP];
    assert_true(seen_s > 7.0 / 8 * link_s && seen_s < 4 * link_s); /* experts would take nine times the dense part */
}

/* The optimizer steps a rank's shard: dense weights over 8 ranks, experts over 2; 36 bytes at most of every one. */
static void the_optimizer_steps_its_shard(void **state)
{
    struct world *w = *state;
    double traffic_s[2];
    for (int zero = 0; zero <= 1; zero++) {
        read_mixtral(w, zero);
        traffic_s[zero] = w->result.time_s[ORR_TIME_OPTIMIZER];
    }
    const double whole = DENSE + EXPERTS, shard = DENSE / 8 + EXPERTS / 2;
    assert_close(traffic_s[1] / traffic_s[0], shard / whole, 1e-3); /* and launches */
}

/* Stages of ZeRO in the memory: optimizer states over the same ranks. */
static void states_are_sharded_over_their_ranks(void **state)
{
    struct world *w = *state;
    for (int zero = 0; zero <= 3; zero++) {
        read_mixtral(w, zero);
        const double whole = DENSE + EXPERTS, shard = DENSE / 8 + EXPERTS / 2;
        const double state_bytes = (double)w->job.engine.optimizer_bytes;
        assert_close(w->result.memory.part_bytes[ORR_MEMORY_OPTIMIZER], state_bytes * (zero > 0 ? shard : whole),
                     1e-12);
        assert_close(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * (zero > 2 ? shard : whole), 1e-12);
    }
}

/* gpt-22b, tied: a rank of tp 8 holds 51200 / 8 rows of 6144, on the first stage and on the last; two bytes each. */
static void tied_copies_sum_their_gradients(void **state)
{
    struct world *w = *state;
    for (int pp = 1; pp <= 4; pp *= 2) {
        read_job(w,
                 "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8,'pp':%d},'workload':{"
                 "'engine':'megatron-lm-2022','micro_batch':1,'global_batch':8}}",
                 pp);
        train(w);
        assert_close(payload_bytes(w, ORR_GROUP_PP, ORR_COLLECTIVE_P2P, "embedding."), pp > 1 ? 6400.0 * 6144 * 2 : 0,
                     1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_replicas_sum_gradients),
        cmocka_unit_test(sharded_optimizers_scatter_and_gather),
        cmocka_unit_test(sharded_weights_are_gathered_by_layer),
        cmocka_unit_test(lone_experts_are_not_summed),
        cmocka_unit_test(the_optimizer_steps_its_shard),
        cmocka_unit_test(states_are_sharded_over_their_ranks),
        cmocka_unit_test(tied_copies_sum_their_gradients),
    };
    return cmocka_run_group_tests_name("gradients", tests, open_world, close_world);
}
