/* Parts, the catalogue, requests and the rules of a job (src/spec). The parts are those of tests/unit/fixtures:
 * built-in parts underneath, every number that is asserted here their own. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "spec/job.h"
#include "spec/names.h"
#include "spec/spec.h"

static const char *const FIXTURES[] = {"tests/unit/fixtures"};

static int open_catalogue(void **state)
{
    struct orr_error error;
    struct orr_catalogue *catalogue;
    if (orr_catalogue_open(FIXTURES, 1, &catalogue, &error) != ORR_OK) {
        print_error("%s\n", error.text);
        return -1;
    }
    *state = catalogue;
    return 0;
}

static int close_catalogue(void **state)
{
    orr_catalogue_close(*state);
    return 0;
}

/* ---------------------------------------------------------------- catalogue and parts */

static void names_match_their_enums(void **state)
{
    (void)state;
    assert_string_equal(orr_dtype_name(ORR_DTYPE_BF16), "bf16");
    assert_string_equal(orr_schedule_name(ORR_SCHEDULE_1F1B), "1f1b");
    assert_string_equal(orr_collective_name(ORR_COLLECTIVE_P2P), "p2p");
    assert_string_equal(orr_part_name(ORR_PART_CALIBRATION), "calibration");
    assert_string_equal(orr_time_part_name((enum orr_time_part)99), "unknown");
    assert_string_equal(orr_phase_name(ORR_PHASE_DECODE), "decode");
    assert_string_equal(orr_algorithm_name(ORR_ALGORITHM_TWOSHOT), "twoshot");
    assert_string_equal(orr_infer_part_name(ORR_INFER_KV_TRANSFER), "kv_transfer");
    assert_string_equal(orr_serve_memory_part_name(ORR_SERVE_MEMORY_KV_CACHE), "kv_cache");
    assert_string_equal(orr_budget_name(ORR_BUDGET_STATIC), "static");
    assert_string_equal(orr_decode_kernel_name(ORR_DECODE_SDPA), "sdpa");
    assert_string_equal(orr_infer_part_name(ORR_N_INFER_PARTS), "unknown");
    assert_close(orr_dtype_bytes(ORR_DTYPE_FP4), 0.5, 1e-12);
    assert_close(orr_dtype_bytes(ORR_DTYPE_INT4), 0.5, 1e-12);
    assert_close(orr_dtype_bytes(ORR_DTYPE_TF32), 4, 1e-12);
}

static void parts_are_listed_and_read(void **state)
{
    const struct orr_catalogue *catalogue = *state;
    struct orr_error error;
    struct orr_system system;
    struct orr_calibration calibration;
    for (int part = 0; part < ORR_N_PARTS; part++) {
        const size_t n = orr_catalogue_count(catalogue, (enum orr_part)part);
        for (size_t i = 1; i < n; i++)
            assert_true(strcmp(orr_catalogue_id(catalogue, (enum orr_part)part, i - 1),
                               orr_catalogue_id(catalogue, (enum orr_part)part, i)) < 0);
        assert_null(orr_catalogue_id(catalogue, (enum orr_part)part, n));
    }
    assert_non_null(strstr(orr_catalogue_text(catalogue, ORR_PART_CHIP, "bigger"), "\"base\": \"plain\""));
    assert_null(orr_catalogue_text(catalogue, ORR_PART_CHIP, "no-such-chip"));
    assert_int_equal(orr_system_read(catalogue, "cluster", &system, &calibration, &error), ORR_OK);
    assert_string_equal(system.chip.id, "plain");
    assert_close(system.chip.peak_flops_per_s[ORR_DTYPE_BF16], 200e12, 1e-12);
    assert_close(system.chip.peak_flops_per_s[ORR_DTYPE_FP4], 0, 1e-12);
    assert_close(system.chip.hbm_bytes, 85899345920.0, 1e-12);
    assert_close(system.chip.link_j_per_byte, 32e-12, 1e-12);
    assert_close(system.scaleout_bytes_per_s, 25e9, 1e-12);
    assert_close(system.scaleout_efficiency_frac, 0.9, 1e-12);
    assert_true(calibration.calibrated);
    assert_int_equal(calibration.n_lines, 2);
    assert_int_equal(calibration.lines[0].n_points, 3);
    assert_close(calibration.lines[0].efficiency_frac[2], 0.8, 1e-12);
    assert_close(calibration.gemm[ORR_DTYPE_BF16].launch_s, 2e-6, 1e-12);
    assert_close(calibration.gemm[ORR_DTYPE_FP8].burst_frac, 0, 1e-12);
    assert_close(calibration.pointwise_frac[ORR_POINTWISE_ADAM], 0.8, 1e-12);
}

