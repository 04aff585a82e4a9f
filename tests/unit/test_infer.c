/* Inference: properties every prediction has, over a grid of random valid jobs; operators and bounds by hand; experts,
 * speculation, cached prefixes and disaggregation. Method 3.2, 8. */
#include "serving.h"

#include "memory/serving.h"
#include "ops/serve.h"

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
                                      "pytorch-eager-cudagraph",
                                      "pytorch-eager-stream",
                                      "pytorch-compiled-pointwise-cudagraph"};
static const char *const PRECISIONS[] = {"bf16", "bf16", "fp8", "int4"};

struct grid {
    struct world *world;
    struct random random;
    struct orr_job jobs[N_JOBS];
    char requests[N_JOBS][1024];
};

static bool has_experts(const struct orr_job *job)
{
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (job->model.kinds[k].n_experts > 0) return true;
    return false;
}

/* One random request; false if its combination is refused. */
static bool draw_job(struct grid *grid, size_t i)
{
    struct random *r = &grid->random;
    const int tp = draw_power(r, 4), pp = draw(r, 3) ? 1 : draw_power(r, 3), cp = draw(r, 4) ? 1 : 2, dp = draw_power(r, 4);
    const int input = 1 + (int)draw(r, draw(r, 3) ? 3000 : 40000), output = 1 + (int)draw(r, 1000), ep = draw_power(r, 4);
    const char *model = MODELS[draw(r, COUNT(MODELS))];
    const bool experts = strcmp(model, "mixtral-8x7b") == 0 || strcmp(model, "deepseek-v3") == 0;
    struct orr_error error;
    snprintf(grid->requests[i], sizeof grid->requests[i],
             "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':%d,'pp':%d,'cp':%d,'dp':%d,'ep':%d},'workload':{"
             "'engine':'%s','precision':'%s','kv_precision':'%s','batch':%d,'input_len':%d,'output_len':%d,'chunk_tokens':%d,"
             "'prefix_hit_frac':%g,'disaggregated':%s}}",
             model, SYSTEMS[draw(r, COUNT(SYSTEMS))], tp, pp, cp, dp, experts ? ep : 1, ENGINES[draw(r, COUNT(ENGINES))],
             PRECISIONS[draw(r, COUNT(PRECISIONS))], draw(r, 3) ? "bf16" : "fp8", draw_power(r, 8), input, output,
             draw(r, 4) ? 0 : 256, draw(r, 4) ? 0 : 0.25 * (double)draw(r, 4), draw(r, 4) ? "false" : "true");
    if (try_job(grid->world, grid->requests[i], &error)) return false;
    grid->jobs[i] = grid->world->job;
    return true;
}

static int open_grid(void **state)
{
    static struct grid grid;
    void *world;
    if (open_world(&world)) return -1;
    grid.world = world;
    grid.random.state = 2025;
    size_t n = 0;
    for (int tries = 0; tries < 20 * N_JOBS && n < N_JOBS; tries++) n += draw_job(&grid, n);
    *state = &grid;
    return n == N_JOBS ? 0 : -1;
}

static int close_grid(void **state)
{
    struct grid *grid = *state;
    void *world = grid->world;
    return close_world(&world);
}

static struct orr_infer_result predict(struct grid *grid, const struct orr_job *job)
{
    return infer(grid->world, job);
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
            if (r.time_s[p] < 0) fail_msg("%s is %g s: %s", orr_infer_part_name((enum orr_infer_part)p), r.time_s[p], grid->requests[i]);
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
        const double output = sequences * (double)job->serving.output_len, input = sequences * (double)job->serving.input_len;
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
        if (r.bound_s > r.latency_s) fail_msg("latency %g s, bound %g s: %s", r.latency_s, r.bound_s, grid->requests[i]);
    }
}

/* Nearly all of the time is cache, and every layer's window fills on the way: the steps before read less than a window. */
static void a_filling_window_respects_the_bound(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    for (int batch = 16; batch <= 1024; batch *= 4) {
        read_job(w, "{'kind':'infer','model':'mistral-7b','system':'h200-sxm','workload':{'engine':'vllm','batch':%d,'input_len':1,"
                    "'output_len':8192}}",
                 batch);
        const struct orr_infer_result r = infer(w, &w->job);
        if (r.bound_s > r.latency_s) fail_msg("batch %d: latency %g s, bound %g s", batch, r.latency_s, r.bound_s);
    }
}

