/* A request at many points: the index of a point gives values, a job and an outcome. Points run in parallel. */
#ifndef ORR_STUDY_SWEEP_H
#define ORR_STUDY_SWEEP_H

#include "spec/form.h"
#include "study/axis.h"

/* The outcome of one point. */
struct orr_point {
    enum orr_point_status status;
    char reason[ORR_ERROR_TEXT];
    struct orr_answer answer; /* job and result, without ledger; unset if invalid */
    struct orr_choice choice; /* plan found, if every point is a search */
};

/* The memory of one thread. */
struct orr_sweep_worker {
    struct orr_form *form;
    struct orr_scratch *scratch;
    char (*put)[ORR_SWEEP_VALUE];       /* the values that are in the form, by axis */
    struct orr_search_request *request; /* the search of a point; NULL: points are predicted */
    struct orr_job job;                 /* its best plan */
    struct orr_point outcome;
    struct orr_error error; /* code != 0: nothing more is answered */
};

struct orr_sweep {
    enum orr_job_kind kind;
    struct orr_axis *axes;
    size_t n_axes;
    enum orr_sweep_mode mode;
    uint64_t seed;
    int64_t n_points;
    bool search; /* Every point is a search. */
    struct orr_sweep_worker *workers;
    int n_workers;
    char *text;    /* the text of orr_sweep_text */
    char *storage; /* memory for the texts of the axes */
};

/* orr_form_sweep for the request of the spec. */
enum orr_err orr_sweep_open(const struct orr_catalogue *catalogue, const struct orr_sweep_spec *spec,
                            struct orr_sweep **sweep, struct orr_error *error);

/* Put one value into the form. */
enum orr_err orr_sweep_put(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, size_t axis,
                           const char *value, struct orr_error *error);

/* Read the request of the form: a job, or a space to search. */
enum orr_err orr_sweep_understand(const struct orr_sweep *sweep, struct orr_sweep_worker *worker,
                                  const struct orr_job **job, struct orr_error *error);
/* Find the best plan of the space that was read and predict it in full (sweep_search.c). */
enum orr_err orr_sweep_search(struct orr_sweep_worker *worker, struct orr_error *error);

/* Try the values of every axis with the first values of the others; a wrong value is an error (sweep_check.c). */
enum orr_err orr_sweep_check(const struct orr_sweep *sweep, struct orr_sweep_worker *worker, struct orr_error *error);

/* Answer n points from `first` on. `visit` is called for each, in any order and from several threads at once. */
enum orr_err orr_sweep_each(struct orr_sweep *sweep, int64_t first, size_t n,
                            void (*visit)(void *context, size_t i, const struct orr_point *outcome), void *context,
                            struct orr_error *error);

#endif
