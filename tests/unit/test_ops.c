/* Operator lists: shapes of real models against hand-worked numbers, FLOP totals against the closed forms of the method
 * reference (Eqs. 17-23), collectives per layer (3.5), rows per expert (Eq. 7), layers per pipeline rank. */
#include "support.h"

#include "cost/cost.h"
#include "ops/experts.h"
#include "ops/ops.h"

struct shape {
    const char *name;
    double batch, m, n, k;
};

static void assert_shapes(const struct world *world, int64_t layer_kind, const struct shape *shapes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct orr_op *op = need_op(world, layer_kind, shapes[i].name);
        const double actual[] = {op->batch, op->m, op->n, op->k};
        const double expected[] = {shapes[i].batch, shapes[i].m, shapes[i].n, shapes[i].k};
        for (size_t j = 0; j < 4; j++)
            if (actual[j] != expected[j]) fail_msg("%s: %g where %g is due", shapes[i].name, actual[j], expected[j]);
        if (op->kind != ORR_OP_FLASH)
            assert_close(op->flops, 2 * expected[0] * expected[1] * expected[2] * expected[3], 1e-15); /* Eq. 6 */
    }
}

/* ---------------------------------------------------------------- shapes */

/* h 12288, a 96, d 128, f 49152, V 51200, t 8: 12 heads and 1536 columns a rank, 3 * 1536 = 4608, 49152 / 8 = 6144 */
static void gpt3_is_cut_as_in_table_3_1(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','plan':{'tp':8,'sp':false},"
                "'workload':{'engine':'megatron-lm-2022','attention':'unfused','seq':2048}}");
    train(w);
    const struct shape layer[] = {
        {"attention.qkv", 1, 2048, 4608, 12288},          {"attention.qkv.dgrad", 1, 2048, 12288, 4608},
        {"attention.qkv.wgrad", 1, 12288, 4608, 2048},    {"attention.scores", 12, 2048, 2048, 128},
        {"attention.context", 12, 2048, 128, 2048},       {"attention.context.dP", 12, 2048, 2048, 128},
        {"attention.context.dV", 12, 2048, 128, 2048},    {"attention.scores.dQ", 12, 2048, 128, 2048},
        {"attention.scores.dK", 12, 2048, 128, 2048},     {"attention.out", 1, 2048, 12288, 1536},
        {"mlp.up", 1, 2048, 6144, 12288},                 {"mlp.down", 1, 2048, 12288, 6144},
        {"mlp.down.dgrad", 1, 2048, 6144, 12288},         {"mlp.down.wgrad", 1, 6144, 12288, 2048},
    };
    assert_shapes(w, 0, layer, COUNT(layer));
    const struct shape head[] = {{"head.logits", 1, 2048, 6400, 12288}};
    assert_shapes(w, ORR_LAYER_HEAD, head, COUNT(head));
    assert_close(need_op(w, 0, "attention.qkv")->flops, 231928233984.0, 0);
}

/* a 64, k 8, d 128, h 8192, f 28672. t 8: 8 query heads, 1 key head, (8 + 2) * 128 = 1280; t 16: 4 heads and still one
 * key head, repeated: (4 + 2) * 128 = 768 */
static void grouped_queries_keep_one_key_head_per_rank(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},"
                "'workload':{'engine':'megatron-core-2025','seq':4096}}");
    train(w);
    const struct shape eight[] = {{"attention.qkv", 1, 4096, 1280, 8192}, {"attention.out", 1, 4096, 8192, 1024},
                                  {"mlp.up", 1, 4096, 7168, 8192},        {"mlp.down", 1, 4096, 8192, 3584}};
    assert_shapes(w, 0, eight, COUNT(eight));
    assert_close(need_op(w, 0, "attention.rope")->bytes, 4096.0 * (8 + 1) * 128 * 4, 0); /* read and write, 16 bit */
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'tp':16},"
                "'workload':{'engine':'megatron-core-2025','seq':4096}}");
    train(w);
    const struct shape sixteen[] = {{"attention.qkv", 1, 4096, 768, 8192}, {"attention.out", 1, 4096, 8192, 512}};
    assert_shapes(w, 0, sixteen, COUNT(sixteen));
}

/* Eqs. 43, 44 with the causal half: F = 2 b (a/t) s^2/2 (d + d); backward 2.5 times that. Traffic: Q, O of 8 heads and
 * K, V of one, 2 bytes, and 4 bytes of row statistics. */
static void fused_attention_counts_the_causal_half(void **state)
{
    struct world *w = *state;
    const double s = 4096, heads = 8, pairs = heads * s * s / 2;
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8},"
                "'workload':{'engine':'megatron-core-2025','seq':4096}}");
    train(w);
    const struct orr_op *forward = need_op(w, 0, "attention.flash"),
                        *backward = need_op(w, 0, "attention.flash.backward");
    assert_close(forward->flops, 2 * pairs * 256, 1e-15);
    assert_close(backward->flops, 2.5 * 2 * pairs * 256, 1e-15);
    assert_close(forward->bytes, 2 * 256 * s * (heads + 1) + 4 * heads * s, 1e-15);
    w->job.workload.causal = false;
    train(w);
    assert_close(need_op(w, 0, "attention.flash")->flops, 2 * 2 * pairs * 256, 1e-15);
}

