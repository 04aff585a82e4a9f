/* An answer: operators with their costs, the result, and the functions that predict it.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_ANSWER_H
#define ORRERY_ANSWER_H

/* ---------------------------------------------------------------- operators and their costs */

struct orr_op {
    const char *name; /* static, e.g. "mlp.up" */
    enum orr_op_kind kind;
    enum orr_phase phase;
    int32_t layer_kind;    /* index into model.kinds, or an ORR_LAYER_* below */
    enum orr_dtype dtype;  /* matrix inputs */
    double count;          /* executions per layer and micro-batch (or per step) */
    double batch, m, n, k; /* GEMM shapes: output m x n, reduction k; a softmax has rows of length n */
    double input_bytes, weight_bytes, output_bytes; /* bytes per element of (m, k), of (k, n) and of (m, n) */
    double flops;                                   /* one execution */
    double bytes;                                   /* DRAM traffic of one execution; its cost may add re-reads */
    double launches;                                /* kernels launched */
    double host_s;         /* host time besides launches: of its layer, on the operator that stands for it */
    double floor_s;        /* POINTWISE: least time of all the operator's kernels together */
    double fixed_s;        /* POINTWISE: time of a kernel besides its traffic; 0: that of any launch */
    double n_idle_experts;   /* GROUPED: experts of the rank that have no row */
    bool fixed_tiles;        /* GROUPED: nobody chose tiles for the shape (Eq. 390) */
    double walk_ratio;     /* FLASH: keys of the longest query block relative to the mean; 2 if causal */
    double imbalance_frac; /* FLASH: pairs of the busiest context-parallel rank above the mean, over the mean */
    double head_size;      /* FLASH: larger of query and value head */
    double kv_heads;       /* DECODE: on this rank; batch: sequences, m: query heads, n: context, k: head size */
    double table_bytes;    /* DECODE: bytes of the block table, per sequence and key */
    double payload_bytes;  /* COLLECTIVE: full payload (S of Eqs. 49-59) of the operation */
    enum orr_collective collective;
    enum orr_group group;
    int64_t ranks;               /* COLLECTIVE: of the first so many ranks of the group; 0: of all */
    int32_t n_experts, n_active; /* COLLECTIVE of tokens to experts: experts of the layer and of a token; else 0 */
    int32_t n_groups, n_groups_active; /* ... groups of experts, and how many of them a token may use; else 0 */
    bool from_drives;                  /* COLLECTIVE with the host: it reads or writes drives, too */
    int32_t window_op;                 /* COLLECTIVE: index of the operator that may hide it; -1: none */
    int32_t latent_rank;          /* DECODE: absorbed latent attention, k is this rank plus the rotary part; else 0 */
    enum orr_pointwise pointwise; /* POINTWISE: class */
    bool packed;                  /* DECODE: a K,V head is read once for its query group */
    double key_tokens;            /* DECODE: tokens of the context that one key stands for; 0 counts as 1 */
    bool joined;                  /* DECODE: further keys of the call before; POINTWISE: the device time of its launches
                                     is in that of another kernel */
    bool index;                   /* DECODE: scores of an indexer, which chooses the keys that attention reads */
    bool vector;                  /* SCAN: arithmetic outside the matrix units */
    bool delta;                   /* SCAN: the delta rule, m tokens of a sequence one after another */
    bool fused;                   /* SCAN: the delta rule in one kernel */
    bool recomputed;              /* the operator is executed again in backward */
    bool general;                 /* FLASH: no flash kernel takes its mask or its heads (Eq. 372) */
    double repeat_frac;           /* ... or this share of it; 1 unless recomputation keeps some products */
    bool wgrad;                   /* weight gradient: may be delayed by zero-bubble schedules */
    bool in_blocks;               /* GEMM: integers in blocks of 32 with scales of their own (Eq. 385) */
    bool half_sums;               /* GEMM: sums in 16 bits, at the chip's own rate for them (Eq. 384) */
};

#define ORR_LAYER_EMBEDDING (-1)
#define ORR_LAYER_HEAD      (-2)
#define ORR_LAYER_STEP      (-3)
#define ORR_LAYER_BOUNDARY  (-4) /* between pipeline chunks */
#define ORR_LAYER_MTP       (-5) /* input and head of a multi-token prediction layer */
#define ORR_LAYER_TOWER     (-6) /* vision tower or encoder */

