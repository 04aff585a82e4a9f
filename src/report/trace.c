/* This file writes the events of a trace as text, in Chrome's "Trace Event Format": object form, complete events. */
#include "report/trace.h"

#include "report/json_text.h"

#define SHORTEST_S 1e-12 /* shorter spans are rounding and are not printed */

static const char *const track_names[ORR_N_TRACKS] = {
#define X(name, text) [ORR_TRACK_##name] = (text),
    ORR_TRACKS(X)
#undef X
};

void orr_trace_open(struct orr_trace *trace, struct orr_text *text, const char *kind, double total_s, json_t *request)
{
    *trace = (struct orr_trace){.text = text};
    orr_text_add(text, "{\"displayTimeUnit\": \"ms\",\n\"otherData\": ");
    orr_json_add(text,
                 json_pack("{ss ss ss so so}", "schema", ORR_SCHEMA, "version", orr_version(), "kind", kind, "total_s",
                           orr_json_real(total_s), "request", request),
                 ORR_JSON_FLAGS | JSON_COMPACT);
    orr_text_add(text, ",\n\"traceEvents\": [");
}

static void next_event(struct orr_trace *trace)
{
    orr_text_add(trace->text, trace->events ? ",\n" : "\n");
    trace->events = true;
}

/* Adds metadata: what a process or thread is called. */
static void add_name(struct orr_trace *trace, const char *what, int thread, const char *name)
{
    next_event(trace);
    orr_text_add(trace->text, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%d,\"args\":{\"name\":\"%s\"}}", what,
                 (long long)trace->process, thread, name);
}

static void add_order(struct orr_trace *trace, const char *what, int thread, int64_t place)
{
    next_event(trace);
    orr_text_add(trace->text, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%d,\"args\":{\"sort_index\":%lld}}",
                 what, (long long)trace->process, thread, (long long)place);
}

void orr_trace_process(struct orr_trace *trace, int64_t process, const char *name)
{
    trace->process = process;
    for (int i = 0; i < ORR_N_TRACKS; i++) trace->free_s[i] = -1; /* no span yet */
    add_name(trace, "process_name", 0, name);
    add_order(trace, "process_sort_index", 0, process);
}

void orr_trace_span(struct orr_trace *trace, enum orr_track track, const char *category, const char *name,
                    double start_s, double duration_s)
{
    if (!(duration_s > SHORTEST_S)) return;
    if (trace->free_s[track] < 0) {
        add_name(trace, "thread_name", (int)track, track_names[track]);
        add_order(trace, "thread_sort_index", (int)track, track);
        trace->free_s[track] = 0;
    }
    if (start_s < trace->free_s[track]) start_s = trace->free_s[track];
    trace->free_s[track] = start_s + duration_s;
    next_event(trace);
    /* Times are microseconds with picoseconds after the point, so that thousands of spans still sum to the total. */
    orr_text_add(trace->text,
                 "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%lld,\"tid\":%d,\"ts\":%.6f,\"dur\":%.6f}",
                 category, name, (long long)trace->process, (int)track, 1e6 * start_s, 1e6 * duration_s);
}

void orr_trace_close(struct orr_trace *trace)
{
    orr_text_add(trace->text, "\n]}\n");
}
