/* Activation bytes of one layer: what each block keeps for backward (Eqs. 81-86), and what backward needs besides. */
#include "memory/memory.h"

#include "base/number.h"
#include "ops/adapter.h"
#include "ops/mixer.h"
#include "ops/recipe.h"

static bool unfused(const struct orr_job *job)
{
    return job->workload.attention == ORR_ATTENTION_UNFUSED;
}

/* Bytes of one element of a saved GEMM input (Eq. 166). A tower stays in 16 bits. */
static double input_width(const struct orr_job *job, const struct orr_dims *d)
{
    if (!d->low_precision) return d->w_a;
    const struct orr_recipe recipe = orr_recipe_of(job);
    return orr_min(recipe.saved_bytes, d->w_a) * (1 - recipe.wide_frac) + d->w_a * recipe.wide_frac;
}

/* Are the matrices of a layer trained themselves? */
static bool trained(const struct orr_job *job, const struct orr_layer_kind *kind)
{
    return !kind->frozen && !orr_adapts(job);
}

/* Bytes per element of an input that is kept for the gradients of the weights that read it: one copy for trained
 * matrices, one for their adapters, or one for each adapter that casts it, in fp32 if that is what it multiplies; none
 * for frozen matrices (Eqs. 154, 232). Dropout gives every adapter a copy of its own and a mask (Eq. 314). */
static double input_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind,
                          enum orr_target first, enum orr_target last)
{
    const double in = input_width(job, d);
    double n = 0;
    if (trained(job, kind)) return (job->engine.autocast ? (double)(last - first) + 1 : 1) * in;
    for (int target = (int)first; target <= (int)last; target++)
        n += orr_adapts_target(job, kind, (enum orr_target)target) ? 1 : 0;
    if (n <= 0) return 0;
    const unsigned parts = first == ORR_TARGET_Q ? ORR_QKV_TARGETS : ORR_GATE_UP_TARGETS;
    if ((orr_adapts_joined(job) && first == ORR_TARGET_Q) || orr_adapts_whole(job, kind, parts)) n = 1;
    const bool drops = job->workload.adapter.dropout_frac > 0, apart = drops || orr_adapter_casts(job);
    return (apart ? n : 1) * ((orr_adapter_plain(job) ? 4 : in) + (drops ? 1 : 0));
}

/* Bytes per element that a product with a quantised matrix keeps of its input, unless an adapter beside it keeps the
 * very same tensor (Eq. 312). */
static double quantised_input(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind,
                              enum orr_target first, enum orr_target last)
{
    bool shared = false;
    if (!job->engine.quantised_input_kept || orr_base_kernels(job) <= 0) return 0;
    for (int target = (int)first; target <= (int)last; target++)
        shared |= orr_adapts_target(job, kind, (enum orr_target)target);
    const bool same = shared && job->workload.adapter.dropout_frac <= 0 && !orr_adapter_casts(job);
    return same ? 0 : d->w_a;
}

/* Bytes that a joined product of queries, keys and values keeps besides what attention reads: its columns of queries
 * and keys, of which rotary positions make copies; and the output of adapters that is scattered over its columns
 * (Eq. 313). */
static double joined_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double a = (double)kind->n_heads / d->t,
                 kv = kind->shared_kv ? 0 : orr_max(1, (double)kind->n_kv_heads / d->t);
    const double columns[3] = {a * (double)kind->head_qk, kv * (double)kind->head_qk, kv * (double)kind->head_v};
    double scattered = 0;
    int n = 0;
    for (int i = 0; i < 3; i++) {
        if (!orr_adapts_target(job, kind, (enum orr_target)(ORR_TARGET_Q + i))) continue;
        scattered += columns[i];
        n++;
    }
    if (!orr_adapts_joined(job) || n == 3) scattered = 0;
    return d->w_a * d->T * (scattered + (job->engine.joined_qkv_kept && kind->rope ? columns[0] + columns[1] : 0));
}

