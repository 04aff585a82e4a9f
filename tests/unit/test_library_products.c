/* Products of stacks that multiply by way of a library: matrices that are restored to 16 bits first (Eq. 328), kernels
 * around integer products (Eq. 329), output matrices that tensor parallelism leaves whole (Eq. 330), heads that
 * are copied to every core (Eq. 332), pieces that prompts are always cut into (Eq. 352), and the tile of two that are
 * equally fast (Eq. 33). */
#include "serving.h"

#include "cost/cost.h"
#include "ops/ops.h"
#include "ops/serve.h"

static struct orr_op_list list;
static double n_sequences = 8;

/* The operator of a decode step of so many sequences, or NULL. */
static const struct orr_op *step_op(struct world *w, const char *name)
{
    const struct orr_serve_shape shape = {.decode_sequences = n_sequences, .decode_context = 100, .queries = 1};
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_DECODE, &list);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.items[i].name, name) == 0) return &list.items[i];
    return NULL;
}

static void read_llama(struct world *w, const char *precision, int tp)
{
    read_job(w,
             "{'kind':'infer','model':'llama3.1-8b','system':'a100-80g-sxm','plan':{'tp':%d},'workload':{'batch':8,"
             "'input_len':100,'output_len':10,'precision':'%s','engine':'transformers-4'}}",
             tp, precision);
}

/* Queries, keys and values have 4096 + 2 * 1024 columns and 4096 rows; a weight takes a byte and each of the 6144
 * scales two. The copy takes two bytes a weight, and so does the product after it. */
static void a_narrow_matrix_is_written_out_before_its_product(void **state)
{
    struct world *w = *state;
    const double weights = 6144.0 * 4096;
    read_llama(w, "w8a16", 1);
    assert_null(step_op(w, "restore"));
    assert_close(step_op(w, "attention.qkv")->weight_bytes, 1 + 2.0 / 4096, 1e-12);
    w->job.engine.restored_rows = 9; /* more than the rows of the step */
    assert_null(step_op(w, "restore"));
    w->job.engine.restored_rows = 8;
    assert_close(step_op(w, "restore")->bytes, 3 * weights + 2 * 6144, 1e-12);
    assert_close(step_op(w, "restore")->launches, 1, 0);
    assert_int_equal(step_op(w, "restore")->pointwise, ORR_POINTWISE_CAST);
    assert_close(step_op(w, "attention.qkv")->weight_bytes, 2, 0);
    assert_close(step_op(w, "attention.qkv")->bytes, 2 * weights + 2 * 8 * (4096.0 + 6144), 1e-12);
    read_llama(w, "bf16", 1); /* nothing to restore */
    w->job.engine.restored_rows = 1;
    assert_null(step_op(w, "restore"));
    read_llama(w, "bnb-int8", 1); /* multiplied as it is stored */
    w->job.engine.restored_rows = 1;
    assert_null(step_op(w, "restore"));
}

/* The same matrix in NF4 with double quantisation: 4 bits, 8 bits of scale per 64, and 32 bits per 256 of these. Eight
 * rows restore it in three kernels, at the rate of casts to a wider format; a single row does not. */
static void normal_floats_are_restored_for_two_rows(void **state)
{
    struct world *w = *state;
    const double weights = 6144.0 * 4096;
    read_llama(w, "nf4-double", 1);
    assert_close(step_op(w, "restore")->bytes, weights * (2 + 0.515869140625), 1e-9);
    assert_close(step_op(w, "restore")->launches, 3, 0);
    assert_int_equal(step_op(w, "restore")->pointwise, ORR_POINTWISE_UPCAST);
    read_llama(w, "nf4", 1);
    assert_close(step_op(w, "restore")->bytes, weights * (2 + 0.5625), 1e-9);
    assert_close(step_op(w, "restore")->launches, 1, 0);
    n_sequences = 1;
    assert_null(step_op(w, "restore"));
    n_sequences = 8;
}

static void kernels_around_an_integer_product_are_launched(void **state)
{
    struct world *w = *state;
    read_llama(w, "bnb-int8", 1);
    w->job.engine.integer_launches = 0;
    assert_close(step_op(w, "quantise")->launches, 1, 0);
    w->job.engine.integer_launches = 40;
    assert_close(step_op(w, "quantise")->launches, 40, 0);
    read_llama(w, "w8a16", 1);
    w->job.engine.integer_launches = 40;
    assert_null(step_op(w, "quantise"));
}

/* Llama 3.1 has 128256 tokens of 4096 numbers, in an embedding and an output matrix of its own. */
static void a_head_that_is_not_divided_is_read_whole(void **state)
{
    struct world *w = *state;
    read_llama(w, "bf16", 2);
    const double before = infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS];
    assert_close(step_op(w, "head")->n, 64128, 0);
    assert_non_null(step_op(w, "head.gather"));
    w->job.engine.whole_head = true;
    assert_close(step_op(w, "head")->n, 128256, 0);
    assert_null(step_op(w, "head.gather"));
    assert_close(infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS] - before, 2 * 2 * 64128 * 4096.0, 1e-12);
}

/* Eq. 332: 16 chips of two cores. Llama 3 has 32 query and 8 K,V heads, Llama 2 70B 64 and 8, Llama 2 7B 32 of each. A
 * head of a token takes 2 * 128 numbers of two bytes. */
