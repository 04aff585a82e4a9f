/* Factors of a fitted stack -> constants of a job. Eq. 169: a rate becomes rate * factor / time_factor, and a time
 * becomes time * factor * time_factor, so that time_factor alone stretches every prediction by the same factor. */
#include "spec/factors.h"

#include "spec/names.h"

static const struct orr_engine NONE = {.matrix_rate_factor = 1,
                                       .eight_bit_rate_factor = 1,
                                       .four_bit_rate_factor = 1,
                                       .attention_rate_factor = 1,
                                       .dram_rate_factor = 1,
                                       .grouped_rate_factor = 1,
                                       .scaleup_rate_factor = 1,
                                       .scaleout_rate_factor = 1,
                                       .scaleout_latency_factor = 1,
                                       .straggle_factor = 1,
                                       .grouped_launch_factor = 1,
                                       .pointwise_time_factor = 1,
                                       .host_time_factor = 1,
                                       .time_factor = 1};

/* The members that are factors. */
#define FACTORS(X)                                                                                                     \
    X(matrix_rate_factor)                                                                                              \
    X(eight_bit_rate_factor)                                                                                           \
    X(four_bit_rate_factor)                                                                                            \
    X(attention_rate_factor)                                                                                           \
    X(dram_rate_factor)                                                                                                \
    X(grouped_rate_factor)                                                                                             \
    X(scaleup_rate_factor)                                                                                             \
    X(scaleout_rate_factor)                                                                                            \
    X(scaleout_latency_factor)                                                                                         \
    X(straggle_factor)                                                                                                 \
    X(grouped_launch_factor)                                                                                           \
    X(pointwise_time_factor)                                                                                           \
    X(host_time_factor)                                                                                                \
    X(time_factor)

void orr_factors_none(struct orr_engine *engine)
{
#define SET_(name) engine->name = 1;
    FACTORS(SET_)
#undef SET_
}

bool orr_factors_act(const struct orr_engine *engine)
{
#define DIFFERS_(name) || engine->name != 1
    return false FACTORS(DIFFERS_);
#undef DIFFERS_
}

/* Ratios of the new factors to the old. */
static struct orr_engine ratios(const struct orr_engine *engine, const struct orr_engine *before)
{
    struct orr_engine by = NONE;
#define RATIO_(name) by.name = engine->name / before->name;
    FACTORS(RATIO_)
#undef RATIO_
    return by;
}

/* Products in fewer bits have kernels of their own, and scales to apply. */
static double narrow_factor(const struct orr_engine *by, enum orr_dtype dtype)
{
    const double bytes = orr_dtype_bytes(dtype);
    return bytes < 1 ? by->four_bit_rate_factor : bytes == 1 ? by->eight_bit_rate_factor : 1;
}

static void products(const struct orr_engine *by, struct orr_calibration *c)
{
    const double stretch = by->time_factor;
    for (int i = 0; i < ORR_N_DTYPES; i++) {
        struct orr_gemm_constants *u = &c->gemm[i];
        const double narrow = narrow_factor(by, (enum orr_dtype)i), rate = by->matrix_rate_factor * narrow / stretch;
        u->burst_frac *= rate;
        u->sm_frac *= rate;
        u->sustained_frac *= rate;
        u->power_slope *= rate;
        u->dram_frac *= by->dram_rate_factor * narrow / stretch;
        u->wave_s *= stretch;
        u->launch_s *= stretch;
        u->grouped_frac *= by->grouped_rate_factor * narrow / stretch;
        u->grouped_tile_s *= stretch / (by->grouped_rate_factor * narrow);
        u->grouped_dram_frac *= by->dram_rate_factor * narrow / stretch;
        u->grouped_launch_s *= stretch * by->grouped_launch_factor;
        u->grouped_gen_frac *= by->grouped_rate_factor / stretch;
        u->grouped_gen_tile_s *= stretch / by->grouped_rate_factor;
        u->grouped_gen_dram_frac *= by->dram_rate_factor / stretch;
        u->grouped_gen_launch_s *= stretch * by->grouped_launch_factor;
        u->grouped_triton_frac *= by->grouped_rate_factor * narrow / stretch;
        u->grouped_triton_tile_s *= stretch / (by->grouped_rate_factor * narrow);
        u->grouped_triton_dram_frac *= by->dram_rate_factor * narrow / stretch;
        u->grouped_triton_launch_s *= stretch * by->grouped_launch_factor;
        u->grouped_fixed_frac *= by->grouped_rate_factor * narrow / stretch;
        u->grouped_fixed_tile_s *= stretch / (by->grouped_rate_factor * narrow);
        u->grouped_fixed_dram_frac *= by->dram_rate_factor * narrow / stretch;
        u->grouped_fixed_launch_s *= stretch * by->grouped_launch_factor;
        u->grouped_marlin_frac *= by->grouped_rate_factor / stretch;
        u->grouped_marlin_tile_s *= stretch / by->grouped_rate_factor;
        u->grouped_marlin_dram_frac *= by->dram_rate_factor / stretch;
        u->grouped_marlin_launch_s *= stretch * by->grouped_launch_factor;
        u->grouped_mx_frac *= by->grouped_rate_factor / stretch;
        u->grouped_mx_tile_s *= stretch / by->grouped_rate_factor;
        u->grouped_mx_dram_frac *= by->dram_rate_factor / stretch;
        u->grouped_mx_launch_s *= stretch * by->grouped_launch_factor;
    }
    c->write_frac *= by->dram_rate_factor / stretch;
    c->sum_exposed_frac *= stretch / by->dram_rate_factor;
    c->l2_frac /= stretch;
}

