/* This file writes a service under load for Perfetto: the steps of a replica, its requests, and what it holds. */
#include "report/json_text.h"
#include "report/service.h"

/* Requests share rows of the picture: one takes the first row that is free when it arrives. */
enum { ROWS = 256, SHOWN = 4096 };

static void add_span(struct orr_text *text, int process, int thread, const char *name, double start_s, double end_s)
{
    orr_text_add(text, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f}", process,
                 thread, name, 1e6 * start_s, 1e6 * (end_s - start_s));
}

static void add_counter(struct orr_text *text, const char *name, double time_s, double value)
{
    orr_text_add(text, ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"%s\",\"ts\":%.3f,\"args\":{\"value\":%.6g}}", name,
                 1e6 * time_s, value);
}

static void add_steps(const struct orr_service *service, struct orr_text *text)
{
    for (size_t i = 0; i < service->n_steps; i++) {
        const struct orr_step_record *s = &service->steps[i];
        struct orr_text name = {0};
        if (s->prompt_tokens > 0)
            orr_text_add(&name, "%lld prompt tokens, %lld decode", (long long)s->prompt_tokens, (long long)s->decodes);
        else orr_text_add(&name, "%lld steps, %lld decode", (long long)s->steps, (long long)s->decodes);
        add_span(text, 1, 1, name.data ? name.data : "", s->start_s, s->end_s);
        free(name.data);
        add_counter(text, "decoding", s->start_s, (double)s->decodes);
        add_counter(text, "waiting", s->start_s, (double)s->waiting);
        add_counter(text, "cache used", s->start_s, s->kv_used_frac);
    }
}

static void add_requests(const struct orr_service *service, struct orr_text *text)
{
    double free_s[ROWS] = {0};
    for (size_t i = 0; i < service->n_records && i < SHOWN; i++) {
        const struct orr_request_record *r = &service->records[i];
        int row = 0;
        while (row < ROWS - 1 && free_s[row] > r->arrival_s) row++;
        free_s[row] = r->finish_s;
        if (r->start_s > r->arrival_s) add_span(text, 2, row + 1, "waits", r->arrival_s, r->start_s);
        const double ready_s = r->first_s - r->transfer_s; /* the rest until the first token is the cache on its way */
        add_span(text, 2, row + 1, "prompt", r->start_s, ready_s);
        if (r->transfer_s > 0) add_span(text, 2, row + 1, "cache is sent", ready_s, r->first_s);
        if (r->finish_s > r->first_s) add_span(text, 2, row + 1, "answer", r->first_s, r->finish_s);
    }
}

void orr_service_trace(const struct orr_service *service, struct orr_text *text)
{
    orr_text_add(text, "{\"displayTimeUnit\":\"ms\",\"otherData\":");
    orr_json_add(text, orr_service_request(service), JSON_COMPACT);
    orr_text_add(text, ",\"traceEvents\":[\n"
                       "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"engine\"}},\n"
                       "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"steps\"}},\n"
                       "{\"ph\":\"M\",\"pid\":2,\"name\":\"process_name\",\"args\":{\"name\":\"requests\"}}");
    add_steps(service, text);
    add_requests(service, text);
    orr_text_add(text, "\n]}\n");
}
