/* What an inference job needs on one GPU, how much of it the engine allows the KV cache, and what a sequence takes of
 * that where the cache is cut into pools. Eqs. 90, 90a, 387. */
#include "memory/serving.h"

#include "base/number.h"
#include "base/text.h"
#include "base/units.h"
#include "ops/mixer.h"
#include "spec/job.h"

#include <math.h>
#include <stdio.h>

/* The kinds of layers of the fullest pipeline rank, counted once. Prediction layers that draft follow as one more. */
struct profile {
    int64_t n_kinds;  /* of the model */
    int64_t n_caches; /* with the prediction layers */
    double layers[ORR_MAX_LAYER_KINDS], kv_bytes[ORR_MAX_LAYER_KINDS + 1], window[ORR_MAX_LAYER_KINDS + 1];
    double block;
    double state_bytes;      /* states of a sequence, at any length */
    double slot_bytes;       /* recurrent states of one place in their pool */
    double slots;            /* places of a sequence */
    double window_pool_frac; /* tokens of the windowed layers' pool over those of the others; 0: no such pool */
    double state_pool_frac;  /* share of the budget that is the states' pool; 0: no such pool */
    bool drafts;             /* the rank holds the prediction layers */
};

/* Prediction layers are loaded only where they draft. */
static bool loads_mtp(const struct orr_job *job)
{
    return job->draft.is_mtp && job->serving.draft_tokens > 0;
}

/* State bytes of one sequence in a layer on one rank, at any length. Speculation keeps the state after every draft. */
static double layer_state_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const double states = orr_kind_scans(kind) ? 1 + (double)job->serving.draft_tokens : 1;
    return states * orr_sequence_state_bytes(kind, orr_cross_keys(job, kind), (double)job->plan.tp,
                                             orr_state_key_bytes(job, kind));
}

/* Cache bytes of one token in a layer on one rank, with the room that engines may keep for layers without keys of their
 * own. */
static double layer_kv_bytes(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    if (!kind->shared_kv || !job->engine.shared_kv_room) return orr_kv_rank_bytes(job, kind);
    struct orr_layer_kind own = *kind;
    own.shared_kv = false;
    return orr_kv_rank_bytes(job, &own);
}

/* Cache bytes of one token on a pipeline rank, plus its share of a sequence's states, spread over a long context. */
static double stage_kv_bytes(const struct orr_job *job, const struct orr_stage *stage)
{
    const double length = (double)(orr_prompt_len(job) + job->serving.output_len);
    double bytes = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        bytes += stage->n_layers[k] *
                 (layer_kv_bytes(job, &job->model.kinds[k]) + layer_state_bytes(job, &job->model.kinds[k]) / length);
    return bytes;
}

/* Are the caches of windowed layers cut to their windows? */
static bool cuts_windows(const struct orr_job *job)
{
    const char *models = job->engine.window_models;
    return job->engine.kv_windows && (!models[0] || orr_has_word(models, job->model.type));
}

/* Adds the cache of some layers of a kind to the profile. */
static void add_cache(const struct orr_job *job, const struct orr_layer_kind *kind, double layers, struct profile *p)
{
    p->kv_bytes[p->n_caches] = layers * layer_kv_bytes(job, kind);
    p->state_bytes += layers * layer_state_bytes(job, kind);
    if (orr_kind_scans(kind)) p->slot_bytes += layers * orr_sequence_state_bytes(kind, 0, (double)job->plan.tp, 0);
    const bool limited = kind->window > 0 && cuts_windows(job) && !orr_kind_compresses(kind);
    p->window[p->n_caches++] = limited ? (double)kind->window : HUGE_VAL; /* compressed entries have no window */
}

