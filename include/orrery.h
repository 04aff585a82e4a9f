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
    ORR_N_PARTS
};

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
/* Lists what the catalogue holds, either one kind of part or everything (ORR_N_PARTS), as TERMINAL, JSON or HTML.
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

/* ---------------------------------------------------------------- closed sets: enum, name, meaning in one list */

#define ORR_DTYPES(X)                                                                                                  \
    /*  enum   name    bits per element              */                                                                \
    X(FP32, "fp32", 32)                                                                                                \
    X(TF32, "tf32", 32)                                                                                                \
    X(FP16, "fp16", 16)                                                                                                \
    X(BF16, "bf16", 16)                                                                                                \
    X(FP8, "fp8", 8)                                                                                                   \
    X(FP8_BLOCK, "fp8_block", 8) /* scales per 128 */                                                                  \
    X(FP4, "fp4", 4)                                                                                                   \
    X(INT8, "int8", 8)                                                                                                 \
    X(INT4, "int4", 4) /* weights only */

#define ORR_TIME_PARTS(X)                                                                                              \
    /*  enum         name           meaning                                                         */                 \
    X(FORWARD, "forward", "forward compute of the critical pipeline rank")                                             \
    X(BACKWARD, "backward", "backward compute (dgrad, wgrad, attention backward)")                                     \
    X(RECOMPUTE, "recompute", "forward work repeated in backward, including collectives")                              \
    X(TP_EXPOSED, "tp_exposed", "tensor/sequence-parallel communication not hidden")                                   \
    X(CP_EXPOSED, "cp_exposed", "context-parallel communication not hidden")                                           \
    X(EP_EXPOSED, "ep_exposed", "expert-parallel all-to-all not hidden")                                               \
    X(PP_EXPOSED, "pp_exposed", "pipeline sends not hidden")                                                           \
    X(PP_BUBBLE, "pp_bubble", "pipeline fill, drain and stage imbalance")                                              \
    X(DP_EXPOSED, "dp_exposed", "gradient and weight collectives not hidden")                                          \
    X(OPTIMIZER, "optimizer", "optimizer step")                                                                        \
    X(OVERHEAD, "overhead", "host time, launch gaps and straggling")

#define ORR_MEMORY_PARTS(X)                                                                                            \
    /*  enum         name           meaning                                               */                           \
    X(WEIGHTS, "weights", "weights as the kernels read them")                                                          \
    X(GRADIENTS, "gradients", "gradients, including 16-bit copies alive at the peak")                                  \
    X(OPTIMIZER, "optimizer", "master weights and moments")                                                            \
    X(ACTIVATIONS, "activations", "tensors saved for backward and working tensors")                                    \
    X(WORKSPACE, "workspace", "library workspace, communication buffers and gathered weights")

#define ORR_BOUNDS(X)                                                                                                  \
    /*  enum       name        the resource that sets an operator's time   */                                          \
    X(COMPUTE, "compute", "matrix or vector units")                                                                    \
    X(L2, "l2", "last-level cache bandwidth")                                                                          \
    X(DRAM, "dram", "DRAM bandwidth")                                                                                  \
    X(NETWORK, "network", "link bandwidth or latency")                                                                 \
    X(OVERHEAD, "overhead", "launch gap and other fixed cost")                                                         \
    X(HOST, "host", "the host: launches, Python, scheduling, sampling")

#define ORR_DOUBTS(X)                                                                                                  \
    /*  enum     name       what widens the 80 % interval of a time                                     */             \
    /*                      what to measure to narrow it                                                */             \
    X(RUNS, "runs", "runs of one stack differ so much", "measure runs of this plan on your machine (orrery fit)")      \
    X(STACK, "stack", "no measured run has this engine in this regime",                                                \
      "measure three runs of this stack (orrery fit)")                                                                 \
    X(VERSION, "version", "only other versions of this engine, or other chips, are measured here",                     \
      "measure three runs of this version on this chip (orrery fit)")                                                  \
    X(COMPUTE, "compute", "what products and attention sustain on this stack",                                         \
      "measure kernels of this stack (orrery calibrate)")                                                              \
    X(MEMORY, "memory", "traffic and number of the kernels that DRAM binds", "profile one step")                       \
    X(NETWORK, "network", "what collectives sustain on this stack",                                                    \
      "run nccl-tests on this machine (orrery calibrate --fabric)")                                                    \
    X(OVERLAP, "overlap", "communication predicted to be hidden may not be", "profile one step")                       \
    X(GAPS, "gaps", "launch gaps and fixed times", "profile one step")                                                 \
    X(HOST, "host", "the time of the host", "run kit_host.py on it, or three runs (orrery fit)")                       \
    X(CHIP, "chip", "constants of this chip come from its datasheet or family",                                        \
      "measure its kernels (orrery calibrate)")                                                                        \
    X(FABRIC, "fabric", "nothing of this network between nodes is measured",                                           \
      "run nccl-tests over nodes (orrery calibrate --fabric)")                                                         \
    X(EXPERTS, "experts", "grouped products and the load of experts", "measure a run of an expert layer (orrery fit)") \
    X(LOAD, "load", "how this engine admits and queues requests",                                                      \
      "measure first tokens of this engine under load (orrery fit)")                                                   \
    X(CELLS, "cells", "settings that the request leaves open", "state them in the request")                            \
    X(FITTED, "fitted", "the runs that this engine was fitted to leave much of the stack open",                        \
      "add the runs that orrery fit proposes")

#define ORR_KINS(X)                                                                                                    \
    /*  enum     what the engine of a job is to the stack that will run it                              */             \
    X(RECORD, "what the measured runs on record say")                                                                  \
    X(VERSION, "another version of it, or itself on other chips")                                                      \
    X(OTHER, "another stack, which stands in for it")

#define ORR_SCHEDULES(X)                                                                                               \
    /*  enum          name           iteration time of equal stages        */                                          \
    X(GPIPE, "gpipe", "Eq. 67: all forwards, then all backwards")                                                      \
    X(1F1B, "1f1b", "Eq. 68: one forward, one backward")                                                               \
    X(INTERLEAVED, "interleaved", "Eq. 69: 1F1B over vpp chunks per rank")                                             \
    X(ZB_H1, "zb-h1", "Eq. 70: zero bubble, 1F1B memory")                                                              \
    X(ZB_H2, "zb-h2", "Eq. 71: zero bubble, twice the memory")                                                         \
    X(ZB_V, "zb-v", "Eq. 137: zero bubble, two chunks in a V, 1F1B memory")                                            \
    X(V_HALF, "v-half", "Eq. 138: two chunks in a V, half the memory")                                                 \
    X(DUALPIPE, "dualpipe", "Eq. 139: from both ends, weights twice")                                                  \
    X(DUALPIPE_V, "dualpipe-v", "Eq. 140: dualpipe cut in half, a V")

/* How layers are divided over the stages of a pipeline where a plan does not list them. */
#define ORR_STAGE_RULES(X)                                                                                             \
    X(ENGINE, "engine", "as the engine divides them")                                                                  \
    X(EVEN, "even", "Eq. 73a: equal layers")                                                                           \
    X(COST, "by-cost", "Eq. 131: equal matrix work")

/* Optimizers by what they keep: bytes of master weight and moments of a weight matrix of a layer and of all other
 * parameters, and bytes of an accumulated gradient. Two 8-bit moments have a 4-byte scale per 256 elements each. */
#define ORR_OPTIMIZERS(X)                                                                                              \
    /*  enum   name   matrix   other   gradient  meaning                                                            */ \
    X(ENGINE, "engine", 0, 0, 0, "as the engine keeps its states")                                                     \
    X(ADAMW, "adamw", 12, 12, 4, "fp32 master weights, two fp32 moments, fp32 gradients")                              \
    X(ADAMW_BF16_STATES, "adamw-bf16-states", 8, 8, 4, "fp32 master weights, two 16-bit moments")                      \
    X(ADAMW_16BIT_GRADIENTS, "adamw-16bit-gradients", 12, 12, 2, "fp32 master weights and moments, 16-bit gradients")  \
    X(ADAMW_BF16, "adamw-bf16", 4, 4, 2, "two 16-bit moments, no master weights, 16-bit gradients")                    \
    X(ADAMW_8BIT, "adamw-8bit", 2.03125, 2.03125, 2, "two 8-bit moments, no master weights, 16-bit gradients")         \
    X(MUON, "muon", 8, 12, 4, "fp32 master weights and one fp32 momentum; AdamW for all but matrices of layers")       \
    X(MUON_BF16, "muon-bf16", 2, 4, 2, "one 16-bit momentum, no master weights; 16-bit AdamW for the rest")            \
    X(ADAFACTOR, "adafactor", 0, 0, 2, "factored second moment, no master weights, 16-bit gradients")                  \
    X(SGD_MOMENTUM, "sgd-momentum", 2, 2, 2, "one 16-bit moment, no master weights, 16-bit gradients")                 \
    X(SGD, "sgd", 0, 0, 2, "nothing besides the 16-bit gradients")

/* How tensors are scaled for products in 8 bits or fewer: bytes of scales per element, whether the maximum is found
 * before the cast, whether a copy serves products along one direction only, whether the input is kept in 16 bits and
 * cast again in backward, and whether weight gradients are narrow too. */
#define ORR_FP8_RECIPES(X)                                                                                             \
    /*  enum  name  scale bytes  maximum  directed  recast  wgrad  meaning                                       */    \
    X(ENGINE, "engine", 0, false, false, false, true, "as the engine does on this chip")                               \
    X(DELAYED, "delayed", 0, false, false, false, true, "a scale per tensor from the maxima of earlier steps")         \
    X(TENSORWISE, "tensorwise", 0, true, false, false, true, "a scale per tensor from its own maximum")                \
    X(ROWWISE, "rowwise", 0, false, true, true, true, "a scale per row")                                               \
    X(ROWWISE_GW_HP, "rowwise_gw_hp", 0, false, true, true, false, "the same with weight gradients in 16 bits")        \
    X(BLOCKWISE, "blockwise", 4.0 / 128, false, true, false, true, "a scale per 128, of weights per 128 x 128")        \
    X(MXFP8, "mxfp8", 1.0 / 32, false, true, false, true, "a power of two per 32")                                     \
    X(NVFP4, "nvfp4", 1.0 / 16, true, true, false, true, "4 bits, an 8-bit scale per 16 and one per tensor")

/* Where a tensor is kept that is not kept in GPU memory. */
#define ORR_STORES(X)                                                                                                  \
    X(NONE, "none", "GPU memory")                                                                                      \
    X(CPU, "cpu", "host memory, over PCIe or a chip-to-chip link")                                                     \
    X(NVME, "nvme", "drives of the host")
/* What may be kept there. */
#define ORR_OFFLOADS(X)                                                                                                \
    X(OPTIMIZER, "optimizer", "master weights and moments; the host runs the optimizer")                               \
    X(GRADIENTS, "gradients", "accumulated gradients; as the optimizer unless given")                                  \
    X(PARAMETERS, "parameters", "weights, fetched layer by layer")                                                     \
    X(ACTIVATIONS, "activations", "saved inputs of recomputed layers")

/* Formats in which the gradients of micro-batches are added up. */
#define ORR_GRADIENT_FORMATS(X)                                                                                        \
    X(ENGINE, "engine", "as the optimizer of the job or the engine keeps them")                                        \
    X(FP32, "fp32", "4 bytes")                                                                                         \
    X(BF16, "bf16", "2 bytes, also on the wire")

/* Formats that a request may give to transfers, to activations and to attention. */
#define ORR_ASKED_FORMATS(X)                                                                                           \
    /*  enum   name    format   meaning                                                               */               \
    X(ENGINE, "engine", N_DTYPES, "as the engine has it")                                                              \
    X(FP32, "fp32", DTYPE_FP32, "4 bytes")                                                                             \
    X(FP16, "fp16", DTYPE_FP16, "2 bytes")                                                                             \
    X(BF16, "bf16", DTYPE_BF16, "2 bytes")                                                                             \
    X(FP8, "fp8", DTYPE_FP8, "1 byte")                                                                                 \
    X(INT8, "int8", DTYPE_INT8, "1 byte")                                                                              \
    X(FP4, "fp4", DTYPE_FP4, "half a byte")

/* Adapters: small trained matrices beside frozen ones. */
#define ORR_ADAPTERS(X)                                                                                                \
    /*  enum  name    meaning                                                            */                            \
    X(NONE, "none", "every weight is trained that is not frozen")                                                      \
    X(LORA, "lora", "a product of low rank beside each target")                                                        \
    X(DORA, "dora", "the same, and a trained length of every column of the sum")

/* Matrices that an adapter can stand beside, by the names of their last parts in published models. */
#define ORR_TARGETS(X)                                                                                                 \
    X(Q, "q")                                                                                                          \
    X(K, "k")                                                                                                          \
    X(V, "v")                                                                                                          \
    X(O, "o")                                                                                                          \
    X(GATE, "gate")                                                                                                    \
    X(UP, "up")                                                                                                        \
    X(DOWN, "down")

/* Formats of the frozen matrices of the layers beside adapters: bytes of a weight with its scales, and kernels that
 * restore a matrix to 16 bits before each product. */
#define ORR_BASE_FORMATS(X)                                                                                            \
    /*  enum        name          bytes           kernels  meaning                                */                   \
    X(BF16, "bf16", 2, 0, "16 bits")                                                                                   \
    X(INT8, "int8", 1, 1, "8 bits, one scale per row")                                                                 \
    X(NF4, "nf4", 0.515869140625, 3, "4 bits, 8-bit scales of 64 weights, fp32 scales of 256 scales")                  \
    X(NF4_SINGLE, "nf4-single", 0.5625, 1, "4 bits, fp32 scales of 64 weights")

#define ORR_RECOMPUTES(X)                                                                                              \
    /*  enum        name         what backward executes again        */                                                \
    X(NONE, "none", "nothing")                                                                                         \
    X(SELECTIVE, "selective", "what the engine's own selective does")                                                  \
    X(FULL, "full", "every layer from its saved input")                                                                \
    X(CORE, "core", "the attention core")                                                                              \
    X(BY_OP, "selective-op", "all but every other product and the core")                                               \
    X(OPS, "ops", "the operators that a list names")

/* Operators that recomputation may repeat one by one, and what is not kept then (src/ops/recompute.c). */
#define ORR_REPEATABLES(X)                                                                                             \
    X(NORM, "norm", "norms: inputs of attention and of the feed-forward block")                                        \
    X(QKV, "qkv", "projections to heads and positions: queries, keys, values")                                         \
    X(CORE, "core", "scores of unfused attention: probabilities, dropout")                                             \
    X(OUT, "out", "output projection and residual add: input of the second norm")                                      \
    X(MLP_UP, "mlp_up", "first product of dense columns and shared experts: gate, up")                                 \
    X(MLP_ACT, "mlp_act", "their activation: input of the last product")                                               \
    X(EXPERT_UP, "expert_up", "first product of routed experts: gate, up")                                             \
    X(EXPERT_ACT, "expert_act", "their activation: input of the last product")                                         \
    X(DISPATCH, "dispatch", "permutation and exchange of rows: inputs of routed experts")

/* Kernels that compute attention scores and multiply them with the values. Each engine states which it uses. */
#define ORR_ATTENTION_KERNELS(X)                                                                                       \
    X(UNFUSED, "unfused", "batched GEMMs and a softmax kernel; scores in DRAM")                                        \
    X(FLASH1, "flash1", "FlashAttention 1 and Triton kernels of its time")                                             \
    X(FLASH2, "flash2", "FlashAttention 2")                                                                            \
    X(FLASH3, "flash3", "FlashAttention 3, cuDNN fused attention")                                                     \
    X(SERVING, "serving", "prefill kernels of serving engines")

#define ORR_CP_KINDS(X)                                                                                                \
    X(RING, "ring", "Eq. 13: K,V blocks travel round a ring")                                                          \
    X(ALLGATHER, "allgather", "K,V gathered before attention")                                                         \
    X(ULYSSES, "ulysses", "Eq. 14: all-to-all from sequence to head sharding")

#define ORR_COLLECTIVES(X)                                                                                             \
    X(ALLREDUCE, "allreduce")                                                                                          \
    X(ALLGATHER, "allgather")                                                                                          \
    X(REDUCESCATTER, "reducescatter")                                                                                  \
    X(ALLTOALL, "alltoall")                                                                                            \
    X(P2P, "p2p")

#define ORR_ALGORITHMS(X)                                                                                              \
    /*  enum      name       wire bytes and hops (n ranks, S bytes)                           */                       \
    X(RING, "ring", "Eq. 49, 55: n-1 (all-reduce 2(n-1)) steps round a ring")                                          \
    X(TREE, "tree", "Eq. 50: double binary tree")                                                                      \
    X(DIRECT, "direct", "Eq. 52, 55, 56: every rank to every rank through a switch")                                   \
    X(NVLS, "nvls", "Eq. 54: reduction and multicast inside the switch")                                               \
    X(ONESHOT, "oneshot", "Eq. 53: every rank reads all others and adds")                                              \
    X(TWOSHOT, "twoshot", "Eq. 52: every rank reduces a share, then reads the others'")                                \
    X(HIERARCHICAL, "hierarchical", "Eq. 58, 59: inside the scale-up domain, then between domains")                    \
    X(SHARP, "sharp", "Eq. 58d: reduction inside the switches between domains")

/* How the units of a tier of the network are joined, and what of its links neighbours and all pairs can use (Eq. 60b).
 */
#define ORR_TOPOLOGIES(X)                                                                                              \
    X(SWITCH, "switch", "any two units at the full rate of their uplinks")                                             \
    X(MESH, "mesh", "a link between every two units: neighbours have one of them")                                     \
    X(TORUS, "torus", "links to neighbours only: bytes to others pass through units between")                          \
    X(DRAGONFLY, "dragonfly", "a mesh of groups; half of the links can take a detour")

/* Classes of memory-bound kernels; each has its own sustained fraction of DRAM bandwidth. */
#define ORR_POINTWISES(X)                                                                                              \
    X(ADD, "add", "residual and bias add, accumulation")                                                               \
    X(ACTIVATION, "activation", "SiLU, gate product, RoPE")                                                            \
    X(GELU, "gelu", "GELU, arithmetic beside the traffic")                                                             \
    X(DROPOUT, "dropout", "dropout with its mask")                                                                     \
    X(LAYERNORM, "layernorm", "layer norm, mean and variance")                                                         \
    X(RMSNORM, "rmsnorm", "root-mean-square norm")                                                                     \
    X(SOFTMAX, "softmax", "fused scale, mask, softmax")                                                                \
    X(COPY, "copy", "copy, transpose, permute, gather")                                                                \
    X(SCATTER, "scatter", "gradient of an embedding: sort and add")                                                    \
    X(CAST, "cast", "format conversion with scales")                                                                   \
    X(UPCAST, "upcast", "copy from 16 to 32 bits")                                                                     \
    X(LOSS, "loss", "cross-entropy on the logits")                                                                     \
    X(ADAM, "adam", "fused Adam step")

