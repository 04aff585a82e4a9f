/* The closed sets: enum, name and meaning of each in one list.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_SETS_H
#define ORRERY_SETS_H

#define ORR_TIME_PARTS(X)                                                                                              \
    /*  enum         name           meaning                                                         */                 \
    X(FORWARD, "forward", "forward compute of the critical pipeline rank")                                             \
    X(BACKWARD, "backward", "backward compute (dgrad, wgrad, attention backward)")                                     \
    X(RECOMPUTE, "recompute", "forward work repeated in backward, including collectives")                              \
    X(TP_EXPOSED, "tp_exposed", "tensor/sequence-parallel communication not hidden")                                   \
    X(CP_EXPOSED, "cp_exposed", "context-parallel communication not hidden")                                           \
    X(EP_EXPOSED, "ep_exposed", "expert-parallel all-to-all not hidden")                                               \
    X(PP_EXPOSED, "pp_exposed", "pipeline sends not hidden")                                                           \
    X(PP_BUBBLE, "pp_bubble", "pipeline fill, drain and stage imbalance")                                              \
    X(DP_EXPOSED, "dp_exposed", "gradient and weight collectives not hidden")                                          \
    X(OPTIMIZER, "optimizer", "optimizer step")                                                                        \
    X(OVERHEAD, "overhead", "host time, launch gaps and straggling")

#define ORR_MEMORY_PARTS(X)                                                                                            \
    /*  enum         name           meaning                                               */                           \
    X(WEIGHTS, "weights", "weights as the kernels read them")                                                          \
    X(GRADIENTS, "gradients", "gradients, including 16-bit copies alive at the peak")                                  \
    X(OPTIMIZER, "optimizer", "master weights and moments")                                                            \
    X(ACTIVATIONS, "activations", "tensors saved for backward and working tensors")                                    \
    X(WORKSPACE, "workspace", "library workspace, communication buffers and gathered weights")

#define ORR_BOUNDS(X)                                                                                                  \
    /*  enum       name        the resource that sets an operator's time   */                                          \
    X(COMPUTE, "compute", "matrix or vector units")                                                                    \
    X(L2, "l2", "last-level cache bandwidth")                                                                          \
    X(DRAM, "dram", "DRAM bandwidth")                                                                                  \
    X(NETWORK, "network", "link bandwidth or latency")                                                                 \
    X(OVERHEAD, "overhead", "launch gap and other fixed cost")                                                         \
    X(HOST, "host", "the host: launches, Python, scheduling, sampling")

#define ORR_DOUBTS(X)                                                                                                  \
    /*  enum     name       what widens the 80 % interval of a time                                     */             \
    /*                      what to measure to narrow it                                                */             \
    X(RUNS, "runs", "runs of one stack differ so much", "measure runs of this plan on your machine (orrery fit)")      \
    X(STACK, "stack", "no measured run has this engine in this regime",                                                \
      "measure three runs of this stack (orrery fit)")                                                                 \
    X(VERSION, "version", "only other versions of this engine, or other chips, are measured here",                     \
      "measure three runs of this version on this chip (orrery fit)")                                                  \
    X(COMPUTE, "compute", "what products and attention sustain on this stack",                                         \
      "measure kernels of this stack (orrery calibrate)")                                                              \
    X(MEMORY, "memory", "traffic and number of the kernels that DRAM binds", "profile one step")                       \
    X(NETWORK, "network", "what collectives sustain on this stack",                                                    \
      "run nccl-tests on this machine (orrery calibrate --fabric)")                                                    \
    X(OVERLAP, "overlap", "communication predicted to be hidden may not be", "profile one step")                       \
    X(GAPS, "gaps", "launch gaps and fixed times", "profile one step")                                                 \
    X(HOST, "host", "the time of the host", "run kit_host.py on it, or three runs (orrery fit)")                       \
    X(CHIP, "chip", "constants of this chip come from its datasheet or family",                                        \
      "measure its kernels (orrery calibrate)")                                                                        \
    X(FABRIC, "fabric", "nothing of this network between nodes is measured",                                           \
      "run nccl-tests over nodes (orrery calibrate --fabric)")                                                         \
    X(EXPERTS, "experts", "grouped products and the load of experts", "measure a run of an expert layer (orrery fit)") \
    X(LOAD, "load", "how this engine admits and queues requests",                                                      \
      "measure first tokens of this engine under load (orrery validate)")                                              \
    X(CELLS, "cells", "settings that the request leaves open", "state them in the request")                            \
    X(FITTED, "fitted", "the runs that this engine was fitted to leave much of the stack open",                        \
      "add the runs that orrery fit proposes")                                                                         \
    X(FORMAT, "format", "how this stack multiplies weights of fewer bits", "measure a run in this format (orrery fit)")

#define ORR_KINS(X)                                                                                                    \
    /*  enum     what the engine of a job is to the stack that will run it                              */             \
    X(RECORD, "what the measured runs on record say")                                                                  \
    X(VERSION, "another version of it, or itself on other chips")                                                      \
    X(OTHER, "another stack, which stands in for it")

#define ORR_SCHEDULES(X)                                                                                               \
    /*  enum          name           iteration time of equal stages        */                                          \
    X(GPIPE, "gpipe", "Eq. 67: all forwards, then all backwards")                                                      \
    X(1F1B, "1f1b", "Eq. 68: one forward, one backward")                                                               \
    X(INTERLEAVED, "interleaved", "Eq. 69: 1F1B over vpp chunks per rank")                                             \
    X(ZB_H1, "zb-h1", "Eq. 70: zero bubble, 1F1B memory")                                                              \
    X(ZB_H2, "zb-h2", "Eq. 71: zero bubble, twice the memory")                                                         \
    X(ZB_V, "zb-v", "Eq. 137: zero bubble, two chunks in a V, 1F1B memory")                                            \
    X(V_HALF, "v-half", "Eq. 138: two chunks in a V, half the memory")                                                 \
    X(DUALPIPE, "dualpipe", "Eq. 139: from both ends, weights twice")                                                  \
    X(DUALPIPE_V, "dualpipe-v", "Eq. 140: dualpipe cut in half, a V")

