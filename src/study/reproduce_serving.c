/* Studies of inference: latency with different memories and links and its lower bound, what binds the time at different
 * batches, and the products of a layer one by one. Eq. 96. */
#include "study/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"

#define ENGINE "tensorrt-llm-nemo"
/* One request of 200 input and 200 output tokens. */
#define REQUEST(tp)                                                                                                    \
    "{'kind':'infer','model':'llama2-13b','system':'a100-80g-sxm','plan':{'tp':" tp "},'workload':{'batch':1,"         \
    "'input_len':200,'output_len':200,'engine':'" ENGINE "'}}"

static const char *const SYSTEMS[] = {"a100-80g-sxm", "h100-sxm"};

/* ---------------------------------------------------------------- memories and links */

/* The DRAM bandwidth of a device with each memory; the last is beyond all of them. The values are an illustration
 * (docs/reproduce.md). */
static const struct {
    const char *memory;
    double tb_per_s, illustrated_s;
} MEMORIES[] = {{"gddr6", 0.6, 6.95}, {"hbm2", 1.0, 4.42}, {"hbm2e", 1.9, 2.62}, {"hbm3", 2.6, 2.08},
                {"hbm3e", 4.8, 1.41}, {"hbm4", 6.4, 1.21}, {"hbmx", 12.8, 0.91}, {"unlimited", 1e6, (double)NAN}};
static const struct {
    const char *link;
    double gb_per_s;
} LINKS[] = {{"nvlink3", 300}, {"nvlink4", 450}, {"nvlink5", 900}};
enum { N_MEMORIES = sizeof MEMORIES / sizeof *MEMORIES, N_LINKS = sizeof LINKS / sizeof *LINKS };

/* The seconds of a request by the resource that binds; time outside the two passes is the host's. */
static void bound_seconds(const struct orr_infer_result *result, double bound_s[ORR_N_BOUNDS])
{
    double rest_s = result->latency_s;
    for (int i = 0; i < ORR_N_BOUNDS; i++) {
        bound_s[i] =
            result->prefill_bound_frac[i] * result->prefill_s + result->decode_bound_frac[i] * result->decode_s;
        rest_s -= bound_s[i];
    }
    bound_s[ORR_BOUND_HOST] += rest_s;
}

static void find_floor(struct orr_study *study, const struct orr_study_point *points)
{
    const struct orr_study_point *floor = &points[N_MEMORIES - 1];
    double s[ORR_N_BOUNDS];
    bound_seconds(&floor->outcome.answer.infer, s);
    orr_study_find(study,
                   "floor with unlimited DRAM bandwidth and NVLink 3: %.3f s, of it launch and gaps %.3f, host %.3f, "
                   "network %.3f, L2 %.3f, compute %.3f, attention at the read rate of its SMs %.3f s",
                   floor->outcome.answer.infer.latency_s, s[ORR_BOUND_OVERHEAD], s[ORR_BOUND_HOST],
                   s[ORR_BOUND_NETWORK], s[ORR_BOUND_L2], s[ORR_BOUND_COMPUTE], s[ORR_BOUND_DRAM]);
    orr_study_find(study, "three times the link rate (NVLink 5) takes %.1f %% off that floor: messages are short",
                   100 * (1 - points[N_MEMORIES * N_LINKS - 1].outcome.answer.infer.latency_s /
                                  floor->outcome.answer.infer.latency_s));
}

