/* This file makes the page of a service under load: the answer with its detail, and throughput over latency. */
#include "report/json_text.h"
#include "report/page.h"
#include "report/service.h"
#include "serving/pools.h"
#include "spec/form.h"

#include <stdio.h>

enum { LOADS = 14 };

/* Throughput of a GPU over the time per token, for closed loops of 1, 2, 4, ... users, by the closed form. */
static void add_curve(const struct orr_service *service, struct orr_page_parts *page)
{
    struct orr_page_point points[LOADS];
    char titles[LOADS][48];
    struct orr_closed_form *form = orr_closed_form_new(&service->request.job);
    struct orr_traffic traffic = service->request.traffic;
    const struct orr_deployment deployment = orr_deployment_of(&service->request);
    size_t n = 0;
    if (!form) return; /* the text that is taken at the end tells it */
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
        (void)snprintf(titles[n], sizeof titles[n], "%lld users", (long long)loop.concurrency);
        points[n] = (struct orr_page_point){.x = 1e3 * result.timing[ORR_TIMING_TPOT].mean,
                                            .y = result.output_tokens_per_s_per_gpu,
                                            .title = titles[n]};
        n++;
    }
    orr_closed_form_free(form);
    if (n > 1)
        orr_page_curve(page, "Throughput and time per token, closed form", "time per token, ms",
                       "output tokens/s per GPU", points, n);
}

void orr_service_html(const struct orr_service *service, struct orr_text *text)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text plain = {0}, detailed = {0};
    orr_service_terminal(service, &orr_page_style, &page.terminal);
    orr_service_json(service, false, &plain);
    orr_page_reply(&page, "serving", &plain);
    if (!service->closed_form) {
        orr_service_json(service, true, &detailed);
        orr_page_reply(&page, "serving?detail=1", &detailed);
    }
    add_curve(service, &page);
    orr_page_finish(&page, "Serving under load", text);
}
