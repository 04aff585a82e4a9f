/* A model: layers of kinds, its sizes and formats.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_MODEL_H
#define ORRERY_MODEL_H

#define ORR_MAX_LAYERS      1024
#define ORR_MAX_LAYER_KINDS 16
#define ORR_ID              96

/* One kind of layer: blocks that mix positions, and a feed-forward block. A model is a sequence of kinds; no code after
 * the parser knows a model's name. */
struct orr_layer_kind {
    enum orr_mixer mixer; /* the block that mixes positions; attention's sizes follow */
    /* attention; multi-head latent attention when mla_kv_rank > 0 */
    int64_t n_heads, n_kv_heads;
    int64_t head_qk, head_v;         /* sizes of a query/key head and of a value head */
    int64_t window;                  /* keys a query sees at most; 0: all */
    bool chunked;                    /* the window does not slide: positions are cut into chunks of its size */
    int64_t mla_q_rank, mla_kv_rank; /* latent ranks; q_rank 0: query projected directly */
    int64_t mla_rope;                /* part of head_qk that carries RoPE, shared by the heads */
    bool rope;                       /* rotary positions are applied */
    bool qk_norm, qk_norm_full;      /* query and key heads are normalised; all heads of a token as one vector */
    bool attention_bias, ffn_bias;   /* projections carry biases (their gradients are a reduction each) */
    bool expert_bias;                /* so do those of routed experts, whose gate is clamped (gpt-oss) */
    bool shared_kv;                  /* the layer reuses an earlier layer's keys and values, and caches none */
    bool kv_equal;                   /* the projected keys serve as values too: one projection for both */
    int64_t gate_columns;            /* columns of the gate on the heads' outputs; 0: there is none */
    int64_t index_topk;              /* keys chosen for a query among all it sees; 0: attention is not sparse */
    int64_t index_heads, index_size; /* sizes of the indexer that chooses keys; 0 heads: an earlier layer chooses */
    /* compressed attention: one head of keys that serve as values; a window, and entries that stand for positions */
    int64_t compress_ratio;       /* positions that one entry stands for; 0: the layer has a window alone */
    int64_t out_groups, out_rank; /* groups of heads that are projected to a rank before the output; 0: none */
    int64_t cross_keys;           /* encoder positions that every query attends to; 0: no cross attention */
    bool cross_only;              /* the layer has cross attention instead of self attention */
    /* recurrent mixers keep a state of scan_key x scan_value per head, and the last conv_width - 1 columns */
    bool beside_attention;          /* the recurrent mixer runs in parallel with attention */
    int64_t scan_heads, scan_value; /* heads and the size of their values; the mixer's width is their product */
    int64_t scan_groups, scan_key;  /* groups of heads that share keys, and the size of a key or state row */
    int64_t scan_rank;              /* rank of step sizes (Mamba-1) or of gates (KDA); 0: full rank */
    int64_t scan_chunk;             /* positions that a chunked scan takes at once */
    bool scan_full_gate;            /* KDA: the gate on the outputs has full rank */
    int64_t scan_inputs;            /* gated delta nets: matrices of the hidden state, as published; 0: one */
    int64_t conv_width;             /* taps of the convolution before the scan; 0: none */
    int64_t state_element_bytes;    /* bytes of an element of the recurrent state: 4, or 2 */
    /* feed-forward: dense when n_experts is 0; none when ffn_width is 0 too */
    bool gated;                  /* three matrices instead of two */
    int64_t ffn_width;           /* dense FFN width; 0 in a pure MoE layer */
    int64_t n_experts, n_active; /* routed experts, and how many a token uses */
    int64_t n_groups;            /* groups of equally many experts; 0: one */
    int64_t n_groups_active;     /* groups of experts a token may use (node-limited routing); 0: any expert */
    int64_t expert_width;
    int64_t shared_width;     /* width of all shared experts together, or of a dense FFN beside the experts */
    bool shared_gate;         /* a token scales the output of its shared experts */
    int64_t expert_hidden;    /* size of the latent that experts read and write; 0: the hidden size */
    int64_t n_zero_experts;   /* further experts, without weights, that the router may choose */
    int64_t layer_embedding;  /* width of an embedding table that only this layer has; 0: there is none */
    int64_t residual_streams; /* hyper-connections: hidden states that blocks mix; 0: one, added to */
    int64_t residual_reads;   /* attention residual: earlier sums that a block reads, a mean; 0: none */
    bool parallel_block;      /* attention and FFN read the same norm (GPT-J, Falcon) */
    int64_t n_norms;          /* norms over the hidden size in one layer */
    bool kept;                /* a twin of another kind: the layers that a job does not recompute, where it
                                         recomputes only some */
    bool frozen;              /* the weights of these layers are not trained */
    bool no_backward;         /* ... and nothing below them is, so that backward ends above them */
    uint8_t trained_kind;     /* frozen: the kind that the layers have in the model itself */
    /* exact parameter counts, including biases and norms */
    int64_t attention_params; /* all mixers: projections and their biases, latent and qk norms, scans */
    int64_t ffn_params;       /* dense FFN and shared experts, with biases and shared gate */
    int64_t expert_params;    /* one routed expert */
    int64_t router_params;
    int64_t norm_params; /* norms over the hidden size */
};

/* How one tensor is stored: bits of a weight, and of the scales and zeros stored with the weights. */
struct orr_storage {
    enum orr_weight_format format; /* row of the table of formats that this storage comes from */
    double bits;
    double scale_bits, zero_bits;    /* bits of the scale and zero of each group of weights */
    int64_t rows, columns;           /* size of a group in output rows and input columns; columns 0: all */
    double second_bits;              /* further bits per 256 scales, where scales are quantised again */
    double tensor_bits, column_bits; /* further bits per tensor, and per input column */
};

