"""Predict how fast, how big and how costly distributed LLM training and inference are.

>>> import orrery
>>> step = orrery.train("gpt3-175b", "a100-80g-sxm", tp=8, pp=8, global_batch=64, sp=True)
>>> step.step_time_s > 1
True
>>> step.time_s["forward"] < step.step_time_s
True

Names and values are those of the JSON request (docs/json.md): keys of ``plan`` and ``workload`` are keyword arguments,
and a string with a unit may stand for any number with a unit. Errors in a request raise :class:`orrery.Error`.
"""

from __future__ import annotations

import json
import os
import threading
import time
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library as c
from ._result import COLUMNS, Column, Result, SearchResult, Table, read_columns, value_of

__all__ = ["COLUMNS", "Catalogue", "Column", "Error", "Result", "SearchResult", "Table", "catalogue", "compare", "fit", "infer", "search",
           "serving", "size", "sweep", "train", "version"]

Part = Union[str, "os.PathLike[str]", Mapping[str, Any]]  # an id, a path of a file, or the object itself

#: Keys of a request's plan; every other field is one of the workload.
PLAN = frozenset(
    "tp pp vpp dp cp ep etp sp zero zero_group zero_secondary reshard_after_forward offload schedule stages cp_kind overlap "
    "stage_layers".split())

_KINDS = {"train": 0, "infer": 1}
_ORIGIN = b"request"


