/* An allocator that fails once, or from one moment on. It is loaded before a program starts (LD_PRELOAD):
 *
 *   OOM_COUNT=FILE           writes the number of allocations of a run to FILE;
 *   OOM_AT=N [OOM_ON=1]      fails allocation N, and with OOM_ON every one after it;
 *   OOM_WALK=FIRST:LAST:STEP OOM_FOLDER=DIR
 *                            runs the program once for every N, in a copy of the process made before main, and prints
 *                            "N status out-bytes same error-lines first-error-line" to DIR/walk. DIR/good holds the
 *                            output of a run without failures. A run that takes more than LIMIT_S is ended.
 *   OOM_NEXT=FILE            on SIGUSR2, the allocation that many behind the present one fails: FILE has the number,
 *                            and is removed once that is arranged. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 60, NAME = 512, LINE = 1024 };

#define SHOWN __attribute__((visibility("default"))) /* in place of those of the C library */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static volatile long n_done, fail_at;
static bool on_and_on;

static bool fails(void)
{
    const long n = __atomic_add_fetch(&n_done, 1, __ATOMIC_RELAXED);
    if (fail_at == 0 || n < fail_at || (n > fail_at && !on_and_on)) return false;
    errno = ENOMEM;
    return true;
}

SHOWN void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

SHOWN void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

SHOWN void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

static void redirect(const char *folder, const char *name, int descriptor)
{
    char path[NAME];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(111);
    (void)close(file);
}

/* The bytes of a file of the folder, mapped; *size becomes their number. */
static char *map(const char *folder, const char *name, size_t *size)
{
    char path[NAME];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_RDONLY);
    const off_t end = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    char *bytes = end > 0 ? mmap(NULL, (size_t)end, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    if (file >= 0) (void)close(file);
    *size = bytes && bytes != MAP_FAILED ? (size_t)end : 0;
    return bytes;
}

static void report(const char *folder, long n, int status, int walk)
{
    size_t n_good, n_out, n_error, n_lines = 0;
    char *good = map(folder, "good", &n_good), *out = map(folder, "out", &n_out), *error = map(folder, "err", &n_error);
    const bool start = n_out <= n_good && (n_out == 0 || memcmp(good, out, n_out) == 0);
    /* 1: the same output, 2: whole lines of it */
    const int same = start && n_out == n_good ? 1 : start && n_out > 0 && out[n_out - 1] == '\n' ? 2 : 0;
    for (size_t i = 0; i < n_error; i++) n_lines += error[i] == '\n';
    size_t start_at = 0; /* libgomp begins with an empty line */
    while (start_at < n_error && error[start_at] == '\n') start_at++;
    n_lines -= start_at;
    const char *first = n_error ? memchr(error + start_at, '\n', n_error - start_at) : NULL;
    const int code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    char line[LINE];
    const int length = snprintf(line, sizeof line, "%ld %d %zu %d %zu %.*s\n", n, code, n_out, same, n_lines,
                                first ? (int)(first - error - (long)start_at) : 0, first ? error + start_at : "");
    if (write(walk, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1) < 0) _exit(112);
    if (n_good) (void)munmap(good, n_good);
    if (n_out) (void)munmap(out, n_out);
    if (n_error) (void)munmap(error, n_error);
}

static void walk(const char *range, const char *folder)
{
    long first = 1, last = 0, step = 1;
    char path[NAME];
    (void)sscanf(range, "%ld:%ld:%ld", &first, &last, &step);
    (void)snprintf(path, sizeof path, "%s/walk", folder);
    const int results = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (long n = first; n <= last; n += step) {
        const pid_t child = fork();
        if (child < 0) _exit(113);
        if (child == 0) {
            redirect(folder, "out", STDOUT_FILENO);
            redirect(folder, "err", STDERR_FILENO);
            (void)alarm(LIMIT_S);
            fail_at = n_done + n;
            return; /* and run main */
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
        report(folder, n, status, results);
    }
    _exit(0);
}

/* For servers: read(), open() and atomic stores are allowed in a handler. */
static void arm(int signal_number)
{
    char text[32] = "";
    const int file = open(getenv("OOM_NEXT"), O_RDONLY);
    (void)signal_number;
    if (file < 0 || read(file, text, sizeof text - 1) < 0) return;
    (void)close(file);
    long n = 0;
    for (const char *c = text; *c >= '0' && *c <= '9'; c++) n = 10 * n + (*c - '0');
    fail_at = n > 0 ? n_done + n : 0;
    (void)unlink(getenv("OOM_NEXT")); /* whoever sent the signal waits for this */
}

__attribute__((constructor)) static void enter(void)
{
    if (getenv("OOM_NEXT")) (void)signal(SIGUSR2, arm);
    const char *range = getenv("OOM_WALK"), *folder = getenv("OOM_FOLDER"), *at = getenv("OOM_AT");
    on_and_on = getenv("OOM_ON");
    unsetenv("LD_PRELOAD"); /* Programs that this one starts are not tested. */
    if (range && folder) walk(range, folder);
    else if (at) fail_at = n_done + atol(at);
    n_done = fail_at > 0 ? n_done : 0;
}

__attribute__((destructor)) static void leave(void)
{
    const char *path = getenv("OOM_COUNT");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", n_done);
    if (file >= 0 && write(file, text, (size_t)length) == length) (void)close(file);
}