enum orr_err orr_study_dram(struct orr_study *study, struct orr_error *error)
{
    char memories[256] = "", links[256] = "";
    size_t n = 0;
    struct orr_study_point *points;
    for (size_t i = 0; i < N_MEMORIES; i++)
        n += (size_t)snprintf(memories + n, sizeof memories - n, "%s%g TB/s", i ? "," : "", MEMORIES[i].tb_per_s);
    n = 0;
    for (size_t i = 0; i < N_LINKS; i++)
        n += (size_t)snprintf(links + n, sizeof links - n, "%s%g GB/s", i ? "," : "", LINKS[i].gb_per_s);
    const struct orr_vary varies[] = {{"link", "system.scaleup_bytes_per_s", links},
                                      {"dram", "chip.hbm_bytes_per_s", memories}};
    const struct orr_study_question question = {.request = REQUEST("2"), .varies = varies, .n_varies = 2};
    const enum orr_err err = orr_study_sweep(study, &question, &points, &n, error);
    if (err) return err;
    struct orr_sheet *sheet = orr_study_sheet(study, "dram", "Latency of one request, seconds by what binds",
                                              "memory link latency_s compute_s l2_s dram_s network_s overhead_s host_s "
                                              "illustrated_s dram_tb_per_s link_gb_per_s low_s high_s");
    for (size_t i = 0; i < n; i++) {
        const size_t memory = i % N_MEMORIES, link = i / N_MEMORIES;
        double bound_s[ORR_N_BOUNDS];
        bound_seconds(&points[i].outcome.answer.infer, bound_s);
        ORR_WORDS(sheet, MEMORIES[memory].memory, LINKS[link].link);
        ORR_NUMBERS(sheet, points[i].outcome.answer.infer.latency_s);
        orr_sheet_numbers(sheet, bound_s, ORR_N_BOUNDS);
        ORR_NUMBERS(sheet, link == 0 ? MEMORIES[memory].illustrated_s : (double)NAN, MEMORIES[memory].tb_per_s,
                    LINKS[link].gb_per_s, points[i].outcome.answer.infer.interval_low_s,
                    points[i].outcome.answer.infer.interval_high_s);
    }
    find_floor(study, points);
    free(points);
    return ORR_OK;
}

/* ---------------------------------------------------------------- batch */

enum orr_err orr_study_batch(struct orr_study *study, struct orr_error *error)
{
    static const int BATCHES[] = {1, 2, 4, 8, 16, 32, 64};
    enum { N_BATCHES = sizeof BATCHES / sizeof *BATCHES };
    const struct orr_vary varies[] = {{"system", "system", "a100-80g-sxm,h100-sxm"},
                                      {"batch", "workload.batch", "1:64:x2"}};
    size_t n;
    struct orr_study_point *points;
    const struct orr_study_question question = {.request = REQUEST("1"), .varies = varies, .n_varies = 2};
    const enum orr_err err = orr_study_sweep(study, &question, &points, &n, error);
    if (err) return err;
    struct orr_sheet *sheet = orr_study_sheet(study, "batch", "Share of prefill and decode bound by each resource",
                                              "batch system phase time_s compute_frac l2_frac dram_frac network_frac "
                                              "overhead_frac host_frac fits");
    for (size_t i = 0; i < 2 * n; i++) {
        const struct orr_infer_result *result = &points[i % n].outcome.answer.infer;
        const bool decode = i >= n;
        ORR_NUMBERS(sheet, BATCHES[i % N_BATCHES]);
        ORR_WORDS(sheet, SYSTEMS[i % n / N_BATCHES], decode ? "decode" : "prefill");
        ORR_NUMBERS(sheet, decode ? result->decode_s : result->prefill_s);
        orr_sheet_numbers(sheet, decode ? result->decode_bound_frac : result->prefill_bound_frac, ORR_N_BOUNDS);
        ORR_WORDS(sheet, result->fits ? "yes" : "no");
    }
    for (size_t i = 0; i < n; i += N_BATCHES)
        orr_study_find(study, "%s: DRAM holds %.0f %% of decode at batch 1, %.0f %% at batch 64",
                       SYSTEMS[i / N_BATCHES], 100 * points[i].outcome.answer.infer.decode_bound_frac[ORR_BOUND_DRAM],
                       100 * points[i + N_BATCHES - 1].outcome.answer.infer.decode_bound_frac[ORR_BOUND_DRAM]);
    free(points);
    return ORR_OK;
}

/* ---------------------------------------------------------------- products of a layer */

/* Llama-2-13B on one device: 200 prompt tokens, then one. The published labels of the prompt follow Eq. 96 by the ridge
 * point of DRAM. */
