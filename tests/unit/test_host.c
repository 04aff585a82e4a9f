/* The host beside the device (Eqs. 126-130): a phase takes the longer of both, launches and calls are counted by hand,
 * graphs and scheduling ahead take the host out of serving steps, and the ledger has every second of it. */
#include "serving.h"
#include "support.h"

#include "schedule/host.h"

#define LAYERS 32 /* of llama2-7b and llama3-8b */

/* A job without any host time, at the burst clock, so that seconds of the host change nothing else. */
static void silence(struct orr_job *job)
{
    struct orr_engine *engine = &job->engine;
    engine->host_launch_s = engine->host_backward_launch_s = engine->host_collective_s = 0;
    engine->host_pipeline_rank_s = engine->host_layer_s = engine->host_sharded_layer_s = 0;
    engine->host_tensor_layer_s = 0;
    engine->host_micro_batch_s = engine->host_step_s = engine->zero1_tensor_s = 0;
    engine->short_run = true;
}

/* llama2-7b on one GPU, four micro-batches, without host time. */
static void read_one_gpu(struct world *w)
{
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'dp':1},'workload':{'seq':2048,"
                "'micro_batch':1,'global_batch':4,'engine':'nanotron-2025'}}");
    silence(&w->job);
}

/* llama2-7b cut over the 8 GPUs of a node, with the host facts of its engine. */
static void read_node(struct world *w)
{
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'tp':8},'workload':{"
                "'seq':2048,'micro_batch':1,'global_batch':4,'engine':'nanotron-2025'}}");
    silence(&w->job);
    w->job.engine.host_launch_s = 14e-6;
    w->job.engine.host_backward_launch_s = 16e-6;
    w->job.engine.host_collective_s = 27e-6;
    w->job.engine.host_layer_s = 1.5e-3;
}

static struct orr_answer *answer_of(struct world *w)
{
    static struct orr_answer answer;
    orr_predict(&w->job, w->scratch, &answer);
    return &answer;
}

/* ---------------------------------------------------------------- phases */

/* The host needs as long for a forward and a backward pass as the device for both together. If the law held for a
 * step, nothing would be added; by phases, forward waits for the host and backward does not. */
static void the_longer_side_counts_in_every_phase(void **state)
{
    struct world *w = *state;
    read_one_gpu(w);
    const struct orr_answer *quiet = answer_of(w);
    const double step_s = quiet->train.step_time_s, f = quiet->facts.forward_s, b = quiet->facts.backward_s;
    assert_true(quiet->train.bound_share_frac[ORR_BOUND_HOST] == 0 && b > 1.5 * f);
    const double host_s = (f + b) / 2;
    w->job.engine.host_layer_s = host_s / LAYERS;
    const struct orr_answer *mixed = answer_of(w);
    assert_close(mixed->facts.forward_s, host_s, 1e-12);
    assert_close(mixed->facts.backward_s, b, 1e-12);
    assert_close(mixed->facts.host_wait_s, 4 * (host_s - f), 1e-9);
    assert_close(mixed->train.step_time_s, step_s + 4 * (host_s - f), 1e-12);
    w->job.engine.host_layer_s = 2 * b / LAYERS; /* both phases wait */
    const struct orr_answer *slow = answer_of(w);
    assert_close(slow->train.step_time_s, step_s + 4 * (2 * b - f + b), 1e-12);
    assert_int_equal(slow->train.bottleneck, ORR_BOUND_HOST);
    w->job.engine.host_layer_s = 0.99 * f / LAYERS; /* neither does */
    assert_true(answer_of(w)->train.step_time_s == step_s);
}

/* Time outside the layers belongs to both passes of every micro-batch; time once per step hides behind nothing. */
static void micro_batches_and_steps_have_time_of_their_own(void **state)
{
    struct world *w = *state;
    read_one_gpu(w);
    const double step_s = answer_of(w)->train.step_time_s, f = answer_of(w)->facts.forward_s;
    const double b = answer_of(w)->facts.backward_s;
    w->job.engine.host_micro_batch_s = b + 0.25;
    w->job.engine.host_step_s = 0.125;
    assert_close(answer_of(w)->train.step_time_s, step_s + 4 * (b + 0.25 - f + 0.25) + 0.125, 1e-12);
}

