/* Heads and chunks of HTTP requests: what is read, and what is refused with which status. */
#include "support.h"

#include "server/head.h"

#define END  "\r\n\r\n"
#define HOST "\r\nHost: localhost"

/* The status of a head, 0: accepted; `head` is read from it. */
static unsigned read_bytes(const char *bytes, size_t n, struct srv_head *head)
{
    static char text[SRV_HEAD_MAX + 1];
    const char *why = NULL;
    assert_true(n < sizeof text);
    memcpy(text, bytes, n);
    assert_int_equal(srv_head_end(text, n), n);
    const unsigned status = srv_head_read(text, n, head, &why);
    assert_true(status == 0 || (why && why[0]));
    return status;
}

static unsigned status_of(const char *text)
{
    struct srv_head head;
    return read_bytes(text, strlen(text), &head);
}

static void a_head_is_read(void **state)
{
    (void)state;
    struct srv_head head;
    static const char text[] = "POST /a%2Fb%20c?dump=ops&x=%31&flag HTTP/1.1\r\nhost: \t localhost:80 \r\n"
                               "CONTENT-LENGTH: 12\r\nOrigin: http://localhost\r\nExpect: 100-Continue\r\n"
                               "Connection: TE, Close" END;
    assert_int_equal(read_bytes(text, sizeof text - 1, &head), 0);
    assert_string_equal(head.method, "POST");
    assert_string_equal(head.path, "/a/b c");
    assert_string_equal(head.host, "localhost:80");
    assert_string_equal(head.origin, "http://localhost");
    assert_string_equal(srv_head_argument(&head, "dump"), "ops");
    assert_string_equal(srv_head_argument(&head, "x"), "1");
    assert_string_equal(srv_head_argument(&head, "flag"), "");
    assert_null(srv_head_argument(&head, "none"));
    assert_int_equal(head.length, 12);
    assert_true(head.expects && head.closes && head.minor == 1 && !head.chunked);
}

/* An address in place of the path: its name counts, not that of the Host field. */
static void absolute_targets_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *target, *path, *host;
    } CASES[] = {{"http://name:8080/a/b?x=1", "/a/b", "name:8080"},
                 {"HTTPS://name", "/", "name"},
                 {"http://name?x=1", "/", "name"},
                 {"http://[::1]:80/", "/", "[::1]:80"},
                 {"/plain", "/plain", "localhost"},
                 {"*", "*", "localhost"}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char text[256];
        struct srv_head head;
        const int n = snprintf(text, sizeof text, "GET %s HTTP/1.1" HOST END, CASES[i].target);
        assert_int_equal(read_bytes(text, (size_t)n, &head), 0);
        assert_string_equal(head.path, CASES[i].path);
        assert_string_equal(head.host, CASES[i].host);
        assert_string_equal(head.shown, CASES[i].target);
    }
}