#define ORR_PHASES(X)                                                                                                  \
    X(FORWARD, "forward", "once per layer and micro-batch")                                                            \
    X(RECOMPUTE, "recompute", "forward repeated before backward")                                                      \
    X(BACKWARD, "backward", "once per layer and micro-batch")                                                          \
    X(STEP, "step", "once per iteration, or once per request")                                                         \
    X(PREFILL, "prefill", "the prompt, once")                                                                          \
    X(DECODE, "decode", "one output token of every sequence")

/* Where the time of an inference request goes; the parts add up to its latency. */
#define ORR_INFER_PARTS(X)                                                                                             \
    /*  enum               name                 meaning                                             */                 \
    X(PREFILL_GEMM, "prefill_gemm", "weight products of the prompt")                                                   \
    X(PREFILL_ATTENTION, "prefill_attention", "attention core of the prompt")                                          \
    X(PREFILL_POINTWISE, "prefill_pointwise", "norms, activations and quantisation of the prompt")                     \
    X(PREFILL_NETWORK, "prefill_network", "collectives and pipeline sends of the prompt")                              \
    X(DECODE_GEMM, "decode_gemm", "weight products of the output tokens")                                              \
    X(DECODE_ATTENTION, "decode_attention", "attention core over the growing context")                                 \
    X(DECODE_POINTWISE, "decode_pointwise", "norms, activations and quantisation of output tokens")                    \
    X(DECODE_NETWORK, "decode_network", "collectives and pipeline sends of the output tokens")                         \
    X(DRAFT, "draft", "drafts of speculative decoding, by a draft model or MTP layers")                                \
    X(PIPELINE, "pipeline", "waiting for other pipeline stages")                                                       \
    X(KV_TRANSFER, "kv_transfer", "exposed time of handing the cache to the decode GPUs")                              \
    X(OVERHEAD, "overhead", "launch gaps, sampling and request handling")

#define ORR_SERVE_MEMORY_PARTS(X)                                                                                      \
    /*  enum         name           meaning                                               */                           \
    X(WEIGHTS, "weights", "weights of one GPU, including their scales")                                                \
    X(KV_CACHE, "kv_cache", "cache of the running batch at its longest, in whole blocks")                              \
    X(ACTIVATIONS, "activations", "largest tensors alive in a step")                                                   \
    X(WORKSPACE, "workspace", "library workspace and communication buffers")

/* What the energy of a job is spent on. */
#define ORR_ENERGY_PARTS(X)                                                                                            \
    /*  enum       name        meaning                                                    */                           \
    X(FLOP, "flop", "arithmetic of the matrix units, including operand delivery")                                      \
    X(DRAM, "dram", "DRAM traffic")                                                                                    \
    X(LINK, "link", "traffic between GPUs")                                                                            \
    X(IDLE, "idle", "what an idle GPU draws anyway")                                                                   \
    X(FACILITY, "facility", "cooling and power conversion of the data centre")

/* How an engine decides what the KV cache may take. */
#define ORR_BUDGETS(X)                                                                                                 \
    X(TOTAL, "total", "a fraction of the whole memory, weights and all (gpu_memory_utilization)")                      \
    X(FREE, "free", "a fraction of what is free after the weights (TensorRT-LLM)")                                     \
    X(STATIC, "static", "a fraction of the memory for weights and cache (mem_fraction_static)")

/* Who is served next: what an engine puts into its next step. */
#define ORR_SCHEDULERS(X)                                                                                              \
    X(VLLM_V0, "vllm-v0", "whole prompts in steps of their own; the last sequence is recomputed when blocks run out")  \
    X(VLLM_V1, "vllm-v1", "decoding sequences, begun prompts, new prompts in one step; the same when blocks run out")  \
    X(SGLANG, "sglang", "prompts in steps of their own; admission by expected outputs; fewest outputs are retracted")  \
    X(TRTLLM_NO_EVICT, "trtllm-no-evict", "one mixed step; the cache of the whole answer is reserved at admission")    \
    X(TRTLLM_MAX_UTIL, "trtllm-max-util", "one mixed step; the last started is paused when blocks run out")            \
    X(TGI, "tgi", "prompts in steps of their own; the cache of the whole answer is reserved at admission")

/* When requests arrive. */
#define ORR_ARRIVALS(X)                                                                                                \
    X(POISSON, "poisson", "independent users at a mean rate")                                                          \
    X(GAMMA, "gamma", "gaps with a gamma distribution of shape `burstiness`; 1 is Poisson")                            \
    X(CONSTANT, "constant", "equal gaps")                                                                              \
    X(CLOSED, "closed", "a constant number of users; each asks again when answered")                                   \
    X(SATURATED, "saturated", "all requests at once")                                                                  \
    X(TRACE, "trace", "recorded arrivals and lengths")                                                                 \
    X(DIURNAL, "diurnal", "Poisson with a rate that follows a sine")

/* Which replica gets a request. */
#define ORR_ROUTERS(X)                                                                                                 \
    X(ROUND_ROBIN, "round-robin", "each in turn")                                                                      \
    X(LEAST_LOADED, "least-loaded", "the one with the fewest requests")                                                \
    X(POWER_OF_TWO, "power-of-two", "the less loaded of two drawn at random")                                          \
    X(PREFIX, "prefix", "the least loaded that has the prompt's beginning in its cache")                               \
    X(SESSION, "session", "always the same one for the requests of a prefix group")

/* What the replicas of a pool serve. */
#define ORR_POOL_ROLES(X)                                                                                              \
    X(WHOLE, "whole", "prompts and answers")                                                                           \
    X(PREFILL, "prefill", "prompts, whose caches are sent to the decode pools")                                        \
    X(DECODE, "decode", "answers")

/* How long prompts and answers are. */
#define ORR_LENGTH_LAWS(X)                                                                                             \
    X(FIXED, "fixed", "all equal")                                                                                     \
    X(UNIFORM, "uniform", "whole numbers from low to high")                                                            \
    X(LOGNORMAL, "lognormal", "by mean and coefficient of variation")                                                  \
    X(EXPONENTIAL, "exponential", "by mean")                                                                           \
    X(EMPIRICAL, "empirical", "quantiles at equal steps, straight between them")

/* Kernels that multiply one query with a long context. */
#define ORR_DECODE_KERNELS(X)                                                                                          \
    X(PAGED, "paged", "serving kernels on a paged cache, RoPE and cache write inside")                                 \
    X(SDPA, "sdpa", "a framework's attention call, one block per sequence and head")                                   \
    X(FLASH, "flash", "FlashAttention on a paged cache, tiles of 64 query rows on Hopper")                             \
    X(FLASH_WIDE, "flash_wide", "the same with tiles of 128 query rows for 8-bit caches")

/* How a framework multiplies the rows of its experts with their weights: the largest mean number of rows that takes the
 * small tile, the two tiles, and the tiles along the rows that one cluster of SMs computes at a time. */
#define ORR_EXPERT_KERNELS(X)                                                                                          \
    /*  enum     name        rows  small     large     cluster  meaning                                          */    \
    X(TUNED, "tuned", 0, 0, 0, 0, 0, 1, "one kernel with the fastest tile, as serving libraries choose it")            \
    X(GROUPED_MM, "grouped_mm", 128, 64, 128, 128, 256, 2, "the grouped product of PyTorch: two tiles, clusters")      \
    X(STREAMS, "streams", 0, 0, 0, 0, 0, 1, "a plain product per expert, on streams that run side by side")            \
    X(LOOP, "loop", 0, 0, 0, 0, 0, 1, "a plain product per expert, one after another")

/* Blocks that mix the positions of a sequence in a layer. */
#define ORR_MIXERS(X)                                                                                                  \
    X(ATTENTION, "attention", "grouped-query attention")                                                               \
    X(LATENT, "latent", "multi-head latent attention")                                                                 \
    X(COMPRESSED, "compressed", "attention to a window and to entries that compress many positions")                   \
    X(MAMBA1, "mamba1", "selective scan with a state per channel")                                                     \
    X(MAMBA2, "mamba2", "selective scan with a decay per head")                                                        \
    X(GATED_DELTA, "gated_delta", "gated delta net")                                                                   \
    X(KDA, "kda", "delta attention with a gate per channel")                                                           \
    X(LIGHTNING, "lightning", "linear attention with a fixed decay per head")                                          \
    X(RG_LRU, "rg_lru", "real-gated linear recurrent unit")                                                            \
    X(SHORT_CONV, "short_conv", "short gated convolution")                                                             \
    X(NONE, "none", "none: the layer is a feed-forward block")

/* Parallel groups a collective runs over. */
#define ORR_GROUPS(X)                                                                                                  \
    X(NONE, "none", "no communication")                                                                                \
    X(TP, "tp", "tensor and sequence parallel")                                                                        \
    X(CP, "cp", "context parallel")                                                                                    \
    X(EP, "ep", "expert parallel")                                                                                     \
    X(ETP, "etp", "tensor parallel inside an expert")                                                                  \
    X(PP, "pp", "neighbouring pipeline stages")                                                                        \
    X(DP, "dp", "data parallel, dense weights")                                                                        \
    X(EDP, "edp", "data parallel, expert weights")                                                                     \
    X(RDP, "rdp", "replicas of a sharded group (hybrid sharding)")                                                     \
    X(HOST, "host", "the GPU and its host: offloaded tensors")

#define ORR_OP_KINDS(X)                                                                                                \
    X(GEMM, "gemm", "matrix product with a weight")                                                                    \
    X(BMM, "bmm", "batched matrix product of activations")                                                             \
    X(GROUPED, "grouped", "grouped matrix product over experts")                                                       \
    X(FLASH, "flash", "fused attention, forward")                                                                      \
    X(FLASH_BACKWARD, "flash_backward", "fused attention, backward")                                                   \
    X(DECODE, "decode", "one query per sequence over its cached context")                                              \
    X(SCAN, "scan", "recurrence over positions: chunks of them, or one step")                                          \
    X(POINTWISE, "pointwise", "memory-bound kernel")                                                                   \
    X(COLLECTIVE, "collective", "communication")

/* Formats a checkpoint is stored in. The first are the dtypes, whose scales are a mean over all weights; the others
 * are counted tensor by tensor (src/spec/format_table.c has their bits, docs/models-formats.md their rules). */
#define ORR_WEIGHT_FORMATS(X)                                                                                          \
    ORR_DTYPES(X)                                                                                                      \
    X(PUBLISHED, "published", "as the checkpoint's own configuration says")                                            \
    X(MXFP4, "mxfp4", "4-bit floats, a power of two per 32; of models with experts only those")                        \
    X(NVFP4, "nvfp4", "4-bit floats, an 8-bit scale per 16")                                                           \
    X(NVFP4A16, "nvfp4a16", "the same, multiplied in 16 bits")                                                         \
    X(MXFP8, "mxfp8", "8-bit floats, a power of two per 32")                                                           \
    X(FP8_TENSOR, "fp8-tensor", "8-bit floats, a scale per tensor")                                                    \
    X(FP8_CHANNEL, "fp8-channel", "8-bit floats, a scale per output row")                                              \
    X(FP8_128, "fp8-block", "8-bit floats, a scale per 128 x 128")                                                     \
    X(W4A16, "w4a16", "4-bit integers, a scale per group of 128 (compressed-tensors)")                                 \
    X(W8A16, "w8a16", "8-bit integers, a scale per output row, multiplied in 16 bits")                                 \
    X(W8A8, "w8a8", "8-bit integers, a scale per output row, multiplied in int8")                                      \
    X(AWQ, "awq", "4-bit integers, scale and zero per 128")                                                            \
    X(GPTQ, "gptq", "4-bit integers, scale and zero per 128, order of the columns")                                    \
    X(GPTQ_INT8, "gptq-int8", "8-bit integers, else as gptq")                                                          \
    X(AUTOROUND, "autoround", "4-bit integers packed as gptq")                                                         \
    X(BNB_INT8, "bnb-int8", "bitsandbytes: 8-bit integers, a scale per output row")                                    \
    X(NF4, "nf4", "bitsandbytes: 4-bit normal floats, a scale per 64")                                                 \
    X(NF4_DOUBLE, "nf4-double", "the same with scales quantised to 8 bits")                                            \
    X(HQQ, "hqq", "4-bit integers, scale and zero per 64")                                                             \
    X(TORCHAO_INT4, "torchao-int4", "4-bit integers, scale and zero per 128")                                          \
    X(MLX_4BIT, "mlx-4bit", "4-bit integers, scale and bias per 64; embedding and head too")                           \
    X(MLX_8BIT, "mlx-8bit", "8-bit integers, else as mlx-4bit")                                                        \
    X(Q2_K, "q2_k", "GGUF mixture")                                                                                    \
    X(Q3_K_S, "q3_k_s", "GGUF mixture")                                                                                \
    X(Q3_K_M, "q3_k_m", "GGUF mixture")                                                                                \
    X(Q3_K_L, "q3_k_l", "GGUF mixture")                                                                                \
    X(Q4_0, "q4_0", "GGUF mixture")                                                                                    \
    X(Q4_K_S, "q4_k_s", "GGUF mixture")                                                                                \
    X(Q4_K_M, "q4_k_m", "GGUF mixture")                                                                                \
    X(Q5_0, "q5_0", "GGUF mixture")                                                                                    \
    X(Q5_K_S, "q5_k_s", "GGUF mixture")                                                                                \
    X(Q5_K_M, "q5_k_m", "GGUF mixture")                                                                                \
    X(Q6_K, "q6_k", "GGUF mixture")                                                                                    \
    X(Q8_0, "q8_0", "GGUF, 8.5 bits")                                                                                  \
    X(IQ4_NL, "iq4_nl", "GGUF mixture")                                                                                \
    X(IQ4_XS, "iq4_xs", "GGUF mixture")                                                                                \
    X(MXFP4_MOE, "mxfp4_moe", "GGUF: experts as mxfp4, the rest q8_0")

/* Cache formats other than the plain dtypes: bits per element, and further bits per head's vector (or latent). */
#define ORR_KV_FORMATS(X)                                                                                              \
    /*  enum   name    kernels read   bits   bits of a vector                              */                          \
    X(PLAIN, "", BF16, 0, 0) /* orr_serving.kv says all */                                                             \
    X(INT8_HEAD, "int8_per_token_head", INT8, 8, 32)                                                                   \
    X(INT4, "int4", INT8, 4, 32)   /* int4_per_token_head */                                                           \
    X(NF4, "nf4", INT8, 4.5, 0)    /* a 32-bit scale per 64 */                                                         \
    X(NVFP4, "nvfp4", FP8, 4.5, 0) /* an 8-bit scale per 16 */                                                         \
    X(Q8_0, "q8_0", INT8, 8.5, 0)  /* a 16-bit scale per 32 */                                                         \
    X(Q4_0, "q4_0", INT8, 4.5, 0)                                                                                      \
    X(FP8_DS_MLA, "fp8_ds_mla", FP8, 8, 0) /* latent of fp8 with a scale per 128, rope in 16 bits */

/* Modules by which the bytes of a checkpoint are counted. */
#define ORR_MODULES(X)                                                                                                 \
    X(EMBEDDING, "embedding", "token and position tables")                                                             \
    X(ATTENTION, "attention", "projections with their biases, sinks")                                                  \
    X(DENSE, "dense_ffn", "feed-forward of layers without experts")                                                    \
    X(SHARED, "shared_experts", "experts that every token uses")                                                       \
    X(EXPERTS, "experts", "routed experts")                                                                            \
    X(ROUTER, "router", "routers with their biases")                                                                   \
    X(NORM, "norms", "all norms")                                                                                      \
    X(HEAD, "head", "output matrix, unless tied")                                                                      \
    X(TOWERS, "towers", "vision and audio encoders")                                                                   \
    X(MTP, "mtp", "multi-token prediction layers: loaded where they draft")

/* Tensors of a layer, their module and the end of their names in a checkpoint. */
#define ORR_TENSORS(X)                                                                                                 \
    X(Q, ATTENTION, "self_attn.q_proj")                                                                                \
    X(K, ATTENTION, "self_attn.k_proj")                                                                                \
    X(V, ATTENTION, "self_attn.v_proj")                                                                                \
    X(O, ATTENTION, "self_attn.o_proj")                                                                                \
    X(Q_A, ATTENTION, "self_attn.q_a_proj")                                                                            \
    X(Q_B, ATTENTION, "self_attn.q_b_proj")                                                                            \
    X(KV_A, ATTENTION, "self_attn.kv_a_proj_with_mqa")                                                                 \
    X(KV_B, ATTENTION, "self_attn.kv_b_proj")                                                                          \
    X(O_A, ATTENTION, "self_attn.o_a_proj")                                                                            \
    X(INDEX_Q, ATTENTION, "self_attn.indexer.wq_b")                                                                    \
    X(GATE, DENSE, "mlp.gate_proj")                                                                                    \
    X(UP, DENSE, "mlp.up_proj")                                                                                        \
    X(DOWN, DENSE, "mlp.down_proj")                                                                                    \
    X(SHARED_GATE, SHARED, "mlp.shared_experts.gate_proj")                                                             \
    X(SHARED_UP, SHARED, "mlp.shared_experts.up_proj")                                                                 \
    X(SHARED_DOWN, SHARED, "mlp.shared_experts.down_proj")                                                             \
    X(EXPERT_GATE, EXPERTS, "mlp.experts.0.gate_proj")                                                                 \
    X(EXPERT_UP, EXPERTS, "mlp.experts.0.up_proj")                                                                     \
    X(EXPERT_DOWN, EXPERTS, "mlp.experts.0.down_proj")

