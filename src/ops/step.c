/* Operators that run once per iteration (gradient and weight collectives, optimizer), operators that ZeRO-3 adds to
 * every layer, and pipeline sends. Eqs. 74, 75a, 78, 136. */
#include "ops/emit.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "ops/mixer.h"
#include "ops/muon.h"

/* Kernels of a pass over all parameters. They are few, because frameworks put many tensors into one launch. */
#define NORM_LAUNCHES 4
#define CAST_LAUNCHES 32
#define ADAM_LAUNCHES 8
/* Of the tensors of a layer, the norms are too small to fill a bucket; beside the layers are embedding and head. */
#define NORM_TENSORS 2
#define END_TENSORS  2

static double weight_bytes(const struct orr_emit *emit)
{
    return emit->dims.w_p;
}

/* The gather of backward serves recomputation too, so that the gather of forward is not repeated. Weights that stay
 * gathered need no second one; in a pipeline they stay for the whole step, and are gathered once (Eq. 75a). */
static void emit_sharded(struct orr_emit *emit, enum orr_group group, double params, double trained)
{
    const bool stored = emit->layer_kind >= 0 && orr_adapts(emit->job); /* in the format of the frozen matrices */
    const double kept_bytes = stored ? orr_base_bytes(emit->job) : emit->recipe.gather_bytes;
    const double weights = params * orr_asked_bytes(emit->job->workload.comm, kept_bytes);
    const double gradients = trained * orr_reduce_bytes(emit->job);
    const bool kept = orr_keeps_gathered(emit->job);
    struct orr_op *gather =
        orr_emit_collective(emit, "zero.gather", ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, group, weights);
    if (gather) gather->recomputed = false;
    if (gather && kept && emit->job->plan.pp > 1) gather->count = emit->count / emit->dims.m;
    struct orr_op *again = kept ? NULL
                                : orr_emit_collective(emit, "zero.gather.backward", ORR_PHASE_BACKWARD,
                                                      ORR_COLLECTIVE_ALLGATHER, group, weights);
    if (again && group == ORR_GROUP_DP) again->ranks = emit->job->plan.zero_secondary; /* Eq. 234 */
    if (!orr_adds_whole_gradients(emit->job))
        orr_emit_collective(emit, "zero.scatter", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, group, gradients);
}

static void emit_copies(struct orr_emit *emit, const char *name, enum orr_phase phase, double bytes)
{
    if (bytes <= 0) return;
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_POINTWISE, phase);
    op->pointwise = ORR_POINTWISE_COPY;
    op->bytes = bytes;
    op->recomputed = false;
}

/* Eq. 136: the gathered buffer is cut into weights, before forward and again before backward, and gradients are put
 * together into the buffer that is scattered. These copies run between the kernels of the layer. */
static void emit_shard_copies(struct orr_emit *emit, double params)
{
    const struct orr_engine *engine = &emit->job->engine;
    if (emit->job->plan.zero_group < 2) return;
    emit_copies(emit, "zero.copy_out", ORR_PHASE_FORWARD, params * engine->gather_copy_bytes);
    if (!orr_keeps_gathered(emit->job))
        emit_copies(emit, "zero.copy_out.backward", ORR_PHASE_BACKWARD, params * engine->gather_copy_bytes);
    if (!orr_adds_whole_gradients(emit->job))
        emit_copies(emit, "zero.copy_in", ORR_PHASE_BACKWARD, params * engine->scatter_copy_bytes);
}

static void emit_transfer(struct orr_emit *emit, const char *name, enum orr_phase phase, enum orr_offload what,
                          double bytes)
{
    const enum orr_store store = emit->job->plan.offload[what];
    if (store == ORR_STORE_NONE) return;
    struct orr_op *op = orr_emit_collective(emit, name, phase, ORR_COLLECTIVE_P2P, ORR_GROUP_HOST, bytes);
    if (!op) return;
    op->recomputed = false;
    op->from_drives = store == ORR_STORE_NVME;
}

/* Eq. 144: what a layer sends to the host or fetches from it in one micro-batch: its rank's share of the weights in
 * both passes (once if they stay gathered), of the gradients, and its saved input. */
