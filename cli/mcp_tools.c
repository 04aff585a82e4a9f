/* The tools of orrery mcp: one for each question, with schemas made from the tables that read requests. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "mcp.h"

enum { LONGEST_S = 60 }; /* a simulation, sizing or search that takes longer is answered with what is known by then */

static const struct orr_style PLAIN = {.width = 100};

/* An answer as people read it and as programs do; the caller owns both. */
struct reply {
    char *text, *json;
    struct orr_error error;
};

/* ---------------------------------------------------------------- questions */

typedef enum orr_err ask_function(struct mcp *mcp, const char *json, struct reply *reply);

static enum orr_err job(struct mcp *mcp, const char *json, struct reply *reply)
{
    enum orr_err err =
        orr_session_render(mcp->session, json, "request", ORR_FORMAT_JSON, NULL, &reply->json, &reply->error);
    if (!err)
        err =
            orr_session_render(mcp->session, json, "request", ORR_FORMAT_TERMINAL, &PLAIN, &reply->text, &reply->error);
    return err;
}

static bool patient(void *context, double done_frac, double plans)
{
    (void)done_frac, (void)plans;
    return orr_now_s() < *(const double *)context;
}

/* Ask one of the questions that are no jobs. */
static enum orr_err ask(struct mcp *mcp, enum orr_ask_kind kind, const char *json, struct reply *reply)
{
    static const struct orr_ask_limits LIMITS = {0};
    struct orr_ask *question = NULL;
    double until_s = orr_now_s() + LONGEST_S;
    enum orr_err err = orr_ask_open(mcp->catalogue, kind, json, "request", &LIMITS, &question, &reply->error);
    if (!err) err = orr_ask_run(question, patient, &until_s, &reply->error);
    if (!err) {
        reply->json = orr_ask_render(question, ORR_FORMAT_JSON, NULL);
        reply->text = orr_ask_render(question, ORR_FORMAT_TERMINAL, &PLAIN);
    }
    orr_ask_close(question);
    return err;
}

static enum orr_err serving(struct mcp *mcp, const char *json, struct reply *reply)
{
    return ask(mcp, ORR_ASK_SERVING, json, reply);
}

static enum orr_err size(struct mcp *mcp, const char *json, struct reply *reply)
{
    return ask(mcp, ORR_ASK_SIZE, json, reply);
}

static enum orr_err search(struct mcp *mcp, const char *json, struct reply *reply)
{
    return ask(mcp, ORR_ASK_SEARCH, json, reply);
}

static enum orr_err compare(struct mcp *mcp, const char *json, struct reply *reply)
{
    return ask(mcp, ORR_ASK_COMPARE, json, reply);
}

static enum orr_err fit(struct mcp *mcp, const char *json, struct reply *reply)
{
    const enum orr_err err = ask(mcp, ORR_ASK_FIT, json, reply);
    if (!err) reply->text = strdup("The fitted stack: its report, and the engine file under \"file\".");
    return err;
}

/* ---------------------------------------------------------------- the catalogue */

/* Note a refusal and return it. */
static enum orr_err refuse(struct reply *reply, const char *text, const char *what)
{
    reply->error = (struct orr_error){.code = ORR_ERR_INPUT};
    (void)snprintf(reply->error.text, sizeof reply->error.text, text, what);
    return ORR_ERR_INPUT;
}

/* These two tools have one argument. */
static enum orr_err check_only(json_t *arguments, const char *known, struct reply *reply)
{
    for (void *at = json_object_iter(arguments); at; at = json_object_iter_next(arguments, at))
        if (strcmp(json_object_iter_key(at), known) != 0)
            return refuse(reply, "unknown argument \"%.60s\"", json_object_iter_key(at));
    return ORR_OK;
}

static enum orr_err list(struct mcp *mcp, const char *json, struct reply *reply)
{
    json_t *arguments = json_loads(json, 0, NULL);
    const char *wanted = json_string_value(json_object_get(arguments, "part"));
    int part = 0;
    while (part < ORR_N_PARTS && wanted && strcmp(orr_part_name((enum orr_part)part), wanted) != 0) part++;
    enum orr_err err = check_only(arguments, "part", reply);
    if (!err && (!wanted || part == ORR_N_PARTS))
        err = refuse(reply, "part: must be models, systems, engines, chips, ..., not \"%.60s\"", wanted ? wanted : "");
    if (!err)
        err = orr_catalogue_render(mcp->catalogue, (enum orr_part)part, false, ORR_FORMAT_JSON, NULL, &reply->json,
                                   &reply->error);
    if (!err)
        err = orr_catalogue_render(mcp->catalogue, (enum orr_part)part, false, ORR_FORMAT_TERMINAL, &PLAIN,
                                   &reply->text, &reply->error);
    json_decref(arguments);
    return err;
}

