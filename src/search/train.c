/* Blocks of a training search. The costs of the layers are worked out once per cut and micro-batch. Every plan is
 * checked first by its memory, then by a lower bound of its time, and only then is its time worked out. */
#include "search/search.h"

#include "base/number.h"
#include "metric/metric.h"
#include "predict/nearest.h"
#include "spec/alike.h"

#include <math.h>

/* A bound adds the same times in another order than the prediction; the factor keeps rounding from raising it above. */
#define BOUND_SLACK (1 - 1e-9)
/* This factor also covers the tolerance of the settled clock. */
#define OVERLAP_SLACK (1 - 1e-5)

void orr_train_choose(const struct orr_choice *choice, struct orr_job *job)
{
    struct orr_plan *plan = &job->plan;
    plan->gpus = choice->gpus;
    plan->tp = choice->tp;
    plan->cp = choice->cp;
    plan->pp = choice->pp;
    plan->vpp = choice->vpp;
    plan->dp = choice->dp;
    plan->ep = choice->ep;
    plan->etp = choice->etp;
    plan->zero = choice->zero;
    plan->zero_group = plan->dp * plan->cp;
    plan->sp = choice->sp;
    plan->schedule = (enum orr_schedule)choice->schedule;
    plan->cp_kind = (enum orr_cp_kind)choice->cp_kind;
    plan->exposed_groups = choice->exposed_groups;
    plan->n_stage_layers = 0;
    job->workload.micro_batch = choice->micro_batch;
    job->workload.recompute = (enum orr_recompute)choice->recompute;
    job->workload.recompute_every = choice->recompute_every;
}

/* ---------------------------------------------------------------- what a plan is worth */

void orr_train_found(const struct orr_search_request *request, double time_s, double memory_bytes, double energy_j,
                     const struct orr_choice *choice, struct orr_found *found)
{
    const struct orr_workload *workload = &request->job.workload;
    const double gpus = choice->gpus, tokens = (double)workload->global_batch * (double)workload->seq;
    const double values[ORR_N_OBJECTIVES] = {
        [ORR_OBJECTIVE_TIME] = time_s,
        [ORR_OBJECTIVE_THROUGHPUT] = gpus * time_s / tokens,
        [ORR_OBJECTIVE_COST] = gpus * time_s / tokens * request->job.system.price_usd_per_gpu_hour / 3600,
        [ORR_OBJECTIVE_ENERGY] = energy_j / tokens,
        [ORR_OBJECTIVE_MEMORY] = memory_bytes,
    };
    *found = (struct orr_found){
        .objective = values[request->objective], .time_s = time_s, .memory_bytes = memory_bytes, .choice = *choice};
    found->front[0] = time_s;
    found->front[1] = request->space.gpus.n > 1 ? gpus * time_s : memory_bytes;
}

/* ---------------------------------------------------------------- below one cut */

/* The position of the enumeration: the choices made so far and what follows from them. */
struct visit {
    const struct orr_search *search;
    struct orr_worker *worker;
    struct orr_outcome *outcome;
    bool coarse;
    const struct orr_cut *cut;
    /* These depend on the micro-batch: its size, recomputation and sequence parallelism. */
    struct orr_layer_bytes bytes[ORR_MAX_LAYER_KINDS];
    double saved_bytes; /* saved activations of one micro-batch, all layers */
    double layer_bytes; /* least working memory of a layer, beside saved_bytes */
    /* These depend on the layout, the pipe and the ZeRO stage. */
    struct orr_choice choice; /* the only record of what was chosen; job_of applies it to the worker's job */
    struct orr_dims dims;
    const struct orr_pipe *pipe;
    bool iteration_built;
    struct orr_iteration iteration;
};

/* ---- costs of the layers, shared between plans */

/* The job of the present choice. */
static struct orr_job *job_of(const struct visit *v)
{
    orr_train_choose(&v->choice, &v->worker->job);
    return &v->worker->job;
}

