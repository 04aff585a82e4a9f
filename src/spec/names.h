/* The words of the closed sets of orrery.h, indexed by enum value: allowed words of ENUM fields, keys of tables. */
#ifndef ORR_SPEC_NAMES_H
#define ORR_SPEC_NAMES_H

#include "orrery.h"

extern const char *const orr_dtype_names[ORR_N_DTYPES];
extern const char *const orr_schedule_names[ORR_N_SCHEDULES];
extern const char *const orr_recompute_names[ORR_N_RECOMPUTES];
extern const char *const orr_repeatable_names[ORR_N_REPEATABLES];
extern const char *const orr_optimizer_names[ORR_N_OPTIMIZERS];
const char *orr_fp8_recipe_name(enum orr_fp8_recipe recipe);
extern const char *const orr_base_format_names[ORR_N_BASE_FORMATS];
const char *orr_optimizer_name(enum orr_optimizer optimizer);
extern const char *const orr_engine_kind_names[ORR_N_ENGINE_KINDS];
extern const char *const orr_gradient_format_names[ORR_N_GRADIENT_FORMATS];
const char *orr_gradient_format_name(enum orr_gradient_format format);
extern const char *const orr_asked_format_names[ORR_N_ASKED_FORMATS];
const char *orr_asked_format_name(enum orr_asked_format format);
/* The format that was asked for, or else the other one. */
enum orr_dtype orr_asked_dtype(enum orr_asked_format format, enum orr_dtype otherwise);
/* Its bytes per element, or else the other number. */
double orr_asked_bytes(enum orr_asked_format format, double otherwise);
extern const char *const orr_run_option_names[ORR_N_RUN_OPTIONS];
extern const char *const orr_switch_names[ORR_N_SWITCHES];
extern const char *const orr_store_names[ORR_N_STORES];
extern const char *const orr_offload_names[ORR_N_OFFLOADS];
extern const char *const orr_whole_gradients_names[ORR_N_WHOLE_GRADIENTS];
extern const char *const orr_stage_rule_names[ORR_N_STAGE_RULES];
const char *orr_stage_rule_name(enum orr_stage_rule rule);
extern const char *const orr_attention_kernel_names[ORR_N_ATTENTION_KERNELS];
extern const char *const orr_cp_kind_names[ORR_N_CP_KINDS];
extern const char *const orr_collective_names[ORR_N_COLLECTIVES];
extern const char *const orr_algorithm_names[ORR_N_ALGORITHMS];
extern const char *const orr_topology_names[ORR_N_TOPOLOGIES];
extern const char *const orr_budget_names[ORR_N_BUDGETS];
extern const char *const orr_decode_kernel_names[ORR_N_DECODE_KERNELS];
extern const char *const orr_block_kernel_names[ORR_N_BLOCK_KERNELS];
extern const char *const orr_allreduce_kernel_names[ORR_N_ALLREDUCE_KERNELS];
extern const char *const orr_tile_files_names[ORR_N_TILE_FILES];
extern const char *const orr_fp8_recipe_names[ORR_N_FP8_RECIPES];
extern const char *const orr_expert_kernel_names[ORR_N_EXPERT_KERNELS];
extern const char *const orr_scheduler_names[ORR_N_SCHEDULERS];
extern const char *const orr_cache_sent_names[ORR_N_CACHE_SENDS];
extern const char *const orr_arrival_names[ORR_N_ARRIVALS];
extern const char *const orr_router_names[ORR_N_ROUTERS];
extern const char *const orr_pool_role_names[ORR_N_POOL_ROLES];
extern const char *const orr_length_law_names[ORR_N_LENGTH_LAWS];

/* Groups whose overlap a plan may switch off, and their words. */
enum { ORR_N_OVERLAPS = 4 };
extern const enum orr_group orr_overlap_groups[ORR_N_OVERLAPS];
extern const char *const orr_overlap_names[ORR_N_OVERLAPS];

/* Dtypes of products: all before int4, which only stores weights. */
enum { ORR_N_MATRIX_DTYPES = ORR_DTYPE_INT4 };

/* The name of a member, as JSON and the command line spell it; orrery.h declares those that programs print. */
const char *orr_time_part_name(enum orr_time_part part);
const char *orr_memory_part_name(enum orr_memory_part part);
const char *orr_bound_name(enum orr_bound bound);
const char *orr_timing_name(enum orr_timing_kind kind);
/* What widens an interval, and what narrows it, in words. */
const char *orr_doubt_text(enum orr_doubt doubt);
const char *orr_doubt_remedy(enum orr_doubt doubt);
const char *orr_schedule_name(enum orr_schedule schedule);
const char *orr_cp_kind_name(enum orr_cp_kind kind);
const char *orr_pointwise_name(enum orr_pointwise pointwise);
const char *orr_phase_name(enum orr_phase phase);
const char *orr_group_name(enum orr_group group);
const char *orr_op_kind_name(enum orr_op_kind kind);
const char *orr_infer_part_name(enum orr_infer_part part);
const char *orr_serve_memory_part_name(enum orr_serve_memory_part part);
double orr_dtype_bytes(enum orr_dtype dtype);
/* The groups that are not in exposed_groups, as JSON spells them: "all", "none", "tp,dp"; returns text. */
#define ORR_OVERLAP_TEXT 16
char *orr_overlap_text(uint32_t exposed_groups, char text[ORR_OVERLAP_TEXT]);

/* Singular of a part for messages: "model", "chip", ... as the paths of "set" begin. */
const char *orr_part_word(enum orr_part part);

#endif
