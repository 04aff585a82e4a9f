/* 80 % intervals: quantiles and weights by hand on tiny sets, and how often the intervals of this version hold for a
 * source they were not made from. */
#include "support.h"

#include "validate/intervals.h"

/* ---------------------------------------------------------------- by hand */

/* Shares 0.25, 0.5, 0.25: the values stand at 0.125, 0.5 and 0.875. A value without weight is not there. */
static void quantiles_stand_in_the_middle_of_their_share(void **state)
{
    (void)state;
    const struct orr_weighted points[] = {{0, 0}, {1, 0.25}, {1.5, 0}, {2, 0.5}, {4, 0.25}, {9, 0}};
    const double expected[][2] = {{0, 1},      {0.125, 1}, {0.3125, 1.5}, {0.5, 2},
                                  {0.6875, 3}, {0.875, 4}, {0.95, 4},     {1, 4}};
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_close(orr_weighted_quantile(points, COUNT(points), expected[i][0]), expected[i][1], 1e-12);
}

static struct orr_score timed(const char *source, enum orr_regime regime, bool calibrated, double ratio)
{
    return (struct orr_score){
        .source = source, .regime = regime, .calibrated = calibrated, .timed = true, .error = 1 / ratio - 1};
}

static struct orr_interval_table table_of(struct orr_score *scores, size_t n, const char *left_out)
{
    const struct orr_validation v = {.n_scores = n, .scores = scores};
    struct orr_interval_table table;
    assert_int_equal(orr_interval_table_of(&v, left_out, &table), ORR_OK);
    return table;
}

/* Two sources, measured over predicted 1.25 and 1. Own share 1/2: 1/4 each. The other half is the parent's, with both
 * signs: 1/8 at 1.25, 1/8 at 0.8, 1/4 at 1. Tails 0.1 * 4 / 5 = 0.08. Low: 0.8 stands at 1/16, the 3/8 of B's row at
 * 1/8 + 3/16 = 5/16: 0.8 + 0.2 * (0.08 - 0.0625) / 0.25 = 0.814. High: 1.25 stands at 0.8125, the last. */
static void sources_weigh_nearly_the_same(void **state)
{
    (void)state;
    struct orr_score scores[21] = {timed("A", ORR_REGIME_TRAIN_DENSE, true, 1.25)};
    for (size_t i = 1; i < 21; i++) scores[i] = timed("B", ORR_REGIME_TRAIN_DENSE, true, 1);
    struct orr_interval_table table = table_of(scores, 2, NULL);
    assert_close(table.low[ORR_REGIME_TRAIN_DENSE][1], 0.814, 1e-12);
    assert_close(table.high[ORR_REGIME_TRAIN_DENSE][1], 1.25, 1e-12);
    table = table_of(scores, 21, NULL); /* twenty rows of B do not outvote the one of A */
    assert_close(table.high[ORR_REGIME_TRAIN_DENSE][1], 1.25, 1e-12);
    /* Eq. 378: A counts 1/2 and B 20/21, so 21/61 and 40/61. The mirror of A's row has 21/244 and stands at 21/488; the
     * first row of B has 3/122 and stands at 48/488: 0.8 + 0.2 * (0.08 * 488 - 21) / 27. */
    assert_close(table.low[ORR_REGIME_TRAIN_DENSE][1], 0.8 + 0.2 * 18.04 / 27, 1e-12);
    assert_true(table.known[ORR_REGIME_TRAIN_MOE]);
    assert_false(table.known[ORR_REGIME_PREFILL]);
}

/* Rows of one source in one inference class: a class without rows is its parent, both signs at 1/4 and 3/4. Training
 * has none at all: the recorded interval stands. Values that were not predicted or not timed do not count. */
static void empty_classes_are_their_parent(void **state)
{
    (void)state;
    struct orr_score scores[] = {timed("A", ORR_REGIME_PREFILL, true, 1.1), timed("A", ORR_REGIME_PREFILL, true, 9),
                                 timed("A", ORR_REGIME_PREFILL, true, 9)};
    strcpy(scores[1].skipped, "why");
    scores[2].timed = false;
    const struct orr_interval_table table = table_of(scores, 3, NULL);
    assert_close(table.low[ORR_REGIME_DECODE_DRAM][1], 1 / 1.1, 1e-12);
    assert_close(table.high[ORR_REGIME_DECODE_DRAM][1], 1.1, 1e-12);
    assert_close(table.high[ORR_REGIME_PREFILL][0], 1.1, 1e-12);
    assert_close(table.high[ORR_REGIME_TRAIN_MOE][1], orr_interval_recorded(ORR_REGIME_TRAIN_MOE, true).high, 0);
}

