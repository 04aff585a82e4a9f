/* Recipes of training in 8 bits or fewer: what is cast, kept and gathered. Llama-3-8B, one sequence of 4096: the input
 * of mlp.up has 4096 x 4096 elements, its output 28672 columns, its weights 4096 x 28672. */
#include "support.h"

#include "ops/recipe.h"

#define INPUT  (4096.0 * 4096.0)
#define OUTPUT (4096.0 * 28672.0)

static void ask(struct world *w, const char *system, const char *engine, const char *precision, const char *recipe)
{
    read_job(w,
             "{'kind':'train','model':'llama3-8b','system':'%s','gpus':8,'plan':{'dp':8},'workload':{'engine':'%s',"
             "'precision':'%s','fp8_recipe':'%s','seq':4096,'micro_batch':1,'global_batch':16}}",
             system, engine, precision, recipe);
    train(w);
}

static void assert_cast(const struct world *w, const char *name, double bytes, double launches)
{
    const struct orr_op *op = need_op(w, 0, name);
    assert_close(op->bytes, bytes, 1e-12);
    assert_close(op->launches, launches, 0);
}

/* Hopper multiplies 8-bit operands only along the reduction. One kernel reads 2 bytes and writes two copies of 1; the
 * weights are cast once per step, so that 8.03e9 parameters move 4 bytes each. */
static void delayed_scales_cast_and_turn_at_once(void **state)
{
    struct world *w = *state;
    ask(w, "h100-sxm", "megatron-core-2025", "fp8", "engine");
    assert_int_equal(orr_recipe_asked(&w->job), ORR_RECIPE_DELAYED);
    assert_cast(w, "mlp.up.cast", 4 * INPUT, 1);
    assert_cast(w, "mlp.up.cast_grad", 4 * OUTPUT, 1);
    assert_null(find_op(w, 0, "mlp.up.cast_again"));
    assert_close(need_op(w, ORR_LAYER_STEP, "weights.cast")->bytes, 4 * 8.03e9, 1e-3);
    assert_null(find_op(w, 0, "attention.flash.cast"));
    assert_null(find_op(w, ORR_LAYER_HEAD, "head.logits.cast"));
    assert_int_equal(need_op(w, 0, "mlp.up")->dtype, ORR_DTYPE_FP8);
    assert_int_equal(need_op(w, ORR_LAYER_HEAD, "head.logits")->dtype, ORR_DTYPE_BF16);
}

/* Blackwell takes operands in any order: a tensor-wise cast reads 2 for the maximum, 2 for the copy, and writes 1, in
 * three kernels. MXFP8 has scales along each direction: 2 + 2·(1 + 1/32), and a kernel that orders the scales. */
static void blackwell_turns_nothing_round(void **state)
{
    struct world *w = *state;
    ask(w, "gb200-nvl72", "megatron-core-2026", "fp8", "tensorwise");
    assert_cast(w, "mlp.up.cast", 5 * INPUT, 3);
    ask(w, "gb200-nvl72", "megatron-core-2026", "fp8", "engine");
    assert_int_equal(orr_recipe_asked(&w->job), ORR_RECIPE_MXFP8);
    assert_cast(w, "mlp.up.cast", 4.0625 * INPUT, 2);
    assert_int_equal(need_op(w, 0, "mlp.up.wgrad")->dtype, ORR_DTYPE_FP8);
}

/* torchao 2024, compiled: the kernel before finds the maximum, the cast moves 3 bytes, turning the copy round 2.
 * Weights are gathered in 8 bits, so that forward casts none of them and backward turns them: 2 bytes. The gather moves
 * 1 byte of each weight. */
