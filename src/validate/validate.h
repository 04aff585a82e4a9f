/* Rows of a measurement CSV with their predictions, and error statistics over any group of them. */
#ifndef ORR_VALIDATE_VALIDATE_H
#define ORR_VALIDATE_VALIDATE_H

#include "predict/interval.h"
#include "spec/csv.h"
#include "validate/served.h"

#include <stdint.h>

/* The class of scores that have no interval. */
#define ORR_MEMORY_CLASS "peak memory"

/* Columns that scores can be grouped by at once. */
#define ORR_MAX_BY 4

/* The kind of measurement of a row: its schema and, for inference, whether the batch is filled in flight. */
#define ORR_SETS(X)                                                                                                    \
    X(TRAINING, "training")                                                                                            \
    X(INFERENCE, "inference")                                                                                          \
    X(IN_FLIGHT, "in flight")                                                                                          \
    X(SERVING, "serving")                                                                                              \
    X(LOG, "request log")                                                                                              \
    X(LAB, "lab steps")                                                                                                \
    X(LAYER, "layer times")
#define ORR_X_SET_(name, text) ORR_SET_##name,
enum orr_set { ORR_SETS(ORR_X_SET_) ORR_N_SETS };

/* One measured value and its prediction. The strings point into the CSV. */
struct orr_score {
    size_t csv, row; /* index into orr_validation.csvs, and the row in that CSV */
    enum orr_set set;
    const char *id, *source, *system, *model, *metric;
    const char *by[ORR_MAX_BY]; /* values in the columns given to orr_validation_group */
    double measured, predicted;
    double error;     /* predicted time over measured time - 1 (throughput inverted); the same for bytes */
    bool covered;     /* The measured value is inside the 80 % interval (times only). */
    double low, high; /* ends of that interval, as factors of the predicted time (times only) */
    bool on_record;   /* measured runs cover the engine in this regime (times only) */
    char engine[ORR_ID], family[ORR_ID]; /* of the prediction (times only) */
    char system_id[ORR_ID];              /* the system by its own name, where the row has another (times only) */
    char chip[ORR_ID], architecture[32]; /* of that system (times only) */
    char plan[56];                       /* degrees and sizes of the run in words (times only) */
    double gpus, params;                 /* GPUs and active parameters (times only) */
    double bound_frac[ORR_N_BOUNDS];     /* what the time is exposed to (times only) */
    bool timed;                          /* The score has an interval. */
    const char *job_class;               /* class of the interval; a literal */
    enum orr_regime regime;              /* regime in job_class (times only) */
    bool calibrated;
    char skipped[ORR_ERROR_TEXT]; /* why the row was not scored; empty if it was */
};

struct orr_validation {
    size_t n_csvs;
    struct orr_csv *csvs; /* They own the strings of the scores. */
    size_t n_rows, n_scores;
    struct orr_score *scores;
    size_t n_verdicts, n_wrong_verdicts; /* rows with a known answer whether the job fits */
    size_t n_failed, n_missed;           /* of these: runs that failed, and failed ones that were predicted to fit */
    size_t n_by;
    const char *by[ORR_MAX_BY];          /* columns given to orr_validation_group */
    struct orr_served_run run;           /* of the last row of the serving schema */
    uint32_t without;                    /* mask of pieces left out of every job (ablate.h) */
    bool unseen;                         /* every source is predicted as if nobody had seen it (unseen.h) */
    const char *only;                    /* conditions that rows must meet to be predicted; NULL: none */
};

/* Can a row of a table have a score that meets the conditions of `only`? */
bool orr_validation_asks(const struct orr_validation *validation, const struct orr_csv *csv, size_t row);

struct orr_error_stats {
    size_t n;
    double mape_frac, median_frac, p90_frac, max_frac, bias_frac; /* statistics of |error|; bias: median signed error */
    double coverage80_frac;                                       /* share of the timed scores; NAN if there are none */
    double width_ln;                                              /* mean width of their intervals; NAN likewise */
    /* median of |error| after the predictions are divided by the common factor that removes the bias */
    double spread_frac;
};

/* Statistics over the scored rows for which `member(score)` equals `value` (member NULL: all). */
struct orr_error_stats orr_score_stats(const struct orr_validation *validation,
                                       const char *(*member)(const struct orr_score *), const char *value);

/* As orr_validate, for several validations at once: every row is read once and scored by each validation without its
 * pieces. After an error the validations may only be freed. */
enum orr_err orr_validate_each(const struct orr_catalogue *catalogue, const char *csv, const char *origin,
                               struct orr_validation *const *validations, size_t n, struct orr_error *error);

#endif
