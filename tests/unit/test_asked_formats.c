/* Formats of transfers, activations and attention, and ideal overheads, as a request asks for them (Eqs. 279-282).
 * GPT-3 175B: hidden size 12288, 96 heads of 128, one sequence of 2048 tokens, tp 8 with sequence parallelism. */
#include "support.h"

#define ROWS   2048.0
#define HIDDEN 12288.0

static void ask(struct world *w, const char *workload)
{
    read_job(w,
             "{'kind':'train','model':'gpt3-175b','system':'b200-sxm','gpus':128,'plan':{'tp':8,'pp':8,'sp':true,"
             "'zero':0},'workload':{'seq':2048,'micro_batch':1,'global_batch':16,'engine':'generic','precision':'fp4',"
             "'recompute':'none'%s}}",
             workload);
    train(w);
}

/* A gather of the rows before a product moves 2048·12288 elements, a send between stages an eighth of them. */
static void transfers_have_their_bytes(void **state)
{
    struct world *w = *state;
    const struct {
        const char *workload;
        double bytes;
    } cases[] = {{"", 2}, {",'comm_precision':'fp8'", 1}, {",'comm_precision':'fp4'", 0.5}};
    double gradients = 0;
    for (size_t i = 0; i < 3; i++) {
        ask(w, cases[i].workload);
        assert_close(need_op(w, 0, "tp.gather")->payload_bytes, cases[i].bytes * ROWS * HIDDEN, 1e-12);
        assert_close(need_op(w, 0, "tp.scatter_grad")->payload_bytes, cases[i].bytes * ROWS * HIDDEN, 1e-12);
        assert_close(need_op(w, ORR_LAYER_BOUNDARY, "pp.send")->payload_bytes, cases[i].bytes * ROWS * HIDDEN / 8,
                     1e-12);
        /* Gradients travel in 4 bytes unless asked. */
        const double sent = need_op(w, ORR_LAYER_STEP, "dp.reduce")->payload_bytes;
        if (i == 0) gradients = sent / 4;
        else assert_close(sent, cases[i].bytes * gradients, 1e-12);
        assert_close(need_op(w, 0, "norm")->bytes, 4 * ROWS / 8 * HIDDEN, 1e-12); /* memory stays */
    }
}

/* A norm reads and writes each of its 256·12288 elements; a product of 8 bits writes activations; in the format of the
 * products no cast is left; weights and their gradients keep their width. */
static void activations_have_their_bytes(void **state)
{
    struct world *w = *state;
    ask(w, "");
    const double wgrad = need_op(w, 0, "mlp.up.wgrad")->output_bytes;
    const double saved = w->result.memory.part_bytes[ORR_MEMORY_ACTIVATIONS];
    const double weights = need_op(w, ORR_LAYER_HEAD, "head.logits")->weight_bytes;
    assert_non_null(find_op(w, 0, "mlp.up.cast"));
    assert_close(need_op(w, 0, "mlp.up")->output_bytes, 2, 0);
    ask(w, ",'activation_precision':'fp8'");
    assert_close(need_op(w, 0, "norm")->bytes, 2 * ROWS / 8 * HIDDEN, 1e-12);
    assert_close(need_op(w, 0, "mlp.up")->output_bytes, 1, 0);
    assert_non_null(find_op(w, 0, "mlp.up.cast")); /* 8 bits to 4 */
    ask(w, ",'activation_precision':'fp4'");
    assert_close(need_op(w, 0, "norm")->bytes, ROWS / 8 * HIDDEN, 1e-12);
    assert_null(find_op(w, 0, "mlp.up.cast"));
    assert_null(find_op(w, 0, "mlp.up.cast_grad"));
    assert_close(need_op(w, 0, "mlp.up.wgrad")->output_bytes, wgrad, 0);
    assert_close(need_op(w, ORR_LAYER_HEAD, "head.logits")->weight_bytes, weights, 0);
    assert_close(need_op(w, 0, "tp.gather")->payload_bytes, 2 * ROWS * HIDDEN, 1e-12); /* transfers stay */
    assert_true(w->result.memory.part_bytes[ORR_MEMORY_ACTIVATIONS] < 0.6 * saved);
}

