/* One inference job -> one result: prefill, then every decode step over the growing context, summed exactly.
 * Eqs. 2, 91-95. */
#include "predict/scratch.h"

#include "base/number.h"
#include "memory/serving.h"
#include "predict/interval.h"
#include "predict/serve_pass.h"

#include <math.h>
#include <string.h>

/* How a batch goes through the pipeline: in one piece, or cut so that every stage has work (Eq. 91b). */
struct flow {
    double stages, pieces; /* pipeline stages; micro-batches the batch is cut into */
};

/* Pieces that keep every stage busy, and their halves where one exchanges tokens while the other computes. */
static int64_t pieces_of(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    const int64_t batch = job->serving.batch, pieces = plan->pp > 1 && batch >= 2 * plan->pp ? plan->pp : 1;
    return orr_serve_halves(job) && batch >= 2 * pieces ? 2 * pieces : pieces;
}

/* `tokens` of a sequence go through at once: its prompt, or one. Engines with a limit on a piece cut the batch into p
 * where that leaves no rest, and halve it while a piece is too large and even. */
static struct flow flow_of(const struct orr_job *job, int64_t tokens)
{
    const int64_t p = job->plan.pp, limit = job->engine.piece_tokens;
    int64_t piece = job->serving.batch;
    if (limit <= 0) return (struct flow){.stages = (double)p, .pieces = (double)pieces_of(job)};
    if (piece % p == 0) piece /= p;
    while (piece * tokens > limit && piece % 2 == 0) piece /= 2;
    return (struct flow){.stages = (double)p, .pieces = (double)job->serving.batch / (double)piece};
}

/* Tokens of a prompt that are read at once. */
static int64_t prompt_tokens(const struct orr_job *job)
{
    return job->serving.input_len - (job->engine.last_token_decoded ? 1 : 0);
}

static struct orr_serve_shape prefill_shape(const struct orr_job *job, double sequences)
{
    const double hit_frac = job->serving.prefix_hit_frac, tokens = (double)prompt_tokens(job);
    return (struct orr_serve_shape){.prefill_sequences = sequences,
                                    .prefill_tokens = sequences * tokens * (1 - hit_frac),
                                    .prefill_context = tokens * hit_frac,
                                    .queries = 1,
                                    .no_head = job->engine.last_token_decoded};
}

/* Chunks the prompts are cut into, and the mean one: offsets grow evenly, so the mean chunk has the mean context. */
static double chunk(const struct orr_job *job, struct orr_serve_shape *shape)
{
    const double size = (double)job->serving.chunk_tokens, tokens = shape->prefill_tokens;
    if (size <= 0 || size >= tokens) return 1;
    const double chunks = orr_ceil(tokens / size), per_sequence = tokens / shape->prefill_sequences;
    const double mean = tokens / chunks;
    shape->prefill_tokens = mean;
    shape->prefill_context += orr_max(0, (per_sequence - mean) / 2);
    shape->prefill_sequences = orr_max(1, mean / per_sequence);
    return chunks;
}

/* Time of a pass sent from stage to stage: p - 1 activations between neighbours. */
static double sends_s(const struct orr_job *job, double rows)
{
    if (job->plan.pp < 2) return 0;
    const struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                              .collective = ORR_COLLECTIVE_P2P,
                              .group = ORR_GROUP_PP,
                              .payload_bytes = rows * (double)job->model.hidden * orr_dtype_bytes(job->serving.comm)};
    struct orr_cost cost;
    orr_cost_collective(job, &op, &cost);
    return (double)(job->plan.pp - 1) * cost.total_s;
}

/* A framework that launches slower than the GPU runs: what the host adds to a pass of `busy_s` (Eq. 39). */
static double host_bound_s(const struct orr_job *job, const struct orr_pass *pass, double busy_s)
{
    return orr_max(0, pass->launches * job->engine.host_launch_s - busy_s);
}

static double sampling_s(const struct orr_job *job, double sequences)
{
    return job->engine.sampling_s + job->engine.sampling_s_per_sequence * sequences;
}

/* Spread a pass that ran `passes` times over the parts; on one stage of p only 1/p of it is this rank's own. */
static void add_parts(const struct orr_pass *pass, double passes, enum orr_infer_part gemm, double *time_s)
{
    time_s[gemm] += passes * pass->gemm_s;
    time_s[gemm + 1] += passes * pass->attention_s; /* ORDER ORR_INFER_PARTS: gemm, attention, pointwise, network */
    time_s[gemm + 2] += passes * pass->pointwise_s;
    time_s[gemm + 3] += passes * pass->network_s;
}

