/* Attention that no flash kernel takes: windows that are masks, and wide heads. */
#include "support.h"

#include "cost/cost.h"

/* Eq. 373: a window that is a mask costs all pairs of a pass with a backward; one that is longer than the sequence, and
 * a layer without one, stay causal. Eq. 372: such layers, and heads over 256, have no flash kernel. */
static void a_masked_window_has_all_pairs(void **state)
{
    struct world *w = *state;
    static const struct {
        const char *engine;
        int seq;
        bool masked;
    } cases[] = {{"hf-transformers-2026-eager", 4096, true},
                 {"hf-transformers-2026-eager", 1024, false},
                 {"axolotl-2026", 4096, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        read_job(w, "{'kind':'train','model':'gemma-4-26b-a4b','system':'h200-sxm','plan':{},'workload':{'seq':%d,"
                    "'micro_batch':1,'global_batch':1,'engine':'%s'}}", cases[i].seq, cases[i].engine);
        const double s = cases[i].seq, w_keys = 1024, band = w_keys * w_keys / 2 + (s - w_keys) * w_keys;
        train(w);
        for (int64_t k = 0; k < w->job.model.n_kinds; k++) {
            const struct orr_layer_kind *kind = &w->job.model.kinds[k];
            const bool window = kind->window > 0, all = window && cases[i].masked;
            const double pairs = all ? s * s : window ? band : s * s / 2;
            const struct orr_op *flash = need_op(w, k, "attention.flash");
            assert_close(flash->flops, 4 * 16 * pairs * (window ? 256 : 512), 1e-12);
            assert_int_equal(flash->general, all || !window);
        }
    }
}

/* Eq. 372: what no flash kernel takes has the constants of the memory-efficient one, and in backward the factor of
 * heads over 128; a chip without these constants keeps its own kernel. */
static void general_attention_is_eq_372(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h100-sxm','workload':{'attention':'flash3'}}");
    struct orr_attention_constants *u = &w->job.calibration.attention[ORR_ATTENTION_EFFICIENT];
    *u = w->job.calibration.attention[ORR_ATTENTION_FLASH3];
    u->forward_frac /= 4;
    u->backward_frac /= 5;
    u->backward_wide_frac = 0.5;
    struct orr_op op = {.kind = ORR_OP_FLASH, .dtype = ORR_DTYPE_BF16, .batch = 132, .m = 1024, .n = 1024,
                        .head_size = 256, .walk_ratio = 1, .flops = 1e13};
    struct orr_cost flash, general;
    orr_cost_one(&w->job, &op, &flash);
    op.general = true;
    orr_cost_one(&w->job, &op, &general);
    assert_close(general.compute_s, 4 * flash.compute_s, 1e-12);
    op.kind = ORR_OP_FLASH_BACKWARD;
    orr_cost_one(&w->job, &op, &general);
    op.general = false;
    orr_cost_one(&w->job, &op, &flash);
    assert_close(general.compute_s, 10 * flash.compute_s, 1e-12);
    u->forward_frac = 0;
    op.general = true;
    orr_cost_one(&w->job, &op, &general);
    assert_close(general.compute_s, flash.compute_s, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_masked_window_has_all_pairs),
        cmocka_unit_test(general_attention_is_eq_372),
    };
    return cmocka_run_group_tests_name("windows", tests, open_world, close_world);
}
