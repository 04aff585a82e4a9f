/* The reports on generated machines share these functions. */
#ifndef ORR_REPORT_TECHNOLOGY_H
#define ORR_REPORT_TECHNOLOGY_H

#include "base/error.h"
#include "report/table.h"
#include "spec/technology.h"

/* These read the recipe from the name of a generated system, and make its machine. */
enum orr_err orr_generated_recipe(const struct orr_catalogue *catalogue, const char *name, struct orr_recipe *recipe,
                                  struct orr_error *error);
enum orr_err orr_machine_read(const struct orr_catalogue *catalogue, const char *name, struct orr_recipe *recipe,
                              struct orr_machine *machine, struct orr_error *error);
/* A rendering says what a view is rendered as, and where its text goes. */
struct orr_rendering {
    enum orr_format format;
    const struct orr_style *style;
    char **text;
};
/* A writer makes one of the views of orr_technology_render. */
typedef enum orr_err orr_technology_writer(const struct orr_catalogue *catalogue,
                                           const struct orr_technology_question *question,
                                           const struct orr_rendering *to, struct orr_error *error);
orr_technology_writer orr_technology_chip, orr_technology_nodes, orr_technology_cost, orr_technology_optimise;
/* Hands the text over, or says that memory ran out. */
enum orr_err orr_text_done(struct orr_text *text, char **result, struct orr_error *error);

/* This is a machine of one recipe at one node of its technology. */
struct orr_node_row {
    struct orr_node node;
    struct orr_machine machine;
    char reason[ORR_REASON]; /* why there is no machine; empty where there is one */
};

/* These draw the charts of pages: splits of the three budgets, where a price comes from, what the nodes bring. */
struct orr_page_parts;
void orr_split_lanes(struct orr_page_parts *page, const char *const *names, const struct orr_split *splits,
                     size_t n_splits);
void orr_cost_lanes(struct orr_page_parts *page, const struct orr_die_cost *cost);
void orr_node_lanes(struct orr_page_parts *page, const struct orr_node_row *rows, size_t n_rows);

#endif
