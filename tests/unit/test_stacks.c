/* What stacks that people run do otherwise: stages by cost (Eq. 131), groups that shard at ZeRO stages 1 and 2,
 * weights gathered tensor by tensor or by broadcasts (Eqs. 130, 135), buckets (Eq. 132), memory that streams hold
 * (Eq. 133) and late ranks (Eq. 134). Every number is worked out by hand. */
#include "support.h"

#include "memory/memory.h"
#include "validate/validate.h"

#define PARAMS 6738415616.0 /* llama2-7b */

static double part_of(const struct world *w, enum orr_memory_part part)
{
    return w->result.memory.part_bytes[part];
}

/* llama2-7b of `engine` with a plan, 8 micro-batches of one sequence of 2048 tokens. */
static void read_7b(struct world *w, const char *engine, const char *plan, int dp)
{
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'dp':%d%s},'workload':{'seq':2048,"
             "'micro_batch':1,'global_batch':%d,'engine':'%s','recompute':'none'}}",
             dp, plan, 8 * dp, engine);
}

/* ---------------------------------------------------------------- stages by cost */

static void read_3b(struct world *w, int pp)
{
    read_job(w,
             "{'kind':'train','model':'nanotron-3b','system':'h100-sxm-efa3200','plan':{'pp':%d},'workload':{"
             "'seq':4096,'micro_batch':1,'global_batch':64,'engine':'nanotron-2025'}}",
             pp);
}

/* A layer of nanotron-3b weighs 4 h² + 3 h f = 113,246,208, the head V h = 402,653,184 = 3.5556 layers, all of it
 * 31.5556 layers. Stages end with the layer that passes i · 31.5556 / p: 15.78 -> 16; 7.89, 15.78, 23.67 -> 8, 16,
 * 24; 3.94 i -> 4 i; 1.97 i -> 2 i. */
static void stages_have_equal_cost(void **state)
{
    struct world *w = *state;
    const struct {
        int pp, full, layers, rest; /* `full` stages of so many layers, then one of the rest, in which the head is */
    } TABLE[] = {{2, 1, 16, 12}, {4, 3, 8, 4}, {8, 7, 4, 0}, {16, 14, 2, 0}};
    for (size_t i = 0; i < COUNT(TABLE); i++) {
        static struct orr_stage stages[ORR_MAX_STAGES];
        read_3b(w, TABLE[i].pp);
        orr_stages_build(&w->job, stages);
        for (int s = 0; s < TABLE[i].pp; s++) {
            const int layers = s < TABLE[i].full ? TABLE[i].layers : s == TABLE[i].full ? TABLE[i].rest : 0;
            assert_true(stages[s].n_layers[0] == layers);
            assert_true(stages[s].head == (s == TABLE[i].full) && stages[s].embedding == (s == 0));
            if (s > TABLE[i].full) assert_true(stages[s].dense_params == 0); /* idle */
        }
        train(w);
        assert_true(w->result.step_time_s > 0 && isfinite(w->result.step_time_s));
    }
}

/* Lists of layers and interleaved chunks are laid out as given, and an engine without the fact divides layers
 * evenly. */
static void other_layouts_do_not_follow_cost(void **state)
{
    struct world *w = *state;
    static struct orr_stage stages[ORR_MAX_STAGES];
    read_3b(w, 4);
    w->job.engine.stages_by_cost = false;
    orr_stages_build(&w->job, stages);
    for (int i = 0; i < 4; i++) assert_true(stages[i].n_layers[0] == 7 && stages[i].head == (i == 3));
    read_job(w, "{'kind':'train','model':'nanotron-3b','system':'h100-sxm-efa3200','plan':{'pp':2,'stage_layers':"
                "[10,18]},'workload':{'seq':4096,'micro_batch':1,'global_batch':64,'engine':'nanotron-2025'}}");
    orr_stages_build(&w->job, stages);
    assert_true(stages[0].n_layers[0] == 10 && stages[1].n_layers[0] == 18 && stages[1].head);
    read_job(w, "{'kind':'train','model':'nanotron-3b','system':'h100-sxm-efa3200','plan':{'pp':2,'vpp':2},"
                "'workload':{'seq':4096,'micro_batch':1,'global_batch':64,'engine':'nanotron-2025'}}");
    orr_stages_build(&w->job, stages);
    assert_true(stages[0].n_layers[0] == 14 && stages[1].n_layers[0] == 14);
}

/* Where stages follow cost, only the cast and the loss may follow the head. The head is on stage floor(28 / x), from 0,
 * if a stage's share x of 31.5556 layers' weight is more than one layer: 26 stages of 1.2137 put it on the 24th of them
 * and leave two; 27 of 1.1687 put it on the 24th as well and leave three, of which one is idle. With 32 stages every
 * layer has one, and three follow the head's. Other engines need a layer for every stage. */
