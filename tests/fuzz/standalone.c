/* Run a fuzz target without libFuzzer: standalone N FILE... feeds each file and damaged copies of it, the same ones every
 * time, N of all files together and at least one of each. One TAP line per file; a crash ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MAX_BYTES ((size_t)1 << 20)

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *state, size_t n)
{
    return n ? (size_t)(next_random(state) % n) : 0;
}

/* Replace [at, at + n_old) by a piece; nothing happens if the buffer would overflow. */
static size_t splice(uint8_t *data, size_t size, size_t at, size_t n_old, const void *piece, size_t n_new)
{
    if (size - n_old + n_new > MAX_BYTES) return size;
    memmove(data + at + n_new, data + at + n_old, size - at - n_old);
    memcpy(data + at, piece, n_new);
    return size - n_old + n_new;
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
    static const char *const tokens[] = {"{", "}", "[", "]", "\"", ",", ":", "-", "0", "-1", "1e999", "null", "true",
                                         "\n", "9223372036854775808", "\\u0000", "\xff", "1e-300", "0.5",
                                         "\"8 GiB\"", "{}"};
    const size_t at = below(state, size + 1);
    const size_t n = below(state, size - at < 16 ? size - at + 1 : 16);
    uint8_t piece[16];
    memcpy(piece, data + at, n);
    switch (below(state, 5)) {
    case 0: /* cut */
        return splice(data, size, at, n, "", 0);
    case 1: /* repeat */
        return splice(data, size, at, 0, piece, n);
    case 2: /* truncate */
        return below(state, 8) ? size : at;
    case 3: /* flip a bit */
        if (at < size) data[at] ^= (uint8_t)(1u << below(state, 8));
        return size;
    default: { /* a token that means something */
        const char *token = tokens[below(state, sizeof tokens / sizeof *tokens)];
        return splice(data, size, at, n, token, strlen(token));
    }
    }
}

static int run_file(const char *path, long n_copies, uint8_t *data, uint8_t *original)
{
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    const size_t size = fread(original, 1, MAX_BYTES, file);
    fclose(file);
    LLVMFuzzerTestOneInput(original, size);
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    for (long i = 0; i < n_copies; i++) {
        memcpy(data, original, size);
        size_t n = size;
        for (size_t change = below(&state, 4) + 1; change > 0; change--) n = mutate(data, n, &state);
        LLVMFuzzerTestOneInput(data, n);
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t *data = malloc(MAX_BYTES), *original = malloc(MAX_BYTES);
    if (argc < 3 || !data || !original) return 2;
    const long n_all = strtol(argv[1], NULL, 10), n_copies = n_all > argc - 2 ? n_all / (argc - 2) : 1;
    printf("1..%d\n", argc - 2);
    for (int i = 2; i < argc; i++) {
        const char *name = strrchr(argv[i], '/');
        const int failed = run_file(argv[i], n_copies, data, original);
        printf("%s %d - %s and %ld damaged copies\n", failed ? "not ok" : "ok", i - 1, name ? name + 1 : argv[i],
               n_copies);
        fflush(stdout);
    }
    free(data);
    free(original);
    return 0;
}
