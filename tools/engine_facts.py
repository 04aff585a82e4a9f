#!/usr/bin/env python3
"""What each fact of an engine file is worth, for docs/adding-an-engine.md: engine_facts.py jobs | GROUP

jobs     the jobs by name
GROUP    the facts of one group (see GROUPS): the changed value, the job, and how its time and memory moved
orrery is taken from the PATH. A fact that changes nothing in its job ends the script with an error; choose another job for it.
"""
import json
import subprocess
import sys

A100, H100 = "--system a100-80g-sxm", "--system h100-sxm"
JOBS = {
    "dense": f"train --model llama2-7b {A100} --gpus 16 --tp 2 --pp 2 --global-batch 64 --micro-batch 1 "
             "--engine megatron-core-2024",
    "gpt": f"train --model gpt-22b {A100} --gpus 8 --tp 8 --global-batch 4 --micro-batch 4 --recompute full "
           "--engine megatron-lm-2022",
    "interleaved": f"train --model gpt3-175b {A100} --gpus 64 --tp 8 --pp 8 --vpp 3 --global-batch 64 --micro-batch 1 "
                   "--engine megatron-core-2024",
    "eager": "train --model llama2-7b --system h200-sxm --gpus 8 --global-batch 64 --micro-batch 1 "
             "--engine pytorch-eager",
    "fine-tuning": "train --model llama3-8b --system h200-sxm --gpus 1 --seq 2048 --micro-batch 2 --global-batch 2 "
                   "--engine hf-transformers-2026-eager",
    "4-bit base": "train --model llama2-7b --system a100-80g-sxm --gpus 1 --seq 1304 --micro-batch 1 --global-batch 1 "
                  "--adapter qlora:rank=8,targets=q+v,format=bf16,dropout=0.05 --engine litgpt-2023",
    "adapters": "train --model llama3-8b --system h100-sxm --gpus 8 --tp 2 --seq 4096 --micro-batch 1 --global-batch 8 "
                "--adapter lora:rank=16,targets=q+k+v+o --engine megatron-core-2024",
    "short steps": "train --model tinyllama-1.1b --system h200-sxm --gpus 1 --seq 512 --micro-batch 1 --global-batch 1 "
                   "--engine hf-transformers-2026-eager",
    "fine-tuned windows": "train --model gemma3-4b --system h200-sxm --gpus 1 --seq 8192 --micro-batch 1 --global-batch 1 "
                          "--recompute full --engine hf-transformers-2026-eager",
    "eager scores": "train --model tinyllama-1.1b --system h200-sxm --gpus 1 --seq 2048 --micro-batch 2 "
                    "--global-batch 2 --attention unfused --engine hf-transformers-2026-eager",
    "columns": "train --model llama3-8b --system h200-sxm --gpus 8 --tp 4 --seq 4096 --micro-batch 4 --global-batch 8 "
               "--engine kempnerforge-2026",
    "small": "train --model gpt2 --system h200-sxm --gpus 8 --global-batch 8 --micro-batch 1 --engine pytorch-eager",
    "sharded": f"train --model llama2-13b {H100} --gpus 64 --zero 3 --global-batch 64 --micro-batch 1 "
               "--engine pytorch-fsdp-compile",
    "sharded stages": f"train --model llama3-70b {H100} --gpus 64 --tp 2 --pp 4 --zero 3 --global-batch 64 --micro-batch 1 "
                      "--engine torchtitan-2025-eager",
    "ring": f"train --model llama3-8b {H100} --gpus 32 --tp 2 --cp 8 --global-batch 8 --micro-batch 1 --seq 65536 "
            "--engine megatron-core-2025",
    "biased experts": f"train --model gpt-oss-20b {H100} --gpus 8 --zero 3 --seq 4096 --micro-batch 1 --global-batch 8 "
                      "--recompute full --engine hf-transformers-2026-eager",
    "fp8 experts": f"train --model mixtral-8x7b {H100} --gpus 64 --tp 2 --pp 2 --ep 8 --global-batch 256 "
                   "--micro-batch 1 --precision fp8 --engine megatron-core-2025",
    "deepseek": f"train --model deepseek-v3 {H100} --gpus 1024 --tp 2 --pp 16 --vpp 2 --ep 64 --global-batch 4096 "
                "--micro-batch 1 --engine megatron-core-2026",
    "chat": f"infer --model llama3-8b {H100} --batch 16 --input 1024 --output 128 --engine vllm",
    "buckets": "infer --model llama3-8b --system trn1.32xlarge --tp 16 --batch 8 --input 128 --output 3968 --engine transformers-neuronx-0.13",
    "8-bit chat": f"infer --model llama3-8b {H100} --batch 16 --input 1024 --output 128 --precision w8a16 --engine vllm",
    "integer chat": "infer --model llama2-7b --system a100-80g-sxm --batch 1 --input 128 --output 128 --precision bnb-int8 --engine transformers-4",
    "fp8 chat": f"infer --model llama3-8b {H100} --batch 16 --input 1024 --output 128 --precision fp8 --engine vllm",
    "fp8 batch": f"infer --model llama3-8b {H100} --batch 32 --input 1024 --output 128 --precision fp8 --engine vllm",
    "fp4 chat": "infer --model llama3-8b --system b200-sxm --batch 16 --input 1024 --output 128 --precision nvfp4 --engine vllm",
    "fp4 experts": "infer --model gpt-oss-120b --system b200-sxm --tp 1 --batch 16 --input 1024 --output 128 --engine vllm",
    "linear chat": f"infer --model qwen3.5-35b-a3b {H100} --tp 2 --batch 16 --input 1024 --output 128 --engine sglang-0.5",
    "shared chat": "infer --model deepseek-v3 --system h200-sxm --tp 8 --batch 16 --input 1024 --output 128 --precision fp8 --engine sglang-0.5",
    "sparse chat": "infer --model glm-5 --system b200-sxm --tp 8 --batch 16 --input 4096 --output 128 --engine sglang-0.5",
    "normed chat": f"infer --model qwen3-8b {H100} --batch 16 --input 1024 --output 128 --engine vllm",
    "one": f"infer --model llama3-8b {H100} --batch 1 --input 8192 --output 128 --engine vllm",
    "blocks": f"infer --model llama3-8b {H100} --batch 1 --input 512 --output 2 --precision q8_0 --engine llama.cpp-2024",
    "GeForce": "infer --model llama3-8b --system rtx-4090 --gpus 1 --batch 1 --input 512 --output 2 --precision fp16 --engine llama.cpp-2024",
    "short": f"infer --model llama3-8b {H100} --batch 1 --input 128 --output 2 --engine vllm",
    "prompt for experts": f"infer --model qwen3-30b-a3b {H100} --tp 2 --batch 1 --input 600 --output 2 --engine vllm",
    "tensor": f"infer --model llama3-70b {H100} --tp 4 --batch 16 --input 128 --output 128 --engine vllm",
    "pieces": f"infer --model llama2-70b {H100} --tp 4 --pp 2 --batch 32 --input 512 --output 64 "
              "--engine fastertransformer",
    "wide experts": f"infer --model deepseek-v3 {H100} --tp 1 --ep 64 --dp 64 --batch 64 --input 1024 --output 128 "
                    "--precision fp8 --engine sglang",
    "experts across nodes": f"infer --model deepseek-v3 {H100} --tp 1 --ep 64 --dp 64 --batch 64 --input 1024 --output 128 "
                            "--precision fp8 --engine vllm-0.9",
    "few rows": "infer --model llama3-8b --system h20-sxm --batch 8 --input 512 --output 128 --engine vllm-0.9",
    "windows": f"infer --model gemma3-12b {H100} --batch 16 --input 8192 --output 128 --engine tensorrt-llm-1.2",
    "long latents": "infer --model deepseek-v2-lite --system h100-sxm --batch 1 --input 65536 --output 2 --engine vllm",
    "latents": "infer --model deepseek-v2-lite --system h100-sxm --batch 16 --input 1024 --output 128 --engine vllm-0.7",
    "pages of states": "infer --model qwen3.6-27b --system h200-sxm --batch 4 --input 1024 --output 128 --engine vllm-0.20",
    "pool of windows": "infer --model gemma-4-e4b --system h200-sxm --batch 16 --input 8192 --output 1024 --engine sglang-0.5.15",
    "states kept": "infer --model qwen3.6-27b --system h200-sxm --batch 4 --input 1024 --output 128 --engine sglang-0.5",
    "short graphs": "infer --model qwen3-8b --system h200-sxm --batch 1 --input 128 --output 2 --engine sglang-0.5.10",
    "short launched": "infer --model gemma-4-e4b --system h200-sxm --batch 1 --input 128 --output 2 --engine sglang-0.5.10",
    "short latent": "infer --model deepseek-v2-lite --system h200-sxm --batch 1 --input 128 --output 2 --engine sglang-0.5.10",
    "divided": "infer --model llama3-8b --system rtx-4090 --pp 4 --batch 1 --input 8192 --output 2 --precision q4_k_m "
               "--engine llama.cpp-2024",
    "chunks": "infer --model llama4-scout --system h200-sxm --tp 8 --batch 64 --input 1024 --output 128 "
              "--engine tensorrt-llm-1.2",
}
GROUPS = {
    "attention": [
        ("attention", "flash1", "dense"), ("attention_from_chip", "false", "unknown"),
        ("attention_unfused_default", "true", "dense"), ("latent_unfused_family", "hopper", "deepseek"),
        ("fused_softmax", "false", "gpt")],
    "kernels": [
        ("fused_bias_activation", "false", "gpt"), ("fused_bias_dropout_add", "false", "gpt"),
        ("fused_gate", "false", "dense"), ("fused_rope", "false", "dense"), ("fused_norm", "false", "dense"),
        ("fused_loss", "true", "dense"), ("recompute_early_stop", "true", "recomputed"),
        ("fused_gradient_accumulation", "false", "dense"), ("fp8_cast_bytes_per_element", "8", "fp8 experts"),
        ("fp8_recipe", "tensorwise", "fp8 experts"), ("mx_recipe", "delayed", "fp8 blackwell"),
        ("fp8_fused_copies", "false", "fp8 experts"), ("fp8_fused_maximum", "false", "fp8 sharded"),
        ("fp8_recast", "true", "fp8 experts"), ("fp8_weights_each", "true", "fp8 experts"),
        ("fp8_gather", "true", "fp8 sharded"), ("fp8_tp_gather", "true", "fp8 tensor"),
        ("layout_launches", "0", "pipeline"), ("layout_backward_launches", "0", "pipeline"), ("layout_bytes", "0", "replicas"),
        ("layout_backward_bytes", "0", "replicas"), ("layout_whole_rows", "false", "owners tp"),
        ("strided_bytes", "0", "replicas"), ("strided_backward_bytes", "0", "replicas"), ("swapped_samples", "false", "two samples"),
        ("split_gate", "false", "replicas"), ("loss_bytes_per_logit", "0", "replicas"),
        ("selective_ops", "false", "selective"), ("fused_core_repeated", "false", "core"),
        ("split_products", "false", "short steps"), ("norm_launches", "0", "fine-tuning"),
        ("norm_backward_launches", "9", "short steps"), ("norm_bytes", "18", "fine-tuning"),
        ("norm_backward_bytes", "46", "fine-tuning"), ("rope_launches", "0", "fine-tuning"),
        ("rope_backward_launches", "4", "short steps"), ("rope_bytes", "10", "fine-tuning"),
        ("rope_backward_bytes", "15", "fine-tuning"), ("masked_attention", "true", "fine-tuning"),
        ("masked_windows", "false", "fine-tuned windows"),
        ("autocast", "true", "fine-tuning")],
    "step": [
        ("fused_optimizer_cast", "true", "dense"), ("clip_gradients", "false", "dense"), ("clip_scales", "false", "fine-tuning"), ("gradient_bytes", "2", "dense"),
        ("reduce_bytes", "2", "dense"), ("optimizer_bytes", "8", "dense"), ("vocab_multiple", "4096", "dense"),
        ("optimizer_traffic_bytes", "100", "eager"), ("bucket_copy_bytes", "8", "eager"),
        ("reduce_bucket_params", "0", "copies"), ("reduce_bucket_rank_params", "50000000", "dense"),
        ("gather_copy_bytes", "0", "selective"), ("scatter_copy_bytes", "0", "selective")],
    "experts": [
        ("moe_permute_passes", "0", "fp8 experts"), ("moe_pad_passes", "4", "fp8 experts"), ("moe_unfused_passes", "3", "fp8 experts"),
        ("moe_unfused_backward_passes", "3", "fp8 experts"),
        ("moe_biased_passes", "0", "biased experts"), ("moe_biased_backward_passes", "0", "biased experts"), ("router_bytes", "0", "fp8 experts"),
        ("router_backward_bytes", "600", "fp8 experts"), ("router_launches", "100", "fp8 experts"),
        ("expert_kernel", "loop", "deepseek"), ("expert_block_rows", "0", "compiled"), ("moe_launches", "0", "fp8 experts"),
        ("moe_expert_launches", "10", "deepseek"), ("moe_syncs", "8", "fp8 experts"), ("host_sync_s", "100 us", "fp8 experts"),
        ("moe_gather", "true", "deepseek"), ("moe_dedup", "false", "deepseek"), ("ep_overlap_frac", "1", "fp8 experts"),
        ("ep_overlap_interleaved", "false", "deepseek"), ("two_batch_overlap", "true", "wide experts"), ("moe_dedup_between", "false", "experts across nodes"), ("moe_low_latency", "false", "wide experts"), ("low_latency_experts", "false", "fp4 experts"),
        ("triton_experts", "false", "experts chat"),
        ("library_expert_chips", "hopper", "experts chat"), ("library_expert_models", "minimax_m2", "experts on Blackwell"),
        ("tile_files", "sglang", "small experts chat"), ("tile_files_release", "0", "experts chat"), ("fixed_tiles", "none", "small experts chat"),
        ("marlin_experts", "none", "awq experts"), ("triton_mxfp4", "none", "mxfp4 experts"),
        ("moe_redundant", "true", "wide experts")],
    "communication": [
        ("tp_async_backward", "true", "gpt"), ("tp_kept_inputs", "false", "columns"), ("tp_part_gathers", "true", "columns"),
        ("tp_part_scatters", "false", "columns"), ("tp_row_copies", "false", "columns"), ("gathered_logit_bytes", "0", "columns"), ("cp_balanced", "false", "ring"),
        ("tp_overlap_frac", "0", "dense"), ("dp_overlap_frac", "0", "dense"),
        ("zero3_overlap_frac", "0", "sharded"), ("zero3_nic_frac", "0.125", "sharded"),
        ("p2p_overlap", "false", "interleaved"), ("p2p_scatter_gather", "false", "gpt pipeline"),
        ("pipelines_kept", "false", "sharded stages"), ("whole_gradients", "never", "sharded stages"),
        ("zero1_allreduce", "false", "replicas"), ("zero1_exposed", "false", "replicas"),
        ("zero1_gather_exposed", "false", "replicas"), ("zero1_broadcast", "false", "owners"), ("layer_tensors", "12", "replicas"),
        ("stages_by_cost", "false", "pipeline"), ("unfilled_stages", "0", "unfilled"),
        ("skew_s", "0", "two nodes")],
    "host": [
        ("host_launch_s", "20 us", "small"), ("host_backward_launch_s", "30 us", "pipeline"), ("host_collective_s", "0", "pipeline"),
        ("host_pipeline_rank_s", "0", "pipeline"), ("host_layer_s", "0", "pipeline"), ("host_sharded_layer_s", "0", "hooks"),
        ("host_tensor_layer_s", "0", "distributed tensors"), ("host_split_layer_s", "0", "split matrices"), ("host_experts_s", "0", "prompt for experts"),
        ("host_micro_batch_s", "20 ms", "pipeline"), ("host_step_s", "10 ms", "dense"), ("zero1_tensor_s", "0", "replicas"),
        ("short_run", "true", "dense")],
    "defaults": [
        ("default_sp", "false", "dense"), ("default_zero", "0", "dense"), ("default_recompute", "full", "dense"),
        ("default_precision", "tf32", "dense"),
        ("default_mtp", "false", "deepseek"), ("mtp_full_first_chunk", "false", "deepseek 1f1b")],
    "serving": [
        ("kernel_gap_s", "2 us", "chat"), ("short_prefill_gap_s", "5 us", "short"),
        ("layer_pointwise_kernels", "8", "chat"), ("qk_norm_kernels", "4", "normed chat"),
        ("scan_inputs", "0", "linear chat"), ("scan_kernels", "0", "linear chat"), ("shared_gate_kernels", "0", "linear chat"),
        ("fused_shared_of", "0", "shared chat"), ("fused_shared_chips", "none", "shared chat"),
        ("index_kernels", "0", "sparse chat"), ("latent_layer_s", "0", "latent chat"), ("fused_delta", "none", "linear prompt"), ("index_layer_s", "0", "indexed chat"), ("sparse_head_rows", "0", "indexed prompt"), ("tuned_fp4", "false", "fp4 chat"), ("pointwise_floor_s", "4 us", "chat"),
        ("pointwise_bytes_per_element", "64", "chat"), ("fused_gate_up", "false", "chat"), ("fused_latents", "false", "wide experts"), ("latents_rebuilt", "false", "long latents"),
        ("decode_kernel", "sdpa", "chat"), ("block_kernel", "trtllm", "wide experts"), ("split_kv", "false", "one"), ("packed_gqa", "false", "long chat 2024"),
        ("packed_gqa_most", "2", "long chat 2024"), ("packed_gqa_plain_only", "true", "one window"),
        ("cache_grown", "true", "long chat 2024"), ("cache_repeated", "true", "long chat 2024"),
        ("context_bucket_tokens", "0", "buckets"), ("compiled_tokens", "8192", "compiled"), ("kv_per_core", "false", "buckets"), ("whole_head", "true", "tensor"), ("prompt_piece_tokens", "64", "chat"), ("prompt_pieces_follow", "false", "divided"), ("restored_rows", "1", "8-bit chat"), ("restored_chips", "hopper", "blocks"), ("wide_activations", "false", "blocks"), ("half_sums", "false", "GeForce"), ("block_integers", "false", "blocks"), ("head_launches", "7", "chat"), ("integer_launches", "40", "integer chat"),
        ("unpacked_chunks", "none", "chunks"), ("dynamic_quantisation", "false", "fp8 chat"), ("row_scales", "false", "fp8 chat"), ("wide_mxfp4", "blackwell", "fp4 experts"), ("fused_quantisation", "norm activation", "fp8 chat"), ("fixed_fp8_tiles", "hopper", "fp8 batch"), ("library_tile_rows", "64", "few rows"), ("decode_tile_rows", "128", "few rows"), ("weight_formats", "awq", "shipped"),
        ("custom_allreduce", "false", "tensor"), ("allreduce_kernels", "push", "tensor"), ("allreduce_skew_s", "10 us", "tensor"),
        ("piece_tokens", "0", "pieces"), ("last_token_decoded", "true", "short")],
    "requests": [
        ("request_s", "10 ms", "chat"), ("request_s_per_sequence", "1 ms", "chat"), ("sampling_s", "0.5 ms", "chat"),
        ("sampling_s_per_sequence", "20 us", "chat"), ("async_scheduling", "true", "sampled"),
        ("graph_sequences", "16", "launched"), ("graph_context", "512", "short 2024"), ("graph_prompts", "false", "short"), ("graph_prompt_tokens", "64", "short graphs"), ("graph_latent_tokens", "64", "short latent"), ("graph_prompts_not", "none", "short launched"), ("graph_pieces", "false", "chat"), ("graph_piece_s", "10 us", "chat")],
    "cache": [
        ("budget", "static", "chat"), ("budget_frac", "0.5", "chat"), ("budget_after_context", "true", "chat"), ("kv_windows", "true", "windows"),
        ("window_models", "llama4", "pool of windows"), ("window_pool_frac", "0.2", "pool of windows"), ("shared_kv_room", "false", "pool of windows"),
        ("latent_columns", "256", "latents"), ("state_pages", "false", "pages of states"), ("state_pool_frac", "0.2", "states kept"), ("states_per_sequence", "5", "states kept"),
        ("kv_block_tokens", "512", "chat"), ("kv_table_entry_bytes", "64", "chat"), ("max_requests", "64", "chat"),
        ("max_step_tokens", "2048", "long chat"), ("least_step_tokens", "100000", "long chat 2024")],
    "memory": [
        ("norm_saved_bytes", "0", "fine-tuning"), ("score_saved_bytes", "0", "eager scores"),
        ("gradients_dropped", "false", "fine-tuning"),
        ("gradients_16bit_live", "true", "dense"), ("saves_unfused", "false", "full memory"),
        ("joined_qkv_kept", "false", "4-bit base"), ("adapters_joined", "false", "4-bit base"),
        ("adapters_whole", "false", "adapters"), ("adapters_narrow", "false", "adapters"),
        ("quantised_input_kept", "false", "4-bit base"), ("quantised_head", "false", "4-bit base"),
        ("restored_bytes", "0", "4-bit base"), ("logit_bytes_live", "24", "full memory"),
        ("loss_chunks", "0", "chunked"), ("zero3_live_params", "0", "sharded states"), ("zero3_whole_params", "0", "sharded states"),
        ("zero3_ends_kept", "false", "selective"),
        ("bucket_bytes", "2", "eager"), ("zero1_gather_bytes", "0", "replicas"), ("stream_tensors", "0", "two nodes"),
        ("reserved_frac", "0", "two nodes"), ("context_bytes", "4 GiB", "dense"), ("workspace_bytes", "4 GiB", "dense"), ("fragmentation_frac", "0.1", "dense")],
    "fitted": [
        ("matrix_rate_factor", "0.9", "dense"), ("attention_rate_factor", "0.7", "dense"), ("dram_rate_factor", "0.85", "chat"),
        ("grouped_rate_factor", "0.7", "wide experts"), ("scaleup_rate_factor", "0.8", "dense"),
        ("scaleout_rate_factor", "0.6", "two nodes"), ("scaleout_latency_factor", "2", "two nodes"),
        ("straggle_factor", "2", "two nodes"), ("grouped_launch_factor", "2", "wide experts"),
        ("pointwise_time_factor", "1.5", "dense"), ("host_time_factor", "2", "pipeline"), ("time_factor", "1.1", "dense"),
        ("eight_bit_rate_factor", "0.8", "fp8 chat"), ("four_bit_rate_factor", "0.8", "fp4 chat")],
}
NANOTRON = "train --model nanotron-3b --system h100-sxm-efa3200 --seq 4096 --micro-batch 1 --engine nanotron-2025 "
JOBS["chunked"] = ("train --model llama3.2-3b --system a100-80g-sxm --gpus 1 --seq 4096 --micro-batch 2 --global-batch 2 "
                   "--recompute full --optimizer-in-backward --engine torchtune-2024-compiled")
