/* This file keeps the times of steps at the knots of a grid and interpolates between them. Eqs. 191, 192. */
#include "serving/steps.h"

#include "base/number.h"
#include "serving/traffic.h"
#include "spec/alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of the mantissa that choose a knot: 2^bits knots an octave. */
enum { DECODE_BITS = 6, CONTEXT_BITS = 2, TOKEN_BITS = 4, KEY_BITS = 1, MIXED_BITS = 2, MIXED_CONTEXT_BITS = 1 };
enum { CONTEXT_KNOTS = 25 << CONTEXT_BITS, DECODE_ROWS = 21 << DECODE_BITS };
enum { CORNERS = 16, FIRST_SLOTS = 1 << 8, MOST_SLOTS = 1 << 17 };

/* A flag of a cell: its first coordinate counts all rows of the step, and not the prompts' tokens alone. */
enum { BY_ROWS = 1 << 4 };

/* A place on a grid: the knot below, and how far the number is on the way to the next. */
struct place {
    int64_t knot;
    double frac;
};

/* Eq. 191, for value >= 1. The bits of a double are its exponent and, below, the fraction of the octave. */
static inline struct place place_of(double value, int bits)
{
    const int shift = 52 - bits;
    uint64_t raw;
    memcpy(&raw, &value, sizeof raw);
    const uint64_t rest = raw & ((UINT64_C(1) << shift) - 1);
    return (struct place){.knot = (int64_t)(raw >> shift) - ((int64_t)1023 << bits),
                          .frac = (double)rest * (1 / (double)(UINT64_C(1) << shift))};
}

static inline double knot_value(int64_t knot, int bits)
{
    const uint64_t raw = (uint64_t)(knot + ((int64_t)1023 << bits)) << (52 - bits);
    double value;
    memcpy(&value, &raw, sizeof value);
    return value;
}

/* The corners of one cell of the grid of mixed steps. */
struct cell {
    uint64_t key; /* 0: empty */
    double corner_s[CORNERS];
};

/* The time of one corner, which up to 16 cells share. */
struct corner {
    uint64_t key; /* 0: empty */
    double time_s;
};

/* A hash table with open addressing, whose entries begin with their key. */
struct table {
    char *entries;
    size_t entry_bytes, n, n_slots, most_slots; /* slots: a power of 2 */
};

struct orr_steps {
    struct orr_step_model *model; /* NULL: priced by a function of the caller */
    orr_step_price *price;
    void *context;
    bool exact, flat;
    int64_t graph_sequences, graph_multiple;
    double queries;
    double *rows[DECODE_ROWS]; /* times over the mean context; NULL: not asked for yet */
    struct table cells, corners;
};

static double model_price(void *context, const struct orr_step *step)
{
    return orr_step_time(context, step);
}

struct orr_steps *orr_steps_priced(orr_step_price *price, void *context, bool flat)
{
    struct orr_steps *steps = calloc(1, sizeof *steps);
    if (!steps) return NULL;
    steps->exact = true;
    steps->price = price;
    steps->context = context;
    steps->flat = flat;
    return steps;
}

static struct table new_table(size_t entry_bytes, size_t most_slots)
{
    return (struct table){.entries = calloc(FIRST_SLOTS, entry_bytes),
                          .entry_bytes = entry_bytes,
                          .n_slots = FIRST_SLOTS,
                          .most_slots = most_slots};
}

struct orr_steps *orr_steps_new(const struct orr_job *job, const struct orr_traffic *traffic, bool exact)
{
    struct orr_steps *steps = calloc(1, sizeof *steps);
    struct orr_job uneven = *job;
    if (!steps) return NULL;
    orr_job_share(&uneven);
    if (traffic) uneven.serving.context_cv = orr_traffic_context_cv(traffic);
    steps->exact = exact || job->engine.compiled_tokens > 0; /* prompts are counted, and every context is as long */
    steps->flat = job->engine.compiled_tokens > 0;
    steps->graph_sequences = job->engine.graph_sequences;
    steps->graph_multiple = job->engine.graph_multiple;
    steps->queries = (double)job->serving.draft_tokens + 1;
    steps->context = steps->model = orr_step_model_new(&uneven);
    steps->price = model_price;
    steps->cells = new_table(sizeof(struct cell), MOST_SLOTS);
    steps->corners = new_table(sizeof(struct corner), 4 * MOST_SLOTS);
    if (steps->model && steps->cells.entries && steps->corners.entries) return steps;
    orr_steps_free(steps);
    return NULL;
}

void orr_steps_free(struct orr_steps *steps)
{
    if (!steps) return;
    for (size_t i = 0; i < DECODE_ROWS; i++) free(steps->rows[i]);
    free(steps->cells.entries);
    free(steps->corners.entries);
    orr_step_model_free(steps->model);
    free(steps);
}

/* ---------------------------------------------------------------- decode steps */

