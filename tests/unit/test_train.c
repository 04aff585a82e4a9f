/* Properties every prediction has, over a grid of random valid jobs: sums, bounds, monotone in hardware and batch,
 * deterministic; and time parts that follow from single operators. */
#include "grid.h"

#include "predict/scratch.h"

#define N_JOBS 200

static const char *const MODELS[] = {"gpt3-175b",   "llama2-70b", "llama3-8b", "mixtral-8x7b",
                                     "deepseek-v3", "gemma3-12b", "qwen2.5-7b"};
static const char *const SYSTEMS[] = {"a100-80g-sxm", "h100-sxm", "b200-sxm", "mi300x"};
static const char *const ENGINES[] = {"megatron-core-2025", "pytorch-eager", "mosaic-fsdp", "megatron-lm-2022",
                                      "generic"};
static const char *const RECOMPUTES[] = {"none", "selective", "full"};
static const char *const CP_KINDS[] = {"ring", "allgather", "ulysses"};
static const char *const SCHEDULES[] = {"gpipe", "1f1b", "zb-h1", "zb-h2"};

static void draw_request(struct grid *grid, size_t i)
{
    struct random *r = &grid->random;
    const int tp = draw_power(r, 4), pp = draw_power(r, 4), cp = draw_power(r, 2), dp = draw_power(r, 5),
              b = draw_power(r, 3);
    const int vpp = pp > 1 && draw(r, 2) ? 2 : 1, ep = draw_power(r, 4), m = pp * (1 + (int)draw(r, 4));
    const char *schedule = vpp > 1 ? "interleaved" : SCHEDULES[draw(r, COUNT(SCHEDULES))];
    const char *model = MODELS[draw(r, COUNT(MODELS))];
    const bool experts = strcmp(model, "mixtral-8x7b") == 0 || strcmp(model, "deepseek-v3") == 0;
    const char *attention = draw(r, 3) ? "flash" : "unfused";
    const char *precision = draw(r, 4) ? "bf16" : "fp8";
    snprintf(
        grid->requests[i], sizeof grid->requests[i],
        "{'kind':'train','model':'%s','system':'%s','plan':{'tp':%d,'pp':%d,'vpp':%d,'cp':%d,'dp':%d,'ep':%d,'zero':%d,"
        "'schedule':'%s','cp_kind':'%s','sp':%s},'workload':{'seq':%d,'micro_batch':%d,'global_batch':%d,"
        "'engine':'%s','recompute':'%s','attention':'%s','precision':'%s'}}",
        model, SYSTEMS[draw(r, COUNT(SYSTEMS))], tp, pp, vpp, cp, dp, experts ? ep : 1, (int)draw(r, 4), schedule,
        CP_KINDS[draw(r, COUNT(CP_KINDS))], tp > 1 && draw(r, 2) ? "true" : "false", 1024 * draw_power(r, 4), b,
        b * dp * m, ENGINES[draw(r, COUNT(ENGINES))], RECOMPUTES[draw(r, COUNT(RECOMPUTES))], attention, precision);
}

static int open_jobs(void **state)
{
    return open_grid(state, 2024, N_JOBS, draw_request);
}

static struct orr_result predict(struct grid *grid, const struct orr_job *job)
{
    struct orr_result result;
    orr_train(job, grid->world->scratch, &result);
    return result;
}

static double time_of(struct grid *grid, const struct orr_job *job)
{
    return predict(grid, job).step_time_s;
}

/* ---------------------------------------------------------------- sums and bounds */

