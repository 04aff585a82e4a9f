/* What the tests of properties forgive: claims of test_properties.c that do not hold strictly. */
#ifndef ORR_TESTS_ALLOWANCES_H
#define ORR_TESTS_ALLOWANCES_H

/* Claims that are not strict, by how much, and why. The test fails where one of them is broken by more. */
static const struct allowance {
    const char *claim;
    double excess;
} ALLOWED[] = {
    /* the pipeline rank that sets the pace changes, and with it the window its gradient collectives hide under */
    {"a higher L2 rate is slower (zero bubble)", 0.004},
    {"a larger L2 is slower (zero bubble)", 0.004},
    /* with ZeRO-2 every backward hides a scatter, but the bubble, which grows as the weight gradients that fill it get
     * shorter, is counted to hide none */
    {"a higher DRAM rate is slower (zero bubble)", 0.03},
    {"a higher FLOP rate is slower (zero bubble)", 0.03},
    /* the ring of context parallelism and the gathers of ZeRO-3 are hidden beside the same kernels, each as if alone:
     * as these get shorter, both come out. With ZeRO-2 the rank that sets the pace may change, as above. */
    {"a higher FLOP rate is slower", 0.02},
    /* the clock and the share of matrix kernels follow from each other: where the device no longer waits for the host,
     * the lower of two clocks that both fit the power limit is found (one job, host and device equally fast) */
    {"a higher DRAM rate is slower", 0.04},
    /* tiles are chosen at the burst clock, and the product that is faster there loads the power limit more */
    {"a larger L2 is slower", 0.0005},
    {"a higher L2 rate is slower", 0.002},
    {"a larger L2 is slower (serving)", 0.006},
    {"a higher FLOP rate is slower (serving)", 0.008},
    {"a higher L2 rate is slower (serving)", 0.01},
    /* of a cache that is sent while the prompt is read, the part of one layer is left over: one layer more that has no
     * cache makes that part smaller */
    {"more layers: earlier first token", 0.0001},
    /* decode attention stops cutting contexts once the sequences fill the SMs, and saves the reduction (Eq. 48) */
    {"one sequence more takes less", 0.05},
    {"one sequence more takes less (pp > 1)", 0.015},
    {"one sequence more: less per token", 0.03},
    {"one sequence more: less per token (pp > 1)", 0.015},
    /* the waits of a short prefill go over into those of a long one between 512 and 1,024 tokens, and the kernels of
     * models of less than 2 B parameters grow by less than the waits shrink (most of all with scans and attention in
     * every layer); a sequence more also makes pieces of the batch longer, and their rows fit tiles better */
    {"one sequence more: earlier first token", 0.1},
    {"one sequence more: earlier first token (pp > 1)", 0.09},
    {"twice the sequences take less", 0.01},
    {"twice the sequences take less (pp > 1)", 0.04},
    {"longer prompts take less", 0.03},
    {"longer prompts: earlier first token", 0.16},
    /* the same for the tokens that a cached prefix leaves; a prompt of one token is not shortened, and its kernel reads
     * the cache */
    {"a cached prefix: later first token", 0.1},
    /* the last chunk of a prompt, one token longer, fits tiles better */
    {"one prompt token more: earlier first token", 0.01},
    /* with zero bubbles and ZeRO-2 the rank that sets the pace may change, as above */
    {"a longer sequence takes less", 0.001},
};

#endif
