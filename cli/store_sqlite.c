/* Sweep rows in an SQLite database (docs/sweep.md has the schema): write-ahead log, one transaction per batch. */
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

enum { BUSY_MS = 10000 }; /* A reader or another writer may lock the file for a short time. */

struct database {
    struct cli_store store;
    sqlite3 *handle;
    sqlite3_stmt *point, *result, *last; /* two inserts, and the query for the last point */
    sqlite3_stmt *stored, *sum;          /* rows as they are stored, and the insert of their sums */
    uint64_t seed;                       /* what the sums start with */
};

/* ---------------------------------------------------------------- statements */

static enum cli_status fail_sqlite(const struct database *db)
{
    return cli_fail("%s: %s", db->store.path, sqlite3_errmsg(db->handle));
}

static enum cli_status execute(const struct database *db, const char *sql)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? CLI_ANSWERED : fail_sqlite(db);
}

/* Prepare a statement and free its text. A NULL text means that sqlite3_str had no memory. */
static enum cli_status prepare(const struct database *db, char *sql, sqlite3_stmt **statement)
{
    if (!sql) return cli_fail_memory();
    const int code = sqlite3_prepare_v2(db->handle, sql, -1, statement, NULL);
    sqlite3_free(sql);
    return code == SQLITE_OK ? CLI_ANSWERED : fail_sqlite(db);
}

/* Run a statement that returns no row. */
static enum cli_status step(const struct database *db, sqlite3_stmt *statement)
{
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? CLI_ANSWERED : fail_sqlite(db);
}

/* ---------------------------------------------------------------- schema */

static enum cli_status execute_text(const struct database *db, sqlite3_str *text)
{
    char *sql = sqlite3_str_finish(text);
    if (!sql) return cli_fail_memory();
    const enum cli_status status = execute(db, sql);
    sqlite3_free(sql);
    return status;
}

/* The statements that make the tables and the view, as SQLite keeps them. Columns have types, so that it stores numbers
 * as numbers, but a varied value may be text or a number. */
static sqlite3_str *schema_text(const struct database *db)
{
    /* in the order of enum orr_column_type */
    static const char *const types[] = {"REAL", "INTEGER", "INTEGER", "TEXT"};
    const struct cli_table *table = db->store.table;
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_str_appendall(sql, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
                               "CREATE TABLE points (point INTEGER PRIMARY KEY, status TEXT NOT NULL, reason TEXT");
    for (size_t i = 0; i < table->n_fields; i++) sqlite3_str_appendf(sql, ", \"%w\" NUMERIC", table->fields[i]);
    sqlite3_str_appendall(sql, ");CREATE TABLE results (point INTEGER PRIMARY KEY REFERENCES points");
    for (size_t i = 0; i < table->n_columns; i++)
        sqlite3_str_appendf(sql, ", \"%w\" %s", table->columns[i].name, types[table->columns[i].type]);
    sqlite3_str_appendall(sql, ");CREATE TABLE sums (point INTEGER PRIMARY KEY, sum INTEGER NOT NULL);"
                               "CREATE VIEW sweep AS SELECT * FROM points LEFT JOIN results USING (point);");
    return sql;
}

static enum cli_status create_tables(const struct database *db)
{
    const struct cli_table *table = db->store.table;
    sqlite3_str *sql = schema_text(db);
    for (size_t i = 0; i < table->n_facts; i++)
        sqlite3_str_appendf(sql, "INSERT INTO meta VALUES (%Q, %Q);", table->facts[i].key, table->facts[i].value);
    return execute_text(db, sql);
}

/* Prepare "INSERT INTO name VALUES (?, ?, ...)". */
static enum cli_status prepare_insert(const struct database *db, const char *name, size_t n, sqlite3_stmt **statement)
{
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    sqlite3_str_appendf(sql, "INSERT INTO %s VALUES (?", name);
    for (size_t i = 1; i < n; i++) sqlite3_str_appendall(sql, ", ?");
    sqlite3_str_appendall(sql, ")");
    return prepare(db, sqlite3_str_finish(sql), statement);
}

/* ---------------------------------------------------------------- what is there already */

