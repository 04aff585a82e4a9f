/* Lists of modules that a quantised checkpoint names by whole paths, beginnings and ends of paths, "*", and regular
 * expressions after "re:". */
#define _POSIX_C_SOURCE 200809L
#include "spec/format.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATTERN = 256, MOST_PATTERNS = 65536 };

struct pattern {
    const char *text; /* text of the pattern, owned by the document */
    int64_t layer;    /* the only layer that the pattern can match; -1: any */
    bool is_regex, has_star;
    regex_t regex;
};

struct orr_matcher {
    struct pattern *items;
    size_t n;
    const char *bad; /* the first expression that is not understood; NULL: none */
};

/* Spellings of a tensor's name other than that in ORR_TENSORS, separated by "|". */
static const char *const OTHER_NAMES[ORR_N_TENSORS] = {
    [ORR_TENSOR_Q] = "self_attn.qkv_proj",
    [ORR_TENSOR_K] = "self_attn.qkv_proj",
    [ORR_TENSOR_V] = "self_attn.qkv_proj",
    [ORR_TENSOR_O] = "self_attn.o_b_proj|attn.wo_b",
    [ORR_TENSOR_O_A] = "attn.wo_a",
    [ORR_TENSOR_Q_B] = "attn.wq_b",
    [ORR_TENSOR_INDEX_Q] = "attn.indexer.wq_b",
    [ORR_TENSOR_Q_A] = "attn.wq_a|self_attn.fused_qkv_a_proj_with_mqa",
    [ORR_TENSOR_KV_A] = "attn.wkv|self_attn.fused_qkv_a_proj_with_mqa",
    [ORR_TENSOR_GATE] = "mlp.gate_up_proj|feed_forward.gate_proj",
    [ORR_TENSOR_UP] = "mlp.gate_up_proj|feed_forward.up_proj",
    [ORR_TENSOR_DOWN] = "feed_forward.down_proj",
    [ORR_TENSOR_SHARED_GATE] = "mlp.shared_expert.gate_proj|feed_forward.shared_expert.gate_proj|ffn.shared_experts.w1",
    [ORR_TENSOR_SHARED_UP] = "mlp.shared_expert.up_proj|feed_forward.shared_expert.up_proj|ffn.shared_experts.w3",
    [ORR_TENSOR_SHARED_DOWN] = "mlp.shared_expert.down_proj|feed_forward.shared_expert.down_proj|ffn.shared_experts.w2",
    [ORR_TENSOR_EXPERT_GATE] = "block_sparse_moe.experts.0.w1|feed_forward.experts.0.gate_proj|ffn.experts.0.w1",
    [ORR_TENSOR_EXPERT_UP] = "block_sparse_moe.experts.0.w3|feed_forward.experts.0.up_proj|ffn.experts.0.w3",
    [ORR_TENSOR_EXPERT_DOWN] = "block_sparse_moe.experts.0.w2|feed_forward.experts.0.down_proj|ffn.experts.0.w2",
};
#define TENSOR_NAME(member, module, name) name,
static const char *const TENSOR_NAMES[ORR_N_TENSORS] = {ORR_TENSORS(TENSOR_NAME)};
static const char *const PREFIXES[] = {"model.layers", "language_model.model.layers", "model.language_model.layers"};

struct orr_matcher *orr_matcher_new(void)
{
    return calloc(1, sizeof(struct orr_matcher));
}

void orr_matcher_free(struct orr_matcher *matcher)
{
    if (!matcher) return;
    for (size_t i = 0; i < matcher->n; i++)
        if (matcher->items[i].is_regex) regfree(&matcher->items[i].regex);
    free(matcher->items);
    free(matcher);
}

/* Translates an expression written for Python, with \d, non-greedy marks and non-capturing groups, to POSIX extended
 * form. The result is false if it has parts that are not understood or that could take long to match. */
static bool translate(const char *from, char to[PATTERN])
{
    size_t n = 0;
    to[n++] = '^'; /* Python matches from the beginning */
    to[n++] = '(';
    for (; *from; from++) {
        if (n + 8 >= PATTERN || *from == '{') return false;
        if (from[0] == '\\' && from[1] == 'd') {
            n += (size_t)snprintf(to + n, PATTERN - n, "[0-9]");
            from++;
        } else if (from[0] == '\\' && from[1] >= '0' && from[1] <= '9') {
            return false;
        } else if (from[0] == '(' && from[1] == '?') {
            if (from[2] != ':') return false;
            to[n++] = '(';
            from += 2;
        } else {
            to[n++] = *from;
            if ((*from == '*' || *from == '+') && from[1] == '?') from++;
        }
    }
    to[n++] = ')';
    to[n] = '\0';
    return true;
}