/* How layers are divided over the stages of a pipeline where a plan does not list them. */
#define ORR_STAGE_RULES(X)                                                                                             \
    X(ENGINE, "engine", "as the engine divides them")                                                                  \
    X(EVEN, "even", "Eq. 73a: equal layers")                                                                           \
    X(COST, "by-cost", "Eq. 131: equal matrix work")

/* What happens to the gathered weights of ZeRO-3 after a forward pass. */
#define ORR_RESHARDS(X)                                                                                                \
    X(ENGINE, "engine", "as the engine does: freed, or kept in pipelines")                                             \
    X(ALWAYS, "always", "freed and gathered again for backward")                                                       \
    X(NEVER, "never", "they stay until the end of backward")

/* Where gradients of ZeRO-2 and ZeRO-3 add up whole over the micro-batches of a step and are scattered once. */
#define ORR_WHOLE_GRADIENTS(X)                                                                                         \
    X(NEVER, "never", "nowhere: they are scattered after every micro-batch")                                           \
    X(PIPELINES, "pipelines", "in pipelines, after the last backward pass (Eq. 370)")                                  \
    X(ACCUMULATION, "accumulation", "with several micro-batches, beside the last of them, and in pipelines (Eq. 370)")

/* Optimizers by what they keep: bytes of master weight and moments of a weight matrix of a layer and of all other
 * parameters, and bytes of an accumulated gradient. Two 8-bit moments have a 4-byte scale per 256 elements each. */
#define ORR_OPTIMIZERS(X)                                                                                              \
    /*  enum   name   matrix   other   gradient  meaning                                                            */ \
    X(ENGINE, "engine", 0, 0, 0, "as the engine keeps its states")                                                     \
    X(ADAMW, "adamw", 12, 12, 4, "fp32 master weights, two fp32 moments, fp32 gradients")                              \
    X(ADAMW_BF16_STATES, "adamw-bf16-states", 8, 8, 4, "fp32 master weights, two 16-bit moments")                      \
    X(ADAMW_16BIT_GRADIENTS, "adamw-16bit-gradients", 12, 12, 2, "fp32 master weights and moments, 16-bit gradients")  \
    X(ADAMW_BF16, "adamw-bf16", 4, 4, 2, "two 16-bit moments, no master weights, 16-bit gradients")                    \
    X(ADAMW_8BIT, "adamw-8bit", 2.03125, 2.03125, 2, "two 8-bit moments, no master weights, 16-bit gradients")         \
    X(MUON, "muon", 8, 12, 4, "fp32 master weights and one fp32 momentum; AdamW for all but matrices of layers")       \
    X(MUON_BF16, "muon-bf16", 2, 4, 2, "one 16-bit momentum, no master weights; 16-bit AdamW for the rest")            \
    X(ADAFACTOR, "adafactor", 0, 0, 2, "factored second moment, no master weights, 16-bit gradients")                  \
    X(SGD_MOMENTUM, "sgd-momentum", 2, 2, 2, "one 16-bit moment, no master weights, 16-bit gradients")                 \
    X(SGD, "sgd", 0, 0, 2, "nothing besides the 16-bit gradients")                                                     \
    X(ADAMW_FP32_STATES, "adamw-fp32-states", 8, 8, 2, "two fp32 moments, no master weights, 16-bit gradients")

/* How tensors are scaled for products in 8 bits or fewer: bytes of scales per element, whether the maximum is found
 * before the cast, whether a copy serves products along one direction only, whether the input is kept in 16 bits and
 * cast again in backward, and whether weight gradients are narrow too. */
#define ORR_FP8_RECIPES(X)                                                                                             \
    /*  enum  name  scale bytes  maximum  directed  recast  wgrad  meaning                                       */    \
    X(ENGINE, "engine", 0, false, false, false, true, "as the engine does on this chip")                               \
    X(DELAYED, "delayed", 0, false, false, false, true, "a scale per tensor from the maxima of earlier steps")         \
    X(TENSORWISE, "tensorwise", 0, true, false, false, true, "a scale per tensor from its own maximum")                \
    X(ROWWISE, "rowwise", 0, false, true, true, true, "a scale per row")                                               \
    X(ROWWISE_GW_HP, "rowwise_gw_hp", 0, false, true, true, false, "the same with weight gradients in 16 bits")        \
    X(BLOCKWISE, "blockwise", 4.0 / 128, false, true, false, true, "a scale per 128, of weights per 128 x 128")        \
    X(MXFP8, "mxfp8", 1.0 / 32, false, true, false, true, "a power of two per 32")                                     \
    X(NVFP4, "nvfp4", 1.0 / 16, true, true, false, true, "4 bits, an 8-bit scale per 16 and one per tensor")

/* Where a tensor is kept that is not kept in GPU memory. */
#define ORR_STORES(X)                                                                                                  \
    X(NONE, "none", "GPU memory")                                                                                      \
    X(CPU, "cpu", "host memory, over PCIe or a chip-to-chip link")                                                     \
    X(NVME, "nvme", "drives of the host")
