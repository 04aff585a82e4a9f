/* Bytes of every pipeline rank at the instants where a peak can lie, and the ledger of the rank that peaks highest.
 * Layer bytes and parameter counts -> orr_memory. Eqs. 79, 80, 87-89. */
#include "memory/memory.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "ops/muon.h"
#include "ops/recipe.h"

enum instant { LOSS, FIRST_FFN, FIRST_CORE, LAST_CORE, END, N_INSTANTS };
static const char *const INSTANT_NAMES[N_INSTANTS] = {"loss", "backward of the last layer, feed-forward",
                                                      "backward of the last layer, attention",
                                                      "backward of the first layer", "end of backward"};

/* Everything one pipeline rank holds, before it is added up per instant. */
struct rank_bytes {
    double weights, gradients, optimizer, gathered; /* alive at every instant */
    double buffers;                                 /* of transfers to the host, alive at every instant */
    double stored[ORR_N_STORES];                    /* kept by the host, by place */
    double gradient_16bit;                          /* per parameter, where 16-bit gradients stay alive */
    double params, head_params;
    double late_params;      /* parameters of the embedding, whose gradient comes last */
    double in_flight, saved; /* micro-batches in flight, and bytes of saved layers of one of them */
    double held;             /* the part of `saved` that only a communication stream keeps alive */
    double reserved;         /* held by the allocator beyond the saved layers, at every instant */
    double tower_saved;      /* bytes of the tower's layers for one micro-batch, a part of `saved` */
    double embedding_mask, head_saved, logits;
    double head_restored; /* of a quantised output matrix, beyond the largest one of a layer */
    double casts;         /* 16-bit copies of fp32 weights, from forward until backward has passed them */
    /* the largest layer of the rank */
    double layer_saved, recomputed, layer_ffn_saved, ffn_params, attention_params;
    double first_saved;     /* saved by the first layer, where only the first layers of a rank are recomputed */
    double last_recomputed; /* recomputed of the last layer: none where only the first layers are */
    double core_transient, ffn_transient;
};

/* Moves what is offloaded from a part of the GPU's memory to the place where it is kept. */
static void offload(const struct orr_job *job, enum orr_offload what, double *part, struct rank_bytes *r)
{
    const enum orr_store store = job->plan.offload[what];
    if (store == ORR_STORE_NONE) return;
    r->stored[store] += *part;
    *part = 0;
}

static void offload_states(const struct orr_job *job, struct rank_bytes *r)
{
    if (!orr_offloads(&job->plan)) return;
    offload(job, ORR_OFFLOAD_PARAMETERS, &r->weights, r);
    offload(job, ORR_OFFLOAD_OPTIMIZER, &r->optimizer, r);
    offload(job, ORR_OFFLOAD_GRADIENTS, &r->gradients, r);
    if (job->plan.offload[ORR_OFFLOAD_GRADIENTS] != ORR_STORE_NONE) r->gradient_16bit = 0;
}

/* Eq. 166: narrow copies of the weights of layers, which stay from step to step; the ends have none. Sharded weights
 * are cast when they are gathered. Frozen matrices that are stored in 8 bits are the first of these copies
 * (Eq. 366). */
static double narrow_bytes(const struct orr_job *job, const struct orr_stage *stage, double params)
{
    const struct orr_recipe recipe = orr_recipe_of(job);
    if (!recipe.narrow || job->plan.zero >= 3) return 0;
    if (stage->embedding) params -= orr_rank_embedding_params(job);
    if (stage->head) params -= orr_rank_head_params(job);
    const bool stored = orr_adapts(job) && job->workload.adapter.base == ORR_BASE_FP8;
    const double copies = stored ? orr_max(0, recipe.copy_bytes - 1) : recipe.copy_bytes;
    return (1 - recipe.wide_frac) * copies * orr_max(0, params);
}

/* The share of a rank's parameters that are weight matrices of its layers; 1 where its layers are not known. */
static double matrix_share(const struct orr_job *job, const struct orr_stage *stage, double params)
{
    const struct orr_matrices matrices = orr_matrices_of(job, stage);
    return matrices.n > 0 ? orr_min(1, matrices.params / params) : 1;
}

/* Parameters of the output matrix on one rank, without the norm before it. */
static double head_matrix(const struct orr_job *job)
{
    return orr_max(0, orr_rank_head_params(job) - (double)job->model.hidden);
}

