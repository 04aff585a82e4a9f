/* This file shows generated machines as text: what came out of the budgets and what limits it, for one machine or for
 * all nodes of a set. */
#include "report/technology.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "report/page.h"
#include "report/json_text.h"

enum orr_err orr_generated_recipe(const struct orr_catalogue *catalogue, const char *name, struct orr_recipe *recipe,
                                  struct orr_error *error)
{
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = name};
    if (!orr_is_generated(name))
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0},
                        "\"%.60s\" is not a generated system, e.g. generated:node=5,memory=hbm3", name);
    return orr_recipe_read(catalogue, &reference, recipe, error);
}

enum orr_err orr_machine_read(const struct orr_catalogue *catalogue, const char *name, struct orr_recipe *recipe,
                              struct orr_machine *machine, struct orr_error *error)
{
    char reason[ORR_REASON];
    const enum orr_err err = orr_generated_recipe(catalogue, name, recipe, error);
    if (err) return err;
    if (!orr_generate(recipe, machine, reason))
        return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){0}, "generated: %s", reason);
    return ORR_OK;
}

enum orr_err orr_text_done(struct orr_text *text, char **result, struct orr_error *error)
{
    *result = orr_text_take(text);
    return *result ? ORR_OK : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

/* ---------------------------------------------------------------- one machine, terminal */

static void add_heading(const struct orr_recipe *r, const struct orr_machine *m, struct orr_text *text)
{
    orr_text_add(text, "%s at %g nm (%s): die %.4g mm2, package %.4g mm2, %.4g W, edge %.4g mm\n\n", r->design.name,
                 r->node.nm, r->technology.id, r->die_mm2, r->package_mm2, r->power_w, m->perimeter_mm);
}

static void add_core(const struct orr_recipe *r, const struct orr_machine *m, struct orr_text *text)
{
    char peak[32], clock[32];
    orr_text_add(text, "  matrix units    %lld in %lld SMs, %s at %.3f V (peak held by %s)\n", (long long)m->n_units,
                 (long long)m->n_sm, orr_print_si(clock, m->clock_hz, "Hz"), m->core.voltage_v, m->peak_limit);
    for (int i = 0; i < ORR_N_DTYPES; i++)
        if (r->design.flops_ratio[i] > 0)
            orr_text_add(text, "  %-14s  %s\n", orr_dtype_name((enum orr_dtype)i),
                         orr_print_si(peak, r->design.flops_ratio[i] * m->peak_flops_per_s, "FLOP/s"));
}

static void add_memories(const struct orr_recipe *r, const struct orr_machine *m, struct orr_text *text)
{
    static const char *const TITLES[ORR_N_SRAMS] = {"L2", "shared memory", "registers"};
    char bytes[32], rate[32];
    for (int i = 0; i < ORR_N_SRAMS; i++)
        orr_text_add(text, "  %-14s  %s in %lld banks, %s\n", TITLES[i], orr_print_bytes(bytes, m->sram[i].bytes),
                     (long long)m->sram[i].n_banks, orr_print_rate(rate, m->sram[i].bytes_per_s));
    orr_text_add(text, "  DRAM            %lld × %s, %.4g GB, %s (held by %s)\n", (long long)m->n_stacks, r->dram.id,
                 m->dram_bytes / 1e9, orr_print_rate(rate, m->dram.bytes_per_s), m->dram.limit);
}

static void add_links(const struct orr_recipe *r, const struct orr_machine *m, struct orr_text *text)
{
    char rate[32];
    orr_text_add(text, "  scale-up        %lld × %s, %s per GPU (held by %s), %lld GPUs\n",
                 (long long)m->scaleup.n_links, r->scaleup.id, orr_print_rate(rate, m->scaleup.bytes_per_s),
                 m->scaleup.limit, (long long)r->domain_gpus);
    orr_text_add(text, "  scale-out       %lld × %s, %s per GPU (held by %s)\n\n", (long long)m->scaleout.n_links,
                 r->scaleout.id, orr_print_rate(rate, m->scaleout.bytes_per_s), m->scaleout.limit);
}

/* Prints a share of a budget and what it is in mm2, W or mm. */
static char *share_text(char buffer[32], double frac, double whole, const char *unit)
{
    if (frac > 0) (void)snprintf(buffer, 32, "%.1f %% %8.4g %s", 100 * frac, frac * whole, unit);
    else (void)snprintf(buffer, 32, "–");
    return buffer;
}

/* Adds a table of the three budgets. */
static void add_split(const struct orr_recipe *r, const struct orr_split *split, struct orr_text *text,
                      const struct orr_style *style)
{
    struct orr_table table;
    const double edge_mm = orr_useful_edge_mm(r), area_mm2 = orr_useful_mm2(r);
    double area = 0, power = 0, edge = 0;
    char a[32], p[32], e[32];
    orr_table_start(&table, "lrrr");
    ORR_ROW(&table, ORR_PAINT_BOLD, "split", "area", "power", "edge");
    for (int i = 0; i < ORR_N_COMPONENTS; i++) {
        ORR_ROW(&table, ORR_PAINT_NONE, orr_component_names[i], share_text(a, split->area_frac[i], area_mm2, "mm2"),
                share_text(p, split->power_frac[i], r->power_w, "W"),
                share_text(e, split->perimeter_frac[i], edge_mm, "mm"));
        area += split->area_frac[i];
        power += split->power_frac[i];
        edge += split->perimeter_frac[i];
    }
    ORR_ROW(&table, ORR_PAINT_NONE, "unused", share_text(a, 1 - area, area_mm2, "mm2"),
            share_text(p, 1 - power, r->power_w, "W"), share_text(e, 1 - edge, edge_mm, "mm"));
    orr_table_print(&table, text, style);
}

static void add_terminal(const struct orr_recipe *r, const struct orr_machine *m, struct orr_text *text,
                         const struct orr_style *style)
{
    struct orr_text lines = {0};
    add_heading(r, m, &lines);
    add_core(r, m, &lines);
    add_memories(r, m, &lines);
    add_links(r, m, &lines);
    add_split(r, &r->split, &lines, style);
    if (m->cost.n_dies > 1)
        orr_text_add(&lines,
                     "\n  package         %g dies of %.4g mm2, %.0f %% of the area for links between them; assembly"
                     " yield %.1f %%\n",
                     m->cost.n_dies, m->cost.die_mm2, 100 * r->technology.economy.d2d_area_frac,
                     100 * m->cost.assembly_yield_frac);
    orr_text_add(
        &lines,
        "\n  cost            die $%.4g (%.1f per wafer, yield %.1f %%), chip $%.5g, GPU with its share of node and"
        " networks $%.5g, $%.4g per hour\n",
        m->cost.die_usd, m->cost.dies_per_wafer, 100 * m->cost.yield_frac, m->cost.chip_usd, m->cost.gpu_usd,
        m->cost.usd_per_hour);
    text->failed |= lines.failed;
    if (!lines.failed) orr_text_fit(text, style, lines.data);
    free(lines.data);
}

/* ---------------------------------------------------------------- machines as rows */

/* JSON and CSV share this list. */
#define COLUMNS(X)                                                                                                     \
    X(node_nm, r->node.nm)                                                                                             \
    X(units, (double)m->n_units)                                                                                       \
    X(sm, (double)m->n_sm)                                                                                             \
    X(voltage_v, m->core.voltage_v)                                                                                    \
    X(clock_hz, m->clock_hz)                                                                                           \
    X(peak_flops_per_s, m->peak_flops_per_s)                                                                           \
    X(l2_bytes, m->sram[ORR_SRAM_L2].bytes)                                                                            \
    X(l2_bytes_per_s, m->sram[ORR_SRAM_L2].bytes_per_s)                                                                \
    X(l1_bytes, m->sram[ORR_SRAM_L1].bytes)                                                                            \
    X(l1_bytes_per_s, m->sram[ORR_SRAM_L1].bytes_per_s)                                                                \
    X(register_bytes, m->sram[ORR_SRAM_REGISTERS].bytes)                                                               \
    X(register_bytes_per_s, m->sram[ORR_SRAM_REGISTERS].bytes_per_s)                                                   \
    X(dram_stacks, (double)m->n_stacks)                                                                                \
    X(dram_bytes, m->dram_bytes)                                                                                       \
    X(dram_bytes_per_s, m->dram.bytes_per_s)                                                                           \
    X(dram_voltage_v, m->dram.at.voltage_v)                                                                            \
    X(scaleup_bytes_per_s, m->scaleup.bytes_per_s)                                                                     \
    X(scaleout_bytes_per_s, m->scaleout.bytes_per_s)                                                                   \
    X(flop_j, m->flop_j)                                                                                               \
    X(dies_per_wafer, m->cost.dies_per_wafer)                                                                          \
    X(yield_frac, m->cost.yield_frac)                                                                                  \
    X(die_usd, m->cost.die_usd)                                                                                        \
    X(dies_per_package, m->cost.n_dies)                                                                                \
    X(assembly_yield_frac, m->cost.assembly_yield_frac)                                                                \
    X(package_usd, m->cost.package_usd)                                                                                \
    X(chip_usd, m->cost.chip_usd)                                                                                      \
    X(gpu_usd, m->cost.gpu_usd)                                                                                        \
    X(usd_per_hour, m->cost.usd_per_hour)

static void add_csv_head(struct orr_text *text)
{
#define HEAD(key, value) orr_text_add(text, "%s,", #key);
    COLUMNS(HEAD)
    orr_text_add(text, "peak_limit,dram_limit,scaleup_limit,scaleout_limit\n");
}

static void add_csv_row(const struct orr_recipe *r, const struct orr_machine *m, struct orr_text *text)
{
#define CELL(key, value) orr_text_add(text, "%.17g,", value);
    COLUMNS(CELL)
    orr_text_add(text, "%s,%s,%s,%s\n", m->peak_limit, m->dram.limit, m->scaleup.limit, m->scaleout.limit);
}

static json_t *row_json(const struct orr_recipe *r, const struct orr_machine *m)
{
    json_t *row = json_object();
#define MEMBER(key, value) json_object_set_new(row, #key, orr_json_real(value));
    COLUMNS(MEMBER)
    json_object_set_new(row, "peak_limit", json_string(m->peak_limit));
    json_object_set_new(row, "dram_limit", json_string(m->dram.limit));
    json_object_set_new(row, "scaleup_limit", json_string(m->scaleup.limit));
    json_object_set_new(row, "scaleout_limit", json_string(m->scaleout.limit));
    return row;
}

static void add_row(struct orr_table *table, const struct orr_recipe *r, const struct orr_machine *m)
{
    char nm[16], units[16], sm[16], volt[16], clock[16], tflops[16], l2[16], dram[16], usd[16];
    (void)snprintf(nm, sizeof nm, "%g", r->node.nm);
    (void)snprintf(units, sizeof units, "%lld", (long long)m->n_units);
    (void)snprintf(sm, sizeof sm, "%lld", (long long)m->n_sm);
    (void)snprintf(volt, sizeof volt, "%.3f", m->core.voltage_v);
    (void)snprintf(clock, sizeof clock, "%.3f", m->clock_hz / 1e9);
    (void)snprintf(tflops, sizeof tflops, "%.1f", m->peak_flops_per_s / 1e12);
    (void)snprintf(l2, sizeof l2, "%.2f", m->sram[ORR_SRAM_L2].bytes / 1048576);
    (void)snprintf(dram, sizeof dram, "%.0f", m->dram.bytes_per_s / 1e9);
    (void)snprintf(usd, sizeof usd, "%.0f", m->cost.chip_usd);
    ORR_ROW(table, ORR_PAINT_NONE, nm, units, sm, volt, clock, tflops, l2, dram, usd);
}

/* ---------------------------------------------------------------- one machine */

static void add_machine(const struct orr_recipe *recipe, const struct orr_machine *machine, const char *name,
                        enum orr_format format, const struct orr_style *style, struct orr_text *text)
{
    struct orr_system system;
    if (format == ORR_FORMAT_JSON) {
        orr_machine_system(recipe, machine, &system);
        orr_json_lines(text, orr_generated_json(recipe, &system, name));
    } else if (format == ORR_FORMAT_CSV) {
        add_csv_head(text);
        add_csv_row(recipe, machine, text);
    } else {
        add_terminal(recipe, machine, text, style);
    }
}

static void add_page(const struct orr_recipe *recipe, const struct orr_machine *machine, const char *name,
                     struct orr_text *text)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    orr_split_lanes(&page, &(const char *){""}, &recipe->split, 1);
    orr_cost_lanes(&page, &machine->cost);
    add_machine(recipe, machine, name, ORR_FORMAT_TERMINAL, &orr_page_style, &page.terminal);
    add_machine(recipe, machine, name, ORR_FORMAT_JSON, NULL, &json);
    orr_page_reply(&page, "result", &json);
    orr_page_finish(&page, name, text);
}

