/* The rules that a job obeys. Each refusal states the rule, the values and what is allowed; its key is that of the
 * JSON contract, so that the request reader can add file and line. */
#include <stdio.h>

#include "base/error.h"
#include "spec/check.h"
#include "spec/format.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/plan.h"
#include "spec/spec.h"

/* ---------------------------------------------------------------- ranges */

struct range {
    const char *key;
    int64_t value, min, max;
};

static enum orr_err check_each(const struct range *ranges, size_t n_ranges, struct orr_error *error)
{
    for (size_t i = 0; i < n_ranges; i++)
        if (ranges[i].value < ranges[i].min || ranges[i].value > ranges[i].max)
            return FAIL(error, ranges[i].key, "must be from %lld to %lld, not %lld", (ll)ranges[i].min,
                        (ll)ranges[i].max, (ll)ranges[i].value);
    return ORR_OK;
}

static enum orr_err check_imbalance(double imbalance, struct orr_error *error)
{
    if (imbalance >= 1 && imbalance <= ORR_IMBALANCE_MAX) return ORR_OK;
    return FAIL(error, "workload.moe_imbalance", "must be from 1 (all expert ranks equally loaded) to %d, not %g",
                ORR_IMBALANCE_MAX, imbalance);
}

/* The ranges checked here allow all later rules to divide by these numbers and to multiply any two of them. */
static enum orr_err check_plan_ranges(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const struct range ranges[] = {
        {"gpus", plan->gpus, 1, ORR_GPUS_MAX},
        {"plan.tp", plan->tp, 1, ORR_RANKS_MAX},
        {"plan.pp", plan->pp, 1, ORR_MAX_STAGES},
        {"plan.vpp", plan->vpp, 1, ORR_MAX_LAYERS},
        {"plan.dp", plan->dp, 1, ORR_RANKS_MAX},
        {"plan.cp", plan->cp, 1, ORR_RANKS_MAX},
        {"plan.ep", plan->ep, 1, ORR_RANKS_MAX},
        {"plan.etp", plan->etp, 1, ORR_RANKS_MAX},
        {"plan.zero", plan->zero, 0, 3},
        {"plan.zero_group", plan->zero_group, 1, ORR_GPUS_MAX},
        {"plan.schedule", (int64_t)plan->schedule, 0, ORR_N_SCHEDULES - 1},
        {"plan.stages", (int64_t)plan->stages, 0, ORR_N_STAGE_RULES - 1},
        {"plan.cp_kind", (int64_t)plan->cp_kind, 0, ORR_N_CP_KINDS - 1},
        {"plan.stage_layers", plan->n_stage_layers, 0, ORR_MAX_STAGES},
    };
    return check_each(ranges, sizeof ranges / sizeof ranges[0], error);
}

static enum orr_err check_workload_ranges(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_workload *workload = &job->workload;
    const struct range ranges[] = {
        {"workload.seq", workload->seq, 1, ORR_TOKENS_MAX},
        {"workload.micro_batch", workload->micro_batch, 1, ORR_MICRO_BATCH_MAX},
        {"workload.global_batch", workload->global_batch, 1, ORR_BATCH_MAX},
        {"workload.precision", (int64_t)workload->precision, 0, ORR_N_MATRIX_DTYPES - 1},
        {"workload.recompute", (int64_t)workload->recompute, 0, ORR_N_RECOMPUTES - 1},
        {"workload.attention", (int64_t)workload->attention, 0, ORR_N_ATTENTION_KERNELS - 1},
        {"workload.recompute_every", workload->recompute_every, 1, ORR_MAX_LAYERS},
        {"workload.recompute_first", workload->recompute_first, 0, ORR_MAX_LAYERS},
        {"workload.recompute_nth", workload->recompute_nth, 0, ORR_MAX_LAYERS},
        {"workload.gradient_precision", (int64_t)workload->gradients, 0, ORR_N_GRADIENT_FORMATS - 1},
        {"workload.mtp_layers", workload->mtp_layers, 0, ORR_MTP_MAX},
        {"workload.comm_precision", (int64_t)workload->comm, 0, ORR_N_ASKED_FORMATS - 1},
        {"workload.activation_precision", (int64_t)workload->activations, 0, ORR_N_ASKED_FORMATS - 1},
        {"workload.attention_precision", (int64_t)workload->core, 0, ORR_N_ASKED_FORMATS - 1},
    };
    const enum orr_err err = check_each(ranges, sizeof ranges / sizeof ranges[0], error);
    return err ? err : check_imbalance(workload->moe_imbalance, error);
}

