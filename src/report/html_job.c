/* This file makes the page of one answer: what the views of the explorer ask for, and every term with its formula. */
#include "predict/scratch.h"
#include "report/answer.h"
#include "report/json_text.h"
#include "report/page.h"
#include "report/record.h"

#include <stdio.h>

enum { SPANS_MAX = 20000 }; /* a pipeline with more tasks is left out: the page would be slow to open */

/* The hardware as the job has it, with what --set changed: the roofline and the topology draw it. */
static json_t *machine_json(const struct orr_system *system)
{
    const struct orr_chip *chip = &system->chip;
    json_t *peaks = json_object();
    int failed = !peaks;
    for (int i = 0; i < ORR_N_DTYPES && !failed; i++)
        if (chip->peak_flops_per_s[i] > 0)
            failed =
                json_object_set_new(peaks, orr_dtype_name((enum orr_dtype)i), orr_json_real(chip->peak_flops_per_s[i]));
    json_t *numbers = json_pack("{so so so so so so}", "chip.hbm_bytes_per_s", orr_json_real(chip->hbm_bytes_per_s),
                                "chip.l2_bytes_per_s", orr_json_real(chip->l2_bytes_per_s), "system.gpus_per_node",
                                json_integer((json_int_t)system->gpus_per_node), "system.domain_gpus",
                                json_integer((json_int_t)system->domain_gpus), "system.scaleup_bytes_per_s",
                                orr_json_real(system->scaleup_bytes_per_s), "system.scaleout_bytes_per_s",
                                orr_json_real(system->scaleout_bytes_per_s));
    return json_pack("{so so so}", "name", orr_json_word(chip->name), "peaks", orr_json_whole(peaks, failed), "numbers",
                     numbers);
}

static void add_dumps(const struct orr_answer *answer, struct orr_page_parts *page)
{
    static const struct {
        const char *name;
        enum orr_format format;
    } DUMPS[] = {{"ops", ORR_FORMAT_DUMP_OPS},
                 {"costs", ORR_FORMAT_DUMP_COSTS},
                 {"memory", ORR_FORMAT_DUMP_MEMORY},
                 {"timeline", ORR_FORMAT_DUMP_TIMELINE}};
    const bool train = answer->job->kind == ORR_JOB_TRAIN;
    const bool small = train && orr_pipeline_timeline(answer->job, answer->scratch, NULL, 0) <= SPANS_MAX;
    for (size_t i = 0; i < sizeof DUMPS / sizeof *DUMPS; i++) {
        struct orr_text json = {0};
        char path[32];
        if (!train && i > 1) break; /* a request has operators, but no ledger by rank and no pipeline */
        if (DUMPS[i].format == ORR_FORMAT_DUMP_TIMELINE && !small) continue;
        (void)snprintf(path, sizeof path, "%s?dump=%s", train ? "train" : "infer", DUMPS[i].name);
        orr_dump(answer, DUMPS[i].format, &json);
        orr_page_reply(page, path, &json);
    }
}

void orr_answer_html(const struct orr_answer *answer, struct orr_text *text)
{
    const struct orr_job *job = answer->job;
    const bool train = job->kind == ORR_JOB_TRAIN;
    const struct orr_style wide = {.width = 110};
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text result = {0}, machine = {0}, formulas = {0};
    char title[3 * ORR_ID];
    (train ? orr_train_terminal : orr_infer_terminal)(answer, &orr_page_style, &page.terminal);
    orr_answer_json(answer, &result);
    orr_page_reply(&page, train ? "train" : "infer", &result);
    add_dumps(answer, &page);
    orr_json_add(&machine, machine_json(&job->system), 0);
    orr_page_reply(&page, "machine", &machine);
    orr_explain(answer, &wide, &formulas);
    orr_page_words(&page, "explain", &formulas);
    (void)snprintf(title, sizeof title, "%s on %lld × %s", job->model.id, (long long)job->plan.gpus, job->system.id);
    orr_page_finish(&page, title, text);
}
