/* Decode over a growing context: curves of the attention kernel against Eqs. 11, 47, 48 by hand, their sums against
 * loops over every context, and whole answers against one-token jobs at every context. */
#include "serving.h"

#include "cost/cost.h"

#define N_CURVES 600

/* ---------------------------------------------------------------- one kernel by hand */

/* Chip and constants whose times come out by hand: 1 TB/s at 0.5, 100 TFLOP/s at 0.5, 100 SMs of 10 GB/s each, 4 us a
 * launch, 2 us a block, 3 us a reduction, 2e12 elements/s in kernels that take one query head at a time. */
static struct orr_job *plain_job(bool split_kv)
{
    static struct orr_job job;
    const struct orr_decode_constants constants = {.launch_s = 4e-6,
                                                   .dram_frac = 0.5,
                                                   .compute_frac = 0.5,
                                                   .sm_bytes_per_s = 10e9,
                                                   .block_s = 2e-6,
                                                   .reduce_s = 3e-6,
                                                   .head_elements_per_s = 2e12};
    memset(&job, 0, sizeof job);
    job.kind = ORR_JOB_INFER;
    job.system.chip.n_sm = 100;
    job.system.chip.hbm_bytes_per_s = 1e12;
    job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 100e12;
    job.system.chip.peak_flops_per_s[ORR_DTYPE_FP8] = 200e12;
    job.engine.split_kv = split_kv;
    for (int i = 0; i < 2; i++) {
        job.calibration.mla_decode[i] = constants;
        for (int k = 0; k < ORR_N_DECODE_KERNELS; k++) job.calibration.decode[k][i] = constants;
    }
    return &job;
}

static struct orr_op decode_op(double sequences, double heads, double kv_heads, double head, double kv_bytes)
{
    return (struct orr_op){.kind = ORR_OP_DECODE,
                           .batch = sequences,
                           .m = heads,
                           .k = head,
                           .kv_heads = kv_heads,
                           .input_bytes = kv_bytes,
                           .dtype = ORR_DTYPE_BF16,
                           .packed = true};
}

/* Eq. 47: 100 sequences of 8 K,V heads fill the SMs: no split. Per token of context 2 * 100 * 8 * 128 * 2 B = 409.6 kB
 * over 0.5 TB/s = 819.2 ns; FLOP 4 * 100 * 8 groups padded to 16 rows * 128 = 6.5536e6 over 50 TFLOP/s = 131.072 ns. */
static void many_sequences_read_at_dram_rate(void **state)
{
    (void)state;
    struct orr_job *job = plain_job(true);
    const struct orr_op op = decode_op(100, 32, 8, 128, 2);
    const struct orr_decode_curve curve = orr_decode_curve_of(job, &op, 0);
    /* 8 waves of 2 us and of 512 B a key and block at 10 GB/s: 8 * 51.2 ns a token: DRAM is slower */
    assert_close(orr_decode_curve_s(&curve, 10000), 4e-6 + 10000 * 819.2e-9, 1e-12);
    /* 8 bits: half the bytes */
    const struct orr_op narrow = decode_op(100, 32, 8, 128, 1);
    const struct orr_decode_curve half = orr_decode_curve_of(job, &narrow, 0);
    assert_close(orr_decode_curve_s(&half, 10000), 4e-6 + 10000 * 409.6e-9, 1e-12);
    /* a block table of 4 B per 32 tokens: 0.125 B a key beside 4096 B */
    struct orr_op paged = op;
    paged.table_bytes = 4.0 / 32;
    const struct orr_decode_curve table = orr_decode_curve_of(job, &paged, 0);
    assert_close(orr_decode_curve_s(&table, 10000), 4e-6 + 10000 * 819.2e-9 * (1 + 0.125 / 4096), 1e-12);
    /* a window stops the growth */
    const struct orr_decode_curve windowed = orr_decode_curve_of(job, &op, 4096);
    assert_close(orr_decode_curve_s(&windowed, 10000), 4e-6 + 4096 * 819.2e-9, 1e-12);
    assert_close(orr_decode_curve_s(&windowed, 4000), 4e-6 + 4000 * 819.2e-9, 1e-12);
    /* heads one at a time: 2 * 100 * 128 * 128 elements a token over 2e12/s = 1.6384 us */
    struct orr_op again = decode_op(100, 128, 8, 128, 2);
    again.packed = false;
    const struct orr_decode_curve reread = orr_decode_curve_of(job, &again, 0);
    assert_close(orr_decode_curve_s(&reread, 10000), 4e-6 + 10000 * 1638.4e-9, 1e-12);
    /* the first 1000 keys, 409.6 MB, at half the rate */
    job->calibration.decode[ORR_DECODE_PAGED][0].ramp_bytes = 409.6e6;
    const struct orr_decode_curve ramp = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&ramp, 500), 4e-6 + 500 * 2 * 819.2e-9, 1e-12);
    assert_close(orr_decode_curve_s(&ramp, 10000), 4e-6 + 11000 * 819.2e-9, 1e-12);
}

