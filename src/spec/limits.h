/* Caps on what a request may ask. They keep every product of the model far from overflow and catch slips of the
 * pen; no real job comes near them. */
#ifndef ORR_SPEC_LIMITS_H
#define ORR_SPEC_LIMITS_H

#define ORR_GPUS_MAX        10000000
#define ORR_RANKS_MAX       1000000    /* ranks of one parallel dimension */
#define ORR_TOKENS_MAX      1000000000 /* seq */
#define ORR_MICRO_BATCH_MAX 1000000
#define ORR_BATCH_MAX       1000000000
#define ORR_CONTEXT_MAX     100000000 /* input_len + output_len */
#define ORR_DRAFT_MAX       1024      /* tokens drafted per step */
#define ORR_PREFIX_HIT_MAX  0.999     /* below 1, because at least one token of a prompt is computed */
#define ORR_IMBALANCE_MAX   100000
#define ORR_IMAGES_MAX      10000   /* images of a sequence */
#define ORR_IMAGE_SIDE_MAX  65536   /* pixels */
#define ORR_SOUND_MAX       1000000 /* seconds of sound */
#define ORR_MTP_MAX         16      /* multi-token prediction layers */

#endif
