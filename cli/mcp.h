/* What the two files of orrery mcp share. */
#ifndef CLI_MCP_H
#define CLI_MCP_H

#include <jansson.h>

#include "orrery.h"

struct mcp {
    struct orr_catalogue *catalogue;
    struct orr_session *session;
    const char *explorer; /* address of a running explorer, for links */
};

/* Free a text of json_dumps(), which is not of malloc() where memory is short. */
void mcp_drop(char *dumped);

/* The list of tools, with the schema of the arguments of each; NULL where memory runs out. */
json_t *mcp_tools(void);

/* Call a tool. Returns the result of tools/call; NULL if there is no such tool or memory runs out, which `*known` tells
 * apart. A question that cannot be answered is a result with "isError". */
json_t *mcp_call(struct mcp *mcp, const char *name, json_t *arguments, bool *known);

#endif
