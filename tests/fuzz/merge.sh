#!/usr/bin/env bash
# Keep what fuzzing has found worth keeping: merge.sh BUILD_FUZZ_DIR [INPUTS [BYTES]]. libFuzzer picks from the corpus of
# each target the smallest inputs that together reach as much as all of it; of those the INPUTS (default 80) that reach
# most, in BYTES (default 150,000) and each of at most 8 KiB, are added to tests/fuzz/seeds as found-HASH. Seeds with other
# names stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) most=${2:-80} limit=${3:-150000}
for source in "$here"/fuzz_*.c; do
    name=$(basename "$source" .c) name=${name#fuzz_}
    corpus=$build/corpus/$name seeds=$here/seeds/$name
    [ -d "$corpus" ] && [ "$name" != model ] || continue # the seeds of models are the catalogue
    merged=$(mktemp -d)
    known=$(mktemp -d)
    find "$seeds" -type f ! -name 'found-*' -exec cp {} "$known" \;
    cp -r "$known/." "$merged/"
    "$build/tests/fuzz_$name" -merge=1 -max_len=8192 -timeout=60 -close_fd_mask=1 "$merged" "$corpus" "$seeds" >"$build/merge-$name.log" 2>&1
    rm -f "$seeds"/found-*
    total=0 n=0
    while read -r size path; do
        base=$(basename "$path")
        [ ! -e "$known/$base" ] || continue
        total=$((total + size))
        [ "$total" -le "$limit" ] && [ "$n" -lt "$most" ] || break
        n=$((n + 1))
        cp "$path" "$seeds/found-${base:0:12}"
    done < <(find "$merged" -type f -size -17 -printf '%s %p\n' | sort -rn) # a larger one reaches more
    echo "$name: $(find "$seeds" -type f -name 'found-*' | wc -l) inputs kept of $(find "$corpus" -type f | wc -l)"
    rm -rf "$merged" "$known"
done
