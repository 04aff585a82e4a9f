/* Calibration: constants known beforehand are found again from the times they give, what the rows cannot tell is
 * refused, bounds hold, errors have a line, and the same tables give the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "fit.h"

#include <jansson.h>

#include "base/text.h"

/* ---------------------------------------------------------------- tables with known constants */

#define CHIP "h100-sxm-80gb"

/* Shapes with a time of one second each: `line` writes row i, false behind the last one. */
static char *shapes(const char *header, bool (*line)(struct orr_text *text, size_t i))
{
    struct orr_text text = {0};
    orr_text_add(&text, "%s,time_s\n", header);
    for (size_t i = 0; line(&text, i); i++) orr_text_add(&text, ",1\n");
    char *csv = orr_text_take(&text);
    assert_non_null(csv);
    return csv;
}

/* The same shapes with the times the constants of `set` give, off by up to `noise` in a fixed pattern. */
static char *measure(const struct world *world, const char *kind, const char *csv, double noise,
                     void (*set)(struct orr_calibration *calibration))
{
    struct orr_fit *fit = open_fit(world, CHIP);
    struct orr_text text = {0};
    add(fit, kind, csv);
    assert_true(orr_fit_prepare(fit));
    set(&fit->job.calibration);
    const char *at = csv + strcspn(csv, "\n") + 1;
    orr_text_add(&text, "%.*s", (int)(at - csv), csv);
    for (size_t i = 0; i < fit->n_rows; i++) {
        const size_t length = strcspn(at, "\n");
        const double off = 1 + noise * ((double)(i * 7919 % 201) / 100 - 1);
        orr_fit_enter(fit, &fit->groups[fit->rows[i].group]);
        orr_text_add(&text, "%.*s%.9g\n", (int)(length - 1), at, off * orr_fit_price(fit, &fit->rows[i], false));
        at += length + 1;
    }
    orr_fit_close(fit);
    char *measured = orr_text_take(&text);
    assert_non_null(measured);
    return measured;
}

static struct orr_fit *recover(const struct world *world, const char *kind, const char *header,
                               bool (*line)(struct orr_text *text, size_t i), double noise,
                               void (*set)(struct orr_calibration *calibration))
{
    char *plain = shapes(header, line), *csv = measure(world, kind, plain, noise, set);
    struct orr_fit *fit = open_fit(world, CHIP);
    add(fit, kind, csv);
    run(fit);
    free(plain);
    free(csv);
    return fit;
}

/* ---------------------------------------------------------------- recovery */

static bool gemm_line(struct orr_text *text, size_t i)
{
    static const int m[] = {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 160, 256, 512, 1024, 2048, 4096, 6144, 8192};
    static const int nk[][2] = {{512, 512},    {512, 2048},   {1024, 1024},  {1024, 4096}, {2048, 2048},  {4096, 1024},
                                {4096, 4096},  {6144, 2048},  {5120, 5120},  {8192, 1024}, {12288, 4096}, {14336, 4096},
                                {4096, 14336}, {28672, 8192}, {8192, 28672}, {8192, 8192}};
    if (i >= COUNT(m) * COUNT(nk)) return false;
    orr_text_add(text, "%d,%d,%d,bf16,burst", m[i % COUNT(m)], nk[i / COUNT(m)][0], nk[i / COUNT(m)][1]);
    return true;
}

static void set_gemm(struct orr_calibration *calibration)
{
    struct orr_gemm_constants *u = &calibration->gemm[ORR_DTYPE_BF16];
    u->burst_frac = 0.72;
    u->dram_frac = 0.76;
    u->dram_ramp_bytes = 9e6;
    u->tile_cost = 40;
    u->wave_s = 1.4e-6;
    u->launch_s = 3.1e-6;
}

static void assert_gemm(const struct orr_calibration *calibration, double tolerance)
{
    const struct orr_gemm_constants *u = &calibration->gemm[ORR_DTYPE_BF16];
    assert_close(u->burst_frac, 0.72, tolerance);
    assert_close(u->dram_frac, 0.76, tolerance);
    assert_close(u->dram_ramp_bytes, 9e6, 2 * tolerance); /* these two nearly stand for each other */
    assert_close(u->launch_s, 3.1e-6, 2 * tolerance);
}

