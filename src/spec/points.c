/* Two arrays of a file -> the points of a curve. */
#include "spec/json.h"

static enum orr_err read_numbers(const struct orr_doc *doc, const char *path, const json_t *array,
                                 const struct orr_numbers *rule, size_t most, struct orr_error *error)
{
    const size_t n = json_array_size(array);
    if (n < 1 || n > most) return orr_doc_fail(doc, path, error, "must be an array of 1 to %zu numbers", most);
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        double *number = &rule->at[i];
        *number = json_number_value(value);
        const bool known =
            json_is_number(value) ||
            (json_is_string(value) && orr_quantity_parse(json_string_value(value), ORR_UNIT_NONE, number));
        if (!known || *number < rule->min || *number > rule->max)
            return orr_doc_fail(doc, path, error, "number %zu must be a number from %g to %g", i + 1, rule->min,
                                rule->max);
    }
    return ORR_OK;
}

enum orr_err orr_curve_read(const struct orr_doc *doc, const char *path, const json_t *object,
                            const struct orr_curve *curve, struct orr_error *error)
{
    const json_t *x = json_object_get(object, curve->x.key), *y = json_object_get(object, curve->y.key);
    char key[ORR_KEY_PATH];
    orr_key_path(key, path, curve->x.key);
    enum orr_err err = read_numbers(doc, key, x, &curve->x, curve->most, error);
    if (err) return err;
    for (size_t i = 1; i < json_array_size(x); i++)
        if (curve->x.at[i] <= curve->x.at[i - 1])
            return orr_doc_fail(doc, key, error, "must increase, but %g follows %g", curve->x.at[i],
                                curve->x.at[i - 1]);
    orr_key_path(key, path, curve->y.key);
    err = read_numbers(doc, key, y, &curve->y, curve->most, error);
    if (!err && json_array_size(y) != json_array_size(x))
        err = orr_doc_fail(doc, key, error, "has %zu numbers for %zu %s", json_array_size(y), json_array_size(x),
                           curve->x.key);
    *curve->n = (int64_t)json_array_size(x);
    return err;
}