/* What may be kept there. */
#define ORR_OFFLOADS(X)                                                                                                \
    X(OPTIMIZER, "optimizer", "master weights and moments; the host runs the optimizer")                               \
    X(GRADIENTS, "gradients", "accumulated gradients; as the optimizer unless given")                                  \
    X(PARAMETERS, "parameters", "weights, fetched layer by layer")                                                     \
    X(ACTIVATIONS, "activations", "saved inputs of recomputed layers")

/* Formats in which the gradients of micro-batches are added up. */
#define ORR_GRADIENT_FORMATS(X)                                                                                        \
    X(ENGINE, "engine", "as the optimizer of the job or the engine keeps them")                                        \
    X(FP32, "fp32", "4 bytes")                                                                                         \
    X(BF16, "bf16", "2 bytes, also on the wire")

/* Formats that a request may give to transfers, to activations and to attention. */
#define ORR_ASKED_FORMATS(X)                                                                                           \
    /*  enum   name    format   meaning                                                               */               \
    X(ENGINE, "engine", N_DTYPES, "as the engine has it")                                                              \
    X(FP32, "fp32", DTYPE_FP32, "4 bytes")                                                                             \
    X(FP16, "fp16", DTYPE_FP16, "2 bytes")                                                                             \
    X(BF16, "bf16", DTYPE_BF16, "2 bytes")                                                                             \
    X(FP8, "fp8", DTYPE_FP8, "1 byte")                                                                                 \
    X(INT8, "int8", DTYPE_INT8, "1 byte")                                                                              \
    X(FP4, "fp4", DTYPE_FP4, "half a byte")

/* Stages of an answer that --dump and ?dump= show, with the formats that render them. */
#define ORR_DUMPS(X)                                                                                                   \
    X("ops", ORR_FORMAT_DUMP_OPS)                                                                                      \
    X("costs", ORR_FORMAT_DUMP_COSTS)                                                                                  \
    X("ledger", ORR_FORMAT_DUMP_LEDGER)                                                                                \
    X("timeline", ORR_FORMAT_DUMP_TIMELINE)                                                                            \
    X("memory", ORR_FORMAT_DUMP_MEMORY)

/* Options that a run of a serving stack switches on or off, whatever the engine's default is. The facts of an engine
 * that each one sets are in src/spec/run_options.c. */
#define ORR_RUN_OPTIONS(X)                                                                                             \
    X(TWO_BATCH_OVERLAP, "two_batch_overlap", "one half of a batch computes while the other exchanges tokens")         \
    X(EXPERT_COPIES, "expert_copies", "busy experts have copies, chosen by their load")                                \
    X(GRAPHS, "graphs", "decode steps are replayed as captured graphs")                                                \
    X(ASYNC_SCHEDULING, "async_scheduling", "the host prepares a step beside the one before")                          \
    X(CHUNKED_PREFILL, "chunked_prefill", "a prompt that does not fit into a step is cut")                             \
    X(PREFIX_CACHE, "prefix_cache", "beginnings of prompts are found again in the cache")                              \
    X(SERVER, "server", "requests come over HTTP and tokens go back one by one; off: all in one process")

/* What a request says of such an option. */
#define ORR_SWITCHES(X)                                                                                                \
    X(ENGINE, "engine", "as the engine has it")                                                                        \
    X(ON, "true", "on")                                                                                                \
    X(OFF, "false", "off")

/* Adapters: small trained matrices beside frozen ones. */
#define ORR_ADAPTERS(X)                                                                                                \
    /*  enum  name    meaning                                                            */                            \
    X(NONE, "none", "every weight is trained that is not frozen")                                                      \
    X(LORA, "lora", "a product of low rank beside each target")                                                        \
    X(DORA, "dora", "the same, and a trained length of every column of the sum")

/* Matrices that an adapter can stand beside, by the names of their last parts in published models. */
#define ORR_TARGETS(X)                                                                                                 \
    X(Q, "q")                                                                                                          \
    X(K, "k")                                                                                                          \
    X(V, "v")                                                                                                          \
    X(O, "o")                                                                                                          \
    X(GATE, "gate")                                                                                                    \
    X(UP, "up")                                                                                                        \
    X(DOWN, "down")

/* Formats of the frozen matrices of the layers beside adapters: bytes of a weight with its scales, and kernels that
 * restore a matrix to 16 bits before each product. */
#define ORR_BASE_FORMATS(X)                                                                                            \
    /*  enum        name          bytes           kernels  meaning                                */                   \
    X(BF16, "bf16", 2, 0, "16 bits")                                                                                   \
    X(FP8, "fp8", 1, 0, "8 bits, as products of 8 bits read them")                                                     \
    X(INT8, "int8", 1, 1, "8 bits, one scale per row")                                                                 \
    X(NF4, "nf4", 0.515869140625, 3, "4 bits, 8-bit scales of 64 weights, fp32 scales of 256 scales")                  \
    X(NF4_SINGLE, "nf4-single", 0.5625, 1, "4 bits, fp32 scales of 64 weights")

#define ORR_RECOMPUTES(X)                                                                                              \
    /*  enum        name         what backward executes again        */                                                \
    X(NONE, "none", "nothing")                                                                                         \
    X(SELECTIVE, "selective", "what the engine's own selective does")                                                  \
    X(FULL, "full", "every layer from its saved input")                                                                \
    X(CORE, "core", "the attention core")                                                                              \
    X(BY_OP, "selective-op", "all but every other product and the core")                                               \
    X(OPS, "ops", "the operators that a list names")