static enum orr_err check_serving_ranges(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_serving *serving = &job->serving;
    const struct range ranges[] = {
        {"workload.batch", serving->batch, 1, ORR_MICRO_BATCH_MAX},
        {"workload.input_len", serving->input_len, 1, ORR_CONTEXT_MAX},
        {"workload.output_len", serving->output_len, 1, ORR_CONTEXT_MAX},
        {"workload.precision", (int64_t)serving->weights, 0, ORR_N_DTYPES - 1},
        {"workload.precision", (int64_t)serving->format, 0, ORR_N_WEIGHT_FORMATS - 1},
        {"workload.matrix_precision", (int64_t)serving->matrix, 0, ORR_N_MATRIX_DTYPES - 1},
        {"workload.kv_precision", (int64_t)serving->kv, 0, ORR_N_MATRIX_DTYPES - 1},
        {"workload.comm_precision", (int64_t)serving->comm, 0, ORR_N_MATRIX_DTYPES - 1},
        {"workload.activation_precision", (int64_t)job->workload.activations, 0, ORR_N_ASKED_FORMATS - 1},
        {"workload.attention_precision", (int64_t)job->workload.core, 0, ORR_N_ASKED_FORMATS - 1},
        {"workload.chunk_tokens", serving->chunk_tokens, 0, ORR_CONTEXT_MAX},
        {"workload.draft_tokens", serving->draft_tokens, 0, ORR_DRAFT_MAX},
        {"workload.attention", (int64_t)job->workload.attention, 0, ORR_N_ATTENTION_KERNELS - 1},
        {"engine.decode_kernel", (int64_t)job->engine.decode_kernel, 0, ORR_N_DECODE_KERNELS - 1},
        {"engine.block_kernel", (int64_t)job->engine.block_kernel, 0, ORR_N_BLOCK_KERNELS - 1},
        {"engine.tile_files", (int64_t)job->engine.tile_files, 0, ORR_N_TILE_FILES - 1},
    };
    const enum orr_err err = check_each(ranges, sizeof ranges / sizeof ranges[0], error);
    if (err) return err;
    if (!(serving->prefix_hit_frac >= 0 && serving->prefix_hit_frac <= ORR_PREFIX_HIT_MAX))
        return FAIL(error, "workload.prefix_hit_frac", "must be from 0 to %g, not %g", ORR_PREFIX_HIT_MAX,
                    serving->prefix_hit_frac);
    if (!(serving->draft_accept_frac >= 0 && serving->draft_accept_frac <= 1))
        return FAIL(error, "workload.draft_accept_frac", "must be from 0 to 1, not %g", serving->draft_accept_frac);
    return check_imbalance(serving->moe_imbalance, error);
}

/* ---------------------------------------------------------------- lists of what is allowed */

enum { LIST = 96, LISTED = 8 };

/* Lists the counts up to `limit` that pass `fits`, as "1, 2, 4, 8, ...". */
static void list_allowed(char list[LIST], const struct orr_job *job, int64_t limit,
                         bool (*fits)(const struct orr_job *, int64_t))
{
    size_t length = 0;
    int n_listed = 0;
    list[0] = '\0';
    for (int64_t count = 1; count <= limit; count++) {
        if (!fits(job, count)) continue;
        const bool full = n_listed++ == LISTED;
        const int n = full ? snprintf(list + length, LIST - length, ", ...")
                           : snprintf(list + length, LIST - length, "%s%lld", length ? ", " : "", (ll)count);
        length += n > 0 ? (size_t)n : 0;
        if (full || length + 24 > LIST) return;
    }
}

