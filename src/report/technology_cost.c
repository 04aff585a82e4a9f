/* This report prices a generated machine, from the wafer to a training run or a million tokens. Eqs. 106-108. */
#include <stdio.h>

#include "base/units.h"
#include "report/page.h"
#include "report/json_text.h"
#include "report/technology.h"

/* This is the cost of a job on the machine. */
struct run {
    bool fits;
    double system_usd; /* capital of all GPUs */
    double usd;        /* cost of one step, or of one batch of requests */
    double usd_per_million_tokens;
    double run_s, run_usd; /* for all tokens asked for; 0 where none are */
};

static struct run price_run(const struct orr_machine *machine, const struct orr_job *job, double run_tokens,
                            struct orr_scratch *scratch)
{
    struct run run = {.system_usd = machine->cost.gpu_usd * (double)job->plan.gpus};
    if (job->kind == ORR_JOB_TRAIN) {
        struct orr_result result;
        orr_train(job, scratch, &result);
        run.fits = result.fits;
        run.usd = result.cost_usd;
        run.usd_per_million_tokens = result.cost_usd / (result.tokens_per_s * result.step_time_s) * 1e6;
        run.run_s = run_tokens / result.tokens_per_s;
        run.run_usd = run_tokens / 1e6 * run.usd_per_million_tokens;
    } else {
        struct orr_infer_result result;
        orr_infer(job, scratch, &result);
        run.fits = result.fits;
        run.usd = result.cost_usd;
        run.usd_per_million_tokens = result.cost_usd_per_million_tokens;
    }
    return run;
}

/* ---------------------------------------------------------------- terminal */

static void add_line(struct orr_table *table, const char *name, double usd, const char *note)
{
    char amount[32];
    (void)snprintf(amount, sizeof amount, usd < 10 ? "$%.4f" : usd < 1e6 ? "$%.2f" : "$%.0f", usd);
    ORR_ROW(table, ORR_PAINT_NONE, name, amount, note);
}

static void add_hardware(struct orr_table *table, const struct orr_recipe *r, const struct orr_machine *m)
{
    const struct orr_die_cost *cost = &m->cost;
    char die[128], dram[112], markup[64];
    (void)snprintf(die, sizeof die, "%.1f dies on a wafer of $%.0f, yield %.1f %%", cost->dies_per_wafer,
                   r->node.wafer_usd, 100 * cost->yield_frac);
    (void)snprintf(dram, sizeof dram, "%.4g GB of %.30s at %.4g $/GB", m->dram_bytes / 1e9, r->dram.id,
                   r->dram.usd_per_gb);
    (void)snprintf(markup, sizeof markup, "%.3g times the package", r->technology.economy.markup);
    if (cost->n_dies > 1)
        (void)snprintf(die, sizeof die, "%g dies of %.4g mm2, $%.2f each; %.1f on a wafer of $%.0f, yield %.1f %%",
                       cost->n_dies, cost->die_mm2, cost->die_usd, cost->dies_per_wafer, r->node.wafer_usd,
                       100 * cost->yield_frac);
    add_line(table, cost->n_dies > 1 ? "dies" : "die", cost->dies_usd, die);
    add_line(table, "interposer", cost->interposer_usd, "under the die and the stacks");
    add_line(table, "memory", cost->dram_usd, dram);
    add_line(table, "package", cost->package_usd, "all of it, including substrate and assembly losses");
    add_line(table, "chip", cost->chip_usd, markup);
    add_line(table, "network", cost->network_usd, "ports, cables, share of the switches");
    add_line(table, "host", cost->host_usd, "share of node, rack, storage");
    add_line(table, "GPU", cost->gpu_usd, "capital of one GPU in its system");
    add_line(table, "hour: capital", cost->capital_usd_per_hour, "over the hours it is in use");
    add_line(table, "hour: energy", cost->energy_usd_per_hour, "at full power");
    add_line(table, "hour: other", cost->opex_usd_per_hour, "staff, space, repair");
    add_line(table, "hour", cost->usd_per_hour, "price of a GPU hour in every report");
}

static void add_job(struct orr_table *table, const struct orr_job *job, const struct run *run)
{
    char gpus[48], time[32], tokens[64];
    (void)snprintf(gpus, sizeof gpus, "%lld GPUs", (long long)job->plan.gpus);
    add_line(table, "system", run->system_usd, gpus);
    add_line(table, job->kind == ORR_JOB_TRAIN ? "step" : "batch", run->usd, job->model.id);
    add_line(table, "million tokens", run->usd_per_million_tokens,
             job->kind == ORR_JOB_TRAIN ? "trained on" : "of output");
    if (run->run_s > 0) {
        (void)snprintf(tokens, sizeof tokens, "%s without failures", orr_print_s(time, run->run_s));
        add_line(table, "training run", run->run_usd, tokens);
    }
}

