/* Properties every prediction has, over thousands of random valid jobs of both kinds, every engine, every architecture
 * and several scale-up domains: no answer beats its own speed of light, more work is never faster, better hardware is
 * never slower, parts and energies sum, one step of a serving engine is the step inside the answer to a request, and a
 * request is the sum of its steps. */
#include "allowances.h"
#include "job_sorts.h"
#include "jobs.h"
#include "spec/job.h"

#define N_TRAIN       2000
#define N_INFER       2500
#define N_MIXED_TRAIN 1000 /* jobs of MIXED_MODELS */
#define N_MIXED_INFER 1500
enum {
    FIRST_INFER = N_TRAIN,
    FIRST_MIXED_TRAIN = FIRST_INFER + N_INFER,
    FIRST_MIXED_INFER = FIRST_MIXED_TRAIN + N_MIXED_TRAIN,
    N_JOBS = FIRST_MIXED_INFER + N_MIXED_INFER
};

struct suite {
    struct orr_catalogue *catalogue;
    struct orr_reader *reader;
    struct orr_scratch *scratch;
    struct drawn jobs[N_JOBS];
};

/* By how much a job breaks a property, as a share of the number it is about; NAN: it says nothing about this job. */
typedef double property(struct suite *suite, const struct orr_job *job);

struct claim {
    const char *name; /* what is wrong where it is broken */
    property *excess;
    bool (*about)(const struct orr_job *job); /* the jobs it is made for */
};

/* Sums in another order differ by this much; nothing else may. */
#define ROUNDING 1e-9

/* ---------------------------------------------------------------- predictions */

static struct orr_result trained(struct suite *suite, const struct orr_job *job)
{
    struct orr_result result;
    orr_train(job, suite->scratch, &result);
    return result;
}

static struct orr_infer_result served(struct suite *suite, const struct orr_job *job)
{
    struct orr_infer_result result;
    orr_infer(job, suite->scratch, &result);
    return result;
}

static double time_of(struct suite *suite, const struct orr_job *job)
{
    return job->kind == ORR_JOB_TRAIN ? trained(suite, job).step_time_s : served(suite, job).latency_s;
}

static double first_of(struct suite *suite, const struct orr_job *job)
{
    if (job->kind == ORR_JOB_TRAIN) return (double)NAN;
    return served(suite, job).ttft_s;
}

static double next_of(struct suite *suite, const struct orr_job *job)
{
    if (job->kind == ORR_JOB_TRAIN || job->serving.output_len < 2) return (double)NAN;
    return served(suite, job).tpot_s;
}

/* ---------------------------------------------------------------- sums */

static double sum_of(const double *values, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += values[i];
    return sum;
}

static double least_of(const double *values, int n)
{
    double least = values[0];
    for (int i = 1; i < n; i++) least = fmin(least, values[i]);
    return least;
}

static double beats_its_bound(struct suite *suite, const struct orr_job *job)
{
    if (job->kind == ORR_JOB_TRAIN) {
        const struct orr_result r = trained(suite, job);
        return r.bound_s / r.step_time_s - 1;
    }
    const struct orr_infer_result r = served(suite, job);
    return r.bound_s / r.latency_s - 1;
}

static double utilisation_above_one(struct suite *suite, const struct orr_job *job)
{
    if (job->kind != ORR_JOB_TRAIN) return (double)NAN;
    const struct orr_result r = trained(suite, job);
    return fmax(r.mfu_frac, r.hfu_frac) - 1;
}