struct orr_cost {
    double total_s; /* one execution */
    double compute_s, l2_s, dram_s, network_s, launch_s;
    double hidden_s;             /* COLLECTIVE: time that is hidden behind window_op */
    double dram_bytes, l2_bytes; /* traffic, including re-reads */
    double matrix_frac;          /* share of peak used for compute_s; 0: not a matrix kernel */
    double matrix_s;             /* time of the FLOP at that share of peak, which loads the power limit */
    bool partial_overlap;        /* compute and DRAM time overlap only in part, as in grouped products */
    enum orr_bound bound;
    enum orr_algorithm algorithm;    /* COLLECTIVE: the fastest */
    bool across;                     /* COLLECTIVE: it uses the NICs between domains */
    int64_t tile_m, tile_n, split_k; /* GEMM: the fastest */
};

/* ---------------------------------------------------------------- result */

#define ORR_MAX_TENSORS 48
#define ORR_REASON      256

/* One line of the memory ledger, for the pipeline rank with the highest peak. */
struct orr_tensor {
    const char *name;     /* static */
    const char *shape;    /* static: symbols of docs/equations.md, e.g. "b s h" */
    const char *sharding; /* static: what the tensor is divided by */
    const char *lifetime; /* static: from when to when */
    enum orr_memory_part part;
    double bytes; /* size while alive */
    bool at_peak; /* alive at the instant of the peak */
};

#define ORR_MAX_INSTANTS 8
struct orr_instant {
    const char *name; /* static: "loss", "first layer backward", ... */
    double bytes;
};

struct orr_memory {
    double part_bytes[ORR_N_MEMORY_PARTS]; /* at the peak; sums to total_bytes */
    double total_bytes;
    double most_bytes;   /* peak if the host runs ahead throughout; decides whether the plan fits */
    double usable_bytes; /* capacity less context and fragmentation */
    double capacity_bytes;
    int64_t peak_stage;   /* pipeline rank with the highest peak */
    int64_t peak_instant; /* index into instants */
    int64_t n_instants;
    struct orr_instant instants[ORR_MAX_INSTANTS]; /* of the peak stage */
    int64_t n_tensors;
    struct orr_tensor tensors[ORR_MAX_TENSORS];
    double in_flight;                       /* micro-batches whose activations live on the peak stage */
    double host_bytes, host_capacity_bytes; /* offloaded to host memory by one GPU, and its share of that memory */
    double nvme_bytes, nvme_capacity_bytes; /* the same of the drives */
};

struct orr_result {
    struct orr_spread spread;
    double step_time_s, interval_low_s, interval_high_s; /* 10 % of measured times lie below, 10 % above */
    double median_s;                                     /* half of the measured times lie below */
    const char *interval_class;                          /* static name of the job class the interval comes from */
    enum orr_doubt interval_from;                        /* what widens the interval most */
    bool engine_measured;                                /* measured runs have this engine in this regime */
    double bound_s;                                      /* speed of light: no overhead, full overlap, peak rates */
    enum orr_bound bottleneck;                           /* resource that holds the largest share of the step */
    double bound_share_frac[ORR_N_BOUNDS];               /* of step_time_s; sums to 1 */
    double tokens_per_s, tokens_per_s_per_gpu;
    double model_flops, executed_flops; /* whole system, one step (Eqs. 20-23) */
    double model_tflops_per_gpu, mfu_frac, hfu_frac;
    double mfu_causal_frac;          /* as mfu_frac, with the pairs that a causal mask leaves */
    double time_s[ORR_N_TIME_PARTS]; /* sums to step_time_s */
    double hidden_s[ORR_N_GROUPS];   /* communication hidden, per group */
    double matrix_share_frac;        /* share of the step in matrix kernels (power rule) */
    double matrix_frac;              /* share of peak that matrix kernels sustain at that load */
    struct orr_memory memory;
    bool fits;
    char reason[ORR_REASON];                    /* orr_train_advice fills it if the job does not fit; else empty */
    double energy_j, power_w_per_gpu, cost_usd; /* one step, whole system; mean power of a GPU */
    double energy_part_j[ORR_N_ENERGY_PARTS];   /* sums to energy_j */
    int64_t params_total, params_active;
    int64_t n_micro_batches;
};

