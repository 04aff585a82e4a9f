/* Layers and parameters of each pipeline rank, and FLOP of the model. */
#include "ops/ops.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "ops/mixer.h"

#include <string.h>

/* The matrices of compressed attention whose columns or rows belong to heads. */
static double compressed_head_params(double h, const struct orr_layer_kind *kind)
{
    const double width = (double)(kind->n_heads * kind->head_qk), rank = (double)kind->out_rank;
    return (double)kind->mla_q_rank * width + width * rank + (double)kind->out_groups * rank * h;
}

/* Attention parameters that are not divided by tp: latent down-projections and their norms (Eq. 11a), an indexer, and
 * the low-rank part of gates. */
static double replicated_attention_params(const struct orr_model *model, const struct orr_layer_kind *kind)
{
    const double h = (double)model->hidden, r = (double)kind->mla_kv_rank, r_q = (double)kind->mla_q_rank;
    const double heads = (double)kind->index_heads, size = (double)kind->index_size;
    const double gates =
        kind->mixer == ORR_MIXER_KDA ? (kind->scan_full_gate ? 1 : 2) * h * (double)kind->scan_rank : 0;
    if (orr_kind_compresses(kind)) /* all but the matrices by heads */
        return (double)kind->attention_params - compressed_head_params(h, kind) - (double)kind->n_heads;
    if (kind->mla_kv_rank == 0) return gates + (heads > 0 ? h * heads * size + h * size + 2 * size : 0);
    const double indexer = heads > 0 ? r_q * heads * size + h * size + 2 * size + h * heads : 0;
    return h * (r_q + r + (double)kind->mla_rope) + r_q + r + indexer;
}

double orr_dense_params_of(const struct orr_model *model, const struct orr_layer_kind *kind, double ranks)
{
    const double replicated = replicated_attention_params(model, kind);
    return replicated + ((double)kind->attention_params - replicated + (double)kind->ffn_params) / ranks +
           (double)(kind->norm_params + kind->router_params);
}

double orr_rank_dense_params(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return orr_dense_params_of(&job->model, kind, (double)job->plan.tp);
}

/* Mergers are divided over the ranks like layers; every rank has patch embedding, positions and norms whole. */
double orr_rank_tower_edge_params(const struct orr_job *job)
{
    const struct orr_tower *tower = &job->model.tower;
    const double t = orr_tower_ranks(job);
    double params = (double)tower->other_params;
    for (int64_t i = 0; i < tower->n_products; i++) {
        const struct orr_tower_product *product = &tower->products[i];
        params += (double)(product->count * product->params) / (product->input ? 1 : t);
    }
    return params;
}

double orr_rank_tower_params(const struct orr_job *job)
{
    const struct orr_tower *tower = &job->model.tower;
    const double t = orr_tower_ranks(job);
    double params = orr_rank_tower_edge_params(job);
    for (int k = 0; k < 2; k++)
        params += (double)tower->n_layers[k] * orr_dense_params_of(&job->model, &tower->kinds[k], t);
    return params;
}

int64_t orr_expert_places(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    const int64_t ep = job->plan.ep;
    return (kind->n_experts + ep - 1) / ep * ep;
}

double orr_rank_expert_params(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return (double)(kind->expert_params * orr_expert_places(job, kind)) / (double)(job->plan.ep * job->plan.etp);
}

/* Parameters of the rows that pad the vocabulary, in the whole TP group. */
static double padding_params(const struct orr_job *job)
{
    const double multiple = (double)(job->engine.vocab_multiple * job->plan.tp), vocab = (double)job->model.vocab;
    return (orr_ceil(vocab / multiple) * multiple - vocab) * (double)job->model.hidden;
}

/* Ranks over which the tables at the ends of the network are divided; Eq. 330: serving engines may keep them whole. */
static double ends_ranks(const struct orr_job *job)
{
    return job->kind != ORR_JOB_TRAIN && job->engine.whole_head ? 1 : (double)job->plan.tp;
}

double orr_rank_embedding_params(const struct orr_job *job)
{
    const double matrix = (double)(job->model.vocab * job->model.hidden);
    return (matrix + padding_params(job)) / ends_ranks(job) + ((double)job->model.embedding_params - matrix);
}

