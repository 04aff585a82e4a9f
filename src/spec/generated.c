/* "generated:node=5,area=800,memory=hbm3,power.core=0.4": the grammar, the recipe that a name asks for, and the JSON of
 * the generated system, which the ordinary readers then read. */
#include "spec/technology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { TOKENS_MAX = 64 };

/* ---------------------------------------------------------------- the grammar */

#define AREA_KEY(member, word, ...)      "area." word,
#define POWER_KEY(member, word, ...)     "power." word,
#define PERIMETER_KEY(member, word, ...) "perimeter." word,
static const char *const KEYS[] = {
    "design",        "technology",
    "memory",        "scaleup",
    "network",       "node",
    "area",          "package",
    "power",         "stacks",
    "dies",          "domain",
    "gpus_per_node", ORR_COMPONENTS(AREA_KEY) ORR_COMPONENTS(POWER_KEY) ORR_EDGE_COMPONENTS(PERIMETER_KEY)};

struct token {
    char *key, *value;
};

/* A name cut into its tokens, and the place that errors about it refer to. */
struct parsed {
    char *text; /* owned; the tokens point into it */
    size_t n;
    struct token tokens[TOKENS_MAX];
    const struct orr_reference *at;
};

bool orr_is_generated(const char *name)
{
    return strncmp(name, ORR_GENERATED, strlen(ORR_GENERATED)) == 0;
}

static const char *value_of(const struct parsed *parsed, const char *key)
{
    for (size_t i = 0; i < parsed->n; i++)
        if (strcmp(parsed->tokens[i].key, key) == 0) return parsed->tokens[i].value;
    return NULL;
}

/* Is it a key of the grammar, or "cost." and a key of a technology's "cost"? */
static bool is_key(const char *key)
{
    for (size_t i = 0; i < ORR_COUNT_OF(KEYS); i++)
        if (strcmp(key, KEYS[i]) == 0) return true;
    for (size_t i = 0; i < orr_n_economy_fields; i++)
        if (strncmp(key, "cost.", 5) == 0 && strcmp(key + 5, orr_economy_fields[i].key) == 0) return true;
    return false;
}

static enum orr_err fail_cost_key(const struct parsed *parsed, const char *key, struct orr_error *error)
{
    const char *names[40];
    char hint[ORR_HINT], list[700] = "";
    size_t n = 0;
    for (size_t length = 0; n < orr_n_economy_fields && n < ORR_COUNT_OF(names) && length < sizeof list; n++) {
        names[n] = orr_economy_fields[n].key;
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", n ? ", " : "", names[n]);
    }
    return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error, "generated: unknown key \"%.60s\"%s; of cost: %s", key,
                              orr_did_you_mean(hint, key + 5, names, n), list);
}

static enum orr_err fail_key(const struct parsed *parsed, const char *key, struct orr_error *error)
{
    char hint[ORR_HINT];
    if (strncmp(key, "cost.", 5) == 0) return fail_cost_key(parsed, key, error);
    orr_did_you_mean(hint, key, KEYS, ORR_COUNT_OF(KEYS));
    return orr_reference_fail(
        parsed->at, ORR_ERR_INPUT, error,
        "generated: unknown key \"%.60s\"%s; keys: node, area, package, power, stacks, dies, design, "
        "technology, memory, scaleup, network, domain, gpus_per_node, area.PART, power.PART, "
        "perimeter.PART, cost.KEY",
        key, hint);
}

static enum orr_err add_token(struct parsed *parsed, char *text, struct orr_error *error)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error,
                                  "generated: \"%.60s\" is not KEY=VALUE, e.g. generated:node=5,memory=hbm3", text);
    *equals = '\0';
    if (!is_key(text)) return fail_key(parsed, text, error);
    if (value_of(parsed, text))
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error, "generated: \"%s\" is given twice", text);
    if (parsed->n == TOKENS_MAX)
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error, "generated: more than %d keys", TOKENS_MAX);
    parsed->tokens[parsed->n++] = (struct token){text, equals + 1};
    return ORR_OK;
}

/* The caller frees parsed->text, even after an error. */
static enum orr_err parse(const struct orr_reference *reference, struct parsed *parsed, struct orr_error *error)
{
    const char *name = reference->name + strlen(ORR_GENERATED);
    *parsed = (struct parsed){.at = reference, .text = calloc(strlen(name) + 1, 1)};
    if (!parsed->text) return orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    memcpy(parsed->text, name, strlen(name));
    enum orr_err err = ORR_OK;
    for (char *at = parsed->text, *next; *parsed->text && at && !err; at = next) {
        char *comma = strchr(at, ',');
        next = comma ? comma + 1 : NULL;
        if (comma) *comma = '\0';
        err = add_token(parsed, at, error);
    }
    return err;
}

