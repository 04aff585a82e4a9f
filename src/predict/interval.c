/* The 80 % interval of a time. The class of a job decides what runs of a measured engine differ by: the factors come
 * from validation residuals (validate/intervals.c computes them, interval_table.h records them). An engine without
 * measured runs adds what each resource may be off by between stacks. */
#include "predict/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "predict/interval_table.h"
#include "predict/measured.h"
#include "predict/nearest.h"
#include "predict/pass.h"
#include "spec/job.h"

#define NAMES_(regime, name, what) [ORR_REGIME_##regime] = {name ", datasheet", name ", calibrated"},
static const char *const NAMES[ORR_N_REGIMES][2] = {ORR_REGIMES(NAMES_)};

#define FACTORS_(regime, low, high, datasheet_low, datasheet_high, ...)                                                \
    [ORR_REGIME_##regime] = {{datasheet_low, datasheet_high}, {low, high}},
static const double FACTORS[ORR_N_REGIMES][2][2] = {ORR_INTERVALS(FACTORS_)};

#define LEFT_OUT_(regime, low, high, datasheet_low, datasheet_high, left_out, datasheet_left_out)                      \
    [ORR_REGIME_##regime] = {datasheet_left_out, left_out},
static const double LEFT_OUT[ORR_N_REGIMES][2] = {ORR_INTERVALS(LEFT_OUT_)};

struct orr_interval orr_interval_recorded(enum orr_regime regime, bool calibrated)
{
    const double *factors = FACTORS[regime][calibrated];
    return (struct orr_interval){.name = NAMES[regime][calibrated],
                                 .low = factors[0],
                                 .mid = 1,
                                 .high = factors[1],
                                 .from = ORR_DOUBT_RUNS,
                                 .measured = true};
}

/* ---------------------------------------------------------------- measured engines */

struct measured {
    const char *id, *family;
    unsigned regimes;          /* bit r: enough rows of regime r */
    const char *architectures; /* of the chips that its runs had, each with a blank before and behind it */
};

#define MEASURED_(id, family, regimes, architectures) {id, family, regimes, architectures},
static const struct measured MEASURED[] = {ORR_MEASURED(MEASURED_)};

static int by_id(const void *id, const void *entry)
{
    return strcmp(id, ((const struct measured *)entry)->id);
}

static const struct measured *find_measured(const char *engine_id)
{
    return bsearch(engine_id, MEASURED, sizeof MEASURED / sizeof *MEASURED, sizeof *MEASURED, by_id);
}

bool orr_engine_is_measured(const char *engine_id, enum orr_regime regime)
{
    const struct measured *found = find_measured(engine_id);
    return found && (found->regimes >> regime & 1);
}

/* Engines that describe no stack in particular: whoever names one has a stack of his own. */
static const char *const STAND_INS[] = {"generic", "jax-xla", "pytorch-eager", "serving-base", "torch-compile"};

bool orr_engine_stands_in(const char *engine_id)
{
    for (size_t i = 0; i < sizeof STAND_INS / sizeof *STAND_INS; i++)
        if (strcmp(engine_id, STAND_INS[i]) == 0) return true;
    return false;
}

static bool family_is_measured(const char *family, enum orr_regime regime)
{
    for (size_t i = 0; i < sizeof MEASURED / sizeof *MEASURED; i++)
        if (MEASURED[i].regimes >> regime & 1 && strcmp(MEASURED[i].family, family) == 0) return true;
    return false;
}

/* Was another version asked for than the engine stands for? */
static bool is_another_version(const struct orr_engine *engine)
{
    return engine->match == ORR_MATCH_OLDER || engine->match == ORR_MATCH_NEWER || engine->match == ORR_MATCH_UNCOUNTED;
}

/* What the engine is to the stack of the job; RECORD: the measured runs cover it. On an architecture that none of its
 * runs had, and for a version that is not listed, a measured engine is as unsure as another version: it has other
 * kernels there. */
static enum orr_kin kin_of(const struct orr_job *job, enum orr_regime regime)
{
    const struct orr_engine *engine = &job->engine;
    if (job->kin != ORR_KIN_RECORD) return job->kin;
    if (orr_engine_stands_in(engine->id)) return ORR_KIN_OTHER;
    const struct measured *found = find_measured(engine->id);
    const bool measured = found && (found->regimes >> regime & 1);
    if (measured && !is_another_version(engine) && orr_has_word(found->architectures, job->system.chip.family))
        return ORR_KIN_RECORD;
    if (measured) return ORR_KIN_VERSION;
    return engine->family[0] && family_is_measured(engine->family, regime) ? ORR_KIN_VERSION : ORR_KIN_OTHER;
}

/* ---------------------------------------------------------------- between stacks */

/* What a resource may be off by between stacks: the logarithms of the factors that one stack in ten stays below, and
 * that one in ten exceeds. Some hold for the whole time, the others for the share that the resource has of it. The
 * values are priors (docs/trust.md): `orrery validate --unseen` judges them. */
struct prior {
    double down, up;
};

static const struct prior TRAINING[ORR_N_DOUBTS] = {
    [ORR_DOUBT_RUNS] = {0.09, 0.10},    [ORR_DOUBT_STACK] = {0.08, 0.18},   [ORR_DOUBT_VERSION] = {0.08, 0.08},
    [ORR_DOUBT_CHIP] = {0.13, 0.13},    [ORR_DOUBT_COMPUTE] = {0.15, 0.15}, [ORR_DOUBT_MEMORY] = {0.5, 0.77},
    [ORR_DOUBT_NETWORK] = {0.4, 0.5},   [ORR_DOUBT_OVERLAP] = {0, 0.4},     [ORR_DOUBT_GAPS] = {1, 0.77},
    [ORR_DOUBT_EXPERTS] = {0.25, 0.35}, [ORR_DOUBT_HOST] = {0.5, 1}};
static const struct prior SERVING[ORR_N_DOUBTS] = {
    [ORR_DOUBT_RUNS] = {0.09, 0.10},    [ORR_DOUBT_STACK] = {0.08, 0.18},   [ORR_DOUBT_VERSION] = {0.08, 0.08},
    [ORR_DOUBT_CHIP] = {0.13, 0.13},    [ORR_DOUBT_COMPUTE] = {0.15, 0.15}, [ORR_DOUBT_MEMORY] = {0.19, 0.19},
    [ORR_DOUBT_NETWORK] = {0.4, 0.4},   [ORR_DOUBT_OVERLAP] = {0, 0.4},     [ORR_DOUBT_GAPS] = {1, 0.77},
    [ORR_DOUBT_EXPERTS] = {0.25, 0.35}, [ORR_DOUBT_HOST] = {1, 1}};
/* What a serving stack does besides what it is predicted to do only adds time: half of the stacks that no run covers
 * take more than this, in logarithms. Training stacks err either way. */
#define SERVING_MID 0.10
/* Versions of one engine share half of the variance that stacks have in a resource. */
#define VERSION_FRAC 0.7

/* A first token under load has these besides the steps that it takes (Eq. 236). */
static const struct prior FIRST[ORR_N_DOUBTS] = {[ORR_DOUBT_LOAD] = {0.25, 0.35}, [ORR_DOUBT_HOST] = {0.5, 1}};

static const struct prior *priors_of(enum orr_regime regime)
{
    if (regime == ORR_REGIME_SERVE_FIRST) return FIRST;
    return orr_regime_is_training(regime) ? TRAINING : SERVING;
}

/* The bound that a doubt is about; the caches are kernels too. */
static const enum orr_doubt DOUBT_OF[ORR_N_BOUNDS] = {
    [ORR_BOUND_COMPUTE] = ORR_DOUBT_COMPUTE, [ORR_BOUND_L2] = ORR_DOUBT_COMPUTE,    [ORR_BOUND_DRAM] = ORR_DOUBT_MEMORY,
    [ORR_BOUND_NETWORK] = ORR_DOUBT_NETWORK, [ORR_BOUND_OVERHEAD] = ORR_DOUBT_GAPS, [ORR_BOUND_HOST] = ORR_DOUBT_HOST};

/* Times of the host that engines spend once per training step, request and decode step, and that a stack nobody has
 * measured may spend as well: assumptions of the usual size (docs/trust.md). */
#define STEP_FIXED_S    10e-3
#define REQUEST_FIXED_S 3e-3
#define DECODE_FIXED_S  0.3e-3

bool orr_regime_is_training(enum orr_regime regime)
{
    return regime == ORR_REGIME_TRAIN_DENSE || regime == ORR_REGIME_TRAIN_MOE;
}

double orr_bound_doubt(enum orr_regime regime, enum orr_bound bound)
{
    return (orr_regime_is_training(regime) ? TRAINING : SERVING)[DOUBT_OF[bound]].up;
}

static bool leaves_node(const struct orr_job *job)
{
    return job->plan.gpus > job->system.domain_gpus;
}

/* What a doubt about a share of the time adds to its logarithm, downwards and upwards, and `fixed_frac` of the time on
 * top of it (Eqs. 183 and 184). */
static struct prior of_share(struct prior doubt, double share, double fixed_frac)
{
    const double least = orr_max(0.02, 1 - share * (1 - exp(-doubt.down)));
    return (struct prior){-log(least), log(1 + share * (exp(doubt.up) - 1) + fixed_frac)};
}

/* Fills what every doubt adds in logarithms, for an engine that no run covers. */
static void fill_doubts(const struct orr_job *job, enum orr_regime regime, enum orr_kin kin,
                        const struct orr_exposure *exposure, struct prior doubts[ORR_N_DOUBTS])
{
    const struct prior *priors = priors_of(regime);
    const double known = kin == ORR_KIN_VERSION ? VERSION_FRAC : 1;
    double share[ORR_N_DOUBTS] = {
        [ORR_DOUBT_RUNS] = 1, [ORR_DOUBT_LOAD] = 1, [ORR_DOUBT_OVERLAP] = exposure->hidden_frac};
    double scale[ORR_N_DOUBTS] = {[ORR_DOUBT_OVERLAP] = known};
    share[kin == ORR_KIN_VERSION ? ORR_DOUBT_VERSION : ORR_DOUBT_STACK] = 1;
    share[ORR_DOUBT_CHIP] = job->calibration.calibrated ? 0 : 1;
    share[ORR_DOUBT_EXPERTS] = orr_model_has_experts(&job->model) ? 1 : 0;
    for (int i = 0; i < ORR_N_BOUNDS; i++) {
        share[DOUBT_OF[i]] += exposure->bound_frac[i];
        scale[DOUBT_OF[i]] = known;
    }
    for (int i = 0; i < ORR_N_DOUBTS; i++) {
        const double by = scale[i] > 0 ? scale[i] : 1;
        const struct prior prior = {by * priors[i].down, by * priors[i].up};
        doubts[i] = of_share(prior, share[i], i == ORR_DOUBT_HOST ? exposure->fixed_frac : 0);
    }
}

/* Weights that are stored narrower than they are multiplied are restored by each stack in its own way: inside the
 * product, before it, or in a kernel of their own. The rate of these products has the spread that `orrery fit` gives
 * products of eight and of four bits (docs/fit.md), at the ends that hold four stacks in five: Eq. 342. */
#define EIGHT_BIT_DOUBT (1.2816 * 0.15)
#define FOUR_BIT_DOUBT  (1.2816 * 0.30)

static void add_format(const struct orr_job *job, const struct orr_exposure *exposure,
                       struct prior doubts[ORR_N_DOUBTS])
{
    const struct orr_serving *s = &job->serving;
    if (job->kind != ORR_JOB_INFER || orr_dtype_bytes(s->weights) >= orr_dtype_bytes(s->matrix)) return;
    const double x = orr_dtype_bytes(s->weights) < 1 ? FOUR_BIT_DOUBT : EIGHT_BIT_DOUBT;
    const double *share = exposure->bound_frac;
    doubts[ORR_DOUBT_FORMAT] =
        of_share((struct prior){x, x}, share[ORR_BOUND_COMPUTE] + share[ORR_BOUND_L2] + share[ORR_BOUND_DRAM], 0);
}

/* A network between nodes that nobody has measured may be off by what such networks differ by (Eq. 185). */
static void add_fabric(const struct orr_job *job, const struct orr_exposure *exposure,
                       struct prior doubts[ORR_N_DOUBTS])
{
    const struct orr_fabric *fabric = &job->system.fabric;
    if (!leaves_node(job) || fabric->measured || fabric->spread_low_frac <= 0) return;
    const double share = exposure->bound_frac[ORR_BOUND_NETWORK];
    doubts[ORR_DOUBT_FABRIC] =
        (struct prior){-share * log(fabric->spread_low_frac), log(1 + share * (fabric->spread_high_frac - 1))};
}

/* Settings that the request leaves open may be slower than the fastest of them, which the prediction takes: what the
 * spread over plausible ones says. A stack that no run covers may use larger micro-batches than its engine has
 * (Eq. 348). */
static void add_cells(const struct orr_spread *spread, bool measured, struct prior doubts[ORR_N_DOUBTS])
{
    if (spread->low_s > 0 && spread->high_s > spread->low_s)
        doubts[ORR_DOUBT_CELLS].up = log(spread->high_s / spread->low_s);
    if (!measured && spread->faster_s > 0) doubts[ORR_DOUBT_CELLS].down = log(spread->low_s / spread->faster_s);
}

/* Adds the doubts in squares around the middle, and names the widest (Eq. 186). */
static struct orr_interval combined(const char *name, const struct prior doubts[ORR_N_DOUBTS], double mid)
{
    double down = 0, up = 0, most = 0;
    struct orr_interval interval = {.name = name, .mid = exp(mid)};
    for (int i = 0; i < ORR_N_DOUBTS; i++) {
        const double width = doubts[i].down * doubts[i].down + doubts[i].up * doubts[i].up;
        down += doubts[i].down * doubts[i].down;
        up += doubts[i].up * doubts[i].up;
        if (width > most) interval.from = (enum orr_doubt)i;
        most = orr_max(most, width);
    }
    interval.low = exp(mid - sqrt(down));
    interval.high = exp(mid + sqrt(up));
    return interval;
}

/* The least that an engine without measured runs is taken to be off by. */
#define LEAST_DOWN 0.09
#define LEAST_UP   0.17
/* The next cluster of a measured engine brings a network, a host and settings of its own. The two were chosen by the
 * errors of sources that were predicted before anybody had looked at them (docs/trust.md). */
#define CLUSTER_DOWN 0.15
#define CLUSTER_UP   0.20

/* What runs of a measured engine differ by: those of the finest cell of the record that the job belongs to, and what
 * another cluster adds (Eq. 265). An engine that the record has no cell of has its class. */
static struct prior of_runs(const struct orr_job *job, enum orr_regime regime, const struct orr_exposure *exposure,
                            struct prior class_runs)
{
    const int bound = orr_dominant_bound(regime, exposure->bound_frac);
    const struct orr_measured_cell *cell = orr_measured_cell(job->engine.id, regime, bound, job->system.id);
    if (!cell) return class_runs;
    return (struct prior){hypot(log(cell->low), CLUSTER_DOWN), hypot(log(cell->high), CLUSTER_UP)};
}

/* The 90 % quantile of a Student t with 4 degrees of freedom, the distribution of errors in a fit (Eq. 174). */
#define FITTED_QUANTILE 1.533

/* A fitted engine carries what its own runs left unexplained, and what they left unsure. */
static struct orr_interval fitted(const struct orr_engine *engine)
{
    const double reach = FITTED_QUANTILE * hypot(engine->fit_within_frac, engine->fit_stack_frac);
    return (struct orr_interval){.name = "fitted stack",
                                 .low = exp(-reach),
                                 .mid = 1,
                                 .high = exp(reach),
                                 .from = engine->fit_within_frac > engine->fit_stack_frac ? ORR_DOUBT_RUNS
                                                                                          : ORR_DOUBT_FITTED,
                                 .measured = true};
}

/* A class counts whole where sources left out of it hold no more than the first share of its rows, and half from the
 * second on: it is then wider than other sources need. */
#define CLASS_WHOLE_FRAC 0.7
#define CLASS_HALF_FRAC  0.8

double orr_class_weight(double left_out_frac)
{
    const double over = (left_out_frac - CLASS_WHOLE_FRAC) / (CLASS_HALF_FRAC - CLASS_WHOLE_FRAC);
    return 1 - orr_max(0, orr_min(1, over)) / 2;
}

struct orr_interval orr_towards_class(struct orr_interval interval)
{
    const double w = interval.class_weight;
    if (interval.measured) return interval;
    if (interval.class_low < interval.low) interval.low = pow(interval.low, 1 - w) * pow(interval.class_low, w);
    if (interval.class_high > interval.high) interval.high = pow(interval.high, 1 - w) * pow(interval.class_high, w);
    return interval;
}

/* The interval of a job whose engine is this to its stack, before its class counts (Eq. 341). */
static struct orr_interval of_kin(const struct orr_job *job, enum orr_regime regime,
                                  const struct orr_exposure *exposure, enum orr_kin kin)
{
    struct prior doubts[ORR_N_DOUBTS] = {{0}};
    const struct orr_interval recorded = orr_interval_recorded(regime, job->calibration.calibrated);
    const bool measured = kin == ORR_KIN_RECORD, is_first = regime == ORR_REGIME_SERVE_FIRST;
    const struct prior runs = {orr_max(LEAST_DOWN, -log(recorded.low)), orr_max(LEAST_UP, log(recorded.high))};
    if (measured) doubts[ORR_DOUBT_RUNS] = of_runs(job, regime, exposure, runs);
    else {
        fill_doubts(job, regime, kin, exposure, doubts);
        add_format(job, exposure, doubts);
    }
    add_fabric(job, exposure, doubts);
    add_cells(&job->spread, measured, doubts);
    const bool is_added = !measured && !is_first && !orr_regime_is_training(regime);
    struct orr_interval interval = combined(recorded.name, doubts, is_added ? SERVING_MID : 0);
    interval.measured = measured;
    if (measured) return interval;
    interval.class_weight = orr_class_weight(LEFT_OUT[regime][job->calibration.calibrated]);
    interval.class_low = exp(-runs.down);
    interval.class_high = exp(runs.up);
    return interval;
}

/* A job of a measured engine is as sure as its runs where one of them is so near, and as unsure as another version of
 * the engine from here on: another cluster, model and plan show what the measured ones did not. Sources that were
 * predicted before they were looked at lie 0.10 to 0.17 away (docs/blind.md). */
#define NEAR_RUNS ORR_RECORD_COVER
#define FAR_RUNS  0.10

/* Moves an interval towards that of another version, where the latter is wider (Eq. 324). */
static void widen_towards(struct orr_interval *interval, const struct orr_interval *version, double frac)
{
    if (version->low < interval->low) interval->low = exp((1 - frac) * log(interval->low) + frac * log(version->low));
    if (version->high > interval->high) {
        interval->high = exp((1 - frac) * log(interval->high) + frac * log(version->high));
        if (frac > 0.5) interval->from = version->from;
    }
}

static double share_of(double away, double near, double far)
{
    return orr_max(0, orr_min(1, (away - near) / (far - near)));
}

static void widen_far_from_runs(const struct orr_job *job, enum orr_regime regime, const struct orr_exposure *exposure,
                                struct orr_interval *interval)
{
    const double frac = share_of(orr_distance_to_engine(job, regime, exposure), NEAR_RUNS, FAR_RUNS);
    if (frac <= 0) return;
    const struct orr_interval version = orr_towards_class(of_kin(job, regime, exposure, ORR_KIN_VERSION));
    widen_towards(interval, &version, frac);
}

/* Eq. 324a: a fit knows what is like its runs. What is as far from all of them as from any measured run is as unsure as
 * with an engine that was not fitted, about the prediction of the fit. */
#define NEAR_FITTED FAR_RUNS
#define FAR_FITTED  0.20

static struct orr_interval of_fitted(const struct orr_job *job, enum orr_regime regime,
                                     const struct orr_exposure *exposure)
{
    struct orr_interval own = fitted(&job->engine);
    const double frac = share_of(orr_distance_to_fitted(job, regime, exposure), NEAR_FITTED, FAR_FITTED);
    if (frac <= 0) return own;
    struct orr_interval version = orr_towards_class(of_kin(job, regime, exposure, kin_of(job, regime)));
    version.low /= version.mid;
    version.high /= version.mid;
    widen_towards(&own, &version, frac);
    return own;
}

struct orr_interval orr_interval_of(const struct orr_job *job, enum orr_regime regime,
                                    const struct orr_exposure *exposure)
{
    /* Runs of a fit tell about steps, never about handling and admission of requests. */
    if (job->engine.fit_runs > 0 && regime != ORR_REGIME_SERVE_FIRST) return of_fitted(job, regime, exposure);
    const enum orr_kin kin = kin_of(job, regime);
    struct orr_interval interval = of_kin(job, regime, exposure, kin);
    if (kin == ORR_KIN_RECORD) widen_far_from_runs(job, regime, exposure, &interval);
    /* The class of first tokens has the steps in it, which are joined first (Eqs. 236 and 237). */
    return regime == ORR_REGIME_SERVE_FIRST ? interval : orr_towards_class(interval);
}

/* ---------------------------------------------------------------- regimes */

enum orr_regime orr_train_regime(const struct orr_job *job)
{
    return orr_model_has_experts(&job->model) ? ORR_REGIME_TRAIN_MOE : ORR_REGIME_TRAIN_DENSE;
}

/* From this share of overhead and host on, the host decides how far off a prediction is, and not a kernel. */
#define HOST_BOUND_FRAC 0.3

/* A job is host-bound where an eager framework launches slower than the GPU executes. */
static bool host_bound(const struct orr_job *job, const double bound_frac[ORR_N_BOUNDS])
{
    const double idle_frac = bound_frac[ORR_BOUND_HOST] + bound_frac[ORR_BOUND_OVERHEAD];
    return job->engine.host_launch_s > 0 && idle_frac > HOST_BOUND_FRAC;
}

enum orr_regime orr_prefill_regime(const struct orr_job *job, const struct orr_infer_result *result)
{
    if (orr_model_has_experts(&job->model)) return ORR_REGIME_INFER_MOE;
    if (host_bound(job, result->prefill_bound_frac)) return ORR_REGIME_HOST;
    const int64_t tokens = job->serving.batch * orr_prompt_len(job);
    return tokens <= ORR_SHORT_PREFILL_TOKENS ? ORR_REGIME_PREFILL_SHORT : ORR_REGIME_PREFILL;
}

enum orr_regime orr_decode_regime(const struct orr_job *job, const struct orr_infer_result *result)
{
    if (orr_model_has_experts(&job->model)) return ORR_REGIME_INFER_MOE;
    if (host_bound(job, result->decode_bound_frac)) return ORR_REGIME_HOST;
    return result->decode_bound_frac[ORR_BOUND_DRAM] >= 0.5 ? ORR_REGIME_DECODE_DRAM : ORR_REGIME_DECODE_NETWORK;
}

enum orr_regime orr_in_flight_regime(const struct orr_job *job)
{
    return orr_model_has_experts(&job->model) ? ORR_REGIME_IN_FLIGHT_MOE : ORR_REGIME_IN_FLIGHT;
}

enum orr_regime orr_serving_regime(const struct orr_job *job)
{
    return orr_model_has_experts(&job->model) ? ORR_REGIME_SERVE_MOE : ORR_REGIME_SERVE;
}

enum orr_regime orr_infer_regime(const struct orr_job *job, const struct orr_infer_result *result)
{
    return result->prefill_s >= result->decode_s ? orr_prefill_regime(job, result) : orr_decode_regime(job, result);
}

/* ---------------------------------------------------------------- exposure */

struct orr_exposure orr_train_exposure(const struct orr_result *result)
{
    struct orr_exposure exposure = {0};
    double hidden_s = 0;
    for (int i = 0; i < ORR_N_GROUPS; i++) hidden_s += result->hidden_s[i];
    exposure.hidden_frac = hidden_s / result->step_time_s;
    exposure.fixed_frac = STEP_FIXED_S / result->step_time_s;
    memcpy(exposure.bound_frac, result->bound_share_frac, sizeof exposure.bound_frac);
    return exposure;
}

struct orr_exposure orr_infer_exposure(const struct orr_infer_result *result, double prefill_s, double decode_s)
{
    struct orr_exposure exposure = {0};
    const double whole_s = prefill_s + decode_s;
    const double steps = result->tpot_s > 0 ? decode_s / result->tpot_s : 0;
    if (whole_s > 0) exposure.fixed_frac = ((prefill_s > 0 ? REQUEST_FIXED_S : 0) + steps * DECODE_FIXED_S) / whole_s;
    for (int i = 0; i < ORR_N_BOUNDS && whole_s > 0; i++)
        exposure.bound_frac[i] =
            (prefill_s * result->prefill_bound_frac[i] + decode_s * result->decode_bound_frac[i]) / whole_s;
    return exposure;
}

struct orr_exposure orr_step_exposure(const struct orr_infer_result *result, double prompt_frac, double step_s)
{
    struct orr_exposure exposure = {.fixed_frac = step_s > 0 ? DECODE_FIXED_S / step_s : 0};
    for (int i = 0; i < ORR_N_BOUNDS; i++)
        exposure.bound_frac[i] =
            prompt_frac * result->prefill_bound_frac[i] + (1 - prompt_frac) * result->decode_bound_frac[i];
    return exposure;
}

struct orr_exposure orr_first_exposure(double handling_s, double ttft_s)
{
    struct orr_exposure exposure = {0};
    if (ttft_s <= 0) return exposure;
    exposure.fixed_frac = REQUEST_FIXED_S / ttft_s;
    exposure.bound_frac[ORR_BOUND_HOST] = orr_min(1, handling_s / ttft_s);
    return exposure;
}

/* ---------------------------------------------------------------- results */

void orr_fill_interval(const struct orr_job *job, struct orr_result *result)
{
    const struct orr_exposure exposure = orr_train_exposure(result);
    const struct orr_interval interval = orr_interval_of(job, orr_train_regime(job), &exposure);
    result->interval_class = interval.name;
    result->interval_from = interval.from;
    result->engine_measured = interval.measured;
    result->interval_low_s = result->step_time_s * interval.low;
    result->median_s = result->step_time_s * interval.mid;
    result->interval_high_s = result->step_time_s * interval.high;
}

void orr_fill_infer_interval(const struct orr_job *job, struct orr_infer_result *result)
{
    const struct orr_exposure exposure = orr_infer_exposure(result, result->prefill_s, result->decode_s);
    const struct orr_interval interval = orr_interval_of(job, orr_infer_regime(job, result), &exposure);
    result->interval_class = interval.name;
    result->interval_from = interval.from;
    result->engine_measured = interval.measured;
    result->interval_low_s = result->latency_s * interval.low;
    result->median_s = result->latency_s * interval.mid;
    result->interval_high_s = result->latency_s * interval.high;
}
