/* A system: chips, links, and the constants fitted to kernels.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_SYSTEM_H
#define ORRERY_SYSTEM_H

/* ---------------------------------------------------------------- system: hardware facts */

struct orr_chip {
    char id[ORR_ID];
    char name[ORR_ID];
    char family[32];                       /* architecture, e.g. "ampere" */
    char vendor[32];                       /* maker, e.g. "nvidia"; "": not known */
    double peak_flops_per_s[ORR_N_DTYPES]; /* dense; 0: the chip has no such units */
    double half_sum_flops_per_s;           /* 16-bit products that add up in 16 bits; 0: as those that do in 32 */
    double vector_flops_per_s;             /* fp32 rate outside the matrix units, for memory-bound kernels */
    int64_t n_sm;                          /* SMs, compute units, or cores */
    double smem_bytes_per_sm;              /* shared memory or scratchpad, which must hold the tiles of a product */
    double l2_bytes, l2_bytes_per_s;       /* last-level cache */
    double l2_multicast;                   /* thread blocks one operand read can serve (clusters); 1: no multicast */
    double hbm_bytes, hbm_bytes_per_s;     /* capacity the driver reports; nominal bandwidth */
    enum orr_attention_kernel flash;       /* fused attention kernel of the frameworks made for the chip */
    double tdp_w, idle_w;
    double awake_frac;   /* share of tdp_w that kernels take before their work; 0: idle_w */
    double calibrated_w; /* power limit at which the calibration's sustained shares hold */
    double flop_j;       /* energy of one 16-bit matrix FLOP, including operand delivery */
    double hbm_j_per_byte, link_j_per_byte;
};

#define ORR_MAX_FABRIC_LINES 20
#define ORR_FABRIC_POINTS    4
/* One algorithm and protocol of a collective between domains: latency and wire time of Eqs. 58a-58e. */
struct orr_fabric_line {
    enum orr_collective collective;
    enum orr_algorithm algorithm; /* ring, tree, hierarchical, direct (pairwise) or sharp */
    bool low_latency;             /* the latency protocol; else the bandwidth protocol */
    bool pipelined;               /* a step takes the longer of latency and wire; else both add up */
    bool after_local;             /* the part between domains follows the part inside; else beside it */
    double base_s, hop_s;
    int64_t n_points;
    double domains[ORR_FABRIC_POINTS];         /* points of the next member, interpolated in log2 of the domains */
    double efficiency_frac[ORR_FABRIC_POINTS]; /* sustained share of the nominal rate of a GPU */
};

/* What collectives sustain on a kind of network: fitted to timings between nodes, apart from any one system. */
struct orr_fabric {
    char id[ORR_ID];                          /* "": the system has none, its scaleout_* members count */
    bool measured;                            /* fitted to timings of this kind of network */
    double spread_low_frac, spread_high_frac; /* measured over predicted time, four cases in five */
    int64_t n_lines;
    struct orr_fabric_line lines[ORR_MAX_FABRIC_LINES];
};

#define ORR_MAX_TIERS 3
/* A level of switches above the NICs. Units of `gpus` GPUs are joined by it. */
struct orr_tier {
    char name[16];           /* "leaf", "rail", "spine" */
    int64_t gpus;            /* GPUs of a unit, which reach each other below this tier */
    double bytes_per_s;      /* uplinks of a unit, per GPU and direction; 0: as the NICs */
    double oversubscription; /* 1: full bisection */
    double latency_s;        /* added when a message crosses the tier */
    enum orr_topology topology;
    int64_t links; /* mesh, dragonfly: other units it is joined to; torus: links of a unit */
};

struct orr_system {
    char id[ORR_ID];
    char asked[ORR_ID]; /* the name used in the request, where it is not the id */
    struct orr_chip chip;
    int64_t gpus_per_node;
    int64_t domain_gpus;                 /* GPUs that reach each other over the scale-up network */
    double scaleup_bytes_per_s;          /* per GPU and direction */
    double scaleup_latency_s;            /* hardware and protocol, per hop; for chips without measured lines */
    bool scaleup_switched;               /* a switch joins any pair at full rate; else GPUs have direct links */
    int64_t scaleup_links;               /* not switched: direct links of a GPU, which share its rate equally; 0:
                                                 one to every other GPU of the domain; fewer than that: a torus */
    bool scaleup_multicast;              /* the switch reduces and multicasts (NVLS) */
    double scaleout_bytes_per_s;         /* per GPU and direction */
    double scaleout_latency_s;           /* one hop */
    double scaleout_efficiency_frac;     /* sustained share of the nominal rate */
    double scaleout_oversubscription;    /* 1: full bisection */
    double host_speed;                   /* of the host, relative to the reference host of docs/host.md */
    int64_t gpus_per_nic;                /* GPUs that share a NIC; 1 unless stated */
    double host_link_bytes_per_s;        /* between a GPU and its host, per direction; 0: not stated */
    double host_memory_bytes;            /* of a node; 0: not stated */
    double host_optimizer_bytes_per_s;   /* traffic of an optimizer on the host, whole node; 0: not stated */
    double nvme_bytes, nvme_bytes_per_s; /* drives of a node: capacity, rate of reads and writes; 0: not stated */
    bool scaleout_reduction;             /* the switches between domains reduce (SHARP) */
    int64_t n_tiers;
    struct orr_tier tiers[ORR_MAX_TIERS]; /* above the NICs, lowest first */
    struct orr_fabric fabric;             /* what collectives between domains sustain */
    double price_usd_per_gpu_hour;
    double pue_frac; /* facility power over IT power, >= 1 */
};

