/* Queues whose answer is known: a replica whose steps are priced by a formula must agree with queueing theory, conserve
 * requests, tokens and blocks, and keep Little's law. */
#include "serving.h"

#include "serving/closed_search.h"
#include "serving/lockstep.h"
#include "serving/replica.h"

/* T = fixed + per_token * prompt tokens + (decodes > 0 ? step : 0) + per_decode * decodes. */
struct price {
    double fixed_s, token_s, step_s, decode_s;
};

static double price(void *context, const struct orr_step *step)
{
    const struct price *p = context;
    return (step->prefill_tokens > 0 ? p->fixed_s : 0) + p->token_s * (double)step->prefill_tokens +
           (step->decode_sequences > 0 ? p->step_s : 0) + p->decode_s * (double)step->decode_sequences;
}

/* What a run is about, and what was seen. */
struct seen {
    int64_t finished, input_tokens, output_tokens, preemptions;
    double wait_s, latency_s, running_s, last_s, tpot_s;
    struct orr_replica *replica;
    struct orr_stream *stream;
    int64_t left; /* requests that users of a closed loop still ask */
};

static void finished(void *context, const struct orr_request_record *r)
{
    struct seen *seen = context;
    struct orr_ask ask;
    seen->finished++;
    seen->input_tokens += r->input_len;
    seen->output_tokens += r->output_len;
    seen->preemptions += r->preemptions;
    seen->wait_s += r->start_s - r->arrival_s;
    seen->latency_s += r->finish_s - r->arrival_s;
    seen->running_s += r->finish_s - r->start_s;
    seen->last_s = fmax(seen->last_s, r->finish_s);
    if (r->output_len > 1) seen->tpot_s += (r->finish_s - r->first_s) / (double)(r->output_len - 1);
    if (!seen->stream || seen->left-- <= 0) return;
    orr_stream_ask(seen->stream, 1000000 + seen->left, r->finish_s, &ask);
    assert_true(orr_replica_submit(seen->replica, &ask));
}

static struct orr_replica_facts plain_facts(enum orr_scheduler scheduler)
{
    struct orr_replica_facts facts = {.kv_tokens = 1e12, .tokens_per_step = 1, .queries = 1, .host_speed = 1};
    facts.engine.scheduler = scheduler;
    facts.engine.max_requests = 1 << 20;
    facts.engine.max_step_tokens = 1 << 30;
    facts.engine.kv_block_tokens = 16;
    facts.engine.chunked_prefill = true;
    facts.engine.admit_frac = 0.7;
    facts.engine.admit_least_frac = 0.098;
    facts.engine.admit_steps = 600;
    return facts;
}

/* Runs open arrivals on a replica and checks what must always hold. */
static struct seen run_with(const struct orr_replica_facts *facts, struct price *p, const struct orr_traffic *traffic,
                            bool stepped, struct orr_replica_sums *sums)
{
    struct seen seen = {0};
    const struct orr_sink sink = {.context = &seen, .finished = finished};
    struct orr_steps *steps = orr_steps_priced(price, p, !stepped);
    struct orr_replica *replica = orr_replica_new(facts, steps, &sink);
    struct orr_stream stream = orr_stream_of(traffic, 0, 1);
    struct orr_ask ask;
    int64_t n_free, n = 0;
    assert_non_null(replica);
    while (orr_stream_next(&stream, &ask)) {
        orr_replica_run(replica, ask.arrival_s);
        assert_true(orr_replica_submit(replica, &ask));
        n++;
    }
    orr_replica_run(replica, HUGE_VAL);
    assert_int_equal(seen.finished, n);
    const int64_t n_blocks = orr_replica_blocks(replica, &n_free);
    assert_int_equal(n_blocks, n_free); /* every block came back */
    assert_int_equal(orr_replica_load_of(replica).requests, 0);
    *sums = *orr_replica_sums_of(replica);
    assert_int_equal(sums->output_tokens, seen.output_tokens);
    assert_int_equal(sums->prompt_tokens, seen.input_tokens + sums->recomputed_tokens - sums->cached_tokens);
    orr_replica_free(replica);
    orr_steps_free(steps);
    return seen;
}