JOBS["sharded states"] = ("train --model llama2-7b --system a100-80g-sxm --gpus 8 --seq 512 --micro-batch 1 --global-batch 8 "
                          "--recompute full --engine deepspeed-zero3-2024")
JOBS["copies"] = NANOTRON + "--gpus 64 --tp 2 --zero 0 --global-batch 64"
JOBS["pipeline"] = NANOTRON + "--gpus 64 --tp 4 --pp 4 --global-batch 64"
JOBS["unfilled"] = NANOTRON + "--gpus 64 --tp 4 --pp 4 --global-batch 12"
JOBS["replicas"] = NANOTRON + "--gpus 64 --zero 1 --global-batch 256"
JOBS["two samples"] = NANOTRON.replace("--micro-batch 1", "--micro-batch 2") + "--gpus 64 --zero 1 --global-batch 256"
JOBS["two nodes"] = NANOTRON + "--gpus 16 --tp 16 --global-batch 16"
JOBS["owners"] = "train --model internlm-7b --system a100-80g-sxm-roce400 --gpus 64 --seq 2048 --global-batch 64 " \
                 "--micro-batch 1 --engine internevo-2023"
JOBS["owners tp"] = JOBS["owners"] + " --tp 2"
JOBS["fp8 sharded"] = JOBS["sharded"] + " --precision fp8"
JOBS["fp8 tensor"] = JOBS["fp8 sharded"].replace("--gpus 64", "--gpus 64 --tp 8 --sp")
JOBS["fp8 blackwell"] = "train --model llama3-70b --system gb200-nvl72 --gpus 64 --tp 2 --zero 1 --global-batch 128 --micro-batch 1 " \
                        "--precision fp8 --engine megatron-core-2026"
