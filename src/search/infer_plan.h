/* One inference plan as a job, and what it is worth, for the search of such plans. */
#ifndef ORR_SEARCH_INFER_PLAN_H
#define ORR_SEARCH_INFER_PLAN_H

#include "search/search.h"

/* Sets the job to a pool of the choice that has this role. */
void orr_choose_pool(const struct orr_search_request *request, const struct orr_choice *choice, enum orr_pool_role role,
                     struct orr_job *job);
/* The job of the pool that serves answers. */
void orr_choose_decode(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job);
/* The expert-tensor ranks unless others are asked for. */
int64_t orr_usual_etp(int64_t experts, int64_t tp, int64_t ep);
/* Requests per second that all replicas of a pool serve if each serves a batch in `batch_s`. */
double orr_requests_per_s(const struct orr_job *job, double batch_s);
/* Two pools as one answer, made from that of the second pool. */
void orr_join_pools(const struct orr_job *job, const struct orr_choice *choice, double rate_per_s,
                    const struct orr_infer_result *prompt, struct orr_infer_result *joint);

/* The figures that objectives and fronts compare, or lower bounds of them. */
struct orr_figures {
    double values[ORR_N_OBJECTIVES]; /* by objective; a rate counts as its inverse */
    double user_s;
};

void orr_set_figures(const struct orr_search_request *request, const struct orr_figures *f, struct orr_found *found);
/* Seconds that a user waits for each token, or for the only token. */
double orr_user_s(const struct orr_search_request *request, double ttft_s, double tpot_s);

#endif
