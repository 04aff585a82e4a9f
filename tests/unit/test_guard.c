/* Who may ask the server: Host and Origin of requests by browsers that other sites' pages sent. */
#include "support.h"

#include "server/internal.h"

/* Status of a request to a server bound to `bind` that answers to `name` too; 0: let through. */
static unsigned status_of(const char *bind, const char *name, bool wildcard, const char *host, const char *origin)
{
    static struct srv srv;
    unsigned status = 0;
    (void)snprintf(srv.bind, sizeof srv.bind, "%s", bind);
    assert_true(srv_name(&srv, name[0] ? name : NULL));
    srv.wildcard = wildcard;
    const char *wrong = srv_guard(&srv, host, origin, &status);
    return wrong ? status : 0;
}

static void own_names_are_answered(void **state)
{
    (void)state;
    static const char *const HOSTS[] = {"localhost",  "localhost:8080", "LocalHost:1", "127.0.0.1:8080",
                                        "[::1]:8080", "[::1]",          "10.1.2.3:80", "gpu.example:8080"};
    for (size_t i = 0; i < COUNT(HOSTS); i++)
        assert_int_equal(status_of("10.1.2.3", "gpu.example", false, HOSTS[i], NULL), 0);
}

/* A name that somebody lets point to this machine is no name of the server. */
static void foreign_names_are_refused(void **state)
{
    (void)state;
    static const char *const HOSTS[] = {"evil.example",
                                        "evil.example:8080",
                                        "localhost.evil.example",
                                        "10.1.2.4",
                                        "127.0.0.1.nip.io",
                                        "xlocalhost",
                                        "[::2]:80",
                                        NULL,
                                        "",
                                        ":8080",
                                        "[::1",
                                        "[]:80"};
    for (size_t i = 0; i < COUNT(HOSTS); i++)
        assert_int_equal(status_of("10.1.2.3", "gpu.example", false, HOSTS[i], NULL), 421);
}

/* What stands behind the colon is a port, or the header is none. */
static void a_port_is_a_number(void **state)
{
    (void)state;
    static const char *const HOSTS[] = {"localhost:80x", "localhost:8080.evil.example", "localhost:80@evil",
                                        "[::1]:80 80", "[::1]x"};
    for (size_t i = 0; i < COUNT(HOSTS); i++) assert_int_equal(status_of("127.0.0.1", "", false, HOSTS[i], NULL), 421);
}

/* Bound to every address, the server answers to every address, but to no other name. */
static void addresses_are_no_names(void **state)
{
    (void)state;
    assert_int_equal(status_of("0.0.0.0", "", true, "192.168.7.9:8080", NULL), 0);
    assert_int_equal(status_of("::", "", true, "[fe80::1]:8080", NULL), 0);
    assert_int_equal(status_of("0.0.0.0", "", true, "evil.example", NULL), 421);
    assert_int_equal(status_of("0.0.0.0", "", false, "192.168.7.9:8080", NULL), 421);
}

/* A page says where it is from: only the server's own may ask. */
static void pages_of_other_sites_are_refused(void **state)
{
    (void)state;
    assert_int_equal(status_of("127.0.0.1", "", false, "localhost:8080", "http://localhost:8080"), 0);
    assert_int_equal(status_of("127.0.0.1", "", false, "localhost:8080", "HTTP://LOCALHOST:8080"), 0);
    static const char *const ORIGINS[] = {"http://evil.example",
                                          "http://localhost:9090",
                                          "http://localhost",
                                          "null",
                                          "",
                                          "localhost:8080",
                                          "http://evil.example://localhost:8080",
                                          "https://localhost:8080",
                                          "evil://localhost:8080",
                                          "://localhost:8080",
                                          "chrome-extension://localhost:8080"};
    for (size_t i = 0; i < COUNT(ORIGINS); i++)
        assert_int_equal(status_of("127.0.0.1", "", false, "localhost:8080", ORIGINS[i]), 403);
}

/* A proxy may speak https for the server, under the name of --host only, and only that if --host says so. */
static void a_proxy_may_speak_https(void **state)
{
    (void)state;
    assert_int_equal(status_of("127.0.0.1", "gpu.example", false, "gpu.example", "https://gpu.example"), 0);
    assert_int_equal(status_of("127.0.0.1", "gpu.example", false, "gpu.example", "http://gpu.example"), 0);
    assert_int_equal(status_of("127.0.0.1", "gpu.example", false, "gpu.example", "ftp://gpu.example"), 403);
    assert_int_equal(status_of("127.0.0.1", "https://gpu.example", false, "gpu.example", "https://gpu.example"), 0);
    assert_int_equal(status_of("127.0.0.1", "https://gpu.example", false, "gpu.example", "http://gpu.example"), 403);
    assert_int_equal(status_of("127.0.0.1", "https://gpu.example", false, "gpu.example", NULL), 0);
    assert_int_equal(status_of("127.0.0.1", "https://gpu.example", false, "localhost", "https://localhost"), 403);
}

static void what_is_no_name_is_refused(void **state)
{
    (void)state;
    static struct srv srv;
    static const char *const NAMES[] = {"",      "https://", "name:80", "https://name/", "ftp://name",        "a b",
                                        "[::1]", "name\r\n", "*",       "https:name",    "http://http://name"};
    for (size_t i = 0; i < COUNT(NAMES); i++)
        if (srv_name(&srv, NAMES[i])) fail_msg("%s", NAMES[i]);
    assert_true(srv_name(&srv, "fd00::1"));
    assert_true(srv_name(&srv, "HTTP://my_host.example"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_names_are_answered),
        cmocka_unit_test(foreign_names_are_refused),
        cmocka_unit_test(a_port_is_a_number),
        cmocka_unit_test(addresses_are_no_names),
        cmocka_unit_test(pages_of_other_sites_are_refused),
        cmocka_unit_test(a_proxy_may_speak_https),
        cmocka_unit_test(what_is_no_name_is_refused),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
