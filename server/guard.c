/* Which requests are allowed. A page of another site can make a browser send requests to this server in two ways: by a
 * host name of its own that it points to this machine, which the Host header shows, or by a post across sites, which
 * the Origin header shows. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

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

/* Is the name one of the server, which the scheme reaches? The server itself speaks http; a proxy in front of it, whose
 * name --host gives, may speak https. */
static bool is_own(const struct srv *srv, const char *name, const char *scheme)
{
    static const char *const LOCAL[] = {"localhost", "127.0.0.1", "::1"};
    if (srv->host[0] && orr_compare_nocase(name, srv->host) == 0) {
        const bool https = scheme && orr_compare_nocase(scheme, "https") == 0;
        if (!scheme || (srv->scheme[0] ? orr_compare_nocase(scheme, srv->scheme) == 0 : https)) return true;
        if (srv->scheme[0]) return false;
    }
    if (scheme && orr_compare_nocase(scheme, "http") != 0) return false;
    for (size_t i = 0; i < sizeof LOCAL / sizeof *LOCAL; i++)
        if (orr_compare_nocase(name, LOCAL[i]) == 0) return true;
    if (orr_compare_nocase(name, srv->bind) == 0 || orr_compare_nocase(name, srv->host) == 0) return true;
    return srv->wildcard && is_address(name);
}

/* Is the page that sends the request, "scheme://authority", the server's own? */
static bool is_own_page(const struct srv *srv, const char *origin, const char *host, const char *name)
{
    char scheme[8];
    const char *authority = strstr(origin, "://");
    const size_t n = authority ? (size_t)(authority - origin) : 0;
    if (n == 0 || n >= sizeof scheme || orr_compare_nocase(authority + 3, host) != 0) return false;
    memcpy(scheme, origin, n);
    scheme[n] = '\0';
    return is_own(srv, name, scheme);
}

bool srv_name(struct srv *srv, const char *host)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    const char *name = host ? host : "";
    srv->scheme[0] = '\0';
    if (orr_starts_nocase(name, "http://") || orr_starts_nocase(name, "https://")) {
        name = strstr(name, "://") + 3;
        (void)snprintf(srv->scheme, sizeof srv->scheme, "%.*s", (int)(name - 3 - host), host);
    }
    const size_t n = strlen(name);
    (void)snprintf(srv->host, sizeof srv->host, "%s", name);
    return !host || (n > 0 && n < sizeof srv->host && (name[strspn(name, LETTERS)] == '\0' || is_address(name)));
}

const char *srv_guard(const struct srv *srv, const char *host, const char *origin, unsigned *status)
{
    char name[NAME_MAX_BYTES];
    *status = SRV_MISDIRECTED_REQUEST;
    if (!host || !split(host, name)) return "the request has no valid Host header";
    if (!is_own(srv, name, NULL)) return "this server does not answer to the name in the Host header (see --host)";
    *status = SRV_FORBIDDEN;
    return !origin || is_own_page(srv, origin, host, name) ? NULL : "requests from pages of other sites are refused";
}
