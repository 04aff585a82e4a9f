/* Operators of inference by hand: intensity and bounds (Eq. 96), experts (Eq. 8), cached prefixes, chunks,
 * speculation, disaggregation, stages (8.1). */
#include "serving.h"
#include "spec/job.h"

/* Eq. 92: the bound of a lone decode is its weights and cache over nominal bandwidth. Llama-2-13B: 13015864320 less the
 * embedding's 32000 * 5120 are read, 2 bytes each, and 200 tokens of 819200 bytes; A100 2039 GB/s. */
static void the_decode_bound_is_eq_92(void **state)
{
    struct world *w = *state;
    read_job(w,
             "{'kind':'infer','model':'llama2-13b','system':'a100-80g-sxm','workload':{'engine':'vllm','input_len':200,"
             "'output_len':201}}");
    const double with_s = infer(w, &w->job).bound_s;
    w->job.serving.output_len = 1;
    const double prompt_s = infer(w, &w->job).bound_s;
    const double weights = 2 * (13015864320.0 - 32000 * 5120), mean_context = 300.5;           /* 201 ... 400 */
    assert_close((with_s - prompt_s) / 200, (weights + mean_context * 819200) / 2039e9, 2e-3); /* and activations */
}

/* Nearly all of the time is cache, and every layer's window fills on the way: the steps before read less than a
 * window. */
static void a_filling_window_respects_the_bound(void **state)
{
    struct world *w = *state;
    for (int batch = 16; batch <= 1024; batch *= 4) {
        read_job(w,
                 "{'kind':'infer','model':'mistral-7b','system':'h200-sxm','workload':{'engine':'vllm','batch':%d,'"
                 "input_len':1,"
                 "'output_len':8192}}",
                 batch);
        const struct orr_infer_result r = infer(w, &w->job);
        if (r.bound_s > r.latency_s) fail_msg("batch %d: latency %g s, bound %g s", batch, r.latency_s, r.bound_s);
    }
}

/* Eq. 91: two all-reduces of B h w per layer. Llama-2-70B, tp 8, 3 sequences: 3 * 8192 * 2 bytes, 80 layers. */
static void a_layer_reduces_twice(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'vllm','"
                "batch':3,"
                "'input_len':200,'output_len':200}}");
    (void)infer(w, &w->job);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    double reductions = 0;
    for (size_t i = 0; i < n; i++) {
        if (ops[i].phase != ORR_PHASE_DECODE || ops[i].collective != ORR_COLLECTIVE_ALLREDUCE ||
            ops[i].kind != ORR_OP_COLLECTIVE)
            continue;
        assert_close(ops[i].payload_bytes, 3 * 8192 * 2, 0);
        reductions += ops[i].count;
    }
    assert_close(reductions, 160, 0);
}

/* ---------------------------------------------------------------- roofline */

/* Eq. 96: Llama-2-13B, 200 tokens. Shapes are M x K x N; the ridge is 312 / 2.039 = 153 FLOP/B on A100 and
 * 989 / 3.35 = 295 on H100. */
static void prompt_products_have_the_published_intensity(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *name;
        double k, n, intensity;
    } rows[] = {{"attention.qkv", 5120, 15360, 190},
                {"attention.out", 5120, 5120, 186},
                {"mlp.gate_up", 5120, 27648, 191},
                {"mlp.down", 13824, 5120, 190}};
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm"};
    const double ridges[] = {153, 295};
    for (int s = 0; s < 2; s++) {
        read_job(w,
                 "{'kind':'infer','model':'llama2-13b','system':'%s','workload':{'engine':'vllm','input_len':200,"
                 "'output_len':2}}",
                 systems[s]);
        (void)infer(w, &w->job);
        const struct orr_chip *chip = &w->job.system.chip;
        const double ridge = chip->peak_flops_per_s[ORR_DTYPE_BF16] / chip->hbm_bytes_per_s;
        assert_close(ridge, ridges[s], 0.005);
        for (size_t i = 0; i < COUNT(rows); i++) {
            const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, rows[i].name, NULL);
            assert_non_null(op);
            assert_close(op->m, 200, 0);
            assert_close(op->k, rows[i].k, 0);
            assert_close(op->n, rows[i].n, 0);
            const double intensity = op->flops / op->bytes;
            assert_close(intensity, rows[i].intensity, 0.003);
            assert_int_equal(intensity > ridge, s == 0); /* compute-bound on A100, memory-bound on H100 */
        }
        /* decode: intensity about the batch */
        const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "mlp.down", NULL);
        assert_close(op->flops / op->bytes, 1, 1e-3);
    }
}

/* The decode products of a lone sequence wait for DRAM. 95 %, not all: a product small enough may be named after its
 * launch. */
