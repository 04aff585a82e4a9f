/* The fit of a fabric as orrery.h offers it: rows in, lines out. */
#include "calibrate/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"
#include "spec/part.h"

enum orr_err orr_fabric_fit_open(const struct orr_catalogue *catalogue, const char *id, const char *system,
                                 struct orr_fabric_fit **fit, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    *fit = calloc(1, sizeof **fit);
    if (!*fit) return orr_out_of_memory(error, NULL);
    (*fit)->catalogue = catalogue;
    orr_copy_line((*fit)->id, sizeof(*fit)->id, id ? id : "");
    orr_copy_line((*fit)->system_id, sizeof(*fit)->system_id, system ? system : "");
    return ORR_OK;
}

void orr_fabric_fit_close(struct orr_fabric_fit *fit)
{
    if (!fit) return;
    free(fit->systems);
    free(fit->rows);
    free(fit->scores);
    free(fit);
}

/* Remembers the name of a file for the sources. */
static void add_source(struct orr_fabric_fit *fit, const char *origin)
{
    const char *slash = strrchr(origin, '/');
    const size_t used = strlen(fit->sources);
    (void)snprintf(fit->sources + used, sizeof fit->sources - used, "%s%s", used ? ", " : "",
                   slash ? slash + 1 : origin);
}

enum orr_err orr_fabric_fit_add(struct orr_fabric_fit *fit, const char *text, const char *origin,
                                struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    add_source(fit, origin);
    if (orr_is_nccl_tests(text)) return orr_fabric_read_nccl_tests(fit, text, origin, error);
    struct orr_csv csv;
    enum orr_err err = orr_csv_parse(text, origin, &csv, error);
    if (err) return err;
    err = orr_fabric_read_table(fit, &csv, origin, error);
    orr_csv_free(&csv);
    return err;
}

/* A fabric may be named by systems: then only their rows are kept, and the fit describes that network. One that no
 * system of the rows names is fitted to all of them: a default for other networks, unless there is one system only. */
static void keep_rows(struct orr_fabric_fit *fit)
{
    bool named = false;
    size_t n = 0;
    for (size_t i = 0; i < fit->n_systems; i++) named = named || strcmp(fit->systems[i].own.id, fit->id) == 0;
    for (size_t i = 0; i < fit->n_rows; i++)
        if (!named || strcmp(fit->systems[fit->rows[i].system].own.id, fit->id) == 0) fit->rows[n++] = fit->rows[i];
    fit->n_rows = n;
    fit->fabric.measured = named || fit->n_systems == 1;
}

/* The share of the NIC that the bandwidth protocol of an all-to-all reaches; 0: the fabric has none. */
static double nic_frac(const struct orr_fabric *fabric)
{
    for (int64_t i = 0; i < fabric->n_lines; i++)
        if (fabric->lines[i].collective == ORR_COLLECTIVE_ALLTOALL && !fabric->lines[i].low_latency)
            return fabric->lines[i].efficiency_frac[0];
    return 0;
}

/* What the rows do not show is taken from the fabric for unknown networks: collectives without rows, and the latency
 * protocol of those with a few large messages only. Where a tree was fastest on the few domains
 * of the rows, rings may be on more. If the all-to-all has less of the NIC here than there, so have all these. Readers
 * copy the lines of a reduce-scatter from an all-gather. */
static void complete(struct orr_fabric *fabric, const struct orr_fabric *unknown)
{
    const struct orr_fabric fitted = *fabric;
    const double here = nic_frac(&fitted), there = nic_frac(unknown);
    const double factor = here > 0 && there > 0 ? orr_min(1, here / there) : 1;
    for (int64_t i = 0; i < unknown->n_lines && fabric->n_lines < ORR_MAX_FABRIC_LINES; i++) {
        struct orr_fabric_line line = unknown->lines[i];
        int64_t n = 0;
        bool by_tree = false;
        if (line.collective == ORR_COLLECTIVE_REDUCESCATTER) continue;
        for (int64_t j = 0; j < fitted.n_lines; j++) {
            if (fitted.lines[j].collective != line.collective) continue;
            line.after_local = fitted.lines[j].after_local; /* a fact of the machine, not of the protocol */
            by_tree = by_tree || (fitted.lines[j].algorithm == ORR_ALGORITHM_TREE && !fitted.lines[j].low_latency);
            n++;
        }
        for (int64_t j = 0; j < line.n_points; j++) line.efficiency_frac[j] *= factor;
        const bool other = by_tree && line.algorithm == ORR_ALGORITHM_RING && !line.low_latency;
        if (n == 0 || (n == 1 && line.low_latency) || other) fabric->lines[fabric->n_lines++] = line;
    }
}

/* The spread of a measured network is that of its own rows; that of a default is how far off it is on systems it was
 * not fitted to. */
static bool find_spread(struct orr_fabric_fit *fit)
{
    struct orr_fabric *fabric = &fit->fabric;
    fabric->spread_low_frac = fabric->spread_high_frac = 1;
    struct orr_fabric_score *scores = fabric->measured ? NULL : calloc(fit->n_systems, sizeof *scores);
    bool good = fabric->measured || (scores && orr_fabric_scores(fit, scores));
    for (size_t i = 0; good && scores && i < fit->n_systems; i++) {
        if (scores[i].unknown.n == 0) continue;
        fabric->spread_low_frac = orr_min(fabric->spread_low_frac, scores[i].unknown.ratio_low);
        fabric->spread_high_frac = orr_max(fabric->spread_high_frac, scores[i].unknown.ratio_high);
    }
    free(scores);
    orr_fabric_install(fit, fabric);
    orr_fabric_predict(fit);
    struct orr_fabric_stats stats;
    good = good && orr_fabric_stats_of(fit, orr_fabric_large(SIZE_MAX, false), &stats);
    if (good && fabric->measured && stats.n > 0) {
        fabric->spread_low_frac = orr_min(1, stats.ratio_low);
        fabric->spread_high_frac = orr_max(1, stats.ratio_high);
    }
    fabric->spread_low_frac = floor(100 * fabric->spread_low_frac) / 100; /* whole hundredths, outwards */
    fabric->spread_high_frac = ceil(100 * fabric->spread_high_frac) / 100;
    return good;
}

enum orr_err orr_fabric_fit_run(struct orr_fabric_fit *fit, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const unsigned long mark = orr_memory_mark();
    keep_rows(fit);
    if (!orr_fabric_search(fit, NULL, !fit->fabric.measured, &fit->fabric)) return orr_out_of_memory(error, NULL);
    if (fit->fabric.n_lines == 0)
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                        "no timing spans two scale-up domains: there is nothing to fit");
    struct orr_fabric unknown;
    struct orr_error ignored;
    orr_copy_line(fit->fabric.id, sizeof fit->fabric.id, fit->id);
    fit->n_fitted_lines = fit->fabric.n_lines;
    if (fit->fabric.measured && !orr_fabric_read(fit->catalogue, "unknown", &unknown, &ignored))
        complete(&fit->fabric, &unknown);
    const enum orr_err err = find_spread(fit) ? ORR_OK : orr_out_of_memory(error, NULL);
    return orr_complete_since(mark, err, error);
}

enum orr_err orr_fabric_fit_score(struct orr_fabric_fit *fit, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    free(fit->scores);
    fit->scores = calloc(fit->n_systems + 1, sizeof *fit->scores);
    return fit->scores && orr_fabric_scores(fit, fit->scores) ? ORR_OK : orr_out_of_memory(error, NULL);
}
