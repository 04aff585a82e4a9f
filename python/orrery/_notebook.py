"""How answers show themselves in notebooks: tables with units, and bars drawn with HTML alone."""

from __future__ import annotations

import html
from typing import Any, List, Mapping, Sequence, Tuple

#: Colours that colour-blind readers can tell apart (Okabe and Ito), as in the program's own charts.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")

#: Endings of names, what they mean, and the steps in which a number is shown.
_TIME = ((1e-6, "µs"), (1e-3, "ms"), (1, "s"), (60, "min"), (3600, "h"))
_BYTES = ((1, "B"), (2**20, "MiB"), (2**30, "GiB"), (2**40, "TiB"))
_SI = ((1, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T"), (1e15, "P"))


def _scaled(value: float, steps: Sequence[Tuple[float, str]]) -> str:
    size, unit = steps[0]
    for larger, name in steps:
        if abs(value) >= larger:
            size, unit = larger, name
    return f"{value / size:.4g} {unit}".strip()


def with_unit(name: str, value: Any) -> str:
    """Return a number with the unit that the end of its name states, as in ``step_time_s`` or ``memory_bytes.total``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value)
    word = name.split(".")[0]
    if word.endswith("_per_s"):
        return _scaled(value, _SI) + " " + word[:-len("_per_s")].split("_")[-1] + "/s"
    if word.endswith("_s"):
        return _scaled(value, _TIME)
    if word.endswith("_bytes"):
        return _scaled(value, _BYTES)
    if word.endswith("_frac"):
        return f"{100 * value:.4g} %"
    if word.endswith("_j"):
        return _scaled(value, _SI) + "J"
    if "_usd" in word:
        return f"${value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table of texts."""
    cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    lines = [f"<tr>{cells}</tr>"] if head else []
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>")
    return "<table>" + "".join(lines) + "</table>"


def parts_bar(title: str, name: str, parts: Mapping[str, float]) -> str:
    """Return one bar that is divided by the parts, with a legend that names each part and its share."""
    shown = [(part, float(value)) for part, value in parts.items() if float(value) > 0]
    whole = sum(value for _, value in shown)
    if whole <= 0:
        return ""
    pieces: List[str] = []
    legend: List[str] = []
    for i, (part, value) in enumerate(sorted(shown, key=lambda item: -item[1])):
        colour, share = COLOURS[min(i, len(COLOURS) - 1)], 100 * value / whole
        text = html.escape(f"{part} {with_unit(name, value)} ({share:.1f} %)")
        pieces.append(f'<div title="{text}" style="background:{colour};width:{share:.3f}%"></div>')
        if share >= 1:
            legend.append(f'<span style="white-space:nowrap"><span style="color:{colour}">■</span> {text}</span>')
    return (f'<div style="max-width:44em;margin:0.4em 0"><div>{html.escape(title)}</div>'
            f'<div role="img" aria-label="{html.escape(title)}" style="display:flex;height:1.2em">{"".join(pieces)}</div>'
            f'<div style="display:flex;flex-wrap:wrap;gap:0 1em;font-size:85%">{"".join(legend)}</div></div>')


def rows_chart(name: str, labels: Sequence[str], values: Sequence[float], most: int = 40) -> str:
    """Return a bar for every row of a table, with its label and its number."""
    pairs = [(label, float(value)) for label, value in zip(labels, values) if isinstance(value, (int, float))][:most]
    longest = max((value for _, value in pairs), default=0)
    if longest <= 0 or len(pairs) < 2:
        return ""
    lines = [f'<tr><td>{html.escape(label)}</td><td style="width:24em"><div style="background:{COLOURS[0]};height:0.9em;'
             f'width:{100 * value / longest:.2f}%"></div></td><td>{html.escape(with_unit(name, value))}</td></tr>'
             for label, value in pairs]
    return f'<table aria-label="{html.escape(name)}"><caption>{html.escape(name)}</caption>' + "".join(lines) + "</table>"
