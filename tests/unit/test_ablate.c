/* Pieces of physics taken out: single operators worked out by hand with and without them, what a removal may and may
 * not do to a prediction, and the scores of rows without a piece. */
#include "support.h"

#include "cost/cost.h"
#include "validate/ablate.h"

static uint32_t pieces(const char *names)
{
    uint32_t mask;
    struct orr_error error;
    if (orr_pieces_parse(names, &mask, &error)) fail_msg("%s", error.text);
    return mask;
}

static struct orr_job without(const struct orr_job *job, const char *names)
{
    struct orr_job bare = *job;
    if (names[0]) orr_ablate(pieces(names), &bare);
    return bare;
}

/* ---------------------------------------------------------------- operators by hand */

/* A chip of round numbers, so that what is expected can be worked out on paper: 0.8 of 1 PFLOP/s over 100 SMs, 0.8 of
 * DRAM bandwidth for reads and 0.4 for writes, 50 MB of cache at 8 TB/s. */
static void round_chip(struct world *w, double hbm_bytes_per_s)
{
    read_job(w, "{'kind':'train','model':'gpt-22b','system':'h100-sxm','plan':{'tp':8},'workload':{}}");
    struct orr_chip *chip = &w->job.system.chip;
    struct orr_calibration *c = &w->job.calibration;
    chip->peak_flops_per_s[ORR_DTYPE_BF16] = 1e15;
    chip->n_sm = 100;
    chip->hbm_bytes_per_s = hbm_bytes_per_s;
    chip->l2_bytes = 50e6;
    chip->l2_bytes_per_s = 8e12;
    chip->l2_multicast = 2;
    c->gemm[ORR_DTYPE_BF16] = (struct orr_gemm_constants){.burst_frac = 0.8,
                                                          .sustained_frac = 0.6,
                                                          .dram_frac = 0.8,
                                                          .dram_ramp_bytes = 4e6,
                                                          .tile_cost = 1,
                                                          .wave_s = 1e-6,
                                                          .launch_s = 2e-6};
    c->l2_frac = 1;
    c->write_frac = 0.4;
}

static struct orr_op product(double m, double n, double k)
{
    return (struct orr_op){.kind = ORR_OP_GEMM,
                           .batch = 1,
                           .m = m,
                           .n = n,
                           .k = k,
                           .dtype = ORR_DTYPE_BF16,
                           .input_bytes = 2,
                           .weight_bytes = 2,
                           .output_bytes = 2,
                           .flops = 2 * m * n * k};
}

static double product_s(const struct orr_job *job, const char *names, const struct orr_op *op)
{
    const struct orr_job bare = without(job, names);
    struct orr_cost cost;
    orr_cost_gemm(&bare, op, &cost);
    return cost.total_s;
}

/* 16 x 8192 x 8192 on 4 TB/s of DRAM. Operands 262144 and 134217728 bytes, result 262144: more than 40 MB, so blocks
 * of floor(sqrt(40e6 / 6)) = 2581 columns read the left one 4 times. The rest (6 us of compute, 11 us of cache) is
 * hidden. */
static void small_product_by_hand(void **state)
{
    struct world *w = *state;
    round_chip(w, 4e12);
    const struct orr_op op = product(16, 8192, 8192);
    const double right = 134217728, left = 262144, out = 262144, read = 4e12 * 0.8, write = 4e12 * 0.4;
    const double ramp_s = 4e6 / read, launch_s = 2e-6,
                 full_s = (right + 4 * left) / read + out / write + ramp_s + launch_s;
    assert_close(product_s(&w->job, "", &op), full_s, 1e-12);
    assert_close(product_s(&w->job, "dram-ramp", &op), full_s - ramp_s, 1e-12);
    assert_close(product_s(&w->job, "launch", &op), full_s - launch_s, 1e-12);
    assert_close(product_s(&w->job, "cache", &op), full_s - 3 * left / read, 1e-12);
    assert_close(product_s(&w->job, "write-rate", &op), full_s - out / write + out / read, 1e-12);
    assert_close(product_s(&w->job, "tiles", &op), full_s, 1e-12);
    assert_close(product_s(&w->job, "size", &op), full_s - ramp_s - launch_s, 1e-12);
    assert_close(product_s(&w->job, "cache,size,write-rate", &op), (right + left + out) / read, 1e-12);
}

/* 8192 x 8192 x 256 on DRAM too fast to matter: 32 * 64 tiles of 256 x 128 are 21 waves on 100 SMs, each of 2 * 256 *
 * 128 * 256 FLOP at 8 TFLOP/s and 1 us. Smaller tiles have more waves; so short a K is not split. */
