/* A generated machine as an ordinary system with its chip. */
#include <stdio.h>
#include <string.h>

#include "technology/technology.h"

static void make_chip(const struct orr_recipe *recipe, const struct orr_machine *machine, struct orr_chip *chip)
{
    const struct orr_design *design = &recipe->design;
    const struct orr_sram_level *l2 = &machine->sram[ORR_SRAM_L2];
    (void)snprintf(chip->name, sizeof chip->name, "%.30s at %g nm (%.30s)", design->name, recipe->node.nm,
                   recipe->technology.id);
    (void)snprintf(chip->family, sizeof chip->family, "%s", design->family);
    for (int i = 0; i < ORR_N_DTYPES; i++)
        chip->peak_flops_per_s[i] = design->flops_ratio[i] * machine->peak_flops_per_s;
    if (chip->peak_flops_per_s[ORR_DTYPE_FP8_BLOCK] <= 0)
        chip->peak_flops_per_s[ORR_DTYPE_FP8_BLOCK] = chip->peak_flops_per_s[ORR_DTYPE_FP8];
    chip->vector_flops_per_s = design->vector_ratio * machine->peak_flops_per_s;
    chip->n_sm = machine->n_sm;
    chip->smem_bytes_per_sm = machine->sram[ORR_SRAM_L1].bytes / (double)machine->n_sm;
    chip->l2_bytes = l2->bytes;
    chip->l2_bytes_per_s = l2->bytes_per_s;
    chip->l2_multicast = design->l2_multicast;
    chip->hbm_bytes = machine->dram_bytes;
    chip->hbm_bytes_per_s = machine->dram.bytes_per_s;
    chip->flash = design->flash;
    chip->tdp_w = chip->calibrated_w = recipe->power_w;
    chip->idle_w = machine->idle_w;
    chip->flop_j = machine->flop_j;
    chip->hbm_j_per_byte = machine->dram.at.power_w / machine->dram.bytes_per_s;
    chip->link_j_per_byte = recipe->scaleup.j_per_byte;
}

void orr_machine_system(const struct orr_recipe *recipe, const struct orr_machine *machine, struct orr_system *system)
{
    const struct orr_network *up = &recipe->scaleup, *out = &recipe->scaleout;
    memset(system, 0, sizeof *system);
    make_chip(recipe, machine, &system->chip);
    system->gpus_per_node = recipe->gpus_per_node;
    system->domain_gpus = recipe->domain_gpus;
    system->scaleup_links = up->switched ? 0 : (int64_t)up->degree;
    /* A machine states the rate towards one neighbour, a system the rate of all links together. */
    system->scaleup_bytes_per_s = machine->scaleup.bytes_per_s * (up->switched ? 1 : up->degree);
    system->scaleup_latency_s = up->latency_s;
    system->scaleup_switched = up->switched;
    system->scaleup_multicast = up->multicast;
    system->scaleout_bytes_per_s = machine->scaleout.bytes_per_s;
    system->scaleout_latency_s = out->latency_s;
    system->scaleout_efficiency_frac = out->efficiency_frac;
    system->scaleout_oversubscription = out->oversubscription;
    system->host_speed = 1; /* the reference host */
    system->price_usd_per_gpu_hour = machine->cost.usd_per_hour;
    system->pue_frac = recipe->technology.economy.pue_frac;
}