static void emit_offloads(struct orr_emit *emit, double dense_params, double expert_params)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double dense_ranks = (double)orr_group_ranks(plan, ORR_GROUP_DP),
                 expert_ranks = (double)orr_group_ranks(plan, ORR_GROUP_EDP);
    const double whole = dense_params + expert_params,
                 shard = dense_params / dense_ranks + expert_params / expert_ranks;
    const double weights = (plan->zero >= 3 ? shard : whole) * weight_bytes(emit);
    const double gradients = (plan->zero >= 1 ? shard : whole) * weight_bytes(emit);
    const double input = emit->layer_kind >= 0 ? emit->dims.w_a * emit->dims.T_norm * emit->dims.h : 0;
    emit_transfer(emit, "offload.weights", ORR_PHASE_FORWARD, ORR_OFFLOAD_PARAMETERS, weights);
    if (!orr_keeps_gathered(emit->job))
        emit_transfer(emit, "offload.weights.backward", ORR_PHASE_BACKWARD, ORR_OFFLOAD_PARAMETERS, weights);
    emit_transfer(emit, "offload.gradients", ORR_PHASE_BACKWARD, ORR_OFFLOAD_GRADIENTS, gradients);
    const double every = (double)emit->job->workload.recompute_every;
    const bool saves_input = emit->recompute == ORR_RECOMPUTE_FULL;
    emit_transfer(emit, "offload.inputs", ORR_PHASE_FORWARD, ORR_OFFLOAD_ACTIVATIONS, saves_input ? input / every : 0);
    emit_transfer(emit, "offload.inputs.backward", ORR_PHASE_BACKWARD, ORR_OFFLOAD_ACTIVATIONS,
                  saves_input ? input / every : 0);
}

void orr_emit_sharded_layer(struct orr_emit *emit, const struct orr_part_params *params)
{
    const struct orr_plan *plan = &emit->job->plan;
    if (orr_offloads(plan)) emit_offloads(emit, params->dense, params->expert);
    if (plan->zero < 3) return;
    emit_sharded(emit, ORR_GROUP_DP, params->dense, params->trained_dense);
    emit_sharded(emit, ORR_GROUP_EDP, params->expert, params->trained_expert);
    if (!orr_adds_whole_gradients(emit->job))
        orr_emit_collective(emit, "zero.replicas", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_RDP,
                            params->trained_dense * orr_reduce_bytes(emit->job) / (double)plan->zero_group);
    emit_shard_copies(emit, params->dense + params->expert);
}

/* The broadcasts of ZeRO-1 where whole tensors belong to ranks: one per rank that owns any. */
static double broadcasts_of(const struct orr_emit *emit, enum orr_group group)
{
    const double tensors = (double)(emit->job->engine.layer_tensors * emit->model->n_layers / emit->job->plan.pp) + 2;
    return orr_min(tensors, (double)orr_group_ranks(&emit->job->plan, group));
}

/* Eq. 260: reductions that run beside backward are cut into buckets, which are as large as the engine makes them but
 * end with a whole tensor. Where nothing overlaps, there is one message. */
static double buckets_of(const struct orr_emit *emit, enum orr_group group, double params)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double ranks = (double)orr_group_ranks(&emit->job->plan, group);
    const double least = orr_max(engine->reduce_bucket_params, engine->reduce_bucket_rank_params * ranks);
    if (least <= 0 || engine->dp_overlap_frac <= 0) return 1;
    const double buckets = orr_max(1, orr_ceil(params / least));
    const double matrices = (double)engine->layer_tensors - NORM_TENSORS;
    if (matrices <= 0) return buckets;
    const double layers = (double)emit->model->n_layers / (double)emit->job->plan.pp;
    return orr_min(buckets, orr_ceil(matrices * layers) + END_TENSORS);
}

static void cut_into_buckets(struct orr_op *op, double buckets)
{
    if (!op) return;
    op->payload_bytes /= buckets;
    op->count *= buckets;
}

/* ZeRO stage 0 sums gradients; stages 1 and 2 scatter them and gather the new weights, unless an engine's stage 1 sums
 * them too. Stage 2 keeps no whole gradient to add to, so it scatters after every micro-batch, unless the engine adds
 * up whole gradients at stages 2 and 3 (Eq. 370). Groups that hold a copy each add up their shards between them. */
