/* The chip generator: a node, budgets and a split become units, a clock, caches, memory and links. Eqs. 97-103. */
#include "technology/technology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define NAME(member, name, ...) name,
const char *const orr_component_names[ORR_N_COMPONENTS] = {ORR_COMPONENTS(NAME)};
const char *const orr_sram_names[ORR_N_SRAMS] = {ORR_SRAMS(NAME)};

#define PART_OF(member, name, part) ORR_COMPONENT_##part,
static const enum orr_component SRAM_PARTS[ORR_N_SRAMS] = {ORR_SRAMS(PART_OF)};

/* A larger count of anything is a mistake in the units of an input. */
#define COUNT_MAX 1e9

const struct orr_node *orr_technology_node(const struct orr_technology *technology, double nm)
{
    for (size_t i = 0; i < technology->n_nodes; i++)
        if (fabs(technology->nodes[i].nm - nm) < 1e-6) return &technology->nodes[i];
    return NULL;
}

/* ---------------------------------------------------------------- voltage and clock */

/* The voltage V above the threshold with V (V - threshold)^2 = target. The left side is convex and at least (V -
 * threshold)^3, so Newton's steps that start at the cube root approach the root from above. */
static double voltage_for(double target, double threshold_v)
{
    double v = threshold_v + cbrt(target);
    for (int i = 0; i < 100; i++) {
        const double above = v - threshold_v;
        const double step = (v * above * above - target) / (above * above + 2 * v * above);
        if (!(step > 1e-15 * v)) break;
        v -= step;
    }
    return v;
}

/* The clock of a supply, up to a constant factor: f ~ (V - threshold)^2 / V. */
static double speed_at(const struct orr_supply *supply, double voltage_v)
{
    const double above = voltage_v - supply->threshold_v;
    return above * above / voltage_v;
}

struct orr_operating orr_operating_point(const struct orr_supply *supply, double nominal_w, double power_w)
{
    const double above = supply->voltage_v - supply->threshold_v;
    const double nominal = supply->voltage_v * above * above;
    const double least_v = supply->threshold_v + supply->margin_v;
    const double wanted_v = voltage_for(power_w / nominal_w * nominal, supply->threshold_v);
    const double voltage_v = orr_max(least_v, orr_min(supply->voltage_max_v, wanted_v));
    struct orr_operating at = {.voltage_v = voltage_v, .power_w = power_w};
    at.speed = speed_at(supply, voltage_v) / speed_at(supply, supply->voltage_v); /* Eq. 99 */
    if (wanted_v < least_v) at.speed *= (wanted_v / least_v) * (wanted_v / least_v);
    if (wanted_v > voltage_v) {
        const double used = voltage_v - supply->threshold_v;
        at.power_w = nominal_w * voltage_v * used * used / nominal;
    }
    return at;
}

/* ---------------------------------------------------------------- parts */

/* A budget that is too small is an answer, too; the reason names the budget. */
static bool too_small(char reason[ORR_REASON], const char *budget, const char *component, const char *what)
{
    (void)snprintf(reason, ORR_REASON, "%s.%s is too small for %s", budget, component, what);
    return false;
}

static bool too_many(char reason[ORR_REASON], const char *what, double n)
{
    (void)snprintf(reason, ORR_REASON, "area makes %g %s; at most %g", n, what, COUNT_MAX);
    return false;
}

static double area_of(const struct orr_recipe *recipe, enum orr_component part)
{
    return recipe->split.area_frac[part] * orr_useful_mm2(recipe);
}

static double power_of(const struct orr_recipe *recipe, enum orr_component part)
{
    return recipe->split.power_frac[part] * recipe->power_w;
}

