/* Memory: the published table of Korthikanti et al. 2022 from the activation functions, ZeRO (Eq. 80), in-flight
 * counts (Eq. 89), the ledger's own sums, the verdict and the advice. */
#include "support.h"

#include "memory/memory.h"
#include "spec/job.h"

/* ---------------------------------------------------------------- the reference table */

struct reference {
    const char *model;
    int pp, vpp, micro_batch;
    double batch, param_gib, activation_gib[5]; /* none, SP, selective, SP + selective, full */
};

/* s 2048, t 8, first stage, GiB. Published by Korthikanti et al. 2022. */
static const struct reference REFERENCE[] = {
    {"gpt-22b", 1, 1, 4, 4, 45.56, {59.25, 39.56, 29.25, 9.56, 4.50}},
    {"gpt3-175b", 8, 3, 1, 64, 45.56, {66.84, 41.41, 37.78, 12.35, 5.81}},
    {"mt-530b", 35, 3, 1, 280, 31.64, {114.02, 66.51, 70.59, 23.08, 10.86}},
    {"gpt-1t", 64, 1, 1, 512, 32.96, {131.25, 76.56, 81.25, 26.56, 12.50}},
};
static const struct {
    const char *sp, *recompute;
} MODES[] = {{"false", "none"}, {"true", "none"}, {"false", "selective"}, {"true", "selective"}, {"false", "full"}};

static void read_reference(struct world *w, const struct reference *reference, size_t mode)
{
    read_job(w,
             "{'kind':'train','model':'%s','system':'a100-80g-sxm','plan':{'tp':8,'pp':%d,'vpp':%d,'dp':1,'sp':%s},"
             "'workload':{'seq':2048,'micro_batch':%d,'global_batch':%g,'precision':'fp16','attention':'unfused',"
             "'recompute':'%s','engine':'megatron-lm-2022'}}",
             reference->model, reference->pp, reference->vpp, MODES[mode].sp, reference->micro_batch, reference->batch,
             MODES[mode].recompute);
}

static void activations_are_table_7_3(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(REFERENCE); i++)
        for (size_t mode = 0; mode < COUNT(MODES); mode++) {
            read_reference(w, &REFERENCE[i], mode);
            const struct orr_dims dims = orr_dims_of(&w->job);
            const struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
            const double layers = (double)w->job.model.n_layers / REFERENCE[i].pp;
            const double gib =
                orr_layer_saved_bytes(&w->job, &bytes) * layers * orr_in_flight(&w->job.plan, dims.m, 0) / GIB;
            if (fabs(gib - REFERENCE[i].activation_gib[mode]) > 0.01)
                fail_msg("%s, mode %d: %.4f GiB, published %.2f", REFERENCE[i].model, (int)mode, gib,
                         REFERENCE[i].activation_gib[mode]);
        }
}

/* 12 L h^2 18 / (t p): matrices of the layers with 2 + 4 + 4 + 8 bytes each. A rank also holds 9 h / t of biases and
 * 4 h of norms in every layer, which the published column leaves out. */
static void parameters_are_table_7_3(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(REFERENCE); i++) {
        read_reference(w, &REFERENCE[i], 0);
        const double h = (double)w->job.model.hidden, layers = (double)w->job.model.n_layers / REFERENCE[i].pp;
        const double matrices = orr_rank_dense_params(&w->job, &w->job.model.kinds[0]) - 9 * h / 8 - 4 * h;
        assert_close(matrices, 12 * h * h / 8, 1e-12);
        const double bytes = 2 + (double)w->job.engine.gradient_bytes + (double)w->job.engine.optimizer_bytes;
        assert_close(bytes, 18, 0);
        assert_true(fabs(layers * matrices * bytes / GIB - REFERENCE[i].param_gib) <= 0.01);
    }
}