static void stages_beyond_the_layers_are_few(void **state)
{
    struct world *w = *state;
    const struct {
        int pp;
        const char *engine, *text;
    } CASES[] = {{28, "generic", NULL},
                 {29, "generic", "each stage needs a layer"},
                 {26, "nanotron-2025", NULL},
                 {27, "nanotron-2025", "27 stages of equal cost leave 1 without work"},
                 {32, "nanotron-2025", "32 stages of equal cost leave 1 without work"},
                 {64, "nanotron-2025", "64 stages of equal cost leave"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char request[512];
        struct orr_error error;
        (void)snprintf(request, sizeof request,
                       "{'kind':'train','model':'nanotron-3b','system':'h100-sxm','plan':{'pp':%d},'workload':{"
                       "'seq':4096,'micro_batch':1,'global_batch':64,'engine':'%s'}}",
                       CASES[i].pp, CASES[i].engine);
        assert_int_equal(try_job(w, request, &error), CASES[i].text ? ORR_ERR_RULE : ORR_OK);
        if (CASES[i].text) assert_non_null(strstr(error.text, CASES[i].text));
    }
}

/* nanotron asserts 7 micro-batches for 8 stages, torch.distributed.pipelining 8; others take any number. */
static void some_engines_need_filled_pipelines(void **state)
{
    struct world *w = *state;
    const struct {
        int batch;
        const char *engine;
        enum orr_err err;
    } CASES[] = {{6, "nanotron-2025", ORR_ERR_RULE},
                 {7, "nanotron-2025", ORR_OK},
                 {7, "torchtitan-2025-compiled", ORR_ERR_RULE},
                 {8, "torchtitan-2025-compiled", ORR_OK},
                 {6, "generic", ORR_OK}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char request[512];
        struct orr_error error;
        (void)snprintf(request, sizeof request,
                       "{'kind':'train','model':'nanotron-3b','system':'h100-sxm','plan':{'pp':8},'workload':{"
                       "'seq':4096,'micro_batch':1,'global_batch':%d,'engine':'%s'}}",
                       CASES[i].batch, CASES[i].engine);
        assert_int_equal(try_job(w, request, &error), CASES[i].err);
        if (CASES[i].err) assert_non_null(strstr(error.text, "runs 8 stages with at least "));
    }
}

/* ---------------------------------------------------------------- ZeRO */

/* 16 replicas of 7B, second shards on the 8 ranks of a node: backward gathers among 8 instead of 16 ranks, forward does
 * not, and the weights take 2 bytes of an eighth of the parameters more. */
static void second_shards_serve_backward(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    static struct orr_cost costs[ORR_MAX_OPS];
    double weights[2];
    for (int i = 0; i < 2; i++) {
        char request[512];
        (void)snprintf(request, sizeof request,
                       "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'dp':16,'zero':3%s},'workload':"
                       "{'seq':2048,'micro_batch':1,'global_batch':16,'engine':'pytorch-fsdp2','recompute':'none'}}",
                       i ? ",'zero_secondary':8" : "");
        read_job(w, "%s", request);
        orr_ops_layers(&w->job, &list);
        orr_cost_list(&w->job, &list, costs);
        for (size_t k = 0; k < list.n; k++) {
            const struct orr_op *op = &list.items[k];
            const bool again = strcmp(op->name, "zero.gather.backward") == 0;
            if (!again && strcmp(op->name, "zero.gather") != 0) continue;
            assert_int_equal(orr_op_ranks(&w->job.plan, op), again && i ? 8 : 16);
            assert_true(costs[k].across == !(again && i));
        }
        train(w);
        weights[i] = w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS];
    }
    assert_true(fabs(weights[1] - weights[0] - 2 * PARAMS / 8) <= 1e-6 * weights[0]);
}

/* 8 replicas in groups of 4: gradients are scattered inside a group, the shards summed between the two groups, weights
 * gathered inside. Stage 2 scatters after each of 8 micro-batches. */