/* Eq. 92: the bound of a lone decode is its weights and cache over nominal bandwidth. Llama-2-13B: 13015864320 less the
 * embedding's 32000 * 5120 are read, 2 bytes each, and 200 tokens of 819200 bytes; A100 2039 GB/s. */
static void the_decode_bound_is_eq_92(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'infer','model':'llama2-13b','system':'a100-80g-sxm','workload':{'engine':'vllm','input_len':200,"
                "'output_len':201}}");
    const double with_s = infer(w, &w->job).bound_s;
    w->job.serving.output_len = 1;
    const double prompt_s = infer(w, &w->job).bound_s;
    const double weights = 2 * (13015864320.0 - 32000 * 5120), mean_context = 300.5; /* 201 ... 400 */
    assert_close((with_s - prompt_s) / 200, (weights + mean_context * 819200) / 2039e9, 2e-3); /* and activations */
}

/* ---------------------------------------------------------------- monotone */

static void faster_flops(struct orr_job *job)
{
    for (int i = 0; i < ORR_N_DTYPES; i++) job->system.chip.peak_flops_per_s[i] *= 1.3;
}

static void faster_hbm(struct orr_job *job)
{
    job->system.chip.hbm_bytes_per_s *= 1.3;
}

static void faster_l2(struct orr_job *job)
{
    job->system.chip.l2_bytes_per_s *= 1.3;
}

static void faster_scaleup(struct orr_job *job)
{
    job->system.scaleup_bytes_per_s *= 1.3;
}

static void faster_scaleout(struct orr_job *job)
{
    job->system.scaleout_bytes_per_s *= 1.3;
}

/* What a better or smaller job may lose: the power rule returns some of a gain as a lower clock, experts get fewer rows
 * each, launches other last blocks. A slow host also pays a launch more where the faster product is a split one. */
static double tolerance(const struct orr_job *job)
{
    return job->engine.host_launch_s > 0 ? 0.05 : 2e-3;
}

/* Better hardware never makes an answer slower. */
static void better_hardware_is_never_slower(void **state)
{
    struct grid *grid = *state;
    static const struct {
        const char *name;
        void (*change)(struct orr_job *);
    } knobs[] = {{"matrix rate", faster_flops}, {"HBM", faster_hbm}, {"L2", faster_l2},
                 {"scale-up", faster_scaleup}, {"scale-out", faster_scaleout}};
    for (size_t i = 0; i < N_JOBS; i++) {
        const double before_s = predict(grid, &grid->jobs[i]).latency_s;
        for (size_t k = 0; k < COUNT(knobs); k++) {
            static struct orr_job job;
            job = grid->jobs[i];
            knobs[k].change(&job);
            const double after_s = predict(grid, &job).latency_s;
            if (after_s > before_s * (1 + tolerance(&job)))
                fail_msg("%s x 1.3: %.9g s becomes %.9g s (%+.4f %%): %s", knobs[k].name, before_s, after_s,
                         100 * (after_s / before_s - 1), grid->requests[i]);
        }
    }
}

/* The same job with more of one thing. */
static void assert_longer(struct grid *grid, size_t i, const struct orr_job *more, const char *what)
{
    const double before_s = predict(grid, &grid->jobs[i]).latency_s, after_s = predict(grid, more).latency_s;
    if (after_s < before_s * (1 - tolerance(more)))
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
        const int64_t p = job.plan.pp; /* from 2 p sequences on, the batch is cut so that every stage has work */
        if (p == 1 || (grid->jobs[i].serving.batch >= 2 * p) == (job.serving.batch >= 2 * p))
            assert_longer(grid, i, &job, "twice the batch");
    }
}

/* ---------------------------------------------------------------- deterministic */