static void parts_sum_to_the_step(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_result r = predict(grid, &grid->jobs[i]);
        double parts_s = 0, shares = 0, bytes = 0;
        for (int p = 0; p < ORR_N_TIME_PARTS; p++) {
            assert_true(r.time_s[p] >= 0);
            parts_s += r.time_s[p];
        }
        for (int b = 0; b < ORR_N_BOUNDS; b++) {
            assert_true(r.bound_share_frac[b] >= -1e-12);
            assert_at_most(r.bound_share_frac[b], r.bound_share_frac[r.bottleneck]);
            shares += r.bound_share_frac[b];
        }
        for (int p = 0; p < ORR_N_MEMORY_PARTS; p++) bytes += r.memory.part_bytes[p];
        assert_close(parts_s, r.step_time_s, 1e-12);
        assert_close(shares, 1, 1e-12);
        assert_close(bytes, r.memory.total_bytes, 1e-12);
        for (int g = 0; g < ORR_N_GROUPS; g++) assert_true(r.hidden_s[g] >= 0);
    }
}

static void nothing_beats_the_speed_of_light(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_result r = predict(grid, &grid->jobs[i]);
        if (!(r.step_time_s >= r.bound_s && r.mfu_frac > 0 && r.mfu_frac <= 1 && r.hfu_frac > 0 && r.hfu_frac <= 1))
            fail_msg("step %g s, bound %g s, MFU %g, HFU %g: %s", r.step_time_s, r.bound_s, r.mfu_frac, r.hfu_frac,
                     grid->requests[i]);
        assert_true(r.interval_low_s < r.step_time_s && r.step_time_s < r.interval_high_s);
        assert_true(r.matrix_frac > 0 && r.matrix_frac <= 1);
        assert_true(r.matrix_share_frac > 0 && r.matrix_share_frac <= 1);
    }
}

static void energy_stays_inside_the_board_limit(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &grid->jobs[i];
        const struct orr_result r = predict(grid, job);
        const double gpus = (double)job->plan.gpus;
        assert_true(r.power_w_per_gpu > job->system.chip.idle_w);
        assert_at_most(r.power_w_per_gpu, job->system.chip.tdp_w);
        assert_close(r.energy_j, gpus * r.power_w_per_gpu * r.step_time_s * job->system.pue_frac, 1e-12);
        assert_close(r.cost_usd, gpus * job->system.price_usd_per_gpu_hour * r.step_time_s / 3600, 1e-12);
    }
}

/* ---------------------------------------------------------------- monotone */

/* Better hardware never makes a step slower. The power rule returns some of a gain as a lower clock, never all of it;
 * a zero-bubble schedule with few micro-batches may lose a trace, as shorter weight gradients fill less of the wait. */
static void better_hardware_is_never_slower(void **state)
{
    check_better_hardware(*state, N_JOBS, 1e-3, time_of);
}

static void more_power_is_never_slower(void **state)
{
    assert_true(check_power(*state, N_JOBS, 1e-3, time_of) > N_JOBS / 4);
}

static void more_work_is_never_faster(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        static struct orr_job job;
        const struct orr_result before = predict(grid, &grid->jobs[i]);
        job = grid->jobs[i];
        job.workload.global_batch *= 2;
        const struct orr_result more = predict(grid, &job);
        assert_true(more.step_time_s > before.step_time_s);
        assert_close(more.model_flops, 2 * before.model_flops, 1e-12);
        assert_at_most(more.step_time_s,
                       2.1 * before.step_time_s); /* fixed parts do not double; the clock may fall a little */
        job = grid->jobs[i];
        job.workload.moe_imbalance = 1.5;
        assert_true(predict(grid, &job).step_time_s >= before.step_time_s);
    }
}

/* ---------------------------------------------------------------- deterministic */

