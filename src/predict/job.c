/* What can be asked of a job of either kind. */
#include "orrery.h"

bool orr_job_fits(const struct orr_job *job, struct orr_scratch *scratch)
{
    struct orr_result step;
    struct orr_infer_result request;
    switch (job->kind) {
    case ORR_JOB_TRAIN: orr_train(job, scratch, &step); return step.fits;
    case ORR_JOB_INFER: orr_infer(job, scratch, &request); return request.fits;
    }
    return false;
}
