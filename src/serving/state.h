/* The inside of a replica, shared by the files that run it: queues.c keeps order, admission.c forms steps, replica.c
 * lets time pass. */
#ifndef ORR_SERVING_STATE_H
#define ORR_SERVING_STATE_H

#include "serving/prefix.h"
#include "serving/replica.h"

enum { ORR_NOBODY = -1 };

/* A request inside the replica. */
struct orr_sequence {
    struct orr_ask ask;
    double visible_s, start_s, first_s;
    int64_t prompt;   /* tokens to compute before the next output token: the input, and outputs that were lost */
    int64_t computed; /* of these, in the cache */
    int64_t cached;   /* of the input, found in the cache */
    int64_t made;     /* output tokens when it last joined the decoding sequences */
    int64_t join_tick;
    int64_t blocks; /* of its prompt, or all that it may need */
    int64_t preemptions;
    double transfer_s;     /* of its cache from another pool */
    int32_t prefix;        /* beginning in the cache that it uses; ORR_NOBODY */
    int32_t before, after; /* in the list of running sequences */
    uint32_t turn;         /* changes whenever it stops decoding, so that old places in the queue of ends are void */
    uint32_t batch;        /* the batch of texts that it became tokens with */
    bool decoding;
    bool complete; /* it comes with its whole cache and joins the decoding sequences without a prompt */
    bool swapped;  /* its cache is in the memory of the host */
};

/* A place in one of the two queues by time: ends of answers by tick, requests on their way by visible time. */
struct orr_due {
    double key;
    int64_t order; /* breaks ties */
    int32_t slot;
    uint32_t turn;
};
struct orr_queue {
    struct orr_due *items;
    size_t n, room;
};
bool orr_queue_push(struct orr_queue *queue, struct orr_due due); /* false: out of memory */
void orr_queue_pop(struct orr_queue *queue);
void orr_queue_delay(struct orr_queue *queue, size_t i, double key); /* item i is due later */

/* The batch of texts that one thread makes tokens of, or made last (Eq. 364). */
struct orr_texts {
    double open_s, end_s; /* of the batch: when the thread took its first text, and when all are tokens */
    int64_t n;
    uint32_t batch;
};

/* Requests in the order of service; those that were interrupted go first again. */
struct orr_line_up {
    int32_t *slots;
    size_t first, n, room; /* room is a power of two */
};
bool orr_line_push(struct orr_line_up *line, int32_t slot, bool in_front); /* false: out of memory */
int32_t orr_line_pop(struct orr_line_up *line);
static inline int32_t orr_line_at(const struct orr_line_up *line, size_t i)
{
    return line->slots[(line->first + i) & (line->room - 1)];
}

struct orr_chunk {
    int32_t slot;
    int64_t tokens;
};

/* LoRA adapters that are loaded; those without users are given up, the longest unused first. */
struct orr_adapter_slot {
    int64_t id, users, last_use;
};
enum { ORR_ADAPTER_SLOTS = 1024 };

struct orr_replica {
    struct orr_replica_facts facts;
    struct orr_adapter_slot *adapters;
    int64_t n_adapters, n_active_adapters, adapter_uses;
    double pause_s; /* for adapters and caches that are moved before the next step */
    struct orr_steps *table;
    struct orr_sink sink;
    /* what kind of scheduler it is */
    bool mixes;           /* prompts and decoding sequences share a step */
    bool reserves;        /* blocks of the whole answer are taken at admission */
    bool by_ratio;        /* admission by expected outputs */
    int64_t budget;       /* tokens of a step */
    int64_t block, cycle; /* tokens of a block, and decode steps that fill one */
    int64_t total_blocks, free_blocks;
    struct orr_prefixes prefixes;
    /* sequences */
    struct orr_sequence *sequences;
    int32_t n_sequences, room, free_slot; /* free ones are chained by `after` */
    struct orr_queue coming, ends;
    struct orr_line_up waiting, begun; /* begun: admitted prompts that are not complete */
    size_t n_urgent;                   /* the first so many of those that wait */
    int32_t oldest, newest;            /* running sequences in the order of admission */
    int64_t n_running, n_decoding;
    double contexts;    /* of the decoding sequences in their next step, new token included */
    int64_t *growing;   /* decoding sequences by the tick, modulo cycle, at which they need another block */
    double outstanding; /* tokens that running sequences may still make */
    double ratio;       /* share of them that admission counts */
    int64_t waiting_tokens, held_steps;
    double tokens_left;
    /* time */
    double now_s, decide_s, out_s, front_s, tick_s;
    struct orr_texts texts;
    int64_t tick;        /* decode steps so far */
    int64_t polled_tick; /* the tick from which polls are counted: that of the last prompt step */
    bool after_prompts;  /* the last step had prompts */
    struct orr_chunk *chunks;
    size_t n_chunks, chunk_room;
    double fresh; /* outputs of the prompts that were admitted for this step */
    bool stopped; /* the last look for room stopped a sequence, so nobody is admitted */
    bool failed, halted, paused;
    bool blocked; /* nobody runs and the first in line has no room until a cache is sent */
    struct orr_replica_sums sums;
};

