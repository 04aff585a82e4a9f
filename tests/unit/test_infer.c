/* Inference: properties every prediction has, over a grid of random valid jobs: sums, bounds, monotone in hardware and
 * work, deterministic, no communication without a group. */
#include "grid.h"
#include "serving.h"
#include "spec/names.h"

#define N_JOBS 250

static const char *const MODELS[] = {"llama2-7b",   "llama2-13b", "llama2-70b",   "llama3-8b",      "mixtral-8x7b",
                                     "deepseek-v3", "gemma3-12b", "gpt-oss-120b", "qwen3-235b-a22b"};
static const char *const SYSTEMS[] = {"a100-80g-sxm", "h100-sxm", "h200-sxm", "b200-sxm", "mi300x"};
static const char *const ENGINES[] = {"vllm",
                                      "sglang",
                                      "tensorrt-llm-1.2",
                                      "tensorrt-llm-0.9",
                                      "tensorrt-llm-nemo",
                                      "fastertransformer",
                                      "lmdeploy-turbomind-0.2",
                                      "pytorch-eager-cudagraph",
                                      "pytorch-eager-stream",
                                      "pytorch-compiled-pointwise-cudagraph"};
static const char *const PRECISIONS[] = {"bf16", "bf16", "fp8", "int4"};

static bool has_experts(const struct orr_job *job)
{
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (job->model.kinds[k].n_experts > 0) return true;
    return false;
}

static void draw_request(struct grid *grid, size_t i)
{
    struct random *r = &grid->random;
    const int tp = draw_power(r, 4), pp = draw(r, 3) ? 1 : draw_power(r, 3), cp = draw(r, 4) ? 1 : 2,
              dp = draw_power(r, 4);
    const int input = 1 + (int)draw(r, draw(r, 3) ? 3000 : 40000), output = 1 + (int)draw(r, 1000),
              ep = draw_power(r, 4);
    const char *model = MODELS[draw(r, COUNT(MODELS))];
    const bool experts = strcmp(model, "mixtral-8x7b") == 0 || strcmp(model, "deepseek-v3") == 0;
    snprintf(grid->requests[i], sizeof grid->requests[i],
             "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':%d,'pp':%d,'cp':%d,'dp':%d,'ep':%d},'workload':{"
             "'engine':'%s','precision':'%s','kv_precision':'%s','batch':%d,'input_len':%d,'output_len':%d,'chunk_"
             "tokens':%d,"
             "'prefix_hit_frac':%g,'disaggregated':%s}}",
             model, SYSTEMS[draw(r, COUNT(SYSTEMS))], tp, pp, cp, dp, experts ? ep : 1,
             ENGINES[draw(r, COUNT(ENGINES))], PRECISIONS[draw(r, COUNT(PRECISIONS))], draw(r, 3) ? "bf16" : "fp8",
             draw_power(r, 8), input, output, draw(r, 4) ? 0 : 256, draw(r, 4) ? 0 : 0.25 * (double)draw(r, 4),
             draw(r, 4) ? "false" : "true");
}

static int open_jobs(void **state)
{
    return open_grid(state, 2025, N_JOBS, draw_request);
}

static struct orr_infer_result predict(struct grid *grid, const struct orr_job *job)
{
    return infer(grid->world, job);
}

static double time_of(struct grid *grid, const struct orr_job *job)
{
    return predict(grid, job).latency_s;
}

/* ---------------------------------------------------------------- sums and bounds */

static double sum_of(const double *values, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += values[i];
    return sum;
}

static void parts_sum_to_the_latency(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_infer_result r = predict(grid, &grid->jobs[i]);
        for (int p = 0; p < ORR_N_INFER_PARTS; p++)
            if (r.time_s[p] < 0)
                fail_msg("%s is %g s: %s", orr_infer_part_name((enum orr_infer_part)p), r.time_s[p], grid->requests[i]);
        assert_close(sum_of(r.time_s, ORR_N_INFER_PARTS), r.latency_s, 1e-12);
        assert_close(r.ttft_s + r.decode_s, r.latency_s, 1e-12);
        assert_close(sum_of(r.prefill_bound_frac, ORR_N_BOUNDS), 1, 1e-12);
        const int64_t further = grid->jobs[i].serving.output_len - 1; /* no further token: no decode to share out */
        assert_close(sum_of(r.decode_bound_frac, ORR_N_BOUNDS), further > 0 ? 1 : 0, 1e-12);
        assert_close(r.tpot_s * (double)further, r.decode_s, 1e-12);
        assert_close(sum_of(r.memory_bytes, ORR_N_SERVE_MEMORY_PARTS), r.memory_total_bytes, 1e-12);
        assert_true(r.interval_low_s < r.latency_s && r.latency_s < r.interval_high_s);
        assert_true(r.matrix_frac > 0 && r.matrix_frac <= 1);
    }
}

