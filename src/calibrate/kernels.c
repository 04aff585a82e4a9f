/* From one row of a kernel table to the operators that the program itself would emit for it, its group of constants,
 * and whether it takes part in the fit. All emitters are those of the prediction. */
#include "calibrate/calibrate.h"

#include "base/number.h"
#include "ops/emit.h"
#include "ops/experts.h"

#include <stdio.h>
#include <string.h>

/* Products with fewer columns or a shorter reduction do not occur in layers; they are predicted, not fitted. */
#define LEAST_SIDE 512
/* Attention with fewer keys measures the launch; with fewer queries over all heads it leaves most of the chip idle. */
#define LEAST_KEYS    1024
#define LEAST_QUERIES 32768
/* The context that one block of keys covers. */
#define LEAST_CONTEXT 64
/* With more query heads per K,V head serving engines use other kernels. */
#define MOST_GROUP 32
/* Tensors of at least this size show the sustained rate of a memory-bound kernel. */
#define LARGE_BYTES 1e8
/* Messages of at least this size show the rate of a send. */
#define LARGE_MESSAGE 16777216.0

static bool is_16bit(enum orr_dtype dtype)
{
    return dtype == ORR_DTYPE_BF16 || dtype == ORR_DTYPE_FP16;
}

/* The format whose constants a product uses. Both 16-bit formats share theirs. */
static enum orr_dtype shared_dtype(const struct orr_fit *fit, enum orr_dtype dtype)
{
    if (!is_16bit(dtype)) return dtype;
    return fit->job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] > 0 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP16;
}

/* An emitter for one rank without a plan, as for the prompts of a serving engine. */
static struct orr_emit start_emit(struct orr_row_reader *r, enum orr_dtype dtype, const struct orr_engine *engine,
                                  struct orr_serve_shape shape)
{
    struct orr_job *job = &r->fit->job;
    job->engine = *engine;
    job->serving.weights = job->serving.matrix = dtype;
    r->list->n = 0;
    return orr_emit_serving(job, &job->model, &shape, ORR_PHASE_PREFILL, r->list);
}

/* Take the operators of one kind, which are those that the table has timed, from what was emitted. */
static void take(const struct orr_row_reader *r, struct orr_kernel_row *row, enum orr_op_kind kind)
{
    for (size_t i = 0; i < r->list->n && row->n_ops < ORR_ROW_OPS; i++)
        if (r->list->items[i].kind == kind) row->ops[row->n_ops++] = r->list->items[i];
}

/* Does this chip have constants for this format? */
static bool supported(const struct orr_fit *fit, enum orr_dtype dtype, struct orr_kernel_row *row)
{
    if (fit->job.system.chip.peak_flops_per_s[dtype] > 0 && fit->job.calibration.gemm[dtype].burst_frac > 0)
        return true;
    row->left_out = "the chip has no units or no constants of this format";
    return false;
}

/* ---------------------------------------------------------------- products */

void orr_row_fill_product(struct orr_row_reader *r, struct orr_kernel_row *row, enum orr_dtype dtype, double batch,
                          double m, double n, double k)
{
    const bool batched = row->kind == ORR_KERNEL_BMM;
    dtype = shared_dtype(r->fit, dtype);
    if (batch > 1) (void)snprintf(row->shape, sizeof row->shape, "%.0f of %.0fx%.0fx%.0f", batch, m, n, k);
    else (void)snprintf(row->shape, sizeof row->shape, "%.0fx%.0fx%.0f", m, n, k);
    if (!supported(r->fit, dtype, row)) return;
    struct orr_emit emit = start_emit(r, dtype, &r->fit->serving, (struct orr_serve_shape){0});
    const struct orr_linear linear = {.names = ORR_LINEAR("product"), .m = m, .k = k, .n = n, .quantised = true};
    if (batched) (void)orr_emit_bmm(&emit, "product", ORR_PHASE_FORWARD, batch, m, n, k);
    else (void)orr_emit_linear(&emit, &linear);
    take(r, row, batched ? ORR_OP_BMM : ORR_OP_GEMM);
    for (size_t i = 0; i < r->list->n; i++) /* This pass quantises the input; its launch is in the call time. */
        if (r->list->items[i].kind == ORR_OP_POINTWISE) {
            row->pass = r->list->items[i];
            row->pass.launches = 0;
            row->has_pass = true;
        }
    row->size = !batched && (n < LEAST_SIDE || k < LEAST_SIDE) ? -1 : m;
    row->fitted = row->fitted && row->size > 0;
    row->group = orr_fit_group_of(r->fit, batched ? ORR_FIT_BMM : ORR_FIT_GEMM, batched ? 0 : (int)dtype, 0);
}

