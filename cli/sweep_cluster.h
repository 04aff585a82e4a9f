/* A sweep by several processes: pieces of points to whoever asks, rows to the first process, which stores them. */
#ifndef CLI_SWEEP_CLUSTER_H
#define CLI_SWEEP_CLUSTER_H

#include "cluster.h"
#include "store.h"

/* All points from held->n_points on. `store` is the first process's; NULL in the others. `stop` asks whether to end. */
enum cli_status cli_sweep_together(struct cli_cluster *cluster, struct orr_sweep *sweep, const struct cli_table *table,
                                   struct cli_store *store, struct cli_held *held, bool (*stop)(void),
                                   void (*show)(const struct cli_held *held, int64_t n_points));

#endif