/* The ledger of the whole job holds that table: parts of the rank it names, at the instant it names. */
static void the_ledger_contains_the_table(void **state)
{
    struct world *w = *state;
    for (size_t mode = 0; mode < COUNT(MODES); mode++) {
        read_reference(w, &REFERENCE[1], mode);
        train(w);
        static struct orr_stage stages[ORR_MAX_STAGES];
        orr_stages_build(&w->job, stages);
        const struct orr_memory *memory = &w->result.memory;
        const struct orr_stage *stage = &stages[memory->peak_stage];
        const double params = stage->dense_params + stage->expert_params;
        assert_close(memory->part_bytes[ORR_MEMORY_WEIGHTS], 2 * params, 1e-12);
        assert_close(memory->part_bytes[ORR_MEMORY_GRADIENTS], 4 * params, 1e-12);
        assert_close(memory->part_bytes[ORR_MEMORY_OPTIMIZER], 12 * params, 1e-12);
        assert_int_equal(memory->peak_stage, 0);          /* most micro-batches in flight */
        assert_close(memory->in_flight, 31.0 / 3, 1e-15); /* [2 * 7 + 2 * 8 + 1] / 3 */
        /* at least the saved activations, and not more than a few layers of working tensors beside */
        assert_true(memory->part_bytes[ORR_MEMORY_ACTIVATIONS] / GIB >= REFERENCE[1].activation_gib[mode]);
        assert_true(memory->part_bytes[ORR_MEMORY_ACTIVATIONS] / GIB <= REFERENCE[1].activation_gib[mode] + 3);
    }
}

/* Eq. 84, Llama with FlashAttention and SP, T 4096, t 8: 2 T (4h + 2ad + 2kd + 3f)/t + 4 T a/t. */
static void llama_activations_are_eq_84(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','plan':{'tp':8,'sp':true},"
                "'workload':{'seq':4096,'engine':'megatron-core-2025','recompute':'none'}}");
    const double T = 4096, h = 8192, ad = 8192, kd = 1024, f = 28672, t = 8;
    const struct orr_dims dims = orr_dims_of(&w->job);
    struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    assert_close(orr_layer_saved_bytes(&w->job, &bytes), 2 * T * (4 * h + 2 * ad + 2 * kd + 3 * f) / t + 4 * T * 64 / t,
                 1e-12);
    w->job.plan.sp = false; /* without SP 4h is not divided */
    const struct orr_dims whole = orr_dims_of(&w->job);
    bytes = orr_layer_bytes_of(&w->job, &whole, &w->job.model.kinds[0]);
    assert_close(orr_layer_saved_bytes(&w->job, &bytes),
                 2 * T * (4 * h + (2 * ad + 2 * kd + 3 * f) / t) + 4 * T * 64 / t, 1e-12);
    w->job.workload.recompute = ORR_RECOMPUTE_FULL; /* Eq. 83 */
    bytes = orr_layer_bytes_of(&w->job, &whole, &w->job.model.kinds[0]);
    assert_close(orr_layer_saved_bytes(&w->job, &bytes), 2 * T * h, 1e-12);
    w->job.workload.recompute_every = 4; /* Eq. 88: one input per four layers, four layers back at once */
    assert_close(orr_layer_saved_bytes(&w->job, &bytes), 2 * T * h / 4, 1e-12);
}

