/* Pipelines: the closed forms (Eqs. 67-73) against an event simulation, the simulation against causality, and the
 * collectives beside them (Eqs. 74-77). */
#include "support.h"

#include "predict/scratch.h"

#define MAX_SPANS 65536
static struct orr_span spans[MAX_SPANS];

static struct orr_rank_time rank_time(double forward_s, double backward_s, double wgrad_s)
{
    return (struct orr_rank_time){.forward_s = forward_s, .backward_s = backward_s, .wgrad_s = wgrad_s, .ranks = 1};
}

/* A job that only its plan matters of. */
static struct orr_job *job_of(enum orr_schedule schedule, int64_t pp, int64_t vpp)
{
    static struct orr_job job;
    job = (struct orr_job){
        .plan = {.pp = pp, .vpp = vpp, .tp = 1, .dp = 1, .cp = 1, .ep = 1, .etp = 1, .schedule = schedule}};
    return &job;
}

static double closed_form_s(const struct orr_job *job, const struct orr_rank_time *ranks, int64_t m)
{
    static const struct orr_step_sums step;
    const struct orr_pipeline pipe = orr_pipeline_time(job, ranks, (size_t)job->plan.pp, &step, (double)m);
    assert_close(pipe.send_exposed_s + pipe.send_hidden_s, 0, 0);
    return pipe.work_s + pipe.bubble_s;
}

static size_t simulate(const struct orr_job *job, const struct orr_rank_time *ranks, int64_t m)
{
    const size_t n = orr_pipeline_spans(&job->plan, ranks, m, spans, MAX_SPANS);
    const size_t kinds = orr_splits_backward(job->plan.schedule) ? 3 : 2;
    if (!orr_is_dual(job->plan.schedule)) assert_int_equal(n, kinds * (size_t)(job->plan.pp * job->plan.vpp * m));
    assert_true(n <= MAX_SPANS);
    return n;
}

static double simulated_s(const struct orr_job *job, const struct orr_rank_time *ranks, int64_t m)
{
    const size_t n = simulate(job, ranks, m);
    double end_s = 0;
    for (size_t i = 0; i < n; i++) end_s = fmax(end_s, spans[i].end_s);
    return end_s;
}

/* ---------------------------------------------------------------- closed form and simulation */

static void equal_stages_take_eqs_67_to_69(void **state)
{
    (void)state;
    const double f = 1.3, b = 2.9; /* no small ratio */
    struct orr_rank_time ranks[8];
    for (int i = 0; i < 8; i++) ranks[i] = rank_time(f, b, 1.1);
    for (int64_t p = 2; p <= 8; p++)
        for (int64_t m = p; m <= 6 * p; m += p)
            for (int64_t v = 1; v <= 4; v++) {
                const double pd = (double)p, md = (double)m, vd = (double)v;
                if (v == 1) {
                    const struct orr_job *gpipe = job_of(ORR_SCHEDULE_GPIPE, p, 1);
                    assert_close(closed_form_s(gpipe, ranks, m), (md + pd - 1) * (f + b), 1e-12); /* Eq. 67 */
                    assert_close(simulated_s(gpipe, ranks, m), (md + pd - 1) * (f + b), 1e-9);
                    const struct orr_job *one = job_of(ORR_SCHEDULE_1F1B, p, 1);
                    assert_close(closed_form_s(one, ranks, m), (md + pd - 1) * (f + b), 1e-12); /* Eq. 68 */
                    assert_close(simulated_s(one, ranks, m), (md + pd - 1) * (f + b), 1e-9);
                } else {
                    const struct orr_job *job = job_of(ORR_SCHEDULE_INTERLEAVED, p, v);
                    assert_close(closed_form_s(job, ranks, m), md * (f + b) + (pd - 1) * (f + b) / vd,
                                 1e-12); /* Eq. 69 */
                    assert_close(simulated_s(job, ranks, m), md * (f + b) + (pd - 1) * (f + b) / vd, 1e-9);
                }
            }
}

