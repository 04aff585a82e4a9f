/* Files that run a plan: launch_files.c has those of training and what wraps a script, launch_pools.c the servers of a
 * pool and the router between two pools. */
#ifndef ORR_REPORT_LAUNCH_FILES_H
#define ORR_REPORT_LAUNCH_FILES_H

#include "base/text.h"
#include "orrery.h"
#include "report/launch.h"

/* Gives every file of a job to `sink`; with `decode`, the files of both pools and of the router between them. Returns
 * false where memory runs out. */
bool orr_launch_files(const struct orr_job *job, const struct orr_job *decode, orr_launch_sink sink, void *context);

/* ---- what the files share */

/* The GPUs of one plan. A wrapper (Slurm, Kubernetes) starts the script on each of `nodes` nodes, `copies` times; a
 * node starts `per_node` servers of a plan that has several. */
struct orr_launch_pool {
    const struct orr_job *job;
    const char *role; /* "", "prefill-" or "decode-" */
    int64_t nodes, gpus_per_node, copies;
    int64_t servers, server_gpus, per_node;
    orr_launch_sink sink;
    void *context;
    bool failed;
};

/* Gives a file to the sink under its name with the role before it, and frees the text. */
void orr_launch_give(struct orr_launch_pool *pool, const char *name, struct orr_text *text);
/* The first lines of a script. */
void orr_launch_header(struct orr_text *text, const struct orr_launch_pool *pool);
/* The flags of the plan, then `end`, then a comment with what has no flag. */
void orr_launch_add(struct orr_text *text, const struct orr_launch_pool *pool, enum orr_launcher launcher,
                    const char *end);
/* The name of a model on Hugging Face, or its name here. */
const char *orr_launch_model(const struct orr_model *model);
/* The name of a pool's job in Kubernetes, for one of its copies. */
void orr_launch_id(const struct orr_launch_pool *pool, int64_t copy, char *id, size_t size);

/* ---- launch_pools.c */

/* How many servers a pool has, and on how many nodes. */
void orr_launch_spread(struct orr_launch_pool *pool, enum orr_launcher launcher);
/* The script of a pool's servers. */
void orr_launch_pool_script(struct orr_launch_pool *pool, enum orr_launcher launcher);
/* The script that takes requests and passes them to both pools, and the same for Kubernetes. */
void orr_launch_router(struct orr_launch_pool *prefill, struct orr_launch_pool *decode, enum orr_launcher launcher);

#endif
