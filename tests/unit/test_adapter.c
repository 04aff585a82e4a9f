/* Adapters and frozen weights: parameters, states, kept activations and operators against counts by hand. */
#include "support.h"

#include "memory/memory.h"
#include "spec/job.h"

#define HF "'engine':'hf-transformers-2026-eager'"

static void near(double value, double expected, double share)
{
    if (!(fabs(value - expected) <= share * expected)) fail_msg("%.17g, by hand %.17g", value, expected);
}

static void read_llama(struct world *w, const char *model, const char *rest)
{
    read_job(w,
             "{'kind':'train','model':'%s','system':'h200-sxm','gpus':1,'workload':{'seq':1024,'micro_batch':2,"
             "'global_batch':2,%s," HF "}}",
             model, rest);
}

static struct orr_stage first_stage(const struct world *w)
{
    struct orr_stage stages[ORR_MAX_STAGES];
    orr_stages_build(&w->job, stages);
    return stages[0];
}

/* Llama-3-8B, rank 16, all matrices: a layer has 16 (2 (4096 + 4096) + 2 (4096 + 1024) + 3 (4096 + 14336)) = 1310720
 * parameters of adapters. DoRA beside attention: 16 (2 * 8192 + 2 * 5120), and 2 * 4096 + 2 * 1024 lengths. */
static void parameters_are_two_thin_matrices(void **state)
{
    struct world *w = *state;
    read_llama(w, "llama3-8b", "'adapter':'lora:rank=16'");
    assert_true(first_stage(w).trained_dense == 32 * 1310720.0);
    read_llama(w, "llama3-8b", "'adapter':{'kind':'dora','rank':16,'targets':['q_proj','k','v','o']}");
    assert_true(first_stage(w).trained_dense == 32 * (425984.0 + 10240.0));
    read_job(w, "{'kind':'train','model':'llama3-8b','system':'h200-sxm','gpus':4,'plan':{'tp':4},'workload':"
                "{'global_batch':1,'adapter':'lora:rank=8,targets=q+down'}}");
    /* q: A whole, B divided; down: A divided, B whole. */
    assert_true(first_stage(w).trained_dense == 32 * 8 * (4096.0 + 1024 + 3584 + 4096));
}

/* Llama-2-7B: 32 (4 4096^2 + 3 4096 11008) = 6476005376 weights of layers at 4 + 8/64 + 32/16384 bits, 262410240 others
 * at 16 bits; adapters of rank 16 have 39976960 parameters in fp32 with fp32 gradients and two moments. */
static void quantised_weights_and_states_of_adapters_alone(void **state)
{
    struct world *w = *state;
    const double base = 6476005376.0 * (4 + 8 / 64.0 + 32 / 16384.0) / 8 + 262410240.0 * 2;
    read_llama(w, "llama2-7b", "'adapter':'qlora:rank=16','recompute':'full'");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], base + 39976960.0 * 4, 1e-9);
    near(w->result.memory.part_bytes[ORR_MEMORY_OPTIMIZER], 39976960.0 * 8, 1e-9);
    read_llama(w, "llama2-7b", "'adapter':'lora:rank=16,format=bf16'");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * (6738415616.0 + 39976960.0), 1e-9);
    near(w->result.memory.part_bytes[ORR_MEMORY_OPTIMIZER], 39976960.0 * 4, 1e-9);
}

static double kept_per_token(struct world *w, const char *rest)
{
    read_llama(w, "tinyllama-1.1b", rest);
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    return orr_layer_saved_bytes(&w->job, &bytes) / 2048;
}

/* TinyLlama, h 2048, 4 of 32 heads with keys, FFN 5632; bytes per token. All trained: two norms 6 h, inputs of q, k, v
 * and of gate, up 2 h each, q and the heads' outputs 2 h each, k and v 1024, statistics 4 * 32, gate, SiLU, up and
 * their product 8 f. Adapters in fp32: norms 4 h, five inputs and that of the output projection 2 h each, seven
 * ranks of 16. Adapters in 16 bits beside q and v: one input. In fp32 without autocast: an fp32 input for each, ranks
 * in fp32; DoRA also keeps the outputs of q and v, 2048 and 256 columns, in 16 bits and what it adds in fp32. Beside
 * 4-bit matrices fp32 adapters under autocast share their inputs, as those of 16 bits do: q, k, v and gate, up one
 * each, the output projection that of the heads, and down the product of gate and up. */
