/* engines/<id>.json -> struct orr_engine: facts about a software stack. Every member is required: what an engine
 * fuses, overlaps and keeps is never guessed. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "spec/factors.h"
#include "spec/family.h"
#include "spec/limits.h"
#include "spec/names.h"
#include "spec/sources.h"
#include "spec/spec.h"

static const struct orr_field FIELDS[] = {
    ORR_ENUM(orr_engine, kind, false, orr_engine_kind_names, "jobs the stack runs"),
    ORR_STRING(orr_engine, family, false, "stack of which this is a version"),
    ORR_STRING(orr_engine, family_aliases, false, "other spellings of the family, separated by spaces"),
    ORR_STRING(orr_engine, version, false, "release or year, and after a dash the variant"),
    ORR_STRING(orr_engine, covers, false, "all releases and years it stands for, as in \"0.8..0.13 2025\""),
    {.key = "default",
     .type = ORR_FIELD_BOOL,
     .offset = offsetof(struct orr_engine, family_default),
     .meaning = "the bare name of the family means this version"},
    ORR_STRING(orr_engine, vendors, false, "makers of the chips it runs on, separated by spaces; absent: any"),
    ORR_ENUM(orr_engine, attention, true, orr_attention_kernel_names, "kernel behind \"flash\""),
    ORR_BOOL(orr_engine, attention_from_chip, false, "the kernel of the chip instead, for a stack of unknown origin"),
    ORR_BOOL(orr_engine, attention_unfused_default, true, "attention is unfused where a request is silent"),
    ORR_STRING(orr_engine, latent_unfused_family, false, "chip family without fused latent attention backward"),
    ORR_BOOL(orr_engine, fused_bias_activation, true, "bias and activation are one kernel"),
    ORR_BOOL(orr_engine, fused_bias_dropout_add, true, "bias, dropout and residual add are one kernel"),
    ORR_BOOL(orr_engine, fused_softmax, true, "scale, mask and softmax are one kernel"),
    ORR_BOOL(orr_engine, fused_gate, true, "activation and gate product are one kernel"),
    ORR_BOOL(orr_engine, fused_rope, true, "rotary positions are one kernel"),
    ORR_BOOL(orr_engine, fused_norm, true, "a norm is one kernel"),
    ORR_BOOL(orr_engine, split_products, false, "q, k, v, gate and up are products of their own in training"),
    ORR_BOOL(orr_engine, tp_kept_inputs, false, "inputs gathered over tp stay whole until backward"),
    ORR_BOOL(orr_engine, tp_part_gathers, false, "q, k, v, gate and up gather their input one by one"),
    ORR_BOOL(orr_engine, tp_part_scatters, false, "... and scatter its gradient one by one"),
    ORR_BOOL(orr_engine, tp_row_copies, false, "rows are copied around each gather and scatter over tp"),
    ORR_REAL(orr_engine, gathered_logit_bytes, ORR_UNIT_NONE, false, 0, 8, "bytes of a logit gathered for the loss"),
    ORR_REAL(orr_engine, norm_launches, ORR_UNIT_NONE, false, 0, 1e3, "kernels of an RMS norm; 0: by fused_norm"),
    ORR_REAL(orr_engine, norm_backward_launches, ORR_UNIT_NONE, false, 0, 1e3, "the same in backward"),
    ORR_REAL(orr_engine, norm_bytes, ORR_UNIT_NONE, false, 0, 1e3, "bytes they move per element, in forward"),
    ORR_REAL(orr_engine, norm_backward_bytes, ORR_UNIT_NONE, false, 0, 1e3, "the same in backward"),
    ORR_REAL(orr_engine, norm_saved_bytes, ORR_UNIT_NONE, false, 0, 1e3,
             "bytes per element a norm keeps; 0: its input"),
    ORR_REAL(orr_engine, rope_launches, ORR_UNIT_NONE, false, 0, 1e3, "rotary kernels of q and of k; 0: by fused_rope"),
    ORR_REAL(orr_engine, rope_backward_launches, ORR_UNIT_NONE, false, 0, 1e3, "the same in backward"),
    ORR_REAL(orr_engine, rope_bytes, ORR_UNIT_NONE, false, 0, 1e3, "bytes they move per element, in forward"),
    ORR_REAL(orr_engine, rope_backward_bytes, ORR_UNIT_NONE, false, 0, 1e3, "the same in backward"),
    ORR_REAL(orr_engine, score_saved_bytes, ORR_UNIT_NONE, false, 0, 100,
             "bytes per score that unfused attention keeps"),
    ORR_BOOL(orr_engine, autocast, false, "fp32 weights and residual stream, cast for every product"),
    ORR_BOOL(orr_engine, masked_attention, false, "fused attention reads a mask: no pair is skipped"),
    ORR_BOOL(orr_engine, masked_windows, false, "windows of attention are masks: no pair is skipped"),
    ORR_REAL(orr_engine, layout_launches, ORR_UNIT_NONE, false, 0, 1e4, "eager layer: copies, masks, casts, forward"),
    ORR_REAL(orr_engine, layout_backward_launches, ORR_UNIT_NONE, false, 0, 1e4, "as layout_launches, in backward"),
    ORR_REAL(orr_engine, layout_bytes, ORR_UNIT_NONE, false, 0, 1e4, "bytes layout kernels move per hidden element"),
    ORR_REAL(orr_engine, layout_backward_bytes, ORR_UNIT_NONE, false, 0, 1e4, "as layout_bytes, in backward"),
    ORR_REAL(orr_engine, strided_bytes, ORR_UNIT_NONE, false, 0, 1e4, "bytes that copies of permuted views move"),
    ORR_REAL(orr_engine, strided_backward_bytes, ORR_UNIT_NONE, false, 0, 1e4, "as strided_bytes, in backward"),
    ORR_BOOL(orr_engine, swapped_samples, false, "samples and tokens change places around attention"),
    ORR_BOOL(orr_engine, split_gate, false, "operators read gate and up as halves of one matrix"),
    ORR_BOOL(orr_engine, layout_whole_rows, false, "layout kernels work on the residual stream, whole under tp"),
    ORR_REAL(orr_engine, loss_bytes_per_logit, ORR_UNIT_NONE, false, 0, 1e3, "traffic of the loss; 0: by fused_loss"),
    ORR_BOOL(orr_engine, selective_ops, false, "selective recomputation keeps every other product"),
    ORR_BOOL(orr_engine, fused_core_repeated, false, "recomputing the core runs fused attention again"),
    ORR_BOOL(orr_engine, recompute_early_stop, true, "recomputation skips a layer's last product"),
    ORR_BOOL(orr_engine, fused_gradient_accumulation, true, "wgrad accumulates in the GEMM's epilogue"),
    ORR_BOOL(orr_engine, fused_optimizer_cast, true, "the optimizer kernel writes the weights"),
    ORR_BOOL(orr_engine, fused_loss, true, "cross-entropy is fused"),
    ORR_INT(orr_engine, gradient_bytes, true, 1, 8, "bytes of an accumulated gradient element"),
    ORR_INT(orr_engine, reduce_bytes, true, 1, 8, "bytes per element of the gradient collective"),
    ORR_INT(orr_engine, optimizer_bytes, true, 0, 64, "master weight and moments per parameter"),
    ORR_REAL(orr_engine, optimizer_traffic_bytes, ORR_UNIT_NONE, false, 0, 1e4, "optimizer traffic; 0: fused"),
    ORR_REAL(orr_engine, bucket_copy_bytes, ORR_UNIT_NONE, false, 0, 1e3, "copied around a gradient reduction"),
    ORR_REAL(orr_engine, reduce_bucket_params, ORR_UNIT_NONE, false, 0, 1e12, "gradients reduced in one message"),
    ORR_REAL(orr_engine, reduce_bucket_rank_params, ORR_UNIT_NONE, false, 0, 1e9, "... at least so many per rank"),
    ORR_REAL(orr_engine, gather_copy_bytes, ORR_UNIT_NONE, false, 0, 1e3, "ZeRO-3: copied per weight after a gather"),
    ORR_REAL(orr_engine, scatter_copy_bytes, ORR_UNIT_NONE, false, 0, 1e3, "ZeRO-3: copied before a scatter"),
    ORR_BOOL(orr_engine, clip_gradients, true, "one more pass over the gradients for their norm"),
    ORR_BOOL(orr_engine, clip_scales, false, "... and one that always scales them"),
    ORR_INT(orr_engine, vocab_multiple, true, 1, 65536, "the vocabulary is padded to this times tp"),
    ORR_INT(orr_engine, moe_permute_passes, true, 0, 64, "passes over routed rows outside the expert GEMMs"),
    ORR_REAL(orr_engine, moe_unfused_passes, ORR_UNIT_NONE, false, 0, 64, "passes of unfused permutation, forward"),
    ORR_REAL(orr_engine, moe_unfused_backward_passes, ORR_UNIT_NONE, false, 0, 64, "the same, backward"),
    ORR_REAL(orr_engine, moe_biased_passes, ORR_UNIT_NONE, false, 0, 256, "passes of biased, clamped experts, forward"),
    ORR_REAL(orr_engine, moe_biased_backward_passes, ORR_UNIT_NONE, false, 0, 256, "the same, backward"),
    ORR_REAL(orr_engine, router_bytes, ORR_UNIT_NONE, false, 0, 1e4, "what a router's plain kernels move per score"),
    ORR_REAL(orr_engine, router_backward_bytes, ORR_UNIT_NONE, false, 0, 1e4, "the same, backward"),
    ORR_INT(orr_engine, router_launches, false, 0, 1000, "their number, each way"),
    ORR_INT(orr_engine, moe_pad_passes, false, 0, 64, "passes that align rows of quantised experts"),
    ORR_ENUM(orr_engine, expert_kernel, false, orr_expert_kernel_names, "how products of experts are launched"),
    ORR_INT(orr_engine, expert_block_rows, false, 0, 100000, "experts in fixed shapes, in blocks of so many rows"),
    ORR_INT(orr_engine, moe_launches, false, 0, 10000, "small kernels of an expert layer, forward"),
    ORR_INT(orr_engine, moe_expert_launches, false, 0, 1000, "the same per expert of a rank"),
    ORR_INT(orr_engine, moe_syncs, false, 0, 1000, "waits of the host in an expert layer"),
    ORR_REAL(orr_engine, host_sync_s, ORR_UNIT_S, false, 0, 1, "idle time of the device at such a wait"),
    ORR_ENUM(orr_engine, fp8_recipe, false, orr_fp8_recipe_names, "how narrow products are scaled; absent: delayed"),
    ORR_ENUM(orr_engine, mx_recipe, false, orr_fp8_recipe_names,
             "the same on chips with fp4 units; absent: fp8_recipe"),
    ORR_BOOL(orr_engine, fp8_fused_copies, false, "a cast writes both copies of a tensor"),
    ORR_BOOL(orr_engine, fp8_fused_maximum, false, "the kernel before a cast finds the maximum"),
    ORR_BOOL(orr_engine, fp8_recast, false, "inputs are kept in 16 bits and cast again in backward"),
    ORR_BOOL(orr_engine, fp8_weights_each, false, "weights are cast in every micro-batch"),
    ORR_BOOL(orr_engine, fp8_gather, false, "weights are gathered in 8 bits where one copy serves all products"),
    ORR_BOOL(orr_engine, fp8_tp_gather, false, "so are inputs of tensor-parallel products"),
    ORR_REAL(orr_engine, fp8_cast_bytes_per_element, ORR_UNIT_NONE, false, 0, 64,
             "traffic of a cast; 0: by the recipe"),
    ORR_BOOL(orr_engine, tp_async_backward, true, "column-linear collectives run beside dgrad and wgrad"),
    ORR_BOOL(orr_engine, cp_balanced, false, "context-parallel ranks share a causal mask evenly; absent: true"),
    ORR_REAL(orr_engine, tp_overlap_frac, ORR_UNIT_NONE, true, 0, 1, "TP transfers pipelined with their GEMM"),
    ORR_REAL(orr_engine, dp_overlap_frac, ORR_UNIT_NONE, true, 0, 1, "backward window of gradient collectives"),
    ORR_REAL(orr_engine, ep_overlap_frac, ORR_UNIT_NONE, true, 0, 1, "all-to-all hidden by other compute"),
    ORR_BOOL(orr_engine, ep_overlap_interleaved, false, "interleaved pipelines hide all-to-all between domains"),
    ORR_REAL(orr_engine, zero3_overlap_frac, ORR_UNIT_NONE, true, 0, 1, "layer's compute its gathers can use"),
    ORR_REAL(orr_engine, zero3_nic_frac, ORR_UNIT_NONE, true, 0.001, 1, "node's rails sharded gathers use"),
    ORR_BOOL(orr_engine, pipelines_kept, false, "ZeRO-3: in pipelines gathered weights stay for the whole step"),
    ORR_ENUM(orr_engine, whole_gradients, false, orr_whole_gradients_names,
             "where ZeRO-2 and -3 add up whole gradients; absent: never"),
    ORR_BOOL(orr_engine, zero1_allreduce, false, "ZeRO-1 sums whole gradients instead of scattering them"),
    ORR_BOOL(orr_engine, zero1_exposed, false, "ZeRO-1 exchanges gradients beside nothing"),
    ORR_BOOL(orr_engine, zero1_gather_exposed, false, "ZeRO-1 gathers weights beside nothing"),
    ORR_BOOL(orr_engine, zero1_broadcast, false, "ZeRO-1 gathers by one broadcast per owner of tensors"),
    ORR_INT(orr_engine, layer_tensors, false, 0, 10000, "weight tensors of a layer"),
    ORR_REAL(orr_engine, zero1_tensor_s, ORR_UNIT_S, false, 0, 1, "ZeRO-1: host time per tensor and rank to gather"),
    ORR_STRING(orr_engine, schedules, false, "pipeline schedules for searches, or none; absent: the usual ones"),
    ORR_STRING(orr_engine, zero_stages, false, "ZeRO stages for searches, such as \"0 2 3\"; absent: all"),
    ORR_BOOL(orr_engine, tensor_parallel, false, "it splits matrices over ranks; absent: true"),
    ORR_BOOL(orr_engine, stages_by_cost, false, "pipeline stages have equal work, not equal layers"),
    ORR_INT(orr_engine, unfilled_stages, false, 0, 1000000, "stages that 1F1B may lack micro-batches for; absent: any"),
    ORR_REAL(orr_engine, skew_s, ORR_UNIT_S, false, 0, 1, "scatter of the ranks' arrival at a collective across nodes"),
    ORR_BOOL(orr_engine, p2p_overlap, true, "interleaved pipeline sends run beside compute"),
    ORR_BOOL(orr_engine, p2p_scatter_gather, true, "sends are split over the TP group"),
    ORR_REAL(orr_engine, host_launch_s, ORR_UNIT_S, true, 0, 1, "host time per kernel launch"),
    ORR_REAL(orr_engine, host_backward_launch_s, ORR_UNIT_S, false, 0, 1, "as host_launch_s, in backward; 0: the same"),
    ORR_REAL(orr_engine, host_collective_s, ORR_UNIT_S, false, 0, 1, "host time per collective, besides its launch"),
    ORR_REAL(orr_engine, host_pipeline_rank_s, ORR_UNIT_S, false, 0, 1, "added per rank, in pipelines across nodes"),
    ORR_REAL(orr_engine, host_layer_s, ORR_UNIT_S, false, 0, 1, "host time per layer and pass besides launches"),
    ORR_REAL(orr_engine, host_experts_s, ORR_UNIT_S, false, 0, 1, "serving: added to host_layer_s by experts"),
    ORR_REAL(orr_engine, host_sharded_layer_s, ORR_UNIT_S, false, 0, 1, "added to host_layer_s by gathers of ZeRO-3"),
    ORR_REAL(orr_engine, host_split_layer_s, ORR_UNIT_S, false, 0, 1, "added to host_layer_s for every further GPU"),
    ORR_REAL(orr_engine, host_tensor_layer_s, ORR_UNIT_S, false, 0, 1, "added to host_layer_s by distributed tensors"),
    ORR_REAL(orr_engine, host_micro_batch_s, ORR_UNIT_S, false, 0, 3600, "host time per micro-batch and pass"),
    ORR_REAL(orr_engine, host_step_s, ORR_UNIT_S, true, 0, 3600, "fixed host time per iteration"),
    ORR_BOOL(orr_engine, short_run, true, "benchmark too short to reach the power limit"),
    ORR_BOOL(orr_engine, moe_gather, false, "every rank of an expert group gathers all its tokens"),
    ORR_BOOL(orr_engine, moe_dedup, true, "dispatch sends one copy per rank, and per node"),
    ORR_BOOL(orr_engine, moe_dedup_between, false, "dispatch between domains sends one copy per rank, and per node"),
    ORR_BOOL(orr_engine, moe_low_latency, false, "serving: decode passes send one copy per expert, in 8 bits"),
    ORR_BOOL(orr_engine, two_batch_overlap, false, "serving: one half of a batch exchanges beside the other"),
    ORR_BOOL(orr_engine, moe_redundant, false, "serving: ep need not divide the experts, copies fill up"),
    ORR_BOOL(orr_engine, default_mtp, false, "multi-token prediction layers are trained too"),
    ORR_BOOL(orr_engine, mtp_full_first_chunk, false, "only the last pipeline chunk gives way to them"),
    ORR_BOOL(orr_engine, default_sp, true, "sequence parallel when tp > 1"),
    ORR_INT(orr_engine, default_zero, true, 0, 3, "ZeRO stage where a request is silent"),
    ORR_ENUM(orr_engine, default_recompute, true, orr_recompute_names, "recompute where a request is silent"),
    {.key = "default_precision",
     .type = ORR_FIELD_ENUM,
     .offset = offsetof(struct orr_engine, default_precision),
     .names = orr_dtype_names,
     .n_names = ORR_N_MATRIX_DTYPES,
     .meaning = "inputs of products where a request is silent; absent: the chip's 16-bit format"},
    ORR_INT(orr_engine, default_micro_batch, true, 1, 4096, "largest that is tried where a source does not say"),
    ORR_REAL(orr_engine, kernel_gap_s, ORR_UNIT_S, true, 0, 1, "idle time between dependent kernels when serving"),
    ORR_REAL(orr_engine, short_prefill_gap_s, ORR_UNIT_S, true, 0, 1, "kernel_gap_s of prefills of up to 512 tokens"),
    ORR_INT(orr_engine, layer_pointwise_kernels, true, 0, 1000, "pointwise kernels of a layer when serving"),
    ORR_REAL(orr_engine, pointwise_floor_s, ORR_UNIT_S, true, 0, 1, "least time of a pointwise kernel"),
    ORR_REAL(orr_engine, pointwise_bytes_per_element, ORR_UNIT_NONE, true, 0, 1e4, "pointwise traffic per element"),
    ORR_BOOL(orr_engine, fused_gate_up, true, "gate and up are one product"),
    ORR_BOOL(orr_engine, latents_rebuilt, false, "prompts expand the latents of their cached context once more"),
    ORR_BOOL(orr_engine, fused_latents, false, "latents of queries and of keys and values are one product"),
    ORR_BOOL(orr_engine, split_kv, true, "decode attention cuts long contexts over idle SMs"),
    ORR_BOOL(orr_engine, packed_gqa, true, "decode attention reads a K,V head once for its query group"),
    ORR_INT(orr_engine, packed_gqa_most, false, 0, 100000, "most query heads of a packed group; 0: any"),
    ORR_BOOL(orr_engine, packed_gqa_plain_only, false, "only full-context layers with heads of 128 are packed"),
    ORR_BOOL(orr_engine, cache_grown, false, "a decode step writes the whole cache anew"),
    ORR_BOOL(orr_engine, cache_repeated, false, "K and V are written once per query head before attention"),
    ORR_INT(orr_engine, compiled_tokens, false, 0, 10000000, "tokens of a sequence that graphs are compiled for"),
    ORR_INT(orr_engine, context_bucket_tokens, false, 0, 10000000, "contexts are read up to 1, 2, 4, ... of it"),
    ORR_BOOL(orr_engine, kv_per_core, false, "every core of a chip has K,V heads of its own"),
    ORR_BOOL(orr_engine, whole_head, false, "tensor-parallel ranks have both ends of the network whole"),
    ORR_INT(orr_engine, prompt_piece_tokens, false, 0, 10000000, "tokens of the pieces of any prompt; 0: whole"),
    ORR_BOOL(orr_engine, prompt_pieces_follow, false, "such pieces follow each other through a pipeline"),
    ORR_INT(orr_engine, restored_rows, false, 0, 1000000, "rows from which narrow matrices are restored; 0: none"),
    ORR_STRING(orr_engine, restored_chips, false, "chips on which they are; absent: on all"),
    ORR_BOOL(orr_engine, wide_activations, false, "serving: activations of 32 bits, converted around products"),
    ORR_BOOL(orr_engine, half_sums, false, "serving: the library's 16-bit products add up in 16 bits"),
    ORR_BOOL(orr_engine, block_integers, false, "serving: narrow matrices are multiplied as integers in blocks of 32"),
    ORR_INT(orr_engine, head_launches, false, 0, 100, "serving: calls per head around attention of several rows"),
    ORR_INT(orr_engine, integer_launches, false, 0, 1000, "small kernels around an integer product"),
    ORR_STRING(orr_engine, unpacked_chunks, false, "chips on which chunked layers are not packed"),
    ORR_ENUM(orr_engine, decode_kernel, true, orr_decode_kernel_names, "decode attention kernel"),
    ORR_ENUM(orr_engine, block_kernel, false, orr_block_kernel_names, "products of 8-bit operands in blocks"),
    ORR_BOOL(orr_engine, custom_allreduce, true, "one- and two-shot kernels beside the library's"),
    ORR_STRING(orr_engine, allreduce_kernels, false, "... whose they are; the fastest counts"),
    ORR_REAL(orr_engine, allreduce_skew_s, ORR_UNIT_S, true, 0, 1, "launch and rank skew of a collective"),
    ORR_REAL(orr_engine, request_s, ORR_UNIT_S, true, 0, 3600, "tokenise, schedule, respond: per batch"),
    ORR_REAL(orr_engine, request_s_per_sequence, ORR_UNIT_S, true, 0, 3600, "added to request_s per sequence"),
    ORR_REAL(orr_engine, sampling_s, ORR_UNIT_S, true, 0, 3600, "host time per step: schedule, inputs, sampling"),
    ORR_REAL(orr_engine, sampling_s_per_sequence, ORR_UNIT_S, true, 0, 3600, "added to sampling_s per sequence"),
    ORR_BOOL(orr_engine, async_scheduling, false, "host time of a step is hidden beside the one before"),
    ORR_INT(orr_engine, graph_sequences, false, 0, 1000000, "decode passes up to this batch are graphs; 0: none is"),
    ORR_STRING(orr_engine, weight_formats, false, "families of weight formats it has kernels for; absent: any"),
    ORR_BOOL(orr_engine, dynamic_quantisation, true, "activations are quantised by kernels of their own"),
    ORR_ENUM(orr_engine, budget, true, orr_budget_names, "what budget_frac is a fraction of"),
    ORR_REAL(orr_engine, budget_frac, ORR_UNIT_NONE, true, 0.01, 1, "memory the KV cache may take"),
    ORR_BOOL(orr_engine, budget_after_context, false, "... without the driver context"),
    ORR_BOOL(orr_engine, kv_windows, true, "the cache of a windowed layer is cut to its window"),
    ORR_STRING(orr_engine, window_models, false, "... in models of these types; absent: in all"),
    ORR_REAL(orr_engine, window_pool_frac, ORR_UNIT_NONE, false, 0, 1, "tokens of windowed layers' pool; 0: no pool"),
    ORR_INT(orr_engine, latent_columns, false, 0, 1024,
            "columns of heads rebuilt from latents for the cache; 0: latents"),
    ORR_BOOL(orr_engine, shared_kv_room, false, "layers that read another layer's keys have room of their own"),
    ORR_BOOL(orr_engine, state_pages, false, "a state is a block of the cache, which has tokens enough for that"),
    ORR_REAL(orr_engine, state_pool_frac, ORR_UNIT_NONE, false, 0, 0.99, "cache memory for states alone; 0: no pool"),
    ORR_INT(orr_engine, states_per_sequence, false, 0, 1000, "states a sequence has room for with prefix_cache; 0: 1"),
    ORR_INT(orr_engine, kv_block_tokens, true, 1, 1048576, "tokens of a cache block"),
    ORR_INT(orr_engine, max_kv_tokens, false, 0, 1000000000000, "most tokens of a replica's cache; 0: by memory"),
    ORR_INT(orr_engine, kv_table_entry_bytes, false, 0, 64, "bytes that say where a block lies; 0: contiguous cache"),
    ORR_INT(orr_engine, piece_tokens, true, 0, 100000000, "tokens of a piece a batch is halved to; 0: no such limit"),
    ORR_BOOL(orr_engine, last_token_decoded, false, "a prompt's last token goes through a decode step of its own"),
    ORR_INT(orr_engine, max_step_tokens, true, 0, 100000000, "most prompt tokens in one step; 0: no limit"),
    ORR_INT(orr_engine, least_step_tokens, false, 0, 100000000, "least limit that the model's longest context sets"),
    ORR_ENUM(orr_engine, scheduler, false, orr_scheduler_names, "who is served next"),
    ORR_BOOL(orr_engine, chunked_prefill, false, "a prompt that does not fit into a step is cut"),
    ORR_REAL(orr_engine, watermark_frac, ORR_UNIT_NONE, false, 0, 1, "cache blocks that admission leaves free"),
    ORR_REAL(orr_engine, admit_frac, ORR_UNIT_NONE, false, 0, 1, "outputs to come that admission counts, at first"),
    ORR_REAL(orr_engine, admit_least_frac, ORR_UNIT_NONE, false, 0, 1, "... and at last"),
    ORR_INT(orr_engine, admit_steps, false, 0, 1000000, "... after so many decode steps"),
    ORR_INT(orr_engine, batch_wait_steps, false, 0, 1000000, "prompts wait at most so many steps for others"),
    ORR_REAL(orr_engine, batch_wait_tokens_frac, ORR_UNIT_NONE, false, 0, 1, "... or for a share of max_step_tokens"),
    ORR_REAL(orr_engine, batch_wait_sequences_frac, ORR_UNIT_NONE, false, 0, 100, "... or of the decoding sequences"),
    ORR_ENUM(orr_engine, cache_sent, false, orr_cache_sent_names, "when a cache leaves for a decode pool"),
    ORR_BOOL(orr_engine, decode_after_prefill, false, "a decode pool handles a request once its prompt is computed"),
    ORR_BOOL(orr_engine, decode_reserves, false, "a prompt waits until a decode replica has room for its cache"),
    ORR_BOOL(orr_engine, first_grouped, false, "decode pools: a first token leaves with those sent together"),
    ORR_BOOL(orr_engine, prefill_serial, false, "prefill pools do not overlap host and device"),
    ORR_BOOL(orr_engine, ranks_by_load, false, "of ranks that step together the least loaded gets the next request"),
    ORR_INT(orr_engine, poll_steps, false, 0, 1000000, "decode steps between looks at new requests"),
    ORR_BOOL(orr_engine, decided_ahead, false, "a step is decided when the one before begins"),
    ORR_BOOL(orr_engine, tuned_fp4, false, "serving: 4-bit products by the fastest of several libraries"),
    ORR_STRING(orr_engine, fixed_fp8_tiles, false, "chips on which rows alone decide the tile of 8-bit products"),
    ORR_INT(orr_engine, library_tile_rows, false, 0, 128, "fewest rows of a tile of 16-bit products on Hopper chips"),
    ORR_INT(orr_engine, decode_tile_rows, false, 0, 192, "serving: query rows of a tile of FlashAttention 3"),
    ORR_STRING(orr_engine, whole_contexts, false, "chips on which a decode block reads a whole context"),
    ORR_BOOL(orr_engine, low_latency_experts, false, "serving: 4-bit experts by kernels made for few rows"),
    ORR_BOOL(orr_engine, triton_experts, false, "serving: experts of 8 and 16 bits by Triton kernels"),
    ORR_STRING(orr_engine, library_expert_chips, false, "... but by the library's on these families of chips"),
    ORR_STRING(orr_engine, library_expert_models, false, "... in models of these types; absent: in all"),
    ORR_ENUM(orr_engine, tile_files, false, orr_tile_files_names, "... whose tiles these files choose"),
    ORR_INT(orr_engine, tile_files_release, false, 0, 1000000, "... as of this release: 805 is 0.8.5"),
    ORR_STRING(orr_engine, fixed_tiles, false, "... formats of which all other shapes have the same tiles"),
    ORR_STRING(orr_engine, marlin_experts, false, "serving: chips on which Marlin multiplies experts of 4-bit weights"),
    ORR_STRING(orr_engine, triton_mxfp4, false, "... but Triton those in MXFP4 on these families of chips"),
    ORR_STRING(orr_engine, wide_mxfp4, false, "serving: chips with 4-bit units whose MXFP4 has 16-bit rows"),
    ORR_INT(orr_engine, qk_norm_kernels, false, 0, 100, "serving: kernels that normalise query and key heads"),
    ORR_INT(orr_engine, scan_inputs, false, 0, 4, "serving: products of the hidden state in a gated delta net"),
    ORR_STRING(orr_engine, fused_delta, false, "serving: chips on which the delta rule is one kernel"),
    ORR_BOOL(orr_engine, row_scales, false, "serving: kernels that quantise to 8 bits find a scale for every row"),
    ORR_STRING(orr_engine, fused_quantisation, false, "... norm, norm-alone, activation: these do so themselves"),
    ORR_INT(orr_engine, scan_kernels, false, 0, 100, "serving: small kernels around the scan of a prompt"),
    ORR_INT(orr_engine, fused_shared_of, false, 0, 4096, "serving: routed experts that a shared one joins"),
    ORR_STRING(orr_engine, fused_shared_chips, false, "chips on which a shared expert joins the routed ones"),
    ORR_INT(orr_engine, shared_gate_kernels, false, 0, 100, "serving: kernels that scale gated shared experts"),
    ORR_INT(orr_engine, sparse_head_rows, false, 0, 1024, "serving: query heads of a tile of sparse attention"),
    ORR_REAL(orr_engine, latent_layer_s, ORR_UNIT_S, false, 0, 1e-2, "serving: small kernels around latent attention"),
    ORR_REAL(orr_engine, index_layer_s, ORR_UNIT_S, false, 0, 1e-2, "... and around its indexer"),
    ORR_INT(orr_engine, index_kernels, false, 0, 100, "serving: small kernels around the products of an indexer"),
    ORR_BOOL(orr_engine, graph_prompts, false, "steps with prompts of few rows are graphs in pieces"),
    ORR_INT(orr_engine, graph_prompt_tokens, false, 0, 100000000, "... of so many rows; 0: as graph_sequences"),
    ORR_INT(orr_engine, graph_latent_tokens, false, 0, 100000000, "... with latent attention; 0: as others"),
    ORR_STRING(orr_engine, graph_prompts_not, false, "... but not in such jobs and models of such types"),
    ORR_INT(orr_engine, graph_context, false, 0, 100000000, "decode passes of longer sequences are no graphs; 0: all"),
    ORR_BOOL(orr_engine, graph_pieces, false, "graphs of decode steps end at the attention of each layer"),
    ORR_REAL(orr_engine, graph_piece_s, ORR_UNIT_S, false, 0, 1, "pause of the device at the end of such a piece"),
    ORR_INT(orr_engine, graph_multiple, false, 0, 4096, "decode steps are padded to a multiple; 0: not"),
    ORR_BOOL(orr_engine, prefix_cache, false, "blocks of finished prompts are found again"),
    ORR_REAL(orr_engine, frontend_s, ORR_UNIT_S, false, 0, 3600, "HTTP and tokenisation of a request"),
    ORR_REAL(orr_engine, frontend_s_per_token, ORR_UNIT_S, false, 0, 3600, "the same per prompt token"),
    ORR_REAL(orr_engine, frontend_s_per_request, ORR_UNIT_S, false, 0, 3600, "... part in which requests take turns"),
    ORR_REAL(orr_engine, tokenise_s_per_token, ORR_UNIT_S, false, 0, 3600, "... and the same per prompt token"),
    ORR_INT(orr_engine, tokenise_batch, false, 0, 100000, "prompts that are handed on together; 0: 1"),
    ORR_REAL(orr_engine, tokenise_window_s, ORR_UNIT_S, false, 0, 3600, "... if they come so soon after the first"),
    ORR_REAL(orr_engine, stream_s_per_token, ORR_UNIT_S, false, 0, 3600, "sending a token; tokens take turns"),
    ORR_INT(orr_engine, stream_tokens, false, 0, 100000, "tokens that are sent together; 0: 1"),
    ORR_BOOL(orr_engine, preempt_swap, false, "caches of stopped sequences go to the host"),
    ORR_INT(orr_engine, max_adapters, false, 0, 1024, "LoRA adapters loaded at once; 0: 1"),
    ORR_BOOL(orr_engine, bench_limits, false, "published rates are runs of its own tool, with the tool's limits"),
    ORR_INT(orr_engine, max_requests, true, 1, 1000000000, "most sequences in one batch"),
    ORR_BOOL(orr_engine, gradients_dropped, false, "gradients are freed after each step"),
    ORR_BOOL(orr_engine, gradients_16bit_live, true, "16-bit gradients stay until the optimizer copies them"),
    ORR_BOOL(orr_engine, saves_unfused, true, "autograd keeps the inputs of every unfused operator"),
    ORR_BOOL(orr_engine, joined_qkv_kept, false, "a joined product of q, k, v stays whole for its values"),
    ORR_BOOL(orr_engine, adapters_joined, false, "adapters of q, k and v are one pair, scattered over the product"),
    ORR_BOOL(orr_engine, adapters_whole, false, "one pair of adapters beside a joined product, of all its columns"),
    ORR_BOOL(orr_engine, adapters_narrow, false,
             "adapters are in the format of activations unless a request says fp32"),
    ORR_BOOL(orr_engine, quantised_input_kept, false, "a product with a quantised matrix keeps its input"),
    ORR_BOOL(orr_engine, quantised_head, false, "a quantised base includes the output matrix"),
    ORR_REAL(orr_engine, restored_bytes, ORR_UNIT_NONE, false, 0, 8, "bytes per weight of a restored matrix; 0: 2"),
    ORR_REAL(orr_engine, logit_bytes_live, ORR_UNIT_NONE, true, 0, 64, "bytes per logit alive in the loss"),
    ORR_INT(orr_engine, loss_chunks, false, 0, 10000, "parts in which head and loss run"),
    ORR_REAL(orr_engine, zero3_live_params, ORR_UNIT_NONE, false, 0, 1e15, "ZeRO-3: parameters that stay gathered"),
    ORR_REAL(orr_engine, zero3_whole_params, ORR_UNIT_NONE, false, 0, 1e15, "ZeRO-3: smaller tensors are not sharded"),
    ORR_BOOL(orr_engine, zero3_ends_kept, false, "ZeRO-3: embedding and head stay gathered"),
    ORR_INT(orr_engine, bucket_bytes, false, 0, 16, "bytes per parameter of gradient buckets, ZeRO-0"),
    ORR_INT(orr_engine, zero1_gather_bytes, false, 0, 16, "bytes per parameter of ZeRO-1's gather buffers"),
    ORR_REAL(orr_engine, stream_tensors, ORR_UNIT_NONE, false, 0, 100, "activations a stream keeps, per layer with tp"),
    ORR_REAL(orr_engine, reserved_frac, ORR_UNIT_NONE, false, 0, 1, "reserved beyond saved activations"),
    ORR_REAL(orr_engine, context_bytes, ORR_UNIT_BYTES, true, 0, 1e12, "driver context and communication libraries"),
    ORR_REAL(orr_engine, workspace_bytes, ORR_UNIT_BYTES, true, 0, 1e12, "GEMM and library workspace"),
    ORR_REAL(orr_engine, fragmentation_frac, ORR_UNIT_NONE, true, 0, 0.9, "allocator loss, of the capacity"),
    ORR_REAL(orr_engine, matrix_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: rate of products"),
    ORR_REAL(orr_engine, eight_bit_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: ... with eight-bit weights"),
    ORR_REAL(orr_engine, four_bit_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: ... with four-bit weights"),
    ORR_REAL(orr_engine, attention_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: rate of attention kernels"),
    ORR_REAL(orr_engine, dram_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: rate of DRAM"),
    ORR_REAL(orr_engine, grouped_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: rate of grouped products"),
    ORR_REAL(orr_engine, scaleup_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: rate inside a domain"),
    ORR_REAL(orr_engine, scaleout_rate_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: rate between domains"),
    ORR_REAL(orr_engine, scaleout_latency_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: latency between domains"),
    ORR_REAL(orr_engine, straggle_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: wait for the slowest of many"),
    ORR_REAL(orr_engine, grouped_launch_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: launch of grouped products"),
    ORR_REAL(orr_engine, pointwise_time_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: time of small kernels"),
    ORR_REAL(orr_engine, host_time_factor, ORR_UNIT_NONE, false, 0.01, 1000, "fitted: host time of launches"),
    ORR_REAL(orr_engine, time_factor, ORR_UNIT_NONE, false, 0.01, 100, "fitted: every time, unexplained"),
    ORR_INT(orr_engine, fit_runs, false, 0, 1000000, "runs it was fitted to"),
    ORR_REAL(orr_engine, fit_within_frac, ORR_UNIT_NONE, false, 0, 10, "fitted: spread (ln) of single runs"),
    ORR_REAL(orr_engine, fit_stack_frac, ORR_UNIT_NONE, false, 0, 10, "fitted: spread (ln) of what is uncertain"),
};

static const char *const EXTRA[] = {"name", "aliases", "limits", "parent", "sources", "fit", NULL};
_Static_assert(ORR_COUNT_OF(FIELDS) + ORR_COUNT_OF(EXTRA) <= ORR_KEYS_MAX, "an engine has more keys than are checked");
/* What a stack is called and runs on is no physics, so that it needs no source. */
static const char *const UNSOURCED[] = {"name",    "parent", "aliases", "sources", "kind", "family", "family_aliases",
                                        "version", "covers", "default", "vendors", "fit",  NULL};