static void torchao_casts_by_tensor(void **state)
{
    struct world *w = *state;
    ask(w, "h100-sxm", "torchtitan-2024-compiled", "fp8", "engine");
    assert_int_equal(orr_recipe_asked(&w->job), ORR_RECIPE_TENSORWISE);
    assert_cast(w, "mlp.up.cast", 5 * INPUT, 3);
    assert_cast(w, "mlp.up.cast_grad", 5 * OUTPUT, 3);
    assert_cast(w, "mlp.up.cast_again", 2 * OUTPUT, 1);
    assert_null(find_op(w, ORR_LAYER_STEP, "weights.cast"));
    const double params = orr_rank_dense_params(&w->job, &w->job.model.kinds[0]);
    assert_close(need_op(w, 0, "zero.gather")->payload_bytes, params, 1e-12);
    assert_close(orr_recipe_of(&w->job).saved_bytes, 1, 0);
}

/* Row-wise: 3 bytes in forward for input and weights (4096 x 28672 as well), in backward the input and the weights
 * along the other direction, 3 each; the gradient twice. Inputs stay in 16 bits and weights are gathered in 16 bits.
 * With weight gradients in 16 bits the input is cast once and the gradient once. */
static void rows_are_cast_along_each_direction(void **state)
{
    struct world *w = *state;
    ask(w, "h100-sxm", "torchtitan-2024-compiled", "fp8", "rowwise");
    assert_cast(w, "mlp.up.cast", 3 * INPUT + 3 * OUTPUT, 2);
    assert_cast(w, "mlp.up.cast_grad", 6 * OUTPUT, 2);
    assert_cast(w, "mlp.up.cast_again", 3 * INPUT + 3 * OUTPUT, 2);
    assert_close(orr_recipe_of(&w->job).saved_bytes, 2, 0);
    assert_close(orr_recipe_of(&w->job).gather_bytes, 2, 0);
    ask(w, "h100-sxm", "torchtitan-2024-compiled", "fp8", "rowwise_gw_hp");
    assert_cast(w, "mlp.up.cast_grad", 3 * OUTPUT, 1);
    assert_cast(w, "mlp.up.cast_again", 3 * OUTPUT, 1);
    assert_int_equal(need_op(w, 0, "mlp.up.dgrad")->dtype, ORR_DTYPE_FP8);
    assert_int_equal(need_op(w, 0, "mlp.up.wgrad")->dtype, ORR_DTYPE_BF16);
}

/* Blocks of 128 have products of their own rate; a copy has 4 bytes of scale per 128 elements: 2 + 2·(1 + 1/32). */
static void blocks_are_a_format(void **state)
{
    struct world *w = *state;
    ask(w, "h100-sxm", "megatron-core-2025", "fp8", "blockwise");
    assert_int_equal(w->job.workload.precision, ORR_DTYPE_FP8_BLOCK);
    assert_int_equal(need_op(w, 0, "mlp.down")->dtype, ORR_DTYPE_FP8_BLOCK);
    assert_cast(w, "mlp.up.cast", 4.0625 * INPUT, 1);
}

/* NVFP4: maximum 2, copies 2 + 0.5 + 1/16 and 0.5 + 1/16: 5.125. With 8 of 32 layers in 16 bits a layer executes 3/4 of
 * the narrow products and 1/4 of the wide ones; their FLOP add up to those of a plain layer. */
static void four_bits_leave_layers_wide(void **state)
{
    struct world *w = *state;
    ask(w, "gb200-nvl72", "megatron-core-2026", "fp4", "engine");
    assert_cast(w, "mlp.up.cast", 5.125 * INPUT, 4);
    const double whole_s = w->result.step_time_s;
    w->job.workload.wide_layers = 8;
    train(w);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    double narrow = 0, wide = 0;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++)
        if (strcmp(ops[i].name, "mlp.up") == 0)
            *(ops[i].dtype == ORR_DTYPE_FP4 ? &narrow : &wide) += ops[i].count * ops[i].flops;
    assert_close(narrow, 0.75 * 2 * INPUT * 28672, 1e-12);
    assert_close(wide, 0.25 * 2 * INPUT * 28672, 1e-12);
    assert_true(w->result.step_time_s > whole_s);
}

