/* Reports of an inference prediction: sums that can be seen, lines that fit, JSON and CSV of the contract, the operator
 * table, explanations and the glossary. */
#include "formula.h"
#include "printed.h"
#include "report/answer.h"
#include "report/glossary.h"

enum { PLAIN, DRAFTED, APART, EXPERTS, ONE_TOKEN, EAGER, TOO_LARGE, N_JOBS };

static const char *const requests[N_JOBS] = {
    [PLAIN] = "{\"kind\":\"infer\",\"model\":\"llama2-13b\",\"system\":\"a100-80g-sxm\",\"gpus\":1,"
              "\"workload\":{\"input_len\":200,\"output_len\":200}}",
    [DRAFTED] = "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"plan\":{\"tp\":8,\"pp\":2},"
                "\"workload\":{\"batch\":2,\"input_len\":1000,\"output_len\":300,\"precision\":\"int4\","
                "\"engine\":\"tensorrt-llm-nemo\",\"draft_model\":\"llama2-7b\",\"draft_tokens\":3}}",
    [APART] = "{\"kind\":\"infer\",\"model\":\"deepseek-v3\",\"system\":\"h200-sxm\",\"plan\":{\"tp\":8,\"pp\":2},"
              "\"workload\":{\"batch\":64,\"input_len\":1024,\"output_len\":512,\"precision\":\"fp8\","
              "\"kv_precision\":\"fp8\",\"disaggregated\":true,\"chunk_tokens\":512,\"prefix_hit_frac\":0.25}}",
    [EXPERTS] = "{\"kind\":\"infer\",\"model\":\"qwen3-30b-a3b\",\"system\":\"h100-sxm\",\"plan\":{\"dp\":4,\"ep\":4},"
                "\"workload\":{\"batch\":16,\"input_len\":500,\"output_len\":50,\"engine\":\"sglang\"}}",
    [ONE_TOKEN] = "{\"kind\":\"infer\",\"model\":\"mixtral-8x7b\",\"system\":\"h100-sxm\","
                  "\"plan\":{\"tp\":2,\"dp\":4,\"ep\":8},"
                  "\"workload\":{\"batch\":8,\"input_len\":512,\"output_len\":1}}",
    [EAGER] = "{\"kind\":\"infer\",\"model\":\"gemma3-27b\",\"system\":\"h200-sxm\",\"gpus\":1,"
              "\"workload\":{\"batch\":4,\"input_len\":4000,\"output_len\":100,\"engine\":\"pytorch-eager-stream\"}}",
    [TOO_LARGE] = "{\"kind\":\"infer\",\"model\":\"llama3.1-405b\",\"system\":\"h100-sxm\",\"gpus\":4,"
                  "\"plan\":{\"tp\":4},\"workload\":{\"batch\":8,\"input_len\":128,\"output_len\":128}}",
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
    static const char time_title[] = "time of the request", memory_title[] = "memory of a GPU";
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_infer_result *result = &asked->answers[i].infer;
        char *text = render(&asked->answers[i], ORR_FORMAT_TERMINAL, 0, false);
        double time = 0, share = 0, memory = 0;
        for (int part = 0; part < ORR_N_INFER_PARTS; part++) {
            const char *name = orr_infer_part_name((enum orr_infer_part)part);
            time += printed_number(text, time_title, name, false);
            share += printed_number(text, time_title, name, true);
        }
        for (int part = 0; part < ORR_N_SERVE_MEMORY_PARTS; part++) {
            const char *name = orr_serve_memory_part_name((enum orr_serve_memory_part)part);
            memory += printed_number(text, memory_title, name, false);
        }
        assert_near(time, printed_number(text, time_title, "sum", false), 1e-6);
        assert_near(time, result->latency_s / (result->latency_s < 1 ? 1e-3 : 1), 0.051);
        assert_near(share, 100, 1e-6);
        assert_near(memory, printed_number(text, memory_title, "sum", false), 1e-6);
        assert_near(memory, result->memory_total_bytes / 1073741824.0, 0.0051);
        const double rest = printed_number(text, memory_title, "headroom", false) +
                            printed_number(text, memory_title, "reserved", false);
        assert_near(memory + rest, printed_number(text, memory_title, "capacity", false), 1e-6);
        free(text);
    }
}

