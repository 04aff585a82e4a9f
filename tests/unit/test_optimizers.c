/* What optimizers keep and do: states per parameter, and the products of Muon. Expected values are worked out by hand.
 * */
#include "support.h"

#include "ops/muon.h"

static void ask(struct world *w, const char *optimizer, int gpus, int zero)
{
    read_job(w,
             "{'kind':'train','model':'llama3-8b','system':'h200-sxm','gpus':%d,'plan':{'zero':%d},'workload':{"
             "'optimizer':'%s','seq':1024,'micro_batch':1,'global_batch':%d,'engine':'pytorch-eager'}}",
             gpus, zero, optimizer, gpus);
    train(w);
}

static double states_of(const struct world *w)
{
    const double *parts = w->result.memory.part_bytes;
    return parts[ORR_MEMORY_WEIGHTS] + parts[ORR_MEMORY_GRADIENTS] + parts[ORR_MEMORY_OPTIMIZER];
}

/* Llama-3-8B has 8,030,261,248 parameters. In pure bf16 AdamW takes 2 + 2 + 4 bytes of each: 59.83 GiB. Two 8-bit
 * moments with 4 bytes of scale per 256 elements each take 2.03125, all together 45.10 GiB; Adafactor and SGD keep
 * weights and gradients only: 29.91 GiB; fp32 states 2 + 4 + 12 = 18 bytes: 134.6 GiB. */
static void states_per_parameter(void **state)
{
    struct world *w = *state;
    const struct {
        const char *name;
        double bytes;
    } rows[] = {{"adamw-bf16", 8}, {"adamw-8bit", 6.03125}, {"adafactor", 4}, {"sgd", 4}, {"sgd-momentum", 6}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        ask(w, rows[i].name, 1, 0);
        assert_close(states_of(w), rows[i].bytes * 8030261248.0, 1e-9);
    }
    ask(w, "adamw-bf16", 1, 0);
    assert_close(states_of(w) / GIB, 59.83, 1e-3);
}

/* The layers of Llama-3-8B have 32 times: q and o 4096 x 4096, k and v 1024 x 4096, gate, up and down 4096 x 14336.
 * That is 7 matrices and 218,103,808 parameters of a layer, 6,979,321,856 in all; the other 1,050,939,392 have AdamW.
 * */
static void muon_keeps_one_momentum_of_matrices(void **state)
{
    struct world *w = *state;
    ask(w, "muon", 8, 1);
    const struct orr_stage *stage = &w->scratch->classes.items[0].stage;
    const struct orr_matrices matrices = orr_matrices_of(&w->job, stage);
    assert_int_equal(matrices.n, 3);
    assert_close(matrices.count, 7 * 32, 0);
    assert_close(matrices.params, 6979321856.0, 0);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_OPTIMIZER], (8 * 6979321856.0 + 12 * 1050939392.0) / 8, 1e-9);
    ask(w, "muon-bf16", 1, 0);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_OPTIMIZER], 2 * 6979321856.0 + 4 * 1050939392.0, 1e-9);
}

static double product_flops(const struct world *w)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    double flops = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(ops[i].name, "muon.", 5) == 0) flops += ops[i].count * ops[i].flops;
    return flops;
}

/* 5·(4 m² n + 2 m³) FLOP of an m x n matrix: 4096 x 4096: 2.0616e12; 1024 x 4096: 9.6637e10; 4096 x 14336: 5.4976e12. A
 * layer has 2, 2 and 3 of them, 32 layers 6.6589e14 FLOP in all. Eight ranks that share the states do an eighth each;
 * 1024 ranks share 224 matrices, so that each works on one on average. */
static void newton_schulz_is_products(void **state)
{
    struct world *w = *state;
    const double layer = 2 * 5 * 6 * pow(4096, 3) + 2 * 5 * (4.0 * 1024 * 1024 * 4096 + 2 * pow(1024, 3)) +
                         3 * 5 * (4.0 * 4096 * 4096 * 14336 + 2 * pow(4096, 3));
    assert_close(32 * layer, 6.6589e14, 1e-3);
    ask(w, "muon", 8, 0);
    assert_close(product_flops(w), 32 * layer, 1e-12);
    assert_null(find_op(w, ORR_LAYER_STEP, "muon.gather"));
    const double all_s = w->result.time_s[ORR_TIME_OPTIMIZER];
    ask(w, "muon", 8, 1);
    assert_close(product_flops(w), 32 * layer / 8, 1e-12);
    assert_close(need_op(w, ORR_LAYER_STEP, "muon.gather")->payload_bytes, 2 * 6979321856.0 / 224, 1e-12);
    assert_true(w->result.time_s[ORR_TIME_OPTIMIZER] < all_s / 4);
    ask(w, "muon", 1024, 1);
    assert_close(product_flops(w), 32 * layer / 224, 1e-12);
    /* at 0.8 of 989 TFLOP/s and more, the products alone take 0.84 s on a rank that does them all */
    assert_true(all_s > 6.6589e14 / 989e12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_per_parameter),
        cmocka_unit_test(muon_keeps_one_momentum_of_matrices),
        cmocka_unit_test(newton_schulz_is_products),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
