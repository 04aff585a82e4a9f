/* How long a fit of 20 runs takes, with everything that is reported about it. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Twenty training runs of one stack; their times are those of the model, slower by turns. */
static int add_runs(struct orr_stack *stack, struct orr_error *error)
{
    for (int i = 0; i < 20; i++) {
        char run[256];
        const int gpus = 8 << i % 4, tp = 1 << i % 3, seq = i % 2 ? 4096 : 2048;
        const double slower = (1 + 0.02 * (i % 5)) * (tp > 2 ? 1.2 : 1);
        const double step_s = 128.0 * seq / (4500.0 * gpus) * slower;
        snprintf(run, sizeof run,
                 "model=llama2-7b,system=h100-sxm,gpus=%d,tp=%d,zero=1,seq=%d,micro_batch=1,global_batch=128,"
                 "recompute=full:step_time_s=%.4f",
                 gpus, tp, seq, step_s);
        if (orr_stack_add_run(stack, run, error)) return 1;
    }
    return 0;
}

struct figure measure_fit(const struct orr_catalogue *catalogue)
{
    struct orr_error error;
    struct orr_stack *stack = NULL;
    const double start_s = now_s();
    if (orr_stack_open(catalogue, "megatron-core-2025", &stack, &error) || add_runs(stack, &error) ||
        orr_stack_run(stack, &error)) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(2);
    }
    const double took_s = now_s() - start_s;
    orr_stack_close(stack);
    return (struct figure){"fit_s", took_s, "a stack fitted to 20 training runs, with its report"};
}
