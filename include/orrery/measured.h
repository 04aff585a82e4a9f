/* What measurements are for: calibration, validation, stacks from runs.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_MEASURED_H
#define ORRERY_MEASURED_H

/* ---------------------------------------------------------------- calibration */

/* Fit a chip's constants to timings of single kernels (docs/calibrate.md). The rows are priced by the same functions as
 * predictions; a constant that the rows do not determine keeps its value. Equal tables give equal constants to the last
 * bit: a fit uses neither a clock nor random numbers. */
struct orr_fit;

/* Start from the constants a chip has now. `chip` is a chip id, a calibration fitted on the chip, or the beginning of
 * its id as folders of measurements are called ("h20_sxm"). */
ORR_API ORR_NODISCARD enum orr_err orr_fit_open(const struct orr_catalogue *catalogue, const char *chip,
                                                struct orr_fit **fit, struct orr_error *error);
ORR_API void orr_fit_close(struct orr_fit *fit);
/* Add a table. `kind` is the name of its file: gemm, attention_decode, allreduce, ... After an error close the fit. */
ORR_API ORR_NODISCARD enum orr_err orr_fit_add(struct orr_fit *fit, const char *kind, const char *csv,
                                               const char *origin, struct orr_error *error);
/* Fit once, after the last table. `progress` (may be NULL) is told which constants are next and the share done. */
ORR_API ORR_NODISCARD enum orr_err orr_fit_run(struct orr_fit *fit,
                                               void (*progress)(void *context, const char *what, double done_frac),
                                               void *context, struct orr_error *error);
/* Render the fit as TERMINAL, JSON, CSV (one line per row) or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_fit_render(const struct orr_fit *fit, enum orr_format format,
                                           const struct orr_style *style);
/* A complete calibration file, which the caller owns; `date` goes into its sources (NULL: none). */
ORR_API ORR_NODISCARD enum orr_err orr_fit_file(const struct orr_fit *fit, const char *date, char **json,
                                                struct orr_error *error);

/* A fit of the fabric `id` to collectives between nodes (docs/networks.md): tables, or the text of nccl-tests. With
 * `system`, all rows were measured on it; else a column of the tables says where. Without an id (NULL) there is no fit,
 * only scores. */
struct orr_fabric_fit;
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_open(const struct orr_catalogue *catalogue, const char *id,
                                                       const char *system, struct orr_fabric_fit **fit,
                                                       struct orr_error *error);