static void assert_same(const struct orr_result *a, const struct orr_result *b)
{
    assert_memory_equal(a->time_s, b->time_s, sizeof a->time_s);
    assert_memory_equal(a->hidden_s, b->hidden_s, sizeof a->hidden_s);
    assert_memory_equal(a->bound_share_frac, b->bound_share_frac, sizeof a->bound_share_frac);
    assert_memory_equal(a->memory.part_bytes, b->memory.part_bytes, sizeof a->memory.part_bytes);
    const double x[] = {a->step_time_s, a->interval_low_s, a->interval_high_s, a->bound_s,  a->tokens_per_s,
                        a->model_flops, a->executed_flops, a->mfu_frac,        a->hfu_frac, a->matrix_share_frac,
                        a->matrix_frac, a->energy_j,       a->power_w_per_gpu, a->cost_usd, a->memory.total_bytes};
    const double y[] = {b->step_time_s, b->interval_low_s, b->interval_high_s, b->bound_s,  b->tokens_per_s,
                        b->model_flops, b->executed_flops, b->mfu_frac,        b->hfu_frac, b->matrix_share_frac,
                        b->matrix_frac, b->energy_j,       b->power_w_per_gpu, b->cost_usd, b->memory.total_bytes};
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(a->fits, b->fits);
    assert_int_equal(a->bottleneck, b->bottleneck);
}

/* The same bits whatever ran on the scratch before. */
static void a_job_gives_the_same_bits(void **state)
{
    struct grid *grid = *state;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_result first = predict(grid, &grid->jobs[i]);
        (void)predict(grid, &grid->jobs[(i * 7 + 3) % N_JOBS]);
        const struct orr_result second = predict(grid, &grid->jobs[i]);
        assert_same(&first, &second);
        if (i % 20 != 0) continue;
        struct orr_scratch *fresh = orr_scratch_new();
        assert_non_null(fresh);
        struct orr_result third;
        memset(&third, 0x5a, sizeof third);
        orr_train(&grid->jobs[i], fresh, &third);
        assert_same(&first, &third);
        orr_scratch_free(fresh);
    }
}

/* ---------------------------------------------------------------- parts that follow from operators */

/* Seconds of the layers' forward on the only pipeline rank: kernels and exposed collectives. */
static double layers_forward_s(const struct world *w)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    double total_s = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].phase != ORR_PHASE_FORWARD || ops[i].layer_kind < 0) continue;
        double layers = 0;
        for (int64_t l = 0; l < w->job.model.n_layers; l++) layers += w->job.model.layer_kind[l] == ops[i].layer_kind;
        total_s += layers * (costs[i].total_s - costs[i].hidden_s);
    }
    return total_s * (double)w->result.n_micro_batches;
}

/* Full recomputation repeats the forward of every layer with its collectives, not the ends. At the burst clock, so that
 * an operator's time is its cost. */
static void full_recompute_repeats_the_layers(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const char *const models[] = {"gpt-22b", "llama2-7b", "gemma3-12b", "mixtral-8x7b"};
    const char *const engines[] = {"megatron-lm-2022", "megatron-core-2025"};
    for (size_t i = 0; i < COUNT(models) * COUNT(engines); i++) {
        read_job(
            w,
            "{'kind':'train','model':'%s','system':'a100-80g-sxm','plan':{'tp':8,'dp':1},'workload':{'engine':'%s',"
            "'global_batch':4,'recompute':'full'},'set':{'engine.short_run':true}}",
            models[i / 2], engines[i % 2]);
        w->job.calibration.straggle_frac_per_doubling = 0;
        train(w);
        assert_close(w->result.time_s[ORR_TIME_RECOMPUTE], layers_forward_s(w), 1e-12);
        const double with_s = w->result.step_time_s - w->result.time_s[ORR_TIME_RECOMPUTE];
        w->job.workload.recompute = ORR_RECOMPUTE_NONE;
        train(w);
        assert_close(w->result.time_s[ORR_TIME_RECOMPUTE], 0, 0);
        assert_close(w->result.step_time_s, with_s, 1e-12);
    }
}

/* dp 1, cp 1: no gradient collective; a tied matrix on two stages still sums its gradients: 51200 / 8 * 12288 elements
 * of 2 bytes sent at 25 GB/s * 0.9, one hop. */
