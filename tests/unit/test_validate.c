/* Validation: CSV text, statistics by hand, the three schemas of measurement tables, and the accuracy this version
 * promises on the tables that come with it. */
#include "base/text.h"
#include "support.h"

#include <jansson.h>

#include "spec/csv.h"
#include "validate/validate.h"

/* ---------------------------------------------------------------- CSV */

static void cells_may_be_quoted(void **state)
{
    (void)state;
    struct orr_csv csv;
    struct orr_error error;
    const char *text = "id,\"the, value\",note\r\n"
                       "a,1,plain\r\n"
                       "\r\n"
                       "b,\"2,5\",\"say \"\"hi\"\"\"\r\n"
                       "c,,\"two\nlines\"\n"
                       "d,4,last without a line break";
    assert_int_equal(orr_csv_parse(text, "test.csv", &csv, &error), ORR_OK);
    assert_int_equal(csv.n_columns, 3);
    assert_int_equal(csv.n_rows, 4);
    assert_string_equal(csv.names[1], "the, value");
    assert_string_equal(orr_csv_cell(&csv, 0, "note"), "plain");
    assert_string_equal(orr_csv_cell(&csv, 1, "the, value"), "2,5");
    assert_string_equal(orr_csv_cell(&csv, 1, "note"), "say \"hi\"");
    assert_string_equal(orr_csv_cell(&csv, 2, "the, value"), "");
    assert_string_equal(orr_csv_cell(&csv, 2, "note"), "two\nlines");
    assert_string_equal(orr_csv_cell(&csv, 3, "note"), "last without a line break");
    assert_string_equal(orr_csv_cell(&csv, 0, "absent"), "");
    assert_true(orr_csv_has(&csv, "note"));
    assert_false(orr_csv_has(&csv, "Note"));
    const int lines[] = {2, 4, 5, 7};
    for (size_t i = 0; i < 4; i++) assert_int_equal(csv.lines[i], lines[i]);
    orr_csv_free(&csv);
}

/* Spreadsheets begin a file with a byte order mark; it is no part of the first name. */
static void a_byte_order_mark_is_no_letter(void **state)
{
    (void)state;
    struct orr_csv csv;
    struct orr_error error;
    assert_int_equal(orr_csv_parse("\xef\xbb\xbfid,value\na,1\n", "test.csv", &csv, &error), ORR_OK);
    assert_string_equal(csv.names[0], "id");
    assert_string_equal(orr_csv_cell(&csv, 0, "id"), "a");
    orr_csv_free(&csv);
}

static void assert_csv_error(const char *text, int line, const char *words)
{
    struct orr_csv csv;
    struct orr_error error;
    assert_int_equal(orr_csv_parse(text, "test.csv", &csv, &error), ORR_ERR_SYNTAX);
    assert_int_equal(error.line, line);
    assert_string_equal(error.file, "test.csv");
    if (!strstr(error.text, words)) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    assert_null(csv.storage);
    assert_int_equal(csv.n_rows, 0);
}

static void csv_errors_have_a_line(void **state)
{
    (void)state;
    assert_csv_error("a,b\n1,2\n3\n", 3, "1 cells where the header has 2");
    assert_csv_error("a,b\n1,2\n3,4,5\n", 3, "3 cells where the header has 2");
    assert_csv_error("a,b\n\"x\ny\",2\n\n3,\"open\n", 5, "quote is never closed");
    assert_csv_error("a,\"b\n1,2\n", 1, "quote is never closed");
}

static void empty_tables_have_no_rows(void **state)
{
    (void)state;
    struct orr_csv csv;
    struct orr_error error;
    assert_int_equal(orr_csv_parse("a,b\n", "test.csv", &csv, &error), ORR_OK);
    assert_int_equal(csv.n_rows, 0);
    orr_csv_free(&csv);
    assert_int_equal(orr_csv_parse("", "test.csv", &csv, &error), ORR_OK);
    assert_int_equal(csv.n_columns, 1);
    assert_int_equal(csv.n_rows, 0);
    orr_csv_free(&csv);
}

/* ---------------------------------------------------------------- statistics */

static const char *source_of(const struct orr_score *score)
{
    return score->source;
}

/* Errors -10, +2, +5, -1, +4 %: sorted by size 1 2 4 5 10: mean 4.4, median 4, 90th percentile 5 + 0.6 * 5 = 8, maximum
 * 10; the middle of -10 -1 2 4 5 is +2. Three of the four timed ones lie inside. The skipped row does not count. */
