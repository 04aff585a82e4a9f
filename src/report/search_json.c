/* This file writes a search as the JSON object of the contract and as CSV with one row per listed plan. */
#include "predict/nearest.h"
#include "report/assumed.h"
#include "report/json_text.h"
#include "report/record.h"
#include "report/search.h"
#include "report/sureness.h"
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

static json_t *ratio_json(double ratio)
{
    return orr_json_real(ratio > 0 ? ratio : (double)NAN);
}

/* `every_key` also writes keys a request may not have, so that the columns are the same in every row. The GPUs are
 * those that were asked for and are paid for; where there are two pools, the job shown is that of the prompts and has
 * fewer. */
static json_t *request_of(const struct orr_search_view *v, bool every_key)
{
    json_t *request = orr_request_json(&v->job, every_key);
    if (!request || v->job.kind == ORR_JOB_TRAIN || !v->choice || v->choice->decode_gpus == 0) return request;
    return orr_json_whole(request, json_object_set_new(request, "gpus", json_integer(v->choice->gpus)));
}

/* ---------------------------------------------------------------- one plan */

/* Returns the pool that decodes, where prefill and decode are disaggregated. */
static json_t *decode_json(const struct orr_choice *c)
{
    return json_pack("{si si si si si}", "gpus", (int)c->decode_gpus, "tp", (int)c->decode_tp, "pp", (int)c->decode_pp,
                     "ep", (int)c->decode_ep, "batch", (int)c->decode_batch);
}

/* Returns plan and workload as a request spells them, then the headline figures; NULL where memory runs out. */
static json_t *plan_json(struct orr_search_view *v, const struct orr_choice *choice)
{
    orr_search_show(v, choice);
    json_t *request = request_of(v, false), *plan = json_object();
    int failed = !request || !plan;
    static const char *const KEYS[] = {"gpus", "plan", "workload"};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS && !failed; i++)
        failed = json_object_set(plan, KEYS[i], json_object_get(request, KEYS[i]));
    if (!failed && choice->decode_gpus > 0) failed = json_object_set_new(plan, "decode", decode_json(choice));
    size_t n;
    const int *metrics = orr_search_headline(v->job.kind, &n);
    for (size_t i = 0; i < n && !failed; i++) {
        const struct orr_entry entry = orr_metric_entry(&v->answer, metrics[i]);
        failed = orr_record_put(plan, &entry);
    }
    if (!failed) failed = json_object_set_new(plan, "nearest", orr_nearest_json(&v->answer));
    if (!failed) failed = orr_alike_json(plan, v->answer.job);
    json_decref(request);
    return orr_json_whole(plan, failed);
}

static json_t *plans_json(struct orr_search_view *v, const struct orr_found *found, size_t n)
{
    json_t *list = json_array();
    int failed = !list;
    for (size_t i = 0; i < n && !failed; i++) {
        json_t *plan = plan_json(v, &found[i].choice);
        failed = json_array_append_new(list, plan);
        if (!failed) failed = json_object_set_new(plan, "objective", orr_json_real(found[i].objective));
        if (!failed)
            failed = json_object_set_new(
                plan, "front", json_pack("[o o]", orr_json_real(found[i].front[0]), orr_json_real(found[i].front[1])));
    }
    return orr_json_whole(list, failed);
}

static json_t *compare_json(struct orr_search_view *v)
{
    json_t *plan = plan_json(v, &v->request->compare);
    const int failed = !plan || json_object_set_new(plan, "better_plans", json_integer((json_int_t)v->counts.better)) ||
                       json_object_set_new(plan, "ratio", ratio_json(v->compare_ratio));
    return orr_json_whole(plan, failed);
}

/* A plan beside the winner, with its objective over the winner's; a published one with who ran it. */
static json_t *beside_json(struct orr_search_view *v, const struct orr_choice *choice, double ratio, const char *source)
{
    json_t *plan = plan_json(v, choice);
    int failed = !plan || json_object_set_new(plan, "ratio", ratio_json(ratio));
    if (!failed && source) failed = json_object_set_new(plan, "source", orr_json_word(source));
    return orr_json_whole(plan, failed);
}

