/* Before a sweep runs: does every varied field exist, and may it have its values? Each value is tried with the first
 * values of the other fields. Values that break a rule together are no error here; their points become rows. */
#include "study/sweep.h"

enum { TRIED_MAX = 256 }; /* values of one axis that are tried, then its last one */

/* Put a value and read the request. ORR_ERR_RULE is no error of the value: it may depend on the other fields. */
static enum orr_err try_value(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, size_t axis,
                              const char *value, struct orr_error *error)
{
    const struct orr_job *job;
    enum orr_err err = orr_sweep_put(sweep, worker, axis, value, error);
    if (!err) err = orr_sweep_understand(sweep, worker, &job, error);
    return err == ORR_ERR_RULE ? ORR_OK : err;
}

static enum orr_err try_axis(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, size_t a,
                             struct orr_error *error)
{
    static const double PLACES[] = {0.999, 1.0 / 3, 0}; /* places on a continuous axis */
    const struct orr_axis *axis = &sweep->axes[a];
    char value[ORR_SWEEP_VALUE];
    enum orr_err err = ORR_OK;
    for (size_t i = 0; axis->continuous && !err && i < sizeof PLACES / sizeof *PLACES; i++) {
        orr_axis_at(axis, PLACES[i], value);
        err = try_value(sweep, worker, a, value, error);
    }
    if (axis->continuous || err) return err;
    orr_axis_value(axis, axis->n_values - 1, value);
    err = try_value(sweep, worker, a, value, error);
    const int64_t n = axis->n_values < TRIED_MAX ? axis->n_values : TRIED_MAX;
    /* The loop runs backwards, so that the first value stays in the form. */
    for (int64_t i = n - 1; i >= 0 && !err; i--) {
        orr_axis_value(axis, i, value);
        err = try_value(sweep, worker, a, value, error);
    }
    return err;
}

enum orr_err orr_sweep_check(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, struct orr_error *error)
{
    char value[ORR_SWEEP_VALUE];
    enum orr_err err = ORR_OK;
    for (size_t a = 0; a < sweep->n_axes && !err; a++) {
        if (sweep->axes[a].continuous) orr_axis_at(&sweep->axes[a], 0, value);
        else orr_axis_value(&sweep->axes[a], 0, value);
        err = orr_sweep_put(sweep, worker, a, value, error);
    }
    for (size_t a = 0; a < sweep->n_axes && !err; a++) err = try_axis(sweep, worker, a, error);
    return err;
}
