"""Answers are one result (:class:`Result`), a list of plans (:class:`SearchResult`) or many points (:class:`Table`)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple, Union

from . import _library as c
from . import _notebook as notebook

if TYPE_CHECKING:  # pragma: no cover
    import pandas

    from . import Catalogue

Value = Union[float, int, bool, str]


class Column(NamedTuple):
    """A number of a row: the key of the JSON result, what it means, and its type."""

    name: str
    meaning: str
    type: int


def read_columns(array: Any, n: int) -> Tuple[Column, ...]:
    return tuple(Column(array[i].name.decode(), array[i].meaning.decode(), array[i].type) for i in range(n))


def _columns_of(kind: int) -> Tuple[Column, ...]:
    array = (c.CColumn * c.MAX_COLUMNS)()
    return read_columns(array, c.lib.orr_session_columns(kind, array))


def value_of(row: c.Row, i: int, type_: int) -> Value:
    """Return number i of a row as a Python value."""
    if type_ == c.TEXT:
        return (row.words[i] or b"").decode()
    number: float = row.numbers[i]
    if type_ == c.FLAG:
        return number != 0
    return int(number) if type_ == c.WHOLE else number


COLUMNS: Dict[str, Tuple[Column, ...]] = {kind: _columns_of(i) for i, kind in enumerate(c.KINDS)}
_PLACES: Dict[str, Dict[str, Tuple[int, int]]] = {
    kind: {column.name: (i, column.type) for i, column in enumerate(columns)} for kind, columns in COLUMNS.items()}


def _groups(kind: str) -> Dict[str, Dict[str, str]]:
    groups: Dict[str, Dict[str, str]] = {}
    for column in COLUMNS[kind]:
        group, dot, member = column.name.partition(".")
        if dot:
            groups.setdefault(group, {})[member] = column.name
    return groups


_GROUPS = {kind: _groups(kind) for kind in c.KINDS}

_HEADLINES = {
    "train": ("step_time_s", "interval_s.0", "interval_s.1", "tokens_per_s", "mfu_frac", "bottleneck",
              "memory_bytes.total", "memory_bytes.usable", "fits", "energy_j", "cost_usd"),
    "infer": ("latency_s", "interval_s.0", "interval_s.1", "ttft_s", "tpot_s", "output_tokens_per_s", "bottleneck",
              "memory_bytes.total", "memory_bytes.usable", "fits", "max_batch", "cost_usd_per_million_tokens"),
}


#: Groups of numbers that a notebook draws as one divided bar, and members of them that are no parts of the whole.
_CHARTS = {
    "train": (("time_s", "Time of a step"), ("memory_bytes", "Memory of the fullest GPU")),
    "infer": (("time_s", "Time of a request"), ("memory_bytes", "Memory of a GPU")),
}
_SUMS = ("total", "usable", "capacity", "most", "headroom", "host", "nvme")
#: What a table of many answers draws, the first that it has.
_DRAWN = ("step_time_s", "latency_s", "throughput", "cost_usd")


def _short(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)


class Result:
    """The answer to one request.

    Every number of the JSON result (docs/glossary.md) is an attribute: ``result.step_time_s``,
    ``result.time_s["forward"]``, ``result.interval_s``; or an item by its key: ``result["time_s.forward"]``.
    A report is made when it is asked for.
    """

    __slots__ = ("kind", "fits", "reason", "_row", "_request", "_catalogue")

    kind: str  #: "train" or "infer"
    fits: bool  #: whether the job fits into memory
    reason: str  #: what is missing and what would help; empty if the job fits

    def __init__(self, kind: str, row: c.Row, request: bytes, catalogue: "Catalogue") -> None:
        self.kind = kind
        self.fits = row.status == 0
        self.reason = "" if self.fits else row.reason.decode("utf-8", "replace")
        self._row = row
        self._request = request
        self._catalogue = catalogue

    def __getitem__(self, key: str) -> Value:
        i, type_ = _PLACES[self.kind][key]
        return value_of(self._row, i, type_)

    def __getattr__(self, name: str) -> Any:
        place = _PLACES[self.kind].get(name)
        if place:
            return value_of(self._row, *place)
        group = _GROUPS[self.kind].get(name)
        if not group:
            raise AttributeError(f"no number called {name!r} in a result of kind {self.kind!r}")
        if all(member.isdigit() for member in group):
            return [self[key] for key in group.values()]
        return {member: self[key] for member, key in group.items()}

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *(name for name in _PLACES[self.kind] if "." not in name), *_GROUPS[self.kind]]

    def keys(self) -> List[str]:
        """Return the keys of all numbers, as in the JSON result: ``time_s.forward`` and so on."""
        return list(_PLACES[self.kind])

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES[self.kind])

    def __len__(self) -> int:
        return len(_PLACES[self.kind])

    # ---- the same as text

    def report(self, format: str = "terminal", width: int = 0) -> str:
        """Return a report as the program prints it: terminal, explain, json, csv, ops (infer), trace, html, dump-..."""
        return self._catalogue._report(self._request, format, width)

    def explain(self, width: int = 0) -> str:
        """Return every term with its formula and its numbers."""
        return self.report("explain", width)

    def to_dict(self) -> Dict[str, Any]:
        """Return the JSON result (docs/json.md), including the request with every default resolved."""
        parsed: Dict[str, Any] = json.loads(self.report("json"))
        return parsed

    def to_pandas(self) -> "pandas.Series":
        """Return all numbers by key; this needs pandas."""
        import pandas

        return pandas.Series({key: self[key] for key in self}, name=self.kind)

    def _headline(self) -> List[Tuple[str, Value]]:
        return [(key, self[key]) for key in _HEADLINES[self.kind]]

    def __repr__(self) -> str:
        return f"<orrery {self.kind}: " + ", ".join(f"{k} {_short(v)}" for k, v in self._headline()[:1]) + \
            (">" if self.fits else f", does not fit: {self.reason}>")

    def _repr_html_(self) -> str:
        meanings = {column.name: column.meaning for column in COLUMNS[self.kind]}
        rows = [(key, notebook.with_unit(key, value), meanings[key]) for key, value in self._headline()]
        if self.reason:
            rows.append(("reason", self.reason, "why it does not fit"))
        charts = [notebook.parts_bar(title, name, self._parts(name)) for name, title in _CHARTS[self.kind]]
        return notebook.table(("", self.kind, ""), rows) + "".join(charts)

    def _parts(self, name: str) -> Dict[str, float]:
        """Return the members of a group without its sums."""
        group = _GROUPS[self.kind].get(name, {})
        return {member: float(self[key]) for member, key in group.items() if member not in _SUMS}


class Table:
    """Rows with the same columns; each row is a dictionary."""

    __slots__ = ("columns", "rows")

    columns: List[str]
    rows: List[Dict[str, Any]]

    def __init__(self, columns: Sequence[str], rows: List[Dict[str, Any]]) -> None:
        self.columns = list(columns)
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, key: Union[int, str]) -> Any:
        """Return a row by number, or a column by name."""
        return self.rows[key] if isinstance(key, int) else [row.get(key) for row in self.rows]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a data frame; this needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows, columns=self.columns)

    def __repr__(self) -> str:
        return f"<orrery table: {len(self.rows)} rows, {len(self.columns)} columns>"

    def _repr_html_(self, most: int = 60) -> str:
        shown = [[notebook.with_unit(name, row.get(name, "")) for name in self.columns] for row in self.rows[:most]]
        more = f"<p>{len(self.rows) - most} rows more</p>" if len(self.rows) > most else ""
        return self._chart() + notebook.table(self.columns, shown) + more

    def _chart(self) -> str:
        """Draw the first number of interest, a bar per row, labelled by the columns before it that vary."""
        drawn = next((name for name in self.columns for end in _DRAWN if name.split(".")[-1] == end), None)
        if drawn is None:
            return ""
        before = self.columns[:self.columns.index(drawn)]
        varied = [name for name in before if len({str(row.get(name)) for row in self.rows}) > 1][:4]
        labels = [", ".join(f"{name} {row.get(name)}" for name in varied) for row in self.rows]
        return notebook.rows_chart(drawn, labels, [row.get(drawn, 0) for row in self.rows])


class SearchResult:
    """The answer of a search: ``data`` is its JSON (docs/search.md), ``best`` and ``front`` are its plans as tables."""

    __slots__ = ("data", "html")

    data: Dict[str, Any]  #: the JSON answer
    html: str  #: a page that draws the front

    def __init__(self, text: str, page: str) -> None:
        self.data = json.loads(text)
        self.html = page

    def _plans(self, key: str) -> Table:
        rows = [flatten(plan) for plan in self.data.get(key) or []]
        columns: Dict[str, None] = {}
        for row in rows:
            columns.update(dict.fromkeys(row))
        return Table(list(columns), rows)

    @property
    def best(self) -> Table:
        """The best plans, the best first."""
        return self._plans("best")

    @property
    def front(self) -> Table:
        """The Pareto front."""
        return self._plans("pareto")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the best plans as a data frame; this needs pandas."""
        return self.best.to_pandas()

    def __repr__(self) -> str:
        return f"<orrery search: {len(self.best)} plans, {len(self.front)} on the front>"

    def _repr_html_(self) -> str:
        return self.best._repr_html_()


def flatten(data: Mapping[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Return nested dictionaries as one, with keys joined by dots; lists stay as they are."""
    flat: Dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat

