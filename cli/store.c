/* The kind of store for a path, and whether a store belongs to this sweep. */
#include "store.h"

#include <string.h>

const struct cli_store_type *cli_store_type(const char *path)
{
    static const char *const endings[] = {".db", ".sqlite", ".sqlite3"};
    if (!path) return &cli_store_csv;
    const size_t n = strlen(path);
    if (n > 4 && strcmp(path + n - 4, ".csv") == 0) return &cli_store_csv;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t length = strlen(endings[i]);
        if (n <= length || strcmp(path + n - length, endings[i]) != 0) continue;
#ifdef ORR_SQLITE
        return &cli_store_sqlite;
#else
        cli_fail("--out %s: this orrery was built without SQLite (libsqlite3-dev); name a FILE.csv", path);
        return NULL;
#endif
    }
    cli_fail("--out %s: expected FILE.db (SQLite) or FILE.csv", path);
    return NULL;
}

uint64_t cli_store_hash(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    if (sum == 0) sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

uint64_t cli_store_seed(const struct cli_table *table)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < table->n_facts; i++) {
        const struct cli_fact *fact = &table->facts[i];
        if (strcmp(fact->key, "request_hash") == 0 || strcmp(fact->key, "catalogue_hash") == 0)
            sum = cli_store_hash(sum, fact->value, strlen(fact->value));
    }
    return sum;
}

/* Print where two texts differ, with a few characters of each. */
static enum cli_status fail_different(const char *path, const char *key, const char *held, const char *asked)
{
    size_t same = 0;
    while (held[same] && held[same] == asked[same]) same++;
    const size_t start = same > 20 ? same - 20 : 0;
    return cli_fail("%s: holds another sweep: its %s has \"%s%.60s\", this one \"%s%.60s\"; name another file", path,
                    key, start ? "..." : "", held + start, start ? "..." : "", asked + start);
}

enum cli_status cli_store_compare(const struct cli_table *table, const char *path, const char *key, const char *value)
{
    for (size_t i = 0; i < table->n_facts; i++) {
        const struct cli_fact *fact = &table->facts[i];
        if (strcmp(fact->key, key) != 0 || !fact->compared || strcmp(fact->value, value) == 0) continue;
        return fail_different(path, key, value, fact->value);
    }
    return CLI_ANSWERED;
}
