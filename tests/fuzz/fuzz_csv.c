/* Measurement CSV files. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *csv = fuzz_text("", data, size, "");
    struct orr_validation *validation = NULL;
    struct orr_error error = {0};
    if (orr_validate(fuzz_catalogue(), csv, "measured.csv", &validation, &error)) {
        if (!error.text[0] || strchr(error.text, '\n')) abort();
    } else {
        free(orr_validation_render(validation, ORR_FORMAT_JSON, NULL));
        orr_validation_free(validation);
    }
    free(csv);
    return 0;
}
