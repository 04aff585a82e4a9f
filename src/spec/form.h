/* Functions on forms that only the library uses, besides those of include/orrery.h. */
#ifndef ORR_SPEC_FORM_H
#define ORR_SPEC_FORM_H

#include "orrery.h"

/* Copies a form, for another thread; NULL when out of memory. */
struct orr_form *orr_form_copy(const struct orr_form *form);

#endif
