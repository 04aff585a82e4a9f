/* embed OUT.c FILE...: write the files as C strings into one table, struct orr_builtin orr_builtins[]. The part is the
 * name of a file's folder, and the id is its name without the ending: data/chips/x.json has "chips" and "x". */
#include "embed_table.h"

#include <string.h>

/* Write text as a C string literal, with one source line per line. Escaped are the characters that C requires, "?"
 * because of trigraphs, and in octal every byte that is not plain ASCII. */
static void write_text(FILE *out, FILE *in)
{
    int c, previous = '\n';
    while ((c = getc(in)) != EOF) {
        if (previous == '\n') fputs("\n    \"", out);
        if (c == '"' || c == '\\' || c == '?') fprintf(out, "\\%c", c);
        else if (c == '\n') fputs("\\n\"", out);
        else if (c < 0x20 || c > 0x7e) fprintf(out, "\\%03o", (unsigned)c);
        else putc(c, out);
        previous = c;
    }
    fputs(previous == '\n' ? "\n    \"\"" : "\"", out);
}

/* Find the name of the folder and the name of the file without its ending, as parts of `path`. */
static int split(const char *path, const char **part, int *part_length, const char **id, int *id_length)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return -1;
    const char *start = slash;
    while (start > path && start[-1] != '/') start--;
    const char *ending = strrchr(slash, '.');
    *part = start;
    *part_length = (int)(slash - start);
    *id = slash + 1;
    *id_length = ending ? (int)(ending - slash - 1) : (int)strlen(slash + 1);
    return *part_length > 0 && *id_length > 0 ? 0 : -1;
}

static int write_entry(FILE *out, const char *path)
{
    const char *part, *id;
    int part_length, id_length;
    if (split(path, &part, &part_length, &id, &id_length) != 0) {
        fprintf(stderr, "embed: %s: a path FOLDER/NAME.ENDING is expected\n", path);
        return -1;
    }
    FILE *in = fopen(path, "rb");
    if (!in) {
        perror(path);
        return -1;
    }
    fprintf(out, "    {\"%.*s\", \"%.*s\",", part_length, part, id_length, id);
    write_text(out, in);
    fputs("},\n", out);
    const int failed = ferror(in);
    fclose(in);
    return failed ? -1 : 0;
}

int main(int argc, char **argv)
{
    static const struct embed_table table = {"spec/builtin.h", "orr_builtin", "orr_builtins", "orr_n_builtins",
                                             write_entry};
    return embed_write(argc, argv, &table);
}
