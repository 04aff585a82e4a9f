#!/usr/bin/env bash
# Every exported function is called by somebody outside src/: by the program, the server, the Python package, the
# benchmark or an example, or answers a question of the API (src/report/ask.c). Tests do not count: a function that only
# tests call belongs in a header of src/.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{ # calls in C, comments taken out; functions that Python names in its table
    cat cli/*.[ch] server/*.[ch] web/local/*.c src/report/ask.c bench/*.[ch] examples/*.c | sed -e 's/\/\*.*\*\///' -e '/^ *\/\*/,/\*\//d' |
        grep -oE '\borr_[a-z0-9_]+ *\(' | tr -d ' ('
    grep -ohE 'lib\.orr_[a-z0-9_]+' python/orrery/*.py | sed 's/^lib\.//'
} | sort -u >"$work/called"
comm -23 include/orrery.symbols "$work/called" >"$work/unused"
name="every function of orrery.symbols has a caller outside src/"
if [ -s "$work/unused" ]; then tap_not_ok "$name" "$work/unused"; else tap_ok "$name"; fi

# The core stands by itself: programs that do not define ORR_EXPERIMENTAL see nothing of the rest.
sed '/^#ifdef ORR_EXPERIMENTAL/,/^#endif \/\* ORR_EXPERIMENTAL \*\//d' include/orrery.h |
    grep -oE '\borr_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >"$work/core"
grep -ohE 'lib\.orr_[a-z0-9_]+' python/orrery/*.py | sed 's/^lib\.//' | sort -u | comm -23 - "$work/core" >"$work/beyond"
name="the Python package calls the stable core only"
if [ -s "$work/beyond" ]; then tap_not_ok "$name" "$work/beyond"; else tap_ok "$name"; fi
tap_done
