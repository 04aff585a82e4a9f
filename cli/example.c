/* orrery alone: one worked example, with the command that made it and what to try next. */
#include <stdlib.h>

#include "cli.h"

/* GPT-3 175B on 64 A100s, the plan of its published Megatron-LM measurements. */
static const char *const example[] = {"--model",  "gpt3-175b", "--system",      "a100-80g-sxm", "--gpus",      "64",
                                      "--tp",     "8",         "--pp",          "8",            "--vpp",       "3",
                                      "--micro-batch", "1",    "--global-batch", "64",          "--recompute", "full",
                                      "--engine", "megatron-lm-2022"};

enum cli_status cli_example(void)
{
    const size_t n = sizeof example / sizeof *example;
    struct cli_text text = {0};
    cli_text_add(&text, "$ orrery train");
    for (size_t i = 0; i < n; i++) cli_text_add(&text, "%s %s", i == n / 2 ? " \\\n     " : "", example[i]);
    cli_text_add(&text, "\n\n");
    enum cli_status status = cli_write(text.data);
    free(text.data);
    if (!status) status = cli_train((int)n, example);
    if (status == CLI_BAD) return status;
    const enum cli_status tail = cli_write("\nTry next\n"
                                           "  orrery train --help        the same question for your model and machine\n"
                                           "  add --explain              where every second and byte comes from\n"
                                           "  orrery list models         what the catalogue knows\n");
    return tail ? tail : status;
}
