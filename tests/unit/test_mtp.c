/* A model's own multi-token prediction layers as drafts: their bytes and cache by hand, the time of a drafting pass
 * composed of operators written down here, more drafts than layers, limits of acceptance, and steps that are passes. */
#include "serving.h"

#include "cost/cost.h"
#include "report/launch.h"
#include "spec/job.h"
#include "spec/spec.h"

#define MIMO "'model':'mimo-7b','system':'h100-sxm'"

static void read_mtp(struct world *w, const char *parts, const char *plan, const char *workload, int drafts)
{
    read_job(w,
             "{'kind':'infer',%s,'plan':{%s},'workload':{'engine':'vllm','input_len':1000,'output_len':101,%s"
             "'draft_model':'mtp','draft_tokens':%d}}",
             parts, plan, workload, drafts);
}

/* ---------------------------------------------------------------- memory */

/* DeepSeek-V3, h = 7168. Matrices of a layer in fp8 with a 32-bit scale per 128 x 128: attention 1536 x h, 24576 x
 * 1536, 576 x h, 32768 x 512, h x 16384; 256 routed experts and a shared one of 3 · 2048 x h. In 16 bits: norms of
 * 1536, 512 and 2 h, and the router of 256 x h, whose biases have 32 bits. The projection and three norms have 16 bits.
 * The published files have 688 574 839 360 bytes, of which 673 150 611 808 are the model's and 2 · 129280 · h · 2 are
 * copies of embedding and head: 11 717 511 392 are left. */
static double deepseek_mtp_bytes(void)
{
    static const double MATRICES[][3] = {{1536, 7168, 1},  {24576, 1536, 1},      {576, 7168, 1},   {32768, 512, 1},
                                         {7168, 16384, 1}, {2048, 7168, 2 * 257}, {7168, 2048, 257}};
    const double h = 7168;
    double bytes = 2 * (1536 + 512 + 2 * h + 256 * h) + 4 * 256 + 2 * (2 * h * h + 3 * h);
    for (size_t i = 0; i < COUNT(MATRICES); i++) {
        const double n = MATRICES[i][0], k = MATRICES[i][1];
        bytes += MATRICES[i][2] * (n * k + 4 * ceil(n / 128) * ceil(k / 128));
    }
    return bytes;
}

static double weights_with(const struct world *w, int drafts)
{
    static struct orr_job job;
    job = w->job;
    job.serving.draft_tokens = drafts;
    return infer(w, &job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS];
}

static void weights_of_deepseek_v3_are_the_published(void **state)
{
    struct world *w = *state;
    read_mtp(w, "'model':'deepseek-v3','system':'h200-sxm'", "", "", 1);
    assert_close(deepseek_mtp_bytes(), 11717511392, 0);
    assert_close(688574839360 - 673150611808 - 4 * 129280.0 * 7168, 11717511392, 0);
    assert_close(weights_with(w, 1) - weights_with(w, 0), deepseek_mtp_bytes(), 1e-9);
    /* on 8 ranks of tp, latents, norms, router and projection are whole, and everything else is divided */
    read_mtp(w, "'model':'deepseek-v3','system':'h200-sxm'", "'tp':8", "", 1);
    const double latents = (1536 + 576) * 7168.0 + 4 * (12 + 5) * 56 + 2 * (1536 + 512);
    const double others = 2 * (2 * 7168.0 + 256 * 7168.0) + 4 * 256 + 2 * (2 * 7168.0 * 7168 + 3 * 7168);
    assert_close(weights_with(w, 1) - weights_with(w, 0),
                 latents + others + (deepseek_mtp_bytes() - latents - others) / 8, 1e-9);
}