enum orr_err orr_technology_chip(const struct orr_catalogue *catalogue, const struct orr_technology_question *question,
                                 const struct orr_rendering *to, struct orr_error *error)
{
    struct orr_recipe recipe;
    struct orr_machine machine;
    struct orr_text text = {0};
    const enum orr_err err = orr_machine_read(catalogue, question->name, &recipe, &machine, error);
    if (err) return err;
    if (to->format == ORR_FORMAT_HTML) add_page(&recipe, &machine, question->name, &text);
    else add_machine(&recipe, &machine, question->name, to->format, to->style, &text);
    return orr_text_done(&text, to->text, error);
}

/* ---------------------------------------------------------------- all nodes of a set */

/* This is one recipe at every node. */
struct nodes {
    struct orr_recipe recipe;
    size_t n;
    struct orr_node_row rows[ORR_MAX_NODES];
};

static void add_nodes_json(struct nodes *nodes, struct orr_text *text)
{
    json_t *made = json_array(), *missing = json_array();
    for (size_t i = 0; i < nodes->n; i++) {
        const struct orr_node_row *row = &nodes->rows[i];
        nodes->recipe.node = row->node;
        if (row->reason[0])
            json_array_append_new(
                missing, json_pack("{s:f, s:o}", "node_nm", row->node.nm, "reason", orr_json_word(row->reason)));
        else json_array_append_new(made, row_json(&nodes->recipe, &row->machine));
    }
    orr_json_lines(text, json_pack("{s:s, s:s, s:o, s:o}", "schema", ORR_SCHEMA, "kind", "technology", "nodes", made,
                                   "not_made", missing));
}

