/* This file lets time pass in a replica: requests become visible, steps run, tokens leave. Eqs. 199-204. */
#include "serving/replica.h"

#include "base/number.h"
#include "serving/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- making one */

struct orr_replica *orr_replica_new(const struct orr_replica_facts *facts, struct orr_steps *steps,
                                    const struct orr_sink *sink)
{
    const struct orr_engine *e = &facts->engine;
    struct orr_replica *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->facts = *facts;
    r->table = steps;
    r->sink = *sink;
    r->mixes = orr_scheduler_mixes(e);
    r->reserves = e->scheduler == ORR_SCHEDULER_TRTLLM_NO_EVICT || e->scheduler == ORR_SCHEDULER_TGI;
    r->by_ratio = e->scheduler == ORR_SCHEDULER_SGLANG;
    r->ratio = e->admit_frac;
    r->budget = e->max_step_tokens > 0 ? e->max_step_tokens : INT64_MAX / 4;
    r->block = e->kv_block_tokens;
    r->cycle = (int64_t)orr_max(1, floor((double)r->block / facts->tokens_per_step + 0.5));
    r->total_blocks = r->free_blocks = (int64_t)(orr_min(facts->kv_tokens, 1e15) / (double)r->block);
    r->free_slot = r->oldest = r->newest = ORR_NOBODY;
    orr_prefixes_open(&r->prefixes);
    r->growing = calloc((size_t)r->cycle, sizeof *r->growing);
    r->adapters = calloc((size_t)facts->adapters.most + 1, sizeof *r->adapters);
    orr_sketch_open(&r->sums.itl, false);
    if (r->growing && r->adapters) return r;
    orr_replica_free(r);
    return NULL;
}

void orr_replica_free(struct orr_replica *r)
{
    if (!r) return;
    free(r->sequences);
    free(r->coming.items);
    free(r->ends.items);
    free(r->waiting.slots);
    free(r->begun.slots);
    free(r->growing);
    free(r->adapters);
    free(r->chunks);
    orr_prefixes_close(&r->prefixes);
    free(r);
}

/* Another text of a batch delays those that came before. They are due last, so that they stand at the end of the heap;
 * one that is delayed sinks further towards it, behind what has been looked at. */
static void delay_batch(struct orr_replica *r)
{
    int64_t left = r->texts.n - 1;
    for (size_t i = r->coming.n; i-- > 0 && left > 0;) {
        struct orr_sequence *s = &r->sequences[r->coming.items[i].slot];
        if (s->batch != r->texts.batch) continue;
        s->visible_s = r->texts.end_s + orr_frontend_own_s(&r->facts, (double)s->ask.input_len);
        orr_queue_delay(&r->coming, i, s->visible_s);
        left--;
    }
}

/* Eq. 364: when the text that the thread is given at a time is handed on, should none follow it. */
static double tokenised_s(struct orr_replica *r, double given_s, double work_s)
{
    const struct orr_engine *e = &r->facts.engine;
    struct orr_texts *t = &r->texts;
    if (t->n > 0 && t->n < e->tokenise_batch && given_s <= t->open_s + e->tokenise_window_s) {
        t->n++;
        t->end_s += work_s;
        delay_batch(r);
        return t->end_s;
    }
    t->open_s = orr_max(given_s, t->end_s);
    t->end_s = t->open_s + work_s;
    t->n = 1;
    t->batch++; /* 0 is the batch of requests that came as tokens */
    return t->end_s;
}

/* Eq. 199: the front end takes requests one after another. */
static double visible_s(struct orr_replica *r, const struct orr_ask *ask, double time_s)
{
    const struct orr_engine *e = &r->facts.engine;
    const double input = (double)ask->input_len, own_s = orr_frontend_own_s(&r->facts, input);
    if (e->tokenise_batch > 1) {
        r->front_s = orr_max(time_s, r->front_s) + e->frontend_s_per_request / r->facts.host_speed;
        return tokenised_s(r, r->front_s, e->tokenise_s_per_token * input / r->facts.host_speed) + own_s;
    }
    r->front_s = orr_max(time_s, r->front_s) + orr_frontend_turn_s(&r->facts, input);
    return r->front_s + own_s;
}

