/* The table of all options: it serves to parse the command line (args.c), to build the request (request.c) and to print
 * --help. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */

#define HEADING(text, for_) {.kind = CLI_HEADING, .commands = (for_), .help = (text)}
#define TOP(name_, also, arg, text) \
    {.name = (name_), .aliases = (also), .argument = (arg), .kind = CLI_TEXT, .keys = (name_), \
     .commands = CLI_FOR_JOB, .help = (text)}
#define FIELD_OF(name_, also, arg, section_, key_, for_, text) \
    {.name = (name_), .aliases = (also), .argument = (arg), .kind = CLI_TEXT, .section = (section_), \
     .keys = (key_), .commands = (for_), .help = (text)}
#define FIELD(name_, also, arg, section_, key_, text) \
    FIELD_OF(name_, also, arg, section_, key_, CLI_FOR_TRAIN, text)
#define SERVE(name_, also, arg, section_, key_, text) \
    FIELD_OF(name_, also, arg, section_, key_, CLI_FOR_INFER, text)
#define SWITCH(name_, also, section_, keys_, for_, text) \
    {.name = (name_), .aliases = (also), .kind = CLI_BOOL, .section = (section_), .keys = (keys_), \
     .commands = (for_), .help = (text)}
#define WORD(name_, section_, key_, word_, for_, text) \
    {.name = (name_), .aliases = "", .kind = CLI_WORD, .section = (section_), .keys = (key_), .word = (word_), \
     .commands = (for_), .help = (text)}
#define FORMAT(name_, format_, for_, text) \
    {.name = (name_), .aliases = "", .kind = CLI_FORMAT, .format = (format_), .commands = (for_), .help = (text)}
#define ACTION(name_, also, arg, kind_, for_, text) \
    {.name = (name_), .aliases = (also), .argument = (arg), .kind = (kind_), .commands = (for_), .help = (text)}
#define OWN(name_, arg, for_, text) \
    {.name = (name_), .aliases = "", .argument = (arg), .kind = CLI_OWN, .commands = (for_), .help = (text)}
#define DUMP(stages, for_, text) \
    {.name = "dump", .aliases = "", .argument = "STAGE", .kind = CLI_DUMP, .keys = (stages), .commands = (for_), \
     .help = (text)}