static void bases_are_merged(void **state)
{
    const struct orr_catalogue *catalogue = *state;
    struct orr_error error;
    struct orr_system system;
    struct orr_calibration calibration;
    assert_int_equal(orr_system_read(catalogue, "box", &system, &calibration, &error), ORR_OK);
    assert_string_equal(system.id, "box");
    assert_string_equal(system.chip.id, "bigger");
    assert_close(system.scaleup_bytes_per_s, 300e9, 1e-12);                    /* from the base */
    assert_close(system.scaleout_bytes_per_s, 0, 1e-12);                       /* its own */
    assert_close(system.chip.peak_flops_per_s[ORR_DTYPE_BF16], 500e12, 1e-12); /* objects merge */
    assert_close(system.chip.peak_flops_per_s[ORR_DTYPE_FP16], 200e12, 1e-12);
    assert_close(system.chip.hbm_bytes, 171798691840.0, 1e-12);
    assert_false(calibration.calibrated); /* fitted on its base, not on this chip */
}

static void engines_answer_to_aliases(void **state)
{
    const struct orr_catalogue *catalogue = *state;
    struct orr_error error;
    struct orr_engine engine;
    assert_int_equal(orr_engine_read(catalogue, "plain engine (V1.0)", &engine, &error), ORR_OK);
    assert_string_equal(engine.id, "plain");
    assert_int_equal(orr_engine_read(catalogue, "EAGER", &engine, &error), ORR_OK);
    assert_string_equal(engine.id, "eager");
    assert_int_equal(engine.attention, ORR_ATTENTION_UNFUSED);
    assert_int_equal(engine.optimizer_bytes, 12); /* from its base */
    assert_int_equal(orr_engine_read(catalogue, "plane", &engine, &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "unknown engine \"plane\" (did you mean \"plain\"?); see 'orrery list engines'");
}

/* ---------------------------------------------------------------- files, in a folder of their own */

struct folder {
    char path[64];
    struct orr_catalogue *catalogue;
};

static void put_file(const struct folder *folder, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(struct folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "/tmp/orrery-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    char path[160];
    static const char *const INSIDE[] = {"chips", "systems", "models"};
    for (size_t i = 0; i < ORR_COUNT_OF(INSIDE); i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, INSIDE[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
}

static void open_folder(struct folder *folder)
{
    const char *directories[] = {FIXTURES[0], folder->path};
    struct orr_error error;
    if (orr_catalogue_open(directories, 2, &folder->catalogue, &error) != ORR_OK)
        fail_msg("%s", error.text);
}

static void remove_folder(struct folder *folder, const char *const *files, size_t n_files)
{
    static const char *const INSIDE[] = {"chips", "systems", "models", ""};
    char path[160];
    orr_catalogue_close(folder->catalogue);
    for (size_t i = 0; i < n_files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    for (size_t i = 0; i < ORR_COUNT_OF(INSIDE); i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, INSIDE[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

/* The text of the error of reading a system, from "chips/" or the like on: the folder's name is random. */
static const char *system_error(const struct folder *folder, const char *id, const char *from, struct orr_error *error)
{
    struct orr_system system;
    assert_int_not_equal(orr_system_read(folder->catalogue, id, &system, NULL, error), ORR_OK);
    const char *at = strstr(error->text, from);
    return at ? at : error->text;
}

static void bad_chips_name_file_and_line(void **state)
{
    (void)state;
    static const char *const FILES[] = {"chips/loop.json", "chips/pool.json", "chips/self.json", "chips/key.json",
                                        "chips/unsourced.json", "chips/stray.json", "systems/any.json"};
    struct folder folder;
    struct orr_error error;
    make_folder(&folder);
    put_file(&folder, FILES[0], "{\"base\": \"pool\"}");
    put_file(&folder, FILES[1], "{\n\"base\": \"loop\"}");
    put_file(&folder, FILES[2], "{\"base\": \"self\"}");
    put_file(&folder, FILES[3], "{\"base\": \"plain\",\n\n \"hbm_bw\": 1}");
    put_file(&folder, FILES[4], "{\"base\": \"nobody\"}");
    put_file(&folder, FILES[5], "{\"base\": \"plain\",\n \"sources\": {\"hbm_byte\": \"a book\"}}");
    put_file(&folder, FILES[6], "{\"base\": \"cluster\", \"chip\": \"loop\"}");
    open_folder(&folder);
    static const char *const CASES[][2] = {
        {"loop", "chips/pool.json:2: base: bases form a cycle through \"loop\""},
        {"self", "chips/self.json:1: base: \"self\" is its own base"},
        {"key", "chips/key.json:3: unknown key \"hbm_bw\" (did you mean \"hbm_bytes_per_s\"?)"},
        {"unsourced", "chips/unsourced.json:1: base: unknown chip \"nobody\"; see 'orrery list chips'"},
        {"stray", "chips/stray.json:2: sources.hbm_byte: is the source of a key this part does not have"},
    };
    for (size_t i = 0; i < ORR_COUNT_OF(CASES); i++) {
        char text[160];
        snprintf(text, sizeof text, "{\"base\": \"cluster\", \"chip\": \"%s\"}", CASES[i][0]);
        put_file(&folder, FILES[6], text);
        orr_catalogue_close(folder.catalogue);
        open_folder(&folder);
        assert_string_equal(system_error(&folder, "any", "chips/", &error), CASES[i][1]);
        assert_true(strncmp(error.file, folder.path, strlen(folder.path)) == 0);
    }
    remove_folder(&folder, FILES, ORR_COUNT_OF(FILES));
}

static void later_directories_hide_and_extend(void **state)
{
    (void)state;
    static const char *const FILES[] = {"chips/plain.json", "systems/mine.json"};
    struct folder folder;
    struct orr_error error;
    struct orr_system system;
    struct orr_calibration calibration;
    make_folder(&folder);
    /* The chip that it hides. */
    put_file(&folder, FILES[0], "{\"base\": \"plain\", \"n_sm\": 7, \"sources\": {\"n_sm\": \"a test\"}}");
    put_file(&folder, FILES[1], "{\"base\": \"cluster\", \"chip\": \"../chips/plain.json\"}");
    open_folder(&folder);
    assert_int_equal(orr_system_read(folder.catalogue, "cluster", &system, &calibration, &error), ORR_OK);
    assert_int_equal(system.chip.n_sm, 7);
    assert_close(system.chip.hbm_bytes_per_s, 2e12, 1e-12);
    char path[160];
    snprintf(path, sizeof path, "%s/systems/mine.json", folder.path);
    assert_int_equal(orr_system_read(folder.catalogue, path, &system, &calibration, &error), ORR_OK);
    assert_string_equal(system.id, "mine");
    assert_int_equal(system.chip.n_sm, 7); /* found beside the file that names it */
    remove_folder(&folder, FILES, ORR_COUNT_OF(FILES));
}

static void files_that_cannot_be_read(void **state)
{
    const struct orr_catalogue *catalogue = *state;
    static const char *const FILES[] = {"chips/empty.json", "models/config.json"};
    struct folder folder = {.catalogue = NULL};
    struct orr_error error;
    struct orr_model model;
    char path[160], expected[320];
    make_folder(&folder);
    put_file(&folder, FILES[0], "");
    put_file(&folder, FILES[1], orr_catalogue_text(catalogue, ORR_PART_MODEL, "tiny"));
    snprintf(path, sizeof path, "%s/%s", folder.path, FILES[0]);
    snprintf(expected, sizeof expected, "cannot read model \"%s\": is empty", path);
    assert_int_equal(orr_model_read(catalogue, path, &model, &error), ORR_ERR_IO);
    assert_string_equal(error.text, expected);
    assert_int_equal(orr_model_read(catalogue, "./no/such.json", &model, &error), ORR_ERR_IO);
    assert_string_equal(error.text, "cannot read model \"./no/such.json\": no such file");
    assert_int_equal(orr_model_read(catalogue, "tiny2", &model, &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "unknown model \"tiny2\" (did you mean \"tiny\"?); see 'orrery list models'");
    snprintf(path, sizeof path, "%s/models", folder.path); /* a folder with a config.json */
    assert_int_equal(orr_model_read(catalogue, path, &model, &error), ORR_OK);
    assert_string_equal(model.id, "models");
    struct orr_engine engine;
    assert_int_equal(orr_engine_read(catalogue, path, &engine, &error), ORR_ERR_IO);
    assert_non_null(strstr(error.text, "is a directory"));
    struct orr_catalogue *other;
    const char *directories[] = {"no-such-directory"};
    assert_int_equal(orr_catalogue_open(directories, 1, &other, &error), ORR_ERR_IO);
    assert_null(other);
    assert_non_null(strstr(error.text, "no-such-directory: no such directory"));
    remove_folder(&folder, FILES, ORR_COUNT_OF(FILES));
}

/* ---------------------------------------------------------------- requests */

static void defaults_are_the_documented_ones(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    static const char REQUEST[] = "{\"kind\":\"train\",\"model\":\"tiny\",\"system\":\"cluster\",\"gpus\":64,"
                                  "\"plan\":{\"tp\":4,\"pp\":2,\"cp\":2},\"workload\":{\"engine\":\"plain\"}}";
    if (orr_job_read(*state, REQUEST, "request", &job, &error) != ORR_OK)
        fail_msg("%s", error.text);
    const struct orr_plan *plan = &job.plan;
    assert_int_equal(plan->dp, 4); /* 64 / (4 * 2 * 2) */
    assert_int_equal(plan->gpus, 64);
    assert_int_equal(plan->vpp, 1);
    assert_int_equal(plan->ep, 1);
    assert_int_equal(plan->etp, 1);
    assert_int_equal(plan->zero, 1);
    assert_int_equal(plan->zero_group, 8); /* dp * cp */
    assert_true(plan->sp);
    assert_int_equal(plan->schedule, ORR_SCHEDULE_1F1B);
    assert_int_equal(plan->cp_kind, ORR_CP_RING);
    assert_int_equal(plan->n_stage_layers, 0);
    const struct orr_workload *workload = &job.workload;
    assert_int_equal(workload->seq, 1024); /* 2048, but the model ends at 1024 */
    assert_int_equal(workload->micro_batch, 1);
    assert_int_equal(workload->global_batch, 32); /* dp 4 * 4 * pp 2 */
    assert_int_equal(workload->precision, ORR_DTYPE_BF16);
    assert_int_equal(workload->recompute, ORR_RECOMPUTE_SELECTIVE);
    assert_int_equal(workload->recompute_every, 1);
    assert_int_equal(workload->attention, ORR_ATTENTION_FLASH2);
    assert_false(workload->attention_dropout);
    assert_true(workload->causal);
    assert_close(workload->moe_imbalance, 1, 1e-12);
}

static void requests_override_defaults(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    static const char REQUEST[] =
        "{\"kind\":\"train\",\"model\":\"tiny-learned\",\"system\":\"cluster\",\"plan\":{\"dp\":2,\"tp\":2,\"pp\":2,"
        "\"vpp\":2,\"sp\":false},\"workload\":{\"engine\":\"eager\",\"seq\":256,\"attention\":\"flash2\"}}";
    if (orr_job_read(*state, REQUEST, "request", &job, &error) != ORR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(job.plan.gpus, 8);
    assert_int_equal(job.plan.schedule, ORR_SCHEDULE_INTERLEAVED);
    assert_false(job.plan.sp);
    assert_int_equal(job.plan.zero, 0);
    assert_int_equal(job.workload.attention, ORR_ATTENTION_FLASH2);
    assert_int_equal(job.workload.seq, 256);
    assert_true(job.workload.attention_dropout); /* of the model: attn_pdrop 0.1, resid_pdrop 0 */
    assert_false(job.workload.hidden_dropout);
    static const char SMALL[] = "{\"kind\":\"train\",\"model\":\"tiny-learned\",\"system\":\"cluster\","
                                "\"workload\":{\"engine\":\"eager\"}}";
    assert_int_equal(orr_job_read(*state, SMALL, "request", &job, &error), ORR_OK);
    assert_int_equal(job.workload.attention, ORR_ATTENTION_UNFUSED);
    assert_int_equal(job.plan.gpus, 1);
    assert_int_equal(job.workload.global_batch, 4);
}

static void set_reaches_every_part(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    static const char REQUEST[] =
        "{\"kind\":\"train\",\"model\":\"tiny\",\"system\":\"cluster\",\"workload\":{\"engine\":\"plain\"},\"set\":{"
        "\"model.num_hidden_layers\":40,\"chip.hbm_bytes_per_s\":\"4 TB/s\",\"chip.peak_flops_per_s.fp4\":1e15,"
        "\"system.domain_gpus\":\"16\",\"engine.tp_overlap_frac\":\"50 %\",\"calibration.gemm.bf16.burst_frac\":0.95,"
        "\"calibration.lines.0.base_s\":\"20 us\",\"plan.tp\":\"2\",\"workload.seq\":512}}";
    if (orr_job_read(*state, REQUEST, "request", &job, &error) != ORR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(job.model.n_layers, 40);
    assert_close(job.system.chip.hbm_bytes_per_s, 4e12, 1e-12);
    assert_close(job.system.chip.peak_flops_per_s[ORR_DTYPE_FP4], 1e15, 1e-12);
    assert_close(job.system.chip.peak_flops_per_s[ORR_DTYPE_BF16], 200e12, 1e-12);
    assert_int_equal(job.system.domain_gpus, 16);
    assert_close(job.engine.tp_overlap_frac, 0.5, 1e-12);
    assert_close(job.calibration.gemm[ORR_DTYPE_BF16].burst_frac, 0.95, 1e-12);
    assert_close(job.calibration.lines[0].base_s, 20e-6, 1e-12);
    assert_int_equal(job.plan.tp, 2);
    assert_int_equal(job.workload.seq, 512);
}

static void parts_may_stand_in_place(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    static const char REQUEST[] =
        "{\"kind\":\"train\",\"model\":{\"base\":\"tiny\",\"num_hidden_layers\":2},"
        "\"system\":{\"base\":\"cluster\",\"chip\":{\"base\":\"chained\",\"tdp_w\":\"1 kW\"}},"
        "\"workload\":{\"engine\":{\"base\":\"plain\",\"default_zero\":2}}}";
    if (orr_job_read(*state, REQUEST, "request", &job, &error) != ORR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(job.model.n_layers, 2);
    assert_string_equal(job.model.id, "custom");
    assert_close(job.system.chip.tdp_w, 1000, 1e-12);
    assert_int_equal(job.system.chip.n_sm, 64);
    assert_close(job.system.chip.hbm_bytes, 171798691840.0, 1e-12);
    assert_int_equal(job.plan.zero, 2);
}

/* Members of a request after kind, model "tiny", system "cluster" and engine "plain" -> the whole error. */
static const char *const REFUSED[][2] = {
    {"\"gpus\":\"many\"", "request:1: gpus: must be an integer from 1 to 10000000, not \"many\""},
    {"\"plan\":[]", "request:1: plan: must be an object, not an array"},
    {"\"plans\":{}", "request:1: unknown key \"plans\" (did you mean \"plan\"?)"},
    {"\"plan\":{\"tensor\":2}", "request:1: unknown key \"plan.tensor\""},
    {"\"plan\":{\"stage_layers\":[6,\"six\"]}",
     "request:1: plan.stage_layers: stage 1 must be an integer from 1 to 1024"},
    {"\"plan\":{\"stage_layers\":[6,\"6.5\"]}",
     "request:1: plan.stage_layers: stage 1 must be an integer from 1 to 1024"},
    {"\"set\":[]", "request:1: set: must be an object of paths and values, not an array"},
    {"\"set\":{\"gpu.x\":1}", "request:1: set.gpu.x: is not a path that can be set: model.KEY, chip.KEY, system.KEY, "
                              "engine.KEY, calibration.KEY, fabric.KEY, plan.KEY or workload.KEY"},
    {"\"set\":{\"chip.n_smm\":1}", "request:1: unknown key \"chip.n_smm\" (did you mean \"n_sm\"?)"},
    {"\"set\":{\"chip.n_sm\":\"x\"}", "request:1: chip.n_sm: must be an integer from 1 to 1000000, not \"x\""},
    {"\"set\":{\"chip.n_sm.x\":1}", "request:1: chip.n_sm.x: leads into a value that has no keys"},
    {"\"set\":{\"chip..x\":1}",
     "request:1: chip..x: is not a path: a name between two dots is missing or too long"},
    {"\"set\":{\"calibration.lines.7.base_s\":1}",
     "request:1: calibration.lines.7.base_s: leads past the end of an array"},
    {"\"set\":{\"plan.tp\":5}",
     "request:1: plan.tp: 5 does not divide the 12 attention heads of tiny (allowed: 1, 2, 4, 12)"},
    /* every rule of orr_job_check */
    {"\"plan\":{\"tp\":3}",
     "request:1: plan.tp: 3 does not divide the 4 key-value heads of tiny (allowed: 1, 2, 4, 12)"},
    {"\"gpus\":12,\"plan\":{\"tp\":4,\"pp\":2}",
     "request:1: gpus: 12 is not a multiple of tp * pp * cp = 4 * 2 * 1 = 8 (nearest: 16)"},
    {"\"gpus\":12,\"plan\":{\"tp\":4,\"dp\":2}", "request:1: gpus: 12 is not tp * pp * cp * dp = 4 * 1 * 1 * 2 = 8"},
    {"\"plan\":{\"tp\":1000000,\"pp\":1000000,\"cp\":1000000}",
     "request:1: plan: tp * pp * cp * dp = 1e+18 GPUs; at most 10000000"},
    {"\"plan\":{\"dp\":1000000,\"tp\":12,\"sp\":false}",
     "request:1: plan: tp * pp * cp * dp = 1.2e+07 GPUs; at most 10000000"},
    {"\"plan\":{\"sp\":true}", "request:1: plan.sp: sequence parallel needs tp > 1; tp is 1"},
    {"\"set\":{\"workload.seq\":1022},\"plan\":{\"tp\":4}",
     "request: plan.sp: sequence parallel needs seq / cp = 1022 / 1 to be a multiple of tp = 4"},
    {"\"plan\":{\"cp\":3}",
     "request:1: plan.cp: ring context parallel cuts the sequence into 6 blocks, but seq is 1024"},
    {"\"plan\":{\"cp\":8,\"cp_kind\":\"ulysses\"}",
     "request:1: plan.cp: ulysses context parallel: 8 does not divide the 12 heads of a rank (12 heads of tiny over "
     "tp = 1)"},
    {"\"plan\":{\"ep\":2,\"dp\":2}", "request:1: plan.ep: must be 1: tiny has no experts"},
    {"\"plan\":{\"etp\":2,\"dp\":2}", "request:1: plan.etp: must be 1: tiny has no experts"},
    {"\"model\":\"tiny-experts\",\"plan\":{\"ep\":4,\"dp\":4}",
     "request:1: plan.ep: 4 does not divide the 6 experts of tiny-experts (allowed: 1, 2, 3, 6)"},
    {"\"model\":\"tiny-experts\",\"plan\":{\"etp\":7,\"dp\":7}",
     "request:1: plan.etp: 7 does not divide the 60 columns of an expert of tiny-experts (allowed: 1, 2, 3, 4, 5, 6, "
     "10, 12, ...)"},
    {"\"model\":\"tiny-experts\",\"plan\":{\"ep\":3,\"etp\":2,\"dp\":4}",
     "request:1: plan.ep: ep * etp = 3 * 2 does not divide dp * cp * tp = 4 * 1 * 1 = 4"},
    {"\"plan\":{\"pp\":13}", "request:1: plan.pp: 13 stages for the 12 layers of tiny: each stage needs a layer"},
    {"\"plan\":{\"pp\":600}", "request:1: plan.pp: must be from 1 to 512, not 600"},
    {"\"plan\":{\"pp\":4,\"vpp\":4}",
     "request:1: plan.vpp: pp * vpp = 4 * 4 = 16 chunks for the 12 layers of tiny: at most 3"},
    {"\"plan\":{\"vpp\":2}", "request:1: plan.vpp: 2 chunks per rank need pp > 1; pp is 1"},
    {"\"plan\":{\"pp\":2,\"vpp\":2,\"schedule\":\"1f1b\"}",
     "request:1: plan.schedule: vpp = 2 needs schedule \"interleaved\", not \"1f1b\""},
    {"\"plan\":{\"pp\":2,\"schedule\":\"interleaved\"}",
     "request:1: plan.schedule: \"interleaved\" needs vpp > 1; vpp is 1"},
    {"\"plan\":{\"pp\":2,\"stage_layers\":[12]}",
     "request:1: plan.stage_layers: has 1 entries, but pp is 2: one entry per pipeline rank"},
    {"\"plan\":{\"pp\":2,\"vpp\":2,\"stage_layers\":[6,6]}",
     "request:1: plan.stage_layers: needs vpp = 1, but vpp is 2"},
    {"\"plan\":{\"pp\":2,\"stage_layers\":[13,1]}",
     "request:1: plan.stage_layers: rank 0 has 13 layers: each must have 1 to 12"},
    {"\"plan\":{\"pp\":2,\"stage_layers\":[6,5]}",
     "request:1: plan.stage_layers: adds up to 11 layers, but tiny has 12"},
    {"\"plan\":{\"dp\":8},\"set\":{\"workload.micro_batch\":3,\"workload.global_batch\":100}",
     "request:1: workload.global_batch: 100 is not a multiple of micro_batch * dp = 3 * 8 = 24 (nearest: 96)"},
    {"\"plan\":{\"dp\":4,\"zero\":0,\"zero_group\":2}",
     "request:1: plan.zero_group: 2: a group that shards needs zero = 1, 2 or 3, but zero is 0"},
    {"\"plan\":{\"dp\":4,\"zero\":3,\"zero_group\":3}",
     "request:1: plan.zero_group: 3 does not divide dp * cp = 4 * 1 = 4"},
    {"\"plan\":{\"zero\":4}", "request:1: plan.zero: must be an integer from 0 to 3, not 4"},
    {"\"set\":{\"workload.recompute_every\":2}",
     "request:1: workload.recompute_every: 2 needs recompute \"full\", not \"selective\""},
    {"\"set\":{\"workload.recompute_every\":13,\"workload.recompute\":\"full\"}",
     "request:1: workload.recompute_every: 13 is more than the 12 layers of tiny"},
    {"\"set\":{\"workload.precision\":\"fp4\"}",
     "request:1: workload.precision: chip plain has no fp4 units (it has: fp32, tf32, fp16, bf16, fp8, "
     "fp8_block, int8)"},
    {"\"set\":{\"workload.precision\":\"fp8\"}",
     "request:1: workload.precision: calibration plain has no gemm constants for fp8 (it has: fp32, tf32, "
     "fp16, bf16, int8)"},
    {"\"set\":{\"workload.attention\":\"flash\",\"engine.attention\":\"unfused\"}",
     "request:1: workload.attention: engine plain has no fused kernel of its own; name one: \"flash1\", \"flash2\", "
     "\"flash3\""},
    {"\"system\":\"box\",\"gpus\":16",
     "request:1: gpus: 16, but system box ends at the 8 GPUs of its scale-up domain (scaleout_bytes_per_s is 0)"},
    {"\"set\":{\"workload.seq\":2000000000}",
     "request:1: workload.seq: must be an integer from 1 to 1000000000, not 2000000000"},
    {"\"set\":{\"workload.moe_imbalance\":0.5}",
     "request:1: workload.moe_imbalance: must be a number from 1 to 100000, not 0.5"},
};

static void wrong_requests_are_explained(void **state)
{
    static struct orr_job job;
    for (size_t i = 0; i < ORR_COUNT_OF(REFUSED); i++) {
        const char *rest = REFUSED[i][0];
        char request[512];
        snprintf(request, sizeof request, "{\"kind\":\"train\"%s%s,\"workload\":{\"engine\":\"plain\"},%s}",
                 strstr(rest, "\"model\":") ? "" : ",\"model\":\"tiny\"",
                 strstr(rest, "\"system\":") ? "" : ",\"system\":\"cluster\"", rest);
        struct orr_error error = {.text = "accepted"};
        (void)!orr_job_read(*state, request, "request", &job, &error);
        assert_string_equal(error.text, REFUSED[i][1]);
    }
}

/* What orr_job_read would never let through can still come from a caller. */
static void jobs_changed_by_hand_are_checked(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    static const char REQUEST[] = "{\"kind\":\"train\",\"model\":\"tiny\",\"system\":\"cluster\","
                                  "\"workload\":{\"engine\":\"plain\"}}";
    assert_int_equal(orr_job_read(*state, REQUEST, "request", &job, &error), ORR_OK);
    assert_int_equal(orr_job_check(&job, &error), ORR_OK);
    job.plan.gpus = job.plan.pp = 7; /* 14 chunks: 12 layers, one chunk for the embedding, one for the head */
    job.plan.vpp = 2;
    job.plan.schedule = ORR_SCHEDULE_INTERLEAVED;
    assert_int_equal(orr_job_check(&job, &error), ORR_OK);
    job.plan.gpus = job.plan.pp = job.plan.vpp = 1;
    job.plan.schedule = ORR_SCHEDULE_1F1B;
    job.workload.moe_imbalance = 0;
    assert_int_equal(orr_job_check(&job, &error), ORR_ERR_RULE);
    assert_string_equal(error.key, "workload.moe_imbalance");
    job.workload.moe_imbalance = 1;
    job.plan.tp = 0;
    assert_int_equal(orr_job_check(&job, &error), ORR_ERR_RULE);
    assert_string_equal(error.text, "plan.tp: must be from 1 to 1000000, not 0");
    job.plan.tp = 1;
    job.plan.cp = job.plan.dp = 1000000;
    assert_int_equal(orr_job_check(&job, &error), ORR_ERR_RULE);
    assert_string_equal(error.text, "plan: tp * pp * cp * dp = 1e+12 GPUs; at most 10000000");
    job.plan.cp = job.plan.dp = 1;
    job.calibration.attention[ORR_ATTENTION_FLASH2].forward_frac = 0;
    assert_int_equal(orr_job_check(&job, &error), ORR_ERR_RULE);
    assert_string_equal(error.text, "workload.attention: calibration plain has no attention constants for flash2");
    job.plan.schedule = (enum orr_schedule)77;
    assert_int_equal(orr_job_check(&job, &error), ORR_ERR_RULE);
    assert_int_equal(orr_job_check(&job, NULL), ORR_ERR_RULE);
}

static void origins_and_lines(void **state)
{
    static struct orr_job job;
    struct orr_error error;
    static const char REQUEST[] = "{\n \"kind\": \"train\",\n \"model\": \"tiny\",\n \"system\": \"cluster\",\n"
                                  " \"plan\": {\n  \"tp\": 5}}";
    assert_int_equal(orr_job_read(*state, REQUEST, "my.json", &job, &error), ORR_ERR_RULE);
    assert_int_equal(error.line, 6);
    assert_int_equal(error.column, 9);
    assert_string_equal(error.file, "my.json");
    assert_string_equal(error.key, "plan.tp");
    assert_true(strncmp(error.text, "my.json:6: plan.tp: 5 does not", 30) == 0);
    assert_int_equal(orr_job_read(*state, REQUEST, "command line", &job, &error), ORR_ERR_RULE);
    assert_true(strncmp(error.text, "command line: plan.tp: 5 does not", 33) == 0);
    assert_int_equal(orr_job_read(*state, "{\"kind\":\"tune\"}", "request", &job, &error), ORR_ERR_INPUT);
    assert_string_equal(error.text, "request:1: kind: must be one of \"train\", \"infer\", not \"tune\"");
    assert_int_equal(orr_job_read(*state, "{\"kind\":\"train\"}", "request", &job, NULL), ORR_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_match_their_enums),
        cmocka_unit_test(parts_are_listed_and_read),
        cmocka_unit_test(bases_are_merged),
        cmocka_unit_test(engines_answer_to_aliases),
        cmocka_unit_test(bad_chips_name_file_and_line),
        cmocka_unit_test(later_directories_hide_and_extend),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(requests_override_defaults),
        cmocka_unit_test(set_reaches_every_part),
        cmocka_unit_test(parts_may_stand_in_place),
        cmocka_unit_test(wrong_requests_are_explained),
        cmocka_unit_test(jobs_changed_by_hand_are_checked),
        cmocka_unit_test(origins_and_lines),
    };
    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
