/* Rows of a measurement CSV with their predictions, and error statistics over any group of them. */
#ifndef ORR_STUDY_VALIDATE_H
#define ORR_STUDY_VALIDATE_H

#include "predict/interval.h"
#include "study/csv.h"

/* Class of the scores that have no interval. */
#define ORR_MEMORY_CLASS "peak memory"

/* One measured value and its prediction. Strings point into the CSV. */
struct orr_score {
    size_t csv, row; /* place in orr_validation.csvs */
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
};

struct orr_error_stats {
    size_t n;
    double mape_frac, median_frac, p90_frac, max_frac, bias_frac; /* of |error|; bias: median signed error */
    double coverage80_frac;                                       /* of the timed scores; NAN if there are none */
};

/* Statistics over the scored rows for which `member(score)` equals `value` (member NULL: all). */
struct orr_error_stats orr_score_stats(const struct orr_validation *validation,
                                       const char *(*member)(const struct orr_score *), const char *value);

#endif
