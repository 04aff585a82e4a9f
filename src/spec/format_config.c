/* quantization_config -> checkpoint. The method and its parameters give the storage; then every tensor of every layer
 * is compared with the lists of tensors that stay wide. docs/models-formats.md has the order of decisions. */
#include "spec/format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "spec/job.h"

/* The state of reading one configuration. */
struct reading {
    const struct orr_doc *doc;
    const json_t *config;
    const json_t *text;      /* object of the language model */
    char path[ORR_KEY_PATH]; /* path of the configuration, for messages */
    struct orr_model *model;
    struct orr_error *error;
    enum orr_err err;
};

/* ---------------------------------------------------------------- values */

__attribute__((format(printf, 3, 4))) static void fail(struct reading *r, const char *key, const char *format, ...)
{
    va_list arguments;
    char path[ORR_KEY_PATH];
    if (r->err) return;
    va_start(arguments, format);
    r->err = orr_doc_fail_v(r->doc, orr_key_path(path, r->path, key), ORR_ERR_INPUT, r->error, format, arguments);
    va_end(arguments);
}

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Reads a whole number from 1 to `most`; `absent` if the key is missing or null. Everything else is an error. */
static int64_t count(struct reading *r, const json_t *object, const char *key, int64_t most, int64_t absent)
{
    const json_t *value = json_object_get(object, key);
    char shown[ORR_SHOWN];
    if (!value || json_is_null(value)) return absent;
    if (json_is_integer(value) && json_integer_value(value) >= 1 && json_integer_value(value) <= most)
        return (int64_t)json_integer_value(value);
    fail(r, key, "must be a whole number from 1 to %lld, not %s", (long long)most, orr_json_shown(shown, value));
    return absent;
}

/* Reads the columns that share a scale; 0 if a whole row does, which a group of -1 says. */
static int64_t group_size(struct reading *r, const json_t *object, int64_t absent)
{
    const json_t *value = json_object_get(object, "group_size");
    if (json_is_integer(value) && json_integer_value(value) == -1) return 0;
    return count(r, object, "group_size", 1 << 20, absent);
}

static struct orr_storage storage_of(enum orr_weight_format format)
{
    return orr_format_row(format)->storage;
}

/* Reads bits and group of an integer format. Zeros may be as wide as the weights, depending on the format. */
static struct orr_storage integer_storage(struct reading *r, enum orr_weight_format format, const json_t *object,
                                          const char *bits_key)
{
    struct orr_storage storage = storage_of(format);
    const double before = storage.bits;
    storage.bits = (double)count(r, object, bits_key, 16, (int64_t)storage.bits);
    storage.columns = group_size(r, object, storage.columns);
    if (!(storage.zero_bits < before) && !(storage.zero_bits > before)) storage.zero_bits = storage.bits;
    return storage;
}

/* ---------------------------------------------------------------- methods */

/* Has a checkpoint of 8 bits routed experts of 4 bits? */
static bool has_fp4_experts(const struct reading *r)
{
    return strcmp(word(r->text, "expert_dtype"), "fp4") == 0;
}

static struct orr_storage read_fp8(struct reading *r)
{
    const json_t *block = json_object_get(r->config, "weight_block_size");
    if (!block || json_is_null(block)) return storage_of(ORR_WEIGHT_FP8_TENSOR);
    struct orr_storage storage = storage_of(ORR_WEIGHT_FP8_128);
    const json_int_t rows = json_integer_value(json_array_get(block, 0)),
                     columns = json_integer_value(json_array_get(block, 1));
    if (json_array_size(block) != 2 || rows < 1 || columns < 1 || rows > 1 << 20 || columns > 1 << 20) {
        fail(r, "weight_block_size", "must be two whole numbers from 1 to %d", 1 << 20);
        return storage;
    }
    storage.rows = rows;
    storage.columns = columns;
    if (has_fp4_experts(r)) storage.scale_bits = 8; /* such checkpoints store exponents as scales */
    if (strncmp(r->model->type, "qwen", 4) == 0) storage.scale_bits = 16; /* Qwen stores its scales in bf16 */
    return storage;
}

