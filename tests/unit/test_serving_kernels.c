/* Kernels of serving engines that differ by stack: graphs in pieces, 4-bit experts and products, norms of heads.
 * Expected values are worked out in the comments. */
#include "serving.h"

#include <math.h>

#include "cost/cost.h"

/* Eq. 241: Llama-3-8B has 32 layers, so that a decode step of one graph per layer pauses 32·5 us. Graphs hold up to 512
 * sequences; a larger step, and one with a prompt, is launched anyway. */
static void pieces_pause_at_every_layer(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{},'workload':{'batch':4,"
                "'input_len':1000,'output_len':100,'engine':'vllm-0.10'}}");
    assert_true(w->job.engine.graph_pieces);
    assert_close(w->job.engine.graph_piece_s, 5e-6, 1e-12);
    struct orr_job whole = w->job;
    whole.engine.graph_pieces = false;
    struct orr_step_model *pieces = orr_step_model_new(&w->job), *one = orr_step_model_new(&whole);
    const struct orr_step steps[] = {
        {.decode_sequences = 4, .decode_context = 4000},
        {.decode_sequences = 513, .decode_context = 513000},
        {.prefill_tokens = 1000, .prefill_sequences = 1, .decode_sequences = 4, .decode_context = 4000}};
    const double pauses_s[] = {160e-6, 0, 0};
    for (size_t i = 0; i < COUNT(steps); i++)
        assert_close(1 + orr_step_time(pieces, &steps[i]) - orr_step_time(one, &steps[i]), 1 + pauses_s[i], 1e-9);
    orr_step_model_free(pieces);
    orr_step_model_free(one);
}

/* Eq. 28a: 8 experts of one row, 1024 x 512 weights of half a byte, on round constants: 1 TB/s, tiles without a fixed
 * time on 100 SMs of 10 TFLOP/s. Bytes: 8·(1024·1 + 1024·512/2 + 512·2) = 2,113,536 with rows of 8 bits. A tile of 16 x
 * 64 takes 2·16·64·1024·100/1e15 = 0.2097152 us, and 64 of them are one round. */
static struct orr_op four_bit_experts(struct world *w)
{
    read_job(w, "{'kind':'infer','model':'gpt-oss-120b','system':'b200-sxm','plan':{},'workload':{'batch':1,"
                "'input_len':100,'output_len':10,'engine':'tensorrt-llm-1.2'}}");
    struct orr_chip *chip = &w->job.system.chip;
    chip->n_sm = 100;
    chip->hbm_bytes_per_s = 1e12;
    chip->peak_flops_per_s[ORR_DTYPE_FP8] = 1e15;
    struct orr_gemm_constants *eight = &w->job.calibration.gemm[ORR_DTYPE_FP8];
    eight->burst_frac = eight->grouped_frac = 1;
    eight->grouped_dram_frac = 0.5;
    eight->grouped_tile_s = 0;
    eight->grouped_launch_s = 20e-6;
    eight->grouped_gen_frac = 0.5;
    eight->grouped_gen_dram_frac = 1;
    eight->grouped_gen_tile_s = 0;
    eight->grouped_gen_launch_s = 8e-6;
    struct orr_op op = {.kind = ORR_OP_GROUPED, .dtype = ORR_DTYPE_FP8, .batch = 8, .m = 1, .n = 512, .k = 1024};
    op.input_bytes = 1;
    op.weight_bytes = 0.5;
    op.output_bytes = 2;
    op.flops = 2 * op.batch * op.m * op.n * op.k;
    return op;
}

static void low_latency_kernels_have_constants_of_their_own(void **state)
{
    struct world *w = *state;
    const struct orr_op op = four_bit_experts(w);
    struct orr_cost cost;
    const double tile_s = 0.2097152e-6, dram_s = 2.113536e-6;
    assert_false(w->job.engine.low_latency_experts); /* the default of TensorRT-LLM 1.1 is CUTLASS */
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(tile_s, 1.5) + pow(2 * dram_s, 1.5), 2.0 / 3) + 20e-6, 1e-9);
    w->job.engine.low_latency_experts = true;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(2 * tile_s, 1.5) + pow(dram_s, 1.5), 2.0 / 3) + 8e-6, 1e-9);
    /* A chip without such kernels keeps those of the format. */
    w->job.calibration.gemm[ORR_DTYPE_FP8].grouped_gen_dram_frac = 0;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
}

/* Eqs. 394, 395: the same experts with rows of 16 bits: 8·(1024·2 + 1024·512/2 + 512·2) = 2,121,728 bytes. At half of
 * 1 PFLOP/s a tile of 8 x 64 takes 0.2097152 us, and one of 16 x 64 twice that. */
