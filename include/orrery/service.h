/* A service under load: traffic, the simulation, the closed form and the size of a service.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_SERVICE_H
#define ORRERY_SERVICE_H

/* A law of lengths, in tokens. */
#define ORR_LENGTH_POINTS 129
struct orr_lengths {
    enum orr_length_law law;
    double mean;      /* FIXED, LOGNORMAL, EXPONENTIAL */
    double cv;        /* LOGNORMAL: standard deviation over mean */
    double low, high; /* UNIFORM: first and last; else lengths are cut to this range; 0: not cut */
    int64_t n_points; /* EMPIRICAL */
    double points[ORR_LENGTH_POINTS];
};

/* One request of a trace. */
struct orr_trace_row {
    double arrival_s;
    int64_t input_len, output_len;
    uint64_t prefix;    /* requests with equal numbers begin with the same tokens; 0: with none */
    int64_t prefix_len; /* ... so many */
    bool urgent;
};

enum { ORR_DEFAULT_ADAPTER_RANK = 16 };

/* What is asked of a service. Rates and numbers are those of the whole system; its `dp` replicas share them. */
struct orr_traffic {
    enum orr_arrival arrival;
    enum orr_router router;      /* not of a closed loop, whose users stay with their replica */
    double rate_per_s;           /* POISSON, GAMMA, CONSTANT; DIURNAL: the mean */
    double burstiness;           /* GAMMA: shape of the gaps */
    double swing_frac, period_s; /* DIURNAL: amplitude over mean, and length of a day */
    int64_t concurrency;         /* CLOSED: users */
    double think_s;              /* CLOSED: mean pause of a user between answer and question, exponential */
    int64_t requests;            /* requests of the run; 0: by duration_s */
    double duration_s;           /* no request arrives after this; 0: by requests */
    double warmup_s;             /* requests that arrive earlier are run but not counted */
    struct orr_lengths input_len, output_len;
    int64_t max_output_len; /* what a request may take, which some engines reserve; 0: its own output */
    double prefix_share;    /* share of a prompt that it has in common with others of its group */
    int64_t prefix_groups;  /* groups, drawn by Zipf's law; 0: one */
    double session_share;   /* share of the requests that follow an earlier one; above 0 groups are sessions */
    double session_gap;     /* mean number of requests between the two */
    double urgent_share;    /* share of the requests that go before all others */
    int64_t adapters;       /* LoRA adapters among the requests, drawn by Zipf's law; 0: none */
    int64_t adapter_rank;   /* their rank, on all matrices of the layers; 0: ORR_DEFAULT_ADAPTER_RANK */
    uint64_t seed;
    const struct orr_trace_row *trace; /* TRACE; not owned, sorted by arrival */
    size_t n_trace;
};

#define ORR_TIMINGS(X)                                                                                                 \
    /*  enum     key          meaning                                                                   */             \
    X(TTFT, "ttft_s", "from the arrival of a request to its first token")                                              \
    X(TPOT, "tpot_s", "mean time of a request per token after the first")                                              \
    X(ITL, "itl_s", "from one token of a sequence to its next, over all tokens")                                       \
    X(LATENCY, "latency_s", "from the arrival of a request to its last token")                                         \
    X(QUEUE, "queue_s", "from the engine's receipt of a request to its first step")
#define ORR_X_TIMING_(name, ...) ORR_TIMING_##name,
enum orr_timing_kind { ORR_TIMINGS(ORR_X_TIMING_) ORR_N_TIMINGS };

/* A distribution in five numbers, and the 80 % interval of its mean as factors: of the model's own error, and with that
 * of a finite run. */
struct orr_timing {
    double mean, p50, p90, p95, p99;
    double low_frac, mid_frac, high_frac; /* 10, 50 and 90 % of measured means lie below */
};

/* A limit on latency: "ttft_s.p99<=1 s". The quantile says how many requests must keep it; 0 is the mean. */
#define ORR_MAX_SLOS 8
struct orr_slo {
    enum orr_timing_kind kind;
    double quantile; /* 0: mean; else 0.5, 0.9, 0.95 or 0.99 */
    double limit_s;
};

/* A pool of equal replicas: `dp` of its job's plan. */
struct orr_pool {
    enum orr_pool_role role;
    const struct orr_job *job; /* not owned */
};