static void groups_shard_at_every_stage(void **state)
{
    struct world *w = *state;
    for (int zero = 1; zero < 3; zero++) {
        char plan[64];
        (void)snprintf(plan, sizeof plan, ",'zero':%d,'zero_group':4", zero);
        read_7b(w, "pytorch-eager", plan, 8);
        w->job.engine.gradients_16bit_live = false;
        assert_int_equal(orr_group_ranks(&w->job.plan, ORR_GROUP_DP), 4);
        assert_int_equal(orr_group_ranks(&w->job.plan, ORR_GROUP_RDP), 2);
        train(w);
        const struct orr_op *scatter = need_op(w, ORR_LAYER_STEP, "dp.scatter");
        const struct orr_op *replicas = need_op(w, ORR_LAYER_STEP, "dp.replicas");
        const struct orr_op *gather = need_op(w, ORR_LAYER_STEP, "dp.gather");
        assert_true(scatter->payload_bytes == 4 * PARAMS && scatter->group == ORR_GROUP_DP);
        assert_true(scatter->count == (zero == 2 ? 8 : 1));
        assert_true(replicas->payload_bytes == PARAMS && replicas->group == ORR_GROUP_RDP); /* 4 bytes of a quarter */
        assert_true(replicas->collective == ORR_COLLECTIVE_ALLREDUCE);
        assert_true(gather->payload_bytes == 2 * PARAMS && gather->group == ORR_GROUP_DP);
        assert_close(part_of(w, ORR_MEMORY_OPTIMIZER), 12 * PARAMS / 4, 1e-12);
        assert_close(part_of(w, ORR_MEMORY_GRADIENTS), 4 * PARAMS / (zero == 2 ? 4 : 1), 1e-12);
        assert_close(part_of(w, ORR_MEMORY_WEIGHTS), 2 * PARAMS, 1e-12);
        assert_close(need_op(w, ORR_LAYER_STEP, "optimizer.adam")->bytes, PARAMS / 4 * (4 + 2 * 12), 1e-12);
    }
    struct orr_error error; /* nothing is sharded */
    assert_int_equal(try_job(w,
                             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{'dp':8,'zero':0,"
                             "'zero_group':4},'workload':{'seq':2048,'micro_batch':1,'global_batch':8}}",
                             &error),
                     ORR_ERR_RULE);
    assert_non_null(strstr(error.text, "needs zero = 1, 2 or 3"));
}

/* Nanotron's stage 1 sums whole fp32 gradients after backward and gathers 16-bit weights before the step ends: nothing
 * of either is hidden. Stage 0 hides its sum beside backward. */
static void stage_1_may_sum_and_hide_nothing(void **state)
{
    struct world *w = *state;
    read_7b(w, "nanotron-2025", ",'zero':1", 8);
    train(w);
    const struct orr_op *sum = need_op(w, ORR_LAYER_STEP, "dp.reduce");
    assert_true(sum->collective == ORR_COLLECTIVE_ALLREDUCE && sum->payload_bytes == 4 * PARAMS);
    assert_null(find_op(w, ORR_LAYER_STEP, "dp.scatter"));
    assert_true(need_op(w, ORR_LAYER_STEP, "dp.gather")->payload_bytes == 2 * PARAMS);
    const struct orr_settled *step = &w->scratch->step;
    const struct orr_step_sums *sums = &w->scratch->iteration.sums;
    assert_true(step->dp.scatter_hidden_s == 0 && step->dp.gather_hidden_s == 0);
    assert_close(step->dp.exposed_s, sums->scatter_s + sums->gather_s, 1e-12);
    w->job.engine.zero1_exposed = false;
    train(w);
    assert_true(step->dp.scatter_hidden_s > 0 && step->dp.gather_hidden_s == 0);
    read_7b(w, "nanotron-2025", ",'zero':0", 8);
    train(w);
    assert_true(step->dp.scatter_hidden_s > 0 && sums->gather_s == 0);
}

/* 32 layers of 6 tensors and 2 tables: 194 tensors, 8 ranks, 10 us each are 15.52 ms; twice the host halves them. */
static void weights_are_gathered_tensor_by_tensor(void **state)
{
    struct world *w = *state;
    read_7b(w, "nanotron-2025", ",'zero':1", 8);
    w->job.engine.zero1_tensor_s = 10e-6;
    w->job.engine.host_step_s = 0.08;
    train(w);
    assert_close(w->scratch->step.host_step_s, 0.09552, 1e-12);
    w->job.system.host_speed = 2;
    train(w);
    assert_close(w->scratch->step.host_step_s, 0.04776, 1e-12);
    read_7b(w, "nanotron-2025", ",'zero':0", 8);
    train(w);
    assert_close(w->scratch->step.host_step_s, 0.079, 1e-12);
}

/* Small kernels of the residual stream: 2048 rows of 4096 elements, 16 bytes forward and 60 backward. Two ranks divide
 * them only with sequence parallelism; kernels around attention they divide in either case. */
static void rows_of_the_residual_stream_stay_whole(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *plan;
        bool whole;
        double share;
    } CASES[] = {{",'tp':2", true, 1}, {",'tp':2", false, 0.5}, {",'tp':2,'sp':true", true, 0.5}, {"", true, 1}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_7b(w, "internevo-2023", CASES[i].plan, 4);
        w->job.engine.layout_whole_rows = CASES[i].whole;
        train(w);
        assert_close(need_op(w, 0, "attention.layout")->bytes, 134217728 * CASES[i].share, 1e-12);
        assert_close(need_op(w, 0, "attention.layout.backward")->bytes, 503316480 * CASES[i].share, 1e-12);
    }
}

/* Eqs. 336, 337: nanotron permutes q, k and v (12 bytes of each of 2048 · 4096 elements) and K and V (8), and q, k
 * and v back (12). With two samples it also copies the output of attention (4), and twice as much in backward. */
