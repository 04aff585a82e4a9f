"""A wheel of the package with library, program and measurements of the build tree. Standard library only, no network:

    python3 wheel_backend.py [FOLDER]      or      pip wheel --no-deps .

ORRERY_LIBRARY and ORRERY_PROGRAM name others than those of the folder build. The wheel is for this machine's kind and needs the libraries liborrery itself is
linked with (jansson, NLopt, OpenMP's runtime).
"""

import base64
import hashlib
import os
import pathlib
import re
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def _version():
    header = (HERE.parent / "include" / "orrery.h").read_text()
    return re.search(r'#define ORR_VERSION "(.*)"', header)[1]


def _library():
    path = pathlib.Path(os.environ.get("ORRERY_LIBRARY", HERE.parent / "build" / "src" / "liborrery.so"))
    if not path.exists():
        raise SystemExit(f"{path} is not there: build it (./dev run), or name one in ORRERY_LIBRARY")
    return path.resolve()


def _program():
    path = pathlib.Path(os.environ.get("ORRERY_PROGRAM", HERE.parent / "build" / "orrery"))
    if not path.exists():
        raise SystemExit(f"{path} is not there: build it (./dev run), or name one in ORRERY_PROGRAM")
    return path.resolve()


def _files(version, tag):
    """Path in the wheel -> bytes."""
    files = {f"orrery/{path.name}": path.read_bytes()
             for path in sorted((HERE / "orrery").iterdir()) if path.suffix == ".py" or path.name == "py.typed"}
    files["orrery/liborrery.so.0"] = _library().read_bytes()
    files["orrery/bin/orrery"] = _program().read_bytes()
    for path in sorted((HERE.parent / "validation").glob("*.csv")):
        files[f"orrery/share/validation/{path.name}"] = path.read_bytes()
    info = f"orrery-{version}.dist-info"
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\norrery = orrery.__main__:main\n"
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: orrery\nVersion: {version}\nRequires-Python: >=3.8\nLicense: Apache-2.0\n"
        "Summary: Predict the time, memory and cost of distributed LLM training and inference\n").encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: orrery\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    return files, info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    files, info = _files(version, tag)
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
              for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"orrery-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if path.startswith("orrery/bin/") else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


if __name__ == "__main__":
    print(build_wheel(sys.argv[1] if len(sys.argv) > 1 else "."))