/* Eq. 356: for one more key 8 K,V heads multiply tiles of 128 rows by 128 elements twice, 4 x 8 x 128 x 128 = 0.524
 * MFLOP, at 0.95 of 148 TFLOP/s 3.729 ns; tiles of 64 rows take half as long. 4 kB of DRAM take 1.2 ns. A group of 65
 * heads fills two tiles of 64. */
static void tiles_of_query_rows_are_multiplied_whole(void **state)
{
    (void)state;
    struct orr_job *job = plain_job(true);
    job->system.chip.n_sm = 78;
    job->system.chip.hbm_bytes_per_s = 4e12;
    job->system.chip.peak_flops_per_s[ORR_DTYPE_BF16] = 148e12;
    struct orr_decode_constants *u = &job->calibration.decode[job->engine.decode_kernel][0];
    u->dram_frac = 0.88, u->padded_frac = 0.95, u->sm_bytes_per_s = 1e15, u->head_elements_per_s = 1e18;
    static const struct {
        int64_t rows;
        double heads, key_s;
    } CASES[] = {{128, 32, 3.729e-9}, {64, 32, 1.8645e-9}, {0, 32, 1.8645e-9}, {64, 8 * 65, 3.729e-9}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct orr_op op = decode_op(1, CASES[i].heads, 8, 128, 2);
        job->engine.decode_tile_rows = CASES[i].rows;
        const struct orr_decode_curve curve = orr_decode_curve_of(job, &op, 0);
        const double more_s = orr_decode_curve_s(&curve, 200000) - orr_decode_curve_s(&curve, 100000);
        assert_close(more_s / 100000, CASES[i].key_s, 1e-3);
    }
}

/* Eq. 323, as above: a cache that grows by concatenation is read and written, 2 * 409.6 kB a key over 0.5 TB/s. Groups
 * of four heads that are repeated add 2 * 4 of these. Without groups nothing is repeated. */
static void copies_of_the_cache_add_their_bytes(void **state)
{
    (void)state;
    struct orr_job *job = plain_job(true);
    const struct orr_op op = decode_op(100, 32, 8, 128, 2);
    job->calibration.pointwise_frac[ORR_POINTWISE_COPY] = 0.5;
    job->engine.cache_grown = true;
    const struct orr_decode_curve grown = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&grown, 10000), 4e-6 + 10000 * (819.2e-9 + 1638.4e-9), 1e-12);
    job->engine.cache_repeated = true;
    const struct orr_decode_curve repeated = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&repeated, 10000), 4e-6 + 10000 * (819.2e-9 + 1638.4e-9 + 6553.6e-9), 1e-12);
    const struct orr_op own = decode_op(100, 8, 8, 128, 2); /* 8 heads of their own: 819.2 ns of DRAM as before */
    const struct orr_decode_curve alone = orr_decode_curve_of(job, &own, 0);
    assert_close(orr_decode_curve_s(&alone, 10000), 4e-6 + 10000 * (819.2e-9 + 1638.4e-9), 1e-12);
}

