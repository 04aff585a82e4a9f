/* Vision towers and encoders: parameters, positions and tokens of images, FLOP, memory and time in serving and in
 * training. Numbers of configs are written out, so that every expected value can be followed on paper. */
#include "searches.h"
#include "serving.h"

#include "memory/memory.h"
#include "spec/job.h"

/* Sum of count times FLOP over the operators of the tower, in one phase or in all. */
static double tower_flops(const struct world *w, enum orr_phase phase, bool products_only)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    double flops = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].layer_kind != ORR_LAYER_TOWER || ops[i].phase != phase) continue;
        if (!products_only || ops[i].kind == ORR_OP_GEMM) flops += ops[i].count * ops[i].flops;
    }
    return flops;
}

static struct orr_infer_result infer_images(struct world *w, const char *model, int images, const char *more)
{
    read_job(w,
             "{'kind':'infer','model':'%s','system':'h100-sxm',"
             "'workload':{'engine':'vllm','batch':1,'input_len':100,'output_len':50,'images':%d%s}}",
             model, images, more);
    return infer(w, &w->job);
}

/* ---------------------------------------------------------------- parameters */

/* Layers, one layer, and everything else, by the shapes that the libraries' modules have. */
static void parameters_are_layers_and_the_rest(void **state)
{
    static const struct {
        const char *id;
        int64_t layers, layer, rest;
    } TOWERS[] = {
        /* h 1152, FFN 4304, biases: 4(h² + h) + 2h·f + f + h + 4h; patches 3·2·16²·h + h, 2304 positions, four mergers
         * 4608² + 4608 + 4608·4096 + 4096, norms 2h of the first and 2·4608 of three */
        {"qwen3-vl-8b", 27, 15239504, 1770624 + 2304 * 1152 + 4 * INT64_C(40116736) + 2304 + 3 * 9216},
        /* h 1280, gated FFN 3420 with biases, RMS norms; patches 3·2·14²·h, merger 5120² + 5120 + 5120·3584 + 3584 */
        {"qwen2.5-vl-7b", 32, 19702200, 1505280 + 1280 + 26219520 + 18353664},
        /* as the first; patches 3·14²·h + h, 4096 positions, last norm, projection to 5376 and its norm */
        {"gemma3-27b", 27, 15239504, 678528 + 4096 * 1152 + 2304 + 1152 * 5376 + 1152},
        /* h 1024, gated FFN 4096, no biases; patches, two norms, 4096 to 1024 to 5120 to 5120 */
        {"mistral-small-3.1-24b-instruct-2503", 24, 16779264, 602112 + 2048 + 4194304 + 5242880 + 26214400},
        /* h 1280, FFN 5120, no bias of keys; convolutions over 3 of 128 mels and 3 of 1280, 1500 positions, a norm */
        {"whisper-large-v3", 32, 19676160, 492800 + 4916480 + 1500 * 1280 + 2560},
        /* h 4096, 64 heads of 64, gated FFN 10240, RMS norms without biases; a norm, 32 x 64 relative positions */
        {"flan-t5-xxl", 24, 4 * 4096 * 4096 + 3 * 4096 * 10240 + 2 * 4096, 4096 + 32 * 64},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(TOWERS); i++) {
        static struct orr_model model;
        struct orr_error error;
        if (orr_model_read(w->catalogue, TOWERS[i].id, &model, &error)) fail_msg("%s", error.text);
        const struct orr_layer_kind *kind = &model.tower.kinds[0];
        assert_int_equal(model.tower.n_layers[0] + model.tower.n_layers[1], TOWERS[i].layers);
        assert_int_equal(kind->attention_params + kind->ffn_params + kind->norm_params, TOWERS[i].layer);
        assert_int_equal(model.tower.params, TOWERS[i].layers * TOWERS[i].layer + TOWERS[i].rest);
        assert_int_equal(model.tower_params, model.tower.params);
    }
}

/* Llama 4 Scout with its vision_config, which the catalogue leaves out: 34 layers of h 1408 and FFN 5632, 577
 * positions, 5632 to 4096 to 4096 to 5120. An image is cut into tiles of 336 pixels. */