/* Operators that recomputation may repeat one by one, and what is not kept then (src/ops/recompute.c). */
#define ORR_REPEATABLES(X)                                                                                             \
    X(NORM, "norm", "norms: inputs of attention and of the feed-forward block")                                        \
    X(QKV, "qkv", "projections to heads and positions: queries, keys, values")                                         \
    X(CORE, "core", "scores of unfused attention: probabilities, dropout")                                             \
    X(OUT, "out", "output projection and residual add: input of the second norm")                                      \
    X(MLP_UP, "mlp_up", "first product of dense columns and shared experts: gate, up")                                 \
    X(MLP_ACT, "mlp_act", "their activation: input of the last product")                                               \
    X(EXPERT_UP, "expert_up", "first product of routed experts: gate, up")                                             \
    X(EXPERT_ACT, "expert_act", "their activation: input of the last product")                                         \
    X(DISPATCH, "dispatch", "permutation and exchange of rows: inputs of routed experts")

/* Kernels that compute attention scores and multiply them with the values. Each engine states which it uses. */
#define ORR_ATTENTION_KERNELS(X)                                                                                       \
    X(UNFUSED, "unfused", "batched GEMMs and a softmax kernel; scores in DRAM")                                        \
    X(FLASH1, "flash1", "FlashAttention 1 and Triton kernels of its time")                                             \
    X(FLASH2, "flash2", "FlashAttention 2")                                                                            \
    X(FLASH3, "flash3", "FlashAttention 3, cuDNN fused attention")                                                     \
    X(SERVING, "serving", "prefill kernels of serving engines")                                                        \
    X(EFFICIENT, "efficient", "memory-efficient kernel of PyTorch: heads of any size, masks as tensors")

#define ORR_CP_KINDS(X)                                                                                                \
    X(RING, "ring", "Eq. 13: K,V blocks travel round a ring")                                                          \
    X(ALLGATHER, "allgather", "K,V gathered before attention")                                                         \
    X(ULYSSES, "ulysses", "Eq. 14: all-to-all from sequence to head sharding")

#define ORR_COLLECTIVES(X)                                                                                             \
    X(ALLREDUCE, "allreduce")                                                                                          \
    X(ALLGATHER, "allgather")                                                                                          \
    X(REDUCESCATTER, "reducescatter")                                                                                  \
    X(ALLTOALL, "alltoall")                                                                                            \
    X(P2P, "p2p")

#define ORR_ALGORITHMS(X)                                                                                              \
    /*  enum      name       wire bytes and hops (n ranks, S bytes)                           */                       \
    X(RING, "ring", "Eq. 49, 55: n-1 (all-reduce 2(n-1)) steps round a ring")                                          \
    X(TREE, "tree", "Eq. 50: double binary tree")                                                                      \
    X(DIRECT, "direct", "Eq. 52, 55, 56: every rank to every rank through a switch")                                   \
    X(NVLS, "nvls", "Eq. 54: reduction and multicast inside the switch")                                               \
    X(ONESHOT, "oneshot", "Eq. 53: every rank reads all others and adds")                                              \
    X(TWOSHOT, "twoshot", "Eq. 52: every rank reduces a share, then reads the others'")                                \
    X(HIERARCHICAL, "hierarchical", "Eq. 58, 59: inside the scale-up domain, then between domains")                    \
    X(SHARP, "sharp", "Eq. 58d: reduction inside the switches between domains")

/* How the units of a tier of the network are joined, and what of its links neighbours and all pairs can use (Eq. 60b).
 */
#define ORR_TOPOLOGIES(X)                                                                                              \
    X(SWITCH, "switch", "any two units at the full rate of their uplinks")                                             \
    X(MESH, "mesh", "a link between every two units: neighbours have one of them")                                     \
    X(TORUS, "torus", "links to neighbours only: bytes to others pass through units between")                          \
    X(DRAGONFLY, "dragonfly", "a mesh of groups; half of the links can take a detour")

/* Classes of memory-bound kernels; each has its own sustained fraction of DRAM bandwidth. */
#define ORR_POINTWISES(X)                                                                                              \
    X(ADD, "add", "residual and bias add, accumulation")                                                               \
    X(ACTIVATION, "activation", "SiLU, gate product, RoPE")                                                            \
    X(GELU, "gelu", "GELU, arithmetic beside the traffic")                                                             \
    X(DROPOUT, "dropout", "dropout with its mask")                                                                     \
    X(LAYERNORM, "layernorm", "layer norm, mean and variance")                                                         \
    X(RMSNORM, "rmsnorm", "root-mean-square norm")                                                                     \
    X(SOFTMAX, "softmax", "fused scale, mask, softmax")                                                                \
    X(COPY, "copy", "copy, transpose, permute, gather")                                                                \
    X(SCATTER, "scatter", "gradient of an embedding: sort and add")                                                    \
    X(CAST, "cast", "format conversion with scales")                                                                   \
    X(UPCAST, "upcast", "copy from 16 to 32 bits")                                                                     \
    X(ACCUMULATE, "accumulate", "16-bit values added to sums of 32 bits")                                              \
    X(STRIDED, "strided", "kernels on slices and permuted views, 4 bytes per element")                                 \
    X(LOSS, "loss", "cross-entropy on the logits")                                                                     \
    X(ADAM, "adam", "fused Adam step")

#define ORR_PHASES(X)                                                                                                  \
    X(FORWARD, "forward", "once per layer and micro-batch")                                                            \
    X(RECOMPUTE, "recompute", "forward repeated before backward")                                                      \
    X(BACKWARD, "backward", "once per layer and micro-batch")                                                          \
    X(STEP, "step", "once per iteration, or once per request")                                                         \
    X(PREFILL, "prefill", "the prompt, once")                                                                          \
    X(DECODE, "decode", "one output token of every sequence")

