/* Traffic by name has the statistics of the trace that it is named after. Expected values were counted over the
 * published traces by another program; the tests need none of them. */
#include "support.h"

#include "base/number.h"
#include "serving/traffic.h"
#include "spec/request.h"
#include "spec/traffic_named.h"

enum { N = 40000 };

static struct orr_serving_request read_like(const struct world *w, const char *traffic)
{
    struct orr_serving_request serving;
    struct orr_error error;
    char json[512];
    (void)snprintf(json, sizeof json, "{\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"traffic\":{%s}}", traffic);
    if (orr_serving_read(w->catalogue, json, "request", &serving, &error)) fail_msg("%s: %s", traffic, error.text);
    return serving;
}

static double mean(const double *values)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += values[i];
    return sum / N;
}

static double variation(const double *values)
{
    const double middle = mean(values);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (values[i] - middle) * (values[i] - middle);
    return sqrt(sum / N) / middle;
}

/* What a run of N requests consists of; `found` are tokens of prompts that a cache without limit would find. */
struct drawn {
    double gaps_s[N], inputs[N], outputs[N];
    double found_share;
};

static void draw_all(const struct orr_traffic *traffic, struct drawn *drawn)
{
    struct orr_stream stream = orr_stream_of(traffic, 0, 1);
    struct orr_ask ask;
    double last_s = 0, found = 0, tokens = 0;
    uint8_t *seen = calloc(N + 2, 1);
    assert_non_null(seen);
    for (int i = 0; i < N; i++) {
        assert_true(orr_stream_next(&stream, &ask));
        drawn->gaps_s[i] = ask.arrival_s - last_s;
        drawn->inputs[i] = (double)ask.input_len;
        drawn->outputs[i] = (double)ask.output_len;
        last_s = ask.arrival_s;
        tokens += (double)ask.input_len;
        assert_true(ask.prefix <= N + 1 && ask.prefix_len <= ask.input_len);
        if (ask.prefix > 0 && seen[ask.prefix]) found += (double)ask.prefix_len;
        seen[ask.prefix] = ask.prefix > 0;
    }
    free(seen);
    drawn->found_share = found / tokens;
}

static void named_traffic_has_the_statistics_of_its_trace(void **state)
{
    static const struct {
        const char *like;
        double rate_per_s, gap_cv, input, input_p10, input_p50, input_p90, output, output_p50, output_p90, found;
    } TRACES[] = {
        {"azure-2023-conv", 5.5304, 1.094, 1154.7, 207, 1020, 2735, 211.1, 129, 424, 0},
        {"azure-2023-code", 2.5667, 13.151, 2047.8, 147, 1469, 5194, 27.9, 13, 55, 0},
        {"mooncake-conversation", 3.4015, 3.034, 12035.1, 964, 6909, 27367, 342.6, 350, 597, 0.366},
        {"mooncake-synthetic", 3.9069, 1.011, 15325.5, 30, 11587, 38615, 149.1, 69, 389, 0.640},
    };
    const struct world *w = *state;
    struct drawn *drawn = malloc(sizeof *drawn);
    assert_non_null(drawn);
    for (size_t i = 0; i < COUNT(TRACES); i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "\"like\":\"%s\",\"requests\":%d", TRACES[i].like, N);
        const struct orr_serving_request serving = read_like(w, text);
        draw_all(&serving.traffic, drawn);
        /* bursts repeat seldom, so that the mean gap of the burstiest trace is known to 13.15 / sqrt(40000) = 7 % */
        assert_close(1 / mean(drawn->gaps_s), TRACES[i].rate_per_s, TRACES[i].gap_cv > 10 ? 0.15 : 0.04);
        assert_close(variation(drawn->gaps_s), TRACES[i].gap_cv, TRACES[i].gap_cv > 10 ? 0.25 : 0.06);
        /* a session draws its length once, so that there are fewer draws than requests */
        const double near = TRACES[i].found > 0 ? 0.1 : 0.05;
        assert_close(mean(drawn->inputs), TRACES[i].input, near);
        assert_close(mean(drawn->outputs), TRACES[i].output, 0.03);
        qsort(drawn->inputs, N, sizeof *drawn->inputs, orr_ascending);
        qsort(drawn->outputs, N, sizeof *drawn->outputs, orr_ascending);
        assert_close(drawn->inputs[N / 10], TRACES[i].input_p10, 0.1);
        assert_close(drawn->inputs[N / 2], TRACES[i].input_p50, near);
        assert_close(drawn->inputs[N * 9 / 10], TRACES[i].input_p90, near);
        assert_close(drawn->outputs[N / 2], TRACES[i].output_p50, 0.08);
        assert_close(drawn->outputs[N * 9 / 10], TRACES[i].output_p90, 0.05);
        assert_true(fabs(drawn->found_share - TRACES[i].found) < 0.03);
    }
    free(drawn);
}

/* Requests between two of a session: with a mean of g the median of 1 + an exponential of mean g - 1, cut to whole
 * numbers, is 1 + floor((g - 1) ln 2) = 70 for g = 100. Half of the requests follow one. */