/* After the pipeline the optimizer runs: a norm in 4 launches, two casts in 32 each, Adam in 8. It waits where these
 * 76 take the host longer than the device. */
static void the_optimizer_waits_for_its_launches(void **state)
{
    struct world *w = *state;
    read_one_gpu(w);
    const double optimizer_s = answer_of(w)->train.time_s[ORR_TIME_OPTIMIZER];
    w->job.engine.host_launch_s = 2 * optimizer_s / 76;
    (void)answer_of(w);
    assert_close(w->scratch->step.host_wait_s[2], optimizer_s, 1e-9);
    w->job.engine.host_launch_s = 0.9 * optimizer_s / 76;
    (void)answer_of(w);
    assert_true(w->scratch->step.host_wait_s[2] == 0);
}

/* ---------------------------------------------------------------- launches by hand */

/* Forward of a layer: 2 norms, qkv, 12 copies of layouts, rotation, core, output, gate and up, an activation of 2
 * kernels, down, 2 residual sums, and 4 collectives: 28 launches. Backward: norms 4, products 8, layouts 12,
 * rotation, core, activation 2, residuals 2, sums of gradients 8, and 6 collectives: 44. The embedding has 2
 * launches in forward and, with the sums of tied gradients and over micro-batches, 7 in backward, with one collective
 * each; the head a norm, its product, a loss of 3 and 4 collectives in forward (9), and norm 2, products 2, loss 2, the
 * sum of the norm's gradients and 2 collectives in backward (9). */
static void launches_and_calls_are_counted(void **state)
{
    struct world *w = *state;
    read_node(w);
    const struct orr_train_facts *facts = &answer_of(w)->facts;
    assert_close(facts->host_forward_s, (LAYERS * 28 + 2 + 9) * 14e-6 + (LAYERS * 4 + 1 + 4) * 27e-6 + LAYERS * 1.5e-3,
                 1e-12);
    assert_close(facts->host_backward_s, (LAYERS * 44 + 7 + 9) * 16e-6 + (LAYERS * 6 + 1 + 2) * 27e-6 + LAYERS * 1.5e-3,
                 1e-12);
    w->job.engine.host_backward_launch_s = 0; /* as in forward */
    assert_close(answer_of(w)->facts.host_backward_s,
                 (LAYERS * 44 + 7 + 9) * 14e-6 + (LAYERS * 6 + 1 + 2) * 27e-6 + LAYERS * 1.5e-3, 1e-12);
}

/* Full recomputation launches forward again, at the price of forward and with its 4 collectives. With early stop the
 * last product is not among it. */
static void recomputation_launches_again(void **state)
{
    struct world *w = *state;
    read_node(w);
    const double before_s = answer_of(w)->facts.host_backward_s;
    w->job.workload.recompute = ORR_RECOMPUTE_FULL;
    w->job.engine.recompute_early_stop = false;
    assert_close(answer_of(w)->facts.host_backward_s, before_s + LAYERS * (28 * 14e-6 + 4 * 27e-6), 1e-12);
    w->job.engine.recompute_early_stop = true;
    assert_close(answer_of(w)->facts.host_backward_s, before_s + LAYERS * (27 * 14e-6 + 4 * 27e-6), 1e-12);
}

/* Stages by cost give the first of two 17 layers (test_stacks.c). Across nodes each of its collectives costs 8 ranks
 * times 0.2 ms more; in one node none does. */
static void pipelines_across_nodes_pay_for_ranks(void **state)
{
    struct world *w = *state;
    for (int across = 0; across < 2; across++) {
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'tp':%d,'pp':2},"
                 "'workload':{'seq':2048,'micro_batch':1,'global_batch':4,'engine':'nanotron-2025'}}",
                 across ? 8 : 4);
        silence(&w->job);
        w->job.engine.host_pipeline_rank_s = 0.2e-3;
        train(w);
        assert_close(w->scratch->ranks[0].host_s[0], across ? (17 * 4 + 1) * 8 * 0.2e-3 : 0, 1e-12);
        assert_close(w->scratch->ranks[0].host_s[1], across ? (17 * 6 + 1) * 8 * 0.2e-3 : 0, 1e-12);
    }
}