/* The time of one micro-batch through the whole model at the full clock. */
static double whole_s(const struct visit *v, const struct orr_job *job, const struct orr_shape *shape)
{
    struct orr_rank_time layers[ORR_N_SUMS];
    orr_layer_times(job, &shape->curves, 1, layers);
    const struct orr_rank_time all = orr_rank_time_of(job, &v->search->train.whole, layers);
    return all.forward_s + all.backward_s;
}

/* Does the pipeline hide the transfers of the experts? */
static bool hides_experts(const struct visit *v)
{
    const enum orr_schedule schedule = (enum orr_schedule)v->choice.schedule;
    const bool interleaved = schedule == ORR_SCHEDULE_INTERLEAVED && v->worker->job.engine.ep_overlap_interleaved;
    return v->choice.ep > 1 && (interleaved || orr_is_dual(schedule));
}

static int shape_index(const struct visit *v)
{
    const uint32_t exposed = v->choice.exposed_groups;
    return (exposed >> ORR_GROUP_TP & 1 ? ORR_SHAPE_EXPOSED_TP : 0) |
           (exposed >> ORR_GROUP_EP & 1 ? ORR_SHAPE_EXPOSED_EP : 0) | (hides_experts(v) ? ORR_SHAPE_INTERLEAVED : 0) |
           (v->choice.zero == 3 ? ORR_SHAPE_ZERO3 : 0);
}

static const struct orr_priced_shape *shape_of(struct visit *v)
{
    struct orr_worker *w = v->worker;
    struct orr_priced_shape *priced = &w->shapes[shape_index(v)];
    if (priced->built) return priced;
    const struct orr_job *job = job_of(v);
    orr_shape_build(job, &w->ops, w->costs, &priced->shape);
    w->n_layer_ops = w->ops.n;
    priced->work_s = whole_s(v, job, &priced->shape);
    priced->built = true;
    v->outcome->counts.shapes++;
    return priced;
}

/* Forget the shapes that depend on the layout, or all of them, so that they are built again. */
static void forget_shapes(struct visit *v, bool all)
{
    for (int i = 0; i < ORR_N_SHAPES; i++)
        if (all || i & ORR_SHAPE_ZERO3) v->worker->shapes[i].built = false;
}

static const struct orr_iteration *iteration_of(struct visit *v)
{
    struct orr_worker *w = v->worker;
    if (!v->iteration_built)
        v->iteration = orr_iteration_of(job_of(v), orr_classes_heaviest(w->classes, v->pipe->n_classes), w->n_layer_ops,
                                        &w->ops, w->costs);
    v->iteration_built = true;
    return &v->iteration;
}

/* ---- bounds */

/* Could a plan with this objective, or this bound of it, be the best one inside what was measured? The coarse pass does
 * not look for one: its winners are tested before the other pass. */
static bool wants_inside(const struct visit *v, const struct orr_found *found)
{
    return v->search->may_be_inside && !v->coarse && orr_outcome_wants_inside(v->outcome, found);
}

/* Could a plan with these lower bounds of time and memory be listed? */
static bool promising(const struct visit *v, double time_s, double memory_bytes)
{
    const struct orr_search_request *request = &v->search->request;
    const struct orr_system *system = &v->worker->job.system;
    const double idle_j = (double)v->choice.gpus * system->chip.idle_w * time_s * system->pue_frac;
    struct orr_found least;
    if (request->brute || orr_offloads(&request->job.plan)) return true; /* transfers of layers differ by ZeRO stage */
    orr_train_found(request, time_s, memory_bytes, idle_j, &v->choice, &least);
    return least.objective < v->search->compare_objective ||
           orr_outcome_wants(v->outcome, &least, request->front_within) || wants_inside(v, &least);
}

/* What the runs of a fitted engine share with the plan (spec/alike.h): all of its times are stretched alike. */
static double shared_factor(struct visit *v)
{
    return v->worker->job.engine.n_alike > 0 ? exp(orr_job_shift(job_of(v))) : 1;
}

