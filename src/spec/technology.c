/* technologies/, designs/, memories/ and networks/ -> the inputs of the chip generator. */
#include "spec/technology.h"

#include <stdio.h>
#include <string.h>

#include "spec/names.h"
#include "spec/sources.h"

static const char *const UNSOURCED[] = {"name",    "family",  "calibration", "memory",
                                        "scaleup", "network", "sources",     NULL};

/* ---------------------------------------------------------------- scaling sets */

static const struct orr_field NODE_FIELDS[] = {
    ORR_REAL(orr_node, nm, ORR_UNIT_NONE, true, 0.1, 1000, "size the node is called by"),
    ORR_REAL(orr_node, voltage, ORR_UNIT_NONE, true, 0.01, 10, "nominal supply over the first node's"),
    ORR_REAL(orr_node, logic_area, ORR_UNIT_NONE, true, 1e-6, 100, "area of logic over the first node's"),
    ORR_REAL(orr_node, logic_power, ORR_UNIT_NONE, true, 1e-6, 100, "power at equal clock over the first node's"),
    ORR_REAL(orr_node, sram_area, ORR_UNIT_NONE, true, 1e-6, 100, "area of an SRAM bit over the first node's"),
    ORR_REAL(orr_node, sram_energy, ORR_UNIT_NONE, true, 1e-6, 100, "energy of an SRAM bit over the first node's"),
    ORR_REAL(orr_node, controller_area, ORR_UNIT_NONE, true, 1e-6, 100, "memory controller over the first node's"),
    ORR_REAL(orr_node, wafer_usd, ORR_UNIT_USD, true, 1, 1e9, "price of a wafer"),
    ORR_REAL(orr_node, defects_per_cm2, ORR_UNIT_NONE, true, 0, 100, "defect density"),
};

const struct orr_field orr_economy_fields[] = {
    ORR_REAL(orr_economy, wafer_mm, ORR_UNIT_NONE, true, 10, 1000, "wafer diameter"),
    ORR_REAL(orr_economy, defect_clustering, ORR_UNIT_NONE, true, 0.1, 1000, "clustering of defects"),
    ORR_REAL(orr_economy, die_test_usd, ORR_UNIT_USD, true, 0, 1e6, "test of a die"),
    ORR_REAL(orr_economy, interposer_usd_per_mm2, ORR_UNIT_NONE, true, 0, 1e4, "price of interposer area"),
    ORR_REAL(orr_economy, interposer_yield_frac, ORR_UNIT_NONE, true, 0.01, 1, "yield of the interposer"),
    ORR_REAL(orr_economy, bond_yield_frac, ORR_UNIT_NONE, true, 0.01, 1, "yield of bonding one die or stack"),
    ORR_REAL(orr_economy, stack_bond_yield_frac, ORR_UNIT_NONE, false, 0, 1, "... of one stack; 0: as a die"),
    ORR_REAL(orr_economy, harvest_frac, ORR_UNIT_NONE, false, 0, 1, "faulty dies sold with units switched off"),
    ORR_REAL(orr_economy, probe_usd, ORR_UNIT_USD, false, 0, 1e6, "test of a die on the wafer"),
    ORR_REAL(orr_economy, missed_frac, ORR_UNIT_NONE, false, 0, 0.99, "faulty dies that the tests do not find"),
    ORR_REAL(orr_economy, interposer_area_ratio, ORR_UNIT_NONE, false, 0, 10, "interposer over what stands on it"),
    ORR_REAL(orr_economy, final_test_usd, ORR_UNIT_USD, false, 0, 1e6, "test of a package"),
    ORR_REAL(orr_economy, final_loss_frac, ORR_UNIT_NONE, false, 0, 0.99, "packages that fail it"),
    ORR_REAL(orr_economy, nre_usd, ORR_UNIT_USD, false, 0, 1e12, "design and masks"),
    ORR_REAL(orr_economy, nre_chips, ORR_UNIT_NONE, false, 0, 1e12, "chips that share them; 0: left out"),
    ORR_REAL(orr_economy, reticle_mm2, ORR_UNIT_NONE, false, 0, 1e6, "largest die that can be printed; 0: not checked"),
    ORR_REAL(orr_economy, d2d_area_frac, ORR_UNIT_NONE, false, 0, 0.9, "share of a die for links to other dies"),
    ORR_REAL(orr_economy, substrate_usd, ORR_UNIT_USD, true, 0, 1e6, "substrate, lid and assembly"),
    ORR_REAL(orr_economy, markup, ORR_UNIT_NONE, true, 1, 100, "price over cost of the package"),
    ORR_REAL(orr_economy, host_usd_per_gpu, ORR_UNIT_USD, true, 0, 1e7, "a GPU's share of node, rack and storage"),
    ORR_REAL(orr_economy, energy_usd_per_kwh, ORR_UNIT_NONE, true, 0, 100, "price of energy"),
    ORR_REAL(orr_economy, pue_frac, ORR_UNIT_NONE, true, 1, 10, "facility power over IT power"),
    ORR_REAL(orr_economy, lifetime_years, ORR_UNIT_NONE, true, 0.1, 100, "years of use"),
    ORR_REAL(orr_economy, utilisation_frac, ORR_UNIT_NONE, true, 0.01, 1, "share of the time in use"),
    ORR_REAL(orr_economy, opex_frac_per_year, ORR_UNIT_NONE, true, 0, 10, "staff, space and repair, of the capital"),
};
const size_t orr_n_economy_fields = ORR_COUNT_OF(orr_economy_fields);