/* A replica that stops: its requests begin anew elsewhere, and it comes back with an empty cache. */
struct orr_failure {
    int64_t pool, replica; /* from 0 */
    double at_s, down_s;
};

/* Replicas of the first pool that come and go with the load. */
struct orr_autoscale {
    int64_t least, most; /* replicas; most 0: their number does not change */
    double requests;     /* unfinished ones that a replica is meant to have */
    double start_s;      /* from the decision to the first request */
    double interval_s;   /* between two decisions */
    double idle_s;       /* so long must fewer replicas do before one is stopped */
};

/* How replicas are put together. All members 0: the job's replicas alone, all equal and always up. */
#define ORR_MAX_POOLS    8
#define ORR_MAX_FAILURES 16
struct orr_deployment {
    size_t n_pools; /* 0: the job's replicas; else the first pool has them */
    struct orr_pool pools[ORR_MAX_POOLS];
    int64_t max_outstanding; /* a replica with so many unfinished requests gets no more; 0: no limit */
    struct orr_autoscale autoscale;
    struct orr_failure failures[ORR_MAX_FAILURES];
    size_t n_failures;
};

/* A request of kind "serving": the job of one replica's steps, the traffic and the limits. */
struct orr_serving_request {
    struct orr_job job;               /* kind INFER, with the mean lengths of the traffic */
    struct orr_deployment deployment; /* jobs of its pools are `job` and those below */
    struct orr_job *pool_jobs;        /* owned; NULL: none */
    struct orr_traffic traffic;       /* its trace is the one below */
    struct orr_slo slos[ORR_MAX_SLOS];
    size_t n_slos;
    struct orr_trace_row *trace; /* owned; NULL: none */
    char trace_file[1024];
};

/* One finished request. */
struct orr_request_record {
    int64_t id;                  /* from 0 in the order of arrival */
    double arrival_s, visible_s; /* sent; received by the engine */
    double start_s;              /* begin of its first step */
    double first_s, finish_s;    /* first and last token delivered */
    int64_t input_len, output_len, cached_len;
    int64_t preemptions;
    double transfer_s; /* of its cache between two pools, waits for the link and for room included */
    bool urgent;
};

/* Steps without an event between them, in which the same sequences decode. */
struct orr_step_record {
    double start_s, end_s;
    int64_t steps;
    int64_t prompt_tokens, prompts; /* of a step with prompts */
    int64_t decodes;                /* sequences that get a token in every step */
    int64_t waiting;                /* requests received and not admitted */
    double kv_used_frac;
};

/* One pool of a deployment, as means over its replicas. */
struct orr_pool_result {
    enum orr_pool_role role;
    int64_t gpus;    /* with all replicas */
    double replicas; /* mean number that are paid for */
    double busy_frac, mean_running_batch, kv_used_frac, kv_capacity_tokens, power_w_per_gpu;
    int64_t preemptions;
};

