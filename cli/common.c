/* What the commands share: how one is run, one-line errors, growable text, checked output, reading files, and nearest
 * names. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "cli.h"
#include "options.h"

#define FILE_MAX_BYTES ((size_t)64 << 20)
#define NEAREST_MAX    63

/* A key that a command line lacks is an option to those who type it: `missing key "input_len"` becomes `--input is
 * missing`. */
static void name_option(char *line, size_t size)
{
    static const char BEFORE[] = "command line: ", MISSING[] = "missing key \"";
    char key[64], rest[1024];
    if (strncmp(line, BEFORE, sizeof BEFORE - 1) != 0) return;
    const char *at = line + sizeof BEFORE - 1;
    if (strncmp(at, "workload: ", 10) == 0) at += 10;
    if (strncmp(at, MISSING, sizeof MISSING - 1) != 0) return;
    at += sizeof MISSING - 1;
    const size_t n = strcspn(at, "\"");
    if (n >= sizeof key || at[n] == '\0') return;
    (void)snprintf(key, sizeof key, "%.*s", (int)n, at);
    (void)snprintf(rest, sizeof rest, "%s", at + n + 1);
    const char *option = cli_option_of(key);
    if (option) (void)snprintf(line, size, "command line: --%s is missing%s", option, rest);
}

/* Bytes of the character of UTF-8 at `text`; 0: there is none, or one that controls the terminal or turns a line. */
static size_t printable(const char *text)
{
    const unsigned char c = (unsigned char)text[0];
    const size_t n = c < 0x80 ? 1 : c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    if (n == 0 || c >= 0xf5 || orr_control_bytes(text) > 0) return 0;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    return n;
}

void cli_plain(char *text, bool lines)
{
    for (char *c = text; *c;) {
        const bool kept = lines && (*c == '\n' || *c == '\t');
        const size_t n = kept ? 1 : printable(c);
        if (n == 0) *c = '?';
        c += n > 0 ? n : 1;
    }
}

enum cli_status cli_fail(const char *format, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* What looks wrong after a failed allocation may only be incomplete. */
    if (orr_memory_failures() > 0 && !strstr(line, "out of memory")) snprintf(line, sizeof line, "out of memory");
    name_option(line, sizeof line);
    cli_plain(line, false); /* input that a message repeats must not break its single line */
    fprintf(stderr, "orrery: %s\n", line);
    return CLI_BAD;
}

enum cli_status cli_fail_memory(void)
{
    return cli_fail("out of memory");
}

enum cli_status cli_run(int argc, const char *const *argv, unsigned command, size_t max_words, const char *usage,
                        enum cli_status (*answer)(const struct cli_args *args))
{
    struct cli_args args;
    enum cli_status status = cli_args_parse(argc, argv, command, max_words, &args);
    if (!status) status = args.help && usage ? cli_options_help(command, usage) : answer(&args);
    cli_args_free(&args);
    return status;
}

void cli_progress(void *context, const char *what, double done_frac)
{
    char bar[31];
    (void)context;
    for (int i = 0; i < 30; i++) bar[i] = i < (int)(30 * done_frac) ? '#' : '.';
    bar[30] = '\0';
    if (done_frac < 1) fprintf(stderr, "\r%s %3.0f %%  %-40s", bar, 100 * done_frac, what);
    else fprintf(stderr, "\r%78s\r", "");
    fflush(stderr);
}

void cli_text_add(struct orr_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    orr_text_add_v(text, format, arguments);
    va_end(arguments);
    if (text->failed) exit((int)cli_fail_memory());
}

void cli_text_append(struct orr_text *text, const char *bytes, size_t n)
{
    orr_text_append(text, bytes, n);
    if (text->failed) exit((int)cli_fail_memory());
}

enum cli_status cli_write(const char *text)
{
    if (!text || orr_memory_failures() > 0) return cli_fail_memory(); /* It may lack a piece. */
    errno = 0;
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0) return CLI_ANSWERED;
    /* The reader of the pipe has left, which needs no message. */
    return errno == EPIPE ? CLI_BAD : cli_fail("standard output: %s", strerror(errno));
}

