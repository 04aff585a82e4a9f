/* orrery infer: predict a batch of prompts and their answers. */
#include "request.h"

static const char usage[] = "usage: orrery infer --model M --system S --input N --output N [options]\n"
                            "Predict inference: time to first token, time per token, latency, throughput, memory,\n"
                            "what binds, energy and cost.\n"
                            "Exit status: 0 answered, 1 the job does not fit, 2 bad input.";

enum cli_status cli_infer(int argc, const char *const *argv)
{
    static const struct cli_question question = {CLI_FOR_INFER, ORR_JOB_INFER, usage};
    return cli_answer(argc, argv, &question);
}