static int64_t most_heads(const struct orr_model *model)
{
    int64_t most = 1;
    for (int64_t i = 0; i < model->n_kinds; i++)
        if (model->kinds[i].n_heads > most) most = model->kinds[i].n_heads;
    for (int64_t i = 0; i < model->n_kinds; i++) /* a model without attention */
        if (most == 1 && model->kinds[i].scan_heads > most) most = model->kinds[i].scan_heads;
    return most;
}

/* ---------------------------------------------------------------- tensor parallel */

/* Names the size of a layer kind that `tp` does not divide; NULL if it divides all. */
static const char *tp_obstacle(const struct orr_layer_kind *kind, int64_t tp, int64_t *size)
{
    const bool latent = kind->mla_kv_rank > 0; /* keys and values are rebuilt per head from the latent */
    const struct {
        const char *what;
        int64_t size;
        bool shared; /* where there are fewer heads than ranks, each may be repeated on tp / size ranks */
    } parts[] = {
        {"attention heads", kind->n_heads, false},
        {"key-value heads", latent ? 0 : kind->n_kv_heads, true},
        {"heads of the scan", kind->scan_heads, false},
        {"groups of the scan", kind->scan_groups, true},
        {"groups of the output projection", kind->out_groups, false},
        {"columns of the FFN", kind->ffn_width, false},
        {"columns of the shared experts", kind->shared_width, false},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        *size = parts[i].size;
        if (*size > 0 && *size % tp != 0 && !(parts[i].shared && tp % *size == 0)) return parts[i].what;
    }
    return NULL;
}

/* Names the size of any layer kind of the model that `tp` does not divide; NULL if it divides all. */
static const char *tp_obstacle_of(const struct orr_model *model, int64_t tp, int64_t *size)
{
    const char *what = NULL;
    for (int64_t i = 0; i < model->n_kinds && !what; i++) what = tp_obstacle(&model->kinds[i], tp, size);
    return what;
}

static const struct orr_model *draft_of(const struct orr_job *job)
{
    return job->kind == ORR_JOB_INFER && job->draft.n_layers > 0 ? &job->draft : NULL;
}

static bool tp_fits(const struct orr_job *job, int64_t tp)
{
    int64_t size;
    const struct orr_model *draft = draft_of(job);
    return !tp_obstacle_of(&job->model, tp, &size) && !(draft && tp_obstacle_of(draft, tp, &size));
}

static enum orr_err check_tensor(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const struct orr_model *const models[] = {&job->model, draft_of(job)};
    char allowed[LIST];
    for (size_t i = 0; i < 2 && models[i]; i++) {
        int64_t size;
        const char *what = tp_obstacle_of(models[i], plan->tp, &size);
        if (!what) continue;
        list_allowed(allowed, job, most_heads(&job->model), tp_fits);
        return FAIL(error, "plan.tp", "%lld does not divide the %lld %s of %s%s (allowed: %s)", (ll)plan->tp, (ll)size,
                    what, i ? "draft model " : "", models[i]->id, allowed);
    }
    if (plan->sp && plan->tp == 1) return FAIL(error, "plan.sp", "sequence parallel needs tp > 1; tp is 1");
    const int64_t tokens = job->workload.seq / plan->cp;
    if (plan->sp && tokens % plan->tp != 0)
        return FAIL(error, "plan.sp", "sequence parallel needs seq / cp = %lld / %lld to be a multiple of tp = %lld",
                    (ll)job->workload.seq, (ll)plan->cp, (ll)plan->tp);
    return ORR_OK;
}

/* ---------------------------------------------------------------- context parallel */

