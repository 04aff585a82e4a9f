/* "ideal_overheads" of a request: a machine that loses no time between kernels. */
#include "spec/factors.h"

#include "spec/calibration_list.h"
#include "spec/json.h"
#include "spec/spec.h"

/* Set every fixed time of the constants in a home to 0. The lines of collectives keep theirs: latency of a link is no
 * overhead of kernels. */
static void clear_times(void *home, enum orr_home which)
{
    for (size_t i = 0; i < ORR_N_CONSTANTS; i++)
        if (orr_constants[i].home == which && orr_constants[i].unit == ORR_UNIT_S)
            for (size_t j = 0; j < orr_constants[i].n; j++) *orr_constant_at(home, &orr_constants[i], j) = 0;
}

/* Eq. 282: kernels start at once and have no fixed time, the host takes none, and no rank waits for a late one. */
void orr_idealise(struct orr_job *job)
{
    struct orr_calibration *c = &job->calibration;
    size_t n;
    const struct orr_field *fields = orr_engine_fields(&n);
    for (int i = 0; i < ORR_N_DTYPES; i++) clear_times(&c->gemm[i], ORR_HOME_GEMM);
    for (int i = 0; i < ORR_N_ATTENTION_KERNELS; i++) clear_times(&c->attention[i], ORR_HOME_ATTENTION);
    for (int i = 0; i < ORR_N_DECODE_KERNELS; i++)
        for (int j = 0; j < 2; j++) clear_times(&c->decode[i][j], ORR_HOME_DECODE);
    for (int j = 0; j < 2; j++) clear_times(&c->mla_decode[j], ORR_HOME_DECODE);
    clear_times(c, ORR_HOME_CALIBRATION);
    c->straggle_frac_per_doubling = 0;
    for (size_t i = 0; i < n; i++)
        if (fields[i].type == ORR_FIELD_REAL && fields[i].unit == ORR_UNIT_S)
            *(double *)(void *)((char *)&job->engine + fields[i].offset) = 0;
}
