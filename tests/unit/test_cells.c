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
    snprintf(score.system_id, sizeof score.system_id, "%s", system);
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

/* Eight runs at -0.2, -0.1 ... 0.5. Tails 0.22 * 10 / 11 = 0.2: a run stands in the middle of its eighth, so that the
 * low end lies at 0.2 * 8 - 0.5 = 1.1 runs from the first, -0.09, and the high one at 5.9: 0.39. Finer cells have the
 * same runs and stand on the same ends. */
static void ends_by_hand(void **state)
{
    (void)state;
    struct orr_score scores[8];
    for (size_t i = 0; i < 8; i++) scores[i] = run_of("x", "s", ORR_BOUND_DRAM, -0.2 + 0.1 * (double)i);
    struct orr_cells_found found = cells_of(scores, 8);
    assert_int_equal(found.n, 3);
    for (size_t i = 0; i < found.n; i++) {
        assert_close(log(found.cells[i].low), -0.09, 1e-9);
        assert_close(log(found.cells[i].high), 0.39, 1e-9);
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

/* Sixteen runs of one source at 0 and four of another at 0.1, 0.2, 0.3 and 0.4 count 16/17 and 4/5, so 20/37 and 17/37
 * (Eq. 378): as (148/85)^2 / (16/289 + 4/25) = 14.07712 equal runs, so that the tails are 0.22 * 16.07712 / 17.07712 =
 * 0.207117. The middles of the four stand at 0.597973, 0.712838, 0.827703 and 0.942568, and 0.792883 is 0.696861 of the
 * way from the second to the third. By runs alone the high end would be that of the sixteen. */
static void sources_count_nearly_alike(void **state)
{
    (void)state;
    struct orr_score scores[20];
    for (size_t i = 0; i < 20; i++) {
        scores[i] = run_of("x", "s", ORR_BOUND_DRAM, i < 16 ? 0 : 0.1 * (double)(i - 15));
        if (i >= 16) scores[i].source = "B";
    }
    const struct orr_cells_found found = cells_of(scores, 20);
    assert_int_equal(found.n, 3);
    assert_close(log(found.cells[0].low), -0.01, 1e-9);
    assert_close(log(found.cells[0].high), 0.2696861, 1e-6);
    free(found.cells);
}

/* A row may name its system by another name: its cell is that of the system's own name, which jobs have. */
static void a_cell_has_the_name_that_jobs_have(void **state)
{
    (void)state;
    struct orr_score scores[8];
    for (size_t i = 0; i < 8; i++) {
        scores[i] = run_of("x", "own-name", ORR_BOUND_DRAM, 0.1);
        scores[i].system = "alias";
    }
    const struct orr_cells_found found = cells_of(scores, 8);
    assert_int_equal(found.n, 3);
    assert_string_equal(found.cells[2].system, "own-name");
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

/* Nine runs, six of them at 0 and three at 0.5. With all of them the high end of the cell is 0.5. Without one of the
 * three it is at 1 - 0.22 * 10 / 11 = 0.8 between the middles of the sixth run, 0.6875, and the seventh, 0.8125:
 * 0.45, so that an interval that ends at 0.5 with the run ends before it without. */
static void a_row_has_no_part_in_its_own_interval(void **state)
{
    (void)state;
    struct orr_score scores[9];
    for (size_t i = 0; i < 9; i++) scores[i] = run_of("x", "s", ORR_BOUND_DRAM, i >= 6 ? 0.5 : 0);
    for (size_t i = 0; i < 9; i++) scores[i].high = exp(0.5001);
    const struct orr_validation v = {.n_scores = 9, .scores = scores};
    struct orr_cells_held held;
    assert_int_equal(orr_cells_left_out(&v, &held), ORR_OK);
    assert_int_equal(held.rows, 9);
    assert_close(held.coverage_frac, 6.0 / 9, 1e-12);
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
        cmocka_unit_test(sources_count_nearly_alike),
        cmocka_unit_test(a_cell_has_the_name_that_jobs_have),
        cmocka_unit_test(fine_cells_stand_on_coarse_ones),
        cmocka_unit_test(a_row_has_no_part_in_its_own_interval),
        cmocka_unit_test(the_record_is_of_measured_engines),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
