/* The text that nccl-tests and rccl-tests print. Lines with "Rank" name hosts and devices; a line of results has the
 * bytes, the elements, their type, an operator and a root in most tests, and then time, algorithm and bus bandwidth and
 * errors, out of place and in place. The out-of-place time is used. */
#include "calibrate/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_MAX 4096
#define WORDS_MAX 16
#define HOST_SIZE 64

bool orr_is_nccl_tests(const char *text)
{
    return strstr(text, "# nThread") || (strstr(text, "Rank") && strstr(text, "algbw"));
}

/* Copies the line at `at`, cut to the buffer, and returns the beginning of the next one; NULL at the end. */
static const char *next_line(const char *at, char *line, size_t size)
{
    const size_t length = strcspn(at, "\n");
    (void)snprintf(line, size, "%.*s", (int)length, at);
    return at[length] ? at[length + 1] ? at + length + 1 : NULL : NULL;
}

struct hosts {
    char (*names)[HOST_SIZE];
    size_t n;
    int64_t ranks;
};

/* "#  Rank  0 Group  0 Pid 12345 on node07 device  0 [0x07] ..." */
static void count_rank(struct hosts *hosts, const char *line)
{
    const char *on = strstr(line, " on ");
    if (!strstr(line, "Rank") || !on || !strstr(on, " device")) return;
    char name[HOST_SIZE];
    on += strlen(" on ");
    on += strspn(on, " ");
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(on, " "), on);
    hosts->ranks++;
    for (size_t i = 0; i < hosts->n; i++)
        if (strcmp(hosts->names[i], name) == 0) return;
    if (hosts->n < HOSTS_MAX) memcpy(hosts->names[hosts->n++], name, sizeof name);
}

/* Splits a line of results. Returns the out-of-place time in seconds and the bytes; false if it is another line. */
static bool read_result(char *line, double *bytes, double *time_s)
{
    char *words[WORDS_MAX];
    int n = 0;
    char *at = line + strspn(line, " \t\r"), *end;
    while (*at && n < WORDS_MAX) {
        words[n++] = at;
        at += strcspn(at, " \t\r");
        if (*at) *at++ = '\0';
        at += strspn(at, " \t\r");
    }
    if (n < 3 + 8 || words[0][0] < '0' || words[0][0] > '9') return false;
    *bytes = strtod(words[0], &end);
    if (*end) return false;
    *time_s = 1e-6 * strtod(words[n - 8], &end); /* the last eight: time, two bandwidths and errors, twice */
    return *end == '\0' && *bytes > 0 && *time_s > 0;
}

static enum orr_err read_lines(struct orr_fabric_fit *fit, const char *text, const char *origin, struct hosts *hosts,
                               struct orr_error *error)
{
    char line[512];
    enum orr_collective collective = orr_collective_of_word(origin);
    size_t n = 0;
    for (const char *at = text; at;) {
        at = next_line(at, line, sizeof line);
        const enum orr_collective named = strstr(line, "_perf") ? orr_collective_of_word(line) : ORR_N_COLLECTIVES;
        if (named != ORR_N_COLLECTIVES) collective = named;
        count_rank(hosts, line);
        struct orr_fabric_row row = {.nodes = (int64_t)hosts->n, .ranks = hosts->ranks};
        if (!read_result(line, &row.bytes, &row.measured_s) || row.ranks < 2) continue;
        row.collective = collective;
        if (collective == ORR_N_COLLECTIVES)
            return orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin},
                            "which collective? Neither the text nor the name of the file says all_reduce, all_gather, "
                            "reduce_scatter or alltoall");
        const enum orr_err err = orr_fabric_add_row(fit, "", row, origin, error);
        if (err) return err;
        n++;
    }
    return n ? ORR_OK
             : orr_fail(error, ORR_ERR_INPUT, (struct orr_place){.file = origin}, "nccl-tests printed no timings here");
}

enum orr_err orr_fabric_read_nccl_tests(struct orr_fabric_fit *fit, const char *text, const char *origin,
                                        struct orr_error *error)
{
    struct hosts hosts = {.names = malloc(HOSTS_MAX * HOST_SIZE)};
    if (!hosts.names) return orr_out_of_memory(error, NULL);
    const enum orr_err err = read_lines(fit, text, origin, &hosts, error);
    free(hosts.names);
    return err;
}