/* A version that cannot be read would never be found. */
static enum orr_err check_versions(const struct orr_doc *doc, const struct orr_engine *engine, struct orr_error *error)
{
    struct orr_version version;
    if (engine->version[0] && !engine->family[0])
        return orr_doc_fail(doc, "version", error, "needs \"family\": the stack of which it is a version");
    if (engine->family[0] && !(orr_version_read(engine->version, &version) && version.n > 0))
        return orr_doc_fail(doc, engine->version[0] ? "version" : "family", error,
                            "needs a \"version\" such as \"0.11\", \"2024\" or \"2024-compiled\"");
    const char *ranges = engine->covers;
    char word[64];
    while (orr_next_word(&ranges, ' ', word, sizeof word)) {
        struct orr_version first, last;
        if (orr_range_read(word, &first, &last) && orr_version_compare(&first, &last) <= 0) continue;
        return orr_doc_fail(doc, "covers", error, "\"%s\" is no version and no range such as \"0.8..0.13\"", word);
    }
    return ORR_OK;
}

/* A word that is no schedule would take one from every search without a word. */
static enum orr_err check_schedules(const struct orr_doc *doc, const struct orr_engine *engine, struct orr_error *error)
{
    char word[32], hint[ORR_HINT];
    const char *words = orr_has_pipelines(engine) ? engine->schedules : "";
    while (orr_next_word(&words, ' ', word, sizeof word)) {
        int i = 0;
        while (i < ORR_N_SCHEDULES && strcmp(word, orr_schedule_names[i]) != 0) i++;
        if (i == ORR_N_SCHEDULES)
            return orr_doc_fail(doc, "schedules", error, "\"%s\" is no pipeline schedule%s", word,
                                orr_did_you_mean(hint, word, orr_schedule_names, ORR_N_SCHEDULES));
    }
    return ORR_OK;
}