/* The weights of a rank and their narrow copies. */
static void add_weights(const struct orr_job *job, const struct orr_stage *stage, struct rank_bytes *r)
{
    const struct orr_plan *plan = &job->plan;
    const double dp = (double)orr_group_ranks(plan, ORR_GROUP_DP), edp = (double)orr_group_ranks(plan, ORR_GROUP_EDP);
    const double w = orr_plain_weight_bytes(job);
    r->weights = plan->zero >= 3 ? w * (stage->dense_params / dp + stage->expert_params / edp)
                                 : w * (stage->dense_params + stage->expert_params);                    /* Eq. 80 */
    if (plan->zero_secondary > 0) r->weights += w * stage->dense_params / (double)plan->zero_secondary; /* Eq. 234 */
    if (orr_adapts(job)) {                                                                              /* Eq. 155 */
        const double shard = plan->zero >= 3 ? dp : 1, expert_shard = plan->zero >= 3 ? edp : 1;
        const double less = w - orr_base_bytes(job), own = orr_adapter_wide(job) ? 4 : w;
        r->weights -= less * (stage->matrix_params / shard + stage->expert_params / expert_shard);
        r->weights += own * stage->adapter_params / shard;
        if (stage->head && orr_quantises_head(job)) r->weights -= less * head_matrix(job) / shard; /* Eq. 315 */
    }
    r->weights += narrow_bytes(job, stage, stage->dense_params + stage->expert_params);
    if (job->engine.autocast) { /* Eq. 157 */
        const double cast = stage->matrix_params + stage->expert_params +
                            (stage->head && !job->model.tied_embeddings ? orr_rank_head_params(job) : 0);
        r->weights *= 4 / w;
        r->casts = w * cast;
    }
}

/* The gradients of a rank and the states of its optimizer. */
static void add_states(const struct orr_job *job, const struct orr_stage *stage, struct rank_bytes *r)
{
    const struct orr_plan *plan = &job->plan;
    const double dp = (double)orr_group_ranks(plan, ORR_GROUP_DP), edp = (double)orr_group_ranks(plan, ORR_GROUP_EDP);
    const double whole = stage->trained_dense + stage->trained_expert;
    const double sharded = stage->trained_dense / dp + stage->trained_expert / edp;
    const struct orr_states states = orr_states_of(job);
    r->gradients = states.gradient_bytes * (plan->zero >= 2 ? sharded : whole);
    if (orr_adds_whole_gradients(job)) r->gradients += orr_reduce_bytes(job) * whole; /* Eq. 370 */
    const double matrices = states.muon ? matrix_share(job, stage, whole) : 1;
    r->optimizer =
        (states.optimizer_bytes * matrices + states.other_bytes * (1 - matrices)) * (plan->zero >= 1 ? sharded : whole);
    r->gradient_16bit = states.live_16bit && plan->zero < 2 ? orr_plain_weight_bytes(job) : 0;
    if (job->engine.gradients_dropped && plan->zero < 2 && orr_micro_batches(job) <= 1) { /* Eq. 156 */
        r->gradients = 0;
        r->gradient_16bit = states.gradient_bytes;
    }
    if (job->workload.optimizer_in_backward) { /* Eq. 233 */
        r->gradients = 0;
        r->gradient_16bit = plan->zero >= 2 ? states.gradient_bytes / dp : states.gradient_bytes;
    }
}

/* What stays from step to step, and the buffers of its collectives. */
static void add_static(const struct orr_job *job, const struct orr_stage *stage, struct rank_bytes *r)
{
    const bool replicated = orr_group_ranks(&job->plan, ORR_GROUP_DP) > 1;
    r->params = stage->trained_dense + stage->trained_expert;
    add_weights(job, stage, r);
    add_states(job, stage, r);
    offload_states(job, r);
    if (job->plan.zero == 0 && replicated) r->gradients += (double)job->engine.bucket_bytes * r->params; /* Eq. 132 */
    if (job->plan.zero == 1 && replicated) r->gathered = (double)job->engine.zero1_gather_bytes * r->params;
}

/* Whole activations that a layer hands to the communication stream of tensor parallelism. The framework has dropped
 * them, but the allocator may not use their place again before the device has passed them (Eq. 133). */
static double held_bytes(const struct orr_job *job, const struct orr_dims *d)
{
    return job->plan.sp ? job->engine.stream_tensors * (1 - 1 / d->t) * d->w_a * d->T * d->h : 0;
}

