/* These lists have every number of an inference report once. JSON, CSV, --explain and docs/glossary.md come from them.
 *
 * In a formula, a name that is a metric or a symbol stands for its value; --explain puts the values in. */
#ifndef ORR_METRIC_INFER_H
#define ORR_METRIC_INFER_H

#include "metric/job_symbols.h"
#include "metric/shared.h"
#include "metric/value.h"

/* clang-format off */

/* X(enum, key, unit, meaning, formula, equation or source, value)
 * `key` is the path in the JSON result and the column of the CSV; a last part that is a digit is a place in an array.
 * `value` is an expression of r (const struct orr_infer_result *) and j (const struct orr_job *). */
#define ORR_INFER_METRICS(X)                                                                                          \
    ORR_INFER_METRICS_HEADLINE(X)                                                                                     \
    ORR_INFER_METRICS_TIME(X)                                                                                         \
    ORR_INFER_METRICS_MEMORY(X)                                                                                       \
    ORR_INFER_METRICS_COST(X)

#define ORR_INFER_METRICS_HEADLINE(X)                                                                                 \
    X(LATENCY, "latency_s", S, "from the arrival of a batch at one replica to its last token",                        \
      "time_s.prefill_gemm + time_s.prefill_attention + time_s.prefill_pointwise + time_s.prefill_network +"          \
      " time_s.decode_gemm + time_s.decode_attention + time_s.decode_pointwise + time_s.decode_network +"             \
      " time_s.draft + time_s.pipeline + time_s.kv_transfer + time_s.overhead",                                       \
      "Eq. 2", r->latency_s)                                                                                          \
    X(TTFT, "ttft_s", S, "time to first token, from the arrival of the request",                                      \
      "(request_s + request_s_per_sequence · batch + host_step_s) / host_speed + first_sample_s + prefill_s +"        \
      " time_s.kv_transfer",                                                                                          \
      "Eq. 2", r->ttft_s)                                                                                             \
    X(TPOT, "tpot_s", S, "mean time per further output token; 0 if there is none",                                    \
      "decode_s / (output_len - 1)", "Eq. 2", r->tpot_s)                                                              \
    X(PREFILL, "prefill_s", S, "GPU time of the prompt, including the wait for other stages",                         \
      "time_s.prefill_gemm + time_s.prefill_attention + time_s.prefill_pointwise + time_s.prefill_network, its"       \
      " launch gaps, its wait for other stages and draft_prompt_s",                                                   \
      "Eq. 91a", r->prefill_s)                                                                                        \
    X(DECODE, "decode_s", S, "time of all further tokens, including sampling",                                        \
      "latency_s - ttft_s, the sum over contexts from the prompt's length + 1 on, output_len - 1 of them", "Eq. 91",  \
      r->decode_s)                                                                                                    \
    ORR_METRICS_INTERVAL(X, "latency_s", "latency", "dense or MoE, the longer phase, and what bounds it")             \
    X(BOUND, "bound_s", S, "speed of light: no overhead, no communication, nominal rates",                            \
      "Σ over passes of max(Σ FLOP / peak of their format, weights and cache read once / hbm_bytes_per_s)",           \
      "Eqs. 24, 92 with u = 1", r->bound_s)                                                                           \
    X(BOUND_FRAC, "bound_frac", FRAC, "share of the speed of light that is reached",                                  \
      "bound_s / latency_s", "definition", orr_ratio(r->bound_s, r->latency_s))                                       \
    X(OUTPUT_TOKENS, "output_tokens_per_s", TOKENS_PER_S, "output tokens of the whole system",                        \
      "dp · batch · output_len / latency_s", "Eq. 93", r->output_tokens_per_s)                                        \
    X(OUTPUT_TOKENS_PER_GPU, "output_tokens_per_s_per_gpu", TOKENS_PER_S, "output tokens of one GPU",                 \
      "output_tokens_per_s / gpus", "definition", r->output_tokens_per_s_per_gpu)                                     \
    X(OUTPUT_TOKENS_PER_USER, "output_tokens_per_s_per_user", TOKENS_PER_S,                                           \
      "output tokens one sequence sees after the first",                                                              \
      "1 / tpot_s", "definition", orr_ratio(1, r->tpot_s))                                                            \
    X(INPUT_TOKENS_PER_GPU, "input_tokens_per_s_per_gpu", TOKENS_PER_S, "prompt tokens of one GPU",                   \
      "dp · batch · (input_len + image_tokens) / latency_s / gpus", "definition", r->input_tokens_per_s_per_gpu)      \
    X(TRUST, "trust", WORD, "calibrated: constants fitted to this chip's kernels; datasheet: family values",          \
      "the calibration lists the chip", "calibration file", orr_trust(j))                                             \
    X(FITS, "fits", FLAG, "weights, activations and the batch's cache fit",                                           \
      "memory_bytes.kv_cache <= kv_budget_bytes and memory_bytes.total <= memory_bytes.usable", "Eq. 79", r->fits)    \
    X(REASON, "reason", WORD, "what is missing; only when it does not fit",                                           \
      "from the memory parts", "Eq. 79", (const char *)r->reason)                                                     \
    X(BOTTLENECK, "bottleneck", WORD, "resource that holds the largest share of the latency",                         \
      "largest of prefill_bound_frac · prefill_s + decode_bound_frac · decode_s; the rest of the latency is"          \
      " overhead",                                                                                                    \
      "Eq. 25", orr_bound_name(r->bottleneck))                                                                        \
    ORR_METRICS_BOUNDS(X, PREFILL, "prefill_bound_frac", prefill_bound_frac, "the prompt", "prompt",                  \
                       "Σ dram-bound kernels", "(Σ collectives + pipeline sends)", "launch gaps", "gaps and host")    \
    ORR_METRICS_BOUNDS(X, DECODE, "decode_bound_frac", decode_bound_frac, "a decode step", "decode step",             \
                       "Σ dram-bound kernels", "(Σ collectives + pipeline sends)", "launch gaps",                     \
                       "gaps, sampling and host")