/* A rank has 12 heads of 128: queries, keys and values have 3·1536 columns, the output 1536. In 8 bits the operands
 * have 1 byte and the output 2; a statistic of 4 bytes is kept for every row and head. */
static void attention_has_its_bytes_and_rate(void **state)
{
    struct world *w = *state;
    const double columns = 12 * 128;
    ask(w, "");
    assert_int_equal(need_op(w, 0, "attention.flash")->dtype, ORR_DTYPE_BF16);
    assert_close(need_op(w, 0, "attention.flash")->bytes, ROWS * (2 * 4 * columns + 4 * 12), 1e-12);
    assert_null(find_op(w, 0, "attention.cast"));
    ask(w, ",'attention_precision':'fp8'");
    assert_int_equal(need_op(w, 0, "attention.flash")->dtype, ORR_DTYPE_FP8);
    assert_close(need_op(w, 0, "attention.flash")->bytes, ROWS * (3 * columns + 2 * columns + 4 * 12), 1e-12);
    assert_close(need_op(w, 0, "attention.cast")->bytes, 3 * ROWS * 3 * columns, 1e-12);
    ask(w, ",'attention_precision':'fp8','activation_precision':'fp8'");
    assert_null(find_op(w, 0, "attention.cast"));
    assert_close(need_op(w, 0, "attention.flash")->bytes, ROWS * (4 * columns + 4 * 12), 1e-12);
}

/* Without overheads no kernel has a fixed time, and the host takes none; asked again, they are back. */
static void ideal_overheads_are_none(void **state)
{
    struct world *w = *state;
    ask(w, "");
    const double step_s = w->result.step_time_s;
    assert_true(w->job.calibration.pointwise_launch_s > 0);
    ask(w, ",'ideal_overheads':true");
    assert_true(w->result.step_time_s < step_s);
    assert_close(w->job.calibration.pointwise_launch_s, 0, 0);
    assert_close(w->job.calibration.gemm[ORR_DTYPE_FP4].wave_s, 0, 0);
    assert_close(w->job.calibration.straggle_frac_per_doubling, 0, 0);
    assert_close(w->job.engine.host_launch_s, 0, 0);
    assert_true(w->job.calibration.lines[0].base_s > 0); /* latency of links stays */
    ask(w, "");
    assert_close(w->result.step_time_s, step_s, 0);
}

/* The same through a form, which keeps the parts of a request that did not change. */
static void a_form_forgets_idealisation(void **state)
{
    struct world *w = *state;
    struct orr_form *form = NULL;
    const struct orr_job *job;
    struct orr_error error;
    assert_int_equal(orr_form_open(w->catalogue,
                                   "{\"kind\":\"infer\",\"model\":\"llama2-7b\",\"system\":\"h100-sxm\",\"workload\":{"
                                   "\"input_len\":128,\"output_len\":8}}",
                                   "form", &form, &error),
                     ORR_OK);
    const char *const values[] = {"true", "false"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(orr_form_set(form, "workload.ideal_overheads", values[i], &error), ORR_OK);
        assert_int_equal(orr_form_job(form, &job, &error), ORR_OK);
        assert_int_equal(job->calibration.pointwise_launch_s > 0, i);
        assert_int_equal(job->engine.pointwise_floor_s > 0, i);
    }
    orr_form_close(form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_have_their_bytes),       cmocka_unit_test(activations_have_their_bytes),
        cmocka_unit_test(attention_has_its_bytes_and_rate), cmocka_unit_test(ideal_overheads_are_none),
        cmocka_unit_test(a_form_forgets_idealisation),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