/* Saved inputs of layers leave the GPU; two of them are on their way. */
static void offload_inputs(const struct orr_job *job, struct rank_bytes *r)
{
    const enum orr_store store = job->plan.offload[ORR_OFFLOAD_ACTIVATIONS];
    if (store == ORR_STORE_NONE) return;
    r->stored[store] += r->in_flight * r->saved;
    r->buffers += 2 * r->layer_saved;
    r->saved = 0;
}

/* Eq. 360: what the tables at the ends of a stage take in bytes while they are gathered. FSDP keeps all that is in no
 * layer as one unit, its root, which it does not free after forward. */
static double ends_bytes(const struct orr_job *job, const struct orr_stage *stage, double bytes_per_param)
{
    const double params =
        (stage->embedding ? orr_rank_embedding_params(job) : 0) + (stage->head ? orr_rank_head_params(job) : 0);
    return (job->engine.autocast ? 4 : bytes_per_param) * params;
}

/* Eq. 263: weights of ZeRO-3 that stay gathered: all, or as many as the engine lets live between forward and backward
 * because they are used again soon; and small tensors, which are not sharded at all. */
static void keep_gathered(const struct orr_job *job, const struct orr_stage *stage, double bytes_per_param,
                          struct rank_bytes *r)
{
    const struct orr_engine *engine = &job->engine;
    const double all = stage->dense_params + stage->expert_params, h = (double)job->model.hidden;
    if (orr_keeps_gathered(job)) r->gathered = bytes_per_param * r->params;
    else r->gathered = orr_max(r->gathered, bytes_per_param * orr_min(all, engine->zero3_live_params));
    const double w = orr_plain_weight_bytes(job);
    if (engine->zero3_ends_kept && !orr_keeps_gathered(job)) r->gathered += ends_bytes(job, stage, w);
    if (h >= engine->zero3_whole_params) return;
    const double others = 1 - 1 / (double)orr_group_ranks(&job->plan, ORR_GROUP_DP);
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        r->weights += others * w * stage->n_layers[k] * (double)job->model.kinds[k].n_norms * h;
}

/* The activations of one layer of a kind; the largest of the rank counts. */
static void add_layer(const struct orr_job *job, const struct orr_layer_kind *kind, const struct orr_layer_bytes *bytes,
                      struct rank_bytes *r)
{
    const double saved = orr_layer_saved_bytes(job, bytes);
    r->layer_saved = orr_max(r->layer_saved, saved);
    if (!kind->kept) r->first_saved = orr_max(r->first_saved, saved);
    r->recomputed = orr_max(r->recomputed, orr_layer_recomputed_bytes(job, bytes));
    r->layer_ffn_saved = orr_max(r->layer_ffn_saved, bytes->ffn);
    r->core_transient = orr_max(r->core_transient, bytes->core_transient);
    r->ffn_transient = orr_max(r->ffn_transient, bytes->ffn_transient);
}

/* The weights of one layer of a kind that are trained, gathered or on their way; `gathered` bytes of each travel. */
static void add_layer_params(const struct orr_job *job, const struct orr_layer_kind *kind, double gathered,
                             struct rank_bytes *r)
{
    const double w = orr_plain_weight_bytes(job);
    const double params = orr_rank_dense_params(job, kind) + orr_rank_expert_params(job, kind);
    const bool frozen = kind->frozen || orr_adapts(job);
    const double own = frozen ? orr_adapter_params(job, kind) + orr_adapter_expert_params(job, kind) : params;
    const double attention = (double)kind->attention_params / (double)job->plan.tp * (own / params);
    r->attention_params = orr_max(r->attention_params, attention);
    r->ffn_params = orr_max(r->ffn_params, own - attention);
    /* The layer at work and the prefetched one are gathered or fetched; or all stay gathered. */
    if (job->plan.zero >= 3) r->gathered = orr_max(r->gathered, 2 * gathered * params);
    else if (job->plan.offload[ORR_OFFLOAD_PARAMETERS] != ORR_STORE_NONE)
        r->gathered = orr_max(r->gathered, 2 * w * params);
    if (job->plan.offload[ORR_OFFLOAD_GRADIENTS] != ORR_STORE_NONE) /* of two layers on their way */
        r->buffers = orr_max(r->buffers, 2 * w * params);
}

