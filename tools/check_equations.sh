#!/usr/bin/env bash
# Equation numbers: every number that is cited exists in docs/equations.md, and the numbers there have no holes. Nothing
# may cite a document that is not part of this repository.
#
# A number is defined where it opens a row of a table, ends a line of a formula, or stands in bold: **Eq. 64**.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
export LC_ALL=C
page=docs/equations.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=$work/found
rule() { # name; the lines in $found break the rule
    if [ -s "$found" ]; then tap_not_ok "$1" "$found"; else tap_ok "$1"; fi
}

# Print the numbers in "Eq. 9a" or "Eqs. 6, 24-38, 91b", one per line, after the name of the file. The lines of a
# comment or a paragraph are joined first, and a range gives every whole number in it.
numbers_of() {
    awk -v name="$1" 'BEGIN { RS = "\001"; n = "[0-9]+[a-z]?"; dash = "(-|\342\200\223)" }
        { gsub(/\n[ *|>#]*/, " ")
          while (match($0, "Eqs?\\.[ *]*" n "((" dash "|,? and |,? or |, )" n ")*")) {
              cited = substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH)
              sub(/Eqs?\.[ *]*/, "", cited); gsub(/,? and |,? or /, ", ", cited); gsub("\342\200\223", "-", cited)
              parts = split(cited, part, /, */)
              for (i = 1; i <= parts; i++) {
                  ends = split(part[i], end, /-/)
                  print name, end[1]
                  for (j = end[1] + 1; ends > 1 && j < end[2] + 0; j++) print name, j
                  if (ends > 1) print name, end[2]
              } } }'
}

# These are the definitions of the page.
{
    grep -oE '^\| Eqs?\. [^|]*\|' "$page"
    awk '/^```/ { code = !code } code' "$page" | grep -oE '  Eqs?\. [^ ].*$'
    grep -oE '\*\*Eqs?\. [^*]*\*\*' "$page"
} >"$work/definitions"
numbers_of "$page" <"$work/definitions" | awk '{ print $2 }' >"$work/listed"
sort -u "$work/listed" >"$work/defined"

sort "$work/listed" | uniq -d | sed 's/^/defined twice: Eq. /' >"$work/twice"
# These two have two parts: a payload and its schedule, and training and inference.
grep -vxE '.*Eq\. (74|104)' "$work/twice" >"$found"
rule "a number is defined once"

awk '{ sub(/[a-z]$/, "") } { seen[$1 + 0] = 1; if ($1 + 0 > last) last = $1 + 0 }
     END { if (!last) print "no equation found"; for (i = 1; i <= last; i++) if (!seen[i]) print "Eq. " i " is missing" }' \
    "$work/defined" >"$found"
rule "the numbers of $page have no holes"

# Letters follow one another: 9a, 9b, 9c. The number without a letter may be the first of them.
awk '/[a-z]$/ { letter = substr($1, length($1)); if (letter != "a") print substr($1, 1, length($1) - 1) " " letter }' \
    "$work/defined" | while read -r number letter; do
    before=$(printf '%s' "$letter" | tr 'b-z' 'a-y')
    grep -qx "$number$before" "$work/defined" || echo "Eq. $number$letter has no Eq. $number$before before it"
done >"$found"
rule "letters follow one another"

files=$(find src include cli server docs data tests/unit tools kit python validation -type f \
    \( -name '*.[ch]' -o -name '*.md' -o -name '*.json' -o -name '*.py' -o -name '*.sh' \) \
    ! -name check_equations.sh; ls ./*.md)
for file in $files; do numbers_of "$file" <"$file"; done >"$work/cited"
awk 'NR == FNR { defined[$1] = 1; number = $1; sub(/[a-z]$/, "", number); defined[number] = 1; next }
     !defined[$2] && !told[$0]++ { print $1 ": Eq. " $2 " is not defined" }' "$work/defined" "$work/cited" >"$found"
[ -s "$work/cited" ] || echo "no citation found" >>"$found"
rule "every equation that is cited is defined in $page"

# Sections of papers are cited in lower case, with the name of the paper.
for file in $files; do
    grep -nHE '\b[Mm]ethods? (table |section )?[0-9]|\bSection [0-9]|\[A\]([^.[]|$)' "$file"
done >"$found"
rule "nothing cites a method, a section or a mark [A] that is not in this repository"

grep -oE '`(src|tests|tools)/[a-z_/]*[a-z_]+\.[chs]+`' "$page" | tr -d '`' | sort -u | while read -r file; do
    [ -f "$file" ] || echo "$file does not exist"
done >"$found"
rule "the files $page names exist"
tap_done