/* Where the time of an inference request goes; the parts add up to its latency. */
#define ORR_INFER_PARTS(X)                                                                                             \
    /*  enum               name                 meaning                                             */                 \
    X(PREFILL_GEMM, "prefill_gemm", "weight products of the prompt")                                                   \
    X(PREFILL_ATTENTION, "prefill_attention", "attention core of the prompt")                                          \
    X(PREFILL_POINTWISE, "prefill_pointwise", "norms, activations and quantisation of the prompt")                     \
    X(PREFILL_NETWORK, "prefill_network", "collectives and pipeline sends of the prompt")                              \
    X(DECODE_GEMM, "decode_gemm", "weight products of the output tokens")                                              \
    X(DECODE_ATTENTION, "decode_attention", "attention core over the growing context")                                 \
    X(DECODE_POINTWISE, "decode_pointwise", "norms, activations and quantisation of output tokens")                    \
    X(DECODE_NETWORK, "decode_network", "collectives and pipeline sends of the output tokens")                         \
    X(DRAFT, "draft", "drafts of speculative decoding, by a draft model or MTP layers")                                \
    X(PIPELINE, "pipeline", "waiting for other pipeline stages")                                                       \
    X(KV_TRANSFER, "kv_transfer", "exposed time of handing the cache to the decode GPUs")                              \
    X(OVERHEAD, "overhead", "launch gaps, sampling and request handling")

#define ORR_SERVE_MEMORY_PARTS(X)                                                                                      \
    /*  enum         name           meaning                                               */                           \
    X(WEIGHTS, "weights", "weights of one GPU, including their scales")                                                \
    X(KV_CACHE, "kv_cache", "cache of the running batch at its longest, in whole blocks")                              \
    X(ACTIVATIONS, "activations", "largest tensors alive in a step")                                                   \
    X(WORKSPACE, "workspace", "library workspace and communication buffers")

/* What the energy of a job is spent on. */
#define ORR_ENERGY_PARTS(X)                                                                                            \
    /*  enum       name        meaning                                                    */                           \
    X(FLOP, "flop", "arithmetic of the matrix units, including operand delivery")                                      \
    X(DRAM, "dram", "DRAM traffic")                                                                                    \
    X(LINK, "link", "traffic between GPUs")                                                                            \
    X(IDLE, "idle", "what an idle GPU draws anyway")                                                                   \
    X(FACILITY, "facility", "cooling and power conversion of the data centre")

/* How an engine decides what the KV cache may take. */
#define ORR_BUDGETS(X)                                                                                                 \
    X(TOTAL, "total", "a fraction of the whole memory, weights and all (gpu_memory_utilization)")                      \
    X(FREE, "free", "a fraction of what is free after the weights (TensorRT-LLM)")                                     \
    X(STATIC, "static", "a fraction of the memory for weights and cache (mem_fraction_static)")

/* Who is served next: what an engine puts into its next step. */
#define ORR_SCHEDULERS(X)                                                                                              \
    X(VLLM_V0, "vllm-v0", "whole prompts in steps of their own; the last sequence is recomputed when blocks run out")  \
    X(VLLM_V1, "vllm-v1", "decoding sequences, begun prompts, new prompts in one step; the same when blocks run out")  \
    X(SGLANG, "sglang", "prompts in steps of their own; admission by expected outputs; fewest outputs are retracted")  \
    X(TRTLLM_NO_EVICT, "trtllm-no-evict", "one mixed step; the cache of the whole answer is reserved at admission")    \
    X(TRTLLM_MAX_UTIL, "trtllm-max-util", "one mixed step; the last started is paused when blocks run out")            \
    X(TGI, "tgi", "prompts in steps of their own; the cache of the whole answer is reserved at admission")

/* When the cache of a prompt leaves for a decode pool. */
#define ORR_CACHE_SENDS(X)                                                                                             \
    X(LAYERS, "layers", "a layer's part as soon as the layer is computed")                                             \
    X(CHUNKS, "chunks", "the part of a chunk while the next chunk is computed")                                        \
    X(PROMPT, "prompt", "all of it once the prompt is computed")

/* When requests arrive. */
#define ORR_ARRIVALS(X)                                                                                                \
    X(POISSON, "poisson", "independent users at a mean rate")                                                          \
    X(GAMMA, "gamma", "gaps with a gamma distribution of shape `burstiness`; 1 is Poisson")                            \
    X(CONSTANT, "constant", "equal gaps")                                                                              \
    X(CLOSED, "closed", "a constant number of users; each asks again when answered")                                   \
    X(SATURATED, "saturated", "all requests at once")                                                                  \
    X(TRACE, "trace", "recorded arrivals and lengths")                                                                 \
    X(DIURNAL, "diurnal", "Poisson with a rate that follows a sine")

/* Which replica gets a request. */
#define ORR_ROUTERS(X)                                                                                                 \
    X(ROUND_ROBIN, "round-robin", "each in turn")                                                                      \
    X(LEAST_LOADED, "least-loaded", "the one with the fewest requests")                                                \
    X(POWER_OF_TWO, "power-of-two", "the less loaded of two drawn at random")                                          \
    X(PREFIX, "prefix", "the least loaded that has the prompt's beginning in its cache")                               \
    X(SESSION, "session", "always the same one for the requests of a prefix group")

/* What the replicas of a pool serve. */
#define ORR_POOL_ROLES(X)                                                                                              \
    X(WHOLE, "whole", "prompts and answers")                                                                           \
    X(PREFILL, "prefill", "prompts, whose caches are sent to the decode pools")                                        \
    X(DECODE, "decode", "answers")

