/* Reports of a training prediction: sums that can be seen, lines that fit, JSON and CSV of the contract, explanations
 * and the glossary. `test_report --write-glossary FILE` writes the page the last test compares with. */
#include "formula.h"
#include "printed.h"
#include "report/answer.h"
#include "report/glossary.h"

#define N_JOBS 4

static const char *const requests[N_JOBS] = {
    "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":64,"
    "\"plan\":{\"tp\":8,\"pp\":8,\"vpp\":3},\"workload\":{\"global_batch\":64,\"engine\":\"megatron-lm-2022\"}}",
    "{\"kind\":\"train\",\"model\":\"mixtral-8x7b\",\"system\":\"h100-sxm\",\"gpus\":64,"
    "\"plan\":{\"tp\":2,\"pp\":4,\"ep\":8,\"zero\":1},\"workload\":{\"seq\":4096,\"global_batch\":256}}",
    "{\"kind\":\"train\",\"model\":\"llama2-7b\",\"system\":\"h200-sxm\",\"gpus\":8,\"plan\":{\"zero\":3},"
    "\"workload\":{\"global_batch\":8}}", /* below a second */
    "{\"kind\":\"train\",\"model\":\"deepseek-v3\",\"system\":\"h100-sxm\",\"gpus\":256,"
    "\"plan\":{\"pp\":4,\"ep\":64,\"stage_layers\":[15,15,15,16]},"
    "\"workload\":{\"seq\":4096,\"global_batch\":256,\"precision\":\"fp8\",\"engine\":\"megatron-core-2025\"}}",
};

static int open_requests(void **state)
{
    static struct asked asked;
    open_asked(&asked, requests, N_JOBS);
    *state = &asked;
    return 0;
}

/* ---------------------------------------------------------------- terminal */

static void printed_parts_sum(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_TERMINAL, 0, false);
        double time = 0, share = 0, memory = 0;
        for (int part = 0; part < ORR_N_TIME_PARTS; part++) {
            const char *name = orr_time_part_name((enum orr_time_part)part);
            time += printed_number(text, "time of a step", name, false);
            share += printed_number(text, "time of a step", name, true);
        }
        for (int part = 0; part < ORR_N_MEMORY_PARTS; part++)
            memory += printed_number(text, "memory of a GPU", orr_memory_part_name((enum orr_memory_part)part), false);
        const double unit = asked->answers[i].train.step_time_s < 1 ? 1e-3 : 1;
        assert_near(time, printed_number(text, "time of a step", "sum", false), 1e-6);
        assert_near(time, asked->answers[i].train.step_time_s / unit, 0.051);
        assert_near(share, 100, 1e-6);
        assert_near(memory, printed_number(text, "memory of a GPU", "sum", false), 1e-6);
        assert_near(memory, asked->answers[i].train.memory.total_bytes / 1073741824.0, 0.0051);
        const double rest = printed_number(text, "memory of a GPU", "headroom", false) +
                            printed_number(text, "memory of a GPU", "reserved", false);
        assert_near(memory + rest, printed_number(text, "memory of a GPU", "capacity", false), 1e-6);
        free(text);
    }
}

static void lines_fit_the_width(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++)
        for (int width = ORR_MIN_WIDTH; width <= 120; width += 5) {
            char *text = render(&asked->answers[i], ORR_FORMAT_TERMINAL, width, false);
            check_lines(text, width);
            free(text);
            text = render(&asked->answers[i], ORR_FORMAT_EXPLAIN, width, true);
            check_lines(text, width);
            free(text);
        }
}

static void long_names_fit_too(void **state)
{
    const struct asked *asked = *state;
    struct orr_job job = asked->jobs[0];
    struct orr_answer answer = asked->answers[0];
    answer.job = &job;
    memset(job.model.id, 'm', sizeof job.model.id - 1);
    memset(job.system.id, 's', sizeof job.system.id - 1);
    memset(job.engine.id, 'e', sizeof job.engine.id - 1);
    memset(job.calibration.id, 'c', sizeof job.calibration.id - 1);
    char *text = render(&answer, ORR_FORMAT_TERMINAL, ORR_MIN_WIDTH, false);
    check_lines(text, ORR_MIN_WIDTH);
    free(text);
    text = render(&answer, ORR_FORMAT_EXPLAIN, ORR_MIN_WIDTH, false);
    check_lines(text, ORR_MIN_WIDTH);
    free(text);
}

