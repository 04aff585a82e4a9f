/* Mixture of experts: router, permutation, dispatch and combine, grouped expert GEMMs (Eqs. 7, 8, 9a, 9d,
 * 357-359). */
#include "ops/emit.h"

#include "ops/experts.h"

/* Bytes that sorting and counting move per choice: indices of 8 bytes, read and written once. */
#define ROUTING_BYTES 16

/* Bytes of an element that is sent to experts in 8 bits, with a 4-byte scale per 128. */
#define DISPATCH_BYTES (1 + 4.0 / 128)

/* Eq. 358: a loop over experts, in passes that read and write all rows at the rate of a copy
 * (validation/kernels/h200_rows.csv). Forward indexes 1.1, weighs 2.5 and adds rows by index 8.4. Backward selects rows
 * 1.1, has both gradients of the weighing 4.4 and puts rows back 3.2. It also clears a gradient of all tokens for every
 * expert 0.64 and adds it to the others 1.42. */
#define LOOP_PASSES          12
#define LOOP_BACKWARD_PASSES 8.7
#define LOOP_EXPERT_PASSES   2.06

/* Kernels of a plain permutation beyond those of a fused one: what clears, weighs and sums the rows. */
#define UNFUSED_LAUNCHES 3
/* Kernels of Eq. 379, counted in transformers 5: seven of a clamped gate less one of the operator list, two gathers and
 * two additions; backward 14 less one by the rules of autograd, and two additions by index of four each. */
#define BIASED_LAUNCHES          10
#define BIASED_BACKWARD_LAUNCHES 21

/* A router in few kernels: bytes that a score moves each way, and kernels. */
#define FUSED_ROUTER_BYTES    16
#define FUSED_ROUTER_LAUNCHES 4

/* Eq. 359: what a router of plain kernels takes more where groups of experts are chosen first: times the bytes, and
 * kernels (validation/kernels/h200_rows.csv, routed_by_groups beside routed_by_softmax). */
#define GROUPED_ROUTER_RATIO    2.6
#define GROUPED_ROUTER_LAUNCHES 17

/* Rows of one layer on one rank: a row is a token at one of its experts. */
struct rows {
    double sent;    /* rows of a rank's own tokens that it sends to other ranks; 0: none */
    double work;    /* rows on the experts of the hottest rank, for which the other ranks wait */
    double experts; /* experts of the rank that have a row */
};

/* Elements of a row as experts read and write it. */
static double expert_hidden(const struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    return kind->expert_hidden > 0 ? (double)kind->expert_hidden : emit->dims.h;
}

/* Where experts work in a latent space, every rank projects the tokens that it routes. */
static void emit_latent(struct orr_emit *emit, const struct orr_layer_kind *kind, struct orr_linear_names names,
                        double k, double n)
{
    if (kind->expert_hidden > 0)
        orr_emit_linear(
            emit, &(struct orr_linear){.names = names, .m = emit->dims.T_routed, .k = k, .n = n, .quantised = true});
}

static void emit_router(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const double experts = (double)(kind->n_experts + kind->n_zero_experts), tokens = emit->dims.T_routed;
    orr_emit_linear(
        emit, &(struct orr_linear){.names = ORR_LINEAR("moe.router"), .m = tokens, .k = emit->dims.h, .n = experts});
    /* Eq. 359. The kernels work on fp32 scores: softmax or sigmoid, top-k, load-balance statistics. */
    const struct orr_engine *engine = &emit->job->engine;
    const bool plain = engine->router_bytes > 0, grouped = plain && kind->n_groups_active > 0;
    const double scores = tokens * experts, launches = plain ? (double)engine->router_launches : FUSED_ROUTER_LAUNCHES;
    const double forward = plain ? engine->router_bytes : FUSED_ROUTER_BYTES;
    orr_emit_small(emit, &(struct orr_pointwise_op){
                             .name = "moe.topk",
                             .backward_name = "moe.topk.backward",
                             .kind = ORR_POINTWISE_SOFTMAX,
                             .forward_bytes = forward * (grouped ? GROUPED_ROUTER_RATIO : 1) * scores,
                             .backward_bytes = (plain ? engine->router_backward_bytes : FUSED_ROUTER_BYTES) * scores,
                             .forward_launches = launches + (grouped ? GROUPED_ROUTER_LAUNCHES : 0),
                             .backward_launches = launches});
}

