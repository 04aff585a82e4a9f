/* Sweep rows as CSV: facts in comment lines, a header, and a line per point. Lines are only added, and a batch is on
 * the disk before the next one begins. An incomplete last line is removed when the sweep continues. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store.h"

static const char first_line[] = "# orrery sweep\n";

struct csv {
    struct cli_store store;
    int file;             /* Standard output gets no facts and is not synchronised. */
    struct orr_text text; /* the batch being written */
    size_t n_facts;       /* facts read from the file */
    uint64_t seed;        /* what the sums of rows start with */
};

enum { SUM_DIGITS = 16 };
static const char sum_column[] = ",row_sum";

/* ---------------------------------------------------------------- writing */

static enum cli_status fail_system(const char *path)
{
    if (!path && errno == EPIPE) return CLI_BAD; /* The reader of the pipe has left, which needs no message. */
    return cli_fail("%s: %s", path ? path : "standard output", strerror(errno));
}

static enum cli_status flush(struct csv *csv)
{
    if (orr_memory_failures() > 0) return cli_fail_memory(); /* A row may lack a piece. */
    for (size_t done = 0; done < csv->text.length;) {
        const ssize_t n = write(csv->file, csv->text.data + done, csv->text.length - done);
        if (n < 0 && errno != EINTR) return fail_system(csv->store.path);
        if (n > 0) done += (size_t)n;
    }
    csv->text.length = 0;
    if (csv->store.path && fsync(csv->file) != 0) return fail_system(csv->store.path);
    return CLI_ANSWERED;
}

/* Add a cell, quoted if a comma or quote would break the line. */
static void add_word(struct orr_text *text, const char *word)
{
    if (!strpbrk(word, ",\"")) {
        cli_text_append(text, word, strlen(word));
        return;
    }
    cli_text_append(text, "\"", 1);
    for (const char *c = word; *c; c++) cli_text_append(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    cli_text_append(text, "\"", 1);
}

/* Add a number with the digits of the JSON result; an absent number makes an empty cell. */
static void add_cell(struct orr_text *text, enum orr_column_type type, double number, const char *word)
{
    char digits[32];
    switch (type) {
    case ORR_COLUMN_TEXT: add_word(text, word); return;
    case ORR_COLUMN_FLAG: add_word(text, number != 0 ? "true" : "false"); return;
    case ORR_COLUMN_WHOLE:
    case ORR_COLUMN_REAL: break;
    }
    if (!isfinite(number)) return;
    const bool whole = type == ORR_COLUMN_WHOLE || (fabs(number) < 1e6 && floor(number) >= number);
    const int n = whole ? snprintf(digits, sizeof digits, "%" PRId64, (int64_t)number)
                        : snprintf(digits, sizeof digits, "%.17g", number);
    cli_text_append(text, digits, (size_t)n);
}

static void add_row(struct csv *csv, int64_t point, const struct orr_sweep_row *row)
{
    const struct cli_table *table = csv->store.table;
    struct orr_text *text = &csv->text;
    const size_t start = text->length;
    cli_text_add(text, "%" PRId64 ",%s,", point, orr_point_status_name(row->status));
    add_word(text, row->reason);
    for (size_t i = 0; i < table->n_fields; i++) {
        char value[ORR_SWEEP_VALUE];
        orr_sweep_value(table->sweep, point, i, value);
        cli_text_append(text, ",", 1);
        add_word(text, value);
    }
    for (size_t i = 0; i < table->n_columns; i++) {
        cli_text_append(text, ",", 1);
        if (!row->blank) add_cell(text, table->columns[i].type, row->numbers[i], row->words[i]);
    }
    if (csv->store.path) {
        const uint64_t sum = cli_store_hash(csv->seed, text->data + start, text->length - start);
        cli_text_add(text, ",%016" PRIx64, sum);
    }
    cli_text_append(text, "\n", 1);
}

static enum cli_status csv_add(struct cli_store *store, int64_t first, size_t n, const struct orr_sweep_row *rows)
{
    ORR_PLAIN_NUMBERS;
    struct csv *csv = (struct csv *)store;
    for (size_t i = 0; i < n; i++) add_row(csv, first + (int64_t)i, &rows[i]);
    return flush(csv);
}

/* ---------------------------------------------------------------- what is there already */

static void add_header(struct orr_text *text, const struct cli_table *table, bool sums)
{
    cli_text_add(text, "point,status,reason");
    for (size_t i = 0; i < table->n_fields; i++) {
        cli_text_append(text, ",", 1);
        add_word(text, table->fields[i]);
    }
    for (size_t i = 0; i < table->n_columns; i++) cli_text_add(text, ",%s", table->columns[i].name);
    cli_text_add(text, "%s\n", sums ? sum_column : "");
}

/* Compare a line "# key: value" with the table. Facts count in their order, so that none can stand for another. */
static enum cli_status check_fact(struct csv *csv, char *line)
{
    char *colon = strstr(line, ": ");
    if (strncmp(line, "# ", 2) != 0 || !colon) return CLI_ANSWERED;
    *colon = '\0';
    line[strlen(colon + 2) + (size_t)(colon + 2 - line) - 1] = '\0'; /* This cuts the newline off. */
    const size_t n = csv->n_facts;
    if (n < csv->store.table->n_facts && strcmp(csv->store.table->facts[n].key, line + 2) == 0) csv->n_facts++;
    return cli_store_compare(csv->store.table, csv->store.path, line + 2, colon + 2);
}

/* Compare the sum at the end of a line with the line. */
static bool sum_holds(const struct csv *csv, const char *line)
{
    char digits[SUM_DIGITS + 1];
    const char *comma = strrchr(line, ',');
    if (!comma || strlen(comma) != SUM_DIGITS + 2) return false;
    (void)snprintf(digits, sizeof digits, "%016" PRIx64, cli_store_hash(csv->seed, line, (size_t)(comma - line)));
    return strncmp(comma + 1, digits, SUM_DIGITS) == 0;
}

/* Count a row if it is complete and its point follows the last one. */
static enum cli_status count_row(const struct csv *csv, const char *line, struct cli_held *held)
{
    char *end;
    const long long point = strtoll(line, &end, 10);
    const size_t n = *end == ',' ? strcspn(end + 1, ",") : 0;
    for (int i = 0; i < ORR_N_POINT_STATUSES; i++) {
        const char *name = orr_point_status_name((enum orr_point_status)i);
        if (point != held->n_points || n != strlen(name) || strncmp(end + 1, name, n) != 0) continue;
        if (!sum_holds(csv, line))
            return cli_fail("%s: the line of point %lld does not have its sum; the file was changed or damaged",
                            csv->store.path, point);
        held->n_by_status[i]++;
        held->n_points++;
        return CLI_ANSWERED;
    }
    const size_t shown = n > 0 ? (size_t)(end + 1 - line) + n : strcspn(line, "\n");
    return cli_fail("%s: a line of point %" PRId64 " is expected, not \"%.*s\"; the file was changed", csv->store.path,
                    held->n_points, shown < 40 ? (int)shown : 40, line);
}

/* Does the file begin as a store does, or is it empty? It may be one endless line that no memory holds. */
static enum cli_status check_start(const struct csv *csv)
{
    char start[sizeof first_line];
    const ssize_t n = pread(csv->file, start, sizeof first_line - 1, 0);
    if (n < 0) return fail_system(csv->store.path);
    return memcmp(start, first_line, (size_t)n) == 0
               ? CLI_ANSWERED
               : cli_fail("%s: is no sweep of orrery; name another file", csv->store.path);
}

/* Read all complete lines. *end becomes the offset behind the last of them, or 0 if the header is incomplete. */
static enum cli_status read_lines(struct csv *csv, FILE *file, const char *header, struct cli_held *held, off_t *end)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n = 0;
    off_t at = 0;
    bool headed = false;
    enum cli_status status = check_start(csv);
    *end = 0;
    while (!status && (n = getline(&line, &capacity, file)) > 0) {
        if (line[n - 1] != '\n') break; /* The last line is incomplete. */
        at += n;
        if (strlen(line) != (size_t)n) status = cli_fail("%s: holds a zero byte; it is damaged", csv->store.path);
        else if (headed) status = count_row(csv, line, held);
        else if (line[0] == '#') status = check_fact(csv, line);
        else if (csv->n_facts != csv->store.table->n_facts)
            status = cli_fail("%s: %zu facts of %zu are above its columns; the file was changed or damaged",
                              csv->store.path, csv->n_facts, csv->store.table->n_facts);
        else if (strcmp(line, header) == 0) headed = true;
        else status = cli_fail("%s: holds another sweep: its columns differ; name another file", csv->store.path);
        if (headed) *end = at;
    }
    if (!status && n < 0 && !feof(file)) status = fail_system(csv->store.path); /* What is behind is not lost. */
    free(line);
    return status;
}

