/* "offload" of a plan: an object or a text such as "optimizer=cpu,activations=cpu" -> where each kind of tensor is
 * kept. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "spec/job.h"
#include "spec/names.h"
#include "spec/request.h"

#define PATH "plan.offload"

static enum orr_err read_pair(const struct orr_doc *request, const char *what, const char *where, struct orr_plan *plan,
                              bool given[ORR_N_OFFLOADS], struct orr_error *error)
{
    char hint[ORR_HINT];
    int offload = 0, store = 0;
    while (offload < ORR_N_OFFLOADS && strcmp(what, orr_offload_names[offload]) != 0) offload++;
    if (offload == ORR_N_OFFLOADS)
        return orr_doc_fail(request, PATH, error,
                            "\"%s\" cannot be offloaded, only optimizer, gradients, parameters, activations%s", what,
                            orr_did_you_mean(hint, what, orr_offload_names, ORR_N_OFFLOADS));
    if (given[offload]) return orr_doc_fail(request, PATH, error, "%s is given twice", what);
    while (store < ORR_N_STORES && strcmp(where, orr_store_names[store]) != 0) store++;
    if (store == ORR_N_STORES)
        return orr_doc_fail(request, PATH, error, "%s must be none, cpu or nvme, not \"%s\"", what, where);
    plan->offload[offload] = (enum orr_store)store;
    given[offload] = true;
    return ORR_OK;
}

/* Reads "optimizer=cpu,parameters=nvme". */
static enum orr_err read_text(const struct orr_doc *request, const char *text, struct orr_plan *plan,
                              bool given[ORR_N_OFFLOADS], struct orr_error *error)
{
    if (strcmp(text, "none") == 0) return ORR_OK;
    for (enum orr_err err = ORR_OK;; text++) {
        char pair[64];
        const size_t n = strcspn(text, ",");
        (void)snprintf(pair, sizeof pair, "%.*s", (int)(n < sizeof pair ? n : sizeof pair - 1), text);
        char *equals = strchr(pair, '=');
        if (!equals)
            return orr_doc_fail(request, PATH, error,
                                "\"%s\" is no pair like optimizer=cpu (what: optimizer, gradients, parameters, "
                                "activations; where: none, cpu, nvme)",
                                pair);
        *equals = '\0';
        err = read_pair(request, pair, equals + 1, plan, given, error);
        text += n;
        if (err || !*text) return err;
    }
}

enum orr_err orr_offload_read(const struct orr_doc *request, json_t *value, struct orr_plan *plan,
                              struct orr_error *error)
{
    char shown[ORR_SHOWN];
    bool given[ORR_N_OFFLOADS] = {false};
    enum orr_err err = ORR_OK;
    if (json_is_string(value)) err = read_text(request, json_string_value(value), plan, given, error);
    else if (!json_is_object(value))
        err = orr_doc_fail(request, PATH, error, "must be a text or an object like {\"optimizer\": \"cpu\"}, not %s",
                           orr_json_shown(shown, value));
    const char *key;
    json_t *where;
    json_object_foreach(value, key, where)
    {
        const char *text = json_string_value(where);
        if (!err) err = read_pair(request, key, text ? text : orr_json_shown(shown, where), plan, given, error);
    }
    if (!given[ORR_OFFLOAD_GRADIENTS] && plan->offload[ORR_OFFLOAD_OPTIMIZER] != ORR_STORE_NONE)
        plan->offload[ORR_OFFLOAD_GRADIENTS] = ORR_STORE_CPU; /* where the optimizer reads them */
    return err;
}

char *orr_offload_text(const struct orr_plan *plan, char text[ORR_OFFLOAD_TEXT])
{
    size_t length = 0;
    (void)snprintf(text, ORR_OFFLOAD_TEXT, "none");
    for (int i = 0; i < ORR_N_OFFLOADS; i++) {
        const bool left = i == ORR_OFFLOAD_GRADIENTS && plan->offload[ORR_OFFLOAD_OPTIMIZER] != ORR_STORE_NONE;
        if ((plan->offload[i] == ORR_STORE_NONE && !left) || length >= ORR_OFFLOAD_TEXT) continue;
        const int n = snprintf(text + length, ORR_OFFLOAD_TEXT - length, "%s%s=%s", length ? "," : "",
                               orr_offload_names[i], orr_store_names[plan->offload[i]]);
        length += n > 0 ? (size_t)n : 0;
    }
    return text;
}
