/* This file sends the cache of a prompt from the GPUs that computed it to those that decode. Eqs. 95, 320. */
#include "base/number.h"
#include "memory/serving.h"
#include "predict/pass.h"
#include "spec/job.h"

/* Eq. 95 sends the cache of the prompts over the link that leaves the domain, or over the one inside it. */
double orr_handoff_s(const struct orr_job *job, const struct orr_stage *stages, double length)
{
    const struct orr_system *system = &job->system;
    const double out =
        system->scaleout_bytes_per_s * system->scaleout_efficiency_frac / system->scaleout_oversubscription;
    return orr_kv_sequence_bytes(job, stages, length) / (out > 0 ? out : orr_send_bytes_per_s(system));
}

/* Eq. 320: pieces in which the cache of a prompt of `length` tokens leaves: layers, chunks of so many tokens (0: the
 * prompt is computed at once), or all of it. */
double orr_handoff_pieces(const struct orr_job *job, double length, double chunk_tokens)
{
    switch (job->engine.cache_sent) {
    case ORR_CACHE_SENT_LAYERS: return (double)job->model.n_layers;
    case ORR_CACHE_SENT_CHUNKS: return chunk_tokens > 0 ? orr_max(1, orr_ceil(length / chunk_tokens)) : 1;
    case ORR_CACHE_SENT_PROMPT:
    case ORR_N_CACHE_SENDS: break;
    }
    return 1;
}

double orr_step_chunk_tokens(const struct orr_job *job)
{
    return job->engine.chunked_prefill ? (double)job->engine.max_step_tokens : 0;
}

/* Earlier pieces leave while later ones are computed, so at least the last piece is seen. */
double orr_handoff_left_s(double pieces, double all_s, double prefill_s)
{
    return orr_max(all_s / pieces, all_s - prefill_s * (pieces - 1) / pieces);
}
