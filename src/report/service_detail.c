/* This file writes what pictures of a service are drawn from: distributions, the run over time, and its first
 * requests. */
#include "base/number.h"
#include "report/json_text.h"
#include "report/service.h"
#include "spec/names.h"

#include <stdlib.h>

enum { SHARES = 101, SHOWN_REQUESTS = 400 };

/* The time that a share of the requests stays below, at equal steps of the share from 0 to 1. */
static json_t *shares_json(const struct orr_service *service, enum orr_timing_kind kind)
{
    json_t *list = json_array();
    double *sorted = malloc((service->n_records + 1) * sizeof *sorted);
    int failed = !list || !sorted;
    for (size_t i = 0; i < service->n_records && sorted; i++) sorted[i] = orr_record_time(&service->records[i], kind);
    if (sorted) qsort(sorted, service->n_records, sizeof *sorted, orr_ascending);
    for (int i = 0; i < SHARES && service->n_records > 0 && !failed; i++)
        failed = json_array_append_new(
            list, orr_json_real(orr_quantile(sorted, service->n_records, (double)i / (SHARES - 1))));
    free(sorted);
    return orr_json_whole(list, failed);
}

/* Single gaps between tokens are not kept, so that there is no distribution of them. */
static json_t *distributions_json(const struct orr_service *service)
{
    static const enum orr_timing_kind KINDS[] = {ORR_TIMING_TTFT, ORR_TIMING_TPOT, ORR_TIMING_LATENCY,
                                                 ORR_TIMING_QUEUE};
    json_t *json = json_object();
    int failed = !json;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        failed |= json_object_set_new(json, orr_timing_name(KINDS[i]), shares_json(service, KINDS[i]));
    return orr_json_whole(json, failed);
}

/* Means over the stretches of the run; null where no step was executed. */
static json_t *means_json(const struct orr_series *series, const double *sums)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < series->n && !failed; i++)
        failed = json_array_append_new(list, series->time_s[i] > 0 ? orr_json_real(sums[i] / series->time_s[i])
                                                                   : json_null());
    return orr_json_whole(list, failed);
}

static json_t *request_json(const struct orr_request_record *r)
{
    return json_pack("{sI so so so so sI sI sI}", "id", (json_int_t)r->id, "arrival_s", orr_json_real(r->arrival_s),
                     "start_s", orr_json_real(r->start_s), "first_s", orr_json_real(r->first_s), "finish_s",
                     orr_json_real(r->finish_s), "input_len", (json_int_t)r->input_len, "output_len",
                     (json_int_t)r->output_len, "preemptions", (json_int_t)r->preemptions);
}

static json_t *requests_json(const struct orr_service *service)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < service->n_records && i < SHOWN_REQUESTS && !failed; i++)
        failed = json_array_append_new(list, request_json(&service->records[i]));
    return orr_json_whole(list, failed);
}

json_t *orr_service_detail(const struct orr_service *service)
{
    const struct orr_series *series = &service->series;
    return json_pack("{so s{so so so so} so}", "shares", distributions_json(service), "series", "width_s",
                     orr_json_real(series->width_s), "decoding", means_json(series, series->decodes_s), "waiting",
                     means_json(series, series->waiting_s), "kv_used_frac", means_json(series, series->kv_s),
                     "requests", requests_json(service));
}