/* Window 1024 of 4096: a query sees 1024 keys once it is past them, so s w - w^2/2 pairs. */
static void a_window_is_a_band(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gemma3-12b','system':'h100-sxm','plan':{},"
                "'workload':{'engine':'megatron-core-2025','seq':4096}}");
    train(w);
    const double s = 4096, window = 1024;
    bool seen = false;
    for (int64_t k = 0; k < w->job.model.n_kinds; k++) {
        const struct orr_layer_kind *kind = &w->job.model.kinds[k];
        const double pairs = kind->window > 0 ? s * window - window * window / 2 : s * s / 2;
        assert_close(need_op(w, k, "attention.flash")->flops,
                     2 * (double)kind->n_heads * pairs * (double)(kind->head_qk + kind->head_v), 1e-15);
        seen = seen || kind->window == 1024;
    }
    assert_true(seen);
}

/* Eq. 7: M_x = phi e t_e T_e K / E with T_e = b s / (c t). T_e 2048, K 2, E 8, e 8: 4096 rows; phi 1.25: 5120;
 * t_e 2: twice the rows on half the columns. */
static void experts_get_the_rows_of_eq_7(void **state)
{
    struct world *w = *state;
    const struct {
        const char *plan;
        double imbalance, m, up, down, payload;
    } cases[] = {
        {"'tp':2,'dp':8,'ep':8,'etp':1", 1, 4096, 28672, 14336, 2048.0 * 2 * 4096 * 2},
        {"'tp':2,'dp':8,'ep':8,'etp':1", 1.25, 5120, 28672, 14336, 1.25 * 2048 * 2 * 4096 * 2},
        {"'tp':2,'dp':8,'ep':8,'etp':2", 1, 8192, 14336, 7168, 2048.0 * 2 * 4096 * 2},
        {"'tp':2,'dp':8,'ep':4,'etp':1", 1, 2048, 28672, 14336, 2048.0 * 2 * 4096 * 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','plan':{%s},"
                    "'workload':{'engine':'megatron-core-2025','seq':4096,'moe_imbalance':%g}}",
                 cases[i].plan, cases[i].imbalance);
        train(w);
        const double local = 8.0 / (double)w->job.plan.ep;
        const struct shape shapes[] = {{"expert.up", local, cases[i].m, cases[i].up, 4096},
                                       {"expert.down", local, cases[i].m, 4096, cases[i].down},
                                       {"moe.router", 1, 2048, 8, 4096}};
        assert_shapes(w, 0, shapes, COUNT(shapes));
        assert_int_equal(need_op(w, 0, "expert.up")->kind, ORR_OP_GROUPED);
        assert_close(need_op(w, 0, "moe.dispatch")->payload_bytes, cases[i].payload, 1e-15); /* Eq. 9a */
        assert_close(need_op(w, 0, "moe.combine.backward")->payload_bytes, cases[i].payload, 1e-15);
    }
}

/* 2048 tokens of a rank, two experts each: 4096 rows of 4096, read and written in 2 bytes. Two passes on the rows sent;
 * two more on the experts' own if there are several, on t_e times the rows; two more of those where fp8 pads them. */
static void rows_are_permuted_on_both_sides(void **state)
{
    struct world *w = *state;
    const struct {
        const char *plan, *precision;
        double passes;
    } cases[] = {
        {"'ep':8,'etp':1", "bf16", 2},         {"'ep':4,'etp':1", "bf16", 2 + 2},
        {"'ep':4,'etp':2", "bf16", 2 + 2 * 2}, {"'ep':4,'etp':2", "fp8", 2 + 2 * (2 + 2)},
        {"'ep':8,'etp':1", "fp8", 2 + 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','plan':{'tp':2,'dp':8,%s},"
                    "'workload':{'engine':'megatron-core-2025','seq':4096,'precision':'%s'}}",
                 cases[i].plan, cases[i].precision);
        train(w);
        const double pass = 4096.0 * 4096 * 4;
        assert_close(need_op(w, 0, "moe.permute")->bytes, cases[i].passes * pass, 1e-15);
        assert_close(need_op(w, 0, "moe.permute.backward")->bytes, cases[i].passes * pass, 1e-15);
    }
}

/* Eq. 11a with t 2: 64 heads a rank, d_n 128, d_r 64, d_v 128, r_q 1536, r 512; with sequence parallel the
 * replicated down-projections see half of the 4096 tokens. */