/* The layers of one rank: sums for the saved part, maxima for what only one layer needs at a time. */
static void add_layers(const struct orr_job *job, const struct orr_dims *dims, const struct orr_stage *stage,
                       const struct orr_layer_bytes *bytes, struct rank_bytes *r)
{
    const double passed = 1 - stage->skipped_frac; /* of the rank's layers, by one micro-batch */
    const double gathered = orr_adapts(job) ? orr_base_bytes(job) : orr_recipe_of(job).gather_bytes; /* as stored */
    bool some_kept = false;
    double restored = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &job->model.kinds[k];
        if (stage->n_layers[k] <= 0) continue;
        add_layer(job, kind, &bytes[k], r);
        add_layer_params(job, kind, gathered, r);
        r->saved += passed * stage->n_layers[k] * orr_layer_saved_bytes(job, &bytes[k]);
        r->held += passed * stage->n_layers[k] * held_bytes(job, dims);
        some_kept |= kind->kept;
        if (orr_base_kernels(job) > 0) /* The matrix at work is restored to 16 bits. */
            restored = orr_max(restored,
                               orr_restored_bytes(job) * dims->h * orr_max((double)kind->ffn_width, dims->h) / dims->t);
    }
    if (job->plan.zero >= 3) keep_gathered(job, stage, gathered, r);
    r->gathered += restored;
    if (stage->head && orr_quantises_head(job)) /* Eq. 315 */
        r->head_restored = orr_max(0, orr_restored_bytes(job) * head_matrix(job) - restored);
    offload_inputs(job, r);
    r->last_recomputed = some_kept && job->workload.recompute_first > 0 ? 0 : r->recomputed;
}

/* The tower of the first rank: what its layers and products save, and its largest layer at work. */
static void add_tower(const struct orr_job *job, const struct orr_dims *dims, const struct orr_stage *stage,
                      struct rank_bytes *r)
{
    const struct orr_tower *tower = &job->model.tower;
    if (!stage->embedding || !job->media.encodes) return;
    const struct orr_dims d = orr_tower_dims(job, dims->b);
    for (int k = 0; k < 2; k++) {
        if (tower->n_layers[k] == 0) continue;
        struct orr_layer_bytes bytes = orr_layer_bytes_of(job, &d, &tower->kinds[k]);
        if (bytes.recompute == ORR_RECOMPUTE_OPS) bytes.recompute = ORR_RECOMPUTE_NONE;
        r->tower_saved += (double)tower->n_layers[k] * orr_layer_saved_bytes(job, &bytes);
        r->held += (double)tower->n_layers[k] * held_bytes(job, &d);
        r->recomputed = orr_max(r->recomputed, orr_layer_recomputed_bytes(job, &bytes));
        r->last_recomputed = orr_max(r->last_recomputed, orr_layer_recomputed_bytes(job, &bytes));
        r->core_transient = orr_max(r->core_transient, bytes.core_transient);
        r->ffn_transient = orr_max(r->ffn_transient, bytes.ffn_transient);
    }
    for (int64_t i = 0; i < tower->n_products; i++) {
        const struct orr_tower_product *product = &tower->products[i];
        r->tower_saved += d.w_a * d.T * orr_tower_rows(product) * (double)(product->count * product->in);
    }
    r->saved += r->tower_saved;
    if (orr_trains_tower(job))
        r->late_params += orr_rank_tower_params(job); /* its gradients come after those of the text layers */
}

/* Eq. 87: the ends keep the embedding's dropout mask of every micro-batch in flight, and the norm input, head input and
 * logits of one. */
static void add_ends(const struct orr_job *job, const struct orr_dims *d, const struct orr_stage *stage,
                     struct rank_bytes *r)
{
    if (stage->embedding && job->workload.hidden_dropout) r->embedding_mask = d->T_norm * d->h;
    const bool embeds = orr_trains_embedding(job), heads = orr_trains_head(job);
    if (stage->embedding && embeds && !(stage->head && job->model.tied_embeddings))
        r->late_params += orr_rank_embedding_params(job);
    if (!stage->head) return;
    if (heads)
        r->head_params = orr_rank_head_params(job) +
                         (job->model.tied_embeddings && !orr_ends_apart(&job->plan) ? d->vocab * d->h : 0);
    r->head_params += stage->n_mtp * orr_rank_mtp_params(job);
    /* Every prediction layer has logits of its own, which are alive until backward has begun. */
    const double kept = orr_norm_saved_bytes(job, d, heads) + (heads ? d->w_a : 0);
    r->head_saved = (1 + stage->n_mtp) * kept * d->T_norm * d->h;
    const double ranks = job->engine.gathered_logit_bytes > 0 ? d->t : 1; /* Eq. 339 */
    r->logits = (1 + stage->n_mtp) * job->engine.logit_bytes_live * d->T * d->vocab * ranks;
}

