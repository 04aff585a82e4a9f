/* gemm.csv: products of transformer layers on normal random data. Weights come from DRAM and activations from the
 * cache. 16-bit and TF32 products use cublasGemmEx, as a framework's linear layer does; fp8 (e4m3, fast accumulation,
 * bf16 result) uses cublasLt. */
#include "kit.h"

#include <stdlib.h>
#include <string.h>

struct model {
    const char *name;
    long hidden, kv_width, ffn;
    bool gated;
    long vocab;
};

struct gemm_case {
    long m, n, k;
    enum kit_dtype dtype;
    char label[32];
};

struct case_list {
    struct gemm_case *items;
    size_t n, capacity;
};

static const struct model models[] = {
    /* name        hidden  kv     ffn    gated  vocab */
    {"llama2-7b",  4096,  4096,  11008, true,  32000},
    {"llama2-13b", 5120,  5120,  13824, true,  32000},
    {"llama2-70b", 8192,  1024,  28672, true,  32000},
    {"llama3-8b",  4096,  1024,  14336, true,  128256},
    {"gpt3-175b",  12288, 12288, 49152, false, 51200},
};

static const long squares[] = {512, 1024, 2048, 8192, 16384};

/* Is this m measured? All powers of two are for bf16; fp16 and tf32 confirm that table and need fewer. */
static bool wanted(enum kit_dtype dtype, long m, long tp)
{
    const bool main_type = dtype == KIT_BF16 || dtype == KIT_FP8;
    return main_type || (tp == 1 && (m == 1 || m == 16 || m == 128 || m == 1024 || m == 8192));
}

static bool already_there(const struct case_list *list, long n, long k)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].n == n && list->items[i].k == k)
            return true;
    return false;
}

/* Write "llama2-7b.qkv", "llama2-7b.tp8.qkv", or the name alone. */
static void write_label(struct gemm_case *item, const char *name, long tp, const char *layer)
{
    if (!layer)
        snprintf(item->label, sizeof item->label, "%s", name);
    else if (tp == 1)
        snprintf(item->label, sizeof item->label, "%s.%s", name, layer);
    else
        snprintf(item->label, sizeof item->label, "%s.tp%ld.%s", name, tp, layer);
}

/* Add all m and dtypes of one weight [n, k]. */
static void add_weight(struct case_list *list, const char *name, long tp, const char *layer, long n, long k)
{
    if (already_there(list, n, k))
        return;
    for (int dtype = 0; dtype < KIT_N_DTYPES; dtype++) {
        for (long m = 1; m <= 16384; m *= 2) {
            if (!wanted((enum kit_dtype)dtype, m, tp))
                continue;
            if (list->n == list->capacity) {
                list->capacity = 2 * list->capacity + 1024;
                list->items = realloc(list->items, list->capacity * sizeof *list->items);
                if (!list->items)
                    kit_fail("out of memory");
            }
            struct gemm_case *item = &list->items[list->n++];
            *item = (struct gemm_case){.m = m, .n = n, .k = k, .dtype = (enum kit_dtype)dtype};
            write_label(item, name, tp, layer);
        }
    }
}

static struct case_list all_cases(void)
{
    struct case_list list = {0};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct model *model = &models[i];
        const long h = model->hidden, f = model->ffn;
        for (long tp = 1; tp <= 8; tp *= 2) {
            add_weight(&list, model->name, tp, "qkv", (h + 2 * model->kv_width) / tp, h);
            add_weight(&list, model->name, tp, "o", h, h / tp);
            add_weight(&list, model->name, tp, model->gated ? "gateup" : "fc1", (model->gated ? 2 : 1) * f / tp, h);
            add_weight(&list, model->name, tp, model->gated ? "down" : "fc2", h, f / tp);
        }
        add_weight(&list, model->name, 1, "head", model->vocab, h);
    }
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++) {
        char name[16];
        snprintf(name, sizeof name, "sq%ld", squares[i]);
        add_weight(&list, name, 1, NULL, squares[i], squares[i]);
    }
    kit_shuffle(list.items, list.n, sizeof *list.items);
    return list;
}

static bool open_fp8(struct kit_gemm *gemm)
{
    const uint64_t n = (uint64_t)gemm->n, m = (uint64_t)gemm->m, k = (uint64_t)gemm->k;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const int8_t fast = 1;
    const size_t workspace = KIT_WORKSPACE_BYTES;
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t best;
    int found = 0;
    cublasLtMatmulDescCreate(&gemm->desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(gemm->desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed);
    cublasLtMatmulDescSetAttribute(gemm->desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
    cublasLtMatrixLayoutCreate(&gemm->weight_layout, CUDA_R_8F_E4M3, k, n, (int64_t)k);
    cublasLtMatrixLayoutCreate(&gemm->x_layout, CUDA_R_8F_E4M3, k, m, (int64_t)k);
    cublasLtMatrixLayoutCreate(&gemm->y_layout, CUDA_R_16BF, n, m, (int64_t)n);
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                         sizeof workspace);
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(gemm->kit->lt, gemm->desc, gemm->weight_layout, gemm->x_layout, gemm->y_layout,
                                       gemm->y_layout, preference, 1, &best, &found);
    cublasLtMatmulPreferenceDestroy(preference);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0) {
        fprintf(stderr, "kit: skipped %ldx%ldx%ld fp8: %s\n", gemm->m, gemm->n, gemm->k, cublasGetStatusString(status));
        kit_gemm_close(gemm);
        return false;
    }
    gemm->algo = best.algo;
    return true;
}

