/* This file writes a service under load as JSON, and its requests as CSV. */
#include "report/assumed.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/service.h"
#include "report/sureness.h"
#include "spec/form.h"
#include "spec/assume.h"
#include "spec/names.h"

#include <string.h>

static json_t *lengths_json(const struct orr_lengths *l)
{
    json_t *json = json_pack("{ss}", "law", orr_length_law_names[l->law]);
    int failed = !json;
    if (l->law != ORR_LENGTH_UNIFORM && l->law != ORR_LENGTH_EMPIRICAL)
        failed |= json_object_set_new(json, "mean", orr_json_real(l->mean));
    if (l->law == ORR_LENGTH_LOGNORMAL) failed |= json_object_set_new(json, "cv", orr_json_real(l->cv));
    if (l->low > 0) failed |= json_object_set_new(json, "low", orr_json_real(l->low));
    if (l->high > 0) failed |= json_object_set_new(json, "high", orr_json_real(l->high));
    json_t *points = l->n_points > 0 ? json_array() : NULL;
    for (int64_t i = 0; i < l->n_points; i++) failed |= json_array_append_new(points, orr_json_real(l->points[i]));
    if (points) failed |= json_object_set_new(json, "points", points);
    return orr_json_whole(json, failed);
}

static json_t *traffic_json(const struct orr_serving_request *request)
{
    const struct orr_traffic *t = &request->traffic;
    const struct {
        const char *key;
        double value;
    } reals[] = {{"rate_per_s", t->rate_per_s}, {"think_s", t->think_s},       {"duration_s", t->duration_s},
                 {"warmup_s", t->warmup_s},     {"swing_frac", t->swing_frac}, {"urgent_share", t->urgent_share}};
    const struct {
        const char *key;
        int64_t value;
    } counts[] = {{"concurrency", t->concurrency},
                  {"requests", t->requests},
                  {"max_output_len", t->max_output_len},
                  {"adapters", t->adapters},
                  {"adapter_rank", t->adapter_rank}};
    json_t *json = json_pack("{ss}", "arrival", orr_arrival_names[t->arrival]);
    int failed = !json;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (reals[i].value > 0) failed |= json_object_set_new(json, reals[i].key, orr_json_real(reals[i].value));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value > 0)
            failed |= json_object_set_new(json, counts[i].key, json_integer((json_int_t)counts[i].value));
    if (t->router != ORR_ROUTER_ROUND_ROBIN)
        failed |= json_object_set_new(json, "router", json_string(orr_router_names[t->router]));
    if (t->arrival == ORR_ARRIVAL_GAMMA)
        failed |= json_object_set_new(json, "burstiness", orr_json_real(t->burstiness));
    if (t->arrival == ORR_ARRIVAL_DIURNAL) failed |= json_object_set_new(json, "period_s", orr_json_real(t->period_s));
    if (request->trace) failed |= json_object_set_new(json, "trace", orr_json_word(request->trace_file));
    if (t->arrival != ORR_ARRIVAL_TRACE) { /* whose rows have lengths */
        failed |= json_object_set_new(json, "input_len", lengths_json(&t->input_len));
        failed |= json_object_set_new(json, "output_len", lengths_json(&t->output_len));
    }
    failed |= json_object_set_new(json, "prefix_share", orr_json_real(t->prefix_share));
    if (t->prefix_groups > 0)
        failed |= json_object_set_new(json, "prefix_groups", json_integer((json_int_t)t->prefix_groups));
    if (t->session_share > 0) {
        failed |= json_object_set_new(json, "session_share", orr_json_real(t->session_share));
        failed |= json_object_set_new(json, "session_gap", orr_json_real(t->session_gap));
    }
    failed |= json_object_set_new(json, "seed", json_integer((json_int_t)t->seed));
    return orr_json_whole(json, failed);
}

static const char *stat_name(double quantile)
{
    if (quantile <= 0) return "mean";
    if (quantile <= 0.5) return "p50";
    if (quantile <= 0.9) return "p90";
    return quantile <= 0.95 ? "p95" : "p99";
}