static void statistics_by_hand(void **state)
{
    (void)state;
    struct orr_score scores[] = {
        {.source = "x", .error = -0.10, .timed = true, .covered = false},
        {.source = "x", .error = 0.02, .timed = true, .covered = true},
        {.source = "x", .error = 0.05},
        {.source = "x", .error = -0.01, .timed = true, .covered = true},
        {.source = "x", .error = 0.04, .timed = true, .covered = true},
        {.source = "x", .error = 9, .skipped = "why"},
        {.source = "y", .error = 0.5},
    };
    const struct orr_validation validation = {.n_scores = COUNT(scores), .scores = scores};
    const struct orr_error_stats stats = orr_score_stats(&validation, source_of, "x");
    assert_int_equal(stats.n, 5);
    assert_close(stats.mape_frac, 0.044, 1e-12);
    assert_close(stats.median_frac, 0.04, 1e-12);
    assert_close(stats.p90_frac, 0.08, 1e-12);
    assert_close(stats.max_frac, 0.10, 1e-12);
    assert_close(stats.bias_frac, 0.02, 1e-12);
    assert_close(stats.coverage80_frac, 0.75, 1e-12);
    assert_close(stats.spread_frac, 0.03 / 1.02, 1e-12); /* 1.05 and 0.99 over 1.02 are the middle ones */
    assert_close(orr_validation_mape_frac(&validation), (5 * 0.044 + 0.5) / 6, 1e-12);
    const struct orr_error_stats y = orr_score_stats(&validation, source_of, "y");
    assert_int_equal(y.n, 1);
    assert_close(y.p90_frac, 0.5, 1e-12);
    assert_true(isnan(y.coverage80_frac));
    assert_int_equal(orr_score_stats(&validation, source_of, "none").n, 0);
}

/* ---------------------------------------------------------------- schemas */

#define TRAINING                                                                                                       \
    "id,source,model,system,gpus,tp,pp,dp,seq,micro_batch,global_batch,precision,engine,metric,value,notes\n"
#define SAME ",llama2-7b,a100-80g-sxm,8,1,1,8,4096,1,64,bf16,generic,"
#define ROW  ",test" SAME

/* A row's prediction is that of the request it describes; a throughput's error is that of its time. */
static void throughput_is_inverted(void **state)
{
    struct world *w = *state;
    read_job(
        w,
        "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','gpus':8,'plan':{'dp':8},'workload':{'seq':4096,"
        "'micro_batch':1,'global_batch':64,'precision':'bf16','engine':'generic'}}");
    train(w);
    const double step_s = w->result.step_time_s, rate = 64 * 4096 / step_s / 8;
    char csv[2048];
    snprintf(csv, sizeof csv,
             TRAINING "a" ROW "step_time_s,%.17g,\nb" ROW "tokens_per_s_per_gpu,%.17g,\nc" ROW
                      "peak_memory_gib,%.17g,\n",
             step_s / 1.1, rate * 1.25, w->result.memory.total_bytes / GIB * 2);
    struct orr_validation *v = validate_csv(w, csv);
    assert_int_equal(v->n_rows, 3);
    assert_int_equal(v->n_scores, 3);
    assert_close(v->scores[0].predicted, step_s, 1e-12);
    assert_close(v->scores[0].error, 0.1, 1e-9);
    assert_close(v->scores[1].predicted, rate, 1e-12);
    assert_close(v->scores[1].error, 0.25, 1e-9); /* measured 1.25 times as fast: the predicted time is 25 % too long */
    assert_close(v->scores[2].error, -0.5, 1e-9);
    assert_true(v->scores[0].timed && v->scores[1].timed && !v->scores[2].timed);
    assert_string_equal(v->scores[0].id, "a");
    orr_validation_free(v);
}

/* Sequence parallelism is 1 or 0, or a word of a request; anything else is no silent default. */
static void sequence_parallel_is_read_or_refused(void **state)
{
    struct orr_validation *v =
        validate_csv(*state, "id,model,system,gpus,tp,sp,seq,micro_batch,global_batch,metric,value\n"
                             "a,llama3-8b,h100-sxm,8,8,1,8192,1,8,step_time_s,1\n"
                             "b,llama3-8b,h100-sxm,8,8,1.0,8192,1,8,step_time_s,1\n"
                             "c,llama3-8b,h100-sxm,8,8,true,8192,1,8,step_time_s,1\n"
                             "d,llama3-8b,h100-sxm,8,8,0,8192,1,8,step_time_s,1\n"
                             "e,llama3-8b,h100-sxm,8,8,perhaps,8192,1,8,step_time_s,1\n");
    assert_close(v->scores[1].predicted, v->scores[0].predicted, 0);
    assert_close(v->scores[2].predicted, v->scores[0].predicted, 0);
    assert_true(fabs(v->scores[3].predicted / v->scores[0].predicted - 1) > 1e-3);
    assert_non_null(strstr(v->scores[4].skipped, "plan.sp"));
    orr_validation_free(v);
}

