/* The columns of every schema of measurements. docs/formats.md says what each column means and which ones act. */
#include "validate/columns.h"

#include "base/text.h"

#include <string.h>

/* The columns of each set. Those at the end of a list are known but change no prediction. */
static const char *const COLUMNS[ORR_N_SETS] = {
    [ORR_SET_TRAINING] =
        "id source url model system gpus tp pp vpp dp cp cp_kind ep etp sp zero zero_group schedule "
        "overlap seq micro_batch global_batch precision recompute attention engine framework metric "
        "value optimizer optimizer_in_backward layer_graphs offload adapter frozen encoder_tokens sample_len "
        "notes engine_version compiled fp8_recipe state",
    [ORR_SET_INFERENCE] = "id source url model system gpus tp pp dp ep etp precision kv_precision batch concurrency "
                          "batching phase pass_tokens input_len output_len engine " ORR_OPTION_COLUMNS "metric value "
                          "notes engine_version framework compiled fp8_recipe arrival rate_per_s max_batch "
                          "max_batched_tokens workload stat",
    [ORR_SET_SERVING] = "id source url model system gpus tp pp dp ep precision kv_precision engine arrival rate_per_s "
                        "concurrency max_batch max_batched_tokens input_len output_len output_most workload "
                        "length_ratio requests poll_steps graph_sequences graph_pieces low_latency_experts "
                        "narrow_experts batch_wait_steps batch_wait_frac "
                        "memory_frac distinct_prompts draft_tokens power_limit_w "
                        "pool_replicas prefill_replicas prefill_tp prefill_dp prefill_ep prefill_max_batch "
                        "prefill_max_tokens prefill_kv_tokens stream_tokens " ORR_OPTION_COLUMNS "metric stat value "
                        "pool_batch engine_version notes",
    [ORR_SET_LOG] = "id source model system gpus tp dp ep engine max_num_seqs max_num_batched_tokens dtype request_id "
                    "input_tokens output_tokens arrival_s ttft_s latency_s "
                    "url engine_version kv_tokens queued_s wait_s tpot_s notes",
    [ORR_SET_LAB] = "id source style layers hidden heads ffn vocab precision attention dropout recompute compiled seq "
                    "micro_batch step_s peak_bytes "
                    "url model params fwd_s bwd_s opt_s static_bytes notes",
    [ORR_SET_LAYER] = "id source model system gpus tp sp seq micro_batch precision recompute attention phase time_s "
                      "url notes",
};

size_t orr_schema_columns(enum orr_set set, char names[ORR_MAX_NAMES][ORR_MAX_NAME])
{
    size_t n = 0;
    for (const char *at = COLUMNS[set]; at && orr_next_word(&at, ' ', names[n], ORR_MAX_NAME);) n++;
    return n;
}

enum orr_err orr_schema_check(const struct orr_csv *csv, enum orr_set set, const char *origin, struct orr_error *error)
{
    char names[ORR_MAX_NAMES][ORR_MAX_NAME], hint[ORR_HINT];
    const char *known[ORR_MAX_NAMES];
    const size_t n = orr_schema_columns(set, names);
    for (size_t i = 0; i < n; i++) known[i] = names[i];
    for (size_t c = 0; c < csv->n_columns; c++) {
        size_t i = 0;
        while (i < n && strcmp(known[i], csv->names[c]) != 0) i++;
        if (i == n)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin, .line = 1},
                            "unknown column \"%.60s\"%s", csv->names[c],
                            orr_did_you_mean(hint, csv->names[c], known, n));
    }
    return ORR_OK;
}
