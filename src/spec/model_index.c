/* The weights beside a config.json: model.safetensors.index.json states the bytes of all tensors, which must agree with
 * the counted parameters. The check finds a config of another model, or a layer that is not counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/job.h"
#include "spec/part.h"
#include "spec/spec.h"

/* Tolerance for scales, rotary tables and buffers, which no count includes. */
static const double SLACK_FRAC = 0.002;

/* Bytes of a parameter outside the narrow matrices. */
static double wide_bytes(const json_t *root)
{
    static const char *const INNER[] = {"text_config", "llm_config", "language_config"};
    const json_t *name = json_object_get(root, "torch_dtype");
    if (!json_is_string(name)) name = json_object_get(root, "dtype");
    for (size_t i = 0; i < sizeof INNER / sizeof INNER[0] && !json_is_string(name); i++) {
        name = json_object_get(json_object_get(root, INNER[i]), "torch_dtype");
        if (!json_is_string(name)) name = json_object_get(json_object_get(root, INNER[i]), "dtype");
    }
    const char *word = json_string_value(name);
    return word && strstr(word, "float32") ? 4 : 2;
}

/* Does `total` agree with the model? The files may also hold a tied output matrix again, prediction layers, and their
 * copies of embedding and head. A prediction layer is taken to be stored like the mean of the other layers. */
static bool agrees(const struct orr_model *model, double total, const double module_bytes[ORR_N_MODULES], double wide)
{
    const double matrix = (double)model->vocab * (double)model->hidden * wide;
    double bytes = 0;
    for (int i = 0; i < ORR_N_MODULES; i++) bytes += module_bytes[i];
    const double layers = bytes - module_bytes[ORR_MODULE_EMBEDDING] - module_bytes[ORR_MODULE_HEAD];
    const int64_t params = orr_model_params(model) - model->embedding_params - model->head_params;
    const double mtp = (double)(model->n_mtp * orr_model_params_mtp(model)) * layers / (double)params;
    const double copies = 2 * (double)model->n_mtp * matrix, tied = model->tied_embeddings ? matrix : 0;
    const double with[] = {bytes, bytes + tied, bytes + mtp, bytes + mtp + copies, bytes + tied + mtp};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++)
        if (fabs(total - with[i]) <= SLACK_FRAC * with[i]) return true;
    return false;
}

/* Vision and audio towers are in the files but not in the count. */
static bool has_tower(const json_t *root)
{
    return json_object_get(root, "vision_config") || json_object_get(root, "audio_config");
}

static enum orr_err check_total(const struct orr_doc *index, const json_t *root, const struct orr_model *model,
                                struct orr_error *error)
{
    const json_t *value = json_object_get(json_object_get(index->root, "metadata"), "total_size");
    double module_bytes[ORR_N_MODULES], bytes = 0;
    if (!json_is_number(value)) return ORR_OK;
    orr_model_bytes(model, ORR_WEIGHT_PUBLISHED, module_bytes);
    const double total = json_number_value(value), wide = wide_bytes(root);
    for (int i = 0; i < ORR_N_MODULES; i++) { /* a checkpoint without narrow tensors counts 16 bits */
        if (model->checkpoint.format == ORR_WEIGHT_PUBLISHED) module_bytes[i] *= wide / 2;
        bytes += module_bytes[i];
    }
    if (agrees(model, total, module_bytes, wide) || (has_tower(root) && total > bytes)) return ORR_OK;
    return orr_doc_fail_rule(index, "metadata.total_size", error,
                             "the weights have %.0f bytes, but config.json describes %lld parameters of %.0f bytes "
                             "(%+.2f %%); to go on without this check name the config.json itself",
                             total, (long long)orr_model_params(model), bytes, 100 * (total / bytes - 1));
}

enum orr_err orr_model_check_index(const struct orr_part_doc *part, const struct orr_model *model,
                                   struct orr_error *error)
{
    char path[ORR_FILE_PATH];
    char *text = NULL;
    if (!orr_path_join(path, part->folder, "model.safetensors.index.json") || !orr_is_file(path)) return ORR_OK;
    const char *why = orr_file_read(path, &text);
    if (why) return orr_fail(error, ORR_ERR_IO, (struct orr_place){.file = path}, "%s", why);
    struct orr_doc index;
    enum orr_err err = orr_doc_parse(text, path, &index, error);
    if (!err) err = check_total(&index, part->doc.root, model, error);
    orr_doc_close(&index);
    free(text);
    return err;
}
