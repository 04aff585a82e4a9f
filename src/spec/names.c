/* Names of the closed sets, expanded from the lists of orrery.h. */
#include "spec/names.h"

#include <assert.h>
#include <stdio.h>

#define NAME(member, name, ...)  name,
#define NAME_ONLY(member, name)  name,
#define BITS(member, name, bits) bits,

const char *const orr_dtype_names[ORR_N_DTYPES] = {ORR_DTYPES(NAME)};
const char *const orr_schedule_names[ORR_N_SCHEDULES] = {ORR_SCHEDULES(NAME)};
const char *const orr_recompute_names[ORR_N_RECOMPUTES] = {ORR_RECOMPUTES(NAME)};
const char *const orr_attention_kernel_names[ORR_N_ATTENTION_KERNELS] = {ORR_ATTENTION_KERNELS(NAME)};
const char *const orr_cp_kind_names[ORR_N_CP_KINDS] = {ORR_CP_KINDS(NAME)};
const char *const orr_collective_names[ORR_N_COLLECTIVES] = {ORR_COLLECTIVES(NAME_ONLY)};
const char *const orr_algorithm_names[ORR_N_ALGORITHMS] = {ORR_ALGORITHMS(NAME)};
const char *const orr_budget_names[ORR_N_BUDGETS] = {ORR_BUDGETS(NAME)};
const char *const orr_decode_kernel_names[ORR_N_DECODE_KERNELS] = {ORR_DECODE_KERNELS(NAME)};

static const char *const TIME_PART_NAMES[ORR_N_TIME_PARTS] = {ORR_TIME_PARTS(NAME)};
static const char *const MEMORY_PART_NAMES[ORR_N_MEMORY_PARTS] = {ORR_MEMORY_PARTS(NAME)};
static const char *const INFER_PART_NAMES[ORR_N_INFER_PARTS] = {ORR_INFER_PARTS(NAME)};
static const char *const SERVE_MEMORY_PART_NAMES[ORR_N_SERVE_MEMORY_PARTS] = {ORR_SERVE_MEMORY_PARTS(NAME)};
static const char *const BOUND_NAMES[ORR_N_BOUNDS] = {ORR_BOUNDS(NAME)};
static const char *const PHASE_NAMES[ORR_N_PHASES] = {ORR_PHASES(NAME)};
static const char *const GROUP_NAMES[ORR_N_GROUPS] = {ORR_GROUPS(NAME)};
static const char *const MIXER_NAMES[ORR_N_MIXERS] = {ORR_MIXERS(NAME)};
static const char *const POINTWISE_NAMES[ORR_N_POINTWISES] = {ORR_POINTWISES(NAME)};
static const char *const OP_KIND_NAMES[ORR_N_OP_KINDS] = {ORR_OP_KINDS(NAME)};
static const double DTYPE_BITS[ORR_N_DTYPES] = {ORR_DTYPES(BITS)};

/* ORDER enum orr_part */
static const char *const PART_NAMES[ORR_N_PARTS] = {"models",       "chips",   "systems",  "engines", "calibration",
                                                    "technologies", "designs", "memories", "networks"};
static const char *const PART_WORDS[ORR_N_PARTS] = {"model",      "chip",   "system", "engine", "calibration",
                                                    "technology", "design", "memory", "network"};

/* A value outside its enum can only come from a caller of the library; answer instead of reading past the table. */
static const char *name_of(const char *const *names, unsigned n_names, unsigned value)
{
    return value < n_names ? names[value] : "unknown";
}

const char *orr_dtype_name(enum orr_dtype dtype)
{
    return name_of(orr_dtype_names, ORR_N_DTYPES, (unsigned)dtype);
}

const char *orr_time_part_name(enum orr_time_part part)
{
    return name_of(TIME_PART_NAMES, ORR_N_TIME_PARTS, (unsigned)part);
}

const char *orr_memory_part_name(enum orr_memory_part part)
{
    return name_of(MEMORY_PART_NAMES, ORR_N_MEMORY_PARTS, (unsigned)part);
}

const char *orr_bound_name(enum orr_bound bound)
{
    return name_of(BOUND_NAMES, ORR_N_BOUNDS, (unsigned)bound);
}