static const struct cli_option options[] = {
    HEADING("Job", CLI_FOR_JOB),
    TOP("model", "", "ID|FILE", "a model by id or Hugging Face name, a config.json or its folder"),
    TOP("system", "", "ID|FILE", "a catalogue system, or a JSON file"),
    TOP("gpus", "num-gpus world-size", "N", "GPUs in all"),
    FIELD_OF("engine", "", "ID|FILE", "workload", "engine", CLI_FOR_JOB, "software stack"),
    HEADING("Plan", CLI_FOR_JOB),
    FIELD("tp", "tensor-model-parallel-size tensor-parallel-size", "N", "plan", "tp", "tensor parallel"),
    FIELD("pp", "pipeline-model-parallel-size pipeline-parallel-size", "N", "plan", "pp", "pipeline parallel"),
    FIELD("vpp", "virtual-pipeline-model-parallel-size", "N", "plan", "vpp", "model chunks per pipeline rank"),
    FIELD("dp", "data-parallel-size", "N", "plan", "dp", "data parallel; default: the GPUs that are left"),
    FIELD("cp", "context-parallel-size", "N", "plan", "cp", "context parallel"),
    FIELD("ep", "expert-model-parallel-size expert-parallel-size", "N", "plan", "ep", "expert parallel"),
    SERVE("tp", "tensor-parallel-size tp-size", "N", "plan", "tp", "tensor parallel"),
    SERVE("pp", "pipeline-parallel-size pp-size", "N", "plan", "pp", "pipeline parallel"),
    SERVE("dp", "data-parallel-size dp-size", "N", "plan", "dp", "replicas; default: the GPUs that are left"),
    SERVE("cp", "context-parallel-size cp-size", "N", "plan", "cp", "context parallel: shortens the prefill"),
    SERVE("ep", "expert-parallel-size ep-size", "N", "plan", "ep", "expert parallel"),
    FIELD_OF("etp", "expert-tensor-parallel-size", "N", "plan", "etp", CLI_FOR_JOB,
             "tensor parallel inside an expert"),
    {.name = "sp", .aliases = "sequence-parallel", .kind = CLI_BOOL, .section = "plan", .keys = "sp", .word = "auto",
     .commands = CLI_FOR_TRAIN, .help = "sequence parallel; --sp auto: whichever is faster"},
    FIELD("zero", "zero-stage", "0-3", "plan", "zero", "sharding of optimizer, gradients, weights"),
    WORD("use-distributed-optimizer", "plan", "zero", "1", CLI_FOR_TRAIN, "same as --zero 1"),
    FIELD("zero-secondary", "zero-hpz-partition-size", "N", "plan", "zero_secondary",
          "ZeRO-3: ranks that keep second shards for backward"),
    FIELD("zero-group", "", "N", "plan", "zero_group", "ranks that share one copy; default: dp * cp"),
    FIELD("schedule", "", "NAME", "plan", "schedule",
          "gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v, v-half, dualpipe, dualpipe-v"),
    SWITCH("reshard", "reshard-after-forward", "plan", "reshard_after_forward", CLI_FOR_TRAIN,
           "ZeRO-3 gathers weights again for backward; --no-: they stay"),
    FIELD("offload", "", "LIST", "plan", "offload",
          "optimizer=cpu, parameters=nvme, activations=cpu, gradients=none: kept by the host"),
    FIELD("stages", "", "NAME", "plan", "stages", "layers of pipeline ranks: engine, even, by-cost"),
    FIELD("cp-kind", "", "NAME", "plan", "cp_kind", "ring, allgather, ulysses"),
    FIELD("overlap", "", "LIST", "plan", "overlap", "transfers beside compute: all, none, or a list of tp,ep,pp,dp"),
    {.name = "stage-layers", .aliases = "", .argument = "N,N,...", .kind = CLI_LIST, .section = "plan",
     .keys = "stage_layers", .commands = CLI_FOR_TRAIN, .help = "layers of each pipeline rank"},
    HEADING("Workload", CLI_FOR_JOB),
    FIELD("seq", "seq-length seq-len", "N", "workload", "seq", "tokens in a sequence"),
    FIELD("micro-batch", "micro-batch-size", "N", "workload", "micro_batch", "sequences in a micro-batch"),
    FIELD("global-batch", "global-batch-size", "N", "workload", "global_batch", "sequences in a step"),
    SERVE("batch", "batch-size max-num-seqs", "N", "workload", "batch", "sequences of one replica at once"),
    SERVE("input", "input-len isl", "N", "workload", "input_len", "tokens of a prompt"),
    SERVE("output", "output-len osl", "N", "workload", "output_len", "tokens of an answer; 1: prefill only"),
    FIELD("precision", "dtype", "NAME", "workload", "precision", "format of matrix inputs: bf16, fp16, fp8, ..."),
    SERVE("precision", "dtype", "NAME", "workload", "precision",
          "format of the weights, bf16, fp8, awq, ...; default: as published"),
    WORD("bf16", "workload", "precision", "bf16", CLI_FOR_JOB, "same as --precision bf16"),
    WORD("fp16", "workload", "precision", "fp16", CLI_FOR_JOB, "same as --precision fp16"),
    SERVE("matrix-precision", "", "NAME", "workload", "matrix_precision",
          "format of the products; default: the weights', or 16 bit"),
    SERVE("kv-precision", "kv-cache-dtype", "NAME", "workload", "kv_precision",
          "format of the cache: bf16, fp8, int4, nvfp4, ..."),
    FIELD_OF("comm-precision", "", "NAME", "workload", "comm_precision", CLI_FOR_JOB,
             "format between GPUs: bf16, fp8, fp4, ..."),
    FIELD_OF("activation-precision", "", "NAME", "workload", "activation_precision", CLI_FOR_JOB,
             "format of activations in memory: bf16, fp8, fp4, ..."),
    FIELD_OF("attention-precision", "", "NAME", "workload", "attention_precision", CLI_FOR_JOB,
             "format of the products of attention: bf16, fp8, ..."),
    SWITCH("ideal-overheads", "", "workload", "ideal_overheads", CLI_FOR_JOB,
           "no fixed times of kernels and host, no late ranks"),
    SERVE("prefix-hit", "", "X", "workload", "prefix_hit_frac", "share of the prompt already in the cache"),
    SERVE("chunk-tokens", "chunked-prefill-size", "N", "workload", "chunk_tokens",
          "tokens of the prompt per step; 0: all at once"),
    SERVE("draft-model", "", "ID|FILE", "workload", "draft_model",
          "model of speculative decoding; mtp: the model's own layers"),
    SERVE("draft-tokens", "num-speculative-tokens", "N", "workload", "draft_tokens", "tokens drafted per step"),
    SERVE("draft-accept", "", "X", "workload", "draft_accept_frac", "chance that a drafted token is accepted"),
    SWITCH("disaggregated", "", "workload", "disaggregated", CLI_FOR_INFER, "prefill and decode on different GPUs"),
    SWITCH("two-batch-overlap", "enable-two-batch-overlap enable-dbo", "workload", "two_batch_overlap", CLI_FOR_INFER,
           "half a batch computes while the other exchanges"),
    SWITCH("expert-copies", "enable-eplb", "workload", "expert_copies", CLI_FOR_INFER,
           "busy experts have copies; these seven: default by engine"),
    SWITCH("graphs", "cuda-graphs", "workload", "graphs", CLI_FOR_INFER, "decode steps are replayed as graphs"),
    WORD("enforce-eager", "workload", "graphs", "false", CLI_FOR_INFER, "same as --no-graphs"),
    SWITCH("async-scheduling", "", "workload", "async_scheduling", CLI_FOR_INFER,
           "the host prepares a step beside the one before"),
    SWITCH("chunked-prefill", "enable-chunked-prefill", "workload", "chunked_prefill", CLI_FOR_INFER,
           "serving: prompts that do not fit are cut"),
    SWITCH("prefix-cache", "enable-prefix-caching", "workload", "prefix_cache", CLI_FOR_INFER,
           "serving: beginnings of prompts are found again"),
    SWITCH("server", "", "workload", "server", CLI_FOR_INFER, "requests over HTTP; --no-server: in one process"),
    FIELD("recompute", "recompute-granularity", "NAME", "workload", "recompute",
          "none, selective, full, core, selective-op, ..."),
    FIELD("recompute-ops", "recompute-modules", "LIST", "workload", "recompute_ops",
          "recompute these: norm,qkv,core,out,mlp_up,mlp_act,expert_up,expert_act,dispatch"),
    FIELD("fp8-recipe", "", "NAME", "workload", "fp8_recipe", "scaling: delayed, tensorwise, rowwise, mxfp8, …"),
    FIELD("optimizer", "", "NAME", "workload", "optimizer", "adamw, adamw-bf16, adamw-8bit, muon, sgd, …"),
    FIELD("gradient-precision", "", "NAME", "workload", "gradient_precision",
          "format gradients are added up in: engine, fp32, bf16"),
    SWITCH("optimizer-in-backward", "optimizer-in-bwd", "workload", "optimizer_in_backward", CLI_FOR_TRAIN,
           "update weights as backward makes their gradients"),
    SWITCH("layer-graphs", "enable-cuda-graph", "workload", "layer_graphs", CLI_FOR_TRAIN,
           "replay the passes of a layer as captured graphs"),
    FIELD("adapter", "", "SPEC", "workload", "adapter", "lora, dora or qlora:rank=16,targets=all,base=nf4,format=fp32"),
    FIELD("frozen", "", "LIST", "workload", "frozen", "untrained parts: embeddings,layers:N,head,tower"),
    FIELD("recompute-every", "recompute-num-layers", "N", "workload", "recompute_every",
          "full: layers per saved input"),
    FIELD("recompute-first", "", "N", "workload", "recompute_first", "recompute only N first layers of a chunk"),
    FIELD("recompute-nth", "", "N", "workload", "recompute_nth", "recompute only every Nth layer"),
    FIELD("attention", "", "NAME", "workload", "attention", "unfused, flash, or a kernel by name"),
    WORD("use-flash-attn", "workload", "attention", "flash", CLI_FOR_TRAIN, "same as --attention flash"),
    SWITCH("dropout", "", "workload", "attention_dropout hidden_dropout", CLI_FOR_TRAIN, "both dropouts"),
    SWITCH("attention-dropout", "", "workload", "attention_dropout", CLI_FOR_TRAIN, "dropout on the attention scores"),
    SWITCH("hidden-dropout", "", "workload", "hidden_dropout", CLI_FOR_TRAIN, "dropout on the hidden state"),
    SWITCH("causal", "", "workload", "causal", CLI_FOR_TRAIN, "causal mask"),
    FIELD("moe-capacity", "moe-expert-capacity-factor", "X", "workload", "moe_capacity",
          "rows of every expert over the mean, cut off or filled up"),
    FIELD_OF("moe-imbalance", "", "X", "workload", "moe_imbalance", CLI_FOR_JOB,
             "rows on the hottest expert rank over the mean"),
    FIELD("mtp-layers", "mtp-num-layers", "N", "workload", "mtp_layers",
          "multi-token prediction layers trained too; default: by engine and model"),
    FIELD_OF("images", "", "N", "workload", "images", CLI_FOR_JOB,
             "images of a sequence, for models with a vision tower"),
    FIELD_OF("image-size", "", "WxH", "workload", "image_size", CLI_FOR_JOB,
             "pixels of an image, or of each of its sides; default 1024"),
    FIELD_OF("audio-seconds", "", "X", "workload", "audio_s", CLI_FOR_JOB, "sound of a sequence, at most 30 s"),
    FIELD_OF("encoder-tokens", "", "N", "workload", "encoder_tokens", CLI_FOR_JOB,
             "tokens that an encoder of text reads; default: by the model"),
    HEADING("Anything else", CLI_FOR_JOB | CLI_FOR_MANY | CLI_FOR_SERVE | CLI_FOR_FIT | CLI_FOR_MCP),
    ACTION("set", "", "PATH=VALUE", CLI_SET, CLI_FOR_JOB,
           "override a field: chip.hbm_bytes_per_s=\"4 TB/s\"; repeatable"),
    ACTION("request", "", "FILE|-", CLI_REQUEST, CLI_FOR_JOB, "start from a JSON request; options override it"),
    ACTION("catalogue", "catalog", "DIR", CLI_CATALOGUE,
           CLI_FOR_ALL | CLI_FOR_STUDY | CLI_FOR_SERVE | CLI_FOR_FIT | CLI_FOR_MCP,
           "add your own models/, chips/, ...; repeatable"),
    OWN("max-mape", "X", CLI_FOR_VALIDATE, "exit 1 if the mean error is above X (0.05 or 5%)"),
    OWN("by", "FIELD,...", CLI_FOR_VALIDATE, "also group by columns: model, engine, precision, tp, ..."),
    OWN("record", "FOLDER", CLI_FOR_VALIDATE, "write errors.json and the C tables of --intervals and --runs there"),
    OWN("where", "FIELD=VALUE,...", CLI_FOR_VALIDATE, "only rows with these values; none after =: not given"),
    OWN("without", "PIECE,...", CLI_FOR_VALIDATE, "leave pieces of physics out: see below"),
    FIELD_OF("chip", "", "ID", NULL, "chip", CLI_FOR_CALIBRATE, "chip of the tables; default: the folder's name"),
    OWN("fabric", "ID", CLI_FOR_CALIBRATE, "fit this network to collectives between nodes, not a chip"),
    OWN("collectives", NULL, CLI_FOR_VALIDATE, "score collectives between nodes: tables, outputs of nccl-tests"),
    OWN("system", "ID", CLI_FOR_CALIBRATE | CLI_FOR_VALIDATE, "--fabric, --collectives: where all rows were measured"),
    HEADING("Runs", CLI_FOR_FIT),
    OWN("run", "CELLS:METRIC=X", CLI_FOR_FIT, "one run: 'tp=8,pp=4,...:step_time_s=12.3'; repeatable"),
    OWN("with", "COLUMN=VALUE", CLI_FOR_FIT, "a column that the file or log does not have; repeatable"),
    OWN("skip", "N", CLI_FOR_FIT, "logs: first iterations that do not count; default: 5"),
    HEADING("Stack", CLI_FOR_FIT),
    OWN("engine", "ID|FILE", CLI_FOR_FIT, "parent; default: the engine of the rows, or generic or vllm"),
    OWN("name", "NAME", CLI_FOR_FIT, "name of the stack; default: my-stack"),
    OWN("few-shot", NULL, CLI_FOR_FIT, "instead: what 0 to 10 runs are worth on the measurements of orrery"),
    OWN("draws", "N", CLI_FOR_FIT, "--few-shot: random draws of each size; default: 100"),
    OWN("source", "TEXT", CLI_FOR_FIT, "--few-shot: only sources whose name has this text"),
    OWN("exact", NULL, CLI_FOR_FIT, "--few-shot: predict anew in every fit, not along straight lines; slow"),
    HEADING("Search", CLI_FOR_MANY),
    OWN("search", NULL, CLI_FOR_SWEEP, "find the best plan at every point; plan options may be lists"),
    FIELD_OF("objective", "", "NAME", "search", "objective", CLI_FOR_MANY, "time, throughput, cost, energy, memory"),
    ACTION("where", "", "KEY<=VALUE", CLI_WHERE, CLI_FOR_MANY, "a limit on any number of the result; repeatable"),
    FIELD_OF("top", "", "N", "search", "top", CLI_FOR_SEARCH, "number of plans to list, one per layout"),
    FIELD_OF("within", "", "X", "search", "front_within", CLI_FOR_SEARCH, "the front ends at X times the fastest"),
    FIELD_OF("compare", "", "tp=8,...", "search", "compare", CLI_FOR_SEARCH, "also show where this plan would rank"),
    SWITCH("overlap-options", "", "search", "overlap", CLI_FOR_MANY, "train: also plans with an overlap off"),
    FIELD_OF("concurrency", "users", "N", "search", "concurrency", CLI_FOR_SEARCH,
             "infer: times and rates under so many users"),
    FIELD_OF("rate", "", "X", "search", "rate_per_s", CLI_FOR_SEARCH,
             "infer: times and rates at X requests per second"),
    SWITCH("brute", "", "search", "brute", CLI_FOR_MANY, "time every plan that fits: same answer, slower"),
    HEADING("Traffic", CLI_FOR_TRAFFIC),
    FIELD_OF("rate", "", "X", "traffic", "rate_per_s", CLI_FOR_TRAFFIC, "requests per second: 12 or 12/s"),
    FIELD_OF("concurrency", "users", "N", "traffic", "concurrency", CLI_FOR_TRAFFIC, "users who ask again"),
    FIELD_OF("like", "", "NAME", "traffic", "like", CLI_FOR_TRAFFIC, "traffic of the catalogue: orrery list traffic"),
    FIELD_OF("trace", "", "FILE", "traffic", "trace", CLI_FOR_TRAFFIC, "CSV with arrival_s, input_len, output_len"),
    FIELD_OF("arrival", "", "NAME", "traffic", "arrival", CLI_FOR_TRAFFIC,
             "poisson, gamma, constant, closed, saturated, trace, diurnal"),
    FIELD_OF("router", "", "NAME", "traffic", "router", CLI_FOR_TRAFFIC,
             "round-robin, least-loaded, power-of-two, prefix, session"),
    FIELD_OF("burstiness", "", "X", "traffic", "burstiness", CLI_FOR_TRAFFIC, "gamma: shape of the gaps; 1 is Poisson"),
    FIELD_OF("swing", "", "X", "traffic", "swing_frac", CLI_FOR_TRAFFIC, "diurnal: amplitude over the mean rate"),
    FIELD_OF("period", "", "TIME", "traffic", "period_s", CLI_FOR_TRAFFIC, "diurnal: length of a day"),
    FIELD_OF("think", "", "TIME", "traffic", "think_s", CLI_FOR_TRAFFIC, "mean pause of a user between two requests"),
    FIELD_OF("requests", "", "N", "traffic", "requests", CLI_FOR_TRAFFIC, "requests of the run"),
    FIELD_OF("duration", "", "TIME", "traffic", "duration_s", CLI_FOR_TRAFFIC, "no request arrives after this"),
    FIELD_OF("warmup", "", "TIME", "traffic", "warmup_s", CLI_FOR_TRAFFIC, "requests that arrive earlier do not count"),
    FIELD_OF("max-output", "", "N", "traffic", "max_output_len", CLI_FOR_TRAFFIC, "output that engines reserve"),
    FIELD_OF("prefix-share", "", "X", "traffic", "prefix_share", CLI_FOR_TRAFFIC, "share of a prompt that others have"),
    FIELD_OF("prefix-groups", "", "N", "traffic", "prefix_groups", CLI_FOR_TRAFFIC, "groups with a common prefix"),
    FIELD_OF("session-share", "", "X", "traffic", "session_share", CLI_FOR_TRAFFIC, "requests that follow another"),
    FIELD_OF("session-gap", "", "N", "traffic", "session_gap", CLI_FOR_TRAFFIC, "requests between the two, mean"),
    FIELD_OF("urgent-share", "", "X", "traffic", "urgent_share", CLI_FOR_SERVING, "share of requests that go first"),
    FIELD_OF("adapters", "", "N", "traffic", "adapters", CLI_FOR_SERVING, "LoRA adapters among the requests"),
    FIELD_OF("adapter-rank", "", "N", "traffic", "adapter_rank", CLI_FOR_SERVING, "their rank; default: 16"),
    FIELD_OF("seed", "", "N", "traffic", "seed", CLI_FOR_TRAFFIC, "equal seeds give equal runs; default: 0"),
    {.name = "slo", .aliases = "", .argument = "KEY<=TIME", .kind = CLI_WHERE, .keys = "slo",
     .commands = CLI_FOR_TRAFFIC, .help = "a limit: ttft_s.p99<=1 s, tpot_s.p95<=40 ms; repeatable"},
    OWN("closed-form", NULL, CLI_FOR_SERVING, "the means of the steady state, in microseconds and without events"),
    HEADING("Deployment", CLI_FOR_SERVING),
    {.name = "pool", .aliases = "", .argument = "ROLE,KEY=X,...", .kind = CLI_WHERE, .keys = "deployment.pools",
     .commands = CLI_FOR_SERVING, .help = "a further pool: decode,system=h200-sxm,tp=8,dp=2; repeatable"},
    {.name = "fail", .aliases = "", .argument = "KEY=X,...", .kind = CLI_WHERE, .keys = "deployment.failures",
     .commands = CLI_FOR_SERVING, .help = "a replica stops: replica=0,at_s=100,down_s=60; repeatable"},
    FIELD_OF("autoscale", "", "KEY=X,...", "deployment", "autoscale", CLI_FOR_SERVING,
             "replicas by load: least=1,most=8,requests=32,start_s=60"),
    FIELD_OF("max-outstanding", "", "N", "deployment", "max_outstanding", CLI_FOR_SERVING,
             "a replica with N unfinished requests gets no more"),
    HEADING("Size", CLI_FOR_SIZE),
    FIELD_OF("budget", "", "X", "size", "budget", CLI_FOR_SIZE, "\"64 GPUs\" or \"$40/h\"; default: 64 GPUs"),
    FIELD_OF("objective", "", "NAME", "size", "objective", CLI_FOR_SIZE, "cost or gpus; default: cost"),
    FIELD_OF("batch-limits", "", "N,...", "size", "batch", CLI_FOR_SIZE, "limits of sequences in a step to try"),
    FIELD_OF("chunk-limits", "", "N,...", "size", "chunk", CLI_FOR_SIZE, "limits of tokens in a step to try"),
    OWN("threads", "N", CLI_FOR_SIZE, "number of threads; default: all cores"),
    HEADING("Sweep", CLI_FOR_SWEEP),
    OWN("vary", "FIELD=VALUES", CLI_FOR_SWEEP, "an option or a path of --set: tp=1,2,4; repeatable"),
    OWN("zip", NULL, CLI_FOR_SWEEP, "pair values by position; default: every combination"),
    OWN("sample", "N", CLI_FOR_SWEEP, "N points of a Latin hypercube"),
    OWN("seed", "N", CLI_FOR_SWEEP, "seed of the sample; default: 0"),
    OWN("threads", "N", CLI_FOR_MANY, "number of threads; default: all cores"),
    HEADING("Server", CLI_FOR_SERVE),
    OWN("port", "N", CLI_FOR_SERVE, "default: 8080; 0: any free port"),
    OWN("bind", "ADDRESS", CLI_FOR_SERVE, "default: 127.0.0.1, only this machine; 0.0.0.0: every network"),
    OWN("host", "NAME", CLI_FOR_SERVE, "a further name browsers may use, such as https://orrery.example"),
    OWN("threads", "N", CLI_FOR_SERVE, "number of threads that answer; default: one per core"),
    OWN("explorer", "URL", CLI_FOR_MCP, "address of a running explorer, for links; default: http://127.0.0.1:8080/"),
    OWN("connections", "N", CLI_FOR_SERVE, "most connections at once; default: 1024"),
    OWN("connections-per-address", "N", CLI_FOR_SERVE, "default: 64, and this machine without limit"),
    OWN("timeout", "S", CLI_FOR_SERVE, "seconds in which a whole request must arrive; default: 10"),
    OWN("access-log", "FILE", CLI_FOR_SERVE, "a line per request; -: on standard error"),
    OWN("log-format", "FORMAT", CLI_FOR_SERVE, "of the access log and of warnings: text (default) or json"),
    HEADING("Technology", CLI_FOR_TECHNOLOGY),
    OWN("tokens", "N", CLI_FOR_TECHNOLOGY, "cost: tokens of a whole training run, e.g. 300G"),
    OWN("objective", "NAME", CLI_FOR_TECHNOLOGY, "optimise: time (of a step, or latency), energy, cost"),
    OWN("optimiser", "NAME", CLI_FOR_TECHNOLOGY, "optimise: search, gradient, grid"),
    OWN("also", "FILE[:W],...", CLI_FOR_TECHNOLOGY, "optimise: further requests on the same chip, with weights"),
    OWN("free", "SHARE,...", CLI_FOR_TECHNOLOGY, "optimise: shares that may change; default: all"),
    OWN("restarts", "N", CLI_FOR_TECHNOLOGY, "optimise: random starts"),
    OWN("grid-steps", "N", CLI_FOR_TECHNOLOGY, "optimise: steps of a whole budget in a grid; default: 10"),
    OWN("seed", "N", CLI_FOR_TECHNOLOGY, "optimise: seed of the random starts; default: 0"),
    HEADING("Output", CLI_FOR_ALL | CLI_FOR_STUDY | CLI_FOR_FIT),
    OWN("out", "FILE", CLI_FOR_FIT, "write the stack as an engine file; -: only that; --few-shot: the table as CSV"),
    OWN("date", "TEXT", CLI_FOR_FIT, "a date for the sources of that file"),
    OWN("out", "FILE", CLI_FOR_SWEEP, "FILE.db (SQLite) or FILE.csv, resumed if it exists"),
    OWN("table", NULL, CLI_FOR_SWEEP, "the main numbers as a table; the default on a terminal without --out"),
    OWN("csv", NULL, CLI_FOR_SWEEP, "every number as CSV on standard output; the default elsewhere"),
    OWN("out", "DIR", CLI_FOR_TECHNOLOGY, "study: write CSV, JSON, gnuplot script and figure there"),
    OWN("out", "DIR", CLI_FOR_REPRODUCE, "folder for everything; default: results"),
    FIELD_OF("out", "", "FILE", NULL, "out", CLI_FOR_CALIBRATE, "write a complete calibration file; -: only that"),
    FIELD_OF("date", "", "TEXT", NULL, "date", CLI_FOR_CALIBRATE, "a date for the sources of that file"),
    FORMAT("json", ORR_FORMAT_JSON,
           CLI_FOR_ALL | CLI_FOR_SEARCH | CLI_FOR_HARDWARE | CLI_FOR_FIT | CLI_FOR_TRAFFIC | CLI_FOR_COMPARE, "JSON"),
    FORMAT("csv", ORR_FORMAT_CSV, CLI_FOR_TABLES & ~CLI_FOR_COMPARE, "CSV"),
    FORMAT("explain", ORR_FORMAT_EXPLAIN, CLI_FOR_JOB, "every term with its formula"),
    FORMAT("ops", ORR_FORMAT_OPS, CLI_FOR_INFER, "every operator with its cost"),
    DUMP("ops costs ledger timeline memory", CLI_FOR_JOB, "a stage as JSON: ops, costs, ledger, timeline, memory"),
    ACTION("trace", "", "FILE", CLI_TRACE, CLI_FOR_TRAIN,
           "also write the step for Perfetto or chrome://tracing; -: only that"),
    ACTION("trace", "", "FILE", CLI_TRACE, CLI_FOR_INFER,
           "also write the request for Perfetto or chrome://tracing; -: only that"),
    OWN("trace-out", "FILE", CLI_FOR_SERVING, "also write steps and requests for Perfetto; -: only that"),
    OWN("what-if", NULL, CLI_FOR_TRAIN, "also predict every single change, and 10 % more of each hardware rate"),
    OWN("launch", "DIR", CLI_FOR_JOB | CLI_FOR_SEARCH | CLI_FOR_SIZE, "also write scripts that run the plan"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_JOB,
           "also write one page: charts, operators, formulas, data; -: only that"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_VALIDATE, "also write one page: scatter and tables; -: only that"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_SERVING, "also write one page: distributions, batch over time"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_SIZE, "also write one page: cost against latency; -: only that"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_SEARCH, "also write one page: plans and front; -: only that"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_SWEEP, "also write one page: a plot and a table of 2000 points"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_HARDWARE | CLI_FOR_CALIBRATE | CLI_FOR_FIT,
           "also write one page: charts, the report and its data; -: only that"),
    ACTION("html", "", "FILE", CLI_HTML, CLI_FOR_LIST | CLI_FOR_SHOW | CLI_FOR_COMPARE,
           "also write one page: the report and its data; -: only that"),
    OWN("diff", NULL, CLI_FOR_SHOW, "two parts: the facts in which they differ"),
    OWN("facts", NULL, CLI_FOR_SHOW, "chips, systems too: every fact with its meaning and source; also as JSON"),
    OWN("kind", "KIND", CLI_FOR_LIST, "only engines for training or for serving"),
    OWN("all", NULL, CLI_FOR_LIST, "also models that are only shapes of papers and benchmarks"),
    FORMAT("intervals", ORR_FORMAT_INTERVALS, CLI_FOR_VALIDATE, "the 80 % intervals the rows give, as a C table"),
    FORMAT("runs", ORR_FORMAT_RUNS, CLI_FOR_VALIDATE, "measured runs that answers are compared with, as a C table"),
    OWN("unseen", NULL, CLI_FOR_VALIDATE, "predict every source as if nobody had seen it"),
    OWN("ablation", NULL, CLI_FOR_VALIDATE, "errors with everything and without each piece"),
    ACTION("width", "", "N", CLI_WIDTH, CLI_FOR_TABLES | CLI_FOR_REPRODUCE, "columns of the terminal, from 60"),
    ACTION("no-colour", "no-color", NULL, CLI_NO_COLOUR, CLI_FOR_TABLES,
           "no colours, as with NO_COLOR set"),
    ACTION("help", "", NULL, CLI_HELP,
           CLI_FOR_ALL | CLI_FOR_STUDY | CLI_FOR_SERVE | CLI_FOR_FIT | CLI_FOR_MCP, "this text"),
};
static const size_t n_options = sizeof options / sizeof *options;