static void assert_same(const struct orr_infer_result *a, const struct orr_infer_result *b)
{
    const double x[] = {a->ttft_s, a->tpot_s, a->latency_s, a->prefill_s, a->decode_s, a->interval_low_s, a->interval_high_s,
                        a->bound_s, a->output_tokens_per_s, a->memory_total_bytes, a->kv_budget_bytes, a->kv_bytes_per_sequence,
                        a->tokens_per_step, a->matrix_frac, a->energy_j, a->power_w_per_gpu, a->cost_usd};
    const double y[] = {b->ttft_s, b->tpot_s, b->latency_s, b->prefill_s, b->decode_s, b->interval_low_s, b->interval_high_s,
                        b->bound_s, b->output_tokens_per_s, b->memory_total_bytes, b->kv_budget_bytes, b->kv_bytes_per_sequence,
                        b->tokens_per_step, b->matrix_frac, b->energy_j, b->power_w_per_gpu, b->cost_usd};
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
        const size_t n = orr_scratch_ops(grid->world->scratch, &ops, &costs);
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

/* Eq. 91: two all-reduces of B h w per layer. Llama-2-70B, tp 8, 3 sequences: 3 * 8192 * 2 bytes, 80 layers. */
static void a_layer_reduces_twice(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'vllm','batch':3,"
                "'input_len':200,'output_len':200}}");
    (void)infer(w, &w->job);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = orr_scratch_ops(w->scratch, &ops, &costs);
    double reductions = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].phase != ORR_PHASE_DECODE || ops[i].collective != ORR_COLLECTIVE_ALLREDUCE ||
            ops[i].kind != ORR_OP_COLLECTIVE)
            continue;
        assert_close(ops[i].payload_bytes, 3 * 8192 * 2, 0);
        reductions += ops[i].count;
    }
    assert_close(reductions, 160, 0);
}

/* ---------------------------------------------------------------- roofline */

/* Eq. 96, method 8.2: Llama-2-13B, 200 tokens. Shapes are M x K x N; the ridge is 312 / 2.039 = 153 FLOP/B on A100 and
 * 989 / 3.35 = 295 on H100. */
static void prompt_products_have_the_published_intensity(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    static const struct {
        const char *name;
        double k, n, intensity;
    } rows[] = {{"attention.qkv", 5120, 15360, 190},
                {"attention.out", 5120, 5120, 186},
                {"mlp.gate_up", 5120, 27648, 191},
                {"mlp.down", 13824, 5120, 190}};
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm"};
    const double ridges[] = {153, 295};
    for (int s = 0; s < 2; s++) {
        read_job(w, "{'kind':'infer','model':'llama2-13b','system':'%s','workload':{'engine':'vllm','input_len':200,"
                    "'output_len':2}}",
                 systems[s]);
        (void)infer(w, &w->job);
        const struct orr_chip *chip = &w->job.system.chip;
        const double ridge = chip->peak_flops_per_s[ORR_DTYPE_BF16] / chip->hbm_bytes_per_s;
        assert_close(ridge, ridges[s], 0.005);
        for (size_t i = 0; i < COUNT(rows); i++) {
            const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, rows[i].name, NULL);
            assert_non_null(op);
            assert_close(op->m, 200, 0);
            assert_close(op->k, rows[i].k, 0);
            assert_close(op->n, rows[i].n, 0);
            const double intensity = op->flops / op->bytes;
            assert_close(intensity, rows[i].intensity, 0.003);
            assert_int_equal(intensity > ridge, s == 0); /* compute-bound on A100, memory-bound on H100 */
        }
        /* decode: intensity about the batch */
        const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "mlp.down", NULL);
        assert_close(op->flops / op->bytes, 1, 1e-3);
    }
}

/* The decode products of a lone sequence wait for DRAM. The smallest (Llama-2-7B over 8 ranks: 4 MB of weights take 2 us)
 * may be named after their launch; 95 % of their time without those. */
static void lone_decode_products_are_dram_bound(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm", "h200-sxm"}, *const models[] = {"llama2-7b", "llama2-13b", "llama2-70b"};
    for (size_t i = 0; i < COUNT(systems) * COUNT(models); i++) {
        read_job(w, "{'kind':'infer','model':'%s','system':'%s','workload':{'engine':'tensorrt-llm-nemo','input_len':200,"
                    "'output_len':200}}",
                 models[i % 3], systems[i / 3]);
        (void)infer(w, &w->job);
        const struct orr_op *ops;
        const struct orr_cost *costs;
        const size_t n = orr_scratch_ops(w->scratch, &ops, &costs);
        double all_s = 0, dram_s = 0;
        for (size_t j = 0; j < n; j++) {
            if (ops[j].phase != ORR_PHASE_DECODE || ops[j].kind != ORR_OP_GEMM) continue;
            all_s += ops[j].count * costs[j].total_s;
            dram_s += costs[j].bound == ORR_BOUND_DRAM ? ops[j].count * costs[j].total_s : 0;
        }
        if (dram_s < 0.95 * all_s) fail_msg("%s on %s: %.1f %% of the time of the products is DRAM-bound", models[i % 3], systems[i / 3], 100 * dram_s / all_s);
        assert_true(all_s > 0);
    }
}

