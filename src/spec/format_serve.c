/* A checkpoint on a chip: bytes of every module and rank, the format of each product, and whether chip and engine have
 * kernels for the checkpoint's format. Eq. 41b. */
#include "spec/format.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "spec/job.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- chips */

/* The compute capability of an NVIDIA chip; 0 for a chip of another maker. */
static int sm_of(const struct orr_chip *chip)
{
    static const struct {
        const char *family;
        int sm;
    } FAMILIES[] = {{"volta", 70}, {"turing", 75}, {"ampere", 80}, {"ada", 89}, {"hopper", 90}, {"blackwell", 100}};
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++)
        if (strcmp(chip->family, FAMILIES[i].family) == 0) return FAMILIES[i].sm;
    return 0;
}

static bool is_amd(const struct orr_chip *chip)
{
    return strncmp(chip->family, "cdna", 4) == 0 || strncmp(chip->family, "rdna", 4) == 0;
}

/* The table's limits hold for makers whose kernels are known; other chips run any format, widened if need be. */
static bool chip_runs(const struct orr_chip *chip, const struct orr_format_row *row)
{
    const int sm = sm_of(chip);
    if (!*row->family) return true;
    if (is_amd(chip)) return row->amd;
    return sm == 0 || (sm >= row->least_sm && (row->most_sm == 0 || sm <= row->most_sm));
}

/* The dtype in which a stack multiplies weights of a format on the chip of a job. */
static enum orr_dtype matrix_of(const struct orr_job *job, enum orr_weight_format format, enum orr_dtype sixteen)
{
    const struct orr_format_row *row = orr_format_row(format);
    const struct orr_chip *chip = &job->system.chip;
    if (row->native == ORR_N_DTYPES || format == ORR_WEIGHT_INT4) return sixteen;
    /* MXFP4 weights are multiplied with 8-bit activations on chips that have units for 4 bits, unless the stack keeps
     * 16 bits. */
    if (format == ORR_WEIGHT_MXFP4 && orr_has_word(job->engine.wide_mxfp4, chip->family)) return sixteen;
    const enum orr_dtype units = format == ORR_WEIGHT_MXFP4 ? ORR_DTYPE_FP4 : row->native;
    return chip->peak_flops_per_s[units] > 0 ? row->native : sixteen;
}

/* ---------------------------------------------------------------- engines */

static bool engine_runs(const struct orr_engine *engine, const struct orr_format_row *row)
{
    return !*row->family || !*engine->weight_formats || orr_has_word(engine->weight_formats, row->family);
}

/* Lists the names of the formats that both chip and engine can run, each family once. */
static void list_runnable(const struct orr_job *job, char *list, size_t size)
{
    size_t n = 0;
    const char *last = "";
    list[0] = '\0';
    for (int i = ORR_WEIGHT_PUBLISHED + 1; i < ORR_N_WEIGHT_FORMATS; i++) {
        const struct orr_format_row *row = orr_format_row((enum orr_weight_format)i);
        if (strcmp(row->family, last) == 0 || !chip_runs(&job->system.chip, row) || !engine_runs(&job->engine, row))
            continue;
        last = row->family;
        const int added = snprintf(list + n, size - n, ", %s", orr_format_names[i]);
        if (added < 0 || (size_t)added >= size - n) break;
        n += (size_t)added;
    }
}

enum orr_err orr_format_check(const struct orr_job *job, enum orr_weight_format format, struct orr_error *error)
{
    const struct orr_format_row *row = orr_format_row(format);
    const struct orr_chip *chip = &job->system.chip;
    const bool engine = engine_runs(&job->engine, row);
    const char *own = format == job->model.checkpoint.format ? ", the model's own format," : "";
    const char *sixteen = orr_dtype_name(orr_chip_16bit(chip));
    char list[256], floor[64] = "";
    if (chip_runs(chip, row) && engine) return ORR_OK;
    list_runnable(job, list, sizeof list);
    if (chip_runs(chip, row))
        return orr_fail(error, ORR_ERR_RULE, (struct orr_place){.key = "workload.precision"},
                        "engine %s has no kernels for %s%s; what it runs on %s: %s%s", job->engine.id,
                        orr_format_names[format], *own ? ", the model's own format" : "", chip->id, sixteen, list);
    if (sm_of(chip) > 0 && row->most_sm > 0)
        (void)snprintf(floor, sizeof floor, ": its kernels need SM %d to SM %d", row->least_sm, row->most_sm);
    else if (sm_of(chip) > 0 && row->least_sm < 1000)
        (void)snprintf(floor, sizeof floor, ": its kernels need SM %d or later", row->least_sm);
    return orr_fail(error, ORR_ERR_RULE, (struct orr_place){.key = "workload.precision"},
                    "%s%s does not run on %s (%s)%s; what runs there: %s%s", orr_format_names[format], own, chip->id,
                    chip->family, floor, sixteen, list);
}