/* Eq. 97: as many units as the area of the core holds. */
static bool count_units(const struct orr_recipe *recipe, struct orr_machine *machine, char reason[ORR_REASON])
{
    const struct orr_design *design = &recipe->design;
    const double unit_mm2 = design->unit_mm2 * recipe->node.logic_area / recipe->base.logic_area;
    const double n_units = floor(area_of(recipe, ORR_COMPONENT_CORE) / unit_mm2);
    if (n_units < (double)design->units_per_sm) return too_small(reason, "area", "core", "one SM");
    if (n_units > COUNT_MAX) return too_many(reason, "matrix units", n_units);
    machine->n_units = (int64_t)n_units;
    machine->n_sm = machine->n_units / design->units_per_sm;
    machine->peak_limit = "units";
    return true;
}

/* Logic shrinks faster than SRAM, so SMs may outnumber the tiles that the SRAM has room for. Those SMs are not
 * built. */
static bool fit_sms(const struct orr_recipe *recipe, enum orr_sram sram, struct orr_machine *machine,
                    char reason[ORR_REASON])
{
    const double least_bytes = recipe->design.sram[sram].least_bytes_per_sm, bytes = machine->sram[sram].bytes;
    if (bytes >= least_bytes * (double)machine->n_sm) return true;
    machine->n_sm = (int64_t)floor(bytes / least_bytes);
    machine->n_units = machine->n_sm * recipe->design.units_per_sm;
    machine->peak_limit = orr_sram_names[sram];
    return machine->n_sm >= 1 ? true : too_small(reason, "area", orr_sram_names[sram], "a tile of one SM");
}

/* Eqs. 98 and 99: voltage, clock and peak rate of the core. */
static bool run_core(const struct orr_recipe *recipe, struct orr_machine *machine, char reason[ORR_REASON])
{
    const struct orr_design *design = &recipe->design;
    const double unit_w = design->unit_w * recipe->node.logic_power / recipe->base.logic_power;
    const double n_units = (double)machine->n_units, power_w = power_of(recipe, ORR_COMPONENT_CORE);
    struct orr_supply supply = design->supply;
    supply.voltage_v *= recipe->node.voltage / recipe->base.voltage;
    if (supply.voltage_v <= supply.threshold_v) return too_small(reason, "node", "voltage", "the threshold");
    if (!(power_w > 0)) return too_small(reason, "power", "core", "any clock");
    machine->core = orr_operating_point(&supply, n_units * unit_w, power_w);
    machine->clock_hz = design->clock_hz * machine->core.speed;
    machine->peak_flops_per_s = design->unit_flops_per_clock * machine->clock_hz * n_units;
    return true;
}

/* Eqs. 100 and 101: size and rate of one on-chip memory. The utilisation in Eq. 101 is left to the calibration. */
static bool make_sram(const struct orr_recipe *recipe, enum orr_sram sram, struct orr_machine *machine,
                      char reason[ORR_REASON])
{
    const struct orr_sram_design *design = &recipe->design.sram[sram];
    const struct orr_node *node = &recipe->node, *base = &recipe->base;
    const double used = 1 - recipe->design.sram_overhead_frac, bits = 8 * design->bank_bytes;
    const double bank_mm2 = bits * design->bit_mm2 * node->sram_area / base->sram_area;
    const double reach_mm2 =
        used * (double)machine->n_sm * design->controller_mm2 * node->logic_area / base->logic_area;
    const double n_banks = floor(used * area_of(recipe, SRAM_PARTS[sram]) / (bank_mm2 + reach_mm2));
    struct orr_sram_level *level = &machine->sram[sram];
    if (n_banks < 1) return too_small(reason, "area", orr_sram_names[sram], "one bank");
    if (n_banks > COUNT_MAX) return too_many(reason, "banks", n_banks);
    level->n_banks = (int64_t)n_banks;
    level->bytes = n_banks * design->bank_bytes;
    level->j_per_byte = design->j_per_byte * node->sram_energy / base->sram_energy;
    level->static_w = n_banks * bits * design->static_w_per_bit;
    level->bytes_per_s = (power_of(recipe, SRAM_PARTS[sram]) - level->static_w) / level->j_per_byte;
    return level->bytes_per_s > 0 ? true : too_small(reason, "power", orr_sram_names[sram], "its leakage");
}