static struct orr_op widened_experts(struct world *w)
{
    struct orr_op op = four_bit_experts(w);
    struct orr_gemm_constants *wide = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    w->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 1e15;
    snprintf(w->job.system.chip.family, sizeof w->job.system.chip.family, "hopper");
    wide->burst_frac = 1;
    wide->grouped_launch_s = 20e-6;
    wide->grouped_marlin_frac = wide->grouped_mx_frac = 0.5;
    wide->grouped_marlin_tile_s = wide->grouped_mx_tile_s = 0;
    wide->grouped_marlin_dram_frac = 0.8;
    wide->grouped_mx_dram_frac = 0.4;
    wide->grouped_marlin_launch_s = 14e-6;
    wide->grouped_mx_launch_s = 17e-6;
    op.dtype = ORR_DTYPE_BF16;
    op.input_bytes = 2;
    return op;
}

static double launch_of(const struct world *w, const struct orr_op *op)
{
    struct orr_cost cost;
    orr_cost_grouped(&w->job, op, &cost);
    return cost.launch_s;
}

static void widened_experts_have_constants_of_their_own(void **state)
{
    struct world *w = *state;
    struct orr_op op = widened_experts(w);
    struct orr_engine *engine = &w->job.engine;
    struct orr_cost cost;
    w->job.serving.format = ORR_WEIGHT_AWQ;
    assert_close(launch_of(w, &op), 20e-6, 1e-12);
    snprintf(engine->marlin_experts, sizeof engine->marlin_experts, "ampere hopper");
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(0.2097152e-6, 1.5) + pow(2.121728e-6 / 0.8, 1.5), 2.0 / 3) + 14e-6, 1e-9);
    w->job.serving.format = ORR_WEIGHT_NF4; /* a format that Marlin does not know */
    assert_close(launch_of(w, &op), 20e-6, 1e-12);
    w->job.serving.format = ORR_WEIGHT_PUBLISHED; /* MXFP4 */
    assert_close(launch_of(w, &op), 14e-6, 1e-12);
    snprintf(engine->triton_mxfp4, sizeof engine->triton_mxfp4, "hopper");
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(0.4194304e-6, 1.5) + pow(2.121728e-6 / 0.4, 1.5), 2.0 / 3) + 17e-6, 1e-9);
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_mx_dram_frac = 0; /* Triton's, which were not timed here */
    assert_close(launch_of(w, &op), 20e-6, 1e-12);
    w->job.serving.format = ORR_WEIGHT_GPTQ;
    assert_close(launch_of(w, &op), 14e-6, 1e-12);
    op.weight_bytes = 1;
    assert_close(launch_of(w, &op), 20e-6, 1e-12);
    op.weight_bytes = 0.5;
    snprintf(w->job.system.chip.family, sizeof w->job.system.chip.family, "volta");
    assert_close(launch_of(w, &op), 20e-6, 1e-12);
}

/* Eq. 394: rows of a tile, by the rows of all experts of the GPU on average. */
static void tiles_of_marlin_follow_the_rows(void **state)
{
    struct world *w = *state;
    static const struct {
        double rows, idle;
        int64_t tile;
    } CASES[] = {{7, 0, 8}, {8, 0, 16}, {8, 8, 8}, {15, 0, 32}, {30, 0, 48}, {43, 0, 48}, {44, 0, 64}, {500, 0, 64}};
    struct orr_op op = widened_experts(w);
    struct orr_cost cost;
    w->job.serving.format = ORR_WEIGHT_W4A16;
    snprintf(w->job.engine.marlin_experts, sizeof w->job.engine.marlin_experts, "hopper");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        op.m = CASES[i].rows;
        op.n_idle_experts = CASES[i].idle;
        orr_cost_grouped(&w->job, &op, &cost);
        assert_int_equal(cost.tile_m, CASES[i].tile);
    }
}

/* Eq. 303 beside 4-bit experts: 6 tokens of 2,880 elements and 24 rows, 2·(6·2880 + 24·(2·2880 + 2880)) = 449,280. */
static void copies_beside_four_bit_experts_have_passes_of_their_own(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'gpt-oss-120b','system':'h100-sxm','plan':{},'workload':{'batch':6,"
                "'input_len':100,'output_len':10,'engine':'vllm-0.14'}}");
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    u->grouped_passes = 5;
    u->grouped_mx_passes = 3;
    u->grouped_marlin_passes = 2;
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 3 * 449280, 1e-12);
    *w->job.engine.triton_mxfp4 = '\0';
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 2 * 449280, 1e-12);
    *w->job.engine.marlin_experts = '\0';
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 5 * 449280, 1e-12);
    read_job(w, "{'kind':'infer','model':'gpt-oss-120b','system':'b200-sxm','plan':{},'workload':{'batch':6,"
                "'input_len':100,'output_len':10,'engine':'vllm-0.11'}}");
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_gen_passes = 4; /* rows of 16 bits: Eq. 398 */
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 4 * 449280, 1e-12);
}