/* Eq. 85, Mixtral, t 1, e 8: w K phi T_e [(1 + t_e) h + 3 f_e] instead of 3 f. Eq. 86, DeepSeek-V3, t 1. */
static void expert_and_latent_activations_are_eqs_85_86(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':8,'plan':{'ep':8,'etp':1},"
                "'workload':{'seq':4096,'engine':'megatron-core-2025','recompute':'none'}}");
    const double T = 4096;
    struct orr_dims dims = orr_dims_of(&w->job);
    struct orr_layer_bytes bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    const double dense = 2 * T * (4 * 4096.0 + 2 * 4096 + 2 * 1024) + 4 * T * 32;
    assert_close(orr_layer_saved_bytes(&w->job, &bytes), dense + 2 * 2 * T * (2 * 4096.0 + 3 * 14336), 1e-12);
    read_job(w, "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':64,'plan':{'ep':64,'etp':1},"
                "'workload':{'seq':4096,'engine':'megatron-core-2025','recompute':'none'}}");
    dims = orr_dims_of(&w->job);
    bytes = orr_layer_bytes_of(&w->job, &dims, &w->job.model.kinds[0]);
    const double latents = 2 * 1536.0 + 2 * 512 + 64, heads = 128 * (2 * 128.0 + 2 * 64 + 2 * 128);
    assert_close(bytes.attention, 2 * T * (7168 + latents + heads), 1e-12);
}

/* ---------------------------------------------------------------- ZeRO */

/* Eq. 80: 16 bytes a parameter, 7.5e9 parameters, D 64: 120, 31.4, 16.6, 1.88 GB (Rajbhandari et al., SC20). */
static void zero_stages_are_eq_80(void **state)
{
    struct world *w = *state;
    const double published_gb[] = {120, 31.4, 16.6, 1.88};
    for (int zero = 0; zero < 4; zero++) {
        read_job(
            w,
            "{'kind':'train','model':'gpt-7.5b','system':'v100-32g-sxm','plan':{'dp':64,'zero':%d},'workload':"
            "{'precision':'fp16','engine':'megatron-lm-2022','global_batch':64},'set':{'engine.gradient_bytes':2}}",
            zero);
        train(w);
        static struct orr_stage stages[ORR_MAX_STAGES];
        orr_stages_build(&w->job, stages);
        const double *part = w->result.memory.part_bytes, n = 7.5e9 / stages[0].dense_params;
        const double gb =
            n * (part[ORR_MEMORY_WEIGHTS] + part[ORR_MEMORY_GRADIENTS] + part[ORR_MEMORY_OPTIMIZER]) / 1e9;
        assert_close(gb, published_gb[zero], 0.005);
    }
}

/* Experts are sharded over D_e = D c t / (e t_e), not over D (Eq. 5): 64 GPUs, e 8: D_e 8, D 64. */
static void experts_are_sharded_over_their_own_group(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':64,'plan':{'ep':8,'etp':1,'zero':1},"
                "'workload':{'seq':4096,'engine':'megatron-core-2025','global_batch':64}}");
    train(w);
    /* 32 layers of 8 experts of 3 * 4096 * 14336; the rest is dense */
    const double experts = 32 * 8 * 3 * 4096.0 * 14336, dense = 46702792704.0 - experts;
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_OPTIMIZER], 12 * (dense / 64 + experts / 8 / 8), 1e-12);
    assert_close(w->result.memory.part_bytes[ORR_MEMORY_WEIGHTS], 2 * (dense + experts / 8), 1e-12);
}

static const char *const JOBS[] = {
    "{'kind':'train','model':'llama2-70b','system':'h100-sxm','gpus':64,'plan':{'tp':8,'zero':0},'workload':"
    "{'seq':4096,'global_batch':64,'engine':'megatron-core-2025'}}",
    "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','gpus':128,'plan':{'tp':8,'pp':8,'zero':0},'workload':"
    "{'global_batch':64,'engine':'megatron-lm-2022','recompute':'full'}}",
    "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':8,'plan':{'zero':0},'workload':"
    "{'seq':8192,'global_batch':16,'engine':'pytorch-eager'}}",
    "{'kind':'train','model':'mixtral-8x7b','system':'h100-sxm','gpus':64,'plan':{'tp':2,'pp':4,'ep':8,'etp':1,'zero':"
    "0},"
    "'workload':{'seq':4096,'global_batch':256,'micro_batch':2,'engine':'generic'}}",
    "{'kind':'train','model':'deepseek-v3','system':'h100-sxm','gpus':256,'plan':{'pp':4,'ep':64,'etp':1,'zero':0},"
    "'workload':{'seq':4096,'global_batch':256,'precision':'fp8','engine':'megatron-core-2025'}}",
};