static void permuted_views_are_copied(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *plan;
        int64_t samples;
        double forward, backward;
    } CASES[] = {{"", 1, 167772160, 100663296}, {"", 2, 402653184, 335544320}, {",'tp':2", 2, 201326592, 167772160}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_7b(w, "nanotron-2025", CASES[i].plan, 4);
        w->job.workload.micro_batch = CASES[i].samples;
        train(w);
        const struct orr_op *op = need_op(w, 0, "attention.strided");
        assert_int_equal(op->pointwise, ORR_POINTWISE_STRIDED);
        assert_close(op->bytes, CASES[i].forward, 1e-12);
        assert_close(need_op(w, 0, "attention.strided.backward")->bytes, CASES[i].backward, 1e-12);
    }
    read_7b(w, "pytorch-eager", "", 4);
    train(w);
    assert_null(find_op(w, 0, "attention.strided"));
}

/* Eq. 336: of 2048 · 11008 elements SiLU and product each take 4 bytes' time, likewise in backward, where 14 bytes of
 * whole tensors follow. Two matrices of their own move 10 and 18 bytes at the rate of activations. */
static void halves_of_a_matrix_are_read_by_element(void **state)
{
    struct world *w = *state;
    read_7b(w, "nanotron-2025", "", 4);
    train(w);
    const struct orr_op *op = need_op(w, 0, "mlp.activation");
    assert_int_equal(op->pointwise, ORR_POINTWISE_STRIDED);
    assert_close(op->bytes, 180355072, 1e-12);
    assert_close(need_op(w, 0, "mlp.activation.backward")->bytes, 180355072, 1e-12);
    assert_close(need_op(w, 0, "mlp.join.backward")->bytes, 315621376, 1e-12);
    w->job.engine.split_gate = false;
    train(w);
    op = need_op(w, 0, "mlp.activation");
    assert_int_equal(op->pointwise, ORR_POINTWISE_ACTIVATION);
    assert_close(op->bytes, 225443840, 1e-12);
    assert_close(need_op(w, 0, "mlp.activation.backward")->bytes, 405798912, 1e-12);
    assert_null(find_op(w, 0, "mlp.join.backward"));
}

/* Eq. 136: a layer of Llama 2 7B has 4 h² + 3 h f + 2 h = 202,383,360 parameters. FSDP 2 copies 4 bytes of each out of
 * a gathered buffer in either direction and 6 into the buffer of the reduction; one rank alone gathers nothing. */
static void gathered_weights_are_copied(void **state)
{
    struct world *w = *state;
    static const double LAYER = 202383360;
    read_7b(w, "torchtitan-2024-eager", ",'zero':3", 8);
    train(w);
    const struct orr_op *out = need_op(w, 0, "zero.copy_out");
    assert_true(out->phase == ORR_PHASE_FORWARD && !out->recomputed);
    assert_close(out->bytes, 4 * LAYER, 1e-12);
    assert_close(need_op(w, 0, "zero.copy_out.backward")->bytes, 4 * LAYER, 1e-12);
    const struct orr_op *in = need_op(w, 0, "zero.copy_in");
    assert_true(in->phase == ORR_PHASE_BACKWARD && in->pointwise == ORR_POINTWISE_COPY);
    assert_close(in->bytes, 6 * LAYER, 1e-12);
    read_7b(w, "torchtitan-2024-eager", ",'zero':3", 1);
    train(w);
    assert_null(find_op(w, 0, "zero.copy_out"));
    read_7b(w, "torchtitan-2024-eager", ",'zero':1", 8);
    train(w);
    assert_null(find_op(w, 0, "zero.copy_in"));
}

/* 16 owners broadcast one after the other over two nodes: the 15 after the first each add one hop between the nodes (2
 * us) and 14 inside (1 us). Fewer tensors than ranks make fewer broadcasts. */
static void owners_broadcast_in_turn(void **state)
{
    struct world *w = *state;
    double gather_s[2];
    for (int on = 0; on < 2; on++) {
        read_7b(w, "internevo-2023", ",'zero':1", 16);
        w->job.system.scaleout_latency_s = 2e-6;
        w->job.system.scaleup_latency_s = 1e-6;
        w->job.engine.zero1_broadcast = on;
        train(w);
        gather_s[on] = w->scratch->iteration.sums.gather_s;
        assert_true(need_op(w, ORR_LAYER_STEP, "dp.gather")->launches == (on ? 16 : 1));
    }
    assert_close(gather_s[1] - gather_s[0], 15 * (2e-6 + 14e-6), 1e-9);
    w->job.engine.layer_tensors = 0;
    train(w);
    assert_true(need_op(w, ORR_LAYER_STEP, "dp.gather")->launches == 2); /* the tables alone */
}

/* ---------------------------------------------------------------- buckets */