/* Is the left operand stored by columns, as the input of a weight gradient is? */
static bool transposed(struct orr_row_reader *r)
{
    const char *layout = orr_csv_cell(r->csv, r->row, "layout");
    if (*layout && strcmp(layout, "nt") != 0 && strcmp(layout, "nn") != 0 && strcmp(layout, "tn") != 0)
        orr_row_fail(r, "layout", "nt, nn, tn or nothing");
    return strcmp(layout, "tn") == 0;
}

void orr_row_product(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *word, *inputs = orr_csv_cell(r->csv, r->row, "inputs");
    const enum orr_dtype dtype = orr_row_dtype(r, "dtype", &word);
    const double batch = row->kind == ORR_KERNEL_BMM ? orr_row_number(r, "batch", 1) : 1;
    const double m = orr_row_number(r, "m", 1), n = orr_row_number(r, "n", 1), k = orr_row_number(r, "k", 1);
    if (strcmp(inputs, "ready") == 0) row->ready_inputs = true;
    else if (*inputs && strcmp(inputs, "quantised") != 0) orr_row_fail(r, "inputs", "ready, quantised or nothing");
    if (!r->err) orr_row_fill_product(r, row, dtype, batch, m, n, k);
    row->ops[0].wgrad = transposed(r);
}

/* ---------------------------------------------------------------- attention */

/* The kernel behind a backend's name. The table of a serving engine names none. */
static enum orr_attention_kernel kernel_of(const char *backend)
{
    if (strstr(backend, "cudnn") || strstr(backend, "flash3") || strstr(backend, "fa3")) return ORR_ATTENTION_FLASH3;
    if (strstr(backend, "flash1")) return ORR_ATTENTION_FLASH1;
    if (strstr(backend, "flash") || strstr(backend, "fa2")) return ORR_ATTENTION_FLASH2;
    return *backend && strcmp(backend, "default") != 0 ? ORR_ATTENTION_UNFUSED : ORR_ATTENTION_SERVING;
}

static struct orr_layer_kind attention_layer(struct orr_row_reader *r, const struct orr_kernel_row *row)
{
    const bool latent = row->kind == ORR_KERNEL_MLA_PREFILL || row->kind == ORR_KERNEL_MLA_DECODE;
    struct orr_layer_kind kind = {.n_heads = (int64_t)orr_row_number(r, "heads", 1)};
    if (latent) { /* This is the only latent shape in use: ranks of 512 and 64, heads of 192 and 128. */
        kind.n_kv_heads = kind.n_heads;
        kind.head_qk = 192;
        kind.head_v = 128;
        kind.mla_kv_rank = 512;
        kind.mla_rope = 64;
        return kind;
    }
    kind.n_kv_heads = (int64_t)orr_row_number(r, "kv_heads", 1);
    kind.head_qk = kind.head_v = (int64_t)orr_row_number(r, "head_dim", 1);
    return kind;
}

