"""What orrery serve does with hostile, slow and broken clients, over raw connections: limits.py PROGRAM. Speaks TAP."""
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = sys.argv[1]
with open(PROGRAM, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()
HEALTH = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n"
END = b"\r\n\r\n"
INFER = json.dumps({"model": "llama2-70b", "system": "h100-sxm", "gpus": 8, "plan": {"tp": 8},
                    "workload": {"batch": 4, "input_len": 200, "output_len": 200}}).encode()
ALWAYS = ("content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options",
          "cross-origin-opener-policy", "cross-origin-resource-policy", "cache-control", "content-length")
count = 0
work = tempfile.TemporaryDirectory()


def check(name, wrong):
    """One case; `wrong` lists what differs."""
    global count
    count += 1
    print(f"{'not ok' if wrong else 'ok'} {count} - {name}")
    for line in wrong:
        print("# " + str(line).replace("\n", " ")[:300])
    sys.stdout.flush()


class Server:
    """A server with these options, and the port where it listens."""
    def __init__(self, *options):
        self.errors = tempfile.TemporaryFile(dir=work.name)
        self.process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *options], stdout=subprocess.PIPE,
                                        stderr=self.errors)
        self.port = int(self.process.stdout.readline().decode().strip().rstrip("/").split(":")[-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def open(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def ask(self, data):
        """Send bytes on a connection of their own and read until the server closes it or answers once."""
        with self.open() as connection:
            connection.sendall(data)
            return answer_of(connection)

    def get(self, path):
        return self.ask(b"GET " + path.encode() + b" HTTP/1.1\r\nHost: localhost" + END)

    def metric(self, name):
        text = self.get("/metrics")[2].decode()
        found = re.search(r"^" + re.escape("orrery_" + name) + r" (\S+)$", text, re.M)
        return float(found.group(1)) if found else None

    def rss(self):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024


def answer_of(connection, more=b""):
    """Status, headers and body of one answer; (0, ...) if the connection ends first."""
    data = more
    while END not in data:
        piece = connection.recv(65536)
        if not piece:
            return 0, {}, data
        data += piece
    head, rest = data.split(END, 1)
    lines = head.decode("latin-1").split("\r\n")
    headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
    status = int(lines[0].split()[1])
    while "content-length" in headers and len(rest) < int(headers["content-length"]):
        piece = connection.recv(65536)
        if not piece:
            break
        rest += piece
    return status, headers, rest


def expect_error(got, status, wrong, what):
    code, headers, body = got
    if code != status:
        wrong.append(f"{what}: status {code}, not {status}: {body[:120]}")
        return
    try:
        if set(json.loads(body)["error"]) != {"text", "key", "line", "column"}:
            wrong.append(f"{what}: {body[:100]}")
    except (ValueError, KeyError):
        wrong.append(f"{what}: no JSON: {body[:100]}")
    for name in ALWAYS:
        if name not in headers:
            wrong.append(f"{what}: no {name}")


def post(body, extra=b"", path=b"/api/v1/infer"):
    return b"POST " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + extra + END + body


def test_errors(server):
    wrong = []
    for what, data, status in [
            ("no request", b"nonsense" + END, 400), ("a zero byte", b"GET / HTTP/1.1\r\nHost: localhost\0evil" + END, 400),
            ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01", 400), ("HTTP/9.9", b"GET / HTTP/9.9\r\nHost: localhost" + END, 505),
            ("a long target", b"GET /" + b"a" * 60000 + b" HTTP/1.1\r\nHost: localhost" + END, 414),
            ("a long head", HEALTH + b"X: " + b"a" * 60000 + END, 431),
            ("many fields", HEALTH + b"X: y\r\n" * 200 + END, 431),
            ("lines without CR", b"GET /api/v1/health HTTP/1.1\nHost: localhost\n\n", 400),
            ("no length", post(INFER, b"Content-Length: -1"), 400), ("huge", post(b"", b"Content-Length: 99999999999999999999"), 413),
            ("no Host", b"GET /api/v1/health HTTP/1.1" + END, 400), ("no route", b"GET /none HTTP/1.1\r\nHost: localhost" + END, 404),
            ("method", b"DELETE /api/v1/infer HTTP/1.1\r\nHost: localhost" + END, 405)]:
        expect_error(server.ask(data), status, wrong, what)
    check("every error is JSON with the security headers", wrong)

    wrong = []
    length = b"Content-Length: " + str(len(INFER)).encode()
    for what, data, status in [
            ("gzip", post(INFER, length + b"\r\nContent-Encoding: gzip"), 415),
            ("two lengths", post(INFER, length + b"\r\n" + length), 400),
            ("length and coding", post(b"0\r\n\r\n" + HEALTH + END, b"Content-Length: 5\r\nTransfer-Encoding: chunked"), 400),
            ("gzip, chunked", post(b"0\r\n\r\n", b"Transfer-Encoding: gzip, chunked"), 400),
            ("%00", b"GET /api/v1/health%00x HTTP/1.1\r\nHost: localhost" + END, 400),
            ("two Hosts", HEALTH + b"Host: evil.example" + END, 400),
            ("two Origins", HEALTH + b"Origin: http://localhost\r\nOrigin: http://evil.example" + END, 400),
            ("no chunk", post(b"zz\r\n", b"Transfer-Encoding: chunked"), 400),
            ("zero in the body", post(b'{"model":"a\0b"}', b"Content-Length: 15"), 400)]:
        with server.open() as connection:
            connection.sendall(data)
            expect_error(answer_of(connection), status, wrong, what)
            if what != "zero in the body" and connection.recv(1):  # That one was read to its end.
                wrong.append(f"{what}: a second answer")
    check("what two readers could understand differently is refused, once", wrong)

    wrong = []
    code, _, body = server.ask(b"GET http://localhost/api/v1/health HTTP/1.1\r\nHost: evil.example" + END)
    if code != 200 or b'"ok"' not in body:
        wrong.append(f"{code} {body[:100]}")
    expect_error(server.ask(b"GET http://evil.example/api/v1/health HTTP/1.1\r\nHost: localhost" + END), 421, wrong, "evil")
    check("absolute targets are answered, by their own name", wrong)

    wrong = []
    for origin in (b"evil://localhost", b"https://localhost", b"null"):
        expect_error(server.ask(post(INFER, length + b"\r\nOrigin: " + origin)), 403, wrong, origin)
    if server.ask(post(INFER, length + b"\r\nOrigin: http://localhost"))[0] != 200:
        wrong.append("the own origin is refused")
    check("the scheme of the Origin counts", wrong)


def test_protocol(server):
    wrong = []
    with server.open() as connection:
        length = b"Content-Length: " + str(len(INFER)).encode()
        connection.sendall(HEALTH + END[2:] + post(INFER, length) + HEALTH + END[2:])
        data, seen = b"", []
        for _ in range(3):
            code, headers, rest = answer_of(connection, data)
            n = int(headers["content-length"])
            seen.append((code, rest[:n]))
            data = rest[n:]
        if [code for code, _ in seen] != [200] * 3 or b"latency_s" not in seen[1][1]:
            wrong.append(seen)
    check("requests in one packet are answered in turn", wrong)

    wrong = []
    with server.open() as connection:
        request = post(b"", b"Transfer-Encoding: chunked") + b"".join(
            b"%x;a=b\r\n%s\r\n" % (len(INFER[i:i + 7]), INFER[i:i + 7]) for i in range(0, len(INFER), 7)) + b"0\r\nX: y\r\n\r\n"
        for i in range(0, len(request), 3):
            connection.sendall(request[i:i + 3])
        code, _, body = answer_of(connection)
        if code != 200 or b"latency_s" not in body:
            wrong.append((code, body[:100]))
    with server.open() as connection:
        connection.sendall(post(b"", b"Expect: 100-continue\r\nContent-Length: " + str(len(INFER)).encode()))
        if b"100 Continue" not in connection.recv(100):
            wrong.append("no 100 Continue")
        connection.sendall(INFER)
        if answer_of(connection)[0] != 200:
            wrong.append("no answer after 100 Continue")
    check("bodies in chunks, in pieces and after 100 Continue", wrong)

    wrong = []
    code, headers, body = server.ask(b"HEAD /api/v1/health HTTP/1.0\r\nHost: localhost" + END)
    if code != 200 or body or headers.get("connection") != "close" or int(headers["content-length"]) < 10:
        wrong.append((code, headers, body))
    with server.open() as connection:
        for _ in range(2):
            connection.sendall(b"GET /api/v1/health HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive" + END)
            code, headers, _ = answer_of(connection)
            if code != 200 or headers.get("connection") != "keep-alive":
                wrong.append((code, headers))
    check("HEAD and HTTP/1.0", wrong)


def settle(server, name, limit, seconds):
    """Wait until a metric is at most `limit`; its last value. A server that is full does not tell it."""
    until = time.monotonic() + seconds
    while True:
        value = server.metric(name)
        if time.monotonic() >= until or (value is not None and value <= limit):
            return math.inf if value is None else value
        time.sleep(0.02)


def test_half_open(server):
    wrong = []
    halves = [server.open() for _ in range(50)]
    for i, connection in enumerate(halves):
        connection.sendall(post(b"{", b"Content-Length: 100") if i % 2 else b"GET /api")
    if server.metric("connections") < 51:
        wrong.append(f"{server.metric('connections')} connections")
    for connection in halves:
        connection.close()
    left = settle(server, "connections", 1, 1.0)
    if left > 1:
        wrong.append(f"{left} connections after 1 s")
    check("requests that break off are freed at once", wrong)


def test_deadline():
    wrong = []
    with Server("--timeout", "1") as server:
        slow = [server.open() for _ in range(20)]
        begun, codes = time.monotonic(), []
        request = post(INFER, b"Content-Length: " + str(len(INFER)).encode())
        for at in range(60):
            for connection in slow:
                try:
                    connection.sendall(request[at:at + 1])
                except OSError:
                    pass
            time.sleep(0.05)
        for connection in slow:
            try:
                codes.append(answer_of(connection)[0])
            except OSError:
                codes.append(-1)
            connection.close()
        if codes.count(408) != 20:
            wrong.append(f"statuses {codes} after {time.monotonic() - begun:.1f} s")
        idle = server.open()
        idle.settimeout(5)
        begun = time.monotonic()
        if idle.recv(10) != b"" or time.monotonic() - begun > 3:
            wrong.append("a connection that says nothing is kept")
        if server.metric('requests_ended_total{end="deadline"}') != 20:
            wrong.append("the metric does not count them")
    check("a request that does not arrive in time is ended, byte by byte or not", wrong)


def test_slow_many():
    """More slow connections than the server takes: everybody else is answered."""
    wrong = []
    with Server("--connections", "64") as server:
        slow, stop = [], threading.Event()

        def drip():
            while not stop.is_set():
                for connection in list(slow):
                    try:
                        connection.sendall(b"a")
                    except OSError:
                        slow.remove(connection)
                while len(slow) < 64:
                    connection = server.open()
                    connection.sendall(b"GET /")
                    slow.append(connection)
                stop.wait(0.5)

        thread = threading.Thread(target=drip)
        thread.start()
        time.sleep(1.5)
        answered, longest = 0, 0
        for _ in range(10):
            begun = time.monotonic()
            try:
                answered += server.get("/api/v1/health")[0] == 200
            except OSError:
                pass
            longest = max(longest, time.monotonic() - begun)
            time.sleep(0.2)
        stop.set()
        thread.join()
        for connection in slow:
            connection.close()
        if answered < 9 or longest > 3:
            wrong.append(f"{answered} of 10 health checks, up to {longest:.1f} s")
    check("more slow connections than it takes do not keep others out", wrong)


def test_addresses():
    wrong = []
    with Server("--connections-per-address", "5", "--connections", "20") as server:
        held = [server.open() for _ in range(5)]
        time.sleep(0.2)
        expect_error(server.ask(b""), 503, wrong, "the sixth connection")
        other = socket.create_connection(("127.0.0.1", server.port), timeout=10, source_address=("127.0.0.2", 0))
        other.sendall(HEALTH + END[2:])
        if answer_of(other)[0] != 200:
            wrong.append("another address is refused")
        for connection in held:
            connection.close()
        time.sleep(0.3)
        if server.get("/api/v1/health")[0] != 200:
            wrong.append("afterwards it is refused, too")
    check("connections of one address are limited, those of others are not", wrong)

    wrong = []
    with Server("--connections", "4") as server:
        held = [server.open() for _ in range(4)]
        time.sleep(0.2)
        expect_error(server.ask(b""), 503, wrong, "the fifth connection")
    check("connections in all are limited", wrong)


def test_ready(server):
    wrong = []
    code, _, body = server.get("/api/v1/ready")
    if code != 200 or json.loads(body)["status"] != "ready":
        wrong.append((code, body))
    with Server("--connections", "40") as other:
        held = [other.open() for _ in range(37)]
        time.sleep(0.2)
        expect_error(other.get("/api/v1/ready"), 503, wrong, "nearly full")
        if other.get("/api/v1/health")[0] != 200:
            wrong.append("health depends on room")
        for connection in held:
            connection.close()
    check("readiness is apart from health", wrong)


def test_unread():
    """Answers that nobody reads: memory stays bounded, and they are dropped after a while."""
    wrong = []
    body = json.dumps({"model": "gpt3-175b", "system": "a100-80g-sxm", "gpus": 64, "plan": {"tp": 8, "pp": 8, "vpp": 3},
                       "workload": {"global_batch": 2600, "engine": "megatron-lm-2022"}}).encode()
    request = post(body, b"Content-Length: " + str(len(body)).encode(), b"/api/v1/train?dump=timeline")
    with Server("--timeout", "1", "--threads", "1") as server:
        begun = server.rss()
        unread, codes = [], []
        for _ in range(14):
            connection = server.open()
            connection.sendall(request)
            unread.append(connection)
        peak = most = 0
        for _ in range(1200):  # a busy machine and sanitizers take long to make so many
            peak, most = max(peak, server.metric("unsent_bytes")), max(most, server.rss() - begun)
            if peak > 0 and server.metric("works") == 0:
                break
            time.sleep(0.1)
        if peak < 20e6:
            wrong.append(f"only {peak / 1e6:.0f} MB wait: the case tests nothing")
        room = 400e6 if not SANITIZED else 2e9  # sanitizers keep what was freed for a while
        if peak > 192 << 20 or most > room:
            wrong.append(f"{peak / 1e6:.0f} MB unsent, {most / 1e6:.0f} MB more memory")
        for connection in unread:
            connection.close()
        if settle(server, "unsent_bytes", 1e6, 10) > 1e6:
            wrong.append(f"{server.metric('unsent_bytes')} bytes are kept")
    check("answers that nobody reads are bounded and dropped", wrong)

    wrong = []
    with Server("--timeout", "1") as server:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        small = post(body.replace(b"2600", b"100"), b"Content-Length: " + str(len(body) - 1).encode(),
                     b"/api/v1/train?dump=timeline")
        n = len(server.ask(small)[2])
        connection.sendall(small)
        limit = 2 + n / 65536 + 1.5
        begun = time.monotonic()
        while server.metric('requests_ended_total{end="deadline"}') < 1 and time.monotonic() - begun < limit + 5:
            connection.recv(1)
            time.sleep(0.1)
        if time.monotonic() - begun > limit:
            wrong.append(f"{n} bytes are held for {time.monotonic() - begun:.1f} s")
        connection.close()
    check("reading a byte now and then does not hold an answer", wrong)


def test_long_work():
    """A simulation in the only thread that answers would make health wait."""
    wrong = []
    body = json.dumps({"model": "llama2-70b", "system": "h100-sxm", "gpus": 8, "plan": {"tp": 8},
                       "traffic": {"rate_per_s": 5, "requests": 1000000, "input_len": 500, "output_len": 200}}).encode()
    with Server("--threads", "1") as server:
        connection = server.open()
        connection.sendall(post(body, b"Content-Length: " + str(len(body)).encode(), b"/api/v1/serving"))
        busy, longest, begun = 0, 0, time.monotonic()
        while not busy and time.monotonic() - begun < 3:
            busy = server.metric("works")
        for _ in range(5):
            begun = time.monotonic()
            server.get("/api/v1/health")
            longest = max(longest, time.monotonic() - begun)
        if busy != 1:
            wrong.append(f"{busy} simulations run: {answer_of(connection)[2][:200]}")
        if longest > 1:
            wrong.append(f"health takes {longest:.1f} s")
        connection.close()
    check("long work does not keep short answers waiting", wrong)


def test_log():
    wrong, name = [], os.path.join(work.name, "access.log")
    with Server("--access-log", name, "--log-format", "json", "--threads", "1") as server:
        server.get("/api/v1/health?x=%22a%1b")
        server.ask(b"nonsense" + END)
        server.get("/" + "%22\\" * 100)
        if "running as root" in server.stderr() and json.loads(server.stderr())["level"] != "warning":
            wrong.append("the warning is no JSON")
        if os.geteuid() == 0 and "root" not in server.stderr():
            wrong.append("no warning about root")
    lines = [json.loads(line) for line in open(name)]
    keys = {"time", "address", "method", "target", "status", "received_bytes", "sent_bytes", "seconds", "end"}
    if [line["status"] for line in lines] != [200, 400, 404] or any(set(line) != keys for line in lines):
        wrong.append(lines)
    if lines and (lines[0]["target"] != "/api/v1/health?x=%22a%1b" or lines[0]["address"] != "127.0.0.1"):
        wrong.append(lines[0])
    with Server("--access-log", "-") as server:
        server.get("/api/v1/health")
        server.get("/metrics")
    if not re.search(r'^127\.0\.0\.1 - - \[\d\d/\w+/\d{4}:[\d:]{8} \+0000\] "GET /api/v1/health HTTP/1\.1" 200 \d+ '
                     r'\d\.\d{6} answered$', server.stderr(), re.M):
        wrong.append(server.stderr())
    if not os.path.exists("/dev/full"):
        return check("the access log", wrong)
    # One thread writes the line of a request before it reads the next one.
    with Server("--access-log", "/dev/full", "--threads", "1") as server:
        server.get("/api/v1/health")
        if server.metric("log_errors_total") != 1:
            wrong.append("a full disk is not counted")
    refused = subprocess.run([PROGRAM, "serve", "--port", "0", "--access-log", "/no/such/file"], capture_output=True)
    if refused.returncode != 2 or b"No such file" not in refused.stderr:
        wrong.append(refused)
    refused = subprocess.run([PROGRAM, "serve", "--log-format", "xml"], capture_output=True)
    if refused.returncode != 2 or b"expected text or json" not in refused.stderr:
        wrong.append(refused)
    check("the access log, as text and JSON", wrong)


def test_metrics(server):
    wrong, types = [], {}
    _, headers, body = server.get("/metrics")
    if not headers["content-type"].startswith("text/plain; version=0.0.4"):
        wrong.append(headers["content-type"])
    for line in body.decode().splitlines():
        if line.startswith("# TYPE"):
            types[line.split()[2]] = line.split()[3]
        elif not line.startswith("#"):
            found = re.fullmatch(r'([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (\S+)', line)
            name = re.sub("_(bucket|sum|count)$", "", found.group(1)) if found else None
            if not found or (found.group(1) not in types and name not in types) or float(found.group(4)) < 0:
                wrong.append(line)
    before = server.metric('requests_total{route="/api/v1/health",status="200"}') or 0
    server.get("/api/v1/health")
    after = server.metric('requests_total{route="/api/v1/health",status="200"}')
    if after != before + 1:
        wrong.append(f"{before} then {after} requests")
    check("metrics in the format of Prometheus", wrong)


def main():
    with Server() as server:
        test_errors(server)
        test_protocol(server)
        test_half_open(server)
        test_ready(server)
        test_metrics(server)
    test_deadline()
    test_slow_many()
    test_addresses()
    test_unread()
    test_long_work()
    test_log()
    print(f"1..{count}")


if __name__ == "__main__":
    main()
