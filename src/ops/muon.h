/* Weight matrices of the layers of a pipeline rank, and the operators by which Muon updates them (Eq. 167). */
#ifndef ORR_OPS_MUON_H
#define ORR_OPS_MUON_H

#include "ops/emit.h"

#define ORR_MAX_MATRICES 32
/* Matrices of one shape, the shorter side first. */
struct orr_matrix {
    double low, high, count;
};
struct orr_matrices {
    int n;
    struct orr_matrix items[ORR_MAX_MATRICES];
    double count, params; /* of all of them, on one rank */
};
struct orr_matrices orr_matrices_of(const struct orr_job *job, const struct orr_stage *stage);

/* The step of all matrices; `shards` ranks share it. */
void orr_emit_muon(struct orr_emit *emit, const struct orr_matrices *all, double shards);

#endif
