/* What orr_fit_run works on: kernel timings of one chip, the constants that they can identify, and how well the two
 * agree. */
#ifndef ORR_CALIBRATE_CALIBRATE_H
#define ORR_CALIBRATE_CALIBRATE_H

#include "ops/ops.h"
#include "spec/calibration_list.h"
#include "spec/csv.h"

/* The kinds of kernel tables: name, name of the file without .csv, columns that a table must have, size classes of its
 * rows (groups.c), and the function orr_row_... that reads the shape of a row (kernels.c). */
#define ORR_KERNELS(X)                                                                                                 \
    X(GEMM, "gemm", "m n k dtype time_s", PRODUCT, product)                                                            \
    X(BMM, "bmm", "batch m n k dtype time_s", PRODUCT, product)                                                        \
    X(ATTENTION_PREFILL, "attention_prefill", ORR_PREFILL_COLUMNS, QUERIES, prefill)                                   \
    X(ATTENTION_BACKWARD, "attention_backward", ORR_PREFILL_COLUMNS, QUERIES, prefill)                                 \
    X(ATTENTION_DECODE, "attention_decode", "batch kv_len heads kv_heads head_dim dtype time_s", CACHE, decode)        \
    X(MLA_PREFILL, "mla_prefill", "batch q_len kv_len heads dtype time_s", QUERIES, prefill)                           \
    X(MLA_DECODE, "mla_decode", "batch kv_len heads dtype time_s", CACHE, decode)                                      \
    X(MOE, "moe", "tokens hidden moe_ffn experts topk tp ep gated dtype distribution part time_s", EXPERT, experts)    \
    X(ALLREDUCE, "allreduce", "n_gpus bytes time_s", MESSAGE, collective)                                              \
    X(ALLGATHER, "allgather", "n_gpus bytes time_s", MESSAGE, collective)                                              \
    X(REDUCESCATTER, "reducescatter", "n_gpus bytes time_s", MESSAGE, collective)                                      \
    X(ALLTOALL, "alltoall", "n_gpus bytes time_s", MESSAGE, collective)                                                \
    X(P2P, "p2p", "n_gpus bytes time_s", MESSAGE, collective)                                                          \
    X(POINTWISE, "pointwise", "op bytes time_s", TENSOR, pointwise)                                                    \
    X(ADAM, "adam", "bytes time_s", TENSOR, pointwise)
#define ORR_PREFILL_COLUMNS      "batch q_len kv_len heads kv_heads head_dim dtype time_s"
#define ORR_X_KERNEL_(name, ...) ORR_KERNEL_##name,
enum orr_kernel { ORR_KERNELS(ORR_X_KERNEL_) ORR_N_KERNELS };
extern const char *const orr_kernel_names[ORR_N_KERNELS];

/* How a run of products was timed: this is unknown, or after a pause, or in a loop that reaches the power limit. */
enum orr_fit_mode { ORR_MODE_UNKNOWN, ORR_MODE_BURST, ORR_MODE_SUSTAINED };

/* One timing and its prediction. The strings belong to the CSVs. */
#define ORR_ROW_OPS 2
struct orr_kernel_row {
    enum orr_kernel kind;
    const char *source, *backend, *dtype;
    char shape[80];
    enum orr_fit_mode mode;
    struct orr_op ops[ORR_ROW_OPS]; /* the operators of the kernel, whose times add up */
    int n_ops;
    struct orr_op pass;          /* a pass that the table may have timed with the kernel: quantise, permute */
    bool has_pass, ready_inputs; /* ready_inputs: the table says that it did not time the pass */
    int64_t ranks;               /* collectives only */
    double measured_s, weight;
    double before_s, after_s;       /* with the terms of the table */
    double plain_before_s, plain_s; /* by the constants alone */
    size_t group, table;            /* indices; group == n_groups of the fit: no group */
    double size;                    /* rows, keys or bytes that decide size_class; below 0: other shapes */
    int size_class;
    bool fitted;          /* part of the loss; other rows are only predicted */
    const char *left_out; /* why the row is not predicted; NULL if it is */
    const char *limit;    /* faster than the chip allows: the limit it breaks, "peak"; else NULL */
    double limit_frac;    /* its rate over that limit */
};

