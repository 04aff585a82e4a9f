/* Recomputation operator by operator: which operators of a layer belong to a name of the list (Eq. 142). What is
 * not kept then is counted in src/memory/layer.c. */
#include "ops/emit.h"

#include <string.h>

/* Operators by name. A product reads its saved input again; a kernel that makes the input of a product is repeated
 * with the cast that quantises it. */
static const struct {
    const char *name;
    enum orr_repeatable op;
} NAMED[] = {
    {"norm", ORR_REPEATABLE_NORM},
    {"attention.qkv.cast", ORR_REPEATABLE_NORM},
    {"mlp.up.cast", ORR_REPEATABLE_NORM},
    {"shared.up.cast", ORR_REPEATABLE_NORM},
    {"attention.qkv", ORR_REPEATABLE_QKV},
    {"attention.qk_norm", ORR_REPEATABLE_QKV},
    {"attention.layout", ORR_REPEATABLE_QKV},
    {"attention.rope", ORR_REPEATABLE_QKV},
    {"mla.q_up", ORR_REPEATABLE_QKV},
    {"mla.kv_up", ORR_REPEATABLE_QKV},
    {"mla.rope", ORR_REPEATABLE_QKV},
    {"attention.scores", ORR_REPEATABLE_CORE},
    {"attention.scale", ORR_REPEATABLE_CORE},
    {"attention.softmax", ORR_REPEATABLE_CORE},
    {"attention.dropout", ORR_REPEATABLE_CORE},
    {"attention.context", ORR_REPEATABLE_CORE},
    {"attention.out", ORR_REPEATABLE_OUT},
    {"mlp.up", ORR_REPEATABLE_MLP_UP},
    {"shared.up", ORR_REPEATABLE_MLP_UP},
    {"mlp.activation", ORR_REPEATABLE_MLP_ACT},
    {"mlp.down.cast", ORR_REPEATABLE_MLP_ACT},
    {"shared.down.cast", ORR_REPEATABLE_MLP_ACT},
    {"expert.up", ORR_REPEATABLE_EXPERT_UP},
    {"expert.activation", ORR_REPEATABLE_EXPERT_ACT},
    {"expert.down.cast", ORR_REPEATABLE_EXPERT_ACT},
    {"moe.permute", ORR_REPEATABLE_DISPATCH},
    {"moe.dispatch", ORR_REPEATABLE_DISPATCH},
    {"moe.gather", ORR_REPEATABLE_DISPATCH},
    {"expert.up.cast", ORR_REPEATABLE_DISPATCH},
};

/* After the output projection come the sum over the tensor-parallel group and the residual add, whose names the
 * feed-forward block uses too. */
static bool follows_output(const char *name)
{
    static const char *const NAMES[] = {"tp.scatter", "tp.reduce", "residual.dropout", "residual.add"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(name, NAMES[i]) == 0) return true;
    return false;
}

static bool is_named(const struct orr_workload *workload, const char *name)
{
    for (size_t i = 0; i < sizeof NAMED / sizeof *NAMED; i++)
        if (strcmp(name, NAMED[i].name) == 0) return orr_repeats(workload, NAMED[i].op);
    return false;
}

void orr_mark_repeated(const struct orr_job *job, struct orr_op_list *list, size_t first)
{
    const struct orr_workload *workload = &job->workload;
    bool out = false; /* between the output projection and the feed-forward block */
    for (size_t i = first; i < list->n; i++) {
        struct orr_op *op = &list->items[i];
        if (op->phase != ORR_PHASE_FORWARD) continue;
        const bool after = out && follows_output(op->name);
        const bool output = after && orr_repeats(workload, ORR_REPEATABLE_OUT);
        op->recomputed = op->recomputed || is_named(workload, op->name) || output;
        if (strcmp(op->name, "attention.out") == 0) out = true;
        else if (!after && strncmp(op->name, "attention.", 10) != 0) out = false;
    }
}