#define SCOUT                                                                                                          \
    "{'model_type':'llama4','vision_config':{'hidden_size':1408,'intermediate_size':5632,'num_hidden_layers':34,"      \
    "'num_attention_heads':16,'patch_size':14,'image_size':336,'projector_input_dim':4096,"                            \
    "'projector_output_dim':4096},'text_config':{'model_type':'llama4_text','hidden_size':5120,"                       \
    "'intermediate_size':8192,'intermediate_size_mlp':16384,'num_hidden_layers':48,'num_attention_heads':40,"          \
    "'num_key_value_heads':8,'head_dim':128,'num_local_experts':16,'num_experts_per_tok':1,'vocab_size':202048,"       \
    "'max_position_embeddings':10485760}}"

static void an_image_is_cut_into_tiles(void **state)
{
    /* The smallest canvas that holds the image, and a copy of the whole image beside more than one tile. */
    static const struct {
        const char *size;
        int64_t tiles;
    } SIZES[] = {{"336", 1}, {"300", 1}, {"672", 5}, {"1024", 17}, {"1000x300", 4}, {"3000x3000", 17}};
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(SIZES); i++) {
        read_job(w,
                 "{'kind':'infer','model':" SCOUT ",'system':'h200-sxm','plan':{'tp':8},'workload':{'engine':'vllm',"
                 "'input_len':100,'output_len':2,'images':1,'image_size':'%s'}}",
                 SIZES[i].size);
        assert_int_equal(w->job.media.tower_runs, SIZES[i].tiles);
        assert_int_equal(w->job.media.tower_positions, 577);
        assert_int_equal(w->job.media.image_tokens, SIZES[i].tiles * 144);
    }
    assert_int_equal(w->job.model.tower.params, INT64_C(34) * 23807872 + 827904 + 1408 + 577 * 1408 + 4 * 1408 +
                                                    5632 * 4096 + 4096 * 4096 + 4096 * 5120);
}

/* ---------------------------------------------------------------- tokens */

static void tokens_of_an_image(void **state)
{
    static const struct {
        const char *model, *size;
        int64_t positions, tokens;
    } IMAGES[] = {
        {"qwen3-vl-8b", "1024", 4096, 1024},                            /* 64 x 64 patches of 16, 2 x 2 to a token */
        {"qwen3-vl-8b", "640x480", 1200, 300},                          /* 40 x 30 patches */
        {"qwen3-vl-8b", "1280x720", 40 * 22 * 4, 880},                  /* 22.5 rows, rounded to even */
        {"qwen2.5-vl-7b", "1024x1024", 5476, 1369},                     /* 1024 / 28 = 36.6, rounded to 37 */
        {"qwen2-vl-7b", "1000", 5184, 1296},                            /* 35.7, rounded to 36 */
        {"gemma3-27b", "1024", 4096, 256},                              /* any image is 896 x 896 */
        {"gemma3-27b", "4000x100", 4096, 256},                          /* any shape too */
        {"mistral-small-3.1-24b-instruct-2503", "1024", 5476, 37 * 38}, /* rounded up, and a break after every row */
        {"kimi-k2.5", "1000", 5184, 1296},                              /* 35.7, rounded up to 36 */
        {"gemma-4-31b", "1024", 2304, 256},        /* at most 280 tokens of 48 x 48 pixels: 16 x 16 */
        {"gemma-4-31b", "2048x1024", 2277, 253},   /* 23.7 x 11.8, rounded down to 23 x 11 */
        {"lfm2.5-vl-1.6b", "1024", 1024, 5 * 256}, /* four tiles of 512 and the whole */
        {"llama-3.2-11b-vision", "1024", 6404, 0}, /* cross attention instead of tokens */
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(IMAGES); i++) {
        char size[64];
        (void)snprintf(size, sizeof size, ",'image_size':'%s'", IMAGES[i].size);
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'gb200-nvl72','workload':{'engine':'vllm',"
                 "'input_len':100,'output_len':2,'images':1%s}}",
                 IMAGES[i].model, size);
        assert_int_equal(w->job.media.tower_positions, IMAGES[i].positions);
        assert_int_equal(w->job.media.image_tokens, IMAGES[i].tokens);
    }
    infer_images(w, "qwen3-vl-8b", 3, "");
    assert_int_equal(w->job.media.image_tokens, 3 * 1024);
    assert_true(w->job.media.size_assumed && w->job.media.image_width == 1024);
}

