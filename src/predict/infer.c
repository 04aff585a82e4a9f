/* This file turns one inference job into one answer: it prices the prompt, then every decode step over the growing
 * context, and sums them exactly. Eqs. 2, 91-95. */
#include "predict/scratch.h"

#include "base/number.h"
#include "base/plain.h"
#include "memory/serving.h"
#include "predict/decode.h"
#include "predict/draft.h"
#include "predict/interval.h"
#include "predict/pass.h"
#include "spec/job.h"

#include <math.h>
#include <string.h>

/* A request holds what both phases share and what they hand to the totals. */
struct request {
    const struct orr_job *job;
    struct orr_scratch *scratch;
    struct orr_ledger *ledger;
    struct orr_infer_result *result;
    struct orr_pass_facts prefill, decode;
    struct orr_work work; /* work of one GPU of every stage, added up */
    double light_s;
    double prompt_launched_s; /* host seconds that launch the prompt's kernels */
};

/* ---------------------------------------------------------------- one kind of pass in the ledger */

/* This says how often a pass runs in the request. */
struct repeats {
    double own, waited; /* runs on one stage, and runs for which that stage waits for others */
    double all;         /* runs on all stages together */
    double seen;        /* runs one after another, because pieces of a batch are on different stages at once */
    double sends;       /* whole pieces sent from stage to stage */
};

/* Adds the operators of a pass, which runs `runs` times on one stage and `all` times on all stages together. The work
 * of a row is that of the mean GPU: every stage runs its part of a pass through the text model, but only the first runs
 * the tower. Operators of a drafting model are one part of the time, and are not in the list of operators. */
static void add_operators(struct request *r, const struct orr_pass *pass, enum orr_phase phase, bool drafting,
                          double runs, double all)
{
    const int gemm = phase == ORR_PHASE_PREFILL ? ORR_INFER_PREFILL_GEMM : ORR_INFER_DECODE_GEMM;
    for (size_t i = pass->first; i < pass->end; i++) {
        const struct orr_op *op = &r->scratch->ops.items[i];
        const struct orr_cost *cost = &r->scratch->costs[i];
        /* ORDER ORR_INFER_PARTS and enum orr_work_kind: both phases have gemm, attention, pointwise, network. */
        const struct orr_spent spent = {.part = drafting ? ORR_INFER_DRAFT : gemm + (int)orr_work_kind_of(op->kind),
                                        .phase = phase,
                                        .resource = cost->bound,
                                        .runs = runs * op->count,
                                        .works = all / (double)r->job->plan.pp * op->count,
                                        .run_s = orr_pass_op_s(op, cost, pass->clock_frac),
                                        .hidden_run_s = cost->hidden_s};
        orr_ledger_add_op(r->ledger, &spent, drafting ? -1 : (int64_t)i, op, cost);
    }
}

/* Adds what the device waits for in a pass. */
static void add_waits(struct request *r, const struct orr_pass *pass, enum orr_phase phase, int part, double runs)
{
    orr_ledger_add_wait(r->ledger, "launch gaps", part, phase, ORR_BOUND_OVERHEAD, runs, pass->gap_s);
    orr_ledger_add_wait(r->ledger, "host launches", part, phase, ORR_BOUND_HOST, runs, pass->host_s);
}

/* Adds the activations sent from stage to stage. Every piece is sent, and the latency sees the sends of one piece one
 * after another. Returns the seconds of one piece. */
static double add_sends(struct request *r, enum orr_phase phase, struct repeats n, double rows)
{
    const double stages = (double)r->job->plan.pp, hops = stages - 1;
    const struct orr_op op = orr_send_op(r->job, rows);
    struct orr_cost cost;
    if (stages < 2 || n.sends <= 0) return 0;
    orr_cost_collective(r->job, &op, &cost);
    const struct orr_spent spent = {.part = phase == ORR_PHASE_PREFILL ? ORR_INFER_PREFILL_NETWORK
                                                                       : ORR_INFER_DECODE_NETWORK,
                                    .phase = phase,
                                    .resource = ORR_BOUND_NETWORK,
                                    .runs = n.sends * hops,
                                    .run_s = cost.total_s,
                                    .works = n.all * hops / stages};
    orr_ledger_add_op(r->ledger, &spent, -1, &op, &cost);
    orr_work_add_op(r->job, &op, &cost, n.all * hops, &r->work);
    return hops * cost.total_s;
}