/* ---------------------------------------------------------------- bytes */

/* One kind of layer with every tensor in its mean storage. */
struct kind_count {
    struct orr_tensor_shape shapes[ORR_N_TENSORS];
    double bytes[ORR_N_TENSORS];   /* all tensors of a layer */
    double modules[ORR_N_MODULES]; /* bytes of each module of one layer */
    double vectors[ORR_N_MODULES]; /* elements that are in no matrix */
    double layers;
};

static void count_tensors(const struct orr_checkpoint *c, int64_t k, struct kind_count *count)
{
    for (int t = 0; t < ORR_N_TENSORS; t++) {
        const struct orr_tensor_shape *shape = &count->shapes[t];
        double layers = 0, bytes = 0;
        for (int64_t s = 0; s < c->n_storages; s++) {
            if (c->layers[k][t][s] == 0) continue;
            layers += c->layers[k][t][s];
            bytes += c->layers[k][t][s] * orr_storage_bytes(&c->storages[s], shape->n, shape->k);
        }
        count->bytes[t] = layers > 0 ? bytes / layers * shape->count : 0;
        count->modules[orr_tensor_module((enum orr_weight_tensor)t)] += count->bytes[t];
    }
}

static double matrix_elements(const struct kind_count *count, enum orr_weight_tensor first, enum orr_weight_tensor last)
{
    double elements = 0;
    for (int t = (int)first; t <= (int)last; t++)
        elements += count->shapes[t].n * count->shapes[t].k * count->shapes[t].count;
    return elements;
}

/* Biases, sinks, norms and routers are not narrow. Where scales are a mean over all weights, they cover biases too. */
static void count_vectors(const struct orr_model *model, const struct orr_layer_kind *kind,
                          const struct orr_checkpoint *c, struct kind_count *count)
{
    const bool mean = c->format < ORR_WEIGHT_PUBLISHED;
    const double w = c->vector_bytes, narrow = mean ? orr_format_row(c->format)->storage.bits / 8 : w;
    const bool dense_wide = c->n_storages > 1 && c->layers[0][ORR_TENSOR_Q][0] > 0;
    const double attention = (double)kind->attention_params - matrix_elements(count, ORR_TENSOR_Q, ORR_TENSOR_INDEX_Q);
    const double norms = orr_attention_norms(kind, attention);
    const double dense = (double)kind->ffn_params - matrix_elements(count, ORR_TENSOR_GATE, ORR_TENSOR_SHARED_DOWN);
    const double experts = (double)kind->n_experts * (double)kind->expert_params -
                           matrix_elements(count, ORR_TENSOR_EXPERT_GATE, ORR_TENSOR_EXPERT_DOWN);
    const double router = (double)model->hidden * (double)kind->n_experts;
    const double bias = (double)kind->router_params - router;
    count->vectors[ORR_MODULE_ATTENTION] = (attention - norms) * (dense_wide ? w : narrow);
    count->vectors[ORR_MODULE_NORM] = (double)kind->norm_params * w + norms * (dense_wide ? w : narrow);
    count->vectors[kind->n_experts > 0 ? ORR_MODULE_SHARED : ORR_MODULE_DENSE] = dense * (dense_wide ? w : narrow);
    count->vectors[ORR_MODULE_EXPERTS] = experts * narrow;
    count->vectors[ORR_MODULE_ROUTER] = router * w + bias * (c->router_bias_fp32 ? 4 : w);
}

