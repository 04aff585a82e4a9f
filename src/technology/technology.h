/* From a technology node and budgets of area, power and perimeter to a chip, its network links and their cost. Nothing
 * is read or written here: src/spec reads the inputs and makes an ordinary system of the answer. Eqs. 29, 97-103,
 * 106-108a. */
#ifndef ORR_TECHNOLOGY_TECHNOLOGY_H
#define ORR_TECHNOLOGY_TECHNOLOGY_H

#include "orrery.h"

/* ---------------------------------------------------------------- what is given */

/* The parts that a budget is split over. */
#define ORR_COMPONENTS(X)                                                                                              \
    /*  enum       name         what the share buys                     */                                             \
    X(CORE, "core", "matrix units")                                                                                    \
    X(DRAM, "dram", "memory controllers, memory power, memory links")                                                  \
    X(L2, "l2", "last-level cache")                                                                                    \
    X(L1, "l1", "shared memory")                                                                                       \
    X(REGISTERS, "registers", "register files")                                                                        \
    X(INTRA, "intra", "scale-up links")                                                                                \
    X(INTER, "inter", "scale-out links")
#define ORR_X_COMPONENT_(name, ...) ORR_COMPONENT_##name,
enum orr_component { ORR_COMPONENTS(ORR_X_COMPONENT_) ORR_N_COMPONENTS };

/* The parts with links; only these need a share of the edge of the die. */
#define ORR_EDGE_COMPONENTS(X)                                                                                         \
    X(DRAM, "dram", "memory links")                                                                                    \
    X(INTRA, "intra", "scale-up links")                                                                                \
    X(INTER, "inter", "scale-out links")

/* The on-chip memories. */
#define ORR_SRAMS(X)           X(L2, "l2", L2) X(L1, "l1", L1) X(REGISTERS, "registers", REGISTERS)
#define ORR_X_SRAM_(name, ...) ORR_SRAM_##name,
enum orr_sram { ORR_SRAMS(ORR_X_SRAM_) ORR_N_SRAMS };

/* Shares of the three budgets. A part without links has a share of 0 in perimeter_frac. */
struct orr_split {
    double area_frac[ORR_N_COMPONENTS];
    double power_frac[ORR_N_COMPONENTS];
    double perimeter_frac[ORR_N_COMPONENTS];
};

#define ORR_MAX_NODES 16
/* One node of a scaling set; every factor is relative to the first node of the set. */
struct orr_node {
    double nm;
    double voltage;     /* nominal supply voltage */
    double logic_area;  /* area of a matrix unit, or of the controller of an SRAM bank */
    double logic_power; /* power of a matrix unit at equal clock */
    double sram_area, sram_energy;
    double controller_area; /* area of a memory controller, which is mostly analogue */
    double wafer_usd;
    double defects_per_cm2;
};

/* The costs of a machine beyond its wafers. */
struct orr_economy {
    double wafer_mm;          /* diameter */
    double defect_clustering; /* q of Eq. 106 */
    double die_test_usd;
    double interposer_usd_per_mm2, interposer_yield_frac;
    double bond_yield_frac;                 /* yield of bonding one die or stack */
    double stack_bond_yield_frac;           /* the same of a memory stack; 0: as bond_yield_frac */
    double harvest_frac;                    /* share of faulty dies that are sold with units switched off */
    double probe_usd;                       /* test of a die on the wafer */
    double missed_frac;                     /* share of faulty dies that the tests of a die do not find */
    double interposer_area_ratio;           /* area of the interposer over that of what stands on it; 0: 1 */
    double final_test_usd, final_loss_frac; /* test of a package, and the share of packages that fail it */
    double nre_usd, nre_chips;              /* design and masks, and the chips they are shared by; 0: left out */
    double reticle_mm2;                     /* largest die that can be printed; 0: not checked */
    double d2d_area_frac;                   /* share of a die's area that its links to other dies of the package take */
    double substrate_usd;
    double markup;           /* price of the chip over the cost of its package */
    double host_usd_per_gpu; /* a GPU's share of node, rack and storage */
    double energy_usd_per_kwh, pue_frac;
    double lifetime_years, utilisation_frac;
    double opex_frac_per_year; /* staff, space and repair, per year, as a share of the capital */
};

struct orr_technology {
    char id[ORR_ID];
    size_t n_nodes;
    struct orr_node nodes[ORR_MAX_NODES];
    struct orr_economy economy;
};

struct orr_sram_design {
    double bit_mm2;
    double j_per_byte; /* dynamic energy */
    double static_w_per_bit;
    double bank_bytes;
    double controller_mm2;      /* per bank and per SM that reaches it; 0: each bank belongs to one SM */
    double feed_bytes_per_flop; /* bytes of this level per 16-bit matrix FLOP (Eq. 29); 0: left to the cost model */
    double least_bytes_per_sm;  /* room for one tile */
};

/* The voltages of a circuit that can run faster at a higher one. */
struct orr_supply {
    double voltage_v, threshold_v, margin_v; /* nominal; threshold; least distance from the threshold */
    double voltage_max_v;
};

/* A micro-architecture at the node it was made for, with its budgets and their split. */
struct orr_design {
    char id[ORR_ID], name[ORR_ID], family[32];
    /* These are the ids of the parts that are used unless others are given. */
    char calibration[ORR_ID], memory[ORR_ID], scaleup[ORR_ID], network[ORR_ID];
    double node_nm;
    double unit_mm2, unit_w;     /* area of a matrix unit; its power at nominal clock and voltage */
    double unit_flops_per_clock; /* at 16 bits */
    int64_t units_per_sm;
    double clock_hz; /* nominal */
    struct orr_supply supply;
    double flops_ratio[ORR_N_DTYPES]; /* matrix rate over the 16-bit rate; 0: the format is not supported */
    double vector_ratio;
    double l2_multicast;
    enum orr_attention_kernel flash;
    double sram_overhead_frac;
    struct orr_sram_design sram[ORR_N_SRAMS];
    double dram_controller_mm2_per_link;
    double idle_frac; /* share of the power budget */
    double die_mm2, package_mm2, power_w;
    int64_t gpus_per_node;
    struct orr_split split;
};