/* What frameworks launch besides the products, the scores and the copies of rows (Eq. 161): they sort the choices,
 * count the rows of each expert and, where they loop over experts, gather and scatter the rows of each. Where the host
 * must know the counts, it waits for the device, which is then idle. Backward has twice as many kernels, as in the
 * measured loop (validation/kernels/h200_host_layers.csv), and no wait, because the counts are known. */
static void emit_routing(struct orr_emit *emit, const struct orr_layer_kind *kind, double experts)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double launches = (double)engine->moe_launches + (double)engine->moe_expert_launches * experts;
    if (launches > 0) {
        const size_t first = emit->list->n;
        const double bytes = ROUTING_BYTES * emit->dims.T_routed * (double)kind->n_active;
        orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "moe.routing",
                                                            .backward_name = "moe.routing.backward",
                                                            .kind = ORR_POINTWISE_COPY,
                                                            .forward_bytes = bytes,
                                                            .backward_bytes = 2 * bytes,
                                                            .forward_launches = launches,
                                                            .backward_launches = 2 * launches});
        /* The device time of serving libraries is in the tables of their products; the host launches all the same. */
        if (emit->lumped && engine->expert_kernel == ORR_EXPERT_TUNED) emit->list->items[first].joined = true;
        else if (emit->lumped) emit->list->items[first].floor_s = launches * engine->pointwise_floor_s;
    }
    if (engine->moe_syncs <= 0 || engine->host_sync_s <= 0) return;
    struct orr_op *wait = orr_emit_op(emit, "moe.wait", ORR_OP_POINTWISE, ORR_PHASE_FORWARD);
    wait->pointwise = ORR_POINTWISE_COPY;
    wait->launches = 0;
    const double waits = (double)engine->moe_syncs * (engine->expert_kernel == ORR_EXPERT_LOOP ? experts : 1);
    wait->floor_s = waits * engine->host_sync_s / emit->job->system.host_speed;
}

/* Passes over the rows that the experts of a rank work on. A rank with several experts sorts them, and so does one that
 * gathers all tokens. Quantised products need aligned rows, so that further copies pad and unpad them. */
static double worked_passes(const struct orr_emit *emit, double local)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double sorted = local > 1 || engine->moe_gather ? (double)engine->moe_permute_passes / 2 : 0;
    return sorted + (emit->dims.low_precision ? (double)engine->moe_pad_passes : 0);
}

/* Rows that are read and written around the products in one direction. Half of the passes order the rows that a rank
 * sends, or those that it picks from all tokens; plain kernels clear the output, weigh the rows and add them up one
 * after another, which takes as long as so many further passes (`unfused`). Every rank that holds a slice of an expert
 * orders all of the expert's rows. */
static double ordered_rows(const struct orr_emit *emit, struct rows rows, double local, double unfused)
{
    const struct orr_engine *engine = &emit->job->engine;
    const double first = rows.sent > 0 && !engine->moe_gather ? rows.sent : rows.work;
    return ((double)engine->moe_permute_passes / 2 + unfused) * first + worked_passes(emit, local) * rows.work;
}

static void emit_permute(struct orr_emit *emit, struct rows rows, double local, double hidden)
{
    const struct orr_dims *d = &emit->dims;
    const struct orr_engine *engine = &emit->job->engine;
    double forward = ordered_rows(emit, rows, local, engine->moe_unfused_passes);
    double backward = ordered_rows(emit, rows, local, engine->moe_unfused_backward_passes);
    if (engine->expert_kernel == ORR_EXPERT_LOOP) { /* Eq. 358 */
        forward = LOOP_PASSES * rows.work;
        backward = LOOP_BACKWARD_PASSES * rows.work + LOOP_EXPERT_PASSES * rows.experts * d->T_routed;
    }
    const double launches = (double)engine->moe_permute_passes / 2 + worked_passes(emit, local) +
                            (engine->moe_unfused_passes > 0 ? UNFUSED_LAUNCHES : 0);
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "moe.permute",
                                                        .backward_name = "moe.permute.backward",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = forward * hidden * 2 * d->w_a,
                                                        .backward_bytes = backward * hidden * 2 * d->w_a,
                                                        .forward_launches = launches,
                                                        .backward_launches = launches});
}

