/* This file writes the size of a service as a page: dollars or GPUs against the worst limit, and against both times. */
#include "report/html.h"
#include "report/html_plot.h"
#include "report/size.h"

#include <stdlib.h>

enum { MOST = ORR_SIZE_FRONT + 1 };

/* The plans of the front, with a number of each over its cost; plans that keep all limits have the colour of good. */
static void add_front(const struct orr_size *size, const char *name, double (*value)(const struct orr_sized *plan),
                      struct orr_text *text)
{
    const struct orr_size_answer *a = &size->answer;
    struct orr_html_point points[MOST];
    struct orr_text titles[MOST] = {{0}};
    for (size_t i = 0; i < a->n_front; i++) {
        orr_size_words(size, &a->front[i], &titles[i]);
        points[i] =
            (struct orr_html_point){.x = size->request.by_gpus ? a->front[i].choice.gpus : a->front[i].usd_per_h,
                                    .y = value(&a->front[i]),
                                    .good = a->front[i].met,
                                    .title = titles[i].data ? titles[i].data : ""};
    }
    if (a->n_front > 1) orr_html_curve(text, size->request.by_gpus ? "GPUs" : "$/h", name, points, a->n_front, true);
    for (size_t i = 0; i < a->n_front; i++) free(titles[i].data);
}

static double worst_of(const struct orr_sized *plan)
{
    return 100 * plan->ratio;
}

static double ttft_of(const struct orr_sized *plan)
{
    return plan->result.timing[ORR_TIMING_TTFT].p99;
}

static double tpot_of(const struct orr_sized *plan)
{
    return 1e3 * plan->result.timing[ORR_TIMING_TPOT].p99;
}

void orr_size_html(const struct orr_size *size, struct orr_text *text)
{
    struct orr_text terminal = {0}, json = {0};
    orr_html_start(text, "Size of a service");
    if (size->answer.n_front > 1) {
        orr_html_element(text, "h2", "", "Cost against latency");
        add_front(size, "worst time, % of its limit", worst_of, text);
        add_front(size, "first token, p99, s", ttft_of, text);
        add_front(size, "next tokens, p99, ms", tpot_of, text);
    }
    orr_size_terminal(size, &orr_html_style, &terminal);
    orr_size_json(size, &json);
    orr_html_finish(text, &terminal, &json);
}