static void decode(const struct orr_engine *by, struct orr_decode_constants *u)
{
    const double stretch = by->time_factor, rate = by->attention_rate_factor / stretch;
    u->launch_s *= stretch;
    u->block_s *= stretch;
    u->reduce_s *= stretch;
    u->dram_frac *= by->dram_rate_factor * by->attention_rate_factor / stretch;
    u->compute_frac *= rate;
    u->sm_bytes_per_s *= rate;
    u->head_elements_per_s *= rate;
}

static void attention(const struct orr_engine *by, struct orr_calibration *c)
{
    const double rate = by->attention_rate_factor / by->time_factor;
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++) {
        c->attention[i].forward_frac *= rate;
        c->attention[i].backward_frac *= rate;
        c->attention[i].launch_s *= by->time_factor;
    }
    for (int i = 0; i < ORR_N_DECODE_KERNELS; i++)
        for (int j = 0; j < 2; j++) decode(by, &c->decode[i][j]);
    for (int j = 0; j < 2; j++) decode(by, &c->mla_decode[j]);
}

static void small_kernels(const struct orr_engine *by, struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    const double stretch = by->time_factor, time = stretch * by->pointwise_time_factor;
    const double rate = by->dram_rate_factor / time;
    for (int i = 0; i < ORR_N_POINTWISES; i++) c->pointwise_frac[i] *= rate;
    c->pointwise_launch_s *= time;
    c->softmax_unfused_frac *= rate;
    c->softmax_unfused_backward_frac *= rate;
    job->engine.pointwise_floor_s *= time;
    job->system.chip.vector_flops_per_s /= stretch;
}

static void links(const struct orr_engine *by, struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    const double stretch = by->time_factor, rate = by->scaleup_rate_factor / stretch;
    c->p2p_scaleup_frac *= rate;
    for (int64_t i = 0; i < c->n_lines; i++) {
        c->lines[i].base_s *= stretch;
        c->lines[i].hop_s *= stretch;
        for (int64_t j = 0; j < c->lines[i].n_points; j++) c->lines[i].efficiency_frac[j] *= rate;
    }
    job->system.scaleup_latency_s *= stretch;
    job->engine.allreduce_skew_s *= stretch;
}

static void network(const struct orr_engine *by, struct orr_job *job)
{
    struct orr_system *system = &job->system;
    const double stretch = by->time_factor, rate = by->scaleout_rate_factor / stretch;
    const double latency = by->scaleout_latency_factor * stretch;
    system->scaleout_efficiency_frac *= rate;
    system->scaleout_latency_s *= latency;
    for (int64_t i = 0; i < system->n_tiers; i++) system->tiers[i].latency_s *= latency;
    for (int64_t i = 0; i < system->fabric.n_lines; i++) {
        struct orr_fabric_line *line = &system->fabric.lines[i];
        line->base_s *= latency;
        line->hop_s *= latency;
        for (int64_t j = 0; j < line->n_points; j++) line->efficiency_frac[j] *= rate;
    }
    job->calibration.straggle_frac_per_doubling *= by->straggle_factor;
    job->engine.skew_s *= stretch;
}

/* host_time_factor is for what the host does per launch, layer and collective; times per step and request stretch with
 * the rest. */
static void host(const struct orr_engine *by, struct orr_engine *engine)
{
    const double stretch = by->time_factor, launch = stretch * by->host_time_factor;
    double *const launches[] = {
        &engine->host_launch_s,        &engine->host_backward_launch_s, &engine->host_collective_s,
        &engine->host_pipeline_rank_s, &engine->host_layer_s,           &engine->host_sharded_layer_s,
        &engine->host_micro_batch_s,   &engine->host_tensor_layer_s,    &engine->host_split_layer_s,
        &engine->host_experts_s,       &engine->zero1_tensor_s};
    double *const others[] = {&engine->host_step_s,
                              &engine->kernel_gap_s,
                              &engine->graph_piece_s,
                              &engine->short_prefill_gap_s,
                              &engine->request_s,
                              &engine->request_s_per_sequence,
                              &engine->sampling_s,
                              &engine->sampling_s_per_sequence,
                              &engine->frontend_s,
                              &engine->frontend_s_per_token,
                              &engine->frontend_s_per_request,
                              &engine->tokenise_s_per_token,
                              &engine->stream_s_per_token};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) *launches[i] *= launch;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) *others[i] *= stretch;
}

static void multiply(const struct orr_engine *by, struct orr_job *job)
{
    if (!orr_factors_act(by)) return;
    products(by, &job->calibration);
    attention(by, &job->calibration);
    small_kernels(by, job);
    links(by, job);
    network(by, job);
    host(by, &job->engine);
}

void orr_factors_apply(const struct orr_engine *engine, const struct orr_engine *before, struct orr_job *job)
{
    const struct orr_engine by = ratios(engine, before ? before : &NONE);
    multiply(&by, job);
}

void orr_factors_stretch(double factor, struct orr_job *job)
{
    struct orr_engine by = NONE;
    by.time_factor = factor;
    multiply(&by, job);
}