/* The slowest rank takes at least the mean time of all. Fill and drain follow the formula of the schedule (Eqs. 67-71)
 * with every rank at the mean: their sum with the slowest rank's work is least there. */
static double time_bound_s(struct visit *v)
{
    const struct orr_choice *c = &v->choice;
    const double work_s = shape_of(v)->work_s;
    const double m = orr_micro_batches(job_of(v)), pp = c->pp, vpp = c->vpp;
    switch ((enum orr_schedule)c->schedule) {
    case ORR_SCHEDULE_GPIPE:
    case ORR_SCHEDULE_1F1B: return BOUND_SLACK * work_s * ((m - 1) / pp + 1);
    case ORR_SCHEDULE_INTERLEAVED: return BOUND_SLACK * work_s * ((m - 1 / vpp) / pp + 1 / vpp);
    case ORR_SCHEDULE_ZB_H1:
    case ORR_SCHEDULE_ZB_H2:
    case ORR_SCHEDULE_ZB_V:
    case ORR_SCHEDULE_V_HALF:
    case ORR_SCHEDULE_DUALPIPE:
    case ORR_SCHEDULE_DUALPIPE_V:
    case ORR_N_SCHEDULES: break;
    }
    return BOUND_SLACK * work_s * m / pp;
}

/* ---- one plan */

/* Does a plan keep the limits? They may be on any number of the result, so the whole plan is predicted. */
static bool keeps_limits(const struct visit *v)
{
    const struct orr_search_request *request = &v->search->request;
    struct orr_result result;
    if (request->n_limits == 0) return true;
    orr_train(job_of(v), &v->worker->scratch, &result);
    return orr_limits_hold(request, &v->worker->job, &result, NULL);
}

/* Keep a plan that is inside what was measured; which resources its time is made of takes a whole prediction. */
static void keep_inside(const struct visit *v, const struct orr_found *found)
{
    const struct orr_search_request *request = &v->search->request;
    struct orr_result result;
    orr_train(job_of(v), &v->worker->scratch, &result);
    if (orr_train_nearest(&v->worker->job, &result).outside) return;
    if (orr_limits_hold(request, &v->worker->job, &result, NULL)) orr_outcome_put_inside(v->outcome, found);
}

/* Work out the time, and list the plan if it is good enough and keeps the limits. */
static double evaluate(struct visit *v, double memory_bytes)
{
    const struct orr_search_request *request = &v->search->request;
    struct orr_worker *w = v->worker;
    double energy_j = 0;
    const struct orr_shape *shape = &shape_of(v)->shape;
    const struct orr_iteration *iteration = iteration_of(v);
    const struct orr_job *job = job_of(v);
    const struct orr_settled step = orr_settle(job, shape, &iteration->sums, w->classes, v->pipe->n_classes, w->ranks);
    const double total_s = step.total_s * shared_factor(v);
    if (request->objective == ORR_OBJECTIVE_ENERGY) {
        const struct orr_work work = orr_rank_work(job, shape, iteration, &w->classes[step.pipe.slowest].stage);
        energy_j = orr_energy_of(job, &work, total_s).total_j;
    }
    struct orr_found found;
    orr_train_found(request, total_s, memory_bytes, energy_j, &v->choice, &found);
    v->outcome->counts.evaluated++;
    const bool better = found.objective < v->search->compare_objective,
               wanted = orr_outcome_wants(v->outcome, &found, request->front_within);
    if (wants_inside(v, &found)) keep_inside(v, &found);
    if (!better && !wanted) return total_s;
    const bool keeps = keeps_limits(v);
    v->outcome->counts.better += better && keeps;
    if (wanted && keeps) orr_outcome_put(v->outcome, &found);
    else if (wanted) v->outcome->counts.rejected[ORR_REJECT_LIMIT]++;
    return total_s;
}

