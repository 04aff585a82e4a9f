/* Readers of the generator's inputs, and the generator as a source of systems: "generated:node=5,memory=hbm3". */
#ifndef ORR_SPEC_TECHNOLOGY_H
#define ORR_SPEC_TECHNOLOGY_H

#include "spec/part.h"
#include "technology/technology.h"

enum orr_err orr_technology_from_json(const struct orr_doc *doc, const char *id, struct orr_technology *technology,
                                      struct orr_error *error);
enum orr_err orr_design_from_json(const struct orr_doc *doc, const char *id, struct orr_design *design,
                                  struct orr_error *error);
enum orr_err orr_dram_from_json(const struct orr_doc *doc, const char *id, struct orr_dram *dram,
                                struct orr_error *error);
enum orr_err orr_network_from_json(const struct orr_doc *doc, const char *id, struct orr_network *network,
                                   struct orr_error *error);

/* Keys of "cost" in a technology. */
extern const struct orr_field orr_economy_fields[];
extern const size_t orr_n_economy_fields;

#define ORR_GENERATED "generated:"

/* Is this the name of a generated system? */
bool orr_is_generated(const char *name);

/* Reads the recipe that a name asks for. */
enum orr_err orr_recipe_read(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                             struct orr_recipe *recipe, struct orr_error *error);
/* `name` with the shares of `split` in place of its own. The caller frees it; NULL when out of memory. */
char *orr_recipe_name(const char *name, const struct orr_split *split);
/* The name of a generated system with another value of one key; NULL removes the key. The caller frees it. */
char *orr_recipe_with(const char *name, const char *key, const char *value);

/* A system as JSON with its chip in place, as the reader of systems expects it. `name` is the name from which it was
 * made. The result is NULL when out of memory. */
json_t *orr_generated_json(const struct orr_recipe *recipe, const struct orr_system *system, const char *name);
/* Makes the document of a generated system, for orr_part_open. */
enum orr_err orr_generated_open(const struct orr_catalogue *catalogue, const struct orr_reference *reference,
                                struct orr_part_doc *part, struct orr_error *error);

#endif
