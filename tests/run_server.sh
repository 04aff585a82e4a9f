#!/usr/bin/env bash
# orrery serve over real connections: run_server.sh BIN_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
. "$here/serve.sh"
export PATH="$1:$PATH" LC_ALL=C
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1

skip_all() {
    tap_skip "server" "$1"
    tap_done
    exit 0
}
command -v curl >/dev/null || skip_all "no curl"
orrery serve --port x 2>&1 | grep -q "built without" && skip_all "built without the server"

start() { # options: the server's address in $url
    start_server orrery serve --port 0 "$@" && return
    echo "Bail out! the server does not start: $(cat errors)"
    exit 1
}
check() { # name; the report, if not empty, says what is wrong
    if [ -s report ]; then tap_not_ok "$1" report; else tap_ok "$1"; fi
}
post() { # path, body: writes the answer to ./got and prints the status
    curl -sS -o got -w '%{http_code}' --data-binary "$2" "$url/api/v1/$1"
}
is_error() { # status, expected status, words of its text or (key=...) its key: prints what differs
    [ "$1" = "$2" ] || echo "status $1, not $2: $(head -c 200 got)"
    grep -qE '^\{"error":\{"text":".+","key":".*","line":[0-9]+,"column":[0-9]+\}\}$' got || echo "no error: $(head -c 200 got)"
    case ${3-} in
    key=*) grep -qF "\"key\":\"${3#key=}\"" got ;;
    *) grep -qF -- "${3-}" got ;;
    esac || echo "\"$3\" is expected in $(head -c 300 got)"
}

# ---------------------------------------------------------------- answers are those of the program
train='{"model":"gpt3-175b","system":"a100-80g-sxm","gpus":64,"plan":{"tp":8,"pp":8,"vpp":3},"workload":{"global_batch":64,"engine":"megatron-lm-2022"}}'
infer='{"model":"llama2-70b","system":"h100-sxm","gpus":8,"plan":{"tp":8},"workload":{"batch":4,"input_len":200,"output_len":200}}'
sized='{"model":"gpt3-175b","system":"a100-80g-sxm","workload":{"global_batch":8}}' # a job that does not fit
with_kind() { printf '{"kind":"%s",%s' "$1" "${2#\{}"; }

same() { # kind, body, query, options
    with_kind "$1" "$2" >request.json
    orrery "$1" --request request.json $4 >expected 2>report
    local status
    status=$(post "$1$3" "$2")
    [ "$status" = 200 ] || echo "status $status" >>report
    cmp got expected >>report 2>&1
    check "$1$3 answers as orrery $1 $4"
}
test_same() {
    same train "$train" '' --json
    same train "$sized" '' --json
    same infer "$infer" '' --json
    for stage in ops costs ledger memory timeline; do
        same train "$train" "?dump=$stage" "--dump $stage"
        same infer "$infer" "?dump=$stage" "--dump $stage"
    done
    post infer "$(with_kind infer "$infer")" >/dev/null
    orrery infer --request request.json --json | cmp - got >report 2>&1
    check "the kind may be named"

    : >report
    with_kind train "$train" >request.json
    post sensitivity "$(cat request.json)" >/dev/null
    orrery sensitivity train --request request.json --json | cmp - got >report 2>&1
    check "sensitivity answers as the program"
    : >report
    for action in chip nodes cost; do
        post technology "{\"$action\":\"node=5,memory=hbm3\"}" >/dev/null
        orrery technology "$action" generated:node=5,memory=hbm3 --json | cmp - got
    done >report 2>&1
    check "technology answers as the program"
    run='model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,micro_batch=1,global_batch=128:step_time_s=5.6'
    post fit "{\"runs\":[\"$run\"],\"engine\":\"megatron-core-2025\"}" >/dev/null
    orrery fit --run "$run" --engine megatron-core-2025 --json >report.json
    python3 -c 'import json
got, wanted = json.load(open("got")), json.load(open("report.json"))
file = got.pop("file")
assert got == wanted, "the report differs"
assert file["fit_runs"] == 1 and file["base"] == wanted["engine"], file' >report 2>&1
    check "fit answers as the program, and with the engine file"
    load='"model":"llama3-8b","system":"h100-sxm","traffic":{"rate_per_s":10,"input_len":1000,"output_len":200}'
    limit='"slo":["ttft_s.p99<=1 s"]'
    for request in "serving {$load,$limit}" "size {$load,$limit,\"size\":{\"budget\":2}}" \
        "serving {$load,\"workload\":{\"disaggregated\":true},\"gpus\":1,\"deployment\":{\"pools\":[\"decode,tp=2\"]}}"; do
        with_kind "${request%% *}" "${request#* }" >request.json
        post "${request%% *}" "${request#* }" >/dev/null
        orrery "${request%% *}" --request request.json --json >report.json
        python3 -c 'import json
got, wanted = json.load(open("got")), json.load(open("report.json"))
for answer in (got, wanted): answer.pop("simulated_requests_per_s", None)
assert got == wanted, "the answer differs"' >report 2>&1
        check "${request%% *} answers as the program: ${#request} characters"
    done
    is_error "$(post serving "{$load,\"deployment\":{\"pools\":[\"decode\"]}}")" 400 key=deployment.pools >report
    check "a decode pool without a prefill pool is located"
    is_error "$(post size "{$load}")" 400 key=slo >report
    check "a size without limits is located"
    curl -sS "$url/api/v1/catalogue" | cmp - <(orrery list --json) >report 2>&1
    check "the catalogue is that of orrery list"
    for part in models/llama3-8b systems/h100-sxm engines/generic memories/hbm3; do
        curl -sS "$url/api/v1/catalogue/$part" | cmp - <(orrery show "$part" --json)
    done >report 2>&1
    check "parts are those of orrery show"
}

