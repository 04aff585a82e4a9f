/* Every allocation of the library notes its failure (base/memory.h). The build includes this header in every file of
 * src/, so that code can call malloc() as usual and none is forgotten: what is done without the memory, a group of
 * errors without a median for example, must not be printed as if it were the answer. */
#ifndef ORR_BASE_ALLOCATE_H
#define ORR_BASE_ALLOCATE_H

#define _POSIX_C_SOURCE 200809L /* as files that need POSIX define it, which is too late behind a first header */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *orr_malloc(size_t size);
void *orr_calloc(size_t n, size_t size);
void *orr_realloc(void *old, size_t size);
char *orr_strdup(const char *text);

#define malloc(size)       orr_malloc(size)
#define calloc(n, size)    orr_calloc(n, size)
#define realloc(old, size) orr_realloc(old, size)
#undef strdup
#define strdup(text) orr_strdup(text)

#endif
