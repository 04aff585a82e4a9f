/* Shared by the tests of properties every prediction has: a grid of random valid jobs, and hardware that is better in
 * one respect. */
#ifndef ORR_TESTS_GRID_H
#define ORR_TESTS_GRID_H

#include "random.h"
#include "support.h"

#define GRID_MAX 250

struct grid {
    struct world *world;
    struct random random;
    struct orr_job jobs[GRID_MAX];
    char requests[GRID_MAX][1024];
};

/* Write one random request to grid->requests[i]. */
typedef void write_request(struct grid *grid, size_t i);

/* The first n valid requests. */
static inline int open_grid(void **state, uint64_t seed, size_t n, write_request *write)
{
    static struct grid grid;
    struct orr_error error;
    void *world;
    if (n > GRID_MAX || open_world(&world)) return -1;
    grid.world = world;
    grid.random.state = seed;
    size_t found = 0;
    for (size_t tries = 0; tries < 20 * n && found < n; tries++) {
        write(&grid, found);
        if (try_job(grid.world, grid.requests[found], &error)) continue; /* a combination that is refused */
        grid.jobs[found++] = grid.world->job;
    }
    *state = &grid;
    return found == n ? 0 : -1;
}

static inline int close_grid(void **state)
{
    struct grid *grid = *state;
    void *world = grid->world;
    return close_world(&world);
}

static inline void faster_flops(struct orr_job *job)
{
    for (int i = 0; i < ORR_N_DTYPES; i++) job->system.chip.peak_flops_per_s[i] *= 1.3;
}

static inline void faster_hbm(struct orr_job *job)
{
    job->system.chip.hbm_bytes_per_s *= 1.3;
}

static inline void faster_l2(struct orr_job *job)
{
    job->system.chip.l2_bytes_per_s *= 1.3;
}

static inline void faster_scaleup(struct orr_job *job)
{
    job->system.scaleup_bytes_per_s *= 1.3;
}

static inline void faster_scaleout(struct orr_job *job)
{
    job->system.scaleout_bytes_per_s *= 1.3;
}

static inline void more_power(struct orr_job *job)
{
    job->system.chip.tdp_w *= 1.3;
}

static inline void faster_vectors(struct orr_job *job)
{
    job->system.chip.vector_flops_per_s *= 1.3;
}

static inline void more_shared_memory(struct orr_job *job)
{
    job->system.chip.smem_bytes_per_sm *= 1.3;
}

/* One link more of the same rate; only where links are counted. */
static inline void more_links(struct orr_job *job)
{
    struct orr_system *system = &job->system;
    if (system->scaleup_links == 0) return;
    system->scaleup_bytes_per_s *= 1 + 1 / (double)system->scaleup_links;
    system->scaleup_links++;
}

static inline void with_switch(struct orr_job *job)
{
    job->system.scaleup_switched = true;
}

/* A hundredth of the vector rate, 20 KiB of shared memory, and a torus of four links: what binds on no chip of the
 * catalogue. */
static inline void weaken(struct orr_job *job)
{
    struct orr_chip *chip = &job->system.chip;
    chip->vector_flops_per_s /= 100;
    chip->smem_bytes_per_sm = 20480;
    job->system.scaleup_switched = false;
    job->system.scaleup_links = 4;
}

/* None of the first n jobs, nor any of them on weaker hardware, takes more than 1 + tolerance times as long on hardware
 * that is 30 % better. */
static inline void check_better_hardware(struct grid *grid, size_t n, double tolerance,
                                         double (*time_s)(struct grid *grid, const struct orr_job *job))
{
    static const struct {
        const char *name;
        void (*change)(struct orr_job *);
    } knobs[] = {{"matrix rate", faster_flops},
                 {"HBM", faster_hbm},
                 {"L2", faster_l2},
                 {"scale-up", faster_scaleup},
                 {"scale-out", faster_scaleout},
                 {"power limit", more_power},
                 {"vector rate", faster_vectors},
                 {"shared memory", more_shared_memory},
                 {"links", more_links},
                 {"switch", with_switch}};
    for (size_t i = 0; i < 2 * n; i++) {
        static struct orr_job weak, job;
        weak = grid->jobs[i / 2];
        if (i % 2 > 0) weaken(&weak);
        const double before_s = time_s(grid, &weak);
        for (size_t k = 0; k < COUNT(knobs); k++) {
            job = weak;
            knobs[k].change(&job);
            const double after_s = time_s(grid, &job);
            if (after_s > before_s * (1 + tolerance))
                fail_msg("%s x 1.3: %.9g s becomes %.9g s (%+.4f %%): %s%s", knobs[k].name, before_s, after_s,
                         100 * (after_s / before_s - 1), i % 2 > 0 ? "weak, " : "", grid->requests[i / 2]);
        }
    }
}

/* More watts above idling never make a job slower, from 0.3 to twice the limit of its chip; returns how many jobs are
 * slower on half of them. */
static inline size_t check_power(struct grid *grid, size_t n, double tolerance,
                                 double (*time_s)(struct grid *grid, const struct orr_job *job))
{
    static const double SHARES[] = {0.3, 0.5, 0.7, 0.9, 1, 1.1, 1.5, 2};
    size_t slower = 0;
    for (size_t i = 0; i < n; i++) {
        static struct orr_job job;
        struct orr_chip *chip = &job.system.chip;
        job = grid->jobs[i];
        const double watts = chip->tdp_w - chip->idle_w;
        double times_s[COUNT(SHARES)];
        for (size_t k = 0; k < COUNT(SHARES); k++) {
            chip->tdp_w = chip->idle_w + SHARES[k] * watts;
            times_s[k] = time_s(grid, &job);
            if (k > 0 && times_s[k] > times_s[k - 1] * (1 + tolerance))
                fail_msg("%g of the watts: %.9g s, with fewer %.9g s: %s", SHARES[k], times_s[k], times_s[k - 1],
                         grid->requests[i]);
        }
        slower += times_s[1] > times_s[4] * 1.01;
    }
    return slower;
}

#endif
