/* Measurements as a new user's would be: a source is predicted with the parent of its engine, and with everything
 * undone that was chosen with its rows in view. */
#ifndef ORR_VALIDATE_UNSEEN_H
#define ORR_VALIDATE_UNSEEN_H

#include "orrery.h"
#include "spec/csv.h"

#define ORR_MAX_OWN_ENGINES 16

struct orr_unseen {
    const struct orr_catalogue *whole;
    struct orr_catalogue *view; /* the catalogue without the source; NULL before the first */
    const char *source;         /* points into the CSV */
    size_t n_own;
    char own[ORR_MAX_OWN_ENGINES][ORR_ID]; /* engines of the source's own rows, which do not count as parents */
    /* Of the last question: the engine, what stands in for it, and what that is to it. */
    char asked[ORR_ID], parent[ORR_ID];
    enum orr_kin kin;
};

/* Starts with no source hidden. `on` false leaves everything empty. Close it even after an error. */
enum orr_err orr_unseen_open(struct orr_unseen *unseen, const struct orr_catalogue *catalogue, bool on,
                             struct orr_error *error);
void orr_unseen_close(struct orr_unseen *unseen);
/* Hides the source of the CSV, which must outlive the call of the next source. */
enum orr_err orr_unseen_hide(struct orr_unseen *unseen, const struct orr_csv *csv, const char *source,
                             struct orr_error *error);
/* The engine that stands in for another: its parent, or the parent's parent where the source has runs of that too. */
enum orr_err orr_unseen_engine(struct orr_unseen *unseen, const char *name, char parent[ORR_ID],
                               struct orr_error *error);

#endif