static void no_style_is_eighty_columns(void **state)
{
    const struct asked *asked = *state;
    char *plain = report_on(&asked->jobs[0], ORR_FORMAT_TERMINAL, NULL);
    char *styled = report_on(&asked->jobs[0], ORR_FORMAT_TERMINAL, &(struct orr_style){.width = 80});
    assert_string_equal(plain, styled);
    free(styled);
    free(plain);
}

static void report_is_short(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_TERMINAL, 0, false);
        assert_in_range(count_lines(text), 30, 55);
        free(text);
    }
}

/* Predictions of other plans are for those who ask. */
static void what_ifs_are_asked_for(void **state)
{
    const struct asked *asked = *state;
    static const struct orr_what_if what_ifs[] = {{"DRAM", 9, true, true}, {"--sp", 8, true, false}};
    struct orr_answer answer = asked->answers[0];
    answer.train.step_time_s = 10;
    char *text = render(&answer, ORR_FORMAT_TERMINAL, 0, false);
    assert_null(strstr(text, "what would change it"));
    free(text);
    answer.what_ifs = what_ifs;
    answer.n_what_ifs = COUNT(what_ifs);
    text = render(&answer, ORR_FORMAT_TERMINAL, 0, false);
    assert_non_null(strstr(text, "\nwhat would change it\n  10 % more  DRAM -10.0 %\n  --sp  8.00 s  -20.0 %\n"));
    free(text);
}

static void colours_are_optional(void **state)
{
    const struct asked *asked = *state;
    char *plain = render(&asked->answers[0], ORR_FORMAT_TERMINAL, 0, false);
    char *coloured = render(&asked->answers[0], ORR_FORMAT_TERMINAL, 0, true);
    check_colours(plain, coloured);
    free(coloured);
    free(plain);
}

static void a_plan_that_does_not_fit_says_why(void **state)
{
    const struct asked *asked = *state;
    struct orr_answer answer = asked->answers[0];
    struct orr_result *result = &answer.train;
    result->fits = false;
    (void)snprintf(result->reason, sizeof result->reason, "20 GiB too much; \"zero\":1 would save 24 GiB");
    char *text = render(&answer, ORR_FORMAT_TERMINAL, 0, false);
    assert_non_null(strstr(text, "does not fit"));
    assert_non_null(strstr(text, "reason          20 GiB too much; \"zero\":1 would save 24 GiB\n"));
    free(text);
    json_t *json = render_json(&answer, ORR_FORMAT_JSON);
    assert_true(json_is_false(json_object_get(json, "fits")));
    assert_string_equal(json_string_value(json_object_get(json, "reason")), result->reason);
    json_decref(json);
    json = render_json(&asked->answers[0], ORR_FORMAT_JSON);
    assert_null(json_object_get(json, "reason"));
    json_decref(json);
}

/* ---------------------------------------------------------------- JSON */

/* The contract, typed again: renaming a key must fail here. */
static const char *const contract[] = {"schema",
                                       "kind",
                                       "step_time_s",
                                       "interval_s",
                                       "interval_class",
                                       "bound_s",
                                       "tokens_per_s",
                                       "tokens_per_s_per_gpu",
                                       "model_tflops_per_gpu",
                                       "mfu_frac",
                                       "hfu_frac",
                                       "mfu_causal_frac",
                                       "trust",
                                       "fits",
                                       "bottleneck",
                                       "bound_share",
                                       "time_s",
                                       "hidden_s",
                                       "memory_bytes",
                                       "energy_j",
                                       "power_w_per_gpu",
                                       "cost_usd",
                                       "params_total",
                                       "params_active",
                                       "params_mtp",
                                       "n_micro_batches",
                                       "matrix_share_frac",
                                       "matrix_frac",
                                       "request",
                                       NULL};
static const char *const contract_time[] = {"forward",    "backward",   "recompute",  "tp_exposed",
                                            "cp_exposed", "ep_exposed", "pp_exposed", "pp_bubble",
                                            "dp_exposed", "optimizer",  "overhead",   NULL};
static const char *const contract_memory[] = {"weights", "gradients", "optimizer", "activations", "workspace",
                                              "total",   "usable",    "capacity",  NULL};
