/* Energy by hand: with only one kind of work taking energy, what a GPU draws beyond idling, times the step, is that
 * work. FLOP, bytes on links and bytes of DRAM are worked out here from the model's dimensions alone. */
#include "serving.h"

#define J_PER_UNIT 1e-15 /* small enough that no board limit is reached */

/* Energy of one unit of one kind of work; the others take none. */
static void only_flops(struct orr_chip *chip)
{
    chip->flop_j = J_PER_UNIT;
    chip->hbm_j_per_byte = chip->link_j_per_byte = 0;
}

static void only_links(struct orr_chip *chip)
{
    chip->link_j_per_byte = J_PER_UNIT;
    chip->flop_j = chip->hbm_j_per_byte = 0;
}

static void only_dram(struct orr_chip *chip)
{
    chip->hbm_j_per_byte = J_PER_UNIT;
    chip->flop_j = chip->link_j_per_byte = 0;
}

/* Units of work of one GPU, from the energy of all of them. */
static double units(const struct orr_job *job, double energy_j, double time_s)
{
    const double gpu_j = energy_j / job->system.pue_frac / (double)job->plan.gpus;
    return (gpu_j - job->system.chip.idle_w * time_s) / J_PER_UNIT;
}

static double trained_units(struct world *w, void (*only)(struct orr_chip *))
{
    only(&w->job.system.chip);
    train(w);
    assert_true(w->result.power_w_per_gpu < w->job.system.chip.tdp_w);
    return units(&w->job, w->result.energy_j, w->result.step_time_s);
}

static double served_units(struct world *w, void (*only)(struct orr_chip *))
{
    only(&w->job.system.chip);
    const struct orr_infer_result r = infer(w, &w->job);
    assert_true(r.power_w_per_gpu < w->job.system.chip.tdp_w);
    return units(&w->job, r.energy_j, r.latency_s);
}

/* ---------------------------------------------------------------- training */

/* gpt-22b: h 6144, 48 layers, vocabulary 51200. One micro-batch of 4 sequences of 2048 through a rank of tp 8: forward
 * is 24 T h^2 + 4 b s^2 h a layer and 2 T h V for the head; backward is twice that. */
static double gpt_22b_flops(double layers, double micro_batches)
{
    const double h = 6144, s = 2048, b = 4, tokens = b * s, vocab = 51200;
    return micro_batches * 3 / 8 * (layers * (24 * tokens * h * h + 4 * b * s * s * h) + 2 * tokens * h * vocab);
}

static void read_gpt_22b(struct world *w, int pp, int global_batch)
{
    read_job(w,
             "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8,'pp':%d},'workload':{'engine':"
             "'megatron-lm-2022','micro_batch':4,'global_batch':%d,'attention':'unfused','recompute':'none'}}",
             pp, global_batch);
}

/* The last stage is the slowest: it has the head, whatever pp is. */
static void the_head_is_work_of_the_last_stage(void **state)
{
    struct world *w = *state;
    for (int pp = 1; pp <= 4; pp *= 2) {
        read_gpt_22b(w, pp, 32);
        const double flops = trained_units(w, only_flops), expected = gpt_22b_flops(48.0 / pp, 8);
        assert_close(flops, expected, 1e-6);
        assert_close(w->result.executed_flops, expected * (double)w->job.plan.gpus, 1e-9);
    }
}

/* fp8 products take half the energy of a FLOP; attention, router and head stay in 16 bits. */
static void narrow_products_take_less(void **state)
{
    struct world *w = *state;
    double flops[2];
    for (int narrow = 0; narrow < 2; narrow++) {
        read_job(
            w,
            "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'tp':8},'workload':{'engine':"
            "'megatron-core-2025','global_batch':1,'seq':2048,'recompute':'none','precision':'%s'}}",
            narrow ? "fp8" : "bf16");
        flops[narrow] = trained_units(w, only_flops);
    }
    /* linear layers of llama2-7b: 32 layers of 4 h^2 + 3 h f, h 4096, f 11008; three products of 2048 tokens */
    const double linear = 6 * 2048.0 * 32 * (4.0 * 4096 * 4096 + 3.0 * 4096 * 11008) / 8;
    assert_close(flops[0] - flops[1], linear / 2, 1e-6);
}

/* dp 2: the gradients of 6,738,415,616 parameters, two bytes each, once round a ring of two: 2 (n - 1) / n = 1. */
static void gradients_take_link_energy(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','gpus':2,'plan':{'zero':0},'workload':{"
                "'engine':'megatron-lm-2022','global_batch':4}}");
    assert_int_equal(w->job.engine.reduce_bytes, 2);
    assert_close(trained_units(w, only_links), 2 * 6738415616.0, 1e-6);
}