static const char *const TECHNOLOGY_KEYS[] = {"name", "nodes", "cost", "sources", NULL};

/* Finds the object at `key` of the root; an absent object is an error. */
static enum orr_err inner(const struct orr_doc *doc, const char *key, const json_t **object, struct orr_error *error)
{
    *object = json_object_get(doc->root, key);
    return *object ? ORR_OK : orr_doc_fail(doc, "", error, "missing key \"%s\": an object", key);
}

static enum orr_err read_nodes(const struct orr_doc *doc, struct orr_technology *technology, struct orr_error *error)
{
    const json_t *nodes = json_object_get(doc->root, "nodes");
    const size_t n = json_array_size(nodes);
    if (n < 1 || n > ORR_MAX_NODES)
        return orr_doc_fail(doc, nodes ? "nodes" : "", error, "\"nodes\" must be a list of 1 to %d nodes",
                            ORR_MAX_NODES);
    for (size_t i = 0; i < n; i++) {
        char path[ORR_KEY_PATH];
        (void)snprintf(path, sizeof path, "nodes.%zu", i);
        const enum orr_err err = orr_fields_read(doc, path, json_array_get(nodes, i), NODE_FIELDS,
                                                 ORR_COUNT_OF(NODE_FIELDS), NULL, &technology->nodes[i], error);
        if (err) return err;
        if (orr_technology_node(technology, technology->nodes[i].nm))
            return orr_doc_fail(doc, path, error, "is a second node of %g nm", technology->nodes[i].nm);
        technology->n_nodes = i + 1;
    }
    return ORR_OK;
}

