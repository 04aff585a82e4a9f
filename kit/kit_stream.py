#!/usr/bin/env python3
"""Measure what a front end spends on streaming tokens: processor seconds per token of a server that sends every token of
N concurrent answers as one server-sent event, and of a client that reads them.

    kit_stream.py --out DIR [--streams 64,256,1000] [--tokens 200] [--server plain,fastapi] [--tokenise | --requests]

The server does what OpenAI-compatible front ends of serving engines do in one Python process: an engine task puts the
next token of every running request into a queue of that request, a handler per request takes it out, makes a chunk
(a chat completion chunk with one choice and one delta), writes it as JSON and sends it as one part of a chunked HTTP
response. `fastapi`: chunks are pydantic models, sent by a StreamingResponse under uvicorn. `plain`: chunks are
dictionaries written by json, sent by a bare asyncio protocol, which is the least that such a front end can do. The next
token of all streams is made as soon as the last one was taken by all, so that the process is never idle; what is
printed is processor time (user and system), not wall time. Messages between an engine and its front end are not in it.

--tokenise measures instead what texts and tokens cost (needs `tokenizers` and `transformers`): prompts into tokens,
single tokens into text by a stream of the library `tokenizers`, and by joining the last tokens twice, with byte-level
vocabularies of 128,000 pieces that are learnt from the sources of this machine's Python packages. Prompts are such
sources, and texts of tokens drawn at random, as benchmarks send them. See README.md.

--requests measures what it takes to begin answers: that many requests at once, each with a text of 1,000 characters and
answered with one token. The server checks a request with 40 optional members (`pydantic`), as OpenAI-compatible front
ends do, and makes no tokens; the client is aiohttp with a session for every request, as benchmarks of serving engines
had it until mid 2025, or one for all. Needs `fastapi`, `uvicorn` and `aiohttp`.
"""
import argparse
import asyncio
import csv
import glob
import json
import multiprocessing
import os
import platform
import random
import resource
import sys
import time

TEXT = " the"


# ---------------------------------------------------------------- output

def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def versions():
    names = [f"Python {platform.python_version()}"]
    for module in ("uvloop", "fastapi", "uvicorn", "pydantic", "aiohttp"):
        try:
            found = __import__(module)
            names.append(f"{module} {getattr(found, '__version__', None) or found.VERSION}")
        except ImportError:
            pass
    return ", ".join(names)


def processor_s():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime, use.ru_stime


# ---------------------------------------------------------------- the engine's side

class Engine:
    """Gives every running request its next token, as fast as the handlers take them."""

    def __init__(self, streams, tokens, report):
        self.streams, self.tokens, self.report = streams, tokens, report
        self.queues, self.taken, self.all_taken = [], 0, asyncio.Event()

    def join(self):
        queue = asyncio.Queue()
        self.queues.append(queue)
        if len(self.queues) == self.streams:
            asyncio.get_running_loop().create_task(self.run())
        return queue

    def took(self):
        self.taken += 1
        if self.taken == self.streams:
            self.all_taken.set()

    async def run(self):
        await asyncio.sleep(0.2)
        begin = processor_s()
        for _ in range(self.tokens):
            self.taken = 0
            self.all_taken.clear()
            for queue in self.queues:
                queue.put_nowait(TEXT)
            await self.all_taken.wait()
        end = processor_s()
        self.report.put(("server", end[0] - begin[0], end[1] - begin[1]))
        for queue in self.queues:
            queue.put_nowait(None)


def chunk_fields(text, created, request):
    return {"id": request, "object": "chat.completion.chunk", "created": created, "model": "model",
            "choices": [{"index": 0, "delta": {"content": text}, "logprobs": None, "finish_reason": None}]}


# ---------------------------------------------------------------- servers