static const struct {
    const char *name, *phase;
    double m, k, n, batch;
    const char *published[2]; /* on A100, on H100 */
} SHAPES[] = {
    {"X W = KQV", "prefill", 200, 5120, 15360, 1, {"compute", "dram"}},
    {"Q K^T = R", "prefill", 200, 128, 200, 40, {"dram", "dram"}},
    {"R V = Z", "prefill", 200, 200, 128, 40, {"dram", "dram"}},
    {"Z W = O", "prefill", 200, 5120, 5120, 1, {"compute", "dram"}},
    {"O W1 = O1", "prefill", 200, 5120, 27648, 1, {"compute", "dram"}},
    {"O1 W2 = O2", "prefill", 200, 13824, 5120, 1, {"compute", "dram"}},
    {"X W = KQV", "decode", 1, 5120, 15360, 1, {"dram", "dram"}},
    {"Z W = O", "decode", 1, 5120, 5120, 1, {"dram", "dram"}},
    {"O W1 = O1", "decode", 1, 5120, 27648, 1, {"dram", "dram"}},
    {"O1 W2 = O2", "decode", 1, 13824, 5120, 1, {"dram", "dram"}},
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES };

struct orr_op orr_study_product(const char *name, double m, double k, double n, double batch)
{
    return (struct orr_op){.name = name,
                           .kind = batch > 1 ? ORR_OP_BMM : ORR_OP_GEMM,
                           .phase = ORR_PHASE_PREFILL,
                           .count = 1,
                           .batch = batch,
                           .m = m,
                           .n = n,
                           .k = k,
                           .dtype = ORR_DTYPE_FP16,
                           .input_bytes = 2,
                           .weight_bytes = 2,
                           .output_bytes = 2,
                           .flops = 2 * m * n * k * batch,
                           .bytes = 2 * (m * k + k * n + m * n) * batch,
                           .launches = 1,
                           .window_op = -1};
}

enum orr_err orr_study_shapes(struct orr_study *study, struct orr_error *error)
{
    struct orr_job *job = &study->job;
    enum orr_err err = ORR_OK;
    int n_same = 0;
    struct orr_sheet *sheet =
        orr_study_sheet(study, "shapes", "Products of a layer of Llama-2-13B: intensity, ridge of DRAM, what binds",
                        "system phase product m k n batch flop_per_byte ridge_flop_per_byte by_ridge published time_s "
                        "tflops bound");
    for (size_t s = 0; s < 2 && !err; s++) {
        err = orr_study_job(study, job, error,
                            "{'kind':'infer','model':'llama2-13b','system':'%s','workload':{'batch':1,'input_len':200,"
                            "'output_len':200,'precision':'fp16','engine':'" ENGINE "'}}",
                            SYSTEMS[s]);
        for (size_t i = 0; i < N_SHAPES && !err; i++) {
            const struct orr_op op =
                orr_study_product(SHAPES[i].name, SHAPES[i].m, SHAPES[i].k, SHAPES[i].n, SHAPES[i].batch);
            const struct orr_chip *chip = &job->system.chip;
            const double intensity = op.flops / op.bytes, /* Eq. 96 */
                ridge = chip->peak_flops_per_s[ORR_DTYPE_FP16] / chip->hbm_bytes_per_s;
            struct orr_cost cost = {0};
            orr_cost_gemm(job, &op, &cost);
            ORR_WORDS(sheet, SYSTEMS[s], SHAPES[i].phase, op.name);
            ORR_NUMBERS(sheet, op.m, op.k, op.n, op.batch, intensity, ridge);
            ORR_WORDS(sheet, intensity < ridge ? "dram" : "compute", SHAPES[i].published[s]);
            ORR_NUMBERS(sheet, cost.total_s, 1e-12 * op.flops / cost.total_s);
            ORR_WORDS(sheet, orr_bound_name(cost.bound));
            n_same += strcmp(orr_bound_name(cost.bound), SHAPES[i].published[s]) == 0;
        }
    }
    orr_study_find(study, "labels by the ridge are the published; the tiled roofline gives the same for %d of %d",
                   n_same, 2 * N_SHAPES);
    return err;
}