void orr_slo_text(const struct orr_slo *slo, struct orr_text *text)
{
    orr_text_add(text, "%s.%s<=%.9g s", orr_timing_name(slo->kind), stat_name(slo->quantile), slo->limit_s);
}

static json_t *slos_json(const struct orr_serving_request *request)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < request->n_slos; i++) {
        struct orr_text line = {0};
        orr_slo_text(&request->slos[i], &line);
        failed |= json_array_append_new(list, orr_json_word(line.data ? line.data : ""));
        free(line.data);
    }
    return orr_json_whole(list, failed);
}

/* A pool as the request of its job spells it. */
static json_t *pool_request_json(const struct orr_pool *pool)
{
    static const char *const KEYS[] = {"system", "gpus", "plan"};
    static const char *const FORMATS[] = {"engine", "precision", "kv_precision"};
    json_t *request = orr_request_json(pool->job, false), *json = json_object();
    const json_t *workload = json_object_get(request, "workload");
    int failed = !request || !json || json_object_set_new(json, "role", json_string(orr_pool_role_names[pool->role]));
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS && !failed; i++)
        if (json_object_get(request, KEYS[i]))
            failed = json_object_set(json, KEYS[i], json_object_get(request, KEYS[i]));
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS && !failed; i++)
        if (json_object_get(workload, FORMATS[i]))
            failed = json_object_set(json, FORMATS[i], json_object_get(workload, FORMATS[i]));
    json_decref(request);
    return orr_json_whole(json, failed);
}

static json_t *failures_json(const struct orr_deployment *d)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < d->n_failures; i++) {
        const struct orr_failure *f = &d->failures[i];
        failed |= json_array_append_new(list, json_pack("{sI sI so so}", "pool", (json_int_t)f->pool, "replica",
                                                        (json_int_t)f->replica, "at_s", orr_json_real(f->at_s),
                                                        "down_s", orr_json_real(f->down_s)));
    }
    return orr_json_whole(list, failed);
}

/* NULL: replicas of one pool that are always up. */
static json_t *deployment_json(const struct orr_serving_request *request, int *failed)
{
    const struct orr_deployment d = orr_deployment_of(request);
    const struct orr_autoscale *a = &d.autoscale;
    json_t *json = json_object(), *pools = d.n_pools > 1 ? json_array() : NULL;
    *failed |= !json;
    for (size_t i = 1; i < d.n_pools; i++) *failed |= json_array_append_new(pools, pool_request_json(&d.pools[i]));
    if (pools) *failed |= json_object_set_new(json, "pools", pools);
    if (d.max_outstanding > 0)
        *failed |= json_object_set_new(json, "max_outstanding", json_integer((json_int_t)d.max_outstanding));
    if (d.n_failures > 0) *failed |= json_object_set_new(json, "failures", failures_json(&d));
    if (a->most > 0)
        *failed |= json_object_set_new(json, "autoscale",
                                       json_pack("{sI sI so so so so}", "least", (json_int_t)a->least, "most",
                                                 (json_int_t)a->most, "requests", orr_json_real(a->requests), "start_s",
                                                 orr_json_real(a->start_s), "interval_s", orr_json_real(a->interval_s),
                                                 "idle_s", orr_json_real(a->idle_s)));
    if (json_object_size(json) > 0) return json;
    json_decref(json);
    return NULL;
}

json_t *orr_serving_request_json(const struct orr_serving_request *request)
{
    json_t *json = orr_request_json(&request->job, false);
    int failed = !json;
    if (json) {
        json_t *workload = json_object_get(json, "workload");
        (void)json_object_del(workload, "batch"); /* the load decides it */
        if (request->traffic.arrival == ORR_ARRIVAL_TRACE) {
            (void)json_object_del(workload, "input_len");
            (void)json_object_del(workload, "output_len");
        }
        json_t *deployment = deployment_json(request, &failed);
        if (deployment) failed |= json_object_set_new(json, "deployment", deployment);
        failed |= json_object_set_new(json, "kind", json_string("serving"));
        failed |= json_object_set_new(json, "traffic", traffic_json(request));
        failed |= json_object_set_new(json, "slo", slos_json(request));
    }
    return orr_json_whole(json, failed);
}