/* ---------------------------------------------------------------- formats */

/* Half the bytes, half the wait, where the wait is for bytes. */
static void narrow_weights_are_never_slower_in_decode(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const char *const models[] = {"llama2-7b", "llama2-70b", "mixtral-8x7b", "llama3-8b"};
    const char *const systems[] = {"h100-sxm", "h200-sxm", "b200-sxm"};
    const char *const engines[] = {"vllm", "tensorrt-llm-1.2", "tensorrt-llm-0.9"}, *const formats[] = {"fp8", "int4"};
    for (size_t i = 0; i < COUNT(models) * COUNT(systems) * COUNT(engines) * COUNT(formats); i++)
        for (int batch = 1; batch <= 16; batch *= 4) {
            const char *model = models[i % 4], *system = systems[i / 4 % 3], *engine = engines[i / 12 % 3];
            struct orr_error error;
            read_job(w, "{'kind':'infer','model':'%s','system':'%s','workload':{'engine':'%s','precision':'bf16','batch':%d,"
                        "'input_len':200,'output_len':200}}",
                     model, system, engine, batch);
            const struct orr_infer_result wide = infer(w, &w->job);
            if (wide.decode_bound_frac[ORR_BOUND_DRAM] < 0.5) continue;
            w->job.serving.weights = i / 36 ? ORR_DTYPE_INT4 : ORR_DTYPE_FP8;
            w->job.serving.matrix = w->job.workload.precision = i / 36 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP8;
            assert_int_equal(orr_job_check(&w->job, &error), ORR_OK);
            const struct orr_infer_result narrow = infer(w, &w->job);
            if (narrow.decode_s > wide.decode_s)
                fail_msg("%s on %s, %s, batch %d: %.6g s in %s, %.6g s in bf16", model, system, engine, batch, narrow.decode_s,
                         formats[i / 36], wide.decode_s);
        }
}

/* ---------------------------------------------------------------- experts */

/* Eq. 8, E 256, K 8: 64 tokens touch 256 (1 - (1 - 8/256)^64) = 222.4 experts, one token 8. */
static void experts_touched_are_eq_8(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const struct {
        int batch;
        double touched;
    } rows[] = {{64, 222.4}, {1, 8}, {8, 256 * (1 - pow(248.0 / 256, 8))}, {4096, 256}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(w, "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','workload':{'engine':'vllm','precision':'fp8',"
                    "'batch':%d,'input_len':200,'output_len':200}}",
                 rows[i].batch);
        (void)infer(w, &w->job);
        const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "expert.gate_up", NULL);
        assert_non_null(op);
        assert_close(op->batch, rows[i].touched, 3e-4);
        assert_close(op->batch * op->m, 8.0 * rows[i].batch, 1e-12); /* every token, to each of its experts */
        assert_close(op->n, 2 * 2048, 0);
        assert_close(op->k, 7168, 0);
        assert_close(op->count, 58, 0); /* three of 61 layers are dense */
    }
    /* 8 expert ranks over 8 data-parallel ranks of 8 sequences: the group's 64 tokens, a 8th of the experts each */
    read_job(w, "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','plan':{'dp':8,'ep':8},'workload':{'engine':'vllm',"
                "'precision':'fp8','batch':8,'input_len':200,'output_len':200,'moe_imbalance':1}}");
    (void)infer(w, &w->job);
    const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "expert.gate_up", NULL);
    assert_close(op->batch, 222.4 / 8, 3e-4);
    assert_close(op->batch * op->m, 64, 1e-12);
}

/* Experts inside the tensor-parallel group see all tokens; only a group over data-parallel ranks exchanges them: B K h w
 * bytes each way (Eq. 9a before its (e - 1)/e). */