/* clang-format on */

/* Is `word` (n characters) one of the space-separated words of `list`? */
static bool in_list(const char *list, const char *word, size_t n)
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, word, n) == 0) return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

/* Does a command have the option? A study also has those options of the command it repeats that make up the request. */
static bool belongs(const struct cli_option *option, unsigned command)
{
    const bool request = option->kind == CLI_HEADING || option->kind == CLI_TEXT || option->kind == CLI_LIST ||
                         option->kind == CLI_BOOL || option->kind == CLI_WORD || option->kind == CLI_SET ||
                         option->kind == CLI_REQUEST;
    if (command & option->commands & CLI_FOR_STUDY) return true;
    return (option->commands & command) && (request || !(command & CLI_FOR_STUDY));
}

const char *cli_option_of(const char *key)
{
    for (size_t i = 0; i < n_options; i++)
        if (options[i].keys && options[i].kind == CLI_TEXT && strcmp(options[i].keys, key) == 0) return options[i].name;
    return NULL;
}

const struct cli_option *cli_option_find(const char *name, size_t n, unsigned command)
{
    for (size_t i = 0; i < n_options; i++) {
        const struct cli_option *option = &options[i];
        if (option->kind == CLI_HEADING || !belongs(option, command)) continue;
        if (in_list(option->name, name, n) || in_list(option->aliases, name, n)) return option;
    }
    return NULL;
}

