/* The record of what runs of a measured engine differ by, and the cell of a job in it (Eq. 264). */
#include "predict/measured.h"

#include <stdlib.h>
#include <string.h>

#include "predict/interval_table.h"

#define CELL_(engine, regime, bound, system, low, high) {engine, ORR_REGIME_##regime, bound, system, low, high},
static const struct orr_measured_cell CELLS[] = {ORR_MEASURED_CELLS(CELL_)};
enum { N_CELLS = sizeof CELLS / sizeof *CELLS };

int orr_dominant_bound(enum orr_regime regime, const double bound_frac[ORR_N_BOUNDS])
{
    int most = 0;
    if (regime == ORR_REGIME_SERVE_FIRST) return 0;
    for (int i = 1; i < ORR_N_BOUNDS; i++)
        if (bound_frac[i] > bound_frac[most]) most = i;
    return most;
}

static int by_engine(const void *name, const void *cell)
{
    return strcmp(name, ((const struct orr_measured_cell *)cell)->engine);
}

/* How much of a run a cell fixes: 1 engine and regime, 2 the resource as well, 3 the system too; 0: not this run. */
static int fineness(const struct orr_measured_cell *cell, enum orr_regime regime, int bound, const char *system)
{
    if (cell->regime != regime) return 0;
    if (cell->bound == ORR_CELL_ANY) return 1;
    if (cell->bound != bound) return 0;
    if (!cell->system[0]) return 2;
    return strcmp(cell->system, system) == 0 ? 3 : 0;
}

const struct orr_measured_cell *orr_measured_cell(const char *engine, enum orr_regime regime, int bound,
                                                  const char *system)
{
    const struct orr_measured_cell *found = bsearch(engine, CELLS, N_CELLS, sizeof *CELLS, by_engine), *best = NULL;
    int most = 0;
    if (!found) return NULL;
    while (found > CELLS && strcmp(found[-1].engine, engine) == 0) found--;
    for (; found < CELLS + N_CELLS && strcmp(found->engine, engine) == 0; found++) {
        const int fine = fineness(found, regime, bound, system);
        if (fine > most) best = found;
        if (fine > most) most = fine;
    }
    return best;
}
