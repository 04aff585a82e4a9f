/* bmm.csv: batched products of unfused attention, scores (qk) and values (pv). In a layer the operands have just been
 * written, so buffers are not rotated: small cases find them in L2, large ones do not. */
#include "kit.h"

#include <stdlib.h>

struct bmm_case {
    const struct kit *kit;
    int batch, m, n, k;
    enum kit_dtype dtype;
    const char *label;
    const char *a, *b;
};

#define MOST_CASES 512

static size_t all_cases(struct bmm_case cases[MOST_CASES])
{
    static const int batches[] = {1, 8, 12, 16, 32, 64, 96, 128}, lengths[] = {512, 1024, 2048, 4096};
    static const int heads[] = {64, 80, 96, 128};
    size_t n = 0;
    for (int b = 0; b < 8; b++) {
        for (int l = 0; l < 4; l++) {
            for (int h = 0; h < 4; h++) {
                const enum kit_dtype dtype = h == 3 && b % 2 ? KIT_FP16 : KIT_BF16;
                const int s = lengths[l], d = heads[h];
                cases[n++] = (struct bmm_case){NULL, batches[b], s, s, d, dtype, "qk", NULL, NULL};
                cases[n++] = (struct bmm_case){NULL, batches[b], s, d, s, dtype, "pv", NULL, NULL};
            }
        }
    }
    kit_shuffle(cases, n, sizeof *cases);
    return n;
}

/* Row-major c[m, n] = a[m, k] b, with b stored as [n, k] (keys) or [k, n] (values). */
static bool launch(const void *job, int i)
{
    const struct bmm_case *item = job;
    const int m = item->m, n = item->n, k = item->k;
    const bool keys = item->label[0] == 'q';
    const float one = 1, zero = 0;
    const cudaDataType_t type = item->dtype == KIT_BF16 ? CUDA_R_16BF : CUDA_R_16F;
    (void)i;
    const cublasStatus_t status = cublasGemmStridedBatchedEx(
        item->kit->cublas, keys ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, item->b, type, keys ? k : n,
        (long long)n * k, item->a, type, k, (long long)m * k, &zero, item->kit->output, type, n, (long long)m * n,
        item->batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS)
        fprintf(stderr, "kit: skipped bmm %dx%dx%dx%d: %s\n", item->batch, m, n, k, cublasGetStatusString(status));
    return status == CUBLAS_STATUS_SUCCESS;
}

/* Place the operands in the pool; false if they do not fit. */
static bool place(struct kit *kit, struct bmm_case *item)
{
    const size_t batch = (size_t)item->batch, m = (size_t)item->m, n = (size_t)item->n, k = (size_t)item->k;
    const size_t a_bytes = kit_align(batch * m * k * 2), b_bytes = batch * n * k * 2;
    if (!kit_dtype_supported(kit, item->dtype) || !kit_pool(kit, item->dtype))
        return false;
    if (a_bytes + b_bytes > kit->pool_bytes[item->dtype] || batch * m * n * 2 > kit->output_bytes) {
        fprintf(stderr, "kit: skipped bmm %dx%dx%dx%d: does not fit into the buffers\n", item->batch, item->m, item->n,
                item->k);
        return false;
    }
    item->kit = kit;
    item->a = kit_pool(kit, item->dtype);
    item->b = item->a + a_bytes;
    return true;
}

void kit_run_bmm(struct kit *kit)
{
    struct bmm_case *cases = calloc(MOST_CASES, sizeof *cases);
    if (!cases)
        kit_fail("out of memory");
    const size_t n = all_cases(cases);
    FILE *csv = kit->list_only ? NULL : kit_csv_open(kit->out_dir, "bmm.csv", "batch,m,n,k,dtype,time_s,label,source");
    size_t done = 0;
    for (size_t i = 0; i < n && kit_time_left(kit); i++) {
        struct bmm_case *item = &cases[i];
        if (kit->list_only) {
            printf("bmm %d %d %d %d %s %s\n", item->batch, item->m, item->n, item->k, kit_dtype_name(item->dtype),
                   item->label);
            continue;
        }
        const double time_s = place(kit, item) ? kit_time_s(kit, launch, item, 1) : -1;
        if (time_s <= 0)
            continue;
        fprintf(csv, "%d,%d,%d,%d,%s,%.6g,%s", item->batch, item->m, item->n, item->k, kit_dtype_name(item->dtype),
                time_s, item->label);
        kit_csv_end(csv, kit->source);
        done++;
    }
    free(cases);
    if (csv) {
        fprintf(stderr, "kit: bmm: %zu of %zu cases\n", done, n);
        fclose(csv);
    }
}
