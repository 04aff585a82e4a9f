/* The studies: shapes that published work describes (time falls, then flattens; what binds moves; latency has a floor),
 * numbers of the method's tables, contributions that multiply to the whole, and texts that are what they say. */
#include "support.h"

#include "spec/csv.h"
#include "study/reproduce.h"

/* A study that needs no measurements. */
static struct orr_study *run(struct world *world, const char *name)
{
    struct orr_error error;
    struct orr_study *study;
    if (orr_study_run(world->catalogue, name, NULL, NULL, &study, &error)) fail_msg("%s", error.text);
    return study;
}

static const struct orr_cell *cell(const struct orr_sheet *sheet, size_t row, const char *column)
{
    const size_t c = orr_sheet_column(sheet, column);
    if (c == sheet->n_columns || row >= orr_sheet_rows(sheet)) fail_msg("%s has no %s %zu", sheet->name, column, row);
    return &sheet->cells[row * sheet->n_columns + c];
}

static double number(const struct orr_sheet *sheet, size_t row, const char *column)
{
    return cell(sheet, row, column)->number;
}

/* The row with these words and, unless it is 0, this number in the first column. */
static size_t row_of(const struct orr_sheet *sheet, double first, const char *a, const char *x, const char *b,
                     const char *y)
{
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++)
        if ((first <= 0 || fabs(sheet->cells[r * sheet->n_columns].number - first) < 1e-9) &&
            strcmp(cell(sheet, r, a)->word, x) == 0 && strcmp(cell(sheet, r, b)->word, y) == 0)
            return r;
    fail_msg("%s has no row %g, %s, %s", sheet->name, first, x, y);
    return 0;
}

/* ---------------------------------------------------------------- node, memory, network */

static double step_s(const struct orr_sheet *sheet, double node_nm, const char *memory, const char *network)
{
    return number(sheet, row_of(sheet, node_nm, "memory", memory, "network", network), "step_time_s");
}

static void time_falls_then_flattens(void **state)
{
    static const double NODES[] = {12, 10, 7, 5, 3, 2, 1.4, 1};
    struct orr_study *study = run(*state, "nodes");
    const struct orr_sheet *sheet = &study->sheets[0];
    assert_int_equal(orr_sheet_rows(sheet), 8 * 4 * 3);
    for (size_t i = 1; i < COUNT(NODES); i++) /* a better node never costs time: its plans are searched anew */
        assert_at_most(step_s(sheet, NODES[i], "hbm2", "ndr"), step_s(sheet, NODES[i - 1], "hbm2", "ndr"));
    /* 12 to 3 nm has 7.4 times the peak, 3 to 1 nm 2.8 times; of the second nearly nothing is left */
    assert_true(step_s(sheet, 12, "hbm2", "ndr") / step_s(sheet, 3, "hbm2", "ndr") > 3);
    assert_at_most(step_s(sheet, 3, "hbm2", "ndr") / step_s(sheet, 1, "hbm2", "ndr"), 1.2);
    orr_study_free(study);
}

/* The gain from the last nodes grows with the memory, and again with the network. */
static void upgrades_move_the_knee(void **state)
{
    static const char *const MEMORIES[] = {"hbm2", "hbm2e", "hbm3", "hbm4"};
    struct orr_study *study = run(*state, "nodes");
    const struct orr_sheet *sheet = &study->sheets[0];
    double last = 1;
    for (size_t i = 0; i < COUNT(MEMORIES); i++) {
        const double gain = step_s(sheet, 3, MEMORIES[i], "ndr") / step_s(sheet, 1, MEMORIES[i], "ndr");
        assert_true(gain > last);
        last = gain;
    }
    assert_true(step_s(sheet, 3, "hbm4", "gdr") / step_s(sheet, 1, "hbm4", "gdr") > last);
    /* better memory or network is never slower, and the best split is no worse than the given one */
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++) {
        const double node_nm = number(sheet, r, "node_nm");
        assert_at_most(step_s(sheet, node_nm, "hbm4", "gdr"), number(sheet, r, "step_time_s") * (1 + 1e-12));
    }
    for (size_t r = 0; r < orr_sheet_rows(&study->sheets[1]); r++)
        assert_at_most(number(&study->sheets[1], r, "best_s"), number(&study->sheets[1], r, "given_s"));
    orr_study_free(study);
}

