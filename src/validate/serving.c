/* Rows of the serving schema: engines under load. One run has many rows, which differ in metric and statistic; it is
 * simulated once. docs/formats.md says which columns act. */
#include "validate/validator.h"

#include "base/number.h"
#include "serving/closed.h"
#include "serving/traffic.h"
#include "spec/csv.h"
#include "validate/columns.h"
#include "validate/rate.h"
#include "validate/served.h"
#include "spec/names.h"
#include "spec/traffic_named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

/* ---------------------------------------------------------------- lengths that sources do not print */

/* Prompts of data sets, assumed where a source prints none: means, and coefficients of variation of prompts and
 * answers. `most` is the data set's own limit, up to which engines reserve. */
static const struct data_set {
    const char *name;
    double input, input_cv, output_cv, most;
} DATA_SETS[] = {
    {"lm-arena-chat", 204, 1.5, 0.7, 0}, /* conversations so far: docs/serving.md works it out */
    {"gpqa", 250, 0.4, 0.7, 0},          /* assumption: a question with four answers */
    {"OpenOrca", 200, 0.8, 0.7, 1024},   /* assumption; at most 1024 tokens in and out */
};

static const struct data_set *data_set_of(const char *workload)
{
    for (size_t i = 0; i < sizeof DATA_SETS / sizeof *DATA_SETS; i++)
        if (strstr(workload, DATA_SETS[i].name)) return &DATA_SETS[i];
    return NULL;
}

static double number(const struct validator *w, size_t row, const char *column, double absent)
{
    const double value = orr_row_value(orr_csv_cell(w->csv, row, column));
    return value > 0 ? value : absent;
}

/* Lengths with the law of a traffic in the catalogue and the mean that is printed; false if the catalogue has none. */
static bool named_lengths(const struct validator *w, const char *workload, double printed, bool input,
                          struct orr_lengths *lengths)
{
    const struct orr_catalogue *catalogue = w->unseen.whole;
    struct orr_traffic traffic;
    struct orr_error error;
    if (!catalogue || printed <= 0 || !orr_catalogue_text(catalogue, ORR_PART_TRAFFIC, workload)) return false;
    if (orr_traffic_read(catalogue, workload, &traffic, &error)) return false;
    *lengths = input ? traffic.input_len : traffic.output_len;
    const double scale = printed / orr_lengths_mean(lengths);
    for (int64_t i = 0; i < lengths->n_points; i++) lengths->points[i] *= scale;
    return lengths->law == ORR_LENGTH_EMPIRICAL;
}

/* Lengths between a share of the printed one and the whole, or as the data set has them. */
static struct orr_lengths lengths_of(const struct validator *w, size_t row, const char *column, bool input)
{
    const char *workload = orr_csv_cell(w->csv, row, "workload");
    const struct data_set *set = data_set_of(workload);
    const double printed = number(w, row, column, 0), ratio = number(w, row, "length_ratio", 1);
    struct orr_lengths named;
    if (named_lengths(w, workload, printed, input, &named)) return named;
    if (set && (input || printed > 0)) {
        const double mean = printed > 0 ? printed : set->input;
        return (struct orr_lengths){
            .law = ORR_LENGTH_LOGNORMAL, .mean = mean, .cv = input ? set->input_cv : set->output_cv, .high = set->most};
    }
    /* Answers end by themselves before a limit. Nothing but their mean is known, about which they spread evenly. */
    const double most = input ? 0 : number(w, row, "output_most", 0);
    if (most > printed && printed >= 1) {
        const double low = orr_max(1, 2 * printed - most);
        return (struct orr_lengths){.law = ORR_LENGTH_UNIFORM, .low = low, .high = 2 * printed - low};
    }
    if (ratio < 1)
        return (struct orr_lengths){.law = ORR_LENGTH_UNIFORM, .low = floor(ratio * printed), .high = printed};
    return (struct orr_lengths){.law = ORR_LENGTH_FIXED, .mean = printed};
}

