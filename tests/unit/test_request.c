/* Requests filled in value by value (orr_form_*), and options put into them (cli/request.c). */
#include "support.h"

#include "request.h"

static struct orr_form *open_form(struct world *w, const char *json)
{
    struct orr_form *form;
    struct orr_error error;
    char text[1024];
    if (json) {
        snprintf(text, sizeof text, "%s", json);
        for (char *c = text; *c; c++) *c = *c == '\'' ? '"' : *c;
    }
    if (orr_form_open(w->catalogue, json ? text : NULL, "form.json", &form, &error)) fail_msg("%s", error.text);
    return form; /* the text given to it is gone */
}

static void set(struct orr_form *form, const char *path, const char *value)
{
    struct orr_error error;
    if (orr_form_set(form, path, value, &error)) fail_msg("%s", error.text);
}

static void check_set(struct world *w, const char *before, const char *path, const char *value, const char *after)
{
    struct orr_form *form = open_form(w, before);
    set(form, path, value);
    char *text = orr_form_text(form), expected[512];
    snprintf(expected, sizeof expected, "%s", after);
    for (char *c = expected; *c; c++) *c = *c == '\'' ? '"' : *c;
    assert_string_equal(text, expected);
    free(text);
    orr_form_close(form);
}

static void values_find_their_place(void **state)
{
    check_set(*state, NULL, "gpus", "8", "{'gpus':'8'}");
    check_set(*state, "{}", "gpus", "8", "{'gpus':'8'}");
    check_set(*state, "{'a':1}", "plan.tp", "8", "{'a':1,'plan':{'tp':'8'}}");
    check_set(*state, "{'plan':{'pp':2}}", "plan.tp", "8", "{'plan':{'pp':2,'tp':'8'}}");
    check_set(*state, NULL, "search.top", "5", "{'search':{'top':'5'}}");
    /* what is no section of a request is a path of "set" */
    check_set(*state, NULL, "chip.tdp_w", "500", "{'set':{'chip.tdp_w':'500'}}");
    check_set(*state, NULL, "workload.engine.alpha", "1", "{'set':{'workload.engine.alpha':'1'}}");
    check_set(*state, NULL, "set.plan.tp", "8", "{'set':{'plan.tp':'8'}}");
    /* a model in place has keys of its own */
    check_set(*state, "{'model':{'a':1}}", "model.b", "2", "{'model':{'a':1,'b':'2'}}");
    check_set(*state, "{'model':'m'}", "model.b", "2", "{'model':'m','set':{'model.b':'2'}}");
}

static void the_last_word_counts(void **state)
{
    check_set(*state, "{'gpus':16,'b':2}", "gpus", "8", "{'b':2,'gpus':'8'}");
    check_set(*state, "{'model':{'x':[{}]},'c':1}", "model", "m", "{'c':1,'model':'m'}");
    check_set(*state, "{'plan':{'pp':2,'tp':1}}", "plan.tp", "8", "{'plan':{'pp':2,'tp':'8'}}");
    check_set(*state, "{'set':{'plan.tp':1}}", "set.plan.tp", "8", "{'set':{'plan.tp':'8'}}");
    check_set(*state, "{'set':{'plan.tp':1}}", "plan.tp", "8", "{'plan':{'tp':'8'},'set':{}}");
    check_set(*state, "{'plan':{'pp':2,'tp':1},'set':{'plan.tp':4}}", "plan.tp", NULL, "{'plan':{'pp':2},'set':{}}");
    check_set(*state, "{'gpus':16}", "gpus", NULL, "{}");
    check_set(*state, "{'gpus':16}", "plan.tp", NULL, "{'gpus':16}");
}

