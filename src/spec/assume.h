/* What a job takes for granted because its request does not say it, and what the request leaves to the program with
 * "auto". A job keeps both as sets of bits; reports give them names and reasons. */
#ifndef ORR_SPEC_ASSUME_H
#define ORR_SPEC_ASSUME_H

#include "spec/json.h"
#include "spec/names.h"

/* X(enum, path in the request, word for people, reason in training, reason in inference); a reason of NULL means that
 * requests of that kind have no such key. */
#define ORR_ASSUMABLES(X)                                                                                              \
    X(ENGINE, "workload.engine", "engine", "none was named: an eager framework; name yours", "none was named")         \
    X(GPUS, "gpus", "gpus", "as many as the plan needs", "as many as the plan needs")                                  \
    X(TP, "plan.tp", "tp", "no tensor parallelism", "no tensor parallelism")                                           \
    X(PP, "plan.pp", "pp", "no pipeline", "no pipeline")                                                               \
    X(VPP, "plan.vpp", "vpp", "the pipeline is not interleaved", NULL)                                                 \
    X(CP, "plan.cp", "cp", "no context parallelism", "no context parallelism")                                         \
    X(EP, "plan.ep", "ep", "no expert parallelism", "no expert parallelism")                                           \
    X(ETP, "plan.etp", "etp", "experts are cut as other matrices where ranks allow it",                                \
      "experts are cut as other matrices where ranks allow it")                                                        \
    X(SP, "plan.sp", "sequence parallel", "default of the engine", NULL)                                               \
    X(ZERO, "plan.zero", "zero", "default of the engine", NULL)                                                        \
    X(SCHEDULE, "plan.schedule", "schedule", "1f1b, or interleaved with vpp", NULL)                                    \
    X(CP_KIND, "plan.cp_kind", "cp kind", "keys and values go around a ring", NULL)                                    \
    X(SEQ, "workload.seq", "seq", "2048 tokens, or the model's longest sequence if shorter", NULL)                     \
    X(MICRO_BATCH, "workload.micro_batch", "micro-batch", "one sequence", NULL)                                        \
    X(GLOBAL_BATCH, "workload.global_batch", "global batch", "four micro-batches per pipeline stage and replica",      \
      NULL)                                                                                                            \
    X(PRECISION, "workload.precision", "precision", "what the engine multiplies in on this chip",                      \
      "weights as published")                                                                                          \
    X(RECOMPUTE, "workload.recompute", "recompute", "default of the engine", NULL)                                     \
    X(OPTIMIZER, "workload.optimizer", "optimizer", "states as the engine keeps them", NULL)                           \
    X(ATTENTION, "workload.attention", "attention", "default of the engine", NULL)                                     \
    X(MTP, "workload.mtp_layers", "mtp layers", "default of the engine", NULL)                                         \
    X(BATCH, "workload.batch", "batch", NULL, "one sequence")                                                          \
    X(KV, "workload.kv_precision", "cache", NULL, "follows from the weights and the chip")                             \
    X(IMBALANCE, "workload.moe_imbalance", "moe imbalance", "experts are equally busy", "skew of measured expert loads")

#define ORR_X_ASSUME_(name, ...) ORR_ASSUME_##name,
enum orr_assumable { ORR_ASSUMABLES(ORR_X_ASSUME_) ORR_N_ASSUMABLES };

static inline uint64_t orr_assume_bit(enum orr_assumable key)
{
    return (uint64_t)1 << key;
}

/* Path, word and reason of a key, static texts; the reason is NULL if such requests do not have the key. */
const char *orr_assumable_path(enum orr_assumable key);
const char *orr_assumable_word(enum orr_assumable key);
const char *orr_assumable_reason(enum orr_assumable key, enum orr_job_kind kind);

/* The keys that the request leaves out and that matter to the job, which has been read from it. */
uint64_t orr_assumed_keys(const json_t *request, const struct orr_job *job);
/* The keys that say "auto" and may, as bits. */
uint64_t orr_auto_keys(const json_t *request, enum orr_job_kind kind);
/* Takes keys out of a request. */
void orr_drop_keys(json_t *request, uint64_t keys);
/* The degree of a parallelism that is 1 unless asked for: nothing to tell people about. */
bool orr_assumable_is_degree(enum orr_assumable key);

#endif