/* Eqs. 24 and 29: the units slow down to the bytes per second that every on-chip memory delivers. The energy of a FLOP
 * is its share of the core's power plus that of the bytes it reads. */
static void feed_units(const struct orr_recipe *recipe, struct orr_machine *machine)
{
    machine->flop_j = machine->core.power_w / machine->peak_flops_per_s;
    for (int i = 0; i < ORR_N_SRAMS; i++) {
        const struct orr_sram_level *level = &machine->sram[i];
        const double bytes_per_flop = recipe->design.sram[i].feed_bytes_per_flop;
        machine->flop_j += bytes_per_flop * level->j_per_byte;
        if (level->bytes_per_s >= bytes_per_flop * machine->peak_flops_per_s) continue;
        machine->peak_flops_per_s = level->bytes_per_s / bytes_per_flop;
        machine->peak_limit = orr_sram_names[i];
    }
}

/* The cores with their inner memories come first, because the shared cache has a controller for every SM. */
static bool make_die(const struct orr_recipe *recipe, struct orr_machine *machine, char reason[ORR_REASON])
{
    static const enum orr_sram INNER[] = {ORR_SRAM_L1, ORR_SRAM_REGISTERS};
    if (!count_units(recipe, machine, reason)) return false;
    for (size_t i = 0; i < sizeof INNER / sizeof *INNER; i++)
        if (!make_sram(recipe, INNER[i], machine, reason) || !fit_sms(recipe, INNER[i], machine, reason)) return false;
    if (!run_core(recipe, machine, reason) || !make_sram(recipe, ORR_SRAM_L2, machine, reason)) return false;
    feed_units(recipe, machine);
    return true;
}

/* How many stacks the budgets hold; *limit names the budget that allows the fewest. */
static double count_stacks(const struct orr_recipe *recipe, double edge_links, const char **limit)
{
    const struct orr_dram *dram = &recipe->dram;
    const double controller_mm2 = recipe->design.dram_controller_mm2_per_link * dram->links_per_stack *
                                  recipe->node.controller_area / recipe->base.controller_area;
    double n = floor(area_of(recipe, ORR_COMPONENT_DRAM) / controller_mm2);
    *limit = "area";
    if (dram->stack_mm2 > 0) {
        const double room = floor((recipe->package_mm2 - recipe->die_mm2) / dram->stack_mm2);
        if (room < n) *limit = "package";
        n = orr_min(n, room);
    } else { /* Devices beside the package need all of their links. */
        const double room = floor(edge_links / dram->links_per_stack);
        if (room < n) *limit = "perimeter";
        n = orr_min(n, room);
    }
    if (recipe->n_stacks > 0 && (double)recipe->n_stacks <= n) {
        *limit = "stacks";
        n = (double)recipe->n_stacks;
    }
    return n;
}

/* Eq. 102: stacks, capacity and rate of the memory. */
static bool make_dram(const struct orr_recipe *recipe, struct orr_machine *machine, char reason[ORR_REASON])
{
    const struct orr_dram *dram = &recipe->dram;
    const double edge = machine->perimeter_mm * recipe->split.perimeter_frac[ORR_COMPONENT_DRAM] * dram->links_per_mm;
    const double n_stacks = count_stacks(recipe, edge, &machine->stack_limit);
    if (n_stacks < 1 || n_stacks < (double)recipe->n_stacks) {
        const bool package = strcmp(machine->stack_limit, "package") == 0;
        (void)snprintf(reason, ORR_REASON, "%s%s holds %g stacks of %.40s%s", machine->stack_limit,
                       package ? "" : ".dram", orr_max(0, n_stacks), dram->id,
                       recipe->n_stacks > 0 ? ", fewer than asked for" : "");
        return false;
    }
    if (n_stacks > COUNT_MAX) return too_many(reason, "stacks", n_stacks);
    const double links = floor(orr_min(edge, n_stacks * dram->links_per_stack));
    machine->n_stacks = (int64_t)n_stacks;
    machine->dram_bytes = n_stacks * dram->stack_bytes;
    machine->dram_static_w = 8 * machine->dram_bytes * dram->static_w_per_bit;
    const double power_w = power_of(recipe, ORR_COMPONENT_DRAM) - machine->dram_static_w;
    if (links < 1) return too_small(reason, "perimeter", "dram", "one link");
    if (!(power_w > 0)) return too_small(reason, "power", "dram", "the memory's refresh");
    struct orr_link_level *level = &machine->dram;
    level->n_links = (int64_t)links;
    level->at = orr_operating_point(&dram->supply, links * dram->link_bytes_per_s * dram->j_per_byte, power_w);
    level->bytes_per_s = links * dram->link_bytes_per_s * level->at.speed;
    level->limit = links < n_stacks * dram->links_per_stack ? "perimeter" : machine->stack_limit;
    if (level->at.power_w >= power_w && level->at.speed < 1) level->limit = "power";
    return true;
}