/* Rows that cannot be scored say why and leave the others alone. */
static void skipped_rows_say_why(void **state)
{
    struct world *w = *state;
    struct orr_validation *v =
        validate_csv(w, TRAINING "a" ROW "step_time_s,10,\n"
                                 "b" ROW "furlongs,10,\n"
                                 "c" ROW "step_time_s,0,\n"
                                 "d" ROW "step_time_s,ten,\n"
                                 "e,test,no-such-model,a100-80g-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,10,\n"
                                 "f,test,llama2-7b,a100-80g-sxm,8,3,1,8,4096,1,64,bf16,generic,step_time_s,10,\n");
    const char *const words[] = {"", "unknown metric \"furlongs\"", "positive number", "\"ten\"", "no-such-model", ""};
    assert_int_equal(v->n_scores, 6);
    for (size_t i = 0; i < 6; i++) {
        if (!strstr(v->scores[i].skipped, words[i]))
            fail_msg("\"%s\" does not say \"%s\"", v->scores[i].skipped, words[i]);
        assert_int_equal(v->scores[i].skipped[0] == '\0', i == 0);
    }
    assert_int_equal(orr_score_stats(v, NULL, NULL).n, 1);
    orr_validation_free(v);
}

static void lab_rows_give_time_memory_and_verdict(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_csv(
        w, "id,model,style,layers,hidden,heads,ffn,vocab,precision,attention,dropout,recompute,compiled,seq,"
           "micro_batch,step_s,peak_bytes\n"
           "a,x,gpt,24,2048,16,8192,51200,bf16,flash,0.0,none,0,2048,2,0.084,34599000000\n"
           "b,x,gpt,24,2048,16,8192,51200,bf16,flash,0.0,none,0,2048,512,,\n");
    assert_int_equal(v->n_rows, 2);
    assert_int_equal(v->n_verdicts, 2);
    assert_int_equal(v->n_wrong_verdicts, 0); /* 512 sequences do not fit in 141 GB */
    assert_int_equal(v->n_scores, 3);
    assert_string_equal(v->scores[0].metric, "step_time_s");
    assert_close(v->scores[0].measured, 0.084, 1e-12);
    assert_string_equal(v->scores[1].metric, "peak_memory_gib");
    assert_close(v->scores[1].measured, 34599000000 / GIB, 1e-12);
    assert_non_null(strstr(v->scores[2].skipped, "out of memory, predicted not to fit"));
    orr_validation_free(v);
}

static void layer_rows_give_one_layer(void **state)
{
    struct world *w = *state;
#define LAYER "t,gpt-22b,a100-80g-sxm,8,8,0,2048,4,fp16,full,unfused,"
    struct orr_validation *v = validate_csv(
        w, "source,model,system,gpus,tp,sp,seq,micro_batch,precision,recompute,attention,phase,time_s\n" LAYER
           "forward,0.0077\n" LAYER "backward,0.0195\n" LAYER "forward+backward,0.0272\n");
    assert_int_equal(v->n_scores, 3);
    assert_close(v->scores[0].predicted + v->scores[1].predicted, v->scores[2].predicted, 1e-12);
    /* 24 B s h^2 (1 + s / (6 h)) FLOP over 8 GPUs at no more than 312 TFLOP/s, and backward with recomputation 3 times
     * that */
    const double least_s = 24.0 * 4 * 2048 * 6144 * 6144 * (1 + 2048 / (6 * 6144.0)) / 8 / 312e12;
    assert_true(v->scores[0].predicted > least_s && v->scores[0].predicted < 3 * least_s);
    assert_true(v->scores[1].predicted > 3 * least_s);
    orr_validation_free(v);
}