# Different bodies in turn: what one request leaves in the reader must not show in the next answer.
test_turns() {
    local turn body models=(llama2-70b llama3-8b mixtral-8x7b)
    : >report
    for turn in 1 2 3 4 5 6 7 8; do
        for model in "${models[@]}"; do
            body="{\"model\":\"$model\",\"system\":\"h100-sxm\",\"gpus\":8,\"plan\":{\"tp\":8},\"workload\":{\"batch\":$turn,\"input_len\":99,\"output_len\":77}"
            [ $((turn % 2)) = 0 ] && body="$body,\"set\":{\"chip.hbm_bytes_per_s\":\"$turn TB/s\"}"
            [ "$turn" = 3 ] && body=${body/\"batch\"/\"draft_model\":\"llama2-7b\",\"draft_tokens\":2,\"batch\"}
            with_kind infer "$body}" >request.json
            orrery infer --request request.json --json >expected 2>/dev/null || orrery infer --request request.json --json >expected 2>/dev/null
            post infer "$body}" >status
            [ -s expected ] || { [ "$(cat status)" = 400 ] && continue; }
            cmp got expected || echo "$body"
        done
    done >report 2>&1
    check "requests that take turns do not see each other"
}

test_explain() {
    post 'train?explain=1' "$train" >/dev/null
    with_kind train "$train" >request.json
    orrery train --request request.json --json >expected.json
    orrery train --request request.json --explain >expected.txt
    python3 - >report 2>&1 <<'PYTHON'
import json
got, expected = json.load(open("got")), json.load(open("expected.json"))
if got.pop("explain", None) != open("expected.txt").read(): print("another explanation")
if got != expected: print("another result")
PYTHON
    check "explain adds the explanation"
}

# ---------------------------------------------------------------- events
event() { # name, file: prints the data of the first such event
    awk -v name="$1" '/^event: / {on = $2 == name; next} /^$/ {if (on) exit} on {sub(/^data: ?/, ""); print}' "$2"
}
test_search() {
    local body='{"kind":"train","model":"gpt3-175b","system":"a100-80g-sxm","gpus":64,"workload":{"global_batch":64},"search":{"top":3}}'
    curl -sSN -D headers -o events --data-binary "$body" "$url/api/v1/search"
    grep -qi '^content-type: text/event-stream' headers || echo "content type: $(cat headers)" >report
    printf '%s' "$body" >request.json
    orrery search train --request request.json --json 2>/dev/null | grep -vE '"(seconds|evaluations_per_s)"' >expected
    event result events | grep -vE '"(seconds|evaluations_per_s)"' | cmp - expected >report 2>&1
    check "a search ends in the result of orrery search"
    event progress events | python3 -c 'import json, sys
p = json.load(sys.stdin)
assert 0 < p["done_frac"] <= 1 and p["plans"] > 0, p' >report 2>&1
    check "a search says how far it is"
    : >report
    is_error "$(post search "${body/64,/0,}")" 400 'key=gpus' >report
    is_error "$(post search "${body/\"top\"/\"topp\"}")" 400 'search.topp' >>report
    is_error "$(post search "${body/3\}/3,\"limits\":[\"nothing<=1\"]\}}")" 400 'nothing' >>report
    check "bad searches are refused before they begin"
}
test_sweep() {
    local request
    request=$(with_kind train "$train")
    local body="{\"request\":$request,\"vary\":[{\"field\":\"plan.pp\",\"values\":[2,5,8]},{\"field\":\"chip.hbm_bytes_per_s\",\"values\":\"2e12:4e12:3\"}]}"
    curl -sSN -o events --data-binary "$body" "$url/api/v1/sweep"
    printf '%s' "$request" >request.json
    orrery sweep train --request request.json --vary plan.pp=2,5,8 --vary chip.hbm_bytes_per_s=2e12:4e12:3 >expected.csv
    event result events >result.json
    python3 - >report 2>&1 <<'PYTHON'
import csv, json
got, rows = json.load(open("result.json")), list(csv.reader(open("expected.csv")))
if got["columns"] != rows[0]: print("columns", got["columns"][:6], rows[0][:6])
if got["points"] != 9 or len(got["rows"]) != 9: print(got["points"], len(got["rows"]))
for mine, theirs in zip(got["rows"], rows[1:]):
    for name, a, b in zip(got["columns"], mine, theirs):
        text = "" if a is None else str(a).lower() if isinstance(a, bool) else a if isinstance(a, str) else None
        if (text != b) if text is not None else (float(b) != a): print(mine[0], name, a, b)
PYTHON
    check "a sweep has the rows of orrery sweep"
    : >report
    is_error "$(post sweep "${body/plan.pp/plan.qq}")" 400 'plan.qq' >>report
    is_error "$(post sweep "${body/\"gpus\":64/\"gpus\":-64}")" 400 'key=gpus' >>report
    is_error "$(post sweep "${body/:3\"/:9000\"}")" 400 '27000 points' >>report
    is_error "$(post sweep "${body/\[2,5,8\]/[]}")" 400 'vary.0.values' >>report
    is_error "$(post sweep "${body/2,5,8/\{\}}")" 400 'vary.0.values' >>report
    is_error "$(post sweep '{"request":{}}')" 400 'vary' >>report
    is_error "$(post sweep '{"vary":[{"field":"gpus","values":"1"}]}')" 400 'request' >>report
    is_error "$(post sweep "{\"request\":$request,\"vary\":[{\"field\":\"model\",\"values\":\"/etc/passwd\"}]}")" 400 'files cannot' >>report
    check "bad sweeps are refused before they begin"
}

