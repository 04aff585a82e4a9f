/* A comparison has the answers to two or more requests of one kind, in the order in which they were asked. */
#ifndef ORR_REPORT_COMPARE_H
#define ORR_REPORT_COMPARE_H

#include "base/text.h"
#include "report/answer.h"
#include "report/json_text.h"
#include "spec/json.h"

#define ORR_COMPARE_MAX 8 /* answers of one comparison */

struct orr_compared {
    char name[96];
    struct orr_reader *reader; /* owns the job */
    struct orr_scratch *scratch;
    struct orr_answer answer;
    json_t *request; /* the request with every default resolved, as one flat object */
};

struct orr_comparison {
    size_t n;
    struct orr_compared *columns; /* n of them; the first is what the others are compared with */
};

/* The metrics that people compare, with the name of their row. */
struct orr_compare_row {
    const char *name;
    int metric;
};
const struct orr_compare_row *orr_compare_rows(enum orr_job_kind kind, size_t *n);

/* Is the value of this key of the requests the same in all columns? */
bool orr_compare_same(const struct orr_comparison *comparison, const char *key);
/* Says in one sentence how column i differs from the first, and which parts of the time make the difference. */
void orr_compare_sentence(const struct orr_comparison *comparison, size_t i, struct orr_text *text);

/* The members of an object under dotted keys; the caller owns it. NULL: no memory, or no object. */
json_t *orr_compare_flat(const json_t *object);
/* The keys of what an answer was asked: the request that the answer states, and the members of parts that the request
 * as given replaced ("set"). The caller owns it; NULL: no memory. */
json_t *orr_compare_asked(const json_t *stated, const json_t *given);
/* Gives all of them the same keys: what one has and another has not is null there. Returns nonzero without memory. */
int orr_compare_align(json_t *const *asked, size_t n);
/* Is the first request one of a service under load or of its size? */
bool orr_compare_is_service(const json_t *requests);
/* Compares those. */
enum orr_err orr_compare_services(const struct orr_catalogue *catalogue, const struct orr_doc *doc,
                                  const json_t *requests, const json_t *names, enum orr_format format,
                                  const struct orr_style *style, char **text, struct orr_error *error);

void orr_compare_terminal(const struct orr_comparison *comparison, const struct orr_style *style,
                          struct orr_text *text);
void orr_compare_json(const struct orr_comparison *comparison, struct orr_text *text);

#endif
