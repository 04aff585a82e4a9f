/* This file writes a service under load for people: what was asked, times, rates, and small histograms. */
#include "base/number.h"
#include "base/units.h"
#include "report/answer.h"
#include "report/assumed.h"
#include "report/service.h"
#include "report/summary.h"
#include "report/sureness.h"
#include "report/table.h"
#include "spec/assume.h"
#include "spec/form.h"
#include "spec/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BARS = 24 };

/* ---------------------------------------------------------------- what was asked */

static void add_lengths(const struct orr_lengths *l, struct orr_text *line)
{
    switch (l->law) {
    case ORR_LENGTH_FIXED: orr_text_add(line, "%.0f", l->mean); break;
    case ORR_LENGTH_UNIFORM: orr_text_add(line, "%.0f to %.0f", l->low, l->high); break;
    case ORR_LENGTH_LOGNORMAL: orr_text_add(line, "%.0f (cv %.3g)", l->mean, l->cv); break;
    case ORR_LENGTH_EXPONENTIAL: orr_text_add(line, "%.0f (exponential)", l->mean); break;
    case ORR_LENGTH_EMPIRICAL: orr_text_add(line, "%.0f (median)", l->points[l->n_points / 2]); break;
    case ORR_N_LENGTH_LAWS: break;
    }
}

void orr_traffic_text(const struct orr_serving_request *request, struct orr_text *line)
{
    const struct orr_traffic *t = &request->traffic;
    if (t->arrival == ORR_ARRIVAL_CLOSED) orr_text_add(line, "%lld users", (long long)t->concurrency);
    else if (t->arrival == ORR_ARRIVAL_TRACE) orr_text_add(line, "trace %s", request->trace_file);
    else if (t->arrival == ORR_ARRIVAL_SATURATED) orr_text_add(line, "all at once");
    else orr_text_add(line, "%.4g requests/s, %s", t->rate_per_s, orr_arrival_names[t->arrival]);
    if (t->think_s > 0) orr_text_add(line, ", %.3g s of thought", t->think_s);
    if (t->arrival != ORR_ARRIVAL_TRACE) {
        orr_text_add(line, " · ");
        add_lengths(&t->input_len, line);
        orr_text_add(line, " → ");
        add_lengths(&t->output_len, line);
        orr_text_add(line, " tokens");
    }
    if (t->router != ORR_ROUTER_ROUND_ROBIN) orr_text_add(line, " · %s", orr_router_names[t->router]);
    if (t->prefix_share > 0) orr_text_add(line, " · %.3g %% of prompts shared", 100 * t->prefix_share);
    if (t->session_share > 0) orr_text_add(line, ", in sessions");
    if (t->adapters > 0)
        orr_text_add(line, " · %lld adapters of rank %lld", (long long)t->adapters, (long long)t->adapter_rank);
}

static void add_heading(const struct orr_service *service, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_job *job = &service->request.job;
    const struct orr_deployment deployment = orr_deployment_of(&service->request);
    struct orr_text line = {0};
    orr_text_add(&line, "%s · %lld × %s", job->model.id, (long long)job->plan.gpus, job->system.id);
    for (size_t i = 1; i < deployment.n_pools; i++)
        orr_text_add(&line, " + %lld × %s", (long long)deployment.pools[i].job->plan.gpus,
                     deployment.pools[i].job->system.id);
    orr_summary_line(text, style, "serving", &line);
    for (size_t i = 0; i < deployment.n_pools || i == 0; i++) {
        const struct orr_pool *pool = &deployment.pools[i];
        orr_summary_degrees(&pool->job->plan, &line);
        orr_summary_line(text, style, deployment.n_pools > 1 ? orr_pool_role_names[pool->role] : "plan", &line);
    }
    orr_traffic_text(&service->request, &line);
    orr_summary_line(text, style, "traffic", &line);
    orr_text_add(&line, "%s · scheduler %s · %lld sequences, %lld tokens a step", job->engine.id,
                 orr_scheduler_names[job->engine.scheduler], (long long)job->engine.max_requests,
                 (long long)job->engine.max_step_tokens);
    orr_options_text(job, &line);
    orr_draft_text(job, &line);
    orr_summary_line(text, style, "engine", &line);
    orr_assumed_lines(job, job->assumed & ~orr_assume_bit(ORR_ASSUME_BATCH), &job->spread, style, text);
    orr_text_add(text, "\n");
    free(line.data);
}

