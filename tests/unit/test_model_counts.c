#define _DEFAULT_SOURCE /* strsep */
/* Parameters of catalogue models against the totals of their checkpoints (tests/model_counts.csv). What a total holds
 * beyond the parameters of the text model is named there, in words or as a number with its reason. */
#include "support.h"

#include "spec/job.h"

struct row {
    char *id, *difference;
    int64_t params, published;
};

/* The five cells of a line, which is cut up; false: it has no published total. */
static bool cut_row(char *line, struct row *row)
{
    char *cells[5];
    for (int i = 0; i < 5; i++) cells[i] = strsep(&line, ",");
    if (!cells[4] || !*cells[2]) return false;
    *row = (struct row){.id = cells[0],
                        .published = strtoll(cells[2], NULL, 10),
                        .params = strtoll(cells[3], NULL, 10),
                        .difference = cells[4]};
    return true;
}

/* What a word of the last cell adds; false: it is a word of other tests. */
static bool add_word(const struct orr_model *model, const char *word, int64_t *sum)
{
    char *end;
    const int64_t number = strtoll(word, &end, 10), matrix = model->vocab * model->hidden;
    if (end > word) *sum += number;
    else if (strcmp(word, "tower") == 0) *sum += model->tower_params;
    else if (strcmp(word, "tied_copy") == 0) *sum += matrix; /* the head, stored beside the embedding that it is */
    else if (strcmp(word, "mtp") == 0) *sum += orr_model_params_mtp(model);
    else if (strcmp(word, "mtp_copies") == 0) *sum += 2 * matrix; /* its own embedding and head */
    else return !*word;
    return true;
}

static void counts_are_the_published_totals(void **state)
{
    struct world *w = *state;
    static struct orr_model model;
    char *text = read_text("tests/model_counts.csv"), *rest = text;
    int n = 0;
    assert_string_equal(strsep(&rest, "\n"), "id,hf_id,published,params,difference");
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        struct row row;
        struct orr_error error;
        bool known = true;
        if (!cut_row(line, &row)) continue;
        if (orr_model_read(w->catalogue, row.id, &model, &error)) fail_msg("%s", error.text);
        int64_t total = orr_model_params(&model);
        if (total != row.params)
            fail_msg("%s has %lld parameters, not %lld", row.id, (long long)total, (long long)row.params);
        for (char *word = strsep(&row.difference, "+"); word; word = strsep(&row.difference, "+"))
            known &= add_word(&model, word, &total);
        if (known && total != row.published)
            fail_msg("%s: %lld parameters explained, %lld published", row.id, (long long)total,
                     (long long)row.published);
        n += known;
    }
    free(text);
    print_message("# %d checkpoints\n", n);
    assert_true(n >= 110);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_are_the_published_totals)};
    return cmocka_run_group_tests(tests, open_world, close_world);
}