/* Eq. 70: m (F + B) + (p - 1)(F + B - 2 W); Eq. 71 with 3 W. F 1, B 2, W 0.9: 16 * 3 + 3 * 1.2 = 51.6 and
 * 48 + 3 * 0.3 = 48.9; W 1.2 makes the last bracket negative: 48. */
/* Eq. 381: four stages of F = 1 s and Bk = 2 s gather for 6 s once per step, 6/m of which a micro-batch has. One
 * micro-batch takes 6 + 4·3 = 18 s, two 6 + 5·3 = 21 s, six 6 + 9·3 = 33 s. In two chunks, others add 3·3/2 = 4.5 s and
 * an incomplete group of four (Eq. 72) 4.5, 3, 1.5 and 0 s: one micro-batch takes 6 + 3 + 9 = 18 s again, two
 * 6 + 6 + 7.5 = 19.5 s, three 21 s, four 22.5 s. */
static void stages_gather_at_the_same_time(void **state)
{
    (void)state;
    struct orr_rank_time ranks[4];
    for (int64_t m = 1; m <= 6; m++) {
        const double gathered_s = 6 / (double)m;
        for (int i = 0; i < 4; i++) {
            ranks[i] = rank_time(1, 2 + gathered_s, 0);
            ranks[i].gathered_s = gathered_s;
        }
        assert_close(closed_form_s(job_of(ORR_SCHEDULE_1F1B, 4, 1), ranks, m), 6 + (double)(m + 3) * 3, 1e-12);
        if (m <= 4)
            assert_close(closed_form_s(job_of(ORR_SCHEDULE_INTERLEAVED, 4, 2), ranks, m), 16.5 + 1.5 * (double)m,
                         1e-12);
    }
}

static void zero_bubble_is_eqs_70_and_71(void **state)
{
    (void)state;
    struct orr_rank_time ranks[4];
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1, 2, 0.9);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_H1, 4, 1), ranks, 16), 51.6, 1e-12);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_H2, 4, 1), ranks, 16), 48.9, 1e-12);
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1, 2, 1.2);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_H2, 4, 1), ranks, 16), 48, 1e-12);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_H1, 4, 1), ranks, 16), 48 + 3 * 0.6, 1e-12);
}

/* Eq. 70 agrees with an event simulation; p 3-8, m 2p and more. */
static void zero_bubble_simulation_agrees_with_eq_70(void **state)
{
    (void)state;
    const double shapes[][3] = {{1, 2, 1}, {1, 2, 0.9}, {1, 2.1, 0.8}};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int64_t p = 3; p <= 8; p++)
            for (int64_t m = 2 * p; m <= 64; m += 7) {
                struct orr_rank_time ranks[8];
                for (int i = 0; i < 8; i++) ranks[i] = rank_time(shapes[s][0], shapes[s][1], shapes[s][2]);
                const struct orr_job *job = job_of(ORR_SCHEDULE_ZB_H1, p, 1);
                const double work_s = shapes[s][0] + shapes[s][1];
                assert_close(simulated_s(job, ranks, m),
                             (double)m * work_s + (double)(p - 1) * (work_s - 2 * shapes[s][2]), 1e-9);
            }
}

/* The longest a rank takes from its first task to its last: the time of a step in which no rank waits for others to
 * begin, as the papers of these schedules count. */
static double longest_rank_s(const struct orr_job *job, const struct orr_rank_time *ranks, int64_t m)
{
    const size_t n = simulate(job, ranks, m);
    double longest_s = 0;
    for (int64_t rank = 0; rank < job->plan.pp; rank++) {
        double start_s = HUGE_VAL, end_s = 0;
        for (size_t i = 0; i < n; i++) {
            if (spans[i].rank != rank) continue;
            start_s = fmin(start_s, spans[i].start_s);
            end_s = fmax(end_s, spans[i].end_s);
        }
        longest_s = fmax(longest_s, end_s - start_s);
    }
    return longest_s;
}

static void fill_ranks(struct orr_rank_time ranks[16], double forward_s, double input_s, double wgrad_s)
{
    for (int i = 0; i < 16; i++) ranks[i] = rank_time(forward_s, input_s + wgrad_s, wgrad_s);
}