/* ORDER ORR_INFER_PARTS */
#define ORR_INFER_METRICS_TIME(X)                                                                                     \
    X(TIME_PREFILL_GEMM, "time_s.prefill_gemm", S, "weight products of the prompt",                                   \
      "prefill_stage_frac · prefill_gemm_ops_s", "Eqs. 6, 24-38", r->time_s[ORR_INFER_PREFILL_GEMM])                  \
    X(TIME_PREFILL_ATTENTION, "time_s.prefill_attention", S, "attention core of the prompt",                          \
      "prefill_stage_frac · prefill_attention_ops_s", "Eqs. 42-46", r->time_s[ORR_INFER_PREFILL_ATTENTION])           \
    X(TIME_PREFILL_POINTWISE, "time_s.prefill_pointwise", S, "norms, activations and quantisation of the prompt",     \
      "prefill_stage_frac · prefill_pointwise_ops_s", "Eqs. 40, 41", r->time_s[ORR_INFER_PREFILL_POINTWISE])          \
    X(TIME_PREFILL_NETWORK, "time_s.prefill_network", S, "collectives and pipeline sends of the prompt",              \
      "prefill_stage_frac · prefill_network_ops_s + prefill_sends_s", "Eqs. 49-59, 74",                               \
      r->time_s[ORR_INFER_PREFILL_NETWORK])                                                                           \
    X(TIME_DECODE_GEMM, "time_s.decode_gemm", S, "weight products of the output tokens",                              \
      "decode_steps · decode_stage_frac · decode_gemm_ops_s", "Eqs. 6, 24-38, 91", r->time_s[ORR_INFER_DECODE_GEMM])  \
    X(TIME_DECODE_ATTENTION, "time_s.decode_attention", S, "attention core over the growing context",                 \
      "decode_steps · decode_stage_frac · decode_attention_ops_s", "Eqs. 11, 47, 48, 91",                             \
      r->time_s[ORR_INFER_DECODE_ATTENTION])                                                                          \
    X(TIME_DECODE_POINTWISE, "time_s.decode_pointwise", S, "norms, activations and quantisation of output tokens",    \
      "decode_steps · decode_stage_frac · decode_pointwise_ops_s", "Eqs. 40, 41, 91",                                 \
      r->time_s[ORR_INFER_DECODE_POINTWISE])                                                                          \
    X(TIME_DECODE_NETWORK, "time_s.decode_network", S, "collectives and pipeline sends of the output tokens",         \
      "decode_steps · decode_stage_frac · decode_network_ops_s + decode_sends_s", "Eqs. 49-59, 74, 91",               \
      r->time_s[ORR_INFER_DECODE_NETWORK])                                                                            \
    X(TIME_DRAFT, "time_s.draft", S, "drafts of speculative decoding, by a draft model or MTP layers",                \
      "draft_prompt_s + decode_steps · draft_tokens · draft_step_s", "Eqs. 94, 94a", r->time_s[ORR_INFER_DRAFT])      \
    X(TIME_PIPELINE, "time_s.pipeline", S, "waiting for other pipeline stages",                                       \
      "passes while they are on other stages: (1 - prefill_stage_frac) of the prompt's, (1 - decode_stage_frac) of"   \
      " each step's, and the fill of a batch cut over the stages",                                                    \
      "Eq. 91b", r->time_s[ORR_INFER_PIPELINE])                                                                       \
    X(TIME_KV_TRANSFER, "time_s.kv_transfer", S, "exposed time of handing the cache to the decode GPUs",              \
      "if disaggregated: max(handoff_s / handoff_pieces, handoff_s - prefill_s · (handoff_pieces - 1) /"              \
      " handoff_pieces) + scaleout_latency_s",                                                                        \
      "Eq. 95", r->time_s[ORR_INFER_KV_TRANSFER])                                                                     \
    X(TIME_OVERHEAD, "time_s.overhead", S, "launch gaps, sampling and request handling",                              \
      "(request_s + request_s_per_sequence · batch + host_step_s) / host_speed + first_sample_s + decode_steps ·"     \
      " sample_s + prefill_stage_frac · prefill_gap_s + decode_steps · decode_stage_frac · decode_gap_s +"            \
      " host_wait_s",                                                                                                 \
      "Eqs. 39, 126", r->time_s[ORR_INFER_OVERHEAD])