/* ---------------------------------------------------------------- values */

/* Reads a number with the unit `suffix` or without a unit; *number stays as it is if the key is not given. */
static enum orr_err read_number(const struct parsed *parsed, const char *key, const char *suffix, double low,
                                double high, double *number, struct orr_error *error)
{
    const char *value = value_of(parsed, key);
    char text[64];
    if (!value) return ORR_OK;
    const size_t length = strlen(value), n = strlen(suffix);
    const bool cut = n > 0 && length > n && strcmp(value + length - n, suffix) == 0;
    (void)snprintf(text, sizeof text, "%.*s", (int)(length - (cut ? n : 0)), value);
    double found;
    if (length >= sizeof text || !orr_quantity_parse(text, ORR_UNIT_NONE, &found) || found < low || found > high)
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error,
                                  "generated: %s must be a number from %g to %g%s%s, not \"%.60s\"", key, low, high,
                                  n ? " " : "", suffix, value);
    *number = found;
    return ORR_OK;
}

static enum orr_err read_count(const struct parsed *parsed, const char *key, double high, int64_t *count,
                               struct orr_error *error)
{
    double number = (double)*count;
    const enum orr_err err = read_number(parsed, key, "", 1, high, &number, error);
    if (!err && floor(number) < number)
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error, "generated: %s must be a whole number, not %g", key,
                                  number);
    *count = (int64_t)number;
    return err;
}

/* Shares in the name replace those of the design. Their sum may be below the whole budget, but not above it. */
static enum orr_err read_shares(const struct parsed *parsed, const char *budget, double shares[ORR_N_COMPONENTS],
                                struct orr_error *error)
{
    double sum = 0;
    for (int i = 0; i < ORR_N_COMPONENTS; i++) {
        char key[64];
        (void)snprintf(key, sizeof key, "%s.%s", budget, orr_component_names[i]);
        const enum orr_err err = read_number(parsed, key, "", 0, 1, &shares[i], error);
        if (err) return err;
        sum += shares[i];
    }
    if (sum > 1 + 1e-9)
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error,
                                  "generated: the shares of %s add up to %.4g; at most 1", budget, sum);
    return ORR_OK;
}

/* ---------------------------------------------------------------- parts */

/* Opens a part by name: the one in the generated system's name, or the design's usual one. */
static enum orr_err open_inner(const struct orr_catalogue *catalogue, const struct parsed *parsed, enum orr_part kind,
                               const char *key, const char *usual, struct orr_part_doc *part, struct orr_error *error)
{
    struct orr_reference reference = *parsed->at;
    const char *given = value_of(parsed, key);
    reference.part = kind;
    reference.name = given ? given : usual;
    return orr_part_open(catalogue, &reference, NULL, part, error);
}

static enum orr_err read_network(const struct orr_catalogue *catalogue, const struct parsed *parsed, bool scaleout,
                                 struct orr_recipe *recipe, struct orr_part_doc *part, struct orr_error *error)
{
    const char *key = scaleout ? "network" : "scaleup";
    struct orr_network *network = scaleout ? &recipe->scaleout : &recipe->scaleup;
    enum orr_err err = open_inner(catalogue, parsed, ORR_PART_NETWORK, key,
                                  scaleout ? recipe->design.network : recipe->design.scaleup, part, error);
    if (!err) err = orr_network_from_json(&part->doc, part->id, network, error);
    orr_part_close(part);
    if (!err && network->scaleout != scaleout)
        err = orr_reference_fail(parsed->at, ORR_ERR_INPUT, error, "generated: %s=%s is a %s network: %s=%s", key,
                                 network->id, scaleout ? "scale-up" : "scale-out", scaleout ? "scaleup" : "network",
                                 network->id);
    return err;
}

static enum orr_err read_parts(const struct orr_catalogue *catalogue, const struct parsed *parsed,
                               struct orr_recipe *recipe, struct orr_part_doc *part, struct orr_error *error)
{
    enum orr_err err = open_inner(catalogue, parsed, ORR_PART_DESIGN, "design", "modern", part, error);
    if (!err) err = orr_design_from_json(&part->doc, part->id, &recipe->design, error);
    orr_part_close(part);
    if (err) return err;
    err = open_inner(catalogue, parsed, ORR_PART_TECHNOLOGY, "technology", "foundry", part, error);
    if (!err) err = orr_technology_from_json(&part->doc, part->id, &recipe->technology, error);
    orr_part_close(part);
    if (err) return err;
    err = open_inner(catalogue, parsed, ORR_PART_MEMORY, "memory", recipe->design.memory, part, error);
    if (!err) err = orr_dram_from_json(&part->doc, part->id, &recipe->dram, error);
    orr_part_close(part);
    if (!err) err = read_network(catalogue, parsed, false, recipe, part, error);
    if (!err) err = read_network(catalogue, parsed, true, recipe, part, error);
    return err;
}