/* Eq. 137: with F = input gradient = W there is no bubble. F 1, input 1.2, W 0.8, p 4, m 16: 16 * 3 + 3 * 0.4 = 49.2.
 * The order of Qi et al. 2023 reaches it wherever W <= F <= input gradient. */
static void zb_v_is_eq_410(void **state)
{
    (void)state;
    const double shapes[][3] = {{1, 1, 1}, {1, 1.2, 0.8}, {1, 1, 0.8}, {1, 1.5, 0.7}};
    struct orr_rank_time ranks[16];
    fill_ranks(ranks, 1, 1, 1);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_V, 4, 2), ranks, 16), 48, 1e-12);
    fill_ranks(ranks, 1, 1.2, 0.8);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_V, 4, 2), ranks, 16), 49.2, 1e-12);
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int64_t p = 2; p <= 8; p *= 2) {
            const struct orr_job *job = job_of(ORR_SCHEDULE_ZB_V, p, 2);
            fill_ranks(ranks, shapes[s][0], shapes[s][1], shapes[s][2]);
            assert_close(closed_form_s(job, ranks, 4 * p), longest_rank_s(job, ranks, 4 * p), 1e-9);
        }
}

/* Eq. 138: equal thirds leave half of 1F1B's bubble, 16 * 3 + 3 * 1.5 = 52.5 with p 4. Other shapes: the repeated block
 * of Qi et al. 2024, squeezed, is longer by a constant that does not grow with p; f 1, input 1.2, W 0.8, p 8, m 32:
 * 96 + 7 * (1 + 2 + 2.4 - 1.6) / 2 = 109.3, simulated 109.5. */
static void v_half_is_eq_411(void **state)
{
    (void)state;
    struct orr_rank_time ranks[16];
    fill_ranks(ranks, 1, 1, 1);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_V_HALF, 4, 2), ranks, 16), 52.5, 1e-12);
    for (int64_t p = 2; p <= 8; p *= 2) {
        const struct orr_job *job = job_of(ORR_SCHEDULE_V_HALF, p, 2);
        assert_close(closed_form_s(job, ranks, 4 * p), simulated_s(job, ranks, 4 * p), 1e-9);
    }
    fill_ranks(ranks, 1, 1.2, 0.8);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_V_HALF, 8, 2), ranks, 32), 109.3, 1e-12);
    assert_close(simulated_s(job_of(ORR_SCHEDULE_V_HALF, 8, 2), ranks, 32), 109.5, 1e-9);
}

/* Eqs. 139, 140 are the formula of the DeepSeek-V3 report, (PP / 2 - 1)(F&B + B - 3 W). p 8, m 32, F 1, input 1, W 0.8:
 * 32 * 2.8 + 3 * (1 + 3.6 - 2.4) = 96.2; as a V of 8 ranks 89.6 + 7 * 2.2 / 2 = 97.3. The order of tasks agrees where
 * forward and input gradient take equal time, which the formula supposes; else it differs by the difference. */
static void dualpipe_is_eqs_412_and_413(void **state)
{
    (void)state;
    struct orr_rank_time ranks[16];
    fill_ranks(ranks, 1, 1, 0.8);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_DUALPIPE, 8, 1), ranks, 32), 96.2, 1e-12);
    assert_close(closed_form_s(job_of(ORR_SCHEDULE_DUALPIPE_V, 8, 2), ranks, 32), 97.3, 1e-12);
    for (int64_t p = 2; p <= 8; p *= 2)
        for (int vee = 0; vee < 2; vee++) {
            const struct orr_job *job = job_of(vee ? ORR_SCHEDULE_DUALPIPE_V : ORR_SCHEDULE_DUALPIPE, p, vee ? 2 : 1);
            assert_close(simulated_s(job, ranks, 4 * p), closed_form_s(job, ranks, 4 * p), 1e-9);
        }
    fill_ranks(ranks, 1, 1.2, 0.8); /* 7 * 0.2 / 2 */
    const struct orr_job *job = job_of(ORR_SCHEDULE_DUALPIPE_V, 8, 2);
    assert_true(fabs(simulated_s(job, ranks, 32) - closed_form_s(job, ranks, 32)) <= 0.7 + 1e-9);
}