/* Eq. 331, as above: graphs of 128, 256, ... keys, the last of 1000 + 500. Contexts of 1100 to 1500 read 1500 keys, as
 * do those of 1025 to 1099; a context beyond reads itself. */
static void contexts_fill_their_bucket(void **state)
{
    (void)state;
    struct orr_job *job = plain_job(true);
    const struct orr_op op = decode_op(100, 32, 8, 128, 2);
    static const double FILLED[][2] = {{1, 128}, {128, 128}, {129, 256}, {1024, 1024}, {1025, 1500}, {1600, 1600}};
    job->serving.input_len = 1000;
    job->serving.output_len = 500;
    const struct orr_decode_curve plain = orr_decode_curve_of(job, &op, 0);
    job->engine.context_bucket_tokens = 128;
    const struct orr_decode_curve filled = orr_decode_curve_of(job, &op, 0);
    for (size_t i = 0; i < sizeof FILLED / sizeof *FILLED; i++)
        assert_close(orr_decode_curve_s(&filled, FILLED[i][0]), orr_decode_curve_s(&plain, FILLED[i][1]), 1e-12);
    /* 25 contexts of 1000 to 1024, and 476 up to 1500 */
    assert_close(orr_decode_curve_sum_s(&filled, 1000, 1500), 501 * 4e-6 + (25 * 1024 + 476 * 1500) * 819.2e-9, 1e-12);
}

/* Eq. 321: 64 contexts with a spread of a half: the longest is e^sqrt(2 ln 64 ln 1.25) / sqrt(1.25) = 3.4931 of the
 * mean, 2.2431 beyond 1.25 of it, and walks 512 B a key at 10 GB/s. Split contexts, equal ones and chips of other
 * families have no such end. */
static void the_longest_context_ends_alone(void **state)
{
    (void)state;
    struct orr_job *job = plain_job(true);
    const struct orr_op op = decode_op(64, 32, 8, 128, 2);
    const double equal_s = 4e-6 + 10000 * 64 * 8.192e-9, walk_s = 2.243135100792667 * 10000 * 51.2e-9;
    (void)snprintf(job->engine.whole_contexts, sizeof job->engine.whole_contexts, "ampere blackwell-rtx");
    static const struct {
        const char *family;
        double cv, walks;
    } CASES[] = {{"blackwell-rtx", 0.5, 1}, {"ampere", 0.5, 1}, {"blackwell", 0.5, 0}, {"", 0.5, 0}, {"ampere", 0, 0}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        (void)snprintf(job->system.chip.family, sizeof job->system.chip.family, "%s", CASES[i].family);
        job->serving.context_cv = CASES[i].cv;
        const struct orr_decode_curve curve = orr_decode_curve_of(job, &op, 0);
        assert_close(orr_decode_curve_s(&curve, 10000), equal_s + CASES[i].walks * walk_s, 1e-12);
    }
    const struct orr_op few = decode_op(1, 10, 10, 128, 2);
    job->serving.context_cv = 0;
    struct orr_decode_curve curve = orr_decode_curve_of(job, &few, 0);
    const double split_s = orr_decode_curve_s(&curve, 10000);
    job->serving.context_cv = 0.5;
    curve = orr_decode_curve_of(job, &few, 0);
    assert_close(orr_decode_curve_s(&curve, 10000), split_s, 0);
    const struct orr_op some = decode_op(4, 32, 8, 128, 2); /* of which three splits fill the chip */
    curve = orr_decode_curve_of(job, &some, 0);
    for (double x = 1; x < 6000; x++) /* splitting ends the walk without a step downwards */
        if (orr_decode_curve_s(&curve, x + 1) < 0.999 * orr_decode_curve_s(&curve, x))
            fail_msg("one more key than %g is faster", x);
}

