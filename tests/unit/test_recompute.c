/* Recomputation of operators and of some layers (Eqs. 88, 142, 143): bytes and times worked out by hand for Llama-2
 * 7B: h 4096, 32 heads of 128, f 11008, 32 layers; 4096 tokens on one GPU, fused attention. */
#include "support.h"

#include "memory/memory.h"
#include "spec/job.h"

#define WHOLE_BYTES 539492352.0 /* 2·T·4h + 2·T·(4·4096 + 3f) + 4·T·32 (Eq. 84) */
#define INPUT_BYTES 33554432.0  /* 2·T·h */
#define LAYERS      32

static void ask(struct world *w, const char *keys)
{
    char request[1024];
    (void)snprintf(request, sizeof request,
                   "{'kind':'train','model':'llama2-7b','system':'h200-sxm','plan':{'zero':0},'workload':{'seq':4096,"
                   "'global_batch':2,'engine':'megatron-core-2024'%s}}",
                   keys);
    read_job(w, "%s", request);
    train(w);
}

static double saved_bytes(struct world *w, const char *recompute)
{
    char keys[128];
    (void)snprintf(keys, sizeof keys, ",'recompute':'%s'", recompute);
    ask(w, keys);
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    return orr_layer_saved_bytes(&w->job, &bytes);
}

/* Eq. 142. What is left when everything is made again but the core: the layer's input, the core's output and its
 * statistics, 33554432 + 33554432 + 524288. */
static void a_list_of_operators_drops_their_outputs(void **state)
{
    struct world *w = *state;
    assert_close(saved_bytes(w, "none"), WHOLE_BYTES, 1e-12);
    assert_close(saved_bytes(w, "ops:norm"), WHOLE_BYTES - 2 * INPUT_BYTES, 1e-12);
    assert_close(saved_bytes(w, "ops:qkv"), WHOLE_BYTES - 3 * INPUT_BYTES, 1e-12);
    assert_close(saved_bytes(w, "ops:out"), WHOLE_BYTES - INPUT_BYTES, 1e-12);
    assert_close(saved_bytes(w, "ops:mlp_up"), WHOLE_BYTES - 180355072, 1e-12); /* gate and up: 4·T·f */
    assert_close(saved_bytes(w, "ops:mlp_act"), WHOLE_BYTES - 90177536, 1e-12); /* 2·T·f */
    assert_close(saved_bytes(w, "ops:mlp"), WHOLE_BYTES - 270532608, 1e-12);    /* Megatron's name for both */
    assert_close(saved_bytes(w, "ops:core"), WHOLE_BYTES, 1e-12); /* a fused core keeps no scores to drop */
    assert_close(saved_bytes(w, "ops:norm,qkv,out,mlp_up,mlp_act"), 67633152, 1e-12);
}

/* Only the listed operators run again: FLOP of 2 micro-batches and 32 layers of qkv, 2·T·h·3h each, and the time of
 * one kernel for each layer and micro-batch. */
static void only_listed_operators_run_again(void **state)
{
    struct world *w = *state;
    ask(w, "");
    const double plain_flops = w->result.executed_flops;
    assert_close(w->result.time_s[ORR_TIME_RECOMPUTE], 0, 0);
    ask(w, ",'recompute':['qkv']");
    const double more = w->result.executed_flops - plain_flops;
    assert_close(more, 2.0 * LAYERS * 2 * 4096 * 4096 * 3 * 4096, 1e-9);
    const struct orr_op *qkv = find_op(w, 0, "attention.qkv"), *up = find_op(w, 0, "mlp.up");
    assert_true(qkv && qkv->recomputed && up && !up->recomputed);
    assert_true(find_op(w, 0, "attention.rope")->recomputed);
    ask(w, ",'recompute':['out']"); /* the residual add of attention, not that of the feed-forward block */
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    int adds = 0, again = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].layer_kind != 0 || strcmp(ops[i].name, "residual.add") != 0) continue;
        adds++;
        again += ops[i].recomputed;
    }
    assert_int_equal(adds, 2);
    assert_int_equal(again, 1);
}