/* Bytes that adapters beside `n` outputs keep: the columns of their rank, and with DoRA both outputs. */
static double beside_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind,
                           enum orr_target target, double n)
{
    if (!orr_adapts_target(job, kind, target) || n <= 0) return 0;
    const bool lengths = job->workload.adapter.kind == ORR_ADAPTER_DORA;
    const double w = orr_adapter_plain(job) ? 4 : d->w_a;
    return d->T * (w * (double)job->workload.adapter.rank + (lengths ? (d->w_a + w) * n : 0));
}

static double attention_beside(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double a = (double)kind->n_heads / d->t, kv = orr_max(1, (double)kind->n_kv_heads / d->t);
    const bool casts = orr_adapter_casts(job) && orr_adapts_target(job, kind, ORR_TARGET_O);
    const double copy = !casts ? 0 : orr_adapter_plain(job) ? 4 : d->w_a;
    return beside_bytes(job, d, kind, ORR_TARGET_Q, a * (double)kind->head_qk) +
           beside_bytes(job, d, kind, ORR_TARGET_K, kv * (double)kind->head_qk) +
           beside_bytes(job, d, kind, ORR_TARGET_V, kv * (double)kind->head_v) +
           beside_bytes(job, d, kind, ORR_TARGET_O, d->h) + copy * d->T * a * (double)kind->head_v;
}

static double ffn_beside(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double f = (double)(kind->ffn_width + kind->shared_width) / d->t;
    return (kind->gated ? beside_bytes(job, d, kind, ORR_TARGET_GATE, f) : 0) +
           beside_bytes(job, d, kind, ORR_TARGET_UP, f) + beside_bytes(job, d, kind, ORR_TARGET_DOWN, d->h);
}

/* Bytes per element that a norm keeps besides its output: its input, or what its operators keep one by one. The
 * normalised rows are kept for the gradient of the weights alone. */
double orr_norm_saved_bytes(const struct orr_job *job, const struct orr_dims *d, bool weights_trained)
{
    const struct orr_engine *engine = &job->engine;
    if (!job->model.rms_norm || engine->fused_norm || engine->norm_saved_bytes <= 0) return d->w_a;
    return engine->norm_saved_bytes * orr_narrowed_frac(d) - (weights_trained ? 0 : d->w_a);
}

/* Score elements of one rank and micro-batch. */
static double score_count(const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    return d->b * (double)kind->n_heads / d->t * (d->s / d->c) * d->s;
}

/* Unfused kernels keep 2 bytes of probability per score, and with dropout a mask of 1 byte and a dropped copy of 2.
 * Fused kernels keep one fp32 statistic per row. */
static double score_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    if (!orr_kind_attends(kind)) return 0;
    if (unfused(job) && job->engine.score_saved_bytes > 0 && !job->workload.attention_dropout)
        return score_count(d, kind) * job->engine.score_saved_bytes * orr_narrowed_frac(d);
    if (!unfused(job)) return 4 * d->T * (double)kind->n_heads / d->t;
    return score_count(d, kind) * (d->w_a + (job->workload.attention_dropout ? d->w_a + 1 : 0));
}

/* Eq. 338: rows of their input that so many column-parallel matrices keep: the rank's own, or all that it gathered. */
static double input_rows(const struct orr_job *job, const struct orr_dims *d, double matrices)
{
    const struct orr_engine *engine = &job->engine;
    return !engine->tp_kept_inputs ? d->T_norm : d->T * (engine->tp_part_gathers && job->plan.sp ? matrices : 1);
}

