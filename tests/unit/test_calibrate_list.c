/* The list of calibration constants: nothing is lost between structs, files and documentation. */
#define _POSIX_C_SOURCE 200809L
#include "fit.h"

/* Numbers of a struct that has nothing but numbers, each a little smaller; those that are zero a little larger. */
static void shrink(void *numbers, size_t bytes)
{
    double *number = numbers;
    for (size_t i = 0; i < bytes / sizeof *number; i++) number[i] = number[i] > 0 ? 0.97 * number[i] : 1e-6;
}

static void assert_same_numbers(const void *a, const void *b, size_t bytes)
{
    const double *one = a, *two = b;
    for (size_t i = 0; i < bytes / sizeof *one; i++) assert_close(one[i], two[i], 1e-9);
}
#define ASSERT_SAME(a, b, member) assert_same_numbers((a)->member, (b)->member, sizeof(a)->member)

/* Whatever changes, member by member of the structs and not of any list, is in the file and comes back from it. */
static void every_constant_is_written_and_read(void **state)
{
    struct orr_fit *fit = open_fit(*state, "h100-sxm-80gb");
    struct orr_calibration *now = &fit->job.calibration;
    for (int d = 0; d < ORR_N_DTYPES; d++)
        if (now->gemm[d].burst_frac > 0) shrink(&now->gemm[d], sizeof now->gemm[d]);
    for (int k = 0; k < ORR_N_ATTENTION_KERNELS; k++)
        if (now->attention[k].forward_frac > 0) shrink(&now->attention[k], sizeof now->attention[k]);
    shrink(now->decode, sizeof now->decode);
    shrink(now->mla_decode, sizeof now->mla_decode);
    const size_t scalars = offsetof(struct orr_calibration, n_lines) - offsetof(struct orr_calibration, pointwise_frac);
    shrink(now->pointwise_frac, scalars);
    for (int64_t i = 0; i < now->n_lines; i++) {
        now->lines[i].base_s *= 0.97;
        now->lines[i].hop_s *= 0.97;
        shrink(now->lines[i].efficiency_frac, (size_t)now->lines[i].n_points * sizeof(double));
    }
    char *json = file_of(fit);
    const struct orr_calibration *read = read_back(json);
    ASSERT_SAME(now, read, gemm);
    ASSERT_SAME(now, read, attention);
    ASSERT_SAME(now, read, decode);
    ASSERT_SAME(now, read, mla_decode);
    assert_same_numbers(now->pointwise_frac, read->pointwise_frac, scalars);
    assert_int_equal(now->n_lines, read->n_lines);
    for (int64_t i = 0; i < now->n_lines; i++) {
        assert_int_equal(now->lines[i].collective, read->lines[i].collective);
        assert_int_equal(now->lines[i].algorithm, read->lines[i].algorithm);
        assert_int_equal(now->lines[i].custom, read->lines[i].custom);
        assert_int_equal(now->lines[i].low_latency, read->lines[i].low_latency);
        assert_close(now->lines[i].base_s, read->lines[i].base_s, 1e-9);
        assert_close(now->lines[i].hop_s, read->lines[i].hop_s, 1e-9);
        ASSERT_SAME(&now->lines[i], &read->lines[i], ranks);
        ASSERT_SAME(&now->lines[i], &read->lines[i], efficiency_frac);
    }
    free(json);
    orr_fit_close(fit);
}

/* What the fitter may find, a file may hold; and docs/formats.md has every constant. */
static void the_list_is_sound(void **state)
{
    (void)state;
    char *docs = read_text("docs/formats.md"), name[64];
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++) {
        const struct orr_constant *c = &orr_constants[i];
        (void)snprintf(name, sizeof name, c->home == ORR_HOME_CALIBRATION ? "`%s" : "`.%s`", c->key);
        if (!strstr(docs, name)) fail_msg("docs/formats.md has no %s`", name);
        assert_true(c->min < c->max);
        if (c->group == ORR_FIT_NONE) continue;
        if (c->fit_min < c->min || c->fit_max > c->max) fail_msg("%s: fitted beyond what a file may hold", c->key);
        assert_true(c->fit_min < c->typical && c->typical < c->fit_max);
    }
    free(docs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constant_is_written_and_read),
        cmocka_unit_test(the_list_is_sound),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