/* Eq. 302: the same experts with weights of one byte: 8·(1024·1 + 1024·512 + 512·2) = 4,210,688 bytes. At half the rate
 * a tile takes twice 0.2097152 us. */
static void triton_experts_have_constants_of_their_own(void **state)
{
    struct world *w = *state;
    struct orr_op op = four_bit_experts(w);
    struct orr_gemm_constants *eight = &w->job.calibration.gemm[ORR_DTYPE_FP8];
    struct orr_cost cost;
    op.weight_bytes = 1;
    eight->grouped_triton_frac = 0.5;
    eight->grouped_triton_tile_s = 0;
    eight->grouped_triton_dram_frac = 0.8;
    eight->grouped_triton_launch_s = 15e-6;
    assert_false(w->job.engine.triton_experts);
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
    w->job.engine.triton_experts = true;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(0.4194304e-6, 1.5) + pow(4.210688e-6 / 0.8, 1.5), 2.0 / 3) + 15e-6, 1e-9);
    /* Block-scaled experts have the same kernels inside a tensor-parallel group, and others behind an exchange. */
    w->job.calibration.gemm[ORR_DTYPE_FP8_BLOCK] = *eight;
    op.dtype = ORR_DTYPE_FP8_BLOCK;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 15e-6, 1e-12);
    w->job.plan.ep = 8;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
    op.dtype = ORR_DTYPE_FP8;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 15e-6, 1e-12);
    w->job.plan.ep = 1;
    /* 4-bit weights have kernels of another library, and a chip without the constants those of the format. */
    op.weight_bytes = 0.5;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
    op.weight_bytes = 1;
    eight->grouped_triton_dram_frac = 0;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
}

/* Eq. 390: Mixtral at TP 2 has 8 experts of 7,168 columns on a rank; vLLM ships tiles for them on H100 since 0.3.1. */
static bool fixed_experts(struct world *w)
{
    (void)infer(w, &w->job);
    return phase_op(w, ORR_PHASE_DECODE, "expert.down", NULL)->fixed_tiles;
}

static void experts_have_the_same_tiles_unless_the_stack_ships_some(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'mixtral-8x7b','system':'h100-sxm','gpus':2,'plan':{'tp':2},'workload':{"
                "'batch':6,'input_len':100,'output_len':10,'engine':'vllm-0.11'}}");
    struct orr_calibration *c = &w->job.calibration;
    struct orr_gemm_constants *u = &c->gemm[ORR_DTYPE_BF16];
    assert_false(fixed_experts(w));
    c->n_tuned = 1;
    c->tuned[0] = (struct orr_tuned_shape){ORR_TILES_VLLM, ORR_DTYPE_BF16, 8, 7168, 1103};
    w->job.engine.tile_files_release = 1102;
    assert_true(fixed_experts(w)); /* a file of the release after this one */
    w->job.engine.tile_files_release = 1103;
    assert_false(fixed_experts(w));
    c->tuned[0].files = ORR_TILES_SGLANG;
    assert_true(fixed_experts(w));
    c->tuned[0] = (struct orr_tuned_shape){ORR_TILES_VLLM, ORR_DTYPE_BF16, 8, 14336, 300};
    assert_true(fixed_experts(w)); /* those of TP 1 */
    c->tuned[0] = (struct orr_tuned_shape){ORR_TILES_VLLM, ORR_DTYPE_FP8, 8, 7168, 300};
    assert_true(fixed_experts(w));
    u->grouped_triton_passes = 3;
    u->grouped_fixed_passes = 2;
    assert_true(fixed_experts(w));
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 2 * 417792, 1e-12);
    snprintf(w->job.engine.fixed_tiles, sizeof w->job.engine.fixed_tiles, "fp8_block");
    assert_false(fixed_experts(w)); /* an engine that chooses tiles by the rows */
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 3 * 417792, 1e-12);
}

