/* Bytes of HTTP connections: heads and bodies in chunks, in pieces of any size. What is read must not depend on how the
 * bytes were cut. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "server/head.h"

static void check_head(char *head, size_t n)
{
    struct srv_head read;
    const char *why = NULL;
    const unsigned status = srv_head_read(head, n, &read, &why);
    if (status) {
        if (status < 400 || status > 505 || !why || !why[0]) abort();
        return;
    }
    if (!read.method[0] || !(read.path[0] == '/' || strcmp(read.path, "*") == 0)) abort();
    if (read.chunked && read.has_length) abort();
    for (size_t i = 0; i < read.n_arguments; i++)
        if (!srv_head_argument(&read, read.arguments[i].name)) abort();
}

/* The content of a body, read in pieces of `step` bytes; its length or -1. */
static long unchunk(const char *bytes, size_t n, size_t step, char *content)
{
    struct srv_chunks chunks = {.state = SRV_CHUNK_SIZE};
    size_t at = 0, n_content = 0;
    while (at < n && chunks.state != SRV_CHUNK_DONE) {
        const char *data;
        size_t n_data;
        const size_t offered = n - at < step ? n - at : step;
        const size_t used = srv_chunks_take(&chunks, bytes + at, offered, &data, &n_data);
        if (used > offered || n_data > used) abort();
        if (used == 0) return -1;
        memcpy(content + n_content, data, n_data);
        n_content += n_data;
        at += used;
    }
    return (long)n_content;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = fuzz_text("", data, size, "");
    const size_t n = size > 0 ? srv_head_end(bytes, size) : 0;
    if (n > size) abort();
    if (n > 0) {
        for (size_t i = 1; i < n && i < 300; i++) /* Less of it is not a whole head. */
            if (srv_head_end(bytes, i) != 0) abort();
        char *head = malloc(n); /* of exactly that size, so that reading beyond it is noticed */
        if (!head) abort();
        memcpy(head, bytes, n);
        check_head(head, n);
        free(head);
    }
    char *once = malloc(size + 1), *often = malloc(size + 1);
    if (!once || !often) abort();
    const long whole = unchunk(bytes + n, size - n, size + 1, once), pieces = unchunk(bytes + n, size - n, 3, often);
    if (whole != pieces || (whole > 0 && memcmp(once, often, (size_t)whole) != 0)) abort();
    free(once);
    free(often);
    free(bytes);
    return 0;
}