/* Saved feed-forward bytes of the layer at work that are freed before its attention runs backward. Under recomputation
 * they are part of the recomputed layer. */
static double freed_ffn(const struct orr_job *job, const struct rank_bytes *r, double recomputed)
{
    const bool full = job->workload.recompute == ORR_RECOMPUTE_FULL && recomputed > 0;
    return orr_min(r->layer_ffn_saved, full ? recomputed : r->layer_saved);
}

/* What the layer that runs backward last has saved: the first layer, which is recomputed if any is. */
static double first_layer_saved(const struct rank_bytes *r)
{
    return r->last_recomputed < r->recomputed && r->first_saved > 0 ? r->first_saved : r->layer_saved;
}

/* Eq. 233: parameters whose gradients are alive at an instant where the optimizer runs in backward: those of the
 * matrices at work, and the sum of a tied matrix, of which backward makes the two parts first and last. */
static double updated_params(const struct orr_job *job, const struct rank_bytes *r, enum instant instant)
{
    const double tied = job->model.tied_embeddings && !orr_ends_apart(&job->plan) ? r->head_params : 0;
    switch (instant) {
    case LOSS: return 0;
    case FIRST_FFN: return orr_max(tied, r->head_params);
    case FIRST_CORE: return tied + r->ffn_params;
    case LAST_CORE: return tied + r->attention_params;
    case END: return orr_max(tied, r->late_params);
    case N_INSTANTS: break;
    }
    return 0;
}

/* Eq. 262: a loss in chunks runs the head once per chunk, so that its weight gradient is made while logits of other
 * chunks are alive: the sum so far, unless it is among the gradients that are always there, and the part of a chunk. */
static double chunk_gradients(const struct orr_job *job, const struct rank_bytes *r)
{
    if (job->engine.loss_chunks < 2) return 0;
    const double w = orr_plain_weight_bytes(job);
    const bool whole = r->gradients > 0 && job->plan.zero < 2;
    return (whole ? w : 2 * w) * r->head_params;
}

/* Activations and 16-bit gradients alive at an instant, besides the bytes alive at every instant. */
static void instant_bytes(const struct orr_job *job, const struct rank_bytes *r, enum instant instant,
                          double *activations, double *gradients)
{
    /* Autocast drops its copies after forward; recomputation makes those of one layer again. */
    const bool late = instant != LOSS && (job->workload.recompute == ORR_RECOMPUTE_FULL || instant >= LAST_CORE);
    const double all = r->in_flight * (r->saved + r->embedding_mask) + r->reserved + (late ? 0 : r->casts);
    const double g = job->workload.optimizer_in_backward ? 0 : r->gradient_16bit;
    *gradients = job->workload.optimizer_in_backward ? r->gradient_16bit * updated_params(job, r, instant) : 0;
    switch (instant) {
    case LOSS:
        *activations = all + r->head_saved + r->logits + r->head_restored;
        *gradients += chunk_gradients(job, r);
        return;
    case FIRST_FFN:
        *activations = all + r->last_recomputed + r->ffn_transient;
        *gradients += g * r->head_params;
        return;
    case FIRST_CORE:
        *activations = all + r->last_recomputed - freed_ffn(job, r, r->last_recomputed) + r->core_transient;
        *gradients += g * (r->head_params + r->ffn_params);
        return;
    case LAST_CORE:
        *activations = all - r->saved + first_layer_saved(r) + r->recomputed - freed_ffn(job, r, r->recomputed) +
                       r->core_transient;
        *gradients += g * (r->params - r->attention_params - r->late_params);
        return;
    case END:
        *activations = all - r->saved;
        *gradients += g * r->params;
        return;
    case N_INSTANTS: break;
    }
    *activations = 0;
}