JOBS["core"] = f"train --model llama3-8b {H100} --gpus 8 --tp 2 --seq 8192 --recompute core --global-batch 8 --micro-batch 1 " \
    "--engine megatron-core-2025"
JOBS["selective"] = f"train --model llama3-8b {H100} --gpus 8 --recompute selective --global-batch 8 --micro-batch 1 " \
                    "--engine torchtitan-2024-eager"
JOBS["distributed tensors"] = f"train --model llama3-8b {H100} --gpus 8 --tp 4 --seq 4096 --global-batch 8 " \
                              "--micro-batch 1 --engine pytorch-fsdp2"
JOBS["split matrices"] = ("infer --model llama2-70b --system a100-80g-pcie --gpus 4 --tp 4 --batch 1 --input 128 --output 128 "
                          "--precision q4_0 --engine llama.cpp-2023")
JOBS["hooks"] = f"train --model llama3.2-1b {H100} --gpus 8 --seq 1024 --global-batch 8 --micro-batch 1 " \
                "--engine torchtitan-2024-eager"
JOBS["launched"] = "infer --model llama3-8b --system h200-sxm --batch 16 --input 1024 --output 128 --engine pytorch-eager-stream"
JOBS["short 2024"] = f"infer --model llama3-8b {H100} --batch 1 --input 1024 --output 128 --engine vllm-0.6"
JOBS["sampled"] = JOBS["chat"] + " --set engine.sampling_s=0.5ms"
JOBS["recomputed"] = JOBS["eager"].replace("pytorch-eager", "megatron-core-2024") + " --recompute full"
JOBS["gpt pipeline"] = f"train --model gpt3-175b {A100} --gpus 64 --tp 8 --pp 8 --global-batch 64 --micro-batch 1 " \
                       "--recompute full --engine megatron-lm-2022"
