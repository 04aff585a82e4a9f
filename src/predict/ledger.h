/* The ledger of time says where the seconds of an answer go, row by row. Sums are always kept, rows only where the
 * caller asks for them. Both come from the same additions, so that they agree to the last bit. */
#ifndef ORR_PREDICT_LEDGER_H
#define ORR_PREDICT_LEDGER_H

#include "predict/work.h"

#define ORR_MAX_TIME_ROWS (2 * ORR_MAX_OPS + 64)
#define ORR_LEDGER_PARTS  12
_Static_assert((int)ORR_N_TIME_PARTS <= ORR_LEDGER_PARTS && (int)ORR_N_INFER_PARTS <= ORR_LEDGER_PARTS,
               "room for every part of either kind of job");

struct orr_ledger {
    const struct orr_job *job;
    struct orr_time_row *rows; /* NULL where only the sums are wanted */
    size_t n_rows;
    int64_t rank; /* pipeline rank written on every row */
    double part_s[ORR_LEDGER_PARTS];
    double bound_s[ORR_N_BOUNDS];
    double hidden_s[ORR_N_GROUPS];
};

/* This is what one call adds: a number of executions, and what each of them takes. */
struct orr_spent {
    int part;
    enum orr_phase phase;
    enum orr_bound resource;
    double runs, run_s;
    double hidden_run_s; /* seconds of one execution that run beside other work */
    double works;        /* executions whose work is counted; 0 counts all runs */
};

/* Keeps a row without touching the sums. Where `op` is NULL, the row is a wait called `name`. */
void orr_ledger_keep(struct orr_ledger *ledger, const struct orr_spent *spent, const char *name, int64_t index,
                     const struct orr_op *op, const struct orr_cost *cost);

static inline void orr_ledger_sum(struct orr_ledger *ledger, const struct orr_spent *spent, enum orr_group group)
{
    const double exposed_s = spent->runs * spent->run_s;
    ledger->part_s[spent->part] += exposed_s;
    ledger->bound_s[spent->resource] += exposed_s;
    ledger->hidden_s[group] += spent->runs * spent->hidden_run_s;
}

/* Adds executions of operator `index` of the list. */
static inline void orr_ledger_add_op(struct orr_ledger *ledger, const struct orr_spent *spent, int64_t index,
                                     const struct orr_op *op, const struct orr_cost *cost)
{
    orr_ledger_sum(ledger, spent, op->group);
    if (ledger->rows) orr_ledger_keep(ledger, spent, op->name, index, op, cost);
}

/* Adds a wait or time of the host; it adds nothing where the wait takes no time. */
static inline void orr_ledger_add_wait(struct orr_ledger *ledger, const char *name, int part, enum orr_phase phase,
                                       enum orr_bound resource, double runs, double run_s)
{
    const struct orr_spent spent = {part, phase, resource, runs, run_s, 0, 0};
    if (runs * run_s <= 0) return;
    orr_ledger_sum(ledger, &spent, ORR_GROUP_NONE);
    if (ledger->rows) orr_ledger_keep(ledger, &spent, name, -1, NULL, NULL);
}

/* Adds a wait that consists of other ranks' work: one row for each resource that binds it, `scale` times as long. */
void orr_ledger_add_mixed(struct orr_ledger *ledger, const char *name, int part, enum orr_phase phase,
                          const double bound_s[ORR_N_BOUNDS], double scale);

/* Fills the shares of the whole and the joules of every row, once the whole is known. */
void orr_ledger_close(struct orr_ledger *ledger, double total_s, const struct orr_energy *energy);

#endif
