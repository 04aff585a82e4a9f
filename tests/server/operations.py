"""What whoever runs orrery serve meets: logs that take no more, limits of the system, names, clients that leave and
signals. operations.py PROGRAM. Speaks TAP."""
import fcntl
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time

import limits
from limits import END, HEALTH, PROGRAM, Server, answer_of, check, expect_error, post, settle, work

SEARCH = json.dumps({"kind": "train", "model": "gpt3-175b", "system": "a100-80g-sxm", "gpus": 1024,
                     "workload": {"global_batch": 2048}, "search": {"brute": True}}).encode()
SIZE = json.dumps({"model": "llama3-70b", "system": "h100-sxm",
                   "traffic": {"rate_per_s": 20, "input_len": 2000, "output_len": 500},
                   "slo": ["ttft_s.p99<=2 s", "tpot_s.p99<=0.05 s"], "size": {"budget": "64 GPUs"}}).encode()


def started(*options, before=None, errors=subprocess.PIPE):
    """A server of its own process, with what `before` does in it first; its port."""
    process = subprocess.Popen([PROGRAM, "serve", "--port", "0", *options], stdout=subprocess.PIPE, stderr=errors,
                               preexec_fn=before)
    server = Server.__new__(Server)
    server.process = process
    server.port = int(process.stdout.readline().decode().strip().rstrip("/").split(":")[-1])
    return server


def ended(server, seconds, wrong, what):
    """The server ends on SIGTERM."""
    server.process.send_signal(signal.SIGTERM)
    try:
        server.process.wait(seconds)
    except subprocess.TimeoutExpired:
        wrong.append(f"{what}: SIGTERM does not end it within {seconds} s")
        server.process.kill()
        server.process.wait()