static const enum orr_format for_people[] = {ORR_FORMAT_TERMINAL, ORR_FORMAT_EXPLAIN, ORR_FORMAT_OPS};
#define N_FOR_PEOPLE (sizeof for_people / sizeof *for_people)

static void lines_fit_the_width(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++)
        for (int width = ORR_MIN_WIDTH; width <= 150; width += 6)
            for (size_t f = 0; f < N_FOR_PEOPLE; f++) {
                char *text = render(&asked->answers[i], for_people[f], width, f > 0);
                check_lines(text, width);
                free(text);
            }
}

static void long_names_fit_too(void **state)
{
    const struct asked *asked = *state;
    struct orr_job job = asked->jobs[DRAFTED];
    struct orr_answer answer = asked->answers[DRAFTED];
    answer.job = &job;
    memset(job.model.id, 'm', sizeof job.model.id - 1);
    memset(job.draft.id, 'd', sizeof job.draft.id - 1);
    memset(job.system.id, 's', sizeof job.system.id - 1);
    memset(job.engine.id, 'e', sizeof job.engine.id - 1);
    memset(job.calibration.id, 'c', sizeof job.calibration.id - 1);
    for (size_t f = 0; f < N_FOR_PEOPLE; f++) {
        char *text = render(&answer, for_people[f], ORR_MIN_WIDTH, false);
        check_lines(text, ORR_MIN_WIDTH);
        free(text);
    }
}

static void no_style_is_eighty_columns(void **state)
{
    const struct asked *asked = *state;
    char *plain = report_on(&asked->jobs[PLAIN], ORR_FORMAT_TERMINAL, NULL);
    char *styled = render(&asked->answers[PLAIN], ORR_FORMAT_TERMINAL, 80, false);
    assert_string_equal(plain, styled);
    free(styled);
    free(plain);
}

static void report_is_short_and_says_what_was_asked(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_TERMINAL, 0, false);
        assert_in_range(count_lines(text), 30, 58);
        assert_non_null(strstr(text, asked->jobs[i].model.id));
        assert_non_null(strstr(text, "heaviest operators"));
        free(text);
    }
    char *text = render(&asked->answers[APART], ORR_FORMAT_TERMINAL, 160, false);
    assert_non_null(strstr(text, "batch 64 × 1024 → 512 tokens · weights fp8_block · cache fp8 · 25 % of the prompt"
                                 " cached · chunks of 512 tokens · prefill and decode apart\n"));
    free(text);
    text = render(&asked->answers[DRAFTED], ORR_FORMAT_TERMINAL, 160, false);
    assert_non_null(
        strstr(text, "weights int4, multiplied in bf16 · cache bf16 · 3 drafts by llama2-7b, 80 % accepted\n"));
    free(text);
    text = render(&asked->answers[ONE_TOKEN], ORR_FORMAT_TERMINAL, 0, false);
    assert_null(strstr(text, "next tokens")); /* there are none */
    assert_null(strstr(text, "bound, decode"));
    free(text);
}

static void colours_are_optional(void **state)
{
    const struct asked *asked = *state;
    for (size_t f = 0; f < N_FOR_PEOPLE; f++) {
        char *plain = render(&asked->answers[PLAIN], for_people[f], 0, false);
        char *coloured = render(&asked->answers[PLAIN], for_people[f], 0, true);
        check_colours(plain, coloured);
        free(coloured);
        free(plain);
    }
}

static void a_job_that_does_not_fit_says_why(void **state)
{
    const struct asked *asked = *state;
    const struct orr_answer *answer = &asked->answers[TOO_LARGE];
    assert_false(answer->infer.fits);
    char *text = render(answer, ORR_FORMAT_TERMINAL, 0, false);
    assert_non_null(strstr(text, "does not fit"));
    assert_non_null(strstr(text, "\n  reason"));
    free(text);
    json_t *json = render_json(answer, ORR_FORMAT_JSON);
    assert_true(json_is_false(json_object_get(json, "fits")));
    assert_string_equal(json_string_value(json_object_get(json, "reason")), answer->infer.reason);
    json_decref(json);
    json = render_json(&asked->answers[PLAIN], ORR_FORMAT_JSON);
    assert_null(json_object_get(json, "reason"));
    json_decref(json);
}