static void sessions_go_on_after_their_gap(void **state)
{
    (void)state;
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_CONSTANT,
                                        .rate_per_s = 1,
                                        .input_len = {.law = ORR_LENGTH_UNIFORM, .low = 100, .high = 900},
                                        .output_len = {.law = ORR_LENGTH_FIXED, .mean = 1},
                                        .prefix_share = 0.5,
                                        .session_share = 0.5,
                                        .session_gap = 100,
                                        .seed = 3};
    const struct orr_stream stream = orr_stream_of(&traffic, 0, 1);
    static int64_t last[N + 2], length[N + 2];
    static double gaps[N];
    int n = 0;
    for (int64_t id = 0; id < N; id++) {
        struct orr_ask ask;
        orr_stream_ask(&stream, id, (double)id, &ask);
        assert_int_equal(ask.prefix_len, ask.input_len / 2);
        if (ask.prefix != (uint64_t)id + 1) {
            assert_true(ask.prefix <= (uint64_t)id);
            assert_int_equal(ask.input_len, length[ask.prefix]);
            gaps[n++] = (double)(id - last[ask.prefix]);
        }
        last[ask.prefix] = id;
        length[ask.prefix] = ask.input_len;
    }
    assert_close((double)n / N, 0.5, 0.02);
    qsort(gaps, (size_t)n, sizeof *gaps, orr_ascending);
    /* a session that two requests follow has a shorter gap between these two than either drew */
    assert_true(gaps[n / 2] > 35 && gaps[n / 2] <= 70);
}

static void a_request_keeps_what_it_says_itself(void **state)
{
    const struct world *w = *state;
    struct orr_serving_request serving = read_like(w, "\"like\":\"mooncake-conversation\"");
    assert_int_equal(serving.traffic.arrival, ORR_ARRIVAL_GAMMA);
    assert_true(serving.traffic.rate_per_s == 3.401 && serving.traffic.session_gap == 736);
    serving = read_like(w, "\"like\":\"mooncake-conversation\",\"rate_per_s\":\"2/s\",\"input_len\":700");
    assert_int_equal(serving.traffic.arrival, ORR_ARRIVAL_GAMMA);
    assert_true(serving.traffic.rate_per_s == 2 && serving.traffic.burstiness == 0.1086);
    assert_int_equal(serving.traffic.input_len.law, ORR_LENGTH_FIXED);
    assert_int_equal(serving.traffic.output_len.law, ORR_LENGTH_EMPIRICAL);
    serving = read_like(w, "\"like\":\"mooncake-conversation\",\"concurrency\":8,\"prefix_share\":0.2");
    assert_int_equal(serving.traffic.arrival, ORR_ARRIVAL_CLOSED);
    assert_true(serving.traffic.rate_per_s == 0 && serving.traffic.prefix_share == 0.2);
    assert_true(serving.traffic.session_share == 0);
}

static void other_words_are_refused(void **state)
{
    static const struct {
        const char *traffic, *words;
    } CASES[] = {
        {"\"like\":\"mooncak-synthetic\"", "did you mean \"mooncake-synthetic\"?"},
        {"\"like\":3", "traffic.like"},
        {"\"like\":\"sharegpt\"", "give one of rate_per_s, concurrency and trace"},
        {"\"rate_per_s\":1,\"input_len\":9,\"output_len\":9,\"session_share\":0.5", "has no effect without"},
        {"\"rate_per_s\":1,\"input_len\":9,\"output_len\":9,\"prefix_share\":0.5,\"session_gap\":7",
         "without session_share"},
    };
    const struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_serving_request serving;
        struct orr_error error;
        char json[512];
        (void)snprintf(json, sizeof json, "{\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"traffic\":{%s}}",
                       CASES[i].traffic);
        assert_int_not_equal(orr_serving_read(w->catalogue, json, "request", &serving, &error), ORR_OK);
        if (!strstr(error.text, CASES[i].words)) fail_msg("%s: %s", CASES[i].traffic, error.text);
    }
}

/* The sample of 1,000 records has prompts of 233.1 tokens in the mean and 95.5 in the median, answers of 245.1 and
 * 158. */
static void sharegpt_has_short_turns_and_long_ones(void **state)
{
    const struct world *w = *state;
    struct orr_traffic traffic;
    struct orr_error error;
    assert_int_equal(orr_traffic_read(w->catalogue, "sharegpt", &traffic, &error), ORR_OK);
    assert_close(orr_lengths_mean(&traffic.input_len), 233.1, 0.01);
    assert_close(orr_lengths_mean(&traffic.output_len), 245.1, 0.01);
    assert_int_equal(traffic.output_len.n_points, 129);
    assert_close(traffic.input_len.points[64], 95.5, 0.01);
    assert_close(traffic.output_len.points[64], 158, 0.01);
    assert_int_not_equal(orr_traffic_read(w->catalogue, "no-such-traffic", &traffic, &error), ORR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_traffic_has_the_statistics_of_its_trace),
        cmocka_unit_test(sessions_go_on_after_their_gap),
        cmocka_unit_test(a_request_keeps_what_it_says_itself),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(sharegpt_has_short_turns_and_long_ones),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
