/* Fused attention and memory-bound kernels, and the dispatch over a list of operators. Eqs. 40, 42-46. */
#include "cost/cost.h"

#include "base/number.h"

#include <math.h>

/* The query rows of a thread block. */
#define FLASH_BLOCK 128

/* Kernels are built for a few head sizes; other heads run as the next larger size. */
static double padded_head(double head)
{
    static const double SIZES[] = {64, 96, 128, 192, 256};
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
        if (head <= SIZES[i]) return SIZES[i];
    return head;
}

/* Eq. 372: what no flash kernel takes runs in the memory-efficient one, where its rate is known. cuDNN and
 * FlashAttention 3 need heads of a multiple of 8; for others frameworks use FlashAttention 2. */
static enum orr_attention_kernel usable_kernel(const struct orr_job *job, const struct orr_op *op)
{
    const enum orr_attention_kernel kernel = job->workload.attention;
    const bool timed = job->calibration.attention[ORR_ATTENTION_EFFICIENT].forward_frac > 0;
    if (op->general && timed && kernel != ORR_ATTENTION_SERVING) return ORR_ATTENTION_EFFICIENT;
    return kernel == ORR_ATTENTION_FLASH3 && fmod(op->head_size, 8) > 0 ? ORR_ATTENTION_FLASH2 : kernel;
}

/* The seconds on the matrix units (u_FA of Eq. 46). A block of queries walks its keys at the kernel's rate after a
 * start that takes as long as `half` keys of a full block, even if the block has few queries. With fewer blocks than
 * SMs the longest walk decides, which is that of a full block where there is one; with more, the last blocks leave most
 * of the chip idle for part of a walk. */
static double flash_s(const struct orr_attention_constants *u, const struct orr_op *op, double peak, double n_sm)
{
    const bool backward = op->kind == ORR_OP_FLASH_BACKWARD;
    const double wide = backward && op->head_size > 128 && u->backward_wide_frac > 0 ? u->backward_wide_frac : 1;
    const double frac = (backward ? u->backward_frac : u->forward_frac) * wide;
    const double half = backward ? u->backward_half_seq : u->forward_half_seq;
    const double last = backward && u->backward_tail > 0 ? u->backward_tail : u->tail;
    const double padded = padded_head(op->head_size);
    const double head = (padded <= 64 ? u->head_64_frac : padded <= 96 ? u->head_96_frac : 1) * op->head_size / padded;
    const double blocks_per_head = orr_ceil(op->m / FLASH_BLOCK), start = half / op->n;
    const double full = orr_max(1, op->m / FLASH_BLOCK), empty = orr_max(1, FLASH_BLOCK / op->m);
    const double even = 1 + start * orr_max(1, blocks_per_head * FLASH_BLOCK / op->m);
    const double longest =
        n_sm / (op->batch * full) * (1 + start * empty) * (op->walk_ratio + start) / (1 + start); /* Eq. 45 */
    const double tail = op->batch * blocks_per_head > n_sm ? last * longest : 0;
    const double even_s = op->flops / (peak * frac * head) * (orr_max(even, longest) + tail);
    return even_s * (1 + op->imbalance_frac); /* Eq. 15 */
}

void orr_cost_flash(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    const struct orr_chip *chip = &job->system.chip;
    const enum orr_attention_kernel kernel = usable_kernel(job, op);
    const struct orr_gemm_constants *gemm = &job->calibration.gemm[op->dtype];
    const double peak = chip->peak_flops_per_s[op->dtype];
    *cost = (struct orr_cost){.launch_s = job->calibration.attention[kernel].launch_s,
                              .dram_bytes = op->bytes,
                              .l2_bytes = op->bytes,
                              .matrix_frac = gemm->burst_frac,
                              .matrix_s = op->flops * (1 + op->imbalance_frac) / (peak * gemm->burst_frac)};
    cost->compute_s = flash_s(&job->calibration.attention[kernel], op, peak, (double)chip->n_sm);
    cost->dram_s = op->bytes / (chip->hbm_bytes_per_s * gemm->dram_frac);
    cost->bound = cost->compute_s >= cost->dram_s ? ORR_BOUND_COMPUTE : ORR_BOUND_DRAM;
    cost->total_s = orr_max(cost->compute_s, cost->dram_s) + cost->launch_s;
}