/* ---------------------------------------------------------------- JSON */

/* The contract, typed again: renaming a key must fail here. */
static const char *const contract[] = {"schema",
                                       "kind",
                                       "ttft_s",
                                       "tpot_s",
                                       "latency_s",
                                       "prefill_s",
                                       "decode_s",
                                       "output_tokens_per_s",
                                       "output_tokens_per_s_per_gpu",
                                       "input_tokens_per_s_per_gpu",
                                       "interval_s",
                                       "interval_class",
                                       "bound_s",
                                       "trust",
                                       "fits",
                                       "max_batch",
                                       "max_context",
                                       "memory_bytes",
                                       "kv_bytes_per_token",
                                       "kv_bytes_per_sequence",
                                       "kv_budget_bytes",
                                       "time_s",
                                       "prefill_bound_frac",
                                       "decode_bound_frac",
                                       "bottleneck",
                                       "energy_j",
                                       "power_w_per_gpu",
                                       "cost_usd",
                                       "cost_usd_per_million_tokens",
                                       "tokens_per_step",
                                       "matrix_frac",
                                       "params_total",
                                       "params_active",
                                       "request",
                                       NULL};
static const char *const contract_time[] = {"prefill_gemm",
                                            "prefill_attention",
                                            "prefill_pointwise",
                                            "prefill_network",
                                            "decode_gemm",
                                            "decode_attention",
                                            "decode_pointwise",
                                            "decode_network",
                                            "draft",
                                            "pipeline",
                                            "kv_transfer",
                                            "overhead",
                                            NULL};
static const char *const contract_memory_parts[] = {"weights", "kv_cache", "activations", "workspace", NULL};
static const char *const contract_memory[] = {"total", "usable", "capacity", NULL};
static const char *const contract_bounds[] = {"compute", "l2", "dram", "network", "overhead", "host", NULL};

static void json_follows_the_contract(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_infer_result *result = &asked->answers[i].infer;
        json_t *json = render_json(&asked->answers[i], ORR_FORMAT_JSON);
        has_keys(json, contract);
        const json_t *time = json_object_get(json, "time_s"), *memory = json_object_get(json, "memory_bytes");
        const json_t *prefill = json_object_get(json, "prefill_bound_frac");
        const json_t *decode = json_object_get(json, "decode_bound_frac");
        has_keys(time, contract_time);
        has_keys(memory, contract_memory_parts);
        has_keys(memory, contract_memory);
        has_keys(prefill, contract_bounds);
        has_keys(decode, contract_bounds);
        assert_string_equal(json_string_value(json_object_get(json, "schema")), "orrery/1");
        assert_string_equal(json_string_value(json_object_get(json, "kind")), "infer");
        assert_int_equal(json_array_size(json_object_get(json, "interval_s")), 2);
        /* 17 digits: the numbers come back bit by bit */
        assert_true(json_real_value(json_object_get(json, "latency_s")) == result->latency_s);
        assert_true(json_real_value(json_array_get(json_object_get(json, "interval_s"), 0)) == result->interval_low_s);
        assert_int_equal(json_integer_value(json_object_get(json, "max_batch")), result->max_batch);
        assert_near(sum_of(time, contract_time) / result->latency_s, 1, 1e-12);
        assert_near(sum_of(memory, contract_memory_parts) / json_real_value(json_object_get(memory, "total")), 1,
                    1e-12);
        assert_near(sum_of(prefill, contract_bounds), 1, 1e-9);
        if (i != ONE_TOKEN) assert_near(sum_of(decode, contract_bounds), 1, 1e-9);
        json_decref(json);
    }
}