static void tokens_are_conserved(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &grid->jobs[i];
        const struct orr_infer_result r = predict(grid, job);
        const double sequences = (double)(job->serving.batch * job->plan.dp), gpus = (double)job->plan.gpus;
        const double output = sequences * (double)job->serving.output_len,
                     input = sequences * (double)job->serving.input_len;
        assert_close(r.output_tokens_per_s, output / r.latency_s, 1e-12);
        assert_close(r.output_tokens_per_s_per_gpu * gpus, output / r.latency_s, 1e-12);
        assert_close(r.input_tokens_per_s_per_gpu * gpus, input / r.latency_s, 1e-12);
        assert_close(r.cost_usd, gpus * job->system.price_usd_per_gpu_hour * r.latency_s / 3600, 1e-12);
        assert_close(r.cost_usd_per_million_tokens * output / 1e6, r.cost_usd, 1e-12);
        assert_true(r.power_w_per_gpu > job->system.chip.idle_w);
        assert_at_most(r.power_w_per_gpu, job->system.chip.tdp_w);
        assert_close(r.energy_j, gpus * r.power_w_per_gpu * r.latency_s * job->system.pue_frac, 1e-12);
    }
}

static void nothing_beats_the_speed_of_light(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_infer_result r = predict(grid, &grid->jobs[i]);
        assert_true(r.bound_s > 0);
        if (r.bound_s > r.latency_s)
            fail_msg("latency %g s, bound %g s: %s", r.latency_s, r.bound_s, grid->requests[i]);
    }
}

/* ---------------------------------------------------------------- monotone */

/* What a better or smaller job may lose: the power rule returns some of a gain as a lower clock, experts get fewer rows
 * each, launches other last blocks. */
#define TOLERANCE 3e-3

/* Better hardware never makes an answer slower. */
static void better_hardware_is_never_slower(void **state)
{
    check_better_hardware(*state, N_JOBS, TOLERANCE, time_of);
}

static void more_power_is_never_slower(void **state)
{
    assert_true(check_power(*state, N_JOBS, TOLERANCE, time_of) > N_JOBS / 4);
}

/* The same job with more of one thing. */
static void assert_longer(struct grid *grid, size_t i, const struct orr_job *more, const char *what)
{
    const double before_s = predict(grid, &grid->jobs[i]).latency_s, after_s = predict(grid, more).latency_s;
    if (after_s < before_s * (1 - TOLERANCE))
        fail_msg("%s: %.9g s becomes %.9g s (%+.4f %%): %s", what, before_s, after_s, 100 * (after_s / before_s - 1),
                 grid->requests[i]);
}

static void more_work_is_never_faster(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        static struct orr_job job;
        job = grid->jobs[i];
        job.serving.output_len += 100;
        assert_longer(grid, i, &job, "100 tokens more out");
        job = grid->jobs[i];
        job.serving.input_len *= 2;
        assert_longer(grid, i, &job, "twice the prompt");
        job = grid->jobs[i];
        job.serving.batch *= 2;
        /* from 2 p sequences on, or where p divides it, the batch is cut so that every stage has work */
        const int64_t p = job.plan.pp, before = grid->jobs[i].serving.batch, after = job.serving.batch;
        const bool halves = job.engine.piece_tokens > 0;
        if (p == 1 || (halves ? (before % p == 0) == (after % p == 0) : (before >= 2 * p) == (after >= 2 * p)))
            assert_longer(grid, i, &job, "twice the batch");
    }
}

/* Read so, a prompt of S tokens is one of S - 1 tokens and the step of its second output token, but the head meets
 * nothing in between: its weights are read once less. */
static void the_last_token_takes_a_step(void **state)
{
    struct world *world = ((struct grid *)*state)->world;
    static struct orr_job job;
    read_job(world, "{'kind':'infer','model':'llama2-7b','system':'a100-80g-sxm','plan':{'tp':1},'workload':{"
                    "'engine':'lmdeploy-turbomind-0.2','batch':4,'input_len':128,'output_len':1}}");
    job = world->job;
    assert_true(job.engine.last_token_decoded);
    const double last_s = infer(world, &job).prefill_s;
    job.engine.last_token_decoded = false;
    job.serving.input_len = 127;
    job.serving.output_len = 2;
    const struct orr_infer_result parts = infer(world, &job);
    const double sampling_s = job.engine.sampling_s + 4 * job.engine.sampling_s_per_sequence;
    const double head_s = 32000.0 * 4096 * 2 / job.system.chip.hbm_bytes_per_s;
    const double saved_s = parts.prefill_s + parts.decode_s - sampling_s - last_s;
    assert_true(saved_s > head_s && saved_s < 1.5 * head_s);
    job.engine.last_token_decoded = true;
    job.serving.input_len = job.serving.output_len = 1; /* nothing to read before */
    assert_true(infer(world, &job).prefill_s < parts.decode_s);
}

/* ---------------------------------------------------------------- deterministic */