/* Frameworks keep rows of up to this many columns in registers; longer rows are read several times. */
#define SOFTMAX_SHORT_ROW 1024.0
#define SOFTMAX_LONG_ROW  8192.0

static double pointwise_frac(const struct orr_job *job, const struct orr_op *op)
{
    const struct orr_calibration *calibration = &job->calibration;
    if (op->pointwise != ORR_POINTWISE_SOFTMAX || job->engine.fused_softmax || op->n <= 0)
        return calibration->pointwise_frac[op->pointwise];
    if (op->phase == ORR_PHASE_BACKWARD) return calibration->softmax_unfused_backward_frac;
    const double row = orr_min(SOFTMAX_LONG_ROW, orr_max(SOFTMAX_SHORT_ROW, op->n));
    return calibration->softmax_unfused_frac * sqrt(SOFTMAX_SHORT_ROW / row);
}

/* FLOP per byte of traffic: the operations per element in the fused forward kernel over the bytes that it reads and
 * writes, at 16 bits unless another width is named. A multiply-add counts as two; an exponential, root or quotient
 * counts as one. */
static const double POINTWISE_FLOP_PER_BYTE[ORR_N_POINTWISES] = {
    [ORR_POINTWISE_ADD] = 1.0 / 6,        /* a + b: two read, one written */
    [ORR_POINTWISE_ACTIVATION] = 5.0 / 6, /* x / (1 + exp(-x)) · y; RoPE has 3 over 4 bytes */
    [ORR_POINTWISE_GELU] = 8.0 / 4,       /* x / 2 · (1 + tanh(a · (x + b · x³))) */
    [ORR_POINTWISE_DROPOUT] = 2.0 / 5,    /* compare and scale; a mask of one byte */
    [ORR_POINTWISE_LAYERNORM] = 7.0 / 4,  /* sum 1, sum of squares 2, (x - mean) · scale · weight + bias 4 */
    [ORR_POINTWISE_RMSNORM] = 4.0 / 4,    /* sum of squares 2, scale and weight 2 */
    [ORR_POINTWISE_SOFTMAX] = 6.0 / 4,    /* scale, maximum, difference, exponential, sum, quotient */
    [ORR_POINTWISE_SCATTER] = 1.0 / 6,    /* one sum */
    [ORR_POINTWISE_CAST] = 2.0 / 3,       /* maximum and scale; 16 bits to 8 */
    [ORR_POINTWISE_LOSS] = 4.0 / 4,       /* maximum, difference, exponential, sum */
    [ORR_POINTWISE_ADAM] = 14.0 / 28,     /* moments 3 and 4, root, quotient, update and decay 7; fp32 states */
};

/* Eq. 40: the traffic over the sustained rate of this class of kernel, or the arithmetic over the rate of the vector
 * units, whichever takes longer. */
void orr_cost_pointwise(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    *cost = (struct orr_cost){.dram_bytes = op->bytes, .l2_bytes = op->bytes};
    cost->dram_s = op->bytes / (job->system.chip.hbm_bytes_per_s * pointwise_frac(job, op));
    cost->compute_s = op->bytes * POINTWISE_FLOP_PER_BYTE[op->pointwise] / job->system.chip.vector_flops_per_s;
    const double launch_s = op->fixed_s > 0 ? op->fixed_s : job->calibration.pointwise_launch_s; /* Eq. 397 */
    cost->launch_s = op->joined ? 0 : op->launches * launch_s;
    const double busy_s = orr_max(cost->compute_s, cost->dram_s);
    cost->bound = cost->launch_s > busy_s          ? ORR_BOUND_OVERHEAD
                  : cost->compute_s > cost->dram_s ? ORR_BOUND_COMPUTE
                                                   : ORR_BOUND_DRAM;
    cost->total_s = busy_s + cost->launch_s;
    if (cost->total_s < op->floor_s) {
        cost->launch_s = op->floor_s - busy_s;
        cost->total_s = op->floor_s;
        cost->bound = ORR_BOUND_OVERHEAD;
    }
}