static void emit_gradient_sync(struct orr_emit *emit, enum orr_group group, double params)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double gradients = params * orr_reduce_bytes(emit->job), shards = (double)plan->zero_group;
    const bool sums = plan->zero == 0 || (plan->zero == 1 && emit->job->engine.zero1_allreduce);
    struct orr_op *sync =
        orr_emit_collective(emit, sums ? "dp.reduce" : "dp.scatter", ORR_PHASE_STEP,
                            sums ? ORR_COLLECTIVE_ALLREDUCE : ORR_COLLECTIVE_REDUCESCATTER, group, gradients);
    if (sync && plan->zero == 2 && !orr_adds_whole_gradients(emit->job)) sync->count = emit->dims.m;
    const double buckets = buckets_of(emit, group, params);
    const bool alone = plan->zero == 1 && emit->job->engine.zero1_exposed;
    cut_into_buckets(sync, alone ? 1 : buckets);
    if (plan->zero == 0) return;
    if (group == ORR_GROUP_DP)
        orr_emit_collective(emit, "dp.replicas", ORR_PHASE_STEP, ORR_COLLECTIVE_ALLREDUCE, ORR_GROUP_RDP,
                            gradients / shards);
    if (plan->zero == 3) return; /* weights are gathered in the layers */
    struct orr_op *gather = orr_emit_collective(emit, "dp.gather", ORR_PHASE_STEP, ORR_COLLECTIVE_ALLGATHER, group,
                                                params * emit->recipe.gather_bytes);
    if (gather && plan->zero == 1 && emit->job->engine.zero1_broadcast) gather->launches = broadcasts_of(emit, group);
    if (plan->zero > 1 || !emit->job->engine.zero1_gather_exposed) cut_into_buckets(gather, buckets);
}

static void emit_step_pass(struct orr_emit *emit, const char *name, enum orr_pointwise kind, double bytes,
                           double launches)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_POINTWISE, ORR_PHASE_STEP);
    op->pointwise = kind;
    op->bytes = bytes;
    op->launches = launches;
}

/* Eq. 145: the host reads gradients and states and writes states and weights, while new weights travel to the GPU,
 * gradients that are not there yet travel to the host, and drives read and write the states: the slowest of these sets
 * the time. */
static void emit_host_optimizer(struct orr_emit *emit, double params, const struct orr_states *states)
{
    const struct orr_job *job = emit->job;
    const struct orr_plan *plan = &job->plan;
    const double gpus = orr_gpus_of_host(job), w = weight_bytes(emit), link = orr_host_rate(job, false);
    const double traffic = states->gradient_bytes + 2 * states->optimizer_bytes + w;
    double time_s = params * traffic * gpus / job->system.host_optimizer_bytes_per_s;
    if (plan->offload[ORR_OFFLOAD_PARAMETERS] == ORR_STORE_NONE) time_s = orr_max(time_s, params * w / link);
    if (plan->offload[ORR_OFFLOAD_GRADIENTS] == ORR_STORE_NONE)
        time_s = orr_max(time_s, params * states->gradient_bytes / link);
    if (plan->offload[ORR_OFFLOAD_OPTIMIZER] == ORR_STORE_NVME)
        time_s = orr_max(time_s, 2 * params * states->optimizer_bytes * gpus / job->system.nvme_bytes_per_s);
    emit_step_pass(emit, "optimizer.host", ORR_POINTWISE_ADAM, 0, 1);
    emit->list->items[emit->list->n - 1].floor_s = time_s;
}

/* Eq. 78: the optimizer computes the norm, then reads gradient and state and writes state and weight. Where it works
 * only in fp32, the 16-bit gradients are cast before it and the weights after it. */
static void emit_optimizer(struct orr_emit *emit, const struct orr_stage *stage, double params, double shards)
{
    const struct orr_engine *engine = &emit->job->engine;
    const struct orr_states states = orr_states_of(emit->job);
    const double gradient = states.gradient_bytes, state = states.other_bytes, w = weight_bytes(emit);
    if (emit->job->plan.offload[ORR_OFFLOAD_OPTIMIZER] != ORR_STORE_NONE) {
        emit_host_optimizer(emit, params, &states);
        return;
    }
    if (engine->clip_gradients)
        emit_step_pass(emit, "optimizer.norm", ORR_POINTWISE_ADD, params * gradient, NORM_LAUNCHES);
    if (engine->clip_gradients && engine->clip_scales)
        emit_step_pass(emit, "optimizer.clip", ORR_POINTWISE_ADD, 2 * params * gradient, NORM_LAUNCHES);
    if (states.casts) {
        emit_step_pass(emit, "optimizer.cast_gradients", ORR_POINTWISE_UPCAST, params * (w + gradient), CAST_LAUNCHES);
        emit_step_pass(emit, "optimizer.cast_weights", ORR_POINTWISE_COPY, params * (4 + w), CAST_LAUNCHES);
    }
    const double fused = gradient + 2 * state + (states.casts ? 0 : w);
    const double traffic = engine->optimizer_traffic_bytes;
    if (states.muon) {
        const struct orr_matrices matrices = orr_matrices_of(emit->job, stage);
        orr_emit_muon(emit, &matrices, shards);
        params = orr_max(0, params - matrices.params / shards);
    }
    emit_step_pass(emit, "optimizer.adam", ORR_POINTWISE_ADAM, params * (traffic > 0 ? traffic : fused), ADAM_LAUNCHES);
}