/* Eq. 90 and Eq. 94 by hand. */
static void json_holds_what_can_be_counted(void **state)
{
    const struct asked *asked = *state;
    json_t *json = render_json(&asked->answers[PLAIN], ORR_FORMAT_JSON);
    assert_int_equal(json_integer_value(json_object_get(json, "kv_bytes_per_token")), 2 * 40 * 40 * 128 * 2);
    assert_true(json_real_value(json_object_get(json, "kv_bytes_per_sequence")) == 400.0 * 819200);
    assert_int_equal(json_integer_value(json_object_get(json, "params_total")), 13015864320);
    assert_true(json_real_value(json_object_get(json, "tokens_per_step")) == 1);
    json_decref(json);
    json = render_json(&asked->answers[APART], ORR_FORMAT_JSON);
    assert_int_equal(json_integer_value(json_object_get(json, "kv_bytes_per_token")), 61 * (512 + 64));
    json_decref(json);
    json = render_json(&asked->answers[DRAFTED], ORR_FORMAT_JSON); /* (1 - 0.8^4) / (1 - 0.8) */
    assert_near(json_real_value(json_object_get(json, "tokens_per_step")), 2.952, 1e-12);
    json_decref(json);
}

/* ---------------------------------------------------------------- CSV */

static void csv_row_matches_header_and_json(void **state)
{
    const struct asked *asked = *state;
    char *reference = render(&asked->answers[0], ORR_FORMAT_CSV, 0, false);
    for (size_t i = 0; i < N_JOBS; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_CSV, 0, false);
        json_t *json = render_json(&asked->answers[i], ORR_FORMAT_JSON);
        assert_true(strncmp(text, reference, strcspn(reference, "\n") + 1) == 0); /* one header for all jobs */
        check_csv(text, json, ORR_N_INFER_METRICS + 1, 46);
        json_decref(json);
        free(text);
    }
    free(reference);
}

/* ---------------------------------------------------------------- operators */

static void operator_table_lists_every_product(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_answer *answer = &asked->answers[i];
        char *text = render(answer, ORR_FORMAT_OPS, 150, false);
        const char *prefill = strstr(text, "\n  prefill "), *decode = strstr(text, "\n  decode step ");
        assert_non_null(prefill);
        assert_true((decode != NULL) == (i != ONE_TOKEN));
        for (size_t k = 0; k < answer->n_ops; k++) {
            char start[64];
            (void)snprintf(start, sizeof start, "\n  %s ", answer->ops[k].name);
            const bool first = answer->ops[k].phase == ORR_PHASE_PREFILL;
            const char *row = strstr(first ? prefill : decode, start);
            if (!row || (first && decode && row > decode)) fail_msg("no row %s", answer->ops[k].name);
        }
        assert_non_null(strstr(text, "\nproducts, prefill: "));
        assert_non_null(strstr(text, "\nridge: "));
        free(text);
    }
    char *narrow = render(&asked->answers[PLAIN], ORR_FORMAT_OPS, 80, false);
    assert_null(strstr(narrow, "L2")); /* first to go */
    assert_non_null(strstr(narrow, " bound"));
    free(narrow);
}

/* Rows give the parts of the latency, and the stages what formulas say of them. */
static void rows_sum_to_the_parts(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_answer *answer = &asked->answers[i];
        for (int part = 0; part < ORR_N_INFER_PARTS; part++) {
            double sum_s = 0;
            for (size_t k = 0; k < answer->n_rows; k++)
                if (answer->rows[k].part == part) sum_s += answer->rows[k].exposed_s;
            assert_near(sum_s, answer->infer.time_s[part], 1e-12 * answer->infer.latency_s);
            assert_near(orr_rows_share_frac(answer, part), sum_s / answer->infer.latency_s, 1e-12);
        }
        const double pp = (double)answer->job->plan.pp;
        assert_near(answer->prefill.stage_frac, 1 / pp, 1e-9);
        if (i == DRAFTED) assert_near(answer->decode.stage_frac, 1, 1e-9); /* a piece of one sequence for each stage */
        if (i == APART) assert_near(answer->decode.stage_frac, 1, 1e-9);   /* 64 are cut over the stages */
    }
}

