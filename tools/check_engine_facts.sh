#!/usr/bin/env bash
# Every fact that an engine file may state is explained: the keys of src/spec/engine.c are compared with
# docs/adding-an-engine.md, docs/formats.md and the effects of tools/engine_facts.py.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What a stack is called and where it runs is no fact of its physics.
names='^(name|aliases|parent|chosen_with|undo|kind|family|family_aliases|version|covers|default|vendors)$'
sed -n -e 's/^ *ORR_[A-Z]*(orr_engine, \([a-z0-9_]*\),.*/\1/p' -e 's/^ *{\.key = "\([a-z0-9_]*\)",$/\1/p' \
    src/spec/engine.c | grep -vE "$names" | sort -u >"$work/keys"
same() { # name, file with keys: these must be the keys of the reader
    grep -vE "$names" "$2" | sort -u | diff "$work/keys" - | sed -n -e 's/^</only in src\/spec\/engine.c:/p' -e 's/^>/only there:/p' >"$work/found"
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
    # used for measurements, searches and intervals only
    printf '%s\n' default_micro_batch bench_limits schedules zero_stages tensor_parallel fit_runs fit_within_frac fit_stack_frac
    printf '%s\n' scheduler chunked_prefill watermark_frac admit_frac admit_least_frac admit_steps \
        batch_wait_steps batch_wait_tokens_frac batch_wait_sequences_frac poll_steps decided_ahead graph_multiple \
        prefix_cache frontend_s frontend_s_per_token frontend_s_per_request tokenise_s_per_token tokenise_batch \
        tokenise_window_s stream_s_per_token stream_tokens \
        preempt_swap max_adapters decode_after_prefill cache_sent decode_reserves first_grouped max_kv_tokens prefill_serial \
        ranks_by_load whole_contexts # under load only
} >"$work/effects"
same "tools/engine_facts.py shows what every fact does" "$work/effects"
tap_done