/* The shapes of another chip are checked and not kept, so that A100 has none of those that H100 has. */
static void shapes_with_tiles_are_those_of_the_chip(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'mixtral-8x7b','system':'h100-sxm','gpus':2,'plan':{'tp':2},'workload':{"
                "'batch':6,'input_len':100,'output_len':10,'engine':'vllm-0.11'},'set':{"
                "'calibration.tuned_experts.sglang':{'h100-sxm-80gb':{'fp8':'405:8x7168 510:257x128'}},"
                "'calibration.tuned_experts.vllm':{'a100-sxm-80gb':{'bf16':'1:1x1'}}}}");
    const struct orr_calibration *c = &w->job.calibration;
    assert_int_equal(c->n_tuned, 2);
    assert_int_equal(c->tuned[1].files, ORR_TILES_SGLANG);
    assert_int_equal(c->tuned[1].dtype, ORR_DTYPE_FP8);
    assert_int_equal(c->tuned[1].release, 510);
    assert_int_equal(c->tuned[1].experts, 257);
    assert_int_equal(c->tuned[1].width, 128);
    assert_true(fixed_experts(w));
}

/* The kernel of such a shape has the constants of its own: at a quarter of the rate a tile takes four times 0.2097152
 * us, and 4,210,688 bytes move at half of 1 TB/s. */
static void fixed_tiles_have_constants_of_their_own(void **state)
{
    struct world *w = *state;
    struct orr_op op = four_bit_experts(w);
    struct orr_gemm_constants *eight = &w->job.calibration.gemm[ORR_DTYPE_FP8];
    struct orr_cost cost;
    op.weight_bytes = 1;
    op.fixed_tiles = true;
    w->job.engine.triton_experts = true;
    eight->grouped_triton_frac = 0.5;
    eight->grouped_triton_tile_s = 0;
    eight->grouped_triton_dram_frac = 0.8;
    eight->grouped_triton_launch_s = 15e-6;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 15e-6, 1e-12); /* a chip without them has those of chosen tiles */
    eight->grouped_fixed_frac = 0.25;
    eight->grouped_fixed_tile_s = 0;
    eight->grouped_fixed_dram_frac = 0.5;
    eight->grouped_fixed_launch_s = 18e-6;
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.total_s, pow(pow(0.8388608e-6, 1.5) + pow(4.210688e-6 / 0.5, 1.5), 2.0 / 3) + 18e-6, 1e-9);
}

/* Experts that a stack leaves to the library, on some chips and in some models, and weights that are widened. */
static void some_experts_are_the_librarys(void **state)
{
    struct world *w = *state;
    struct orr_op op = four_bit_experts(w);
    struct orr_gemm_constants *eight = &w->job.calibration.gemm[ORR_DTYPE_FP8];
    struct orr_engine *engine = &w->job.engine;
    struct orr_cost cost;
    op.weight_bytes = 1;
    engine->triton_experts = true;
    eight->grouped_triton_frac = eight->grouped_triton_dram_frac = 0.8;
    eight->grouped_triton_launch_s = 15e-6;
    snprintf(w->job.system.chip.family, sizeof w->job.system.chip.family, "blackwell");
    snprintf(w->job.model.type, sizeof w->job.model.type, "mixtral");
    snprintf(engine->library_expert_chips, sizeof engine->library_expert_chips, "blackwell");
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
    snprintf(engine->library_expert_models, sizeof engine->library_expert_models, "deepseek_v3 qwen3_moe");
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 15e-6, 1e-12);
    snprintf(w->job.model.type, sizeof w->job.model.type, "qwen3_moe");
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
    snprintf(w->job.system.chip.family, sizeof w->job.system.chip.family, "hopper");
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 15e-6, 1e-12);
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_triton_dram_frac = 0.8;
    w->job.calibration.gemm[ORR_DTYPE_BF16].grouped_launch_s = 20e-6;
    op.dtype = ORR_DTYPE_BF16; /* bytes that are widened for products of 16 bits */
    orr_cost_grouped(&w->job, &op, &cost);
    assert_close(cost.launch_s, 20e-6, 1e-12);
}

/* Eq. 391: 35 us in each of the 61 layers of a decode pass, none in prompts, none where nothing is stated, and none in
 * models that keep whole heads. */