static void heaviest_come_first(void **state)
{
    const struct asked *asked = *state;
    const struct orr_answer *answer = &asked->answers[PLAIN];
    struct orr_alike all[64], few[3];
    double sum_s = 0;
    const size_t n = orr_rows_heaviest(answer, ORR_INFER_DECODE_GEMM, true, 64, all, NULL);
    for (size_t i = 0; i < n; i++) {
        sum_s += all[i].exposed_s;
        if (i > 0) assert_true(all[i - 1].exposed_s >= all[i].exposed_s);
    }
    assert_near(sum_s, answer->infer.time_s[ORR_INFER_DECODE_GEMM], 1e-9 * sum_s);
    assert_near(all[0].runs, 40 * 199, 1e-6); /* layers, decode steps */
    assert_true(all[0].count == 40);          /* in one step */
    assert_int_equal(orr_rows_heaviest(answer, ORR_INFER_DECODE_GEMM, true, 3, few, NULL), 3);
    for (size_t i = 0; i < 3; i++) assert_true(few[i].first == all[i].first);
}

/* Overhead is waits alone; --explain names each of them. 199 decode steps of 0.1 ms, and a prompt. */
static void waits_are_explained_by_name(void **state)
{
    const struct asked *asked = *state;
    static const char *const lines[] = {"\n    scheduling and sampling, decode: 199 × 100 us = 19.9 ms\n",
                                        "\n    request handling: 3.00 ms\n",
                                        "\n    sampling of the first token: 100 us\n",
                                        "\n    launch gaps, decode: 199 × ",
                                        "\n    launch gaps, prefill: ",
                                        "\n    sum: "};
    struct orr_job job = asked->jobs[PLAIN];
    job.engine.kernel_gap_s = 1e-6;
    job.engine.short_prefill_gap_s = 1e-6;
    job.engine.sampling_s = 1e-4;
    job.engine.async_scheduling = false;
    job.engine.request_s = 3e-3;
    char *text = report_on(&job, ORR_FORMAT_EXPLAIN, &(struct orr_style){.width = 100});
    const char *part = strstr(text, "\ntime_s.overhead");
    assert_non_null(part);
    for (size_t i = 0; i < COUNT(lines); i++)
        if (!strstr(part, lines[i])) fail_msg("no line %s", lines[i]);
    free(text);
    text = render(&asked->answers[EAGER], ORR_FORMAT_EXPLAIN, 100, false);
    assert_non_null(strstr(text, "\n    host launches, decode: "));
    free(text);
    text = render(&asked->answers[APART], ORR_FORMAT_EXPLAIN, 100, false);
    assert_non_null(strstr(text, "\n    pp.send, decode: "));
    assert_non_null(strstr(text, "\n    other stages, prefill: "));
    assert_non_null(strstr(text, "\n    cache handed to the decode GPUs: "));
    free(text);
}

static void dumped_operators_follow_the_contract(void **state)
{
    static const char *const keys[] = {"phase", "name",  "count", "batch",  "m",     "n",
                                       "k",     "flops", "bytes", "time_s", "bound", NULL};
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_answer *answer = &asked->answers[i];
        json_t *ops = render_json(answer, ORR_FORMAT_DUMP_OPS);
        assert_int_equal(json_array_size(ops), answer->n_ops);
        double prefill_s = 0, decode_s = 0;
        for (size_t k = 0; k < answer->n_ops; k++) {
            const json_t *row = json_array_get(ops, k);
            has_keys(row, keys);
            const char *phase = json_string_value(json_object_get(row, "phase"));
            const double seconds =
                json_real_value(json_object_get(row, "count")) * json_real_value(json_object_get(row, "time_s"));
            assert_true(strcmp(phase, "prefill") == 0 || strcmp(phase, "decode") == 0);
            if (phase[0] == 'p') prefill_s += seconds;
            else decode_s += seconds;
            if (answer->ops[k].kind != ORR_OP_GEMM) continue;
            assert_near(json_real_value(json_object_get(row, "flops")),
                        2 * json_real_value(json_object_get(row, "m")) * json_real_value(json_object_get(row, "n")) *
                            json_real_value(json_object_get(row, "k")),
                        1); /* Eq. 6 */
        }
        if (answer->job->plan.pp == 1) { /* without gaps and sampling the operators are the phase */
            assert_true(prefill_s <= answer->infer.prefill_s * (1 + 1e-9));
            assert_true(decode_s * answer->decode.passes <= answer->infer.decode_s * (1 + 1e-9) + 1e-15);
        }
        json_decref(ops);
    }
}