static void waves_by_hand(void **state)
{
    struct world *w = *state;
    round_chip(w, 40e12);
    const struct orr_op op = product(8192, 8192, 256);
    const double tile_s = 2 * 256 * 128 * 256.0 / 8e12, launch_s = 2e-6;
    assert_close(product_s(&w->job, "", &op), 21 * (tile_s + 1e-6) + launch_s, 1e-12);
    assert_close(product_s(&w->job, "tiles", &op), 2 * 8192.0 * 8192 * 256 / 0.8e15 + launch_s, 1e-12);
    assert_close(product_s(&w->job, "size", &op), 2 * 8192.0 * 8192 * 256 / 0.8e15, 1e-12);
}

/* 1024 keys where 1024 is half: twice the time at the full rate. */
static void attention_length_by_hand(void **state)
{
    struct world *w = *state;
    round_chip(w, 40e12);
    w->job.workload.attention = ORR_ATTENTION_FLASH3;
    w->job.calibration.attention[ORR_ATTENTION_FLASH3] =
        (struct orr_attention_constants){.forward_frac = 0.5, .forward_half_seq = 1024};
    w->job.calibration.attention[ORR_ATTENTION_FLASH2] = (struct orr_attention_constants){.forward_frac = 0.25};
    const struct orr_op op = {.kind = ORR_OP_FLASH,
                              .dtype = ORR_DTYPE_BF16,
                              .batch = 64,
                              .m = 1024,
                              .n = 1024,
                              .head_size = 128,
                              .walk_ratio = 1,
                              .flops = 1e12};
    struct orr_cost full, bare;
    orr_cost_flash(&w->job, &op, &full);
    assert_close(full.total_s, 1e12 / 0.25e15, 1e-12);
    struct orr_job job = without(&w->job, "attention-length");
    orr_cost_flash(&job, &op, &bare);
    assert_close(bare.total_s, 1e12 / 0.5e15, 1e-12);
    job = without(&w->job, "attention-kernels"); /* FlashAttention 2 has no length to get over here */
    orr_cost_flash(&job, &op, &bare);
    assert_close(bare.total_s, 1e12 / 0.25e15, 1e-12);
}

/* 1 MB over 8 ranks, 1.75 MB on the wire. A ring at half of 400 GB/s with 10 + 14 us, or a latency protocol at an
 * eighth with 1 + 14 * 0.5 us: 32.75 against 43 us, and 8.75 against 35 us by volume. 100 KB: 24.875 against 11.5
 * us. */
static void collectives_by_hand(void **state)
{
    struct world *w = *state;
    round_chip(w, 4e12);
    const struct orr_collective_line ring = {.collective = ORR_COLLECTIVE_ALLREDUCE,
                                             .algorithm = ORR_ALGORITHM_RING,
                                             .base_s = 10e-6,
                                             .hop_s = 1e-6,
                                             .n_points = 1,
                                             .ranks = {8},
                                             .efficiency_frac = {0.5}};
    struct orr_collective_line quick = ring;
    quick.low_latency = true;
    quick.base_s = 1e-6;
    quick.hop_s = 0.5e-6;
    quick.efficiency_frac[0] = 0.125;
    w->job.system.scaleup_bytes_per_s = 400e9;
    w->job.calibration.lines[0] = quick;
    w->job.calibration.lines[1] = ring;
    w->job.calibration.n_lines = 2;
    const struct {
        const char *without;
        double bytes, time_s;
    } rows[] = {{"", 1e6, 32.75e-6},        {"latency", 1e6, 8.75e-6},
                {"", 1e5, 11.5e-6},         {"algorithms", 1e5, 24.875e-6},
                {"latency", 1e5, 0.875e-6}, {"algorithms,latency", 1e5, 0.875e-6}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct orr_job bare = without(&w->job, rows[i].without);
        const struct orr_op op = {.kind = ORR_OP_COLLECTIVE,
                                  .collective = ORR_COLLECTIVE_ALLREDUCE,
                                  .group = ORR_GROUP_TP,
                                  .payload_bytes = rows[i].bytes};
        struct orr_cost cost;
        orr_cost_collective(&bare, &op, &cost);
        assert_close(cost.total_s, rows[i].time_s, 1e-12);
    }
}

/* ---------------------------------------------------------------- whole predictions */

