/* kit --check: compare the kit's kernels and a bf16 product with plain C, so that no timing is one of wrong work. */
#include "kit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, COLS = 4096, N = ROWS * COLS };

static float from_bf16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static void download_bf16(const void *device, double *host, size_t n)
{
    uint16_t *bits = malloc(n * sizeof *bits);
    if (!bits)
        kit_fail("out of memory");
    KIT_CUDA(cudaMemcpy(bits, device, n * sizeof *bits, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        host[i] = (double)from_bf16(bits[i]);
    free(bits);
}

/* Work out the norms and the softmax of one row; b holds the weight, then the bias. */
static void reference_row(enum kit_op op, const double *a, const double *b, double *out)
{
    double mean = 0, square = 0, most = -1e300, sum = 0;
    for (int i = 0; i < COLS; i++) {
        mean += op == KIT_LAYERNORM ? a[i] / COLS : 0;
        most = fmax(most, a[i]);
    }
    for (int i = 0; i < COLS; i++) {
        square += (a[i] - mean) * (a[i] - mean) / COLS;
        sum += exp(a[i] - most);
    }
    for (int i = 0; i < COLS; i++)
        out[i] = op == KIT_SOFTMAX     ? exp(a[i] - most) / sum
                 : op == KIT_LAYERNORM ? (a[i] - mean) / sqrt(square + 1e-5) * b[i] + b[COLS + i]
                                       : a[i] / sqrt(square + 1e-5) * b[i];
}

static double reference_element(enum kit_op op, double a, double b)
{
    return op == KIT_ADD        ? a + b
           : op == KIT_GELU     ? 0.5 * a * (1 + erf(a / sqrt(2.0)))
           : op == KIT_SILU_MUL ? a / (1 + exp(-a)) * b
                                : a;
}

/* Is ||got - expected|| / ||expected|| within the tolerance? NaN is wrong, too. */
static bool close_enough(const char *what, const double *got, const double *expected, int n, double tolerance)
{
    double difference = 0, norm = 0;
    for (int i = 0; i < n; i++) {
        difference += (got[i] - expected[i]) * (got[i] - expected[i]);
        norm += expected[i] * expected[i];
    }
    const double error = sqrt(difference / norm);
    const bool good = error < tolerance;
    fprintf(stderr, "kit: check %-9s relative error %.1e %s\n", what, error, good ? "ok" : "WRONG");
    return good;
}

static bool check_op(struct kit *kit, enum kit_op op, const double *a, const double *b, double *got, double *expected)
{
    static const char *const names[KIT_N_OPS] = {"add", "copy", "gelu", "swiglu", "layernorm", "rmsnorm", "softmax"};
    const char *pool = kit->pool[KIT_BF16];
    KIT_CUDA(cudaMemsetAsync(kit->output, 0xff, N * 2, kit->stream)); /* NaN shows what is not written. */
    KIT_CUDA(kit_pointwise(op, pool, pool + N * 2, kit->output, ROWS, COLS, kit->stream));
    KIT_CUDA(cudaStreamSynchronize(kit->stream));
    download_bf16(kit->output, got, N);
    for (int i = 0; i < N; i++)
        expected[i] = reference_element(op, a[i], b[i]);
    if (op >= KIT_LAYERNORM)
        for (int row = 0; row < ROWS; row++)
            reference_row(op, a + row * COLS, b, expected + row * COLS);
    return close_enough(names[op], got, expected, N, 5e-3);
}

/* Check a product of 16 x 16 x 4096 in bf16. */
static bool check_product(struct kit *kit, double *got, double *expected)
{
    enum { M = 16, K = COLS };
    struct kit_gemm gemm;
    double *x = malloc(2 * M * K * sizeof *x), *w = x + M * K;
    if (!x || !kit_gemm_open(kit, &gemm, M, M, K, KIT_BF16))
        kit_fail("cannot check the product");
    const bool launched = kit_gemm_launch(&gemm, 0);
    KIT_CUDA(cudaStreamSynchronize(kit->stream));
    download_bf16(kit->output, got, M * M);
    download_bf16(gemm.x, x, M * K);
    download_bf16(gemm.weights, w, M * K);
    for (int i = 0; i < M * M; i++) {
        expected[i] = 0;
        for (int j = 0; j < K; j++)
            expected[i] += x[i / M * K + j] * w[i % M * K + j];
    }
    free(x);
    kit_gemm_close(&gemm);
    return launched && close_enough("product", got, expected, M * M, 1e-2);
}

/* Check the first step from zero moments: m = 0.1 g, v = 0.05 g^2. */
static bool check_adam(struct kit *kit, double *got, double *expected)
{
    enum { BYTES = N * sizeof(float) };
    float *device[4], *host = malloc(2 * BYTES);
    if (!host)
        kit_fail("out of memory");
    for (int i = 0; i < 4; i++) {
        KIT_CUDA(cudaMalloc((void **)&device[i], BYTES));
        KIT_CUDA(cudaMemsetAsync(device[i], 0, BYTES, kit->stream));
    }
    KIT_CUDA(kit_fill_normal(device[1], N, KIT_TF32, 9, kit->stream));
    KIT_CUDA(kit_adam(device[0], device[1], device[2], device[3], N, kit->stream));
    KIT_CUDA(cudaStreamSynchronize(kit->stream));
    KIT_CUDA(cudaMemcpy(host, device[0], BYTES, cudaMemcpyDeviceToHost));
    KIT_CUDA(cudaMemcpy(host + N, device[1], BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        const double g = (double)host[N + i];
        got[i] = (double)host[i];
        expected[i] = -1e-4 * 0.1 * g / (sqrt(0.05 * g * g) + 1e-8);
    }
    for (int i = 0; i < 4; i++)
        cudaFree(device[i]);
    free(host);
    return close_enough("adam", got, expected, N, 1e-3);
}

bool kit_check(struct kit *kit)
{
    double *a = malloc(4 * N * sizeof *a), *b = a + N, *got = b + N, *expected = got + N;
    const char *pool = kit_pool(kit, KIT_BF16);
    bool good = true;
    if (!a || !pool)
        kit_fail("no memory for the check");
    download_bf16(pool, a, N);
    download_bf16(pool + N * 2, b, N);
    for (int op = 0; op < KIT_N_OPS; op++)
        good = check_op(kit, (enum kit_op)op, a, b, got, expected) && good;
    good = check_product(kit, got, expected) && good;
    good = check_adam(kit, got, expected) && good;
    free(a);
    return good;
}
