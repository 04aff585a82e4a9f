/* Stacks whose activations have 32 bits: conversions around the library's products and scores (Eq. 382), attention head
 * by head (Eq. 383), sums in 16 bits (Eq. 384), integers in blocks (Eq. 385), and chips on which matrices are restored
 * (Eq. 328). Llama 3.1 8B: 4096 wide, 32 heads and 8 of keys and values of 128, an FFN of 14336. */
#include "serving.h"

#include "cost/cost.h"
#include "ops/ops.h"
#include "ops/serve.h"

static struct orr_op_list list;

static const struct orr_op *find(const char *name)
{
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.items[i].name, name) == 0) return &list.items[i];
    return NULL;
}

/* The operator of a decode step of so many sequences, or NULL. */
static const struct orr_op *step_op(struct world *w, double sequences, const char *name)
{
    const struct orr_serve_shape shape = {.decode_sequences = sequences, .decode_context = 100, .queries = 1};
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_DECODE, &list);
    return find(name);
}

/* The operator of a prompt of 64 tokens. */
static const struct orr_op *prompt_op(struct world *w, const char *name)
{
    const struct orr_serve_shape shape = {.prefill_sequences = 1, .prefill_tokens = 64, .queries = 1};
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_PREFILL, &list);
    return find(name);
}

static void read_llama(struct world *w, const char *system, const char *precision)
{
    read_job(w,
             "{'kind':'infer','model':'llama3.1-8b','system':'%s','workload':{'batch':1,'input_len':64,'output_len':2,"
             "'precision':'%s','engine':'llama.cpp-2024'}}",
             system, precision);
}

/* The first product has queries, keys and values: three products with 4096 rows of a matrix of 6144 columns. The input
 * of each is read in 4 bytes and written in 2, their results the other way round. */
static void products_of_the_library_are_converted(void **state)
{
    struct world *w = *state;
    read_llama(w, "a100-80g-sxm", "fp16");
    assert_close(step_op(w, 8, "convert")->bytes, 6 * 8 * (3 * 4096.0 + 6144), 1e-12);
    assert_close(step_op(w, 8, "convert")->launches, 6, 0);
    assert_int_equal(step_op(w, 8, "convert")->pointwise, ORR_POINTWISE_CAST);
    assert_null(step_op(w, 1, "convert")); /* a vector is multiplied as it is */
    w->job.engine.wide_activations = false;
    assert_null(step_op(w, 8, "convert"));
}

/* Kernels of the stack's own take blocks of 32 integers and a scale, 36 bytes, and write 4 bytes where a product was
 * counted with 2. */
static void products_of_its_own_take_blocks(void **state)
{
    struct world *w = *state;
    read_llama(w, "a100-80g-sxm", "q8_0");
    assert_close(step_op(w, 16, "convert")->bytes, 16 * ((4 + 36.0 / 32) * 3 * 4096 + 2 * 6144), 1e-12);
    assert_close(step_op(w, 16, "convert")->launches, 3, 0);
    assert_close(step_op(w, 1, "convert")->launches, 3, 0);
    assert_int_equal(step_op(w, 9, "attention.qkv")->dtype, ORR_DTYPE_INT8);
    assert_close(step_op(w, 9, "attention.qkv")->input_bytes, 36.0 / 32, 1e-12);
    assert_int_equal(step_op(w, 8, "attention.qkv")->dtype, w->job.serving.matrix); /* kernels for vectors */
    w->job.engine.block_integers = false;
    assert_int_equal(step_op(w, 9, "attention.qkv")->dtype, w->job.serving.matrix);
}

