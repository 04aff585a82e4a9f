/* This file keeps the LoRA adapters of a replica. Eqs. 258, 259. */
#include "base/number.h"
#include "ops/adapter.h"
#include "ops/ops.h"
#include "predict/pass.h"
#include "serving/state.h"

#include <stdlib.h>

/* Kernels that adapters add to a layer: products with A and with B for q k v, o, gate and up, down. */
#define KERNELS_PER_LAYER 8
/* Requests of the line that are looked at for one whose adapter is loaded. */
#define LOOKED_AT 256

/* Eq. 258: a step reads the matrices of every adapter in it, and launches the products with them. */
struct orr_adapter_facts orr_adapter_facts_of(const struct orr_job *job, const struct orr_traffic *traffic)
{
    struct orr_adapter_facts facts = {0};
    double layers[ORR_MAX_LAYER_KINDS], params = 0, n_layers = 0;
    struct orr_job *tuned = traffic->adapters > 0 ? malloc(sizeof *tuned) : NULL;
    if (!tuned) return facts;
    *tuned = *job;
    tuned->kind = ORR_JOB_TRAIN; /* adapters are counted as those that are trained */
    tuned->workload.adapter =
        (struct orr_adapter){.kind = ORR_ADAPTER_LORA,
                             .rank = traffic->adapter_rank > 0 ? traffic->adapter_rank : ORR_DEFAULT_ADAPTER_RANK,
                             .targets = (1u << ORR_N_TARGETS) - 1};
    orr_count_layers(&job->model, layers);
    for (int64_t k = 0; k < job->model.n_kinds; k++) {
        params += layers[k] * orr_adapter_params(tuned, &job->model.kinds[k]);
        n_layers += layers[k];
    }
    free(tuned);
    const double bytes = 2 * params / (double)job->plan.pp;
    const double dram = job->system.chip.hbm_bytes_per_s * job->calibration.gemm[ORR_DTYPE_BF16].dram_frac;
    facts.most = job->engine.max_adapters > 0 ? job->engine.max_adapters : 1;
    if (facts.most > ORR_ADAPTER_SLOTS) facts.most = ORR_ADAPTER_SLOTS;
    facts.adapter_s = bytes / dram;
    facts.step_s = orr_gap_s(job, false, 1, KERNELS_PER_LAYER * n_layers / (double)job->plan.pp);
    if (job->system.host_link_bytes_per_s > 0) facts.load_s = bytes / job->system.host_link_bytes_per_s;
    return facts;
}

static struct orr_adapter_slot *find(const struct orr_replica *r, int64_t id)
{
    for (int64_t i = 0; i < r->n_adapters; i++)
        if (r->adapters[i].id == id) return &r->adapters[i];
    return NULL;
}

/* The place for an adapter that is not loaded; NULL: all are in use. */
static struct orr_adapter_slot *place_of(struct orr_replica *r)
{
    struct orr_adapter_slot *best = NULL;
    if (r->n_adapters < r->facts.adapters.most) return &r->adapters[r->n_adapters];
    for (int64_t i = 0; i < r->n_adapters; i++)
        if (r->adapters[i].users == 0 && (!best || r->adapters[i].last_use < best->last_use)) best = &r->adapters[i];
    return best;
}

bool orr_adapter_next(struct orr_replica *r)
{
    struct orr_line_up *line = &r->waiting;
    if (r->facts.adapters.most == 0) return true;
    for (size_t i = 0; i < line->n && i < LOOKED_AT; i++) {
        const int32_t slot = orr_line_at(line, i);
        const int64_t id = r->sequences[slot].ask.adapter;
        if (id > 0 && !find(r, id) && !place_of(r)) continue;
        for (size_t k = i; k > 0; k--) line->slots[(line->first + k) & (line->room - 1)] = orr_line_at(line, k - 1);
        line->slots[line->first & (line->room - 1)] = slot;
        return true;
    }
    return false;
}

void orr_adapter_use(struct orr_replica *r, int64_t id)
{
    if (id == 0 || r->facts.adapters.most == 0) return;
    struct orr_adapter_slot *slot = find(r, id);
    if (!slot) { /* Eq. 259: it is loaded before the step */
        slot = place_of(r);
        if (slot == &r->adapters[r->n_adapters]) r->n_adapters++;
        *slot = (struct orr_adapter_slot){.id = id};
        r->pause_s += r->facts.adapters.load_s;
        r->sums.loaded_adapters++;
    }
    if (slot->users++ == 0) r->n_active_adapters++;
    slot->last_use = r->adapter_uses++;
}

void orr_adapter_leave(struct orr_replica *r, int64_t id)
{
    if (id == 0 || r->facts.adapters.most == 0) return;
    struct orr_adapter_slot *slot = find(r, id);
    if (slot && --slot->users == 0) r->n_active_adapters--;
}