static void files_add_up(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_validation *v = validate_csv(w, TRAINING "a" ROW "step_time_s,10,\n");
    assert_int_equal(orr_validate(w->catalogue, TRAINING "b" ROW "step_time_s,20,\n", "second.csv", &v, &error),
                     ORR_OK);
    assert_int_equal(v->n_scores, 2);
    /* an error keeps what there was */
    assert_int_equal(orr_validate(w->catalogue, "a,b\n1,2\n", "third.csv", &v, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "third.csv"));
    assert_non_null(strstr(error.text, "not a measurement table"));
    assert_int_equal(orr_validate(w->catalogue, TRAINING "\"b\n", "fourth.csv", &v, &error), ORR_ERR_SYNTAX);
    assert_int_equal(v->n_scores, 2);
    assert_string_equal(v->scores[0].id, "a");
    assert_close(v->scores[1].measured, 20, 0);
    orr_validation_free(v);
    v = NULL;
    assert_int_equal(orr_validate(w->catalogue, "a,b\n1,2\n", "third.csv", &v, &error), ORR_ERR_INPUT);
    assert_null(v);
}

/* ---------------------------------------------------------------- groups and pages */

static const struct orr_error_stats *find_group(json_t *groups, const char *value, struct orr_error_stats *stats)
{
    size_t i;
    json_t *group;
    json_array_foreach(groups, i, group)
    {
        if (strcmp(json_string_value(json_object_get(group, "value")), value) != 0) continue;
        stats->n = (size_t)json_integer_value(json_object_get(group, "rows"));
        stats->mape_frac = json_real_value(json_object_get(group, "mape"));
        return stats;
    }
    return NULL;
}

static json_t *report_json(const struct orr_validation *v)
{
    char *text = orr_validation_render(v, ORR_FORMAT_JSON, NULL);
    assert_non_null(text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

/* Any column groups; numbers ascend, an empty cell and a file without the column are "not given". */
static void any_column_groups(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_validation *v =
        validate_csv(w, TRAINING "a,t,llama2-7b,a100-80g-sxm,16,1,2,8,4096,1,64,bf16,generic,step_time_s,10,\n"
                                 "b,t,llama2-7b,a100-80g-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,10,\n"
                                 "c,t,llama2-7b,a100-80g-sxm,80,1,10,8,4096,1,80,bf16,generic,furlongs,10,\n"
                                 "d,t,llama2-7b,a100-80g-sxm,8,1,,8,4096,1,64,bf16,generic,step_time_s,20,\n"
                                 "e,t,llama2-7b,a100-80g-sxm,16,1,2,8,4096,1,64,bf16,generic,step_time_s,20,\n");
    assert_int_equal(orr_validate(w->catalogue,
                                  "id,model,style,layers,hidden,heads,ffn,vocab,precision,attention,dropout,recompute,"
                                  "compiled,seq,micro_batch,step_s,peak_bytes\n"
                                  "f,x,gpt,24,2048,16,8192,51200,bf16,flash,0.0,none,0,2048,2,0.084,34599000000\n",
                                  "lab.csv", &v, &error),
                     ORR_OK);
    json_t *json = report_json(v);
    assert_null(json_object_get(json, "by")); /* only when asked */
    json_decref(json);
    assert_int_equal(orr_validation_group(v, "pp", &error), ORR_OK);
    json = report_json(v);
    json_t *by = json_object_get(json, "by"), *groups = json_object_get(by, "groups");
    assert_string_equal(json_string_value(json_object_get(by, "field")), "pp");
    const char *const order[] = {"1", "2", "not given"}; /* the skipped 10 is no group */
    assert_int_equal(json_array_size(groups), COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(groups, i), "value")), order[i]);
    struct orr_error_stats stats;
    assert_non_null(find_group(groups, "2", &stats));
    assert_int_equal(stats.n, 2);
    assert_close(stats.mape_frac, (fabs(v->scores[0].error) + fabs(v->scores[4].error)) / 2, 1e-9);
    assert_non_null(find_group(groups, "not given", &stats));
    assert_int_equal(stats.n, 3); /* d, and time and memory of the lab step */
    json_decref(json);
    char *text = orr_validation_render(v, ORR_FORMAT_TERMINAL, &(struct orr_style){.width = 100});
    assert_non_null(strstr(text, "\n  pp "));
    free(text);
    orr_validation_free(v);
}