/* Calibrated chips err more here: an interval on datasheet constants is no narrower all the same. And a prediction lies
 * inside its own interval even where every measurement is slower. */
static void datasheet_is_no_narrower(void **state)
{
    (void)state;
    struct orr_score scores[24];
    for (size_t i = 0; i < 24; i++) {
        static const char *const names[] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"};
        scores[i] = timed(names[i / 2], ORR_REGIME_TRAIN_MOE, i % 2 == 0, i % 2 == 0 ? 1.5 : 1.2);
    }
    const struct orr_interval_table table = table_of(scores, 24, NULL);
    assert_close(table.high[ORR_REGIME_TRAIN_MOE][1], 1.5, 1e-12);
    assert_close(table.high[ORR_REGIME_TRAIN_MOE][0], 1.5, 1e-12);
    assert_true(table.low[ORR_REGIME_TRAIN_MOE][1] < 1);
    assert_true(table.low[ORR_REGIME_TRAIN_MOE][0] <= table.low[ORR_REGIME_TRAIN_MOE][1]);
}

/* Without B the interval of A's 1.1 is [1 / 1.1, 1.1] and misses B's 2; without A that of B's is [1 / 2, 2] and holds
 * 1.1. With both, everything is inside. The only source of inference leaves nothing to judge it by. */
static void a_source_is_judged_by_the_others(void **state)
{
    (void)state;
    struct orr_score scores[] = {
        timed("A", ORR_REGIME_TRAIN_DENSE, true, 1.1), timed("B", ORR_REGIME_TRAIN_DENSE, true, 2),
        timed("C", ORR_REGIME_PREFILL, false, 1.3), timed("C", ORR_REGIME_PREFILL, false, 1.3)};
    struct orr_interval_table table = table_of(scores, COUNT(scores), "B");
    assert_close(table.low[ORR_REGIME_TRAIN_DENSE][1], 1 / 1.1, 1e-12);
    assert_close(table.high[ORR_REGIME_TRAIN_DENSE][1], 1.1, 1e-12);
    const struct orr_validation v = {.n_scores = COUNT(scores), .scores = scores};
    struct orr_coverage coverage[ORR_N_REGIMES][2];
    assert_int_equal(orr_interval_coverage(&v, coverage), ORR_OK);
    const struct orr_coverage *training = &coverage[ORR_REGIME_TRAIN_DENSE][1];
    const struct orr_coverage *prefill = &coverage[ORR_REGIME_PREFILL][0];
    assert_int_equal(training->n, 2);
    assert_int_equal(training->n_sources, 2);
    assert_int_equal(training->n_inside, 2);
    assert_int_equal(training->n_left, 2);
    assert_int_equal(training->n_left_inside, 1);
    assert_int_equal(prefill->n, 2);
    assert_int_equal(prefill->n_sources, 1);
    assert_int_equal(prefill->n_left, 0);
}

/* ---------------------------------------------------------------- this version */

static void recorded_intervals_hold_the_prediction(void **state)
{
    (void)state;
    for (int r = 0; r < ORR_N_REGIMES; r++) {
        const struct orr_interval calibrated = orr_interval_recorded((enum orr_regime)r, true);
        const struct orr_interval datasheet = orr_interval_recorded((enum orr_regime)r, false);
        /* First tokens under load wait for queues, which a little more load makes several times as long. */
        const double most = r == ORR_REGIME_SERVE_FIRST ? 10 : 5;
        assert_true(calibrated.low > 0.2 && calibrated.low < 1 && calibrated.high > 1 && calibrated.high < most);
        assert_true(datasheet.low <= calibrated.low && datasheet.high >= calibrated.high);
        assert_non_null(strstr(calibrated.name, ", calibrated"));
        assert_non_null(strstr(datasheet.name, ", datasheet"));
        for (int other = 0; other < r; other++)
            assert_string_not_equal(calibrated.name, orr_interval_recorded((enum orr_regime)other, true).name);
    }
}