/* Eq. 141: a lone micro-batch passes all ranks forth and back. F 1.3, input gradient 1.8, W 1.1. */
static void a_lone_micro_batch_passes_a_v(void **state)
{
    (void)state;
    struct orr_rank_time ranks[16];
    fill_ranks(ranks, 1.3, 1.8, 1.1);
    for (int64_t p = 2; p <= 8; p++) {
        const double passage_s = (double)p * 3.1 + 1.1;
        assert_close(closed_form_s(job_of(ORR_SCHEDULE_ZB_V, p, 2), ranks, 1), passage_s, 1e-12);
    }
}

/* Micro-batches in flight as simulated: forwards begun less backwards whose weight gradient has run. Published: zb-v p,
 * v-half (p + 2) / 2, dualpipe p + 1 of its stages, dualpipe-v 2 p + 1 of its chunks of half a rank. */
static void vees_hold_what_eqs_410_to_413_say(void **state)
{
    (void)state;
    const enum orr_schedule schedules[] = {ORR_SCHEDULE_ZB_V, ORR_SCHEDULE_V_HALF, ORR_SCHEDULE_DUALPIPE,
                                           ORR_SCHEDULE_DUALPIPE_V};
    const double published[] = {8, 5, 9, 8.5}; /* p 8 */
    struct orr_rank_time ranks[16];
    fill_ranks(ranks, 1, 1, 1);
    for (size_t s = 0; s < COUNT(schedules); s++) {
        const int64_t vpp = orr_is_vee(schedules[s]) ? 2 : 1;
        const struct orr_job *job = job_of(schedules[s], 8, vpp);
        const size_t n = simulate(job, ranks, 32);
        int64_t most = 0;
        for (int64_t rank = 0; rank < 8; rank++) {
            int64_t alive = 0;
            for (size_t i = 0; i < n; i++) {
                if (spans[i].rank != rank) continue;
                const bool whole = spans[i].end_s - spans[i].start_s > 1.5 / (double)vpp; /* a full backward */
                alive += spans[i].name[0] == 'F' ? 1 : spans[i].name[0] == 'W' || whole ? -1 : 0;
                most = alive > most ? alive : most;
            }
        }
        assert_close((double)most / (double)vpp, published[s], 1e-12);
        assert_close(orr_in_flight(&job->plan, 32, 3), published[s], 1e-12);
    }
}

/* One micro-batch leaves nothing to fill a wait with: p forwards, p input gradients, one weight gradient of the first
 * rank, each after the other. */
static void a_lone_micro_batch_fills_nothing(void **state)
{
    (void)state;
    const double f = 1.3, input = 1.8, w = 1.1;
    struct orr_rank_time ranks[8];
    for (int i = 0; i < 8; i++) ranks[i] = rank_time(f, input + w, w);
    for (int64_t p = 2; p <= 8; p++)
        for (int h = 0; h < 2; h++) {
            const struct orr_job *job = job_of(h ? ORR_SCHEDULE_ZB_H2 : ORR_SCHEDULE_ZB_H1, p, 1);
            assert_close(closed_form_s(job, ranks, 1), (double)p * (f + input) + w, 1e-12);
            assert_close(simulated_s(job, ranks, 1), (double)p * (f + input) + w, 1e-9);
        }
}