/* Stage 0 with replicas keeps buckets beside the gradients, stage 1 buffers to gather through, one replica neither. */
static void buckets_take_memory_and_copies(void **state)
{
    struct world *w = *state;
    const struct {
        const char *plan;
        int dp;
        double gradients, buffers;
    } CASES[] = {{"", 1, 4, 0}, {",'zero':0", 8, 4 + 2, 0}, {",'zero':1", 8, 4, 2}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_7b(w, "nanotron-2025", CASES[i].plan, CASES[i].dp);
        w->job.engine.gradients_16bit_live = false;
        train(w);
        assert_close(part_of(w, ORR_MEMORY_GRADIENTS), CASES[i].gradients * PARAMS, 1e-12);
        assert_close(part_of(w, ORR_MEMORY_WORKSPACE), CASES[i].buffers * PARAMS + GIB, 1e-12);
    }
    read_7b(w, "pytorch-eager", "", 8);
    w->job.engine.bucket_copy_bytes = 8;
    w->job.engine.optimizer_traffic_bytes = 100;
    train(w);
    assert_true(need_op(w, ORR_LAYER_STEP, "dp.buckets")->bytes == 8 * PARAMS);
    assert_true(need_op(w, ORR_LAYER_STEP, "optimizer.adam")->bytes == 100 * PARAMS);
    read_7b(w, "pytorch-eager", "", 1);
    w->job.engine.bucket_copy_bytes = 8;
    train(w);
    assert_null(find_op(w, ORR_LAYER_STEP, "dp.buckets"));
}

/* Eq. 260: 6,738,415,616 parameters in buckets of 2e8 are 34 messages, of 1e7 per rank of 8, which is less, too. A
 * bucket ends with a tensor: 4 matrices of 32 layers and two tables are at most 130. Stage 1 of this stack has one
 * message after backward, and a stack without overlap has one as well. */
static void reductions_beside_backward_are_cut_into_buckets(void **state)
{
    struct world *w = *state;
    const struct {
        const char *plan;
        double bucket, rank, overlap, messages;
    } CASES[] = {{",'zero':0", 2e8, 0, 1, 34},  {",'zero':0", 2e8, 1e7, 1, 34}, {",'zero':0", 2e8, 1e8, 1, 9},
                 {",'zero':0", 1e6, 0, 1, 130}, {",'zero':0", 2e8, 0, 0, 1},    {",'zero':0", 0, 0, 1, 1},
                 {",'zero':1", 2e8, 0, 1, 1}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_7b(w, "nanotron-2025", CASES[i].plan, 8);
        w->job.engine.reduce_bucket_params = CASES[i].bucket;
        w->job.engine.reduce_bucket_rank_params = CASES[i].rank;
        w->job.engine.dp_overlap_frac = CASES[i].overlap;
        train(w);
        const struct orr_op *op = need_op(w, ORR_LAYER_STEP, "dp.reduce");
        assert_true(op->count == CASES[i].messages);
        assert_close(op->payload_bytes * op->count, 4 * PARAMS, 1e-12);
    }
}

/* Eq. 261: the embedding and head of llama2-7b have 32000 · 4096 parameters each, the head 4096 of its norm besides; 2
 * bytes of a gradient are read, 8 of the sum read and written. A tied matrix has one sum, and its two gradients are
 * added before: three times 2 bytes. */
static void ends_accumulate_gradients(void **state)
{
    struct world *w = *state;
    const double table = 32000.0 * 4096;
    read_7b(w, "nanotron-2025", "", 8);
    w->job.engine.gradients_16bit_live = false;
    train(w);
    assert_close(need_op(w, ORR_LAYER_EMBEDDING, "gradient.accumulate")->bytes, 10 * table, 1e-12);
    assert_close(need_op(w, ORR_LAYER_HEAD, "gradient.accumulate")->bytes, 10 * (table + 4096), 1e-12);
    assert_null(find_op(w, ORR_LAYER_EMBEDDING, "embedding.sum"));
    /* Eq. 300: 16 bits are added to 32 by a kernel that converts, 16 to 16 or 32 to 32 by one that does not. */
    assert_int_equal(need_op(w, ORR_LAYER_HEAD, "gradient.accumulate")->pointwise, ORR_POINTWISE_ACCUMULATE);
    w->job.workload.gradients = ORR_GRADIENTS_BF16;
    train(w);
    assert_int_equal(need_op(w, ORR_LAYER_HEAD, "gradient.accumulate")->pointwise, ORR_POINTWISE_ADD);
    /* The first of 8 micro-batches is stored. */
    assert_close(need_op(w, ORR_LAYER_EMBEDDING, "gradient.accumulate")->bytes, 6 * table * 7 / 8, 1e-12);
    /* With ZeRO-3 over 8 ranks the collective of 4 bytes comes first, and a rank adds an eighth of 4 + 8 bytes each. */
    read_7b(w, "nanotron-2025", ",'zero':3", 8);
    w->job.engine.gradients_16bit_live = false;
    w->job.engine.reduce_bytes = 4;
    train(w);
    assert_int_equal(need_op(w, ORR_LAYER_HEAD, "gradient.accumulate")->pointwise, ORR_POINTWISE_ADD);
    assert_close(need_op(w, ORR_LAYER_EMBEDDING, "gradient.accumulate")->bytes, 12 * table / 8, 1e-12);
    w->job.engine.fused_gradient_accumulation = true;
    train(w);
    assert_null(find_op(w, ORR_LAYER_EMBEDDING, "gradient.accumulate"));
    read_3b(w, 1);
    train(w);
    assert_close(need_op(w, ORR_LAYER_EMBEDDING, "embedding.sum")->bytes, 6 * 131072.0 * 3072, 1e-12);
}

