/* Finds the version of a stack that a name means: the one that covers it, else the nearest older one, else the oldest.
 */
#include "spec/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "spec/part.h"

/* ---------------------------------------------------------------- versions */

/* The first year that a version may be; releases have smaller numbers. */
#define FIRST_YEAR 1990

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What a release may have joined to its numbers. */
static const char JOINED[] = "0123456789.+abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* Reads "0.11.2" and steps over it and over what is joined to it, as in "0.11.2rc1+cu12". */
static const char *read_numbers(const char *at, struct orr_version *version)
{
    if ((at[0] == 'v' || at[0] == 'V') && is_digit(at[1])) at++;
    while (is_digit(*at) && version->n < ORR_VERSION_NUMBERS) {
        char *end;
        version->numbers[version->n++] = strtoll(at, &end, 10);
        at = end;
        if (at[0] == '.' && is_digit(at[1])) at++;
        else break;
    }
    while (version->n > 0 && *at && strchr(JOINED, *at)) at++;
    return at;
}

bool orr_version_read(const char *text, struct orr_version *version)
{
    memset(version, 0, sizeof *version);
    const char *at = read_numbers(text, version);
    if (version->n > 0 && *at == '-') at++;
    else if (version->n > 0 && *at) return false;
    const size_t length = strlen(at);
    if (length >= sizeof version->variant) return false;
    memcpy(version->variant, at, length + 1);
    return version->n > 0 || (length > 0 && !is_digit(*at));
}

bool orr_range_read(const char *text, struct orr_version *first, struct orr_version *last)
{
    const char *dots = strstr(text, "..");
    char start[64];
    const size_t length = dots ? (size_t)(dots - text) : strlen(text);
    if (length >= sizeof start) return false;
    memcpy(start, text, length);
    start[length] = '\0';
    return orr_version_read(start, first) && orr_version_read(dots ? dots + 2 : start, last) && first->n > 0 &&
           last->n > 0;
}

int orr_version_compare(const struct orr_version *a, const struct orr_version *b)
{
    for (int i = 0; i < ORR_VERSION_NUMBERS; i++)
        if (a->numbers[i] != b->numbers[i]) return a->numbers[i] < b->numbers[i] ? -1 : 1;
    return 0;
}

bool orr_version_is_year(const struct orr_version *version)
{
    return version->n > 0 && version->numbers[0] >= FIRST_YEAR;
}

/* Is `asked` at most `last`, where all of 0.13.* belong to 0.13? */
static bool within(const struct orr_version *asked, const struct orr_version *last)
{
    struct orr_version cut = *asked;
    for (int i = last->n; i < ORR_VERSION_NUMBERS; i++) cut.numbers[i] = 0;
    return orr_version_compare(&cut, last) <= 0;
}

/* ---------------------------------------------------------------- members of a family */

/* One range of versions of one engine. */
struct range {
    struct orr_version first, last;
};

#define MAX_RANGES 8
struct member {
    const char *id;
    char family[ORR_ID];
    struct orr_version version;
    bool is_default;
    int n_ranges;
    struct range ranges[MAX_RANGES];
};

/* Reads "0.8..0.13 2025"; a word that is no version is left out. */
static void read_ranges(const char *covers, struct member *member)
{
    char word[64];
    while (member->n_ranges < MAX_RANGES && orr_next_word(&covers, ' ', word, sizeof word)) {
        struct range *range = &member->ranges[member->n_ranges];
        member->n_ranges += orr_range_read(word, &range->first, &range->last);
    }
}

static const char *text_at(const json_t *root, const char *key)
{
    const char *text = json_string_value(json_object_get(root, key));
    return text ? text : "";
}

void orr_fold_name(char *text)
{
    for (; *text; text++)
        if (*text == ' ' || *text == '_' || *text == '@') *text = '-';
}