/* Hooks that gather and free weights exist only where ZeRO-3 shards them. */
static void sharded_layers_cost_more_with_zero_3(void **state)
{
    struct world *w = *state;
    for (int zero = 0; zero < 4; zero++) {
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'dp':8,'zero':%d},"
                 "'workload':{'seq':2048,'micro_batch':1,'global_batch':32,'engine':'torchtitan-2024-eager'}}",
                 zero);
        silence(&w->job);
        w->job.engine.host_layer_s = 1e-3;
        w->job.engine.host_sharded_layer_s = 0.9e-3;
        const struct orr_train_facts *facts = &answer_of(w)->facts;
        assert_close(facts->host_forward_s, LAYERS * (zero == 3 ? 1.9e-3 : 1e-3), 1e-12);
        assert_close(facts->host_backward_s, facts->host_forward_s, 1e-12);
    }
}

/* Distributed tensors cost the host time in every layer, but only where tensor parallelism makes them. */
static void distributed_tensors_cost_more_with_tensor_parallelism(void **state)
{
    struct world *w = *state;
    for (int tp = 1; tp <= 4; tp *= 2) {
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'tp':%d,'dp':2,'zero':3},"
                 "'workload':{'seq':2048,'micro_batch':1,'global_batch':32,'engine':'torchtitan-2024-eager'}}",
                 tp);
        silence(&w->job);
        w->job.engine.host_sharded_layer_s = 0.9e-3;
        w->job.engine.host_tensor_layer_s = 2.6e-3;
        const struct orr_train_facts *facts = &answer_of(w)->facts;
        assert_close(facts->host_forward_s, LAYERS * (tp > 1 ? 3.5e-3 : 0.9e-3), 1e-12);
        assert_close(facts->host_backward_s, facts->host_forward_s, 1e-12);
    }
}

/* Eq. 367: with graphs of layers a pass is one launch of 14 us per layer, whatever its modules and collectives cost.
 * The ends keep theirs: they are what is left where a layer has no host time at all. */
static void graphs_of_layers_are_launched_once(void **state)
{
    struct world *w = *state;
    read_node(w);
    w->job.engine.host_layer_s = 0;
    const double layers = answer_of(w)->facts.host_forward_s;
    w->job.engine.host_layer_s = 1.5e-3;
    assert_close(answer_of(w)->facts.host_forward_s, layers + LAYERS * 1.5e-3, 1e-12);
    w->job.workload.layer_graphs = true;
    const struct orr_train_facts graphs = answer_of(w)->facts;
    w->job.engine.host_collective_s = 0;
    w->job.engine.host_launch_s = 28e-6;
    w->job.engine.host_backward_launch_s = 0;
    const struct orr_train_facts twice = answer_of(w)->facts;
    assert_true(graphs.host_forward_s > LAYERS * 14e-6 && graphs.host_forward_s < layers / 20);
    assert_true(twice.host_forward_s >= 2 * LAYERS * 14e-6 && twice.host_forward_s < 2 * graphs.host_forward_s);
}

/* Eq. 361: one thread serves all GPUs. A decode step of 32 layers waits for the host alone if a layer costs 10 ms for
 * every further GPU: 32 · 10 ms · (tp - 1) more than without. */
static void one_thread_serves_all_gpus(void **state)
{
    struct world *w = *state;
    double step_s[2][2];
    for (int tp = 2; tp <= 4; tp += 2)
        for (int on = 0; on < 2; on++) {
            read_job(w,
                     "{'kind':'infer','model':'llama2-7b','system':'h100-sxm','plan':{'tp':%d},'workload':{'batch':1,"
                     "'input_len':128,'output_len':2,'engine':'llama.cpp-2023'}}",
                     tp);
            assert_true(w->job.engine.host_split_layer_s > 0 && w->job.engine.graph_sequences == 0);
            w->job.engine.host_split_layer_s = on ? 20e-3 : 10e-3;
            step_s[tp / 4][on] = answer_of(w)->infer.tpot_s;
        }
    assert_close(step_s[0][1] - step_s[0][0], LAYERS * 10e-3, 1e-9);
    assert_close(step_s[1][1] - step_s[1][0], LAYERS * 3 * 10e-3, 1e-9);
}