json_t *orr_service_request(const struct orr_service *service)
{
    return orr_serving_request_json(&service->request);
}

/* A distribution; the closed form knows its mean alone. */
static json_t *timing_json(const struct orr_timing *t, bool mean_only)
{
    if (mean_only) return json_pack("{so}", "mean", orr_json_real(t->mean));
    return json_pack("{so so so so so}", "mean", orr_json_real(t->mean), "p50", orr_json_real(t->p50), "p90",
                     orr_json_real(t->p90), "p95", orr_json_real(t->p95), "p99", orr_json_real(t->p99));
}

static json_t *pair(double low, double high)
{
    return json_pack("[oo]", orr_json_real(low), orr_json_real(high));
}

static json_t *intervals_json(const struct orr_serving_result *r)
{
    json_t *json = json_object();
    int failed = !json;
    for (int i = 0; i < ORR_N_TIMINGS; i++) {
        const struct orr_timing *t = &r->timing[i];
        failed |= json_object_set_new(json, orr_timing_name((enum orr_timing_kind)i),
                                      pair(t->mean * t->low_frac, t->mean * t->high_frac));
    }
    const double tokens = r->output_tokens_per_s;
    failed |=
        json_object_set_new(json, "output_tokens_per_s", pair(tokens * r->rate_low_frac, tokens * r->rate_high_frac));
    return orr_json_whole(json, failed);
}

static json_t *pool_json(const struct orr_pool_result *p)
{
    return json_pack("{ss sI so so so so so so sI}", "role", orr_pool_role_names[p->role], "gpus", (json_int_t)p->gpus,
                     "replicas", orr_json_real(p->replicas), "busy_frac", orr_json_real(p->busy_frac),
                     "mean_running_batch", orr_json_real(p->mean_running_batch), "kv_used_frac",
                     orr_json_real(p->kv_used_frac), "kv_capacity_tokens", orr_json_real(p->kv_capacity_tokens),
                     "power_w_per_gpu", orr_json_real(p->power_w_per_gpu), "preemptions", (json_int_t)p->preemptions);
}

/* What only deployments of several pools, or with a router, have. */
static int put_pools(json_t *json, const struct orr_serving_result *r)
{
    json_t *list = json_array();
    int failed = !list;
    for (int64_t i = 0; i < r->n_pools; i++) failed |= json_array_append_new(list, pool_json(&r->pools[i]));
    failed |= json_object_set_new(json, "pools", list);
    failed |= json_object_set_new(json, "mean_gpus", orr_json_real(r->mean_gpus));
    failed |= json_object_set_new(json, "rejected", json_integer((json_int_t)r->rejected));
    failed |= json_object_set_new(json, "restarted", json_integer((json_int_t)r->restarted));
    if (r->transfer.mean <= 0) return failed;
    failed |= json_object_set_new(json, "transfer_s", timing_json(&r->transfer, r->transfer.p99 <= 0));
    return failed | json_object_set_new(json, "link_busy_frac", orr_json_real(r->link_busy_frac));
}

static int put_numbers(json_t *json, const struct orr_serving_result *r)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"output_tokens_per_s", r->output_tokens_per_s},
                   {"output_tokens_per_s_per_gpu", r->output_tokens_per_s_per_gpu},
                   {"input_tokens_per_s", r->input_tokens_per_s},
                   {"completed_requests_per_s", r->completed_requests_per_s},
                   {"goodput_requests_per_s", r->goodput_requests_per_s},
                   {"slo_frac", r->slo_frac},
                   {"mean_running_batch", r->mean_running_batch},
                   {"mean_waiting", r->mean_waiting},
                   {"kv_used_frac", r->kv_used_frac},
                   {"kv_capacity_tokens", r->kv_capacity_tokens},
                   {"prefix_hit_frac", r->prefix_hit_frac},
                   {"busy_frac", r->busy_frac},
                   {"prompt_frac", r->prompt_frac},
                   {"energy_j_per_output_token", r->energy_j_per_output_token},
                   {"energy_j_per_request", r->energy_j_per_request},
                   {"power_w_per_gpu", r->power_w_per_gpu},
                   {"cost_usd_per_million_output_tokens", r->cost_usd_per_million_output_tokens},
                   {"duration_s", r->duration_s},
                   {"simulated_requests_per_s", r->simulated_requests_per_s}};
    int failed = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        failed |= json_object_set_new(json, numbers[i].key, orr_json_real(numbers[i].value));
    return failed;
}