static void products_are_recovered(void **state)
{
    struct orr_fit *fit = recover(*state, "gemm", "m,n,k,dtype,mode", gemm_line, 0, set_gemm);
    const struct orr_calibration *now = fit_constants(fit);
    assert_gemm(now, 0.02);
    assert_close(now->gemm[ORR_DTYPE_BF16].tile_cost, 40, 0.02);
    assert_close(now->gemm[ORR_DTYPE_BF16].wave_s, 1.4e-6, 0.02);
    /* the other 16-bit format was a copy and stays one; without rows in a loop the sustained share stays */
    assert_true(now->gemm[ORR_DTYPE_FP16].dram_frac == now->gemm[ORR_DTYPE_BF16].dram_frac);
    assert_true(now->gemm[ORR_DTYPE_BF16].sustained_frac == fit->before.gemm[ORR_DTYPE_BF16].sustained_frac);
    orr_fit_close(fit);
    fit = recover(*state, "gemm", "m,n,k,dtype,mode", gemm_line, 0.05, set_gemm);
    assert_gemm(fit_constants(fit), 0.05);
    orr_fit_close(fit);
}

/* Every tenth of the rows took ten times as long: the others still tell the constants. */
static void outliers_are_ignored(void **state)
{
    const struct world *world = *state;
    char *plain = shapes("m,n,k,dtype,mode", gemm_line), *csv = measure(world, "gemm", plain, 0, set_gemm);
    struct orr_text text = {0};
    size_t row = 0;
    for (const char *at = csv; *at; row++) {
        const size_t length = strcspn(at, "\n");
        const char *last = at + length;
        while (row > 0 && last[-1] != ',') last--;
        if (row % 10 == 9) orr_text_add(&text, "%.*s%.9g\n", (int)(last - at), at, 10 * strtod(last, NULL));
        else orr_text_add(&text, "%.*s\n", (int)length, at);
        at += length + 1;
    }
    char *spoilt = orr_text_take(&text);
    assert_non_null(spoilt);
    struct orr_fit *fit = open_fit(world, CHIP);
    add(fit, "gemm", spoilt);
    run(fit);
    assert_gemm(fit_constants(fit), 0.02);
    orr_fit_close(fit);
    free(plain);
    free(csv);
    free(spoilt);
}

static bool long_line(struct orr_text *text, size_t i)
{
    static const int m[] = {2048, 4096, 8192, 16384, 32768, 65536};
    static const int nk[][2] = {{4096, 4096}, {8192, 8192}, {16384, 8192}, {16384, 16384}, {49152, 16384}};
    if (i >= COUNT(m) * COUNT(nk)) return false;
    orr_text_add(text, "%d,%d,%d,bf16", m[i % COUNT(m)], nk[i / COUNT(m)][0], nk[i / COUNT(m)][1]);
    return true;
}

#define SHOWN_FRAC 0.88
static void set_shown(struct orr_calibration *calibration)
{
    calibration->gemm[ORR_DTYPE_BF16].burst_frac = SHOWN_FRAC;
}

/* Times as they are when a product that takes 15 ms at first loses half of the way to `sustained_frac`. */
static char *slowed(const char *csv, double sustained_frac)
{
    struct orr_text text = {0};
    const char *at = csv + strcspn(csv, "\n") + 1;
    orr_text_add(&text, "%.*s", (int)(at - csv), csv);
    for (; *at; at += strcspn(at, "\n") + 1) {
        const char *last = at + strcspn(at, "\n");
        while (last[-1] != ',') last--;
        const double short_s = strtod(last, NULL);
        const double level = sustained_frac + (SHOWN_FRAC - sustained_frac) * 15e-3 / (15e-3 + short_s);
        const double time_s = short_s * SHOWN_FRAC / level;
        orr_text_add(&text, "%.*s%.9g\n", (int)(last - at), at, time_s);
    }
    return orr_text_take(&text);
}

