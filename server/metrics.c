/* What the server has done, in the text format of Prometheus. */
#include <string.h>

#include "server/internal.h"

/* Statuses that have a count of their own; 1 stands for all others. */
static const unsigned CODES[SRV_N_CODES] = {200, 304, 400, 403, 404, 405, 408, 413, 414,
                                            415, 417, 421, 431, 503, 505, 0,   1};
/* Upper ends of the buckets of durations. */
static const double BUCKETS_S[SRV_N_BUCKETS] = {0.0001, 0.001, 0.01, 0.1, 1, 10, 30, 100};

/* Requests without a route come behind all routes. */
enum { NO_ROUTE = SRV_N_ROUTES_MAX - 1 };

void srv_metrics_count(struct srv_metrics *metrics, int route, unsigned status, enum srv_ending ending, double took_s)
{
    int code = 0, bucket = 0;
    if (route < 0) route = NO_ROUTE;
    while (code < SRV_N_CODES - 1 && CODES[code] != status) code++;
    while (bucket < SRV_N_BUCKETS && took_s > BUCKETS_S[bucket]) bucket++;
    atomic_fetch_add(&metrics->requests[route][code], 1);
    atomic_fetch_add(&metrics->buckets[route][bucket], 1);
    atomic_fetch_add(&metrics->microseconds[route], (unsigned long long)(1e6 * took_s + 0.5));
    atomic_fetch_add(&metrics->endings[ending], 1);
}

static const char *label_of(int route)
{
    return route == NO_ROUTE ? "none" : srv_route_label(route);
}

static void add_help(struct orr_text *text, const char *name, const char *type, const char *help)
{
    orr_text_add(text, "# HELP orrery_%s %s\n# TYPE orrery_%s %s\n", name, help, name, type);
}

static void add_one(struct orr_text *text, const char *name, const char *type, const char *help, double value)
{
    add_help(text, name, type, help);
    orr_text_add(text, "orrery_%s %.17g\n", name, value);
}

static void add_requests(struct orr_text *text, struct srv_metrics *metrics)
{
    add_help(text, "requests_total", "counter", "Requests by route and status; status 0: not answered.");
    for (int route = 0; route < SRV_N_ROUTES_MAX; route++) {
        for (int code = 0; label_of(route) && code < SRV_N_CODES; code++) {
            const unsigned long long n = atomic_load(&metrics->requests[route][code]);
            if (n > 0)
                orr_text_add(text, "orrery_requests_total{route=\"%s\",status=\"%u\"} %llu\n", label_of(route),
                             CODES[code], n);
        }
    }
    add_help(text, "requests_ended_total", "counter", "Requests by how they ended.");
#define X(name, label, help)                                                                                           \
    orr_text_add(text, "orrery_requests_ended_total{end=\"%s\"} %llu\n", label,                                        \
                 atomic_load(&metrics->endings[SRV_##name]));
    SRV_ENDINGS(X)
#undef X
}

/* Every count is read once, because requests that end meanwhile would make a bucket larger than the sum of all. */
static void add_durations(struct orr_text *text, struct srv_metrics *metrics)
{
    add_help(text, "request_seconds", "histogram",
             "Seconds from the first byte of a request to the last of its answer.");
    for (int route = 0; route < SRV_N_ROUTES_MAX; route++) {
        const char *label = label_of(route);
        unsigned long long below[SRV_N_BUCKETS + 1], n = 0;
        for (int i = 0; i <= SRV_N_BUCKETS; i++) below[i] = n += atomic_load(&metrics->buckets[route][i]);
        if (!label || n == 0) continue;
        for (int i = 0; i < SRV_N_BUCKETS; i++)
            orr_text_add(text, "orrery_request_seconds_bucket{route=\"%s\",le=\"%g\"} %llu\n", label, BUCKETS_S[i],
                         below[i]);
        orr_text_add(text, "orrery_request_seconds_bucket{route=\"%s\",le=\"+Inf\"} %llu\n", label, n);
        orr_text_add(text, "orrery_request_seconds_sum{route=\"%s\"} %.6f\n", label,
                     1e-6 * (double)atomic_load(&metrics->microseconds[route]));
        orr_text_add(text, "orrery_request_seconds_count{route=\"%s\"} %llu\n", label, n);
    }
}

static void add_connections(struct orr_text *text, struct srv *srv)
{
    struct srv_metrics *metrics = &srv->metrics;
    add_one(text, "connections", "gauge", "Open connections.", atomic_load(&srv->n_connections));
    add_one(text, "connections_max", "gauge", "Most connections at once.", srv->n_connections_max);
    add_one(text, "connections_accepted_total", "counter", "Connections that clients opened.",
            (double)atomic_load(&metrics->n_accepted));
    add_help(text, "connections_refused_total", "counter", "Connections refused by limit.");
    orr_text_add(text, "orrery_connections_refused_total{limit=\"all\"} %llu\n", atomic_load(&metrics->n_refused_all));
    orr_text_add(text, "orrery_connections_refused_total{limit=\"address\"} %llu\n",
                 atomic_load(&metrics->n_refused_address));
}

enum srv_result srv_metrics_answer(struct srv_request *request)
{
    struct srv *srv = request->srv;
    struct orr_text text = {0};
    add_help(&text, "build_info", "gauge", "Version of the program.");
    orr_text_add(&text, "orrery_build_info{version=\"%s\"} 1\n", orr_version());
    add_one(&text, "start_time_seconds", "gauge", "Start of the server, in seconds since 1970.", srv->metrics.start_s);
    add_requests(&text, &srv->metrics);
    add_durations(&text, &srv->metrics);
    add_connections(&text, srv);
    add_one(&text, "studies", "gauge", "Searches and sweeps that run.", atomic_load(&srv->n_studies));
    add_one(&text, "works", "gauge", "Other long answers that are worked out.", atomic_load(&srv->n_works));
    add_one(&text, "body_bytes", "gauge", "Bytes of requests being read.", (double)atomic_load(&srv->body_bytes));
    add_one(&text, "unsent_bytes", "gauge", "Bytes of answers that wait for their clients.",
            (double)atomic_load(&srv->unsent_bytes));
    add_one(&text, "log_errors_total", "counter", "Lines of the access log that could not be written.",
            (double)atomic_load(&srv->metrics.n_log_errors));
    return srv_reply_text(request->connection, SRV_OK, "text/plain; version=0.0.4; charset=utf-8",
                          orr_text_take(&text));
}
