/* A job: a plan and a workload for a model on a system, and how requests become jobs.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_JOB_H
#define ORRERY_JOB_H

/* ---------------------------------------------------------------- plan, workload, job */

#define ORR_MAX_STAGES 512

struct orr_plan {
    int64_t gpus; /* tp * pp * cp * dp */
    int64_t tp, pp, vpp, dp, cp;
    int64_t ep, etp;                        /* carved out of dp * cp * tp (Eq. 5) */
    int64_t zero;                           /* 0-3 */
    int64_t zero_group;                     /* ranks over which weights are sharded; dp * cp unless hybrid sharding */
    int64_t zero_secondary;                 /* ZeRO-3: ranks that keep second shards for backward; 0: none */
    enum orr_reshard reshard;               /* ZeRO-3: are gathered weights freed after forward? */
    enum orr_store offload[ORR_N_OFFLOADS]; /* where states and activations are kept */
    bool sp;
    enum orr_schedule schedule;
    enum orr_stage_rule stages; /* how layers are divided over stages unless they are listed */
    enum orr_cp_kind cp_kind;
    uint32_t exposed_groups;              /* bit 1 << group: its transfers are not hidden though the engine could */
    int64_t n_stage_layers;               /* 0: layers spread evenly */
    int64_t stage_layers[ORR_MAX_STAGES]; /* layers of pipeline rank i */
};

struct orr_adapter {
    enum orr_adapter_kind kind;
    int64_t rank;
    unsigned targets;          /* bit 1 << target */
    enum orr_base_format base; /* of the frozen matrices of the layers */
    enum orr_dtype format;     /* of the adapter's own weights: fp32, or the format of activations */
    bool format_asked;         /* the request names the format; else it is that of the engine */
    bool plain;                /* fp32 products without autocast: inputs are kept in fp32 */
    double dropout_frac;       /* share of an adapter's inputs that is dropped; any above 0 makes a copy and a mask */
};

struct orr_workload {
    int64_t seq, micro_batch, global_batch; /* tokens; sequences; sequences */
    int64_t sample_len;                     /* tokens of the samples packed into a sequence; 0: it is one sample */
    enum orr_dtype precision;               /* GEMM inputs */
    enum orr_fp8_recipe fp8_recipe;         /* scaling of narrow products; ENGINE: as the engine does */
    enum orr_recompute recompute;
    enum orr_optimizer optimizer;        /* what is kept per parameter; ENGINE: as the engine does */
    enum orr_gradient_format gradients;  /* format in which micro-batches add up their gradients */
    enum orr_asked_format comm;          /* train: format of everything that travels between GPUs */
    enum orr_asked_format activations;   /* format of activations in memory, moved and kept */
    enum orr_asked_format core;          /* format of the products of attention and of their operands */
    bool ideal;                          /* no fixed times of kernels and host, no late ranks (orr_idealise) */
    int64_t wide_layers;                 /* layers whose products stay in 16 bits though `precision` is narrower */
    int64_t recompute_every;             /* full: one saved input per this many layers (Eq. 88) */
    uint32_t recompute_ops;              /* ops: bit 1 << enum orr_repeatable */
    int64_t recompute_first;             /* only this many first layers of every pipeline chunk; 0: all */
    int64_t recompute_nth;               /* only every nth layer of the model; 0: all */
    enum orr_attention_kernel attention; /* resolved: unfused or the engine's kernel */
    bool attention_dropout, hidden_dropout;
    bool causal;          /* fused kernels skip the masked half of the scores */
    double moe_capacity;  /* rows of every expert over the mean, cut or filled up; 0: dropless */
    double moe_imbalance; /* rows on the hottest expert rank over the mean, >= 1 */
    int64_t mtp_layers;   /* multi-token prediction layers trained after the last layer */
    struct orr_adapter adapter;
    int64_t frozen_layers;      /* first layers whose weights are not trained */
    bool optimizer_in_backward; /* a weight is updated, and its gradient dropped, as soon as it is made */
    bool layer_graphs;          /* the passes of a layer are replayed as captured graphs, one each */
    bool frozen_embedding, frozen_head, frozen_tower; /* ... nor are those of these parts */
};

/* What the tower of a model reads for each sequence (docs/json.md), and what follows from it (orr_media_resolve). */
struct orr_media {
    int64_t images;                      /* images of a sequence; 0: a job without the vision tower */
    int64_t image_width, image_height;   /* pixels */
    bool size_assumed;                   /* the request does not give the size */
    double audio_s;                      /* seconds of sound of a sequence */
    int64_t encoder_tokens;              /* tokens that an encoder reads */
    bool encodes;                        /* the tower is part of the job: its weights, time and memory */
    int64_t tower_runs, tower_positions; /* images, tiles or windows of a sequence, and positions of each */
    int64_t image_tokens;                /* tokens that they add to a prompt, or take of a training sequence */
    int64_t cross_keys;                  /* encoder positions of cross attention; 0: those of the model */
};

/* The weights of a model as they are served: bytes and products of every layer kind, as means over its layers. */
struct orr_served {
    bool resolved;                      /* what follows is set; else every matrix is in orr_serving.weights */
    double head_bytes, embedding_bytes; /* per weight of the tables at the ends */
    double vector_bytes;                /* per element of a tensor that is no matrix */
    double module_bytes[ORR_N_MODULES]; /* bytes of each module in the whole model */
    struct {
        double copied_bytes;                   /* latent down-projections: whole on every rank of tp */
        double divided_bytes;                  /* the rest of attention, dense FFN, shared experts */
        double expert_bytes;                   /* one routed expert */
        double other_bytes;                    /* norms and router */
        double stored_bytes[ORR_N_PRODUCTS];   /* per weight, including scales */
        enum orr_dtype matrix[ORR_N_PRODUCTS]; /* format in which the product is computed */
        bool used[ORR_N_PRODUCTS];             /* the layer has this product */
    } kinds[ORR_MAX_LAYER_KINDS];
    double head_stored_bytes; /* per weight of the head's product; 0: the format of activations */
};