static enum cli_status resume(struct csv *csv, struct cli_held *held)
{
    struct orr_text header = {0};
    off_t end = 0;
    const int copy = dup(csv->file);
    FILE *file = copy >= 0 ? fdopen(copy, "r") : NULL;
    if (!file) return fail_system(csv->store.path);
    add_header(&header, csv->store.table, true);
    enum cli_status status = read_lines(csv, file, header.data, held, &end);
    fclose(file);
    if (!status && (ftruncate(csv->file, end) != 0 || lseek(csv->file, end, SEEK_SET) < 0))
        status = fail_system(csv->store.path);
    if (!status && end == 0) {
        cli_text_add(&csv->text, "%s", first_line);
        for (size_t i = 0; i < csv->store.table->n_facts; i++)
            cli_text_add(&csv->text, "# %s: %s\n", csv->store.table->facts[i].key, csv->store.table->facts[i].value);
        cli_text_add(&csv->text, "%s", header.data);
        status = flush(csv);
    }
    free(header.data);
    return status;
}

/* ---------------------------------------------------------------- opening, closing */

static enum cli_status csv_close(struct cli_store *store)
{
    struct csv *csv = (struct csv *)store;
    const bool failed = store->path && csv->file >= 0 && close(csv->file) != 0;
    const enum cli_status status = failed ? fail_system(store->path) : CLI_ANSWERED;
    free(csv->text.data);
    free(csv);
    return status;
}

static enum cli_status csv_open(const char *path, const struct cli_table *table, struct cli_held *held,
                                struct cli_store **store)
{
    struct csv *csv = calloc(1, sizeof *csv);
    if (!csv) return cli_fail_memory();
    csv->store = (struct cli_store){&cli_store_csv, table, path};
    csv->seed = cli_store_seed(table);
    csv->file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : STDOUT_FILENO;
    *store = &csv->store;
    if (!path) {
        add_header(&csv->text, table, false);
        return flush(csv);
    }
    struct stat kind;
    if (csv->file < 0 || fstat(csv->file, &kind) != 0) return fail_system(path);
    if (!S_ISREG(kind.st_mode))
        return cli_fail("%s: is %s; rows go into a file, or without --out to standard output", path,
                        S_ISFIFO(kind.st_mode) ? "a pipe" : "no regular file");
    if (flock(csv->file, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? cli_fail("%s: another process is writing it", path) : fail_system(path);
    return resume(csv, held);
}

const struct cli_store_type cli_store_csv = {csv_open, csv_add, csv_close};
