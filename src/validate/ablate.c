/* What each piece of physics is worth. A job without a piece is the same job with other constants, so no function of
 * the prediction knows about removals. Nothing is refitted: the other constants keep their values. */
#include "validate/ablate.h"

#include "base/error.h"
#include "base/plain.h"
#include "base/text.h"
#include "schedule/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The i-th set of decode constants. */
enum { N_DECODE = 2 * (ORR_N_DECODE_KERNELS + 1) };
static struct orr_decode_constants *decode_set(struct orr_job *job, int i)
{
    struct orr_calibration *c = &job->calibration;
    return i < 2 * ORR_N_DECODE_KERNELS ? &c->decode[i / 2][i % 2] : &c->mla_decode[i % 2];
}

static void no_dram_ramp(struct orr_job *job)
{
    for (int i = 0; i < ORR_N_DTYPES; i++) job->calibration.gemm[i].dram_ramp_bytes = 0;
    for (int i = 0; i < N_DECODE; i++) decode_set(job, i)->ramp_bytes = 0;
}

/* The chip becomes one SM with the speed of all of them, so there are no waves, no tails and no idle SMs. */
static void no_tiles(struct orr_job *job)
{
    for (int i = 0; i < N_DECODE; i++) {
        decode_set(job, i)->sm_bytes_per_s *= (double)job->system.chip.n_sm;
        decode_set(job, i)->block_s = 0;
    }
    job->system.chip.n_sm = 1;
    for (int i = 0; i < ORR_N_DTYPES; i++) {
        struct orr_gemm_constants *u = &job->calibration.gemm[i];
        u->tile_cost = u->wave_s = u->grouped_tile_s = 0;
    }
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++)
        job->calibration.attention[i].tail = job->calibration.attention[i].backward_tail = 0;
}

/* Every operand is read from DRAM once, and the cache delivers it in no time. */
static void no_cache(struct orr_job *job)
{
    job->system.chip.l2_bytes = job->system.chip.l2_bytes_per_s = HUGE_VAL;
}

static void no_launch(struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    for (int i = 0; i < ORR_N_DTYPES; i++) {
        struct orr_gemm_constants *u = &c->gemm[i];
        u->launch_s = u->grouped_launch_s = u->grouped_gen_launch_s = u->grouped_triton_launch_s = 0;
        u->grouped_fixed_launch_s = u->grouped_marlin_launch_s = u->grouped_mx_launch_s = 0;
    }
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++) c->attention[i].launch_s = 0;
    for (int i = 0; i < N_DECODE; i++) decode_set(job, i)->launch_s = decode_set(job, i)->reduce_s = 0;
    c->pointwise_launch_s = 0;
    job->engine.pointwise_floor_s = 0;
    job->engine.kernel_gap_s = job->engine.graph_piece_s = job->engine.short_prefill_gap_s = 0;
}

static void no_attention_length(struct orr_job *job)
{
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++) {
        struct orr_attention_constants *u = &job->calibration.attention[i];
        u->forward_half_seq = u->backward_half_seq = 0;
    }
}

static void no_attention_kernels(struct orr_job *job)
{
    struct orr_attention_constants *all = job->calibration.attention;
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++) all[i] = all[ORR_ATTENTION_FLASH2];
}

/* All memory-bound kernels have the share of DRAM bandwidth of an add, which does nothing but move bytes. */
static void no_pointwise_classes(struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    const double frac = c->pointwise_frac[ORR_POINTWISE_ADD];
    for (int i = 0; i < ORR_N_POINTWISES; i++) c->pointwise_frac[i] = frac;
    c->softmax_unfused_frac = c->softmax_unfused_backward_frac = frac;
}

static void no_write_rate(struct orr_job *job)
{
    const enum orr_dtype dtype = job->kind == ORR_JOB_TRAIN ? job->workload.precision : job->serving.matrix;
    job->calibration.write_frac = job->calibration.gemm[dtype].dram_frac;
}

static void no_power(struct orr_job *job)
{
    for (int i = 0; i < ORR_N_DTYPES; i++)
        job->calibration.gemm[i].sustained_frac = job->calibration.gemm[i].burst_frac;
}

static void no_latency(struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    struct orr_system *system = &job->system;
    for (int64_t i = 0; i < c->n_lines; i++) c->lines[i].base_s = c->lines[i].hop_s = 0;
    for (int64_t i = 0; i < system->fabric.n_lines; i++)
        system->fabric.lines[i].base_s = system->fabric.lines[i].hop_s = 0;
    for (int64_t i = 0; i < system->n_tiers; i++) system->tiers[i].latency_s = 0;
    job->system.scaleup_latency_s = job->system.scaleout_latency_s = 0;
    job->engine.allreduce_skew_s = 0;
}

/* Keeps the bandwidth protocol of one algorithm per collective, a ring where there is one. */
static void one_fabric_line(struct orr_fabric *fabric)
{
    int64_t n = 0;
    for (int64_t i = 0; i < fabric->n_lines; i++) {
        const struct orr_fabric_line line = fabric->lines[i];
        int64_t j = 0;
        while (j < n && fabric->lines[j].collective != line.collective) j++;
        const struct orr_fabric_line *kept = &fabric->lines[j];
        const int plain = 2 * !line.low_latency + (line.algorithm == ORR_ALGORITHM_RING);
        if (j == n) fabric->lines[n++] = line;
        else if (plain > 2 * !kept->low_latency + (kept->algorithm == ORR_ALGORITHM_RING)) fabric->lines[j] = line;
    }
    fabric->n_lines = n;
}

/* How close a line is to the plain one: a ring of the library with its bandwidth protocol. */
static int plainness(const struct orr_collective_line *line)
{
    return 4 * !line->custom + 2 * !line->low_latency + (line->algorithm == ORR_ALGORITHM_RING);
}

