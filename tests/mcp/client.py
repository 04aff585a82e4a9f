"""A scripted client of orrery mcp: every tool once, errors, and the shape of every message.

usage: client.py ORRERY
With ORRERY_MCP_SCHEMAS=FOLDER, which has the schemas that the protocol publishes (schema/VERSION/schema.json as
VERSION.json), every message is also checked against them; this needs the module jsonschema.
"""
import json
import os
import re
import subprocess
import sys

HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
STATELESS = "2026-07-28"
JOB = {"model": "llama3-8b", "system": "h100-sxm", "gpus": 8}
SERVE = {"model": "llama3-8b", "system": "h100-sxm", "gpus": 1, "workload": {"engine": "vllm"}}
TRAFFIC = {"rate_per_s": 2, "requests": 200, "input_len": 500, "output_len": 100}
CALLS = {
    "train": (dict(JOB, plan={"tp": 2}), "step_time_s"),
    "infer": (dict(JOB, gpus=1, workload={"input_len": 200, "output_len": 20}), "ttft_s"),
    "serving": (dict(SERVE, traffic=TRAFFIC), "ttft_s"),
    "size": ({"model": "llama3-8b", "system": "h100-sxm", "workload": {"engine": "vllm"}, "slo": ["ttft_s.p99<=2 s"],
              "traffic": {"rate_per_s": 2, "input_len": 500, "output_len": 100}, "size": {"budget": "2 GPUs"}}, "kind"),
    "search": (dict(JOB, kind="train", workload={"global_batch": 16}), "kind"),
    "compare": ({"requests": [dict(JOB, kind="train"), dict(JOB, kind="train", system="b200-sxm")]}, "why"),
    "fit": ({"runs": ["model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,micro_batch=1,global_batch=128,"
                      "recompute=none:step_time_s=5.6"], "engine": "megatron-core-2024"}, "file"),
    "list": ({"part": "systems"}, None),
    "show": ({"name": "vllm"}, None),
}

n_cases = 0


def case(name, failures):
    global n_cases
    n_cases += 1
    print(f"{'not ok' if failures else 'ok'} {n_cases} - {name}")
    for line in failures[:20]:
        print("#", str(line)[:300])


