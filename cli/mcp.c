/* orrery mcp: the same questions as tools of the Model Context Protocol, over standard input and output. Each line is
 * one JSON-RPC 2.0 message. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp.h"
#include "options.h"

static const char usage[] =
    "usage: orrery mcp [--catalogue DIR] [--explorer URL]\n"
    "Answer questions of an assistant: a server of the Model Context Protocol on standard input and output, with the\n"
    "tools train, infer, serving, size, search, compare, fit, list and show. Requests name parts of the catalogue or\n"
    "contain them; files of this machine are not read.\n"
    "Exit status: 0 when the input ends, 2 bad input.";

enum { LINE_MAX_BYTES = 4 << 20 };

/* Codes of JSON-RPC 2.0. */
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, INVALID_PARAMS = -32602, INTERNAL = -32603 };
/* A code of the protocol: a version that this server does not speak. */
enum { OTHER_VERSION = -32022 };

/* Versions of the protocol, newest first. The first has no handshake: every request names its version. Those after it
 * begin with initialize, and the newest of them is offered to a client that asks for an unknown one. */
static const char *const VERSIONS[] = {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
enum { N_VERSIONS = sizeof VERSIONS / sizeof *VERSIONS, NEWEST_WITH_HANDSHAKE = 1 };

static const char INSTRUCTIONS[] =
    "Orrery predicts time, memory, bottleneck, energy and cost of distributed LLM training and inference. Ask list for "
    "ids of models, systems and engines; train and infer predict one job, serving a service under load, search finds a "
    "plan, size finds how many GPUs a load needs. Every answer has an 80 % interval and says what was assumed: pass "
    "both on.";

/* ---------------------------------------------------------------- messages */

static json_t *error_of(json_t *id, int code, const char *text)
{
    return json_pack("{ss sO s{si ss}}", "jsonrpc", "2.0", "id", id ? id : json_null(), "error", "code", code,
                     "message", text);
}

static json_t *versions(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < N_VERSIONS && list; i++)
        if (json_array_append_new(list, json_string(VERSIONS[i]))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

/* Answer with a result. It says what every result of the newest version says; earlier ones ignore that. */
static json_t *answer_of(json_t *id, json_t *result)
{
    if (!result || json_object_set_new(result, "resultType", json_string("complete"))) {
        json_decref(result);
        return error_of(id, INTERNAL, "out of memory");
    }
    return json_pack("{ss sO so}", "jsonrpc", "2.0", "id", id, "result", result);
}

/* Say how long a result may be kept: this program always answers the same. */
static json_t *kept(json_t *result)
{
    if (!result) return NULL;
    const int failed = json_object_set_new(result, "ttlMs", json_integer(3600000)) |
                       json_object_set_new(result, "cacheScope", json_string("private"));
    if (!failed) return result;
    json_decref(result);
    return NULL;
}

static json_t *initialize(const json_t *params)
{
    const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
    const char *version = VERSIONS[NEWEST_WITH_HANDSHAKE];
    for (size_t i = NEWEST_WITH_HANDSHAKE; asked && i < N_VERSIONS; i++)
        if (strcmp(asked, VERSIONS[i]) == 0) version = VERSIONS[i];
    return json_pack("{ss s{s{sb}} s{ss ss ss} ss}", "protocolVersion", version, "capabilities", "tools", "listChanged",
                     0, "serverInfo", "name", "orrery", "title", "Orrery", "version", orr_version(), "instructions",
                     INSTRUCTIONS);
}

static json_t *discover(void)
{
    return kept(json_pack("{so s{s{sb}} ss s{s{ss ss}}}", "supportedVersions", versions(), "capabilities", "tools",
                          "listChanged", 0, "instructions", INSTRUCTIONS, "_meta", "io.modelcontextprotocol/serverInfo",
                          "name", "orrery", "version", orr_version()));
}

/* The answer to a request that names a version this server does not speak; NULL for all others. */
static json_t *other_version(json_t *id, const json_t *params)
{
    const json_t *meta = json_object_get(params, "_meta");
    const char *asked = json_string_value(json_object_get(meta, "io.modelcontextprotocol/protocolVersion"));
    for (size_t i = 0; asked && i < N_VERSIONS; i++)
        if (strcmp(asked, VERSIONS[i]) == 0) return NULL;
    if (!asked) return NULL;
    return json_pack("{ss sO s{si ss s{ss so}}}", "jsonrpc", "2.0", "id", id, "error", "code", OTHER_VERSION, "message",
                     "unsupported version of the protocol", "data", "requested", asked, "supported", versions());
}

static json_t *call(struct mcp *mcp, json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    json_t *given = json_object_get(params, "arguments");
    bool known = false;
    if (!name) return error_of(id, INVALID_PARAMS, "tools/call needs the name of a tool");
    if (given && !json_is_object(given)) return error_of(id, INVALID_PARAMS, "\"arguments\" must be an object");
    json_t *arguments = given ? json_deep_copy(given) : json_object();
    json_t *result = arguments ? mcp_call(mcp, name, arguments, &known) : NULL;
    json_decref(arguments);
    if (!known && arguments) return error_of(id, INVALID_PARAMS, "there is no such tool; tools/list has all");
    return answer_of(id, result);
}

/* The answer to one message; NULL if it needs none. */
static json_t *respond(struct mcp *mcp, json_t *message)
{
    json_t *id = json_object_get(message, "id");
    const json_t *params = json_object_get(message, "params");
    const char *method = json_string_value(json_object_get(message, "method"));
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    if (!json_is_object(message) || !version || strcmp(version, "2.0") != 0)
        return error_of(id, INVALID_REQUEST, "a message is one JSON-RPC 2.0 object");
    if (!method)
        return json_object_get(message, "result") || json_object_get(message, "error")
                   ? NULL
                   : error_of(id, INVALID_REQUEST, "the message has no method");
    if (!id) return NULL; /* a notification */
    if (!json_is_string(id) && !json_is_integer(id))
        return error_of(NULL, INVALID_REQUEST, "an id is a string or an integer");
    json_t *refusal = other_version(id, params);
    if (refusal) return refusal;
    if (strcmp(method, "initialize") == 0) return answer_of(id, initialize(params));
    if (strcmp(method, "server/discover") == 0) return answer_of(id, discover());
    if (strcmp(method, "ping") == 0) return answer_of(id, json_object());
    if (strcmp(method, "tools/list") == 0) return answer_of(id, kept(mcp_tools()));
    if (strcmp(method, "tools/call") == 0) return call(mcp, id, params);
    return error_of(id, NO_METHOD, "there is no such method");
}

/* ---------------------------------------------------------------- lines */

void mcp_drop(char *dumped)
{
    json_free_t give_back;
    json_get_alloc_funcs(NULL, &give_back);
    give_back(dumped);
}

static enum cli_status write_message(json_t *message)
{
    char *line = message ? json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(message);
    if (!line) return cli_fail_memory();
    struct orr_text text = {0};
    cli_text_add(&text, "%s\n", line);
    mcp_drop(line);
    const enum cli_status status = cli_write(text.data);
    free(text.data);
    return status;
}

static enum cli_status answer_line(struct mcp *mcp, const char *line, size_t n)
{
    json_t *message = n <= LINE_MAX_BYTES ? json_loadb(line, n, 0, NULL) : NULL;
    json_t *answer = message              ? respond(mcp, message)
                     : n > LINE_MAX_BYTES ? error_of(NULL, INVALID_REQUEST, "a message has at most 4 MiB")
                                          : error_of(NULL, PARSE_ERROR, "a line is not JSON");
    json_decref(message);
    return answer ? write_message(answer) : CLI_ANSWERED;
}

static enum cli_status answer_lines(struct mcp *mcp)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n;
    enum cli_status status = CLI_ANSWERED;
    while (!status && (n = getline(&line, &capacity, stdin)) >= 0)
        if (strspn(line, " \t\r\n") < (size_t)n) status = answer_line(mcp, line, (size_t)n);
    if (!status && !feof(stdin)) status = cli_fail("standard input: %s", strerror(errno));
    free(line);
    return status;
}

/* Is there a name behind "http://" or "https://", without spaces? */
static bool is_address(const char *text)
{
    const size_t n = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
    return n > 0 && text[n] && !strpbrk(text, " \t\n\"<>");
}

static enum cli_status serve(const struct cli_args *args)
{
    const char *explorer = cli_args_value(args, "explorer");
    if (explorer && !is_address(explorer))
        return cli_fail("--explorer \"%s\": must be an address that begins with http:// or https://", explorer);
    struct mcp mcp = {.catalogue = cli_args_catalogue(args),
                      .explorer = explorer ? explorer : "http://127.0.0.1:8080/"};
    if (!mcp.catalogue) return CLI_BAD;
    orr_catalogue_seal(mcp.catalogue);
    mcp.session = orr_session_new(mcp.catalogue);
    const enum cli_status status = mcp.session ? answer_lines(&mcp) : cli_fail_memory();
    orr_session_free(mcp.session);
    orr_catalogue_close(mcp.catalogue);
    return status;
}

enum cli_status cli_mcp(int argc, const char *const *argv)
{
    ORR_PLAIN_NUMBERS;
    return cli_run(argc, argv, CLI_FOR_MCP, 0, usage, serve);
}
