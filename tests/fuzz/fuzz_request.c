/* Requests of the JSON contract. */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *json = fuzz_text("", data, size, "");
    fuzz_request(json);
    free(json);
    return 0;
}