#define ORR_INFER_METRICS_MEMORY(X)                                                                                   \
    X(MEMORY_WEIGHTS, "memory_bytes.weights", BYTES, "weights of one GPU, including their scales",                    \
      "Σ tensors of the stage: matrices · stored_bytes / (tp, experts ep · etp), norms, ends and towers in 16 bits",  \
      "Eqs. 16-19, 41a", r->memory_bytes[ORR_SERVE_MEMORY_WEIGHTS])                                                   \
    X(MEMORY_KV_CACHE, "memory_bytes.kv_cache", BYTES, "cache of the running batch at its longest, in whole blocks",  \
      "batch · sequence_kv_bytes", "Eq. 90", r->memory_bytes[ORR_SERVE_MEMORY_KV_CACHE])                              \
    X(MEMORY_ACTIVATIONS, "memory_bytes.activations", BYTES, "largest tensors alive in a step",                       \
      "rows of a step · (2 · hidden + widest product) · 2 + batch · vocabulary / tp · 4", "Eq. 90a",                  \
      r->memory_bytes[ORR_SERVE_MEMORY_ACTIVATIONS])                                                                  \
    X(MEMORY_WORKSPACE, "memory_bytes.workspace", BYTES, "library workspace and communication buffers",               \
      "workspace_bytes", "engine file", r->memory_bytes[ORR_SERVE_MEMORY_WORKSPACE])                                  \
    X(MEMORY_TOTAL, "memory_bytes.total", BYTES, "memory of one GPU of the fullest stage",                            \
      "memory_bytes.weights + memory_bytes.kv_cache + memory_bytes.activations + memory_bytes.workspace", "Eq. 79",   \
      r->memory_total_bytes)                                                                                          \
    X(MEMORY_USABLE, "memory_bytes.usable", BYTES, "capacity less driver context",                                    \
      "memory_bytes.capacity - context_bytes", "Eq. 79", r->memory_usable_bytes)                                      \
    X(MEMORY_CAPACITY, "memory_bytes.capacity", BYTES, "memory of one GPU as the driver reports it",                  \
      "chip.hbm_bytes", "chip file", r->memory_capacity_bytes)                                                        \
    X(MEMORY_HEADROOM, "memory_bytes.headroom", BYTES, "usable memory that is left; below 0: does not fit",           \
      "memory_bytes.usable - memory_bytes.total", "definition", r->memory_usable_bytes - r->memory_total_bytes)       \
    X(KV_PER_TOKEN, "kv_bytes_per_token", WHOLE_BYTES, "cache of one token over all layers of the model",             \
      "Σ over layers of n_kv_heads · (head_qk + head_v) · kv_element_bytes; latent attention: (rank + rope) ·"        \
      " kv_element_bytes",                                                                                            \
      "Eq. 90", r->kv_bytes_per_token)                                                                                \
    X(KV_PER_SEQUENCE, "kv_bytes_per_sequence", BYTES,                                                                \
      "cache of one sequence at its end over all layers; a window limits its layer",                                  \
      "Σ over layers of min(input_len + image_tokens + output_len, window) · bytes of the layer", "Eq. 90",           \
      r->kv_bytes_per_sequence)                                                                                       \
    X(STATE_PER_SEQUENCE, "state_bytes_per_sequence", BYTES,                                                          \
      "states of one sequence of any length over all layers of the model",                                            \
      "Σ over layers of heads · key · value · state_element_bytes + convolved columns · (taps - 1) · 2 + encoder"     \
      " positions · n_kv_heads · (head_qk + head_v) · kv_element_bytes",                                              \
      "Eq. 117", r->state_bytes_per_sequence)                                                                         \
    X(KV_BUDGET, "kv_budget_bytes", BYTES, "what the engine's rule leaves for the cache of one GPU",                  \
      "budget total: budget_frac · capacity - weights - activations - reserved_bytes; free: budget_frac · (the"       \
      " same of the whole capacity); static: budget_frac · capacity - weights - reserved_bytes",                      \
      "engine file", r->kv_budget_bytes)                                                                              \
    X(MAX_BATCH, "max_batch", COUNT, "sequences of this length the budget holds; 0: none",                            \
      "largest batch whose caches fit what its own prompts leave, at most max_requests", "Eq. 90", r->max_batch)      \
    X(MAX_CONTEXT, "max_context", COUNT, "longest context of every sequence of this batch that the budget holds",     \
      "largest length whose batch · cache of one GPU is at most kv_budget_bytes", "Eq. 90", r->max_context)

