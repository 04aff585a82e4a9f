/* What a call from Python costs beyond the library. A Python script measures it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "bench.h"

size_t measure_python(struct figure *figure)
{
    double overhead_s = 0;
    FILE *output = popen("exec python3 '" BENCH_FOLDER "/python_overhead.py' 2>/dev/null", "r");
    const int read = output ? fscanf(output, "%lf", &overhead_s) : 0;
    if (output) pclose(output);
    *figure = (struct figure){"python_call_overhead_s", overhead_s, "a call of orrery.train beside its C function"};
    return read == 1;
}
