/* This file runs a service and keeps what its reports show. */
#include "report/service.h"

#include "base/error.h"
#include "base/number.h"
#include "base/plain.h"
#include "serving/pools.h"
#include "spec/form.h"
#include "spec/request.h"

#include <stdlib.h>
#include <string.h>

enum orr_err orr_service_open(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                              struct orr_service **service, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_service *new = *service = calloc(1, sizeof *new);
    if (!new) return orr_out_of_memory(error, NULL);
    const enum orr_err err = orr_serving_read(catalogue, json, origin, &new->request, error);
    if (!err) return ORR_OK;
    free(new);
    *service = NULL;
    return err;
}

enum orr_err orr_form_service(const struct orr_form *form, struct orr_service **service, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_service *new = *service = calloc(1, sizeof *new);
    if (!new) return orr_out_of_memory(error, NULL);
    const enum orr_err err = orr_form_serving(form, &new->request, error);
    if (!err) return ORR_OK;
    free(new);
    *service = NULL;
    return err;
}

void orr_service_close(struct orr_service *service)
{
    if (!service) return;
    orr_serving_request_close(&service->request);
    free(service->records);
    free(service->steps);
    free(service);
}

/* ---------------------------------------------------------------- what is kept */

double orr_record_time(const struct orr_request_record *r, enum orr_timing_kind kind)
{
    const double further = (double)(r->output_len - 1);
    switch (kind) {
    case ORR_TIMING_TTFT: return r->first_s - r->arrival_s;
    case ORR_TIMING_TPOT:
    case ORR_TIMING_ITL: return further > 0 ? (r->finish_s - r->first_s) / further : 0;
    case ORR_TIMING_LATENCY: return r->finish_s - r->arrival_s;
    case ORR_TIMING_QUEUE: return r->start_s - r->visible_s;
    case ORR_N_TIMINGS: break;
    }
    return 0;
}

/* A run beside which a caller is told of progress. */
struct watched {
    struct orr_service *service;
    void (*progress)(void *context, double done_frac);
    void *context;
};

static void keep_request(void *context, const struct orr_request_record *record)
{
    struct orr_service *s = ((struct watched *)context)->service;
    if (s->n_records == s->records_room) {
        const size_t room = s->records_room ? 2 * s->records_room : 1024;
        if (room > ORR_KEPT_REQUESTS) return;
        struct orr_request_record *records = realloc(s->records, room * sizeof *records);
        if (!records) return; /* the result counts all of them in any case */
        s->records = records;
        s->records_room = room;
    }
    s->records[s->n_records++] = *record;
}

static void join_stretches(struct orr_series *series)
{
    double *const all[] = {series->time_s, series->decodes_s, series->waiting_s, series->kv_s};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (size_t i = 0; i < ORR_SERIES / 2; i++) all[k][i] = all[k][2 * i] + all[k][2 * i + 1];
        memset(&all[k][ORR_SERIES / 2], 0, ORR_SERIES / 2 * sizeof **all);
    }
    series->width_s *= 2;
    series->n = (series->n + 1) / 2;
}

static void add_stretch(struct orr_series *series, const struct orr_step_record *step)
{
    const double time_s = step->end_s - step->start_s;
    if (series->width_s <= 0) series->width_s = orr_max(1e-6, time_s);
    while (step->start_s >= series->width_s * ORR_SERIES) join_stretches(series);
    const size_t i = (size_t)(step->start_s / series->width_s);
    if (i >= ORR_SERIES) return;
    series->time_s[i] += time_s;
    series->decodes_s[i] += time_s * (double)step->decodes;
    series->waiting_s[i] += time_s * (double)step->waiting;
    series->kv_s[i] += time_s * step->kv_used_frac;
    if (i + 1 > series->n) series->n = i + 1;
}

static void keep_step(void *context, const struct orr_step_record *record)
{
    struct orr_service *s = ((struct watched *)context)->service;
    add_stretch(&s->series, record);
    if (!s->steps) s->steps = malloc(ORR_KEPT_STEPS * sizeof *s->steps);
    if (s->steps && s->n_steps < ORR_KEPT_STEPS) s->steps[s->n_steps++] = *record;
}

static void tell(void *context, double done_frac)
{
    const struct watched *w = context;
    if (w->progress) w->progress(w->context, done_frac);
}

/* ---------------------------------------------------------------- running */

