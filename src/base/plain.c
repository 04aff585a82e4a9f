/* The scope in which a thread reads and prints numbers as the C locale does. */
#define _POSIX_C_SOURCE 200809L
#include "base/plain.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

/* Almost every caller has a decimal point already and pays for one comparison. With a decimal comma (de_DE), or with
 * the Arabic sign of two bytes (ps_AF), printf and strtod would use it, and jansson can exchange one byte only. glibc
 * hands out its C locale without an allocation; where newlocale() fails, nothing changes. */
struct orr_plain orr_plain_enter(void)
{
    struct orr_plain scope = {0};
    if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) return scope;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return scope;
    scope.during = (void *)plain;
    scope.before = (void *)uselocale(plain);
    return scope;
}

void orr_plain_leave(struct orr_plain *scope)
{
    if (!scope->before) return;
    (void)uselocale((locale_t)scope->before);
    freelocale((locale_t)scope->during);
}
