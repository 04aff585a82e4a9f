/* embed_files library|server OUT.c FILE...: write the files, text or binary, as C strings into one table, that of the
 * explorer in the library or that of the server's own pages. The path is what follows the last /static or /dist in a
 * file's name: web/dist/assets/x.js is "/assets/x.js". Each file is there a second time as gzip compresses it, where
 * that makes it a tenth smaller, and with a hash of its bytes, from which the server makes its ETag. Without gzip on
 * the machine that builds, files are sent as they are. */
#define _POSIX_C_SOURCE 200809L
#include "embed_table.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 100 }; /* bytes per line of source */

static void write_byte(FILE *out, int c, int next)
{
    const int digit = next >= '0' && next <= '7';
    if (c == '"' || c == '\\' || c == '?') fprintf(out, "\\%c", c);
    else if (c == '\n') fputs("\\n", out);
    else if (c >= 0x20 && c <= 0x7e) putc(c, out);
    else fprintf(out, digit ? "\\%03o" : "\\%o", (unsigned)c); /* a digit behind it would belong to the number */
}

/* Write the bytes as C string literals and add them to a hash (64-bit FNV-1a). Returns how many there are, or -1 after
 * an error. */
static long write_bytes(FILE *out, FILE *in, uint64_t *hash)
{
    long n = 0;
    for (int c = getc(in), next; c != EOF; c = next, n++) {
        *hash = (*hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
        if (n % LINE == 0) fputs(n ? "\"\n        \"" : "\n        \"", out);
        next = getc(in);
        write_byte(out, c, (n + 1) % LINE == 0 ? EOF : next);
    }
    fputs(n ? "\"" : "\n        \"\"", out);
    return ferror(in) ? -1 : n;
}

static const char *path_of(const char *name)
{
    static const char *const roots[] = {"/static/", "/dist/"};
    const char *path = NULL;
    for (size_t i = 0; i < 2; i++)
        for (const char *at = name; (at = strstr(at, roots[i])) != NULL; at++) {
            const char *end = at + strlen(roots[i]) - 1;
            if (!path || end > path) path = end;
        }
    return path;
}

/* The file as gzip compresses it, without name and time, so that the same file gives the same bytes; NULL: not so. */
static FILE *compressed(const char *name)
{
    if (setenv("FILE", name, 1) != 0) return NULL;
    return popen("gzip -9nc <\"$FILE\" 2>/dev/null", "r");
}

/* Bytes of the compressed file; 0 if there is none. */
static long compressed_size(const char *name)
{
    long n = 0;
    FILE *in = compressed(name);
    while (in && getc(in) != EOF) n++;
    return in && pclose(in) == 0 ? n : 0;
}

/* Write the compressed bytes and how many they are, or that there are none. */
static int write_compressed(FILE *out, const char *name, long n_plain)
{
    uint64_t hash = 0;
    const long n = compressed_size(name);
    if (n == 0 || n * 10 > n_plain * 9) {
        fputs(", 0, 0", out);
        return 0;
    }
    putc(',', out);
    FILE *in = compressed(name);
    const long written = in ? write_bytes(out, in, &hash) : -1;
    fprintf(out, ", %ld", n);
    return in && pclose(in) == 0 && written == n ? 0 : -1;
}

static int write_entry(FILE *out, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *path = path_of(name);
    FILE *in = path ? fopen(name, "rb") : NULL;
    if (!in) {
        if (path) perror(name);
        else fprintf(stderr, "embed_files: %s: a path with /static/ or /dist/ is expected\n", name);
        return -1;
    }
    fprintf(out, "    {\"%s\",", path);
    const long n = write_bytes(out, in, &hash);
    fprintf(out, ", %ld", n);
    fclose(in);
    if (n < 0 || write_compressed(out, name, n) < 0) return -1;
    fprintf(out, ", \"%016" PRIx64 "\"},\n", hash);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct embed_table library = {"report/explorer.h", "orr_page_file", "orr_explorer_files",
                                               "orr_n_explorer_files", write_entry};
    static const struct embed_table server = {"server/internal.h", "orr_page_file", "srv_files", "srv_n_files",
                                              write_entry};
    if (argc < 3) {
        fprintf(stderr, "usage: embed_files library|server OUT.c FILE...\n");
        return 2;
    }
    return embed_write(argc - 1, argv + 1, strcmp(argv[1], "library") == 0 ? &library : &server);
}
