/* The iteration time of a pipeline in closed form, and of the data-parallel collectives after it. Eqs. 67-77,
 * 137-141. */
#include "schedule/schedule.h"

#include "base/number.h"

#include <math.h>

/* The time that every other rank adds to fill and drain, per schedule (the second terms of Eqs. 67-71, and Eqs.
 * 137-140). In a zero-bubble schedule a rank passes its input gradients on before it works out its weight gradients, so
 * the latter add nothing. Nor do the gathers that all ranks run at the same time (Eq. 381). */
static double bubble_share_s(const struct orr_plan *plan, const struct orr_rank_time *rank)
{
    const double forward_s = rank->forward_s, backward_s = rank->backward_s - rank->gathered_s; /* Eq. 381 */
    const double work_s = forward_s + backward_s, wgrad_s = rank->wgrad_s, p = (double)plan->pp;
    const double longer_s = orr_max(forward_s, backward_s - wgrad_s);
    const double dual_s = orr_max(0, work_s + backward_s - 3 * wgrad_s);
    switch (plan->schedule) {
    case ORR_SCHEDULE_GPIPE:
    case ORR_SCHEDULE_1F1B: return work_s;
    case ORR_SCHEDULE_INTERLEAVED: return work_s / (double)plan->vpp;
    case ORR_SCHEDULE_ZB_H1:
    case ORR_SCHEDULE_ZB_H2: return work_s - wgrad_s;
    case ORR_SCHEDULE_ZB_V: return orr_max(0, longer_s - wgrad_s);
    case ORR_SCHEDULE_V_HALF: return orr_max(0, work_s + 2 * longer_s - 2 * wgrad_s) / 2;
    case ORR_SCHEDULE_DUALPIPE: return p > 2 ? (p / 2 - 1) / (p - 1) * dual_s : 0;
    case ORR_SCHEDULE_DUALPIPE_V: return dual_s / 2;
    case ORR_N_SCHEDULES: break;
    }
    return work_s;
}

/* The weight gradients that the rank that sets the pace runs in its bubble: one for every other rank, or two with twice
 * the memory, and at most those of the micro-batches before the last (Eqs. 70, 71). */
static double filled_s(const struct orr_plan *plan, const struct orr_rank_time *rank, double n_micro_batches)
{
    const double others = (double)(plan->pp - 1);
    switch (plan->schedule) {
    case ORR_SCHEDULE_GPIPE:
    case ORR_SCHEDULE_1F1B:
    case ORR_SCHEDULE_INTERLEAVED:
    case ORR_SCHEDULE_ZB_V:
    case ORR_SCHEDULE_V_HALF:
    case ORR_SCHEDULE_DUALPIPE:
    case ORR_SCHEDULE_DUALPIPE_V: return 0; /* their shares have it already */
    case ORR_SCHEDULE_ZB_H1: return orr_min(others, n_micro_batches - 1) * rank->wgrad_s;
    case ORR_SCHEDULE_ZB_H2: return orr_min(2 * others, n_micro_batches - 1) * rank->wgrad_s;
    case ORR_N_SCHEDULES: break;
    }
    return 0;
}

/* Interleaving runs groups of pp micro-batches. An incomplete last group leaves gaps in every chunk but one. Gathers
 * that run once per step leave none (Eq. 381). */
static double ragged_s(const struct orr_plan *plan, const struct orr_rank_time *slowest, double n_micro_batches)
{
    const double rest = fmod(n_micro_batches, (double)plan->pp), v = (double)plan->vpp;
    const double pass_s = slowest->forward_s + slowest->backward_s - slowest->gathered_s;
    if (plan->schedule != ORR_SCHEDULE_INTERLEAVED || rest == 0) return 0;
    return (v - 1) / v * ((double)plan->pp - rest) * pass_s;
}

/* Blocks of a forward and a backward hide their sends by design; other chunks only where the engine does it. */
bool orr_sends_overlap(const struct orr_job *job)
{
    const enum orr_schedule schedule = job->plan.schedule;
    return (orr_is_dual(schedule) || (job->engine.p2p_overlap && schedule == ORR_SCHEDULE_INTERLEAVED)) &&
           orr_may_overlap(&job->plan, ORR_GROUP_PP);
}

/* Eq. 141: the first micro-batch passes every rank forth and back before its last weight gradient. Where few
 * micro-batches follow, a schedule with two chunks per rank has nothing to fill that wait with. */
static double lone_passage_s(const struct orr_plan *plan, const struct orr_rank_time *classes, size_t n_classes)
{
    double passage_s = 0;
    if (!orr_is_vee(plan->schedule) && !orr_is_dual(plan->schedule)) return 0;
    for (size_t i = 0; i < n_classes; i++)
        passage_s += classes[i].ranks * (classes[i].forward_s + classes[i].backward_s - classes[i].wgrad_s);
    return passage_s;
}

