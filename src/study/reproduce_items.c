/* The list of studies: the name, the assumptions, the comparison and the figure of each. Figures start with the common
 * head of src/report/study.c, whose line types 1-6 are colours that colour-blind readers can tell apart. */
#include "study/reproduce.h"

/* clang-format off */

#define PARITY "set logscale xy\nset xlabel 'published, s'\nset ylabel 'predicted, s'\nset key top left\n"

/* Four panels of stacked shares, each with so many rows of the file. */
#define PANELS(title, file, rows, titles, axis, label)                                                                 \
    "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border lt -1\n"                \
    "set boxwidth 0.85\nset yrange [0:100]\nset xlabel '" axis "'\nset ylabel '" label "'\n"                           \
    "titles = '" titles "'\ncolumns = 'compute l2 dram network overhead host'\n"                                       \
    "names = 'compute L2 DRAM network overhead host'\n"                                                                \
    "set multiplot layout 2,2 title \"" title "\" margins 0.1,0.98,0.1,0.81 spacing 0.12,0.22\ndo for [i=0:3] {\n"   \
    "    set title word(titles, i+1)\n    set key off\n"                                                               \
    "    if (i == 0) { set key on at screen 0.5, screen 0.915 center top horizontal samplen 1 }\n"                     \
    "    plot for [k=1:6] '" file "' every ::(" rows "*i)::(" rows "*i+" rows "-1) using "                             \
    "(100*column(word(columns,k).'_frac')):xtic(1) lt k title word(names,k)\n}\nunset multiplot\n"

/* The second figure of the generations study: the factor of every change, and the chain in both orders. Heights are
 * logarithms to base 2, so that they add up. The reverse half of the table starts with the last change. */
#define CHANGES                                                                                                        \
    "set output 'generations_changes'.ending\nunset title\nset style fill solid 0.9 border lt -1\nset boxwidth 0.4\n"  \
    "times(x) = sprintf('{/*0.85 %.2f}', x)\nnamed(x) = stringcolumn('change').sprintf(' %.2f', x)\n"                  \
    "set multiplot title \"A100-HDR with full recomputation to B200-NVS-L with none, one change at a time\\n"          \
    "{/*0.85 GPT-175B on 8192 GPUs, per sequence; both orders multiply to the same whole}\"\n"                         \
    "set lmargin at screen 0.1\nset rmargin at screen 0.62\nset bmargin at screen 0.1\nset tmargin at screen 0.86\n"   \
    "set key top right\nset ylabel 'factor of a change'\nset xrange [-0.5:5.5]\nset yrange [0:2<*]\n"                  \
    "set xtics norotate\nset ytics ('1' 0, '1.25' 0.3219, '1.5' 0.585, '2' 1, '2.5' 1.3219, '3' 1.585, '4' 2)\n"       \
    "plot 'generations_changes.csv' every ::0::5 using (column(0)):(0):xtic(stringcolumn('change')) with impulses "    \
    "notitle, '' every ::0::5 using (column(0)-0.21):'doublings' with boxes lt 1 title 'forward: compute first', "     \
    "'' every ::6::11 using (5.21-column(0)):'doublings' with boxes lt 2 title 'reverse: batch first', "               \
    "'' every ::0::5 using (column(0)-0.21):'doublings':(times(column('speedup'))) with labels offset 0,0.6 notitle, " \
    "'' every ::6::11 using (5.21-column(0)):'doublings':(times(column('speedup'))) with labels offset 0,0.6 notitle\n"\
    "set lmargin at screen 0.7\nset rmargin at screen 0.99\nunset key\nset ylabel 'speed-up so far'\n"                 \
    "set xrange [-0.5:1.5]\nset yrange [0:4<*]\nset ytics ('1' 0, '2' 1, '4' 2, '8' 3, '16' 4)\n"                      \
    "set xtics ('forward' 0, 'reverse' 1)\nhigh(x) = log(column('total_speedup'))/log(2)\n"                            \
    "low(x) = high(x) - column('doublings')\nplot for [i=0:1] 'generations_changes.csv' every ::(6*i)::(6*i+5) using " \
    "(i):(high(0)):(i-0.45):(i+0.45):(low(0)):(high(0)):(i ? 6-column(0) : 1+column(0)) with boxxyerror lc variable, " \
    "for [i=0:1] '' every ::(6*i)::(6*i+5) using (i):((low(0)+high(0))/2):(named(column('speedup'))) with labels\n"    \
    "unset multiplot\n"

