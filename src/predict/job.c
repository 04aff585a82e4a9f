/* These functions can be asked of a job of either kind. */
#include "predict/scratch.h"

#include "base/plain.h"

void orr_predict(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer)
{
    ORR_PLAIN_NUMBERS;
    answer->job = job = orr_shared(orr_filled(job, scratch), scratch);
    answer->prefill = answer->decode = (struct orr_pass_facts){0};
    answer->facts = (struct orr_train_facts){0};
    switch (job->kind) {
    case ORR_JOB_TRAIN: orr_train_answer(job, scratch, answer); break;
    case ORR_JOB_INFER: orr_infer_answer(job, scratch, answer); break;
    }
    answer->ops = scratch->ops.items;
    answer->costs = scratch->costs;
    answer->n_ops = scratch->ops.n;
    answer->rows = scratch->rows;
    answer->scratch = scratch;
    answer->what_ifs = NULL;
    answer->n_what_ifs = 0;
}

bool orr_answer_fits(const struct orr_answer *answer)
{
    return answer->job->kind == ORR_JOB_TRAIN ? answer->train.fits : answer->infer.fits;
}
