#!/usr/bin/env bash
# Build the page without a server: the explorer and the library as WebAssembly in one static folder.
#   tools/build_page.sh FOLDER
# Emscripten comes from Debian. The sources of jansson, NLopt and musl come from Debian's source packages, through a
# configuration of apt that lives in build-page and leaves the machine's own alone; none of them enters this tree.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
target=$(mkdir -p "$1" && cd "$1" && pwd)
work=$root/build-page
mkdir -p "$work"

die() { echo "build_page: $*" >&2; exit 2; }
command -v emcc >/dev/null || die "no emcc: install emscripten"

# ---------------------------------------------------------------- sources of libraries
fetch_sources() {
    [ -d "$work/jansson" ] && [ -d "$work/nlopt" ] && [ -d "$work/musl" ] && return
    local apt=$work/apt
    mkdir -p "$apt"/{parts,lists/partial,cache/archives/partial,sources}
    : >"$apt/empty.list"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >"$apt/parts/$(basename "$list" .list)-src.list"
    done
    for list in /etc/apt/sources.list.d/*.sources; do
        [ -e "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/parts/$(basename "$list")"
    done
    local options=(-q -o "Dir::Etc::sourcelist=$apt/empty.list" -o "Dir::Etc::sourceparts=$apt/parts"
        -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=root")
    apt-get "${options[@]}" update >"$work/apt.log" 2>&1 || { tail -5 "$work/apt.log" >&2; die "no source packages"; }
    (cd "$apt/sources" && apt-get "${options[@]}" source --download-only jansson nlopt musl >>"$work/apt.log" 2>&1) ||
        die "jansson, nlopt and musl were not found (see $work/apt.log)"
    for name in jansson nlopt musl; do
        rm -rf "$work/$name" "$work/$name.new"
        mkdir -p "$work/$name.new"
        tar xf "$(ls "$apt/sources/$name"_*.orig.tar.* | grep -v '[.]asc$')" -C "$work/$name.new" --strip-components 1
        mv "$work/$name.new" "$work/$name"
    done
}

# Their headers of configuration, which their build systems would write.
configure_sources() {
    sed -e 's/@json_inline@/inline/' -e 's/@json_have_long_long@/1/' -e 's/@json_have_localeconv@/0/' \
        -e 's/@json_have_atomic_builtins@/1/' -e 's/@json_have_sync_builtins@/1/' \
        "$work/jansson/src/jansson_config.h.in" >"$work/jansson/src/jansson_config.h"
    cat >"$work/jansson/src/jansson_private_config.h" <<'C'
#define HAVE_STDINT_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_FCNTL_H 1
#define HAVE_CLOSE 1
#define HAVE_GETPID 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_OPEN 1
#define HAVE_READ 1
#define HAVE_ENDIAN_H 1
#define HAVE_STRTOLL 1
#define INITIAL_HASHTABLE_ORDER 3
C
    cat >"$work/nlopt/src/api/nlopt_config.h" <<'C'
#define HAVE_UNISTD_H 1
#define HAVE_STDINT_H 1
#define HAVE_UINT32_T 1
#define HAVE_SYS_TIME_H 1
#define HAVE_TIME 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_COPYSIGN 1
#define HAVE_ISNAN 1
#define HAVE_ISINF 1
#define HAVE_QSORT_R 1
#define MAJOR_VERSION 2
#define MINOR_VERSION 7
#define BUGFIX_VERSION 1
#define SIZEOF_INT 4
#define SIZEOF_UNSIGNED_INT 4
#define THREADLOCAL
C
}

# ---------------------------------------------------------------- objects
flags="-O2 -std=gnu11 -DORR_EXPERIMENTAL -DORR_HAS_NLOPT=1 -DHAVE_CONFIG_H -ffp-contract=off"

# Every object, its source and the flags it needs besides.
list_objects() {
    local nlopt=$work/nlopt/src includes=() source
    local own="-I $root/include -I $root/src -I $work/jansson/src -I $nlopt/api"
    for source in "$nlopt" "$nlopt"/{api,util} "$nlopt"/algs/*; do includes+=(-I "$source"); done
    for source in "$work"/jansson/src/*.c; do echo "jansson_$(basename "$source") $source -w -I $work/jansson/src"; done
    for source in "$nlopt"/{api,util}/*.c "$nlopt"/algs/{auglag,bobyqa,cdirect,cobyla,crs,direct,esch,isres,luksan,mlsl,mma,neldermead,newuoa,praxis,slsqp,subplex}/*.c; do
        case $source in *tst*.c | *test*.c | *f77*.c | *DIRparallel.c) continue ;; esac
        echo "nlopt_$(basename "$(dirname "$source")")_$(basename "$source") $source -w ${includes[*]}"
    done
    for source in $(grep -oE "'[a-z_]+/[a-z_0-9]+[.]c'" "$root/src/meson.build" | tr -d "'"); do
        echo "orrery_$(tr / _ <<<"$source") $root/src/$source $own"
    done
    for source in "$work/explorer.c" "$work/builtin.c" "$root/web/local/page.c"; do
        echo "orrery_$(basename "$source") $source $own"
    done
}

# ninja compiles what changed, headers included, with the compiler that emcc would call for each file.
objects() {
    local name source more
    list_objects >"$work/list"
    {
        echo "rule cc"
        echo "  command = $(em-config LLVM_ROOT)/clang $(emcc --cflags) $flags \$more -MMD -MF \$out.d -c \$in -o \$out"
        echo "  depfile = \$out.d"
        echo "  deps = gcc"
        while read -r name source more; do
            printf 'build o/%s.o: cc %s\n  more = %s\n' "$name" "$source" "$more"
        done <"$work/list"
    } >"$work/build.ninja"
    ninja -C "$work" -j "$(nproc)" >"$work/objects.log" || { tail -20 "$work/objects.log" >&2; die "the library does not build"; }
}

# The mathematical functions of Emscripten's C library, musl, for this machine: a server that uses them gives the very
# bits of the page, so the check of the page needs no tolerance. Nothing that is shipped contains them.
mathematics() {
    local musl=$work/musl name sources=()
    for name in exp exp_data exp2 expm1 log log_data log2 log2_data log10 log1p pow pow_data cbrt hypot erf tanh sin cos \
        sincos __sin __cos __rem_pio2 __rem_pio2_large __math_divzero __math_invalid __math_oflow __math_uflow __math_xflow; do
        sources+=("$musl/src/math/$name.c")
    done
    [ "$work/mathematics.so" -nt "$musl/src/math/exp.c" ] && return
    mkdir -p "$musl/obj/bits"
    cat "$musl/arch/x86_64/bits/alltypes.h.in" "$musl/include/alltypes.h.in" |
        sed -f "$musl/tools/mkalltypes.sed" >"$musl/obj/bits/alltypes.h"
    cc -O2 -w -shared -fPIC -fno-builtin -ffp-contract=off -std=gnu11 -nostdinc -nostdlib -I "$musl/src/include" \
        -I "$musl/src/internal" -I "$musl/arch/x86_64" -I "$musl/arch/generic" -I "$musl/obj" -I "$musl/include" \
        "${sources[@]}" -o "$work/mathematics.so" || die "the functions of musl do not build"
}

# The library has no page inside it here: it is part of the page.
no_explorer() {
    cat >"$work/explorer.c" <<'C'
#include "report/explorer.h"

const struct orr_page_file orr_explorer_files[1] = {{0}};
const size_t orr_n_explorer_files = 0;
C
}

# The catalogue as C, made by the program of the ordinary build.
catalogue() {
    ninja -C "$root/build" src/builtin.c >/dev/null || die "build the program first (./dev run)"
    cmp -s "$root/build/src/builtin.c" "$work/builtin.c" || cp "$root/build/src/builtin.c" "$work/builtin.c"
}

link() {
    export NODE_PATH=/usr/share/nodejs # where Debian keeps what emcc runs, also for a node that is not from Debian
    sed "s|^\([^ ]*\) .*|$work/o/\1.o|" "$work/list" >"$work/objects"
    emcc -O2 -o "$target/orrery.js" @"$work/objects" -s MODULARIZE=1 -s EXPORT_NAME=OrreryModule -s ENVIRONMENT=web,worker,node \
        -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=67108864 -s TOTAL_STACK=16777216 -s FILESYSTEM=1 \
        -s EXPORTED_FUNCTIONS=_orrery_open,_orrery_answer,_malloc,_free \
        -s EXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8,getValue
}

page() {
    (cd "$root/web" && npx vite build --base ./ --outDir "$work/page" --emptyOutDir >"$work/vite.log" 2>&1) ||
        { tail -5 "$work/vite.log" >&2; die "the explorer does not build"; }
    rm -rf "$target/assets" # those of an earlier page have other names
    cp -r "$work/page/." "$target/"
    cp "$root/web/local/fetch.js" "$root/web/local/worker.js" "$target/"
    sed -i 's|<head>|<head>\n<script src="./fetch.js"></script>|' "$target/index.html"
}

fetch_sources
configure_sources
mathematics
catalogue
no_explorer
objects
link
page
du -sh "$target" | cut -f1
