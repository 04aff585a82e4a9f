/* No number of a report is impossible: every fraction is between 0 and 1, and every other number is finite and at least
 * 0, for random jobs on every system of the catalogue, with any of its models and contexts of up to ten million
 * tokens. MFU as published may be above 1, because it counts pairs that a mask leaves out; the answer then says so. */
#include "jobs.h"

#include "metric/metric.h"
#include "report/assumed.h"

#define N_JOBS  3000
#define LONGEST 10000000.0

struct suite {
    struct orr_catalogue *catalogue;
    struct orr_reader *reader;
    struct orr_scratch *scratch;
};

static const char *drawn_id(const struct suite *suite, enum orr_part part, struct random *r)
{
    return orr_catalogue_id(suite->catalogue, part, draw(r, orr_catalogue_count(suite->catalogue, part)));
}

/* Writes a length of up to LONGEST tokens, many more often than few. */
static void lengthen(struct drawn *drawn, const char *key, struct random *r)
{
    for (size_t i = 0; i < drawn->n_fields; i++) {
        struct job_field *field = &drawn->fields[i];
        if (!field->key || strcmp(field->key, key) != 0) continue;
        const double longer = (double)atoi(field->value) * (double)draw_power(r, 16);
        (void)snprintf(field->value, sizeof field->value, "%.0f", fmin(longer, LONGEST));
    }
}

/* A job of jobs.h with another model, another system or longer sequences, where the reader takes them. */
static void draw_odd(const struct suite *suite, struct random *r, enum orr_job_kind kind, struct drawn *drawn)
{
    draw_job(suite->reader, r, kind, draw(r, 2) ? &MIXED_POOL : &PLAIN_POOL, drawn);
    struct drawn other = *drawn;
    other.system = drawn_id(suite, ORR_PART_SYSTEM, r);
    if (read_drawn(suite->reader, &other)) *drawn = other;
    other = *drawn;
    other.model = drawn_id(suite, ORR_PART_MODEL, r);
    if (read_drawn(suite->reader, &other)) *drawn = other;
    other = *drawn;
    lengthen(&other, kind == ORR_JOB_TRAIN ? "workload.seq" : "workload.input_len", r);
    if (read_drawn(suite->reader, &other)) *drawn = other;
    (void)read_drawn(suite->reader, drawn);
}

/* What is missing to a plan that does not fit is a negative room. */
static bool may_be_negative(const char *key)
{
    return strstr(key, "headroom") != NULL;
}

/* By how much a number is impossible. */
static double excess_of(const struct orr_entry *entry)
{
    const enum orr_metric_unit unit = entry->value.unit;
    const double number = entry->value.number;
    if (entry->absent || unit == ORR_METRIC_UNIT_WORD || unit == ORR_METRIC_UNIT_FLAG) return 0;
    if (!isfinite(number)) return (double)INFINITY;
    if (unit == ORR_METRIC_UNIT_FRAC && number > 1 + 1e-9) return number - 1;
    return number < 0 && !may_be_negative(entry->info->key) ? -number : 0;
}

/* Is this the MFU as published, at most twice that without masked pairs, and explained? */
static bool is_explained(const struct orr_answer *answer, const struct orr_entry *entry)
{
    char why[ORR_WARNING];
    const struct orr_result *r = &answer->train;
    return strcmp(entry->info->key, "mfu_frac") == 0 && r->mfu_frac <= 2 * r->mfu_causal_frac + 1e-9 &&
           orr_warn_utilisation(answer, why) && strstr(why, "mfu_causal_frac");
}

static size_t check_answer(const struct orr_answer *answer, const struct drawn *drawn)
{
    char text[JOB_TEXT];
    size_t n = 0;
    for (int i = 0; i < orr_n_metrics(answer->job->kind); i++) {
        const struct orr_entry entry = orr_metric_entry(answer, i);
        if (excess_of(&entry) <= 0 || is_explained(answer, &entry)) continue;
        write_drawn(drawn, text);
        print_error("%s is %.6g: %s\n", entry.info->key, entry.value.number, text);
        n++;
    }
    return n;
}

static size_t check_jobs(struct suite *suite, enum orr_job_kind kind, uint64_t seed)
{
    static struct drawn drawn;
    static struct orr_answer answer;
    struct random random = {seed};
    size_t n = 0;
    for (size_t i = 0; i < N_JOBS; i++) {
        draw_odd(suite, &random, kind, &drawn);
        orr_predict(&drawn.job, suite->scratch, &answer);
        n += check_answer(&answer, &drawn);
    }
    return n;
}

static void training_has_no_impossible_number(void **state)
{
    assert_int_equal(check_jobs(*state, ORR_JOB_TRAIN, seed_of_jobs()), 0);
}

static void serving_has_no_impossible_number(void **state)
{
    assert_int_equal(check_jobs(*state, ORR_JOB_INFER, seed_of_jobs() + 1), 0);
}

/* An indexer multiplies in 8 bits, at twice the rate of the 16 bits that its model is multiplied in: a bound with one
 * rate for all was above the answer. */
static void a_bound_knows_every_format(void **state)
{
    struct suite *suite = *state;
    static const char REQUEST[] =
        "{\"kind\":\"infer\",\"model\":\"deepseek-v4-pro\",\"system\":\"gaudi2\",\"plan\":{\"tp\":8,\"pp\":4},"
        "\"workload\":{\"batch\":1,\"input_len\":10000000,\"output_len\":1}}";
    struct orr_error error;
    const struct orr_job *job;
    assert_int_equal(orr_reader_job(suite->reader, REQUEST, "request", NULL, &job, &error), 0);
    struct orr_infer_result result;
    orr_infer(job, suite->scratch, &result);
    assert_true(result.bound_s > 0.4 * result.latency_s && result.bound_s < 0.7 * result.latency_s);
}

static int open_suite(void **state)
{
    static struct suite suite;
    struct orr_error error;
    if (orr_catalogue_open(NULL, 0, &suite.catalogue, &error)) return -1;
    suite.reader = orr_reader_new(suite.catalogue);
    suite.scratch = orr_scratch_new();
    *state = &suite;
    return suite.reader && suite.scratch ? 0 : -1;
}

static int close_suite(void **state)
{
    struct suite *suite = *state;
    orr_scratch_free(suite->scratch);
    orr_reader_free(suite->reader);
    orr_catalogue_close(suite->catalogue);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_has_no_impossible_number),
        cmocka_unit_test(serving_has_no_impossible_number),
        cmocka_unit_test(a_bound_knows_every_format),
    };
    return cmocka_run_group_tests_name("fractions", tests, open_suite, close_suite);
}