/* Adds the operators of a pass, what it waits for and its work to the totals; returns its seconds in the request.
 * `rows` is the number of rows of an activation between two stages. */
static double add_pass(struct request *r, const struct orr_pass *pass, enum orr_phase phase, struct repeats n,
                       double rows, struct orr_pass_facts *facts)
{
    double bound_s[ORR_N_BOUNDS];
    memcpy(bound_s, pass->bound_s, sizeof bound_s);
    bound_s[ORR_BOUND_OVERHEAD] += pass->gap_s;
    bound_s[ORR_BOUND_HOST] += pass->host_s;
    add_operators(r, pass, phase, false, n.own, n.all);
    const double send_s = add_sends(r, phase, n, rows);
    orr_ledger_add_mixed(r->ledger, "other stages", ORR_INFER_PIPELINE, phase, bound_s, n.waited);
    add_waits(r, pass, phase, ORR_INFER_OVERHEAD, n.own);
    orr_work_add(&r->work, &pass->work, n.all);
    r->light_s += n.seen * pass->light_s;
    facts->clock_frac = facts->clock_frac > 0 ? facts->clock_frac : pass->clock_frac;
    facts->host_s += n.own * pass->host_s;
    facts->sends_s += n.sends * send_s;
    return (n.own + n.waited) * orr_pass_total_s(pass) + n.sends * send_s;
}

/* Adds the sums of one pass under the names formulas use. The facts of a prompt cover all of its chunks and pieces. */
static void add_sums(const struct orr_pass *pass, double n, struct orr_pass_facts *facts)
{
    facts->gemm_s += n * pass->work_s[ORR_WORK_GEMM];
    facts->attention_s += n * pass->work_s[ORR_WORK_ATTENTION];
    facts->pointwise_s += n * pass->work_s[ORR_WORK_POINTWISE];
    facts->network_s += n * pass->work_s[ORR_WORK_NETWORK];
    facts->gap_s += n * pass->gap_s;
}

/* Takes the share of each resource in a phase from what the ledger has gathered since the phase began. */
static void take_shares(struct orr_ledger *ledger, double share_frac[ORR_N_BOUNDS])
{
    double total_s = 0;
    for (int i = 0; i < ORR_N_BOUNDS; i++) total_s += ledger->bound_s[i];
    for (int i = 0; i < ORR_N_BOUNDS; i++) share_frac[i] = ledger->bound_s[i] / total_s;
    memset(ledger->bound_s, 0, sizeof ledger->bound_s);
}

/* ---------------------------------------------------------------- drafts */

/* This says how often a pass of the drafting model runs: as the request sees it, and on all stages together. */
struct turns {
    double seen, all;
};

static struct turns turns_of(const struct orr_job *job, const struct orr_flow *flow, double steps)
{
    return (struct turns){.seen = steps * orr_draft_turns(job, flow), .all = steps * flow->pieces};
}

/* Adds a pass of the drafting model and its work, `times` for every turn. Returns its seconds in the request. */
static double add_draft_pass(struct request *r, const struct orr_pass *pass, enum orr_phase phase, struct turns n,
                             double times)
{
    const double runs = times * n.seen, all = times * n.all;
    add_operators(r, pass, phase, true, runs, all);
    add_waits(r, pass, phase, ORR_INFER_DRAFT, runs);
    orr_work_add(&r->work, &pass->work, all);
    return runs * orr_pass_total_s(pass);
}

/* Prices and adds a pass of the drafting model that runs while the prompt is read. */
static double add_prompt_draft(struct request *r, const struct orr_serve_shape *shape, struct turns n, double times)
{
    struct orr_scratch *s = r->scratch;
    const enum orr_phase priced = shape->prefill_tokens > 0 ? ORR_PHASE_PREFILL : ORR_PHASE_DECODE;
    const size_t listed = s->ops.n;
    if (times <= 0 || shape->prefill_sequences + shape->decode_sequences <= 0) return 0;
    const struct orr_pass pass = orr_pass_price(r->job, &r->job->draft, shape, priced, &s->ops, s->costs, s->bends);
    const double time_s = add_draft_pass(r, &pass, ORR_PHASE_PREFILL, n, times);
    s->ops.n = listed;
    return time_s;
}

/* Prediction layers run over the prompt too, and draft the tokens that the first decode step verifies. */
static double draft_prompt(struct request *r, const struct orr_serve_shape *shape, struct turns n)
{
    const struct orr_draft_passes passes = orr_draft_passes_of(r->job);
    const struct orr_serve_shape rows = orr_draft_rows(shape), tokens = orr_draft_tokens(r->job, shape);
    if (!r->job->draft.is_mtp) return 0;
    return add_prompt_draft(r, &rows, n, passes.rows) + add_prompt_draft(r, &tokens, n, passes.tokens);
}

