/* orrery.h: predict the time, memory, bottleneck, energy and cost of distributed LLM training and inference.
 *
 * A complete program:
 *
 *     #include <orrery.h>
 *     #include <stdio.h>
 *     int main(void)
 *     {
 *         struct orr_error error;
 *         struct orr_catalogue *catalogue;
 *         if (orr_catalogue_open(NULL, 0, &catalogue, &error)) { puts(error.text); return 2; }
 *         struct orr_session *session = orr_session_new(catalogue);
 *         const char *json = "{\"kind\":\"train\",\"model\":\"gpt3-175b\",\"system\":\"a100-80g-sxm\","
 *                            "\"plan\":{\"tp\":8,\"pp\":8},\"workload\":{\"global_batch\":64}}";
 *         if (!session) return 2;
 *         if (orr_session_ask(session, json, "request", NULL, &error)) { puts(error.text); return 2; }
 *         printf("%.2f s per step\n", orr_session_number(session, "step_time_s"));
 *         orr_session_free(session);
 *         orr_catalogue_close(catalogue);
 *     }
 *
 * Parts. The first half of this header is the stable core: requests go in as JSON (docs/json.md), answers come out
 * as named numbers, as JSON and as rendered text. The second half stands behind ORR_EXPERIMENTAL: the open structs of
 * models, systems, engines, jobs and results, and the functions that take them. docs/library.md says what is promised
 * for either part and shows a longer program.
 *
 * Units. Values are in SI units: seconds, bytes, FLOP, bytes/s, watts, joules, dollars; every name ends in its unit.
 * `n_` is a count, `_frac` a ratio from 0 to 1. A multiply-add is 2 FLOP; peaks are dense; a bandwidth is one
 * direction of one GPU.
 *
 * Errors. A function that can fail returns enum orr_err (0 is success) and fills *error if it is not NULL. Bad
 * input is an error; a plan that does not fit is a result (`fits` false, with the reason).
 *
 * Memory. A text that the caller owns is malloc'd: free() it. A function that returns such a text, or a new handle,
 * returns NULL when there is no memory left. Freeing or closing NULL does nothing.
 *
 * Threads. The library has no global state, so that two threads interfere only through a handle they share:
 * - A catalogue does not change once it is open: any number of threads may use it. One thread opens, seals, closes it.
 * - A session, reader, form, scratch, step model, fit, validation, ablation or study belongs to one thread at a time:
 *   threads may hand it on, but no two may be inside calls that take it.
 * - A search and a sweep start threads of their own inside their `run` functions and end them before they return.
 *   Otherwise they belong to one thread at a time. The exceptions are orr_search_stop, which any thread may call while
 *   a search runs, and functions that take a const search or sweep, which many threads may call while nothing runs.
 * A handle that was made from a catalogue reads the catalogue until the handle is freed: close the catalogue last.
 */
#ifndef ORRERY_H
#define ORRERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ORR_API       __attribute__((visibility("default")))
#define ORR_NODISCARD __attribute__((warn_unused_result))
#else
#define ORR_API
#define ORR_NODISCARD
#endif

/* ================================================================ the stable core */

/* ---------------------------------------------------------------- version */

/* The soname carries the first number of the version (liborrery.so.0). It changes when the core breaks a program that
 * was compiled before: a function of the core is removed or takes other arguments, a struct of the core (orr_error,
 * orr_style, orr_column, orr_sweep_row) changes its layout, or a member of an enum of the core changes its number
 * (counts such as ORR_N_PARTS apart). New functions, new members at the end of an enum, columns and JSON keys do not
 * change it. What stands behind ORR_EXPERIMENTAL may change in every release without a new soname. */
#define ORR_VERSION "0.1.0"
#define ORR_SCHEMA  "orrery/1" /* the "schema" key of every JSON result */

/* The version of the library that is linked, which may differ from the header's ORR_VERSION. */
ORR_API const char *orr_version(void);

/* ---------------------------------------------------------------- errors */

#define ORR_ERRS(X)                                                                                                    \
    /*  enum         name      meaning                                                     */                          \
    X(OK, "ok", "success")                                                                                             \
    X(ERR_INPUT, "input", "a value, key or name is wrong")                                                             \
    X(ERR_RULE, "rule", "every value is allowed by itself, but not together with the others")                          \
    X(ERR_SYNTAX, "syntax", "the text is not JSON, CSV or a quantity")                                                 \
    X(ERR_IO, "io", "a file cannot be read")                                                                           \
    X(ERR_MEMORY, "memory", "out of memory")
