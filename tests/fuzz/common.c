/* What the fuzz targets share. A broken promise aborts, which both drivers report. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "spec/job.h"

#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } while (0)

char *fuzz_text(const char *before, const uint8_t *data, size_t size, const char *after)
{
    const size_t n_before = strlen(before), n_after = strlen(after);
    char *text = malloc(n_before + size + n_after + 1);
    REQUIRE(text);
    memcpy(text, before, n_before);
    if (size) memcpy(text + n_before, data, size);
    memcpy(text + n_before + size, after, n_after + 1);
    return text;
}

void fuzz_error(const struct orr_error *error)
{
    REQUIRE(error->code && error->text[0] && !strchr(error->text, '\n'));
}

const char *fuzz_file(const uint8_t *data, size_t size, const char *ending)
{
    static char path[256];
    const char *folder = getenv("TMPDIR");
    (void)snprintf(path, sizeof path, "%.200s/orrery-fuzz-%ld%.20s", folder ? folder : "/tmp", (long)getpid(), ending);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    return path;
}

const struct orr_catalogue *fuzz_catalogue(void)
{
    static struct orr_catalogue *catalogue;
    if (!catalogue) REQUIRE(orr_catalogue_open(NULL, 0, &catalogue, NULL) == ORR_OK);
    return catalogue;
}

static void check_result(const struct orr_job *job, const struct orr_result *result)
{
    double sum_s = 0, sum_bytes = 0;
    for (int i = 0; i < ORR_N_TIME_PARTS; i++) {
        REQUIRE(result->time_s[i] >= 0);
        sum_s += result->time_s[i];
    }
    for (int i = 0; i < ORR_N_MEMORY_PARTS; i++) sum_bytes += result->memory.part_bytes[i];
    REQUIRE(isfinite(result->step_time_s) && result->step_time_s > 0);
    REQUIRE(fabs(sum_s - result->step_time_s) <= 1e-9 * result->step_time_s);
    REQUIRE(fabs(sum_bytes - result->memory.total_bytes) <= 1e-9 * sum_bytes);
    REQUIRE(result->mfu_frac >= 0 && result->hfu_frac <= 1);
    REQUIRE(orr_job_check(job, NULL) == ORR_OK);
}

static void check_infer(const struct orr_job *job, const struct orr_infer_result *result)
{
    double sum_s = 0, sum_bytes = 0;
    for (int i = 0; i < ORR_N_INFER_PARTS; i++) {
        REQUIRE(result->time_s[i] >= 0);
        sum_s += result->time_s[i];
    }
    for (int i = 0; i < ORR_N_SERVE_MEMORY_PARTS; i++) sum_bytes += result->memory_bytes[i];
    REQUIRE(isfinite(result->latency_s) && result->latency_s > 0);
    REQUIRE(fabs(sum_s - result->latency_s) <= 1e-9 * result->latency_s);
    REQUIRE(fabs(sum_bytes - result->memory_total_bytes) <= 1e-9 * sum_bytes);
    REQUIRE(result->fits || result->reason[0]);
    REQUIRE(orr_job_check(job, NULL) == ORR_OK);
}

static void fuzz_train(const struct orr_job *job, struct orr_scratch *scratch)
{
    struct orr_result result;
    orr_train(job, scratch, &result);
    check_result(job, &result);
    if (!result.fits) {
        orr_train_advice(job, scratch, &result);
        REQUIRE(result.reason[0] && !result.fits);
    }
}

static void fuzz_infer(const struct orr_job *job, struct orr_scratch *scratch)
{
    struct orr_infer_result result;
    orr_infer(job, scratch, &result);
    check_infer(job, &result);
}

static void fuzz_search(const char *json)
{
    static struct orr_search_request request;
    struct orr_error error = {0};
    enum orr_err code = orr_search_read(fuzz_catalogue(), json, "request", &request, &error);
    struct orr_search *search = NULL;
    if (!code) code = orr_search_new(&request, &search, &error);
    orr_search_free(search);
    REQUIRE(!code || (error.code == code && error.text[0] && !strchr(error.text, '\n')));
    REQUIRE(code || (request.space.gpus.n > 0 && orr_job_check(&request.job, NULL) == ORR_OK));
}

void fuzz_request(const char *json)
{
    fuzz_search(json);
    static struct orr_job job;
    static struct orr_scratch *scratch;
    if (!scratch) scratch = orr_scratch_new();
    REQUIRE(scratch);
    struct orr_error error = {0};
    const enum orr_err code = orr_job_read(fuzz_catalogue(), json, "request", &job, &error);
    if (code) {
        REQUIRE(error.code == code && error.text[0] && !strchr(error.text, '\n'));
        return;
    }
    switch (job.kind) {
    case ORR_JOB_TRAIN: fuzz_train(&job, scratch); break;
    case ORR_JOB_INFER: fuzz_infer(&job, scratch); break;
    }
}
