/* The version of the linked library. */
#include "orrery.h"

const char *orr_version(void)
{
    return ORR_VERSION;
}