static double loss_bytes(const struct world *w)
{
    assert_string_equal(w->result.memory.instants[0].name, "loss");
    return w->result.memory.instants[0].bytes;
}

/* Eq. 143: of 32 layers 8 are recomputed: a quarter of the time of all, and at the loss each has its input alone. */
static void some_layers_take_their_share(void **state)
{
    struct world *w = *state;
    const char *const quarters[] = {",'recompute':'first:8'", ",'recompute':'nth:4'", ",'recompute_first':8",
                                    ",'recompute':'full','recompute_nth':4"};
    ask(w, ",'recompute':'none'");
    const double none_bytes = loss_bytes(w);
    ask(w, ",'recompute':'full'");
    const double all_s = w->result.time_s[ORR_TIME_RECOMPUTE], model_flops = w->result.model_flops;
    const int64_t params = w->result.params_total;
    assert_close(none_bytes - loss_bytes(w), LAYERS * (WHOLE_BYTES - INPUT_BYTES), 1e-12);
    for (size_t i = 0; i < COUNT(quarters); i++) {
        ask(w, quarters[i]);
        assert_close(w->result.time_s[ORR_TIME_RECOMPUTE], all_s / 4, 0.02); /* the clock differs a little */
        assert_close(none_bytes - loss_bytes(w), 8 * (WHOLE_BYTES - INPUT_BYTES), 1e-12);
        assert_close(w->result.model_flops, model_flops, 1e-12);
        assert_int_equal(w->result.params_total, params);
    }
    ask(w, ",'recompute':'first:40'"); /* more than there are: all */
    assert_close(w->result.time_s[ORR_TIME_RECOMPUTE], all_s, 1e-9);
}

/* The first layers of every chunk: 4 stages of 2 chunks of 4 layers, of which 1 each: 8 of 32 layers. With 3 of them
 * kept on every rank, the peak of the last layer needs no recomputed layer. */
static void first_layers_are_those_of_a_chunk(void **state)
{
    struct world *w = *state;
    static struct orr_stage stages[ORR_MAX_STAGES];
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h200-sxm','plan':{'pp':4,'vpp':2},"
                "'workload':{'global_batch':8,'recompute':'first:1'}}");
    assert_int_equal(w->job.model.n_kinds, 2);
    orr_stages_build(&w->job, stages);
    for (int i = 0; i < 4; i++) {
        assert_close(stages[i].n_layers[0], 2, 0);
        assert_close(stages[i].n_layers[1], 6, 0);
    }
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h200-sxm','plan':{'pp':4},'workload':{'global_batch':8}}");
    assert_int_equal(w->job.model.n_kinds, 1); /* a later request has no twins */
}

/* Any engine can be asked for what torchtitan calls selective op; "selective" is the engine's own. */
static void kinds_do_not_depend_on_the_engine(void **state)
{
    struct world *w = *state;
    const char *const engines[] = {"megatron-core-2024", "torchtitan-2024-eager"};
    double bytes[2][3];
    for (int e = 0; e < 2; e++) {
        const char *const kinds[] = {"selective", "core", "selective-op"};
        for (int k = 0; k < 3; k++) {
            read_job(w,
                     "{'kind':'train','model':'llama2-7b','system':'h200-sxm','workload':{'seq':4096,"
                     "'global_batch':2,'engine':'%s','recompute':'%s'}}",
                     engines[e], kinds[k]);
            const struct orr_dims dims = orr_dims_of(&w->job);
            const struct orr_layer_bytes layer = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
            bytes[e][k] = orr_layer_saved_bytes(&w->job, &layer);
        }
    }
    assert_close(bytes[0][0], bytes[0][1], 0);
    assert_close(bytes[1][0], bytes[1][2], 0);
    /* 2·(2·T·h + T·(3·4096 + f)) + 4·T·32, on either engine */
    assert_close(bytes[0][2], 2.0 * 4096 * (2 * 4096 + 3 * 4096 + 11008) + 524288, 1e-12);
    assert_close(bytes[1][2], bytes[0][2], 1e-12);
}

