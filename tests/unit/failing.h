/* Every call path that allocates, failing once: the answer is then "out of memory" or the good one, never a part of it
 * and never a crash, and the next answer is good again. Leaks are found where the sanitizers run these tests.
 *
 * The linker redirects the library's calls (-Wl,--wrap). A run without failures notes the place of every allocation
 * (the addresses that it returns to); one run follows for each place that was not met before. FAILING_ONLY=NAME runs
 * one case. tests/oom/ does the same to the whole program, allocation by allocation. Include it once in a program, and
 * before anything else. */
#ifndef ORR_TESTS_FAILING_H
#define ORR_TESTS_FAILING_H

#define _GNU_SOURCE
#include <execinfo.h>
#include <omp.h>

#include <jansson.h>

#include "base/memory.h"
#include "support.h"

/* ---------------------------------------------------------------- an allocator that fails on demand */

enum { FRAMES = 9, MOST_PLACES = 1 << 16, MOST_RUNS = 1 << 14, SECOND = 12 };

static struct {
    bool recording, paused;
    long n_done, fail_at;
    long n_second, fail_second; /* the same of a second thread alone */
    long firsts[MOST_RUNS];     /* the allocations whose place was not met before */
    size_t n_firsts;
    uint64_t met[MOST_PLACES]; /* places, as an open hash table; 0 is free */
    size_t n_met;
} allocator;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Is the place of this allocation met for the first time? */
static bool is_new_place(void)
{
    void *frames[FRAMES];
    uint64_t hash = 14695981039346656037u;
    const int n = backtrace(frames, FRAMES);
    for (int i = 0; i < n; i++) hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211u;
    hash |= 1;
    size_t at = (size_t)(hash >> 20) % MOST_PLACES;
    for (; allocator.met[at]; at = (at + 1) % MOST_PLACES)
        if (allocator.met[at] == hash) return false;
    if (allocator.n_met >= MOST_PLACES / 2) return false;
    allocator.n_met++;
    allocator.met[at] = hash;
    return true;
}

static bool fails(void)
{
    if (allocator.paused) return false;
    allocator.n_done++;
    if (omp_get_thread_num() == 1 && ++allocator.n_second == allocator.fail_second) return true;
    if (!allocator.recording) return allocator.n_done == allocator.fail_at;
    if (allocator.n_firsts < MOST_RUNS && is_new_place()) allocator.firsts[allocator.n_firsts++] = allocator.n_done;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

/* The whole of a file; what the test itself allocates does not fail. */
static inline char *own_text(const char *path)
{
    allocator.paused = true;
    char *text = read_text(path);
    allocator.paused = false;
    return text;
}

/* ---------------------------------------------------------------- questions */

/* Asks, and returns the answer as a text; NULL: *error says why. */
typedef char *question(const struct orr_catalogue *catalogue, const char *request, enum orr_format format,
                       struct orr_error *error);

static char *no_text(struct orr_error *error, char *text)
{
    if (!text) error->code = ORR_ERR_MEMORY; /* the only reason for which a report is not made */
    return text;
}

/* A question whose allocations fail in turn. */
struct failing_case {
    const char *name;
    question *ask;
    const char *request; /* with ' for " */
    enum orr_format format;
};

/* ---------------------------------------------------------------- the walk */

static char *ask(const struct world *w, const struct failing_case *c, const char *request, struct orr_error *error)
{
    memset(error, 0, sizeof *error);
    char *text = c->ask(w->catalogue, request, c->format, error);
    /* The only number that a clock decides. */
    for (char *at = text; at && (at = strstr(at, "simulated_requests_per_s"));) {
        const char *rest = strchr(at, ',');
        if (!rest) break;
        memmove(at, rest, strlen(rest) + 1);
    }
    return text;
}

/* What is wrong with an answer, a failed allocation in view; NULL: nothing. */
static const char *wrong(const char *text, const char *good, const struct orr_error *error)
{
    if (text) return strcmp(text, good) == 0 ? NULL : "another answer";
    if (error->code != ORR_ERR_MEMORY) return error->text[0] ? error->text : "neither an answer nor an error";
    return NULL;
}

/* Does every thread begin its next question without a note of memory that an earlier one lacked? */
static bool threads_are_clean(void)
{
    bool clean = true;
#pragma omp parallel reduction(&& : clean)
    clean = !orr_memory_lacked();
    return clean;
}

/* One allocation of a case fails: of all that are made, or of those in a second thread. Returns whether all is as it
 * should be. */
static bool try_place(const struct world *w, const struct failing_case *c, const char *request, const char *good,
                      long at, bool second)
{
    struct orr_error error;
    allocator.n_done = allocator.n_second = 0;
    *(second ? &allocator.fail_second : &allocator.fail_at) = at;
    char *text = ask(w, c, request, &error);
    allocator.fail_at = allocator.fail_second = 0;
    const char *what = wrong(text, good, &error);
    if (!threads_are_clean() && !what) what = "a thread still notes that memory lacked";
    if (what) print_error("%s, allocation %ld: %s\n", c->name, at, what);
    free(text);
    if (what || at % 16) return !what;
    char *after = ask(w, c, request, &error);
    const bool again = after && strcmp(after, good) == 0;
    if (!again) print_error("%s, after allocation %ld: %s\n", c->name, at, after ? "another answer" : error.text);
    free(after);
    return again;
}

/* Of a thin test every so many places fail. */
enum { THIN = 8 };

static size_t walk(const struct world *w, const struct failing_case *c, size_t step, size_t *n_bad)
{
    char request[1024];
    struct orr_error error;
    (void)snprintf(request, sizeof request, "%s", c->request);
    for (char *at = request; *at; at++)
        if (*at == '\'') *at = '"';
    allocator.n_firsts = 0;
    allocator.n_done = allocator.n_second = 0;
    allocator.recording = true;
    char *good = ask(w, c, request, &error);
    allocator.recording = false;
    if (!good) fail_msg("%s: %s", c->name, error.text);
    const size_t n = allocator.n_firsts;
    const long n_second = allocator.n_second < SECOND ? allocator.n_second : SECOND;
    if (is_thin()) step = step > THIN ? step : THIN;
    for (size_t k = 0; k < n; k += step) *n_bad += !try_place(w, c, request, good, allocator.firsts[k], false);
    for (long at = 1; at <= n_second; at++) *n_bad += !try_place(w, c, request, good, at, true);
    free(good);
    return n;
}

/* All cases, or the one that FAILING_ONLY names; returns the number of places. Of a question that takes long only every
 * so many places fail, which step_of says (NULL: all). */
static size_t walk_all(const struct world *w, const struct failing_case *cases, size_t n_cases,
                       size_t (*step_of)(question *))
{
    size_t n = 0, n_bad = 0;
    const char *only = getenv("FAILING_ONLY");
    for (size_t i = 0; i < n_cases; i++) {
        if (only && strcmp(only, cases[i].name) != 0) continue;
        const size_t more = walk(w, &cases[i], step_of ? step_of(cases[i].ask) : 1, &n_bad);
        print_message("# %s: %zu places\n", cases[i].name, more);
        n += more;
    }
    assert_int_equal(n_bad, 0);
    return only ? SIZE_MAX : n;
}

static int open_failing(void **state)
{
    void *frames[FRAMES];
    (void)backtrace(frames, FRAMES);           /* which loads what it needs at its first call */
    json_set_alloc_funcs(__wrap_malloc, free); /* so that the library puts its own allocator there */
    omp_set_num_threads(2);
    return open_world(state);
}

#endif
