/* The GPU: its handles, pools of random data, and the buffer for results. */
#include "kit.h"

#include <stdlib.h>
#include <string.h>

/* room for the largest weight and the largest activation of the shape list together */
#define POOL_BYTES_16BIT ((size_t)3 << 30)
#define OUTPUT_BYTES     ((size_t)2 << 30)

void kit_require_cuda(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    const char *hint = error == cudaErrorMemoryAllocation ? " (another program on this GPU?)"
                       : error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
                           ? " (no NVIDIA GPU, or a driver older than this CUDA)"
                           : "";
    kit_fail("%s:%d: %s: %s%s", file, line, call, cudaGetErrorString(error), hint);
}

static void require_cublas(cublasStatus_t status, const char *call)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        kit_fail("%s: %s", call, cublasGetStatusString(status));
}

static void default_source(struct kit *kit, const char *gpu_name)
{
    int version = 0;
    KIT_CUDA(cudaRuntimeGetVersion(&version));
    if (!kit->source[0])
        snprintf(kit->source, sizeof kit->source, "%s, CUDA %d.%d, kit 1", gpu_name, version / 1000,
                 version % 1000 / 10);
}

void kit_device_open(struct kit *kit)
{
    struct cudaDeviceProp properties;
    KIT_CUDA(cudaSetDevice(0));
    KIT_CUDA(cudaGetDeviceProperties(&properties, 0));
    kit->compute_capability = 10 * properties.major + properties.minor;
    kit->l2_bytes = (size_t)properties.l2CacheSize;
    default_source(kit, properties.name);
    KIT_CUDA(cudaStreamCreateWithFlags(&kit->stream, cudaStreamNonBlocking));
    KIT_CUDA(cudaEventCreate(&kit->start));
    KIT_CUDA(cudaEventCreate(&kit->stop));
    KIT_CUDA(cudaMalloc(&kit->workspace, KIT_WORKSPACE_BYTES));
    require_cublas(cublasCreate(&kit->cublas), "cublasCreate");
    require_cublas(cublasSetStream(kit->cublas, kit->stream), "cublasSetStream");
    require_cublas(cublasSetWorkspace(kit->cublas, kit->workspace, KIT_WORKSPACE_BYTES), "cublasSetWorkspace");
    require_cublas(cublasLtCreate(&kit->lt), "cublasLtCreate");
    size_t free_bytes = 0, total_bytes = 0;
    KIT_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    kit->output_bytes = free_bytes / 8 < OUTPUT_BYTES ? free_bytes / 8 : OUTPUT_BYTES;
    KIT_CUDA(cudaMalloc(&kit->output, kit->output_bytes));
    fprintf(stderr, "kit: %s, %d SMs, %.0f MB L2, %.0f GB free; source \"%s\"\n", properties.name,
            properties.multiProcessorCount, (double)kit->l2_bytes / 1e6, (double)free_bytes / 1e9, kit->source);
}

void kit_device_close(struct kit *kit)
{
    for (int i = 0; i < KIT_N_DTYPES; i++)
        cudaFree(kit->pool[i]);
    cudaFree(kit->output);
    cudaFree(kit->workspace);
    cublasLtDestroy(kit->lt);
    cublasDestroy(kit->cublas);
    cudaEventDestroy(kit->start);
    cudaEventDestroy(kit->stop);
    cudaStreamDestroy(kit->stream);
}

size_t kit_dtype_bytes(enum kit_dtype dtype)
{
    switch (dtype) {
    case KIT_BF16:
    case KIT_FP16: return 2;
    case KIT_FP8: return 1;
    case KIT_TF32: return 4;
    case KIT_N_DTYPES: break;
    }
    abort();
}

const char *kit_dtype_name(enum kit_dtype dtype)
{
    static const char *const names[KIT_N_DTYPES] = {"bf16", "fp16", "fp8", "tf32"};
    return names[dtype];
}

bool kit_dtype_supported(const struct kit *kit, enum kit_dtype dtype)
{
    static const int least[KIT_N_DTYPES] = {80, 70, 89, 80};
    return kit->compute_capability >= least[dtype];
}

char *kit_pool(struct kit *kit, enum kit_dtype dtype)
{
    if (kit->pool[dtype])
        return kit->pool[dtype];
    size_t free_bytes = 0, total_bytes = 0, bytes = POOL_BYTES_16BIT * kit_dtype_bytes(dtype) / 2;
    KIT_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    while (bytes > free_bytes / 3) /* This leaves room for the other pools. */
        bytes /= 2;
    if (bytes < 4 * kit->l2_bytes)
        return NULL;
    KIT_CUDA(cudaMalloc(&kit->pool[dtype], bytes));
    KIT_CUDA(kit_fill_normal(kit->pool[dtype], bytes / kit_dtype_bytes(dtype), dtype, 1 + dtype, kit->stream));
    KIT_CUDA(cudaStreamSynchronize(kit->stream));
    kit->pool_bytes[dtype] = bytes;
    return kit->pool[dtype];
}

int kit_slots(const struct kit *kit, size_t bytes, size_t room_bytes, int most)
{
    /* With this many, even a perfect cache serves at most an eighth. */
    const size_t wanted = 1 + 8 * kit->l2_bytes / bytes;
    size_t slots = wanted < (size_t)most ? wanted : (size_t)most;
    if (slots > room_bytes / bytes)
        slots = room_bytes / bytes;
    return slots ? (int)slots : 1;
}

size_t kit_align(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}