static struct kind_count count_kind(const struct orr_model *model, const struct orr_checkpoint *c, int64_t k)
{
    struct kind_count count = {.layers = 0};
    for (int64_t i = 0; i < model->n_layers; i++) count.layers += model->layer_kind[i] == k;
    orr_tensor_shapes(model, &model->kinds[k], count.shapes);
    count_tensors(c, k, &count);
    count_vectors(model, &model->kinds[k], c, &count);
    for (int m = 0; m < ORR_N_MODULES; m++) count.modules[m] += count.vectors[m];
    return count;
}

/* Counts the ends of the network: tables by their storage; positions, norms and biases as vectors. */
static void count_ends(const struct orr_model *model, const struct orr_checkpoint *c, double modules[ORR_N_MODULES])
{
    const double h = (double)model->hidden, matrix = (double)model->vocab * h, w = c->vector_bytes;
    const double tables = (double)model->embedding_params >= matrix ? 1 : 0;
    const double heads = !model->tied_embeddings && (double)model->head_params >= matrix ? 1 : 0;
    const double vocab = (double)model->vocab;
    modules[ORR_MODULE_EMBEDDING] += tables * orr_storage_bytes(&c->storages[c->embedding], vocab, h) +
                                     ((double)model->embedding_params - tables * matrix) * w;
    modules[ORR_MODULE_HEAD] += heads * orr_storage_bytes(&c->storages[c->head], vocab, h);
    modules[ORR_MODULE_NORM] += ((double)model->head_params - heads * matrix) * w;
}

static void count_modules(const struct orr_model *model, const struct orr_checkpoint *c, double modules[ORR_N_MODULES])
{
    memset(modules, 0, ORR_N_MODULES * sizeof *modules);
    for (int64_t k = 0; k < model->n_kinds; k++) {
        const struct kind_count count = count_kind(model, c, k);
        for (int m = 0; m < ORR_N_MODULES; m++) modules[m] += count.layers * count.modules[m];
    }
    count_ends(model, c, modules);
    if (model->is_mtp) /* Projection and norms before and after a prediction layer stay in 16 bits. */
        modules[ORR_MODULE_MTP] += 2 * (double)model->n_layers * (double)model->mtp_params;
}

void orr_model_bytes(const struct orr_model *model, enum orr_weight_format format, double module_bytes[ORR_N_MODULES])
{
    struct orr_checkpoint named;
    const struct orr_checkpoint *c = &model->checkpoint;
    if (format != ORR_WEIGHT_PUBLISHED) {
        orr_checkpoint_named(model, format, &named);
        c = &named;
    }
    count_modules(model, c, module_bytes);
}

/* ---------------------------------------------------------------- products */

#define FIRST(member, first, last) ORR_TENSOR_##first,
#define LAST(member, first, last)  ORR_TENSOR_##last,
static const enum orr_weight_tensor FIRSTS[ORR_N_PRODUCTS] = {ORR_PRODUCTS(FIRST)};
static const enum orr_weight_tensor LASTS[ORR_N_PRODUCTS] = {ORR_PRODUCTS(LAST)};

/* The storage that most layers of a kind use for a tensor. */
static const struct orr_storage *usual_storage(const struct orr_checkpoint *c, int64_t k, enum orr_weight_tensor tensor)
{
    int64_t most = 0;
    for (int64_t s = 1; s < c->n_storages; s++)
        if (c->layers[k][tensor][s] > c->layers[k][tensor][most]) most = s;
    return &c->storages[most];
}

static void fill_products(const struct orr_job *job, enum orr_dtype sixteen, const struct orr_checkpoint *c,
                          int64_t k, const struct kind_count *count, struct orr_served *served)
{
    for (int p = 0; p < ORR_N_PRODUCTS; p++) {
        double bytes = 0, elements = matrix_elements(count, FIRSTS[p], LASTS[p]);
        for (int t = (int)FIRSTS[p]; t <= (int)LASTS[p]; t++) bytes += count->bytes[t];
        const struct orr_storage *storage = usual_storage(c, k, FIRSTS[p]);
        if (count->shapes[FIRSTS[p]].count <= 0) storage = usual_storage(c, k, LASTS[p]); /* not gated */
        served->kinds[k].used[p] = elements > 0;
        served->kinds[k].stored_bytes[p] = elements > 0 ? bytes / elements : 2;
        served->kinds[k].matrix[p] = elements > 0 ? matrix_of(job, storage->format, sixteen) : sixteen;
    }
}