static void lone_decode_products_are_dram_bound(void **state)
{
    struct world *w = *state;
    const char *const systems[] = {"a100-80g-sxm", "h100-sxm", "h200-sxm"}, *const models[] = {"llama2-7b",
                                                                                               "llama2-13b",
                                                                                               "llama2-70b"};
    for (size_t i = 0; i < COUNT(systems) * COUNT(models); i++) {
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'%s','workload':{'engine':'tensorrt-llm-nemo','input_len':200,"
                 "'output_len':200}}",
                 models[i % 3], systems[i / 3]);
        (void)infer(w, &w->job);
        const struct orr_op *ops;
        const struct orr_cost *costs;
        const size_t n = scratch_ops(w->scratch, &ops, &costs);
        double all_s = 0, dram_s = 0;
        for (size_t j = 0; j < n; j++) {
            if (ops[j].phase != ORR_PHASE_DECODE || ops[j].kind != ORR_OP_GEMM) continue;
            all_s += ops[j].count * costs[j].total_s;
            dram_s += costs[j].bound == ORR_BOUND_DRAM ? ops[j].count * costs[j].total_s : 0;
        }
        if (dram_s < 0.95 * all_s)
            fail_msg("%s on %s: %.1f %% of the time of the products is DRAM-bound", models[i % 3], systems[i / 3],
                     100 * dram_s / all_s);
        assert_true(all_s > 0);
    }
}

/* ---------------------------------------------------------------- formats */

/* Half the bytes, half the wait, where the wait is for bytes. */
static void narrow_weights_are_never_slower_in_decode(void **state)
{
    struct world *w = *state;
    const char *const models[] = {"llama2-7b", "llama2-70b", "mixtral-8x7b", "llama3-8b"};
    const char *const systems[] = {"h100-sxm", "h200-sxm", "b200-sxm"};
    const char *const engines[] = {"vllm", "tensorrt-llm-1.2", "tensorrt-llm-0.9"}, *const formats[] = {"fp8", "int4"};
    for (size_t i = 0; i < COUNT(models) * COUNT(systems) * COUNT(engines) * COUNT(formats); i++)
        for (int batch = 1; batch <= 16; batch *= 4) {
            const char *model = models[i % 4], *system = systems[i / 4 % 3], *engine = engines[i / 12 % 3];
            struct orr_error error;
            read_job(
                w,
                "{'kind':'infer','model':'%s','system':'%s','workload':{'engine':'%s','precision':'bf16','batch':%d,"
                "'input_len':200,'output_len':200}}",
                model, system, engine, batch);
            const struct orr_infer_result wide = infer(w, &w->job);
            if (wide.decode_bound_frac[ORR_BOUND_DRAM] < 0.5) continue;
            w->job.serving.weights = i / 36 ? ORR_DTYPE_INT4 : ORR_DTYPE_FP8;
            w->job.serving.matrix = w->job.workload.precision = i / 36 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP8;
            assert_int_equal(orr_job_check(&w->job, &error), ORR_OK);
            const struct orr_infer_result narrow = infer(w, &w->job);
            if (narrow.decode_s > wide.decode_s)
                fail_msg("%s on %s, %s, batch %d: %.6g s in %s, %.6g s in bf16", model, system, engine, batch,
                         narrow.decode_s, formats[i / 36], wide.decode_s);
        }
}

/* ---------------------------------------------------------------- experts */

/* Eq. 8, E 256, K 8: 64 tokens touch 256 (1 - (1 - 8/256)^64) = 222.4 experts, one token 8. */
static void experts_touched_are_eq_8(void **state)
{
    struct world *w = *state;
    const struct {
        int batch;
        double touched;
    } rows[] = {{64, 222.4}, {1, 8}, {8, 256 * (1 - pow(248.0 / 256, 8))}, {4096, 256}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(
            w,
            "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','workload':{'engine':'vllm','precision':'fp8',"
            "'batch':%d,'input_len':200,'output_len':200}}",
            rows[i].batch);
        (void)infer(w, &w->job);
        const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "expert.gate_up", NULL);
        assert_non_null(op);
        assert_close(op->batch, rows[i].touched, 3e-4);
        assert_close(op->batch * op->m, 8.0 * rows[i].batch, 1e-12); /* every token, to each of its experts */
        assert_close(op->n, 2 * 2048, 0);
        assert_close(op->k, 7168, 0);
        assert_close(op->count, 58, 0); /* three of 61 layers are dense */
    }
    /* 8 expert ranks over 8 data-parallel ranks of 8 sequences: the group's 64 tokens, a 8th of the experts each */
    read_job(
        w,
        "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','plan':{'dp':8,'ep':8},'workload':{'engine':'vllm',"
        "'precision':'fp8','batch':8,'input_len':200,'output_len':200,'moe_imbalance':1}}");
    (void)infer(w, &w->job);
    const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "expert.gate_up", NULL);
    assert_close(op->batch, 222.4 / 8, 3e-4);
    assert_close(op->batch * op->m, 64, 1e-12);
}