/* Eq. 379: biases of experts that are gathered for every row and added, and a clamped gate of plain operators. */
static void emit_biased(struct orr_emit *emit, const struct orr_layer_kind *kind, double rows, double hidden)
{
    const struct orr_engine *engine = &emit->job->engine;
    if (!kind->expert_bias || engine->moe_biased_passes <= 0 || engine->expert_kernel == ORR_EXPERT_LOOP) return;
    const double copied = rows * hidden * 2 * emit->dims.w_a;
    orr_emit_pointwise(emit, &(struct orr_pointwise_op){.name = "expert.biased",
                                                        .backward_name = "expert.biased.backward",
                                                        .kind = ORR_POINTWISE_COPY,
                                                        .forward_bytes = engine->moe_biased_passes * copied,
                                                        .backward_bytes = engine->moe_biased_backward_passes * copied,
                                                        .forward_launches = BIASED_LAUNCHES,
                                                        .backward_launches = BIASED_BACKWARD_LAUNCHES});
}

/* Eq. 390, for `places` experts of so many columns on a rank. */
static bool fixed_tiles(const struct orr_emit *emit, double places, double width)
{
    return orr_experts_fixed(emit->job, emit->job->serving.matrix, emit->dims.w_w, places, width);
}

static double four_bit_passes(const struct orr_emit *emit, const struct orr_gemm_constants *u)
{
    const struct orr_dims *d = &emit->dims;
    switch (orr_experts_four_bit(emit->job, emit->job->serving.matrix, d->w_m, d->w_w)) {
    case ORR_FOUR_GEN: return u->grouped_gen_passes;
    case ORR_FOUR_MARLIN: return u->grouped_marlin_passes;
    case ORR_FOUR_MX: return u->grouped_mx_passes;
    case ORR_FOUR_LIBRARY: break;
    }
    return u->grouped_passes;
}

/* Eq. 303: how often the bytes beside the products move. Tables of serving libraries time an expert layer as a whole,
 * and the constants of its products are fitted beside so many passes. Behind an exchange there is one: rows are put in
 * order, and what comes back is summed. */
static double permute_passes(const struct orr_emit *emit, double places, double width)
{
    const struct orr_job *job = emit->job;
    const struct orr_gemm_constants *u = &job->calibration.gemm[job->serving.matrix];
    const bool triton = orr_experts_triton(job, job->serving.matrix, emit->dims.w_w);
    const double chosen = triton ? u->grouped_triton_passes : four_bit_passes(emit, u);
    const double passes = fixed_tiles(emit, places, width) ? u->grouped_fixed_passes : chosen;
    return passes > 0 && !orr_experts_exchange(job) ? passes : 1;
}

/* The launches of these copies are in the constants; the host makes them all the same. Behind an exchange a rank reads
 * a token once for each of its rows. */
static void emit_timed_permute(struct orr_emit *emit, struct rows rows, double places, double hidden, double width)
{
    const double tokens = rows.sent > 0 ? rows.work : emit->dims.T_group;
    const double bytes = permute_passes(emit, places, width) * orr_expert_pass_bytes(tokens, rows.work, hidden, width);
    const size_t first = emit->list->n;
    orr_emit_pointwise(emit,
                       &(struct orr_pointwise_op){.name = "moe.permute",
                                                  .kind = ORR_POINTWISE_COPY,
                                                  .forward_bytes = bytes,
                                                  .forward_launches = (double)emit->job->engine.moe_permute_passes});
    if (emit->list->n > first) emit->list->items[first].joined = true;
}

/* Eq. 168: do the kernels of this pass send a token to every expert at once, for a short latency, and not once to every
 * rank? */
static bool copy_per_expert(const struct orr_emit *emit)
{
    return emit->job->engine.moe_low_latency && emit->decode_only;
}