/* Eq. 73: exact where the slowest stage is the last one, an upper bound within 10 % elsewhere. */
static void unequal_stages_are_bounded_by_eq_73(void **state)
{
    (void)state;
    uint64_t random = 42;
    for (int trial = 0; trial < 200; trial++) {
        struct orr_rank_time ranks[8];
        const int64_t p = 2 + trial % 7, m = p * (1 + trial % 5);
        double sum_s = 0, most_s = 0;
        for (int64_t i = 0; i < p; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const double f = 1 + 0.2 * (double)(random >> 40) / (double)(1 << 24); /* layers differ by up to 20 % */
            ranks[i] = rank_time(f, 2 * f, f);
            sum_s += 3 * f;
            most_s = fmax(most_s, 3 * f);
        }
        const double upper_s = sum_s + (double)(m - 1) * most_s;
        const enum orr_schedule schedules[] = {ORR_SCHEDULE_GPIPE, ORR_SCHEDULE_1F1B};
        for (size_t i = 0; i < COUNT(schedules); i++) {
            const struct orr_job *job = job_of(schedules[i], p, 1);
            const double closed_s = closed_form_s(job, ranks, m), real_s = simulated_s(job, ranks, m);
            assert_close(closed_s, upper_s, 1e-12);
            assert_at_most(real_s, closed_s * (1 + 1e-9));
            assert_at_most(closed_s, real_s * 1.1);
        }
        ranks[p - 1] = rank_time(1.5, 3, 1.5); /* the head makes the last stage the slowest */
        const struct orr_job *job = job_of(ORR_SCHEDULE_1F1B, p, 1);
        assert_close(simulated_s(job, ranks, m), closed_form_s(job, ranks, m), 1e-9);
    }
}

/* Eq. 72: an incomplete last group of an interleaved pipeline costs (v - 1)(p - m mod p) chunk times of (F + B) /
 * v. */
static void ragged_groups_are_charged(void **state)
{
    (void)state;
    struct orr_rank_time ranks[4];
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1, 2, 1);
    const struct orr_job *job = job_of(ORR_SCHEDULE_INTERLEAVED, 4, 2);
    for (int64_t m = 5; m < 32; m++) {
        const int64_t rest = m % 4;
        const double even_s = (double)m * 3 + 3 * 1.5, holes_s = rest ? (double)(4 - rest) * 1.5 : 0;
        assert_close(closed_form_s(job, ranks, m), even_s + holes_s, 1e-12);
    }
}

/* ---------------------------------------------------------------- the simulation itself */

static const struct orr_span *find_span(size_t n, const char *name, int64_t rank, int64_t chunk, int64_t micro_batch)
{
    const struct orr_span *found = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct orr_span *s = &spans[i];
        if (strcmp(s->name, name) != 0 || s->rank != rank || s->chunk != chunk || s->micro_batch != micro_batch)
            continue;
        assert_null(found); /* once only */
        found = s;
    }
    assert_non_null(found);
    return found;
}

static void assert_no_overlap(size_t n, int64_t p)
{
    for (int64_t rank = 0; rank < p; rank++) {
        double free_s = 0;
        for (size_t i = 0; i < n; i++) { /* a rank's spans come in execution order */
            if (spans[i].rank != rank) continue;
            assert_true(spans[i].start_s >= free_s - 1e-12);
            assert_true(spans[i].end_s >= spans[i].start_s);
            free_s = spans[i].end_s;
        }
    }
}

static void assert_causal(size_t n, const struct orr_plan *plan, int64_t m)
{
    const int64_t p = plan->pp, last = p * plan->vpp - 1;
    for (int64_t micro_batch = 0; micro_batch < m; micro_batch++)
        for (int64_t stage = 0; stage <= last; stage++) {
            const struct orr_span *f = find_span(n, "F", stage % p, stage / p, micro_batch);
            const struct orr_span *b = find_span(n, "B", stage % p, stage / p, micro_batch);
            assert_true(b->start_s >= f->end_s - 1e-12);
            if (stage == last) continue;
            const struct orr_span *next_f = find_span(n, "F", (stage + 1) % p, (stage + 1) / p, micro_batch);
            const struct orr_span *next_b = find_span(n, "B", (stage + 1) % p, (stage + 1) / p, micro_batch);
            assert_true(next_f->start_s >= f->end_s - 1e-12);
            assert_true(b->start_s >= next_b->end_s - 1e-12);
        }
}

