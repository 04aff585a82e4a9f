/* These metrics are shared by training and inference, in the form of the lists of metric/train.h and metric/infer.h.
 * What differs is a parameter: `time` is the key of the whole time, "step_time_s" or "latency_s". */
#ifndef ORR_METRIC_SHARED_H
#define ORR_METRIC_SHARED_H

/* clang-format off */

#define ORR_METRICS_INTERVAL(X, time, of, classes)                                                                    \
    X(INTERVAL_LOW, "interval_s.0", S, "lower end of the 80 % interval of the " of,                                   \
      time " · low_ratio, the 10 % quantile of measured/predicted in the class", "validation residuals",              \
      r->interval_low_s)                                                                                              \
    X(INTERVAL_HIGH, "interval_s.1", S, "upper end of the 80 % interval of the " of,                                  \
      time " · high_ratio, the 90 % quantile of measured/predicted in the class", "validation residuals",             \
      r->interval_high_s)                                                                                             \
    X(QUANTILE_10, "quantiles_s.p10", S, "one measured " of " in ten is expected below", "interval_s[0]",              \
      "validation residuals", r->interval_low_s)                                                                      \
    X(QUANTILE_50, "quantiles_s.p50", S, "half of the measured values are expected below",                            \
      time " · median of measured/predicted", "validation residuals", r->median_s)                                    \
    X(QUANTILE_90, "quantiles_s.p90", S, "one measured " of " in ten is expected above", "interval_s[1]",              \
      "validation residuals", r->interval_high_s)                                                                     \
    X(INTERVAL_FROM, "interval_from", WORD, "what widens the interval most", "largest term of the width",             \
      "Eq. 186", orr_doubt_text(r->interval_from))                                                                    \
    X(INTERVAL_NARROWED, "interval_narrowed_by", WORD, "what to measure to narrow the interval",                      \
      "by interval_from", "Eq. 186", orr_doubt_remedy(r->interval_from))                                              \
    X(ENGINE_MEASURED, "engine_measured", FLAG, "measured runs have this engine in this regime",                      \
      "at least 8 measured times", "validation rows", r->engine_measured)                                             \
    X(INTERVAL_CLASS, "interval_class", WORD, "class of jobs whose validation residuals give the interval",           \
      classes, "validation residuals", r->interval_class)

/* These are the shares of `whole` by binding resource. `dram`, `network` and `fixed` are the sums of the formulas;
 * `gaps` says what the last share is made of. */
#define ORR_METRICS_BOUNDS(X, NAME, key, share, of, whole, dram, network, gaps, fixed)                                \
    X(NAME##_COMPUTE, key ".compute", FRAC, "share of " of " bound by matrix or vector units",                        \
      "Σ compute-bound kernels / " whole, "Eq. 25", r->share[ORR_BOUND_COMPUTE])                                      \
    X(NAME##_L2, key ".l2", FRAC, "share of " of " bound by last-level cache bandwidth",                              \
      "Σ l2-bound kernels / " whole, "Eq. 25", r->share[ORR_BOUND_L2])                                                \
    X(NAME##_DRAM, key ".dram", FRAC, "share of " of " bound by DRAM bandwidth",                                      \
      dram " / " whole, "Eq. 25", r->share[ORR_BOUND_DRAM])                                                           \
    X(NAME##_NETWORK, key ".network", FRAC, "share of " of " bound by link bandwidth or latency",                     \
      network " / " whole, "Eq. 25", r->share[ORR_BOUND_NETWORK])                                                     \
    X(NAME##_OVERHEAD, key ".overhead", FRAC, "share of " of " in " gaps " and other fixed cost",                     \
      "(Σ launch-bound kernels + " fixed ") / " whole, "Eq. 25", r->share[ORR_BOUND_OVERHEAD])                        \
    X(NAME##_HOST, key ".host", FRAC, "share of " of " in which the GPU waits for the host",                          \
      "Σ host waits / " whole, "Eq. 126", r->share[ORR_BOUND_HOST])

/* `one` is "one step" or "the request". `token` says which tokens are counted; `tokens` is their number as a formula
 * and `n_tokens` as a value. */
#define ORR_METRICS_ENERGY(X, time, one, token, tokens, n_tokens)                                                     \
    X(ENERGY, "energy_j", J, "energy of " one " in the whole system, including facility overhead",                    \
      "gpus · power_w_per_gpu · " time " · pue_frac", "Eq. 104", r->energy_j)                                         \
    X(POWER, "power_w_per_gpu", W, "mean power of one GPU, at most its limit",                                        \
      "min(tdp_w, idle_w + (FLOP · flop_j + DRAM bytes · hbm_j_per_byte + link bytes · link_j_per_byte) / " time ")", \
      "Eq. 104", r->power_w_per_gpu)                                                                                  \
    X(ENERGY_PER_TOKEN, "energy_j_per_token", J, "energy of one " token " token", "energy_j / (" tokens ")",          \
      "Eq. 104", orr_ratio(r->energy_j, n_tokens))                                                                    \
    X(ENERGY_FLOP, "energy_part_j.flop", J, "arithmetic of the matrix units, including operand delivery",             \
      "gpus · FLOP · flop_j, less where tdp_w is reached", "Eq. 104", r->energy_part_j[ORR_ENERGY_FLOP])              \
    X(ENERGY_DRAM, "energy_part_j.dram", J, "DRAM traffic",                                                           \
      "gpus · DRAM bytes · hbm_j_per_byte, less where tdp_w is reached", "Eq. 104", r->energy_part_j[ORR_ENERGY_DRAM])\
    X(ENERGY_LINK, "energy_part_j.link", J, "traffic between GPUs",                                                   \
      "gpus · link bytes · link_j_per_byte, less where tdp_w is reached", "Eq. 104", r->energy_part_j[ORR_ENERGY_LINK])\
    X(ENERGY_IDLE, "energy_part_j.idle", J, "what an idle GPU draws anyway",                                          \
      "gpus · idle_w · " time, "Eq. 104", r->energy_part_j[ORR_ENERGY_IDLE])                                          \
    X(ENERGY_FACILITY, "energy_part_j.facility", J, "cooling and power conversion of the data centre",                \
      "energy_j · (1 - 1 / pue_frac)", "Eq. 104", r->energy_part_j[ORR_ENERGY_FACILITY])                              \
    X(COST, "cost_usd", USD, "rent of the GPUs for " one,                                                             \
      "gpus · price_usd_per_gpu_hour · " time " / 3600", "definition", r->cost_usd)

/* `does` says what the tokens of images do with the sequence. */
#define ORR_METRICS_TOWER(X, does)                                                                                    \
    X(IMAGE_TOKENS, "image_tokens", COUNT, "tokens that the images of a sequence " does,                             \
      "images · tokens of an image", "Eq. 125", j->media.image_tokens)                                                \
    X(PARAMS_TOWER, "params_tower", COUNT, "parameters of the vision tower or encoder of the job, in no other count", \
      "Σ layers and products of the tower; 0: the job has none", "Eq. 120",                                           \
      j->media.encodes ? j->model.tower.params : 0)

/* clang-format on */

#endif