/* A host of twice the speed has half the seconds of everything. */
static void the_speed_of_the_host_divides_everything(void **state)
{
    struct world *w = *state;
    read_node(w);
    w->job.engine.host_micro_batch_s = 3e-3;
    w->job.engine.host_step_s = 0.079;
    w->job.system.host_speed = 2;
    const struct orr_answer fast = *answer_of(w);
    struct orr_engine *engine = &w->job.engine;
    w->job.system.host_speed = 1;
    engine->host_launch_s /= 2;
    engine->host_backward_launch_s /= 2;
    engine->host_collective_s /= 2;
    engine->host_layer_s /= 2;
    engine->host_micro_batch_s /= 2;
    engine->host_step_s /= 2;
    const struct orr_answer *halved = answer_of(w);
    assert_close(fast.train.step_time_s, halved->train.step_time_s, 1e-15);
    assert_close(fast.facts.host_forward_s, halved->facts.host_forward_s, 1e-14);
    assert_close(fast.facts.host_once_s, 0.0395, 1e-12);
    assert_true(fast.train.bound_share_frac[ORR_BOUND_HOST] > 0.1);
}

/* ---------------------------------------------------------------- the ledger */

/* Rows of the host, added in their order, are its share of the step to the last bit; with straggling they are the
 * overhead. */
static void assert_host_rows(struct world *w, double least_share)
{
    const struct orr_answer *answer = answer_of(w);
    double host_s = 0, overhead_s = 0;
    for (size_t i = 0; i < answer->n_rows; i++) {
        const struct orr_time_row *row = &answer->rows[i];
        if (row->resource == ORR_BOUND_HOST) host_s += row->exposed_s;
        if (row->part == ORR_TIME_OVERHEAD) overhead_s += row->exposed_s;
        if (row->resource == ORR_BOUND_HOST) assert_true(row->op == -1 && row->part == ORR_TIME_OVERHEAD);
    }
    assert_true(overhead_s == answer->train.time_s[ORR_TIME_OVERHEAD]);
    assert_true(host_s / answer->train.step_time_s == answer->train.bound_share_frac[ORR_BOUND_HOST]);
    assert_close(host_s, answer->facts.host_wait_s + answer->facts.host_once_s, 1e-12);
    assert_at_most(least_share, host_s / answer->train.step_time_s);
}

static void the_ledger_has_every_second_of_the_host(void **state)
{
    struct world *w = *state;
    read_node(w);
    assert_host_rows(w, 0.3);
    read_job(w, "{'kind':'train','model':'nanotron-3b','system':'h100-sxm-efa3200','plan':{'tp':4,'pp':4,'dp':4,"
                "'zero':1},'workload':{'seq':4096,'micro_batch':1,'global_batch':64,'engine':'nanotron-2025'}}");
    assert_host_rows(w, 0.1);
    assert_true(w->scratch->step.straggle_s > 0);
}

/* ---------------------------------------------------------------- the slowest GPU */

static void read_slowest(struct world *w, const char *system, const char *plan)
{
    char text[400];
    (void)snprintf(text, sizeof text,
                   "{'kind':'train','model':'llama2-7b','system':'%s','plan':{%s},'workload':{'seq':4096,"
                   "'micro_batch':1,'global_batch':384,'engine':'megatron-core-2024'}}",
                   system, plan);
    read_job(w, "%s", text);
}

/* Eqs. 299, 305: with a slope of 0.5 % chips differ by 2 %. The mean of the largest of 2, 8, 512 and 24
 * standard normal values is 0.5642, 1.4236, 3.0439 and 1.9477, by numerical integration of x·n·pdf·cdf^(n−1); between
 * 16 and 32 the table is straight. The shares of H100 are those of the slower of two units, those of A100 of one. */
