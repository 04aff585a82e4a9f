/* Servers of a serving plan: a script that starts those of one node, and for a disaggregated plan a router that takes
 * the requests. tests/launch/options.csv says where each stack documents the options. */
#include "report/launch_files.h"

#include <stdio.h>

#include "report/launch.h"
#include "spec/job.h"

/* Ports of the first server on a node; the others count up from here. */
enum { PORT_ALONE = 8000, PORT_PREFILL = 8100, PORT_DECODE = 8200, PORT_BOOTSTRAP = 8998, PORT_NIXL = 5600 };

static bool is_split(const struct orr_launch_pool *pool)
{
    return pool->role[0] != '\0';
}

static bool is_prefill(const struct orr_launch_pool *pool)
{
    return pool->role[0] == 'p';
}

static int64_t first_port(const struct orr_launch_pool *pool)
{
    return !is_split(pool) ? PORT_ALONE : is_prefill(pool) ? PORT_PREFILL : PORT_DECODE;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

void orr_launch_spread(struct orr_launch_pool *pool, enum orr_launcher launcher)
{
    const int64_t gpus = pool->job->plan.gpus, wanted = pool->job->system.gpus_per_node;
    const int64_t node = wanted > 0 ? wanted : 8;
    pool->servers = orr_launch_servers(launcher, pool->job);
    if (pool->servers < 1 || gpus % pool->servers != 0) pool->servers = 1;
    pool->server_gpus = gpus / pool->servers;
    pool->per_node = pool->server_gpus < node ? node / pool->server_gpus : 1;
    if (pool->per_node > pool->servers) pool->per_node = pool->servers;
    const bool alone = pool->server_gpus > node; /* a server needs several nodes */
    pool->copies = alone ? pool->servers : 1;
    pool->nodes = alone ? ceil_div(pool->server_gpus, node) : ceil_div(pool->servers, pool->per_node);
    pool->gpus_per_node = alone ? node : pool->per_node * pool->server_gpus;
}

/* ---------------------------------------------------------------- one server */

/* Nodes of one server: vLLM spreads whole replicas where they fit into a node, and one replica otherwise. */
static void add_vllm_nodes(struct orr_text *text, const struct orr_launch_pool *pool)
{
    const struct orr_plan *p = &pool->job->plan;
    const int64_t replica = p->tp * p->pp * p->cp;
    if (replica <= pool->gpus_per_node)
        orr_text_add(text,
                     " \\\n    --data-parallel-size-local %lld --data-parallel-start-rank $((NODE_RANK * %lld)) \\\n"
                     "    --data-parallel-address \"${MASTER_ADDR:-127.0.0.1}\" --data-parallel-rpc-port 13345",
                     (long long)(pool->gpus_per_node / replica), (long long)(pool->gpus_per_node / replica));
    else
        orr_text_add(text,
                     " \\\n    --nnodes %lld --node-rank \"$NODE_RANK\" --master-addr \"${MASTER_ADDR:-127.0.0.1}\"",
                     (long long)pool->nodes);
    orr_text_add(text, " $HEADLESS");
}

static void add_start(struct orr_text *text, const struct orr_launch_pool *pool, enum orr_launcher launcher)
{
    const bool wide = pool->server_gpus > pool->gpus_per_node;
    const char *port = pool->per_node > 1 ? "$((PORT + SLOT))" : "\"$PORT\"";
    if (launcher == ORR_LAUNCHER_SGLANG)
        orr_text_add(text, "python3 -m sglang.launch_server --model-path \"$MODEL\" --host 0.0.0.0 --port %s", port);
    else if (launcher == ORR_LAUNCHER_TENSORRT_LLM)
        orr_text_add(text, "%strtllm-serve \"$MODEL\" --host 0.0.0.0 --port %s", wide ? "trtllm-llmapi-launch " : "",
                     port);
    else orr_text_add(text, "vllm serve \"$MODEL\" --port %s", port);
    if (wide && launcher == ORR_LAUNCHER_VLLM) add_vllm_nodes(text, pool);
    if (wide && launcher == ORR_LAUNCHER_SGLANG)
        orr_text_add(text,
                     " \\\n    --nnodes %lld --node-rank \"$NODE_RANK\" --dist-init-addr "
                     "\"${MASTER_ADDR:-127.0.0.1}:5000\"",
                     (long long)pool->nodes);
}

/* What makes a server one of a pool. */
static void add_role(struct orr_text *text, const struct orr_launch_pool *pool, enum orr_launcher launcher)
{
    const bool prefill = is_prefill(pool);
    if (!is_split(pool)) return;
    if (launcher == ORR_LAUNCHER_VLLM)
        orr_text_add(text, " \\\n    --kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"%s\"}'",
                     prefill ? "kv_producer" : "kv_consumer");
    else if (launcher == ORR_LAUNCHER_SGLANG)
        orr_text_add(text, " \\\n    --disaggregation-mode %s", prefill ? "prefill" : "decode");
    else orr_text_add(text, " \\\n    --config %stensorrt_llm.yaml", pool->role);
    if (prefill && launcher == ORR_LAUNCHER_SGLANG)
        orr_text_add(text, " --disaggregation-bootstrap-port %s%d%s", pool->per_node > 1 ? "$((" : "", PORT_BOOTSTRAP,
                     pool->per_node > 1 ? " + SLOT))" : "");
}

/* The buffer for the cache of a request takes at least its prompt. The overlap scheduler does not run in servers of
 * prompts. */
static void tensorrt_config(struct orr_launch_pool *pool)
{
    struct orr_text text = {0};
    if (is_prefill(pool)) orr_text_add(&text, "disable_overlap_scheduler: true\n");
    orr_text_add(&text, "cache_transceiver_config:\n  backend: DEFAULT\n  max_tokens_in_buffer: %lld\n",
                 (long long)orr_prompt_len(pool->job));
    orr_launch_give(pool, "tensorrt_llm.yaml", &text);
}

/* ---------------------------------------------------------------- the servers of a node */

static void add_settings(struct orr_text *text, const struct orr_launch_pool *pool, enum orr_launcher launcher)
{
    orr_text_add(text, "MODEL=${MODEL:-%s}\nPORT=${PORT:-%lld}\nNODE_RANK=${NODE_RANK:-0}\n",
                 orr_launch_model(&pool->job->model), (long long)first_port(pool));
    if (launcher != ORR_LAUNCHER_VLLM) return;
    if (is_split(pool))
        orr_text_add(text,
                     "# The other pool must reach this address and these ports.\n"
                     "export VLLM_NIXL_SIDE_CHANNEL_HOST=${VLLM_NIXL_SIDE_CHANNEL_HOST:-$(hostname -I | cut -d' ' "
                     "-f1)}\nexport VLLM_NIXL_SIDE_CHANNEL_PORT=${VLLM_NIXL_SIDE_CHANNEL_PORT:-%d}\n",
                     is_prefill(pool) ? PORT_NIXL : PORT_NIXL + 100);
    if (pool->server_gpus > pool->gpus_per_node)
        orr_text_add(text, "# Only the first node answers requests.\nHEADLESS=\n"
                           "if [ \"$NODE_RANK\" -gt 0 ]; then HEADLESS=--headless; fi\n");
}

/* Starts several servers on a node, each with its own GPUs and port. */
static void add_loop(struct orr_text *text, const struct orr_launch_pool *pool, enum orr_launcher launcher)
{
    const long long gpus = pool->server_gpus, ranks = pool->job->plan.dp / pool->servers;
    orr_text_add(text,
                 "# %lld servers of %lld GPU%s, %lld on a node.\n"
                 "for SLOT in $(seq 0 %lld); do\n"
                 "if [ $((NODE_RANK * %lld + SLOT)) -ge %lld ]; then break; fi\n"
                 "export CUDA_VISIBLE_DEVICES=$(seq -s , $((SLOT * %lld)) $((SLOT * %lld + %lld)))\n",
                 (long long)pool->servers, gpus, gpus > 1 ? "s" : "", (long long)pool->per_node,
                 (long long)pool->per_node - 1, (long long)pool->per_node, (long long)pool->servers, gpus, gpus,
                 gpus - 1);
    if (is_split(pool) && launcher == ORR_LAUNCHER_VLLM)
        orr_text_add(text,
                     "NIXL_PORT=$((VLLM_NIXL_SIDE_CHANNEL_PORT + SLOT * %lld))\n"
                     "VLLM_NIXL_SIDE_CHANNEL_PORT=$NIXL_PORT ",
                     ranks);
}

void orr_launch_pool_script(struct orr_launch_pool *pool, enum orr_launcher launcher)
{
    const bool several = pool->per_node > 1;
    struct orr_text text = {0};
    char name[48];
    orr_launch_header(&text, pool);
    add_settings(&text, pool, launcher);
    if (several) add_loop(&text, pool, launcher);
    add_start(&text, pool, launcher);
    add_role(&text, pool, launcher);
    orr_launch_add(&text, pool, launcher, several ? " &\ndone\nwait\n" : "\n");
    if (pool->servers > 1 && !is_split(pool))
        orr_text_add(&text, "# A load balancer of your own passes requests to the %lld servers of the plan.\n",
                     (long long)pool->servers);
    (void)snprintf(name, sizeof name, "%s.sh", orr_launchers[launcher].key);
    orr_launch_give(pool, name, &text);
    if (is_split(pool) && launcher == ORR_LAUNCHER_TENSORRT_LLM) tensorrt_config(pool);
}

/* ---------------------------------------------------------------- router */

/* The documentation of vLLM's connector passes requests on with this program of its sources. */
static void vllm_router(struct orr_text *text)
{
    orr_text_add(text,
                 "# This proxy of vLLM's documentation is made for trials; llm-d and Dynamo route in production.\n"
                 "VLLM=${VLLM:?the folder of the sources of vLLM}\n"
                 "python3 \"$VLLM/tests/v1/kv_connector/nixl_integration/toy_proxy_server.py\" \\\n"
                 "    --host 0.0.0.0 --port \"${PORT:-%d}\" \\\n"
                 "    --prefiller-hosts \"${PREFILL[@]%%:*}\" --prefiller-ports \"${PREFILL[@]##*:}\" \\\n"
                 "    --decoder-hosts \"${DECODE[@]%%:*}\" --decoder-ports \"${DECODE[@]##*:}\"\n",
                 PORT_ALONE);
}

/* A server of prompts has a second port, where a server of answers asks for its cache. */
static void sglang_router(struct orr_text *text)
{
    orr_text_add(text,
                 "SERVERS=()\n"
                 "for AT in \"${PREFILL[@]}\"; do\n"
                 "    SERVERS+=(--prefill \"http://$AT\" $((${AT##*:} - %d + %d)))\n"
                 "done\n"
                 "for AT in \"${DECODE[@]}\"; do\n"
                 "    SERVERS+=(--decode \"http://$AT\")\n"
                 "done\n"
                 "python3 -m sglang_router.launch_router --pd-disaggregation \"${SERVERS[@]}\" \\\n"
                 "    --host 0.0.0.0 --port \"${PORT:-%d}\"\n",
                 PORT_PREFILL, PORT_BOOTSTRAP, PORT_ALONE);
}

static void tensorrt_router(struct orr_text *text)
{
    orr_text_add(text,
                 "cat > router-tensorrt_llm.yaml <<END\n"
                 "hostname: 0.0.0.0\n"
                 "port: ${PORT:-%d}\n"
                 "backend: pytorch\n"
                 "context_servers:\n"
                 "  num_instances: ${#PREFILL[@]}\n"
                 "  urls:\n"
                 "$(printf '    - \"%%s\"\\n' \"${PREFILL[@]}\")\n"
                 "generation_servers:\n"
                 "  num_instances: ${#DECODE[@]}\n"
                 "  urls:\n"
                 "$(printf '    - \"%%s\"\\n' \"${DECODE[@]}\")\n"
                 "END\n"
                 "trtllm-serve disaggregated -c router-tensorrt_llm.yaml\n",
                 PORT_ALONE);
}

/* The addresses of a pool's servers under Kubernetes, where wrappers give them names. */
static void add_addresses(struct orr_text *text, const struct orr_launch_pool *pool)
{
    char id[64];
    for (int64_t i = 0; i < pool->servers; i++) {
        const int64_t node = pool->copies > 1 ? 0 : i / pool->per_node;
        orr_launch_id(pool, pool->copies > 1 ? i : 0, id, sizeof id);
        const int64_t port = first_port(pool) + i % pool->per_node;
        orr_text_add(text, "%s%s-%lld.%s:%lld", i ? " " : "", id, (long long)node, id, (long long)port);
    }
}

static void kubernetes_router(struct orr_launch_pool *out, const struct orr_launch_pool *prefill,
                              const struct orr_launch_pool *decode, const char *script)
{
    struct orr_text text = {0};
    orr_text_add(&text,
                 "apiVersion: v1\nkind: Service\nmetadata:\n  name: orrery-router\nspec:\n  selector:\n"
                 "    app: orrery-router\n  ports:\n  - port: %d\n---\n"
                 "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: orrery-router\nspec:\n  replicas: 1\n"
                 "  selector:\n    matchLabels:\n      app: orrery-router\n  template:\n    metadata:\n"
                 "      labels:\n        app: orrery-router\n    spec:\n      containers:\n      - name: router\n"
                 "        image: IMAGE  # the image of your stack, with the scripts of this folder in its working "
                 "directory\n"
                 "        command: [\"bash\", \"%s\"]\n        env:\n        - name: PREFILL\n          value: \"",
                 PORT_ALONE, script);
    add_addresses(&text, prefill);
    orr_text_add(&text, "\"\n        - name: DECODE\n          value: \"");
    add_addresses(&text, decode);
    orr_text_add(&text, "\"\n");
    orr_launch_give(out, "kubernetes.yaml", &text);
}

void orr_launch_router(struct orr_launch_pool *prefill, struct orr_launch_pool *decode, enum orr_launcher launcher)
{
    struct orr_launch_pool out = *prefill;
    struct orr_text text = {0};
    char name[48], script[64];
    out.role = "router-";
    (void)snprintf(name, sizeof name, "%s.sh", orr_launchers[launcher].key);
    (void)snprintf(script, sizeof script, "router-%s", name);
    orr_launch_header(&text, &out);
    orr_text_add(&text,
                 "PREFILL=(${PREFILL:?host:port of the prefill servers, %lld in all, with spaces between them})\n"
                 "DECODE=(${DECODE:?host:port of the decode servers, %lld in all, with spaces between them})\n",
                 (long long)prefill->servers, (long long)decode->servers);
    if (launcher == ORR_LAUNCHER_SGLANG) sglang_router(&text);
    else if (launcher == ORR_LAUNCHER_TENSORRT_LLM) tensorrt_router(&text);
    else vllm_router(&text);
    orr_launch_give(&out, name, &text);
    kubernetes_router(&out, prefill, decode, script);
    prefill->failed |= out.failed;
}