/* Weight products of a layer that may each have their own format, by the tensors they join. */
#define ORR_PRODUCTS(X)                                                                                                \
    X(OTHER, Q, Q) /* any other: 16 bits */                                                                            \
    X(QKV, Q, V)                                                                                                       \
    X(OUT, O, O)                                                                                                       \
    X(Q_DOWN, Q_A, Q_A)                                                                                                \
    X(Q_UP, Q_B, Q_B)                                                                                                  \
    X(KV_DOWN, KV_A, KV_A)                                                                                             \
    X(KV_UP, KV_B, KV_B)                                                                                               \
    X(OUT_DOWN, O_A, O_A)                                                                                              \
    X(INDEX_QUERY, INDEX_Q, INDEX_Q)                                                                                   \
    X(GATE_UP, GATE, UP)                                                                                               \
    X(DOWN, DOWN, DOWN)                                                                                                \
    X(SHARED_GATE_UP, SHARED_GATE, SHARED_UP)                                                                          \
    X(SHARED_DOWN, SHARED_DOWN, SHARED_DOWN)                                                                           \
    X(EXPERT_GATE_UP, EXPERT_GATE, EXPERT_UP)                                                                          \
    X(EXPERT_DOWN, EXPERT_DOWN, EXPERT_DOWN)

#define ORR_X_DTYPE_(name, ...)      ORR_DTYPE_##name,
#define ORR_X_WEIGHT_(name, ...)     ORR_WEIGHT_##name,
#define ORR_X_KV_(name, ...)         ORR_KV_##name,
#define ORR_X_MODULE_(name, ...)     ORR_MODULE_##name,
#define ORR_X_TENSOR_(name, ...)     ORR_TENSOR_##name,
#define ORR_X_PRODUCT_(name, ...)    ORR_PRODUCT_##name,
#define ORR_X_TIME_(name, ...)       ORR_TIME_##name,
#define ORR_X_MEMORY_(name, ...)     ORR_MEMORY_##name,
#define ORR_X_BOUND_(name, ...)      ORR_BOUND_##name,
#define ORR_X_DOUBT_(name, ...)      ORR_DOUBT_##name,
#define ORR_X_KIN_(name, ...)        ORR_KIN_##name,
#define ORR_X_SCHEDULE_(name, ...)   ORR_SCHEDULE_##name,
#define ORR_X_STAGES_(name, ...)     ORR_STAGES_##name,
#define ORR_X_RECOMPUTE_(name, ...)  ORR_RECOMPUTE_##name,
#define ORR_X_REPEATABLE_(name, ...) ORR_REPEATABLE_##name,
#define ORR_X_OPTIMIZER_(name, ...)  ORR_OPTIMIZER_##name,
#define ORR_X_GRADIENTS_(name, ...)  ORR_GRADIENTS_##name,
#define ORR_X_ASKED_(name, ...)      ORR_ASKED_##name,
#define ORR_X_STORE_(name, ...)      ORR_STORE_##name,
#define ORR_X_OFFLOAD_(name, ...)    ORR_OFFLOAD_##name,
#define ORR_X_ADAPTER_(name, ...)    ORR_ADAPTER_##name,
#define ORR_X_TARGET_(name, ...)     ORR_TARGET_##name,
#define ORR_X_BASE_(name, ...)       ORR_BASE_##name,
#define ORR_X_ATTENTION_(name, ...)  ORR_ATTENTION_##name,
#define ORR_X_CP_(name, ...)         ORR_CP_##name,
#define ORR_X_COLLECTIVE_(name, ...) ORR_COLLECTIVE_##name,
#define ORR_X_ALGORITHM_(name, ...)  ORR_ALGORITHM_##name,
#define ORR_X_TOPOLOGY_(name, ...)   ORR_TOPOLOGY_##name,
#define ORR_X_POINTWISE_(name, ...)  ORR_POINTWISE_##name,
#define ORR_X_PHASE_(name, ...)      ORR_PHASE_##name,
#define ORR_X_GROUP_(name, ...)      ORR_GROUP_##name,
#define ORR_X_MIXER_(name, ...)      ORR_MIXER_##name,
#define ORR_X_OP_(name, ...)         ORR_OP_##name,
#define ORR_X_INFER_(name, ...)      ORR_INFER_##name,
#define ORR_X_SERVE_(name, ...)      ORR_SERVE_MEMORY_##name,
#define ORR_X_ENERGY_(name, ...)     ORR_ENERGY_##name,
#define ORR_X_BUDGET_(name, ...)     ORR_BUDGET_##name,
#define ORR_X_DECODE_(name, ...)     ORR_DECODE_##name,
#define ORR_X_EXPERT_(name, ...)     ORR_EXPERT_##name,
#define ORR_X_RECIPE_(name, ...)     ORR_RECIPE_##name,
enum orr_dtype { ORR_DTYPES(ORR_X_DTYPE_) ORR_N_DTYPES };
enum orr_weight_format { ORR_WEIGHT_FORMATS(ORR_X_WEIGHT_) ORR_N_WEIGHT_FORMATS };
enum orr_kv_format { ORR_KV_FORMATS(ORR_X_KV_) ORR_N_KV_FORMATS };
enum orr_module { ORR_MODULES(ORR_X_MODULE_) ORR_N_MODULES };
enum orr_weight_tensor { ORR_TENSORS(ORR_X_TENSOR_) ORR_N_TENSORS };
enum orr_product { ORR_PRODUCTS(ORR_X_PRODUCT_) ORR_N_PRODUCTS };
enum orr_time_part { ORR_TIME_PARTS(ORR_X_TIME_) ORR_N_TIME_PARTS };
enum orr_memory_part { ORR_MEMORY_PARTS(ORR_X_MEMORY_) ORR_N_MEMORY_PARTS };
enum orr_bound { ORR_BOUNDS(ORR_X_BOUND_) ORR_N_BOUNDS };
enum orr_doubt { ORR_DOUBTS(ORR_X_DOUBT_) ORR_N_DOUBTS };
enum orr_kin { ORR_KINS(ORR_X_KIN_) ORR_N_KINS };
enum orr_schedule { ORR_SCHEDULES(ORR_X_SCHEDULE_) ORR_N_SCHEDULES };
enum orr_stage_rule { ORR_STAGE_RULES(ORR_X_STAGES_) ORR_N_STAGE_RULES };
enum orr_recompute { ORR_RECOMPUTES(ORR_X_RECOMPUTE_) ORR_N_RECOMPUTES };
enum orr_repeatable { ORR_REPEATABLES(ORR_X_REPEATABLE_) ORR_N_REPEATABLES };
enum orr_store { ORR_STORES(ORR_X_STORE_) ORR_N_STORES };
enum orr_offload { ORR_OFFLOADS(ORR_X_OFFLOAD_) ORR_N_OFFLOADS };
enum orr_gradient_format { ORR_GRADIENT_FORMATS(ORR_X_GRADIENTS_) ORR_N_GRADIENT_FORMATS };
enum orr_asked_format { ORR_ASKED_FORMATS(ORR_X_ASKED_) ORR_N_ASKED_FORMATS };
enum orr_optimizer { ORR_OPTIMIZERS(ORR_X_OPTIMIZER_) ORR_N_OPTIMIZERS };
enum orr_adapter_kind { ORR_ADAPTERS(ORR_X_ADAPTER_) ORR_N_ADAPTERS };
enum orr_target { ORR_TARGETS(ORR_X_TARGET_) ORR_N_TARGETS };
enum orr_base_format { ORR_BASE_FORMATS(ORR_X_BASE_) ORR_N_BASE_FORMATS };
enum orr_attention_kernel { ORR_ATTENTION_KERNELS(ORR_X_ATTENTION_) ORR_N_ATTENTION_KERNELS };
enum orr_cp_kind { ORR_CP_KINDS(ORR_X_CP_) ORR_N_CP_KINDS };
enum orr_collective { ORR_COLLECTIVES(ORR_X_COLLECTIVE_) ORR_N_COLLECTIVES };
enum orr_algorithm { ORR_ALGORITHMS(ORR_X_ALGORITHM_) ORR_N_ALGORITHMS };
enum orr_topology { ORR_TOPOLOGIES(ORR_X_TOPOLOGY_) ORR_N_TOPOLOGIES };
enum orr_pointwise { ORR_POINTWISES(ORR_X_POINTWISE_) ORR_N_POINTWISES };
enum orr_phase { ORR_PHASES(ORR_X_PHASE_) ORR_N_PHASES };
enum orr_group { ORR_GROUPS(ORR_X_GROUP_) ORR_N_GROUPS };
enum orr_mixer { ORR_MIXERS(ORR_X_MIXER_) ORR_N_MIXERS };
enum orr_op_kind { ORR_OP_KINDS(ORR_X_OP_) ORR_N_OP_KINDS };
enum orr_infer_part { ORR_INFER_PARTS(ORR_X_INFER_) ORR_N_INFER_PARTS };
enum orr_serve_memory_part { ORR_SERVE_MEMORY_PARTS(ORR_X_SERVE_) ORR_N_SERVE_MEMORY_PARTS };
enum orr_energy_part { ORR_ENERGY_PARTS(ORR_X_ENERGY_) ORR_N_ENERGY_PARTS };
enum orr_budget { ORR_BUDGETS(ORR_X_BUDGET_) ORR_N_BUDGETS };
enum orr_decode_kernel { ORR_DECODE_KERNELS(ORR_X_DECODE_) ORR_N_DECODE_KERNELS };
enum orr_fp8_recipe { ORR_FP8_RECIPES(ORR_X_RECIPE_) ORR_N_FP8_RECIPES };
enum orr_expert_kernel { ORR_EXPERT_KERNELS(ORR_X_EXPERT_) ORR_N_EXPERT_KERNELS };
#define ORR_X_SCHEDULER_(name, ...) ORR_SCHEDULER_##name,
enum orr_scheduler { ORR_SCHEDULERS(ORR_X_SCHEDULER_) ORR_N_SCHEDULERS };
#define ORR_X_ARRIVAL_(name, ...) ORR_ARRIVAL_##name,
enum orr_arrival { ORR_ARRIVALS(ORR_X_ARRIVAL_) ORR_N_ARRIVALS };
#define ORR_X_ROUTER_(name, ...) ORR_ROUTER_##name,
enum orr_router { ORR_ROUTERS(ORR_X_ROUTER_) ORR_N_ROUTERS };
#define ORR_X_POOL_(name, ...) ORR_POOL_##name,
enum orr_pool_role { ORR_POOL_ROLES(ORR_X_POOL_) ORR_N_POOL_ROLES };
#define ORR_X_LENGTH_(name, ...) ORR_LENGTH_##name,
enum orr_length_law { ORR_LENGTH_LAWS(ORR_X_LENGTH_) ORR_N_LENGTH_LAWS };

/* The name of a member, as JSON and the command line spell it. */
ORR_API const char *orr_dtype_name(enum orr_dtype dtype);
ORR_API const char *orr_recompute_name(enum orr_recompute recompute);
ORR_API const char *orr_attention_kernel_name(enum orr_attention_kernel kernel);
ORR_API const char *orr_collective_name(enum orr_collective collective);
ORR_API const char *orr_algorithm_name(enum orr_algorithm algorithm);
ORR_API const char *orr_mixer_name(enum orr_mixer mixer);
ORR_API const char *orr_budget_name(enum orr_budget budget);
ORR_API const char *orr_decode_kernel_name(enum orr_decode_kernel kernel);

/* ---------------------------------------------------------------- model */

#define ORR_MAX_LAYERS      1024
#define ORR_MAX_LAYER_KINDS 16
#define ORR_ID              96

/* One kind of layer: blocks that mix positions, and a feed-forward block. A model is a sequence of kinds; no code after
 * the parser knows a model's name. */
struct orr_layer_kind {
    enum orr_mixer mixer; /* the block that mixes positions; attention's sizes follow */
    /* attention; multi-head latent attention when mla_kv_rank > 0 */
    int64_t n_heads, n_kv_heads;
    int64_t head_qk, head_v;         /* sizes of a query/key head and of a value head */
    int64_t window;                  /* keys a query sees at most; 0: all */
    bool chunked;                    /* the window does not slide: positions are cut into chunks of its size */
    int64_t mla_q_rank, mla_kv_rank; /* latent ranks; q_rank 0: query projected directly */
    int64_t mla_rope;                /* part of head_qk that carries RoPE, shared by the heads */
    bool rope;                       /* rotary positions are applied */
    bool qk_norm, qk_norm_full;      /* query and key heads are normalised; all heads of a token as one vector */
    bool attention_bias, ffn_bias;   /* projections carry biases (their gradients are a reduction each) */
    bool shared_kv;                  /* the layer reuses an earlier layer's keys and values, and caches none */
    bool kv_equal;                   /* the projected keys serve as values too: one projection for both */
    int64_t gate_columns;            /* columns of the gate on the heads' outputs; 0: there is none */
    int64_t index_topk;              /* keys chosen for a query among all it sees; 0: attention is not sparse */
    int64_t index_heads, index_size; /* sizes of the indexer that chooses keys; 0 heads: an earlier layer chooses */
    /* compressed attention: one head of keys that serve as values; a window, and entries that stand for positions */
    int64_t compress_ratio;       /* positions that one entry stands for; 0: the layer has a window alone */
    int64_t out_groups, out_rank; /* groups of heads that are projected to a rank before the output; 0: none */
    int64_t cross_keys;           /* encoder positions that every query attends to; 0: no cross attention */
    bool cross_only;              /* the layer has cross attention instead of self attention */
    /* recurrent mixers keep a state of scan_key x scan_value per head, and the last conv_width - 1 columns */
    bool beside_attention;          /* the recurrent mixer runs in parallel with attention */
    int64_t scan_heads, scan_value; /* heads and the size of their values; the mixer's width is their product */
    int64_t scan_groups, scan_key;  /* groups of heads that share keys, and the size of a key or state row */
    int64_t scan_rank;              /* rank of step sizes (Mamba-1) or of gates (KDA); 0: full rank */
    int64_t scan_chunk;             /* positions that a chunked scan takes at once */
    bool scan_full_gate;            /* KDA: the gate on the outputs has full rank */
    int64_t conv_width;             /* taps of the convolution before the scan; 0: none */
    int64_t state_element_bytes;    /* bytes of an element of the recurrent state: 4, or 2 */
    /* feed-forward: dense when n_experts is 0; none when ffn_width is 0 too */
    bool gated;                  /* three matrices instead of two */
    int64_t ffn_width;           /* dense FFN width; 0 in a pure MoE layer */
    int64_t n_experts, n_active; /* routed experts, and how many a token uses */
    int64_t n_groups;            /* groups of equally many experts; 0: one */
    int64_t n_groups_active;     /* groups of experts a token may use (node-limited routing); 0: any expert */
    int64_t expert_width;
    int64_t shared_width;     /* width of all shared experts together, or of a dense FFN beside the experts */
    int64_t expert_hidden;    /* size of the latent that experts read and write; 0: the hidden size */
    int64_t n_zero_experts;   /* further experts, without weights, that the router may choose */
    int64_t layer_embedding;  /* width of an embedding table that only this layer has; 0: there is none */
    int64_t residual_streams; /* hyper-connections: hidden states that blocks mix; 0: one, added to */
    int64_t residual_reads;   /* attention residual: earlier sums that a block reads, a mean; 0: none */
    bool parallel_block;      /* attention and FFN read the same norm (GPT-J, Falcon) */
    int64_t n_norms;          /* norms over the hidden size in one layer */
    bool kept;                /* a twin of another kind: the layers that a job does not recompute, where it
                                         recomputes only some */
    bool frozen;              /* the weights of these layers are not trained */
    bool no_backward;         /* ... and nothing below them is, so that backward ends above them */
    uint8_t trained_kind;     /* frozen: the kind that the layers have in the model itself */
    /* exact parameter counts, including biases and norms */
    int64_t attention_params; /* all mixers: projections and their biases, latent and qk norms, scans */
    int64_t ffn_params;       /* dense FFN and shared experts, with biases and shared gate */
    int64_t expert_params;    /* one routed expert */
    int64_t router_params;
    int64_t norm_params; /* norms over the hidden size */
};

/* How one tensor is stored: bits of a weight, and of the scales and zeros stored with the weights. */
struct orr_storage {
    enum orr_weight_format format; /* row of the table of formats that this storage comes from */
    double bits;
    double scale_bits, zero_bits;    /* bits of the scale and zero of each group of weights */
    int64_t rows, columns;           /* size of a group in output rows and input columns; columns 0: all */
    double second_bits;              /* further bits per 256 scales, where scales are quantised again */
    double tensor_bits, column_bits; /* further bits per tensor, and per input column */
};

/* A checkpoint as it is published. layers[kind][tensor][storage] is the number of layers that use the storage. */
#define ORR_MAX_STORAGES 6
struct orr_checkpoint {
    enum orr_weight_format format; /* the narrow format; PUBLISHED: no tensor is narrow */
    bool named;                    /* `--precision` with the name of the format gives this same checkpoint */
    enum orr_dtype wide;           /* 16-bit format of all other tensors; ORR_N_DTYPES: the chip's own */
    double vector_bytes;           /* bytes of a norm, bias or router element */
    bool router_bias_fp32;         /* the router's correction biases are kept in 32 bits */
    enum orr_dtype kv;             /* cache format that the config names; ORR_N_DTYPES: it names none */
    enum orr_kv_format kv_format;
    int64_t n_storages;
    struct orr_storage storages[ORR_MAX_STORAGES]; /* [0] is the storage of tensors that are not narrow */
    uint8_t embedding, head;                       /* index of the storage of each */
    uint16_t layers[ORR_MAX_LAYER_KINDS][ORR_N_TENSORS][ORR_MAX_STORAGES];
    uint8_t mtp[ORR_N_TENSORS]; /* index of the storage of the tensors of a multi-token prediction layer */
};

/* What a tower reads. */
enum orr_tower_input {
    ORR_TOWER_NONE,  /* the model has no tower whose work is known */
    ORR_TOWER_IMAGE, /* patches of images, which become tokens of the prompt */
    ORR_TOWER_SOUND, /* frames of sound, which the decoder attends to */
    ORR_TOWER_TEXT   /* tokens of an encoder-decoder model, which the decoder attends to */
};

/* A product of a tower outside its layers: patch embedding, convolution, merger or projector. */
struct orr_tower_product {
    int64_t in, out;      /* columns of the input and of the output */
    int64_t params;       /* with bias and the norm before it */
    int64_t count;        /* how many there are, each with the same input rows */
    int64_t rows, joined; /* the input has so many rows for every `joined` positions of the tower */
    bool input;           /* before the layers; else after them */
    bool last;            /* the last product of a merger, whose output the text model reads */
};

#define ORR_MAX_TOWER_PRODUCTS 6