/* Reads one group of a compressed-tensors configuration. */
static struct orr_storage read_group(struct reading *r, const json_t *group)
{
    const json_t *weights = json_object_get(group, "weights"), *inputs = json_object_get(group, "input_activations");
    const char *strategy = word(weights, "strategy"), *type = word(weights, "type");
    const char *format = word(group, "format")[0] ? word(group, "format") : word(r->config, "format");
    const int64_t bits = count(r, weights, "num_bits", 16, 8);
    struct orr_storage storage;
    if (!json_object_get(group, "weights") || (json_object_get(weights, "type") && !*type))
        fail(r, "config_groups", "a group has weights, and their type is \"int\" or \"float\"");
    if (*type && strcmp(type, "int") != 0 && strcmp(type, "float") != 0)
        fail(r, "config_groups", "weights are \"int\" or \"float\", not \"%.40s\"", type);
    if (strcmp(format, "mxfp4-pack-quantized") == 0) return storage_of(ORR_WEIGHT_MXFP4);
    if (strcmp(format, "nvfp4-pack-quantized") == 0)
        return storage_of(json_is_object(inputs) ? ORR_WEIGHT_NVFP4 : ORR_WEIGHT_NVFP4A16);
    if (strcmp(type, "float") == 0 && bits == 8) {
        if (strcmp(strategy, "block") == 0) return storage_of(ORR_WEIGHT_FP8_128);
        return storage_of(strcmp(strategy, "tensor") == 0 ? ORR_WEIGHT_FP8_TENSOR : ORR_WEIGHT_FP8_CHANNEL);
    }
    if (strcmp(type, "float") == 0) return storage_of(ORR_WEIGHT_NVFP4);
    storage =
        integer_storage(r, bits == 8 ? (json_is_object(inputs) ? ORR_WEIGHT_W8A8 : ORR_WEIGHT_W8A16) : ORR_WEIGHT_W4A16,
                        weights, "num_bits");
    if (json_is_false(json_object_get(weights, "symmetric"))) storage.zero_bits = storage.bits;
    return storage;
}

static struct orr_storage read_bitsandbytes(struct reading *r)
{
    const char *type = word(r->config, "bnb_4bit_quant_type");
    if (*type && strcmp(type, "nf4") != 0 && strcmp(type, "fp4") != 0)
        fail(r, "bnb_4bit_quant_type", "must be \"nf4\" or \"fp4\", not \"%.40s\"", type);
    if (json_is_true(json_object_get(r->config, "load_in_8bit")) &&
        json_is_true(json_object_get(r->config, "load_in_4bit")))
        fail(r, "load_in_8bit", "is true, and so is load_in_4bit");
    if (json_is_true(json_object_get(r->config, "load_in_8bit"))) return storage_of(ORR_WEIGHT_BNB_INT8);
    return storage_of(json_is_true(json_object_get(r->config, "bnb_4bit_use_double_quant")) ? ORR_WEIGHT_NF4_DOUBLE
                                                                                            : ORR_WEIGHT_NF4);
}

static struct orr_storage read_hqq(struct reading *r)
{
    const json_t *inner = json_object_get(json_object_get(r->config, "quant_config"), "weight_quant_params");
    return integer_storage(r, ORR_WEIGHT_HQQ, json_is_object(inner) ? inner : r->config, "nbits");
}

/* The name of what torchao did, in small letters: "int4_weight_only", or the class Int4WeightOnlyConfig. */
static void torchao_name(const json_t *type, char *name, size_t size)
{
    const char *text = json_string_value(type);
    size_t n = 0;
    if (!text) text = word(json_object_get(type, "default"), "_type");
    for (; text[n] && n + 1 < size; n++) name[n] = (char)tolower((unsigned char)text[n]);
    name[n] = '\0';
}

