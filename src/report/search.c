/* orr_search_render writes the answer of a search and predicts any plan of it in full. */
#include "report/search.h"

#include "base/memory.h"
#include "base/plain.h"
#include "report/launch_files.h"
#include "report/page.h"
#include "report/sureness.h"

#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the view */

static void measure(struct orr_search_view *v)
{
    if (v->n_best == 0) return;
    orr_search_show(v, &v->best[0].choice);
    v->bound_ratio = orr_light_ratio(&v->answer);
    if (v->request->compared) v->compare_ratio = orr_ratio(v->search->compare_objective, v->best[0].objective);
    if (v->n_best > 1) v->second_ratio = orr_ratio(v->best[1].objective, v->best[0].objective);
    v->simplest_ratio = orr_search_simplest(v->search, &v->best[0], &v->job, v->scratch, &v->simplest);
    if (memcmp(&v->simplest, &v->best[0].choice, sizeof v->simplest) == 0) v->simplest_ratio = 0;
    v->measured = orr_search_published(v, &v->published);
}

/* Does a plan of the front hardly differ from the one before it: by 1 % in both coordinates, or by vpp alone? */
static bool hardly_differs(const struct orr_found *before, const struct orr_found *found)
{
    struct orr_choice same = found->choice;
    same.vpp = before->choice.vpp;
    same.schedule = before->choice.schedule;
    if (memcmp(&same, &before->choice, sizeof same) == 0) return true;
    return found->front[0] < 1.01 * before->front[0] && found->front[1] > 0.99 * before->front[1];
}

/* Copies the front without plans that hardly differ from the one before. Returns false where memory runs out. */
static bool thin_front(struct orr_search_view *v)
{
    const struct orr_found *front;
    const size_t n = orr_search_front(v->search, &front);
    v->front = malloc((n + 1) * sizeof *v->front);
    if (!v->front) return false;
    for (size_t i = 0; i < n; i++)
        if (v->n_front == 0 || !hardly_differs(&v->front[v->n_front - 1], &front[i])) v->front[v->n_front++] = front[i];
    return true;
}

static void view_close(struct orr_search_view *view)
{
    if (!view) return;
    orr_scratch_free(view->scratch);
    free(view->front);
    free(view);
}

/* Returns NULL where memory runs out. */
static struct orr_search_view *view_open(const struct orr_search *search, double seconds)
{
    struct orr_search_view *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    v->search = search;
    v->request = orr_search_request_of(search);
    v->counts = orr_search_counts_of(search);
    v->n_best = orr_search_best(search, &v->best);
    v->seconds = seconds;
    v->scratch = orr_scratch_new();
    if (v->scratch && thin_front(v)) {
        measure(v);
        return v;
    }
    view_close(v);
    return NULL;
}

void orr_search_show(struct orr_search_view *view, const struct orr_choice *choice)
{
    view->choice = choice;
    orr_search_job(view->search, choice, &view->job);
    view->answer.job = view->job.kind == ORR_JOB_TRAIN ? &view->job : &view->result_job;
    if (view->job.kind == ORR_JOB_TRAIN) {
        orr_train(&view->job, view->scratch, &view->answer.train);
        return;
    }
    orr_infer_predict(view->search, choice, &view->result_job, view->scratch, &view->answer.infer);
    view->job.serving.output_len = view->request->job.serving.output_len; /* as asked; a prompts' pool makes one */
}

/* ---------------------------------------------------------------- metrics */

const int *orr_search_headline(enum orr_job_kind kind, size_t *n)
{
    /* clang-format off */
#define T(name) ORR_TRAIN_METRIC_##name
#define I(name) ORR_INFER_METRIC_##name
    static const int TRAIN[] = {
        T(STEP_TIME), T(INTERVAL_LOW), T(INTERVAL_HIGH), T(QUANTILE_10), T(QUANTILE_50),
        T(QUANTILE_90), T(INTERVAL_FROM), T(INTERVAL_NARROWED), T(BOUND), T(BOUND_FRAC), T(TOKENS), T(TOKENS_PER_GPU),
        T(MODEL_TFLOPS), T(MFU), T(HFU), T(TRUST), T(FITS), T(BOTTLENECK), T(MEMORY_TOTAL), T(MEMORY_HEADROOM),
        T(ENERGY_PER_TOKEN), T(COST_PER_BILLION),
    };
    static const int INFER[] = {
        I(LATENCY), I(TTFT), I(TPOT), I(INTERVAL_LOW), I(INTERVAL_HIGH), I(QUANTILE_10), I(QUANTILE_50),
        I(QUANTILE_90), I(INTERVAL_FROM), I(INTERVAL_NARROWED), I(BOUND), I(BOUND_FRAC), I(OUTPUT_TOKENS),
        I(OUTPUT_TOKENS_PER_GPU), I(OUTPUT_TOKENS_PER_USER), I(TRUST), I(FITS), I(BOTTLENECK), I(MEMORY_TOTAL),
        I(MEMORY_HEADROOM), I(MAX_BATCH), I(ENERGY_PER_TOKEN), I(COST_PER_MILLION),
    };
#undef T
#undef I
    /* clang-format on */
    *n = kind == ORR_JOB_TRAIN ? sizeof TRAIN / sizeof *TRAIN : sizeof INFER / sizeof *INFER;
    return kind == ORR_JOB_TRAIN ? TRAIN : INFER;
}

