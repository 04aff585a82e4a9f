/* Numbers are read and written with a decimal point, whatever the locale of the program that called the library. */
#ifndef ORR_BASE_PLAIN_H
#define ORR_BASE_PLAIN_H

/* What orr_plain_leave() must restore; NULL: nothing. */
struct orr_plain {
    void *before, *during;
};

struct orr_plain orr_plain_enter(void);
void orr_plain_leave(struct orr_plain *scope);

/* From here to the end of the block this thread reads and prints numbers as the C locale does. Every exported function
 * that reads or prints a number begins with it, and so does the body of every thread. A locale belongs to one thread,
 * so that other threads of the caller do not notice. */
#define ORR_PLAIN_NUMBERS \
    __attribute__((unused, cleanup(orr_plain_leave))) struct orr_plain orr_plain_scope = orr_plain_enter()

#endif