bool orr_replica_submit(struct orr_replica *r, const struct orr_ask *ask)
{
    return orr_replica_submit_at(r, ask, ask->arrival_s);
}

bool orr_replica_submit_at(struct orr_replica *r, const struct orr_ask *ask, double time_s)
{
    const int32_t slot = orr_slot_for(r, ask);
    if (slot == ORR_NOBODY) return false;
    struct orr_sequence *s = &r->sequences[slot];
    const uint32_t turn = s->turn;
    const double handled_s = visible_s(r, ask, time_s);
    *s = (struct orr_sequence){.ask = *ask,
                               .visible_s = handled_s,
                               .batch = r->texts.batch,
                               .start_s = -1,
                               .first_s = -1,
                               .prompt = ask->input_len,
                               .prefix = ORR_NOBODY,
                               .turn = turn};
    r->tokens_left += (double)(ask->input_len + ask->output_len);
    const struct orr_due due = {.key = s->visible_s, .order = ask->id, .slot = slot};
    if (!orr_queue_push(&r->coming, due)) r->failed = true;
    return !r->failed;
}

/* ---------------------------------------------------------------- decoding sequences */

static double decode_steps_left(const struct orr_replica *r, const struct orr_sequence *s)
{
    const double left = (double)(s->ask.output_len - s->made);
    return r->facts.tokens_per_step > 1 ? orr_ceil(left / r->facts.tokens_per_step) : left;
}

void orr_join(struct orr_replica *r, int32_t slot)
{
    struct orr_sequence *s = &r->sequences[slot];
    s->join_tick = r->tick;
    s->decoding = true;
    if (r->n_decoding++ == 0) r->tick_s = r->now_s; /* there is no earlier token that anyone waits from */
    r->contexts += (double)(s->prompt + 1);
    r->growing[(r->tick + r->cycle - s->prompt % r->cycle) % r->cycle]++;
    const struct orr_due due = {
        .key = (double)r->tick + decode_steps_left(r, s), .order = s->ask.id, .slot = slot, .turn = s->turn};
    if (!orr_queue_push(&r->ends, due)) r->failed = true;
}

/* Blocks that a sequence took while it decoded: one whenever the last was full. */
static int64_t grown_blocks(const struct orr_replica *r, int64_t prompt, int64_t ticks)
{
    const int64_t c = r->cycle;
    return (prompt + ticks + c - 1) / c - (prompt + c - 1) / c;
}

void orr_leave(struct orr_replica *r, int32_t slot)
{
    struct orr_sequence *s = &r->sequences[slot];
    const int64_t ticks = r->tick - s->join_tick;
    const double made = (double)ticks * r->facts.tokens_per_step;
    r->contexts -= (double)(s->prompt + 1) + made;
    if (--r->n_decoding == 0) r->contexts = 0;
    r->growing[(s->join_tick + r->cycle - s->prompt % r->cycle) % r->cycle]--;
    if (!r->reserves) s->blocks += grown_blocks(r, s->prompt, ticks);
    const int64_t all = s->made + (int64_t)(made + 0.5);
    s->made = all < s->ask.output_len ? all : s->ask.output_len;
    s->decoding = false;
    s->turn++;
}

void orr_release(struct orr_replica *r, int32_t slot)
{
    struct orr_sequence *s = &r->sequences[slot];
    orr_running_remove(r, slot);
    orr_adapter_leave(r, s->ask.adapter);
    r->free_blocks += s->blocks;
    s->blocks = 0;
    if (s->prefix != ORR_NOBODY) orr_prefix_leave(&r->prefixes, s->prefix);
    s->prefix = ORR_NOBODY;
    r->outstanding = orr_max(0, r->outstanding - orr_expected(s));
}