static enum orr_err check_sequence(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const struct orr_model *model = &job->model;
    const int64_t seq = job->workload.seq;
    if (plan->cp == 1) return ORR_OK;
    /* A balanced ring gives every rank one block from each end of the sequence, so that causal work is even. */
    const bool both_ends = plan->cp_kind == ORR_CP_RING && job->engine.cp_balanced;
    const int64_t blocks = both_ends ? 2 * plan->cp : plan->cp;
    if (seq % blocks != 0)
        return FAIL(error, "plan.cp", "%s context parallel cuts the sequence into %lld blocks, but seq is %lld",
                    orr_cp_kind_name(plan->cp_kind), (ll)blocks, (ll)seq);
    if (plan->cp_kind != ORR_CP_ULYSSES) return ORR_OK;
    for (int64_t i = 0; i < model->n_kinds; i++) {
        const int64_t heads = model->kinds[i].n_heads / plan->tp;
        if (heads % plan->cp != 0)
            return FAIL(error, "plan.cp",
                        "ulysses context parallel: %lld does not divide the %lld heads of a rank "
                        "(%lld heads of %s over tp = %lld)",
                        (ll)plan->cp, (ll)heads, (ll)model->kinds[i].n_heads, model->id, (ll)plan->tp);
    }
    return ORR_OK;
}

/* ---------------------------------------------------------------- expert parallel */

static bool ep_fits(const struct orr_job *job, int64_t ep)
{
    for (int64_t i = 0; i < job->model.n_kinds; i++)
        if (job->model.kinds[i].n_experts % ep != 0) return false;
    return true;
}

static bool etp_fits(const struct orr_job *job, int64_t etp)
{
    for (int64_t i = 0; i < job->model.n_kinds; i++)
        if (job->model.kinds[i].expert_width % etp != 0) return false;
    return true;
}

static bool copies_fill_up(const struct orr_job *job)
{
    return job->kind == ORR_JOB_INFER && job->engine.moe_redundant;
}

static enum orr_err check_experts(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const struct orr_model *model = &job->model;
    char allowed[LIST];
    if (job->workload.moe_capacity > 0 && !orr_model_has_experts(model))
        return FAIL(error, "workload.moe_capacity", "has no effect: %s has no experts", model->id);
    if (job->workload.moe_imbalance > 1 && !orr_model_has_experts(model))
        return FAIL(error, "workload.moe_imbalance", "has no effect: %s has no experts", model->id);
    if (plan->ep == 1 && plan->etp == 1) return ORR_OK;
    if (!orr_model_has_experts(model))
        return FAIL(error, plan->ep > 1 ? "plan.ep" : "plan.etp", "must be 1: %s has no experts", model->id);
    for (int64_t i = 0; i < model->n_kinds; i++) {
        const struct orr_layer_kind *kind = &model->kinds[i];
        if (kind->n_experts % plan->ep != 0 && !copies_fill_up(job)) {
            list_allowed(allowed, job, kind->n_experts, ep_fits);
            return FAIL(error, "plan.ep", "%lld does not divide the %lld experts of %s (allowed: %s)%s", (ll)plan->ep,
                        (ll)kind->n_experts, model->id, allowed,
                        job->kind == ORR_JOB_INFER ? "; workload.expert_copies fills places up" : "");
        }
        if (kind->expert_width % plan->etp != 0) {
            list_allowed(allowed, job, kind->expert_width, etp_fits);
            return FAIL(error, "plan.etp", "%lld does not divide the %lld columns of an expert of %s (allowed: %s)",
                        (ll)plan->etp, (ll)kind->expert_width, model->id, allowed);
        }
    }
    const int64_t ranks = plan->dp * plan->cp * plan->tp; /* Eq. 5 */
    if (plan->ep * plan->etp > ranks || ranks % (plan->ep * plan->etp) != 0)
        return FAIL(error, plan->ep > 1 ? "plan.ep" : "plan.etp",
                    "ep * etp = %lld * %lld does not divide dp * cp * tp = %lld * %lld * %lld = %lld", (ll)plan->ep,
                    (ll)plan->etp, (ll)plan->dp, (ll)plan->cp, (ll)plan->tp, (ll)ranks);
    return ORR_OK;
}

/* ---------------------------------------------------------------- pipeline */

