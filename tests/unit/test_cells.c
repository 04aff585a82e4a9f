/* What runs of a measured engine differ by: ends of cells by hand, rows judged without themselves, and the record. */
#include "support.h"

#include "predict/measured.h"
#include "validate/cells.h"

static struct orr_score run_of(const char *engine, const char *system, enum orr_bound bound, double ln)
{
    struct orr_score score = {.source = "A",
                              .system = system,
                              .regime = ORR_REGIME_TRAIN_DENSE,
                              .timed = true,
                              .on_record = true,
                              .error = exp(-ln) - 1,
                              .low = exp(-0.3),
                              .high = exp(0.3)};
    snprintf(score.engine, sizeof score.engine, "%s", engine);
    score.bound_frac[bound] = 1;
    return score;
}

static struct orr_cells_found cells_of(struct orr_score *scores, size_t n)
{
    const struct orr_validation v = {.n_scores = n, .scores = scores};
    struct orr_cells_found found;
    assert_int_equal(orr_cells_find(&v, &found), ORR_OK);
    return found;
}

/* Eight runs at -0.2, -0.1 ... 0.5. Tails 0.17 * 10 / 11 = 0.154545: a run stands in the middle of its eighth, so that
 * the low end lies 0.154545 * 8 - 0.5 = 0.736364 of the way from the first to the second, -0.126364, and the high one
 * 6.263636: 0.426364. Finer cells have the same runs and stand on the same ends. */
static void ends_by_hand(void **state)
{
    (void)state;
    struct orr_score scores[8];
    for (size_t i = 0; i < 8; i++) scores[i] = run_of("x", "s", ORR_BOUND_DRAM, -0.2 + 0.1 * (double)i);
    struct orr_cells_found found = cells_of(scores, 8);
    assert_int_equal(found.n, 3);
    for (size_t i = 0; i < found.n; i++) {
        assert_close(log(found.cells[i].low), -0.126364, 1e-5);
        assert_close(log(found.cells[i].high), 0.426364, 1e-5);
    }
    assert_int_equal(found.cells[0].bound, ORR_CELL_ANY);
    assert_int_equal(found.cells[1].bound, ORR_BOUND_DRAM);
    assert_string_equal(found.cells[1].system, "");
    assert_string_equal(found.cells[2].system, "s");
    free(found.cells);
    found = cells_of(scores, 7); /* too few */
    assert_int_equal(found.n, 0);
    free(found.cells);
}

/* Eight runs of one resource at 0.2 beside sixteen of another at 0: the coarse cell spans -0.01 (the prediction is
 * inside) to 0.2, the fine one of the eight is 0.2 at both ends. With two of the coarse: low (8 * 0.2 + 2 * -0.01) / 10
 * is 0.158, which leaves the prediction outside, so -0.01; high (8 * 0.2 + 2 * 0.2) / 10 = 0.2. That of the sixteen:
 * high (16 * 0 + 2 * 0.2) / 18 = 0.022222. */
static void fine_cells_stand_on_coarse_ones(void **state)
{
    (void)state;
    struct orr_score scores[24];
    for (size_t i = 0; i < 24; i++)
        scores[i] = run_of("x", i % 3 ? "s" : "t", i < 8 ? ORR_BOUND_NETWORK : ORR_BOUND_COMPUTE, i < 8 ? 0.2 : 0);
    const struct orr_cells_found found = cells_of(scores, 24);
    assert_true(found.n >= 3);
    assert_close(log(found.cells[0].low), -0.01, 1e-9);
    assert_close(log(found.cells[0].high), 0.2, 1e-9);
    assert_int_equal(found.cells[1].bound, ORR_BOUND_COMPUTE);
    assert_close(log(found.cells[1].high), 0.4 / 18, 1e-9);
    const struct orr_measured_cell *last = &found.cells[found.n - 1];
    assert_int_equal(last->bound, ORR_BOUND_NETWORK);
    assert_close(log(last->low), -0.01, 1e-9);
    assert_close(log(last->high), 0.2, 1e-9);
    free(found.cells);
}

/* Nine runs, eight of them at 0 and one at 0.5. With itself the far run draws the high end of its cell out, and
 * without itself it does not: an interval that ends at 0.5 with it ends before it without. */
static void a_row_has_no_part_in_its_own_interval(void **state)
{
    (void)state;
    struct orr_score scores[9];
    for (size_t i = 0; i < 9; i++) scores[i] = run_of("x", "s", ORR_BOUND_DRAM, i == 8 ? 0.5 : 0);
    for (size_t i = 0; i < 9; i++) scores[i].high = exp(0.5001);
    const struct orr_validation v = {.n_scores = 9, .scores = scores};
    struct orr_cells_held held;
    assert_int_equal(orr_cells_left_out(&v, &held), ORR_OK);
    assert_int_equal(held.rows, 9);
    assert_close(held.coverage_frac, 8.0 / 9, 1e-12);
}

/* Engines that describe no stack in particular have no cells, and what is not in the record has none. */
static void the_record_is_of_measured_engines(void **state)
{
    (void)state;
    struct orr_score scores[8];
    for (size_t i = 0; i < 8; i++) scores[i] = run_of("generic", "s", ORR_BOUND_DRAM, 0.1);
    const struct orr_cells_found found = cells_of(scores, 8);
    assert_int_equal(found.n, 0);
    free(found.cells);
    assert_null(orr_measured_cell("generic", ORR_REGIME_TRAIN_DENSE, ORR_BOUND_COMPUTE, "h100-sxm"));
    assert_null(orr_measured_cell("no such engine", ORR_REGIME_TRAIN_DENSE, ORR_BOUND_COMPUTE, "h100-sxm"));
    const struct orr_measured_cell *any =
        orr_measured_cell("fastertransformer", ORR_REGIME_DECODE_DRAM, ORR_BOUND_HOST, "no such system");
    assert_non_null(any);
    assert_true(any->low < 1 && any->high > 1 && !any->system[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_by_hand),
        cmocka_unit_test(fine_cells_stand_on_coarse_ones),
        cmocka_unit_test(a_row_has_no_part_in_its_own_interval),
        cmocka_unit_test(the_record_is_of_measured_engines),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
