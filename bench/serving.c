/* The speed of a service under load: simulated requests, and steady states in closed form. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define N_REQUESTS 1000000
#define N_FORMS    20000

static const char request[] = "{\"kind\":\"infer\",\"model\":\"llama3-8b\",\"system\":\"h100-sxm\","
                              "\"workload\":{\"input_len\":500,\"output_len\":250,\"engine\":\"vllm-0.12\"}}";

static struct orr_traffic users(int64_t concurrency)
{
    return (struct orr_traffic){.arrival = ORR_ARRIVAL_CLOSED,
                                .concurrency = concurrency,
                                .requests = N_REQUESTS,
                                .input_len = {.law = ORR_LENGTH_FIXED, .mean = 500},
                                .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 200, .high = 300},
                                .seed = 1};
}

static double forms_per_s(const struct orr_job *job)
{
    struct orr_closed_form *form = orr_closed_form_new(job);
    struct orr_serving_result result;
    if (!form) exit(2);
    const double from_s = now_s();
    for (int64_t i = 0; i < N_FORMS; i++) {
        const struct orr_traffic traffic = users(1 + i % 200);
        orr_closed_form_solve(form, &traffic, &result);
    }
    const double time_s = now_s() - from_s;
    orr_closed_form_free(form);
    return N_FORMS / time_s;
}

void measure_serving(const struct orr_catalogue *catalogue, struct figure figures[N_SERVING_FIGURES])
{
    struct orr_job *job = malloc(sizeof *job);
    struct orr_serving_result result;
    struct orr_error error;
    const struct orr_traffic traffic = users(64);
    if (!job || orr_job_read(catalogue, request, "request", job, &error)) exit(2);
    const double from_s = now_s();
    if (orr_simulate(job, &traffic, NULL, &result, &error)) exit(2);
    const double time_s = now_s() - from_s;
    figures[0] = (struct figure){"serving_requests_per_s", N_REQUESTS / time_s,
                                 "simulated requests, 250 tokens out, 64 users, one core"};
    figures[1] = (struct figure){"serving_closed_form_per_s", forms_per_s(job),
                                 "steady states in closed form with power, cost and intervals, one core"};
    free(job);
}
