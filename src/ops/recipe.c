/* Casts of training in 8 bits or fewer, per element, from the recipe, the engine and the chip. Eqs. 162-166. */
#include "ops/recipe.h"

#include "base/number.h"
#include "spec/names.h"

/* The columns of ORR_FP8_RECIPES. */
struct scaling {
    double scale_bytes;
    bool maximum, directed, recast, wgrad;
};

static const struct scaling SCALINGS[ORR_N_FP8_RECIPES] = {
#define ORR_X_SCALING_(name, word, bytes, maximum, directed, recast, wgrad, ...)                                       \
    [ORR_RECIPE_##name] = {bytes, maximum, directed, recast, wgrad},
    ORR_FP8_RECIPES(ORR_X_SCALING_)
#undef ORR_X_SCALING_
};

/* Matrix units that scale blocks by themselves came with fp4, and with products whose operands may lie in any order;
 * those before them multiply 8-bit operands only if both lie along the reduction. */
static bool scales_blocks(const struct orr_chip *chip)
{
    return chip->peak_flops_per_s[ORR_DTYPE_FP4] > 0;
}

enum orr_fp8_recipe orr_recipe_asked(const struct orr_job *job)
{
    const struct orr_engine *engine = &job->engine;
    if (job->workload.fp8_recipe != ORR_RECIPE_ENGINE) return job->workload.fp8_recipe;
    if (job->workload.precision == ORR_DTYPE_FP4) return ORR_RECIPE_NVFP4;
    if (job->workload.precision == ORR_DTYPE_FP8_BLOCK) return ORR_RECIPE_BLOCKWISE;
    if (scales_blocks(&job->system.chip) && engine->mx_recipe != ORR_RECIPE_ENGINE) return engine->mx_recipe;
    return engine->fp8_recipe != ORR_RECIPE_ENGINE ? engine->fp8_recipe : ORR_RECIPE_DELAYED;
}

/* Bytes of the pieces of a cast, and the kernels of each. */
struct pieces {
    struct orr_cast maximum; /* finding the maximum, and turning it into a scale */
    struct orr_cast one;     /* one copy, with its scales */
    struct orr_cast second;  /* the copy along the other direction, made beside the first or afterwards */
};

/* Eq. 162: a copy reads w and writes e and s bytes. The other copy is needed where a copy serves one direction only, or
 * where products want both operands along the reduction; a kernel of its own reads the tensor again, or turns the
 * narrow copy round. Scales of blocks are put into the order of the matrix units by one more kernel. */
static struct pieces pieces_of(const struct orr_job *job, const struct scaling *scaling, double w, double e)
{
    const struct orr_engine *engine = &job->engine;
    const bool mx = scales_blocks(&job->system.chip), turned = scaling->directed || !mx;
    const double s = scaling->scale_bytes, ordered = s > 0 && mx ? 1 : 0;
    struct pieces p = {.one = {w + e + s, 1 + ordered}};
    if (scaling->maximum) p.maximum = (struct orr_cast){w, 2};
    if (!turned) return p;
    if (engine->fp8_fused_copies) p.second = (struct orr_cast){e + s, 0};
    else p.second = scaling->directed ? p.one : (struct orr_cast){2 * e, 1};
    return p;
}

static struct orr_cast sum(struct orr_cast a, struct orr_cast b)
{
    return (struct orr_cast){a.bytes + b.bytes, a.launches + b.launches};
}

/* Eq. 163: the input is cast for forward and for the weight gradient, at once or again in backward; the gradient for
 * the input's and for the weight's gradient. */
static void set_inputs(const struct orr_job *job, const struct scaling *scaling, const struct pieces *p, double w,
                       double e, struct orr_recipe *recipe)
{
    const struct orr_cast none = {0};
    const struct orr_cast maximum =
        job->engine.fp8_fused_maximum ? (struct orr_cast){0, p->maximum.launches / 2} : p->maximum;
    const struct orr_cast second = scaling->wgrad ? p->second : none, first = sum(maximum, p->one);
    const bool recast = scaling->recast || job->engine.fp8_recast;
    recipe->input = recast ? first : sum(first, second);
    if (recast && scaling->wgrad) recipe->input_again = scaling->directed ? p->one : sum(first, second);
    recipe->gradient = sum(first, second);
    recipe->saved_bytes = recast ? w : e + scaling->scale_bytes;
    const double stated = job->engine.fp8_cast_bytes_per_element;
    if (stated <= 0) return;
    recipe->input = recipe->gradient = (struct orr_cast){stated, 1};
    recipe->input_again = none;
}

/* Eq. 164: weights are cast once per step and kept in both copies, or in every micro-batch and dropped. Weights that
 * are gathered in 8 bits are cast by the rank that has them, which is little work, and need no 16-bit copy; this and
 * gathers of inputs need one scale for all that is gathered, or units that scale blocks. */
static void set_weights(const struct orr_job *job, const struct scaling *scaling, const struct pieces *p, double e,
                        struct orr_recipe *recipe)
{
    const struct orr_engine *engine = &job->engine;
    const struct orr_cast first = sum(p->maximum, p->one), none = {0};
    const bool whole = e >= 1 && (!scaling->directed || scales_blocks(&job->system.chip));
    const bool gather = engine->fp8_gather && whole;
    const double s = scaling->scale_bytes;
    recipe->gather_bytes = gather ? e + s : 2;
    recipe->tp_bytes = engine->fp8_tp_gather && whole ? e + s : 2;
    if (!engine->fp8_weights_each) {
        recipe->weight_step_bytes = first.bytes + p->second.bytes;
        recipe->copy_bytes = (e + s) * (p->second.bytes > 0 ? 2 : 1) - (gather ? 2 : 0);
        return;
    }
    recipe->weight = gather ? none : first;
    recipe->weight_again = gather ? p->second : engine->fp8_recast ? first : p->second;
}

struct orr_recipe orr_recipe_of(const struct orr_job *job)
{
    const double e = orr_dtype_bytes(job->workload.precision);
    struct orr_recipe recipe = {.saved_bytes = e > 2 ? 4 : 2, .gather_bytes = e > 2 ? 4 : 2, .wgrad = true};
    recipe.gather_bytes = orr_asked_bytes(job->workload.comm, recipe.gather_bytes);
    recipe.tp_bytes = recipe.gather_bytes;
    if (e >= 2) return recipe;
    const struct scaling *scaling = &SCALINGS[orr_recipe_asked(job)];
    const double w = orr_asked_bytes(job->workload.activations, 2);
    const struct pieces inputs = pieces_of(job, scaling, w, e), weights = pieces_of(job, scaling, 2, e);
    recipe.narrow = true;
    recipe.wgrad = scaling->wgrad;
    recipe.wide_frac = (double)job->workload.wide_layers / (double)job->model.n_layers;
    if (w > e) set_inputs(job, scaling, &inputs, w, e, &recipe);
    else recipe.saved_bytes = w; /* Eq. 279: activations already are what the products read */
    set_weights(job, scaling, &weights, e, &recipe);
    recipe.gather_bytes = orr_asked_bytes(job->workload.comm, recipe.gather_bytes);
    recipe.tp_bytes = orr_asked_bytes(job->workload.comm, recipe.tp_bytes);
    return recipe;
}
