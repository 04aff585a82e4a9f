/* The roofline of the operator table (Eq. 96): intensities, ridge and crossover by hand, and the row they are printed
 * in. */
#include "printed.h"
#include "metric/roofline.h"

/* One request of Llama-2-13B, 200 tokens in, 200 out. */
static void read_13b(struct world *w, const char *system)
{
    read_job(
        w, "{'kind':'infer','model':'llama2-13b','system':'%s','gpus':1,'workload':{'input_len':200,'output_len':200}}",
        system);
}

/* A product m x k x n of 16-bit activations with weights of `weight_bytes` each. */
static struct orr_op product(double m, double k, double n, double weight_bytes)
{
    return (struct orr_op){.name = "product",
                           .kind = ORR_OP_GEMM,
                           .batch = 1,
                           .m = m,
                           .n = n,
                           .k = k,
                           .dtype = ORR_DTYPE_BF16,
                           .input_bytes = 2,
                           .weight_bytes = weight_bytes,
                           .output_bytes = 2};
}

/* Eq. 96: Llama-2-13B, 200 tokens; ridge of the A100 153, of the H100 295. */
static void intensities_of_the_method_reference(void **state)
{
    struct world *w = *state;
    static const struct {
        double m, k, n, intensity;
    } rows[] = {{200, 5120, 15360, 190}, {200, 128, 200, 56},     {200, 200, 128, 56},
                {200, 5120, 5120, 186},  {200, 5120, 27648, 191}, {200, 13824, 5120, 190}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct orr_op op = product(rows[i].m, rows[i].k, rows[i].n, 2);
        assert_near(orr_intensity(&op), rows[i].intensity, 0.5);
    }
    read_13b(w, "a100-80g-sxm");
    assert_near(orr_ridge(&w->job.system.chip, ORR_DTYPE_BF16), 153, 0.5);
    read_13b(w, "h100-sxm");
    assert_near(orr_ridge(&w->job.system.chip, ORR_DTYPE_BF16), 295, 0.5);
}

/* AI(M) = ridge with two bytes everywhere: M = R / (1 - R (1/N + 1/K)). */
static void crossover_by_hand(void **state)
{
    struct world *w = *state;
    const double ridge = 312e12 / 2.039e12; /* 153.016 */
    const struct orr_op qkv = product(1, 5120, 15360, 2), scores = product(200, 128, 200, 2);
    /* 153.016 / (1 - 153.016 (1/15360 + 1/5120)) = 153.016 / 0.960152 = 159.37 */
    assert_true(orr_crossover_m(&qkv, ridge) == 160);
    /* 153.016 (1/200 + 1/128) > 1: no number of rows reaches the ridge */
    assert_true(orr_crossover_m(&scores, ridge) == 0);
    /* int4 weights, 0.515625 B: 153.016 · 0.515625 / (2 · 0.960152) = 41.09 */
    const struct orr_op int4 = product(1, 5120, 15360, 0.515625);
    assert_true(orr_crossover_m(&int4, ridge) == 42);
    const double turns[] = {159, 160};
    for (size_t i = 0; i < 2; i++) { /* one row less is memory-bound, and the crossover is not */
        const struct orr_op op = product(turns[i], 5120, 15360, 2);
        assert_true((orr_intensity(&op) >= ridge) == (i == 1));
    }
    read_13b(w, "a100-80g-sxm");
    char *text = report_on(&w->job, ORR_FORMAT_OPS, &(struct orr_style){.width = 150});
    const char *row = strstr(strstr(text, "decode step"), "\n  attention.qkv");
    assert_non_null(row);
    char cells[13][24];
    assert_int_equal(
        sscanf(row, " attention.qkv %23s %23s %23s %23s %23s %23s %*s %23s %*s %23s %*s %23s %23s %*s %23s %23s",
               cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8], cells[9],
               cells[10], cells[11]),
        12);
    static const char *const expected[] = {"40", "1", "1", "15360", "5120", "157"};
    for (size_t i = 0; i < 6; i++) assert_string_equal(cells[i], expected[i]); /* count, batch, M, N, K, FLOP */
    assert_string_equal(cells[8], "1.0");                                      /* FLOP/B */
    assert_string_equal(cells[10], "dram");
    assert_string_equal(cells[11], "memory");
    assert_non_null(strstr(row, "160\n")); /* M* */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intensities_of_the_method_reference),
        cmocka_unit_test(crossover_by_hand),
    };
    return cmocka_run_group_tests_name("roofline", tests, open_world, close_world);
}