static double attention_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double w = d->w_a, in = input_width(job, d), a = (double)kind->n_heads / d->t;
    if (kind->mla_kv_rank > 0) { /* Eq. 86 */
        const double latents = 2 * (double)(kind->mla_q_rank + kind->mla_kv_rank) + (double)kind->mla_rope;
        return in * d->T_norm * d->h + w * d->T_norm * latents +
               w * d->T * a * (double)(2 * kind->head_qk + 2 * kind->head_v) +
               w * d->T * (double)kind->gate_columns / d->t;
    }
    if (orr_kind_compresses(kind)) { /* before and after the norms; heads and their outputs; ranks of the groups */
        const double whole = 2 * (double)(kind->mla_q_rank + kind->head_qk) + orr_compressor_columns(kind) +
                             orr_index_compressor_columns(kind);
        const double heads = 2 * a * (double)kind->head_qk, ranks = (double)(kind->out_groups * kind->out_rank) / d->t;
        return in * d->T_norm * d->h + w * d->T_norm * whole +
               d->T * (w * heads + in * (a * (double)kind->head_v + ranks));
    }
    const double kv = kind->shared_kv ? 0 : orr_max(1, (double)kind->n_kv_heads / d->t);
    const double gate = w * d->T * (double)kind->gate_columns / d->t;
    const bool masked = job->engine.masked_attention || orr_window_masked(job, kind, d->s + d->context);
    const double kept = masked && !kind->shared_kv ? a : kv; /* repeated for all heads */
    const double inputs = (input_bytes(job, d, kind, ORR_TARGET_Q, ORR_TARGET_V) +
                           quantised_input(job, d, kind, ORR_TARGET_Q, ORR_TARGET_V)) *
                          input_rows(job, d, kind->shared_kv ? 1 : 3) * d->h;
    /* A fused kernel keeps its output in its own order; a product that keeps its input keeps the copy in rows. */
    const double rows = unfused(job) ? 0 : quantised_input(job, d, kind, ORR_TARGET_O, ORR_TARGET_O);
    return inputs + w * d->T * ((a + kept) * (double)kind->head_qk + kept * (double)kind->head_v) +
           (in + rows) * d->T * a * (double)kind->head_v + gate + attention_beside(job, d, kind) +
           joined_bytes(job, d, kind);
}

/* Bytes of all mixers of a layer: attention; a scan with its projected and convolved columns and its chunks' states;
 * queries and outputs of cross attention. An input that two mixers read is kept once. */
static double mixer_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double w = d->w_a, input = input_width(job, d) * d->T_norm * d->h;
    double bytes = orr_kind_attends(kind) ? attention_bytes(job, d, kind) : 0;
    if (orr_kind_scans(kind))
        bytes += w * d->T * orr_scan_sizes_of(kind, d->t).saved + (kind->beside_attention ? 0 : input);
    if (kind->cross_keys > 0)
        bytes += input + w * d->T * (double)kind->n_heads / d->t * (double)(kind->head_qk + kind->head_v);
    return bytes + w * d->T * (double)((kind->index_heads + (kind->compress_ratio > 0 ? 0 : 1)) * kind->index_size);
}

/* Bytes kept per FFN column: gate, up and their product. A framework that does not fuse them keeps SiLU(gate) too. */
static double ffn_width_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double in = input_bytes(job, d, kind, ORR_TARGET_DOWN, ORR_TARGET_DOWN) +
                      quantised_input(job, d, kind, ORR_TARGET_DOWN, ORR_TARGET_DOWN);
    if (!kind->gated) return d->w_a + in;
    return 2 * d->w_a + in + (job->engine.saves_unfused ? d->w_a : 0);
}

static double ffn_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double per_column = ffn_width_bytes(job, d, kind);
    const bool one_norm = kind->parallel_block && kind->n_norms == 1; /* attention reads, and keeps, the same rows */
    const double in = input_bytes(job, d, kind, ORR_TARGET_GATE, ORR_TARGET_UP) +
                      (one_norm ? 0 : quantised_input(job, d, kind, ORR_TARGET_GATE, ORR_TARGET_UP));
    const double rows = d->T / d->t * (double)kind->n_active * orr_rows_frac(&job->workload);
    const double hidden = kind->expert_hidden > 0 ? (double)kind->expert_hidden : d->h;
    if (!orr_kind_has_ffn(kind)) return 0;
    double bytes = in * input_rows(job, d, kind->gated ? 2 : 1) * d->h;
    bytes += d->T * (double)(kind->ffn_width + kind->shared_width) / d->t * per_column;
    bytes += ffn_beside(job, d, kind);
    if (kind->n_experts > 0) /* Eq. 85 */
        bytes += rows * ((1 + d->te) * hidden * d->w_a + (double)kind->expert_width * per_column);
    return bytes;
}

