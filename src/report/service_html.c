/* This file writes a service under load as a page: distributions, batch over time, throughput over latency. */
#include "base/number.h"
#include "report/html.h"
#include "report/html_plot.h"
#include "report/service.h"
#include "serving/pools.h"
#include "spec/form.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 200, LOADS = 14 };

/* The share of requests up to a time, at equal steps of the share; seconds where milliseconds would be thousands. */
static void add_shares(const struct orr_service *service, enum orr_timing_kind kind, const char *name,
                       struct orr_text *text)
{
    struct orr_html_point points[POINTS + 1];
    struct orr_text title = {0};
    double *sorted = malloc((service->n_records + 1) * sizeof *sorted);
    if (!sorted || service->n_records == 0) {
        free(sorted);
        return;
    }
    for (size_t i = 0; i < service->n_records; i++) sorted[i] = orr_record_time(&service->records[i], kind);
    qsort(sorted, service->n_records, sizeof *sorted, orr_ascending);
    const bool seconds = sorted[service->n_records - 1] > 5;
    orr_text_add(&title, "%s, %s", name, seconds ? "s" : "ms");
    for (int i = 0; i <= POINTS; i++) {
        const double share = (double)i / POINTS;
        points[i] = (struct orr_html_point){.x = (seconds ? 1 : 1e3) * orr_quantile(sorted, service->n_records, share),
                                            .y = 100 * share};
    }
    orr_html_curve(text, title.data ? title.data : name, "% of requests", points, POINTS + 1, false);
    free(title.data);
    free(sorted);
}

static void add_series(const struct orr_service *service, const double *sums, const char *name, double scale,
                       struct orr_text *text)
{
    struct orr_html_point points[ORR_SERIES];
    size_t n = 0;
    for (size_t i = 0; i < service->series.n; i++) {
        if (service->series.time_s[i] <= 0) continue;
        points[n++] = (struct orr_html_point){.x = ((double)i + 0.5) * service->series.width_s,
                                              .y = scale * sums[i] / service->series.time_s[i],
                                              .good = true,
                                              .title = name};
    }
    if (n > 1) orr_html_curve(text, "time, s", name, points, n, false);
}

/* Throughput of a GPU over the time per token, for closed loops of 1, 2, 4, ... users, by the closed form. */
static void add_curve(const struct orr_service *service, struct orr_text *text)
{
    struct orr_html_point points[LOADS];
    char titles[LOADS][48];
    struct orr_closed_form *form = orr_closed_form_new(&service->request.job);
    struct orr_traffic traffic = service->request.traffic;
    const struct orr_deployment deployment = orr_deployment_of(&service->request);
    size_t n = 0;
    if (!form) return;
    traffic.trace = service->request.trace;
    for (int i = 0; i < LOADS; i++) {
        struct orr_serving_result result;
        struct orr_traffic loop = traffic;
        if (traffic.arrival == ORR_ARRIVAL_TRACE) { /* lengths of the trace, users instead of its arrivals */
            loop.input_len = (struct orr_lengths){.mean = (double)service->request.job.serving.input_len};
            loop.output_len = (struct orr_lengths){.mean = (double)service->request.job.serving.output_len};
        }
        loop.arrival = ORR_ARRIVAL_CLOSED;
        loop.requests = 0;
        loop.concurrency = (INT64_C(1) << i) * service->request.job.plan.dp;
        if (deployment.n_pools < 2) orr_closed_form_solve(form, &loop, &result);
        else if (!orr_pools_solve(&deployment, &loop, &result)) break;
        if (!result.fits) break;
        (void)snprintf(titles[n], sizeof titles[n], "%lld users, closed form", (long long)loop.concurrency);
        points[n] = (struct orr_html_point){.x = 1e3 * result.timing[ORR_TIMING_TPOT].mean,
                                            .y = result.output_tokens_per_s_per_gpu,
                                            .good = true,
                                            .title = titles[n]};
        n++;
    }
    orr_closed_form_free(form);
    if (n > 1) orr_html_curve(text, "time per token, ms", "output tokens/s per GPU", points, n, true);
}

void orr_service_html(const struct orr_service *service, struct orr_text *text)
{
    struct orr_text terminal = {0}, json = {0};
    orr_html_start(text, "Serving under load");
    orr_html_element(text, "h2", "", "Throughput and time per token");
    add_curve(service, text);
    if (!service->closed_form) {
        orr_html_element(text, "h2", "", "Requests");
        add_shares(service, ORR_TIMING_TTFT, "first token", text);
        add_shares(service, ORR_TIMING_TPOT, "next tokens", text);
        add_shares(service, ORR_TIMING_LATENCY, "latency", text);
        orr_html_element(text, "h2", "", "Over time");
        add_series(service, service->series.decodes_s, "decoding sequences", 1, text);
        add_series(service, service->series.waiting_s, "waiting requests", 1, text);
        add_series(service, service->series.kv_s, "cache used, %", 100, text);
    }
    orr_service_terminal(service, &orr_html_style, &terminal);
    orr_service_json(service, false, &json);
    orr_html_finish(text, &terminal, &json);
}