static const char *const contract_shares[] = {"compute", "l2", "dram", "network", "overhead", NULL};
static const char *const contract_hidden[] = {"tp", "cp", "ep", "etp", "pp", "dp", "edp", NULL};

static void json_follows_the_contract(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_result *result = &asked->answers[i].train;
        json_t *json = render_json(&asked->answers[i], ORR_FORMAT_JSON);
        has_keys(json, contract);
        const json_t *time = json_object_get(json, "time_s"), *memory = json_object_get(json, "memory_bytes");
        has_keys(time, contract_time);
        has_keys(memory, contract_memory);
        has_keys(json_object_get(json, "bound_share"), contract_shares);
        has_keys(json_object_get(json, "hidden_s"), contract_hidden);
        assert_string_equal(json_string_value(json_object_get(json, "schema")), "orrery/1");
        assert_string_equal(json_string_value(json_object_get(json, "kind")), "train");
        assert_int_equal(json_array_size(json_object_get(json, "interval_s")), 2);
        /* 17 digits: the numbers come back bit by bit */
        assert_true(json_real_value(json_object_get(json, "step_time_s")) == result->step_time_s);
        assert_true(json_real_value(json_array_get(json_object_get(json, "interval_s"), 1)) == result->interval_high_s);
        assert_true(json_real_value(json_object_get(memory, "total")) == result->memory.total_bytes);
        assert_true(json_integer_value(json_object_get(json, "params_total")) == result->params_total);
        assert_near(sum_of(time, contract_time) / result->step_time_s, 1, 1e-12);
        assert_near(sum_of(json_object_get(json, "bound_share"), contract_shares), 1, 1e-9);
        json_decref(json);
    }
}

static void numbers_json_cannot_hold_are_null(void **state)
{
    const struct asked *asked = *state;
    struct orr_job job = asked->jobs[0];
    struct orr_answer answer = asked->answers[0];
    answer.job = &job;
    answer.train.energy_j = HUGE_VAL;
    (void)strcpy(job.model.id, "caf\xe9"); /* not UTF-8 */
    json_t *json = render_json(&answer, ORR_FORMAT_JSON);
    assert_true(json_is_null(json_object_get(json, "energy_j")));
    const json_t *request = json_object_get(json, "request");
    assert_string_equal(json_string_value(json_object_get(request, "model")), "caf?");
    json_decref(json);
}

/* ---------------------------------------------------------------- CSV */

static void csv_row_matches_header_and_json(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_CSV, 0, false);
        json_t *json = render_json(&asked->answers[i], ORR_FORMAT_JSON);
        check_csv(text, json, ORR_N_TRAIN_METRICS + 1, 41);
        json_decref(json);
        free(text);
    }
}

static void csv_quotes_what_would_break_a_row(void **state)
{
    const struct asked *asked = *state;
    struct orr_answer answer = asked->answers[0];
    struct orr_result *result = &answer.train;
    (void)strcpy(result->reason, "a, \"b\"");
    char *text = render(&answer, ORR_FORMAT_CSV, 0, false);
    assert_non_null(strstr(text, ",\"a, \"\"b\"\"\","));
    free(text);
}

/* ---------------------------------------------------------------- explain, dumps */

static void explanation_covers_the_report(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_memory *memory = &asked->answers[i].train.memory;
        char *text = render(&asked->answers[i], ORR_FORMAT_EXPLAIN, 0, false);
        char line[96];
        for (int m = 0; m < ORR_N_TRAIN_METRICS; m++) {
            const bool hidden = m >= ORR_TRAIN_METRIC_HIDDEN_TP && m <= ORR_TRAIN_METRIC_HIDDEN_RDP;
            (void)snprintf(line, sizeof line, "\n%s", orr_metric_info(ORR_JOB_TRAIN, m)->key);
            if (!hidden && m != ORR_TRAIN_METRIC_REASON && !strstr(text, line)) fail_msg("not explained: %s", line + 1);
        }
        for (int part = 0; part < ORR_N_TIME_PARTS; part++) {
            (void)snprintf(line, sizeof line, "\ntime_s.%s", orr_time_part_name((enum orr_time_part)part));
            assert_non_null(strstr(text, line));
        }
        for (int64_t t = 0; t < memory->n_tensors; t++) assert_non_null(strstr(text, memory->tensors[t].name));
        for (int64_t t = 0; t < memory->n_instants; t++) assert_non_null(strstr(text, memory->instants[t].name));
        assert_non_null(strstr(text, asked->jobs[i].calibration.id));
        free(text);
    }
}