/* Emit a bare kernel of a framework, forward or backward, as training runs it. */
static void emit_bare(struct orr_row_reader *r, struct orr_kernel_row *row, const struct orr_layer_kind *kind,
                      double batch, double queries, enum orr_dtype dtype)
{
    struct orr_job *job = &r->fit->job;
    const bool backward = row->kind == ORR_KERNEL_ATTENTION_BACKWARD;
    struct orr_emit emit = {.job = job,
                            .dims = {.b = batch,
                                     .s = queries,
                                     .t = 1,
                                     .c = 1,
                                     .T_prompt = batch * queries,
                                     .w_a = 2,
                                     .w_p = 2,
                                     .w_s = 2,
                                     .core = dtype,
                                     .dtype16 = dtype},
                            .list = r->list,
                            .backward = true,
                            .count = 1};
    r->list->n = 0;
    orr_emit_attention_core(&emit, kind);
    take(r, row, backward ? ORR_OP_FLASH_BACKWARD : ORR_OP_FLASH);
}

/* Emit a serving engine's kernel, which includes rotary positions and the cache write. */
static void emit_prompt(struct orr_row_reader *r, struct orr_kernel_row *row, const struct orr_layer_kind *kind,
                        double batch, double queries, double keys, enum orr_dtype dtype)
{
    struct orr_emit emit = start_emit(r, dtype, &r->fit->serving,
                                      (struct orr_serve_shape){.prefill_tokens = batch * queries,
                                                               .prefill_sequences = batch,
                                                               .prefill_context = keys - queries});
    orr_emit_attention_core(&emit, kind);
    take(r, row, ORR_OP_FLASH);
    take(r, row, ORR_OP_POINTWISE);
}

void orr_row_prefill(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *word, *cache = orr_csv_cell(r->csv, r->row, "kv_dtype"),
                      *causal = orr_csv_cell(r->csv, r->row, "causal");
    const enum orr_dtype dtype = orr_row_dtype(r, "dtype", &word);
    const double batch = orr_row_number(r, "batch", 1), queries = orr_row_number(r, "q_len", 1);
    const double keys = orr_row_number(r, "kv_len", 1);
    const struct orr_layer_kind kind = attention_layer(r, row);
    const enum orr_attention_kernel kernel = kernel_of(row->backend);
    if (r->err) return;
    (void)snprintf(row->shape, sizeof row->shape, "%.0f of %.0fx%.0f heads %lld/%lld of %lld%s%s", batch, queries, keys,
                   (long long)kind.n_heads, (long long)kind.n_kv_heads, (long long)kind.head_qk,
                   *cache ? " cache " : "", cache);
    if (kernel == ORR_ATTENTION_UNFUSED || r->fit->job.calibration.attention[kernel].forward_frac <= 0)
        row->left_out = "no constants of this attention kernel";
    else if (!is_16bit(dtype)) row->left_out = "attention in narrow formats is not modelled";
    else if (keys < queries) row->left_out = "fewer keys than queries";
    else if (!supported(r->fit, shared_dtype(r->fit, dtype), row)) return;
    if (row->left_out) return;
    struct orr_job *job = &r->fit->job;
    job->workload.attention = kernel;
    job->workload.causal = strcmp(causal, "0") != 0;
    job->serving.kv = ORR_DTYPE_BF16;
    const bool bare = *row->backend || row->kind == ORR_KERNEL_ATTENTION_BACKWARD;
    if (bare && keys == queries) emit_bare(r, row, &kind, batch, queries, shared_dtype(r->fit, dtype));
    else emit_prompt(r, row, &kind, batch, queries, keys, shared_dtype(r->fit, dtype));
    const bool narrow_cache = *cache && strcmp(cache, "bf16") != 0 && strcmp(cache, "fp16") != 0;
    row->size = queries;
    const bool large = keys >= LEAST_KEYS && batch * (double)kind.n_heads * queries >= LEAST_QUERIES;
    row->fitted = row->kind != ORR_KERNEL_MLA_PREFILL && !narrow_cache && (large || kernel == ORR_ATTENTION_SERVING);
    row->group = orr_fit_group_of(r->fit, ORR_FIT_FLASH, (int)kernel, 0);
}

/* The decode kernel behind a backend's name: serving engines name none, but for FlashAttention's; others are calls of a
 * framework. */
