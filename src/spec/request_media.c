/* Keys of "workload" that say what a tower reads: images and their size, sound, tokens of an encoder. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "spec/job.h"
#include "spec/limits.h"
#include "spec/request.h"

/* Pixels per side of an image whose size is not given: an assumption, in the middle of what photos and pages have. */
#define DEFAULT_IMAGE_PIXELS 1024

/* Reads "1024" or "1280x720": width and height. */
static bool parse_size(const char *text, double *width, double *height)
{
    char first[32];
    const size_t n = strcspn(text, "xX");
    if (n >= sizeof first) return false;
    memcpy(first, text, n);
    first[n] = '\0';
    if (!orr_quantity_parse(first, ORR_UNIT_COUNT, width)) return false;
    *height = *width;
    return text[n] == '\0' || orr_quantity_parse(text + n + 1, ORR_UNIT_COUNT, height);
}

static bool is_side(double pixels)
{
    return pixels >= 1 && pixels <= ORR_IMAGE_SIDE_MAX && !(floor(pixels) < pixels);
}

static enum orr_err read_size(const struct orr_doc *request, const json_t *value, struct orr_media *media,
                              struct orr_error *error)
{
    char shown[ORR_SHOWN];
    double width = json_number_value(value), height = width;
    const char *text = json_string_value(value);
    const bool read = text ? parse_size(text, &width, &height) : json_is_number(value);
    if (!read || !is_side(width) || !is_side(height))
        return orr_doc_fail(request, "workload.image_size", error,
                            "must be pixels per side or \"WIDTHxHEIGHT\", each from 1 to %d, not %s",
                            ORR_IMAGE_SIDE_MAX, orr_json_shown(shown, value));
    media->image_width = (int64_t)width;
    media->image_height = (int64_t)height;
    return ORR_OK;
}

enum orr_err orr_media_read(const struct orr_doc *request, const json_t *object, const struct orr_media *asked,
                            struct orr_job *job, struct orr_error *error)
{
    const json_t *size = json_object_get(object, "image_size");
    struct orr_media media = *asked;
    media.image_width = media.image_height = DEFAULT_IMAGE_PIXELS;
    media.size_assumed = !size;
    if (size && job->model.tower.input != ORR_TOWER_IMAGE)
        return orr_doc_fail(request, "workload.image_size", error, "has no effect: model %s has no vision tower",
                            job->model.id);
    const enum orr_err err = size ? read_size(request, size, &media, error) : ORR_OK;
    orr_media_resolve(&job->model, &media);
    job->media = media;
    return err;
}
