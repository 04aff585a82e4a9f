/* Timing by CUDA events around replays of a captured graph. */
#define _POSIX_C_SOURCE 200809L
#include "kit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TARGET_S  0.009 /* measured time of an ordinary case */
#define LONG_S    0.005 /* a launch at least this long is measured alone */
#define MOST_NODES 256

struct graph {
    cudaGraphExec_t exec;
    int n_nodes;
};

double kit_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void kit_sleep_s(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&pause, NULL);
}

bool kit_time_left(const struct kit *kit)
{
    return kit_now_s() < kit->deadline_s;
}

void kit_shuffle(void *items, size_t n, size_t item_bytes)
{
    char *base = items, spare[128];
    uint64_t state = 12345;
    if (item_bytes > sizeof spare)
        abort();
    for (size_t i = n; i > 1; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t j = (size_t)(state >> 33) % i;
        memcpy(spare, base + (i - 1) * item_bytes, item_bytes);
        memcpy(base + (i - 1) * item_bytes, base + j * item_bytes, item_bytes);
        memcpy(base + j * item_bytes, spare, item_bytes);
    }
}

/* The seconds between the events start and stop; waits for stop. */
static double elapsed_s(struct kit *kit)
{
    float ms = 0;
    KIT_CUDA(cudaEventSynchronize(kit->stop));
    KIT_CUDA(cudaEventElapsedTime(&ms, kit->start, kit->stop));
    return 1e-3 * (double)ms;
}

/* The time of one eager launch; negative if it failed. */
static double launch_s(struct kit *kit, kit_launch launch, const void *job, int i)
{
    KIT_CUDA(cudaEventRecord(kit->start, kit->stream));
    if (!launch(job, i))
        return -1;
    KIT_CUDA(cudaEventRecord(kit->stop, kit->stream));
    return elapsed_s(kit);
}

