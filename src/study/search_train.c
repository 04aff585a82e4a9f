/* Blocks of a training search. Per way to cut a layer: its costs once. Per plan: memory, a lower bound of its time,
 * and only then the time itself. */
#include "study/search.h"

#include "base/number.h"

#include <math.h>

/* Bounds are sums in another order than the times they bound: keep clear of rounding. */
#define BOUND_SLACK (1 - 1e-9)

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
    *found = (struct orr_found){.time_s = time_s, .memory_bytes = memory_bytes, .choice = *choice};
    found->front[0] = time_s;
    found->front[1] = request->space.gpus.n > 1 ? gpus * time_s : memory_bytes;
    switch (request->objective) {
    case ORR_OBJECTIVE_TIME: found->objective = time_s; return;
    case ORR_OBJECTIVE_THROUGHPUT: found->objective = gpus * time_s / tokens; return;
    case ORR_OBJECTIVE_COST:
        found->objective = gpus * time_s / tokens * request->job.system.price_usd_per_gpu_hour / 3600;
        return;
    case ORR_OBJECTIVE_ENERGY: found->objective = energy_j / tokens; return;
    case ORR_OBJECTIVE_MEMORY: found->objective = memory_bytes; return;
    case ORR_N_OBJECTIVES: return;
    }
}

/* ---------------------------------------------------------------- below one cut */

/* Where the enumeration stands. */
struct visit {
    const struct orr_search *search;
    struct orr_worker *worker;
    struct orr_outcome *outcome;
    const struct orr_cut *cut;
    bool coarse, shape_built, sharded_built;
    struct orr_layer_bytes bytes[ORR_MAX_LAYER_KINDS];
    struct orr_dims dims;
    double work_s;    /* all layers and ends, one micro-batch, at the burst clock */
    double sharded_s; /* the same with ZeRO-3 */
    struct orr_choice choice;
    /* of one pipe and ZeRO stage */
    const struct orr_pipe *pipe;
    bool iteration_built;
    struct orr_iteration iteration;
};

/* Time of the whole model, one micro-batch through all ranks, no clock lost. */
static double whole_s(const struct visit *v, const struct orr_shape *shape)
{
    const struct orr_job *job = &v->worker->job;
    struct orr_rank_time layers[ORR_N_SUMS];
    orr_layer_times(job, &shape->curves, 1, layers);
    const struct orr_rank_time all = orr_rank_time_of(job, &v->search->train.whole, layers);
    return all.forward_s + all.backward_s;
}

static void build_shape(struct visit *v, bool sharded)
{
    struct orr_worker *w = v->worker;
    struct orr_shape *shape = sharded ? &w->sharded_shape : &w->shape;
    const int64_t zero = w->job.plan.zero;
    w->job.plan.zero = sharded ? 3 : 0;
    orr_shape_build(&w->job, &w->ops, w->costs, shape);
    w->job.plan.zero = zero;
    w->n_layer_ops = w->ops.n;
    *(sharded ? &v->sharded_s : &v->work_s) = whole_s(v, shape);
    *(sharded ? &v->sharded_built : &v->shape_built) = true;
    v->outcome->counts.shapes++;
}

/* No rank is faster than the mean of all; fill and drain by the schedule's own formula (Eqs. 67-71) with every rank at
 * the mean, which is where their sum with the slowest rank's work is least. */
static double time_bound_s(const struct visit *v)
{
    const struct orr_choice *c = &v->choice;
    const double work_s = c->zero == 3 ? v->sharded_s : v->work_s, pp = c->pp, vpp = c->vpp;
    const double m = orr_micro_batches(&v->worker->job);
    switch ((enum orr_schedule)c->schedule) {
    case ORR_SCHEDULE_GPIPE:
    case ORR_SCHEDULE_1F1B: return BOUND_SLACK * work_s * ((m - 1) / pp + 1);
    case ORR_SCHEDULE_INTERLEAVED: return BOUND_SLACK * work_s * ((m - 1 / vpp) / pp + 1 / vpp);
    case ORR_SCHEDULE_ZB_H1:
    case ORR_SCHEDULE_ZB_H2:
    case ORR_N_SCHEDULES: break;
    }
    return BOUND_SLACK * work_s * m / pp;
}

static const struct orr_iteration *iteration_of(struct visit *v)
{
    struct orr_worker *w = v->worker;
    if (!v->iteration_built)
        v->iteration = orr_iteration_of(&w->job, orr_classes_heaviest(w->classes, v->pipe->n_classes), w->n_layer_ops,
                                        &w->ops, w->costs);
    v->iteration_built = true;
    return &v->iteration;
}

