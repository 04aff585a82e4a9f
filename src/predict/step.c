/* This file gives step times to serving simulators: one pass with prompt chunks and decoding sequences, priced as
 * orr_infer prices it. Parts that depend only on a count of rows are priced once per count and remembered as a curve
 * over the clock; attention comes from its own curves. Eq. 93. */
#include "ops/mixer.h"
#include "predict/draft.h"
#include "predict/pass.h"
#include "predict/power.h"
#include "schedule/host.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Counts up to this one are remembered. Parts with more rows, or with a fractional count, are priced on every call. */
#define REMEMBERED_ROWS 16384
/* This is the room for kernels whose bound changes with the clock. A part that finds no room is not remembered. */
#define REMEMBERED_BENDS 32768

/* A part of a pass is a function of the clock. */
struct part {
    double fixed_s, clock_s; /* seconds at any clock, and seconds that the inverse clock stretches */
    double matrix_s, launches, host_s;
    uint32_t first_bend, n_bends; /* range in the model's memory */
};

/* Each of these counts alone decides some parts of a pass. */
enum count { COUNT_ROWS, COUNT_DECODES, COUNT_SEQUENCES, COUNT_MIXED_ROWS, N_COUNTS };
static const unsigned PARTS[N_COUNTS] = {ORR_PART_ROWS, ORR_PART_DECODES, ORR_PART_SEQUENCES, ORR_PART_ROWS};

struct orr_step_model {
    struct orr_job job;
    double clock_min;
    double layers[ORR_MAX_LAYER_KINDS];
    bool counted; /* true where decoding sequences have products or scans of their own */
    bool known[N_COUNTS][REMEMBERED_ROWS + 1]; /* which of the parts are remembered */
    size_t n_remembered, n_bends;
    /* everything below is written before it is read, so that a new model need not be cleared whole */
    struct part parts[N_COUNTS][REMEMBERED_ROWS + 1];
    struct orr_bend remembered[REMEMBERED_BENDS];
    struct orr_op_list list;
    struct orr_cost costs[ORR_MAX_OPS];
    struct orr_bend bends[ORR_MAX_OPS]; /* bends of the parts that are priced in this call */
};

struct orr_step_model *orr_step_model_new(const struct orr_job *job)
{
    struct orr_step_model *model = malloc(sizeof *model);
    if (!model) return NULL;
    memset(model, 0, offsetof(struct orr_step_model, parts));
    model->job = *job;
    model->clock_min = orr_clock_min(job, job->serving.matrix);
    for (int64_t i = 0; i < job->model.n_layers; i++) model->layers[job->model.layer_kind[i]] += 1;
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &job->model.kinds[k];
        model->counted |= kind->mla_kv_rank > 0 || orr_kind_scans(kind) || !orr_kind_attends(kind);
        model->counted |= kind->cross_keys > 0 || kind->index_heads > 0 || orr_kind_compresses(kind);
    }
    return model;
}

void orr_step_model_free(struct orr_step_model *model)
{
    free(model);
}

/* ---------------------------------------------------------------- parts as curves */

/* A sum is a pass as the sum of its parts. */
struct sum {
    double fixed_s, clock_s, matrix_s, launches, host_s, gap_s, least_s;
    size_t n_parts;
    const struct orr_bend *bends[4];
    size_t n_bends[4];
};

static void add_part(struct sum *sum, const struct part *part, const struct orr_bend *bends)
{
    sum->fixed_s += part->fixed_s;
    sum->clock_s += part->clock_s;
    sum->matrix_s += part->matrix_s;
    sum->launches += part->launches;
    sum->host_s += part->host_s;
    sum->bends[sum->n_parts] = bends;
    sum->n_bends[sum->n_parts++] = part->n_bends;
}

static double busy_s(const struct sum *sum, double clock_frac)
{
    double total_s = sum->fixed_s + sum->clock_s / clock_frac;
    for (size_t p = 0; p < sum->n_parts; p++)
        for (size_t i = 0; i < sum->n_bends[p]; i++) {
            const struct orr_bend *bend = &sum->bends[p][i];
            total_s +=
                bend->forward * orr_joined_s(bend->partial, bend->compute_s / clock_frac, bend->l2_s, bend->dram_s);
        }
    return total_s;
}

static struct orr_load load_at(void *context, double clock_frac)
{
    const struct sum *sum = context;
    return (struct orr_load){.total_s = orr_max(busy_s(sum, clock_frac) + sum->gap_s, sum->least_s),
                             .matrix_s = sum->matrix_s / clock_frac};
}