static enum orr_decode_kernel decode_kernel_of(const char *backend)
{
    if (strcmp(backend, "flash") == 0) return ORR_DECODE_FLASH;
    if (strcmp(backend, "flash_wide") == 0) return ORR_DECODE_FLASH_WIDE;
    return *backend ? ORR_DECODE_SDPA : ORR_DECODE_PAGED;
}

void orr_row_decode(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *word, *cache_word = orr_csv_cell(r->csv, r->row, "kv_dtype");
    const enum orr_dtype dtype = orr_row_dtype(r, "dtype", &word);
    const double batch = orr_row_number(r, "batch", 1), context = orr_row_number(r, "kv_len", 1);
    const struct orr_layer_kind kind = attention_layer(r, row);
    const enum orr_dtype cache = *cache_word ? orr_row_dtype(r, "kv_dtype", &cache_word) : dtype;
    if (r->err) return;
    (void)snprintf(row->shape, sizeof row->shape, "%.0f of context %.0f heads %lld/%lld of %lld cache %s", batch,
                   context, (long long)kind.n_heads, (long long)kind.n_kv_heads, (long long)kind.head_qk,
                   *cache_word ? cache_word : word);
    const enum orr_decode_kernel kernel = decode_kernel_of(row->backend);
    const bool latent = row->kind == ORR_KERNEL_MLA_DECODE, framework = kernel == ORR_DECODE_SDPA;
    if (!is_16bit(dtype) || orr_dtype_bytes(cache) > 2 || orr_dtype_bytes(cache) < 1) {
        row->left_out = "decode kernels take 16-bit queries and a cache of 16 or 8 bits";
        return;
    }
    if (!supported(r->fit, shared_dtype(r->fit, dtype), row)) return;
    (void)start_emit(r, shared_dtype(r->fit, dtype), framework ? &r->fit->framework : &r->fit->serving,
                     (struct orr_serve_shape){0});
    struct orr_job *job = &r->fit->job;
    job->serving.kv = cache;
    struct orr_op op = orr_serve_decode_op(job, &kind, batch, 1);
    op.n = context;
    op.bytes = batch * context * orr_kv_rank_bytes(job, &kind);
    row->ops[row->n_ops++] = op;
    row->size = op.bytes;
    row->fitted = context >= LEAST_CONTEXT && (!framework || strcmp(row->backend, "cudnn") == 0) &&
                  (latent || framework || kind.n_heads <= MOST_GROUP * kind.n_kv_heads);
    row->group = latent ? orr_fit_group_of(r->fit, ORR_FIT_LATENT, 0, op.input_bytes < 2)
                        : orr_fit_group_of(r->fit, ORR_FIT_DECODE, (int)kernel, op.input_bytes < 2);
}

/* ---------------------------------------------------------------- experts */

/* The products of an expert layer that a row has timed: up (and gate), down, or both. */
static void emit_experts(struct orr_emit *emit, struct orr_linear linear, double hidden, double up, double down)
{
    linear.k = hidden;
    linear.n = up;
    if (up > 0) orr_emit_linear(emit, &linear);
    linear.k = down;
    linear.n = hidden;
    if (down > 0) orr_emit_linear(emit, &linear);
}