static struct seen run_open(const struct orr_replica_facts *facts, struct price *p, const struct orr_traffic *traffic,
                            struct orr_replica_sums *sums)
{
    return run_with(facts, p, traffic, false, sums);
}

static void near(const char *what, double value, double expected, double tolerance)
{
    print_message("# %s: %.6g, expected %.6g (%+.3f %%)\n", what, value, expected, 100 * (value / expected - 1));
    if (fabs(value / expected - 1) > tolerance) fail_msg("%s: %.9g instead of %.9g", what, value, expected);
}

/* One prompt at a time, answers of one token, equal prompts of service time s: W = rho s / (2 (1 - rho)). */
static void m_d_1(void **state)
{
    (void)state;
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V0);
    struct price p = {.token_s = 1e-4};
    facts.engine.max_step_tokens = 1000;
    for (int i = 0; i < 3; i++) {
        const double rho = (const double[]){0.5, 0.8, 0.9}[i], s = 0.1;
        const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                            .rate_per_s = rho / s,
                                            .requests = 200000,
                                            .input_len = {.law = ORR_LENGTH_FIXED, .mean = 1000},
                                            .output_len = {.law = ORR_LENGTH_FIXED, .mean = 1},
                                            .seed = 7};
        struct orr_replica_sums sums;
        const struct seen seen = run_open(&facts, &p, &traffic, &sums);
        near("M/D/1 wait", seen.wait_s / (double)seen.finished, rho * s / (2 * (1 - rho)), 0.03);
        near("utilisation", sums.busy_s / seen.last_s, rho, 0.01);
        near("Little", seen.running_s, sums.running_s, 1e-9);
    }
}

/* The same with exponential prompts: W = rho s / (1 - rho). Prompts are long, so that whole tokens do not matter. */
static void m_m_1(void **state)
{
    (void)state;
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V0);
    struct price p = {.token_s = 1e-6};
    facts.engine.max_requests = 1;
    for (int i = 0; i < 2; i++) {
        const double rho = (const double[]){0.5, 0.8}[i], s = 0.1;
        const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                            .rate_per_s = rho / s,
                                            .requests = 200000,
                                            .input_len = {.law = ORR_LENGTH_EXPONENTIAL, .mean = 100000},
                                            .output_len = {.law = ORR_LENGTH_FIXED, .mean = 1},
                                            .seed = 3};
        struct orr_replica_sums sums;
        const struct seen seen = run_open(&facts, &p, &traffic, &sums);
        near("M/M/1 wait", seen.wait_s / (double)seen.finished, rho * s / (1 - rho), 0.03);
    }
}

/* Steps take the same time whatever they hold, prompts take none, c places: Erlang's C. Exponential answers of mean g
 * steps are served in g * tau. For c = 2, C = 2 rho^2 / (1 + rho) and W = C s / (2 (1 - rho)). */
static void m_m_c(void **state)
{
    (void)state;
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
    struct price p = {.step_s = 1e-4, .token_s = 1e-12};
    const double rho = 0.7, s = 0.2; /* 2000 steps */
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                        .rate_per_s = 2 * rho / s,
                                        .requests = 100000,
                                        .input_len = {.law = ORR_LENGTH_FIXED, .mean = 1},
                                        .output_len = {.law = ORR_LENGTH_EXPONENTIAL, .mean = 2000},
                                        .seed = 11};
    struct orr_replica_sums sums;
    facts.engine.max_requests = 2;
    const struct seen seen = run_open(&facts, &p, &traffic, &sums);
    near("M/M/2 wait", seen.wait_s / (double)seen.finished, 2 * rho * rho / (1 + rho) * s / (2 * (1 - rho)), 0.03);
    near("Little", seen.running_s, sums.running_s, 1e-9);
}

/* A step takes time in proportion to its sequences: processor sharing. The mean latency is s / (1 - rho) for any law of
 * answers; equal answers here. */
static void processor_sharing(void **state)
{
    (void)state;
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
    struct price p = {.decode_s = 1e-4, .token_s = 1e-12};
    const double rho = 0.7, s = 0.1; /* 1000 steps alone */
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                        .rate_per_s = rho / s,
                                        .requests = 60000,
                                        .input_len = {.law = ORR_LENGTH_FIXED, .mean = 1},
                                        .output_len = {.law = ORR_LENGTH_FIXED, .mean = 1001},
                                        .seed = 5};
    struct orr_replica_sums sums;
    const struct seen seen = run_open(&facts, &p, &traffic, &sums);
    near("processor sharing latency", seen.latency_s / (double)seen.finished, s / (1 - rho), 0.03);
}

