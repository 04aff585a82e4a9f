/* This file sums rows of the ledger of time. */
#include "metric/rows.h"

#include <string.h>

#include "metric/roofline.h"
#include "metric/value.h"

/* Says whether two operators differ in nothing but their layer kind and count. */
static bool ops_alike(const struct orr_op *a, const struct orr_op *b)
{
    const bool towers = (a->layer_kind == ORR_LAYER_TOWER) == (b->layer_kind == ORR_LAYER_TOWER);
    return towers && a->phase == b->phase && a->recomputed == b->recomputed && a->flops == b->flops &&
           a->bytes == b->bytes && a->batch == b->batch && a->m == b->m && a->n == b->n && a->k == b->k &&
           strcmp(a->name, b->name) == 0;
}

/* A repeated operator is like its first execution, and a wait for several resources is one wait. */
static bool rows_alike(const struct orr_answer *answer, const struct orr_time_row *a, const struct orr_time_row *b)
{
    if (a->op < 0 || b->op < 0)
        return a->op == b->op && a->part == b->part && a->phase == b->phase && strcmp(a->name, b->name) == 0;
    return a->run_s == b->run_s && ops_alike(&answer->ops[a->op], &answer->ops[b->op]);
}

struct orr_alike orr_rows_alike(const struct orr_answer *answer, size_t i, int part)
{
    const struct orr_time_row *rows = answer->rows;
    struct orr_alike alike = {.first = i};
    for (size_t k = 0; k < answer->n_rows; k++) {
        if (part != ORR_ANY_PART && rows[k].part != part) continue;
        if (!rows_alike(answer, &rows[k], &rows[i])) continue;
        if (k < i) return (struct orr_alike){.first = i};
        alike.n_rows++;
        alike.runs += rows[k].runs;
        alike.count += rows[k].op >= 0 && rows[k].phase != ORR_PHASE_RECOMPUTE ? answer->ops[rows[k].op].count : 0;
        alike.exposed_s += rows[k].exposed_s;
        alike.share_frac += rows[k].share_frac;
    }
    return alike;
}

/* Keeps the `n_max` heaviest groups in order; returns their new number. A group that falls off is added to *rest_s. */
static size_t insert(struct orr_alike *alike, size_t n, size_t n_max, struct orr_alike next, double *rest_s)
{
    if (!(next.exposed_s > 0)) return n;
    size_t place = n;
    while (place > 0 && alike[place - 1].exposed_s < next.exposed_s) place--;
    const struct orr_alike *off = n < n_max ? NULL : place == n_max ? &next : &alike[n_max - 1];
    if (off) *rest_s += off->exposed_s;
    n = n < n_max ? n + 1 : n_max;
    if (place == n_max) return n;
    for (size_t i = n - 1; i > place; i--) alike[i] = alike[i - 1];
    alike[place] = next;
    return n;
}

size_t orr_rows_heaviest(const struct orr_answer *answer, int part, bool waits, size_t n_max, struct orr_alike *alike,
                         double *rest_s)
{
    size_t n = 0;
    double rest = 0;
    for (size_t i = 0; i < answer->n_rows; i++) {
        if (part != ORR_ANY_PART && answer->rows[i].part != part) continue;
        if (answer->rows[i].op < 0 && !waits) continue;
        n = insert(alike, n, n_max, orr_rows_alike(answer, i, part), &rest);
    }
    if (rest_s) *rest_s = rest;
    return n;
}

struct orr_op_rows orr_rows_of_op(const struct orr_answer *answer, size_t op)
{
    struct orr_op_rows rows = {0};
    for (size_t i = 0; i < answer->n_rows; i++) {
        if (answer->rows[i].op != (int64_t)op) continue;
        if (!rows.first) rows.first = &answer->rows[i];
        rows.exposed_s += answer->rows[i].exposed_s;
    }
    return rows;
}

double orr_rows_share_frac(const struct orr_answer *answer, int part)
{
    double share_frac = 0;
    for (size_t i = 0; i < answer->n_rows; i++)
        if (answer->rows[i].part == part) share_frac += answer->rows[i].share_frac;
    return share_frac;
}

struct orr_products orr_rows_products(const struct orr_answer *answer, enum orr_phase phase)
{
    struct orr_products products = {0};
    double sum_s = 0, memory_s = 0;
    for (size_t i = 0; i < answer->n_rows; i++) {
        const struct orr_time_row *row = &answer->rows[i];
        const struct orr_op *op = row->op >= 0 ? &answer->ops[row->op] : NULL;
        if (!op || row->phase != phase || !orr_is_product(op)) continue;
        products.bound_frac[row->resource] += row->exposed_s;
        memory_s += orr_intensity(op) < orr_ridge(&answer->job->system.chip, op->dtype) ? row->exposed_s : 0;
        sum_s += row->exposed_s;
    }
    for (int i = 0; i < ORR_N_BOUNDS; i++) products.bound_frac[i] = orr_ratio(products.bound_frac[i], sum_s);
    products.memory_frac = orr_ratio(memory_s, sum_s);
    products.compute_frac = sum_s > 0 ? 1 - products.memory_frac : 0;
    return products;
}