#define ORR_X_ERR_(name, ...) ORR_##name,
enum orr_err { ORR_ERRS(ORR_X_ERR_) ORR_N_ERRS };
ORR_API const char *orr_err_name(enum orr_err err); /* "ok", "input", ... */

#define ORR_ERROR_TEXT 512

struct orr_error {
    enum orr_err code;
    int line, column;          /* 1-based; 0 when the error has no place in a file */
    char file[256];            /* file or pseudo-file ("command line", "request"); may be empty */
    char key[128];             /* dotted path of the offending value; may be empty */
    char text[ORR_ERROR_TEXT]; /* one line: where: what, what is allowed, nearest match */
};

/* Returns {"error": {"text", "key", "line", "column"}} in one line; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_error_json(const struct orr_error *error);

/* ---------------------------------------------------------------- formats */

/* What a text looks like. Every `..._render` function accepts any format and documents those it supports; for another
 * format it returns the first that it supports. */
enum orr_format {
    ORR_FORMAT_TERMINAL,
    ORR_FORMAT_EXPLAIN, /* an answer with every number's formula */
    ORR_FORMAT_JSON,
    ORR_FORMAT_CSV,
    ORR_FORMAT_OPS, /* infer: the operator table */
    ORR_FORMAT_DUMP_OPS,
    ORR_FORMAT_DUMP_COSTS,
    ORR_FORMAT_DUMP_TIMELINE,
    ORR_FORMAT_DUMP_MEMORY,
    ORR_FORMAT_DUMP_LEDGER,    /* the ledger of time */
    ORR_FORMAT_TRACE,          /* train, infer: Chrome's trace format (docs/trace.md) */
    ORR_FORMAT_HTML,           /* one page that needs nothing else, with charts */
    ORR_FORMAT_JSON_EXPLAINED, /* an answer's JSON with one more key, "explain": the text of EXPLAIN;
                                * a service with "detail": what its pictures are drawn from */
    ORR_FORMAT_GNUPLOT,        /* a study: the script that draws its figure */
    ORR_FORMAT_INTERVALS,      /* a validation: its 80 % intervals as the C table that predictions look them up in */
    ORR_FORMAT_RUNS            /* a validation: the measured runs that answers are compared with, as a C table */
};

/* Facts about a text that only the caller knows; a NULL style means all zeros. */
struct orr_style {
    int width;     /* columns of the terminal; 0: 80 */
    bool colour;   /* ANSI colours */
    bool figures;  /* HTML of several studies: their figures were drawn and lie beside the page */
    double took_s; /* JSON of a search: how long the search took; no other text depends on it */
};

/* ---------------------------------------------------------------- catalogue */

/* The built-in models, chips, systems, engines, calibrations, technologies, designs, memories and networks, plus the
 * JSON files under `directories` (each with models/, chips/, ...; a user's file hides a built-in of the same id). */
struct orr_catalogue;

enum orr_part {
    ORR_PART_MODEL,
    ORR_PART_CHIP,
    ORR_PART_SYSTEM,
    ORR_PART_ENGINE,
    ORR_PART_CALIBRATION,
    ORR_PART_TECHNOLOGY, /* this and the next three: what "generated:" systems are made of (docs/technology.md) */
    ORR_PART_DESIGN,
    ORR_PART_MEMORY,
    ORR_PART_NETWORK,
    ORR_PART_FABRIC, /* what collectives between scale-up domains sustain on a network (docs/networks.md) */
    ORR_PART_TRAFFIC, /* arrivals and lengths of requests, from the statistics of a trace (docs/serving.md) */
    ORR_N_PARTS
};

/* Every kind of part, for orr_catalogue_render. ORR_N_PARTS grows when a kind is added; this number stays. */
#define ORR_ALL_PARTS ((enum orr_part)255)

ORR_API ORR_NODISCARD enum orr_err orr_catalogue_open(const char *const *directories, size_t n_directories,
                                                      struct orr_catalogue **catalogue, struct orr_error *error);
