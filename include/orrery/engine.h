/* An engine: what a software stack does. A part of orrery.h, which includes it where ORR_EXPERIMENTAL
 * is defined; include that. */
#ifndef ORRERY_ENGINE_H
#define ORRERY_ENGINE_H

#define ORR_MAX_ENGINE_LIMITS 8

/* What an engine's own rules grant on some chips. The first entry that holds for a chip counts. */
struct orr_engine_limit {
    double memory_below_bytes;                              /* it holds on chips with less memory; 0: with any */
    char chips[64];                                         /* ... whose id contains one of these words; "": on any */
    int64_t max_requests, max_step_tokens, graph_sequences; /* 0: as the engine's own */
    double budget_frac;                                     /* 0: as the engine's own */
};

/* A run that an engine was fitted to, with what the distance of a job from it needs (Eq. 187). */
#define ORR_MAX_FIT_RUNS 8
struct orr_fit_run {
    char run[80], system[ORR_ID], model[ORR_ID], plan[56];
    char regime[48]; /* class of jobs, as intervals have it */
    int64_t gpus;
    double active_params;
    double bound_frac[ORR_N_BOUNDS]; /* share of the time, by the resource that binds */
    double error_frac;               /* predicted over measured time - 1, with the fit */
    /* what jobs like it are recognised by; tp 0: the file does not say */
    bool trains;
    enum orr_dtype weights, matrix; /* formats; of training both are the precision */
    int64_t tp, pp, ep, batch, tokens, answer_tokens;
};

/* What jobs and runs are compared by: jobs that are alike err alike (Eq. 345). */
#define ORR_MAX_ALIKE 32
enum orr_trait {
    ORR_TRAIT_GPUS,
    ORR_TRAIT_PARAMS,
    ORR_TRAIT_TP,
    ORR_TRAIT_PP,
    ORR_TRAIT_EP,
    ORR_TRAIT_BATCH,  /* micro-batch of training, else sequences of a replica */
    ORR_TRAIT_TOKENS, /* of a sequence of training, else of a prompt */
    ORR_TRAIT_ANSWER, /* tokens of an answer; 1 in training */
    ORR_N_TRAITS
};
struct orr_traits {
    uint64_t system; /* a number for its name */
    bool trains;
    enum orr_dtype weights, matrix;
    double size_doubling[ORR_N_TRAITS]; /* logarithms to the base of 2 */
};

/* How the name in a request led to an engine. */
enum orr_match {
    ORR_MATCH_ID,        /* it is the id, a path, or an object in place */
    ORR_MATCH_ALIAS,     /* another name of this very engine */
    ORR_MATCH_DEFAULT,   /* the name of a family: its documented version */
    ORR_MATCH_COVERED,   /* a version that the engine stands for */
    ORR_MATCH_OLDER,     /* a version that is not listed: the nearest older one */
    ORR_MATCH_NEWER,     /* a version older than all: the oldest one */
    ORR_MATCH_UNCOUNTED, /* a release of a stack known by years, or the reverse */
    ORR_N_MATCHES
};

/* Jobs that a stack runs. */
enum orr_engine_kind { ORR_ENGINE_BOTH, ORR_ENGINE_TRAINING, ORR_ENGINE_SERVING, ORR_N_ENGINE_KINDS };