/* Hands a finished request to the sink, which may submit another one. */
/* Eq. 310: where ranks that step together send a first token from another pool with the first group of further ones, it
 * is seen when that group is complete, which is taken to come at the mean pace of the answer. */
static double first_seen_s(const struct orr_replica *r, const struct orr_sequence *s)
{
    const struct orr_engine *e = &r->facts.engine;
    const double further = (double)(s->ask.output_len - 1), group = (double)e->stream_tokens;
    if (!e->first_grouped || r->facts.role != ORR_POOL_DECODE || r->facts.ranks <= 1) return s->first_s;
    if (group <= 1 || further < 1) return s->first_s;
    return s->first_s + orr_min(1, group / further) * (r->out_s - s->first_s);
}

static void finish(struct orr_replica *r, int32_t slot)
{
    struct orr_sequence *s = &r->sequences[slot];
    orr_release(r, slot);
    const struct orr_request_record record = {.id = s->ask.id,
                                              .arrival_s = s->ask.arrival_s,
                                              .visible_s = s->visible_s,
                                              .start_s = s->start_s,
                                              .first_s = first_seen_s(r, s),
                                              .finish_s = r->out_s,
                                              .input_len = s->ask.input_len,
                                              .output_len = s->ask.output_len,
                                              .cached_len = s->cached,
                                              .preemptions = s->preemptions,
                                              .transfer_s = s->transfer_s,
                                              .urgent = s->ask.urgent};
    orr_slot_give(r, slot);
    r->sink.finished(r->sink.context, &record);
}

/* Hands a complete prompt over; its blocks stay taken until its cache has been sent. */
static void hand_over(struct orr_replica *r, int32_t slot)
{
    const struct orr_sequence *s = &r->sequences[slot];
    orr_running_remove(r, slot);
    orr_adapter_leave(r, s->ask.adapter);
    r->outstanding = orr_max(0, r->outstanding - orr_expected(s));
    r->tokens_left = orr_max(0, r->tokens_left - (double)(s->ask.output_len - 1));
    const struct orr_handover handover = {.ask = s->ask,
                                          .visible_s = s->visible_s,
                                          .start_s = s->start_s,
                                          .ready_s = r->now_s,
                                          .first_s = s->first_s,
                                          .cached = s->cached,
                                          .preemptions = s->preemptions,
                                          .slot = slot};
    r->sink.prefilled(r->sink.context, &handover);
}

static const struct orr_due *first_end(struct orr_replica *r)
{
    while (r->ends.n > 0 && r->ends.items[0].turn != r->sequences[r->ends.items[0].slot].turn) orr_queue_pop(&r->ends);
    return r->ends.n > 0 ? &r->ends.items[0] : NULL;
}

/* Ends every answer whose last token this tick was. */
static void end_answers(struct orr_replica *r)
{
    const struct orr_due *due;
    while ((due = first_end(r)) && due->key <= (double)r->tick) {
        const int32_t slot = due->slot;
        orr_queue_pop(&r->ends);
        orr_leave(r, slot);
        finish(r, slot);
    }
}

/* ---------------------------------------------------------------- time */

/* Tells the sink of steps and adds them to the sums. */
static void account(struct orr_replica *r, const struct orr_step_record *record)
{
    struct orr_replica_sums *sums = &r->sums;
    const double time_s = record->end_s - record->start_s;
    sums->busy_s += time_s;
    sums->running_s += time_s * (double)r->n_running;
    sums->decoding_s += time_s * (double)r->n_decoding;
    sums->used_block_s += time_s * (double)(r->total_blocks - orr_free_blocks(r));
    sums->steps += record->steps;
    if (record->prompt_tokens > 0) {
        sums->prompt_s += time_s;
        sums->prompt_steps++;
    }
    if (record->decodes > 0) {
        const double k = (double)record->steps, growth = (double)r->n_decoding * r->facts.tokens_per_step;
        sums->decode_steps += record->steps;
        sums->decode_rows += k * (double)record->decodes;
        sums->context_steps += k * (r->contexts + growth * (k - 1) / 2);
    }
    if (r->sink.stepped) r->sink.stepped(r->sink.context, record);
}

