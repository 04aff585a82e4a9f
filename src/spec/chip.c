/* chips/<id>.json -> struct orr_chip: hardware facts of one accelerator. */
#include <stdio.h>
#include <string.h>

#include "spec/names.h"
#include "spec/part.h"
#include "spec/sources.h"
#include "spec/spec.h"

/* The limits allow a decade of progress within physics; they catch wrong units, not bold designs. */
static const struct orr_field FIELDS[] = {
    ORR_STRING(orr_chip, name, true, "name for display"),
    ORR_STRING(orr_chip, family, true, "architecture, e.g. \"ampere\""),
    ORR_STRING(orr_chip, vendor, false, "maker, e.g. \"nvidia\""),
    ORR_REAL(orr_chip, vector_flops_per_s, ORR_UNIT_FLOPS_PER_S, true, 1e9, 1e19, "fp32 rate outside matrix units"),
    ORR_REAL(orr_chip, half_sum_flops_per_s, ORR_UNIT_FLOPS_PER_S, false, 1e9, 1e21, "16-bit matrix rate, 16-bit sums"),
    ORR_INT(orr_chip, n_sm, true, 1, 1000000, "SMs, compute units or cores"),
    ORR_REAL(orr_chip, smem_bytes_per_sm, ORR_UNIT_BYTES, true, 1024, 1e12, "shared memory or scratchpad of an SM"),
    ORR_REAL(orr_chip, l2_bytes, ORR_UNIT_BYTES, true, 1024, 1e15, "last-level cache"),
    ORR_REAL(orr_chip, l2_bytes_per_s, ORR_UNIT_BYTES_PER_S, true, 1e9, 1e18, "last-level cache bandwidth"),
    ORR_REAL(orr_chip, l2_multicast, ORR_UNIT_NONE, true, 1, 1024, "thread blocks one operand read can serve"),
    ORR_REAL(orr_chip, hbm_bytes, ORR_UNIT_BYTES, true, 1e6, 1e18, "memory the driver reports"),
    ORR_REAL(orr_chip, hbm_bytes_per_s, ORR_UNIT_BYTES_PER_S, true, 1e9, 1e18, "nominal memory bandwidth"),
    ORR_ENUM(orr_chip, flash, true, orr_attention_kernel_names, "fused attention kernel of the frameworks made for it"),
    ORR_REAL(orr_chip, tdp_w, ORR_UNIT_W, true, 0.1, 1e6, "power limit"),
    ORR_REAL(orr_chip, calibrated_w, ORR_UNIT_W, true, 0.1, 1e6, "power limit of the calibration's sustained shares"),
    ORR_REAL(orr_chip, idle_w, ORR_UNIT_W, true, 0, 1e6, "power when idle"),
    ORR_REAL(orr_chip, awake_frac, ORR_UNIT_NONE, false, 0, 1, "power of a chip that runs kernels, of tdp_w"),
    ORR_REAL(orr_chip, flop_j, ORR_UNIT_J, true, 0, 1e-6, "energy of a 16-bit matrix FLOP"),
    ORR_REAL(orr_chip, hbm_j_per_byte, ORR_UNIT_J_PER_BYTE, true, 0, 1e-6, "energy of a byte from memory"),
    ORR_REAL(orr_chip, link_j_per_byte, ORR_UNIT_J_PER_BYTE, true, 0, 1e-6, "energy of a byte over a link"),
};

/* One optional key per dtype. A chip has no units for a dtype whose key is absent. */
#define PEAK(member, word, bits)                                                                                       \
    {.key = word,                                                                                                      \
     .type = ORR_FIELD_REAL,                                                                                           \
     .unit = ORR_UNIT_FLOPS_PER_S,                                                                                     \
     .min = 1e9,                                                                                                       \
     .max = 1e21,                                                                                                      \
     .offset = offsetof(struct orr_chip, peak_flops_per_s) + ORR_DTYPE_##member * sizeof(double),                      \
     .meaning = "dense matrix rate"},
static const struct orr_field PEAK_FIELDS[] = {ORR_DTYPES(PEAK)};

