/* This file says in which formats an inference job stores, multiplies and converts its numbers, in words for people and
 * keys for programs. */
#include "report/formats.h"

#include "ops/serve.h"
#include "report/json_text.h"
#include "spec/spec.h"

/* Each module has a range of products, from first to last. */
static const struct {
    enum orr_module module;
    enum orr_product first, last;
} SPANS[] = {{ORR_MODULE_ATTENTION, ORR_PRODUCT_QKV, ORR_PRODUCT_KV_UP},
             {ORR_MODULE_DENSE, ORR_PRODUCT_GATE_UP, ORR_PRODUCT_DOWN},
             {ORR_MODULE_SHARED, ORR_PRODUCT_SHARED_GATE_UP, ORR_PRODUCT_SHARED_DOWN},
             {ORR_MODULE_EXPERTS, ORR_PRODUCT_EXPERT_GATE_UP, ORR_PRODUCT_EXPERT_DOWN}};
enum { N_SPANS = sizeof SPANS / sizeof *SPANS };

/* For a module, this says whether a product is stored in fewer than 16 bits, whether one is not, and the format that
 * the narrow products are multiplied in. */
struct module_formats {
    bool narrow, wide;
    enum orr_dtype matrix;
};

static struct module_formats formats_of(const struct orr_job *job, const struct orr_model *model, size_t span)
{
    const struct orr_served *served = &job->serving.served[model == &job->draft];
    struct module_formats found = {.matrix = job->serving.matrix};
    if (served->module_bytes[SPANS[span].module] <= 0) return found;
    for (int64_t k = 0; k < model->n_kinds; k++)
        for (int p = (int)SPANS[span].first; p <= (int)SPANS[span].last; p++) {
            const double stored = served->kinds[k].stored_bytes[p];
            if (!served->kinds[k].used[p]) continue;
            if (stored < 2) found.matrix = served->kinds[k].matrix[p];
            found.narrow |= stored < 2;
            found.wide |= stored >= 2;
        }
    return found;
}

static struct module_formats module_formats(const struct orr_job *job, size_t span)
{
    return formats_of(job, &job->model, span);
}

static void add_modules(const struct orr_job *job, struct orr_text *text)
{
    size_t n = 0, n_narrow = 0, n_all = 0;
    for (size_t i = 0; i < N_SPANS; i++) {
        const struct module_formats found = module_formats(job, i);
        n_all += found.narrow || found.wide;
        n_narrow += found.narrow && !found.wide;
    }
    if (n_narrow == n_all) return;
    orr_text_add(text, " (");
    for (size_t i = 0; i < N_SPANS; i++) {
        const struct module_formats found = module_formats(job, i);
        if (!found.narrow) continue;
        orr_text_add(text, "%s%s%s", n++ ? ", " : "", found.wide ? "parts of " : "", orr_module_name(SPANS[i].module));
    }
    orr_text_add(text, "; the rest 16 bits)");
}

void orr_formats_line(const struct orr_job *job, struct orr_text *text)
{
    const struct orr_serving *s = &job->serving;
    orr_text_add(text, "%s", orr_serving_format_name(job));
    if (s->served[0].resolved) add_modules(job, text);
    if (s->served[0].resolved ? orr_dtype_bytes(s->matrix) >= 2 || s->matrix != s->weights : s->matrix != s->weights)
        orr_text_add(text, ", multiplied in %s", orr_dtype_name(s->matrix));
}

/* These say what happens to weights, activations and cache on their way to the matrix units. */
static const char *weights_converted(const struct orr_serving *s)
{
    if (orr_dtype_bytes(s->weights) >= 2) return "nowhere";
    return orr_dtype_bytes(s->matrix) >= 2 ? "to 16 bits, inside the kernel of each product" : "nowhere";
}

static const char *activations_converted(const struct orr_job *job)
{
    if (orr_dtype_bytes(job->serving.matrix) >= 2) return "nowhere";
    return job->engine.dynamic_quantisation ? "by a kernel before each product" : "by the kernel that writes them";
}

static const char *cache_converted(const struct orr_job *job)
{
    const struct orr_serving *s = &job->serving;
    if (s->kv_format == ORR_KV_PLAIN && orr_dtype_bytes(s->kv) >= 2) return "nowhere";
    if (s->kv == ORR_DTYPE_FP8 && s->kv_format == ORR_KV_PLAIN && job->system.chip.peak_flops_per_s[ORR_DTYPE_FP8] > 0)
        return "in the attention kernel, at its 8-bit rate";
    return "to 16 bits, inside the attention kernel";
}

/* Returns the bytes of the prediction layers, all ranks together, where they are loaded to draft. */
static double drafting_bytes(const struct orr_job *job)
{
    double modules[ORR_N_MODULES], bytes = 0;
    if (!job->draft.is_mtp || job->serving.draft_tokens == 0) return 0;
    orr_model_bytes(&job->draft, job->serving.format, modules);
    for (int m = 0; m < ORR_N_MODULES; m++) bytes += modules[m];
    return bytes;
}

/* Prediction layers that draft may have other formats than the model's layers. */
static struct module_formats drafting_formats(const struct orr_job *job)
{
    const struct orr_serving *s = &job->serving;
    struct module_formats all = {.matrix = orr_serve_dtype16(job)};
    if (!s->served[1].resolved && orr_dtype_bytes(s->weights) < 2)
        all = (struct module_formats){.narrow = true, .matrix = s->matrix};
    for (size_t i = 0; i < N_SPANS && job->draft.is_mtp; i++) {
        const struct module_formats found = formats_of(job, &job->draft, i);
        if (found.narrow) all = found;
    }
    return all;
}

static json_t *modules_json(const struct orr_job *job)
{
    const struct orr_served *served = &job->serving.served[0];
    const struct module_formats drafting = drafting_formats(job);
    json_t *modules = json_object();
    double bytes[ORR_N_MODULES];
    orr_model_bytes(&job->model, job->serving.format, bytes);
    bytes[ORR_MODULE_MTP] += drafting_bytes(job);
    for (int m = 0; m < ORR_N_MODULES; m++) {
        enum orr_dtype matrix = orr_serve_dtype16(job);
        bool narrow = false;
        for (size_t i = 0; i < N_SPANS; i++)
            if (SPANS[i].module == (enum orr_module)m) {
                const struct module_formats found = module_formats(job, i);
                narrow = found.narrow || (!served->resolved && orr_dtype_bytes(job->serving.weights) < 2);
                if (narrow) matrix = found.matrix;
            }
        if (m == (int)ORR_MODULE_MTP) {
            narrow = drafting.narrow;
            matrix = drafting.matrix;
        }
        if (bytes[m] <= 0) continue;
        json_object_set_new(modules, orr_module_name((enum orr_module)m),
                            json_pack("{sb so ss}", "narrow", narrow, "bytes", orr_json_real(bytes[m]), "multiplied_in",
                                      orr_dtype_name(matrix)));
    }
    return modules;
}

json_t *orr_formats_json(const struct orr_job *job)
{
    const struct orr_serving *s = &job->serving;
    return json_pack("{ss ss ss s{ss ss ss} so}", "stored", orr_serving_format_name(job), "multiplied_in",
                     orr_dtype_name(s->matrix), "cache", orr_cache_name(s->kv, s->kv_format), "converted", "weights",
                     weights_converted(s), "activations", activations_converted(job), "cache", cache_converted(job),
                     "modules", modules_json(job));
}
