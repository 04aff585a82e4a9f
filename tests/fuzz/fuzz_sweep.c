/* Specifications of sweeps, as POST /api/v1/sweep takes them: read, and answered at their first points. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { POINTS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct orr_sweep_row rows[POINTS];
    char *json = fuzz_text("", data, size, "");
    struct orr_sweep *sweep = NULL;
    struct orr_error error = {0};
    if (orr_sweep_open_json(fuzz_catalogue(), json, "request", 1, &sweep, &error)) {
        fuzz_error(&error);
    } else {
        const int64_t n_points = orr_sweep_points(sweep);
        const size_t n = n_points < POINTS ? (size_t)n_points : POINTS;
        if (n_points < 1) abort();
        if (orr_sweep_run(sweep, 0, n, rows, &error)) fuzz_error(&error);
        else free(orr_sweep_render(sweep, 0, n, rows, ORR_FORMAT_JSON, NULL));
        orr_sweep_close(sweep);
    }
    free(json);
    return 0;
}
