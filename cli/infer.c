/* orrery infer: predict a batch of prompts and their answers, or a service at a constant load. */
#include <string.h>

#include "request.h"

static const char usage[] = "usage: orrery infer --model M --system S --input N --output N [options]\n"
                            "Predict inference: time to first token, time per token, latency, throughput, memory,\n"
                            "what binds, energy and cost. --concurrency N or --rate X instead of --batch predicts the\n"
                            "steady state of a service in closed form (orrery serving --closed-form).\n"
                            "Exit status: 0 answered, 1 the job does not fit, 2 bad input.";

/* Is a load given instead of a batch? */
static bool has_load(int argc, const char *const *argv)
{
    static const char *const LOADS[] = {"--concurrency", "--rate"};
    for (int i = 0; i < argc; i++)
        for (size_t k = 0; k < sizeof LOADS / sizeof *LOADS; k++) {
            const size_t n = strlen(LOADS[k]);
            if (strncmp(argv[i], LOADS[k], n) == 0 && (argv[i][n] == '\0' || argv[i][n] == '=')) return true;
        }
    return false;
}

enum cli_status cli_infer(int argc, const char *const *argv)
{
    static const struct cli_question question = {CLI_FOR_INFER, ORR_JOB_INFER, usage};
    return has_load(argc, argv) ? cli_serving_steady(argc, argv) : cli_answer(argc, argv, &question);
}