/* Graphs are captured for 1, 2, 4 sequences and multiples of a number; dummy rows fill up the rest. */
static int64_t padding(const struct orr_steps *steps, int64_t decodes)
{
    const int64_t unit = steps->graph_multiple;
    int64_t size = 1;
    if (unit <= 0 || decodes > steps->graph_sequences) return 0;
    while (size < decodes && size < unit) size *= 2;
    if (size >= decodes) return (size < unit ? size : unit) - decodes;
    return (decodes + unit - 1) / unit * unit - decodes;
}

static double decode_s(struct orr_steps *steps, int64_t decodes, double context)
{
    const struct orr_step step = {.decode_sequences = decodes,
                                  .decode_context = (int64_t)(context * (double)decodes + 0.5),
                                  .padding_rows = padding(steps, decodes)};
    return steps->price(steps->context, &step);
}

/* The row of the times of `decodes` sequences; NULL: out of memory. */
static double *row_of(struct orr_steps *steps, int64_t knot)
{
    if (steps->rows[knot]) return steps->rows[knot];
    double *row = malloc(CONTEXT_KNOTS * sizeof *row);
    for (int i = 0; row && i < CONTEXT_KNOTS; i++) row[i] = -1;
    return steps->rows[knot] = row;
}

static double row_at(struct orr_steps *steps, int64_t knot, int64_t context_knot)
{
    double *row = row_of(steps, knot);
    if (!row) return (double)NAN;
    if (row[context_knot] < 0)
        row[context_knot] =
            decode_s(steps, (int64_t)(knot_value(knot, DECODE_BITS) + 0.5), knot_value(context_knot, CONTEXT_BITS));
    return row[context_knot];
}

/* The time at a knot of the context, straight between two numbers of sequences. */
static double across_s(struct orr_steps *steps, struct place decodes, int64_t context_knot)
{
    const double low_s = row_at(steps, decodes.knot, context_knot);
    if (decodes.frac <= 0) return low_s;
    return low_s + decodes.frac * (row_at(steps, decodes.knot + 1, context_knot) - low_s);
}

/* The value that the grid has for one beyond its ends: a prompt of less than a token, or more than any cache. */
static double within(double value, int64_t n_knots, int bits)
{
    const double last = knot_value(n_knots - 2, bits);
    return value >= 1 ? orr_min(value, last) : 1; /* 1 for what is not a number, too */
}

struct orr_line orr_steps_decode(struct orr_steps *steps, int64_t decodes, double context, double growth)
{
    if (steps->exact)
        return (struct orr_line){.first_s = decode_s(steps, decodes, context),
                                 .steps = steps->flat ? INT64_MAX / 4 : 1};
    const struct place n = place_of(within((double)decodes, DECODE_ROWS, DECODE_BITS), DECODE_BITS);
    context = within(context, CONTEXT_KNOTS, CONTEXT_BITS);
    const struct place x = place_of(context, CONTEXT_BITS);
    const double low_s = across_s(steps, n, x.knot), high_s = across_s(steps, n, x.knot + 1);
    const double from = knot_value(x.knot, CONTEXT_BITS), to = knot_value(x.knot + 1, CONTEXT_BITS);
    const double slope_s = (high_s - low_s) / (to - from);
    return (struct orr_line){.first_s = low_s + slope_s * (context - from),
                             .slope_s = slope_s * growth,
                             .steps = (int64_t)orr_ceil((to - context) / growth)};
}

/* ---------------------------------------------------------------- steps with prompts */

/* A corner of the grid as a step. Keys per token beyond half a prompt are tokens in the cache; fewer keys are those of
 * several shorter prompts. */
static double corner_s(struct orr_steps *steps, double tokens, double keys, double decodes, double context)
{
    const double prompts = orr_max(1, orr_ceil(tokens / (2 * keys))), own = tokens / (2 * prompts);
    const struct orr_step step = {.prefill_tokens = (int64_t)(tokens + 0.5),
                                  .prefill_sequences = (int64_t)prompts,
                                  .prefill_context = (int64_t)(prompts * orr_max(0, keys - own) + 0.5),
                                  .decode_sequences = (int64_t)(decodes + 0.5),
                                  .decode_context = (int64_t)(decodes * context + 0.5)};
    return steps->price(steps->context, &step);
}

/* The entry of a table that has this key, or the empty one that it would take. */
static void *entry_of(const struct table *table, uint64_t key)
{
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (table->n_slots - 1);
    for (;; slot = (slot + 1) & (table->n_slots - 1)) {
        char *entry = table->entries + slot * table->entry_bytes;
        const uint64_t held = *(const uint64_t *)(const void *)entry;
        if (held == 0 || held == key) return entry;
    }
}

/* Doubles a table; where it has its full size, or there is no memory, everything is forgotten instead. */
static void grow(struct table *table)
{
    const size_t bytes = table->entry_bytes, n = table->n_slots;
    char *old = table->entries, *entries = n < table->most_slots ? calloc(2 * n, bytes) : NULL;
    if (!entries) {
        memset(old, 0, n * bytes);
        table->n = 0;
        return;
    }
    table->entries = entries;
    table->n_slots = 2 * n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = *(const uint64_t *)(const void *)(old + i * bytes);
        if (key) memcpy(entry_of(table, key), old + i * bytes, bytes);
    }
    free(old);
}