/* A table that does not say how warm the chip was: its long products tell, its short ones bound the burst share. */
static void long_products_lose_their_clock(void **state)
{
    char *plain = shapes("m,n,k,dtype", long_line), *cold = measure(*state, "gemm", plain, 0, set_shown);
    struct orr_fit *fit = open_fit(*state, CHIP);
    const struct orr_gemm_constants *before = &fit->before.gemm[ORR_DTYPE_BF16];
    char *csv = slowed(cold, before->sustained_frac);
    assert_true(before->burst_frac < SHOWN_FRAC);
    add(fit, "gemm", csv);
    run(fit);
    assert_int_equal(fit->n_tables, 1);
    assert_close(fit->tables[0].level, SHOWN_FRAC, 0.01);
    assert_close(fit->tables[0].warm_s, 15e-3, 0.1);
    assert_close(fit_constants(fit)->gemm[ORR_DTYPE_BF16].burst_frac, SHOWN_FRAC, 0.01);
    assert_true(fit_constants(fit)->gemm[ORR_DTYPE_BF16].sustained_frac == before->sustained_frac);
    assert_int_equal(fit->groups[0].constants[0].state, ORR_CONSTANT_ONE_SIDE);
    orr_fit_close(fit);
    free(plain);
    free(cold);
    free(csv);
}

static bool decode_line(struct orr_text *text, size_t i)
{
    static const int batch[] = {1, 2, 4, 8, 16, 32, 64, 128},
                     context[] = {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536};
    static const int heads[][2] = {{32, 8}, {8, 1}, {64, 8}, {8, 2}, {16, 4}};
    const size_t n = COUNT(batch) * COUNT(context);
    if (i >= n * COUNT(heads)) return false;
    orr_text_add(text, "%d,%d,%d,%d,128,bf16,bf16", batch[i % COUNT(batch)], context[i / COUNT(batch) % COUNT(context)],
                 heads[i / n][0], heads[i / n][1]);
    return true;
}

static void set_decode(struct orr_calibration *calibration)
{
    struct orr_decode_constants *u = &calibration->decode[ORR_DECODE_PAGED][0];
    u->launch_s = 9.3e-6;
    u->dram_frac = 0.83;
    u->sm_bytes_per_s = 4.1e10;
    u->block_s = 2.2e-6;
    u->reduce_s = 5.5e-6;
    u->ramp_bytes = 3e7;
}

static void assert_decode(const struct orr_calibration *calibration, double tolerance)
{
    const struct orr_decode_constants *u = &calibration->decode[ORR_DECODE_PAGED][0];
    assert_close(u->launch_s, 9.3e-6, tolerance);
    assert_close(u->dram_frac, 0.83, tolerance);
    assert_close(u->sm_bytes_per_s, 4.1e10, tolerance);
    assert_close(u->reduce_s, 5.5e-6, tolerance);
}

static void decode_kernels_are_recovered(void **state)
{
    const char *header = "batch,kv_len,heads,kv_heads,head_dim,dtype,kv_dtype";
    struct orr_fit *fit = recover(*state, "attention_decode", header, decode_line, 0, set_decode);
    assert_decode(fit_constants(fit), 0.02);
    orr_fit_close(fit);
    fit = recover(*state, "attention_decode", header, decode_line, 0.05, set_decode);
    assert_decode(fit_constants(fit), 0.05);
    orr_fit_close(fit);
}

static bool prefill_line(struct orr_text *text, size_t i)
{
    static const int batch[] = {1, 2, 4}, seq[] = {1024, 2048, 4096, 8192, 16384}, head[] = {64, 128};
    const size_t n = COUNT(batch) * COUNT(seq);
    if (i >= n * COUNT(head)) return false;
    orr_text_add(text, "%d,%d,%d,32,8,%d,1,bf16,cudnn", batch[i % COUNT(batch)], seq[i / COUNT(batch) % COUNT(seq)],
                 seq[i / COUNT(batch) % COUNT(seq)], head[i / n]);
    return true;
}

static void set_flash(struct orr_calibration *calibration)
{
    struct orr_attention_constants *u = &calibration->attention[ORR_ATTENTION_FLASH3];
    u->forward_frac = 0.61;
    u->forward_half_seq = 720;
    u->head_64_frac = 0.84;
    u->tail = 1.1;
}

