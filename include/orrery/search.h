/* Searches and sweeps with open structs. A part of orrery.h, which includes it where ORR_EXPERIMENTAL
 * is defined; include that. */
#ifndef ORRERY_SEARCH_H
#define ORRERY_SEARCH_H

/* ---------------------------------------------------------------- search with open structs */

#define ORR_OBJECTIVES(X)                                                                                              \
    /*  enum        name          what the best plan has                                   */                          \
    X(TIME, "time", "the shortest step, or the shortest latency")                                                      \
    X(THROUGHPUT, "throughput", "the most tokens per second and GPU")                                                  \
    X(COST, "cost", "the fewest dollars per token")                                                                    \
    X(ENERGY, "energy", "the fewest joules per token")                                                                 \
    X(MEMORY, "memory", "the most memory left")
#define ORR_X_OBJECTIVE_(name, ...) ORR_OBJECTIVE_##name,
enum orr_objective { ORR_OBJECTIVES(ORR_X_OBJECTIVE_) ORR_N_OBJECTIVES };
ORR_API const char *orr_objective_name(enum orr_objective objective);

/* Values one dimension may take; n = 0: every value the rules allow. */
#define ORR_MAX_CHOICES 64
struct orr_choices {
    int64_t n;
    int64_t values[ORR_MAX_CHOICES]; /* ascending; enums and booleans by their number */
};

struct orr_space {
    struct orr_choices gpus; /* never empty */
    struct orr_choices tp, cp, pp, dp, ep, etp;
    struct orr_choices vpp, schedule, zero, sp, cp_kind, micro_batch, recompute, recompute_every; /* train */
    bool overlap;                          /* train: also search plans that switch off an overlap the engine has */
    struct orr_choices batch, weights, kv; /* infer: sequences of a replica, formats */
    struct orr_choices disaggregated;      /* infer: 0, 1 or both */
};

/* A limit that every plan of the answer must respect, on any numeric key of the result. */
struct orr_limit {
    char key[64]; /* "mfu_frac", "memory_bytes.total", "ttft_s", ... */
    bool at_most; /* else at least */
    double value;
    int metric; /* set by orr_search_new */
};
#define ORR_MAX_LIMITS 16

/* One plan in as few bytes as possible. */
struct orr_choice {
    int32_t gpus, tp, cp, pp, vpp, dp, ep, etp;
    int32_t micro_batch, recompute_every; /* train */
    int32_t batch;                        /* infer */
    uint8_t recompute, zero, sp, schedule, cp_kind, weights, kv, disaggregated;
    uint32_t exposed_groups;
    int32_t decode_gpus, decode_tp, decode_pp, decode_ep, decode_batch; /* disaggregated: the pool that decodes */
};

struct orr_search_request {
    struct orr_job job;            /* model, system, engine and workload; the plan is searched */
    bool imbalance_given;          /* infer: the request gives workload.moe_imbalance; else it follows ep */
    bool matrix_given, comm_given; /* infer: the request gives matrix_precision, comm_precision; else the weights do */
    struct orr_space space;
    enum orr_objective objective;
    int64_t top;         /* plans to list, each of another layout (gpus, tp, cp, pp, dp, ep, etp) */
    double front_within; /* with one GPU count, the front ends where a step takes this many times the fastest */
    bool brute;          /* evaluate every plan that fits, prune none */
    int64_t concurrency; /* infer: users of a closed loop under whose load plans are compared; 0: none */
    double rate_per_s;   /* infer: ... or requests per second; 0: none */
    bool compared;       /* also count the plans that are better than `compare` */
    struct orr_choice compare;
    size_t n_limits;
    struct orr_limit limits[ORR_MAX_LIMITS];
};

/* Read the request of a form as a search. orr_search_new checks the keys of "limits". */
ORR_API ORR_NODISCARD enum orr_err orr_form_search(const struct orr_form *form, struct orr_search_request *request,
                                                   struct orr_error *error);

struct orr_found {
    double objective;    /* lower is better */
    double time_s;       /* step, or latency */
    double memory_bytes; /* of the fullest GPU */
    double front[2];     /* coordinates of the front; lower is better */
    struct orr_choice choice;
};

