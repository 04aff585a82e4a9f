/* The figures of `./dev bench`. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "orrery.h"

struct figure {
    const char *name;
    double value;
    const char *meaning;
};

double now_s(void);

/* Measure searches of training plans. It fills 4 figures and, unless `json`, prints a table by model size and GPU
 * count. */
enum { N_SEARCH_FIGURES = 4 };
void measure_search(const struct orr_catalogue *catalogue, struct figure figures[N_SEARCH_FIGURES], int json);

/* Measure orrery serve as a process under load; the figures are 0 if it was built without the server. */
enum { N_SERVER_FIGURES = 2 };
void measure_server(char *program, const struct orr_catalogue *catalogue, struct figure figures[N_SERVER_FIGURES]);

/* Measure a fit of a stack to 20 runs. */
struct figure measure_fit(const struct orr_catalogue *catalogue);
/* Measure simulations of a service and its closed form. */
enum { N_SERVING_FIGURES = 2 };
void measure_serving(const struct orr_catalogue *catalogue, struct figure figures[N_SERVING_FIGURES]);

/* Measure the size of a service: one figure. */
enum { N_SIZE_FIGURES = 1 };
void measure_size(const struct orr_catalogue *catalogue, struct figure *figure);

/* Measure a call from Python. Returns the number of figures, which is 0 without python3. */
size_t measure_python(struct figure *figure);

#endif
