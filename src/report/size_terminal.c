/* This file writes the size of a service for people: what was asked, the plan, its times, and the front. */
#include "base/number.h"
#include "base/units.h"
#include "report/assumed.h"
#include "report/service.h"
#include "report/size.h"
#include "report/summary.h"
#include "report/table.h"
#include "report/text_plot.h"
#include "spec/spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void add_heading(const struct orr_size *size, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_size_request *r = &size->request;
    const struct orr_serving_request *service = &r->services[0];
    struct orr_text line = {0};
    orr_text_add(&line, "%s · %s · ", r->spaces[0].job.model.id, r->spaces[0].job.engine.id);
    for (size_t i = 0; i < r->n_systems; i++)
        orr_text_add(&line, "%s%s", i > 0 ? ", " : "", r->spaces[i].job.system.id);
    orr_summary_line(text, style, "size", &line);
    orr_traffic_text(service, &line);
    orr_summary_line(text, style, "traffic", &line);
    for (size_t i = 0; i < service->n_slos; i++) {
        if (i > 0) orr_text_add(&line, " · ");
        orr_slo_text(&service->slos[i], &line);
    }
    orr_summary_line(text, style, "limits", &line);
    if (r->budget_usd_per_h > 0) orr_text_add(&line, "$%.4g/h", r->budget_usd_per_h);
    else orr_text_add(&line, "%lld GPUs", (long long)r->budget_gpus);
    orr_text_add(&line, " · the fewest %s", r->by_gpus ? "GPUs" : "dollars");
    orr_summary_line(text, style, "budget", &line);
    const struct orr_job *job = &r->spaces[0].job;
    orr_assumed_lines(job, orr_unsearched_keys(job), &job->spread, style, text);
    orr_text_add(text, "\n");
    free(line.data);
}

static void add_plan(const struct orr_size *size, const struct orr_sized *plan, const struct orr_style *style,
                     struct orr_text *text)
{
    const struct orr_choice *c = &plan->choice;
    const struct orr_plan degrees = {
        .tp = c->tp, .pp = c->pp, .vpp = 1, .dp = c->dp, .cp = 1, .ep = c->ep, .etp = c->etp};
    struct orr_text line = {0};
    orr_text_add(&line, "%d × %s · $%.4g/h", c->gpus, size->request.spaces[plan->system].job.system.id,
                 plan->usd_per_h);
    orr_summary_line(text, style, size->answer.found ? "answer" : "nearest", &line);
    orr_summary_degrees(&degrees, &line);
    orr_text_add(&line, " · weights %s", orr_weight_format_name((enum orr_weight_format)c->weights));
    orr_summary_line(text, style, c->decode_gpus > 0 ? "prefill" : "plan", &line);
    if (c->decode_gpus > 0) {
        const struct orr_plan decode = {.tp = c->decode_tp,
                                        .pp = c->decode_pp,
                                        .vpp = 1,
                                        .dp = c->decode_gpus / (c->decode_tp * c->decode_pp),
                                        .cp = 1,
                                        .ep = c->decode_ep,
                                        .etp = 1};
        orr_summary_degrees(&decode, &line);
        orr_text_add(&line, " · %d of the GPUs", c->decode_gpus);
        orr_summary_line(text, style, "decode", &line);
    }
    orr_text_add(&line, "%lld sequences, %lld tokens a step", (long long)plan->max_requests,
                 (long long)plan->max_step_tokens);
    orr_summary_line(text, style, "engine", &line);
    orr_text_add(&line, "%.4g tokens/s per GPU · batch %.1f · $%.4g per million output tokens",
                 plan->result.output_tokens_per_s_per_gpu, plan->result.mean_running_batch,
                 plan->result.cost_usd_per_million_output_tokens);
    orr_summary_line(text, style, "load", &line);
    orr_text_add(text, "\n");
    free(line.data);
}

static void add_limits(const struct orr_size *size, const struct orr_sized *plan, const struct orr_style *style,
                       struct orr_text *text)
{
    const struct orr_serving_request *service = &size->request.services[plan->system];
    struct orr_table table;
    orr_table_start(&table, "lrrl");
    ORR_ROW(&table, ORR_PAINT_DIM, "limit", "mean", "value", "");
    for (size_t i = 0; i < service->n_slos; i++) {
        const struct orr_slo *slo = &service->slos[i];
        const struct orr_timing *timing = &plan->result.timing[slo->kind];
        const double value_s = orr_timing_at(timing, slo->quantile);
        struct orr_text name = {0};
        char mean[32], value[32], share[64];
        orr_slo_text(slo, &name);
        (void)snprintf(share, sizeof share, "%.0f %% of it%s", 100 * value_s / slo->limit_s,
                       value_s > slo->limit_s ? ", missed" : "");
        ORR_ROW(&table, ORR_PAINT_NONE, name.data ? name.data : "", orr_print_s(mean, timing->mean),
                orr_print_s(value, value_s), share);
        free(name.data);
    }
    orr_table_print(&table, text, style);
}

