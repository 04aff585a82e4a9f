/* A service under load as reports see it: the request, the result, and what was seen of single requests and steps. */
#ifndef ORR_REPORT_SERVICE_H
#define ORR_REPORT_SERVICE_H

#include <jansson.h>

#include "base/text.h"
#include "orrery.h"

/* Requests and steps beyond these are counted in the result, but not listed. */
enum { ORR_KEPT_REQUESTS = 1 << 20, ORR_KEPT_STEPS = 1 << 14, ORR_SERIES = 240 };

/* Means over equal stretches of time; stretches are joined in pairs when the run outgrows them. */
struct orr_series {
    double width_s;
    size_t n;
    double time_s[ORR_SERIES], decodes_s[ORR_SERIES], waiting_s[ORR_SERIES], kv_s[ORR_SERIES];
};

struct orr_service {
    struct orr_serving_request request;
    struct orr_serving_result result;
    bool closed_form;
    struct orr_request_record *records;
    size_t n_records, records_room;
    struct orr_step_record *steps;
    size_t n_steps;
    struct orr_series series;
};

/* The value of a record's time; 0 for a time per token of an answer of one token. */
double orr_record_time(const struct orr_request_record *record, enum orr_timing_kind kind);

void orr_service_terminal(const struct orr_service *service, const struct orr_style *style, struct orr_text *text);
/* `detailed`: also what pictures are drawn from. */
void orr_service_json(const struct orr_service *service, bool detailed, struct orr_text *text);
/* "detail" of a result: shares of requests below a time, the run over time, the first requests; NULL: no memory. */
json_t *orr_service_detail(const struct orr_service *service);
void orr_service_csv(const struct orr_service *service, struct orr_text *text);
void orr_service_trace(const struct orr_service *service, struct orr_text *text);
void orr_service_html(const struct orr_service *service, struct orr_text *text);
/* A limit as it is written: "ttft_s.p99<=1 s". */
void orr_slo_text(const struct orr_slo *slo, struct orr_text *text);
/* Puts every number of a result into an object; 0: done. The closed form knows means only. */
int orr_serving_result_json(json_t *json, const struct orr_serving_result *result, bool mean_only);
/* What arrives, in one line of text. */
void orr_traffic_text(const struct orr_serving_request *request, struct orr_text *line);
json_t *orr_serving_request_json(const struct orr_serving_request *request);
/* The request with every default resolved. */
json_t *orr_service_request(const struct orr_service *service);

#endif
