#!/usr/bin/env bash
# Do two builds of the same files give the same bytes? The trees lie in folders of other names and depths, with another
# time zone, language, file mode mask and number of jobs: check_reproducible.sh [meson options]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tests/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1
copy() { # folder
    mkdir -p "$1" && (cd "$root" && { git ls-files -z --cached --others --exclude-standard && find web/dist -type f -print0 2>/dev/null; } |
        xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' x | tar --null -T - -cf -) | tar -xf - -C "$1"
}
build() { # folder, jobs, options
    local folder=$1 jobs=$2
    shift 2
    meson setup "$folder/build" "$folder" --prefix /usr -Dtests=disabled "$@" && ninja -C "$folder/build" -j "$jobs"
}
one=$work/one two=$work/another/folder/of/orrery
copy "$one" && copy "$two"
if ! (TZ=UTC LC_ALL=C umask 022 && build "$one" 2 "$@") >"$work/log" 2>&1 ||
    ! (export TZ=Asia/Tokyo LC_ALL=C.UTF-8 && umask 077 && build "$two" 1 "$@") >"$work/log" 2>&1; then
    tail -20 "$work/log" >"$work/tail"
    tap_not_ok "two builds" "$work/tail"
    tap_done
    exit 1
fi
for file in orrery orrery-mpi src/liborrery.so src/liborrery.a orrery.1 orrery-serve.1 orrery.bash; do
    [ -e "$one/build/$file" ] || continue
    if cmp "$one/build/$file" "$two/build/$file" >"$work/report" 2>&1; then tap_ok "$file: same bytes"; else
        for folder in "$one" "$two"; do strings -a "$folder/build/$file" | grep -m 3 -F "$folder"; done >>"$work/report"
        tap_not_ok "$file: same bytes" "$work/report"
    fi
done
SOURCE_DATE_EPOCH=0 python3 "$one/tools/sbom.py" "$one/build" >"$work/one.json"
SOURCE_DATE_EPOCH=0 python3 "$two/tools/sbom.py" "$two/build" >"$work/two.json"
if [ -s "$work/one.json" ] && cmp "$work/one.json" "$work/two.json" >"$work/report" 2>&1; then
    tap_ok "the bill of materials: same bytes"
else
    tap_not_ok "the bill of materials: same bytes" "$work/report"
fi
tap_done
