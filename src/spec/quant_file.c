/* hf_quant_config.json: how ModelOpt quantised the checkpoint of the config.json beside it. */
#include <stdlib.h>

#include "base/error.h"
#include "spec/file.h"
#include "spec/part.h"

static bool says_itself(const json_t *root)
{
    const json_t *text_config = json_object_get(root, "text_config");
    return json_object_get(root, "quantization_config") || json_object_get(root, "quantization") ||
           json_object_get(root, "compression_config") || json_object_get(text_config, "quantization_config");
}

enum orr_err orr_quant_config_join(struct orr_part_doc *part, struct orr_error *error)
{
    char path[ORR_FILE_PATH];
    char *text = NULL;
    struct orr_doc doc;
    if (!part->folder[0] || !json_is_object(part->doc.root) || says_itself(part->doc.root)) return ORR_OK;
    if (!orr_path_join(path, part->folder, "hf_quant_config.json")) return ORR_OK;
    if (!orr_is_file(path)) return ORR_OK;
    const char *why = orr_file_read(path, &text);
    if (why) return orr_fail(error, ORR_ERR_IO, (struct orr_place){.file = path}, "%s", why);
    const enum orr_err err = orr_doc_parse(text, path, &doc, error);
    json_t *quantisation = err ? NULL : json_object_get(doc.root, "quantization");
    if (json_is_object(quantisation)) {
        (void)json_object_set_new(quantisation, "quant_method", json_string("modelopt"));
        (void)json_object_set(part->doc.root, "quantization_config", quantisation);
    }
    if (!err) orr_doc_close(&doc);
    free(text);
    return err;
}
