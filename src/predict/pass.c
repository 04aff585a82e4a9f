/* This file prices one pass of a serving engine: its flow through the pipeline, clock and sums. Eqs. 105, 126-129. */
#include "predict/pass.h"

#include "base/text.h"
#include "ops/mixer.h"
#include "predict/power.h"
#include "schedule/host.h"

/* ---------------------------------------------------------------- flow */

/* A batch runs in two halves where the engine overlaps them and an exchange between expert ranks can be hidden. */
static bool runs_in_halves(const struct orr_job *job)
{
    return job->engine.two_batch_overlap && job->plan.ep * job->plan.etp > job->plan.tp;
}

/* A batch is cut into as many pieces as there are stages, and into twice as many where one piece exchanges tokens while
 * another computes, but no further than into single sequences. Engines with a limit on the tokens of a piece cut the
 * batch into pp where that leaves no rest, and halve it while a piece is too large and even. */
static double pieces_of(const struct orr_job *job, int64_t sequences, int64_t tokens)
{
    const int64_t p = job->plan.pp, limit = job->engine.piece_tokens;
    if (limit <= 0) {
        const int64_t most = runs_in_halves(job) ? 2 * p : p;
        return (double)(sequences < most ? sequences : most);
    }
    int64_t piece = sequences % p == 0 ? sequences / p : sequences;
    while (piece * tokens > limit && piece % 2 == 0) piece /= 2;
    return (double)sequences / (double)piece;
}

/* A batch cut into m pieces over p stages takes (m + p - 1) / p passes of one piece. */
struct orr_flow orr_prompt_flow(const struct orr_job *job, int64_t sequences, int64_t tokens)
{
    const double stages = (double)job->plan.pp, pieces = pieces_of(job, sequences, tokens);
    return (struct orr_flow){
        .stages = stages, .pieces = pieces, .own = pieces / stages, .waited = (stages - 1) / stages};
}

/* The next token of a piece needs the whole pass of its last token. As many pieces as stages keep every stage busy,
 * with prompts among their rows or without (Eq. 369). With fewer pieces, a stage waits for the others. An engine that
 * synchronises all stages after each step fills and drains the pipeline every time. */
struct orr_flow orr_running_flow(const struct orr_job *job, int64_t sequences, int64_t tokens)
{
    struct orr_flow flow = orr_prompt_flow(job, sequences, tokens);
    if (flow.pieces > 1 && job->engine.piece_tokens <= 0) flow.waited = orr_max(0, 1 - flow.own);
    return flow;
}

struct orr_flow orr_decode_flow(const struct orr_job *job, int64_t sequences)
{
    return orr_running_flow(job, sequences, 1);
}

struct orr_op orr_send_op(const struct orr_job *job, double rows)
{
    return (struct orr_op){.name = "pp.send",
                           .kind = ORR_OP_COLLECTIVE,
                           .collective = ORR_COLLECTIVE_P2P,
                           .group = ORR_GROUP_PP,
                           .payload_bytes =
                               rows * orr_boundary_width(&job->model) * orr_dtype_bytes(job->serving.comm)};
}

double orr_sends_s(const struct orr_job *job, double rows)
{
    if (job->plan.pp < 2) return 0;
    const struct orr_op op = orr_send_op(job, rows);
    struct orr_cost cost;
    orr_cost_collective(job, &op, &cost);
    return (double)(job->plan.pp - 1) * cost.total_s;
}

static bool has_scans(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (orr_kind_scans(&model->kinds[k])) return true;
    return false;
}

double orr_sampling_s(const struct orr_job *job, double sequences, double pass_s, double launched_s)
{
    const struct orr_engine *engine = &job->engine;
    const double host_s = (engine->sampling_s + engine->sampling_s_per_sequence * sequences) / job->system.host_speed;
    /* One thread schedules ahead and launches: it is busy for both. */
    return engine->async_scheduling ? orr_max(0, launched_s + host_s - pass_s) : host_s; /* Eq. 129 */
}

double orr_shape_rows(const struct orr_job *job, const struct orr_serve_shape *shape)
{
    return shape->prefill_tokens / (double)job->plan.cp + shape->decode_sequences * shape->queries;
}