bool kit_gemm_open(struct kit *kit, struct kit_gemm *gemm, long m, long n, long k, enum kit_dtype dtype)
{
    *gemm = (struct kit_gemm){.kit = kit, .m = m, .n = n, .k = k, .dtype = dtype};
    if (!kit_dtype_supported(kit, dtype))
        return false;
    const size_t element = kit_dtype_bytes(dtype), result = dtype == KIT_TF32 ? 4 : 2;
    const size_t x_bytes = kit_align((size_t)m * (size_t)k * element);
    const char *pool = kit_pool(kit, dtype);
    gemm->weight_stride = kit_align((size_t)n * (size_t)k * element);
    if (!pool || x_bytes + gemm->weight_stride > kit->pool_bytes[dtype] ||
        (size_t)m * (size_t)n * result > kit->output_bytes) {
        fprintf(stderr, "kit: skipped %ldx%ldx%ld %s: does not fit into the buffers\n", m, n, k, kit_dtype_name(dtype));
        return false;
    }
    gemm->x = pool;
    gemm->weights = pool + x_bytes;
    gemm->n_slots = kit_slots(kit, gemm->weight_stride, kit->pool_bytes[dtype] - x_bytes, 128);
    return dtype != KIT_FP8 || open_fp8(gemm);
}

void kit_gemm_close(struct kit_gemm *gemm)
{
    if (gemm->desc) {
        cublasLtMatrixLayoutDestroy(gemm->weight_layout);
        cublasLtMatrixLayoutDestroy(gemm->x_layout);
        cublasLtMatrixLayoutDestroy(gemm->y_layout);
        cublasLtMatmulDescDestroy(gemm->desc);
    }
    gemm->desc = NULL;
}

/* Row-major y = x weight^T is column-major y^T = weight x^T: the weight is operand A. */
bool kit_gemm_launch(const void *job, int i)
{
    const struct kit_gemm *gemm = job;
    const struct kit *kit = gemm->kit;
    const void *weight = gemm->weights + (size_t)(i % gemm->n_slots) * gemm->weight_stride;
    const float one = 1, zero = 0;
    const int m = (int)gemm->m, n = (int)gemm->n, k = (int)gemm->k;
    static const cudaDataType_t types[KIT_N_DTYPES] = {CUDA_R_16BF, CUDA_R_16F, CUDA_R_8F_E4M3, CUDA_R_32F};
    const cudaDataType_t type = types[gemm->dtype];
    cublasStatus_t status;
    if (gemm->dtype == KIT_FP8)
        status = cublasLtMatmul(kit->lt, gemm->desc, &one, weight, gemm->weight_layout, gemm->x, gemm->x_layout, &zero,
                                kit->output, gemm->y_layout, kit->output, gemm->y_layout, &gemm->algo, kit->workspace,
                                KIT_WORKSPACE_BYTES, kit->stream);
    else
        status = cublasGemmEx(kit->cublas, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &one, weight, type, k, gemm->x, type, k,
                              &zero, kit->output, type, n,
                              gemm->dtype == KIT_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS)
        fprintf(stderr, "kit: skipped %dx%dx%d %s: %s\n", m, n, k, kit_dtype_name(gemm->dtype),
                cublasGetStatusString(status));
    return status == CUBLAS_STATUS_SUCCESS;
}

/* Write a row. Inputs are always ready in their dtype, so the time does not include quantising. */
void kit_gemm_row(FILE *csv, const struct kit *kit, const struct kit_gemm *gemm, double time_s, const char *label,
                  const char *mode)
{
    fprintf(csv, "%ld,%ld,%ld,%s,%.6g,%s,%s,ready", gemm->m, gemm->n, gemm->k, kit_dtype_name(gemm->dtype), time_s,
            label, mode);
    kit_csv_end(csv, kit->source);
}

void kit_run_gemm(struct kit *kit)
{
    struct case_list list = all_cases();
    FILE *csv = kit->list_only ? NULL : kit_csv_open(kit->out_dir, "gemm.csv", KIT_GEMM_HEADER);
    size_t done = 0;
    for (size_t i = 0; i < list.n && kit_time_left(kit); i++) {
        const struct gemm_case *item = &list.items[i];
        struct kit_gemm gemm;
        if (kit->list_only) {
            printf("gemm %ld %ld %ld %s %s\n", item->m, item->n, item->k, kit_dtype_name(item->dtype), item->label);
            continue;
        }
        if (!kit_gemm_open(kit, &gemm, item->m, item->n, item->k, item->dtype))
            continue;
        const double time_s = kit_time_s(kit, kit_gemm_launch, &gemm, gemm.n_slots);
        if (time_s > 0) {
            kit_gemm_row(csv, kit, &gemm, time_s, item->label, "");
            done++;
        }
        kit_gemm_close(&gemm);
    }
    free(list.items);
    if (csv) {
        fprintf(stderr, "kit: gemm: %zu of %zu cases\n", done, list.n);
        fclose(csv);
    }
}