static void other_dumps_are_arrays(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_answer *answer = &asked->answers[i];
        json_t *costs = render_json(answer, ORR_FORMAT_DUMP_COSTS),
               *memory = render_json(answer, ORR_FORMAT_DUMP_MEMORY);
        json_t *spans = render_json(answer, ORR_FORMAT_DUMP_TIMELINE);
        assert_int_equal(json_array_size(costs), answer->n_ops);
        double bytes = 0;
        for (size_t k = 0; k < json_array_size(memory); k++)
            bytes += json_real_value(json_object_get(json_array_get(memory, k), "bytes"));
        assert_near(bytes / answer->infer.memory_total_bytes, 1, 1e-12);
        assert_int_equal(json_array_size(spans), i == ONE_TOKEN ? 1 : 2);
        const json_t *last = json_array_get(spans, json_array_size(spans) - 1);
        assert_near(json_real_value(json_object_get(last, "end_s")) / answer->infer.latency_s, 1, 1e-12);
        json_decref(costs);
        json_decref(memory);
        json_decref(spans);
    }
}

/* ---------------------------------------------------------------- explain */

static void explanation_covers_the_report(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        char *text = render(&asked->answers[i], ORR_FORMAT_EXPLAIN, 0, false);
        char line[96];
        for (int m = 0; m < ORR_N_INFER_METRICS; m++) {
            (void)snprintf(line, sizeof line, "\n%s", orr_metric_info(ORR_JOB_INFER, m)->key);
            if (m != ORR_INFER_METRIC_REASON && !strstr(text, line)) fail_msg("not explained: %s", line + 1);
        }
        assert_non_null(strstr(text, asked->jobs[i].calibration.id));
        assert_non_null(strstr(text, asked->jobs[i].engine.id));
        free(text);
    }
    char *text = render(&asked->answers[PLAIN], ORR_FORMAT_EXPLAIN, 160, false);
    assert_non_null(strstr(text, "layer kind 0: 40 layers · 40 heads · (128 + 128) · 2 B = 819,200 B per token\n"));
    assert_non_null(strstr(text, "\ntime_s.kv_transfer = prefill and decode share their GPUs = 0 s   [Eq. 95]\n"));
    free(text);
    text = render(&asked->answers[DRAFTED], ORR_FORMAT_EXPLAIN, 160, false);
    assert_non_null(strstr(text, " = (1 - 0.8^(3 + 1)) / (1 - 0.8) = 2.952   [Eq. 94]\n"));
    free(text);
    text = render(&asked->answers[APART], ORR_FORMAT_EXPLAIN, 160, false);
    assert_non_null(strstr(text, "58 layers · (rank 512 + rope 64) · 1 B = 33,408 B per token\n"));
    free(text);
}

/* Where a formula names nothing but numbers, it gives the number beside it. */
static void formulas_give_their_results(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        int n_read = 0;
        for (int m = 0; m < ORR_N_INFER_METRICS; m++) n_read += check_formula(&asked->answers[i], m);
        assert_true(n_read >= 25);
    }
}