static void assert_covers(const char *what, size_t n_inside, size_t n)
{
    const double frac = (double)n_inside / (double)n;
    print_message("# %s: %zu times, %.1f %% inside\n", what, n, 100 * frac);
    if (!(frac >= 0.7 && frac <= 0.9)) fail_msg("%s: %.1f %% inside, expected 70 to 90 %%", what, 100 * frac);
}

/* `printed` has two digits and lies at most one of them outside `bound`; outwards is down (-1) or up (1). */
static void assert_outward(double printed, double bound, double outwards)
{
    const double off = (printed - bound) * outwards;
    if (!(off > -1e-7 && off < 0.01)) fail_msg("%.4f printed for %.8f", printed, bound);
}

/* Rounding takes no row out of the printed intervals. */
static void check_printed(const struct orr_validation *v)
{
    struct orr_interval_table table;
    assert_int_equal(orr_interval_table_of(v, NULL, &table), ORR_OK);
    char *text = orr_validation_render(v, ORR_FORMAT_INTERVALS, NULL);
    assert_non_null(text);
    const char *at = strstr(text, "ORR_INTERVALS(X)");
    for (int r = 0; r < ORR_N_REGIMES; r++) {
        double low[2], high[2];
        at = strstr(at + 1, " X(");
        assert_non_null(at);
        assert_int_equal(sscanf(at, " X(%*[A-Z_], %lf, %lf, %lf, %lf)", &low[1], &high[1], &low[0], &high[0]), 4);
        for (int c = 0; c < 2; c++) {
            assert_outward(low[c], table.low[r][c], -1);
            assert_outward(high[c], table.high[r][c], 1);
        }
    }
    free(text);
}

/* The promise of an 80 % interval, for a source it has not seen: 70 to 90 %. */
static void intervals_hold_for_unseen_sources(void **state)
{
    struct world *w = *state;
    static const char *const files[] = {"validation/training.csv", "validation/training_lab_h200.csv",
                                        "validation/layer_times.csv", "validation/inference.csv"};
    struct orr_validation *v = NULL;
    struct orr_error error;
    for (size_t i = 0; i < COUNT(files); i++) {
        char *text = read_text(files[i]);
        if (orr_validate(w->catalogue, text, files[i], &v, &error)) fail_msg("%s", error.text);
        free(text);
    }
    struct orr_coverage coverage[ORR_N_REGIMES][2];
    assert_int_equal(orr_interval_coverage(v, coverage), ORR_OK);
    size_t n[2] = {0}, n_inside[2] = {0}, n_timed = 0;
    for (int r = 0; r < ORR_N_REGIMES; r++)
        for (int c = 0; c < 2; c++) {
            const struct orr_coverage *class = &coverage[r][c];
            const int training = r == ORR_REGIME_TRAIN_DENSE || r == ORR_REGIME_TRAIN_MOE;
            n[training] += class->n_left;
            n_inside[training] += class->n_left_inside;
            n_timed += class->n;
            if (class->n > 0)
                print_message("# %s: %zu times of %zu sources, %zu inside, %zu when their source is left out\n",
                              orr_interval_recorded((enum orr_regime)r, c).name, class->n, class->n_sources,
                              class->n_inside, class->n_left_inside);
        }
    assert_int_equal(n[0] + n[1], n_timed); /* every timed row is judged */
    assert_true(n[0] > 600 && n[1] > 600);
    assert_covers("training, each source left out", n_inside[1], n[1]);
    assert_covers("inference, each source left out", n_inside[0], n[0]);
    assert_covers("all, each source left out", n_inside[0] + n_inside[1], n[0] + n[1]);
    check_printed(v);
    orr_validation_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_stand_in_the_middle_of_their_share),
        cmocka_unit_test(sources_weigh_nearly_the_same),
        cmocka_unit_test(empty_classes_are_their_parent),
        cmocka_unit_test(datasheet_is_no_narrower),
        cmocka_unit_test(a_source_is_judged_by_the_others),
        cmocka_unit_test(recorded_intervals_hold_the_prediction),
        cmocka_unit_test(intervals_hold_for_unseen_sources),
    };
    return cmocka_run_group_tests_name("intervals", tests, open_world, close_world);
}