/* Read the one number that a query returns. */
static enum cli_status ask(const struct database *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    enum cli_status status = prepare(db, sqlite3_mprintf("%s", sql), &statement);
    if (!status && sqlite3_step(statement) == SQLITE_ROW) *number = sqlite3_column_int64(statement, 0);
    else if (!status) status = fail_sqlite(db);
    sqlite3_finalize(statement);
    return status;
}

/* The one text that a query returns, with sqlite3_malloc; NULL after an error. */
static char *ask_text(const struct database *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (prepare(db, sqlite3_mprintf("%s", sql), &statement)) return NULL;
    if (sqlite3_step(statement) == SQLITE_ROW) text = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
    if (!text) fail_sqlite(db);
    sqlite3_finalize(statement);
    return text;
}

/* SQLite checks its pages, and then the tables are compared with those that this program would make. */
static enum cli_status check_schema(const struct database *db)
{
    int64_t n_tables = 0, n_sums = 0;
    enum cli_status status =
        ask(db, "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'points', 'results')", &n_tables);
    if (!status && n_tables != 3) return cli_fail("%s: is no sweep of orrery; name another file", db->store.path);
    if (!status) status = ask(db, "SELECT count(*) FROM sqlite_master WHERE name = 'sums'", &n_sums);
    if (!status && n_sums != 1)
        return cli_fail("%s: its rows have no sums (it is of an older version); name another file", db->store.path);
    char *quick = status ? NULL : ask_text(db, "PRAGMA quick_check(1)");
    if (!quick) return CLI_BAD;
    const char *line = strrchr(quick, '\n'); /* The first line is a title. */
    if (strcmp(quick, "ok") != 0) status = cli_fail("%s: is damaged: %.200s", db->store.path, line ? line + 1 : quick);
    sqlite3_free(quick);
    char *held = status ? NULL : ask_text(db, "SELECT group_concat(sql || ';', '') FROM sqlite_master WHERE sql <> ''");
    char *wanted = status ? NULL : sqlite3_str_finish(schema_text(db));
    if (!status && (!held || !wanted)) status = held ? cli_fail_memory() : CLI_BAD;
    if (!status && strcmp(held, wanted) != 0)
        status = cli_fail("%s: holds another sweep or was changed: its tables differ; name another file",
                          db->store.path);
    sqlite3_free(held);
    sqlite3_free(wanted);
    return status;
}