/* The config of an NVFP4 checkpoint leaves layer 61 in 16 bits; Qwen's files name it mtp.layers.0. */
static void excluded_layers_stay_wide(void **state)
{
    static const char *const NAMES[] = {"model.layers.61*", "mtp*"};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        char parts[512];
        (void)snprintf(parts, sizeof parts,
                       "'model':{'base':'deepseek-v3','quantization_config':{'quant_method':'modelopt','quant_algo':"
                       "'NVFP4','exclude_modules':['lm_head','%s']}},'system':'b200-sxm'",
                       NAMES[i]);
        read_mtp(w, parts, "", "", 1);
        const double h = 7168, attention = 1536 * h + 24576 * 1536.0 + 576 * h + 32768 * 512.0 + h * 16384;
        const double layer = attention + 257 * 3 * 2048 * h + 1536 + 512 + 2 * h + 256 * h;
        assert_close(weights_with(w, 1) - weights_with(w, 0), 2 * (layer + 2 * h * h + 3 * h) + 4 * 256, 1e-9);
    }
}

/* GLM-4.5-Air in 16 bits, h = 4096: 96 heads and 2 x 8 K,V heads of 128 with biases, 128 experts and one shared of
 * width 1408, a router with a bias per expert, 2 norms; the projection and 3 norms. The parameters that the Hub counts
 * beyond the model's are these and copies of embedding and head. */
static void weights_of_glm_are_counted_by_hand(void **state)
{
    struct world *w = *state;
    const double h = 4096, q = 96 * 128, kv = 8 * 128;
    const double layer = (h + 1) * (q + 2 * kv) + q * h + 129 * 3 * h * 1408 + 128 * (h + 1) + 2 * h;
    const double mtp = layer + 2 * h * h + 3 * h;
    read_mtp(w, "'model':'glm-4.5-air','system':'h200-sxm'", "", "", 1);
    assert_close(mtp, 110468824832 - 106852251264 - 2 * 151552.0 * h, 0);
    assert_close((double)orr_model_params_mtp(&w->job.model), mtp, 0);
    assert_close(weights_with(w, 1) - weights_with(w, 0), 2 * mtp, 1e-9);
}

/* Qwen3-Next does not name its prediction layer, but the parameters that the Hub counts beyond the model's are its. */
static void qwen3_next_has_a_layer(void **state)
{
    struct world *w = *state;
    read_mtp(w, "'model':'qwen3-next-80b-a3b','system':'h200-sxm'", "", "", 1);
    assert_int_equal(w->job.draft.n_layers, 1);
    assert_close(weights_with(w, 1) - weights_with(w, 0), 2 * (81324862720 - 79674391296), 1e-9);
}

/* MiMo-7B in 16 bits, h = 4096: 32 heads and 2 x 8 K,V heads of 128 with biases, an FFN of 11008. With two stages of 18
 * layers, the last one holds the prediction layer, and beside the head a copy of the embedding. */
static void the_last_stage_holds_the_layers(void **state)
{
    struct world *w = *state;
    const double h = 4096, layer = (h + 1) * (32 + 2 * 8) * 128 + h * h + 3 * h * 11008 + 2 * h;
    const double mtp = layer + 2 * h * h + 3 * h;
    read_mtp(w, MIMO, "", "", 1);
    assert_close(weights_with(w, 1) - weights_with(w, 0), 2 * mtp, 1e-9);
    read_mtp(w, "'model':{'base':'mimo-7b','num_nextn_predict_layers':2},'system':'h100-sxm'", "", "", 1);
    assert_close(weights_with(w, 1) - weights_with(w, 0), 2 * 2 * mtp, 1e-9);
    read_mtp(w, MIMO, "'pp':2", "", 1);
    assert_close(weights_with(w, 1) - weights_with(w, 0), 2 * (mtp + 151680 * h), 1e-9);
}

/* A prediction layer keeps keys and values like any layer: 61 + 1 latents of 512 + 64, 46 + 1 and 36 + 2 layers of
 * 2 x 8 heads of 128; 12 of 48 layers of Qwen3.5-122B attend with 2 x 2 heads of 256. */
static void the_cache_has_layers_more(void **state)
{
    static const struct {
        const char *parts;
        int64_t without, with;
    } CASES[] = {
        {"'model':'deepseek-v3','system':'h200-sxm'", 61 * 576 * 2, 62 * 576 * 2},
        {"'model':'glm-4.5-air','system':'h200-sxm'", 46 * 4096, 47 * 4096},
        {"'model':{'base':'mimo-7b','num_nextn_predict_layers':2},'system':'h100-sxm'", 36 * 4096, 38 * 4096},
        {"'model':'qwen3.5-122b-a10b','system':'h200-sxm'", 12 * 2048, 13 * 2048},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_mtp(w, CASES[i].parts, "", "", 2);
        const struct orr_infer_result with = infer(w, &w->job);
        assert_int_equal(with.kv_bytes_per_token, CASES[i].with);
        w->job.serving.draft_tokens = 0; /* switched off: nothing is loaded */
        assert_int_equal(infer(w, &w->job).kv_bytes_per_token, CASES[i].without);
    }
}

