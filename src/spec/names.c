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
const char *const orr_repeatable_names[ORR_N_REPEATABLES] = {ORR_REPEATABLES(NAME)};
const char *const orr_optimizer_names[ORR_N_OPTIMIZERS] = {ORR_OPTIMIZERS(NAME)};
/* ORDER enum orr_engine_kind */
const char *const orr_engine_kind_names[ORR_N_ENGINE_KINDS] = {"both", "training", "serving"};
const char *const orr_gradient_format_names[ORR_N_GRADIENT_FORMATS] = {ORR_GRADIENT_FORMATS(NAME)};
const char *const orr_asked_format_names[ORR_N_ASKED_FORMATS] = {ORR_ASKED_FORMATS(NAME)};
const char *const orr_run_option_names[ORR_N_RUN_OPTIONS] = {ORR_RUN_OPTIONS(NAME)};
const char *const orr_switch_names[ORR_N_SWITCHES] = {ORR_SWITCHES(NAME)};
const char *const orr_store_names[ORR_N_STORES] = {ORR_STORES(NAME)};
const char *const orr_offload_names[ORR_N_OFFLOADS] = {ORR_OFFLOADS(NAME)};
const char *const orr_stage_rule_names[ORR_N_STAGE_RULES] = {ORR_STAGE_RULES(NAME)};
const char *const orr_whole_gradients_names[ORR_N_WHOLE_GRADIENTS] = {ORR_WHOLE_GRADIENTS(NAME)};
const char *const orr_base_format_names[ORR_N_BASE_FORMATS] = {ORR_BASE_FORMATS(NAME)};
const char *const orr_attention_kernel_names[ORR_N_ATTENTION_KERNELS] = {ORR_ATTENTION_KERNELS(NAME)};
const char *const orr_cp_kind_names[ORR_N_CP_KINDS] = {ORR_CP_KINDS(NAME)};
const char *const orr_collective_names[ORR_N_COLLECTIVES] = {ORR_COLLECTIVES(NAME_ONLY)};
const char *const orr_algorithm_names[ORR_N_ALGORITHMS] = {ORR_ALGORITHMS(NAME)};
const char *const orr_topology_names[ORR_N_TOPOLOGIES] = {ORR_TOPOLOGIES(NAME)};
const char *const orr_budget_names[ORR_N_BUDGETS] = {ORR_BUDGETS(NAME)};
const char *const orr_decode_kernel_names[ORR_N_DECODE_KERNELS] = {ORR_DECODE_KERNELS(NAME)};
const char *const orr_block_kernel_names[ORR_N_BLOCK_KERNELS] = {ORR_BLOCK_KERNELS(NAME)};
const char *const orr_allreduce_kernel_names[ORR_N_ALLREDUCE_KERNELS] = {ORR_ALLREDUCE_KERNELS(NAME)};
const char *const orr_tile_files_names[ORR_N_TILE_FILES] = {ORR_TILE_FILES(NAME)};
const char *const orr_fp8_recipe_names[ORR_N_FP8_RECIPES] = {ORR_FP8_RECIPES(NAME)};
const char *const orr_expert_kernel_names[ORR_N_EXPERT_KERNELS] = {ORR_EXPERT_KERNELS(NAME)};
const char *const orr_scheduler_names[ORR_N_SCHEDULERS] = {ORR_SCHEDULERS(NAME)};
const char *const orr_cache_sent_names[ORR_N_CACHE_SENDS] = {ORR_CACHE_SENDS(NAME)};
const char *const orr_arrival_names[ORR_N_ARRIVALS] = {ORR_ARRIVALS(NAME)};
const char *const orr_router_names[ORR_N_ROUTERS] = {ORR_ROUTERS(NAME)};
const char *const orr_pool_role_names[ORR_N_POOL_ROLES] = {ORR_POOL_ROLES(NAME)};
const char *const orr_length_law_names[ORR_N_LENGTH_LAWS] = {ORR_LENGTH_LAWS(NAME)};
static const char *const TIMING_NAMES[ORR_N_TIMINGS] = {ORR_TIMINGS(NAME)};

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
static const char *const PART_NAMES[ORR_N_PARTS] = {"models",      "chips",        "systems", "engines",
                                                    "calibration", "technologies", "designs", "memories",
                                                    "networks",    "fabrics",      "traffic"};