static void no_algorithms(struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    int64_t n = 0;
    for (int64_t i = 0; i < c->n_lines; i++) {
        int64_t j = 0;
        while (j < n && c->lines[j].collective != c->lines[i].collective) j++;
        if (j == n) c->lines[n++] = c->lines[i];
        else if (plainness(&c->lines[i]) > plainness(&c->lines[j])) c->lines[j] = c->lines[i];
    }
    memset(&c->lines[n], 0, (size_t)(c->n_lines - n) * sizeof *c->lines);
    c->n_lines = n;
    one_fabric_line(&job->system.fabric);
}

/* A transfer beside compute delays it by its whole length (Eq. 65). This includes ring attention, which no plan can
 * expose otherwise. */
static void no_overlap(struct orr_job *job)
{
    job->calibration.overlap_contention_frac = 1;
    job->engine.p2p_overlap = false;
}

static void no_host(struct orr_job *job)
{
    orr_host_remove(&job->engine);
}

static void no_straggling(struct orr_job *job)
{
    job->calibration.straggle_frac_per_doubling = 0;
}

static void no_imbalance(struct orr_job *job)
{
    job->workload.moe_imbalance = job->serving.moe_imbalance = 1;
}

/* Every kernel has the same utilisation, whatever its size. */
static void no_size(struct orr_job *job)
{
    no_dram_ramp(job);
    no_tiles(job);
    no_launch(job);
    no_attention_length(job);
}

/* Only a roofline and transfers by volume are left. */
static void no_extras(struct orr_job *job)
{
    no_size(job);
    no_cache(job);
    no_power(job);
    no_latency(job);
    no_host(job);
    no_straggling(job);
    no_imbalance(job);
}

/* The order of removals does not matter: two pieces that change the same constant set it to the same value. */
static const struct {
    const char *name, *without;
    void (*remove)(struct orr_job *);
} PIECES[] = {
    {"dram-ramp", "DRAM at its full share whatever the traffic", no_dram_ramp},
    {"tiles", "no waves, tails, idle SMs, cost of small tiles", no_tiles},
    {"cache", "flat roofline: no last-level cache, no re-reads", no_cache},
    {"launch", "no fixed time of kernels, no gaps between them", no_launch},
    {"attention-length", "fused attention at its long-sequence rate", no_attention_length},
    {"attention-kernels", "FlashAttention 2 in place of every fused kernel", no_attention_kernels},
    {"pointwise-classes", "all memory-bound kernels at the rate of an add", no_pointwise_classes},
    {"write-rate", "products written at the rate they are read at", no_write_rate},
    {"power", "the clock of short runs: no power limit", no_power},
    {"latency", "transfers by volume alone: no hops, no skew", no_latency},
    {"algorithms", "one ring per collective, one protocol", no_algorithms},
    {"overlap", "no transfer is hidden", no_overlap},
    {"host", "no host, request and sampling time", no_host},
    {"straggling", "many GPUs as fast as the mean one", no_straggling},
    {"imbalance", "experts get equal numbers of tokens", no_imbalance},
    {"size", "constant utilisation: dram-ramp, tiles, launch, attention-length", no_size},
    {"extras", "bare roofline: size, cache, power, latency, host, straggling, imbalance", no_extras},
};
#define N_PIECES (sizeof PIECES / sizeof *PIECES)
_Static_assert(N_PIECES <= ORR_MAX_PIECES, "a piece is a bit of a mask");

size_t orr_n_pieces(void)
{
    return N_PIECES;
}

const char *orr_piece_name(size_t i, const char **meaning)
{
    if (i >= N_PIECES) return NULL;
    if (meaning) *meaning = PIECES[i].without;
    return PIECES[i].name;
}

void orr_ablate(uint32_t pieces, struct orr_job *job)
{
    for (size_t i = 0; i < N_PIECES; i++)
        if (pieces >> i & 1) PIECES[i].remove(job);
}

enum orr_err orr_pieces_parse(const char *names, uint32_t *pieces, struct orr_error *error)
{
    const char *known[N_PIECES];
    *pieces = 0;
    for (size_t i = 0; i < N_PIECES; i++) known[i] = PIECES[i].name;
    for (const char *at = names;; at++) {
        const size_t length = strcspn(at, ",");
        char word[64] = "";
        memcpy(word, at, length < sizeof word ? length : sizeof word - 1);
        size_t i = 0;
        while (i < N_PIECES && strcmp(known[i], word) != 0) i++;
        if (i == N_PIECES) return orr_fail_unknown(error, "piece", "pieces", word, known, N_PIECES);
        *pieces |= UINT32_C(1) << i;
        at += length;
        if (*at == '\0') return ORR_OK;
    }
}

enum orr_err orr_ablation_add(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                              struct orr_ablation **ablation, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_ablation *a = *ablation ? *ablation : calloc(1, sizeof *a);
    *ablation = a;
    for (size_t i = 0; a && a->n == i && i <= N_PIECES; i++) {
        a->validations[i] = calloc(1, sizeof **a->validations);
        if (!a->validations[i]) break;
        a->validations[i]->without = i > 0 ? UINT32_C(1) << (i - 1) : 0;
        a->n = i + 1;
    }
    if (!a || a->n <= N_PIECES) return orr_out_of_memory(error, origin);
    return orr_validate_each(catalogue, csv, origin, a->validations, a->n, error);
}

void orr_ablation_free(struct orr_ablation *ablation)
{
    if (!ablation) return;
    for (size_t i = 0; i < ablation->n; i++) orr_validation_free(ablation->validations[i]);
    free(ablation);
}