studies() { curl -sS "$url/api/v1/health" | sed -n 's/.*"studies":\([0-9]*\).*/\1/p'; }
wait_studies() { # waits until this many run
    for _ in $(seq 600); do
        [ "$(studies)" = "$1" ] && return
        sleep 0.05
    done
    echo "$(studies) searches run, not $1"
}
test_cancel() {
    local long='{"kind":"train","model":"gpt-1t","system":"a100-80g-sxm","gpus":4096,"workload":{"global_batch":8192},"search":{"brute":true}}'
    local jobs=() i
    for i in 1 2 3 4; do
        curl -sSN -o "long$i" --data-binary "$long" "$url/api/v1/search" 2>/dev/null &
        jobs+=($!)
    done
    { wait_studies 4; is_error "$(post search "$long")" 503 'try again'; } >report
    check "searches beyond the limit are told to come back"
    : >report
    [ "$(post infer "$infer")" = 200 ] || head -c 300 got >report
    check "jobs are answered while searches run"
    kill "${jobs[@]}" 2>/dev/null
    wait "${jobs[@]}" 2>/dev/null
    wait_studies 0 >report
    for i in 1 2 3 4; do grep -q 'event: result' "long$i" && echo "search $i was over before"; done >>report
    check "a search ends when its client goes away"
}

