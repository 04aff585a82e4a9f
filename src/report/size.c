/* This file finds the size of a service for callers of the library, and writes it as JSON and CSV. */
#include "report/assumed.h"
#include "report/launch_files.h"
#include "report/page.h"
#include "report/size.h"

#include "base/error.h"
#include "base/plain.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/service.h"
#include "search/infer_plan.h"
#include "spec/spec.h"
#include "spec/form.h"

#include <math.h>
#include <stdlib.h>

enum orr_err orr_size_open(const struct orr_catalogue *catalogue, const char *json, const char *origin,
                           struct orr_size **size, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_size *new = *size = calloc(1, sizeof *new);
    if (!new) return orr_out_of_memory(error, NULL);
    const enum orr_err err = orr_size_read(catalogue, json, origin, &new->request, error);
    if (!err) return ORR_OK;
    free(new);
    *size = NULL;
    return err;
}

enum orr_err orr_form_size(const struct orr_form *form, struct orr_size **size, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    struct orr_size *new = *size = calloc(1, sizeof *new);
    if (!new) return orr_out_of_memory(error, NULL);
    const enum orr_err err = orr_form_sizing(form, &new->request, error);
    if (!err) return ORR_OK;
    free(new);
    *size = NULL;
    return err;
}

void orr_size_close(struct orr_size *size)
{
    if (!size) return;
    orr_size_request_close(&size->request);
    free(size);
}

enum orr_err orr_size_run(struct orr_size *size, int threads, const volatile int *stop,
                          void (*progress)(void *context, double done_frac), void *context, struct orr_error *error)
{
    ORR_PLAIN_NUMBERS;
    return orr_size_solve(&size->request, threads, stop, progress, context, &size->answer, error);
}

bool orr_size_holds(const struct orr_size *size)
{
    return size->answer.found;
}

/* ---------------------------------------------------------------- why there is none */

static const struct orr_serving_request *service_of(const struct orr_size *size, const struct orr_sized *plan)
{
    return &size->request.services[plan->system];
}

void orr_size_reason(const struct orr_size *size, struct orr_text *text)
{
    const struct orr_size_answer *a = &size->answer;
    const struct orr_slo *slo = &size->request.services[0].slos[a->best.worst];
    if (!a->complete && !isfinite(a->best.ratio)) orr_text_add(text, "stopped before a plan was tried to its end");
    else if (a->counts.units == 0) orr_text_add(text, "no plan obeys the rules within the budget");
    else if (a->counts.fitting == 0) orr_text_add(text, "the model does not fit within the budget");
    else if (!isfinite(a->best.ratio))
        orr_text_add(text, "the load is too high for the budget: at most %.3g %% of it can be served",
                     100 * a->served_frac);
    else {
        orr_text_add(text, "the nearest plan misses ");
        orr_slo_text(slo, text);
        orr_text_add(text, " with %.4g s", a->best.ratio * slo->limit_s);
        if (a->least_s > slo->limit_s) orr_text_add(text, "; no plan is below %.4g s even without load", a->least_s);
    }
}

/* ---------------------------------------------------------------- JSON */

static json_t *kept_json(const struct orr_size *size, const struct orr_sized *plan)
{
    const struct orr_serving_request *service = service_of(size, plan);
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < service->n_slos; i++) {
        struct orr_text line = {0};
        const struct orr_slo *slo = &service->slos[i];
        const double value_s = orr_timing_at(&plan->result.timing[slo->kind], slo->quantile);
        orr_slo_text(slo, &line);
        failed |=
            json_array_append_new(list, json_pack("{so so sb}", "limit", orr_json_word(line.data ? line.data : ""),
                                                  "value_s", orr_json_real(value_s), "met", value_s <= slo->limit_s));
        free(line.data);
    }
    return orr_json_whole(list, failed);
}