static void more_sharding_never_needs_more(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS); i++) {
        read_job(w, JOBS[i], "");
        double last = HUGE_VAL;
        for (int zero = 0; zero < 4; zero++) {
            w->job.plan.zero = zero;
            train(w);
            assert_at_most(w->result.memory.total_bytes, last);
            last = w->result.memory.total_bytes;
        }
        w->job.plan.zero = 1;
        const enum orr_recompute stages[] = {ORR_RECOMPUTE_NONE, ORR_RECOMPUTE_SELECTIVE, ORR_RECOMPUTE_FULL};
        last = HUGE_VAL;
        for (size_t j = 0; j < 3; j++) {
            w->job.workload.recompute = stages[j];
            train(w);
            assert_at_most(w->result.memory.total_bytes, last);
            last = w->result.memory.total_bytes;
        }
    }
}

/* ---------------------------------------------------------------- sums of the ledger */

static void the_ledger_adds_up(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT(JOBS) * 12; i++) {
        read_job(w, JOBS[i % COUNT(JOBS)], "");
        w->job.plan.zero = (int64_t)(i / COUNT(JOBS)) % 4;
        w->job.workload.recompute = (enum orr_recompute)(i / COUNT(JOBS) / 4);
        train(w);
        const struct orr_memory *memory = &w->result.memory;
        double parts = 0, most = 0, tensors[ORR_N_MEMORY_PARTS] = {0};
        for (int p = 0; p < ORR_N_MEMORY_PARTS; p++) parts += memory->part_bytes[p];
        assert_close(parts, memory->total_bytes, 1e-12);
        for (int64_t j = 0; j < memory->n_instants; j++) most = fmax(most, memory->instants[j].bytes);
        assert_close(memory->instants[memory->peak_instant].bytes, memory->total_bytes, 1e-12);
        assert_close(most, memory->total_bytes, 1e-12);
        for (int64_t j = 0; j < memory->n_tensors; j++)
            if (memory->tensors[j].at_peak) tensors[memory->tensors[j].part] += memory->tensors[j].bytes;
        assert_close(tensors[ORR_MEMORY_WEIGHTS], memory->part_bytes[ORR_MEMORY_WEIGHTS], 1e-12);
        assert_close(tensors[ORR_MEMORY_GRADIENTS], memory->part_bytes[ORR_MEMORY_GRADIENTS], 1e-12);
        assert_close(tensors[ORR_MEMORY_OPTIMIZER], memory->part_bytes[ORR_MEMORY_OPTIMIZER], 1e-12);
        /* "freed" of the layer at work is a negative line */
        assert_close(tensors[ORR_MEMORY_ACTIVATIONS], memory->part_bytes[ORR_MEMORY_ACTIVATIONS], 1e-12);
        assert_close(tensors[ORR_MEMORY_WORKSPACE], memory->part_bytes[ORR_MEMORY_WORKSPACE], 1e-12);
        /* Eq. 79 */
        assert_close(memory->usable_bytes,
                     memory->capacity_bytes * (1 - w->job.engine.fragmentation_frac) - w->job.engine.context_bytes,
                     1e-15);
        assert_int_equal(w->result.fits, memory->total_bytes <= memory->usable_bytes);
    }
}

/* ---------------------------------------------------------------- micro-batches in flight */