static struct orr_storage read_torchao(struct reading *r)
{
    const json_t *type = json_object_get(r->config, "quant_type"), *options;
    char name[80];
    if (!type || json_is_null(type)) return integer_storage(r, ORR_WEIGHT_TORCHAO_INT4, r->config, "bits");
    torchao_name(type, name, sizeof name);
    options = json_is_object(type) ? json_object_get(json_object_get(type, "default"), "_data")
                                   : json_object_get(r->config, "quant_type_kwargs");
    if (strstr(name, "int4")) return integer_storage(r, ORR_WEIGHT_TORCHAO_INT4, options, "bits");
    if (strstr(name, "int8")) return storage_of(strstr(name, "activation") ? ORR_WEIGHT_W8A8 : ORR_WEIGHT_W8A16);
    if (strstr(name, "float8")) return storage_of(ORR_WEIGHT_FP8_CHANNEL);
    fail(r, "quant_type", "must name int4, int8 or float8 weights, such as \"int4_weight_only\", not \"%.60s\"", name);
    return storage_of(ORR_WEIGHT_PUBLISHED);
}

/* The storage that a name of NVIDIA's ModelOpt means. */
static struct orr_storage read_algorithm(struct reading *r, const char *name)
{
    static const struct {
        const char *name;
        enum orr_weight_format format;
    } ALGORITHMS[] = {{"FP8", ORR_WEIGHT_FP8_TENSOR},
                      {"FP8_PER_CHANNEL_PER_TOKEN", ORR_WEIGHT_FP8_CHANNEL},
                      {"FP8_PB_WO", ORR_WEIGHT_FP8_128},
                      {"NVFP4", ORR_WEIGHT_NVFP4},
                      {"W4A16_NVFP4", ORR_WEIGHT_NVFP4A16},
                      {"MXFP4", ORR_WEIGHT_MXFP4},
                      {"MXFP8", ORR_WEIGHT_MXFP8},
                      {"W4A16_AWQ", ORR_WEIGHT_AWQ},
                      {"W8A8_SQ_PER_CHANNEL", ORR_WEIGHT_W8A8}};
    const char *names[sizeof ALGORITHMS / sizeof *ALGORITHMS];
    char hint[ORR_HINT] = "";
    for (size_t i = 0; i < sizeof ALGORITHMS / sizeof *ALGORITHMS; i++) {
        names[i] = ALGORITHMS[i].name;
        if (strcmp(name, names[i]) == 0) return storage_of(ALGORITHMS[i].format);
    }
    orr_did_you_mean(hint, name, names, sizeof names / sizeof *names);
    fail(r, "quant_algo", "\"%.40s\" is not known%s", name, hint);
    return storage_of(ORR_WEIGHT_PUBLISHED);
}

/* The storage of the tensors that a configuration makes narrow. */
static struct orr_storage read_method(struct reading *r, const char *method)
{
    static const char *const KNOWN[] = {"mxfp4", "fp8",      "fbgemm_fp8", "compressed-tensors",
                                        "awq",   "gptq",     "auto-round", "bitsandbytes",
                                        "hqq",   "modelopt", "torchao",    "mlx"};
    char hint[ORR_HINT] = "";
    if (strcmp(method, "fp8") == 0) return read_fp8(r);
    if (strcmp(method, "fbgemm_fp8") == 0) return storage_of(ORR_WEIGHT_FP8_CHANNEL);
    if (strcmp(method, "awq") == 0) return integer_storage(r, ORR_WEIGHT_AWQ, r->config, "bits");
    if (strcmp(method, "gptq") == 0) return integer_storage(r, ORR_WEIGHT_GPTQ, r->config, "bits");
    if (strstr(method, "auto-round")) {
        const bool awq = strstr(word(r->config, "packing_format"), "awq") != NULL;
        return integer_storage(r, awq ? ORR_WEIGHT_AWQ : ORR_WEIGHT_AUTOROUND, r->config, "bits");
    }
    if (strcmp(method, "bitsandbytes") == 0) return read_bitsandbytes(r);
    if (strcmp(method, "hqq") == 0) return read_hqq(r);
    if (strcmp(method, "torchao") == 0) return read_torchao(r);
    if (strcmp(method, "mlx") == 0 || (!*method && json_object_get(r->config, "bits")))
        return integer_storage(r, ORR_WEIGHT_MLX_4BIT, r->config, "bits");
    if (strncmp(method, "modelopt", 8) == 0 || (!*method && json_object_get(r->config, "quant_algo")))
        return read_algorithm(r, word(r->config, "quant_algo"));
    if (strcmp(method, "compressed-tensors") == 0) {
        fail(r, "config_groups", "must be an object with a group of weights at least");
        return storage_of(ORR_WEIGHT_PUBLISHED);
    }
    if (!*method) {
        char shown[ORR_SHOWN];
        const json_t *value = json_object_get(r->config, "quant_method");
        fail(r, "quant_method", "must be the name of a method, such as \"awq\" or \"fp8\", not %s",
             value ? orr_json_shown(shown, value) : "absent");
        return storage_of(ORR_WEIGHT_PUBLISHED);
    }
    const enum orr_weight_format named = orr_weight_format_find(method);
    if (named != ORR_N_WEIGHT_FORMATS) return storage_of(named);
    orr_did_you_mean(hint, method, KNOWN, sizeof KNOWN / sizeof *KNOWN);
    fail(r, "quant_method",
         "\"%.40s\" is not known%s; known: mxfp4, fp8, fbgemm_fp8, compressed-tensors, awq, "
         "gptq, auto-round, bitsandbytes, hqq, modelopt, torchao, mlx, and the names of formats",
         method, hint);
    return storage_of(ORR_WEIGHT_PUBLISHED);
}

