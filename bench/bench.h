/* Figures of `./dev bench`. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "orrery.h"

struct figure {
    const char *name;
    double value;
    const char *meaning;
};

double now_s(void);

/* Searches of training plans: fills 4 figures; prints the table of model sizes and GPU counts unless `json`. */
enum { N_SEARCH_FIGURES = 4 };
void measure_search(const struct orr_catalogue *catalogue, struct figure figures[N_SEARCH_FIGURES], int json);

/* orrery serve under load, as a process; 0 where it was built without. */
enum { N_SERVER_FIGURES = 2 };
void measure_server(char *program, const struct orr_catalogue *catalogue, struct figure figures[N_SERVER_FIGURES]);

/* A call from Python; returns how many figures: none where there is no python3. */
size_t measure_python(struct figure *figure);

#endif
