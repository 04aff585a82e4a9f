/* What a generated machine costs: its wafer, yield, package, memory and network, and one hour of use. Eqs. 106-108a,
 * 284-290. */
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

/* ---------------------------------------------------------------- dies of a package */

static double n_dies(const struct orr_recipe *recipe)
{
    return recipe->n_dies > 1 ? (double)recipe->n_dies : 1;
}

double orr_die_area_mm2(const struct orr_recipe *recipe)
{
    return recipe->die_mm2 / n_dies(recipe);
}

double orr_useful_mm2(const struct orr_recipe *recipe)
{
    return recipe->die_mm2 * (recipe->n_dies > 1 ? 1 - recipe->technology.economy.d2d_area_frac : 1);
}

/* Square dies in a row: two sides for every pair of neighbours face each other and carry the links between them. */
double orr_useful_edge_mm(const struct orr_recipe *recipe)
{
    return (4 * n_dies(recipe) - 2 * (n_dies(recipe) - 1)) * sqrt(orr_die_area_mm2(recipe));
}

/* ---------------------------------------------------------------- package */

/* Eqs. 284-286: dies that work, or are sold with units off, pass the test, and some faulty ones with them. */
static void price_die(const struct orr_recipe *recipe, struct orr_die_cost *cost)
{
    const struct orr_economy *economy = &recipe->technology.economy;
    cost->n_dies = n_dies(recipe);
    cost->die_mm2 = orr_die_area_mm2(recipe);
    cost->dies_per_wafer = orr_dies_per_wafer(economy->wafer_mm, cost->die_mm2);
    const double whole = orr_yield_frac(cost->die_mm2, recipe->node.defects_per_cm2, economy->defect_clustering);
    cost->yield_frac = whole + economy->harvest_frac * (1 - whole);
    const double passed_frac = cost->yield_frac + economy->missed_frac * (1 - cost->yield_frac);
    cost->good_frac = cost->yield_frac / passed_frac;
    cost->die_usd =
        (recipe->node.wafer_usd / cost->dies_per_wafer + economy->probe_usd) / passed_frac + economy->die_test_usd;
    cost->dies_usd = cost->n_dies * cost->die_usd;
}

/* Eq. 287: several dies, or stacks beside a die, stand on an interposer. */
static double interposer_usd(const struct orr_recipe *recipe, double stacks)
{
    const struct orr_economy *economy = &recipe->technology.economy;
    const double ratio = economy->interposer_area_ratio > 0 ? economy->interposer_area_ratio : 1;
    const double area_mm2 = ratio * (recipe->die_mm2 + stacks * recipe->dram.stack_mm2);
    return area_mm2 * economy->interposer_usd_per_mm2 / economy->interposer_yield_frac;
}

/* Eqs. 107, 288, 289: an assembly is lost with everything on it if one bond or one die fails. */
static void price_package(const struct orr_recipe *recipe, const struct orr_machine *machine, struct orr_die_cost *cost)
{
    const struct orr_economy *economy = &recipe->technology.economy;
    const bool on_package = recipe->dram.stack_mm2 > 0;
    const double stacks = on_package ? (double)machine->n_stacks : 0;
    const double stack_yield =
        economy->stack_bond_yield_frac > 0 ? economy->stack_bond_yield_frac : economy->bond_yield_frac;
    price_die(recipe, cost);
    cost->interposer_usd = on_package || cost->n_dies > 1 ? interposer_usd(recipe, stacks) : 0;
    cost->dram_usd = machine->dram_bytes / 1e9 * recipe->dram.usd_per_gb;
    cost->assembly_yield_frac =
        pow(economy->bond_yield_frac * cost->good_frac, cost->n_dies) * pow(stack_yield, stacks);
    const double parts_usd = cost->dies_usd + cost->interposer_usd + cost->dram_usd + economy->substrate_usd;
    cost->package_usd =
        (parts_usd / cost->assembly_yield_frac + economy->final_test_usd) / (1 - economy->final_loss_frac);
    if (economy->nre_chips > 0) cost->package_usd += economy->nre_usd / economy->nre_chips;
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