/* Several columns group at once, each on its own, and only the rows that meet the conditions are left. */
static void rows_are_chosen_and_grouped_by_several_columns(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_validation *v =
        validate_csv(w, "id,source,model,system,gpus,tp,pp,dp,seq,micro_batch,global_batch,"
                        "precision,engine,metric,value,state\n"
                        "a,t,llama2-7b,a100-80g-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,20,\n"
                        "b,t,llama2-7b,a100-80g-sxm,8,2,1,4,4096,1,64,bf16,generic,step_time_s,20,\n"
                        "c,t,llama2-7b,a100-80g-sxm,16,2,1,8,4096,1,64,bf16,generic,"
                        "step_time_s,20,slow\n"
                        "d,t,llama2-7b,a100-80g-sxm,16,2,1,8,4096,1,64,bf16,generic,"
                        "peak_memory_gib,20,\n");
    assert_int_equal(orr_validation_keep(v, "metric=step_time_s,state=", &error), ORR_OK);
    assert_int_equal(v->n_scores, 2);
    assert_string_equal(v->scores[1].id, "b");
    assert_int_equal(orr_validation_group(v, "tp,gpus", &error), ORR_OK);
    json_t *json = report_json(v), *more = json_object_get(json, "by_more");
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "by"), "field")), "tp");
    assert_int_equal(json_array_size(json_object_get(json_object_get(json, "by"), "groups")), 2);
    assert_int_equal(json_array_size(more), 1);
    assert_int_equal(json_array_size(json_object_get(json_array_get(more, 0), "groups")), 1); /* 8 GPUs */
    json_decref(json);
    assert_int_equal(orr_validation_group(v, "tp,pp,dp,gpus,seq", &error), ORR_ERR_INPUT);
    assert_int_equal(orr_validation_keep(v, "tp", &error), ORR_ERR_INPUT);
    assert_int_equal(orr_validation_keep(v, "system=a100-80g", &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "no row has system \"a100-80g\" (did you mean \"a100-80g-sxm\"?)");
    assert_int_equal(orr_validation_keep(v, "tp=1,gpus=16", &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "no row that is scored meets all of \"tp=1,gpus=16\"");
    orr_validation_free(v);
}

/* What the validator fills in itself groups too; a column nobody has is an error that names those there are. */
static void unknown_columns_are_errors(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_validation *v = validate_csv(w, TRAINING "a" ROW "step_time_s,10,\nb" ROW "peak_memory_gib,10,\n");
    assert_int_equal(orr_validation_group(v, "class", &error), ORR_OK);
    assert_string_equal(v->scores[0].by[0], "training, dense, calibrated");
    assert_string_equal(v->scores[1].by[0], "peak memory");
    assert_int_equal(orr_validation_group(v, "engin", &error), ORR_ERR_INPUT);
    const char *const words[] = {"\"engin\"", "did you mean \"engine\"?", "source, model, system, metric",
                                 "global_batch"};
    for (size_t i = 0; i < COUNT(words); i++)
        if (!strstr(error.text, words[i])) fail_msg("\"%s\" does not say %s", error.text, words[i]);
    assert_string_equal(v->by[0], "class"); /* stays */
    orr_validation_free(v);
}

/* The data of a page: the JSON of its one script element that is no program. */
static json_t *page_data(const char *page)
{
    static const char BEGIN[] = "<script type=\"application/json\" id=\"data\">";
    const char *data = strstr(page, BEGIN), *end = data ? strstr(data, "</script>") : NULL;
    assert_non_null(data);
    assert_non_null(end);
    data += strlen(BEGIN);
    json_t *json = json_loadb(data, (size_t)(end - data), 0, NULL);
    assert_non_null(json);
    return json;
}

static const char *cell_of(const json_t *json, size_t row, size_t column)
{
    const json_t *rows = json_object_get(json_object_get(json_object_get(json, "replies"), "rows"), "rows");
    return json_string_value(json_array_get(json_array_get(rows, row), column));
}

/* Text from a CSV is text in the page, whatever it looks like; every row is one of its rows, with the reason if it was
 * skipped. */
static void page_is_well_formed_and_escaped(void **state)
{
    enum { ID, SOURCE, SKIPPED = 9 };
    struct world *w = *state;
    struct orr_validation *v = validate_csv(
        w, TRAINING "a,\"<script>alert('x')</script> & \"\"co\"\"\",llama2-7b,a100-80g-sxm,8,1,1,8,4096,1,64,"
                    "bf16,generic,step_time_s,10,\n"
                    "b" ROW "tokens_per_s_per_gpu,3000,\n"
                    "<b>c" ROW "furlongs,10,\n"
                    "d" ROW "peak_memory_gib,30,\n");
    char *page = orr_validation_render(v, ORR_FORMAT_HTML, NULL);
    assert_non_null(page);
    assert_null(strstr(page, "<script>alert")); /* nor "</script>" amid the data, which would end it */
    json_t *json = page_data(page);
    assert_string_equal(cell_of(json, 0, SOURCE), "<script>alert('x')</script> & \"co\"");
    assert_string_equal(cell_of(json, 0, SKIPPED), "");
    assert_string_equal(cell_of(json, 2, ID), "<b>c");
    assert_non_null(strstr(cell_of(json, 2, SKIPPED), "unknown metric \"furlongs\""));
    assert_string_equal(cell_of(json, 3, ID), "d");
    assert_null(cell_of(json, 4, ID));
    json_decref(json);
    free(page);
    orr_validation_free(v);
    v = validate_csv(w, TRAINING "c" ROW "furlongs,10,\n");
    page = orr_validation_render(v, ORR_FORMAT_HTML, NULL); /* nothing measured, still a page */
    json_decref(page_data(page));
    free(page);
    orr_validation_free(v);
}

static size_t count_words(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) n++;
    return n;
}

