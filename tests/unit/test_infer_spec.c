/* Inference requests, their rules, and the members of engines and calibrations that serving reads. The parts are those
 * of tests/unit/fixtures: chip "plain" has 16-bit and fp8 units, model "tiny" 12 heads, 4 of them key-value heads. */
#include "support.h"

#include "random.h"
#include "spec/job.h"
#include "spec/spec.h"

static int open_fixtures(void **state)
{
    static const char *const FIXTURES[] = {"tests/unit/fixtures"};
    static struct world world;
    struct orr_error error;
    if (orr_catalogue_open(FIXTURES, 1, &world.catalogue, &error)) fail_msg("%s", error.text);
    *state = &world;
    return 0;
}

static int close_fixtures(void **state)
{
    struct world *world = *state;
    orr_catalogue_close(world->catalogue);
    return 0;
}

/* ---------------------------------------------------------------- parts */

static void engines_have_serving_members(void **state)
{
    const struct world *world = *state;
    struct orr_engine engine;
    struct orr_error error;
    if (orr_engine_read(world->catalogue, "plain", &engine, &error)) fail_msg("%s", error.text);
    assert_close(engine.kernel_gap_s, 1e-6, 1e-12);
    assert_close(engine.short_prefill_gap_s, 2e-6, 1e-12);
    assert_int_equal(engine.layer_pointwise_kernels, 6);
    assert_close(engine.pointwise_floor_s, 3e-6, 1e-12);
    assert_close(engine.pointwise_bytes_per_element, 20, 1e-12);
    assert_true(engine.fused_gate_up && engine.split_kv && engine.custom_allreduce && engine.dynamic_quantisation);
    assert_false(engine.packed_gqa);
    assert_int_equal(engine.decode_kernel, ORR_DECODE_PAGED);
    assert_close(engine.allreduce_skew_s, 4e-6, 1e-12);
    assert_close(engine.request_s, 5e-3, 1e-12);
    assert_close(engine.request_s_per_sequence, 6e-6, 1e-12);
    assert_close(engine.sampling_s, 7e-6, 1e-12);
    assert_close(engine.sampling_s_per_sequence, 8e-6, 1e-12);
    assert_int_equal(engine.budget, ORR_BUDGET_STATIC);
    assert_close(engine.budget_frac, 0.88, 1e-12);
    assert_int_equal(engine.kv_block_tokens, 64);
    assert_int_equal(engine.max_requests, 512);
}

static void calibrations_have_decode_constants(void **state)
{
    const struct world *world = *state;
    static struct orr_system system;
    static struct orr_calibration calibration;
    struct orr_error error;
    if (orr_system_read(world->catalogue, "cluster", &system, &calibration, &error)) fail_msg("%s", error.text);
    const struct orr_decode_constants *paged = calibration.decode[ORR_DECODE_PAGED];
    assert_close(paged[0].launch_s, 5e-6, 1e-12);
    assert_close(paged[0].dram_frac, 0.75, 1e-12);
    assert_close(paged[0].compute_frac, 0.5, 1e-12);
    assert_close(paged[0].sm_bytes_per_s, 40e9, 1e-12);
    assert_close(paged[0].block_s, 1e-6, 1e-12);
    assert_close(paged[0].reduce_s, 4e-6, 1e-12);
    assert_close(paged[1].compute_frac, 0.2, 1e-12);
    assert_close(calibration.mla_decode[0].dram_frac, 0.6, 1e-12);
    assert_true(calibration.decode[ORR_DECODE_SDPA][1].dram_frac > 0); /* of the base */
    assert_int_equal(calibration.n_lines, 2);
    assert_false(calibration.lines[0].custom);
    assert_true(calibration.lines[1].custom);
    assert_int_equal(calibration.lines[1].algorithm, ORR_ALGORITHM_ONESHOT);
}

/* ---------------------------------------------------------------- defaults */