static double parts_do_not_sum(struct suite *suite, const struct orr_job *job)
{
    if (job->kind == ORR_JOB_TRAIN) {
        const struct orr_result r = trained(suite, job);
        const double negative = fmax(0, -least_of(r.time_s, ORR_N_TIME_PARTS)) / r.step_time_s;
        const double shares = fabs(sum_of(r.bound_share_frac, ORR_N_BOUNDS) - 1);
        const double bytes = fabs(sum_of(r.memory.part_bytes, ORR_N_MEMORY_PARTS) / r.memory.total_bytes - 1);
        return fmax(fmax(negative, shares), fmax(bytes, fabs(sum_of(r.time_s, ORR_N_TIME_PARTS) / r.step_time_s - 1)));
    }
    const struct orr_infer_result r = served(suite, job);
    const double negative = fmax(0, -least_of(r.time_s, ORR_N_INFER_PARTS)) / r.latency_s;
    const double phases = fabs((r.ttft_s + r.decode_s) / r.latency_s - 1);
    const double bytes = fabs(sum_of(r.memory_bytes, ORR_N_SERVE_MEMORY_PARTS) / r.memory_total_bytes - 1);
    return fmax(fmax(negative, phases), fmax(bytes, fabs(sum_of(r.time_s, ORR_N_INFER_PARTS) / r.latency_s - 1)));
}

static double energy_is_not_power_by_time(struct suite *suite, const struct orr_job *job)
{
    const struct orr_chip *chip = &job->system.chip;
    double time_s, power_w, energy_j, parts_j;
    if (job->kind == ORR_JOB_TRAIN) {
        const struct orr_result r = trained(suite, job);
        time_s = r.step_time_s, power_w = r.power_w_per_gpu, energy_j = r.energy_j;
        parts_j = sum_of(r.energy_part_j, ORR_N_ENERGY_PARTS);
    } else {
        const struct orr_infer_result r = served(suite, job);
        time_s = r.latency_s, power_w = r.power_w_per_gpu, energy_j = r.energy_j;
        parts_j = sum_of(r.energy_part_j, ORR_N_ENERGY_PARTS);
    }
    const double whole_j = (double)job->plan.gpus * power_w * time_s * job->system.pue_frac;
    const double sums = fmax(fabs(whole_j / energy_j - 1), fabs(parts_j / energy_j - 1));
    return fmax(sums, fmax(power_w / chip->tdp_w - 1, chip->idle_w / power_w - 1));
}

/* Energies of a FLOP, of a byte of DRAM and of one on a link: those of the set `kept`, a thousandth of what they are,
 * so that no board limit is reached. */
static double power_with(struct suite *suite, const struct orr_job *job, unsigned kept)
{
    static struct orr_job other;
    other = *job;
    double *const energies_j[] = {&other.system.chip.flop_j, &other.system.chip.hbm_j_per_byte,
                                  &other.system.chip.link_j_per_byte};
    for (unsigned i = 0; i < COUNT(energies_j); i++) *energies_j[i] *= kept >> i & 1 ? 1e-3 : 0;
    return job->kind == ORR_JOB_TRAIN ? trained(suite, &other).power_w_per_gpu : served(suite, &other).power_w_per_gpu;
}

/* FLOP, DRAM and links each add their part to what an idle GPU draws: FLOP and DRAM always, links where tensors are
 * cut. */
static double parts_of_energy_do_not_sum(struct suite *suite, const struct orr_job *job)
{
    const double all_w = power_with(suite, job, 7), idle_w = power_with(suite, job, 0);
    double sum_w = idle_w, broken = fabs(idle_w / job->system.chip.idle_w - 1);
    for (unsigned i = 0; i < 3; i++) {
        const double part_w = power_with(suite, job, 1u << i) - idle_w;
        const bool drawn = i < 2 || job->plan.tp > 1;
        if (part_w < 0 || (drawn && part_w <= 0)) broken = 1;
        sum_w += part_w;
    }
    return fmax(broken, fabs(sum_w / all_w - 1));
}

/* ---------------------------------------------------------------- more work */

/* How much shorter `more` takes, by one of the times; NAN if the rules refuse it. */
static double gained(struct suite *suite, const struct orr_job *job, const struct orr_job *more,
                     double (*time_s)(struct suite *, const struct orr_job *))
{
    struct orr_error error;
    if (orr_job_check(more, &error)) return (double)NAN;
    return time_s(suite, job) / time_s(suite, more) - 1;
}