/* Why plans are rejected. Every plan is counted once: those rejected and those in the answer add up to `plans`. */
#define ORR_REJECTS(X)                                                                                                 \
    /*  enum        name         why a plan is not in the answer             */                                        \
    X(MEMORY, "memory", "does not fit")                                                                                \
    X(BOUND, "bound", "cannot be good enough: its lower bound is too slow")                                            \
    X(LIMIT, "limit", "would be in the answer but breaks a limit")                                                     \
    X(WORSE, "worse", "evaluated, and others are better")
#define ORR_X_REJECT_(name, ...) ORR_REJECT_##name,
enum orr_reject { ORR_REJECTS(ORR_X_REJECT_) ORR_N_REJECTS };

struct orr_search_counts {
    uint64_t plans;     /* valid plans, whether they fit or not */
    uint64_t evaluated; /* plans whose time was worked out in full */
    uint64_t feasible;  /* plans that were not found too large for memory */
    uint64_t shapes;    /* ways a layer is cut whose costs were worked out */
    uint64_t better;    /* plans better than `compare`, including several of one layout */
    uint64_t rejected[ORR_N_REJECTS];
};

ORR_API ORR_NODISCARD enum orr_err orr_search_new(const struct orr_search_request *request, struct orr_search **search,
                                                  struct orr_error *error);

/* orr_search_pass runs a search in pieces, for several processes. Pass 0 covers all blocks, each in one of the
 * processes; every process merges the outcomes of all others; then pass 1 follows. `next` hands out the index of a
 * block, or -1 when none is left; it is called by one thread at a time. */
enum { ORR_SEARCH_PASSES = 2 };
ORR_API int64_t orr_search_n_blocks(const struct orr_search *search);
ORR_API ORR_NODISCARD enum orr_err orr_search_pass(struct orr_search *search, int pass, int threads,
                                                   int64_t (*next)(void *context), void *next_context,
                                                   orr_search_progress progress, void *context,
                                                   struct orr_error *error);
/* Pack what this process found in its last pass (the caller owns the bytes), and merge what another process packed. */
ORR_API ORR_NODISCARD void *orr_search_pack(const struct orr_search *search, size_t *n_bytes);
ORR_API ORR_NODISCARD enum orr_err orr_search_merge(struct orr_search *search, const void *bytes, size_t n_bytes,
                                                    struct orr_error *error);

/* The answer. The search owns the list, in which the best plan comes first. */
ORR_API struct orr_search_counts orr_search_counts_of(const struct orr_search *search);
ORR_API bool orr_search_complete(const struct orr_search *search); /* the search was not stopped */
ORR_API size_t orr_search_best(const struct orr_search *search, const struct orr_found **found);

/* ---------------------------------------------------------------- sweep with open structs */

#define ORR_SWEEP_MODES(X)                                                                                             \
    X(PRODUCT, "product", "every value with every other; the last field varies fastest")                               \
    X(ZIP, "zip", "first values, second values, ...; all fields have as many")                                         \
    X(SAMPLE, "sample", "a Latin hypercube")

#define ORR_X_SWEEP_(name, ...) ORR_SWEEP_##name,
enum orr_sweep_mode { ORR_SWEEP_MODES(ORR_X_SWEEP_) ORR_N_SWEEP_MODES };

struct orr_vary {
    const char *name;   /* column of the values */
    const char *paths;  /* fields that get the values, separated by spaces: "plan.tp", "chip.tdp_w" */
    const char *values; /* "1,2,4", "1:64:x2", ... */
};

struct orr_sweep_spec {
    const char *request, *origin; /* JSON, and its name in errors */
    const struct orr_vary *varies;
    size_t n_varies;
    enum orr_sweep_mode mode;
    int64_t n_samples; /* SAMPLE */
    uint64_t seed;     /* SAMPLE */
    int n_threads;     /* 0: as many as there are cores */
    bool search;       /* every point is a search, answered with its best plan */
};

/* Open a sweep of a form's request. The form need not outlive the sweep; `request` and `origin` of the spec are not
 * read. The errors are those of orr_sweep_open_json. */
ORR_API ORR_NODISCARD enum orr_err orr_form_sweep(const struct orr_form *form, const struct orr_sweep_spec *spec,
                                                  struct orr_sweep **sweep, struct orr_error *error);
/* Request, fields and mode in one line, which decide what the rows hold. Equal sweeps have equal texts. */
ORR_API const char *orr_sweep_text(const struct orr_sweep *sweep);

#endif
