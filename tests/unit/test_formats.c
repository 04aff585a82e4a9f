/* Weight and cache formats: bytes of checkpoints by module against tables worked out tensor by tensor apart from this
 * program, bits of GGUF mixtures as llama.cpp publishes them, which configuration means what, what runs where, and the
 * models that fit a system as they are shipped. */
#include "serving.h"

#include "ops/ops.h"
#include "ops/serve.h"
#include "spec/spec.h"

/* A model of the catalogue, with a quantization_config of its own unless "". */
static void read_with(struct world *w, const char *model, const char *config)
{
    char request[4096];
    (void)snprintf(request, sizeof request,
                   "{'kind':'infer','model':{'base':'%s'%s%s},'system':'b200-sxm','workload':{'input_len':100,"
                   "'output_len':10,'precision':'bf16'}}",
                   model, *config ? ",'quantization_config':" : "", config);
    read_job(w, "%s", request);
}

/* ---------------------------------------------------------------- golden tables */

/* Bytes of weights, scales and zeros. Layers, widths and vocabularies are those of the published configurations;
 * scales are counted with ceilings (Eq. 41b). gpt-oss-120b: 114 661 785 600 expert weights of 4.25 bits, 39 813 120
 * biases of 16; DeepSeek-V3: 41 540 496 block scales less those of its prediction layer. */
