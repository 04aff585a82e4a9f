/* The kit's own kernels (kernels.cu), callable from C. All are enqueued on `stream`. Tensors are bf16 unless another
 * type is named. */
#ifndef KIT_KERNELS_H
#define KIT_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kit_dtype { KIT_BF16, KIT_FP16, KIT_FP8, KIT_TF32, KIT_N_DTYPES }; /* TF32: stored as fp32 */

enum kit_op { KIT_ADD, KIT_COPY, KIT_GELU, KIT_SILU_MUL, KIT_LAYERNORM, KIT_RMSNORM, KIT_SOFTMAX, KIT_N_OPS };

/* Fill with n normal random numbers (mean 0, deviation 1). */
cudaError_t kit_fill_normal(void *data, size_t n, enum kit_dtype dtype, unsigned seed, cudaStream_t stream);
/* out[rows, cols] = op(a, b). cols is a multiple of 8, and at most 16384 for the row operations. b is the second
 * operand of ADD and SILU_MUL, or the weight and then the bias of the norms, `cols` each. Pointers are aligned to 16
 * bytes. */
cudaError_t kit_pointwise(enum kit_op op, const void *a, const void *b, void *out, long rows, long cols,
                          cudaStream_t stream);
/* One AdamW step on n fp32 parameters, n a multiple of 4. It reads 16 and writes 12 bytes per parameter. */
cudaError_t kit_adam(float *weight, const float *gradient, float *moment1, float *moment2, size_t n,
                     cudaStream_t stream);
cudaError_t kit_empty(cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