static void only_spanning_experts_exchange_tokens(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const struct {
        int tp, dp, ep;
        bool exchanged;
    } rows[] = {{8, 1, 1, false}, {8, 1, 8, false}, {1, 8, 8, true}, {2, 4, 8, true}, {1, 8, 1, false}, {4, 2, 4, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(w, "{'kind':'infer','model':'mixtral-8x7b','system':'h100-sxm','plan':{'tp':%d,'dp':%d,'ep':%d,'etp':1},"
                    "'workload':{'engine':'vllm','batch':16,'input_len':200,'output_len':200}}",
                 rows[i].tp, rows[i].dp, rows[i].ep);
        (void)infer(w, &w->job);
        const char *const names[] = {"moe.dispatch", "moe.combine"};
        for (int k = 0; k < 2; k++) {
            const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, names[k], NULL);
            assert_int_equal(op != NULL, rows[i].exchanged);
            if (op) assert_close(op->payload_bytes, 16.0 / rows[i].tp * 2 * 4096 * 2, 1e-12);
        }
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

/* ---------------------------------------------------------------- prefix, chunks, speculation, disaggregation */

static void a_cached_prefix_shortens_the_prompt(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const char *const models[] = {"llama3-8b", "mixtral-8x7b", "gemma3-12b", "deepseek-v3"};
    for (size_t i = 0; i < COUNT(models); i++) {
        read_job(w, "{'kind':'infer','model':'%s','system':'h200-sxm','plan':{'tp':4},'workload':{'engine':'vllm','input_len':8000,"
                    "'output_len':10}}",
                 models[i]);
        double last_s = HUGE_VAL;
        const double decode_s = infer(w, &w->job).decode_s;
        for (double hit = 0; hit < 0.95; hit += 0.1) {
            w->job.serving.prefix_hit_frac = hit;
            const struct orr_infer_result r = infer(w, &w->job);
            assert_true(r.prefill_s < last_s);
            assert_close(r.decode_s, decode_s, 0);
            const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "attention.out", NULL);
            assert_close(op->m, 8000 * (1 - hit), 1e-12);
            last_s = r.prefill_s;
        }
    }
}

/* 1000 tokens after 3000: pairs 1000 * 3000 + 1000^2 / 2, not 4000^2 / 2; Llama-3-8B 32 heads of 128: 4 * 32 * 128 FLOP. */
static void attention_of_a_prefix_counts_its_pairs(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'vllm','input_len':4000,"
                "'output_len':1,'prefix_hit_frac':0.75}}");
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL)->flops, 4 * 32 * 128 * (1000.0 * 3000 + 500000), 1e-12);
    /* Mistral, window 4096, 10000 tokens: 4096^2 / 2 pairs while it fills, then 5904 * 4096 */
    read_job(w, "{'kind':'infer','model':'mistral-7b','system':'h200-sxm','workload':{'engine':'vllm','input_len':10000,"
                "'output_len':1}}");
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL)->flops,
                 4 * 32 * 128 * (4096.0 * 4096 / 2 + 5904.0 * 4096), 1e-12);
    /* chunks of 500: the same pairs in 20 pieces */
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'vllm','input_len':10000,"
                "'output_len':1,'chunk_tokens':500}}");
    (void)infer(w, &w->job);
    const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL);
    assert_close(op->count, 32 * 20, 0);
    assert_close(20 * op->flops, 4 * 32 * 128 * (10000.0 * 10000 / 2), 1e-12);
    assert_close(phase_op(w, ORR_PHASE_PREFILL, "attention.out", NULL)->m, 500, 0);
}

/* Eq. 94: (1 - 0.8^5) / 0.2 = 3.3616 tokens a step with 4 drafts. */
static void drafts_yield_eq_94(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'infer','model':'llama3.1-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'vllm',"
                "'input_len':500,'output_len':500,'draft_tokens':4,'draft_model':'llama3.1-8b','draft_accept_frac':0.8}}");
    struct orr_infer_result r = infer(w, &w->job);
    assert_close(r.tokens_per_step, 3.3616, 1e-12);
    assert_true(r.time_s[ORR_INFER_DRAFT] > 0);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "attention.out", NULL)->m, 5, 0); /* 4 drafts and the token itself */
    const double speculative_s = r.decode_s;
    w->job.serving.draft_accept_frac = 1;
    assert_close(infer(w, &w->job).tokens_per_step, 5, 1e-12);
    w->job.serving.draft_accept_frac = 0;
    const struct orr_infer_result never = infer(w, &w->job);
    assert_close(never.tokens_per_step, 1, 1e-12);
    w->job.serving.draft_tokens = 0;
    r = infer(w, &w->job);
    assert_close(r.tokens_per_step, 1, 0);
    assert_close(r.time_s[ORR_INFER_DRAFT], 0, 0);
    assert_true(never.decode_s > r.decode_s);   /* drafts nobody takes only cost */
    assert_true(speculative_s < r.decode_s);    /* good ones pay at batch 1 */
    assert_close(never.ttft_s, r.ttft_s, 1e-12);
}