/* The third: the speed-up after every assumption. Steps that a machine does not take have another colour. */
#define PUBLISHED                                                                                                      \
    "set output 'generations_published'.ending\nreset session\nset datafile separator ','\n"                          \
    "set datafile columnheaders\nset style fill solid 0.9 border lt -1\nset boxwidth 0.7\nset border 3\n"              \
    "set tics nomirror out\nset key at graph 0.45,0.82\nset ylabel 'B200 over A100, times'\nset yrange [0:40]\n"       \
    "set xtics rotate by -25 font ',11'\nset rmargin 16\nset bmargin 7\n"                                             \
    "set title \"From our speed-up to about 35 times, one assumption after the other\\n"                              \
    "{/*0.85 GPT-175B on 8192 GPUs, per sequence}\"\n"                                                                \
    "taken(x) = stringcolumn('real') eq 'no' ? NaN : x\n"                                                              \
    "other(x) = stringcolumn('real') eq 'no' ? x : NaN\n"                                                              \
    "plot 'generations_published.csv' using 'step':(taken(column('total'))):xtic(stringcolumn('change')) with boxes "  \
    "lc rgb '#0072B2' title 'machines take this step', '' using 'step':(other(column('total'))) with boxes "           \
    "lc rgb '#E69F00' title 'an assumption', '' using 'step':'total':(sprintf('%.1f', column('total'))) with labels "  \
    "offset 0,-0.7 notitle, 35 with lines lc rgb '#888888' dt 2 title 'published: about 35'\n"