static void a_model_reads_only_what_its_tower_reads(void **state)
{
    static const struct {
        const char *model, *key, *says;
    } REFUSED[] = {
        {"llama3-8b", "'images':1", "workload.images: model llama3-8b has no vision tower"},
        {"whisper-large-v3", "'images':1", "workload.images"},
        {"qwen3-vl-8b", "'audio_s':10", "workload.audio_s"},
        {"whisper-large-v3", "'audio_s':31", "at most 30 s"},
        {"qwen3-vl-8b", "'encoder_tokens':10", "workload.encoder_tokens"},
        {"qwen3-vl-8b", "'image_size':'12x'", "WIDTHxHEIGHT"},
        {"qwen3-vl-8b", "'image_size':0", "WIDTHxHEIGHT"},
        {"qwen3-vl-8b", "'images':-1", "workload.images"},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(REFUSED); i++) {
        struct orr_error error;
        char request[512];
        (void)snprintf(
            request, sizeof request,
            "{'kind':'infer','model':'%s','system':'h100-sxm','workload':{'input_len':10,'output_len':2,%s}}",
            REFUSED[i].model, REFUSED[i].key);
        assert_int_not_equal(try_job(w, request, &error), ORR_OK);
        if (!strstr(error.text, REFUSED[i].says)) fail_msg("%s", error.text);
    }
    struct orr_error error; /* three images of 1024 tokens in a training sequence of 2048 */
    assert_int_not_equal(try_job(w,
                                 "{'kind':'train','model':'qwen3-vl-8b','system':'h100-sxm','gpus':8,'workload':"
                                 "{'seq':2048,'images':3}}",
                                 &error),
                         ORR_OK);
    assert_non_null(strstr(error.text, "3072 tokens, but seq is 2048"));
}

/* ---------------------------------------------------------------- serving */

/* Eq. 124 of one image of 4096 patches in Qwen3-VL-8B: 27 layers with 4h² + 2h·f weights and 4h FLOP for every pair of
 * patches, the patch embedding, and four mergers on 1024 rows. */
#define QWEN3_IMAGE_FLOPS                                                                                              \
    (27 * (2 * 4096.0 * (4 * 1152.0 * 1152 + 2 * 1152.0 * 4304) + 4 * 1152 * 4096.0 * 4096) +                          \
     2 * 4096.0 * 1536 * 1152 + 4 * 2 * 1024.0 * (4608.0 * 4608 + 4608 * 4096.0))

static void flop_of_an_image(void **state)
{
    struct world *w = *state;
    infer_images(w, "qwen3-vl-8b", 1, "");
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false), QWEN3_IMAGE_FLOPS, 1e-12);
    assert_close(orr_tower_flops(&w->job), QWEN3_IMAGE_FLOPS, 1e-12);
    assert_close(QWEN3_IMAGE_FLOPS, 5.7978e12, 1e-4);
    infer_images(w, "qwen3-vl-8b", 3, "");
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false), 3 * QWEN3_IMAGE_FLOPS, 1e-12);
    infer_images(w, "qwen3-vl-8b", 0, "");
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false), 0, 0);
}

/* 1120 pixels are 80 x 80 patches of Qwen2.5-VL, which are exactly 100 windows of 8 x 8. 4 of 32 layers see all. */
static void most_layers_attend_within_windows(void **state)
{
    struct world *w = *state;
    infer_images(w, "qwen2.5-vl-7b", 1, ",'image_size':1120");
    const double layer = 2 * 6400.0 * (4 * 1280.0 * 1280 + 3 * 1280.0 * 3420), pair = 4 * 1280.0;
    const double merger = 2 * 1600.0 * (5120.0 * 5120 + 5120 * 3584.0);
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false),
                 32 * layer + pair * 6400 * (4 * 6400.0 + 28 * 64.0) + 2 * 6400.0 * 1176 * 1280 + merger, 1e-12);
}