/* Formulas with words before or behind the numbers. */
static void worded_formulas_give_their_results(void **state)
{
    const struct asked *asked = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_answer *answer = &asked->answers[i];
        struct formula budget = {.answer = answer, .at = orr_budget_formula(answer->job->engine.budget)};
        assert_near(read_sum(&budget), answer->infer.kv_budget_bytes, 1e-9 * answer->infer.memory_capacity_bytes);
        struct formula decode = {.answer = answer,
                                 .at = orr_metric_info(ORR_JOB_INFER, ORR_INFER_METRIC_DECODE)->formula};
        assert_near(read_sum(&decode), answer->infer.decode_s, 1e-9 * answer->infer.latency_s);
    }
    const struct orr_answer *apart = &asked->answers[APART];
    const char *formula = orr_metric_info(ORR_JOB_INFER, ORR_INFER_METRIC_TIME_KV_TRANSFER)->formula;
    struct formula transfer = {.answer = apart, .at = strchr(formula, ':') + 1}; /* Eq. 95 */
    assert_near(read_sum(&transfer), apart->infer.time_s[ORR_INFER_KV_TRANSFER], 1e-12);
    assert_true(apart->infer.time_s[ORR_INFER_KV_TRANSFER] > 0);
}

/* ---------------------------------------------------------------- glossary */

static void glossary_page_has_the_list(void **state)
{
    (void)state;
    char *page = read_text("docs/glossary.md");
    const char *section = strstr(page, "\n## Inference\n");
    assert_non_null(section);
    for (int i = 0; i < ORR_N_INFER_METRICS; i++) {
        const struct orr_metric_info *info = orr_metric_info(ORR_JOB_INFER, i);
        char row[512];
        (void)snprintf(row, sizeof row, "| `%s` | %s | %s |", info->key, orr_metric_unit_name(info->unit),
                       info->meaning);
        if (!strstr(section, row)) fail_msg("docs/glossary.md lacks %s", row);
    }
    free(page);
}

/* The public header and the metric list say the same about the parts. */
static void parts_mean_what_the_header_says(void **state)
{
    (void)state;
#define X(name, key, meaning) {"time_s." key, meaning},
    static const struct part time_parts[] = {ORR_INFER_PARTS(X)};
#undef X
#define X(name, key, meaning) {"memory_bytes." key, meaning},
    static const struct part memory_parts[] = {ORR_SERVE_MEMORY_PARTS(X)};
#undef X
#define X(name, key, meaning) {"energy_part_j." key, meaning},
    static const struct part energy_parts[] = {ORR_ENERGY_PARTS(X)};
#undef X
    check_parts(ORR_JOB_INFER, ORR_INFER_METRIC_TIME_PREFILL_GEMM, time_parts, ORR_N_INFER_PARTS);
    check_parts(ORR_JOB_INFER, ORR_INFER_METRIC_MEMORY_WEIGHTS, memory_parts, ORR_N_SERVE_MEMORY_PARTS);
    check_parts(ORR_JOB_INFER, ORR_INFER_METRIC_ENERGY_FLOP, energy_parts, ORR_N_ENERGY_PARTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_parts_sum),
        cmocka_unit_test(lines_fit_the_width),
        cmocka_unit_test(long_names_fit_too),
        cmocka_unit_test(no_style_is_eighty_columns),
        cmocka_unit_test(report_is_short_and_says_what_was_asked),
        cmocka_unit_test(colours_are_optional),
        cmocka_unit_test(a_job_that_does_not_fit_says_why),
        cmocka_unit_test(json_follows_the_contract),
        cmocka_unit_test(json_holds_what_can_be_counted),
        cmocka_unit_test(request_echo_gives_the_same_job),
        cmocka_unit_test(csv_row_matches_header_and_json),
        cmocka_unit_test(operator_table_lists_every_product),
        cmocka_unit_test(rows_sum_to_the_parts),
        cmocka_unit_test(heaviest_come_first),
        cmocka_unit_test(waits_are_explained_by_name),
        cmocka_unit_test(dumped_operators_follow_the_contract),
        cmocka_unit_test(other_dumps_are_arrays),
        cmocka_unit_test(explanation_covers_the_report),
        cmocka_unit_test(formulas_give_their_results),
        cmocka_unit_test(worded_formulas_give_their_results),
        cmocka_unit_test(glossary_page_has_the_list),
        cmocka_unit_test(parts_mean_what_the_header_says),
    };
    return cmocka_run_group_tests_name("report_infer", tests, open_requests, close_asked);
}