/* ---------------------------------------------------------------- calibration: constants fitted from kernels */

struct orr_gemm_constants {
    double burst_frac;      /* share of peak before the power limit acts (u_free) */
    double sm_frac;         /* share of its own peak one SM reaches while the others idle; 0: burst_frac */
    double sustained_frac;  /* share of peak in an endless matrix load (u_sust) */
    double power_slope;     /* gain in share per unit of time not spent in matrix kernels */
    double dram_frac;       /* sustained share of DRAM bandwidth */
    double dram_ramp_bytes; /* traffic at which DRAM reaches half its rate, beyond the traffic itself (Q_0) */
    double tile_cost;       /* on-chip operand delivery: lost share per 1/tile side (c) */
    double tile_rows;       /* fewest rows of a tile, filled or not; 0: any tile of Eq. 33 */
    double narrow_frac;     /* share of the rate left to tiles of the fewest rows; 0: all of it */
    double wave_s;          /* fixed time of a wave: prologue and epilogue (t_p) */
    double launch_s;        /* fixed time of a dependent kernel in a stream (O) */
    double walk_s_per_element;    /* least time of a tile per element of the reduction; 0: none */
    double pitch_8_frac;    /* share of the rate left to rows that begin at multiples of 8 bytes only; 0: all of it */
    double pitch_4_frac, pitch_2_frac; /* the same at multiples of 4 and of 2 bytes */
    double grouped_frac;               /* grouped product: share of peak inside a tile */
    double grouped_tile_s;             /* grouped product: fixed time of a tile */
    double grouped_dram_frac;          /* grouped product: share of DRAM bandwidth at which experts are read */
    double grouped_launch_s;           /* grouped product: fixed time, including routing and bookkeeping kernels */
    double grouped_idle_s;             /* ... time of an expert of the rank that has no row */
    double grouped_walk_s_per_element;       /* ... least time of a tile per element of the reduction; 0: none */
    double grouped_passes;             /* ... how often the bytes of Eq. 303 move beside it; 0: once */
    double grouped_gen_frac, grouped_gen_tile_s;                       /* ... by low-latency kernels; 0: none */
    double grouped_gen_dram_frac, grouped_gen_launch_s, grouped_gen_passes; /* the rest of these */
    double grouped_triton_frac, grouped_triton_tile_s;                      /* ... by Triton kernels; 0: none */
    double grouped_triton_dram_frac, grouped_triton_launch_s, grouped_triton_passes; /* the rest of these */
    double grouped_fixed_frac, grouped_fixed_tile_s; /* ... whose tiles nobody chose for the shape; 0: as the others */
    double grouped_fixed_dram_frac, grouped_fixed_launch_s, grouped_fixed_passes; /* the rest of these */
    double grouped_marlin_frac, grouped_marlin_tile_s; /* ... of 4-bit weights and 16-bit rows by Marlin; 0: none */
    double grouped_marlin_dram_frac, grouped_marlin_launch_s, grouped_marlin_passes; /* the rest of these */
    double grouped_mx_frac, grouped_mx_tile_s; /* ... of MXFP4 and 16-bit rows by Triton; 0: none */
    double grouped_mx_dram_frac, grouped_mx_launch_s, grouped_mx_passes; /* the rest of these */
};

/* A shape for which a stack ships tiles on the chip of a calibration. */
struct orr_tuned_shape {
    uint8_t files;   /* enum orr_tile_files */
    uint8_t dtype;   /* enum orr_dtype; 16-bit formats share theirs */
    uint16_t experts; /* of the rank */
    uint32_t width;   /* of an expert on the rank */
    uint32_t release; /* the first that has it: 805 is 0.8.5 */
};
#define ORR_MAX_TUNED 192

