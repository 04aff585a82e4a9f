/* orrery train: predict one training step. */
#include "request.h"

static const char usage[] = "usage: orrery train --model M --system S [options]\n"
                            "Predict one training step: time, memory, what binds, energy and cost.\n"
                            "Exit status: 0 answered, 1 the plan does not fit, 2 bad input.";

enum cli_status cli_train(int argc, const char *const *argv)
{
    static const struct cli_question question = {CLI_FOR_TRAIN, ORR_JOB_TRAIN, usage};
    return cli_answer(argc, argv, &question);
}