static void formulas_show_their_values(void **state)
{
    const struct asked *asked = *state;
    struct orr_answer answer = asked->answers[0];
    struct orr_result *result = &answer.train;
    result->model_flops = 1.4e17;
    result->step_time_s = 20;
    result->mfu_frac = 0.3506; /* 1.4e17 / (20 · 64 · 312e12) */
    char *text = render(&answer, ORR_FORMAT_EXPLAIN, 160, false);
    assert_non_null(strstr(text, "\nmfu_frac = model_flops / (step_time_s · gpus · peak_flops_per_s) = "
                                 "140 PFLOP / (20.0 s · 64 · 312 TFLOP/s) = 0.3506   [Eq. 3]\n"));
    free(text);
}

/* Where a formula names nothing but numbers, it gives the number beside it. */
static void formulas_give_their_results(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        int n_read = 0;
        for (int m = 0; m < ORR_N_TRAIN_METRICS; m++) n_read += check_formula(&asked->answers[i], m);
        assert_true(n_read >= 24);
    }
}

static void heaviest_come_first(void **state)
{
    const struct asked *asked = *state;
    const struct orr_answer *answer = &asked->answers[0];
    struct orr_alike few[3], all[256];
    double rest_s, sum_s = 0, few_s = 0;
    const size_t n = orr_rows_heaviest(answer, ORR_TIME_BACKWARD, true, 256, all, &rest_s);
    assert_true(rest_s == 0);
    for (size_t i = 0; i < n; i++) {
        sum_s += all[i].exposed_s;
        if (i > 0) assert_true(all[i - 1].exposed_s >= all[i].exposed_s);
    }
    assert_near(sum_s, answer->train.time_s[ORR_TIME_BACKWARD], 1e-9 * sum_s);
    assert_int_equal(orr_rows_heaviest(answer, ORR_TIME_BACKWARD, true, 3, few, &rest_s), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(few[i].first == all[i].first && few[i].runs == all[i].runs);
        few_s += few[i].exposed_s;
    }
    assert_near(few_s + rest_s, sum_s, 1e-9 * sum_s);
}

/* A repeated operator is one line: forward and recomputation together. */
static void repeated_operators_are_one(void **state)
{
    const struct asked *asked = *state;
    const struct orr_answer *answer = &asked->answers[0]; /* full recomputation */
    struct orr_alike all[256];
    const size_t n = orr_rows_heaviest(answer, ORR_ANY_PART, false, 256, all, NULL);
    double share_frac = 0;
    for (size_t i = 0; i < n; i++) {
        const struct orr_op_rows rows = orr_rows_of_op(answer, (size_t)answer->rows[all[i].first].op);
        if (answer->ops[answer->rows[all[i].first].op].recomputed)
            assert_near(rows.exposed_s, 2 * rows.first->exposed_s, 1e-12 * rows.exposed_s);
        share_frac += all[i].share_frac;
    }
    assert_near(share_frac,
                1 - orr_rows_share_frac(answer, ORR_TIME_PP_BUBBLE) - orr_rows_share_frac(answer, ORR_TIME_OVERHEAD),
                1e-9);
}

static void dumps_are_arrays(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_answer *answer = &asked->answers[i];
        json_t *ops = render_json(answer, ORR_FORMAT_DUMP_OPS), *costs = render_json(answer, ORR_FORMAT_DUMP_COSTS);
        json_t *memory = render_json(answer, ORR_FORMAT_DUMP_MEMORY);
        json_t *ledger = render_json(answer, ORR_FORMAT_DUMP_LEDGER);
        assert_int_equal(json_array_size(ledger), answer->n_rows);
        double sum_s = 0;
        for (size_t k = 0; k < answer->n_rows; k++)
            sum_s += json_real_value(json_object_get(json_array_get(ledger, k), "exposed_s"));
        assert_near(sum_s, answer->train.step_time_s, 1e-9 * sum_s);
        json_decref(ledger);
        assert_int_equal(json_array_size(ops), answer->n_ops);
        assert_int_equal(json_array_size(costs), answer->n_ops);
        assert_int_equal(json_array_size(memory), answer->train.memory.n_tensors);
        const json_t *first = json_array_get(ops, 0);
        assert_string_equal(json_string_value(json_object_get(first, "name")), answer->ops[0].name);
        assert_true(json_real_value(json_object_get(first, "flops")) == answer->ops[0].flops);
        json_decref(ops);
        json_decref(costs);
        json_decref(memory);
    }
    const struct orr_job *job = &asked->jobs[0];
    char *text = report_on(job, ORR_FORMAT_DUMP_TIMELINE, NULL);
    json_t *spans = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(spans), 2 * 64 * 8 * 3); /* F and B of 64 micro-batches, 8 ranks, 3 chunks */
    json_decref(spans);
    free(text);
}