static enum orr_err check_stage_layers(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const char *key = "plan.stage_layers";
    if (plan->n_stage_layers == 0) return ORR_OK;
    if (plan->n_stage_layers != plan->pp)
        return FAIL(error, key, "has %lld entries, but pp is %lld: one entry per pipeline rank",
                    (ll)plan->n_stage_layers, (ll)plan->pp);
    if (plan->vpp > 1) return FAIL(error, key, "needs vpp = 1, but vpp is %lld", (ll)plan->vpp);
    int64_t sum = 0;
    for (int64_t i = 0; i < plan->pp; i++) {
        if (plan->stage_layers[i] < 1 || plan->stage_layers[i] > job->model.n_layers)
            return FAIL(error, key, "rank %lld has %lld layers: each must have 1 to %lld", (ll)i,
                        (ll)plan->stage_layers[i], (ll)job->model.n_layers);
        sum += plan->stage_layers[i];
    }
    if (sum != job->model.n_layers)
        return FAIL(error, key, "adds up to %lld layers, but %s has %lld", (ll)sum, job->model.id,
                    (ll)job->model.n_layers);
    return ORR_OK;
}

/* Ranks of a pipeline with stages of equal cost (Eq. 131) that come after the loss. Behind the head, the cast of its
 * logits and the loss fill a stage each; a rank behind these has nothing to run and no loss to report, where stacks
 * that lay out blocks so look for it on the last rank. */
static int64_t idle_stages(const struct orr_job *job, int64_t pp)
{
    struct orr_cost_walk walk = orr_cost_walk_start(&job->model, pp);
    for (int64_t i = 0; i < job->model.n_layers; i++) (void)orr_cost_walk_place(&walk, &job->model, i);
    const int64_t behind = pp - 1 - walk.stage;
    return behind > 2 ? behind - 2 : 0;
}

/* The most stages of equal cost, none of them idle. */
static int64_t most_stages(const struct orr_job *job)
{
    int64_t pp = job->plan.pp;
    while (pp > 1 && idle_stages(job, pp) > 0) pp--;
    return pp;
}

static enum orr_err check_pipeline(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const int64_t n_layers = job->model.n_layers;
    const bool asked = plan->stages == ORR_STAGES_ENGINE ? job->engine.stages_by_cost : plan->stages == ORR_STAGES_COST;
    const bool by_cost = asked && plan->vpp == 1 && plan->n_stage_layers == 0;
    if (plan->stages == ORR_STAGES_COST && (plan->vpp > 1 || orr_is_dual(plan->schedule)))
        return FAIL(error, "plan.stages", "\"by-cost\" needs one chunk per rank: schedule \"%s\", vpp %lld",
                    orr_schedule_name(plan->schedule), (ll)plan->vpp);
    if (by_cost && idle_stages(job, plan->pp) > 0)
        return FAIL(error, "plan.pp",
                    "%lld stages of equal cost leave %lld without work: behind the head of %s only the cast of its "
                    "logits and the loss have one each (at most %lld)",
                    (ll)plan->pp, (ll)idle_stages(job, plan->pp), job->model.id, (ll)most_stages(job));
    if (plan->pp > n_layers && !by_cost)
        return FAIL(error, "plan.pp", "%lld stages for the %lld layers of %s: each stage needs a layer", (ll)plan->pp,
                    (ll)n_layers, job->model.id);
    /* The chunks of the embedding and of the head may hold no layer (Llama 3 was trained that way). */
    const int64_t most_chunks = plan->vpp > 1 ? n_layers + 2 : plan->pp > n_layers ? plan->pp : n_layers;
    if (plan->pp * plan->vpp > most_chunks)
        return FAIL(error, "plan.vpp", "pp * vpp = %lld * %lld = %lld chunks for the %lld layers of %s: at most %lld",
                    (ll)plan->pp, (ll)plan->vpp, (ll)(plan->pp * plan->vpp), (ll)n_layers, job->model.id,
                    (ll)(most_chunks / plan->pp));
    if (plan->vpp > 1 && plan->pp == 1)
        return FAIL(error, "plan.vpp", "%lld chunks per rank need pp > 1; pp is 1", (ll)plan->vpp);
    const enum orr_err err = orr_check_schedule(plan, error);
    return err ? err : check_stage_layers(job, error);
}