/* The overlaps that the engine offers and the plan could switch off. */
static uint32_t exposable(const struct visit *v)
{
    const struct orr_engine *engine = &v->worker->job.engine;
    const struct orr_choice *c = &v->choice;
    uint32_t groups = 0;
    if (!v->search->request.space.overlap || v->coarse) return 0;
    if (c->tp > 1 && (engine->tp_overlap_frac > 0 || engine->tp_async_backward)) groups |= 1u << ORR_GROUP_TP;
    if (c->ep * c->etp > 1 && (engine->ep_overlap_frac > 0 || hides_experts(v))) groups |= 1u << ORR_GROUP_EP;
    const enum orr_schedule schedule = (enum orr_schedule)c->schedule;
    const bool beside = (schedule == ORR_SCHEDULE_INTERLEAVED && engine->p2p_overlap) || orr_is_dual(schedule);
    if (beside) groups |= 1u << ORR_GROUP_PP;
    if (c->dp * c->cp > 1 && (engine->dp_overlap_frac > 0 || engine->zero3_overlap_frac > 0))
        groups |= 1u << ORR_GROUP_DP;
    return groups;
}

static uint64_t subsets(uint32_t groups)
{
    uint64_t n = 1;
    for (; groups; groups &= groups - 1) n *= 2;
    return n;
}

/* Visit the plan with every overlap, then those with some switched off. An exposed transfer lengthens a step at the
 * same clock, and a longer step may raise the clock, but by less than the transfer added. So the first plan is the
 * fastest, up to the tolerance of the settled clock, and its time bounds that of the others. */
static void visit_overlaps(struct visit *v, double memory_bytes)
{
    const uint32_t base = v->search->request.job.plan.exposed_groups, groups = exposable(v) & ~base;
    v->outcome->counts.feasible += subsets(groups);
    if (!promising(v, time_bound_s(v) * shared_factor(v), memory_bytes)) {
        v->outcome->counts.rejected[ORR_REJECT_BOUND] += subsets(groups);
        return;
    }
    const double bound_s = evaluate(v, memory_bytes) * OVERLAP_SLACK;
    for (uint32_t exposed = (0 - groups) & groups; exposed; exposed = (exposed - groups) & groups) {
        v->choice.exposed_groups = base | exposed;
        if (promising(v, bound_s, memory_bytes)) evaluate(v, memory_bytes);
        else v->outcome->counts.rejected[ORR_REJECT_BOUND]++;
    }
    v->choice.exposed_groups = base;
}

/* ---- what only changes the memory */

/* Does the host hold what the GPUs offload? */
static bool host_fits(const struct orr_job *job, const struct orr_memory_peak *peak)
{
    return !orr_offloads(&job->plan) || (peak->host_bytes <= orr_host_bytes(job) &&
                                         peak->nvme_bytes <= job->system.nvme_bytes / orr_gpus_of_host(job));
}

/* How many ways there are to save inputs in a pipeline of this many ranks. */
static int64_t n_saved(const struct visit *v)
{
    const struct orr_train_space *space = &v->search->train;
    int64_t n = 0;
    if (v->choice.recompute != ORR_RECOMPUTE_FULL) return 1;
    while (n < space->n_every && (n == 0 || space->every[n] * v->choice.pp <= v->worker->job.model.n_layers)) n++;
    return v->coarse && n > 1 ? 1 : n;
}

static void visit_saved(struct visit *v)
{
    struct orr_worker *w = v->worker;
    const int64_t n = n_saved(v);
    for (int64_t i = 0; i < n; i++) {
        const int64_t every = v->choice.recompute == ORR_RECOMPUTE_FULL ? v->search->train.every[i] : 1;
        v->choice.recompute_every = (int32_t)every;
        if (orr_offloads(&w->job.plan)) forget_shapes(v, true); /* transfers depend on all that was chosen */
        const struct orr_memory_peak peak =
            orr_memory_peak_of(job_of(v), &v->dims, v->bytes, w->classes, v->pipe->n_classes, true);
        if (peak.bytes > v->search->usable_bytes || !host_fits(&w->job, &peak))
            v->outcome->counts.rejected[ORR_REJECT_MEMORY] += subsets(exposable(v));
        else visit_overlaps(v, peak.bytes);
    }
}