def talk(program, messages):
    """Send the messages as lines; returns the answers by id, and those without one."""
    lines = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages)
    done = subprocess.run([program, "mcp"], input=lines, capture_output=True, text=True, timeout=300, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return done, {a["id"]: a for a in answers if a.get("id") is not None}, [a for a in answers if a.get("id") is None]


def request(number, method, params=None):
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else dict(message, params=params)


def published(version, definition, value):
    """Failures of a value against the published schema, where it is at hand."""
    folder = os.environ.get("ORRERY_MCP_SCHEMAS")
    if not folder:
        return []
    import jsonschema
    schema = json.load(open(os.path.join(folder, version + ".json"), encoding="utf-8"))
    home = "definitions" if "definitions" in schema else "$defs"
    check = jsonschema.Draft202012Validator({"$ref": f"#/{home}/{definition}", home: schema[home]})
    return [f"{version} {definition}: {e.message}" for e in check.iter_errors(value)]


def handshakes(program):
    for version in HANDSHAKE + ["1999-01-01"]:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        done, answers, _ = talk(program, [request(1, "initialize", hello),
                                          {"jsonrpc": "2.0", "method": "notifications/initialized"},
                                          request("two", "ping"), request(3, "tools/list")])
        failures = []
        spoken = answers[1]["result"]["protocolVersion"]
        if spoken != (version if version in HANDSHAKE else HANDSHAKE[-1]):
            failures.append(f"asked for {version}, got {spoken}")
        if set(answers) != {1, "two", 3} or done.returncode != 0 or done.stderr:
            failures.append((sorted(map(str, answers)), done.returncode, done.stderr))
        failures += published(spoken, "InitializeResult", answers[1]["result"])
        failures += published(spoken, "ListToolsResult", answers[3]["result"])
        case(f"handshake of {version}", failures)


def tools(program):
    _, answers, _ = talk(program, [request(1, "tools/list")])
    failures = []
    found = {t["name"]: t for t in answers[1]["result"]["tools"]}
    if set(found) != set(CALLS):
        failures.append(sorted(set(found) ^ set(CALLS)))
    for name, tool in found.items():
        if not re.fullmatch(r"[a-z]+", name) or tool["inputSchema"]["type"] != "object":
            failures.append(tool["inputSchema"]["type"])
        for key, section in tool["inputSchema"]["properties"].items():
            for inner, schema in section.get("properties", {}).items():
                if not schema.get("description"):
                    failures.append(f"{name}: {key}.{inner} has no description")
    case("every tool has a schema, and every key of it a description", failures)
    return found


def schema_allows(schema, value, path):
    """The keys and types of a request are those that the schema names."""
    for key, inner in value.items():
        rule = schema["properties"].get(key)
        if rule is None:
            yield f"{path}{key} is not in the schema"
        elif isinstance(inner, dict) and "properties" in rule:
            yield from schema_allows(rule, inner, f"{path}{key}.")


def calls(program, found):
    numbered = list(CALLS.items())
    _, answers, _ = talk(program, [request(i, "tools/call", {"name": name, "arguments": arguments})
                                   for i, (name, (arguments, _)) in enumerate(numbered)])
    for i, (name, (arguments, key)) in enumerate(numbered):
        result = answers[i].get("result", {})
        failures = list(schema_allows(found[name]["inputSchema"], arguments, ""))
        if result.get("isError") is not False or result["content"][0]["type"] != "text":
            failures.append(answers[i])
        elif key and key not in result["structuredContent"]:
            failures.append(f"no {key} in the answer")
        if name in ("train", "infer", "search") and "#" not in result["content"][0]["text"]:
            failures.append("no link to the explorer")
        for version in HANDSHAKE + [STATELESS]:
            failures += published(version, "CallToolResult", result)
        case(f"the tool {name} answers", failures)


def same_as_program(program):
    done = subprocess.run([program, "train", "--model", "llama3-8b", "--system", "h100-sxm", "--gpus", "8", "--tp", "2",
                           "--json"], capture_output=True, text=True, check=True)
    _, answers, _ = talk(program, [request(1, "tools/call", {"name": "train", "arguments": CALLS["train"][0]})])
    same = json.loads(done.stdout) == answers[1]["result"]["structuredContent"]
    case("an answer is that of the program", [] if same else ["different"])


def errors(program):
    cases = [  # a message, then the code of the error, or None for an answer that says what is wrong
        ("not json", -32700), (json.dumps([request(1, "ping")]), -32600), ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600), (request(1, "nothing"), -32601), (request(1, "tools/call", {}), -32602),
        (request(1, "tools/call", {"name": "nothing"}), -32602),
        (request(1, "tools/call", {"name": "train", "arguments": [1]}), -32602),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
        (request(1, "tools/call", {"name": "train", "arguments": {"model": "llama3-8b", "system": "h10-sxm"}}), "h100-sxm"),
        (request(1, "tools/call", {"name": "train", "arguments": {"model": "/etc/passwd", "system": "h100"}}), "model"),
        (request(1, "tools/call", {"name": "show", "arguments": {"name": "nothing"}}), "nothing"),
        (request(1, "tools/call", {"name": "list", "arguments": {"part": "nothing"}}), "nothing"),
        (request(1, "tools/call", {"name": "list", "arguments": {"part": "engines", "kind": "serving"}}), "kind"),
        (request(1, "tools/call", {"name": "show", "arguments": {"name": "h100", "facts": True}}), "facts"),
        (request(1, "tools/call", {"name": "compare", "arguments": {"requests": []}}), "2 to 8"),
        (request(1, "tools/call", {"name": "serving", "arguments": {"kind": "train", "model": "llama3-8b", "system": "h100"}}), "kind"),
        (request(1, "ping", {"_meta": {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}}), -32022),
    ]
    failures = []
    for message, expected in cases:
        done, answers, others = talk(program, [message, request("last", "ping")])
        answer = answers.get(1, others[0] if others else None)
        if "last" not in answers or done.returncode != 0 or answer is None:
            failures.append((message, "the server ended"))
        elif isinstance(expected, int):
            if answer.get("error", {}).get("code") != expected:
                failures.append((message, answer))
        elif not answer["result"]["isError"] or expected not in answer["result"]["content"][0]["text"]:
            failures.append((message, answer))
    case(f"{len(cases)} bad messages get one clear answer each, and the next is answered", failures)
    done, answers, others = talk(program, [{"jsonrpc": "2.0", "method": "notifications/cancelled"}, "", "  "])
    case("notifications and empty lines get no answer", [(answers, others)] if answers or others else [])


def stateless(program):
    meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": STATELESS,
                      "io.modelcontextprotocol/clientCapabilities": {}}}
    _, answers, _ = talk(program, [request(1, "server/discover", meta), request(2, "tools/list", meta)])
    failures = []
    if STATELESS not in answers[1]["result"]["supportedVersions"]:
        failures.append(answers[1])
    failures += published(STATELESS, "DiscoverResult", answers[1]["result"])
    failures += published(STATELESS, "ListToolsResult", answers[2]["result"])
    case("a client without a handshake is answered", failures)


def main():
    program = sys.argv[1]
    handshakes(program)
    found = tools(program)
    calls(program, found)
    same_as_program(program)
    errors(program)
    stateless(program)
    print(f"1..{n_cases}")


main()