/* What binds `passes` of a pass, network and overhead beside them; to_shares divides by the sum. */
static void add_bounds(const struct orr_pass *pass, double passes, double network_s, double overhead_s, double *bound_s)
{
    for (int i = 0; i < ORR_N_BOUNDS; i++) bound_s[i] += passes * pass->bound_s[i];
    bound_s[ORR_BOUND_NETWORK] += network_s;
    bound_s[ORR_BOUND_OVERHEAD] += overhead_s;
}

static void to_shares(double *bound_s)
{
    double total_s = 0;
    for (int i = 0; i < ORR_N_BOUNDS; i++) total_s += bound_s[i];
    for (int i = 0; i < ORR_N_BOUNDS; i++) bound_s[i] /= total_s;
}

/* What the phases have in common and hand to the totals. */
struct work {
    double flops, flop_j, dram_bytes, link_bytes, light_s;
};

/* `passes` run in all, `seen` of them one after another: pieces of a batch are on different stages at once. */
static void add_work(const struct orr_job *job, const struct orr_pass *pass, double passes, double seen,
                     struct work *work)
{
    const struct orr_chip *chip = &job->system.chip;
    work->flops += passes * pass->flops;
    work->flop_j += passes * pass->flop_j;
    work->dram_bytes += passes * pass->dram_bytes;
    work->link_bytes += passes * pass->link_bytes;
    work->light_s += seen * orr_max(pass->flops / chip->peak_flops_per_s[job->serving.matrix],
                                    pass->least_bytes / chip->hbm_bytes_per_s);
}

/* One kind of pass before the first token. A batch cut into m pieces over p stages takes (m + p - 1) / p passes of one
 * piece; each piece goes through in `chunks`. */
static void add_prompt_pass(const struct orr_job *job, struct orr_scratch *scratch, const struct orr_serve_shape *shape,
                            struct flow flow, double chunks, double *matrix_frac, struct orr_infer_result *result,
                            struct work *work)
{
    const size_t first = orr_pass_build(job, &job->model, shape, ORR_PHASE_PREFILL, &scratch->ops, scratch->costs);
    const struct orr_pass pass =
        orr_pass_settled(job, &scratch->ops, scratch->costs, first, scratch->ops.n, matrix_frac);
    const double send_s = sends_s(job, shape->prefill_tokens + shape->decode_sequences);
    const double host_s = host_bound_s(job, &pass, orr_pass_s(&pass)), idle_s = pass.gap_s + host_s;
    const double own = chunks * flow.pieces / flow.stages, waited = chunks * (flow.stages - 1) / flow.stages;
    const double pass_s = orr_pass_s(&pass) + idle_s;
    add_parts(&pass, own, ORR_INFER_PREFILL_GEMM, result->time_s);
    result->time_s[ORR_INFER_PREFILL_NETWORK] += chunks * send_s;
    result->time_s[ORR_INFER_PIPELINE] += waited * pass_s;
    result->time_s[ORR_INFER_OVERHEAD] += own * idle_s;
    result->prefill_s += (own + waited) * pass_s + chunks * send_s;
    add_bounds(&pass, own + waited, chunks * send_s, (own + waited) * idle_s, result->prefill_bound_frac);
    add_work(job, &pass, chunks * flow.pieces, chunks * orr_max(1, flow.pieces / flow.stages), work);
    for (size_t i = first; i < scratch->ops.n; i++) scratch->ops.items[i].count *= chunks * flow.pieces;
}

/* The prompt, at once; or all but its last token, which then goes through like an output token. */
static void predict_prefill(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result,
                            struct work *work)
{
    const double batch = (double)job->serving.batch;
    if (prompt_tokens(job) > 0) {
        const struct flow flow = flow_of(job, prompt_tokens(job));
        struct orr_serve_shape shape = prefill_shape(job, batch / flow.pieces);
        const double chunks = chunk(job, &shape);
        add_prompt_pass(job, scratch, &shape, flow, chunks, &result->matrix_frac, result, work);
    }
    if (job->engine.last_token_decoded) {
        const struct flow flow = flow_of(job, 1);
        const struct orr_serve_shape shape = {.decode_sequences = batch / flow.pieces,
                                              .decode_context = (double)job->serving.input_len,
                                              .queries = 1};
        double matrix_frac;
        add_prompt_pass(job, scratch, &shape, flow, 1, &matrix_frac, result, work);
        if (prompt_tokens(job) <= 0) result->matrix_frac = matrix_frac;
    }
    to_shares(result->prefill_bound_frac);
}