static void defaults_are_the_documented_ones(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster','gpus':16,'plan':{'tp':4,'cp':2},"
                    "'workload':{'engine':'plain','input_len':300,'output_len':40}}");
    const struct orr_job *job = &world->job;
    assert_int_equal(job->kind, ORR_JOB_INFER);
    assert_int_equal(job->plan.gpus, 16);
    assert_int_equal(job->plan.dp, 2); /* 16 / (4 * 2) */
    assert_int_equal(job->plan.vpp, 1);
    assert_int_equal(job->plan.zero, 0); /* the engine's default is 1, for training */
    assert_int_equal(job->plan.zero_group, 4);
    assert_false(job->plan.sp);
    assert_int_equal(job->plan.schedule, ORR_SCHEDULE_1F1B);
    const struct orr_serving *serving = &job->serving;
    assert_int_equal(serving->batch, 1);
    assert_int_equal(serving->input_len, 300);
    assert_int_equal(serving->output_len, 40);
    assert_int_equal(serving->weights, ORR_DTYPE_BF16);
    assert_int_equal(serving->matrix, ORR_DTYPE_BF16);
    assert_int_equal(serving->kv, ORR_DTYPE_BF16);
    assert_true(serving->prefix_hit_frac == 0 && serving->chunk_tokens == 0 && serving->draft_tokens == 0);
    assert_close(serving->draft_accept_frac, 0.8, 1e-12);
    assert_false(serving->disaggregated);
    assert_close(serving->moe_imbalance, 1, 1e-12);
    assert_int_equal(job->draft.n_layers, 0);
}

/* What stages shared with training read of an inference job. */
static void the_workload_follows_the_serving_members(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster','plan':{'dp':3},"
                    "'workload':{'engine':'plain','batch':5,'input_len':300,'output_len':40,'precision':'fp16'}}");
    const struct orr_workload *workload = &world->job.workload;
    assert_int_equal(workload->seq, 300);
    assert_int_equal(workload->micro_batch, 5);
    assert_int_equal(workload->global_batch, 15);
    assert_int_equal(workload->precision, ORR_DTYPE_FP16);
    assert_int_equal(workload->attention, ORR_ATTENTION_FLASH2);
    assert_int_equal(workload->recompute, ORR_RECOMPUTE_NONE);
    assert_int_equal(workload->recompute_every, 1);
    assert_true(workload->causal);
    assert_false(workload->attention_dropout || workload->hidden_dropout);
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster',"
                    "'workload':{'engine':'eager','input_len':300,'output_len':1}}");
    assert_int_equal(workload->attention, ORR_ATTENTION_UNFUSED);
}

static void training_requests_stay_training(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'train','model':'tiny','system':'cluster','workload':{'engine':'plain'}}");
    assert_int_equal(world->job.kind, ORR_JOB_TRAIN);
    assert_int_equal(world->job.serving.batch, 0);
}

/* Formats: asked for -> weights, products, cache. The chip has no fp4 and no int4 units. */
static void formats_follow_the_chip(void **state)
{
    static const struct {
        const char *asked;
        enum orr_dtype weights, matrix, kv;
    } CASES[] = {
        {"'precision':'fp16'", ORR_DTYPE_FP16, ORR_DTYPE_FP16, ORR_DTYPE_FP16},
        {"'precision':'int8'", ORR_DTYPE_INT8, ORR_DTYPE_INT8, ORR_DTYPE_BF16},
        {"'precision':'fp4'", ORR_DTYPE_FP4, ORR_DTYPE_BF16, ORR_DTYPE_BF16},
        {"'precision':'int4'", ORR_DTYPE_INT4, ORR_DTYPE_BF16, ORR_DTYPE_BF16},
        {"'precision':'INT4','matrix_precision':'fp16'", ORR_DTYPE_INT4, ORR_DTYPE_FP16, ORR_DTYPE_BF16},
        {"'precision':'int8','matrix_precision':'fp16'", ORR_DTYPE_INT8, ORR_DTYPE_FP16, ORR_DTYPE_BF16},
        {"'kv_precision':'fp8'", ORR_DTYPE_BF16, ORR_DTYPE_BF16, ORR_DTYPE_FP8},
        {"'precision':'fp16','kv_precision':'int8'", ORR_DTYPE_FP16, ORR_DTYPE_FP16, ORR_DTYPE_INT8},
    };
    struct world *world = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        read_job(world,
                 "{'kind':'infer','model':'tiny','system':'cluster',"
                 "'workload':{'engine':'plain','input_len':300,'output_len':40,%s}}",
                 CASES[i].asked);
        assert_int_equal(world->job.serving.weights, CASES[i].weights);
        assert_int_equal(world->job.serving.matrix, CASES[i].matrix);
        assert_int_equal(world->job.serving.kv, CASES[i].kv);
    }
}