/* The last stage runs the prediction layers, so it is the fullest where it has no fewer cache bytes with theirs. */
static bool last_is_fullest(const struct orr_job *job, const struct orr_stage *stages, const struct orr_stage *fullest)
{
    if (!loads_mtp(job)) return false;
    const double own = (double)job->draft.n_layers * orr_kv_rank_bytes(job, &job->draft.kinds[0]);
    return stage_kv_bytes(job, &stages[job->plan.pp - 1]) + own >= stage_kv_bytes(job, fullest);
}

/* Eq. 389: states and blocks of tokens are pages of one size. A block has as many tokens as the largest state of a
 * layer needs, in whole blocks of the engine, and a state fills a page. */
static void fill_pages(const struct orr_job *job, struct profile *p)
{
    double token_bytes = 0, state_bytes = 0, states = 0;
    for (int64_t k = 0; k < p->n_kinds; k++) {
        const struct orr_layer_kind *kind = &job->model.kinds[k];
        if (p->layers[k] <= 0) continue;
        token_bytes = orr_max(token_bytes, layer_kv_bytes(job, kind));
        if (!orr_kind_scans(kind)) continue;
        state_bytes = orr_max(state_bytes, orr_sequence_state_bytes(kind, 0, (double)job->plan.tp, 0));
        states += p->layers[k] * (1 + (double)job->serving.draft_tokens);
    }
    if (token_bytes <= 0 || states <= 0) return;
    p->block *= orr_ceil(state_bytes / (p->block * token_bytes));
    p->state_bytes += states * p->block * token_bytes - (1 + (double)job->serving.draft_tokens) * p->slot_bytes;
}

static struct profile profile_of(const struct orr_job *job, const struct orr_stage *stages)
{
    const struct orr_stage *fullest = stages;
    const struct orr_engine *engine = &job->engine;
    const double kept =
        engine->prefix_cache && engine->states_per_sequence > 1 ? (double)engine->states_per_sequence : 1;
    struct profile p = {.n_kinds = job->model.n_kinds,
                        .block = (double)engine->kv_block_tokens,
                        .slots = kept + (double)job->serving.draft_tokens,
                        .window_pool_frac = engine->window_pool_frac,
                        .state_pool_frac = engine->state_pool_frac};
    for (int64_t i = 1; i < job->plan.pp; i++)
        if (stage_kv_bytes(job, &stages[i]) > stage_kv_bytes(job, fullest)) fullest = &stages[i];
    p.drafts = last_is_fullest(job, stages, fullest);
    if (p.drafts) fullest = &stages[job->plan.pp - 1];
    for (int64_t k = 0; k < p.n_kinds; k++) {
        p.layers[k] = fullest->n_layers[k];
        add_cache(job, &job->model.kinds[k], p.layers[k], &p);
    }
    if (p.drafts) add_cache(job, &job->draft.kinds[0], (double)job->draft.n_layers, &p);
    if (engine->state_pages) fill_pages(job, &p);
    return p;
}

static double held_tokens(const struct profile *p, double tokens)
{
    return orr_ceil(tokens / p->block) * p->block;
}

/* Keys and values of a sequence, without states. */
static double cached_bytes(const struct profile *p, double length)
{
    double bytes = 0;
    for (int64_t k = 0; k < p->n_caches; k++) bytes += held_tokens(p, orr_min(length, p->window[k])) * p->kv_bytes[k];
    return bytes;
}

static double sequence_bytes(const struct profile *p, double length)
{
    return p->state_bytes + cached_bytes(p, length);
}

/* ---------------------------------------------------------------- pools */

/* Bytes of a token in the layers that keep whole contexts, in those with windows, and the longest window. */
struct sides {
    double whole_bytes, windowed_bytes, window;
};

static struct sides sides_of(const struct profile *p)
{
    struct sides sides = {0};
    for (int64_t k = 0; k < p->n_caches; k++) {
        if (p->window[k] < HUGE_VAL) {
            sides.windowed_bytes += p->kv_bytes[k];
            sides.window = orr_max(sides.window, p->window[k]);
        } else sides.whole_bytes += p->kv_bytes[k];
    }
    return sides;
}

