"""orrery serve under mixed load with faults: server.py PROGRAM SECONDS. Speaks TAP.

Clients ask well, ask badly, break off, read nothing, send byte by byte and are killed; the access log is on a full disk;
the clock of the wall jumps by hours (a preloaded library moves it). Every ten seconds health must answer, and memory and
descriptors must stay bounded. At the end nothing may be left, and SIGTERM must end the server with status 0.
"""
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM, SECONDS = sys.argv[1], float(sys.argv[2])
JUMPS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
/* CLOCK_REALTIME jumps by up to a day, forward and back, every second of CLOCK_MONOTONIC. */
static long jump_s(void)
{
    struct timespec now;
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    real(CLOCK_MONOTONIC, &now);
    return (now.tv_sec * 7919 % 172800) - 86400;
}
int clock_gettime(clockid_t id, struct timespec *at)
{
    int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const int result = real(id, at);
    if (id == CLOCK_REALTIME) at->tv_sec += jump_s();
    return result;
}
time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""
INFER = {"model": "llama2-70b", "system": "h100-sxm", "gpus": 8, "plan": {"tp": 8},
         "workload": {"batch": 4, "input_len": 200, "output_len": 200}}
TRAIN = {"model": "gpt3-175b", "system": "a100-80g-sxm", "gpus": 64, "plan": {"tp": 8, "pp": 8, "vpp": 3},
         "workload": {"global_batch": 64, "engine": "megatron-lm-2022"}}
SEARCH = {"kind": "train", "model": "gpt-1t", "system": "a100-80g-sxm", "gpus": 4096,
          "workload": {"global_batch": 8192}, "search": {"brute": True}}
SWEEP = {"request": dict(TRAIN, kind="train"), "vary": [{"field": "chip.hbm_bytes_per_s", "values": "1e12:4e12:2000"}]}
SERVING = {"model": "llama3-8b", "system": "h100-sxm", "traffic": {"rate_per_s": 5, "requests": 500, "input_len": 500,
                                                                  "output_len": 50}}
work = tempfile.TemporaryDirectory()
done = threading.Event()
asked, wrong = {}, []


def start():
    source, library = os.path.join(work.name, "jumps.c"), os.path.join(work.name, "jumps.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(JUMPS)
    environment = dict(os.environ)
    if subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=False).returncode == 0:
        environment["LD_PRELOAD"] = library
    process = subprocess.Popen([PROGRAM, "serve", "--port", "0", "--timeout", "3", "--access-log", "/dev/full"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    return process, int(process.stdout.readline().decode().strip().rstrip("/").split(":")[-1])


process, port = start()


def request(path, body):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"POST /api/v1/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (
        path.encode(), len(text)) + text


def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=90)


def read_all(connection):
    data = b""
    while piece := connection.recv(1 << 16):
        data += piece
    return data


def count(name):
    asked[name] = asked.get(name, 0) + 1


def ask(path, body, statuses):
    with connect() as connection:
        connection.sendall(request(path, body))
        data = read_all(connection)
    count(path.split("?")[0])
    if not any(data.startswith(b"HTTP/1.1 %d" % status) for status in statuses):
        wrong.append(f"{path}: {data[:100]}")


def good():
    job = json.loads(json.dumps(INFER))
    job["workload"]["batch"] = random.randint(1, 60)
    ask("infer", job, [200])
    ask("train?explain=1", TRAIN, [200])
    ask("serving", SERVING, [200, 503])


def broken():
    body = bytearray(json.dumps(INFER).encode())
    for _ in range(3):
        body[random.randrange(len(body))] = random.randrange(256)
    ask("infer", bytes(body), [200, 400])


def break_off():
    with connect() as connection:
        data = request("infer", INFER)
        connection.sendall(data[:random.randrange(len(data))])
    count("broken off")
    with connect() as connection:
        connection.sendall(request("search", SEARCH))
        time.sleep(random.random())
    count("cancelled searches")