/* Does a row print its lengths, or name a data set that has them? */
static bool has_lengths(const struct validator *w, size_t row, struct orr_score *score)
{
    static const char *const COLUMNS[] = {"input_len", "output_len"};
    for (size_t i = 0; i < 2; i++) {
        const struct orr_lengths lengths = lengths_of(w, row, COLUMNS[i], i == 0);
        if (lengths.n_points > 0 || orr_max(lengths.mean, lengths.high) >= 1) continue;
        snprintf(score->skipped, sizeof score->skipped,
                 "%s: must be a number from 1, or workload one of known lengths", COLUMNS[i]);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- the job and traffic of a run */

static void put_request(struct validator *w, size_t row)
{
    const char *precision = orr_csv_cell(w->csv, row, "precision"), *ep = orr_csv_cell(w->csv, row, "ep");
    const char *engine = orr_csv_cell(w->csv, row, "engine");
    orr_row_put(w, "kind", "infer");
    orr_row_put_cells(w, row, "", "model system gpus");
    orr_row_put_cells(w, row, "plan.", "tp pp dp ep");
    orr_row_put(w, "plan.etp", orr_row_value(ep) > 1 ? "1" : "");
    orr_row_put(w, "workload.precision", precision);
    orr_row_put(w, "workload.kv_precision", orr_csv_cell(w->csv, row, "kv_precision"));
    orr_row_put_engine(w, engine[0] ? engine : "vllm", "vllm");
    orr_row_put_number(w, "workload.input_len", lround(orr_max(1, number(w, row, "input_len", 200))));
    orr_row_put_number(w, "workload.output_len", lround(orr_max(1, number(w, row, "output_len", 200))));
    orr_row_put(w, "chip.tdp_w", orr_csv_cell(w->csv, row, "power_limit_w"));
    /* A run whose recipe asks for rows of 8 bits beside experts in MXFP4, where its engine keeps 16. */
    orr_row_put(w, "engine.wide_mxfp4", is(orr_csv_cell(w->csv, row, "narrow_experts"), "1") ? "none" : "");
    orr_row_put_cells(w, row, "workload.", ORR_OPTION_COLUMNS);
    const bool together = is(orr_csv_cell(w->csv, row, "arrival"), "static");
    orr_row_put_number(w, "workload.batch", together ? lround(number(w, row, "max_batch", 1)) : 1);
}

/* 1 and 0 are yes and no; an empty cell says nothing. */
static bool flag(const struct validator *w, size_t row, const char *column, bool absent)
{
    const char *cell = orr_csv_cell(w->csv, row, column);
    return is(cell, "") ? absent : is(cell, "1");
}

/* The limits of a run that its source prints stand above those of the engine. */
static void put_limits(struct validator *w, size_t row)
{
    struct orr_engine *e = &w->job.engine;
    e->max_requests = lround(number(w, row, "max_batch", (double)e->max_requests));
    e->max_step_tokens = lround(number(w, row, "max_batched_tokens", (double)e->max_step_tokens));
    e->batch_wait_steps = lround(number(w, row, "batch_wait_steps", (double)e->batch_wait_steps));
    e->batch_wait_tokens_frac = number(w, row, "batch_wait_frac", e->batch_wait_tokens_frac);
    e->poll_steps = lround(number(w, row, "poll_steps", (double)e->poll_steps));
    e->stream_tokens = lround(number(w, row, "stream_tokens", (double)e->stream_tokens));
    e->budget_frac = number(w, row, "memory_frac", e->budget_frac);
    e->graph_sequences = lround(number(w, row, "graph_sequences", (double)e->graph_sequences));
    e->graph_pieces = flag(w, row, "graph_pieces", e->graph_pieces);
    e->low_latency_experts = flag(w, row, "low_latency_experts", e->low_latency_experts);
}

/* How long the load generator of MLPerf sends requests (min_duration of its rules), in s. */
#define LOAD_S 600

/* Does a row of open arrivals print how many requests were sent? Then this run, which may be over before a queue is
 * long or still growing at its end, is simulated as it was (Eq. 343). */
static bool is_counted(const struct validator *w, size_t row)
{
    return number(w, row, "requests", 0) > 0;
}

/* Users of a closed loop. A full engine whose users are not printed has all requests of its run at once, or as many
 * as it has places. */
static double users_of(const struct validator *w, size_t row)
{
    const double places = (double)(w->job.engine.max_requests * w->job.plan.dp);
    const bool full = is(orr_csv_cell(w->csv, row, "arrival"), "saturated");
    return number(w, row, "concurrency", full ? number(w, row, "requests", places) : 1);
}

static struct orr_traffic traffic_of(const struct validator *w, size_t row)
{
    const char *arrival = orr_csv_cell(w->csv, row, "arrival");
    const struct data_set *set = data_set_of(orr_csv_cell(w->csv, row, "workload"));
    const double users = users_of(w, row);
    struct orr_traffic traffic = {.arrival = is(arrival, "poisson") ? ORR_ARRIVAL_POISSON : ORR_ARRIVAL_CLOSED,
                                  .rate_per_s = number(w, row, "rate_per_s", 0),
                                  .concurrency = lround(users),
                                  .requests = lround(number(w, row, "requests", 10 * users)),
                                  .input_len = lengths_of(w, row, "input_len", true),
                                  .output_len = lengths_of(w, row, "output_len", false),
                                  .max_output_len = set ? (int64_t)set->most : 0,
                                  .seed = 1};
    /* A window without the start and the end of the run was measured, so the run is made long beside its end. */
    if (is(arrival, "saturated")) traffic.requests = lround(orr_min(60 * users, 100000));
    if (number(w, row, "distinct_prompts", 0) > 0) {
        traffic.prefix_share = 1;
        traffic.prefix_groups = lround(number(w, row, "distinct_prompts", 0));
    }
    /* Load generators that print no number of requests run for ten minutes. */
    if (traffic.arrival == ORR_ARRIVAL_POISSON && !is_counted(w, row))
        traffic.requests = lround(LOAD_S * traffic.rate_per_s);
    return traffic;
}

/* ---------------------------------------------------------------- runs */

bool orr_same_run(const struct orr_csv *csv, size_t a, size_t b)
{
    static const char *const OWN[] = {"id", "metric", "stat", "value"};
    for (size_t c = 0; c < csv->n_columns; c++) {
        bool own = is(csv->cells[a * csv->n_columns + c], csv->cells[b * csv->n_columns + c]);
        for (size_t i = 0; i < sizeof OWN / sizeof *OWN && !own; i++) own = is(csv->names[c], OWN[i]);
        if (!own) return false;
    }
    return true;
}

/* The mean of a metric that the run of this row was measured to have; 0: none. */
static double measured_mean(const struct validator *w, size_t row, const char *metric)
{
    size_t first = row, last = row;
    while (first > 0 && orr_same_run(w->csv, first - 1, row)) first--;
    while (last + 1 < w->csv->n_rows && orr_same_run(w->csv, last + 1, row)) last++;
    for (size_t i = first; i <= last; i++) {
        const char *stat = orr_csv_cell(w->csv, i, "stat");
        if (is(orr_csv_cell(w->csv, i, "metric"), metric) && (is(stat, "mean") || is(stat, "unstated")))
            return number(w, i, "value", 0);
    }
    return 0;
}

/* Simulates the run of a row. At the knee of a service one per cent of a step is many of the time per token, so long
 * runs at a rate are predicted the other way round: the rate from the time per token, and all else at that rate. */
static void run_row(struct validator *w, size_t row, struct orr_served_run *run)
{
    struct orr_traffic traffic = traffic_of(w, row);
    struct orr_error error;
    struct orr_closed_form *form = NULL;
    const bool steady = traffic.arrival == ORR_ARRIVAL_POISSON && !is_counted(w, row);
    const double tpot_s = steady ? measured_mean(w, row, "tpot_s") : 0;
    run->stated_tpot_s = 0;
    run->rate_per_s = steady ? traffic.rate_per_s : 0;
    if (steady && !orr_simulate(&w->job, &traffic, NULL, &run->result, &error))
        run->stated_tpot_s = run->result.timing[ORR_TIMING_TPOT].mean;
    if (tpot_s > 0) form = orr_closed_form_new(&w->job);
    if (form) {
        const double near_per_s = orr_rate_for(form, traffic, tpot_s, &run->result);
        const double rate_per_s = orr_rate_of_run(&w->job, &traffic, near_per_s, tpot_s);
        traffic.requests = lround((double)traffic.requests * rate_per_s / traffic.rate_per_s);
        run->rate_per_s = traffic.rate_per_s = rate_per_s;
    }
    if (orr_simulate(&w->job, &traffic, NULL, &run->result, &error))
        snprintf(run->failed, sizeof run->failed, "%s", error.text);
    else if (form) orr_widen_first(&w->job, form, &traffic, tpot_s, &run->result);
    orr_closed_form_free(form);
    if (run->failed[0]) return;
    if (!run->result.fits) snprintf(run->failed, sizeof run->failed, "%s", run->result.reason);
}

/* The first token of a static batch is on record among first tokens: a measured engine has the wider of what those
 * differ by and of the interval of its steps (Eq. 236). It waits for no queue, so that no doubt about one is added to
 * others. */
static void widen_static_first(const struct validator *w, struct orr_timing *ttft)
{
    const struct orr_exposure handling = orr_first_exposure(0, ttft->mean);
    const struct orr_interval first = orr_interval_of(&w->job, ORR_REGIME_SERVE_FIRST, &handling);
    if (!first.measured) return;
    ttft->low_frac = orr_min(ttft->low_frac, first.low);
    ttft->high_frac = orr_max(ttft->high_frac, first.high);
}

/* Steps that no queue shapes: their own interval is that of every time of the run. */
static void put_step_interval(const struct validator *w, const struct orr_exposure *exposure,
                              struct orr_serving_result *result)
{
    const struct orr_interval step = orr_interval_of(&w->job, orr_serving_regime(&w->job), exposure);
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        result->timing[i].low_frac = step.low;
        result->timing[i].high_frac = step.high;
    }
    widen_static_first(w, &result->timing[ORR_TIMING_TTFT]);
    result->step_low_frac = step.low;
    result->step_high_frac = step.high;
    result->rate_low_frac = 1 / step.high;
    result->rate_high_frac = 1 / step.low;
    memcpy(result->bound_frac, exposure->bound_frac, sizeof result->bound_frac);
}

/* Reads the job of the pool that computes the prompts of a disaggregated run. */
static bool read_prefill(struct validator *w, size_t row, struct orr_job *job, struct orr_score *score)
{
    const long replicas = lround(number(w, row, "prefill_replicas", 1)), tp = lround(number(w, row, "prefill_tp", 1));
    const long dp = lround(number(w, row, "prefill_dp", 1)), ep = lround(number(w, row, "prefill_ep", 1));
    put_request(w, row);
    orr_row_put_number(w, "gpus", replicas * tp * dp);
    orr_row_put_number(w, "plan.tp", tp);
    orr_row_put_number(w, "plan.dp", replicas * dp);
    orr_row_put_number(w, "plan.ep", ep);
    orr_row_put(w, "plan.etp", ep > 1 ? "1" : "");
    orr_row_put(w, "workload.expert_copies", ""); /* of the decode pool, like most of a row's limits */
    if (!orr_row_read(w, score)) return false;
    const struct orr_engine own = w->job.engine;
    struct orr_engine *e = &w->job.engine;
    put_limits(w, row); /* max_batch, max_batched_tokens and poll_steps are those of the decode pool */
    e->max_requests = lround(number(w, row, "prefill_max_batch", (double)own.max_requests));
    e->max_step_tokens = lround(number(w, row, "prefill_max_tokens", (double)own.max_step_tokens));
    e->max_kv_tokens = lround(number(w, row, "prefill_kv_tokens", (double)own.max_kv_tokens));
    e->poll_steps = own.poll_steps;
    *job = w->job;
    return true;
}

/* A disaggregated run: users ask prefill replicas, whose caches are sent to decode replicas. */
static void run_pools(struct validator *w, size_t row, struct orr_served_run *run, struct orr_score *score)
{
    const long replicas = lround(number(w, row, "pool_replicas", 1)), dp = lround(number(w, row, "dp", 1));
    const struct orr_traffic traffic = traffic_of(w, row);
    struct orr_job *prefill = malloc(sizeof *prefill);
    struct orr_error error;
    bool read = prefill && read_prefill(w, row, prefill, score);
    put_request(w, row);
    orr_row_put_number(w, "gpus", replicas * lround(number(w, row, "gpus", 1)));
    orr_row_put_number(w, "plan.dp", replicas * dp);
    read = read && orr_row_read(w, score);
    put_limits(w, row);
    const struct orr_deployment deployment = {.n_pools = 2,
                                              .pools = {{ORR_POOL_PREFILL, prefill}, {ORR_POOL_DECODE, &w->job}}};
    const struct orr_simulation how = {.deployment = &deployment};
    if (!read) snprintf(run->failed, sizeof run->failed, "%s", prefill ? score->skipped : "out of memory");
    else if (orr_simulate(prefill, &traffic, &how, &run->result, &error))
        snprintf(run->failed, sizeof run->failed, "%s", error.text);
    else if (!run->result.fits) snprintf(run->failed, sizeof run->failed, "%s", run->result.reason);
    free(prefill);
}

static void run_static(struct validator *w, struct orr_served_run *run)
{
    struct orr_infer_result result;
    orr_infer(&w->job, w->scratch, &result);
    memset(&run->result, 0, sizeof run->result);
    run->result.timing[ORR_TIMING_TTFT] = (struct orr_timing){.mean = result.ttft_s, .p50 = result.ttft_s};
    run->result.timing[ORR_TIMING_TPOT] = (struct orr_timing){.mean = result.tpot_s, .p50 = result.tpot_s};
    run->result.timing[ORR_TIMING_LATENCY] = (struct orr_timing){.mean = result.latency_s, .p50 = result.latency_s};
    run->result.output_tokens_per_s = result.output_tokens_per_s;
    run->result.output_tokens_per_s_per_gpu = result.output_tokens_per_s_per_gpu;
    run->result.completed_requests_per_s = (double)(w->job.plan.dp * w->job.serving.batch) / result.latency_s;
    run->result.power_w_per_gpu = result.power_w_per_gpu;
    const struct orr_exposure exposure = orr_infer_exposure(&result, result.prefill_s, result.decode_s);
    put_step_interval(w, &exposure, &run->result);
}

/* ---------------------------------------------------------------- scores */

static double at_stat(const struct orr_timing *timing, const char *stat)
{
    const struct {
        const char *name;
        double value;
    } stats[] = {{"mean", timing->mean}, {"unstated", timing->mean}, {"p50", timing->p50},
                 {"p90", timing->p90},   {"p95", timing->p95},       {"p99", timing->p99}};
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
        if (is(stat, stats[i].name)) return stats[i].value;
    return 0;
}

/* Watts and joules have no interval of their own. */
static void score_energy(double predicted, struct orr_score *score)
{
    if (orr_row_predicted(predicted, score)) score->error = predicted / score->measured - 1;
}

static bool score_timing(struct validator *w, const struct orr_served_run *run, const char *stat,
                         struct orr_score *score)
{
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        if (!is(score->metric, orr_timing_name((enum orr_timing_kind)i))) continue;
        const double predicted_s = at_stat(&run->result.timing[i], stat);
        const bool first = i == ORR_TIMING_TTFT || i == ORR_TIMING_QUEUE;
        const enum orr_regime regime = first ? ORR_REGIME_SERVE_FIRST : orr_serving_regime(&w->job);
        if (predicted_s > 0) orr_row_served_time(w, regime, &run->result.timing[i], predicted_s, score);
        else
            snprintf(score->skipped, sizeof score->skipped, "no prediction of %s %s in such a run", stat,
                     score->metric);
        return true;
    }
    return false;
}