/* How long prompts and answers are. */
#define ORR_LENGTH_LAWS(X)                                                                                             \
    X(FIXED, "fixed", "all equal")                                                                                     \
    X(UNIFORM, "uniform", "whole numbers from low to high")                                                            \
    X(LOGNORMAL, "lognormal", "by mean and coefficient of variation")                                                  \
    X(EXPONENTIAL, "exponential", "by mean")                                                                           \
    X(EMPIRICAL, "empirical", "quantiles at equal steps, straight between them")

/* Kernels that multiply one query with a long context. */
#define ORR_DECODE_KERNELS(X)                                                                                          \
    X(PAGED, "paged", "serving kernels on a paged cache, RoPE and cache write inside")                                 \
    X(SDPA, "sdpa", "a framework's attention call, one block per sequence and head")                                   \
    X(FLASH, "flash", "FlashAttention on a paged cache, tiles of 64 query rows on Hopper")                             \
    X(FLASH_WIDE, "flash_wide", "the same with tiles of 128 query rows for 8-bit caches")

/* Kernels of products with 8-bit operands that have a scale per block of 128 (Eq. 304). */
#define ORR_BLOCK_KERNELS(X)                                                                                           \
    X(TRTLLM, "trtllm", "those of TensorRT-LLM, by which the format itself is calibrated")                             \
    X(SGLANG, "sglang", "DeepGEMM behind the quantisation of SGLang")                                                  \
    X(VLLM, "vllm", "what vLLM calls by itself, behind its own quantisation")

/* A serving engine's own all-reduce inside a scale-up domain (Eq. 396). */
#define ORR_ALLREDUCE_KERNELS(X)                                                                                       \
    X(TRTLLM, "trtllm", "those of TensorRT-LLM and FlashInfer: data that carries its own flags is pushed")             \
    X(PULL, "pull", "those of vLLM: all ranks wait, and read each other's memory")                                     \
    X(PUSH, "push", "the second ones of SGLang: small sums are pushed, large ones pulled")                             \
    X(MULTICAST, "multicast", "PyTorch's on symmetric memory: the switch adds")

/* Whose files say which tiles Triton's expert kernels take for a shape (Eq. 390). */
#define ORR_TILE_FILES(X)                                                                                              \
    X(NONE, "none", "tiles are sought at run time, or are right for any shape")                                        \
    X(VLLM, "vllm", "the files that vLLM ships")                                                                       \
    X(SGLANG, "sglang", "the files that SGLang ships")

/* How a framework multiplies the rows of its experts with their weights: the largest mean number of rows that takes the
 * small tile, the two tiles, and the tiles along the rows that one cluster of SMs computes at a time. */
#define ORR_EXPERT_KERNELS(X)                                                                                          \
    /*  enum     name        rows  small     large     cluster  meaning                                          */    \
    X(TUNED, "tuned", 0, 0, 0, 0, 0, 1, "one kernel with the fastest tile, as serving libraries choose it")            \
    X(GROUPED_MM, "grouped_mm", 128, 64, 128, 128, 256, 2, "the grouped product of PyTorch: two tiles, clusters")      \
    X(STREAMS, "streams", 0, 0, 0, 0, 0, 1, "a plain product per expert, on four streams")                             \
    X(LOOP, "loop", 0, 0, 0, 0, 0, 1, "a plain product per expert, one after another")

/* Blocks that mix the positions of a sequence in a layer. */
#define ORR_MIXERS(X)                                                                                                  \
    X(ATTENTION, "attention", "grouped-query attention")                                                               \
    X(LATENT, "latent", "multi-head latent attention")                                                                 \
    X(COMPRESSED, "compressed", "attention to a window and to entries that compress many positions")                   \
    X(MAMBA1, "mamba1", "selective scan with a state per channel")                                                     \
    X(MAMBA2, "mamba2", "selective scan with a decay per head")                                                        \
    X(GATED_DELTA, "gated_delta", "gated delta net")                                                                   \
    X(KDA, "kda", "delta attention with a gate per channel")                                                           \
    X(LIGHTNING, "lightning", "linear attention with a fixed decay per head")                                          \
    X(RG_LRU, "rg_lru", "real-gated linear recurrent unit")                                                            \
    X(SHORT_CONV, "short_conv", "short gated convolution")                                                             \
    X(NONE, "none", "none: the layer is a feed-forward block")

/* Parallel groups a collective runs over. */
#define ORR_GROUPS(X)                                                                                                  \
    X(NONE, "none", "no communication")                                                                                \
    X(TP, "tp", "tensor and sequence parallel")                                                                        \
    X(CP, "cp", "context parallel")                                                                                    \
    X(EP, "ep", "expert parallel")                                                                                     \
    X(ETP, "etp", "tensor parallel inside an expert")                                                                  \
    X(PP, "pp", "neighbouring pipeline stages")                                                                        \
    X(DP, "dp", "data parallel, dense weights")                                                                        \
    X(EDP, "edp", "data parallel, expert weights")                                                                     \
    X(RDP, "rdp", "replicas of a sharded group (hybrid sharding)")                                                     \
    X(HOST, "host", "the GPU and its host: offloaded tensors")

#define ORR_OP_KINDS(X)                                                                                                \
    X(GEMM, "gemm", "matrix product with a weight")                                                                    \
    X(BMM, "bmm", "batched matrix product of activations")                                                             \
    X(GROUPED, "grouped", "grouped matrix product over experts")                                                       \
    X(FLASH, "flash", "fused attention, forward")                                                                      \
    X(FLASH_BACKWARD, "flash_backward", "fused attention, backward")                                                   \
    X(DECODE, "decode", "one query per sequence over its cached context")                                              \
    X(SCAN, "scan", "recurrence over positions: chunks of them, or one step")                                          \
    X(POINTWISE, "pointwise", "memory-bound kernel")                                                                   \
    X(COLLECTIVE, "collective", "communication")