/* The sum of twelve uniform numbers has the variance of a standard normal one, and nearly its tails. */
static double normal(struct random *random)
{
    const size_t steps = (size_t)1 << 30;
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += ((double)draw(random, steps) + 0.5) / (double)steps;
    return sum;
}

/* Mean load of the hottest of `ranks`, over the mean, when loads of experts are lognormal: thrown 2000 times. */
static double thrown(int experts, int ranks, double spread)
{
    struct random random = {7};
    double sum = 0;
    for (int run = 0; run < 2000; run++) {
        double hottest = 0, all = 0;
        for (int rank = 0; rank < ranks; rank++) {
            double load = 0;
            for (int i = 0; i < experts / ranks; i++) load += exp(spread * normal(&random));
            hottest = load > hottest ? load : hottest;
            all += load;
        }
        sum += hottest * ranks / all;
    }
    return sum / 2000;
}

static double imbalance_of(int64_t experts, int64_t ep, int64_t tp, bool copies)
{
    static struct orr_job job;
    job = (struct orr_job){.model = {.n_kinds = 1, .kinds = {{.n_experts = experts}}},
                           .plan = {.tp = tp, .etp = 1},
                           .engine = {.moe_redundant = copies}};
    return orr_default_imbalance(&job, ep);
}

static double imbalance(int64_t experts, int64_t ep, bool copies)
{
    return imbalance_of(experts, ep, 1, copies);
}

/* 256 experts have a spread of 1.03, 8 of 0.2, 128 of 0.2 + 0.83 * 4 / 5; the published hottest of 32 ranks is 2.56. */
static void hot_experts_make_hot_ranks(void **state)
{
    struct world *world = *state;
    for (int ep = 4; ep <= 32; ep *= 2) assert_close(imbalance(256, ep, false), thrown(256, ep, 1.03), 0.06);
    for (int ep = 2; ep <= 8; ep *= 2) {
        assert_close(imbalance(128, ep, false), thrown(128, ep, 0.864), 0.04);
        assert_close(imbalance(8, ep, false), thrown(8, ep, 0.2), 0.04);
    }
    assert_close(imbalance(256, 32, false), 2.56, 0.1);
    assert_close(imbalance(256, 1, false), 1, 1e-12);
    assert_close(imbalance(256, 32, true), 1.11, 1e-12);       /* published */
    /* Eq. 344: experts within a tensor-parallel group have no copies. */
    assert_close(imbalance_of(256, 8, 8, true), thrown(256, 8, 1.03), 0.06);
    assert_close(imbalance(256, 2, true), 1.0098386991, 1e-9); /* 1 + 0.11 / 5^1.5 = 1 + 0.11 / 11.1803398875 */
    read_job(world, "{'kind':'infer','model':'tiny-experts','system':'cluster','plan':{'dp':6,'ep':6},"
                    "'workload':{'engine':'plain','input_len':300,'output_len':40,'moe_imbalance':3}}");
    assert_close(world->job.serving.moe_imbalance, 3, 1e-12);
    assert_close(world->job.workload.moe_imbalance, 3, 1e-12);
}

