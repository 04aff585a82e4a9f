/* The run that the last rows of the serving schema belong to. */
#ifndef ORR_VALIDATE_SERVED_H
#define ORR_VALIDATE_SERVED_H

#include "orrery.h"
#include "spec/csv.h"

struct orr_served_run {
    size_t csv; /* number of the file, counted from 1; 0: none yet */
    struct orr_serving_result result;
    double rate_per_s;                  /* open arrivals: the rate that gives the measured time per token */
    double stated_tpot_s;               /* ... and the time per token at the rate that the source states */
    struct orr_request_record *records; /* a log: its requests by their place, owned by the validation */
    char failed[ORR_ERROR_TEXT];        /* why it was not run; empty if it was */
};

/* Do two rows of the serving schema belong to one run, which is simulated once? */
bool orr_same_run(const struct orr_csv *csv, size_t a, size_t b);

#endif
