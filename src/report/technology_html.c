/* This file draws the charts of the pages of orrery technology. */
#include "report/technology.h"

#include <stdio.h>

#include "report/page.h"
#include "study/optimise.h"

enum { SPLITS_MAX = 2, UNUSED = ORR_N_COMPONENTS };
_Static_assert(UNUSED < ORR_PAGE_PARTS, "every part of a budget and what is left have a colour");

void orr_split_lanes(struct orr_page_parts *page, const char *const *names, const struct orr_split *splits,
                     size_t n_splits)
{
    static const char *const BUDGETS[ORR_N_BUDGET_KINDS] = {"area", "power", "edge"};
    const char *parts[ORR_PAGE_PARTS];
    struct orr_page_lane lanes[ORR_N_BUDGET_KINDS * SPLITS_MAX];
    char titles[ORR_N_BUDGET_KINDS * SPLITS_MAX][32];
    size_t n = 0;
    for (int i = 0; i < ORR_N_COMPONENTS; i++) parts[i] = orr_component_names[i];
    parts[UNUSED] = "unused";
    for (int b = 0; b < ORR_N_BUDGET_KINDS; b++)
        for (size_t s = 0; s < n_splits && s < SPLITS_MAX; s++) {
            struct orr_split split = splits[s];
            const double *shares = orr_split_shares(&split, b);
            (void)snprintf(titles[n], sizeof titles[n], "%s%s%s", BUDGETS[b], *names[s] ? ", " : "", names[s]);
            lanes[n] = (struct orr_page_lane){.name = titles[n], .values[UNUSED] = 100};
            for (int i = 0; i < ORR_N_COMPONENTS; i++) {
                lanes[n].values[i] = 100 * shares[i];
                lanes[n].values[UNUSED] -= 100 * shares[i];
            }
            n++;
        }
    orr_page_lanes(page, "Split of the budgets", "%", parts, UNUSED + 1, lanes, n);
}

void orr_cost_lanes(struct orr_page_parts *page, const struct orr_die_cost *cost)
{
    static const char *const PARTS[] = {"die",    "interposer", "memory", "substrate and assembly",
                                        "margin", "network",    "host"};
    static const char *const HOUR[] = {"capital", "energy at full power", "staff, space, repair"};
    const double assembly_usd = cost->package_usd - cost->dies_usd - cost->interposer_usd - cost->dram_usd;
    const struct orr_page_lane gpu = {"GPU",
                                      {cost->dies_usd, cost->interposer_usd, cost->dram_usd, assembly_usd,
                                       cost->chip_usd - cost->package_usd, cost->network_usd, cost->host_usd}};
    const struct orr_page_lane hour = {
        "hour", {cost->capital_usd_per_hour, cost->energy_usd_per_hour, cost->opex_usd_per_hour}};
    orr_page_lanes(page, "Capital of a GPU", "$", PARTS, sizeof PARTS / sizeof *PARTS, &gpu, 1);
    orr_page_lanes(page, "Hour of a GPU", "$", HOUR, sizeof HOUR / sizeof *HOUR, &hour, 1);
}

void orr_node_lanes(struct orr_page_parts *page, const struct orr_node_row *rows, size_t n_rows)
{
    static const char *const PEAK[] = {"16-bit peak"}, *const PRICE[] = {"chip"};
    struct orr_page_lane peaks[ORR_MAX_NODES], prices[ORR_MAX_NODES];
    char names[ORR_MAX_NODES][32];
    for (size_t i = 0; i < n_rows && i < ORR_MAX_NODES; i++) {
        const bool made = !rows[i].reason[0];
        (void)snprintf(names[i], sizeof names[i], "%g nm%s", rows[i].node.nm, made ? "" : ": not made");
        peaks[i] = (struct orr_page_lane){names[i], {made ? rows[i].machine.peak_flops_per_s / 1e12 : 0}};
        prices[i] = (struct orr_page_lane){names[i], {made ? rows[i].machine.cost.chip_usd : 0}};
    }
    orr_page_lanes(page, "Matrix rate in 16 bits", "TFLOP/s", PEAK, 1, peaks, n_rows);
    orr_page_lanes(page, "Price of the chip", "$", PRICE, 1, prices, n_rows);
}
