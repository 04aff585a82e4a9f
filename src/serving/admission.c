/* This file has the rules by which schedulers form a step: who is admitted, which prompts are read, who gives way when
 * the cache is full. Eqs. 194-198. */
#include "base/number.h"
#include "serving/state.h"

#include <math.h>
#include <stdlib.h>

/* SGLang counts at most so many outstanding tokens of one request (SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION). */
#define COUNTED_OUTPUT 4096
/* A retraction resets its ratio as if every sequence went on for so many steps (SGLANG_RETRACT_DECODE_STEPS). */
#define RETRACT_STEPS 20
/* Decode steps after which admission by a falling ratio is tried again at the latest. */
#define RETRY_STEPS 1024

/* Tokens that a sequence may still make, as admission counts them. */
double orr_expected(const struct orr_sequence *s)
{
    return orr_max(0, orr_min((double)s->ask.max_output_len, COUNTED_OUTPUT) - (double)s->made);
}

/* Gives up beginnings that nobody uses until so many blocks are free. */
static void free_up(struct orr_replica *r, int64_t blocks)
{
    while (r->free_blocks < blocks && r->prefixes.oldest != ORR_NOBODY)
        r->free_blocks += orr_prefix_evict(&r->prefixes);
}

static int64_t blocks_of(const struct orr_replica *r, int64_t tokens)
{
    return (tokens + r->block - 1) / r->block;
}

/* Eq. 198: sequences that need a block in the tick after `steps` more. */
static int64_t growing_at(const struct orr_replica *r, int64_t steps)
{
    return r->growing[(r->tick + steps) % r->cycle];
}

/* ---------------------------------------------------------------- admission */

/* Eqs. 194, 195: blocks of the prompt, above a watermark where others run; or of prompt and whole answer. */
static bool fits(const struct orr_replica *r, const struct orr_sequence *s, int64_t blocks)
{
    const bool alone = r->n_running == 0;
    const int64_t free = orr_free_blocks(r);
    if (blocks > free - (r->reserves ? 0 : growing_at(r, 0))) return false;
    if (alone || r->reserves) return true;
    if (r->by_ratio) { /* Eq. 196 */
        const double promised = r->ratio * (r->outstanding - r->fresh) + r->fresh;
        return (double)s->prompt + orr_expected(s) < (double)(free * r->block) - promised;
    }
    return (double)(free - blocks) >= r->facts.engine.watermark_frac * (double)r->total_blocks;
}

static int64_t needed_blocks(const struct orr_replica *r, const struct orr_sequence *s)
{
    return blocks_of(r, r->reserves ? s->ask.input_len + s->ask.max_output_len : s->prompt);
}

/* Eq. 224: whole blocks of the beginning that are in the cache; at least one token is always computed. */
static int64_t found_blocks(const struct orr_replica *r, const struct orr_sequence *s, int32_t place)
{
    if (place == ORR_NOBODY) return 0;
    const int64_t shared = (s->ask.prefix_len < s->prompt ? s->ask.prefix_len : s->prompt - 1) / r->block;
    const int64_t kept = r->prefixes.items[place].blocks;
    return shared < kept ? shared : kept;
}

static int32_t prefix_of(const struct orr_replica *r, const struct orr_sequence *s)
{
    const bool may = r->facts.engine.prefix_cache && s->ask.prefix > 0 && s->ask.prefix_len >= r->block;
    return may ? orr_prefix_find(&r->prefixes, s->ask.prefix) : ORR_NOBODY;
}

