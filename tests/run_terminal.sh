#!/usr/bin/env bash
# Reports on terminals and in pipes: run_terminal.sh BIN_DIR
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
PATH="$1:$PATH" LC_ALL=C.UTF-8 exec python3 "$(dirname "$0")/terminal.py"
