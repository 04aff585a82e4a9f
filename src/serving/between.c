/* This file takes requests in and out of a replica other than by serving them: caches that come from another pool or
 * have been sent to one, and a replica that stops. */
#include "base/number.h"
#include "serving/state.h"

#include <stdlib.h>
#include <string.h>

/* Eq. 278: where the decode pool hears of a request only now, it is handled a second time, as tokens. */
static double heard_s(struct orr_replica *r, double time_s)
{
    const struct orr_engine *e = &r->facts.engine;
    if (!e->decode_after_prefill) return time_s;
    r->front_s = orr_max(time_s, r->front_s) + e->frontend_s_per_request / r->facts.host_speed;
    return r->front_s + e->frontend_s / r->facts.host_speed + r->facts.request_s;
}

bool orr_replica_receive(struct orr_replica *r, const struct orr_handover *h, double time_s)
{
    const int32_t slot = orr_slot_for(r, &h->ask);
    if (slot == ORR_NOBODY) return false;
    struct orr_sequence *s = &r->sequences[slot];
    const uint32_t turn = s->turn;
    *s = (struct orr_sequence){.ask = h->ask,
                               .visible_s = h->visible_s,
                               .start_s = h->start_s,
                               .first_s = h->first_s,
                               .prompt = h->ask.input_len,
                               .computed = h->ask.input_len,
                               .cached = h->cached,
                               .made = 1,
                               .preemptions = h->preemptions,
                               .transfer_s = h->first_s - h->ready_s,
                               .prefix = ORR_NOBODY,
                               .turn = turn,
                               .complete = true};
    r->tokens_left += (double)(h->ask.output_len - 1);
    const struct orr_due due = {.key = heard_s(r, time_s), .order = h->ask.id, .slot = slot};
    if (!orr_queue_push(&r->coming, due)) r->failed = true;
    return !r->failed;
}

void orr_replica_sent(struct orr_replica *r, int32_t slot, double time_s)
{
    struct orr_sequence *s = &r->sequences[slot];
    r->free_blocks += s->blocks;
    s->blocks = 0;
    if (s->prefix != ORR_NOBODY) orr_prefix_leave(&r->prefixes, s->prefix);
    orr_slot_give(r, slot);
    if (!r->blocked) return;
    r->blocked = false;
    r->now_s = orr_max(r->now_s, time_s);
}

void orr_replica_crash(struct orr_replica *r, double time_s, void (*again)(void *context, const struct orr_ask *),
                       void *context)
{
    for (size_t i = 0; i < r->coming.n; i++) again(context, &r->sequences[r->coming.items[i].slot].ask);
    for (size_t i = 0; i < r->waiting.n; i++) again(context, &r->sequences[orr_line_at(&r->waiting, i)].ask);
    for (int32_t slot = r->oldest; slot != ORR_NOBODY; slot = r->sequences[slot].after)
        again(context, &r->sequences[slot].ask);
    free(r->sequences);
    r->sequences = NULL;
    r->n_sequences = r->room = 0;
    r->free_slot = r->oldest = r->newest = ORR_NOBODY;
    r->coming.n = r->ends.n = r->waiting.n = r->begun.n = r->n_urgent = 0;
    r->n_running = r->n_decoding = r->waiting_tokens = r->held_steps = 0;
    r->contexts = r->outstanding = r->tokens_left = r->fresh = 0;
    r->ratio = r->facts.engine.admit_frac;
    memset(r->growing, 0, (size_t)r->cycle * sizeof *r->growing);
    orr_prefixes_close(&r->prefixes);
    r->free_blocks = r->total_blocks;
    r->blocked = r->stopped = false;
    r->n_adapters = r->n_active_adapters = 0;
    r->pause_s = 0;
    r->n_chunks = 0;
    r->now_s = r->decide_s = orr_max(r->now_s, time_s);
    r->front_s = orr_max(r->front_s, time_s);
}

bool orr_replica_holds(const struct orr_replica *r, uint64_t prefix)
{
    return prefix > 0 && orr_prefix_find(&r->prefixes, prefix) != ORR_NOBODY;
}