/* What an inference job asks of one replica: `batch` prompts of input_len tokens, each answered by output_len. */
struct orr_serving {
    int64_t batch;                           /* sequences of one data-parallel rank */
    int64_t input_len, output_len;           /* input_len: text; the tokens of images are in orr_media */
    enum orr_weight_format format;           /* requested format; PUBLISHED: the checkpoint's own formats */
    enum orr_dtype weights;                  /* storage format of the weight matrices, or of most of them */
    enum orr_dtype matrix;                   /* format of the weight products: 16 bit for weight-only formats */
    enum orr_dtype kv;                       /* cache format, or the format in which kernels read the cache */
    enum orr_kv_format kv_format;            /* format of a cache with scales; PLAIN: `kv` */
    enum orr_dtype comm;                     /* format of activations sent between GPUs */
    enum orr_asked_format activations, core; /* as in orr_workload, which has copies of these three */
    bool ideal;
    double prefix_hit_frac;      /* share of the prompt already in the cache */
    int64_t chunk_tokens;        /* chunked prefill: tokens of the prompt per step; 0: all at once */
    int64_t draft_tokens;        /* speculative decoding: tokens drafted per step; 0: off */
    double draft_accept_frac;    /* chance that a drafted token is accepted */
    bool disaggregated;          /* prefill and decode run on different GPUs; the cache is sent across */
    double moe_imbalance;        /* rows on the hottest expert rank over the mean */
    double context_cv;           /* spread of the contexts that are decoded together, over their mean; 0: equal */
    struct orr_served served[2]; /* [0] the model, [1] the draft model */
    enum orr_switch options[ORR_N_RUN_OPTIONS]; /* what the run switched on or off; the engine's facts follow it */
};

/* Times of a job over the plausible values of the keys that its request leaves to the program (docs/equations.md,
 * Eqs. 179-181). All members are 0 where it leaves none. */
struct orr_spread {
    int64_t n_tried, n_fit; /* fillings that the rules allow; those of them that fit in memory */
    double low_s, high_s;   /* step times of the fastest and of the slowest plausible filling */
    double faster_s;        /* of a micro-batch beyond those that runs of this engine have; 0: none is faster */
};

struct orr_job {
    enum orr_job_kind kind;
    struct orr_model model;
    struct orr_model draft; /* infer: the draft model, or the model's own prediction layers (is_mtp);
                                                 n_layers 0: there is none */
    struct orr_system system;
    struct orr_calibration calibration;
    struct orr_engine engine;
    struct orr_plan plan;
    struct orr_workload workload; /* train */
    struct orr_serving serving;   /* infer */
    struct orr_media media;
    uint64_t assumed;         /* keys that the request leaves out, as bits (spec/assume.h) */
    uint64_t automatic;       /* keys that it leaves to the prediction with "auto", as bits */
    struct orr_spread spread; /* where they have been filled in (orr_filled) */
    enum orr_kin kin;         /* for its interval; RECORD but where a source is taken as unseen */
};

/* ---------------------------------------------------------------- requests as jobs */

/* Read one part on its own. `id_or_file` is a catalogue id or a path to a JSON file. A model may also be any name that
 * orr_model_named knows, a config.json, or a folder that contains one; a system may also be
 * "generated:node=5,memory=hbm3,..." (docs/technology.md). */
ORR_API ORR_NODISCARD enum orr_err orr_model_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                  struct orr_model *model, struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_system_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                   struct orr_system *system, struct orr_calibration *calibration,
                                                   struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_fabric_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                   struct orr_fabric *fabric, struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_engine_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                   struct orr_engine *engine, struct orr_error *error);
/* Lists the engines that run jobs of a kind, as TERMINAL, JSON or HTML. */
ORR_API ORR_NODISCARD enum orr_err orr_engines_render(const struct orr_catalogue *catalogue, enum orr_job_kind kind,
                                                      enum orr_format format, char **text, struct orr_error *error);

/* Read a request of the JSON contract into a complete, checked job. `origin` names the text in errors.
 * Keys: kind, model, system, gpus, plan{}, workload{}, set{"path": value}. "model", "system" and
 * workload."engine" take an id, a file path, or an object in place. Where plan or workload leave a key out, the
 * documented default applies. */
ORR_API ORR_NODISCARD enum orr_err orr_job_read(const struct orr_catalogue *catalogue, const char *json,
                                                const char *origin, struct orr_job *job, struct orr_error *error);

/* A reader reads many requests one after another, as servers and bindings do. It keeps the models, systems and engines
 * of recent requests. */
struct orr_reader;
ORR_API ORR_NODISCARD struct orr_reader *orr_reader_new(const struct orr_catalogue *catalogue);
ORR_API void orr_reader_free(struct orr_reader *reader);
/* Read a request. With `kind` the request must be of that kind and may leave its key "kind" out; with NULL it must have
 * the key. The reader owns *job, which is valid until its next call. */
ORR_API ORR_NODISCARD enum orr_err orr_reader_job(struct orr_reader *reader, const char *json, const char *origin,
                                                  const enum orr_job_kind *kind, const struct orr_job **job,
                                                  struct orr_error *error);

/* The complete, checked job that a form describes. The form owns it, and it is valid until the next call. Only the
 * model, system and engine that changed since the last call are read again. */
ORR_API ORR_NODISCARD enum orr_err orr_form_job(struct orr_form *form, const struct orr_job **job,
                                                struct orr_error *error);

#endif