static void attention_is_recovered(void **state)
{
    const char *header = "batch,q_len,kv_len,heads,kv_heads,head_dim,causal,dtype,backend";
    struct orr_fit *fit = recover(*state, "attention_prefill", header, prefill_line, 0, set_flash);
    const struct orr_attention_constants *u = &fit_constants(fit)->attention[ORR_ATTENTION_FLASH3];
    assert_close(u->forward_frac, 0.61, 0.02);
    assert_close(u->forward_half_seq, 720, 0.05); /* the call time is free beside it */
    assert_close(u->head_64_frac, 0.84, 0.02);
    assert_close(u->tail, 1.1, 0.05);
    assert_true(u->backward_frac == fit->before.attention[ORR_ATTENTION_FLASH3].backward_frac);
    orr_fit_close(fit);
    fit = recover(*state, "attention_prefill", header, prefill_line, 0.05, set_flash);
    u = &fit_constants(fit)->attention[ORR_ATTENTION_FLASH3];
    assert_close(u->forward_frac, 0.61, 0.05);
    assert_close(u->head_64_frac, 0.84, 0.05);
    orr_fit_close(fit);
}

static bool allgather_line(struct orr_text *text, size_t i)
{
    if (i >= 3 * 20) return false;
    orr_text_add(text, "%d,%.0f,fp16,nccl", 2 << (i / 20), 1024 * pow(2, (double)(i % 20)));
    return true;
}

/* The line of the collective that wins large messages. */
static struct orr_collective_line *bandwidth_line(struct orr_calibration *calibration)
{
    struct orr_collective_line *found = NULL;
    for (int64_t i = 0; i < calibration->n_lines; i++)
        if (calibration->lines[i].collective == ORR_COLLECTIVE_ALLGATHER && !calibration->lines[i].low_latency)
            found = &calibration->lines[i];
    assert_non_null(found);
    return found;
}

static void set_lines(struct orr_calibration *calibration)
{
    struct orr_collective_line *line = bandwidth_line(calibration);
    for (int64_t i = 0; i < line->n_points; i++) line->efficiency_frac[i] *= 0.85;
}

static void collectives_are_recovered(void **state)
{
    struct orr_fit *fit = recover(*state, "allgather", "n_gpus,bytes,dtype,backend", allgather_line, 0, set_lines);
    struct orr_calibration *was = &fit->before;
    const struct orr_collective_line *old = bandwidth_line(was), *now = &fit->job.calibration.lines[old - was->lines];
    for (int64_t i = 0; i < old->n_points; i++)
        assert_close(now->efficiency_frac[i], 0.85 * old->efficiency_frac[i], 0.02);
    orr_fit_close(fit);
}

static bool add_line(struct orr_text *text, size_t i)
{
    if (i >= 6) return false;
    orr_text_add(text, "add,%.0f", 2e8 * (double)(i + 1));
    return true;
}

static void set_add(struct orr_calibration *calibration)
{
    calibration->pointwise_frac[ORR_POINTWISE_ADD] = 0.77;
}

static void memory_bound_kernels_are_recovered(void **state)
{
    struct orr_fit *fit = recover(*state, "pointwise", "op,bytes", add_line, 0, set_add);
    assert_close(fit_constants(fit)->pointwise_frac[ORR_POINTWISE_ADD], 0.77, 0.005);
    orr_fit_close(fit);
    fit = recover(*state, "pointwise", "op,bytes", add_line, 0.05, set_add);
    assert_close(fit_constants(fit)->pointwise_frac[ORR_POINTWISE_ADD], 0.77, 0.05);
    orr_fit_close(fit);
}

/* ---------------------------------------------------------------- refusals and bounds */

static bool large_line(struct orr_text *text, size_t i)
{
    if (i >= 40) return false;
    orr_text_add(text, "%d,%d,8192,bf16,burst", 4096 + 512 * (int)(i % 8), 4096 + 2048 * (int)(i / 8));
    return true;
}

static const struct orr_fit_constant *constant_of(const struct orr_fit *fit, const char *path)
{
    for (size_t g = 0; g < fit->n_groups; g++)
        for (size_t i = 0; i < fit->groups[g].n_constants; i++)
            if (strcmp(fit->groups[g].constants[i].path, path) == 0) return &fit->groups[g].constants[i];
    fail_msg("no constant %s", path);
    return NULL;
}

