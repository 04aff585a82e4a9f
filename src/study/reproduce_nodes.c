/* Studies of technology for training: node x memory x network with the best plan of every point, and what binds the
 * time there. Eqs. 97-103. */
#include "study/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/names.h"
#include "spec/technology.h"
#include "study/optimise.h"

#define TEXT 4096

static const char *const NODES[] = {"12", "10", "7", "5", "3", "2", "1.4", "1"};
static const char *const MEMORIES[] = {"hbm2", "hbm2e", "hbm3", "hbm4"};
static const char *const NETWORKS[] = {"ndr", "xdr", "gdr"};
enum { N_NODES = sizeof NODES / sizeof *NODES };
enum { N_MEMORIES = sizeof MEMORIES / sizeof *MEMORIES, N_NETWORKS = sizeof NETWORKS / sizeof *NETWORKS };

/* The four machines of the bottleneck study: first the memory improves, then the network. */
static const char *const STEPS[][2] = {{"hbm2", "ndr"}, {"hbm2e", "ndr"}, {"hbm4", "ndr"}, {"hbm4", "gdr"}};
enum { N_STEPS = sizeof STEPS / sizeof *STEPS };

/* The job: a GPT of 7.5 B parameters on 1024 devices, with one sequence per device and step. */
static const char REQUEST[] = "{'kind':'train','model':'gpt-7.5b','system':'generated:','gpus':1024,"
                              "'plan':{" ORR_STUDY_SPACE "},'workload':{'seq':2048,'global_batch':1024}}";

#define MACHINE "generated:design=ampere,technology=deepflow,node=%s,memory=%s,network=%s"

/* The parts that the name of a point's system is made of. */
struct origin {
    const char *node, *memory, *network;
};

/* List the names of machines in the form that a sweep reads. */
static void list_machines(const struct origin *origins, size_t n, char text[TEXT * 4])
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++)
        length += (size_t)snprintf(text + length, TEXT * 4 - length, "%s" MACHINE, i > 0 ? ";" : "", origins[i].node,
                                   origins[i].memory, origins[i].network);
}

static enum orr_err sweep_machines(const struct orr_study *study, const struct origin *origins, size_t n,
                                   struct orr_study_point **points, struct orr_error *error)
{
    char names[TEXT * 4];
    size_t n_points;
    list_machines(origins, n, names);
    const struct orr_vary vary = {"system", "system", names};
    const struct orr_study_question question = {
        .request = REQUEST, .varies = &vary, .n_varies = 1, .mode = ORR_SWEEP_PRODUCT, .searched = true};
    return orr_study_sweep(study, &question, points, &n_points, error);
}

static void add_machine(struct orr_sheet *sheet, const struct origin *origin)
{
    ORR_NUMBERS(sheet, strtod(origin->node, NULL));
    ORR_WORDS(sheet, origin->memory, origin->network);
}

static void add_time(struct orr_sheet *sheet, const struct orr_study_point *point)
{
    const struct orr_job *job = &point->job;
    ORR_NUMBERS(sheet, point->outcome.answer.train.step_time_s, (double)job->plan.tp, (double)job->plan.pp,
                (double)job->plan.dp, (double)job->workload.micro_batch);
    ORR_WORDS(sheet, orr_recompute_name(job->workload.recompute),
              orr_bound_name(point->outcome.answer.train.bottleneck));
    ORR_NUMBERS(sheet, 1e-12 * job->system.chip.peak_flops_per_s[job->workload.precision],
                1e-9 * job->system.chip.hbm_bytes_per_s, 1e-9 * job->system.scaleout_bytes_per_s,
                point->outcome.answer.train.interval_low_s, point->outcome.answer.train.interval_high_s);
}

/* ---------------------------------------------------------------- the best split at every node */

/* Optimise the split; the plan stays that of the given split. */
static enum orr_err add_optimised(const struct orr_study *study, struct orr_sheet *sheet, const struct origin *origin,
                                  const struct orr_study_point *point, struct orr_error *error)
{
    char name[256];
    struct orr_recipe recipe;
    struct orr_split_optimum optimum;
    const struct orr_optimise options = {.optimiser = ORR_HAS_NLOPT ? ORR_OPTIMISER_SEARCH : ORR_OPTIMISER_GRADIENT,
                                         .n_restarts = 2};
    (void)snprintf(name, sizeof name, MACHINE, origin->node, origin->memory, origin->network);
    const struct orr_reference reference = {.part = ORR_PART_SYSTEM, .name = name};
    struct orr_split_problem *problem = calloc(1, sizeof *problem);
    if (!problem) return orr_out_of_memory(error, NULL);
    enum orr_err err = orr_recipe_read(study->catalogue, &reference, &recipe, error);
    if (!err) err = orr_split_problem_open(&recipe, &point->job, &options, problem, error);
    if (!err) err = orr_split_solve(problem, &options, &optimum, error);
    if (!err) {
        add_machine(sheet, origin);
        ORR_NUMBERS(sheet, optimum.before.value, optimum.after.value, optimum.split.area_frac[ORR_COMPONENT_CORE],
                    optimum.split.power_frac[ORR_COMPONENT_CORE], optimum.split.power_frac[ORR_COMPONENT_DRAM]);
        ORR_WORDS(sheet, orr_bound_name(optimum.after.bottleneck));
    }
    orr_split_problem_close(problem);
    free(problem);
    return err;
}