/* ---------------------------------------------------------------- recipe */

static enum orr_err find_node(const struct parsed *parsed, double nm, const struct orr_technology *technology,
                              struct orr_node *node, struct orr_error *error)
{
    const struct orr_node *found = orr_technology_node(technology, nm);
    if (found) {
        *node = *found;
        return ORR_OK;
    }
    char list[256] = "";
    for (size_t i = 0, n = 0; i < technology->n_nodes && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%g", i ? ", " : "", technology->nodes[i].nm);
    return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error, "generated: %s has no node of %g nm (it has %s)",
                              technology->id, nm, list);
}

/* Foundries call nodes N3, in nanometres, and A14, in tenths of them. */
static bool is_foundry_name(const char *value, double *nm)
{
    const bool tenths = value[0] == 'A' || value[0] == 'a';
    if (!tenths && value[0] != 'N' && value[0] != 'n') return false;
    const char *end = orr_number_at(value + 1, nm);
    if (tenths) *nm /= 10;
    return end && *end == '\0' && *nm >= 0.1 && *nm <= 1000;
}

static enum orr_err read_node(const struct parsed *parsed, struct orr_recipe *recipe, struct orr_error *error)
{
    double nm = recipe->design.node_nm, named = 0;
    const char *value = value_of(parsed, "node");
    enum orr_err err = ORR_OK;
    if (value && is_foundry_name(value, &named)) nm = named;
    else err = read_number(parsed, "node", "nm", 0.1, 1000, &nm, error);
    if (!err) err = find_node(parsed, nm, &recipe->technology, &recipe->node, error);
    if (!err) err = find_node(parsed, recipe->design.node_nm, &recipe->technology, &recipe->base, error);
    return err;
}

/* Reads die, package and power. The package has room for the design's stacks, or for those in the name. */
static enum orr_err read_budgets(const struct parsed *parsed, struct orr_recipe *recipe, struct orr_error *error)
{
    const struct orr_design *design = &recipe->design;
    double die = 0, package = 0, power = design->power_w;
    enum orr_err err = read_number(parsed, "area", "mm2", 1, 1e5, &die, error);
    if (!err) err = read_number(parsed, "package", "mm2", 1, 1e6, &package, error);
    if (!err) err = read_number(parsed, "power", "W", 1, 1e5, &power, error);
    if (!err) err = read_count(parsed, "stacks", 1000, &recipe->n_stacks, error);
    recipe->n_dies = 1;
    if (!err) err = read_count(parsed, "dies", 64, &recipe->n_dies, error);
    if (err) return err;
    const double stacks_mm2 = (double)recipe->n_stacks * recipe->dram.stack_mm2;
    if (die <= 0 && package > 0 && recipe->n_stacks > 0) die = package - stacks_mm2;
    else if (die <= 0) die = design->die_mm2;
    if (package <= 0) package = die + fmax(design->package_mm2 - design->die_mm2, stacks_mm2);
    if (die <= 0)
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error,
                                  "generated: a package of %g mm2 has no room for a die beside stacks of %g mm2",
                                  package, stacks_mm2);
    if (die > package)
        return orr_reference_fail(parsed->at, ORR_ERR_INPUT, error,
                                  "generated: a package of %g mm2 holds no die of %g mm2", package, die);
    recipe->die_mm2 = die;
    recipe->package_mm2 = package;
    recipe->power_w = power;
    return ORR_OK;
}

static enum orr_err read_economy(const struct parsed *parsed, struct orr_economy *economy, struct orr_error *error)
{
    enum orr_err err = ORR_OK;
    for (size_t i = 0; i < orr_n_economy_fields && !err; i++) {
        const struct orr_field *field = &orr_economy_fields[i];
        char key[64];
        double *target = (double *)(void *)((char *)economy + field->offset);
        (void)snprintf(key, sizeof key, "cost.%s", field->key);
        err = read_number(parsed, key, "", field->min, field->max, target, error);
    }
    return err;
}