ORR_API void orr_catalogue_close(struct orr_catalogue *catalogue);
ORR_API const char *orr_part_name(enum orr_part part); /* "models", "chips", ... as the folder is called */
ORR_API size_t orr_catalogue_count(const struct orr_catalogue *catalogue, enum orr_part part);
/* The i-th id in alphabetical order; owned by the catalogue. */
ORR_API const char *orr_catalogue_id(const struct orr_catalogue *catalogue, enum orr_part part, size_t i);
/* The JSON text of a part as stored, before "base" is resolved; NULL if there is none. The catalogue owns the text. */
ORR_API const char *orr_catalogue_text(const struct orr_catalogue *catalogue, enum orr_part part, const char *id);
/* The id of the model that a name stands for: an id, a name on Hugging Face ("Qwen/Qwen3-32B"), or a variant of the
 * same shape ("nvidia/Llama-3.1-8B-Instruct-FP8"), in upper or lower case (docs/models.md); NULL if there is none.
 * `format` becomes the weight format that the end of the name states, or "". The id is owned by the catalogue. */
#define ORR_FORMAT_NAME 32 /* bytes of the name of a weight format, including the 0 at its end */
ORR_API const char *orr_model_named(const struct orr_catalogue *catalogue, const char *name,
                                    char format[ORR_FORMAT_NAME]);
/* The id of the part that a name means: an id, an alias of an engine, system or chip, a version of an engine's family
 * ("vllm-0.11", "megatron"), or a model by any of its names; NULL if there is none. */
ORR_API const char *orr_catalogue_named(const struct orr_catalogue *catalogue, enum orr_part part, const char *name);
/* Explains every fact of an engine, chip or system: its value, what it means, the file of its base chain that states it
 * and its source. With `other`, another part of the same kind, shows the facts in which the two differ. TERMINAL or
 * JSON. Names are as for orr_catalogue_named. */
ORR_API ORR_NODISCARD enum orr_err orr_facts_render(const struct orr_catalogue *catalogue, enum orr_part part,
                                                    const char *name, const char *other, enum orr_format format,
                                                    const struct orr_style *style, char **text,
                                                    struct orr_error *error);
/* Lists what the catalogue holds, either one kind of part or everything (ORR_ALL_PARTS), as TERMINAL, JSON or HTML.
 * Models that people use come first. Shapes that only papers and benchmarks use are listed in JSON with
 * "synthetic": true; TERMINAL shows only their number unless `all` is set. */
ORR_API ORR_NODISCARD enum orr_err orr_catalogue_render(const struct orr_catalogue *catalogue, enum orr_part only,
                                                        bool all, enum orr_format format, const struct orr_style *style,
                                                        char **text, struct orr_error *error);
/* Refuse, from now on, every request that names a file instead of an id. A server does so when its users must not read
 * the files of its machine. Call this before the catalogue is shared. */
ORR_API void orr_catalogue_seal(struct orr_catalogue *catalogue);

/* ---------------------------------------------------------------- form: a request made value by value */

/* A request that is filled in value by value, as options, cells of a table and axes of a sweep do. The texts given to
 * it need not outlive it. */
struct orr_form;
/* A NULL `json` starts an empty request. `origin` names the request in errors. */
ORR_API ORR_NODISCARD enum orr_err orr_form_open(const struct orr_catalogue *catalogue, const char *json,
                                                 const char *origin, struct orr_form **form, struct orr_error *error);
ORR_API void orr_form_close(struct orr_form *form);
/* Put a value, as text, at a path: "model", "plan.tp", "workload.seq". A path that is no key of a request
 * ("chip.tdp_w") and a path that begins with "set." go into "set". The value replaces an older one, also one in "set";
 * NULL removes the older one. The value is checked when the request is read. */
ORR_API ORR_NODISCARD enum orr_err orr_form_set(struct orr_form *form, const char *path, const char *value,
                                                struct orr_error *error);
/* Put a list of values at a path, by the same rules. */
ORR_API ORR_NODISCARD enum orr_err orr_form_set_list(struct orr_form *form, const char *path, const char *const *values,
                                                     size_t n, struct orr_error *error);
/* The text at a path, or NULL if there is none. The form owns it, and it is valid until the path is set again. */
ORR_API const char *orr_form_get(const struct orr_form *form, const char *path);
/* The request in one line of JSON with sorted keys, so that equal requests have equal texts. The caller owns it. */
ORR_API ORR_NODISCARD char *orr_form_text(const struct orr_form *form);

/* ---------------------------------------------------------------- rows of named numbers */

