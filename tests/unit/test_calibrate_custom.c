/* Calibration of all-reduces that are not a library's: of two backends the faster one is the engine's, its constants
 * meet the rows, and tables that say nothing about it are left out with a reason. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <jansson.h>

#include "fit.h"

/* Rows of an all-reduce in two shots: 8 us, and what a rank sends and receives at a share of 450 GB/s. */
static double two_shot_s(double ranks, double bytes, double share)
{
    return 8e-6 + 2 * (ranks - 1) / ranks * bytes / (share * 450e9);
}

static size_t add_rows(char *csv, size_t size, const char *backend, double share, double extra_s)
{
    size_t length = 0;
    for (int ranks = 2; ranks <= 8; ranks *= 2)
        for (double bytes = 1 << 12; bytes < 1 << 26; bytes *= 1.4)
            length += (size_t)snprintf(csv + length, size - length, "%d,%.0f,bf16,%.9g,%s\n", ranks, bytes,
                                       extra_s + two_shot_s(ranks, bytes, share), backend);
    assert_true(length < size);
    return length;
}

static void the_faster_backend_is_fitted(void **state)
{
    static char csv[16384];
    struct orr_fit *fit = open_fit(*state, "h100-sxm-80gb");
    size_t length = (size_t)snprintf(csv, sizeof csv, "n_gpus,bytes,dtype,time_s,backend\n");
    length += add_rows(csv + length, sizeof csv - length, "oneshot", 0.6, 0);
    (void)add_rows(csv + length, sizeof csv - length, "slower", 0.2, 20e-6);
    add(fit, "allreduce", csv);
    run(fit);
    size_t n_fast = 0;
    double worst = 0;
    for (size_t i = 0; i < fit->n_rows; i++) {
        const struct orr_kernel_row *row = &fit->rows[i];
        if (strcmp(row->backend, "slower") == 0) {
            assert_false(row->fitted);
            continue;
        }
        assert_true(row->fitted);
        n_fast++;
        worst = fmax(worst, fabs(log(row->after_s / row->measured_s)));
    }
    print_message("# worst of %zu rows: %.1f %%\n", n_fast, 100 * (exp(worst) - 1));
    assert_int_equal(n_fast, fit->n_rows / 2);
    assert_true(worst < log(1.35));
    char *json = NULL;
    struct orr_error error;
    if (orr_fit_file(fit, "2026-01-01", &json, &error)) fail_msg("%s", error.text);
    assert_non_null(strstr(json, "\"custom\": true"));
    free(json);
    orr_fit_close(fit);
}

/* No all-reduce of an engine's own was measured on a Gaudi 2: its rows make two lines, one shot and two. */
static void lines_are_begun_where_there_are_none(void **state)
{
    static char csv[16384];
    struct orr_fit *fit = open_fit(*state, "gaudi2-96gb");
    const int64_t n_before = fit->job.calibration.n_lines;
    for (int64_t i = 0; i < n_before; i++) assert_false(fit->job.calibration.lines[i].custom);
    size_t length = (size_t)snprintf(csv, sizeof csv, "n_gpus,bytes,dtype,time_s,backend\n");
    for (double bytes = 1 << 12; bytes < 1 << 26; bytes *= 1.4) /* all links of the mesh: eight ranks */
        length += (size_t)snprintf(csv + length, sizeof csv - length, "8,%.0f,bf16,%.9g,quick\n", bytes,
                                   two_shot_s(8, bytes, 0.5));
    add(fit, "allreduce", csv);
    run(fit);
    const struct orr_calibration *now = fit_constants(fit);
    assert_int_equal(now->n_lines, n_before + 2);
    assert_int_equal(now->lines[n_before].algorithm, ORR_ALGORITHM_ONESHOT);
    assert_int_equal(now->lines[n_before + 1].algorithm, ORR_ALGORITHM_TWOSHOT);
    double worst = 0;
    for (size_t i = 0; i < fit->n_rows; i++)
        worst = fmax(worst, fabs(log(fit->rows[i].after_s / fit->rows[i].measured_s)));
    print_message("# worst of %zu rows: %.1f %%\n", fit->n_rows, 100 * (exp(worst) - 1));
    assert_true(worst < log(1.35));
    orr_fit_close(fit);
}

static void others_are_left_out(void **state)
{
    struct orr_fit *fit = open_fit(*state, "h100-sxm-80gb");
    add(fit, "allgather", "n_gpus,bytes,dtype,time_s,backend\n8,1048576,bf16,1e-4,mine\n");
    assert_string_equal(fit->rows[0].left_out, "no constants of this library's kernel");
    add(fit, "allreduce",
        "n_gpus,bytes,dtype,time_s,backend\n16,1048576,bf16,1e-4,nccl\n8,1048576,fp32,1e-4,nccl\n"
        "8,1048576,bf16,1e-4,nccl eager\n");
    assert_string_equal(fit->rows[1].left_out, "more ranks than the scale-up domain has GPUs");
    assert_null(fit->rows[2].left_out);
    assert_false(fit->rows[2].fitted); /* sums in 32 bits move twice the bytes of what engines send */
    assert_false(fit->rows[3].fitted);
    orr_fit_close(fit);
}

/* The file of an A100 has no constants of FlashAttention's decode kernel: it takes those of serving kernels. Once one
 * of them was fitted, the written file has all of both widths, and the fitted one among them. */
static void kernels_with_stand_ins_are_written_whole(void **state)
{
    struct orr_fit *fit = open_fit(*state, "a100-sxm-80gb");
    char *before = file_of(fit);
    assert_null(strstr(before, "\"flash\": {"));
    fit->job.calibration.decode[ORR_DECODE_FLASH][0].launch_s = 12.5e-6;
    char *json = file_of(fit);
    json_t *root = json_loads(json, 0, NULL);
    const json_t *flash = json_object_get(json_object_get(root, "decode"), "flash");
    const json_t *wide = json_object_get(flash, "16"), *narrow = json_object_get(flash, "8");
    assert_close(json_number_value(json_object_get(wide, "launch_s")), 12.5e-6, 1e-12);
    const struct orr_decode_constants *paged = fit->before.decode[ORR_DECODE_PAGED];
    assert_close(json_number_value(json_object_get(wide, "dram_frac")), paged[0].dram_frac, 1e-12);
    assert_close(json_number_value(json_object_get(narrow, "launch_s")), paged[1].launch_s, 1e-12);
    assert_null(json_object_get(json_object_get(root, "decode"), "flash_wide"));
    json_decref(root);
    free(before);
    free(json);
    orr_fit_close(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_with_stand_ins_are_written_whole),
                                       cmocka_unit_test(the_faster_backend_is_fitted),
                                       cmocka_unit_test(lines_are_begun_where_there_are_none),
                                       cmocka_unit_test(others_are_left_out)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
