/* Which rows of a table are predicted at all: `orrery validate --where`. */
#include "support.h"
#include "validate/validate.h"

/* A row that cannot meet the conditions is not predicted; one whose value the validator fills in may meet them. */
static void only_rows_that_are_asked_for_are_predicted(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    static const char CSV[] =
        "id,source,model,system,gpus,tp,pp,dp,seq,micro_batch,global_batch,precision,engine,metric,"
        "value\n"
        "a,t,llama2-7b,a100-80g-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,20\n"
        "b,t,llama2-7b,a100-80g-sxm,8,2,1,4,4096,1,64,bf16,generic,step_time_s,20\n"
        "c,u,llama2-7b,a100-80g-sxm,8,2,1,4,4096,1,64,,generic,step_time_s,20\n"
        "d,,llama2-7b,a100-80g-sxm,8,2,1,4,4096,1,64,,generic,step_time_s,20\n";
    static const struct {
        const char *conditions;
        size_t n_predicted;
    } CASES[] = {{"tp=2", 3},
                 {"tp=2,source=u", 2}, /* c, and d without a source */
                 {"source=t", 3},
                 {"precision=", 2},
                 {"precision=not given", 2},
                 {"metric=peak_memory_gib", 4},
                 {"no_such_column=1", 0},
                 {"tp", 4}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct orr_validation *v = NULL;
        assert_int_equal(orr_validation_only(CASES[i].conditions, &v, &error), ORR_OK);
        assert_int_equal(orr_validate(w->catalogue, CSV, "only.csv", &v, &error), ORR_OK);
        assert_int_equal(v->n_scores, CASES[i].n_predicted);
        orr_validation_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_rows_that_are_asked_for_are_predicted)};
    return cmocka_run_group_tests_name("validate only", tests, open_world, close_world);
}