/* Every scheduler with a cache that is much too small: all requests end, tokens and blocks are conserved (run_open
 * checks), and those that take blocks as they go stop sequences while those that reserve do not. */
static void conservation(void **state)
{
    (void)state;
    for (int k = 0; k < ORR_N_SCHEDULERS; k++) {
        struct orr_replica_facts facts = plain_facts((enum orr_scheduler)k);
        struct price p = {.step_s = 0.01, .token_s = 1e-5, .decode_s = 1e-5, .fixed_s = 0.002};
        const struct orr_traffic traffic = {
            .arrival = ORR_ARRIVAL_GAMMA,
            .burstiness = 0.5,
            .rate_per_s = 20,
            .requests = 3000,
            .input_len = {.law = ORR_LENGTH_LOGNORMAL, .mean = 300, .cv = 0.8, .high = 2000},
            .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 10, .high = 400},
            .max_output_len = 400,
            .seed = 1};
        struct orr_replica_sums sums;
        facts.engine.max_step_tokens = 2048;
        facts.kv_tokens = 8000;
        facts.engine.batch_wait_steps = k == ORR_SCHEDULER_TGI ? 20 : 0;
        facts.engine.batch_wait_sequences_frac = 0.3;
        const struct seen seen = run_open(&facts, &p, &traffic, &sums);
        print_message("# scheduler %d: %lld preemptions, mean latency %.3f s\n", k, (long long)seen.preemptions,
                      seen.latency_s / (double)seen.finished);
        struct orr_replica_sums stepped_sums;
        const struct seen stepped = run_with(&facts, &p, &traffic, true, &stepped_sums);
        near("steps one by one", seen.latency_s, stepped.latency_s, 1e-9);
        assert_int_equal(stepped.preemptions, seen.preemptions);
        const bool reserves = k == ORR_SCHEDULER_TRTLLM_NO_EVICT || k == ORR_SCHEDULER_TGI;
        assert_int_equal(sums.preemptions, seen.preemptions);
        assert_true(reserves ? sums.preemptions == 0 : sums.preemptions > 0);
    }
}

/* Half of every prompt of 1024 tokens is that of its group. With room for all, every request but the first of its group
 * finds 512 tokens; with room for few groups, fewer do, and nothing is lost (run_open checks). */
static void prefixes(void **state)
{
    (void)state;
    for (int k = 0; k < ORR_N_SCHEDULERS; k++) {
        double hit_frac[2];
        for (int small = 0; small < 2; small++) {
            struct orr_replica_facts facts = plain_facts((enum orr_scheduler)k);
            struct price p = {.step_s = 0.01, .token_s = 1e-5, .decode_s = 1e-5, .fixed_s = 0.002};
            const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                                .rate_per_s = 5,
                                                .requests = 4000,
                                                .prefix_share = 0.5,
                                                .prefix_groups = 40,
                                                .input_len = {.law = ORR_LENGTH_FIXED, .mean = 1024},
                                                .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 10, .high = 100},
                                                .seed = 2};
            struct orr_replica_sums sums;
            facts.engine.prefix_cache = true;
            facts.engine.max_step_tokens = 4096;
            facts.kv_tokens = small ? 16000 : 1e6;
            const struct seen seen = run_open(&facts, &p, &traffic, &sums);
            hit_frac[small] = (double)sums.cached_tokens / (double)(seen.input_tokens + sums.recomputed_tokens);
        }
        print_message("# scheduler %d: %.3f of the prompts found, %.3f in a small cache\n", k, hit_frac[0],
                      hit_frac[1]);
        /* Requests that arrive while the first of their group is computed find nothing: a few of 4000. */
        assert_true(hit_frac[0] > 0.5 * (1 - 80.0 / 4000) && hit_frac[0] <= 0.5 * (1 - 40.0 / 4000));
        assert_true(hit_frac[1] > 0.1 && hit_frac[1] < 0.95 * hit_frac[0]);
    }
}

/* Caches that go to the host and back: nothing is computed twice, all requests end (run_open checks tokens and blocks),
 * and a link without delay is never slower than computing again. */