static void latent_attention_has_the_shapes_of_3_3(void **state)
{
    struct world *w = *state;
    read_job(
        w,
        "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','plan':{'tp':2,'dp':32,'ep':64,'etp':1,'sp':true},"
        "'workload':{'engine':'megatron-core-2025','seq':4096}}");
    train(w);
    const struct shape shapes[] = {
        {"mla.q_down", 1, 2048, 1536, 7168},        {"mla.kv_down", 1, 2048, 512 + 64, 7168},
        {"mla.q_up", 1, 4096, 64 * 192, 1536},      {"mla.kv_up", 1, 4096, 64 * 256, 512},
        {"attention.out", 1, 4096, 7168, 64 * 128},
    };
    assert_int_equal(w->job.model.n_kinds, 2);
    for (int64_t k = 0; k < 2; k++) {
        assert_shapes(w, k, shapes, COUNT(shapes));
        const struct orr_op *core = need_op(w, k, "attention.flash");
        assert_close(core->flops, 2 * 64 * 4096.0 * 4096 / 2 * (192 + 128), 1e-15);
        assert_close(need_op(w, k, "attention.flash.backward")->flops, 2 * 64 * 4096.0 * 4096 / 2 * (3 * 192 + 2 * 128),
                     1e-15);
        /* Eq. 19 */
        const double params =
            7168.0 * 1536 + 1536 + 1536.0 * 128 * 192 + 7168.0 * 576 + 512 + 512.0 * 128 * 256 + 128.0 * 128 * 7168;
        assert_close((double)w->job.model.kinds[k].attention_params, params, 0);
    }
    const int64_t experts = w->job.model.kinds[0].n_experts > 0 ? 0 : 1;
    const struct shape moe[] = {{"expert.up", 4, 2048 * 8 * 64 / 256.0, 4096, 7168},
                                {"shared.up", 1, 4096, 2048, 7168}};
    assert_shapes(w, experts, moe, COUNT(moe));
    w->job.plan.sp = false;
    train(w);
    assert_close(need_op(w, 0, "mla.q_down")->m, 4096, 0);
}

/* ---------------------------------------------------------------- totals */

/* Matrix FLOP of one iteration on all GPUs of a plan without pipeline, from the operator list. */
static double listed_flops(const struct world *w, bool with_recompute)
{
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        const double layers = ops[i].layer_kind >= 0 ? (double)w->job.model.n_layers : 1;
        total += ops[i].flops * layers * ops[i].count * (with_recompute && ops[i].recomputed ? 2 : 1);
    }
    return total * (double)w->result.n_micro_batches * (double)w->job.plan.gpus;
}

static void gpt_flops_are_eqs_21_to_23(void **state)
{
    struct world *w = *state;
    const double h = 6144, L = 48, V = 51200, s = 2048, B = 64;
    const char *const plans[] = {"'tp':1,'dp':1", "'tp':8,'dp':1,'sp':false", "'tp':8,'dp':4,'sp':true",
                                 "'tp':2,'dp':2,'cp':2,'cp_kind':'allgather'", "'tp':4,'cp':4,'cp_kind':'ring','dp':1"};
    for (size_t i = 0; i < COUNT(plans); i++) {
        read_job(
            w,
            "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{%s},'workload':{'seq':2048,"
            "'micro_batch':2,'global_batch':64,'engine':'megatron-lm-2022','attention':'unfused','recompute':'none'}}",
            plans[i]);
        const double base = 72 * B * s * L * h * h;
        const double model = base * (1 + s / (6 * h) + V / (12 * L * h)); /* Eq. 21 */
        train(w);
        assert_close(listed_flops(w, true), model, 1e-12);
        assert_close(w->result.executed_flops, model, 1e-12);
        assert_close(orr_model_flops(&w->job), model, 1e-12);
        assert_close(w->result.model_flops, model, 1e-12);
        w->job.workload.recompute = ORR_RECOMPUTE_SELECTIVE;
        train(w);
        assert_close(listed_flops(w, true), base * (1 + s / (4.5 * h) + V / (12 * L * h)), 1e-12); /* Eq. 23 */
        assert_close(listed_flops(w, false), model, 1e-12);
        w->job.workload.recompute = ORR_RECOMPUTE_FULL;
        train(w);
        assert_close(listed_flops(w, true), base / 72 * 96 * (1 + s / (6 * h) + V / (16 * L * h)), 1e-12); /* Eq. 22 */
        assert_close(w->result.executed_flops, listed_flops(w, true), 1e-12);
        assert_close(orr_model_flops(&w->job), model, 1e-12);
    }
}

/* 6 per parameter a token is multiplied with (no embedding, no norm, no router bias) and 6 a (d_qk + d_v) s a layer for
 * the scores (Eq. 20 times three). Parameter counts: Eqs. 16-19. */
static void llama_flops_are_six_per_parameter(void **state)
{
    struct world *w = *state;
    const struct {
        const char *model;
        double matrix_params, score_width; /* L a (d_qk + d_v) */
    } cases[] = {
        {"llama2-70b", 68976648192.0 - 32000.0 * 8192 - (2 * 80 + 1) * 8192.0, 80.0 * 64 * 256},
        {"llama3-8b", 8030261248.0 - 128256.0 * 4096 - (2 * 32 + 1) * 4096.0, 32.0 * 32 * 256},
        {"mixtral-8x7b", 12879925248.0 - 32000.0 * 4096 - (2 * 32 + 1) * 4096.0, 32.0 * 32 * 256},
        {"deepseek-v3", 37552297472.0 - 129280.0 * 7168 - (2 * 61 + 1) * 7168.0 - 61 * (1536.0 + 512) - 58 * 256.0,
         61.0 * 128 * (192 + 128)},
    };
    const double s = 2048, B = 32;
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(w, "{'kind':'train','model':'%s','system':'h100-sxm','plan':{},"
                    "'workload':{'seq':2048,'global_batch':32}}", cases[i].model);
        assert_close(orr_model_flops(&w->job), B * s * (6 * cases[i].matrix_params + 6 * cases[i].score_width * s),
                     1e-12);
        assert_close(orr_model_flops_causal(&w->job),
                     B * s * (6 * cases[i].matrix_params + 3 * cases[i].score_width * s), 1e-12);
    }
}