static const char *const JOBS[] = {
    "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':128,'plan':{'tp':8,'pp':8,'vpp':3},"
    "'workload':{'global_batch':64,'engine':'megatron-lm-2022'}}",
    "{'kind':'train','model':'llama3-8b','system':'h200-sxm','gpus':64,'plan':{'tp':2,'zero':1},"
    "'workload':{'seq':8192,'global_batch':128,'engine':'megatron-core-2024'}}",
    "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':64,'plan':{'tp':2,'ep':8},"
    "'workload':{'seq':4096,'global_batch':256,'moe_imbalance':1.3}}",
    "{'kind':'infer','model':'llama3-70b','system':'h100-sxm','gpus':8,'plan':{'tp':8},"
    "'workload':{'batch':16,'input_len':1000,'output_len':100,'engine':'tensorrt-llm-nemo'}}",
    "{'kind':'infer','model':'deepseek-v3','system':'h200-sxm','gpus':8,'plan':{'tp':8},"
    "'workload':{'batch':64,'input_len':1000,'output_len':200,'precision':'fp8'}}",
};

static double predicted_s(struct world *w, const struct orr_job *job)
{
    static struct orr_infer_result infer;
    if (job->kind == ORR_JOB_INFER) {
        orr_infer(job, w->scratch, &infer);
        return infer.latency_s;
    }
    orr_train(job, w->scratch, &w->result);
    return w->result.step_time_s;
}

/* What costs time never makes a prediction slower when it is taken out, what saves time never faster, and each piece
 * matters somewhere in these jobs. */
static void removals_have_a_direction(void **state)
{
    struct world *w = *state;
    const char *name;
    for (size_t i = 0; (name = orr_piece_name(i, NULL)); i++) {
        const bool saves = strcmp(name, "overlap") == 0 || strcmp(name, "algorithms") == 0;
        const bool either = strcmp(name, "attention-kernels") == 0 || strcmp(name, "pointwise-classes") == 0 ||
                            strcmp(name, "write-rate") == 0;
        bool moved = false;
        for (size_t j = 0; j < COUNT(JOBS); j++) {
            read_job(w, "%s", JOBS[j]);
            const struct orr_job bare = without(&w->job, name);
            const double full_s = predicted_s(w, &w->job), bare_s = predicted_s(w, &bare);
            if (!isfinite(bare_s) || bare_s <= 0) fail_msg("without %s job %zu takes %g s", name, j, bare_s);
            moved = moved || fabs(bare_s / full_s - 1) > 1e-4;
            if (!either && (saves ? bare_s < full_s : bare_s > full_s))
                fail_msg("without %s job %zu takes %g s, with it %g s", name, j, bare_s, full_s);
        }
        if (!moved) fail_msg("%s moves no job", name);
    }
}

/* Without the power limit the products run at the burst share; that is all it does to them. */
static void power_is_the_burst_share(void **state)
{
    struct world *w = *state;
    read_job(w, "%s", JOBS[1]);
    const struct orr_gemm_constants *u = &w->job.calibration.gemm[w->job.workload.precision];
    train(w);
    assert_true(w->result.matrix_frac < u->burst_frac);
    w->job = without(&w->job, "power");
    train(w);
    assert_close(w->result.matrix_frac, u->burst_frac, 1e-12);
}

/* Nothing is hidden: every transfer of the step is seen. */
static void overlap_exposes_all(void **state)
{
    struct world *w = *state;
    read_job(w, "%s", JOBS[1]);
    train(w);
    assert_true(w->result.hidden_s[ORR_GROUP_TP] > 0 && w->result.hidden_s[ORR_GROUP_DP] > 0);
    w->job = without(&w->job, "overlap");
    train(w);
    for (int i = 0; i < ORR_N_GROUPS; i++) assert_close(w->result.hidden_s[i], 0, 0);
}

/* Memory is no question of speed: verdicts and batches stay as they are. Only uneven routing takes room as well. */
static void memory_stays(void **state)
{
    struct world *w = *state;
    struct orr_infer_result full, bare;
    for (size_t i = 0; i < orr_n_pieces(); i++) {
        read_job(w, "%s", JOBS[4]);
        orr_infer(&w->job, w->scratch, &full);
        orr_ablate(UINT32_C(1) << i, &w->job);
        orr_infer(&w->job, w->scratch, &bare);
        assert_close(bare.memory_total_bytes, full.memory_total_bytes, 0);
        assert_int_equal(bare.max_batch, full.max_batch);
        if (pieces("imbalance") == UINT32_C(1) << i || pieces("extras") == UINT32_C(1) << i) continue;
        read_job(w, "%s", JOBS[2]);
        train(w);
        const double bytes = w->result.memory.total_bytes;
        orr_ablate(UINT32_C(1) << i, &w->job);
        train(w);
        assert_close(w->result.memory.total_bytes, bytes, 0);
    }
}