static void all_wait_for_the_slowest_gpu(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *system, *plan;
        double wait_frac, tolerance;
    } CASES[] = {{"h100-sxm", "'dp':1", 0, 1e-12},
                 {"h100-sxm", "'dp':8", 0.02 * (1.4236 - 0.5642), 1e-3},
                 {"h100-sxm", "'tp':8,'pp':4,'dp':16", 0.02 * (3.0439 - 0.5642), 1e-3},
                 {"h100-sxm", "'dp':24", 0.02 * (1.9477 - 0.5642), 5e-3},
                 {"a100-80g-sxm", "'dp':8", 0.02 * 1.4236, 1e-3},
                 {"a100-80g-sxm", "'tp':8,'pp':4,'dp':16", 0.02 * 3.0439, 1e-3}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        read_slowest(w, CASES[i].system, CASES[i].plan);
        (void)answer_of(w);
        const struct orr_settled *step = &w->scratch->step;
        assert_true(step->paced_s > 0);
        assert_close(step->straggle_s, CASES[i].wait_frac * step->paced_s, CASES[i].tolerance);
    }
}

/* ---------------------------------------------------------------- serving */

/* An eager engine on a stream: 5 kernels and 49 small ones in each of 32 layers, the embedding, the head, and two that
 * choose a token. */
#define PASS_LAUNCHES (LAYERS * (5 + 49) + 4)

static void read_serving(struct world *w, int batch)
{
    read_job(w,
             "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'batch':%d,'input_len':512,"
             "'output_len':2,'precision':'bf16','engine':'pytorch-eager-stream'}}",
             batch);
    w->job.engine.host_launch_s = 0;
}

/* A step whose launches take 20 s takes 20 s; its gap between kernels and its sampling follow. */
static void a_pass_takes_the_longer_side(void **state)
{
    struct world *w = *state;
    read_serving(w, 8);
    const struct orr_infer_result quiet = infer(w, &w->job);
    w->job.engine.host_launch_s = 20.0 / PASS_LAUNCHES;
    w->job.engine.sampling_s = 0.5;
    w->job.engine.kernel_gap_s = w->job.engine.short_prefill_gap_s = 1e-3;
    const struct orr_infer_result slow = infer(w, &w->job);
    assert_close(slow.decode_s, 20 + PASS_LAUNCHES * 1e-3 + 0.5, 1e-12);
    assert_close(slow.prefill_s, 20 + PASS_LAUNCHES * 1e-3, 1e-12);
    w->job.system.host_speed = 4;
    assert_close(infer(w, &w->job).decode_s, 5 + PASS_LAUNCHES * 1e-3 + 0.125, 1e-12);
    w->job.system.host_speed = 1;
    w->job.engine.kernel_gap_s = w->job.engine.short_prefill_gap_s = w->job.engine.sampling_s = 0;
    w->job.engine.host_launch_s = 0.9 * quiet.decode_s / PASS_LAUNCHES;
    assert_true(infer(w, &w->job).decode_s == quiet.decode_s);
}

/* Eq. 380: kernels of 512 rows wait 1 ms each, those of 1,024 rows or 1,536 not at all: by as much as they take longer
 * the waits are shorter, and the pass takes what one prompt of 512 rows takes. Waits of 1 us, 1.7 ms in all, are less
 * than the kernels grow: 8e9 parameters need 8.2e12 FLOP more, over 8 ms at the 989e12 per second of the chip. */
static void shorter_waits_make_no_prompt_faster(void **state)
{
    struct world *w = *state;
    read_serving(w, 1);
    w->job.engine.kernel_gap_s = w->job.engine.sampling_s = 0;
    w->job.engine.short_prefill_gap_s = 1e-3;
    const struct orr_infer_result one = infer(w, &w->job);
    assert_close(one.time_s[ORR_INFER_OVERHEAD], PASS_LAUNCHES * 1e-3, 1e-12);
    for (int64_t batch = 2; batch <= 3; batch++) {
        w->job.serving.batch = batch;
        const struct orr_infer_result more = infer(w, &w->job);
        assert_close(more.prefill_s, one.prefill_s, 1e-12);
        assert_true(more.time_s[ORR_INFER_OVERHEAD] < one.time_s[ORR_INFER_OVERHEAD] - 8e-3);
    }
    w->job.engine.short_prefill_gap_s = 1e-6;
    const struct orr_infer_result large = infer(w, &w->job);
    assert_true(large.time_s[ORR_INFER_OVERHEAD] == 0);
    w->job.engine.short_prefill_gap_s = 0;
    assert_true(infer(w, &w->job).prefill_s == large.prefill_s);
}