/* Eq. 74: sends at fill and drain are always exposed; those of the steady state are, unless they run beside other
 * chunks. */
struct orr_send_pairs orr_send_pairs_of(const struct orr_job *job, double n_micro_batches)
{
    const double steady = n_micro_batches * (double)job->plan.vpp, ends = (double)(job->plan.pp - 1);
    if (job->plan.pp == 1) return (struct orr_send_pairs){0};
    if (orr_sends_overlap(job)) return (struct orr_send_pairs){.exposed = ends, .hidden = steady};
    return (struct orr_send_pairs){.exposed = ends + steady};
}

struct orr_pipeline orr_pipeline_time(const struct orr_job *job, const struct orr_rank_time *classes, size_t n_classes,
                                      const struct orr_step_sums *step, double n_micro_batches)
{
    struct orr_pipeline pipe = {0};
    double shares_s = 0, longest_s = -1;
    const double passage_s = lone_passage_s(&job->plan, classes, n_classes);
    for (size_t i = 0; i < n_classes; i++) shares_s += classes[i].ranks * bubble_share_s(&job->plan, &classes[i]);
    for (size_t i = 0; i < n_classes; i++) { /* Eq. 73: no step is shorter than the work and the bubble of any rank. */
        const struct orr_rank_time *rank = &classes[i];
        const double work_s = n_micro_batches * (rank->forward_s + rank->backward_s);
        const double others_s = shares_s - bubble_share_s(&job->plan, rank);
        const double least_s = orr_max(0, passage_s + rank->wgrad_s - work_s);
        const double bubble_s = orr_max(least_s, others_s - filled_s(&job->plan, rank, n_micro_batches));
        const double total_s = work_s + bubble_s;
        /* A single micro-batch takes the same time from the view of every rank. Of totals equal but for rounding, that
         * of the rank with the most work is taken. */
        const bool equal = fabs(total_s - longest_s) <= 1e-12 * total_s;
        if (equal ? work_s <= pipe.work_s : total_s < longest_s) continue;
        longest_s = total_s;
        pipe.slowest = i;
        pipe.work_s = work_s;
        pipe.bubble_s = bubble_s;
    }
    pipe.bubble_s += ragged_s(&job->plan, &classes[pipe.slowest], n_micro_batches);
    const struct orr_send_pairs pairs = orr_send_pairs_of(job, n_micro_batches);
    pipe.send_exposed_s = pairs.exposed * (step->send_s + step->send_backward_s);
    pipe.send_hidden_s = pairs.hidden * (step->send_s + step->send_backward_s);
    return pipe;
}

struct orr_data_parallel orr_data_parallel_time(const struct orr_job *job, const struct orr_step_sums *step,
                                                const struct orr_rank_time *rank, double n_layers)
{
    const bool stage1 = job->plan.zero == 1;
    const double most = orr_may_overlap(&job->plan, ORR_GROUP_DP) ? job->engine.dp_overlap_frac : 0;
    /* Whole gradients of a pipeline are scattered after its last backward pass (Eq. 371). */
    const bool whole = orr_adds_whole_gradients(job), after = whole && job->plan.pp > 1;
    const double omega = after || (stage1 && job->engine.zero1_exposed) ? 0 : most;
    const double gather_omega = stage1 && job->engine.zero1_gather_exposed ? 0 : most;
    const double buckets = orr_max(1, n_layers);
    /* Stage 2 scatters after every micro-batch, beside the backward of the next one. */
    const double passes = job->plan.zero == 2 && !whole ? orr_micro_batches(job) : 1;
    /* Eq. 76: no compute is left to hide the gradients of the last bucket and the weights of the first. */
    /* While collectives of the layers use the NICs, those of gradients wait. */
    const double free_s = orr_max(0, rank->backward_s - rank->nic_s);
    const double backward_window_s = passes * omega * (1 - 1 / buckets) * free_s;
    const double forward_window_s = gather_omega * (1 - 1 / buckets) * rank->forward_s;
    const double kept = 1 - job->calibration.overlap_contention_frac;
    struct orr_data_parallel dp = {.scatter_hidden_s = orr_min(step->scatter_s, backward_window_s) * kept,
                                   .gather_hidden_s = orr_min(step->gather_s, forward_window_s) * kept};
    dp.exposed_s = step->scatter_s + step->gather_s + step->tie_s - dp.scatter_hidden_s - dp.gather_hidden_s;
    return dp;
}