/* A point of the study is what the same question gives by hand: the plan of the row, predicted alone. */
static void a_point_is_its_plan_predicted(void **state)
{
    struct world *w = *state;
    struct orr_study *study = run(w, "nodes");
    const struct orr_sheet *sheet = &study->sheets[0];
    const size_t r = row_of(sheet, 5, "memory", "hbm2e", "network", "ndr");
    read_job(w,
             "{'kind':'train','model':'gpt-7.5b','system':'generated:design=ampere,technology=deepflow,node=5,"
             "memory=hbm2e,network=ndr','gpus':1024,'plan':{'tp':%d,'pp':%d,'zero':1,'sp':false},"
             "'workload':{'seq':2048,'global_batch':1024,'micro_batch':%d,'recompute':'%s'}}",
             (int)number(sheet, r, "tp"), (int)number(sheet, r, "pp"), (int)number(sheet, r, "micro_batch"),
             cell(sheet, r, "recompute")->word);
    train(w);
    assert_close(number(sheet, r, "step_time_s"), w->result.step_time_s, 1e-12);
    orr_study_free(study);
}

static double share(const struct orr_sheet *sheet, double node_nm, const char *memory, const char *network,
                    const char *what)
{
    return number(sheet, row_of(sheet, node_nm, "memory", memory, "network", network), what);
}

/* Compute, then memory; with better memory the network; with a better network neither holds the most. */
static void the_bound_moves(void **state)
{
    struct orr_study *study = run(*state, "bounds");
    const struct orr_sheet *sheet = &study->sheets[0];
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++)
        assert_close(number(sheet, r, "compute_frac") + number(sheet, r, "l2_frac") + number(sheet, r, "dram_frac") +
                         number(sheet, r, "network_frac") + number(sheet, r, "overhead_frac") +
                         number(sheet, r, "host_frac"),
                     1, 1e-9);
    assert_string_equal(cell(sheet, row_of(sheet, 12, "memory", "hbm2", "network", "ndr"), "bottleneck")->word,
                        "compute");
    assert_string_equal(cell(sheet, row_of(sheet, 1, "memory", "hbm2", "network", "ndr"), "bottleneck")->word, "dram");
    assert_string_equal(cell(sheet, row_of(sheet, 1, "memory", "hbm4", "network", "ndr"), "bottleneck")->word,
                        "network");
    assert_true(share(sheet, 1, "hbm4", "ndr", "dram_frac") < share(sheet, 1, "hbm2", "ndr", "dram_frac") / 2);
    assert_true(share(sheet, 1, "hbm4", "gdr", "network_frac") < share(sheet, 1, "hbm4", "ndr", "network_frac"));
    orr_study_free(study);
}

/* ---------------------------------------------------------------- inference */

static void latency_is_steep_then_flat(void **state)
{
    struct orr_study *study = run(*state, "dram");
    const struct orr_sheet *sheet = &study->sheets[0];
    double last = HUGE_VAL;
    for (size_t r = 0; r < 8; r++) { /* NVLink 3 */
        const double latency_s = number(sheet, r, "latency_s");
        assert_true(latency_s < last);
        last = latency_s;
        double sum_s = 0;
        static const char *const PARTS[] = {"compute_s", "l2_s", "dram_s", "network_s", "overhead_s", "host_s"};
        for (size_t i = 0; i < COUNT(PARTS); i++) sum_s += number(sheet, r, PARTS[i]);
        assert_close(sum_s, latency_s, 1e-9);
    }
    /* steep: 26 GB of weights over two GPUs, read 199 times, are 4.3 s at 0.6 TB/s and 2.6 s at 1 TB/s */
    assert_true(number(sheet, 0, "latency_s") - number(sheet, 1, "latency_s") > 1.7);
    assert_true(number(sheet, 0, "dram_s") > 4.3);
    /* flat: twice HBM4 takes less than 5 % off, and the end of all bandwidth less than that again */
    assert_at_most(number(sheet, 5, "latency_s") / number(sheet, 6, "latency_s"), 1.05);
    assert_at_most(number(sheet, 6, "latency_s") / number(sheet, 7, "latency_s"), 1.05);
    /* the floor: mostly not DRAM; faster links change it by little, as messages of 10 kB wait for latency */
    assert_true(number(sheet, 7, "dram_s") < 0.2 * number(sheet, 7, "latency_s"));
    assert_true(number(sheet, 23, "latency_s") < number(sheet, 7, "latency_s"));
    assert_true(number(sheet, 23, "latency_s") > 0.95 * number(sheet, 7, "latency_s"));
    orr_study_free(study);
}