/* ---- decode */

/* All attention operators of a decode pass as curves over the context. */
struct curves {
    int n;
    double layers[ORR_MAX_LAYER_KINDS];
    size_t op[ORR_MAX_LAYER_KINDS];
    struct orr_decode_curve curve[ORR_MAX_LAYER_KINDS];
};

static struct curves curves_of(const struct orr_job *job, const struct orr_model *model, const struct orr_op_list *list,
                               size_t first)
{
    struct curves c = {0};
    for (size_t i = first; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        if (op->kind != ORR_OP_DECODE) continue;
        c.layers[c.n] = op->count;
        c.op[c.n] = i;
        c.curve[c.n] = orr_decode_curve_of(job, op, (double)model->kinds[op->layer_kind].window);
        c.curve[c.n++].chunked = model->kinds[op->layer_kind].chunked;
    }
    return c;
}

static double curves_at(const struct curves *c, double context)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += c->layers[i] * orr_decode_curve_s(&c->curve[i], context);
    return sum;
}

static double curves_sum(const struct curves *c, int64_t first, int64_t last)
{
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += c->layers[i] * orr_decode_curve_sum_s(&c->curve[i], first, last);
    return sum;
}

/* Time the host adds over contexts first..last: a step takes max(host, rest + attention(x)), and attention grows with
 * x, so one crossing separates host-bound from GPU-bound steps. */
static double host_sum_s(const struct orr_job *job, const struct curves *c, const struct orr_pass *pass, double rest_s,
                         int64_t first, int64_t last)
{
    const double host_s = pass->launches * job->engine.host_launch_s;
    int64_t low = first, high = last + 1; /* first context at which the GPU is the slower one */
    if (host_s <= 0) return 0;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rest_s + curves_at(c, (double)middle) >= host_s) high = middle;
        else low = middle + 1;
    }
    return low > first ? (double)(low - first) * (host_s - rest_s) - curves_sum(c, first, low - 1) : 0;
}

/* Sum of 1..x with every chunk begun anew. */
static double chunk_sum(double chunk, double x)
{
    const double rest = fmod(x, chunk);
    return floor(x / chunk) * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2;
}

/* Mean over the contexts first..last of what a window or a chunk leaves of each. */
static double mean_kept(double window, bool chunked, int64_t first, int64_t last)
{
    const double n = (double)(last - first + 1);
    if (chunked) return (chunk_sum(window, (double)last) - chunk_sum(window, (double)(first - 1))) / n;
    if (window >= (double)last) return ((double)first + (double)last) / 2;
    const double growing = orr_max(0, window - (double)first + 1); /* contexts up to the window */
    return (growing * ((double)first + window) / 2 + (n - growing) * window) / n;
}

/* Attention rows stand at the mean of what is read; their time is the exact mean over all contexts. */
static void settle_attention(struct orr_scratch *scratch, const struct curves *c, int64_t first, int64_t last)
{
    for (int i = 0; i < c->n; i++) {
        struct orr_op *op = &scratch->ops.items[c->op[i]];
        struct orr_cost *cost = &scratch->costs[c->op[i]];
        const double kept = mean_kept(c->curve[i].window, c->curve[i].chunked, first, last), share = kept / op->n;
        op->n = kept;
        op->flops *= share;
        op->bytes *= share;
        cost->dram_bytes = cost->l2_bytes = op->bytes;
        cost->total_s = orr_decode_curve_sum_s(&c->curve[i], first, last) / (double)(last - first + 1);
    }
}