static void more_batch(struct orr_job *job)
{
    if (job->kind == ORR_JOB_TRAIN) job->workload.global_batch += job->workload.micro_batch * job->plan.dp;
    else job->serving.batch += 1;
}

static void double_batch(struct orr_job *job)
{
    job->workload.global_batch *= 2;
    job->serving.batch *= 2;
}

static void more_context(struct orr_job *job)
{
    if (job->kind == ORR_JOB_TRAIN) job->workload.seq *= 2;
    job->serving.input_len += 1 + job->serving.input_len / 3;
}

static void one_token(struct orr_job *job)
{
    job->serving.input_len++;
}

static void no_hit(struct orr_job *job)
{
    job->serving.prefix_hit_frac = 0;
}

static void more_output(struct orr_job *job)
{
    job->serving.output_len += 37;
}

/* One more layer of the last kind on every chunk of the pipeline, so that the split stays as it is. */
static void more_layers(struct orr_job *job)
{
    struct orr_model *model = &job->model;
    for (int64_t i = 0; i < job->plan.pp * job->plan.vpp && model->n_layers < ORR_MAX_LAYERS; i++, model->n_layers++)
        model->layer_kind[model->n_layers] = model->layer_kind[model->n_layers - 1];
}

#define MORE(name, change, time)                                                                                       \
    static double name(struct suite *suite, const struct orr_job *job)                                                 \
    {                                                                                                                  \
        static struct orr_job more;                                                                                    \
        more = *job;                                                                                                   \
        change(&more);                                                                                                 \
        return gained(suite, job, &more, time);                                                                        \
    }
MORE(batch_gains_time, more_batch, time_of)
MORE(batch_gains_first, more_batch, first_of)
MORE(batch_gains_next, more_batch, next_of)
MORE(double_batch_gains_time, double_batch, time_of)
MORE(double_batch_gains_next, double_batch, next_of)
MORE(token_gains_first, one_token, first_of)
MORE(no_hit_gains_first, no_hit, first_of)
MORE(context_gains_time, more_context, time_of)
MORE(context_gains_first, more_context, first_of)
MORE(context_gains_next, more_context, next_of)
MORE(output_gains_time, more_output, time_of)
MORE(layers_gain_time, more_layers, time_of)
MORE(layers_gain_first, more_layers, first_of)
MORE(layers_gain_next, more_layers, next_of)

/* ---------------------------------------------------------------- better hardware */

/* How much longer a job takes on hardware that is `factor` times as good in one respect. */
static double lost(struct suite *suite, const struct orr_job *job, double factor,
                   void (*change)(struct orr_job *, double))
{
    static struct orr_job other;
    other = *job;
    change(&other, factor);
    const double ratio = time_of(suite, &other) / time_of(suite, job);
    return (factor > 1 ? ratio : 1 / ratio) - 1;
}

static void scale_flops(struct orr_job *job, double factor)
{
    for (int i = 0; i < ORR_N_DTYPES; i++) job->system.chip.peak_flops_per_s[i] *= factor;
}

static void scale_dram(struct orr_job *job, double factor)
{
    job->system.chip.hbm_bytes_per_s *= factor;
}

static void scale_l2_rate(struct orr_job *job, double factor)
{
    job->system.chip.l2_bytes_per_s *= factor;
}

static void scale_l2_size(struct orr_job *job, double factor)
{
    job->system.chip.l2_bytes *= factor;
}

static void scale_scaleup(struct orr_job *job, double factor)
{
    job->system.scaleup_bytes_per_s *= factor;
}

static void scale_scaleout(struct orr_job *job, double factor)
{
    job->system.scaleout_bytes_per_s *= factor;
}

static void scale_scaleup_latency(struct orr_job *job, double factor)
{
    job->system.scaleup_latency_s /= factor;
}

static void scale_scaleout_latency(struct orr_job *job, double factor)
{
    job->system.scaleout_latency_s /= factor;
}