static void swapping(void **state)
{
    (void)state;
    double latency_s[3];
    for (int k = 0; k < 3; k++) {
        struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V0);
        struct price p = {.step_s = 0.01, .token_s = 1e-5, .decode_s = 1e-5, .fixed_s = 0.002};
        const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                            .rate_per_s = 20,
                                            .requests = 3000,
                                            .input_len = {.law = ORR_LENGTH_UNIFORM, .low = 100, .high = 500},
                                            .output_len = {.law = ORR_LENGTH_UNIFORM, .low = 10, .high = 400},
                                            .seed = 1};
        struct orr_replica_sums sums;
        facts.engine.max_step_tokens = 2048;
        facts.kv_tokens = 8000;
        facts.swap_s_per_token = (const double[]){0, 1e-12, 1e-4}[k];
        const struct seen seen = run_open(&facts, &p, &traffic, &sums);
        latency_s[k] = seen.latency_s;
        assert_true(seen.preemptions > 10);
        assert_true(k == 0 ? sums.recomputed_tokens > 0 : sums.recomputed_tokens == 0);
    }
    print_message("# latency: recomputed %.4g s, swapped at once %.4g s, slowly %.4g s\n", latency_s[0], latency_s[1],
                  latency_s[2]);
    assert_true(latency_s[1] < latency_s[0] && latency_s[1] < latency_s[2]);
}

/* One adapter at a time, two that are asked for in turn, steps of 1 ms with an adapter: every request runs with its own
 * adapter alone, so that the load time is paid at every change. */
static void adapters(void **state)
{
    (void)state;
    double latency_s[2];
    for (int k = 0; k < 2; k++) {
        struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
        struct price p = {.step_s = 0.01, .token_s = 1e-6};
        const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_POISSON,
                                            .rate_per_s = 2,
                                            .requests = 2000,
                                            .adapters = 20,
                                            .input_len = {.law = ORR_LENGTH_FIXED, .mean = 100},
                                            .output_len = {.law = ORR_LENGTH_FIXED, .mean = 21},
                                            .seed = 1};
        struct orr_replica_sums sums;
        facts.adapters.most = k == 0 ? 1 : 20;
        facts.adapters.load_s = 0.05;
        facts.adapters.adapter_s = 0.001;
        const struct seen seen = run_open(&facts, &p, &traffic, &sums);
        latency_s[k] = seen.latency_s / 2000;
        print_message("# %lld loads, mean latency %.3f s\n", (long long)sums.loaded_adapters, latency_s[k]);
        if (k == 1) assert_int_equal(sums.loaded_adapters, 20); /* every one once */
        else assert_true(sums.loaded_adapters > 500);
    }
    assert_true(latency_s[1] > 0.2 && latency_s[1] < 0.3 && latency_s[0] > latency_s[1]);
}

/* Ranks that step together, only one of which has requests, are that one rank; with requests on both, every token waits
 * for the larger. */
static void lockstep(void **state)
{
    (void)state;
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
    struct price p = {.step_s = 0.01, .decode_s = 0.001, .token_s = 1e-9};
    struct seen seen[2] = {{0}};
    struct orr_steps *steps = orr_steps_priced(price, &p, false);
    struct orr_replica *ranks[2];
    facts.own_frac = 1;
    for (int i = 0; i < 2; i++) {
        const struct orr_sink sink = {.context = &seen[i], .finished = finished};
        assert_non_null(ranks[i] = orr_replica_new(&facts, steps, &sink));
    }
    /* One request on the first rank and nine on the second: steps of 10 + 9 ms for both. */
    for (int i = 0; i < 10; i++) {
        const struct orr_ask ask = {.id = i, .input_len = 10, .output_len = 101, .max_output_len = 101};
        assert_true(orr_replica_submit(ranks[i == 0 ? 0 : 1], &ask));
    }
    orr_lockstep_run(ranks, 2, HUGE_VAL);
    assert_int_equal(seen[0].finished, 1);
    assert_int_equal(seen[1].finished, 9);
    near("token of the small rank", seen[0].tpot_s, 0.019, 1e-6);
    near("token of the large rank", seen[1].tpot_s / 9, 0.019, 1e-6);
    for (int i = 0; i < 2; i++) orr_replica_free(ranks[i]);
    orr_steps_free(steps);
}

