/* Finds the catalogue model that a name stands for, or the nearest one if it stands for none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/plain.h"
#include "spec/builtin.h"
#include "spec/model_name.h"
#include "spec/part.h"

/* The rules of data/names/models.json; NULL: out of memory. */
static json_t *open_rules(void)
{
    for (size_t i = 0; i < orr_n_builtins; i++)
        if (strcmp(orr_builtins[i].part, "names") == 0 && strcmp(orr_builtins[i].id, "models") == 0)
            return json_loads(orr_builtins[i].text, 0, NULL);
    return NULL;
}

/* How well the name fits the model of that id: the best fit among the model's names. */
static int fit_of(const json_t *rules, const struct orr_model_name *asked, const char *id, const char *text)
{
    struct orr_model_name known;
    struct orr_name_scan scan = {.text = text};
    char name[ORR_ID];
    orr_model_name_read(rules, id, asked, &known);
    int best = orr_model_name_fits(asked, &known, orr_model_text_is_synthetic(text));
    while (orr_name_scan_next(&scan, name)) {
        orr_model_name_read(rules, name, asked, &known);
        const int fit = orr_model_name_fits(asked, &known, false);
        if (fit > best) best = fit;
    }
    return best;
}

bool orr_is_hub_name(const char *name)
{
    const char *slash = strchr(name, '/');
    const size_t length = strlen(name);
    return slash && slash > name && slash[1] && !strchr(slash + 1, '/') && name[0] != '.' && name[0] != '~' &&
           !(length > 5 && strcmp(name + length - 5, ".json") == 0);
}

const char *orr_model_named(const struct orr_catalogue *catalogue, const char *name, char format[ORR_FORMAT_NAME])
{
    ORR_PLAIN_NUMBERS;
    const char *found = NULL;
    int best = 0;
    format[0] = '\0';
    size_t n_ids;
    const char *const *ids = orr_catalogue_ids(catalogue, ORR_PART_MODEL, &n_ids);
    for (size_t i = 0; i < n_ids; i++)
        if (strcmp(ids[i], name) == 0) return ids[i];
    if (strchr(name, '/') && !orr_is_hub_name(name)) return NULL; /* a path, not a name */
    json_t *rules = open_rules();
    struct orr_model_name asked;
    orr_model_name_read(rules, name, NULL, &asked);
    for (size_t i = 0; i < n_ids; i++) {
        const int fit = fit_of(rules, &asked, ids[i], orr_catalogue_text(catalogue, ORR_PART_MODEL, ids[i]));
        if (fit > best) {
            best = fit;
            found = ids[i];
        }
    }
    if (found) (void)snprintf(format, ORR_FORMAT_NAME, "%s", asked.format);
    json_decref(rules);
    return found;
}

bool orr_catalogue_is_synthetic(const struct orr_catalogue *catalogue, const char *id)
{
    const char *text = orr_catalogue_text(catalogue, ORR_PART_MODEL, id);
    return text && orr_model_text_is_synthetic(text);
}

/* ---------------------------------------------------------------- the nearest name */

struct candidates {
    char (*names)[ORR_ID];
    const char **list;
    size_t n;
};

/* Collects ids, and also published names if the unknown name has an owner, as those can be near to it. */
static bool collect(const struct orr_catalogue *catalogue, bool with_owner, struct candidates *all)
{
    size_t n_ids;
    const char *const *ids = orr_catalogue_ids(catalogue, ORR_PART_MODEL, &n_ids);
    char name[ORR_ID];
    for (size_t i = 0; i < n_ids; i++) {
        struct orr_name_scan scan = {.text = orr_catalogue_text(catalogue, ORR_PART_MODEL, ids[i])};
        for (bool more = true; more; more = with_owner && orr_name_scan_next(&scan, name)) {
            char(*names)[ORR_ID] = realloc(all->names, (all->n + 1) * sizeof *names);
            if (!names) return false;
            all->names = names;
            (void)snprintf(names[all->n], ORR_ID, "%s", scan.at ? name : ids[i]);
            all->n++;
        }
    }
    all->list = calloc(all->n + 1, sizeof *all->list);
    for (size_t i = 0; all->list && i < all->n; i++) all->list[i] = all->names[i];
    return all->list != NULL;
}

void orr_model_nearest(const struct orr_catalogue *catalogue, const char *name, char hint[ORR_HINT])
{
    struct candidates all = {0};
    hint[0] = '\0';
    if (collect(catalogue, strchr(name, '/') != NULL, &all)) orr_did_you_mean(hint, name, all.list, all.n);
    free(all.names);
    free(all.list);
}