static enum orr_err fill_recipe(const struct orr_catalogue *catalogue, const struct parsed *parsed,
                                struct orr_recipe *recipe, struct orr_part_doc *part, struct orr_error *error)
{
    enum orr_err err = read_parts(catalogue, parsed, recipe, part, error);
    if (err) return err;
    recipe->split = recipe->design.split;
    recipe->gpus_per_node = recipe->design.gpus_per_node;
    recipe->domain_gpus = recipe->scaleup.domain_gpus;
    err = read_node(parsed, recipe, error);
    if (!err) err = read_budgets(parsed, recipe, error);
    if (!err) err = read_count(parsed, "gpus_per_node", 1e5, &recipe->gpus_per_node, error);
    if (!err) err = read_count(parsed, "domain", 1e7, &recipe->domain_gpus, error);
    if (!err) err = read_shares(parsed, "area", recipe->split.area_frac, error);
    if (!err) err = read_shares(parsed, "power", recipe->split.power_frac, error);
    if (!err) err = read_shares(parsed, "perimeter", recipe->split.perimeter_frac, error);
    if (!err) err = read_economy(parsed, &recipe->technology.economy, error);
    return err;
}

enum orr_err orr_recipe_read(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             struct orr_recipe *recipe, struct orr_error *error)
{
    struct parsed parsed;
    struct orr_part_doc *part = calloc(1, sizeof *part);
    memset(recipe, 0, sizeof *recipe);
    enum orr_err err = part ? parse(reference, &parsed, error)
                            : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
    if (part && !err) err = fill_recipe(catalogue, &parsed, recipe, part, error);
    if (part) free(parsed.text);
    free(part);
    return err;
}

static bool is_share(const char *token)
{
    return strncmp(token, "area.", 5) == 0 || strncmp(token, "power.", 6) == 0 || strncmp(token, "perimeter.", 10) == 0;
}

char *orr_recipe_name(const char *name, const struct orr_split *split)
{
    struct orr_text text = {0};
    orr_text_add(&text, "%s", ORR_GENERATED);
    const char *comma = "";
    for (const char *at = name + strlen(ORR_GENERATED); *at;) {
        const size_t length = strcspn(at, ",");
        if (length > 0 && !is_share(at)) {
            orr_text_add(&text, "%s%.*s", comma, (int)length, at);
            comma = ",";
        }
        at += length + (at[length] != '\0');
    }
    for (int i = 0; i < ORR_N_COMPONENTS; i++) {
        orr_text_add(&text, "%sarea.%s=%.6f", comma, orr_component_names[i], split->area_frac[i]);
        comma = ",";
    }
    for (int i = 0; i < ORR_N_COMPONENTS; i++)
        orr_text_add(&text, ",power.%s=%.6f", orr_component_names[i], split->power_frac[i]);
    for (int i = 0; i < ORR_N_COMPONENTS; i++)
        if (split->perimeter_frac[i] > 0)
            orr_text_add(&text, ",perimeter.%s=%.6f", orr_component_names[i], split->perimeter_frac[i]);
    return orr_text_take(&text);
}

char *orr_recipe_with(const char *name, const char *key, const char *value)
{
    struct orr_text text = {0};
    const size_t n = strlen(key);
    const char *comma = "";
    orr_text_add(&text, "%s", ORR_GENERATED);
    for (const char *at = name + strlen(ORR_GENERATED); *at;) {
        const size_t length = strcspn(at, ",");
        const bool same = length > n && strncmp(at, key, n) == 0 && at[n] == '=';
        if (length > 0 && !same) {
            orr_text_add(&text, "%s%.*s", comma, (int)length, at);
            comma = ",";
        }
        at += length + (at[length] != '\0');
    }
    if (value) orr_text_add(&text, "%s%s=%s", comma, key, value);
    return orr_text_take(&text);
}

/* ---------------------------------------------------------------- system */

json_t *orr_generated_json(const struct orr_recipe *recipe, const struct orr_system *system, const char *name)
{
    char source[ORR_ERROR_TEXT];
    json_t *chip = orr_chip_to_json(&system->chip, recipe->design.calibration);
    json_t *object = orr_system_to_json(system, chip);
    (void)snprintf(source, sizeof source, "%.400s", name);
    json_object_set_new(object, "sources", json_pack("{s:s}", "*", source));
    return object;
}

enum orr_err orr_generated_open(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                struct orr_part_doc *part, struct orr_error *error)
{
    struct orr_recipe recipe;
    struct orr_machine machine;
    struct orr_system system;
    char reason[ORR_REASON];
    const enum orr_err err = orr_recipe_read(catalogue, reference, &recipe, error);
    if (err) return err;
    if (!orr_generate(&recipe, &machine, reason))
        return orr_reference_fail(reference, ORR_ERR_INPUT, error, "generated: %s", reason);
    orr_machine_system(&recipe, &machine, &system);
    part->doc = (struct orr_doc){.root = orr_generated_json(&recipe, &system, reference->name), .file = part->file};
    orr_copy_line(part->id, sizeof part->id, reference->name);
    orr_copy_line(part->file, sizeof part->file, reference->name);
    return part->doc.root ? ORR_OK : orr_fail(error, ORR_ERR_MEMORY, (struct orr_place){0}, "out of memory");
}