/* ---------------------------------------------------------------- JSON */

static json_t *cost_json(const struct orr_machine *m, const struct orr_job *job, const struct run *run)
{
    const struct orr_die_cost *c = &m->cost;
    json_t *object = json_pack("{s:s, s:s}", "schema", ORR_SCHEMA, "kind", "technology_cost");
    const struct {
        const char *key;
        double value;
        bool of_job;
    } ROWS[] = {
        {"dies_per_wafer", c->dies_per_wafer, false},
        {"yield_frac", c->yield_frac, false},
        {"dies_per_package", c->n_dies, false},
        {"die_mm2", c->die_mm2, false},
        {"die_usd", c->die_usd, false},
        {"dies_usd", c->dies_usd, false},
        {"good_frac", c->good_frac, false},
        {"assembly_yield_frac", c->assembly_yield_frac, false},
        {"interposer_usd", c->interposer_usd, false},
        {"memory_usd", c->dram_usd, false},
        {"package_usd", c->package_usd, false},
        {"chip_usd", c->chip_usd, false},
        {"network_usd", c->network_usd, false},
        {"host_usd", c->host_usd, false},
        {"gpu_usd", c->gpu_usd, false},
        {"capital_usd_per_hour", c->capital_usd_per_hour, false},
        {"energy_usd_per_hour", c->energy_usd_per_hour, false},
        {"opex_usd_per_hour", c->opex_usd_per_hour, false},
        {"usd_per_gpu_hour", c->usd_per_hour, false},
        {"system_usd", run->system_usd, true},
        {"cost_usd", run->usd, true},
        {"usd_per_million_tokens", run->usd_per_million_tokens, true},
        {"run_s", run->run_s, true},
        {"run_usd", run->run_usd, true},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (job || !ROWS[i].of_job) json_object_set_new(object, ROWS[i].key, orr_json_real(ROWS[i].value));
    if (job) json_object_set_new(object, "fits", json_boolean(run->fits));
    return object;
}

/* ---------------------------------------------------------------- report */

/* A bill has everything that a report is made of; `job` may be NULL. */
struct bill {
    struct orr_recipe recipe;
    struct orr_machine machine;
    const struct orr_job *job;
    struct run run;
};

static void add_bill(const struct bill *bill, enum orr_format format, const struct orr_style *style,
                     struct orr_text *text)
{
    struct orr_table table;
    if (format == ORR_FORMAT_JSON) {
        orr_json_lines(text, cost_json(&bill->machine, bill->job, &bill->run));
        return;
    }
    orr_text_add(text, "%s at %g nm, die %.4g mm2\n\n", bill->recipe.design.name, bill->recipe.node.nm,
                 bill->recipe.die_mm2);
    orr_table_start(&table, "lrf");
    add_hardware(&table, &bill->recipe, &bill->machine);
    if (bill->job) add_job(&table, bill->job, &bill->run);
    orr_table_print(&table, text, style);
    if (bill->job && !bill->run.fits)
        orr_text_fit(text, style, "\n  The job does not fit into the memory of this system.\n");
}

static void add_page(const struct bill *bill, const char *name, struct orr_text *text)
{
    struct orr_page_parts page = {{0}, {0}, {0}};
    struct orr_text json = {0};
    orr_cost_lanes(&page, &bill->machine.cost);
    add_bill(bill, ORR_FORMAT_TERMINAL, &orr_page_style, &page.terminal);
    add_bill(bill, ORR_FORMAT_JSON, NULL, &json);
    orr_page_reply(&page, "result", &json);
    orr_page_finish(&page, name, text);
}

enum orr_err orr_technology_cost(const struct orr_catalogue *catalogue, const struct orr_technology_question *question,
                                 const struct orr_rendering *to, struct orr_error *error)
{
    struct bill bill = {.job = question->job};
    struct orr_text text = {0};
    const enum orr_err err = orr_machine_read(catalogue, question->name, &bill.recipe, &bill.machine, error);
    if (err) return err;
    if (bill.job) {
        struct orr_scratch *scratch = orr_scratch_new();
        if (!scratch) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
        bill.run = price_run(&bill.machine, bill.job, (double)question->run_tokens, scratch);
        orr_scratch_free(scratch);
    }
    if (to->format == ORR_FORMAT_HTML) add_page(&bill, question->name, &text);
    else add_bill(&bill, to->format, to->style, &text);
    return orr_text_done(&text, to->text, error);
}