/* Prices the operators of some parts. Attention of decoding sequences comes from its own curves, so only its launches
 * are counted. Returns the bends, which lie in the working memory of this call. */
static struct orr_bend *price(struct orr_step_model *model, const struct orr_serve_shape *shape, unsigned parts,
                              enum orr_phase phase, struct part *part)
{
    struct orr_bend *bends = &model->bends[model->n_bends];
    struct orr_layer_curve curve = {0};
    double launches = 0, host_s = 0;
    model->list.n = 0;
    orr_serve_parts(&model->job, &model->job.model, shape, parts, phase, &model->list);
    orr_cost_range(&model->job, &model->list, 0, model->costs);
    for (size_t i = 0; i < model->list.n; i++) {
        const struct orr_op *op = &model->list.items[i];
        launches += op->count * op->launches;
        host_s += orr_host_op_s(&model->job, op, false);
        if (op->kind != ORR_OP_DECODE) orr_curve_add(&curve, bends, op, &model->costs[i], model->clock_min);
    }
    *part = (struct part){.fixed_s = curve.forward_s + curve.forward_exposed_s,
                          .clock_s = curve.forward_clock_s,
                          .matrix_s = curve.matrix_s,
                          .launches = launches,
                          .host_s = host_s,
                          .n_bends = (uint32_t)curve.n_bends};
    model->n_bends += curve.n_bends;
    return bends;
}

/* Keeps a part for the next call, where there is room for its bends. Says whether it does. */
static bool remember(struct orr_step_model *model, const struct part *part, const struct orr_bend *bends,
                     struct part *slot)
{
    if (model->n_remembered + part->n_bends > REMEMBERED_BENDS) return false;
    *slot = *part;
    slot->first_bend = (uint32_t)model->n_remembered;
    for (size_t i = 0; i < part->n_bends; i++) model->remembered[model->n_remembered++] = bends[i];
    return true;
}

/* Adds a part that depends on `n` rows or sequences alone; it is remembered where n is whole. */
static void add_counted(struct orr_step_model *model, enum count count, double n, struct sum *sum)
{
    /* A part that is counted in sequences has all their queries, which are the same in every step. */
    const double queries = count == COUNT_DECODES ? (double)model->job.serving.draft_tokens + 1 : 1;
    const struct orr_serve_shape shape = {.decode_sequences = n / queries,
                                          .decode_context = 1,
                                          .queries = queries,
                                          .beside_prompts = count == COUNT_MIXED_ROWS};
    const bool whole = n <= REMEMBERED_ROWS && n == (double)(int64_t)n;
    struct part *slot = whole ? &model->parts[count][(int64_t)n] : NULL, part;
    if (slot && model->known[count][(int64_t)n]) {
        add_part(sum, slot, &model->remembered[slot->first_bend]);
        return;
    }
    const struct orr_bend *bends = price(model, &shape, PARTS[count], ORR_PHASE_DECODE, &part);
    add_part(sum, &part, bends);
    if (slot) model->known[count][(int64_t)n] = remember(model, &part, bends, slot);
}

static double context_s(const struct orr_step_model *model, const struct orr_layer_kind *kind, const struct orr_op *op,
                        double context)
{
    struct orr_decode_curve curve = orr_decode_curve_of(&model->job, op, orr_decode_key_limit(kind, op));
    curve.chunked = kind->chunked;
    return orr_decode_curve_s(&curve, context);
}

/* Adds attention over the cached contexts of the decoding sequences. */
static void add_decode_attention(const struct orr_step_model *model, const struct orr_serve_shape *shape,
                                 struct sum *sum)
{
    for (int64_t k = 0; k < model->job.model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &model->job.model.kinds[k];
        if (!orr_kind_attends(kind)) continue;
        struct orr_op op = orr_serve_decode_op(&model->job, kind, shape->decode_sequences, shape->queries);
        sum->fixed_s += model->layers[k] * context_s(model, kind, &op, shape->decode_context);
        if (kind->compress_ratio > 0) {
            op = orr_serve_entries_op(&model->job, kind, shape->decode_sequences, shape->queries);
            sum->fixed_s += model->layers[k] * context_s(model, kind, &op, shape->decode_context);
        }
        if (kind->index_heads == 0) continue;
        op = orr_serve_index_op(&model->job, kind, shape->decode_sequences, shape->queries);
        sum->fixed_s += model->layers[k] * context_s(model, kind, &op, shape->decode_context);
    }
}

