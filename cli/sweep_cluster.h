/* A sweep by several processes: pieces of points go to those that ask, and rows go to the first process, which stores
 * them. */
#ifndef CLI_SWEEP_CLUSTER_H
#define CLI_SWEEP_CLUSTER_H

#include "cluster.h"
#include "store.h"

/* Answer all points from held->n_points on. `store` belongs to the first process and is NULL in the others. `stop` says
 * whether to end. */
enum cli_status cli_sweep_together(struct cli_cluster *cluster, struct orr_sweep *sweep, const struct cli_table *table,
                                   struct cli_store *store, struct cli_held *held, bool (*stop)(void),
                                   void (*show)(const struct cli_held *held, int64_t n_points));

#endif