enum orr_job_kind { ORR_JOB_TRAIN, ORR_JOB_INFER };

/* The columns of a row are the numbers of the JSON result, and their names are its keys. Find a column by its name: its
 * index may change from version to version. */
#define ORR_MAX_COLUMNS 128
enum orr_column_type { ORR_COLUMN_REAL, ORR_COLUMN_WHOLE, ORR_COLUMN_FLAG, ORR_COLUMN_TEXT };
struct orr_column {
    const char *name, *meaning; /* static */
    enum orr_column_type type;
};

#define ORR_POINT_STATUSES(X)                                                                                          \
    X(OK, "ok", "predicted, fits")                                                                                     \
    X(NO_FIT, "no_fit", "predicted, but does not fit into memory")                                                     \
    X(INVALID, "invalid", "the values do not go together; no prediction")

#define ORR_X_POINT_(name, ...) ORR_POINT_##name,
enum orr_point_status { ORR_POINT_STATUSES(ORR_X_POINT_) ORR_N_POINT_STATUSES };
ORR_API const char *orr_point_status_name(enum orr_point_status status);

struct orr_sweep_row {
    enum orr_point_status status;
    bool blank;                         /* has no numbers: the point is invalid, or its search found no plan */
    char reason[ORR_ERROR_TEXT];        /* why the point does not fit or is invalid; else empty */
    double numbers[ORR_MAX_COLUMNS];    /* one per column, unless the row is blank */
    const char *words[ORR_MAX_COLUMNS]; /* values of text columns; static */
};

/* ---------------------------------------------------------------- session: one question after another */

/* A session answers requests with predictions. It keeps its working memory and the models, systems and engines of
 * recent requests, so that the next question is answered sooner. */
struct orr_session;
ORR_API ORR_NODISCARD struct orr_session *orr_session_new(const struct orr_catalogue *catalogue);
ORR_API void orr_session_free(struct orr_session *session);
/* Read a request (docs/json.md) and predict it. `origin` names the request in errors. *row (may be NULL) receives the
 * row a sweep would have: its status is OK or NO_FIT, and its reason is advice on how to make the plan fit. */
ORR_API ORR_NODISCARD enum orr_err orr_session_ask(struct orr_session *session, const char *json, const char *origin,
                                                   struct orr_sweep_row *row, struct orr_error *error);
/* A number of the answer to the last question by its key in the JSON result ("step_time_s", "memory_bytes.total"); a
 * flag is 0 or 1. The function returns NAN if there is no such number or the last question was refused. */
ORR_API double orr_session_number(const struct orr_session *session, const char *key);
/* Describes the columns of a row for a kind of request, and returns how many there are. */
ORR_API size_t orr_session_columns(enum orr_job_kind kind, struct orr_column columns[ORR_MAX_COLUMNS]);
/* Read a request, predict it, and render the answer in any format; the caller owns *text. */
ORR_API ORR_NODISCARD enum orr_err orr_session_render(struct orr_session *session, const char *json, const char *origin,
                                                      enum orr_format format, const struct orr_style *style,
                                                      char **text, struct orr_error *error);

/* ---------------------------------------------------------------- search: every valid plan, the best of them */

/* A search is a request in which "gpus", the keys of "plan" and some keys of "workload" may be a list ("1,2,4",
 * [8, 16], or "64..4096", which doubles) or "any". Keys that are left out are searched too, except formats.
 * docs/search.md has the keys of "search": objective, top, front_within, brute, overlap, limits, compare. */
struct orr_search;
ORR_API ORR_NODISCARD enum orr_err orr_search_open(const struct orr_catalogue *catalogue, const char *json,
                                                   const char *origin, struct orr_search **search,
                                                   struct orr_error *error);
ORR_API void orr_search_free(struct orr_search *search);
/* One thread calls this function now and then. If it returns false, the search stops and keeps what it has found. */
typedef bool (*orr_search_progress)(void *context, const struct orr_search *search, double done_frac);
/* Run the whole search on `threads` threads (0: all cores); their number does not change the answer. The result
 * is ORR_OK or ORR_ERR_MEMORY. */
ORR_API ORR_NODISCARD enum orr_err orr_search_run(struct orr_search *search, int threads, orr_search_progress progress,
                                                  void *context, struct orr_error *error);