double orr_rank_head_params(const struct orr_job *job)
{
    const double matrix = (double)(job->model.vocab * job->model.hidden),
                 copy = (matrix + padding_params(job)) / ends_ranks(job);
    if (job->model.tied_embeddings) return (double)job->model.head_params + (orr_ends_apart(&job->plan) ? copy : 0);
    return (double)job->model.head_params - matrix + copy;
}

/* The projection, which joins the embedding of the next token to the hidden state, is divided over the TP group. */
double orr_rank_mtp_params(const struct orr_job *job)
{
    const double h = (double)job->model.hidden, projection = 2 * h * h;
    return projection / (double)job->plan.tp + (double)job->model.mtp_params - projection;
}

/* Chunks are equal if possible. Else embedding, head and each prediction layer count as one layer: if that divides
 * evenly, the first and the last chunk (or only the last) hold fewer layers to offset them. Else the chunks after the
 * first take the remainder, one layer each. */
int64_t orr_chunk_layers(const struct orr_job *job, int64_t i)
{
    const int64_t n_chunks = job->plan.pp * job->plan.vpp;
    if (job->plan.n_stage_layers) return job->plan.stage_layers[i];
    const int64_t n_layers = job->model.n_layers, n_mtp = job->workload.mtp_layers;
    const int64_t remainder = n_layers % n_chunks, slots = n_layers + n_mtp + 2, each = slots / n_chunks;
    const bool full_first = n_mtp > 0 && job->engine.mtp_full_first_chunk && each >= n_mtp + 2;
    const int64_t first_less = full_first ? 0 : 1, last_less = n_mtp + 2 - first_less;
    if (remainder && n_chunks > 1 && slots % n_chunks == 0 && each >= last_less)
        return each - (i == 0 ? first_less : i == n_chunks - 1 ? last_less : 0);
    const int64_t first = remainder == n_chunks - 1 || n_chunks == 1 ? 0 : 1;
    return n_layers / n_chunks + (i >= first && i < first + remainder ? 1 : 0);
}

/* The kind of a layer, `position` layers after the first of its chunk. Where only the first few are recomputed, the
 * others are of the kept twin. */
static int64_t kind_at(const struct orr_job *job, int64_t layer, int64_t position)
{
    const int64_t kind = job->model.layer_kind[layer], first = job->workload.recompute_first;
    return kind + (first > 0 && position >= first ? orr_twin_offset(job) : 0);
}

/* Eq. 131. A heavy head leaves the last stages without a layer. */
static void lay_out_by_cost(const struct orr_job *job, struct orr_stage *stages)
{
    struct orr_cost_walk walk = orr_cost_walk_start(&job->model, job->plan.pp);
    int64_t first = 0; /* layer of the stage */
    for (int64_t i = 0; i < job->model.n_layers; i++) {
        const int64_t stage = orr_cost_walk_place(&walk, &job->model, i);
        stages[stage].n_layers[kind_at(job, i, i - first)] += 1;
        if (walk.stage > stage) first = i + 1;
    }
    for (int64_t i = 0; i < job->plan.pp; i++) stages[i].head = i == walk.stage;
}

double orr_micro_batches(const struct orr_job *job)
{
    return (double)job->workload.global_batch / (double)(job->plan.dp * job->workload.micro_batch);
}

void orr_count_layers(const struct orr_model *model, double n_layers[ORR_MAX_LAYER_KINDS])
{
    memset(n_layers, 0, ORR_MAX_LAYER_KINDS * sizeof *n_layers);
    if (model->n_kinds == 1) n_layers[0] = (double)model->n_layers;
    else
        for (int64_t i = 0; i < model->n_layers; i++) n_layers[model->layer_kind[i]] += 1;
}