static bool has_latents(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].mla_kv_rank > 0) return true;
    return false;
}

static bool has_index(const struct orr_model *model)
{
    for (int64_t k = 0; k < model->n_kinds; k++)
        if (model->kinds[k].index_heads > 0) return true;
    return false;
}

/* Is the job of a kind, or the model of a type, whose prompts the engine launches kernel by kernel? */
static bool launches_prompts(const struct orr_job *job)
{
    const char *launched = job->engine.graph_prompts_not;
    const struct orr_plan *plan = &job->plan;
    if (!launched[0]) return false;
    return (job->model.type[0] && orr_has_word(launched, job->model.type)) ||
           (plan->pp > 1 && orr_has_word(launched, "pp")) ||
           (plan->dp > 1 && plan->ep * plan->etp > plan->tp && orr_has_word(launched, "ranks")) ||
           (job->serving.disaggregated && orr_has_word(launched, "pools")) ||
           (job->serving.draft_tokens > 0 && orr_has_word(launched, "drafts")) ||
           (job->model.tower_params > 0 && orr_has_word(launched, "tower")) ||
           (has_latents(&job->model) && orr_has_word(launched, "latent")) ||
           (has_index(&job->model) && orr_has_word(launched, "index")) ||
           (has_scans(&job->model) && orr_has_word(launched, "scan"));
}

/* Eq. 350: most rows of a step with prompts that is a graph; 0: none is. */
static int64_t graph_prompt_rows(const struct orr_job *job)
{
    const struct orr_engine *engine = &job->engine;
    if (!engine->graph_prompts || engine->graph_sequences == 0 || launches_prompts(job)) return 0;
    if (engine->graph_latent_tokens > 0 && has_latents(&job->model)) return engine->graph_latent_tokens;
    return engine->graph_prompt_tokens > 0 ? engine->graph_prompt_tokens : engine->graph_sequences;
}

/* Eq. 350: graphs hold sequences that decode and, where an engine captures them by rows, prompts as well. The mean
 * context stands for the longest, which is at least as long. */
static bool is_graph(const struct orr_job *job, const struct orr_serve_shape *shape)
{
    const double most = (double)job->engine.graph_sequences, longest = (double)job->engine.graph_context;
    if (shape->prefill_tokens > 0) return orr_shape_rows(job, shape) <= (double)graph_prompt_rows(job);
    return shape->decode_sequences <= most && (longest <= 0 || shape->decode_context <= longest); /* Eq. 368 */
}

double orr_pass_host_s(const struct orr_job *job, const struct orr_serve_shape *shape, double launched_s)
{
    return is_graph(job, shape) ? 0 : launched_s; /* Eqs. 127, 349 */
}

/* Eq. 374: a graph that was compiled for the largest batch decodes as many sequences in every step. */
int64_t orr_compiled_sequences(const struct orr_job *job, int64_t sequences)
{
    const int64_t most = job->engine.max_requests;
    return job->engine.compiled_tokens > 0 && sequences < most ? most : sequences;
}

/* Eq. 374: one prompt in a graph, which is filled up to the length that it was compiled for. */
struct orr_serve_shape orr_compiled_prompt(const struct orr_job *job, double tokens)
{
    const double length = orr_max(tokens, (double)job->engine.compiled_tokens);
    return (struct orr_serve_shape){.prefill_sequences = 1, .prefill_tokens = length, .queries = 1};
}

/* Eq. 241 */
double orr_pieces_s(const struct orr_job *job, const struct orr_serve_shape *shape, double attentions)
{
    const bool pieces = job->engine.graph_pieces || shape->prefill_tokens > 0;
    return pieces && is_graph(job, shape) ? attentions * job->engine.graph_piece_s : 0;
}

double orr_gap_s(const struct orr_job *job, bool prompt_only, double rows, double launches)
{
    const bool is_short = prompt_only && rows <= ORR_SHORT_PREFILL_TOKENS;
    return launches * (is_short ? job->engine.short_prefill_gap_s : job->engine.kernel_gap_s);
}