/* Eq. 95: the cache leaves layer by layer, so that at least the last layer's share is waited for. Llama-3-8B, 4000 tokens of
 * 131072 bytes, 32 layers, 50 GB/s * 0.9. */
static void the_handed_cache_is_eq_95(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','input_len':4000,"
                "'output_len':100,'disaggregated':true}}");
    struct orr_infer_result r = infer(w, &w->job);
    const double all_s = 4000 * 131072 / 45e9, hop_s = w->job.system.scaleout_latency_s;
    assert_close(r.time_s[ORR_INFER_KV_TRANSFER], all_s / 32 + hop_s, 1e-12); /* the prompt takes longer than the transfer */
    assert_close(r.ttft_s + r.decode_s, r.latency_s, 1e-12);
    w->job.system.scaleout_bytes_per_s = 1e9; /* slow: what the prompt cannot cover is seen */
    r = infer(w, &w->job);
    assert_close(r.time_s[ORR_INFER_KV_TRANSFER], 4000 * 131072 / 0.9e9 - r.prefill_s * 31 / 32 + hop_s, 1e-12);
    w->job.serving.disaggregated = false;
    assert_close(infer(w, &w->job).time_s[ORR_INFER_KV_TRANSFER], 0, 0);
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &grid->jobs[i];
        if (!job->serving.disaggregated) continue;
        const double link = job->system.scaleout_bytes_per_s * job->system.scaleout_efficiency_frac;
        const double bytes = (double)job->serving.batch * orr_kv_sequence_bytes(job, (double)job->serving.input_len);
        assert_true(predict(grid, job).time_s[ORR_INFER_KV_TRANSFER] >= bytes / link / (double)job->model.n_layers);
    }
}

/* ---------------------------------------------------------------- pipeline */

/* One sequence visits one stage after the other: as long as on one GPU, and the sends; its own stage is a p-th of it. */
static void a_lone_sequence_gains_nothing_from_stages(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    struct orr_infer_result r[2];
    for (int i = 0; i < 2; i++) {
        read_job(w, "{'kind':'infer','model':'llama2-70b','system':'h200-sxm','plan':{'tp':2,'pp':%d},'workload':{'engine':'vllm',"
                    "'input_len':300,'output_len':100},'set':{'engine.short_run':true}}",
                 i ? 4 : 1);
        r[i] = infer(w, &w->job);
    }
    assert_true(r[1].decode_s > r[0].decode_s);
    assert_close(r[1].time_s[ORR_INFER_DECODE_GEMM], r[0].time_s[ORR_INFER_DECODE_GEMM] / 4, 1e-12);
    const double kernels_s = r[0].decode_s, waiting_s = r[1].time_s[ORR_INFER_PIPELINE];
    assert_close(waiting_s, 0.75 * (kernels_s + r[0].prefill_s), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_to_the_latency),
        cmocka_unit_test(tokens_are_conserved),
        cmocka_unit_test(nothing_beats_the_speed_of_light),
        cmocka_unit_test(a_filling_window_respects_the_bound),
        cmocka_unit_test(the_decode_bound_is_eq_92),
        cmocka_unit_test(better_hardware_is_never_slower),
        cmocka_unit_test(more_work_is_never_faster),
        cmocka_unit_test(a_job_gives_the_same_bits),
        cmocka_unit_test(one_rank_sends_nothing),
        cmocka_unit_test(a_layer_reduces_twice),
        cmocka_unit_test(prompt_products_have_the_published_intensity),
        cmocka_unit_test(lone_decode_products_are_dram_bound),
        cmocka_unit_test(narrow_weights_are_never_slower_in_decode),
        cmocka_unit_test(experts_touched_are_eq_8),
        cmocka_unit_test(only_spanning_experts_exchange_tokens),
        cmocka_unit_test(imbalance_is_never_faster),
        cmocka_unit_test(a_cached_prefix_shortens_the_prompt),
        cmocka_unit_test(attention_of_a_prefix_counts_its_pairs),
        cmocka_unit_test(drafts_yield_eq_94),
        cmocka_unit_test(the_handed_cache_is_eq_95),
        cmocka_unit_test(a_lone_sequence_gains_nothing_from_stages),
    };
    return cmocka_run_group_tests_name("infer", tests, open_grid, close_grid);
}