/* Work the time out and list the plan if it is good enough and keeps the limits. */
static void evaluate(struct visit *v, double memory_bytes)
{
    const struct orr_search_request *request = &v->search->request;
    struct orr_worker *w = v->worker;
    const struct orr_shape *shape = v->choice.zero == 3 ? &w->sharded_shape : &w->shape;
    const struct orr_iteration *iteration = iteration_of(v);
    const struct orr_settled step =
        orr_settle(&w->job, shape, &iteration->sums, w->classes, v->pipe->n_classes, w->ranks);
    double energy_j = 0;
    if (request->objective == ORR_OBJECTIVE_ENERGY) {
        const struct orr_work work = orr_rank_work(&w->job, shape, iteration, &w->classes[step.pipe.slowest].stage);
        energy_j = (double)v->choice.gpus * orr_power_w(&w->job.system.chip, &work, step.total_s) * step.total_s *
                   w->job.system.pue_frac;
    }
    struct orr_found found;
    orr_train_found(request, step.total_s, memory_bytes, energy_j, &v->choice, &found);
    v->outcome->counts.evaluated++;
    if (found.objective < v->search->compare_objective) v->outcome->counts.better++;
    if (!orr_outcome_wants(v->outcome, &found, request->front_within)) return;
    if (request->accept) {
        struct orr_result result;
        orr_train(&w->job, &w->scratch, &result);
        if (!request->accept(request, &w->job, &result, NULL)) {
            v->outcome->counts.rejected[ORR_REJECT_LIMIT]++;
            return;
        }
    }
    orr_outcome_put(v->outcome, &found);
}

/* Could the plan be in the answer, for all a bound of its time says? */
static bool promising(const struct visit *v, double time_s, double memory_bytes)
{
    const struct orr_search_request *request = &v->search->request;
    const struct orr_system *system = &v->worker->job.system;
    const double idle_j = (double)v->choice.gpus * system->chip.idle_w * time_s * system->pue_frac;
    struct orr_found least;
    if (request->brute) return true;
    orr_train_found(request, time_s, memory_bytes, idle_j, &v->choice, &least);
    return least.objective < v->search->compare_objective ||
           orr_outcome_wants(v->outcome, &least, request->front_within);
}

/* Every subset of the overlaps that the plan could switch off. */
static void visit_overlaps(struct visit *v, double memory_bytes, double bound_s)
{
    uint32_t groups = v->coarse ? 0 : v->search->train.exposable;
    if (v->choice.schedule != ORR_SCHEDULE_INTERLEAVED) groups &= ~(1u << ORR_GROUP_PP);
    if (v->choice.dp * v->choice.cp == 1) groups &= ~(1u << ORR_GROUP_DP);
    for (uint32_t exposed = groups;; exposed = (exposed - 1) & groups) {
        v->outcome->counts.feasible++;
        v->choice.exposed_groups = v->cut->exposed_groups | exposed;
        v->worker->job.plan.exposed_groups = v->choice.exposed_groups;
        if (promising(v, bound_s, memory_bytes)) evaluate(v, memory_bytes);
        else v->outcome->counts.rejected[ORR_REJECT_BOUND]++;
        if (exposed == 0) return;
    }
}

static uint64_t n_overlaps(const struct visit *v)
{
    uint64_t n = 1;
    if (v->coarse) return 1;
    const uint32_t groups = v->search->train.exposable;
    if (groups >> ORR_GROUP_PP & 1 && v->choice.schedule == ORR_SCHEDULE_INTERLEAVED) n *= 2;
    if (groups >> ORR_GROUP_DP & 1 && v->choice.dp * v->choice.cp > 1) n *= 2;
    return n;
}

/* Saved inputs change the memory only. */
static void visit_saved(struct visit *v, double bound_s)
{
    const struct orr_train_space *space = &v->search->train;
    struct orr_worker *w = v->worker;
    const int64_t n = v->choice.recompute == ORR_RECOMPUTE_FULL && !v->coarse ? space->n_every : 1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t every = v->choice.recompute == ORR_RECOMPUTE_FULL ? space->every[i] : 1;
        if (every * v->choice.pp > w->job.model.n_layers && every > 1) break;
        v->outcome->counts.plans += n_overlaps(v);
        v->choice.recompute_every = (int32_t)every;
        w->job.workload.recompute_every = every;
        const struct orr_memory_peak peak =
            orr_memory_peak_of(&w->job, &v->dims, v->bytes, w->classes, v->pipe->n_classes);
        if (peak.bytes > v->search->usable_bytes) v->outcome->counts.rejected[ORR_REJECT_MEMORY] += n_overlaps(v);
        else visit_overlaps(v, peak.bytes, bound_s);
    }
}

/* ZeRO stages of one pipeline. Without other replicas there is nothing to shard over. */
static void visit_zero(struct visit *v)
{
    const struct orr_space *space = &v->search->request.space;
    struct orr_worker *w = v->worker;
    const int64_t last = v->choice.dp * v->choice.cp > 1 ? 3 : 0;
    for (int64_t zero = 0; zero <= last; zero++) {
        if ((last > 0 && !orr_chosen(&space->zero, zero)) || (v->coarse && last > 0 && zero != 1 && !space->zero.n))
            continue;
        v->choice.zero = (uint8_t)zero;
        w->job.plan.zero = zero;
        if (zero == 3 && !v->sharded_built) build_shape(v, true);
        v->iteration_built = false;
        visit_saved(v, time_bound_s(v));
    }
}