#define BETTER(name, change)                                                                                           \
    static double name(struct suite *suite, const struct orr_job *job)                                                 \
    {                                                                                                                  \
        return fmax(fmax(lost(suite, job, 1.3, change), lost(suite, job, 4, change)),                                  \
                    lost(suite, job, 1 / 1.3, change));                                                                \
    }
BETTER(flops_lose, scale_flops)
BETTER(dram_loses, scale_dram)
BETTER(l2_rate_loses, scale_l2_rate)
BETTER(l2_size_loses, scale_l2_size)
BETTER(scaleup_loses, scale_scaleup)
BETTER(scaleout_loses, scale_scaleout)
BETTER(scaleup_latency_loses, scale_scaleup_latency)
BETTER(scaleout_latency_loses, scale_scaleout_latency)

/* ---------------------------------------------------------------- one step */

/* The second token of every sequence: one decode step over contexts of input_len + 1. */
static double decode_step_differs(struct suite *suite, const struct orr_job *job)
{
    static struct orr_job two;
    two = *job;
    two.serving.output_len = 2;
    two.serving.draft_accept_frac = 0;
    if (two.serving.draft_tokens > 0) two.engine.context_bucket_tokens = 0; /* drafts look beyond the last bucket */
    const int64_t n = two.serving.batch;
    const struct orr_step step = {.decode_sequences = n, .decode_context = n * (two.serving.input_len + 1)};
    return fabs(single_step_s(&two, &step) / served(suite, &two).decode_s - 1);
}

/* The prompts at once, nothing cached: prefill without a tower, and the sampling of its token. */
static double prompt_step_differs(struct suite *suite, const struct orr_job *job)
{
    static struct orr_job one;
    if (job->engine.last_token_decoded) return (double)NAN; /* a prefill of two passes */
    /* Scheduling ahead hides beside the pass alone, and prefill_s has the drafts too. */
    if (job->engine.async_scheduling && job->serving.draft_tokens > 0) return (double)NAN;
    one = *job;
    one.serving.chunk_tokens = one.engine.prompt_piece_tokens = 0;
    one.serving.prefix_hit_frac = 0;
    const int64_t batch = one.serving.batch;
    const struct orr_step step = {.prefill_sequences = batch, .prefill_tokens = batch * one.serving.input_len};
    const struct orr_engine *e = &one.engine;
    const double host_s = (e->sampling_s + e->sampling_s_per_sequence * (double)batch) / one.system.host_speed;
    const struct orr_infer_result all = served(suite, &one);
    /* Scheduling ahead takes turns with launches, of which the answer shows what is left before the first token. */
    const double asked_s = e->request_s + e->request_s_per_sequence * (double)batch + e->host_step_s;
    const double begun_s = all.prefill_s + all.time_s[ORR_INFER_KV_TRANSFER] + asked_s / one.system.host_speed;
    const double sampling_s = e->async_scheduling ? all.ttft_s - begun_s : host_s;
    return fabs(single_step_s(&one, &step) / (all.prefill_s - all.tower_s + sampling_s) - 1);
}

/* The steps of a request are summed in closed form. At one clock, each of them is the request for two tokens after a
 * prompt that is longer by the tokens before. Steps of drafts that nobody takes have one token each. */
static double steps_do_not_sum(struct suite *suite, const struct orr_job *job)
{
    static struct orr_job one;
    one = *job;
    one.engine.short_run = true;
    one.engine.context_bucket_tokens = 0; /* the last bucket ends with the request (Eq. 331) */
    one.serving.draft_accept_frac = 0;
    if (one.serving.draft_tokens > 0) one.engine.host_launch_s = 0; /* the host's wait is for the mean draft */
    for (int i = 0; i < ORR_N_DTYPES; i++) one.calibration.gemm[i].sustained_frac = one.calibration.gemm[i].burst_frac;
    const int64_t steps = 9;
    double sum_s = 0;
    one.serving.output_len = steps + 1;
    const double whole_s = served(suite, &one).decode_s;
    one.serving.output_len = 2;
    for (int64_t i = 0; i < steps; i++, one.serving.input_len++) sum_s += served(suite, &one).decode_s;
    return fabs(whole_s / sum_s - 1);
}