/* An encoder beside the text model: vision tower, sound encoder, or the encoder of an encoder-decoder model. Its layers
 * are layers of the same kind as those of the text model, without a causal mask and a cache (Eqs. 120, 124, 125). */
struct orr_tower {
    enum orr_tower_input input;
    int64_t hidden;
    bool rms_norm;                  /* RMS norm, else layer norm */
    struct orr_layer_kind kinds[2]; /* [0] attends to all positions, [1] within windows */
    int64_t n_layers[2];
    int64_t n_products;
    struct orr_tower_product products[ORR_MAX_TOWER_PRODUCTS];
    int64_t other_params; /* positions, and norms outside layers and products */
    int64_t params;       /* all parameters */
    /* how an image becomes positions and tokens (Eq. 125) */
    int64_t patch, merge;      /* pixels per side of a patch; patches per side that are joined to one token */
    bool round_up;             /* sides are rounded up to whole tokens; else to the nearest */
    bool row_breaks;           /* a token more after every row of tokens */
    int64_t most_tokens;       /* the image is scaled to the largest size with at most so many tokens; 0: kept */
    int64_t tile, max_tiles;   /* pixels per side of a tile, and most tiles of an image; 0: no tiles */
    int64_t positions, tokens; /* of an image, of a tile, or of a sequence, where no size changes them */
};

struct orr_model {
    char id[ORR_ID];
    char asked[ORR_ID];                   /* the name used in the request, where it is not the id */
    char shipped_format[ORR_FORMAT_NAME]; /* weight format that the name in the request states; "": none */
    char type[32];                        /* model_type of the config.json, for display only */
    char published[ORR_ID];               /* name on Hugging Face, for display only; "": not known */
    int64_t hidden, vocab, n_layers;
    int64_t max_seq;                        /* longest context; 0: the config does not say */
    int64_t n_positions;                    /* learned position vectors; 0: rotary, ALiBi or none */
    bool tied_embeddings;                   /* the head uses the embedding matrix */
    bool rms_norm;                          /* RMS norm, else layer norm */
    bool attention_dropout, hidden_dropout; /* the config trains with dropout */
    struct orr_checkpoint checkpoint;       /* formats the model is published in */
    int64_t embedding_params;               /* token and position embeddings, embedding norms */
    int64_t head_params;                    /* output matrix (0 if tied), its bias, final norm */
    int64_t n_mtp;                          /* multi-token prediction layers; no other count here includes them */
    int64_t mtp_params;     /* one of them without its transformer layer: 2h -> h projection, three norms */
    bool is_mtp;            /* a draft model made of another model's prediction layers, all of one kind; it
                                         has no embedding and head of its own, and a draft runs one of its layers */
    int64_t tower_params;   /* vision, audio and encoder towers; no other count here includes them */
    struct orr_tower tower; /* the tower whose work is known */
    int64_t n_kinds;
    struct orr_layer_kind kinds[ORR_MAX_LAYER_KINDS];
    uint8_t layer_kind[ORR_MAX_LAYERS]; /* kind of layer i, i < n_layers */
};

/* All parameters, and the parameters that one token uses: its top-k experts instead of all, including the embeddings
 * (Eqs. 16-19). */
ORR_API int64_t orr_model_params(const struct orr_model *model);
ORR_API int64_t orr_model_params_active(const struct orr_model *model);

/* ---------------------------------------------------------------- system: hardware facts */

struct orr_chip {
    char id[ORR_ID];
    char name[ORR_ID];
    char family[32];                       /* architecture, e.g. "ampere" */
    char vendor[32];                       /* maker, e.g. "nvidia"; "": not known */
    double peak_flops_per_s[ORR_N_DTYPES]; /* dense; 0: the chip has no such units */
    double vector_flops_per_s;             /* fp32 rate outside the matrix units, for memory-bound kernels */
    int64_t n_sm;                          /* SMs, compute units, or cores */
    double smem_bytes_per_sm;              /* shared memory or scratchpad, which must hold the tiles of a product */
    double l2_bytes, l2_bytes_per_s;       /* last-level cache */
    double l2_multicast;                   /* thread blocks one operand read can serve (clusters); 1: no multicast */
    double hbm_bytes, hbm_bytes_per_s;     /* capacity the driver reports; nominal bandwidth */
    enum orr_attention_kernel flash;       /* fused attention kernel of the frameworks made for the chip */
    double tdp_w, idle_w;
    double awake_frac;   /* share of tdp_w that kernels take before their work; 0: idle_w */
    double calibrated_w; /* power limit at which the calibration's sustained shares hold */
    double flop_j;       /* energy of one 16-bit matrix FLOP, including operand delivery */
    double hbm_j_per_byte, link_j_per_byte;
};

#define ORR_MAX_FABRIC_LINES 20
#define ORR_FABRIC_POINTS    4
/* One algorithm and protocol of a collective between domains: latency and wire time of Eqs. 58a-58e. */
struct orr_fabric_line {
    enum orr_collective collective;
    enum orr_algorithm algorithm; /* ring, tree, hierarchical, direct (pairwise) or sharp */
    bool low_latency;             /* the latency protocol; else the bandwidth protocol */
    bool pipelined;               /* a step takes the longer of latency and wire; else both add up */
    bool after_local;             /* the part between domains follows the part inside; else beside it */
    double base_s, hop_s;
    int64_t n_points;
    double domains[ORR_FABRIC_POINTS];         /* points of the next member, interpolated in log2 of the domains */
    double efficiency_frac[ORR_FABRIC_POINTS]; /* sustained share of the nominal rate of a GPU */
};

/* What collectives sustain on a kind of network: fitted to timings between nodes, apart from any one system. */
struct orr_fabric {
    char id[ORR_ID];                          /* "": the system has none, its scaleout_* members count */
    bool measured;                            /* fitted to timings of this kind of network */
    double spread_low_frac, spread_high_frac; /* measured over predicted time, four cases in five */
    int64_t n_lines;
    struct orr_fabric_line lines[ORR_MAX_FABRIC_LINES];
};

#define ORR_MAX_TIERS 3
/* A level of switches above the NICs. Units of `gpus` GPUs are joined by it. */
struct orr_tier {
    char name[16];           /* "leaf", "rail", "spine" */
    int64_t gpus;            /* GPUs of a unit, which reach each other below this tier */
    double bytes_per_s;      /* uplinks of a unit, per GPU and direction; 0: as the NICs */
    double oversubscription; /* 1: full bisection */
    double latency_s;        /* added when a message crosses the tier */
    enum orr_topology topology;
    int64_t links; /* mesh, dragonfly: other units it is joined to; torus: links of a unit */
};

struct orr_system {
    char id[ORR_ID];
    char asked[ORR_ID]; /* the name used in the request, where it is not the id */
    struct orr_chip chip;
    int64_t gpus_per_node;
    int64_t domain_gpus;                 /* GPUs that reach each other over the scale-up network */
    double scaleup_bytes_per_s;          /* per GPU and direction */
    double scaleup_latency_s;            /* hardware and protocol, per hop; for chips without measured lines */
    bool scaleup_switched;               /* a switch joins any pair at full rate; else GPUs have direct links */
    int64_t scaleup_links;               /* not switched: direct links of a GPU, which share its rate equally; 0:
                                                 one to every other GPU of the domain; fewer than that: a torus */
    bool scaleup_multicast;              /* the switch reduces and multicasts (NVLS) */
    double scaleout_bytes_per_s;         /* per GPU and direction */
    double scaleout_latency_s;           /* one hop */
    double scaleout_efficiency_frac;     /* sustained share of the nominal rate */
    double scaleout_oversubscription;    /* 1: full bisection */
    double host_speed;                   /* of the host, relative to the reference host of docs/host.md */
    int64_t gpus_per_nic;                /* GPUs that share a NIC; 1 unless stated */
    double host_link_bytes_per_s;        /* between a GPU and its host, per direction; 0: not stated */
    double host_memory_bytes;            /* of a node; 0: not stated */
    double host_optimizer_bytes_per_s;   /* traffic of an optimizer on the host, whole node; 0: not stated */
    double nvme_bytes, nvme_bytes_per_s; /* drives of a node: capacity, rate of reads and writes; 0: not stated */
    bool scaleout_reduction;             /* the switches between domains reduce (SHARP) */
    int64_t n_tiers;
    struct orr_tier tiers[ORR_MAX_TIERS]; /* above the NICs, lowest first */
    struct orr_fabric fabric;             /* what collectives between domains sustain */
    double price_usd_per_gpu_hour;
    double pue_frac; /* facility power over IT power, >= 1 */
};

/* ---------------------------------------------------------------- calibration: constants fitted from kernels */

struct orr_gemm_constants {
    double burst_frac;      /* share of peak before the power limit acts (u_free) */
    double sm_frac;         /* share of its own peak one SM reaches while the others idle; 0: burst_frac */
    double sustained_frac;  /* share of peak in an endless matrix load (u_sust) */
    double power_slope;     /* gain in share per unit of time not spent in matrix kernels */
    double dram_frac;       /* sustained share of DRAM bandwidth */
    double dram_ramp_bytes; /* traffic at which DRAM reaches half its rate, beyond the traffic itself (Q_0) */
    double tile_cost;       /* on-chip operand delivery: lost share per 1/tile side (c) */
    double wave_s;          /* fixed time of a wave: prologue and epilogue (t_p) */
    double launch_s;        /* fixed time of a dependent kernel in a stream (O) */
    double pitch_8_frac;    /* share of the rate left to rows that begin at multiples of 8 bytes only; 0: all of it */
    double pitch_4_frac, pitch_2_frac; /* the same at multiples of 4 and of 2 bytes */
    double grouped_frac;               /* grouped product: share of peak inside a tile */
    double grouped_tile_s;             /* grouped product: fixed time of a tile */
    double grouped_dram_frac;          /* grouped product: share of DRAM bandwidth at which experts are read */
    double grouped_launch_s;           /* grouped product: fixed time, including routing and bookkeeping kernels */
    double grouped_gen_tile_s, grouped_gen_dram_frac, grouped_gen_launch_s; /* ... by low-latency kernels; 0: none */
    double grouped_triton_frac, grouped_triton_tile_s;        /* ... by Triton kernels; 0: none */
    double grouped_triton_dram_frac, grouped_triton_launch_s; /* the rest of these */
};

struct orr_attention_constants {
    double forward_frac, forward_half_seq; /* u = frac * s/(s + half_seq), share of 16-bit peak */
    double backward_frac, backward_half_seq;
    double head_64_frac, head_96_frac; /* factor for head size <= 64 and <= 96 */
    double launch_s;                   /* fixed time of the kernel */
    double tail;                       /* tail time, in units of one block's pass over its keys */
    double backward_tail;              /* the same of the backward kernel; 0: as forward */
};

/* Decode attention: t = launch + max(bytes / (DRAM share), FLOP / (peak share), waves of blocks) + reduction of
 * splits. */
struct orr_decode_constants {
    double launch_s;            /* fixed time of the kernel */
    double dram_frac;           /* share of DRAM bandwidth at which the cache is read */
    double compute_frac;        /* share of peak, including the conversion of 8-bit caches */
    double sm_bytes_per_s;      /* most that one SM can read */
    double block_s;             /* fixed time of a thread block */
    double reduce_s;            /* adding partial results of a split context */
    double ramp_bytes;          /* first bytes of the cache, which are read at half that rate */
    double head_elements_per_s; /* K,V elements that a kernel with one query head per block reads */
};

#define ORR_MAX_LINES   48
#define ORR_LINE_POINTS 4
/* One straight line of a collective: t = base_s + hops(n) * hop_s + wire(n, S) / (link * efficiency(n)). */
struct orr_collective_line {
    enum orr_collective collective;
    enum orr_algorithm algorithm;
    bool low_latency; /* the latency protocol; else the bandwidth protocol */
    bool custom;      /* a serving engine's own kernel, not the library's */
    double base_s, hop_s;
    int64_t n_points;
    double ranks[ORR_LINE_POINTS], efficiency_frac[ORR_LINE_POINTS]; /* interpolated in log2 of the ranks */
};

struct orr_calibration {
    char id[ORR_ID];
    bool calibrated; /* fitted to this chip's kernels; else values of its family */
    struct orr_gemm_constants gemm[ORR_N_DTYPES];
    struct orr_attention_constants attention[ORR_N_ATTENTION_KERNELS];
    struct orr_decode_constants decode[ORR_N_DECODE_KERNELS][2]; /* [kernel][0: 16-bit cache, 1: 8-bit] */
    struct orr_decode_constants mla_decode[2];                   /* absorbed latent attention */
    double pointwise_frac[ORR_N_POINTWISES];                     /* share of DRAM bandwidth, large tensors */
    double pointwise_launch_s;                                   /* fixed time of a pointwise kernel in a stream */
    double l2_frac;                                              /* share of nominal last-level bandwidth */
    double write_frac;                    /* share of DRAM bandwidth at which a product's output is written */
    double softmax_unfused_frac;          /* framework softmax of rows up to 1024; falls with the root beyond */
    double softmax_unfused_backward_frac; /* the gradient of the framework softmax */
    double p2p_scaleup_frac;              /* share of the scale-up link a send sustains */
    double scan_frac;                     /* rate of scans over chunks as a share of the rate of 16-bit products;
                                                 0: not known, half is assumed */
    double overlap_contention_frac;       /* compute lost per second of hidden communication (Eq. 65) */
    double straggle_frac_per_doubling;    /* step time added per doubling of GPUs beyond one node */
    int64_t n_lines;
    struct orr_collective_line lines[ORR_MAX_LINES];
};

/* ---------------------------------------------------------------- engine: software facts */

#define ORR_MAX_ENGINE_LIMITS 8

/* What an engine's own rules grant on some chips. The first entry that holds for a chip counts. */
struct orr_engine_limit {
    double memory_below_bytes;                              /* it holds on chips with less memory; 0: with any */
    char chips[64];                                         /* ... whose id contains one of these words; "": on any */
    int64_t max_requests, max_step_tokens, graph_sequences; /* 0: as the engine's own */
    double budget_frac;                                     /* 0: as the engine's own */
};

/* How the name in a request led to an engine. */
enum orr_match {
    ORR_MATCH_ID,        /* it is the id, a path, or an object in place */
    ORR_MATCH_ALIAS,     /* another name of this very engine */
    ORR_MATCH_DEFAULT,   /* the name of a family: its documented version */
    ORR_MATCH_COVERED,   /* a version that the engine stands for */
    ORR_MATCH_OLDER,     /* a version that is not listed: the nearest older one */
    ORR_MATCH_NEWER,     /* a version older than all: the oldest one */
    ORR_MATCH_UNCOUNTED, /* a release of a stack known by years, or the reverse */
    ORR_N_MATCHES
};

/* Jobs that a stack runs. */
enum orr_engine_kind { ORR_ENGINE_BOTH, ORR_ENGINE_TRAINING, ORR_ENGINE_SERVING, ORR_N_ENGINE_KINDS };

