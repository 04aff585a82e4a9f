#include "study/search.h"
void orr_search_infer_block(const struct orr_search *search, int pass, int64_t block, struct orr_worker *worker,
                            struct orr_outcome *outcome)
{
    (void)search;
    (void)pass;
    (void)block;
    (void)worker;
    (void)outcome;
}
int64_t orr_search_infer_blocks(const struct orr_search_request *request)
{
    (void)request;
    return 0;
}
void orr_infer_choose(const struct orr_search_request *request, const struct orr_choice *choice, struct orr_job *job)
{
    (void)request;
    (void)choice;
    (void)job;
}
