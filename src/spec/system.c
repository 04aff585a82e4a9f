/* systems/<id>.json -> struct orr_system: nodes and networks around a chip. */
#include <stdio.h>
#include <string.h>

#include "spec/names.h"
#include "spec/part.h"
#include "spec/sources.h"
#include "spec/spec.h"

static const struct orr_field FIELDS[] = {
    ORR_INT(orr_system, gpus_per_node, true, 1, 100000, "GPUs of one host"),
    ORR_INT(orr_system, domain_gpus, true, 1, 10000000, "GPUs that reach each other over the scale-up network"),
    ORR_REAL(orr_system, scaleup_bytes_per_s, ORR_UNIT_BYTES_PER_S, true, 0, 1e18, "scale-up rate of a GPU, one way"),
    ORR_REAL(orr_system, scaleup_latency_s, ORR_UNIT_S, true, 0, 1, "one scale-up hop"),
    ORR_BOOL(orr_system, scaleup_switched, true, "a switch joins any pair at full rate"),
    ORR_INT(orr_system, scaleup_links, false, 1, 10000000, "direct links of a GPU where there is no switch"),
    ORR_BOOL(orr_system, scaleup_multicast, true, "the switch reduces and multicasts"),
    ORR_REAL(orr_system, scaleout_bytes_per_s, ORR_UNIT_BYTES_PER_S, true, 0, 1e18,
             "scale-out rate of a GPU, one way; 0: none"),
    ORR_REAL(orr_system, scaleout_latency_s, ORR_UNIT_S, true, 0, 1, "one scale-out hop"),
    ORR_REAL(orr_system, scaleout_efficiency_frac, ORR_UNIT_NONE, true, 0.001, 1, "sustained share of the rate"),
    ORR_REAL(orr_system, scaleout_oversubscription, ORR_UNIT_NONE, true, 1, 1000, "1: full bisection"),
    ORR_REAL(orr_system, host_speed, ORR_UNIT_NONE, false, 0.01, 100, "speed of the host; 1: the reference host"),
    ORR_INT(orr_system, gpus_per_nic, false, 1, 10000, "GPUs that share a NIC"),
    ORR_REAL(orr_system, host_link_bytes_per_s, ORR_UNIT_BYTES_PER_S, false, 1e6, 1e18, "GPU to host, one way"),
    ORR_REAL(orr_system, host_memory_bytes, ORR_UNIT_BYTES, false, 1e6, 1e18, "memory of a host"),
    ORR_REAL(orr_system, host_optimizer_bytes_per_s, ORR_UNIT_BYTES_PER_S, false, 1e6, 1e18,
             "traffic of an optimizer on the processors of a host"),
    ORR_REAL(orr_system, nvme_bytes, ORR_UNIT_BYTES, false, 1e6, 1e20, "drives of a host"),
    ORR_REAL(orr_system, nvme_bytes_per_s, ORR_UNIT_BYTES_PER_S, false, 1e6, 1e18, "reads or writes of these drives"),
    ORR_BOOL(orr_system, scaleout_reduction, false, "the switches between domains reduce"),
    ORR_REAL(orr_system, price_usd_per_gpu_hour, ORR_UNIT_USD_PER_HOUR, true, 0, 1e6, "price of a GPU"),
    ORR_REAL(orr_system, pue_frac, ORR_UNIT_NONE, true, 1, 10, "facility power over IT power"),
};

static const char *const EXTRA[] = {"name", "aliases", "chip", "fabric", "tiers", "sources", NULL};
static const char *const UNSOURCED[] = {"name", "aliases", "chip", "fabric", "sources", NULL};

static const struct orr_field TIER_FIELDS[] = {
    ORR_STRING(orr_tier, name, true, "what joins the units, e.g. \"spine\""),
    ORR_INT(orr_tier, gpus, true, 1, 10000000, "GPUs of a unit that the tier joins to others"),
    ORR_REAL(orr_tier, bytes_per_s, ORR_UNIT_BYTES_PER_S, false, 1, 1e18, "uplinks of a unit per GPU, one way"),
    ORR_REAL(orr_tier, oversubscription, ORR_UNIT_NONE, true, 1, 1000, "1: full bisection"),
    ORR_REAL(orr_tier, latency_s, ORR_UNIT_S, false, 0, 1, "added when a message crosses the tier"),
    ORR_ENUM(orr_tier, topology, false, orr_topology_names, "how the units are joined"),
    ORR_INT(orr_tier, links, false, 1, 1000000, "mesh, dragonfly: units joined to one; torus: its links"),
};

/* Largest domain without a switch that is taken to be fully connected if the file does not state its links. */
#define MESH_GPUS 9