/* The rest of `name` behind `family` and a separator, "" if nothing follows; NULL if it begins otherwise. */
static const char *behind(const char *name, const char *family)
{
    char head[ORR_ID];
    const size_t length = strlen(family);
    if (length == 0 || strlen(name) < length || length >= sizeof head) return NULL;
    memcpy(head, name, length);
    head[length] = '\0';
    orr_fold_name(head);
    if (orr_compare_nocase(head, family) != 0) return NULL;
    if (name[length] == '\0') return name + length;
    return name[length] == '-' && name[length + 1] ? name + length + 1 : NULL;
}

/* The rest of the name behind the family or the longest of its other spellings. */
static const char *behind_any(const char *name, const char *family, const char *aliases)
{
    char word[ORR_ID];
    const char *best = behind(name, family);
    while (orr_next_word(&aliases, ' ', word, sizeof word)) {
        const char *rest = behind(name, word);
        if (rest && (!best || rest > best)) best = rest;
    }
    return best;
}

/* ---------------------------------------------------------------- all families */

struct search {
    char name[ORR_ID];   /* as asked, folded */
    char family[ORR_ID]; /* "": no family has this name */
    size_t matched;      /* characters of the name that are the family; the longest spelling decides */
    bool own;            /* they are the name of the family itself, which goes before another spelling of it */
    struct orr_version asked;
    struct member *members;
    size_t n_members;
};

/* Reads "2024-zero3", and also "zero3-2024", as ids of such engines are written. */
static bool read_asked(const char *text, struct orr_version *version)
{
    struct orr_version last;
    const char *dash = strrchr(text, '-');
    if (!orr_version_read(text, version)) return false;
    if (version->n > 0 || !dash || !orr_version_read(dash + 1, &last) || last.n == 0 || last.variant[0]) return true;
    version->variant[dash - text] = '\0';
    memcpy(version->numbers, last.numbers, sizeof version->numbers);
    version->n = last.n;
    return true;
}

/* Takes the family of this engine if the asked name begins with it and goes on as a version does. */
static void match_family(struct search *search, const json_t *root)
{
    const char *family = text_at(root, "family");
    struct orr_version asked = {0};
    const char *rest = behind_any(search->name, family, text_at(root, "family_aliases"));
    const size_t matched = rest ? (size_t)(rest - search->name) : 0;
    const bool own = behind(search->name, family) == rest;
    if (matched < search->matched || (matched == search->matched && search->own >= own)) return;
    if (!rest || strlen(family) >= sizeof search->family) return;
    if (*rest && !read_asked(rest, &asked)) return;
    memcpy(search->family, family, strlen(family) + 1);
    search->asked = asked;
    search->matched = matched;
    search->own = own;
}

static void add_member(struct search *search, const char *id, const json_t *root)
{
    struct member *member = &search->members[search->n_members];
    *member = (struct member){.id = id, .is_default = json_is_true(json_object_get(root, "default"))};
    (void)snprintf(member->family, sizeof member->family, "%s", text_at(root, "family"));
    if (!orr_version_read(text_at(root, "version"), &member->version)) return;
    const char *covers = text_at(root, "covers");
    read_ranges(*covers ? covers : text_at(root, "version"), member);
    search->n_members++;
}

/* Forgets the engines of other families. */
static void keep_family(struct search *search)
{
    size_t n = 0;
    for (size_t i = 0; i < search->n_members; i++)
        if (strcmp(search->members[i].family, search->family) == 0) search->members[n++] = search->members[i];
    search->n_members = n;
}

/* Reads all engines once: finds the family, and collects the versions of every family. */
static enum orr_err read_engines(const struct orr_catalogue *catalogue, struct search *search, struct orr_error *error)
{
    size_t n_ids;
    const char *const *ids = orr_catalogue_ids(catalogue, ORR_PART_ENGINE, &n_ids);
    for (size_t i = 0; i < n_ids; i++) {
        const char *text = orr_catalogue_text(catalogue, ORR_PART_ENGINE, ids[i]);
        struct orr_doc doc;
        if (!strstr(text, "\"family\"")) continue;
        const enum orr_err err = orr_doc_parse(text, ids[i], &doc, error);
        if (!err) add_member(search, ids[i], doc.root);
        if (!err) match_family(search, doc.root);
        orr_doc_close(&doc);
        if (err) return err;
    }
    return ORR_OK;
}

