/* Kernel timings of one chip, the constants they can tell, and how well both agree: what orr_fit_run works on. */
#ifndef ORR_CALIBRATE_CALIBRATE_H
#define ORR_CALIBRATE_CALIBRATE_H

#include "ops/ops.h"
#include "spec/calibration_list.h"
#include "spec/csv.h"

/* Kinds of kernel tables: the file's name without .csv. */
#define ORR_KERNELS(X)                                                                                                 \
    X(GEMM, "gemm")                                                                                                    \
    X(BMM, "bmm")                                                                                                      \
    X(ATTENTION_PREFILL, "attention_prefill")                                                                          \
    X(ATTENTION_BACKWARD, "attention_backward")                                                                        \
    X(ATTENTION_DECODE, "attention_decode")                                                                            \
    X(MLA_PREFILL, "mla_prefill")                                                                                      \
    X(MLA_DECODE, "mla_decode")                                                                                        \
    X(MOE, "moe")                                                                                                      \
    X(ALLREDUCE, "allreduce")                                                                                          \
    X(ALLGATHER, "allgather")                                                                                          \
    X(REDUCESCATTER, "reducescatter")                                                                                  \
    X(ALLTOALL, "alltoall")                                                                                            \
    X(P2P, "p2p")                                                                                                      \
    X(POINTWISE, "pointwise")                                                                                          \
    X(ADAM, "adam")
#define ORR_X_KERNEL_(name, ...) ORR_KERNEL_##name,
enum orr_kernel { ORR_KERNELS(ORR_X_KERNEL_) ORR_N_KERNELS };
extern const char *const orr_kernel_names[ORR_N_KERNELS];

/* How a run of products was made: not known, after a pause, or in a loop long enough for the power limit. */
enum orr_fit_mode { ORR_MODE_UNKNOWN, ORR_MODE_BURST, ORR_MODE_SUSTAINED };

/* One timing and what the program makes of it. Strings belong to the CSVs. */
#define ORR_ROW_OPS 2
struct orr_kernel_row {
    enum orr_kernel kind;
    const char *source, *backend, *dtype;
    char shape[80];
    enum orr_fit_mode mode;
    struct orr_op ops[ORR_ROW_OPS]; /* the kernel: their times add */
    int n_ops;
    struct orr_op pass;          /* a pass the table may have timed with it: quantise, permute */
    bool has_pass, ready_inputs; /* ready: the table says the pass is not inside */
    int64_t ranks;               /* collectives */
    double measured_s, weight;
    double before_s, after_s;       /* with the terms of its table */
    double plain_before_s, plain_s; /* the constants alone */
    size_t group, table;            /* indices; group n_groups of the fit: none */
    double size;                    /* what its class is told by: rows, keys, bytes; below 0: the odd class */
    int size_class;
    bool fitted;          /* in the loss; else predicted only */
    const char *left_out; /* why it is not predicted; NULL if it is */
    const char *limit;    /* faster than the chip: which limit it breaks, "peak"; else NULL */
    double limit_frac;    /* ... and its rate over that limit */
};

/* Rows measured in one way. What belongs to the run, not to the chip, is fitted beside the constants and thrown
 * away. */
struct orr_fit_table {
    size_t group;
    enum orr_kernel kind;
    const char *source, *backend, *dtype;
    enum orr_fit_mode mode;
    size_t n_rows, n_fitted;
    bool free_level, free_warm, free_call, free_passes;
    double least_s, most_s; /* its fastest row: nothing around the kernel takes longer; its slowest */
    double level;           /* share of peak the run's short products had; 0: the burst share */
    double warm_s;          /* length of a product that runs half way from there to the sustained share */
    double call_s;          /* launch and call time around the kernel */
    double passes;          /* executions of its rows' pass */
};

enum orr_constant_state {
    ORR_CONSTANT_FITTED,
    ORR_CONSTANT_ONE_SIDE,  /* the old value is ruled out, but only one side is limited */
    ORR_CONSTANT_REFUSED,   /* the data fit as well with the old value: kept */
    ORR_CONSTANT_CONFIRMED, /* told by the data, and the old values fit as well as any: kept */
    ORR_CONSTANT_BOUND,     /* wants to leave its physical bounds: the rows measure something else; kept */
    ORR_CONSTANT_POOR,      /* no values describe the rows: kept */
    ORR_CONSTANT_FEW_ROWS   /* not tried */
};

/* One number of the calibration and what became of it. */
struct orr_fit_constant {
    char path[72];                 /* in the file: "gemm.bf16.dram_frac" */
    const struct orr_constant *is; /* its row of the list */
    double *at;                    /* its number among the constants being fitted */
    double low, high;              /* physical bounds */
    double old_value, new_value;
    enum orr_constant_state state;
    size_t rows; /* timings that bear on it */
};