/* One decode pass of a model at the mean context, with attention replaced by its exact mean over all contexts. */
static struct orr_pass decode_pass(const struct orr_job *job, const struct orr_model *model,
                                   struct orr_scratch *scratch, double sequences, double queries, int64_t first_context,
                                   int64_t last_context, struct curves *curves)
{
    const struct orr_serve_shape shape = {.decode_sequences = sequences,
                                          .decode_context = ((double)first_context + (double)last_context) / 2,
                                          .queries = queries};
    const size_t first = orr_pass_build(job, model, &shape, ORR_PHASE_DECODE, &scratch->ops, scratch->costs);
    double matrix_frac;
    *curves = curves_of(job, model, &scratch->ops, first);
    settle_attention(scratch, curves, first_context, last_context);
    return orr_pass_settled(job, &scratch->ops, scratch->costs, first, scratch->ops.n, &matrix_frac);
}

/* Eq. 94: tokens a step with q drafts yields. */
static double tokens_per_step(const struct orr_serving *s)
{
    const double q = (double)s->draft_tokens, gamma = s->draft_accept_frac;
    if (s->draft_tokens <= 0) return 1;
    return gamma >= 1 ? q + 1 : (1 - pow(gamma, q + 1)) / (1 - gamma);
}

/* The draft model runs q single-token steps before every verification; its operators are not listed. */
static double draft_s(const struct orr_job *job, struct orr_scratch *scratch, double sequences, int64_t first,
                      int64_t last)
{
    struct curves curves;
    const size_t listed = scratch->ops.n;
    const struct orr_pass pass = decode_pass(job, &job->draft, scratch, sequences, 1, first, last, &curves);
    scratch->ops.n = listed;
    return (double)job->serving.draft_tokens *
           (orr_pass_s(&pass) + pass.gap_s + host_bound_s(job, &pass, orr_pass_s(&pass)));
}

/* Output tokens after the first: contexts S + 1 ... S + G - 1 (Eq. 2). */
static void predict_decode(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result,
                           struct work *work)
{
    const struct orr_serving *s = &job->serving;
    result->tokens_per_step = tokens_per_step(s);
    if (s->output_len < 2) return;
    const struct flow flow = flow_of(job, 1);
    const int64_t first = s->input_len + 1, last = s->input_len + s->output_len - 1;
    const double sequences = (double)s->batch / flow.pieces, tokens = (double)(last - first + 1);
    const double steps = tokens / result->tokens_per_step, queries = (double)s->draft_tokens + 1;
    struct curves curves;
    const struct orr_pass pass = decode_pass(job, &job->model, scratch, sequences, queries, first, last, &curves);
    const double attention_mean_s = curves_sum(&curves, first, last) / tokens, busy_s = orr_pass_s(&pass);
    const double host_s = host_sum_s(job, &curves, &pass, busy_s - attention_mean_s, first, last) / tokens;
    const double send_s = sends_s(job, sequences * queries);
    /* cut batches keep all stages busy, unless the engine meets after every step; one piece waits for other stages */
    const bool steady = flow.pieces > 1 && job->engine.piece_tokens <= 0;
    const double own = flow.pieces / flow.stages, waited = steady ? 0 : 1 - 1 / flow.stages;
    const double pass_s = busy_s + pass.gap_s + host_s, sample_s = sampling_s(job, (double)s->batch);
    add_parts(&pass, steps * own, ORR_INFER_DECODE_GEMM, result->time_s);
    result->time_s[ORR_INFER_DECODE_NETWORK] += steps * send_s;
    result->time_s[ORR_INFER_PIPELINE] += steps * waited * pass_s;
    result->time_s[ORR_INFER_OVERHEAD] += steps * (own * (pass.gap_s + host_s) + sample_s);
    if (s->draft_tokens > 0) result->time_s[ORR_INFER_DRAFT] = steps * draft_s(job, scratch, sequences, first, last);
    result->decode_s = steps * ((own + waited) * pass_s + send_s + sample_s) + result->time_s[ORR_INFER_DRAFT];
    add_bounds(&pass, 1, send_s, pass.gap_s + host_s + sample_s, result->decode_bound_frac);
    to_shares(result->decode_bound_frac);
    add_work(job, &pass, steps * flow.pieces, steps * orr_max(1, flow.pieces / flow.stages), work);
}

/* Eq. 95: the cache of the prompts, over the link out of the domain or the one inside it. */
static double handoff_s(const struct orr_job *job, const struct orr_scratch *scratch)
{
    const struct orr_serving *s = &job->serving;
    const struct orr_system *system = &job->system;
    const double out =
        system->scaleout_bytes_per_s * system->scaleout_efficiency_frac / system->scaleout_oversubscription;
    const double bytes = (double)s->batch * orr_kv_sequence_bytes(job, scratch->stages, (double)s->input_len);
    return s->disaggregated ? bytes / (out > 0 ? out : system->scaleup_bytes_per_s) : 0;
}