/* ---------------------------------------------------------------- traffic */

/* A group of one rank sends nothing. */
static double lone_ranks_talk(struct suite *suite, const struct orr_job *job)
{
    static struct orr_answer answer;
    orr_predict(job, suite->scratch, &answer);
    for (size_t i = 0; i < answer.n_rows; i++)
        if (answer.rows[i].group != ORR_GROUP_NONE && orr_group_ranks(&job->plan, answer.rows[i].group) == 1) return 1;
    return 0;
}

/* ---------------------------------------------------------------- all of them */

static const struct claim CLAIMS[] = {
    {"an answer beats its speed of light", beats_its_bound, not_in_staged_halves},
    {"an answer beats its speed of light (halves, pp > 1)", beats_its_bound, in_staged_halves},
    {"utilisation above one", utilisation_above_one, training},
    {"parts do not sum", parts_do_not_sum, any},
    {"energy is not power by time", energy_is_not_power_by_time, any},
    {"parts of energy do not sum", parts_of_energy_do_not_sum, any},
    {"a micro-batch more takes less", batch_gains_time, training},
    {"twice the batch takes less", double_batch_gains_time, training},
    {"a longer sequence takes less", context_gains_time, training_without_windows},
    {"a longer sequence takes less (windows)", context_gains_time, training_in_windows},
    {"a longer sequence takes less (zero bubble)", context_gains_time, zero_bubble_without_windows},
    {"one sequence more takes less", batch_gains_time, one_stage},
    {"one sequence more takes less (pp > 1)", batch_gains_time, several_stages},
    {"one sequence more: earlier first token", batch_gains_first, one_stage},
    {"one sequence more: earlier first token (pp > 1)", batch_gains_first, several_stages},
    {"one sequence more: less per token", batch_gains_next, one_stage},
    {"one sequence more: less per token (pp > 1)", batch_gains_next, several_stages},
    {"twice the sequences take less", double_batch_gains_time, one_stage},
    {"twice the sequences take less (pp > 1)", double_batch_gains_time, several_stages},
    {"twice the sequences: less per token", double_batch_gains_next, one_stage},
    {"twice the sequences: less per token (pp > 1)", double_batch_gains_next, several_stages},
    {"one prompt token more: earlier first token", token_gains_first, without_chunks},
    {"a cached prefix: later first token", no_hit_gains_first, has_hit},
    {"longer prompts take less", context_gains_time, without_chunks},
    {"longer prompts: earlier first token", context_gains_first, without_chunks},
    {"longer prompts: less per token", context_gains_next, without_chunks},
    {"longer answers take less", output_gains_time, serving},
    {"more layers take less", layers_gain_time, fixed_split},
    {"more layers: earlier first token", layers_gain_first, fixed_split},
    {"more layers: less per token", layers_gain_next, fixed_split},
    {"a higher FLOP rate is slower", flops_lose, not_zero_bubble},
    {"a higher DRAM rate is slower", dram_loses, not_zero_bubble},
    {"a higher L2 rate is slower", l2_rate_loses, not_zero_bubble},
    {"a larger L2 is slower", l2_size_loses, not_zero_bubble},
    {"a higher FLOP rate is slower (zero bubble)", flops_lose, zero_bubble},
    {"a higher DRAM rate is slower (zero bubble)", dram_loses, zero_bubble},
    {"a higher L2 rate is slower (zero bubble)", l2_rate_loses, zero_bubble},
    {"a larger L2 is slower (zero bubble)", l2_size_loses, zero_bubble},
    {"a higher FLOP rate is slower (serving)", flops_lose, serving},
    {"a higher DRAM rate is slower (serving)", dram_loses, serving},
    {"a higher L2 rate is slower (serving)", l2_rate_loses, serving},
    {"a larger L2 is slower (serving)", l2_size_loses, serving},
    {"faster scale-up links are slower", scaleup_loses, any},
    {"faster scale-out links are slower", scaleout_loses, any},
    {"a lower scale-up latency is slower", scaleup_latency_loses, any},
    {"a lower scale-out latency is slower", scaleout_latency_loses, any},
    {"a decode step is not the answer's", decode_step_differs, plain},
    {"a decode step is not the answer's (pp > 1)", decode_step_differs, only_stages},
    {"a decode step is not the answer's (cp > 1)", decode_step_differs, only_context},
    {"a decode step is not the answer's (halves)", decode_step_differs, only_halves},
    {"a decode step is not the answer's (other plans)", decode_step_differs, otherwise},
    {"a prompt step is not the answer's", prompt_step_differs, plain},
    {"a prompt step is not the answer's (pp > 1)", prompt_step_differs, only_stages},
    {"a prompt step is not the answer's (cp > 1)", prompt_step_differs, only_context},
    {"a prompt step is not the answer's (halves)", prompt_step_differs, only_halves},
    {"a prompt step is not the answer's (other plans)", prompt_step_differs, otherwise},
    {"a request is not the sum of its steps", steps_do_not_sum, serving},
    {"a group of one rank has traffic", lone_ranks_talk, any},
};