enum cli_status cli_write_file(const char *path, char *text)
{
    enum cli_status status = CLI_ANSWERED;
    if (!text || orr_memory_failures() > 0) {
        free(text);
        return cli_fail_memory();
    }
    if (strcmp(path, "-") == 0) {
        status = cli_write(text);
    } else {
        errno = 0;
        FILE *file = fopen(path, "w");
        const bool written = file && fputs(text, file) >= 0;
        if ((file && fclose(file) != 0) || !written) status = cli_fail("%s: %s", path, strerror(errno));
    }
    free(text);
    return status;
}

/* Makes the folders that lead to the last one of a path; those that are there stay. */
static void make_parents(const char *path)
{
    struct orr_text copy = {0};
    cli_text_add(&copy, "%s", path);
    for (char *end = strchr(copy.data + 1, '/'); end; end = strchr(end + 1, '/')) {
        *end = '\0';
        (void)mkdir(copy.data, 0777); /* Where it fails, so does the last one. */
        *end = '/';
    }
    free(copy.data);
}

enum cli_status cli_folder_make(struct cli_folder *folder)
{
    struct stat status;
    if (*folder->path) make_parents(folder->path);
    if (mkdir(folder->path, 0777) == 0 || (stat(folder->path, &status) == 0 && S_ISDIR(status.st_mode)))
        return CLI_ANSWERED;
    return cli_fail("%s: %s", folder->path, strerror(errno));
}

void cli_folder_put(void *context, const char *name, const char *text)
{
    struct cli_folder *folder = context;
    struct orr_text path = {0}, copy = {0};
    if (folder->status) return;
    cli_text_add(&path, "%s/%s", folder->path, name);
    cli_text_add(&copy, "%s", text);
    folder->status = cli_write_file(path.data, copy.data);
    const size_t n = strlen(name);
    if (!folder->status && n > 3 && strcmp(name + n - 3, ".sh") == 0) (void)chmod(path.data, 0755);
    folder->n_files++;
    free(path.data);
}

static char *read_stream(FILE *file, const char *origin)
{
    struct orr_text text = {0};
    char block[1 << 16];
    size_t n;
    while ((n = fread(block, 1, sizeof block, file)) > 0) {
        cli_text_append(&text, block, n);
        if (text.length > FILE_MAX_BYTES) {
            cli_fail("%s: larger than %zu MiB", origin, FILE_MAX_BYTES >> 20);
            free(text.data);
            return NULL;
        }
    }
    cli_text_append(&text, "", 0); /* An empty file is still a string. */
    if (ferror(file)) cli_fail("%s: %s", origin, strerror(errno));
    else if (strlen(text.data) != text.length) cli_fail("%s: not text: contains a NUL byte", origin);
    else return text.data;
    free(text.data);
    return NULL;
}

char *cli_read_file(const char *path, const char **origin)
{
    const bool standard_input = strcmp(path, "-") == 0;
    *origin = standard_input ? "standard input" : path;
    if (standard_input) return read_stream(stdin, *origin);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        cli_fail("%s: is a directory, not a file", path);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_fail("%s: %s", path, strerror(errno));
        return NULL;
    }
    char *text = read_stream(file, *origin);
    fclose(file);
    return text;
}

/* The edit distance (insert, delete, replace) of words of up to NEAREST_MAX characters. */
static size_t edit_distance(const char *a, const char *b)
{
    const size_t n = strlen(b);
    size_t row[NEAREST_MAX + 1];
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const size_t replace = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t n_candidates)
{
    const char *best = NULL;
    size_t best_distance = strlen(word) / 3 + 2; /* A word that is further away is not a typing error. */
    if (strlen(word) > NEAREST_MAX) return NULL;
    for (size_t i = 0; i < n_candidates; i++) {
        if (strlen(candidates[i]) > NEAREST_MAX) continue;
        const size_t distance = edit_distance(word, candidates[i]);
        if (distance >= best_distance || distance >= strlen(candidates[i])) continue;
        best = candidates[i];
        best_distance = distance;
    }
    return best;
}

bool cli_under_mpi(void)
{
    return getenv("OMPI_COMM_WORLD_RANK") || getenv("PMIX_RANK");
}

bool cli_terminal(int descriptor)
{
    return isatty(descriptor) && !cli_under_mpi();
}