static int64_t layer_of(const char *text)
{
    const char *at = strstr(text, "layers.");
    char *end;
    if (!at) return -1;
    const long layer = strtol(at + strlen("layers."), &end, 10);
    return end > at + strlen("layers.") && (*end == '.' || *end == '\0') && layer >= 0 ? layer : -1;
}

/* Returns false if out of memory, which the C library tells for an expression that it has no memory for. */
static bool add_one(struct orr_matcher *matcher, const char *text)
{
    struct pattern *pattern = &matcher->items[matcher->n];
    char expression[PATTERN];
    *pattern = (struct pattern){.text = text, .layer = -1};
    if (strncmp(text, "re:", 3) == 0) {
        const bool known = translate(text + 3, expression);
        const int wrong = known ? regcomp(&pattern->regex, expression, REG_EXTENDED | REG_NOSUB) : REG_BADPAT;
        if (wrong && wrong != REG_ESPACE && !matcher->bad) matcher->bad = text;
        if (wrong) return wrong != REG_ESPACE;
        pattern->is_regex = true;
    } else {
        pattern->has_star = strchr(text, '*') != NULL;
        if (!pattern->has_star) pattern->layer = layer_of(text);
    }
    matcher->n++;
    return true;
}

const char *orr_matcher_bad(const struct orr_matcher *matcher)
{
    return matcher->bad;
}

bool orr_matcher_add_text(struct orr_matcher *matcher, const char *text)
{
    if (!*text || strlen(text) >= PATTERN || matcher->n >= MOST_PATTERNS) return true;
    if ((matcher->n & (matcher->n - 1)) == 0) { /* room is doubled at every power of two */
        struct pattern *items = realloc(matcher->items, (matcher->n > 0 ? 2 * matcher->n : 1) * sizeof *items);
        if (!items) return false;
        matcher->items = items;
    }
    return add_one(matcher, text);
}

bool orr_matcher_add(struct orr_matcher *matcher, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (text && !orr_matcher_add_text(matcher, text)) return false;
    }
    return true;
}

/* A pattern names a module by its path, by the path of a module around it, or by the end of either path. */
static bool names_module(const char *pattern, const char *name)
{
    const size_t length = strlen(pattern);
    for (const char *at = strstr(name, pattern); at; at = strstr(at + 1, pattern)) {
        const bool begins = at == name || at[-1] == '.' || pattern[0] == '.';
        if (begins && (at[length] == '\0' || at[length] == '.' || (length > 0 && pattern[length - 1] == '.')))
            return true;
    }
    return false;
}

static bool matches(const struct pattern *pattern, const char *name)
{
    char inside[PATTERN + 4];
    if (pattern->is_regex) return regexec(&pattern->regex, name, 0, NULL, 0) == 0;
    if (!pattern->has_star) return names_module(pattern->text, name);
    (void)snprintf(inside, sizeof inside, "%s.*", pattern->text);
    return fnmatch(pattern->text, name, 0) == 0 || fnmatch(inside, name, 0) == 0;
}

static bool any_matches(const struct orr_matcher *matcher, int64_t layer, const char *name)
{
    for (size_t i = 0; i < matcher->n; i++) {
        const struct pattern *pattern = &matcher->items[i];
        if (pattern->layer >= 0 && pattern->layer != layer) continue;
        if (matches(pattern, name)) return true;
    }
    return false;
}

bool orr_matcher_name(const struct orr_matcher *matcher, const char *name)
{
    return any_matches(matcher, -1, name);
}

/* Does the list name the tensor of layer i under this prefix, in any of its spellings? */
static bool names_tensor(const struct orr_matcher *matcher, const char *prefix, int64_t layer,
                         enum orr_weight_tensor tensor)
{
    char name[PATTERN];
    (void)snprintf(name, sizeof name, "%s.%lld.%s", prefix, (long long)layer, TENSOR_NAMES[tensor]);
    if (any_matches(matcher, layer, name)) return true;
    for (const char *other = OTHER_NAMES[tensor]; other && *other; other += strspn(other, "|")) {
        const size_t length = strcspn(other, "|");
        (void)snprintf(name, sizeof name, "%s.%lld.%.*s", prefix, (long long)layer, (int)length, other);
        if (any_matches(matcher, layer, name)) return true;
        other += length;
    }
    return false;
}

bool orr_matcher_tensor(const struct orr_matcher *matcher, int64_t layer, enum orr_weight_tensor tensor)
{
    for (size_t p = 0; p < sizeof PREFIXES / sizeof *PREFIXES && matcher->n > 0; p++)
        if (names_tensor(matcher, PREFIXES[p], layer, tensor)) return true;
    return false;
}

bool orr_matcher_mtp(const struct orr_matcher *matcher, int64_t n_layers, enum orr_weight_tensor tensor)
{
    return orr_matcher_tensor(matcher, n_layers, tensor) || names_tensor(matcher, "mtp.layers", 0, tensor);
}
