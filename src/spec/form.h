/* What the library itself does with forms beyond include/orrery.h. */
#ifndef ORR_SPEC_FORM_H
#define ORR_SPEC_FORM_H

#include "orrery.h"

/* A form with the same values, for another thread. NULL: out of memory. */
struct orr_form *orr_form_copy(const struct orr_form *form);

#endif