/* Large products say nothing about DRAM or the launch: both keep their values, whatever the times were made with. */
static void what_rows_do_not_tell_is_refused(void **state)
{
    struct orr_fit *fit = recover(*state, "gemm", "m,n,k,dtype,mode", large_line, 0, set_gemm);
    const struct orr_gemm_constants *now = &fit_constants(fit)->gemm[ORR_DTYPE_BF16];
    const struct orr_gemm_constants *was = &fit->before.gemm[ORR_DTYPE_BF16];
    assert_close(now->burst_frac, 0.72, 0.02);
    assert_true(now->dram_frac == was->dram_frac);
    assert_true(now->dram_ramp_bytes == was->dram_ramp_bytes);
    assert_int_equal(constant_of(fit, "gemm.bf16.dram_frac")->state, ORR_CONSTANT_REFUSED);
    assert_int_equal(constant_of(fit, "gemm.bf16.dram_ramp_bytes")->state, ORR_CONSTANT_REFUSED);
    assert_int_equal(constant_of(fit, "gemm.bf16.burst_frac")->state, ORR_CONSTANT_FITTED);
    assert_int_equal(constant_of(fit, "gemm.bf16.sustained_frac")->state, ORR_CONSTANT_FEW_ROWS);
    orr_fit_close(fit);
}

/* A handful of rows for seven constants is not tried at all. */
static void few_rows_are_refused(void **state)
{
    struct orr_fit *fit = open_fit(*state, CHIP);
    add(fit, "gemm", "m,n,k,dtype,time_s\n1,4096,4096,bf16,1e-5\n4096,4096,4096,bf16,1e-3\n");
    run(fit);
    assert_memory_equal(&fit->before, &fit->job.calibration, sizeof fit->before);
    assert_int_equal(constant_of(fit, "gemm.bf16.dram_frac")->state, ORR_CONSTANT_FEW_ROWS);
    orr_fit_close(fit);
}

static void set_impossible(struct orr_calibration *calibration)
{
    struct orr_gemm_constants *u = &calibration->gemm[ORR_DTYPE_BF16];
    u->burst_frac = 1.15;
    u->dram_frac = 1.2;
    u->wave_s = u->launch_s = 0;
}

/* Times above the datasheet's rates: shares stay at 1 at most, latencies at zero at least. */
static void bounds_are_kept(void **state)
{
    struct orr_fit *fit = recover(*state, "gemm", "m,n,k,dtype,mode", gemm_line, 0, set_impossible);
    for (size_t g = 0; g < fit->n_groups; g++)
        for (size_t i = 0; i < fit->groups[g].n_constants; i++) {
            const struct orr_fit_constant *c = &fit->groups[g].constants[i];
            assert_true(c->new_value >= c->low && c->new_value <= c->high);
        }
    assert_at_most(fit_constants(fit)->gemm[ORR_DTYPE_BF16].burst_frac, 1);
    assert_at_most(fit_constants(fit)->gemm[ORR_DTYPE_BF16].dram_frac, 1);
    orr_fit_close(fit);
}

/* Rows that follow no law of ours leave the constants alone. */
static void poor_fits_are_refused(void **state)
{
    struct orr_text text = {0};
    struct orr_fit *fit = open_fit(*state, CHIP);
    orr_text_add(&text, "batch,kv_len,heads,dtype,kv_dtype,time_s\n");
    for (int i = 0; i < 60; i++)
        orr_text_add(&text, "%d,%d,64,bf16,bf16,%g\n", 1 << (i % 6), 256 << (i / 10), i * 37 % 60 < 30 ? 2e-5 : 2e-2);
    char *csv = orr_text_take(&text);
    add(fit, "mla_decode", csv);
    run(fit);
    assert_memory_equal(&fit->before.mla_decode, &fit->job.calibration.mla_decode, sizeof fit->before.mla_decode);
    free(csv);
    orr_fit_close(fit);
}

/* ---------------------------------------------------------------- input */

static void assert_bad(const struct world *world, const char *kind, const char *csv, int line, const char *words)
{
    struct orr_fit *fit = open_fit(world, CHIP);
    struct orr_error error;
    assert_int_not_equal(orr_fit_add(fit, kind, csv, "bad.csv", &error), ORR_OK);
    assert_int_equal(error.line, line);
    if (!strstr(error.text, words)) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    orr_fit_close(fit);
}

