/* CSV output and fatal errors. Nothing here needs CUDA. */
#include "csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void kit_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("kit: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

FILE *kit_csv_open(const char *dir, const char *name, const char *header)
{
    char path[1024], line[256];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        kit_fail("path too long: %s/%s", dir, name);
    FILE *csv = fopen(path, "a+");
    if (!csv)
        kit_fail("cannot write %s: %s (does the folder of --out exist?)", path, strerror(errno));
    rewind(csv);
    if (fgets(line, sizeof line, csv)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, header) != 0)
            kit_fail("%s has other columns than this kit writes; choose another --out", path);
        fseek(csv, 0, SEEK_END);
    } else {
        fseek(csv, 0, SEEK_END);
        fprintf(csv, "%s\n", header);
        fflush(csv);
    }
    return csv;
}

void kit_csv_end(FILE *csv, const char *source)
{
    fputs(",\"", csv);
    for (const char *c = source; *c; c++)
        fputc(*c == '"' || *c == '\n' ? '\'' : *c, csv);
    fputs("\"\n", csv);
    if (fflush(csv) != 0)
        kit_fail("cannot write a row: %s", strerror(errno));
}