struct orr_serving_result {
    struct orr_timing timing[ORR_N_TIMINGS];
    struct orr_timing transfer;                /* of caches between two pools; mean 0: none */
    struct orr_timing urgent_ttft, other_ttft; /* by priority; mean 0: all requests are equal */
    double link_busy_frac;                     /* share of time in which a prefill replica sends */
    int64_t rejected;                          /* turned away because every replica has its fill */
    int64_t restarted;                         /* requests that began anew because their replica failed */
    double mean_gpus;                          /* that are paid for */
    int64_t n_pools;                           /* 0: one pool of equal replicas that are always up */
    struct orr_pool_result pools[ORR_MAX_POOLS];
    double output_tokens_per_s, output_tokens_per_s_per_gpu, input_tokens_per_s;
    double completed_requests_per_s, goodput_requests_per_s, slo_frac;
    bool slo_met;              /* every limit holds at its quantile; true without limits */
    double mean_running_batch; /* sequences of one replica that decode or read their prompt, over busy time */
    double mean_waiting;       /* requests of one replica received and not admitted */
    double kv_used_frac;       /* mean share of the cache in use */
    int64_t preemptions;
    double prefix_hit_frac;        /* share of prompt tokens found in the cache */
    double busy_frac, prompt_frac; /* share of time with a step; share of steps' time with prompts */
    double energy_j_per_output_token, energy_j_per_request, power_w_per_gpu;
    double cost_usd_per_million_output_tokens;
    double rate_low_frac, rate_high_frac;     /* 80 % interval of throughput, as factors */
    double step_low_frac, step_high_frac;     /* 80 % interval of the time of a step, as factors */
    double bound_frac[ORR_N_BOUNDS];          /* shares of the steps' time, by the resource that binds */
    const char *interval_class;               /* a static string */
    enum orr_doubt interval_from, first_from; /* what widens most: of next tokens; of first ones */
    bool engine_measured;                     /* runs of this engine in this regime are among the measurements */
    int64_t requests;                         /* counted in the statistics */
    int64_t refused;                          /* longer than the cache */
    double duration_s;                        /* simulated, without the warm-up */
    double kv_capacity_tokens;                /* of one replica */
    bool fits;
    char reason[ORR_REASON];
    bool complete;                   /* false: stopped early, the result is about the requests so far */
    bool saturated;                  /* the queue grew to the end, or the closed form has no steady state */
    bool at_knee;                    /* within the error of a step it may queue or not: first tokens are unknown */
    double simulated_requests_per_s; /* of the program; the only number that depends on the machine it runs on */
};

/* What a simulation is told besides job and traffic, and whom it tells. Members may be 0 or NULL. */
struct orr_simulation {
    const struct orr_slo *slos;
    size_t n_slos;
    const struct orr_deployment *deployment; /* NULL: the job's replicas alone */
    bool exact;               /* every step is priced by orr_step_time itself and none are summed: slow */
    const volatile int *stop; /* the run ends soon after this becomes other than 0 */
    void *context;            /* given to the functions below */
    void (*finished)(void *context, const struct orr_request_record *record);
    void (*stepped)(void *context, const struct orr_step_record *record);
    void (*progress)(void *context, double done_frac);
};

/* Simulate the traffic on one replica with its share of the requests; the result is that of the whole system. The job
 * must be an inference job that passed orr_job_check. Equal jobs and traffics give equal results but for
 * simulated_requests_per_s. */
ORR_API ORR_NODISCARD enum orr_err orr_simulate(const struct orr_job *job, const struct orr_traffic *traffic,
                                                const struct orr_simulation *how, struct orr_serving_result *result,
                                                struct orr_error *error);

/* Steady state in closed form, for callers that ask very often: the means of CLOSED, and of all others as POISSON at
 * rate_per_s. A closed form belongs to one thread at a time; it keeps the times of steps from call to call. Quantiles
 * stay 0. */
struct orr_closed_form;
ORR_API ORR_NODISCARD struct orr_closed_form *orr_closed_form_new(const struct orr_job *job); /* NULL: no memory */
ORR_API void orr_closed_form_free(struct orr_closed_form *form);
ORR_API void orr_closed_form_solve(struct orr_closed_form *form, const struct orr_traffic *traffic,
                                   struct orr_serving_result *result);

/* One line of the ledger of time: an operator, a transfer or a wait of the rank that sets the pace. The seconds of the
 * rows, added up part by part, are the parts of the answer's time to the last bit. */
struct orr_time_row {
    const char *name; /* static: name of the operator, or of what the rank waits for */
    int64_t op;       /* index into the answer's operators; -1: a wait, or time of the host */
    enum orr_phase phase;
    enum orr_group group;                 /* group of a transfer; NONE: a kernel, a wait, or the host */
    enum orr_bound resource;              /* resource that sets the time of the row */
    int part;                             /* enum orr_time_part, or enum orr_infer_part */
    int64_t rank;                         /* pipeline rank of the row; all ranks of a serving pass are alike */
    double runs;                          /* executions in the step or request on one GPU of that rank */
    double run_s;                         /* exposed time of one execution */
    double exposed_s;                     /* all executions: runs times run_s */
    double share_frac;                    /* of the whole step or request */
    double hidden_s;                      /* time of all executions that other work hides; no sum includes it */
    double flops, dram_bytes, link_bytes; /* all executions */
    double energy_j;                      /* one GPU without facility: its work, and idle power over exposed_s */
};