static void score_metric(struct validator *w, const struct orr_served_run *run, const char *stat,
                         struct orr_score *score)
{
    const struct orr_serving_result *r = &run->result;
    const enum orr_regime regime = orr_serving_regime(&w->job);
    const double low = r->rate_low_frac, high = r->rate_high_frac;
    if (run->rate_per_s > 0 && is(score->metric, "ttft_s") && (r->saturated || r->at_knee))
        snprintf(score->skipped, sizeof score->skipped, "no prediction: a service at its knee may queue or not");
    else if (run->rate_per_s > 0 && is(score->metric, "tpot_s"))
        snprintf(score->skipped, sizeof score->skipped, "given: the rate follows from it; at the stated rate %.3g s",
                 run->stated_tpot_s);
    else if (run->rate_per_s > 0 && is(score->metric, "completed_requests_per_s"))
        orr_row_served_rate(w, regime, 1 / r->step_high_frac, 1 / r->step_low_frac, run->rate_per_s, score);
    else if (run->rate_per_s > 0 && !is(score->metric, "ttft_s"))
        snprintf(score->skipped, sizeof score->skipped, "follows from the rate and the time per token");
    else if (score_timing(w, run, stat, score)) return;
    else if (is(score->metric, "output_tokens_per_s_per_gpu"))
        orr_row_served_rate(w, regime, low, high, r->output_tokens_per_s_per_gpu, score);
    else if (is(score->metric, "output_tokens_per_s"))
        orr_row_served_rate(w, regime, low, high, r->output_tokens_per_s, score);
    else if (is(score->metric, "completed_requests_per_s"))
        orr_row_served_rate(w, regime, low, high, r->completed_requests_per_s, score);
    else if (is(score->metric, "power_w_per_gpu")) score_energy(r->power_w_per_gpu, score);
    else if (is(score->metric, "energy_j_per_output_token"))
        score_energy(r->energy_j_per_output_token / w->job.system.pue_frac, score); /* of the GPUs alone */
    else if (is(score->metric, "mean_running_batch"))
        snprintf(score->skipped, sizeof score->skipped, "given: the limit of the run, %.1f", r->mean_running_batch);
    else snprintf(score->skipped, sizeof score->skipped, "unknown metric \"%.40s\"", score->metric);
}