struct orr_engine {
    char id[ORR_ID];
    char asked[ORR_ID]; /* the name used in the request, where it is not the id */
    enum orr_match match;
    enum orr_engine_kind kind;
    char family[ORR_ID], version[32];    /* "": a stack without versions */
    char family_aliases[96];             /* other spellings of the family, separated by spaces */
    char covers[96];                     /* releases and years it stands for; "": its version */
    bool family_default;                 /* the bare name of the family means this version */
    char vendors[96];                    /* makers of the chips it runs on, separated by spaces; "": any */
    enum orr_attention_kernel attention; /* kernel behind "flash" */
    bool attention_from_chip;            /* use the chip's own kernel: the software stack is not known */
    bool attention_unfused_default;      /* an empty attention field means unfused */
    char latent_unfused_family[32];      /* chips whose fused kernel has no backward for latent attention: an empty
                                                 attention field means unfused there, with its core recomputed */
    /* which neighbouring operators share one kernel */
    bool fused_bias_activation, fused_bias_dropout_add, fused_softmax, fused_gate, fused_rope, fused_norm;
    bool split_products; /* q, k and v, and gate and up, are products of their own */
    /* sequence parallelism: the gathered input of column-parallel products stays for backward; q, k, v, gate and up
     * gather it, and scatter its gradient, one by one */
    bool tp_kept_inputs, tp_part_gathers, tp_part_scatters;
    bool tp_row_copies;          /* rows are put in order by a copy after each gather and before each scatter */
    double gathered_logit_bytes; /* bytes of a logit that every tensor-parallel rank gathers; 0: they stay divided */
    /* RMS norms and rotary positions made of framework operators: kernels, and bytes per element, each way; rotary
     * kernels run for queries and for keys. 0: by fused_norm and fused_rope. */
    double norm_launches, norm_backward_launches, norm_bytes, norm_backward_bytes;
    double rope_launches, rope_backward_launches, rope_bytes, rope_backward_bytes;
    double score_saved_bytes; /* bytes per score that unfused attention keeps; 0: by its formats */
    bool autocast;            /* weights and the residual stream are fp32; products cast their inputs */
    double norm_saved_bytes;  /* bytes per element that such a norm keeps; 0: its input */
    bool masked_windows;      /* layers with a window get it as a mask: all pairs are computed (Eq. 373) */
    bool masked_attention;    /* fused attention gets its mask as a tensor: it skips no pairs, and keys
                                                 and values are repeated for all heads */
    /* copies of layouts, masks and casts around attention in an eager layer: kernels, and bytes per element of the
     * residual stream that they move */
    double layout_launches, layout_backward_launches;
    double layout_bytes, layout_backward_bytes;
    double strided_bytes, strided_backward_bytes; /* likewise, copies of permuted views, 4 per element (Eq. 336) */
    bool swapped_samples;   /* attention has samples before tokens, the products tokens before samples (Eq. 337) */
    bool split_gate;        /* gate and up are halves of one matrix, which their operators read in place (Eq. 336) */
    bool layout_whole_rows; /* copies of layouts work on the residual stream, which only sequence parallelism
                                                 divides over tp */
    /* copies beside collectives of sharded weights, in bytes per parameter: after each gather, before the scatter */
    double gather_copy_bytes, scatter_copy_bytes;
    double loss_bytes_per_logit;        /* traffic of the loss, forward and backward; 0: by fused_loss */
    bool selective_ops;                 /* selective recomputation keeps every other product and the attention
                                                 core, and repeats the rest of a layer */
    bool fused_core_repeated;           /* recomputing the core of attention runs a fused kernel again */
    bool recompute_early_stop;          /* recomputation skips the layer's last GEMM: nothing reads its output */
    bool fused_gradient_accumulation;   /* wgrad accumulates in the GEMM's epilogue */
    bool fused_optimizer_cast;          /* weights are written by the optimizer kernel itself */
    bool fused_loss;                    /* cross-entropy passes over 16-bit logits once each way */
    int64_t gradient_bytes;             /* bytes of an accumulated gradient element */
    int64_t reduce_bytes;               /* bytes per element of the gradient collective */
    int64_t optimizer_bytes;            /* master weight and moments per parameter */
    double optimizer_traffic_bytes;     /* bytes the optimizer moves per parameter; 0: states once */
    double bucket_copy_bytes;           /* bytes per parameter copied to and from buckets of a reduction */
    double reduce_bucket_params;        /* gradients that are reduced together beside backward; 0: all of them */
    double reduce_bucket_rank_params;   /* ... at least so many for every rank of the data-parallel group */
    bool clip_gradients;                /* one more pass over the gradients for their norm */
    bool clip_scales;                   /* ... and one that always scales them */
    int64_t vocab_multiple;             /* the vocabulary is padded to a multiple of this times tp */
    int64_t moe_permute_passes;         /* passes over routed rows outside the expert GEMMs */
    double moe_unfused_passes;          /* where plain kernels put the rows that a rank sends or gathers in order,
                                             weigh them and add them up: how many copies of these rows would take the
                                             time that they take beyond a fused permutation, in forward */
    double moe_unfused_backward_passes; /* the same in backward */
    double moe_biased_passes;           /* the same for biases of experts and their clamped gate in plain kernels, in
                                             copies of the rows that the experts of a rank work on (Eq. 379) */
    double moe_biased_backward_passes;  /* the same in backward */
    double router_bytes;                /* bytes at the rate of a softmax whose time the plain kernels of a router take
                                             for each score, forward; 0: few fused kernels (Eq. 359) */
    double router_backward_bytes;       /* the same, backward */
    int64_t router_launches;            /* these kernels, each way */
    int64_t moe_pad_passes;             /* further passes that align the rows of quantised experts */
    enum orr_expert_kernel expert_kernel; /* how the products of the experts are launched */
    int64_t expert_block_rows;            /* experts in shapes that do not follow the choices, in blocks of so many
                                             rows; 0: as the choices are */
    int64_t moe_launches;                 /* small kernels of an expert layer besides products and row copies, in
                                                 forward; backward has twice as many */
    int64_t moe_expert_launches;          /* the same per expert of a rank, where the framework loops over them */
    int64_t moe_syncs;                    /* times that the host waits for the device in an expert layer;
                                                 in a loop over experts for each of them */
    double host_sync_s;                   /* idle time of the device at such a wait */
    /* products in 8 bits or fewer (src/ops/recipe.c) */
    enum orr_fp8_recipe fp8_recipe;    /* recipe where a request names none */
    enum orr_fp8_recipe mx_recipe;     /* the same on chips whose matrix units scale blocks (those with fp4) */
    bool fp8_fused_copies;             /* one kernel writes both copies of a tensor, along rows and columns */
    bool fp8_fused_maximum;            /* the kernel that writes a tensor finds its maximum */
    bool fp8_recast;                   /* inputs are kept in 16 bits and cast again in backward */
    bool fp8_weights_each;             /* weights are cast in every micro-batch, not once per step */
    bool fp8_gather;                   /* weights are gathered in 8 bits, where one copy serves all products */
    bool fp8_tp_gather;                /* inputs of tensor-parallel products too */
    double fp8_cast_bytes_per_element; /* traffic of casting an input or gradient; 0: by the recipe */
    /* communication */
    bool tp_async_backward;                   /* column-linear collectives run beside dgrad/wgrad */
    bool cp_balanced;                         /* context-parallel ranks share the pairs of a causal mask evenly */
    double tp_overlap_frac;                   /* share of TP transfers pipelined with their GEMM */
    double dp_overlap_frac;                   /* share of the backward window gradient collectives can use */
    double ep_overlap_frac;                   /* share of the all-to-all hidden by other compute */
    bool ep_overlap_interleaved;              /* all-to-all between domains runs beside the layer's compute of another
                                                 micro-batch where the pipeline is interleaved */
    double zero3_overlap_frac;                /* share of a layer's compute its gathers can use */
    double zero3_nic_frac;                    /* share of the node's rails sharded gathers use */
    bool pipelines_kept;                      /* ZeRO-3: in pipelines gathered weights stay until the end of the step */
    enum orr_whole_gradients whole_gradients; /* where ZeRO-2 and ZeRO-3 add up whole gradients before they scatter */
    bool zero1_allreduce;                     /* ZeRO-1 sums whole gradients on every rank instead of scattering them */
    bool zero1_exposed;                       /* ZeRO-1 exchanges gradients after backward, beside nothing */
    bool zero1_gather_exposed;                /* ZeRO-1 gathers new weights before the next forward, beside nothing */
    bool zero1_broadcast;                     /* ... as one broadcast per owner of whole tensors */
    int64_t layer_tensors;                    /* weight tensors of a layer, for engines that handle them one by one */
    double zero1_tensor_s;                    /* ZeRO-1: host time per weight tensor and rank to gather it */
    bool stages_by_cost;                      /* pipeline stages of equal matrix work instead of equal layers */
    int64_t unfilled_stages;                  /* 1F1B refuses fewer than pp minus this micro-batches */
    char schedules[128];     /* names of the pipeline schedules it has, or "none", for searches; "": not known */
    char zero_stages[16];    /* ZeRO stages it has, for searches; "": not known */
    bool tensor_parallel;    /* it splits matrices over ranks */
    double skew_s;           /* scatter of the ranks' arrival at a collective across nodes (standard deviation) */
    bool p2p_overlap;        /* interleaved pipeline sends run beside compute */
    bool p2p_scatter_gather; /* sends are split over the TP group */
    /* host */
    double host_launch_s;          /* host time per kernel launch; 0: graphs, or the host is always ahead */
    double host_backward_launch_s; /* the same in a backward pass; 0: as in a forward pass */
    double host_collective_s;      /* host time per collective of a layer, besides its launch */
    double host_pipeline_rank_s;   /* more per collective and rank of its group in pipelines across nodes */
    double host_layer_s;           /* host time per layer and pass besides launches: modules, hooks, views */
    double host_experts_s;         /* more of it in a layer with experts, besides their launches; serving alone */
    double host_sharded_layer_s;   /* more of it with ZeRO-3: hooks that gather and free weights */
    double host_tensor_layer_s;    /* more of it with tensor parallelism by distributed tensors */
    double host_split_layer_s;     /* serving: more of it for every further GPU that one thread splits matrices over */
    double host_micro_batch_s;     /* host time per micro-batch and pass outside the layers */
    double host_step_s;            /* fixed host time per iteration */
    bool short_run;                /* benchmark too short to reach the power limit */
    /* transfers of experts */
    bool moe_gather;        /* experts: every rank of a group gathers all of its tokens, none are sent */
    bool moe_dedup;         /* node-limited routing: one copy per destination node, not per expert */
    bool moe_dedup_between; /* the same where experts lie in several domains, and a copy per expert in one */
    bool moe_low_latency;   /* decode passes send a copy of a token to every expert, in 8 bits where
                                                 the products have 8 bits */
    bool two_batch_overlap; /* a batch runs in halves: one exchanges tokens, the other computes */
    bool moe_redundant;     /* serving: places for experts that ep leaves free hold copies */
    /* defaults where a request is silent, and what goes with them */
    bool default_mtp;          /* the model's multi-token prediction (MTP) layers are trained too */
    bool mtp_full_first_chunk; /* only the last chunk is shortened for MTP layers, embedding and head */
    bool default_sp;           /* sequence parallel when tp > 1 */
    int64_t default_zero;
    enum orr_recompute default_recompute;
    enum orr_dtype default_precision; /* inputs of products; ORR_N_DTYPES: the chip's 16-bit format */
    int64_t default_micro_batch;      /* largest micro-batch that is tried where a source states none */
    /* serving */
    double kernel_gap_s;                /* idle time between dependent kernels; 0 in a captured graph */
    double short_prefill_gap_s;         /* kernel_gap_s of a prefill of at most 512 tokens */
    int64_t layer_pointwise_kernels;    /* norms, rotary positions, activation, residual of one layer */
    double pointwise_floor_s;           /* least time of one pointwise kernel */
    double pointwise_bytes_per_element; /* pointwise traffic per token and hidden element, without activations */
    bool fused_gate_up;                 /* gate and up are one product */
    bool latents_rebuilt;               /* a piece of a prompt expands the latents of its cached context once more */
    bool fused_latents;                 /* latents of queries and of keys and values are one product */
    bool split_kv;                      /* decode attention splits long contexts over idle SMs */
    bool packed_gqa;                    /* decode attention reads a K,V head once for its query group */
    bool packed_gqa_plain_only;         /* packed_gqa holds only for full-context layers with heads of 128 */
    int64_t packed_gqa_most;            /* most query heads of a group for which packed_gqa holds; 0: any */
    bool cache_grown;                   /* every step writes the whole cache anew, one key longer */
    bool cache_repeated;                /* keys and values are written once per query head before attention */
    int64_t context_bucket_tokens;      /* decode reads contexts up to this, its double, ...; 0: as long as they are */
    int64_t compiled_tokens;            /* graphs hold the largest batch and so many tokens a sequence; 0: any */
    bool kv_per_core;                   /* every core of a chip has K,V heads of its own */
    bool whole_head;                    /* every tensor-parallel rank has the embedding and the output matrix whole */
    int64_t prompt_piece_tokens;        /* prompts are always computed in pieces of so many tokens; 0: whole */
    bool prompt_pieces_follow;          /* ... which follow each other through the stages of a pipeline */
    int64_t restored_rows;              /* rows from which a product restores its narrow matrix to 16 bits; 0: none */
    char restored_chips[64];            /* families of chips on which it does so; "": on all */
    bool wide_activations;              /* serving: activations have 32 bits, products convert from and to 16 */
    bool half_sums;                     /* serving: the library's 16-bit products add up in 16 bits */
    bool block_integers;                /* serving: narrow matrices are multiplied as integers in blocks of 32 */
    int64_t head_launches;              /* serving: calls for each head around attention of several rows */
    int64_t integer_launches;           /* small kernels around a product of 8-bit integers; 0: the cast alone */
    char unpacked_chunks[32];           /* family of chips on which chunked layers are not packed; "": none */
    enum orr_decode_kernel decode_kernel;
    enum orr_block_kernel block_kernel;         /* who multiplies 8-bit operands with a scale per block of 128 */
    bool custom_allreduce;                      /* the engine has one- and two-shot kernels beside the library's */
    char allreduce_kernels[48];                 /* ... whose they are, in words of ORR_ALLREDUCE_KERNELS; "": trtllm */
    double allreduce_skew_s;                    /* launch and rank skew of a collective on a stream */
    double request_s, request_s_per_sequence;   /* tokenising, scheduling, responding: once per batch of requests */
    double sampling_s, sampling_s_per_sequence; /* host time per step: scheduling, inputs, sampling, detokenising */
    bool async_scheduling;                      /* ... runs beside the GPU's work of the step before */
    int64_t graph_sequences;                    /* a decode pass of at most so many sequences is replayed as a graph, so
                                                 that the host launches one thing; 0: no pass is */
    bool dynamic_quantisation;                  /* activations are quantised by kernels of their own */
    char weight_formats[96]; /* families of formats the engine has kernels for; "": any (not known) */
    enum orr_budget budget;
    double budget_frac;
    bool budget_after_context; /* a share of all memory does not count what lay there before the engine */
    bool kv_windows;              /* the cache of a windowed layer is cut to its window */
    char window_models[96];       /* ... in models of these types, as their configurations say; "": in all */
    double window_pool_frac;      /* tokens of a pool of windowed layers over those of the others; 0: no such pool */
    int64_t latent_columns;       /* of a head's keys, and of its values, that latent attention rebuilds for the cache;
                                     0: the cache has the latents */
    bool shared_kv_room;          /* layers that read the keys of another layer have room of their own, too */
    bool state_pages;             /* a state fills a block of the cache, which has tokens enough for that */
    double state_pool_frac;       /* share of the cache's memory that only states may take; 0: one pool for all */
    int64_t states_per_sequence;  /* states for which a sequence needs room while beginnings are kept; 0: 1 */
    int64_t kv_block_tokens;      /* tokens of a cache block; sequences take whole blocks */
    int64_t max_kv_tokens;        /* most tokens of the cache of a replica; 0: what memory leaves */
    int64_t kv_table_entry_bytes; /* bytes of a block-table entry; 0: the cache is contiguous */
    int64_t max_requests;         /* most sequences in one batch */
    int64_t n_limits;             /* if any, the last one holds the values of the file itself */
    struct orr_engine_limit limits[ORR_MAX_ENGINE_LIMITS];
    int64_t piece_tokens;    /* halve the batch until a piece has at most this many tokens; 0: never */
    bool last_token_decoded; /* the last token of a prompt takes a decode step after the others */
    bool bench_limits;       /* validation: published throughput has the limits of the engine's tool */
    int64_t max_step_tokens; /* most prompt tokens in a step, which bounds activations; 0: no limit */
    int64_t least_step_tokens; /* where it is 0: the longest context of the model, at least so many; 0: no limit */
    /* serving under load */
    enum orr_scheduler scheduler;
    bool chunked_prefill;                /* a prompt that does not fit into a step is cut */
    double watermark_frac;               /* share of the cache blocks that admission leaves free */
    double admit_frac, admit_least_frac; /* SGLang: share of outstanding outputs that admission counts, at first */
    int64_t admit_steps;                 /* ... and decode steps after which it has fallen to the least */
    int64_t batch_wait_steps;            /* while sequences decode, prompts wait at most so many steps */
    double batch_wait_tokens_frac;       /* ... for so many tokens, a share of max_step_tokens */
    double batch_wait_sequences_frac;    /* ... or for so many prompts, a share of the decoding sequences */
    enum orr_cache_sent cache_sent;      /* when the cache of a prompt leaves for a decode pool */
    bool decode_after_prefill; /* a decode pool hears of a request when its prompt is computed, and handles it anew */
    bool decode_reserves; /* a prompt waits until a decode replica has seen the request and has room for its cache */
    bool first_grouped;   /* decode pools of several attention ranks: a first token leaves with stream_tokens more */
    bool prefill_serial;  /* replicas that compute prompts for others do not overlap host and device */
    bool ranks_by_load;   /* of attention ranks that step together the one with the fewest requests gets the next */
    int64_t poll_steps;   /* new requests are looked at every so many decode steps; 0 is 1 */
    bool decided_ahead;   /* a step is decided when the one before begins, though no host time is hidden */
    bool tuned_fp4;       /* serving: 4-bit products by the fastest of several libraries, which may
                                                 split K */
    char fixed_fp8_tiles[32];                /* serving: family of chips on which the tile of an 8-bit product follows
                                                 from its rows alone; "": none */
    int64_t library_tile_rows;               /* fewest rows of a tile of the library's 16-bit products on Hopper chips;
                                                 0: as many as there are */
    int64_t decode_tile_rows;                /* serving: query rows of a tile of FlashAttention 3 in decoding; 0: 64 */
    char whole_contexts[64];                 /* serving: families of chips on which a block of the decode kernel reads
                                                 a whole context once there are many; "": on none */
    bool low_latency_experts;                /* serving: 4-bit experts by kernels that are made for few rows */
    bool triton_experts;                     /* serving: experts of 8 and 16 bits by Triton kernels */
    char library_expert_chips[32];           /* ... but by the library's on these families of chips */
    char library_expert_models[192];         /* ... in models of these types; "": in all */
    enum orr_tile_files tile_files;          /* ... whose tiles these files choose for the shapes that they have */
    int64_t tile_files_release;              /* ... as of this release: 805 is 0.8.5, 1100 is 0.11.0 */
    char fixed_tiles[48];                    /* ... formats of which all other shapes have the same tiles; "": none */
    char marlin_experts[48];                 /* serving: families of chips on which experts of 4-bit weights and 16-bit
                                                 rows are multiplied by Marlin's kernels; "": none */
    char triton_mxfp4[32];                   /* ... but those in MXFP4 by Triton's on these; "": none */
    char wide_mxfp4[32];                     /* serving: families of chips with 4-bit units on which weights in MXFP4
                                                are multiplied with 16-bit rows; "": none */
    int64_t qk_norm_kernels;                 /* serving: kernels that normalise the query and key heads of a layer */
    int64_t scan_inputs;                     /* serving: most products of the hidden state in a gated delta net */
    char fused_delta[32];                    /* serving: families of chips on which the delta rule is one kernel */
    bool row_scales;                         /* serving: kernels that quantise to 8 bits find a scale for every row */
    char fused_quantisation[32];             /* ... but these kernels do so themselves: "norm", "norm-alone" (of ranks
                                                alone), "activation" */
    int64_t scan_kernels;                    /* serving: small kernels around the scan of a prompt */
    int64_t fused_shared_of;                 /* serving: beside so many routed experts, a shared one as wide as they are
                                                is one of them for the kernels, if none are divided; 0: never */
    char fused_shared_chips[64];             /* ... on these families of chips */
    int64_t shared_gate_kernels;             /* serving: kernels that scale the output of gated shared experts */
    int64_t sparse_head_rows;                /* serving: heads of a tile of prompts whose tokens choose their keys; 0:
                                                no tiles */
    double latent_layer_s;                   /* serving: small kernels around latent attention of decoding sequences,
                                                per layer, beside those of the operator list */
    double index_layer_s;                    /* ... and around their indexer, where they have one */
    int64_t index_kernels;                   /* serving: small kernels around the products of an indexer */
    bool graph_prompts;                      /* steps with prompts of so many rows are graphs in pieces, too */
    int64_t graph_prompt_tokens;             /* ... of so many rows; 0: as graph_sequences */
    int64_t graph_latent_tokens;             /* ... in models with latent attention; 0: as in others */
    char graph_prompts_not[128];             /* ... but not in such jobs and models of such types */
    int64_t graph_context;                   /* a decode pass whose sequences are longer is no graph; 0: any is */
    bool graph_pieces;                       /* a graph ends before every attention, which is launched ... */
    double graph_piece_s;                    /* ... after so long a pause of the device */
    int64_t graph_multiple;                  /* decode steps are padded to 1, 2, 4 or a multiple of this; 0: not */
    bool prefix_cache;                       /* blocks of finished prompts are kept and found again */
    double frontend_s, frontend_s_per_token; /* HTTP and tokenisation of a request: delay, and delay per token */
    double frontend_s_per_request;           /* ... and the part in which requests take turns ... */
    double tokenise_s_per_token;             /* ... and that of one thread that makes tokens of texts, per token */
    int64_t tokenise_batch;                  /* texts of which it hands on none before all are tokens; 0 is 1 ... */
    double tokenise_window_s;                /* ... those that come while it works, or so soon after */
    double stream_s_per_token;               /* detokenising and sending one token; tokens take turns */
    int64_t stream_tokens;                   /* tokens that are sent together; 0 is 1 */
    bool preempt_swap;                       /* stopped sequences keep their cache in the memory of the host */
    int64_t max_adapters;                    /* LoRA adapters that a replica has loaded at once; 0 is 1 */
    /* memory */
    bool gradients_dropped;     /* gradients are freed after a step, and appear as backward makes them */
    bool gradients_16bit_live;  /* 16-bit gradients stay until the optimizer copies them */
    bool saves_unfused;         /* autograd keeps the inputs of every unfused operator */
    bool joined_qkv_kept;       /* rotary positions copy queries and keys out of a joined product, which stays whole
                                                 because its values are a view */
    bool adapters_joined;       /* adapters of q, k and v are one pair, scattered over the joined product */
    bool adapters_whole;        /* one pair of adapters beside a joined product, if all of its parts are adapted */
    bool adapters_narrow;       /* adapters whose format no request names have that of activations, not fp32 */
    bool quantised_input_kept;  /* a product with a quantised matrix keeps its input */
    bool quantised_head;        /* a quantised base includes the output matrix */
    double restored_bytes;      /* bytes per weight of the matrix that is restored from a quantised base; 0: 2 */
    double logit_bytes_live;    /* bytes per logit alive in the loss */
    int64_t loss_chunks;        /* parts in which head and loss run; 0: one */
    double zero3_live_params;   /* ZeRO-3: parameters that may stay gathered between their uses */
    double zero3_whole_params;  /* ZeRO-3: tensors with fewer parameters are not sharded */
    bool zero3_ends_kept;       /* ZeRO-3: embedding and head stay gathered from forward to the end of backward */
    int64_t bucket_bytes;       /* bytes per parameter of gradient buckets beside the gradients, ZeRO-0 */
    int64_t zero1_gather_bytes; /* bytes per parameter of buffers that ZeRO-1 gathers weights through */
    double stream_tensors;      /* whole activations per layer that the communication stream of tensor
                                                 parallelism keeps from being freed while the host runs ahead */
    double reserved_frac;       /* memory the allocator holds beyond saved activations, a share of them;
                                                 counted where sources print reserved memory */
    double context_bytes;       /* driver context and communication libraries */
    double workspace_bytes;     /* GEMM and library workspace */
    double fragmentation_frac;  /* share of the capacity that the allocator loses */
    /* what `orrery fit` found in runs of a stack, relative to the calibration and the network of the system
     * (docs/fit.md): rates are multiplied by a rate factor, times by the others; 1: as they are */
    double matrix_rate_factor, eight_bit_rate_factor, four_bit_rate_factor;
    double attention_rate_factor, dram_rate_factor, grouped_rate_factor;
    double scaleup_rate_factor, scaleout_rate_factor, scaleout_latency_factor, straggle_factor;
    double grouped_launch_factor, pointwise_time_factor, host_time_factor;
    double time_factor;                     /* of every part alike: what no other number explains */
    int64_t fit_runs;                       /* runs behind them; 0: the engine was not fitted */
    double fit_within_frac, fit_stack_frac; /* spread (ln) of single runs, and of what the runs left uncertain */
    int64_t n_fitted;                       /* some of these runs: configurations that were measured */
    struct orr_fit_run fitted[ORR_MAX_FIT_RUNS];
    int64_t n_alike;                        /* runs whose rest is shared with jobs like them ... */
    struct orr_traits alike[ORR_MAX_ALIKE]; /* ... what they are recognised by ... */
    double pull[ORR_MAX_ALIKE];             /* ... and how hard they pull (Eq. 346) */
    bool shared;                            /* the constants of the job have it already */
};

#endif