/* 256 experts on 72 ranks: four places each, 32 of the 288 hold copies. Ranks read four experts of 3 h f elements, and
 * the tokens of a group, 72 times 256, go to all places alike. Engines that do not copy refuse. */
static void copies_fill_up_expert_ranks(void **state)
{
    struct world *w = *state;
    static const char request[] =
        "{'kind':'infer','model':'deepseek-v3','system':'h100-sxm','plan':{'dp':72,'ep':72},'workload':{'engine':'%s',"
        "'precision':'fp8','batch':256,'input_len':2000,'output_len':2,'moe_imbalance':1,'expert_copies':true}}";
    read_job(w, request, "sglang");
    (void)infer(w, &w->job);
    const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, "expert.gate_up", NULL);
    assert_non_null(op);
    assert_close(op->batch, 4, 1e-9);
    assert_close(op->batch * op->m, 256 * 8, 1e-9);
    const struct orr_layer_kind *kind = &w->job.model.kinds[w->job.model.layer_kind[60]];
    assert_int_equal(orr_expert_places(&w->job, kind), 288);
    assert_close(orr_rank_expert_params(&w->job, kind), 4 * 3 * 7168.0 * 2048, 0);
    struct orr_error error;
    w->job.engine.moe_redundant = false;
    assert_int_equal(orr_job_check(&w->job, &error), ORR_ERR_RULE);
    assert_non_null(strstr(error.text, "72 does not divide the 256 experts"));
}

/* Two halves of a batch are two batches of half the size, in both phases; without an exchange, or with one sequence,
 * there is nothing to cut. */
static void halves_hide_each_others_exchange(void **state)
{
    struct world *w = *state;
    const struct {
        const char *plan;
        int batch;
        bool cut;
    } rows[] = {{"'dp':8,'ep':8", 64, true}, {"'tp':8,'ep':8", 64, false}, {"'dp':8,'ep':8", 1, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(w,
                 "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','plan':{%s},'workload':{'engine':'sglang',"
                 "'precision':'fp8','batch':%d,'input_len':512,'output_len':2,'two_batch_overlap':true}}",
                 rows[i].plan, rows[i].batch);
        w->job.engine.sampling_s = w->job.engine.sampling_s_per_sequence = 0;
        const struct orr_infer_result as_is = infer(w, &w->job);
        w->job.engine.two_batch_overlap = false;
        if (rows[i].cut) w->job.serving.batch /= 2;
        const struct orr_infer_result half = infer(w, &w->job);
        assert_close(as_is.decode_s, (rows[i].cut ? 2 : 1) * half.decode_s, 1e-12);
        assert_close(as_is.prefill_s, (rows[i].cut ? 2 : 1) * half.prefill_s, 1e-12);
    }
}

/* Experts inside the tensor-parallel group see all tokens; only a group over data-parallel ranks exchanges them: B K
 * h w bytes each way (Eq. 9a before its (e - 1)/e), a quarter more on the hottest rank. Every rank of a tensor-parallel
 * group sends its share of the tokens, so the ranks of one expert gather what each of them got. */
static void only_spanning_experts_exchange_tokens(void **state)
{
    struct world *w = *state;
    const struct {
        int tp, dp, ep, etp;
        bool exchanged;
    } rows[] = {{8, 1, 1, 1, false}, {8, 1, 8, 1, false}, {1, 8, 8, 1, true}, {2, 4, 8, 1, true},
                {1, 8, 1, 1, false}, {4, 2, 4, 1, false}, {2, 4, 4, 2, true}, {8, 1, 4, 2, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(w,
                 "{'kind':'infer','model':'mixtral-8x7b','system':'h100-sxm','plan':{'tp':%d,'dp':%d,'ep':%d,'etp':%d},"
                 "'workload':{'engine':'vllm','batch':16,'input_len':200,'output_len':200,'moe_imbalance':1.25}}",
                 rows[i].tp, rows[i].dp, rows[i].ep, rows[i].etp);
        (void)infer(w, &w->job);
        const char *const names[] = {"moe.dispatch", "moe.combine", "moe.gather", "moe.scatter"};
        for (int k = 0; k < 4; k++) {
            const double payload = 1.25 * 16 / rows[i].tp * 2 * 4096 * 2 * (k < 2 ? 1 : rows[i].etp);
            const struct orr_op *op = phase_op(w, ORR_PHASE_DECODE, names[k], NULL);
            assert_int_equal(op != NULL, rows[i].exchanged && (k < 2 || rows[i].etp > 1));
            if (op) assert_close(op->payload_bytes, payload, 1e-12);
        }
    }
}

/* ---------------------------------------------------------------- prefix, chunks, speculation, disaggregation */

static void a_cached_prefix_shortens_the_prompt(void **state)
{
    struct world *w = *state;
    const char *const models[] = {"llama3-8b", "mixtral-8x7b", "gemma3-12b", "deepseek-v3"};
    for (size_t i = 0; i < COUNT(models); i++) {
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'h200-sxm','plan':{'tp':4},'workload':{'engine':'vllm','input_"
                 "len':8000,"
                 "'output_len':10}}",
                 models[i]);
        double last_s = HUGE_VAL;
        const double decode_s = infer(w, &w->job).decode_s;
        for (double hit = 0; hit < 0.95; hit += 0.1) {
            w->job.serving.prefix_hit_frac = hit;
            const struct orr_infer_result r = infer(w, &w->job);
            assert_true(r.prefill_s < last_s);
            assert_close(r.decode_s, decode_s, 0);
            const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "attention.out", NULL);
            assert_close(op->m, 8000 * (1 - hit), 1e-12);
            last_s = r.prefill_s;
        }
    }
}

/* 1000 tokens after 3000: pairs 1000 * 3000 + 1000^2 / 2, not 4000^2 / 2; Llama-3-8B 32 heads of 128: 4 * 32 * 128
 * FLOP. */
static void attention_of_a_prefix_counts_its_pairs(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'vllm','input_len':4000,"
                "'output_len':1,'prefix_hit_frac':0.75}}");
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL)->flops,
                 4 * 32 * 128 * (1000.0 * 3000 + 500000), 1e-12);
    /* Mistral, window 4096, 10000 tokens: 4096^2 / 2 pairs while it fills, then 5904 * 4096 */
    read_job(w,
             "{'kind':'infer','model':'mistral-7b','system':'h200-sxm','workload':{'engine':'vllm','input_len':10000,"
             "'output_len':1}}");
    (void)infer(w, &w->job);
    assert_close(phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL)->flops,
                 4 * 32 * 128 * (4096.0 * 4096 / 2 + 5904.0 * 4096), 1e-12);
    /* chunks of 500: the same pairs in 20 pieces */
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'vllm','input_len':10000,"
                "'output_len':1,'chunk_tokens':500}}");
    (void)infer(w, &w->job);
    const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL);
    assert_close(op->count, 32, 0);
    assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "attention.flash"), 32 * 20, 0);
    assert_close(20 * op->flops, 4 * 32 * 128 * (10000.0 * 10000 / 2), 1e-12);
    assert_close(phase_op(w, ORR_PHASE_PREFILL, "attention.out", NULL)->m, 500, 0);
}

