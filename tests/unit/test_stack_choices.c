/* What a run may choose on one stack: recomputation by operators, and verdicts of fit. Every number is worked out by
 * hand. */
#include "support.h"

#include "memory/memory.h"
#include "validate/validate.h"

/* ---------------------------------------------------------------- recomputation by operators */

static void read_titan(struct world *w, const char *precision)
{
    read_job(w,
             "{'kind':'train','model':'llama3-8b','system':'h100-sxm','plan':{'dp':8,'zero':3},'workload':{'seq':4096,"
             "'micro_batch':1,'global_batch':8,'engine':'torchtitan-2024-eager','recompute':'selective',"
             "'precision':'%s'}}",
             precision);
}

/* FLOP of a layer's products that run again. */
static double repeated_flops(const struct world *w)
{
    double flops = 0;
    for (size_t i = 0; i < w->scratch->ops.n; i++) {
        const struct orr_op *op = &w->scratch->ops.items[i];
        if (op->layer_kind == 0 && op->kind == ORR_OP_GEMM && op->recomputed) flops += op->repeat_frac * op->flops;
    }
    return flops;
}

/* Every other product of q, k, v, output, gate, up, down runs again: k (1024 columns), output (4096) and up (14336).
 * In 8 bits all run again: q, k, v 6144, output 4096, gate and up 28672, down 14336 rows. Norms, rotation,
 * activation and sums run again; the core of attention does not. */
static void every_other_product_runs_again(void **state)
{
    struct world *w = *state;
    const double tokens = 4096, h = 4096;
    read_titan(w, "bf16");
    train(w);
    assert_close(repeated_flops(w), 2 * tokens * h * (1024 + 4096 + 14336), 1e-12);
    assert_false(need_op(w, 0, "mlp.down")->recomputed);
    assert_false(need_op(w, 0, "attention.flash")->recomputed);
    const char *const AGAIN[] = {"norm", "attention.rope", "mlp.activation", "residual.add"};
    for (size_t i = 0; i < COUNT(AGAIN); i++) assert_true(need_op(w, 0, AGAIN[i])->recomputed);
    assert_false(need_op(w, ORR_LAYER_HEAD, "head.logits")->recomputed);
    read_titan(w, "fp8");
    train(w);
    assert_close(repeated_flops(w), 2 * tokens * h * (6144 + 4096 + 28672), 1e-12);
    w->job.engine.recompute_early_stop = false; /* then the last product of a layer, too */
    train(w);
    assert_close(repeated_flops(w), 2 * tokens * h * (6144 + 4096 + 28672 + 14336), 1e-12);
    w->job.engine.selective_ops = false; /* else only unfused scores would run again */
    train(w);
    assert_true(repeated_flops(w) == 0);
}

/* ---------------------------------------------------------------- inputs and logits over tensor-parallel ranks */

/* Llama-3-8B on four ranks with sequence parallelism: 2 · 4096 rows of 4096 columns, 128256 words. */
static void read_columns(struct world *w)
{
    read_job(w, "{'kind':'train','model':'llama3-8b','system':'h200-sxm','plan':{'tp':4,'dp':1},'workload':{'seq':4096,"
                "'micro_batch':2,'global_batch':2,'engine':'kempnerforge-2026','recompute':'none'}}");
}

/* How many operators of a layer have that name; all must move the 8192 · 4096 elements of 2 bytes. */
static int transfers(const struct world *w, const char *name)
{
    int n = 0;
    for (size_t i = 0; i < w->scratch->ops.n; i++) {
        const struct orr_op *op = &w->scratch->ops.items[i];
        if (op->layer_kind != 0 || strcmp(op->name, name) != 0) continue;
        assert_close(op->payload_bytes, 8192.0 * 4096 * 2, 1e-12);
        n++;
    }
    return n;
}

/* Eq. 338: q, k, v and gate, up have five gradients of two inputs. A stack that keeps gathered inputs has 6144 rows
 * more of each, in 2 bytes, in 32 layers; one that gathers for every matrix keeps three and two copies of 8192 rows. */