/* What a run switched stands above its engine; what it leaves open is the engine's own. */
static void runs_say_what_they_switched(void **state)
{
    struct world *world = *state;
    static const char REQUEST[] =
        "{'kind':'infer','model':'tiny-experts','system':'cluster','plan':{'dp':6,'ep':6},'workload':{'engine':'plain',"
        "'input_len':300,'output_len':40%s},'set':{'engine.graph_sequences':64,'engine.prefix_cache':true,"
        "'engine.ep_overlap_frac':0.25,'engine.frontend_s':0.01,'engine.stream_s_per_token':1e-4,"
        "'engine.tokenise_s_per_token':2e-6}}";
    const struct orr_engine *engine = &world->job.engine;
    read_job(world, REQUEST, "");
    assert_int_equal(engine->graph_sequences, 64);
    assert_false(engine->two_batch_overlap || engine->moe_redundant || engine->async_scheduling);
    assert_false(engine->chunked_prefill);
    assert_true(engine->prefix_cache);
    assert_close(engine->ep_overlap_frac, 0.25, 0);
    read_job(world, REQUEST,
             ",'two_batch_overlap':true,'expert_copies':'on','graphs':'no','async_scheduling':1,"
             "'chunked_prefill':true,'prefix_cache':false,'server':false");
    assert_close(engine->frontend_s + engine->stream_s_per_token, 0, 0); /* a process has no server ... */
    assert_close(engine->tokenise_s_per_token, 2e-6, 0);                 /* ... but makes tokens of texts */
    assert_int_equal(engine->graph_sequences, 0);
    assert_true(engine->two_batch_overlap && engine->moe_redundant && engine->async_scheduling);
    assert_true(engine->chunked_prefill);
    assert_false(engine->prefix_cache);
    assert_close(engine->ep_overlap_frac, 1, 0);
    assert_close(world->job.serving.moe_imbalance, 1 + 0.11 * pow(log2(6) / 5, 1.5), 1e-12); /* Eq. 344 */
    read_job(world, REQUEST, ",'two_batch_overlap':false,'graphs':'engine','prefix_cache':'engine'");
    assert_close(engine->ep_overlap_frac, 0, 0);
    assert_int_equal(engine->graph_sequences, 64);
    assert_true(engine->prefix_cache);
    assert_close(engine->frontend_s, 0.01, 0);
    assert_close(engine->stream_s_per_token, 1e-4, 0);
}

static void draft_models_are_read(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster','plan':{'tp':2},"
                    "'workload':{'engine':'plain','input_len':300,'output_len':40,'draft_tokens':3,"
                    "'draft_accept_frac':'70 %%','draft_model':{'base':'tiny','num_hidden_layers':2}},"
                    "'set':{'model.num_hidden_layers':20,'workload.batch':'4'}}");
    assert_int_equal(world->job.draft.n_layers, 2); /* "set" of the model does not reach it */
    assert_int_equal(world->job.model.n_layers, 20);
    assert_int_equal(world->job.serving.draft_tokens, 3);
    assert_int_equal(world->job.serving.batch, 4);
    assert_close(world->job.serving.draft_accept_frac, 0.7, 1e-12);
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster',"
                    "'workload':{'engine':'plain','input_len':300,'output_len':40,'draft_tokens':0,"
                    "'draft_model':'tiny'}}"); /* switched off, for comparison */
}

static void the_default_engine_serves(void **state)
{
    struct world *world = *state;
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster','workload':{'input_len':300,'output_len':40}}");
    assert_string_equal(world->job.engine.id, "tensorrt-llm-1.2");
}

/* ---------------------------------------------------------------- refusals */

/* Members of a request after kind, model "tiny", system "cluster" -> the error after "request:1: ". In a workload,
 * engine "plain", input_len 300 and output_len 40 are given. */
