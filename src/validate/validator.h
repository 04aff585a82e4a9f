/* Functions that the row scorers share: they fill a request from cells, read it, and record a score. */
#ifndef ORR_VALIDATE_VALIDATOR_H
#define ORR_VALIDATE_VALIDATOR_H

#include "predict/interval.h"
#include "predict/scratch.h"
#include "validate/unseen.h"
#include "validate/validate.h"

struct validator {
    struct orr_validation *v;
    const struct orr_csv *csv;
    struct orr_scratch *scratch;
    enum orr_set set;
    struct orr_form *form; /* the request of the row; parts that rows share are read only once */
    struct orr_error error;
    enum orr_err err;   /* result of filling the form; `error` says what is wrong */
    struct orr_job job; /* the job of the request, without the pieces left out */
    struct orr_result result;
    struct orr_exposure exposure; /* of the predicted time, for its interval */
    struct orr_unseen unseen;     /* where every source is predicted as if nobody had seen it */
    /* NULL: every row has the engine that it names; else the engine in place of that one */
    const char *(*engine)(void *context, const char *own);
    void *engine_context;
    const char *own; /* the engine that the last row names */
    bool means;      /* services under load: predict means alone, without intervals and shares of resources */
};

/* A kind of table, which is recognised by its columns. */
struct orr_schema {
    const char *columns[3];
    enum orr_set set;
    const char *request; /* text that all requests begin with; NULL: none */
    void (*score_row)(struct validator *w, size_t row);
    /* The two halves of scoring, for those who predict a row with many constants: read the job of a row (NULL if there
     * is nothing to predict; the last score says why), and put the prediction of w->job into the score. */
    struct orr_score *(*read_row)(struct validator *w, size_t row);
    void (*predict)(struct validator *w, size_t row, struct orr_score *score);
};
/* The schema of a table; NULL if it has none. */
const struct orr_schema *orr_schema_of(const struct orr_csv *csv);
/* Parse a table and make room for its scores. */
enum orr_err orr_validation_add(struct orr_validation *v, const char *csv, const char *origin, struct orr_error *error);

/* Put a cell at a path of the request. An empty cell removes the path, so that the documented default applies. */
void orr_row_put(struct validator *w, const char *path, const char *cell);
/* Put the engine of a row; an empty cell means `fallback` where its parent is asked for. */
void orr_row_put_engine(struct validator *w, const char *cell, const char *fallback);
void orr_row_put_number(struct validator *w, const char *path, long number);
/* Put the cells of these columns, separated by spaces, at the paths that begin with `section` ("" or "plan."). */
void orr_row_put_cells(struct validator *w, size_t row, const char *section, const char *columns);
/* The whole cell as a number; NAN if it is not one. */
double orr_row_value(const char *cell);
/* Read a positive measured value, in units of `unit`, into the score. If it is none, the score says what is wrong. */
bool orr_row_measured(const struct validator *w, size_t row, const char *column, double unit, struct orr_score *score);
/* A new score for a row. */
struct orr_score *orr_row_score(struct validator *w, size_t row, const char *metric);
/* Is the cell of a column empty or one of these words, separated by spaces? If not, the score says what it may be. */
bool orr_row_word(const struct validator *w, size_t row, const char *column, const char *words,
                  struct orr_score *score);
/* Read the request into w->job and take the pieces out. On failure the score says why. */
bool orr_row_read(struct validator *w, struct orr_score *score);
/* Keep a prediction if it is a positive number; else the score says that there is none. */
bool orr_row_predicted(double predicted, struct orr_score *score);
/* Record a predicted value of w->job beside the measured one: a time, or a rate that follows from time_s. */
void orr_row_time(const struct validator *w, enum orr_regime regime, double predicted_s, struct orr_score *score);
void orr_row_rate(const struct validator *w, enum orr_regime regime, double predicted, double time_s,
                  struct orr_score *score);
/* The same for a service under load, whose result has intervals: those of a time, or of a rate as factors. */
void orr_row_served_time(const struct validator *w, enum orr_regime regime, const struct orr_timing *timing,
                         double predicted_s, struct orr_score *score);
void orr_row_served_rate(const struct validator *w, enum orr_regime regime, double low_frac, double high_frac,
                         double predicted, struct orr_score *score);

void orr_score_infer_row(struct validator *w, size_t row);
struct orr_score *orr_read_infer_row(struct validator *w, size_t row);
void orr_predict_infer(struct validator *w, size_t row, struct orr_score *score);
void orr_score_serving_row(struct validator *w, size_t row);
struct orr_score *orr_read_serving_row(struct validator *w, size_t row);
void orr_predict_serving(struct validator *w, size_t row, struct orr_score *score);
void orr_score_log_row(struct validator *w, size_t row);

#endif
