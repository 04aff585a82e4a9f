/* Written by tools/check_drift.sh --record from `orrery validate --intervals`: do not edit. 80 % of the measured times
 * of a class lie between low and high times the predicted one, a source that was not seen counted as one of the seen. */
#define ORR_INTERVALS(X)                                                        \
    /* regime       calibrated: low, high    datasheet: low, high            */ \
    X(TRAIN_DENSE, 0.93, 1.19, 0.92, 1.24)                                      \
    X(TRAIN_MOE, 0.86, 1.42, 0.88, 1.60)                                        \
    X(DECODE_DRAM, 0.94, 1.10, 0.94, 1.10)                                      \
    X(DECODE_NETWORK, 0.92, 1.14, 0.92, 1.14)                                   \
    X(DECODE_HOST, 0.90, 1.70, 0.90, 1.70)                                      \
    X(PREFILL, 0.95, 1.20, 0.95, 1.20)                                          \
    X(PREFILL_SHORT, 0.95, 1.28, 0.95, 1.28)                                    \
    X(INFER_MOE, 0.85, 1.60, 0.85, 1.60)                                        \
    X(IN_FLIGHT, 0.85, 1.60, 0.85, 1.60)                                        \
    X(IN_FLIGHT_MOE, 0.85, 1.60, 0.85, 1.60)