/* Bytes of one layer on the ranks of a plan: copied to each, divided by tp, of one expert, and the rest. */
static void fill_layer(const struct orr_layer_kind *kind, const struct kind_count *count, int64_t k,
                       struct orr_served *served)
{
    const double *m = count->modules;
    const double attention = (double)kind->attention_params, inner = orr_attention_norms(kind, attention);
    const double norms = count->vectors[ORR_MODULE_NORM];
    const double all = inner + (double)kind->norm_params, per_norm = all > 0 ? norms / all : 0;
    const bool compressed = orr_kind_compresses(kind); /* its compressors and indexer are on every rank */
    const double latents = count->bytes[ORR_TENSOR_Q_A] + count->bytes[ORR_TENSOR_KV_A] + inner * per_norm;
    const double whole = compressed ? count->bytes[ORR_TENSOR_INDEX_Q] + count->vectors[ORR_MODULE_ATTENTION] : 0;
    const double copied = kind->mla_kv_rank > 0 || compressed ? latents + whole : 0;
    served->kinds[k].copied_bytes = copied;
    served->kinds[k].divided_bytes =
        m[ORR_MODULE_ATTENTION] + m[ORR_MODULE_DENSE] + m[ORR_MODULE_SHARED] + inner * per_norm - copied;
    served->kinds[k].expert_bytes = kind->n_experts > 0 ? m[ORR_MODULE_EXPERTS] / (double)kind->n_experts : 0;
    served->kinds[k].other_bytes = m[ORR_MODULE_ROUTER] + (double)kind->norm_params * per_norm;
}

static void serve(const struct orr_job *job, const struct orr_model *model, enum orr_dtype sixteen,
                  const struct orr_checkpoint *c, struct orr_served *served)
{
    const double matrix = (double)model->vocab * (double)model->hidden;
    memset(served, 0, sizeof *served);
    served->resolved = true;
    for (int64_t k = 0; k < model->n_kinds; k++) {
        const struct kind_count count = count_kind(model, c, k);
        fill_layer(&model->kinds[k], &count, k, served);
        fill_products(job, sixteen, c, k, &count, served);
    }
    count_modules(model, c, served->module_bytes);
    const double vocab = (double)model->vocab, h = (double)model->hidden;
    served->vector_bytes = c->vector_bytes;
    served->embedding_bytes = orr_storage_bytes(&c->storages[c->embedding], vocab, h) / matrix;
    served->head_bytes = orr_storage_bytes(&c->storages[c->head], vocab, h) / matrix; /* a tied head is a copy */
    if (model->tied_embeddings) served->head_bytes = served->embedding_bytes;
    if (c->head > 0) served->head_stored_bytes = served->head_bytes;
}

/* ---------------------------------------------------------------- a job's formats */

/* The dtype in which most weights are multiplied. */
static enum orr_dtype usual_matrix(const struct orr_model *model, const struct orr_served *served,
                                   enum orr_dtype sixteen)
{
    double weights[ORR_N_DTYPES] = {0};
    enum orr_dtype most = sixteen;
    for (int64_t k = 0; k < model->n_kinds; k++) {
        const struct orr_layer_kind *kind = &model->kinds[k];
        const bool moe = kind->n_experts > 0;
        weights[served->kinds[k].matrix[moe ? ORR_PRODUCT_EXPERT_DOWN : ORR_PRODUCT_DOWN]] +=
            moe ? (double)kind->n_experts * (double)kind->expert_params : (double)kind->ffn_params;
        weights[served->kinds[k].matrix[ORR_PRODUCT_OUT]] += (double)kind->attention_params;
    }
    for (int d = 0; d < ORR_N_DTYPES; d++)
        if (weights[d] > weights[most]) most = (enum orr_dtype)d;
    return most;
}

/* Resolves a model of the job in a format. A format that is requested by a dtype's name needs no table, unless only
 * experts have it. */