const struct orr_study_item orr_study_items[] = {
    {
        .name = "gemm",
        .title = "Matrix products against measured kernels",
        .subject = "bf16 products on one H200, timed by us",
        .input = "validation/kernels/lab/gemm.csv",
        .assumptions =
            "constants of the H200 as fitted to other tables; no constant saw these rows\n"
            "constant utilisation: the same constants without DRAM ramp, tiles, waves and launch; nothing is "
            "refitted\n"
            "A100: two products of public tables, burst clock\n"
            "bf16 products with at least 512 columns and a reduction of 512, each alone, without what belongs to the "
            "run\n",
        .compared =
            "Beside: our own timings on one H200, and two A100 products printed by LLMCompass. Bars of the method: "
            "10 % for large, 15 % for skinny products.\n"
            "Not compared: the paper's GEMM and GEMV on A100: its timings were not at hand, and the public A100 "
            "tables may not be passed on here; errors against them are in docs/accuracy.md.\n",
        .gnuplot =
            "set style data histogram\nset style fill solid 0.9 border lt -1\nset ylabel 'mean absolute error, %'\n"
            "set yrange [0:*]\n"
            "plot 'gemm.csv' using (100*column('size_dependent_frac')):xtic(stringcolumn('class')) lt 1 title "
            "'size-dependent utilisation', '' using (100*column('constant_frac')) lt 2 title 'constant utilisation'\n",
        .run = orr_study_gemm,
    },
    {
        .name = "memory",
        .title = "Memory by recomputation",
        .subject = "sequences of 2048 tokens, layers divided over 8 GPUs, 16 bits, unfused attention; SP: sequence "
                   "parallel",
        .assumptions =
            "s 2048, t 8, fp16, unfused attention; 22B b 4 p 1, 175B p 8 v 3, 530B p 35 v 3, 1T p 64\n"
            "18 bytes a parameter: 2 weight, 4 gradient, 4 master, 8 moments; matrices of the layers only\n"
            "activations: layers of the first stage, all micro-batches in flight (Eqs. 81-83, 89)\n"
            "ledger: everything Orrery counts on the fullest rank, ends, workspace and optimizer in\n",
        .compared =
            "Beside: Korthikanti et al. 2022, Fig. 1, as transcribed by Calculon: formulas themselves, so equality "
            "shows the same formula, not a measured footprint. No numbers of the paper's own figure were at hand.\n",
        .gnuplot =
            "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border lt -1\n"
            "set boxwidth 0.8\nset ylabel 'GiB of one GPU'\nset yrange [0:190]\nset xtics rotate by -60 font ',9'\n"
            "set bmargin 8\nset key top left\n"
            "set arrow from graph 0, first 74.5 to graph 1, first 74.5 nohead dt 2 lw 2 front\n"
            "set label '80 GB' at graph 1, first 80 right front\n"
            "plot 'memory.csv' using (column('parameters_gib')):xtic(stringcolumn('model').' '.stringcolumn('mode')) "
            "lt 1 title 'parameters, gradients, optimizer', '' using (column('activations_gib')) lt 2 title "
            "'activations', '' using (column(0)):(column('published_parameters_gib') + "
            "column('published_activations_gib')) with points lt -1 pt 2 title 'published sum'\n",
        .run = orr_study_memory,
    },
    {
        .name = "training",
        .title = "Training time",
        .subject = "GPT of 22 B to 1 T parameters on 8 to 3072 A100-80GB",
        .input = "validation/training.csv",
        .assumptions =
            "A100-80GB, fp16, s 2048, as validation/training.csv has them; constants from kernel timings\n"
            "SC21 rows are converted from printed TFLOP/s by Eq. 22\n",
        .compared =
            "Beside: Korthikanti et al. 2022, Table 5, measured; Narayanan et al. 2021, Table 1, runs on 1920 GPUs "
            "and more.\n"
            "Not compared: 16.9, 46.8, 87.9, 12.9, 35.5, 69.1, 34.1, 51.2 and 100.7 s, which circulate as "
            "measurements of these runs: they are another model's predictions.\n",
        .gnuplot =
            PARITY "set xrange [1:150]\nset yrange [1:150]\n"
            "set xtics (1,2,5,10,20,50,100)\nset ytics (1,2,5,10,20,50,100)\n"
            "plot x with lines lt -1 dt 2 title 'equal', 'training.csv' using 'published_s':'low_s':'high_s':'high_s':"
            "'low_s' with candlesticks lc rgb '#c0c0c0' title '4 of 5 measurements', '' using "
            "(column('published_s')):(stringcolumn('recompute') eq 'full' ? column('predicted_s') : NaN) with points "
            "lt 1 pt 7 title 'full recomputation', '' using (column('published_s')):(stringcolumn('recompute') eq "
            "'selective' ? column('predicted_s') : NaN) with points lt 2 pt 5 title 'selective, sequence parallel'\n",
        .run = orr_study_training,
    },
    {
        .name = "inference",
        .title = "Inference latency",
        .subject = "Llama-2 7B to 70B, 200 tokens in, 200 out, batch 1",
        .input = "validation/inference.csv",
        .assumptions =
            "Llama-2, 200 tokens in, 200 out, batch 1, 16 bits, tensor parallel inside a node\n"
            "TensorRT-LLM by way of NeMo: its own engine file; constants from kernel timings\n",
        .compared =
            "Beside: NVIDIA NeMo documentation as transcribed in the validation data of RAPID-LLM; second hand, the "
            "page has changed since.\n",
        .gnuplot =
            PARITY "set xrange [0.5:15]\nset yrange [0.5:15]\nset xtics (0.5,1,2,5,10)\nset ytics (0.5,1,2,5,10)\n"
            "plot x with lines lt -1 dt 2 title 'equal', 'inference.csv' using 'published_s':'low_s':'high_s':'high_s':"
            "'low_s' with candlesticks lc rgb '#c0c0c0' title '4 of 5 measurements', '' using "
            "(column('published_s')):(stringcolumn('system') eq 'a100-80g-sxm' ? column('predicted_s') : NaN) with "
            "points lt 1 pt 7 title 'A100', '' using (column('published_s')):(stringcolumn('system') eq 'h100-sxm' ? "
            "column('predicted_s') : NaN) with points lt 2 pt 5 title 'H100'\n",
        .run = orr_study_inference,
    },
    {
        .name = "generations",
        .title = "System generations, A100 to B200",
        .subject = "GPT-175B on 8192 GPUs, per sequence",
        .technology = true,
        .assumptions =
            "GPT-175B, s 2048, 8192 GPUs, B 1024 (L: 4096), per sequence; fp16 on A100, fp8 on H100 and H200, fp4 on "
            "B200\n"
            "HDR, NDR: InfiniBand of the system's file; NVS: NVLink switch over 256 (H100, H200) or 576 GPUs (B200)\n"
            "like for like: 128-8-8 data-tensor-pipeline, sequence parallel, selective recomputation, b 1, fused "
            "attention everywhere; once with 16 bits everywhere, once with each system's format\n"
            "best: the fastest plan that fits on each system (ZeRO-1, no context parallelism), the A100's too\n"
            "low formats: weight products only; attention, head and norms 16 bits; model quality is out of scope\n"
            "changes: compute is the chip with its kernels but for DRAM; a chip without a format gets it as the B200 "
            "has it, as many times its 16-bit peak; full recomputation on the A100 is not needed there and not like "
            "for like, so it is a change of its own; points that do not fit say so\n",
        .compared =
            "Beside: the paper's abstract says about 35 times, A100 to B200, following the vendor's own trend.\n"
            "Not compared: no numbers of its single systems, formats, plans and batches were at hand. Nothing in the "
            "first two tables was chosen towards 35.\n"
            "The third table takes the assumptions that are public or follow from the terms of the abstract, one after "
            "the other, as fields of requests; the fourth has them for every system. Other sets come nearer, such as "
            "hidden transfers, so that agreement would prove none of them.\n",
        .chart = "Training throughput over A100-HDR, like for like, each in its own format",
        .names = "system",
        .values = "like_speedup",
        .unit = "times",
        .gnuplot =
            "set style data histogram\nset style fill solid 0.9 border lt -1\nset ylabel 'speed-up over A100-HDR'\n"
            "set yrange [0:*]\nset key top left\nset xtics rotate by -20\n"
            "plot 'generations.csv' using 'fp16_speedup':xtic(stringcolumn('system')) lt 1 title 'like for like, 16 "
            "bits', '' using 'like_speedup' lt 2 title 'like for like, own format', '' using 'best_speedup' lt 3 "
            "title 'each at its best plan'\n"
            CHANGES PUBLISHED,
        .stack = {"What each change contributes, in both orders", "order", "change", "doublings", "doublings"},
        .run = orr_study_generations,
    },
    {
        .name = "nodes",
        .title = "Training over node, memory and network",
        .subject = "GPT of 7.5 B parameters on 1024 devices of 826 mm^2 and 400 W, deepflow nodes, the best plan at "
                   "every point",
        .technology = true,
        .assumptions =
            "GPT of 7.5 B parameters, 1024 devices, B 1024, s 2048, bf16\n"
            "A100-class design (826 mm2, 400 W) scaled by the deepflow set; constants of its kernels carry over\n"
            "memory by standard and DRAM power of the design; network per device NDR 50, XDR 100, GDR 200 GB/s, or "
            "what area and power hold\n"
            "every point: the fastest plan that fits (ZeRO-1, no context parallelism)\n"
            "best split: the plan stays, 2 restarts of the search over area, power and edge\n",
        .compared =
            "Beside: the shape the paper describes: time falls with the node, then flattens; better memory and "
            "network move the knee. Core throughput 125 to 2840 TFLOP/s of the 14 nm file: orrery technology nodes "
            "generated:design=volta,technology=deepflow.\n"
            "Not compared: no numbers of the paper's curves, workload, budgets and plans were at hand.\n",
        .chart = "Step time, the best plan at every point",
        .names = "node_nm memory network",
        .values = "step_time_s",
        .unit = "s",
        .gnuplot =
            "set logscale xy\nset xrange [13:0.9] reverse\nset yrange [0.1:4]\nset xtics (12,10,7,5,3,2,1.4,1)\n"
            "set ytics (0.1,0.2,0.5,1,2,4)\nset xlabel 'node, nm'\nset ylabel 'step, s'\n"
            "step(memory, network) = stringcolumn('memory') eq memory && stringcolumn('network') eq network ? "
            "column('step_time_s') : NaN\n"
            "low(memory, network) = step(memory, network)*column('low_s')/column('step_time_s')\n"
            "high(memory, network) = step(memory, network)*column('high_s')/column('step_time_s')\n"
            "set style fill transparent solid 0.15 noborder\n"
            "plot 'nodes.csv' using 'node_nm':(low('hbm2','ndr')):(high('hbm2','ndr')) with filledcurves lc rgb "
            "'#0072B2' title '4 of 5 machines, HBM2, NDR', '' using 'node_nm':(low('hbm4','gdr')):(high('hbm4','gdr')) "
            "with filledcurves lc rgb '#56B4E9' title '4 of 5 machines, HBM4, GDR', '' using "
            "'node_nm':(step('hbm2','ndr')) with linespoints lt 1 title 'HBM2, NDR', '' using "
            "'node_nm':(step('hbm2e','ndr')) with linespoints lt 2 title 'HBM2E, NDR', '' using "
            "'node_nm':(step('hbm3','ndr')) with linespoints lt 3 title 'HBM3, NDR', '' using "
            "'node_nm':(step('hbm4','ndr')) with linespoints lt 4 title 'HBM4, NDR', '' using "
            "'node_nm':(step('hbm4','gdr')) with linespoints lt 5 title 'HBM4, GDR', 'nodes_split.csv' using "
            "'node_nm':'best_s' with linespoints lt 6 title 'HBM2E, NDR, best split'\n",
        .run = orr_study_nodes,
    },
    {
        .name = "bounds",
        .title = "What binds training, by node",
        .technology = true,
        .assumptions =
            "as study nodes: 7.5 B parameters on 1024 devices, the best plan at every point\n"
            "a share is the time of kernels and transfers whose slowest resource it is; overhead is pipeline bubble, "
            "launches and straggling; host: the device waits for the host\n",
        .compared =
            "Beside: the paper's order, compute, then memory, then network once memory is better.\n"
            "Not compared: no numbers of its shares were at hand.\n",
        .chart = "Share of the step bound by each resource",
        .names = "node_nm memory network",
        .values = "compute_frac l2_frac dram_frac network_frac overhead_frac host_frac",
        .unit = "%",
        .gnuplot = PANELS("What binds training, by node\\n"
                          "{/*0.85 GPT of 7.5 B parameters on 1024 devices, the best plan at every point}",
                          "bounds.csv", "8",
                          "\"HBM2, NDR\" \"HBM2E, NDR\" \"HBM4, NDR\" \"HBM4, GDR\"", "node, nm",
                          "share of the step, %"),
        .run = orr_study_bounds,
    },
    {
        .name = "batch",
        .title = "What binds inference, by batch",
        .assumptions =
            "Llama-2-13B on one A100 or H100, 200 tokens in, 200 out, 16 bits, TensorRT-LLM by way of NeMo\n"
            "overhead: launches, gaps between kernels, least time of small kernels; host: scheduling and sampling\n",
        .compared =
            "Beside: the expectation of the method: decode at batch 1 is bound by memory.\n"
            "Not compared: no numbers of its shares over the batch were at hand.\n",
        .gnuplot = PANELS("What binds inference, by batch\\n"
                          "{/*0.85 Llama-2-13B on one GPU, 200 tokens in, 200 out, 16 bits}",
                          "batch.csv", "7", "\"A100, prefill\" \"H100, prefill\" \"A100, decode\" \"H100, decode\"",
                          "batch",
                          "share of the time, %"),
        .run = orr_study_batch,
    },
    {
        .name = "shapes",
        .title = "Products of a layer and what binds them",
        .subject = "Llama-2-13B, 16 bits, 200 prompt tokens, then one",
        .assumptions =
            "Llama-2-13B, t 1, 200 prompt tokens, then one; 16 bits; heads are a batch\n"
            "by ridge: intensity of Eq. 96 against peak over DRAM bandwidth; bound: Orrery's tiled roofline, which "
            "also knows L2, waves and launches\n",
        .compared =
            "Beside: labels by the ridge as the method gives them; no numbers of the paper's table were at hand, nor "
            "its model.\n",
        .gnuplot =
            "set logscale xy\nset xlabel 'FLOP per byte of DRAM'\nset ylabel 'TFLOP/s'\nset key top left\n"
            "set xrange [0.5:1000]\nset samples 2000\na100(x) = x*2.039 < 312 ? x*2.039 : 312\n"
            "h100(x) = x*3.35 < 989 ? x*3.35 : 989\n"
            "plot a100(x) with lines lt 1 title 'A100 roofline', h100(x) with lines lt 2 title 'H100 roofline', "
            "'shapes.csv' using 'flop_per_byte':(stringcolumn('system') eq 'a100-80g-sxm' ? column('tflops') : NaN) "
            "with points lt 1 pt 7 title 'A100', '' using 'flop_per_byte':(stringcolumn('system') eq 'h100-sxm' ? "
            "column('tflops') : NaN) with points lt 2 pt 5 title 'H100'\n",
        .run = orr_study_shapes,
    },
    {
        .name = "dram",
        .title = "Inference latency over DRAM and NVLink generations",
        .subject = "Llama-2-13B on 2 GPUs, 200 tokens in, 200 out, batch 1, an A100 but for memory and links",
        .technology = true,
        .assumptions =
            "Llama-2-13B, t 2, 200 + 200 tokens, batch 1, 16 bits, an A100 but for DRAM bandwidth and link rate\n"
            "GDDR6 0.6, HBM2 1.0, HBM2E 1.9, HBM3 2.6, HBM3E 4.8, HBM4 6.4, HBMX 12.8 TB/s; NVLink 3, 4, 5 at 300, "
            "450, 900 GB/s; latency of a hop, launches and host stay\n"
            "unlimited: a million TB/s; what is left is the floor; decode attention is then held by what its SMs can "
            "read, which counts as DRAM\n",
        .compared =
            "Beside: the illustration of the method, a minimal model of an A100-like die (NVLink 3).\n"
            "Not compared: no numbers of the paper's curves were at hand.\n",
        .chart = "Latency of one request by what binds",
        .names = "memory link",
        .values = "compute_s l2_s dram_s network_s overhead_s host_s",
        .unit = "s",
        .gnuplot =
            "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border lt -1\n"
            "set boxwidth 0.8\nset yrange [0:9]\nset ylabel 'latency, s (bars: NVLink 3)'\n"
            "plot 'dram.csv' every ::0::7 using 'host_s':xtic(1) lt 6 title 'host', '' every ::0::7 using "
            "'overhead_s' lt 5 title 'launches, gaps', '' every ::0::7 using 'network_s' lt 4 title 'network', '' "
            "every ::0::7 using 'l2_s' lt 2 title 'L2', '' every "
            "::0::7 using 'compute_s' lt 1 title 'compute', '' every ::0::7 using 'dram_s' lt 3 title 'DRAM', '' "
            "every ::16::23 using (column(0)):(column('latency_s')) with points lt -1 pt 4 ps 1.5 title 'NVLink 5, "
            "all of it', '' every ::0::6 using (column(0)):(column('illustrated_s')) with points lt -1 pt 2 ps 1.5 "
            "title 'minimal model', '' every ::0::7 using (column(0)+0.25):'latency_s':'low_s':'high_s' with "
            "yerrorbars lc rgb '#606060' pt 0 title '4 of 5 measurements'\n",
        .run = orr_study_dram,
    },
    {
        .name = "chiplets",
        .title = "Packages of several dies, network shapes, five kinds of parallelism",
        .subject = "1650 mm^2 of logic at 5 nm, 8 stacks of memory; B200 as estimated by Epoch AI",
        .assumptions =
            "Guo, Kundu et al. 2025 (arXiv 2507.02456), as far as its abstract goes: mixture of experts, fused "
            "attention, collectives by topology, five kinds of parallelism, cost of chiplets\n"
            "package: 1650 mm2 of logic at 5 nm, 16,988 $ a wafer, 0.1 defects per cm2; 8 stacks of 24 GB at 15 $/GB; "
            "carrier of 2739 mm2 at 0.30 $/mm2; 99 % per bond\n"
            "topologies: 64 ranks, 900 GB/s each, 0.5 us a hop, torus and mesh 4 x 4 x 4, dragonfly of 8 groups with "
            "half the rate between them; bounds without efficiencies\n"
            "plans: Mixtral-8x7B, 8192 tokens, 256 sequences a step, 128 H100, not tuned\n",
        .compared =
            "Beside: the estimate of a B200's cost by Epoch AI (2025), 5,700 to 7,300 $.\n"
            "Not compared: formulas, systems, validation and results of the paper could not be read; none is stated. "
            "Its fused attention is a sum of load, products, pointwise work and store, where Orrery takes the longer "
            "of compute and memory; the last column of the plans has the ratio of both.\n",
        .chart = "Cost of a package by dies and harvesting",
        .names = "dies harvested_frac",
        .values = "dies_usd memory_usd interposer_usd losses_usd",
        .unit = "$",
        .gnuplot =
            "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border lt -1\n"
            "set boxwidth 0.75\nset yrange [0:9000]\nset xrange [-0.6:3.6]\nset xlabel 'dies of the package'\n"
            "set ylabel 'cost of a package, $'\nset key outside right\n"
            "plot 'chiplets.csv' every ::0::3 using 'memory_usd':xtic(1) lt 1 title 'memory', '' every ::0::3 using "
            "'dies_usd' lt 2 title 'logic dies', '' every ::0::3 using 'interposer_usd' lt 3 title 'interposer', '' "
            "every ::0::3 using 'losses_usd' lt 4 title 'losses, tests', '' every ::4::7 using "
            "(column(0)):(column('package_usd')) with points lt -1 pt 6 ps 1.5 title 'half of faulty sold', '' every "
            "::0::3 using (column(0)):((column('published_low_usd')+column('published_high_usd'))/2):"
            "'published_low_usd':'published_high_usd' with yerrorbars lt -1 pt 2 title 'B200, published'\n",
        .run = orr_study_chiplets,
    },
};
const size_t orr_n_study_items = sizeof orr_study_items / sizeof *orr_study_items;