static void order_does_not_matter(void **state)
{
    struct world *w = *state;
    static struct orr_job one, other;
    for (size_t i = 0; i < orr_n_pieces(); i++)
        for (size_t j = 0; j < orr_n_pieces(); j++) {
            read_job(w, "%s", JOBS[2]);
            memcpy(&one, &w->job, sizeof one);
            memcpy(&other, &w->job, sizeof other);
            orr_ablate(UINT32_C(1) << i, &one);
            orr_ablate(UINT32_C(1) << j, &one);
            orr_ablate(UINT32_C(1) << j, &other);
            orr_ablate(UINT32_C(1) << i, &other);
            if (memcmp(&one, &other, sizeof one) != 0)
                fail_msg("%s and %s", orr_piece_name(i, NULL), orr_piece_name(j, NULL));
        }
}

/* ---------------------------------------------------------------- names and scores */

static void names_are_read(void **state)
{
    (void)state;
    struct orr_error error;
    uint32_t mask;
    assert_true(pieces("power") != pieces("tiles"));
    assert_int_equal(pieces("tiles,power"), pieces("power") | pieces("tiles"));
    assert_int_equal(pieces("tiles,tiles"), pieces("tiles"));
    const char *const bad[] = {"", ",", "tiles,", "tiles,,power", "tiles power", "Tiles "};
    for (size_t i = 0; i < COUNT(bad); i++) assert_int_equal(orr_pieces_parse(bad[i], &mask, &error), ORR_ERR_INPUT);
    assert_int_equal(orr_pieces_parse("tiles,pwoer", &mask, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "no piece \"pwoer\" (did you mean \"power\"?); the pieces are dram-ramp, "));
    assert_null(orr_piece_name(orr_n_pieces(), NULL));
}

#define HEADER "id,source,model,system,gpus,tp,pp,dp,seq,micro_batch,global_batch,precision,engine,metric,value,notes\n"
#define CSV                                                                                                            \
    HEADER "a,t,llama2-7b,h200-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,5,\n"                                    \
           "b,t,llama2-7b,h200-sxm,8,1,1,8,4096,1,64,bf16,generic,tokens_per_s_per_gpu,9000,\n"                        \
           "c,t,llama2-7b,h200-sxm,8,1,1,8,4096,1,64,bf16,generic,peak_memory_gib,60,\n"                               \
           "d,t,no-such-model,h200-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,5,\n"                                \
           "e,t,llama2-13b,h200-sxm,8,1,1,8,4096,1,64,bf16,generic,step_time_s,5,\n"

/* Rows without a piece are predictions of the job without it; the table's lines are those validations. */
static void rows_are_scored_without(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_validation *plain = NULL, *bare;
    struct orr_ablation *ablation = NULL;
    assert_int_equal(orr_validate(w->catalogue, CSV, "test.csv", &plain, &error), ORR_OK);
    assert_int_equal(orr_validation_without("power,straggling", &bare, &error), ORR_OK);
    assert_int_equal(orr_validate(w->catalogue, CSV, "test.csv", &bare, &error), ORR_OK);
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'h200-sxm','gpus':8,'plan':{'dp':8},'workload':"
                "{'seq':4096,'micro_batch':1,'global_batch':64,'precision':'bf16','engine':'generic'}}");
    const struct orr_job job = without(&w->job, "power,straggling");
    assert_close(plain->scores[0].predicted, predicted_s(w, &w->job), 1e-12);
    assert_close(bare->scores[0].predicted, predicted_s(w, &job), 1e-12);
    assert_true(bare->scores[0].predicted < plain->scores[0].predicted);
    assert_true(bare->scores[1].predicted > plain->scores[1].predicted);
    assert_close(bare->scores[2].predicted, plain->scores[2].predicted, 0);
    assert_true(bare->scores[3].skipped[0] && !bare->scores[4].skipped[0]);
    for (int i = 0; i < 2; i++) /* two files */
        assert_int_equal(orr_ablation_add(w->catalogue, CSV, "test.csv", &ablation, &error), ORR_OK);
    assert_int_equal(ablation->n, orr_n_pieces() + 1);
    for (size_t i = 0; i < ablation->n; i++) {
        const struct orr_validation *v = ablation->validations[i];
        struct orr_validation *alone = NULL;
        if (i > 0) assert_int_equal(orr_validation_without(orr_piece_name(i - 1, NULL), &alone, &error), ORR_OK);
        assert_int_equal(orr_validate(w->catalogue, CSV, "test.csv", &alone, &error), ORR_OK);
        assert_int_equal(v->n_scores, 2 * alone->n_scores);
        for (size_t j = 0; j < v->n_scores; j++)
            assert_close(v->scores[j].predicted, alone->scores[j % alone->n_scores].predicted, 0);
        orr_validation_free(alone);
    }
    orr_ablation_free(ablation);
    orr_validation_free(bare);
    orr_validation_free(plain);
}

