/* What a generated machine costs: its wafer, yield, package, memory and network, and one hour of use. Eqs. 106-108a. */
#include "technology/technology.h"

#include <math.h>

#define PI             3.14159265358979323846
#define HOURS_PER_YEAR 8766.0
#define MM2_PER_CM2    100.0

double orr_dies_per_wafer(double wafer_mm, double die_mm2)
{
    return PI * wafer_mm * wafer_mm / 4 / die_mm2 - PI * wafer_mm / sqrt(2 * die_mm2);
}

double orr_yield_frac(double die_mm2, double defects_per_cm2, double clustering)
{
    return pow(1 + die_mm2 / MM2_PER_CM2 * defects_per_cm2 / clustering, -clustering);
}

/* Eq. 107: the die, the interposer below it, and the memory stacks bonded beside it. */
static void price_package(const struct orr_recipe *recipe, const struct orr_machine *machine, struct orr_die_cost *cost)
{
    const struct orr_economy *economy = &recipe->technology.economy;
    const bool on_package = recipe->dram.stack_mm2 > 0;
    const double n_bonded = 1 + (on_package ? (double)machine->n_stacks : 0);
    const double interposer_mm2 = on_package ? recipe->die_mm2 + (double)machine->n_stacks * recipe->dram.stack_mm2 : 0;
    cost->dies_per_wafer = orr_dies_per_wafer(economy->wafer_mm, recipe->die_mm2);
    cost->yield_frac = orr_yield_frac(recipe->die_mm2, recipe->node.defects_per_cm2, economy->defect_clustering);
    cost->die_usd = recipe->node.wafer_usd / (cost->dies_per_wafer * cost->yield_frac) + economy->die_test_usd;
    cost->interposer_usd = interposer_mm2 * economy->interposer_usd_per_mm2 / economy->interposer_yield_frac;
    cost->dram_usd = machine->dram_bytes / 1e9 * recipe->dram.usd_per_gb;
    const double parts_usd = cost->die_usd + cost->interposer_usd + cost->dram_usd + economy->substrate_usd;
    cost->package_usd = parts_usd / pow(economy->bond_yield_frac, n_bonded);
}

struct orr_die_cost orr_machine_cost(const struct orr_recipe *recipe, const struct orr_machine *machine)
{
    const struct orr_economy *economy = &recipe->technology.economy;
    struct orr_die_cost cost = {0};
    price_package(recipe, machine, &cost);
    cost.chip_usd = cost.package_usd * economy->markup;
    cost.network_usd = recipe->scaleup.usd_per_gpu + recipe->scaleout.usd_per_gpu;
    cost.host_usd = economy->host_usd_per_gpu;
    cost.gpu_usd = cost.chip_usd + cost.network_usd + cost.host_usd;
    const double hours = economy->lifetime_years * HOURS_PER_YEAR;
    cost.capital_usd_per_hour = cost.gpu_usd / (hours * economy->utilisation_frac); /* Eq. 108a */
    cost.energy_usd_per_hour = recipe->power_w / 1000 * economy->pue_frac * economy->energy_usd_per_kwh;
    cost.opex_usd_per_hour = cost.gpu_usd * economy->opex_frac_per_year / (HOURS_PER_YEAR * economy->utilisation_frac);
    cost.usd_per_hour = cost.capital_usd_per_hour + cost.energy_usd_per_hour + cost.opex_usd_per_hour;
    return cost;
}