/* Eq. 298: 1000 tokens in chunks of 300 are three of 300 behind 0, 300 and 600 tokens, 300 in the mean, and one of 100
 * behind 900. Two prompts of 1000 are six chunks and 200 tokens, which end the second prompt: 6 * 300 * (c + 150) +
 * 200 * (800 + 100) = 2 * 1000^2 / 2 pairs. */
static void chunks_are_full_but_the_last(void **state)
{
    struct world *w = *state;
    static const struct {
        int batch;
        double tokens[2], before[2];
    } cases[] = {{1, {300, 100}, {300, 900}}, {2, {300, 200}, {820000.0 / 1800 - 150, 800}}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct orr_op *ops;
        const struct orr_cost *costs;
        size_t found = 0;
        read_job(w,
                 "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','workload':{'engine':'vllm','batch':%d,"
                 "'input_len':1000,'output_len':1,'chunk_tokens':300}}",
                 cases[i].batch);
        (void)infer(w, &w->job);
        const size_t n = scratch_ops(w->scratch, &ops, &costs);
        for (size_t k = 0; k < n; k++) {
            if (strcmp(ops[k].name, "attention.flash") != 0) continue;
            assert_true(found < 2);
            const double tokens = cases[i].tokens[found], before = cases[i].before[found];
            assert_close(ops[k].flops, 4 * 32 * 128 * (tokens * before + tokens * tokens / 2), 1e-12);
            found++;
        }
        assert_int_equal(found, 2);
    }
}

/* Eq. 94: (1 - 0.8^5) / 0.2 = 3.3616 tokens a step with 4 drafts. */
static void drafts_yield_eq_94(void **state)
{
    struct world *w = *state;
    read_job(w,
             "{'kind':'infer','model':'llama3.1-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'vllm',"
             "'input_len':500,'output_len':500,'draft_tokens':4,'draft_model':'llama3.1-8b','draft_accept_frac':0.8}}");
    struct orr_infer_result r = infer(w, &w->job);
    assert_close(r.tokens_per_step, 3.3616, 1e-12);
    assert_true(r.time_s[ORR_INFER_DRAFT] > 0);
    assert_close(phase_op(w, ORR_PHASE_DECODE, "attention.out", NULL)->m, 5, 0); /* 4 drafts and the token itself */
    const double speculative_s = r.decode_s;
    w->job.serving.draft_accept_frac = 1;
    assert_close(infer(w, &w->job).tokens_per_step, 5, 1e-12);
    w->job.serving.draft_accept_frac = 0;
    const struct orr_infer_result never = infer(w, &w->job);
    assert_close(never.tokens_per_step, 1, 1e-12);
    w->job.serving.draft_tokens = 0;
    r = infer(w, &w->job);
    assert_close(r.tokens_per_step, 1, 0);
    assert_close(r.time_s[ORR_INFER_DRAFT], 0, 0);
    assert_true(never.decode_s > r.decode_s); /* drafts nobody takes only cost */
    assert_true(speculative_s < r.decode_s);  /* good ones pay at batch 1 */
    assert_close(never.ttft_s, r.ttft_s, 1e-12);
}