/* Bytes kept where selective recomputation saves every other product: the input, q, v, the core's output, gate and the
 * output of the last product. */
static double by_ops_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const double heads = (double)(kind->n_heads * (kind->head_qk + kind->head_v) + kind->n_kv_heads * kind->head_v);
    const double columns = heads + (double)(kind->ffn_width + kind->shared_width);
    return d->w_a * (2 * d->T_norm * d->h + d->T * columns / d->t) + score_bytes(job, d, kind);
}

/* Eq. 142: bytes that the operators of a list make again: outputs of the norms; queries, keys and values; the sum
 * before the second norm; gate and up; inputs of the last products; and rows as experts read them. */
static double repeated_bytes(const struct orr_job *job, const struct orr_dims *d, const struct orr_layer_kind *kind)
{
    const struct orr_workload *workload = &job->workload;
    const double w = d->w_a, in = input_width(job, d), input = in * d->T_norm * d->h, a = (double)kind->n_heads / d->t;
    const bool latent = kind->mla_kv_rank > 0, plain = !latent && !orr_kind_compresses(kind),
               ffn = orr_kind_has_ffn(kind);
    const double kv = plain && !kind->shared_kv ? orr_max(1, (double)kind->n_kv_heads / d->t) : 0;
    const double heads = latent ? a * (double)(2 * kind->head_qk + kind->head_v)
                                : (a + kv) * (double)kind->head_qk + kv * (double)kind->head_v;
    const double columns = d->T * (double)(kind->ffn_width + kind->shared_width) / d->t;
    const double rows = d->T / d->t * (double)kind->n_active * orr_rows_frac(workload);
    const double hidden = kind->expert_hidden > 0 ? (double)kind->expert_hidden : d->h;
    const double up = (kind->gated ? 2 : 1) * w, act = ffn_width_bytes(job, d, kind) - up;
    const bool attends = orr_kind_attends(kind), two_norms = kind->n_norms > 1 && orr_kind_mixes(kind) && ffn;
    double bytes = 0;
    if (orr_repeats(workload, ORR_REPEATABLE_NORM)) bytes += (orr_kind_mixes(kind) ? input : 0) + (ffn ? input : 0);
    if (orr_repeats(workload, ORR_REPEATABLE_QKV) && attends && (latent || plain)) bytes += w * d->T * heads;
    if (orr_repeats(workload, ORR_REPEATABLE_CORE) && unfused(job)) bytes += score_bytes(job, d, kind);
    if (orr_repeats(workload, ORR_REPEATABLE_OUT) && two_norms) bytes += w * d->T_norm * d->h;
    if (orr_repeats(workload, ORR_REPEATABLE_MLP_UP)) bytes += columns * up;
    if (orr_repeats(workload, ORR_REPEATABLE_MLP_ACT)) bytes += columns * act;
    if (orr_repeats(workload, ORR_REPEATABLE_EXPERT_UP)) bytes += rows * (double)kind->expert_width * up;
    if (orr_repeats(workload, ORR_REPEATABLE_EXPERT_ACT)) bytes += rows * (double)kind->expert_width * act;
    if (orr_repeats(workload, ORR_REPEATABLE_DISPATCH) && kind->n_experts > 0) bytes += rows * d->te * hidden * w;
    return bytes;
}