def unread():
    connections = []
    for _ in range(8):
        connection = connect()
        connection.sendall(request("sweep", SWEEP) if random.random() < 0.3 else request(
            "train?dump=timeline", dict(TRAIN, workload=dict(TRAIN["workload"], global_batch=1000))))
        connections.append(connection)
    done.wait(5 * random.random())
    for connection in connections:
        connection.close()
    count("unread answers")


def slow():
    connections = [connect() for _ in range(30)]
    for _ in range(6):
        for connection in connections:
            try:
                connection.sendall(b"x")
            except OSError:
                pass
        done.wait(0.5)
    for connection in connections:
        connection.close()
    count("slow clients")


def killed():
    client = subprocess.Popen(["curl", "-sN", "-d", json.dumps(SEARCH), f"http://127.0.0.1:{port}/api/v1/search"],
                              stdout=subprocess.DEVNULL)
    done.wait(random.random())
    client.kill()
    client.wait()
    count("killed clients")


def forever(action):
    while not done.is_set():
        try:
            action()
        except OSError as error:
            if process.poll() is not None:
                wrong.append(f"the server has ended: {error}")
                done.set()
            time.sleep(0.05)


def memory():
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024


def metrics():
    with connect() as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return dict(re.findall(r"^orrery_(\w+) (\S+)$", read_all(connection).decode(), re.M))


ECHO = """
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.sendall(c.recv(100))
    c.close()
"""


class Echo:
    """A process that only echoes, at the same priority: how long an answer takes where a busy machine leaves no time."""
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def seconds(self):
        begun = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.port), timeout=90) as connection:
            connection.sendall(b"x")
            read_all(connection)
        return time.monotonic() - begun


def watch():
    """Health, memory and descriptors, until the time is over. What an echo takes at the same time is not the server's."""
    begun, highest, slowest, files = time.monotonic(), 0, 0, 0
    echo = Echo()
    while time.monotonic() - begun < SECONDS and not done.is_set():
        done.wait(min(10, SECONDS / 10))
        asked_at = time.monotonic()
        try:
            metrics()
        except OSError as error:
            wrong.append(f"no answer: {error}")
        slowest = max(slowest, time.monotonic() - asked_at - echo.seconds())
        highest = max(highest, memory())
        files = max(files, len(os.listdir(f"/proc/{process.pid}/fd")))
    done.set()
    echo.process.kill()
    echo.process.wait()
    return highest, slowest, files


def main():
    workers = [threading.Thread(target=forever, args=(action,)) for action in
               (good, good, broken, break_off, unread, slow, killed)]
    for worker in workers:
        worker.start()
    highest, slowest, files = watch()
    for worker in workers:
        worker.join()
    until = time.monotonic() + 70
    while time.monotonic() < until:
        left = metrics()
        if left["connections"] == "1" and left["studies"] == left["works"] == left["unsent_bytes"] == "0":
            break
        time.sleep(0.5)
    else:
        wrong.append(f"left behind: {left}")
    after = memory()
    process.send_signal(signal.SIGTERM)
    status = process.wait(60)
    print(f"# {SECONDS:.0f} s: " + ", ".join(f"{n} {name}" for name, n in sorted(asked.items())))
    print(f"# memory at most {highest:.0f} MiB, {after:.0f} MiB afterwards; health after at most {slowest:.2f} s beyond an echo; "
          f"{files} descriptors; {left['log_errors_total']} lines of the log lost to a full disk")
    cases = [("every answer was one that is allowed", not wrong), ("memory stayed below 1 GiB", highest < 1024),
             ("health never took 5 s longer than an echo", slowest < 5), ("descriptors stayed below the limit", files < 1100),
             ("SIGTERM ends it with status 0", status == 0)]
    for i, (name, held) in enumerate(cases):
        print(f"{'ok' if held else 'not ok'} {i + 1} - {name}")
    for line in wrong[:20]:
        print("# " + line)
    print(f"1..{len(cases)}")


main()
