/* The note that an allocation failed. It is the only state of the library outside its objects: one flag for each
 * thread, because jansson calls its allocator without a context. */
#include "base/memory.h"

static _Thread_local bool lacked;

void orr_memory_note(void)
{
    lacked = true;
}

bool orr_memory_lacked(void)
{
    const bool was = lacked;
    lacked = false;
    return was;
}