/* The latency of a closed loop follows from both of its printed times, and by Little's law its throughput too. Answers
 * of a data set differ much in length, and the mean of a time per token over requests is not that over tokens: there it
 * does not follow. */
static void score_latency(struct validator *w, size_t row, const struct orr_served_run *run)
{
    const enum orr_length_law law = lengths_of(w, row, "output_len", false).law;
    if (law != ORR_LENGTH_FIXED && law != ORR_LENGTH_UNIFORM) return;
    const double output = number(w, row, "output_len", 1) * (1 + number(w, row, "length_ratio", 1)) / 2;
    const double ttft_s = measured_mean(w, row, "ttft_s"), tpot_s = measured_mean(w, row, "tpot_s");
    const struct orr_serving_result *r = &run->result;
    if (ttft_s <= 0 || tpot_s <= 0) return;
    struct orr_score *score = orr_row_score(w, row, "latency_s");
    score->measured = ttft_s + (output - 1) * tpot_s;
    orr_row_served_time(w, orr_serving_regime(&w->job), &r->timing[ORR_TIMING_LATENCY],
                        r->timing[ORR_TIMING_TTFT].mean + (output - 1) * r->timing[ORR_TIMING_TPOT].mean, score);
}

/* Runs that drafted tokens, of which sources do not print how many were accepted: nothing is predicted for them. */
static const char *drafts(const struct validator *w, size_t row)
{
    return number(w, row, "draft_tokens", 0) > 0 ? "how many drafted tokens were accepted is not printed" : NULL;
}