/* ---------------------------------------------------------------- prompt */

/* Returns the tokens of a prompt that are read at once. */
static int64_t prompt_tokens(const struct orr_job *job)
{
    return orr_prompt_len(job) - (job->engine.last_token_decoded ? 1 : 0);
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

/* The chunks that prompts are cut into: `n` full ones, which have the mean of their contexts, and what is left over. */
struct chunks {
    double n;
    struct orr_serve_shape full, rest;
};

/* Tokens of the chunks that prompts are cut into: as the request says, or as the engine always does; 0: not cut. */
static int64_t chunk_size(const struct orr_job *job)
{
    return job->serving.chunk_tokens > 0 ? job->serving.chunk_tokens : job->engine.prompt_piece_tokens;
}

/* Eq. 298: cuts `whole`. The rest ends the last prompt. The contexts of the full chunks are such that all chunks
 * together have the pairs of the prompts. */
static struct chunks cut_chunks(const struct orr_job *job, const struct orr_serve_shape *whole)
{
    const double size = (double)chunk_size(job), tokens = whole->prefill_tokens;
    struct chunks cut = {.n = 1, .full = *whole, .rest = *whole};
    cut.rest.prefill_tokens = 0;
    if (size <= 0 || size >= tokens) return cut;
    const double each = tokens / whole->prefill_sequences;
    cut.n = floor(tokens / size);
    const double rest = tokens - cut.n * size, before = orr_max(0, each - rest);
    const double pairs = tokens * each / 2 - rest * (before + orr_min(rest, each) / 2);
    cut.full.prefill_tokens = size;
    cut.full.prefill_sequences = orr_max(1, size / each);
    cut.full.prefill_context += orr_max(0, pairs / (cut.n * size) - orr_min(size, each) / 2);
    cut.rest.prefill_tokens = rest;
    cut.rest.prefill_sequences = orr_max(1, rest / each);
    cut.rest.prefill_context += before;
    return cut;
}

/* Adds one kind of pass before the first token; each piece goes through in `chunks`, and `waits` of them find every
 * stage but one idle. */
static void add_prompt_pass(struct request *r, const struct orr_serve_shape *shape, const struct orr_flow *flow,
                            double chunks, double waits)
{
    struct orr_scratch *s = r->scratch;
    const struct orr_pass pass =
        orr_pass_price(r->job, &r->job->model, shape, ORR_PHASE_PREFILL, &s->ops, s->costs, s->bends);
    const struct repeats n = {.own = chunks * flow->own,
                              .waited = waits * flow->waited,
                              .all = chunks * flow->pieces,
                              .seen = orr_max(waits, chunks * flow->own),
                              .sends = waits};
    r->prompt_launched_s += n.own * pass.launch_s;
    r->result->prefill_s +=
        add_pass(r, &pass, ORR_PHASE_PREFILL, n, shape->prefill_tokens + shape->decode_sequences, &r->prefill);
    add_sums(&pass, n.all, &r->prefill);
    const double draft_s = draft_prompt(r, shape, turns_of(r->job, flow, chunks));
    r->prefill.draft_s += draft_s;
    r->result->prefill_s += draft_s;
    r->prefill.stage_frac = 1 / flow->stages;
    r->prefill.passes = 1;
}

/* Prices the tower over so many sequences: no graph, and gaps by rows (Eq. 380). */
static struct orr_pass tower_pass(const struct orr_job *job, double sequences, double least_s, struct orr_scratch *s)
{
    const double rows = orr_tower_dims(job, sequences).T * (double)job->plan.cp;
    const struct orr_serve_shape shape = {.prefill_tokens = rows, .queries = 1};
    const size_t first = orr_pass_emit_tower(job, sequences, &s->ops, s->costs);
    return orr_pass_settle(job, &shape, &s->ops, s->costs, first, least_s, s->bends);
}

/* Returns what 512 rows of a longer tower take, and 0 for others. */
static double tower_least_s(const struct orr_job *job, double sequences, struct orr_scratch *s)
{
    const double frac = orr_short_frac(job, true, orr_tower_dims(job, sequences).T);
    const size_t listed = s->ops.n;
    if (frac >= 1) return 0;
    const struct orr_pass pass = tower_pass(job, sequences * frac, 0, s);
    s->ops.n = listed;
    return pass.busy_s + pass.gap_s;
}

/* Adds the tower, which runs once for every request before its prompt, on the first stage. Images of a cached prefix
 * are not read again. The facts of the prompt count the tower as often as there are stages, because formulas divide by
 * their number. */
static void add_tower(struct request *r)
{
    const struct orr_job *job = r->job;
    struct orr_scratch *s = r->scratch;
    if (!job->media.encodes) return;
    const double stages = (double)job->plan.pp;
    const double sequences = (double)job->serving.batch * (1 - job->serving.prefix_hit_frac);
    const double pieces = orr_tower_pieces(job, sequences);
    const double each = sequences / pieces, least_s = tower_least_s(job, each, s);
    const struct orr_pass pass = tower_pass(job, each, least_s, s);
    const struct repeats n = {.own = pieces, .all = pieces, .seen = pieces};
    r->result->tower_s = add_pass(r, &pass, ORR_PHASE_PREFILL, n, 0, &r->prefill);
    r->result->prefill_s += r->result->tower_s;
    r->prefill.stage_frac = 1 / stages;
    add_sums(&pass, pieces * stages, &r->prefill);
}

/* Predicts the prompt: it is read at once, or all but its last token is, which then runs like an output token. */
static void predict_prefill(struct request *r)
{
    const struct orr_job *job = r->job;
    const int64_t batch = job->serving.batch;
    if (job->engine.compiled_tokens > 0) {
        const struct orr_serve_shape shape = orr_compiled_prompt(job, (double)prompt_tokens(job));
        const struct orr_flow flow = orr_prompt_flow(job, 1, prompt_tokens(job));
        add_prompt_pass(r, &shape, &flow, (double)batch, (double)batch);
    } else if (prompt_tokens(job) > 0) {
        /* Eq. 352: stages wait for the first piece alone. */
        const bool follow = job->engine.prompt_pieces_follow && chunk_size(job) > 0;
        const struct orr_flow flow = orr_prompt_flow(job, follow ? 1 : batch, prompt_tokens(job));
        const struct orr_serve_shape whole = prefill_shape(job, (double)batch / flow.pieces);
        const struct chunks cut = cut_chunks(job, &whole);
        add_prompt_pass(r, &cut.full, &flow, cut.n, follow ? 1 : cut.n);
        if (cut.rest.prefill_tokens > 0) add_prompt_pass(r, &cut.rest, &flow, 1, follow ? 0 : 1);
    }
    if (job->engine.last_token_decoded) {
        const struct orr_flow flow = orr_prompt_flow(job, batch, 1);
        const struct orr_serve_shape shape = {.decode_sequences = (double)batch / flow.pieces,
                                              .decode_context = (double)orr_prompt_len(job),
                                              .queries = 1};
        add_prompt_pass(r, &shape, &flow, 1, 1);
    }
    add_tower(r);
    take_shares(r->ledger, r->result->prefill_bound_frac);
    r->result->matrix_frac = r->prefill.clock_frac * job->calibration.gemm[job->serving.matrix].burst_frac;
}

/* ---------------------------------------------------------------- decode */

/* Eq. 94 gives the tokens that a step with q drafts yields. */
static double tokens_per_step(const struct orr_serving *s)
{
    const double q = (double)s->draft_tokens, gamma = s->draft_accept_frac;
    if (s->draft_tokens <= 0) return 1;
    return gamma >= 1 ? q + 1 : (1 - pow(gamma, q + 1)) / (1 - gamma);
}

/* Prices and adds a pass of the drafting model over the contexts of the decode steps. */
static double add_decode_draft(struct request *r, const struct orr_serve_shape *shape, struct orr_contexts span,
                               struct turns n, double times)
{
    struct orr_scratch *scratch = r->scratch;
    struct orr_decode_curves curves;
    const size_t listed = scratch->ops.n;
    if (times <= 0) return 0;
    const struct orr_pass pass = orr_decode_pass(r->job, &r->job->draft, scratch, shape, span, &curves);
    const double time_s = add_draft_pass(r, &pass, ORR_PHASE_DECODE, n, times);
    scratch->ops.n = listed;
    return time_s;
}

/* Eqs. 94, 94a: every decode step of a piece is followed by the drafts for its next one. */
static void draft_decode(struct request *r, const struct orr_serve_shape *shape, struct orr_contexts span,
                         struct turns n)
{
    const struct orr_draft_passes passes = orr_draft_passes_of(r->job);
    const struct orr_serve_shape rows = orr_draft_rows(shape), tokens = orr_draft_tokens(r->job, shape);
    r->decode.draft_s = add_decode_draft(r, &rows, span, n, passes.rows);
    r->decode.draft_s += add_decode_draft(r, &tokens, span, n, passes.tokens);
    r->result->decode_s += r->decode.draft_s;
}

/* Predicts the output tokens after the first: they have the contexts S + 1 ... S + G - 1 (Eq. 2). */
static void predict_decode(struct request *r)
{
    const struct orr_job *job = r->job;
    const struct orr_serving *s = &job->serving;
    struct orr_infer_result *result = r->result;
    result->tokens_per_step = tokens_per_step(s);
    if (s->output_len < 2) return;
    const int64_t batch = orr_compiled_sequences(job, s->batch);
    const struct orr_flow flow = orr_decode_flow(job, batch);
    const struct orr_contexts span = {orr_prompt_len(job) + 1, orr_prompt_len(job) + s->output_len - 1};
    const double sequences = (double)batch / flow.pieces, tokens = orr_contexts_n(span);
    const double steps = tokens / result->tokens_per_step;
    const struct orr_serve_shape shape = {.decode_sequences = sequences,
                                          .decode_context = orr_contexts_mean(span),
                                          .queries = (double)s->draft_tokens + 1};
    struct orr_decode_curves curves;
    struct orr_pass pass = orr_decode_pass(job, &job->model, r->scratch, &shape, span, &curves);
    pass.host_s = orr_decode_host_s(&curves, &pass, span);
    const struct repeats n = {.own = steps * flow.own,
                              .waited = steps * flow.waited,
                              .all = steps * flow.pieces,
                              .seen = steps * orr_max(1, flow.own),
                              .sends = steps};
    result->decode_s = add_pass(r, &pass, ORR_PHASE_DECODE, n, sequences * shape.queries, &r->decode);
    const double sample_s = orr_sampling_s(job, (double)s->batch, result->decode_s / steps, flow.own * pass.launch_s);
    result->decode_s += steps * sample_s;
    orr_ledger_add_wait(r->ledger, "scheduling and sampling", ORR_INFER_OVERHEAD, ORR_PHASE_DECODE, ORR_BOUND_HOST,
                        steps, sample_s);
    r->decode.sample_s = sample_s;
    add_sums(&pass, 1, &r->decode);
    r->decode.stage_frac = flow.own;
    r->decode.passes = steps;
    take_shares(r->ledger, result->decode_bound_frac);
    if (s->draft_tokens > 0) draft_decode(r, &shape, span, turns_of(job, &flow, steps));
}

static double seen_handoff_s(const struct orr_job *job, const struct orr_infer_result *result)
{
    if (!job->serving.disaggregated) return 0;
    return orr_handoff_left_s(result->kv_handoff_pieces, result->kv_handoff_s, result->prefill_s) +
           job->system.scaleout_latency_s;
}

/* ---------------------------------------------------------------- totals */

/* Before the first token, requests are read and scheduled, first tokens sampled and the cache handed over. */
static void fill_latency(struct request *r)
{
    const struct orr_job *job = r->job;
    const struct orr_engine *engine = &job->engine;
    struct orr_infer_result *result = r->result;
    const double batch = (double)job->serving.batch, further = (double)(job->serving.output_len - 1);
    const double speed = job->system.host_speed;
    const double request_s = (engine->request_s + engine->request_s_per_sequence * batch) / speed;
    const double pass_s = result->prefill_s - r->prefill.draft_s - result->tower_s;
    const double once_s = engine->host_step_s / speed;
    const double sample_s = orr_sampling_s(job, batch, pass_s, r->prompt_launched_s);
    orr_ledger_add_wait(r->ledger, "request handling", ORR_INFER_OVERHEAD, ORR_PHASE_STEP, ORR_BOUND_HOST, 1,
                        request_s);
    orr_ledger_add_wait(r->ledger, "sampling of the first token", ORR_INFER_OVERHEAD, ORR_PHASE_STEP, ORR_BOUND_HOST, 1,
                        sample_s);
    orr_ledger_add_wait(r->ledger, "host, once per request", ORR_INFER_OVERHEAD, ORR_PHASE_STEP, ORR_BOUND_HOST, 1,
                        once_s);
    r->prefill.sample_s = sample_s;
    result->kv_handoff_pieces = orr_handoff_pieces(job, (double)orr_prompt_len(job), (double)job->serving.chunk_tokens);
    result->kv_handoff_s =
        job->serving.disaggregated ? batch * orr_handoff_s(job, r->scratch->stages, (double)orr_prompt_len(job)) : 0;
    orr_ledger_add_wait(r->ledger, "cache handed to the decode GPUs", ORR_INFER_KV_TRANSFER, ORR_PHASE_STEP,
                        ORR_BOUND_NETWORK, 1, seen_handoff_s(job, result));
    result->latency_s = 0;
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) result->latency_s += result->time_s[i] = r->ledger->part_s[i];
    result->ttft_s = request_s + sample_s + once_s + result->prefill_s + result->time_s[ORR_INFER_KV_TRANSFER];
    result->tpot_s = further > 0 ? result->decode_s / further : 0;
}