struct orr_engine {
    char id[ORR_ID];
    char asked[ORR_ID]; /* the name used in the request, where it is not the id */
    enum orr_match match;
    enum orr_engine_kind kind;
    char family[ORR_ID], version[32];    /* "": a stack without versions */
    char family_aliases[96];             /* other spellings of the family, separated by spaces */
    char covers[96];                     /* releases and years it stands for; "": its version */
    bool family_default;                 /* the bare name of the family means this version */
    char vendors[96];                    /* makers of the chips it runs on, separated by spaces; "": any */
    enum orr_attention_kernel attention; /* kernel behind "flash" */
    bool attention_from_chip;            /* use the chip's own kernel: the software stack is not known */
    bool attention_unfused_default;      /* an empty attention field means unfused */
    char latent_unfused_family[32];      /* chips whose fused kernel has no backward for latent attention: an empty
                                                 attention field means unfused there, with its core recomputed */
    /* which neighbouring operators share one kernel */
    bool fused_bias_activation, fused_bias_dropout_add, fused_softmax, fused_gate, fused_rope, fused_norm;
    /* copies of layouts, masks and casts around attention in an eager layer: kernels, and bytes per element of the
     * residual stream that they move */
    bool split_products; /* q, k and v, and gate and up, are products of their own */
    /* RMS norms and rotary positions made of framework operators: kernels, and bytes per element, each way; rotary
     * kernels run for queries and for keys. 0: by fused_norm and fused_rope. */
    double norm_launches, norm_backward_launches, norm_bytes, norm_backward_bytes;
    double rope_launches, rope_backward_launches, rope_bytes, rope_backward_bytes;
    double score_saved_bytes; /* bytes per score that unfused attention keeps; 0: by its formats */
    bool autocast;            /* weights and the residual stream are fp32; products cast their inputs */
    double norm_saved_bytes;  /* bytes per element that such a norm keeps; 0: its input */
    bool masked_attention;    /* fused attention gets its mask as a tensor: it skips no pairs, and keys
                                                 and values are repeated for all heads */
    double layout_launches, layout_backward_launches;
    double layout_bytes, layout_backward_bytes;
    bool layout_whole_rows; /* they work on the residual stream, which only sequence parallelism
                                                 divides over tp */
    /* copies beside collectives of sharded weights, in bytes per parameter: after each gather, before the scatter */
    double gather_copy_bytes, scatter_copy_bytes;
    double loss_bytes_per_logit;          /* traffic of the loss, forward and backward; 0: by fused_loss */
    bool selective_ops;                   /* selective recomputation keeps every other product and the attention
                                                 core, and repeats the rest of a layer */
    bool recompute_early_stop;            /* recomputation skips the layer's last GEMM: nothing reads its output */
    bool fused_gradient_accumulation;     /* wgrad accumulates in the GEMM's epilogue */
    bool fused_optimizer_cast;            /* weights are written by the optimizer kernel itself */
    bool fused_loss;                      /* cross-entropy passes over 16-bit logits once each way */
    int64_t gradient_bytes;               /* bytes of an accumulated gradient element */
    int64_t reduce_bytes;                 /* bytes per element of the gradient collective */
    int64_t optimizer_bytes;              /* master weight and moments per parameter */
    double optimizer_traffic_bytes;       /* bytes the optimizer moves per parameter; 0: states once */
    double bucket_copy_bytes;             /* bytes per parameter copied to and from buckets of a reduction */
    double reduce_bucket_params;          /* gradients that are reduced together beside backward; 0: all of them */
    double reduce_bucket_rank_params;     /* ... at least so many for every rank of the data-parallel group */
    bool clip_gradients;                  /* one more pass over the gradients for their norm */
    bool clip_scales;                     /* ... and one that always scales them */
    int64_t vocab_multiple;               /* the vocabulary is padded to a multiple of this times tp */
    int64_t moe_permute_passes;           /* passes over routed rows outside the expert GEMMs */
    int64_t moe_pad_passes;               /* further passes that align the rows of quantised experts */
    enum orr_expert_kernel expert_kernel; /* how the products of the experts are launched */
    int64_t moe_launches;                 /* small kernels of an expert layer besides products and row copies, in
                                                 forward; backward has twice as many */
    int64_t moe_expert_launches;          /* the same per expert of a rank, where the framework loops over them */
    int64_t moe_syncs;                    /* times that the host waits for the device in an expert layer;
                                                 in a loop over experts for each of them */
    double host_sync_s;                   /* idle time of the device at such a wait */
    /* products in 8 bits or fewer (src/ops/recipe.c) */
    enum orr_fp8_recipe fp8_recipe;    /* recipe where a request names none */
    enum orr_fp8_recipe mx_recipe;     /* the same on chips whose matrix units scale blocks (those with fp4) */
    bool fp8_fused_copies;             /* one kernel writes both copies of a tensor, along rows and columns */
    bool fp8_fused_maximum;            /* the kernel that writes a tensor finds its maximum */
    bool fp8_recast;                   /* inputs are kept in 16 bits and cast again in backward */
    bool fp8_weights_each;             /* weights are cast in every micro-batch, not once per step */
    bool fp8_gather;                   /* weights are gathered in 8 bits, where one copy serves all products */
    bool fp8_tp_gather;                /* inputs of tensor-parallel products too */
    double fp8_cast_bytes_per_element; /* traffic of casting an input or gradient; 0: by the recipe */
    /* communication */
    bool tp_async_backward;      /* column-linear collectives run beside dgrad/wgrad */
    bool cp_balanced;            /* context-parallel ranks share the pairs of a causal mask evenly */
    double tp_overlap_frac;      /* share of TP transfers pipelined with their GEMM */
    double dp_overlap_frac;      /* share of the backward window gradient collectives can use */
    double ep_overlap_frac;      /* share of the all-to-all hidden by other compute */
    bool ep_overlap_interleaved; /* all-to-all between domains runs beside the layer's compute of another
                                                 micro-batch where the pipeline is interleaved */
    double zero3_overlap_frac;   /* share of a layer's compute its gathers can use */
    double zero3_nic_frac;       /* share of the node's rails sharded gathers use */
    bool zero1_allreduce;        /* ZeRO-1 sums whole gradients on every rank instead of scattering them */
    bool zero1_exposed;          /* ZeRO-1 exchanges gradients after backward, beside nothing */
    bool zero1_gather_exposed;   /* ZeRO-1 gathers new weights before the next forward, beside nothing */
    bool zero1_broadcast;        /* ... as one broadcast per owner of whole tensors */
    int64_t layer_tensors;       /* weight tensors of a layer, for engines that handle them one by one */
    double zero1_tensor_s;       /* ZeRO-1: host time per weight tensor and rank to gather it */
    bool stages_by_cost;         /* pipeline stages of equal matrix work instead of equal layers */
    int64_t unfilled_stages;     /* 1F1B refuses fewer than pp minus this micro-batches */
    char schedules[128];         /* names of the pipeline schedules it has, for searches; "": not known */
    double skew_hop_s;           /* wait for late ranks in a collective across nodes, per other rank */
    bool p2p_overlap;            /* interleaved pipeline sends run beside compute */
    bool p2p_scatter_gather;     /* sends are split over the TP group */
    /* host */
    double host_launch_s;          /* host time per kernel launch; 0: graphs, or the host is always ahead */
    double host_backward_launch_s; /* the same in a backward pass; 0: as in a forward pass */
    double host_collective_s;      /* host time per collective of a layer, besides its launch */
    double host_pipeline_rank_s;   /* more per collective and rank of its group in pipelines across nodes */
    double host_layer_s;           /* host time per layer and pass besides launches: modules, hooks, views */
    double host_sharded_layer_s;   /* more of it with ZeRO-3: hooks that gather and free weights */
    double host_micro_batch_s;     /* host time per micro-batch and pass outside the layers */
    double host_step_s;            /* fixed host time per iteration */
    bool short_run;                /* benchmark too short to reach the power limit */
    /* defaults where a request is silent */
    bool moe_dedup;            /* node-limited routing: one copy per destination node, not per expert */
    bool moe_low_latency;      /* decode passes send a copy of a token to every expert, in 8 bits where
                                                 the products have 8 bits */
    bool two_batch_overlap;    /* a batch runs in halves: one exchanges tokens, the other computes */
    bool moe_redundant;        /* serving: places for experts that ep leaves free hold copies */
    bool default_mtp;          /* the model's multi-token prediction (MTP) layers are trained too */
    bool mtp_full_first_chunk; /* only the last chunk is shortened for MTP layers, embedding and head */
    bool default_sp;           /* sequence parallel when tp > 1 */
    int64_t default_zero;
    enum orr_recompute default_recompute;
    enum orr_dtype default_precision; /* inputs of products; ORR_N_DTYPES: the chip's 16-bit format */
    int64_t default_micro_batch;      /* largest micro-batch that is tried where a source states none */
    /* serving */
    double kernel_gap_s;                /* idle time between dependent kernels; 0 in a captured graph */
    double short_prefill_gap_s;         /* kernel_gap_s of a prefill of at most 512 tokens */
    int64_t layer_pointwise_kernels;    /* norms, rotary positions, activation, residual of one layer */
    double pointwise_floor_s;           /* least time of one pointwise kernel */
    double pointwise_bytes_per_element; /* pointwise traffic per token and hidden element, without activations */
    bool fused_gate_up;                 /* gate and up are one product */
    bool split_kv;                      /* decode attention splits long contexts over idle SMs */
    bool packed_gqa;                    /* decode attention reads a K,V head once for its query group */
    bool packed_gqa_plain_only;         /* packed_gqa holds only for full-context layers with heads of 128 */
    int64_t packed_gqa_most;            /* most query heads of a group for which packed_gqa holds; 0: any */
    char unpacked_chunks[32];           /* family of chips on which chunked layers are not packed; "": none */
    enum orr_decode_kernel decode_kernel;
    bool custom_allreduce;                      /* the engine has one- and two-shot kernels beside the library's */
    double allreduce_skew_s;                    /* launch and rank skew of a collective on a stream */
    double request_s, request_s_per_sequence;   /* tokenising, scheduling, responding: once per batch of requests */
    double sampling_s, sampling_s_per_sequence; /* host time per step: scheduling, inputs, sampling, detokenising */
    bool async_scheduling;                      /* ... runs beside the GPU's work of the step before */
    int64_t graph_sequences;                    /* a decode pass of at most so many sequences is replayed as a graph, so
                                                 that the host launches one thing; 0: no pass is */
    bool dynamic_quantisation;                  /* activations are quantised by kernels of their own */
    char weight_formats[96]; /* families of formats the engine has kernels for; "": any (not known) */
    enum orr_budget budget;
    double budget_frac;
    bool kv_windows;              /* the cache of a windowed layer is cut to its window */
    int64_t kv_block_tokens;      /* tokens of a cache block; sequences take whole blocks */
    int64_t kv_table_entry_bytes; /* bytes of a block-table entry; 0: the cache is contiguous */
    int64_t max_requests;         /* most sequences in one batch */
    int64_t n_limits;             /* if any, the last one holds the values of the file itself */
    struct orr_engine_limit limits[ORR_MAX_ENGINE_LIMITS];
    int64_t piece_tokens;    /* halve the batch until a piece has at most this many tokens; 0: never */
    bool last_token_decoded; /* the last token of a prompt takes a decode step after the others */
    bool bench_limits;       /* validation: published throughput has the limits of the engine's tool */
    int64_t max_step_tokens; /* most prompt tokens in a step, which bounds activations; 0: no limit */
    /* serving under load */
    enum orr_scheduler scheduler;
    bool chunked_prefill;                /* a prompt that does not fit into a step is cut */
    double watermark_frac;               /* share of the cache blocks that admission leaves free */
    double admit_frac, admit_least_frac; /* SGLang: share of outstanding outputs that admission counts, at first */
    int64_t admit_steps;                 /* ... and decode steps after which it has fallen to the least */
    int64_t batch_wait_steps;            /* while sequences decode, prompts wait at most so many steps */
    double batch_wait_tokens_frac;       /* ... for so many tokens, a share of max_step_tokens */
    double batch_wait_sequences_frac;    /* ... or for so many prompts, a share of the decoding sequences */
    bool decode_after_prefill; /* a decode pool hears of a request when its prompt is computed, and handles it anew */
    int64_t poll_steps;        /* new requests are looked at every so many decode steps; 0 is 1 */
    bool decided_ahead;        /* a step is decided when the one before begins, though no host time is hidden */
    bool tuned_fp4;            /* serving: 4-bit products by the fastest of several libraries, which may
                                                 split K */
    char fixed_fp8_tiles[32];  /* serving: family of chips on which the tile of an 8-bit product follows
                                                 from its rows alone; "": none */
    bool low_latency_experts;  /* serving: 4-bit experts by kernels that are made for few rows */
    bool triton_experts;       /* serving: experts of 8 and 16 bits by Triton kernels */
    int64_t qk_norm_kernels;   /* serving: kernels that normalise the query and key heads of a layer */
    bool graph_pieces;         /* a graph ends before every attention, which is launched ... */
    double graph_piece_s;      /* ... after so long a pause of the device */
    int64_t graph_multiple;    /* decode steps are padded to 1, 2, 4 or a multiple of this; 0: not */
    bool prefix_cache;         /* blocks of finished prompts are kept and found again */
    double frontend_s, frontend_s_per_token; /* HTTP and tokenisation of a request: delay, and delay per token */
    double frontend_s_per_request;           /* ... and the part in which requests take turns */
    double stream_s_per_token;               /* detokenising and sending one token; tokens take turns */
    int64_t stream_tokens;                   /* tokens that are sent together; 0 is 1 */
    bool preempt_swap;                       /* stopped sequences keep their cache in the memory of the host */
    int64_t max_adapters;                    /* LoRA adapters that a replica has loaded at once; 0 is 1 */
    /* memory */
    bool gradients_dropped;     /* gradients are freed after a step, and appear as backward makes them */
    bool gradients_16bit_live;  /* 16-bit gradients stay until the optimizer copies them */
    bool saves_unfused;         /* autograd keeps the inputs of every unfused operator */
    double logit_bytes_live;    /* bytes per logit alive in the loss */
    int64_t loss_chunks;        /* parts in which head and loss run; 0: one */
    double zero3_live_params;   /* ZeRO-3: parameters that may stay gathered between their uses */
    double zero3_whole_params;  /* ZeRO-3: tensors with fewer parameters are not sharded */
    int64_t bucket_bytes;       /* bytes per parameter of gradient buckets beside the gradients, ZeRO-0 */
    int64_t zero1_gather_bytes; /* bytes per parameter of buffers that ZeRO-1 gathers weights through */
    double stream_tensors;      /* whole activations per layer that the communication stream of tensor
                                                 parallelism keeps from being freed while the host runs ahead */
    double reserved_frac;       /* memory the allocator holds beyond saved activations, a share of them;
                                                 counted where sources print reserved memory */
    double context_bytes;       /* driver context and communication libraries */
    double workspace_bytes;     /* GEMM and library workspace */
    double fragmentation_frac;  /* share of the capacity that the allocator loses */
    /* what `orrery fit` found in runs of a stack, relative to the calibration and the network of the system
     * (docs/fit.md): rates are multiplied by a rate factor, times by the others; 1: as they are */
    double matrix_rate_factor, eight_bit_rate_factor, four_bit_rate_factor;
    double attention_rate_factor, dram_rate_factor, grouped_rate_factor;
    double scaleup_rate_factor, scaleout_rate_factor, scaleout_latency_factor, straggle_factor;
    double grouped_launch_factor, pointwise_time_factor, host_time_factor;
    double time_factor;                     /* of every part alike: what no other number explains */
    int64_t fit_runs;                       /* runs behind them; 0: the engine was not fitted */
    double fit_within_frac, fit_stack_frac; /* spread (ln) of single runs, and of what the runs left uncertain */
};

/* ---------------------------------------------------------------- plan, workload, job */

#define ORR_MAX_STAGES 512

struct orr_plan {
    int64_t gpus; /* tp * pp * cp * dp */
    int64_t tp, pp, vpp, dp, cp;
    int64_t ep, etp;                        /* carved out of dp * cp * tp (Eq. 5) */
    int64_t zero;                           /* 0-3 */
    int64_t zero_group;                     /* ranks over which weights are sharded; dp * cp unless hybrid sharding */
    int64_t zero_secondary;                 /* ZeRO-3: ranks that keep second shards for backward; 0: none */
    bool gathered_kept;                     /* ZeRO-3: gathered weights stay from forward to backward */
    enum orr_store offload[ORR_N_OFFLOADS]; /* where states and activations are kept */
    bool sp;
    enum orr_schedule schedule;
    enum orr_stage_rule stages; /* how layers are divided over stages unless they are listed */
    enum orr_cp_kind cp_kind;
    uint32_t exposed_groups;              /* bit 1 << group: its transfers are not hidden though the engine could */
    int64_t n_stage_layers;               /* 0: layers spread evenly */
    int64_t stage_layers[ORR_MAX_STAGES]; /* layers of pipeline rank i */
};

struct orr_adapter {
    enum orr_adapter_kind kind;
    int64_t rank;
    unsigned targets;          /* bit 1 << target */
    enum orr_base_format base; /* of the frozen matrices of the layers */
    enum orr_dtype format;     /* of the adapter's own weights: fp32, or the format of activations */
    bool plain;                /* fp32 products without autocast: inputs are kept in fp32 */
};

struct orr_workload {
    int64_t seq, micro_batch, global_batch; /* tokens; sequences; sequences */
    enum orr_dtype precision;               /* GEMM inputs */
    enum orr_fp8_recipe fp8_recipe;         /* scaling of narrow products; ENGINE: as the engine does */
    enum orr_recompute recompute;
    enum orr_optimizer optimizer;        /* what is kept per parameter; ENGINE: as the engine does */
    enum orr_gradient_format gradients;  /* format in which micro-batches add up their gradients */
    enum orr_asked_format comm;          /* train: format of everything that travels between GPUs */
    enum orr_asked_format activations;   /* format of activations in memory, moved and kept */
    enum orr_asked_format core;          /* format of the products of attention and of their operands */
    bool ideal;                          /* no fixed times of kernels and host, no late ranks (orr_idealise) */
    int64_t wide_layers;                 /* layers whose products stay in 16 bits though `precision` is narrower */
    int64_t recompute_every;             /* full: one saved input per this many layers (Eq. 88) */
    uint32_t recompute_ops;              /* ops: bit 1 << enum orr_repeatable */
    int64_t recompute_first;             /* only this many first layers of every pipeline chunk; 0: all */
    int64_t recompute_nth;               /* only every nth layer of the model; 0: all */
    enum orr_attention_kernel attention; /* resolved: unfused or the engine's kernel */
    bool attention_dropout, hidden_dropout;
    bool causal;          /* fused kernels skip the masked half of the scores */
    double moe_capacity;  /* rows of every expert over the mean, cut or filled up; 0: dropless */
    double moe_imbalance; /* rows on the hottest expert rank over the mean, >= 1 */
    int64_t mtp_layers;   /* multi-token prediction layers trained after the last layer */
    struct orr_adapter adapter;
    int64_t frozen_layers;      /* first layers whose weights are not trained */
    bool optimizer_in_backward; /* a weight is updated, and its gradient dropped, as soon as it is made */
    bool frozen_embedding, frozen_head, frozen_tower; /* ... nor are those of these parts */
};

/* What the tower of a model reads for each sequence (docs/json.md), and what follows from it (orr_media_resolve). */
struct orr_media {
    int64_t images;                      /* images of a sequence; 0: a job without the vision tower */
    int64_t image_width, image_height;   /* pixels */
    bool size_assumed;                   /* the request does not give the size */
    double audio_s;                      /* seconds of sound of a sequence */
    int64_t encoder_tokens;              /* tokens that an encoder reads */
    bool encodes;                        /* the tower is part of the job: its weights, time and memory */
    int64_t tower_runs, tower_positions; /* images, tiles or windows of a sequence, and positions of each */
    int64_t image_tokens;                /* tokens that they add to a prompt, or take of a training sequence */
    int64_t cross_keys;                  /* encoder positions of cross attention; 0: those of the model */
};

/* The weights of a model as they are served: bytes and products of every layer kind, as means over its layers. */
struct orr_served {
    bool resolved;                      /* what follows is set; else every matrix is in orr_serving.weights */
    double head_bytes, embedding_bytes; /* per weight of the tables at the ends */
    double vector_bytes;                /* per element of a tensor that is no matrix */
    double module_bytes[ORR_N_MODULES]; /* bytes of each module in the whole model */
    struct {
        double copied_bytes;                   /* latent down-projections: whole on every rank of tp */
        double divided_bytes;                  /* the rest of attention, dense FFN, shared experts */
        double expert_bytes;                   /* one routed expert */
        double other_bytes;                    /* norms and router */
        double stored_bytes[ORR_N_PRODUCTS];   /* per weight, including scales */
        enum orr_dtype matrix[ORR_N_PRODUCTS]; /* format in which the product is computed */
        bool used[ORR_N_PRODUCTS];             /* the layer has this product */
    } kinds[ORR_MAX_LAYER_KINDS];
    double head_stored_bytes; /* per weight of the head's product; 0: the format of activations */
};

/* What an inference job asks of one replica: `batch` prompts of input_len tokens, each answered by output_len. */
struct orr_serving {
    int64_t batch;                           /* sequences of one data-parallel rank */
    int64_t input_len, output_len;           /* input_len: text; the tokens of images are in orr_media */
    enum orr_weight_format format;           /* requested format; PUBLISHED: the checkpoint's own formats */
    enum orr_dtype weights;                  /* storage format of the weight matrices, or of most of them */
    enum orr_dtype matrix;                   /* format of the weight products: 16 bit for weight-only formats */
    enum orr_dtype kv;                       /* cache format, or the format in which kernels read the cache */
    enum orr_kv_format kv_format;            /* format of a cache with scales; PLAIN: `kv` */
    enum orr_dtype comm;                     /* format of activations sent between GPUs */
    enum orr_asked_format activations, core; /* as in orr_workload, which has copies of these three */
    bool ideal;
    double prefix_hit_frac;      /* share of the prompt already in the cache */
    int64_t chunk_tokens;        /* chunked prefill: tokens of the prompt per step; 0: all at once */
    int64_t draft_tokens;        /* speculative decoding: tokens drafted per step; 0: off */
    double draft_accept_frac;    /* chance that a drafted token is accepted */
    bool disaggregated;          /* prefill and decode run on different GPUs; the cache is sent across */
    double moe_imbalance;        /* rows on the hottest expert rank over the mean */
    struct orr_served served[2]; /* [0] the model, [1] the draft model */
};

