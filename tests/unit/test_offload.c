/* States and activations kept by the host (Eqs. 144-146), weights that stay gathered, and the format in which
 * gradients are added up. Rates of the systems: h100-sxm 50 GB/s between GPU and host, 307 GB/s of optimizer
 * traffic and 50 GB/s of drives per node of 8; v100-32g-sxm a host of 1.5 TB. */
#include "support.h"

#include "memory/memory.h"

#define LINK_BYTES_PER_S      50e9
#define OPTIMIZER_BYTES_PER_S 307e9

static void ask(struct world *w, int gpus, const char *plan, const char *workload)
{
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{%s},'workload':{'seq':2048,"
             "'global_batch':16,'engine':'megatron-core-2024'%s}}",
             gpus, plan, workload);
    train(w);
}

/* Parameters of a rank, with the rows that pad the vocabulary. */
static double params_of(struct world *w)
{
    static struct orr_stage stages[ORR_MAX_STAGES];
    orr_stages_build(&w->job, stages);
    return stages[0].dense_params;
}

/* One GPU. The host reads 4 bytes of gradient and reads and writes 12 of state, and writes 2 of weight: 30 bytes
 * per parameter at 307 GB/s, longer than 2 bytes at 50 GB/s. The GPU keeps the weights; the host 16 bytes per
 * parameter. */
static void the_host_runs_the_optimizer(void **state)
{
    struct world *w = *state;
    ask(w, 1, "'zero':2,'offload':'optimizer=cpu'", "");
    const double params = params_of(w), layer = orr_rank_dense_params(&w->job, &w->job.model.kinds[0]);
    const struct orr_memory *memory = &w->result.memory;
    assert_close(w->result.time_s[ORR_TIME_OPTIMIZER], params * 30 / OPTIMIZER_BYTES_PER_S, 1e-9);
    assert_close(memory->part_bytes[ORR_MEMORY_WEIGHTS], 2 * params, 1e-12);
    assert_close(memory->part_bytes[ORR_MEMORY_OPTIMIZER], 0, 0);
    assert_close(memory->part_bytes[ORR_MEMORY_GRADIENTS], 0, 0);
    assert_close(memory->part_bytes[ORR_MEMORY_WORKSPACE], w->job.engine.workspace_bytes + 4 * layer, 1e-12);
    assert_close(memory->host_bytes, 16 * params, 1e-12);
    assert_close(memory->host_capacity_bytes, 2e12, 1e-12);
    /* 16 micro-batches send 2 bytes of every layer's gradients */
    const struct orr_op *sent = find_op(w, 0, "offload.gradients");
    assert_non_null(sent);
    assert_close(sent->payload_bytes, 2 * layer, 1e-12);
}

/* Eight GPUs shard the states by eight and share the host by eight, so that the optimizer takes as long; gradients
 * that stay on the GPU travel once, 4 bytes per parameter of the shard. */
static void gpus_share_their_host(void **state)
{
    struct world *w = *state;
    ask(w, 8, "'zero':2,'offload':{'optimizer':'cpu'}", "");
    const double params = params_of(w);
    assert_close(w->result.time_s[ORR_TIME_OPTIMIZER], params * 30 / OPTIMIZER_BYTES_PER_S, 1e-9);
    assert_close(w->result.memory.host_bytes, 2 * params, 1e-12);
    assert_close(w->result.memory.host_capacity_bytes, 2e12 / 8, 1e-12);
    ask(w, 8, "'zero':2,'offload':'optimizer=cpu,gradients=none'", "");
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS], 4 * params / 8, 1e-12);
    assert_close(w->result.memory.host_bytes, 12 * params / 8, 1e-12);
    assert_null(find_op(w, 0, "offload.gradients"));
    ask(w, 8, "'zero':2,'offload':'optimizer=nvme,gradients=none'", ""); /* 24 bytes per parameter at 50 GB/s */
    assert_close(w->result.time_s[ORR_TIME_OPTIMIZER], params * 24 / 50e9, 1e-9);
    assert_close(w->result.memory.nvme_bytes, 12 * params / 8, 1e-12);
}

/* Weights of a layer come from the host in both passes, 2 bytes per parameter over the ranks that shard; two layers
 * at a time are on the GPU. From drives they come at the rate of 50 GB/s that eight GPUs share. */