/* Stop a search from another thread: it begins no further block of plans and keeps what it has found. */
ORR_API void orr_search_stop(struct orr_search *search);
/* The answer of a search as TERMINAL, JSON (every listed plan as the "plan" and "workload" of a request), CSV or HTML;
 * the caller owns it. Every listed plan is predicted again in full. */
ORR_API ORR_NODISCARD char *orr_search_render(const struct orr_search *search, enum orr_format format,
                                              const struct orr_style *style);

/* ---------------------------------------------------------------- sweep: one request asked at many points */

/* A sweep varies fields of a request over lists and ranges (docs/sweep.md). Every point is the request with the point's
 * values in it, read and predicted like any other request. Points have an index; a row depends on the index alone, not
 * on threads or on the order of the calls. */
struct orr_sweep;

#define ORR_SWEEP_VALUE 256 /* bytes of a value as text, including the 0 at its end */

/* `json` is {"request": {...}, "vary": [{"field": "plan.tp", "values": "1,2,4" or [1, 2, 4]}, ...], "mode": "product"
 * (default), "zip" or "sample", "samples", "seed"}. A field that does not exist or a value it cannot have is an error
 * here; a point whose values do not go together (ORR_ERR_RULE) becomes an invalid row. The keys in errors are those of
 * the request. `n_threads` 0 means all cores. */
ORR_API ORR_NODISCARD enum orr_err orr_sweep_open_json(const struct orr_catalogue *catalogue, const char *json,
                                                       const char *origin, int n_threads, struct orr_sweep **sweep,
                                                       struct orr_error *error);
ORR_API void orr_sweep_close(struct orr_sweep *sweep);
ORR_API int64_t orr_sweep_points(const struct orr_sweep *sweep);
/* The value of a field at a point; `field` is its index in "vary". */
ORR_API void orr_sweep_value(const struct orr_sweep *sweep, int64_t point, size_t field, char text[ORR_SWEEP_VALUE]);
/* Describes the columns of a row, and returns how many there are. */
ORR_API size_t orr_sweep_columns(const struct orr_sweep *sweep, struct orr_column columns[ORR_MAX_COLUMNS]);
/* Fill rows[0 .. n - 1] with the points from `first` on. Only a lack of memory and unreadable files are errors. */
ORR_API ORR_NODISCARD enum orr_err orr_sweep_run(struct orr_sweep *sweep, int64_t first, size_t n,
                                                 struct orr_sweep_row *rows, struct orr_error *error);
/* Rows of orr_sweep_run as JSON (names of all columns, then a list of values per point) or as HTML with a plot and a
 * table, which is slow to open with more than a few thousand points; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_sweep_render(const struct orr_sweep *sweep, int64_t first, size_t n,
                                             const struct orr_sweep_row *rows, enum orr_format format,
                                             const struct orr_style *style);

/* ---------------------------------------------------------------- technology */

/* Systems made from a technology node and budgets of area, power and perimeter: "generated:node=5,memory=hbm3,..."
 * (docs/technology.md). Everything that takes a system takes such a name. `json` asks about one system: {"chip": NAME},
 * {"nodes": NAME} or {"cost": NAME}; NAME may omit its "generated:". The answer is JSON, and the caller owns it. */
ORR_API ORR_NODISCARD enum orr_err orr_technology_ask(const struct orr_catalogue *catalogue, const char *json,
                                                      const char *origin, char **text, struct orr_error *error);

/* ---------------------------------------------------------------- a stack from runs */

/* Fit a software stack to measured runs (docs/fit.md). `json` has "runs": the text of a table or log, or a list of
 * runs "model=...,tp=8,...:step_time_s=12.3"; and may have "engine" (the parent), "name", "with" (columns that the
 * runs do not have) and "skip" (first iterations of a log that do not count). The answer is the report as JSON, whose
 * key "file" is the engine file; the caller owns it. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_ask(const struct orr_catalogue *catalogue, const char *json,
                                                 const char *origin, char **text, struct orr_error *error);
/* ---------------------------------------------------------------- serving under load */

/* A service under load (docs/serving.md): a request of kind "serving" is opened, run and rendered. */
struct orr_service;
ORR_API ORR_NODISCARD enum orr_err orr_service_open(const struct orr_catalogue *catalogue, const char *json,
                                                    const char *origin, struct orr_service **service,
                                                    struct orr_error *error);
/* The same of a form's request, which need not outlive the service. */
ORR_API ORR_NODISCARD enum orr_err orr_form_service(const struct orr_form *form, struct orr_service **service,
                                                    struct orr_error *error);