static void inputs_are_gathered_and_scattered(void **state)
{
    struct world *w = *state;
    const double row = 4096 * 2;
    read_columns(w);
    train(w);
    const double whole = w->result.memory.part_bytes[ORR_MEMORY_ACTIVATIONS];
    assert_int_equal(transfers(w, "tp.gather"), 2);
    assert_int_equal(transfers(w, "tp.scatter_grad"), 5);
    assert_int_equal(transfers(w, "tp.gather_saved"), 0);
    w->job.engine.tp_part_gathers = true;
    train(w);
    assert_int_equal(transfers(w, "tp.gather"), 5);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_ACTIVATIONS] - whole, 32 * 3 * 8192 * row, 1e-9);
    w->job.engine.tp_part_gathers = w->job.engine.tp_part_scatters = w->job.engine.tp_kept_inputs = false;
    train(w);
    assert_int_equal(transfers(w, "tp.gather"), 2);
    assert_int_equal(transfers(w, "tp.scatter_grad"), 2);
    assert_int_equal(transfers(w, "tp.gather_saved"), 2);
    assert_close(whole - w->result.memory.part_bytes[ORR_MEMORY_ACTIVATIONS], 32 * 2 * 6144 * row, 1e-9);
}

/* Eq. 340: rows are read and written once around each of the two gathers and two scatters of forward, and of the two
 * gathers and five scatters of backward. */
static void rows_are_put_in_order(void **state)
{
    struct world *w = *state;
    double bytes[2] = {0, 0};
    read_columns(w);
    train(w);
    for (size_t i = 0; i < w->scratch->ops.n; i++) {
        const struct orr_op *op = &w->scratch->ops.items[i];
        const bool copy = op->layer_kind == 0 && strcmp(op->name, "tp.copy") == 0;
        if (copy) bytes[op->phase == ORR_PHASE_BACKWARD] += op->bytes;
    }
    assert_close(bytes[0], 4 * 8192.0 * 4096 * 4, 1e-12);
    assert_close(bytes[1], 7 * 8192.0 * 4096 * 4, 1e-12);
    assert_close(need_op(w, ORR_LAYER_HEAD, "loss.copy")->bytes, 4 * 8192.0 * 128256, 1e-12);
    w->job.engine.tp_row_copies = false;
    train(w);
    assert_null(find_op(w, 0, "tp.copy"));
    assert_null(find_op(w, ORR_LAYER_HEAD, "loss.copy"));
}

/* Eq. 339: 12 bytes of traffic for each of 8192 · 128256 logits, or a quarter of them on every rank. */
static void logits_are_gathered(void **state)
{
    struct world *w = *state;
    const double logits = 8192.0 * 128256;
    read_columns(w);
    train(w);
    assert_close(need_op(w, ORR_LAYER_HEAD, "loss.gather")->payload_bytes, 2 * logits, 1e-12);
    assert_close(need_op(w, ORR_LAYER_HEAD, "loss")->bytes + need_op(w, ORR_LAYER_HEAD, "loss.backward")->bytes,
                 12 * logits, 1e-12);
    assert_null(find_op(w, ORR_LAYER_HEAD, "loss.reduce"));
    w->job.engine.gathered_logit_bytes = 0;
    train(w);
    assert_null(find_op(w, ORR_LAYER_HEAD, "loss.gather"));
    assert_close(need_op(w, ORR_LAYER_HEAD, "loss")->bytes + need_op(w, ORR_LAYER_HEAD, "loss.backward")->bytes,
                 12 * logits / 4, 1e-12);
    assert_non_null(find_op(w, ORR_LAYER_HEAD, "loss.reduce"));
}

/* Eq. 307: Megatron Core checkpoints fused attention. Llama-3-8B on tp 2, 4096 tokens: 16 heads, products of 128 + 128
 * columns over the causal half of 4096² pairs and its diagonal. Nothing less is kept, and without the fact nothing runs
 * again. */
static void megatron_repeats_fused_attention(void **state)
{
    struct world *w = *state;
    static const char *const ASKED[] = {"selective", "core", "ops:core_attn,layernorm"};
    const double pairs = 4096.0 * 4097 / 2;
    for (size_t i = 0; i < COUNT(ASKED); i++) {
        read_job(w,
                 "{'kind':'train','model':'llama3-8b','system':'h100-sxm','plan':{'tp':2},'workload':{'seq':4096,"
                 "'micro_batch':1,'global_batch':1,'recompute':'%s','engine':'megatron-core-2025'}}",
                 ASKED[i]);
        train(w);
        assert_true(need_op(w, 0, "attention.flash")->recomputed);
        assert_close(need_op(w, 0, "attention.flash")->flops, 2 * 16 * pairs * 256, 1e-3);
        assert_true(w->result.time_s[ORR_TIME_RECOMPUTE] > 0);
        w->job.engine.fused_core_repeated = false;
        train(w);
        assert_false(need_op(w, 0, "attention.flash")->recomputed);
    }
    const struct orr_dims dims = orr_dims_of(&w->job);
    w->job.workload.recompute = ORR_RECOMPUTE_CORE;
    const struct orr_layer_bytes core = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    const double kept = orr_layer_saved_bytes(&w->job, &core);
    w->job.workload.recompute = ORR_RECOMPUTE_NONE;
    const struct orr_layer_bytes none = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    assert_close(kept, orr_layer_saved_bytes(&w->job, &none), 1e-12);
}