# ---------------------------------------------------------------- refusals
test_broken() {
    : >report
    while IFS= read -r body; do is_error "$(post infer "$body")" 400; done <"$here/server/broken.txt" >report 2>&1
    check "broken requests get an error that says where ($(wc -l <"$here/server/broken.txt"))"
    : >report
    is_error "$(post infer '')" 400 empty >>report
    printf '{"model":"a\0b"}' | is_error "$(curl -sS -o got -w '%{http_code}' --data-binary @- "$url/api/v1/infer")" 400 zero >>report
    printf '{"model":"\377\376"}' | is_error "$(curl -sS -o got -w '%{http_code}' --data-binary @- "$url/api/v1/infer")" 400 >>report
    head -c 1000000 /dev/zero | tr '\0' '[' | is_error "$(curl -sS -o got -w '%{http_code}' --data-binary @- "$url/api/v1/infer")" 400 >>report
    check "bodies that are no text are refused"
    : >report
    is_error "$(post 'infer?dump=nothing' "$infer")" 400 'timeline' >>report
    is_error "$(post 'train?dump=nothing' "$train")" 400 'timeline' >>report
    is_error "$(post 'train?dump=timeline' "${train/64,\"engine\"/100000000,\"engine\"}")" 400 'spans' >>report
    is_error "$(post technology '{"chip":"node=5,memory=none"}')" 400 'key=chip' >>report
    is_error "$(post technology '{"ship":"node=5"}')" 400 'one key' >>report
    is_error "$(post sensitivity "$train")" 400 kind >>report
    check "what there is not is refused"
    : >report
    is_error "$(post infer "${infer/\"tp\":8/\"tp\":-3}")" 400 'key=plan.tp' >>report
    grep -q '"line":1,"column":[1-9]' got || cat got >>report
    check "an error names its key, line and column"
}
test_paths() {
    local mine=$work/files part
    mkdir -p "$mine"/{models,systems,chips,engines,calibration,memories}
    for part in models/llama2-70b systems/h100-sxm chips/h100-sxm-80gb engines/generic calibration/h100_sxm memories/hbm3; do
        orrery show "$part" --json >"$mine/${part%/*}/mine.json"
    done
    : >report
    while IFS= read -r body; do
        body=${body//FILE/$mine}
        is_error "$(post infer "$body")" 400 ""
        grep -qE 'files cannot be named|unknown key|config.json' got || echo "$body: $(cat got)"
        grep -q 'root:' got && echo "$body shows a file"
    done <"$here/server/paths.txt" >>report 2>&1
    check "requests cannot name files ($(wc -l <"$here/server/paths.txt"))"
    : >report
    for path in /../../etc/passwd /%2e%2e/%2e%2e/etc/passwd /api/v1/catalogue/models/../../../etc/passwd \
        /api/v1/catalogue/models/%2e%2e%2f%2e%2e%2fetc%2fpasswd /assets/../plain.html //etc/passwd; do
        curl -sS --path-as-is -o got -w '%{http_code}' "$url$path" >status
        is_error "$(cat status)" 404
    done >>report 2>&1
    check "paths lead to no files"
}
test_limits() {
    : >report
    head -c 1048577 /dev/zero | tr '\0' ' ' >large
    is_error "$(curl -sS -o got -w '%{http_code}' -H 'Expect:' --data-binary @large "$url/api/v1/infer" 2>/dev/null)" 413 1048576 >>report
    is_error "$(curl -sS -o got -w '%{http_code}' --data-binary @large "$url/api/v1/infer")" 413 >>report
    is_error "$(curl -sS -o got -w '%{http_code}' -H 'Expect:' -H 'Transfer-Encoding: chunked' --data-binary @large "$url/api/v1/infer")" 413 >>report
    check "requests over 1 MiB are refused"
    : >report
    { printf '%s' "$infer"; head -c 1000000 /dev/zero | tr '\0' ' '; } >padded
    [ "$(curl -sS -o got -w '%{http_code}' --data-binary @padded "$url/api/v1/infer")" = 200 ] || head -c 300 got >report
    check "requests below 1 MiB are read"
}

# ---------------------------------------------------------------- who may ask
test_guard() {
    local name port=${url##*:}
    : >report
    for name in localhost "localhost:$port" "127.0.0.1:$port" "[::1]:$port" LOCALHOST; do
        [ "$(curl -sS -o got -w '%{http_code}' -H "Host: $name" "$url/api/v1/health")" = 200 ] || echo "$name is refused"
    done >>report
    for name in evil.example "evil.example:$port" localhost.evil.example 127.0.0.1.evil.example "localhost:$port@evil" '[::1' 10.0.0.1 ''; do
        is_error "$(curl -sS -o got -w '%{http_code}' -H "Host: $name" -H 'X: y' "$url/api/v1/health")" 421
    done >>report 2>&1
    check "only its own names are answered"
    : >report
    for name in http://evil.example null "https://localhost:1"; do
        is_error "$(curl -sS -o got -w '%{http_code}' -H "Origin: $name" --data-binary "$infer" "$url/api/v1/infer")" 403
    done >>report
    [ "$(curl -sS -o got -w '%{http_code}' -H "Origin: $url" --data-binary "$infer" "$url/api/v1/infer")" = 200 ] || cat got >>report
    check "pages of other sites are refused, the own one is not"
}
test_headers() {
    local path method header
    : >report
    for path in / /api/v1/health /api/v1/catalogue /api/v1/nothing /nothing; do
        curl -sS -D headers -o got "$url$path"
        for header in "content-security-policy: default-src 'self'" 'x-content-type-options: nosniff' \
            'referrer-policy: no-referrer' 'x-frame-options: DENY' 'cross-origin-resource-policy: same-origin'; do
            grep -qi "^$header" headers || echo "$path: no $header"
        done
        grep -qi '^access-control' headers && echo "$path: CORS"
        grep -i '^content-security-policy' headers | grep -q "script-src\|unsafe-eval\|default-src[^;]*unsafe" && echo "$path: scripts"
    done >>report
    check "every answer carries the security headers"
    : >report
    for method in PUT DELETE PATCH OPTIONS GET; do
        curl -sS -D headers -o got -X "$method" -w '%{http_code}' "$url/api/v1/infer" >status
        is_error "$(cat status)" 405
        grep -qi '^allow: POST' headers || echo "$method: no Allow"
    done >>report
    is_error "$(post health '{}')" 405 >>report
    is_error "$(post nothing '{}')" 404 >>report
    check "other methods and paths are refused"
    curl -sSI "$url/" | grep -qi '^content-type: text/html' || echo "no page" >>report
    check "HEAD is answered"
}

# ---------------------------------------------------------------- files of the program
# Files come compressed to those who take that, both forms say so and have their own tag, and a known tag gets 304.
test_files() {
    command -v gzip >/dev/null || { tap_skip "files are compressed" "no gzip" && return; }
    python3 - "$url" >report 2>&1 <<'PYTHON'
import gzip, http.client, re, sys
connection = http.client.HTTPConnection(sys.argv[1].split("//")[1], timeout=60)
def get(path, method="GET", **fields):
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in fields.items()})
    answer = connection.getresponse()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
def check(path):
    status, plain, body = get(path, Accept_Encoding="identity")
    if status != 200 or "content-encoding" in plain: print(path, status, plain)
    status, packed, small = get(path, Accept_Encoding="br, gzip;q=0.8")
    if packed.get("content-encoding") != "gzip":
        if len(gzip.compress(body, 9)) * 1.2 < len(body): print(path, "is not compressed")
        if "vary" in plain: print(path, "varies with nothing")
        return 0
    if status != 200 or gzip.decompress(small) != body or int(packed["content-length"]) != len(small): print(path, "differs")
    if packed["content-type"] != plain["content-type"]: print(path, "has two types")
    for one in (plain, packed):
        if one.get("vary", "").lower() != "accept-encoding": print(path, "does not say that it varies")
        if not re.fullmatch(r'"[0-9a-f]{16}(-gzip)?"', one.get("etag", "")): print(path, one.get("etag"))
    if plain["etag"] == packed["etag"]: print(path, "has one tag for two forms")
    for tags, encoding, expected in ((plain["etag"], "identity", 304), ("W/" + packed["etag"], "gzip", 304),
                                     ('"x", ' + plain["etag"], "identity", 304), ("*", "gzip", 304),
                                     (plain["etag"], "gzip", 200), ('"x"', "identity", 200)):
        status, fields, content = get(path, If_None_Match=tags, Accept_Encoding=encoding)
        if status != expected: print(path, tags, encoding, status)
        if status == 304 and (content or "etag" not in fields or "cache-control" not in fields): print(path, fields, content[:50])
    status, fields, content = get(path, "HEAD", Accept_Encoding="gzip")
    if status != 200 or content or fields.get("content-encoding") != "gzip" or fields["content-length"] != str(len(small)):
        print(path, "HEAD", status, fields)
    if get(path, Accept_Encoding="gzip;q=0")[1].get("content-encoding"): print(path, "is compressed for one who refuses it")
    return 1
page = get("/")[2].decode()
assets = re.findall(r'(?:src|href)="\.?(/assets/[^"]+)"', page)
n = sum(check(path) for path in ["/", *assets])
if n == 0: print("nothing is compressed")
for path in assets:
    if "immutable" not in get(path)[1].get("cache-control", ""): print(path, "may not be kept")
PYTHON
    check "files are compressed for those who take that, with tags of their own"
}