static bool has_window_pool(const struct profile *p)
{
    const struct sides sides = sides_of(p);
    return p->window_pool_frac > 0 && sides.whole_bytes > 0 && sides.windowed_bytes > 0;
}

/* Eq. 387: memory that keys and values of a sequence take from others. Where layers with windows have a pool of their
 * own, of so many tokens for each token of the other layers, the pool that is full first says how many there are. */
static double cache_claim(const struct profile *p, double length)
{
    if (!has_window_pool(p)) return cached_bytes(p, length);
    const struct sides sides = sides_of(p);
    const double whole = held_tokens(p, length), cut = held_tokens(p, orr_min(length, sides.window));
    return orr_max(whole, cut / p->window_pool_frac) * (sides.whole_bytes + p->window_pool_frac * sides.windowed_bytes);
}

static bool has_state_pool(const struct profile *p)
{
    return p->state_pool_frac > 0 && p->slot_bytes > 0;
}

/* Eq. 387: the share of the budget that one sequence takes, in bytes. */
static double claim_bytes(const struct profile *p, double length)
{
    const double cache = cache_claim(p, length);
    if (!has_state_pool(p)) return cache + p->state_bytes;
    return orr_max(cache / (1 - p->state_pool_frac), p->slots * p->slot_bytes / p->state_pool_frac);
}

/* What the budget holds, for a replica whose sequences come and go: tokens at this mean length, and sequences where
 * their states have a pool. */
static void fill_room(const struct profile *p, double length, struct orr_infer_result *result)
{
    const bool pools = has_state_pool(p);
    const double cache = pools ? cache_claim(p, length) : claim_bytes(p, length);
    const double budget = result->kv_budget_bytes * (pools ? 1 - p->state_pool_frac : 1);
    result->kv_room_tokens = cache > 0 ? budget / cache * held_tokens(p, length) : HUGE_VAL;
    result->kv_window_pool = has_window_pool(p);
    result->kv_block_tokens = (int64_t)p->block;
    result->kv_room_sequences = INT64_MAX;
    if (pools)
        result->kv_room_sequences =
            (int64_t)floor(floor(result->kv_budget_bytes * p->state_pool_frac / p->slot_bytes) / p->slots);
}

double orr_kv_sequence_bytes(const struct orr_job *job, const struct orr_stage *stages, double length)
{
    const struct profile p = profile_of(job, stages);
    return sequence_bytes(&p, length);
}

/* Weight bytes of a layer on one rank. Its matrices are in the stored format and its norms in 16 bits, unless its
 * modules have formats of their own. */
static double layer_bytes(const struct orr_job *job, const struct orr_layer_kind *kind, const struct orr_served *served,
                          int64_t k)
{
    const double places = (double)orr_expert_places(job, kind) / (double)(job->plan.ep * job->plan.etp);
    const double stored = orr_stored_bytes(job->serving.weights), wide = 2;
    const double other = (double)(kind->norm_params + kind->router_params);
    if (!served->resolved)
        return orr_rank_expert_params(job, kind) * stored + other * wide +
               (orr_rank_dense_params(job, kind) - other) * stored;
    return served->kinds[k].copied_bytes + served->kinds[k].divided_bytes / (double)job->plan.tp +
           served->kinds[k].expert_bytes * places + served->kinds[k].other_bytes;
}

/* Weight bytes of the prediction layers, which share the head. Their projections are whole on every rank and in 16
 * bits, as serving engines load them (eh_proj in deepseek_mtp.py of vLLM). */
static double mtp_bytes(const struct orr_job *job)
{
    const double layers = (double)job->draft.n_layers, wide = 2;
    return layers *
           (layer_bytes(job, &job->draft.kinds[0], &job->serving.served[1], 0) + (double)job->draft.mtp_params * wide);
}