#define ORR_INFER_METRICS_COST(X)                                                                                     \
    X(TOKENS_PER_STEP, "tokens_per_step", NUMBER, "mean tokens a decode step yields; 1 without speculation",          \
      "(1 - draft_accept_frac^(draft_tokens + 1)) / (1 - draft_accept_frac), or 1", "Eq. 94", r->tokens_per_step)     \
    ORR_METRICS_ENERGY(X, "latency_s", "the request", "output", "dp · batch · output_len", output_tokens(j))          \
    X(COST_PER_MILLION, "cost_usd_per_million_tokens", USD, "rent of the GPUs for a million output tokens",           \
      "cost_usd · 1e6 / (dp · batch · output_len)", "Eq. 108", r->cost_usd_per_million_tokens)                        \
    X(PARAMS_TOTAL, "params_total", COUNT, "parameters of the model, including all experts",                          \
      "sum over the tensors", "Eqs. 16-19", r->params_total)                                                          \
    X(PARAMS_ACTIVE, "params_active", COUNT, "parameters one token uses",                                             \
      "top-k experts instead of all", "Eq. 18", r->params_active)                                                     \
    ORR_METRICS_TOWER(X, "add to the prompt")                                                                         \
    X(TOWER, "tower_s", S, "part of prefill_s: vision tower or encoder, once per request",                            \
      "Σ operators of the tower · runs, launch gaps and host time", "Eq. 124", r->tower_s)                            \
    X(MATRIX, "matrix_frac", FRAC, "share of peak the prompt's products sustain under the power limit",               \
      "min(burst_frac, sustained_frac + power_slope · (1 - matrix load of the prompt)); in short runs burst_frac",    \
      "power rule", r->matrix_frac)

/* X(name, unit, what it is and where it comes from, value): the symbols that formulas use besides the metrics.
 * `value` is an expression of j and r as above, prefill and decode (const struct orr_pass_facts *); `format` is
 * serving.matrix. */
