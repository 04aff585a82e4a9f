/* Shared by the tests of calibration: a fit of one chip, its tables from text, the file it gives. */
#ifndef ORR_TESTS_FIT_H
#define ORR_TESTS_FIT_H

#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

#include "calibrate/calibrate.h"

static inline struct orr_fit *open_fit(const struct world *world, const char *chip)
{
    struct orr_fit *fit;
    struct orr_error error;
    if (orr_fit_open(world->catalogue, chip, &fit, &error)) fail_msg("%s", error.text);
    return fit;
}

static inline void add(struct orr_fit *fit, const char *kind, const char *csv)
{
    struct orr_error error;
    if (orr_fit_add(fit, kind, csv, "test.csv", &error)) fail_msg("%s", error.text);
}

static inline void run(struct orr_fit *fit)
{
    struct orr_error error;
    if (orr_fit_run(fit, NULL, NULL, &error)) fail_msg("%s", error.text);
}

/* The constants as they stand. */
static inline const struct orr_calibration *fit_constants(const struct orr_fit *fit)
{
    return &fit->job.calibration;
}

static inline char *file_of(const struct orr_fit *fit)
{
    char *json;
    struct orr_error error;
    if (orr_fit_file(fit, "2026-11", &json, &error)) fail_msg("%s", error.text);
    return json;
}

/* What a catalogue that holds the text as calibration of the H100 makes of it. */
static inline const struct orr_calibration *read_back(const char *json)
{
    char folder[] = "/tmp/orrery-calibrate-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/calibration", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/calibration/h100_sxm.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(json, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const char *const folders[] = {folder};
    struct orr_catalogue *catalogue;
    struct orr_error error;
    struct orr_system system;
    static struct orr_calibration read;
    if (orr_catalogue_open(folders, 1, &catalogue, &error)) fail_msg("%s", error.text);
    if (orr_system_read(catalogue, "h100-sxm", &system, &read, &error)) fail_msg("%s", error.text);
    orr_catalogue_close(catalogue);
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
    (void)rmdir(folder);
    return &read;
}

#endif