/* Bytes of a table at an end of the network; `vectors` of its parameters are not part of the matrix. */
static double table_bytes(double params, double vectors, double width, const struct orr_served *served)
{
    return (params - vectors) * width + vectors * served->vector_bytes;
}

/* Weight bytes of a rank: its layers, and the larger end of the network, in 16 bits. Without a pipeline one rank holds
 * both ends. The first stage has the tower, the last one the prediction layers. These share the embedding where it is
 * on their rank, and else have a copy (vLLM, _maybe_share_embeddings). */
static double weight_bytes(const struct orr_job *job, const struct profile *p)
{
    const struct orr_served *served = &job->serving.served[0];
    const double wide = 2;
    double bytes = 0;
    for (int64_t k = 0; k < p->n_kinds; k++) bytes += p->layers[k] * layer_bytes(job, &job->model.kinds[k], served, k);
    double embedding = orr_rank_embedding_params(job) * wide, head = orr_rank_head_params(job) * wide;
    if (served->resolved) {
        const double matrix = (double)(job->model.vocab * job->model.hidden);
        const double positions = (double)job->model.embedding_params - matrix;
        const double norm = (double)job->model.head_params - (job->model.tied_embeddings ? 0 : matrix);
        embedding = table_bytes(orr_rank_embedding_params(job), positions, served->embedding_bytes, served);
        head = table_bytes(orr_rank_head_params(job), norm, served->head_bytes, served);
    }
    const double tower = job->media.encodes ? orr_rank_tower_params(job) * wide : 0; /* in 16 bits */
    const double first = embedding + tower, copied = p->drafts && job->plan.pp > 1 ? embedding : 0;
    const double last = head + copied + (p->drafts ? mtp_bytes(job) : 0);
    return bytes + (job->plan.pp > 1 ? orr_max(first, last) : first + last);
}

/* Columns of the widest product of a layer on one rank. */
static double widest_columns(const struct orr_job *job)
{
    const double t = (double)job->plan.tp;
    double widest = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &job->model.kinds[k];
        const double qkv = (double)((kind->n_heads + 2 * kind->n_kv_heads) * kind->head_qk + kind->gate_columns) / t;
        const double ffn =
            (kind->gated ? 2 : 1) * (double)(kind->ffn_width + kind->shared_width) / t +
            (kind->gated ? 2 : 1) * (double)(kind->n_active * kind->expert_width) / (double)job->plan.etp;
        widest = orr_max(widest, orr_max(orr_max(qkv, ffn), orr_scan_sizes_of(kind, t).in));
    }
    return widest;
}

/* Largest tensors alive in a run of the tower: hidden states, the widest product, and the vectors that it hands to the
 * text model, with those of its deeper mergers. */
static double tower_activation_bytes(const struct orr_job *job, double batch)
{
    const struct orr_tower *tower = &job->model.tower;
    if (!job->media.encodes) return 0;
    const double sequences = batch * (1 - job->serving.prefix_hit_frac);
    const struct orr_dims d = orr_tower_dims(job, sequences / orr_tower_pieces(job, sequences));
    const struct orr_layer_kind *kind = &tower->kinds[0];
    const double widest =
        orr_max(3 * (double)(kind->n_heads * kind->head_qk), (kind->gated ? 2 : 1) * (double)kind->ffn_width) / d.t;
    double output = tower->input == ORR_TOWER_IMAGE ? 0 : d.h; /* columns per position */
    for (int64_t i = 0; i < tower->n_products; i++)
        if (tower->products[i].last)
            output += orr_tower_rows(&tower->products[i]) * (double)(tower->products[i].count * tower->products[i].out);
    return d.T * (2 * d.h + widest + output) * d.w_a;
}

/* Largest tensors alive in a step: hidden states, the widest product, logits of the last positions. The tower has run
 * before the step. */
