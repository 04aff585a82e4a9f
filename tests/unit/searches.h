/* Shared by the tests of search: a search run to its end, and whether two searches gave the same answer, and
 * whether bounds lose a plan. */
#ifndef ORR_TESTS_SEARCHES_H
#define ORR_TESTS_SEARCHES_H

#include "support.h"

#include "search/search.h"

static inline struct orr_search *run(const struct orr_search_request *request, int threads)
{
    struct orr_error error;
    struct orr_search *search;
    if (orr_search_new(request, &search, &error)) fail_msg("%s", error.text);
    if (orr_search_run(search, threads, NULL, NULL, &error)) fail_msg("%s", error.text);
    return search;
}

static inline void assert_same_list(const struct orr_found *a, size_t n_a, const struct orr_found *b, size_t n_b)
{
    assert_int_equal(n_a, n_b);
    for (size_t i = 0; i < n_a; i++) {
        assert_memory_equal(&a[i].choice, &b[i].choice, sizeof a[i].choice);
        assert_true(a[i].objective == b[i].objective && a[i].time_s == b[i].time_s);
        assert_true(a[i].front[0] == b[i].front[0] && a[i].front[1] == b[i].front[1]);
    }
}

static inline void assert_same_answer(const struct orr_search *a, const struct orr_search *b)
{
    const struct orr_found *in_a, *in_b;
    const size_t best_a = orr_search_best(a, &in_a), best_b = orr_search_best(b, &in_b);
    assert_same_list(in_a, best_a, in_b, best_b);
    const size_t front_a = orr_search_front(a, &in_a), front_b = orr_search_front(b, &in_b);
    assert_same_list(in_a, front_a, in_b, front_b);
    in_a = orr_search_inside(a);
    in_b = orr_search_inside(b);
    assert_same_list(in_a, in_a != NULL, in_b, in_b != NULL);
}

/* A search that looks at every plan of the request has the same answer as one that has left plans out. Returns what the
 * former counted. */
static inline struct orr_search_counts assert_nothing_is_lost(struct orr_search_request *request,
                                                              const struct orr_search *pruned)
{
    request->brute = true;
    struct orr_search *brute = run(request, 2);
    const struct orr_search_counts a = orr_search_counts_of(pruned), b = orr_search_counts_of(brute);
    assert_same_answer(pruned, brute);
    assert_int_equal(a.plans, b.plans);
    assert_int_equal(a.plans, a.rejected[ORR_REJECT_MEMORY] + a.rejected[ORR_REJECT_BOUND] + a.evaluated);
    assert_int_equal(b.plans, b.rejected[ORR_REJECT_MEMORY] + b.evaluated);
    orr_search_free(brute);
    return b;
}

#endif