static json_t *plan_json(const struct orr_size *size, const struct orr_sized *plan, bool whole)
{
    const struct orr_choice *c = &plan->choice;
    const struct orr_system *system = &size->request.spaces[plan->system].job.system;
    json_t *degrees = json_pack("{si si si si si}", "tp", c->tp, "pp", c->pp, "dp", c->dp, "ep", c->ep, "etp", c->etp);
    json_t *json = json_pack("{so si si so so ss sI sI so so sb}", "system", orr_json_word(system->id), "gpus", c->gpus,
                             "replicas", c->dp, "usd_per_hour", orr_json_real(plan->usd_per_h), "plan", degrees,
                             "precision", orr_weight_format_name((enum orr_weight_format)c->weights), "max_requests",
                             (json_int_t)plan->max_requests, "max_step_tokens", (json_int_t)plan->max_step_tokens,
                             "worst_frac", orr_json_real(plan->ratio), "slo", kept_json(size, plan), "met", plan->met);
    int failed = !json;
    if (json && c->decode_gpus > 0)
        failed |= json_object_set_new(json, "decode",
                                      json_pack("{si si si si si}", "gpus", c->decode_gpus, "replicas",
                                                c->decode_gpus / (c->decode_tp * c->decode_pp), "tp", c->decode_tp,
                                                "pp", c->decode_pp, "ep", c->decode_ep));
    json_t *result = whole && json ? json_object() : NULL;
    if (result) {
        failed |= orr_serving_result_json(result, &plan->result, false);
        failed |= json_object_del(result, "simulated_requests_per_s"); /* equal requests give equal answers */
        failed |= json_object_set_new(json, "result", result);
    }
    return orr_json_whole(json, failed);
}

static json_t *request_json(const struct orr_size *size)
{
    const struct orr_size_request *r = &size->request;
    json_t *json = orr_serving_request_json(&r->services[0]), *systems = json_array();
    json_t *ask = json_pack("{ss}", "objective", r->by_gpus ? "gpus" : "cost");
    int failed = !json || !systems || !ask;
    if (failed) return orr_json_whole(json, failed);
    for (size_t i = 0; i < r->n_systems; i++)
        failed |= json_array_append_new(systems, orr_json_word(r->spaces[i].job.system.id));
    failed |= json_object_set_new(ask, "budget_gpus", json_integer((json_int_t)r->budget_gpus));
    if (r->budget_usd_per_h > 0)
        failed |= json_object_set_new(ask, "budget_usd_per_hour", orr_json_real(r->budget_usd_per_h));
    (void)json_object_del(json, "plan");
    (void)json_object_del(json, "gpus");
    failed |= json_object_set_new(json, "kind", json_string("size"));
    failed |= json_object_set_new(json, "system", systems);
    failed |= json_object_set_new(json, "size", ask);
    return orr_json_whole(json, failed);
}

static void add_json(const struct orr_size *size, struct orr_text *text)
{
    const struct orr_size_answer *a = &size->answer;
    const struct orr_size_counts *n = &a->counts;
    json_t *json =
        json_pack("{ss ss sb sb}", "schema", ORR_SCHEMA, "kind", "size", "found", a->found, "complete", a->complete);
    json_t *front = json_array();
    int failed = !json || !front;
    for (size_t i = 0; i < a->n_front; i++)
        failed |= json_array_append_new(front, plan_json(size, &a->front[i], false));
    if (json) {
        struct orr_text reason = {0};
        if (a->found) failed |= json_object_set_new(json, "best", plan_json(size, &a->best, true));
        else {
            orr_size_reason(size, &reason);
            failed |= json_object_set_new(json, "reason", orr_json_word(reason.data ? reason.data : ""));
            if (isfinite(a->best.ratio))
                failed |= json_object_set_new(json, "nearest", plan_json(size, &a->best, true));
        }
        failed |= json_object_set_new(json, "frontier", front);
        failed |= json_object_set_new(json, "counts",
                                      json_pack("{sI sI sI sI sI}", "units", (json_int_t)n->units, "fitting",
                                                (json_int_t)n->fitting, "plans", (json_int_t)n->plans, "pairs",
                                                (json_int_t)n->pairs, "simulated", (json_int_t)n->simulated));
        const struct orr_job *job = &size->request.spaces[0].job;
        failed |= json_object_set_new(json, "assumed", orr_assumed_json(job, orr_unsearched_keys(job), &job->spread));
        failed |= json_object_set_new(json, "warnings", orr_warnings_json(job));
        failed |= json_object_set_new(json, "request", request_json(size));
        free(reason.data);
    }
    orr_json_lines(text, orr_json_whole(json, failed));
}