static const struct {
    const char *model, *format, *config;
    double bytes[8]; /* embedding, attention, dense FFN, shared experts, experts, router, norms, head */
} CASES[] = {
    {"gpt-oss-120b", "published", "", {1158266880, 1911610368, 0, 0, 60993699840, 26551296, 420480, 1158266880}},
    {"gpt-oss-120b", "mxfp4", "", {1158266880, 1911610368, 0, 0, 60993699840, 26551296, 420480, 1158266880}},
    {"gpt-oss-20b", "published", "", {1158266880, 1274406912, 0, 0, 10165616640, 4425216, 282240, 1158266880}},
    /* DeepSeek-V4-Flash: fp8 in blocks with scales of 8 bits, experts of 4.25 bits; compressors, the weights of index
     * heads and streams in 16 bits. Attention of every layer has 106 954 752 weights in 6528 blocks and 64 sinks; 20
     * layers have a compressor of 4 260 352, 21 have compressors and weights of 10 753 664 and 8 388 608 of queries. */
    {"deepseek-v4-flash",
     "published",
     "",
     {1059061760, 5397580032, 0, 1082196480, 147169738752, 90218496, 68613678, 1059061760}},
    {"deepseek-v3",
     "published",
     "",
     {1853358080, 11416215392, 1189375488, 2554954752, 654068416512, 212920320, 2013184, 1853358080}},
    {"deepseek-v3",
     "fp8-block",
     "",
     {1853358080, 11416215392, 1189375488, 2554954752, 654068416512, 212920320, 2013184, 1853358080}},
    {"deepseek-v3",
     "nvfp4",
     "",
     {1853358080, 12528779752, 668860488, 1436812656, 367824039936, 212920320, 2013184, 1853358080}},
    {"deepseek-v3",
     "published",
     "{'quant_method':'modelopt','quant_algo':'NVFP4','exclude_modules':['lm_head','model.laye"
     "rs.*.self_attn.q_a_proj*','model.layers.*.self_attn.q_b_proj*','model.layers.*.self_attn"
     ".kv_a_proj_with_mqa','model.layers.*.self_attn.kv_b_proj','model.layers.*.mlp.gate']}",
     {1853358080, 12528779752, 668860488, 1436812656, 367824039936, 212920320, 2013184, 1853358080}},
    {"qwen3-235b-a22b",
     "published",
     "{'quant_method':'fp8','fmt':'e4m3','activation_scheme':'dynamic','weight_block_size':[12"
     "8,128]}",
     {1244659712, 6703315968, 0, 0, 227124117504, 98566144, 1596416, 1244659712}},
    {"qwen3-30b-a3b",
     "published",
     "{'quant_method':'fp8','weight_block_size':[128,128],'modules_to_not_convert':['lm_head',"
     "'model.layers.0.mlp.gate']}",
     {622329856, 906080256, 0, 0, 28994568192, 25165824, 421888, 622329856}},
    {"qwen3-235b-a22b", "nvfp4", "", {1244659712, 3770158016, 0, 0, 127742011392, 98566144, 1596416, 1244659712}},
    {"llama3.3-70b", "fp8-tensor", "", {2101346304, 12079598080, 56371447680, 0, 0, 0, 2637824, 2101346304}},
    {"llama3.1-405b",
     "published",
     "{'quant_method':'fbgemm_fp8','modules_to_not_convert':['self_attn','model.layers.0','mod"
     "el.layers.125','lm_head']}",
     {4202692608, 143747186688, 335068397568, 0, 0, 0, 8290304, 4202692608}},
    {"llama3.1-405b", "fp8-channel", "", {4202692608, 71891140608, 329834889216, 0, 0, 0, 8290304, 4202692608}},
    {"llama3.1-405b",
     "published",
     "{'quant_method':'compressed-tensors','format':'float-quantized','config_groups':{'group_"
     "0':{'targets':['Linear'],'weights':{'num_bits':8,'type':'float','strategy':'channel'},'i"
     "nput_activations':{'num_bits':8,'type':'float','strategy':'token','dynamic':true}}},'ign"
     "ore':['lm_head']}",
     {4202692608, 71891140608, 329834889216, 0, 0, 0, 8290304, 4202692608}},
    {"qwen3-32b", "awq", "", {1555824640, 3137863680, 13074432000, 0, 0, 0, 1353728, 1555824640}},
    {"llama3.1-8b", "gptq", "", {1050673152, 699400192, 2931556352, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'gptq','bits':4,'group_size':128,'desc_act':false,'sym':true}",
     {1050673152, 699400192, 2931556352, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'gptq','bits':8,'group_size':128}",
     {1050673152, 1375731712, 5772148736, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "gptq-int8", "", {1050673152, 1375731712, 5772148736, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'auto-round','bits':4,'group_size':128,'packing_format':'auto_round:auto"
     "_gptq'}",
     {1050673152, 699400192, 2931556352, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "awq", "", {1050673152, 697303040, 2928672768, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'awq','bits':4,'group_size':128,'zero_point':true}",
     {1050673152, 697303040, 2928672768, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "nf4", "", {1050673152, 754974720, 3170893824, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'bitsandbytes','load_in_4bit':true,'bnb_4bit_quant_type':'nf4'}",
     {1050673152, 754974720, 3170893824, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "nf4-double", "", {1050673152, 692387840, 2908028928, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'bitsandbytes','load_in_4bit':true,'bnb_4bit_use_double_quant':true}",
     {1050673152, 692387840, 2908028928, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'bitsandbytes','load_in_8bit':true}",
     {1050673152, 1343488000, 5641338880, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "hqq", "", {1050673152, 754974720, 3170893824, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'hqq','quant_config':{'weight_quant_params':{'nbits':4,'group_size':64}}"
     "}",
     {1050673152, 754974720, 3170893824, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "w8a8", "", {1050673152, 1343488000, 5641338880, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'compressed-tensors','format':'int-quantized','config_groups':{'group_0'"
     ":{'targets':['Linear'],'weights':{'num_bits':8,'type':'int','strategy':'channel','symmet"
     "ric':true},'input_activations':{'num_bits':8,'type':'int'}}},'ignore':['lm_head']}",
     {1050673152, 1343488000, 5641338880, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'torchao','quant_type':'int8_dynamic_activation_int8_weight'}",
     {1050673152, 1343488000, 5641338880, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'torchao','quant_type':{'default':{'_type':'Float8WeightOnlyConfig','_data':{}}}}",
     {1050673152, 1343488000, 5641338880, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "fp8-tensor", "", {1050673152, 1342178304, 5637145344, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'modelopt','quant_algo':'FP8','kv_cache_quant_algo':'FP8','exclude_modul"
     "es':['lm_head']}",
     {1050673152, 1342178304, 5637145344, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "fp8-channel", "", {1050673152, 1343488000, 5641338880, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "fp8-block", "", {1050673152, 1342504960, 5638520832, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "nvfp4", "", {1050673152, 754975744, 3170894592, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'compressed-tensors','format':'nvfp4-pack-quantized','config_groups':{'g"
     "roup_0':{'targets':['Linear'],'weights':{'num_bits':4,'type':'float','strategy':'tensor_"
     "group','group_size':16},'input_activations':{'num_bits':4,'type':'float'}}},'ignore':['r"
     "e:.*lm_head']}",
     {1050673152, 754975744, 3170894592, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b",
     "published",
     "{'quant_method':'compressed-tensors','format':'pack-quantized','config_groups':{'group_0"
     "':{'targets':['Linear'],'weights':{'num_bits':4,'type':'int','strategy':'group','group_s"
     "ize':32,'symmetric':true}}},'ignore':['lm_head']}",
     {1050673152, 754974720, 3170893824, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "published", "", {1050673152, 2684354560, 11274289152, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "bf16", "", {1050673152, 2684354560, 11274289152, 0, 0, 0, 532480, 1050673152}},
    {"llama3.1-8b", "q4_k_m", "", {295501824, 772276224, 3413114880, 0, 0, 0, 1064960, 430940160}},
    {"llama3.1-8b", "Q5_K_M", "", {361168896, 931659776, 4000317440, 0, 0, 0, 1064960, 430940160}},
    {"llama3.1-8b", "q6_k", "", {430940160, 1101004800, 4624220160, 0, 0, 0, 1064960, 430940160}},
    {"llama3.1-8b", "q8_0", "", {558170112, 1426063360, 5989466112, 0, 0, 0, 1064960, 558170112}},
};

static void bytes_by_module_are_exact(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        double bytes[ORR_N_MODULES];
        read_with(w, CASES[i].model, CASES[i].config);
        orr_model_bytes(&w->job.model, orr_weight_format_find(CASES[i].format), bytes);
        for (int m = 0; m <= ORR_MODULE_HEAD; m++)
            if (fabs(bytes[m] - CASES[i].bytes[m]) > 0.5)
                fail_msg("%s in %s %.40s: %s has %.0f bytes, not %.0f", CASES[i].model, CASES[i].format,
                         CASES[i].config, orr_module_name((enum orr_module)m), bytes[m], CASES[i].bytes[m]);
    }
}

/* On one GPU the weights in memory are those bytes. */
static void memory_holds_the_golden_bytes(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        double sum = 0;
        char request[4096];
        if (strcmp(CASES[i].format, "bf16") == 0) continue;
        for (int m = 0; m <= ORR_MODULE_HEAD; m++) sum += CASES[i].bytes[m];
        (void)snprintf(
            request, sizeof request,
            "{'kind':'infer','model':{'base':'%s'%s%s},'system':'h100-sxm','workload':{'engine':'serving-base',"
            "'input_len':100,'output_len':10,'precision':'%s'}}",
            CASES[i].model, *CASES[i].config ? ",'quantization_config':" : "", CASES[i].config, CASES[i].format);
        read_job(w, "%s", request);
        const double found = infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS];
        if (fabs(found - sum) > 1e-9 * sum)
            fail_msg("%s in %s %.40s: %.0f bytes in memory, not %.0f", CASES[i].model, CASES[i].format, CASES[i].config,
                     found, sum);
    }
}

/* Bits per weight of Llama-3.1-8B as the README of llama.cpp's quantiser prints them. */
static void gguf_mixtures_have_the_published_bits(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *name;
        double bits;
    } MIXTURES[] = {{"q2_k", 3.1593},   {"q3_k_s", 3.6429}, {"q3_k_m", 3.9960}, {"q3_k_l", 4.2979},
                    {"q4_k_s", 4.6672}, {"q4_k_m", 4.8944}, {"q5_k_s", 5.5704}, {"q5_k_m", 5.7036},
                    {"q6_k", 6.5633},   {"q8_0", 8.5008},   {"iq4_xs", 4.4597}};
    read_with(w, "llama3.1-8b", "");
    for (size_t i = 0; i < COUNT(MIXTURES); i++) {
        double bytes[ORR_N_MODULES], sum = 0;
        orr_model_bytes(&w->job.model, orr_weight_format_find(MIXTURES[i].name), bytes);
        for (int m = 0; m < ORR_N_MODULES; m++) sum += bytes[m];
        const double bits = 8 * sum / 8030261248.0;
        if (fabs(bits - MIXTURES[i].bits) > 5.1e-5)
            fail_msg("%s: %.5f bits, not %.4f", MIXTURES[i].name, bits, MIXTURES[i].bits);
    }
}

/* mlx-community/Llama-3.1-Nemotron-70B-Instruct-HF-4bit is a file of 39 688 355 840 bytes: the shape of Llama-3.1-70B,
 * embedding and head included. */
static void mlx_narrows_the_ends(void **state)
{
    struct world *w = *state;
    double bytes[ORR_N_MODULES], sum = 0;
    read_with(w, "llama3.1-70b", "{'bits':4,'group_size':64}");
    orr_model_bytes(&w->job.model, ORR_WEIGHT_PUBLISHED, bytes);
    for (int m = 0; m < ORR_N_MODULES; m++) sum += bytes[m];
    assert_true(fabs(sum - 39688355840.0) < 0.5);
}

/* ---------------------------------------------------------------- as shipped */

/* Models that their makers and vLLM's users run so. */
static void shipped_models_fit(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model, *system, *more, *stored;
        int tp;
    } RUNS[] = {
        {"'gpt-oss-120b'", "h100-sxm", "", "mxfp4", 1},
        {"'gpt-oss-20b'", "rtx-4090", "", "mxfp4", 1},
        {"'deepseek-v3'", "h200-sxm", "", "fp8-block", 8},
        {"'deepseek-r1'", "h200-sxm", "", "fp8-block", 8},
        /* "fp8" is the published checkpoint, in blocks; other scales are named. */
        {"'deepseek-v3'", "h200-sxm", ",'precision':'fp8'", "fp8_block", 8},
        {"'deepseek-v3'", "h200-sxm", ",'precision':'fp8-tensor'", "fp8-tensor", 8},
        {"'deepseek-v3'", "b200-sxm", ",'precision':'nvfp4'", "nvfp4", 4},
        {"{'base':'deepseek-v3','quantization_config':{'quant_method':'nvfp4'}}", "b200-sxm", "", "nvfp4", 4},
        {"'llama3.1-405b'", "h100-sxm", ",'precision':'fp8-channel'", "fp8-channel", 8},
        {"'llama3.1-405b'", "h100-sxm", ",'precision':'fp8'", "fp8", 8},
    };
    static const char *const ENGINES[] = {"vllm", "sglang", "tensorrt-llm-1.2"};
    for (size_t i = 0; i < COUNT(RUNS) * COUNT(ENGINES); i++) {
        const size_t r = i / COUNT(ENGINES);
        if (strcmp(RUNS[r].stored, "fp8-channel") == 0 && i % COUNT(ENGINES) == 2) continue;
        read_job(w,
                 "{'kind':'infer','model':%s,'system':'%s','plan':{'tp':%d},'workload':{'engine':'%s','input_len':1000,"
                 "'output_len':100%s}}",
                 RUNS[r].model, RUNS[r].system, RUNS[r].tp, ENGINES[i % COUNT(ENGINES)], RUNS[r].more);
        assert_string_equal(orr_serving_format_name(&w->job), RUNS[r].stored);
        const struct orr_infer_result result = infer(w, &w->job);
        if (!result.fits)
            fail_msg("%s on %s with %s: %s", RUNS[r].model, RUNS[r].system, w->job.engine.id, result.reason);
    }
}

/* "Model loading took" of vLLM, on one GPU: 0.7 % for its buffers and padding. */
static void weights_are_what_engines_load(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model, *format;
        int tp;
        double gib;
    } LOGS[] = {{"qwen3-8b", "published", 1, 15.2683},      {"qwen3-30b-a3b", "published", 1, 56.88},
                {"llama3.1-70b", "awq", 1, 37.09},          {"llama3.1-8b", "nvfp4", 1, 5.6473},
                {"llama3.1-70b", "fp8-tensor", 4, 16.9619}, {"deepseek-v3", "published", 8, 79.739}};
    for (size_t i = 0; i < COUNT(LOGS); i++) {
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'h200-sxm','plan':{'tp':%d},'workload':{'engine':'vllm',"
                 "'precision':'%s','input_len':100,'output_len':10}}",
                 LOGS[i].model, LOGS[i].tp, LOGS[i].format);
        const double gib = infer(w, &w->job).memory_bytes[ORR_SERVE_MEMORY_WEIGHTS] / GIB;
        if (fabs(gib - LOGS[i].gib) > 0.007 * LOGS[i].gib)
            fail_msg("%s in %s: %.3f GiB, logged %.3f", LOGS[i].model, LOGS[i].format, gib, LOGS[i].gib);
    }
}

/* What engines log or print per token: cache available over tokens, on one rank of tp; 0.4 % for the rounding of GiB
 * to two places. The formulas are exact where the last column says so. */
static void cache_bytes_are_what_engines_log(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model, *kv;
        int tp;
        double logged, exact;
    } LOGS[] = {
        {"llama3.1-8b", "bf16", 1, 3.81 * GIB / (1952 * 16), 131072}, /* vLLM issue 10517 */
        {"qwen3-8b", "bf16", 1, 18.69 * GIB / 136080, 147456},
        {"qwen2.5-14b", "bf16", 1, 41.43 * GIB / 226240, 196608},
        {"qwen3-30b-a3b", "bf16", 1, 4.85 * GIB / 52960, 98304},
        {"llama3.1-70b", "bf16", 1, 38.71 * GIB / 126832, 327680},  /* AWQ weights */
        {"llama3.1-70b", "bf16", 4, 106.17 * GIB / 1391552, 81920}, /* fp8 weights */
        {"deepseek-v3", "bf16", 8, 41.60 * GIB / 635648, 70272},    /* 61 (512 + 64) 2 on every rank */
        {"deepseek-v3", "fp8", 1, 17.16 * GIB / 524288, 35136},
        {"llama3.1-8b", "bf16", 1, 7.33 * GIB / 60064, 131072}, /* NVFP4 weights */
        {"qwen2.5-7b", "bf16", 1, 13.1 * GIB / 245360, 57344},
        {"qwen3-235b-a22b", "bf16", 4, 2 * 8.23 * GIB / 367404, 48128},  /* SGLang */
        {"deepseek-r1", "q8_0", 1, 1166.62 * GIB / 1024 / 32768, 37332}, /* ik_llama.cpp: 61 576 34/32 */
        {"qwen3-8b", "q8_0", 1, 612.0 * GIB / 1024 / 8192, 78336},       /* llama.cpp, a model of this shape */
        {"gpt-oss-120b", "bf16", 1, 73728, 73728},
        {"deepseek-v3", "fp8_ds_mla", 1, 61 * 656, 61 * 656}, /* 512 + 16 + 128 a layer */
    };
    for (size_t i = 0; i < COUNT(LOGS); i++) {
        read_job(
            w,
            "{'kind':'infer','model':'%s','system':'b300-sxm','plan':{'tp':%d},'workload':{'engine':'serving-base',"
            "'input_len':1000,'output_len':100,'kv_precision':'%s'}}",
            LOGS[i].model, LOGS[i].tp, LOGS[i].kv);
        double bytes = 0, n_layers[ORR_MAX_LAYER_KINDS];
        orr_count_layers(&w->job.model, n_layers);
        for (int64_t k = 0; k < w->job.model.n_kinds; k++)
            bytes += n_layers[k] * orr_kv_rank_bytes(&w->job, &w->job.model.kinds[k]);
        if (fabs(bytes - LOGS[i].exact) > 0.5 || fabs(bytes - LOGS[i].logged) > 0.004 * LOGS[i].logged)
            fail_msg("%s, cache %s: %.1f B per token; logged %.1f, exact %.0f", LOGS[i].model, LOGS[i].kv, bytes,
                     LOGS[i].logged, LOGS[i].exact);
    }
}

/* Scales of narrow caches, per K and V vector of 128: int8 and int4 a 32-bit number, nf4 one per 64, nvfp4 8 bits
 * per 16. */
static void narrow_caches_count_their_scales(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *kv;
        double vector;
    } CACHES[] = {{"int8", 128}, {"int8_per_token_head", 132}, {"int4", 68}, {"nf4", 72}, {"nvfp4", 72}, {"q4_0", 72}};
    for (size_t i = 0; i < COUNT(CACHES); i++) {
        read_job(w,
                 "{'kind':'infer','model':'llama3.1-8b','system':'h100-sxm','workload':{'input_len':1000,"
                 "'output_len':100,'kv_precision':'%s'}}",
                 CACHES[i].kv);
        const struct orr_infer_result result = infer(w, &w->job);
        assert_int_equal(result.kv_bytes_per_token, 32 * 2 * 8 * CACHES[i].vector);
    }
}

/* ---------------------------------------------------------------- products */

static const struct orr_op *served_op(struct world *w, const char *name)
{
    static struct orr_op_list list;
    const struct orr_serve_shape shape = {.decode_sequences = 8, .decode_context = 100, .queries = 1};
    list.n = 0;
    orr_serve_ops(&w->job, &w->job.model, &shape, ORR_PHASE_DECODE, &list);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.items[i].name, name) == 0) return &list.items[i];
    fail_msg("no operator %s", name);
    return NULL;
}

/* Every product has the storage and the arithmetic of its own module. */
static void products_follow_their_module(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model, *system, *more, *op;
        enum orr_dtype matrix;
        double stored;
    } PRODUCTS[] = {
        /* gpt-oss: experts alone are narrow; 16-bit products on Hopper, 8-bit activations on Blackwell */
        {"gpt-oss-120b", "h100-sxm", "", "expert.down", ORR_DTYPE_BF16, 4.25 / 8},
        {"gpt-oss-120b", "b200-sxm", "", "expert.down", ORR_DTYPE_FP8, 4.25 / 8},
        {"gpt-oss-120b", "mi355x", "", "expert.down", ORR_DTYPE_FP8, 4.25 / 8},
        {"gpt-oss-120b", "b200-sxm", "", "attention.qkv", ORR_DTYPE_BF16, 2},
        {"gpt-oss-120b", "b200-sxm", "", "head", ORR_DTYPE_BF16, 2},
        /* DeepSeek: blocks of 128 in 8 bits; in 16 bits on Ampere */
        {"deepseek-v3", "h200-sxm", "", "expert.gate_up", ORR_DTYPE_FP8_BLOCK, 1 + 4.0 / 16384},
        {"deepseek-v3", "h200-sxm", "", "attention.out", ORR_DTYPE_FP8_BLOCK, 1 + 4.0 / 16384},
        {"deepseek-v3", "a100-80g-sxm", "", "expert.gate_up", ORR_DTYPE_BF16, 1 + 4.0 / 16384},
        {"deepseek-v3", "h200-sxm", "", "moe.router", ORR_DTYPE_BF16, 2},
        /* its NVFP4 variant: attention wide but for the output */
        {"deepseek-v3", "b200-sxm", ",'precision':'nvfp4'", "mla.q_down", ORR_DTYPE_BF16, 2},
        {"deepseek-v3", "b200-sxm", ",'precision':'nvfp4'", "mla.q_up", ORR_DTYPE_BF16, 2},
        {"deepseek-v3", "b200-sxm", ",'precision':'nvfp4'", "attention.out", ORR_DTYPE_FP4, 4.5 / 8},
        {"deepseek-v3", "b200-sxm", ",'precision':'nvfp4'", "expert.down", ORR_DTYPE_FP4, 4.5 / 8},
        {"deepseek-v3", "h200-sxm", ",'precision':'nvfp4'", "expert.down", ORR_DTYPE_BF16, 4.5 / 8},
        /* weight-only formats are widened in the kernel */
        {"llama3.1-8b", "h100-sxm", ",'precision':'awq'", "mlp.down", ORR_DTYPE_BF16, 4.15625 / 8},
        /* ... but NF4 of several rows is restored first (Eq. 328) */
        {"llama3.1-8b", "b200-sxm", ",'precision':'nf4'", "mlp.down", ORR_DTYPE_BF16, 2},
        {"llama3.1-8b", "h100-sxm", ",'precision':'w8a8'", "mlp.down", ORR_DTYPE_INT8, 1 + 4.0 / 14336},
        {"llama3.1-8b", "h100-sxm", ",'precision':'fp8-tensor'", "mlp.down", ORR_DTYPE_FP8, 1},
        {"llama3.1-8b", "a100-80g-sxm", ",'precision':'fp8-tensor'", "mlp.down", ORR_DTYPE_BF16, 1},
        {"llama3.1-8b", "h100-sxm", ",'precision':'q8_0'", "head", ORR_DTYPE_BF16, 8.5 / 8},
    };
    for (size_t i = 0; i < COUNT(PRODUCTS); i++) {
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':8},'workload':{'engine':'serving-base',"
                 "'input_len':100,'output_len':10%s}}",
                 PRODUCTS[i].model, PRODUCTS[i].system, PRODUCTS[i].more);
        const struct orr_op *op = served_op(w, PRODUCTS[i].op);
        if (op->dtype != PRODUCTS[i].matrix || fabs(op->weight_bytes - PRODUCTS[i].stored) > 1e-5)
            fail_msg("%s on %s%s: %s in %s, %.6g bytes a weight", PRODUCTS[i].model, PRODUCTS[i].system,
                     PRODUCTS[i].more, PRODUCTS[i].op, orr_dtype_name(op->dtype), op->weight_bytes);
    }
}

/* ---------------------------------------------------------------- configurations */

static void read_config(struct world *w, const char *config)
{
    char request[1024];
    (void)snprintf(request, sizeof request,
                   "{'kind':'infer','model':{'base':'llama3.1-8b',%s},'system':'h100-sxm','workload':{"
                   "'engine':'serving-base','input_len':100,'output_len':10}}",
                   config);
    read_job(w, "%s", request);
}

/* Names in lists: exact, the end of a path, a path with "*", a regular expression. Each leaves down_proj of all
 * layers, or all of layer 3, in 16 bits: 58 720 256 weights of 32 layers, 218 103 808 of one. */
static void lists_are_matched(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *name;
        double wide;
    } LISTS[] = {{"lm_head", 0},
                 {"down_proj", 32 * 58720256.0},
                 {"mlp.down_proj", 32 * 58720256.0},
                 {"model.layers.*.mlp.down_proj", 32 * 58720256.0},
                 {"re:.*down_proj$", 32 * 58720256.0},
                 {"re:model\\\\.layers\\\\.\\\\d+\\\\.mlp\\\\.down.*", 32 * 58720256.0},
                 {"model.layers.3", 218103808},
                 {"model.layers.3.*", 218103808},
                 {"model.layers.3.mlp.down_proj", 58720256},
                 {"model.layers.31.mlp.down", 0},
                 {"own_proj", 0}};
    for (size_t i = 0; i < COUNT(LISTS); i++) {
        char config[512];
        double bytes[ORR_N_MODULES];
        (void)snprintf(config, sizeof config,
                       "'quantization_config':{'quant_method':'fp8','modules_to_not_convert':['%s']}", LISTS[i].name);
        read_config(w, config);
        orr_model_bytes(&w->job.model, ORR_WEIGHT_PUBLISHED, bytes);
        /* 8 bits of all but those: each tensor that is wide has a byte more a weight, and no scales of 8 bytes */
        const double narrow = 1342178304.0 + 5637145344.0,
                     found = bytes[ORR_MODULE_ATTENTION] + bytes[ORR_MODULE_DENSE];
        if (fabs(found - narrow - LISTS[i].wide) > 32 * 8)
            fail_msg("%s: %.0f bytes more, not %.0f", LISTS[i].name, found - narrow, LISTS[i].wide);
    }
}

/* A group that names modules comes before the one for all. Attention: 1 342 177 280 weights of 8 bits, a 32-bit scale
 * for each of 10 240 rows of 32 layers. The rest: 5 637 144 576 weights of 4 bits, 16 + 4 bits per 32. */
static void named_targets_come_first(void **state)
{
    struct world *w = *state;
    double bytes[ORR_N_MODULES];
    read_with(w, "llama3.1-8b",
              "{'quant_method':'compressed-tensors','config_groups':{'a':{'targets':['Linear'],'weights':{'num_bits':4,"
              "'type':'int','group_size':32,'symmetric':false}},'b':{'targets':['re:.*self_attn.*'],'weights':{"
              "'num_bits':8,'type':'float','strategy':'channel'}}},'ignore':['lm_head']}");
    orr_model_bytes(&w->job.model, ORR_WEIGHT_PUBLISHED, bytes);
    assert_true(fabs(bytes[ORR_MODULE_ATTENTION] - (1342177280.0 + 4 * 32 * 10240)) < 0.5);
    assert_true(fabs(bytes[ORR_MODULE_DENSE] - 5637144576.0 * (4 + 20.0 / 32) / 8) < 0.5);
}

static void defaults_follow_the_config(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *config, *stored, *cache;
    } CONFIGS[] = {
        {"'torch_dtype':'bfloat16'", "bf16", "bf16"},
        {"'torch_dtype':'float16'", "fp16", "fp16"},
        {"'dtype':'float16'", "fp16", "fp16"},
        {"'torch_dtype':'float32'", "bf16", "bf16"},
        {"'quantization_config':{'quant_method':'modelopt','quant_algo':'FP8','kv_cache_quant_algo':'FP8'}",
         "fp8-tensor", "fp8"},
        {"'quantization_config':{'quant_method':'compressed-tensors','format':'float-quantized','kv_cache_scheme':"
         "{'num_bits':8,'type':'float'},'config_groups':{'g':{'targets':['Linear'],'weights':{'num_bits':8,"
         "'type':'float','strategy':'tensor'}}}}",
         "fp8-tensor", "fp8"},
        {"'quantization_config':{'quant_method':'modelopt','quant_algo':'MIXED_PRECISION','quantized_layers':{"
         "'model.layers.*.mlp':{'quant_algo':'NVFP4'},'model.layers.*.self_attn':{'quant_algo':'FP8'}}}",
         "nvfp4", "bf16"},
        {"'quantization_config':{'quant_method':'gptq','bits':3,'group_size':64}", "gptq", "bf16"},
    };
    for (size_t i = 0; i < COUNT(CONFIGS); i++) {
        read_config(w, CONFIGS[i].config);
        assert_string_equal(orr_serving_format_name(&w->job), CONFIGS[i].stored);
        assert_string_equal(orr_cache_name(w->job.serving.kv, w->job.serving.kv_format), CONFIGS[i].cache);
    }
}

/* A request whose defaults are filled in means the same job. */
static void overrides_win(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'gpt-oss-120b','system':'h100-sxm','plan':{'tp':8},'workload':{"
                "'precision':'BF16','kv_precision':'FP8','input_len':100,'output_len':10}}");
    assert_int_equal(w->job.serving.weights, ORR_DTYPE_BF16);
    assert_int_equal(w->job.serving.kv, ORR_DTYPE_FP8);
    assert_false(w->job.serving.served[0].resolved);
    read_job(w, "{'kind':'infer','model':'gpt-oss-120b','system':'h100-sxm','workload':{'precision':'published',"
                "'input_len':100,'output_len':10}}");
    assert_int_equal(w->job.serving.format, ORR_WEIGHT_MXFP4);
}

/* First and last generations of kernels (vLLM, August 2026), AMD, and engines. */
static void what_cannot_run_is_refused(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *format, *system, *engine;
        bool runs;
    } RUNS[] = {
        {"gptq", "v100-32g-sxm", "vllm", true},   {"nf4", "v100-32g-sxm", "vllm", true},
        {"awq", "v100-32g-sxm", "vllm", false},   {"fp8-tensor", "v100-32g-sxm", "vllm", false},
        {"mxfp4", "v100-32g-sxm", "vllm", false}, {"mxfp4", "a100-80g-sxm", "vllm", true},
        {"w8a8", "h100-sxm", "vllm", true},       {"w8a8", "b200-sxm", "vllm", false},
        {"mxfp8", "h100-sxm", "vllm", false},     {"mxfp8", "b200-sxm", "vllm", true},
        {"fp8-block", "mi300x", "vllm", true},    {"mxfp4", "mi355x", "sglang", true},
        {"nvfp4", "mi355x", "sglang", false},     {"awq", "mi300x", "vllm", false},
        {"hqq", "h100-sxm", "vllm", true},        {"hqq", "h100-sxm", "sglang", false},
        {"q4_k_m", "h100-sxm", "vllm", true},     {"q4_k_m", "h100-sxm", "tensorrt-llm-1.2", false},
        {"mlx-4bit", "h100-sxm", "vllm", false},  {"int4", "mi300x", "tensorrt-llm-1.2", true}, /* a dtype */
    };
    for (size_t i = 0; i < COUNT(RUNS); i++) {
        char request[512];
        struct orr_error error = {.text = ""};
        (void)snprintf(request, sizeof request,
                       "{'kind':'infer','model':'llama3.1-8b','system':'%s','plan':{'tp':8},'workload':{'engine':'%s',"
                       "'precision':'%s','input_len':100,'output_len':10}}",
                       RUNS[i].system, RUNS[i].engine, RUNS[i].format);
        const bool runs = try_job(w, request, &error) == ORR_OK;
        if (runs != RUNS[i].runs) fail_msg("%s on %s: %s", RUNS[i].format, RUNS[i].system, error.text);
        if (!runs && !strstr(error.text, ": bf16") && !strstr(error.text, ": fp16"))
            fail_msg("%s does not say what runs", error.text);
    }
}

/* Rows of no multiple of 256 take llama.cpp's types with blocks of 32: IQ4_NL (4.5 bits) for Q2_K and Q3_K, Q5_0 (5.5)
 * for Q4_K, Q5_1 (6) for Q5_K and Q8_0 (8.5) for Q6_K. Every row here has 320 or 832 weights, so that the matrices of a
 * layer, 4 * 320 * 320 + 3 * 320 * 832 weights, have one type but for the mixtures of single layers. */
static void short_rows_take_blocks_of_32(void **state)
{
    static const struct {
        const char *name;
        double least, most; /* bits of a weight in the layers */
    } MIXTURES[] = {{"q3_k_s", 4.5, 4.5}, {"q4_k_s", 5.5, 6}, {"q5_k_s", 6, 6}, {"q6_k", 8.5, 8.5}};
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':{'model_type':'llama','hidden_size':320,'num_hidden_layers':8,"
                "'num_attention_heads':5,'num_key_value_heads':5,'intermediate_size':832,'vocab_size':3200},'system':"
                "'h100-sxm','workload':{'input_len':100,'output_len':10}}");
    const double weights = 8 * (4 * 320.0 * 320 + 3 * 320.0 * 832);
    for (size_t i = 0; i < COUNT(MIXTURES); i++) {
        double bytes[ORR_N_MODULES];
        orr_model_bytes(&w->job.model, orr_weight_format_find(MIXTURES[i].name), bytes);
        const double bits = 8 * (bytes[ORR_MODULE_ATTENTION] + bytes[ORR_MODULE_DENSE]) / weights;
        if (bits < MIXTURES[i].least - 1e-9 || bits > MIXTURES[i].most + 1e-9)
            fail_msg("%s: %.4f bits, not %.4g to %.4g", MIXTURES[i].name, bits, MIXTURES[i].least, MIXTURES[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_by_module_are_exact),
        cmocka_unit_test(memory_holds_the_golden_bytes),
        cmocka_unit_test(gguf_mixtures_have_the_published_bits),
        cmocka_unit_test(mlx_narrows_the_ends),
        cmocka_unit_test(shipped_models_fit),
        cmocka_unit_test(weights_are_what_engines_load),
        cmocka_unit_test(cache_bytes_are_what_engines_log),
        cmocka_unit_test(narrow_caches_count_their_scales),
        cmocka_unit_test(products_follow_their_module),
        cmocka_unit_test(lists_are_matched),
        cmocka_unit_test(named_targets_come_first),
        cmocka_unit_test(defaults_follow_the_config),
        cmocka_unit_test(overrides_win),
        cmocka_unit_test(what_cannot_run_is_refused),
        cmocka_unit_test(short_rows_take_blocks_of_32),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