static enum cli_status compare_facts(const struct database *db)
{
    const struct cli_table *table = db->store.table;
    sqlite3_stmt *statement = NULL;
    enum cli_status status = prepare(db, sqlite3_mprintf("SELECT value FROM meta WHERE key = ?"), &statement);
    for (size_t i = 0; i < table->n_facts && !status; i++) {
        sqlite3_bind_text(statement, 1, table->facts[i].key, -1, SQLITE_STATIC);
        const int code = sqlite3_step(statement);
        const char *value = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (code == SQLITE_ROW || code == SQLITE_DONE)
            status = cli_store_compare(table, db->store.path, table->facts[i].key, value ? value : "");
        else status = fail_sqlite(db);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

/* The sum of a row as it is stored: kinds and bytes of the columns from the second on, where the first is the sum that
 * is stored. */
static uint64_t row_sum(const struct database *db)
{
    sqlite3_stmt *row = db->stored;
    uint64_t sum = db->seed;
    const int n = sqlite3_column_count(row);
    for (int i = 1; i < n; i++) {
        const int type = sqlite3_column_type(row, i);
        const int64_t whole = type == SQLITE_INTEGER ? sqlite3_column_int64(row, i) : 0;
        const double real = type == SQLITE_FLOAT ? sqlite3_column_double(row, i) : 0;
        const void *text = type == SQLITE_TEXT || type == SQLITE_BLOB ? sqlite3_column_blob(row, i) : NULL;
        sum = cli_store_hash(sum, &type, sizeof type);
        if (type == SQLITE_INTEGER) sum = cli_store_hash(sum, &whole, sizeof whole);
        if (type == SQLITE_FLOAT) sum = cli_store_hash(sum, &real, sizeof real);
        if (text) sum = cli_store_hash(sum, text, (size_t)sqlite3_column_bytes(row, i));
    }
    return sum;
}

/* Read the rows from one point on: the sum, the point, its status and so on. */
static enum cli_status prepare_stored(struct database *db)
{
    return prepare(db, sqlite3_mprintf("SELECT s.sum, p.*, r.* FROM points p LEFT JOIN results r ON r.point = p.point "
                                       "LEFT JOIN sums s ON s.point = p.point WHERE p.point >= ? ORDER BY p.point"),
                   &db->stored);
}

static enum cli_status count_row(const struct database *db, struct cli_held *held)
{
    const int64_t point = sqlite3_column_int64(db->stored, 1);
    const char *status = (const char *)sqlite3_column_text(db->stored, 2);
    if (point != held->n_points)
        return cli_fail("%s: points are missing before point %" PRId64 "; the file was changed", db->store.path, point);
    if (sqlite3_column_type(db->stored, 0) != SQLITE_INTEGER ||
        (uint64_t)sqlite3_column_int64(db->stored, 0) != row_sum(db))
        return cli_fail("%s: point %" PRId64 " does not have its sum; the file was changed or damaged", db->store.path,
                        point);
    for (int i = 0; i < ORR_N_POINT_STATUSES; i++)
        held->n_by_status[i] += status && strcmp(status, orr_point_status_name((enum orr_point_status)i)) == 0;
    held->n_points++;
    return CLI_ANSWERED;
}

/* Count the points and check each. Rows of other tables without a point are counted, too. */
static enum cli_status count_points(struct database *db, struct cli_held *held)
{
    int code = SQLITE_DONE;
    int64_t n_stray = 0;
    enum cli_status status = prepare_stored(db);
    if (!status) sqlite3_bind_int64(db->stored, 1, INT64_MIN);
    while (!status && (code = sqlite3_step(db->stored)) == SQLITE_ROW) status = count_row(db, held);
    if (!status && code != SQLITE_DONE) status = fail_sqlite(db);
    sqlite3_reset(db->stored);
    if (!status)
        status = ask(db, "SELECT (SELECT count(*) FROM results WHERE point NOT IN (SELECT point FROM points)) + "
                         "(SELECT count(*) FROM sums WHERE point NOT IN (SELECT point FROM points))",
                     &n_stray);
    if (!status && n_stray > 0)
        return cli_fail("%s: points of %" PRId64 " results are missing; the file was changed", db->store.path, n_stray);
    return status;
}

/* Create the missing tables, or compare the facts and count the rows, all in one transaction. */
static enum cli_status set_up(struct database *db, struct cli_held *held)
{
    int64_t n_things = 0;
    enum cli_status status = execute(db, "BEGIN IMMEDIATE");
    if (!status) status = ask(db, "SELECT count(*) FROM sqlite_master", &n_things);
    if (!status && n_things == 0) status = create_tables(db);
    else if (!status) status = check_schema(db);
    if (!status) status = compare_facts(db);
    if (!status) status = count_points(db, held);
    if (!status && orr_memory_failures() > 0) status = cli_fail_memory();
    return status ? status : execute(db, "COMMIT");
}

/* ---------------------------------------------------------------- rows in */

/* Texts are copied, which may fail: the column would then be NULL, so that every result counts. */
static int bind_text(sqlite3_stmt *statement, int column, const char *text)
{
    return sqlite3_bind_text(statement, column, text, -1, SQLITE_TRANSIENT);
}

static enum cli_status add_point(const struct database *db, int64_t point, const struct orr_sweep_row *row)
{
    const struct cli_table *table = db->store.table;
    char value[ORR_SWEEP_VALUE];
    int code = sqlite3_bind_int64(db->point, 1, point);
    code |= sqlite3_bind_text(db->point, 2, orr_point_status_name(row->status), -1, SQLITE_STATIC);
    code |= row->reason[0] ? bind_text(db->point, 3, row->reason) : sqlite3_bind_null(db->point, 3);
    for (size_t i = 0; i < table->n_fields; i++) {
        orr_sweep_value(table->sweep, point, i, value);
        code |= bind_text(db->point, (int)i + 4, value);
    }
    return code == SQLITE_OK ? step(db, db->point) : fail_sqlite(db);
}

static enum cli_status add_result(const struct database *db, int64_t point, const struct orr_sweep_row *row)
{
    const struct cli_table *table = db->store.table;
    int code = sqlite3_bind_int64(db->result, 1, point);
    for (size_t i = 0; i < table->n_columns; i++) {
        const int column = (int)i + 2;
        switch (table->columns[i].type) {
        case ORR_COLUMN_TEXT: code |= sqlite3_bind_text(db->result, column, row->words[i], -1, SQLITE_STATIC); break;
        case ORR_COLUMN_FLAG:
        case ORR_COLUMN_WHOLE: code |= sqlite3_bind_int64(db->result, column, (int64_t)row->numbers[i]); break;
        case ORR_COLUMN_REAL:
            code |= isfinite(row->numbers[i]) ? sqlite3_bind_double(db->result, column, row->numbers[i])
                                              : sqlite3_bind_null(db->result, column);
            break;
        }
    }
    return code == SQLITE_OK ? step(db, db->result) : fail_sqlite(db);
}

/* Store the sums of the rows from `first` on, as they are stored. */
static enum cli_status add_sums(const struct database *db, int64_t first)
{
    int code = SQLITE_DONE;
    enum cli_status status = CLI_ANSWERED;
    sqlite3_bind_int64(db->stored, 1, first);
    while (!status && (code = sqlite3_step(db->stored)) == SQLITE_ROW) {
        sqlite3_bind_int64(db->sum, 1, sqlite3_column_int64(db->stored, 1));
        sqlite3_bind_int64(db->sum, 2, (int64_t)row_sum(db));
        status = step(db, db->sum);
    }
    if (!status && code != SQLITE_DONE) status = fail_sqlite(db);
    sqlite3_reset(db->stored);
    return status;
}

/* Check that no other process has added points since. */
static enum cli_status check_last(const struct database *db, int64_t first)
{
    const bool found = sqlite3_step(db->last) == SQLITE_ROW;
    const int64_t next = found ? sqlite3_column_int64(db->last, 0) + 1 : -1;
    sqlite3_reset(db->last);
    if (!found) return fail_sqlite(db);
    return next == first ? CLI_ANSWERED : cli_fail("%s: another process is writing it", db->store.path);
}

static enum cli_status sqlite_add(struct cli_store *store, int64_t first, size_t n, const struct orr_sweep_row *rows)
{
    struct database *db = (struct database *)store;
    enum cli_status status = execute(db, "BEGIN IMMEDIATE");
    if (!status) status = check_last(db, first);
    for (size_t i = 0; i < n && !status; i++) {
        status = add_point(db, first + (int64_t)i, &rows[i]);
        if (!status && !rows[i].blank) status = add_result(db, first + (int64_t)i, &rows[i]);
    }
    if (!status) status = add_sums(db, first);
    if (!status && orr_memory_failures() > 0) status = cli_fail_memory();
    return status ? status : execute(db, "COMMIT"); /* Closing the file undoes what is not committed. */
}

/* ---------------------------------------------------------------- opening, closing */

static enum cli_status sqlite_close(struct cli_store *store)
{
    struct database *db = (struct database *)store;
    sqlite3_finalize(db->point);
    sqlite3_finalize(db->result);
    sqlite3_finalize(db->last);
    sqlite3_finalize(db->stored);
    sqlite3_finalize(db->sum);
    const enum cli_status status = sqlite3_close(db->handle) == SQLITE_OK ? CLI_ANSWERED : fail_sqlite(db);
    free(db);
    return status;
}

static enum cli_status sqlite_open(const char *path, const struct cli_table *table, struct cli_held *held,
                                   struct cli_store **store)
{
    struct database *db = calloc(1, sizeof *db);
    if (!db) return cli_fail_memory();
    db->store = (struct cli_store){&cli_store_sqlite, table, path};
    db->seed = cli_store_seed(table);
    *store = &db->store;
    if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return fail_sqlite(db);
    sqlite3_busy_timeout(db->handle, BUSY_MS);
    /* This comes first, so that a database of another program stays unchanged. */
    enum cli_status status = set_up(db, held);
    if (!status) status = execute(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (!status) status = prepare_insert(db, "points", table->n_fields + 3, &db->point);
    if (!status) status = prepare_insert(db, "results", table->n_columns + 1, &db->result);
    if (!status) status = prepare_insert(db, "sums", 2, &db->sum);
    if (!status) status = prepare(db, sqlite3_mprintf("SELECT ifnull(max(point), -1) FROM points"), &db->last);
    return status;
}

const struct cli_store_type cli_store_sqlite = {sqlite_open, sqlite_add, sqlite_close};