/* Eq. 262: with the optimizer in backward, the loss holds no gradient unless its chunks make that of the head: the sum
 * and a part, 2 · 2 bytes of the 128256 · 3072 parameters of the tied table and the 3072 of the norm. */
static void a_loss_in_chunks_makes_gradients_of_the_head(void **state)
{
    struct world *w = *state;
    double gradients[2];
    for (int chunks = 0; chunks < 2; chunks++) {
        read_job(w, "{'kind':'train','model':'llama3.2-3b','system':'a100-80g-sxm','workload':{'seq':4096,"
                    "'micro_batch':2,'global_batch':2,'engine':'torchtune-2024-compiled','recompute':'full',"
                    "'optimizer_in_backward':true}}");
        w->job.engine.loss_chunks = chunks ? 8 : 0;
        train(w);
        gradients[chunks] = part_of(w, ORR_MEMORY_GRADIENTS);
    }
    assert_true(gradients[0] == 0);
    assert_close(gradients[1], 4 * (128256.0 * 3072 + 3072), 1e-9);
}

/* Eq. 263: two gathered layers of llama2-7b have 2 · 202,383,360 parameters; where 1e9 may live, 2e9 bytes stay. Of the
 * 2 · 32 norms of 4096 weights of 2 bytes a rank of 8 has all instead of an eighth. */
static void zero3_keeps_what_it_uses_again_soon(void **state)
{
    struct world *w = *state;
    double workspace[2], weights[2];
    for (int on = 0; on < 2; on++) {
        read_7b(w, "deepspeed-zero3-2024", ",'zero':3", 8);
        w->job.engine.zero3_live_params = on ? 1e9 : 0;
        w->job.engine.zero3_whole_params = on ? 1e5 : 0;
        train(w);
        workspace[on] = part_of(w, ORR_MEMORY_WORKSPACE);
        weights[on] = part_of(w, ORR_MEMORY_WEIGHTS);
    }
    assert_close(workspace[1] - workspace[0], 2e9 - 2 * 2 * 202383360.0, 1e-9);
    assert_close(weights[1] - weights[0], 2 * 64 * 4096.0 * 7 / 8, 1e-6);
}

/* ---------------------------------------------------------------- memory that streams hold */

/* tp 8 with sequence parallelism: 2 (1 - 1/8) · 2 bytes · 2048 · 4096 = 29,360,128 bytes a layer. The allocator
 * reserves 8 % of what is saved. Where the host is behind, the device has passed everything, and only `most` counts
 * it. */
#define HELD 29360128.0

static void streams_hold_while_the_host_is_ahead(void **state)
{
    struct world *w = *state;
    const struct {
        const char *plan;
        double layers, in_flight;
    } CASES[] = {{",'tp':8", 32, 1}, {",'tp':8,'pp':2", 17, 2}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const double held = HELD * CASES[i].layers * CASES[i].in_flight;
        read_7b(w, "nanotron-2025", CASES[i].plan, 1);
        w->job.engine.host_layer_s = 0;
        w->job.engine.host_launch_s = w->job.engine.host_backward_launch_s = w->job.engine.host_collective_s = 0;
        w->job.engine.host_pipeline_rank_s = 0;
        train(w);
        const struct orr_memory ahead = w->result.memory;
        assert_true(ahead.peak_stage == 0 && ahead.in_flight == CASES[i].in_flight);
        assert_true(ahead.most_bytes == ahead.total_bytes);
        w->job.engine.host_layer_s = 1;
        train(w);
        const struct orr_memory *behind = &w->result.memory;
        assert_close(behind->most_bytes, ahead.total_bytes, 1e-15);
        assert_close(ahead.instants[0].bytes - behind->instants[0].bytes, 1.08 * held, 1e-9); /* loss */
        const double first = CASES[i].in_flight - 1; /* the oldest micro-batch is done at the end of backward */
        assert_close(ahead.instants[4].bytes - behind->instants[4].bytes, held * (first / (first + 1) + 0.08), 1e-9);
        w->job.plan.sp = false;
        train(w);
        assert_true(w->result.memory.most_bytes == w->result.memory.total_bytes);
    }
}