/* ---------------------------------------------------------------- choosing */

/* The member that the bare name means: the one marked as default, else the newest; years are newer than releases. */
static const struct member *default_member(const struct search *search, const char *variant)
{
    const struct member *best = NULL;
    for (size_t i = 0; i < search->n_members; i++) {
        const struct member *one = &search->members[i];
        if (variant && orr_compare_nocase(one->version.variant, variant) != 0) continue;
        const bool newer = best && orr_version_compare(&one->version, &best->version) > 0;
        if (!best || one->is_default > best->is_default || (one->is_default == best->is_default && newer)) best = one;
    }
    return best;
}

/* How well a range fits the asked version; a larger rank is better. */
static enum orr_match match_range(const struct range *range, const struct orr_version *asked)
{
    if (orr_version_compare(&range->first, asked) > 0) return ORR_MATCH_NEWER;
    return within(asked, &range->last) ? ORR_MATCH_COVERED : ORR_MATCH_OLDER;
}

/* Is `a` to be preferred to `b`, both matching as `match`? Of newer ones the oldest, else the newest. */
static bool nearer(enum orr_match match, const struct range *a, const struct range *b)
{
    const int order = orr_version_compare(&a->first, &b->first);
    return match == ORR_MATCH_NEWER ? order < 0 : order > 0;
}

/* The member nearest to the asked version among those of a variant that are counted in the same way. */
static const struct member *nearest_member(const struct search *search, const char *variant, enum orr_match *match)
{
    static const int RANKS[ORR_N_MATCHES] = {[ORR_MATCH_COVERED] = 3, [ORR_MATCH_OLDER] = 2, [ORR_MATCH_NEWER] = 1};
    const struct member *best = NULL;
    const struct range *best_range = NULL;
    for (size_t i = 0; i < search->n_members; i++) {
        const struct member *one = &search->members[i];
        if (orr_compare_nocase(one->version.variant, variant) != 0) continue;
        for (int k = 0; k < one->n_ranges; k++) {
            const struct range *range = &one->ranges[k];
            if (orr_version_is_year(&range->first) != orr_version_is_year(&search->asked)) continue;
            const enum orr_match now = match_range(range, &search->asked);
            const int gain = best ? RANKS[now] - RANKS[*match] : 1;
            if (gain < 0 || (gain == 0 && !nearer(now, range, best_range))) continue;
            best = one;
            best_range = range;
            *match = now;
        }
    }
    return best;
}

/* Without a variant the name means that of the default member. */
static const char *choose(const struct search *search, enum orr_match *match)
{
    const char *variant = search->asked.variant;
    const struct member *usual = default_member(search, *variant ? variant : NULL);
    *match = ORR_MATCH_DEFAULT;
    if (!usual || search->asked.n == 0) return usual ? usual->id : NULL;
    const struct member *nearest = nearest_member(search, usual->version.variant, match);
    if (nearest) return nearest->id;
    *match = ORR_MATCH_UNCOUNTED;
    return usual->id;
}

enum orr_err orr_family_find(const struct orr_catalogue *catalogue, const char *name, const char **id,
                             enum orr_match *match, struct orr_error *error)
{
    struct search search = {0};
    *id = NULL;
    if (strlen(name) >= sizeof search.name) return ORR_OK;
    memcpy(search.name, name, strlen(name) + 1);
    orr_fold_name(search.name);
    search.members = calloc(orr_catalogue_count(catalogue, ORR_PART_ENGINE) + 1, sizeof *search.members);
    if (!search.members) return orr_out_of_memory(error, NULL);
    const enum orr_err err = read_engines(catalogue, &search, error);
    if (!err && search.family[0]) {
        keep_family(&search);
        *id = choose(&search, match);
    }
    free(search.members);
    return err;
}

bool orr_is_family_name(const struct orr_engine *engine, const char *name)
{
    char folded[ORR_ID];
    (void)snprintf(folded, sizeof folded, "%s", name);
    orr_fold_name(folded);
    const char *rest = behind_any(folded, engine->family, engine->family_aliases);
    return rest && *rest == '\0';
}