JOBS["deepseek 1f1b"] = JOBS["deepseek"].replace("--vpp 2 ", "")
JOBS["full memory"] = JOBS["eager"].replace("--micro-batch 1", "--micro-batch 2 --zero 1")
JOBS["unknown"] = JOBS["sharded"].replace("pytorch-fsdp-compile", "generic")
JOBS["shipped"] = f"infer --model gpt-oss-20b {H100} --batch 1 --input 128 --output 128 --engine vllm"
JOBS["one window"] = f"infer --model mistral-7b {H100} --batch 64 --input 4096 --output 128 --engine tensorrt-llm-1.2"
JOBS["long chat"] = f"infer --model llama3-8b {H100} --batch 64 --input 4096 --output 128 --engine vllm"
JOBS["long chat 2024"] = f"infer --model llama3-8b {H100} --batch 64 --input 4096 --output 128 --engine vllm-0.6"
JOBS["compiled"] = "infer --model qwen3-30b-a3b --system trainium2 --batch 8 --input 1024 --output 128 --engine optimum-neuron-0.4"
JOBS["indexed chat"] = "infer --model glm-5 --system h200-sxm --tp 8 --batch 16 --input 1024 --output 128 --precision fp8 --engine vllm-0.17"
JOBS["indexed prompt"] = "infer --model glm-5 --system h200-sxm --tp 8 --batch 1 --input 16384 --output 2 --precision fp8 --engine sglang-0.5"
JOBS["linear prompt"] = f"infer --model qwen3.5-35b-a3b {H100} --tp 2 --batch 1 --input 8192 --output 2 --engine vllm-0.17"
JOBS["latent chat"] = "infer --model deepseek-v3 --system h200-sxm --tp 8 --batch 16 --input 1024 --output 128 --precision fp8 --engine vllm-0.11"
JOBS["small experts chat"] = f"infer --model qwen3-30b-a3b {H100} --tp 1 --batch 64 --input 1024 --output 128 --engine vllm-0.11"
JOBS["experts on Blackwell"] = "infer --model minimax-m2.5 --system b200-sxm --tp 4 --batch 64 --input 1024 --output 128 --engine sglang-0.5"
JOBS["awq experts"] = "infer --model qwen3-30b-a3b --system a100-80g-sxm --tp 1 --batch 16 --input 1024 --output 128 --engine vllm --precision awq"
JOBS["mxfp4 experts"] = f"infer --model gpt-oss-120b {H100} --tp 1 --batch 16 --input 1024 --output 128 --engine vllm-0.17"
JOBS["experts chat"] = f"infer --model mixtral-8x7b {H100} --tp 2 --batch 16 --input 1024 --output 128 --engine vllm"