/* `ahead`: the host runs ahead of the device, so that streams hold what they were handed. */
static struct rank_bytes rank_bytes_of(const struct orr_job *job, const struct orr_dims *dims,
                                       const struct orr_layer_bytes *layers, const struct orr_rank_class *class,
                                       bool ahead)
{
    /* The first rank of a class has the most micro-batches in flight. */
    struct rank_bytes r = {.in_flight = orr_in_flight(&job->plan, dims->m, class->first)};
    add_static(job, &class->stage, &r);
    add_layers(job, dims, &class->stage, layers, &r);
    add_tower(job, dims, &class->stage, &r);
    add_ends(job, dims, &class->stage, &r);
    if (!ahead) r.held = 0;
    r.saved += r.held;
    r.reserved = job->engine.reserved_frac * r.in_flight * r.saved;
    return r;
}

static double rank_static(const struct orr_job *job, const struct rank_bytes *r)
{
    return r->weights + r->gradients + r->optimizer + r->gathered + r->buffers + job->engine.workspace_bytes;
}

static double rank_peak(const struct orr_job *job, const struct rank_bytes *r, int *peak)
{
    double most = -1;
    for (int i = 0; i < N_INSTANTS; i++) {
        double activations, gradients;
        instant_bytes(job, r, (enum instant)i, &activations, &gradients);
        if (activations + gradients > most) {
            most = activations + gradients;
            *peak = i;
        }
    }
    return most + rank_static(job, r);
}

static void add_tensor(struct orr_memory *memory, enum orr_memory_part part, const char *name, const char *shape,
                       const char *sharding, const char *lifetime, double bytes, bool at_peak)
{
    if (bytes == 0 || memory->n_tensors >= ORR_MAX_TENSORS) return;
    memory->tensors[memory->n_tensors++] = (struct orr_tensor){.name = name,
                                                               .shape = shape,
                                                               .sharding = sharding,
                                                               .lifetime = lifetime,
                                                               .part = part,
                                                               .bytes = bytes,
                                                               .at_peak = at_peak};
}

static void list_static(const struct orr_job *job, const struct rank_bytes *r, int peak, double gradients,
                        struct orr_memory *memory)
{
    const char *tp = "tp, pp; experts ep etp", *zero1 = "tp, pp; dp from ZeRO-1",
               *zero2 = orr_adds_whole_gradients(job) ? "tp, pp" : "tp, pp; dp from ZeRO-2";
    add_tensor(memory, ORR_MEMORY_WEIGHTS, "weights", "params", job->plan.zero >= 3 ? "tp, pp, dp" : tp, "always",
               r->weights, true);
    add_tensor(memory, ORR_MEMORY_GRADIENTS, "gradients", "params", zero2, "always", r->gradients, true);
    add_tensor(memory, ORR_MEMORY_GRADIENTS, "16-bit gradients", "params", tp, "backward to optimizer",
               job->workload.optimizer_in_backward ? 0 : r->gradient_16bit * r->params, peak == END);
    if (peak != END || job->workload.optimizer_in_backward)
        add_tensor(memory, ORR_MEMORY_GRADIENTS, "16-bit gradients so far", "params", tp, "backward to optimizer",
                   gradients, true);
    add_tensor(memory, ORR_MEMORY_OPTIMIZER, "master weights and moments", "params", zero1, "always", r->optimizer,
               true);
    add_tensor(memory, ORR_MEMORY_WORKSPACE, "transfers with the host", "2 layers", "tp, pp", "always", r->buffers,
               true);
    add_tensor(memory, ORR_MEMORY_WORKSPACE, "gathered layers", orr_keeps_gathered(job) ? "params" : "2 layers",
               "tp, pp", "forward and backward", r->gathered, true);
    add_tensor(memory, ORR_MEMORY_WORKSPACE, "library workspace", "", "", "always", job->engine.workspace_bytes, true);
}

/* Adds what the layers of one kind keep, by block, to the sums of the rank. */
static void add_saved(const struct orr_job *job, const struct orr_layer_bytes *layer, double n,
                      struct orr_layer_bytes *sum)
{
    const bool core = layer->recompute == ORR_RECOMPUTE_CORE;
    if (layer->recompute == ORR_RECOMPUTE_FULL) {
        sum->input += n * layer->input / (double)job->workload.recompute_every;
    } else if (layer->recompute == ORR_RECOMPUTE_BY_OP) {
        sum->by_ops += n * orr_layer_saved_bytes(job, layer);
    } else {
        sum->norms += n * layer->norms;
        sum->attention += n * layer->attention;
        sum->scores += core && job->workload.attention == ORR_ATTENTION_UNFUSED ? 0 : n * layer->scores;
        sum->ffn += n * layer->ffn;
        sum->masks += n * layer->masks;
        sum->repeated += n * layer->repeated;
    }
}