void orr_score_serving_row(struct validator *w, size_t row)
{
    const char *metric = orr_csv_cell(w->csv, row, "metric"), *stat = orr_csv_cell(w->csv, row, "stat");
    const char *arrival = orr_csv_cell(w->csv, row, "arrival");
    struct orr_score *score = orr_row_score(w, row, metric);
    struct orr_served_run *run = &w->v->run;
    if (!orr_row_measured(w, row, "value", 1, score)) return;
    if (!orr_row_word(w, row, "arrival", "closed poisson saturated static disaggregated", score)) return;
    if (!has_lengths(w, row, score)) return;
    if (drafts(w, row)) {
        snprintf(score->skipped, sizeof score->skipped, "%s", drafts(w, row));
        return;
    }
    const bool known = row > 0 && run->csv == w->v->n_csvs && orr_same_run(w->csv, row - 1, row);
    if (!known) {
        struct orr_request_record *records = run->records;
        *run = (struct orr_served_run){.csv = w->v->n_csvs, .records = records};
        put_request(w, row);
        if (is(arrival, "disaggregated")) run_pools(w, row, run, score);
        else if (!orr_row_read(w, score)) snprintf(run->failed, sizeof run->failed, "%s", score->skipped);
        else {
            put_limits(w, row);
            if (is(arrival, "static")) run_static(w, run);
            else run_row(w, row, run);
        }
    }
    if (run->failed[0]) {
        snprintf(score->skipped, sizeof score->skipped, "%s", run->failed);
        return;
    }
    memcpy(w->exposure.bound_frac, run->result.bound_frac, sizeof w->exposure.bound_frac);
    score_metric(w, run, stat, score);
    if (is(arrival, "closed") && is(metric, "tpot_s")) score_latency(w, row, run);
}