/* The table names every regime; rows of one source say nothing about another. */
static void intervals_print_as_a_table(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_csv(w, TRAINING "a" ROW "step_time_s,10,\n");
    char *table = orr_validation_render(v, ORR_FORMAT_INTERVALS, NULL),
         *text = orr_validation_render(v, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(table);
    assert_int_equal(strncmp(table, "/* Written by tools/check_drift.sh --record", 43), 0);
    assert_int_equal(count_words(table, "    X("), ORR_N_REGIMES);
    assert_non_null(strstr(text, "80 % intervals: "));
    assert_null(strstr(text, "leaving each source out"));
    json_t *json = report_json(v);
    assert_true(json_is_null(json_object_get(json, "coverage80_left_out")));
    json_decref(json);
    free(table);
    free(text);
    orr_validation_free(v);
}

/* Lab steps and layer times without a usable number are skipped with the reason. */
static void numbers_must_be_positive(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_csv(
        w, "id,model,style,layers,hidden,heads,ffn,vocab,precision,attention,dropout,recompute,compiled,seq,"
           "micro_batch,step_s,peak_bytes,source\n"
           "a,x,gpt,24,2048,16,8192,51200,bf16,flash,0.0,none,0,2048,2,-1,34599000000,mine\n"
           "b,x,gpt,24,2048,16,8192,51200,bf16,flash,0.0,none,0,2048,2,0.084,many,\n");
    assert_non_null(strstr(v->scores[0].skipped, "step_s must be a positive number, not \"-1\""));
    assert_string_equal(v->scores[0].source, "mine");
    assert_string_equal(v->scores[1].source, "orrery-lab H200 training");
    assert_non_null(strstr(v->scores[2].skipped, "peak_bytes must be a positive number, not \"many\""));
    orr_validation_free(v);
    v = validate_csv(w,
                     "source,model,system,gpus,tp,sp,seq,micro_batch,precision,recompute,attention,phase,time_s\n" LAYER
                     "forward,\n" LAYER "sideways,1\n");
    assert_non_null(strstr(v->scores[0].skipped, "time_s must be a positive number"));
    assert_non_null(strstr(v->scores[1].skipped, "unknown phase \"sideways\""));
    orr_validation_free(v);
}

/* ---------------------------------------------------------------- accuracy of this version */

static struct orr_validation *validate_file(struct world *w, const char *path)
{
    char *text = read_text(path);
    struct orr_validation *validation = validate_csv(w, text);
    free(text);
    return validation;
}

static void assert_bar(const struct orr_validation *v, const char *source, size_t rows, double mean, double max)
{
    const struct orr_error_stats stats = orr_score_stats(v, source_of, source);
    assert_int_equal(stats.n, rows);
    print_message("# %s: mean %.2f %%, max %.2f %%\n", source, 100 * stats.mape_frac, 100 * stats.max_frac);
    assert_at_most(stats.mape_frac, mean);
    assert_at_most(stats.max_frac, max);
}

/* The published step times of Korthikanti et al. 2022 and Narayanan et al. SC21. */
static void published_steps_are_met(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_file(w, "validation/training.csv");
    assert_bar(v, "Korthikanti et al. 2022 Table 5", 8, 0.04, 0.08);
    /* the bar is 6 %; the rows are tagged with the code of 2022 and come out 6.5 % fast: a miss, held where it is */
    assert_bar(v, "Megatron-LM SC21 Table 1", 10, 0.07, 0.11);
    for (size_t i = 0; i < v->n_scores; i++)
        if (v->scores[i].skipped[0]) print_message("# %s: %s\n", v->scores[i].id, v->scores[i].skipped);
    assert_int_equal(orr_score_stats(v, NULL, NULL).n, v->n_scores); /* every row can be predicted */
    orr_validation_free(v);
}

/* The same SC21 rows with the engine of their year, which adds gradients in a pass of its own. */
static void the_engine_of_the_year_meets_the_bar(void **state)
{
    struct world *w = *state;
    char *text = read_text("validation/training.csv");
    for (char *at = text; (at = strstr(at, "Megatron-LM SC21 Table 1")) != NULL; at++) {
        char *end = strchr(at, '\n'), *engine = strstr(at, "megatron-lm-2022");
        if (engine && engine < end) engine[strlen("megatron-lm-202")] = '1';
    }
    struct orr_validation *v = validate_csv(w, text);
    free(text);
    assert_bar(v, "Megatron-LM SC21 Table 1", 10, 0.06, 0.10);
    orr_validation_free(v);
}

/* Korthikanti et al. 2022, table 4: forward and backward of one 22B layer. */
static void layer_times_are_met(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_file(w, "validation/layer_times.csv");
    assert_int_equal(v->n_scores, 15);
    assert_bar(v, "Korthikanti et al. 2022 Table 4", 15, 0.05, 0.10);
    orr_validation_free(v);
}

static const char *metric_of(const struct orr_score *score)
{
    return score->metric;
}

static void lab_steps_are_met(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = validate_file(w, "validation/training_lab_h200.csv");
    const struct orr_error_stats time = orr_score_stats(v, metric_of, "step_time_s");
    const struct orr_error_stats memory = orr_score_stats(v, metric_of, "peak_memory_gib");
    print_message("# lab: time median %.2f %%, memory median %.2f %%, %d of %d verdicts wrong\n",
                  100 * time.median_frac, 100 * memory.median_frac, (int)v->n_wrong_verdicts, (int)v->n_verdicts);
    assert_true(time.n > 100);
    assert_int_equal(time.n, memory.n);
    assert_at_most(time.median_frac, 0.06);
    assert_at_most(memory.median_frac, 0.02);
    assert_int_equal(v->n_verdicts, v->n_rows);
    assert_int_equal(v->n_wrong_verdicts, 0);
    orr_validation_free(v);
}

/* ---------------------------------------------------------------- inference */

/* Which rows of the inference table a bar is about; NULL or "": any. An inference row has one score, in its order. */
struct bar {
    const char *source, *engines[2], *metric;
    double mean, median, max; /* 0: not promised */
};

static bool in_bar(const struct orr_validation *v, size_t i, const struct bar *bar)
{
    const struct orr_score *score = &v->scores[i];
    const char *engine = orr_csv_cell(&v->csvs[0], i, "engine");
    if (bar->source && strcmp(score->source, bar->source) != 0) return false;
    if (bar->metric && strcmp(score->metric, bar->metric) != 0) return false;
    if (!bar->engines[0]) return true;
    return strcmp(engine, bar->engines[0]) == 0 || (bar->engines[1] && strcmp(engine, bar->engines[1]) == 0);
}

static struct orr_error_stats bar_stats(const struct orr_validation *v, const struct bar *bar)
{
    struct orr_validation chosen = {0};
    chosen.scores = calloc(v->n_scores, sizeof *chosen.scores);
    assert_non_null(chosen.scores);
    for (size_t i = 0; i < v->n_scores; i++)
        if (in_bar(v, i, bar)) chosen.scores[chosen.n_scores++] = v->scores[i];
    const struct orr_error_stats stats = orr_score_stats(&chosen, NULL, NULL);
    free(chosen.scores);
    return stats;
}

#define GRAPHS                                                                                                         \
    {                                                                                                                  \
        "pytorch-compiled-pointwise-cudagraph", "pytorch-eager-cudagraph"                                              \
    }
static const struct bar BARS[] = {
    {.source = "NVIDIA NeMo Llama-2 200/200", .mean = 0.04, .max = 0.10},
    {.source = "FasterTransformer GPT guide", .median = 0.07},
    {.source = "TensorRT-LLM performance overview 0.9.0 (static batch)", .median = 0.09},
    {.source = "orrery-lab H200", .engines = GRAPHS, .metric = "decode_step_s", .median = 0.04},
    {.source = "orrery-lab H200", .engines = GRAPHS, .metric = "prefill_s", .median = 0.09},
    {.median = 0.07},
};

static void inference_bars_are_met(void **state)
{
    struct world *w = *state;
    FILE *file = fopen("validation/inference.csv", "rb");
    if (!file) {
        print_message("# validation/inference.csv is not here\n");
        skip();
    }
    fclose(file);
    struct orr_validation *v = validate_file(w, "validation/inference.csv");
    assert_int_equal(v->n_scores, v->n_rows);
    bool met = true;
    for (size_t i = 0; i < COUNT(BARS); i++) {
        const struct orr_error_stats stats = bar_stats(v, &BARS[i]);
        const bool here = stats.n > 0 && (BARS[i].mean <= 0 || stats.mape_frac <= BARS[i].mean) &&
                          (BARS[i].median <= 0 || stats.median_frac <= BARS[i].median) &&
                          (BARS[i].max <= 0 || stats.max_frac <= BARS[i].max);
        print_message("# %s %s: %d rows, mean %.2f %%, median %.2f %%, max %.2f %%, bias %+.2f %%%s\n",
                      BARS[i].source ? BARS[i].source : "all rows", BARS[i].metric ? BARS[i].metric : "", (int)stats.n,
                      100 * stats.mape_frac, 100 * stats.median_frac, 100 * stats.max_frac, 100 * stats.bias_frac,
                      here ? "" : " (missed)");
        met = met && here;
    }
    for (size_t i = 0; i < v->n_scores; i++)
        if (v->scores[i].skipped[0]) print_message("# %s: %s\n", v->scores[i].id, v->scores[i].skipped);
    orr_validation_free(v);
    assert_true(met);
}

/* Runs for comparison: the first of those that lie within 0.05 of each other, whichever source they are of. Twice the
 * GPUs are 0.03 away, four times 0.06 (Eq. 187); rows that are skipped are no runs. */
static void runs_print_as_a_table(void **state)
{
    struct world *w = *state;
    struct orr_text csv = {0};
    orr_text_add(&csv, "%s", TRAINING);
    for (int i = 0; i < 20; i++) orr_text_add(&csv, "r%02d,one" SAME "step_time_s,%d,\n", i, 10 + i);
    for (int i = 0; i < 3; i++) orr_text_add(&csv, "s%02d,two" SAME "step_time_s,%d,\n", i, 10 + i);
    orr_text_add(&csv, "bad,two" SAME "step_time_s,-1,\n");
    orr_text_add(&csv, "far,two,llama2-7b,a100-80g-sxm,4096,1,1,4096,4096,1,32768,bf16,generic,step_time_s,10,\n");
    struct orr_validation *v = validate_csv(w, csv.data);
    char *table = orr_validation_render(v, ORR_FORMAT_RUNS, NULL);
    assert_int_equal(strncmp(table, "/* Written by tools/check_drift.sh --record", 43), 0);
    assert_int_equal(count_words(table, "    X(\"one\", \"r"), 1);
    assert_non_null(strstr(table, "\"r00\""));
    assert_int_equal(count_words(table, "    X(\"two\", \"s"), 0);
    assert_non_null(strstr(table, "\"far\""));
    assert_null(strstr(table, "\"bad\""));
    free(table);
    free(csv.data);
    orr_validation_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_may_be_quoted),
        cmocka_unit_test(a_byte_order_mark_is_no_letter),
        cmocka_unit_test(csv_errors_have_a_line),
        cmocka_unit_test(empty_tables_have_no_rows),
        cmocka_unit_test(statistics_by_hand),
        cmocka_unit_test(throughput_is_inverted),
        cmocka_unit_test(sequence_parallel_is_read_or_refused),
        cmocka_unit_test(skipped_rows_say_why),
        cmocka_unit_test(lab_rows_give_time_memory_and_verdict),
        cmocka_unit_test(layer_rows_give_one_layer),
        cmocka_unit_test(files_add_up),
        cmocka_unit_test(any_column_groups),
        cmocka_unit_test(unknown_columns_are_errors),
        cmocka_unit_test(rows_are_chosen_and_grouped_by_several_columns),
        cmocka_unit_test(page_is_well_formed_and_escaped),
        cmocka_unit_test(intervals_print_as_a_table),
        cmocka_unit_test(numbers_must_be_positive),
        cmocka_unit_test(published_steps_are_met),
        cmocka_unit_test(the_engine_of_the_year_meets_the_bar),
        cmocka_unit_test(layer_times_are_met),
        cmocka_unit_test(lab_steps_are_met),
        cmocka_unit_test(inference_bars_are_met),
        cmocka_unit_test(runs_print_as_a_table),
    };
    return cmocka_run_group_tests_name("validate", tests, open_world, close_world);
}