/* Kept of a token and layer: input and output of h, q and the core's output of 4096 each, v of 1024 and gate of
 * 14336, in 2 bytes, and 4 bytes of statistics for each of 32 heads: 2 · (8192 + 8192 + 1024 + 14336) + 128 =
 * 63,616. */
static void kept_products_are_counted(void **state)
{
    struct world *w = *state;
    read_titan(w, "bf16");
    const struct orr_dims dims = orr_dims_of(&w->job);
    const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    assert_close(orr_layer_saved_bytes(&w->job, &bytes), 63616.0 * 4096, 1e-12);
    w->job.workload.recompute = ORR_RECOMPUTE_NONE;
    const struct orr_layer_bytes all = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    const double whole = orr_layer_saved_bytes(&w->job, &all);
    w->job.workload.recompute = ORR_RECOMPUTE_SELECTIVE;
    assert_close(orr_layer_recomputed_bytes(&w->job, &bytes), whole - 63616.0 * 4096, 1e-12);
    train(w);
    double kept = -1;
    for (int64_t i = 0; i < w->result.memory.n_tensors; i++)
        if (strcmp(w->result.memory.tensors[i].name, "kept products and attention") == 0)
            kept = w->result.memory.tensors[i].bytes;
    assert_true(w->result.memory.peak_instant < 3); /* no layer is freed yet */
    assert_close(kept, 32 * 63616.0 * 4096, 1e-12);
}

/* ---------------------------------------------------------------- verdicts */

/* Four runs with a known end: 7 B parameters of 18 bytes do not fit one GPU of 80 GB, on 8 sharded ones they do. One
 * run is said to have failed although it fits, one to have run although it does not. A value other than 0 and 1 is
 * refused. */
static void rows_of_fits_are_verdicts(void **state)
{
    struct world *w = *state;
    struct orr_validation *v = NULL;
    struct orr_error error;
    const char *csv = "id,source,model,system,gpus,dp,zero,seq,micro_batch,global_batch,engine,metric,value,state\n"
                      "a,t,llama2-7b,h100-sxm,1,1,0,2048,1,1,megatron-core-2024,fits,0,\n"
                      "b,t,llama2-7b,h100-sxm,8,8,3,2048,1,8,megatron-core-2024,fits,1,\n"
                      "c,t,llama2-7b,h100-sxm,8,8,3,2048,1,8,megatron-core-2024,fits,0,stalled\n"
                      "d,t,llama2-7b,h100-sxm,1,1,0,2048,1,1,megatron-core-2024,fits,1,\n"
                      "e,t,llama2-7b,h100-sxm,8,8,3,2048,1,8,megatron-core-2024,fits,2,\n"
                      "f,t,llama2-7b,h100-sxm,8,8,3,2048,1,8,megatron-core-2024,peak_memory_gib,40,\n";
    if (orr_validate(w->catalogue, csv, "test.csv", &v, &error)) fail_msg("%s", error.text);
    assert_int_equal(v->n_verdicts, 5); /* a to d, and f, which ran */
    assert_int_equal(v->n_wrong_verdicts, 2);
    assert_int_equal(v->n_failed, 2);
    assert_int_equal(v->n_missed, 1);
    assert_non_null(strstr(v->scores[0].skipped, "failed, predicted not to fit"));
    assert_non_null(strstr(v->scores[1].skipped, "ran, predicted to fit"));
    assert_non_null(strstr(v->scores[4].skipped, "must be 0 or 1"));
    assert_int_equal(orr_validation_group(v, "state", &error), ORR_OK);
    char *text = orr_validation_render(v, ORR_FORMAT_TERMINAL, NULL);
    assert_non_null(strstr(text, "Fits or not: 5 runs, 2 wrong; 1 of 2 failed runs recognised."));
    free(text);
    text = orr_validation_render(v, ORR_FORMAT_JSON, NULL);
    assert_non_null(strstr(text, "\"failed\": 2"));
    assert_non_null(strstr(text, "\"missed\": 1"));
    free(text);
    orr_validation_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(megatron_repeats_fused_attention),
        cmocka_unit_test(every_other_product_runs_again),
        cmocka_unit_test(inputs_are_gathered_and_scattered),
        cmocka_unit_test(logits_are_gathered),
        cmocka_unit_test(rows_are_put_in_order),
        cmocka_unit_test(kept_products_are_counted),
        cmocka_unit_test(rows_of_fits_are_verdicts),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
