"""This module finds the shared library behind the package and declares its functions to ctypes.

Only the stable core of include/orrery.h is used (docs/library.md). The constants and structures below repeat those of
the header; a test compares them.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Iterator, List

ERROR_TEXT = 512  # ORR_ERROR_TEXT
MAX_COLUMNS = 128  # ORR_MAX_COLUMNS
SWEEP_VALUE = 256  # ORR_SWEEP_VALUE

KINDS = ("train", "infer")  # enum orr_job_kind
STATUSES = ("ok", "no_fit", "invalid")  # ORR_POINT_STATUSES
MODES = ("product", "zip", "sample")  # of a sweep's request
REAL, WHOLE, FLAG, TEXT = range(4)  # enum orr_column_type
FORMATS = ("terminal", "explain", "json", "csv", "ops", "dump-ops", "dump-costs", "dump-timeline", "dump-memory",
           "dump-ledger", "trace", "html", "json-explained", "gnuplot", "intervals", "runs")  # enum orr_format
N_PARTS = 11  # ORR_N_PARTS


class CError(ctypes.Structure):
    """struct orr_error"""

    _fields_ = [("code", c_int), ("line", c_int), ("column", c_int), ("file", c_char * 256), ("key", c_char * 128),
                ("text", c_char * ERROR_TEXT)]


class Row(ctypes.Structure):
    """struct orr_sweep_row"""

    _fields_ = [("status", c_int), ("blank", ctypes.c_bool), ("reason", c_char * ERROR_TEXT),
                ("numbers", c_double * MAX_COLUMNS), ("words", c_char_p * MAX_COLUMNS)]


class CColumn(ctypes.Structure):
    """struct orr_column"""

    _fields_ = [("name", c_char_p), ("meaning", c_char_p), ("type", c_int)]


class Style(ctypes.Structure):
    """struct orr_style"""

    _fields_ = [("width", c_int), ("colour", ctypes.c_bool), ("figures", ctypes.c_bool), ("took_s", c_double)]


_FUNCTIONS = {
    # name: (result, arguments); structures are passed by reference
    "orr_version": (c_char_p, []),
    "orr_catalogue_open": (c_int, [POINTER(c_char_p), c_size_t, POINTER(c_void_p), POINTER(CError)]),
    "orr_catalogue_close": (None, [c_void_p]),
    "orr_catalogue_count": (c_size_t, [c_void_p, c_int]),
    "orr_catalogue_id": (c_char_p, [c_void_p, c_int, c_size_t]),
    "orr_part_name": (c_char_p, [c_int]),
    "orr_session_new": (c_void_p, [c_void_p]),
    "orr_session_free": (None, [c_void_p]),
    "orr_session_ask": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(Row), POINTER(CError)]),
    "orr_session_columns": (c_size_t, [c_int, POINTER(CColumn)]),
    "orr_session_render": (c_int, [c_void_p, c_char_p, c_char_p, c_int, POINTER(Style), POINTER(c_void_p),
                                   POINTER(CError)]),
    "orr_compare_ask": (c_int, [c_void_p, c_char_p, c_char_p, c_int, POINTER(Style), POINTER(c_void_p), POINTER(CError)]),
    "orr_stack_ask": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(CError)]),
    "orr_service_open": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(CError)]),
    "orr_service_run": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, POINTER(CError)]),
    "orr_service_solve": (c_int, [c_void_p, POINTER(CError)]),
    "orr_service_render": (c_void_p, [c_void_p, c_int, POINTER(Style)]),
    "orr_service_close": (None, [c_void_p]),
    "orr_size_open": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(CError)]),
    "orr_size_run": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_void_p, POINTER(CError)]),
    "orr_size_render": (c_void_p, [c_void_p, c_int, POINTER(Style)]),
    "orr_size_close": (None, [c_void_p]),
    "orr_search_open": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(CError)]),
    "orr_search_run": (c_int, [c_void_p, c_int, c_void_p, c_void_p, POINTER(CError)]),
    "orr_search_stop": (None, [c_void_p]),
    "orr_search_render": (c_void_p, [c_void_p, c_int, POINTER(Style)]),
    "orr_search_free": (None, [c_void_p]),
    "orr_sweep_open_json": (c_int, [c_void_p, c_char_p, c_char_p, c_int, POINTER(c_void_p), POINTER(CError)]),
    "orr_sweep_close": (None, [c_void_p]),
    "orr_sweep_points": (c_int64, [c_void_p]),
    "orr_sweep_value": (None, [c_void_p, c_int64, c_size_t, POINTER(c_char)]),
    "orr_sweep_columns": (c_size_t, [c_void_p, POINTER(CColumn)]),
    "orr_sweep_run": (c_int, [c_void_p, c_int64, c_size_t, POINTER(Row), POINTER(CError)]),
}


def _candidates() -> Iterator[str]:
    """Yield the places where the library may be, the best first."""
    if os.environ.get("ORRERY_LIBRARY"):
        yield os.environ["ORRERY_LIBRARY"]
        return  # a library that is named is the only candidate
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here, here.parent.parent / "build" / "src"):  # in a wheel, and in the build tree
        for name in ("liborrery.so.0", "liborrery.so"):
            if (folder / name).exists():
                yield str(folder / name)
    try:
        from . import _installed  # type: ignore[attr-defined] # written by meson install
        yield _installed.LIBRARY
    except ImportError:
        pass
    yield "liborrery.so.0"


def _load() -> ctypes.CDLL:
    tried: List[str] = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
    raise ImportError("liborrery is not there; build it (ninja -C build), or name it in ORRERY_LIBRARY. Tried "
                      + "; ".join(tried))


lib = _load()
for _name, (_result, _arguments) in _FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = _arguments

_free = ctypes.CDLL(None).free
_free.restype = None
_free.argtypes = [c_void_p]


def take_text(pointer: int) -> str:
    """Return a malloc'd text as a string, and free the text."""
    if not pointer:
        raise MemoryError("orrery: out of memory")
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        _free(pointer)


__all__ = ["CColumn", "CError", "FLAG", "FORMATS", "KINDS", "MAX_COLUMNS", "MODES", "N_PARTS", "REAL", "Row", "STATUSES",
           "SWEEP_VALUE", "Style", "TEXT", "WHOLE", "byref", "c_char", "c_char_p", "c_void_p",
           "lib", "take_text"]