/* 1120 x 840 pixels are 80 x 60 patches of GLM-4.5V and 1200 tokens. Its FFN is as wide as the text model; a
 * convolution, a product, and a gated FFN of 10944 columns follow on the joined patches. */
static void glm_merges_with_a_gated_ffn(void **state)
{
    struct world *w = *state;
    infer_images(w, "glm-4.5v", 1, ",'image_size':'1120x840'");
    const double h = 1536, out = 4096, ffn = 10944, patches = 4800;
    const double layer = 2 * patches * (4 * h * h + 3 * h * out) + 4 * h * patches * patches;
    const double merger = 2 * 1200 * (4 * h * out + out * out + 3 * out * ffn);
    assert_int_equal(w->job.media.image_tokens, 1200);
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false), 24 * layer + 2 * patches * 1176 * h + merger, 1e-12);
}

/* The text model reads 100 + 1024 tokens; the cache holds them and 50 more. The tower's weights are in 16 bits. */
static void a_prompt_has_the_tokens_of_its_images(void **state)
{
    struct world *w = *state;
    const struct orr_infer_result text = infer_images(w, "qwen3-vl-8b", 0, "");
    const struct orr_infer_result image = infer_images(w, "qwen3-vl-8b", 1, "");
    const struct orr_op *qkv = phase_op(w, ORR_PHASE_PREFILL, "attention.qkv", NULL);
    assert_close(qkv->m, 1124, 0);
    assert_close(image.kv_bytes_per_sequence, 1174.0 * 36 * 2 * 8 * 128 * 2, 0);
    assert_close(text.kv_bytes_per_sequence, 150.0 * 36 * 2 * 8 * 128 * 2, 0);
    const int weights = ORR_SERVE_MEMORY_WEIGHTS;
    assert_close(image.memory_bytes[weights] - text.memory_bytes[weights], 2 * 576388336.0, 1e-9);
    assert_close(text.tower_s, 0, 0);
    assert_true(image.tower_s > 0 && image.tower_s < image.prefill_s);
    /* The same number of tokens as text costs the prompt without the tower. */
    read_job(w, "{'kind':'infer','model':'qwen3-vl-8b','system':'h100-sxm',"
                "'workload':{'engine':'vllm','batch':1,'input_len':1124,'output_len':50}}");
    const struct orr_infer_result plain = infer(w, &w->job);
    assert_close(image.prefill_s - image.tower_s, plain.prefill_s, 1e-12);
    assert_close(image.decode_s, plain.decode_s, 1e-12);
}

/* Half of the prompts' images are in the cache, so that two of four are read. */
static void cached_images_are_not_read_again(void **state)
{
    struct world *w = *state;
    infer_images(w, "qwen3-vl-8b", 4, ",'prefix_hit_frac':0.5");
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false), 2 * QWEN3_IMAGE_FLOPS, 1e-12);
}

static void more_images_take_longer(void **state)
{
    struct world *w = *state;
    struct orr_infer_result before = infer_images(w, "qwen3-vl-8b", 0, "");
    for (int images = 1; images < 5; images++) {
        const struct orr_infer_result next = infer_images(w, "qwen3-vl-8b", images, "");
        assert_true(next.ttft_s > before.ttft_s && next.tower_s > before.tower_s);
        assert_true(next.latency_s > before.latency_s && next.kv_gpu_bytes > before.kv_gpu_bytes);
        assert_true(next.max_batch <= before.max_batch);
        before = next;
    }
}

/* Two ranks share the heads of a layer and the columns of a merger; 32 ranks cannot share 16 heads, so that each has
 * the whole tower and sends nothing. */