/* The attentions of a pass, at which its graph is cut. The indexer of a pass that decodes is one more: with prompts
 * alone it is a product (pass.c counts the same). */
static double attentions_of(const struct orr_step_model *model, bool decodes)
{
    double n = 0;
    for (int64_t k = 0; k < model->job.model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &model->job.model.kinds[k];
        if (orr_kind_attends(kind)) n += model->layers[k] * (decodes && kind->index_heads > 0 ? 2 : 1);
    }
    return n;
}

/* ---------------------------------------------------------------- a step */

/* The host beside a piece of a step: what it needs to launch the kernels, and what of it they wait for. */
struct host {
    double launched_s, wait_s;
};

/* Adds up one piece of a step through the whole model; kernels and gaps take at least least_s (Eq. 380). Returns their
 * seconds. */
static double add_piece(struct orr_step_model *model, const struct orr_serve_shape *shape, double idle, double least_s,
                        struct host *host)
{
    const struct orr_job *job = &model->job;
    const bool decodes = shape->decode_sequences > 0, prompts = shape->prefill_tokens > 0;
    const double decode_rows = (shape->decode_sequences + idle) * shape->queries;
    const double rows = orr_shape_rows(job, shape) + idle * shape->queries;
    const double heads = shape->prefill_sequences + decode_rows;
    struct sum sum = {.least_s = least_s};
    struct part prompt;
    model->n_bends = 0;
    /* Rows beside prompts differ only where passes without prompts exchange tokens in another way. */
    add_counted(model, prompts && job->engine.moe_low_latency ? COUNT_MIXED_ROWS : COUNT_ROWS, rows, &sum);
    if (!shape->no_head) add_counted(model, COUNT_SEQUENCES, heads, &sum);
    if (prompts) {
        const struct orr_bend *bends = price(model, shape, ORR_PART_PROMPTS, ORR_PHASE_PREFILL, &prompt);
        add_part(&sum, &prompt, bends);
    }
    if (decodes && model->counted) add_counted(model, COUNT_DECODES, decode_rows, &sum);
    else if (decodes)
        for (int64_t k = 0; k < job->model.n_kinds; k++) {
            sum.launches += model->layers[k];
            sum.host_s += model->layers[k] * job->engine.host_launch_s / job->system.host_speed;
        }
    if (decodes) add_decode_attention(model, shape, &sum);
    sum.gap_s = orr_gap_s(job, !decodes, rows, sum.launches) + orr_pieces_s(job, shape, attentions_of(model, decodes));
    const double gpu_s = busy_s(&sum, orr_settled_clock(job, job->serving.matrix, load_at, &sum));
    host->launched_s = orr_pass_host_s(job, shape, sum.host_s);
    host->wait_s = orr_max(0, host->launched_s - gpu_s);
    return orr_max(gpu_s + sum.gap_s, least_s);
}

/* Returns the time of one piece of a step, and what the host needs to launch it. `idle` counts dummies that fill a
 * captured graph: rows without a context. */
static double piece_s(struct orr_step_model *model, const struct orr_serve_shape *shape, double idle,
                      double *launched_s)
{
    const bool prompt_only = shape->decode_sequences <= 0;
    const double rows = orr_shape_rows(&model->job, shape) + idle * shape->queries;
    const double frac = orr_short_frac(&model->job, prompt_only, rows);
    double least_s = 0;
    struct host host;
    if (frac < 1) {
        const struct orr_serve_shape part = orr_shape_part(&model->job, shape, frac);
        least_s = add_piece(model, &part, frac * idle, 0, &host);
    }
    const double device_s = add_piece(model, shape, idle, least_s, &host);
    *launched_s = host.launched_s;
    return device_s + host.wait_s;
}

/* Returns the time of one pass of the drafting model. */
static double draft_pass_s(struct orr_step_model *model, const struct orr_serve_shape *shape)
{
    const struct orr_job *job = &model->job;
    const enum orr_phase phase = shape->decode_sequences > 0 ? ORR_PHASE_DECODE : ORR_PHASE_PREFILL;
    model->list.n = 0;
    const struct orr_pass pass =
        orr_pass_price(job, &job->draft, shape, phase, &model->list, model->costs, model->bends);
    return orr_pass_total_s(&pass);
}

/* Returns the time of drafting after a piece of a step. */
static double draft_s(struct orr_step_model *model, const struct orr_serve_shape *shape)
{
    const struct orr_draft_passes passes = orr_draft_passes_of(&model->job);
    const struct orr_serve_shape rows = orr_draft_rows(shape), tokens = orr_draft_tokens(&model->job, shape);
    double time_s = 0;
    if (passes.rows > 0) time_s += passes.rows * draft_pass_s(model, &rows);
    if (passes.tokens > 0 && tokens.decode_sequences > 0) time_s += passes.tokens * draft_pass_s(model, &tokens);
    return time_s;
}