/* ---------------------------------------------------------------- glossary */

static void glossary_page_is_the_list(void **state)
{
    (void)state;
    char *page = read_text("docs/glossary.md");
    for (int i = 0; i < ORR_N_TRAIN_METRICS; i++) {
        char cell[96];
        (void)snprintf(cell, sizeof cell, "| `%s` |", orr_metric_info(ORR_JOB_TRAIN, i)->key);
        if (!strstr(page, cell)) fail_msg("docs/glossary.md lacks %s", cell);
    }
    struct orr_text text = {0};
    orr_glossary(&text);
    char *expected = orr_text_take(&text);
    if (strcmp(page, expected) != 0)
        fail_msg("docs/glossary.md is not what src/metric/train.h says: run test_report --write-glossary "
                 "docs/glossary.md");
    free(expected);
    free(page);
}

/* The public header and the metric list say the same about the parts. */
static void parts_mean_what_the_header_says(void **state)
{
    (void)state;
#define X(name, key, meaning) {"time_s." key, meaning},
    static const struct part time_parts[] = {ORR_TIME_PARTS(X)};
#undef X
#define X(name, key, meaning) {"memory_bytes." key, meaning},
    static const struct part memory_parts[] = {ORR_MEMORY_PARTS(X)};
#undef X
#define X(name, key, meaning) {"energy_part_j." key, meaning},
    static const struct part energy_parts[] = {ORR_ENERGY_PARTS(X)};
#undef X
    check_parts(ORR_JOB_TRAIN, ORR_TRAIN_METRIC_TIME_FORWARD, time_parts, ORR_N_TIME_PARTS);
    check_parts(ORR_JOB_TRAIN, ORR_TRAIN_METRIC_MEMORY_WEIGHTS, memory_parts, ORR_N_MEMORY_PARTS);
    check_parts(ORR_JOB_TRAIN, ORR_TRAIN_METRIC_ENERGY_FLOP, energy_parts, ORR_N_ENERGY_PARTS);
}

static int write_glossary(const char *path)
{
    struct orr_text text = {0};
    orr_glossary(&text);
    char *page = orr_text_take(&text);
    FILE *file = fopen(path, "wb");
    const bool written = page && file && fputs(page, file) >= 0;
    free(page);
    return file && fclose(file) == 0 && written ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write-glossary") == 0) return write_glossary(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_parts_sum),
        cmocka_unit_test(lines_fit_the_width),
        cmocka_unit_test(long_names_fit_too),
        cmocka_unit_test(no_style_is_eighty_columns),
        cmocka_unit_test(report_is_short),
        cmocka_unit_test(what_ifs_are_asked_for),
        cmocka_unit_test(colours_are_optional),
        cmocka_unit_test(a_plan_that_does_not_fit_says_why),
        cmocka_unit_test(json_follows_the_contract),
        cmocka_unit_test(request_echo_gives_the_same_job),
        cmocka_unit_test(numbers_json_cannot_hold_are_null),
        cmocka_unit_test(csv_row_matches_header_and_json),
        cmocka_unit_test(csv_quotes_what_would_break_a_row),
        cmocka_unit_test(explanation_covers_the_report),
        cmocka_unit_test(formulas_show_their_values),
        cmocka_unit_test(formulas_give_their_results),
        cmocka_unit_test(heaviest_come_first),
        cmocka_unit_test(repeated_operators_are_one),
        cmocka_unit_test(dumps_are_arrays),
        cmocka_unit_test(glossary_page_is_the_list),
        cmocka_unit_test(parts_mean_what_the_header_says),
    };
    return cmocka_run_group_tests_name("report", tests, open_requests, close_asked);
}