static void fill_rates(struct request *r)
{
    const struct orr_job *job = r->job;
    const struct orr_serving *s = &job->serving;
    struct orr_infer_result *result = r->result;
    const double gpus = (double)job->plan.gpus, replicas = (double)job->plan.dp, batch = (double)s->batch;
    const double output = batch * (double)s->output_len;
    struct orr_work work = {0}; /* work of one GPU, because the stages share the work of a pass */
    orr_work_add(&work, &r->work, 1 / (double)job->plan.pp);
    const struct orr_energy energy = orr_energy_of(job, &work, result->latency_s);
    result->output_tokens_per_s = replicas * output / result->latency_s;
    result->output_tokens_per_s_per_gpu = result->output_tokens_per_s / gpus;
    result->input_tokens_per_s_per_gpu = replicas * batch * (double)orr_prompt_len(job) / result->latency_s / gpus;
    result->power_w_per_gpu = energy.power_w_per_gpu;
    result->energy_j = energy.total_j;
    memcpy(result->energy_part_j, energy.part_j, sizeof result->energy_part_j);
    result->cost_usd = gpus * job->system.price_usd_per_gpu_hour * result->latency_s / 3600;
    result->cost_usd_per_million_tokens = result->cost_usd / (replicas * output) * 1e6;
    result->bound_s = r->light_s;
    result->params_total = orr_model_params(&job->model);
    result->params_active = orr_model_params_active(&job->model);
    orr_ledger_close(r->ledger, result->latency_s, &energy);
}

