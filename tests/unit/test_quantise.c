/* What serving engines do before products of few bits: kernels that find a scale for every row of their input, alone
 * or as a part of norms and activations (Eq. 397), and rows that stay as they are (Eq. 398). Expected values are worked
 * out in the comments. */
#include "serving.h"

#include <math.h>

#include "cost/cost.h"
#include "ops/serve.h"

/* Seconds of the n-th kernel that quantises before a product of a decode step of one sequence; 0: there is none. */
static double quantise_s(struct world *w, int n)
{
    static struct orr_op_list list;
    struct orr_serve_shape shape = {.decode_sequences = 1, .decode_context = 100, .queries = 1};
    struct orr_cost cost;
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_DECODE, &list);
    for (size_t i = 0; i < list.n; i++) {
        if (list.items[i].layer_kind < 0 || strcmp(list.items[i].name, "quantise") != 0 || n-- > 0) continue;
        orr_cost_one(&w->job, &list.items[i], &cost);
        return cost.total_s;
    }
    return 0;
}

static void read_rows(struct world *w, const char *precision, int tp)
{
    char request[300];
    (void)snprintf(request, sizeof request,
                   "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','plan':{'tp':%d},'workload':{'batch':1,"
                   "'input_len':100,'output_len':10,'engine':'vllm-0.9','precision':'%s'}}", tp, precision);
    read_job(w, "%s", request);
    w->job.calibration.pointwise_launch_s = 5e-6;
    w->job.calibration.quantise_launch_s = 2e-6;
    w->job.calibration.quantise_walk_s = 1e-6;
    w->job.calibration.pointwise_frac[ORR_POINTWISE_CAST] = 1;
    w->job.system.chip.hbm_bytes_per_s = 3e12;
}

/* Eq. 397: rows of 4,096 elements are walked in one piece, the 14,336 between the matrices of the FFN in four. An
 * element moves 3 bytes, so that 4,096 take 4.096 ns at 3 TB/s and 14,336 take 14.336 ns. */
static void rows_are_walked_for_their_scales(void **state)
{
    struct world *w = *state;
    read_rows(w, "fp8", 1);
    for (int i = 0; i < 3; i++) assert_close(quantise_s(w, i), 3e-6 + 4.096e-9, 1e-12);
    assert_close(quantise_s(w, 3), 6e-6 + 14.336e-9, 1e-12);
    assert_close(quantise_s(w, 4), 0, 0);
    w->job.calibration.quantise_launch_s = 0; /* a chip without such a timing: any small kernel */
    assert_close(quantise_s(w, 3), 5e-6 + 14.336e-9, 1e-12);
    read_rows(w, "fp8", 1);
    w->job.engine.row_scales = false;
    assert_close(quantise_s(w, 3), 5e-6 + 14.336e-9, 1e-12);
    read_rows(w, "fp8-block", 1); /* in constants of their products */
    assert_close(quantise_s(w, 3), 5e-6 + 14.336e-9, 1e-12);
}

/* Four kernels quantise: after two norms, attention and activation. Compilers join some with what is before them. */
static void norms_and_activations_join_the_quantisation(void **state)
{
    static const struct {
        const char *joined;
        int tp, left;
    } CASES[] = {{"", 1, 4}, {"norm", 1, 2}, {"activation", 2, 3}, {"norm activation", 2, 1},
                 {"norm-alone activation", 1, 1}, {"norm-alone activation", 2, 3}};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_rows(w, "fp8", CASES[i].tp);
        char *joined = w->job.engine.fused_quantisation;
        (void)snprintf(joined, sizeof w->job.engine.fused_quantisation, "%s", CASES[i].joined);
        assert_true(quantise_s(w, CASES[i].left - 1) > 0);
        assert_close(quantise_s(w, CASES[i].left), 0, 0);
    }
    read_rows(w, "fp8-block", 1);
    (void)snprintf(w->job.engine.fused_quantisation, sizeof w->job.engine.fused_quantisation, "norm activation");
    assert_true(quantise_s(w, 3) > 0);
}

/* Eq. 398: 8 experts of one row, 1024 x 512 weights of half a byte, on round constants: 1 TB/s, tiles without a fixed
 * time on 100 SMs of 10 TFLOP/s, half of which the kernel reaches. Bytes: 8·(1024·2 + 1024·512/2 + 512·2) = 2,121,728
 * with rows of 16 bits. A tile of 16 x 64 takes 2·(2·16·64·1024·100/1e15) = 0.4194304 us, and 64 of them are one
 * round. */
static void mxfp4_may_keep_rows_of_16_bits(void **state)
{
    static const char REQUEST[] = "{'kind':'infer','model':'gpt-oss-120b','system':'b200-sxm','plan':{},'workload':"
                                  "{'batch':1,'input_len':100,'output_len':10,'engine':'%s'}}";
    struct world *w = *state;
    struct orr_op op = {.kind = ORR_OP_GROUPED, .dtype = ORR_DTYPE_BF16, .batch = 8, .m = 1, .n = 512, .k = 1024};
    struct orr_cost cost;
    read_job(w, REQUEST, "tensorrt-llm-1.2");
    assert_int_equal(w->job.serving.matrix, ORR_DTYPE_FP8);
    read_job(w, REQUEST, "vllm-0.11");
    assert_int_equal(w->job.serving.matrix, ORR_DTYPE_BF16);
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    w->job.system.chip.n_sm = 100;
    w->job.system.chip.hbm_bytes_per_s = 1e12;
    w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 1e15;
    u->burst_frac = u->grouped_gen_dram_frac = 1;
    u->grouped_gen_frac = 0.5;
    u->grouped_gen_tile_s = 0;
    u->grouped_gen_launch_s = 8e-6;
    op.input_bytes = op.output_bytes = 2;
    op.weight_bytes = 0.5;
    op.flops = 2 * op.batch * op.m * op.n * op.k;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(0.4194304e-6, 1.5) + pow(2.121728e-6, 1.5), 2.0 / 3) + 8e-6, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_walked_for_their_scales),
        cmocka_unit_test(norms_and_activations_join_the_quantisation),
        cmocka_unit_test(mxfp4_may_keep_rows_of_16_bits),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
