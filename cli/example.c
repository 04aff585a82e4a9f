/* orrery without a command: a training and an inference example, each below its command, and what to try next. */
#include <stdlib.h>

#include "cli.h"

/* GPT-3 175B on 64 A100s, with the plan of its published Megatron-LM measurements. */
static const char *const train[] = {"--model",       "gpt3-175b", "--system",       "a100-80g-sxm",
                                    "--gpus",        "64",        "--tp",           "8",
                                    "--pp",          "8",         "--vpp",          "3",
                                    "--micro-batch", "1",         "--global-batch", "64",
                                    "--recompute",   "full",      "--engine",       "megatron-lm-2022",
                                    "--what-if"};

/* Llama 2 70B on 8 H100s, a row of the published TensorRT-LLM measurements. */
static const char *const infer[] = {"--model",  "llama2-70b", "--system", "h100-sxm",         "--tp",
                                    "8",        "--batch",    "1",        "--input",          "200",
                                    "--output", "200",        "--engine", "tensorrt-llm-nemo"};

static enum cli_status show(const char *name, enum cli_status (*command)(int argc, const char *const *argv),
                            const char *const *arguments, size_t n)
{
    struct orr_text text = {0};
    cli_text_add(&text, "$ orrery %s", name);
    for (size_t i = 0; i < n; i++) cli_text_add(&text, "%s %s", i == n / 4 * 2 ? " \\\n     " : "", arguments[i]);
    cli_text_add(&text, "\n\n");
    const enum cli_status status = cli_write(text.data);
    free(text.data);
    return status ? status : command((int)n, arguments);
}

enum cli_status cli_example(void)
{
    const enum cli_status first = show("train", cli_train, train, sizeof train / sizeof *train);
    if (first == CLI_BAD || cli_write("\n")) return CLI_BAD;
    const enum cli_status second = show("infer", cli_infer, infer, sizeof infer / sizeof *infer);
    if (second == CLI_BAD) return second;
    const enum cli_status tail = cli_write("\nTry next\n"
                                           "  orrery train --help        the same question for your model and machine\n"
                                           "  orrery infer --help        the same for serving a model\n"
                                           "  add --explain              where every second and byte comes from\n"
                                           "  orrery list models         what the catalogue knows\n");
    return tail ? tail : first > second ? first : second;
}