/* ---------------------------------------------------------------- GPUs, batch, sharding, recompute */

static enum orr_err check_gpus(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const struct orr_system *system = &job->system;
    const double product = (double)plan->tp * (double)plan->pp * (double)plan->cp * (double)plan->dp;
    if (product > ORR_GPUS_MAX)
        return FAIL(error, "plan", "tp * pp * cp * dp = %g GPUs; at most %d", product, ORR_GPUS_MAX);
    if (plan->gpus != plan->tp * plan->pp * plan->cp * plan->dp)
        return FAIL(error, "gpus", "%lld is not tp * pp * cp * dp = %lld * %lld * %lld * %lld = %.0f", (ll)plan->gpus,
                    (ll)plan->tp, (ll)plan->pp, (ll)plan->cp, (ll)plan->dp, product);
    if (plan->gpus > system->domain_gpus && !(system->scaleout_bytes_per_s > 0))
        return FAIL(error, "gpus",
                    "%lld, but system %s ends at the %lld GPUs of its scale-up domain "
                    "(scaleout_bytes_per_s is 0)",
                    (ll)plan->gpus, system->id, (ll)system->domain_gpus);
    return ORR_OK;
}

static enum orr_err check_batch(const struct orr_job *job, struct orr_error *error)
{
    const int64_t batch = job->workload.global_batch;
    const int64_t step = job->workload.micro_batch * job->plan.dp;
    if (batch % step == 0) return ORR_OK;
    const int64_t nearest = batch < step ? step : (batch + step / 2) / step * step;
    return FAIL(error, "workload.global_batch",
                "%lld is not a multiple of micro_batch * dp = %lld * %lld = %lld "
                "(nearest: %lld)",
                (ll)batch, (ll)job->workload.micro_batch, (ll)job->plan.dp, (ll)step, (ll)nearest);
}

static enum orr_err check_sharding(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const int64_t ranks = plan->dp * plan->cp;
    if (plan->zero_group == ranks) return ORR_OK;
    if (plan->zero == 0)
        return FAIL(error, "plan.zero_group", "%lld: a group that shards needs zero = 1, 2 or 3, but zero is 0",
                    (ll)plan->zero_group);
    if (plan->zero_group > ranks || ranks % plan->zero_group != 0)
        return FAIL(error, "plan.zero_group", "%lld does not divide dp * cp = %lld * %lld = %lld", (ll)plan->zero_group,
                    (ll)plan->dp, (ll)plan->cp, (ll)ranks);
    return ORR_OK;
}

static enum orr_err check_recompute(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_workload *workload = &job->workload;
    if (workload->recompute_first > 0 && workload->recompute_nth > 0)
        return FAIL(error, "workload.recompute_first", "%lld and recompute_nth %lld: choose the layers by one of them",
                    (ll)workload->recompute_first, (ll)workload->recompute_nth);
    if (workload->recompute_nth > job->model.n_layers) /* nothing would be recomputed; more first layers are all */
        return FAIL(error, "workload.recompute_nth", "%lld is more than the %lld layers of %s",
                    (ll)workload->recompute_nth, (ll)job->model.n_layers, job->model.id);
    if (orr_has_twins(job) && !job->model.kinds[job->model.n_kinds - 1].kept)
        return FAIL(error, workload->recompute_first > 0 ? "workload.recompute_first" : "workload.recompute_nth",
                    "%s has %lld kinds of layers; at most %d can be recomputed in part", job->model.id,
                    (ll)job->model.n_kinds, ORR_MAX_LAYER_KINDS / 2);
    if (workload->recompute_every > 1 && orr_has_twins(job))
        return FAIL(error, "workload.recompute_every", "%lld layers per saved input need all layers recomputed",
                    (ll)workload->recompute_every);
    if (workload->recompute_every == 1) return ORR_OK;
    if (workload->recompute != ORR_RECOMPUTE_FULL)
        return FAIL(error, "workload.recompute_every", "%lld needs recompute \"full\", not \"%s\"",
                    (ll)workload->recompute_every, orr_recompute_name(workload->recompute));
    if (workload->recompute_every > job->model.n_layers)
        return FAIL(error, "workload.recompute_every", "%lld is more than the %lld layers of %s",
                    (ll)workload->recompute_every, (ll)job->model.n_layers, job->model.id);
    return ORR_OK;
}

