/* Rare ways to write adapters, frozen parts and models: what they mean, by hand, and the line that refuses each wrong
 * one. */
#include "support.h"

/* ---------------------------------------------------------------- adapters and frozen parts */

#define TUNE "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'workload':{%s}}"

static enum orr_err try_tuning(struct world *w, const char *workload, struct orr_error *error)
{
    char request[1024];
    (void)snprintf(request, sizeof request, TUNE, workload);
    memset(error, 0, sizeof *error);
    return try_job(w, request, error);
}

static void every_way_to_write_an_adapter(void **state)
{
    enum { Q = 1, K = 2, V = 4, O = 8, GATE = 16, UP = 32, DOWN = 64 };
    static const struct {
        const char *workload;
        enum orr_adapter_kind kind;
        int64_t rank;
        unsigned targets;
        enum orr_base_format base;
        enum orr_dtype format;
    } CASES[] = {
        {"'adapter':'lora:rank=16,targets=attention,format=bf16'", ORR_ADAPTER_LORA, 16, Q | K | V | O, ORR_BASE_BF16,
         ORR_DTYPE_BF16},
        {"'adapter':'lora:rank=4,targets=q_proj+v_proj'", ORR_ADAPTER_LORA, 4, Q | V, ORR_BASE_BF16, ORR_DTYPE_FP32},
        {"'adapter':'dora:rank=8,targets=mlp,base=int8'", ORR_ADAPTER_DORA, 8, GATE | UP | DOWN, ORR_BASE_INT8,
         ORR_DTYPE_FP32},
        {"'adapter':'qlora:rank=64,format=fp32-plain'", ORR_ADAPTER_LORA, 64, 127, ORR_BASE_NF4, ORR_DTYPE_FP32},
        {"'adapter':{'kind':'lora','rank':32,'targets':['q','k','o']}", ORR_ADAPTER_LORA, 32, Q | K | O, ORR_BASE_BF16,
         ORR_DTYPE_FP32},
        {"'adapter':{'kind':'dora','rank':'2','targets':'down','format':'bf16'}", ORR_ADAPTER_DORA, 2, DOWN,
         ORR_BASE_BF16, ORR_DTYPE_BF16},
    };
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        if (try_tuning(w, CASES[i].workload, &error)) fail_msg("%s", error.text);
        const struct orr_adapter *adapter = &w->job.workload.adapter;
        assert_int_equal(adapter->kind, CASES[i].kind);
        assert_int_equal(adapter->rank, CASES[i].rank);
        assert_int_equal(adapter->targets, CASES[i].targets);
        assert_int_equal(adapter->base, CASES[i].base);
        assert_int_equal(adapter->format, CASES[i].format);
    }
}

/* A report says what it was asked, so that its words read as the same job. */
static void adapters_are_written_as_they_are_read(void **state)
{
    struct world *w = *state;
    static const char *const WORDS[] = {"'adapter':'lora:rank=16,targets=q+v,base=bf16,format=fp32'",
                                        "'adapter':'dora:rank=8,targets=all,base=nf4-single,format=bf16'",
                                        "'frozen':'embeddings,layers:12,head'", "'frozen':'layers:3'"};
    for (size_t i = 0; i < COUNT(WORDS); i++) {
        struct orr_error error;
        char value[128];
        if (try_tuning(w, WORDS[i], &error)) fail_msg("%s", error.text);
        char *json = report_on(&w->job, ORR_FORMAT_JSON, NULL);
        (void)snprintf(value, sizeof value, "%s", strchr(WORDS[i], ':') + 2);
        value[strlen(value) - 1] = '\0';
        if (!strstr(json, value)) fail_msg("no \"%s\" in the report", value);
        free(json);
    }
}

