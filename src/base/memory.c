/* The note that an allocation failed: one flag for each thread, because jansson calls its allocator without a context,
 * and their number in the process. With the reserve of src/spec/json_memory.c this is the only state of the library
 * outside its objects. */
#include "base/memory.h"

#include <stdatomic.h>

static _Thread_local bool lacked;
static atomic_ulong n_failures;

void orr_memory_note(void)
{
    lacked = true;
    atomic_fetch_add(&n_failures, 1);
}

unsigned long orr_memory_failures(void)
{
    return atomic_load(&n_failures);
}

bool orr_memory_lacked(void)
{
    const bool was = lacked;
    lacked = false;
    return was;
}
