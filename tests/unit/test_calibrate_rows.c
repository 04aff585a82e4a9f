/* What becomes of one row of a kernel table: fitted, only predicted, left out with a reason, or refused. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "fit.h"

#define FITTED    "fitted"
#define PREDICTED "predicted"

#define GEMM      "m,n,k,dtype,time_s,layout,inputs\n"
#define PREFILL   "batch,q_len,kv_len,heads,kv_heads,head_dim,dtype,kv_dtype,causal,time_s,backend\n"
#define DECODE    "batch,kv_len,heads,kv_heads,head_dim,dtype,kv_dtype,time_s,backend\n"
#define LATENT    "batch,q_len,kv_len,heads,dtype,time_s\n"
#define EXPERTS   "tokens,hidden,moe_ffn,experts,topk,tp,ep,gated,dtype,distribution,part,time_s\n"
#define MESSAGES  "n_gpus,bytes,dtype,time_s,backend\n"
#define TENSORS   "op,bytes,cols,time_s\n"
#define NO_KERNEL "no constants of this attention kernel"
#define NO_FORMAT "the chip has no units or no constants of this format"

static const struct {
    const char *table, *head, *row;
    const char *is; /* FITTED, PREDICTED or why it is left out */
} ROWS[] = {
    {"gemm", GEMM, "4096,4096,4096,bf16,3e-4,nt,ready", FITTED},
    {"gemm", GEMM, "4096,4096,4096,fp16,3e-4,tn,quantised", FITTED},
    {"gemm", GEMM, "4096,256,4096,bf16,3e-5,,", PREDICTED}, /* 256 columns do not occur in layers */
    {"gemm", GEMM, "4096,4096,256,bf16,3e-5,nn,", PREDICTED},
    {"gemm", GEMM, "4096,4096,4096,fp4,3e-4,,", NO_FORMAT}, /* Hopper has no units for it */
    {"bmm", "batch,m,n,k,dtype,time_s\n", "64,2048,64,2048,bf16,1.5e-4", FITTED},
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,bf16,bf16,1,1e-3,fa3", FITTED},
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,bf16,fp16,0,1e-3,cudnn", FITTED},
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,bf16,,1,1e-3,flash1", FITTED},
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,fp16,,1,1e-3,fa2", FITTED},
    {"attention_prefill", PREFILL, "1,4096,8192,32,8,128,bf16,,1,1e-3,flash2", FITTED}, /* behind a cached prefix */
    {"attention_prefill", PREFILL, "1,512,512,32,8,128,bf16,,1,1e-4,fa3", PREDICTED},   /* fewer than 1,024 keys */
    {"attention_prefill", PREFILL, "1,2048,2048,8,8,128,bf16,,1,1e-4,fa3", PREDICTED},  /* 16,384 queries in all */
    {"attention_prefill", PREFILL, "1,512,512,32,8,128,bf16,,1,1e-4,default", FITTED},
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,bf16,fp8,1,1e-3,", PREDICTED}, /* reads a narrow cache */
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,bf16,,1,1e-3,xformers", NO_KERNEL},
    {"attention_prefill", PREFILL, "1,4096,4096,32,8,128,fp8,,1,1e-3,fa3",
     "attention in narrow formats is not modelled"},
    {"attention_prefill", PREFILL, "1,4096,2048,32,8,128,bf16,,1,1e-3,fa3", "fewer keys than queries"},
    {"attention_backward", PREFILL, "1,4096,4096,32,8,128,bf16,,1,3e-3,fa3", FITTED},
    {"mla_prefill", LATENT, "1,4096,4096,128,bf16,3e-3", PREDICTED},
    {"attention_decode", DECODE, "16,4096,32,8,128,bf16,bf16,1e-4,", FITTED},
    {"attention_decode", DECODE, "16,4096,32,8,128,bf16,fp8,1e-4,", FITTED},
    {"attention_decode", DECODE, "16,4096,32,8,128,bf16,,1e-4,cudnn", FITTED},
    {"attention_decode", DECODE, "16,4096,32,8,128,bf16,,1e-4,efficient", PREDICTED},
    {"attention_decode", DECODE, "16,32,32,8,128,bf16,,1e-4,", PREDICTED},   /* less than a block of keys */
    {"attention_decode", DECODE, "16,4096,64,1,128,bf16,,1e-4,", PREDICTED}, /* 64 heads on one K,V head */
    {"attention_decode", DECODE, "16,4096,32,8,128,fp8,,1e-4,",
     "decode kernels take 16-bit queries and a cache of 16 or 8 bits"},
    {"attention_decode", DECODE, "16,4096,32,8,128,bf16,fp32,1e-4,",
     "decode kernels take 16-bit queries and a cache of 16 or 8 bits"},
    {"attention_decode", DECODE, "16,4096,32,8,128,bf16,fp4,1e-4,",
     "decode kernels take 16-bit queries and a cache of 16 or 8 bits"},
    {"mla_decode", "batch,kv_len,heads,dtype,kv_dtype,time_s\n", "16,4096,128,bf16,bf16,1e-4", FITTED},
    {"moe", EXPERTS, "4096,4096,14336,8,2,1,1,1,bf16,balanced,all,3e-3", FITTED},
    {"moe", EXPERTS, "4096,4096,14336,8,2,2,4,1,bf16,balanced,up,1e-3", FITTED},
    {"moe", EXPERTS, "4096,4096,14336,8,2,1,1,0,bf16,balanced,down,1e-3", PREDICTED}, /* without a gate */
    {"moe", EXPERTS, "64,4096,14336,8,2,1,1,1,bf16,uniform,all,1e-3", PREDICTED},
    {"moe", EXPERTS, "64,4096,14336,8,2,1,1,1,fp4,balanced,all,1e-3", NO_FORMAT},
    {"allreduce", MESSAGES, "8,1048576,bf16,1e-4,nccl", FITTED},
    {"allreduce", MESSAGES, "8,1048576,,1e-4,rccl", FITTED},
    {"allreduce", MESSAGES, "8,1048576,fp16,1e-4,", FITTED},
    {"reducescatter", MESSAGES, "8,1048576,fp32,1e-4,nccl", PREDICTED}, /* engines reduce in 16 bits */
    {"allgather", MESSAGES, "8,1048576,fp32,1e-4,nccl", FITTED},        /* nothing is summed */
    {"p2p", MESSAGES, "2,33554432,bf16,1e-3,nccl", FITTED},
    {"p2p", MESSAGES, "2,1048576,bf16,1e-4,nccl", PREDICTED}, /* below 16 MiB the latency counts */
    {"pointwise", TENSORS, "softmax,268435456,2048,2e-4", FITTED},
    {"pointwise", TENSORS, "rmsnorm,1048576,,4e-6", PREDICTED}, /* below 100 MB the launch counts */
    {"pointwise", TENSORS, "sort,268435456,,2e-4", "no class of memory-bound kernels has this name"},
    {"adam", "bytes,time_s\n", "1073741824,5e-4", FITTED},
};