/* ---------------------------------------------------------------- time */

static struct orr_op product(double m, double n, double k)
{
    return (struct orr_op){.kind = ORR_OP_GEMM,
                           .dtype = ORR_DTYPE_BF16,
                           .count = 1,
                           .batch = 1,
                           .m = m,
                           .n = n,
                           .k = k,
                           .input_bytes = 2,
                           .weight_bytes = 2,
                           .output_bytes = 2,
                           .flops = 2 * m * n * k,
                           .bytes = 2 * (m * k + k * n + m * n),
                           .launches = 1,
                           .window_op = -1};
}

static struct orr_op moved(enum orr_pointwise kind, double bytes, double kernels, double floor_s)
{
    return (struct orr_op){.kind = ORR_OP_POINTWISE,
                           .pointwise = kind,
                           .dtype = ORR_DTYPE_BF16,
                           .count = 1,
                           .bytes = bytes,
                           .launches = kernels,
                           .floor_s = kernels * floor_s,
                           .window_op = -1};
}

/* Seconds of one pass of MiMo's prediction layer over `queries` tokens of `batch` sequences at a context. */
static double mimo_pass_s(const struct orr_job *job, double batch, double queries, double context)
{
    const struct orr_engine *engine = &job->engine;
    const double h = 4096, rows = batch * queries;
    const double lump = rows * (h * engine->pointwise_bytes_per_element + 11008 * 3 * 2);
    struct orr_op ops[] = {
        product(rows, h, 2 * h),                           /* projection */
        product(rows, (32 + 2 * 8) * 128, h),              /* queries, keys and values */
        product(rows, h, h),                               /* output of attention */
        product(rows, 2 * 11008, h),                       /* gate and up */
        product(rows, h, 11008),                           /* down */
        product(batch, 151680, h),                         /* head: one token of every sequence */
        moved(ORR_POINTWISE_COPY, 2 * 2 * rows * h, 1, 0), /* embedding */
        moved(ORR_POINTWISE_ACTIVATION, 2 * 2 * (h + h + 2 * h) * rows, 3, engine->pointwise_floor_s), /* norms, join */
        moved(ORR_POINTWISE_ACTIVATION, lump, (double)engine->layer_pointwise_kernels, engine->pointwise_floor_s),
        moved(ORR_POINTWISE_LOSS, batch * 151680 * (engine->logit_bytes_live + 4), 2, 6e-6), /* a token: 12 us */
        orr_serve_decode_op(job, &job->model.kinds[0], batch, queries),
    };
    double sum_s = 0;
    ops[COUNT(ops) - 1].n = context;
    for (size_t i = 0; i < COUNT(ops); i++) {
        struct orr_cost cost;
        orr_cost_one(job, &ops[i], &cost);
        sum_s += cost.total_s;
    }
    return sum_s;
}

/* Seconds of drafting in a phase. */
static double drafting_s(const struct world *w, const struct orr_job *job, enum orr_phase phase)
{
    static struct orr_answer answer;
    double sum_s = 0;
    orr_predict(job, w->scratch, &answer);
    for (size_t i = 0; i < answer.n_rows; i++)
        if (answer.rows[i].part == (int)ORR_INFER_DRAFT && answer.rows[i].phase == phase)
            sum_s += answer.rows[i].exposed_s;
    return sum_s;
}

/* A request for two tokens of MiMo with some prediction layers, drafts that nobody takes, the burst clock, and no gaps
 * between kernels. */
