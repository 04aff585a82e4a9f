/* The ledger of time of every pinned job: its rows are the answer, added up in whatever way. */
#include <jansson.h>

#include "support.h"

#define JOBS_FILE "tests/pinned_jobs.json"

static struct orr_catalogue *catalogue;
static struct orr_scratch *scratch;
static struct orr_job job;
static struct orr_answer answer;
static json_t *questions;

static int open_all(void **state)
{
    (void)state;
    char *text = read_text(JOBS_FILE);
    questions = json_loads(text, 0, NULL);
    free(text);
    scratch = orr_scratch_new();
    return questions && scratch && orr_catalogue_open(NULL, 0, &catalogue, NULL) == ORR_OK ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    json_decref(questions);
    orr_scratch_free(scratch);
    orr_catalogue_close(catalogue);
    return 0;
}

static double total_s(void)
{
    return job.kind == ORR_JOB_TRAIN ? answer.train.step_time_s : answer.infer.latency_s;
}

/* Predict every pinned job and check the answer; returns how many there were. */
static void each_job(void (*check)(const char *name))
{
    const char *name;
    json_t *request;
    size_t n = 0;
    json_object_foreach(json_object_get(questions, "jobs"), name, request)
    {
        struct orr_error error;
        char *text = json_dumps(request, 0);
        if (orr_job_read(catalogue, text, name, &job, &error)) fail_msg("%s", error.text);
        free(text);
        orr_predict(&job, scratch, &answer);
        check(name);
        n++;
    }
    assert_true(n >= 60);
}

/* ---------------------------------------------------------------- time */

/* To the last bit: rows of a part in their order are the part, parts in their order are the whole. */
static void check_sums(const char *name)
{
    double part_s[ORR_N_INFER_PARTS] = {0}, share_frac = 0, sum_s = 0;
    const bool train = job.kind == ORR_JOB_TRAIN;
    const int n_parts = train ? (int)ORR_N_TIME_PARTS : (int)ORR_N_INFER_PARTS;
    for (size_t i = 0; i < answer.n_rows; i++) {
        const struct orr_time_row *row = &answer.rows[i];
        part_s[row->part] += row->exposed_s;
        share_frac += row->share_frac;
        assert_true(row->exposed_s == row->runs * row->run_s);
        if (!(row->exposed_s >= 0 && row->hidden_s >= 0)) fail_msg("%s: %s is below 0", name, row->name);
    }
    for (int i = 0; i < n_parts; i++) {
        const double expected_s = train ? answer.train.time_s[i] : answer.infer.time_s[i];
        if (part_s[i] != expected_s) fail_msg("%s: part %d is %.17g, not %.17g", name, i, part_s[i], expected_s);
        sum_s += part_s[i];
    }
    if (sum_s != total_s()) fail_msg("%s: %.17g, not %.17g", name, sum_s, total_s());
    assert_close(share_frac, 1, 1e-12);
}

static void rows_are_the_parts_and_parts_the_whole(void **state)
{
    (void)state;
    each_job(check_sums);
}

/* Groups as the result has them: sharded weights and gradients are one to the reader. */
static enum orr_group group_of(enum orr_group group)
{
    return orr_sharded_group(group) ? ORR_GROUP_DP : group;
}

static void check_bounds_and_hidden(const char *name)
{
    double bound_s[ORR_N_BOUNDS] = {0}, hidden_s[ORR_N_GROUPS] = {0};
    if (job.kind != ORR_JOB_TRAIN) return;
    for (size_t i = 0; i < answer.n_rows; i++) {
        bound_s[answer.rows[i].resource] += answer.rows[i].exposed_s;
        hidden_s[group_of(answer.rows[i].group)] += answer.rows[i].hidden_s;
    }
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        if (!(fabs(bound_s[i] / total_s() - answer.train.bound_share_frac[i]) <= 1e-12))
            fail_msg("%s: bound %d has %g", name, i, bound_s[i] / total_s());
    for (int i = 0; i < ORR_N_GROUPS; i++)
        if (!(fabs(hidden_s[i] - answer.train.hidden_s[i]) <= 1e-12 * total_s()))
            fail_msg("%s: group %d hides %g s, not %g", name, i, hidden_s[i], answer.train.hidden_s[i]);
}

static void rows_are_the_shares_and_what_is_hidden(void **state)
{
    (void)state;
    each_job(check_bounds_and_hidden);
}

/* Rows of the prompt and of decoding are the phases; what is left is request handling. */
static void check_phases(const char *name)
{
    double phase_s[ORR_N_PHASES] = {0}, draft_s = 0;
    if (job.kind != ORR_JOB_INFER) return;
    for (size_t i = 0; i < answer.n_rows; i++) {
        phase_s[answer.rows[i].phase] += answer.rows[i].exposed_s;
        if (answer.rows[i].part == (int)ORR_INFER_DRAFT) draft_s += answer.rows[i].exposed_s;
    }
    const struct orr_infer_result *r = &answer.infer;
    if (!(fabs(phase_s[ORR_PHASE_PREFILL] - r->prefill_s) <= 1e-12 * r->latency_s)) fail_msg("%s: prefill", name);
    if (!(fabs(phase_s[ORR_PHASE_DECODE] - r->decode_s) <= 1e-12 * r->latency_s)) fail_msg("%s: decode", name);
    if (!(fabs(r->ttft_s + r->decode_s - r->latency_s) <= 1e-12 * r->latency_s)) fail_msg("%s: latency", name);
    assert_true((job.serving.draft_tokens > 0 && job.serving.output_len > 1) == (draft_s > 0));
}

