/* What is public of Guo, Kundu et al. 2025 (arXiv 2507.02456), which extends the framework of Kundu et al. 2024: the
 * cost of packages of several dies, collectives by the shape of a network, plans in five dimensions for a mixture of
 * experts, and fused attention as a sum of its phases. Its own numbers could not be read; docs/reproduce.md says so. */
#include "study/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "predict/scratch.h"
#include "spec/technology.h"
#include "study/topologies.h"

/* ---------------------------------------------------------------- packages */

/* A package of the size of a B200: 1650 mm2 of logic at 5 nm, eight stacks, a carrier of 2739 mm2. The keys of the cost
 * are those of docs/technology.md. */
#define PACKAGE                                                                                                        \
    "generated:node=5,area=1650,package=2739,stacks=8,memory=hbm3e-24,power=1000,cost.die_test_usd=15,"                \
    "cost.probe_usd=15,cost.interposer_usd_per_mm2=0.3,cost.interposer_area_ratio=1.0826,cost.final_test_usd=60,"      \
    "cost.final_loss_frac=0.015"

/* The published estimate of the cost of a B200, which has two dies (Epoch AI, 2025). */
static const double B200_LOW_USD = 5700, B200_HIGH_USD = 7300;

static enum orr_err add_package(struct orr_study *study, struct orr_sheet *sheet, int dies, double harvest,
                                double *package_usd, struct orr_error *error)
{
    char name[512], reason[ORR_REASON];
    struct orr_recipe recipe;
    struct orr_machine machine;
    (void)snprintf(name, sizeof name, PACKAGE ",dies=%d,cost.harvest_frac=%g", dies, harvest);
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = name};
    const enum orr_err err = orr_recipe_read(study->catalogue, &reference, &recipe, error);
    if (err) return err;
    if (!orr_generate(&recipe, &machine, reason))
        return orr_fail(error, ORR_ERR_RULE, (struct orr_place){.file = study->item->name}, "%s", reason);
    const struct orr_die_cost *cost = &machine.cost;
    const double parts_usd = cost->dies_usd + cost->dram_usd + cost->interposer_usd;
    ORR_NUMBERS(sheet, dies, harvest, cost->die_mm2, cost->yield_frac, cost->assembly_yield_frac, cost->dies_usd,
                cost->dram_usd, cost->interposer_usd, cost->package_usd - parts_usd, cost->package_usd);
    if (dies == 2) ORR_NUMBERS(sheet, B200_LOW_USD, B200_HIGH_USD);
    else ORR_NUMBERS(sheet, (double)NAN, (double)NAN);
    ORR_WORDS(sheet, cost->die_mm2 <= recipe.technology.economy.reticle_mm2 ? "yes" : "no");
    *package_usd = cost->package_usd;
    return ORR_OK;
}

static enum orr_err add_packages(struct orr_study *study, struct orr_error *error)
{
    static const int DIES[] = {1, 2, 4, 8};
    static const double HARVESTS[] = {0, 0.5};
    double usd[2][4] = {{0}};
    enum orr_err err = ORR_OK;
    struct orr_sheet *sheet = orr_study_sheet(
        study, "chiplets", "Cost of a package of 1650 mm2 of logic and 8 stacks, by the number of dies",
        "dies harvested_frac die_mm2 die_yield_frac assembly_yield_frac dies_usd memory_usd interposer_usd "
        "losses_usd package_usd published_low_usd published_high_usd printable");
    for (size_t h = 0; h < 2; h++)
        for (size_t i = 0; i < 4 && !err; i++) err = add_package(study, sheet, DIES[i], HARVESTS[h], &usd[h][i], error);
    if (err) return err;
    orr_study_find(study,
                   "a package of two dies costs %.0f $, %.0f if half of the faulty dies are sold with units off; "
                   "published for a B200: %.0f to %.0f $",
                   usd[0][1], usd[1][1], B200_LOW_USD, B200_HIGH_USD);
    orr_study_find(
        study, "one die would cost %.0f %% more and cannot be printed; four cost %.0f %% less, eight %.0f %%",
        100 * (usd[0][0] / usd[0][1] - 1), 100 * (1 - usd[0][2] / usd[0][1]), 100 * (1 - usd[0][3] / usd[0][1]));
    return ORR_OK;
}

/* ---------------------------------------------------------------- collectives */