static void every_row_has_its_place(void **state)
{
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct orr_fit *fit = open_fit(*state, "h100-sxm-80gb");
        char csv[512];
        (void)snprintf(csv, sizeof csv, "%s%s\n", ROWS[i].head, ROWS[i].row);
        add(fit, ROWS[i].table, csv);
        assert_int_equal(fit->n_rows, 1);
        const struct orr_kernel_row *row = &fit->rows[0];
        const char *is = row->left_out ? row->left_out : row->fitted ? FITTED : PREDICTED;
        if (strcmp(is, ROWS[i].is) != 0) {
            print_error("%s %s: %s, not %s\n", ROWS[i].table, ROWS[i].row, is, ROWS[i].is);
            n_bad++;
        }
        assert_int_equal(row->n_ops > 0, !row->left_out);
        orr_fit_close(fit);
    }
    assert_int_equal(n_bad, 0);
}

/* FLOP of the operators of a row, by hand. */
static void rows_have_the_work_of_their_shape(void **state)
{
    static const struct {
        const char *table, *head, *row;
        double flops;
    } WORK[] = {
        {"gemm", GEMM, "4096,5120,4096,bf16,3e-4,,", 2.0 * 4096 * 5120 * 4096},
        {"bmm", "batch,m,n,k,dtype,time_s\n", "64,2048,64,2048,bf16,1.5e-4", 2.0 * 64 * 2048 * 64 * 2048},
        /* All pairs of 4,096 queries and keys: two products of 128 for each of 32 heads. */
        {"attention_prefill", PREFILL, "2,4096,4096,32,8,128,bf16,,0,1e-3,fa3", 4.0 * 2 * 32 * 4096 * 4096 * 128},
        /* Gated experts: the rows of two experts per token meet 2 x 14,336 columns, then 4,096. */
        {"moe", EXPERTS, "4096,4096,14336,8,2,1,1,1,bf16,balanced,all,3e-3",
         2.0 * (4096 * 2) * 4096 * (2 * 14336) + 2.0 * (4096 * 2) * 14336 * 4096},
        {"moe", EXPERTS, "4096,4096,14336,8,2,2,4,1,bf16,balanced,up,1e-3", 2.0 * (4096 * 2 / 4.0) * 4096 * 14336},
        {"moe", EXPERTS, "4096,4096,14336,8,2,1,1,0,bf16,balanced,up,1e-3", 2.0 * (4096 * 2) * 4096 * 14336},
        {"moe", EXPERTS, "4096,4096,14336,8,2,1,1,1,bf16,balanced,down,1e-3", 2.0 * (4096 * 2) * 14336 * 4096},
    };
    for (size_t i = 0; i < COUNT(WORK); i++) {
        struct orr_fit *fit = open_fit(*state, "h100-sxm-80gb");
        char csv[512];
        double flops = 0;
        (void)snprintf(csv, sizeof csv, "%s%s\n", WORK[i].head, WORK[i].row);
        add(fit, WORK[i].table, csv);
        for (int k = 0; k < fit->rows[0].n_ops; k++) flops += fit->rows[0].ops[k].flops;
        if (fabs(flops / WORK[i].flops - 1) > 1e-12)
            fail_msg("%s %s: %.6g, by hand %.6g", WORK[i].table, WORK[i].row, flops, WORK[i].flops);
        orr_fit_close(fit);
    }
}