static void small_kernels_surround_latent_attention(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','gpus':8,'plan':{'tp':8},'workload':{"
                "'batch':4,'input_len':100,'output_len':10,'engine':'vllm'}}");
    struct orr_cost cost;
    const double with_s = infer(w, &w->job).tpot_s;
    orr_cost_pointwise(&w->job, phase_op(w, ORR_PHASE_DECODE, "mla.around", NULL), &cost);
    assert_close(cost.total_s, 35e-6, 1e-12);
    assert_null(phase_op(w, ORR_PHASE_PREFILL, "mla.around", NULL));
    w->job.engine.latent_layer_s = 0;
    const double without_s = infer(w, &w->job).tpot_s;
    assert_null(phase_op(w, ORR_PHASE_DECODE, "mla.around", NULL));
    assert_true(with_s - without_s < 61 * 35e-6 * 1.001 && with_s - without_s > 61 * 35e-6 * 0.9);
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','gpus':1,'plan':{},'workload':{"
                "'batch':4,'input_len':100,'output_len':10,'engine':'vllm'}}");
    (void)infer(w, &w->job);
    assert_null(phase_op(w, ORR_PHASE_DECODE, "mla.around", NULL));
    read_job(w, "{'kind':'infer','model':'glm-5','system':'h200-sxm','gpus':8,'plan':{'tp':8},'workload':{"
                "'batch':4,'input_len':100,'output_len':10,'engine':'vllm'}}");
    (void)infer(w, &w->job);
    orr_cost_pointwise(&w->job, phase_op(w, ORR_PHASE_DECODE, "mla.around", NULL), &cost);
    assert_close(cost.total_s, 135e-6, 1e-12); /* and 100 us around the indexer */
}

static double prompt_flops(struct world *w, const char *system, const char *cache, int64_t rows)
{
    read_job(w,
             "{'kind':'infer','model':'glm-5','system':'%s','gpus':8,'plan':{'tp':8},'workload':{'batch':1,"
             "'input_len':8192,'output_len':2,'kv_precision':'%s','engine':'sglang-0.5'}}",
             system, cache);
    w->job.engine.sparse_head_rows = rows;
    (void)infer(w, &w->job);
    return phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL)->flops;
}

/* Eq. 393: eight heads of a rank are multiplied as 64 on Hopper and as 128 on Blackwell, and there as eight where the
 * cache has 8 bits. */
static void tiles_of_sparse_prompts_are_filled_up(void **state)
{
    struct world *w = *state;
    const double eight = prompt_flops(w, "h200-sxm", "bf16", 0);
    assert_close(prompt_flops(w, "h200-sxm", "bf16", 64), 8 * eight, 1e-12);
    assert_close(prompt_flops(w, "h200-sxm", "bf16", 6), 12.0 / 8 * eight, 1e-12);
    assert_close(prompt_flops(w, "b200-sxm", "bf16", 64), 16 * eight, 1e-12);
    assert_close(prompt_flops(w, "b200-sxm", "fp8", 64), eight, 1e-12);
}

/* 64 sequences with 8 key heads of 128 are 512 blocks, four rounds of 132 SMs. An SM reads 256 bytes of a key at the
 * rate of its format; DRAM at 0.8305 of 4.8 TB/s would take 135 us for the 537 MB. */
static void flash_decode_reads_narrow_caches_slowly(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3.1-70b','system':'h200-sxm','plan':{},'workload':{'batch':64,"
                "'input_len':4096,'output_len':10,'precision':'fp8','kv_precision':'fp8','engine':'vllm-0.11'}}");
    assert_int_equal(w->job.engine.decode_kernel, ORR_DECODE_FLASH);
    struct orr_op op = {.kind = ORR_OP_DECODE, .dtype = ORR_DTYPE_BF16, .batch = 64, .m = 64, .n = 4096, .k = 128};
    op.kv_heads = 8;
    op.key_tokens = 1;
    op.input_bytes = 1;
    op.packed = true;
    struct orr_cost cost;
    orr_cost_decode(&w->job, &op, &cost);
    assert_close(cost.total_s, 4 * (2.92e-6 + 4096 * 256 / 2.087e10) + 9.04e-6, 1e-9);
    read_job(w, "{'kind':'infer','model':'llama3.1-70b','system':'h200-sxm','plan':{},'workload':{'batch':64,"
                "'input_len':4096,'output_len':10,'precision':'fp8','kv_precision':'fp8','engine':'vllm-0.10'}}");
    orr_cost_decode(&w->job, &op, &cost);
    assert_close(cost.total_s, 4 * (2.73e-6 + 4096 * 256 / 1.949e10) + 8.95e-6, 1e-9);
    /* A chip without such constants takes those of serving kernels. */
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'a100-80g-sxm','plan':{},'workload':{'batch':1,"
                "'input_len':100,'output_len':10,'engine':'vllm-0.11'}}");
    const struct orr_calibration *c = &w->job.calibration;
    assert_memory_equal(c->decode[ORR_DECODE_FLASH], c->decode[ORR_DECODE_PAGED], sizeof c->decode[0]);
    assert_memory_equal(c->decode[ORR_DECODE_FLASH_WIDE], c->decode[ORR_DECODE_PAGED], sizeof c->decode[0]);
}