static const char *const PART_WORDS[ORR_N_PARTS] = {"model",       "chip",       "system", "engine",
                                                    "calibration", "technology", "design", "memory",
                                                    "network",     "fabric",     "traffic"};

/* Only a caller of the library can pass a value outside its enum; the check avoids reading past the table. */
static const char *name_of(const char *const *names, unsigned n_names, unsigned value)
{
    return value < n_names ? names[value] : "unknown";
}

#define NAMED(set, words, n)                                                                                           \
    const char *orr_##set##_name(enum orr_##set value)                                                                 \
    {                                                                                                                  \
        return name_of(words, n, (unsigned)value);                                                                     \
    }
NAMED(dtype, orr_dtype_names, ORR_N_DTYPES)
NAMED(time_part, TIME_PART_NAMES, ORR_N_TIME_PARTS)
NAMED(memory_part, MEMORY_PART_NAMES, ORR_N_MEMORY_PARTS)
NAMED(bound, BOUND_NAMES, ORR_N_BOUNDS)
NAMED(schedule, orr_schedule_names, ORR_N_SCHEDULES)
NAMED(recompute, orr_recompute_names, ORR_N_RECOMPUTES)
NAMED(fp8_recipe, orr_fp8_recipe_names, ORR_N_FP8_RECIPES)
NAMED(optimizer, orr_optimizer_names, ORR_N_OPTIMIZERS)
NAMED(gradient_format, orr_gradient_format_names, ORR_N_GRADIENT_FORMATS)
NAMED(asked_format, orr_asked_format_names, ORR_N_ASKED_FORMATS)
NAMED(stage_rule, orr_stage_rule_names, ORR_N_STAGE_RULES)
NAMED(attention_kernel, orr_attention_kernel_names, ORR_N_ATTENTION_KERNELS)
NAMED(cp_kind, orr_cp_kind_names, ORR_N_CP_KINDS)
NAMED(collective, orr_collective_names, ORR_N_COLLECTIVES)
NAMED(algorithm, orr_algorithm_names, ORR_N_ALGORITHMS)
NAMED(pointwise, POINTWISE_NAMES, ORR_N_POINTWISES)
NAMED(phase, PHASE_NAMES, ORR_N_PHASES)
NAMED(group, GROUP_NAMES, ORR_N_GROUPS)
NAMED(mixer, MIXER_NAMES, ORR_N_MIXERS)
NAMED(op_kind, OP_KIND_NAMES, ORR_N_OP_KINDS)
NAMED(infer_part, INFER_PART_NAMES, ORR_N_INFER_PARTS)
NAMED(serve_memory_part, SERVE_MEMORY_PART_NAMES, ORR_N_SERVE_MEMORY_PARTS)
NAMED(budget, orr_budget_names, ORR_N_BUDGETS)
NAMED(decode_kernel, orr_decode_kernel_names, ORR_N_DECODE_KERNELS)
NAMED(part, PART_NAMES, ORR_N_PARTS)
const char *orr_timing_name(enum orr_timing_kind kind)
{
    return name_of(TIMING_NAMES, ORR_N_TIMINGS, (unsigned)kind);
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

#define ASKED(member, name, format, ...) ORR_##format,

enum orr_dtype orr_asked_dtype(enum orr_asked_format format, enum orr_dtype otherwise)
{
    static const int DTYPES[ORR_N_ASKED_FORMATS] = {ORR_ASKED_FORMATS(ASKED)};
    return DTYPES[format] < ORR_N_DTYPES ? (enum orr_dtype)DTYPES[format] : otherwise;
}

double orr_asked_bytes(enum orr_asked_format format, double otherwise)
{
    return format == ORR_ASKED_ENGINE ? otherwise : orr_dtype_bytes(orr_asked_dtype(format, ORR_DTYPE_FP32));
}

#define DOUBT_TEXT(name, id, text, remedy)   text,
#define DOUBT_REMEDY(name, id, text, remedy) remedy,

const char *orr_doubt_text(enum orr_doubt doubt)
{
    static const char *const TEXTS[ORR_N_DOUBTS] = {ORR_DOUBTS(DOUBT_TEXT)};
    return TEXTS[doubt];
}

const char *orr_doubt_remedy(enum orr_doubt doubt)
{
    static const char *const REMEDIES[ORR_N_DOUBTS] = {ORR_DOUBTS(DOUBT_REMEDY)};
    return REMEDIES[doubt];
}