/* The result of an inference job. Times are for one batch on one replica; rates are for the whole system. */
struct orr_infer_result {
    double ttft_s;                          /* from the arrival of the request to the first token (Eq. 2) */
    double tpot_s;                          /* mean time per further token; 0 if there is none */
    double latency_s;                       /* from the arrival of the request to the last token */
    double prefill_s, decode_s;             /* GPU time of the prompt, and of all further tokens */
    double tower_s;                         /* part of prefill_s: vision tower or encoder */
    double interval_low_s, interval_high_s; /* of latency_s */
    double median_s;                        /* half of the measured latencies lie below */
    const char *interval_class;
    enum orr_doubt interval_from; /* what widens the interval most */
    bool engine_measured;         /* measured runs have this engine in this regime */
    double bound_s;               /* speed of light of the latency */
    double output_tokens_per_s, output_tokens_per_s_per_gpu, input_tokens_per_s_per_gpu;
    double time_s[ORR_N_INFER_PARTS];                                         /* sums to latency_s */
    double prefill_bound_frac[ORR_N_BOUNDS], decode_bound_frac[ORR_N_BOUNDS]; /* each sums to 1; 0 without decode */
    enum orr_bound bottleneck;                                                /* largest share of the latency */
    double memory_bytes[ORR_N_SERVE_MEMORY_PARTS];                            /* one GPU of the fullest stage */
    double memory_total_bytes, memory_usable_bytes, memory_capacity_bytes;
    double kv_budget_bytes; /* what the engine's rule leaves for the cache of one GPU */
    double kv_room_tokens;    /* ... in tokens of sequences of this length, whatever the batch */
    int64_t kv_room_sequences; /* ... in sequences, where states have a pool of their own; else INT64_MAX */
    int64_t kv_block_tokens;   /* of a block, which a state may have made longer than the engine's */
    bool kv_window_pool;      /* layers with windows have a pool of their own */
    bool fits;
    char reason[ORR_REASON];         /* what is missing; empty if the job fits */
    int64_t max_batch;               /* sequences of this length the budget holds; 0: none */
    int64_t max_context;             /* longest context of one sequence of this batch */
    int64_t kv_bytes_per_token;      /* whole model, while the context is shorter than every window */
    double kv_bytes_per_sequence;    /* whole model at input_len + output_len tokens, cut to the windows */
    double state_bytes_per_sequence; /* whole model, at any length: recurrent states, K,V of encoders */
    double kv_gpu_bytes;             /* cache and states of one sequence on the fullest GPU, in whole blocks */
    double kv_handoff_s;             /* disaggregated: sending the cache, including hidden time (Eq. 95) */
    double kv_handoff_pieces;        /* ... and the pieces in which it is sent (Eq. 320) */
    double tokens_per_step;          /* speculative decoding: mean tokens accepted per step; else 1 (Eq. 94) */
    double matrix_frac;              /* share of peak the prefill's products sustain */
    double energy_j, power_w_per_gpu, cost_usd; /* whole system, one batch per replica */
    double energy_part_j[ORR_N_ENERGY_PARTS];   /* sums to energy_j */
    double cost_usd_per_million_tokens;         /* output tokens */
    int64_t params_total, params_active;
};

/* ---------------------------------------------------------------- prediction */

/* Working memory of one prediction at a time. orr_scratch_new allocates all of it: orr_train, orr_infer, orr_predict,
 * orr_train_what_if and orr_train_advice do not allocate. */
struct orr_scratch;
ORR_API ORR_NODISCARD struct orr_scratch *orr_scratch_new(void); /* NULL: out of memory */
ORR_API void orr_scratch_free(struct orr_scratch *scratch);

/* Predict one training step. The job must have passed orr_job_check. Equal jobs give equal results to the last bit. */
ORR_API void orr_train(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result);

/* Predict one inference job: prefill, then every decode step over the growing context, summed exactly. */
ORR_API void orr_infer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result);

/* A step model gives the time of one step of a serving engine, with prompt chunks and decoding sequences in one batch,
 * to simulators that ask millions of times. orr_step_model_new allocates once per job; orr_step_time neither allocates
 * nor locks. */
struct orr_step_model;
struct orr_step {
    int64_t prefill_tokens;    /* new prompt tokens in this step, all sequences */
    int64_t prefill_sequences; /* sequences of these tokens */
    int64_t prefill_context;   /* tokens of these sequences already in the cache, all together */
    int64_t decode_sequences;  /* sequences that get one token each */
    int64_t decode_context;    /* tokens in the contexts of the decoding sequences, all together */
    int64_t padding_rows;      /* dummy rows without a context that fill a captured graph up to its size */
};
ORR_API ORR_NODISCARD struct orr_step_model *orr_step_model_new(const struct orr_job *job); /* NULL: out of memory */
ORR_API void orr_step_model_free(struct orr_step_model *model);
/* The time of the step in seconds. */
ORR_API double orr_step_time(struct orr_step_model *model, const struct orr_step *step);

#endif