static void what_can_be_misunderstood_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned status;
    } CASES[] = {
        {"GET / HTTP/1.1" HOST "\r\nContent-Length: 1\r\nContent-Length: 1" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Length: 1, 1" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Length: -1" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Length: +1" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Length: 0x10" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Length:" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Length: 1\r\nTransfer-Encoding: chunked" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nTransfer-Encoding: gzip, chunked" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nTransfer-Encoding: identity" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked" END, 400},
        {"GET / HTTP/1.0" HOST "\r\nTransfer-Encoding: chunked" END, 400},
        {"GET / HTTP/1.1" HOST HOST END, 400},
        {"GET / HTTP/1.1" HOST "\r\nOrigin: a\r\nOrigin: b" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nContent-Encoding: gzip" END, 415},
        {"GET / HTTP/1.1" HOST "\r\nExpect: 200-ok" END, 417},
        {"GET / HTTP/1.1\nHost: localhost\n\n", 400},
        {"GET / HTTP/1.1\r\nHost: localhost\n\r\n", 400},
        {"GET / HTTP/1.1\r\n folded: x" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nX : y" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nX" END, 400},
        {"GET / HTTP/1.1" HOST "\r\n: y" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nX: a\rb" END, 400},
        {"GET / HTTP/1.1" HOST "\r\nX: a\x1b[2J" END, 400},
        {"GET / HTTP/1.1 " HOST END, 400},
        {"GET  / HTTP/1.1" HOST END, 400},
        {"GET /" HOST END, 400},
        {"GET / http/1.1" HOST END, 400},
        {"GET / HTTP/11" HOST END, 400},
        {"GET / HTTP/9.9" HOST END, 505},
        {"GET / HTTP/2.0" HOST END, 505},
        {"G\"T / HTTP/1.1" HOST END, 400},
        {"GETGETGETGETGETGETGETGET / HTTP/1.1" HOST END, 400},
        {"GET /%00 HTTP/1.1" HOST END, 400},
        {"GET /%0 HTTP/1.1" HOST END, 400},
        {"GET /%zz HTTP/1.1" HOST END, 400},
        {"GET /?a=%00 HTTP/1.1" HOST END, 400},
        {"GET /?a&b&c&d&e&f&g&h&i HTTP/1.1" HOST END, 400},
        {"GET /a#b HTTP/1.1" HOST END, 400},
        {"GET /a\tb HTTP/1.1" HOST END, 400},
        {"GET name HTTP/1.1" HOST END, 400},
        {"GET ftp://name/ HTTP/1.1" HOST END, 400},
        {"GET http:///path HTTP/1.1" HOST END, 400},
        {"CONNECT name:80 HTTP/1.1" HOST END, 400},
    };
    for (size_t i = 0; i < COUNT(CASES); i++)
        if (status_of(CASES[i].text) != CASES[i].status) fail_msg("%s", CASES[i].text);
    struct srv_head head;
    static const char zero[] = "GET / HTTP/1.1\r\nHost: localhost\0";
    assert_int_equal(read_bytes(zero, sizeof zero - 1, &head), 400);
}

/* Readers differ in what they skip before a request, in which of two names counts, and in which of two arguments. */
static void nothing_is_skipped_or_chosen(void **state)
{
    (void)state;
    static const char *const REFUSED[] = {
        "\nGET / HTTP/1.1" HOST END,          "\rGET / HTTP/1.1" HOST END, "\r\r\nGET / HTTP/1.1" HOST END,
        "\r\n\nGET / HTTP/1.1" HOST END,      "GET / HTTP/1.1" END,        "GET http://name/ HTTP/1.1" END,
        "GET /?a=1&b=2&a=1 HTTP/1.1" HOST END};
    static const char *const ACCEPTED[] = {"\r\n\r\nGET / HTTP/1.1" HOST END, "GET / HTTP/1.0" END,
                                           "GET /?a=1&b=1&&A=1 HTTP/1.1" HOST END};
    for (size_t i = 0; i < COUNT(REFUSED); i++)
        if (status_of(REFUSED[i]) != 400) fail_msg("%s", REFUSED[i]);
    for (size_t i = 0; i < COUNT(ACCEPTED); i++)
        if (status_of(ACCEPTED[i]) != 0) fail_msg("%s", ACCEPTED[i]);
}

static void sizes_are_limited(void **state)
{
    (void)state;
    static char text[SRV_HEAD_MAX];
    int n = snprintf(text, sizeof text, "GET /");
    for (int i = 0; i < SRV_TARGET_MAX; i++) n += snprintf(text + n, sizeof text - (size_t)n, "a");
    (void)snprintf(text + n, sizeof text - (size_t)n, " HTTP/1.1" HOST END);
    assert_int_equal(status_of(text), 414);
    memmove(text + 6, text + 7, strlen(text + 7) + 1); /* one byte less */
    assert_int_equal(status_of(text), 0);
    n = snprintf(text, sizeof text, "GET / HTTP/1.1" HOST);
    for (int i = 1; i < SRV_FIELDS_MAX; i++) n += snprintf(text + n, sizeof text - (size_t)n, "\r\nX: y");
    (void)snprintf(text + n, sizeof text - (size_t)n, END);
    assert_int_equal(status_of(text), 0);
    (void)snprintf(text + n, sizeof text - (size_t)n, "\r\nX: y" END);
    assert_int_equal(status_of(text), 431);
}

static void a_length_does_not_overflow(void **state)
{
    (void)state;
    struct srv_head head;
    static const char text[] = "GET / HTTP/1.1" HOST "\r\nContent-Length: 99999999999999999999999999" END;
    assert_int_equal(read_bytes(text, sizeof text - 1, &head), 0);
    assert_true(head.length > UINT64_C(1) << 50);
}

static void a_head_ends_at_its_empty_line(void **state)
{
    (void)state;
    static const char text[] = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nnext";
    const size_t n = strlen(text) - 4;
    for (size_t i = 0; i < n; i++) assert_int_equal(srv_head_end(text, i), 0);
    assert_int_equal(srv_head_end(text, n), n);
    assert_int_equal(srv_head_end(text, n + 4), n);
    assert_int_equal(srv_head_end("\r\n\r\n", 4), 0);
    assert_int_equal(srv_head_end("ab\0c", 4), 3);
    assert_int_equal(srv_head_end("a\r\n\r\n{\0}", 8), 5); /* A zero behind the head is not part of it. */
}

/* Read a body in pieces of `step` bytes. Returns the bytes used, or 0 if it was refused. */
static size_t unchunk(const char *body, size_t step, char *content)
{
    struct srv_chunks chunks = {.state = SRV_CHUNK_SIZE};
    size_t at = 0, n_content = 0;
    const size_t n = strlen(body);
    while (at < n && chunks.state != SRV_CHUNK_DONE) {
        const char *data;
        size_t n_data;
        const size_t used = srv_chunks_take(&chunks, body + at, n - at < step ? n - at : step, &data, &n_data);
        if (used == 0) return 0;
        memcpy(content + n_content, data, n_data);
        n_content += n_data;
        at += used;
    }
    content[n_content] = '\0';
    return chunks.state == SRV_CHUNK_DONE ? at : 0;
}

static void chunks_are_joined(void **state)
{
    (void)state;
    char content[64];
    static const char body[] = "3 ;x=\"y\"\r\nabc\r\n00a \r\n0123456789\r\n0\r\nTrailer: z\r\nA:\r\n\r\nnext";
    for (size_t step = 1; step < sizeof body; step++) {
        assert_int_equal(unchunk(body, step, content), strlen(body) - 4);
        assert_string_equal(content, "abc0123456789");
    }
}

static void what_is_no_chunk_is_refused(void **state)
{
    (void)state;
    char content[64];
    static const char *const BODIES[] = {
        "zz\r\n", "\r\n", "3\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "-1\r\n", "3\r\nabc0", "1000000000000\r\n",
        "3\rx", "0\r\nA: b\n\r\n", "0\r\n\rx", "3\r\nabcXY0\r\n\r\n",
        /* two sizes, and lines behind the last chunk that are no fields */
        "3 4\r\nabc\r\n0\r\n\r\n", " 3\r\nabc\r\n0\r\n\r\n", ";3\r\nabc\r\n0\r\n\r\n", "0\r\nGET / HTTP/1.1\r\n\r\n",
        "0\r\nA: b\r\n c\r\n\r\n", "0\r\n: b\r\n\r\n", "0\r\nA\r\n\r\n", "0\r\nA: \x01\r\n\r\n"};
    for (size_t i = 0; i < COUNT(BODIES); i++)
        for (size_t step = 1; step < 20; step++)
            if (unchunk(BODIES[i], step, content) != 0) fail_msg("%s", BODIES[i]);
    static char trailer[8192];
    memset(trailer, 'a', sizeof trailer - 1);
    memcpy(trailer, "0\r\n", 3);
    static char room[8192];
    assert_int_equal(unchunk(trailer, sizeof trailer, room), 0);
}

/* Accept-Encoding: gzip by its own name or by "*", unless its weight is 0. */
static void compression_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        bool gzip;
    } CASES[] = {{"gzip", true},          {"deflate, GZIP;q=1.0, br", true},
                 {"x-gzip", true},        {"gzip;q=0.001", true},
                 {"gzip ; q=0.5", true},  {"*", true},
                 {"*;q=0.1", true},       {"br, *;q=0, gzip", true},
                 {"gzip;q=0", false},     {"gzip;q=0.000", false},
                 {"*, gzip;q=0", false},  {"*;q=0", false},
                 {"identity", false},     {"gzipped", false},
                 {"gzip;level=9", false}, {"", false}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        char text[256];
        struct srv_head head;
        (void)snprintf(text, sizeof text, "GET / HTTP/1.1" HOST "\r\nAccept-Encoding: %s" END, CASES[i].list);
        assert_int_equal(read_bytes(text, strlen(text), &head), 0);
        if (head.gzip != CASES[i].gzip) fail_msg("Accept-Encoding: %s", CASES[i].list);
    }
    struct srv_head head;
    static const char none[] = "GET / HTTP/1.1" HOST END;
    assert_int_equal(read_bytes(none, sizeof none - 1, &head), 0);
    assert_false(head.gzip);
    assert_null(head.tags);
}