const char *orr_schedule_name(enum orr_schedule schedule)
{
    return name_of(orr_schedule_names, ORR_N_SCHEDULES, (unsigned)schedule);
}

const char *orr_recompute_name(enum orr_recompute recompute)
{
    return name_of(orr_recompute_names, ORR_N_RECOMPUTES, (unsigned)recompute);
}

const char *orr_attention_kernel_name(enum orr_attention_kernel kernel)
{
    return name_of(orr_attention_kernel_names, ORR_N_ATTENTION_KERNELS, (unsigned)kernel);
}

const char *orr_cp_kind_name(enum orr_cp_kind kind)
{
    return name_of(orr_cp_kind_names, ORR_N_CP_KINDS, (unsigned)kind);
}

const char *orr_collective_name(enum orr_collective collective)
{
    return name_of(orr_collective_names, ORR_N_COLLECTIVES, (unsigned)collective);
}

const char *orr_algorithm_name(enum orr_algorithm algorithm)
{
    return name_of(orr_algorithm_names, ORR_N_ALGORITHMS, (unsigned)algorithm);
}

const char *orr_pointwise_name(enum orr_pointwise pointwise)
{
    return name_of(POINTWISE_NAMES, ORR_N_POINTWISES, (unsigned)pointwise);
}

const char *orr_phase_name(enum orr_phase phase)
{
    return name_of(PHASE_NAMES, ORR_N_PHASES, (unsigned)phase);
}

const char *orr_mixer_name(enum orr_mixer mixer)
{
    return name_of(MIXER_NAMES, ORR_N_MIXERS, (unsigned)mixer);
}

const char *orr_group_name(enum orr_group group)
{
    return name_of(GROUP_NAMES, ORR_N_GROUPS, (unsigned)group);
}

const char *orr_op_kind_name(enum orr_op_kind kind)
{
    return name_of(OP_KIND_NAMES, ORR_N_OP_KINDS, (unsigned)kind);
}

const char *orr_infer_part_name(enum orr_infer_part part)
{
    return name_of(INFER_PART_NAMES, ORR_N_INFER_PARTS, (unsigned)part);
}

const char *orr_serve_memory_part_name(enum orr_serve_memory_part part)
{
    return name_of(SERVE_MEMORY_PART_NAMES, ORR_N_SERVE_MEMORY_PARTS, (unsigned)part);
}

const char *orr_budget_name(enum orr_budget budget)
{
    return name_of(orr_budget_names, ORR_N_BUDGETS, (unsigned)budget);
}

const char *orr_decode_kernel_name(enum orr_decode_kernel kernel)
{
    return name_of(orr_decode_kernel_names, ORR_N_DECODE_KERNELS, (unsigned)kernel);
}

const char *orr_part_name(enum orr_part part)
{
    return name_of(PART_NAMES, ORR_N_PARTS, (unsigned)part);
}

const enum orr_group orr_overlap_groups[ORR_N_OVERLAPS] = {ORR_GROUP_TP, ORR_GROUP_EP, ORR_GROUP_PP, ORR_GROUP_DP};
const char *const orr_overlap_names[ORR_N_OVERLAPS] = {"tp", "ep", "pp", "dp"};

char *orr_overlap_text(uint32_t exposed_groups, char text[ORR_OVERLAP_TEXT])
{
    size_t length = 0, n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ORR_N_OVERLAPS; i++) {
        if (exposed_groups >> orr_overlap_groups[i] & 1) continue;
        length +=
            (size_t)snprintf(text + length, ORR_OVERLAP_TEXT - length, "%s%s", n++ ? "," : "", orr_overlap_names[i]);
    }
    if (n == ORR_N_OVERLAPS || n == 0) (void)snprintf(text, ORR_OVERLAP_TEXT, "%s", n ? "all" : "none");
    return text;
}

const char *orr_part_word(enum orr_part part)
{
    return name_of(PART_WORDS, ORR_N_PARTS, (unsigned)part);
}

double orr_dtype_bytes(enum orr_dtype dtype)
{
    assert((unsigned)dtype < ORR_N_DTYPES);
    return DTYPE_BITS[dtype] / 8;
}