static void ranks_share_the_tower_where_they_divide_its_heads(void **state)
{
    static const char request[] = "{'kind':'infer','model':'qwen3-vl-8b','system':'gb200-nvl72','plan':{'tp':%d},"
                                  "'workload':{'engine':'vllm','input_len':100,'output_len':2,'images':1}}";
    struct world *w = *state;
    read_job(w, request, 2);
    infer(w, &w->job);
    assert_close(need_op(w, ORR_LAYER_TOWER, "attention.qkv")->n, 3456 / 2.0, 0);
    assert_close(need_op(w, ORR_LAYER_TOWER, "mlp.down")->k, 4304 / 2.0, 0);
    assert_close(need_op(w, ORR_LAYER_TOWER, "tp.reduce")->payload_bytes, 4096.0 * 1152 * 2, 0);
    const double layers = 27 * ((4 * 1152.0 * 1153 + 2 * 1152.0 * 4304 + 4304 + 1152) / 2 + 4 * 1152);
    const double merger = 4 * 40116736.0 + 2304 + 3 * 9216;
    assert_close(orr_rank_tower_params(&w->job), layers + merger / 2 + 1770624 + 2304 * 1152, 1e-12);
    read_job(w, request, 32);
    infer(w, &w->job);
    assert_close(need_op(w, ORR_LAYER_TOWER, "attention.qkv")->n, 3456, 0);
    assert_null(find_op(w, ORR_LAYER_TOWER, "tp.reduce"));
    assert_close(orr_rank_tower_params(&w->job), 576388336, 0);
}

/* The tower is on the first of two stages, and its time is seen once; the rows of the ledger add up to the parts. */
static void rows_add_up(void **state)
{
    static struct orr_answer answer;
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'qwen3-vl-8b','system':'h100-sxm','plan':{'pp':2},'workload':{'engine':"
                "'vllm','batch':4,'input_len':100,'output_len':20,'images':2,'chunk_tokens':1024}}");
    orr_predict(&w->job, w->scratch, &answer);
    double parts_s[ORR_N_INFER_PARTS] = {0}, tower_s = 0, latency_s = 0;
    for (size_t i = 0; i < answer.n_rows; i++) {
        const struct orr_time_row *row = &answer.rows[i];
        parts_s[row->part] += row->exposed_s;
        if (row->op >= 0 && answer.ops[row->op].layer_kind == ORR_LAYER_TOWER) tower_s += row->exposed_s;
    }
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) {
        assert_close(parts_s[i], answer.infer.time_s[i], 1e-12);
        latency_s += parts_s[i];
    }
    assert_close(latency_s, answer.infer.latency_s, 1e-12);
    assert_at_most(tower_s, answer.infer.tower_s);
    assert_close(answer.infer.tower_s, tower_s, 0.05); /* the rest is launch gaps */
}

/* ---------------------------------------------------------------- encoders */

/* Whisper pads sound to 1500 positions; its 32 decoder layers keep their keys and values. */
static void sound_is_read_in_windows(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'whisper-large-v3','system':'h100-sxm',"
                "'workload':{'engine':'vllm','batch':4,'input_len':4,'output_len':100,'audio_s':12}}");
    const struct orr_infer_result result = infer(w, &w->job);
    assert_close(need_op(w, ORR_LAYER_TOWER, "attention.qkv")->m, 4 * 1500, 0);
    const double layer = 2 * 1500.0 * (4 * 1280.0 * 1280 + 2 * 1280.0 * 5120) + 4 * 1280 * 1500.0 * 1500;
    const double convolutions = 2 * 3000.0 * 384 * 1280 + 2 * 1500.0 * 3840 * 1280;
    assert_close(tower_flops(w, ORR_PHASE_PREFILL, false), 4 * (32 * layer + convolutions), 1e-12);
    assert_close(result.state_bytes_per_sequence, 32 * 1500.0 * 2 * 1280 * 2, 0);
    assert_true(result.tower_s > 0);
    assert_int_equal(w->job.media.image_tokens, 0);
}