/* What a smaller job must still break, and by how much. */
struct broken_by {
    struct suite *suite;
    const struct claim *claim;
    double least_excess;
};

static bool is_broken(void *context, const struct orr_job *job)
{
    const struct broken_by *by = context;
    return by->claim->about(job) && by->claim->excess(by->suite, job) > by->least_excess;
}

/* Sums in another order differ by ROUNDING; an allowance may be larger. */
static double allowed_excess(const struct claim *claim)
{
    for (size_t i = 0; i < COUNT(ALLOWED); i++)
        if (strcmp(ALLOWED[i].claim, claim->name) == 0) return ALLOWED[i].excess;
    return ROUNDING;
}

/* One claim over jobs first..end; returns whether it holds. */
static bool check_claim(struct suite *suite, const struct claim *claim, size_t first, size_t end)
{
    static struct drawn least;
    size_t n_checked = 0, n_broken = 0, worst = 0;
    double worst_excess = ROUNDING;
    char text[JOB_TEXT];
    for (size_t i = first; i < end; i++) {
        if (!claim->about(&suite->jobs[i].job)) continue;
        const double excess = claim->excess(suite, &suite->jobs[i].job);
        if (isnan(excess)) continue;
        n_checked++;
        n_broken += excess > ROUNDING;
        if (excess <= worst_excess) continue;
        worst_excess = excess;
        worst = i;
    }
    if (n_broken == 0) return true;
    least = suite->jobs[worst];
    struct broken_by by = {suite, claim, fmax(ROUNDING, worst_excess / 2)};
    cut_down(suite->reader, &least, is_broken, &by);
    write_drawn(&least, text);
    print_message("# %s: %zu of %zu jobs, by up to %.3g; smallest, by %.3g: %s\n", claim->name, n_broken, n_checked,
                  worst_excess, claim->excess(suite, &least.job), text);
    return worst_excess <= allowed_excess(claim);
}

static void check_claims(struct suite *suite, size_t first, size_t end)
{
    size_t n_failed = 0;
    for (size_t i = 0; i < COUNT(CLAIMS); i++)
        if (!check_claim(suite, &CLAIMS[i], first, end)) {
            print_error("not known to be broken: %s\n", CLAIMS[i].name);
            n_failed++;
        }
    assert_int_equal(n_failed, 0);
}

/* How many of the jobs have a part of that name. */
static size_t uses_of(const struct suite *suite, enum orr_part part, const char *id)
{
    size_t n = 0;
    for (size_t i = 0; i < N_JOBS; i++) {
        const struct orr_job *job = &suite->jobs[i].job;
        const char *used = part == ORR_PART_MODEL    ? suite->jobs[i].model
                           : part == ORR_PART_SYSTEM ? job->system.id
                                                     : job->engine.id;
        n += strcmp(used, id) == 0;
    }
    return n;
}

