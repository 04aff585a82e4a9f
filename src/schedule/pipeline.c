/* Iteration time of a pipeline in closed form, and of the data-parallel collectives after it. Eqs. 67-77. */
#include "schedule/schedule.h"

#include "base/number.h"

#include <math.h>

/* Time another rank adds to fill and drain, per schedule (the second terms of Eqs. 67-71). */
static double bubble_share_s(const struct orr_plan *plan, const struct orr_rank_time *rank)
{
    const double work_s = rank->forward_s + rank->backward_s, w = rank->backward.wgrad_s;
    switch (plan->schedule) {
    case ORR_SCHEDULE_GPIPE:
    case ORR_SCHEDULE_1F1B: return work_s;
    case ORR_SCHEDULE_INTERLEAVED: return work_s / (double)plan->vpp;
    case ORR_SCHEDULE_ZB_H1: return orr_max(0, work_s - 2 * w);
    case ORR_SCHEDULE_ZB_H2: return orr_max(0, work_s - 3 * w);
    case ORR_N_SCHEDULES: break;
    }
    return work_s;
}

/* Interleaving runs groups of pp micro-batches; an incomplete last group leaves holes in every chunk but one. */
static double ragged_s(const struct orr_plan *plan, const struct orr_rank_time *slowest, double n_micro_batches)
{
    const double rest = fmod(n_micro_batches, (double)plan->pp), v = (double)plan->vpp;
    if (plan->schedule != ORR_SCHEDULE_INTERLEAVED || rest == 0) return 0;
    return (v - 1) / v * ((double)plan->pp - rest) * (slowest->forward_s + slowest->backward_s);
}

/* Eq. 74: sends at fill and drain are always seen; those of the steady state unless they run beside other chunks. */
static void add_sends(const struct orr_job *job, const struct orr_sums *sums, double n_micro_batches,
                      struct orr_pipeline *pipe)
{
    const double v = (double)job->plan.vpp, p = (double)job->plan.pp, pair_s = sums->send_s + sums->send_backward_s;
    const bool overlapped = job->engine.p2p_overlap && job->plan.schedule == ORR_SCHEDULE_INTERLEAVED;
    const double steady_s = n_micro_batches * v * pair_s, ends_s = (p - 1) * pair_s;
    pipe->send_exposed_s = ends_s + (overlapped ? 0 : steady_s);
    pipe->send_hidden_s = overlapped ? steady_s : 0;
}

struct orr_pipeline orr_pipeline_time(const struct orr_job *job, const struct orr_rank_time *ranks,
                                      const struct orr_sums *sums, double n_micro_batches)
{
    struct orr_pipeline pipe = {0};
    double others_s = 0, slowest_s = -1;
    for (int64_t i = 0; i < job->plan.pp; i++) {
        const double work_s = ranks[i].forward_s + ranks[i].backward_s;
        others_s += bubble_share_s(&job->plan, &ranks[i]);
        if (work_s > slowest_s) {
            slowest_s = work_s;
            pipe.slowest = i;
        }
    }
    const struct orr_rank_time *slowest = &ranks[pipe.slowest];
    pipe.work_s = n_micro_batches * slowest_s;
    pipe.bubble_s =
        others_s - bubble_share_s(&job->plan, slowest) + ragged_s(&job->plan, slowest, n_micro_batches); /* Eq. 73 */
    if (job->plan.pp > 1) add_sends(job, sums, n_micro_batches, &pipe);
    return pipe;
}

struct orr_data_parallel orr_data_parallel_time(const struct orr_job *job, const struct orr_sums *sums,
                                                const struct orr_rank_time *rank, double n_layers)
{
    const double omega = job->engine.dp_overlap_frac, buckets = orr_max(1, n_layers);
    /* Eq. 76: the last bucket's gradients, and the first bucket's weights, have nothing left to hide under */
    const double backward_window_s = omega * (1 - 1 / buckets) * rank->backward_s;
    const double forward_window_s = omega * (1 - 1 / buckets) * rank->forward_s;
    const double hidden_s = orr_min(sums->scatter_s, backward_window_s) + orr_min(sums->gather_s, forward_window_s);
    const double covered_s = hidden_s * (1 - job->calibration.overlap_contention_frac);
    return (struct orr_data_parallel){.exposed_s = sums->scatter_s + sums->gather_s + sums->tie_s - covered_s,
                                      .hidden_s = covered_s};
}