/* tp 2, no sequence parallelism: an all-reduce of b s h 16-bit elements after attention and after the feed-forward
 * network, as many before them in backward, one behind the embedding, one before the head in backward; three of an fp32
 * number per token in the loss. A ring of two sends the payload once. */
static void tensor_parallel_takes_link_energy(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','gpus':2,'plan':{'tp':2,'sp':false},"
                "'workload':{'engine':'megatron-lm-2022','seq':2048,'micro_batch':1,'global_batch':3,'recompute':"
                "'none'}}");
    const double tokens = 2048, hidden = tokens * 4096 * 2;
    assert_close(trained_units(w, only_links), 3 * ((32 * 4 + 2) * hidden + 3 * 4 * tokens), 1e-6);
}

/* At least the optimizer's traffic: norm 4, casts 6 + 6, Adam 4 + 24 bytes of every parameter. */
static void dram_takes_energy(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','gpus':1,'plan':{'zero':0},'workload':{"
                "'engine':'megatron-lm-2022','global_batch':1,'seq':64}}");
    const double bytes = trained_units(w, only_dram);
    assert_true(bytes > 44 * 6738415616.0);
    assert_at_most(bytes, 2 * 44 * 6738415616.0); /* products of 64 tokens read the weights three times */
}

/* ---------------------------------------------------------------- serving */

static void read_llama3(struct world *w, int tp)
{
    read_job(w,
             "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{'tp':%d},'workload':{'engine':'vllm',"
             "'batch':4,'input_len':100,'output_len':11}}",
             tp);
}

/* Two all-reduces a layer of 4 * 100 prompt rows, then ten times of 4; the logits of 4 sequences gathered eleven times,
 * half of them sent. */
static void serving_takes_link_energy(void **state)
{
    struct world *w = *state;
    read_llama3(w, 2);
    const double reduced = 2 * 32 * (400 + 10 * 4) * 4096.0 * 2, gathered = 11 * 4 * 128256.0 * 2 / 2;
    assert_close(served_units(w, only_links), reduced + gathered, 1e-6);
}

/* llama3-8b: a layer has h (32 + 16) 128 + h^2 + 3 h 14336 weights, the head h 128256; causal attention of a prompt
 * multiplies half of 100^2 pairs, 2 * 2 * 128 FLOP each and head; then contexts 101 ... 110. */
static void serving_takes_the_flops_of_its_tokens(void **state)
{
    struct world *w = *state;
    read_llama3(w, 1);
    const double h = 4096, layer = h * 48 * 128 + h * h + 3 * h * 14336, head = h * 128256;
    const double products = 2 * (32 * layer * (400 + 40) + head * 44);
    const double attention = 32 * 32 * 4 * 4 * 128.0 * (100 * 100 / 2.0 + 1055);
    assert_close(served_units(w, only_flops), products + attention, 1e-6);
}

/* Eleven passes read the weights: 32 layers and the head, two bytes each. */
static void serving_reads_its_weights(void **state)
{
    struct world *w = *state;
    read_llama3(w, 1);
    const double h = 4096, weights = 32 * (h * 48 * 128 + h * h + 3 * h * 14336) + h * 128256;
    const double bytes = served_units(w, only_dram);
    assert_true(bytes > 11 * 2 * weights);
    assert_at_most(bytes, 1.15 * 11 * 2 * weights);
}

/* Idle power is drawn by every GPU for the whole time, and the facility adds its share. */
static void idle_power_is_drawn_by_all(void **state)
{
    struct world *w = *state;
    struct orr_chip *chip = &w->job.system.chip;
    read_llama3(w, 2);
    only_links(chip);
    chip->link_j_per_byte = 0;
    const struct orr_infer_result r = infer(w, &w->job);
    assert_close(r.energy_j, 2 * chip->idle_w * r.latency_s * w->job.system.pue_frac, 1e-12);
    read_gpt_22b(w, 2, 8);
    only_links(chip);
    chip->link_j_per_byte = 0;
    train(w);
    assert_close(w->result.energy_j, 16 * chip->idle_w * w->result.step_time_s * w->job.system.pue_frac, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_is_work_of_the_last_stage),
        cmocka_unit_test(narrow_products_take_less),
        cmocka_unit_test(gradients_take_link_energy),
        cmocka_unit_test(tensor_parallel_takes_link_energy),
        cmocka_unit_test(dram_takes_energy),
        cmocka_unit_test(serving_takes_link_energy),
        cmocka_unit_test(serving_takes_the_flops_of_its_tokens),
        cmocka_unit_test(serving_reads_its_weights),
        cmocka_unit_test(idle_power_is_drawn_by_all),
    };
    return cmocka_run_group_tests_name("energy", tests, open_world, close_world);
}