/* Korthikanti et al. 2022 print MFU 41.5, 51.4, 56.0, 56.3 % beside the step times of table 5; Eq. 21 over time, GPUs
 * and 312 TFLOP/s reproduces them to 0.2 points (Eq. 21). */
static void published_mfu_follows_from_published_time(void **state)
{
    struct world *w = *state;
    const struct {
        const char *model;
        int tp, pp;
        double batch, micro_batch, time_s, mfu;
    } rows[] = {{"gpt-22b", 8, 1, 4, 4, 1.10, 0.415},     {"gpt3-175b", 8, 8, 64, 1, 13.75, 0.514},
                {"mt-530b", 8, 35, 280, 1, 37.83, 0.560}, {"gpt-1t", 8, 64, 512, 1, 71.49, 0.563}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_job(w,
                 "{'kind':'train','model':'%s','system':'a100-80g-sxm','plan':{'tp':%d,'pp':%d},'workload':{'seq':2048,"
                 "'micro_batch':%g,'global_batch':%g,'precision':'fp16','engine':'megatron-lm-2022'}}",
                 rows[i].model, rows[i].tp, rows[i].pp, rows[i].micro_batch, rows[i].batch);
        const double gpus = rows[i].tp * rows[i].pp;
        const double mfu = orr_model_flops(&w->job) / (rows[i].time_s * gpus * 312e12);
        assert_true(fabs(mfu - rows[i].mfu) < 0.0025);
        train(w); /* Eq. 3 on the prediction's own numbers */
        assert_close(w->result.mfu_frac, w->result.model_flops / (w->result.step_time_s * gpus * 312e12), 1e-14);
        assert_close(w->result.model_tflops_per_gpu, w->result.mfu_frac * 312, 1e-14);
        assert_close(w->result.tokens_per_s, rows[i].batch * 2048 / w->result.step_time_s, 1e-14);
    }
}

/* ---------------------------------------------------------------- communication */

struct tally {
    int forward[ORR_N_COLLECTIVES], backward[ORR_N_COLLECTIVES];
};

static struct tally count_collectives(const struct world *w, int64_t layer_kind, enum orr_group group, double payload)
{
    struct tally tally = {0};
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    for (size_t i = 0; i < n; i++) {
        if (ops[i].kind != ORR_OP_COLLECTIVE || ops[i].group != group || ops[i].layer_kind != layer_kind) continue;
        assert_close(ops[i].payload_bytes, payload, 1e-15);
        (ops[i].phase == ORR_PHASE_FORWARD ? tally.forward : tally.backward)[ops[i].collective]++;
    }
    return tally;
}

/* Eq. 12a: without SP 2 all-reduces each way; with SP 2 + 2 in forward, 2 + 2 and the gathers of the 2 saved inputs
 * in backward; all of T h w = 2 * 2048 * 6144 * 2 bytes. */
static void tensor_parallel_collectives_per_layer(void **state)
{
    struct world *w = *state;
    const double payload = 2.0 * 2048 * 6144 * 2;
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'a100-80g-sxm','plan':{'tp':8,'sp':false},"
                "'workload':{'seq':2048,'micro_batch':2,'engine':'megatron-lm-2022'}}");
    train(w);
    struct tally tally = count_collectives(w, 0, ORR_GROUP_TP, payload);
    assert_int_equal(tally.forward[ORR_COLLECTIVE_ALLREDUCE], 2);
    assert_int_equal(tally.backward[ORR_COLLECTIVE_ALLREDUCE], 2);
    assert_int_equal(tally.forward[ORR_COLLECTIVE_ALLGATHER] + tally.backward[ORR_COLLECTIVE_ALLGATHER], 0);
    w->job.plan.sp = true;
    train(w);
    tally = count_collectives(w, 0, ORR_GROUP_TP, payload);
    assert_int_equal(tally.forward[ORR_COLLECTIVE_ALLREDUCE] + tally.backward[ORR_COLLECTIVE_ALLREDUCE], 0);
    assert_int_equal(tally.forward[ORR_COLLECTIVE_ALLGATHER], 2);
    assert_int_equal(tally.forward[ORR_COLLECTIVE_REDUCESCATTER], 2);
    assert_int_equal(tally.backward[ORR_COLLECTIVE_ALLGATHER], 4);
    assert_int_equal(tally.backward[ORR_COLLECTIVE_REDUCESCATTER], 2);
}

static void one_rank_does_not_communicate(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':1,'workload':{'global_batch':4}}");
    train(w);
    const struct orr_op *ops;
    const struct orr_cost *costs;
    const size_t n = scratch_ops(w->scratch, &ops, &costs);
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) assert_int_not_equal(ops[i].kind, ORR_OP_COLLECTIVE);
}

/* Eq. 15 with contiguous pieces. c 4, s 8192: the last rank has queries 6144 to 8191, with 2048 (6144 + 1024) pairs;
 * the mean is 8192²/2/4. Their ratio is 7/4. The FLOP stay those of the mean rank; arithmetic takes 7/4 of the time. A
 * window of 1024 keys gives the last rank 2048·1024 pairs and the first one 512·1024 less, so the mean is
 * 1024 (4·2048 - 512)/4. A rank that exchanges heads sees the whole sequence. */
