/* Step times for serving simulators: everything that depends only on the rows of a step is priced once per row count
 * and remembered; attention is evaluated from its curves. Eq. 93. */
#include "predict/serve_pass.h"
#include "predict/power.h"

#include "base/number.h"

#include <stdlib.h>

/* Row counts remembered exactly; larger steps are priced on the fly into the last slots. */
#define REMEMBERED_ROWS 16384

/* Weight products, pointwise kernels and collectives of a step of so many rows. */
struct rows_time {
    double burst_s, middle_s, sustained_s; /* at the burst clock, at that of an endless matrix load, and between */
    double matrix_s;                       /* matrix FLOP at the burst rate */
    double launches;
};

struct head_time {
    double s;
};

struct orr_step_model {
    struct orr_job job;
    double middle_clock, sustained_clock; /* over burst */
    int64_t n_attention;                  /* layer kinds */
    double layers[ORR_MAX_LAYER_KINDS];
    struct rows_time rows[REMEMBERED_ROWS + 1]; /* launches 0: not yet known */
    struct head_time heads[REMEMBERED_ROWS + 1];
    struct orr_op_list list;
    struct orr_cost costs[ORR_MAX_OPS];
};

struct orr_step_model *orr_step_model_new(const struct orr_job *job)
{
    struct orr_step_model *model = calloc(1, sizeof *model);
    if (!model) return NULL;
    const struct orr_power_rule rule = orr_power_rule_of(job, job->serving.matrix);
    model->job = *job;
    model->sustained_clock = rule.sustained_frac / rule.burst_frac;
    model->middle_clock = (1 + model->sustained_clock) / 2;
    model->n_attention = job->model.n_kinds;
    for (int64_t i = 0; i < job->model.n_layers; i++) model->layers[job->model.layer_kind[i]] += 1;
    return model;
}

void orr_step_model_free(struct orr_step_model *model)
{
    free(model);
}

static bool is_attention(enum orr_op_kind kind)
{
    return kind == ORR_OP_FLASH || kind == ORR_OP_DECODE;
}

/* Price a step of `rows` decode rows without its attention core and head: both are added per call. */
static struct rows_time price_rows(struct orr_step_model *model, int64_t rows)
{
    const struct orr_serve_shape shape = {.decode_sequences = (double)rows, .decode_context = 1, .queries = 1};
    struct rows_time time = {0};
    model->list.n = 0;
    orr_pass_build(&model->job, &model->job.model, &shape, ORR_PHASE_DECODE, &model->list, model->costs);
    for (size_t i = 0; i < model->list.n; i++) {
        const struct orr_op *op = &model->list.items[i];
        const struct orr_cost *cost = &model->costs[i];
        time.launches += op->count * op->launches;
        if (is_attention(op->kind) || op->layer_kind == ORR_LAYER_HEAD) continue;
        const bool network = op->kind == ORR_OP_COLLECTIVE;
        const double seen_s = cost->total_s - (network ? cost->hidden_s : 0);
        time.burst_s += op->count * seen_s;
        time.middle_s += op->count * (network ? seen_s : orr_cost_at_s(cost, model->middle_clock));
        time.sustained_s += op->count * (network ? seen_s : orr_cost_at_s(cost, model->sustained_clock));
        time.matrix_s += op->count * cost->matrix_s;
    }
    return time;
}

static struct rows_time rows_time_of(struct orr_step_model *model, int64_t rows)
{
    struct rows_time *slot = &model->rows[rows <= REMEMBERED_ROWS ? rows : 0];
    if (rows > REMEMBERED_ROWS) return price_rows(model, rows);
    if (slot->launches <= 0) *slot = price_rows(model, rows);
    return *slot;
}

static double price_head(struct orr_step_model *model, int64_t sequences)
{
    double head_s = 0;
    const struct orr_serve_shape shape = {.decode_sequences = (double)sequences, .decode_context = 1, .queries = 1};
    model->list.n = 0;
    orr_pass_build(&model->job, &model->job.model, &shape, ORR_PHASE_DECODE, &model->list, model->costs);
    for (size_t i = 0; i < model->list.n; i++)
        if (model->list.items[i].layer_kind == ORR_LAYER_HEAD) head_s += model->costs[i].total_s;
    return head_s;
}

static double head_s_of(struct orr_step_model *model, int64_t sequences)
{
    if (sequences > REMEMBERED_ROWS) return price_head(model, sequences);
    struct head_time *slot = &model->heads[sequences];
    if (slot->s <= 0) slot->s = price_head(model, sequences);
    return slot->s;
}

/* Prompt attention of one layer kind: the operators of the step are emitted and priced alone. */
static void add_prompt_attention(struct orr_step_model *model, const struct orr_step *step, int64_t kind,
                                 struct rows_time *time)
{
    const double sequences = (double)step->prefill_sequences;
    struct orr_serve_emit emit = {.job = &model->job,
                                  .model = &model->job.model,
                                  .shape = {.prefill_tokens = (double)step->prefill_tokens,
                                            .prefill_sequences = sequences,
                                            .prefill_context = (double)step->prefill_context / sequences,
                                            .queries = 1},
                                  .list = &model->list,
                                  .phase = ORR_PHASE_PREFILL,
                                  .layer_kind = kind,
                                  .layers = model->layers[kind],
                                  .t = (double)model->job.plan.tp,
                                  .h = (double)model->job.model.hidden,
                                  .w_a = orr_dtype_bytes(model->job.serving.matrix) > 2 ? 4 : 2,
                                  .w_c = orr_dtype_bytes(model->job.serving.comm),
                                  .dtype16 = orr_serve_dtype16(&model->job)};
    model->list.n = 0;
    orr_serve_prompt_core(&emit, &model->job.model.kinds[kind]);
    orr_cost_range(&model->job, &model->list, 0, model->costs);
    for (size_t i = 0; i < model->list.n; i++) {
        const double n = model->list.items[i].count;
        time->burst_s += n * model->costs[i].total_s;
        time->middle_s += n * orr_cost_at_s(&model->costs[i], model->middle_clock);
        time->sustained_s += n * orr_cost_at_s(&model->costs[i], model->sustained_clock);
        time->matrix_s += n * model->costs[i].matrix_s;
    }
}

