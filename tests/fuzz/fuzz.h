/* One fuzz target per parser, for libFuzzer (./dev fuzz) and for the standalone driver of ./dev test. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "orrery.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes as a NUL-terminated text between two pieces; free() it. */
char *fuzz_text(const char *before, const uint8_t *data, size_t size, const char *after);
/* The built-in catalogue, opened once. */
const struct orr_catalogue *fuzz_catalogue(void);
/* Read a request; if it is accepted, predict and check what must hold of every result. An error must have text. */
void fuzz_request(const char *json);

/* An error must say what is wrong, in one line. */
void fuzz_error(const struct orr_error *error);
/* Write the bytes to a file of this process with that ending; its path. */
const char *fuzz_file(const uint8_t *data, size_t size, const char *ending);

#endif