/* What is trained of a stage whose parameters are counted (Eq. 147). */
static void count_trained(const struct orr_job *job, struct orr_stage *stage)
{
    stage->trained_dense = stage->dense_params;
    stage->trained_expert = stage->expert_params;
    stage->matrix_params = stage->adapter_params = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &job->model.kinds[k];
        const double n = stage->n_layers[k], dense = orr_rank_dense_params(job, kind);
        const double adapters = orr_adapter_params(job, kind), experts = orr_adapter_expert_params(job, kind);
        stage->matrix_params += n * (dense - (double)(kind->norm_params + kind->router_params));
        stage->adapter_params += n * (adapters + experts);
        if (!kind->frozen && !orr_adapts(job)) continue;
        stage->trained_dense += n * (adapters - dense);
        stage->trained_expert += n * (experts - orr_rank_expert_params(job, kind));
    }
    if (stage->embedding && !orr_trains_embedding(job)) stage->trained_dense -= orr_rank_embedding_params(job);
    if (stage->head && !orr_trains_head(job)) stage->trained_dense -= orr_rank_head_params(job);
    if (stage->embedding && job->media.encodes && !orr_trains_tower(job))
        stage->trained_dense -= orr_rank_tower_params(job);
    stage->trained_dense = orr_max(0, stage->trained_dense);
}

void orr_stage_count(const struct orr_job *job, struct orr_stage *stage)
{
    stage->dense_params = stage->expert_params = 0;
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        stage->dense_params += stage->n_layers[k] * orr_rank_dense_params(job, &job->model.kinds[k]);
        stage->expert_params += stage->n_layers[k] * orr_rank_expert_params(job, &job->model.kinds[k]);
    }
    stage->dense_params +=
        (stage->embedding ? orr_rank_embedding_params(job) : 0) + (stage->head ? orr_rank_head_params(job) : 0);
    if (stage->embedding && job->media.encodes) stage->dense_params += orr_rank_tower_params(job);
    if (stage->n_mtp > 0) /* The stage has a copy of the embedding unless it is the first. */
        stage->dense_params +=
            stage->n_mtp * orr_rank_mtp_params(job) + (stage->embedding ? 0 : orr_rank_embedding_params(job));
    count_trained(job, stage);
}

/* The rank of a chunk: round the ranks again and again or, in a V, down and back up. */
static int64_t rank_of_chunk(const struct orr_plan *plan, int64_t chunk)
{
    return orr_is_vee(plan->schedule) && chunk >= plan->pp ? 2 * plan->pp - 1 - chunk : chunk % plan->pp;
}

/* A pipeline that is fed from both ends has a second copy of every stage on the mirrored rank. */
static void join_mirrors(struct orr_stage *stages, int64_t pp)
{
    for (int64_t i = 0; i < pp / 2; i++) {
        struct orr_stage *a = &stages[i];
        const struct orr_stage *b = &stages[pp - 1 - i];
        for (int k = 0; k < ORR_MAX_LAYER_KINDS; k++) a->n_layers[k] += b->n_layers[k];
        a->embedding |= b->embedding;
        a->head |= b->head;
        a->n_mtp += b->n_mtp;
        a->skipped_frac = 0.5;
        stages[pp - 1 - i] = *a;
    }
}

void orr_stages_build(const struct orr_job *job, struct orr_stage *stages)
{
    const struct orr_plan *plan = &job->plan;
    const int64_t n_chunks = plan->pp * plan->vpp, last_rank = rank_of_chunk(plan, n_chunks - 1);
    for (int64_t i = 0; i < plan->pp; i++) stages[i] = (struct orr_stage){.embedding = i == 0, .head = i == last_rank};
    const bool by_cost = orr_stages_by_cost(job);
    if (by_cost) lay_out_by_cost(job, stages);
    for (int64_t chunk = 0, layer = 0; chunk < n_chunks && !by_cost; chunk++) {
        struct orr_stage *stage = &stages[rank_of_chunk(plan, chunk)];
        const int64_t n = orr_chunk_layers(job, chunk);
        if (job->model.n_kinds == 1) stage->n_layers[0] += (double)n;
        else
            for (int64_t i = 0; i < n; i++) stage->n_layers[kind_at(job, layer++, i)] += 1;
    }
    if (job->workload.mtp_layers > 0 && job->kind == ORR_JOB_TRAIN) {
        int64_t head = plan->pp - 1;
        while (!stages[head].head) head--;
        struct orr_stage *last = &stages[head];
        last->n_mtp = (double)job->workload.mtp_layers;
        last->n_layers[job->model.layer_kind[job->model.n_layers - 1]] += last->n_mtp;
    }
    if (plan->schedule == ORR_SCHEDULE_DUALPIPE) join_mirrors(stages, plan->pp);
    for (int64_t i = 0; i < plan->pp; i++) orr_stage_count(job, &stages[i]);
}