/* ---- pipelines and sharding */

static bool wants_zero(const struct visit *v, int64_t zero)
{
    const struct orr_choices *asked = &v->search->request.space.zero;
    if (v->choice.dp * v->choice.cp == 1) return zero == 0; /* There are no ranks to shard over. */
    return orr_chosen(asked, zero) && (!v->coarse || zero == 1 || asked->n > 0);
}

static void visit_pipe(struct visit *v, const struct orr_pipe *pipe, const bool fits[4])
{
    struct orr_worker *w = v->worker;
    v->pipe = pipe;
    v->choice.vpp = pipe->vpp;
    v->choice.schedule = pipe->schedule;
    for (size_t c = 0; c < pipe->n_classes; c++) {
        w->classes[c] = v->search->train.classes[pipe->first_class + c];
        orr_stage_count(job_of(v), &w->classes[c].stage);
    }
    for (int64_t zero = 0; zero < 4; zero++) {
        if (!fits[zero]) continue;
        v->choice.zero = (uint8_t)zero;
        v->iteration_built = false;
        visit_saved(v);
    }
}

/* Does a pipeline belong to this pass, and are there enough micro-batches for it (orr_job_check has the rule)? */
static bool runs(const struct visit *v, const struct orr_pipe *pipe)
{
    const enum orr_schedule schedule = (enum orr_schedule)pipe->schedule;
    if (v->coarse && !pipe->coarse) return false;
    const struct orr_job *job = &v->search->request.job;
    const int64_t m = job->workload.global_batch / ((int64_t)v->choice.dp * v->choice.micro_batch);
    if (m < orr_least_micro_batches(&job->engine, schedule, v->choice.pp)) return false;
    return schedule != ORR_SCHEDULE_DUALPIPE || m % 2 == 0;
}

/* The number of plans of one layout and ZeRO stage. */
static uint64_t count_plans(struct visit *v)
{
    const struct orr_train_space *space = &v->search->train;
    uint64_t n = 0;
    for (size_t i = space->first_pipe[v->choice.pp]; i < space->first_pipe[v->choice.pp + 1]; i++) {
        if (!runs(v, &space->pipes[i])) continue;
        v->choice.schedule = space->pipes[i].schedule;
        n += subsets(exposable(v));
    }
    return n * (uint64_t)n_saved(v);
}

/* A lower bound for every plan of the layout: no fill and drain, no gathers of sharded weights, and expert transfers
 * hidden wherever some pipeline hides them. */
static double layout_bound_s(struct visit *v)
{
    v->choice.zero = 0;
    v->choice.schedule = ORR_SCHEDULE_1F1B;
    const double plain_s = shape_of(v)->work_s;
    v->choice.schedule = v->search->train.dual ? ORR_SCHEDULE_DUALPIPE : ORR_SCHEDULE_INTERLEAVED;
    const double interleaved_s = shape_of(v)->work_s;
    return BOUND_SLACK * orr_min(plain_s, interleaved_s) * orr_micro_batches(job_of(v)) / v->choice.pp;
}