/* A kind of DRAM. */
struct orr_dram {
    char id[ORR_ID];
    double link_bytes_per_s; /* rate of one data pin */
    double links_per_stack, stack_bytes;
    double stack_mm2;    /* area on the package; 0: the memory is beside the package */
    double links_per_mm; /* per mm of die edge */
    double j_per_byte, static_w_per_bit;
    struct orr_supply supply;
    double usd_per_gb;
};

/* A kind of link, inside a scale-up domain or between domains. */
struct orr_network {
    char id[ORR_ID];
    bool scaleout;
    double link_bytes_per_s; /* rate of one link in one direction */
    int64_t n_links;         /* most links of a GPU; 0: as many as the budgets allow */
    double degree;           /* neighbours in a mesh, which share the links of a GPU; 1: a switch */
    double link_mm2, links_per_mm, j_per_byte;
    struct orr_supply supply;
    double latency_s;
    double efficiency_frac, oversubscription; /* scale-out only */
    int64_t domain_gpus;                      /* scale-up only */
    bool switched, multicast;
    double usd_per_gpu; /* ports, cables and a share of the switches */
};

/* Everything that the generator needs. */
struct orr_recipe {
    struct orr_design design;
    struct orr_technology technology;
    struct orr_node node, base; /* the node asked for; the node the design was made for */
    struct orr_dram dram;
    struct orr_network scaleup, scaleout;
    double die_mm2, package_mm2, power_w;
    int64_t n_stacks; /* 0: as many as fit */
    int64_t n_dies;   /* dies that share die_mm2; 0 counts as 1 */
    int64_t gpus_per_node, domain_gpus;
    struct orr_split split;
};

/* ---------------------------------------------------------------- what comes out */

/* The point at which a circuit runs. */
struct orr_operating {
    double voltage_v;
    double speed; /* clock over nominal clock */
    double power_w;
};

struct orr_sram_level {
    int64_t n_banks;
    double bytes, bytes_per_s, j_per_byte, static_w;
};

struct orr_link_level {
    int64_t n_links;
    struct orr_operating at;
    double bytes_per_s;
    /* a literal that names the limiting budget: "area", "perimeter", "power", "standard", "package", "stacks" */
    const char *limit;
};

struct orr_die_cost {
    double die_mm2, n_dies;                       /* one of the package's dies, and how many it has */
    double dies_per_wafer, yield_frac;            /* yield_frac: with dies that are sold with units off */
    double die_usd;                               /* one tested die */
    double dies_usd;                              /* all dies of the package */
    double good_frac;                             /* share of tested dies that work */
    double assembly_yield_frac;                   /* share of assemblies in which everything works */
    double interposer_usd, dram_usd, package_usd; /* package_usd: the whole assembled package */
    double chip_usd;                              /* package_usd with markup */
    double network_usd, host_usd, gpu_usd;        /* gpu_usd: capital for one GPU in its system */
    double capital_usd_per_hour, energy_usd_per_hour, opex_usd_per_hour, usd_per_hour;
};

struct orr_machine {
    int64_t n_units, n_sm;
    struct orr_operating core;
    double clock_hz, peak_flops_per_s; /* at 16 bits */
    const char *peak_limit;            /* a literal: "units", or the on-chip memory that cannot feed them */
    struct orr_sram_level sram[ORR_N_SRAMS];
    int64_t n_stacks;
    const char *stack_limit; /* a literal, the budget that limits the stacks */
    struct orr_link_level dram, scaleup, scaleout;
    double dram_bytes, dram_static_w;
    double perimeter_mm;
    double idle_w, flop_j;
    struct orr_die_cost cost;
};

/* ---------------------------------------------------------------- functions */

extern const char *const orr_component_names[ORR_N_COMPONENTS];
extern const char *const orr_sram_names[ORR_N_SRAMS];

/* Eq. 98: voltage and speed a circuit reaches with `power_w` if it takes `nominal_w` at its nominal point. */
struct orr_operating orr_operating_point(const struct orr_supply *supply, double nominal_w, double power_w);

/* The node of that size, or NULL. */
const struct orr_node *orr_technology_node(const struct orr_technology *technology, double nm);

/* The machine of a recipe. Returns false if the budgets are too small for one; `reason` then names the budget. */
bool orr_generate(const struct orr_recipe *recipe, struct orr_machine *machine, char reason[ORR_REASON]);

/* The machine as an ordinary system; its ids are left empty. */
void orr_machine_system(const struct orr_recipe *recipe, const struct orr_machine *machine, struct orr_system *system);

/* Eq. 106: the whole dies on a round wafer, and the share of them without a defect. */
double orr_dies_per_wafer(double wafer_mm, double die_mm2);
double orr_yield_frac(double die_mm2, double defects_per_cm2, double clustering);
/* Eq. 290: the area of one die, the part of all dies that links between them leave, and the edge that they leave. */
double orr_die_area_mm2(const struct orr_recipe *recipe);
double orr_useful_mm2(const struct orr_recipe *recipe);
double orr_useful_edge_mm(const struct orr_recipe *recipe);
/* Eqs. 107, 108a and 284-289: the cost of a generated machine. */
struct orr_die_cost orr_machine_cost(const struct orr_recipe *recipe, const struct orr_machine *machine);

#endif
