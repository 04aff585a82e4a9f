/* The reports of a search share its answer, one plan at a time predicted in full, and the columns they list. */
#ifndef ORR_REPORT_SEARCH_H
#define ORR_REPORT_SEARCH_H

#include "metric/metric.h"
#include "report/launch.h"

struct orr_search_view {
    const struct orr_search *search;
    const struct orr_search_request *request;
    struct orr_search_counts counts;
    const struct orr_found *best;
    struct orr_found *front; /* owned: the front without plans that hardly differ */
    size_t n_best, n_front;
    double seconds;
    double second_ratio; /* objective of the second plan over the winner's; 0 where there is none */
    double bound_ratio;  /* the winner's time over its speed of light; 0 where there is none */
    struct orr_choice simplest, published;
    double simplest_ratio;                   /* objective of the simplest plan over the winner's; 0: the winner is it */
    const struct orr_measured_run *measured; /* who ran the published plan; NULL: there is none */
    double published_ratio;                  /* its objective, predicted for this question, over the winner's */
    double compare_ratio; /* objective of the plan to compare with over the winner's; 0 where there is none */
    struct orr_scratch *scratch;
    /* The next members are about the plan shown last. */
    const struct orr_choice *choice;
    struct orr_job job;        /* job of the prompts' pool where there are two */
    struct orr_job result_job; /* for inference, the job of the pool that answers */
    struct orr_answer answer;  /* result of the plan, without a ledger */
};

/* Predicts a plan of the answer; the functions below are about this plan. */
void orr_search_show(struct orr_search_view *view, const struct orr_choice *choice);

/* Returns the *n headline metrics of the listed plans. */
const int *orr_search_headline(enum orr_job_kind kind, size_t *n);

/* This is a column of the tables of plans. */
struct orr_plan_column {
    const char *title;
    char align, drop;  /* as in struct orr_table */
    const char *plain; /* value that hides the column where every row has it; NULL never hides it */
    void (*cell)(const struct orr_search_view *view, struct orr_text *cell); /* NULL prints the metric */
    int metric;
    bool bare; /* prints no unit, because the title has it */
    bool rare; /* only where it is asked for */
};
#define ORR_MAX_PLAN_COLUMNS 16 /* the rank is one more: ORR_TABLE_COLUMNS */

/* A table of plans has cells in rows and knows which columns have anything to say. */
struct orr_plan_table {
    const struct orr_plan_column *columns;
    size_t n_columns, n_rows;
    bool used[ORR_MAX_PLAN_COLUMNS];
    bool asked[ORR_MAX_PLAN_COLUMNS]; /* the objective or a limit is about the column: it is never dropped */
    char **cells; /* cells row by row; NULL where memory ran out */
};
struct orr_plan_table orr_plan_table_of(struct orr_search_view *view, const struct orr_found *found, size_t n_found);
void orr_plan_table_free(struct orr_plan_table *table);

/* Says why there is no valid plan, with a line for each list that is at fault: "plan.tp 3: ...". It adds nothing where
 * there are plans, or where the search did not look at all. */
void orr_search_obstacles_text(const struct orr_search_view *view, struct orr_text *text);
/* Returns the next of these lines, cut off at its end; NULL after the last. */
char *orr_next_line(char **lines);
/* Adds "4,096" or "64, 128, … 4,096". */
void orr_search_gpus(const struct orr_choices *gpus, struct orr_text *text);
/* Adds "mfu_frac >= 0.4, memory_bytes.total <= 60.0 GiB". */
void orr_search_limits_text(const struct orr_search_request *request, struct orr_text *text);
/* Adds the shown plan in words, with " · " between them. */
void orr_search_plan(const struct orr_search_view *view, struct orr_text *text);
/* The layout of a measured run of the same model or of one that is alike, filled in for this question, and its
 * `published_ratio`; NULL where there is none. */
struct orr_measured_run;
const struct orr_measured_run *orr_search_published(struct orr_search_view *view, struct orr_choice *plan);
/* Adds who ran the published plan, and with which model on what. */
void orr_search_run_text(const struct orr_search_view *view, struct orr_text *text);
/* Says what a reason to reject means. */
const char *orr_reject_meaning(enum orr_reject reject);
/* Prints "1.23 times", for ratios from 1 on. */
char *orr_print_ratio(char buffer[32], double ratio);

void orr_search_terminal(struct orr_search_view *view, const struct orr_style *style, struct orr_text *text);
void orr_search_json(struct orr_search_view *view, struct orr_text *text);
void orr_search_csv(struct orr_search_view *view, struct orr_text *text);

#endif
