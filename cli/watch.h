/* Progress and Ctrl-C of a long run. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <signal.h>
#include <stdbool.h>

struct cli_watch {
    volatile int stop; /* for the run: it ends soon after this becomes 1 */
    const char *what;
    bool terminal, drawn;
    int drawn_percent; /* what the bar shows */
    sigset_t before;
};
/* Did Ctrl-C or a signal of mpirun or a batch system come? They are blocked while a run goes on and stay pending until
 * this asks for them, so that there is no handler and no shared state. */
bool cli_interrupted(void);
void cli_watch_begin(struct cli_watch *watch, const char *what);
/* To be called by the run from time to time; the context is the watch. */
void cli_watch_progress(void *context, double done_frac);
/* Says on stderr that the answer is about `about` only, where the run was stopped. */
void cli_watch_end(struct cli_watch *watch, const char *about);

#endif
