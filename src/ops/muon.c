/* Muon: the momentum of every weight matrix of a layer is made nearly orthogonal by Newton-Schulz iterations, which are
 * products in 16 bits; all other parameters have AdamW. Matrices of a stage -> operators of the optimizer. Eq. 167. */
#include "ops/muon.h"

#include "base/number.h"
#include "ops/mixer.h"

/* Five iterations are what the published optimizers take (K. Jordan's Muon, Moonlight, torch.optim.Muon). */
#define ITERATIONS 5
/* Kernels of a pass over all matrices, which frameworks launch one by one for each matrix. */
#define PASS_LAUNCHES 1

/* Adds so many matrices of a shape, and joins those that are equal but for their order. */
static void add(struct orr_matrices *all, double rows, double columns, double count)
{
    const double low = orr_min(rows, columns), high = orr_max(rows, columns);
    if (low < 1 || count <= 0) return;
    all->count += count;
    all->params += count * low * high;
    for (int i = 0; i < all->n; i++)
        if (all->items[i].low == low && all->items[i].high == high) {
            all->items[i].count += count;
            return;
        }
    if (all->n < ORR_MAX_MATRICES) all->items[all->n++] = (struct orr_matrix){low, high, count};
    else
        all->items[all->n - 1].count += count * low * high / (all->items[all->n - 1].low * all->items[all->n - 1].high);
}

/* Projections of attention: heads are divided over the tensor-parallel ranks, each of which has a matrix of its own. */
static void add_attention(const struct orr_job *job, const struct orr_layer_kind *kind, double count,
                          struct orr_matrices *all)
{
    const double h = (double)job->model.hidden, t = (double)job->plan.tp, heads = (double)kind->n_heads / t;
    const double kv = kind->shared_kv ? 0 : orr_max(1, (double)kind->n_kv_heads / t);
    const double d_qk = (double)kind->head_qk, d_v = (double)kind->head_v;
    if (kind->mla_kv_rank > 0) {
        const double r = (double)kind->mla_kv_rank, r_q = (double)kind->mla_q_rank, d_r = (double)kind->mla_rope;
        add(all, r_q, h, r_q > 0 ? count : 0);
        add(all, heads * d_qk, r_q > 0 ? r_q : h, count);
        add(all, r + d_r, h, count);
        add(all, heads * (d_qk - d_r + d_v), r, count);
    } else {
        add(all, heads * d_qk, h, count);
        add(all, kv * d_qk, h, count);
        add(all, kv * d_v, h, kind->kv_equal ? 0 : count);
    }
    add(all, h, heads * d_v, count);
}

static void add_layer(const struct orr_job *job, const struct orr_layer_kind *kind, double count,
                      struct orr_matrices *all)
{
    const double h = (double)job->model.hidden, t = (double)job->plan.tp;
    const double width = (double)(kind->ffn_width + kind->shared_width) / t, ups = kind->gated ? 2 : 1;
    const double scanned = orr_kind_scans(kind) ? (double)kind->attention_params / h / t : 0;
    if (orr_kind_attends(kind) && !orr_kind_compresses(kind)) add_attention(job, kind, count, all);
    else if (orr_kind_compresses(kind)) add(all, h, (double)kind->attention_params / h / t, count);
    /* The projections of recurrent mixers are taken as one matrix; those beside attention are part of its count. */
    if (scanned > 0 && !kind->beside_attention) add(all, h, scanned, count);
    add(all, width, h, (ups + 1) * count);
    if (kind->n_experts == 0) return;
    const double experts = (double)orr_expert_places(job, kind) / (double)job->plan.ep;
    const double inner = kind->expert_hidden > 0 ? (double)kind->expert_hidden : h;
    add(all, (double)kind->expert_width / (double)job->plan.etp, inner, (ups + 1) * experts * count);
}

struct orr_matrices orr_matrices_of(const struct orr_job *job, const struct orr_stage *stage)
{
    struct orr_matrices all = {0};
    for (int64_t k = 0; k < job->model.n_kinds; k++)
        if (stage->n_layers[k] > 0) add_layer(job, &job->model.kinds[k], stage->n_layers[k], &all);
    return all;
}

static void emit_product(struct orr_emit *emit, const char *name, double m, double n, double k, double count)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_GEMM, ORR_PHASE_STEP);
    op->input_bytes = op->weight_bytes = op->output_bytes = 2;
    op->count = count;
    op->m = m;
    op->n = n;
    op->k = k;
    op->flops = 2 * m * n * k;
    op->bytes = 2 * (m * k + k * n + m * n);
}

static void emit_pass(struct orr_emit *emit, const char *name, double bytes, double launches)
{
    struct orr_op *op = orr_emit_op(emit, name, ORR_OP_POINTWISE, ORR_PHASE_STEP);
    op->pointwise = ORR_POINTWISE_ADAM;
    op->bytes = bytes;
    op->launches = launches;
}

/* Eq. 167. A rank whose shard ends inside a matrix works on the whole matrix, so that no rank has less than one; it
 * gathers the other parts in 16 bits first. Without sharding every rank works on all matrices. */
void orr_emit_muon(struct orr_emit *emit, const struct orr_matrices *all, double shards)
{
    const struct orr_states states = orr_states_of(emit->job);
    const double share = orr_min(1, orr_max(1 / shards, 1 / orr_max(1, all->count)));
    const double params = all->params * share, launches = PASS_LAUNCHES * all->count * share;
    const double moment = orr_min(4, states.optimizer_bytes), master = states.optimizer_bytes - moment;
    if (shards > 1)
        orr_emit_collective(emit, "muon.gather", ORR_PHASE_STEP, ORR_COLLECTIVE_ALLGATHER, ORR_GROUP_DP,
                            2 * all->params / orr_max(1, all->count));
    /* gradient and momentum in, momentum and update out; the update is divided by its norm */
    emit_pass(emit, "muon.momentum", params * (states.gradient_bytes + 2 * moment + 2), launches);
    emit_pass(emit, "muon.scale", params * 6, 2 * launches);
    for (int i = 0; i < all->n; i++) {
        const struct orr_matrix *matrix = &all->items[i];
        const double count = ITERATIONS * matrix->count * share;
        emit_product(emit, "muon.gram", matrix->low, matrix->low, matrix->high, count);
        emit_product(emit, "muon.square", matrix->low, matrix->low, matrix->low, count);
        emit_product(emit, "muon.apply", matrix->low, matrix->high, matrix->low, count);
    }
    emit_pass(emit, "muon.update", params * (2 + 2 * master + (master > 0 ? 2 : 4)), launches);
}