void orr_keep_prefix(struct orr_replica *r, int32_t slot)
{
    struct orr_sequence *s = &r->sequences[slot];
    if (!r->facts.engine.prefix_cache || s->ask.prefix == 0 || s->ask.prefix_len < r->block) return;
    int32_t place = orr_prefix_find(&r->prefixes, s->ask.prefix);
    if (place == ORR_NOBODY) {
        place = orr_prefix_add(&r->prefixes, s->ask.prefix);
        if (place == ORR_NOBODY) return; /* without memory it is not kept */
        s->prefix = place;
    } else if (s->prefix == ORR_NOBODY) {
        orr_prefix_use(&r->prefixes, place);
        s->prefix = place;
    }
    const int64_t shared = (s->ask.prefix_len < s->ask.input_len ? s->ask.prefix_len : s->ask.input_len) / r->block;
    const int64_t more = shared - r->prefixes.items[place].blocks;
    if (more <= 0) return;
    r->prefixes.items[place].blocks += more;
    s->blocks -= more;
}

/* Admits the first request of the line if there is a place and room for it. */
static bool admit(struct orr_replica *r)
{
    const int32_t slot = orr_line_at(&r->waiting, 0);
    struct orr_sequence *s = &r->sequences[slot];
    const bool received = s->complete && !s->swapped;
    const int32_t place = s->complete ? ORR_NOBODY : prefix_of(r, s);
    const int64_t found = found_blocks(r, s, place), blocks = needed_blocks(r, s) - found;
    if (r->n_running >= r->facts.engine.max_requests) return false;
    if (place != ORR_NOBODY) orr_prefix_use(&r->prefixes, place); /* so that it is not given up for this request */
    if (!fits(r, s, blocks)) {
        if (place != ORR_NOBODY) orr_prefix_leave(&r->prefixes, place);
        return false;
    }
    (void)orr_line_pop(&r->waiting);
    if (s->ask.urgent) r->n_urgent--;
    if (!s->complete) r->waiting_tokens -= s->prompt;
    s->prefix = place;
    s->computed = s->complete ? s->prompt : found * r->block;
    if (s->start_s < 0) s->cached = s->computed;
    if (!s->complete) r->sums.cached_tokens += s->computed;
    s->blocks = blocks;
    orr_adapter_use(r, s->ask.adapter);
    if (s->swapped) r->pause_s += (double)s->prompt * r->facts.swap_s_per_token;
    s->swapped = false;
    free_up(r, blocks);
    r->free_blocks -= blocks;
    r->outstanding += orr_expected(s);
    r->fresh += orr_expected(s);
    if (s->start_s < 0) s->start_s = r->now_s;
    if (received) s->first_s = orr_max(s->first_s, r->now_s); /* Eq. 277 */
    orr_running_add(r, slot);
    if (s->complete) orr_join(r, slot);
    else if (!orr_line_push(&r->begun, slot, false)) r->failed = true;
    return true;
}

/* ---------------------------------------------------------------- chunks */

static bool add_chunk(struct orr_replica *r, int32_t slot, int64_t tokens)
{
    if (r->n_chunks == r->chunk_room) {
        const size_t room = r->chunk_room ? 2 * r->chunk_room : 64;
        struct orr_chunk *chunks = realloc(r->chunks, room * sizeof *chunks);
        if (!chunks) return false;
        r->chunks = chunks;
        r->chunk_room = room;
    }
    r->chunks[r->n_chunks++] = (struct orr_chunk){slot, tokens};
    return true;
}

/* Eq. 197: while sequences decode, engines hold prompts back until enough have come or enough steps have passed. */
static bool held(const struct orr_replica *r)
{
    const struct orr_engine *e = &r->facts.engine;
    if (e->batch_wait_steps <= 0 || r->n_decoding == 0 || r->held_steps >= e->batch_wait_steps) return false;
    if (e->batch_wait_tokens_frac > 0 && (double)r->waiting_tokens >= e->batch_wait_tokens_frac * (double)r->budget)
        return false;
    return e->batch_wait_sequences_frac <= 0 ||
           (double)r->waiting.n < floor(e->batch_wait_sequences_frac * (double)r->n_decoding);
}

/* The tokens of a prompt that the step still takes: what is left of the budget where prompts are cut, else all of them
 * or none. A prompt longer than the budget goes alone where prompts are not cut. */
