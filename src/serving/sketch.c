/* This file holds distributions in bounded memory. Eq. 193. */
#include "serving/sketch.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void orr_sketch_open(struct orr_sketch *sketch, bool exact)
{
    memset(sketch, 0, sizeof *sketch);
    if (exact) sketch->samples = malloc(ORR_SKETCH_EXACT * sizeof *sketch->samples);
}

void orr_sketch_close(struct orr_sketch *sketch)
{
    free(sketch->samples);
    sketch->samples = NULL;
}

/* Eq. 193: exponent and leading bits of the fraction of a double are the number of its bin. */
static size_t bin_of(double value)
{
    uint64_t raw;
    memcpy(&raw, &value, sizeof raw);
    const int64_t first = (int64_t)(1023 + ORR_SKETCH_FROM) << ORR_SKETCH_BITS;
    const int64_t bin = (int64_t)(raw >> (52 - ORR_SKETCH_BITS)) - first;
    if (value <= 0 || bin < 0) return 0;
    return bin < ORR_SKETCH_BINS ? (size_t)bin : ORR_SKETCH_BINS - 1;
}

/* The lower end of a bin. */
static double bin_value(size_t bin)
{
    const uint64_t first = (uint64_t)(1023 + ORR_SKETCH_FROM) << ORR_SKETCH_BITS;
    const uint64_t raw = (first + bin) << (52 - ORR_SKETCH_BITS);
    double value;
    if (bin == 0) return 0;
    memcpy(&value, &raw, sizeof value);
    return value;
}

void orr_sketch_add(struct orr_sketch *sketch, double value, double weight)
{
    sketch->weight += weight;
    sketch->sum += weight * value;
    sketch->bins[bin_of(value)] += weight;
    if (sketch->samples && sketch->n_samples < ORR_SKETCH_EXACT) sketch->samples[sketch->n_samples] = value;
    sketch->n_samples++;
}

void orr_sketch_merge(struct orr_sketch *sketch, const struct orr_sketch *other)
{
    const size_t room = sketch->n_samples < ORR_SKETCH_EXACT ? ORR_SKETCH_EXACT - sketch->n_samples : 0;
    const size_t n = other->n_samples < room ? other->n_samples : room;
    if (sketch->samples && other->samples)
        memcpy(&sketch->samples[sketch->n_samples], other->samples, n * sizeof *sketch->samples);
    sketch->n_samples += other->n_samples;
    sketch->weight += other->weight;
    sketch->sum += other->sum;
    for (size_t i = 0; i < ORR_SKETCH_BINS; i++) sketch->bins[i] += other->bins[i];
}

static bool is_exact(const struct orr_sketch *sketch)
{
    return sketch->samples && sketch->n_samples <= ORR_SKETCH_EXACT;
}

/* A quantile from the bins, straight inside a bin. */
static double binned(const struct orr_sketch *sketch, double share)
{
    double below = 0;
    const double wanted = share * sketch->weight;
    for (size_t i = 0; i < ORR_SKETCH_BINS; i++) {
        if (sketch->bins[i] <= 0 || below + sketch->bins[i] < wanted) {
            below += sketch->bins[i];
            continue;
        }
        const double low = bin_value(i), high = bin_value(i + 1);
        return i == 0 ? 0 : low + (high - low) * (wanted - below) / sketch->bins[i];
    }
    return 0;
}

static double quantile(const struct orr_sketch *sketch, double share)
{
    if (sketch->weight <= 0) return 0;
    return is_exact(sketch) ? orr_quantile(sketch->samples, sketch->n_samples, share) : binned(sketch, share);
}

/* Sorts by one byte of the bits of the numbers, in the order of which positive numbers stand. */
static void sort_by_byte(const double *from, double *to, size_t n, int byte)
{
    size_t start[257] = {0};
    uint64_t raw;
    for (size_t i = 0; i < n; i++) {
        memcpy(&raw, &from[i], sizeof raw);
        start[(raw >> (8 * byte) & 255) + 1]++;
    }
    for (int i = 0; i < 256; i++) start[i + 1] += start[i];
    for (size_t i = 0; i < n; i++) {
        memcpy(&raw, &from[i], sizeof raw);
        to[start[raw >> (8 * byte) & 255]++] = from[i];
    }
}

/* Times are not negative, so that their bits sort them: ten times faster than comparing. A run ends with four sorts of
 * all of its requests. */
static void sort_samples(struct orr_sketch *sketch)
{
    const size_t n = sketch->n_samples;
    double *samples = sketch->samples, *other = n > 256 ? malloc(n * sizeof *other) : NULL;
    bool plain = other != NULL;
    for (size_t i = 0; plain && i < n; i++) plain = !signbit(samples[i]);
    if (!plain) qsort(samples, n, sizeof *samples, orr_ascending);
    for (int byte = 0; plain && byte < 8; byte += 2) {
        sort_by_byte(samples, other, n, byte);
        sort_by_byte(other, samples, n, byte + 1);
    }
    free(other);
}

struct orr_timing orr_sketch_timing(struct orr_sketch *sketch)
{
    if (is_exact(sketch)) sort_samples(sketch);
    return (struct orr_timing){.mean = sketch->weight > 0 ? sketch->sum / sketch->weight : 0,
                               .p50 = quantile(sketch, 0.5),
                               .p90 = quantile(sketch, 0.9),
                               .p95 = quantile(sketch, 0.95),
                               .p99 = quantile(sketch, 0.99),
                               .low_frac = 1,
                               .mid_frac = 1,
                               .high_frac = 1};
}
