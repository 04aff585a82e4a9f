/* Shared by the tests of calibration: a fit of one chip, its tables from text. */
#ifndef ORR_TESTS_FIT_H
#define ORR_TESTS_FIT_H

#include "support.h"

#include "calibrate/calibrate.h"

static inline struct orr_fit *open_fit(const struct world *world, const char *chip)
{
    struct orr_fit *fit;
    struct orr_error error;
    if (orr_fit_open(world->catalogue, chip, &fit, &error)) fail_msg("%s", error.text);
    return fit;
}

static inline void add(struct orr_fit *fit, const char *kind, const char *csv)
{
    struct orr_error error;
    if (orr_fit_add(fit, kind, csv, "test.csv", &error)) fail_msg("%s", error.text);
}

static inline void run(struct orr_fit *fit)
{
    struct orr_error error;
    if (orr_fit_run(fit, NULL, NULL, &error)) fail_msg("%s", error.text);
}

#endif