static void tags_are_compared(void **state)
{
    (void)state;
    static const char *const WITH[] = {"\"a\"", "W/\"a\"", "\"b\", \"a\"", "\"b\",\"a\"", "*"};
    static const char *const WITHOUT[] = {"", "a", "\"b\"", "\"a", "\"ab\"", "\"b\", W/\"c\"", "\"a\"b"};
    for (size_t i = 0; i < COUNT(WITH); i++) assert_true(srv_head_has_tag(WITH[i], "\"a\""));
    for (size_t i = 0; i < COUNT(WITHOUT); i++)
        if (srv_head_has_tag(WITHOUT[i], "\"a\"")) fail_msg("If-None-Match: %s", WITHOUT[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_is_read),
        cmocka_unit_test(compression_is_asked_for),
        cmocka_unit_test(tags_are_compared),
        cmocka_unit_test(absolute_targets_are_read),
        cmocka_unit_test(what_can_be_misunderstood_is_refused),
        cmocka_unit_test(nothing_is_skipped_or_chosen),
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(a_length_does_not_overflow),
        cmocka_unit_test(a_head_ends_at_its_empty_line),
        cmocka_unit_test(chunks_are_joined),
        cmocka_unit_test(what_is_no_chunk_is_refused),
    };
    return cmocka_run_group_tests_name("head", tests, NULL, NULL);
}