def ask(job, *sets):
    command = ["orrery", *JOBS[job].split(), "--json"]
    for text in sets:
        command += ["--set", text]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(run.stdout) if run.returncode < 2 else {"reason": run.stderr.strip()}


def figures(answer):
    """The time, the memory, and what the memory allows: the largest batch or the usable bytes."""
    memory = answer["memory_bytes"]
    time = answer.get("step_time_s") or answer["latency_s"]
    return time, memory["total"], answer.get("max_batch") or memory["usable"]


def change(before, after, name):
    if before == after:
        return ""
    percent = 100 * (after / before - 1)
    digits = 0 if abs(percent) >= 10 else 1 if abs(percent) >= 1 else 2
    return f"{name} {percent:+.{digits}f} %" if abs(percent) >= 0.005 else f"{name} by less than 0.005 %"


def effect(key, value, job):
    base, answer = ask(job), ask(job, f"engine.{key}={value}")
    if "memory_bytes" not in answer:
        return "refused: " + answer["reason"].split(": ", 1)[-1]
    names = ("step", "memory", "usable") if "step_time_s" in answer else ("latency", "memory", "max batch")
    moved = [change(b, a, n) for b, a, n in zip(figures(base), figures(answer), names)]
    if not any(moved):
        sys.exit(f"engine_facts.py: {key} = {value} moves nothing in the job {job}")
    return ", ".join(text for text in moved if text)


def main():
    if sys.argv[1:] == ["jobs"]:
        width = max(map(len, JOBS))
        print("\n".join(f"{name.ljust(width)}  {command}" for name, command in sorted(JOBS.items())))
        return 0
    if len(sys.argv) != 2 or sys.argv[1] not in GROUPS:
        print(__doc__, file=sys.stderr)
        return 2
    rows = [(f"{key} = {value}", job, effect(key, value, job)) for key, value, job in GROUPS[sys.argv[1]]]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for fact, job, moved in rows:
        print(f"{fact.ljust(widths[0])}  {job.ljust(widths[1])}  {moved}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
