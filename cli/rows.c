/* Rows of a sweep as bytes, and back: the status, the reason, and unless the row is blank one number per column and the
 * words of text columns. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that grow. */
struct bytes {
    char *data;
    size_t n, max;
    bool failed;
};

static void put(struct bytes *bytes, const void *data, size_t n)
{
    if (bytes->n + n > bytes->max && !bytes->failed) {
        const size_t max = 2 * (bytes->n + n);
        char *grown = realloc(bytes->data, max);
        bytes->failed = !grown;
        if (grown) {
            bytes->data = grown;
            bytes->max = max;
        }
    }
    if (bytes->failed) return;
    memcpy(bytes->data + bytes->n, data, n);
    bytes->n += n;
}

static void put_text(struct bytes *bytes, const char *text)
{
    put(bytes, text ? text : "", text ? strlen(text) + 1 : 1);
}

char *cli_rows_pack(const struct orr_column *columns, size_t n_columns, const struct orr_sweep_row *rows, size_t n,
                    size_t *n_bytes)
{
    struct bytes bytes = {0};
    for (size_t i = 0; i < n; i++) {
        const int32_t head[] = {(int32_t)rows[i].status, rows[i].blank};
        put(&bytes, head, sizeof head);
        put_text(&bytes, rows[i].reason);
        if (rows[i].blank) continue; /* A blank row has no numbers. */
        put(&bytes, rows[i].numbers, n_columns * sizeof *rows[i].numbers);
        for (size_t c = 0; c < n_columns; c++)
            if (columns[c].type == ORR_COLUMN_TEXT) put_text(&bytes, rows[i].words[c]);
    }
    *n_bytes = bytes.n;
    if (!bytes.failed) return bytes.data;
    free(bytes.data);
    return NULL;
}

static bool get(const char **at, const char *end, void *data, size_t n)
{
    if ((size_t)(end - *at) < n) return false;
    memcpy(data, *at, n);
    *at += n;
    return true;
}

static const char *get_text(const char **at, const char *end)
{
    const char *text = *at, *zero = memchr(text, 0, (size_t)(end - text));
    if (!zero) return NULL;
    *at = zero + 1;
    return text;
}

static bool unpack_row(const struct orr_column *columns, size_t n_columns, const char **at, const char *end,
                       struct orr_sweep_row *row)
{
    int32_t head[2];
    const char *reason = get(at, end, head, sizeof head) ? get_text(at, end) : NULL;
    if (!reason || head[0] < 0 || head[0] >= ORR_N_POINT_STATUSES || strlen(reason) >= sizeof row->reason) return false;
    row->status = (enum orr_point_status)head[0];
    row->blank = head[1] != 0;
    memcpy(row->reason, reason, strlen(reason) + 1);
    if (row->blank) return true;
    if (!get(at, end, row->numbers, n_columns * sizeof *row->numbers)) return false;
    for (size_t c = 0; c < n_columns; c++) {
        row->words[c] = columns[c].type == ORR_COLUMN_TEXT ? get_text(at, end) : NULL;
        if (columns[c].type == ORR_COLUMN_TEXT && !row->words[c]) return false;
    }
    return true;
}

bool cli_rows_unpack(const struct orr_column *columns, size_t n_columns, const char *bytes, size_t n_bytes,
                     struct orr_sweep_row *rows, size_t n)
{
    const char *at = bytes, *end = bytes + n_bytes;
    for (size_t i = 0; i < n; i++)
        if (!unpack_row(columns, n_columns, &at, end, &rows[i])) return false;
    return at == end;
}
