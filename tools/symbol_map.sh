#!/bin/sh
# The version script of the shared library, from its headers: symbol_map.sh HEADER VERSION. Functions of the stable core
# have the version of the soname, which stays; those of the experimental part have the version of the release, so that a
# program that uses them does not start with another one.
set -eu
export LC_ALL=C
functions() { grep -oE '\borr_[a-z0-9_]+\(' | tr -d '(' | sort -u | sed 's/.*/        &;/'; }
core() { sed '/^#ifdef ORR_EXPERIMENTAL/,/^#endif \/\* ORR_EXPERIMENTAL \*\//d' "$1"; }
experimental() { cat "$(dirname "$1")"/orrery/*.h; }
echo "ORRERY_${2%%.*} {
    global:
$(core "$1" | functions)
    local:
        *;
};
ORRERY_EXPERIMENTAL_$2 {
    global:
$(experimental "$1" | functions)
} ORRERY_${2%%.*};"