static const struct {
    const char *top, *workload, *text;
} REFUSED[] = {
    {"", ",'seq':1", "workload.seq: is a key of kind \"train\"; this request is of kind \"infer\""},
    {"", ",'causal':true", "workload.causal: is a key of kind \"train\"; this request is of kind \"infer\""},
    {",'plan':{'zero':0}", "", "plan.zero: is a key of kind \"train\"; this request is of kind \"infer\""},
    {",'plan':{'stage_layers':[12]}", "",
     "plan.stage_layers: is a key of kind \"train\"; this request is of kind \"infer\""},
    {",'set':{'plan.sp':true}", "", "plan.sp: is a key of kind \"train\"; this request is of kind \"infer\""},
    {"", ",'beams':4", "unknown key \"workload.beams\""},
    {"", ",'batch':0", "workload.batch: must be an integer from 1 to 1000000, not 0"},
    {"", ",'prefix_hit_frac':0.9999", "workload.prefix_hit_frac: must be a number from 0 to 0.999, not 0.9999"},
    {"", ",'chunk_tokens':301", "workload.chunk_tokens: 301 is more than the input_len of 300 (0: the prompt at once)"},
    {",'set':{'workload.input_len':99999961}", "",
     "workload.input_len: input_len + output_len = 99999961 + 40 = 100000001 tokens; at most 100000000"},
    {"", ",'matrix_precision':'int4'",
     "workload.matrix_precision: must be one of \"fp32\", \"tf32\", \"fp16\", \"bf16\", \"fp8\", \"fp8_block\", "
     "\"fp4\", \"int8\", not \"int4\" (did you mean \"int8\"?)"},
    {"", ",'matrix_precision':'fp4'",
     "workload.matrix_precision: chip plain has no fp4 units (it has: fp32, tf32, fp16, bf16, fp8, fp8_block, int8)"},
    {"", ",'precision':'fp8'",
     "workload.precision: calibration plain has no gemm constants for fp8 (it has: fp32, tf32, fp16, bf16, int8)"},
    {"", ",'kv_precision':'fp32'",
     "workload.kv_precision: must be one of \"fp16\", \"bf16\", \"fp8\", \"int8\", \"int8_per_token_head\", \"int4\", "
     "\"nf4\", \"nvfp4\", \"q8_0\", \"q4_0\", \"fp8_ds_mla\", not \"fp32\" (did you mean \"fp16\"?)"},
    {"", ",'draft_tokens':2",
     "workload.draft_tokens: 2 needs a draft_model: a catalogue id, a file path, an object, or \"mtp\""},
    {"", ",'draft_model':'tiny'",
     "workload.draft_model: needs draft_tokens: tokens drafted per step, from 1 to 1024 (0: off)"},
    {"", ",'draft_tokens':2,'draft_model':{'base':'tiny','vocab_size':999}",
     "workload.draft_model: custom has a vocabulary of 999 tokens, but tiny has 1000: they must share one"},
    {",'plan':{'tp':4}",
     ",'draft_tokens':2,'draft_model':{'base':'tiny','num_attention_heads':6,"
     "'num_key_value_heads':2}",
     "plan.tp: 4 does not divide the 6 attention heads of draft model custom (allowed: 1, 2)"},
    {",'plan':{'tp':5}", "", "plan.tp: 5 does not divide the 12 attention heads of tiny (allowed: 1, 2, 4, 12)"},
    {",'plan':{'cp':301}", "", "plan.cp: 301 ranks share a prompt of 300 tokens: at most one rank per token"},
    {",'plan':{'pp':13}", "", "plan.pp: 13 stages for the 12 layers of tiny: each stage needs a layer"},
    {",'plan':{'dp':2,'ep':2}", "", "plan.ep: must be 1: tiny has no experts"},
    {",'gpus':6,'plan':{'tp':4}", "", "gpus: 6 is not a multiple of tp * pp * cp = 4 * 1 * 1 = 4 (nearest: 8)"},
    {",'plan':{'dp':9},'set':{'system.scaleout_bytes_per_s':0}", "",
     "gpus: 9, but system cluster ends at the 8 GPUs of its scale-up domain (scaleout_bytes_per_s is 0)"},
    {",'plan':{'tp':4,'pp':2},'set':{'system.scaleout_bytes_per_s':0}", ",'disaggregated':true",
     "workload.disaggregated: a prefill and a decode replica take 16 GPUs, but system cluster ends at the 8 GPUs of "
     "its scale-up domain (scaleout_bytes_per_s is 0)"},
    {",'set':{'calibration.decode.paged.4':{}}", "", "unknown key \"calibration.decode.paged.4\""},
    {",'set':{'calibration.decode.quantum':{}}", "", "unknown key \"calibration.decode.quantum\""},
    {",'set':{'calibration.mla_decode':7}", "", "calibration.mla_decode: must be an object, not 7"},
};

static void wrong_requests_are_explained(void **state)
{
    struct world *world = *state;
    for (size_t i = 0; i < COUNT(REFUSED); i++) {
        char request[512];
        struct orr_error error = {.text = "accepted"};
        snprintf(request, sizeof request,
                 "{'kind':'infer','model':'tiny','system':'cluster','workload':{'engine':'plain','input_len':300,"
                 "'output_len':40%s}%s}",
                 REFUSED[i].workload, REFUSED[i].top);
        (void)!try_job(world, request, &error);
        const char *text = strncmp(error.text, "request:1: ", 11) == 0 ? error.text + 11 : error.text + 9;
        assert_string_equal(text, REFUSED[i].text);
    }
}

static void long_contexts_are_allowed(void **state)
{
    struct world *world = *state; /* the model's max_position_embeddings is 1024: rotary positions are scaled */
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster',"
                    "'workload':{'engine':'plain','input_len':5000,'output_len':1}}");
    assert_int_equal(world->job.serving.input_len, 5000);
}