/* ---------------------------------------------------------------- tensors */

/* One storage and the modules that have it; without targets, all linear layers have it. */
struct target {
    struct orr_storage storage;
    struct orr_matcher *modules;
    bool all;
};
enum { MOST_TARGETS = ORR_MAX_STORAGES - 1 };
struct targets {
    struct target items[MOST_TARGETS];
    size_t n;
};

static void add_target(struct reading *r, struct targets *targets, struct orr_storage storage, const json_t *modules)
{
    if (targets->n == MOST_TARGETS) return;
    struct target *target = &targets->items[targets->n++];
    *target = (struct target){.storage = storage, .modules = orr_matcher_new(), .all = !json_is_array(modules)};
    if (!target->modules || !orr_matcher_add(target->modules, modules)) r->err = orr_out_of_memory(r->error, NULL);
    for (size_t i = 0; i < json_array_size(modules); i++) {
        const char *name = json_string_value(json_array_get(modules, i));
        target->all |= name && strcmp(name, "Linear") == 0;
    }
}

/* MIXED_PRECISION: every layer names its algorithm; layers of one algorithm are one target. */
static void read_mixed(struct reading *r, json_t *layers, struct targets *targets)
{
    const char *name;
    json_t *layer;
    json_object_foreach(layers, name, layer)
    {
        const struct orr_storage storage = read_algorithm(r, word(layer, "quant_algo"));
        size_t at = 0;
        while (at < targets->n && targets->items[at].storage.format != storage.format) at++;
        if (at == targets->n) {
            add_target(r, targets, storage, NULL);
            if (r->err || at == targets->n) return;
            targets->items[at].all = false;
        }
        if (!orr_matcher_add_text(targets->items[at].modules, name)) r->err = orr_out_of_memory(r->error, NULL);
    }
}

/* Routed experts in 4 bits beside the first target: MXFP4, or what "moe_quant_algo" names. */
static void add_experts(struct reading *r, struct targets *targets)
{
    const char *algorithm = word(r->config, "moe_quant_algo");
    add_target(r, targets, *algorithm ? read_algorithm(r, algorithm) : storage_of(ORR_WEIGHT_MXFP4), NULL);
    if (r->err) return;
    struct target *experts = &targets->items[targets->n - 1];
    experts->all = false;
    if (!orr_matcher_add_text(experts->modules, "mlp.experts")) r->err = orr_out_of_memory(r->error, NULL);
}

