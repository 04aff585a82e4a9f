/* Tables of kernel timings and of collectives, which `orrery calibrate` reads. The first line is the kind of table. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* Opening a fit reads the whole chip, which takes longer than a table: one serves some tables. */
static void read_kernels(const char *kind, const char *csv)
{
    static struct orr_fit *fit;
    static int n_read;
    struct orr_error error = {0};
    if (!fit && orr_fit_open(fuzz_catalogue(), "h100-sxm-80gb", &fit, &error)) abort();
    if (orr_fit_add(fit, kind, csv, "table.csv", &error)) fuzz_error(&error);
    if (++n_read % 100) return;
    orr_fit_close(fit);
    fit = NULL;
}

static void read_fabric(const char *text)
{
    struct orr_fabric_fit *fit = NULL;
    struct orr_error error = {0};
    if (orr_fabric_fit_open(fuzz_catalogue(), "fuzzed", "h100-sxm", &fit, &error)) fuzz_error(&error);
    else if (orr_fabric_fit_add(fit, text, "table.csv", &error)) fuzz_error(&error);
    orr_fabric_fit_close(fit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text("", data, size, ""), *rest = strchr(text, '\n');
    if (rest) *rest++ = '\0';
    if (strcmp(text, "fabric") == 0) read_fabric(rest ? rest : "");
    else read_kernels(text, rest ? rest : "");
    free(text);
    return 0;
}