static void an_encoder_reads_its_tokens(void **state)
{
    static const int64_t tokens[] = {512, 2000};
    struct world *w = *state;
    struct orr_infer_result results[2];
    for (int i = 0; i < 2; i++) {
        read_job(w,
                 "{'kind':'infer','model':'flan-t5-xxl','system':'h100-sxm','workload':{'engine':'vllm','batch':2,"
                 "'input_len':1,'output_len':20%s}}",
                 i ? ",'encoder_tokens':2000" : "");
        const double s = (double)tokens[i];
        results[i] = infer(w, &w->job);
        assert_close(tower_flops(w, ORR_PHASE_PREFILL, false),
                     2 * 24 * (2 * s * (4 * 4096.0 * 4096 + 3 * 4096.0 * 10240) + 4 * 4096 * s * s), 1e-12);
        assert_close(results[i].state_bytes_per_sequence, 24 * s * 2 * 4096 * 2, 0);
        assert_close(need_op(w, 0, "cross.step")->n, s, 0);
    }
    assert_true(results[1].ttft_s > results[0].ttft_s && results[1].tpot_s > results[0].tpot_s);
    /* 6504617984 parameters of the decoder and 4630714368 of the encoder, in 16 bits */
    assert_close(results[0].memory_bytes[ORR_SERVE_MEMORY_WEIGHTS], 2 * (6504617984.0 + 4630714368.0), 1e-9);
}

/* ---------------------------------------------------------------- training */

#define TRAIN                                                                                                          \
    "{'kind':'train','model':'qwen3-vl-8b','system':'h100-sxm','gpus':16,'plan':{'tp':2,'pp':2,'zero':1},'workload':"  \
    "{'seq':4096,'global_batch':16,'recompute':'none','images':%d}}"

/* A step has three times the forward FLOP of the tower; products run twice in backward. */
static void training_has_three_times_the_flop(void **state)
{
    struct world *w = *state;
    read_job(w, TRAIN, 0);
    const double text = orr_model_flops(&w->job);
    train(w);
    const double text_s = w->result.step_time_s;
    assert_null(find_op(w, ORR_LAYER_TOWER, "attention.qkv"));
    read_job(w, TRAIN, 2);
    assert_close(orr_model_flops(&w->job) - text, 3 * 16 * 2 * QWEN3_IMAGE_FLOPS, 1e-12);
    train(w);
    assert_true(w->result.step_time_s > text_s);
    const double forward = tower_flops(w, ORR_PHASE_FORWARD, true);
    assert_close(tower_flops(w, ORR_PHASE_BACKWARD, true), 2 * forward, 1e-12);
    assert_close(need_op(w, ORR_LAYER_TOWER, "attention.qkv")->m, 2 * 4096, 0);
    assert_close(need_op(w, ORR_LAYER_TOWER, "mlp.up.wgrad")->count, 27, 0);
}

/* The first stage holds the tower; its gradients are reduced with the others. */
static void the_first_stage_holds_the_tower(void **state)
{
    static struct orr_stage without[ORR_MAX_STAGES], with[ORR_MAX_STAGES];
    struct world *w = *state;
    read_job(w, TRAIN, 0);
    orr_stages_build(&w->job, without);
    read_job(w, TRAIN, 1);
    orr_stages_build(&w->job, with);
    const double layers = 27 * ((4 * 1152.0 * 1153 + 2 * 1152.0 * 4304 + 4304 + 1152) / 2 + 4 * 1152);
    const double merger = (4 * 40116736.0 + 2304 + 3 * 9216) / 2;
    assert_close(with[0].dense_params - without[0].dense_params, layers + merger + 1770624 + 2304 * 1152, 1e-12);
    assert_close(with[1].dense_params, without[1].dense_params, 0);
    train(w);
    const double params = with[0].dense_params > with[1].dense_params ? with[0].dense_params : with[1].dense_params;
    const struct orr_op *scatter = need_op(w, ORR_LAYER_STEP, "dp.scatter");
    assert_close(scatter->payload_bytes, params * (double)w->job.engine.reduce_bytes, 1e-12);
}

/* Eq. 76: the first of 16 stages has one layer of T5 and the 24 of its encoder, so that 24 of 25 buckets of gradients
 * can be sent beside its backward, over links so slow that the whole of it is needed. A frozen encoder sends none. */