async def plain_handler(engine, reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    queue, created, request = engine.join(), int(time.time()), f"chatcmpl-{id(writer):x}"
    while (text := await queue.get()) is not None:
        data = f"data: {json.dumps(chunk_fields(text, created, request))}\n\n".encode()
        writer.write(b"%x\r\n%s\r\n" % (len(data), data))
        await writer.drain()
        engine.took()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    writer.close()


async def serve_plain(engine, port):
    server = await asyncio.start_server(lambda r, w: plain_handler(engine, r, w), "127.0.0.1", port, backlog=4096)
    async with server:
        await server.serve_forever()


def fastapi_app(engine):
    import fastapi
    import fastapi.responses
    import pydantic
    from typing import List, Optional

    class Delta(pydantic.BaseModel):
        role: Optional[str] = None
        content: Optional[str] = None

    class Choice(pydantic.BaseModel):
        index: int
        delta: Delta
        logprobs: Optional[dict] = None
        finish_reason: Optional[str] = None

    class Chunk(pydantic.BaseModel):
        id: str
        object: str = "chat.completion.chunk"
        created: int
        model: str
        choices: List[Choice]

    write = getattr(Chunk, "model_dump_json", None) or Chunk.json
    app = fastapi.FastAPI()

    async def events():
        queue, created, request = engine.join(), int(time.time()), "chatcmpl-0123456789abcdef"
        while (text := await queue.get()) is not None:
            choice = Choice(index=0, delta=Delta(content=text), finish_reason=None)
            chunk = Chunk(id=request, created=created, model="model", choices=[choice])
            yield f"data: {write(chunk, exclude_unset=True)}\n\n"
            engine.took()
        yield "data: [DONE]\n\n"

    @app.get("/")
    async def stream():
        return fastapi.responses.StreamingResponse(events(), media_type="text/event-stream")

    return app


async def serve_fastapi(engine, port):
    import uvicorn
    config = uvicorn.Config(fastapi_app(engine), host="127.0.0.1", port=port, log_level="warning", backlog=4096)
    await uvicorn.Server(config).serve()


def new_loop():
    try:
        import uvloop
        return uvloop.new_event_loop()
    except ImportError:
        return asyncio.new_event_loop()


def server_process(kind, streams, tokens, port, report):
    loop = new_loop()
    asyncio.set_event_loop(loop)

    async def main():
        engine = Engine(streams, tokens, report)
        await {"plain": serve_plain, "fastapi": serve_fastapi}[kind](engine, port)

    loop.run_until_complete(main())


# ---------------------------------------------------------------- the client

async def read_stream(port, times):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    while line := await reader.readline():
        if line.startswith(b"data: {"):
            json.loads(line[6:])
            times.append(time.perf_counter())
        elif line == b"0\r\n" or line.startswith(b"data: [DONE]"):
            break
    writer.close()


def client_process(streams, port, report):
    loop = new_loop()
    asyncio.set_event_loop(loop)
    times = [[] for _ in range(streams)]

    async def main():
        await asyncio.gather(*(read_stream(port, own) for own in times))

    begin = processor_s()
    loop.run_until_complete(main())
    end = processor_s()
    report.put(("client", end[0] - begin[0], end[1] - begin[1], sum(map(len, times))))


# ---------------------------------------------------------------- texts and tokens

def source_texts(most_bytes):
    """Texts to learn a vocabulary from and to make tokens of: the sources of the Python packages of this machine."""
    paths = [path for folder in dict.fromkeys(sys.path) if os.path.isdir(folder)
             for path in glob.glob(os.path.join(folder, "**", "*.py"), recursive=True)]
    random.Random(1).shuffle(paths)
    texts = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            texts.append(file.read(40000))
        most_bytes -= len(texts[-1])
        if most_bytes < 0:
            break
    return texts


def trained_tokenizer(texts, by_pattern):
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if by_pattern:
        pattern = Regex(r"[^\s\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Split(pattern, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    trainer = trainers.BpeTrainer(vocab_size=128000, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def random_prompts(tokenizer, prompts, tokens):
    draw = random.Random(1)
    return [tokenizer.decode([draw.randrange(256, tokenizer.get_vocab_size()) for _ in range(tokens)])
            for _ in range(prompts)]


def decode_by_stream(tokenizer, answers):
    from tokenizers.decoders import DecodeStream
    for answer in answers:
        stream = DecodeStream(skip_special_tokens=True)
        for token in answer:
            stream.step(tokenizer, token)


def decode_by_joining(fast, answers):
    """New text is what the last tokens make with the newest one, less what they make without it."""
    for answer in answers:
        pieces, first, seen = [], 0, 0
        for token in answer:
            pieces += fast.convert_ids_to_tokens([token], skip_special_tokens=True)
            before = fast.convert_tokens_to_string(pieces[first:seen])
            after = fast.convert_tokens_to_string(pieces[first:])
            if len(after) > len(before) and not after.endswith("\ufffd"):
                first, seen = seen, len(pieces)


def token_parts(texts, by_pattern):
    """What is timed with one vocabulary: name, prompts, tokens, and how."""
    import transformers
    tokenizer = trained_tokenizer(texts, by_pattern)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    prompts = {"text": [text[:30000] for text in texts[-64:]],
               "random tokens, 7373 a prompt": random_prompts(tokenizer, 32, 7373),
               "random tokens, 921 a prompt": random_prompts(tokenizer, 128, 921)}
    for name, texts_of in prompts.items():
        tokens = sum(len(tokenizer.encode(text).ids) for text in texts_of)
        yield "prompt to tokens", name, tokens, lambda texts_of=texts_of: [fast(text) for text in texts_of]
    answers = [tokenizer.encode(text).ids[:500] for text in prompts["text"]]
    tokens = sum(map(len, answers))
    yield "token to text, stream", "", tokens, lambda: decode_by_stream(tokenizer, answers)
    yield "token to text, joined twice", "", tokens, lambda: decode_by_joining(fast, answers)


def tokenise(folder, repeats):
    import tokenizers
    import transformers
    texts = source_texts(45e6)
    source = (f"{cpu_name()}, Python {platform.python_version()}, tokenizers {tokenizers.__version__}, "
              f"transformers {transformers.__version__}, kit 1")
    with open(os.path.join(folder, "tokenise.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["part", "vocabulary", "prompts", "repeat", "us_per_token", "source"])
        for vocabulary in ("split by a pattern", "bytes"):
            for part, prompts, tokens, run in token_parts(texts, vocabulary != "bytes"):
                for repeat in range(repeats):
                    begin = sum(processor_s())
                    run()
                    value = 1e6 * (sum(processor_s()) - begin) / tokens
                    writer.writerow([part, vocabulary, prompts, repeat + 1, f"{value:.4g}", source])
                    print(vocabulary, part, prompts, f"{value:.2f} us per token", flush=True)


# ---------------------------------------------------------------- beginnings

def beginning_app(pydantic, fastapi, responses):
    from typing import Any, Dict, List, Optional, Union
    member_types = [Optional[float], Optional[int], Optional[bool], Optional[str], Optional[Dict[str, Any]],
                    Optional[Union[str, List[str]]], Optional[List[int]], Optional[Dict[str, float]]]
    members = {f"member_{i}": (member_types[i % len(member_types)], None) for i in range(40)}
    request_model = pydantic.create_model("Request", model=(str, ...), prompt=(Union[List[int], str], ...),
                                          max_tokens=(Optional[int], 16), temperature=(Optional[float], None),
                                          stream=(Optional[bool], False), **members)
    app = fastapi.FastAPI()

    async def events(request):
        data = {"id": "cmpl-0", "object": "text_completion", "created": 0, "model": request.model,
                "choices": [{"index": 0, "text": TEXT, "logprobs": None, "finish_reason": None}]}
        yield f"data: {json.dumps(data)}\n\n"
        yield "data: [DONE]\n\n"

    async def complete(request):
        return responses.StreamingResponse(events(request), media_type="text/event-stream")

    complete.__annotations__["request"] = request_model
    app.post("/v1/completions")(complete)
    return app


def beginning_server(port, requests, orders, report):
    import fastapi
    import fastapi.responses
    import pydantic
    import uvicorn
    config = uvicorn.Config(beginning_app(pydantic, fastapi, fastapi.responses), host="127.0.0.1", port=port,
                            log_level="warning", backlog=4096)
    loop = new_loop()
    asyncio.set_event_loop(loop)

    async def main():
        serving = loop.create_task(uvicorn.Server(config).serve())
        await loop.run_in_executor(None, orders.get)
        begin = processor_s()
        await loop.run_in_executor(None, orders.get)
        report.put([after - before for after, before in zip(processor_s(), begin)])
        serving.cancel()

    loop.run_until_complete(main())


async def begin_one(session, url, body):
    begin = time.perf_counter()
    first = 0
    async with session.post(url, json=body) as response:
        async for line in response.content:
            if line.startswith(b"data: {"):
                json.loads(line[6:])
                first = first or time.perf_counter() - begin
    return first


async def begin_all(requests, port, shared):
    import aiohttp
    url, body = f"http://127.0.0.1:{port}/v1/completions", {"model": "m", "prompt": "the " * 250, "max_tokens": 100,
                                                           "temperature": 0.0, "stream": True}

    async def own():
        async with aiohttp.ClientSession(trust_env=True) as session:
            return await begin_one(session, url, body)

    if not shared:
        return await asyncio.gather(*(own() for _ in range(requests)))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), trust_env=True) as session:
        return await asyncio.gather(*(begin_one(session, url, body) for _ in range(requests)))


def beginnings(folder, counts, repeats, port):
    source = f"{cpu_name()}, {versions()}, kit 1"
    with open(os.path.join(folder, "requests.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["sessions", "requests", "repeat", "server_us", "client_us", "first_s", "mean_s", "last_s",
                         "source"])
        for sessions in ("each", "one"):
            for requests in counts:
                for repeat in range(repeats):
                    orders, report = multiprocessing.Queue(), multiprocessing.Queue()
                    server = multiprocessing.Process(target=beginning_server, args=(port, requests, orders, report))
                    server.start()
                    time.sleep(3)
                    asyncio.run(begin_all(4, port, True))
                    orders.put("begin")
                    time.sleep(0.2)
                    begin = sum(processor_s())
                    times = asyncio.run(begin_all(requests, port, sessions == "one"))
                    client_s = sum(processor_s()) - begin
                    orders.put("end")
                    values = [1e6 * sum(report.get(timeout=60)) / requests, 1e6 * client_s / requests,
                              min(times), sum(times) / requests, max(times)]
                    server.terminate()
                    server.join(10)
                    port += 1
                    writer.writerow([sessions, requests, repeat + 1, *(f"{v:.4g}" for v in values), source])
                    file.flush()
                    print(sessions, requests, *(f"{v:.4g}" for v in values), flush=True)


# ---------------------------------------------------------------- runs

def measure(kind, streams, tokens, port):
    """Processor seconds of server and client in one run: (user, system) each."""
    report = multiprocessing.Queue()
    server = multiprocessing.Process(target=server_process, args=(kind, streams, tokens, port, report), daemon=True)
    server.start()
    time.sleep(2)
    client = multiprocessing.Process(target=client_process, args=(streams, port, report), daemon=True)
    client.start()
    found = {}
    while len(found) < 2:
        name, *values = report.get(timeout=300)
        found[name] = values
    client.join(10)
    server.terminate()
    server.join(10)
    if found["client"][2] != streams * tokens:
        sys.exit(f"kit_stream: {found['client'][2]} tokens of {streams * tokens} arrived")
    return found


def available(kinds):
    for kind in kinds:
        if kind == "fastapi":
            try:
                import fastapi  # noqa: F401
                import uvicorn  # noqa: F401
            except ImportError:
                print("kit_stream: fastapi or uvicorn is not installed; left out", file=sys.stderr)
                continue
        yield kind


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--streams", default="64,256,1000")
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--server", default="plain,fastapi")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--port", type=int, default=18080)
    parser.add_argument("--tokenise", action="store_true")
    parser.add_argument("--requests", help="numbers of requests that begin at once, as 100,1000")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    if args.tokenise:
        return tokenise(args.out, args.repeats)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if args.requests:
        return beginnings(args.out, list(map(int, args.requests.split(","))), args.repeats, args.port)
    with open(os.path.join(args.out, "stream.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["server", "streams", "tokens", "repeat", "server_user_us", "server_system_us", "client_user_us",
                         "client_system_us", "source"])
        source, port = f"{cpu_name()}, {versions()}, kit 1", args.port
        for kind in available(args.server.split(",")):
            for streams in map(int, args.streams.split(",")):
                for repeat in range(args.repeats):
                    found, port = measure(kind, streams, args.tokens, port), port + 1
                    all_tokens = streams * args.tokens
                    values = [1e6 * s / all_tokens for s in found["server"] + found["client"][:2]]
                    writer.writerow([kind, streams, args.tokens, repeat + 1, *(f"{v:.4g}" for v in values), source])
                    file.flush()
                    print(kind, streams, *(f"{v:.1f}" for v in values), "us per token", flush=True)
    return None


if __name__ == "__main__":
    main()