static void add_nodes_csv(struct nodes *nodes, struct orr_text *text)
{
    add_csv_head(text);
    for (size_t i = 0; i < nodes->n; i++) {
        nodes->recipe.node = nodes->rows[i].node;
        if (!nodes->rows[i].reason[0]) add_csv_row(&nodes->recipe, &nodes->rows[i].machine, text);
    }
}

static void add_nodes_terminal(struct nodes *nodes, struct orr_text *text, const struct orr_style *style)
{
    const struct orr_recipe *recipe = &nodes->recipe;
    struct orr_table table;
    orr_text_add(text, "%s, %s: die %.4g mm2, %.4g W, %s\n\n", recipe->design.name, recipe->technology.id,
                 recipe->die_mm2, recipe->power_w, recipe->dram.id);
    orr_table_start(&table, "rrrrrrrrr");
    table.drop = "021300000";
    ORR_ROW(&table, ORR_PAINT_BOLD, "nm", "units", "SMs", "V", "GHz", "TFLOP/s", "L2 MiB", "DRAM GB/s", "chip $");
    for (size_t i = 0; i < nodes->n; i++) {
        nodes->recipe.node = nodes->rows[i].node;
        if (!nodes->rows[i].reason[0]) add_row(&table, recipe, &nodes->rows[i].machine);
    }
    orr_table_print(&table, text, style);
    orr_text_fit(text, style,
                 "\n  TFLOP/s of 16 bits. L2 hardly grows where more SMs need more ports to every bank (Eq. 100).\n");
    for (size_t i = 0; i < nodes->n; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "  not at %g nm", nodes->rows[i].node.nm);
        if (nodes->rows[i].reason[0]) orr_text_wrap(text, style, label, 16, nodes->rows[i].reason, " ");
    }
}