static const char *const EXTRA[] = {"peak_flops_per_s", "calibration", "aliases", "sources", NULL};
static const char *const UNSOURCED[] = {"name", "family", "vendor", "calibration", "aliases", "sources", NULL};

/* Keys that chips had in earlier versions, and why there is no such number any more. */
static const struct {
    const char *key, *why;
} RETIRED[] = {
    {"clock_hz", "no formula uses a clock: peaks and bandwidths are given as rates"},
    {"l2_j_per_byte", "flop_j contains the delivery of operands, hbm_j_per_byte the way through the cache"},
};

static enum orr_err refuse_retired(const struct orr_doc *doc, struct orr_error *error)
{
    for (size_t i = 0; i < ORR_COUNT_OF(RETIRED); i++)
        if (json_object_get(doc->root, RETIRED[i].key))
            return orr_doc_fail(doc, RETIRED[i].key, error, "is no longer a key of a chip, remove it: %s",
                                RETIRED[i].why);
    return ORR_OK;
}

/* The power rule divides by the power limit less idle power, which must be above 0. */
static enum orr_err check_power(const struct orr_doc *doc, const struct orr_chip *chip, struct orr_error *error)
{
    if (chip->idle_w >= chip->tdp_w)
        return orr_doc_fail_rule(doc, "idle_w", error, "%g W is not below tdp_w, %g W", chip->idle_w, chip->tdp_w);
    if (chip->idle_w >= chip->calibrated_w)
        return orr_doc_fail_rule(doc, "idle_w", error, "%g W is not below calibrated_w, %g W", chip->idle_w,
                                 chip->calibrated_w);
    return ORR_OK;
}

enum orr_err orr_chip_from_json(const struct orr_doc *doc, const char *id, struct orr_chip *chip,
                                char calibration_id[ORR_ID], struct orr_error *error)
{
    memset(chip, 0, sizeof *chip);
    (void)snprintf(chip->id, sizeof chip->id, "%s", id);
    enum orr_err err = refuse_retired(doc, error);
    if (!err) err = orr_fields_read(doc, "", doc->root, FIELDS, ORR_COUNT_OF(FIELDS), EXTRA, chip, error);
    if (!err) err = orr_aliases_check(doc, error);
    if (err) return err;
    const json_t *peaks = json_object_get(doc->root, "peak_flops_per_s");
    if (!peaks)
        return orr_doc_fail(doc, "", error, "missing key \"peak_flops_per_s\": {\"bf16\": FLOP per second, ...}");
    err = orr_fields_read(doc, "peak_flops_per_s", peaks, PEAK_FIELDS, ORR_N_MATRIX_DTYPES, NULL, chip, error);
    if (err) return err;
    if (json_object_size(peaks) == 0)
        return orr_doc_fail(doc, "peak_flops_per_s", error, "is empty: a chip needs the peak of one dtype at least");
    if (chip->peak_flops_per_s[ORR_DTYPE_FP8_BLOCK] <= 0) /* fp8_block uses the units of fp8 */
        chip->peak_flops_per_s[ORR_DTYPE_FP8_BLOCK] = chip->peak_flops_per_s[ORR_DTYPE_FP8];
    err = check_power(doc, chip, error);
    if (!err) err = orr_reference_read(doc, "calibration", calibration_id, error);
    return err ? err : orr_sources_check(doc, UNSOURCED, error);
}

json_t *orr_chip_to_json(const struct orr_chip *chip, const char *calibration)
{
    json_t *object = json_object(), *peaks = json_object();
    orr_fields_write(object, FIELDS, ORR_COUNT_OF(FIELDS), chip);
    orr_fields_write(peaks, PEAK_FIELDS, ORR_N_MATRIX_DTYPES, chip);
    json_object_set_new(object, "peak_flops_per_s", peaks);
    json_object_set_new(object, "calibration", json_string(calibration));
    return object;
}

enum orr_dtype orr_chip_16bit(const struct orr_chip *chip)
{
    return chip->peak_flops_per_s[ORR_DTYPE_BF16] > 0 ? ORR_DTYPE_BF16 : ORR_DTYPE_FP16;
}

const struct orr_field *orr_chip_fields(size_t *n)
{
    *n = ORR_COUNT_OF(FIELDS);
    return FIELDS;
}
