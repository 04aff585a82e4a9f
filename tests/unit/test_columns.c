/* Columns of measurement tables: what they say of a row, and names that are none. */
#include "support.h"

#include "validate/columns.h"

/* Facts beside the usual degrees are columns of their own; prose says nothing. */
static void facts_are_columns(void **state)
{
    struct world *w = *state;
#define MOE ",mixtral-8x7b,h100-sxm,64,4,1,16,8,3,4096,1,64,bf16,"
    struct orr_validation *v = validate_csv(
        w, "id,model,system,gpus,tp,pp,dp,ep,zero,seq,micro_batch,global_batch,precision,engine,metric,value,"
           "etp,zero_group,framework,overlap,notes\n"
           "a" MOE "megatron-core-2025,step_time_s,1,,,,,\n"
           "b" MOE "megatron-core-2025,step_time_s,1,,,,,\"ETP 1; FSDP group 8; JAX MaxText\"\n"
           "c" MOE "megatron-core-2025,step_time_s,1,1,,,,\n"
           "d" MOE "megatron-core-2025,step_time_s,1,,8,,,\n"
           "e" MOE "megatron-core-2025,step_time_s,1,,,jax,,\n"
           "f" MOE "jax-xla,step_time_s,1,,,,,\n"
           "g" MOE "megatron-core-2025,step_time_s,1,,,,none,\n"
           "h" MOE "megatron-core-2025,step_time_s,1,,,torch,,\n");
    static const char *const REQUESTS[] = {"'ep':8", "'ep':8", "'ep':8,'etp':1", "'ep':8,'zero_group':8"};
    for (size_t i = 0; i < COUNT(REQUESTS); i++) {
        read_job(w,
                 "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':64,'plan':{'tp':4,'dp':16,"
                 "'zero':3,%s},'workload':{'seq':4096,'micro_batch':1,'global_batch':64,'precision':'bf16',"
                 "'engine':'megatron-core-2025'}}",
                 REQUESTS[i]);
        train(w);
        assert_string_equal(v->scores[i].skipped, "");
        assert_close(v->scores[i].predicted, w->result.step_time_s, 0);
        if (i >= 2) assert_true(fabs(v->scores[i].predicted / v->scores[0].predicted - 1) > 1e-6);
    }
    assert_close(v->scores[4].predicted, v->scores[5].predicted, 0);
    assert_true(fabs(v->scores[4].predicted / v->scores[0].predicted - 1) > 1e-6);
    assert_true(v->scores[6].predicted > v->scores[0].predicted); /* nothing hides under compute */
    assert_string_equal(v->scores[7].skipped, "framework must be empty or \"jax\", not \"torch\"");
    orr_validation_free(v);
}

/* What nobody reads is a slip of the pen. Tables of the first edition have fewer columns and are read. */
static void unknown_columns_are_errors(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = NULL;
    struct orr_error error;
    static const char *const WRONG[][2] = {
        {"metric,value,global_batch,mirco_batch\n", "unknown column \"mirco_batch\" (did you mean \"micro_batch\"?)"},
        {"metric,value,global_batch,input_len\n", "unknown column \"input_len\""},
        {"metric,value,input_len,kv_precison\n", "unknown column \"kv_precison\" (did you mean \"kv_precision\"?)"},
        {"step_s,peak_bytes,hidden,layer\n", "unknown column \"layer\" (did you mean \"layers\"?)"},
        {"phase,time_s,zzzzzzzz\n", "unknown column \"zzzzzzzz\""}};
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        char expected[160];
        snprintf(expected, sizeof expected, "test.csv:1: %s", WRONG[i][1]);
        assert_int_equal(orr_validate(w->catalogue, WRONG[i][0], "test.csv", &v, &error), ORR_ERR_INPUT);
        assert_string_equal(error.text, expected);
        assert_null(v);
    }
}

/* docs/formats.md names every column of every schema. */
static void the_page_lists_every_column(void **state)
{
    (void)state;
    static const struct {
        const char *heading;
        enum orr_set set;
    } SECTIONS[] = {{"### Training rows", ORR_SET_TRAINING},
                    {"### Lab steps", ORR_SET_LAB},
                    {"### Layer times", ORR_SET_LAYER},
                    {"### Inference rows", ORR_SET_INFERENCE}};
    char *page = read_text("docs/formats.md");
    for (size_t i = 0; i < COUNT(SECTIONS); i++) {
        char *start = strstr(page, SECTIONS[i].heading);
        assert_non_null(start);
        char *end = strstr(start + 4, "\n### "), kept = *end;
        char columns[ORR_MAX_NAMES][ORR_MAX_NAME];
        const size_t n = orr_schema_columns(SECTIONS[i].set, columns);
        *end = '\0';
        for (size_t c = 0; c < n; c++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "`%.40s`", columns[c]);
            if (!strstr(start, quoted)) fail_msg("%s does not list %s", SECTIONS[i].heading, quoted);
        }
        *end = kept;
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_columns),
        cmocka_unit_test(unknown_columns_are_errors),
        cmocka_unit_test(the_page_lists_every_column),
    };
    return cmocka_run_group_tests_name("columns", tests, open_world, close_world);
}