static void spans_are_causal_and_do_not_overlap(void **state)
{
    (void)state;
    const struct {
        enum orr_schedule schedule;
        int64_t vpp;
    } kinds[] = {{ORR_SCHEDULE_GPIPE, 1},       {ORR_SCHEDULE_1F1B, 1},  {ORR_SCHEDULE_INTERLEAVED, 2},
                 {ORR_SCHEDULE_INTERLEAVED, 3}, {ORR_SCHEDULE_ZB_H1, 1}, {ORR_SCHEDULE_ZB_H2, 1}};
    struct orr_rank_time ranks[4];
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1 + 0.1 * i, 2.2 - 0.1 * i, 0.9);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int64_t p = 2; p <= 4; p++)
            for (int64_t m = 1; m <= 9; m++) {
                if (kinds[k].vpp > 1 && m % p != 0) continue;
                const struct orr_job *job = job_of(kinds[k].schedule, p, kinds[k].vpp);
                const size_t n = simulate(job, ranks, m);
                assert_no_overlap(n, p);
                assert_causal(n, &job->plan, m);
            }
}

/* A request may ask for any number of micro-batches: the last group of an interleaved pipeline is then incomplete, and
 * still every task runs. */
static void ragged_interleaving_runs_to_the_end(void **state)
{
    (void)state;
    struct orr_rank_time ranks[8];
    for (int i = 0; i < 8; i++) ranks[i] = rank_time(1, 2, 0);
    for (int64_t p = 2; p <= 8; p++)
        for (int64_t v = 2; v <= 4; v++)
            for (int64_t m = 1; m <= 3 * p; m++) {
                const struct orr_job *job = job_of(ORR_SCHEDULE_INTERLEAVED, p, v);
                const size_t n = orr_pipeline_spans(&job->plan, ranks, m, spans, MAX_SPANS);
                if (n != (size_t)(2 * p * v * m))
                    fail_msg("pp %d, vpp %d, %d micro-batches: %d of %d spans", (int)p, (int)v, (int)m, (int)n,
                             (int)(2 * p * v * m));
                assert_no_overlap(n, p);
                if (p <= 4) assert_causal(n, &job->plan, m);
            }
}

/* A weight gradient follows its own backward and all of them are done. */
static void weight_gradients_follow_their_backward(void **state)
{
    (void)state;
    struct orr_rank_time ranks[4];
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1, 2, 0.9);
    const size_t n = simulate(job_of(ORR_SCHEDULE_ZB_H1, 4, 1), ranks, 12);
    for (int64_t rank = 0; rank < 4; rank++)
        for (int64_t m = 0; m < 12; m++) {
            const struct orr_span *b = find_span(n, "B", rank, 0, m), *w = find_span(n, "W", rank, 0, m);
            assert_true(w->start_s >= b->end_s - 1e-12);
            assert_close(w->end_s - w->start_s, 0.9, 1e-12);
            assert_close(b->end_s - b->start_s, 1.1, 1e-12);
        }
}

/* In-flight counts of Eq. 89 seen in the simulation: forwards begun less backwards ended. */
static void in_flight_counts_are_simulated(void **state)
{
    (void)state;
    const struct {
        enum orr_schedule schedule;
        int64_t vpp;
    } kinds[] = {
        {ORR_SCHEDULE_GPIPE, 1}, {ORR_SCHEDULE_1F1B, 1}, {ORR_SCHEDULE_INTERLEAVED, 2}, {ORR_SCHEDULE_INTERLEAVED, 3}};
    struct orr_rank_time ranks[4];
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1, 2, 0);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        const struct orr_job *job = job_of(kinds[k].schedule, 4, kinds[k].vpp);
        const size_t n = simulate(job, ranks, 16);
        for (int64_t rank = 0; rank < 4; rank++) {
            int64_t alive = 0, most = 0;
            for (size_t i = 0; i < n; i++) {
                if (spans[i].rank != rank) continue;
                alive += spans[i].name[0] == 'F' ? 1 : -1;
                most = alive > most ? alive : most;
            }
            assert_close((double)most / (double)kinds[k].vpp, orr_in_flight(&job->plan, 16, rank), 1e-12);
        }
    }
}

