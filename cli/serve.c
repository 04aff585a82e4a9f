/* orrery serve: answer the JSON contract and serve the explorer over HTTP until a signal arrives. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"
#include "options.h"
#ifdef ORR_SERVER
#include "server/server.h"
#endif

static const char usage[] = "usage: orrery serve [--port N] [--bind ADDRESS] [options]\n"
                            "Serve the explorer and the JSON API (docs/server.md) until Ctrl-C. Bound to this machine\n"
                            "unless --bind says otherwise: there are no accounts, so let only those in whom you trust.";

#ifdef ORR_SERVER

/* Raise the limit of open files, because every connection is one. */
static void raise_file_limit(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
}

/* Warn if the server has rights that it does not need. */
static void warn_root(bool json)
{
    static const char text[] = "running as root; an account without rights is enough (contrib/orrery.service)";
    if (geteuid() != 0) return;
    if (json) (void)fprintf(stderr, "{\"level\":\"warning\",\"text\":\"%s\"}\n", text);
    else (void)fprintf(stderr, "orrery: warning: %s\n", text);
}

static enum cli_status tell(const struct srv *srv, const char *bind)
{
    char line[160];
    const bool six = strchr(bind, ':') != NULL;
    (void)snprintf(line, sizeof line, "orrery: http://%s%s%s:%d/\n", six ? "[" : "", bind, six ? "]" : "",
                   srv_port(srv));
    return cli_write(line);
}

static enum cli_status run(const struct srv_options *options)
{
    char message[SRV_MESSAGE];
    sigset_t ends;
    int taken;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* This precedes the threads, which inherit the mask. */
    raise_file_limit();
    struct srv *srv = srv_start(options, message);
    if (!srv) return cli_fail("serve: %s", message);
    warn_root(options->log_json);
    const enum cli_status status = tell(srv, options->bind);
    if (!status) (void)sigwait(&ends, &taken);
    if (!srv_stop(srv)) _exit((int)status);
    return status;
}

static enum cli_status serve(const struct cli_args *args)
{
    int64_t port = 8080, n_threads = 0, n_connections = 0, n_per_address = 0, timeout_s = 0;
    const char *bind = cli_args_value(args, "bind"), *format = cli_args_value(args, "log-format");
    if (cli_args_whole(args, "port", 0, 65535, &port) || cli_args_whole(args, "threads", 1, 256, &n_threads) ||
        cli_args_whole(args, "connections", 1, 65536, &n_connections) ||
        cli_args_whole(args, "connections-per-address", 1, 65536, &n_per_address) ||
        cli_args_whole(args, "timeout", 1, 3600, &timeout_s))
        return CLI_BAD;
    if (format && strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
        return cli_fail("serve: --log-format %.40s: expected text or json", format);
    struct orr_catalogue *catalogue = cli_args_catalogue(args);
    if (!catalogue) return CLI_BAD;
    const struct srv_options options = {.catalogue = catalogue,
                                        .bind = bind ? bind : "127.0.0.1",
                                        .port = (int)port,
                                        .n_threads = (int)n_threads,
                                        .host = cli_args_value(args, "host"),
                                        .n_connections = (int)n_connections,
                                        .n_per_address = (int)n_per_address,
                                        .request_s = (double)timeout_s,
                                        .log = cli_args_value(args, "access-log"),
                                        .log_json = format && strcmp(format, "json") == 0};
    const enum cli_status status = run(&options);
    orr_catalogue_close(catalogue);
    return status;
}

#else

static enum cli_status serve(const struct cli_args *args)
{
    (void)args;
    return cli_fail("serve: this program was built without the server (-Dserver=disabled, or no Linux)");
}

#endif

enum cli_status cli_serve(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_SERVE, 0, usage, serve);
}
