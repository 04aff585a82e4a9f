/* Shared by the row scorers: filling in a request from cells, reading it, recording a score. */
#ifndef ORR_VALIDATE_VALIDATOR_H
#define ORR_VALIDATE_VALIDATOR_H

#include "predict/interval.h"
#include "predict/scratch.h"
#include "validate/validate.h"

struct validator {
    struct orr_validation *v;
    const struct orr_csv *csv;
    struct orr_scratch *scratch;
    enum orr_set set;
    struct orr_form *form; /* the request of the row; what rows share is read once */
    struct orr_error error;
    enum orr_err err;   /* of filling it in: error says what is wrong */
    struct orr_job job; /* what it says, without the pieces left out */
    struct orr_result result;
};

/* Put a cell at a path of the request; an empty one is taken out, so that the documented default applies. */
void orr_row_put(struct validator *w, const char *path, const char *cell);
void orr_row_put_number(struct validator *w, const char *path, long number);
/* The cells of these columns, which are keys of a section ("" for the request itself). */
void orr_row_put_cells(struct validator *w, size_t row, const char *section, const char *const *columns, size_t n);
/* The whole cell as a number; NAN: it is none. */
double orr_row_value(const char *cell);
/* The score has a positive measured value, which it takes from the cell; else it says what is wrong with it. */
bool orr_row_measured(struct orr_score *score, const char *column, const char *cell);
/* A new score for a row. */
struct orr_score *orr_row_score(struct validator *w, size_t row, const char *metric);
/* The cell of a column is empty or one of these words; else the score says what it may be. */
bool orr_row_word(const struct validator *w, size_t row, const char *column, const char *const *words, size_t n,
                  struct orr_score *score);
/* Read the request into w->job and take the pieces out; on failure the score says why. */
bool orr_row_read(struct validator *w, struct orr_score *score);
/* Record a predicted against a measured time of w->job. */
void orr_row_time(const struct validator *w, enum orr_regime regime, double predicted_s, double measured_s,
                  struct orr_score *score);

void orr_score_infer_row(struct validator *w, size_t row);

#endif