static void emit_all_to_all(struct orr_emit *emit, const char *name, enum orr_phase phase,
                            const struct orr_layer_kind *kind, double payload)
{
    struct orr_op *op = orr_emit_collective(emit, name, phase, ORR_COLLECTIVE_ALLTOALL, ORR_GROUP_EP, payload);
    if (!op) return;
    op->n_experts = (int32_t)kind->n_experts;
    op->n_active = copy_per_expert(emit) ? 0 : (int32_t)kind->n_active;
    op->n_groups = (int32_t)kind->n_groups;
    op->n_groups_active = (int32_t)kind->n_groups_active;
}

/* The names of two transfers and of their adjoints. */
struct transfers {
    const char *there, *back, *back_adjoint, *there_adjoint;
};

/* The ranks of a group hold different tokens, which are gathered before the products and scattered after them; backward
 * has the adjoint of each. */
static void emit_gathered(struct orr_emit *emit, enum orr_group group, struct transfers name, double payload)
{
    orr_emit_collective(emit, name.there, ORR_PHASE_FORWARD, ORR_COLLECTIVE_ALLGATHER, group, payload);
    orr_emit_collective(emit, name.back, ORR_PHASE_FORWARD, ORR_COLLECTIVE_REDUCESCATTER, group, payload);
    orr_emit_collective(emit, name.back_adjoint, ORR_PHASE_BACKWARD, ORR_COLLECTIVE_ALLGATHER, group, payload);
    orr_emit_collective(emit, name.there_adjoint, ORR_PHASE_BACKWARD, ORR_COLLECTIVE_REDUCESCATTER, group, payload);
}

/* Between the ranks that share an expert. */
static void emit_slices(struct orr_emit *emit, double payload)
{
    const struct transfers names = {"moe.gather", "moe.scatter", "moe.scatter.backward", "moe.gather.backward"};
    emit_gathered(emit, ORR_GROUP_ETP, names, payload);
}

/* Forward has one all-to-all to the experts and one back; backward has their adjoints. The payload is one copy of a
 * token per chosen expert (Eq. 9a) on the hottest rank. */
static void emit_exchange(struct orr_emit *emit, const struct orr_layer_kind *kind, double rows)
{
    const double payload = rows * expert_hidden(emit, kind) * emit->dims.w_c;
    const bool narrow = copy_per_expert(emit) && emit->dims.low_precision;
    emit_all_to_all(emit, "moe.dispatch", ORR_PHASE_FORWARD, kind,
                    narrow ? payload / emit->dims.w_c * orr_min(emit->dims.w_c, DISPATCH_BYTES) : payload);
    emit_all_to_all(emit, "moe.combine", ORR_PHASE_FORWARD, kind, payload);
    emit_all_to_all(emit, "moe.combine.backward", ORR_PHASE_BACKWARD, kind, payload);
    emit_all_to_all(emit, "moe.dispatch.backward", ORR_PHASE_BACKWARD, kind, payload);
    emit_slices(emit, payload * emit->dims.te);
}

/* Eq. 357: every rank gathers the tokens of its group whichever experts they choose, and adds up what all ranks make of
 * them. A token travels once, so that neither the experts of a token nor their load count. */
static void emit_gather(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double payload = d->T_sent * d->e * expert_hidden(emit, kind) * d->w_c;
    const struct transfers names = {"moe.dispatch", "moe.combine", "moe.combine.backward", "moe.dispatch.backward"};
    emit_gathered(emit, ORR_GROUP_EP, names, payload);
    emit_slices(emit, payload * d->te);
}