static void visit_pipes(struct visit *v)
{
    const struct orr_train_space *space = &v->search->train;
    struct orr_worker *w = v->worker;
    const size_t first = space->first_pipe[v->choice.pp], end = space->first_pipe[v->choice.pp + 1];
    for (size_t i = first; i < end; i++) {
        v->pipe = &space->pipes[i];
        if (v->coarse && !v->pipe->coarse) continue;
        v->choice.vpp = v->pipe->vpp;
        v->choice.schedule = v->pipe->schedule;
        w->job.plan.vpp = v->pipe->vpp;
        w->job.plan.schedule = (enum orr_schedule)v->pipe->schedule;
        for (size_t c = 0; c < v->pipe->n_classes; c++) {
            w->classes[c] = space->classes[v->pipe->first_class + c];
            orr_stage_count(&w->job, &w->classes[c].stage);
        }
        visit_zero(v);
    }
}

/* One factorisation of the GPUs. */
static void visit_layout(struct visit *v, int64_t gpus, int64_t dp)
{
    struct orr_worker *w = v->worker;
    const struct orr_cut *cut = v->cut;
    v->choice = (struct orr_choice){.gpus = (int32_t)gpus,
                                    .tp = cut->tp,
                                    .cp = cut->cp,
                                    .pp = (int32_t)(gpus / (cut->tp * cut->cp * dp)),
                                    .vpp = 1,
                                    .dp = (int32_t)dp,
                                    .ep = cut->ep,
                                    .etp = cut->etp,
                                    .micro_batch = cut->micro_batch,
                                    .recompute_every = 1,
                                    .recompute = cut->recompute,
                                    .sp = cut->sp,
                                    .schedule = ORR_SCHEDULE_1F1B,
                                    .cp_kind = cut->cp_kind,
                                    .exposed_groups = cut->exposed_groups};
    orr_train_choose(&v->choice, &w->job);
    if (orr_job_check(&w->job, NULL)) return;
    v->dims = orr_dims_of(&w->job);
    if (!v->shape_built || v->search->train.cut_by_dp) build_shape(v, false);
    v->sharded_built = false;
    visit_pipes(v);
}

static void visit_cut(struct visit *v)
{
    const struct orr_search_request *request = &v->search->request;
    const struct orr_space *space = &request->space;
    struct orr_worker *w = v->worker;
    const int64_t ranks = v->cut->tp * v->cut->cp, batch = request->job.workload.global_batch / v->cut->micro_batch;
    v->shape_built = false;
    w->job.workload.micro_batch = v->cut->micro_batch;
    for (int64_t g = 0; g < space->gpus.n; g++) {
        if (space->gpus.values[g] % ranks) continue;
        const int64_t rest = space->gpus.values[g] / ranks;
        for (int64_t dp = 1; dp <= rest && dp <= batch; dp++) {
            if (rest % dp || batch % dp || rest / dp > ORR_MAX_STAGES || !orr_chosen(&space->dp, dp)) continue;
            const int64_t pp = rest / dp;
            if (v->search->train.first_pipe[pp] == v->search->train.first_pipe[pp + 1]) continue;
            visit_layout(v, space->gpus.values[g], dp);
        }
    }
}

/* Activation bytes of a layer depend on the cut alone. */
static void enter_cut(struct visit *v, const struct orr_cut *cut)
{
    struct orr_job *job = &v->worker->job;
    v->cut = cut;
    job->plan.tp = cut->tp;
    job->plan.cp = cut->cp;
    job->plan.ep = cut->ep;
    job->plan.etp = cut->etp;
    job->plan.dp = 1;
    job->plan.sp = cut->sp;
    job->workload.micro_batch = cut->micro_batch;
    job->workload.recompute = (enum orr_recompute)cut->recompute;
    const struct orr_dims dims = orr_dims_of(job);
    for (int64_t k = 0; k < job->model.n_kinds; k++) v->bytes[k] = orr_layer_bytes_of(job, &dims, &job->model.kinds[k]);
}

void orr_search_train_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome)
{
    const struct orr_train_space *space = &search->train;
    struct visit v = {.search = search, .worker = worker, .outcome = outcome, .coarse = pass == 0};
    const size_t n = space->n_cuts, blocks = (size_t)search->n_blocks;
    const size_t first = n * (size_t)block / blocks, end = n * (size_t)(block + 1) / blocks;
    for (size_t i = first; i < end; i++) {
        if (v.coarse && !space->cuts[i].coarse) continue;
        enter_cut(&v, &space->cuts[i]);
        visit_cut(&v);
    }
}
