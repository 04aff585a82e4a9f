/* The JSON Schema of requests, made from the tables of fields that the readers use. Programs learn from it what they
 * may ask: the OpenAPI document of the server and the tools of orrery mcp contain it. */
#include "spec/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/text.h"
#include "spec/request.h"

/* ---------------------------------------------------------------- keys that have no field */

/* The types a value may have: letters of "string", "number", "array", "object", "boolean". */
struct other {
    const char *section, *key, *types, *meaning;
};
static const struct other OTHERS[] = {
    {"plan", "stage_layers", "a", "layers of each pipeline rank"},
    {"plan", "overlap", "s", "transfers beside compute: all, none, or a list of tp,ep,pp,dp"},
    {"plan", "offload", "so", "what the host keeps: optimizer=cpu, parameters=nvme, activations=cpu"},
    {"plan", "reshard_after_forward", "b", "ZeRO-3 gathers weights again for backward; false: they stay"},
    {"workload", "engine", "so", "software stack: an id of the catalogue (tool list), or an engine part itself"},
    {"workload", "image_size", "s", "pixels of an image: WIDTHxHEIGHT"},
    {"workload", "recompute", "sa", "none, selective, full, first:N, every:N, ops:qkv,mlp_act, or a list of operators"},
    {"workload", "recompute_ops", "sa", "operators that are computed again in backward"},
    {"workload", "adapter", "so", "lora, dora or qlora:rank=16,targets=all,base=nf4,format=fp32"},
    {"workload", "frozen", "s", "untrained parts: embeddings,layers:N,head,tower"},
    {"workload", "draft_model", "so", "model of speculative decoding; mtp: the model's own layers"},
    {"workload", "precision", "s", "format of the weights: published, bf16, fp8, nvfp4, awq, ..."},
    {"workload", "kv_precision", "s", "format of the cache: bf16, fp8, int4, nvfp4, ..."},
    {"search", "limits", "a", "limits on numbers of the result: \"mfu_frac>=0.4\""},
    {"search", "compare", "so", "a plan whose rank is shown too: \"tp=8,pp=4\""},
    {"traffic", "input_len", "nso", "tokens of a prompt: a number, \"LOW:HIGH\" (uniform), \"MEAN~CV\" (lognormal)"},
    {"traffic", "output_len", "nso", "tokens of an answer, likewise"},
    {"traffic", "trace", "s", "file of requests: arrival_s, input_len, output_len"},
    {"traffic", "like", "so", "traffic of the catalogue, for what is not said here: sharegpt, azure-2023-conv, ..."},
    {"traffic", "seed", "n", "equal seeds give equal runs"},
    {"size", "budget", "ns", "\"64 GPUs\" or \"$40/h\""},
    {"size", "batch", "a", "limits of sequences in a step to try"},
    {"size", "chunk", "a", "limits of tokens in a step to try"},
};

static json_t *types_json(const char *types)
{
    static const struct {
        char letter;
        const char *name;
    } NAMES[] = {{'s', "string"}, {'n', "number"}, {'i', "integer"}, {'a', "array"}, {'o', "object"}, {'b', "boolean"}};
    json_t *list = json_array();
    for (const char *at = types; list && *at; at++)
        for (size_t i = 0; i < ORR_COUNT_OF(NAMES); i++)
            if (NAMES[i].letter == *at && json_array_append_new(list, json_string(NAMES[i].name))) {
                json_decref(list);
                return NULL;
            }
    return list;
}

static json_t *other_json(const char *section, const char *key)
{
    for (size_t i = 0; i < ORR_COUNT_OF(OTHERS); i++)
        if (strcmp(OTHERS[i].section, section) == 0 && strcmp(OTHERS[i].key, key) == 0)
            return json_pack("{so ss}", "type", types_json(OTHERS[i].types), "description", OTHERS[i].meaning);
    return json_object();
}

/* ---------------------------------------------------------------- fields */

/* A search takes lists and ranges wherever a job takes a value, and both take "auto" for some keys. */
static json_t *number_json(const struct orr_field *field, bool search)
{
    char text[256];
    const bool plain = field->unit == ORR_UNIT_NONE || field->unit == ORR_UNIT_COUNT;
    (void)snprintf(text, sizeof text, "%s%s%s%s", field->meaning ? field->meaning : field->key, plain ? "" : "; ",
                   plain ? "" : orr_unit_hint(field->unit),
                   search ? "; a search also takes a list, a doubling range such as \"1..64\", or \"any\"" : "");
    const char *number = field->type == ORR_FIELD_INT ? "is" : "ns";
    if (search) number = field->type == ORR_FIELD_INT ? "isa" : "nsa";
    return json_pack("{so sf sf ss}", "type", types_json(number), "minimum", field->min, "maximum", field->max,
                     "description", text);
}

static json_t *enum_json(const struct orr_field *field, bool search)
{
    json_t *words = json_array();
    int failed = !words;
    for (size_t i = 0; i < field->n_names && !failed; i++)
        failed = json_array_append_new(words, json_string(field->names[i]));
    const bool open = search || strcmp(field->key, "precision") == 0; /* also "auto", "any", lists */
    json_t *json = failed ? NULL
                          : json_pack("{so so ss}", "type", types_json(open ? "sa" : "s"), open ? "examples" : "enum",
                                      words, "description", field->meaning ? field->meaning : field->key);
    if (failed) json_decref(words);
    return json;
}