static int put_outcome(json_t *json, const struct orr_serving_result *r)
{
    int failed = 0;
    failed |= json_object_set_new(json, "preemptions", json_integer((json_int_t)r->preemptions));
    failed |= json_object_set_new(json, "requests", json_integer((json_int_t)r->requests));
    failed |= json_object_set_new(json, "refused", json_integer((json_int_t)r->refused));
    failed |= json_object_set_new(json, "slo_met", json_boolean(r->slo_met));
    failed |= json_object_set_new(json, "saturated", json_boolean(r->saturated));
    failed |= json_object_set_new(json, "complete", json_boolean(r->complete));
    failed |= json_object_set_new(json, "fits", json_boolean(r->fits));
    if (r->n_pools > 0) failed |= put_pools(json, r);
    if (r->urgent_ttft.mean > 0) {
        failed |= json_object_set_new(json, "urgent_ttft_s", timing_json(&r->urgent_ttft, false));
        failed |= json_object_set_new(json, "other_ttft_s", timing_json(&r->other_ttft, false));
    }
    if (r->reason[0]) failed |= json_object_set_new(json, "reason", orr_json_word(r->reason));
    return failed;
}

int orr_serving_result_json(json_t *json, const struct orr_serving_result *r, bool mean_only)
{
    int failed = 0;
    for (int i = 0; i < ORR_N_TIMINGS; i++)
        failed |=
            json_object_set_new(json, orr_timing_name((enum orr_timing_kind)i), timing_json(&r->timing[i], mean_only));
    failed |= put_numbers(json, r);
    failed |= put_outcome(json, r);
    return failed | json_object_set_new(json, "interval80", intervals_json(r));
}

/* Both pools of a service are in its result, so that nothing is to be said about a second one. */
static json_t *warnings_json(const struct orr_job *job)
{
    struct orr_job whole = *job;
    whole.serving.disaggregated = false;
    return orr_warnings_json(&whole);
}

void orr_service_json(const struct orr_service *service, bool detailed, struct orr_text *text)
{
    const struct orr_job *job = &service->request.job;
    const uint64_t keys = job->assumed & ~orr_assume_bit(ORR_ASSUME_BATCH); /* the traffic decides the batch */
    json_t *json = json_pack("{ss ss ss}", "schema", ORR_SCHEMA, "kind", "serving", "method",
                             service->closed_form ? "closed form" : "simulation");
    int failed = !json;
    if (json) {
        failed |= orr_serving_result_json(json, &service->result, service->closed_form);
        failed |= orr_service_sureness_json(json, job, &service->result);
        failed |= json_object_set_new(json, "assumed", orr_assumed_json(job, keys, &job->spread));
        failed |= json_object_set_new(json, "warnings", warnings_json(job));
        if (detailed) failed |= json_object_set_new(json, "detail", orr_service_detail(service));
        failed |= json_object_set_new(json, "request", orr_service_request(service));
    }
    orr_json_lines(text, orr_json_whole(json, failed));
}

void orr_service_csv(const struct orr_service *service, struct orr_text *text)
{
    orr_text_add(text, "id,arrival_s,queue_s,ttft_s,tpot_s,latency_s,input_len,output_len,cached_len,preemptions\n");
    for (size_t i = 0; i < service->n_records; i++) {
        const struct orr_request_record *r = &service->records[i];
        orr_text_add(text, "%lld,%.9g,%.9g,%.9g,%.9g,%.9g,%lld,%lld,%lld,%lld\n", (long long)r->id, r->arrival_s,
                     orr_record_time(r, ORR_TIMING_QUEUE), orr_record_time(r, ORR_TIMING_TTFT),
                     orr_record_time(r, ORR_TIMING_TPOT), orr_record_time(r, ORR_TIMING_LATENCY),
                     (long long)r->input_len, (long long)r->output_len, (long long)r->cached_len,
                     (long long)r->preemptions);
    }
}