#define ORR_X_TIME_(name, ...)       ORR_TIME_##name,
#define ORR_X_MEMORY_(name, ...)     ORR_MEMORY_##name,
#define ORR_X_BOUND_(name, ...)      ORR_BOUND_##name,
#define ORR_X_DOUBT_(name, ...)      ORR_DOUBT_##name,
#define ORR_X_KIN_(name, ...)        ORR_KIN_##name,
#define ORR_X_SCHEDULE_(name, ...)   ORR_SCHEDULE_##name,
#define ORR_X_STAGES_(name, ...)     ORR_STAGES_##name,
#define ORR_X_RESHARD_(name, ...)    ORR_RESHARD_##name,
#define ORR_X_WHOLE_(name, ...)      ORR_WHOLE_##name,
#define ORR_X_RECOMPUTE_(name, ...)  ORR_RECOMPUTE_##name,
#define ORR_X_REPEATABLE_(name, ...) ORR_REPEATABLE_##name,
#define ORR_X_OPTIMIZER_(name, ...)  ORR_OPTIMIZER_##name,
#define ORR_X_GRADIENTS_(name, ...)  ORR_GRADIENTS_##name,
#define ORR_X_ASKED_(name, ...)      ORR_ASKED_##name,
#define ORR_X_OPTION_(name, ...)     ORR_OPTION_##name,
#define ORR_X_SWITCH_(name, ...)     ORR_SWITCH_##name,
#define ORR_X_STORE_(name, ...)      ORR_STORE_##name,
#define ORR_X_OFFLOAD_(name, ...)    ORR_OFFLOAD_##name,
#define ORR_X_ADAPTER_(name, ...)    ORR_ADAPTER_##name,
#define ORR_X_TARGET_(name, ...)     ORR_TARGET_##name,
#define ORR_X_BASE_(name, ...)       ORR_BASE_##name,
#define ORR_X_ATTENTION_(name, ...)  ORR_ATTENTION_##name,
#define ORR_X_CP_(name, ...)         ORR_CP_##name,
#define ORR_X_COLLECTIVE_(name, ...) ORR_COLLECTIVE_##name,
#define ORR_X_ALGORITHM_(name, ...)  ORR_ALGORITHM_##name,
#define ORR_X_TOPOLOGY_(name, ...)   ORR_TOPOLOGY_##name,
#define ORR_X_POINTWISE_(name, ...)  ORR_POINTWISE_##name,
#define ORR_X_PHASE_(name, ...)      ORR_PHASE_##name,
#define ORR_X_GROUP_(name, ...)      ORR_GROUP_##name,
#define ORR_X_MIXER_(name, ...)      ORR_MIXER_##name,
#define ORR_X_OP_(name, ...)         ORR_OP_##name,
#define ORR_X_INFER_(name, ...)      ORR_INFER_##name,
#define ORR_X_SERVE_(name, ...)      ORR_SERVE_MEMORY_##name,
#define ORR_X_ENERGY_(name, ...)     ORR_ENERGY_##name,
#define ORR_X_BUDGET_(name, ...)     ORR_BUDGET_##name,
#define ORR_X_BLOCK_(name, ...)      ORR_BLOCK_##name,
#define ORR_X_ALLREDUCE_(name, ...)  ORR_ALLREDUCE_##name,
#define ORR_X_TILE_FILES_(name, ...) ORR_TILES_##name,
#define ORR_X_DECODE_(name, ...)     ORR_DECODE_##name,
#define ORR_X_EXPERT_(name, ...)     ORR_EXPERT_##name,
#define ORR_X_RECIPE_(name, ...)     ORR_RECIPE_##name,
enum orr_time_part { ORR_TIME_PARTS(ORR_X_TIME_) ORR_N_TIME_PARTS };
enum orr_memory_part { ORR_MEMORY_PARTS(ORR_X_MEMORY_) ORR_N_MEMORY_PARTS };
enum orr_bound { ORR_BOUNDS(ORR_X_BOUND_) ORR_N_BOUNDS };
enum orr_doubt { ORR_DOUBTS(ORR_X_DOUBT_) ORR_N_DOUBTS };
enum orr_kin { ORR_KINS(ORR_X_KIN_) ORR_N_KINS };
enum orr_schedule { ORR_SCHEDULES(ORR_X_SCHEDULE_) ORR_N_SCHEDULES };
enum orr_stage_rule { ORR_STAGE_RULES(ORR_X_STAGES_) ORR_N_STAGE_RULES };
enum orr_reshard { ORR_RESHARDS(ORR_X_RESHARD_) ORR_N_RESHARDS };
enum orr_whole_gradients { ORR_WHOLE_GRADIENTS(ORR_X_WHOLE_) ORR_N_WHOLE_GRADIENTS };
enum orr_recompute { ORR_RECOMPUTES(ORR_X_RECOMPUTE_) ORR_N_RECOMPUTES };
enum orr_repeatable { ORR_REPEATABLES(ORR_X_REPEATABLE_) ORR_N_REPEATABLES };
enum orr_store { ORR_STORES(ORR_X_STORE_) ORR_N_STORES };
enum orr_offload { ORR_OFFLOADS(ORR_X_OFFLOAD_) ORR_N_OFFLOADS };
enum orr_gradient_format { ORR_GRADIENT_FORMATS(ORR_X_GRADIENTS_) ORR_N_GRADIENT_FORMATS };
enum orr_asked_format { ORR_ASKED_FORMATS(ORR_X_ASKED_) ORR_N_ASKED_FORMATS };
enum orr_run_option { ORR_RUN_OPTIONS(ORR_X_OPTION_) ORR_N_RUN_OPTIONS };
enum orr_switch { ORR_SWITCHES(ORR_X_SWITCH_) ORR_N_SWITCHES };
enum orr_optimizer { ORR_OPTIMIZERS(ORR_X_OPTIMIZER_) ORR_N_OPTIMIZERS };
enum orr_adapter_kind { ORR_ADAPTERS(ORR_X_ADAPTER_) ORR_N_ADAPTERS };
enum orr_target { ORR_TARGETS(ORR_X_TARGET_) ORR_N_TARGETS };
enum orr_base_format { ORR_BASE_FORMATS(ORR_X_BASE_) ORR_N_BASE_FORMATS };
enum orr_attention_kernel { ORR_ATTENTION_KERNELS(ORR_X_ATTENTION_) ORR_N_ATTENTION_KERNELS };
enum orr_cp_kind { ORR_CP_KINDS(ORR_X_CP_) ORR_N_CP_KINDS };
enum orr_collective { ORR_COLLECTIVES(ORR_X_COLLECTIVE_) ORR_N_COLLECTIVES };
enum orr_algorithm { ORR_ALGORITHMS(ORR_X_ALGORITHM_) ORR_N_ALGORITHMS };
enum orr_topology { ORR_TOPOLOGIES(ORR_X_TOPOLOGY_) ORR_N_TOPOLOGIES };
enum orr_pointwise { ORR_POINTWISES(ORR_X_POINTWISE_) ORR_N_POINTWISES };
enum orr_phase { ORR_PHASES(ORR_X_PHASE_) ORR_N_PHASES };
enum orr_group { ORR_GROUPS(ORR_X_GROUP_) ORR_N_GROUPS };
enum orr_mixer { ORR_MIXERS(ORR_X_MIXER_) ORR_N_MIXERS };
enum orr_op_kind { ORR_OP_KINDS(ORR_X_OP_) ORR_N_OP_KINDS };
enum orr_infer_part { ORR_INFER_PARTS(ORR_X_INFER_) ORR_N_INFER_PARTS };
enum orr_serve_memory_part { ORR_SERVE_MEMORY_PARTS(ORR_X_SERVE_) ORR_N_SERVE_MEMORY_PARTS };
enum orr_energy_part { ORR_ENERGY_PARTS(ORR_X_ENERGY_) ORR_N_ENERGY_PARTS };
enum orr_budget { ORR_BUDGETS(ORR_X_BUDGET_) ORR_N_BUDGETS };
enum orr_decode_kernel { ORR_DECODE_KERNELS(ORR_X_DECODE_) ORR_N_DECODE_KERNELS };
enum orr_block_kernel { ORR_BLOCK_KERNELS(ORR_X_BLOCK_) ORR_N_BLOCK_KERNELS };
enum orr_allreduce_kernel { ORR_ALLREDUCE_KERNELS(ORR_X_ALLREDUCE_) ORR_N_ALLREDUCE_KERNELS };
enum orr_tile_files { ORR_TILE_FILES(ORR_X_TILE_FILES_) ORR_N_TILE_FILES };
enum orr_fp8_recipe { ORR_FP8_RECIPES(ORR_X_RECIPE_) ORR_N_FP8_RECIPES };
enum orr_expert_kernel { ORR_EXPERT_KERNELS(ORR_X_EXPERT_) ORR_N_EXPERT_KERNELS };
#define ORR_X_SCHEDULER_(name, ...) ORR_SCHEDULER_##name,
enum orr_scheduler { ORR_SCHEDULERS(ORR_X_SCHEDULER_) ORR_N_SCHEDULERS };
#define ORR_X_CACHE_SENT_(name, ...) ORR_CACHE_SENT_##name,
enum orr_cache_sent { ORR_CACHE_SENDS(ORR_X_CACHE_SENT_) ORR_N_CACHE_SENDS };
#define ORR_X_ARRIVAL_(name, ...) ORR_ARRIVAL_##name,
enum orr_arrival { ORR_ARRIVALS(ORR_X_ARRIVAL_) ORR_N_ARRIVALS };
#define ORR_X_ROUTER_(name, ...) ORR_ROUTER_##name,
enum orr_router { ORR_ROUTERS(ORR_X_ROUTER_) ORR_N_ROUTERS };
#define ORR_X_POOL_(name, ...) ORR_POOL_##name,
enum orr_pool_role { ORR_POOL_ROLES(ORR_X_POOL_) ORR_N_POOL_ROLES };
#define ORR_X_LENGTH_(name, ...) ORR_LENGTH_##name,
enum orr_length_law { ORR_LENGTH_LAWS(ORR_X_LENGTH_) ORR_N_LENGTH_LAWS };

/* The name of a member, as JSON and the command line spell it. */
ORR_API const char *orr_recompute_name(enum orr_recompute recompute);
ORR_API const char *orr_attention_kernel_name(enum orr_attention_kernel kernel);
ORR_API const char *orr_collective_name(enum orr_collective collective);
ORR_API const char *orr_algorithm_name(enum orr_algorithm algorithm);
ORR_API const char *orr_mixer_name(enum orr_mixer mixer);
ORR_API const char *orr_budget_name(enum orr_budget budget);
ORR_API const char *orr_decode_kernel_name(enum orr_decode_kernel kernel);

#endif