/* Reads groups of compressed-tensors, layers of MIXED_PRECISION, or one method for all. */
static void read_targets(struct reading *r, struct targets *targets)
{
    const char *algorithm = word(r->config, "quant_algo"), *key, *method = word(r->config, "quant_method");
    json_t *groups = json_object_get(r->config, "config_groups"), *group;
    json_t *layers = json_object_get(r->config, "quantized_layers");
    if (has_fp4_experts(r) && strcmp(method, "fp8") == 0) {
        add_target(r, targets, read_fp8(r), NULL);
        if (!r->err) add_experts(r, targets);
    } else if (strcmp(algorithm, "MIXED_PRECISION") == 0 && json_is_object(layers)) {
        read_mixed(r, layers, targets);
    } else if (json_object_size(groups) > 0 && *algorithm == '\0') {
        json_object_foreach(groups, key, group)
        {
            add_target(r, targets, read_group(r, group), json_object_get(group, "targets"));
        }
    } else {
        add_target(r, targets, read_method(r, method), NULL);
    }
}

/* Reads the modules that stay wide, under every key that methods use; false if no list is given. */
static bool read_ignored(struct reading *r, struct orr_matcher *ignored)
{
    static const char *const KEYS[] = {"ignore",         "modules_to_not_convert", "exclude_modules",
                                       "ignored_layers", "llm_int8_skip_modules",  "skip_modules"};
    const json_t *extra = json_object_get(r->config, "extra_config");
    const char *key;
    json_t *value;
    bool given = false, added = true;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const json_t *list = json_object_get(r->config, KEYS[i]);
        given |= json_is_array(list);
        if (list && !json_is_array(list) && !json_is_null(list)) fail(r, KEYS[i], "must be a list of names of modules");
        added &= orr_matcher_add(ignored, list);
        if (orr_matcher_bad(ignored))
            fail(r, KEYS[i], "has a regular expression that is not understood: \"%.100s\"", orr_matcher_bad(ignored));
    }
    json_object_foreach((json_t *)(uintptr_t)extra, key, value) /* AutoRound: layers with 16 bits */
        if (json_integer_value(json_object_get(value, "bits")) >= 16) added &= orr_matcher_add_text(ignored, key);
    if (!added) r->err = orr_out_of_memory(r->error, NULL);
    return given;
}

/* The index of a tensor's storage in the checkpoint: that of the target that names it, else of the target for all. */
static uint8_t place_of(const struct targets *targets, const uint8_t *places, int64_t layer, bool mtp,
                        enum orr_weight_tensor tensor)
{
    bool (*const names)(const struct orr_matcher *, int64_t, enum orr_weight_tensor) =
        mtp ? orr_matcher_mtp : orr_matcher_tensor;
    for (size_t i = 0; i < targets->n; i++)
        if (names(targets->items[i].modules, layer, tensor)) return places[i];
    for (size_t i = 0; i < targets->n; i++)
        if (targets->items[i].all) return places[i];
    return 0;
}

static void fill_layers(struct reading *r, const struct targets *targets, const struct orr_matcher *ignored,
                        unsigned rules)
{
    struct orr_model *model = r->model;
    struct orr_checkpoint *checkpoint = &model->checkpoint;
    uint8_t places[MOST_TARGETS];
    bool has_experts = false;
    for (int64_t k = 0; k < model->n_kinds; k++) has_experts |= model->kinds[k].n_experts > 0;
    for (size_t i = 0; i < targets->n; i++) places[i] = orr_checkpoint_add(checkpoint, &targets->items[i].storage);
    for (int64_t i = 0; i < model->n_layers; i++) {
        const int64_t k = model->layer_kind[i];
        for (int t = 0; t < ORR_N_TENSORS; t++) {
            const enum orr_weight_tensor tensor = (enum orr_weight_tensor)t;
            const bool wide =
                orr_keeps_wide(rules, &model->kinds[k], has_experts, tensor) || orr_matcher_tensor(ignored, i, tensor);
            checkpoint->layers[k][t][wide ? 0 : place_of(targets, places, i, false, tensor)]++;
        }
    }
    const struct orr_layer_kind *last = &model->kinds[model->layer_kind[model->n_layers - 1]];
    for (int t = 0; t < ORR_N_TENSORS && model->n_mtp > 0; t++) {
        const enum orr_weight_tensor tensor = (enum orr_weight_tensor)t;
        const bool wide =
            orr_keeps_wide(rules, last, has_experts, tensor) || orr_matcher_mtp(ignored, model->n_layers, tensor);
        checkpoint->mtp[t] = wide ? 0 : place_of(targets, places, model->n_layers, true, tensor);
    }
}