/* One query head per K,V head, 10 of them, unsplit: 2 * 128 elements a key on one SM of 100, 2e12/s / 100 = 12.8 ns;
 * at 8 bits and 40 GB/s the bytes take 6.4 ns. A group of two is packed: bytes alone. Groups apart: again one head at
 * a time. */
static void one_head_at_a_time_has_an_sm_each(void **state)
{
    (void)state;
    struct orr_job *job = plain_job(false);
    job->system.chip.hbm_bytes_per_s = 4e12;
    for (int i = 0; i < 2; i++) job->calibration.decode[ORR_DECODE_PAGED][i].sm_bytes_per_s = 40e9;
    struct orr_op op = decode_op(1, 10, 10, 128, 1);
    struct orr_decode_curve curve = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&curve, 1000), 4e-6 + 2e-6 + 12.8e-6, 1e-12);
    op.m = 20;
    curve = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&curve, 1000), 4e-6 + 2e-6 + 6.4e-6, 1e-12);
    op.packed = false;
    curve = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&curve, 1000), 4e-6 + 2e-6 + 12.8e-6, 1e-12);
}

/* Eq. 48, one sequence of 10 heads on 100 SMs: 10 splits. Unsplit 1000 keys walk 512 B * 1000 / 10 GB/s = 51.2 us on
 * their SM; split, a tenth of that and a reduction with 10 partial results of 8 B * 10 * 128. Memory of 4 TB/s is not
 * the limit. */
static void splits_share_a_long_context(void **state)
{
    (void)state;
    const struct orr_op op = decode_op(1, 10, 10, 128, 2);
    struct orr_job *job = plain_job(false);
    job->system.chip.hbm_bytes_per_s = 4e12;
    const struct orr_decode_curve unsplit = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&unsplit, 1000), 4e-6 + 2e-6 + 51.2e-6, 1e-12);
    job->engine.split_kv = true;
    const struct orr_decode_curve split = orr_decode_curve_of(job, &op, 0);
    const double partial_s = 8.0 * 10 * 128 / 4e12;
    assert_close(orr_decode_curve_s(&split, 1000), 4e-6 + 2e-6 + 5.12e-6 + 3e-6 + 10 * partial_s, 1e-12);
    /* a block takes 64 keys at least */
    assert_close(orr_decode_curve_s(&split, 64), 4e-6 + 2e-6 + 64 * 51.2e-9, 1e-12);
    assert_close(orr_decode_curve_s(&unsplit, 64), 4e-6 + 2e-6 + 64 * 51.2e-9, 1e-12);
    /* 100 keys: 36 keys less are 1.8 us, a reduction is 3 us: not cut */
    assert_close(orr_decode_curve_s(&split, 100), orr_decode_curve_s(&unsplit, 100), 1e-12);
    /* 320 keys: five blocks, five partial results */
    assert_close(orr_decode_curve_s(&split, 320), 4e-6 + 2e-6 + 64 * 51.2e-9 + 3e-6 + 5 * partial_s, 1e-12);
}

/* Eq. 11: 128 heads on a latent of 512 + 64: 278528 FLOP a token and sequence over 50 TFLOP/s = 5.57 ns, more than
 * 1152 B over 0.5 TB/s = 2.30 ns; 10 sequences are 20 blocks of 64 heads, one wave. */
static void latent_heads_are_compute_bound(void **state)
{
    (void)state;
    const struct orr_job *job = plain_job(true);
    struct orr_op op = decode_op(10, 128, 1, 576, 2);
    op.latent_rank = 512;
    const struct orr_decode_curve curve = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&curve, 5000), 4e-6 + 2e-6 + 5e4 * 278528 / 50e12, 1e-12);
    op.m = 16; /* tp 8: a 8th of the FLOP, the same latent */
    const struct orr_decode_curve eighth = orr_decode_curve_of(job, &op, 0);
    assert_close(orr_decode_curve_s(&eighth, 5000), 4e-6 + 2e-6 + 5e4 * 1152 / 0.5e12, 1e-12);
}