static bool same_stage(const struct orr_stage *a, const struct orr_stage *b)
{
    return a->embedding == b->embedding && a->head == b->head && a->n_mtp == b->n_mtp &&
           memcmp(a->n_layers, b->n_layers, sizeof a->n_layers) == 0;
}

void orr_classes_build(const struct orr_stage *stages, int64_t n_stages, struct orr_classes *classes)
{
    classes->n = 0;
    for (int64_t i = 0; i < n_stages; i++) {
        size_t c = classes->n; /* The newest class is tried first: neighbours are mostly alike. */
        while (c > 0 && !same_stage(&classes->items[c - 1].stage, &stages[i])) c--;
        if (c == 0) {
            c = ++classes->n;
            classes->items[c - 1] = (struct orr_rank_class){.stage = stages[i], .first = i};
        }
        classes->items[c - 1].ranks += 1;
        classes->of_rank[i] = (uint16_t)(c - 1);
    }
}

const struct orr_stage *orr_classes_heaviest(const struct orr_rank_class *classes, size_t n_classes)
{
    const struct orr_stage *heaviest = &classes->stage;
    for (size_t i = 1; i < n_classes; i++)
        if (classes[i].stage.dense_params + classes[i].stage.expert_params >
            heaviest->dense_params + heaviest->expert_params)
            heaviest = &classes[i].stage;
    return heaviest;
}

static double scan_matrix_params(double h, const struct orr_layer_kind *kind)
{
    if (!orr_kind_scans(kind)) return 0;
    const struct orr_scan_sizes z = orr_scan_sizes_of(kind, 1);
    const double low = kind->mixer == ORR_MIXER_KDA ? h * z.low_in + z.low_in * z.low_out
                                                    : z.width * z.low_in + (double)kind->scan_rank * z.low_out;
    return h * (z.in + z.width) + (z.low_in > 0 ? low : 0);
}

/* Weights that a token is multiplied with in one layer (Eqs. 17-19 without norms and biases). */
static double active_matrix_params(double h, const struct orr_layer_kind *kind)
{
    const double a = (double)kind->n_heads, d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    const double matrices = kind->gated ? 3 : 2, routed = (double)(kind->n_active * kind->expert_width);
    const double latent = (double)kind->expert_hidden;
    double params = (kind->out_groups > 0 ? 0 : a * d_v * h) + scan_matrix_params(h, kind);
    if (orr_kind_compresses(kind)) {
        params += compressed_head_params(h, kind) + h * (double)(kind->mla_q_rank + kind->head_qk);
        params += h * (orr_compressor_columns(kind) + orr_index_compressor_columns(kind));
    } else if (kind->mla_kv_rank > 0) {
        const double r_q = (double)kind->mla_q_rank, r = (double)kind->mla_kv_rank, d_r = (double)kind->mla_rope;
        params += r_q > 0 ? h * r_q + r_q * a * d_qk : h * a * d_qk;
        params += h * (r + d_r) + r * a * (d_qk - d_r + d_v) + h * (double)kind->gate_columns;
    } else {
        const double kv = kind->shared_kv ? 0 : (double)kind->n_kv_heads;
        params += h * (a * d_qk + kv * (d_qk + (kind->kv_equal ? 0 : d_v)) + (double)kind->gate_columns);
    }
    if (kind->cross_keys > 0 && !kind->cross_only) params += h * a * (d_qk + d_v);
    params += (kind->mla_q_rank > 0 ? (double)kind->mla_q_rank : h) * (double)(kind->index_heads * kind->index_size) +
              h * (double)(kind->mla_q_rank > 0 ? kind->index_heads : 0);
    if (kind->compress_ratio == 0) params += h * (double)kind->index_size; /* else the compressor makes index keys */
    params += matrices * h * (double)(kind->ffn_width + kind->shared_width) + 2 * h * (double)kind->layer_embedding;
    params += latent > 0 ? matrices * latent * routed + 2 * h * latent : matrices * h * routed;
    const double n = (double)kind->residual_streams; /* the weights of the streams, for two blocks */
    return params + h * (double)(kind->n_experts + kind->n_zero_experts) + 2 * n * h * (2 * n + n * n);
}