static void fill_ends(struct reading *r, const struct targets *targets, const struct orr_matcher *ignored)
{
    struct orr_checkpoint *checkpoint = &r->model->checkpoint;
    const bool asked = json_is_true(json_object_get(r->config, "lm_head")) ||
                       json_is_true(json_object_get(r->config, "quant_lm_head"));
    if (targets->n == 0) return;
    const struct orr_storage *first = &targets->items[0].storage;
    const bool ends = orr_format_row(first->format)->rules & ORR_NARROW_ENDS;
    if ((ends || asked) && !orr_matcher_name(ignored, "lm_head"))
        checkpoint->head = orr_checkpoint_add(checkpoint, first);
    if (ends) checkpoint->embedding = orr_checkpoint_add(checkpoint, first);
}

/* ---------------------------------------------------------------- cache */

static void read_cache(const struct reading *r)
{
    struct orr_checkpoint *checkpoint = &r->model->checkpoint;
    const json_t *scheme = json_object_get(r->config, "kv_cache_scheme");
    const char *algorithm = word(r->config, "kv_cache_quant_algo");
    const json_int_t bits = json_integer_value(json_object_get(scheme, "num_bits"));
    if (strcmp(algorithm, "FP8") == 0 || (bits == 8 && strcmp(word(scheme, "type"), "int") != 0))
        (void)orr_cache_find("fp8", &checkpoint->kv, &checkpoint->kv_format);
    else if (strcmp(algorithm, "INT8") == 0 || bits == 8)
        (void)orr_cache_find("int8", &checkpoint->kv, &checkpoint->kv_format);
    else if (strcmp(algorithm, "NVFP4") == 0 || bits == 4)
        (void)orr_cache_find("nvfp4", &checkpoint->kv, &checkpoint->kv_format);
    else if (orr_kind_compresses(&r->model->kinds[0])) /* the only cache for which most kernels exist */
        (void)orr_cache_find("fp8_ds_mla", &checkpoint->kv, &checkpoint->kv_format);
}

/* ---------------------------------------------------------------- all of it */

static bool same_storage(const struct orr_storage *a, const struct orr_storage *b)
{
    return a->format == b->format && a->bits == b->bits && a->scale_bits == b->scale_bits &&
           a->zero_bits == b->zero_bits && a->rows == b->rows && a->columns == b->columns &&
           a->second_bits == b->second_bits && a->tensor_bits == b->tensor_bits && a->column_bits == b->column_bits;
}

/* Would --precision with this name give the same tensors? */
static bool is_named(const struct orr_model *model)
{
    struct orr_checkpoint named;
    const struct orr_checkpoint *own = &model->checkpoint;
    orr_checkpoint_named(model, own->format, &named);
    if (named.n_storages != own->n_storages || named.head != own->head || named.embedding != own->embedding)
        return false;
    for (int64_t i = 0; i < named.n_storages; i++)
        if (!same_storage(&named.storages[i], &own->storages[i])) return false;
    return memcmp(named.layers, own->layers, sizeof named.layers) == 0 &&
           memcmp(named.mtp, own->mtp, sizeof named.mtp) == 0;
}

/* The format with the most tensors over all layers, after which the checkpoint is named. */
static enum orr_weight_format main_format(const struct orr_model *model)
{
    const struct orr_checkpoint *checkpoint = &model->checkpoint;
    double most = 0, elements[ORR_MAX_STORAGES] = {0};
    enum orr_weight_format format = ORR_WEIGHT_PUBLISHED;
    for (int64_t k = 0; k < model->n_kinds; k++) {
        struct orr_tensor_shape shapes[ORR_N_TENSORS];
        orr_tensor_shapes(model, &model->kinds[k], shapes);
        for (int t = 0; t < ORR_N_TENSORS; t++)
            for (int64_t s = 1; s < checkpoint->n_storages; s++)
                elements[s] += checkpoint->layers[k][t][s] * shapes[t].n * shapes[t].k * shapes[t].count;
    }
    for (int64_t s = 1; s < checkpoint->n_storages; s++)
        if (elements[s] > most) {
            most = elements[s];
            format = checkpoint->storages[s].format;
        }
    return format;
}