static void serve_model(const struct orr_job *job, const struct orr_model *model, enum orr_weight_format format,
                        enum orr_dtype sixteen, struct orr_served *served)
{
    struct orr_checkpoint named;
    served->resolved = false;
    const bool published = format == ORR_WEIGHT_PUBLISHED;
    const bool experts = format == ORR_WEIGHT_FP4 && model->checkpoint.format == ORR_WEIGHT_MXFP4;
    if (model->n_layers == 0 || (format < ORR_WEIGHT_PUBLISHED && !experts)) return;
    if (published && model->checkpoint.format == ORR_WEIGHT_PUBLISHED) return; /* nothing is narrow */
    if (!published) orr_checkpoint_named(model, format, &named);
    serve(job, model, sixteen, published ? &model->checkpoint : &named, served);
    if (!experts) return;
    /* The experts are multiplied with 8-bit activations, as they are published. */
    for (int64_t k = 0; k < model->n_kinds; k++)
        for (int p = 0; p < ORR_N_PRODUCTS; p++)
            if (served->kinds[k].matrix[p] == ORR_DTYPE_FP4) served->kinds[k].matrix[p] = ORR_DTYPE_FP8;
}

/* A format that the chip cannot multiply is unpacked to 16 bits; partial sums are sent in 16 bits. */
/* Whoever says "fp8" of a checkpoint that is published in blocks of 128 means that checkpoint; `fp8-tensor` and
 * `fp8-channel` ask for other scales. */
static enum orr_weight_format meant(const struct orr_checkpoint *own, enum orr_weight_format asked)
{
    const bool blocks = asked == ORR_WEIGHT_FP8 && own->format == ORR_WEIGHT_FP8_128;
    return blocks ? ORR_WEIGHT_FP8_BLOCK : asked;
}

void orr_serving_formats(const struct orr_job *job, enum orr_weight_format asked, struct orr_serving *serving)
{
    const struct orr_chip *chip = &job->system.chip;
    const struct orr_checkpoint *own = &job->model.checkpoint;
    enum orr_weight_format format = meant(own, asked);
    const bool published = format == ORR_WEIGHT_PUBLISHED;
    enum orr_dtype sixteen = orr_chip_16bit(chip);
    if (own->wide == ORR_DTYPE_FP16 && chip->peak_flops_per_s[ORR_DTYPE_FP16] > 0 && format >= ORR_WEIGHT_PUBLISHED)
        sixteen = ORR_DTYPE_FP16;
    if (published && own->format == ORR_WEIGHT_PUBLISHED)
        format = (enum orr_weight_format)sixteen; /* nothing is narrow */
    else if (published && own->named) format = own->format;
    serving->format = format;
    const enum orr_weight_format main = format == ORR_WEIGHT_PUBLISHED ? own->format : format;
    serve_model(job, &job->model, published ? ORR_WEIGHT_PUBLISHED : format, sixteen, &serving->served[0]);
    serve_model(job, &job->draft, published ? ORR_WEIGHT_PUBLISHED : format, sixteen, &serving->served[1]);
    serving->weights = orr_format_row(main)->nearest;
    serving->matrix = serving->served[0].resolved ? usual_matrix(&job->model, &serving->served[0], sixteen)
                                                  : matrix_of(job, main, sixteen);
    serving->kv = format == ORR_WEIGHT_FP16 || format == ORR_WEIGHT_BF16 ? serving->weights : sixteen;
    serving->kv_format = ORR_KV_PLAIN;
    if (published && own->kv != ORR_N_DTYPES) {
        serving->kv = own->kv;
        serving->kv_format = own->kv_format;
    }
    serving->comm = orr_dtype_bytes(serving->matrix) < 2 ? sixteen : serving->matrix;
}

const char *orr_serving_format_name(const struct orr_job *job)
{
    const struct orr_serving *serving = &job->serving;
    if (serving->format == ORR_WEIGHT_PUBLISHED) return orr_weight_format_name(job->model.checkpoint.format);
    return orr_weight_format_name(serving->format);
}

/* Sets the format of the products of narrow weights to a requested one. */
void orr_serving_multiply_in(enum orr_dtype matrix, struct orr_serving *serving)
{
    for (int s = 0; s < 2; s++)
        for (int64_t k = 0; k < ORR_MAX_LAYER_KINDS && serving->served[s].resolved; k++)
            for (int p = 0; p < ORR_N_PRODUCTS; p++)
                if (serving->served[s].kinds[k].stored_bytes[p] < 2) serving->served[s].kinds[k].matrix[p] = matrix;
    serving->matrix = matrix;
}
