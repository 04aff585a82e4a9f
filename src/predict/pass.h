/* A pass takes a batch once through the model: its operators are emitted, priced, and added up at the clock they settle
 * at. The prompt, a chunk of it, a decode step and a mixed step are the same pass with other shapes; orr_infer and
 * orr_step_time both take their times from here. */
#ifndef ORR_PREDICT_PASS_H
#define ORR_PREDICT_PASS_H

#include "memory/memory.h"
#include "ops/serve.h"
#include "predict/ledger.h"
#include "schedule/schedule.h"

/* Engines launch a prompt this short kernel by kernel, even where they replay a captured graph for decoding. */
#define ORR_SHORT_PREFILL_TOKENS 512

/* A flow says how a batch goes through the pipeline: in one piece, or cut so that every stage has work. Its times are
 * counted in passes of one piece through the whole model. */
struct orr_flow {
    double stages, pieces;
    double own;    /* passes that one stage computes itself */
    double waited; /* passes for which it waits for other stages */
};
/* `tokens` of each of the `sequences` go through at once: the whole prompt, or one token. */
struct orr_flow orr_prompt_flow(const struct orr_job *job, int64_t sequences, int64_t tokens);
struct orr_flow orr_running_flow(const struct orr_job *job, int64_t sequences, int64_t tokens);
struct orr_flow orr_decode_flow(const struct orr_job *job, int64_t sequences);

/* The kind of work is the part of the latency an operator's time belongs to, in either phase. */
enum orr_work_kind { ORR_WORK_GEMM, ORR_WORK_ATTENTION, ORR_WORK_POINTWISE, ORR_WORK_NETWORK, ORR_N_WORK_KINDS };
enum orr_work_kind orr_work_kind_of(enum orr_op_kind kind);

/* These are the sums over the operators of one pass. */
struct orr_pass {
    size_t first, end;               /* range of its operators in the list */
    double clock_frac;               /* settled clock over the burst clock */
    double work_s[ORR_N_WORK_KINDS]; /* seconds of the whole model, on one rank of each stage */
    double busy_s;                   /* sum of work_s */
    double bound_s[ORR_N_BOUNDS];    /* busy_s by the resource that binds */
    double launches;                 /* kernels the host launches */
    double gap_s;                    /* idle time between kernels */
    double launch_s;                 /* what the host needs to launch them; 0 for a graph */
    double host_s;                   /* time added by a host that launches slower than the GPU runs (Eq. 126) */
    double light_s;                  /* bound: no pass with this work is faster */
    struct orr_work work;
};
double orr_pass_total_s(const struct orr_pass *pass);

/* Returns the seconds of a collective or kernel at a clock, less what other work hides. */
double orr_pass_op_s(const struct orr_op *op, const struct orr_cost *cost, double clock_frac);
/* Returns the rows that a rank multiplies in a pass. */
double orr_shape_rows(const struct orr_job *job, const struct orr_serve_shape *shape);
/* Returns the idle time between the kernels of a pass of `rows` rows. */
double orr_gap_s(const struct orr_job *job, bool prompt_only, double rows, double launches);
/* Eq. 380: returns the share of the rows of a prompt whose time is the least that the whole takes; 1: of all of them,
 * because no wait gets shorter. orr_shape_part is that share of a pass. */
double orr_short_frac(const struct orr_job *job, bool prompt_only, double rows);
struct orr_serve_shape orr_shape_part(const struct orr_job *job, const struct orr_serve_shape *shape, double frac);
/* Returns how many sequences a graph of one shape decodes where a step has so many (Eq. 374). */
int64_t orr_compiled_sequences(const struct orr_job *job, int64_t sequences);
/* Returns the pass of one prompt in such a graph. */
struct orr_serve_shape orr_compiled_prompt(const struct orr_job *job, double tokens);
/* Returns the pauses of a decode pass whose graphs are pieces that end at so many attentions (Eq. 241). */
double orr_pieces_s(const struct orr_job *job, const struct orr_serve_shape *shape, double attentions);
/* Returns the host time that a step adds to its pass of `pass_s`, whose kernels the host launches in `launched_s`:
 * scheduling, inputs, sampling and detokenising. */
double orr_sampling_s(const struct orr_job *job, double sequences, double pass_s, double launched_s);
/* Returns the host seconds of a pass whose operators need `launched_s`: none where a graph is replayed. */
double orr_pass_host_s(const struct orr_job *job, const struct orr_serve_shape *shape, double launched_s);
/* orr_send_op is one activation of `rows` rows to the next stage; a pass through all stages needs pp - 1 of them. */
struct orr_op orr_send_op(const struct orr_job *job, double rows);
double orr_sends_s(const struct orr_job *job, double rows);

/* Eqs. 95, 320: seconds in which a GPU of the prefill pool sends its part of the cache of a prompt over a link that is
 * free, the pieces in which it is sent, and the seconds that are left when the prompt, which took prefill_s, is
 * computed. */
double orr_handoff_s(const struct orr_job *job, const struct orr_stage *stages, double length);
double orr_handoff_pieces(const struct orr_job *job, double length, double chunk_tokens);
/* Tokens of a chunk where the engine cuts prompts that do not fit into a step; 0: it does not. */
double orr_step_chunk_tokens(const struct orr_job *job);
double orr_handoff_left_s(double pieces, double all_s, double prefill_s);

/* Emits and prices the operators of one pass from list->n on; returns the index of the first. */
size_t orr_pass_emit(const struct orr_job *job, const struct orr_model *model, const struct orr_serve_shape *shape,
                     enum orr_phase phase, struct orr_op_list *list, struct orr_cost *costs);
/* Does the same for the tower over the images, sound or text of so many sequences. */
size_t orr_pass_emit_tower(const struct orr_job *job, double sequences, struct orr_op_list *list,
                           struct orr_cost *costs);
/* Adds up the operators of a pass from `first` on, at the clock their load settles at. Kernels and gaps take at least
 * least_s (Eq. 380). `bends` is working memory. */
struct orr_pass orr_pass_settle(const struct orr_job *job, const struct orr_serve_shape *shape,
                                const struct orr_op_list *list, const struct orr_cost *costs, size_t first,
                                double least_s, struct orr_bend *bends);
/* Does all of this for one pass, whose operators are appended to the list. */
struct orr_pass orr_pass_price(const struct orr_job *job, const struct orr_model *model,
                               const struct orr_serve_shape *shape, enum orr_phase phase, struct orr_op_list *list,
                               struct orr_cost *costs, struct orr_bend *bends);

#endif
