/* Constants of a job -> the tables at the end of --explain. */
#include "report/constants.h"

#include <stdio.h>

#include "base/units.h"

#define TITLE_TEXT 320

void orr_constant_row(struct orr_table *table, const char *name, const char *value, const char *meaning)
{
    ORR_ROW(table, ORR_PAINT_NONE, name, value, meaning);
}

void orr_constant_plain(struct orr_table *table, const char *name, double number, const char *meaning)
{
    char buffer[32];
    (void)snprintf(buffer, sizeof buffer, "%.4g", number);
    orr_constant_row(table, name, buffer, meaning);
}

void orr_constant_s(struct orr_table *table, const char *name, double seconds, const char *meaning)
{
    char buffer[32];
    orr_constant_row(table, name, orr_print_s(buffer, seconds), meaning);
}

void orr_constants_gemm(const struct orr_calibration *calibration, enum orr_dtype dtype, struct orr_table *table)
{
    const struct orr_gemm_constants *u = &calibration->gemm[dtype];
    char buffer[32];
    orr_constant_plain(table, "burst_frac", u->burst_frac, "share of peak before the power limit");
    if (u->sm_frac > u->burst_frac)
        orr_constant_plain(table, "sm_frac", u->sm_frac, "share of its own peak one SM reaches");
    orr_constant_plain(table, "sustained_frac", u->sustained_frac, "share of peak in an endless load");
    orr_constant_plain(table, "power_slope", u->power_slope, "gain per share not in matrix kernels");
    orr_constant_plain(table, "dram_frac", u->dram_frac, "share of DRAM bandwidth, GEMM");
    orr_constant_row(table, "dram_ramp_bytes", orr_print_bytes(buffer, u->dram_ramp_bytes), "Q_0 of Eq. 38");
    orr_constant_plain(table, "tile_cost", u->tile_cost, "share lost per 1/tile side");
    orr_constant_s(table, "wave_s", u->wave_s, "prologue and epilogue of a wave");
    orr_constant_s(table, "launch_s", u->launch_s, "fixed time of a kernel");
}

void orr_constants_pointwise(const struct orr_calibration *calibration, const struct orr_op *ops, size_t n_ops,
                             struct orr_table *table)
{
    bool used[ORR_N_POINTWISES] = {false};
    for (size_t i = 0; i < n_ops; i++)
        if (ops[i].kind == ORR_OP_POINTWISE) used[ops[i].pointwise] = true;
    for (int i = 0; i < ORR_N_POINTWISES; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "pointwise_frac.%s", orr_pointwise_name((enum orr_pointwise)i));
        if (used[i]) orr_constant_plain(table, name, calibration->pointwise_frac[i], "share of DRAM bandwidth");
    }
}

static void add_table(const struct orr_style *style, const char *title, struct orr_table *table, struct orr_text *text)
{
    orr_text_wrap(text, style, "", 0, title, " ");
    orr_table_print(table, text, style);
}

void orr_constants_calibration(const struct orr_style *style, const struct orr_calibration *calibration,
                               struct orr_table *table, struct orr_text *text)
{
    char title[TITLE_TEXT];
    (void)snprintf(title, sizeof title, "constants: calibration %s, %s", calibration->id,
                   calibration->calibrated ? "fitted to this chip's kernels"
                                           : "family values, not fitted to this chip (datasheet)");
    orr_text_add(text, "\n");
    add_table(style, title, table, text);
}

void orr_constants_hardware(const struct orr_style *style, const struct orr_system *system, struct orr_text *text)
{
    char title[TITLE_TEXT], buffer[32];
    struct orr_table table;
    (void)snprintf(title, sizeof title, "hardware facts: system %s, chip %s", system->id, system->chip.id);
    orr_table_start(&table, "lrf");
    orr_constant_row(&table, "scaleup_bytes_per_s", orr_print_rate(buffer, system->scaleup_bytes_per_s),
                     "one direction of a GPU");
    orr_constant_row(&table, "scaleout_bytes_per_s", orr_print_rate(buffer, system->scaleout_bytes_per_s),
                     "one direction of a GPU");
    orr_constant_plain(&table, "scaleout_efficiency_frac", system->scaleout_efficiency_frac, "sustained share of it");
    orr_constant_s(&table, "scaleout_latency_s", system->scaleout_latency_s, "one hop");
    add_table(style, title, &table, text);
}

void orr_constants_engine(const struct orr_style *style, const struct orr_engine *engine, struct orr_table *table,
                          struct orr_text *text)
{
    char title[TITLE_TEXT];
    (void)snprintf(title, sizeof title, "software facts: engine %s", engine->id);
    add_table(style, title, table, text);
}