/* ---------------------------------------------------------------- the two halves, for fits */

/* Does a run of this row have a mean time per token, which says all that its other rows say about the stack? */
static bool has_token_time(const struct validator *w, size_t row)
{
    return measured_mean(w, row, "tpot_s") > 0 || measured_mean(w, row, "itl_s") > 0;
}

/* What a row says about a stack: one value of every run. A fit of several values of one run would count it twice. */
static const char *unfit_for(const struct validator *w, size_t row, const char *metric, const char *stat)
{
    const char *arrival = orr_csv_cell(w->csv, row, "arrival");
    const bool mean = !stat[0] || is(stat, "mean") || is(stat, "unstated");
    const bool rate = is(metric, "output_tokens_per_s") || is(metric, "output_tokens_per_s_per_gpu") ||
                      is(metric, "completed_requests_per_s");
    if (is(arrival, "disaggregated")) return "runs of two pools are not fitted";
    if (drafts(w, row)) return drafts(w, row);
    if (is(metric, "ttft_s")) return "the time to the first token under load is mostly queueing";
    if (!rate && !is(metric, "tpot_s") && !is(metric, "itl_s") && !is(metric, "latency_s"))
        return "not a time or a rate of tokens or requests";
    if (is(arrival, "poisson"))
        return is(metric, "completed_requests_per_s") ? NULL : "at a given rate only completed_requests_per_s tells";
    if (!rate && !mean) return "only means are fitted";
    if (is(metric, "itl_s")) return measured_mean(w, row, "tpot_s") > 0 ? "its run has a tpot_s" : NULL;
    if ((rate || is(metric, "latency_s")) && has_token_time(w, row)) return "its run has a mean time per token";
    return NULL;
}

