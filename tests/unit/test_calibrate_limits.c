/* Calibration: rows no chip can have made are left out with a reason, rows that a boost or a cache explains are not. */
#define _POSIX_C_SOURCE 200809L
#include "fit.h"

/* An A100: 312 TFLOP/s in 16 bits, 2039 GB/s, a cache of 40 MiB, 300 GB/s of NVLink. 2 * 8192^3 FLOP take it 3.524 ms,
 * 2039 MB beyond the cache 1 ms, seven eighths of 2400 MB 7 ms, a message of 300 MB 1 ms. */
static void rows_faster_than_the_chip_are_left_out(void **state)
{
    static const struct {
        const char *kind, *header, *shape, *limit;
        double limit_s;
    } rows[] = {
        {"gemm", "m,n,k,dtype", "8192,8192,8192,bf16", "peak", 1099511627776.0 / 312e12},
        {"pointwise", "op,bytes", "add,2080943040", "DRAM bandwidth", 1e-3},
        {"allgather", "n_gpus,bytes", "8,2400000000", "the link", 7e-3},
        {"allreduce", "n_gpus,bytes", "8,2400000000", "the link", 7e-3},
        {"p2p", "n_gpus,bytes", "2,300000000", "the link", 1e-3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char csv[256], reason[64];
        struct orr_fit *fit = open_fit(*state, "a100-sxm-80gb");
        (void)snprintf(csv, sizeof csv, "%s,time_s\n%s,%.9g\n%s,%.9g\n", rows[i].header, rows[i].shape,
                       rows[i].limit_s / 1.09, rows[i].shape, rows[i].limit_s / 1.25);
        add(fit, rows[i].kind, csv);
        assert_null(fit->rows[0].left_out); /* the clock of a boost */
        assert_non_null(fit->rows[1].left_out);
        assert_false(fit->rows[1].fitted);
        assert_close(fit->rows[1].limit_frac, 1.25, 1e-6);
        run(fit);
        (void)snprintf(reason, sizeof reason, "faster than the chip: 1.25 of %s\n", rows[i].limit);
        for (int f = 0; f < 2; f++) {
            char *report = orr_fit_render(fit, f ? ORR_FORMAT_CSV : ORR_FORMAT_TERMINAL, NULL);
            assert_non_null(strstr(report, reason));
            free(report);
        }
        orr_fit_close(fit);
    }
}

/* What the cache holds, passes that need not reach DRAM and experts that may be idle rule nothing out. */
static void rows_a_cache_explains_are_kept(void **state)
{
    struct orr_fit *fit = open_fit(*state, "a100-sxm-80gb");
    add(fit, "pointwise", "op,bytes,time_s\nadd,41943040,4e-6\n");
    add(fit, "moe",
        "tokens,hidden,moe_ffn,experts,topk,tp,ep,gated,dtype,distribution,part,time_s\n"
        "32,7168,2048,256,8,1,1,1,bf16,power_law_1.2,all,3e-3\n"
        "32,7168,2048,256,8,1,1,1,bf16,balanced,all,3e-3\n"); /* 256 experts of 88 MB: 22.5 GB take 11 ms */
    assert_null(fit->rows[0].left_out);
    assert_null(fit->rows[1].left_out);
    assert_string_equal(fit->rows[2].limit, "DRAM bandwidth");
    orr_fit_close(fit);
}

/* Products of an H100 at 0.6 of its peak: as many impossible rows as good ones move nothing. */
static void impossible_rows_bend_nothing(void **state)
{
    static const int sizes[] = {512, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 7168, 8192, 10240, 12288};
    struct orr_calibration fitted[2];
    for (int bad = 0; bad < 2; bad++) {
        struct orr_fit *fit = open_fit(*state, "h100-sxm-80gb");
        for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes); i++) { /* 0.6 of 989 TFLOP/s, then ten times that */
            const double m = sizes[i / COUNT(sizes)], n = sizes[i % COUNT(sizes)];
            char csv[128];
            (void)snprintf(csv, sizeof csv, "m,n,k,dtype,mode,time_s\n%.0f,%.0f,4096,bf16,burst,%.9g\n", m, n,
                           3e-6 + 2 * m * n * 4096 / (0.6 * 989.4e12));
            add(fit, "gemm", csv);
            (void)snprintf(csv, sizeof csv, "m,n,k,dtype,mode,time_s\n%.0f,%.0f,4096,bf16,burst,%.9g\n", m, n,
                           2 * m * n * 4096 / (6 * 989.4e12));
            if (bad) add(fit, "gemm", csv);
        }
        run(fit);
        fitted[bad] = *fit_constants(fit);
        orr_fit_close(fit);
    }
    assert_true(fitted[0].gemm[ORR_DTYPE_BF16].burst_frac < 0.7); /* 0.6 and what tiles and waves take */
    assert_memory_equal(&fitted[1].gemm, &fitted[0].gemm, sizeof fitted[0].gemm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_faster_than_the_chip_are_left_out),
        cmocka_unit_test(rows_a_cache_explains_are_kept),
        cmocka_unit_test(impossible_rows_bend_nothing),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
