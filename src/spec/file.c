/* Files and folders with one clear reason for every failure. */
#define _POSIX_C_SOURCE 200809L
#include "spec/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "spec/json.h"

static const char OUT_OF_MEMORY[] = "out of memory";

/* strerror is not used here, because it may share one buffer between threads. */
static const char *reason(int code)
{
    switch (code) {
    case ENOENT: return "no such file";
    case ENOTDIR: return "a part of the path is not a directory";
    case EACCES:
    case EPERM: return "permission denied";
    case EISDIR: return "is a directory";
    case ENAMETOOLONG: return "the path is too long";
    case ELOOP: return "too many symbolic links";
    case EMFILE:
    case ENFILE: return "too many open files";
    case ENOMEM: return OUT_OF_MEMORY;
    default: return "cannot be read";
    }
}

/* Reads everything up to the limit and ends it with a zero byte. */
static const char *read_all(FILE *file, char **text)
{
    size_t length = 0, capacity = 16384;
    char *data = malloc(capacity);
    while (data) {
        length += fread(data + length, 1, capacity - length - 1, file);
        if (length + 1 < capacity || length > ORR_JSON_MAX_BYTES) break;
        char *larger = realloc(data, capacity *= 2);
        if (!larger) free(data);
        data = larger;
    }
    if (!data) return OUT_OF_MEMORY;
    data[length] = '\0';
    *text = data;
    if (ferror(file)) return "cannot be read";
    if (length > ORR_JSON_MAX_BYTES) return "larger than 64 MiB";
    if (length == 0) return "is empty";
    if (memchr(data, '\0', length)) return "is not text: it holds a zero byte";
    return NULL;
}

const char *orr_file_read(const char *path, char **text)
{
    struct stat status;
    *text = NULL;
    if (stat(path, &status) != 0) return reason(errno);
    if (S_ISDIR(status.st_mode)) return reason(EISDIR);
    if (!S_ISREG(status.st_mode)) /* reading a pipe or device could block for ever */
        return "is not a regular file";
    FILE *file = fopen(path, "rb");
    if (!file) return reason(errno);
    const char *why = read_all(file, text);
    (void)fclose(file);
    if (why) {
        free(*text);
        *text = NULL;
    }
    return why;
}

bool orr_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool orr_is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

static bool ends_in_json(const char *name)
{
    const size_t length = strlen(name);
    return length > 5 && name[0] != '.' && strcmp(name + length - 5, ".json") == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Add a copy of `name`; false: out of memory. */
static bool add_name(char ***names, size_t *n_names, const char *name)
{
    char **larger = realloc(*names, (*n_names + 1) * sizeof **names);
    if (!larger) return false;
    *names = larger;
    larger[*n_names] = strdup(name);
    if (!larger[*n_names]) return false;
    ++*n_names;
    return true;
}

const char *orr_folder_list(const char *path, char ***names, size_t *n_names)
{
    *names = NULL;
    *n_names = 0;
    DIR *folder = opendir(path);
    if (!folder) return errno == ENOENT ? NULL : errno == ENOTDIR ? "is not a directory" : reason(errno);
    const char *why = NULL;
    const struct dirent *entry;
    while (!why && (entry = readdir(folder)) != NULL)
        if (ends_in_json(entry->d_name) && !add_name(names, n_names, entry->d_name)) why = OUT_OF_MEMORY;
    (void)closedir(folder);
    if (why) {
        orr_names_free(*names, *n_names);
        *names = NULL;
        *n_names = 0;
    } else if (*n_names > 0) {
        qsort(*names, *n_names, sizeof **names, compare_names);
    }
    return why;
}

void orr_names_free(char **names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++) free(names[i]);
    free(names);
}

bool orr_path_join(char path[ORR_FILE_PATH], const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    const int n = snprintf(path, ORR_FILE_PATH, "%s%s%s", folder, slash, name);
    return n > 0 && n < ORR_FILE_PATH;
}
