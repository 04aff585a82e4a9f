/* Options that a run switches on or off: they replace facts of its engine, which states the defaults of the stack. */
#include "spec/spec.h"

bool orr_run_options_act(const enum orr_switch options[ORR_N_RUN_OPTIONS])
{
    for (int i = 0; i < ORR_N_RUN_OPTIONS; i++)
        if (options[i] != ORR_SWITCH_ENGINE) return true;
    return false;
}

static void apply(enum orr_run_option option, bool on, struct orr_engine *engine)
{
    switch (option) {
    case ORR_OPTION_TWO_BATCH_OVERLAP: /* the price, weights that are read twice, and what it is for (Eq. 351) */
        engine->two_batch_overlap = on;
        engine->ep_overlap_frac = on ? 1 : 0;
        return;
    case ORR_OPTION_EXPERT_COPIES: engine->moe_redundant = on; return;
    case ORR_OPTION_GRAPHS: /* how many sequences they are captured for is the engine's own fact */
        if (!on) engine->graph_sequences = 0;
        return;
    case ORR_OPTION_ASYNC_SCHEDULING: engine->async_scheduling = on; return;
    case ORR_OPTION_CHUNKED_PREFILL: engine->chunked_prefill = on; return;
    case ORR_OPTION_PREFIX_CACHE: engine->prefix_cache = on; return;
    case ORR_OPTION_SERVER: /* what a server costs is the engine's own fact; texts become tokens without one as well */
        if (!on) engine->frontend_s = engine->frontend_s_per_request = engine->stream_s_per_token = 0;
        return;
    case ORR_N_RUN_OPTIONS: return;
    }
}

void orr_run_options_apply(const enum orr_switch options[ORR_N_RUN_OPTIONS], struct orr_engine *engine)
{
    for (int i = 0; i < ORR_N_RUN_OPTIONS; i++)
        if (options[i] != ORR_SWITCH_ENGINE) apply((enum orr_run_option)i, options[i] == ORR_SWITCH_ON, engine);
}