/* ---------------------------------------------------------------- words */

const char *orr_reject_meaning(enum orr_reject reject)
{
#define X(member, name, meaning) meaning,
    static const char *const MEANINGS[] = {ORR_REJECTS(X)};
#undef X
    return MEANINGS[reject];
}

char *orr_print_ratio(char buffer[32], double ratio)
{
    (void)snprintf(buffer, 32, ratio < 1.095 ? "%.3f times" : "%.2f times", ratio);
    return buffer;
}

/* Writes "plan.tp 3: 32 heads ...; with the rest as it is, 2 or 4 would do". */
static void obstacle_text(const struct orr_search_view *v, const struct orr_obstacle *o, struct orr_text *text)
{
    struct orr_error rule;
    orr_text_add(text, "%s", o->key);
    if (o->given > 0) orr_text_add(text, " %lld%s", (long long)o->given, o->n_given > 1 ? ", ..." : "");
    orr_text_add(text, ": with the rest as it is, ");
    if (o->below > 0) orr_text_add(text, "%lld", (long long)o->below);
    if (o->below > 0 && o->above > 0) orr_text_add(text, " or ");
    if (o->above > 0) orr_text_add(text, "%lld", (long long)o->above);
    if (o->below + o->above == 0) orr_text_add(text, "other values");
    orr_text_add(text, " would do");
    if (orr_search_broken_rule(v->search, o->key, &rule)) orr_text_add(text, " (%s)", rule.text);
    orr_text_add(text, "\n");
}

void orr_search_obstacles_text(const struct orr_search_view *v, struct orr_text *text)
{
    struct orr_obstacle obstacles[ORR_MAX_OBSTACLES];
    struct orr_error rule;
    if (v->counts.plans > 0 || !orr_search_complete(v->search)) return;
    const size_t n = orr_search_obstacles(v->search, obstacles);
    for (size_t i = 0; i < n; i++) obstacle_text(v, &obstacles[i], text);
    if (n > 0) return;
    orr_text_add(text, "no list is at fault alone");
    if (orr_search_broken_rule(v->search, NULL, &rule)) orr_text_add(text, " (%s)", rule.text);
    orr_text_add(text, "\n");
}

char *orr_next_line(char **lines)
{
    char *line = *lines;
    if (!line || !*line) return NULL;
    *lines += strcspn(line, "\n");
    if (**lines) *(*lines)++ = '\0';
    return line;
}

/* ---------------------------------------------------------------- reports */

static void add_page(struct orr_search_view *view, struct orr_text *text)
{
    const struct orr_job *job = &view->request->job;
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0}, title = {0};
    orr_text_add(&title, "%s on ", job->model.id);
    orr_search_gpus(&view->request->space.gpus, &title);
    orr_text_add(&title, " × %s", job->system.id);
    orr_search_terminal(view, &orr_page_style, &page.terminal);
    orr_search_json(view, &json);
    orr_page_reply(&page, "search", &json);
    orr_page_finish(&page, title.data ? title.data : "", text);
    orr_text_drop(text, &title);
}

char *orr_search_render(const struct orr_search *search, enum orr_format format, const struct orr_style *style)
{
    ORR_PLAIN_NUMBERS;
    struct orr_text text = {0};
    struct orr_search_view *view = view_open(search, style ? style->took_s : 0);
    if (!view) return orr_memory_told();
    if (format == ORR_FORMAT_JSON) orr_search_json(view, &text);
    else if (format == ORR_FORMAT_CSV) orr_search_csv(view, &text);
    else if (format == ORR_FORMAT_HTML) add_page(view, &text);
    else orr_search_terminal(view, style, &text);
    view_close(view);
    return orr_text_take(&text);
}

bool orr_search_launch(const struct orr_search *search, orr_launch_sink sink, void *context)
{
    ORR_PLAIN_NUMBERS;
    struct orr_search_view *view = view_open(search, 0);
    bool done = view && view->n_best > 0;
    if (done) {
        orr_search_show(view, &view->best[0].choice);
        done = orr_launch_files(&view->job, view->choice->decode_gpus > 0 ? &view->result_job : NULL, sink, context);
    }
    view_close(view);
    return done;
}