# ---------------------------------------------------------------- description
test_openapi() {
    curl -sS "$url/api/v1/openapi.json" >openapi.json
    python3 - "$here/../server" "$url" >report 2>&1 <<'PYTHON'
import json, re, sys, urllib.request, urllib.error
doc = json.load(open("openapi.json"))
table = set()
header = open(sys.argv[1] + "/../include/orrery/ask.h").read()
questions = re.findall(r'^    X\(\w+, "(\w+)", (?:JOB|SHORT|LONG|STREAMED)\)', header, re.M)
if len(questions) < 8: print("the table of questions was not found")
table.update(("POST", "/api/v1/" + name) for name in questions)
for method, api, path in re.findall(r'^ +\{"(\w+)", (API )?"([^"]*)", \w+, ORR_N_ASKS\},$', open(sys.argv[1] + "/routes.c").read(), re.M):
    path = ("/api/v1/" if api else "") + path
    table.add((method, path + "{part}/{id}" if path.endswith("catalogue/") else path))
listed = {(m.upper(), p) for p, methods in doc["paths"].items() for m in methods}
if len(table) < 10: print("the table of routes was not found")
for route in sorted(table ^ listed): print(route, "is", "not described" if route in table else "described, but no route")
for path, methods in doc["paths"].items():  # the examples are answered
    example = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    if example is None: continue
    try:
        text = urllib.request.urlopen(urllib.request.Request(sys.argv[2] + path, json.dumps(example).encode())).read().decode()
        if "event: error" in text: print(path, text[-300:])
    except urllib.error.HTTPError as e: print(path, e.code, e.read()[:300])
def refs(node):
    if isinstance(node, dict):
        if "$ref" in node: yield node["$ref"]
        for value in node.values(): yield from refs(value)
    elif isinstance(node, list):
        for value in node: yield from refs(value)
for ref in set(refs(doc)):
    node = doc
    for name in ref[2:].split("/"): node = node.get(name, {})
    if not node: print(ref, "leads nowhere")
PYTHON
    check "every route is described, every example answered"
}