/* Show the facts of an engine, chip or system with their sources, or any other part as it is stored. */
static enum orr_err show_part(struct mcp *mcp, enum orr_part part, const char *id, struct reply *reply)
{
    const bool explained = part == ORR_PART_ENGINE || part == ORR_PART_SYSTEM || part == ORR_PART_CHIP;
    if (!explained) {
        const char *stored = orr_catalogue_text(mcp->catalogue, part, id);
        reply->json = strdup(stored);
        reply->text = strdup(stored);
        return ORR_OK;
    }
    enum orr_err err =
        orr_facts_render(mcp->catalogue, part, id, NULL, ORR_FORMAT_JSON, NULL, &reply->json, &reply->error);
    if (!err)
        err =
            orr_facts_render(mcp->catalogue, part, id, NULL, ORR_FORMAT_TERMINAL, &PLAIN, &reply->text, &reply->error);
    return err;
}

static enum orr_err show(struct mcp *mcp, const char *json, struct reply *reply)
{
    json_t *arguments = json_loads(json, 0, NULL);
    const char *name = json_string_value(json_object_get(arguments, "name"));
    const enum orr_err odd = check_only(arguments, "name", reply);
    enum orr_err err =
        odd ? odd
            : refuse(reply, "name: no part \"%.60s\" in the catalogue; the tool list shows all", name ? name : "");
    for (int part = 0; part < ORR_N_PARTS && name && !odd; part++) {
        const char *id = orr_catalogue_named(mcp->catalogue, (enum orr_part)part, name);
        if (!id) continue;
        err = show_part(mcp, (enum orr_part)part, id, reply);
        break;
    }
    json_decref(arguments);
    return err;
}

/* ---------------------------------------------------------------- the table of tools */

struct tool {
    const char *name, *title, *description;
    ask_function *ask;
    bool question;      /* The schema of its arguments is that of a request. */
    const char *schema; /* the schema of arguments that are no request */
};

static const char COMPARE_SCHEMA[] =
    "{\"type\":\"object\",\"required\":[\"requests\"],\"additionalProperties\":false,\"properties\":{"
    "\"requests\":{\"type\":\"array\",\"minItems\":2,\"maxItems\":8,\"items\":{\"type\":\"object\"},"
    "\"description\":\"requests of one kind, as the tools train or infer take them, each with its \\\"kind\\\"\"},"
    "\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"a name for each request\"}}}";
static const char FIT_SCHEMA[] =
    "{\"type\":\"object\",\"required\":[\"runs\"],\"additionalProperties\":false,\"properties\":{"
    "\"runs\":{\"type\":[\"string\",\"array\"],\"description\":\"the text of a CSV or log, or a list of runs "
    "COLUMN=VALUE,...:METRIC=VALUE\"},"
    "\"engine\":{\"type\":\"string\",\"description\":\"parent engine\"},"
    "\"name\":{\"type\":\"string\",\"description\":\"name of the stack\"},"
    "\"with\":{\"type\":\"object\",\"description\":\"columns that the runs do not have\"},"
    "\"skip\":{\"type\":\"integer\",\"description\":\"first iterations of a log that do not count\"}}}";
static const char LIST_SCHEMA[] =
    "{\"type\":\"object\",\"required\":[\"part\"],\"additionalProperties\":false,\"properties\":{"
    "\"part\":{\"type\":\"string\",\"description\":\"models, systems, engines, chips, fabrics, ...\"}}}";
static const char SHOW_SCHEMA[] =
    "{\"type\":\"object\",\"required\":[\"name\"],\"additionalProperties\":false,\"properties\":{"
    "\"name\":{\"type\":\"string\",\"description\":\"the id or a name of a model, system, engine or chip\"}}}";

static const struct tool TOOLS[] = {
    {"train", "Predict a training step",
     "Time, memory, bottleneck, energy and cost of one step of distributed LLM training, with an 80 % interval.", job,
     true, NULL},
    {"infer", "Predict one batch of inference",
     "Time to first token, time per token, memory, bottleneck and cost of a batch that arrives at once.", job, true,
     NULL},
    {"serving", "Simulate a service under load",
     "Latency percentiles, goodput, queueing and cost of an engine under traffic (rate_per_s or concurrency).", serving,
     true, NULL},
    {"size", "Size a service",
     "The fewest GPUs or dollars that serve a rate within limits of latency (slo), over one or more systems.", size,
     true, NULL},
    {"search", "Find the best plan",
     "The best parallel plan of a model on N GPUs; plan keys that are not given are searched. kind: train or infer.",
     search, true, NULL},
    {"compare", "Compare requests", "Two to eight requests side by side, with the difference explained part by part.",
     compare, false, COMPARE_SCHEMA},
    {"fit", "Fit a stack to measured runs", "An engine file from a few measured runs or a log of a framework.", fit,
     false, FIT_SCHEMA},
    {"list", "List the catalogue", "Models, systems, engines, chips and other parts that requests may name.", list,
     false, LIST_SCHEMA},
    {"show", "Show one part", "The facts of a model, system, engine or chip, with their sources.", show, false,
     SHOW_SCHEMA},
};
enum { N_TOOLS = sizeof TOOLS / sizeof *TOOLS };

