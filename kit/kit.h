/* What the C files of the kit share: the state of a run, device memory with random data, timing, and one function per
 * kind. */
#ifndef KIT_H
#define KIT_H

#include "csv.h"
#include "kernels.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KIT_WORKSPACE_BYTES ((size_t)32 << 20) /* workspace of cuBLAS, as frameworks set it on Hopper */

struct kit {
    /* options */
    const char *out_dir;
    char source[320];   /* last column of every row */
    bool list_only;     /* print the cases without using a GPU */
    double deadline_s;  /* of the kind now running, on the clock of kit_now_s() */
    /* GPU */
    int compute_capability; /* 90 for 9.0 */
    size_t l2_bytes;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    cublasHandle_t cublas;
    cublasLtHandle_t lt;
    void *workspace;
    /* memory: one pool of normal random data per dtype, made when it is first used, and one buffer for results */
    void *pool[KIT_N_DTYPES];
    size_t pool_bytes[KIT_N_DTYPES];
    void *output;
    size_t output_bytes;
};

/* Enqueue launch number i of a job on the kit's stream. Returns false, with a message, if the library refused it. */
typedef bool (*kit_launch)(const void *job, int i);

/* Stop the program with a message if a CUDA call failed. */
#define KIT_CUDA(call) kit_require_cuda((call), #call, __FILE__, __LINE__)
void kit_require_cuda(cudaError_t error, const char *call, const char *file, int line);

/* device.c */
void kit_device_open(struct kit *kit);
void kit_device_close(struct kit *kit);
size_t kit_dtype_bytes(enum kit_dtype dtype);
const char *kit_dtype_name(enum kit_dtype dtype);
bool kit_dtype_supported(const struct kit *kit, enum kit_dtype dtype);
/* The pool of random data; pool_bytes[dtype] is its size. Returns NULL if the GPU has no room for a useful amount. */
char *kit_pool(struct kit *kit, enum kit_dtype dtype);
/* The number of copies of `bytes`, at most `most`, to rotate through so that each has left L2 when it is used again. */
int kit_slots(const struct kit *kit, size_t bytes, size_t room_bytes, int most);
size_t kit_align(size_t bytes); /* rounds up to 256 bytes */

/* timing.c */
double kit_now_s(void);
void kit_sleep_s(double seconds);
bool kit_time_left(const struct kit *kit);
/* Shuffle an array the same way in every run, so that a run cut short is a sample of the whole list. */
void kit_shuffle(void *items, size_t n, size_t item_bytes);
/* The seconds per launch: graph replays of a round through the slots, median of three batches. The GPU then rests
 * twice as long as it worked, which keeps it off its power limit. A negative value means that the job could not be
 * launched. */
double kit_time_s(struct kit *kit, kit_launch launch, const void *job, int n_slots);
/* As kit_time_s, in the first 40 ms after 0.2 s of rest. */
double kit_time_burst_s(struct kit *kit, kit_launch launch, const void *job, int n_slots);
/* As kit_time_s, over one second after 1.5 s of the same load; `sample` is called every few ms in that second. */
double kit_time_sustained_s(struct kit *kit, kit_launch launch, const void *job, int n_slots,
                            void (*sample)(void *), void *context);
/* As kit_time_s, with eager launches back to back. */
double kit_time_eager_s(struct kit *kit, kit_launch launch, const void *job, int n);

/* gemm.c: y[m, n] = x[m, k] weight[n, k]^T */
struct kit_gemm {
    const struct kit *kit;
    long m, n, k;
    enum kit_dtype dtype;
    const char *weights;
    size_t weight_stride;
    int n_slots;
    const void *x;
    cublasLtMatmulDesc_t desc; /* this member and those below: fp8 only */
    cublasLtMatrixLayout_t weight_layout, x_layout, y_layout;
    cublasLtMatmulAlgo_t algo;
};
#define KIT_GEMM_HEADER "m,n,k,dtype,time_s,label,mode,inputs,source"
/* Returns false, with a message, if the shape does not fit into memory or the GPU lacks the dtype. */
bool kit_gemm_open(struct kit *kit, struct kit_gemm *gemm, long m, long n, long k, enum kit_dtype dtype);
void kit_gemm_close(struct kit_gemm *gemm);
bool kit_gemm_launch(const void *job, int i);
/* `mode` is "burst", "sustained" or "". */
void kit_gemm_row(FILE *csv, const struct kit *kit, const struct kit_gemm *gemm, double time_s, const char *label,
                  const char *mode);

/* One function per kind: each measures until it is done or kit_time_left() is false. */
void kit_run_gemm(struct kit *kit);
void kit_run_bmm(struct kit *kit);
void kit_run_pointwise(struct kit *kit);
void kit_run_adam(struct kit *kit);
void kit_run_power(struct kit *kit); /* burst and sustained products, board power */

/* check.c: compare the kit's kernels with plain C; returns false if one is wrong. */
bool kit_check(struct kit *kit);

#endif