static void assert_same(const struct orr_infer_result *a, const struct orr_infer_result *b)
{
    const double x[] = {a->ttft_s,
                        a->tpot_s,
                        a->latency_s,
                        a->prefill_s,
                        a->decode_s,
                        a->interval_low_s,
                        a->interval_high_s,
                        a->bound_s,
                        a->output_tokens_per_s,
                        a->memory_total_bytes,
                        a->kv_budget_bytes,
                        a->kv_bytes_per_sequence,
                        a->tokens_per_step,
                        a->matrix_frac,
                        a->energy_j,
                        a->power_w_per_gpu,
                        a->cost_usd};
    const double y[] = {b->ttft_s,
                        b->tpot_s,
                        b->latency_s,
                        b->prefill_s,
                        b->decode_s,
                        b->interval_low_s,
                        b->interval_high_s,
                        b->bound_s,
                        b->output_tokens_per_s,
                        b->memory_total_bytes,
                        b->kv_budget_bytes,
                        b->kv_bytes_per_sequence,
                        b->tokens_per_step,
                        b->matrix_frac,
                        b->energy_j,
                        b->power_w_per_gpu,
                        b->cost_usd};
    assert_memory_equal(x, y, sizeof x);
    assert_memory_equal(a->time_s, b->time_s, sizeof a->time_s);
    assert_memory_equal(a->prefill_bound_frac, b->prefill_bound_frac, sizeof a->prefill_bound_frac);
    assert_memory_equal(a->decode_bound_frac, b->decode_bound_frac, sizeof a->decode_bound_frac);
    assert_memory_equal(a->memory_bytes, b->memory_bytes, sizeof a->memory_bytes);
    assert_int_equal(a->fits, b->fits);
    assert_int_equal(a->max_batch, b->max_batch);
    assert_int_equal(a->max_context, b->max_context);
    assert_string_equal(a->reason, b->reason);
}

static void a_job_gives_the_same_bits(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_infer_result first = predict(grid, &grid->jobs[i]);
        (void)predict(grid, &grid->jobs[(i * 7 + 3) % N_JOBS]);
        const struct orr_infer_result second = predict(grid, &grid->jobs[i]);
        assert_same(&first, &second);
    }
}

/* ---------------------------------------------------------------- communication */

static void one_rank_sends_nothing(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &grid->jobs[i];
        const struct orr_infer_result r = predict(grid, job);
        const struct orr_op *ops;
        const struct orr_cost *costs;
        const size_t n = scratch_ops(grid->world->scratch, &ops, &costs);
        for (size_t j = 0; j < n; j++) {
            if (ops[j].kind != ORR_OP_COLLECTIVE) continue;
            assert_true(ops[j].group != ORR_GROUP_TP || job->plan.tp > 1);
            assert_true(ops[j].group != ORR_GROUP_CP || (job->plan.cp > 1 && ops[j].phase == ORR_PHASE_PREFILL));
            assert_true(ops[j].group != ORR_GROUP_EP || job->plan.ep * job->plan.etp > job->plan.tp);
        }
        if (job->plan.tp == 1 && job->plan.pp == 1 && job->plan.ep * job->plan.etp == 1) {
            assert_close(r.time_s[ORR_INFER_DECODE_NETWORK], 0, 0);
            if (job->plan.cp == 1) assert_close(r.time_s[ORR_INFER_PREFILL_NETWORK], 0, 0);
        }
        if (job->plan.pp == 1) assert_close(r.time_s[ORR_INFER_PIPELINE], 0, 0);
    }
}

static void imbalance_is_never_faster(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        static struct orr_job job;
        if (!has_experts(&grid->jobs[i])) continue;
        job = grid->jobs[i];
        job.serving.moe_imbalance *= 1.5;
        assert_longer(grid, i, &job, "1.5 times the imbalance");
    }
}

/* Eqs. 95, 320: at least the last piece of the cache is waited for, a layer, a chunk or all of it. */
static void a_handed_cache_takes_a_pieces_share(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &grid->jobs[i];
        if (!job->serving.disaggregated) continue;
        const double link = job->system.scaleout_bytes_per_s * job->system.scaleout_efficiency_frac;
        const double bytes = (double)job->serving.batch * sequence_bytes(job, (double)job->serving.input_len);
        const double chunk = (double)job->serving.chunk_tokens, length = (double)job->serving.input_len;
        const double chunks = chunk > 0 ? orr_max(1, ceil(length / chunk)) : 1;
        const double pieces[ORR_N_CACHE_SENDS] = {(double)job->model.n_layers, chunks, 1};
        assert_true(predict(grid, job).time_s[ORR_INFER_KV_TRANSFER] >= bytes / link / pieces[job->engine.cache_sent]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_to_the_latency),
        cmocka_unit_test(tokens_are_conserved),
        cmocka_unit_test(nothing_beats_the_speed_of_light),
        cmocka_unit_test(better_hardware_is_never_slower),
        cmocka_unit_test(more_power_is_never_slower),
        cmocka_unit_test(more_work_is_never_faster),
        cmocka_unit_test(the_last_token_takes_a_step),
        cmocka_unit_test(a_job_gives_the_same_bits),
        cmocka_unit_test(one_rank_sends_nothing),
        cmocka_unit_test(imbalance_is_never_faster),
        cmocka_unit_test(a_handed_cache_takes_a_pieces_share),
    };
    return cmocka_run_group_tests_name("infer", tests, open_jobs, close_grid);
}