struct orr_layer_bytes orr_layer_bytes_of(const struct orr_job *job, const struct orr_dims *dims,
                                          const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = dims;
    const double hidden = d->T_norm * d->h, scores = score_count(d, kind);
    const double columns = d->T * (double)(kind->ffn_width + kind->shared_width) / d->t +
                           d->T / d->t * (double)(kind->n_active * kind->expert_width);
    /* Hyper-connections keep all streams before each block; their sum is the input of the block's norm. */
    const double streams = (double)kind->residual_streams;
    if (kind->no_backward) return (struct orr_layer_bytes){0};
    const enum orr_recompute recompute = orr_layer_recompute(job, kind->kept);
    const double norm = orr_norm_saved_bytes(job, d, trained(job, kind));
    return (struct orr_layer_bytes){
        .recompute = recompute,
        .repeated = recompute == ORR_RECOMPUTE_OPS ? repeated_bytes(job, d, kind) : 0,
        .input = (job->engine.autocast ? 4 * orr_narrowed_frac(d) : d->w_a) * hidden * orr_max(1, streams),
        .norms = hidden * (norm * (double)kind->n_norms + d->w_a * 2 * streams),
        .by_ops = by_ops_bytes(job, d, kind),
        .attention = mixer_bytes(job, d, kind),
        .scores = score_bytes(job, d, kind),
        .ffn = ffn_bytes(job, d, kind),
        .masks = job->workload.hidden_dropout ? 2 * hidden : 0,
        .core_transient = unfused(job) ? 1.5 * d->w_a * scores : 4 * d->w_a * d->T * d->h / d->t,
        .ffn_transient = (kind->gated ? 3 : 2) * d->w_a * columns};
}

static double whole_layer(const struct orr_layer_bytes *bytes)
{
    return bytes->norms + bytes->attention + bytes->scores + bytes->ffn + bytes->masks;
}

double orr_layer_saved_bytes(const struct orr_job *job, const struct orr_layer_bytes *bytes)
{
    switch (bytes->recompute) {
    case ORR_RECOMPUTE_NONE: return whole_layer(bytes);
    case ORR_RECOMPUTE_BY_OP: return orr_min(bytes->by_ops, whole_layer(bytes));
    case ORR_RECOMPUTE_SELECTIVE:
    case ORR_RECOMPUTE_CORE: return whole_layer(bytes) - (unfused(job) ? bytes->scores : 0);
    case ORR_RECOMPUTE_OPS: return whole_layer(bytes) - bytes->repeated;
    case ORR_RECOMPUTE_FULL: return bytes->input / (double)job->workload.recompute_every; /* Eq. 88 */
    case ORR_N_RECOMPUTES: break;
    }
    return 0;
}

double orr_layer_recomputed_bytes(const struct orr_job *job, const struct orr_layer_bytes *bytes)
{
    switch (bytes->recompute) {
    case ORR_RECOMPUTE_NONE: return 0;
    case ORR_RECOMPUTE_BY_OP: return orr_max(0, whole_layer(bytes) - bytes->by_ops);
    case ORR_RECOMPUTE_SELECTIVE:
    case ORR_RECOMPUTE_CORE: return unfused(job) ? bytes->scores : 0;
    case ORR_RECOMPUTE_OPS: return bytes->repeated;
    case ORR_RECOMPUTE_FULL: return whole_layer(bytes) * (double)job->workload.recompute_every;
    case ORR_N_RECOMPUTES: break;
    }
    return 0;
}

double orr_in_flight(const struct orr_plan *plan, double n_micro_batches, int64_t stage)
{
    const double p = (double)plan->pp, v = (double)plan->vpp, i = (double)stage, m = n_micro_batches;
    switch (plan->schedule) {
    case ORR_SCHEDULE_GPIPE: return m;                                                         /* Eq. 67 */
    case ORR_SCHEDULE_1F1B: return orr_min(m, p - i);                                          /* Eq. 68 */
    case ORR_SCHEDULE_INTERLEAVED: return orr_min(m, (2 * (p - 1 - i) + (v - 1) * p + 1) / v); /* Eq. 69 */
    case ORR_SCHEDULE_ZB_H1: return orr_min(m, p);                                             /* Eq. 70 */
    case ORR_SCHEDULE_ZB_H2: return orr_min(m, 2 * p - 1);                                     /* Eq. 71 */
    case ORR_SCHEDULE_ZB_V: return orr_min(m, p);                                              /* Eq. 137 */
    case ORR_SCHEDULE_V_HALF: return orr_min(m, (double)((plan->pp + 2) / 2));                 /* Eq. 138 */
    case ORR_SCHEDULE_DUALPIPE: return orr_min(m, p + 1);                                      /* Eq. 139 */
    case ORR_SCHEDULE_DUALPIPE_V: return orr_min(m, p + 0.5);                                  /* Eq. 140 */
    case ORR_N_SCHEDULES: break;
    }
    return m;
}