/* List the saved tensors by block, for all layers of the rank and so many micro-batches. */
static void list_saved(const struct orr_job *job, const struct orr_stage *stage, const struct orr_layer_bytes *layers,
                       double micro_batches, struct orr_memory *memory)
{
    struct orr_layer_bytes sum = {0};
    const bool at_peak = true;
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        add_saved(job, &layers[k], (1 - stage->skipped_frac) * stage->n_layers[k] * micro_batches, &sum);
    const enum orr_memory_part part = ORR_MEMORY_ACTIVATIONS;
    const char *norm = job->plan.sp ? "tp, cp" : "cp", *life = "forward to backward";
    add_tensor(memory, part, "layer inputs", "b s h", norm, life, sum.input, at_peak);
    add_tensor(memory, part, "kept products and attention", "b s (3h + kv + f)", "tp, cp", life, sum.by_ops, at_peak);
    add_tensor(memory, part, "norm inputs", "b s h", norm, life, sum.norms, at_peak);
    add_tensor(memory, part, "attention: input, q, k, v, output", "b s (h + (2a+2k) d)", "tp, cp", life, sum.attention,
               at_peak);
    add_tensor(memory, part, "attention scores or row statistics", "b a s s", "tp, cp", life, sum.scores, at_peak);
    add_tensor(memory, part, "feed-forward: input, hidden", "b s (h + f)", "tp, cp", life, sum.ffn, at_peak);
    add_tensor(memory, part, "dropout masks", "b s h", norm, life, sum.masks, at_peak);
    add_tensor(memory, part, "of these, made again in backward", "outputs of the listed operators", "tp, cp", life,
               -sum.repeated, at_peak);
}

static void list_working(const struct orr_job *job, const struct rank_bytes *r, int peak, struct orr_memory *memory)
{
    const enum orr_memory_part part = ORR_MEMORY_ACTIVATIONS;
    const double live = r->in_flight - (peak == END || peak == LAST_CORE ? 1 : 0);
    add_tensor(memory, part, "tower: saved layers and inputs", "images, positions, h", "tp", "forward to backward",
               live * r->tower_saved, true);
    add_tensor(memory, part, "held by the communication stream", "b s h", "cp", "until the device has passed",
               live * r->held, true);
    add_tensor(memory, part, "reserved by the allocator", "share of saved layers", "tp, cp", "always", r->reserved,
               true);
    const bool layer = peak == FIRST_FFN || peak == FIRST_CORE || peak == LAST_CORE;
    add_tensor(memory, part, "embedding dropout mask", "b s h", "tp with sp, cp", "forward to backward",
               r->in_flight * r->embedding_mask, true);
    add_tensor(memory, part, "head: norm input, head input", "b s h", "tp with sp, cp", "loss", r->head_saved,
               peak == LOSS);
    add_tensor(memory, part, "logits and their gradients", "b s V", "tp, cp", "loss", r->logits, peak == LOSS);
    const double recomputed = peak == LAST_CORE ? r->recomputed : r->last_recomputed;
    add_tensor(memory, part, "16-bit copies of the weights", "params", "tp, pp", "forward to backward", r->casts,
               peak == LOSS || (job->workload.recompute != ORR_RECOMPUTE_FULL && peak < LAST_CORE));
    add_tensor(memory, part, "layer at work, saved", "one layer", "tp, cp", "its backward", first_layer_saved(r),
               peak == LAST_CORE);
    add_tensor(memory, part, "feed-forward of that layer, freed", "b s (h + f)", "tp, cp", "after its backward",
               -freed_ffn(job, r, recomputed), peak == FIRST_CORE || peak == LAST_CORE);
    add_tensor(memory, part, "recomputed layer", "one layer", "tp, cp", "its backward", recomputed, layer);
    add_tensor(memory, part, "attention backward", "b a s s, or b s h", "tp, cp", "its backward", r->core_transient,
               peak == FIRST_CORE || peak == LAST_CORE);
    add_tensor(memory, part, "feed-forward backward", "b s f", "tp, cp", "its backward", r->ffn_transient,
               peak == FIRST_FFN);
}