void orr_row_experts(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *word, *part = orr_csv_cell(r->csv, r->row, "part");
    const bool balanced = strcmp(orr_csv_cell(r->csv, r->row, "distribution"), "balanced") == 0;
    const enum orr_dtype exact = orr_row_dtype(r, "dtype", &word);
    const double tokens = orr_row_number(r, "tokens", 1), hidden = orr_row_number(r, "hidden", 1);
    const double width = orr_row_number(r, "moe_ffn", 1) / orr_row_number(r, "tp", 1);
    const double experts = orr_row_number(r, "experts", 1), active = orr_row_number(r, "topk", 1);
    const double ep = orr_row_number(r, "ep", 1), gated = orr_row_number(r, "gated", 0);
    if (active > experts) orr_row_fail(r, "topk", "at most as many as experts");
    if (strcmp(part, "all") != 0 && strcmp(part, "up") != 0 && strcmp(part, "down") != 0)
        orr_row_fail(r, "part", "all, up or down");
    if (r->err) return;
    const enum orr_dtype dtype = shared_dtype(r->fit, exact);
    /* Balanced tokens reach every expert; otherwise Eq. 8 gives the experts reached. */
    const double rows = tokens * active / ep;
    const double touched = balanced ? experts / ep : orr_experts_touched(experts, active, tokens, ep);
    const double used = orr_max(1, orr_min(rows, touched));
    const bool all = strcmp(part, "all") == 0, up = all || strcmp(part, "up") == 0, down = !up || all;
    (void)snprintf(row->shape, sizeof row->shape, "%.0f tokens %.0fx%.0f, %.0f of %.0f experts, tp %s ep %s", tokens,
                   hidden, width, active, experts, orr_csv_cell(r->csv, r->row, "tp"),
                   orr_csv_cell(r->csv, r->row, "ep"));
    if (!supported(r->fit, dtype, row)) return;
    struct orr_emit emit = start_emit(r, dtype, &r->fit->serving, (struct orr_serve_shape){0});
    const struct orr_linear linear = {
        .names = ORR_LINEAR("expert"),
        .experts = used,
        .n_idle_experts = orr_max(0, experts / ep - used),
        .m = rows / used,
        .quantised = true};
    emit_experts(&emit, linear, hidden, up ? (gated > 0 ? 2 : 1) * width : 0, down ? width : 0);
    take(r, row, ORR_OP_GROUPED);
    /* This pass permutes the gathered tokens, applies the activation and combines the results. */
    row->pass = (struct orr_op){.kind = ORR_OP_POINTWISE,
                                .pointwise = ORR_POINTWISE_COPY,
                                .bytes = orr_expert_pass_bytes(tokens, rows, hidden, width),
                                .window_op = -1};
    row->has_pass = all;
    row->size = rows / used;
    row->fitted = balanced && gated > 0; /* Other kernels serve experts without a gate. */
    row->group = orr_fit_group_of(r->fit, ORR_FIT_GROUPED, (int)dtype, 0);
}

/* ---------------------------------------------------------------- communication, memory-bound kernels */

static const enum orr_collective COLLECTIVES[ORR_N_KERNELS] = {
    [ORR_KERNEL_ALLREDUCE] = ORR_COLLECTIVE_ALLREDUCE,
    [ORR_KERNEL_ALLGATHER] = ORR_COLLECTIVE_ALLGATHER,
    [ORR_KERNEL_REDUCESCATTER] = ORR_COLLECTIVE_REDUCESCATTER,
    [ORR_KERNEL_ALLTOALL] = ORR_COLLECTIVE_ALLTOALL,
    [ORR_KERNEL_P2P] = ORR_COLLECTIVE_P2P,
};

void orr_row_collective(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const bool library =
        strncmp(row->backend, "nccl", 4) == 0 || strncmp(row->backend, "rccl", 4) == 0 || !*row->backend;
    const enum orr_collective collective = COLLECTIVES[row->kind];
    const double ranks = orr_row_number(r, "n_gpus", 2);
    if (!library && collective != ORR_COLLECTIVE_ALLREDUCE) {
        row->left_out = "no constants of this library's kernel";
        return;
    }
    const double bytes = orr_row_number(r, "bytes", 1);
    if (r->err) return;
    (void)snprintf(row->shape, sizeof row->shape, "%.0f ranks %.0f bytes", ranks, bytes);
    if (ranks > (double)r->fit->job.system.domain_gpus) {
        row->left_out = "more ranks than the scale-up domain has GPUs";
        return;
    }
    const bool reduces = collective == ORR_COLLECTIVE_ALLREDUCE || collective == ORR_COLLECTIVE_REDUCESCATTER;
    const bool narrow = *row->dtype && strcmp(row->dtype, "fp16") != 0 && strcmp(row->dtype, "bf16") != 0;
    row->ops[row->n_ops++] = (struct orr_op){.kind = ORR_OP_COLLECTIVE,
                                             .collective = collective,
                                             .group = ORR_GROUP_TP,
                                             .payload_bytes = bytes,
                                             .bytes = bytes,
                                             .window_op = -1};
    row->ranks = (int64_t)ranks;
    row->size = bytes;
    row->fitted = !(reduces && narrow) && !strstr(row->backend, "eager") &&
                  (collective != ORR_COLLECTIVE_P2P || bytes >= LARGE_MESSAGE);
    row->group = collective == ORR_COLLECTIVE_P2P
                     ? orr_fit_group_of(r->fit, ORR_FIT_P2P, 0, 0)
                     : orr_fit_group_of(r->fit, library ? ORR_FIT_LINES : ORR_FIT_CUSTOM, (int)collective, 0);
}

