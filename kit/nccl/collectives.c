/* kit_nccl: time NCCL collectives between the GPUs of one machine in one process, and write allreduce.csv,
 * allgather.csv, reducescatter.csv, alltoall.csv and p2p.csv. Groups have 2, 4, 8, ... GPUs; data are fp16; launches
 * are eager, back to back. */
#include "../csv.h"

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GPUS  16
#define MOST_BYTES ((size_t)1 << 30)
#define ELEMENT    2 /* bytes of fp16 */

enum collective { ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, P2P, N_COLLECTIVES };

static const struct {
    const char *file, *header;
} outputs[N_COLLECTIVES] = {
    [ALLREDUCE] = {"allreduce.csv", "n_gpus,bytes,dtype,time_s,backend,source"},
    [ALLGATHER] = {"allgather.csv", "n_gpus,bytes,dtype,time_s,backend,source"},
    [REDUCESCATTER] = {"reducescatter.csv", "n_gpus,bytes,dtype,time_s,backend,source"},
    [ALLTOALL] = {"alltoall.csv", "n_gpus,bytes,dtype,tokens,hidden,experts,topk,time_s,backend,source"},
    [P2P] = {"p2p.csv", "n_gpus,bytes,dtype,time_s,backend,source"},
};

struct group {
    int n;
    ncclComm_t comm[MOST_GPUS];
    cudaStream_t stream[MOST_GPUS];
    cudaEvent_t start[MOST_GPUS], stop[MOST_GPUS];
    char *in[MOST_GPUS], *out[MOST_GPUS];
};

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) kit_fail("%s: %s", #call, cudaGetErrorString(error));                                \
    } while (0)
