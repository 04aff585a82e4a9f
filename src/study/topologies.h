/* Bounds of collectives on networks of a given shape: bandwidth and hops, before any efficiency. */
#ifndef ORR_STUDY_TOPOLOGIES_H
#define ORR_STUDY_TOPOLOGIES_H

#include <stddef.h>

/* The shapes; a torus and a mesh have the given sides, which multiply to the ranks. */
#define ORR_SHAPES(X)                                                                                                  \
    X(SWITCH, "switch")                                                                                                \
    X(CONNECTED, "fully connected")                                                                                    \
    X(TORUS, "torus")                                                                                                  \
    X(MESH, "mesh")                                                                                                    \
    X(HYPERCUBE, "hypercube")                                                                                          \
    X(DRAGONFLY, "dragonfly")
#define ORR_X_SHAPE_(name, ...) ORR_SHAPE_##name,
enum orr_shape_of_network { ORR_SHAPES(ORR_X_SHAPE_) ORR_N_SHAPES };
extern const char *const orr_shape_names[ORR_N_SHAPES];

/* A network between n ranks. All links of a GPU together have the rate bytes_per_s one way, whatever the shape. */
struct orr_shaped {
    enum orr_shape_of_network shape;
    double ranks, bytes_per_s, hop_s;
    size_t n_sides;
    double sides[4];
    double groups;             /* dragonfly: groups of ranks / groups GPUs */
    double global_bytes_per_s; /* dragonfly: links to other groups, per GPU */
};

/* Seconds to gather `bytes` on every rank, and to exchange them all to all, where every rank sends `bytes`. */
double orr_shaped_gather_s(const struct orr_shaped *network, double bytes);
double orr_shaped_exchange_s(const struct orr_shaped *network, double bytes);

#endif
