/* Rows of a measurement CSV with their predictions, and error statistics over any group of them. */
#ifndef ORR_VALIDATE_VALIDATE_H
#define ORR_VALIDATE_VALIDATE_H

#include "predict/interval.h"
#include "spec/csv.h"

#include <stdint.h>

/* Class of the scores that have no interval. */
#define ORR_MEMORY_CLASS "peak memory"

/* What kind of measurement a row is: its schema, and for inference whether the batch is filled in flight. */
#define ORR_SETS(X)                                                                                                    \
    X(TRAINING, "training")                                                                                            \
    X(INFERENCE, "inference")                                                                                          \
    X(IN_FLIGHT, "in flight")                                                                                          \
    X(LAB, "lab steps")                                                                                                \
    X(LAYER, "layer times")
#define ORR_X_SET_(name, text) ORR_SET_##name,
enum orr_set { ORR_SETS(ORR_X_SET_) ORR_N_SETS };

/* One measured value and its prediction. Strings point into the CSV. */
struct orr_score {
    size_t csv, row; /* place in orr_validation.csvs */
    enum orr_set set;
    const char *id, *source, *system, *model, *metric;
    const char *by; /* value of the column asked for with orr_validation_group; else NULL */
    double measured, predicted;
    double error;           /* predicted time over measured time - 1 (throughput inverted); bytes likewise */
    bool covered;           /* measured value inside the 80 % interval (times only) */
    bool timed;             /* has an interval */
    const char *job_class;  /* of the interval; static */
    enum orr_regime regime; /* what job_class says (times only) */
    bool calibrated;
    char skipped[ORR_ERROR_TEXT]; /* why it was not scored; empty if it was */
};

struct orr_validation {
    size_t n_csvs;
    struct orr_csv *csvs; /* own the strings of the scores */
    size_t n_rows, n_scores;
    struct orr_score *scores;
    size_t n_verdicts, n_wrong_verdicts; /* rows known to fit or not to fit */
    const char *by;                      /* column of orr_validation_group, a name in one of the CSVs; NULL: none */
    uint32_t without;                    /* pieces of physics left out of every job: validate/ablate.h */
};

struct orr_error_stats {
    size_t n;
    double mape_frac, median_frac, p90_frac, max_frac, bias_frac; /* of |error|; bias: median signed error */
    double coverage80_frac;                                       /* of the timed scores; NAN if there are none */
    double spread_frac; /* median of |error| with the bias taken out: as if one factor had put the level right */
};

/* Statistics over the scored rows for which `member(score)` equals `value` (member NULL: all). */
struct orr_error_stats orr_score_stats(const struct orr_validation *validation,
                                       const char *(*member)(const struct orr_score *), const char *value);

/* orr_validate for several validations at once: every row is read once and scored by each, without its pieces. After
 * an error of several they are only to be freed. */
enum orr_err orr_validate_each(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                               struct orr_validation *const *validations, size_t n, struct orr_error *error);

#endif