/* The maker that a word misspells; NULL: it may be the maker of a user's own chip. A short word is near most others. */
static const char *misspelt_vendor(const char *word)
{
    static const char *const VENDORS[] = {"nvidia", "amd", "google", "aws", "intel"};
    for (size_t i = 0; i < ORR_COUNT_OF(VENDORS); i++)
        if (orr_compare_nocase(word, VENDORS[i]) == 0) return NULL;
    const char *near = strlen(word) > 4 ? orr_nearest(word, VENDORS, ORR_COUNT_OF(VENDORS)) : NULL;
    return near && (word[0] | 0x20) == near[0] ? near : NULL;
}

/* A misspelt maker would warn on every chip. */
static enum orr_err check_vendors(const struct orr_doc *doc, const struct orr_engine *engine, struct orr_error *error)
{
    char word[32];
    const char *words = engine->vendors;
    while (orr_next_word(&words, ' ', word, sizeof word)) {
        const char *near = misspelt_vendor(word);
        if (near)
            return orr_doc_fail(doc, "vendors", error, "\"%s\" is no maker of chips (did you mean \"%s\"?)", word,
                                near);
    }
    return ORR_OK;
}

/* The stage that the engine takes unless told must be one that it has. */
static enum orr_err check_stages(const struct orr_doc *doc, const struct orr_engine *engine, struct orr_error *error)
{
    char word[16];
    const char *words = engine->zero_stages;
    while (orr_next_word(&words, ' ', word, sizeof word))
        if (!orr_has_word("0 1 2 3", word))
            return orr_doc_fail(doc, "zero_stages", error, "\"%s\" is no ZeRO stage: 0, 1, 2 or 3", word);
    if (!orr_has_zero(engine, engine->default_zero))
        return orr_doc_fail(doc, "zero_stages", error, "\"%s\" lacks the stage of \"default_zero\": %lld",
                            engine->zero_stages, (long long)engine->default_zero);
    return ORR_OK;
}

enum orr_err orr_engine_from_json(const struct orr_doc *doc, const char *id, struct orr_engine *engine,
                                  struct orr_error *error)
{
    memset(engine, 0, sizeof *engine);
    engine->unfilled_stages = ORR_GPUS_MAX;
    engine->tensor_parallel = true;
    engine->cp_balanced = true; /* files written before this fact existed meant stacks that split so */
    engine->default_precision = ORR_N_DTYPES;
    orr_factors_none(engine);
    (void)snprintf(engine->id, sizeof engine->id, "%s", id);
    enum orr_err err = orr_fields_read(doc, "", doc->root, FIELDS, ORR_COUNT_OF(FIELDS), EXTRA, engine, error);
    if (!err) err = orr_aliases_check(doc, error);
    if (!err) err = check_versions(doc, engine, error);
    if (!err) err = check_schedules(doc, engine, error);
    if (!err) err = check_vendors(doc, engine, error);
    if (!err) err = check_stages(doc, engine, error);
    if (!err) err = orr_engine_limits_read(doc, engine, error);
    if (!err) err = orr_fit_runs_read(doc, engine, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

const struct orr_field *orr_engine_fields(size_t *n)
{
    *n = ORR_COUNT_OF(FIELDS);
    return FIELDS;
}
