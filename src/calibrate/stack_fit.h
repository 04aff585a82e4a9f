/* The fit of a user's stack, from tables and logs to what is reported about it. */
#ifndef ORR_CALIBRATE_STACK_FIT_H
#define ORR_CALIBRATE_STACK_FIT_H

#include "calibrate/stack.h"
#include "spec/cells.h"

enum { ORR_STACK_ENGINES = 1 + ORR_STACK_OTHERS, ORR_STACK_NEXT = 3, ORR_STACK_NOTES = 64 };
#define ORR_NOTE 600 /* a message whole, and the name of its run */

/* What is known about one run after the fit; all errors are logarithms of measured over predicted time. */
struct orr_stack_about {
    double before, after, left_out; /* with the parent, with the engine file, with a fit to the others */
    double left;                    /* with the numbers of the fit alone: the file shares it with jobs like this */
    double weight;                  /* of that error: 1 is an ordinary one */
    bool outlier;
    enum orr_regime regime; /* with the fit, as is what its time is exposed to */
    double bound_frac[ORR_N_BOUNDS];
};

/* A run that would tell much, as a change of one cell of a measured run. */
struct orr_stack_next {
    size_t run; /* index of the measured run */
    char column[24], from[24], to[24];
    double narrowing_frac; /* by how much the intervals of the candidates and runs would shrink */
    double predicted_s;    /* how long it would take; 0: the row is not a time */
};

struct orr_stack {
    const struct orr_catalogue *catalogue;
    char parent[ORR_ID]; /* as asked for; "": from the rows */
    struct orr_cells with;
    int64_t skip; /* iterations of a log that do not count */
    size_t n_tables;
    struct orr_stack_table *tables; /* texts and names are owned */
    /* results */
    struct orr_stack_runs *engines[ORR_STACK_ENGINES];
    char names[ORR_STACK_ENGINES][ORR_ID];
    size_t n_engines;
    size_t *chosen;          /* usable runs, in an order that does not depend on that of the rows */
    size_t n_chosen, n_main; /* those of the main population come first */
    struct orr_stack_mixture mixture;
    struct orr_stack_fit fit; /* the best member, with the numbers that the runs can tell */
    const struct orr_stack_runs *fit_runs;
    const char *fit_engine;
    double stack_spread;           /* ln: what the runs left uncertain about other runs */
    struct orr_stack_about *about; /* by place in `chosen` */
    size_t n_next;
    struct orr_stack_next next[ORR_STACK_NEXT];
    size_t n_notes;
    char notes[ORR_STACK_NOTES][ORR_NOTE]; /* bad and contradictory rows, populations: one line each */
    size_t n_predictions;
};

void orr_stack_note(struct orr_stack *stack, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How a run is called in reports: its id, else the line of its row. */
void orr_stack_run_name(const struct orr_stack_runs *runs, size_t i, char name[80]);

/* Notes on rows that contradict each other: equal plans with other times (stack_rows.c). */
void orr_stack_check_rows(struct orr_stack *stack);
/* Notes on pairs of runs that differ in one cell and by far more in time than any prediction. Returns the column that
 * most of them differ in, NULL if they are few. */
const char *orr_stack_odd_pairs(struct orr_stack *stack);
/* Which next run would tell most (stack_next.c). Returns false if out of memory. */
bool orr_stack_find_next(struct orr_stack *stack, struct orr_stack_worker *worker);

/* Prior and posterior spread of a parameter of the fit (ORR_STACK_N: the level), in units of the prior's. */
double orr_stack_told(const struct orr_stack_fit *fit, int i);
/* How far the value of a parameter (ORR_STACK_N: the level, in logarithms) was taken to be from the parent's, in the
 * unit of its scale. */
double orr_stack_prior_spread(const struct orr_stack *stack, int i);
/* The 80 % interval of a parameter's value. */
void orr_stack_interval(const struct orr_stack *stack, int i, double *low, double *high);
double orr_stack_engine_value(const struct orr_stack *stack, int i, bool fitted);

#endif