static void kept_activations_are_counted(void **state)
{
    struct world *w = *state;
    const double h = 2048, f = 5632, heads = 4 * h + 1024 + 128;
    near(kept_per_token(w, "'recompute':'none'"), 12 * h + 4 * h + heads + 8 * f, 1e-12);
    near(kept_per_token(w, "'adapter':'lora:rank=16'"), 8 * h + 12 * h + heads + 8 * f + 7 * 32, 1e-12);
    near(kept_per_token(w, "'adapter':'lora:rank=16,targets=q+v,format=bf16'"), 8 * h + 2 * h + heads + 6 * f + 2 * 32,
         1e-12);
    near(kept_per_token(w, "'adapter':'lora:rank=16,targets=q+v,format=fp32-plain'"),
         8 * h + 8 * h + heads + 6 * f + 2 * 64, 1e-12);
    near(kept_per_token(w, "'adapter':'dora:rank=16,targets=q+v,format=fp32-plain'"),
         8 * h + 8 * h + heads + 6 * f + 2 * 64 + 6 * (2048 + 256), 1e-12);
    near(kept_per_token(w, "'adapter':'qlora:rank=16'"), 8 * h + 4 * h + heads + 8 * f + 7 * 32, 1e-12);
    near(kept_per_token(w, "'adapter':'qlora:rank=16,targets=q+v,format=fp32-plain'"),
         8 * h + 8 * h + heads + 6 * f + 2 * 64, 1e-12);
}

static double lit_kept(struct world *w, const char *adapter)
{
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':1,'workload':{'seq':1304,'micro_batch':1,"
             "'global_batch':1,'adapter':'%s','engine':'litgpt-2023'}}",
             adapter);
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    return orr_layer_saved_bytes(&w->job, &bytes) / 1304;
}

/* Eqs. 312-314, Llama-2-7B, h 4096, f 11008. Queries, keys and values in one product with adapters of rank 8 beside
 * queries and values; bytes per token: inputs of two norms 4 h, dropped input 2 h and mask h, the scattered output of
 * the adapters 4 h, rotated queries and keys 4 h, the joined product 6 h, the heads' outputs 2 h, statistics 4 * 32,
 * two ranks of 16, gate, SiLU and up 6 f. PyTorch 2.11 kept 37.18 h without the layer's input of 2 h, and 48.55 h where
 * products with 4-bit matrices keep their inputs: of both norms and of the heads 2 h each, and 2 f
 * (kit/kit_adapter_memory.py on one H200). All three adapted, nothing is scattered. */
static void joined_adapters_keep_what_was_measured(void **state)
{
    struct world *w = *state;
    const double h = 4096, f = 11008, layer = 23 * h + 128 + 2 * 16 + 6 * f;
    near(lit_kept(w, "lora:rank=8,targets=q+v,format=bf16,dropout=0.05"), layer, 1e-12);
    near(lit_kept(w, "lora:rank=8,targets=q+v,format=bf16,dropout=0.05"), (37.18 + 2) * h, 1e-3);
    near(lit_kept(w, "qlora:rank=8,targets=q+v,format=bf16,dropout=0.05"), layer + 6 * h + 2 * f, 1e-12);
    near(lit_kept(w, "qlora:rank=8,targets=q+v,format=bf16,dropout=0.05"), (48.55 + 2) * h, 1e-3);
    near(lit_kept(w, "lora:rank=8,targets=q+v,format=bf16"), layer - h, 1e-12);
    near(lit_kept(w, "qlora:rank=8,targets=q+v,format=bf16"), layer - h + 4 * h + 2 * f, 1e-12);
    near(lit_kept(w, "lora:rank=8,targets=q+k+v,format=bf16"), layer - h - 4 * h + 16, 1e-12);
}

/* Dropout gives each adapter that stands alone a copy and a mask: of q and v, 2 (2 + 1) h instead of 2 h; of adapters
 * in fp32 under autocast, whose inputs are apart anyway, masks of h alone; TinyLlama as above. */