static void fill(const struct orr_job *job, const struct orr_stage *stage, const struct orr_layer_bytes *layers,
                 const struct rank_bytes *r, int peak, struct orr_memory *memory)
{
    double activations, gradients;
    memory->n_instants = N_INSTANTS;
    memory->peak_instant = peak;
    memory->in_flight = r->in_flight;
    for (int i = 0; i < N_INSTANTS; i++) {
        instant_bytes(job, r, (enum instant)i, &activations, &gradients);
        memory->instants[i] = (struct orr_instant){INSTANT_NAMES[i], rank_static(job, r) + activations + gradients};
    }
    instant_bytes(job, r, (enum instant)peak, &activations, &gradients);
    memory->part_bytes[ORR_MEMORY_WEIGHTS] = r->weights;
    memory->part_bytes[ORR_MEMORY_GRADIENTS] = r->gradients + gradients;
    memory->part_bytes[ORR_MEMORY_OPTIMIZER] = r->optimizer;
    memory->part_bytes[ORR_MEMORY_ACTIVATIONS] = activations;
    memory->part_bytes[ORR_MEMORY_WORKSPACE] = r->gathered + r->buffers + job->engine.workspace_bytes;
    memory->n_tensors = 0;
    list_static(job, r, peak, gradients, memory);
    /* The oldest micro-batch has freed its layers when its backward ends. */
    list_saved(job, stage, layers, r->in_flight - (peak == END || peak == LAST_CORE ? 1 : 0), memory);
    list_working(job, r, peak, memory);
    memory->total_bytes = 0;
    for (int i = 0; i < ORR_N_MEMORY_PARTS; i++) memory->total_bytes += memory->part_bytes[i];
}

struct orr_memory_peak orr_memory_peak_of(const struct orr_job *job, const struct orr_dims *dims,
                                          const struct orr_layer_bytes *layers, const struct orr_rank_class *classes,
                                          size_t n_classes, bool ahead)
{
    struct orr_memory_peak peak = {.bytes = -1};
    for (size_t i = 0; i < n_classes; i++) {
        const struct rank_bytes r = rank_bytes_of(job, dims, layers, &classes[i], ahead);
        int instant = 0;
        const double bytes = rank_peak(job, &r, &instant);
        peak.host_bytes = orr_max(peak.host_bytes, r.stored[ORR_STORE_CPU]);
        peak.nvme_bytes = orr_max(peak.nvme_bytes, r.stored[ORR_STORE_NVME]);
        if (bytes <= peak.bytes) continue;
        peak.bytes = bytes;
        peak.class = i;
        peak.instant = instant;
    }
    return peak;
}

double orr_state_bytes(const struct orr_job *job, const struct orr_stage *stage)
{
    struct rank_bytes r = {0};
    add_static(job, stage, &r);
    return rank_static(job, &r);
}

double orr_usable_bytes(const struct orr_job *job)
{
    return job->system.chip.hbm_bytes * (1 - job->engine.fragmentation_frac) - job->engine.context_bytes;
}

double orr_host_bytes(const struct orr_job *job)
{
    return job->system.host_memory_bytes / orr_gpus_of_host(job);
}

void orr_memory_predict(const struct orr_job *job, const struct orr_classes *classes, bool ahead,
                        struct orr_memory *memory)
{
    const struct orr_dims dims = orr_dims_of(job);
    struct orr_layer_bytes layers[ORR_MAX_LAYER_KINDS];
    for (int64_t k = 0; k < job->model.n_kinds; k++) layers[k] = orr_layer_bytes_of(job, &dims, &job->model.kinds[k]);
    const struct orr_memory_peak peak = orr_memory_peak_of(job, &dims, layers, classes->items, classes->n, ahead);
    const struct orr_rank_class *class = &classes->items[peak.class];
    const struct rank_bytes r = rank_bytes_of(job, &dims, layers, class, ahead);
    memory->peak_stage = class->first;
    fill(job, &class->stage, layers, &r, peak.instant, memory);
    memory->most_bytes = memory->total_bytes;
    if (!ahead && job->engine.stream_tensors > 0)
        memory->most_bytes = orr_memory_peak_of(job, &dims, layers, classes->items, classes->n, true).bytes;
    memory->capacity_bytes = job->system.chip.hbm_bytes;
    memory->usable_bytes = orr_usable_bytes(job);
    memory->host_bytes = peak.host_bytes;
    memory->nvme_bytes = peak.nvme_bytes;
    memory->host_capacity_bytes = orr_host_bytes(job);
    memory->nvme_capacity_bytes = job->system.nvme_bytes / orr_gpus_of_host(job);
}