/* A trace of two or three requests, run to the end. */
static struct seen run_trace(const struct orr_replica_facts *facts, struct price *p, const struct orr_trace_row *rows,
                             size_t n)
{
    const struct orr_traffic traffic = {.arrival = ORR_ARRIVAL_TRACE, .trace = rows, .n_trace = n};
    struct orr_replica_sums sums;
    return run_open(facts, p, &traffic, &sums);
}

/* Eq. 199: one thread makes tokens of prompts. Three of 100 tokens at once, 1 ms a token, are heard after 0.1, 0.2 and
 * 0.3 s, and 20 ms later where every request has 20 ms of its own; where they do not take turns, all after 0.12 s. */
static void prompts_take_turns(void **state)
{
    static const struct orr_trace_row ROWS[3] = {{.input_len = 100, .output_len = 1},
                                                 {.input_len = 100, .output_len = 1},
                                                 {.input_len = 100, .output_len = 1}};
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
    struct price p = {.fixed_s = 0.01};
    (void)state;
    facts.engine.frontend_s = 0.02;
    facts.engine.tokenise_s_per_token = 1e-3;
    near("waits in turn", run_trace(&facts, &p, ROWS, 3).wait_s, 0.12 + 0.22 + 0.32, 1e-9);
    facts.engine.tokenise_s_per_token = 0;
    facts.engine.frontend_s_per_token = 1e-3;
    near("waits beside each other", run_trace(&facts, &p, ROWS, 3).wait_s, 3 * 0.12, 1e-9);
}

/* Eq. 364: texts of a batch are handed on together. Four of 100 tokens at once, 1 ms a token, in batches of two: the
 * thread is done with the first two after 0.2 s and with the others after 0.4 s. A text that comes 3 ms after the first
 * is in its batch, which closes after 5 ms; one that comes 150 ms later is made once the thread is free, at 0.2 s. */
static void texts_are_handed_on_together(void **state)
{
    static const struct orr_trace_row AT_ONCE[4] = {{.input_len = 100, .output_len = 1},
                                                    {.input_len = 100, .output_len = 1},
                                                    {.input_len = 100, .output_len = 1},
                                                    {.input_len = 100, .output_len = 1}};
    static const struct orr_trace_row LATER[3] = {{.input_len = 100, .output_len = 1},
                                                  {.arrival_s = 0.003, .input_len = 100, .output_len = 1},
                                                  {.arrival_s = 0.15, .input_len = 100, .output_len = 1}};
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
    struct price p = {.fixed_s = 0.001};
    (void)state;
    facts.engine.frontend_s = 0.02;
    facts.engine.tokenise_s_per_token = 1e-3;
    facts.engine.tokenise_batch = 2;
    facts.engine.tokenise_window_s = 0.005;
    near("two batches", run_trace(&facts, &p, AT_ONCE, 4).wait_s, 2 * 0.22 + 2 * 0.42, 1e-9);
    facts.engine.tokenise_batch = 8;
    near("a batch and a late text", run_trace(&facts, &p, LATER, 3).wait_s, 0.22 + 0.217 + 0.17, 1e-9);
    facts.engine.tokenise_batch = 2;
    facts.engine.frontend_s_per_request = 0.002; /* heard 2 ms apart: 0.202 for the first two, then 0.402 */
    near("heard one after another", run_trace(&facts, &p, AT_ONCE, 4).wait_s, 2 * 0.222 + 2 * 0.422, 1e-9);
}

/* The same in closed form: the first requests of four users, whose prompts take 1 ms alone and 2 ms beside a decode
 * step, have their first tokens after 0.221, 0.223, 0.422 and 0.424 s. Every other request of a run of eight is in the
 * steady state. */