static void bad_tables_are_errors(void **state)
{
    assert_bad(*state, "gemm", "m,n,dtype,time_s\n1,2,bf16,1\n", 1, "missing column \"k\"");
    assert_bad(*state, "gemm", "m,n,k,dtype,time_s\n1,2,3,bf16,1\n1,2,x,bf16,1\n", 3,
               "k: expected a whole number from 1 to 1e+17, not \"x\"");
    assert_bad(*state, "gemm", "m,n,k,dtype,time_s\n1,2,3,bf16,-1\n", 2, "time_s");
    assert_bad(*state, "gemm", "m,n,k,dtype,time_s\n1,2,3,bf16,nan\n", 2, "time_s");
    assert_bad(*state, "gemm", "m,n,k,dtype,time_s\n1,2,3,bf17,1\n", 2, "dtype: expected bf16");
    assert_bad(*state, "gemm", "m,n,k,dtype,mode,time_s\n1,2,3,bf16,fast,1\n", 2, "mode: expected burst, sustained");
    assert_bad(*state, "gemm", "m,n,k,dtype,time_s\n1,2,3,bf16\n", 2, "4 cells where the header has 5");
    assert_bad(*state, "moe",
               "tokens,hidden,moe_ffn,experts,topk,tp,ep,gated,dtype,distribution,part,time_s\n"
               "1,64,64,4,8,1,1,1,bf16,balanced,all,1\n",
               2, "topk");
    assert_bad(*state, "gemms", "m,n,k,dtype,time_s\n", 0, "no kind of kernel table");
    assert_bad(*state, "lab", "group,op,shape,mode,time_s\ngemm,fwd,12x,burst,1\n", 2, "shape");
}