/* Half of the slots stay empty, so that searches are short. */
static bool is_full(const struct table *table)
{
    return 2 * (table->n + 1) > table->n_slots;
}

/* The four coordinates of a corner or cell: tokens, keys, sequences (0: none), context. */
static uint64_t key_of(const int64_t at[4], unsigned flags)
{
    return UINT64_C(1) << 63 | (uint64_t)at[0] << 46 | (uint64_t)at[1] << 34 | (uint64_t)at[2] << 20 |
           (uint64_t)at[3] << 8 | flags;
}

static double known_corner_s(struct orr_steps *steps, const int64_t at[4], unsigned flags)
{
    const uint64_t key = key_of(at, flags & BY_ROWS);
    struct corner *corner = entry_of(&steps->corners, key);
    if (corner->key) return corner->time_s;
    const double decodes = at[2] > 0 ? knot_value(at[2] - 1, MIXED_BITS) : 0;
    const double others = flags & BY_ROWS ? decodes * steps->queries : 0;
    const double time_s = corner_s(steps, knot_value(at[0], TOKEN_BITS) - others, knot_value(at[1], KEY_BITS), decodes,
                                   knot_value(at[3], MIXED_CONTEXT_BITS));
    *corner = (struct corner){key, time_s};
    steps->corners.n++;
    if (is_full(&steps->corners)) grow(&steps->corners);
    return time_s;
}

/* Prices the corners of a new cell. A coordinate that lies on a knot (its bit of `flat` is set) needs one side only. */
static const struct cell *new_cell(struct orr_steps *steps, uint64_t key, const int64_t at[4], unsigned flat)
{
    struct cell cell = {.key = key};
    for (unsigned corner = 0; corner < CORNERS; corner++) {
        int64_t place[4];
        for (unsigned i = 0; i < 4; i++) place[i] = at[i] + (corner >> i & ~(flat >> i) & 1);
        cell.corner_s[corner] = known_corner_s(steps, place, flat);
    }
    if (is_full(&steps->cells)) grow(&steps->cells);
    struct cell *entry = entry_of(&steps->cells, key);
    *entry = cell;
    steps->cells.n++;
    return entry;
}

static double exact_mixed_s(struct orr_steps *steps, const struct orr_mixed *m)
{
    const struct orr_step step = {.prefill_tokens = m->tokens,
                                  .prefill_sequences = m->prompts,
                                  .prefill_context = m->cached,
                                  .decode_sequences = m->decodes,
                                  .decode_context = (int64_t)(m->context * (double)m->decodes + 0.5)};
    return steps->price(steps->context, &step);
}

/* Eq. 192: four straight lines, one inside the other. Weight products come in tiles of rows, so that their time has
 * stairs at multiples of a tile; knots lie on multiples too if they count the rows of the whole step. Where the prompts
 * are the smaller part, the table counts their tokens. */
double orr_steps_mixed(struct orr_steps *steps, const struct orr_mixed *m)
{
    if (steps->exact) return exact_mixed_s(steps, m);
    const double keys = orr_max(1, m->pairs / (double)m->tokens);
    const double others = (double)m->decodes * steps->queries;
    const bool by_rows = (double)m->tokens >= 2 * others;
    const struct place places[4] = {
        place_of((double)m->tokens + (by_rows ? others : 0), TOKEN_BITS), place_of(keys, KEY_BITS),
        m->decodes > 0 ? place_of((double)m->decodes, MIXED_BITS) : (struct place){.knot = -1},
        m->decodes > 0 ? place_of(orr_max(1, m->context), MIXED_CONTEXT_BITS) : (struct place){0}};
    const int64_t at[4] = {places[0].knot, places[1].knot, places[2].knot + 1, places[3].knot};
    unsigned flat = by_rows ? BY_ROWS : 0;
    for (unsigned i = 0; i < 4; i++) flat |= (places[i].frac <= 0 ? 1U : 0U) << i;
    const uint64_t key = key_of(at, flat);
    const struct cell *cell = entry_of(&steps->cells, key);
    if (!cell->key) cell = new_cell(steps, key, at, flat);
    double line[CORNERS / 2];
    for (unsigned i = 0; i < 8; i++)
        line[i] = cell->corner_s[2 * i] + places[0].frac * (cell->corner_s[2 * i + 1] - cell->corner_s[2 * i]);
    for (unsigned i = 0; i < 4; i++) line[i] = line[2 * i] + places[1].frac * (line[2 * i + 1] - line[2 * i]);
    for (unsigned i = 0; i < 2; i++) line[i] = line[2 * i] + places[2].frac * (line[2 * i + 1] - line[2 * i]);
    return line[0] + places[3].frac * (line[1] - line[0]);
}