/* ---------------------------------------------------------------- CSV */

static void add_csv(const struct orr_size *size, struct orr_text *text)
{
    const struct orr_size_answer *a = &size->answer;
    orr_text_add(text, "system,gpus,usd_per_hour,tp,pp,dp,ep,max_requests,max_step_tokens,worst_frac,met,ttft_s.mean,"
                       "ttft_s.p50,ttft_s.p95,ttft_s.p99,tpot_s.mean,tpot_s.p50,tpot_s.p95,tpot_s.p99,"
                       "output_tokens_per_s_per_gpu,cost_usd_per_million_output_tokens,decode_gpus,decode_tp,decode_pp,"
                       "decode_ep\n");
    for (size_t i = 0; i < a->n_front; i++) {
        const struct orr_sized *p = &a->front[i];
        const struct orr_choice *c = &p->choice;
        const struct orr_timing *ttft = &p->result.timing[ORR_TIMING_TTFT], *tpot = &p->result.timing[ORR_TIMING_TPOT];
        orr_text_add(text, "%s,%d,%.9g,%d,%d,%d,%d,%lld,%lld,%.9g,%d,", size->request.spaces[p->system].job.system.id,
                     c->gpus, p->usd_per_h, c->tp, c->pp, c->dp, c->ep, (long long)p->max_requests,
                     (long long)p->max_step_tokens, p->ratio, p->met);
        orr_text_add(text, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%d,%d\n", ttft->mean, ttft->p50,
                     ttft->p95, ttft->p99, tpot->mean, tpot->p50, tpot->p95, tpot->p99,
                     p->result.output_tokens_per_s_per_gpu, p->result.cost_usd_per_million_output_tokens,
                     c->decode_gpus, c->decode_tp, c->decode_pp, c->decode_ep);
    }
}

static void add_page(const struct orr_size *size, struct orr_text *text)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    orr_size_terminal(size, &orr_page_style, &page.terminal);
    add_json(size, &json);
    orr_page_reply(&page, "size", &json);
    orr_page_finish(&page, "Size of a service", text);
}

char *orr_size_render(const struct orr_size *size, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    if (format == ORR_FORMAT_JSON) add_json(size, &text);
    else if (format == ORR_FORMAT_CSV) add_csv(size, &text);
    else if (format == ORR_FORMAT_HTML) add_page(size, &text);
    else orr_size_terminal(size, style, &text);
    return orr_text_take(&text);
}

/* ---------------------------------------------------------------- files */

/* The job of a plan, or of one of its two pools, with the limits of a step that were found. */
static void job_of(const struct orr_size *size, const struct orr_sized *plan, bool decode, struct orr_job *job)
{
    const struct orr_search_request *request = &size->request.spaces[plan->system];
    *job = request->job;
    if (decode) orr_choose_decode(request, &plan->choice, job);
    else orr_infer_choose(request, &plan->choice, job);
    job->serving.batch = plan->max_requests;
    job->serving.chunk_tokens = plan->max_step_tokens;
}

bool orr_size_launch(const struct orr_size *size, orr_launch_sink sink, void *context)
{
    ORR_PLAIN_NUMBERS;
    const struct orr_sized *plan = &size->answer.best;
    const bool split = plan->choice.decode_gpus > 0;
    struct orr_job *jobs = size->answer.found ? calloc(2, sizeof *jobs) : NULL;
    if (!jobs) return false;
    job_of(size, plan, false, &jobs[0]);
    if (split) job_of(size, plan, true, &jobs[1]);
    const bool done = orr_launch_files(&jobs[0], split ? &jobs[1] : NULL, sink, context);
    free(jobs);
    return done;
}