/* The jobs reach every engine there is, every model and system of the lists, and groups of several domains. */
static void the_jobs_reach_everything(void **state)
{
    const struct suite *suite = *state;
    size_t n_domains = 0, n_stages = 0, n_drafts = 0, n_mtp = 0;
    for (size_t i = 0; i < orr_catalogue_count(suite->catalogue, ORR_PART_ENGINE); i++) {
        const char *id = orr_catalogue_id(suite->catalogue, ORR_PART_ENGINE, i);
        if (uses_of(suite, ORR_PART_ENGINE, id) < 8) fail_msg("engine %s is hardly drawn: jobs.h lists it?", id);
    }
    for (size_t i = 0; i < COUNT(JOB_MODELS); i++) assert_true(uses_of(suite, ORR_PART_MODEL, JOB_MODELS[i]) > 20);
    for (size_t i = 0; i < COUNT(MIXED_MODELS); i++) assert_true(uses_of(suite, ORR_PART_MODEL, MIXED_MODELS[i]) > 20);
    for (size_t i = 0; i < COUNT(JOB_SYSTEMS); i++) assert_true(uses_of(suite, ORR_PART_SYSTEM, JOB_SYSTEMS[i]) > 20);
    for (size_t i = 0; i < N_JOBS; i++) {
        n_drafts += suite->jobs[i].job.draft.n_layers > 0;
        n_mtp += suite->jobs[i].job.draft.is_mtp;
        n_domains += suite->jobs[i].job.plan.gpus > suite->jobs[i].job.system.domain_gpus;
        n_stages += suite->jobs[i].job.plan.pp > 1;
    }
    assert_true(n_domains > 500 && n_stages > 500);
    assert_true(n_mtp > 200 && n_drafts > n_mtp + 40);
}

static void training_has_the_properties(void **state)
{
    check_claims(*state, 0, N_TRAIN);
}

static void serving_has_the_properties(void **state)
{
    check_claims(*state, FIRST_INFER, FIRST_MIXED_TRAIN);
}

static void training_of_other_layers_has_the_properties(void **state)
{
    check_claims(*state, FIRST_MIXED_TRAIN, FIRST_MIXED_INFER);
}

static void serving_of_other_layers_has_the_properties(void **state)
{
    check_claims(*state, FIRST_MIXED_INFER, N_JOBS);
}

static int open_suite(void **state)
{
    static struct suite suite;
    struct orr_error error;
    struct random random = {seed_of_jobs()};
    if (orr_catalogue_open(NULL, 0, &suite.catalogue, &error)) return -1;
    suite.reader = orr_reader_new(suite.catalogue);
    suite.scratch = orr_scratch_new();
    if (!suite.reader || !suite.scratch) return -1;
    for (size_t i = 0; i < N_JOBS; i++) {
        const bool mixed = i >= FIRST_MIXED_TRAIN, train = i < FIRST_INFER || (mixed && i < FIRST_MIXED_INFER);
        draw_job(suite.reader, &random, train ? ORR_JOB_TRAIN : ORR_JOB_INFER, mixed ? &MIXED_POOL : &PLAIN_POOL,
                 &suite.jobs[i]);
    }
    *state = &suite;
    return 0;
}

static int close_suite(void **state)
{
    struct suite *suite = *state;
    orr_scratch_free(suite->scratch);
    orr_reader_free(suite->reader);
    orr_catalogue_close(suite->catalogue);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_jobs_reach_everything),
        cmocka_unit_test(training_has_the_properties),
        cmocka_unit_test(serving_has_the_properties),
        cmocka_unit_test(training_of_other_layers_has_the_properties),
        cmocka_unit_test(serving_of_other_layers_has_the_properties),
    };
    return cmocka_run_group_tests_name("properties", tests, open_suite, close_suite);
}