/* ---------------------------------------------------------------- serving */

/* Plan keys that have no meaning outside training must keep the value that switches them off. */
static enum orr_err check_serving_plan(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_plan *plan = &job->plan;
    const struct range ranges[] = {
        {"plan.vpp", plan->vpp, 1, 1},
        {"plan.zero", plan->zero, 0, 0},
        {"plan.sp", plan->sp, 0, 0},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (ranges[i].value != ranges[i].min)
            return FAIL(error, ranges[i].key, "must be %lld, not %lld: a setting of training", (ll)ranges[i].min,
                        (ll)ranges[i].value);
    return ORR_OK;
}

static enum orr_err check_lengths(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_serving *serving = &job->serving;
    const int64_t prompt = orr_prompt_len(job), images = job->media.image_tokens;
    if (prompt + serving->output_len > ORR_CONTEXT_MAX && images > 0)
        return FAIL(error, "workload.images", "a prompt with %lld tokens of images has %lld tokens; at most %d",
                    (ll)images, (ll)prompt, ORR_CONTEXT_MAX);
    if (serving->input_len + serving->output_len > ORR_CONTEXT_MAX)
        return FAIL(error, "workload.input_len", "input_len + output_len = %lld + %lld = %lld tokens; at most %d",
                    (ll)serving->input_len, (ll)serving->output_len, (ll)(serving->input_len + serving->output_len),
                    ORR_CONTEXT_MAX);
    if (job->plan.cp > prompt)
        return FAIL(error, "plan.cp", "%lld ranks share a prompt of %lld tokens: at most one rank per token",
                    (ll)job->plan.cp, (ll)prompt);
    if (serving->chunk_tokens > prompt)
        return FAIL(error, "workload.chunk_tokens", "%lld is more than the input_len of %lld (0: the prompt at once)",
                    (ll)serving->chunk_tokens, (ll)prompt);
    return ORR_OK;
}

/* ---------------------------------------------------------------- towers */

/* A job can only ask for what the model's tower reads. */
static enum orr_err check_media(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_media *media = &job->media;
    const enum orr_tower_input input = job->model.tower.input;
    const char *id = job->model.id;
    if (media->images > 0 && input != ORR_TOWER_IMAGE)
        return FAIL(error, "workload.images", "model %s has no vision tower%s", id,
                    job->model.tower_params > 0 ? "" : " (its config has no vision_config, or one of an unknown kind)");
    if (media->audio_s > 0 && input != ORR_TOWER_SOUND)
        return FAIL(error, "workload.audio_s", "model %s has no sound encoder whose time is modelled", id);
    if (media->audio_s > ORR_SOUND_WINDOW_S)
        return FAIL(error, "workload.audio_s",
                    "a sequence has at most %d s of sound, not %g: longer sound is cut into "
                    "windows, each a sequence of the batch",
                    ORR_SOUND_WINDOW_S, media->audio_s);
    if (media->encoder_tokens > 0 && input != ORR_TOWER_TEXT)
        return FAIL(error, "workload.encoder_tokens", "model %s has no encoder of text", id);
    if (job->kind == ORR_JOB_TRAIN && media->image_tokens > job->workload.seq)
        return FAIL(error, "workload.images", "the images of a sequence take %lld tokens, but seq is %lld",
                    (ll)media->image_tokens, (ll)job->workload.seq);
    return ORR_OK;
}

static enum orr_err check_draft(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_model *draft = draft_of(job);
    if (job->serving.draft_tokens > 0 && !draft)
        return FAIL(error, "workload.draft_tokens", "%lld needs a draft_model", (ll)job->serving.draft_tokens);
    if (draft && draft->vocab != job->model.vocab)
        return FAIL(error, "workload.draft_model",
                    "%s has a vocabulary of %lld tokens, but %s has %lld: they must "
                    "share one",
                    draft->id, (ll)draft->vocab, job->model.id, (ll)job->model.vocab);
    return ORR_OK;
}

/* Graphs cannot be switched on where nothing says for how many sequences an engine captures them, nor what is about
 * experts in a model without any. */
static enum orr_err check_options(const struct orr_job *job, struct orr_error *error)
{
    static const enum orr_run_option ABOUT_EXPERTS[] = {ORR_OPTION_TWO_BATCH_OVERLAP, ORR_OPTION_EXPERT_COPIES};
    for (size_t i = 0; i < ORR_COUNT_OF(ABOUT_EXPERTS); i++) {
        char key[64];
        if (job->serving.options[ABOUT_EXPERTS[i]] != ORR_SWITCH_ON || orr_model_has_experts(&job->model)) continue;
        (void)snprintf(key, sizeof key, "workload.%s", orr_run_option_names[ABOUT_EXPERTS[i]]);
        return FAIL(error, key, "has no effect: %s has no experts", job->model.id);
    }
    if (job->serving.options[ORR_OPTION_GRAPHS] != ORR_SWITCH_ON || job->engine.graph_sequences > 0) return ORR_OK;
    return FAIL(error, "workload.graphs",
                "engine %s replays no graphs; engine.graph_sequences (set) says for how many sequences yours does",
                job->engine.id);
}

/* A disaggregated job sends its cache to another replica, which the system's network must reach. */
static enum orr_err check_disaggregated(const struct orr_job *job, struct orr_error *error)
{
    const struct orr_system *system = &job->system;
    const int64_t gpus = 2 * job->plan.tp * job->plan.pp * job->plan.cp;
    if (!job->serving.disaggregated || gpus <= system->domain_gpus || system->scaleout_bytes_per_s > 0) return ORR_OK;
    return FAIL(error, "workload.disaggregated",
                "a prefill and a decode replica take %lld GPUs, but system %s ends at "
                "the %lld GPUs of its scale-up domain (scaleout_bytes_per_s is 0)",
                (ll)gpus, system->id, (ll)system->domain_gpus);
}

/* ---------------------------------------------------------------- all of them */

typedef enum orr_err rule(const struct orr_job *, struct orr_error *);

static enum orr_err check_all(rule *const *rules, size_t n_rules, const struct orr_job *job, struct orr_error *error)
{
    for (size_t i = 0; i < n_rules; i++) {
        const enum orr_err err = rules[i](job, error);
        if (err) return err;
    }
    return ORR_OK;
}

enum orr_err orr_job_check(const struct orr_job *job, struct orr_error *error)
{
    static rule *const TRAIN[] = {
        check_plan_ranges, check_workload_ranges, check_gpus,          check_tensor,
        check_sequence,    check_experts,         check_pipeline,      check_batch,
        orr_check_filling, orr_check_secondary,   check_sharding,      check_recompute,
        orr_check_offload, orr_check_kernels,     orr_check_optimizer, check_media,
    };
    static rule *const INFER[] = {
        check_plan_ranges, check_serving_ranges, check_serving_plan,  check_gpus,
        check_lengths,     check_draft,          check_tensor,        check_experts,
        check_pipeline,    check_options,        check_disaggregated, orr_check_serving_kernels,
        check_media,
    };
    switch (job->kind) {
    case ORR_JOB_TRAIN: return check_all(TRAIN, sizeof TRAIN / sizeof TRAIN[0], job, error);
    case ORR_JOB_INFER: return check_all(INFER, sizeof INFER / sizeof INFER[0], job, error);
    }
    return FAIL(error, "kind", "must be train or infer");
}