static void read_quantised(struct reading *r)
{
    struct targets targets = {.n = 0};
    struct orr_matcher *ignored = orr_matcher_new();
    if (!ignored) r->err = orr_out_of_memory(r->error, NULL);
    if (!r->err) read_targets(r, &targets);
    if (!r->err && targets.n > 0) {
        /* A list beside "moe_quant_algo" names what is not in the format of the experts. */
        const bool listed = !*word(r->config, "moe_quant_algo") && read_ignored(r, ignored);
        const unsigned rules = orr_format_row(targets.items[0].storage.format)->rules;
        const bool gpt_oss = targets.items[0].storage.format == ORR_WEIGHT_MXFP4 && targets.items[0].all;
        if (rules & ORR_NARROW_GGUF)
            orr_checkpoint_named(r->model, targets.items[0].storage.format, &r->model->checkpoint);
        else fill_layers(r, &targets, ignored, listed && !gpt_oss ? 0 : rules);
        if (!(rules & ORR_NARROW_GGUF)) fill_ends(r, &targets, ignored);
        read_cache(r);
        r->model->checkpoint.format = main_format(r->model);
        r->model->checkpoint.named = r->model->checkpoint.format != ORR_WEIGHT_PUBLISHED && is_named(r->model);
    }
    for (size_t i = 0; i < targets.n; i++) orr_matcher_free(targets.items[i].modules);
    orr_matcher_free(ignored);
}

/* The value of the key in the first object that has it; *path becomes its place. */
static const json_t *find(const struct orr_doc *doc, const json_t *inner, const char *prefix, const char *key,
                          char path[ORR_KEY_PATH])
{
    const json_t *value = json_object_get(doc->root, key);
    (void)orr_key_path(path, "", key);
    if ((value && !json_is_null(value)) || inner == doc->root) return value;
    (void)orr_key_path(path, prefix, key);
    return json_object_get(inner, key);
}

/* How the configuration of the weights is called: by Hugging Face, by MLX, by older compressed-tensors. */
static const char *const QUANTISED[] = {"quantization_config", "quantization", "compression_config"};

static void read_config(struct reading *r, const char *prefix)
{
    char shown[ORR_SHOWN];
    for (size_t i = 0; i < sizeof QUANTISED / sizeof *QUANTISED && (!r->config || json_is_null(r->config)); i++)
        r->config = find(r->doc, r->text, prefix, QUANTISED[i], r->path);
    if (json_is_object(r->config)) read_quantised(r);
    else if (r->config && !json_is_null(r->config))
        fail(r, "", "must be an object that says how the weights are stored, not %s", orr_json_shown(shown, r->config));
}

static enum orr_dtype read_wide(const struct orr_doc *doc, const json_t *inner, const char *prefix)
{
    char path[ORR_KEY_PATH];
    const char *name = json_string_value(find(doc, inner, prefix, "torch_dtype", path));
    if (!name) name = json_string_value(find(doc, inner, prefix, "dtype", path));
    if (name && strcmp(name, "float16") == 0) return ORR_DTYPE_FP16;
    return name && strcmp(name, "bfloat16") == 0 ? ORR_DTYPE_BF16 : ORR_N_DTYPES; /* float32 is served in 16 bits */
}

enum orr_err orr_checkpoint_read(const struct orr_doc *doc, const json_t *text_config, const char *prefix,
                                 struct orr_model *model, struct orr_error *error)
{
    struct reading r = {.doc = doc, .text = text_config, .model = model, .error = error};
    const bool bias_fp32 = model->checkpoint.router_bias_fp32;
    orr_checkpoint_plain(&model->checkpoint);
    model->checkpoint.router_bias_fp32 = bias_fp32;
    model->checkpoint.wide = read_wide(doc, text_config, prefix);
    read_config(&r, prefix);
    for (int64_t i = 0; i < model->n_layers && model->checkpoint.format == ORR_WEIGHT_PUBLISHED; i++)
        for (int t = 0; t < ORR_N_TENSORS; t++) model->checkpoint.layers[model->layer_kind[i]][t][0]++;
    return r.err;
}