# ---------------------------------------------------------------- load
# Damaged copies of good requests, and connections that break off: whatever comes back is JSON.
test_damaged() {
    python3 - "$url" "$train" "$infer" >report 2>&1 <<'PYTHON'
import http.client, json, random, socket, sys
host, port = sys.argv[1].split("//")[1].split(":")
random.seed(7)
connection = http.client.HTTPConnection(host, int(port), timeout=60)
counts = {}
for i in range(600):
    kind = i % 2
    body = bytearray(sys.argv[2 + kind].encode())
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(body))
        action = random.randrange(4)
        if action == 0: body[at] = random.randrange(256)
        elif action == 1: del body[at:at + random.randint(1, 20)]
        elif action == 2: body[at:at] = random.choice([b"{", b"}", b'"', b"[1e999]", b"-", b"\\u0000", b",", b"null"])
        else: body = body[:at] + body
        if not body: body = bytearray(b" ")
    connection.request("POST", "/api/v1/" + ("train", "infer")[kind], bytes(body))
    answer = connection.getresponse()
    text = answer.read()
    counts[answer.status] = counts.get(answer.status, 0) + 1
    if answer.status not in (200, 400): print(answer.status, bytes(body))
    try: json.loads(text)
    except ValueError: print("no JSON:", text[:200])
if counts.get(400, 0) < 100: print(counts)
pieces = [b"", b"\r\n\r\n", b"GET", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", b"\0" * 5000,
          b"POST /api/v1/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
          b"POST /api/v1/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}",
          b"POST /api/v1/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n{}",
          b"POST /api/v1/infer HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
          b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
          b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"]
for piece in pieces * 3:
    with socket.create_connection((host, int(port))) as s:
        try: s.sendall(piece)
        except OSError: pass
PYTHON
    check "damaged requests and broken connections are survived"
}