/* Eq. 89, p 4, on ranks 0 and 3, with 16 and with 2 micro-batches. */
static void in_flight_counts_of_every_schedule(void **state)
{
    (void)state;
    const struct {
        enum orr_schedule schedule;
        int64_t vpp;
        double first, last, few;
    } rows[] = {
        {ORR_SCHEDULE_GPIPE, 1, 16, 16, 2},
        {ORR_SCHEDULE_1F1B, 1, 4, 1, 2},
        {ORR_SCHEDULE_INTERLEAVED, 2, (2 * 3 + 4 + 1) / 2.0, (4 + 1) / 2.0, 2},
        {ORR_SCHEDULE_INTERLEAVED, 3, (2 * 3 + 8 + 1) / 3.0, (8 + 1) / 3.0, 2},
        {ORR_SCHEDULE_ZB_H1, 1, 4, 4, 2},
        {ORR_SCHEDULE_ZB_H2, 1, 7, 7, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct orr_plan plan = {.pp = 4, .vpp = rows[i].vpp, .schedule = rows[i].schedule};
        assert_close(orr_in_flight(&plan, 16, 0), rows[i].first, 1e-15);
        assert_close(orr_in_flight(&plan, 16, 3), rows[i].last, 1e-15);
        assert_close(orr_in_flight(&plan, 2, 0), rows[i].few, 1e-15);
    }
}

/* ---------------------------------------------------------------- advice */

/* Apply the change a reason names; false if this test does not know it. */
static bool follow(struct orr_job *job, const char *reason)
{
    const char *change = strstr(reason, "change that fits: ");
    if (!change) return false;
    change += strlen("change that fits: ");
    const int64_t ranks = job->plan.dp * job->plan.cp;
    if (strncmp(change, "--recompute full", 16) == 0) job->workload.recompute = ORR_RECOMPUTE_FULL;
    else if (strncmp(change, "--recompute selective", 21) == 0) job->workload.recompute = ORR_RECOMPUTE_SELECTIVE;
    else if (strncmp(change, "--sp", 4) == 0) job->plan.sp = true;
    else if (strncmp(change, "--attention flash", 17) == 0) job->workload.attention = job->engine.attention;
    else if (strncmp(change, "--micro-batch 1", 15) == 0) job->workload.micro_batch = 1;
    else if (strncmp(change, "--zero ", 7) == 0) job->plan.zero = change[7] - '0', job->plan.zero_group = ranks;
    else if (strncmp(change, "twice the tp for half the dp", 28) == 0)
        job->plan.tp *= 2, job->plan.dp /= 2, job->plan.zero_group = ranks / 2;
    else if (strncmp(change, "twice the pp for half the dp", 28) == 0)
        job->plan.pp *= 2, job->plan.dp /= 2, job->plan.zero_group = ranks / 2;
    else if (strncmp(change, "twice the ep", 12) == 0) job->plan.ep *= 2;
    else if (strncmp(change, "twice the GPUs for twice the tp", 31) == 0) job->plan.tp *= 2, job->plan.gpus *= 2;
    else if (strncmp(change, "twice the GPUs for twice the pp", 31) == 0) job->plan.pp *= 2, job->plan.gpus *= 2;
    else return false;
    return true;
}

static void advice_fits(struct world *w)
{
    train(w);
    assert_false(w->result.fits);
    assert_string_equal(w->result.reason, "");
    const double step_s = w->result.step_time_s;
    const double missing = (w->result.memory.total_bytes - w->result.memory.usable_bytes) / GIB;
    orr_train_advice(&w->job, w->scratch, &w->result);
    assert_close(w->result.step_time_s, step_s, 0); /* the result still describes the job itself */
    assert_close(strtod(w->result.reason, NULL), missing, 0.01 / missing);
    char reason[ORR_REASON];
    memcpy(reason, w->result.reason, sizeof reason);
    if (!follow(&w->job, reason)) fail_msg("cannot follow \"%s\"", reason);
    assert_int_equal(orr_job_check(&w->job, NULL), ORR_OK);
    train(w);
    assert_true(w->result.fits);
    assert_close(strtod(strrchr(reason, '(') + 1, NULL), w->result.step_time_s, 1e-3);
}

static void advice_names_a_change_that_fits(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt3-175b','system':'a100-80g-sxm','plan':{'tp':8,'pp':8,'vpp':3,'sp':false},"
                "'workload':{'global_batch':64,'engine':'megatron-lm-2022','recompute':'none','attention':'unfused'}}");
    advice_fits(w); /* 45.6 + 66.8 GiB on 80 */
    read_job(w, "{'kind':'train','model':'llama3-8b','system':'h100-sxm','gpus':8,'plan':{'zero':0},"
                "'workload':{'global_batch':8,'engine':'megatron-core-2025'}}");
    advice_fits(w); /* 18 bytes of 8e9 parameters */
    read_job(w, "{'kind':'train','model':'llama2-70b','system':'h100-sxm','gpus':8,'plan':{'tp':8},"
                "'workload':{'global_batch':8,'engine':'megatron-core-2025'}}");
    advice_fits(w); /* 156 GB a GPU: only more GPUs help */
    read_job(w, "{'kind':'train','model':'llama2-7b','system':'a100-80g-sxm','gpus':8,'plan':{'zero':2},"
                "'workload':{'micro_batch':16,'seq':4096,'global_batch':128,'engine':'megatron-core-2025'}}");
    advice_fits(w); /* activations of 16 sequences */
}