/* ---------------------------------------------------------------- node x memory x network */

static size_t place(size_t memory, size_t network, size_t node)
{
    return (memory * N_NETWORKS + network) * N_NODES + node;
}

/* How much a machine still gains from logic, over the last three steps of the node, from 3 to 1 nm. */
static void find_knees(struct orr_study *study, const struct orr_study_point *points)
{
    const size_t worst = place(0, 0, 0), better = place(N_MEMORIES - 1, 0, 0),
                 best = place(N_MEMORIES - 1, N_NETWORKS - 1, 0), at[] = {worst, better, best};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const struct orr_study_point *p = &points[at[i]];
        orr_study_find(study, "%s, %s: 12 to 3 nm is %.2f times faster, 3 to 1 nm %.2f times",
                       MEMORIES[at[i] / (N_NETWORKS * N_NODES)], NETWORKS[at[i] / N_NODES % N_NETWORKS],
                       p[0].outcome.answer.train.step_time_s / p[4].outcome.answer.train.step_time_s,
                       p[4].outcome.answer.train.step_time_s / p[N_NODES - 1].outcome.answer.train.step_time_s);
    }
}

enum orr_err orr_study_nodes(struct orr_study *study, struct orr_error *error)
{
    enum { N = N_MEMORIES * N_NETWORKS * N_NODES };
    struct origin origins[N];
    struct orr_study_point *points;
    for (size_t i = 0; i < N; i++)
        origins[i] = (struct origin){NODES[i % N_NODES], MEMORIES[i / (N_NETWORKS * N_NODES)],
                                     NETWORKS[i / N_NODES % N_NETWORKS]};
    enum orr_err err = sweep_machines(study, origins, N, &points, error);
    if (err) return err;
    struct orr_sheet *sheet = orr_study_sheet(study, "nodes", "Step time, the best plan at every point",
                                              "node_nm memory network step_time_s tp pp dp micro_batch recompute "
                                              "bottleneck peak_tflops dram_gb_per_s network_gb_per_s low_s high_s");
    for (size_t i = 0; i < N; i++) {
        add_machine(sheet, &origins[i]);
        add_time(sheet, &points[i]);
    }
    find_knees(study, points);
    sheet = orr_study_sheet(study, "nodes_split", "The same with the best split of area, power and edge (HBM2E, NDR)",
                            "node_nm memory network given_s best_s core_area_frac core_power_frac dram_power_frac "
                            "bottleneck");
    for (size_t i = 0; i < N_NODES && !err; i++)
        err = add_optimised(study, sheet, &origins[place(1, 0, i)], &points[place(1, 0, i)], error);
    free(points);
    return err;
}

/* ---------------------------------------------------------------- what binds */

enum orr_err orr_study_bounds(struct orr_study *study, struct orr_error *error)
{
    enum { N = N_STEPS * N_NODES };
    struct origin origins[N];
    struct orr_study_point *points;
    for (size_t i = 0; i < N; i++)
        origins[i] = (struct origin){NODES[i % N_NODES], STEPS[i / N_NODES][0], STEPS[i / N_NODES][1]};
    const enum orr_err err = sweep_machines(study, origins, N, &points, error);
    if (err) return err;
    struct orr_sheet *sheet =
        orr_study_sheet(study, "bounds", "Share of the step bound by each resource, the best plan at every point",
                        "node_nm memory network step_time_s compute_frac l2_frac dram_frac network_frac "
                        "overhead_frac host_frac bottleneck");
    for (size_t i = 0; i < N; i++) {
        const struct orr_result *result = &points[i].outcome.answer.train;
        add_machine(sheet, &origins[i]);
        ORR_NUMBERS(sheet, result->step_time_s);
        orr_sheet_numbers(sheet, result->bound_share_frac, ORR_N_BOUNDS);
        ORR_WORDS(sheet, orr_bound_name(result->bottleneck));
    }
    for (size_t i = 0; i < N; i += N_NODES) {
        const double *first = points[i].outcome.answer.train.bound_share_frac,
                     *last = points[i + N_NODES - 1].outcome.answer.train.bound_share_frac;
        orr_study_find(study,
                       "%s, %s: compute, DRAM, network hold %.0f, %.0f, %.0f %% at 12 nm, %.0f, %.0f, %.0f %% at 1 nm",
                       origins[i].memory, origins[i].network, 100 * first[ORR_BOUND_COMPUTE],
                       100 * first[ORR_BOUND_DRAM], 100 * first[ORR_BOUND_NETWORK], 100 * last[ORR_BOUND_COMPUTE],
                       100 * last[ORR_BOUND_DRAM], 100 * last[ORR_BOUND_NETWORK]);
    }
    free(points);
    return ORR_OK;
}