struct orr_attention_constants {
    double forward_frac, forward_half_seq; /* u = frac * s/(s + half_seq), share of 16-bit peak */
    double backward_frac, backward_half_seq;
    double head_64_frac, head_96_frac; /* factor for head size <= 64 and <= 96 */
    double launch_s;                   /* fixed time of the kernel */
    double tail;                       /* tail time, in units of one block's pass over its keys */
    double backward_tail;              /* the same of the backward kernel; 0: as forward */
    double backward_wide_frac;         /* factor of the backward kernel for heads over 128; 0: 1 */
};

/* Decode attention: t = launch + max(bytes / (DRAM share), FLOP / (peak share), waves of blocks) + reduction of
 * splits. */
struct orr_decode_constants {
    double launch_s;            /* fixed time of the kernel */
    double dram_frac;           /* share of DRAM bandwidth at which the cache is read */
    double compute_frac;        /* share of peak, including the conversion of 8-bit caches */
    double sm_bytes_per_s;      /* most that one SM can read */
    double block_s;             /* fixed time of a thread block */
    double reduce_s;            /* adding partial results of a split context */
    double ramp_bytes;          /* first bytes of the cache, which are read at half that rate */
    double head_elements_per_s; /* K,V elements that a kernel with one query head per block reads */
    double padded_frac;         /* share of peak with empty rows of a tile counted; 0: compute_frac, without them */
};

#define ORR_MAX_LINES   48
#define ORR_LINE_POINTS 4
/* One straight line of a collective: t = base_s + hops(n) * hop_s + wire(n, S) / (link * efficiency(n)). */
struct orr_collective_line {
    enum orr_collective collective;
    enum orr_algorithm algorithm;
    bool low_latency; /* the latency protocol; else the bandwidth protocol */
    bool custom;      /* a serving engine's own kernel, not the library's */
    enum orr_allreduce_kernel kernel; /* ... whose */
    double most_bytes;                /* ... up to how many bytes it is called; 0: any */
    double base_s, hop_s;
    int64_t n_points;
    double ranks[ORR_LINE_POINTS], efficiency_frac[ORR_LINE_POINTS]; /* interpolated in log2 of the ranks */
};

struct orr_calibration {
    char id[ORR_ID];
    bool calibrated; /* fitted to this chip's kernels; else values of its family */
    struct orr_gemm_constants gemm[ORR_N_DTYPES];
    struct orr_gemm_constants
        block[ORR_N_BLOCK_KERNELS]; /* of fp8_block as the file says; a job has its engine's in gemm */
    struct orr_attention_constants attention[ORR_N_ATTENTION_KERNELS];
    struct orr_decode_constants decode[ORR_N_DECODE_KERNELS][2]; /* [kernel][0: 16-bit cache, 1: 8-bit] */
    struct orr_decode_constants mla_decode[2];                   /* absorbed latent attention */
    double pointwise_frac[ORR_N_POINTWISES];                     /* share of DRAM bandwidth, large tensors */
    double pointwise_launch_s;                                   /* fixed time of a pointwise kernel in a stream */
    double l2_frac;                                              /* share of nominal last-level bandwidth */
    double write_frac;                    /* share of DRAM bandwidth at which a product's output is written */
    double softmax_unfused_frac;          /* framework softmax of rows up to 1024; falls with the root beyond */
    double softmax_unfused_backward_frac; /* the gradient of the framework softmax */
    double p2p_scaleup_frac;              /* share of the scale-up link a send sustains */
    double scan_frac;                     /* rate of scans over chunks as a share of the rate of 16-bit products;
                                                 0: not known, half is assumed */
    double delta_scan_frac;               /* the same of the delta rule in a kernel for every part; 0: scan_frac */
    double delta_token_s;                 /* least time of the delta rule per token of a sequence */
    double quantise_launch_s;             /* of a kernel that finds a scale for every row; 0: as other small kernels */
    double quantise_walk_s;               /* ... and its time for every 4,096 columns of a row */
    double sum_exposed_frac;              /* share of the DRAM time of sums in place that a product does not hide */
    double overlap_contention_frac;       /* compute lost per second of hidden communication (Eq. 65) */
    double straggle_frac_per_doubling;    /* time of kernels added per doubling of GPUs (Eq. 299) */
    double sustained_units;               /* the sustained shares are those of the slowest of so many units; 0: one */
    int64_t n_lines;
    struct orr_collective_line lines[ORR_MAX_LINES];
    int64_t n_tuned;
    struct orr_tuned_shape tuned[ORR_MAX_TUNED]; /* shapes of experts with tiles of their own (Eq. 390) */
};

#endif