/* A checkpoint as it is published. layers[kind][tensor][storage] is the number of layers that use the storage. */
#define ORR_MAX_STORAGES 6
struct orr_checkpoint {
    enum orr_weight_format format; /* the narrow format; PUBLISHED: no tensor is narrow */
    bool named;                    /* `--precision` with the name of the format gives this same checkpoint */
    enum orr_dtype wide;           /* 16-bit format of all other tensors; ORR_N_DTYPES: the chip's own */
    double vector_bytes;           /* bytes of a norm, bias or router element */
    bool router_bias_fp32;         /* the router's correction biases are kept in 32 bits */
    enum orr_dtype kv;             /* cache format that the config names; ORR_N_DTYPES: it names none */
    enum orr_kv_format kv_format;
    int64_t n_storages;
    struct orr_storage storages[ORR_MAX_STORAGES]; /* [0] is the storage of tensors that are not narrow */
    uint8_t embedding, head;                       /* index of the storage of each */
    uint16_t layers[ORR_MAX_LAYER_KINDS][ORR_N_TENSORS][ORR_MAX_STORAGES];
    uint8_t mtp[ORR_N_TENSORS]; /* index of the storage of the tensors of a multi-token prediction layer */
};

/* What a tower reads. */
enum orr_tower_input {
    ORR_TOWER_NONE,  /* the model has no tower whose work is known */
    ORR_TOWER_IMAGE, /* patches of images, which become tokens of the prompt */
    ORR_TOWER_SOUND, /* frames of sound, which the decoder attends to */
    ORR_TOWER_TEXT   /* tokens of an encoder-decoder model, which the decoder attends to */
};

/* A product of a tower outside its layers: patch embedding, convolution, merger or projector. */
struct orr_tower_product {
    int64_t in, out;      /* columns of the input and of the output */
    int64_t params;       /* with bias and the norm before it */
    int64_t count;        /* how many there are, each with the same input rows */
    int64_t rows, joined; /* the input has so many rows for every `joined` positions of the tower */
    bool input;           /* before the layers; else after them */
    bool last;            /* the last product of a merger, whose output the text model reads */
};

#define ORR_MAX_TOWER_PRODUCTS 6

/* An encoder beside the text model: vision tower, sound encoder, or the encoder of an encoder-decoder model. Its layers
 * are layers of the same kind as those of the text model, without a causal mask and a cache (Eqs. 120, 124, 125). */
struct orr_tower {
    enum orr_tower_input input;
    int64_t hidden;
    bool rms_norm;                  /* RMS norm, else layer norm */
    struct orr_layer_kind kinds[2]; /* [0] attends to all positions, [1] within windows */
    int64_t n_layers[2];
    int64_t n_products;
    struct orr_tower_product products[ORR_MAX_TOWER_PRODUCTS];
    int64_t other_params; /* positions, and norms outside layers and products */
    int64_t params;       /* all parameters */
    /* how an image becomes positions and tokens (Eq. 125) */
    int64_t patch, merge;      /* pixels per side of a patch; patches per side that are joined to one token */
    bool round_up;             /* sides are rounded up to whole tokens; else to the nearest */
    bool row_breaks;           /* a token more after every row of tokens */
    int64_t most_tokens;       /* the image is scaled to the largest size with at most so many tokens; 0: kept */
    int64_t tile, max_tiles;   /* pixels per side of a tile, and most tiles of an image; 0: no tiles */
    int64_t positions, tokens; /* of an image, of a tile, or of a sequence, where no size changes them */
};

struct orr_model {
    char id[ORR_ID];
    char asked[ORR_ID];                   /* the name used in the request, where it is not the id */
    char shipped_format[ORR_FORMAT_NAME]; /* weight format that the name in the request states; "": none */
    char type[32];                        /* model_type of the config.json, for display only */
    char published[ORR_ID];               /* name on Hugging Face, for display only; "": not known */
    int64_t hidden, vocab, n_layers;
    int64_t max_seq;                        /* longest context; 0: the config does not say */
    int64_t n_positions;                    /* learned position vectors; 0: rotary, ALiBi or none */
    bool tied_embeddings;                   /* the head uses the embedding matrix */
    bool rms_norm;                          /* RMS norm, else layer norm */
    bool attention_dropout, hidden_dropout; /* the config trains with dropout */
    struct orr_checkpoint checkpoint;       /* formats the model is published in */
    int64_t embedding_params;               /* token and position embeddings, embedding norms */
    int64_t head_params;                    /* output matrix (0 if tied), its bias, final norm */
    int64_t n_mtp;                          /* multi-token prediction layers; no other count here includes them */
    int64_t mtp_params;     /* one of them without its transformer layer: 2h -> h projection, three norms */
    bool is_mtp;            /* a draft model made of another model's prediction layers, all of one kind; it
                                         has no embedding and head of its own, and a draft runs one of its layers */
    int64_t tower_params;   /* vision, audio and encoder towers; no other count here includes them */
    struct orr_tower tower; /* the tower whose work is known */
    int64_t n_kinds;
    struct orr_layer_kind kinds[ORR_MAX_LAYER_KINDS];
    uint8_t layer_kind[ORR_MAX_LAYERS]; /* kind of layer i, i < n_layers */
};

/* All parameters, and the parameters that one token uses: its top-k experts instead of all, including the embeddings
 * (Eqs. 16-19). */
ORR_API int64_t orr_model_params(const struct orr_model *model);
ORR_API int64_t orr_model_params_active(const struct orr_model *model);

#endif