/* Graphs take the launches out of decode passes up to their size, and out of no prompt. */
static void graphs_need_no_launches(void **state)
{
    struct world *w = *state;
    read_serving(w, 8);
    const struct orr_infer_result quiet = infer(w, &w->job);
    w->job.engine.host_launch_s = 20.0 / PASS_LAUNCHES;
    w->job.engine.graph_sequences = 8;
    const struct orr_infer_result graph = infer(w, &w->job);
    assert_true(graph.decode_s == quiet.decode_s);
    assert_close(graph.prefill_s, 20, 1e-12);
    w->job.engine.graph_sequences = 7;
    assert_close(infer(w, &w->job).decode_s, 20, 1e-12);
}

/* Eq. 349: 32 layers of 0.5 s need 16 s beside 4 s of launches, and two reductions in each of them 64 calls of 0.125 s;
 * experts add 32 times 0.25 s where the engine has Triton kernels for them, and nothing elsewhere. */
static void layers_of_a_pass_have_host_time(void **state)
{
    struct world *w = *state;
    read_serving(w, 8);
    w->job.engine.host_launch_s = 4.0 / PASS_LAUNCHES;
    w->job.engine.host_layer_s = 0.5;
    w->job.engine.host_experts_s = 0.25;
    assert_close(infer(w, &w->job).decode_s, 20, 1e-12);
    assert_close(infer(w, &w->job).prefill_s, 20, 1e-12);
    w->job.engine.graph_sequences = 8;
    assert_true(infer(w, &w->job).decode_s < 1);
    w->job.engine.graph_context = 512; /* Eq. 368: the second token has 512 before it and itself */
    assert_close(infer(w, &w->job).decode_s, 20, 1e-12);
    w->job.engine.graph_context = 513;
    assert_true(infer(w, &w->job).decode_s < 1);
    w->job.engine.graph_prompts = true; /* Eq. 350: 8 prompts of 512 tokens are 4,096 rows */
    w->job.engine.graph_piece_s = 0.25;
    w->job.engine.graph_sequences = 4095;
    assert_close(infer(w, &w->job).prefill_s, 20, 1e-12);
    w->job.engine.graph_sequences = 4096;
    assert_close(infer(w, &w->job).prefill_s, LAYERS * 0.25, 0.05);
    assert_true(infer(w, &w->job).decode_s < 1);
    w->job.engine.graph_prompt_tokens = 4095; /* ... where prompts have a limit of their own */
    assert_close(infer(w, &w->job).prefill_s, 20, 1e-12);
    w->job.engine.graph_sequences = 8;
    w->job.engine.graph_prompt_tokens = 4096;
    assert_close(infer(w, &w->job).prefill_s, LAYERS * 0.25, 0.05);
    w->job.engine.graph_latent_tokens = 64; /* no layer has latent attention */
    (void)snprintf(w->job.engine.graph_prompts_not, sizeof w->job.engine.graph_prompts_not, "pp drafts latent tower");
    assert_close(infer(w, &w->job).prefill_s, LAYERS * 0.25, 0.05);
    (void)snprintf(w->job.engine.graph_prompts_not, sizeof w->job.engine.graph_prompts_not, "pp %s", w->job.model.type);
    assert_close(infer(w, &w->job).prefill_s, 20, 1e-12);
    for (int triton = 0; triton < 2; triton++) {
        read_job(w, "{'kind':'infer','model':'mixtral-8x7b','system':'h200-sxm','plan':{'tp':2},'workload':{"
                    "'batch':1,'input_len':1024,'output_len':2,'precision':'bf16','engine':'vllm-0.11'}}");
        w->job.engine.host_launch_s = 0;
        w->job.engine.host_layer_s = 0.5;
        w->job.engine.host_experts_s = 0.25;
        w->job.engine.host_collective_s = 0.125;
        w->job.engine.triton_experts = triton > 0;
        assert_close(infer(w, &w->job).prefill_s, 16 + 8 + (triton ? 8 : 0), 0.01);
    }
}