static json_t *arguments_schema(const struct tool *tool)
{
    char *text = tool->question ? orr_schema_text(tool->name) : NULL;
    json_t *schema = json_loads(tool->question ? (text ? text : "") : tool->schema, 0, NULL);
    free(text);
    return schema;
}

json_t *mcp_tools(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < N_TOOLS && list; i++) {
        json_t *tool = json_pack("{ss ss ss so s{sb sb sb}}", "name", TOOLS[i].name, "title", TOOLS[i].title,
                                 "description", TOOLS[i].description, "inputSchema", arguments_schema(&TOOLS[i]),
                                 "annotations", "readOnlyHint", 1, "idempotentHint", 1, "openWorldHint", 0);
        if (!tool || json_array_append_new(list, tool)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list ? json_pack("{so}", "tools", list) : NULL;
}

/* ---------------------------------------------------------------- results */

static void add_escaped(struct orr_text *text, const char *word)
{
    for (; *word; word++) {
        const bool plain = (*word >= 'a' && *word <= 'z') || (*word >= 'A' && *word <= 'Z') ||
                           (*word >= '0' && *word <= '9') || strchr("-_.~", *word);
        cli_text_add(text, plain ? "%c" : "%%%02X", (unsigned char)*word);
    }
}

/* Add the words and numbers of a request as the explorer has them in its address. */
static void add_link(struct orr_text *text, const json_t *object, const char *prefix)
{
    for (void *at = json_object_iter((json_t *)object); at; at = json_object_iter_next((json_t *)object, at)) {
        const json_t *value = json_object_iter_value(at);
        struct orr_text key = {0};
        cli_text_add(&key, "%s%s%s", prefix, *prefix ? "." : "", json_object_iter_key(at));
        if (json_is_object(value) && !*prefix) {
            add_link(text, value, key.data);
        } else if (json_is_string(value) || json_is_number(value) || json_is_boolean(value)) {
            char *dumped = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
            cli_text_add(text, "&%s=", key.data);
            add_escaped(text, json_is_string(value) ? json_string_value(value) : dumped ? dumped : "");
            mcp_drop(dumped);
        }
        free(key.data);
    }
}

/* The text of an answer, with a link to the explorer where the question has a view there. */
static json_t *content_of(const struct mcp *mcp, const struct tool *tool, const json_t *arguments, const char *answer)
{
    struct orr_text text = {0};
    cli_text_add(&text, "%s", answer);
    if (tool->ask == job || tool->ask == search) {
        cli_text_add(&text, "\nIn the explorer, while \"orrery serve\" runs: %s#", mcp->explorer);
        add_link(&text, arguments, "");
        if (tool->ask == search) cli_text_add(&text, "&view=search");
    }
    json_t *content = json_pack("[{ss ss}]", "type", "text", "text", text.data);
    free(text.data);
    return content;
}

static json_t *result_of(const struct mcp *mcp, const struct tool *tool, const json_t *arguments,
                         const struct reply *reply)
{
    json_t *structured = reply->json ? json_loads(reply->json, 0, NULL) : NULL;
    if (!structured || !reply->text) {
        json_decref(structured);
        return NULL;
    }
    return json_pack("{so so sb}", "content", content_of(mcp, tool, arguments, reply->text), "structuredContent",
                     structured, "isError", 0);
}

/* Add the kind that the tool's name says, except to a search, which asks for either kind of job. */
static int add_kind(const struct tool *tool, json_t *arguments)
{
    if (!tool->question || tool->ask == search || json_object_get(arguments, "kind")) return 0;
    return json_object_set_new(arguments, "kind", json_string(tool->name));
}

json_t *mcp_call(struct mcp *mcp, const char *name, json_t *arguments, bool *known)
{
    const struct tool *tool = NULL;
    for (size_t i = 0; i < N_TOOLS; i++)
        if (strcmp(TOOLS[i].name, name) == 0) tool = &TOOLS[i];
    *known = tool != NULL;
    if (!tool || add_kind(tool, arguments)) return NULL;
    struct reply reply = {0};
    char *request = json_dumps(arguments, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!request) return NULL;
    json_t *result = tool->ask(mcp, request, &reply) ? json_pack("{s[{ss ss}] sb}", "content", "type", "text", "text",
                                                                 reply.error.text, "isError", 1)
                                                     : result_of(mcp, tool, arguments, &reply);
    mcp_drop(request);
    free(reply.text);
    free(reply.json);
    return result;
}