/* Eqs. 95, 320: the cache leaves in pieces, so that at least the last one is waited for. Llama-3-8B, 4000 tokens of
 * 131072 bytes, 32 layers, 50 GB/s * 0.9. vLLM sends it when the prompt is computed. */
static void the_handed_cache_is_eq_95(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','workload':{'engine':'vllm','input_len':4000,"
                "'output_len':100,'disaggregated':true}}");
    const double all_s = 4000 * 131072 / 45e9, hop_s = w->job.system.scaleout_latency_s;
    assert_close(infer(w, &w->job).time_s[ORR_INFER_KV_TRANSFER], all_s + hop_s, 1e-12);
    w->job.engine.cache_sent = ORR_CACHE_SENT_CHUNKS; /* 1500, 1500 and 1000 tokens count as thirds */
    assert_close(infer(w, &w->job).time_s[ORR_INFER_KV_TRANSFER], all_s + hop_s, 1e-12);
    w->job.serving.chunk_tokens = 1500;
    assert_close(infer(w, &w->job).time_s[ORR_INFER_KV_TRANSFER], all_s / 3 + hop_s, 1e-12);
    w->job.serving.chunk_tokens = 0;
    w->job.engine.cache_sent = ORR_CACHE_SENT_LAYERS;
    struct orr_infer_result r = infer(w, &w->job);
    assert_close(r.time_s[ORR_INFER_KV_TRANSFER], all_s / 32 + hop_s,
                 1e-12); /* the prompt takes longer than the transfer */
    assert_close(r.ttft_s + r.decode_s, r.latency_s, 1e-12);
    w->job.system.scaleout_bytes_per_s = 1e9; /* slow: what the prompt cannot cover is seen */
    r = infer(w, &w->job);
    assert_close(r.time_s[ORR_INFER_KV_TRANSFER], 4000 * 131072 / 0.9e9 - r.prefill_s * 31 / 32 + hop_s, 1e-12);
    w->job.system.scaleout_bytes_per_s = 0; /* inside the domain: the whole port of a switch, or one link of seven */
    assert_close(infer(w, &w->job).kv_handoff_s, 4000 * 131072 / 450e9, 1e-12);
    w->job.system.scaleup_switched = false;
    assert_close(infer(w, &w->job).kv_handoff_s, 4000 * 131072 / (450e9 / 7), 1e-12);
    w->job.serving.disaggregated = false;
    assert_close(infer(w, &w->job).time_s[ORR_INFER_KV_TRANSFER], 0, 0);
}

/* ---------------------------------------------------------------- pipeline */

/* One sequence visits one stage after the other: as long as on one GPU, and the sends; its own stage is a p-th of
 * it. */
static void a_lone_sequence_gains_nothing_from_stages(void **state)
{
    struct world *w = *state;
    struct orr_infer_result r[2];
    for (int i = 0; i < 2; i++) {
        read_job(w,
                 "{'kind':'infer','model':'llama2-70b','system':'h200-sxm','plan':{'tp':2,'pp':%d},'workload':{'engine'"
                 ":'vllm',"
                 "'input_len':300,'output_len':100},'set':{'engine.short_run':true,'engine.sampling_s':0,"
                 "'engine.sampling_s_per_sequence':0}}",
                 i ? 4 : 1);
        r[i] = infer(w, &w->job);
    }
    assert_true(r[1].decode_s > r[0].decode_s);
    assert_close(r[1].time_s[ORR_INFER_DECODE_GEMM], r[0].time_s[ORR_INFER_DECODE_GEMM] / 4, 1e-12);
    const double kernels_s = r[0].decode_s, waiting_s = r[1].time_s[ORR_INFER_PIPELINE];
    assert_close(waiting_s, 0.75 * (kernels_s + r[0].prefill_s), 1e-12);
}

/* FasterTransformer's rule by hand: p pieces if they come out even, then halves while one has more than 2048 tokens and
 * is even. Prompts of m pieces take (m + p - 1) / p passes; a decode step, with one token each, is cut by p alone. */
