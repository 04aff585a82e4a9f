/* The speed of the library through its public interface. Usage: bench ORRERY [--json], with the path of the program.
 * Ratios compare with work on the same machine, so they can be compared between machines. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define N_STARTS 20
#define LOOP_S   0.5
#define N_STEPS  100000

static const char request[] = "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\",\"gpus\":64,"
                              "\"plan\":{\"tp\":8,\"pp\":8,\"vpp\":3},"
                              "\"workload\":{\"micro_batch\":1,\"global_batch\":64,\"recompute\":\"full\","
                              "\"engine\":\"megatron-lm-2022\"}}";

static const char infer_request[] = "{\"kind\":\"infer\",\"model\":\"llama2-70b\",\"system\":\"h100-sxm\",\"gpus\":8,"
                                    "\"plan\":{\"tp\":8},\"workload\":{\"input_len\":200,\"output_len\":200,"
                                    "\"engine\":\"tensorrt-llm-nemo\"}}";

double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What the loops work on. */
struct bench {
    struct orr_catalogue *catalogue;
    struct orr_scratch *scratch;
    struct orr_job *job;
};

static void train_once(struct bench *bench)
{
    struct orr_result result;
    orr_train(bench->job, bench->scratch, &result);
}

static void infer_once(struct bench *bench)
{
    struct orr_infer_result result;
    orr_infer(bench->job, bench->scratch, &result);
}

static void read_once(struct bench *bench)
{
    if (orr_job_read(bench->catalogue, request, "request", bench->job, NULL)) exit(2);
}

/* The rate of the best of three loops on one core, because the machine may have other work. */
static double calls_per_s(void (*once)(struct bench *), struct bench *bench)
{
    double best = 0;
    for (int run = 0; run < 3; run++) {
        const double start_s = now_s();
        double spent_s = 0;
        long n = 0;
        while (spent_s < LOOP_S) {
            once(bench);
            n++;
            spent_s = now_s() - start_s;
        }
        if ((double)n / spent_s > best) best = (double)n / spent_s;
    }
    return best;
}

/* Draw the steps of a serving simulator: up to 256 decoding sequences, and a chunk of a prompt in every fourth step. */
static void draw_steps(struct orr_step *steps, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t random = (int64_t)(state >> 33), sequences = 1 + random % 256;
        const int64_t tokens = random / 256 % 4 == 0 ? 1 + random / 1024 % 2048 : 0;
        steps[i] = (struct orr_step){.prefill_tokens = tokens,
                                     .prefill_sequences = tokens > 0,
                                     .prefill_context = tokens > 0 ? random / 1024 % 4096 : 0,
                                     .decode_sequences = sequences,
                                     .decode_context = sequences * (1 + random / 256 % 4000)};
    }
}

static double step_calls_per_s(const struct orr_job *job)
{
    static struct orr_step steps[N_STEPS];
    struct orr_step_model *model = orr_step_model_new(job);
    if (!model) exit(2);
    draw_steps(steps, N_STEPS);
    double best = 0, sum_s = 0;
    for (int run = 0; run < 4; run++) { /* The first run fills the memory of the model. */
        const double start_s = now_s();
        for (size_t i = 0; i < N_STEPS; i++) sum_s += orr_step_time(model, &steps[i]);
        const double rate = N_STEPS / (now_s() - start_s);
        if (rate > best) best = rate;
    }
    orr_step_model_free(model);
    return sum_s > 0 ? best : 0;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median time of a process from fork to exit; its output is dropped. */
static double start_s(char *const *argv)
{
    double times_s[N_STARTS];
    for (int i = 0; i < N_STARTS; i++) {
        const double begin_s = now_s();
        const pid_t child = fork();
        if (child == 0) {
            const int null = open("/dev/null", O_WRONLY);
            if (null >= 0) dup2(null, STDOUT_FILENO);
            execvp(argv[0], argv);
            _exit(127);
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "bench: %s does not run\n", argv[0]);
            exit(2);
        }
        times_s[i] = now_s() - begin_s;
    }
    qsort(times_s, N_STARTS, sizeof *times_s, compare_doubles);
    return (times_s[N_STARTS / 2 - 1] + times_s[N_STARTS / 2]) / 2;
}