static void advice_is_honest_when_nothing_fits(void **state)
{
    struct world *w = *state;
    read_job(w, "{'kind':'train','model':'gpt-1t','system':'a100-80g-sxm','gpus':1,'workload':{'global_batch':1}}");
    train(w);
    orr_train_advice(&w->job, w->scratch, &w->result);
    assert_false(w->result.fits);
    assert_non_null(strstr(w->result.reason, "no single change fits"));
}

/* Eq. 360: embedding and head of llama2-7b have 32,000 · 4096 weights each, and the last norm 4096: 524,296,192 bytes
 * in 16 bits. Of a tied matrix, 128,256 · 3072 in llama3.2-3b, there is one, beside the norm. The first of two stages
 * has the embedding alone. */
static void fsdp_keeps_its_root_gathered(void **state)
{
    struct world *w = *state;
    const struct {
        const char *model;
        int pp;
        double bytes;
    } CASES[] = {{"llama2-7b", 1, 524296192.0}, {"llama3.2-3b", 1, 2 * 128257.0 * 3072}, {"llama2-7b", 2, 262144000.0}};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        double workspace[2];
        for (int on = 0; on < 2; on++) {
            read_job(w,
                     "{'kind':'train','model':'%s','system':'h100-sxm','plan':{'dp':8,'pp':%d,'zero':3,"
                     "'reshard_after_forward':true},'workload':{'seq':2048,'micro_batch':1,'global_batch':64,"
                     "'engine':'pytorch-fsdp2','recompute':'none'}}",
                     CASES[i].model, CASES[i].pp);
            assert_true(w->job.engine.zero3_ends_kept);
            w->job.engine.zero3_ends_kept = on;
            train(w);
            workspace[on] = w->result.memory.part_bytes[ORR_MEMORY_WORKSPACE];
        }
        assert_close(workspace[1] - workspace[0], CASES[i].bytes, 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_are_table_7_3),
        cmocka_unit_test(parameters_are_table_7_3),
        cmocka_unit_test(the_ledger_contains_the_table),
        cmocka_unit_test(llama_activations_are_eq_84),
        cmocka_unit_test(expert_and_latent_activations_are_eqs_85_86),
        cmocka_unit_test(zero_stages_are_eq_80),
        cmocka_unit_test(experts_are_sharded_over_their_own_group),
        cmocka_unit_test(more_sharding_never_needs_more),
        cmocka_unit_test(the_ledger_adds_up),
        cmocka_unit_test(in_flight_counts_of_every_schedule),
        cmocka_unit_test(advice_names_a_change_that_fits),
        cmocka_unit_test(advice_is_honest_when_nothing_fits),
        cmocka_unit_test(fsdp_keeps_its_root_gathered),
    };
    return cmocka_run_group_tests_name("memory", tests, open_world, close_world);
}