/* Another command that has this option; NULL if there is none. */
static const char *other_command(const char *flag, size_t n)
{
    static const struct {
        unsigned command;
        const char *name;
    } commands[] = {{CLI_FOR_TRAIN, "train"},           {CLI_FOR_INFER, "infer"},     {CLI_FOR_VALIDATE, "validate"},
                    {CLI_FOR_CALIBRATE, "calibrate"},   {CLI_FOR_SWEEP, "sweep"},     {CLI_FOR_SEARCH, "search"},
                    {CLI_FOR_TECHNOLOGY, "technology"}, {CLI_FOR_SERVING, "serving"}, {CLI_FOR_SIZE, "size"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (cli_option_find(flag, n, commands[i].command)) return commands[i].name;
    return NULL;
}

enum cli_status cli_option_fail(const char *flag, size_t n, unsigned command)
{
    const char *other = other_command(flag, n);
    if (other) return cli_fail("unknown option --%.*s (an option of orrery %s)", (int)n, flag, other);
    const char *names[sizeof options / sizeof *options];
    size_t n_names = 0;
    for (size_t i = 0; i < n_options; i++)
        if (options[i].kind != CLI_HEADING && belongs(&options[i], command)) names[n_names++] = options[i].name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), flag);
    const char *near = cli_nearest(word, names, n_names);
    if (near) return cli_fail("unknown option --%s (did you mean --%s?)", word, near);
    return cli_fail("unknown option --%s (see --help)", word);
}