/* The ledger names both, and its tensors still add up to the peak. */
static void the_memory_ledger_names_held_and_reserved(void **state)
{
    struct world *w = *state;
    read_7b(w, "nanotron-2025", ",'tp':8", 1);
    w->job.engine.host_layer_s = w->job.engine.host_launch_s = w->job.engine.host_backward_launch_s = 0;
    w->job.engine.host_collective_s = 0;
    train(w);
    const struct orr_memory *memory = &w->result.memory;
    double held = -1, reserved = -1, sum = 0;
    for (int64_t i = 0; i < memory->n_tensors; i++) {
        const struct orr_tensor *tensor = &memory->tensors[i];
        if (tensor->at_peak) sum += tensor->bytes;
        if (strcmp(tensor->name, "held by the communication stream") == 0) held = tensor->bytes;
        if (strcmp(tensor->name, "reserved by the allocator") == 0) reserved = tensor->bytes;
    }
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    const double saved = 32 * orr_layer_saved_bytes(&w->job, &bytes);
    assert_true(memory->peak_instant < 3); /* no layer is freed yet */
    assert_close(held, 32 * HELD, 1e-12);
    assert_close(reserved, 0.08 * (saved + 32 * HELD), 1e-12);
    assert_close(sum, memory->total_bytes, 1e-12);
}

/* What a plan holds at most decides whether it fits, not what it holds while it waits for the host. */
static void the_most_decides_the_verdict(void **state)
{
    struct world *w = *state;
    read_7b(w, "nanotron-2025", ",'tp':8", 1);
    w->job.engine.host_layer_s = 1;
    train(w);
    const struct orr_memory memory = w->result.memory;
    assert_true(memory.most_bytes > memory.total_bytes + 32 * HELD / 2);
    const double kept_frac = 1 - w->job.engine.fragmentation_frac;
    w->job.engine.context_bytes = 0;
    w->job.system.chip.hbm_bytes = (memory.total_bytes + memory.most_bytes) / 2 / kept_frac;
    train(w);
    assert_true(w->result.memory.total_bytes < w->result.memory.usable_bytes && !w->result.fits);
    w->job.system.chip.hbm_bytes = memory.most_bytes * 1.001 / kept_frac;
    train(w);
    assert_true(w->result.fits);
}

/* ---------------------------------------------------------------- late ranks, loss */

/* Arrivals scatter by 10 us. A collective begins with the latest of its ranks, as a mean 1.766 of that late of 16 ranks
 * over two nodes and 2.070 of 32 over four; inside a node none waits. */
static void late_ranks_cost_time_across_nodes(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *plan;
        double late_s;
    } CASES[] = {{",'tp':8", 0}, {",'tp':16", 17.66e-6}, {",'tp':32", 20.70e-6}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double total_s[2];
        for (int skew = 0; skew < 2; skew++) {
            read_7b(w, "nanotron-2025", CASES[i].plan, 1);
            w->job.engine.skew_s = skew ? 10e-6 : 0;
            train(w);
            total_s[skew] = w->scratch->costs[need_op(w, 0, "tp.scatter") - w->scratch->ops.items].total_s;
        }
        assert_close(total_s[1] - total_s[0], CASES[i].late_s, 1e-3);
    }
}

/* 52 bytes a logit are divided as 18 and 17 of 35 between forward and backward. */
static void the_loss_moves_what_an_engine_states(void **state)
{
    struct world *w = *state;
    read_7b(w, "nanotron-2025", "", 1);
    train(w);
    const double logits = 2048.0 * 32000;
    assert_close(need_op(w, ORR_LAYER_HEAD, "loss")->bytes, logits * 52 * 18 / 35, 1e-12);
    assert_close(need_op(w, ORR_LAYER_HEAD, "loss.backward")->bytes, logits * 52 * 17 / 35, 1e-12);
    const struct orr_op *layout = need_op(w, 0, "attention.layout");
    assert_true(layout->launches == 11 && layout->bytes == 8.0 * 2048 * 4096);
    assert_true(need_op(w, 0, "attention.layout.backward")->bytes == 20.0 * 2048 * 4096);
}

/* ---------------------------------------------------------------- NICs */

/* Gradients may hide beside backward, but not while collectives of the layers use the same NICs: of 1 s of backward
 * with 0.4 s of them, the 9/10 of 0.6 s before the last of ten buckets are left. */
static void collectives_share_the_nics(void **state)
{
    struct world *w = *state;
    const struct orr_step_sums step = {.scatter_s = 1};
    struct orr_rank_time rank = {.forward_s = 0.5, .backward_s = 1};
    read_3b(w, 1);
    w->job.plan.zero = 0;
    w->job.engine.dp_overlap_frac = 1;
    w->job.calibration.overlap_contention_frac = 0;
    assert_close(orr_data_parallel_time(&w->job, &step, &rank, 10).scatter_hidden_s, 0.9, 1e-12);
    rank.nic_s = 0.4;
    assert_close(orr_data_parallel_time(&w->job, &step, &rank, 10).scatter_hidden_s, 0.54, 1e-12);
    /* Tensor parallelism over two nodes uses the NICs, inside a node it does not. */
    for (int tp = 8; tp <= 16; tp *= 2) {
        read_job(w,
                 "{'kind':'train','model':'nanotron-3b','system':'h100-sxm-efa3200','plan':{'tp':%d,'dp':2},'workload':"
                 "{'seq':4096,'micro_batch':1,'global_batch':8,'engine':'nanotron-2025'}}",
                 tp);
        train(w);
        assert_true((w->scratch->ranks[0].nic_s > 0) == (tp == 16));
    }
}

