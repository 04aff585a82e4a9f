/* The files of data/ inside the program, written at build time by tools/embed.c. */
#ifndef ORR_SPEC_BUILTIN_H
#define ORR_SPEC_BUILTIN_H

#include <stddef.h>

struct orr_builtin {
    const char *part; /* folder: "models", "chips", ...; the catalogue ignores folders that name no part */
    const char *id;   /* file name without its ending */
    const char *text;
};

extern const struct orr_builtin orr_builtins[];
extern const size_t orr_n_builtins;

#endif
