/* Traces of requests, which traffic may name: read, and their first requests simulated. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

static void stop_soon(void *context, double done_frac)
{
    (void)done_frac;
    *(volatile int *)context = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct orr_catalogue *open_catalogue; /* one that may read files */
    char json[512];
    struct orr_service *service = NULL;
    struct orr_error error = {0};
    volatile int stop = 0;
    if (!open_catalogue && orr_catalogue_open(NULL, 0, &open_catalogue, NULL)) abort();
    const char *path = fuzz_file(data, size, ".csv");
    (void)snprintf(json, sizeof json,
                   "{\"model\":\"llama3-8b\",\"system\":\"h100-sxm\",\"traffic\":{\"trace\":\"%s\",\"requests\":20}}",
                   path);
    if (orr_service_open(open_catalogue, json, "request", &service, &error)) fuzz_error(&error);
    else if (orr_service_run(service, &stop, stop_soon, (void *)(uintptr_t)&stop, &error)) fuzz_error(&error);
    else free(orr_service_render(service, ORR_FORMAT_JSON, NULL));
    orr_service_close(service);
    (void)unlink(path);
    return 0;
}