static void experts_have_operators_of_their_own(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{'ep':8},'workload':{"
                "'global_batch':8,'engine':'megatron-core-2025','recompute':['moe_act','dispatch']}}");
    train(w);
    assert_true(find_op(w, 0, "expert.activation")->recomputed && find_op(w, 0, "moe.dispatch")->recomputed);
    assert_false(find_op(w, 0, "expert.up")->recomputed || find_op(w, 0, "moe.combine")->recomputed);
    /* activation: 2 bytes for each of 14336 columns of the 2·2048 rows; dispatch: 2 bytes of 4096 */
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes layer = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    assert_close(layer.repeated, 2.0 * 4096 * (14336 + 4096), 1e-12);
}

static void wrong_choices_are_refused(void **state)
{
    struct world *w = *state;
    const struct {
        const char *keys, *text;
    } cases[] = {
        {",'recompute':'ops:qvk'",
         "request:1: workload.recompute: \"qvk\" is no operator that can be recomputed: norm, "
         "qkv, core, out, mlp_up, mlp_act, expert_up, expert_act, dispatch, or a module of "
         "Megatron-core (did you mean \"qkv\"?)"},
        {",'recompute':'first:0'", "request:1: workload.recompute: \"first:0\": the number of layers must be from 1 to "
                                   "1024"},
        {",'recompute':'last:4'", "request:1: workload.recompute: \"last:4\" begins with none of ops:, first:, nth:, "
                                  "uniform: (ops:qkv,mlp_act, first:4)"},
        {",'recompute':'none','recompute_first':4",
         "request:1: workload.recompute: \"none\" leaves nothing to recompute "
         "in some layers (recompute_first, recompute_nth)"},
        {",'recompute':'first:4','recompute_nth':2", "request: workload.recompute_first: 4 and recompute_nth 2: "
                                                     "choose the layers by one of them"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char request[1024];
        struct orr_error error;
        (void)snprintf(request, sizeof request,
                       "{'kind':'train','model':'llama2-7b','system':'h200-sxm','workload':{'global_batch':2%s}}",
                       cases[i].keys);
        assert_true(try_job(w, request, &error) != ORR_OK);
        assert_string_equal(error.text, cases[i].text);
    }
}

/* What a request asked for is in the answer's request, in a spelling that is read again. */
static void spellings_are_read_again(void **state)
{
    struct world *w = *state;
    char text[ORR_RECOMPUTE_TEXT];
    ask(w, ",'recompute':['mlp_act','qkv']");
    assert_string_equal(orr_recompute_text(&w->job.workload, text), "ops:qkv,mlp_act");
    const uint32_t ops = w->job.workload.recompute_ops;
    ask(w, ",'recompute':'ops:qkv,mlp_act'");
    assert_int_equal(w->job.workload.recompute_ops, ops);
    ask(w, ",'recompute':'selective','recompute_ops':'core_attn,mlp'"); /* the two flags of Megatron */
    assert_string_equal(orr_recompute_text(&w->job.workload, text), "ops:core,mlp_up,mlp_act");
    ask(w, ",'recompute':'uniform:4'");
    assert_string_equal(orr_recompute_text(&w->job.workload, text), "full");
    assert_int_equal(w->job.workload.recompute_every, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_operators_drops_their_outputs),
        cmocka_unit_test(only_listed_operators_run_again),
        cmocka_unit_test(some_layers_take_their_share),
        cmocka_unit_test(first_layers_are_those_of_a_chunk),
        cmocka_unit_test(kinds_do_not_depend_on_the_engine),
        cmocka_unit_test(experts_have_operators_of_their_own),
        cmocka_unit_test(wrong_choices_are_refused),
        cmocka_unit_test(spellings_are_read_again),
    };
    return cmocka_run_group_tests_name("recompute", tests, open_world, close_world);
}