/* What orr_job_read would never let through can still come from a caller. */
static void check_refused(const struct orr_job *job, const char *text)
{
    struct orr_error error = {.text = "accepted"};
    assert_int_equal(orr_job_check(job, &error), ORR_ERR_RULE);
    assert_string_equal(error.text, text);
}

static void jobs_changed_by_hand_are_checked(void **state)
{
    struct world *world = *state;
    static struct orr_job good, job;
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster',"
                    "'workload':{'engine':'plain','input_len':300,'output_len':40}}");
    good = job = world->job;
    job.serving.output_len = 0;
    check_refused(&job, "workload.output_len: must be from 1 to 100000000, not 0");
    job = good;
    job.serving.prefix_hit_frac = (double)NAN;
    check_refused(&job, "workload.prefix_hit_frac: must be from 0 to 0.999, not nan");
    job = good;
    job.serving.draft_tokens = 1;
    check_refused(&job, "workload.draft_tokens: 1 needs a draft_model");
    job = good;
    job.serving.kv = ORR_DTYPE_FP4;
    check_refused(&job, "workload.kv_precision: must be \"fp16\", \"bf16\", \"fp8\" or \"int8\", not \"fp4\"");
    job = good;
    job.serving.moe_imbalance = 0;
    check_refused(&job, "workload.moe_imbalance: must be from 1 (all expert ranks equally loaded) to 100000, not 0");
    job = good;
    job.plan.vpp = 2;
    check_refused(&job, "plan.vpp: must be 1, not 2: a setting of training");
    job = good;
    job.plan.sp = true;
    check_refused(&job, "plan.sp: must be 0, not 1: a setting of training");
    job = good;
    job.kind = (enum orr_job_kind)9;
    check_refused(&job, "kind: must be train or infer");
}

static void missing_constants_are_named(void **state)
{
    struct world *world = *state;
    static struct orr_job good, job;
    read_job(world, "{'kind':'infer','model':'tiny','system':'cluster',"
                    "'workload':{'engine':'plain','input_len':300,'output_len':40}}");
    good = job = world->job;
    job.serving.kv = ORR_DTYPE_FP8;
    job.calibration.decode[ORR_DECODE_PAGED][1].dram_frac = 0;
    check_refused(&job, "workload.engine: calibration plain has no decode constants for the kernel of engine plain, "
                        "\"paged\", and a cache of 8 bits");
    job.serving.kv = ORR_DTYPE_FP16;
    assert_int_equal(orr_job_check(&job, NULL), ORR_OK);
    job = good;
    job.model.kinds[0].mla_kv_rank = 64;
    job.calibration.mla_decode[0].dram_frac = 0;
    check_refused(&job, "workload.engine: calibration plain has no mla_decode constants for the kernel of engine "
                        "plain, \"paged\", and a cache of 16 bits");
    job = good;
    job.calibration.attention[ORR_ATTENTION_FLASH2].forward_frac = 0;
    check_refused(&job, "workload.engine: calibration plain has no attention constants for flash2");
    job = good;
    job.serving.weights = job.serving.matrix = ORR_DTYPE_INT8;
    job.calibration.gemm[ORR_DTYPE_BF16].burst_frac = 0;
    check_refused(&job, "workload.precision: calibration plain has no gemm constants for bf16, which the products "
                        "outside the linear layers use (it has: fp32, tf32, fp16, int8)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_have_serving_members),     cmocka_unit_test(calibrations_have_decode_constants),
        cmocka_unit_test(defaults_are_the_documented_ones), cmocka_unit_test(the_workload_follows_the_serving_members),
        cmocka_unit_test(training_requests_stay_training),  cmocka_unit_test(formats_follow_the_chip),
        cmocka_unit_test(hot_experts_make_hot_ranks),       cmocka_unit_test(draft_models_are_read),
        cmocka_unit_test(the_default_engine_serves),        cmocka_unit_test(wrong_requests_are_explained),
        cmocka_unit_test(long_contexts_are_allowed),        cmocka_unit_test(jobs_changed_by_hand_are_checked),
        cmocka_unit_test(missing_constants_are_named),      cmocka_unit_test(runs_say_what_they_switched),
    };
    return cmocka_run_group_tests_name("infer_spec", tests, open_fixtures, close_fixtures);
}
