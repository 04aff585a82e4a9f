/* A fitted engine shares what its numbers leave of its runs with jobs like them, before a job is predicted. */
#include "predict/scratch.h"

#include "spec/alike.h"

const struct orr_job *orr_shared(const struct orr_job *job, struct orr_scratch *scratch)
{
    if (job->engine.n_alike == 0 || job->engine.shared) return job;
    scratch->shared = *job;
    orr_job_share(&scratch->shared);
    return &scratch->shared;
}