#define ORR_INFER_SYMBOLS(X)                                                                                          \
    ORR_JOB_SYMBOLS(X)                                                                                                \
    X(ep, COUNT, "plan", j->plan.ep)                                                                                  \
    X(etp, COUNT, "plan", j->plan.etp)                                                                                \
    X(batch, COUNT, "workload", j->serving.batch)                                                                     \
    X(input_len, COUNT, "workload", j->serving.input_len)                                                             \
    X(output_len, COUNT, "workload", j->serving.output_len)                                                           \
    X(draft_tokens, COUNT, "workload", j->serving.draft_tokens)                                                       \
    X(draft_accept_frac, FRAC, "workload", j->serving.draft_accept_frac)                                              \
    X(n_layers, COUNT, "model", j->model.n_layers)                                                                    \
    X(stored_bytes, NUMBER, "bytes of a weight element with its scales: workload precision",                          \
      orr_serve_stored_bytes(j))                                                                           \
    X(kv_element_bytes, NUMBER, "workload: kv_precision", orr_kv_element_bytes(j, &j->model.kinds[0]))               \
    X(scaleout_latency_s, S, "system file", j->system.scaleout_latency_s)                                             \
    X(request_s, S, "engine file", j->engine.request_s)                                                               \
    X(request_s_per_sequence, S, "engine file", j->engine.request_s_per_sequence)                                     \
    X(first_sample_s, S, "(sampling_s + sampling_s_per_sequence · batch) / host_speed, less what the prompt hides",    \
      prefill->sample_s)                                                                                              \
    X(sample_s, S, "the same in a decode step, less what the step hides where the engine schedules ahead",            \
      decode->sample_s)                                                                                               \
    X(workspace_bytes, BYTES, "engine file", j->engine.workspace_bytes)                                               \
    X(reserved_bytes, BYTES, "engine file: context_bytes + workspace_bytes",                                          \
      j->engine.context_bytes + j->engine.workspace_bytes)                                                            \
    X(budget_frac, FRAC, "engine file", j->engine.budget_frac)                                                        \
    X(max_requests, COUNT, "engine file", j->engine.max_requests)                                                     \
    X(low_ratio, NUMBER, "validation residuals", orr_ratio(r->interval_low_s, r->latency_s))                          \
    X(high_ratio, NUMBER, "validation residuals", orr_ratio(r->interval_high_s, r->latency_s))                        \
    X(decode_steps, NUMBER, "(output_len - 1) / tokens_per_step", decode->passes)                                     \
    X(prefill_stage_frac, FRAC, "share of the prompt's operators that one pipeline stage runs: 1 / pp",               \
      prefill->stage_frac)                                                                                            \
    X(decode_stage_frac, FRAC, "passes of a piece of the batch that one stage runs in a step: pieces / pp",           \
      decode->stage_frac)                                                                                             \
    X(prefill_gemm_ops_s, S, "Σ count · time: weight products of the prompt, all layers", prefill->gemm_s)            \
    X(prefill_attention_ops_s, S, "Σ count · time: attention kernels of the prompt, all layers",                      \
      prefill->attention_s)                                                                                           \
    X(prefill_pointwise_ops_s, S, "Σ count · time: memory-bound kernels of the prompt, all layers",                   \
      prefill->pointwise_s)                                                                                           \
    X(prefill_network_ops_s, S, "Σ count · time: collectives of the prompt, all layers", prefill->network_s)          \
    X(prefill_sends_s, S, "activations from stage to stage while the prompt runs",                                    \
      prefill->sends_s)                                                                                               \
    X(prefill_gap_s, S, "launches of the prompt · kernel_gap_s (short_prefill_gap_s up to 512 rows; Eq. 380)",         \
      prefill->gap_s)                                                                                                 \
    X(decode_gemm_ops_s, S, "Σ count · time: weight products of one decode step, all layers", decode->gemm_s)         \
    X(decode_attention_ops_s, S, "Σ count · time: attention kernels of one decode step, mean over the contexts",      \
      decode->attention_s)                                                                                            \
    X(decode_pointwise_ops_s, S, "Σ count · time: memory-bound kernels of one decode step, all layers",               \
      decode->pointwise_s)                                                                                            \
    X(decode_network_ops_s, S, "Σ count · time: collectives of one decode step, all layers",                          \
      decode->network_s)                                                                                              \
    X(decode_sends_s, S, "activations from stage to stage in all decode steps",                                       \
      decode->sends_s)                                                                                                \
    X(decode_gap_s, S, "launches of one decode step · kernel_gap_s", decode->gap_s)                                   \
    X(host_wait_s, S, "kernels the GPU finishes before the host launches the next (host_launch_s)",                   \
      prefill->host_s + decode->host_s)                                                                               \
    X(draft_prompt_s, S, "MTP layers over the prompt, and their first drafts", prefill->draft_s)                      \
    X(draft_step_s, S, "drafting one token, as a mean over the tokens of all steps", draft_step_s(j, decode))         \
    X(handoff_s, S, "batch · cache of the prompts on one GPU / link rate", r->kv_handoff_s)                           \
    X(handoff_pieces, COUNT, "layers, chunks of the prompt, or 1, as the engine's cache_sent says",                   \
      r->kv_handoff_pieces)                                                                                           \
    X(sequence_kv_bytes, BYTES, "cache of one sequence at its end on one GPU of the fullest stage, whole blocks",     \
      r->kv_gpu_bytes)

#define ORR_X_INFER_METRIC_(name, ...) ORR_INFER_METRIC_##name,
enum orr_infer_metric { ORR_INFER_METRICS(ORR_X_INFER_METRIC_) ORR_N_INFER_METRICS };

/* clang-format on */

struct orr_value orr_infer_metric_value(const struct orr_job *job, const struct orr_infer_result *result,
                                        enum orr_infer_metric metric);
/* Finds the value of a symbol by a name of `length` bytes; false if there is none. */
bool orr_infer_symbol(const struct orr_answer *answer, const char *name, size_t length, struct orr_value *value);

/* Returns the formula of the cache budget for one of the rules. */
const char *orr_budget_formula(enum orr_budget budget);

#endif
