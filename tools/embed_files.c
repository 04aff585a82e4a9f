/* embed_files library|server OUT.c FILE...: write the files, text or binary, as C strings into one table, that of the
 * explorer in the library or that of the server's own pages. The path is what follows the last /static or /dist in a
 * file's name: web/dist/assets/x.js is "/assets/x.js". */
#include "embed_table.h"

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

/* Write the bytes as C string literals. Returns how many there are, or -1 after an error. */
static long write_bytes(FILE *out, FILE *in)
{
    long n = 0;
    for (int c = getc(in), next; c != EOF; c = next, n++) {
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

static int write_entry(FILE *out, const char *name)
{
    const char *path = path_of(name);
    FILE *in = path ? fopen(name, "rb") : NULL;
    if (!in) {
        if (path) perror(name);
        else fprintf(stderr, "embed_files: %s: a path with /static/ or /dist/ is expected\n", name);
        return -1;
    }
    fprintf(out, "    {\"%s\",", path);
    const long n = write_bytes(out, in);
    fprintf(out, ", %ld},\n", n);
    fclose(in);
    return n < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    static const struct embed_table library = {"report/explorer.h", "orr_explorer_file", "orr_explorer_files",
                                               "orr_n_explorer_files", write_entry};
    static const struct embed_table server = {"server/internal.h", "srv_file", "srv_files", "srv_n_files", write_entry};
    if (argc < 3) {
        fprintf(stderr, "usage: embed_files library|server OUT.c FILE...\n");
        return 2;
    }
    return embed_write(argc - 1, argv + 1, strcmp(argv[1], "library") == 0 ? &library : &server);
}