/* It leaves layer by layer while the prompt is still computed: at least the last layer's part is seen. */
static double seen_handoff_s(const struct orr_job *job, const struct orr_infer_result *result)
{
    const double layers = (double)job->model.n_layers, all_s = result->kv_handoff_s;
    if (!job->serving.disaggregated) return 0;
    return orr_max(all_s / layers, all_s - result->prefill_s * (layers - 1) / layers) + job->system.scaleout_latency_s;
}

/* ---- totals */

static void fill_rates(const struct orr_job *job, const struct work *work, struct orr_infer_result *result)
{
    const struct orr_serving *s = &job->serving;
    const struct orr_chip *chip = &job->system.chip;
    const double gpus = (double)job->plan.gpus, replicas = (double)job->plan.dp, batch = (double)s->batch;
    const double ranks = gpus / replicas / (double)job->plan.pp; /* GPUs that share the work of one pass */
    const double output = batch * (double)s->output_len,
                 dynamic_j =
                     work->flop_j + work->dram_bytes * chip->hbm_j_per_byte + work->link_bytes * chip->link_j_per_byte;
    result->output_tokens_per_s = replicas * output / result->latency_s;
    result->output_tokens_per_s_per_gpu = result->output_tokens_per_s / gpus;
    result->input_tokens_per_s_per_gpu = replicas * batch * (double)s->input_len / result->latency_s / gpus;
    result->power_w_per_gpu =
        orr_min(chip->tdp_w, chip->idle_w + dynamic_j * ranks * replicas / gpus / result->latency_s);
    result->energy_j = gpus * result->power_w_per_gpu * result->latency_s * job->system.pue_frac; /* Eq. 104 */
    result->cost_usd = gpus * job->system.price_usd_per_gpu_hour * result->latency_s / 3600;
    result->cost_usd_per_million_tokens = result->cost_usd / (replicas * output) * 1e6;
    result->bound_s = work->light_s;
    result->params_total = orr_model_params(&job->model);
    result->params_active = orr_model_params_active(&job->model);
}

static void fill_latency(const struct orr_job *job, const struct orr_scratch *scratch, struct orr_infer_result *result)
{
    const double batch = (double)job->serving.batch, further = (double)(job->serving.output_len - 1);
    const double request_s = job->engine.request_s + job->engine.request_s_per_sequence * batch;
    const double first_s = request_s + sampling_s(job, batch) + job->engine.host_step_s;
    result->time_s[ORR_INFER_OVERHEAD] += first_s;
    result->kv_handoff_s = handoff_s(job, scratch);
    result->time_s[ORR_INFER_KV_TRANSFER] = seen_handoff_s(job, result);
    result->ttft_s = first_s + result->prefill_s + result->time_s[ORR_INFER_KV_TRANSFER];
    result->latency_s = 0;
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) result->latency_s += result->time_s[i];
    result->tpot_s = further > 0 ? result->decode_s / further : 0;
}

/* The resource that holds most of the latency: both phases' shares by their length, the rest is overhead. */
static void fill_bottleneck(struct orr_infer_result *result)
{
    double seconds[ORR_N_BOUNDS], most = -1;
    for (int i = 0; i < ORR_N_BOUNDS; i++) {
        seconds[i] =
            result->prefill_bound_frac[i] * result->prefill_s + result->decode_bound_frac[i] * result->decode_s;
        if (i == ORR_BOUND_OVERHEAD) seconds[i] += result->latency_s - result->prefill_s - result->decode_s;
        if (seconds[i] > most) {
            most = seconds[i];
            result->bottleneck = (enum orr_bound)i;
        }
    }
}

void orr_infer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result)
{
    struct work work = {0};
    memset(result, 0, sizeof *result);
    scratch->ops.n = 0;
    orr_stages_build(job, scratch->stages);
    predict_prefill(job, scratch, result, &work);
    predict_decode(job, scratch, result, &work);
    fill_latency(job, scratch, result);
    orr_serving_memory(job, scratch->stages, result);
    fill_rates(job, &work, result);
    fill_bottleneck(result);
    orr_fill_infer_interval(job, result);
}