/* ---------------------------------------------------------------- times */

static void add_times(const struct orr_service *service, const struct orr_style *style, struct orr_text *text)
{
    static const char *const NAMES[ORR_N_TIMINGS] = {"first token", "next tokens", "token gaps", "latency", "queue"};
    struct orr_table table;
    orr_table_start(&table, "lrrrrrl");
    ORR_ROW(&table, ORR_PAINT_DIM, "", "mean", "p50", "p90", "p95", "p99", "80 % of the mean");
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        const struct orr_timing *t = &service->result.timing[i];
        char cells[5][32], interval[80], low[32], high[32];
        const double values[5] = {t->mean, t->p50, t->p90, t->p95, t->p99};
        for (int k = 0; k < 5; k++) {
            if (service->closed_form && k > 0) (void)snprintf(cells[k], sizeof cells[k], "–");
            else (void)orr_print_s(cells[k], values[k]);
        }
        (void)snprintf(interval, sizeof interval, "%s … %s", orr_print_s(low, t->mean * t->low_frac),
                       orr_print_s(high, t->mean * t->high_frac));
        ORR_ROW(&table, ORR_PAINT_NONE, NAMES[i], cells[0], cells[1], cells[2], cells[3], cells[4],
                t->mean > 0 ? interval : "");
    }
    orr_table_print(&table, text, style);
}

/* ---------------------------------------------------------------- rates */

__attribute__((format(printf, 4, 5))) static void add_row(struct orr_table *table, const char *name, const char *value,
                                                          const char *format, ...)
{
    char detail[200];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    ORR_ROW(table, ORR_PAINT_NONE, name, value, detail);
}

/* Rows that few services have: caches on their way to another pool, urgent requests, requests that failed. */
static void add_rare_rates(const struct orr_service *service, struct orr_table *table)
{
    const struct orr_serving_result *r = &service->result;
    char value[64], tail[32], rest[32];
    if (r->transfer.mean > 0) {
        (void)orr_print_s(value, r->transfer.mean);
        add_row(table, "transfer", value, "of a cache, p99 %s, links busy %.1f %%",
                service->closed_form ? "–" : orr_print_s(tail, r->transfer.p99), 100 * r->link_busy_frac);
    }
    if (r->urgent_ttft.mean > 0) {
        (void)orr_print_s(value, r->urgent_ttft.mean);
        add_row(table, "urgent", value, "first token, p99 %s; of the others %s", orr_print_s(tail, r->urgent_ttft.p99),
                orr_print_s(rest, r->other_ttft.mean));
    }
    if (r->rejected > 0 || r->restarted > 0) {
        (void)snprintf(value, sizeof value, "%lld rejected", (long long)r->rejected);
        add_row(table, "requests", value, "%lld began anew on another replica", (long long)r->restarted);
    }
}

static void add_rates(const struct orr_service *service, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_serving_result *r = &service->result;
    struct orr_table table;
    char value[64], other[32];
    orr_table_start(&table, "lll");
    (void)orr_print_si(value, r->output_tokens_per_s, "tokens/s");
    add_row(&table, "throughput", value, "%s per GPU, %.4g requests/s",
            orr_print_si(other, r->output_tokens_per_s_per_gpu, "tokens/s"), r->completed_requests_per_s);
    if (service->request.n_slos > 0) {
        (void)snprintf(value, sizeof value, "%.4g requests/s", r->goodput_requests_per_s);
        const char *verdict = r->slo_met ? "limits met" : "limits missed";
        if (service->closed_form) add_row(&table, "goodput", value, "of means: %s", verdict);
        else add_row(&table, "goodput", value, "%.2f %% of requests keep every limit: %s", 100 * r->slo_frac, verdict);
    }
    (void)snprintf(value, sizeof value, "%.1f", r->mean_running_batch);
    add_row(&table, "batch", value, "%.1f waiting, busy %.0f %%, prompts in %.0f %% of it", r->mean_waiting,
            100 * r->busy_frac, 100 * r->prompt_frac);
    (void)snprintf(value, sizeof value, "%.1f %%", 100 * r->kv_used_frac);
    add_row(&table, "cache", value, "of %.0f tokens, %lld preemptions, %.1f %% of prompts found", r->kv_capacity_tokens,
            (long long)r->preemptions, 100 * r->prefix_hit_frac);
    add_rare_rates(service, &table);
    (void)snprintf(value, sizeof value, "%.0f W per GPU", r->power_w_per_gpu);
    add_row(&table, "power", value, "%s per output token", orr_print_si(other, r->energy_j_per_output_token, "J"));
    (void)snprintf(value, sizeof value, "$%.4g", r->cost_usd_per_million_output_tokens);
    add_row(&table, "cost", value, "per million output tokens");
    orr_table_print(&table, text, style);
}