static void reports_agree(void **state)
{
    struct world *w = *state;
    struct orr_error error;
    struct orr_ablation *ablation = NULL;
    assert_int_equal(orr_ablation_add(w->catalogue, CSV, "test.csv", &ablation, &error), ORR_OK);
    char *csv = orr_ablation_render(ablation, ORR_FORMAT_CSV, NULL);
    char *text = orr_ablation_render(ablation, ORR_FORMAT_TERMINAL, NULL);
    const struct orr_validation *v = ablation->validations[0];
    const double mean = (fabs(v->scores[0].error) + fabs(v->scores[1].error) + fabs(v->scores[4].error)) / 3;
    char expected[64];
    snprintf(expected, sizeof expected, "\nnothing,training,3,%.6f,", mean); /* memory and skipped rows are not in */
    assert_non_null(strstr(csv, expected));
    snprintf(expected, sizeof expected, "  nothing            %5.1f ", 100 * mean);
    assert_non_null(strstr(text, expected));
    size_t lines = 0;
    for (const char *c = csv; *c; c++) lines += *c == '\n';
    assert_int_equal(lines, 1 + 1 + orr_n_pieces());
    free(text);
    free(csv);
    orr_ablation_free(ablation);
    ablation = NULL;
    assert_int_equal(orr_ablation_add(w->catalogue, "a,b\n1,2\n", "bad.csv", &ablation, &error), ORR_ERR_INPUT);
    assert_non_null(strstr(error.text, "not a measurement table"));
    orr_ablation_free(ablation);
}

/* Without algorithms a fabric keeps one line of each collective: the bandwidth protocol before the latency protocol,
 * and of two alike the ring. */
static void one_line_of_a_fabric_stays(void **state)
{
    static const struct orr_fabric_line LINES[] = {
        {.collective = ORR_COLLECTIVE_ALLREDUCE, .algorithm = ORR_ALGORITHM_TREE, .low_latency = true, .hop_s = 1},
        {.collective = ORR_COLLECTIVE_ALLTOALL, .algorithm = ORR_ALGORITHM_DIRECT, .low_latency = true, .hop_s = 2},
        {.collective = ORR_COLLECTIVE_ALLREDUCE, .algorithm = ORR_ALGORITHM_RING, .low_latency = true, .hop_s = 3},
        {.collective = ORR_COLLECTIVE_ALLREDUCE, .algorithm = ORR_ALGORITHM_TREE, .hop_s = 4},
        {.collective = ORR_COLLECTIVE_ALLREDUCE, .algorithm = ORR_ALGORITHM_RING, .hop_s = 5},
        {.collective = ORR_COLLECTIVE_ALLREDUCE, .algorithm = ORR_ALGORITHM_TREE, .hop_s = 6},
    };
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'aws-p5-h100','gpus':16,'workload':{}}");
    w->job.system.fabric.n_lines = COUNT(LINES);
    memcpy(w->job.system.fabric.lines, LINES, sizeof LINES);
    static struct orr_job bare;
    bare = without(&w->job, "algorithms");
    assert_int_equal(bare.system.fabric.n_lines, 2);
    assert_true(bare.system.fabric.lines[0].hop_s == 5); /* the ring with its bandwidth protocol */
    assert_true(bare.system.fabric.lines[1].hop_s == 2); /* the only line of its collective */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_product_by_hand),      cmocka_unit_test(waves_by_hand),
        cmocka_unit_test(attention_length_by_hand),   cmocka_unit_test(collectives_by_hand),
        cmocka_unit_test(removals_have_a_direction),  cmocka_unit_test(power_is_the_burst_share),
        cmocka_unit_test(overlap_exposes_all),        cmocka_unit_test(memory_stays),
        cmocka_unit_test(order_does_not_matter),      cmocka_unit_test(names_are_read),
        cmocka_unit_test(rows_are_scored_without),    cmocka_unit_test(reports_agree),
        cmocka_unit_test(one_line_of_a_fabric_stays),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