/* Eq. 166. Llama-3-8B has 8,030,261,248 parameters, of which 2 · 128256 · 4096 = 1,050,673,152 and a norm of 4096 are
 * at the ends: 6,979,584,000 of layers. Transformer Engine keeps 2 bytes more of each on Hopper. Megatron 2026 gathers
 * in 8 bits: on Blackwell with a scale per tensor a weight has 1 byte instead of 2. */
static void narrow_copies_take_memory(void **state)
{
    struct world *w = *state;
    const double all = 8030261248.0, layers = 6979584000.0;
    ask(w, "h100-sxm", "megatron-core-2025", "fp8", "engine");
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * all + 2 * layers, 1e-4);
    ask(w, "gb200-nvl72", "megatron-core-2026", "fp8", "tensorwise");
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * all - layers, 1e-4);
    ask(w, "h100-sxm", "megatron-core-2025", "bf16", "engine");
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * all, 1e-4);
}

static void recipes_need_their_width(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    assert_int_equal(try_job(w,
                             "{'kind':'train','model':'llama3-8b','system':'h100-sxm','plan':{},'workload':{"
                             "'fp8_recipe':'mxfp8'}}",
                             &error),
                     ORR_ERR_RULE);
    assert_non_null(strstr(error.text, "mxfp8 scales products in fp8, but precision is \"bf16\""));
    assert_int_equal(try_job(w,
                             "{'kind':'train','model':'llama3-8b','system':'gb200-nvl72','plan':{},'workload':{"
                             "'precision':'fp8','fp8_recipe':'nvfp4'}}",
                             &error),
                     ORR_ERR_RULE);
}

/* ---------------------------------------------------------------- packed samples */

static void read_packed(struct world *w, int sample)
{
    read_job(w,
             "{'kind':'train','model':'llama2-7b','system':'h100-sxm','plan':{},'workload':{'seq':4096,'sample_len':%d,"
             "'micro_batch':2,'global_batch':4,'engine':'megatron-core-2024'}}",
             sample);
}

/* Eq. 326: two sequences of 4096 tokens that hold 16 samples of 256 each are 32 sequences to the 32 heads of attention,
 * and as before to everything else. Model FLOP lose 3 passes of 2 * 32 heads * (128 + 128) for 3840 of 4096 keys. */
static void packed_samples_attend_within_themselves(void **state)
{
    struct world *w = *state;
    read_packed(w, 0);
    train(w);
    const double whole_s = w->result.step_time_s, whole_flops = w->result.model_flops;
    const double product_flops = need_op(w, 0, "attention.qkv")->flops;
    read_packed(w, 4096);
    train(w);
    assert_close(w->result.step_time_s, whole_s, 0);
    read_packed(w, 256);
    train(w);
    const struct orr_op *flash = need_op(w, 0, "attention.flash");
    assert_close(flash->batch, 2 * 16 * 32, 0);
    assert_close(flash->m, 256, 0);
    assert_close(flash->n, 256, 0);
    assert_close(flash->flops, 2.0 * 1024 * (256 * 256 / 2) * (128 + 128), 1e-12);
    assert_close(need_op(w, 0, "attention.qkv")->flops, product_flops, 0);
    assert_true(w->result.step_time_s < whole_s);
    assert_close(whole_flops - w->result.model_flops, 3.0 * 4 * 4096 * 32 * 2 * 32 * 256 * 3840, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_samples_attend_within_themselves),
        cmocka_unit_test(delayed_scales_cast_and_turn_at_once),
        cmocka_unit_test(blackwell_turns_nothing_round),
        cmocka_unit_test(torchao_casts_by_tensor),
        cmocka_unit_test(rows_are_cast_along_each_direction),
        cmocka_unit_test(blocks_are_a_format),
        cmocka_unit_test(four_bits_leave_layers_wide),
        cmocka_unit_test(narrow_copies_take_memory),
        cmocka_unit_test(recipes_need_their_width),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