/* Rows measured in the same way. The terms describe the run, not the chip: they are fitted beside the constants and
 * then dropped. */
struct orr_fit_table {
    size_t group;
    enum orr_kernel kind;
    const char *source, *backend, *dtype;
    enum orr_fit_mode mode;
    size_t n_rows, n_fitted;
    bool free_level, free_warm, free_call, free_passes;
    double least_s, most_s; /* its fastest row, which bounds the time around the kernel; its slowest row */
    double level;           /* share of peak of the run's short products; 0: the burst share */
    double warm_s;          /* length of a product whose clock is half way from `level` to the sustained share */
    double call_s;          /* launch and call time around the kernel */
    double passes;          /* how often the pass of its rows ran */
};

/* What became of a constant, with the word of docs/calibrate.md. All but the first two keep the old value. */
#define ORR_CONSTANT_STATES(X)                                                                                         \
    X(FITTED, "fitted")                                                                                                \
    X(ONE_SIDE, "limit")          /* The old value is ruled out, but only one side is bounded. */                      \
    X(REFUSED, "not identified")  /* The rows fit as well with the old value. */                                       \
    X(CONFIRMED, "confirmed")     /* The rows identify it, and no value fits better than the old one. */               \
    X(BOUND, "leaves its bounds") /* The best value is at a physical bound: the rows measure something else. */        \
    X(POOR, "poor fit")           /* No values describe the rows. */                                                   \
    X(FEW_ROWS, "too few rows")
#define ORR_X_STATE_(name, word) ORR_CONSTANT_##name,
enum orr_constant_state { ORR_CONSTANT_STATES(ORR_X_STATE_) ORR_N_CONSTANT_STATES };

/* One number of the calibration, before and after the fit. */
struct orr_fit_constant {
    char path[72];                 /* path in the file: "gemm.bf16.dram_frac" */
    const struct orr_constant *is; /* its entry in the list of constants */
    double *at;                    /* its place among the constants being fitted */
    double low, high;              /* physical bounds */
    double old_value, new_value;
    enum orr_constant_state state;
    size_t rows; /* timings that depend on it */
};

#define ORR_FIT_CONSTANTS 32
struct orr_fit_group {
    enum orr_fit_kind kind;
    int index, width; /* dtype, kernel, class or collective; width 1: 8-bit cache */
    char path[48];    /* path of its constants in the file */
    size_t n_constants;
    struct orr_fit_constant constants[ORR_FIT_CONSTANTS];
    size_t n_rows, n_fitted;
    double loss_before;
    double median_frac, p90_frac; /* errors of the fitted rows after the fit */
};

struct orr_fit {
    const struct orr_catalogue *catalogue;
    struct orr_engine serving, framework; /* engines that the tables were made with */
    struct orr_job job;                   /* chip, system, and the constants during the fit */
    struct orr_calibration before;
    size_t n_csvs, n_rows, n_tables, n_groups;
    struct orr_csv *csvs;
    struct orr_kernel_row *rows;
    struct orr_fit_table *tables;
    struct orr_fit_group *groups;
    size_t evaluations; /* number of row predictions made */
};

/* Reads the cells of a CSV row (rows.c, kernels.c). A cell that cannot be used is an error with its line. */
struct orr_row_reader {
    struct orr_fit *fit;
    const struct orr_csv *csv;
    const char *origin;
    size_t row;
    struct orr_error *error;
    enum orr_err err;         /* first error of the row */
    struct orr_op_list *list; /* scratch list of the emitters */
};
enum orr_err orr_fit_read_rows(struct orr_fit *fit, enum orr_kernel kind, const struct orr_csv *csv, const char *origin,
                               struct orr_error *error);
