/* Questions by name, as the server, the page and assistants ask them.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_ASK_H
#define ORRERY_ASK_H

/* The questions of the API, each a route of orrery serve, of the page without a server and, where it has one, a tool of
 * orrery mcp. The body of a question and its answer are JSON (docs/server.md). */
#define ORR_ASKS(X)                                                                                                    \
    /*  enum          name           how long  */                                                                      \
    X(TRAIN, "train", JOB)                                                                                             \
    X(INFER, "infer", JOB)                                                                                             \
    X(SERVING, "serving", LONG)                                                                                        \
    X(SIZE, "size", LONG)                                                                                              \
    X(SEARCH, "search", STREAMED)                                                                                      \
    X(SWEEP, "sweep", STREAMED)                                                                                        \
    X(SENSITIVITY, "sensitivity", SHORT)                                                                               \
    X(COMPARE, "compare", LONG)                                                                                        \
    X(TECHNOLOGY, "technology", SHORT)                                                                                 \
    X(FIT, "fit", LONG)

#define ORR_X_ASK_(name, ...) ORR_ASK_##name,
enum orr_ask_kind { ORR_ASKS(ORR_X_ASK_) ORR_N_ASKS };

/* How a question is answered: by a session or reader that its caller keeps, at once, after seconds, or after seconds
 * with news of its progress. */
enum orr_ask_pace { ORR_PACE_JOB, ORR_PACE_SHORT, ORR_PACE_LONG, ORR_PACE_STREAMED };

ORR_API const char *orr_ask_name(enum orr_ask_kind kind);
ORR_API enum orr_ask_pace orr_ask_pace(enum orr_ask_kind kind);
/* What an option of a question (dump=STAGE, explain=1, detail=1) makes of the format of its answer; *format is that of
 * the options before it. Options that the question does not have are left alone. */
ORR_API ORR_NODISCARD enum orr_err orr_ask_option(enum orr_ask_kind kind, const char *name, const char *value,
                                                  enum orr_format *format, struct orr_error *error);

/* A question that is not a job is opened, run and rendered. */
struct orr_ask;
struct orr_ask_limits {
    int n_threads;        /* 0: all cores */
    int64_t n_points_max; /* of a sweep; 0: no limit */
};
/* Told from time to time how far a question is; false ends it with what is known, a sweep with an error. */
typedef bool (*orr_patience)(void *context, double done_frac, double plans);
ORR_API ORR_NODISCARD enum orr_err orr_ask_open(const struct orr_catalogue *catalogue, enum orr_ask_kind kind,
                                                const char *json, const char *origin,
                                                const struct orr_ask_limits *limits, struct orr_ask **question,
                                                struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_ask_run(struct orr_ask *question, orr_patience patience, void *context,
                                               struct orr_error *error);
/* JSON, and TERMINAL where a person may ask (serving, size, search, compare, sensitivity); NULL for other formats or
 * where memory runs out. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_ask_render(const struct orr_ask *question, enum orr_format format,
                                           const struct orr_style *style);
ORR_API void orr_ask_close(struct orr_ask *question);
/* The stored text of a part by its path, "models/llama3-8b", under any name of orr_catalogue_named; NULL: none. */
ORR_API const char *orr_catalogue_stored(const struct orr_catalogue *catalogue, const char *path);

#endif