/* Any text is a value: quotes, line breaks, letters of any language; but it must be text. */
static void values_are_text(void **state)
{
    struct orr_form *form = open_form(*state, NULL);
    struct orr_error error;
    set(form, "model", "a\"b\\c\n\x01 d/\xc3\xa9");
    assert_string_equal(orr_form_get(form, "model"), "a\"b\\c\n\x01 d/\xc3\xa9");
    char *text = orr_form_text(form);
    assert_string_equal(text, "{\"model\":\"a\\\"b\\\\c\\n\\u0001 d/\xc3\xa9\"}");
    free(text);
    assert_int_equal(orr_form_set(form, "model", "caf\xe9", &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "form.json: model: the value is not UTF-8 text");
    assert_null(orr_form_get(form, "gpus"));
    assert_null(orr_form_get(form, "plan.tp"));
    orr_form_close(form);
}

/* A section that is no section is left for the reader to name. */
static void what_is_no_request_is_refused(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    const struct orr_job *job;
    static const char *const BROKEN[] = {"", "[]", "3", "{", "{\"a\"", "{\"a\":[", "{a:1}", "{\"a\":\"\\"};
    for (size_t i = 0; i < COUNT(BROKEN); i++) {
        struct orr_form *form;
        assert_int_not_equal(orr_form_open(w->catalogue, BROKEN[i], "form.json", &form, &error), ORR_OK);
        assert_null(form);
    }
    struct orr_form *form = open_form(w, "{'kind':'train','model':'gpt2','system':'h100-sxm',\n'plan':3}");
    set(form, "plan.tp", "2");
    assert_int_equal(orr_form_job(form, &job, &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "form.json:2: plan: must be an object, not 3");
    orr_form_close(form);
}

/* The job of a form whose values change is the one that the same request has when read at once. */
static void a_changed_form_is_the_request_it_says(void **state)
{
    struct world *w = *state;
    static const char *const CHANGES[][2] = {{"plan.tp", "4"},
                                             {"chip.tdp_w", "400"},
                                             {"model", "llama3-8b"},
                                             {"workload.seq", "1024"},
                                             {"chip.tdp_w", NULL},
                                             {"system", "b200-sxm"},
                                             {"workload.engine", "jax-xla"},
                                             {"plan.tp", NULL},
                                             {"set.plan.tp", "2"},
                                             {"plan.tp", "8"},
                                             {"workload.engine", NULL},
                                             {"kind", "infer"},
                                             {"workload.seq", NULL},
                                             {"workload.batch", "4"},
                                             {"workload.draft_model", "gpt2"},
                                             {"workload.draft_tokens", "3"},
                                             {"workload.draft_model", NULL},
                                             {"workload.draft_tokens", NULL},
                                             {"model", "gpt2"},
                                             {"plan.tp", "1"}};
    struct orr_form *form = open_form(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8}");
    struct orr_job *once = malloc(sizeof *once);
    size_t n_read = 0;
    for (size_t i = 0; i < COUNT(CHANGES); i++) {
        struct orr_error of_form = {0}, of_text = {0};
        const struct orr_job *job, *again;
        set(form, CHANGES[i][0], CHANGES[i][1]);
        char *text = orr_form_text(form);
        const enum orr_err err = orr_form_job(form, &job, &of_form);
        assert_int_equal(orr_job_read(w->catalogue, text, "form.json", once, &of_text), err);
        assert_string_equal(of_form.key, of_text.key);
        free(text);
        if (err) continue;
        n_read++;
        struct orr_result a, b;
        assert_int_equal(job->kind, once->kind);
        assert_string_equal(job->model.id, once->model.id);
        assert_string_equal(job->engine.id, once->engine.id);
        assert_int_equal(job->plan.tp, once->plan.tp);
        assert_int_equal(memcmp(&job->draft, &once->draft, sizeof job->draft), 0);
        assert_int_equal(memcmp(&job->system, &once->system, sizeof job->system), 0);
        assert_int_equal(memcmp(&job->serving, &once->serving, sizeof job->serving), 0);
        if (job->kind == ORR_JOB_TRAIN) {
            orr_train(job, w->scratch, &a);
            orr_train(once, w->scratch, &b);
            assert_close(a.step_time_s, b.step_time_s, 0);
        }
        assert_int_equal(orr_form_job(form, &again, NULL), ORR_OK); /* nothing changed: the same one */
        assert_ptr_equal(job, again);
    }
    assert_true(n_read > COUNT(CHANGES) / 2);
    free(once);
    orr_form_close(form);
}

/* Options beat the file, --set beats both, whatever their order; a list is one value. */
static void options_fill_a_form(void **state)
{
    struct world *w = *state;
    static const struct cli_option TP = {.name = "tp", .kind = CLI_TEXT, .section = "plan", .keys = "tp"};
    static const struct cli_option SP = {.name = "sp", .kind = CLI_BOOL, .section = "plan", .keys = "sp"};
    static const struct cli_option LAYERS = {
        .name = "stage-layers", .kind = CLI_LIST, .section = "plan", .keys = "stage_layers"};
    static const struct cli_option DROPOUT = {
        .name = "dropout", .kind = CLI_WORD, .section = "workload", .keys = "a b", .word = "true"};
    static const struct cli_option MODEL = {.name = "model", .kind = CLI_TEXT, .keys = "model"};
    static const struct cli_option SET = {.name = "set", .kind = CLI_SET};
    static const struct cli_option WHERE = {.name = "where", .kind = CLI_WHERE};
    struct cli_given given[] = {{.option = &SET, .value = "plan.tp=4"},
                                {.option = &TP, .value = "2"},
                                {.option = &SP, .negated = true},
                                {.option = &LAYERS, .value = "12,,x"},
                                {.option = &DROPOUT},
                                {.option = &MODEL, .value = "m"},
                                {.option = &WHERE, .value = "tpot_s<=1"},
                                {.option = &WHERE, .value = "gpus<9"},
                                {.option = &SET, .value = "chip.name=a=b"}};
    const struct cli_args args = {.given = given, .n_given = COUNT(given)};
    struct orr_form *form;
    assert_int_equal(cli_request_form(&args, w->catalogue, ORR_JOB_INFER, "", &form), CLI_ANSWERED);
    char *text = orr_form_text(form);
    assert_string_equal(text, "{\"kind\":\"infer\",\"model\":\"m\",\"plan\":{\"sp\":\"false\",\"stage_layers\":[\"12\","
                              "\"\",\"x\"],\"tp\":\"2\"},\"search\":{\"limits\":[\"tpot_s<=1\",\"gpus<9\"]},\"set\":{"
                              "\"chip.name\":\"a=b\",\"plan.tp\":\"4\"},\"workload\":{\"a\":\"true\",\"b\":\"true\"}}");
    free(text);
    orr_form_close(form);
}

static void nearest_names(void **state)
{
    (void)state;
    static const char *const names[] = {"tp", "pp", "global-batch", "micro-batch"};
    assert_string_equal(cli_nearest("globl-batch", names, 4), "global-batch");
    assert_string_equal(cli_nearest("TP", names, 4), "tp");
    assert_null(cli_nearest("precision", names, 4));
    assert_null(cli_nearest("", names, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_find_their_place),
        cmocka_unit_test(the_last_word_counts),
        cmocka_unit_test(values_are_text),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(a_changed_form_is_the_request_it_says),
        cmocka_unit_test(options_fill_a_form),
        cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests_name("request", tests, open_world, close_world);
}