/* Eqs. 7, 8: the rows are spread over the experts that at least one token chooses, of the `places` on the rank. */
static void emit_products(struct orr_emit *emit, const struct orr_layer_kind *kind, double rows, double touched,
                          double places)
{
    const struct orr_dims *d = &emit->dims;
    const double used = orr_max(1, orr_min(touched, rows)), f = (double)kind->expert_width / d->te;
    const double h = expert_hidden(emit, kind);
    const bool fixed = fixed_tiles(emit, places, f);
    orr_emit_linear(emit,
                    &(struct orr_linear){.names = emit->lumped ? ORR_LINEAR("expert.gate_up") : ORR_LINEAR("expert.up"),
                                         .experts = used,
                                         .n_idle_experts = orr_max(0, places - used),
                                         .fixed_tiles = fixed,
                                         .m = rows / used,
                                         .k = h,
                                         .n = (kind->gated ? 2 : 1) * f,
                                         .product = ORR_PRODUCT_EXPERT_GATE_UP,
                                         .quantised = true});
    orr_emit_small(emit, &(struct orr_pointwise_op){.name = "expert.activation",
                                                    .backward_name = "expert.activation.backward",
                                                    .kind = kind->gated ? ORR_POINTWISE_ACTIVATION : ORR_POINTWISE_GELU,
                                                    .forward_bytes = (kind->gated ? 6 : 4) * rows * f,
                                                    .backward_bytes = (kind->gated ? 10 : 6) * rows * f});
    orr_emit_linear(emit, &(struct orr_linear){.names = ORR_LINEAR("expert.down"),
                                               .experts = used,
                                               .n_idle_experts = orr_max(0, places - used),
                                               .fixed_tiles = fixed,
                                               .m = rows / used,
                                               .k = f,
                                               .n = h,
                                               .last = true,
                                               .product = ORR_PRODUCT_EXPERT_DOWN,
                                               .quantised = true});
}

/* Eq. 375: a compiled graph cannot follow the choices of the tokens. It computes a copy of an expert for every choice
 * while these are fewer than the experts, then all rows with all experts, and the rows of prompts in as many blocks as
 * the worst choices would fill. */
static void emit_fixed_products(struct orr_emit *emit, const struct orr_layer_kind *kind, double places)
{
    const struct orr_dims *d = &emit->dims;
    const double block = (double)emit->job->engine.expert_block_rows, choices = d->T_group * (double)kind->n_active;
    const double others = places - 1, filled = orr_max(0, orr_ceil((choices - others) / block));
    if (choices < places) emit_products(emit, kind, choices / d->e, choices / d->e, 0);
    else if (d->T_group <= block) emit_products(emit, kind, d->T_group * places / d->e, places / d->e, 0);
    else emit_products(emit, kind, (filled + others) * block / d->e, (filled + others) / d->e, 0);
}

void orr_emit_experts(struct orr_emit *emit, const struct orr_layer_kind *kind)
{
    const struct orr_dims *d = &emit->dims;
    const double active = (double)kind->n_active, places = (double)orr_expert_places(emit->job, kind);
    const double joined = orr_shared_is_routed(emit->job, kind) ? 1 : 0;
    const double imbalance = orr_rows_frac(&emit->job->workload);
    /* Where ranks may differ, the busiest one counts. It has at least a row for each expert that it touches. */
    const double touched = imbalance > 1 ? orr_experts_touched_most(places, active, d->T_group, d->e)
                                         : orr_experts_touched(places, active, d->T_group, d->e);
    const double work = d->T_group * active / d->e * imbalance;
    const struct rows rows = {.sent = d->T_sent * active,
                              .work = (imbalance > 1 ? orr_max(work, touched) : work) + joined * d->T_group,
                              .experts = touched + joined};
    emit_router(emit, kind);
    emit_routing(emit, kind, touched);
    emit_latent(emit, kind, ORR_LINEAR("expert.latent_in"), d->h, (double)kind->expert_hidden);
    if (emit->lumped && emit->job->engine.expert_kernel == ORR_EXPERT_TUNED)
        emit_timed_permute(emit, rows, places / d->e + joined, expert_hidden(emit, kind),
                           (double)kind->expert_width / d->te);
    else emit_permute(emit, rows, places / d->e, expert_hidden(emit, kind));
    if (!emit->lumped) emit_biased(emit, kind, rows.work, expert_hidden(emit, kind));
    if (emit->job->engine.moe_gather) emit_gather(emit, kind);
    else emit_exchange(emit, kind, rows.sent * imbalance);
    if (emit->job->engine.expert_block_rows > 0) emit_fixed_products(emit, kind, places);
    else emit_products(emit, kind, rows.work, rows.experts, places / d->e + joined);
    emit_latent(emit, kind, ORR_LINEAR("expert.latent_out"), (double)kind->expert_hidden, d->h);
}
