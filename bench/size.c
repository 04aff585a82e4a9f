/* The speed of a sizing: three systems, up to 64 GPUs, every plan of a 70B model. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

static const char request[] =
    "{\"kind\":\"size\",\"model\":\"llama3-70b\",\"system\":[\"h100-sxm\",\"h200-sxm\",\"b200-sxm\"],"
    "\"workload\":{\"engine\":\"vllm-0.12\"},\"traffic\":{\"rate_per_s\":20,\"input_len\":\"2000~0.8\","
    "\"output_len\":\"300~0.8\"},\"slo\":[\"ttft_s.p99<=2 s\",\"tpot_s.p95<=40 ms\"],\"size\":{\"budget\":64}}";

void measure_size(const struct orr_catalogue *catalogue, struct figure *figure)
{
    struct orr_size *size;
    struct orr_error error;
    const double from_s = now_s();
    if (orr_size_open(catalogue, request, "request", &size, &error) ||
        orr_size_run(size, 2, NULL, NULL, NULL, &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(2);
    }
    *figure =
        (struct figure){"size_s", now_s() - from_s, "size of a service, 70B on three systems up to 64 GPUs, two cores"};
    orr_size_close(size);
}