ORR_API void orr_fabric_fit_close(struct orr_fabric_fit *fit);
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_add(struct orr_fabric_fit *fit, const char *text, const char *origin,
                                                      struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_run(struct orr_fabric_fit *fit, struct orr_error *error);
/* Predict every row with the fabric of its system, and with a default fitted to all other systems. */
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_score(struct orr_fabric_fit *fit, struct orr_error *error);
/* A report of what was run last: TERMINAL, JSON or CSV (one line per row); the caller owns it. NULL: out of memory. */
ORR_API ORR_NODISCARD char *orr_fabric_fit_render(const struct orr_fabric_fit *fit, enum orr_format format,
                                                  const struct orr_style *style);
/* The fabric as a file for a catalogue; `date` (NULL: none) goes into its sources. */
ORR_API ORR_NODISCARD char *orr_fabric_fit_file(const struct orr_fabric_fit *fit, const char *date);

/* ---------------------------------------------------------------- validation */

/* Score predictions against CSVs of measurements (docs/formats.md: training and inference rows, lab steps, layer
 * times). Start with a NULL *validation; every further call adds a file to it. On error *validation keeps what it
 * had. */
struct orr_validation;

ORR_API ORR_NODISCARD enum orr_err orr_validate(const struct orr_catalogue *catalogue, const char *csv,
                                                const char *origin, struct orr_validation **validation,
                                                struct orr_error *error);
ORR_API void orr_validation_free(struct orr_validation *validation);
/* The mean absolute percentage error over the scored rows, as a fraction; NAN if none was scored. */
ORR_API double orr_validation_mape_frac(const struct orr_validation *validation);
/* After the last file: also group the scores by columns of the CSVs ("tp", or several as in "gpus,tp") in every later
 * text. If no file has a column the result is ORR_ERR_INPUT, and the error names the columns there are. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_group(struct orr_validation *validation, const char *columns,
                                                        struct orr_error *error);
/* After the last file, before a grouping: keep only the scores that meet all conditions, COLUMN=VALUE with commas
 * between them; no value: rows that do not give one. Verdicts of fit, which belong to rows, are dropped. If no score is
 * left the result is ORR_ERR_INPUT, and the error names the nearest value there is. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_keep(struct orr_validation *validation, const char *conditions,
                                                       struct orr_error *error);
/* Before the first file, in a validation that may have been started: rows that cannot meet the conditions, which
 * orr_validation_keep gets as well, are not predicted. The text must live as long as files are added. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_only(const char *conditions, struct orr_validation **validation,
                                                       struct orr_error *error);
/* Render as TERMINAL, JSON, CSV, HTML (tables, and predicted over measured row by row) or INTERVALS; the caller owns
 * the text. */
ORR_API ORR_NODISCARD char *orr_validation_render(const struct orr_validation *validation, enum orr_format format,
                                                  const struct orr_style *style);
/* The name of the i-th piece of physics that a validation can leave out, to see what it is worth; NULL after the last.
 * `meaning` (may be NULL) receives how a prediction without the piece differs. */
ORR_API const char *orr_piece_name(size_t i, const char **meaning);
/* Start a validation that leaves `pieces` ("tiles,power") out of every job; pass it to orr_validate instead of NULL. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_without(const char *pieces, struct orr_validation **validation,
                                                          struct orr_error *error);
/* Start a validation that predicts every source as if nobody had seen it: with the parent of its engine, with all
 * undone that was chosen with its rows in view, and with the interval of an engine that no run covers. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_unseen(struct orr_validation **validation, struct orr_error *error);
/* An ablation scores the same rows with everything and without each piece in turn. Start with a NULL *ablation; every
 * further call adds a file. On error free the ablation. */
struct orr_ablation;
ORR_API ORR_NODISCARD enum orr_err orr_ablation_add(const struct orr_catalogue *catalogue, const char *csv,
                                                    const char *origin, struct orr_ablation **ablation,
                                                    struct orr_error *error);
ORR_API void orr_ablation_free(struct orr_ablation *ablation);
/* Render the ablation as TERMINAL, JSON or CSV; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_ablation_render(const struct orr_ablation *ablation, enum orr_format format,
                                                const struct orr_style *style);

/* ---------------------------------------------------------------- stacks from runs */

/* Fit a stack to measured runs (docs/fit.md): engine facts, host, network and kernel constants are moved from those
 * of a parent as far as the runs ask for it. Equal runs in any order give equal answers to the last bit. `parent` is
 * an engine's id or file; NULL: the engine that the rows name. */
struct orr_stack;
ORR_API ORR_NODISCARD enum orr_err orr_stack_open(const struct orr_catalogue *catalogue, const char *parent,
                                                  struct orr_stack **stack, struct orr_error *error);
ORR_API void orr_stack_close(struct orr_stack *stack);
/* Columns that tables and logs do not have, "model=llama3-8b,system=h100-sxm"; before the tables. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_put(struct orr_stack *stack, const char *cells, struct orr_error *error);
/* How many iterations of a log do not count; 5 unless said; before the logs. */
ORR_API void orr_stack_skip(struct orr_stack *stack, int64_t iterations);
/* Add a table of measurements (CSV, docs/formats.md) or a log, which is recognised by its content. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_add(struct orr_stack *stack, const char *text, const char *origin,
                                                 struct orr_error *error);
/* Add one run, "model=...,tp=8,...:step_time_s=12.3". */
ORR_API ORR_NODISCARD enum orr_err orr_stack_add_run(struct orr_stack *stack, const char *run, struct orr_error *error);
/* Fit once, after the last run. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_run(struct orr_stack *stack, struct orr_error *error);
/* Render as TERMINAL, JSON, CSV (one line per run) or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_stack_render(const struct orr_stack *stack, enum orr_format format,
                                             const struct orr_style *style);
/* The engine file of the stack, which the caller owns; `date` goes into its sources (NULL: none). */
ORR_API ORR_NODISCARD char *orr_stack_file(const struct orr_stack *stack, const char *name, const char *date);

/* How far a few runs of a stack bring its predictions (docs/fit.md): on the parent of its engine, with 0, 1, 3, 5 and
 * 10 runs drawn at random, n_draws times, for every stack of the measurements that has 12 rows or more. `only` (may
 * be NULL) is a part of the names of the sources to look at. Fits go along straight lines through the predictions of
 * each engine; with `exact` they predict anew, as orrery fit does, which takes a hundred times as long. */
struct orr_few_shot;
ORR_API ORR_NODISCARD enum orr_err orr_few_shot_run(const struct orr_catalogue *catalogue, const char *const *csvs,
                                                    const char *const *origins, size_t n, const char *only, int n_draws,
                                                    bool exact,
                                                    void (*progress)(void *context, const char *what, double done_frac),
                                                    void *context, struct orr_few_shot **few, struct orr_error *error);
ORR_API void orr_few_shot_free(struct orr_few_shot *few);
/* Render as TERMINAL, JSON or CSV; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_few_shot_render(const struct orr_few_shot *few, enum orr_format format,
                                                const struct orr_style *style);

#endif
