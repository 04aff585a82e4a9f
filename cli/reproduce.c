/* orrery reproduce: write the studies of Kundu et al. 2024 into one folder, with a page about all of them. */
#include <stdlib.h>
#include <string.h>

#include "studies.h"

enum { MAX_STUDIES = 32 };

static const char usage[] = "usage: orrery reproduce [ITEM...] [--out DIR]\n"
                            "Run the studies of Kundu et al. 2024 and of their successor, all or those named, and\n"
                            "write for each CSV tables, JSON, a gnuplot script and, if gnuplot is there, its figure;\n"
                            "and one page over them, DIR/index.html, with published numbers beside predicted ones.";

/* The studies run so far. */
struct results {
    const char *directory;
    struct orr_study *studies[MAX_STUDIES];
    size_t n;
    bool figures; /* All figures so far were drawn. */
};

static enum cli_status add_item(struct results *results, const struct orr_catalogue *catalogue, const char *name)
{
    enum cli_status status = cli_study_run(catalogue, name, &results->studies[results->n]);
    if (status) return status;
    const struct orr_study *study = results->studies[results->n++];
    status = cli_study_write(study, name, results->directory);
    if (!status && results->figures) status = cli_study_draw(name, results->directory, &results->figures);
    return status;
}

/* Write the page, only if all of its parts were written, then what was found. */
static enum cli_status add_page(struct results *results, const struct orr_style *style)
{
    struct orr_text path = {0};
    const struct orr_study *studies[MAX_STUDIES];
    memcpy(studies, results->studies, sizeof studies);
    cli_text_add(&path, "%s/index.html", results->directory);
    const struct orr_style page = {.figures = results->figures};
    enum cli_status status = cli_write_file(path.data, orr_studies_render(studies, results->n, ORR_FORMAT_HTML, &page));
    if (!status) status = cli_write_file("-", orr_studies_render(studies, results->n, ORR_FORMAT_TERMINAL, style));
    cli_text_add(&path, "\n");
    if (!status) status = cli_write(path.data);
    free(path.data);
    return status;
}

/* Check the names before the first study runs. */
static enum cli_status check_items(const struct cli_args *args)
{
    const char *names[MAX_STUDIES], *name;
    size_t n = 0;
    while (n < MAX_STUDIES && (name = orr_study_name(n, NULL))) names[n++] = name;
    for (size_t i = 0; i < args->n_words; i++) {
        struct orr_text list = {0};
        size_t j = 0;
        while (j < n && strcmp(args->words[i], names[j]) != 0) j++;
        if (j < n) continue;
        for (j = 0; j < n; j++) cli_text_add(&list, "%s%s", j ? ", " : "", names[j]);
        const char *near = cli_nearest(args->words[i], names, n);
        cli_fail("reproduce %s: the studies are %s%s%s%s", args->words[i], list.data, near ? " (did you mean " : "",
                 near ? near : "", near ? "?)" : "");
        free(list.data);
        return CLI_BAD;
    }
    return CLI_ANSWERED;
}

static bool asked(const struct cli_args *args, const char *name)
{
    for (size_t i = 0; i < args->n_words; i++)
        if (strcmp(args->words[i], name) == 0) return true;
    return args->n_words == 0;
}

static enum cli_status reproduce(const struct cli_args *args)
{
    const char *directory = cli_args_value(args, "out"), *name;
    struct results results = {.directory = directory ? directory : "results", .figures = true};
    struct orr_catalogue *catalogue = NULL;
    enum cli_status status = check_items(args);
    if (!status) status = cli_study_directory(results.directory);
    if (!status && !(catalogue = cli_args_catalogue(args))) status = CLI_BAD;
    for (size_t i = 0; !status && (name = orr_study_name(i, NULL)); i++)
        if (asked(args, name)) status = add_item(&results, catalogue, name);
    if (!status) status = add_page(&results, &args->style);
    for (size_t i = 0; i < results.n; i++) orr_study_free(results.studies[i]);
    orr_catalogue_close(catalogue);
    return status;
}

enum cli_status cli_reproduce(int argc, const char *const *argv)
{
    return cli_run(argc, argv, CLI_FOR_REPRODUCE, MAX_STUDIES, usage, reproduce);
}
