/* The note that an allocation failed: one flag and count for each thread, because jansson calls its allocator without a
 * context, and their number in the process. With the reserve of src/spec/json_memory.c this is the only state of the
 * library outside its objects. */
#include "base/memory.h"

#include <stdatomic.h>

#include "base/allocate.h"

static _Thread_local bool lacked;
static _Thread_local unsigned long n_failures_here;
static atomic_ulong n_failures;

void orr_memory_note(void)
{
    lacked = true;
    n_failures_here++;
    atomic_fetch_add(&n_failures, 1);
}

unsigned long orr_memory_failures(void)
{
    return atomic_load(&n_failures);
}

unsigned long orr_memory_mark(void)
{
    return n_failures_here;
}

bool orr_memory_lacked(void)
{
    const bool was = lacked;
    lacked = false;
    return was;
}

void *orr_memory_told(void)
{
    lacked = false;
    return NULL;
}

/* ---------------------------------------------------------------- allocations that note their failure */

/* Names in parentheses are functions, not the macros of base/allocate.h. */
static void *noted(void *block)
{
    if (!block) orr_memory_note();
    return block;
}

void *orr_malloc(size_t size)
{
    return noted((malloc)(size));
}

void *orr_calloc(size_t n, size_t size)
{
    return noted((calloc)(n, size));
}

void *orr_realloc(void *old, size_t size)
{
    return noted((realloc)(old, size));
}

char *orr_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = orr_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