static void read_mimo(struct world *w, int layers, int pp, int batch, int q)
{
    char parts[128], plan[32], workload[64];
    (void)snprintf(parts, sizeof parts, "'model':{'base':'mimo-7b','num_nextn_predict_layers':%d},'system':'h100-sxm'",
                   layers);
    (void)snprintf(plan, sizeof plan, "'pp':%d", pp);
    (void)snprintf(workload, sizeof workload, "'batch':%d,", batch);
    read_mtp(w, parts, plan, workload, q);
    struct orr_gemm_constants *gemm = &w->job.calibration.gemm[ORR_DTYPE_BF16];
    w->job.serving.output_len = 2;
    w->job.serving.draft_accept_frac = 0;
    w->job.engine.short_run = true;
    gemm->sustained_frac = gemm->burst_frac;
    w->job.engine.kernel_gap_s = w->job.engine.graph_piece_s = w->job.engine.host_launch_s = 0;
}

/* After a step of q + 1 rows per sequence: the layer over these rows, then q - 1 times over one row. With two layers,
 * both run over all rows. */
static void a_drafting_pass_is_the_sum_of_its_operators(void **state)
{
    struct world *w = *state;
    for (int layers = 1; layers <= 2; layers++)
        for (int q = 1; q <= 4; q++)
            for (int batch = 1; batch <= 64; batch *= 8) {
                read_mimo(w, layers, 1, batch, q);
                const double all = q < layers ? q : layers;
                const double expected =
                    all * mimo_pass_s(&w->job, batch, q + 1, 1001) + (q - all) * mimo_pass_s(&w->job, batch, 1, 1001);
                assert_close(drafting_s(w, &w->job, ORR_PHASE_DECODE), expected, 1e-9);
            }
}

/* Two stages have two pieces of the batch in flight, and the last one drafts for both. */
static void pieces_take_turns_on_the_last_stage(void **state)
{
    struct world *w = *state;
    read_mimo(w, 1, 2, 8, 1);
    assert_close(drafting_s(w, &w->job, ORR_PHASE_DECODE), 2 * mimo_pass_s(&w->job, 4, 2, 1001), 1e-9);
}

/* The layer reads the prompt too: 1/36 of the model's products, and its own. */
static void the_prompt_goes_through_the_layer(void **state)
{
    struct world *w = *state;
    read_mtp(w, MIMO, "", "'batch':4,", 1);
    const struct orr_infer_result with = infer(w, &w->job);
    const double prompt_s = drafting_s(w, &w->job, ORR_PHASE_PREFILL);
    w->job.serving.draft_tokens = 0;
    const struct orr_infer_result without = infer(w, &w->job);
    assert_close(with.prefill_s - without.prefill_s, prompt_s, 1e-9);
    assert_close(with.ttft_s - without.ttft_s, prompt_s, 1e-9);
    /* FLOP of a layer and the projection against those of 36 layers */
    const double layer = 4096.0 * (48 * 128 + 4096 + 3 * 11008), share = (layer + 2 * 4096.0 * 4096) / (36 * layer);
    assert_true(prompt_s > 0.8 * share * without.prefill_s && prompt_s < 1.8 * share * without.prefill_s);
}

/* Drafts that nobody takes leave one token per step; drafts that all are taken leave q + 1, in as many steps less. */
static void acceptance_has_its_limits(void **state)
{
    static const char *const PARTS[] = {"'model':'deepseek-v3','system':'h200-sxm'", MIMO,
                                        "'model':'qwen3.5-35b-a3b','system':'h200-sxm'"};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(PARTS); i++)
        for (int q = 1; q <= 3; q++) {
            read_mtp(w, PARTS[i], "'tp':2", "'batch':8,", q);
            w->job.serving.draft_accept_frac = 0;
            const struct orr_infer_result none = infer(w, &w->job);
            w->job.serving.draft_accept_frac = 1;
            const struct orr_infer_result all = infer(w, &w->job);
            assert_close(none.tokens_per_step, 1, 0);
            assert_close(all.tokens_per_step, q + 1, 0);
            assert_close(none.decode_s, (q + 1) * all.decode_s, 1e-9);
            assert_close(none.prefill_s, all.prefill_s, 1e-12);
            w->job.serving.draft_tokens = 0;
            const struct orr_infer_result off = infer(w, &w->job);
            assert_true(none.decode_s > off.decode_s);
            if (i == 1)
                assert_true(all.decode_s < off.decode_s); /* a dense model reads its weights once for all rows */
        }
}