#define NCCL(call)                                                                                                     \
    do {                                                                                                               \
        const ncclResult_t result = (call);                                                                            \
        if (result != ncclSuccess) kit_fail("%s: %s", #call, ncclGetErrorString(result));                              \
    } while (0)

static void group_open(struct group *group, int n)
{
    group->n = n;
    NCCL(ncclCommInitAll(group->comm, n, NULL));
    for (int i = 0; i < n; i++) {
        CUDA(cudaSetDevice(i));
        CUDA(cudaStreamCreateWithFlags(&group->stream[i], cudaStreamNonBlocking));
        CUDA(cudaEventCreate(&group->start[i]));
        CUDA(cudaEventCreate(&group->stop[i]));
        CUDA(cudaMalloc((void **)&group->in[i], MOST_BYTES));
        CUDA(cudaMalloc((void **)&group->out[i], MOST_BYTES));
        CUDA(cudaMemset(group->in[i], 0x11, MOST_BYTES));
    }
}

static void group_close(struct group *group)
{
    for (int i = 0; i < group->n; i++) {
        CUDA(cudaSetDevice(i));
        CUDA(cudaFree(group->in[i]));
        CUDA(cudaFree(group->out[i]));
        CUDA(cudaEventDestroy(group->start[i]));
        CUDA(cudaEventDestroy(group->stop[i]));
        CUDA(cudaStreamDestroy(group->stream[i]));
        NCCL(ncclCommDestroy(group->comm[i]));
    }
}

/* Enqueue the part of one rank. `bytes` is the buffer of an all-reduce, the total output of a gather, the total
 * input of a scatter, what a rank sends in an all-to-all including its own share, or the message from rank 0 to rank
 * 1 (p2p). */
static void enqueue(const struct group *group, enum collective kind, int i, size_t bytes)
{
    const size_t n = bytes / ELEMENT, share = n / (size_t)group->n;
    char *in = group->in[i], *out = group->out[i];
    const ncclComm_t comm = group->comm[i];
    const cudaStream_t stream = group->stream[i];
    switch (kind) {
    case ALLREDUCE: NCCL(ncclAllReduce(in, out, n, ncclHalf, ncclSum, comm, stream)); break;
    case ALLGATHER: NCCL(ncclAllGather(in, out, share, ncclHalf, comm, stream)); break;
    case REDUCESCATTER: NCCL(ncclReduceScatter(in, out, share, ncclHalf, ncclSum, comm, stream)); break;
    case ALLTOALL:
        for (int peer = 0; peer < group->n; peer++) {
            NCCL(ncclSend(in + (size_t)peer * share * ELEMENT, share, ncclHalf, peer, comm, stream));
            NCCL(ncclRecv(out + (size_t)peer * share * ELEMENT, share, ncclHalf, peer, comm, stream));
        }
        break;
    case P2P:
        if (i == 0) NCCL(ncclSend(in, n, ncclHalf, 1, comm, stream));
        if (i == 1) NCCL(ncclRecv(out, n, ncclHalf, 0, comm, stream));
        break;
    case N_COLLECTIVES: break;
    }
}

/* The seconds per call of the slowest rank over n calls. */
static double measure(struct group *group, enum collective kind, size_t bytes, int n)
{
    double slowest_s = 0;
    for (int call = -2; call <= n; call++) { /* The first two calls warm up. */
        for (int i = 0; i < group->n && (call == 0 || call == n); i++) {
            CUDA(cudaSetDevice(i));
            CUDA(cudaEventRecord(call == 0 ? group->start[i] : group->stop[i], group->stream[i]));
        }
        if (call == n)
            break;
        NCCL(ncclGroupStart());
        for (int i = 0; i < group->n; i++)
            enqueue(group, kind, i, bytes);
        NCCL(ncclGroupEnd());
    }
    for (int i = 0; i < group->n; i++) {
        float ms = 0;
        CUDA(cudaSetDevice(i));
        CUDA(cudaStreamSynchronize(group->stream[i]));
        CUDA(cudaEventElapsedTime(&ms, group->start[i], group->stop[i]));
        slowest_s = 1e-3 * (double)ms > slowest_s ? 1e-3 * (double)ms : slowest_s;
    }
    return slowest_s / n;
}

static void run_group(struct group *group, const char *dir, const char *source)
{
    int version = 0;
    NCCL(ncclGetVersion(&version));
    for (int kind = 0; kind < N_COLLECTIVES; kind++) {
        if (kind == P2P && group->n != 2)
            continue;
        FILE *csv = kit_csv_open(dir, outputs[kind].file, outputs[kind].header);
        for (size_t bytes = 512; bytes <= MOST_BYTES; bytes *= 2) {
            const int n = bytes <= (size_t)1 << 20 ? 200 : bytes <= (size_t)1 << 26 ? 40 : 10;
            const double time_s = measure(group, (enum collective)kind, bytes, n);
            fprintf(csv, "%d,%zu,fp16,%s%.6g,nccl %d.%d.%d", group->n, bytes, kind == ALLTOALL ? ",,,," : "", time_s,
                    version / 10000, version / 100 % 100, version % 100);
            kit_csv_end(csv, source);
        }
        fclose(csv);
    }
}

int main(int argc, char **argv)
{
    const char *dir = ".", *source = NULL;
    char standard[320];
    struct cudaDeviceProp properties;
    int n_gpus = 0;
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && !strcmp(argv[i], "--out")) dir = argv[++i];
        else if (i + 1 < argc && !strcmp(argv[i], "--source")) source = argv[++i];
        else return fprintf(stderr, "usage: kit_nccl [--out DIR] [--source TEXT]\n"), 2;
    }
    CUDA(cudaGetDeviceCount(&n_gpus));
    if (n_gpus < 2)
        kit_fail("collectives need two GPUs; this machine shows %d", n_gpus);
    CUDA(cudaGetDeviceProperties(&properties, 0));
    snprintf(standard, sizeof standard, "%s x%d, one machine, kit 1", properties.name, n_gpus);
    for (int n = 2; n <= n_gpus && n <= MOST_GPUS; n *= 2) {
        struct group group = {0};
        group_open(&group, n);
        run_group(&group, dir, source ? source : standard);
        group_close(&group);
        fprintf(stderr, "kit: %d GPUs done\n", n);
    }
    return 0;
}
