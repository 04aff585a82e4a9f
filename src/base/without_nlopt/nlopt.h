/* The part of NLopt's interface that is used, for builds without the library: nothing is ever created. Whoever needs a
 * search asks ORR_HAS_NLOPT first and says why there is none. */
#ifndef ORR_STUDY_WITHOUT_NLOPT_H
#define ORR_STUDY_WITHOUT_NLOPT_H

typedef struct orr_no_search *nlopt_opt;
typedef double (*nlopt_func)(unsigned n, const double *x, double *gradient, void *context);
typedef enum { NLOPT_LN_SBPLX, NLOPT_GN_CRS2_LM, NLOPT_LD_SLSQP } nlopt_algorithm;
typedef enum { NLOPT_FAILURE = -1, NLOPT_INVALID_ARGS = -2, NLOPT_OUT_OF_MEMORY = -3, NLOPT_SUCCESS = 1 } nlopt_result;

#define nlopt_create(method, n)                      ((void)(method), (void)(n), (nlopt_opt)0)
#define nlopt_set_min_objective(search, function, p) ((void)(search), (void)(function), (void)(p), NLOPT_FAILURE)
#define nlopt_set_lower_bounds(search, x)            ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_upper_bounds(search, x)            ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_initial_step(search, x)            ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_lower_bounds1(search, x)           ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_upper_bounds1(search, x)           ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_initial_step1(search, x)           ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_xtol_rel(search, x)                ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_ftol_rel(search, x)                ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_xtol_abs1(search, x)               ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_ftol_abs(search, x)                ((void)(search), (void)(x), NLOPT_FAILURE)
#define nlopt_set_maxeval(search, n)                 ((void)(search), (void)(n), NLOPT_FAILURE)
#define nlopt_optimize(search, x, value)             ((void)(search), (void)(x), (void)(value), NLOPT_FAILURE)
#define nlopt_destroy(search)                        ((void)(search))
#define nlopt_srand(seed)                            ((void)(seed))

#endif