#define ORR_FIT_CONSTANTS 32
struct orr_fit_group {
    enum orr_fit_kind kind;
    int index, width; /* dtype, kernel, class or collective; 1: 8-bit cache */
    char path[48];    /* of its constants in the file */
    size_t n_constants;
    struct orr_fit_constant constants[ORR_FIT_CONSTANTS];
    size_t n_rows, n_fitted;
    double loss_before, loss_after;
    double median_frac, p90_frac; /* of the fitted rows, after */
};

struct orr_fit {
    const struct orr_catalogue *catalogue;
    struct orr_engine serving, framework; /* engines the tables are made with */
    struct orr_job job;                   /* chip, system, and the constants as they are being fitted */
    struct orr_calibration before;
    size_t n_csvs, n_rows, n_tables, n_groups;
    struct orr_csv *csvs;
    struct orr_kernel_row *rows;
    struct orr_fit_table *tables;
    struct orr_fit_group *groups;
    size_t evaluations; /* row predictions made */
};

/* CSV cells -> rows (rows.c, kernels.c). Unusable cells are errors with a line. */
struct orr_row_reader {
    struct orr_fit *fit;
    const struct orr_csv *csv;
    const char *origin;
    size_t row;
    struct orr_error *error;
    enum orr_err err;         /* first error of the row */
    struct orr_op_list *list; /* scratch of the emitters */
};
enum orr_err orr_fit_read_rows(struct orr_fit *fit, enum orr_kernel kind, const struct orr_csv *csv, const char *origin,
                               struct orr_error *error);
bool orr_fit_is_lab(const struct orr_csv *csv);
enum orr_err orr_fit_read_lab(struct orr_fit *fit, const struct orr_csv *csv, const char *origin,
                              struct orr_error *error);
double orr_row_number(struct orr_row_reader *r, const char *column, double low);
void orr_row_fail(struct orr_row_reader *r, const char *column, const char *expected);
/* Matrix format of a cell; *word is the cell. ORR_N_DTYPES after an error. */
enum orr_dtype orr_row_dtype(struct orr_row_reader *r, const char *column, const char **word);
/* The operators of one row; fills group, fitted, left_out. */
void orr_row_product(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_prefill(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_decode(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_experts(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_collective(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_pointwise(struct orr_row_reader *r, struct orr_kernel_row *row);
/* A product of (m, k) and (k, n) in `dtype`, with the pass that quantises its input. */
void orr_row_fill_product(struct orr_row_reader *r, struct orr_kernel_row *row, enum orr_dtype dtype, double batch,
                          double m, double n, double k);

/* Leaves out a row that is faster than the chip can be (limits.c). */
void orr_row_check_limits(const struct orr_fit *fit, struct orr_kernel_row *row);

/* The group of that kind, made when it is new; n_groups when out of memory. */
size_t orr_fit_group_of(struct orr_fit *fit, enum orr_fit_kind kind, int index, int width);
/* Tables, classes, weights, choice among tables, constants of every group: before the first fit (groups.c). */
bool orr_fit_prepare(struct orr_fit *fit);
/* Name of a row's size class. */
const char *orr_size_class_name(enum orr_kernel kind, int size_class);
#define ORR_SIZE_CLASSES 5

/* Predicted seconds of a row, with the terms of its table or without (fit.c). */
double orr_fit_price(struct orr_fit *fit, const struct orr_kernel_row *row, bool with_terms);
/* Engine, workload and job kind the rows of a group are priced under. */
void orr_fit_enter(struct orr_fit *fit, const struct orr_fit_group *group);
/* Fit the terms of a group's tables only; then everything, with refusals. False: out of memory. */
bool orr_fit_terms(struct orr_fit *fit, size_t group);
bool orr_fit_group_constants(struct orr_fit *fit, size_t group);

/* Error statistics over rows: predicted / measured - 1. */
struct orr_fit_stats {
    size_t n;
    double median_frac, p90_frac, bias_frac;
};
/* Which rows count: a kind, a group and a size class, -1: any; fitted rows or the others. */
struct orr_fit_filter {
    int kind, group, size_class;
    bool fitted, others;
};
enum orr_fit_column { ORR_COLUMN_BEFORE, ORR_COLUMN_AFTER, ORR_COLUMN_PLAIN_BEFORE, ORR_COLUMN_PLAIN };
/* A constant that has a new value. */
bool orr_constant_is_new(const struct orr_fit_constant *constant);
/* "fitted", "not identified", ...: the words of docs/calibrate.md. */
const char *orr_constant_state_name(enum orr_constant_state state);
struct orr_fit_stats orr_fit_stats_of(const struct orr_fit *fit, struct orr_fit_filter filter,
                                      enum orr_fit_column column);

#endif