static void dropout_keeps_copies_and_masks(void **state)
{
    struct world *w = *state;
    const double h = 2048, f = 5632, heads = 4 * h + 1024 + 128;
    near(kept_per_token(w, "'adapter':'lora:rank=16,targets=q+v,format=bf16,dropout=0.1'"),
         8 * h + 6 * h + heads + 6 * f + 2 * 32, 1e-12);
    near(kept_per_token(w, "'adapter':{'kind':'lora','rank':16,'targets':['q','v'],'dropout':0.1}"),
         8 * h + 6 * h + heads + 6 * f + 2 * 32, 1e-12);
    near(kept_per_token(w, "'adapter':'lora:rank=16,targets=q+v,dropout=0'"), 8 * h + 4 * h + heads + 6 * f + 2 * 32,
         1e-12);
}

/* Eq. 315, Llama-2-7B: with the head of 32000 x 4096, NF4 holds 6476005376 + 131072000 weights at 4.5 bits; embedding
 * and norms, 131338240, stay in 16 bits. The head is restored in 4 bytes a weight beside all logits (8 bytes each). */
static void a_quantised_head_is_restored_beside_its_logits(void **state)
{
    struct world *w = *state;
    const double weights = (6476005376.0 + 131072000.0) * 4.5 / 8 + 131338240.0 * 2 + 4194304.0 * 2;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':1,'workload':{'seq':1304,"
                "'micro_batch':1,'global_batch':1,'engine':'litgpt-2023','adapter':"
                "'qlora:rank=8,targets=q+v,base=nf4-single,format=bf16,dropout=0.05'}}");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], weights, 1e-9);
    /* Lit-GPT's own table: 14.14e9 bytes allocated at most. */
    near(w->result.memory.total_bytes, 14.14e9, 0.1);
    const double whole = w->result.memory.total_bytes;
    w->job.engine.quantised_head = false;
    train(w);
    /* without it 131072000 weights have 1.4375 bytes more, and the largest restored matrix is one of 4096 x 11008 */
    near(whole - w->result.memory.total_bytes, 131072000.0 * (4 - 1.4375) - 4.0 * 4096 * 11008, 1e-6);
}

static size_t count_of(const struct orr_op_list *list, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) n += strcmp(list->items[i].name, name) == 0;
    return n;
}

static const struct orr_op *op_of(const struct orr_op_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i].name, name) == 0) return &list->items[i];
    fail_msg("no operator %s", name);
    return NULL;
}

/* Eq. 306, Llama-3-8B, 2048 tokens: beside the 4-bit query matrix of 4096 x 4096 an adapter casts no input, but its
 * 16 (4096 + 4096) parameters, 6 bytes each, and copies the 4096 outputs of every token, 4 bytes each. An 8-bit layer
 * makes no copy. */
static void adapters_beside_quantised_matrices(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    read_llama(w, "llama3-8b", "'adapter':'qlora:rank=16,targets=q'");
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "adapter.upcast"), 0);
    near(op_of(&list, "adapter.copy")->bytes, 4 * 2048.0 * 4096, 1e-12);
    near(op_of(&list, "adapter.cast")->bytes, 6 * 16 * 8192.0, 1e-12);
    near(op_of(&list, "adapter.cast.backward")->bytes, 6 * 16 * 8192.0, 1e-12);
    near(op_of(&list, "adapter.dequantise")->bytes, 4096.0 * 4096 * (2 + 4.126953125 / 8), 1e-12);
    read_llama(w, "llama3-8b", "'adapter':'lora:rank=16,targets=q,base=int8'");
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "adapter.upcast"), 0);
    assert_int_equal(count_of(&list, "adapter.copy"), 0);
    read_llama(w, "llama3-8b", "'adapter':'lora:rank=16,targets=q'");
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "adapter.upcast"), 1);
    assert_int_equal(count_of(&list, "adapter.copy"), 0);
}

/* Eq. 365, Llama-3-8B on a Megatron engine: one pair beside q, k and v (6144 columns) and one beside gate and up
 * (28672) have 16 (4096 + 6144) and 16 (4096 + 28672) parameters, those of o and down 16 * 8192 and 16 * 18432. They
 * are in 16 bits unless a request says otherwise, and apart where not all parts of a joined product are adapted. */
static void whole_adapters_stand_beside_joined_products(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    static const char REQUEST[] = "{'kind':'train','model':'llama3-8b','system':'h200-sxm','gpus':1,'workload':{"
                                  "'seq':1024,'micro_batch':2,'global_batch':2,'adapter':'%s','engine':'nemo-2024'}}";
    read_job(w, REQUEST, "lora:rank=16");
    assert_true(first_stage(w).trained_dense == 32 * 16 * (10240.0 + 8192 + 32768 + 18432));
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "adapter.a"), 4);
    assert_int_equal(count_of(&list, "adapter.upcast"), 0);
    near(op_of(&list, "adapter.add")->bytes, 5 * 2 * 2048.0 * 6144, 1e-12);
    read_job(w, REQUEST, "lora:rank=16,targets=q+v,format=fp32");
    assert_true(first_stage(w).trained_dense == 32 * 16 * (8192.0 + 5120));
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "adapter.a"), 2);
    assert_int_equal(count_of(&list, "adapter.upcast"), 2);
}