/* A product of 8192 columns has 128 tiles of 64, fewer than a B200 has SMs, and walks 28,672 elements of K. Engines
 * that only have the kernel of the table do not divide K; engines that tune do, and gain. */
static void tuned_products_divide_k(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3.1-70b','system':'b200-sxm','plan':{},'workload':{'batch':1,"
                "'input_len':100,'output_len':10,'precision':'fp4','engine':'tensorrt-llm-1.2'}}");
    struct orr_op op = {.kind = ORR_OP_GEMM, .dtype = ORR_DTYPE_FP4, .batch = 1, .m = 4, .n = 8192, .k = 28672};
    op.input_bytes = 0.5;
    op.weight_bytes = 0.5625;
    op.output_bytes = 2;
    op.flops = 2 * op.m * op.n * op.k;
    struct orr_cost tuned, plain;
    assert_true(w->job.engine.tuned_fp4);
    orr_cost_gemm(&w->job, &op, &tuned);
    w->job.engine.tuned_fp4 = false;
    orr_cost_gemm(&w->job, &op, &plain);
    assert_int_equal(plain.split_k, 1);
    assert_true(tuned.split_k > 1 && tuned.total_s < 0.8 * plain.total_s);
}

/* Eq. 266 by hand. 32 rows leave half of a tile of 64 empty: 1 + 64/80 x (0.5 - 0.25) = 1.2. 96 rows leave a quarter of
 * two tiles: the level of 65 to 128 rows, 1.06. 129 rows leave 127 of 256: 1.11 x (1 + 1.6 x (127/256 - 0.25)),
 * 1.55. */
