"""Requests that the server must refuse, kept with what it says: cases.py PROGRAM [bless]. Speaks TAP.

A line of cases.jsonl is one request: "path" below /api/v1/ with a "body" (POST), or "path" alone with a "method" (GET), or
"raw", the bytes of a connection; "fields" are further lines of the head, and "close" ends what the client sends. Expected
are "status" (400 or more) and the "text" and "key" of the error. "bless" writes what the server says; read the difference.
"""
import json
import os
import socket
import subprocess
import sys
import tempfile

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.jsonl")


def start(program):
    process = subprocess.Popen([program, "serve", "--port", "0", "--timeout", "5"], stdout=subprocess.PIPE,
                               stderr=tempfile.TemporaryFile())
    return process, int(process.stdout.readline().decode().strip().rstrip("/").split(":")[-1])


def bytes_of(case):
    if "raw" in case:
        return case["raw"].encode("latin-1")
    body = case.get("body")
    text = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    path = case["path"] if case["path"].startswith("/") else "/api/v1/" + case["path"]
    lines = [f"{case.get('method', 'GET' if body is None else 'POST')} {path} HTTP/1.1"]
    fields = {"Host": "localhost", "Connection": "close", **case.get("fields", {})}
    if text and "Transfer-Encoding" not in fields:
        fields.setdefault("Content-Length", str(len(text)))
    lines += [f"{name}: {value}" for name, value in fields.items() if value is not None]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + text


def ask(port, case):
    """Status, head and body of the first answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(bytes_of(case))
        if case.get("close"):
            connection.shutdown(socket.SHUT_WR)
        data = b""
        while b"\r\n\r\n" not in data or len(data.partition(b"\r\n\r\n")[2]) < length(data):
            piece = connection.recv(65536)
            if not piece:
                break
            data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    return (int(head.split()[1]) if head else 0), head.decode("latin-1"), body


def length(data):
    for line in data.partition(b"\r\n\r\n")[0].lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 1 << 30


def check(port, case):
    """What differs from the case, and the case as the server answers it."""
    status, head, body = ask(port, case)
    try:
        error = json.loads(body)["error"]
    except (ValueError, KeyError, TypeError):
        return [f"status {status}, no error: {body[:200]}"], case
    wrong = []
    got = dict(case, status=status, text=error["text"], key=error["key"])
    if status < 400 or not error["text"] or "\n" in error["text"]:
        wrong.append(f"status {status}: {error['text']!r}")
    if "application/json" not in head or "x-content-type-options" not in head.lower():
        wrong.append("the head is not that of an error")
    if not (isinstance(error["line"], int) and isinstance(error["column"], int)):
        wrong.append("no place")
    for name in ("status", "text", "key"):
        if got[name] != case.get(name):
            wrong.append(f"{name}: {got[name]!r}, not {case.get(name)!r}")
    return wrong, got


def main():
    with open(CASES, encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    names = [case["name"] for case in cases]
    process, port = start(sys.argv[1])
    blessed = []
    for i, case in enumerate(cases):
        wrong, got = check(port, case)
        if names.count(case["name"]) > 1:
            wrong.append("the name is given twice")
        blessed.append(got)
        print(f"{'not ok' if wrong else 'ok'} {i + 1} - {case['name']}")
        for line in wrong:
            print("# " + line)
    alive = ask(port, {"path": "health"})[0] == 200
    process.terminate()
    ended = process.wait(60) == 0
    print(f"{'ok' if alive and ended else 'not ok'} {len(cases) + 1} - afterwards it answers, and ends with status 0")
    print(f"1..{len(cases) + 1}")
    if "bless" in sys.argv[2:]:
        with open(CASES, "w", encoding="utf-8") as file:
            for case in blessed:
                file.write(json.dumps(case, ensure_ascii=False) + "\n")


main()
