/* These lists have every number of a training report once. JSON, CSV, --explain and docs/glossary.md come from them.
 *
 * In a formula, a name that is a metric or a symbol stands for its value; --explain puts the values in. */
#ifndef ORR_METRIC_TRAIN_H
#define ORR_METRIC_TRAIN_H

#include "metric/job_symbols.h"
#include "metric/shared.h"
#include "metric/value.h"
#include "spec/job.h"

/* clang-format off */

/* X(enum, key, unit, meaning, formula, equation or source, value)
 * `key` is the path in the JSON result and the column of the CSV; a last part that is a digit is a place in an array.
 * `value` is an expression of r (const struct orr_result *) and j (const struct orr_job *). */
#define ORR_TRAIN_METRICS(X)                                                                                          \
    ORR_TRAIN_METRICS_HEADLINE(X)                                                                                     \
    ORR_TRAIN_METRICS_TIME(X)                                                                                         \
    ORR_TRAIN_METRICS_MEMORY(X)                                                                                       \
    ORR_TRAIN_METRICS_COST(X)

#define ORR_TRAIN_METRICS_HEADLINE(X)                                                                                 \
    X(STEP_TIME, "step_time_s", S, "wall time of one training step",                                                  \
      "time_s.forward + time_s.backward + time_s.recompute + time_s.tp_exposed + time_s.cp_exposed"                   \
      " + time_s.ep_exposed + time_s.pp_exposed + time_s.pp_bubble + time_s.dp_exposed + time_s.optimizer"            \
      " + time_s.overhead",                                                                                           \
      "Eq. 1", r->step_time_s)                                                                                        \
    ORR_METRICS_INTERVAL(X, "step_time_s", "step time", "dense or MoE, and whether the chip's kernels were measured") \
    X(BOUND, "bound_s", S, "speed of light: no overhead, full overlap, nominal rates",                                \
      "max(causal model FLOP / (gpus · peak), optimizer state / DRAM rate, gradients / fastest link)",                \
      "Eq. 24 with u = 1", r->bound_s)                                                                                \
    X(BOUND_FRAC, "bound_frac", FRAC, "share of the speed of light that is reached", "bound_s / step_time_s",         \
      "definition", orr_ratio(r->bound_s, r->step_time_s))                                                            \
    X(TOKENS, "tokens_per_s", TOKENS_PER_S, "training throughput of the whole system",                                \
      "global_batch · seq / step_time_s", "definition", r->tokens_per_s)                                              \
    X(TOKENS_PER_GPU, "tokens_per_s_per_gpu", TOKENS_PER_S, "training throughput of one GPU",                         \
      "tokens_per_s / gpus", "definition", r->tokens_per_s_per_gpu)                                                   \
    X(MODEL_FLOPS, "model_flops", FLOP, "FLOP the model needs for one step, without recomputation",                   \
      "3 · forward FLOP of global_batch · seq tokens", "Eqs. 20, 21", r->model_flops)                                 \
    X(EXECUTED_FLOPS, "executed_flops", FLOP, "FLOP the GPUs execute in one step, including recomputation",           \
      "gpus · Σ FLOP of the critical rank", "Eqs. 22, 23", r->executed_flops)                                         \
    X(MODEL_TFLOPS, "model_tflops_per_gpu", TFLOP_PER_S, "model FLOP rate of one GPU",                                \
      "model_flops / (step_time_s · gpus)", "definition", r->model_tflops_per_gpu)                                    \
    X(MFU, "mfu_frac", FRAC,                                                                                          \
      "model FLOP utilisation as published: attention counts whole, masked or not; of long sequences it can pass 1",  \
      "model_flops / (step_time_s · gpus · peak_flops_per_s)", "Eq. 3", r->mfu_frac)                                  \
    X(HFU, "hfu_frac", FRAC, "hardware FLOP utilisation; causal attention counts half, in mfu_frac whole",            \
      "executed_flops / (step_time_s · gpus · peak_flops_per_s)", "Eq. 3", r->hfu_frac)                               \
    X(MFU_CAUSAL, "mfu_causal_frac", FRAC, "model FLOP utilisation without masked pairs, as hfu_frac counts them",    \
      "model_flops without masked pairs / (step_time_s · gpus · peak_flops_per_s)", "Eq. 3", r->mfu_causal_frac)      \
    X(TRUST, "trust", WORD, "calibrated: constants fitted to this chip's kernels; datasheet: family values",          \
      "the calibration lists the chip", "calibration file", orr_trust(j))                                             \
    X(FITS, "fits", FLAG, "the plan fits in memory", "memory_bytes.most <= memory_bytes.usable", "Eqs. 79, 146", \
      r->fits)                                                                                                        \
    X(REASON, "reason", WORD, "what is missing and the cheapest change; only when it does not fit",                   \
      "from the memory ledger", "Eq. 79", (const char *)r->reason)                                                    \
    X(BOTTLENECK, "bottleneck", WORD, "resource that holds the largest share of the step",                            \
      "largest of bound_share", "Eq. 25", orr_bound_name(r->bottleneck))                                              \
    ORR_METRICS_BOUNDS(X, SHARE, "bound_share", bound_share_frac, "the step", "step_time_s",                          \
                       "(Σ dram-bound kernels + time_s.optimizer)", "Σ exposed communication",                        \
                       "launch gaps, waiting", "time_s.pp_bubble + straggling")