/* 32 heads of 64 x 64 scores: 6 bytes each on either side of the softmax, which reads and writes 4. */
static void scores_have_32_bits(void **state)
{
    struct world *w = *state;
    const double scores = 32 * 64.0 * 64;
    read_llama(w, "a100-80g-sxm", "fp16");
    assert_close(prompt_op(w, "attention.convert")->bytes, 12 * scores, 1e-12);
    assert_close(prompt_op(w, "attention.softmax")->bytes, 8 * scores, 1e-12);
    const double wide = prompt_op(w, "pointwise")->bytes;
    w->job.engine.wide_activations = false;
    assert_null(prompt_op(w, "attention.convert"));
    assert_close(prompt_op(w, "attention.softmax")->bytes, 4 * scores, 1e-12);
    /* a gate: read and written, then two read and one written, in 4 bytes; else three times 2 */
    assert_close(wide - prompt_op(w, "pointwise")->bytes, 64 * 14336.0 * (20 - 6), 1e-9);
}

static void attention_is_called_head_by_head(void **state)
{
    struct world *w = *state;
    read_llama(w, "a100-80g-sxm", "fp16");
    assert_null(step_op(w, 2, "attention.heads"));
    w->job.engine.head_launches = 7;
    assert_close(step_op(w, 2, "attention.heads")->launches, 7 * 32, 0);
    assert_close(prompt_op(w, "attention.heads")->launches, 7 * 32, 0);
    assert_null(step_op(w, 1, "attention.heads")); /* one row has kernels for all heads */
}

/* Volta restores from 64 rows on, later chips do not. */
static void some_chips_restore(void **state)
{
    struct world *w = *state;
    read_llama(w, "v100-16g-pcie", "q8_0");
    assert_non_null(step_op(w, 64, "restore"));
    assert_null(step_op(w, 63, "restore"));
    read_llama(w, "a100-80g-sxm", "q8_0");
    assert_null(step_op(w, 64, "restore"));
    w->job.engine.restored_chips[0] = 0; /* on all */
    assert_non_null(step_op(w, 64, "restore"));
}

/* A GeForce board adds up twice as fast in 16 bits: half the time on the matrix units, for 16-bit matrices alone. */
static void sums_in_16_bits_are_faster(void **state)
{
    struct world *w = *state;
    struct orr_cost wide, half;
    read_llama(w, "rtx-4090", "fp16");
    const struct orr_op product = *prompt_op(w, "mlp.up");
    struct orr_op plain = product;
    assert_true(product.half_sums);
    plain.half_sums = false;
    orr_cost_gemm(&w->job, &plain, &wide);
    orr_cost_gemm(&w->job, &product, &half);
    assert_close(wide.matrix_s / half.matrix_s, 330.3 / 165.2, 1e-12);
    assert_true(half.compute_s < wide.compute_s);
    read_llama(w, "rtx-4090", "q8_0");
    assert_false(prompt_op(w, "mlp.up")->half_sums);
    read_llama(w, "a100-80g-sxm", "fp16"); /* no rate of its own */
    orr_cost_gemm(&w->job, &plain, &wide);
    orr_cost_gemm(&w->job, &product, &half);
    assert_close(half.compute_s, wide.compute_s, 0);
}

/* 64 x 4096 x 14336 products of integers are 128 x 64 x 14336 sums of 32, each three instructions; the RTX 4090 adds
 * and multiplies 82.6e12 times a second, an instruction counts two. */
static void scales_of_blocks_take_time(void **state)
{
    struct world *w = *state;
    struct orr_cost with, without;
    read_llama(w, "rtx-4090", "q8_0");
    struct orr_op op = *prompt_op(w, "mlp.up");
    assert_true(op.in_blocks);
    orr_cost_gemm(&w->job, &op, &with);
    op.in_blocks = false;
    orr_cost_gemm(&w->job, &op, &without);
    assert_close(with.compute_s - without.compute_s, 128 * 64 * 14336 * 3 / 41.3e12, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_the_library_are_converted),
        cmocka_unit_test(products_of_its_own_take_blocks),
        cmocka_unit_test(scores_have_32_bits),
        cmocka_unit_test(attention_is_called_head_by_head),
        cmocka_unit_test(some_chips_restore),
        cmocka_unit_test(sums_in_16_bits_are_faster),
        cmocka_unit_test(scales_of_blocks_take_time),
    };
    return cmocka_run_group_tests_name("wide activations", tests, open_world, close_world);
}