double orr_cost_at_s(const struct orr_cost *cost, double clock_frac)
{
    if (cost->matrix_frac <= 0) return cost->total_s;
    return orr_joined_s(cost->partial_overlap, cost->compute_s / clock_frac, cost->l2_s, cost->dram_s) + cost->launch_s;
}

void orr_cost_one(const struct orr_job *job, const struct orr_op *op, struct orr_cost *cost)
{
    switch (op->kind) {
    case ORR_OP_GEMM:
    case ORR_OP_BMM: orr_cost_gemm(job, op, cost); return;
    case ORR_OP_GROUPED: orr_cost_grouped(job, op, cost); return;
    case ORR_OP_FLASH:
    case ORR_OP_FLASH_BACKWARD: orr_cost_flash(job, op, cost); return;
    case ORR_OP_DECODE: orr_cost_decode(job, op, cost); return;
    case ORR_OP_SCAN: orr_cost_scan(job, op, cost); return;
    case ORR_OP_POINTWISE: orr_cost_pointwise(job, op, cost); return;
    case ORR_OP_COLLECTIVE: orr_cost_collective(job, op, cost); return;
    case ORR_N_OP_KINDS: break;
    }
}

/* Eq. 325: what a hidden transfer takes from the compute beside it. Collectives hold 20 to 24 SMs. Sends of a group
 * that leaves its domain have two channels for each peer, every channel a thread block on an SM (NCCL, paths.cc:
 * NCCL_NCHANNELS_PER_NET_PEER, and no more inside a node), and a ring sends to one peer and receives from another. */
#define RING_BLOCKS 4.0
static double contention_frac(const struct orr_job *job, const struct orr_op *op, const struct orr_cost *cost)
{
    const double collective_frac = job->calibration.overlap_contention_frac;
    if (op->collective != ORR_COLLECTIVE_P2P || !cost->across) return collective_frac;
    return orr_min(collective_frac, RING_BLOCKS / (double)job->system.chip.n_sm);
}

/* Eq. 64: a collective is hidden under the operator that it may run beside, or pipelined with its neighbour as far as
 * the engine can. Eq. 65: a hidden transfer still takes units and bandwidth from the compute beside it. */
static void hide(const struct orr_job *job, const struct orr_op *op, const struct orr_cost *costs,
                 struct orr_cost *cost)
{
    double hidden_s = 0;
    if (op->window_op >= 0) hidden_s = orr_min(cost->total_s, costs[op->window_op].total_s);
    if (op->group == ORR_GROUP_TP && job->kind == ORR_JOB_TRAIN && orr_may_overlap(&job->plan, ORR_GROUP_TP))
        hidden_s += (cost->total_s - hidden_s) * job->engine.tp_overlap_frac;
    if ((op->group == ORR_GROUP_EP || op->group == ORR_GROUP_ETP) && orr_may_overlap(&job->plan, ORR_GROUP_EP))
        hidden_s += (cost->total_s - hidden_s) * job->engine.ep_overlap_frac;
    cost->hidden_s = hidden_s * (1 - contention_frac(job, op, cost));
}

/* Does the engine or the schedule run the forward of one micro-batch beside the backward of another, layer by
 * layer? Transfers between expert ranks in different domains are then hidden under the compute of both directions. */
static bool experts_overlap(const struct orr_job *job)
{
    const struct orr_plan *plan = &job->plan;
    const bool interleaved = job->engine.ep_overlap_interleaved && plan->schedule == ORR_SCHEDULE_INTERLEAVED;
    if (job->kind != ORR_JOB_TRAIN || !(interleaved || orr_is_dual(plan->schedule))) return false;
    if (!orr_may_overlap(plan, ORR_GROUP_EP) || job->workload.recompute == ORR_RECOMPUTE_FULL) return false;
    return orr_place(&job->system, plan->ep, orr_group_stride(plan, ORR_GROUP_EP)).domains > 1;
}

/* What an operator of a layer adds to the time beside which transfers between expert ranks run: a kernel its own, and
 * another collective what it adds to kernels, less the time that it uses the same links (Eq. 64). Those inside an
 * expert are part of the exchange, and follow in its stream. */
static double beside_experts_s(const struct orr_op *op, const struct orr_cost *cost)
{
    if (op->kind != ORR_OP_COLLECTIVE) return cost->total_s;
    return cost->across ? -cost->hidden_s : cost->total_s - cost->hidden_s;
}