/* ---------------------------------------------------------------- optimizers */

/* Bytes per parameter of gradients and of states, on one GPU under an engine of 4 + 12 bytes: weights stay at 2. The
 * fused kernel reads the gradient, reads and writes the states and writes the weight. */
static void optimizers_keep_what_they_name(void **state)
{
    struct world *w = *state;
    const struct {
        const char *name;
        double gradient, states;
    } TABLE[] = {{"engine", 4, 12},          {"adamw", 4, 12},    {"adamw-bf16-states", 4, 8}, {"adamw-bf16", 2, 4},
                 {"adamw-8bit", 2, 2.03125}, {"adafactor", 2, 0}, {"sgd-momentum", 2, 2},      {"sgd", 2, 0},
                 {"adamw-fp32-states", 2, 8}}; /* two moments of 4 bytes and no master weight */
    for (size_t i = 0; i < COUNT(TABLE); i++) {
        read_job(w,
                 "{'kind':'train','model':'llama2-7b','system':'h200-sxm','plan':{},'workload':{'seq':64,'micro_batch':"
                 "1,'global_batch':1,'engine':'pytorch-eager','recompute':'full','optimizer':'%s'},"
                 "'set':{'engine.gradients_16bit_live':false,'engine.fused_optimizer_cast':true}}",
                 TABLE[i].name);
        train(w);
        assert_close(part_of(w, ORR_MEMORY_WEIGHTS), 2 * PARAMS, 1e-12);
        assert_close(part_of(w, ORR_MEMORY_GRADIENTS), TABLE[i].gradient * PARAMS, 1e-12);
        if (TABLE[i].states > 0) assert_close(part_of(w, ORR_MEMORY_OPTIMIZER), TABLE[i].states * PARAMS, 1e-12);
        else assert_true(part_of(w, ORR_MEMORY_OPTIMIZER) == 0);
        const struct orr_op_list *ops = &w->scratch->ops;
        for (size_t k = 0; k < ops->n; k++)
            if (!strcmp(ops->items[k].name, "optimizer.adam"))
                assert_close(ops->items[k].bytes, (TABLE[i].gradient + 2 * TABLE[i].states + 2) * PARAMS, 1e-12);
    }
}

/* Published: fine-tuning all of Llama-3-8B in pure 16 bits takes 61 GiB, which 16 bytes per parameter would not. */
static void pure_16_bits_fit_where_masters_do_not(void **state)
{
    struct world *w = *state;
    const char *const NAMES[] = {"adamw", "adamw-bf16"};
    const double least[] = {130, 59.8}, most[] = {155, 67};
    for (int i = 0; i < 2; i++) {
        read_job(w,
                 "{'kind':'train','model':'llama3-8b','system':'h200-sxm','plan':{},'workload':{'seq':2048,'micro_batch"
                 "':1,'global_batch':1,'engine':'pytorch-eager','recompute':'full','optimizer':'%s'}}",
                 NAMES[i]);
        train(w);
        assert_in_range((uint64_t)(w->result.memory.total_bytes / 1073741824), (uint64_t)least[i], (uint64_t)most[i]);
    }
    assert_true(w->result.fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_share_the_nics),
        cmocka_unit_test(optimizers_keep_what_they_name),
        cmocka_unit_test(pure_16_bits_fit_where_masters_do_not),
        cmocka_unit_test(stages_have_equal_cost),
        cmocka_unit_test(other_layouts_do_not_follow_cost),
        cmocka_unit_test(stages_beyond_the_layers_are_few),
        cmocka_unit_test(some_engines_need_filled_pipelines),
        cmocka_unit_test(second_shards_serve_backward),
        cmocka_unit_test(groups_shard_at_every_stage),
        cmocka_unit_test(stage_1_may_sum_and_hide_nothing),
        cmocka_unit_test(weights_are_gathered_tensor_by_tensor),
        cmocka_unit_test(owners_broadcast_in_turn),
        cmocka_unit_test(buckets_take_memory_and_copies),
        cmocka_unit_test(reductions_beside_backward_are_cut_into_buckets),
        cmocka_unit_test(ends_accumulate_gradients),
        cmocka_unit_test(a_loss_in_chunks_makes_gradients_of_the_head),
        cmocka_unit_test(zero3_keeps_what_it_uses_again_soon),
        cmocka_unit_test(streams_hold_while_the_host_is_ahead),
        cmocka_unit_test(the_memory_ledger_names_held_and_reserved),
        cmocka_unit_test(the_most_decides_the_verdict),
        cmocka_unit_test(rows_of_the_residual_stream_stay_whole),
        cmocka_unit_test(permuted_views_are_copied),
        cmocka_unit_test(halves_of_a_matrix_are_read_by_element),
        cmocka_unit_test(gathered_weights_are_copied),
        cmocka_unit_test(late_ranks_cost_time_across_nodes),
        cmocka_unit_test(the_loss_moves_what_an_engine_states),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