static void without_data_parallel_only_the_tie_is_left(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','plan':{'tp':8,'pp':8},"
                "'workload':{'engine':'megatron-lm-2022','global_batch':64}}");
    train(w);
    const double hop_s = w->job.system.scaleout_latency_s;
    assert_close(w->result.time_s[ORR_TIME_DP_EXPOSED], 51200.0 / 8 * 12288 * 2 / 22.5e9 + hop_s, 1e-12);
    w->job.plan.pp = 1;
    w->job.plan.gpus = 8;
    train(w);
    assert_close(w->result.time_s[ORR_TIME_DP_EXPOSED], 0, 0);
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &grid->jobs[i];
        if (job->plan.dp * job->plan.cp > 1 || (job->model.tied_embeddings && job->plan.pp > 1)) continue;
        if (job->plan.tp / (job->plan.ep * job->plan.etp) > 1) continue; /* experts repeated over tp ranks */
        assert_close(predict(grid, job).time_s[ORR_TIME_DP_EXPOSED], 0, 0);
    }
}

/* Eq. 78 by hand: 7B parameters, fp32 gradients, ZeRO 0: norm reads 4, Adam moves 4 + 2 * 12, casts 6 + 6 bytes each.
 */
static void optimizer_time_is_traffic(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','gpus':1,'plan':{'zero':0},"
                "'workload':{'engine':'megatron-lm-2022','global_batch':4}}");
    train(w);
    const double *frac = w->job.calibration.pointwise_frac, params = 6738415616.0, rate = 2039e9;
    const double traffic_s = params / rate *
                             (4 / frac[ORR_POINTWISE_ADD] + 28 / frac[ORR_POINTWISE_ADAM] +
                              6 / frac[ORR_POINTWISE_UPCAST] + 6 / frac[ORR_POINTWISE_COPY]);
    assert_close(w->result.time_s[ORR_TIME_OPTIMIZER], traffic_s, 0.01); /* and launches */
    assert_true(w->result.time_s[ORR_TIME_OPTIMIZER] >= traffic_s);
}

/* Eq. 68 inside the whole prediction: equal stages without ends would idle (p - 1)/(m + p - 1) of the pipeline. */
static void the_bubble_shrinks_with_micro_batches(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    double last = 1;
    for (int m = 8; m <= 128; m *= 2) {
        read_job(w,
                 "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','plan':{'tp':8,'pp':8},"
                 "'workload':{'engine':'megatron-lm-2022','global_batch':%d}}",
                 m);
        train(w);
        const double *t = w->result.time_s;
        const double work_s =
            t[ORR_TIME_FORWARD] + t[ORR_TIME_BACKWARD] + t[ORR_TIME_RECOMPUTE] + t[ORR_TIME_TP_EXPOSED];
        const double share = t[ORR_TIME_PP_BUBBLE] / (t[ORR_TIME_PP_BUBBLE] + work_s);
        assert_close(share, 7.0 / (m + 7), 0.06); /* the head's stage is a little slower than the others */
        assert_true(share < last);
        last = share;
    }
}

/* The speed of light holds where attention is nearly all of the work and half of its scores are masked. */
static void long_sequences_respect_the_bound(void **state)
{
    struct grid *grid = *state;
    struct world *w = grid->world;
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm", "h200-sxm", "b200-sxm"};
    for (size_t i = 0; i < COUNT(systems); i++)
        for (int seq = 131072; seq <= 1048576; seq *= 8) {
            read_job(w,
                     "{'kind':'train','model':'llama3-8b','system':'%s','gpus':8,'plan':{'tp':8},'workload':{'seq':%d,"
                     "'global_batch':2,'engine':'megatron-core-2025'},"
                     "'set':{'model.max_position_embeddings':1048576,'engine.short_run':true}}",
                     systems[i], seq);
            train(w);
            if (w->result.step_time_s < w->result.bound_s)
                fail_msg("%s, %d tokens: %g s is below the bound of %g s", systems[i], seq, w->result.step_time_s,
                         w->result.bound_s);
            assert_at_most(w->result.hfu_frac, 1);
        }
}