/* Chunks of 4096: position 4097 sees itself alone, 8192 a whole chunk. */
static void a_chunk_begins_anew(void **state)
{
    (void)state;
    const struct orr_op op = decode_op(64, 8, 8, 128, 2);
    const struct orr_decode_curve full = orr_decode_curve_of(plain_job(true), &op, 0);
    struct orr_decode_curve curve = orr_decode_curve_of(plain_job(true), &op, 4096);
    curve.chunked = true;
    assert_close(orr_decode_curve_s(&curve, 4096), orr_decode_curve_s(&full, 4096), 0);
    assert_close(orr_decode_curve_s(&curve, 4097), orr_decode_curve_s(&full, 1), 0);
    assert_close(orr_decode_curve_s(&curve, 8192), orr_decode_curve_s(&full, 4096), 0);
    assert_close(orr_decode_curve_s(&curve, 9193), orr_decode_curve_s(&full, 1001), 0);
}

/* ---------------------------------------------------------------- sums against loops */

static double loop_sum(const struct orr_decode_curve *curve, int64_t first, int64_t last)
{
    long double sum = 0;
    for (int64_t x = first; x <= last; x++) sum += (long double)orr_decode_curve_s(curve, (double)x);
    return (double)sum;
}

/* A random kernel: grouped and plain heads, latent, windows, both cache widths, split and not, from the real chips. */
static struct orr_decode_curve draw_curve(struct random *random, const struct orr_job *jobs, size_t n_jobs,
                                          char text[256])
{
    static struct orr_job job;
    job = jobs[draw(random, n_jobs)];
    job.engine.split_kv = draw(random, 2);
    job.engine.decode_kernel = (enum orr_decode_kernel)draw(random, ORR_N_DECODE_KERNELS);
    const int kv = draw_power(random, 5), heads = kv * draw_power(random, 5), batch = 1 + (int)draw(random, 300);
    struct orr_op op = decode_op(batch, heads, kv, 64 * (1 + (double)draw(random, 4)), 1 + (double)draw(random, 2));
    op.packed = draw(random, 2);
    op.dtype = ORR_DTYPE_BF16;
    if (draw(random, 4) == 0) {
        op.k = 576;
        op.latent_rank = 512;
    }
    const int window = draw(random, 2) ? 1 + (int)draw(random, 6000) : 0;
    snprintf(text, 256, "%s: batch %d, heads %d, kv %d, window %d, split %d, latent %d, packed %d", job.system.id,
             batch, heads, kv, window, job.engine.split_kv, op.latent_rank > 0, op.packed);
    return orr_decode_curve_of(&job, &op, window);
}

static void sums_equal_loops(void **state)
{
    struct world *w = *state;
    static struct orr_job jobs[4];
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm", "h200-sxm", "b200-sxm"};
    for (size_t i = 0; i < COUNT(systems); i++) {
        read_job(w,
                 "{'kind':'infer','model':'llama3-8b','system':'%s','workload':{'engine':'vllm','input_len':100,'"
                 "output_len':1}}",
                 systems[i]);
        jobs[i] = w->job;
    }
    struct random random = {20250};
    for (int i = 0; i < N_CURVES; i++) {
        char text[256];
        struct orr_decode_curve curve = draw_curve(&random, jobs, COUNT(jobs), text);
        curve.chunked = curve.window < HUGE_VAL && i % 2;
        const int64_t first = 1 + (int64_t)draw(&random, i % 3 ? 300 : 9000);
        const int64_t last = first + (int64_t)draw(&random, i % 5 ? 9000 : 3); /* also ranges of one context */
        const double sum_s = orr_decode_curve_sum_s(&curve, first, last), loop_s = loop_sum(&curve, first, last);
        if (fabs(sum_s - loop_s) > 1e-12 * loop_s)
            fail_msg("%s, contexts %d to %d: sum %.17g, loop %.17g", text, (int)first, (int)last, sum_s, loop_s);
    }
}