static void chips_are_found(void **state)
{
    static const char *const names[][2] = {{"h100-sxm-80gb", "h100-sxm-80gb"},
                                           {"h100_sxm", "h100-sxm-80gb"},
                                           {"a100_sxm", "a100-sxm-80gb"},
                                           {"a100-sxm-40gb", "a100-sxm-40gb"},
                                           {"h20_sxm", "h20-sxm-96gb"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct orr_fit *fit = open_fit(*state, names[i][0]);
        assert_string_equal(fit->job.system.chip.id, names[i][1]);
        orr_fit_close(fit);
    }
    struct orr_fit *fit;
    struct orr_error error;
    const struct world *world = *state;
    assert_int_equal(orr_fit_open(world->catalogue, "abacus", &fit, &error), ORR_ERR_INPUT);
    assert_null(fit);
    assert_non_null(strstr(error.text, "\"abacus\""));
}

/* Rows the model has no constants for are counted, with a reason. */
static void rows_outside_the_model_are_left_out(void **state)
{
    struct orr_fit *fit = open_fit(*state, "a100-sxm-80gb");
    add(fit, "gemm", "m,n,k,dtype,time_s\n64,64,64,fp8,1e-5\n");
    add(fit, "alltoall", "n_gpus,bytes,dtype,time_s,backend\n8,,fp8,1e-5,deepep_ll_dispatch\n16,1024,fp16,1e-5,nccl\n");
    run(fit);
    assert_int_equal(fit->n_rows, 3);
    for (size_t i = 0; i < fit->n_rows; i++) assert_non_null(fit->rows[i].left_out);
    char *report = orr_fit_render(fit, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(strstr(report, "3 left out"));
    free(report);
    orr_fit_close(fit);
}

/* Two tokens that choose 2 of 8 experts have 4 rows. Dealt out in turn they reach 4 experts; at random the mean is
 * 8 (1 - (1 - 2/8)^2) = 3.5 (Eq. 8). The first product has gate and up, 2 x 32 columns, the second 64. */
static void experts_become_grouped_products(void **state)
{
    struct orr_fit *fit = open_fit(*state, CHIP);
    add(fit, "moe",
        "tokens,hidden,moe_ffn,experts,topk,tp,ep,gated,dtype,distribution,part,time_s\n"
        "2,64,32,8,2,1,1,1,bf16,balanced,all,1\n2,64,32,8,2,1,1,1,bf16,uniform,all,1\n"
        "2,64,32,8,2,1,1,1,bf16,uniform,up,1\n2,64,32,8,2,1,1,1,bf16,uniform,down,1\n"
        "2000,64,32,8,2,1,2,1,bf16,uniform,down,1\n");
    static const double experts[] = {4, 3.5, 3.5, 3.5, 4}; /* of two ranks each has 4 */
    static const int n_ops[] = {2, 2, 1, 1, 1};
    for (size_t i = 0; i < COUNT(experts); i++) {
        assert_int_equal(fit->rows[i].n_ops, n_ops[i]);
        assert_int_equal(fit->rows[i].ops[0].kind, ORR_OP_GROUPED);
        assert_close(fit->rows[i].ops[0].batch, experts[i], 1e-12);
        assert_close(fit->rows[i].ops[0].n_idle_experts, i < 4 ? 8 - experts[i] : 0, 1e-12);
        assert_close(fit->rows[i].ops[0].k, i < 3 ? 64 : 32, 1e-12);
        assert_close(fit->rows[i].ops[0].n, 64, 1e-12);
    }
    assert_close(fit->rows[0].ops[1].k, 32, 1e-12);
    orr_fit_close(fit);
}

/* ---------------------------------------------------------------- output */

static void same_tables_same_bits(void **state)
{
    struct orr_fit *a = recover(*state, "gemm", "m,n,k,dtype,mode", gemm_line, 0.05, set_gemm);
    struct orr_fit *b = recover(*state, "gemm", "m,n,k,dtype,mode", gemm_line, 0.05, set_gemm);
    assert_memory_equal(fit_constants(a), fit_constants(b), sizeof(struct orr_calibration));
    static const enum orr_format formats[] = {ORR_FORMAT_TERMINAL, ORR_FORMAT_JSON, ORR_FORMAT_CSV};
    for (size_t i = 0; i < COUNT(formats); i++) {
        char *one = orr_fit_render(a, formats[i], NULL), *two = orr_fit_render(b, formats[i], NULL);
        assert_string_equal(one, two);
        free(one);
        free(two);
    }
    char *one = file_of(a), *two = file_of(b);
    assert_string_equal(one, two);
    free(one);
    free(two);
    orr_fit_close(a);
    orr_fit_close(b);
}

/* The file is a part like any other: a catalogue that holds it has exactly the fitted constants. */
static void the_file_is_a_calibration(void **state)
{
    struct orr_fit *fit = recover(*state, "gemm", "m,n,k,dtype,mode", gemm_line, 0, set_gemm);
    char *json = file_of(fit);
    assert_non_null(strstr(json, "unnamed table: 288 rows (gemm.bf16), median error"));
    assert_non_null(strstr(json, "2026-11"));
    const struct orr_calibration *read = read_back(json);
    assert_true(read->calibrated);
    for (int d = 0; d < ORR_N_DTYPES; d++)
        assert_memory_equal(&read->gemm[d], &fit_constants(fit)->gemm[d], sizeof read->gemm[d]);
    assert_int_equal(read->n_lines, fit->before.n_lines);
    free(json);
    orr_fit_close(fit);
}

/* Every constant the rows bear on is recorded: what it is, in which unit, by how many rows, how well, and what became
 * of it. The file of a chip that had borrowed names its own tables first. */
static void the_file_records_the_fit(void **state)
{
    struct orr_fit *fit = open_fit(*state, "h20-sxm-96gb");
    add(fit, "pointwise",
        "op,bytes,time_s,source\n"
        "add,200000000,0.0000801,mine\nadd,400000000,0.0001601,mine\nadd,800000000,0.0003201,mine\n"
        "add,1600000000,0.0006401,mine\nadd,3200000000,0.0012801,mine\n");
    run(fit);
    char *text = file_of(fit);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *entry = json_object_get(json_object_get(root, "fit"), "pointwise_frac.add");
    assert_non_null(entry);
    assert_close(json_real_value(json_object_get(entry, "value")), 0.625, 5e-3); /* 2.5 of 4 TB/s */
    assert_string_equal(json_string_value(json_object_get(entry, "unit")), "frac");
    assert_non_null(json_string_value(json_object_get(entry, "meaning")));
    assert_int_equal(json_integer_value(json_object_get(entry, "rows")), 5);
    assert_true(json_real_value(json_object_get(entry, "median_error_frac")) < 0.01);
    assert_string_equal(json_string_value(json_object_get(entry, "state")), "fitted");
    assert_ptr_equal(strstr(json_string_value(json_object_get(root, "software")), "mine; the rest: "),
                     json_string_value(json_object_get(root, "software")));
    assert_string_equal(json_string_value(json_array_get(json_object_get(root, "chips"), 0)), "h20-sxm-96gb");
    json_decref(root);
    free(text);
    orr_fit_close(fit);
}

static void a_header_is_no_table(void **state)
{
    struct orr_fit *fit = open_fit(*state, "h100_sxm");
    struct orr_error error;
    add(fit, "gemm", "m,n,k,dtype,time_s\n");
    assert_int_equal(orr_fit_run(fit, NULL, NULL, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "no timings"));
    orr_fit_close(fit);
}

static void add_file(struct orr_fit *fit, const char *kind, const char *path)
{
    char *csv = read_text(path);
    add(fit, kind, csv);
    free(csv);
}

/* Our own H200 record: products after a pause reach 0.79 to 0.84 of 989 TFLOP/s, in a loop 0.66 to 0.71. */
static void our_own_timings_give_the_power_rule(void **state)
{
    struct orr_fit *fit = open_fit(*state, "h200_sxm");
    add_file(fit, "h200_training_ops", "validation/kernels/h200_training_ops.csv");
    run(fit);
    const struct orr_gemm_constants *u = &fit_constants(fit)->gemm[ORR_DTYPE_BF16];
    assert_true(u->burst_frac > 0.79 && u->burst_frac < 0.85);
    assert_true(u->sustained_frac > 0.66 && u->sustained_frac < 0.72);
    const struct orr_fit_filter filter = {.kind = ORR_KERNEL_GEMM, .group = -1, .size_class = -1, .fitted = true};
    assert_at_most(orr_fit_stats_of(fit, filter, ORR_COLUMN_AFTER).median_frac, 0.03);
    orr_fit_close(fit);
}

/* The kit's rows from one H200, to which no constant of the catalogue was fitted: today's constants meet the bars that
 * kernels are held to, and a fit improves on them. */
static void the_kit_meets_the_bars(void **state)
{
    static const struct {
        const char *kind;
        enum orr_kernel kernel;
        double before, after;
    } bars[] = {{"gemm", ORR_KERNEL_GEMM, 0.10, 0.06},
                {"attention_prefill", ORR_KERNEL_ATTENTION_PREFILL, 0.12, 0.06},
                {"attention_backward", ORR_KERNEL_ATTENTION_BACKWARD, 0.12, 0.06},
                {"attention_decode", ORR_KERNEL_ATTENTION_DECODE, 0.12, 0.06}};
    struct orr_fit *fit = open_fit(*state, "h200_sxm");
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++) {
        char path[96];
        (void)snprintf(path, sizeof path, "validation/kernels/lab/%s.csv", bars[i].kind);
        add_file(fit, bars[i].kind, path);
    }
    run(fit);
    for (size_t i = 0; i < sizeof bars / sizeof bars[0]; i++) {
        const struct orr_fit_filter filter = {
            .kind = (int)bars[i].kernel, .group = -1, .size_class = -1, .fitted = true};
        assert_at_most(orr_fit_stats_of(fit, filter, ORR_COLUMN_BEFORE).median_frac, bars[i].before);
        assert_at_most(orr_fit_stats_of(fit, filter, ORR_COLUMN_AFTER).median_frac, bars[i].after);
    }
    orr_fit_close(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_recovered),
        cmocka_unit_test(outliers_are_ignored),
        cmocka_unit_test(long_products_lose_their_clock),
        cmocka_unit_test(decode_kernels_are_recovered),
        cmocka_unit_test(attention_is_recovered),
        cmocka_unit_test(collectives_are_recovered),
        cmocka_unit_test(memory_bound_kernels_are_recovered),
        cmocka_unit_test(what_rows_do_not_tell_is_refused),
        cmocka_unit_test(few_rows_are_refused),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(poor_fits_are_refused),
        cmocka_unit_test(bad_tables_are_errors),
        cmocka_unit_test(chips_are_found),
        cmocka_unit_test(rows_outside_the_model_are_left_out),
        cmocka_unit_test(experts_become_grouped_products),
        cmocka_unit_test(same_tables_same_bits),
        cmocka_unit_test(the_file_is_a_calibration),
        cmocka_unit_test(the_file_records_the_fit),
        cmocka_unit_test(a_header_is_no_table),
        cmocka_unit_test(our_own_timings_give_the_power_rule),
        cmocka_unit_test(the_kit_meets_the_bars),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
