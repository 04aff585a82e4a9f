/* A stream is a queue that the host fills and the device empties. Over a phase without a wait, the slower of the two
 * sets the time: t = max(device, host) (Eq. 126). A phase is the forward or the backward pass of one micro-batch on one
 * pipeline rank, or one pass of a serving engine; the queue is empty at its end, because what follows (a send, the
 * optimizer, sampling) waits for its result. */
#ifndef ORR_SCHEDULE_HOST_H
#define ORR_SCHEDULE_HOST_H

#include "ops/ops.h"

/* The host seconds of an operator's launches in a pass, with all its executions (Eq. 127). */
double orr_host_op_s(const struct orr_job *job, const struct orr_op *op, bool backward);
/* Adds the launches of a layer's operator to those of forward [0] and backward [1], and of the latter to those of
 * weight gradients [2]; backward repeats what is recomputed. */
void orr_host_add_op(const struct orr_job *job, const struct orr_op *op, double host_s[3]);
/* The host seconds of a layer in a pass besides the launches of its operators: modules, views and hooks (Eq. 128). */
double orr_host_layer_s(const struct orr_job *job);
/* The host seconds of a pass outside the layers. */
double orr_host_micro_batch_s(const struct orr_job *job);
/* Takes every host time away: the engine as it would be with graphs and a scheduler that is always ahead. */
void orr_host_remove(struct orr_engine *engine);

#endif