/* Eq. 366: Llama-2-7B on Hopper, whose delayed scaling keeps each of 6476005376 weights of layers twice, for forward
 * and for backward. Stored in 8 bits they take 2 bytes each, and 4 with a copy of 16 bits; the ends take 2. */
static void frozen_weights_of_8_bits_are_their_own_copy(void **state)
{
    struct world *w = *state;
    static const char REQUEST[] = "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':1,'workload':{"
                                  "'seq':1024,'micro_batch':1,'global_batch':1,'precision':'%s','engine':'nemo-2024',"
                                  "'adapter':'lora:rank=16,targets=o,base=%s'}}";
    const double others = 2 * (6738415616.0 - 6476005376.0) + 2 * 32 * 16 * 8192.0;
    read_job(w, REQUEST, "fp8", "bf16");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 4 * 6476005376.0 + others, 1e-3);
    read_job(w, REQUEST, "fp8", "fp8");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * 6476005376.0 + others, 1e-3);
}

/* Without autocast the thin products are fp32. */
static void plain_adapters_multiply_in_fp32(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    read_llama(w, "llama3-8b", "'adapter':'lora:rank=16,targets=q,format=fp32-plain'");
    orr_ops_layers(&w->job, &list);
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++) {
        if (strncmp(list.items[i].name, "adapter.a", 9) != 0 || list.items[i].kind != ORR_OP_GEMM) continue;
        assert_true(list.items[i].dtype == ORR_DTYPE_FP32 && list.items[i].input_bytes == 4);
        n++;
    }
    assert_int_equal(n, 3);
}

/* Llama-2-7B, 16 tokens. With the optimizer after backward all 6738415616 gradients of 2 bytes are alive at the end. In
 * backward it leaves those of one block: a layer's 202383360 parameters less the 67108864 of its attention. */
static void optimizer_in_backward_drops_gradients(void **state)
{
    struct world *w = *state;
    static const char REQUEST[] = "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':1,'workload':{"
                                  "'seq':16,'micro_batch':1,'global_batch':%d,'recompute':'full'%s," HF "}}";
    read_job(w, REQUEST, 1, "");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS], 2 * 6738415616.0, 1e-9);
    read_job(w, REQUEST, 1, ",'optimizer_in_backward':true");
    train(w);
    near(w->result.memory.part_bytes[ORR_MEMORY_GRADIENTS], 2 * (202383360.0 - 67108864.0), 1e-9);
    struct orr_error error;
    char request[512];
    (void)snprintf(request, sizeof request, REQUEST, 2, ",'optimizer_in_backward':true");
    assert_int_equal(try_job(w, request, &error), ORR_ERR_RULE);
    assert_non_null(strstr(error.text, "a replica can have 1 micro-batch, not 2"));
}

static void frozen_matrices_have_no_weight_gradients(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    read_llama(w, "llama3-8b", "'adapter':'qlora:rank=16,targets=attention'");
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "attention.qkv"), 3);
    assert_int_equal(count_of(&list, "attention.qkv.dgrad"), 3);
    assert_int_equal(count_of(&list, "attention.qkv.wgrad"), 0);
    assert_int_equal(count_of(&list, "head.logits.wgrad"), 0);
    assert_int_equal(count_of(&list, "embedding.scatter"), 0);
    assert_int_equal(count_of(&list, "adapter.a"), 4);
    assert_int_equal(count_of(&list, "adapter.a.wgrad"), 4);
    assert_int_equal(count_of(&list, "adapter.dequantise"), 14); /* seven matrices, each way */
}

