/* A product's cost is taken over from an earlier one only if all that sets it is the same: in a list with other
 * products before it, every product costs what it costs alone. */
#include "support.h"

#include "cost/cost.h"

/* A product of 64 rows with 4096 x 4096 weights, DRAM-bound. */
static struct orr_op product(void)
{
    return (struct orr_op){.name = "product",
                           .kind = ORR_OP_GEMM,
                           .phase = ORR_PHASE_DECODE,
                           .count = 1,
                           .batch = 1,
                           .m = 64,
                           .n = 4096,
                           .k = 4096,
                           .dtype = ORR_DTYPE_BF16,
                           .input_bytes = 2,
                           .weight_bytes = 2,
                           .output_bytes = 2,
                           .flops = 2.0 * 64 * 4096 * 4096,
                           .launches = 1,
                           .window_op = -1};
}

/* Each differs from the first in one respect, or in its shape alone. */
static size_t list_products(struct orr_op *ops)
{
    size_t n = 0;
    ops[n++] = product();
    ops[n] = product();
    ops[n++].weight_bytes = 0.5;
    ops[n] = product();
    ops[n++].output_bytes = 8;
    ops[n] = product();
    ops[n].k = 16384;
    ops[n++].flops *= 4;
    ops[n] = product();
    ops[n].n = 16384;
    ops[n++].flops *= 4;
    ops[n] = product();
    ops[n].m = 4096;
    ops[n++].flops *= 64;
    ops[n] = product();
    ops[n].batch = 8;
    ops[n++].flops *= 8;
    ops[n] = product();
    ops[n].kind = ORR_OP_GROUPED;
    ops[n++].batch = 1;
    ops[n] = product();
    ops[n++].dtype = ORR_DTYPE_FP8;
    /* as many FLOP in another shape */
    ops[n] = product();
    ops[n].m = 1024;
    ops[n++].n = 256;
    ops[n] = product();
    ops[n].m = 4096;
    ops[n++].k = 64;
    ops[n] = product();
    ops[n].batch = 64;
    ops[n++].m = 1;
    return n;
}

static void a_list_costs_what_its_products_cost_alone(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list, lone;
    static struct orr_cost costs[ORR_MAX_OPS], alone;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'input_len':10,'output_len':2}}");
    list.n = list_products(list.items);
    for (size_t i = list.n; i < 2 * list.n; i++) list.items[i] = list.items[i - list.n]; /* and all of them again */
    list.n *= 2;
    orr_cost_range(&w->job, &list, 0, costs);
    for (size_t i = 0; i < list.n; i++) {
        lone.n = 1;
        lone.items[0] = list.items[i];
        orr_cost_range(&w->job, &lone, 0, &alone);
        assert_close(costs[i].total_s, alone.total_s, 0);
        assert_close(costs[i].dram_bytes, alone.dram_bytes, 0);
        if (i > 0 && i < list.n / 2) assert_true(fabs(costs[i].total_s / costs[0].total_s - 1) > 1e-3);
    }
}

/* 4096 x 4096 weights of half a byte and of two: 8 MB against 32 MB at 3.35 TB/s. */
static void narrow_weights_are_read_faster(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    struct orr_cost costs[2];
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'input_len':10,'output_len':2}}");
    list.n = 2;
    list.items[0] = list.items[1] = product();
    list.items[1].weight_bytes = 0.5;
    orr_cost_range(&w->job, &list, 0, costs);
    const double less = costs[0].dram_bytes - costs[1].dram_bytes; /* partial sums of a cut product aside */
    assert_true(less > 1.2 * 4096 * 4096 && less <= 1.5 * 4096 * 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_costs_what_its_products_cost_alone),
        cmocka_unit_test(narrow_weights_are_read_faster),
    };
    return cmocka_run_group_tests_name("memo", tests, open_world, close_world);
}
