/* Stacks are families of engines with versions. A name of a stack ("vllm-0.11", "TensorRT-LLM 1.0", "megatron") ->
 * the engine that stands for it. */
#ifndef ORR_SPEC_FAMILY_H
#define ORR_SPEC_FAMILY_H

#include "spec/spec.h"

struct orr_reference; /* part.h */

#define ORR_VERSION_NUMBERS 4
struct orr_version {
    int n;                                /* numbers that are given; 0: none */
    int64_t numbers[ORR_VERSION_NUMBERS]; /* those that are not given are 0 */
    char variant[32];                     /* "compiled"; "": none */
};

/* Reads "0.11", "v1.2.0rc1", "2024-compiled" or "eager"; false if the text is none of these. */
bool orr_version_read(const char *text, struct orr_version *version);
/* Reads "0.8..0.13", or "2025" as a range of one version; false if the text is neither. */
bool orr_range_read(const char *text, struct orr_version *first, struct orr_version *last);
/* As strcmp, number by number; numbers that are not given count as 0, and variants do not count. */
int orr_version_compare(const struct orr_version *a, const struct orr_version *b);
/* Years and releases are counted apart. */
bool orr_version_is_year(const struct orr_version *version);

/* Turns spaces, "_" and "@" of a name into "-": they separate its words alike. */
void orr_fold_name(char *text);
/* Finds the engine that a family's name with a version, a variant, both or neither means. *id is NULL if there is none.
 * It fails only if an engine that may belong to the family is not valid JSON. */
enum orr_err orr_family_find(const struct orr_catalogue *catalogue, const char *name, const char **id,
                             enum orr_match *match, struct orr_error *error);
/* Is the name that of the engine's family, without a version? */
bool orr_is_family_name(const struct orr_engine *engine, const char *name);
/* Does the engine run jobs of this kind? */
bool orr_engine_runs(const struct orr_engine *engine, enum orr_job_kind kind);
/* The engine for such jobs that the bare name of a family means as well, or NULL: "hf" is a stack of either kind. */
const char *orr_engine_namesake(const struct orr_catalogue *catalogue, const char *name, enum orr_job_kind kind);
/* Refuses an engine that does not run jobs of this kind, and names others that do. */
enum orr_err orr_engine_check_kind(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                   const struct orr_engine *engine, enum orr_job_kind kind, struct orr_error *error);
/* Is the engine known to run on the chips of this maker? True if either is not stated. */
bool orr_engine_runs_on(const struct orr_engine *engine, const struct orr_chip *chip);
/* Can it train in a pipeline, and with this ZeRO stage? An engine that does not say can. */
bool orr_has_pipelines(const struct orr_engine *engine);
bool orr_has_zero(const struct orr_engine *engine, int64_t stage);

#endif