static void decode_is_bound_by_memory(void **state)
{
    struct orr_study *study = run(*state, "batch");
    const struct orr_sheet *sheet = &study->sheets[0];
    assert_int_equal(orr_sheet_rows(sheet), 2 * 2 * 7);
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++) {
        const bool decode = strcmp(cell(sheet, r, "phase")->word, "decode") == 0;
        if (decode)
            assert_true(number(sheet, r, "dram_frac") + number(sheet, r, "overhead_frac") +
                            number(sheet, r, "host_frac") >
                        0.98);
        if (decode) assert_true(number(sheet, r, "dram_frac") > 0.8);
        if (!decode && number(sheet, r, "batch") > 1) assert_true(number(sheet, r, "compute_frac") > 0.8);
    }
    orr_study_free(study);
}

/* Intensities by Eq. 96, rounded. */
static void intensities_are_the_tables(void **state)
{
    static const double PRINTED[] = {190, 56, 56, 186, 191, 190};
    struct orr_study *study = run(*state, "shapes");
    const struct orr_sheet *sheet = &study->sheets[0];
    for (size_t r = 0; r < COUNT(PRINTED); r++)
        assert_true(fabs(number(sheet, r, "flop_per_byte") - PRINTED[r]) <= 0.51);
    assert_true(fabs(number(sheet, 0, "ridge_flop_per_byte") - 153) < 1);
    assert_true(fabs(number(sheet, 10, "ridge_flop_per_byte") - 295) < 1);
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++)
        assert_string_equal(cell(sheet, r, "by_ridge")->word, cell(sheet, r, "published")->word);
    orr_study_free(study);
}

/* ---------------------------------------------------------------- memory */

static void memory_is_the_published(void **state)
{
    struct orr_study *study = run(*state, "memory");
    const struct orr_sheet *sheet = &study->sheets[0];
    double published = 0;
    assert_int_equal(orr_sheet_rows(sheet), 20);
    for (size_t r = 0; r < 20; r++) {
        published += number(sheet, r, "published_activations_gib");
        assert_true(fabs(number(sheet, r, "activations_gib") - number(sheet, r, "published_activations_gib")) <= 0.01);
        assert_true(fabs(number(sheet, r, "parameters_gib") - number(sheet, r, "published_parameters_gib")) <= 0.01);
        assert_true(number(sheet, r, "ledger_peak_gib") > number(sheet, r, "activations_gib"));
    }
    assert_close(published, 142.12 + 164.19 + 285.06 + 328.12, 1e-9); /* rows of the published table added up */
    orr_study_free(study);
}

/* ---------------------------------------------------------------- generations */

static void contributions_multiply_to_the_whole(void **state)
{
    struct orr_study *study = run(*state, "generations");
    const struct orr_sheet *sheet = &study->sheets[1];
    double products[2] = {1, 1}, logs[2][6], doublings[2] = {0};
    assert_int_equal(orr_sheet_rows(sheet), 12);
    for (size_t r = 0; r < 12; r++) {
        const bool reverse = strcmp(cell(sheet, r, "order")->word, "reverse") == 0;
        products[reverse] *= number(sheet, r, "speedup");
        logs[reverse][reverse ? 11 - r : r] = log(number(sheet, r, "speedup"));
        doublings[reverse] += number(sheet, r, "doublings");
        assert_close(pow(2, doublings[reverse]), number(sheet, r, "total_speedup"), 1e-9);
        assert_close(products[reverse], number(sheet, r, "total_speedup"), 1e-9);
        assert_true(number(sheet, r, "speedup") >= 1); /* every change is for the better in any order */
    }
    assert_close(products[0], products[1], 1e-9);
    double difference = 0;
    for (int i = 0; i < 6; i++) difference += fabs(logs[0][i] - logs[1][i]);
    assert_true(difference > 0.1); /* the order matters: that is why both are shown */
    orr_study_free(study);
}

/* The ends of the chain are jobs anyone can ask for. */
static void the_ends_are_ordinary_jobs(void **state)
{
    struct world *w = *state;
    struct orr_study *study = run(w, "generations");
    const char *request =
        "{'kind':'train','model':'gpt3-175b','system':'%s','gpus':8192,'plan':{'tp':8,'pp':8,'sp':true},"
        "'workload':{'seq':2048,'micro_batch':1,'global_batch':%d,'precision':'%s','recompute':'%s',"
        "'engine':'generic'},'set':{'system.domain_gpus':%d}}";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    read_job(w, request, "a100-80g-sxm", 1024, "fp16", "full", 8);
    train(w);
    const double first_s = w->result.step_time_s / 1024;
    read_job(w, request, "b200-sxm", 4096, "fp4", "none", 576);
#pragma GCC diagnostic pop
    train(w);
    const double last_s = w->result.step_time_s / 4096;
    assert_close(number(&study->sheets[1], 5, "total_speedup"), first_s / last_s, 1e-9);
    assert_close(number(&study->sheets[1], 11, "total_speedup"), first_s / last_s, 1e-9);
    orr_study_free(study);
}

