#!/usr/bin/env bash
# The order of the folders, checked in the linked library: an object may only need symbols that its own folder or a
# folder before it defines. The argument is the static library.
set -u
library=$(realpath "$1")
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
found=$(mktemp)
trap 'rm -f "$found"' EXIT
folders=$(sed -n 's/^- `src\/\([a-z]*\)\/`.*/\1/p' ARCHITECTURE.md | awk '!seen[$0]++' | tr '\n' ' ')

# Print "object symbol kind" for every orr_ symbol; the objects are called folder_file.c.o.
nm -A "$library" 2>/dev/null | awk -v folders="$folders" '
    BEGIN { n = split(folders, names, " "); for (i = 1; i <= n; i++) place[names[i]] = i }
    {
        split($1, path, ":"); object = path[2]
        folder = object; sub(/_.*/, "", folder)
        kind = $(NF - 1); symbol = $NF
        if (!(folder in place) || symbol !~ /^orr_/) next
        if (kind ~ /[TDRB]/) defined[symbol] = folder
        if (kind == "U") needed[object " " folder " " symbol] = 1
    }
    END {
        for (edge in needed) {
            split(edge, part, " ")
            if (part[3] in defined && place[defined[part[3]]] > place[part[2]])
                print part[1] " needs " part[3] " of " defined[part[3]]
        }
        for (symbol in defined) count++
        if (count < 100) print "only " count + 0 " symbols read: is this the library?"
    }' >"$found"
name="no folder links to a folder after it"
if [ -s "$found" ]; then tap_not_ok "$name" "$found"; else tap_ok "$name"; fi
tap_done