static void add_nodes_page(struct nodes *nodes, const char *name, struct orr_text *text)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    orr_node_lanes(&page, nodes->rows, nodes->n);
    add_nodes_terminal(nodes, &page.terminal, &orr_page_style);
    add_nodes_json(nodes, &json);
    orr_page_reply(&page, "result", &json);
    orr_page_finish(&page, name, text);
}

enum orr_err orr_technology_nodes(const struct orr_catalogue *catalogue, const struct orr_technology_question *question,
                                  const struct orr_rendering *to, struct orr_error *error)
{
    struct orr_text text = {0};
    struct nodes nodes = {.n = 0};
    const enum orr_err err = orr_machine_read(catalogue, question->name, &nodes.recipe, &nodes.rows[0].machine, error);
    if (err) return err;
    for (; nodes.n < nodes.recipe.technology.n_nodes; nodes.n++) {
        struct orr_node_row *row = &nodes.rows[nodes.n];
        *row = (struct orr_node_row){.node = nodes.recipe.technology.nodes[nodes.n]};
        nodes.recipe.node = row->node;
        if (orr_generate(&nodes.recipe, &row->machine, row->reason)) row->reason[0] = '\0';
    }
    if (to->format == ORR_FORMAT_JSON) add_nodes_json(&nodes, &text);
    else if (to->format == ORR_FORMAT_CSV) add_nodes_csv(&nodes, &text);
    else if (to->format == ORR_FORMAT_HTML) add_nodes_page(&nodes, question->name, &text);
    else add_nodes_terminal(&nodes, &text, to->style);
    return orr_text_done(&text, to->text, error);
}