/* TinyLlama has 44044288 parameters in a layer, and 65538048 in head and final norm. */
static void frozen_layers_below_have_no_backward(void **state)
{
    struct world *w = *state;
    static struct orr_op_list list;
    read_llama(w, "tinyllama-1.1b", "'frozen':'embeddings,layers:11'");
    assert_int_equal(w->job.model.n_kinds, 2);
    assert_true(first_stage(w).trained_dense == 11 * 44044288.0 + 65538048.0);
    orr_ops_layers(&w->job, &list);
    for (size_t i = 0; i < list.n; i++)
        if (list.items[i].layer_kind == 1 && list.items[i].phase == ORR_PHASE_BACKWARD)
            fail_msg("%s in a layer without backward", list.items[i].name);
    read_llama(w, "tinyllama-1.1b", "'frozen':'none'");
    assert_int_equal(w->job.model.n_kinds, 1);
    read_llama(w, "tinyllama-1.1b", "'frozen':'layers:11'"); /* the embedding below needs gradients of inputs */
    orr_ops_layers(&w->job, &list);
    assert_int_equal(count_of(&list, "mlp.down.dgrad"), 2);
    assert_int_equal(count_of(&list, "mlp.down.wgrad"), 1);
}

static void fewer_trained_weights_never_cost_more(void **state)
{
    struct world *w = *state;
    double time_s[3], bytes[3];
    const char *const asks[] = {"'recompute':'none'", "'adapter':'lora:rank=64,format=bf16'",
                                "'adapter':'lora:rank=8,targets=q+v,format=bf16'"};
    for (size_t i = 0; i < 3; i++) {
        read_llama(w, "llama2-7b", asks[i]);
        train(w);
        time_s[i] = w->result.step_time_s;
        bytes[i] = w->result.memory.total_bytes;
        assert_true(w->result.mfu_frac > 0 && w->result.mfu_frac < 1);
    }
    assert_true(time_s[0] > time_s[2] && time_s[1] > time_s[2]);
    assert_true(bytes[0] > bytes[1] && bytes[1] > bytes[2]);
}

static void refuse(struct world *w, const char *rest, const char *expected)
{
    struct orr_error error;
    char request[512];
    (void)snprintf(request, sizeof request,
                   "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':1,'workload':{%s}}", rest);
    assert_int_equal(try_job(w, request, &error), ORR_ERR_INPUT);
    if (!strstr(error.text, expected)) fail_msg("%s\nhas not: %s", error.text, expected);
}

static void bad_adapters_are_refused(void **state)
{
    struct world *w = *state;
    refuse(w, "'adapter':'lorra'", "\"lorra\" is none of none, lora, dora, qlora (did you mean \"lora\"?)");
    refuse(w, "'adapter':'lora:rank=0'", "rank must be an integer from 1 to 4096, not \"0\"");
    refuse(w, "'adapter':'lora:targets=gates'", "\"gates\" is none of q, k, v, o, gate, up, down, attention, mlp, all");
    refuse(w, "'adapter':'lora:base=nf5'", "\"nf5\" is none of bf16, fp8, int8, nf4, nf4-single");
    refuse(w, "'adapter':'lora:dropout=1'", "dropout must be a number from 0 to less than 1, not \"1\"");
    refuse(w, "'precision':'bf16','adapter':'lora:base=fp8'", "base=fp8 needs products of 8 bits (precision)");
    refuse(w, "'adapter':7", "must be a text like");
    refuse(w, "'frozen':'layers:99'", "layers:N must have N from 1 to 32");
    refuse(w, "'frozen':'heads'", "\"heads\" is none of embeddings, head, tower, layers:N");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_two_thin_matrices),
        cmocka_unit_test(quantised_weights_and_states_of_adapters_alone),
        cmocka_unit_test(kept_activations_are_counted),
        cmocka_unit_test(joined_adapters_keep_what_was_measured),
        cmocka_unit_test(dropout_keeps_copies_and_masks),
        cmocka_unit_test(a_quantised_head_is_restored_beside_its_logits),
        cmocka_unit_test(adapters_beside_quantised_matrices),
        cmocka_unit_test(whole_adapters_stand_beside_joined_products),
        cmocka_unit_test(frozen_weights_of_8_bits_are_their_own_copy),
        cmocka_unit_test(plain_adapters_multiply_in_fp32),
        cmocka_unit_test(optimizer_in_backward_drops_gradients),
        cmocka_unit_test(frozen_matrices_have_no_weight_gradients),
        cmocka_unit_test(frozen_layers_below_have_no_backward),
        cmocka_unit_test(fewer_trained_weights_never_cost_more),
        cmocka_unit_test(bad_adapters_are_refused),
    };
    return cmocka_run_group_tests_name("adapter", tests, open_world, close_world);
}