static int64_t chunk_of(const struct orr_replica *r, int64_t wanted, int64_t left)
{
    if (wanted <= left) return wanted;
    if (r->facts.engine.chunked_prefill) return left;
    return r->n_chunks == 0 ? wanted : 0;
}

void orr_form_step(struct orr_replica *r)
{
    int64_t left = r->budget - (r->mixes ? r->n_decoding * r->facts.queries : 0);
    r->n_chunks = 0;
    r->fresh = 0;
    for (size_t i = 0; i < r->begun.n; i++) {
        const int32_t slot = orr_line_at(&r->begun, i);
        const int64_t tokens = chunk_of(r, r->sequences[slot].prompt - r->sequences[slot].computed, left);
        if (tokens <= 0) return;
        if (!add_chunk(r, slot, tokens)) r->failed = true;
        left -= tokens;
    }
    if (r->waiting.n == 0 || r->stopped || held(r)) return;
    while (r->waiting.n > 0 && !r->failed && orr_adapter_next(r)) {
        const struct orr_sequence *s = &r->sequences[orr_line_at(&r->waiting, 0)];
        if (s->complete) { /* a cache from a prefill pool */
            if (!admit(r)) break;
            left -= r->mixes ? r->facts.queries : 0;
            continue;
        }
        const int64_t found = found_blocks(r, s, prefix_of(r, s)) * r->block;
        const int64_t tokens = chunk_of(r, s->prompt - found, left);
        if (tokens <= 0 || !admit(r) || r->failed) break;
        if (!add_chunk(r, orr_line_at(&r->begun, r->begun.n - 1), tokens)) r->failed = true;
        left -= tokens;
    }
    if (r->n_chunks > 0) r->held_steps = r->facts.engine.scheduler == ORR_SCHEDULER_TGI ? 1 : 0; /* its first token */
}

double orr_ratio_after(const struct orr_replica *r, double steps)
{
    const struct orr_engine *e = &r->facts.engine;
    const double fall = (e->admit_frac - e->admit_least_frac) / orr_max(1, (double)e->admit_steps);
    return orr_max(orr_min(r->ratio, e->admit_least_frac), r->ratio - fall * steps);
}

/* The first decode step after which Eq. 196 admits the first of the line: the ratio falls, outputs come nearer to their
 * ends, and blocks are taken. */
static int64_t ratio_steps(const struct orr_replica *r)
{
    const struct orr_sequence *s = &r->sequences[orr_line_at(&r->waiting, 0)];
    const double wanted = (double)s->prompt + orr_expected(s), n = (double)r->n_decoding * r->facts.tokens_per_step;
    int64_t blocks = orr_free_blocks(r);
    if (r->n_running >= r->facts.engine.max_requests) return RETRY_STEPS;
    for (int64_t k = 1; k < RETRY_STEPS; k++) {
        blocks -= growing_at(r, k - 1);
        const double promised = orr_ratio_after(r, (double)k) * orr_max(0, r->outstanding - n * (double)k);
        if (wanted < (double)(blocks * r->block) - promised) return k;
    }
    return RETRY_STEPS;
}

int64_t orr_retry_steps(const struct orr_replica *r)
{
    if (r->waiting.n == 0) return 0;
    if (held(r)) return r->facts.engine.batch_wait_steps - r->held_steps;
    return r->by_ratio ? ratio_steps(r) : 0;
}

bool orr_may_admit(const struct orr_replica *r)
{
    if (r->n_running >= r->facts.engine.max_requests) return false;
    return r->waiting.n == 0 || held(r);
}

/* ---------------------------------------------------------------- blocks */

int64_t orr_steps_of_blocks(const struct orr_replica *r, int64_t most)
{
    const int64_t free = orr_free_blocks(r);
    if (r->reserves || free >= r->n_decoding * (most / r->cycle + 1)) return most;
    int64_t left = free, steps = 0;
    const int64_t turns = r->n_decoding > 0 ? left / r->n_decoding : 0; /* every cycle takes a block of each */
    if (turns > 1) {
        steps = (turns - 1) * r->cycle;
        left -= (turns - 1) * r->n_decoding;
    }
    while (steps < most && growing_at(r, steps) <= left) left -= growing_at(r, steps++);
    return steps < most ? steps : most;
}

