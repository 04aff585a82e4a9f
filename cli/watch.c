/* Long runs that Ctrl-C ends early with what is known so far: the signals are blocked while the run goes on and asked
 * for whenever it tells of its progress. */
#define _POSIX_C_SOURCE 200809L
#include "watch.h"

#include <stdio.h>
#include <unistd.h>

#include "cli.h"

bool cli_interrupted(void)
{
    sigset_t waiting;
    return sigpending(&waiting) == 0 && (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1);
}

static void both(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
}

void cli_watch_begin(struct cli_watch *watch, const char *what)
{
    sigset_t only;
    *watch = (struct cli_watch){.what = what, .terminal = cli_terminal(STDERR_FILENO)};
    both(&only);
    sigprocmask(SIG_BLOCK, &only, &watch->before);
}

void cli_watch_progress(void *context, double done_frac)
{
    struct cli_watch *watch = context;
    if (cli_interrupted()) watch->stop = 1;
    if (!watch->terminal || done_frac >= 1) return;
    if (watch->drawn && watch->drawn_percent == (int)(100 * done_frac)) return;
    watch->drawn = true;
    watch->drawn_percent = (int)(100 * done_frac);
    cli_progress(NULL, watch->what, done_frac);
}

void cli_watch_end(struct cli_watch *watch, const char *about)
{
    sigset_t only;
    int taken;
    both(&only);
    while (cli_interrupted()) {
        watch->stop = 1;
        sigwait(&only, &taken);
    }
    sigprocmask(SIG_SETMASK, &watch->before, NULL);
    if (watch->drawn) cli_progress(NULL, "", 1);
    if (watch->stop) fprintf(stderr, "orrery: stopped early: this is about %s\n", about);
}