static void visit_layout(struct visit *v, const struct orr_layout *layout)
{
    const struct orr_train_space *space = &v->search->train;
    const double active = v->saved_bytes / layout->pp + v->layer_bytes;
    bool fits[4], some = false;
    double least = HUGE_VAL;
    uint64_t n_fits = 0;
    v->choice.gpus = layout->gpus;
    v->choice.dp = layout->dp;
    v->choice.pp = layout->pp;
    const uint64_t n = count_plans(v);
    for (int64_t zero = 0; zero < 4; zero++) { /* Under every schedule the mean rank must fit. */
        const bool wanted = wants_zero(v, zero);
        fits[zero] = wanted && BOUND_SLACK * (layout->state_bytes[zero] + active) <= v->search->usable_bytes;
        v->outcome->counts.plans += wanted ? n : 0;
        v->outcome->counts.rejected[ORR_REJECT_MEMORY] += wanted && !fits[zero] ? n : 0;
        n_fits += fits[zero] ? n : 0;
        some |= fits[zero];
        if (fits[zero]) least = orr_min(least, BOUND_SLACK * (layout->state_bytes[zero] + active));
    }
    if (!some) return;
    v->choice.recompute_every = 1;
    v->choice.exposed_groups = v->search->request.job.plan.exposed_groups;
    forget_shapes(v, v->search->train.cut_by_layout);
    if (!v->search->request.brute && !promising(v, layout_bound_s(v), least)) {
        v->outcome->counts.feasible += n_fits;
        v->outcome->counts.rejected[ORR_REJECT_BOUND] += n_fits;
        return;
    }
    v->dims = orr_dims_of(job_of(v));
    for (size_t i = space->first_pipe[layout->pp]; i < space->first_pipe[layout->pp + 1]; i++) {
        if (!runs(v, &space->pipes[i])) continue;
        visit_pipe(v, &space->pipes[i], fits);
    }
}

/* ---- micro-batches */

/* Work out the activation bytes, which depend only on the cut and the micro-batch. */
static void enter_micro(struct visit *v)
{
    const struct orr_train_space *space = &v->search->train;
    v->choice.recompute_every = 1;
    struct orr_job *job = job_of(v);
    const struct orr_dims dims = orr_dims_of(job);
    v->saved_bytes = 0;
    v->layer_bytes = HUGE_VAL;
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        v->bytes[k] = orr_layer_bytes_of(job, &dims, &job->model.kinds[k]);
        v->layer_bytes = orr_min(v->layer_bytes, orr_layer_recomputed_bytes(job, &v->bytes[k]));
        job->workload.recompute_every =
            space->n_every && v->choice.recompute == ORR_RECOMPUTE_FULL ? space->every[space->n_every - 1] : 1;
        v->saved_bytes += space->whole.stage.n_layers[k] * orr_layer_saved_bytes(job, &v->bytes[k]);
        job->workload.recompute_every = 1;
    }
    forget_shapes(v, true);
}

static void visit_micro(struct visit *v)
{
    const int64_t batch = v->search->request.job.workload.global_batch / v->choice.micro_batch;
    bool entered = false;
    for (size_t i = 0; i < v->worker->n_layouts; i++) {
        const struct orr_layout *layout = &v->worker->layouts[i];
        if (batch % layout->dp || !layout->sound[v->choice.sp]) continue;
        if (!entered) enter_micro(v);
        entered = true;
        visit_layout(v, layout);
    }
}

/* ---- a cut */

static void add_layout(struct visit *v, int64_t gpus, int64_t dp, int64_t pp)
{
    struct orr_worker *w = v->worker;
    struct orr_layout layout = {.gpus = (int32_t)gpus, .dp = (int32_t)dp, .pp = (int32_t)pp};
    struct orr_stage whole = v->search->train.whole.stage;
    v->choice.gpus = layout.gpus;
    v->choice.dp = layout.dp;
    v->choice.pp = layout.pp;
    v->choice.micro_batch = 1;
    for (int sp = 0; sp < (v->cut->tp > 1 ? 2 : 1); sp++) {
        v->choice.sp = (uint8_t)sp;
        layout.sound[sp] = orr_job_check(job_of(v), NULL) == ORR_OK;
    }
    if ((!layout.sound[0] && !layout.sound[1]) || w->n_layouts == ORR_MAX_LAYOUTS) return;
    struct orr_job *job = job_of(v);
    orr_stage_count(job, &whole);
    const double stages = (double)pp;
    const struct orr_stage mean = {.dense_params = whole.dense_params / stages,
                                   .expert_params = whole.expert_params / stages,
                                   .trained_dense = whole.trained_dense / stages,
                                   .trained_expert = whole.trained_expert / stages,
                                   .matrix_params = whole.matrix_params / stages,
                                   .adapter_params = whole.adapter_params / stages};
    for (int64_t zero = 0; zero < 4; zero++) {
        job->plan.zero = zero;
        layout.state_bytes[zero] = orr_state_bytes(job, &mean);
    }
    w->layouts[w->n_layouts++] = layout;
}