static void add_topologies(struct orr_study *study)
{
    static const double BYTES[] = {1e4, 1e6, 1e8};
    const struct orr_shaped plain = {.ranks = 64,
                                     .bytes_per_s = 900e9,
                                     .hop_s = 0.5e-6,
                                     .n_sides = 3,
                                     .sides = {4, 4, 4},
                                     .groups = 8,
                                     .global_bytes_per_s = 450e9};
    struct orr_sheet *sheet = orr_study_sheet(
        study, "chiplets_topologies", "Collectives of 64 ranks with 900 GB/s each, by the shape of the network; bounds",
        "topology megabytes gather_s exchange_s gather_over_switch exchange_over_switch");
    double worst = 0;
    for (int shape = 0; shape < ORR_N_SHAPES; shape++)
        for (size_t i = 0; i < sizeof BYTES / sizeof *BYTES; i++) {
            struct orr_shaped network = plain, best = plain;
            network.shape = (enum orr_shape_of_network)shape;
            best.shape = ORR_SHAPE_SWITCH;
            const double gather_s = orr_shaped_gather_s(&network, BYTES[i]),
                         exchange_s = orr_shaped_exchange_s(&network, BYTES[i]);
            const double ratio = exchange_s / orr_shaped_exchange_s(&best, BYTES[i]);
            ORR_WORDS(sheet, orr_shape_names[shape]);
            ORR_NUMBERS(sheet, BYTES[i] / 1e6, gather_s, exchange_s, gather_s / orr_shaped_gather_s(&best, BYTES[i]),
                        ratio);
            if (shape == ORR_SHAPE_TORUS) worst = ratio;
        }
    orr_study_find(study,
                   "with the same rate per GPU, a torus gathers as fast as a switch and takes %.1f times as long to "
                   "exchange 100 MB all to all, which experts need",
                   worst);
}

/* ---------------------------------------------------------------- plans in five dimensions */

/* Seconds of a step in attention: by the longer of compute and memory, and by their sum, as the paper has it. */
static void attention_s(const struct orr_scratch *scratch, double *longer_s, double *sum_s)
{
    *longer_s = *sum_s = 0;
    for (size_t i = 0; i < scratch->ops.n; i++) {
        const struct orr_cost *cost = &scratch->costs[i];
        const enum orr_op_kind kind = scratch->ops.items[i].kind;
        if (kind != ORR_OP_FLASH && kind != ORR_OP_FLASH_BACKWARD) continue;
        *longer_s += cost->total_s;
        *sum_s += cost->compute_s + cost->dram_s + cost->launch_s;
    }
}

static enum orr_err add_plan(struct orr_study *study, struct orr_sheet *sheet, const char *name, const char *plan,
                             const char *attention, struct orr_error *error)
{
    struct orr_result result;
    double longer_s, sum_s;
    const enum orr_err err = orr_study_job(study, &study->job, error,
                                           "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':128,"
                                           "'plan':{%s},'workload':{'seq':8192,'global_batch':256,'micro_batch':1,"
                                           "'engine':'megatron-core-2025','attention':'%s','recompute':'selective'}}",
                                           plan, attention);
    if (err) return err;
    orr_train(&study->job, study->scratch, &result);
    attention_s(study->scratch, &longer_s, &sum_s);
    const struct orr_plan *p = &study->job.plan;
    ORR_WORDS(sheet, name, attention);
    ORR_NUMBERS(sheet, (double)p->dp, (double)p->tp, (double)p->pp, (double)p->cp, (double)p->ep, result.step_time_s,
                result.bound_share_frac[ORR_BOUND_NETWORK], result.memory.total_bytes / 1073741824.0);
    ORR_WORDS(sheet, result.fits ? "yes" : "no");
    ORR_NUMBERS(sheet, longer_s > 0 ? sum_s / longer_s : (double)NAN);
    return ORR_OK;
}

static enum orr_err add_plans(struct orr_study *study, struct orr_error *error)
{
    static const struct {
        const char *name, *plan, *attention;
    } PLANS[] = {
        {"data", "'dp':128,'zero':3", "flash"},
        {"data, expert", "'ep':8", "flash"},
        {"data, tensor", "'tp':8,'sp':true,'etp':8", "flash"},
        {"data, tensor, expert", "'tp':2,'sp':true,'ep':8,'etp':1", "flash"},
        {"data, pipeline, expert", "'pp':4,'ep':8", "flash"},
        {"data, context, expert", "'cp':2,'ep':8", "flash"},
        {"all five", "'tp':2,'sp':true,'pp':2,'cp':2,'ep':8,'etp':1", "flash"},
        {"all five, unfused attention", "'tp':2,'sp':true,'pp':2,'cp':2,'ep':8,'etp':1", "unfused"},
    };
    struct orr_sheet *sheet =
        orr_study_sheet(study, "chiplets_plans", "Training Mixtral-8x7B on 128 H100 by kinds of parallelism",
                        "parallelism attention dp tp pp cp ep step_s network_frac memory_gib fits attention_sum_ratio");
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS && !err; i++)
        err = add_plan(study, sheet, PLANS[i].name, PLANS[i].plan, PLANS[i].attention, error);
    return err;
}

enum orr_err orr_study_chiplets(struct orr_study *study, struct orr_error *error)
{
    enum orr_err err = add_packages(study, error);
    if (!err) add_topologies(study);
    return err ? err : add_plans(study, error);
}