/* Forward FLOP of one token in one layer, counting the share `score_share` of the score matrix (Eq. 20). */
static double layer_flops_per_token(const struct orr_job *job, const struct orr_layer_kind *kind, double score_share)
{
    const int64_t sample = job->workload.sample_len;
    const double s = (double)(sample > 0 ? sample : job->workload.seq), limit = orr_kind_key_limit(kind);
    const double stride = kind->compress_ratio > 0 ? (double)kind->compress_ratio : 1;
    const double keys = (kind->cross_only ? 0 : limit > 0 ? orr_min(limit, s) : s) + orr_entries_kept(kind, s);
    const double head = (double)(kind->n_heads * (kind->head_qk + kind->head_v));
    const double index = 2 * (double)(kind->index_heads * kind->index_size) * s / stride * score_share;
    return 2 * active_matrix_params((double)job->model.hidden, kind) + 2 * head * keys * score_share +
           2 * head * orr_cross_keys(job, kind) + index + orr_scan_sizes_of(kind, 1).chunked_flops;
}

/* Eq. 124: forward FLOP of the tower for one sequence: every position goes through the products of all layers, and
 * attends to the positions of its image or window. */
double orr_tower_flops(const struct orr_job *job)
{
    const struct orr_tower *tower = &job->model.tower;
    const double s = (double)job->media.tower_positions, h = (double)tower->hidden;
    double flops = 0;
    if (!job->media.encodes) return 0;
    for (int k = 0; k < 2; k++) {
        const struct orr_layer_kind *kind = &tower->kinds[k];
        const double limit = orr_kind_key_limit(kind), keys = limit > 0 ? orr_min(limit, s) : s;
        const double head = (double)(kind->n_heads * (kind->head_qk + kind->head_v));
        flops += (double)tower->n_layers[k] * s * 2 * (active_matrix_params(h, kind) + head * keys);
    }
    for (int64_t i = 0; i < tower->n_products; i++) {
        const struct orr_tower_product *product = &tower->products[i];
        flops += 2 * s * orr_tower_rows(product) * (double)(product->count * product->in * product->out);
    }
    return (double)job->media.tower_runs * flops;
}

/* The share of three passes of forward FLOP that training a layer takes: frozen matrices have no gradients of weights,
 * and layers below everything that is trained have no backward. */
static double trained_flops(const struct orr_job *job, const struct orr_layer_kind *kind, double flops)
{
    if (kind->no_backward) return flops / 3;
    if (!kind->frozen && !orr_adapts(job)) return flops;
    return flops - 2 * active_matrix_params((double)job->model.hidden, kind) / 3;
}

static double step_flops(const struct orr_job *job, double score_share)
{
    const struct orr_model *model = &job->model;
    double per_token = 2 * (double)(model->hidden * model->vocab), kind_flops[ORR_MAX_LAYER_KINDS] = {0};
    double n_layers[ORR_MAX_LAYER_KINDS];
    if (!orr_trains_head(job)) per_token *= 2.0 / 3;
    for (int64_t k = 0; k < model->n_kinds; k++)
        kind_flops[k] = trained_flops(job, &model->kinds[k], layer_flops_per_token(job, &model->kinds[k], score_share));
    orr_count_layers(model, n_layers);
    for (int64_t k = 0; k < model->n_kinds; k++) per_token += n_layers[k] * kind_flops[k];
    per_token += (double)job->workload.mtp_layers * (kind_flops[model->layer_kind[model->n_layers - 1]] +
                                                     2 * (double)(model->hidden * (2 * model->hidden + model->vocab)));
    return 3 * (per_token * (double)job->workload.seq + orr_tower_flops(job)) * (double)job->workload.global_batch;
}

double orr_model_flops(const struct orr_job *job)
{
    return step_flops(job, 1);
}

double orr_model_flops_causal(const struct orr_job *job)
{
    return step_flops(job, 0.5);
}
