/* Hugging Face config.json files. */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *json = fuzz_text("{\"kind\":\"train\",\"system\":\"h100-sxm\",\"model\":", data, size, "}");
    fuzz_request(json);
    free(json);
    return 0;
}