static void hide_experts(const struct orr_job *job, const struct orr_op_list *list, int64_t layer_kind,
                         struct orr_cost *costs)
{
    double window_s = 0, transfer_s = 0;
    for (size_t i = 0; i < list->n; i++) {
        const enum orr_group group = list->items[i].group;
        if (list->items[i].layer_kind != layer_kind) continue;
        if (group == ORR_GROUP_EP) transfer_s += costs[i].total_s;
        else if (group == ORR_GROUP_NONE || group == ORR_GROUP_TP || group == ORR_GROUP_CP)
            window_s += beside_experts_s(&list->items[i], &costs[i]);
    }
    if (transfer_s <= 0) return;
    const double share = orr_min(1, orr_max(0, window_s) / transfer_s) *
                         (1 - job->calibration.overlap_contention_frac); /* Eqs. 64, 65 */
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].layer_kind == layer_kind && list->items[i].group == ORR_GROUP_EP)
            costs[i].hidden_s = orr_max(costs[i].hidden_s, share * costs[i].total_s);
}

/* Do two operators of the same kind take the same time? */
static bool same_cost(const struct orr_op *a, const struct orr_op *b)
{
    if (a->kind == ORR_OP_COLLECTIVE)
        return a->payload_bytes == b->payload_bytes && a->group == b->group && a->ranks == b->ranks &&
               a->from_drives == b->from_drives && a->collective == b->collective && a->n_active == b->n_active &&
               a->n_experts == b->n_experts && a->n_groups_active == b->n_groups_active && a->n_groups == b->n_groups;
    return a->m == b->m && a->n == b->n && a->k == b->k && a->batch == b->batch && a->output_bytes == b->output_bytes &&
           a->wgrad == b->wgrad && a->dtype == b->dtype && a->weight_bytes == b->weight_bytes;
}

static bool is_remembered(enum orr_op_kind kind)
{
    return kind == ORR_OP_GEMM || kind == ORR_OP_BMM || kind == ORR_OP_GROUPED || kind == ORR_OP_COLLECTIVE;
}

/* The operators of the range whose cost may be reused, by their index. */
struct priced {
    size_t n;
    double sizes[ORR_MAX_OPS]; /* compared first: FLOP of a product, payload of a collective */
    uint16_t items[ORR_MAX_OPS];
};

/* Reuse the cost of an operator of the same shape: the dgrad of one linear layer is often the forward of another,
 * and a layer reduces the same tensor several times. */
static void cost_remembered(const struct orr_job *job, const struct orr_op_list *list, size_t i, struct orr_cost *costs,
                            struct priced *priced)
{
    const struct orr_op *op = &list->items[i];
    const double size = op->kind == ORR_OP_COLLECTIVE ? op->payload_bytes : op->flops;
    for (size_t j = priced->n; j-- > 0;) {
        const struct orr_op *earlier = &list->items[priced->items[j]];
        if (priced->sizes[j] != size || earlier->kind != op->kind || !same_cost(earlier, op)) continue;
        costs[i] = costs[priced->items[j]];
        return;
    }
    orr_cost_one(job, op, &costs[i]);
    priced->sizes[priced->n] = size;
    priced->items[priced->n++] = (uint16_t)i;
}

void orr_cost_list(const struct orr_job *job, const struct orr_op_list *list, struct orr_cost *costs)
{
    orr_cost_range(job, list, 0, costs);
    if (!experts_overlap(job)) return;
    for (int64_t k = 0; k < job->model.n_kinds; k++) hide_experts(job, list, k, costs);
}

void orr_cost_range(const struct orr_job *job, const struct orr_op_list *list, size_t first, struct orr_cost *costs)
{
    struct priced priced;
    priced.n = 0;
    for (size_t i = first; i < list->n; i++)
        if (is_remembered(list->items[i].kind)) cost_remembered(job, list, i, costs, &priced);
        else orr_cost_one(job, &list->items[i], &costs[i]);
    for (size_t i = first; i < list->n; i++)
        if (list->items[i].kind == ORR_OP_COLLECTIVE) hide(job, &list->items[i], costs, &costs[i]);
}
