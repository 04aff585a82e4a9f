"""What the blocks of the page share: numbers with prefixes, tables, numbers of equations."""
import re


def show(value, unit):
    """Four digits, with a prefix."""
    for prefix, factor in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1), ("m", 1e-3), ("u", 1e-6),
                           ("n", 1e-9)):
        if abs(value) >= factor * 0.99995 or prefix == "n":
            text = f"{value / factor:.4g}"
            return text + ("" if prefix + unit == "" else f" {prefix}{unit}")


def table(rows):
    """Columns padded: the first to the left, the rest to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))


def seconds(value):
    return show(value, "s")


def numbered(line):
    """Put the number of the equation at the right edge."""
    found = re.match(r"(.*?) {2,}(Eqs?\. [0-9a-z, ]+)$", line)
    return f"{found[1]:<95}  {found[2]}" if found else line.rstrip()