static bool can_vary(const struct cli_option *option, unsigned command)
{
    return (option->kind == CLI_TEXT || option->kind == CLI_BOOL) && belongs(option, command);
}

static enum cli_status fail_field(const char *of, const char *name, unsigned command)
{
    const char *names[sizeof options / sizeof *options];
    size_t n_names = 0;
    if (cli_option_find(name, strlen(name), command)) return cli_fail("%s %s: --%s cannot be varied", of, name, name);
    const struct cli_option *other = cli_option_find(name, strlen(name), CLI_FOR_JOB);
    if (other && !can_vary(other, CLI_FOR_JOB)) return cli_fail("%s %s: --%s cannot be varied", of, name, name);
    if (other)
        return cli_fail("%s %s: a field of orrery sweep %s", of, name, command & CLI_FOR_TRAIN ? "infer" : "train");
    for (size_t i = 0; i < n_options; i++)
        if (can_vary(&options[i], command)) names[n_names++] = options[i].name;
    const char *near = cli_nearest(name, names, n_names);
    return cli_fail("%s %s: no such field%s%s%s (an option such as tp, or a path such as chip.hbm_bytes_per_s)", of,
                    name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

enum cli_status cli_options_field(const char *of, const char *name, unsigned command, struct orr_text *called,
                                  struct orr_text *paths)
{
    if (strchr(name, '.')) {
        cli_text_add(called, "%s", name);
        cli_text_add(paths, "%s", name);
        return CLI_ANSWERED;
    }
    const struct cli_option *option = cli_option_find(name, strlen(name), command);
    if (!option || !can_vary(option, command)) return fail_field(of, name, command);
    cli_text_add(called, "%s", option->name);
    for (const char *at = option->keys; *at;) {
        const int n = (int)strcspn(at, " ");
        cli_text_add(paths, "%s%s%s%.*s", at == option->keys ? "" : " ", option->section ? option->section : "",
                     option->section ? "." : "", n, at);
        at += n + (at[n] == ' ');
    }
    return CLI_ANSWERED;
}

enum cli_status cli_options_help(unsigned command, const char *usage)
{
    struct orr_text text = {0};
    cli_text_add(&text, "%s\n", usage);
    for (size_t i = 0; i < n_options; i++) {
        const struct cli_option *option = &options[i];
        if (!belongs(option, command)) continue;
        if (option->kind == CLI_HEADING) {
            cli_text_add(&text, "\n%s\n", option->help);
            continue;
        }
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s%s", option->kind == CLI_BOOL ? "[no-]" : "", option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
        cli_text_add(&text, "  %-28s %s\n", left, option->help);
        for (const char *at = option->aliases; *at;) {
            const int length = (int)strcspn(at, " ");
            cli_text_add(&text, "  %-28s %s --%.*s\n", "", at == option->aliases ? "also" : "    ", length, at);
            at += length + (at[length] == ' ');
        }
    }
    const enum cli_status status = cli_write(text.data);
    free(text.data);
    return status;
}