/* The hidden communication of a group is the part that runs beside compute. */
#define ORR_TRAIN_METRIC_HIDDEN(X, GROUP, group, what, equation)                                                      \
    X(HIDDEN_##GROUP, "hidden_s." group, S, what " that runs beside compute",                                         \
      "(1 - overlap_contention_frac) · min(communication, window)", equation, r->hidden_s[ORR_GROUP_##GROUP])

#define ORR_TRAIN_METRICS_TIME(X)                                                                                     \
    X(TIME_FORWARD, "time_s.forward", S, "forward compute of the critical pipeline rank",                             \
      "n_micro_batches · forward_ops_s", "Eqs. 24-48", r->time_s[ORR_TIME_FORWARD])                                   \
    X(TIME_BACKWARD, "time_s.backward", S, "backward compute (dgrad, wgrad, attention backward)",                     \
      "n_micro_batches · backward_ops_s", "Eqs. 12, 24-48", r->time_s[ORR_TIME_BACKWARD])                             \
    X(TIME_RECOMPUTE, "time_s.recompute", S, "forward work repeated in backward, including collectives",              \
      "n_micro_batches · recompute_ops_s", "Eqs. 22, 23", r->time_s[ORR_TIME_RECOMPUTE])                              \
    X(TIME_TP, "time_s.tp_exposed", S, "tensor/sequence-parallel communication not hidden",                           \
      "n_micro_batches · tp_ops_s", "Eqs. 49-59, 64", r->time_s[ORR_TIME_TP_EXPOSED])                                 \
    X(TIME_CP, "time_s.cp_exposed", S, "context-parallel communication not hidden",                                   \
      "n_micro_batches · cp_ops_s", "Eqs. 13, 14, 64", r->time_s[ORR_TIME_CP_EXPOSED])                                \
    X(TIME_EP, "time_s.ep_exposed", S, "expert-parallel all-to-all not hidden",                                       \
      "n_micro_batches · ep_ops_s", "Eqs. 9, 56, 59, 64", r->time_s[ORR_TIME_EP_EXPOSED])                             \
    X(TIME_PP, "time_s.pp_exposed", S, "pipeline sends not hidden",                                                   \
      "send_pairs · send_pair_s", "Eq. 74", r->time_s[ORR_TIME_PP_EXPOSED])                                           \
    X(TIME_BUBBLE, "time_s.pp_bubble", S, "pipeline fill, drain and stage imbalance",                                 \
      "Σ over the other ranks, by schedule: gpipe, 1f1b F + B; interleaved (F + B)/vpp; zb-h1 F + B - 2 W;"           \
      " zb-h2 F + B - 3 W; zb-v max(F, B - W) - W; v-half half of F + B + 2 max(F, B - W) - 2 W;"                     \
      " dualpipe (pp/2 - 1)/(pp - 1) of F + 2 B - 3 W, dualpipe-v half of it",                                        \
      "Eqs. 67-73, 137-141", r->time_s[ORR_TIME_PP_BUBBLE])                                                           \
    X(TIME_DP, "time_s.dp_exposed", S, "gradient and weight collectives not hidden",                                  \
      "dp_collectives_s - hidden_s.dp", "Eqs. 75-77", r->time_s[ORR_TIME_DP_EXPOSED])                                 \
    X(TIME_OPTIMIZER, "time_s.optimizer", S, "optimizer step",                                                        \
      "optimizer_ops_s", "Eq. 78", r->time_s[ORR_TIME_OPTIMIZER])                                                     \
    X(TIME_OVERHEAD, "time_s.overhead", S, "host time, launch gaps and straggling",                                   \
      "host_once_s + host_wait_s"                                                                                    \
      " + paced_s · straggle_frac_per_doubling · slowest_doublings",                                                  \
      "Eqs. 39, 126, 299, 305", r->time_s[ORR_TIME_OVERHEAD])                                                        \
    ORR_TRAIN_METRIC_HIDDEN(X, TP, "tp", "tensor-parallel communication", "Eq. 64")                                   \
    ORR_TRAIN_METRIC_HIDDEN(X, CP, "cp", "context-parallel communication", "Eqs. 64, 325")                            \
    ORR_TRAIN_METRIC_HIDDEN(X, EP, "ep", "expert-parallel communication", "Eq. 64")                                   \
    ORR_TRAIN_METRIC_HIDDEN(X, ETP, "etp", "tensor-parallel communication of experts", "Eq. 64")                      \
    X(HIDDEN_PP, "hidden_s.pp", S, "pipeline sends that run beside compute",                                          \
      "n_micro_batches · vpp · send_pair_s where sends run beside compute", "Eqs. 64, 74", r->hidden_s[ORR_GROUP_PP]) \
    ORR_TRAIN_METRIC_HIDDEN(X, DP, "dp", "data-parallel communication of dense weights", "Eqs. 64, 76")               \
    ORR_TRAIN_METRIC_HIDDEN(X, EDP, "edp", "data-parallel communication of expert weights", "Eqs. 64, 76")            \
    ORR_TRAIN_METRIC_HIDDEN(X, RDP, "rdp", "communication between replicas of a sharded group", "Eqs. 64, 76")

#define ORR_TRAIN_METRICS_MEMORY(X)                                                                                   \
    X(MEMORY_WEIGHTS, "memory_bytes.weights", BYTES, "weights as the kernels read them",                              \
      "Σ weight tensors alive at the peak", "Eq. 80", r->memory.part_bytes[ORR_MEMORY_WEIGHTS])                       \
    X(MEMORY_GRADIENTS, "memory_bytes.gradients", BYTES, "gradients, including 16-bit copies alive at the peak",      \
      "Σ gradient tensors alive at the peak", "Eq. 80", r->memory.part_bytes[ORR_MEMORY_GRADIENTS])                   \
    X(MEMORY_OPTIMIZER, "memory_bytes.optimizer", BYTES, "master weights and moments",                                \
      "Σ optimizer tensors alive at the peak", "Eq. 80", r->memory.part_bytes[ORR_MEMORY_OPTIMIZER])                  \
    X(MEMORY_ACTIVATIONS, "memory_bytes.activations", BYTES, "tensors saved for backward and working tensors",        \
      "Σ activation tensors alive at the peak", "Eqs. 81-89", r->memory.part_bytes[ORR_MEMORY_ACTIVATIONS])           \
    X(MEMORY_WORKSPACE, "memory_bytes.workspace", BYTES,                                                              \
      "library workspace, communication buffers and gathered weights",                                                \
      "Σ workspace tensors alive at the peak", "Eq. 79", r->memory.part_bytes[ORR_MEMORY_WORKSPACE])                  \
    X(MEMORY_TOTAL, "memory_bytes.total", BYTES, "peak memory of one GPU on the fullest pipeline rank",               \
      "memory_bytes.weights + memory_bytes.gradients + memory_bytes.optimizer + memory_bytes.activations"             \
      " + memory_bytes.workspace",                                                                                    \
      "Eq. 79", r->memory.total_bytes)                                                                                \
    X(MEMORY_MOST, "memory_bytes.most", BYTES, "the peak if the host runs ahead of the GPU throughout",                \
      "memory_bytes.total, and all that communication streams may hold", "Eq. 133", r->memory.most_bytes)             \
    X(MEMORY_USABLE, "memory_bytes.usable", BYTES, "capacity less driver context and fragmentation",                  \
      "memory_bytes.capacity · (1 - fragmentation_frac) - context_bytes", "Eq. 79", r->memory.usable_bytes)           \
    X(MEMORY_CAPACITY, "memory_bytes.capacity", BYTES, "memory of one GPU as the driver reports it",                  \
      "chip.hbm_bytes", "chip file", r->memory.capacity_bytes)                                                        \
    X(MEMORY_HEADROOM, "memory_bytes.headroom", BYTES, "usable memory left at the peak; below 0: does not fit",       \
      "memory_bytes.usable - memory_bytes.most", "definition", r->memory.usable_bytes - r->memory.most_bytes)         \
    X(MEMORY_HOST, "memory_bytes.host", BYTES, "kept in host memory for one GPU, by offloading",                      \
      "Σ offloaded states and saved inputs", "Eq. 146", r->memory.host_bytes)                                         \
    X(MEMORY_NVME, "memory_bytes.nvme", BYTES, "kept on the drives of the host for one GPU, by offloading",           \
      "Σ offloaded states and saved inputs", "Eq. 146", r->memory.nvme_bytes)                                         \
    X(PEAK_STAGE, "peak_stage", COUNT, "pipeline rank with the highest peak", "largest of the ranks' peaks",          \
      "Eq. 79", r->memory.peak_stage)                                                                                 \
    X(PEAK_INSTANT, "peak_instant", WORD, "moment of the step at which the peak occurs",                              \
      "largest of the named instants", "Eq. 79", peak_instant(r))                                                     \
    X(IN_FLIGHT, "in_flight", NUMBER, "micro-batches whose activations live on the peak stage",                       \
      "by schedule", "Eqs. 67-71, 89", r->memory.in_flight)

#define ORR_TRAIN_METRICS_COST(X)                                                                                     \
    ORR_METRICS_ENERGY(X, "step_time_s", "one step", "trained", "global_batch · seq", step_tokens(j))                 \
    X(COST_PER_BILLION, "cost_usd_per_billion_tokens", USD, "rent of the GPUs for a billion trained tokens",          \
      "cost_usd · 1e9 / (global_batch · seq)", "Eq. 108", orr_ratio(r->cost_usd * 1e9, step_tokens(j)))               \
    X(PARAMS_TOTAL, "params_total", COUNT, "parameters of the model, including all experts", "sum over the tensors",  \
      "Eqs. 16-19", r->params_total)                                                                                  \
    X(PARAMS_ACTIVE, "params_active", COUNT, "parameters one token uses", "top-k experts instead of all", "Eq. 18",   \
      r->params_active)                                                                                               \
    X(PARAMS_MTP, "params_mtp", COUNT, "parameters of the multi-token prediction layers trained, in no other count",  \
      "mtp_layers · (a layer like the last + 2h·h + 3 norms); embedding and head are shared", "Eqs. 16-19",           \
      j->workload.mtp_layers * orr_model_params_mtp(&j->model))                                                       \
    ORR_METRICS_TOWER(X, "take of seq")                                                                               \
    X(N_MICRO_BATCHES, "n_micro_batches", COUNT, "micro-batches of one replica in a step",                            \
      "global_batch / (dp · micro_batch)", "Eq. 4", r->n_micro_batches)                                               \
    X(MATRIX_SHARE, "matrix_share_frac", FRAC, "matrix load: share of the step, kernels below full rate counted less",\
      "Σ matrix kernels · their rate / full rate / step_time_s", "power rule", r->matrix_share_frac)                  \
    X(MATRIX, "matrix_frac", FRAC, "share of peak that matrix kernels sustain under the power limit",                 \
      "min(burst_frac, sustained_frac + power_slope · (1 - matrix_share_frac)); in short runs burst_frac",            \
      "power rule", r->matrix_frac)

/* X(name, unit, what it is and where it comes from, value): the symbols that formulas use besides the metrics.
 * `value` is an expression of j and r as above, m (micro-batches) and f (const struct orr_train_facts *); `format` is
 * workload.precision. */
#define ORR_TRAIN_SYMBOLS(X)                                                                                          \
    ORR_JOB_SYMBOLS(X)                                                                                                \
    X(vpp, COUNT, "plan", j->plan.vpp)                                                                                \
    X(seq, COUNT, "workload", j->workload.seq)                                                                        \
    X(micro_batch, COUNT, "workload", j->workload.micro_batch)                                                        \
    X(global_batch, COUNT, "workload", j->workload.global_batch)                                                      \
    X(mtp_layers, COUNT, "workload", j->workload.mtp_layers)                                                          \
    X(gpus_per_node, COUNT, "system file", j->system.gpus_per_node)                                                   \
    X(fragmentation_frac, FRAC, "engine file", j->engine.fragmentation_frac)                                          \
    X(host_once_s, S, "(host_step_s + zero1_tensor_s · tensors · ranks) / host_speed", f->host_once_s)                 \
    X(host_wait_s, S, "n_micro_batches · Σ over forward and backward of max(0, host - device)", f->host_wait_s)       \
    X(straggle_frac_per_doubling, FRAC, "calibration file", j->calibration.straggle_frac_per_doubling)                \
    X(overlap_contention_frac, FRAC, "calibration file; Eq. 65", j->calibration.overlap_contention_frac)              \
    X(low_ratio, NUMBER, "validation residuals", orr_ratio(r->interval_low_s, r->step_time_s))                        \
    X(high_ratio, NUMBER, "validation residuals", orr_ratio(r->interval_high_s, r->step_time_s))                      \
    X(forward_ops_s, S, "Σ forward kernels of one micro-batch, critical rank",                                        \
      orr_ratio(r->time_s[ORR_TIME_FORWARD], m))                                                                      \
    X(backward_ops_s, S, "Σ backward kernels of one micro-batch, critical rank",                                      \
      orr_ratio(r->time_s[ORR_TIME_BACKWARD], m))                                                                     \
    X(recompute_ops_s, S, "Σ repeated kernels and their collectives of one micro-batch, critical rank",               \
      orr_ratio(r->time_s[ORR_TIME_RECOMPUTE], m))                                                                    \
    X(tp_ops_s, S, "Σ (collective - hidden) of one micro-batch, critical rank",                                       \
      orr_ratio(r->time_s[ORR_TIME_TP_EXPOSED], m))                                                                   \
    X(cp_ops_s, S, "Σ (transfer - hidden) of one micro-batch, critical rank",                                         \
      orr_ratio(r->time_s[ORR_TIME_CP_EXPOSED], m))                                                                   \
    X(ep_ops_s, S, "Σ (all-to-all - hidden) of one micro-batch, critical rank",                                       \
      orr_ratio(r->time_s[ORR_TIME_EP_EXPOSED], m))                                                                   \
    X(send_pairs, NUMBER, "pp - 1 at fill and drain; n_micro_batches · vpp more unless they run beside compute",      \
      f->send_pairs)                                                                                                  \
    X(send_pair_s, S, "one activation forward, one gradient back", f->send_pair_s)                                    \
    X(dp_collectives_s, S, "Σ gradient and weight collectives of a step", f->dp_collectives_s)                        \
    X(optimizer_ops_s, S, "Σ optimizer kernels: parameters · bytes each / DRAM rate", r->time_s[ORR_TIME_OPTIMIZER])  \
    X(launches, NUMBER, "kernels launched in a step, critical rank", f->launches)                                     \
    X(paced_s, S, "kernels of all micro-batches, without collectives, where they are most", f->paced_s)               \
    X(slowest_doublings, NUMBER, "4 · the mean of the largest of so many standard normal values as GPUs, less that"    \
      " of sustained_units", orr_slowest_doublings(j))                                                                \
    X(F, S, "forward of one micro-batch, critical rank, including exposed collectives", f->forward_s)                 \
    X(B, S, "backward of one micro-batch, critical rank, including recomputation", f->backward_s)                     \
    X(W, S, "weight gradients of one micro-batch, critical rank", f->wgrad_s)

#define ORR_X_TRAIN_METRIC_(name, ...) ORR_TRAIN_METRIC_##name,
enum orr_train_metric { ORR_TRAIN_METRICS(ORR_X_TRAIN_METRIC_) ORR_N_TRAIN_METRICS };

/* clang-format on */

struct orr_value orr_train_metric_value(const struct orr_job *job, const struct orr_result *result,
                                        enum orr_train_metric metric);
/* Finds the value of a symbol by a name of `length` bytes; false if there is none. */
bool orr_train_symbol(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value);

#endif