static void layers_of_the_tower_are_buckets(void **state)
{
    struct world *w = *state;
    for (int frozen = 0; frozen < 2; frozen++) {
        read_job(w,
                 "{'kind':'train','model':'t5-large','system':'h100-sxm','plan':{'pp':16,'dp':2,'zero':2},'workload':{"
                 "'engine':'megatron-core-rocm'%s},'set':{'system.scaleup_bytes_per_s':1e8}}",
                 frozen ? ",'frozen':'tower'" : "");
        train(w);
        const struct orr_settled *step = &w->scratch->step;
        const struct orr_rank_time *rank = &w->scratch->ranks[0];
        const double window_s = (double)w->result.n_micro_batches * w->job.engine.dp_overlap_frac * rank->backward_s;
        assert_int_equal(step->pipe.slowest, 0);
        assert_close(step->dp.scatter_hidden_s,
                     (frozen ? 0 : 24.0 / 25) * window_s * (1 - w->job.calibration.overlap_contention_frac), 1e-12);
    }
}

/* Saved per patch and layer, in 16 bits with fused attention: norm inputs 2h, input, q, k, v and output of attention
 * 5h, a statistic of 4 bytes per head, input h of the FFN and its columns twice. */
static void activations_of_the_tower(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'qwen3-vl-8b','system':'h100-sxm','gpus':8,'plan':{'zero':1},'workload':"
                "{'seq':4096,'global_batch':16,'recompute':'none','attention':'flash2','images':1,"
                "'engine':'megatron-core-2024'}}");
    train(w);
    const double patch = 2 * (2 * 1152 + 5 * 1152 + 1152 + 2 * 4304) + 4 * 16;
    const double products = 2 * (4096.0 * 1536 + 1024.0 * 4 * (4608 + 4608));
    double saved = -1;
    for (int64_t i = 0; i < w->result.memory.n_tensors; i++)
        if (strncmp(w->result.memory.tensors[i].name, "tower", 5) == 0) saved = w->result.memory.tensors[i].bytes;
    assert_close(saved, 27 * 4096 * patch + products, 1e-12);
    assert_close(patch / 1152, 31, 0.01); /* near the 34 bytes per hidden element of a GPT layer */
}

/* The bounds of a search discard no plan that belongs in the answer, and its best plan is predicted as by itself. */
static void a_search_knows_the_tower(void **state)
{
    struct world *w = *state;
    struct orr_search_request request;
    struct orr_error error;
    char json[] = "{'kind':'train','model':'qwen2.5-vl-3b','system':'h100-sxm','gpus':4,'workload':{'seq':4096,"
                  "'global_batch':8,'images':2}}";
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
    if (orr_search_read(w->catalogue, json, "request", &request, &error)) fail_msg("%s", error.text);
    struct orr_search *bounded = run(&request, 2);
    (void)assert_nothing_is_lost(&request, bounded);
    const struct orr_found *best;
    assert_true(orr_search_best(bounded, &best) > 0);
    w->job = request.job;
    orr_train_choose(&best->choice, &w->job);
    train(w);
    assert_close(w->result.step_time_s, best->time_s, 1e-9);
    orr_search_free(bounded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_layers_and_the_rest),
        cmocka_unit_test(an_image_is_cut_into_tiles),
        cmocka_unit_test(tokens_of_an_image),
        cmocka_unit_test(a_model_reads_only_what_its_tower_reads),
        cmocka_unit_test(flop_of_an_image),
        cmocka_unit_test(most_layers_attend_within_windows),
        cmocka_unit_test(glm_merges_with_a_gated_ffn),
        cmocka_unit_test(a_prompt_has_the_tokens_of_its_images),
        cmocka_unit_test(cached_images_are_not_read_again),
        cmocka_unit_test(more_images_take_longer),
        cmocka_unit_test(ranks_share_the_tower_where_they_divide_its_heads),
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(sound_is_read_in_windows),
        cmocka_unit_test(an_encoder_reads_its_tokens),
        cmocka_unit_test(training_has_three_times_the_flop),
        cmocka_unit_test(the_first_stage_holds_the_tower),
        cmocka_unit_test(layers_of_the_tower_are_buckets),
        cmocka_unit_test(activations_of_the_tower),
        cmocka_unit_test(a_search_knows_the_tower),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
