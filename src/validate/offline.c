/* Offline runs of a benchmark tool. The tool chooses its batch limit before it loads the model, by an estimate of its
 * own (tensorrt_llm/bench/build/tuning.py, releases 1.0 to 1.2). Its pages print the number of requests of a run. */
#include "validate/offline.h"

#include "base/number.h"
#include "spec/alike.h"
#include "spec/names.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- limits */

/* The number of requests of the published run with the nearest lengths; lengths of about 1000 count as 1024
 * (TensorRT-LLM performance overview, release 1.0 and December 2025, "Preparing a Dataset"). */
static int64_t published_requests(const struct orr_serving *serving)
{
    static const struct {
        int64_t input_len, output_len, requests;
    } RUNS[] = {{1024, 1024, 3000}, {8192, 1024, 1500}, {1024, 8192, 1500}, {32768, 1024, 1000}, {1024, 32768, 1000},
                {128, 128, 30000},  {128, 2048, 3000},  {128, 4096, 1500},  {500, 2000, 3000},   {1000, 2000, 1500},
                {2048, 128, 3000},  {2048, 2048, 1500}, {5000, 500, 1500},  {20000, 2000, 1000}};
    const size_t n = sizeof RUNS / sizeof *RUNS;
    size_t nearest = 0;
    double least = HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        const double far = fabs(log2((double)serving->input_len / (double)RUNS[i].input_len)) +
                           fabs(log2((double)serving->output_len / (double)RUNS[i].output_len));
        if (far < least) nearest = i;
        least = orr_min(least, far);
    }
    return RUNS[nearest].requests;
}

/* The bytes of the checkpoint as the tool counts them: stored elements (two 4-bit weights are one element, and their
 * scales are further elements) times a width per format. */
static double estimated_weight_bytes(const struct orr_job *job)
{
    const double params = (double)orr_model_params(&job->model);
    if (job->serving.weights == ORR_DTYPE_FP4) return params * (0.5 + 1.0 / 16) * 0.5;
    return params * orr_dtype_bytes(job->serving.weights);
}

/* The bytes of one cached token as the tool counts them: K and V of every head, at least one head per GPU. */
static double estimated_token_bytes(const struct orr_job *job)
{
    const struct orr_layer_kind *kind = &job->model.kinds[0];
    const double heads = orr_max((double)kind->n_kv_heads, (double)(job->plan.gpus / job->plan.pp));
    return 2 * (double)job->model.n_layers * heads * (double)kind->head_qk * orr_dtype_bytes(job->serving.kv);
}

static int64_t round_up(double value, int64_t step)
{
    return step * (int64_t)orr_ceil(value / (double)step);
}

static int64_t tuned_batch(double requests)
{
    if (requests < 256) return requests < 64 ? 64 : round_up(requests, 32);
    return round_up(requests, requests < 1024 ? 128 : 256);
}

static int64_t tuned_tokens(double tokens)
{
    if (tokens < 4096) return tokens < 2048 ? 2048 : round_up(tokens, 256);
    return round_up(tokens, tokens < 8192 ? 512 : 1024);
}

/* Models in formats that the tool does not know run with the engine's own limits. So do models with a latent cache: the
 * tool would count a cache of all heads and cap DeepSeek below what its published rates on Blackwell need, so those
 * runs cannot have used the estimate. */
static bool has_estimate(const struct orr_model *model)
{
    return model->checkpoint.format != ORR_WEIGHT_MXFP4 && model->kinds[0].mla_kv_rank == 0;
}

struct orr_offline orr_offline_bench(const struct orr_job *job, int64_t fits)
{
    const struct orr_serving *s = &job->serving;
    const double gpus = (double)job->plan.gpus, input = (double)s->input_len, output = (double)s->output_len;
    struct orr_offline run = {.requests = published_requests(s),
                              .max_batch = job->engine.max_requests,
                              .max_step_tokens = job->engine.max_step_tokens};
    if (has_estimate(&job->model)) {
        const double cache =
            (gpus * job->system.chip.hbm_bytes - estimated_weight_bytes(job)) * job->engine.budget_frac;
        const double most =
            orr_min(4096, cache / (estimated_token_bytes(job) * (input + output))) / (double)job->plan.pp;
        run.max_batch = tuned_batch(most) * job->plan.pp; /* of each batch in the pipeline */
        run.max_step_tokens = tuned_tokens(orr_min(32768, most * (1 + input / output))) * job->plan.pp;
    }
    if (run.max_step_tokens < s->input_len + run.max_batch) /* Prompts are not cut into chunks. */
        run.max_step_tokens = s->input_len + run.max_batch;
    if (run.max_batch > fits) run.max_batch = fits;
    return run;
}

