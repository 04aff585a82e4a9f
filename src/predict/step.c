/* Step times for serving simulators: everything that depends only on the rows of a step is priced once per row count
 * and remembered; attention is evaluated from its curves. Eq. 93. */
#include "predict/serve_pass.h"
#include "predict/power.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* Row counts remembered exactly; larger steps are priced on the fly into the last slots. */
#define REMEMBERED_ROWS 16384

/* Weight products, pointwise kernels and collectives of a step of so many rows. */
struct rows_time {
    double burst_s, sustained_s; /* at the burst clock, and at the clock of an endless matrix load */
    double matrix_s;             /* matrix FLOP at the burst rate */
    double launches;
};

struct head_time {
    double s;
};

struct orr_step_model {
    struct orr_job job;
    double sustained_clock;      /* sustained over burst */
    int64_t n_attention;         /* layer kinds */
    double layers[ORR_MAX_LAYER_KINDS];
    struct rows_time rows[REMEMBERED_ROWS + 1]; /* launches 0: not yet known */
    struct head_time heads[REMEMBERED_ROWS + 1];
    struct orr_op_list list;
    struct orr_cost costs[ORR_MAX_OPS];
};

struct orr_step_model *orr_step_model_new(const struct orr_job *job)
{
    struct orr_step_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    const struct orr_gemm_constants *u = &job->calibration.gemm[job->serving.matrix];
    model->job = *job;
    model->sustained_clock = u->sustained_frac / u->burst_frac;
    model->n_attention = job->model.n_kinds;
    for (int64_t i = 0; i < job->model.n_layers; i++)
        model->layers[job->model.layer_kind[i]] += 1;
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
        if (is_attention(op->kind) || op->layer_kind == ORR_LAYER_HEAD)
            continue;
        const bool network = op->kind == ORR_OP_COLLECTIVE;
        time.burst_s += op->count * cost->total_s;
        time.sustained_s += op->count * (network ? cost->total_s : orr_cost_at(cost, model->sustained_clock));
        time.matrix_s += op->count * cost->matrix_s;
    }
    return time;
}

static struct rows_time rows_time_of(struct orr_step_model *model, int64_t rows)
{
    struct rows_time *slot = &model->rows[rows <= REMEMBERED_ROWS ? rows : 0];
    if (rows > REMEMBERED_ROWS)
        return price_rows(model, rows);
    if (slot->launches <= 0)
        *slot = price_rows(model, rows);
    return *slot;
}

static double price_head(struct orr_step_model *model, int64_t sequences)
{
    double head_s = 0;
    const struct orr_serve_shape shape = {.decode_sequences = (double)sequences, .decode_context = 1, .queries = 1};
    model->list.n = 0;
    orr_pass_build(&model->job, &model->job.model, &shape, ORR_PHASE_DECODE, &model->list, model->costs);
    for (size_t i = 0; i < model->list.n; i++)
        if (model->list.items[i].layer_kind == ORR_LAYER_HEAD)
            head_s += model->costs[i].total_s;
    return head_s;
}

static double head_s_of(struct orr_step_model *model, int64_t sequences)
{
    if (sequences > REMEMBERED_ROWS)
        return price_head(model, sequences);
    struct head_time *slot = &model->heads[sequences];
    if (slot->s <= 0)
        slot->s = price_head(model, sequences);
    return slot->s;
}

/* Prompt attention of one layer kind: the operator of the step is emitted and priced alone. */
static double prompt_attention_s(struct orr_step_model *model, const struct orr_step *step, int64_t kind)
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
                                  .layers = 1,
                                  .t = (double)model->job.plan.tp,
                                  .h = (double)model->job.model.hidden,
                                  .w_a = 2,
                                  .dtype16 = orr_serve_dtype16(&model->job)};
    model->list.n = 0;
    orr_serve_prompt_core(&emit, &model->job.model.kinds[kind]);
    orr_cost_range(&model->job, &model->list, 0, model->costs);
    double sum_s = 0;
    for (size_t i = 0; i < model->list.n; i++)
        sum_s += model->costs[i].total_s;
    return sum_s;
}

static double decode_attention_s(const struct orr_step_model *model, const struct orr_step *step, int64_t kind)
{
    const struct orr_layer_kind *layer = &model->job.model.kinds[kind];
    const double sequences = (double)step->decode_sequences;
    const struct orr_op op = orr_serve_decode_op(&model->job, layer, sequences, 1);
    const struct orr_decode_curve curve = orr_decode_curve_of(&model->job, &op, (double)layer->window);
    return orr_decode_curve_at(&curve, (double)step->decode_context / sequences);
}

/* The clock between burst and sustained that the step's matrix load asks for; times in between are interpolated. */
static double settled_s(const struct orr_step_model *model, const struct rows_time *time, double rest_s)
{
    const struct orr_gemm_constants *u = &model->job.calibration.gemm[model->job.serving.matrix];
    const double load = time->matrix_s / (time->burst_s + rest_s), frac = orr_sustained_frac(u, load);
    if (frac >= u->burst_frac || u->burst_frac <= u->sustained_frac)
        return time->burst_s + rest_s;
    const double share = (u->burst_frac - frac) / (u->burst_frac - u->sustained_frac);
    return time->burst_s + share * (time->sustained_s - time->burst_s) + rest_s;
}

double orr_step_time(struct orr_step_model *model, const struct orr_step *step)
{
    const int64_t rows = step->prefill_tokens + step->decode_sequences;
    const int64_t sequences = step->prefill_sequences + step->decode_sequences;
    if (rows <= 0)
        return 0;
    const struct rows_time time = rows_time_of(model, rows);
    double attention_s = 0;
    for (int64_t k = 0; k < model->n_attention; k++) {
        if (step->prefill_tokens > 0)
            attention_s += model->layers[k] * prompt_attention_s(model, step, k);
        if (step->decode_sequences > 0)
            attention_s += model->layers[k] * decode_attention_s(model, step, k);
    }
    const double gpu_s = settled_s(model, &time, attention_s + head_s_of(model, sequences));
    const double host_s = orr_max(0, time.launches * model->job.engine.host_launch_s - gpu_s);
    return gpu_s + host_s + time.launches * model->job.engine.kernel_gap_s + model->job.engine.sampling_s +
           model->job.engine.sampling_s_per_sequence * (double)sequences;
}