write_bodies() {
    local i
    for i in $(seq 40); do printf '%s\n' "${infer/\"batch\":4/\"batch\":$i}"; done >good.txt
    cp "$here/server/broken.txt" broken.txt
}
counted() { # file, status
    awk -v code="$2" '$1 == "status" && $2 == code {n = $3} END {print n + 0}' "$1"
}
# 500 connections send good requests while 500 others send broken ones.
test_load() {
    local name="1,000 connections, good and broken: all answered, none at the cost of the others"
    if ! command -v wrk >/dev/null; then
        load_curl
        return
    fi
    wrk -c 500 -t 1 -d 3 --timeout 30 -s "$here/server/load.lua" "$url" -- good.txt >good.log 2>&1 &
    local job=$!
    wrk -c 500 -t 1 -d 3 --timeout 30 -s "$here/server/load.lua" "$url" -- broken.txt >broken.log 2>&1
    wait "$job"
    local good broken
    good=$(counted good.log 200) broken=$(counted broken.log 400)
    {
        [ "$good" -gt 0 ] && [ "$broken" -gt 0 ] || cat good.log broken.log
        [ "$(grep -c ^status good.log broken.log | cut -d: -f2 | sort -u)" = 1 ] || grep ^status good.log broken.log
        grep -H '^errors' good.log broken.log | grep -v ' 0$'
        [ $((good * 5)) -ge "$broken" ] || echo "$good good answers, $broken broken ones"
    } >report
    check "$name"
}
load_curl() { # the same load without wrk
    local n=0 body
    while [ $n -lt 1000 ]; do
        while IFS= read -r body; do n=$((n + 1)) && printf '%s' "$body" >"body$n"; done < <(paste -d '\n' good.txt <(head -40 broken.txt))
    done
    ls body* | xargs -P 100 -n 10 sh -c 'for f; do curl -sS -o /dev/null -w "%{http_code}\n" --data-binary @"$f" '"$url"'/api/v1/infer; done' x |
        sort | uniq -c >codes
    awk '$2 != 200 && $2 != 400 || $1 < n / 3 {print}' n="$n" codes >report
    check "1,000 requests from 100 clients, good and broken: all answered"
}
test_alive() {
    post infer "$infer" >status
    with_kind infer "$infer" >request.json
    orrery infer --request request.json --json | cmp - got >report 2>&1
    check "afterwards it answers as before"
}
test_stop() {
    local long='{"kind":"train","model":"gpt-1t","system":"a100-80g-sxm","gpus":4096,"workload":{"global_batch":8192},"search":{"brute":true}}'
    curl -sSN -o last --data-binary "$long" "$url/api/v1/search" 2>/dev/null &
    local client=$! status
    wait_studies 1 >report
    kill -TERM "$server"
    wait "$server"
    status=$?
    server=
    wait "$client"
    [ "$status" = 0 ] || echo "exit status $status" >>report
    grep -v 'warning: running as root' errors >>report
    check "SIGTERM ends it, searches and all"
}

# ---------------------------------------------------------------- options
test_options() {
    : >report
    timeout 20 orrery serve --port 70000 >out 2>&1 && echo "port 70000 is taken" >>report
    grep -q 'whole number from 0 to 65535' out || cat out >>report
    timeout 20 orrery serve --bind nowhere >out 2>&1 && echo "bind nowhere" >>report
    grep -q 'not an address' out || cat out >>report
    timeout 20 orrery serve --port "${url##*:}" >out 2>&1 && echo "the same port twice" >>report
    grep -q 'cannot listen' out || cat out >>report
    check "bad options are one line"
}
test_others() { # other names, a catalogue of one's own, one thread
    mkdir -p own/models
    orrery show models/llama2-70b --json >own/models/mine.json
    start --threads 1 --host orrery.example --catalogue own
    : >report
    [ "$(curl -sS -o got -w '%{http_code}' -H 'Host: orrery.example' "$url/api/v1/health")" = 200 ] || cat got >>report
    [ "$(post infer "${infer/llama2-70b/mine}")" = 200 ] || cat got >>report
    is_error "$(curl -sS -o got -w '%{http_code}' -H 'Host: other.example' "$url/api/v1/health")" 421 >>report
    kill -TERM "$server"
    wait "$server" || echo "exit status $?" >>report
    server=
    check "--host, --catalogue and --threads"
}

start
write_bodies
test_same
test_turns
test_explain
test_search
test_sweep
test_cancel
test_broken
test_paths
test_limits
test_guard
test_headers
test_files
test_openapi
test_options
test_damaged
test_load
test_alive
test_stop
test_others
tap_done