static void weights_are_fetched_by_layers(void **state)
{
    struct world *w = *state;
    ask(w, 8, "'zero':3,'offload':'parameters=cpu'", "");
    const double layer = orr_rank_dense_params(&w->job, &w->job.model.kinds[0]);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    int found = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].layer_kind != 0 || ops[i].group != ORR_GROUP_HOST) continue;
        assert_close(costs[i].total_s, 2 * layer / 8 / LINK_BYTES_PER_S, 1e-12);
        found++;
    }
    assert_int_equal(found, 2);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 0, 0);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WORKSPACE], w->job.engine.workspace_bytes + 4 * layer, 1e-12);
    ask(w, 8, "'zero':3,'offload':'parameters=nvme'", "");
    const struct orr_op *op = find_op(w, 0, "offload.weights");
    assert_true(op && op->from_drives);
    struct orr_cost cost;
    orr_cost_collective(&w->job, op, &cost);
    assert_close(cost.total_s, 2 * layer / 8 / (50e9 / 8), 1e-12);
}

/* Saved inputs: 2 T h = 16 MiB of each of 32 layers leave; two of them stay as buffers. */
static void inputs_of_layers_leave(void **state)
{
    struct world *w = *state;
    ask(w, 8, "'zero':2", ",'recompute':'full'");
    const double kept = w->result.memory.instants[0].bytes, input = 2.0 * 2048 * 4096;
    ask(w, 8, "'zero':2,'offload':'activations=cpu'", ",'recompute':'full'");
    assert_close(kept - w->result.memory.instants[0].bytes, 30 * input, 1e-9);
    assert_close(w->result.memory.host_bytes, 32 * input, 1e-12);
    const struct orr_op *op = find_op(w, 0, "offload.inputs.backward");
    assert_true(op && op->payload_bytes == input);
}

/* ZeRO-Offload (Ren et al. 2021): 13 billion parameters (65 layers of 4096) train on one V100 of 32 GB, where 16 bytes
 * per parameter alone are 210 GB; 20 billion do not: their 16-bit weights are 40 GB. */