enum orr_err orr_technology_from_json(const struct orr_doc *doc, const char *id, struct orr_technology *technology,
                                      struct orr_error *error)
{
    const json_t *cost;
    memset(technology, 0, sizeof *technology);
    (void)snprintf(technology->id, sizeof technology->id, "%s", id);
    enum orr_err err = orr_fields_read(doc, "", doc->root, NULL, 0, TECHNOLOGY_KEYS, technology, error);
    if (!err) err = read_nodes(doc, technology, error);
    if (!err) err = inner(doc, "cost", &cost, error);
    if (!err)
        err = orr_fields_read(doc, "cost", cost, orr_economy_fields, orr_n_economy_fields, NULL, &technology->economy,
                              error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

/* ---------------------------------------------------------------- circuits */

static const struct orr_field SUPPLY_FIELDS[] = {
    ORR_REAL(orr_supply, voltage_v, ORR_UNIT_NONE, true, 0.01, 10, "nominal supply"),
    ORR_REAL(orr_supply, threshold_v, ORR_UNIT_NONE, true, 0, 10, "threshold"),
    ORR_REAL(orr_supply, margin_v, ORR_UNIT_NONE, true, 0, 10, "least supply above the threshold"),
    ORR_REAL(orr_supply, voltage_max_v, ORR_UNIT_NONE, true, 0.01, 10, "highest supply"),
};

static enum orr_err read_supply(const struct orr_doc *doc, struct orr_supply *supply, struct orr_error *error)
{
    const json_t *object;
    enum orr_err err = inner(doc, "supply", &object, error);
    if (!err)
        err = orr_fields_read(doc, "supply", object, SUPPLY_FIELDS, ORR_COUNT_OF(SUPPLY_FIELDS), NULL, supply, error);
    if (err) return err;
    if (supply->voltage_v <= supply->threshold_v)
        return orr_doc_fail(doc, "supply.voltage_v", error, "%g V is not above threshold_v, %g V", supply->voltage_v,
                            supply->threshold_v);
    if (supply->voltage_max_v < supply->threshold_v + supply->margin_v)
        return orr_doc_fail(doc, "supply.voltage_max_v", error, "%g V is below threshold_v + margin_v, %g V",
                            supply->voltage_max_v, supply->threshold_v + supply->margin_v);
    return ORR_OK;
}

/* ---------------------------------------------------------------- designs */

static const struct orr_field DESIGN_FIELDS[] = {
    ORR_STRING(orr_design, name, true, "name for display"),
    ORR_STRING(orr_design, family, true, "architecture"),
    ORR_STRING(orr_design, calibration, true, "constants its kernels are taken to have"),
    ORR_STRING(orr_design, memory, true, "usual memory"),
    ORR_STRING(orr_design, scaleup, true, "usual scale-up network"),
    ORR_STRING(orr_design, network, true, "usual scale-out network"),
    ORR_REAL(orr_design, node_nm, ORR_UNIT_NONE, true, 0.1, 1000, "node the numbers are of"),
    ORR_REAL(orr_design, unit_mm2, ORR_UNIT_NONE, true, 1e-9, 1e6, "area of a matrix unit"),
    ORR_REAL(orr_design, unit_w, ORR_UNIT_W, true, 1e-9, 1e6, "its power at nominal clock and supply"),
    ORR_REAL(orr_design, unit_flops_per_clock, ORR_UNIT_NONE, true, 1, 1e9, "its 16-bit FLOP per clock"),
    ORR_INT(orr_design, units_per_sm, true, 1, 1024, "matrix units of an SM"),
    ORR_REAL(orr_design, clock_hz, ORR_UNIT_HZ, true, 1e6, 1e12, "nominal clock"),
    ORR_REAL(orr_design, vector_ratio, ORR_UNIT_NONE, true, 1e-4, 1, "fp32 vector rate over the 16-bit matrix rate"),
    ORR_REAL(orr_design, l2_multicast, ORR_UNIT_NONE, true, 1, 1024, "thread blocks one operand read can serve"),
    ORR_ENUM(orr_design, flash, true, orr_attention_kernel_names, "fused attention kernel of its frameworks"),
    ORR_REAL(orr_design, sram_overhead_frac, ORR_UNIT_NONE, true, 0, 0.99, "share of SRAM area beside the bits"),
    ORR_REAL(orr_design, dram_controller_mm2_per_link, ORR_UNIT_NONE, true, 1e-9, 1e3, "memory controller of a pin"),
    ORR_REAL(orr_design, idle_frac, ORR_UNIT_NONE, true, 0, 1, "power when idle, of the budget"),
    ORR_REAL(orr_design, die_mm2, ORR_UNIT_NONE, true, 1, 1e6, "die"),
    ORR_REAL(orr_design, package_mm2, ORR_UNIT_NONE, true, 1, 1e6, "die and stacks"),
    ORR_REAL(orr_design, power_w, ORR_UNIT_W, true, 0.1, 1e6, "power budget"),
    ORR_INT(orr_design, gpus_per_node, true, 1, 100000, "chips of one host"),
};
static const char *const DESIGN_KEYS[] = {"supply",   "flops_ratio",    "sram",    "area_mm2",
                                          "budget_w", "perimeter_frac", "sources", NULL};

static const struct orr_field SRAM_FIELDS[] = {
    ORR_REAL(orr_sram_design, bit_mm2, ORR_UNIT_NONE, true, 1e-12, 1, "area of a bit"),
    ORR_REAL(orr_sram_design, j_per_byte, ORR_UNIT_J_PER_BYTE, true, 1e-18, 1e-6, "energy of a byte"),
    ORR_REAL(orr_sram_design, static_w_per_bit, ORR_UNIT_NONE, true, 0, 1, "leakage of a bit"),
    ORR_REAL(orr_sram_design, bank_bytes, ORR_UNIT_BYTES, true, 1, 1e12, "size of a bank"),
    ORR_REAL(orr_sram_design, controller_mm2, ORR_UNIT_NONE, true, 0, 1e3, "area of a bank's port to one SM"),
    ORR_REAL(orr_sram_design, feed_bytes_per_flop, ORR_UNIT_NONE, true, 0, 1e3, "bytes a 16-bit matrix FLOP asks for"),
    ORR_REAL(orr_sram_design, least_bytes_per_sm, ORR_UNIT_BYTES, true, 0, 1e9, "room for one tile in every SM"),
};

/* A table of one optional number per word, at `member` of struct S. */
#define SHARE(S, member, word, index, low, high, what)                                                                 \
    {                                                                                                                  \
        .key = word, .type = ORR_FIELD_REAL, .min = low, .max = high,                                                  \
        .offset = offsetof(struct S, member) + (index) * sizeof(double), .meaning = what                               \
    }
#define AREA(member, word, what)      SHARE(orr_split, area_frac, word, ORR_COMPONENT_##member, 0, 1e6, what),
#define POWER(member, word, what)     SHARE(orr_split, power_frac, word, ORR_COMPONENT_##member, 0, 1e6, what),
#define PERIMETER(member, word, what) SHARE(orr_split, perimeter_frac, word, ORR_COMPONENT_##member, 0, 1, what),
#define RATIO(member, word, bits)                                                                                      \
    SHARE(orr_design, flops_ratio, word, ORR_DTYPE_##member, 1e-4, 1e4, "matrix rate over that of 16 bits"),
static const struct orr_field AREA_FIELDS[] = {ORR_COMPONENTS(AREA)};
static const struct orr_field POWER_FIELDS[] = {ORR_COMPONENTS(POWER)};
static const struct orr_field PERIMETER_FIELDS[] = {ORR_EDGE_COMPONENTS(PERIMETER)};
static const struct orr_field RATIO_FIELDS[] = {ORR_DTYPES(RATIO)};

static enum orr_err read_table(const struct orr_doc *doc, const char *key, const struct orr_field *fields,
                               size_t n_fields, void *target, struct orr_error *error)
{
    const json_t *object;
    const enum orr_err err = inner(doc, key, &object, error);
    return err ? err : orr_fields_read(doc, key, object, fields, n_fields, NULL, target, error);
}

static enum orr_err read_srams(const struct orr_doc *doc, struct orr_design *design, struct orr_error *error)
{
    static const char *const KEYS[] = {"l2", "l1", "registers", NULL};
    enum orr_err err = ORR_OK;
    const json_t *levels;
    err = inner(doc, "sram", &levels, error);
    if (!err) err = orr_fields_read(doc, "sram", levels, NULL, 0, KEYS, design, error);
    for (int i = 0; i < ORR_N_SRAMS && !err; i++) {
        char path[ORR_KEY_PATH];
        const json_t *level = json_object_get(levels, orr_sram_names[i]);
        if (!level) return orr_doc_fail(doc, "sram", error, "missing key \"%s\"", orr_sram_names[i]);
        err = orr_fields_read(doc, orr_key_path(path, "sram", orr_sram_names[i]), level, SRAM_FIELDS,
                              ORR_COUNT_OF(SRAM_FIELDS), NULL, &design->sram[i], error);
    }
    return err;
}

/* The file states mm2 and W of the design's own budgets, which are turned into shares here. */
static enum orr_err read_split(const struct orr_doc *doc, struct orr_design *design, struct orr_error *error)
{
    struct orr_split *split = &design->split;
    enum orr_err err = read_table(doc, "area_mm2", AREA_FIELDS, ORR_N_COMPONENTS, split, error);
    if (!err) err = read_table(doc, "budget_w", POWER_FIELDS, ORR_N_COMPONENTS, split, error);
    if (!err) err = read_table(doc, "perimeter_frac", PERIMETER_FIELDS, ORR_COUNT_OF(PERIMETER_FIELDS), split, error);
    double area = 0, power = 0, perimeter = 0;
    for (int i = 0; i < ORR_N_COMPONENTS && !err; i++) {
        area += split->area_frac[i] /= design->die_mm2;
        power += split->power_frac[i] /= design->power_w;
        perimeter += split->perimeter_frac[i];
    }
    if (!err && area > 1 + 1e-9) err = orr_doc_fail(doc, "area_mm2", error, "adds up to %g of die_mm2", area);
    if (!err && power > 1 + 1e-9) err = orr_doc_fail(doc, "budget_w", error, "adds up to %g of power_w", power);
    if (!err && perimeter > 1 + 1e-9) err = orr_doc_fail(doc, "perimeter_frac", error, "adds up to %g", perimeter);
    return err;
}

enum orr_err orr_design_from_json(const struct orr_doc *doc, const char *id, struct orr_design *design,
                                  struct orr_error *error)
{
    memset(design, 0, sizeof *design);
    (void)snprintf(design->id, sizeof design->id, "%s", id);
    enum orr_err err =
        orr_fields_read(doc, "", doc->root, DESIGN_FIELDS, ORR_COUNT_OF(DESIGN_FIELDS), DESIGN_KEYS, design, error);
    if (!err) err = read_supply(doc, &design->supply, error);
    if (!err) err = read_table(doc, "flops_ratio", RATIO_FIELDS, ORR_N_MATRIX_DTYPES, design, error);
    if (!err) err = read_srams(doc, design, error);
    if (!err) err = read_split(doc, design, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

/* ---------------------------------------------------------------- memories */

static const struct orr_field DRAM_FIELDS[] = {
    ORR_REAL(orr_dram, link_bytes_per_s, ORR_UNIT_BYTES_PER_S, true, 1e3, 1e15, "rate of one data pin"),
    ORR_REAL(orr_dram, links_per_stack, ORR_UNIT_NONE, true, 1, 1e6, "data pins of a stack or device"),
    ORR_REAL(orr_dram, stack_bytes, ORR_UNIT_BYTES, true, 1e6, 1e15, "capacity of a stack or device"),
    ORR_REAL(orr_dram, stack_mm2, ORR_UNIT_NONE, true, 0, 1e4, "place on the package; 0: beside it"),
    ORR_REAL(orr_dram, links_per_mm, ORR_UNIT_NONE, true, 0.01, 1e6, "pins per mm of die edge"),
    ORR_REAL(orr_dram, j_per_byte, ORR_UNIT_J_PER_BYTE, true, 1e-15, 1e-6, "energy of a byte"),
    ORR_REAL(orr_dram, static_w_per_bit, ORR_UNIT_NONE, true, 0, 1, "refresh and leakage of a bit"),
    ORR_REAL(orr_dram, usd_per_gb, ORR_UNIT_USD, true, 0, 1e6, "price of 1e9 bytes"),
};
static const char *const DRAM_KEYS[] = {"name", "supply", "sources", NULL};

enum orr_err orr_dram_from_json(const struct orr_doc *doc, const char *id, struct orr_dram *dram,
                                struct orr_error *error)
{
    memset(dram, 0, sizeof *dram);
    (void)snprintf(dram->id, sizeof dram->id, "%s", id);
    enum orr_err err =
        orr_fields_read(doc, "", doc->root, DRAM_FIELDS, ORR_COUNT_OF(DRAM_FIELDS), DRAM_KEYS, dram, error);
    if (!err) err = read_supply(doc, &dram->supply, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

/* ---------------------------------------------------------------- networks */

static const struct orr_field NETWORK_FIELDS[] = {
    ORR_BOOL(orr_network, scaleout, true, "between scale-up domains; else inside one"),
    ORR_REAL(orr_network, link_bytes_per_s, ORR_UNIT_BYTES_PER_S, true, 1e3, 1e15, "rate of one link, one way"),
    ORR_INT(orr_network, n_links, true, 0, 1000000, "links of a GPU at most; 0: as the budgets allow"),
    ORR_REAL(orr_network, degree, ORR_UNIT_NONE, true, 1, 1000, "neighbours that share the links; 1: a switch"),
    ORR_REAL(orr_network, link_mm2, ORR_UNIT_NONE, true, 0, 1e4, "die area of a link"),
    ORR_REAL(orr_network, links_per_mm, ORR_UNIT_NONE, true, 1e-3, 1e6, "links per mm of die edge"),
    ORR_REAL(orr_network, j_per_byte, ORR_UNIT_J_PER_BYTE, true, 1e-15, 1e-6,
             "energy of a byte, out of the chip's power"),
    ORR_REAL(orr_network, latency_s, ORR_UNIT_S, true, 0, 1, "one hop"),
    ORR_REAL(orr_network, efficiency_frac, ORR_UNIT_NONE, true, 0.001, 1, "sustained share of the rate"),
    ORR_REAL(orr_network, oversubscription, ORR_UNIT_NONE, true, 1, 1000, "1: full bisection"),
    ORR_INT(orr_network, domain_gpus, true, 1, 10000000, "GPUs it joins"),
    ORR_BOOL(orr_network, switched, true, "a switch joins any pair at full rate"),
    ORR_BOOL(orr_network, multicast, true, "the switch reduces and multicasts"),
    ORR_REAL(orr_network, usd_per_gpu, ORR_UNIT_USD, true, 0, 1e7, "ports, cables and share of the switches"),
};
static const char *const NETWORK_KEYS[] = {"name", "supply", "sources", NULL};

enum orr_err orr_network_from_json(const struct orr_doc *doc, const char *id, struct orr_network *network,
                                   struct orr_error *error)
{
    memset(network, 0, sizeof *network);
    (void)snprintf(network->id, sizeof network->id, "%s", id);
    enum orr_err err =
        orr_fields_read(doc, "", doc->root, NETWORK_FIELDS, ORR_COUNT_OF(NETWORK_FIELDS), NETWORK_KEYS, network, error);
    if (!err) err = read_supply(doc, &network->supply, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}