/* A plan in a few words: "h100-sxm tp8 pp1 dp2 + tp4 pp1 dp3". */
static void add_words(const struct orr_size *size, const struct orr_sized *plan, struct orr_text *text)
{
    const struct orr_choice *c = &plan->choice;
    orr_text_add(text, "%s tp%d pp%d dp%d", size->request.spaces[plan->system].job.system.id, c->tp, c->pp, c->dp);
    if (c->ep > 1) orr_text_add(text, " ep%d", c->ep);
    if (c->decode_gpus == 0) return;
    orr_text_add(text, " + tp%d pp%d dp%d", c->decode_tp, c->decode_pp, c->decode_gpus / (c->decode_tp * c->decode_pp));
    if (c->decode_ep > 1) orr_text_add(text, " ep%d", c->decode_ep);
}

/* A plan of the front that costs more is worth a row where it takes a tenth off the time over its limit. */
#define WORTH_FRAC 0.9

static bool is_best(const struct orr_size_answer *a, const struct orr_sized *p)
{
    return a->found && p->choice.gpus == a->best.choice.gpus && p->cost == a->best.cost;
}

#define USD_LEAST 1e-6
/* Draws the whole front, the answer filled; both axes are logarithmic, because either spans decades. */
static void draw_front(const struct orr_size_answer *a, const struct orr_style *style, struct orr_text *text)
{
    double x[ORR_SIZE_FRONT + 1], y[ORR_SIZE_FRONT + 1];
    char low[2][32], high[2][32];
    size_t n = 0;
    for (int rest = 0; rest < 2; rest++) /* the answer first */
        for (size_t i = 0; i < a->n_front; i++)
            if (is_best(a, &a->front[i]) == (rest == 0) && isfinite(a->front[i].ratio)) {
                x[n] = log(fmax(a->front[i].usd_per_h, USD_LEAST)); /* a machine may cost nothing */
                y[n++] = log(a->front[i].ratio);
            }
    const struct orr_sized *first = &a->front[0], *last = &a->front[a->n_front - 1];
    (void)snprintf(low[0], sizeof low[0], "$%.4g", first->usd_per_h);
    (void)snprintf(high[0], sizeof high[0], "$%.4g", last->usd_per_h);
    (void)snprintf(low[1], sizeof low[1], "%.0f %%", 100 * last->ratio);
    (void)snprintf(high[1], sizeof high[1], "%.0f %%", 100 * first->ratio);
    const struct orr_plot plot = {.x = x,
                                  .y = y,
                                  .n = n,
                                  .x_name = "dollars an hour",
                                  .x_low = low[0],
                                  .x_high = high[0],
                                  .y_name = "of limit",
                                  .y_low = low[1],
                                  .y_high = high[1]};
    orr_text_add(text, "\n");
    orr_text_plot(text, style, &plot);
}

/* One row per plan, and the whole front as a picture. */
static void add_front(const struct orr_size *size, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_size_answer *a = &size->answer;
    struct orr_table table;
    double shown = HUGE_VAL;
    if (a->n_front < 2) return;
    orr_text_section(text, style, "cost against latency");
    orr_table_start(&table, "rrlrrrr");
    table.drop = "0000021";
    ORR_ROW(&table, ORR_PAINT_DIM, "$/h", "GPUs", "plan", "of limit", "ttft p99", "tpot p99", "tokens/s/GPU");
    for (size_t i = 0; i < a->n_front; i++) {
        const struct orr_sized *p = &a->front[i];
        const struct orr_choice *c = &p->choice;
        if (!is_best(a, p) && p->ratio > WORTH_FRAC * shown) continue;
        shown = p->ratio;
        char usd[32], gpus[32], worst[32], ttft[32], tpot[32], rate[32];
        struct orr_text plan = {0};
        (void)snprintf(usd, sizeof usd, "%.4g", p->usd_per_h);
        (void)snprintf(gpus, sizeof gpus, "%d", c->gpus);
        add_words(size, p, &plan);
        (void)snprintf(worst, sizeof worst, "%.0f %%", 100 * p->ratio);
        (void)snprintf(rate, sizeof rate, "%.4g", p->result.output_tokens_per_s_per_gpu);
        ORR_ROW(&table, is_best(a, p) ? ORR_PAINT_GOOD : ORR_PAINT_NONE, usd, gpus, plan.data ? plan.data : "", worst,
                orr_print_s(ttft, p->result.timing[ORR_TIMING_TTFT].p99),
                orr_print_s(tpot, p->result.timing[ORR_TIMING_TPOT].p99), rate);
        free(plan.data);
    }
    orr_table_print(&table, text, style);
    draw_front(a, style, text);
}

void orr_size_terminal(const struct orr_size *size, const struct orr_style *style, struct orr_text *text)
{
    const struct orr_size_answer *a = &size->answer;
    add_heading(size, style, text);
    if (!a->found) {
        struct orr_text reason = {0};
        orr_size_reason(size, &reason);
        orr_text_wrap(text, style, "  no plan: ", 11, reason.data ? reason.data : "", " ");
        orr_text_add(text, "\n");
        free(reason.data);
    }
    if (isfinite(a->best.ratio)) {
        add_plan(size, &a->best, style, text);
        add_limits(size, &a->best, style, text);
        add_front(size, style, text);
    }
    orr_text_add(text, "\n  %lld plans of %lld layouts, %lld of which fit", (long long)a->counts.plans,
                 (long long)a->counts.units, (long long)a->counts.fitting);
    if (a->counts.pairs > 0) orr_text_add(text, "; %lld pairs of pools", (long long)a->counts.pairs);
    orr_text_add(text, "; %lld simulated\n", (long long)a->counts.simulated);
    if (!a->complete) orr_text_add(text, "  stopped early: there may be better plans\n");
}