/* A scheduler that runs ahead takes max(step, host) where a plain one takes their sum (Eq. 129). */
static void scheduling_ahead_takes_the_longer(void **state)
{
    struct world *w = *state;
    read_serving(w, 8);
    const struct orr_infer_result quiet = infer(w, &w->job);
    const double step_s = quiet.decode_s;
    w->job.engine.sampling_s = 0.5 * step_s;
    w->job.engine.sampling_s_per_sequence = 0.0625 * step_s; /* 8 of them: as long as half the step */
    assert_close(infer(w, &w->job).decode_s, 2 * step_s, 1e-12);
    w->job.engine.async_scheduling = true;
    assert_close(infer(w, &w->job).decode_s, step_s, 1e-12);
    w->job.system.host_speed = 0.25;
    assert_close(infer(w, &w->job).decode_s, 4 * step_s, 1e-12);
    const struct orr_infer_result slow = infer(w, &w->job); /* the first token waits likewise */
    assert_close(slow.ttft_s - quiet.ttft_s, fmax(0, 4 * step_s - quiet.prefill_s), 1e-9);
}

/* The thread that schedules ahead also launches: without graphs a step takes as long as it is busy with both. Launches
 * of half a step and scheduling of three quarters make five quarters, while each alone would hide. */
static void scheduling_ahead_and_launches_take_turns(void **state)
{
    struct world *w = *state;
    read_serving(w, 8);
    w->job.engine.graph_sequences = 0;
    const double step_s = infer(w, &w->job).decode_s;
    w->job.engine.host_layer_s = 0.5 * step_s / (double)w->job.model.n_layers;
    assert_close(infer(w, &w->job).decode_s, step_s, 1e-12);
    w->job.engine.sampling_s = 0.75 * step_s;
    w->job.engine.async_scheduling = true;
    assert_close(infer(w, &w->job).decode_s, 1.25 * step_s, 1e-9);
    w->job.engine.graph_sequences = 8;
    assert_close(infer(w, &w->job).decode_s, step_s, 1e-12);
    w->job.engine.async_scheduling = false;
    w->job.engine.graph_sequences = 0;
    assert_close(infer(w, &w->job).decode_s, 1.75 * step_s, 1e-12);
}

/* The step model of simulators has the same host: with graphs, without, ahead and behind. */
static void steps_have_the_same_host(void **state)
{
    struct world *w = *state;
    const struct {
        double launch_s, sampling_s;
        int64_t graph;
        bool ahead;
    } CASES[] = {{20e-6, 0, 0, false}, {20e-6, 1e-3, 8, true}, {20e-6, 80e-3, 8, true}, {20e-6, 1e-3, 4, false}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_serving(w, 8);
        w->job.engine.host_launch_s = CASES[i].launch_s;
        w->job.engine.sampling_s = CASES[i].sampling_s;
        w->job.engine.graph_sequences = CASES[i].graph;
        w->job.engine.async_scheduling = CASES[i].ahead;
        w->job.engine.short_run = true;
        struct orr_step_model *model = orr_step_model_new(&w->job);
        assert_non_null(model);
        const struct orr_step step = {.decode_sequences = 8, .decode_context = (int64_t)8 * 513};
        assert_close(orr_step_time(model, &step), infer(w, &w->job).decode_s, 1e-9);
        orr_step_model_free(model);
    }
}

/* The rows of a request: scheduling, sampling and launches are the host's. */
static void serving_rows_name_the_host(void **state)
{
    struct world *w = *state;
    static struct orr_answer answer;
    read_serving(w, 8);
    w->job.serving.output_len = 101;
    w->job.engine.host_launch_s = 20e-6;
    w->job.engine.sampling_s = 2e-3;
    orr_predict(&w->job, w->scratch, &answer);
    double sampled_s = 0, launched_s = 0, overhead_s = 0;
    for (size_t i = 0; i < answer.n_rows; i++) {
        const struct orr_time_row *row = &answer.rows[i];
        if (row->part == ORR_INFER_OVERHEAD) overhead_s += row->exposed_s;
        if (row->part != ORR_INFER_OVERHEAD || row->resource != ORR_BOUND_HOST) continue;
        if (strstr(row->name, "sampling")) sampled_s += row->exposed_s;
        if (strcmp(row->name, "host launches") == 0) launched_s += row->exposed_s;
    }
    assert_close(sampled_s, 101 * 2e-3, 1e-12);
    assert_close(launched_s, answer.prefill.host_s + answer.decode.host_s, 1e-12);
    assert_true(launched_s > 1 && overhead_s == answer.infer.time_s[ORR_INFER_OVERHEAD]);
    assert_int_equal(answer.infer.bottleneck, ORR_BOUND_HOST);
}

