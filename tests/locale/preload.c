/* Loaded into a program before it starts (LD_PRELOAD), this sets the locale of the environment, as any program with a
 * user interface does before it calls a library. */
#include <locale.h>

__attribute__((constructor)) static void enter(void)
{
    (void)setlocale(LC_ALL, "");
}