static double mean_of(int64_t total, int64_t n)
{
    return n > 0 ? (double)total / (double)n : 0;
}

/* Prompts alone fill and drain a pipeline. Beside sequences that decode they are rows of pieces that follow each
 * other. */
static struct orr_flow flow_of(const struct orr_job *job, const struct orr_step *step, int64_t sequences)
{
    const int64_t prompts = step->prefill_sequences;
    if (prompts == 0) return orr_decode_flow(job, sequences);
    const int64_t tokens = step->prefill_tokens / prompts;
    return step->decode_sequences > 0 ? orr_running_flow(job, sequences, tokens)
                                      : orr_prompt_flow(job, sequences, tokens);
}

/* Eq. 374: graphs of one shape. Sequences that decode fill up the compiled batch, and prompts follow one by one. */
static double compiled_s(struct orr_step_model *model, const struct orr_step *step)
{
    const struct orr_job *job = &model->job;
    const double prompts = (double)step->prefill_sequences;
    double time_s = 0, drafts_s = 0, launched_s = 0, piece_launched_s;
    if (step->decode_sequences > 0) {
        const int64_t batch = orr_compiled_sequences(job, step->decode_sequences);
        const struct orr_flow flow = orr_decode_flow(job, batch);
        const double context = mean_of(step->decode_context, step->decode_sequences);
        const struct orr_serve_shape shape = {.decode_sequences = (double)batch / flow.pieces,
                                              .decode_context = orr_max(context, (double)job->engine.compiled_tokens),
                                              .queries = (double)job->serving.draft_tokens + 1};
        time_s += (flow.own + flow.waited) * piece_s(model, &shape, 0, &piece_launched_s);
        launched_s += flow.own * piece_launched_s;
        time_s += orr_sends_s(job, shape.decode_sequences * shape.queries);
        if (job->serving.draft_tokens > 0) drafts_s += orr_draft_turns(job, &flow) * draft_s(model, &shape);
    }
    if (prompts > 0) {
        const struct orr_serve_shape shape = orr_compiled_prompt(job, (double)step->prefill_tokens / prompts);
        const struct orr_flow flow = orr_prompt_flow(job, 1, 1);
        const double prompt_s = (flow.own + flow.waited) * piece_s(model, &shape, 0, &piece_launched_s);
        launched_s += prompts * flow.own * piece_launched_s;
        time_s += prompts * (prompt_s + orr_sends_s(job, shape.prefill_tokens));
        if (job->serving.draft_tokens > 0) drafts_s += prompts * orr_draft_turns(job, &flow) * draft_s(model, &shape);
    }
    return time_s + orr_sampling_s(job, prompts + (double)step->decode_sequences, time_s, launched_s) + drafts_s;
}

double orr_step_time(struct orr_step_model *model, const struct orr_step *step)
{
    const struct orr_job *job = &model->job;
    const int64_t idle = step->padding_rows, prompts = step->prefill_sequences;
    const int64_t sequences = prompts + step->decode_sequences + idle;
    if (sequences <= 0) return 0;
    if (job->engine.compiled_tokens > 0) return compiled_s(model, step);
    const struct orr_flow flow = flow_of(job, step, sequences);
    const struct orr_serve_shape piece = {.prefill_tokens = (double)step->prefill_tokens / flow.pieces,
                                          .prefill_sequences = (double)prompts / flow.pieces,
                                          .prefill_context = mean_of(step->prefill_context, prompts),
                                          .decode_sequences = (double)step->decode_sequences / flow.pieces,
                                          .decode_context = mean_of(step->decode_context, step->decode_sequences),
                                          .queries = (double)job->serving.draft_tokens + 1};
    const double dummies = (double)idle / flow.pieces;
    const double sent = piece.prefill_tokens + (piece.decode_sequences + dummies) * piece.queries;
    double launched_s;
    double time_s = (flow.own + flow.waited) * piece_s(model, &piece, dummies, &launched_s) + orr_sends_s(job, sent);
    time_s += orr_sampling_s(job, (double)sequences, time_s, flow.own * launched_s);
    if (job->serving.draft_tokens > 0) time_s += orr_draft_turns(job, &flow) * draft_s(model, &piece);
    return time_s;
}
