#!/usr/bin/env bash
# Program output quoted in README.md and docs/*.md: fill_docs.sh [--check] [PAGE...], all pages unless some are named
# A block is between the lines "<!-- begin: COMMAND -->" and "<!-- end -->". COMMAND is run by sh with orrery on the
# PATH ($ORRERY, else build/orrery), the tree in $ORRERY_DATADIR and the shared library in $ORRERY_LIBDIR, 80 columns
# wide unless it says otherwise, without colours. Without --check the blocks are rewritten. With --check nothing is
# written, every page is one TAP case with its diff, and the exit status is 1 if a block is stale.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
check=
if [ "${1:-}" = --check ]; then check=1 && shift; fi
for page in "$@"; do
    [ -f "$root/$page" ] || { echo "fill_docs.sh: no page \"$page\" (expected --check, README.md or docs/NAME.md)" >&2; exit 2; }
done
program=${ORRERY:-$root/build/orrery}
[ -x "$program" ] || { echo "fill_docs.sh: $program is not a program: build it, or set ORRERY" >&2; exit 2; }
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
# Several blocks read the same validation: its answer to the same words is kept while the pages are filled.
cat >"$work/bin/orrery" <<END
#!/usr/bin/env bash
[ "\${1:-}" = validate ] || exec "$program" "\$@"
kept=$work/kept-\$(printf '%s\\n' "\$PWD" "\$@" | cksum | tr ' ' -)
[ -f "\$kept" ] || { "$program" "\$@" >"\$kept.\$\$" && mv "\$kept.\$\$" "\$kept"; } || exit
cat "\$kept"
END
chmod +x "$work/bin/orrery"
export PATH="$work/bin:$PATH" LC_ALL=C.UTF-8 ORRERY_DATADIR="$root" ORRERY_LIBDIR="$(dirname "$program")/src"
export COLUMNS=80 NO_COLOR=1

# Write the page with fresh blocks to standard output. Returns 1 if a command fails or a block has no end.
filled() {
    local line command inside=
    while IFS= read -r line || [ -n "$line" ]; do
        if [ "$line" = '<!-- end -->' ]; then
            inside=
        elif [ -n "$inside" ]; then
            continue
        fi
        printf '%s\n' "$line"
        [[ $line =~ ^'<!-- begin: '(.+)' -->'$ ]] || continue
        command=${BASH_REMATCH[1]} inside=1
        echo '```text'
        if ! (cd "$work/run" && sh -c "$command") </dev/null >"$work/output" 2>"$work/errors" || [ -s "$work/errors" ]; then
            echo "failed: $command" >&2
            cat "$work/errors" >&2
            return 1
        fi
        sed -e 's/ *$//' "$work/output"
        echo '```'
    done <"$1"
    [ -z "$inside" ] || { echo "${1##*/}: a block has no end" >&2; return 1; }
}

status=0
[ $# -gt 0 ] || set -- README.md $(cd "$root" && echo docs/*.md)
for name in "$@"; do
    page=$root/$name
    grep -q '^<!-- begin: ' "$page" || continue
    if ! filled "$page" >"$work/page" 2>"$work/report"; then
        status=1
        if [ -n "$check" ]; then tap_not_ok "$name" "$work/report"; else cat "$work/report" >&2; fi
    elif [ -z "$check" ]; then
        cmp -s "$page" "$work/page" || { cp "$work/page" "$page" && echo "$name: filled"; }
    elif diff -u --label "$name" --label "$name, fresh" "$page" "$work/page" >"$work/report"; then
        tap_ok "$name is up to date"
    else
        status=1
        tap_not_ok "$name is up to date (./dev bless fills it)" "$work/report"
    fi
done
[ -z "$check" ] || tap_done
exit $status