/* Capture launches 0..n_nodes-1 as one graph; exec is NULL if one was refused. */
static struct graph capture(struct kit *kit, kit_launch launch, const void *job, int n_nodes)
{
    struct graph graph = {.n_nodes = n_nodes};
    cudaGraph_t captured = NULL;
    bool good = true;
    KIT_CUDA(cudaStreamBeginCapture(kit->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < n_nodes && good; i++)
        good = launch(job, i);
    KIT_CUDA(cudaStreamEndCapture(kit->stream, &captured));
    if (good)
        KIT_CUDA(cudaGraphInstantiateWithFlags(&graph.exec, captured, 0));
    cudaGraphDestroy(captured);
    return graph;
}

static double replay_s(struct kit *kit, struct graph graph, int n)
{
    KIT_CUDA(cudaEventRecord(kit->start, kit->stream));
    for (int i = 0; i < n; i++)
        KIT_CUDA(cudaGraphLaunch(graph.exec, kit->stream));
    KIT_CUDA(cudaEventRecord(kit->stop, kit->stream));
    return elapsed_s(kit);
}

/* How often something fits into a time, at least once. */
static int n_in(double seconds, double one_s)
{
    return one_s < seconds / 2 ? (int)(seconds / (one_s + 1e-7)) : 1;
}

/* Warm up and capture a round that visits every slot, 1 to 3 ms long if possible. *one_s receives the time of an eager
 * launch. */
static struct graph prepare(struct kit *kit, kit_launch launch, const void *job, int n_slots, double *one_s)
{
    struct graph none = {0};
    *one_s = launch_s(kit, launch, job, 0); /* This also loads the kernel. */
    if (*one_s >= 0 && *one_s < LONG_S)
        *one_s = launch_s(kit, launch, job, n_slots - 1);
    if (*one_s < 0)
        return none;
    const int least = n_in(1e-3, *one_s), most = n_in(3e-3, *one_s); /* Products this long do not wait for weights. */
    const int n_nodes = n_slots < least ? least : n_slots < most ? n_slots : most;
    return capture(kit, launch, job, n_nodes < MOST_NODES ? n_nodes : MOST_NODES);
}

static double median3(double a, double b, double c)
{
    const double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

double kit_time_s(struct kit *kit, kit_launch launch, const void *job, int n_slots)
{
    double one_s = 0, busy_s, time_s;
    struct graph graph = prepare(kit, launch, job, n_slots, &one_s);
    if (!graph.exec)
        return -1;
    busy_s = 2 * one_s;
    if (one_s > LONG_S) {
        kit_sleep_s(2 * one_s);
        busy_s = time_s = replay_s(kit, graph, 1);
    } else {
        const double round_s = replay_s(kit, graph, 1);
        const int n = n_in(TARGET_S / 3, round_s);
        double batch_s[3];
        for (int i = 0; i < 3; i++) {
            batch_s[i] = replay_s(kit, graph, n);
            busy_s += batch_s[i];
        }
        busy_s += round_s;
        time_s = median3(batch_s[0], batch_s[1], batch_s[2]) / n;
    }
    cudaGraphExecDestroy(graph.exec);
    kit_sleep_s(busy_s < 0.15 ? 2 * busy_s : 0.3);
    return time_s / graph.n_nodes;
}

double kit_time_burst_s(struct kit *kit, kit_launch launch, const void *job, int n_slots)
{
    double one_s = 0;
    struct graph graph = prepare(kit, launch, job, n_slots, &one_s);
    if (!graph.exec)
        return -1;
    const double round_s = replay_s(kit, graph, 1);
    const int n = n_in(0.04, round_s);
    kit_sleep_s(0.2);
    const double time_s = replay_s(kit, graph, n) / n / graph.n_nodes;
    cudaGraphExecDestroy(graph.exec);
    return time_s;
}

/* Keep the GPU busy for `seconds` with chunks of 20 ms, of which one is always queued. Returns the number of
 * replays. */
static long keep_busy(struct kit *kit, struct graph graph, double round_s, double seconds, void (*sample)(void *),
                      void *context)
{
    const int chunk = n_in(0.02, round_s);
    const double end_s = kit_now_s() + seconds;
    cudaEvent_t done[2];
    long n = 0;
    for (int i = 0; i < 2; i++)
        KIT_CUDA(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    for (int i = 0; kit_now_s() < end_s; i ^= 1, n += chunk) {
        for (int j = 0; j < chunk; j++)
            KIT_CUDA(cudaGraphLaunch(graph.exec, kit->stream));
        KIT_CUDA(cudaEventRecord(done[i], kit->stream));
        KIT_CUDA(cudaEventSynchronize(done[i ^ 1])); /* An event that was never recorded counts as done. */
        if (sample)
            sample(context);
    }
    for (int i = 0; i < 2; i++)
        KIT_CUDA(cudaEventDestroy(done[i]));
    return n;
}

double kit_time_sustained_s(struct kit *kit, kit_launch launch, const void *job, int n_slots, void (*sample)(void *),
                            void *context)
{
    double one_s = 0;
    struct graph graph = prepare(kit, launch, job, n_slots, &one_s);
    if (!graph.exec)
        return -1;
    const double round_s = replay_s(kit, graph, 1);
    keep_busy(kit, graph, round_s, 1.5, NULL, NULL);
    KIT_CUDA(cudaEventRecord(kit->start, kit->stream));
    const long n = keep_busy(kit, graph, round_s, 1.0, sample, context);
    KIT_CUDA(cudaEventRecord(kit->stop, kit->stream));
    const double time_s = elapsed_s(kit) / (double)n / graph.n_nodes;
    cudaGraphExecDestroy(graph.exec);
    return time_s;
}

double kit_time_eager_s(struct kit *kit, kit_launch launch, const void *job, int n)
{
    if (launch_s(kit, launch, job, 0) < 0)
        return -1;
    KIT_CUDA(cudaEventRecord(kit->start, kit->stream));
    for (int i = 0; i < n; i++)
        if (!launch(job, i))
            return -1;
    KIT_CUDA(cudaEventRecord(kit->stop, kit->stream));
    return elapsed_s(kit) / n;
}