/* The bottleneck is the resource that holds most of the latency: the shares of both phases count by their length, and
 * the rest of the latency is the host's. */
static void fill_bottleneck(struct orr_infer_result *result)
{
    double seconds[ORR_N_BOUNDS], most = -1;
    for (int i = 0; i < ORR_N_BOUNDS; i++) {
        seconds[i] =
            result->prefill_bound_frac[i] * result->prefill_s + result->decode_bound_frac[i] * result->decode_s;
        if (i == ORR_BOUND_HOST) seconds[i] += result->latency_s - result->prefill_s - result->decode_s;
        if (seconds[i] > most) {
            most = seconds[i];
            result->bottleneck = (enum orr_bound)i;
        }
    }
}

static void predict_times(struct request *r)
{
    memset(r->result, 0, sizeof *r->result);
    r->scratch->ops.n = 0;
    orr_stages_build(r->job, r->scratch->stages);
    predict_prefill(r);
    predict_decode(r);
    fill_latency(r);
}

static void predict(struct request *r)
{
    predict_times(r);
    orr_serving_memory(r->job, r->scratch->stages, r->result);
    fill_rates(r);
    fill_bottleneck(r->result);
    orr_fill_infer_interval(r->job, r->result);
}

void orr_infer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result)
{
    ORR_PLAIN_NUMBERS;
    job = orr_shared(job, scratch);
    struct orr_ledger ledger = {.job = job};
    struct request request = {.job = job, .scratch = scratch, .ledger = &ledger, .result = result};
    predict(&request);
}

void orr_infer_times(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result)
{
    struct orr_ledger ledger = {.job = job};
    struct request request = {.job = job, .scratch = scratch, .ledger = &ledger, .result = result};
    predict_times(&request);
}

void orr_infer_answer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer)
{
    struct orr_ledger ledger = {.job = job, .rows = scratch->rows};
    struct request request = {.job = job, .scratch = scratch, .ledger = &ledger, .result = &answer->infer};
    predict(&request);
    answer->prefill = request.prefill;
    answer->decode = request.decode;
    answer->n_rows = ledger.n_rows;
}