/* Times of a job over the plausible values of the keys that its request leaves to the program (docs/equations.md,
 * Eqs. 179-181). All members are 0 where it leaves none. */
struct orr_spread {
    int64_t n_tried, n_fit; /* fillings that the rules allow; those of them that fit in memory */
    double low_s, high_s;   /* step times of the fastest and of the slowest plausible filling */
};

struct orr_job {
    enum orr_job_kind kind;
    struct orr_model model;
    struct orr_model draft; /* infer: the draft model, or the model's own prediction layers (is_mtp);
                                                 n_layers 0: there is none */
    struct orr_system system;
    struct orr_calibration calibration;
    struct orr_engine engine;
    struct orr_plan plan;
    struct orr_workload workload; /* train */
    struct orr_serving serving;   /* infer */
    struct orr_media media;
    uint64_t assumed;         /* keys that the request leaves out, as bits (spec/assume.h) */
    uint64_t automatic;       /* keys that it leaves to the prediction with "auto", as bits */
    struct orr_spread spread; /* where they have been filled in (orr_filled) */
    enum orr_kin kin;         /* for its interval; RECORD but where a source is taken as unseen */
};

/* ---------------------------------------------------------------- requests as jobs */

/* Read one part on its own. `id_or_file` is a catalogue id or a path to a JSON file. A model may also be any name that
 * orr_model_named knows, a config.json, or a folder that contains one; a system may also be
 * "generated:node=5,memory=hbm3,..." (docs/technology.md). */
ORR_API ORR_NODISCARD enum orr_err orr_model_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                  struct orr_model *model, struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_system_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                   struct orr_system *system, struct orr_calibration *calibration,
                                                   struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_fabric_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                   struct orr_fabric *fabric, struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_engine_read(const struct orr_catalogue *catalogue, const char *id_or_file,
                                                   struct orr_engine *engine, struct orr_error *error);
/* Lists the engines that run jobs of a kind, as TERMINAL, JSON or HTML. */
ORR_API ORR_NODISCARD enum orr_err orr_engines_render(const struct orr_catalogue *catalogue, enum orr_job_kind kind,
                                                      enum orr_format format, char **text, struct orr_error *error);

/* Read a request of the JSON contract into a complete, checked job. `origin` names the text in errors.
 * Keys: kind, model, system, gpus, plan{}, workload{}, set{"path": value}. "model", "system" and
 * workload."engine" take an id, a file path, or an object in place. Where plan or workload leave a key out, the
 * documented default applies. */
ORR_API ORR_NODISCARD enum orr_err orr_job_read(const struct orr_catalogue *catalogue, const char *json,
                                                const char *origin, struct orr_job *job, struct orr_error *error);

/* A reader reads many requests one after another, as servers and bindings do. It keeps the models, systems and engines
 * of recent requests. */
struct orr_reader;
ORR_API ORR_NODISCARD struct orr_reader *orr_reader_new(const struct orr_catalogue *catalogue);
ORR_API void orr_reader_free(struct orr_reader *reader);
/* Read a request. With `kind` the request must be of that kind and may leave its key "kind" out; with NULL it must have
 * the key. The reader owns *job, which is valid until its next call. */
ORR_API ORR_NODISCARD enum orr_err orr_reader_job(struct orr_reader *reader, const char *json, const char *origin,
                                                  const enum orr_job_kind *kind, const struct orr_job **job,
                                                  struct orr_error *error);

/* The complete, checked job that a form describes. The form owns it, and it is valid until the next call. Only the
 * model, system and engine that changed since the last call are read again. */
ORR_API ORR_NODISCARD enum orr_err orr_form_job(struct orr_form *form, const struct orr_job **job,
                                                struct orr_error *error);

/* ---------------------------------------------------------------- operators and their costs */

struct orr_op {
    const char *name; /* static, e.g. "mlp.up" */
    enum orr_op_kind kind;
    enum orr_phase phase;
    int32_t layer_kind;    /* index into model.kinds, or an ORR_LAYER_* below */
    enum orr_dtype dtype;  /* matrix inputs */
    double count;          /* executions per layer and micro-batch (or per step) */
    double batch, m, n, k; /* GEMM shapes: output m x n, reduction k; a softmax has rows of length n */
    double input_bytes, weight_bytes, output_bytes; /* bytes per element of (m, k), of (k, n) and of (m, n) */
    double flops;                                   /* one execution */
    double bytes;                                   /* DRAM traffic of one execution; its cost may add re-reads */
    double launches;                                /* kernels launched */
    double floor_s;                                 /* POINTWISE: least time of all the operator's kernels together */
    double walk_ratio;     /* FLASH: keys of the longest query block relative to the mean; 2 if causal */
    double imbalance_frac; /* FLASH: pairs of the busiest context-parallel rank above the mean, over the mean */
    double head_size;      /* FLASH: larger of query and value head */
    double kv_heads;       /* DECODE: on this rank; batch: sequences, m: query heads, n: context, k: head size */
    double table_bytes;    /* DECODE: bytes of the block table, per sequence and key */
    double payload_bytes;  /* COLLECTIVE: full payload (S of Eqs. 49-59) of the operation */
    enum orr_collective collective;
    enum orr_group group;
    int64_t ranks;               /* COLLECTIVE: of the first so many ranks of the group; 0: of all */
    int32_t n_experts, n_active; /* COLLECTIVE of tokens to experts: experts of the layer and of a token; else 0 */
    int32_t n_groups, n_groups_active; /* ... groups of experts, and how many of them a token may use; else 0 */
    bool from_drives;                  /* COLLECTIVE with the host: it reads or writes drives, too */
    int32_t window_op;                 /* COLLECTIVE: index of the operator that may hide it; -1: none */
    int32_t latent_rank;          /* DECODE: absorbed latent attention, k is this rank plus the rotary part; else 0 */
    enum orr_pointwise pointwise; /* POINTWISE: class */
    bool packed;                  /* DECODE: a K,V head is read once for its query group */
    double key_tokens;            /* DECODE: tokens of the context that one key stands for; 0 counts as 1 */
    bool joined;                  /* DECODE: further keys of the call before; POINTWISE: the device time of its launches
                                     is in that of another kernel */
    bool index;                   /* DECODE: scores of an indexer, which chooses the keys that attention reads */
    bool vector;                  /* SCAN: arithmetic outside the matrix units */
    bool recomputed;              /* the operator is executed again in backward */
    double repeat_frac;           /* ... or this share of it; 1 unless recomputation keeps some products */
    bool wgrad;                   /* weight gradient: may be delayed by zero-bubble schedules */
};

#define ORR_LAYER_EMBEDDING (-1)
#define ORR_LAYER_HEAD      (-2)
#define ORR_LAYER_STEP      (-3)
#define ORR_LAYER_BOUNDARY  (-4) /* between pipeline chunks */
#define ORR_LAYER_MTP       (-5) /* input and head of a multi-token prediction layer */
#define ORR_LAYER_TOWER     (-6) /* vision tower or encoder */

struct orr_cost {
    double total_s; /* one execution */
    double compute_s, l2_s, dram_s, network_s, launch_s;
    double hidden_s;             /* COLLECTIVE: time that is hidden behind window_op */
    double dram_bytes, l2_bytes; /* traffic, including re-reads */
    double matrix_frac;          /* share of peak used for compute_s; 0: not a matrix kernel */
    double matrix_s;             /* time of the FLOP at that share of peak, which loads the power limit */
    bool partial_overlap;        /* compute and DRAM time overlap only in part, as in grouped products */
    enum orr_bound bound;
    enum orr_algorithm algorithm;    /* COLLECTIVE: the fastest */
    bool across;                     /* COLLECTIVE: it uses the NICs between domains */
    int64_t tile_m, tile_n, split_k; /* GEMM: the fastest */
};

/* ---------------------------------------------------------------- result */

#define ORR_MAX_TENSORS 48
#define ORR_REASON      256

/* One line of the memory ledger, for the pipeline rank with the highest peak. */
struct orr_tensor {
    const char *name;     /* static */
    const char *shape;    /* static: symbols of docs/equations.md, e.g. "b s h" */
    const char *sharding; /* static: what the tensor is divided by */
    const char *lifetime; /* static: from when to when */
    enum orr_memory_part part;
    double bytes; /* size while alive */
    bool at_peak; /* alive at the instant of the peak */
};

#define ORR_MAX_INSTANTS 8
struct orr_instant {
    const char *name; /* static: "loss", "first layer backward", ... */
    double bytes;
};

struct orr_memory {
    double part_bytes[ORR_N_MEMORY_PARTS]; /* at the peak; sums to total_bytes */
    double total_bytes;
    double most_bytes;   /* peak if the host runs ahead throughout; decides whether the plan fits */
    double usable_bytes; /* capacity less context and fragmentation */
    double capacity_bytes;
    int64_t peak_stage;   /* pipeline rank with the highest peak */
    int64_t peak_instant; /* index into instants */
    int64_t n_instants;
    struct orr_instant instants[ORR_MAX_INSTANTS]; /* of the peak stage */
    int64_t n_tensors;
    struct orr_tensor tensors[ORR_MAX_TENSORS];
    double in_flight;                       /* micro-batches whose activations live on the peak stage */
    double host_bytes, host_capacity_bytes; /* offloaded to host memory by one GPU, and its share of that memory */
    double nvme_bytes, nvme_capacity_bytes; /* the same of the drives */
};

struct orr_result {
    struct orr_spread spread;
    double step_time_s, interval_low_s, interval_high_s; /* 10 % of measured times lie below, 10 % above */
    double median_s;                                     /* half of the measured times lie below */
    const char *interval_class;                          /* static name of the job class the interval comes from */
    enum orr_doubt interval_from;                        /* what widens the interval most */
    bool engine_measured;                                /* measured runs have this engine in this regime */
    double bound_s;                                      /* speed of light: no overhead, full overlap, peak rates */
    enum orr_bound bottleneck;                           /* resource that holds the largest share of the step */
    double bound_share_frac[ORR_N_BOUNDS];               /* of step_time_s; sums to 1 */
    double tokens_per_s, tokens_per_s_per_gpu;
    double model_flops, executed_flops; /* whole system, one step (Eqs. 20-23) */
    double model_tflops_per_gpu, mfu_frac, hfu_frac;
    double mfu_causal_frac;          /* as mfu_frac, with the pairs that a causal mask leaves */
    double time_s[ORR_N_TIME_PARTS]; /* sums to step_time_s */
    double hidden_s[ORR_N_GROUPS];   /* communication hidden, per group */
    double matrix_share_frac;        /* share of the step in matrix kernels (power rule) */
    double matrix_frac;              /* share of peak that matrix kernels sustain at that load */
    struct orr_memory memory;
    bool fits;
    char reason[ORR_REASON];                    /* orr_train_advice fills it if the job does not fit; else empty */
    double energy_j, power_w_per_gpu, cost_usd; /* one step, whole system; mean power of a GPU */
    double energy_part_j[ORR_N_ENERGY_PARTS];   /* sums to energy_j */
    int64_t params_total, params_active;
    int64_t n_micro_batches;
};

/* The result of an inference job. Times are for one batch on one replica; rates are for the whole system. */
struct orr_infer_result {
    double ttft_s;                          /* from the arrival of the request to the first token (Eq. 2) */
    double tpot_s;                          /* mean time per further token; 0 if there is none */
    double latency_s;                       /* from the arrival of the request to the last token */
    double prefill_s, decode_s;             /* GPU time of the prompt, and of all further tokens */
    double tower_s;                         /* part of prefill_s: vision tower or encoder */
    double interval_low_s, interval_high_s; /* of latency_s */
    double median_s;                        /* half of the measured latencies lie below */
    const char *interval_class;
    enum orr_doubt interval_from; /* what widens the interval most */
    bool engine_measured;         /* measured runs have this engine in this regime */
    double bound_s;               /* speed of light of the latency */
    double output_tokens_per_s, output_tokens_per_s_per_gpu, input_tokens_per_s_per_gpu;
    double time_s[ORR_N_INFER_PARTS];                                         /* sums to latency_s */
    double prefill_bound_frac[ORR_N_BOUNDS], decode_bound_frac[ORR_N_BOUNDS]; /* each sums to 1; 0 without decode */
    enum orr_bound bottleneck;                                                /* largest share of the latency */
    double memory_bytes[ORR_N_SERVE_MEMORY_PARTS];                            /* one GPU of the fullest stage */
    double memory_total_bytes, memory_usable_bytes, memory_capacity_bytes;
    double kv_budget_bytes; /* what the engine's rule leaves for the cache of one GPU */
    bool fits;
    char reason[ORR_REASON];         /* what is missing; empty if the job fits */
    int64_t max_batch;               /* sequences of this length the budget holds; 0: none */
    int64_t max_context;             /* longest context of one sequence of this batch */
    int64_t kv_bytes_per_token;      /* whole model, while the context is shorter than every window */
    double kv_bytes_per_sequence;    /* whole model at input_len + output_len tokens, cut to the windows */
    double state_bytes_per_sequence; /* whole model, at any length: recurrent states, K,V of encoders */
    double kv_gpu_bytes;             /* cache and states of one sequence on the fullest GPU, in whole blocks */
    double kv_handoff_s;             /* disaggregated: sending the cache, including hidden time (Eq. 95) */
    double tokens_per_step;          /* speculative decoding: mean tokens accepted per step; else 1 (Eq. 94) */
    double matrix_frac;              /* share of peak the prefill's products sustain */
    double energy_j, power_w_per_gpu, cost_usd; /* whole system, one batch per replica */
    double energy_part_j[ORR_N_ENERGY_PARTS];   /* sums to energy_j */
    double cost_usd_per_million_tokens;         /* output tokens */
    int64_t params_total, params_active;
};

/* ---------------------------------------------------------------- prediction */

/* Working memory of one prediction at a time. orr_scratch_new allocates all of it: orr_train, orr_infer, orr_predict,
 * orr_train_what_if and orr_train_advice do not allocate. */
struct orr_scratch;
ORR_API ORR_NODISCARD struct orr_scratch *orr_scratch_new(void); /* NULL: out of memory */
ORR_API void orr_scratch_free(struct orr_scratch *scratch);

/* Predict one training step. The job must have passed orr_job_check. Equal jobs give equal results to the last bit. */
ORR_API void orr_train(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result);

/* Predict one inference job: prefill, then every decode step over the growing context, summed exactly. */
ORR_API void orr_infer(const struct orr_job *job, struct orr_scratch *scratch, struct orr_infer_result *result);

/* A step model gives the time of one step of a serving engine, with prompt chunks and decoding sequences in one batch,
 * to simulators that ask millions of times. orr_step_model_new allocates once per job; orr_step_time neither allocates
 * nor locks. */
struct orr_step_model;
struct orr_step {
    int64_t prefill_tokens;    /* new prompt tokens in this step, all sequences */
    int64_t prefill_sequences; /* sequences of these tokens */
    int64_t prefill_context;   /* tokens of these sequences already in the cache, all together */
    int64_t decode_sequences;  /* sequences that get one token each */
    int64_t decode_context;    /* tokens in the contexts of the decoding sequences, all together */
    int64_t padding_rows;      /* dummy rows without a context that fill a captured graph up to its size */
};
ORR_API ORR_NODISCARD struct orr_step_model *orr_step_model_new(const struct orr_job *job); /* NULL: out of memory */
ORR_API void orr_step_model_free(struct orr_step_model *model);
/* The time of the step in seconds. */
ORR_API double orr_step_time(struct orr_step_model *model, const struct orr_step *step);

/* ---------------------------------------------------------------- serving under load */

/* A law of lengths, in tokens. */
#define ORR_LENGTH_POINTS 33
struct orr_lengths {
    enum orr_length_law law;
    double mean;      /* FIXED, LOGNORMAL, EXPONENTIAL */
    double cv;        /* LOGNORMAL: standard deviation over mean */
    double low, high; /* UNIFORM: first and last; else lengths are cut to this range; 0: not cut */
    int64_t n_points; /* EMPIRICAL */
    double points[ORR_LENGTH_POINTS];
};

/* One request of a trace. */
struct orr_trace_row {
    double arrival_s;
    int64_t input_len, output_len;
    uint64_t prefix;    /* requests with equal numbers begin with the same tokens; 0: with none */
    int64_t prefix_len; /* ... so many */
    bool urgent;
};

/* What is asked of a service. Rates and numbers are those of the whole system; its `dp` replicas share them. */
struct orr_traffic {
    enum orr_arrival arrival;
    enum orr_router router;      /* not of a closed loop, whose users stay with their replica */
    double rate_per_s;           /* POISSON, GAMMA, CONSTANT; DIURNAL: the mean */
    double burstiness;           /* GAMMA: shape of the gaps */
    double swing_frac, period_s; /* DIURNAL: amplitude over mean, and length of a day */
    int64_t concurrency;         /* CLOSED: users */
    double think_s;              /* CLOSED: mean pause of a user between answer and question, exponential */
    int64_t requests;            /* requests of the run; 0: by duration_s */
    double duration_s;           /* no request arrives after this; 0: by requests */
    double warmup_s;             /* requests that arrive earlier are run but not counted */
    struct orr_lengths input_len, output_len;
    int64_t max_output_len; /* what a request may take, which some engines reserve; 0: its own output */
    double prefix_share;    /* share of a prompt that it has in common with others of its group */
    int64_t prefix_groups;  /* groups, drawn by Zipf's law; 0: one */
    double urgent_share;    /* share of the requests that go before all others */
    int64_t adapters;       /* LoRA adapters among the requests, drawn by Zipf's law; 0: none */
    int64_t adapter_rank;   /* their rank, on all matrices of the layers; 0: 16 */
    uint64_t seed;
    const struct orr_trace_row *trace; /* TRACE; not owned, sorted by arrival */
    size_t n_trace;
};