def _plain(value: Any) -> Any:
    """Turn a path, or a number or array of numpy, torch and similar libraries, into a value that JSON knows."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for name in ("tolist", "item"):
        if hasattr(value, name):
            return getattr(value, name)()
    raise TypeError(f"{type(value).__name__} {value!r} is no value of a request")


_encoder = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain).encode


class Error(ValueError):
    """Something is wrong with a request. The text says what, where, what is allowed and what comes near."""

    def __init__(self, error: c.CError) -> None:
        super().__init__(error.text.decode("utf-8", "replace"))
        self.code: int = error.code  #: enum orr_err
        self.key: str = error.key.decode("utf-8", "replace")  #: dotted path of the value that is wrong; may be empty
        self.file: str = error.file.decode("utf-8", "replace")
        self.line: int = error.line  #: counted from 1; 0 where the error has no place in a file
        self.column: int = error.column


def _encode(request: Mapping[str, Any]) -> bytes:
    try:
        return _encoder(request).encode()
    except (TypeError, ValueError) as error:  # these errors name their key, like those of the library
        key = _culprit(request)
        raise Error(c.CError(code=1, key=key.encode()[:127], text=f"{key}: {error}".encode()[:511])) from None


def _culprit(value: Any, path: str = "") -> str:
    """Return the dotted path of the first value that JSON cannot write."""
    is_list = isinstance(value, (list, tuple))
    for name, part in value.items() if isinstance(value, Mapping) else enumerate(value if is_list else ()):
        try:
            _encoder(part)
        except (TypeError, ValueError):
            return _culprit(part, f"{path}.{name}" if path else str(name))
    return path


def version() -> str:
    """Return the version of the library."""
    text: bytes = c.lib.orr_version()
    return text.decode()


def _request(kind: str, model: Part, system: Part, gpus: Any, set: Optional[Mapping[str, Any]],
             fields: Mapping[str, Any]) -> Dict[str, Any]:
    plan: Dict[str, Any] = {}
    workload: Dict[str, Any] = {}
    for name, value in fields.items():
        if value is not None:
            (plan if name in PLAN else workload)[name] = value
    request: Dict[str, Any] = {"kind": kind, "model": model, "system": system, "plan": plan, "workload": workload}
    if gpus is not None:
        request["gpus"] = gpus
    if set:
        request["set"] = set
    return request


class _Session:
    """The handle and the error that one thread works with."""

    __slots__ = ("handle", "error", "__weakref__")

    def __init__(self, catalogue: "Catalogue") -> None:
        self.handle = c.lib.orr_session_new(catalogue._handle)
        if not self.handle:
            raise MemoryError("orrery: out of memory")
        self.error = c.CError()
        weakref.finalize(self, c.lib.orr_session_free, self.handle)


class Catalogue:
    """The built-in models, chips, systems and engines, and those under your own ``directories`` (each with models/,
    chips/, ...). Several threads may share one. The functions of the module use a catalogue without directories."""

    def __init__(self, directories: Sequence[Union[str, "os.PathLike[str]"]] = ()) -> None:
        paths = (c.c_char_p * max(1, len(directories)))(*(os.fsencode(path) for path in directories))
        handle, error = c.c_void_p(), c.CError()
        if c.lib.orr_catalogue_open(paths, len(directories), handle, error):
            raise Error(error)
        self._handle = handle
        self._local = threading.local()
        weakref.finalize(self, c.lib.orr_catalogue_close, handle)

    def _session(self) -> _Session:
        try:
            session: _Session = self._local.session
        except AttributeError:
            session = self._local.session = _Session(self)
        return session

    def _ask(self, kind: str, request: Dict[str, Any]) -> Result:
        session, row, text = self._session(), c.Row(), _encode(request)
        if c.lib.orr_session_ask(session.handle, text, _ORIGIN, row, session.error):
            raise Error(session.error)
        return Result(kind, row, text, self)

    def _report(self, request: bytes, format: str, width: int) -> str:
        if format not in c.FORMATS:
            raise ValueError(f"format {format!r}: expected one of {', '.join(c.FORMATS)}")
        session, text = self._session(), c.c_void_p()
        if c.lib.orr_session_render(session.handle, request, _ORIGIN, c.FORMATS.index(format), c.Style(width, False),
                                    text, session.error):
            raise Error(session.error)
        return c.take_text(text.value or 0)

    def _answer(self, what: str, request: Dict[str, Any], run: Any, *arguments: Any) -> Dict[str, Any]:
        """Open a service or a size, run it by this function of the library, and return its JSON."""
        handle, error = c.c_void_p(), c.CError()
        if getattr(c.lib, f"orr_{what}_open")(self._handle, _encode(request), _ORIGIN, handle, error):
            raise Error(error)
        try:
            if run(handle, *arguments, error):
                raise Error(error)
            text = c.take_text(getattr(c.lib, f"orr_{what}_render")(handle, c.FORMATS.index("json"), None))
        finally:
            getattr(c.lib, f"orr_{what}_close")(handle)
        result: Dict[str, Any] = json.loads(text)
        return result

    def ids(self, part: str) -> List[str]:
        """Return the ids of a part: models, chips, systems, engines, calibration, ..."""
        names = [c.lib.orr_part_name(i).decode() for i in range(c.N_PARTS)]
        if part not in names:
            raise ValueError(f"part {part!r}: expected one of {', '.join(names)}")
        i = names.index(part)
        return [c.lib.orr_catalogue_id(self._handle, i, n).decode()
                for n in range(c.lib.orr_catalogue_count(self._handle, i))]

    def train(self, model: Part, system: Part, *, gpus: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
              **fields: Any) -> Result:
        """Predict one training step; see :func:`orrery.train`."""
        return self._ask("train", _request("train", model, system, gpus, set, fields))

    def infer(self, model: Part, system: Part, *, gpus: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
              **fields: Any) -> Result:
        """Predict inference; see :func:`orrery.infer`."""
        return self._ask("infer", _request("infer", model, system, gpus, set, fields))

    def serving(self, model: Part, system: Part, *, traffic: Mapping[str, Any], slo: Sequence[str] = (),
                deployment: Optional[Mapping[str, Any]] = None, closed_form: bool = False, gpus: Optional[int] = None,
                set: Optional[Mapping[str, Any]] = None, **fields: Any) -> Dict[str, Any]:
        """Simulate a service under load; see :func:`orrery.serving`."""
        request = _request("serving", model, system, gpus, set, fields)
        request["traffic"] = traffic
        request["slo"] = list(slo)
        if deployment is not None:
            request["deployment"] = deployment
        if closed_form:
            return self._answer("service", request, c.lib.orr_service_solve)
        return self._answer("service", request, c.lib.orr_service_run, None, None, None)

    def size(self, model: Part, system: Union[Part, Sequence[Part]], *, traffic: Mapping[str, Any],
             slo: Sequence[str], budget: Union[int, str, None] = None, objective: Optional[str] = None,
             batch: Optional[Sequence[int]] = None, chunk: Optional[Sequence[int]] = None, threads: int = 0,
             set: Optional[Mapping[str, Any]] = None, **fields: Any) -> Dict[str, Any]:
        """Find the cheapest plan that serves a load within limits; see :func:`orrery.size`."""
        request = _request("size", model, "", None, set, fields)
        request["system"] = list(system) if isinstance(system, (list, tuple)) else system
        request["traffic"] = traffic
        request["slo"] = list(slo)
        asked = {"budget": budget, "objective": objective, "batch": batch, "chunk": chunk}
        request["size"] = {key: value for key, value in asked.items() if value is not None}
        return self._answer("size", request, c.lib.orr_size_run, threads, None, None, None)

    def search(self, kind: str, model: Part, system: Part, *, gpus: Any, objective: Optional[str] = None,
               top: Optional[int] = None, limits: Optional[Sequence[str]] = None, threads: int = 0,
               set: Optional[Mapping[str, Any]] = None, options: Optional[Mapping[str, Any]] = None,
               **fields: Any) -> SearchResult:
        """Find the best plan; see :func:`orrery.search`."""
        request = _request(kind, model, system, gpus, set, fields)
        wanted = {"objective": objective, "top": top, "limits": limits, **(options or {})}
        request["search"] = {key: value for key, value in wanted.items() if value is not None}
        search = _Search(self, _encode(request))
        start = time.perf_counter()
        search.run(threads)
        seconds = time.perf_counter() - start
        text = search.render("json", c.Style(0, False, False, seconds))
        return SearchResult(text, search.render("html", c.Style()))

    def sweep(self, kind: str, model: Part, system: Part, *, vary: Mapping[str, Any], mode: str = "product",
              samples: int = 0, seed: int = 0, threads: int = 0, gpus: Optional[int] = None,
              set: Optional[Mapping[str, Any]] = None, **fields: Any) -> Table:
        """Predict at many points; see :func:`orrery.sweep`."""
        if mode not in c.MODES:
            raise ValueError(f"mode {mode!r}: expected one of {', '.join(c.MODES)}")
        request = _request(kind, model, system, gpus, set, fields)
        _encode(request)  # this finds values that JSON cannot write, at their key in the request
        asked: Dict[str, Any] = {"request": request, "mode": mode,
                                 "vary": [_vary(name, values) for name, values in vary.items()]}
        if mode == "sample":
            asked.update(samples=samples, seed=seed)
        handle, error = c.c_void_p(), c.CError()
        if c.lib.orr_sweep_open_json(self._handle, _encode(asked), _ORIGIN, threads, handle, error):
            raise Error(error)
        try:
            return _run_sweep(handle, list(vary), error)
        finally:
            c.lib.orr_sweep_close(handle)

    def compare(self, *requests: Mapping[str, Any], names: Optional[Sequence[str]] = None) -> Dict[str, Any]:
        """As :func:`orrery.compare`, with the parts of this catalogue."""
        question: Dict[str, Any] = {"requests": list(requests)}
        if names is not None:
            question["names"] = list(names)
        text, error = c.c_void_p(), c.CError()
        if c.lib.orr_compare_ask(self._handle, _encode(question), _ORIGIN, c.FORMATS.index("json"), None,
                                 c.byref(text), error):
            raise Error(error)
        report: Dict[str, Any] = json.loads(c.take_text(text.value or 0))
        return report

    def fit(self, runs: Union[str, "os.PathLike[str]", Sequence[str]], *, engine: Optional[str] = None,
            name: str = "my-stack", with_: Optional[Mapping[str, Any]] = None, skip: Optional[int] = None) -> Dict[str, Any]:
        """As :func:`orrery.fit`, with the parts of this catalogue."""
        path: Optional[str] = os.fspath(runs) if isinstance(runs, os.PathLike) else None
        if isinstance(runs, str) and "\n" not in runs and "=" not in runs and os.path.isfile(runs):
            path = runs
        if path is not None:
            with open(path, encoding="utf-8", errors="replace") as file:  # logs may hold any bytes
                runs = file.read()
        request: Dict[str, Any] = {"runs": runs if isinstance(runs, str) else list(runs), "name": name}
        if engine is not None:
            request["engine"] = engine
        if with_:
            request["with"] = ",".join(f"{key}={value}" for key, value in with_.items())
        if skip is not None:
            request["skip"] = skip
        text, error = c.c_void_p(), c.CError()
        if c.lib.orr_stack_ask(self._handle, _encoder(request).encode(), _ORIGIN, c.byref(text), error):
            raise Error(error)
        report: Dict[str, Any] = json.loads(c.take_text(text.value or 0))
        return report


class _Search:
    """A search, which is freed when neither the caller nor the thread that runs it holds it any more."""

    __slots__ = ("handle", "error", "__weakref__")

    def __init__(self, catalogue: Catalogue, request: bytes) -> None:
        self.handle, self.error = c.c_void_p(), c.CError()
        if c.lib.orr_search_open(catalogue._handle, request, _ORIGIN, self.handle, self.error):
            raise Error(self.error)
        weakref.finalize(self, c.lib.orr_search_free, self.handle)

    def render(self, format: str, style: c.Style) -> str:
        """Return the answer as text."""
        return c.take_text(c.lib.orr_search_render(self.handle, c.FORMATS.index(format), style))

    def run(self, threads: int) -> None:
        """Run in a thread of its own, without the interpreter's lock. Only the main thread answers signals, but not
        while it is inside the library. An exception of a handler (KeyboardInterrupt of Ctrl-C) stops the search."""
        codes: List[int] = []
        done = threading.Event()

        def work() -> None:
            codes.append(c.lib.orr_search_run(self.handle, threads, None, None, self.error))
            done.set()

        threading.Thread(target=work, name="orrery.search").start()
        try:
            done.wait()
        except BaseException:
            c.lib.orr_search_stop(self.handle)
            done.wait()
            raise
        if codes[0]:
            raise Error(self.error)


_CHUNK = 1024  # points answered at once; a row takes 3 KB


def _path(name: str) -> str:
    """Return where a field stands in a request."""
    if "." in name or name in ("model", "system", "gpus"):
        return name
    return ("plan." if name in PLAN else "workload.") + name


def _vary(name: str, values: Any) -> Dict[str, str]:
    if not isinstance(values, str):  # a string is a list or range as docs/sweep.md writes it
        values = ",".join(str(value).lower() if isinstance(value, bool) else str(value) for value in values)
    return {"field": _path(name), "values": values}


def _typed(text: str) -> Union[int, float, str]:
    for type_ in (int, float):
        try:
            return type_(text)
        except ValueError:
            pass
    return text


def _run_sweep(handle: c.c_void_p, names: List[str], error: c.CError) -> Table:
    array = (c.CColumn * c.MAX_COLUMNS)()
    columns = read_columns(array, c.lib.orr_sweep_columns(handle, array))
    n_points: int = c.lib.orr_sweep_points(handle)
    rows, value = (c.Row * min(n_points, _CHUNK))(), (c.c_char * c.SWEEP_VALUE)()
    table: List[Dict[str, Any]] = []
    for first in range(0, n_points, _CHUNK):
        n = min(_CHUNK, n_points - first)
        if c.lib.orr_sweep_run(handle, first, n, rows, error):
            raise Error(error)
        for i in range(n):
            point: Dict[str, Any] = {}
            for field, name in enumerate(names):
                c.lib.orr_sweep_value(handle, first + i, field, value)
                point[name] = _typed(value.value.decode())
            point.update(_numbers(rows[i], columns))
            table.append(point)
    return Table([*names, "status", "reason", *(column.name for column in columns)], table)


def _numbers(row: c.Row, columns: Tuple[Column, ...]) -> Dict[str, Any]:
    status = c.STATUSES[row.status]
    numbers: Dict[str, Any] = {"status": status, "reason": row.reason.decode("utf-8", "replace")}
    if not row.blank:
        numbers.update((column.name, value_of(row, i, column.type)) for i, column in enumerate(columns))
    return numbers


_default: Optional[Catalogue] = None
_lock = threading.Lock()


def catalogue() -> Catalogue:
    """Return the catalogue that the functions of the module use."""
    global _default
    if _default is None:
        with _lock:
            if _default is None:
                _default = Catalogue()
    return _default


def train(model: Part, system: Part, *, gpus: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
          **fields: Any) -> Result:
    """Predict one training step: time, memory, what binds, energy and cost.

    ``model`` and ``system`` are an id of the catalogue, the path of a file, or the object itself. ``fields`` are keys
    of the plan (tp, pp, vpp, dp, cp, ep, etp, sp, zero, schedule, ...) and of the workload (seq, micro_batch,
    global_batch, precision, recompute, engine, ...). ``set`` sets any other number by its path:
    ``{"chip.hbm_bytes_per_s": "4 TB/s"}``.
    """
    return (_default or catalogue())._ask("train", _request("train", model, system, gpus, set, fields))


def infer(model: Part, system: Part, *, gpus: Optional[int] = None, set: Optional[Mapping[str, Any]] = None,
          **fields: Any) -> Result:
    """Predict inference: time to first token and per token, throughput, memory, what binds, cost.

    The arguments are those of :func:`train`. The workload has the fields batch, input_len, output_len, precision,
    kv_precision, ...
    """
    return (_default or catalogue())._ask("infer", _request("infer", model, system, gpus, set, fields))


def compare(*requests: Mapping[str, Any], names: Optional[Sequence[str]] = None) -> Dict[str, Any]:
    """Compare two to eight requests of one kind (docs/compare.md): what was asked differently (``asked``), the
    ``results``, the ``parts`` of their time, and ``why`` they differ.

    >>> import orrery
    >>> job = {"kind": "train", "model": "llama3-8b", "system": "h100-sxm", "gpus": 8}
    >>> both = orrery.compare(job, {**job, "system": "b200-sxm"}, names=["H100", "B200"])
    >>> both["asked"][0]["key"]
    'system'
    """
    return catalogue().compare(*requests, names=names)


def serving(model: Part, system: Part, *, traffic: Mapping[str, Any], slo: Sequence[str] = (), **arguments: Any
            ) -> Dict[str, Any]:
    """Simulate a service under load and return its result (docs/json.md, kind "serving").

    ``traffic`` has ``rate_per_s``, ``concurrency`` or ``trace``, and ``input_len`` and ``output_len``: a number,
    ``"800:1000"``, ``"1000~0.5"`` or an object. ``slo`` are limits such as ``["ttft_s.p99<=1 s"]``. ``deployment`` has
    further pools, failures and scaling, such as ``{"pools": ["decode,tp=4"]}`` with ``disaggregated=True``. With
    ``closed_form=True`` the means of the steady state are found without events. Other arguments are those of
    :func:`infer`.
    """
    return catalogue().serving(model, system, traffic=traffic, slo=slo, **arguments)


def size(model: Part, system: Union[Part, Sequence[Part]], *, traffic: Mapping[str, Any], slo: Sequence[str],
         **arguments: Any) -> Dict[str, Any]:
    """Find the cheapest plan that serves a load within limits and return the answer (docs/size.md).

    ``system`` is one system, ``"a,b"`` or a list; ``traffic`` and ``slo`` are those of :func:`serving`. ``budget`` is a
    number of GPUs or ``"$40/h"``, ``objective`` is ``"cost"`` or ``"gpus"``, ``batch`` and ``chunk`` are limits of an
    engine's step to try. ``tp``, ``pp`` and ``ep`` may be lists such as ``"1,2,4"``.
    """
    return catalogue().size(model, system, traffic=traffic, slo=slo, **arguments)


def search(kind: str, model: Part, system: Part, **arguments: Any) -> SearchResult:
    """Find the best of all valid plans for a model on ``gpus`` GPUs. Other Python threads run meanwhile.

    ``kind`` is "train" or "infer". Fields that are not given are searched; a field may be a list (``tp=[1, 2, 4]``), a
    range (``gpus="64..4096"``) or "any". ``objective`` is time, throughput, cost, energy or memory. ``limits`` are
    conditions such as ``["memory_bytes.total<=70e9"]``. ``top`` is the number of plans to list, ``threads`` the number
    of threads (0 uses all cores), and ``options`` holds other keys of ``search`` (docs/search.md).
    """
    return catalogue().search(kind, model, system, **arguments)


def sweep(kind: str, model: Part, system: Part, **arguments: Any) -> Table:
    """Predict at many points: ``vary={"tp": [1, 2, 4], "chip.hbm_bytes_per_s": "2e12:4e12:+1e12"}``.

    ``mode`` is "product" (every value with every other), "zip" (all first values, then all second values, ...) or
    "sample" (``samples`` points of a Latin hypercube made from ``seed``). The other arguments are those of
    :func:`train`.
    """
    return catalogue().sweep(kind, model, system, **arguments)


def fit(runs: Union[str, "os.PathLike[str]", Sequence[str]], **arguments: Any) -> Dict[str, Any]:
    """Fit a software stack to measured runs (docs/fit.md) and return the report; its key "file" is the engine file.

    ``runs`` is a path, the text of a table or log, or a list of runs such as
    ``"model=llama2-7b,system=h100-sxm,gpus=8,global_batch=64:step_time_s=9.5"``. ``engine`` is the parent, ``name`` the
    name of the stack, ``with_`` holds columns that the runs do not have, and ``skip`` is the number of first iterations
    of a log that do not count. Write ``report["file"]`` with :func:`json.dump`, and use the file as ``engine``.
    """
    return catalogue().fit(runs, **arguments)


__version__ = version()