def refused(options, text, wrong):
    """The command ends at once with status 2 and this text."""
    with subprocess.Popen([PROGRAM, "serve", "--port", "0", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
        said = process.stderr.read().decode()
    if process.returncode != 2 or text not in said:
        wrong.append(f"{options}: status {process.returncode}: {said}")


def lengthened(body):
    return b"Content-Length: " + str(len(body)).encode()


def test_stalled_log():
    wrong, answered = [], 0
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    server = started("--access-log", "-", errors=writer)
    for _ in range(100):
        with server.open() as connection:
            connection.settimeout(5)
            connection.sendall(HEALTH + END[2:])
            try:
                answered += answer_of(connection)[0] == 200
            except OSError:
                break
    if answered != 100 or not server.metric("log_errors_total"):
        wrong.append(f"{answered} of 100 requests are answered")
    ended(server, 15, wrong, "a full pipe")
    os.close(reader)
    os.close(writer)
    check("a log that nobody reads stops neither answers nor the end", wrong)

    wrong = []
    name = os.path.join(work.name, "pipe")
    os.mkfifo(name)
    refused(["--access-log", name], "No such device or address", wrong)
    check("a pipe without a reader is refused as a log", wrong)


def test_full_log():
    wrong = []
    name = os.path.join(work.name, "limited.log")
    server = started("--access-log", name, "--log-format", "json", "--threads", "1",
                     before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    for _ in range(10):
        server.get("/api/v1/health")
    lost, cut = server.metric("log_errors_total"), open(name).read()
    os.truncate(name, 0)
    server.get("/api/v1/health")
    server.get("/api/v1/health")  # The one thread writes the line of a request before it reads the next one.
    more = open(name).read()
    broken = 0
    for line in (cut + more).split("\n"):
        try:
            broken += "status" not in json.loads(line or '{"status": 0}')
        except ValueError:
            broken += 1
    if not lost or cut.endswith("\n") or not more.startswith("\n") or broken != 1:
        wrong.append(f"{lost} lines lost, {broken} broken: {cut[-200:]} then {more}")
    ended(server, 15, wrong, "a full file")
    check("a line that was cut off does not spoil the next one, and a limit of files ends nothing", wrong)


def test_names():
    wrong = []
    for name in ("orrery.example:8443", "https://orrery.example/", "https://", "", "ftp://orrery.example", "a b",
                 "[::1]", "x" * 300):
        refused(["--host", name], "without a port or a path", wrong)
    server = started("--host", "HTTPS://Orrery.Example")
    with server.open() as connection:
        connection.sendall(HEALTH.replace(b"localhost", b"orrery.example") + b"Origin: https://orrery.example" + END)
        if answer_of(connection)[0] != 200:
            wrong.append("its own name is refused")
    ended(server, 15, wrong, "names")
    check("a name that no browser can send is refused at the start", wrong)

    if not socket.has_ipv6:
        return
    wrong = []
    try:
        server = started("--bind", "::0")
    except ValueError:
        return
    with server.open() as connection:
        connection.sendall(HEALTH.replace(b"localhost", b"192.168.7.9") + END[2:])
        if answer_of(connection)[0] != 200:
            wrong.append("::0 is not taken for ::")
    ended(server, 15, wrong, "::0")
    check("every way to write all addresses means the same", wrong)


def test_files():
    wrong = []

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

    server = started("--threads", "2", before=few)
    room = int(server.metric("connections_max"))
    if not 10 <= room <= 30:
        wrong.append(f"{room} connections where 40 files may be open")
    held = [server.open() for _ in range(room)]
    time.sleep(0.2)
    expect_error(server.ask(b""), 503, wrong, "one connection more than there are files")
    for connection in held:
        connection.close()
    settle(server, "connections", 1, 5)
    expect_error(server.get("/none"), 404, wrong, "afterwards")
    ended(server, 15, wrong, "few files")
    many = subprocess.run([PROGRAM, "serve", "--port", "0", "--connections", "100"], capture_output=True, preexec_fn=few,
                          timeout=20)
    if many.returncode != 2 or b"ulimit -n" not in many.stderr:
        wrong.append(many)
    check("there are no more connections than the system allows files", wrong)


def test_leaving():
    """On one core, so many sizes take ten seconds together."""
    wrong = []
    server = started("--threads", "1", before=lambda: os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1]))
    clients = [server.open() for _ in range(16)]
    for connection in clients:
        connection.sendall(post(SIZE, lengthened(SIZE), b"/api/v1/size"))
    until = time.monotonic() + 5
    while server.metric("works") < 16 and time.monotonic() < until:
        time.sleep(0.05)
    begun = time.monotonic()
    for connection in clients:
        connection.close()
    left = settle(server, "works", 0, 3 if not limits.SANITIZED else 15)
    if left > 0:
        wrong.append(f"{left} of them run {time.monotonic() - begun:.1f} s after their clients left")
    ended(server, 15, wrong, "clients that left")
    check("long work ends when its client leaves", wrong)


def events_of(connection, seconds):
    """What a stream of events sends until it ends, or for so long."""
    connection.settimeout(seconds)
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
            if data.endswith(b"0\r\n\r\n"):
                break
    except OSError:
        pass
    return data


def test_stop():
    wrong = []
    server = started()
    connection = server.open()
    connection.sendall(post(SEARCH, lengthened(SEARCH), b"/api/v1/search"))
    seen = connection.recv(65536)
    while b"event: progress" not in seen:
        seen += connection.recv(65536)
    server.process.send_signal(signal.SIGTERM)
    seen += events_of(connection, 20)
    if b"event: error" not in seen or b"the server stops" not in seen or not seen.endswith(b"0\r\n\r\n"):
        wrong.append(seen[-200:])
    ended(server, 15, wrong, "a search")
    check("a search that a stop ends says so", wrong)


def test_gap():
    """Nothing happens for longer than an answer may take to leave: the machine was busy, or a step is long."""
    wrong = []
    server = started("--timeout", "1")
    connection = server.open()
    connection.sendall(post(SEARCH, lengthened(SEARCH), b"/api/v1/search"))
    seen = connection.recv(65536)
    while b"event: progress" not in seen:
        seen += connection.recv(65536)
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    server.process.send_signal(signal.SIGCONT)
    connection.settimeout(10)
    more = b""
    try:
        for _ in range(4):
            more += connection.recv(65536)
    except OSError as error:
        wrong.append(error)
    if b"event: " not in more or server.metric('requests_ended_total{end="deadline"}') != 0:
        wrong.append(f"the search is cut off: {more[-100:]}")
    connection.close()
    ended(server, 15, wrong, "a gap")
    check("a search may be silent for longer than an answer may take to leave", wrong)


def test_buckets(server):
    """Counts move while they are read: a histogram must still be one."""
    wrong, stop = [], threading.Event()

    def load():
        with server.open() as connection:
            while not stop.is_set():
                connection.sendall((HEALTH + END[2:]) * 50)
                n = 0
                while n < 50:
                    n += connection.recv(1 << 20).count(b"HTTP/1.1 200")

    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 2
    while time.monotonic() < until and not wrong:
        text = server.get("/metrics")[2].decode()
        counts = {}
        for route, n in re.findall(r'request_seconds_(?:bucket|count)\{route="([^"]*)"[^}]*\} (\d+)', text):
            counts.setdefault(route, []).append(int(n))
        wrong += [f"{route}: {n}" for route, n in counts.items() if n != sorted(n) or n[-1] != n[-2]]
    stop.set()
    for thread in threads:
        thread.join()
    check("buckets add up while requests end", wrong)


def main():
    test_stalled_log()
    test_full_log()
    test_names()
    test_files()
    test_leaving()
    with Server() as server:
        test_buckets(server)
    test_stop()
    test_gap()
    print(f"1..{limits.count}")


main()