static void pieces_are_halved_to_their_tokens(void **state)
{
    struct world *w = *state;
    static const struct {
        int pp, batch;
        double prompt_pieces, decode_rows;
    } cases[] = {{1, 16, 1, 16}, {1, 32, 2, 32}, {1, 20, 2, 20}, {1, 17, 1, 17},
                 {3, 16, 1, 16}, {3, 64, 4, 64}, {3, 48, 3, 16}, {3, 96, 6, 32}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double batch = cases[i].batch, pieces = cases[i].prompt_pieces, p = cases[i].pp;
        read_job(w,
                 "{'kind':'infer','model':'mt-530b','system':'a100-80g-sxm','plan':{'tp':8,'pp':%d},'workload':{"
                 "'engine':'fastertransformer','batch':%d,'input_len':128,'output_len':8}}",
                 cases[i].pp, cases[i].batch);
        const struct orr_infer_result r = infer(w, &w->job);
        const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "mlp.up", NULL);
        assert_close(op->count, 105, 0);
        assert_close(runs_of(w, &w->job, ORR_PHASE_PREFILL, "mlp.up"), 105 * pieces / p, 1e-12);
        assert_close(op->m, batch * 128 / pieces, 0);
        assert_close(phase_op(w, ORR_PHASE_DECODE, "mlp.up", NULL)->m, cases[i].decode_rows, 0);
        if (p > 1) continue;
        w->job.serving.batch /= (int64_t)pieces; /* on one stage, pieces follow one another */
        assert_close(r.prefill_s, pieces * infer(w, &w->job).prefill_s, 1e-12);
    }
}

/* Unfused attention moves q, k, v and the context between layouts: split into heads 2 * 3 h, k, v into the cache 2 *
 * 2 h, merged 2 * h, 2 bytes each: 24 h of GPT-3 20B, h = 6144, over 2 ranks, for 4 prompts of 100 tokens. */
static void unfused_attention_copies_its_heads(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'gpt3-20b','system':'a100-80g-sxm','plan':{'tp':2},'workload':{"
                "'engine':'fastertransformer','batch':4,'input_len':100,'output_len':1}}");
    (void)infer(w, &w->job);
    const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "attention.copies", NULL);
    assert_non_null(op);
    assert_close(op->bytes, 400 * 24 * 6144 / 2, 0);
    assert_close(op->count * op->launches, 44 * 3, 0);
}

/* A context-parallel rank has its share of the queries and meets all keys: 4 prompts of 4096 tokens, 32 layers with 32
 * heads of 128. Scores take 2 * 4096 * 4096 * 128 FLOP a head, copies 24 * 4096 bytes a token; over c ranks, a c-th. */
static void unfused_attention_shares_its_queries(void **state)
{
    struct world *w = *state;
    for (int cp = 1; cp <= 4; cp *= 2) {
        read_job(w,
                 "{'kind':'infer','model':'llama2-7b','system':'h100-sxm','gpus':%d,'plan':{'cp':%d},'workload':{"
                 "'engine':'fastertransformer','batch':4,'input_len':4096,'output_len':1}}",
                 cp, cp);
        (void)infer(w, &w->job); /* the engine cuts the batch into pieces of one prompt */
        const struct orr_op *scores = phase_op(w, ORR_PHASE_PREFILL, "attention.scores", NULL);
        const struct orr_op *context = phase_op(w, ORR_PHASE_PREFILL, "attention.context", NULL);
        const struct orr_op *softmax = phase_op(w, ORR_PHASE_PREFILL, "attention.softmax", NULL);
        const struct orr_op *copies = phase_op(w, ORR_PHASE_PREFILL, "attention.copies", NULL);
        assert_close(4 * scores->count * scores->flops, 32.0 * 4 * 32 * 2 * 4096 * 4096 * 128 / cp, 1e-15);
        assert_close(4 * context->count * context->flops, 32.0 * 4 * 32 * 2 * 4096 * 4096 * 128 / cp, 1e-15);
        assert_close(4 * softmax->count * softmax->bytes, 32.0 * 4 * 32 * 4 * 4096 * 4096 / cp, 1e-15);
        assert_close(softmax->n, 4096, 0);
        assert_close(4 * copies->count * copies->bytes, 32.0 * 4 * 4096 * 24 * 4096 / cp, 1e-15);
    }
}

/* Ring attention is the same in a prefill as in training: a step of the ring multiplies a block of a rank's own size
 * with no causal edge, and its pass of K,V runs beside it. Llama-3-8B, tp 2, cp 2, 2 prompts of 4096: 2 * 16 heads of
 * 4096 * 4096 / 2 pairs over 2 ranks, 2 * 256 FLOP each; 2 * 2048 tokens of 4 K,V heads of 2 * 128 numbers. */