static void bad_adapters_are_refused(void **state)
{
    static const struct {
        const char *workload, *key, *words;
    } CASES[] = {
        {"'adapter':7", "workload.adapter", "must be a text like \"lora:rank=16\" or an object"},
        {"'adapter':'lara'", "workload.adapter", "lora"},
        {"'adapter':'none:rank=3'", "workload.adapter", "\"none\" has no options"},
        {"'adapter':'lora:rank'", "workload.adapter", "must be KEY=VALUE"},
        {"'adapter':'lora:rank=0'", "workload.adapter", "rank must be an integer from 1 to 4096"},
        {"'adapter':'lora:rank=5000'", "workload.adapter", "rank must be an integer from 1 to 4096"},
        {"'adapter':'lora:rank=2.5'", "workload.adapter", "rank must be an integer from 1 to 4096"},
        {"'adapter':'lora:rank=x'", "workload.adapter", "rank must be an integer from 1 to 4096"},
        {"'adapter':'lora:targets=q+w'", "workload.adapter", "q, k, v, o, gate, up, down"},
        {"'adapter':'lora:targets=q_projs'", "workload.adapter", "q, k, v, o, gate, up, down"},
        {"'adapter':'lora:base=nf5'", "workload.adapter", "bf16, fp8, int8, nf4, nf4-single"},
        {"'adapter':'lora:format=fp16'", "workload.adapter", "format must be fp32, fp32-plain or bf16"},
        {"'adapter':'lora:rang=3'", "workload.adapter", "rank, targets, base, format, dropout"},
        {"'adapter':{'rank':3}", "workload.adapter", "must have the key \"kind\""},
        {"'adapter':{'kind':3}", "workload.adapter", "must have the key \"kind\""},
        {"'adapter':{'kind':'lora','rank':2.5}", "workload.adapter", "rank must be an integer from 1 to 4096"},
        {"'adapter':{'kind':'lora','rank':true}", "workload.adapter", "\"rank\" must be a text, a number or a list"},
        {"'adapter':{'kind':'lora','dropout':-0.1}", "workload.adapter",
         "dropout must be a number from 0 to less than 1"},
        {"'adapter':{'kind':'lora','targets':[1]}", "workload.adapter", "must be a text, a number or a list"},
        {"'adapter':{'kind':'lora','targets':[]}", "workload.adapter", "must be a text, a number or a list"},
        {"'frozen':3", "workload.frozen", "must be a list like \"embeddings,layers:12\""},
        {"'frozen':'embedding'", "workload.frozen", "embeddings, head, tower, layers:N"},
        {"'frozen':'layers'", "workload.frozen", "layers:N must have N from 1 to 32"},
        {"'frozen':'layers:0'", "workload.frozen", "from 1 to 32"},
        {"'frozen':'layers:33'", "workload.frozen", "from 1 to 32"},
        {"'frozen':'layers:1.5'", "workload.frozen", "from 1 to 32"},
        {"'frozen':'layers:x'", "workload.frozen", "from 1 to 32"},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        const enum orr_err err = try_tuning(w, CASES[i].workload, &error);
        const bool good = err && strcmp(error.key, CASES[i].key) == 0 && strstr(error.text, CASES[i].words);
        if (!good) print_error("%s: %s: \"%s\"\n", CASES[i].workload, error.key, err ? error.text : "accepted");
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

/* ---------------------------------------------------------------- models */

static enum orr_err try_model(struct world *w, const char *config, struct orr_error *error)
{
    char request[2048];
    (void)snprintf(request, sizeof request,
                   "{'kind':'infer','model':{%s},'system':'h100-sxm','workload':{'input_len':64,'output_len':8,'"
                   "precision':'bf16'}}",
                   config);
    memset(error, 0, sizeof *error);
    return try_job(w, request, error);
}

static double params_of(struct world *w, const char *config)
{
    struct orr_error error;
    if (try_model(w, config, &error)) fail_msg("%s: %s", config, error.text);
    return (double)orr_model_params(&w->job.model);
}

#define OPT                                                                                                            \
    "'model_type':'opt','hidden_size':64,'ffn_dim':256,'num_hidden_layers':3,'num_attention_heads':4,'vocab_size':"    \
    "100,"                                                                                                             \
    "'max_position_embeddings':30"
#define MPT "'model_type':'mpt','d_model':64,'n_layers':2,'n_heads':4,'vocab_size':100,'max_seq_len':50"
#define FALC                                                                                                           \
    "'model_type':'falcon','hidden_size':64,'num_hidden_layers':2,'num_attention_heads':4,'vocab_size':100,"           \
    "'alibi':false,'parallel_attn':true,'bias':false"

/* What one key adds to a small model, counted by hand. A norm has weights and biases: 2 x 64. */
static void keys_add_what_they_should(void **state)
{
    static const struct {
        const char *with, *without;
        double more;
    } CASES[] = {
        {OPT, OPT ",'_remove_final_layer_norm':true", 2 * 64},
        {OPT, OPT ",'do_layer_norm_before':false", 2 * 64},
        /* two norms in each of three layers, and the last one */
        {OPT, OPT ",'layer_norm_elementwise_affine':false", (2 * 3 + 1) * 2 * 64},
        /* tables of positions: MPT has one unless ALiBi or rotary positions stand in for it */
        {MPT ",'attn_config':{'alibi':false}", MPT ",'attn_config':{'alibi':true}", 50 * 64},
        {MPT ",'attn_config':{'alibi':false}", MPT ",'attn_config':{'alibi':false,'rope':true}", 50 * 64},
        {MPT ",'attn_config':{'alibi':false}", MPT ",'attn_config':{'alibi':false},'learned_pos_emb':false", 50 * 64},
        /* keys and values of three more heads of 16, in two layers */
        {MPT ",'attn_config':{'attn_type':'multihead_attention'}",
         MPT ",'attn_config':{'attn_type':'multiquery_attention'}", 2 * 2 * 3 * 16 * 64},
        {FALC ",'multi_query':false", FALC, 2 * 2 * 3 * 16 * 64},
        /* a second norm beside attention, in two layers */
        {FALC ",'new_decoder_architecture':true,'num_kv_heads':1",
         FALC ",'new_decoder_architecture':true,'num_kv_heads':1,'num_ln_in_parallel_attn':1", 2 * 2 * 64},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const double more = params_of(w, CASES[i].with) - params_of(w, CASES[i].without);
        if (fabs(more - CASES[i].more) > 0.5) {
            print_error("%s: %g parameters more, expected %g\n", CASES[i].without, more, CASES[i].more);
            n_bad++;
        }
    }
    assert_int_equal(n_bad, 0);
}

#define SCOUT                                                                                                          \
    "'model_type':'llama4_text','hidden_size':64,'intermediate_size':128,'intermediate_size_mlp':256,"                 \
    "'num_hidden_layers':4,'num_attention_heads':4,'num_key_value_heads':4,'head_dim':16,'num_local_experts':4,"       \
    "'num_experts_per_tok':1,'vocab_size':100"

static void bad_models_are_refused(void **state)
{
    static const struct {
        const char *config, *words;
    } CASES[] = {
        {MPT ",'attn_config':{'qk_ln':true}", "query and key norms of MPT are not supported"},
        {SCOUT ",'no_rope_layers':[1,1]", "must have one entry per layer (4)"},
        {SCOUT ",'moe_layers':['a']", "must list layer numbers, counted from 0"},
        {SCOUT ",'moe_layers':[-1]", "must list layer numbers, counted from 0"},
        {SCOUT ",'interleave_moe_layer_step':0", "interleave_moe_layer_step"},
        {"'model_type':'opt'", "missing"},
        {OPT ",'num_hidden_layers':0", "num_hidden_layers"},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        const enum orr_err err = try_model(w, CASES[i].config, &error);
        const bool good = err && strstr(error.text, CASES[i].words);
        if (!good) print_error("%s: \"%s\"\n", CASES[i].config, err ? error.text : "accepted");
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

/* Which layers have experts may be a list; the last may also be rotary by a list. */
static void lists_of_layers_are_read(void **state)
{
    struct world *w = *state;
    /* Four experts of 3 x 64 x 128 and a shared one, a router of 4 x 64, against one wide product of 3 x 64 x 256. */
    const double moe = 5 * 3 * 64 * 128 + 4 * 64, dense = 3 * 64 * 256;
    const double all = params_of(w, SCOUT), two = params_of(w, SCOUT ",'moe_layers':[1,3]");
    assert_true(fabs(all - two - 2 * (moe - dense)) < 0.5);
    assert_true(params_of(w, SCOUT ",'no_rope_layers':[1,0,1,0]") == all);
    assert_true(params_of(w, SCOUT ",'interleave_moe_layer_step':2") == two);
}

/* ---------------------------------------------------------------- formats of weights */

static enum orr_err try_format(struct world *w, const char *quantization, struct orr_error *error)
{
    char config[1024];
    (void)snprintf(config, sizeof config, "'base':'llama3-8b','quantization_config':%s", quantization);
    return try_model(w, config, error);
}

#define TENSORS(weights, rest)                                                                                         \
    "{'quant_method':'compressed-tensors','config_groups':{'group_0':{'targets':['Linear'],'weights':{" weights        \
    "}" rest "}}}"

/* What a quantization_config says about the narrow tensors: bits, size of a group (columns 0: a whole row), bits of a
 * zero, and whether the head is narrow too. */
static void every_way_to_write_a_format(void **state)
{
    static const struct {
        const char *config;
        enum orr_weight_format format;
        double bits;
        int64_t rows, columns;
        double zero_bits;
        bool head;
    } CASES[] = {
        {TENSORS("'type':'float','num_bits':8,'strategy':'tensor'", ""), ORR_WEIGHT_FP8_TENSOR, 8, -1, -1, 0, false},
        {TENSORS("'type':'float','num_bits':8,'strategy':'channel'", ""), ORR_WEIGHT_FP8_CHANNEL, 8, 1, 0, 0, false},
        {TENSORS("'type':'float','num_bits':8,'strategy':'block'", ""), ORR_WEIGHT_FP8_128, 8, 128, 128, 0, false},
        {TENSORS("'type':'float','num_bits':4", ""), ORR_WEIGHT_NVFP4, 4, 1, 16, 0, false},
        {TENSORS("'type':'float','num_bits':4", ",'format':'nvfp4-pack-quantized'"), ORR_WEIGHT_NVFP4A16, 4, 1, 16, 0,
         false},
        {TENSORS("'type':'float','num_bits':4", ",'format':'nvfp4-pack-quantized','input_activations':{'num_bits':4}"),
         ORR_WEIGHT_NVFP4, 4, 1, 16, 0, false},
        {TENSORS("'type':'float','num_bits':4", ",'format':'mxfp4-pack-quantized'"), ORR_WEIGHT_MXFP4, 4, 1, 32, 0,
         false},
        {TENSORS("'type':'int','num_bits':8", ",'input_activations':{'num_bits':8}"), ORR_WEIGHT_W8A8, 8, 1, 0, 0,
         false},
        {TENSORS("'type':'int','num_bits':8", ""), ORR_WEIGHT_W8A16, 8, 1, 0, 0, false},
        {TENSORS("'type':'int','num_bits':4,'group_size':64,'symmetric':true", ""), ORR_WEIGHT_W4A16, 4, 1, 64, 0,
         false},
        {TENSORS("'type':'int','num_bits':4,'group_size':64,'symmetric':false", ""), ORR_WEIGHT_W4A16, 4, 1, 64, 4,
         false},
        {"{'quant_method':'bitsandbytes','load_in_8bit':true}", ORR_WEIGHT_BNB_INT8, 8, 1, 0, 0, false},
        {"{'quant_method':'bitsandbytes','load_in_4bit':true}", ORR_WEIGHT_NF4, 4, -1, -1, 0, false},
        {"{'quant_method':'bitsandbytes','bnb_4bit_use_double_quant':true}", ORR_WEIGHT_NF4_DOUBLE, 4, -1, -1, 0,
         false},
        {"{'quant_method':'fbgemm_fp8'}", ORR_WEIGHT_FP8_CHANNEL, 8, 1, 0, 0, false},
        {"{'quant_method':'fp8'}", ORR_WEIGHT_FP8_TENSOR, 8, -1, -1, 0, false},
        {"{'quant_method':'fp8','weight_block_size':[64,256]}", ORR_WEIGHT_FP8_128, 8, 64, 256, 0, false},
        {"{'quant_method':'awq','bits':4,'group_size':128}", ORR_WEIGHT_AWQ, 4, 1, 128, 4, false},
        {"{'quant_method':'gptq','bits':3,'group_size':32,'lm_head':true}", ORR_WEIGHT_GPTQ, 3, 1, 32, 3, true},
        {"{'quant_method':'gptq','bits':8,'group_size':-1}", ORR_WEIGHT_GPTQ, 8, 1, 0, 8, false},
        {"{'quant_method':'gptq','bits':4,'quant_lm_head':true}", ORR_WEIGHT_GPTQ, 4, 1, 128, 4, true},
        {"{'quant_method':'auto-round','packing_format':'auto_round:auto_awq','bits':4}", ORR_WEIGHT_AWQ, 4, 1, 128, 4,
         false},
        {"{'quant_method':'modelopt','quant_algo':'FP8_PB_WO'}", ORR_WEIGHT_FP8_128, 8, 128, 128, 0, false},
        {"{'quant_algo':'W4A16_NVFP4'}", ORR_WEIGHT_NVFP4A16, 4, 1, 16, 0, false},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        if (try_format(w, CASES[i].config, &error)) fail_msg("%s: %s", CASES[i].config, error.text);
        const struct orr_checkpoint *c = &w->job.model.checkpoint;
        const struct orr_storage *s = &c->storages[1];
        const bool group = CASES[i].rows < 0 || (s->rows == CASES[i].rows && s->columns == CASES[i].columns);
        const bool good = c->format == CASES[i].format && c->n_storages == 2 && s->bits == CASES[i].bits && group &&
                          s->zero_bits == CASES[i].zero_bits && (c->head == 1) == CASES[i].head;
        if (!good)
            print_error("%s: format %d, %g bits in %lld x %lld, zeros %g, head %d\n", CASES[i].config, c->format,
                        s->bits, (long long)s->rows, (long long)s->columns, s->zero_bits, c->head);
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

static void bad_formats_are_refused(void **state)
{
    static const struct {
        const char *config, *words;
    } CASES[] = {
        {"{'quant_method':'fp9'}", "fp8"},
        {"{'quant_method':'modelopt','quant_algo':'NVFP5'}", "\"NVFP5\" is not known"},
        {"{'quant_method':'fp8','weight_block_size':[128]}", "must be two whole numbers"},
        {"{'quant_method':'fp8','weight_block_size':[0,128]}", "must be two whole numbers"},
        {"{'quant_method':'fp8','weight_block_size':[128,0]}", "must be two whole numbers"},
        {"{'quant_method':'fp8','weight_block_size':[2000000,128]}", "must be two whole numbers"},
        {"{'quant_method':'fp8','weight_block_size':[128,2000000]}", "must be two whole numbers"},
        {"{'quant_method':'gptq','bits':17}", "bits: must be a whole number from 1 to 16, not 17"},
        {"{'quant_method':'gptq','bits':'4'}", "bits: must be a whole number from 1 to 16, not \"4\""},
        {"{'quant_method':'gptq','bits':-2}", "bits: must be a whole number from 1 to 16, not -2"},
        {"{'quant_method':'gptq','group_size':2000000}", "group_size: must be a whole number"},
        {"{'quant_method':'gptq','bits':4,'modules_to_not_convert':['re:(']}",
         "has a regular expression that is not understood"},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        const enum orr_err err = try_format(w, CASES[i].config, &error);
        const bool good = err && strstr(error.text, CASES[i].words) && strstr(error.text, "quantization_config");
        if (!good) print_error("%s: \"%s\"\n", CASES[i].config, err ? error.text : "accepted");
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

/* ---------------------------------------------------------------- constants */

#define LINE(rest)                                                                                                     \
    "'calibration.lines':[{'collective':'allreduce','algorithm':'ring','base_s':1e-5,'hop_s':1e-6,'low_latency':"      \
    "true" rest "}]"

/* Constants that a request replaces are checked like those of a file. */
static void bad_constants_are_refused(void **state)
{
    static const struct {
        const char *set, *words;
    } CASES[] = {
        {"'calibration.lines':7", "must be an array of at most"},
        {LINE(""), "ranks: must be an array of 1 to"},
        {LINE(",'ranks':[]"), "ranks: must be an array of 1 to"},
        {LINE(",'ranks':[0],'efficiency_frac':[0.5]"), "number 1 must be a number from 1 to 1e+07"},
        {LINE(",'ranks':['x'],'efficiency_frac':[0.5]"), "number 1 must be a number from 1 to 1e+07"},
        {LINE(",'ranks':[2,true],'efficiency_frac':[0.5,0.5]"), "number 2 must be a number from 1 to 1e+07"},
        {LINE(",'ranks':[4,'1e9'],'efficiency_frac':[0.5,0.5]"), "number 2 must be a number from 1 to 1e+07"},
        {LINE(",'ranks':[4,4],'efficiency_frac':[0.5,0.5]"), "must increase, but 4 follows 4"},
        {LINE(",'ranks':[2,4],'efficiency_frac':[0.5]"), "has 1 numbers for 2 ranks"},
        {LINE(",'ranks':[2],'efficiency_frac':[50]"), "number 1 must be a number from"},
        {"'calibration.gemm':7", "gemm: must be an object of"},
        {"'calibration.gemm':{'bf17':{}}", "unknown key \"calibration.gemm.bf17\""},
        {"'calibration.gemm.bf16.sustained_frac':1,'calibration.gemm.bf16.burst_frac':0.5",
         "sustained_frac 1 is above burst_frac"},
        {"'calibration.attention':'fast'", "attention: must be an object of"},
        {"'calibration.pointwise_frac':{'ad':0.5}", "unknown key \"calibration.pointwise_frac.ad\""},
        {"'calibration.chips':'h100'", "chips"},
    };
    struct world *w = *state;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char request[1024];
        struct orr_error error = {0};
        (void)snprintf(request, sizeof request,
                       "{'kind':'train','model':'llama2-7b','system':'h100-sxm','gpus':8,'set':{%s}}", CASES[i].set);
        const enum orr_err err = try_job(w, request, &error);
        const bool good = err && strstr(error.text, CASES[i].words);
        if (!good) print_error("%s: \"%s\"\n", CASES[i].set, err ? error.text : "accepted");
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_an_adapter), cmocka_unit_test(adapters_are_written_as_they_are_read),
        cmocka_unit_test(bad_adapters_are_refused),      cmocka_unit_test(keys_add_what_they_should),
        cmocka_unit_test(bad_models_are_refused),        cmocka_unit_test(lists_of_layers_are_read),
        cmocka_unit_test(every_way_to_write_a_format),   cmocka_unit_test(bad_formats_are_refused),
        cmocka_unit_test(bad_constants_are_refused),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