static void fixed_tiles_cost_what_they_leave_empty(void **state)
{
    struct world *w = *state;
    static const struct {
        double rows, slower;
    } CASES[] = {{1, 1},   {16, 1}, {32, 1.2}, {64, 1}, {96, 1.06}, {129, 1.11 * (1 + 1.6 * (127.0 / 256 - 0.25))},
                 {1024, 1}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        for (int blackwell = 0; blackwell < 2; blackwell++) {
            char request[400];
            (void)snprintf(request, sizeof request,
                           "{'kind':'infer','model':'llama3.1-70b','system':'%s','plan':{},'workload':{'batch':1,"
                           "'input_len':100,'output_len':10,'precision':'fp8','engine':'vllm-0.11'}}",
                           blackwell ? "b200-sxm" : "h200-sxm");
            read_job(w, "%s", request);
            struct orr_op op = {.kind = ORR_OP_GEMM, .dtype = ORR_DTYPE_FP8, .batch = 1, .n = 8192, .k = 8192};
            op.m = CASES[i].rows;
            op.input_bytes = op.weight_bytes = 1;
            op.output_bytes = 2;
            op.flops = 2 * op.m * op.n * op.k;
            struct orr_cost fixed, plain;
            orr_cost_gemm(&w->job, &op, &fixed);
            w->job.engine.fixed_fp8_tiles[0] = 0;
            orr_cost_gemm(&w->job, &op, &plain);
            assert_true(fabs((fixed.dram_s / plain.dram_s) - (blackwell ? 1 : CASES[i].slower)) < 1e-9);
            assert_true(fabs((fixed.compute_s / plain.compute_s) - (blackwell ? 1 : CASES[i].slower)) < 1e-9);
        }
}

static double compute_s_of(struct world *w, enum orr_dtype dtype, double rows, double weight_bytes)
{
    struct orr_gemm_constants *u = &w->job.calibration.gemm[dtype];
    u->burst_frac = 0.92, u->sm_frac = u->tile_cost = u->wave_s = 0;
    u->narrow_frac = dtype == ORR_DTYPE_BF16 ? 1 : 0;
    struct orr_op op = {.kind = ORR_OP_GEMM, .dtype = dtype, .batch = 1, .m = rows, .n = 19968, .k = 8192};
    op.input_bytes = dtype == ORR_DTYPE_BF16 ? 2 : 1;
    op.weight_bytes = weight_bytes;
    op.output_bytes = 2;
    op.flops = 2 * op.m * op.n * op.k;
    struct orr_cost cost;
    orr_cost_gemm(&w->job, &op, &cost);
    return cost.compute_s;
}

/* Eq. 354: 19,968 columns are four tiles of 64 for each of the 78 SMs of an H20. 64 rows take 2 x 64 x 19968 x 8192 =
 * 20.94 GFLOP, at 0.92 of 148 TFLOP/s 153.8 us; 65 rows are two tiles high, 307.6 us. A tile of 16 rows takes a
 * quarter, and half as long at 296 TFLOP/s. Kernels that widen 4-bit weights reach 0.85 of the rate. */
static void tiles_multiply_rows_that_are_not_there(void **state)
{
    struct world *w = *state;
    static const char REQUEST[] = "{'kind':'infer','model':'llama3-8b','system':'%s','plan':{},'workload':{'batch':1,"
                                  "'input_len':100,'output_len':10,'engine':'%s'}}";
    read_job(w, REQUEST, "h20-sxm", "sglang");
    assert_close(compute_s_of(w, ORR_DTYPE_BF16, 1, 2), 153.78e-6, 1e-4);
    assert_close(compute_s_of(w, ORR_DTYPE_BF16, 64, 2), 153.78e-6, 1e-4);
    assert_close(compute_s_of(w, ORR_DTYPE_BF16, 65, 2), 307.57e-6, 1e-4);
    assert_close(compute_s_of(w, ORR_DTYPE_BF16, 1, 0.5), 153.78e-6 / 4 / 0.85, 1e-4);
    struct orr_cost narrow, wide;
    struct orr_op op = {.kind = ORR_OP_GEMM, .dtype = ORR_DTYPE_BF16, .batch = 1, .m = 1, .n = 19968, .k = 8192};
    op.input_bytes = op.weight_bytes = op.output_bytes = 2;
    w->job.calibration.gemm[ORR_DTYPE_BF16].narrow_frac = 0.64; /* Eq. 355 */
    orr_cost_gemm(&w->job, &op, &narrow);
    op.m = 128; /* two narrow tiles would take longer than one of 128 rows */
    orr_cost_gemm(&w->job, &op, &wide);
    assert_close(narrow.compute_s, 153.78e-6 / 0.64, 1e-4);
    assert_close(wide.compute_s, 307.57e-6, 1e-4);
    assert_close(compute_s_of(w, ORR_DTYPE_FP8_BLOCK, 1, 1), 153.78e-6 / 2, 1e-4);
    assert_close(compute_s_of(w, ORR_DTYPE_FP8, 1, 1), 153.78e-6 / 8, 1e-4);
    read_job(w, REQUEST, "h20-sxm", "sglang-0.5");
    assert_close(compute_s_of(w, ORR_DTYPE_BF16, 1, 2), 153.78e-6 / 4, 1e-4);
}

/* Eq. 269: 64 sequences of Llama 3 have 64 x 128,256 logits; 16 bits are read, 32 written and read again, 10 bytes. */
static void tokens_are_chosen_from_wide_logits(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','plan':{},'workload':{'batch':64,"
                "'input_len':1000,'output_len':100,'engine':'vllm-0.11'}}");
    (void)infer(w, &w->job);
    const struct orr_cost *cost;
    const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "head.sample", &cost);
    assert_non_null(op);
    assert_close(op->bytes, 82083840, 1e-12);
    assert_true(cost->total_s >= 12e-6);
}

static double small_kernels(struct world *w, const char *model, const char *engine, int tp, double *reduced_bytes)
{
    char request[400];
    (void)snprintf(request, sizeof request,
                   "{'kind':'infer','model':'%s','system':'h200-sxm','gpus':%d,'plan':{'tp':%d},'workload':{'batch':6,"
                   "'input_len':100,'output_len':10,'engine':'%s'}}",
                   model, tp, tp, engine);
    read_job(w, "%s", request);
    (void)infer(w, &w->job);
    const struct orr_op *reduce = phase_op(w, ORR_PHASE_DECODE, "attention.qk_norm.reduce", NULL);
    *reduced_bytes = reduce ? reduce->payload_bytes : 0;
    return phase_op(w, ORR_PHASE_DECODE, "pointwise", NULL)->launches;
}

/* Eqs. 242, 243. A plain layer has 4 kernels in vLLM: two norms, rotary positions, activation. Qwen3 adds two norms of
 * heads. gpt-oss has routed experts only, whose activation is in their products. MiniMax-M2 has such experts and a norm
 * over all heads, which takes two passes over queries and keys, 4 - 1 + 2·2, and at TP 4 a sum of two fp32 numbers for
 * each of 6 sequences over the ranks. TensorRT-LLM has 3 kernels and one for both norms of heads. */