/* Are saved inputs of layers offloaded, so that every plan must have them? */
static bool saves_inputs(const struct visit *v)
{
    return v->search->request.job.plan.offload[ORR_OFFLOAD_ACTIVATIONS] != ORR_STORE_NONE;
}

/* List every number of replicas and stages that the cut allows. */
static void list_layouts(struct visit *v)
{
    const struct orr_train_space *train = &v->search->train;
    const struct orr_space *space = &v->search->request.space;
    const int64_t ranks = (int64_t)v->cut->tp * v->cut->cp, batch = v->search->request.job.workload.global_batch;
    v->worker->n_layouts = 0;
    v->choice = (struct orr_choice){.tp = v->cut->tp,
                                    .cp = v->cut->cp,
                                    .vpp = 1,
                                    .ep = v->cut->ep,
                                    .etp = v->cut->etp,
                                    .recompute_every = 1,
                                    .recompute = saves_inputs(v) ? ORR_RECOMPUTE_FULL : ORR_RECOMPUTE_NONE,
                                    .schedule = ORR_SCHEDULE_1F1B,
                                    .cp_kind = v->cut->cp_kind};
    for (int64_t g = 0; g < space->gpus.n; g++) {
        const int64_t rest = space->gpus.values[g] % ranks ? 0 : space->gpus.values[g] / ranks;
        for (int64_t dp = 1; dp <= rest && dp <= batch; dp++) {
            if (rest % dp || batch % dp || rest / dp > ORR_MAX_STAGES || !orr_chosen(&space->dp, dp)) continue;
            /* No pipeline has this many ranks. */
            if (train->first_pipe[rest / dp] == train->first_pipe[rest / dp + 1]) continue;
            add_layout(v, space->gpus.values[g], dp, rest / dp);
        }
    }
}

/* Visit one cut with the micro-batch sizes from index `first` up to `end`. */
static void visit_cut(struct visit *v, int64_t first, int64_t end)
{
    const struct orr_train_space *train = &v->search->train;
    const struct orr_space *space = &v->search->request.space;
    list_layouts(v);
    if (v->worker->n_layouts == 0) return;
    for (int sp = 0; sp < (v->cut->tp > 1 ? 2 : 1); sp++) {
        if (v->cut->tp > 1 && (!orr_chosen(&space->sp, sp) || (v->coarse && sp == 0 && space->sp.n == 0))) continue;
        for (int recompute = 0; recompute < ORR_N_RECOMPUTES; recompute++) {
            if (!orr_chosen(&space->recompute, recompute)) continue;
            if (saves_inputs(v) && recompute != ORR_RECOMPUTE_FULL) continue;
            if (space->recompute.n == 0 && recompute > ORR_RECOMPUTE_FULL) continue; /* only where a request asks */
            for (int64_t i = first; i < end; i++) {
                v->choice.sp = (uint8_t)sp;
                v->choice.recompute = (uint8_t)recompute;
                v->choice.micro_batch = (int32_t)train->micro[i];
                visit_micro(v);
            }
        }
    }
}

void orr_search_train_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome)
{
    const struct orr_train_space *space = &search->train;
    struct visit v = {.search = search, .worker = worker, .outcome = outcome, .coarse = pass == 0};
    /* The pairs of a cut and a micro-batch size are numbered, cut by cut, and divided evenly over the blocks. */
    const int64_t micro = space->n_micro, n = (int64_t)space->n_cuts * micro;
    const int64_t first = n * block / search->n_blocks, end = n * (block + 1) / search->n_blocks;
    for (int64_t at = first; at < end;) {
        const int64_t cut = at / micro, start = at % micro, left = end - at;
        const int64_t stop = micro - start < left ? micro : start + left;
        v.cut = &space->cuts[cut];
        if (!v.coarse || v.cut->coarse) visit_cut(&v, start, stop);
        at += stop - start;
    }
}