/* The gaps of a short prefill are those of a host that is slower than its kernels. As the kernels get longer it falls
 * behind less, by no more than they grew: a longer prefill takes at least as long as 512 rows of it. */
double orr_short_frac(const struct orr_job *job, bool prompt_only, double rows)
{
    const bool waits_less = job->engine.kernel_gap_s < job->engine.short_prefill_gap_s;
    return prompt_only && waits_less && rows > ORR_SHORT_PREFILL_TOKENS ? ORR_SHORT_PREFILL_TOKENS / rows : 1;
}

/* Ranks of context parallelism hand on the states of every sequence, however long: there sequences are shorter, else
 * there are fewer of them. */
struct orr_serve_shape orr_shape_part(const struct orr_job *job, const struct orr_serve_shape *shape, double frac)
{
    struct orr_serve_shape part = *shape;
    if (job->plan.cp == 1) part.prefill_sequences *= frac;
    part.prefill_tokens *= frac;
    part.decode_sequences *= frac;
    return part;
}

/* ---------------------------------------------------------------- sums */

enum orr_work_kind orr_work_kind_of(enum orr_op_kind kind)
{
    switch (kind) {
    case ORR_OP_GEMM:
    case ORR_OP_GROUPED: return ORR_WORK_GEMM;
    case ORR_OP_BMM:
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD:
    case ORR_OP_SCAN:
    case ORR_OP_DECODE: return ORR_WORK_ATTENTION;
    case ORR_OP_COLLECTIVE: return ORR_WORK_NETWORK;
    case ORR_OP_POINTWISE:
    case ORR_N_OP_KINDS: break;
    }
    return ORR_WORK_POINTWISE;
}

double orr_pass_total_s(const struct orr_pass *pass)
{
    return pass->busy_s + pass->gap_s + pass->host_s;
}

size_t orr_pass_emit(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                     enum orr_phase phase, struct orr_op_list *list, struct orr_cost *costs)
{
    const size_t first = list->n;
    orr_serve_ops(job, model, shape, phase, list);
    orr_cost_range(job, list, first, costs);
    return first;
}

size_t orr_pass_emit_tower(const struct orr_job *job, double sequences, struct orr_op_list *list,
                           struct orr_cost *costs)
{
    const size_t first = list->n;
    orr_serve_tower(job, sequences, list);
    orr_cost_range(job, list, first, costs);
    return first;
}

double orr_pass_op_s(const struct orr_op *op, const struct orr_cost *cost, double clock_frac)
{
    return op->kind == ORR_OP_COLLECTIVE ? cost->total_s - cost->hidden_s : orr_cost_at_s(cost, clock_frac);
}

/* A trial is a pass that is asked for at several clocks. */
struct trial {
    const struct orr_job *job;
    struct orr_layer_curve curve;
    const struct orr_bend *bends;
    double gap_s, least_s;
};

static struct orr_load load_at(void *context, double clock_frac)
{
    const struct trial *trial = context;
    const struct orr_rank_time time = orr_curve_at(trial->job, &trial->curve, trial->bends, clock_frac);
    return (struct orr_load){.total_s = orr_max(time.forward_s + trial->gap_s, trial->least_s),
                             .matrix_s = time.matrix_s / clock_frac};
}

/* The rate that no kernel of the operator can exceed: that of the units which run it, in its own format. A product that
 * adds up in 16 bits has a peak of its own (Eq. 384), and attention over a narrow cache may multiply in its format. */
static double light_flops_per_s(const struct orr_chip *chip, const struct orr_op *op)
{
    const double peak = chip->peak_flops_per_s[op->dtype];
    if (op->vector) return chip->vector_flops_per_s;
    if (op->half_sums) return orr_max(peak, chip->half_sum_flops_per_s);
    const bool narrow = op->kind == ORR_OP_DECODE && op->input_bytes < 2;
    return narrow ? orr_max(peak, chip->peak_flops_per_s[ORR_DTYPE_FP8]) : peak;
}

/* Eq. 92: no kernel can avoid this time: every FLOP at the peak of its format, or operands and cache read once at the
 * nominal DRAM rate. */