struct orr_score *orr_read_serving_row(struct validator *w, size_t row)
{
    const char *metric = orr_csv_cell(w->csv, row, "metric"), *stat = orr_csv_cell(w->csv, row, "stat");
    struct orr_score *score = orr_row_score(w, row, metric);
    if (!orr_row_measured(w, row, "value", 1, score)) return NULL;
    if (!orr_row_word(w, row, "arrival", "closed poisson saturated static disaggregated", score)) return NULL;
    if (!has_lengths(w, row, score)) return NULL;
    const char *unfit = unfit_for(w, row, metric, stat);
    put_request(w, row); /* names the engine of the row even if its value is of no use */
    if (unfit) snprintf(score->skipped, sizeof score->skipped, "%s", unfit);
    if (!orr_row_read(w, score) || unfit) return NULL;
    put_limits(w, row);
    return score;
}

/* The steady state of the row's traffic in closed form (Eqs. 211-223), which moves smoothly with the constants of a
 * stack, as a simulation does not. */
static void solve_row(struct validator *w, size_t row, struct orr_served_run *run)
{
    struct orr_traffic traffic = traffic_of(w, row);
    const double tpot_s = traffic.arrival == ORR_ARRIVAL_POISSON ? measured_mean(w, row, "tpot_s") : 0;
    struct orr_closed_form *form = orr_closed_form_new(&w->job);
    if (form && tpot_s > 0) run->rate_per_s = traffic.rate_per_s = orr_rate_for(form, traffic, tpot_s, &run->result);
    const struct orr_mean_lengths lengths = orr_traffic_lengths(&traffic);
    if (form && w->means) orr_closed_form_means(form, &traffic, &lengths, &run->result);
    else if (form) orr_closed_form_solve(form, &traffic, &run->result);
    if (!form) snprintf(run->failed, sizeof run->failed, "out of memory");
    else if (!run->result.fits) snprintf(run->failed, sizeof run->failed, "%s", run->result.reason);
    orr_closed_form_free(form);
}

void orr_predict_serving(struct validator *w, size_t row, struct orr_score *score)
{
    const char *arrival = orr_csv_cell(w->csv, row, "arrival"), *stat = orr_csv_cell(w->csv, row, "stat");
    struct orr_served_run run = {0};
    if (is(arrival, "static")) run_static(w, &run);
    else solve_row(w, row, &run);
    memcpy(w->exposure.bound_frac, run.result.bound_frac, sizeof w->exposure.bound_frac);
    if (run.failed[0]) snprintf(score->skipped, sizeof score->skipped, "%s", run.failed);
    else score_metric(w, &run, stat[0] ? stat : "mean", score);
}

/* ---------------------------------------------------------------- logs of requests */

struct log {
    struct orr_request_record *records;
    size_t n;
};

static void keep(void *context, const struct orr_request_record *record)
{
    const struct log *log = context;
    if (record->id >= 0 && (size_t)record->id < log->n) log->records[record->id] = *record;
}