static void layers_have_the_kernels_of_their_norms(void **state)
{
    struct world *w = *state;
    double bytes;
    assert_close(small_kernels(w, "llama3-8b", "vllm", 1, &bytes), 4, 1e-12);
    assert_close(small_kernels(w, "qwen3-32b", "vllm", 1, &bytes), 6, 1e-12);
    assert_close(small_kernels(w, "qwen3-32b", "tensorrt-llm-1.2", 1, &bytes), 4, 1e-12);
    assert_close(bytes + 1, 1, 1e-12);
    assert_close(small_kernels(w, "gpt-oss-120b", "vllm", 1, &bytes), 3, 1e-12);
    assert_close(small_kernels(w, "minimax-m2.5", "vllm-0.17", 4, &bytes), 7, 1e-12);
    assert_close(bytes, 6 * 2 * 4, 1e-12);
}

/* Eq. 303: six decoding sequences of Mixtral are 12 rows of 4,096 elements, with 14,336 / 2 inside an expert at TP 2:
 * 2·(6·4,096 + 12·(2·4,096 + 7,168)) = 417,792 bytes a pass. */
static void copies_beside_experts_move_as_their_tables_say(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'mixtral-8x7b','system':'h200-sxm','gpus':2,'plan':{'tp':2},'workload':{"
                "'batch':6,'input_len':100,'output_len':10,'engine':'vllm'}}");
    struct orr_gemm_constants *u = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    u->grouped_passes = 2;
    u->grouped_triton_passes = 3;
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 3 * 417792, 1e-12);
    w->job.engine.triton_experts = false;
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 2 * 417792, 1e-12);
    u->grouped_passes = 0;
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "moe.permute", NULL)->bytes, 417792, 1e-12);
}

/* Eq. 304: an engine's kernels take the place of the format's constants, as far as the file gives them. H800's file
 * says that none of its base's hold. */
static void products_in_blocks_have_the_kernels_of_their_engine(void **state)
{
    struct world *w = *state;
    static const char REQUEST[] = "{'kind':'infer','model':'deepseek-v3','system':'%s','gpus':16,'plan':{'tp':16},"
                                  "'workload':{'batch':1,'input_len':100,'output_len':10,'engine':'sglang'},"
                                  "'set':{'engine.block_kernel':'%s'}}";
    const struct orr_calibration *c = &w->job.calibration;
    const struct orr_gemm_constants *u = &c->gemm[ORR_DTYPE_FP8_BLOCK], *own = &c->block[ORR_BLOCK_TRTLLM];
    read_job(w, REQUEST, "h100-sxm", "sglang");
    assert_true(u->burst_frac != own->burst_frac);
    assert_close(u->burst_frac, c->block[ORR_BLOCK_SGLANG].burst_frac, 1e-15);
    assert_close(u->grouped_frac, own->grouped_frac, 1e-15);
    assert_true(u->sustained_frac <= u->burst_frac);
    read_job(w, REQUEST, "h100-sxm", "trtllm");
    assert_close(u->burst_frac, own->burst_frac, 1e-15);
    read_job(w, REQUEST, "h800-sxm", "sglang");
    assert_close(u->burst_frac, own->burst_frac, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_pause_at_every_layer),
        cmocka_unit_test(low_latency_kernels_have_constants_of_their_own),
        cmocka_unit_test(triton_experts_have_constants_of_their_own),
        cmocka_unit_test(experts_have_the_same_tiles_unless_the_stack_ships_some),
        cmocka_unit_test(small_kernels_surround_latent_attention),
        cmocka_unit_test(tiles_of_sparse_prompts_are_filled_up),
        cmocka_unit_test(shapes_with_tiles_are_those_of_the_chip),
        cmocka_unit_test(widened_experts_have_constants_of_their_own),
        cmocka_unit_test(tiles_of_marlin_follow_the_rows),
        cmocka_unit_test(copies_beside_four_bit_experts_have_passes_of_their_own),
        cmocka_unit_test(fixed_tiles_have_constants_of_their_own),
        cmocka_unit_test(some_experts_are_the_librarys),
        cmocka_unit_test(flash_decode_reads_narrow_caches_slowly),
        cmocka_unit_test(tuned_products_divide_k),
        cmocka_unit_test(fixed_tiles_cost_what_they_leave_empty),
        cmocka_unit_test(tiles_multiply_rows_that_are_not_there),
        cmocka_unit_test(tokens_are_chosen_from_wide_logits),
        cmocka_unit_test(layers_have_the_kernels_of_their_norms),
        cmocka_unit_test(copies_beside_experts_move_as_their_tables_say),
        cmocka_unit_test(products_in_blocks_have_the_kernels_of_their_engine),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