/* Eq. 200: tokens leave one after another, so that a front end that is too slow for them sets the pace. */
static void deliver(struct orr_replica *r, double end_s, int64_t steps, int64_t tokens)
{
    const double together = (double)(r->facts.engine.stream_tokens > 1 ? r->facts.engine.stream_tokens : 1);
    const double turn_s = r->facts.engine.stream_s_per_token / r->facts.host_speed * (double)tokens / together;
    r->out_s = orr_max(end_s + turn_s, r->out_s + (double)steps * turn_s);
}

/* Moves all decoding sequences on by so many ticks that end at end_s. Waits since the last tick, such as those for
 * prompts, belong to the first gap between tokens. */
static void pass_ticks(struct orr_replica *r, int64_t steps, double start_s, double first_s, double end_s)
{
    const int64_t together = r->facts.engine.stream_tokens; /* a gap is one between two messages of so many tokens */
    const double n = (double)r->n_decoding, k = (double)steps, per_step = r->facts.tokens_per_step;
    const double sent = together > 1 ? (double)together : 1, gaps = n * per_step / sent;
    const double waited_s = orr_max(0, start_s - r->tick_s);
    if (n <= 0) return;
    orr_take_blocks(r, steps);
    if (waited_s > 0) {
        orr_sketch_add(&r->sums.itl, sent * (waited_s + first_s) / per_step, gaps);
        if (steps > 1)
            orr_sketch_add(&r->sums.itl, sent * (end_s - start_s - first_s) / (k - 1) / per_step, gaps * (k - 1));
    } else orr_sketch_add(&r->sums.itl, sent * (end_s - start_s) / k / per_step, gaps * k);
    r->tick += steps;
    r->tick_s = end_s;
    r->contexts += n * k * per_step;
    r->outstanding = orr_max(0, r->outstanding - n * k * per_step);
    r->tokens_left = orr_max(0, r->tokens_left - n * k * per_step);
    r->sums.output_tokens += (int64_t)(n * k * per_step + 0.5);
    if (r->by_ratio) r->ratio = orr_ratio_after(r, k);
}

/* ---------------------------------------------------------------- a step with prompts */

static struct orr_mixed mixed_of(const struct orr_replica *r)
{
    struct orr_mixed mixed = {.decodes = r->mixes ? r->n_decoding : 0};
    for (size_t i = 0; i < r->n_chunks; i++) {
        const struct orr_sequence *s = &r->sequences[r->chunks[i].slot];
        const double tokens = (double)r->chunks[i].tokens;
        mixed.tokens += r->chunks[i].tokens;
        mixed.cached += s->computed;
        mixed.pairs += tokens * ((double)s->computed + tokens / 2); /* Eq. 201 */
    }
    mixed.prompts = (int64_t)r->n_chunks;
    if (mixed.decodes > 0) mixed.context = r->contexts / (double)mixed.decodes;
    return mixed;
}

