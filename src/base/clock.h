/* Seconds of a clock that never jumps, to measure how long something takes. */
#ifndef ORR_BASE_CLOCK_H
#define ORR_BASE_CLOCK_H

double orr_now_s(void);

#endif
