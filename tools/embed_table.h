/* What embed.c and embed_files.c share: a table in C with one entry per file on the command line. */
#ifndef ORR_TOOLS_EMBED_TABLE_H
#define ORR_TOOLS_EMBED_TABLE_H

#include <stdio.h>

struct embed_table {
    const char *header; /* the header that declares the table */
    const char *type, *name, *count_name;
    int (*write_entry)(FILE *out, const char *path); /* 0, or -1 with the reason on standard error */
};

/* argv is the name of the tool, OUT.c and FILE... Returns the exit status of the tool. */
static inline int embed_write(int argc, char **argv, const struct embed_table *table)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s OUT.c FILE...\n", argv[0]);
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (!out) {
        perror(argv[1]);
        return 1;
    }
    fprintf(out,
            "/* Written by tools/embed*.c; do not edit. */\n#include \"%s\"\n\n"
            "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\nconst struct %s %s[] = {\n",
            table->header, table->type, table->name);
    int failed = 0;
    for (int i = 2; i < argc && !failed; i++) failed = table->write_entry(out, argv[i]);
    fprintf(out, "    {0}\n};\nconst size_t %s = %d;\n", table->count_name, argc - 2);
    failed |= ferror(out);
    if (fclose(out) != 0 || failed) {
        remove(argv[1]); /* Never leave an incomplete table behind. */
        return 1;
    }
    return 0;
}

#endif