static void a_prompt_rings_like_a_training_sequence(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'infer','model':'llama3-8b','system':'h100-sxm','gpus':4,'plan':{'tp':2,'cp':2},'workload':{"
                "'engine':'megatron-core-2025','batch':2,'input_len':4096,'output_len':1},"
                "'set':{'engine.kind':'both'}}");
    (void)infer(w, &w->job);
    const struct orr_op served = *phase_op(w, ORR_PHASE_PREFILL, "attention.flash", NULL);
    const struct orr_cost *cost;
    const struct orr_op *ring = phase_op(w, ORR_PHASE_PREFILL, "cp.ring", &cost);
    assert_close(ring->payload_bytes, 2 * 2048 * 4 * 2 * 128 * 2, 0);
    assert_true(cost->hidden_s > 0);
    read_job(w, "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':4,'plan':{'tp':2,'cp':2},'workload':{"
                "'engine':'megatron-core-2025','micro_batch':2,'global_batch':2,'seq':4096}}");
    train(w);
    const struct orr_op *trained = need_op(w, 0, "attention.flash");
    assert_close(trained->flops, 2 * 16 * 4096.0 * 4096 / 2 / 2 * 2 * 256, 0);
    assert_close(served.flops, trained->flops, 0);
    assert_close(served.m, 2048, 0);
    assert_close(served.n, 2048, 0);
    assert_close(trained->n, 2048, 0);
    assert_close(served.walk_ratio, 1, 0);
}

/* Rotary positions and cache write of Llama-3-8B, 32 heads and 8 K,V heads of 128, over 2 ranks, 3 prompts of 50
 * tokens: q read and written, k, v read at 2 bytes, and written at 2 or 1. A framework's contiguous cache has no such
 * pass. */
static void a_paged_prompt_is_rotated_and_cached_first(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *engine, *cache;
        double bytes;
    } cases[] = {{"vllm", "bf16", 4 * 2048 + 4 * 1024},
                 {"vllm", "fp8", 4 * 2048 + 3 * 1024},
                 {"pytorch-eager-cudagraph", "bf16", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(w,
                 "{'kind':'infer','model':'llama3-8b','system':'h200-sxm','plan':{'tp':2},'workload':{'engine':'%s',"
                 "'kv_precision':'%s','batch':3,'input_len':50,'output_len':1}}",
                 cases[i].engine, cases[i].cache);
        (void)infer(w, &w->job);
        const struct orr_op *op = phase_op(w, ORR_PHASE_PREFILL, "attention.rope", NULL);
        assert_close(op ? op->bytes : 0, 150 * cases[i].bytes, 0);
    }
}

/* Two tokens of 8192 elements are reduced over eight ranks: 2 bytes each as a rule, 1 in fp8. */
static void messages_have_their_own_format(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *word;
        double bytes;
    } formats[] = {{"", 2}, {",'comm_precision':'fp8'", 1}};
    for (size_t i = 0; i < COUNT(formats); i++) {
        read_job(w,
                 "{'kind':'infer','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},'workload':{'engine':'vllm',"
                 "'batch':2,'input_len':100,'output_len':10,'precision':'fp8'%s}}",
                 formats[i].word);
        (void)infer(w, &w->job);
        assert_close(phase_op(w, ORR_PHASE_DECODE, "tp.reduce", NULL)->payload_bytes, 2 * 8192 * formats[i].bytes, 0);
    }
}

/* Llama-4 Maverick cuts positions into chunks of 8192 in three of four layers: 4 x 8192^2 / 2 pairs of a prompt of
 * 32768 tokens, against 32768^2 / 2; 40 heads, 2 x 128 + 2 x 128 FLOP a pair. */
static void chunks_attend_within_themselves(void **state)
{
    struct world *w = *state;
    const struct orr_op *ops;
    const struct orr_cost *costs;
    double chunked = 0, full = 0;
    read_job(w, "{'kind':'infer','model':'llama4-maverick','system':'b200-sxm','gpus':8,'plan':{'dp':8,'ep':8},"
                "'workload':{'engine':'vllm','precision':'fp8','input_len':32768,'output_len':1}}");
    (void)infer(w, &w->job);
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(ops[i].name, "attention.flash") != 0) continue;
        if (fabs(ops[i].flops - 40.0 * 512 * 4 * 8192 * 8192 / 2) < 1e6) chunked += ops[i].count;
        if (fabs(ops[i].flops - 40.0 * 512 * 32768 * 32768 / 2) < 1e6) full += ops[i].count;
    }
    assert_close(chunked, 36, 0);
    assert_close(full, 12, 0);
}

/* One family of chips has no decode kernel that packs the query groups of chunked layers: every query head reads its
 * keys again. */
static void chunks_are_unpacked_where_the_engine_says(void **state)
{
    struct world *w = *state;
    const char *const systems[] = {"h200-sxm", "b200-sxm"};
    for (int i = 0; i < 2; i++) {
        read_job(w,
                 "{'kind':'infer','model':'llama4-maverick','system':'%s','gpus':8,'plan':{'dp':8,'ep':8},'workload':{"
                 "'engine':'tensorrt-llm-1.2','precision':'fp8','input_len':1000,'output_len':2}}",
                 systems[i]);
        const struct orr_model *model = &w->job.model;
        for (int64_t k = 0; k < model->n_kinds; k++) {
            const struct orr_op op = orr_serve_decode_op(&w->job, &model->kinds[k], 8, 1);
            assert_int_equal(op.packed, i == 1 || !model->kinds[k].chunked);
        }
    }
}