/* A buffer that is too small still gets the first spans, and the count says how many there are. */
static void a_short_buffer_is_respected(void **state)
{
    (void)state;
    struct orr_rank_time ranks[2] = {rank_time(1, 2, 0), rank_time(1, 2, 0)};
    struct orr_span few[3] = {{.name = "x"}, {.name = "x"}, {.name = "x"}};
    const struct orr_job *job = job_of(ORR_SCHEDULE_1F1B, 2, 1);
    assert_int_equal(orr_pipeline_spans(&job->plan, ranks, 8, few, 2), 32);
    assert_string_equal(few[0].name, "F");
    assert_string_equal(few[2].name, "x");
    assert_int_equal(orr_pipeline_spans(&job->plan, ranks, 8, NULL, 0), 32);
}

/* ---------------------------------------------------------------- communication beside the pipeline */

/* Eq. 74: every send of a plain pipeline is seen, m v + (p - 1) pairs; an overlapped one shows fill and drain only. */
static void sends_are_eq_74(void **state)
{
    (void)state;
    struct orr_rank_time ranks[4];
    for (int i = 0; i < 4; i++) ranks[i] = rank_time(1, 2, 0);
    const struct orr_step_sums step = {.send_s = 0.01, .send_backward_s = 0.02};
    struct orr_job *job = job_of(ORR_SCHEDULE_1F1B, 4, 1);
    assert_close(orr_pipeline_time(job, ranks, 4, &step, 16).send_exposed_s, (16 + 3) * 0.03, 1e-12);
    job = job_of(ORR_SCHEDULE_INTERLEAVED, 4, 2);
    assert_close(orr_pipeline_time(job, ranks, 4, &step, 16).send_exposed_s, (16 * 2 + 3) * 0.03, 1e-12);
    job->engine.p2p_overlap = true;
    const struct orr_pipeline pipe = orr_pipeline_time(job, ranks, 4, &step, 16);
    assert_close(pipe.send_exposed_s, 3 * 0.03, 1e-12);
    assert_close(pipe.send_hidden_s, 32 * 0.03, 1e-12);
}

/* Eqs. 76, 77: of a backward of 10 s over 20 layers 9.5 s can cover gradients, of a forward of 5 s 4.75 s weights. */
static void gradient_collectives_hide_under_backward(void **state)
{
    (void)state;
    struct orr_job *job = job_of(ORR_SCHEDULE_1F1B, 1, 1);
    const struct orr_rank_time rank = rank_time(5, 10, 0);
    struct orr_step_sums step = {.scatter_s = 4, .gather_s = 3, .tie_s = 0.5};
    struct orr_data_parallel dp = orr_data_parallel_time(job, &step, &rank, 20); /* no overlap */
    assert_close(dp.exposed_s, 7.5, 1e-12);
    job->engine.dp_overlap_frac = 1;
    dp = orr_data_parallel_time(job, &step, &rank, 20);
    assert_close(dp.exposed_s, 0.5, 1e-12);
    assert_close(dp.scatter_hidden_s, 4, 1e-12);
    assert_close(dp.gather_hidden_s, 3, 1e-12);
    step.scatter_s = 12;
    dp = orr_data_parallel_time(job, &step, &rank, 20);
    assert_close(dp.exposed_s, 12 - 9.5 + 0.5, 1e-12);
    /* ZeRO-2, 4 micro-batches: 4 scatters of 12 s, each beside 9.5 s of backward; the weights once */
    job->plan.zero = 2;
    job->workload.micro_batch = 1;
    job->workload.global_batch = 4;
    step.scatter_s = 4 * 12;
    dp = orr_data_parallel_time(job, &step, &rank, 20);
    assert_close(dp.exposed_s, 4 * (12 - 9.5) + 0.5, 1e-12);
    job->plan.zero = 1;
    step.scatter_s = 12;
    job->calibration.overlap_contention_frac = 0.1; /* Eq. 65 */
    dp = orr_data_parallel_time(job, &step, &rank, 20);
    assert_close(dp.exposed_s, 12 - 0.9 * 9.5 + 3 - 0.9 * 3 + 0.5, 1e-12);
}