static void contiguous_pieces_wait_for_the_last_rank(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'tp':2,'cp':4,'cp_kind':'ring'},"
                "'workload':{'seq':8192,'engine':'megatron-core-2025'},'set':{'model.max_position_embeddings':8192}}");
    train(w);
    const double even_s = w->result.step_time_s;
    const double flops = need_op(w, 0, "attention.flash")->flops;
    struct orr_cost even, last;
    orr_cost_one(&w->job, need_op(w, 0, "attention.flash.backward"), &even);
    w->job.engine.cp_balanced = false;
    train(w);
    assert_true(w->result.step_time_s > even_s);
    assert_close(need_op(w, 0, "attention.flash")->imbalance_frac, 0.75, 1e-15);
    assert_close(need_op(w, 0, "attention.flash")->flops, flops, 1e-15);
    orr_cost_one(&w->job, need_op(w, 0, "attention.flash.backward"), &last);
    assert_close(last.compute_s, 1.75 * even.compute_s, 1e-15);
    assert_close(last.matrix_s, 1.75 * even.matrix_s, 1e-15);
    w->job.plan.cp_kind = ORR_CP_ALLGATHER;
    train(w);
    assert_close(need_op(w, 0, "attention.flash")->imbalance_frac, 0.75, 1e-15);
    w->job.model.kinds[0].window = 1024;
    train(w);
    assert_close(need_op(w, 0, "attention.flash")->imbalance_frac, 2048.0 / (2048 - 128) - 1, 1e-14);
    w->job.plan.cp_kind = ORR_CP_ULYSSES;
    train(w);
    assert_close(need_op(w, 0, "attention.flash")->imbalance_frac, 0, 0);
}

/* Eq. 13: (c - 1) 2 b (s/c) k_t d w forward; backward c - 1 of K,V and c of dK,dV. Eq. 14: the send buffer, of which
 * (c - 1)/c leaves the rank, holds (b s/c)(2a + 2k) d/t elements. t 2, a 64, k 8, d 128, s 8192, c 4. */
static void context_parallel_payloads(void **state)
{
    struct world *w = *state;
    const double local = 8192.0 / 4, kv = 2 * local * 4 * 128 * 2;
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'tp':2,'cp':4,'cp_kind':'ring'},"
                "'workload':{'seq':8192,'engine':'megatron-core-2025'},'set':{'model.max_position_embeddings':8192}}");
    train(w);
    assert_close(need_op(w, 0, "cp.ring")->payload_bytes, 3 * kv, 1e-15);
    assert_close(need_op(w, 0, "cp.ring.backward")->payload_bytes, (3 + 4) * kv, 1e-15);
    assert_close(need_op(w, 0, "attention.flash")->flops, 2 * 32 * 8192.0 * 8192 / 2 / 4 * 256,
                 1e-15); /* Eq. 15: even */
    assert_close(need_op(w, 0, "attention.flash")->imbalance_frac, 0, 0);
    w->job.plan.cp_kind = ORR_CP_ALLGATHER;
    train(w);
    assert_close(need_op(w, 0, "cp.gather")->payload_bytes, 2 * 8192.0 * 4 * 128 * 2, 1e-15);
    w->job.plan.cp_kind = ORR_CP_ULYSSES;
    train(w);
    assert_close(need_op(w, 0, "cp.alltoall")->payload_bytes, local * (2 * 64 + 2 * 8) * 128 / 2 * 2, 1e-15);
    assert_close(need_op(w, 0, "cp.alltoall.backward")->payload_bytes, local * (2 * 64 + 2 * 8) * 128 / 2 * 2, 1e-15);
}

/* Eq. 74: T h w a boundary, over t with sequence parallel or scatter-gather; Eq. 5: groups of the gradients. */
static void sends_and_gradient_groups(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':2048,'plan':{'pp':16,'ep':64,'etp':1,"
                "'zero':1},"
                "'workload':{'seq':4096,'global_batch':2048,'engine':'megatron-core-2025'}}");
    train(w);
    assert_close(need_op(w, ORR_LAYER_BOUNDARY, "pp.send")->payload_bytes, 4096.0 * 7168 * 2, 1e-15);
    assert_int_equal(orr_group_ranks(&w->job.plan, ORR_GROUP_DP), 128); /* Eq. 5 */
    assert_int_equal(orr_group_ranks(&w->job.plan, ORR_GROUP_EDP), 2);
    read_job(w, "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','plan':{'tp':8,'pp':8,'sp':true},"
                "'workload':{'seq':2048,'engine':'megatron-core-2025'}}");
    train(w);
    assert_close(need_op(w, ORR_LAYER_BOUNDARY, "pp.send.backward")->payload_bytes, 2048.0 * 12288 * 2 / 8, 1e-15);
}

/* ---------------------------------------------------------------- pipeline ranks */

static void assert_layers(struct world *w, const double *layers, int64_t n)
{
    static struct orr_stage stages[ORR_MAX_STAGES];
    assert_int_equal(w->job.plan.pp, n);
    orr_stages_build(&w->job, stages);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < w->job.model.n_kinds; k++) sum += stages[i].n_layers[k];
        if (sum != layers[i]) fail_msg("rank %d has %g layers, expected %g", (int)i, sum, layers[i]);
        assert_int_equal(stages[i].embedding, i == 0);
        assert_int_equal(stages[i].head, i == n - 1);
    }
}