/* ---------------------------------------------------------------- queues.c */

/* A slot for a request. ORR_NOBODY: the request is longer than the cache and counted as refused, or memory ran out and
 * the replica has failed. */
int32_t orr_slot_for(struct orr_replica *r, const struct orr_ask *ask);
void orr_slot_give(struct orr_replica *r, int32_t slot);
void orr_running_add(struct orr_replica *r, int32_t slot);
void orr_running_remove(struct orr_replica *r, int32_t slot);

/* ---------------------------------------------------------------- admission.c */

/* Tokens that a sequence may still make, as admission counts them. */
double orr_expected(const struct orr_sequence *s);
/* Eq. 196b: the share of outstanding outputs that admission counts after so many decode steps. */
double orr_ratio_after(const struct orr_replica *r, double steps);
/* Chooses the prompt chunks of the next step; chunks stay empty where only decoding sequences run. */
void orr_form_step(struct orr_replica *r);
/* Most decode steps until admission should be tried again although nothing happens; 0: no limit. */
int64_t orr_retry_steps(const struct orr_replica *r);
/* Can a request that becomes visible change what the next steps do? */
bool orr_may_admit(const struct orr_replica *r);
/* Blocks that are free or can be made so without stopping anybody. */
static inline int64_t orr_free_blocks(const struct orr_replica *r)
{
    return r->free_blocks + r->prefixes.idle_blocks;
}
/* Keeps the beginning of a complete prompt for others. */
void orr_keep_prefix(struct orr_replica *r, int32_t slot);
/* Makes room for the next token of every decoding sequence; stops sequences if it has to. */
void orr_make_room(struct orr_replica *r);
/* Decode steps for which the free blocks last. */
int64_t orr_steps_of_blocks(const struct orr_replica *r, int64_t most);
/* Takes the blocks of so many decode steps. */
void orr_take_blocks(struct orr_replica *r, int64_t steps);

/* ---------------------------------------------------------------- adapters.c */

struct orr_adapter_facts orr_adapter_facts_of(const struct orr_job *job, const struct orr_traffic *traffic);
/* Puts the first request of the line whose adapter is loaded, or can be, in front; false: there is none. */
bool orr_adapter_next(struct orr_replica *r);
void orr_adapter_use(struct orr_replica *r, int64_t id);
void orr_adapter_leave(struct orr_replica *r, int64_t id);
/* What steps take longer for the adapters of the running sequences. */
static inline double orr_adapter_step_s(const struct orr_replica *r)
{
    const struct orr_adapter_facts *a = &r->facts.adapters;
    return r->n_active_adapters > 0 ? a->step_s + (double)r->n_active_adapters * a->adapter_s : 0;
}

/* ---------------------------------------------------------------- replica.c */

/* The next step of a replica before its time is known to all who wait for it. */
struct orr_turn {
    enum { ORR_TURN_IDLE, ORR_TURN_MIXED, ORR_TURN_DECODE } kind;
    struct orr_mixed mixed; /* MIXED */
    struct orr_line line;   /* DECODE: times of decode steps from here on. MIXED: first_s is that of the step */
};
/* Forms the step that begins at now_s. */
struct orr_turn orr_turn_of(struct orr_replica *r);
/* The steps that can run before something else must be looked at, if they take as long as the line says. */
int64_t orr_turn_steps(struct orr_replica *r, const struct orr_line *line, double until_s);
/* Lets so many steps pass, which take time_s in all. */
void orr_turn_pass(struct orr_replica *r, const struct orr_turn *turn, int64_t steps, double time_s);
double orr_line_sum_s(const struct orr_line *line, double steps);

/* Lets a sequence whose prompt is complete decode from the next tick on. */
void orr_join(struct orr_replica *r, int32_t slot);
/* Puts a request into the line: urgent ones before all others. `first`: before its equals, as after an interruption. */
void orr_stand_in_line(struct orr_replica *r, int32_t slot, bool first);
/* Ends the decoding of a sequence at the current tick; its blocks are counted as its own. */
void orr_leave(struct orr_replica *r, int32_t slot);
/* Gives the blocks of a running sequence back and takes it from the list. */
void orr_release(struct orr_replica *r, int32_t slot);

#endif