/* Moves the prompts of a step on; those that are complete have their first token. */
static void pass_prompts(struct orr_replica *r)
{
    const size_t n_begun = r->begun.n;
    size_t complete = 0;
    for (size_t i = 0; i < r->n_chunks; i++) r->sequences[r->chunks[i].slot].computed += r->chunks[i].tokens;
    for (size_t i = 0; i < n_begun; i++) {
        const int32_t slot = orr_line_pop(&r->begun);
        struct orr_sequence *s = &r->sequences[slot];
        if (s->computed < s->prompt) {
            if (!orr_line_push(&r->begun, slot, false)) r->failed = true;
            continue;
        }
        r->chunks[complete++].slot = slot; /* at most as many as there were chunks */
    }
    for (size_t i = 0; i < complete; i++) {
        const int32_t slot = r->chunks[i].slot;
        struct orr_sequence *s = &r->sequences[slot];
        if (s->first_s < 0) s->first_s = r->out_s;
        orr_keep_prefix(r, slot);
        s->made++;
        r->outstanding = orr_max(0, r->outstanding - 1);
        r->sums.output_tokens++;
        r->tokens_left = orr_max(0, r->tokens_left - 1);
        if (s->made >= s->ask.output_len) finish(r, slot);
        else if (r->facts.role == ORR_POOL_PREFILL) hand_over(r, slot);
        else orr_join(r, slot);
    }
}

static void pass_mixed(struct orr_replica *r, const struct orr_mixed *step, double time_s)
{
    const struct orr_mixed mixed = *step;
    const double start_s = r->now_s, end_s = start_s + time_s;
    const struct orr_step_record record = {.start_s = start_s,
                                           .end_s = end_s,
                                           .steps = 1,
                                           .prompt_tokens = mixed.tokens,
                                           .prompts = mixed.prompts,
                                           .decodes = mixed.decodes,
                                           .waiting = (int64_t)r->waiting.n,
                                           .kv_used_frac = 1 - (double)orr_free_blocks(r) / (double)r->total_blocks};
    account(r, &record);
    r->sums.prompt_tokens += mixed.tokens;
    r->sums.prompt_pairs += mixed.pairs;
    r->tokens_left = orr_max(0, r->tokens_left - (double)mixed.tokens);
    deliver(r, end_s, 1, mixed.decodes + mixed.prompts);
    if (mixed.decodes > 0) pass_ticks(r, 1, start_s, time_s, end_s);
    r->decide_s = start_s;
    r->now_s = end_s;
    pass_prompts(r);
    end_answers(r);
}

/* ---------------------------------------------------------------- steps that only decode */

double orr_line_sum_s(const struct orr_line *line, double k)
{
    return k * line->first_s + line->slope_s * k * (k - 1) / 2; /* Eq. 202 */
}

