/* pointwise.csv and adam.csv: the kit's own memory-bound kernels. The column bytes is the ideal traffic. Buffers rotate
 * beyond L2, up to 256 of them (tensors below 1/256 of L2 stay inside it), except for copy_hot, which measures L2
 * itself. */
#include "kit.h"

#include <stdlib.h>

struct pointwise_case {
    const struct kit *kit;
    enum kit_op op;
    const char *name;
    long rows, cols;
    bool hot;
    int n_slots;
    const char *pool;
    size_t stride; /* bytes of one tensor */
};

#define MOST_CASES 256
#define ELEMENT    2 /* bytes of bf16 */

static const struct {
    const char *name;
    int n_inputs; /* number of tensors read */
} ops[KIT_N_OPS] = {
    [KIT_ADD] = {"add", 2},        [KIT_COPY] = {"copy", 1},       [KIT_GELU] = {"gelu", 1},
    [KIT_SILU_MUL] = {"swiglu", 2}, [KIT_LAYERNORM] = {"layernorm", 1}, [KIT_RMSNORM] = {"rmsnorm", 1},
    [KIT_SOFTMAX] = {"softmax", 1},
};

static size_t all_cases(struct pointwise_case cases[MOST_CASES])
{
    static const long rows[] = {1, 16, 128, 1024, 4096, 16384, 65536}, cols[] = {1024, 4096, 8192, 12288};
    size_t n = 0;
    for (int op = 0; op < KIT_N_OPS; op++)
        for (int r = 0; r < 7; r++)
            for (int c = 0; c < 4; c++)
                cases[n++] = (struct pointwise_case){
                    .op = (enum kit_op)op, .name = ops[op].name, .rows = rows[r], .cols = cols[c]};
    for (long size = 8192; size <= 1L << 29; size *= 2)
        cases[n++] = (struct pointwise_case){.op = KIT_COPY, .name = "copy_hot", .rows = 1, .cols = size, .hot = true};
    kit_shuffle(cases, n, sizeof *cases);
    return n;
}

static bool launch(const void *job, int i)
{
    const struct pointwise_case *item = job;
    const size_t slot = (size_t)(i % item->n_slots);
    const char *a = item->pool + slot * (size_t)ops[item->op].n_inputs * item->stride;
    const char *b = ops[item->op].n_inputs == 2 ? a + item->stride : item->pool; /* or the weight and bias of a norm */
    KIT_CUDA(kit_pointwise(item->op, a, b, (char *)item->kit->output + slot * item->stride, item->rows, item->cols,
                           item->kit->stream));
    return true;
}

static bool launch_empty(const void *job, int i)
{
    const struct kit *kit = job;
    (void)i;
    KIT_CUDA(kit_empty(kit->stream));
    return true;
}

/* The seconds of a case; negative if it does not fit. */
static double measure(struct kit *kit, struct pointwise_case *item)
{
    const size_t n_inputs = (size_t)ops[item->op].n_inputs;
    item->kit = kit;
    item->pool = kit_pool(kit, KIT_BF16);
    item->stride = kit_align((size_t)item->rows * (size_t)item->cols * ELEMENT);
    if (!item->pool || n_inputs * item->stride > kit->pool_bytes[KIT_BF16] || item->stride > kit->output_bytes) {
        fprintf(stderr, "kit: skipped %s %ldx%ld: does not fit into the buffers\n", item->name, item->rows, item->cols);
        return -1;
    }
    const size_t room = kit->pool_bytes[KIT_BF16] / n_inputs < kit->output_bytes
                            ? kit->pool_bytes[KIT_BF16] / n_inputs
                            : kit->output_bytes;
    item->n_slots = item->hot ? 1 : kit_slots(kit, item->stride, room, 256);
    return kit_time_s(kit, launch, item, item->n_slots);
}