static double activation_bytes(const struct orr_job *job, double widest, double batch)
{
    const struct orr_serving *s = &job->serving;
    const double t = (double)job->plan.tp, most = orr_serve_step_tokens(job);
    const double prompt = batch * (double)orr_prompt_len(job) * (1 - s->prefix_hit_frac);
    const double rows = orr_max((most > 0 ? orr_min(prompt, most) : prompt) / (double)job->plan.cp, batch);
    const double step = rows * (2 * (double)job->model.hidden + widest) * 2 + batch * (double)job->model.vocab / t * 4;
    return orr_max(step, tower_activation_bytes(job, batch));
}

/* The engine's limit for the cache: a share of the whole memory, of what the weights leave, or including weights. A
 * share of the whole memory that does not count the context still ends where the memory does (Eq. 377). */
static double kv_budget(const struct orr_job *job, double weights, double activations)
{
    const struct orr_engine *engine = &job->engine;
    const double capacity = job->system.chip.hbm_bytes, reserved = engine->context_bytes + engine->workspace_bytes;
    const double kept = engine->budget_after_context ? engine->context_bytes : 0;
    const double whole = orr_min(engine->budget_frac * capacity + kept, capacity);
    double budget = 0;
    switch (engine->budget) {
    case ORR_BUDGET_TOTAL: budget = whole - weights - activations - reserved; break;
    case ORR_BUDGET_FREE: budget = engine->budget_frac * (capacity - weights - activations - reserved); break;
    case ORR_BUDGET_STATIC: budget = engine->budget_frac * capacity - weights - reserved; break;
    case ORR_N_BUDGETS: break;
    }
    return orr_max(0, budget);
}

/* Sequences that take so much of the budget each and fit, including the activations of as many prompts. */
static int64_t most_sequences(const struct orr_job *job, double weights, double widest, double claim)
{
    int64_t fits = 0, step = 1;
    while (step < job->engine.max_requests) step *= 2;
    for (; step > 0; step /= 2) {
        const double batch = (double)(fits + step);
        if (fits + step <= job->engine.max_requests &&
            batch * claim <= kv_budget(job, weights, activation_bytes(job, widest, batch)))
            fits += step;
    }
    return fits;
}

/* A length beyond any context, reported for a cache in which every layer has a window. */
#define ENDLESS (INT64_C(1) << 40)

/* Longest context that the budget holds for every sequence of the batch. The cache grows at least by its layers
 * without a window, which bounds the search from above. */
static int64_t longest_context(const struct profile *p, double batch, double budget)
{
    double token_bytes = 0;
    int64_t fits = 0, step = 1;
    if (batch * claim_bytes(p, (double)ENDLESS) <= budget) return ENDLESS; /* every layer has a window */
    for (int64_t k = 0; k < p->n_caches; k++) token_bytes += p->window[k] < HUGE_VAL ? 0 : p->kv_bytes[k];
    const double most = token_bytes > 0 ? budget / (batch * token_bytes) + p->block : (double)ENDLESS;
    while (step < ENDLESS && (double)step <= most) step *= 2;
    for (; step > 0; step /= 2)
        if (batch * claim_bytes(p, (double)(fits + step)) <= budget) fits += step;
    return fits;
}

void orr_explain_no_room(const struct orr_infer_result *result, const char *advice, char reason[ORR_REASON])
{
    (void)snprintf(
        reason, ORR_REASON, "weights and activations leave nothing for the cache: %.2f of %.2f GiB per GPU; %s",
        (result->memory_bytes[ORR_SERVE_MEMORY_WEIGHTS] + result->memory_bytes[ORR_SERVE_MEMORY_ACTIVATIONS]) / ORR_GIB,
        result->memory_capacity_bytes / ORR_GIB, advice);
}