static void layers_are_spread_over_ranks(void **state)
{
    struct world *w = *state;
    const char *request = "{'kind':'train','model':'%s','system':'h100-sxm','plan':{%s},'workload':{'seq':2048}}";
    read_job(w, request, "gpt3-175b", "'pp':8,'vpp':3");
    assert_layers(w, (const double[]){12, 12, 12, 12, 12, 12, 12, 12}, 8);
    /* 126 layers and two ends over 64 chunks: two each, one on the first and on the last chunk */
    read_job(w, request, "llama3.1-405b", "'tp':8,'pp':16,'vpp':4");
    assert_layers(w, (const double[]){7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7}, 16);
    /* 80 over 7: 11 each and three over, not on the rank of the embedding */
    read_job(w, request, "llama2-70b", "'pp':7");
    assert_layers(w, (const double[]){11, 12, 12, 12, 11, 11, 11}, 7);
    /* 32 over 3, two over: only the rank of the head is light */
    read_job(w, request, "llama3-8b", "'pp':3");
    assert_layers(w, (const double[]){11, 11, 10}, 3);
    read_job(w, request, "llama3-8b", "'pp':4,'stage_layers':[7,9,9,7]");
    assert_layers(w, (const double[]){7, 9, 9, 7}, 4);
}

/* Ranks of a plan hold the model once: parameters of all stages, times what they are divided by. */
static void stages_hold_every_parameter(void **state)
{
    struct world *w = *state;
    static struct orr_stage stages[ORR_MAX_STAGES];
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'pp':8},'workload':{'seq':2048}}");
    orr_stages_build(&w->job, stages);
    double params = 0;
    for (int i = 0; i < 8; i++) params += stages[i].dense_params + stages[i].expert_params;
    assert_close(params, 68976648192.0, 1e-15);
    /* 61 layers, 3 of them dense; experts over 64 ranks */
    read_job(w,
             "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':256,'plan':{'pp':4,'ep':64,'etp':1,"
             "'stage_layers':[15,15,15,16]},'workload':{'seq':4096,'global_batch':256,'engine':'megatron-core-2025',"
             "'mtp_layers':0}}");
    orr_stages_build(&w->job, stages);
    params = 0;
    for (int i = 0; i < 4; i++) params += stages[i].dense_params + 64 * stages[i].expert_params;
    assert_close(params, 671026419200.0, 1e-15);
    const int dense = w->job.model.kinds[0].n_experts > 0 ? 1 : 0;
    assert_close(stages[0].n_layers[dense], 3, 0);
    assert_close(stages[0].n_layers[1 - dense], 12, 0);
    assert_close(stages[3].n_layers[1 - dense], 16, 0);
    /* attention 187.1 M; dense FFN 396.4 M; 4 experts, the shared one and the router 222.0 M: rank 0 with embedding
     * 3 * 583.5 + 12 * 409.2 + 926.7 = 7587 M, rank 3 with head 16 * 409.2 + 926.7 = 7473 M */
    static struct orr_classes classes;
    orr_classes_build(stages, 4, &classes); /* ends apart, the two between them alike */
    assert_int_equal(classes.n, 3);
    assert_close(classes.items[1].ranks, 2, 0);
    assert_int_equal(classes.of_rank[2], 1);
    assert_ptr_equal(orr_classes_heaviest(classes.items, classes.n), &classes.items[0].stage);
    assert_close(stages[0].dense_params + stages[0].expert_params, 7587.0e6, 1e-4);
    assert_close(stages[3].dense_params + stages[3].expert_params, 7473.2e6, 1e-4);
}

#define DEEPSEEK(more)                                                                                                 \
    "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':1024,'plan':{'tp':2,'pp':16,'ep':64,'etp':1},"   \
    "'workload':{'seq':4096,'global_batch':8192," more "}}"

/* 61 layers, the prediction layer and two ends are 4 * 16: with full first chunks the last rank has one layer of the
 * model left, else the first has one less and the last two. Beside the layer it gains projection and norms (103 M
 * over 2 ranks, norms whole) and a copy of the embedding. */