/* The row of copy_hot is in bytes (u8), because its buffer is not a tensor. */
static void write_row(FILE *csv, const struct kit *kit, const struct pointwise_case *item, double time_s)
{
    const double bytes = (double)item->rows * (double)item->cols * ELEMENT * (ops[item->op].n_inputs + 1);
    fprintf(csv, "%s,%ld,%ld,%s,%.0f,%.6g", item->name, item->rows, item->hot ? item->cols * ELEMENT : item->cols,
            item->hot ? "u8" : "bf16", bytes, time_s);
    kit_csv_end(csv, kit->source);
}

static void measure_launches(struct kit *kit, FILE *csv)
{
    fprintf(csv, "launch_graph,1,1,f32,8,%.6g", kit_time_s(kit, launch_empty, kit, 1));
    kit_csv_end(csv, kit->source);
    fprintf(csv, "launch_eager,1,1,f32,8,%.6g", kit_time_eager_s(kit, launch_empty, kit, 2000));
    kit_csv_end(csv, kit->source);
}

void kit_run_pointwise(struct kit *kit)
{
    struct pointwise_case *cases = calloc(MOST_CASES, sizeof *cases);
    if (!cases)
        kit_fail("out of memory");
    const size_t n = all_cases(cases);
    FILE *csv = kit->list_only ? NULL
                               : kit_csv_open(kit->out_dir, "pointwise.csv", "op,rows,cols,dtype,bytes,time_s,source");
    size_t done = 0;
    if (csv)
        measure_launches(kit, csv);
    for (size_t i = 0; i < n && kit_time_left(kit); i++) {
        if (kit->list_only) {
            printf("pointwise %s %ld %ld\n", cases[i].name, cases[i].rows, cases[i].cols);
            continue;
        }
        const double time_s = measure(kit, &cases[i]);
        if (time_s <= 0)
            continue;
        write_row(csv, kit, &cases[i], time_s);
        done++;
    }
    free(cases);
    if (csv) {
        fprintf(stderr, "kit: pointwise: %zu of %zu cases\n", done, n);
        fclose(csv);
    }
}

struct adam_job {
    const struct kit *kit;
    float *state[4]; /* weight, gradient, first and second moment */
    size_t n;
};

static bool launch_adam(const void *job, int i)
{
    const struct adam_job *adam = job;
    (void)i;
    KIT_CUDA(kit_adam(adam->state[0], adam->state[1], adam->state[2], adam->state[3], adam->n, adam->kit->stream));
    return true;
}

/* The seconds of a step on n parameters; negative if the GPU has no room. */
static double measure_adam(struct kit *kit, size_t n)
{
    struct adam_job adam = {.kit = kit, .n = n};
    double time_s = -1;
    int made = 0;
    while (made < 4 && cudaMalloc((void **)&adam.state[made], n * sizeof(float)) == cudaSuccess)
        made++;
    cudaGetLastError(); /* A refused allocation is no error here. */
    if (made == 4) {
        for (int i = 0; i < 3; i++)
            KIT_CUDA(kit_fill_normal(adam.state[i], n, KIT_TF32, 7, kit->stream));
        KIT_CUDA(cudaMemsetAsync(adam.state[3], 0, n * sizeof(float), kit->stream));
        time_s = kit_time_s(kit, launch_adam, &adam, 1);
    }
    for (int i = 0; i < made; i++)
        cudaFree(adam.state[i]);
    return time_s;
}

void kit_run_adam(struct kit *kit)
{
    FILE *csv = kit->list_only ? NULL : kit_csv_open(kit->out_dir, "adam.csv", "params,dtype,bytes,time_s,source");
    for (int shift = 29; shift >= 14 && kit_time_left(kit); shift--) {
        const size_t n = (size_t)1 << shift;
        if (kit->list_only) {
            printf("adam %zu\n", n);
            continue;
        }
        const double time_s = measure_adam(kit, n);
        if (time_s <= 0)
            continue;
        fprintf(csv, "%zu,fp32,%zu,%.6g", n, 28 * n, time_s);
        kit_csv_end(csv, kit->source);
    }
    if (csv)
        fclose(csv);
}
