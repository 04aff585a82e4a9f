/* What `orrery fit` reads: tables of runs, logs of training and results of serving benchmarks. The first line may name
 * an engine and cells that complete every run: "engine;cells". */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text("", data, size, ""), *line = text, *rest = strchr(text, '\n');
    struct orr_stack *stack = NULL;
    struct orr_error error = {0};
    if (rest) *rest++ = '\0';
    char *cells = strchr(line, ';');
    if (cells) *cells++ = '\0';
    if (orr_stack_open(fuzz_catalogue(), line[0] ? line : NULL, &stack, &error)) {
        fuzz_error(&error);
    } else {
        if (cells && orr_stack_put(stack, cells, &error)) fuzz_error(&error);
        else if (orr_stack_add(stack, rest ? rest : "", "run.log", &error)) fuzz_error(&error);
        orr_stack_close(stack);
    }
    free(text);
    return 0;
}
