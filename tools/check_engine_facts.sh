#!/usr/bin/env bash
# Every fact that an engine file may state is explained: the keys of src/spec/engine.c are compared with
# docs/adding-an-engine.md, docs/formats.md and the effects of tools/engine_facts.py.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^ *ORR_[A-Z]*(orr_engine, \([a-z0-9_]*\),.*/\1/p' src/spec/engine.c | sort -u >"$work/keys"
same() { # name, file with keys: these must be the keys of the reader
    sort -u "$2" | diff "$work/keys" - | sed -n -e 's/^</only in src\/spec\/engine.c:/p' -e 's/^>/only there:/p' >"$work/found"
    if [ -s "$work/found" ] || [ ! -s "$work/keys" ]; then tap_not_ok "$1" "$work/found"; else tap_ok "$1"; fi
}
# Print the keys in the first cells of tables, from a heading to the next heading of its rank.
first_cells() { sed -n "$2" "$1" | grep -E '^\| `' | sed 's/^| \([^|]*\)|.*/\1/' | grep -oE '`[a-z0-9_]+`' | tr -d '`'; }

first_cells docs/adding-an-engine.md '/^## Every fact/,/^## Adding it/p' >"$work/page"
same "docs/adding-an-engine.md explains every fact" "$work/page"
first_cells docs/formats.md '/^## engines/,/^## calibration/p' >"$work/formats"
same "docs/formats.md lists every fact" "$work/formats"
{
    sed -n '/^GROUPS/,/^}/p' tools/engine_facts.py | grep -oE '\("[a-z0-9_]+", "' | tr -d '(," '
    printf '%s\n' default_micro_batch bench_limits # used for measurements only
    printf '%s\n' scheduler chunked_prefill watermark_frac admit_frac admit_least_frac admit_steps \
        batch_wait_steps batch_wait_tokens_frac batch_wait_sequences_frac poll_steps graph_multiple \
        prefix_cache frontend_s frontend_s_per_token frontend_s_per_request stream_s_per_token # under load only
} >"$work/effects"
same "tools/engine_facts.py shows what every fact does" "$work/effects"
tap_done
