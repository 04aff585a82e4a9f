/* Which requests are allowed. A page of another site can make a browser send requests to this server in two ways: by a
 * host name of its own that it points to this machine, which the Host header shows, or by a post across sites, which
 * the Origin header shows. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "server/internal.h"

enum { NAME_MAX_BYTES = 256 };

/* The name in "name:port" or "[::1]:port", without brackets. Returns false if there is none, or no port behind a
 * colon. */
static bool split(const char *authority, char name[NAME_MAX_BYTES])
{
    const bool bracket = authority[0] == '[';
    const char *start = authority + bracket, *end = start + strcspn(start, bracket ? "]" : ":");
    const char *port = bracket && *end ? end + 1 : end;
    const size_t n = (size_t)(end - start);
    if (n == 0 || n >= NAME_MAX_BYTES || (bracket && *end != ']')) return false;
    if (*port && (*port != ':' || port[1 + strspn(port + 1, "0123456789")])) return false;
    memcpy(name, start, n);
    name[n] = '\0';
    return true;
}

/* Is the name an address? Nobody else can point an address to this machine. */
static bool is_address(const char *name)
{
    unsigned char address[16];
    return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static bool is_own(const struct srv *srv, const char *name)
{
    static const char *const LOCAL[] = {"localhost", "127.0.0.1", "::1"};
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++)
        if (strcasecmp(name, LOCAL[i]) == 0) return true;
    if (strcasecmp(name, srv->bind) == 0 || (srv->host[0] && strcasecmp(name, srv->host) == 0)) return true;
    return srv->wildcard && is_address(name);
}

const char *srv_guard(const struct srv *srv, struct MHD_Connection *connection, unsigned *status)
{
    char name[NAME_MAX_BYTES];
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
    *status = MHD_HTTP_MISDIRECTED_REQUEST;
    if (!host || !split(host, name)) return "the request has no valid Host header";
    if (!is_own(srv, name)) return "this server does not answer to the name in the Host header (see --host)";
    if (!origin) return NULL;
    const char *authority = strstr(origin, "://");
    *status = MHD_HTTP_FORBIDDEN;
    return authority && strcasecmp(authority + 3, host) == 0 ? NULL : "requests from pages of other sites are refused";
}
