/* Caps on what a request may ask. They keep every product of the model far from overflow and catch slips of the
 * pen; no real job comes near them. */
#ifndef ORR_SPEC_LIMITS_H
#define ORR_SPEC_LIMITS_H

#define ORR_GPUS_MAX 10000000
#define ORR_RANKS_MAX 1000000       /* of one parallel dimension */
#define ORR_TOKENS_MAX 1000000000   /* seq */
#define ORR_MICRO_BATCH_MAX 1000000
#define ORR_BATCH_MAX 1000000000
#define ORR_IMBALANCE_MAX 100000

#endif