/* Simulates all requests of a log, which is one run. Its times begin inside the engine. */
static void run_log(struct validator *w, struct orr_served_run *run)
{
    const size_t n = w->csv->n_rows;
    struct orr_trace_row *rows = calloc(n, sizeof *rows);
    struct orr_error error;
    free(run->records);
    run->records = calloc(n, sizeof *run->records);
    struct log log = {run->records, n};
    const struct orr_simulation how = {.context = &log, .finished = keep};
    for (size_t i = 0; rows && i < n; i++)
        rows[i] = (struct orr_trace_row){.arrival_s = orr_row_value(orr_csv_cell(w->csv, i, "arrival_s")),
                                         .input_len = lround(number(w, i, "input_tokens", 1)),
                                         .output_len = lround(number(w, i, "output_tokens", 1))};
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_TRACE, .trace = rows, .n_trace = n};
    struct orr_engine *e = &w->job.engine;
    e->frontend_s = e->frontend_s_per_token = e->frontend_s_per_request = 0;
    e->tokenise_s_per_token = e->stream_s_per_token = 0;
    if (!rows || !run->records) snprintf(run->failed, sizeof run->failed, "out of memory");
    else if (orr_simulate(&w->job, &traffic, &how, &run->result, &error))
        snprintf(run->failed, sizeof run->failed, "%s", error.text);
    free(rows);
}

/* Does every request of a log say when it came and how long it is? */
static bool log_is_whole(const struct validator *w, struct orr_served_run *run)
{
    static const char *const COLUMNS[] = {"arrival_s", "input_tokens", "output_tokens"};
    for (size_t row = 0; row < w->csv->n_rows; row++)
        for (size_t i = 0; i < 3; i++) {
            const char *cell = orr_csv_cell(w->csv, row, COLUMNS[i]);
            if (orr_row_value(cell) >= (i > 0 ? 1 : 0)) continue;
            snprintf(run->failed, sizeof run->failed, "%s of request %zu must be a number from %d, not \"%.40s\"",
                     COLUMNS[i], row + 1, i > 0, cell);
            return false;
        }
    return true;
}

static void read_log(struct validator *w, struct orr_score *score, struct orr_served_run *run)
{
    if (!log_is_whole(w, run)) return;
    orr_row_put(w, "kind", "infer");
    orr_row_put_cells(w, 0, "", "model system gpus");
    orr_row_put_cells(w, 0, "plan.", "tp dp ep");
    orr_row_put(w, "workload.precision", is(orr_csv_cell(w->csv, 0, "dtype"), "bfloat16") ? "bf16" : "");
    const char *engine = orr_csv_cell(w->csv, 0, "engine");
    orr_row_put_engine(w, engine[0] ? engine : "vllm", "vllm");
    orr_row_put(w, "workload.input_len", orr_csv_cell(w->csv, 0, "input_tokens"));
    orr_row_put(w, "workload.output_len", orr_csv_cell(w->csv, 0, "output_tokens"));
    if (!orr_row_read(w, score)) {
        snprintf(run->failed, sizeof run->failed, "%s", score->skipped);
        return;
    }
    w->job.engine.max_requests = lround(number(w, 0, "max_num_seqs", (double)w->job.engine.max_requests));
    w->job.engine.max_step_tokens =
        lround(number(w, 0, "max_num_batched_tokens", (double)w->job.engine.max_step_tokens));
    run_log(w, run);
}

void orr_score_log_row(struct validator *w, size_t row)
{
    struct orr_served_run *run = &w->v->run;
    struct orr_score *first = orr_row_score(w, row, "ttft_s"), *last = orr_row_score(w, row, "latency_s");
    if (row == 0) {
        struct orr_request_record *records = run->records;
        *run = (struct orr_served_run){.csv = w->v->n_csvs, .records = records};
        read_log(w, first, run);
    }
    if (run->failed[0] || run->records[row].finish_s <= 0) {
        snprintf(first->skipped, sizeof first->skipped, "%s", run->failed[0] ? run->failed : "the request did not end");
        snprintf(last->skipped, sizeof last->skipped, "%s", first->skipped);
        return;
    }
    const struct orr_request_record *r = &run->records[row];
    const enum orr_regime regime = orr_serving_regime(&w->job);
    memcpy(w->exposure.bound_frac, run->result.bound_frac, sizeof w->exposure.bound_frac);
    if (orr_row_measured(w, row, "ttft_s", 1, first))
        orr_row_served_time(w, ORR_REGIME_SERVE_FIRST, &run->result.timing[ORR_TIMING_TTFT], r->first_s - r->arrival_s,
                            first);
    if (orr_row_measured(w, row, "latency_s", 1, last))
        orr_row_served_time(w, regime, &run->result.timing[ORR_TIMING_LATENCY], r->finish_s - r->arrival_s, last);
}
