/* Shared by the row scorers: composing a request from cells, reading it, recording a score. */
#ifndef ORR_VALIDATE_VALIDATOR_H
#define ORR_VALIDATE_VALIDATOR_H

#include "base/text.h"
#include "predict/interval.h"
#include "predict/scratch.h"
#include "validate/validate.h"

struct validator {
    const struct orr_catalogue *catalogue;
    struct orr_validation *v;
    const struct orr_csv *csv;
    struct orr_scratch *scratch;
    enum orr_set set;
    char *request;          /* the last one read; NULL: none */
    struct orr_job as_read; /* what it says */
    struct orr_job job;     /* the same without the pieces left out */
    struct orr_result result;
};

/* "key": cell, unless the cell is empty: then the documented default applies. */
void orr_row_cell(struct orr_text *text, const char *key, const char *cell);
/* The whole cell as a number; NAN: it is none. */
double orr_row_value(const char *cell);
/* The score has a positive measured value, which it takes from the cell; else it says what is wrong with it. */
bool orr_row_measured(struct orr_score *score, const char *column, const char *cell);
/* A new score for a row. */
struct orr_score *orr_row_score(struct validator *w, size_t row, const char *metric);
/* Read a request (taken over) into w->job and take the pieces out; on failure the score says why. */
bool orr_row_read(struct validator *w, char *request, struct orr_score *score);
/* Record a predicted against a measured time of w->job. */
void orr_row_time(const struct validator *w, enum orr_regime regime, double predicted_s, double measured_s,
                  struct orr_score *score);

void orr_score_infer_row(struct validator *w, size_t row);

#endif