/* Monotone along every upgrade of one system; the best plan is never slower than the fixed one. */
static void generations_are_monotone(void **state)
{
    static const char *const UPGRADES[][2] = {{"A100-HDR", "H100-NDR"},   {"H100-NDR", "H100-NVS"},
                                              {"H100-NVS", "H200-NVS-L"}, {"H100-NDR", "B200-NDR"},
                                              {"B200-NDR", "B200-NVS"},   {"B200-NVS", "B200-NVS-L"}};
    static const char *const RULES[] = {"fp16_speedup", "like_speedup", "best_speedup"};
    struct orr_study *study = run(*state, "generations");
    const struct orr_sheet *sheet = &study->sheets[0];
    for (size_t i = 0; i < COUNT(UPGRADES); i++) {
        size_t rows[2] = {0};
        for (size_t r = 0; r < orr_sheet_rows(sheet); r++)
            for (int k = 0; k < 2; k++)
                if (strcmp(sheet->cells[r * sheet->n_columns].word, UPGRADES[i][k]) == 0) rows[k] = r;
        for (size_t rule = 0; rule < COUNT(RULES); rule++)
            assert_true(number(sheet, rows[1], RULES[rule]) > number(sheet, rows[0], RULES[rule]));
    }
    for (size_t r = 0; r < orr_sheet_rows(sheet); r++) {
        assert_at_most(number(sheet, r, "best_s"), number(sheet, r, "like_s"));
        assert_string_equal(cell(sheet, r, "like_fits")->word, "yes");
    }
    orr_study_free(study);
}

/* ---------------------------------------------------------------- texts */

static void csv_and_script_are_what_they_say(void **state)
{
    struct orr_study *study = run(*state, "shapes");
    struct orr_csv csv;
    struct orr_error error;
    char *text = NULL, *script = orr_study_render(study, ORR_FORMAT_GNUPLOT, NULL);
    assert_string_equal(orr_study_table(study, 0, &text), "shapes");
    assert_null(orr_study_table(study, study->n_sheets, NULL));
    assert_int_equal(orr_csv_parse(text, "shapes.csv", &csv, &error), ORR_OK);
    assert_int_equal(csv.n_rows, orr_sheet_rows(&study->sheets[0]));
    assert_int_equal(csv.n_columns, study->sheets[0].n_columns);
    assert_string_equal(orr_csv_cell(&csv, 0, "product"), "X W = KQV");
    assert_close(strtod(orr_csv_cell(&csv, 0, "flop_per_byte"), NULL), number(&study->sheets[0], 0, "flop_per_byte"),
                 1e-8);
    assert_non_null(strstr(script, "'shapes.csv'"));
    assert_non_null(strstr(script, "set output 'shapes'.ending"));
    assert_non_null(strstr(script, "ending = '.svg'"));
    orr_csv_free(&csv);
    free(text);
    free(script);
    orr_study_free(study);
}

static void wrong_questions_are_errors(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_study *study;
    assert_int_equal(orr_study_run(w->catalogue, "drams", NULL, NULL, &study, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "did you mean \"dram\"?"));
    assert_int_equal(orr_study_run(w->catalogue, "training", NULL, NULL, &study, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "validation/training.csv"));
    assert_int_equal(orr_study_run(w->catalogue, "gemm", "m,n\n1,2\n", "mine.csv", &study, &error), ORR_ERR_INPUT);
    assert_null(study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_falls_then_flattens),
        cmocka_unit_test(upgrades_move_the_knee),
        cmocka_unit_test(a_point_is_its_plan_predicted),
        cmocka_unit_test(the_bound_moves),
        cmocka_unit_test(latency_is_steep_then_flat),
        cmocka_unit_test(decode_is_bound_by_memory),
        cmocka_unit_test(intensities_are_the_tables),
        cmocka_unit_test(memory_is_the_published),
        cmocka_unit_test(contributions_multiply_to_the_whole),
        cmocka_unit_test(the_ends_are_ordinary_jobs),
        cmocka_unit_test(generations_are_monotone),
        cmocka_unit_test(csv_and_script_are_what_they_say),
        cmocka_unit_test(wrong_questions_are_errors),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
