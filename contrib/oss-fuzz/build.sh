#!/bin/bash -eu
# The fuzz targets for OSS-Fuzz, which sets CC, CFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT. The corpus of a target is
# tests/fuzz/seeds/NAME. Libraries are copied beside the programs, because the machines that run them have none.
# Without OSS-Fuzz: CC=clang CFLAGS=-fsanitize=address,fuzzer-no-link LIB_FUZZING_ENGINE=-fsanitize=fuzzer SRC=$PWD/.. \
#     WORK=/tmp/work OUT=/tmp/out contrib/oss-fuzz/build.sh
root=$(cd "$(dirname "$0")" && git rev-parse --show-toplevel 2>/dev/null || echo "$SRC/orrery")
mkdir -p "$WORK" "$OUT/lib"
meson setup "$WORK/build" "$root" -Dtests=enabled -Dfuzz=true "-Dfuzz_engine=$LIB_FUZZING_ENGINE" -Dbuildtype=plain \
    -Dhardening=false -Dmpi=disabled -Dnlopt=disabled -Dpython=disabled -Dexplorer=disabled -Db_lundef=false
for source in "$root"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    ninja -C "$WORK/build" "tests/$name"
    cp "$WORK/build/tests/$name" "$OUT/"
    seeds=$root/tests/fuzz/seeds/${name#fuzz_}
    [ "$name" != fuzz_model ] || seeds=$root/data/models
    (cd "$seeds" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
done
ldd "$OUT"/fuzz_* | sed -n 's/.*=> \(\/[^ ]*\(jansson\|sqlite3\|omp\)[^ ]*\) .*/\1/p' | sort -u | xargs -r -I{} cp {} "$OUT/lib/"
for program in "$OUT"/fuzz_*; do [ ! -x "$program" ] || ! command -v patchelf >/dev/null || patchelf --set-rpath '$ORIGIN/lib' "$program"; done