static void zero_offload_fits_13_billion(void **state)
{
    struct world *w = *state;
    const struct {
        int layers;
        const char *offload;
        bool fits;
    } cases[] = {{65, "none", false}, {65, "optimizer=cpu", true}, {98, "optimizer=cpu", false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(
            w,
            "{'kind':'train','model':{'model_type':'gpt2','n_layer':%d,'n_embd':4096,'n_head':32,'vocab_size':50257,"
            "'n_positions':1024},'system':'v100-32g-sxm','plan':{'zero':2,'offload':'%s'},'workload':{'seq':1024,"
            "'micro_batch':1,'global_batch':1,'recompute':'full','engine':'deepspeed-zero3-2021'}}",
            cases[i].layers, cases[i].offload);
        train(w);
        assert_int_equal(w->result.fits, cases[i].fits);
    }
}

/* GPT-3 on one DGX-2: 16 bytes of 175 billion parameters are 2.8 TB, more than its 1.5 TB of memory; with the
 * states on drives of 30 TB only 4 bytes of gradients are left for the memory, 0.7 TB (ZeRO-Infinity, Rajbhandari
 * et al. 2021). */
static void the_host_must_have_room(void **state)
{
    struct world *w = *state;
    const char *const offloads[] = {"optimizer=cpu,parameters=cpu", "optimizer=nvme,parameters=nvme"};
    for (int i = 0; i < 2; i++) {
        read_job(
            w,
            "{'kind':'train','model':'gpt3-175b','system':'v100-32g-sxm','gpus':16,'plan':{'zero':3,'offload':'%s'},"
            "'workload':{'seq':1024,'global_batch':16,'recompute':'full','engine':'deepspeed-zero3-2021'}}",
            offloads[i]);
        train(w);
        assert_true(w->result.memory.most_bytes <= w->result.memory.usable_bytes);
        assert_int_equal(w->result.fits, i == 1);
        orr_train_advice(&w->job, w->scratch, &w->result);
        assert_int_equal(strstr(w->result.reason, "host memory") != NULL, i == 0);
    }
}

static void wrong_offloads_are_refused(void **state)
{
    struct world *w = *state;
    const struct {
        const char *system, *offload, *text;
    } cases[] = {
        {"h100-sxm", "'optimiser=cpu'",
         "request:1: plan.offload: \"optimiser\" cannot be offloaded, only optimizer, "
         "gradients, parameters, activations (did you mean \"optimizer\"?)"},
        {"h100-sxm", "'optimizer'",
         "request:1: plan.offload: \"optimizer\" is no pair like optimizer=cpu (what: "
         "optimizer, gradients, parameters, activations; where: none, cpu, nvme)"},
        {"h100-sxm", "{'optimizer':'disk'}",
         "request:1: plan.offload: optimizer must be none, cpu or nvme, not "
         "\"disk\""},
        {"h100-sxm", "'gradients=cpu'",
         "request:1: plan.offload: gradients on the host need the optimizer there: "
         "optimizer=cpu or nvme"},
        {"h100-sxm", "'activations=cpu'},'workload':{'recompute':'none'",
         "request:1: plan.offload: activations are saved inputs of layers: needs "
         "recompute \"full\", not \"none\""},
        {"mi300x", "'optimizer=cpu'",
         "request:1: plan.offload: optimizer=cpu, but system mi300x does not state "
         "host_link_bytes_per_s (--set system.host_link_bytes_per_s=...)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char request[1024];
        struct orr_error error;
        (void)snprintf(request, sizeof request,
                       "{'kind':'train','model':'llama2-7b','system':'%s','plan':{'zero':1,'offload':%s}}",
                       cases[i].system, cases[i].offload);
        assert_true(try_job(w, request, &error) != ORR_OK);
        assert_string_equal(error.text, cases[i].text);
    }
}

/* Gathered weights that stay are gathered once a micro-batch, or once a step in a pipeline, and are all in memory. */
static void weights_may_stay_gathered(void **state)
{
    struct world *w = *state;
    ask(w, 8, "'zero':3", "");
    assert_non_null(find_op(w, 0, "zero.gather.backward"));
    ask(w, 8, "'zero':3,'reshard_after_forward':false", "");
    assert_null(find_op(w, 0, "zero.gather.backward"));
    assert_close(find_op(w, 0, "zero.gather")->count, 1, 0);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WORKSPACE], w->job.engine.workspace_bytes + 2 * params_of(w),
                 1e-12);
    ask(w, 8, "'zero':3,'pp':2,'reshard_after_forward':false", ""); /* 4 micro-batches */
    assert_close(find_op(w, 0, "zero.gather")->count, 0.25, 0);
}

static void shard(struct world *w, const char *engine, const char *plan, int sequences)
{
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'zero':3%s},'workload':{'seq':"
             "2048,'micro_batch':1,'global_batch':%d,'engine':'%s','precision':'bf16'}}",
             plan, sequences, engine);
    train(w);
}

/* Eqs. 370, 371. Two stages on four ranks each: 4 micro-batches. Gradients are reduced in fp32: 4 bytes per parameter
 * of the stage beside the 4 of its shard. Weights stay gathered in 2 bytes, and all gradients are scattered once,
 * beside nothing. A request that has weights freed changes the weights alone. */
static void pipelines_of_fsdp_keep_whole_gradients(void **state)
{
    struct world *w = *state;
    shard(w, "torchtitan-2025-eager", ",'pp':2", 16);
    const double params = params_of(w);
    const struct orr_memory *memory = &w->result.memory;
    assert_close(memory->part_bytes[ORR_MEMORY_GRADIENTS], 4 * params + 4 * params / 4, 1e-12);
    assert_close(memory->part_bytes[ORR_MEMORY_WORKSPACE], w->job.engine.workspace_bytes + 2 * params, 1e-12);
    assert_null(find_op(w, 0, "zero.scatter"));
    assert_close(find_op(w, 0, "zero.gather")->count, 0.25, 0);
    assert_null(find_op(w, 0, "zero.gather.backward"));
    const struct orr_op *scatter = find_op(w, ORR_LAYER_STEP, "dp.scatter");
    assert_close(scatter->count * scatter->payload_bytes, 4 * params, 1e-5); /* the last stage has one norm more */
    assert_null(find_op(w, ORR_LAYER_STEP, "dp.gather"));
    const double exposed_s = w->result.time_s[ORR_TIME_DP_EXPOSED];
    assert_true(exposed_s > 4 * params * 3 / 4 / 450e9); /* no link of a node carries more */
    shard(w, "torchtitan-2025-eager", ",'pp':2,'reshard_after_forward':true", 16);
    assert_close(memory->part_bytes[ORR_MEMORY_GRADIENTS], 5 * params, 1e-12);
    assert_close(find_op(w, 0, "zero.gather")->count, 1, 0);
    assert_non_null(find_op(w, 0, "zero.gather.backward"));
    shard(w, "torchtitan-2025-eager", "", 16);
    assert_close(memory->part_bytes[ORR_MEMORY_GRADIENTS], 4 * params_of(w) / 8, 1e-12);
    assert_non_null(find_op(w, 0, "zero.scatter"));
}