/* ---------------------------------------------------------------- steps are passes */

/* The prompts at once, and the second of two tokens with none of the drafts taken. */
static void steps_are_passes(void **state)
{
    static const struct {
        const char *parts, *plan;
    } CASES[] = {
        {MIMO, ""},
        {MIMO, "'pp':2"},
        {"'model':'deepseek-v3','system':'h200-sxm'", "'tp':8"},
        {"'model':'deepseek-v3','system':'h200-sxm'", "'dp':32,'ep':32"},
        {"'model':'glm-4.5-air','system':'h200-sxm'", "'tp':4,'pp':2"},
        {"'model':'glm-5','system':'h200-sxm'", "'tp':8"},
        {"'model':'qwen3.5-35b-a3b','system':'h100-sxm'", "'tp':2"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++)
        for (int q = 1; q <= 3; q += 2)
            for (int batch = 2; batch <= 32; batch *= 4) {
                read_mtp(w, CASES[i].parts, CASES[i].plan, "", q);
                struct orr_serving *s = &w->job.serving;
                s->batch = batch;
                s->output_len = 2;
                s->draft_accept_frac = 0;
                const struct orr_infer_result pass = infer(w, &w->job);
                const double sampling_s =
                    w->job.engine.sampling_s + w->job.engine.sampling_s_per_sequence * (double)batch;
                const struct orr_step prompt = {.prefill_tokens = batch * s->input_len, .prefill_sequences = batch};
                const struct orr_step next = {.decode_sequences = batch, .decode_context = batch * (s->input_len + 1)};
                assert_close(single_step_s(&w->job, &prompt), pass.prefill_s + sampling_s, 1e-9);
                assert_close(single_step_s(&w->job, &next), pass.decode_s, 1e-9);
            }
}

/* ---------------------------------------------------------------- requests and reports */

static void models_without_layers_are_refused(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    assert_true(try_job(w,
                        "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'input_len':9,'output_len'"
                        ":9,'draft_model':'mtp','draft_tokens':1}}",
                        &error));
    assert_non_null(strstr(error.text, "workload.draft_model: \"mtp\" means the model's own multi-token prediction "
                                       "layers, but llama3-8b has none: name a draft model"));
}

static void reports_name_the_layers(void **state)
{
    struct world *w = *state;
    struct orr_text flags = {0}, notes = {0};
    read_mtp(w, "'model':'deepseek-v3','system':'h200-sxm'", "'tp':8", "", 1);
    char *text = report_on(&w->job, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(strstr(text, "1 draft by its MTP layer, 80 % accepted"));
    free(text);
    text = report_on(&w->job, ORR_FORMAT_JSON, NULL);
    assert_non_null(strstr(text, "\"draft_model\": \"mtp\""));
    assert_non_null(strstr(text, "\"bytes\": 11717511392.0"));
    free(text);
    assert_true(orr_launch(ORR_LAUNCHER_VLLM, &w->job, &flags, &notes));
    assert_non_null(strstr(flags.data, "--speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":1}'"));
    assert_null(notes.data);
    free(flags.data);
    free(notes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_deepseek_v3_are_the_published),
        cmocka_unit_test(excluded_layers_stay_wide),
        cmocka_unit_test(weights_of_glm_are_counted_by_hand),
        cmocka_unit_test(qwen3_next_has_a_layer),
        cmocka_unit_test(the_last_stage_holds_the_layers),
        cmocka_unit_test(the_cache_has_layers_more),
        cmocka_unit_test(a_drafting_pass_is_the_sum_of_its_operators),
        cmocka_unit_test(pieces_take_turns_on_the_last_stage),
        cmocka_unit_test(the_prompt_goes_through_the_layer),
        cmocka_unit_test(acceptance_has_its_limits),
        cmocka_unit_test(steps_are_passes),
        cmocka_unit_test(models_without_layers_are_refused),
        cmocka_unit_test(reports_name_the_layers),
    };
    return cmocka_run_group_tests_name("mtp", tests, open_world, close_world);
}