static void rows_are_the_phases(void **state)
{
    (void)state;
    each_job(check_phases);
}

/* ---------------------------------------------------------------- energy and work */

static void check_energy(const char *name)
{
    const bool train = job.kind == ORR_JOB_TRAIN;
    const double energy_j = train ? answer.train.energy_j : answer.infer.energy_j;
    const double *part_j = train ? answer.train.energy_part_j : answer.infer.energy_part_j;
    double row_j = 0, sum_j = 0, flops = 0;
    for (size_t i = 0; i < answer.n_rows; i++) {
        row_j += answer.rows[i].energy_j;
        flops += answer.rows[i].flops;
    }
    for (int i = 0; i < ORR_N_ENERGY_PARTS; i++) {
        assert_true(part_j[i] >= 0);
        sum_j += part_j[i];
    }
    if (!(fabs(sum_j - energy_j) <= 1e-9 * energy_j)) fail_msg("%s: parts have %g J of %g", name, sum_j, energy_j);
    const double rows_j = row_j * (double)job.plan.gpus * job.system.pue_frac;
    if (!(fabs(rows_j - energy_j) <= 1e-9 * energy_j)) fail_msg("%s: rows have %g J of %g", name, rows_j, energy_j);
    if (train) assert_close(flops * (double)job.plan.gpus, answer.train.executed_flops, 1e-9);
}

static void energy_and_work_add_up(void **state)
{
    (void)state;
    each_job(check_energy);
}

/* ---------------------------------------------------------------- the same answer */

static void check_same(const char *name)
{
    static struct orr_result train;
    static struct orr_infer_result infer;
    if (job.kind == ORR_JOB_TRAIN) {
        orr_train(&job, scratch, &train);
        if (memcmp(&train.step_time_s, &answer.train.step_time_s, sizeof train.step_time_s) ||
            memcmp(train.time_s, answer.train.time_s, sizeof train.time_s) ||
            memcmp(train.hidden_s, answer.train.hidden_s, sizeof train.hidden_s) ||
            memcmp(train.energy_part_j, answer.train.energy_part_j, sizeof train.energy_part_j) ||
            train.energy_j != answer.train.energy_j || train.bound_s != answer.train.bound_s ||
            train.memory.total_bytes != answer.train.memory.total_bytes || train.mfu_frac != answer.train.mfu_frac)
            fail_msg("%s: orr_train and orr_predict differ", name);
        assert_int_equal(orr_answer_fits(&answer), train.fits);
    } else {
        orr_infer(&job, scratch, &infer);
        if (memcmp(infer.time_s, answer.infer.time_s, sizeof infer.time_s) ||
            memcmp(infer.decode_bound_frac, answer.infer.decode_bound_frac, sizeof infer.decode_bound_frac) ||
            memcmp(infer.energy_part_j, answer.infer.energy_part_j, sizeof infer.energy_part_j) ||
            infer.latency_s != answer.infer.latency_s || infer.ttft_s != answer.infer.ttft_s ||
            infer.energy_j != answer.infer.energy_j || infer.bound_s != answer.infer.bound_s ||
            infer.max_batch != answer.infer.max_batch)
            fail_msg("%s: orr_infer and orr_predict differ", name);
        assert_int_equal(orr_answer_fits(&answer), infer.fits);
    }
}

static void results_do_not_depend_on_the_ledger(void **state)
{
    (void)state;
    each_job(check_same);
}

/* Advice and what-ifs predict other jobs on the same scratch; the answer is still that of the first. */
static void answers_outlive_what_ifs(void **state)
{
    (void)state;
    static const char request[] =
        "{\"kind\":\"train\",\"model\":\"llama2-70b\",\"system\":\"a100-80g-sxm\",\"gpus\":16,"
        "\"plan\":{\"tp\":8,\"pp\":2},\"workload\":{\"global_batch\":16}}";
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    assert_int_equal(orr_job_read(catalogue, request, "request", &job, NULL), ORR_OK);
    orr_predict(&job, scratch, &answer);
    static const enum orr_format formats[] = {ORR_FORMAT_DUMP_LEDGER, ORR_FORMAT_DUMP_COSTS, ORR_FORMAT_TRACE};
    char *before[COUNT(formats)];
    for (size_t i = 0; i < COUNT(formats); i++) before[i] = orr_render(&answer, formats[i], NULL);
    orr_train_advice(&job, scratch, &answer.train);
    assert_true(orr_train_what_if(&job, scratch, what_ifs) > 4);
    for (size_t i = 0; i < COUNT(formats); i++) {
        char *after = orr_render(&answer, formats[i], NULL);
        assert_string_equal(before[i], after);
        free(before[i]);
        free(after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_parts_and_parts_the_whole),
        cmocka_unit_test(rows_are_the_shares_and_what_is_hidden),
        cmocka_unit_test(rows_are_the_phases),
        cmocka_unit_test(energy_and_work_add_up),
        cmocka_unit_test(results_do_not_depend_on_the_ledger),
        cmocka_unit_test(answers_outlive_what_ifs),
    };
    return cmocka_run_group_tests_name("ledger", tests, open_all, close_all);
}