static void print_figures(const struct figure *figures, size_t n, int json)
{
    if (json) printf("{");
    for (size_t i = 0; i < n; i++) {
        if (json) printf("%s\"%s\":%.6g", i ? "," : "", figures[i].name, figures[i].value);
        else printf("%-26s %12.6g  %s\n", figures[i].name, figures[i].value, figures[i].meaning);
    }
    if (json) printf("}\n");
}

static void measure(char *program, int json)
{
    struct orr_error error;
    struct orr_job *job = malloc(sizeof *job), *serving = malloc(sizeof *serving);
    struct bench train = {.scratch = orr_scratch_new(), .job = job};
    if (!job || !serving || !train.scratch || orr_catalogue_open(NULL, 0, &train.catalogue, &error) ||
        orr_job_read(train.catalogue, request, "request", job, &error) ||
        orr_job_read(train.catalogue, infer_request, "request", serving, &error)) {
        fprintf(stderr, "bench: %s\n", job && serving && train.scratch ? error.text : "out of memory");
        exit(2);
    }
    struct bench infer = {.catalogue = train.catalogue, .scratch = train.scratch, .job = serving};
    char word[] = "version";
    char *const example[] = {program, NULL}, *const version[] = {program, word, NULL};
    const double evals_per_s = calls_per_s(train_once, &train);
    const double answers_per_s = calls_per_s(infer_once, &infer), steps_per_s = step_calls_per_s(serving);
    serving->serving.input_len = 131072;
    serving->serving.output_len = 8192;
    const double long_per_s = calls_per_s(infer_once, &infer);
    const double cold_s = start_s(example);
    const struct figure figures[] = {
        {"train_evals_per_s", evals_per_s, "training predictions with memory, GPT-3 175B tp 8 pp 8 vpp 3, one core"},
        {"infer_evals_per_s", answers_per_s,
         "inference predictions with memory, Llama-2 70B tp 8, 200 in, 200 out, one core"},
        {"step_time_calls_per_s", steps_per_s,
         "steps of a serving simulator, prompt chunks and decoding mixed, one core"},
        {"long_answer_ratio", answers_per_s / long_per_s,
         "cost of predicting 131072 in, 8192 out over that of 200/200"},
        {"cold_start_s", cold_s, "median time of the example as a new process"},
        {"request_cost_evals", evals_per_s / calls_per_s(read_once, &train), "reading one request, in predictions"},
        {"cold_start_ratio", cold_s / start_s(version), "the example over a process that only prints its version"},
    };
    struct figure all[sizeof figures / sizeof *figures + N_SERVER_FIGURES + N_SEARCH_FIGURES +
                      N_SERVING_FIGURES + N_SIZE_FIGURES + 2];
    memcpy(all, figures, sizeof figures);
    measure_server(program, train.catalogue, all + sizeof figures / sizeof *figures);
    measure_search(train.catalogue, all + sizeof figures / sizeof *figures + N_SERVER_FIGURES, json);
    measure_serving(train.catalogue, all + sizeof figures / sizeof *figures + N_SERVER_FIGURES + N_SEARCH_FIGURES);
    const size_t n = sizeof all / sizeof *all - 1;
    measure_size(train.catalogue, &all[n - 1 - N_SIZE_FIGURES]);
    all[n - 1] = measure_fit(train.catalogue);
    print_figures(all, n + measure_python(&all[n]), json);
    orr_scratch_free(train.scratch);
    orr_catalogue_close(train.catalogue);
    free(serving);
    free(job);
}

int main(int argc, char **argv)
{
    const int json = argc == 3 && strcmp(argv[2], "--json") == 0;
    if (argc < 2 || (argc > 2 && !json)) {
        fprintf(stderr, "bench: usage: bench ORRERY [--json]\n");
        return 2;
    }
    measure(argv[1], json);
    return 0;
}
