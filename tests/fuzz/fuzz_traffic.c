/* Specifications of traffic, as POST /api/v1/serving takes them: read, solved in closed form, and simulated for as long
 * as a few reports of progress. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

struct patience {
    volatile int stop;
    int n_left;
};

static void watch(void *context, double done_frac)
{
    struct patience *patience = context;
    if (!(done_frac >= 0 && done_frac <= 1)) abort();
    if (--patience->n_left <= 0) patience->stop = 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *json = fuzz_text("", data, size, "");
    struct orr_service *service = NULL;
    struct orr_error error = {0};
    struct patience patience = {.n_left = 2};
    if (orr_service_open(fuzz_catalogue(), json, "request", &service, &error)) {
        fuzz_error(&error);
    } else {
        if (orr_service_solve(service, &error)) fuzz_error(&error);
        if (orr_service_run(service, &patience.stop, watch, &patience, &error)) fuzz_error(&error);
        else free(orr_service_render(service, ORR_FORMAT_JSON, NULL));
    }
    orr_service_close(service);
    free(json);
    return 0;
}
