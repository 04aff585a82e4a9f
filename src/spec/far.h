/* How far apart two jobs are by what differs between them: in logarithms of time, by how much their errors may differ.
 * All are judgements, as the errors of stacks, chips and regimes differ (docs/trust.md). The nearest measured run
 * (Eq. 187) and what a fit shares (Eq. 345) count with them. */
#ifndef ORR_SPEC_FAR_H
#define ORR_SPEC_FAR_H

#define ORR_FAR_ENGINE   0.2
#define ORR_FAR_SYSTEM   0.085
#define ORR_FAR_FORMAT   0.085 /* of weights or products: counts like a system */
#define ORR_FAR_REGIME   0.15
#define ORR_FAR_DOUBLING 0.03 /* of GPUs, active parameters, a degree, a batch or a length */

#endif
