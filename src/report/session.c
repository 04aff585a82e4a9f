/* A session takes questions and gives answers as text and rows of numbers, for other languages, which see no struct. */
#include "base/error.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"
#include "metric/metric.h"
#include "metric/row.h"
#include "predict/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct orr_session {
    struct orr_reader *reader;
    struct orr_scratch *scratch;
    struct orr_answer answer;
};

struct orr_session *orr_session_new(const struct orr_catalogue *catalogue)
{
    ORR_PLAIN_NUMBERS;
    struct orr_session *session = calloc(1, sizeof *session);
    if (!session) return orr_memory_told();
    session->reader = orr_reader_new(catalogue);
    session->scratch = orr_scratch_new();
    if (session->reader && session->scratch) return session;
    orr_session_free(session);
    return orr_memory_told();
}

void orr_session_free(struct orr_session *session)
{
    if (!session) return;
    orr_reader_free(session->reader);
    orr_scratch_free(session->scratch);
    free(session);
}

/* Predicts the result alone, because a row needs no ledger. */
static void predict(struct orr_session *session, const struct orr_job *job)
{
    session->answer.job = job = orr_filled(job, session->scratch);
    if (job->kind == ORR_JOB_INFER) {
        orr_infer(job, session->scratch, &session->answer.infer);
        return;
    }
    orr_train(job, session->scratch, &session->answer.train);
    orr_train_advice(job, session->scratch, &session->answer.train);
}

enum orr_err orr_session_ask(struct orr_session *session, const char *json, const char *origin,
                             struct orr_sweep_row *row, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_job *job;
    session->answer.job = NULL;
    const enum orr_err err = orr_reader_job(session->reader, json, origin, NULL, &job, error);
    if (err) return err;
    predict(session, job);
    if (!row) return ORR_OK;
    row->blank = false;
    row->status = orr_answer_fits(&session->answer) ? ORR_POINT_OK : ORR_POINT_NO_FIT;
    orr_copy_line(row->reason, sizeof row->reason,
                  job->kind == ORR_JOB_TRAIN ? session->answer.train.reason : session->answer.infer.reason);
    orr_row_fill(&session->answer, row);
    return ORR_OK;
}

double orr_session_number(const struct orr_session *session, const char *key)
{
    struct orr_value value;
    const bool found = session->answer.job && orr_metric_find(&session->answer, key, strlen(key), &value);
    return found && !value.word ? value.number : (double)NAN;
}

enum orr_err orr_session_render(struct orr_session *session, const char *json, const char *origin,
                                enum orr_format format, const struct orr_style *style, char **text,
                                struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_job *job;
    session->answer.job = NULL;
    const enum orr_err err = orr_reader_job(session->reader, json, origin, NULL, &job, error);
    if (err) return err;
    orr_predict(job, session->scratch, &session->answer);
    if (job->kind == ORR_JOB_TRAIN) orr_train_advice(session->answer.job, session->scratch, &session->answer.train);
    *text = orr_render(&session->answer, format, style);
    return *text ? ORR_OK : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}

enum orr_err orr_search_open(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                             struct orr_search **search, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_search_request *request = malloc(sizeof *request);
    if (!request) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    enum orr_err err = orr_search_read(catalogue, json, origin, request, error);
    if (!err) err = orr_search_new(request, search, error);
    free(request);
    return err;
}