static void prediction_layers_are_on_the_last_rank(void **state)
{
    struct world *w = *state;
    static struct orr_stage stages[ORR_MAX_STAGES];
    read_job(w, DEEPSEEK("'engine':'megatron-core-2025'"));
    orr_stages_build(&w->job, stages);
    assert_close(stages[0].n_layers[w->job.model.layer_kind[0]], 3, 0);
    assert_close(stages[15].n_layers[w->job.model.layer_kind[60]], 2 + 1, 0);
    read_job(w, DEEPSEEK("'engine':'megatron-core-2026'"));
    assert_int_equal(w->job.workload.mtp_layers, 1);
    orr_stages_build(&w->job, stages);
    for (int i = 0; i < 16; i++) {
        double layers = 0;
        for (int64_t k = 0; k < w->job.model.n_kinds; k++) layers += stages[i].n_layers[k];
        assert_close(layers, i < 15 ? 4 : 2, 0);
        assert_close(stages[i].n_mtp, i < 15 ? 0 : 1, 0);
    }
    const double h = 7168, matrix = 129280 * h / 2;
    const struct orr_layer_kind *kind = &w->job.model.kinds[w->job.model.layer_kind[60]];
    assert_close(stages[15].dense_params,
                 2 * orr_rank_dense_params(&w->job, kind) + 2 * matrix + h + 2 * h * h / 2 + 3 * h, 1e-12);
    assert_close(stages[15].expert_params, 2 * 4 * 3 * h * 2048, 1e-15);
    /* 32 chunks of 2: Et|(tt|)*30mL, one layer on the first, none on the last; 16 ranks have two chunks each */
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':1024,'plan':{'tp':2,'pp':16,'vpp':2,"
                "'ep':64,'etp':1},'workload':{'seq':4096,'global_batch':8192,'engine':'megatron-core-2026'}}");
    orr_stages_build(&w->job, stages);
    assert_close(stages[15].n_layers[w->job.model.layer_kind[60]], 2 + 0 + 1, 0);
    assert_close(stages[1].n_layers[0] + stages[1].n_layers[1], 4, 0);
    assert_close(stages[0].n_layers[0] + stages[0].n_layers[1], 1 + 2, 0);
    /* asked for or not, and by engines that do not train it */
    read_job(w, DEEPSEEK("'engine':'megatron-core-2025','mtp_layers':0"));
    assert_int_equal(w->job.workload.mtp_layers, 0);
    read_job(w, DEEPSEEK("'engine':'megatron-core-2024'"));
    assert_int_equal(w->job.workload.mtp_layers, 0);
}

/* Megatron-Bridge's performance page counts 260 GFLOP per token of DeepSeek-V3, prediction layer and causal half. */
static void prediction_layers_run_the_head_again(void **state)
{
    struct world *w = *state;
    read_job(w, DEEPSEEK("'engine':'megatron-core-2025'"));
    train(w);
    const struct shape shapes[] = {{"mtp.projection", 1, 4096, 3584, 14336}, {"head.logits", 1, 4096, 64640, 7168}};
    assert_shapes(w, ORR_LAYER_MTP, shapes, COUNT(shapes));
    assert_close(need_op(w, ORR_LAYER_MTP, "loss")->bytes, need_op(w, ORR_LAYER_HEAD, "loss")->bytes, 0);
    assert_close(need_op(w, ORR_LAYER_MTP, "mtp.hidden_norm")->bytes, 2 * 2 * 4096.0 / 2 * 7168, 1e-15);
    const double tokens = 8192.0 * 4096;
    const double flops = orr_model_flops_causal(&w->job) / tokens;
    assert_close(flops, 260e9, 0.005);
    /* six per weight: 2.4e9 used by a token less the embedding's 0.9e9 (publisher's count), and the scores */
    w->job.workload.mtp_layers = 0;
    const double more = flops - orr_model_flops_causal(&w->job) / tokens;
    const double scores = 3 * 2.0 * 128 * (192 + 128) * 4096 / 2;
    assert_close((more - scores) / 6, 2.4e9 - 0.9267e9, 0.1);
}

/* cuDNN runs 192/128 heads backward on Blackwell from 9.11 on; stacks before that compute the scores and recompute
 * them. */