static void curves_never_fall_with_the_context(void **state)
{
    struct world *w = *state;
    static struct orr_job jobs[2];
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'a100-80g-sxm','workload':{'engine':'vllm','input_len':9,"
                "'output_len':1}}");
    jobs[0] = w->job;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'vllm','input_len':9,'"
                "output_len':1}}");
    jobs[1] = w->job;
    struct random random = {7};
    for (int i = 0; i < 100; i++) {
        char text[256];
        const struct orr_decode_curve curve = draw_curve(&random, jobs, COUNT(jobs), text);
        double last_s = 0;
        for (double x = 1; x <= 20000; x++) {
            const double at_s = orr_decode_curve_s(&curve, x);
            if (at_s < last_s * (1 - 1e-12))
                fail_msg("%s: context %g takes %.9g s, one less %.9g s", text, x, at_s, last_s);
            last_s = at_s;
        }
    }
}

/* ---------------------------------------------------------------- whole answers against single steps */

/* The G - 1 further tokens stand at contexts S + 1 ... S + G - 1; a job of S' = x - 1 and two tokens decodes at x. */
static double steps_one_by_one_s(const struct world *w, const struct orr_job *job)
{
    static struct orr_job single;
    long double sum = 0;
    single = *job;
    single.serving.output_len = 2;
    for (int64_t i = 0; i < job->serving.output_len - 1; i++) {
        single.serving.input_len = job->serving.input_len + i;
        sum += (long double)infer(w, &single).decode_s;
    }
    return (double)sum;
}

static const struct {
    const char *model, *system, *engine;
    int tp, pp, batch, input, output;
} ANSWERS[] = {
    {"llama2-70b", "h100-sxm", "tensorrt-llm-nemo", 8, 1, 1, 200, 200},
    {"llama2-13b", "a100-80g-sxm", "tensorrt-llm-nemo", 1, 1, 1, 200, 200},
    {"llama2-13b", "h200-sxm", "vllm", 2, 1, 3, 17, 333},
    {"llama3-8b", "h200-sxm", "pytorch-eager-stream", 1, 1, 1, 200, 200},  /* host-bound all the way */
    {"llama3-8b", "h200-sxm", "pytorch-eager-stream", 1, 1, 64, 20, 2501}, /* host-bound, then not */
    {"llama3-8b", "h200-sxm", "pytorch-eager-stream", 1, 1, 48, 4001, 301},
    {"gemma3-12b", "h100-sxm", "tensorrt-llm-1.2", 2, 1, 8, 900, 257}, /* windows fill on the way */
    {"mistral-7b", "a100-80g-sxm", "vllm", 1, 1, 4, 4000, 199},
    {"gpt-oss-120b", "h100-sxm", "vllm", 2, 1, 5, 99, 101},
    {"mixtral-8x7b", "h100-sxm", "vllm", 4, 1, 16, 500, 127},
    {"deepseek-v3", "h200-sxm", "sglang", 8, 1, 32, 777, 99}, /* latent, compute- and memory-bound */
    {"llama2-70b", "h100-sxm", "vllm", 2, 4, 16, 333, 77},    /* cut into micro-batches */
    {"llama2-70b", "h100-sxm", "vllm", 2, 4, 1, 333, 77},
    {"llama2-7b", "a100-80g-sxm", "fastertransformer", 1, 1, 1, 1, 2},
};

/* The power rule acts on the mean of all steps in a whole answer and on each step in single ones: held at the burst
 * clock both are the same sum. */