static struct orr_traffic traffic_of(const struct orr_service *service)
{
    struct orr_traffic traffic = service->request.traffic;
    traffic.trace = service->request.trace;
    return traffic;
}

enum orr_err orr_service_run(struct orr_service *service, const volatile int *stop,
                             void (*progress)(void *context, double done_frac), void *context, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct watched watched = {service, progress, context};
    const struct orr_simulation how = {.slos = service->request.slos,
                                       .n_slos = service->request.n_slos,
                                       .stop = stop,
                                       .context = &watched,
                                       .finished = keep_request,
                                       .stepped = keep_step,
                                       .progress = tell};
    const struct orr_traffic traffic = traffic_of(service);
    const struct orr_deployment deployment = orr_deployment_of(&service->request);
    struct orr_simulation with = how;
    with.deployment = &deployment;
    service->closed_form = false;
    service->n_records = service->n_steps = 0;
    memset(&service->series, 0, sizeof service->series);
    return orr_simulate(&service->request.job, &traffic, &with, &service->result, error);
}

/* The closed form is a steady state of requests that arrive one by one, and of means: what it cannot see it refuses. */
static enum orr_err check_steady(const struct orr_serving_request *r, struct orr_error *error)
{
    const struct orr_deployment *d = &r->deployment;
    const enum orr_arrival arrival = r->traffic.arrival;
    const char *key = NULL, *why = "";
    if (arrival == ORR_ARRIVAL_SATURATED) key = "traffic.arrival", why = "requests that all come at once have none";
    if (arrival == ORR_ARRIVAL_GAMMA) key = "traffic.arrival", why = "bursts are not in it";
    if (arrival == ORR_ARRIVAL_DIURNAL) key = "traffic.arrival", why = "a rate that rises and falls has none";
    if (d->autoscale.most > 0) key = "deployment.autoscale", why = "replicas that come and go have none";
    if (d->n_failures > 0) key = "deployment.failures", why = "replicas that stop have none";
    if (d->max_outstanding > 0) key = "deployment.max_outstanding", why = "nobody is turned away in it";
    for (size_t i = 0; i < r->n_slos; i++)
        if (r->slos[i].quantile > 0) key = "slo", why = "it has means only, for limits such as \"ttft_s.mean<=1 s\"";
    if (!key) return ORR_OK;
    return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.key = key},
                    "the closed form is the steady state, and %s; simulate (without --closed-form)", why);
}

/* Limits of means; how many requests keep them is not known, so that all or none count. */
static void judge_means(struct orr_service *service)
{
    struct orr_serving_result *r = &service->result;
    for (size_t i = 0; i < service->request.n_slos; i++)
        r->slo_met &= r->timing[service->request.slos[i].kind].mean <= service->request.slos[i].limit_s;
    r->slo_frac = r->slo_met ? 1 : 0;
    if (!r->slo_met) r->goodput_requests_per_s = 0;
}

static enum orr_err solve(struct orr_service *service, struct orr_error *error)
{
    const struct orr_traffic traffic = traffic_of(service);
    const struct orr_deployment deployment = orr_deployment_of(&service->request);
    if (deployment.n_pools > 1)
        return orr_pools_solve(&deployment, &traffic, &service->result) ? ORR_OK : orr_out_of_memory(error, NULL);
    struct orr_closed_form *form = orr_closed_form_new(&service->request.job);
    if (!form) return orr_out_of_memory(error, NULL);
    orr_closed_form_solve(form, &traffic, &service->result);
    orr_closed_form_free(form);
    return ORR_OK;
}

enum orr_err orr_service_solve(struct orr_service *service, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    enum orr_err err = check_steady(&service->request, error);
    service->closed_form = true;
    if (!err) err = solve(service, error);
    if (!err && service->result.fits) judge_means(service);
    return err;
}

bool orr_service_holds(const struct orr_service *service)
{
    return service->result.fits && service->result.slo_met && !(service->closed_form && service->result.saturated);
}

char *orr_service_render(const struct orr_service *service, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON || format == ORR_FORMAT_JSON_EXPLAINED)
        orr_service_json(service, format == ORR_FORMAT_JSON_EXPLAINED, &text);
    else if (format == ORR_FORMAT_CSV) orr_service_csv(service, &text);
    else if (format == ORR_FORMAT_TRACE) orr_service_trace(service, &text);
    else if (format == ORR_FORMAT_HTML) orr_service_html(service, &text);
    else orr_service_terminal(service, style, &text);
    return orr_text_take(&text);
}