/* Gradients are copied into flat buckets before a reduction and back after it. */
static void emit_bucket_copies(struct orr_emit *emit, double params)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double bytes = params * emit->job->engine.bucket_copy_bytes;
    if (bytes > 0 && plan->zero < 3 && plan->dp * plan->cp > 1)
        emit_step_pass(emit, "dp.buckets", ORR_POINTWISE_COPY, bytes, CAST_LAUNCHES);
}

/* Narrow weights are made once per iteration, in both copies, unless every micro-batch makes its own (Eq. 164). */
static void emit_weight_cast(struct orr_emit *emit, double params)
{
    if (emit->recipe.narrow && emit->recipe.weight_step_bytes > 0)
        emit_step_pass(emit, "weights.cast", ORR_POINTWISE_CAST, params * emit->recipe.weight_step_bytes,
                       CAST_LAUNCHES);
}

/* Eq. 74: one activation is sent per chunk boundary, split over the TP group if the engine does so. */
static void emit_sends(struct orr_emit *emit)
{
    const struct orr_dims *d = &emit->dims;
    const bool split = emit->job->plan.sp || emit->job->engine.p2p_scatter_gather;
    const double payload = d->T * orr_boundary_width(emit->model) * d->w_c / (split ? d->t : 1);
    emit->layer_kind = ORR_LAYER_BOUNDARY;
    orr_emit_collective(emit, "pp.send", ORR_PHASE_FORWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_PP, payload);
    orr_emit_collective(emit, "pp.send.backward", ORR_PHASE_BACKWARD, ORR_COLLECTIVE_P2P, ORR_GROUP_PP, payload);
}

void orr_emit_step(struct orr_emit *emit, const struct orr_stage *heaviest)
{
    const struct orr_plan *plan = &emit->job->plan;
    const double dense = heaviest->trained_dense, expert = heaviest->trained_expert;
    const double shard = plan->zero > 0 ? (double)orr_group_ranks(plan, ORR_GROUP_DP) : 1;
    const double expert_shard = plan->zero > 0 ? (double)orr_group_ranks(plan, ORR_GROUP_EDP) : 1;
    emit->recompute = ORR_RECOMPUTE_NONE;
    emit_sends(emit);
    emit->layer_kind = ORR_LAYER_STEP;
    if (plan->zero < 3 || orr_adds_whole_gradients(emit->job)) {
        emit_gradient_sync(emit, ORR_GROUP_DP, dense);
        emit_gradient_sync(emit, ORR_GROUP_EDP, expert);
    }
    if (emit->job->engine.scatter_copy_bytes > 0 && orr_adds_whole_gradients(emit->job))
        emit_step_pass(emit, "zero.copy_in", ORR_POINTWISE_COPY, 2 * orr_reduce_bytes(emit->job) * (dense + expert),
                       CAST_LAUNCHES);
    if (plan->schedule ==
        ORR_SCHEDULE_DUALPIPE) /* The mirrored rank has the other copy: both add up their gradients. */
        orr_emit_collective(emit, "pp.copies", ORR_PHASE_STEP, ORR_COLLECTIVE_P2P, ORR_GROUP_PP,
                            (dense / shard + expert / expert_shard) * orr_reduce_bytes(emit->job));
    /* Both copies of a tied matrix get the summed gradient. */
    if (emit->job->model.tied_embeddings && orr_ends_apart(plan) && orr_trains_head(emit->job))
        orr_emit_collective(emit, "embedding.tie", ORR_PHASE_STEP, ORR_COLLECTIVE_P2P, ORR_GROUP_PP,
                            emit->dims.vocab * emit->dims.h * orr_reduce_bytes(emit->job));
    const double sharded = dense / shard + expert / expert_shard;
    emit_optimizer(emit, heaviest, sharded, orr_max(1, (dense + expert) / sharded));
    emit_bucket_copies(emit, dense + expert);
    emit_weight_cast(emit, dense + expert);
}