static void bad_rows_are_refused(void **state)
{
    static const struct {
        const char *table, *head, *row, *text;
    } BAD[] = {
        {"gemm", GEMM, "4096,4096,4096,bf16,3e-4,tt,", "nt, nn, tn or nothing"},
        {"gemm", GEMM, "4096,4096,4096,bf16,3e-4,,wet", "ready, quantised or nothing"},
        {"gemm", GEMM, "0,4096,4096,bf16,3e-4,,", "m"},
        {"gemm", GEMM, "1e18,4096,4096,bf16,3e-4,,", "m"},
        {"gemm", GEMM, "4096,4096,4096,bf17,3e-4,,", "bf17"},
        {"moe", EXPERTS, "4096,4096,14336,8,9,1,1,1,bf16,balanced,all,3e-3", "at most as many as experts"},
        {"moe", EXPERTS, "4096,4096,14336,8,2,1,1,1,bf16,balanced,both,3e-3", "all, up or down"},
        {"attention_prefill", PREFILL, "1,4096,4096,0,8,128,bf16,,1,1e-3,fa3", "heads"},
        {"attention_decode", DECODE, "16,4096,32,8,128,bf16,fp99,1e-4,", "fp99"},
        {"allreduce", MESSAGES, "1,1048576,bf16,1e-4,nccl", "n_gpus"},
        {"allreduce", MESSAGES, "8,0,bf16,1e-4,nccl", "bytes"},
        {"pointwise", TENSORS, "softmax,268435456,0,2e-4", "cols"},
        {"pointwise", TENSORS, "add,-1,,2e-4", "bytes"},
    };
    const struct world *w = *state;
    for (size_t i = 0; i < COUNT(BAD); i++) {
        struct orr_fit *fit = open_fit(w, "h100-sxm-80gb");
        struct orr_error error = {0};
        char csv[512];
        (void)snprintf(csv, sizeof csv, "%s%s\n", BAD[i].head, BAD[i].row);
        if (!orr_fit_add(fit, BAD[i].table, csv, "test.csv", &error)) fail_msg("%s is accepted", BAD[i].row);
        if (!strstr(error.text, BAD[i].text) || !strstr(error.text, "test.csv:2"))
            fail_msg("%s: %s, without \"%s\"", BAD[i].row, error.text, BAD[i].text);
        orr_fit_close(fit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_has_its_place),
                                       cmocka_unit_test(rows_have_the_work_of_their_shape),
                                       cmocka_unit_test(bad_rows_are_refused)};
    return cmocka_run_group_tests_name("calibrate rows", tests, open_world, close_world);
}