/* Eq. 203: the least number of steps that take at least so long. */
static int64_t steps_within(const struct orr_line *line, double time_s)
{
    if (time_s <= 0) return 0;
    const double guess = time_s / line->first_s;
    if (guess > 1e15) return INT64_MAX / 4;
    double k = guess;
    if (fabs(line->slope_s) * guess > 1e-12 * line->first_s) {
        const double half = line->first_s - line->slope_s / 2;
        const double root = half * half + 2 * line->slope_s * time_s;
        if (root <= 0) return INT64_MAX / 4; /* steps that grow shorter never take so long */
        k = 2 * time_s / (half + sqrt(root));
    }
    k = orr_ceil(orr_max(0, k - 1e-9));
    while (orr_line_sum_s(line, k) < time_s) k++;
    while (k >= 1 && orr_line_sum_s(line, k - 1) >= time_s) k--;
    return (int64_t)k;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The steps that can run before something else must be looked at. Under overlapped scheduling the decision about a step
 * is made when the one before begins (Eq. 204), so a request is admitted one step later. A rank without sequences,
 * which steps along with others, looks out for requests only. */
int64_t orr_turn_steps(struct orr_replica *r, const struct orr_line *line, double until_s)
{
    const struct orr_due *end = first_end(r);
    const struct orr_engine *e = &r->facts.engine;
    int64_t steps = end ? least(line->steps, (int64_t)(end->key - (double)r->tick)) : line->steps;
    const int64_t retry = orr_retry_steps(r);
    if (retry > 0) steps = least(steps, retry);
    if (until_s < HUGE_VAL) steps = least(steps, steps_within(line, until_s - r->now_s));
    if (r->coming.n > 0 && orr_may_admit(r)) {
        const double visible = r->coming.items[0].key;
        int64_t arrival = steps_within(line, visible - r->now_s) + (orr_decides_ahead(e) && r->n_running > 0 ? 1 : 0);
        if (e->poll_steps > 1 && r->facts.role != ORR_POOL_DECODE) {
            const int64_t since = r->tick - r->polled_tick + arrival;
            arrival += (e->poll_steps - since % e->poll_steps) % e->poll_steps;
        }
        steps = least(steps, arrival);
    }
    steps = orr_steps_of_blocks(r, steps > 1 ? steps : 1);
    return steps > 1 ? steps : 1;
}

/* Eq. 268: an engine that polls looks at new requests after a step with prompts and after every poll_steps decode steps
 * from then on, whatever else happens in between. An idle engine looks all the time. Caches from another pool are
 * looked for before every step, and the next look at new requests follows each that was found (Eq. 308). */
static bool polls(struct orr_replica *r)
{
    if (r->facts.engine.poll_steps <= 1) return true;
    const bool found = r->facts.role == ORR_POOL_DECODE && r->coming.n > 0 && r->coming.items[0].key <= r->now_s;
    if (r->after_prompts || r->n_running == 0 || found) r->polled_tick = r->tick;
    if (r->facts.role == ORR_POOL_DECODE) return true;
    return (r->tick - r->polled_tick) % r->facts.engine.poll_steps == 0;
}

/* Requests that were visible when the step was decided stand in line. */
static void receive(struct orr_replica *r)
{
    if (!polls(r)) return;
    const bool overlapped = orr_decides_ahead(&r->facts.engine) && r->n_running > 0;
    const double decided_s = overlapped ? r->decide_s : r->now_s;
    while (r->coming.n > 0 && r->coming.items[0].key <= decided_s) {
        const int32_t slot = r->coming.items[0].slot;
        orr_queue_pop(&r->coming);
        if (!r->sequences[slot].complete) r->waiting_tokens += r->sequences[slot].prompt;
        orr_stand_in_line(r, slot, false);
    }
}

static void pass_decodes(struct orr_replica *r, const struct orr_line *line, int64_t steps, double time_s)
{
    const double start_s = r->now_s, end_s = start_s + time_s;
    const struct orr_step_record record = {.start_s = start_s,
                                           .end_s = end_s,
                                           .steps = steps,
                                           .decodes = r->n_decoding,
                                           .waiting = (int64_t)r->waiting.n,
                                           .kv_used_frac = 1 - (double)orr_free_blocks(r) / (double)r->total_blocks};
    account(r, &record);
    deliver(r, end_s, steps, r->n_decoding);
    r->decide_s = end_s - (line->first_s + line->slope_s * (double)(steps - 1));
    /* Eq. 197: TGI's router counts the steps since the last prompt, others those that a prompt has waited. */
    r->held_steps += r->waiting.n > 0 || r->facts.engine.scheduler == ORR_SCHEDULER_TGI ? steps : 0;
    r->now_s = end_s;
    pass_ticks(r, steps, start_s, line->first_s, end_s);
    end_answers(r);
}

/* Adapters and caches are moved between host and GPU while everybody waits. */
static void pass_pause(struct orr_replica *r)
{
    r->sums.busy_s += r->pause_s;
    r->sums.running_s += r->pause_s * (double)r->n_running;
    r->sums.decoding_s += r->pause_s * (double)r->n_decoding;
    r->sums.used_block_s += r->pause_s * (double)(r->total_blocks - orr_free_blocks(r));
    r->now_s += r->pause_s;
    r->pause_s = 0;
}

struct orr_turn orr_turn_of(struct orr_replica *r)
{
    struct orr_turn turn = {.kind = ORR_TURN_IDLE};
    orr_make_room(r);
    receive(r);
    orr_form_step(r);
    if (r->pause_s > 0) pass_pause(r);
    if (r->n_chunks > 0) {
        turn.kind = ORR_TURN_MIXED;
        turn.mixed = mixed_of(r);
        turn.line.first_s = orr_steps_mixed(r->table, &turn.mixed);
    } else if (r->n_decoding > 0) {
        const double context = r->contexts / (double)r->n_decoding;
        turn.kind = ORR_TURN_DECODE;
        turn.line = orr_steps_decode(r->table, r->n_decoding, context, r->facts.tokens_per_step);
    }
    if (turn.kind != ORR_TURN_IDLE) turn.line.first_s += orr_adapter_step_s(r);
    return turn;
}

void orr_turn_pass(struct orr_replica *r, const struct orr_turn *turn, int64_t steps, double time_s)
{
    r->after_prompts = turn->kind == ORR_TURN_MIXED;
    switch (turn->kind) {
    case ORR_TURN_MIXED: pass_mixed(r, &turn->mixed, time_s); break;
    case ORR_TURN_DECODE: pass_decodes(r, &turn->line, steps, time_s); break;
    case ORR_TURN_IDLE: r->now_s += time_s; break;
    }
}

/* ---------------------------------------------------------------- the loop */

double orr_replica_next_s(const struct orr_replica *r)
{
    if (r->blocked) return HUGE_VAL;
    if (r->n_running > 0 || r->waiting.n > 0) return r->now_s;
    return r->coming.n > 0 ? orr_max(r->now_s, r->coming.items[0].key) : HUGE_VAL;
}

void orr_replica_run(struct orr_replica *r, double until_s)
{
    r->paused = false;
    while (!r->failed && !r->halted && !r->paused) {
        const double next_s = orr_replica_next_s(r);
        if (next_s >= until_s || next_s == HUGE_VAL) return;
        r->now_s = next_s;
        const struct orr_turn turn = orr_turn_of(r);
        if (r->failed) return; /* a sequence that was admitted has no end in the queue */
        if (turn.kind == ORR_TURN_IDLE) {
            /* Nobody runs and the first in line is not admitted: caches that are being sent take the room. */
            r->blocked = true;
            return;
        }
        if (turn.kind == ORR_TURN_MIXED) orr_turn_pass(r, &turn, 1, turn.line.first_s);
        else {
            const int64_t steps = orr_turn_steps(r, &turn.line, until_s);
            orr_turn_pass(r, &turn, steps, orr_line_sum_s(&turn.line, (double)steps));
        }
    }
}

/* ---------------------------------------------------------------- questions */

void orr_replica_stop(struct orr_replica *r)
{
    r->halted = true;
}

void orr_replica_pause(struct orr_replica *r)
{
    r->paused = true;
}

bool orr_replica_failed(const struct orr_replica *r)
{
    return r->failed;
}

struct orr_replica_load orr_replica_load_of(const struct orr_replica *r)
{
    return (struct orr_replica_load){.requests = r->n_sequences,
                                     .waiting = (int64_t)(r->waiting.n + r->coming.n),
                                     .tokens_left = r->tokens_left,
                                     .kv_used_frac = 1 - (double)orr_free_blocks(r) / (double)r->total_blocks};
}

const struct orr_replica_sums *orr_replica_sums_of(const struct orr_replica *r)
{
    return &r->sums;
}

struct orr_sketch *orr_replica_itl(struct orr_replica *r)
{
    return &r->sums.itl;
}

void orr_replica_forget(struct orr_replica *r)
{
    orr_sketch_close(&r->sums.itl);
    memset(&r->sums, 0, sizeof r->sums);
    orr_sketch_open(&r->sums.itl, false);
}

int64_t orr_replica_blocks(const struct orr_replica *r, int64_t *n_free)
{
    *n_free = orr_free_blocks(r);
    return r->total_blocks;
}
