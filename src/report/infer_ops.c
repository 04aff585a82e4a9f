/* The operator table shows shape, work, traffic, time and bound of every operator, and where products meet the
 * ridge. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "metric/roofline.h"
#include "report/answer.h"
#include "report/summary.h"
#include "report/table.h"

/* A letter per column is its alignment. A narrow terminal drops columns with a digit above 0, the highest first. */
static const char align[] = "frrrrrrrrrrllr";
static const char drop[] = "06800075910023";

#define CELL      48
#define N_COLUMNS (sizeof align - 1)

static void phase_title(struct orr_table *table, const char *title)
{
    ORR_ROW(table, ORR_PAINT_BOLD, title, "count", "batch", "M", "N", "K", "FLOP", "DRAM", "L2", "FLOP/B", "time",
            "bound", "ridge", "M*");
}

static void empty_row(struct orr_table *table)
{
    ORR_ROW(table, ORR_PAINT_NONE, "", "", "", "", "", "", "", "", "", "", "", "", "", "");
}

static void shape_cells(const struct orr_op *op, char cells[][CELL])
{
    const double sizes[] = {op->batch, op->m, op->n, op->k};
    const bool shaped = op->kind != ORR_OP_POINTWISE && op->kind != ORR_OP_COLLECTIVE;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (shaped) (void)orr_print_times(cells[i], sizes[i]);
        else (void)snprintf(cells[i], CELL, "-");
    }
}

/* Fills the intensity against the ridge (Eq. 96), and the M at which the product turns compute-bound. */
static void ridge_cells(const struct orr_answer *answer, const struct orr_op *op, char intensity_cell[CELL],
                        char ridge_cell[CELL], char turn_cell[CELL])
{
    const double ridge = orr_ridge(&answer->job->system.chip, op->dtype), intensity = orr_intensity(op);
    const double crossover = orr_is_product(op) ? orr_crossover_m(op, ridge) : 0;
    (void)snprintf(intensity_cell, CELL, "-");
    (void)snprintf(ridge_cell, CELL, "-");
    (void)snprintf(turn_cell, CELL, "-");
    if (intensity > 0) {
        (void)snprintf(intensity_cell, CELL, intensity < 99.95 ? "%.1f" : "%.0f", intensity);
        (void)snprintf(ridge_cell, CELL, "%s", intensity < ridge ? "memory" : "compute");
    }
    if (crossover > 0) (void)snprintf(turn_cell, CELL, "%.0f", crossover);
}

static void work_cell(char cell[CELL], double amount, char *(*print)(char *, double))
{
    if (amount > 0) (void)print(cell, amount);
    else (void)snprintf(cell, CELL, "-");
}

static char *print_flops(char *buffer, double flops)
{
    return orr_print_si(buffer, flops, "");
}

static void operator_row(const struct orr_answer *answer, const struct orr_alike *alike, struct orr_table *table)
{
    const struct orr_time_row *first = &answer->rows[alike->first];
    const struct orr_op *op = &answer->ops[first->op];
    const struct orr_cost *cost = &answer->costs[first->op];
    char cells[N_COLUMNS][CELL], title[ORR_TITLE_TEXT];
    const char *row[N_COLUMNS];
    (void)snprintf(cells[0], CELL, "%s", orr_op_title(title, op));
    (void)orr_print_times(cells[1], alike->count);
    shape_cells(op, &cells[2]);
    work_cell(cells[6], op->flops, print_flops);
    work_cell(cells[7], op->kind == ORR_OP_COLLECTIVE ? op->payload_bytes : cost->dram_bytes, orr_print_bytes);
    work_cell(cells[8], op->kind == ORR_OP_COLLECTIVE ? 0 : cost->l2_bytes, orr_print_bytes);
    ridge_cells(answer, op, cells[9], cells[12], cells[13]);
    (void)orr_print_s(cells[10], first->run_s);
    (void)snprintf(cells[11], CELL, "%s", orr_bound_name(cost->bound));
    for (size_t c = 0; c < N_COLUMNS; c++) row[c] = cells[c];
    orr_table_row(table, ORR_PAINT_NONE, row);
}

/* Equal operators of several layer kinds share one row. */
static void phase_rows(const struct orr_answer *answer, enum orr_phase phase, struct orr_table *table)
{
    for (size_t i = 0; i < answer->n_rows; i++) {
        if (answer->rows[i].phase != phase || answer->rows[i].op < 0) continue;
        const struct orr_alike alike = orr_rows_alike(answer, i, ORR_ANY_PART);
        if (alike.runs > 0) operator_row(answer, &alike, table);
    }
}

/* ---------------------------------------------------------------- shares of the products' time */

#define PRODUCTS_INDENT 19

static void add_products(const struct orr_answer *answer, enum orr_phase phase, const char *label,
                         const struct orr_style *style, struct orr_text *text)
{
    const struct orr_products products = orr_rows_products(answer, phase);
    struct orr_text line = {0};
    if (!(products.memory_frac + products.compute_frac > 0)) return;
    orr_summary_shares(products.bound_frac, ORR_N_BOUNDS, &line);
    orr_text_wrap(text, style, label, PRODUCTS_INDENT, line.data ? line.data : "", ", ");
    line.length = 0;
    orr_text_add(&line, "memory %.0f %%, compute %.0f %%", 100 * products.memory_frac, 100 * products.compute_frac);
    orr_text_wrap_line(text, style, "  by the ridge:", PRODUCTS_INDENT, &line, ", ");
}

/* Lists the ridges of the formats in use: "bf16 153 FLOP/B". */
static void add_legend(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    bool used[ORR_N_DTYPES] = {false};
    struct orr_text line = {0};
    for (size_t i = 0; i < answer->n_ops; i++)
        if (orr_is_product(&answer->ops[i])) used[answer->ops[i].dtype] = true;
    for (int i = 0; i < ORR_N_DTYPES; i++)
        if (used[i])
            orr_text_add(&line, "%s%s %.0f FLOP/B", line.length ? ", " : "", orr_dtype_name((enum orr_dtype)i),
                         orr_ridge(&answer->job->system.chip, (enum orr_dtype)i));
    orr_text_add(&line, " (peak / DRAM rate, Eq. 96); M*: rows from which a product is compute-bound by it;"
                        " collectives show their payload under DRAM");
    orr_text_wrap_line(text, style, "ridge:", 7, &line, " ");
}

void orr_infer_ops(const struct orr_answer *answer, const struct orr_style *style, struct orr_text *text)
{
    struct orr_table table;
    const bool decodes = answer->decode.passes > 0;
    orr_heading(answer, style, text);
    orr_table_start(&table, align);
    table.drop = drop;
    phase_title(&table, "prefill");
    phase_rows(answer, ORR_PHASE_PREFILL, &table);
    if (decodes) {
        empty_row(&table);
        phase_title(&table, "decode step");
        phase_rows(answer, ORR_PHASE_DECODE, &table);
    }
    orr_table_print(&table, text, style);
    orr_text_add(text, "\n");
    add_products(answer, ORR_PHASE_PREFILL, "products, prefill:", style, text);
    add_products(answer, ORR_PHASE_DECODE, "products, decode:", style, text);
    add_legend(answer, style, text);
}
