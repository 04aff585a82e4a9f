/* What the lines of a training log say about the plan of the run -> cells of a row. */
#ifndef ORR_SPEC_LOG_PLAN_H
#define ORR_SPEC_LOG_PLAN_H

#include "spec/cells.h"

/* What has been read so far of one run. All zero: nothing. */
struct orr_log_plan {
    bool arguments;      /* between the first and the last of the arguments of Megatron-LM */
    bool deepspeed;      /* its ZeRO stage counts */
    bool sharded;        /* by sharded data parallelism of Megatron-LM, whose strategy counts */
    int strategy;        /* as a ZeRO stage */
    char method[8];      /* how whole layers are recomputed: "first" ones or groups of "uniform" size; "": not said */
    double layers;       /* of a stage, or of a group */
    char modules[96];    /* what selective recomputation repeats, separated by commas; "": not said */
    bool built;          /* torchtitan has said what it builds */
    bool pipelines;      /* it builds more than one stage */
    bool compiled;       /* and compiles it */
};

/* A number as frameworks print it for people: "1.41K", "7,193", "12.5". NAN if there is none. */
double orr_log_number(const char *text);
/* The number after a text in a line; NAN if the line does not have it. */
double orr_log_number_after(const char *line, const char *text);
/* Is this the first line of what a run says about itself? torchtitan may build its mesh again while it runs. */
enum orr_log_start { ORR_LOG_GOES_ON, ORR_LOG_MESH, ORR_LOG_NEW_RUN };
enum orr_log_start orr_log_plan_starts(const char *line);
void orr_log_plan_read(struct orr_log_plan *plan, const char *line, struct orr_cells *cells);
/* When all has been read: what was not said is not in use, and a part of the layers or modules may be recomputed. */
void orr_log_plan_end(const struct orr_log_plan *plan, struct orr_cells *cells);

#endif