/* ---------------------------------------------------------------- run */

/* Sequences that joined in the same step; they also leave in the same step. */
struct cohort {
    int64_t sequences, last_step;
};

struct run_state {
    struct orr_step_model *model;
    int64_t input_len, output_len;
    struct cohort *cohorts; /* in the order of joining; those from first up to n are running */
    size_t first, n;
    int64_t waiting, running, step;
    int64_t context; /* cached tokens of the running sequences */
    double time_s;
};

/* Run one step that takes in new prompts beside the running sequences. */
static void take_in(struct run_state *r, int64_t joining)
{
    const struct orr_step step = {.prefill_tokens = joining * r->input_len,
                                  .prefill_sequences = joining,
                                  .decode_sequences = r->running,
                                  .decode_context = r->context};
    r->time_s += orr_step_time(r->model, &step);
    r->context += r->running + joining * (r->input_len + 1);
    r->running += joining;
    r->waiting -= joining;
    r->cohorts[r->n++] = (struct cohort){joining, r->step + r->output_len - 1};
    r->step++;
}

/* A step without prompts replays a captured graph. Graphs exist for these sizes, which are those the published runs
 * were configured with, and dummy rows fill up the rest. */
#define LARGEST_GRAPH 8192

static int64_t graph_sequences(int64_t running)
{
    static const int64_t SIZES[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 384, 512, 1024, 2048, 4096, LARGEST_GRAPH};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        if (running <= SIZES[i]) return SIZES[i];
    return running;
}

/* At most this many decode steps are priced together at their mean context. Attention time is nearly linear in the
 * context, but not across the boundaries of its chunks. */
#define STRETCH 256

/* Decode at most until the oldest cohort has its last token. */
static void decode(struct run_state *r)
{
    const int64_t left = r->cohorts[r->first].last_step - r->step + 1, steps = left < STRETCH ? left : STRETCH;
    const struct orr_step step = {.decode_sequences = r->running,
                                  .decode_context = r->context + r->running * (steps - 1) / 2,
                                  .padding_rows = graph_sequences(r->running) - r->running};
    r->time_s += (double)steps * orr_step_time(r->model, &step);
    r->context += r->running * steps;
    r->step += steps;
}

static void retire(struct run_state *r)
{
    for (; r->first < r->n && r->cohorts[r->first].last_step < r->step; r->first++) {
        r->running -= r->cohorts[r->first].sequences;
        r->context -= r->cohorts[r->first].sequences * (r->input_len + r->output_len);
    }
}

double orr_offline_s(const struct orr_job *job, const struct orr_offline *run)
{
    const struct orr_serving *s = &job->serving;
    const int64_t requests = (run->requests + job->plan.dp - 1) / job->plan.dp;
    struct orr_job captured = *job;
    orr_job_share(&captured);
    captured.engine.graph_sequences = LARGEST_GRAPH;
    struct run_state r = {.model = orr_step_model_new(&captured),
                          .input_len = s->input_len,
                          .output_len = s->output_len,
                          .cohorts = calloc((size_t)requests, sizeof *r.cohorts),
                          .waiting = requests};
    const bool ready = r.model && r.cohorts;
    while (ready && (r.waiting > 0 || r.running > 0)) {
        const int64_t room = run->max_batch - r.running, whole = (run->max_step_tokens - r.running) / s->input_len;
        int64_t joining = whole < room ? whole : room;
        joining = joining < r.waiting ? joining : r.waiting;
        if (joining > 0) take_in(&r, joining);
        else decode(&r);
        retire(&r);
    }
    free(r.cohorts);
    orr_step_model_free(r.model);
    return ready ? r.time_s : (double)NAN;
}
