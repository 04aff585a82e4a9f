/* The size of a service as reports see it. */
#ifndef ORR_REPORT_SIZE_H
#define ORR_REPORT_SIZE_H

#include "base/text.h"
#include "search/size.h"

struct orr_size {
    struct orr_size_request request;
    struct orr_size_answer answer;
};

void orr_size_terminal(const struct orr_size *size, const struct orr_style *style, struct orr_text *text);
/* One line that says why there is no plan; the nearest miss is a sentence of its own. */
void orr_size_reason(const struct orr_size *size, struct orr_text *text);

#endif