static json_t *field_json(const struct orr_field *field, bool search)
{
    const char *meaning = field->meaning ? field->meaning : field->key;
    switch (field->type) {
    case ORR_FIELD_INT:
    case ORR_FIELD_REAL: return number_json(field, search);
    case ORR_FIELD_BOOL: return json_pack("{so ss}", "type", types_json(search ? "bsa" : "bs"), "description", meaning);
    case ORR_FIELD_STRING: return json_pack("{ss ss}", "type", "string", "description", meaning);
    case ORR_FIELD_ENUM: return enum_json(field, search);
    case ORR_FIELD_SWITCH: return json_pack("{so ss}", "type", types_json("bs"), "description", meaning);
    }
    return NULL;
}

static json_t *section_json(const struct orr_section *section, bool search)
{
    json_t *properties = json_object();
    int failed = !properties;
    for (size_t i = 0; i < section->n_fields && !failed; i++)
        failed = json_object_set_new(properties, section->fields[i].key, field_json(&section->fields[i], search));
    for (const char *const *key = section->extra; key && *key && !failed; key++)
        failed = json_object_set_new(properties, *key, other_json(section->path, *key));
    if (failed) json_decref(properties);
    return failed ? NULL
                  : json_pack("{ss sb so}", "type", "object", "additionalProperties", 0, "properties", properties);
}

/* ---------------------------------------------------------------- requests */

/* The sections of every question. A question of one kind has its plan and workload; "search" asks for either. */
struct question {
    const char *name;
    const struct orr_section *sections[4];
    bool search;
};
static const struct question QUESTIONS[] = {
    /* ORDER enum orr_question */
    {"train", {&orr_train_plan_section, &orr_train_workload_section}, false},
    {"infer", {&orr_infer_plan_section, &orr_infer_workload_section}, false},
    {"search", {&orr_train_plan_section, &orr_train_workload_section, &orr_search_section}, true},
    {"serving", {&orr_infer_plan_section, &orr_infer_workload_section, &orr_traffic_section}, false},
    {"size", {&orr_infer_plan_section, &orr_infer_workload_section, &orr_traffic_section, &orr_size_section}, true},
};

/* A search of inference plans has other keys in the same sections, so both kinds are merged. */
static int merge_section(json_t *properties, const struct orr_section *section)
{
    json_t *more = section_json(section, true);
    json_t *target = json_object_get(json_object_get(properties, section->path), "properties");
    const int failed = !more || !target || json_object_update_missing(target, json_object_get(more, "properties"));
    json_decref(more);
    return failed;
}

/* Adds the keys that every request has: model, system, gpus and values over those of the parts. */
static int add_head(json_t *properties, const struct question *question)
{
    static const char PART[] = "an id of the catalogue, or the part itself as an object";
    int failed = 0;
    json_t *kind = question->search && strcmp(question->name, "search") == 0
                       ? json_pack("{s[ss]}", "enum", "train", "infer")
                       : json_pack("{s[s]}", "enum", question->name);
    failed |= json_object_set_new(properties, "kind", kind);
    failed |= json_object_set_new(properties, "model",
                                  json_pack("{so ss}", "type", types_json("so"), "description",
                                            "an id, a Hugging Face name, or a config.json as an object"));
    failed |= json_object_set_new(
        properties, "system",
        json_pack("{so ss}", "type", types_json(strcmp(question->name, "size") ? "so" : "soa"), "description", PART));
    failed |= json_object_set_new(properties, "gpus",
                                  json_pack("{so ss}", "type", types_json("is"), "description", "GPUs in all"));
    failed |= json_object_set_new(properties, "set",
                                  json_pack("{ss ss}", "type", "object", "description",
                                            "values over those of the parts: {\"chip.hbm_bytes_per_s\": \"4 TB/s\"}"));
    return failed;
}

/* The schema of one kind of request; NULL where memory runs out. */
static json_t *question_schema(enum orr_question question)
{
    const struct question *q = &QUESTIONS[question];
    json_t *properties = json_object();
    int failed = !properties || add_head(properties, q);
    for (size_t i = 0; i < ORR_COUNT_OF(q->sections) && q->sections[i] && !failed; i++)
        failed = json_object_set_new(properties, q->sections[i]->path, section_json(q->sections[i], q->search));
    if (!failed && question == ORR_QUESTION_SEARCH)
        failed = merge_section(properties, &orr_infer_plan_section) ||
                 merge_section(properties, &orr_infer_workload_section);
    if (!failed && (question == ORR_QUESTION_SERVING || question == ORR_QUESTION_SIZE))
        failed = json_object_set_new(
            properties, "slo",
            json_pack("{ss s{ss} ss}", "type", "array", "items", "type", "string", "description",
                      "limits: \"ttft_s.p99<=1 s\", \"tpot_s.p95<=40 ms\", \"latency_s.mean<=10 s\""));
    if (failed) {
        json_decref(properties);
        return NULL;
    }
    return json_pack("{ss s[ss] sb so}", "type", "object", "required", "model", "system", "additionalProperties", 0,
                     "properties", properties);
}

char *orr_schema_text(const char *question)
{
    ORR_PLAIN_NUMBERS;
    for (size_t i = 0; i < ORR_COUNT_OF(QUESTIONS); i++) {
        if (strcmp(QUESTIONS[i].name, question) != 0) continue;
        json_t *schema = question_schema((enum orr_question)i);
        char *text = schema ? orr_json_dump(schema, JSON_COMPACT) : NULL;
        json_decref(schema);
        return text;
    }
    return NULL;
}