static void explain_misfit(const struct orr_infer_result *result, int64_t batch, double kv, char reason[ORR_REASON])
{
    const double budget = result->kv_budget_bytes;
    if (budget <= 0) orr_explain_no_room(result, "more tp or pp, or narrower weights", reason);
    else
        snprintf(reason, ORR_REASON,
                 "the cache of %lld sequences needs %.2f GiB per GPU, the engine leaves %.2f: batch at most %lld at "
                 "this length",
                 (long long)batch, kv / ORR_GIB, budget / ORR_GIB, (long long)result->max_batch);
}

/* Cache of the whole model, with prediction layers that draft: bytes per token while no window is full, and bytes of
 * one sequence at its longest. */
static void fill_kv(const struct orr_job *job, double length, struct orr_infer_result *result)
{
    const int64_t n_kinds = job->model.n_kinds;
    double n_layers[ORR_MAX_LAYER_KINDS + 1], per_token = 0, per_sequence = 0, states = 0;
    orr_count_layers(&job->model, n_layers);
    n_layers[n_kinds] = (double)job->draft.n_layers;
    for (int64_t k = 0; k < n_kinds + (loads_mtp(job) ? 1 : 0); k++) {
        const struct orr_layer_kind *kind = k < n_kinds ? &job->model.kinds[k] : &job->draft.kinds[0];
        const double bytes = n_layers[k] * orr_kv_model_bytes(job, kind);
        per_token += bytes;
        const bool limited = kind->window > 0 && !orr_kind_compresses(kind);
        states +=
            n_layers[k] * orr_sequence_state_bytes(kind, orr_cross_keys(job, kind), 1, orr_state_key_bytes(job, kind));
        per_sequence += bytes * (limited ? orr_min(length, (double)kind->window) : length);
    }
    result->kv_bytes_per_token = (int64_t)per_token;
    result->kv_bytes_per_sequence = per_sequence;
    result->state_bytes_per_sequence = states;
}

void orr_serving_memory(const struct orr_job *job, const struct orr_stage *stages, struct orr_infer_result *result)
{
    const struct orr_serving *s = &job->serving;
    const struct profile p = profile_of(job, stages);
    const double length = (double)(orr_prompt_len(job) + s->output_len), kv_sequence = sequence_bytes(&p, length);
    const double kv = (double)s->batch * kv_sequence, claim = claim_bytes(&p, length);
    double *bytes = result->memory_bytes;
    bytes[ORR_SERVE_MEMORY_WEIGHTS] = weight_bytes(job, &p);
    bytes[ORR_SERVE_MEMORY_KV_CACHE] = kv;
    result->kv_gpu_bytes = kv_sequence;
    const double widest = widest_columns(job);
    bytes[ORR_SERVE_MEMORY_ACTIVATIONS] = activation_bytes(job, widest, (double)s->batch);
    bytes[ORR_SERVE_MEMORY_WORKSPACE] = job->engine.workspace_bytes;
    result->memory_total_bytes = 0;
    for (int i = 0; i < ORR_N_SERVE_MEMORY_PARTS; i++) result->memory_total_bytes += bytes[i];
    result->memory_capacity_bytes = job->system.chip.hbm_bytes;
    result->memory_usable_bytes = result->memory_capacity_bytes - job->engine.context_bytes;
    result->kv_budget_bytes = kv_budget(job, bytes[ORR_SERVE_MEMORY_WEIGHTS], bytes[ORR_SERVE_MEMORY_ACTIVATIONS]);
    fill_room(&p, length, result);
    result->max_batch = most_sequences(job, bytes[ORR_SERVE_MEMORY_WEIGHTS], widest, claim);
    result->max_context = longest_context(&p, (double)s->batch, result->kv_budget_bytes);
    result->fits = (double)s->batch * claim <= result->kv_budget_bytes &&
                   result->memory_total_bytes <= result->memory_usable_bytes;
    result->reason[0] = '\0';
    if (!result->fits) explain_misfit(result, s->batch, (double)s->batch * claim, result->reason);
    fill_kv(job, length, result);
}
