/* Traces for Chrome's and Perfetto's viewers have a process per rank, a thread per stream, an event per span. */
#ifndef ORR_REPORT_TRACE_H
#define ORR_REPORT_TRACE_H

#include <jansson.h>

#include "base/text.h"
#include "metric/metric.h"

/* These are the threads of a process. Each stream of communication has a second one for what runs beside compute. */
#define ORR_TRACKS(X)                                                                                                  \
    X(PHASE, "phases")                                                                                                 \
    X(COMPUTE, "compute")                                                                                              \
    X(TP, "TP")                                                                                                        \
    X(CP, "CP")                                                                                                        \
    X(EP, "EP")                                                                                                        \
    X(PP, "PP")                                                                                                        \
    X(DP, "DP")                                                                                                        \
    X(NETWORK, "network")                                                                                              \
    X(HOST, "host")                                                                                                    \
    X(TP_HIDDEN, "TP beside compute")                                                                                  \
    X(CP_HIDDEN, "CP beside compute")                                                                                  \
    X(EP_HIDDEN, "EP beside compute")                                                                                  \
    X(PP_HIDDEN, "PP beside compute")                                                                                  \
    X(DP_HIDDEN, "DP beside compute")
#define ORR_X_TRACK_(name, ...) ORR_TRACK_##name,
enum orr_track { ORR_TRACKS(ORR_X_TRACK_) ORR_N_TRACKS };

/* Every event has a category. Those of a process that are TIME or WAIT follow each other and sum to its time. */
#define ORR_TRACE_TIME   "time"
#define ORR_TRACE_WAIT   "wait"
#define ORR_TRACE_HIDDEN "hidden" /* communication beside compute */
#define ORR_TRACE_PHASE  "phase"  /* phase that the events below belong to */

struct orr_trace {
    struct orr_text *text;
    int64_t process;
    double free_s[ORR_N_TRACKS]; /* where the last span of a thread ends */
    bool events;                 /* true once an event is written */
};

/* Writes everything up to the events; `total_s` and `request` go into the head. It takes `request`. */
void orr_trace_open(struct orr_trace *trace, struct orr_text *text, const char *kind, double total_s, json_t *request);
void orr_trace_process(struct orr_trace *trace, int64_t process, const char *name);
/* Adds a span at start_s, or where the thread's last one ends if that is later; it adds none that takes no time. */
void orr_trace_span(struct orr_trace *trace, enum orr_track track, const char *category, const char *name,
                    double start_s, double duration_s);
void orr_trace_close(struct orr_trace *trace);

/* These write one training step with every pipeline rank, and one inference request. */
void orr_train_trace(const struct orr_answer *answer, struct orr_text *text);
void orr_infer_trace(const struct orr_answer *answer, struct orr_text *text);

#endif
