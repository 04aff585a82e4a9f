/* Writes one line about an input of the chip generator, for lists. Reading the part checks it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/plain.h"
#include "spec/technology.h"

static void node_line(const struct orr_technology *t, char line[ORR_LINE])
{
    size_t n = (size_t)snprintf(line, ORR_LINE, "nm:");
    for (size_t i = 0; i < t->n_nodes && n < ORR_LINE; i++)
        n += (size_t)snprintf(line + n, ORR_LINE - n, " %g", t->nodes[i].nm);
}

static void design_line(const struct orr_design *d, char line[ORR_LINE])
{
    (void)snprintf(line, ORR_LINE, "%g nm  %g mm2 die, %g mm2 package, %g W  %.40s, %.40s, %.40s", d->node_nm,
                   d->die_mm2, d->package_mm2, d->power_w, d->memory, d->scaleup, d->network);
}

static void dram_line(const struct orr_dram *d, char line[ORR_LINE])
{
    (void)snprintf(line, ORR_LINE, "%5.0f GB/s per stack  %3.0f GB  %.1f pJ/bit  %.4g $/GB",
                   d->links_per_stack * d->link_bytes_per_s / 1e9, d->stack_bytes / 1e9, d->j_per_byte / 8 * 1e12,
                   d->usd_per_gb);
}

static void network_line(const struct orr_network *n, char line[ORR_LINE])
{
    char rate[32], gpus[32] = "";
    (void)orr_print_rate(rate, (n->n_links > 0 ? (double)n->n_links : 1) * n->link_bytes_per_s);
    if (!n->scaleout) (void)snprintf(gpus, sizeof gpus, "  %lld GPUs", (long long)n->domain_gpus);
    (void)snprintf(line, ORR_LINE, "%-9s  %s per %s%s", n->scaleout ? "scale-out" : "scale-up", rate,
                   n->n_links > 0 ? "GPU" : "link", gpus);
}

static enum orr_err line_of(const struct orr_part_doc *part, enum orr_part kind, char line[ORR_LINE],
                            struct orr_error *error)
{
    struct orr_technology technology;
    struct orr_design design;
    struct orr_dram dram;
    struct orr_network network;
    enum orr_err err = ORR_OK;
    switch (kind) {
    case ORR_PART_TECHNOLOGY:
        err = orr_technology_from_json(&part->doc, part->id, &technology, error);
        if (!err) node_line(&technology, line);
        break;
    case ORR_PART_DESIGN:
        err = orr_design_from_json(&part->doc, part->id, &design, error);
        if (!err) design_line(&design, line);
        break;
    case ORR_PART_MEMORY:
        err = orr_dram_from_json(&part->doc, part->id, &dram, error);
        if (!err) dram_line(&dram, line);
        break;
    case ORR_PART_NETWORK:
        err = orr_network_from_json(&part->doc, part->id, &network, error);
        if (!err) network_line(&network, line);
        break;
    case ORR_PART_MODEL:
    case ORR_PART_CHIP:
    case ORR_PART_SYSTEM:
    case ORR_PART_ENGINE:
    case ORR_PART_CALIBRATION:
    case ORR_PART_FABRIC:
    case ORR_PART_TRAFFIC:
    case ORR_N_PARTS: break;
    }
    return err;
}

enum orr_err orr_technology_line(const struct orr_catalogue *catalogue, enum orr_part kind, const char *id,
                                 char line[ORR_LINE], struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_reference reference = {.part = kind, .name = id};
    struct orr_part_doc *part = calloc(1, sizeof *part);
    line[0] = '\0';
    if (!part) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    enum orr_err err = orr_part_open(catalogue, &reference, NULL, part, error);
    if (!err) err = line_of(part, kind, line, error);
    orr_part_close(part);
    free(part);
    return err;
}