/* Further facts of a training prediction, on the rank that sets the pace. */
struct orr_train_facts {
    int64_t rank;
    double clock_frac;                     /* over the burst clock (power rule) */
    double forward_s, backward_s, wgrad_s; /* one micro-batch; backward including recomputation and exposed transfers */
    double launches;                       /* kernels of a step */
    double host_forward_s, host_backward_s; /* one micro-batch: what the host needs to launch it */
    double host_wait_s;                     /* of a step: how long the GPU waits for launches */
    double host_once_s;                     /* of a step: host time outside its launches */
    double send_pairs, send_pair_s; /* pairs of pipeline sends a step waits for, and the time of one pair (Eq. 74) */
    double dp_collectives_s;        /* gradient and weight collectives of a step, including hidden ones */
    double paced_s; /* of a step: passes where the GPU works longest, with exposed collectives, without waits */
};

/* Further facts of an inference prediction, about the prompt or about one decode step at the mean context. */
struct orr_pass_facts {
    double clock_frac; /* over the burst clock (power rule) */
    double stage_frac; /* share of a pass through the model that one pipeline stage runs */
    double passes;     /* passes through the model: 1 prompt, or decode steps */
    double gemm_s, attention_s, pointwise_s, network_s; /* one pass, all layers */
    double gap_s;                                       /* idle time between the kernels of a pass */
    double host_s;   /* all passes, one stage: time in which the GPU waits for the host's launches */
    double sends_s;  /* all passes: sending activations from stage to stage */
    double sample_s; /* host time that a step adds: scheduling, inputs, sampling, detokenising */
    double draft_s;  /* all passes: drafting the tokens that the next pass verifies */
};

/* The effect of one change with everything else equal. */
struct orr_what_if {
    const char *text; /* static: "--recompute selective", or the rate that is raised by 10 %: "DRAM" */
    double step_time_s;
    bool fits;
    bool hardware; /* a rate of the machine; else a change of plan, workload or software */
};
#define ORR_MAX_WHAT_IFS 32

/* The answer to one question. The caller owns `job`; operators, costs and rows belong to the scratch and are valid
 * until its next prediction. */
struct orr_answer {
    const struct orr_job *job;
    struct orr_result train;               /* result of a training job */
    struct orr_infer_result infer;         /* result of an inference job */
    struct orr_train_facts facts;          /* training */
    struct orr_pass_facts prefill, decode; /* inference */
    const struct orr_op *ops;              /* op.count: executions per layer and micro-batch, or per pass */
    const struct orr_cost *costs;
    size_t n_ops;
    const struct orr_time_row *rows; /* the ledger of time, in the order of the operators */
    size_t n_rows;
    const struct orr_scratch *scratch;  /* holds these arrays and the times of every pipeline rank */
    const struct orr_what_if *what_ifs; /* training: reports show the results of orr_train_what_if put here */
    size_t n_what_ifs;
};
/* Predict one job of either kind, with its ledger. orr_train and orr_infer give the same result without one. */
ORR_API void orr_predict(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer);
/* The same files for one answered job. */
ORR_API bool orr_answer_launch(const struct orr_answer *answer, orr_launch_sink sink, void *context);
/* Does the answered job fit into memory? */
ORR_API bool orr_answer_fits(const struct orr_answer *answer);

/* Predict 10 % more of each hardware rate and every single change of plan or workload the rules allow; returns how
 * many. It is too slow for hot loops. The scratch again holds this job's operators afterwards. */
ORR_API size_t orr_train_what_if(const struct orr_job *job, struct orr_scratch *scratch,
                                 struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS]);

/* For a result that does not fit: fill result->reason with what is missing and the change of one plan or workload
 * field that makes it fit at the least step time. It is too slow for hot loops, because it predicts every candidate. */
ORR_API void orr_train_advice(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result);

/* Render an answer of orr_predict in any format without predicting again. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_render(const struct orr_answer *answer, enum orr_format format,
                                       const struct orr_style *style);

/* Render what every hardware number is worth to a job: the elasticity of its answers to a decrease and an increase, and
 * the effect of 10 % more. The format is TERMINAL, JSON, CSV or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_sensitivity_render(const struct orr_job *job, enum orr_format format,
                                                   const struct orr_style *style);

#endif