ORR_API void orr_service_close(struct orr_service *service);
/* Simulate. The run ends early once *stop is other than 0; `progress` is told the share done from time to time. Both
 * may be NULL. */
ORR_API ORR_NODISCARD enum orr_err orr_service_run(struct orr_service *service, const volatile int *stop,
                                                   void (*progress)(void *context, double done_frac), void *context,
                                                   struct orr_error *error);
/* Find the steady state in closed form instead: means alone, in microseconds. */
ORR_API ORR_NODISCARD enum orr_err orr_service_solve(struct orr_service *service, struct orr_error *error);
/* Does the model fit, is every request shorter than the cache, and is every limit kept? */
ORR_API bool orr_service_holds(const struct orr_service *service);
/* Render as TERMINAL, JSON, CSV (one line per request), TRACE (Perfetto) or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_service_render(const struct orr_service *service, enum orr_format format,
                                               const struct orr_style *style);

/* The size of a service (docs/size.md): a request of kind "size" asks for the cheapest plan that keeps the limits of a
 * traffic. It is opened, run and rendered as TERMINAL, JSON or CSV (the front); the caller owns the text. */
struct orr_size;
ORR_API ORR_NODISCARD enum orr_err orr_size_open(const struct orr_catalogue *catalogue, const char *json,
                                                 const char *origin, struct orr_size **size, struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_form_size(const struct orr_form *form, struct orr_size **size,
                                                 struct orr_error *error);
ORR_API void orr_size_close(struct orr_size *size);
/* `threads` 0: all cores; the answer does not depend on their number. The run ends early once *stop is other than 0. */
ORR_API ORR_NODISCARD enum orr_err orr_size_run(struct orr_size *size, int threads, const volatile int *stop,
                                                void (*progress)(void *context, double done_frac), void *context,
                                                struct orr_error *error);
/* Does some plan keep every limit within the budget? */
ORR_API bool orr_size_holds(const struct orr_size *size);
ORR_API ORR_NODISCARD char *orr_size_render(const struct orr_size *size, enum orr_format format,
                                            const struct orr_style *style);

/* The JSON Schema of a request: "train", "infer", "search", "serving" or "size". It is made from the tables that the
 * readers use. Returns NULL for another word or where memory runs out; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_schema_text(const char *question);

/* Takes one file that runs a plan. */
typedef void (*orr_launch_sink)(void *context, const char *name, const char *text);
/* Give the files that run the winner of a search to `sink`: a script for the engine's own program, and wrappers for
 * Slurm and Kubernetes; for two pools those of each. Returns false if there is no winner or memory runs out. */
ORR_API bool orr_search_launch(const struct orr_search *search, orr_launch_sink sink, void *context);
/* The same for the plan of a size; false where there is none, or memory ran out. */
ORR_API bool orr_size_launch(const struct orr_size *size, orr_launch_sink sink, void *context);

/* ---------------------------------------------------------------- comparisons */

/* Compare the answers to 2 to 8 requests of one kind: {"requests": [...], "names": [...]}. The text says what was asked
 * differently, has the answers side by side with ratios to the first, and says which parts of the time make the
 * difference. The format is TERMINAL or JSON; the caller owns the text. */
ORR_API ORR_NODISCARD enum orr_err orr_compare_ask(const struct orr_catalogue *catalogue, const char *json,
                                                   const char *origin, enum orr_format format,
                                                   const struct orr_style *style, char **text, struct orr_error *error);

/* ================================================================ the experimental part */

/* The structs below are open, so that a program may look at and change every fact of a job. New engines and new physics
 * add members to them, and members are renamed where a better name is found: everything may change in every release,
 * under the same soname. A program that defines ORR_EXPERIMENTAL must be compiled again for every version, and should
 * refuse to run where strcmp(orr_version(), ORR_VERSION) is not 0. */
#ifdef ORR_EXPERIMENTAL
#include "orrery/sets.h"
#include "orrery/model.h"
#include "orrery/system.h"
#include "orrery/engine.h"
#include "orrery/job.h"
#include "orrery/answer.h"
#include "orrery/service.h"
#include "orrery/ask.h"
#include "orrery/search.h"
#include "orrery/technology.h"
#include "orrery/measured.h"
#endif /* ORR_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif
#endif