/* The Trainer of transformers adds up whole gradients where a step has several micro-batches, which FSDP then reduces
 * in 2 bytes beside the last of them; one micro-batch is scattered layer by layer, and after its backward pass in a
 * pipeline, where stages would wait for each other's scatters. */
static void accumulation_under_no_sync_keeps_whole_gradients(void **state)
{
    struct world *w = *state;
    shard(w, "accelerate-0.31-fsdp", "", 8);
    const double one = w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS];
    assert_non_null(find_op(w, 0, "zero.scatter"));
    shard(w, "accelerate-0.31-fsdp", ",'pp':2", 4);
    assert_null(find_op(w, 0, "zero.scatter"));
    shard(w, "accelerate-0.31-fsdp", "", 16);
    const double reduced = (double)w->job.engine.reduce_bytes;
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS] - one, reduced * params_of(w), 1e-9);
    assert_null(find_op(w, 0, "zero.scatter"));
    assert_close(find_op(w, 0, "zero.gather")->count, 1, 0);
    w->job.engine.whole_gradients = ORR_WHOLE_NEVER;
    train(w);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS], one, 1e-12);
}

/* Gradients of 2 bytes instead of 4: half the memory, half the bytes on the wire. The optimizer moves 4 + 2·12
 * bytes and casts around it, or 2 + 2·12 + 2 in one kernel. */
static void gradients_have_a_format(void **state)
{
    struct world *w = *state;
    const char *const formats[] = {"", ",'gradient_precision':'fp32'", ",'gradient_precision':'bf16'"};
    double memory[3], wire[3];
    for (int i = 0; i < 3; i++) {
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'plan':{'zero':0},'workload':{"
                 "'global_batch':16,'engine':'megatron-core-2024'%s},'set':{'engine.reduce_bytes':4}}",
                 formats[i]);
        train(w);
        memory[i] = w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS] / params_of(w);
        assert_close(find_op(w, ORR_LAYER_STEP, "optimizer.adam")->bytes / params_of(w), 28, 1e-12);
        assert_int_equal(find_op(w, ORR_LAYER_STEP, "optimizer.cast_gradients") != NULL, i < 2);
        const struct orr_op *reduce = find_op(w, ORR_LAYER_STEP, "dp.reduce");
        wire[i] = reduce->count * reduce->payload_bytes / params_of(w); /* all buckets */
    }
    assert_close(memory[0], 4, 1e-12);
    assert_close(memory[1], 4, 1e-12);
    assert_close(memory[2], 2, 1e-12);
    assert_close(wire[1], 4, 1e-12);
    assert_close(wire[2], 2, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_runs_the_optimizer),
        cmocka_unit_test(gpus_share_their_host),
        cmocka_unit_test(weights_are_fetched_by_layers),
        cmocka_unit_test(inputs_of_layers_leave),
        cmocka_unit_test(zero_offload_fits_13_billion),
        cmocka_unit_test(the_host_must_have_room),
        cmocka_unit_test(wrong_offloads_are_refused),
        cmocka_unit_test(weights_may_stay_gathered),
        cmocka_unit_test(pipelines_of_fsdp_keep_whole_gradients),
        cmocka_unit_test(accumulation_under_no_sync_keeps_whole_gradients),
        cmocka_unit_test(gradients_have_a_format),
    };
    return cmocka_run_group_tests_name("offload", tests, open_world, close_world);
}