static void add_pools(const struct orr_service *service, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_serving_result *r = &service->result;
    struct orr_table table;
    if (r->n_pools < 2 && !(service->request.deployment.autoscale.most > 0)) return;
    orr_text_section(text, style, "pools");
    orr_table_start(&table, "lrrrrrr");
    ORR_ROW(&table, ORR_PAINT_DIM, "", "GPUs", "replicas", "busy", "batch", "cache", "power");
    for (int64_t i = 0; i < r->n_pools; i++) {
        const struct orr_pool_result *p = &r->pools[i];
        char gpus[32], replicas[32], busy[32], batch[32], cache[32], power[32];
        (void)snprintf(gpus, sizeof gpus, "%lld", (long long)p->gpus);
        (void)snprintf(replicas, sizeof replicas, "%.3g", p->replicas);
        (void)snprintf(busy, sizeof busy, "%.0f %%", 100 * p->busy_frac);
        (void)snprintf(batch, sizeof batch, "%.1f", p->mean_running_batch);
        (void)snprintf(cache, sizeof cache, "%.1f %%", 100 * p->kv_used_frac);
        (void)snprintf(power, sizeof power, "%.0f W", p->power_w_per_gpu);
        ORR_ROW(&table, ORR_PAINT_NONE, orr_pool_role_names[p->role], gpus, replicas, busy, batch, cache, power);
    }
    orr_table_print(&table, text, style);
}

/* ---------------------------------------------------------------- histograms */

/* One line of bars from the shortest to the longest 99 % of a time. */
static void add_histogram(const struct orr_service *service, enum orr_timing_kind kind, const char *name,
                          struct orr_text *text)
{
    static const char *const BLOCKS[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double end = service->result.timing[kind].p99 * 1.05;
    double counts[BARS] = {0}, most = 0;
    char low[32], high[32];
    if (end <= 0) return;
    for (size_t i = 0; i < service->n_records; i++) {
        const double at = orr_record_time(&service->records[i], kind) / end * BARS;
        if (at < BARS) counts[(int)orr_max(0, at)] += 1;
    }
    for (int i = 0; i < BARS; i++) most = orr_max(most, counts[i]);
    if (most <= 0) return;
    orr_text_add(text, "  %-12s %8s ", name, orr_print_s(low, 0));
    for (int i = 0; i < BARS; i++) orr_text_add(text, "%s", BLOCKS[(int)ceil(8 * counts[i] / most)]);
    orr_text_add(text, " %s\n", orr_print_s(high, end));
}

void orr_service_terminal(const struct orr_service *service, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_serving_result *r = &service->result;
    add_heading(service, style, text);
    if (!r->fits) {
        orr_text_wrap(text, style, "  does not fit: ", 16, r->reason, " ");
        if (r->requests == 0) return;
    }
    add_times(service, style, text);
    orr_text_add(text, "\n");
    add_rates(service, style, text);
    add_pools(service, style, text);
    orr_text_add(text, "\n");
    orr_service_sureness(&service->request.job, r, style, text);
    if (r->at_knee) orr_text_add(text, "  knee      a step a little slower or faster decides whether requests queue\n");
    if (r->saturated)
        orr_text_add(text, "\n  more arrives than is served: %s\n",
                     r->rejected > 0 ? "the rest is turned away" : "times grow with the length of the run");
    if (!r->complete) orr_text_add(text, "\n  stopped early: about the first %lld requests\n", (long long)r->requests);
    if (service->closed_form || service->n_records == 0) return;
    orr_text_section(text, style, "requests by time");
    add_histogram(service, ORR_TIMING_TTFT, "first token", text);
    add_histogram(service, ORR_TIMING_TPOT, "next tokens", text);
    add_histogram(service, ORR_TIMING_LATENCY, "latency", text);
}
