/* Files and folders. Only file.c touches the disk in src/spec. */
#ifndef ORR_SPEC_FILE_H
#define ORR_SPEC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define ORR_FILE_PATH 1024

/* Read a regular file of at most ORR_JSON_MAX_BYTES as text. The result is NULL and *text (free() it), or a static
 * phrase that says why the file cannot be read: "no such file". */
const char *orr_file_read(const char *path, char **text);

bool orr_is_folder(const char *path);
bool orr_is_file(const char *path);

/* Lists the names of the *.json files of a folder in alphabetical order; a folder that does not exist has none. The
 * result is NULL, or why the folder cannot be listed. Free the names with orr_names_free. */
const char *orr_folder_list(const char *path, char ***names, size_t *n_names);
void orr_names_free(char **names, size_t n_names);

/* Writes "folder/name" to `path`; the result is false if it does not fit into ORR_FILE_PATH bytes. */
bool orr_path_join(char path[ORR_FILE_PATH], const char *folder, const char *name);

#endif
