#!/usr/bin/env bash
# The Python package on the library of a build folder: run_python.sh BIN_DIR LIBRARY
set -u
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v python3) || { echo "1..0 # SKIP no python3"; exit 0; }
case $(nm -D "$2" 2>/dev/null) in *__asan_*) echo "1..0 # SKIP a library with sanitizers does not load into python3"; exit 0 ;; esac
PATH="$1:$PATH" ORRERY_LIBRARY=$2 ORRERY_PROGRAM=$(dirname "$2")/../orrery PYTHONPATH=$here/../python PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/python/tap.py"