/* The published plan, with the run that had its layout. */
static json_t *published_json(struct orr_search_view *v)
{
    const struct orr_measured_run *run = v->measured;
    json_t *plan = beside_json(v, &v->published, v->published_ratio, run->source);
    json_t *of = json_pack("{ss ss ss sI ss}", "model", run->model, "system", run->system, "engine", run->engine,
                           "gpus", (json_int_t)run->gpus, "plan", run->plan);
    return orr_json_whole(plan, !plan || !of || json_object_set_new(plan, "run", of));
}

static int add_beside(struct orr_search_view *v, json_t *root)
{
    int failed = 0;
    if (v->simplest_ratio > 0)
        failed |= json_object_set_new(root, "simplest", beside_json(v, &v->simplest, v->simplest_ratio, NULL));
    const struct orr_found *inside = orr_search_inside(v->search);
    if (inside)
        failed |= json_object_set_new(
            root, "inside", beside_json(v, &inside->choice, orr_ratio(inside->objective, v->best[0].objective), NULL));
    if (v->measured) failed |= json_object_set_new(root, "published", published_json(v));
    return failed;
}

/* ---------------------------------------------------------------- the rest */

static json_t *rejected_json(const struct orr_search_counts *counts)
{
    json_t *rejected = json_object();
    int failed = !rejected;
    for (int i = 0; i < ORR_N_REJECTS && !failed; i++)
        failed = json_object_set_new(rejected, orr_reject_name((enum orr_reject)i),
                                     json_integer((json_int_t)counts->rejected[i]));
    return orr_json_whole(rejected, failed);
}

/* Returns the flags of a job by program or, with `notes`, the settings that have no flag. The program of the engine
 * that was asked for comes first. */
static json_t *launch_json(const struct orr_job *job, bool notes)
{
    json_t *launch = json_object();
    int failed = !launch;
    const enum orr_launcher own = job ? orr_launcher_of(job) : ORR_N_LAUNCHERS;
    for (int i = -1; i < ORR_N_LAUNCHERS && job && !failed; i++) {
        struct orr_text texts[2] = {{0}};
        const enum orr_launcher launcher = i < 0 ? own : (enum orr_launcher)i;
        if ((int)own == i || !orr_launch(launcher, job, &texts[0], &texts[1])) continue;
        const char *text = texts[notes].data ? texts[notes].data : "";
        failed = texts[0].failed || texts[1].failed ||
                 json_object_set_new(launch, orr_launchers[launcher].key, orr_json_word(text));
        for (int k = 0; k < 2; k++) free(texts[k].data);
    }
    return orr_json_whole(launch, failed);
}

/* How to run the winner; where it has two pools, its own keys say how to run that of the answers. */
static int add_launch(struct orr_search_view *v, json_t *root)
{
    if (v->n_best > 0) orr_search_show(v, &v->best[0].choice);
    const struct orr_job *job = v->n_best > 0 ? &v->job : NULL;
    int failed = json_object_set_new(root, "launch", launch_json(job, false));
    failed |= json_object_set_new(root, "launch_notes", launch_json(job, true));
    if (!job || v->choice->decode_gpus == 0) return failed;
    failed |= json_object_set_new(root, "launch_decode", launch_json(&v->result_job, false));
    return failed | json_object_set_new(root, "launch_decode_notes", launch_json(&v->result_job, true));
}

static json_t *asked_json(const struct orr_search_request *request)
{
    json_t *gpus = json_array(), *limits = json_array();
    for (int64_t i = 0; i < request->space.gpus.n; i++)
        json_array_append_new(gpus, json_integer((json_int_t)request->space.gpus.values[i]));
    for (size_t i = 0; i < request->n_limits; i++)
        json_array_append_new(limits, json_pack("{ss ss so}", "key", request->limits[i].key, "rule",
                                                request->limits[i].at_most ? "<=" : ">=", "value",
                                                orr_json_real(request->limits[i].value)));
    const char *name = request->job.model.asked;
    json_t *load = request->concurrency > 0  ? json_integer((json_int_t)request->concurrency)
                   : request->rate_per_s > 0 ? orr_json_real(request->rate_per_s)
                                             : NULL;
    const char *by = request->concurrency > 0 ? "concurrency" : "rate_per_s";
    return json_pack("{so so* so so so sI so sb sb so so*}", "model", orr_json_word(request->job.model.id), "asked",
                     name[0] ? orr_json_word(name) : NULL, "system", orr_json_word(request->job.system.id), "engine",
                     orr_json_word(request->job.engine.id), "gpus", gpus, "top", (json_int_t)request->top,
                     "front_within", orr_json_real(request->front_within), "brute", request->brute, "overlap",
                     request->space.overlap, "limits", limits, by, load);
}

