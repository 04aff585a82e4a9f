/* Failed allocations that nobody could report at once. */
#ifndef ORR_BASE_MEMORY_H
#define ORR_BASE_MEMORY_H

#include <stdbool.h>

/* jansson does not always say that an allocation failed: a parser drops a byte, a dump loses a key, and a value that
 * could not be made is not stored. Its allocator (src/spec/json_memory.c) and the growable text note the failure for
 * the thread. From then on every error is "out of memory" (base/error.c), every text that is taken is NULL
 * (base/text.c), and readers that end well fail after all. */
void orr_memory_note(void);
/* Was a failure noted since the last call? The note is cleared. */
bool orr_memory_lacked(void);
/* Returns NULL and clears the note, for constructors: the missing object tells the caller, and the failure is no matter
 * of the next question. */
void *orr_memory_told(void);
/* How many failures the process has noted, in all threads. A program that prints one answer and ends compares it with
 * zero before it prints, a server with the number at the start of a request. */
unsigned long orr_memory_failures(void);
/* The same of this thread alone, for answers of many parts (orr_complete_since of base/error.h). */
unsigned long orr_memory_mark(void);

#endif