/* Eq. 103: links and rate of one network. A kind of link whose number is not given gets as many as the budgets
 * allow. */
static bool make_links(const struct orr_recipe *recipe, const struct orr_network *network, enum orr_component part,
                       struct orr_machine *machine, char reason[ORR_REASON])
{
    struct orr_link_level *level = network->scaleout ? &machine->scaleout : &machine->scaleup;
    const double by_area = network->link_mm2 > 0 ? floor(area_of(recipe, part) / network->link_mm2) : COUNT_MAX;
    const double by_edge = floor(machine->perimeter_mm * recipe->split.perimeter_frac[part] * network->links_per_mm);
    double links = network->n_links > 0 ? (double)network->n_links : COUNT_MAX;
    level->limit = "standard";
    if (by_area < links) level->limit = "area";
    links = orr_min(links, by_area);
    if (by_edge < links) level->limit = "perimeter";
    links = orr_min(links, by_edge);
    const char *name = orr_component_names[part];
    if (links < 1) return too_small(reason, level->limit, name, "one link");
    const double power_w = power_of(recipe, part);
    if (!(power_w > 0)) return too_small(reason, "power", name, "any rate");
    level->n_links = (int64_t)links;
    level->at = orr_operating_point(&network->supply, links * network->link_bytes_per_s * network->j_per_byte, power_w);
    level->bytes_per_s = links * network->link_bytes_per_s * level->at.speed / network->degree;
    if (level->at.power_w >= power_w && level->at.speed < 1) level->limit = "power";
    return true;
}

bool orr_generate(const struct orr_recipe *recipe, struct orr_machine *machine, char reason[ORR_REASON])
{
    const double die_mm2 = orr_die_area_mm2(recipe), reticle_mm2 = recipe->technology.economy.reticle_mm2;
    *machine = (struct orr_machine){.perimeter_mm = orr_useful_edge_mm(recipe)};
    if (reticle_mm2 > 0 && die_mm2 > reticle_mm2 && recipe->n_dies > 1) {
        (void)snprintf(reason, ORR_REASON, "a die of %g mm2 is larger than a reticle, %g mm2: more dies are needed",
                       die_mm2, reticle_mm2);
        return false;
    }
    if (!make_die(recipe, machine, reason) || !make_dram(recipe, machine, reason) ||
        !make_links(recipe, &recipe->scaleup, ORR_COMPONENT_INTRA, machine, reason) ||
        !make_links(recipe, &recipe->scaleout, ORR_COMPONENT_INTER, machine, reason))
        return false;
    machine->idle_w = recipe->design.idle_frac * recipe->power_w;
    machine->cost = orr_machine_cost(recipe, machine);
    if (machine->cost.dies_per_wafer >= 1) return true;
    (void)snprintf(reason, ORR_REASON, "a wafer of %g mm holds no die of %g mm2", recipe->technology.economy.wafer_mm,
                   die_mm2);
    return false;
}