static json_t *obstacles_json(const struct orr_search_view *v, struct orr_text *text)
{
    struct orr_text why = {0};
    json_t *obstacles = json_array();
    orr_search_obstacles_text(v, &why);
    char *lines = why.data;
    for (const char *line; (line = orr_next_line(&lines));) json_array_append_new(obstacles, orr_json_word(line));
    orr_text_drop(text, &why);
    return obstacles;
}

void orr_search_json(struct orr_search_view *v, struct orr_text *text)
{
    const struct orr_search_counts *c = &v->counts;
    json_t *root = json_pack(
        "{ss ss ss sb ss sI sI sI sI sI so so so so s[ss] so so so so}", "schema", ORR_SCHEMA, "kind", "search",
        "search", v->request->job.kind == ORR_JOB_TRAIN ? "train" : "infer", "complete", orr_search_complete(v->search),
        "objective", orr_objective_name(v->request->objective), "plans", (json_int_t)c->plans, "evaluated",
        (json_int_t)c->evaluated, "feasible", (json_int_t)c->feasible, "pruned", (json_int_t)(c->plans - c->evaluated),
        "shapes", (json_int_t)c->shapes, "seconds", orr_json_real(v->seconds), "evaluations_per_s",
        ratio_json(orr_ratio((double)c->evaluated, v->seconds)), "bound_ratio", ratio_json(v->bound_ratio),
        "second_ratio", ratio_json(v->second_ratio), "pareto_keys", orr_front_name(v->request, 0),
        orr_front_name(v->request, 1), "rejected", rejected_json(c), "best", plans_json(v, v->best, v->n_best),
        "pareto", plans_json(v, v->front, v->n_front), "request", asked_json(v->request));
    const struct orr_job *job = &v->request->job;
    if (root) {
        text->failed |=
            json_object_set_new(root, "assumed", orr_assumed_json(job, orr_unsearched_keys(job), &job->spread)) != 0;
        text->failed |= json_object_set_new(root, "warnings", orr_warnings_json(job)) != 0;
    }
    if (root) text->failed |= add_launch(v, root) != 0;
    if (root) text->failed |= add_beside(v, root) != 0;
    if (root && v->request->compared) text->failed |= json_object_set_new(root, "compare", compare_json(v)) != 0;
    if (root && c->plans == 0) text->failed |= json_object_set_new(root, "obstacles", obstacles_json(v, text)) != 0;
    orr_json_lines(text, root);
}

/* ---------------------------------------------------------------- CSV */

/* Adds the pool that decodes; zeros where there is only one pool. */
static void csv_decode(const struct orr_choice *c, struct orr_text *text)
{
    orr_text_add(text, "%d,%d,%d,%d,%d,", c->decode_gpus, c->decode_tp, c->decode_pp, c->decode_ep, c->decode_batch);
}

static void csv_lines(struct orr_search_view *v, const char *list, const struct orr_found *found, size_t n,
                      struct orr_text *text)
{
    for (size_t r = 0; r < n; r++) {
        orr_search_show(v, &found[r].choice);
        orr_text_add(text, "%s,%zu,", list, r + 1);
        orr_json_add(text, orr_json_real(found[r].objective), JSON_ENCODE_ANY);
        orr_text_add(text, ",");
        if (v->job.kind == ORR_JOB_INFER) csv_decode(&found[r].choice, text);
        orr_record_csv_line(&v->answer, request_of(v, true), false, text);
    }
}

void orr_search_csv(struct orr_search_view *v, struct orr_text *text)
{
    v->job = v->request->job; /* the columns are the same for every plan, and even without one */
    v->answer.job = &v->job;
    orr_text_add(text, "list,rank,objective,");
    if (v->job.kind == ORR_JOB_INFER) orr_text_add(text, "decode.gpus,decode.tp,decode.pp,decode.ep,decode.batch,");
    orr_record_csv_line(&v->answer, request_of(v, true), true, text);
    csv_lines(v, "best", v->best, v->n_best, text);
    csv_lines(v, "pareto", v->front, v->n_front, text);
}