void orr_take_blocks(struct orr_replica *r, int64_t steps)
{
    if (r->reserves) return;
    int64_t taken = steps / r->cycle * r->n_decoding;
    for (int64_t i = steps / r->cycle * r->cycle; i < steps; i++) taken += growing_at(r, i);
    free_up(r, taken);
    r->free_blocks -= taken;
}

/* The sequence that gives way: the one with fewest outputs, and of these the one with the longest prompt, or the last
 * that was admitted. */
static int32_t victim(const struct orr_replica *r)
{
    int32_t best = ORR_NOBODY;
    double least = 0;
    if (!r->by_ratio) {
        for (best = r->newest; best != ORR_NOBODY && r->sequences[best].ask.urgent;) best = r->sequences[best].before;
        return best != ORR_NOBODY ? best : r->newest;
    }
    for (int32_t slot = r->oldest; slot != ORR_NOBODY; slot = r->sequences[slot].after) {
        const struct orr_sequence *s = &r->sequences[slot];
        if (!s->decoding) continue;
        const double made = (double)(s->made + r->tick - s->join_tick) - (double)s->prompt * 1e-9;
        if (best == ORR_NOBODY || made < least) {
            best = slot;
            least = made;
        }
    }
    return best;
}

/* Eq. 196a: the ratio after a retraction. */
static void reset_ratio(struct orr_replica *r)
{
    double made = 0, most = 1;
    for (int32_t slot = r->oldest; slot != ORR_NOBODY; slot = r->sequences[slot].after) {
        const struct orr_sequence *s = &r->sequences[slot];
        made += s->decoding ? (double)(s->made + r->tick - s->join_tick) : 0;
        most += orr_min((double)s->ask.max_output_len, COUNTED_OUTPUT);
    }
    r->ratio = orr_min(1, (made + RETRACT_STEPS * (double)r->n_running) / most);
}

static void remove_begun(struct orr_replica *r, int32_t slot)
{
    const size_t n = r->begun.n;
    for (size_t i = 0; i < n; i++) {
        const int32_t other = orr_line_pop(&r->begun);
        if (other != slot) (void)orr_line_push(&r->begun, other, false);
    }
}

/* Stops a sequence, which loses its cache and computes it again later. */
static void preempt(struct orr_replica *r, int32_t slot)
{
    struct orr_sequence *s = &r->sequences[slot];
    const bool decoding = s->decoding;
    if (decoding) orr_leave(r, slot);
    else remove_begun(r, slot);
    orr_release(r, slot);
    s->preemptions++;
    r->sums.preemptions++;
    s->swapped = s->complete = decoding && r->facts.swap_s_per_token > 0;
    if (s->swapped) { /* all but the last token, which has no keys yet, are in the memory of the host */
        s->prompt = s->computed = s->ask.input_len + s->made - 1;
        r->pause_s += (double)s->prompt * r->facts.swap_s_per_token;
    } else {
        r->sums.recomputed_tokens += decoding ? s->ask.input_len + s->made : s->computed;
        s->prompt = s->ask.input_len + s->made;
        s->computed = 0;
        r->waiting_tokens += s->prompt;
    }
    orr_stand_in_line(r, slot, !r->by_ratio);
}

void orr_make_room(struct orr_replica *r)
{
    r->stopped = false;
    if (r->reserves) return;
    while (r->n_running > 1 && r->n_decoding > 0 && growing_at(r, 0) > orr_free_blocks(r)) {
        const int32_t slot = victim(r);
        if (slot == ORR_NOBODY) break;
        preempt(r, slot);
        r->stopped = true;
    }
    if (r->stopped && r->by_ratio) reset_ratio(r);
}
