/* Single facts of hardware, formats and engines that must reach a cost: each is changed alone, and the cost must change
 * by what the fact says. */
#include "serving.h"

#include "cost/cost.h"

/* ---------------------------------------------------------------- links */

/* Gradients of 16 replicas on two domains of 8: 15/16 of the payload, twice, over eight links each. Half the bisection
 * takes twice as long. */
static void oversubscription_divides_the_rate(void **state)
{
    struct world *w = *state;
    const struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                              .collective = ORR_COLLECTIVE_ALLREDUCE,
                              .group = ORR_GROUP_DP,
                              .payload_bytes = 16e9};
    struct orr_cost full, half;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':16,'workload':{'global_batch':16}}");
    orr_cost_collective(&w->job, &op, &full);
    w->job.system.scaleout_oversubscription = 2;
    orr_cost_collective(&w->job, &op, &half);
    const double out_bytes = 2 * 15.0 / 16 * 16e9 / 8;
    const double link = w->job.system.scaleout_bytes_per_s * w->job.system.scaleout_efficiency_frac;
    assert_close(half.network_s - 2 * w->job.system.scaleout_latency_s, 2 * out_bytes / link, 1e-12);
    assert_true(full.network_s < half.network_s);
}

/* ---------------------------------------------------------------- formats */

/* Weights narrower than the format they are multiplied in take 15 % of the matrix rate. */
static void widening_takes_matrix_rate(void **state)
{
    struct world *w = *state;
    struct orr_op op = {.kind = ORR_OP_GEMM,
                        .batch = 1,
                        .m = 16384,
                        .n = 8192,
                        .k = 8192,
                        .dtype = ORR_DTYPE_BF16,
                        .input_bytes = 2,
                        .weight_bytes = 2,
                        .output_bytes = 2,
                        .flops = 2.0 * 16384 * 8192 * 8192};
    struct orr_cost wide, narrow;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'input_len':10,'output_len':2}}");
    w->job.calibration.gemm[ORR_DTYPE_BF16].wave_s = 0;
    orr_cost_gemm(&w->job, &op, &wide);
    op.weight_bytes = 0.5;
    orr_cost_gemm(&w->job, &op, &narrow);
    assert_close(wide.compute_s / narrow.compute_s, 0.85, 1e-9);
}

/* The same kernel on a cache of 8 bits reads half as much: long contexts take half as long, launches aside. */
static void a_narrow_cache_is_read_twice_as_fast(void **state)
{
    struct world *w = *state;
    double attention_s[2];
    for (int narrow = 0; narrow < 2; narrow++) {
        read_job(w,
                 "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','kv_precision':"
                 "'%s','batch':64,'input_len':60000,'output_len':2}}",
                 narrow ? "fp8" : "bf16");
        struct orr_decode_constants *constants = w->job.calibration.decode[w->job.engine.decode_kernel];
        constants[1] = constants[0];
        attention_s[narrow] = infer(w, &w->job).time_s[ORR_INFER_DECODE_ATTENTION];
    }
    assert_close(attention_s[1] / attention_s[0], 0.5, 0.02);
}

/* ---------------------------------------------------------------- kernels */

/* llama2-7b has 32 key-value heads, an H100 132 SMs: one sequence is cut over the idle ones, three (96 heads) leave no
 * room for a second block of each. */
static void contexts_are_cut_over_idle_sms_only(void **state)
{
    struct world *w = *state;
    for (int batch = 1; batch <= 3; batch += 2) {
        read_job(w,
                 "{'kind':'infer','model':'llama2-7b','system':'h100-sxm','workload':{'engine':'vllm','batch':%d,"
                 "'input_len':20000,'output_len':2}}",
                 batch);
        w->job.engine.split_kv = true;
        const double cut_s = infer(w, &w->job).time_s[ORR_INFER_DECODE_ATTENTION];
        w->job.engine.split_kv = false;
        const double whole_s = infer(w, &w->job).time_s[ORR_INFER_DECODE_ATTENTION];
        if (batch == 1) assert_true(cut_s < 0.8 * whole_s);
        else assert_close(cut_s, whole_s, 0);
    }
}

/* A layer's norms, rotary positions and activation take their least time, however few bytes they move. */
static void small_kernels_take_their_least_time(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','input_len':10,"
                "'output_len':11}}");
    struct orr_engine *engine = &w->job.engine;
    engine->pointwise_floor_s = 7e-6;
    const double embedding_s = 2e-5; /* far more than 1 row of 4096 elements and its launch */
    const double least_s = 32 * (double)engine->layer_pointwise_kernels * 7e-6;
    const double time_s = infer(w, &w->job).time_s[ORR_INFER_DECODE_POINTWISE] / 10;
    assert_true(time_s >= least_s && time_s < least_s + embedding_s);
}

/* Three drafts and the token before them of four sequences meet the head: sixteen rows. */
static void drafted_tokens_meet_the_head(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','batch':4,"
                "'input_len':100,'output_len':20,'draft_model':'llama3.2-1b','draft_tokens':3}}");
    (void)infer(w, &w->job);
    const struct orr_op *head = phase_op(w, ORR_PHASE_DECODE, "head", NULL);
    assert_non_null(head);
    assert_close(head->m, 16, 0);
    assert_close(head->flops, 2 * 16 * 4096.0 * 128256, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oversubscription_divides_the_rate),    cmocka_unit_test(widening_takes_matrix_rate),
        cmocka_unit_test(a_narrow_cache_is_read_twice_as_fast), cmocka_unit_test(contexts_are_cut_over_idle_sms_only),
        cmocka_unit_test(small_kernels_take_their_least_time),  cmocka_unit_test(drafted_tokens_meet_the_head),
    };
    return cmocka_run_group_tests_name("rates", tests, open_world, close_world);
}
