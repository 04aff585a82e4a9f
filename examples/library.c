/* Predict a plan, search for the best one, and print both. Only the stable core of orrery.h is used (docs/library.md):
 *
 *     cc -std=c11 library.c $(pkg-config --cflags --libs orrery) -o library && ./library
 */
#include <orrery.h>

#include <stdio.h>
#include <stdlib.h>

/* What both questions share: a model, a machine, and the work. */
static const char TASK[] = "{\"kind\":\"train\",\"model\":\"llama3.1-70b\",\"system\":\"h100-sxm\",\"gpus\":256,"
                           "\"workload\":{\"seq\":8192,\"global_batch\":256,\"engine\":\"megatron-core-2025\"}}";

static int fail(const struct orr_error *error)
{
    fprintf(stderr, "library: %s error: %s\n", orr_err_name(error->code), error->text);
    return 2;
}

/* The request with a plan of our own in it; the caller frees it. NULL: the error says why. */
static char *planned(const struct orr_catalogue *catalogue, struct orr_error *error)
{
    static const char *const PLAN[][2] = {{"plan.tp", "8"}, {"plan.pp", "4"}, {"workload.recompute", "full"}};
    struct orr_form *form;
    enum orr_err err = orr_form_open(catalogue, TASK, "task", &form, error);
    for (size_t i = 0; !err && i < sizeof PLAN / sizeof *PLAN; i++)
        err = orr_form_set(form, PLAN[i][0], PLAN[i][1], error);
    char *request = err ? NULL : orr_form_text(form);
    orr_form_close(form);
    if (!err && !request) *error = (struct orr_error){.code = ORR_ERR_MEMORY, .text = "out of memory"};
    return request;
}

static int predict(const struct orr_catalogue *catalogue)
{
    struct orr_error error = {.code = ORR_ERR_MEMORY, .text = "out of memory"};
    struct orr_session *session = orr_session_new(catalogue);
    char *request = session ? planned(catalogue, &error) : NULL;
    const int failed = !request || orr_session_ask(session, request, "request", NULL, &error);
    if (!failed)
        printf("our plan: %.2f s per step, %.1f %% of peak, %.1f of %.1f GiB\n\n",
               orr_session_number(session, "step_time_s"), 100 * orr_session_number(session, "mfu_frac"),
               orr_session_number(session, "memory_bytes.total") / (1 << 30),
               orr_session_number(session, "memory_bytes.usable") / (1 << 30));
    free(request);
    orr_session_free(session);
    return failed ? fail(&error) : 0;
}

static int search(const struct orr_catalogue *catalogue)
{
    struct orr_error error;
    struct orr_search *search;
    const struct orr_style style = {.width = 80};
    if (orr_search_open(catalogue, TASK, "task", &search, &error)) return fail(&error);
    const int failed = orr_search_run(search, 0, NULL, NULL, &error) != ORR_OK;
    char *text = failed ? NULL : orr_search_render(search, ORR_FORMAT_TERMINAL, &style);
    if (text) fputs(text, stdout);
    free(text);
    orr_search_free(search);
    return failed ? fail(&error) : text ? 0 : 2;
}

int main(void)
{
    struct orr_error error;
    struct orr_catalogue *catalogue;
    if (orr_catalogue_open(NULL, 0, &catalogue, &error)) return fail(&error);
    int status = predict(catalogue);
    if (!status) status = search(catalogue);
    orr_catalogue_close(catalogue);
    return status;
}