static void latent_attention_falls_back_where_no_kernel_has_it(void **state)
{
    struct world *w = *state;
    const struct {
        const char *model, *system, *more;
        enum orr_attention_kernel attention;
        enum orr_recompute recompute;
    } cases[] = {
        {"deepseek-v3", "gb200-nvl72", "'engine':'megatron-core-2025'", ORR_ATTENTION_UNFUSED, ORR_RECOMPUTE_SELECTIVE},
        {"deepseek-v3", "h100-sxm", "'engine':'megatron-core-2025'", ORR_ATTENTION_FLASH3, ORR_RECOMPUTE_NONE},
        {"deepseek-v3", "gb200-nvl72", "'engine':'megatron-core-2026'", ORR_ATTENTION_FLASH3, ORR_RECOMPUTE_NONE},
        {"mixtral-8x7b", "gb200-nvl72", "'engine':'megatron-core-2025'", ORR_ATTENTION_FLASH3, ORR_RECOMPUTE_NONE},
        {"deepseek-v3", "gb200-nvl72", "'engine':'megatron-core-2025','attention':'flash'", ORR_ATTENTION_FLASH3,
         ORR_RECOMPUTE_NONE},
        {"deepseek-v3", "gb200-nvl72", "'engine':'megatron-core-2025','recompute':'full'", ORR_ATTENTION_UNFUSED,
         ORR_RECOMPUTE_FULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(w, "{'kind':'train','model':'%s','system':'%s','gpus':64,'plan':{'ep':8,'etp':1},'workload':{%s}}",
                 cases[i].model, cases[i].system, cases[i].more);
        assert_int_equal(w->job.workload.attention, cases[i].attention);
        assert_int_equal(w->job.workload.recompute, cases[i].recompute);
    }
}

/* ---------------------------------------------------------------- one emitter */

/* Eq. 8 by hand: one token touches its 2 of 8 experts, two touch 8 (1 - (6/8)^2) = 3.5, on 4 ranks a fourth of that;
 * many touch all, and 12 places on 4 ranks are 3. */
static void touched_experts_are_eq_8(void **state)
{
    (void)state;
    assert_close(orr_experts_touched(8, 2, 1, 1), 2, 1e-15);
    assert_close(orr_experts_touched(8, 2, 2, 1), 3.5, 1e-15);
    assert_close(orr_experts_touched(8, 2, 2, 4), 0.875, 1e-15);
    assert_close(orr_experts_touched(8, 2, 159, 1), 8, 1e-15); /* just before the power is spared, and after */
    assert_close(orr_experts_touched(8, 2, 161, 1), 8, 0);
    assert_close(orr_experts_touched(12, 2, 1e6, 4), 3, 0);
}

/* Eq. 267 by hand. One token and 2 of 8 experts on 4 ranks: mean 0.5 of 2, deviation sqrt(0.5 x 0.75 x 0.75) = 0.53033,
 * times sqrt(2 ln 4) - 0.6 = 1.06511. Four tokens and 8 of 256 on 8 ranks: drawn 3,000 times the largest is 6.59 in the
 * mean, where the mean rank has 3.82. It is never more than a rank holds or is chosen, and one rank has the mean. */
static void busiest_rank_is_eq_361(void **state)
{
    (void)state;
    assert_close(orr_experts_touched_most(8, 2, 1, 4), 1.064859465, 1e-9);
    assert_close(orr_experts_touched_most(256, 8, 4, 8), 6.284770396, 1e-9);
    assert_close(orr_experts_touched_most(12, 2, 1e6, 4), 3, 0);
    assert_close(orr_experts_touched_most(8, 2, 2, 1), 3.5, 1e-15);
    assert_true(orr_experts_touched_most(64, 1, 1, 64) <= 1);
}

/* FLOP of the matrix products of one phase in one layer, without the router: in training a rank routes its share. */
static double layer_flops(const struct world *w, enum orr_phase phase, double layers)
{
    const struct orr_op *ops = w->scratch->ops.items;
    double flops = 0;
    for (size_t i = 0; i < w->scratch->ops.n; i++)
        if (ops[i].phase == phase && ops[i].layer_kind == w->job.model.n_kinds - 1 &&
            strcmp(ops[i].name, "moe.router") != 0)
            flops += ops[i].count / layers * ops[i].flops;
    return flops;
}

/* A layer's forward is the same work whether its backward follows or its keys go to a cache. */
static void a_prefill_is_a_forward(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *model, *attention;
        int layers;
    } rows[] = {{"llama3-8b", "flash3", 32},
                {"mixtral-8x7b", "flash3", 32},
                {"deepseek-v3", "flash3", 58},
                {"llama3-8b", "unfused", 32}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct orr_infer_result result;
        read_job(w,
                 "{'kind':'train','model':'%s','system':'h200-sxm','gpus':8,'plan':{'tp':4,'cp':2,'sp':false},"
                 "'workload':{'engine':'megatron-core-2025','attention':'%s','micro_batch':2,'global_batch':2,"
                 "'seq':4096}}",
                 rows[i].model, rows[i].attention);
        train(w);
        const double forward = layer_flops(w, ORR_PHASE_FORWARD, 1);
        read_job(w,
                 "{'kind':'infer','model':'%s','system':'h200-sxm','gpus':8,'plan':{'tp':4,'cp':2},'workload':{"
                 "'engine':'megatron-core-2025','batch':2,'input_len':4096,'output_len':1},"
                 "'set':{'engine.kind':'both'}}",
                 rows[i].model);
        if (strcmp(rows[i].attention, "unfused") == 0) w->job.workload.attention = ORR_ATTENTION_UNFUSED;
        orr_infer(&w->job, w->scratch, &result);
        assert_true(forward > 0);
        assert_close(layer_flops(w, ORR_PHASE_PREFILL, rows[i].layers), forward, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touched_experts_are_eq_8),
        cmocka_unit_test(busiest_rank_is_eq_361),
        cmocka_unit_test(a_prefill_is_a_forward),
        cmocka_unit_test(gpt3_is_cut_as_in_table_3_1),
        cmocka_unit_test(grouped_queries_keep_one_key_head_per_rank),
        cmocka_unit_test(fused_attention_counts_the_causal_half),
        cmocka_unit_test(a_window_is_a_band),
        cmocka_unit_test(experts_get_the_rows_of_eq_7),
        cmocka_unit_test(rows_are_permuted_on_both_sides),
        cmocka_unit_test(latent_attention_has_the_shapes_of_3_3),
        cmocka_unit_test(gpt_flops_are_eqs_21_to_23),
        cmocka_unit_test(llama_flops_are_six_per_parameter),
        cmocka_unit_test(published_mfu_follows_from_published_time),
        cmocka_unit_test(tensor_parallel_collectives_per_layer),
        cmocka_unit_test(one_rank_does_not_communicate),
        cmocka_unit_test(context_parallel_payloads),
        cmocka_unit_test(contiguous_pieces_wait_for_the_last_rank),
        cmocka_unit_test(sends_and_gradient_groups),
        cmocka_unit_test(layers_are_spread_over_ranks),
        cmocka_unit_test(stages_hold_every_parameter),
        cmocka_unit_test(latent_attention_falls_back_where_no_kernel_has_it),
        cmocka_unit_test(prediction_layers_are_on_the_last_rank),
        cmocka_unit_test(prediction_layers_run_the_head_again),
    };
    return cmocka_run_group_tests_name("ops", tests, open_world, close_world);
}