/* ---------------------------------------------------------------- kinds and makers */

bool orr_engine_runs(const struct orr_engine *engine, enum orr_job_kind kind)
{
    return engine->kind == ORR_ENGINE_BOTH || (engine->kind == ORR_ENGINE_TRAINING) == (kind == ORR_JOB_TRAIN);
}

const char *orr_engine_namesake(const struct orr_catalogue *catalogue, const char *name, enum orr_job_kind kind)
{
    size_t n_ids;
    const char *id = NULL, *const *ids = orr_catalogue_ids(catalogue, ORR_PART_ENGINE, &n_ids);
    struct orr_engine *engine = calloc(1, sizeof *engine);
    for (size_t i = 0; engine && !id && i < n_ids; i++) {
        enum orr_match match;
        const char *text = orr_catalogue_text(catalogue, ORR_PART_ENGINE, ids[i]);
        if (!strstr(text, "\"family_aliases\"") || orr_engine_read(catalogue, ids[i], engine, NULL)) continue;
        if (!orr_engine_runs(engine, kind) || !orr_is_family_name(engine, name)) continue;
        if (orr_family_find(catalogue, engine->family, &id, &match, NULL)) id = NULL;
    }
    free(engine);
    return id;
}

/* A list in an error message ends after so many bytes. */
#define LIST_BYTES 320

/* Adds the names of the families that run jobs of this kind; each stands for the engine that its bare name means. */
static void add_families(const struct orr_catalogue *catalogue, enum orr_job_kind kind, struct orr_text *text)
{
    size_t n_ids;
    const char *const *ids = orr_catalogue_ids(catalogue, ORR_PART_ENGINE, &n_ids);
    struct orr_engine *engine = calloc(1, sizeof *engine);
    for (size_t i = 0; engine && i < n_ids; i++) {
        const char *named = NULL;
        enum orr_match match;
        if (orr_engine_read(catalogue, ids[i], engine, NULL) || !engine->family[0] || !orr_engine_runs(engine, kind))
            continue;
        if (orr_family_find(catalogue, engine->family, &named, &match, NULL) || !named) continue;
        if (strcmp(named, ids[i]) != 0) continue;
        if (text->length > LIST_BYTES) {
            orr_text_add(text, ", ...");
            break;
        }
        orr_text_add(text, "%s%s", text->length ? ", " : "", engine->family);
    }
    free(engine);
}

enum orr_err orr_engine_check_kind(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                   const struct orr_engine *engine, enum orr_job_kind kind, struct orr_error *error)
{
    if (orr_engine_runs(engine, kind)) return ORR_OK;
    const bool train = kind == ORR_JOB_TRAIN;
    struct orr_text names = {0};
    add_families(catalogue, kind, &names);
    const enum orr_err err =
        orr_reference_fail(reference, ORR_ERR_INPUT, error,
                           "engine \"%s\" is for %s; for %s there are %s; see 'orrery list engines --kind %s'",
                           engine->id, train ? "serving" : "training", train ? "training" : "serving",
                           names.data ? names.data : "others", train ? "training" : "serving");
    free(names.data);
    return err;
}

bool orr_engine_runs_on(const struct orr_engine *engine, const struct orr_chip *chip)
{
    const char *vendors = engine->vendors;
    char vendor[32];
    bool known = !*vendors || !chip->vendor[0];
    while (!known && orr_next_word(&vendors, ' ', vendor, sizeof vendor))
        known = orr_compare_nocase(vendor, chip->vendor) == 0;
    return known;
}

bool orr_has_pipelines(const struct orr_engine *engine)
{
    return strcmp(engine->schedules, "none") != 0;
}

bool orr_has_zero(const struct orr_engine *engine, int64_t stage)
{
    char word[24];
    (void)snprintf(word, sizeof word, "%lld", (long long)stage);
    return !*engine->zero_stages || orr_has_word(engine->zero_stages, word);
}