#define ORR_TIMINGS(X)                                                                                                 \
    /*  enum     key          meaning                                                                   */             \
    X(TTFT, "ttft_s", "from the arrival of a request to its first token")                                              \
    X(TPOT, "tpot_s", "mean time of a request per token after the first")                                              \
    X(ITL, "itl_s", "from one token of a sequence to its next, over all tokens")                                       \
    X(LATENCY, "latency_s", "from the arrival of a request to its last token")                                         \
    X(QUEUE, "queue_s", "from the engine's receipt of a request to its first step")
#define ORR_X_TIMING_(name, ...) ORR_TIMING_##name,
enum orr_timing_kind { ORR_TIMINGS(ORR_X_TIMING_) ORR_N_TIMINGS };

/* A distribution in five numbers, and the 80 % interval of its mean as factors: of the model's own error, and with that
 * of a finite run. */
struct orr_timing {
    double mean, p50, p90, p95, p99;
    double low_frac, mid_frac, high_frac; /* 10, 50 and 90 % of measured means lie below */
};

/* A limit on latency: "ttft_s.p99<=1 s". The quantile says how many requests must keep it; 0 is the mean. */
#define ORR_MAX_SLOS 8
struct orr_slo {
    enum orr_timing_kind kind;
    double quantile; /* 0: mean; else 0.5, 0.9, 0.95 or 0.99 */
    double limit_s;
};

/* A pool of equal replicas: `dp` of its job's plan. */
struct orr_pool {
    enum orr_pool_role role;
    const struct orr_job *job; /* not owned */
};

/* A replica that stops: its requests begin anew elsewhere, and it comes back with an empty cache. */
struct orr_failure {
    int64_t pool, replica; /* from 0 */
    double at_s, down_s;
};

/* Replicas of the first pool that come and go with the load. */
struct orr_autoscale {
    int64_t least, most; /* replicas; most 0: their number does not change */
    double requests;     /* unfinished ones that a replica is meant to have */
    double start_s;      /* from the decision to the first request */
    double interval_s;   /* between two decisions */
    double idle_s;       /* so long must fewer replicas do before one is stopped */
};

/* How replicas are put together. All members 0: the job's replicas alone, all equal and always up. */
#define ORR_MAX_POOLS    8
#define ORR_MAX_FAILURES 16
struct orr_deployment {
    size_t n_pools; /* 0: the job's replicas; else the first pool has them */
    struct orr_pool pools[ORR_MAX_POOLS];
    int64_t max_outstanding; /* a replica with so many unfinished requests gets no more; 0: no limit */
    struct orr_autoscale autoscale;
    struct orr_failure failures[ORR_MAX_FAILURES];
    size_t n_failures;
};

/* A request of kind "serving": the job of one replica's steps, the traffic and the limits. */
struct orr_serving_request {
    struct orr_job job;               /* kind INFER, with the mean lengths of the traffic */
    struct orr_deployment deployment; /* jobs of its pools are `job` and those below */
    struct orr_job *pool_jobs;        /* owned; NULL: none */
    struct orr_traffic traffic;       /* its trace is the one below */
    struct orr_slo slos[ORR_MAX_SLOS];
    size_t n_slos;
    struct orr_trace_row *trace; /* owned; NULL: none */
    char trace_file[1024];
};

/* One finished request. */
struct orr_request_record {
    int64_t id;                  /* from 0 in the order of arrival */
    double arrival_s, visible_s; /* sent; received by the engine */
    double start_s;              /* begin of its first step */
    double first_s, finish_s;    /* first and last token delivered */
    int64_t input_len, output_len, cached_len;
    int64_t preemptions;
    double transfer_s; /* of its cache between two pools, waits for the link and for room included */
    bool urgent;
};

/* Steps without an event between them, in which the same sequences decode. */
struct orr_step_record {
    double start_s, end_s;
    int64_t steps;
    int64_t prompt_tokens, prompts; /* of a step with prompts */
    int64_t decodes;                /* sequences that get a token in every step */
    int64_t waiting;                /* requests received and not admitted */
    double kv_used_frac;
};

/* One pool of a deployment, as means over its replicas. */
struct orr_pool_result {
    enum orr_pool_role role;
    int64_t gpus;    /* with all replicas */
    double replicas; /* mean number that are paid for */
    double busy_frac, mean_running_batch, kv_used_frac, kv_capacity_tokens, power_w_per_gpu;
    int64_t preemptions;
};

struct orr_serving_result {
    struct orr_timing timing[ORR_N_TIMINGS];
    struct orr_timing transfer;                /* of caches between two pools; mean 0: none */
    struct orr_timing urgent_ttft, other_ttft; /* by priority; mean 0: all requests are equal */
    double link_busy_frac;                     /* share of time in which a prefill replica sends */
    int64_t rejected;                          /* turned away because every replica has its fill */
    int64_t restarted;                         /* requests that began anew because their replica failed */
    double mean_gpus;                          /* that are paid for */
    int64_t n_pools;                           /* 0: one pool of equal replicas that are always up */
    struct orr_pool_result pools[ORR_MAX_POOLS];
    double output_tokens_per_s, output_tokens_per_s_per_gpu, input_tokens_per_s;
    double completed_requests_per_s, goodput_requests_per_s, slo_frac;
    bool slo_met;              /* every limit holds at its quantile; true without limits */
    double mean_running_batch; /* sequences of one replica that decode or read their prompt, over busy time */
    double mean_waiting;       /* requests of one replica received and not admitted */
    double kv_used_frac;       /* mean share of the cache in use */
    int64_t preemptions;
    double prefix_hit_frac;        /* share of prompt tokens found in the cache */
    double busy_frac, prompt_frac; /* share of time with a step; share of steps' time with prompts */
    double energy_j_per_output_token, energy_j_per_request, power_w_per_gpu;
    double cost_usd_per_million_output_tokens;
    double rate_low_frac, rate_high_frac;     /* 80 % interval of throughput, as factors */
    double step_low_frac, step_high_frac;     /* 80 % interval of the time of a step, as factors */
    double bound_frac[ORR_N_BOUNDS];          /* shares of the steps' time, by the resource that binds */
    const char *interval_class;               /* a static string */
    enum orr_doubt interval_from, first_from; /* what widens most: of next tokens; of first ones */
    bool engine_measured;                     /* runs of this engine in this regime are among the measurements */
    int64_t requests;                         /* counted in the statistics */
    int64_t refused;                          /* longer than the cache */
    double duration_s;                        /* simulated, without the warm-up */
    double kv_capacity_tokens;                /* of one replica */
    bool fits;
    char reason[ORR_REASON];
    bool complete;                   /* false: stopped early, the result is about the requests so far */
    bool saturated;                  /* the queue grew to the end, or the closed form has no steady state */
    bool at_knee;                    /* within the error of a step it may queue or not: first tokens are unknown */
    double simulated_requests_per_s; /* of the program; the only number that depends on the machine it runs on */
};

/* What a simulation is told besides job and traffic, and whom it tells. Members may be 0 or NULL. */
struct orr_simulation {
    const struct orr_slo *slos;
    size_t n_slos;
    const struct orr_deployment *deployment; /* NULL: the job's replicas alone */
    bool exact;               /* every step is priced by orr_step_time itself and none are summed: slow */
    const volatile int *stop; /* the run ends soon after this becomes other than 0 */
    void *context;            /* given to the functions below */
    void (*finished)(void *context, const struct orr_request_record *record);
    void (*stepped)(void *context, const struct orr_step_record *record);
    void (*progress)(void *context, double done_frac);
};

/* Simulate the traffic on one replica with its share of the requests; the result is that of the whole system. The job
 * must be an inference job that passed orr_job_check. Equal jobs and traffics give equal results but for
 * simulated_requests_per_s. */
ORR_API ORR_NODISCARD enum orr_err orr_simulate(const struct orr_job *job, const struct orr_traffic *traffic,
                                                const struct orr_simulation *how, struct orr_serving_result *result,
                                                struct orr_error *error);

/* Steady state in closed form, for callers that ask very often: the means of CLOSED, and of all others as POISSON at
 * rate_per_s. A closed form belongs to one thread at a time; it keeps the times of steps from call to call. Quantiles
 * stay 0. */
struct orr_closed_form;
ORR_API ORR_NODISCARD struct orr_closed_form *orr_closed_form_new(const struct orr_job *job); /* NULL: no memory */
ORR_API void orr_closed_form_free(struct orr_closed_form *form);
ORR_API void orr_closed_form_solve(struct orr_closed_form *form, const struct orr_traffic *traffic,
                                   struct orr_serving_result *result);

/* One line of the ledger of time: an operator, a transfer or a wait of the rank that sets the pace. The seconds of the
 * rows, added up part by part, are the parts of the answer's time to the last bit. */
struct orr_time_row {
    const char *name; /* static: name of the operator, or of what the rank waits for */
    int64_t op;       /* index into the answer's operators; -1: a wait, or time of the host */
    enum orr_phase phase;
    enum orr_group group;                 /* group of a transfer; NONE: a kernel, a wait, or the host */
    enum orr_bound resource;              /* resource that sets the time of the row */
    int part;                             /* enum orr_time_part, or enum orr_infer_part */
    int64_t rank;                         /* pipeline rank of the row; all ranks of a serving pass are alike */
    double runs;                          /* executions in the step or request on one GPU of that rank */
    double run_s;                         /* exposed time of one execution */
    double exposed_s;                     /* all executions: runs times run_s */
    double share_frac;                    /* of the whole step or request */
    double hidden_s;                      /* time of all executions that other work hides; no sum includes it */
    double flops, dram_bytes, link_bytes; /* all executions */
    double energy_j;                      /* one GPU without facility: its work, and idle power over exposed_s */
};

/* Further facts of a training prediction, on the rank that sets the pace. */
struct orr_train_facts {
    int64_t rank;
    double clock_frac;                     /* over the burst clock (power rule) */
    double forward_s, backward_s, wgrad_s; /* one micro-batch; backward including recomputation and exposed transfers */
    double launches;                       /* kernels of a step */
    double host_forward_s, host_backward_s; /* one micro-batch: what the host needs to launch it */
    double host_wait_s;                     /* of a step: how long the GPU waits for launches */
    double host_once_s;                     /* of a step: host time outside its launches */
    double send_pairs, send_pair_s; /* pairs of pipeline sends a step waits for, and the time of one pair (Eq. 74) */
    double dp_collectives_s;        /* gradient and weight collectives of a step, including hidden ones */
    double paced_s; /* of a step: passes where the GPU works longest, with exposed collectives, without waits */
};

/* Further facts of an inference prediction, about the prompt or about one decode step at the mean context. */
struct orr_pass_facts {
    double clock_frac; /* over the burst clock (power rule) */
    double stage_frac; /* share of a pass through the model that one pipeline stage runs */
    double passes;     /* passes through the model: 1 prompt, or decode steps */
    double gemm_s, attention_s, pointwise_s, network_s; /* one pass, all layers */
    double gap_s;                                       /* idle time between the kernels of a pass */
    double host_s;   /* all passes, one stage: time in which the GPU waits for the host's launches */
    double sends_s;  /* all passes: sending activations from stage to stage */
    double sample_s; /* host time that a step adds: scheduling, inputs, sampling, detokenising */
    double draft_s;  /* all passes: drafting the tokens that the next pass verifies */
};

/* The effect of one change with everything else equal. */
struct orr_what_if {
    const char *text; /* static: "--recompute selective", or the rate that is raised by 10 %: "DRAM" */
    double step_time_s;
    bool fits;
    bool hardware; /* a rate of the machine; else a change of plan, workload or software */
};
#define ORR_MAX_WHAT_IFS 32

/* The answer to one question. The caller owns `job`; operators, costs and rows belong to the scratch and are valid
 * until its next prediction. */
struct orr_answer {
    const struct orr_job *job;
    struct orr_result train;               /* result of a training job */
    struct orr_infer_result infer;         /* result of an inference job */
    struct orr_train_facts facts;          /* training */
    struct orr_pass_facts prefill, decode; /* inference */
    const struct orr_op *ops;              /* op.count: executions per layer and micro-batch, or per pass */
    const struct orr_cost *costs;
    size_t n_ops;
    const struct orr_time_row *rows; /* the ledger of time, in the order of the operators */
    size_t n_rows;
    const struct orr_scratch *scratch;  /* holds these arrays and the times of every pipeline rank */
    const struct orr_what_if *what_ifs; /* training: reports show the results of orr_train_what_if put here */
    size_t n_what_ifs;
};
/* Predict one job of either kind, with its ledger. orr_train and orr_infer give the same result without one. */
ORR_API void orr_predict(const struct orr_job *job, struct orr_scratch *scratch, struct orr_answer *answer);
/* The same files for one answered job. */
ORR_API bool orr_answer_launch(const struct orr_answer *answer, orr_launch_sink sink, void *context);
/* Does the answered job fit into memory? */
ORR_API bool orr_answer_fits(const struct orr_answer *answer);

/* Predict 10 % more of each hardware rate and every single change of plan or workload the rules allow; returns how
 * many. It is too slow for hot loops. The scratch again holds this job's operators afterwards. */
ORR_API size_t orr_train_what_if(const struct orr_job *job, struct orr_scratch *scratch,
                                 struct orr_what_if what_ifs[ORR_MAX_WHAT_IFS]);

/* For a result that does not fit: fill result->reason with what is missing and the change of one plan or workload
 * field that makes it fit at the least step time. It is too slow for hot loops, because it predicts every candidate. */
ORR_API void orr_train_advice(const struct orr_job *job, struct orr_scratch *scratch, struct orr_result *result);

/* Render an answer of orr_predict in any format without predicting again. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_render(const struct orr_answer *answer, enum orr_format format,
                                       const struct orr_style *style);

/* Render what every hardware number is worth to a job: the elasticity of its answers to a decrease and an increase, and
 * the effect of 10 % more. The format is TERMINAL, JSON, CSV or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_sensitivity_render(const struct orr_job *job, enum orr_format format,
                                                   const struct orr_style *style);

/* ---------------------------------------------------------------- questions by name */

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

/* ---------------------------------------------------------------- search with open structs */

#define ORR_OBJECTIVES(X)                                                                                              \
    /*  enum        name          what the best plan has                                   */                          \
    X(TIME, "time", "the shortest step, or the shortest latency")                                                      \
    X(THROUGHPUT, "throughput", "the most tokens per second and GPU")                                                  \
    X(COST, "cost", "the fewest dollars per token")                                                                    \
    X(ENERGY, "energy", "the fewest joules per token")                                                                 \
    X(MEMORY, "memory", "the most memory left")
#define ORR_X_OBJECTIVE_(name, ...) ORR_OBJECTIVE_##name,
enum orr_objective { ORR_OBJECTIVES(ORR_X_OBJECTIVE_) ORR_N_OBJECTIVES };
ORR_API const char *orr_objective_name(enum orr_objective objective);

/* Values one dimension may take; n = 0: every value the rules allow. */
#define ORR_MAX_CHOICES 64
struct orr_choices {
    int64_t n;
    int64_t values[ORR_MAX_CHOICES]; /* ascending; enums and booleans by their number */
};

struct orr_space {
    struct orr_choices gpus; /* never empty */
    struct orr_choices tp, cp, pp, dp, ep, etp;
    struct orr_choices vpp, schedule, zero, sp, cp_kind, micro_batch, recompute, recompute_every; /* train */
    bool overlap;                          /* train: also search plans that switch off an overlap the engine has */
    struct orr_choices batch, weights, kv; /* infer: sequences of a replica, formats */
    struct orr_choices disaggregated;      /* infer: 0, 1 or both */
};

/* A limit that every plan of the answer must respect, on any numeric key of the result. */
struct orr_limit {
    char key[64]; /* "mfu_frac", "memory_bytes.total", "ttft_s", ... */
    bool at_most; /* else at least */
    double value;
    int metric; /* set by orr_search_new */
};
#define ORR_MAX_LIMITS 16

/* One plan in as few bytes as possible. */
struct orr_choice {
    int32_t gpus, tp, cp, pp, vpp, dp, ep, etp;
    int32_t micro_batch, recompute_every; /* train */
    int32_t batch;                        /* infer */
    uint8_t recompute, zero, sp, schedule, cp_kind, weights, kv, disaggregated;
    uint32_t exposed_groups;
    int32_t decode_gpus, decode_tp, decode_pp, decode_ep, decode_batch; /* disaggregated: the pool that decodes */
};

struct orr_search_request {
    struct orr_job job;            /* model, system, engine and workload; the plan is searched */
    bool imbalance_given;          /* infer: the request gives workload.moe_imbalance; else it follows ep */
    bool matrix_given, comm_given; /* infer: the request gives matrix_precision, comm_precision; else the weights do */
    struct orr_space space;
    enum orr_objective objective;
    int64_t top;         /* plans to list, each of another layout (gpus, tp, cp, pp, dp, ep, etp) */
    double front_within; /* with one GPU count, the front ends where a step takes this many times the fastest */
    bool brute;          /* evaluate every plan that fits, prune none */
    int64_t concurrency; /* infer: users of a closed loop under whose load plans are compared; 0: none */
    double rate_per_s;   /* infer: ... or requests per second; 0: none */
    bool compared;       /* also count the plans that are better than `compare` */
    struct orr_choice compare;
    size_t n_limits;
    struct orr_limit limits[ORR_MAX_LIMITS];
};

/* Read the request of a form as a search. orr_search_new checks the keys of "limits". */
ORR_API ORR_NODISCARD enum orr_err orr_form_search(const struct orr_form *form, struct orr_search_request *request,
                                                   struct orr_error *error);

struct orr_found {
    double objective;    /* lower is better */
    double time_s;       /* step, or latency */
    double memory_bytes; /* of the fullest GPU */
    double front[2];     /* coordinates of the front; lower is better */
    struct orr_choice choice;
};

/* Why plans are rejected. Every plan is counted once: those rejected and those in the answer add up to `plans`. */
#define ORR_REJECTS(X)                                                                                                 \
    /*  enum        name         why a plan is not in the answer             */                                        \
    X(MEMORY, "memory", "does not fit")                                                                                \
    X(BOUND, "bound", "cannot be good enough: its lower bound is too slow")                                            \
    X(LIMIT, "limit", "would be in the answer but breaks a limit")                                                     \
    X(WORSE, "worse", "evaluated, and others are better")
#define ORR_X_REJECT_(name, ...) ORR_REJECT_##name,
enum orr_reject { ORR_REJECTS(ORR_X_REJECT_) ORR_N_REJECTS };