/* Without a switch, a GPU has links to all others of its domain or is part of a torus; the file must state which. */
static enum orr_err check_links(const struct orr_doc *doc, const struct orr_system *system, struct orr_error *error)
{
    if (system->scaleup_switched || system->domain_gpus <= 2) return ORR_OK;
    if (system->scaleup_links == 0 && system->domain_gpus > MESH_GPUS)
        return orr_doc_fail_rule(doc, "scaleup_switched", error,
                                 "is false, but %lld GPUs need \"scaleup_links\": direct links of a GPU, 2 to %lld",
                                 (long long)system->domain_gpus, (long long)system->domain_gpus - 1);
    if (system->scaleup_links == 1)
        return orr_doc_fail_rule(doc, "scaleup_links", error, "1 link of a GPU joins no domain of %lld GPUs",
                                 (long long)system->domain_gpus);
    return ORR_OK;
}

static enum orr_err check_tier(const struct orr_doc *doc, const char *path, const struct orr_system *system, int64_t i,
                               struct orr_error *error)
{
    const struct orr_tier *tier = &system->tiers[i];
    const int64_t below = i > 0 ? system->tiers[i - 1].gpus : system->domain_gpus;
    if (tier->gpus < below || tier->gpus % below != 0)
        return orr_doc_fail_rule(doc, path, error, "%lld GPUs are not a multiple of the %lld of the units below",
                                 (long long)tier->gpus, (long long)below);
    if (tier->topology == ORR_TOPOLOGY_TORUS && tier->links < 2)
        return orr_doc_fail_rule(doc, path, error, "a torus needs \"links\": 2 or more links of a unit");
    return ORR_OK;
}

static enum orr_err read_tiers(const struct orr_doc *doc, struct orr_system *system, struct orr_error *error)
{
    char path[ORR_KEY_PATH], index[24];
    const json_t *tiers = json_object_get(doc->root, "tiers");
    if (!tiers) return ORR_OK;
    if (!json_is_array(tiers) || json_array_size(tiers) > ORR_MAX_TIERS)
        return orr_doc_fail(doc, "tiers", error, "must be an array of at most %d tiers, lowest first", ORR_MAX_TIERS);
    for (size_t i = 0; i < json_array_size(tiers); i++) {
        (void)snprintf(index, sizeof index, "%zu", i);
        orr_key_path(path, "tiers", index);
        enum orr_err err = orr_fields_read(doc, path, json_array_get(tiers, i), TIER_FIELDS, ORR_COUNT_OF(TIER_FIELDS),
                                           NULL, &system->tiers[i], error);
        if (!err) err = check_tier(doc, path, system, (int64_t)i, error);
        if (err) return err;
    }
    system->n_tiers = (int64_t)json_array_size(tiers);
    return ORR_OK;
}

enum orr_err orr_system_from_json(const struct orr_doc *doc, const char *id, struct orr_system *system,
                                  char chip_id[ORR_ID], struct orr_error *error)
{
    memset(system, 0, sizeof *system);
    (void)snprintf(system->id, sizeof system->id, "%s", id);
    system->gpus_per_nic = 1;
    system->host_speed = 1;
    enum orr_err err = orr_fields_read(doc, "", doc->root, FIELDS, ORR_COUNT_OF(FIELDS), EXTRA, system, error);
    if (!err) err = orr_aliases_check(doc, error);
    if (err) return err;
    const double rates[] = {system->scaleup_bytes_per_s, system->scaleout_bytes_per_s};
    for (int i = 0; i < 2; i++)
        if (rates[i] > 0 && rates[i] < 1e6)
            return orr_doc_fail(
                doc, i ? "scaleout_bytes_per_s" : "scaleup_bytes_per_s", error,
                "is %g bytes per second; a network has 0 (there is none) or from 1e+06, e.g. \"50 GB/s\"", rates[i]);
    if (system->domain_gpus > 1 && system->scaleup_bytes_per_s < 1)
        return orr_doc_fail_rule(doc, "scaleup_bytes_per_s", error, "is 0, but domain_gpus is %lld",
                                 (long long)system->domain_gpus);
    if (system->domain_gpus > system->gpus_per_node && system->domain_gpus % system->gpus_per_node != 0)
        return orr_doc_fail_rule(doc, "domain_gpus", error, "%lld is not a whole number of nodes of %lld GPUs",
                                 (long long)system->domain_gpus, (long long)system->gpus_per_node);
    err = check_links(doc, system, error);
    if (!err) err = read_tiers(doc, system, error);
    if (!err) err = orr_reference_read(doc, "chip", chip_id, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

json_t *orr_system_to_json(const struct orr_system *system, json_t *chip)
{
    json_t *object = json_object();
    orr_fields_write(object, FIELDS, ORR_COUNT_OF(FIELDS), system);
    json_object_set_new(object, "chip", chip);
    return object;
}

const struct orr_field *orr_system_fields(size_t *n)
{
    *n = ORR_COUNT_OF(FIELDS);
    return FIELDS;
}