/* The class of a memory-bound kernel by its name in a table; ORR_N_POINTWISES if there is none. */
static enum orr_pointwise class_of(const char *op)
{
    static const struct {
        const char *word;
        enum orr_pointwise class;
    } WORDS[] = {{"add", ORR_POINTWISE_ADD},
                 {"mul", ORR_POINTWISE_ADD},
                 {"silu", ORR_POINTWISE_ACTIVATION},
                 {"swiglu", ORR_POINTWISE_ACTIVATION},
                 {"rope", ORR_POINTWISE_ACTIVATION},
                 {"gelu", ORR_POINTWISE_GELU},
                 {"dropout", ORR_POINTWISE_DROPOUT},
                 {"layernorm", ORR_POINTWISE_LAYERNORM},
                 {"rmsnorm", ORR_POINTWISE_RMSNORM},
                 {"softmax", ORR_POINTWISE_SOFTMAX},
                 {"copy", ORR_POINTWISE_COPY},
                 {"scatter", ORR_POINTWISE_SCATTER},
                 {"cast", ORR_POINTWISE_CAST},
                 {"upcast", ORR_POINTWISE_UPCAST},
                 {"loss", ORR_POINTWISE_LOSS},
                 {"adam", ORR_POINTWISE_ADAM},
                 {"strided", ORR_POINTWISE_STRIDED},
                 {"accumulate", ORR_POINTWISE_ACCUMULATE}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(op, WORDS[i].word) == 0) return WORDS[i].class;
    return ORR_N_POINTWISES;
}

void orr_row_pointwise(struct orr_row_reader *r, struct orr_kernel_row *row)
{
    const char *op = row->kind == ORR_KERNEL_ADAM ? "adam" : orr_csv_cell(r->csv, r->row, "op");
    const bool launch = strcmp(op, "launch_graph") == 0;
    const enum orr_pointwise class = class_of(op);
    const double bytes = orr_row_number(r, "bytes", 0);
    const double columns =
        class == ORR_POINTWISE_SOFTMAX && orr_csv_has(r->csv, "cols") ? orr_row_number(r, "cols", 1) : 0;
    if (r->err) return;
    (void)snprintf(row->shape, sizeof row->shape, "%s %.0f bytes", op, bytes);
    row->backend = op; /* Tables of different kernels have call times of their own. */
    if (!launch && class == ORR_N_POINTWISES) {
        row->left_out = "no class of memory-bound kernels has this name";
        return;
    }
    row->ops[row->n_ops++] = (struct orr_op){.kind = ORR_OP_POINTWISE,
                                             .phase = ORR_PHASE_FORWARD,
                                             .pointwise = launch ? ORR_POINTWISE_ADD : class,
                                             .bytes = bytes,
                                             .n = columns,
                                             .launches = 1,
                                             .window_op = -1};
    row->size = bytes;
    row->fitted = launch || bytes >= LARGE_BYTES;
    row->group = launch ? orr_fit_group_of(r->fit, ORR_FIT_LAUNCH, 0, 0)
                        : orr_fit_group_of(r->fit, ORR_FIT_POINTWISE, (int)class, 0);
}