static void every_core_has_heads_of_its_own(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model;
        double before, after;
    } CASES[] = {{"llama3-8b", 1, 2}, {"llama2-70b", 1, 2}, {"llama2-7b", 2, 2}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'trn1.32xlarge','plan':{'tp':16},'workload':{'batch':8,"
                 "'input_len':128,'output_len':128,'engine':'transformers-neuronx-0.13'}}",
                 CASES[i].model);
        const struct orr_layer_kind *kind = &w->job.model.kinds[0];
        assert_close(orr_kv_rank_bytes(&w->job, kind), CASES[i].after * 512, 0);
        w->job.engine.kv_per_core = false;
        assert_close(orr_kv_rank_bytes(&w->job, kind), CASES[i].before * 512, 0);
    }
}

/* 2048 tokens in pieces of 512 are four passes of a piece, one after another, over any number of stages. Where pieces
 * follow each other, four stages work on four pieces: 4/4 passes of their own and 3/4 of a pass until the first piece
 * has come through, 7/16 of the former (Eq. 352). Sends between stages are less than a per cent here. A piece of one
 * stage has nothing to follow, and pieces that a request asks for are cut as it says. */
static void pieces_of_a_prompt_follow_each_other(void **state)
{
    struct world *w = *state;
    static const char REQUEST[] = "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{'pp':%d},'workload':"
                                  "{'engine':'llama.cpp-2024',"
                                  "'batch':1,'input_len':2048,'output_len':1%s},'set':{'engine.prompt_piece_tokens':%d,"
                                  "'engine.prompt_pieces_follow':%s}}";
    struct orr_infer_result apart, follow, asked;
    read_job(w, REQUEST, 4, "", 512, "false");
    orr_infer(&w->job, w->scratch, &apart);
    read_job(w, REQUEST, 4, "", 512, "true");
    orr_infer(&w->job, w->scratch, &follow);
    assert_close(follow.prefill_s / apart.prefill_s, 7.0 / 16, 0.01);
    read_job(w, REQUEST, 4, ",'chunk_tokens':512", 0, "true");
    orr_infer(&w->job, w->scratch, &asked);
    assert_close(asked.prefill_s, follow.prefill_s, 1e-12);
    read_job(w, REQUEST, 1, "", 512, "false");
    orr_infer(&w->job, w->scratch, &apart);
    read_job(w, REQUEST, 1, "", 512, "true");
    orr_infer(&w->job, w->scratch, &follow);
    assert_close(follow.prefill_s, apart.prefill_s, 1e-12);
}

/* Two prompts of 32 tokens behind 100 each, DeepSeek-V3 on 8 GPUs: 16 heads, whose keys have 128 elements beside the
 * rotary 64 and values 128, from latents of 512. Keys of 264 tokens are joined (Eq. 386). */
static void a_piece_expands_its_context_again(void **state)
{
    struct world *w = *state;
    const struct orr_serve_shape shape = {
        .prefill_sequences = 2, .prefill_tokens = 64, .prefill_context = 100, .queries = 1};
    read_job(w, "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','plan':{'tp':8},'workload':{'batch':2,"
                "'input_len':132,'output_len':1,'engine':'vllm'}}");
    for (int rebuilt = 1; rebuilt >= 0; rebuilt--) {
        const struct orr_op *up = NULL, *copies = NULL;
        w->job.engine.latents_rebuilt = rebuilt;
        list.n = 0;
        orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_PREFILL, &list);
        for (size_t i = 0; i < list.n; i++) {
            if (strcmp(list.items[i].name, "mla.context_up") == 0) up = &list.items[i];
            if (strcmp(list.items[i].name, "mla.context_copies") == 0) copies = &list.items[i];
        }
        if (!rebuilt) {
            assert_null(up);
            assert_null(copies);
            continue;
        }
        assert_non_null(up);
        assert_non_null(copies);
        assert_close(up->m, 200, 0);
        assert_close(up->k, 512, 0);
        assert_close(up->n, 16 * 256, 0);
        assert_close(copies->bytes, 2 * (2 * 200 * (512 + 64.0) + 264 * 16 * (2 * 128 + 64.0)), 1e-12);
    }
}

/* 128 rows against 8192 x 8192 weights wait 86 us for the 134 MB of these, whether a tile has 128 rows, which takes
 * 49 us on 114 SMs, or 256, half of them empty: the first is slower under no power limit. */
static void of_two_equal_tiles_the_one_with_less_work_is_taken(void **state)
{
    struct world *w = *state;
    struct orr_cost cost;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-pcie','gpus':8,'plan':{},'workload':{}}");
    const struct orr_op op = {.kind = ORR_OP_GEMM,
                              .dtype = ORR_DTYPE_BF16,
                              .batch = 1,
                              .m = 128,
                              .n = 8192,
                              .k = 8192,
                              .input_bytes = 2,
                              .weight_bytes = 2,
                              .output_bytes = 2,
                              .flops = 2.0 * 128 * 8192 * 8192};
    orr_cost_gemm(&w->job, &op, &cost);
    assert_int_equal(cost.bound, ORR_BOUND_DRAM);
    assert_true(cost.tile_m <= 128 && cost.compute_s < 0.7 * cost.dram_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_narrow_matrix_is_written_out_before_its_product),
        cmocka_unit_test(normal_floats_are_restored_for_two_rows),
        cmocka_unit_test(kernels_around_an_integer_product_are_launched),
        cmocka_unit_test(a_head_that_is_not_divided_is_read_whole),
        cmocka_unit_test(every_core_has_heads_of_its_own),
        cmocka_unit_test(pieces_of_a_prompt_follow_each_other),
        cmocka_unit_test(a_piece_expands_its_context_again),
        cmocka_unit_test(of_two_equal_tiles_the_one_with_less_work_is_taken),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