/* The curves a prediction settles its clock with, against the rows of the ledger added up one by one. */
static void curves_agree_with_the_operators(void **state)
{
    struct grid *grid = *state;
    static struct orr_time_row rows[ORR_MAX_TIME_ROWS];
    const struct orr_scratch *scratch = grid->world->scratch;
    for (size_t i = 0; i < N_JOBS; i++) {
        const double m = (double)predict(grid, &grid->jobs[i]).n_micro_batches;
        for (size_t c = 0; c < scratch->classes.n; c++) {
            const struct orr_rank_time *rank = &scratch->ranks[c];
            struct orr_ledger ledger = {.job = &grid->jobs[i], .rows = rows};
            double forward_s = 0, backward_s = 0, sharded_s = 0, hidden_s = 0, wgrad_s = 0, launches = 0;
            orr_train_ledger(&grid->jobs[i], scratch, c, &ledger);
            for (size_t k = 0; k < ledger.n_rows; k++) {
                const struct orr_time_row *row = &rows[k];
                const bool sharded = orr_sharded_group(row->group);
                if (row->phase == ORR_PHASE_STEP || row->group == ORR_GROUP_PP || row->op < 0) continue;
                if (sharded) hidden_s += row->hidden_s;
                if (sharded) sharded_s += row->exposed_s;
                else if (row->phase == ORR_PHASE_FORWARD) forward_s += row->exposed_s;
                else backward_s += row->exposed_s;
                if (scratch->ops.items[row->op].wgrad) wgrad_s += row->exposed_s;
                if (row->group == ORR_GROUP_NONE) launches += row->runs * scratch->ops.items[row->op].launches;
            }
            assert_close(m * (rank->forward_s - rank->host_wait_s[0]), forward_s, 1e-12);
            assert_close(m * (rank->backward_s - rank->host_wait_s[1]), backward_s + sharded_s, 1e-12);
            assert_close(m * rank->sharded_exposed_s, sharded_s, 1e-12);
            assert_close(m * (rank->sharded_hidden_s[0] + rank->sharded_hidden_s[1]), hidden_s, 1e-12);
            if (rank->host_wait_s[1] == 0) assert_close(m * rank->wgrad_s, wgrad_s, 1e-12);
            assert_close(m * rank->launches, launches, 1e-12);
        }
    }
}

/* Transfers that run alone never make a step shorter; without any, nothing is hidden that the plan may expose. */
static void exposing_transfers_costs_time(void **state)
{
    struct grid *grid = *state;
    const enum orr_group groups[] = {ORR_GROUP_TP, ORR_GROUP_EP, ORR_GROUP_PP, ORR_GROUP_DP};
    for (size_t i = 0; i < N_JOBS; i++) {
        struct orr_job job = grid->jobs[i];
        const double all_s = predict(grid, &job).step_time_s;
        for (size_t g = 0; g < COUNT(groups); g++) {
            job.plan.exposed_groups = 1u << groups[g];
            const struct orr_result r = predict(grid, &job);
            assert_at_most(all_s, r.step_time_s * (1 + 1e-6)); /* a longer step also runs at a higher clock */
            assert_close(r.hidden_s[groups[g]], 0, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_agree_with_the_operators),
        cmocka_unit_test(exposing_transfers_costs_time),
        cmocka_unit_test(parts_sum_to_the_step),
        cmocka_unit_test(nothing_beats_the_speed_of_light),
        cmocka_unit_test(energy_stays_inside_the_board_limit),
        cmocka_unit_test(better_hardware_is_never_slower),
        cmocka_unit_test(more_power_is_never_slower),
        cmocka_unit_test(more_work_is_never_faster),
        cmocka_unit_test(a_job_gives_the_same_bits),
        cmocka_unit_test(full_recompute_repeats_the_layers),
        cmocka_unit_test(without_data_parallel_only_the_tie_is_left),
        cmocka_unit_test(optimizer_time_is_traffic),
        cmocka_unit_test(the_bubble_shrinks_with_micro_batches),
        cmocka_unit_test(long_sequences_respect_the_bound),
    };
    return cmocka_run_group_tests_name("train", tests, open_jobs, close_grid);
}