bool orr_fit_is_lab(const struct orr_csv *csv);
enum orr_err orr_fit_read_lab(struct orr_fit *fit, const struct orr_csv *csv, const char *origin,
                              struct orr_error *error);
double orr_row_number(struct orr_row_reader *r, const char *column, double low);
void orr_row_fail(struct orr_row_reader *r, const char *column, const char *expected);
/* The matrix format of a cell; *word becomes the cell. Returns ORR_N_DTYPES after an error. */
enum orr_dtype orr_row_dtype(struct orr_row_reader *r, const char *column, const char **word);
/* Each makes the operators of one row and sets its group, fitted and left_out. */
void orr_row_product(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_prefill(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_decode(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_experts(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_collective(struct orr_row_reader *r, struct orr_kernel_row *row);
void orr_row_pointwise(struct orr_row_reader *r, struct orr_kernel_row *row);
/* Add a product of (m, k) and (k, n) in `dtype`, with the pass that quantises its input. */
void orr_row_fill_product(struct orr_row_reader *r, struct orr_kernel_row *row, enum orr_dtype dtype, double batch,
                          double m, double n, double k);

/* Leave a row out if it is faster than the chip can be (limits.c). */
void orr_row_check_limits(const struct orr_fit *fit, struct orr_kernel_row *row);

/* Grow a list of n items of `size` bytes by one, doubling its room. Returns NULL if out of memory; the list is then
 * unchanged. */
void *orr_fit_grow(void *items, size_t n, size_t size);
/* The index of the group of that kind; n_groups if there is none. */
size_t orr_fit_find_group(const struct orr_fit *fit, enum orr_fit_kind kind, int index, int width);
/* The same, made if it is new; SIZE_MAX if out of memory. */
size_t orr_fit_group_of(struct orr_fit *fit, enum orr_fit_kind kind, int index, int width);
/* Prepare the first fit: tables, size classes, weights, the choice among tables, and the constants of every group
 * (groups.c). */
bool orr_fit_prepare(struct orr_fit *fit);
/* The name of a row's size class. */
const char *orr_size_class_name(enum orr_kernel kind, int size_class);
#define ORR_SIZE_CLASSES 5

/* The predicted seconds of a row, with or without the terms of its table (fit.c). */
double orr_fit_price(struct orr_fit *fit, const struct orr_kernel_row *row, bool with_terms);
/* Set the engine, workload and job kind under which the rows of a group are priced. */
void orr_fit_enter(struct orr_fit *fit, const struct orr_fit_group *group);
/* The first fits only the terms of a group's tables; the second fits the constants as well and refuses those that the
 * rows do not identify. They return false if out of memory. */
bool orr_fit_terms(struct orr_fit *fit, size_t group);
bool orr_fit_group_constants(struct orr_fit *fit, size_t group);

/* Statistics of the errors of rows: predicted / measured - 1. */
struct orr_fit_stats {
    size_t n;
    double median_frac, p90_frac, bias_frac;
};
/* Which rows count: of a kind, a group and a size class (-1: any), and either the fitted rows or the others. */
struct orr_fit_filter {
    int kind, group, size_class;
    bool fitted, others;
};
enum orr_fit_column { ORR_COLUMN_BEFORE, ORR_COLUMN_AFTER, ORR_COLUMN_PLAIN_BEFORE, ORR_COLUMN_PLAIN };
/* Does the constant have a new value? */
bool orr_constant_is_new(const struct orr_fit_constant *constant);
/* The words of docs/calibrate.md: "fitted", "not identified" and so on. */
const char *orr_constant_state_name(enum orr_constant_state state);
struct orr_fit_stats orr_fit_stats_of(const struct orr_fit *fit, struct orr_fit_filter filter,
                                      enum orr_fit_column column);

#endif