static void texts_together_in_closed_form(void **state)
{
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V1);
    struct price p = {.fixed_s = 0.001, .step_s = 0.001};
    struct orr_demand demand = {
        .users = 4, .requests = 8, .input = 100, .output = 1001, .output_square = 1.1e6, .max_output = 2000};
    struct orr_steps *steps = orr_steps_priced(price, &p, true);
    (void)state;
    facts.engine.max_step_tokens = 100; /* one prompt a step */
    facts.engine.frontend_s = 0.02;
    facts.engine.tokenise_s_per_token = 1e-3;
    facts.engine.tokenise_batch = 2;
    const double eight_s = orr_steady_of(&facts, steps, &demand, 1).ttft_s;
    demand.requests = 4;
    const double steady_s = orr_steady_of(&facts, steps, &demand, 1).ttft_s;
    near("the first requests", 2 * eight_s - steady_s, (0.221 + 0.223 + 0.422 + 0.424) / 4, 1e-6);
    orr_steps_free(steps);
}

/* vLLM's first engine: a prompt costs 1 s, a decode step 1 s. A has three tokens, and B, who comes at 0.5 s, has one.
 * Whole prompts go first: A 0-1, B 1-2, A 2-3 and 3-4. Where prompts are cut, A decodes beside B: 1-3, then 3-4. B then
 * waits a second longer. */
static void cut_prompts_do_not_stop_others(void **state)
{
    static const struct orr_trace_row ROWS[2] = {{.input_len = 10, .output_len = 3},
                                                 {.arrival_s = 0.5, .input_len = 10, .output_len = 1}};
    struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_VLLM_V0);
    struct price p = {.fixed_s = 1, .step_s = 1};
    (void)state;
    facts.engine.chunked_prefill = false;
    near("latencies, whole prompts", run_trace(&facts, &p, ROWS, 2).latency_s, 4 + 1.5, 1e-9);
    facts.engine.chunked_prefill = true;
    near("latencies, cut prompts", run_trace(&facts, &p, ROWS, 2).latency_s, 4 + 2.5, 1e-9);
}

/* TGI's router holds prompts until floor(1.2 n) wait or 20 tokens were made since the last prompt, that prompt's own
 * included (Eq. 197). Prompts take 1 ms, decode steps 10 ms. The first answer runs through all.
 * - 35 ms: one sequence decodes, so that one prompt is enough: it starts after the step, at 41 ms.
 * - 100 ms: two decode, two prompts are wanted: it starts 19 steps after the prompt that ended at 42 ms, at 232 ms.
 * - 506 ms: the last prompt is 28 steps ago, so that it starts after the step, at 513 ms. */
static void prompts_wait_for_the_router(void **state)
{
    (void)state;
    static const double ARRIVALS_S[] = {0, 0.035, 0.1, 0.506};
    for (int stepped = 0; stepped < 2; stepped++) {
        struct orr_replica_facts facts = plain_facts(ORR_SCHEDULER_TGI);
        struct price p = {.fixed_s = 0.001, .step_s = 0.01};
        struct seen seen = {0};
        const struct orr_sink sink = {.context = &seen, .finished = finished};
        struct orr_steps *steps = orr_steps_priced(price, &p, !stepped);
        facts.engine.chunked_prefill = false;
        facts.engine.batch_wait_steps = 20;
        facts.engine.batch_wait_sequences_frac = 1.2;
        struct orr_replica *replica = orr_replica_new(&facts, steps, &sink);
        assert_non_null(replica);
        for (int64_t i = 0; i < 4; i++) {
            const struct orr_ask ask = {
                .id = i, .arrival_s = ARRIVALS_S[i], .input_len = 16, .output_len = 200, .max_output_len = 200};
            orr_replica_run(replica, ask.arrival_s);
            assert_true(orr_replica_submit(replica, &ask));
        }
        orr_replica_run(replica, HUGE_VAL);
        assert_int_equal(seen.finished, 4);
        near("waiting for the router", seen.wait_s, 0.006 + 0.132 + 0.007, 1e-6);
        orr_replica_free(replica);
        orr_steps_free(steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m_d_1),
        cmocka_unit_test(m_m_1),
        cmocka_unit_test(m_m_c),
        cmocka_unit_test(processor_sharing),
        cmocka_unit_test(conservation),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(swapping),
        cmocka_unit_test(adapters),
        cmocka_unit_test(lockstep),
        cmocka_unit_test(prompts_take_turns),
        cmocka_unit_test(texts_are_handed_on_together),
        cmocka_unit_test(texts_together_in_closed_form),
        cmocka_unit_test(cut_prompts_do_not_stop_others),
        cmocka_unit_test(prompts_wait_for_the_router),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