/* Eq. 75: kernels of a layer take 10 s in each direction, and a gather of ZeRO-3 8 s. What is left beside another
 * transfer of `total_s`, of which `hidden_s` run beside the kernels, is hidden. */
static void assert_gathered(double total_s, double hidden_s, bool across, bool gathers_across, double expected_s)
{
    struct orr_job *job = job_of(ORR_SCHEDULE_1F1B, 1, 1);
    struct orr_cost ring = {.total_s = total_s, .hidden_s = hidden_s, .across = across};
    struct orr_cost gather = {.total_s = 8, .across = gathers_across};
    struct orr_op op = {.kind = ORR_OP_COLLECTIVE, .group = ORR_GROUP_CP, .count = 1, .window_op = -1};
    struct orr_layer_curve curve = {.forward_s = 10, .backward_s = 10};
    struct orr_bend bends[1];
    job->engine.zero3_overlap_frac = 1;
    for (int pass = 0; pass < 2; pass++) {
        op.phase = pass ? ORR_PHASE_BACKWARD : ORR_PHASE_FORWARD;
        op.group = ORR_GROUP_CP;
        orr_curve_add(&curve, bends, &op, &ring, 1);
        op.group = ORR_GROUP_DP;
        orr_curve_add(&curve, bends, &op, &gather, 1);
    }
    const struct orr_rank_time time = orr_curve_at(job, &curve, bends, 1);
    for (int pass = 0; pass < 2; pass++) assert_close(time.sharded_hidden_s[pass], expected_s, 1e-12);
    assert_close(time.forward_s, 10 + total_s - hidden_s, 1e-12);
    assert_close(time.backward_s, 10 + total_s - hidden_s + 2 * (8 - expected_s), 1e-12);
}

/* A ring that takes 4 of the 10 s leaves 6 for gathers on its links, and does not keep those on others. One of 12 s,
 * 10 of them hidden, leaves nothing of the 12 s of a pass on its links. One of 3 s that is not hidden takes no kernels
 * from gathers on its links, and 3 s more are free for those on others: 10 and 13 s, of which 8 are needed. One of
 * 20 s, 5 of them hidden, leaves 25 - 20 s. */
static void transfers_do_not_hide_beside_each_other(void **state)
{
    (void)state;
    for (int links = 0; links < 2; links++) {
        assert_gathered(4, 4, links, links, 6);
        assert_gathered(4, 4, links, !links, 8);
        assert_gathered(12, 10, links, links, 0);
        assert_gathered(12, 10, links, !links, 8);
        assert_gathered(3, 0, links, links, 8);
        assert_gathered(20, 5, links, links, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stages_take_eqs_67_to_69),
        cmocka_unit_test(stages_gather_at_the_same_time),
        cmocka_unit_test(zero_bubble_is_eqs_70_and_71),
        cmocka_unit_test(zero_bubble_simulation_agrees_with_eq_70),
        cmocka_unit_test(zb_v_is_eq_410),
        cmocka_unit_test(v_half_is_eq_411),
        cmocka_unit_test(dualpipe_is_eqs_412_and_413),
        cmocka_unit_test(a_lone_micro_batch_passes_a_v),
        cmocka_unit_test(vees_hold_what_eqs_410_to_413_say),
        cmocka_unit_test(a_lone_micro_batch_fills_nothing),
        cmocka_unit_test(unequal_stages_are_bounded_by_eq_73),
        cmocka_unit_test(ragged_groups_are_charged),
        cmocka_unit_test(spans_are_causal_and_do_not_overlap),
        cmocka_unit_test(ragged_interleaving_runs_to_the_end),
        cmocka_unit_test(weight_gradients_follow_their_backward),
        cmocka_unit_test(in_flight_counts_are_simulated),
        cmocka_unit_test(a_short_buffer_is_respected),
        cmocka_unit_test(sends_are_eq_74),
        cmocka_unit_test(gradient_collectives_hide_under_backward),
        cmocka_unit_test(transfers_do_not_hide_beside_each_other),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