static void answers_are_the_sum_of_their_steps(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(ANSWERS); i++) {
        read_job(
            w,
            "{'kind':'infer','model':'%s','system':'%s','plan':{'tp':%d,'pp':%d},'workload':{'engine':'%s','batch':%d,"
            "'input_len':%d,'output_len':%d},'set':{'engine.short_run':true}}",
            ANSWERS[i].model, ANSWERS[i].system, ANSWERS[i].tp, ANSWERS[i].pp, ANSWERS[i].engine, ANSWERS[i].batch,
            ANSWERS[i].input, ANSWERS[i].output);
        const double whole_s = infer(w, &w->job).decode_s, steps_s = steps_one_by_one_s(w, &w->job);
        if (fabs(whole_s - steps_s) > 1e-12 * steps_s)
            fail_msg("%s on %s, %s, batch %d, %d/%d: decode %.17g s, single steps %.17g s", ANSWERS[i].model,
                     ANSWERS[i].system, ANSWERS[i].engine, ANSWERS[i].batch, ANSWERS[i].input, ANSWERS[i].output,
                     whole_s, steps_s);
        w->job.engine.short_run = false; /* at the settled clock the loads differ a little */
        assert_close(infer(w, &w->job).decode_s, steps_one_by_one_s(w, &w->job), 2e-4);
    }
}

/* The stream engine above is host-bound: its step at a short context takes the host's time, at a long one the GPU's. */
static void a_slow_host_sets_the_step(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'pytorch-eager-stream','"
                "batch':64,"
                "'input_len':20,'output_len':2}}");
    const struct orr_infer_result slow = infer(w, &w->job);
    w->job.engine.host_launch_s = 0;
    const double gpu_s = infer(w, &w->job).decode_s;
    assert_true(slow.decode_s > 1.2 * gpu_s);
    assert_true(slow.time_s[ORR_INFER_OVERHEAD] > 0);
    w->job.engine.host_launch_s = 10.4e-6;
    w->job.serving.input_len = 60000;
    const double long_s = infer(w, &w->job).decode_s;
    w->job.engine.host_launch_s = 0;
    assert_close(infer(w, &w->job).decode_s, long_s, 1e-12);
}

/* 128k in, 8k out is as much work to predict as 200/200: the same operators, no loop over tokens. */
static void long_answers_cost_no_more_operators(void **state)
{
    struct world *w = *state;
    const struct orr_op *ops;
    const struct orr_cost *costs;
    size_t n[2];
    const int lengths[][2] = {{200, 200}, {131072, 8192}};
    for (int i = 0; i < 2; i++) {
        read_job(w,
                 "{'kind':'infer','model':'gemma3-12b','system':'h100-sxm','workload':{'engine':'vllm','input_len':%d,"
                 "'output_len':%d}}",
                 lengths[i][0], lengths[i][1]);
        (void)infer(w, &w->job);
        n[i] = scratch_ops(w->scratch, &ops, &costs);
    }
    assert_true(n[0] > 10);
    assert_int_equal(n[0], n[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sequences_read_at_dram_rate),
        cmocka_unit_test(copies_of_the_cache_add_their_bytes),
        cmocka_unit_test(tiles_of_query_rows_are_multiplied_whole),
        cmocka_unit_test(contexts_fill_their_bucket),
        cmocka_unit_test(the_longest_context_ends_alone),
        cmocka_unit_test(one_head_at_a_time_has_an_sm_each),
        cmocka_unit_test(splits_share_a_long_context),
        cmocka_unit_test(latent_heads_are_compute_bound),
        cmocka_unit_test(a_chunk_begins_anew),
        cmocka_unit_test(sums_equal_loops),
        cmocka_unit_test(curves_never_fall_with_the_context),
        cmocka_unit_test(answers_are_the_sum_of_their_steps),
        cmocka_unit_test(a_slow_host_sets_the_step),
        cmocka_unit_test(long_answers_cost_no_more_operators),
    };
    return cmocka_run_group_tests_name("decode", tests, open_world, close_world);
}