struct orr_search_counts {
    uint64_t plans;     /* valid plans, whether they fit or not */
    uint64_t evaluated; /* plans whose time was worked out in full */
    uint64_t feasible;  /* plans that were not found too large for memory */
    uint64_t shapes;    /* ways a layer is cut whose costs were worked out */
    uint64_t better;    /* plans better than `compare`, including several of one layout */
    uint64_t rejected[ORR_N_REJECTS];
};

ORR_API ORR_NODISCARD enum orr_err orr_search_new(const struct orr_search_request *request, struct orr_search **search,
                                                  struct orr_error *error);

/* orr_search_pass runs a search in pieces, for several processes. Pass 0 covers all blocks, each in one of the
 * processes; every process merges the outcomes of all others; then pass 1 follows. `next` hands out the index of a
 * block, or -1 when none is left; it is called by one thread at a time. */
enum { ORR_SEARCH_PASSES = 2 };
ORR_API int64_t orr_search_n_blocks(const struct orr_search *search);
ORR_API ORR_NODISCARD enum orr_err orr_search_pass(struct orr_search *search, int pass, int threads,
                                                   int64_t (*next)(void *context), void *next_context,
                                                   orr_search_progress progress, void *context,
                                                   struct orr_error *error);
/* Pack what this process found in its last pass (the caller owns the bytes), and merge what another process packed. */
ORR_API ORR_NODISCARD void *orr_search_pack(const struct orr_search *search, size_t *n_bytes);
ORR_API ORR_NODISCARD enum orr_err orr_search_merge(struct orr_search *search, const void *bytes, size_t n_bytes,
                                                    struct orr_error *error);

/* The answer. The search owns the list, in which the best plan comes first. */
ORR_API struct orr_search_counts orr_search_counts_of(const struct orr_search *search);
ORR_API bool orr_search_complete(const struct orr_search *search); /* the search was not stopped */
ORR_API size_t orr_search_best(const struct orr_search *search, const struct orr_found **found);

/* ---------------------------------------------------------------- sweep with open structs */

#define ORR_SWEEP_MODES(X)                                                                                             \
    X(PRODUCT, "product", "every value with every other; the last field varies fastest")                               \
    X(ZIP, "zip", "first values, second values, ...; all fields have as many")                                         \
    X(SAMPLE, "sample", "a Latin hypercube")

#define ORR_X_SWEEP_(name, ...) ORR_SWEEP_##name,
enum orr_sweep_mode { ORR_SWEEP_MODES(ORR_X_SWEEP_) ORR_N_SWEEP_MODES };

struct orr_vary {
    const char *name;   /* column of the values */
    const char *paths;  /* fields that get the values, separated by spaces: "plan.tp", "chip.tdp_w" */
    const char *values; /* "1,2,4", "1:64:x2", ... */
};

struct orr_sweep_spec {
    const char *request, *origin; /* JSON, and its name in errors */
    const struct orr_vary *varies;
    size_t n_varies;
    enum orr_sweep_mode mode;
    int64_t n_samples; /* SAMPLE */
    uint64_t seed;     /* SAMPLE */
    int n_threads;     /* 0: as many as there are cores */
    bool search;       /* every point is a search, answered with its best plan */
};

/* Open a sweep of a form's request. The form need not outlive the sweep; `request` and `origin` of the spec are not
 * read. The errors are those of orr_sweep_open_json. */
ORR_API ORR_NODISCARD enum orr_err orr_form_sweep(const struct orr_form *form, const struct orr_sweep_spec *spec,
                                                  struct orr_sweep **sweep, struct orr_error *error);
/* Request, fields and mode in one line, which decide what the rows hold. Equal sweeps have equal texts. */
ORR_API const char *orr_sweep_text(const struct orr_sweep *sweep);

/* ---------------------------------------------------------------- technology with open structs */

/* Write one line of facts about a technology, design, memory or network; the line is "" for other kinds of part. */
#define ORR_LINE 256
ORR_API ORR_NODISCARD enum orr_err orr_technology_line(const struct orr_catalogue *catalogue, enum orr_part kind,
                                                       const char *id, char line[ORR_LINE], struct orr_error *error);

#define ORR_OPTIMISERS(X)                                                                                              \
    X(SEARCH, "search", "global, then local from several starts")                                                      \
    X(GRADIENT, "gradient", "normalised gradient descent of DeepFlow")                                                 \
    X(GRID, "grid", "every split of a grid")

#define ORR_X_OPTIMISER_(name, ...) ORR_OPTIMISER_##name,
enum orr_optimiser { ORR_OPTIMISERS(ORR_X_OPTIMISER_) ORR_N_OPTIMISERS };
ORR_API const char *orr_optimiser_name(enum orr_optimiser optimiser);

struct orr_optimise {
    enum orr_objective objective; /* TIME, ENERGY or COST of a step or batch */
    enum orr_optimiser optimiser;
    const char *free;     /* shares that may change, "power.core,power.dram"; NULL: all of them */
    int64_t n_restarts;   /* 0: 20 for a search, 10 for gradient descent */
    int64_t n_grid_steps; /* 0: 10 */
    uint64_t seed;        /* equal seeds give equal answers */
    /* Further jobs that the same chip should answer, and weights of all jobs: the objective is the weighted geometric
     * mean over the first job and these (Eq. 291). */
    const struct orr_job *others;
    size_t n_others;
    const double *weights; /* of the first job and the others; NULL: all 1 */
};

/* Questions about a generated system. */
#define ORR_TECHNOLOGY_VIEWS(X)                                                                                        \
    /*  enum     name       what is rendered, and in which formats                                          */         \
    X(CHIP, "chip", "what was made and which budget limits it; JSON is a system file. TERMINAL, JSON, CSV, HTML")      \
    X(NODES, "nodes", "the same recipe at every node of its scaling set. TERMINAL, JSON, CSV, HTML")                   \
    X(COST, "cost", "cost of one GPU, part by part, and an hour of it (Eqs. 106-108). TERMINAL, JSON, HTML")           \
    X(OPTIMISE, "optimise", "the split of its budgets that answers a job best. TERMINAL, JSON, HTML")
#define ORR_X_TECHNOLOGY_(name, ...) ORR_TECHNOLOGY_##name,
enum orr_technology_view { ORR_TECHNOLOGY_VIEWS(ORR_X_TECHNOLOGY_) ORR_N_TECHNOLOGY_VIEWS };

struct orr_technology_question {
    const char *name; /* "generated:node=5,memory=hbm3,..." */
    enum orr_technology_view view;
    const struct orr_job *job;           /* COST adds the cost of the job's system and of a million tokens; may be NULL.
                                            OPTIMISE: the job to answer, on any system of the same name */
    int64_t run_tokens;                  /* COST with a job adds a training run over so many tokens; 0: none */
    const struct orr_optimise *optimise; /* OPTIMISE */
};
ORR_API ORR_NODISCARD enum orr_err orr_technology_render(const struct orr_catalogue *catalogue,
                                                         const struct orr_technology_question *question,
                                                         enum orr_format format, const struct orr_style *style,
                                                         char **text, struct orr_error *error);

/* Make one HTML page of a text and its data, for reports of the caller's own; the caller owns the page. */
ORR_API ORR_NODISCARD char *orr_page(const char *title, const char *terminal, const char *json);
/* A file that the build put into the program (tools/embed_files.c). */
struct orr_page_file {
    const char *path; /* for example "/assets/index-1a2b3c.js" */
    const char *bytes;
    size_t size;
    const char *gzip; /* the same, compressed; NULL where that gains nothing */
    size_t n_gzip;
    const char *hash; /* of the bytes */
};
/* Return a file of the explorer, such as "/index.html"; NULL if the library was built without the explorer or has no
 * such file. */
ORR_API const struct orr_page_file *orr_explorer_file(const char *path);

/* ---------------------------------------------------------------- studies */

/* A study asks a question of many jobs: the studies of Kundu et al. 2024 and of technology (docs/reproduce.md). It has
 * tables, findings, assumptions, a comparison where one is published, and a figure. */
struct orr_study;
struct orr_study_facts {
    const char *title; /* static */
    const char *input; /* static: file of measurements that the study needs, under the data folder; NULL: none */
    bool technology;   /* it belongs to `orrery technology study` */
};
/* The name of the i-th study; NULL after the last. `facts` may be NULL. */
ORR_API const char *orr_study_name(size_t i, struct orr_study_facts *facts);
/* Run one study. `csv` is the text of its input, NULL if it needs none. */
ORR_API ORR_NODISCARD enum orr_err orr_study_run(const struct orr_catalogue *catalogue, const char *name,
                                                 const char *csv, const char *origin, struct orr_study **study,
                                                 struct orr_error *error);
ORR_API void orr_study_free(struct orr_study *study);
/* The name of the i-th table, static; NULL after the last. If csv is not NULL, *csv receives the table as CSV, which
 * the caller owns, or NULL when there is no memory left. */
ORR_API const char *orr_study_table(const struct orr_study *study, size_t i, char **csv);
/* Render a study as TERMINAL, JSON, CSV (the first table), HTML, or GNUPLOT, a script that reads a file TABLE.csv for
 * every table and writes STUDY.svg. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_study_render(const struct orr_study *study, enum orr_format format,
                                             const struct orr_style *style);
/* Render several studies: TERMINAL lists their findings, HTML is one page over all. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_studies_render(const struct orr_study *const *studies, size_t n, enum orr_format format,
                                               const struct orr_style *style);

/* ---------------------------------------------------------------- calibration */

/* Fit a chip's constants to timings of single kernels (docs/calibrate.md). The rows are priced by the same functions as
 * predictions; a constant that the rows do not determine keeps its value. Equal tables give equal constants to the last
 * bit: a fit uses neither a clock nor random numbers. */
struct orr_fit;

/* Start from the constants a chip has now. `chip` is a chip id, a calibration fitted on the chip, or the beginning of
 * its id as folders of measurements are called ("h20_sxm"). */
ORR_API ORR_NODISCARD enum orr_err orr_fit_open(const struct orr_catalogue *catalogue, const char *chip,
                                                struct orr_fit **fit, struct orr_error *error);
ORR_API void orr_fit_close(struct orr_fit *fit);
/* Add a table. `kind` is the name of its file: gemm, attention_decode, allreduce, ... After an error close the fit. */
ORR_API ORR_NODISCARD enum orr_err orr_fit_add(struct orr_fit *fit, const char *kind, const char *csv,
                                               const char *origin, struct orr_error *error);
/* Fit once, after the last table. `progress` (may be NULL) is told which constants are next and the share done. */
ORR_API ORR_NODISCARD enum orr_err orr_fit_run(struct orr_fit *fit,
                                               void (*progress)(void *context, const char *what, double done_frac),
                                               void *context, struct orr_error *error);
/* Render the fit as TERMINAL, JSON, CSV (one line per row) or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_fit_render(const struct orr_fit *fit, enum orr_format format,
                                           const struct orr_style *style);
/* A complete calibration file, which the caller owns; `date` goes into its sources (NULL: none). */
ORR_API ORR_NODISCARD enum orr_err orr_fit_file(const struct orr_fit *fit, const char *date, char **json,
                                                struct orr_error *error);

/* A fit of the fabric `id` to collectives between nodes (docs/networks.md): tables, or the text of nccl-tests. With
 * `system`, all rows were measured on it; else a column of the tables says where. Without an id (NULL) there is no fit,
 * only scores. */
struct orr_fabric_fit;
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_open(const struct orr_catalogue *catalogue, const char *id,
                                                       const char *system, struct orr_fabric_fit **fit,
                                                       struct orr_error *error);
ORR_API void orr_fabric_fit_close(struct orr_fabric_fit *fit);
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_add(struct orr_fabric_fit *fit, const char *text, const char *origin,
                                                      struct orr_error *error);
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_run(struct orr_fabric_fit *fit, struct orr_error *error);
/* Predict every row with the fabric of its system, and with a default fitted to all other systems. */
ORR_API ORR_NODISCARD enum orr_err orr_fabric_fit_score(struct orr_fabric_fit *fit, struct orr_error *error);
/* A report of what was run last: TERMINAL, JSON or CSV (one line per row); the caller owns it. NULL: out of memory. */
ORR_API ORR_NODISCARD char *orr_fabric_fit_render(const struct orr_fabric_fit *fit, enum orr_format format,
                                                  const struct orr_style *style);
/* The fabric as a file for a catalogue; `date` (NULL: none) goes into its sources. */
ORR_API ORR_NODISCARD char *orr_fabric_fit_file(const struct orr_fabric_fit *fit, const char *date);

/* ---------------------------------------------------------------- validation */

/* Score predictions against CSVs of measurements (docs/formats.md: training and inference rows, lab steps, layer
 * times). Start with a NULL *validation; every further call adds a file to it. On error *validation keeps what it
 * had. */
struct orr_validation;

ORR_API ORR_NODISCARD enum orr_err orr_validate(const struct orr_catalogue *catalogue, const char *csv,
                                                const char *origin, struct orr_validation **validation,
                                                struct orr_error *error);
ORR_API void orr_validation_free(struct orr_validation *validation);
/* The mean absolute percentage error over the scored rows, as a fraction; NAN if none was scored. */
ORR_API double orr_validation_mape_frac(const struct orr_validation *validation);
/* After the last file: also group the scores by columns of the CSVs ("tp", or several as in "gpus,tp") in every later
 * text. If no file has a column the result is ORR_ERR_INPUT, and the error names the columns there are. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_group(struct orr_validation *validation, const char *columns,
                                                        struct orr_error *error);
/* After the last file, before a grouping: keep only the scores that meet all conditions, COLUMN=VALUE with commas
 * between them; no value: rows that do not give one. Verdicts of fit, which belong to rows, are dropped. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_keep(struct orr_validation *validation, const char *conditions,
                                                       struct orr_error *error);
/* Render as TERMINAL, JSON, CSV, HTML (tables, and predicted over measured row by row) or INTERVALS; the caller owns
 * the text. */
ORR_API ORR_NODISCARD char *orr_validation_render(const struct orr_validation *validation, enum orr_format format,
                                                  const struct orr_style *style);
/* The name of the i-th piece of physics that a validation can leave out, to see what it is worth; NULL after the last.
 * `meaning` (may be NULL) receives how a prediction without the piece differs. */
ORR_API const char *orr_piece_name(size_t i, const char **meaning);
/* Start a validation that leaves `pieces` ("tiles,power") out of every job; pass it to orr_validate instead of NULL. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_without(const char *pieces, struct orr_validation **validation,
                                                          struct orr_error *error);
/* Start a validation that predicts every source as if nobody had seen it: with the parent of its engine, with all
 * undone that was chosen with its rows in view, and with the interval of an engine that no run covers. */
ORR_API ORR_NODISCARD enum orr_err orr_validation_unseen(struct orr_validation **validation, struct orr_error *error);
/* An ablation scores the same rows with everything and without each piece in turn. Start with a NULL *ablation; every
 * further call adds a file. On error free the ablation. */
struct orr_ablation;
ORR_API ORR_NODISCARD enum orr_err orr_ablation_add(const struct orr_catalogue *catalogue, const char *csv,
                                                    const char *origin, struct orr_ablation **ablation,
                                                    struct orr_error *error);
ORR_API void orr_ablation_free(struct orr_ablation *ablation);
/* Render the ablation as TERMINAL, JSON or CSV; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_ablation_render(const struct orr_ablation *ablation, enum orr_format format,
                                                const struct orr_style *style);

/* ---------------------------------------------------------------- stacks from runs */

/* Fit a stack to measured runs (docs/fit.md): engine facts, host, network and kernel constants are moved from those
 * of a parent as far as the runs ask for it. Equal runs in any order give equal answers to the last bit. `parent` is
 * an engine's id or file; NULL: the engine that the rows name. */
struct orr_stack;
ORR_API ORR_NODISCARD enum orr_err orr_stack_open(const struct orr_catalogue *catalogue, const char *parent,
                                                  struct orr_stack **stack, struct orr_error *error);
ORR_API void orr_stack_close(struct orr_stack *stack);
/* Columns that tables and logs do not have, "model=llama3-8b,system=h100-sxm"; before the tables. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_put(struct orr_stack *stack, const char *cells, struct orr_error *error);
/* How many iterations of a log do not count; 5 unless said; before the logs. */
ORR_API void orr_stack_skip(struct orr_stack *stack, int64_t iterations);
/* Add a table of measurements (CSV, docs/formats.md) or a log, which is recognised by its content. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_add(struct orr_stack *stack, const char *text, const char *origin,
                                                 struct orr_error *error);
/* Add one run, "model=...,tp=8,...:step_time_s=12.3". */
ORR_API ORR_NODISCARD enum orr_err orr_stack_add_run(struct orr_stack *stack, const char *run, struct orr_error *error);
/* Fit once, after the last run. */
ORR_API ORR_NODISCARD enum orr_err orr_stack_run(struct orr_stack *stack, struct orr_error *error);
/* Render as TERMINAL, JSON, CSV (one line per run) or HTML; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_stack_render(const struct orr_stack *stack, enum orr_format format,
                                             const struct orr_style *style);
/* The engine file of the stack, which the caller owns; `date` goes into its sources (NULL: none). */
ORR_API ORR_NODISCARD char *orr_stack_file(const struct orr_stack *stack, const char *name, const char *date);

/* How far a few runs of a stack bring its predictions (docs/fit.md): on the parent of its engine, with 0, 1, 3, 5 and
 * 10 runs drawn at random, n_draws times, for every stack of the measurements that has 12 rows or more. `only` (may
 * be NULL) is a part of the names of the sources to look at. Fits go along straight lines through the predictions of
 * each engine; with `exact` they predict anew, as orrery fit does, which takes a hundred times as long. */
struct orr_few_shot;
ORR_API ORR_NODISCARD enum orr_err orr_few_shot_run(const struct orr_catalogue *catalogue, const char *const *csvs,
                                                    const char *const *origins, size_t n, const char *only, int n_draws,
                                                    bool exact,
                                                    void (*progress)(void *context, const char *what, double done_frac),
                                                    void *context, struct orr_few_shot **few, struct orr_error *error);
ORR_API void orr_few_shot_free(struct orr_few_shot *few);
/* Render as TERMINAL, JSON or CSV; the caller owns the text. */
ORR_API ORR_NODISCARD char *orr_few_shot_render(const struct orr_few_shot *few, enum orr_format format,
                                                const struct orr_style *style);

#endif /* ORR_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif
#endif