static double decode_attention_s(const struct orr_step_model *model, const struct orr_step *step, int64_t kind)
{
    const struct orr_layer_kind *layer = &model->job.model.kinds[kind];
    const double sequences = (double)step->decode_sequences;
    const struct orr_op op = orr_serve_decode_op(&model->job, layer, sequences, 1);
    struct orr_decode_curve curve = orr_decode_curve_of(&model->job, &op, (double)layer->window);
    curve.chunked = layer->chunked;
    return orr_decode_curve_s(&curve, (double)step->decode_context / sequences);
}

/* The clock between burst and sustained that the step's matrix load asks for; times in between are interpolated. */
static double settled_s(const struct orr_step_model *model, const struct rows_time *time, double rest_s)
{
    const struct orr_power_rule rule = orr_power_rule_of(&model->job, model->job.serving.matrix), *u = &rule;
    double total_s = time->burst_s + rest_s, clock = 1;
    for (int i = 0; i < 2; i++) { /* as orr_pass_settled: two passes settle it */
        const double frac = orr_sustained_frac(u, time->matrix_s / clock / total_s);
        if (frac >= u->burst_frac * clock || u->burst_frac <= u->sustained_frac) break;
        const double share =
            2 * (u->burst_frac - frac) / (u->burst_frac - u->sustained_frac); /* 0 burst, 2 sustained */
        clock = frac / u->burst_frac;
        total_s = rest_s + (share < 1 ? time->burst_s + share * (time->middle_s - time->burst_s)
                                      : time->middle_s + (share - 1) * (time->sustained_s - time->middle_s));
    }
    return total_s;
}

/* Idle time between the kernels of a step; short prompts are launched one kernel at a time. */
static double gaps_s(const struct orr_engine *engine, const struct orr_step *step, double launches)
{
    const bool short_prompt = step->decode_sequences == 0 && step->prefill_tokens <= ORR_SHORT_PREFILL_TOKENS;
    return launches * (short_prompt ? engine->short_prefill_gap_s : engine->kernel_gap_s);
}

static double undivided_s(struct orr_step_model *model, const struct orr_step *step)
{
    const struct orr_engine *engine = &model->job.engine;
    const int64_t cp = model->job.plan.cp, idle = step->padding_rows;
    const int64_t rows = (step->prefill_tokens + cp - 1) / cp + step->decode_sequences + idle;
    const int64_t sequences = step->prefill_sequences + step->decode_sequences + idle;
    if (rows <= 0) return 0;
    struct rows_time time = rows_time_of(model, rows);
    double rest_s = head_s_of(model, sequences);
    for (int64_t k = 0; k < model->n_attention; k++) {
        if (step->prefill_tokens > 0) add_prompt_attention(model, step, k, &time);
        if (step->decode_sequences > 0) rest_s += model->layers[k] * decode_attention_s(model, step, k);
    }
    const double gpu_s = settled_s(model, &time, rest_s);
    const double host_s = orr_max(0, time.launches * engine->host_launch_s - gpu_s);
    return gpu_s + host_s + gaps_s(engine, step, time.launches) + engine->sampling_s +
           engine->sampling_s_per_sequence * (double)sequences;
}

/* Part of a total that belongs to `part` of `whole` sequences. */
static int64_t share_of(int64_t total, int64_t part, int64_t whole)
{
    return whole > 0 ? total * part / whole : 0;
}

static struct orr_step first_half(const struct orr_step *step)
{
    const int64_t prompts = (step->prefill_sequences + 1) / 2, decoding = (step->decode_sequences + 1) / 2;
    return (struct orr_step){.prefill_sequences = prompts,
                             .prefill_tokens = share_of(step->prefill_tokens, prompts, step->prefill_sequences),
                             .prefill_context = share_of(step->prefill_context, prompts, step->prefill_sequences),
                             .decode_sequences = decoding,
                             .decode_context = share_of(step->decode_context, decoding, step->decode_sequences),
                             .padding_rows = (step->padding_rows + 1) / 2};
}

double orr_step_time(struct orr_step_model *model, const struct orr_step *step)
{
    const int64_t sequences = step->prefill_sequences + step->decode_sequences;
    if (!orr_serve_halves(&model->job) || sequences < 2) return undivided_s(model, step);
    const struct orr_step first = first_half(step),
                          second = {.prefill_sequences = step->prefill_sequences - first.prefill_sequences,
                                    .prefill_tokens = step->prefill_tokens - first.prefill_tokens,
                                    .prefill_context = step->prefill_context - first.prefill_context,
                                    .decode_sequences = step->decode_sequences - first.decode_sequences,
                                    .decode_context = step->decode_context - first.decode_context,
                                    .padding_rows = step->padding_rows - first.padding_rows};
    const double both_s = undivided_s(model, &first) + undivided_s(model, &second);
    return second.prefill_sequences + second.decode_sequences > 0 ? both_s - model->job.engine.sampling_s : both_s;
}
