/* Chips made from a node and budgets, and the studies.
 * A part of orrery.h, which includes it where ORR_EXPERIMENTAL is defined; include that. */
#ifndef ORRERY_TECHNOLOGY_H
#define ORRERY_TECHNOLOGY_H

/* ---------------------------------------------------------------- technology with open structs */

/* Write one line of facts about a technology, design, memory or network; the line is "" for other kinds of part. */
#define ORR_LINE 256
ORR_API ORR_NODISCARD enum orr_err orr_technology_line(const struct orr_catalogue *catalogue, enum orr_part kind,
                                                       const char *id, char line[ORR_LINE], struct orr_error *error);

#define ORR_OPTIMISERS(X)                                                                                              \
    X(SEARCH, "search", "global, then local from several starts")                                                      \
    X(GRADIENT, "gradient", "normalised gradient descent of DeepFlow")                                                 \
    X(GRID, "grid", "every split of a grid")

#define ORR_X_OPTIMISER_(name, ...) ORR_OPTIMISER_##name,
enum orr_optimiser { ORR_OPTIMISERS(ORR_X_OPTIMISER_) ORR_N_OPTIMISERS };
ORR_API const char *orr_optimiser_name(enum orr_optimiser optimiser);

struct orr_optimise {
    enum orr_objective objective; /* TIME, ENERGY or COST of a step or batch */
    enum orr_optimiser optimiser;
    const char *free;     /* shares that may change, "power.core,power.dram"; NULL: all of them */
    int64_t n_restarts;   /* 0: 20 for a search, 10 for gradient descent */
    int64_t n_grid_steps; /* 0: 10 */
    uint64_t seed;        /* equal seeds give equal answers */
    /* Further jobs that the same chip should answer, and weights of all jobs: the objective is the weighted geometric
     * mean over the first job and these (Eq. 291). */
    const struct orr_job *others;
    size_t n_others;
    const double *weights; /* of the first job and the others; NULL: all 1 */
};

/* Questions about a generated system. */
#define ORR_TECHNOLOGY_VIEWS(X)                                                                                        \
    /*  enum     name       what is rendered, and in which formats                                          */         \
    X(CHIP, "chip", "what was made and which budget limits it; JSON is a system file. TERMINAL, JSON, CSV, HTML")      \
    X(NODES, "nodes", "the same recipe at every node of its scaling set. TERMINAL, JSON, CSV, HTML")                   \
    X(COST, "cost", "cost of one GPU, part by part, and an hour of it (Eqs. 106-108). TERMINAL, JSON, HTML")           \
    X(OPTIMISE, "optimise", "the split of its budgets that answers a job best. TERMINAL, JSON, HTML")
#define ORR_X_TECHNOLOGY_(name, ...) ORR_TECHNOLOGY_##name,
enum orr_technology_view { ORR_TECHNOLOGY_VIEWS(ORR_X_TECHNOLOGY_) ORR_N_TECHNOLOGY_VIEWS };

struct orr_technology_question {
    const char *name; /* "generated:node=5,memory=hbm3,..." */
    enum orr_technology_view view;
    const struct orr_job *job;           /* COST adds the cost of the job's system and of a million tokens; may be NULL.
                                            OPTIMISE: the job to answer, on any system of the same name */
    int64_t run_tokens;                  /* COST with a job adds a training run over so many tokens; 0: none */
    const struct orr_optimise *optimise; /* OPTIMISE */
};
ORR_API ORR_NODISCARD enum orr_err orr_technology_render(const struct orr_catalogue *catalogue,
                                                         const struct orr_technology_question *question,
                                                         enum orr_format format, const struct orr_style *style,
                                                         char **text, struct orr_error *error);

/* Make one HTML page of a text and its data, for reports of the caller's own; the caller owns the page. */
ORR_API ORR_NODISCARD char *orr_page(const char *title, const char *terminal, const char *json);
/* A file that the build put into the program (tools/embed_files.c). */
struct orr_page_file {
    const char *path; /* for example "/assets/index-1a2b3c.js" */
    const char *bytes;
    size_t size;
    const char *gzip; /* the same, compressed; NULL where that gains nothing */
    size_t n_gzip;
    const char *hash; /* of the bytes */
};
/* Return a file of the explorer, such as "/index.html"; NULL if the library was built without the explorer or has no
 * such file. */
ORR_API const struct orr_page_file *orr_explorer_file(const char *path);

/* ---------------------------------------------------------------- studies */

/* A study asks a question of many jobs: the studies of Kundu et al. 2024 and of technology (docs/reproduce.md). It has
 * tables, findings, assumptions, a comparison where one is published, and a figure. */
struct orr_study;
struct orr_study_facts {
    const char *title; /* static */
    const char *input; /* static: file of measurements that the study needs, under the data folder; NULL: none */
    bool technology;   /* it belongs to `orrery technology study` */
};
/* The name of the i-th study; NULL after the last. `facts` may be NULL. */
ORR_API const char *orr_study_name(size_t i, struct orr_study_facts *facts);
/* Run one study. `csv` is the text of its input, NULL if it needs none. */
ORR_API ORR_NODISCARD enum orr_err orr_study_run(const struct orr_catalogue *catalogue, const char *name,
                                                 const char *csv, const char *origin, struct orr_study **study,
                                                 struct orr_error *error);
ORR_API void orr_study_free(struct orr_study *study);
/* The name of the i-th table, static; NULL after the last. If csv is not NULL, *csv receives the table as CSV, which
 * the caller owns, or NULL when there is no memory left. */
ORR_API const char *orr_study_table(const struct orr_study *study, size_t i, char **csv);
/* Render a study as TERMINAL, JSON, CSV (the first table), HTML, or GNUPLOT, a script that reads a file TABLE.csv for
 * every table and writes STUDY.svg. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_study_render(const struct orr_study *study, enum orr_format format,
                                             const struct orr_style *style);
/* Render several studies: TERMINAL lists their findings, HTML is one page over all. The caller owns the text. */
ORR_API ORR_NODISCARD char *orr_studies_render(const struct orr_study *const *studies, size_t n, enum orr_format format,
                                               const struct orr_style *style);

#endif