/* Published gpt-oss: 4-bit experts, 16 bits elsewhere. Widened experts run at 0.35 of the peak, measured, and 2.1 us a
 * tile: 32 experts with 512 rows in the mean. Half of them have more, so that they fill 8.5 tiles of 64 rows, which is
 * less than 4.5 of 128. */
static void published_experts_alone_are_narrow(void **state)
{
    struct world *w = *state;
    const struct orr_cost *cost;
    read_job(w, "{'kind':'infer','model':'gpt-oss-20b','system':'h200-sxm','workload':{'precision':'fp4','batch':4,"
                "'engine':'tensorrt-llm-1.0','input_len':1024,'output_len':1}}");
    (void)infer(w, &w->job);
    const struct orr_op *qkv = phase_op(w, ORR_PHASE_PREFILL, "attention.qkv", NULL);
    assert_int_equal(qkv->dtype, ORR_DTYPE_BF16);
    assert_close(qkv->weight_bytes, 2, 0);
    const struct orr_op *expert = phase_op(w, ORR_PHASE_PREFILL, "expert.gate_up", &cost);
    assert_int_equal(expert->dtype, ORR_DTYPE_BF16);
    assert_close(expert->weight_bytes, 0.5625, 0);
    assert_close(expert->m, 512, 1e-6);
    const double tile_s = 2.0 * 64 * 256 * 2880 * 132 / (989.4e12 * 0.35) + 2.1e-6, tiles = 32.0 * 8.5 * 23;
    assert_close(cost->compute_s, tiles / 132 * tile_s, 1e-3);
}

/* A chip that multiplies fp8 also has constants for products scaled in blocks. */
static void block_scaled_products_wherever_fp8_is(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    char request[256];
    int with_fp8 = 0;
    for (size_t i = 0; i < orr_catalogue_count(w->catalogue, ORR_PART_SYSTEM); i++) {
        const char *id = orr_catalogue_id(w->catalogue, ORR_PART_SYSTEM, i);
        for (int block = 0; block < 2; block++) {
            (void)snprintf(request, sizeof request,
                           "{'kind':'infer','model':'llama3-8b','system':'%s','workload':{'input_len':8,"
                           "'output_len':8,'precision':'%s'}}",
                           id, block ? "fp8_block" : "fp8");
            const enum orr_err err = try_job(w, request, &error);
            if (!block && err) break; /* no units for 8-bit numbers */
            if (err) fail_msg("%s: %s", id, error.text);
            with_fp8 += block;
        }
    }
    assert_true(with_fp8 >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_decode_bound_is_eq_92),
        cmocka_unit_test(a_filling_window_respects_the_bound),
        cmocka_unit_test(a_layer_reduces_twice),
        cmocka_unit_test(prompt_products_have_the_published_intensity),
        cmocka_unit_test(lone_decode_products_are_dram_bound),
        cmocka_unit_test(narrow_weights_are_never_slower_in_decode),
        cmocka_unit_test(experts_touched_are_eq_8),
        cmocka_unit_test(copies_fill_up_expert_ranks),
        cmocka_unit_test(halves_hide_each_others_exchange),
        cmocka_unit_test(only_spanning_experts_exchange_tokens),
        cmocka_unit_test(a_cached_prefix_shortens_the_prompt),
        cmocka_unit_test(attention_of_a_prefix_counts_its_pairs),
        cmocka_unit_test(chunks_are_full_but_the_last),
        cmocka_unit_test(drafts_yield_eq_94),
        cmocka_unit_test(the_handed_cache_is_eq_95),
        cmocka_unit_test(a_lone_sequence_gains_nothing_from_stages),
        cmocka_unit_test(pieces_are_halved_to_their_tokens),
        cmocka_unit_test(unfused_attention_copies_its_heads),
        cmocka_unit_test(unfused_attention_shares_its_queries),
        cmocka_unit_test(a_prompt_rings_like_a_training_sequence),
        cmocka_unit_test(a_paged_prompt_is_rotated_and_cached_first),
        cmocka_unit_test(messages_have_their_own_format),
        cmocka_unit_test(chunks_attend_within_themselves),
        cmocka_unit_test(chunks_are_unpacked_where_the_engine_says),
        cmocka_unit_test(published_experts_alone_are_narrow),
        cmocka_unit_test(block_scaled_products_wherever_fp8_is),
    };
    return cmocka_run_group_tests_name("infer_ops", tests, open_world, close_world);
}