static double light_s(const struct orr_chip *chip, const struct orr_op_list *list, size_t first)
{
    double compute_s = 0, bytes = 0;
    for (size_t i = first; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        if (op->flops > 0) compute_s += op->count * op->flops / light_flops_per_s(chip, op);
        bytes += op->kind == ORR_OP_POINTWISE || op->kind == ORR_OP_COLLECTIVE ? 0 : op->count * op->bytes;
    }
    return orr_max(compute_s, bytes / chip->hbm_bytes_per_s);
}

static void add_up(const struct orr_job *job, const struct orr_op_list *list, const struct orr_cost *costs,
                   struct orr_pass *pass)
{
    for (size_t i = pass->first; i < pass->end; i++) {
        const struct orr_op *op = &list->items[i];
        const double time_s = op->count * orr_pass_op_s(op, &costs[i], pass->clock_frac);
        pass->work_s[orr_work_kind_of(op->kind)] += time_s;
        pass->bound_s[costs[i].bound] += time_s;
        orr_work_add_op(job, op, &costs[i], op->count, &pass->work);
    }
    for (int i = 0; i < ORR_N_WORK_KINDS; i++) pass->busy_s += pass->work_s[i];
}

struct orr_pass orr_pass_settle(const struct orr_job *job, const struct orr_serve_shape *shape,
                                const struct orr_op_list *list, const struct orr_cost *costs, size_t first,
                                double least_s, struct orr_bend *bends)
{
    const double rows = orr_shape_rows(job, shape);
    const enum orr_dtype dtype = job->serving.matrix;
    const double clock_min = orr_clock_min(job, dtype);
    const bool prompt = first < list->n && list->items[first].phase == ORR_PHASE_PREFILL;
    double attentions = 0, launched_s = 0;
    struct trial trial = {.job = job, .bends = bends, .least_s = least_s};
    struct orr_pass pass = {.first = first, .end = list->n};
    for (size_t i = first; i < list->n; i++) {
        const struct orr_op *op = &list->items[i];
        orr_curve_add(&trial.curve, bends, op, &costs[i], clock_min);
        pass.launches += op->count * op->launches;
        launched_s += orr_host_op_s(job, op, false);
        if ((op->kind == ORR_OP_DECODE && !op->joined) || op->kind == ORR_OP_FLASH) attentions += op->count;
    }
    trial.gap_s = orr_gap_s(job, prompt, rows, pass.launches) + orr_pieces_s(job, shape, attentions);
    pass.clock_frac = orr_settled_clock(job, dtype, load_at, &trial);
    add_up(job, list, costs, &pass);
    pass.gap_s = orr_max(trial.gap_s, least_s - pass.busy_s); /* Eq. 380 */
    pass.light_s = light_s(&job->system.chip, list, first);
    pass.launch_s = orr_pass_host_s(job, shape, launched_s);
    pass.host_s = orr_max(0, pass.launch_s - pass.busy_s); /* Eq. 126 */
    return pass;
}

/* Returns what 512 rows of a longer prompt take, and 0 for other passes. */
static double least_s(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                      enum orr_phase phase, struct orr_op_list *list, struct orr_cost *costs, struct orr_bend *bends)
{
    const double frac = orr_short_frac(job, phase == ORR_PHASE_PREFILL, orr_shape_rows(job, shape));
    if (frac >= 1) return 0;
    const struct orr_serve_shape part = orr_shape_part(job, shape, frac);
    const size_t first = orr_pass_emit(job, model, &part, phase, list, costs);
    const struct orr_pass pass = orr_pass_settle(job, &part, list, costs, first, 0, bends);
    list->n = first;
    return pass.busy_s + pass.gap_s;
}

struct orr_pass orr_pass_price(const struct orr_job *job, const struct orr_model *model,
                               const struct orr_serve_shape *shape, enum orr_phase phase, struct orr_op_list *list,
                               struct orr_cost *costs, struct orr_bend *bends)
{
    const double floor_s = least_s(job, model, shape, phase, list, costs, bends);
    const size_t first = orr_pass_emit(job, model, shape, phase, list, costs);
    return orr_pass_settle(job, shape, list, costs, first, floor_s, bends);
}