/* ---------------------------------------------------------------- reports */

static double without_host_s(struct world *w)
{
    struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS];
    const size_t n = orr_train_what_if(&w->job, w->scratch, what_ifs);
    for (size_t i = 0; i < n; i++)
        if (strcmp(what_ifs[i].text, "graphs or compiled layers (no host time)") == 0) return what_ifs[i].step_time_s;
    return -1;
}

/* A job that waits is also predicted without host time; one that waits for less than a hundredth is not. */
static void what_if_there_were_no_host(void **state)
{
    struct world *w = *state;
    read_one_gpu(w);
    const double step_s = answer_of(w)->train.step_time_s;
    w->job.engine.host_step_s = 0.02 * step_s;
    assert_close(without_host_s(w), step_s, 1e-12);
    w->job.engine.host_step_s = 0.009 * step_s;
    assert_true(without_host_s(w) == -1);
}

static void assert_explained(struct world *w, const char *const *words, size_t n)
{
    char *text = report_on(&w->job, ORR_FORMAT_EXPLAIN, &(struct orr_style){.width = 200});
    for (size_t i = 0; i < n; i++)
        if (!strstr(text, words[i])) fail_msg("not explained: %s", words[i]);
    free(text);
}

/* The explanation has launches, host seconds of both passes and every host fact that acts. */
static void explanations_have_the_host(void **state)
{
    struct world *w = *state;
    read_node(w);
    w->job.system.host_speed = 0.5;
    const char *const TRAIN[] = {"the host needs 129 ms for a forward",
                                 "host_backward_launch_s",
                                 "host_collective_s",
                                 "host_layer_s",
                                 "host_speed",
                                 "bound_share.host"};
    assert_explained(w, TRAIN, COUNT(TRAIN)); /* (907 · 14 us + 133 · 27 us + 32 · 1.5 ms) / 0.5 = 128.6 ms */
    read_serving(w, 8);
    w->job.engine.async_scheduling = true;
    w->job.engine.graph_sequences = 256;
    const char *const SERVE[] = {"async_scheduling", "graph_sequences", "decode_bound_frac.host"};
    assert_explained(w, SERVE, COUNT(SERVE));
    read_one_gpu(w);
    char *text = report_on(&w->job, ORR_FORMAT_EXPLAIN, NULL);
    assert_null(strstr(text, "the host needs"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longer_side_counts_in_every_phase),
        cmocka_unit_test(micro_batches_and_steps_have_time_of_their_own),
        cmocka_unit_test(the_optimizer_waits_for_its_launches),
        cmocka_unit_test(launches_and_calls_are_counted),
        cmocka_unit_test(recomputation_launches_again),
        cmocka_unit_test(pipelines_across_nodes_pay_for_ranks),
        cmocka_unit_test(sharded_layers_cost_more_with_zero_3),
        cmocka_unit_test(distributed_tensors_cost_more_with_tensor_parallelism),
        cmocka_unit_test(graphs_of_layers_are_launched_once),
        cmocka_unit_test(one_thread_serves_all_gpus),
        cmocka_unit_test(the_speed_of_the_host_divides_everything),
        cmocka_unit_test(the_ledger_has_every_second_of_the_host),
        cmocka_unit_test(all_wait_for_the_slowest_gpu),
        cmocka_unit_test(a_pass_takes_the_longer_side),
        cmocka_unit_test(shorter_waits_make_no_prompt_faster),
        cmocka_unit_test(graphs_need_no_launches),
        cmocka_unit_test(layers_of_a_pass_have_host_time),
        cmocka_unit_test(scheduling_ahead_takes_the_longer),
        cmocka_unit_test(scheduling_ahead_and_launches_take_turns),
        cmocka_unit_test(steps_have_the_same_host),
        cmocka_unit_test(serving_rows_name_the_host),
        cmocka_unit_test(what_if_there_were_no_host),
        cmocka_unit_test(explanations_have_the_host),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
